//! The page of a run that is still going on, served on the loopback interface.
//!
//! One address exists, with a token in it that cannot be guessed, on a port that the system
//! chooses. A request gets the page of the record as far as it is written; the page asks for itself
//! again after a while. Nothing else is served, nothing is read from a request but its address, and
//! the server ends with the run: after a last page that does not ask again, or when no reader
//! comes for it.

use crate::playback::{Live, Page, Subject};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often a page asks for itself again, at least; long records take longer to read.
const REFRESH: Duration = Duration::from_secs(3);

/// Reading a record again and again may take this part of a processor.
const SHARE: u32 = 10;

/// How long the last page waits for its reader.
const LAST: Duration = Duration::from_secs(8);

/// The longest request that is looked at, and how long it may take to come.
const REQUEST_BYTES: u64 = 8 << 10;
const REQUEST_TIME: Duration = Duration::from_secs(2);

/// A server that goes on until the run is over.
pub struct Server {
    address: String,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// What a page is about, for the server alone: it goes on beside the run.
pub enum Owned {
    /// A model.
    Model(Box<crate::load::Loaded>),
    /// A program.
    Program(Vec<u8>),
}

impl Owned {
    fn subject(&self) -> Subject<'_> {
        match self {
            Owned::Model(loaded) => Subject::Model(loaded),
            Owned::Program(source) => Subject::Program(source),
        }
    }
}

impl Server {
    /// Starts to serve the page of a run.
    ///
    /// # Errors
    /// What the system says to it.
    pub fn start(page: &Page, owned: Owned) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let mut bytes = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let address = format!("http://{}/{token}/", listener.local_addr()?);
        let is_over: Arc<AtomicBool> = Arc::default();
        let (record, over) = (page.record()?, is_over.clone());
        let path = format!("/{token}/");
        let thread = thread::Builder::new().spawn(move || {
            let (mut pause, mut is_read, mut end) = (REFRESH, false, None);
            loop {
                let is_last = over.load(Ordering::Relaxed);
                let last = *end.get_or_insert_with(|| Instant::now() + LAST.max(pause));
                if !is_last {
                    end = None;
                } else if !is_read || last < Instant::now() {
                    return;
                }
                let Ok((stream, _)) = listener.accept() else {
                    thread::sleep(Duration::from_millis(20));
                    continue;
                };
                let start = Instant::now();
                let live = if is_last { Live::Over } else { Live::Running(pause) };
                let made = || page_now(&record, &owned, live);
                let is_page = answer(stream, &path, made).unwrap_or(false);
                pause = REFRESH.max(start.elapsed() * SHARE);
                is_read |= is_page;
                if is_page && is_last {
                    return;
                }
            }
        })?;
        Ok(Server { address, is_over, thread })
    }

    /// Where the page is.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The run is over: the last page goes out, if there is a reader.
    pub fn finish(self) {
        self.is_over.store(true, Ordering::Relaxed);
        // A panic in there costs the last page, and no answer.
        let _ = self.thread.join();
    }
}

fn page_now(record: &File, owned: &Owned, live: Live) -> Option<String> {
    crate::playback::make(record, owned.subject(), Vec::new(), live).ok()
}

/// Answers one request; says whether it was for the page.
fn answer(
    stream: TcpStream,
    path: &str,
    make: impl FnOnce() -> Option<String>,
) -> io::Result<bool> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(REQUEST_TIME))?;
    stream.set_write_timeout(Some(REQUEST_TIME))?;
    let mut lines = BufReader::new(stream.try_clone()?.take(REQUEST_BYTES)).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    // The rest is not looked at, but a browser wants to have sent it.
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let is_page = first == format!("GET {path} HTTP/1.1");
    let (status, body) = match is_page.then(make).flatten() {
        Some(page) => ("200 OK", page),
        None if is_page => ("503 Service Unavailable", "no page yet\n".to_owned()),
        None => ("404 Not Found", String::new()),
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    stream.flush()?;
    Ok(status == "200 OK")
}
