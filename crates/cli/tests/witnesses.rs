//! Witnesses of C programs that claim more than they show, and specifications that are not the
//! ones that are understood.

use std::path::{Path, PathBuf};
use std::process::Command;

const CALLS: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )";
const OVERFLOW: &str = "CHECK( init(main()), LTL(G ! overflow) )";

/// A new folder with a program.
fn with_program(name: &str, code: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("witnesses-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    std::fs::write(path.join("p.c"), code).expect("written");
    path
}

/// Exit code and all that is printed.
fn pedra(at: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pedra"))
        .args(words)
        .current_dir(at)
        .output()
        .expect("pedra starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

fn certify(at: &Path, witness: &str) -> (Option<i32>, String) {
    std::fs::write(at.join("w.yml"), witness).expect("written");
    pedra(at, &["certify", "p.c", "w.yml"])
}

fn entry(kind: &str, specification: &str, model: &str, content: &str) -> String {
    format!(
        "- entry_type: {kind}\n  metadata:\n    format_version: '2.0'\n    task:\n      \
         input_files: ['p.c']\n      specification: {specification}\n{model}  content:\n{content}"
    )
}

const ILP32: &str = "      data_model: ILP32\n";

fn invariant(kind: &str, (line, column): (usize, usize), value: &str) -> String {
    format!(
        "  - invariant:\n      type: {kind}\n      location: {{file_name: p.c, line: {line}, \
         column: {column}}}\n      value: \"{value}\"\n      format: c_expression\n"
    )
}

fn waypoint(kind: &str, action: &str, (line, column): (usize, usize), value: &str) -> String {
    let constraint = match value {
        "" => String::new(),
        value => format!(", constraint: {{value: '{value}'}}"),
    };
    format!(
        "    - waypoint: {{type: {kind}, action: {action}, location: {{file_name: p.c, \
         line: {line}, column: {column}}}{constraint}}}\n"
    )
}

fn sequence(segments: &[String]) -> String {
    let content: String = segments.iter().map(|one| format!("  - segment:\n{one}")).collect();
    entry("violation_sequence", CALLS, ILP32, &content)
}

/// The loop ends, and nothing is called.
const COUNT: &str = "\
extern void reach_error(void);
int stop(void) { return 1; }
int (*way)(void) = stop;
int (*ways[1])(void) = {stop};
struct { int (*f)(void); } s = {stop};
int a[4];
int main(void) {
    int x = 0;
    while (x < 10) {
        x = x + 1;
    }
    if (x != 10) { reach_error(); }
    return way() + ways[0]() + s.f();
}
";

#[test]
fn specifications_are_read_as_a_whole() {
    let at = with_program("specifications", COUNT);
    for (text, is_known) in [
        (CALLS, true),
        (OVERFLOW, true),
        ("CHECK(init(main()),LTL(G!call(reach_error())))", true),
        ("CHECK( init(main()), LTL(G ! call(stop())) )", false),
        ("CHECK( init(main()), LTL(G ! call(reach_error() || stop())) )", false),
        ("CHECK( init(main()), LTL(! G ! call(reach_error())) )", false),
        (
            "CHECK( init(main()), LTL(G ! call(reach_error())) )\nCHECK( init(main()), LTL(F end) )\n",
            false,
        ),
        ("COVER( init(main()), FQL(COVER EDGES(@CALL(G!call(x)))) )", false),
        ("CHECK( init(main()), LTL(G valid-free) )", false),
    ] {
        std::fs::write(at.join("a.prp"), text).expect("written");
        let (code, out) = pedra(&at, &["svcomp", "p.c", "--property", "a.prp"]);
        assert_eq!(code, Some(if is_known { 0 } else { 2 }), "{text}: {out}");
        assert!(out.contains(if is_known { "TRUE" } else { "not supported" }), "{text}: {out}");
        let content = invariant("loop_invariant", (9, 5), "x >= 0 && x <= 10");
        let quoted = format!("'{}'", text.replace('\n', " "));
        let (code, out) = certify(&at, &entry("invariant_set", &quoted, ILP32, &content));
        assert_eq!(code, Some(if is_known { 0 } else { 3 }), "{text}: {out}");
        assert!(is_known || out.contains("not supported"), "{text}: {out}");
    }
    // Runs of a task start at `main`.
    std::fs::write(at.join("a.prp"), CALLS.replace("main", "stop")).expect("written");
    let (code, out) = pedra(&at, &["svcomp", "p.c", "--property", "a.prp"]);
    assert_eq!(code, Some(2), "{out}");
    assert!(out.contains("runs from `stop` are not supported"), "{out}");
    // What was judged is told.
    let content = invariant("loop_invariant", (9, 5), "x <= 10");
    let (_, out) =
        certify(&at, &entry("invariant_set", CALLS, "      data_model: LP64\n", &content));
    assert!(out.starts_with("accepted") && out.contains(&format!("{CALLS}, LP64")), "{out}");
}

/// A location is in a file of the program, and in the function that it names.
#[test]
fn places_are_where_they_are_said_to_be() {
    let at = with_program("places", COUNT);
    let content = invariant("loop_invariant", (9, 5), "x <= 10");
    for (change, code, text) in [
        ("p.c", 0, "accepted"),
        ("dir/p.c", 0, "accepted"),
        ("q.c", 3, "`q.c` is no file of the program"),
        ("p.c, function: main", 0, "accepted"),
        ("p.c, function: stop", 3, "this place is in `main`, not in `stop`"),
    ] {
        let content = content.replace("file_name: p.c", &format!("file_name: {change}"));
        let (found, out) = certify(&at, &entry("invariant_set", CALLS, ILP32, &content));
        assert_eq!(found, Some(code), "{change}: {out}");
        assert!(out.contains(text), "{change}: {out}");
    }
}

/// What is not supported is shown with its line of the program, each on a line.
#[test]
fn reasons_have_several_lines() {
    let at = with_program("reasons", "int main(void) {\n    asm(\"nop\");\n}\n");
    std::fs::write(at.join("a.prp"), CALLS).expect("written");
    let (code, out) = pedra(&at, &["svcomp", "p.c", "--property", "a.prp"]);
    assert_eq!(code, Some(3), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines.iter().any(|line| line.ends_with("inline assembly is not supported")), "{out}");
    assert!(lines.iter().any(|line| line.ends_with("asm(\"nop\");")), "{out}");
}

#[test]
fn only_calls_of_the_function_count() {
    let head = "extern void __assert_fail(const char *, const char *, unsigned, const char *);\n\
                extern void abort(void);\n";
    for (code, answer, exit) in [
        (
            "void reach_error(void) { __assert_fail(\"0\", \"p.c\", 1, \"f\"); }\n\
          int main(void) { reach_error(); return 0; }\n",
            "FALSE(unreach-call)",
            1,
        ),
        (
            "extern void reach_error(void);\nvoid check(int c) { if (!c) { ERROR: { reach_error(); \
          abort(); } } }\nint main(void) { check(0); return 0; }\n",
            "FALSE(unreach-call)",
            1,
        ),
        (
            "extern void reach_error(void);\nint main(void) { if (0) reach_error(); \
          __assert_fail(\"0\", \"p.c\", 1, \"f\"); return 0; }\n",
            "TRUE",
            0,
        ),
        // It may return, or call the other one.
        (
            "extern void reach_error(void);\nvoid __VERIFIER_error(void) { reach_error(); }\n\
          int main(void) { __VERIFIER_error(); return 0; }\n",
            "UNKNOWN",
            3,
        ),
        (
            "extern void reach_error(void);\nvoid __VERIFIER_error(void) { }\n\
          int main(void) { if (0) __VERIFIER_error(); return 0; }\n",
            "TRUE",
            0,
        ),
    ] {
        let at = with_program("functions", &format!("{head}{code}"));
        let (found, out) = pedra(&at, &["svcomp", "p.c", "--property", "unreach-call"]);
        assert_eq!(found, Some(exit), "{code}: {out}");
        assert!(out.contains(answer), "{code}: {out}");
    }
    // By its name it is about the error function of older tasks, too.
    let old =
        "extern void __VERIFIER_error(void);\nint main(void) { __VERIFIER_error(); return 0; }\n";
    let at = with_program("old", old);
    std::fs::write(at.join("u.prp"), CALLS).expect("written");
    for (property, exit) in [("unreach-call", 1), ("u.prp", 3)] {
        let (found, out) = pedra(&at, &["svcomp", "p.c", "--property", property]);
        assert_eq!(found, Some(exit), "{property}: {out}");
    }
    // A witness says which function is called.
    let at = with_program(
        "assert-fail",
        &format!("{head}int main(void) {{ __assert_fail(\"0\", \"p.c\", 1, \"f\"); return 0; }}\n"),
    );
    let (code, out) = pedra(&at, &["check", "p.c", "--witness", "w.yml"]);
    assert_eq!(code, Some(1), "{out}");
    let (code, out) = pedra(&at, &["certify", "p.c", "w.yml"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("LTL(G ! call(__assert_fail())) )"), "{out}");
}

/// An error function that returns does not hide what comes after its call.
#[test]
fn overflows_behind_a_call_of_an_error_function() {
    let code = "void reach_error(void) { }\nextern int __VERIFIER_nondet_int(void);\n\
        int main(void) { int x = __VERIFIER_nondet_int(); CALL x = x + 1; return 0; }\n";
    for (call, expected) in [
        ("reach_error();", "FALSE(no-overflow)"),
        ("", "FALSE(no-overflow)"),
        ("if (x > 9) { reach_error(); x = 0; }", "TRUE"),
    ] {
        let at = with_program("behind", &code.replace("CALL", call));
        let (_, out) = pedra(&at, &["svcomp", "p.c", "--property", "no-overflow"]);
        assert!(out.contains(expected), "{call}: {out}");
        // The witnesses of `check` are about the same runs.
        let (code, out) = pedra(&at, &["check", "p.c", "-p", "overflow", "--witness", "w.yml"]);
        assert_eq!(code, Some(i32::from(expected != "TRUE")), "{call}: {out}");
        let (code, out) = pedra(&at, &["certify", "p.c", "w.yml"]);
        assert_eq!(code, Some(0), "{call}: {out}");
    }
    // A second call is no violation of its own where assertions are asked for, too.
    let code = "void reach_error(void) { }\nint main(void) { int x = 2147483647;\n\
        reach_error();\nreach_error();\nreturn x + 1; }\n";
    let at = with_program("both", code);
    let (_, out) = pedra(&at, &["check", "p.c", "-p", "all", "--quiet"]);
    for line in ["violated  b0 p.c:3", "proved    b1 p.c:4", "violated  b2 p.c:5"] {
        assert!(out.contains(line), "{line}: {out}");
    }
}

#[test]
fn expressions_that_do_something_are_refused() {
    let at = with_program("effects", COUNT);
    for (value, why) in [
        ("(*way)() || 1", "has a call"),
        ("way() || 1", "has a call"),
        ("(way)() || 1", "has a call"),
        ("ways[0]() || 1", "has a call"),
        ("(s.f)() || 1", "has a call"),
        ("(stop)() || 1", "has a call"),
        ("sizeof(int[stop()]) || 1", "has a call"),
        ("(x = 1) || 1", "has a side effect"),
        ("x++ >= 0", "has a side effect"),
        ("({ x; }) || 1", "has a statement"),
        ("1) & __pedra_one), (1", "bracket"),
        ("__pedra_one", "name of a mark"),
    ] {
        let content = invariant("loop_invariant", (9, 5), value);
        let (code, out) = certify(&at, &entry("invariant_set", CALLS, ILP32, &content));
        assert_eq!(code, Some(3), "{value}: {out}");
        assert!(out.contains(why), "{value}: {out}");
    }
}

#[test]
fn marks_stand_before_statements_only() {
    let code = "\
extern void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int stop(void) { abort(); return 1; }
int main(void) {
    int c = 1, x = __VERIFIER_nondet_int(), y = 0;
    c ? x : stop();
    switch (x) {
    case 1: y = 1; break;
    again: more: default: y = 2; break;
    }
    if (y == 0) reach_error();
    return 0;
}
";
    let at = with_program("places", code);
    for (place, value, exit) in [
        // The third operand of `?:`.
        ((7, 13), "0", 3),
        // Behind the brace of a `switch` is dead code.
        ((8, 16), "0", 3),
        ((9, 13), "y == 0", 0),
        ((9, 13), "y == 1", 1),
        ((10, 27), "y == 0", 0),
        ((12, 5), "y > 0", 0),
        ((12, 17), "0", 0),
    ] {
        let content = invariant("location_invariant", place, value);
        let (found, out) = certify(&at, &entry("invariant_set", CALLS, ILP32, &content));
        assert_eq!(found, Some(exit), "{place:?} {value}: {out}");
    }
}

#[test]
fn undefined_invariants_are_not_accepted() {
    let at = with_program("undefined", COUNT);
    for (value, exit) in [
        ("1 / (x - x) != 5", 3),
        ("x <= 10 && (a[x] == 0 || 1)", 3),
        ("x + 2147483647 != 5 || 1", 3),
        ("x <= 10 && x >= 0 && (x > 3 || a[x] == 0)", 0),
        ("x >= 0 && x <= 10 && x + 1 <= 11", 0),
    ] {
        for specification in [CALLS, OVERFLOW] {
            let content = invariant("loop_invariant", (9, 5), value);
            let witness = entry("invariant_set", specification, ILP32, &content);
            let (found, out) = certify(&at, &witness);
            assert_eq!(found, Some(exit), "{value}: {out}");
            assert!(exit == 0 || out.contains("may be undefined"), "{value}: {out}");
        }
    }
}

/// The error is reached in the seventh round.
const ROUNDS: &str = "\
extern void reach_error(void);
int main(void) {
    int x = 0;
    while (x < 10) {
        x = x + 1;
        if (x == 7) { reach_error(); }
    }
    switch (x) { case 10: x = 0; }
    return 0;
}
";

#[test]
fn a_visit_ends_one_segment() {
    let at = with_program("visits", ROUNDS);
    let target = waypoint("target", "follow", (6, 23), "");
    let visit = |value: &str| waypoint("assumption", "follow", (5, 9), value);
    for (values, exit) in [
        (&["x == 0", "x == 1"][..], 0),
        (&["x == 0", "x == 1", "x == 2", "x >= 3"], 0),
        (&["x == 0", "x == 0"], 1),
        (&["x == 0", "x == 2"], 1),
        (&["x <= 1", "x <= 1", "x <= 1"], 1),
        (&["1 / x == 0"], 3),
    ] {
        let segments: Vec<String> =
            values.iter().map(|value| visit(value)).chain([target.clone()]).collect();
        let (found, out) = certify(&at, &sequence(&segments));
        assert_eq!(found, Some(exit), "{values:?}: {out}");
    }
    // A condition to avoid counts from the next visit on.
    let avoid = |value: &str| waypoint("assumption", "avoid", (5, 9), value);
    for (value, exit) in [("x == 0", 0), ("x == 1", 1)] {
        let segments = [visit("x >= 0"), avoid(value) + &target];
        let (found, out) = certify(&at, &sequence(&segments));
        assert_eq!(found, Some(exit), "{value}: {out}");
    }
}

#[test]
fn nothing_of_a_witness_is_dropped() {
    let at = with_program("dropped", ROUNDS);
    let target = |action: &str, line: usize| waypoint("target", action, (line, 23), "");
    let follow = target("follow", 6);
    for (segments, exit, why) in [
        (vec![follow.clone()], 0, "accepted"),
        (vec![follow.clone(), follow.clone()], 1, "several targets"),
        (vec![target("avoid", 6) + &follow], 1, "several targets"),
        (
            vec![follow.clone(), waypoint("assumption", "follow", (9, 5), "1")],
            1,
            "last waypoint is not a target",
        ),
        (vec![waypoint("assumption", "follow", (5, 9), "1")], 1, "not a target"),
        (vec![target("follow", 8)], 3, "the target is no place of the property"),
    ] {
        let (found, out) = certify(&at, &sequence(&segments));
        assert_eq!(found, Some(exit), "{segments:?}: {out}");
        assert!(out.contains(why), "{segments:?}: {out}");
    }
    std::fs::write(at.join("p.c"), COUNT).expect("written");
    let content = invariant("loop_invariant", (9, 5), "x <= 10");
    let other = invariant("loop_invariant", (9, 5), "x == 12345");
    let of = |model: &str, content: &str| entry("invariant_set", CALLS, model, content);
    for (witness, why) in [
        (of(ILP32, &content) + &of(ILP32, &other), "has one entry, and this file has 2"),
        (of(ILP32, &other.replace("  - invariant:", "    invariant:")), "not a sequence"),
        (of("", &content), "`data_model` is missing"),
        (of("      data_model: LLP64\n", &content), "`LLP64` is not known"),
    ] {
        let (found, out) = certify(&at, &witness);
        assert_eq!(found, Some(2), "{witness}: {out}");
        assert!(out.contains(why), "{witness}: {out}");
    }
    let (found, out) = certify(&at, &of(ILP32, &content));
    assert_eq!(found, Some(0), "{out}");
}

#[test]
fn a_correctness_witness_is_about_all_properties() {
    let code = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n    \
                int x = __VERIFIER_nondet_int();\n    int y = 0;\n    while (y < 3) { y = y + 1; }\n    \
                return x + y;\n}\n";
    let at = with_program("all", code);
    let (code, out) = pedra(&at, &["check", "p.c", "-p", "overflow", "--witness", "w.yml"]);
    assert_eq!(code, Some(1), "{out}");
    let written = |name: &str| std::fs::read_to_string(at.join(name)).ok();
    assert_eq!(written("w.b0.yml"), None, "{out}");
    assert!(out.contains("w.b0.yml: not written") && out.contains("not all of them"), "{out}");
    let violation = written("w.b1.yml").expect("of the violation");
    assert!(violation.contains("violation_sequence"), "{violation}");
    // Nor if only one of them is asked about.
    let code = "extern void reach_error(void);\nint main(void) {\n    int x = 1;\n    \
                if (x == 0) reach_error();\n    reach_error();\n    return 0;\n}\n";
    std::fs::write(at.join("r.c"), code).expect("written");
    let (code, out) = pedra(&at, &["check", "r.c", "-p", "b0", "--witness", "v.yml"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(written("v.yml").is_none() && out.contains("v.yml: not written"), "{out}");
    // Division has no specification.
    std::fs::write(at.join("q.c"), "int main(void) { int x = 0; return 1 / (x + 1); }\n")
        .expect("written");
    let (_, out) = pedra(&at, &["check", "q.c", "-p", "division", "--witness", "d.yml"]);
    assert!(written("d.yml").is_none() && out.contains("no specification of witnesses"), "{out}");
}

#[test]
fn our_waypoints_can_be_marked() {
    let head = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";
    for code in [
        "static int rec(int n) { if (n <= 0) return 0; return 1 + rec(n - 1); }\n\
         int main(void) { int s = __VERIFIER_nondet_int(); int l = __VERIFIER_nondet_int();\n\
         if (rec(s % 10) == 4 && l == -5) reach_error(); return 0; }\n",
        "int main(void) { int x = __VERIFIER_nondet_int(); for (int i = 0; i < 3; i++) x = x ^ i;\n\
         if (x == 7) reach_error(); return 0; }\n",
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n\
         switch (x) { case 3: y = y ^ 1; } if (x == 3 && y == 8) reach_error(); return 0; }\n",
        // Places that are visited before a value comes: in a loop, in calls, deeper in a call.
        "int main(void) { int x = 0, i = 0; while (i < 3) { if (i == 1)\n\
         x = __VERIFIER_nondet_int();\n i++; } if (x == 7) reach_error(); return 0; }\n",
        "int g; void f(int p) { if (p)\n g = __VERIFIER_nondet_int();\n return; }\n\
         int main(void) { f(0); f(0); f(1); f(0); if (g == 1) reach_error(); return 0; }\n",
        "int g; int f(int n) { if (n) f(n - 1); if (n == 2)\n g = __VERIFIER_nondet_int();\n\
         g = g ^ 1; return g; } int main(void) { f(3); if (g == 9) reach_error(); return 0; }\n",
        "int main(void) { int x = 0, s = 0; for (int i = 0; i < 4; i++) { if (i % 2)\n\
         x = __VERIFIER_nondet_int();\n s += x & 7; } if (s == 13) reach_error(); return 0; }\n",
    ] {
        let at = with_program("own", &format!("{head}{code}"));
        let (found, out) = pedra(&at, &["check", "p.c", "--witness", "w.yml"]);
        assert_eq!(found, Some(1), "{code}: {out}");
        let witness = std::fs::read_to_string(at.join("w.yml")).expect("written");
        assert!(witness.contains("assumption"), "{witness}");
        let (found, out) = pedra(&at, &["certify", "p.c", "w.yml"]);
        assert_eq!(found, Some(0), "{code}: {out}{witness}");
    }
}
