// A round-robin arbiter for three clients. At most one is granted, only who asks, and nobody waits for more than two
// grants to others. `first_wins` is wrong on purpose: the arbiter is fair, so client 0 does not always win.
module arbiter (
    input  logic       clk,
    input  logic       reset_n,
    input  logic [2:0] request,
    output logic [2:0] grant
);
    logic [1:0] last;

    always_comb begin
        grant = 3'b000;
        case (last)
            2'd0:    grant = request[1] ? 3'b010 : request[2] ? 3'b100 : request[0] ? 3'b001 : 3'b000;
            2'd1:    grant = request[2] ? 3'b100 : request[0] ? 3'b001 : request[1] ? 3'b010 : 3'b000;
            default: grant = request[0] ? 3'b001 : request[1] ? 3'b010 : request[2] ? 3'b100 : 3'b000;
        endcase
    end

    always_ff @(posedge clk or negedge reset_n)
        if (!reset_n)
            last <= 2'd2;
        else if (grant != 0)
            last <= grant[0] ? 2'd0 : grant[1] ? 2'd1 : 2'd2;

`ifdef FORMAL
    logic [1:0] waited = 0;
    always_ff @(posedge clk)
        if (!reset_n || grant[0] || !request[0])
            waited <= 0;
        else
            waited <= waited + 1;

    initial assume (!reset_n);

    always_ff @(posedge clk) if (reset_n) begin
        one_at_most: assert ((grant & (grant - 3'd1)) == 0);
        only_who_asks: assert ((grant & ~request) == 0);
        nobody_starves: assert (waited <= 2);
        if (request[0])
            first_wins: assert (grant[0]);
    end
`endif
endmodule
