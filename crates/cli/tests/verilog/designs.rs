//! The designs of `models/verilog`: their verdicts, and the evidence of them.

use super::{folder, found_yosys, models, pedra};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

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

/// A statement without a label is named by its own line, not by that of the token before it.
#[test]
fn statements_have_their_own_lines() {
    let (scratch, source) = (folder("lines"), folder("lines_source"));
    let text = "module m(input clk);\n  reg [2:0] a = 0;\n  always @(posedge clk) begin\n    \
                a <= a + 1; // assert\n    assert (a != 3);\n\n    cover (a\n      == 5);\n  end\n\
                  always @(posedge clk) assert (1);\nendmodule\n";
    fs::write(source.join("m.sv"), text).expect("written");
    for yosys in found_yosys("statements_have_their_own_lines") {
        let run = pedra(&source, &scratch, &["check", "m.sv", "--yosys", yosys]);
        for name in ["violated  b0 m.sv:5 ", "reached   b1 m.sv:7 ", "proved    b2 m.sv:10 "] {
            assert!(run.stdout.contains(name), "{name} is missing:\n{}", run.stdout);
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
