// Parameters: an accumulator that stops at LIMIT, of any width. `limit` holds for every LIMIT, but the sum must not wrap
// around: with `--param LIMIT=250` it can, and `grows` is violated. A ninth bit (`--param WIDTH=9`) repairs it.
module saturate #(
    parameter int WIDTH = 8,
    parameter int LIMIT = 100
) (
    input  logic             clk,
    input  logic [3:0]       amount,
    output logic [WIDTH-1:0] sum
);
    initial sum = 0;
    wire [WIDTH-1:0] next = sum + amount;

    always_ff @(posedge clk)
        if (next <= LIMIT)
            sum <= next;

`ifdef FORMAL
    always_ff @(posedge clk) begin
        limit: assert (sum <= LIMIT);
        grows: assert (next >= sum);
    end
`endif
endmodule
