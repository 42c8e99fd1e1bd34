//! What goes wrong on the way, by accident or on purpose: nothing hangs, and nothing is lost.

use crate::lies::{NEXT, make_queue};
use crate::nats::{Connection, Link, Server, base64};
use crate::runs::endless;
use crate::{Worker, check, finish_child, model, pedra, send_signal, verdicts, wait_until};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Output, Stdio};

/// A message with its version.
fn stamped(body: &Value) -> Vec<u8> {
    json!({ "wire": 3, "pedra": env!("CARGO_PKG_VERSION"), "body": body }).to_string().into_bytes()
}

/// What the store knows of an object of which nothing else is there.
fn publish_hollow(connection: &mut Connection, bucket: &str, name: &str, link: Option<&str>) {
    let link = link.map(|name| json!({ "name": name, "bucket": bucket }));
    let info = json!({ "name": name, "bucket": bucket, "nuid": "abc", "size": 10, "chunks": 1,
        "digest": "SHA-256=x", "deleted": false, "options": { "link": link } });
    let subject = format!("$O.{bucket}.M.{}", base64(name.as_bytes()));
    connection.publish(&subject, info.to_string().as_bytes());
}

/// An asker that is started and not waited for.
fn ask(server: &Server, words: &[&str]) -> Running {
    let mut command = pedra(&["check", "--json", "--cluster", &server.address()]);
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running(Some(command.spawn().expect("the program starts")))
}

/// A process that ends with the test, whatever happens.
struct Running(Option<Child>);

impl Running {
    fn child(&mut self) -> &mut Child {
        self.0.as_mut().expect("it was not waited for")
    }

    fn finish(mut self) -> Output {
        finish_child(self.0.take().expect("it was not waited for"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Takes a task off the queue: its body, and where it is acknowledged.
fn take_task(connection: &mut Connection) -> (Value, String) {
    connection.publish(NEXT, br#"{"batch":1,"expires":60000000000}"#);
    loop {
        let message = connection.next();
        let task = serde_json::from_slice::<Value>(&message.payload);
        if let (Ok(task), true) = (task, message.reply.starts_with("$JS.ACK")) {
            return (task["body"].clone(), message.reply);
        }
    }
}

/// Models of which only the name is there, and one that is a link to itself: a worker says that
/// there is no model, and goes on.
#[test]
fn a_hollow_model_stops_no_worker() {
    let Some(server) = Server::start("hollow-model", &[]) else { return };
    make_queue(&server);
    let mut connection = Connection::open(&server);
    let (hollow, circle) = ("a".repeat(64), "b".repeat(64));
    publish_hollow(&mut connection, "pedra_v3_models", &hollow, None);
    publish_hollow(&mut connection, "pedra_v3_models", &circle, Some(&circle));
    let lease = json!({ "host": "h", "model": "m", "properties": 1, "settled": "" });
    connection.publish("$KV.pedra_v3_leases.x", &stamped(&lease));
    for (id, hash) in [hollow, circle].iter().enumerate() {
        let recipe = json!({ "engine": "auto", "liveness": "auto", "depth": null, "options": [],
            "reduce": ["all"], "solver": null, "array_bits": 65536, "threads": 1, "seed": 0 });
        let task = json!({ "job": "x", "id": id, "model": hash, "properties": [0],
            "recipe": recipe, "limit_ms": null, "memory": null });
        connection.publish(&format!("pedra.v3.work.x.{id}"), &stamped(&task));
    }
    let _worker = Worker::start(&server);
    let name = model("counter_wrap.aag");
    let told = verdicts(&check(Some(&server.address()), &[&name]));
    assert_eq!(told, verdicts(&check(None, &[&name])));
}

/// Evidence of which only the name is there, that is a link to itself, or of another job: the
/// asker goes on, and hears the next worker.
#[test]
fn hollow_evidence_stops_no_asker() {
    let Some(server) = Server::start("hollow-evidence", &[]) else { return };
    make_queue(&server);
    let mut connection = Connection::open(&server);
    let name = model("counter_wrap.aag");
    let asker = ask(&server, &["--engine", "pdr", &name]);
    let (task, reply) = take_task(&mut connection);
    let job = task["job"].as_str().expect("a job");
    let (hollow, circle) = (format!("{job}-hollow"), format!("{job}-circle"));
    publish_hollow(&mut connection, "pedra_v3_evidence", &hollow, None);
    publish_hollow(&mut connection, "pedra_v3_evidence", &circle, Some(&circle));
    for stored in [hollow, circle, "other-job".to_owned()] {
        let claim = json!({ "claim": { "engine": "pdr", "stored": stored } });
        let report = json!({ "task": task["id"], "worker": "liar", "what": claim });
        connection.publish(&format!("pedra.v3.result.{job}"), &stamped(&report));
    }
    connection.publish(&reply, b"-NAK");
    let _worker = Worker::start(&server);
    let output = asker.finish();
    assert_eq!(verdicts(&output), verdicts(&check(None, &[&name])));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("evidence that is not there") && text.contains("another job"), "{text}");
}

/// However much a worker invents, there is an end of what is looked at, and of what is said about
/// it, and reports about tasks that nobody gave out count for nothing.
#[test]
fn complaints_have_an_end() {
    let Some(server) = Server::start("complaints", &[]) else { return };
    make_queue(&server);
    let mut connection = Connection::open(&server);
    let asker = ask(&server, &["--engine", "pdr", &model("counter_wrap.aag")]);
    let (task, reply) = take_task(&mut connection);
    let subject = format!("pedra.v3.result.{}", task["job"].as_str().expect("a job"));
    let claim = json!({ "claim": { "engine": "pdr", "stored": null } });
    for number in 0..300 {
        let report = json!({ "task": task["id"], "worker": "liar", "what": claim });
        let evidence = json!({ format!("nonsense{number}"): 1 }).to_string();
        let payload = [&stamped(&report)[..], b"\n", evidence.as_bytes()].concat();
        connection.publish(&subject, &payload);
    }
    let done = json!({ "done": { "left": [], "cpu_ms": 1 } });
    for number in 0..300 {
        let worker = format!("liar{number}");
        let unknown = json!({ "task": 1_000_000, "worker": worker, "what": done });
        connection.publish(&subject, &stamped(&unknown));
    }
    connection.publish(&reply, b"-NAK");
    let _worker = Worker::start(&server);
    let output = asker.finish();
    assert_eq!(verdicts(&output)[&0], "proved");
    let text = String::from_utf8_lossy(&output.stderr);
    let refused = text.lines().filter(|line| line.contains("cannot be read")).count();
    assert_eq!(refused, 16, "{text}");
    let said = text.lines().filter(|line| line.contains("worker liar")).count();
    assert!(said == 100 && text.contains("further messages about workers"), "{said}: {text}");
}

/// A task that was taken off the queue without a result is given out again, even if the queue
/// never gets empty.
#[test]
fn a_lost_task_is_given_out_again() {
    let Some(server) = Server::start("lost", &[]) else { return };
    let _busy = Worker::start(&server);
    let endless = endless();
    let words: Vec<&str> = endless.iter().map(String::as_str).collect();
    let mut other = ask(&server, &words);
    wait_until(&server, |status| status["running"] == 1);
    let name = model("counter_wrap.aag");
    let asker = ask(&server, &["--engine", "pdr", &name]);
    let mut connection = Connection::open(&server);
    let (_, reply) = take_task(&mut connection);
    connection.publish(&reply, b"+ACK");
    let _worker = Worker::start(&server);
    let output = asker.finish();
    assert_eq!(verdicts(&output)[&0], "proved");
    send_signal("-INT", other.child());
    other.finish();
}

/// The server goes for good. The asker ends at its time, and a worker with a result that nobody
/// takes ends when it is asked to.
#[test]
fn both_sides_end_without_a_server() {
    let Some(mut server) = Server::start("gone", &[]) else { return };
    let mut worker = Worker::start_with(&server, &["--timeout", "4"]);
    let endless = endless();
    let words: Vec<&str> = endless.iter().map(String::as_str).chain(["--timeout", "20"]).collect();
    let asker = ask(&server, &words);
    wait_until(&server, |status| status["running"] == 1);
    server.kill();
    // By now the task is over on any machine; if not, the worker has less to do.
    std::thread::sleep(std::time::Duration::from_secs(16));
    send_signal("-TERM", &worker.0);
    assert_eq!(worker.wait(), Some(0));
    let output = asker.finish();
    assert_eq!((output.status.code(), verdicts(&output)[&0].as_str()), (Some(3), "unknown"));
}

/// A link that is dead without a word: the worker notices, and connects anew.
#[test]
fn a_dead_link_is_noticed() {
    let Some(server) = Server::start("link", &[]) else { return };
    let link = Link::start(&server);
    let address = format!("nats://127.0.0.1:{}", link.port);
    let _worker = Worker::start_at(&address, &[]);
    wait_until(&server, |status| status["idle"] == 1);
    link.cut(1);
    let name = model("counter_wrap.aag");
    let told = verdicts(&check(Some(&server.address()), &[&name]));
    assert_eq!(told, verdicts(&check(None, &[&name])));
}

/// Who waits for workers that are not there is told, and how to start one.
#[test]
fn an_asker_without_workers_says_so() {
    let Some(server) = Server::start("alone", &[]) else { return };
    let mut asker = ask(&server, &[&model("counter_wrap.aag")]);
    let mut lines = BufReader::new(asker.child().stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("there is no worker") {
        line.clear();
        assert!(lines.read_line(&mut line).expect("a line") > 0, "it has ended");
    }
    let how = format!("pedra worker --cluster {}", server.address());
    assert!(line.contains(&how), "{line}");
    // It waits, and a worker that comes is heard.
    let _worker = Worker::start(&server);
    assert_eq!(verdicts(&asker.finish())[&0], "proved");
}
