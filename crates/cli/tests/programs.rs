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
        // Products of 64 bits are out of reach of circuits.
        let has_products = ["squares.c", "triangle.c"].contains(&file);
        let engines: &[&str] =
            if has_products { &["auto"] } else { &["auto", "kind", "pdr", "wpdr"] };
        for engine in engines {
            let select = format!("b{property}");
            let (_, out, err) = pedra(file, &["-e", engine, "-p", &select, "--depth", "30"]);
            let verdict = out.split_whitespace().next().unwrap_or_default();
            // Only `auto` need find every proof: it has lifted PDR besides.
            let is_open = *engine != "auto" && expected == "proved" && verdict == "unknown";
            assert!(verdict == expected || is_open, "{file} by {engine}:\n{out}{err}");
        }
        count += 1;
    }
    assert!(count >= 12, "{count} properties");
}

/// A program without loops is one question. One with a loop that no run goes round has none in its
/// blocks, but a proof has to say something of it.
#[test]
fn loops_that_no_run_goes_round() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                int main(void) {\n    int x = __VERIFIER_nondet_int(), never = 0;\n    \
                while (never) x++;\n    if (x > 7 && x < 8) reach_error();\n    return 0;\n}\n";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("never.c");
    std::fs::write(&path, text).expect("written");
    let (code, out, err) = pedra(&path.display().to_string(), &["--quiet"]);
    assert_eq!(code, Some(0), "{out}{err}");
}

/// Inputs that are the same each time: two values that never meet.
#[test]
fn violations_by_steady_inputs() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                int main(void) {\n    int wanted = __VERIFIER_nondet_int();\n    \
                for (int i = 0; i < 20000; i++) {\n        \
                if (__VERIFIER_nondet_int() % 4 == wanted % 4) return 0;\n    }\n    \
                reach_error();\n    return 0;\n}\n";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("steady.c");
    std::fs::write(&path, text).expect("written");
    let (code, out, err) = pedra(&path.display().to_string(), &["--quiet"]);
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(out.contains(", runs, "), "{out}");
}

/// A long run that fills an array larger than what is expanded into bits.
#[test]
fn violations_behind_long_loops_over_arrays() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                int a[8000];\nint main(void) {\n    int least = 0;\n    \
                for (int i = 0; i < 8000; i++) a[i] = __VERIFIER_nondet_int();\n    \
                for (int i = 0; i < 8000; i++) if (a[i] < least) least = a[i];\n    \
                for (int i = 0; i < 8000; i++) if (a[i] <= least) reach_error();\n    return 0;\n}\n";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("long.c");
    std::fs::write(&path, text).expect("written");
    let (code, out, err) = pedra(&path.display().to_string(), &["--quiet"]);
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(out.contains(", runs, "), "{out}");
}

/// What lifted PDR proves by its own means: a program counter in bits becomes locations, a
/// bound is found among integers, phases that short runs do not see, quotients, and a sum of
/// bounded numbers.
#[test]
fn control_and_bounds_are_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lifted");
    for file in ["control.smt2", "nested_bound.c", "phases.c", "later_phase.c", "halves.c"] {
        let file = folder.join(file).display().to_string();
        let (code, out, err) = pedra(&file, &["-e", "program"]);
        assert_eq!(code, Some(0), "{file}:\n{out}{err}");
    }
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
        let clauses = ["fibonacci.smt2", "mccarthy.smt2", "trees.smt2", "unbalanced.smt2"];
        let procedures = ["recursion.bpl", "ackermann.bpl"];
        let is_recursive = clauses.contains(&file) || procedures.contains(&file);
        for engine in ["auto", "bmc", "kind", "program"] {
            let select = format!("b{property}");
            // 86 blocks are needed once; far fewer are enough to prove anything here.
            let depth = match engine {
                "bmc" | "kind" if is_recursive => "4",
                "auto" => "90",
                "program" if is_recursive => "90",
                _ => "12",
            };
            let (_, out, err) = pedra(file, &["-e", engine, "-p", &select, "--depth", depth]);
            let verdict = out.split_whitespace().next().unwrap_or_default();
            // Summaries decide recursion.
            let may_be_open = engine != "auto" && !(is_recursive && engine == "program");
            let is_open = verdict == "unknown" && may_be_open;
            let names_depth = out.contains("recursion");
            assert!(!is_open || names_depth == is_recursive, "{file} by {engine}:\n{out}{err}");
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

/// Writes a program and has it checked.
fn check_text(name: &str, text: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("written");
    pedra(&path.display().to_string(), options)
}

/// A list that is filled by a loop. What happens beyond the allocations that are followed is
/// neither proved nor violated.
#[test]
fn allocations_that_run_again() {
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
        extern void *malloc(unsigned int);\n\
        struct node { int value; struct node *next; };\n\
        int main(void) {\n  struct node *list = 0;\n  int n = 0;\n  \
        while (BOUND && __VERIFIER_nondet_int()) {\n    \
        struct node *more = malloc(sizeof *more);\n    \
        more->value = n++; more->next = list; list = more;\n  }\n  \
        if (ERROR) reach_error();\n  return 0;\n}\n";
    let list = "list && list->next && list->value != list->next->value + 1";
    for (bound, error, code, words) in [
        ("n < 3", "n > 3", 0, "proved"),
        ("n < 3", list, 0, "proved"),
        ("n < 40", "n == 2 && list->next->value == 0", 1, "violated"),
        ("n < 40", "n == 40", 3, "only runs with allocations or types that are not followed at "),
    ] {
        let text = text.replace("BOUND", bound).replace("ERROR", error);
        let (found, out, err) = check_text("again.c", &text, &["--quiet"]);
        assert_eq!(found, Some(code), "{bound}, {error}:\n{out}{err}");
        assert!(out.contains(words), "{bound}, {error}:\n{out}");
    }
}

/// What the verdicts depend on is told with them.
#[test]
fn assumptions_are_told() {
    let text = "extern void reach_error(void); int sensor(int);\n\
                int main(void) {\n  int x = sensor(1);\n  if (x == 7) reach_error();\n  return 0;\n}\n";
    let (code, out, _) = check_text("sensor.c", text, &["--quiet"]);
    assert_eq!(code, Some(1));
    let first = out.lines().next().unwrap_or_default();
    assert!(first.starts_with("assumed ") && first.contains("sensor.c:3"), "{out}");
    assert!(first.ends_with("`sensor`, which has no body, returns any value and changes nothing"));
    let (_, out, _) = check_text("sensor.c", text, &["--json"]);
    let line = out.lines().nth(1).unwrap_or_default();
    assert!(line.contains("\"event\":\"assumption\"") && line.contains("\"line\":3"), "{out}");
}

/// An undefined run was found, and defined ones were looked for only so far.
#[test]
fn an_undefined_run_is_not_said_to_be_the_only_one() {
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
        int main(void) {\n  int x = __VERIFIER_nondet_int(), i = 0;\n  \
        if (x + 1 < x) reach_error();\n  \
        while (i < 9) i++;\n  if (i == 9) reach_error();\n  return 0;\n}\n";
    let one = text
        .replace("  if (i == 9) reach_error();\n", "  if (i == 9 && x + 1 < x) reach_error();\n");
    let (_, out, err) = check_text("far.c", &one, &["-e", "bmc", "--depth", "20"]);
    assert!(out.contains("unknown"), "{out}{err}");
    assert!(out.contains("; a run with signed overflow at "), "{out}{err}");
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
    let (code, out, err) = pedra("machine.bpl", &["-p", "b1", "-e", "program"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("machine.bpl:12  more:") && out.contains("mod 2"), "{out}");
}

#[test]
fn summaries_are_shown_beside_their_procedures() {
    let (code, out, err) = pedra("descent.c", &["-p", "b0"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("descent.c:5  twice(n)  ensures (\\result & 1) == 0"), "{out}");
    let (code, out, err) = pedra("ackermann.bpl", &["-p", "b0", "--json"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("\"summary\":true") && out.contains("old(n)"), "{out}");
    // A witness has loop invariants only, and cannot speak of the values before a call. It is about
    // all calls of the error function, so one that is violated must not be there.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("summaries");
    std::fs::create_dir_all(&folder).expect("a folder");
    let [program, witness] = ["brackets.c", "w.yml"].map(|name| folder.join(name));
    let brackets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/programs/brackets.c");
    let brackets = std::fs::read_to_string(brackets).expect("a program");
    std::fs::write(&program, brackets.replace("before == 2", "0")).expect("written");
    let _ = std::fs::remove_file(folder.join("w.b2.yml"));
    let name = |path: &Path| path.to_str().expect("a plain name").to_owned();
    let (code, out, err) = pedra(&name(&program), &["--witness", &name(&witness)]);
    assert_eq!(code, Some(0), "{out}{err}");
    let text = std::fs::read_to_string(folder.join("w.b2.yml")).expect("it was written");
    assert!(text.contains("loop_invariant") && !text.contains("old("), "{text}");
}

/// An array that is kept as one, beside a loop that no run reaches: the proof speaks of it, too.
#[test]
fn loops_beside_arrays_that_no_run_reaches() {
    let boogie = "var m: [int]int;\nprocedure main() modifies m; { var c: int;\n\
        m[0] := 0; m[1] := 0; if (m[m[0]] > 0) { while (c < 4) { } } assert m[1] == 0; }\n";
    let c = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
        int main(void) { int m[100000], c = 0; m[0] = 0; m[1] = 0; if (m[m[0]] > 0) {\n\
        while (c < 4) c = __VERIFIER_nondet_int(); } if (m[1]) reach_error(); return 0; }\n";
    for (name, text) in [("dead.bpl", boogie), ("dead.c", c)] {
        for engine in ["program", "auto"] {
            let (code, out, err) = check_text(name, text, &["--engine", engine]);
            assert_eq!(code, Some(0), "{name}, {engine}: {out}{err}");
        }
    }
}

/// Assertions that control cannot come to are properties like others.
#[test]
fn assertions_behind_the_end_of_control() {
    let head = "extern void reach_error(void); extern void __VERIFIER_assert(int);\n";
    for body in [
        "while (1) { } reach_error();",
        "return 0; { __VERIFIER_assert(0); }",
        "int v = 1; do { v = 2; } while (1); if (v) reach_error();",
        "goto end; reach_error(); end:",
    ] {
        let text = format!("{head}int main(void) {{ {body} return 0; }}\n");
        let (code, out, err) = check_text("behind.c", &text, &[]);
        assert_eq!(code, Some(0), "{body}: {out}{err}");
        assert_eq!(out.matches("proved").count(), 1, "{body}: {out}");
    }
    // Of a statement with a label all the others stay what they were.
    let text = format!(
        "{head}int main(void) {{ int x; goto in; {{ reach_error(); in: x = 1; reach_error(); }} }}\n"
    );
    let (code, out, err) = check_text("behind.c", &text, &[]);
    assert_eq!((code, out.matches("violated  b1").count()), (Some(1), 1), "{out}{err}");
    assert!(out.contains("proved    b0"), "{out}");
}

/// What is said of a loop or a predicate holds for it, and says of which call it speaks.
#[test]
fn invariants_are_those_of_their_call() {
    let text = "extern void reach_error(void);\nunsigned f(unsigned p) { unsigned i = 0;\n\
        while (i < 9) i += p; return i; }\nint main(void) {\n\
        if (f(1) != 9) reach_error();\nif (f(3) != 9) reach_error();\nreturn 0; }\n";
    let (_, out, _) = check_text("twice.c", text, &["--engine", "program"]);
    let about = |line: usize, what: &str| {
        let is_it = |text: &&str| text.contains(&format!("twice.c:{line}  i <= 9 && p == {what}"));
        out.lines().filter(|text| text.contains("called at")).any(|text| is_it(&text))
    };
    assert!(about(5, "1") && about(6, "3"), "{out}");
    // One line for each predicate, also where clauses have several in their bodies.
    let (_, out, _) = pedra("mccarthy.smt2", &["--engine", "program"]);
    let lines: Vec<&str> = out.lines().filter(|line| line.contains("(M x0 x1)")).collect();
    assert!(lines.len() == 1 && lines[0].contains("(> x1 90)"), "{out}");
    // Two names for the value before the call.
    let text = "var g: int;\nprocedure f(n: int); modifies g; ensures g == old(g) + n;\n\
        implementation f(n: int) { if (n > 0) { g := g + 1; call f(n - 1); }\n\
        else { g := g + n; } }\nprocedure q() modifies g; { g := 3; call f(4); assert g == 7; }\n";
    let (_, out, _) = check_text("old.bpl", text, &["--engine", "program", "-p", "b0"]);
    assert!(out.contains("ensures") && out.contains("old(g)") && !out.contains("more"), "{out}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let (code, out, _) = pedra("descent.c", &["-p", "b0", "--depth", "7", "-e", "kind"]);
    assert_eq!(code, Some(3));
    assert!(out.contains("no proof; recursion was followed to depth 7, kind"), "{out}");
    let (code, out, _) = pedra("fibonacci.smt2", &["--depth", "3", "-e", "bmc"]);
    assert_eq!(code, Some(3));
    assert!(out.contains("no proof; recursion was followed to depth 3, "), "{out}");
    for (options, words) in [
        (&["--trace", "x.wit"][..], "--trace: not for programs; --witness writes the run"),
        (&["--vcd", "x.vcd"], "--test a C file that runs it"),
        (&["-p", "division"], "no operation of the program needs the check `division`"),
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

/// Only the first element of storage from outside is followed, and a truth value from outside is
/// 0 or 1.
#[test]
fn values_from_outside() {
    let start = "extern void reach_error(void); extern char *name(void); extern _Bool flag(void);\n\
        int main(void) { char *p = name(); ";
    for (body, verdict) in [
        ("if (p && p[0] == 'a' && p[1] == 'b') reach_error();", "unknown"),
        ("if (p && *p == 'a') reach_error();", "violated"),
        ("if (flag() + flag() > 2) reach_error();", "proved"),
        ("if (flag() + flag() > 1) reach_error();", "violated"),
    ] {
        let text = format!("{start}{body} return 0; }}\n");
        let (_, out, err) = check_text("outside.c", &text, &["--threads", "1"]);
        assert!(out.lines().any(|line| line.starts_with(verdict)), "{body}\n{out}{err}");
    }
}

/// An engine that ends for a limit inside it is not started again for ever.
#[test]
fn a_limit_inside_an_engine_ends_the_rounds_of_recursion() {
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
        int down(int n) { if (n <= 0) return 0; return 1 + down(n - 1); }\n\
        int main(void) { int n = __VERIFIER_nondet_int();\n\
          if (n >= 0 && n < 1000 && down(n) != n) reach_error(); return 0; }\n";
    let options = ["-e", "wpdr", "-o", "wpdr.budget=0", "-o", "wpdr.handover=off", "--depth", "6"];
    let (code, out, err) = check_text("limited.c", text, &options);
    assert_eq!(code, Some(3), "{out}{err}");
    assert!(out.starts_with("unknown"), "{out}");
}

/// Runs `pedra convert` on a program; gives the text of the output.
fn converted(file: &str, ending: &str) -> Result<String, String> {
    let name = format!("{}.{ending}", file.replace('.', "_"));
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let done = Command::new(env!("CARGO_BIN_EXE_pedra"))
        .arg("convert")
        .args([Path::new(file), &output])
        .current_dir(folder())
        .output()
        .expect("pedra starts");
    match done.status.code() {
        Some(0) => Ok(std::fs::read_to_string(output).expect("it was written")),
        Some(2) => Err(String::from_utf8(done.stderr).expect("text")),
        code => panic!("{file} to {ending}: {code:?}"),
    }
}

/// The programs of the manifest, each with the verdicts of its properties.
fn programs() -> Vec<(String, Vec<String>)> {
    let manifest = std::fs::read_to_string(folder().join("manifest.tsv")).expect("the manifest");
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for row in manifest.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        if found.last().is_none_or(|(file, _)| file != columns[0]) {
            found.push((columns[0].to_owned(), Vec::new()));
        }
        found.last_mut().expect("one").1.push(columns[2].to_owned());
    }
    found
}

/// Where a `z3` is on the path, it agrees with the manifest on the clauses that are written.
#[test]
fn programs_are_converted() {
    let (mut systems, mut agreed) = (0, 0);
    for (file, verdicts) in programs() {
        let drawing = converted(&file, "dot").expect("every program has a drawing");
        assert!(drawing.starts_with("digraph program {"), "{file}");
        let clauses = converted(&file, "smt2").expect("every program has clauses");
        let is_c = file.ends_with(".c");
        let wanted = match verdicts.iter().any(|verdict| verdict == "unknown") {
            true => None,
            false => Some(verdicts.iter().all(|verdict| verdict == "proved")),
        };
        if let (true, Some(wanted), Some(found)) = (is_c, wanted, z3(&clauses)) {
            assert_eq!(wanted, found, "{file}");
            agreed += 1;
        }
        match converted(&file, "btor2") {
            // Many elements, many turns, and products: too long for engines that know no locations.
            Ok(_) if ["fill.c", "ring.c", "squares.c", "triangle.c"].contains(&&*file) => {
                systems += 1;
            }
            Ok(_) => {
                let name = format!("{}.btor2", file.replace('.', "_"));
                let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
                let (code, out, err) = pedra(&path.display().to_string(), &[]);
                let wanted = wanted.map(|all| if all { 0 } else { 1 });
                assert!(wanted.is_none() || code == wanted, "{file}: {out}{err}");
                systems += 1;
            }
            Err(why) => {
                assert!(why.contains("no integers") || why.contains("recursion"), "{why}");
            }
        }
    }
    assert!(systems >= 10, "{systems} systems");
    let has_z3 = Command::new("z3").arg("--version").output().is_ok();
    assert!(agreed >= 5 || !has_z3, "{agreed} answers of z3");
}

/// Whether clauses are satisfiable; `None` if z3 is not there or does not know.
fn z3(clauses: &str) -> Option<bool> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("z3.smt2");
    std::fs::write(&path, clauses).expect("a file");
    let output = Command::new("z3").args(["-T:5", "fp.engine=spacer"]).arg(path).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("error"), "{text}");
    match text.lines().last()?.trim() {
        "sat" => Some(true),
        "unsat" => Some(false),
        _ => None,
    }
}

#[test]
fn what_is_in_a_program_is_shown() {
    let info = |file: &str, options: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_pedra"))
            .args(["info", file])
            .args(options)
            .current_dir(folder())
            .output()
            .expect("pedra starts");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let (code, text) = info("ring.c", &[]);
    assert_eq!(code, Some(0));
    for words in ["arrays as scalars 1", "ring.c:13 while (1)", "b1 ring.c:27"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let (_, text) = info("again.c", &[]);
    assert!(text.contains("again.c:6 again:"), "a loop of jumps: {text}");
    let (_, text) = info("factorial.c", &["--json"]);
    assert!(text.contains("\"not_lowered\":\"recursion through factorial\""), "{text}");
    let (code, _) = info("../arbiter.aag", &["--function", "main"]);
    assert_eq!(code, Some(2));
}
