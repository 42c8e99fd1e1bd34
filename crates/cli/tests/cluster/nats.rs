//! A server for a test, and as much of NATS as a worker needs that we do not trust: written by
//! hand, so that it can say anything.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server on loopback, with its data in a folder that goes with it.
pub struct Server {
    child: Child,
    folder: PathBuf,
    port: u16,
    more: Vec<String>,
}

/// The path of the server. `None` if there is none, which is said.
fn program(test: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    let found = folders.map(|folder| folder.join("nats-server")).find(|file| file.is_file());
    if found.is_none() {
        let text = format!("\n*** SKIPPED {test}: no nats-server (apt-get install nats-server)\n");
        // Tests hide what `eprint` says; this is to be seen.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    found
}

impl Server {
    /// Starts one, if there is a program for it.
    pub fn start(test: &str, more: &[&str]) -> Option<Server> {
        let program = program(test)?;
        let folder = std::env::temp_dir().join(format!("pedra-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let more: Vec<String> = more.iter().map(|word| (*word).to_owned()).collect();
        let child = spawn(&program, &folder, "-1", &more);
        let mut server = Server { child, folder, port: 0, more };
        server.port = server.wait_for_port();
        Some(server)
    }

    /// The port, once it is known.
    fn wait_for_port(&mut self) -> u16 {
        let file = self.folder.join(format!("nats-server_{}.ports", self.child.id()));
        loop {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let ports: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
            if let Some(address) = ports["nats"][0].as_str() {
                let port = address.rsplit(':').next().expect("a part");
                return port.parse().expect("a port");
            }
            assert!(self.child.try_wait().expect("a child").is_none(), "the server has ended");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends it without a word, and starts it again with the same data.
    pub fn restart(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
        let program = program("restart").expect("it was there");
        self.child = spawn(&program, &self.folder, &self.port.to_string(), &self.more);
        self.wait_for_port();
    }

    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

fn spawn(program: &PathBuf, folder: &PathBuf, port: &str, more: &[String]) -> Child {
    Command::new(program)
        .args(["--addr", "127.0.0.1", "--port", port, "--jetstream"])
        .arg("--store_dir")
        .arg(folder)
        .arg("--ports_file_dir")
        .arg(folder)
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts")
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A message.
pub struct Message {
    pub reply: String,
    pub payload: Vec<u8>,
}

/// A connection that speaks the protocol of NATS, as far as it is needed here.
pub struct Connection {
    read: BufReader<TcpStream>,
    write: TcpStream,
}

impl Connection {
    pub fn open(server: &Server) -> Connection {
        let stream = TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
        stream.set_read_timeout(Some(crate::PATIENCE)).expect("a time limit");
        let write = stream.try_clone().expect("the same");
        let mut connection = Connection { read: BufReader::new(stream), write };
        connection.say("CONNECT {\"verbose\":false,\"headers\":true}\r\nSUB inbox 1\r\n");
        connection
    }

    fn say(&mut self, text: &str) {
        self.write.write_all(text.as_bytes()).expect("it is sent");
    }

    /// Publishes, with `inbox` for answers.
    pub fn publish(&mut self, subject: &str, payload: &[u8]) {
        self.say(&format!("PUB {subject} inbox {}\r\n", payload.len()));
        self.write.write_all(payload).expect("it is sent");
        self.say("\r\n");
    }

    /// The next message. Those with a status and without content are left out.
    pub fn next(&mut self) -> Message {
        loop {
            let mut line = String::new();
            assert!(self.read.read_line(&mut line).expect("a line") > 0, "the server is gone");
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["PING"] => self.say("PONG\r\n"),
                ["MSG" | "HMSG", .., last] => {
                    let total: usize = last.parse().expect("a size");
                    let is_plain = words[0] == "MSG";
                    let before = if is_plain { 1 } else { 2 };
                    let header: usize =
                        if is_plain { 0 } else { words[words.len() - 2].parse().expect("a size") };
                    let has_reply = words.len() == 4 + before;
                    let reply = if has_reply { words[3].to_owned() } else { String::new() };
                    let mut payload = vec![0; total + 2];
                    self.read.read_exact(&mut payload).expect("a payload");
                    payload.truncate(total);
                    payload.drain(..header);
                    if !payload.is_empty() {
                        return Message { reply, payload };
                    }
                }
                _ => {}
            }
        }
    }
}
