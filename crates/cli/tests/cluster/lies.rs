//! Workers that lie: nothing that they say is printed.

use crate::nats::{Connection, Message, Server};
use crate::{Worker, check, model, verdicts};
use pedra_model::random::Random;
use serde_json::{Value, json};

pub const NEXT: &str = "$JS.API.CONSUMER.MSG.NEXT.pedra_v3_work.pedra_v3_workers";

/// A worker that answers without looking at the model. Serves tasks until the server is gone.
struct Liar {
    connection: Connection,
    random: Random,
    version: String,
}

impl Liar {
    fn serve(&mut self, how: &dyn Fn(&mut Random, &Value) -> Value) {
        loop {
            self.connection.publish(NEXT, br#"{"batch":1,"expires":60000000000}"#);
            let Message { reply, payload } = self.connection.next();
            let Ok(task) = serde_json::from_slice::<Value>(&payload) else { continue };
            if !reply.starts_with("$JS.ACK") {
                continue;
            }
            let task = &task["body"];
            let evidence = how(&mut self.random, task);
            let claim = json!({ "claim": { "engine": "pdr", "stored": null } });
            // Twice: what comes twice counts once.
            for _ in 0..2 {
                self.report(task, &claim, &evidence.to_string());
            }
            self.report(task, &json!({ "done": { "left": [], "cpu_ms": 1 } }), "");
            self.connection.publish(&reply, b"+ACK");
        }
    }

    fn report(&mut self, task: &Value, what: &Value, evidence: &str) {
        let body = json!({ "task": task["id"], "worker": "liar", "what": what });
        let head = json!({ "wire": 3, "pedra": self.version, "body": body });
        let subject = format!("pedra.v3.result.{}", task["job"].as_str().expect("a job"));
        self.connection.publish(&subject, format!("{head}\n{evidence}").as_bytes());
    }
}

/// Starts a liar on a thread, which ends with the server.
pub fn lie(
    server: &Server,
    seed: u64,
    how: impl Fn(&mut Random, &Value) -> Value + Send + 'static,
) {
    // The worker makes the queue; a liar only uses it.
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let connection = Connection::open(server);
    let mut liar = Liar { connection, random: Random::new(seed), version };
    std::thread::spawn(move || {
        // It panics when the server goes, which is how it ends.
        let serve = std::panic::AssertUnwindSafe(|| liar.serve(&how));
        let _ = std::panic::catch_unwind(serve);
    });
}

/// A claim about the first property of a task: a proof that claims everything, or an invariant or a
/// trace at random.
fn random_claim(random: &mut Random, task: &Value) -> Value {
    let property = task["properties"][0].clone();
    let lit = |random: &mut Random| random.below(60);
    match random.below(4) {
        0 => {
            json!({ "bits": { "properties": task["properties"], "gates": [], "clauses": [], "k": 1,
            "simple_path": null } })
        }
        1 => {
            let clauses: Vec<Vec<usize>> =
                (0..random.below(4)).map(|_| vec![lit(random), lit(random)]).collect();
            json!({ "bits": { "properties": [property], "gates": [[2, 4]], "clauses": clauses,
                "k": random.between(0, 3), "simple_path": null } })
        }
        2 => {
            let digits = |random: &mut Random, length: usize| -> String {
                (0..length).map(|_| random.pick(&['0', '1', 'x'])).collect()
            };
            let latches = random.below(5);
            let mut text = format!("1\nb{property}\n{}\n", digits(random, latches));
            for _ in 0..random.between(1, 4) {
                let inputs = random.below(3);
                text += &format!("{}\n", digits(random, inputs));
            }
            json!({ "trace": { "property": property, "loop_start": null, "witness": text + ".\n" } })
        }
        _ => json!({ "words": { "properties": [property], "terms": [{ "const": "1" }],
            "invariant": [random.below(30)], "k": 1, "simple_path": null } }),
    }
}

#[test]
fn a_lying_worker_costs_time_and_nothing_else() {
    let Some(server) = Server::start("lies", &[]) else { return };
    // The first asker makes the queue that liars use.
    make_queue(&server);
    for (seed, name) in ["arbiter.aag", "counter_wrap.aag", "turns.btor2"].iter().enumerate() {
        lie(&server, seed as u64, random_claim);
        let expected = verdicts(&check(None, &[&model(name)]));
        let told = verdicts(&check(Some(&server.address()), &[&model(name)]));
        assert_eq!(told.len(), expected.len(), "{name}");
        for (property, verdict) in told {
            let is_true = verdict == "unknown" || verdict == expected[&property];
            assert!(is_true, "{name}: property {property} is not {verdict}");
        }
    }
}

/// An honest worker beside the liars finds what they hide.
#[test]
fn an_honest_worker_is_heard() {
    let Some(server) = Server::start("honest", &[]) else { return };
    make_queue(&server);
    // It claims nothing that can be read, and so never anything that is true.
    lie(&server, 0, |_, _| json!({ "nonsense": 1 }));
    let _worker = Worker::start(&server);
    let name = model("traffic_light.btor2");
    let expected = verdicts(&check(None, &[&name]));
    let told = verdicts(&check(Some(&server.address()), &[&name]));
    for (property, verdict) in told {
        assert!(verdict == "unknown" || verdict == expected[&property], "{property}: {verdict}");
    }
}

/// A worker of another version: the asker names both versions, and believes nothing.
#[test]
fn another_version_is_refused() {
    let Some(server) = Server::start("version", &[]) else { return };
    make_queue(&server);
    let mut connection = Connection::open(&server);
    let name = model("counter_wrap.aag");
    let asker = crate::pedra(&["check", &name, "--timeout", "3", "--cluster", &server.address()])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    connection.publish(NEXT, br#"{"batch":1,"expires":60000000000}"#);
    let message = connection.next();
    let task: Value = serde_json::from_slice(&message.payload).expect("a task");
    let version = "0.0.9".to_owned();
    let mut liar = Liar { connection, random: Random::new(0), version };
    liar.report(&task["body"], &json!({ "done": { "left": [], "cpu_ms": 1 } }), "");
    let output = crate::finish_child(asker);
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let ours = env!("CARGO_PKG_VERSION");
    let both = format!("a message of pedra 0.0.9 (wire 3), but this is pedra {ours} (wire 3)");
    assert!(err.contains(&both), "{err}");
    assert!(out.contains("unknown") && output.status.code() == Some(3), "{out}");
    // And a worker that is asked by another version.
    let mut task = task;
    task["pedra"] = "0.0.9".into();
    liar.connection.publish("pedra.v3.work.x.1", task.to_string().as_bytes());
    let mut worker = Worker::start(&server);
    let mut lines = std::io::BufReader::new(worker.0.stderr.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains(&format!("refused: {both}")) {
        text.clear();
        let read = std::io::BufRead::read_line(&mut lines, &mut text).expect("a line");
        assert!(read > 0, "the worker has ended");
    }
}

/// Lets a worker make what lies on the server, and go.
pub fn make_queue(server: &Server) {
    let words = ["cluster", "status", "--cluster", &server.address()];
    assert!(crate::finish(crate::pedra(&words)).status.success());
}
