//! Signals and limits: a run that is stopped tells what it knows, ends with exit code 3 and
//! leaves nothing behind.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A property that is true but not k-inductive: k-induction never ends on it.
const ENDLESS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/fifo_data.btor2");

fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_pedra"))
        .args(["check", "--json", "--engine", "kind", "--property", "b0", ENDLESS])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Sends a signal once the run has begun; gives the exit code and all lines.
fn stop_with(signal: &str, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let mut child = start(arguments);
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    output.read_line(&mut first).expect("the line that the run begins");
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("text");
    let code = child.wait().expect("it ends").code();
    (code, std::iter::once(first.as_str()).chain(rest.lines()).map(str::to_owned).collect())
}

fn check_partial(code: Option<i32>, lines: &[String], reason: &str) {
    assert_eq!(code, Some(3), "{lines:?}");
    let [start, property, end] = lines else { panic!("three lines: {lines:?}") };
    assert!(start.contains("\"event\":\"start\""), "{start}");
    assert!(
        property.contains("\"verdict\":\"unknown\"") && property.contains(reason),
        "{property}"
    );
    assert!(end.contains("\"event\":\"end\"") && end.contains("\"exit\":3"), "{end}");
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pedra-signals-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).expect("there").next().is_none()
}

#[test]
fn signals_give_a_partial_answer() {
    for signal in ["-TERM", "-INT", "-HUP", "-XCPU"] {
        // Under `nohup`, pedra goes on, as it should.
        if signal == "-HUP" && hangups_are_ignored() {
            continue;
        }
        let folder = folder(signal);
        let (trace, vcd) = (folder.join("t.wit"), folder.join("t.vcd"));
        let files =
            ["--trace", trace.to_str().expect("text"), "--vcd", vcd.to_str().expect("text")];
        let (code, lines) = stop_with(signal, &files);
        let reason = if signal == "-XCPU" { "CPU time limit reached" } else { "interrupted" };
        check_partial(code, &lines, reason);
        assert!(is_empty(&folder), "{signal}: files are left behind");
        std::fs::remove_dir(&folder).expect("empty");
    }
}

/// Whether we, and with us our children, were started with SIGHUP ignored.
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|m| m & 1 == 1)
}

#[test]
fn limits_give_a_partial_answer() {
    for (limit, reason) in
        [(["--timeout", "300ms"], "time limit reached"), (["--memory", "1M"], "memory limit")]
    {
        let output = start(&limit).wait_with_output().expect("it ends");
        let text = String::from_utf8(output.stdout).expect("text");
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        check_partial(output.status.code(), &lines, reason);
    }
}
