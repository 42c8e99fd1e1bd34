//! `pedra.toml` and `pedra run`: tasks are done with one table, the command line wins, a run goes
//! on where another one ended, and mistakes are told with their place.

use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");

/// A folder with some models and tasks.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, tasks: &str) -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tasks-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        for model in ["fifo.btor2", "counter_wrap.aag", "arbiter.aag", "fifo_data.btor2"] {
            fs::copy(format!("{MODELS}/{model}"), folder.join(model)).expect("copied");
        }
        fs::copy(format!("{MODELS}/programs/even.c"), folder.join("even.c")).expect("copied");
        fs::write(folder.join("pedra.toml"), tasks).expect("written");
        Folder(folder)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pedra"));
        command.args(words).current_dir(&self.0);
        command
    }

    fn run(&self, words: &[&str]) -> (Option<i32>, String, String) {
        let Output { status, stdout, stderr } = self.command(words).output().expect("it starts");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (status.code(), text(stdout), text(stderr))
    }
}

/// The last lines, without times.
fn table(text: &str) -> Vec<String> {
    let start = text.rfind("task ").expect("a table");
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().filter(|w| !w.contains('.')).collect();
        words.join(" ")
    };
    text[start..].lines().map(row).collect()
}

const TASKS: &str = r#"
[defaults]
timeout = "1m"

[task.queue]
files = ["fifo.btor2"]
properties = ["overflow", "pointers_disagree"]

[task.bug]
files = "fifo.btor2"
properties = "full"
expect = "violated"

[task.small]
files = ["counter_wrap.aag", "arbiter.aag"]
engines = ["bmc", "kind"]
depth = 5
"#;

#[test]
fn all_tasks_and_some() {
    let folder = Folder::new("all", TASKS);
    let (code, text, errors) = folder.run(&["run"]);
    assert_eq!(code, Some(1), "{text}{errors}");
    let rows = [
        "task proved violated unknown seconds result",
        "queue 2 0 0 ok",
        "bug 0 1 0 ok",
        "small 3 1 0 violated",
    ];
    assert_eq!(table(&text), rows, "{text}");
    // BMC proves nothing; what it leaves open is proved by the next engine.
    assert!(text.contains("violated  b2 not_granted_at_once  at step 2, bmc"), "{text}");
    assert!(text.contains("proved    b0 both_granted  kind"), "{text}");
    let (code, text, _) = folder.run(&["run", "--fresh", "bug", "queue"]);
    assert_eq!((code, table(&text).len()), (Some(0), 3), "{text}");
    let (code, text, _) = folder.run(&["run", "--list"]);
    assert_eq!((code, text.lines().count()), (Some(0), 3));
    let (code, _, errors) = folder.run(&["run", "que"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("no task `que`; tasks are queue, bug, small"), "{errors}");
}

/// What was typed wins over the file.
#[test]
fn the_command_line_wins() {
    let folder = Folder::new("wins", TASKS);
    let (code, text, _) = folder.run(&["run", "small", "--", "--engine", "bmc", "-p", "b0"]);
    assert_eq!(code, Some(3), "{text}");
    assert_eq!(table(&text)[1], "small 0 0 2 unknown");
    let (code, text, _) = folder.run(&["run", "queue", "--fresh", "--", "-p", "full"]);
    assert_eq!((code, &*table(&text)[1]), (Some(1), "queue 0 1 0 violated"), "{text}");
    let (code, _, errors) = folder.run(&["run", "--", "--engine", "nothing"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("invalid value 'nothing'"), "{errors}");
    let (code, _, errors) = folder.run(&["run", "--", "--vcd", "a.vcd"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("--vcd: more than one model"), "{errors}");
}

/// Programs, and kinds of properties that have no number of their own before they are asked for.
#[test]
fn programs_and_kinds() {
    let tasks = "[task.a]\nfiles = [\"even.c\"]\nengines = [\"bmc\", \"program\"]\ndepth = 3\n";
    let folder = Folder::new("programs", tasks);
    let (code, text, errors) = folder.run(&["run"]);
    assert_eq!((code, &*table(&text)[1]), (Some(0), "a 1 0 0 ok"), "{text}{errors}");
    let (code, text, errors) = folder.run(&["run", "--", "-p", "all"]);
    assert!(matches!(code, Some(0 | 1 | 3)), "{text}{errors}");
    assert!(text.contains("even.c:11 reach_error()  program"), "{text}{errors}");
}

/// `pedra check` without model does the tasks, with the options that it was given.
#[test]
fn check_without_model() {
    let folder = Folder::new("check", TASKS);
    let (code, text, _) = folder.run(&["check", "--seed", "3"]);
    assert_eq!((code, table(&text).len()), (Some(1), 4), "{text}");
    let (code, text, _) = folder.run(&["check", "--json"]);
    assert_eq!(code, Some(1));
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert!(line["event"] == "end" || line["task"].is_string(), "{line}");
    }
    fs::remove_file(folder.0.join("pedra.toml")).expect("removed");
    let (code, _, errors) = folder.run(&["check"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("no model is named"), "{errors}");
    let (code, _, errors) = folder.run(&["run"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("pedra.toml: cannot be read"), "{errors}");
}

/// Verdicts are kept as long as nothing that they depend on has changed.
#[test]
fn verdicts_are_kept() {
    let folder = Folder::new("kept", TASKS);
    let kept = |text: &str| text.lines().filter(|line| line.ends_with(", kept")).count();
    let (_, first, _) = folder.run(&["run"]);
    assert_eq!(kept(&first), 0, "{first}");
    let (code, again, _) = folder.run(&["run"]);
    assert_eq!((code, kept(&again)), (Some(1), 7), "{again}");
    assert_eq!(table(&first), table(&again));
    // Another option, another file, no wish to keep.
    assert_eq!(kept(&folder.run(&["run", "--", "--seed", "1"]).1), 0);
    assert_eq!(kept(&folder.run(&["run", "--fresh"]).1), 0);
    let model = folder.0.join("arbiter.aag");
    let text = fs::read_to_string(&model).expect("there");
    fs::write(&model, text + "more of the comment\n").expect("written");
    assert_eq!(kept(&folder.run(&["run"]).1), 4);
    // A damaged line is not believed, and neither is one for a file that is gone.
    fs::write(folder.0.join("pedra.results.jsonl"), "{\"mark\":\n").expect("written");
    assert_eq!(kept(&folder.run(&["run"]).1), 0);
    let tasks = "[task.a]\nfiles = [\"counter_wrap.aag\"]\ncertificate = \"a.aig\"\n";
    fs::write(folder.0.join("pedra.toml"), tasks).expect("written");
    assert_eq!(kept(&folder.run(&["run"]).1), 0);
    assert_eq!(kept(&folder.run(&["run"]).1), 1);
    fs::remove_file(folder.0.join("a.aig")).expect("written by the task");
    assert_eq!(kept(&folder.run(&["run"]).1), 0);
    assert!(folder.0.join("a.aig").exists());
}

/// A run that is stopped tells what it knows; the next one goes on.
#[test]
fn a_run_goes_on() {
    let tasks = "[task.first]\nfiles = [\"counter_wrap.aag\"]\n\
                 [task.endless]\nfiles = [\"fifo_data.btor2\"]\nengine = \"kind\"\n\
                 [task.last]\nfiles = [\"arbiter.aag\"]\n";
    let folder = Folder::new("on", tasks);
    let mut child = folder
        .command(&["run", "--junit", "r.xml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains("lost_or_outside") {
        assert!(output.read_line(&mut text).expect("text") > 0, "{text}");
    }
    let pending = fs::read_to_string(folder.0.join("r.xml")).expect("a report");
    assert!(pending.contains("has not ended"), "{pending}");
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    output.read_to_string(&mut text).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(3), "{text}");
    assert!(text.contains("unknown   b0 data_lost  interrupted"), "{text}");
    assert_eq!(table(&text)[3], "last 0 0 0 unknown", "{text}");
    let report = fs::read_to_string(folder.0.join("r.xml")).expect("a report");
    assert!(report.contains("interrupted before it was checked"), "{report}");
    // What was decided is kept, and only the rest is done.
    let (code, text, _) = folder.run(&["run", "--", "--depth", "9"]);
    assert_eq!((code, text.contains(", kept")), (Some(1), false), "{text}");
    let (_, text, _) = folder.run(&["run", "first"]);
    assert!(text.contains("proved    b0 count_is_seven") && text.contains(", kept"), "{text}");
}

#[test]
fn reports_of_all_tasks() {
    let folder = Folder::new("reports", TASKS);
    let (code, ..) = folder.run(&["run", "--junit", "r.xml", "--sarif", "r.sarif"]);
    assert_eq!(code, Some(1));
    let junit = fs::read_to_string(folder.0.join("r.xml")).expect("a report");
    assert!(junit.contains(r#"tests="7" failures="1" errors="0""#), "{junit}");
    assert!(junit.contains("<testsuite name=\"queue: fifo.btor2\""), "{junit}");
    let sarif = fs::read_to_string(folder.0.join("r.sarif")).expect("a report");
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    let runs = sarif["runs"].as_array().expect("a list");
    let counts: Vec<usize> =
        runs.iter().map(|run| run["results"].as_array().expect("a list").len()).collect();
    // The violation of the second task is expected.
    assert_eq!(counts, [0, 0, 0, 1]);
}

#[test]
fn checks_that_fail() {
    let tasks = "[task.good]\nfiles = [\"counter_wrap.aag\"]\n\
                 [task.missing]\nfiles = [\"missing.aag\"]\n";
    let folder = Folder::new("fail", tasks);
    let (code, text, errors) = folder.run(&["run", "--sarif", "r.sarif"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(errors.contains("missing.aag: cannot be read"), "{errors}");
    assert_eq!(table(&text)[1..], ["good 1 0 0 ok", "missing 0 0 0 failed"], "{text}");
    let sarif = fs::read_to_string(folder.0.join("r.sarif")).expect("a report");
    assert!(sarif.contains("\"executionSuccessful\": false"), "{sarif}");
    // Verdicts that cannot be kept are told all the same.
    fs::remove_file(folder.0.join("pedra.results.jsonl")).expect("of the first run");
    fs::create_dir(folder.0.join("pedra.results.jsonl")).expect("in the way");
    let (code, _, errors) = folder.run(&["run", "good"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("verdicts are not kept"), "{errors}");
}

/// A counter that reaches 250 at step 250.
const COUNTER: &str = "1 sort bitvec 8\n2 sort bitvec 1\n3 zero 1\n4 one 1\n5 state 1 s\n\
                       6 init 1 5 3\n7 add 1 5 4\n8 next 1 5 7\n9 constd 1 250\n10 zero 2\n\
                       11 eq 2 5 9\n";

/// A property that is open is asked for by number: the name of another one does not matter, and
/// neither does its kind.
#[test]
fn names_like_numbers() {
    let tasks = "[task.t]\nfiles = [\"m.btor2\"]\nengine = \"kind\"\ndepth = 20\n";
    let folder = Folder::new("numbers", tasks);
    fs::write(folder.0.join("m.btor2"), format!("{COUNTER}12 bad 10 b1\n13 bad 11 overflow\n"))
        .expect("written");
    for kept in [false, true] {
        let (code, text, errors) = folder.run(&["run", "--junit", "r.xml"]);
        assert_eq!((code, text.contains(", kept")), (Some(3), kept), "{text}{errors}");
        assert!(text.contains("unknown   b1 overflow"), "{text}");
        let junit = fs::read_to_string(folder.0.join("r.xml")).expect("a report");
        assert!(junit.contains(r#"tests="2""#), "{junit}");
    }
    let (code, text, _) = folder.run(&["check", "m.btor2", "--property-number", "1"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("violated  b1 overflow") && text.lines().count() == 1, "{text}");
    let (code, text, _) = folder.run(&["check", "m.btor2", "-p", "b1"]);
    assert_eq!((code, text.contains("b0 b1")), (Some(0), true), "{text}");
    let (code, _, errors) = folder.run(&["check", "m.btor2", "--property-number", "2"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("there is no property number 2; the last one is 1"), "{errors}");

    let tasks = "[task.t]\nfiles = [\"m.btor2\"]\nengines = [\"bmc\", \"auto\"]\ndepth = 3\n";
    let folder = Folder::new("sets", tasks);
    fs::write(folder.0.join("m.btor2"), format!("{COUNTER}12 bad 10\n13 justice 1 11\n"))
        .expect("written");
    let (code, text, errors) = folder.run(&["run"]);
    assert!(text.contains("violated  j0  lasso"), "{text}{errors}");
    assert_eq!(code, Some(1), "{text}{errors}");
}

/// The start of a check says what was read.
#[test]
fn a_check_says_what_it_has_read() {
    let folder = Folder::new("hash", TASKS);
    for name in ["fifo.btor2", "even.c"] {
        let (_, text, _) = folder.run(&["check", name, "--json", "--engine", "bmc", "-k", "1"]);
        let start: Value =
            serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
        let bytes = fs::read(folder.0.join(name)).expect("there");
        assert_eq!(start["sha256"], pedra_formats::sha256::sha256(&bytes), "{start}");
    }
}

/// What fails under one engine is not forgotten when the next one succeeds.
#[test]
fn the_worst_failure_stays() {
    let tasks = "[task.t]\nfiles = [\"counter_wrap.aag\"]\nengines = [\"bmc\", \"pdr\"]\n\
                 options = [\"pdr.ctg=1\"]\n";
    let folder = Folder::new("worst", tasks);
    let (code, text, errors) = folder.run(&["run"]);
    assert!(text.contains("proved    b0"), "{text}{errors}");
    assert!(errors.contains("engine bmc does not read it"), "{text}{errors}");
    assert_eq!(code, Some(2), "{text}{errors}");
}

/// No task writes what another one reads or writes, whatever it is called.
#[test]
fn files_of_tasks_do_not_clash() {
    let one = "[task.t]\nfiles = [\"fifo.btor2\"]\n";
    let two = "[task.u]\nfiles = [\"counter_wrap.aag\"]\n";
    for (first, second, what) in [
        ("vcd = \"counter_wrap.aag\"\n", "", "`counter_wrap.aag` is read by a task"),
        ("vcd = \"./counter_wrap.aag\"\n", "", "is read by a task"),
        ("record = \"pedra.toml\"\n", "", "is read by a task, or by the run itself"),
        ("record = \"pedra.results.jsonl\"\n", "", "is read by a task, or by the run itself"),
        ("vcd = \"o.vcd\"\n", "vcd = \"./o.vcd\"\n", "is one file for two models"),
        ("vcd = \"o.vcd\"\n", "trace = \"o.b0.vcd\"\n", "is one file for two models"),
    ] {
        let folder = Folder::new("clash", &format!("{one}{first}{two}{second}"));
        let (code, text, errors) = folder.run(&["run"]);
        assert_eq!(code, Some(2), "{first}{second}: {text}{errors}");
        assert!(errors.contains(what), "{first}{second}: {errors}");
    }
    let folder = Folder::new("clash", &format!("{one}vcd = \"o.vcd\"\n{two}vcd = \"p.vcd\"\n"));
    for (words, what) in [
        (["run", "--junit", "counter_wrap.aag"], "this is an input"),
        (["run", "--junit", "o.b2.vcd"], "named for two files"),
        (["run", "--sarif", "pedra.toml"], "this is an input"),
        (["run", "--sarif", "-"], "a report needs a file"),
    ] {
        let (code, _, errors) = folder.run(&words);
        assert_eq!(code, Some(2), "{words:?}: {errors}");
        assert!(errors.contains(what), "{words:?}: {errors}");
    }
    assert_eq!(folder.run(&["run", "--junit", "r.xml"]).0, Some(1));
}

#[test]
fn mistakes_have_a_place() {
    for (text, place, what) in [
        ("[task.a]\nfiles = [\"a.aag\"\n", "2:17", ""),
        ("", "1:1", "there is no task"),
        ("[tasks.a]\n", "1:2", "there is no `tasks` here"),
        ("task = 3\n", "1:1", "`task` is not a table"),
        ("[task]\na = 3\n", "2:1", "the task `a` is not a table"),
        ("[task.a]\ntimeout = \"1m\"\n", "1:7", "has no files"),
        ("[task.a]\nfiles = [\"a\"]\ntimout = 3\n", "3:1", "there is no key `timout`"),
        ("[task.a]\nfiles = [\"a\"]\njunit = \"x\"\n", "3:1", "there is no key `junit`"),
        ("[task.a]\nfiles = [\"a\", 2021-01-01]\n", "2:15", "not text"),
        ("[task.a]\nfiles = [\"a\"]\nengines = [\"pdr\", \"ic3\"]\n", "3:19", "no engine `ic3`"),
        ("[task.a]\nfiles = [\"a\"]\ntimeout = \"soon\"\n", "3:11", "'soon' is not a time"),
        ("[task.a]\nfiles = [\"a\"]\noptions = [\"pdr.x=1\"]\n", "3:12", "pdr.x"),
        ("[task.a]\nfiles = [\"a\"]\nthreads = 0\n", "3:11", "0"),
        ("[task.a]\nfiles = [\"a\"]\ntimeout = [\"1s\", \"2s\"]\n", "3:11", "takes one value"),
        ("[task.a]\nfiles = [\"a\"]\nexpect = \"safe\"\n", "3:10", "`expect` is"),
        ("[defaults]\nfiles = [\"a\"]\n", "2:1", "there is no key `files`"),
        (
            "[task.a]\nfiles = [\"a\"]\nengine = \"pdr\"\nengines = [\"kind\"]\n",
            "1:7",
            "both `engine` and `engines`",
        ),
    ] {
        let folder = Folder::new("mistakes", text);
        let (code, _, errors) = folder.run(&["run"]);
        assert_eq!(code, Some(2), "{text}");
        assert!(errors.starts_with(&format!("pedra.toml:{place}: ")), "{text}: {errors}");
        assert!(errors.contains(what), "{text}: {errors}");
    }
    let text = "[task.a]\nfiles = [\"arbiter.aag\", \"counter_wrap.aag\"]\nvcd = \"a.vcd\"\n";
    let (code, _, errors) = Folder::new("mistakes", text).run(&["run"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("one file for two models"), "{errors}");
}

/// Damaged files are tasks, or mistakes with a place: never a panic.
#[test]
fn damaged_files() {
    use pedra_testkit::damage::damage;
    use pedra_testkit::random::Random;
    let files = [
        "[defaults]\nengine = \"auto\"\ntimeout = \"30s\"\n\n[task.fifo]\nfiles = [\"fifo.btor2\"]\n\
         expect = { full = \"proved\", b1 = \"violated\" }\n",
        "[task.'é x']\nfiles = [\"even.c\"]\ndata-model = \"lp64\"\nproperty = [\"overflow\", \"b0\"]\n\
         option = [\"pdr.ctg=on\"]\nexpect = \"proved\"\ndepth = 12\n",
    ];
    let words = "[ ] = [task.x] [[task]] \" ' ''' \"\"\" { } , 1 -1 1e9 true 2024-01-01 files expect engine \
                 timeout depth option property defaults task é \\u0041 \\q # . a.b";
    let pool = files.map(|file| file.as_bytes().to_vec());
    let (mut good, mut bad) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random::new(Random::new(seed).word());
        let mut bytes = pool[random.below(pool.len())].clone();
        damage(&mut random, &mut bytes, &pool, words);
        // The command refuses bytes that are no text before it reads tasks.
        let Ok(text) = String::from_utf8(bytes) else { continue };
        match pedra::tasks::read::tasks(Path::new("pedra.toml"), &text) {
            Ok(_) => good += 1,
            Err(mistake) => {
                let told = mistake.to_string();
                assert!(told.starts_with("pedra.toml:") && told.len() > 20, "{told}\n{text}");
                bad += 1;
            }
        }
    }
    assert!(good > 5 && bad > 100, "{good} good, {bad} bad");
}
