//! The record of a run: every frame, lemma and obligation as a JSON line, in a file. The lines
//! are described in `docs/JSON.md`.
//!
//! The file grows while the run goes on, unlike other outputs, which are written whole at the
//! end: it can be large, and what it holds is of use whatever ends the run. What is handed to the
//! system at a time are whole lines.
//!
//! There are many thousands of lines a second, so [`line`] puts them together by hand.

mod line;

use crate::output;
use crate::report::SCHEMA;
use line::{Line, Who};
use pedra_check::Prepared;
use pedra_engines::{Direction, Event};
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// So many bytes are handed to the system at once.
const BLOCK_BYTES: usize = 1 << 16;

/// How long the end of a record waits for an engine that is just writing to it.
const CLOSE_WITHIN: Duration = Duration::from_millis(500);

/// Writes the record of a run, from several threads.
pub struct Recorder {
    path: PathBuf,
    start: Instant,
    /// Engines count the properties that are decided; the model has more.
    properties: Vec<usize>,
    inner: Mutex<Inner>,
}

struct Inner {
    /// Nothing if the record is closed, or could not be written.
    out: Option<Box<dyn Write + Send>>,
    /// Whole lines that were not handed over yet.
    lines: Vec<u8>,
    /// By number of the engine.
    directions: Vec<Direction>,
    systems: usize,
    error: Option<io::Error>,
}

impl Recorder {
    /// Starts a record: the file is emptied, and has a first line.
    ///
    /// # Errors
    /// What the system says to it.
    pub fn create(path: &Path, first: &First<'_>) -> io::Result<Recorder> {
        let out = output::open_stream(path)?;
        let line = json!({
            "schema": SCHEMA,
            "event": "record",
            "pedra": env!("CARGO_PKG_VERSION"),
            "model": first.model.display().to_string(),
            "properties": first.properties,
            "engine": first.engine,
        });
        let inner = Inner {
            out: Some(out),
            lines: format!("{line}\n").into_bytes(),
            directions: Vec::new(),
            systems: 0,
            error: None,
        };
        Ok(Recorder {
            path: path.to_owned(),
            start: first.start,
            properties: first.properties.to_vec(),
            inner: Mutex::new(inner),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the system that engines are about to work on: which variables its literals name.
    pub fn system(&self, prepared: &Prepared<'_>) {
        let mut inner = self.lock();
        let number = inner.systems;
        inner.systems += 1;
        if inner.out.is_none() {
            return;
        }
        let (system, names) = (prepared.system(), prepared.latch_names());
        let latches: Vec<_> = system
            .latches
            .iter()
            .zip(names)
            .map(|(l, name)| json!([l.var.index(), name]))
            .collect();
        let line = json!({
            "event": "system",
            "seconds": self.start.elapsed().as_secs_f64(),
            "system": number,
            "inputs": system.inputs.len(),
            "gates": system.aig.gates().count(),
            "latches": latches,
        });
        let _ = writeln!(inner.lines, "{line}");
    }

    /// Notes an event.
    pub fn hear(&self, engine: usize, name: &str, event: &Event) {
        let seconds = self.start.elapsed();
        let mut inner = self.lock();
        if let Event::Turned { direction } = event {
            if inner.directions.len() <= engine {
                inner.directions.resize(engine + 1, Direction::default());
            }
            inner.directions[engine] = *direction;
            return;
        }
        if inner.out.is_none() {
            return;
        }
        let direction = inner.directions.get(engine).copied().unwrap_or_default();
        let system = inner.systems.saturating_sub(1);
        let properties = &*self.properties;
        let who = Who { seconds, engine, name, direction, system, properties };
        who.write(&mut inner.lines, event);
        if inner.lines.len() >= BLOCK_BYTES {
            inner.hand_over();
        }
    }

    /// Ends the record, unless it has ended. Gives what went wrong with it, once.
    pub fn close(&self) -> Option<String> {
        let deadline = Instant::now() + CLOSE_WITHIN;
        let mut inner = loop {
            match self.inner.try_lock() {
                Ok(inner) => break inner,
                Err(TryLockError::Poisoned(inner)) => break inner.into_inner(),
                // Whoever holds it may wait for a reader that never comes.
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        if inner.out.is_some() {
            Line(&mut inner.lines).event("end", self.start.elapsed()).end();
            inner.hand_over();
            inner.out = None;
        }
        let error = inner.error.take()?;
        Some(format!("{}: cannot be written: {error}", self.path.display()))
    }
}

/// Closes the record when it goes, so that a panic loses nothing.
pub struct CloseAtEnd<'a>(pub Option<&'a Recorder>);

impl Drop for CloseAtEnd<'_> {
    fn drop(&mut self) {
        if let Some(recorder) = self.0 {
            let _ = recorder.close();
        }
    }
}

/// What the first line says.
pub struct First<'a> {
    /// The model's path.
    pub model: &'a Path,
    /// The properties that are decided.
    pub properties: &'a [usize],
    /// The engine that was asked for.
    pub engine: &'a str,
    /// When the run began.
    pub start: Instant,
}

impl Inner {
    fn hand_over(&mut self) {
        let Some(out) = &mut self.out else { return };
        if let Err(error) = out.write_all(&self.lines).and_then(|()| out.flush()) {
            (self.out, self.error) = (None, Some(error));
        }
        self.lines.clear();
    }
}
