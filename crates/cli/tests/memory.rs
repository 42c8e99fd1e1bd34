//! Without memory every command ends with an exit code that is documented, and never by a signal,
//! a panic or an abort.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PEDRA: &str = env!("CARGO_BIN_EXE_pedra");

/// A model whose unrolling grows fast, by products of words at each step, and whose violations
/// lie far away.
const MODEL: &str = "1 sort bitvec 24
2 sort bitvec 1
3 input 1 in
4 state 1 s
5 one 1
6 init 1 4 5
7 add 1 4 3
8 mul 1 4 7
9 mul 1 8 7
10 next 1 4 9
11 constd 1 4711
12 constd 1 11
13 srl 1 9 12
14 xor 1 9 13
15 eq 2 14 11
16 state 1 count
17 zero 1
18 init 1 16 17
19 slice 2 3 5 5
20 uext 1 19 23
21 add 1 16 20
22 next 1 16 21
23 constd 1 8000000
24 eq 2 16 23
25 and 2 15 24
26 bad 25
";

fn model() -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_memory.btor2");
    std::fs::write(&path, MODEL).expect("a temporary file");
    path
}

/// Runs the program with an address space of this many kilobytes.
fn run(kilobytes: u32, args: &[&str]) -> Output {
    let script = format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(PEDRA).args(args);
    command.output().expect("a shell")
}

/// Sizes at which the program can be loaded at all, and do something or not.
fn sizes() -> Vec<u32> {
    let all = [14_000, 18_000, 22_000, 26_000, 30_000, 40_000, 60_000, 120_000];
    let sizes: Vec<u32> =
        all.into_iter().filter(|&size| run(size, &["--version"]).status.success()).collect();
    assert!(sizes.len() >= 3, "the program is larger than it was");
    sizes
}

fn judge(output: &Output, codes: &[i32], note: &str) {
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let code = output.status.code();
    let is_documented = code.is_some_and(|code| codes.contains(&code));
    assert!(is_documented, "{note}: {:?}\n{stdout}\n{stderr}", output.status);
    assert!(!stderr.contains("panicked"), "{note}: {stderr}");
    if code == Some(3) {
        let says_why = stdout.contains("unknown") || stderr.contains("out of memory");
        assert!(says_why, "{note}: no reason\n{stdout}\n{stderr}");
    }
}

#[test]
fn engines_without_memory_answer_unknown() {
    let path = model();
    let path = path.to_str().expect("a path in UTF-8");
    let mut stopped = 0;
    for size in sizes() {
        for engine in ["bmc", "kind", "pdr", "imc"] {
            let args = ["check", "--engine", engine, "--timeout", "3s", path];
            let output = run(size, &args);
            judge(&output, &[0, 1, 3], &format!("{engine}, {size} kB"));
            let stdout = String::from_utf8_lossy(&output.stdout);
            stopped += stdout.contains("memory limit reached") as u32;
        }
    }
    assert!(stopped > 0, "the limits were never reached");
}

#[test]
fn other_commands_without_memory_end_as_documented() {
    let path = model();
    let path = path.to_str().expect("a path in UTF-8");
    for size in sizes() {
        judge(&run(size, &["info", path]), &[0, 2, 3], &format!("info, {size} kB"));
        let convert = ["convert", path, &format!("{path}.aag")];
        judge(&run(size, &convert), &[0, 2, 3], &format!("convert, {size} kB"));
        let witness = format!("{path}.witness");
        let hwmcc = ["hwmcc", "--timeout", "1s", path, &witness];
        judge(&run(size, &hwmcc), &[10, 20, 30], &format!("hwmcc, {size} kB"));
        let threads = ["check", "--threads", "4", "--timeout", "1s", path];
        judge(&run(size, &threads), &[0, 1, 3], &format!("four threads, {size} kB"));
    }
}
