//! What a design means.

use super::{folder, found_yosys, told};
use std::fs;

/// What a design means, as far as it could be got wrong: for each property its verdict and step.
#[test]
fn designs_mean_what_the_guide_says() {
    let (scratch, here) = (folder("meaning"), folder("meaning_files"));
    for yosys in found_yosys("designs_mean_what_the_guide_says") {
        for (text, expected) in [(STEPS, STEPS_ARE), (UNDEFINED, UNDEFINED_ARE), (EDGES, EDGES_ARE)]
        {
            fs::write(here.join("m.sv"), text).expect("written");
            let found = told(&here, &scratch, &["m.sv"], yosys);
            assert_eq!(found, expected, "{yosys}\n{text}");
        }
    }
}

/// Properties in clocked blocks are about the same step as others; none is moved over an initial
/// value, and equal ones stay apart.
const STEPS: &str = "module m(input clk, input x);
    reg p = 0, q, r = 1, en = 1, s, en2;
    always @(posedge clk) begin p <= 1; q <= 1; r <= 1; en <= 1; s <= 1; en2 <= 1; end
    always @* a: assert (p);
    always @* b: assert (q);
    always @* if (en) c: assert (r);
    always @* if (en2) d: assert (s);
    always @(posedge clk) assume (x);
    always @* e: assert (x);
    always @(posedge clk) f: assert (x);
    always @(posedge clk) if (!p) g: cover (x);
    always @(posedge clk) h: assert (!p);
    always @(posedge clk) i: assert (!p);
endmodule
";
const STEPS_ARE: &[&str] = &[
    "a violated 0",
    "b violated 0",
    "c proved",
    "d violated 0",
    "e proved",
    "f proved",
    "g reached 0",
    "h violated 1",
    "i violated 1",
];

/// What is not defined has any value.
const UNDEFINED: &str = "module m(input clk, input [1:0] s);
    reg q = 0, y;
    always @(posedge clk) q <= 1'bx;
    always @* case (s) 0: y = 0; 1: y = 0; default: y = 1'bx; endcase
    wire u;
    reg [3:0] part = 4'b00xx;
    always @(posedge clk) part <= part;
    always @* a: assert (q == 0);
    always @* b: assert (y == 0);
    always @* c: assert (u == 0);
    always @* d: assert (part[0] == 0);
    always @* e: assert (part[3] == 0);
endmodule
";
const UNDEFINED_ARE: &[&str] =
    &["a violated 1", "b violated 0", "c violated 0", "d violated 0", "e proved"];

/// Both edges of a clock, and a latch: steps are moments. Names of instances in a generate block.
const EDGES: &str = "(* keep_hierarchy *) module leaf(input clk, input d);
    reg q = 0; always @(negedge clk) q <= d;
    always @* assert (q == 0);
endmodule
module m(input clk, input d, input g);
    reg a = 0, l;
    always @(posedge clk) a <= d;
    always @* if (g) l = d;
    generate for (genvar i = 0; i < 2; i = i + 1) begin: row leaf u(clk, a); end endgenerate
    always @* if (g) follows: assert (l == d);
endmodule
";
const EDGES_ARE: &[&str] =
    &["row[0].u m.sv:3 violated 2", "row[1].u m.sv:3 violated 2", "follows proved"];
