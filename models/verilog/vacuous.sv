// Proofs that say nothing. The assumption keeps `count` below 4 and lets it grow all the same, so no run is longer than
// three steps: with it `below_ten` holds, but so would anything. `never_asked` has a condition that is never true.
module vacuous (
    input logic clk,
    input logic enable
);
    logic [3:0] count = 0;
    logic broken = 0;

    always_ff @(posedge clk)
        count <= count + 1;

`ifdef FORMAL
`ifdef CONTRADICT
    always_comb assume (count < 4);
`endif
    always_comb begin
        if (broken)
            never_asked: assert (count == 12);
        if (enable)
            asked: assert (!broken);
`ifdef CONTRADICT
        below_ten: assert (count < 10);
`endif
    end
`endif
endmodule
