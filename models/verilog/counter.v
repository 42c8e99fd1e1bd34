// A counter with a defect: it is meant to stop at 10, but an enabled `leap` adds 3 and can jump over the
// comparison. `never_above_ten` is violated at step 4; `starts_at_zero` holds.
module counter (
    input clk,
    input enable,
    input leap
);
    reg [3:0] count = 0;
    reg started = 0;

    always @(posedge clk) begin
        started <= 1;
        if (enable && count != 10)
            count <= count + (leap ? 3 : 1);
    end

`ifdef FORMAL
    always @* begin
        never_above_ten: assert (count <= 10);
        if (!started)
            starts_at_zero: assert (count == 0);
    end
`endif
endmodule
