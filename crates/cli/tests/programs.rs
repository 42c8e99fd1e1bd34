//! `pedra check` on the programs of `models/programs`, and on what it refuses.

use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/programs")
}

/// Exit code, standard output and standard error.
fn pedra(file: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pedra"))
        .arg("check")
        .arg(file)
        .args(options)
        .current_dir(folder())
        .output()
        .expect("pedra starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn verdicts_are_those_of_the_manifest() {
    let manifest = std::fs::read_to_string(folder().join("manifest.tsv")).expect("the manifest");
    let rows = manifest.lines().skip(1).filter(|line| {
        let file = line.split('\t').next().unwrap_or_default();
        Path::new(file).extension().is_some_and(|ending| ending == "c")
    });
    let mut count = 0;
    for row in rows {
        let [file, property, expected, _] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {row}")
        };
        for engine in ["auto", "kind", "pdr", "wpdr"] {
            let select = format!("b{property}");
            let (_, out, err) = pedra(file, &["-e", engine, "-p", &select, "--depth", "30"]);
            let verdict = out.split_whitespace().next().unwrap_or_default();
            // k-induction need not find a proof.
            let is_open = engine == "kind" && verdict == "unknown";
            assert!(verdict == expected || is_open, "{file} by {engine}:\n{out}{err}");
        }
        count += 1;
    }
    assert!(count >= 6, "{count} programs");
}

/// Boogie and Horn clauses, with integers and with bit-vectors.
#[test]
fn integers_are_decided() {
    let manifest = std::fs::read_to_string(folder().join("manifest.tsv")).expect("the manifest");
    let mut count = 0;
    for row in manifest.lines().skip(1) {
        let [file, property, expected, _] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {row}")
        };
        let ending = Path::new(file).extension().and_then(|ending| ending.to_str());
        if !matches!(ending, Some("bpl" | "smt2")) {
            continue;
        }
        let is_recursive = ["recursion.bpl", "fibonacci.smt2", "mccarthy.smt2"].contains(&file);
        for engine in ["auto", "bmc", "kind", "program"] {
            let select = format!("b{property}");
            // 86 blocks are needed once; far fewer are enough to prove anything here.
            let depth = if engine == "auto" { "90" } else { "12" };
            let (_, out, err) = pedra(file, &["-e", engine, "-p", &select, "--depth", depth]);
            let verdict = out.split_whitespace().next().unwrap_or_default();
            if is_recursive {
                assert!(out.contains("recursion through"), "{file} by {engine}:\n{out}{err}");
                continue;
            }
            let is_open = verdict == "unknown" && (engine != "auto" || file == "swap.bpl");
            assert!(verdict == expected || is_open, "{file} by {engine}:\n{out}{err}");
        }
        count += 1;
    }
    assert!(count >= 50, "{count} properties");
}

#[test]
fn undefined_runs_are_no_violations() {
    let (code, out, _) = pedra("successor.c", &[]);
    assert_eq!(code, Some(3));
    assert!(out.contains("only runs with undefined behaviour reach it: signed overflow"), "{out}");
    let (code, out, _) = pedra("successor.c", &["-p", "overflow"]);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("violated") && out.contains("no signed overflow"), "{out}");
    assert_eq!(out.lines().count(), 1, "the two ways of a branch are one operation: {out}");
}

#[test]
fn a_violation_is_shown_in_the_source() {
    let (code, out, err) = pedra("midpoint.c", &["--wave", "always"]);
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(out.contains("midpoint.c:11"), "{out}");
    assert!(err.contains("midpoint.c:6") && err.contains("low = "), "{err}");
    let (code, out, err) = pedra("count_up_down.bpl", &["-p", "b1", "--wave", "always"]);
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(out.contains("count_up_down.bpl:") && err.contains(":= "), "{out}{err}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let (code, out, _) = pedra("factorial.c", &[]);
    assert_eq!(code, Some(3));
    assert!(out.contains("recursion through factorial"), "{out}");
    for (options, words) in [
        (&["--trace", "x.wit"][..], "--trace: not for programs yet"),
        (&["-p", "77"], "there is no assertion `77`"),
        (&["--function", "start"], "start"),
    ] {
        let (code, out, err) = pedra("counter.c", options);
        assert_eq!(code, Some(2), "{out}{err}");
        assert!(err.contains(words), "{err}");
    }
    for (file, options, words) in [
        ("lock.bpl", ["--data-model", "lp64"], "--data-model: only for C"),
        ("lock.bpl", ["--function", "none"], "no procedure `none` has an implementation"),
        ("counter.smt2", ["--function", "main"], "--function: not for Horn clauses"),
    ] {
        let (code, out, err) = pedra(file, &options);
        assert_eq!(code, Some(2), "{out}{err}");
        assert!(err.contains(words), "{err}");
    }
    let (code, _, err) = pedra("../counter_bound.btor2", &["--data-model", "lp64"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("--data-model: only for programs"), "{err}");
}
