//! Horn clauses of random programs. Where a `z3` is on the path, it decides some of them as the
//! explicit search does; `PEDRA_FUZZ_RUNS` sets how many.

use pedra_formats::smtlib::write_program_chc;
use pedra_program::inline::inline;
use pedra_testkit::programs::{ProgramShape, explore_program, random_program};
use pedra_testkit::random::{Random, runs};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// What z3 says; `None` if there is none or it does not know.
fn z3(script: &str) -> Option<bool> {
    let mut command = Command::new("z3");
    command.args(["-in", "-T:5", "fp.engine=spacer"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(script.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("error"), "{text}\n{script}");
    match text.trim() {
        "sat" => Some(true),
        "unsat" => Some(false),
        _ => None,
    }
}

#[test]
fn clauses_are_decided_as_programs_are() {
    let mut random = Random::new(21);
    let shape = ProgramShape { procedures: 2, places: 3, bits: 3, ..ProgramShape::default() };
    let (mut written, mut decided) = (0, 0);
    for _ in 0..runs(25) {
        let program = random_program(&mut random, shape);
        let program = inline(&program, 1_000).expect("no recursion").program;
        let text = write_program_chc(&program).expect("no calls are left");
        let asserts = program.procedures[0].edges.len() + program.properties.len() + 1;
        assert_eq!(text.matches("(assert ").count(), asserts);
        written += 1;
        let Some(found) = explore_program(&program, 2_000) else { continue };
        if let Some(is_safe) = z3(&text) {
            assert_eq!(is_safe, found.violated.iter().all(Option::is_none), "{text}");
            decided += 1;
        }
    }
    let has_z3 = Command::new("z3").arg("--version").output().is_ok();
    assert!(!has_z3 || decided > written / 3, "{decided} of {written}");
}

#[test]
fn calls_are_refused() {
    let mut random = Random::new(22);
    let shape = ProgramShape::default();
    let programs = (0..50).map(|_| random_program(&mut random, shape));
    let refused = programs.filter(|program| write_program_chc(program).is_err()).count();
    assert!(refused > 5, "{refused}");
}
