//! A server for a test, and as much of NATS as a worker needs that we do not trust: written by
//! hand, so that it can say anything.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
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
            let address = ports["nats"][0].as_str().or(ports["tls"][0].as_str());
            if let Some(address) = address {
                let port = address.rsplit(':').next().expect("a part");
                return port.parse().expect("a port");
            }
            assert!(self.child.try_wait().expect("a child").is_none(), "the server has ended");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends it without a word, and starts it again with the same data.
    pub fn restart(&mut self) {
        self.kill();
        let program = program("restart").expect("it was there");
        self.child = spawn(&program, &self.folder, &self.port.to_string(), &self.more);
        self.wait_for_port();
    }

    /// Ends it without a word.
    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    pub fn port(&self) -> u16 {
        self.port
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

    /// Hears what is published under these subjects, too.
    pub fn subscribe(&mut self, subjects: &str) {
        self.say(&format!("SUB {subjects} 2\r\n"));
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

/// A link to a server that can be cut: nothing arrives any more, and nobody is told. New
/// connections work.
pub struct Link {
    pub port: u16,
    is_cut: Arc<AtomicUsize>,
}

impl Link {
    pub fn start(server: &Server) -> Link {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("a port").port();
        let (target, is_cut) = (server.port, Arc::new(AtomicUsize::new(0)));
        let shared = is_cut.clone();
        std::thread::spawn(move || {
            for (number, here) in listener.incoming().enumerate() {
                let here = here.expect("a connection");
                let Ok(there) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                for (mut source, mut sink) in [(&here, &there), (&there, &here)]
                    .map(|(a, b)| (a.try_clone().expect("it"), b.try_clone().expect("it")))
                {
                    let is_cut = shared.clone();
                    std::thread::spawn(move || {
                        let mut bytes = [0; 1 << 16];
                        while let Ok(count @ 1..) = source.read(&mut bytes) {
                            let is_gone = number < is_cut.load(Ordering::Relaxed);
                            if !is_gone && sink.write_all(&bytes[..count]).is_err() {
                                break;
                            }
                        }
                        let _ = sink.shutdown(std::net::Shutdown::Both);
                    });
                }
            }
        });
        Link { port, is_cut }
    }

    /// Cuts the first connections, this many.
    pub fn cut(&self, connections: usize) {
        self.is_cut.store(connections, Ordering::Relaxed);
    }
}

/// The name of an object as it is in a subject: base 64, for URLs, filled up.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= three.len() { digit as char } else { '=' });
        }
    }
    text
}
