//! `pedra check --record`: whole JSON lines that tell one story, whatever ends the run.

use serde_json::Value;
use std::collections::BTreeMap;
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

/// The lines of one direction with this event.
fn told<'l>(lines: &'l [Value], event: &str, direction: &Value) -> Vec<&'l Value> {
    lines.iter().filter(|l| l["event"] == event && l["direction"] == *direction).collect()
}

fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().expect("a list").iter().map(|n| n.as_i64().expect("a number")).collect()
}

/// What the record of a run in two directions tells must fit together. Counts exchanges.
fn check_exchanges(lines: &[Value], seen: &mut BTreeMap<&'static str, u64>, note: &str) {
    let other = |direction: &Value| match direction.as_str() {
        Some("forward") => Value::from("backward"),
        Some("backward") => Value::from("forward"),
        _ => panic!("{note}: {direction}"),
    };
    let mut slice = 0;
    let mut count = |what: &'static str, number: &Value| {
        *seen.entry(what).or_default() += number.as_u64().expect("a count");
    };
    for (place, line) in lines.iter().enumerate() {
        let before = &lines[..place];
        match line["event"].as_str().expect("a name") {
            "slice" => {
                assert!(line["work"].is_u64(), "{note}: {line}");
                count("voided", &line["voided"]);
                count("slices", &1.into());
                slice = place;
            }
            "obligations_shared" => {
                // The deepest was raised, and there are no more than were.
                let raised = told(before, "raised", &line["from"]);
                let number = line["count"].as_u64().expect("a count") as usize;
                assert!(number <= raised.len(), "{note}: {line}");
                assert!(
                    number == 0 || raised.iter().any(|l| l["depth"] == line["deepest"]),
                    "{note}: {line}"
                );
                count("obligations", &line["count"]);
            }
            "lemmas_shared" => {
                // Those taken in were told as learned by the other side since the turn ended.
                let learned = told(&lines[slice..place], "learned", &other(&line["from"]));
                assert_eq!(line["imported"], learned.len(), "{note}: {line}");
                assert!(line["imported"].as_u64() <= line["offered"].as_u64(), "{note}: {line}");
                count("imported", &line["imported"]);
            }
            "extended" => {
                let frames = told(&lines[slice..place], "frame", &line["direction"]);
                assert!(!frames.is_empty(), "{note}: {line}");
                count("extended", &1.into());
            }
            "met" => {
                // Both are known, and no literal of one is opposed in the other.
                let cube = |direction: &str, number: &Value| {
                    let raised = told(before, "raised", &direction.into());
                    let one = raised.into_iter().find(|l| l["obligation"] == *number);
                    numbers(&one.unwrap_or_else(|| panic!("{note}: {line}"))["clause"])
                };
                let forward = cube("forward", &line["forward"]);
                let reverse = cube("backward", &line["reverse"]);
                assert!(!forward.iter().any(|lit| reverse.contains(&-lit)), "{note}: {line}");
                assert_eq!(lines[place + 1]["event"], "settled", "{note}: {line}");
                assert_eq!(lines[place + 1]["verdict"], "violated", "{note}: {line}");
                count("met", &1.into());
            }
            _ => {}
        }
    }
    for direction in ["forward", "backward"] {
        // Obligations are chains: one step more than the next, numbers in order.
        let raised = told(lines, "raised", &direction.into());
        for (number, line) in raised.iter().enumerate() {
            assert_eq!(line["obligation"], number, "{note}: {line}");
            let depth = line["depth"].as_u64().expect("a depth");
            let next = line["successor"].as_u64().map(|next| &raised[next as usize]["depth"]);
            let last = (direction == "backward") as u64;
            let expected = next.map_or(last, |next| next.as_u64().expect("a depth") + 1);
            assert_eq!(depth, expected, "{note}: {line}");
        }
    }
}

#[test]
fn a_record_tells_of_both_directions_and_every_exchange() {
    let mut seen = BTreeMap::new();
    let record = file("fb.jsonl");
    let models = ["fifo.btor2", "fifo_bug.btor2", "lock.btor2", "battery.btor2", "arbiter.aag"];
    let choices = ["fbpdr.lemmas=checked", "fbpdr.lemmas=theorem", "fbpdr.exchange=off"];
    for name in models {
        for choice in choices {
            for slice in ["fbpdr.slice=1", "fbpdr.slice=1000", "fbpdr.slice=20000"] {
                let args = ["--engine", "fbpdr", "--reduce", "none", "-o", choice, "-o", slice];
                let output = check(&model(name), &record, &args);
                assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
                let (lines, note) = (lines(&record), format!("{name} {choice} {slice}"));
                let mut here = BTreeMap::new();
                check_exchanges(&lines, &mut here, &note);
                let exchanges = ["obligations", "imported", "extended", "voided", "met"];
                let is_off = !exchanges.iter().any(|what| here.get(what) > Some(&0));
                assert!(choice != "exchange=off" || is_off, "{note}: {here:?}");
                here.into_iter().for_each(|(what, n)| *seen.entry(what).or_default() += n);
            }
        }
    }
    for what in ["slices", "obligations", "imported", "extended", "voided", "met"] {
        assert!(seen.get(what) > Some(&0), "no {what}: {seen:?}");
    }
}

#[test]
fn a_record_of_reverse_pdr_is_about_reachable_states() {
    let record = file("reverse.jsonl");
    let output = check(&model("lock.btor2"), &record, &["--engine", "rpdr"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines = lines(&record);
    check_exchanges(&lines, &mut BTreeMap::new(), "rpdr");
    let details = ["frame", "learned", "raised", "pushed", "retired", "blocked"];
    let of = |event: &str| lines.iter().filter(|l| l["event"] == event).collect::<Vec<_>>();
    for event in details {
        assert!(of(event).iter().all(|l| l["direction"] == "backward"), "{event}");
    }
    // The lock opens after ten steps, so a chain of as many states was walked.
    assert!(of("raised").iter().any(|l| l["depth"] == 10), "no state at step 10");
}

#[test]
fn a_limit_leaves_whole_lines() {
    let record = file("limit.jsonl");
    // Single states take forever here.
    let args = ["--engine", "pdr", "-o", "pdr.variant=simple", "--timeout", "300ms"];
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
fn pictures_overwrite_neither_model_nor_record() {
    let (page, step) = (file("pictures.html"), file("pictures-001.svg"));
    let prefix = page.with_extension("");
    let prefix = prefix.to_str().expect("text");
    let plots = ["--engine", "wpdr", "--plot", "x,y", "--plots", prefix];
    let lin = model("word/lin_8.btor2");
    let refused = |model: &Path, record: &Path, message: &str| {
        let output = check(model, record, &plots);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(output.stdout.is_empty() && text.contains(message), "{text}");
    };
    refused(&lin, &page, "named for two files");
    refused(&lin, &step, "named for two files");
    for copy in [&page, &step] {
        std::fs::copy(&lin, copy).expect("copied");
        refused(copy, &file("other.jsonl"), "this is the model itself");
        assert_eq!(std::fs::read(copy).ok(), std::fs::read(&lin).ok());
    }
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
