//! `pedra check --record`: whole JSON lines that tell one story, whatever ends the run.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path
}

fn check(model: &Path, record: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pedra"));
    command.arg("check").arg(model).arg("--record").arg(record).args(more);
    command.output().expect("pedra starts")
}

/// The lines of a record, each of which has the fields that all have.
fn lines(record: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(record).expect("a record");
    assert!(text.ends_with('\n'), "the last line is whole");
    let lines: Vec<Value> =
        text.lines().map(|l| serde_json::from_str(l).expect("a JSON line")).collect();
    assert_eq!((&lines[0]["event"], &lines[0]["schema"]), (&"record".into(), &1.into()));
    let mut before = 0.0;
    for line in &lines[1..] {
        let seconds = line["seconds"].as_f64().expect("a time");
        assert!(line["event"].is_string() && seconds >= before, "{line}");
        before = seconds;
    }
    lines
}

#[test]
fn a_record_tells_of_every_lemma() {
    let record = file("fifo.jsonl");
    let output = check(&model("fifo.btor2"), &record, &["--engine", "pdr"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines = lines(&record);
    let of = |event: &str| lines.iter().filter(|l| l["event"] == event).collect::<Vec<_>>();
    let system = of("system")[0];
    let latches = system["latches"].as_array().expect("latches");
    assert!(latches.iter().all(|l| l[0].is_u64() && l[1].is_string()), "{system}");
    let vars: Vec<u64> = latches.iter().filter_map(|l| l[0].as_u64()).collect();
    for line in of("learned").into_iter().chain(of("raised")) {
        let clause = line["clause"].as_array().expect("a clause");
        let var = |lit: &Value| lit.as_i64().expect("a literal").unsigned_abs();
        assert!(!clause.is_empty() && clause.iter().all(|l| vars.contains(&var(l))), "{line}");
        assert_eq!((&line["engine"], &line["direction"]), (&"pdr".into(), &"forward".into()));
    }
    for event in ["started", "depth", "frame", "learned", "raised", "blocked", "settled"] {
        assert!(!of(event).is_empty(), "no {event}");
    }
    assert_eq!(of("settled").len(), lines[0]["properties"].as_array().expect("a list").len());
    assert_eq!(of("finished").len(), 1);
    assert_eq!(lines.last().expect("not empty")["event"], "end");
}

#[test]
fn a_limit_leaves_whole_lines() {
    let record = file("limit.jsonl");
    // Single states take forever here.
    let args = ["--engine", "pdr", "--variant", "simple", "--timeout", "300ms"];
    let output = check(&model("fifo_data.btor2"), &record, &args);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let lines = lines(&record);
    assert_eq!(lines.last().expect("not empty")["event"], "end");
}

#[test]
fn files_that_cannot_be_are_refused() {
    let copy = file("model.btor2");
    std::fs::copy(model("fifo.btor2"), &copy).expect("copied");
    let refused = |record: &Path, more: &[&str], message: &str| {
        let output = check(&copy, record, more);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(output.stdout.is_empty() && text.contains(message), "{text}");
    };
    refused(&copy, &[], "this is the model itself");
    refused(Path::new("no/such/folder"), &[], "there is no such folder");
    let twice = file("twice");
    refused(&twice, &["--vcd", twice.to_str().expect("text")], "named for two files");
    assert_eq!(std::fs::read(&copy).ok(), std::fs::read(model("fifo.btor2")).ok());
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_costs_the_record_and_no_verdict() {
    let args = ["--engine", "pdr", "--property", "overflow"];
    let output = check(&model("fifo.btor2"), Path::new("/dev/full"), &args);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("proved"), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("/dev/full: cannot be written"), "{text}");
}
