//! `pedra explain`, `check --report` and `simulate --why`: pages tell what the run told, and files
//! that are no records are refused by name.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    let _ = std::fs::remove_file(&path);
    path
}

fn pedra(arguments: &[&dyn AsRef<std::ffi::OsStr>]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pedra"));
    command.args(arguments.iter().map(|argument| argument.as_ref()));
    command.output().expect("pedra starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The data of a page, which no markup in it can end.
fn data(page: &Path) -> Value {
    let text = std::fs::read_to_string(page).expect("a page");
    let (_, rest) = text.split_once("id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("its end");
    assert!(!data.contains('<') && !data.contains('>') && !data.contains('&'));
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn a_page_of_a_run_is_the_page_of_its_record() {
    let (page, record, again) = (file("fifo.html"), file("fifo.jsonl"), file("again.html"));
    let fifo = model("fifo.btor2");
    let output = pedra(&[&"check", &fifo, &"-e", &"pdr", &"--report", &page, &"--record", &record]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(stdout(&output).lines().count(), 3, "{output:?}");
    let output = pedra(&[&"explain", &"--from", &record, &fifo, &"-o", &again]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let (first, mut second) = (data(&page), data(&again));
    assert_eq!(second["run"]["fromFile"], true);
    second["run"]["fromFile"] = false.into();
    assert_eq!(first, second);
    // What the page says of the run is what the run has told.
    let lines = std::fs::read_to_string(&record).expect("a record");
    assert_eq!(first["run"]["events"], lines.lines().count() - 1);
    let verdicts: Vec<&Value> =
        first["properties"].as_array().expect("a list").iter().map(|p| &p["verdict"]).collect();
    assert_eq!(verdicts, ["proved", "proved", "violated"]);
    let learned = lines.matches("\"event\":\"learned\"").count();
    assert_eq!(first["towers"][0]["total"]["lemmas"], learned);
    assert_eq!(first["towers"][0]["lemmas"]["born"].as_array().expect("a list").len(), learned);
    let trace = &first["traces"][0];
    assert_eq!((&trace["property"], &trace["steps"]), (&2.into(), &5.into()));
    assert_eq!(first["invariants"][0]["properties"], serde_json::json!([0, 1]));
    let stages = first["stages"].as_array().expect("a list");
    let names: Vec<&Value> = stages.iter().map(|stage| &stage["name"]).collect();
    assert_eq!(names[..2], ["model, words", "bits"]);
}

#[test]
fn a_limit_leaves_a_page() {
    let page = file("limit.html");
    let counter = model("word/sim_inv_32.btor2");
    let output = pedra(&[&"explain", &counter, &"-e", &"pdr", &"--timeout", &"1s", &"-o", &page]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let data = data(&page);
    assert_eq!(data["properties"][0]["verdict"], "unknown");
    assert_eq!(data["properties"][0]["reason"], "time limit reached");
    assert_eq!(data["run"]["whole"], true);
    assert_eq!(data["towers"][0]["patterns"][0][0], serde_json::json!(["x", "n"]));
    let left = std::fs::read_dir(page.parent().expect("a folder")).expect("a folder");
    let left = left.flatten().filter(|f| f.file_name().to_string_lossy().starts_with(".pedra"));
    assert_eq!(left.count(), 0, "something is left behind");
}

#[test]
fn other_files_are_refused() {
    let (record, page) = (file("arbiter.jsonl"), file("refused.html"));
    let arbiter = model("arbiter.aag");
    pedra(&[&"check", &arbiter, &"-e", &"pdr", &"--record", &record]);
    let refused = |record: &Path, model: &Path, message: &str| {
        let output = pedra(&[&"explain", &"--from", &record, &model, &"-o", &page]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
        assert!(!page.exists());
    };
    refused(&record, &model("lock.btor2"), "the record of another model");
    refused(&arbiter, &arbiter, "no record of a run");
    refused(Path::new("no/such/file"), &arbiter, "no/such/file");
    let text = std::fs::read_to_string(&record).expect("a record");
    let damaged = |name: &str, text: &str| {
        let path = file(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let old = text.replacen("\"schema\":1", "\"schema\":0", 1);
    refused(&damaged("old.jsonl", &old), &arbiter, "schema 0");
    let garbled = text.replacen("\"event\":\"frame\"", "\"event\":frame", 1);
    refused(&damaged("garbled.jsonl", &garbled), &arbiter, "line ");
    let lying = text.replace("witness\":\"1\\nb2", "witness\":\"1\\nb0");
    assert_ne!(lying, text);
    refused(&damaged("lying.jsonl", &lying), &arbiter, "the witness in the record");
    // The last lines may be missing; the page says so.
    let half = damaged("half.jsonl", &text[..text.len() / 2]);
    let output = pedra(&[&"explain", &"--from", &half, &arbiter, &"-o", &page]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(data(&page)["run"]["whole"], false);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let lock = model("lock.btor2");
    let refused = |arguments: &[&dyn AsRef<std::ffi::OsStr>], message: &str| {
        let output = pedra(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    };
    refused(&[&"check", &lock, &"-o", &"run.html"], "--report run.html");
    refused(&[&"explain", &lock, &"-o", &"a.html", &"-o", &"b.html"], "one page");
    refused(&[&"explain", &lock, &"--from", &"a", &"-e", &"pdr"], "cannot be used with");
    refused(&[&"explain", &lock, &"--from", &"a", &"-o", &"pdr.ctg=1"], "nothing runs");
    refused(&[&"explain", &lock, &"-o", &"no/such/folder/a.html"], "no such folder");
    refused(&[&"simulate", &lock, &"--why", &"opened@3"], "<WITNESS>");
}

/// Names that would be markup are data.
#[test]
fn names_are_data() {
    let (hostile, page) = (file("hostile.btor2"), file("hostile.html"));
    let name = "</script><script>alert(1)</script>";
    let long = "n".repeat(10_000);
    let text = format!(
        "1 sort bitvec 1\n2 zero 1\n3 state 1 {name}\n4 init 1 3 2\n5 input 1 \u{202e}{long}\n\
         6 next 1 3 5\n7 bad 3 {name}\n"
    );
    std::fs::write(&hostile, text).expect("written");
    let output = pedra(&[&"explain", &hostile, &"-e", &"pdr", &"-o", &page]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let data = data(&page);
    assert_eq!(data["properties"][0]["name"], name);
    let names = data["traces"][0]["signals"].as_array().expect("signals");
    assert!(names.iter().any(|signal| signal["name"].as_str().expect("text").len() > 10_000));
}

/// Lifted PDR tells what its lemmas say, and where.
#[test]
fn programs_have_locations_and_formulas() {
    let (page, record) = (file("counter.html"), file("counter.jsonl"));
    let counter = model("programs/counter.c");
    let output =
        pedra(&[&"explain", &counter, &"-e", &"program", &"-o", &page, &"--record", &record]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let data = data(&page);
    let program = &data["program"];
    assert!(program["source"].as_str().expect("text").contains("while (x < 10)"));
    let kinds: Vec<&Value> = program["graphs"][0]["locations"]
        .as_array()
        .expect("locations")
        .iter()
        .map(|location| &location["kind"])
        .collect();
    assert_eq!(kinds, ["entry", "loop", "error"]);
    let lemmas = &data["towers"][0]["lemmas"];
    assert_eq!((&lemmas["claim"][0], &lemmas["place"][0]), (&"x > 10".into(), &1.into()));
    assert_eq!(data["properties"][0]["invariants"][0]["conjuncts"][0], "x <= 10");

    let output = pedra(&[&"explain", &model("programs/midpoint.c"), &"-o", &page]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let steps = self::data(&page)["program"]["runs"][0]["steps"].clone();
    assert_eq!(steps.as_array().expect("steps").len(), 6);
    assert_eq!(steps[3]["changes"][0][0], "middle");
}

#[test]
fn why_a_value_is_what_it_is() {
    let witness = file("fifo.wit");
    let fifo = model("fifo.btor2");
    pedra(&[&"check", &fifo, &"-p", &"full", &"-e", &"bmc", &"--trace", &witness]);
    let output = pedra(&[&"simulate", &fifo, &witness, &"--why", &"full@4"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["full@4 = 1", "└ count@4 = 100"]);
    assert!(lines.iter().any(|line| line.contains("count@3 = 011")), "{text}");
    assert!(lines.iter().any(|line| line.contains("push@0 = 1")), "{text}");
    for (asked, message) in [
        ("full", "a signal and a step"),
        ("full@9", "the steps are 0 to 4"),
        ("nothing@1", "there is no signal"),
    ] {
        let output = pedra(&[&"simulate", &fifo, &witness, &"--why", &asked]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

/// Justice sets have pages, too, proved and violated, and reasons for the values of a lasso.
#[test]
fn justice_sets() {
    let start = "1 sort bitvec 2\n2 sort bitvec 1\n3 zero 1\n4 one 1\n5 state 1 c\n6 init 1 5 3\n\
                 7 add 1 5 4\n8 next 1 5 7\n9 constd 1 3\n10 eq 2 5 9\n11 zero 2\n";
    for (name, end, code, verdict) in [
        ("violated", "12 justice 1 10\n", 1, "violated"),
        ("proved", "12 justice 2 10 11\n", 0, "proved"),
    ] {
        let model = file(&format!("{name}.btor2"));
        std::fs::write(&model, format!("{start}{end}")).expect("written");
        let (page, record) = (file(&format!("{name}.html")), file(&format!("{name}.jsonl")));
        let output = pedra(&[&"explain", &model, &"--report", &page, &"--record", &record]);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(stderr(&output).contains("page written"), "{output:?}");
        let first = data(&page);
        assert_eq!(first["properties"][0]["verdict"], verdict, "{first}");
        let shown = first["traces"].as_array().expect("a list").len();
        assert_eq!(shown, usize::from(code == 1), "{first}");
        let again = file(&format!("{name}-again.html"));
        let output = pedra(&[&"explain", &"--from", &record, &model, &"-o", &again]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(data(&again)["properties"], first["properties"]);
    }
    let (model, witness) = (file("lasso.btor2"), file("lasso.wit"));
    std::fs::write(&model, format!("{start}12 justice 1 10\n")).expect("written");
    let output = pedra(&[&"check", &model, &"--trace", &witness]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let output = pedra(&[&"simulate", &model, &witness, &"--why", &"c@3"]);
    assert_eq!(stdout(&output).lines().next(), Some("c@3 = 11"), "{output:?}");
    assert_eq!(stdout(&output).lines().count(), 4, "{output:?}");
    let output = pedra(&[&"simulate", &model, &witness, &"--why", &"loop@3"]);
    assert_eq!(stdout(&output), "loop@3 = 1\n", "{output:?}");
}

/// A page that cannot be written is not said to be.
#[test]
fn a_page_that_is_not_written() {
    let output = pedra(&[&"check", &model("lock.btor2"), &"--report", &"/dev/full"]);
    let errors = stderr(&output);
    assert!(errors.contains("cannot be written") && !errors.contains("page written"), "{errors}");
}

/// The page of a run that goes on: at one address, and nowhere else.
#[test]
fn a_live_page_has_one_address() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    let page = file("live.html");
    let mut run = Command::new(env!("CARGO_BIN_EXE_pedra"))
        .args(["explain", "--live", "-e", "pdr", "--timeout", "4s", "--report"])
        .arg(&page)
        .arg(model("word/sim_inv_32.btor2"))
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("pedra starts");
    let mut lines = BufReader::new(run.stderr.take().expect("a pipe")).lines();
    let line = lines.next().expect("a line").expect("text");
    let address = line.strip_prefix("live page http://").expect("an address");
    let (host, token) = address.split_once('/').expect("a token");
    assert!(host.starts_with("127.0.0.1:") && token.len() == 33, "{address}");
    let ask = |request: &str| {
        let mut stream = TcpStream::connect(host).expect("it listens");
        write!(stream, "{request} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    for request in ["GET /", "GET /0/", "GET /../../etc/passwd", "POST /"] {
        let answer = ask(request);
        assert!(answer.starts_with("HTTP/1.1 404 ") && answer.ends_with("\r\n\r\n"), "{answer}");
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let answer = ask(&format!("GET /{token}"));
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("http-equiv=\"refresh\"") && answer.contains("The run is going on"));
    // The last page asks for nothing, and then there is no server. A busy machine takes its time.
    loop {
        std::thread::sleep(std::time::Duration::from_millis(200));
        let answer = ask(&format!("GET /{token}"));
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        if !answer.contains("http-equiv=\"refresh\"") {
            break;
        }
    }
    assert_eq!(run.wait().expect("it ends").code(), Some(3));
    assert!(TcpStream::connect(host).is_err() && page.exists());
}
