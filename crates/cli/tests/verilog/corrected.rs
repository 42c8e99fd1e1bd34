//! Designs that had wrong answers, and their neighbours.

use super::{folder, found_yosys, told};
use std::fs;

/// Checks designs of one file each with every Yosys.
fn check(test: &str, cases: &[(&str, &[&str], &[&str])]) {
    let (scratch, here) = (folder(&format!("{test}_scratch")), folder(test));
    for yosys in found_yosys(test) {
        for (text, words, expected) in cases {
            fs::write(here.join("m.sv"), text).expect("written");
            let mut all = vec!["m.sv"];
            all.extend_from_slice(words);
            assert_eq!(told(&here, &scratch, &all, yosys), *expected, "{yosys} {words:?}\n{text}");
        }
    }
}

/// A property in a block with an asynchronous reset counts at the edge itself, whatever the reset
/// does afterwards. Newer versions of Yosys lose the condition, and the design is refused.
#[test]
fn properties_beside_an_asynchronous_reset() {
    let test = "properties_beside_an_asynchronous_reset";
    let (scratch, here) = (folder("arst_scratch"), folder("arst"));
    let cases: &[(&str, &[&str])] = &[
        (WATCHDOG, &["never5 violated 5", "c5 reached 5"]),
        (TWO_CLOCKS, &["never5 violated 11", "dummy proved"]),
        (ASSUMED, &["same proved"]),
        (IN_RESET, &["inside violated 0", "outside violated 0", "never proved"]),
        (SET_AND_CLEAR, &["both violated 3"]),
    ];
    for yosys in found_yosys(test) {
        for (text, expected) in cases {
            fs::write(here.join("m.sv"), text).expect("written");
            let told = told(&here, &scratch, &["m.sv"], yosys);
            let is_refused =
                told[0].contains("m.sv: property") && told[0].contains("several edges");
            assert!(told == *expected || is_refused, "{yosys}\n{text}\n{told:?}");
            assert!(!is_refused || yosys != "yosys" || is_new(), "{told:?}");
        }
        fs::write(here.join("m.sv"), IN_RESET_OF_MANY).expect("written");
        let told = told(&here, &scratch, &["m.sv"], yosys);
        assert!(told[0].contains("m.sv: property inside: is"), "{told:?}");
    }
}

/// Whether `yosys` is one of the newer versions, which have cells for checks.
fn is_new() -> bool {
    let output = std::process::Command::new("yosys").arg("-V").output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let minor = text.split(['.', ' ', '+']).nth(2).and_then(|number| number.parse::<u32>().ok());
    minor.is_none_or(|minor| minor > 37)
}

const WATCHDOG: &str = "module m(input clk);
    reg [2:0] t = 0; always @(posedge clk) t <= t + 1;
    wire wd = t == 6; reg busy = 0;
    always @(posedge clk or posedge wd)
        if (wd) busy <= 0;
        else begin busy <= 1; never5: assert (t != 5); c5: cover (t == 5); end
endmodule
";
const TWO_CLOCKS: &str = "module m(input clk, input clk2);
    reg [2:0] t = 0; always @(posedge clk) t <= t + 1;
    wire wd = t == 6; reg busy = 0;
    always @(posedge clk or posedge wd)
        if (wd) busy <= 0;
        else begin busy <= 1; never5: assert (t != 5); end
    reg z = 0; always @(posedge clk2) begin z <= busy; dummy: assert (z == 0 || z == 1); end
endmodule
";
const ASSUMED: &str = "module m(input clk, input rst_n, input [2:0] in);
    reg d;
    always @(posedge clk or negedge rst_n)
        if (!rst_n) d <= 0;
        else begin d <= 1; assume (in != 5); end
    always @(posedge clk) if (rst_n) same: assert (in != 5);
endmodule
";
const IN_RESET: &str = "module m(input clk, input rst, input a);
    reg busy = 0;
    always @(posedge clk or posedge rst)
        if (rst) begin busy <= 0; inside: assert (a); end
        else begin busy <= 1; outside: assert (a); never: assert (!rst); end
endmodule
";
const IN_RESET_OF_MANY: &str = "module m(input clk, input clk2, input rst, input a);
    reg busy = 0, z;
    always @(posedge clk or posedge rst)
        if (rst) begin busy <= 0; inside: assert (a); end
        else busy <= 1;
    always @(posedge clk2) begin z <= a; dummy: assert (z == 0 || z == 1); end
endmodule
";
const SET_AND_CLEAR: &str = "module m(input clk, input set, input clear);
    reg [1:0] t = 0; always @(posedge clk) t <= t + 1;
    reg q = 0;
    always @(posedge clk or posedge set or posedge clear)
        if (clear) q <= 0;
        else if (set) q <= 1;
        else begin q <= 0; both: assert (t != 3); end
endmodule
";

/// Registers of the design are not taken for those of a property: nothing is moved over an
/// assumption of the next step.
#[test]
fn registers_of_the_design_stay() {
    let text = "module m(input clk);
        reg en = 0, r = 0; always @(posedge clk) begin en <= 1; r <= 0; end
        always @* if (en) late: assert (r);
        always @* assume (!en);
    endmodule\n";
    check("registers_of_the_design_stay", &[(text, &[], &["late proved"])]);
}

/// Scripts that merge enables and resets into flip-flops, or collect memories.
#[test]
fn scripts_that_optimise() {
    let (scratch, here) = (folder("optimise_scratch"), folder("optimise"));
    let cases: &[(&str, &str, &[&str])] = &[
        (EXCLUDED, "proc; opt", &["z violated 5", "z2 violated 5"]),
        (EXCLUDED, "prep", &["z violated 5", "z2 violated 5"]),
        (MERGED, "proc; opt -full", &["z violated 5"]),
        (NEVER_STATED, "proc; opt", &["never proved", "z violated 0"]),
        (MEMORY_OF_TWO_CLOCKS, "prep", &["eq violated 2"]),
        (MEMORY_OF_TWO_EDGES, "prep", &["eq violated 2"]),
        (MEMORY_OF_TWO_EDGES, "proc; memory_collect", &["eq violated 2"]),
    ];
    for yosys in found_yosys("scripts_that_optimise") {
        for (text, commands, expected) in cases {
            fs::write(here.join("m.sv"), text).expect("written");
            let script = format!("read_verilog -formal -sv m.sv; hierarchy -top m; {commands}\n");
            fs::write(here.join("m.ys"), script).expect("written");
            let told = told(&here, &scratch, &["m.sv", "--script", "m.ys"], yosys);
            assert_eq!(told, *expected, "{yosys} {commands}\n{text}");
        }
    }
}

const EXCLUDED: &str = "module m(input clk, input rst, input go);
    reg [2:0] cnt = 0;
    always @(posedge clk) if (go) cnt <= cnt + 1;
    always @(posedge clk) assume (cnt != 6);
    always @(posedge clk) if (cnt == 5) assume (go);
    always @(posedge clk) if (!rst) z: assert (cnt != 5);
    always @(posedge clk) if (rst) begin end else if (go) z2: assert (cnt != 5);
endmodule
";
const MERGED: &str = "module m(input clk, input go);
    reg [2:0] cnt = 0; always @(posedge clk) if (go) cnt <= cnt + 1;
    always @(posedge clk) assume (cnt != 6);
    always @(posedge clk) if (cnt == 5) assume (go);
    reg busy = 0; always @(posedge clk) begin busy <= 1; z: assert (cnt != 5 || !busy); end
endmodule
";
const NEVER_STATED: &str = "module m(input clk, input a);
    wire off = 0;
    always @(posedge clk) if (off) never: assert (a);
    always @(posedge clk) z: assert (a);
endmodule
";
const MEMORY_OF_TWO_CLOCKS: &str = "module m(input clk1, input clk2, input i);
    reg [3:0] w [0:1]; reg [3:0] r = 0;
    initial begin w[0] = 0; w[1] = 0; end
    always @(posedge clk2) w[i] <= w[i] + 1;
    always @(posedge clk1) r <= r + 1;
    always @(posedge clk1) eq: assert (w[0] + w[1] == r);
endmodule
";
const MEMORY_OF_TWO_EDGES: &str = "module m(input clk, input a);
    reg [3:0] w [0:1]; reg [3:0] r = 0; reg i;
    initial begin w[0] = 0; w[1] = 0; end
    always @(negedge clk) w[i] <= w[i] + 1;
    always @(posedge clk) begin r <= r + 1; i <= a; end
    always @(posedge clk) eq: assert (w[0] + w[1] == r);
endmodule
";

/// Outside of a memory nothing is written and any value is read, in both forms of memories.
#[test]
fn addresses_outside_of_a_memory() {
    let mut cases: Vec<(&str, &[&str], &[&str])> = Vec::new();
    for words in [&["--memories", "arrays"][..], &["--memories", "words"]] {
        cases.push((WRITTEN_OUTSIDE, words, &["back violated 1"]));
        cases.push((READ_OUTSIDE, words, &["lo proved", "all violated 0", "none violated 0"]));
        cases.push((WIDE_ADDRESS, words, &["keep proved", "read violated 0"]));
        cases.push((LOWEST_FIVE, words, &["five proved", "eight proved", "each proved"]));
        cases.push((READ_AT_EDGE, words, &["kept proved"]));
    }
    check("addresses_outside_of_a_memory", &cases);
}

const WRITTEN_OUTSIDE: &str = "module m(input clk, input [3:0] wa, input [7:0] di);
    reg [7:0] w [0:9]; reg [3:0] la = 0; reg [7:0] ld = 0; reg v = 0;
    always @(posedge clk) begin w[wa] <= di; la <= wa; ld <= di; v <= 1; end
    always @(posedge clk) if (v) back: assert (w[la] == ld);
endmodule
";
const READ_OUTSIDE: &str = "module m(input clk, input [3:0] wa, ra, input [7:0] di);
    reg [7:0] w [1:10];
    integer k; initial for (k = 1; k <= 10; k = k + 1) w[k] = 0;
    always @(posedge clk) if (wa >= 1 && wa <= 10) w[wa] <= di & 8'h0f;
    always @(posedge clk) if (ra >= 1 && ra <= 10) lo: assert (w[ra] < 16);
    always @(posedge clk) all: assert (w[ra] < 16);
    always @(posedge clk) if (ra == 0 || ra > 10) none: assert (w[ra] == 0);
endmodule
";
const WIDE_ADDRESS: &str = "module m(input clk, input [5:0] wa, input [7:0] di);
    reg [7:0] w [0:3]; integer k; initial for (k = 0; k < 4; k = k + 1) w[k] = 0;
    always @(posedge clk) if (wa >= 4) w[wa] <= di;
    always @(posedge clk) keep: assert (w[0] == 0);
    always @(posedge clk) read: assert (w[wa] == 0);
endmodule
";
const LOWEST_FIVE: &str = "module m(input clk, input [3:0] ra);
    reg [7:0] w [5:8]; integer k; initial for (k = 5; k <= 8; k = k + 1) w[k] = k;
    always @(posedge clk) five: assert (w[5] == 5);
    always @(posedge clk) eight: assert (w[8] == 8);
    always @(posedge clk) if (ra >= 5 && ra <= 8) each: assert (w[ra] == ra);
endmodule
";
const READ_AT_EDGE: &str = "module m(input clk, input [3:0] wa, ra, input [7:0] di);
    reg [7:0] w [0:9]; reg [7:0] q = 0; reg [3:0] last = 0;
    integer k; initial for (k = 0; k < 10; k = k + 1) w[k] = 0;
    always @(posedge clk) begin w[wa] <= di & 8'h0f; q <= w[ra]; last <= ra; end
    always @(posedge clk) if (last < 10) kept: assert (q < 16);
endmodule
";

/// A clock beside the global one is one of several.
#[test]
fn a_clock_beside_the_global_one() {
    let text = "module m(input a);
        (* gclk *) reg g; reg clk = 0; reg [3:0] c = 0, n = 0;
        always @(posedge g) begin clk <= !clk; n <= n + 1; end
        always @(posedge clk) c <= c + 1;
        always @* slow: assert (c == n);
    endmodule\n";
    let (scratch, here) = (folder("gclk_scratch"), folder("gclk"));
    for yosys in found_yosys("a_clock_beside_the_global_one") {
        fs::write(here.join("m.sv"), text).expect("written");
        let told = told(&here, &scratch, &["m.sv"], yosys);
        assert!(told[0].starts_with("slow violated"), "{yosys} {told:?}");
    }
}

/// Names that could be taken for ours, and negative parameters.
#[test]
fn names_of_ours_and_negative_parameters() {
    let names = "module m(input clk, input a);
        reg \\pedra.property.0 = 0; always @(posedge clk) \\pedra.property.0 <= a;
        always @(posedge clk) lab: assert (!\\pedra.property.0 );
    endmodule\n";
    let number = "module m #(parameter signed N = 3) (input clk);
        always @* neg: assert (N == -2); always @* pos: assert (N == 3);
    endmodule\n";
    check(
        "names_of_ours_and_negative_parameters",
        &[
            (names, &[], &["lab violated 1"]),
            (number, &["--top", "m", "--param", "N=-2"], &["neg proved", "pos violated 0"]),
        ],
    );
}
