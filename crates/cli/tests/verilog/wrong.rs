//! Designs and command lines that are wrong, or only odd.

use super::{folder, found_yosys, models, pedra};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn wrong_designs_are_refused() {
    let (scratch, here) = (folder("wrong"), folder("wrong_files"));
    let cases: &[(&str, &str, &[&str], &[&str])] = &[
        ("two_tops.v", TWO_TOPS, &[], &["several modules could be the top: a, b", "--top"]),
        ("nothing.v", "// nothing\n", &[], &["nothing.v: there is no module"]),
        ("circle.v", CIRCLE, &[], &["every module is used by another one"]),
        ("silent.v", SILENT, &[], &["module m has neither `assert` nor `cover`", "FORMAL"]),
        ("black.v", BLACK_BOX, &[], &["ERROR:", "ip", "blackbox"]),
        ("missing.v", MISSING, &[], &["ERROR:", "not_there"]),
        ("syntax.sv", "module m;\n  logic [3:0 x;\nendmodule\n", &[], &["syntax.sv:2: ERROR:"]),
        ("sequence.sv", SEQUENCE, &[], &["sequence.sv:2: ERROR:"]),
        ("live.sv", LIVE, &[], &["live.sv:3", "liveness"]),
        ("loop.v", LOOP, &[], &["ERROR:", "loop"]),
        ("empty.v", "module e; endmodule\n", &[], &["every module is empty or a black box"]),
        ("two_drivers.v", TWO_DRIVERS, &[], &["multiple conflicting drivers for m", "input a"]),
        ("two_outputs.v", TWO_OUTPUTS, &[], &["multiple conflicting drivers for m"]),
        ("bind.sv", BIND, &["--top", "m"], &["bind.sv:3: `bind` is not supported"]),
        ("macro.sv", BIND_IN_MACRO, &["--top", "m"], &["inner.vh:2: `bind` is not supported"]),
        ("t[1].sv", LOOP, &[], &["t[1].sv: a file with such a name cannot be passed to Yosys"]),
        ("two_tops.v", TWO_TOPS, &["--top", "c"], &["ERROR:", "c"]),
        ("two_tops.v", TWO_TOPS, &["--top", "a", "--param", "N=1"], &["ERROR:", "N"]),
        ("two_tops.v", TWO_TOPS, &["--param", "N=1"], &["--param needs --top"]),
        ("two_tops.v", TWO_TOPS, &["--top", "a;b"], &["'a;b' cannot be passed to Yosys"]),
        ("two_tops.v", TWO_TOPS, &["--top", "a", "-p", "x"], &["no property is named 'x'"]),
    ];
    fs::write(here.join("inner.vh"), "// bind\n`WORD m props p(.a(a));\n").expect("written");
    for yosys in found_yosys("wrong_designs_are_refused") {
        for (name, text, options, expected) in cases {
            fs::write(here.join(name), text).expect("written");
            let mut words = vec!["check", name, "--yosys", yosys];
            words.extend_from_slice(options);
            let run = pedra(&here, &scratch, &words);
            assert_eq!(run.code, 2, "{words:?}\n{}{}", run.stdout, run.stderr);
            assert_eq!(run.stdout, "", "{words:?}");
            for part in *expected {
                assert!(run.stderr.contains(part), "{words:?}: no `{part}` in\n{}", run.stderr);
            }
        }
    }
}

const TWO_TOPS: &str = "module a(input x); always @* assert(x); endmodule\n\
                        module b(input x); always @* assert(x); endmodule\n";
const CIRCLE: &str = "module a; b u(); endmodule\nmodule b; a u(); endmodule\n";
const SILENT: &str = "module m(input clk, output reg q);\n\
                      always @(posedge clk) q <= !q;\nendmodule\n";
const BLACK_BOX: &str = "(* blackbox *) module ip(input a, output b); endmodule\n\
                         module m(input a); wire b; ip u(.a(a), .b(b));\n\
                         always @* assert(b); endmodule\n";
const MISSING: &str = "module m(input a); wire b; not_there u(.a(a), .b(b));\n\
                       always @* assert(b); endmodule\n";
const SEQUENCE: &str = "module m(input clk, input a, input b);\n\
                        assert property (@(posedge clk) a |-> ##1 b);\nendmodule\n";
const LIVE: &str = "module m(input clk, input a);\nreg q = 0; always @(posedge clk) q <= a;\n\
                    always @(posedge clk) assert (eventually q);\nendmodule\n";
const LOOP: &str = "module m(input a); wire x = !y; wire y = !x | a;\n\
                    always @* assert(x); endmodule\n";
const TWO_DRIVERS: &str = "module m(input a); wire w; assign w = a; assign w = ~a;\n\
                           always @* assert(w == a); endmodule\n";
const TWO_OUTPUTS: &str = "module s(input i, output o); assign o = i; endmodule\n\
                           module m(input a, input b, output y); s s1(a, y); s s2(b, y);\n\
                           always @* assert(a == b); endmodule\n";
const BIND: &str = "module m(input a); always @* assert(a || !a); endmodule\n\
                    module props(input a); always @* assert(!a); endmodule\n\
                    bind m props p(.a(a));\n";
const BIND_IN_MACRO: &str = "module m(input a); always @* assert(a || !a); endmodule\n\
                             module props(input a); always @* assert(!a); endmodule\n\
                             `define WORD bind\n`include \"inner.vh\"\n";

#[test]
fn odd_names_and_paths_work() {
    let (scratch, here) = (folder("odd scratch"), folder("odd names; #1"));
    let text = "module \\top+level (input \\clk! , input \\in.a );\n\
                reg \\q[0] = 0; always @(posedge \\clk! ) \\q[0] <= \\in.a ;\n\
                always @* assert (!\\q[0] );\nendmodule\n";
    fs::write(here.join("my design.v"), text).expect("written");
    let mut locked = fs::metadata(&here).expect("there").permissions();
    locked.set_mode(0o555);
    fs::set_permissions(&here, locked).expect("a folder that nobody writes to");
    for yosys in found_yosys("odd_names_and_paths_work") {
        let words = ["check", "my design.v", "--wave", "always", "--yosys", yosys];
        let run = pedra(&here, &scratch, &words);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stdout.starts_with("violated  b0 my design.v:3  at step 1"), "{}", run.stdout);
        assert!(run.stderr.contains("in.a") && run.stderr.contains("q[0]"), "{}", run.stderr);
    }
}

#[test]
fn a_script_reads_the_design() {
    let (scratch, here) = (folder("script"), folder("script_files"));
    let text = "module m(input [3:0] x); always @* assert(x != `LIMIT); endmodule\n";
    fs::write(here.join("m.v"), text).expect("written");
    fs::write(here.join("m.ys"), "read_verilog -formal -DLIMIT=3 m.v\n").expect("written");
    for yosys in found_yosys("a_script_reads_the_design") {
        let words = ["check", "m.v", "--script", "m.ys", "--top", "m", "--yosys", yosys];
        let run = pedra(&here, &scratch, &words);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stdout.contains("m.v:1"), "{}", run.stdout);
    }
}

#[test]
fn options_of_verilog_are_for_verilog() {
    let scratch = folder("options");
    let root = models().join("..");
    for (words, expected) in [
        (&["check", "fifo.btor2", "--top", "a"][..], "--top: only for Verilog"),
        (&["check", "programs/even.c", "--define", "A"], "--define: only for Verilog"),
        (&["info", "fifo.btor2", "verilog/fifo.sv"], "only Verilog has several files"),
        (&["check", "verilog/fifo.sv", "fifo.btor2"], "fifo.btor2: is not Verilog"),
        (&["check", "verilog/fifo.sv", "--data-model", "lp64"], "--data-model: only for programs"),
        (&["check", "verilog/none.sv"], "verilog/none.sv: cannot be read"),
        (&["certify", "verilog/fifo.sv", "x"], "pedra convert verilog/fifo.sv model.btor2"),
    ] {
        let run = pedra(&root, &scratch, words);
        assert_eq!(run.code, 2, "{words:?}");
        assert!(run.stderr.contains(expected), "{words:?}: {}", run.stderr);
    }
}
