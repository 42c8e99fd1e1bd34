//! Evidence about C programs: invariants, witnesses, tests and certificates, and the check of
//! witnesses, ours and others'.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/programs")
}

/// A new empty folder.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("evidence-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Exit code and all that is printed.
pub(crate) fn pedra(at: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_pedra"))
        .args(words)
        .current_dir(at)
        .output()
        .expect("pedra starts");
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

/// Runs another program; `None` if it is not there.
pub(crate) fn run(program: &str, words: &[&str], at: &Path) -> Option<Output> {
    Command::new(program).args(words).current_dir(at).output().ok()
}

/// A program in a folder.
fn with_program(name: &str, code: &str) -> PathBuf {
    let at = scratch(name);
    std::fs::write(at.join("p.c"), code).expect("written");
    at
}

const UP_AND_DOWN: &str = "\
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned x = n, y = 0;
    while (x > 0) {
        x = x - 1;
        y = y + 1;
    }
    if (x + y != n) { reach_error(); }
    return 0;
}
";

const SEARCH: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int pick(void) { int v = __VERIFIER_nondet_int(); return v; }
int main(void) {
    int a = pick();
    int i = 0;
    while (i < 5) {
        if (a == i * 3) { break; }
        i = i + 1;
    }
    if (i == 4) { reach_error(); }
    return 0;
}
";

#[test]
fn witnesses_of_ours_are_accepted() {
    let at = scratch("own");
    for (file, engine, invariant) in [
        ("counter.c", "wpdr", Some("while (x < 10)")),
        ("counter.c", "pdr", Some("x <= 15")),
        ("even.c", "pdr", Some("(x & 1) == 0")),
        ("again.c", "pdr", Some("again:")),
        ("midpoint.c", "bmc", None),
        ("lock.c", "auto", None),
    ] {
        let program = folder().join(file).display().to_string();
        let (code, out) = pedra(&at, &["check", &program, "-e", engine, "--witness", "w.yml"]);
        assert_eq!(code, Some(if invariant.is_some() { 0 } else { 1 }), "{out}");
        assert!(invariant.is_none_or(|text| out.contains(text)), "{out}");
        let (code, out) = pedra(&at, &["certify", &program, "w.yml"]);
        assert_eq!(code, Some(0), "{file} by {engine}: {out}");
        assert!(out.starts_with("accepted") && !out.contains("not used"), "{out}");
        assert!(invariant.is_none() || out.contains("inductive"), "{out}");
        validate(&at);
    }
}

/// k-induction proves both properties, with k = 2 and without an invariant.
const TWO_STEPS: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int up = 1, down = __VERIFIER_nondet_int();
    if (down < 0 || down > 1) { return 0; }
    while (up <= 1000) {
        up = up + 1;
        down = down - 1;
        if (up + down < 1 || up + down > 2) { reach_error(); }
        if (up < 1) { reach_error(); }
    }
    return 0;
}
";

#[test]
fn witnesses_need_no_engine_where_proofs_have_no_invariant() {
    let at = with_program("two-steps", TWO_STEPS);
    let (code, out) = pedra(&at, &["check", "p.c", "-e", "kind", "--witness", "w.yml"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("kind, k = 2") && !out.contains("not inductive by themselves"), "{out}");
    for property in ["w.b0.yml", "w.b1.yml"] {
        let (code, out) = pedra(&at, &["certify", "p.c", property]);
        assert_eq!(code, Some(0), "{out}");
        assert!(out.contains("inductive, and the property follows"), "{property}: {out}");
    }
}

/// What the published format asks, checked by Python's YAML reader where it is found.
fn validate(at: &Path) {
    let script = "
import re, sys
try:
    import yaml
except ImportError:
    sys.exit(0)
[entry] = yaml.safe_load(open('w.yml'))
meta = entry['metadata']
assert meta['format_version'] == '2.0'
assert re.fullmatch('[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}', meta['uuid'])
assert re.fullmatch(r'\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ', meta['creation_time'])
assert meta['producer']['name'] == 'Pedra' and meta['producer']['version']
task = meta['task']
assert task['language'] == 'C' and task['data_model'] in ('ILP32', 'LP64')
[file] = task['input_files']
assert re.fullmatch('[0-9a-f]{64}', task['input_file_hashes'][file])
assert task['specification'].startswith('CHECK( init(main()), LTL(G ! ')
def place(of):
    where = of['location']
    assert where['file_name'] == file
    assert isinstance(where['line'], int) and isinstance(where['column'], int)
if entry['entry_type'] == 'invariant_set':
    for item in entry['content']:
        invariant = item['invariant']
        assert set(invariant) == {'type', 'location', 'value', 'format'}
        assert invariant['format'] == 'c_expression' and isinstance(invariant['value'], str)
        place(invariant)
        line, column = invariant['location']['line'], invariant['location']['column']
        is_loop = re.match(r'(while|for|do)\\b', open(file).read().split('\\n')[line - 1][column - 1:])
        assert invariant['type'] == ('loop_invariant' if is_loop else 'location_invariant')
else:
    assert entry['entry_type'] == 'violation_sequence'
    kinds = []
    for item in entry['content']:
        [waypoint] = [w['waypoint'] for w in item['segment']]
        assert waypoint['action'] == 'follow'
        kinds.append(waypoint['type'])
        place(waypoint)
        constraint = waypoint.get('constraint')
        if waypoint['type'] == 'assumption':
            assert constraint['format'] == 'c_expression' and isinstance(constraint['value'], str)
        elif waypoint['type'] == 'branching':
            assert constraint['value'] in ('true', 'false')
        else:
            assert waypoint['type'] == 'target' and constraint is None
    assert kinds[-1] == 'target' and 'target' not in kinds[:-1]
";
    if let Some(output) = run("python3", &["-c", script], at) {
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}

/// A witness of this program, as another tool might write it.
fn others(kind: &str, content: &str) -> String {
    format!(
        "- entry_type: {kind}\n  metadata:\n    format_version: '2.0'\n    task:\n      \
         input_files: ['p.c']\n      specification: CHECK( init(main()), LTL(G ! call(reach_error())) )\n      \
         data_model: ILP32\n      language: C\n  content:\n{content}"
    )
}

fn waypoint(kind: &str, action: &str, line: usize, column: usize, value: &str) -> String {
    let constraint = if value.is_empty() {
        String::new()
    } else {
        format!(", constraint: {{value: '{value}'}}")
    };
    format!(
        "    - waypoint: {{type: {kind}, action: {action}, location: {{file_name: p.c, \
         line: {line}, column: {column}}}{constraint}}}\n"
    )
}

#[test]
fn violation_sequences_of_others_are_judged() {
    let at = with_program("sequences", SEARCH);
    let target = waypoint("target", "follow", 11, 19, "");
    let segment = |waypoints: &[String]| format!("  - segment:\n{}", waypoints.concat());
    for (parts, code, word) in [
        (vec![], 0, "accepted"),
        (vec![vec![waypoint("assumption", "follow", 6, 5, "a == 12")]], 0, "accepted"),
        (vec![vec![waypoint("assumption", "follow", 6, 5, "a == 11")]], 1, "refuted"),
        (vec![vec![waypoint("function_return", "follow", 5, 18, "\\result == 12")]], 0, "accepted"),
        (vec![vec![waypoint("function_return", "follow", 5, 18, "\\result == 9")]], 1, "refuted"),
        (vec![vec![waypoint("branching", "follow", 8, 9, "false")]], 0, "accepted"),
        // The first time that a run comes there, it must be so.
        (vec![vec![waypoint("branching", "follow", 8, 9, "true")]], 1, "refuted"),
        (vec![vec![waypoint("assumption", "follow", 9, 9, "i == 1")]], 1, "refuted"),
        (
            vec![vec![
                waypoint("branching", "avoid", 8, 9, "true"),
                waypoint("branching", "follow", 7, 5, "false"),
            ]],
            1,
            "refuted",
        ),
        // Two of one call, in either order of their numbers.
        (
            vec![
                vec![waypoint("function_enter", "follow", 5, 18, "")],
                vec![
                    waypoint("function_return", "avoid", 5, 18, "\\result == 11"),
                    waypoint("function_return", "follow", 5, 18, "\\result == 12"),
                ],
            ],
            0,
            "accepted",
        ),
        (
            vec![
                vec![waypoint("function_return", "follow", 5, 18, "\\result == 12")],
                vec![waypoint("function_enter", "follow", 5, 18, "")],
            ],
            1,
            "refuted",
        ),
        // What is not understood is not accepted.
        (
            vec![vec![waypoint("branching", "follow", 8, 9, "other")]],
            3,
            "1 waypoints were not used",
        ),
        (vec![vec![waypoint("assumption", "follow", 6, 5, "a = 12")]], 3, "has a side effect"),
        (vec![vec![waypoint("assumption", "follow", 6, 5, "pick()")]], 3, "has a call"),
        (vec![vec![waypoint("assumption", "follow", 6, 5, "b == 1")]], 1, "refuted"),
    ] {
        let mut content: String = parts.iter().map(|part| segment(part)).collect();
        content.push_str(&segment(std::slice::from_ref(&target)));
        let witness = others("violation_sequence", &content);
        std::fs::write(at.join("w.yml"), &witness).expect("written");
        let (found, out) = pedra(&at, &["certify", "p.c", "w.yml"]);
        assert_eq!(found, Some(code), "{out}{witness}");
        assert!(out.contains(word), "{out}{witness}");
    }
}

/// What is to be avoided on the way to the target, and the branches of a `switch`.
#[test]
fn the_last_segment_and_switches() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                int main(void) {\n    int a = __VERIFIER_nondet_int();\n    switch (a) {\n    \
                case 3: a = 7; break;\n    case 4: a = 8; break;\n    default: a = 9;\n    }\n    \
                if (a == 7)\n        reach_error();\n    return 0;\n}\n";
    let at = with_program("switch", text);
    let target = waypoint("target", "follow", 11, 9, "");
    for (first, more, code) in [
        ("3", vec![], 0),
        ("4", vec![], 1),
        ("3", vec![waypoint("branching", "avoid", 10, 5, "false")], 0),
        ("3", vec![waypoint("branching", "avoid", 10, 5, "true")], 1),
    ] {
        let first = waypoint("branching", "follow", 5, 5, first);
        let last = [more, vec![target.clone()]].concat().concat();
        let content = format!("  - segment:\n{first}  - segment:\n{last}");
        let witness = others("violation_sequence", &content);
        std::fs::write(at.join("w.yml"), &witness).expect("written");
        let (found, out) = pedra(&at, &["certify", "p.c", "w.yml"]);
        assert_eq!(found, Some(code), "{out}{witness}");
    }
}

/// The `default` of a `switch` and the branches of `?:`, given by the place of the `?`.
#[test]
fn defaults_and_choices() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                int main(void) {\n    int a = __VERIFIER_nondet_int();\n    switch (a) {\n    \
                case 3 ... 5: a = 7; break;\n    default: switch (a) { case 9: a = 8; }\n    }\n    \
                int b = a > 7 ? a == 8 ? 2 : 1 : (0, 3);\n    \
                if (b == 2)\n        reach_error();\n    return 0;\n}\n";
    let at = with_program("choices", text);
    let target = waypoint("target", "follow", 11, 9, "");
    let branch = |column: usize, line: usize, value: &str| {
        waypoint("branching", "follow", line, column, value)
    };
    for (way, code) in [
        (vec![branch(5, 5, "default")], 0),
        (vec![branch(5, 5, "4")], 1),
        (vec![branch(14, 7, "9")], 0),
        (vec![branch(14, 7, "default")], 0),
        (vec![branch(19, 9, "true"), branch(28, 9, "true")], 0),
        (vec![branch(19, 9, "true"), branch(28, 9, "false")], 1),
        (vec![branch(19, 9, "false")], 1),
    ] {
        let segments = way.iter().chain([&target]).map(|one| format!("  - segment:\n{one}"));
        let witness = others("violation_sequence", &segments.collect::<String>());
        std::fs::write(at.join("w.yml"), &witness).expect("written");
        let (found, out) = pedra(&at, &["certify", "p.c", "w.yml"]);
        assert_eq!(found, Some(code), "{out}{witness}");
    }
}

#[test]
fn invariants_of_others_are_judged() {
    let at = with_program("invariants", UP_AND_DOWN);
    let invariant = |kind: &str, line: usize, column: usize, value: &str| {
        format!(
            "  - invariant:\n      type: {kind}\n      location: {{file_name: p.c, line: {line}, \
             column: {column}}}\n      value: \"{value}\"\n      format: c_expression\n"
        )
    };
    for (content, code, word) in [
        (invariant("loop_invariant", 6, 5, "x + y == n"), 0, "inductive"),
        (
            invariant("loop_invariant", 6, 5, "x + y == n")
                + &invariant("loop_invariant", 6, 5, "x <= n"),
            0,
            "2 invariants, inductive",
        ),
        (
            invariant("loop_invariant", 6, 5, "x + y == n")
                + &invariant("location_invariant", 10, 5, "x == 0 && y == n"),
            0,
            "2 invariants, inductive",
        ),
        (invariant("loop_invariant", 6, 5, "x <= n"), 0, "1 invariant, which holds, as does"),
        (invariant("loop_invariant", 6, 5, "x + y != n"), 1, "does not always hold"),
        (invariant("loop_invariant", 6, 5, "x + z == n"), 1, "p.c:6"),
        (invariant("loop_invariant", 7, 9, "x + y == n"), 3, "there is no loop here"),
        (invariant("loop_invariant", 6, 5, "x++"), 3, "has a side effect"),
        (invariant("loop_invariant", 6, 5, "1) || (x"), 3, "bracket"),
    ] {
        let witness = others("invariant_set", &content);
        std::fs::write(at.join("w.yml"), &witness).expect("written");
        let (found, out) = pedra(&at, &["certify", "p.c", "w.yml"]);
        assert_eq!(found, Some(code), "{out}{witness}");
        assert!(out.contains(word), "{out}{witness}");
    }
    std::fs::write(at.join("w.yml"), "- a: [1").expect("written");
    let (code, out) = pedra(&at, &["certify", "p.c", "w.yml"]);
    assert_eq!(code, Some(2), "{out}");
}

#[test]
fn a_witness_of_another_version_is_refuted() {
    let at = with_program("version", UP_AND_DOWN);
    let at_folder = at.join("q.c");
    std::fs::write(&at_folder, SEARCH).expect("written");
    let (code, out) = pedra(&at, &["check", "q.c", "--witness", "w.yml"]);
    assert_eq!(code, Some(1), "{out}");
    std::fs::write(&at_folder, SEARCH.replace("* 3", "* 2")).expect("written");
    let (code, out) = pedra(&at, &["certify", "q.c", "w.yml"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("SHA-256"), "{out}");
}

#[test]
fn a_test_reaches_the_error() {
    let at = with_program("test", SEARCH);
    for file in ["midpoint.c", "lock.c"] {
        std::fs::copy(folder().join(file), at.join(file)).expect("copied");
    }
    // Values of variables that are not defined, and of functions of the C library.
    let outside = "extern int rand(void), getchar(void); extern long long far;\n\
                   extern signed char near; extern void reach_error(void);\n\
                   int main(void) {\n    if (rand() == 7 && getchar() == 'x' && rand() == 9)\n\
                   if (far == -5000000000LL && near == -128) reach_error();\n    return 0;\n}\n";
    std::fs::write(at.join("outside.c"), outside).expect("written");
    for file in ["p.c", "midpoint.c", "lock.c", "outside.c"] {
        let (code, out) = pedra(&at, &["check", file, "--test", "test.c"]);
        assert_eq!(code, Some(1), "{out}");
        let words = ["-fsanitize=undefined", "-fno-sanitize-recover", file, "test.c", "-o", "test"];
        let Some(built) = run("gcc", &words, &at) else { return };
        assert!(built.status.success(), "{}", text(&built.stderr));
        let test = at.join("test").display().to_string();
        let ran = run(&test, &[], &at).expect("it starts");
        assert_eq!(ran.status.code(), Some(99), "{file}: {}", text(&ran.stderr));
    }
}

/// What a test cannot define is named in it.
#[test]
fn a_test_names_what_it_cannot_define() {
    let code = "extern int a[4], *p; extern struct s { int x; } s; extern void reach_error(void);\n\
                int main(void) { if (a[2] == 7 && s.x == 3 && p == 0) reach_error(); return 0; }\n";
    let at = with_program("undefined", code);
    let (found, out) = pedra(&at, &["check", "p.c", "--test", "test.c"]);
    assert_eq!(found, Some(1), "{out}");
    let test = std::fs::read_to_string(at.join("test.c")).expect("a test");
    for words in ["declares these variables", " a = (an array)\n", " s.x = 3\n", "* p = 0\n"] {
        assert!(test.contains(words), "{words}: {test}");
    }
}

#[test]
fn certificates_are_confirmed_by_an_smt_solver() {
    let at = scratch("smt");
    for (file, engine) in [("counter.c", "pdr"), ("counter.c", "kind"), ("even.c", "wpdr")] {
        let program = folder().join(file).display().to_string();
        let (code, out) = pedra(&at, &["check", &program, "-e", engine, "--certificate", "c.smt2"]);
        assert_eq!(code, Some(0), "{out}");
        let Some(output) = run("z3", &["c.smt2"], &at) else { return };
        let answers = text(&output.stdout);
        assert!(answers.lines().count() >= 2 && answers.lines().all(|a| a == "unsat"), "{answers}");
    }
    let program = folder().join("counter.c").display().to_string();
    let (code, out) = pedra(&at, &["check", &program, "--certificate", "c.btor2"]);
    assert_eq!(code, Some(2));
    assert!(out.contains("ends in .smt2"), "{out}");
}

#[test]
fn competitions_get_their_words() {
    let at = with_program("svcomp", SEARCH);
    let counter = folder().join("counter.c");
    std::fs::copy(counter, at.join("counter.c")).expect("copied");
    let task = |file: &str, property: &str| {
        format!(
            "format_version: '2.0'\n\ninput_files: '{file}'\nproperties:\n  - property_file: \
             ../properties/{property}.prp\n    expected_verdict: true\noptions:\n  language: C\n  \
             data_model: LP64\n"
        )
    };
    std::fs::write(at.join("p.yml"), task("p.c", "unreach-call")).expect("written");
    std::fs::write(at.join("o.yml"), task("p.c", "no-overflow")).expect("written");
    std::fs::write(at.join("t.yml"), task("p.c", "termination")).expect("written");
    std::fs::write(at.join("u.prp"), "CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
        .expect("written");
    // C leaves open whether `sum` is read before the call, so 5 and 8 are both right.
    let open = "extern void reach_error(void);\nint sum = 1;\nint add(void) { sum += 3; return sum; }\n\
                int main(void) { sum += add(); if (sum != 5) reach_error(); return 0; }\n";
    std::fs::write(at.join("open.c"), open).expect("written");
    for (words, code, answer) in [
        (&["open.c", "--property", "u.prp"][..], 3, "UNKNOWN"),
        (&["p.yml", "--witness", "w.yml"], 1, "FALSE(unreach-call)"),
        (&["o.yml"], 0, "TRUE"),
        (&["counter.c", "--property", "u.prp", "--data-model", "ILP32"], 0, "TRUE"),
        (&["t.yml"], 2, "not supported"),
    ] {
        let (found, out) = pedra(&at, &[&["svcomp"], words].concat());
        assert_eq!(found, Some(code), "{words:?}: {out}");
        assert!(out.contains(answer), "{out}");
    }
    let (code, out) = pedra(&at, &["certify", "p.c", "w.yml"]);
    assert_eq!(code, Some(0), "{out}");
    let witness = std::fs::read_to_string(at.join("w.yml")).expect("written");
    assert!(witness.contains("LP64"), "{witness}");
}
