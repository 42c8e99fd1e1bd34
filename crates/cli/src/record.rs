//! The record of a run: every frame, lemma and obligation as a JSON line, in a file, and every
//! answer with its evidence. The lines are described in `docs/JSON.md`.
//!
//! The file grows while the run goes on, unlike other outputs, which are written whole at the
//! end: it can be large, and what it holds is of use whatever ends the run. What is handed to the
//! system at a time are whole lines.
//!
//! There are many thousands of lines a second, so [`line`] puts them together by hand.

mod answers;
mod line;

use crate::report::{PropertyReport, SCHEMA, property_line};
pub use answers::{program, program_trace};
use line::{Line, Who};
use pedra_check::{Checked, Prepared};
use pedra_engines::{Direction, Event};
use pedra_formats::sha256::sha256;
use pedra_model::Model;
use pedra_model::proof::Proof;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// This many bytes are passed to the system at once.
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
    /// Where it goes; nowhere if the record is closed, or could not be written.
    out: Vec<Box<dyn Write + Send>>,
    /// Whole lines that were not handed over yet.
    lines: Vec<u8>,
    /// By number of the engine.
    directions: Vec<Direction>,
    systems: usize,
    /// The last proof that was noted.
    proof: Option<Arc<Proof>>,
    error: Option<io::Error>,
}

impl Recorder {
    /// Starts a record with its first line. It goes to all of `out`; the path is for messages.
    pub fn new(out: Vec<Box<dyn Write + Send>>, path: &Path, first: &First<'_>) -> Recorder {
        let line = json!({
            "schema": SCHEMA,
            "event": "record",
            "pedra": env!("CARGO_PKG_VERSION"),
            "model": first.model.display().to_string(),
            "bytes": first.content.len(),
            "hash": sha256(first.content),
            "properties": first.properties,
            "names": first.names,
            "engine": first.engine,
        });
        let inner = Inner {
            out,
            lines: format!("{line}\n").into_bytes(),
            directions: Vec::new(),
            systems: 0,
            proof: None,
            error: None,
        };
        Recorder {
            path: path.to_owned(),
            start: first.start,
            properties: first.properties.to_vec(),
            inner: Mutex::new(inner),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the system that engines are about to work on: which variables its literals name.
    pub fn system(&self, prepared: &Prepared<'_>) {
        let mut inner = self.lock();
        let number = inner.systems;
        inner.systems += 1;
        if inner.out.is_empty() {
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
            "seconds": self.now().as_secs_f64(),
            "system": number,
            "inputs": system.inputs.len(),
            "gates": system.aig.gates().count(),
            "latches": latches,
            "stages": prepared.stages().iter().map(|stage| json!({
                "name": stage.name,
                "inputs": stage.inputs,
                "latches": stage.latches,
                "gates": stage.gates,
            })).collect::<Vec<_>>(),
        });
        let _ = writeln!(inner.lines, "{line}");
    }

    /// Notes a verdict, which was checked. A cover that is reached is a violation here: that is
    /// what engines look for.
    pub fn property(&self, report: &PropertyReport) {
        self.add(property_line(report, None, None));
    }

    /// Notes the evidence of an answer: a violation, or a proof, once for all properties that it
    /// is about. `direct` gives the conjuncts that these need directly.
    pub fn answer(
        &self,
        model: &Model,
        answer: &Checked,
        direct: impl FnOnce(&Proof) -> Option<Vec<usize>>,
    ) {
        match answer {
            Checked::Violated(found) => self.add(answers::trace(model, found)),
            Checked::Proved { proof, .. } => {
                let last = self.lock().proof.replace(proof.clone());
                if last.is_none_or(|last| !Arc::ptr_eq(&last, proof)) {
                    let direct = direct(proof);
                    let line = answers::invariant(model, proof, direct.as_deref());
                    line.into_iter().for_each(|line| self.add(line));
                }
            }
        }
    }

    /// The time of a line, to the microsecond as in all lines. Asked with the lock in hand, so that
    /// times are in order.
    fn now(&self) -> Duration {
        Duration::from_micros(self.start.elapsed().as_micros() as u64)
    }

    /// Notes something of which there is little. It gets its time here.
    pub fn add(&self, mut line: Value) {
        let mut inner = self.lock();
        if !inner.out.is_empty() {
            line["seconds"] = self.now().as_secs_f64().into();
            let _ = writeln!(inner.lines, "{line}");
        }
    }

    /// Notes an event.
    pub fn hear(&self, engine: usize, name: &str, event: &Event) {
        let mut inner = self.lock();
        let seconds = self.now();
        if let Event::Turned { direction } = event {
            if inner.directions.len() <= engine {
                inner.directions.resize(engine + 1, Direction::default());
            }
            inner.directions[engine] = *direction;
            return;
        }
        if inner.out.is_empty() {
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
                // The thread that holds it may wait for a reader that never comes.
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        if !inner.out.is_empty() {
            Line(&mut inner.lines).event("end", self.start.elapsed()).end();
            inner.hand_over();
            inner.out.clear();
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
    /// What the file holds.
    pub content: &'a [u8],
    /// The properties that are decided.
    pub properties: &'a [usize],
    /// Their names.
    pub names: &'a [Option<String>],
    /// The engine that was asked for.
    pub engine: &'a str,
    /// When the run began.
    pub start: Instant,
}

impl Inner {
    fn hand_over(&mut self) {
        let written =
            self.out.iter_mut().try_for_each(|o| o.write_all(&self.lines).and_then(|()| o.flush()));
        if let Err(error) = written {
            self.out.clear();
            self.error = Some(error);
        }
        self.lines.clear();
    }
}
