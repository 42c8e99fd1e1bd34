//! Workers through a NATS server on this machine. Without one the tests say SKIPPED.
#![cfg(feature = "cluster")]

mod access;
mod faults;
mod lemmas;
mod lies;
mod nats;
mod programs;
mod runs;

use nats::Server;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A model of this project.
pub fn model(name: &str) -> String {
    format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Far longer than anything here takes, even on a busy machine. What takes longer is stuck, and
/// must fail instead of stopping everything after it.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for a command to end. One that does not is killed, and the test fails.
pub fn finish(mut command: Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    finish_child(child.expect("the program starts"))
}

/// The same for one that was started before.
pub fn finish_child(child: Child) -> Output {
    let id = child.id().to_string();
    let (ended, has_ended) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let output = child.wait_with_output().expect("it ends");
        let _ = ended.send(());
        output
    });
    let is_stuck = has_ended.recv_timeout(PATIENCE).is_err();
    if is_stuck {
        let _ = Command::new("kill").args(["-KILL", &id]).status();
    }
    let output = reader.join().expect("it is read");
    assert!(!is_stuck, "stuck: {output:?}");
    output
}

/// A command with nothing of our own environment that could lead it elsewhere.
pub fn pedra(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pedra"));
    for name in ["", "_USER", "_PASSWORD", "_TOKEN"] {
        command.env_remove(format!("PEDRA_CLUSTER{name}"));
    }
    command.args(words).stdin(Stdio::null());
    command
}

/// Runs `pedra check --json`, by workers if an address is given.
pub fn check(address: Option<&str>, words: &[&str]) -> Output {
    let mut command = pedra(&["check", "--json"]);
    if let Some(address) = address {
        command.args(["--cluster", address]);
    }
    command.args(words);
    finish(command)
}

/// The verdicts, by property. Each property has one.
pub fn verdicts(output: &Output) -> BTreeMap<u64, String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        if line["event"] == "property" {
            let number = line["property"].as_u64().expect("a number");
            let verdict = line["verdict"].as_str().expect("a verdict").to_owned();
            assert_eq!(found.insert(number, verdict), None, "{text}");
        }
    }
    assert!(!found.is_empty(), "{output:?}");
    found
}

/// A worker that ends with the test.
pub struct Worker(pub Child);

impl Worker {
    /// Starts one on a server.
    pub fn start(server: &Server) -> Worker {
        Worker::start_with(server, &[])
    }

    /// The same with further options.
    pub fn start_with(server: &Server, words: &[&str]) -> Worker {
        Worker::start_at(&server.address(), words)
    }

    /// One that finds no other program, so that it can start none.
    pub fn start_blind(server: &Server) -> Worker {
        let mut command = pedra(&["worker", "--cluster", &server.address()]);
        let command = command.env("PATH", "/nowhere").env_remove("CC");
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        Worker(command.spawn().expect("the program starts"))
    }

    /// The same at an address.
    pub fn start_at(address: &str, words: &[&str]) -> Worker {
        let mut command = pedra(&["worker", "--cluster", address]);
        let command = command.args(words).stdout(Stdio::null()).stderr(Stdio::piped());
        Worker(command.spawn().expect("the program starts"))
    }
}

impl Worker {
    /// Waits until it ends; its exit code.
    pub fn wait(&mut self) -> Option<i32> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait().expect("a child") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the worker is stuck");
    }
}

/// Sends a signal to a process.
pub fn send_signal(name: &str, child: &Child) {
    let kill = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What `pedra cluster status --json` says.
pub fn status(server: &Server) -> Value {
    let words = ["cluster", "status", "--json", "--cluster", &server.address()];
    let output = finish(pedra(&words));
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Waits until the status is as wanted.
pub fn wait_until(server: &Server, wanted: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let status = status(server);
        if wanted(&status) {
            return status;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain; the last status: {status}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
