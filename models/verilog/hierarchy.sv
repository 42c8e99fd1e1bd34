// A hierarchy: a pipeline of two stages, each an instance of one module. Names of signals and properties have the path of
// their instance. The escaped identifier `\odd+name ` is a name like any other.
module stage #(parameter int ADD = 0) (
    input  logic       clk,
    input  logic [7:0] from,
    output logic [7:0] to
);
    logic [7:0] held = 0;
    always_ff @(posedge clk) held <= from + ADD;
    assign to = held;

`ifdef FORMAL
    always_comb at_most: assert (held <= 100 + ADD);
`endif
endmodule

module hierarchy (
    input  logic       clk,
    input  logic [7:0] value,
    output logic [7:0] result
);
    wire [7:0] \odd+name = value > 99 ? 8'd99 : value;
    wire [7:0] middle;

    stage #(.ADD(1)) low (.clk(clk), .from(\odd+name ), .to(middle));
    stage #(.ADD(2)) high (.clk(clk), .from(middle), .to(result));

`ifdef FORMAL
    always_comb assert (result != 42);
`endif
endmodule
