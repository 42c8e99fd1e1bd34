//! `pedra bench`: its table, its file of results, and that it notices answers that differ.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// A folder of its own for a test, with some of the models and a folder `bin` for programs.
fn folder(name: &str, files: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("m")).expect("a folder");
    std::fs::create_dir_all(folder.join("bin")).expect("a folder");
    for file in files {
        std::fs::copy(models().join(file), folder.join("m").join(file)).expect("copied");
    }
    folder
}

/// A program that stands for another model checker.
fn program(folder: &Path, name: &str, script: &str) {
    let path = folder.join("bin").join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("made a program");
}

/// The command, in the folder, with only its `bin` on the path.
fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pedra"));
    command.arg("bench").args(args).current_dir(folder).env("PATH", folder.join("bin"));
    command
}

/// Runs it, demands an exit code, gives standard output and standard error.
fn bench(code: i32, folder: &Path, args: &[&str]) -> (String, String) {
    let output = command(folder, args).output().expect("pedra starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}{err}");
    (out, err)
}

/// The first cells of a contender's line: runs, solved, proved, violated, wrong, failed.
fn counts(out: &str, contender: &str) -> [u32; 6] {
    let line = out.lines().find_map(|l| l.strip_prefix(contender)?.strip_prefix("  "));
    let line = line.unwrap_or_else(|| panic!("no line for {contender}:\n{out}"));
    let numbers: Vec<u32> = line.split_whitespace().map_while(|w| w.parse().ok()).collect();
    numbers[..6].try_into().expect("six numbers")
}

#[test]
fn another_build_side_by_side() {
    let folder = folder("before", &["counter_wrap.aag"]);
    program(&folder, "old", "echo 'so old that it crashes'; exit 9");
    let args = ["m", "--engines", "kind", "--peers", "none", "--before", "bin/old"];
    let (out, _) = bench(0, &folder, &args);
    assert_eq!(counts(&out, "kind"), [1, 1, 1, 0, 0, 0]);
    assert_eq!(counts(&out, "before: kind"), [1, 0, 0, 0, 0, 1]);
    let (_, err) = bench(2, &folder, &["m", "--before", "m"]);
    assert!(err.contains("--before: m is not a program"), "{err}");
}

#[test]
fn engines_side_by_side() {
    let files = ["arbiter.aag", "counter_wrap.aag", "island.btor2", "lock.btor2"];
    let folder = folder("engines", &files);
    let engines = ["--engines", "kind,bmc,kind -o kind.simple-path=on", "--", "--depth", "30"];
    let args = [&["m", "--jobs", "2", "--cpu", "60", "--plots", "p"][..], &engines].concat();
    let (out, err) = bench(0, &folder, &args);
    assert_eq!(counts(&out, "kind --depth 30"), [4, 3, 1, 2, 0, 0]);
    assert_eq!(counts(&out, "bmc --depth 30"), [4, 2, 0, 2, 0, 0]);
    assert_eq!(counts(&out, "kind -o kind.simple-path=on --depth 30"), [4, 4, 2, 2, 0, 0]);
    let only = "only kind -o kind.simple-path=on --depth 30 solved 1:\n  island.btor2";
    assert!(out.contains(only), "{out}");
    assert!(!out.contains("differ"), "{out}");
    assert_eq!(err.lines().count(), 12, "{err}");
    for plot in
        ["cactus", "scatter-1-bmc-depth-30", "scatter-2-kind-o-kind-simple-path-on-depth-30"]
    {
        let svg = std::fs::read_to_string(folder.join(format!("p-{plot}.svg"))).expect(plot);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

#[test]
fn a_table_is_continued() {
    let folder = folder("resume", &["counter_wrap.aag", "lock.btor2"]);
    let args = ["m", "--engines", "kind", "--out", "out.tsv", "--cpu", "60"];
    let (first, _) = bench(0, &folder, &args);
    let path = folder.join("out.tsv");
    let whole = std::fs::read_to_string(&path).expect("the table");
    assert_eq!(whole.lines().count(), 3);
    assert!(
        whole.lines().nth(1).is_some_and(|l| l.starts_with("counter_wrap.aag\tkind\t\tproved"))
    );
    // Nothing is left to do: the same table from the file alone.
    let (again, err) = bench(0, &folder, &args);
    assert_eq!((again, err.as_str()), (first, ""));
    // A line that was cut off is done again.
    std::fs::write(&path, &whole[..whole.len() - 9]).expect("cut");
    let (_, err) = bench(0, &folder, &args);
    assert!(err.starts_with("1/1 lock.btor2"), "{err}");
    let text = std::fs::read_to_string(&path).expect("the table");
    assert!(text.lines().count() == 3 && text.ends_with('\n'), "{text}");
    // Other limits would make times that cannot be compared.
    let other = [&args[..5], &["--cpu", "50"]].concat();
    let (_, err) = bench(2, &folder, &other);
    assert!(err.contains("other limits"), "{err}");
}

#[test]
fn a_table_may_hold_more_contenders_than_take_part() {
    let folder = folder("more", &["counter_wrap.aag", "lock.btor2"]);
    // The three ways of ABC, told apart by its last command.
    let script = "case \"$2\" in *'; int') echo 'Property proved.';; \
                  *'; bmc3') exit 0;; *'; pdr') exit 7;; esac";
    program(&folder, "abc", script);
    let shared = ["m", "--out", "out.tsv", "--cpu", "60"];
    let others = ["--engines", "none", "--peers", "abc-int,abc-bmc,abc"];
    let (out, _) = bench(0, &folder, &[&shared[..], &others].concat());
    assert_eq!(counts(&out, "abc-int"), [2, 2, 2, 0, 0, 0]);
    assert_eq!(counts(&out, "abc-bmc"), [2, 0, 0, 0, 0, 0]);
    assert_eq!(counts(&out, "abc"), [2, 0, 0, 0, 0, 2]);
    // Only ours are run now; one of the others is compared with what it answered before.
    let ours = ["--engines", "kind", "--peers", "abc-int"];
    let (out, err) = bench(1, &folder, &[&shared[..], &ours].concat());
    assert_eq!(err.lines().count(), 2, "{err}");
    assert_eq!(counts(&out, "kind"), [2, 2, 1, 1, 0, 0]);
    assert_eq!(counts(&out, "abc-int"), [2, 1, 1, 0, 1, 0]);
    assert!(!out.contains("abc-bmc"), "{out}");
    let text = std::fs::read_to_string(folder.join("out.tsv")).expect("the table");
    assert_eq!(text.lines().count(), 9, "{text}");
    assert_eq!(text.matches("\tabc-bmc\t").count(), 2, "{text}");
}

#[test]
fn answers_that_differ_are_noticed() {
    let folder = folder("differ", &["counter_wrap.aag", "lock.btor2"]);
    // One says that everything is proved, the other that everything is violated.
    program(&folder, "abc", "[ -f model.aig ] && echo 'Property proved.  Time = 0 sec'");
    program(&folder, "rIC3", "echo \"$3\" >&2; echo SAT");
    let (out, _) = bench(1, &folder, &["m", "--engines", "kind", "--cpu", "60"]);
    assert_eq!(counts(&out, "kind"), [2, 2, 1, 1, 0, 0]);
    assert_eq!(counts(&out, "abc"), [2, 1, 1, 0, 1, 0]);
    assert_eq!(counts(&out, "ric3"), [2, 1, 0, 1, 1, 0]);
    let line = "lock.btor2: expected unknown, kind violated, abc proved (wrong), ric3 violated\n";
    assert!(out.contains(line), "{out}");

    // What is expected counts, too; and BMC that gives up is not wrong.
    let rows = "file\texpected\tset\ncounter_wrap.aag\tunsafe\ta\nlock.btor2\tunsafe\tb\n";
    std::fs::write(folder.join("m/list.tsv"), rows).expect("written");
    let args = ["m/list.tsv", "--engines", "bmc", "--peers", "abc", "--cpu", "60"];
    let args = [&args[..], &["--sets", "a", "--", "--depth", "5"]].concat();
    let (out, _) = bench(1, &folder, &args);
    assert_eq!(counts(&out, "bmc --depth 5"), [1, 0, 0, 0, 0, 0]);
    assert_eq!(counts(&out, "abc"), [1, 0, 0, 0, 1, 0]);
}

#[test]
fn others_are_given_the_same_model() {
    let all = std::fs::read_dir(models()).expect("the models");
    let all: Vec<String> = all
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .filter(|name| name.ends_with(".aag") || name.ends_with(".btor2"))
        // ABC is not asked about justice.
        .filter(|name| !["justice_only.aag", "turns.btor2"].contains(&name.as_str()))
        .collect();
    let files: Vec<&str> = all.iter().map(String::as_str).collect();
    let folder = folder("same", &files);
    // The others are ourselves, but answer in ABC's words about what ABC is given.
    let script = format!(
        "'{}' check --engine pdr model.aig >&2\n\
         case $? in 0) echo 'Property proved.';; 1) echo 'x was asserted in frame 0.';; esac",
        env!("CARGO_BIN_EXE_pedra")
    );
    program(&folder, "abc", &script);
    let (out, _) = bench(0, &folder, &["m", "--engines", "pdr", "--cpu", "60"]);
    let count = files.len() as u32;
    let ours = counts(&out, "pdr");
    assert_eq!((ours[0], ours[1]), (count, count), "{out}");
    assert_eq!(counts(&out, "abc"), ours, "{out}");
}

#[test]
fn programs_by_category() {
    let folder = folder("programs", &[]);
    let files = ["counter.smt2", "wrap.smt2", "parity_rules.smt2", "count_up_down.bpl"];
    for file in files {
        let from = models().join("programs").join(file);
        std::fs::copy(from, folder.join("m").join(file)).expect("copied");
    }
    // Whether it holds is a matter of the data model and of the property.
    let text = "extern long __VERIFIER_nondet_long(void);\n\
                extern void reach_error(void);\n\
                int main(void) {\n    long x = __VERIFIER_nondet_long();\n    \
                if (sizeof(x) == 4) reach_error();\n    return x > 5 ? 0 : (int)(x - 5 < 0);\n}\n";
    std::fs::write(folder.join("m/long.c"), text).expect("written");
    std::fs::write(folder.join("m/long.i"), text).expect("written");
    let rows = "file\tproperty\tdata_model\texpected\tcategory\n\
                long.c\tunreach-call(reach_error)\tILP32\tunsafe\tC\n\
                long.i\tunreach-call(reach_error)\tLP64\tsafe\tC\n\
                count_up_down.bpl\tassert\tint (unbounded)\tunsafe\tBoogie\n\
                counter.smt2\tcheck-sat\t-\tsafe\tHorn\n\
                wrap.smt2\tcheck-sat\t-\tunsafe\tHorn\n\
                parity_rules.smt2\tcheck-sat\t-\tsafe\tHorn\n";
    std::fs::write(folder.join("m/list.tsv"), rows).expect("written");
    // Of rules, Z3 says whether the query can be derived.
    let script = "case $2 in */counter*) echo sat;; */wrap*) exit 0;; *) echo unsat;; esac";
    program(&folder, "z3", script);
    program(&folder, "abc", "exit 7");
    let args =
        ["m/list.tsv", "--engines", "program,bmc --depth 3", "--cpu", "60", "--out", "out.tsv"];
    let (out, _) = bench(0, &folder, &args);
    assert_eq!(counts(&out, "program"), [6, 6, 3, 3, 0, 0], "{out}");
    assert_eq!(counts(&out, "z3"), [6, 2, 2, 0, 0, 3], "{out}");
    assert!(!out.contains("abc"), "it reads no programs:\n{out}");
    let by_category = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = out.lines().map(by_category).collect();
    for part in [
        "Boogie program 1 1 0 1 0 0",
        "C program 2 2 1 1 0 0",
        "C bmc --depth 3 2 2 1 1 0 0",
        "C z3 2 0 0 0 0 2 240.0",
        "Horn z3 3 2 2 0 0 0",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(part)), "{part}\n{out}");
    }
    let (out, _) = bench(0, &folder, &["m/list.tsv", "--category", "C", "--peers", "none"]);
    assert_eq!(counts(&out, "auto"), [2, 2, 1, 1, 0, 0], "{out}");
}

#[test]
fn failures_are_told_apart_from_limits() {
    let folder = folder("failures", &["counter_wrap.aag"]);
    program(&folder, "abc", "while :; do :; done");
    program(&folder, "rIC3", "echo broken >&2; exit 7");
    let args = ["m", "--engines", "kind", "--cpu", "1", "--out", "out.tsv"];
    let (out, _) = bench(0, &folder, &args);
    assert_eq!(counts(&out, "abc"), [1, 0, 0, 0, 0, 0]);
    assert_eq!(counts(&out, "ric3"), [1, 0, 0, 0, 0, 1]);
    let text = std::fs::read_to_string(folder.join("out.tsv")).expect("the table");
    assert!(text.contains("\tunknown\tCPU limit\t"), "{text}");
    assert!(text.contains("\tfailed\texit code 7 broken\t"), "{text}");
}

#[test]
fn bad_requests() {
    let folder = folder("bad", &["counter_wrap.aag"]);
    std::fs::create_dir(folder.join("empty")).expect("a folder");
    let table = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("written");
    };
    table("columns.tsv", "set\tfile\na\tm/counter_wrap.aag\n");
    table("short.tsv", "file\texpected\nm/counter_wrap.aag\n");
    table("word.tsv", "file\texpected\nm/counter_wrap.aag\tgood\n");
    table("gone.tsv", "file\texpected\nm/gone.aag\tsafe\n");
    table("none.tsv", "file\texpected\nm/counter_wrap.aag\tsafe\n");
    table("other.tsv", "my precious data\n");
    let task = |cells: &str| format!("file\texpected\tdata_model\tproperty\n{cells}\n");
    table("lock.c", "");
    table("model.tsv", &task("lock.c\tsafe\tILP31\tunreach-call"));
    table("property.tsv", &task("lock.c\tsafe\tILP32\ttermination"));
    let cases: [(&[&str], &str); 22] = [
        (&["model.tsv"], "model.tsv:2: the data model `ILP31` is neither"),
        (&["property.tsv"], "property.tsv:2: the property `termination` is neither"),
        (&["m", "--category", "Loops"], "need a table"),
        (&["nowhere"], "nowhere: cannot be read"),
        (&["empty"], "empty: no models found"),
        (&["columns.tsv"], "columns.tsv:1: there is no column `expected`"),
        (&["none.tsv", "--tier", "quick"], "none.tsv:1: there is no column `tier`"),
        (&["short.tsv"], "short.tsv:2: the row has no column `expected`"),
        (&["word.tsv"], "word.tsv:2: `good` is neither"),
        (&["gone.tsv"], "gone.tsv:2: there is no file m/gone.aag"),
        (&["none.tsv", "--expected", "unsafe"], "none.tsv: no models found"),
        (&["m", "--expected", "safe"], "need a table"),
        (&["m", "--peers", "abc"], "abc was not found on the PATH"),
        (&["m", "--peers", "magic"], "known: abc, abc-int, abc-bmc, ric3, z3, auto, none"),
        (&["m", "--engines", "none"], "there are no contenders"),
        (&["m", "--engines", "kind,magic"], "there is no engine `magic`"),
        (&["m", "--engines", "kind --magic"], "`kind --magic`: unexpected argument '--magic'"),
        (&["m", "--engines", "kind", "--", "--seed", "x"], "invalid value 'x' for '--seed <S>'"),
        (&["m", "--engines", "kind --memory 1G"], "cannot be used multiple times"),
        (&["m", "--out", "/dev/full"], "/dev/full: this is not a file"),
        (&["m", "--out", "no/such/folder.tsv"], "no/such/folder.tsv: cannot be written"),
        (&["m", "--out", "other.tsv"], "other.tsv: this is not a table of `pedra bench`"),
    ];
    for (args, message) in cases {
        let (out, err) = bench(2, &folder, args);
        assert!(out.is_empty() && err.contains(message), "{args:?}: {err}");
    }
    let kept = std::fs::read_to_string(folder.join("other.tsv")).expect("still there");
    assert_eq!(kept, "my precious data\n");
}

#[test]
fn a_signal_ends_it_with_whole_lines() {
    let folder = folder("signal", &["counter_wrap.aag"]);
    // It says who it is, and then does nothing for long.
    program(&folder, "abc", "echo $$ > ../../pid; exec /bin/sleep 1000");
    let scratch = folder.join("tmp");
    std::fs::create_dir_all(scratch.join("x")).expect("a folder");
    let args = ["m", "--engines", "kind", "--out", "out.tsv"];
    let mut child = command(&folder, &args)
        .env("TMPDIR", scratch.join("x"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("pedra starts");
    let pid = loop {
        // The program runs in a folder of its own below the scratch folder.
        let text = std::fs::read_to_string(scratch.join("pid")).unwrap_or_default();
        if text.ends_with('\n') {
            break text.trim().to_owned();
        }
        assert!(child.try_wait().expect("asked").is_none(), "it ended too early");
        std::thread::sleep(std::time::Duration::from_millis(10));
    };
    let number = child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &number]).status().expect("kill starts");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3));
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(counts(&out, "kind"), [1, 1, 1, 0, 0, 0]);
    assert_eq!(counts(&out, "abc"), [0; 6]);
    let text = std::fs::read_to_string(folder.join("out.tsv")).expect("the table");
    assert!(text.lines().count() == 2 && text.ends_with('\n'), "{text}");
    assert!(!Path::new("/proc").join(pid).join("exe").exists(), "the run was not ended");
    let left = std::fs::read_dir(scratch.join("x")).expect("there").count();
    assert_eq!(left, 0, "files are left behind");
}
