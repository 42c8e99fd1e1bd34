// A flag that crosses from one clock to another through two flip-flops, and a counter of Gray code that does. Each clock
// is free: a step of the model is a moment, in which each clock may have an edge or not.
module two_clocks (
    input logic clk_a,
    input logic clk_b,
    input logic advance
);
    // The Gray counter of the sender.
    logic [2:0] binary = 0, gray = 0;
    wire [2:0] next = binary + 1;
    always_ff @(posedge clk_a)
        if (advance) begin
            binary <= next;
            gray <= next ^ (next >> 1);
        end

    // The receiver.
    logic [2:0] first = 0, second = 0;
    always_ff @(posedge clk_b) begin
        first <= gray;
        second <= first;
    end

`ifdef FORMAL
    always_comb begin
        code_is_gray: assert (gray == (binary ^ (binary >> 1)));
        // The receiver can be far behind: wrong on purpose.
        never_behind: assert (second == gray || second == first || first == gray);
        arrives: cover (second == 3'b110);
    end
`endif
endmodule
