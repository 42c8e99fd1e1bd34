//! The programs that we ship: random runs violate what the manifest says and nothing else, and
//! where a `z3` is on the path, it decides their Horn clauses as the manifest says.

use crate::common;

use pedra_program::Program;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Name, program, and for each property whether it is violated.
fn programs() -> Vec<(String, Program, Vec<bool>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/programs");
    let manifest = std::fs::read_to_string(folder.join("manifest.tsv")).expect("the manifest");
    let mut expected: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    for line in manifest.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, property, verdict, _] = fields[..] else { panic!("four fields: {line}") };
        if !file.ends_with(".bpl") {
            continue;
        }
        let of_file = expected.entry(file).or_default();
        assert_eq!(property, of_file.len().to_string(), "properties in order: {line}");
        assert!(matches!(verdict, "violated" | "proved"), "{line}");
        of_file.push(verdict == "violated");
    }
    let ours = std::fs::read_dir(&folder).expect("the folder").flatten();
    let ours = ours.filter(|entry| entry.path().extension().is_some_and(|end| end == "bpl"));
    assert_eq!(ours.count(), expected.len(), "each program has rows");
    let read = |(file, expected): (&str, Vec<bool>)| {
        let text = std::fs::read_to_string(folder.join(file)).expect("a program");
        let program = common::program(&text);
        assert_eq!(program.properties.len(), expected.len(), "{file}");
        (file.to_owned(), program, expected)
    };
    expected.into_iter().map(read).collect()
}

#[test]
fn random_runs_agree_with_the_manifest() {
    for (file, program, expected) in programs() {
        assert_eq!(common::violated(&program, 6000, 200), expected, "{file}");
    }
}

/// Whether a property is violated; `None` if there is no z3 or it does not know.
fn z3(clauses: &str) -> Option<bool> {
    let mut command = Command::new("z3");
    command.args(["-in", "-T:5", "fp.engine=spacer"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(clauses.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    match String::from_utf8_lossy(&output.stdout).trim() {
        "sat" => Some(false),
        "unsat" => Some(true),
        _ => None,
    }
}

#[test]
fn another_solver_agrees_with_the_manifest() {
    if Command::new("z3").arg("--version").output().is_err() {
        return;
    }
    let (mut asked, mut decided) = (0, 0);
    for (file, program, expected) in programs() {
        for (property, expected) in program.properties.iter().zip(expected) {
            let single = Program { properties: vec![property.clone()], ..program.clone() };
            let clauses = pedra_horn::raise(&single);
            asked += 1;
            if let Some(is_violated) = z3(&pedra_horn::write(&clauses)) {
                assert_eq!(is_violated, expected, "{file}: {}", property.text);
                decided += 1;
            }
        }
    }
    assert!(2 * decided > asked, "{decided} of {asked}");
}
