//! Programs and large arrays through workers.

use crate::lies::{lie, make_queue};
use crate::nats::Server;
use crate::{Worker, check, finish, pedra, verdicts, wait_until};
use pedra_check::{Graphs, ProofGraph};
use pedra_cluster::program_evidence::fingerprint;
use pedra_model::random::Random;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Output;

/// A program of this project.
fn program(name: &str) -> String {
    format!("{}/../../models/programs/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A file that is there as long as the test.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> File {
        let path = std::env::temp_dir().join(format!("pedra-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("a temporary file");
        File(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("text")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Property, verdict, and name: what a verdict line says but for engine, time and size.
fn lines(output: &Output) -> Vec<(u64, String, String)> {
    let text = String::from_utf8_lossy(&output.stdout);
    let all = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let mut found: Vec<_> = all
        .filter(|line: &Value| line["event"] == "property")
        .map(|line| {
            let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            (line["property"].as_u64().expect("a number"), text("verdict"), text("name"))
        })
        .collect();
    found.sort();
    found
}

/// An array of 2^32 bytes, at first 0, into which only bytes below 128 are written. No byte has its
/// highest bit; one is 55.
const MEMORY: &str = "1 sort bitvec 1\n2 sort bitvec 32\n3 sort bitvec 8\n4 sort array 2 3\n\
    5 zero 3\n6 state 4 mem\n7 init 4 6 5\n8 input 2 address\n9 input 3 data\n10 constd 3 127\n\
    11 and 3 9 10\n12 write 4 6 8 11\n13 next 4 6 12\n14 input 2 place\n15 read 3 6 14\n\
    16 slice 1 15 7 7\n17 bad 16 high\n18 constd 3 55\n19 eq 1 15 18\n20 bad 19 found\n";

#[test]
fn workers_say_of_programs_what_one_process_says() {
    let Some(server) = Server::start("programs", &[]) else { return };
    // Workers need no compiler: they find no program at all.
    let _workers = [0, 1].map(|_| Worker::start_blind(&server));
    wait_until(&server, |status| status["workers"].as_array().is_some_and(|w| w.len() == 2));
    let memory = File::new("memory.btor2", MEMORY);
    let source = "#define LIMIT 10\nvoid reach_error(void) {}\nint limited(int n) {\n  \
                  if (n > LIMIT) reach_error(); return n + 1; }\n\
                  int main(void) { int i = 0; while (i < LIMIT) i = limited(i); return i; }\n";
    let source = File::new("limited.c", source);
    let undefined = "void reach_error(void) {}\nextern int __VERIFIER_nondet_int(void);\n\
                     int main(void) { int x = __VERIFIER_nondet_int();\n\
                     if (x > 0 && x + 1 < 0) reach_error(); return 0; }\n";
    let undefined = File::new("undefined.c", undefined);
    let path = program;
    let asked: [(String, &[&str]); 15] = [
        (path("counter.c"), &[]),
        (path("lock.c"), &[]),
        (path("descent.c"), &[]),
        (path("factorial.c"), &["--engine", "kind"]),
        (path("even_odd.c"), &["-p", "b0"]),
        (path("fill.c"), &[]),
        (path("midpoint.c"), &["--engine", "bmc"]),
        (source.path().to_owned(), &[]),
        (source.path().to_owned(), &["--function", "limited", "-p", "overflow,reach"]),
        (path("nested.bpl"), &[]),
        (path("bytes.bpl"), &[]),
        (path("ackermann.bpl"), &["-p", "b0", "-p", "b2"]),
        (path("counter.smt2"), &[]),
        (path("fibonacci.smt2"), &[]),
        (memory.path().to_owned(), &[]),
    ];
    for (path, more) in &asked {
        let words: Vec<&str> = more.iter().copied().chain([path.as_str()]).collect();
        let (here, there) = (check(None, &words), check(Some(&server.address()), &words));
        assert_eq!(lines(&there), lines(&here), "{words:?}: {there:?}");
        assert!(lines(&here).iter().all(|(_, verdict, _)| verdict != "unknown"), "{words:?}");
        assert_eq!(there.status.code(), here.status.code(), "{words:?}");
        let said = String::from_utf8_lossy(&there.stderr);
        assert!(!said.contains("not accepted") && !said.contains("cannot be read"), "{said}");
    }
    // The operation that is undefined was replayed by the asker.
    let output = check(Some(&server.address()), &[undefined.path(), "--timeout", "60"]);
    assert_eq!(lines(&output)[0].1, "unknown");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("a run with signed overflow at"), "{text}");
    // Evidence is written by the asker, as ever.
    let (path, witness) = (path("lock.c"), File::new("lock.yml", ""));
    check(Some(&server.address()), &[&path, "--witness", witness.path()]);
    let certify = finish(pedra(&["certify", &path, witness.path()]));
    assert_eq!(certify.status.code(), Some(0), "{certify:?}");
}

/// The number of the graph that proofs about a program of this project are about: a liar may know
/// it.
fn graph_of(name: &str) -> String {
    let bytes = std::fs::read(program(name)).expect("a program");
    let program = match name.rsplit('.').next() {
        Some("c") => pedra_c::load(&bytes, name, &pedra_c::Options::default()).ok(),
        Some("bpl") => pedra_boogie::read(&bytes, name).ok(),
        _ => pedra_horn::read_program(name, &bytes).ok(),
    };
    let program = program.expect("it can be read");
    let inlined = Graphs::new(&program).get(ProofGraph::Plain).expect("it is small");
    fingerprint(&inlined.program)
}

/// A claim about the first property of a task: a proof without invariants, one with any, a run.
fn random_claim(random: &mut Random, task: &Value, known: &str) -> Value {
    let property = task["properties"][0].clone();
    let number = |random: &mut Random| random.below(40);
    let place = |random: &mut Random| json!([random.below(12), [random.below(40)]]);
    let proof = |invariants: Value, k: usize, graph: Value| {
        json!({ "places": { "graph": graph, "fingerprint": known, "properties": [property],
            "terms": [{ "const": "1" }, { "const": "0" }], "positions": [],
            "invariants": invariants, "k": k } })
    };
    match random.below(4) {
        0 => proof(json!([]), 1, json!("plain")),
        1 => {
            let invariants: Vec<Value> = (0..random.below(4)).map(|_| place(random)).collect();
            proof(json!(invariants), random.between(0, 3), json!("plain"))
        }
        2 => proof(json!([]), 1, json!({ "bounded": number(random) })),
        _ => {
            let initial: Vec<String> =
                (0..random.below(4)).map(|_| format!("{:08x}", number(random))).collect();
            let step = |random: &mut Random| {
                json!([random.below(2), number(random), vec!["00000001"; random.below(2)]])
            };
            let steps: Vec<Value> = (0..random.below(9)).map(|_| step(random)).collect();
            json!({ "run": { "property": property, "initial": initial, "steps": steps } })
        }
    }
}

#[test]
fn a_lying_worker_is_caught_on_programs() {
    let Some(server) = Server::start("program-lies", &[]) else { return };
    make_queue(&server);
    for (seed, name) in ["counter.c", "lock.c", "nested.bpl", "up_down.smt2"].iter().enumerate() {
        let known = graph_of(name);
        lie(&server, seed as u64, move |random, task| random_claim(random, task, &known));
        let path = program(name);
        let expected = verdicts(&check(None, &[&path]));
        let told = verdicts(&check(Some(&server.address()), &[&path]));
        assert_eq!(told.len(), expected.len(), "{name}");
        for (property, verdict) in told {
            let is_true = verdict == "unknown" || verdict == expected[&property];
            assert!(is_true, "{name}: property {property} is not {verdict}");
        }
    }
}
