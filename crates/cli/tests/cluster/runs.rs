//! Askers and workers that work, and what happens when they are stopped.

use crate::nats::{Connection, Server};
use crate::{
    Worker, check, finish, finish_child, model, pedra, send_signal, status, verdicts, wait_until,
};
use std::process::Stdio;

/// A property that is true but not k-inductive: k-induction never ends on it.
pub fn endless() -> Vec<String> {
    let words = ["--engine", "kind", "--property", "b0"].map(str::to_owned);
    words.into_iter().chain([model("fifo_data.btor2")]).collect()
}

#[test]
fn workers_say_what_one_process_says() {
    let Some(server) = Server::start("same", &[]) else { return };
    let _workers = [Worker::start(&server), Worker::start(&server)];
    wait_until(&server, |status| status["workers"].as_array().is_some_and(|w| w.len() == 2));
    // Several properties, violations, constraints, memories, lassos, and words.
    for (name, more) in [
        ("arbiter.aag", &[][..]),
        ("fifo_bug.btor2", &[]),
        ("traffic_light.btor2", &[]),
        ("turns.btor2", &[]),
        ("justice_only.aag", &[]),
        ("constraint.aag", &["--engine", "pdr", "-o", "pdr.ctg=1"]),
        ("lock.btor2", &["--engine", "bmc", "--depth", "3"]),
    ] {
        let path = model(name);
        let words: Vec<&str> = more.iter().copied().chain([path.as_str()]).collect();
        let (here, there) = (check(None, &words), check(Some(&server.address()), &words));
        assert_eq!(verdicts(&there), verdicts(&here), "{name}");
        assert_eq!(there.status.code(), here.status.code(), "{name}: {there:?}");
    }
    let status = status(&server);
    assert_eq!(status["jobs"].as_array().map(Vec::len), Some(0), "{status}");
    // Evidence is written by the asker, as ever.
    let folder = std::env::temp_dir().join(format!("pedra-same-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let (file, path) = (folder.join("trace.btor2.wit"), model("fifo_bug.btor2"));
    let words = [&path, "--trace", file.to_str().expect("text")];
    check(Some(&server.address()), &words);
    let certify = finish(pedra(&["certify", &path, file.to_str().expect("text")]));
    assert_eq!(certify.status.code(), Some(0));
    std::fs::remove_dir_all(&folder).expect("it is there");
}

#[test]
fn an_interrupt_frees_the_worker() {
    let Some(server) = Server::start("interrupt", &[]) else { return };
    let worker = Worker::start(&server);
    let asker = pedra(&["check", "--json", "--cluster", &server.address()])
        .args(endless())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    wait_until(&server, |status| status["running"] == 1);
    send_signal("-INT", &asker);
    let output = finish_child(asker);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3));
    assert!(text.contains("\"unknown\"") && text.contains("interrupted"), "{text}");
    wait_until(&server, |status| status["running"] == 0 && status["idle"] == 1);
    drop(worker);
}

/// A worker that is asked to end gives its task back; another one takes it.
#[test]
fn work_moves_to_another_worker() {
    let Some(server) = Server::start("moves", &[]) else { return };
    let mut first = Worker::start(&server);
    let asker = pedra(&["check", "--json", "--timeout", "60", "--cluster", &server.address()])
        .args(endless())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    wait_until(&server, |status| status["running"] == 1);
    send_signal("-TERM", &first.0);
    assert_eq!(first.wait(), Some(0));
    let _second = Worker::start(&server);
    wait_until(&server, |status| status["running"] == 1 && status["redelivered"] == 1);
    send_signal("-INT", &asker);
    let output = finish_child(asker);
    assert_eq!(verdicts(&output)[&0], "unknown");
}

/// The server goes and comes back while work waits: nothing is lost.
#[test]
fn the_queue_survives_a_restart() {
    let Some(mut server) = Server::start("restart", &[]) else { return };
    let name = model("traffic_light.btor2");
    let expected = verdicts(&check(None, &[&name]));
    let asker = pedra(&["check", "--json", "--cluster", &server.address(), &name])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    wait_until(&server, |status| status["waiting"].as_u64() > Some(0));
    server.restart();
    let _worker = Worker::start(&server);
    let output = finish_child(asker);
    assert_eq!(verdicts(&output), expected);
}

/// The asker is killed without a word: its tasks are dropped when a worker comes to them.
#[test]
fn nonsense_in_the_queue_stops_nobody() {
    let Some(server) = Server::start("nonsense", &[]) else { return };
    status(&server);
    let mut connection = Connection::open(&server);
    let task = |job: &str, model: &str| {
        let version = env!("CARGO_PKG_VERSION");
        format!(
            r#"{{"wire":3,"pedra":"{version}","body":{{"job":"{job}","id":1,"model":"{model}",
            "properties":[0],"recipe":{{"engine":"auto","liveness":"auto","depth":null,"options":[],
            "reduce":["all"],"solver":null,"array_bits":65536,"threads":1,"seed":0}},
            "limit_ms":null,"memory":null}}}}"#
        )
    };
    let hash = "0".repeat(64);
    // No JSON, no task, a job whose name is a pattern, a model that is no hash, no asker.
    let tasks = ["x".to_owned(), task("a.>", &hash), task("b", "../x"), task("c", &hash)];
    for text in tasks {
        connection.publish("pedra.v3.work.x.1", text.as_bytes());
    }
    let _worker = Worker::start(&server);
    let name = model("counter_wrap.aag");
    let told = verdicts(&check(Some(&server.address()), &[&name]));
    assert_eq!(told, verdicts(&check(None, &[&name])));
    wait_until(&server, |status| status["waiting"] == 0 && status["running"] == 0);
}

#[test]
fn what_cannot_run_elsewhere_is_refused() {
    let c_file = model("programs/counter.c");
    let name = model("counter_wrap.aag");
    let address = "nats://127.0.0.1:1";
    for (words, expected) in [
        (vec!["check", &c_file, "--cluster", address, "--queries", "q"], "--queries: not with"),
        (vec!["check", &c_file, "--cluster", address], "127.0.0.1:1"),
        (vec!["check", &name, "--cluster", address, "--record", "r"], "--record: not with"),
        (vec!["explain", &name, "--cluster", address, "--report", "r.html"], "--report: not with"),
        (vec!["check", &name, "--cluster-ca", "x"], "--cluster-ca: only with --cluster"),
        (vec!["check", &name, "--cluster", address], "127.0.0.1:1"),
    ] {
        let output = finish(pedra(&words));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.contains(expected), "{words:?}: {text}");
    }
}
