//! Report files: what they say, that a run which did not end well never leaves one that passes,
//! and that tools of others accept them.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A folder for one test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reports-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Report files in a folder.
struct Reports {
    junit: PathBuf,
    sarif: PathBuf,
}

impl Reports {
    fn at(folder: &Path) -> Reports {
        Reports { junit: folder.join("r.xml"), sarif: folder.join("r.sarif") }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pedra"));
        command.current_dir(ROOT).arg("check").args(arguments);
        command.arg("--junit").arg(&self.junit).arg("--sarif").arg(&self.sarif);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("pedra starts")
    }

    fn junit(&self) -> String {
        std::fs::read_to_string(&self.junit).expect("a report")
    }

    /// The only run.
    fn sarif(&self) -> Value {
        let text = std::fs::read_to_string(&self.sarif).expect("a report");
        let log: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(log["version"], "2.1.0");
        log["runs"][0].clone()
    }

    /// Neither report can be taken for one of a run that went well.
    fn assert_failed(&self, text: &str) {
        let junit = self.junit();
        assert!(junit.contains("<error type=\"failed run\"") && junit.contains(text), "{junit}");
        let run = self.sarif();
        assert_eq!(run["invocations"][0]["executionSuccessful"], false, "{run}");
        let found = &run["results"][0];
        assert_eq!((&found["ruleId"], &found["level"]), (&"failed".into(), &"error".into()));
        assert!(found["message"]["text"].as_str().expect("text").contains(text), "{run}");
    }
}

/// Rule, line, and level of each result.
fn results(run: &Value) -> Vec<(String, u64, String)> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let one = |found: &Value| {
        let line = &found["locations"][0]["physicalLocation"]["region"]["startLine"];
        (text(&found["ruleId"]), line.as_u64().expect("a line"), text(&found["level"]))
    };
    run["results"].as_array().expect("a list").iter().map(one).collect()
}

#[test]
fn verdicts_of_a_model() {
    let folder = folder("model");
    let reports = Reports::at(&folder);
    assert_eq!(reports.run(&["models/fifo.btor2"]).status.code(), Some(1));
    let junit = reports.junit();
    assert!(junit.contains(r#"tests="3" failures="1" errors="0""#), "{junit}");
    assert!(junit.contains(r#"<testcase name="b1 overflow" classname="models/fifo.btor2""#));
    assert!(junit.contains(r#"<failure type="violated" message="violated at step 4">"#));
    assert!(junit.contains("pointers_disagree") && junit.contains("step  0   1   2"), "{junit}");
    // The line of the third `bad`.
    let text = std::fs::read_to_string(format!("{ROOT}/models/fifo.btor2")).expect("the model");
    let lines = text.lines().enumerate().filter(|(_, line)| line.contains(" bad "));
    let line = lines.map(|(at, _)| at as u64 + 1).nth(2).expect("three properties");
    let run = reports.sarif();
    assert_eq!(results(&run), [("violated".into(), line, "error".into())]);
    assert_eq!(run["properties"]["proved"], 2);
    assert_eq!(run["invocations"][0]["exitCode"], 1);
    assert_eq!(std::fs::read_dir(&folder).expect("there").count(), 2);
}

/// A violation of a program is at its line, with the way to it.
#[test]
fn verdicts_of_a_program() {
    let reports = Reports::at(&folder("program"));
    assert_eq!(reports.run(&["models/programs/midpoint.c"]).status.code(), Some(1));
    let run = reports.sarif();
    assert_eq!(results(&run), [("violated".into(), 11, "error".into())]);
    let flow = &run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let last = flow.as_array().expect("a list").last().expect("steps");
    let place = &last["location"]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "models/programs/midpoint.c");
    assert_eq!(place["region"]["startLine"], 11);
    assert!(reports.junit().contains("reach_error()"));
}

/// Unknown is neither passed nor skipped.
#[test]
fn unknown_is_told() {
    let reports = Reports::at(&folder("unknown"));
    let output = reports.run(&["models/counter_overflow.aag", "--engine", "bmc", "--depth", "3"]);
    assert_eq!(output.status.code(), Some(3));
    let junit = reports.junit();
    assert!(junit.contains(r#"failures="0" errors="1" skipped="0""#), "{junit}");
    assert!(junit.contains(r#"<error type="unknown" message="unknown: depth limit reached">"#));
    let run = reports.sarif();
    assert_eq!(results(&run), [("unknown".into(), 1, "warning".into())]);
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn bad_input_leaves_no_passing_report() {
    let folder = folder("bad");
    let reports = Reports::at(&folder);
    assert_eq!(reports.run(&["models/fifo.btor2", "-p", "b1"]).status.code(), Some(0));
    assert!(reports.junit().contains(r#"failures="0" errors="0""#));
    // Each of these overwrites the report that passed.
    let missing = folder.join("missing.aag");
    std::fs::write(folder.join("bad <&>.aag"), "aag 1 x\n").expect("written");
    let bad = folder.join("bad <&>.aag");
    for (arguments, text) in [
        (vec![missing.to_str().expect("text")], "cannot be read"),
        (vec![bad.to_str().expect("text")], "aag"),
        (vec!["models/fifo.btor2", "-p", "nothing"], "no property is named"),
        (vec!["models/fifo.btor2", "--engine", "bmc", "-o", "pdr.ctg=1"], "does not read it"),
    ] {
        assert_eq!(reports.run(&arguments).status.code(), Some(2), "{arguments:?}");
        reports.assert_failed(text);
    }
}

/// A run that is killed leaves the report of a run that has not ended; one that is interrupted
/// tells that its properties are unknown.
#[test]
fn stopped_runs_leave_no_passing_report() {
    for (signal, code) in [("-KILL", None), ("-INT", Some(3))] {
        let reports = Reports::at(&folder(signal));
        // Never k-inductive.
        let arguments = ["models/fifo_data.btor2", "--engine", "kind", "-p", "b0", "--json"];
        let mut child =
            reports.command(&arguments).stdout(Stdio::piped()).spawn().expect("pedra starts");
        let mut first = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        output.read_line(&mut first).expect("the line that the run begins");
        let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(kill.expect("kill starts").success());
        assert_eq!(child.wait().expect("it ends").code(), code);
        match code {
            None => reports.assert_failed("has not ended"),
            Some(_) => {
                assert!(reports.junit().contains("unknown: interrupted"));
                assert_eq!(results(&reports.sarif())[0].0, "unknown");
            }
        }
    }
}

#[test]
fn files_that_are_in_the_way() {
    let folder = folder("paths");
    let model = folder.join("m.aag");
    std::fs::copy(format!("{ROOT}/models/counter_wrap.aag"), &model).expect("copied");
    let model = model.to_str().expect("text");
    let twice = folder.join("twice").display().to_string();
    let nowhere = folder.join("no/where.xml").display().to_string();
    for (arguments, text) in [
        (vec!["--junit", model], "the model itself"),
        (vec!["--junit", &twice, "--sarif", &twice], "two files"),
        (vec!["--trace", &twice, "--sarif", &twice], "two files"),
        (vec!["--sarif", &nowhere], "no such folder"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pedra"));
        let output = command.args(["check", model]).args(&arguments).output().expect("starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(errors.contains(text), "{arguments:?}: {errors}");
        assert_eq!(std::fs::read_dir(&folder).expect("there").count(), 1, "{arguments:?}");
    }
}

/// A program of others that `cargo xtask tools` has fetched.
fn tool(path: &str) -> Option<PathBuf> {
    let found = Path::new(ROOT).join("target/tools").join(path);
    if !found.exists() {
        eprintln!("not validated: {path} is not there; `cargo xtask tools` fetches it");
        return None;
    }
    Some(found)
}

/// Whether a validator has nothing to say but warnings; what it says.
fn is_accepted(command: &mut Command) -> (bool, String) {
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (output.status.success() && !text.contains(": error "), format!("{command:?}\n{text}"))
}

/// The schema of Jenkins by xmlschema, and SARIF by Microsoft's validator with GitHub's rules.
#[test]
fn others_accept_the_reports() {
    let folder = folder("schemas");
    let odd = folder.join("a b<&>ü.btor2");
    std::fs::copy(format!("{ROOT}/models/fifo.btor2"), &odd).expect("copied");
    let (mut junit, mut sarif) = (Vec::new(), Vec::new());
    for (number, arguments) in [
        vec!["models/fifo.btor2"],
        vec!["models/arbiter.aag", "-p", "b0"],
        vec!["models/programs/midpoint.c"],
        vec!["models/counter_overflow.aag", "--engine", "bmc", "--depth", "3"],
        vec!["models/none.aag"],
        vec![odd.to_str().expect("text")],
    ]
    .iter()
    .enumerate()
    {
        let reports = Reports {
            junit: folder.join(format!("{number}.xml")),
            sarif: folder.join(format!("{number}.sarif")),
        };
        reports.run(arguments);
        junit.push(reports.junit);
        sarif.push(reports.sarif);
    }
    // Damaged reports: the validators would see a mistake.
    let wrong = |path: &Path, from: &str, to: &str| {
        let text = std::fs::read_to_string(path).expect("a report");
        let wrong =
            path.with_file_name(format!("wrong-{}", path.file_name().expect("a name").display()));
        std::fs::write(&wrong, text.replace(from, to)).expect("written");
        vec![wrong]
    };
    if let (Some(validate), Some(schema)) =
        (tool("python/bin/xmlschema-validate"), tool("junit-10.xsd"))
    {
        let check = |paths: &[PathBuf]| {
            is_accepted(Command::new(&validate).arg("--schema").arg(&schema).args(paths))
        };
        let (is_accepted, text) = check(&junit);
        assert!(is_accepted, "{text}");
        assert!(!check(&wrong(&junit[0], "testcase name", "testcase title")).0);
    }
    if let Some(multitool) =
        tool("npm/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool")
    {
        let check = |paths: &[PathBuf]| {
            let mut command = Command::new(&multitool);
            command.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
            is_accepted(command.args(["validate", "--rule-kind", "Sarif;Ghas"]).args(paths))
        };
        let (is_accepted, text) = check(&sarif);
        assert!(is_accepted && text.contains("6 files scanned"), "{text}");
        assert!(!check(&wrong(&sarif[0], "\"driver\"", "\"drivers\"")).0);
    }
}
