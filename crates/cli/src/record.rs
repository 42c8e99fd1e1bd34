//! The record of a run: every frame, lemma and obligation as a JSON line, in a file. The lines
//! are described in `docs/JSON.md`.
//!
//! The file grows while the run goes on, unlike other outputs, which are written whole at the
//! end: it can be large, and what it holds is of use whatever ends the run. What is handed to the
//! system at a time are whole lines.
//!
//! Lines are put together by hand: there are many thousands a second, and all but the first few
//! consist of numbers and fixed words.

use crate::output;
use crate::pipeline::Prepared;
use crate::report::SCHEMA;
use pedra_engines::region::{Product, RegionAtom};
use pedra_engines::{Claim, Direction, Event, Progress, Verdict};
use serde_json::{Value, json};
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
            let seconds = Seconds(self.start.elapsed());
            let _ = writeln!(inner.lines, "{{\"event\":\"end\",\"seconds\":{seconds}}}");
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

/// A time as JSON, to the microsecond.
struct Seconds(Duration);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:06}", self.0.as_secs(), self.0.subsec_micros())
    }
}

/// A number, or `null`.
struct Maybe(Option<usize>);

impl std::fmt::Display for Maybe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(number) => write!(f, "{number}"),
            None => f.write_str("null"),
        }
    }
}

/// Whose event it is, and when it came.
struct Who<'a> {
    seconds: Duration,
    engine: usize,
    name: &'a str,
    direction: Direction,
    system: usize,
    properties: &'a [usize],
}

impl Who<'_> {
    /// Adds the line of an event. Writing to memory does not fail.
    fn write(&self, out: &mut Vec<u8>, event: &Event) {
        let start = out.len();
        match event {
            Event::FrameOpened { level } => {
                self.detail(out, "frame");
                let _ = write!(out, ",\"level\":{level}");
            }
            Event::LemmaLearned { lemma, level, claim } => {
                self.detail(out, "learned");
                let _ = write!(out, ",\"lemma\":{lemma},\"level\":{}", Maybe(*level));
                write_claim(out, claim);
            }
            Event::LemmaPushed { lemma, from, to } => {
                self.detail(out, "pushed");
                let to = Maybe(*to);
                let _ = write!(out, ",\"lemma\":{lemma},\"from\":{from},\"to\":{to}");
            }
            Event::LemmaRetired { lemma, by } => {
                self.detail(out, "retired");
                let _ = write!(out, ",\"lemma\":{lemma},\"by\":{by}");
            }
            Event::ObligationRaised { obligation, level, depth, successor, claim } => {
                self.detail(out, "raised");
                let _ = write!(out, ",\"obligation\":{obligation},\"level\":{level}");
                let _ = write!(out, ",\"depth\":{depth},\"successor\":{}", Maybe(*successor));
                write_claim(out, claim);
            }
            Event::ObligationBlocked { obligation, level } => {
                self.detail(out, "blocked");
                let level = Maybe(*level);
                let _ = write!(out, ",\"obligation\":{obligation},\"level\":{level}");
            }
            Event::ObligationsShared { from, count, deepest } => {
                self.begin(out, "obligations_shared");
                let _ = write!(out, ",\"from\":\"{}\"", from.text());
                let _ = write!(out, ",\"count\":{count},\"deepest\":{deepest}");
            }
            Event::LemmasShared { from, offered, imported } => {
                self.begin(out, "lemmas_shared");
                let _ = write!(out, ",\"from\":\"{}\"", from.text());
                let _ = write!(out, ",\"offered\":{offered},\"imported\":{imported}");
            }
            Event::Met { step, forward, reverse } => {
                self.begin(out, "met");
                let _ = write!(out, ",\"step\":{step},\"forward\":{forward}");
                let _ = write!(out, ",\"reverse\":{reverse}");
            }
            Event::Extended { direction, depth, voided } => {
                self.begin(out, "extended");
                let _ = write!(out, ",\"direction\":\"{}\"", direction.text());
                let _ = write!(out, ",\"depth\":{depth},\"voided\":{voided}");
            }
            Event::Interpolated { depth, first, level, clauses, resolutions, gates } => {
                self.begin(out, "interpolated");
                let _ = write!(out, ",\"depth\":{depth},\"first\":{first},\"level\":{level}");
                let _ = write!(out, ",\"clauses\":{clauses}");
                let _ = write!(out, ",\"resolutions\":{resolutions},\"gates\":{gates}");
            }
            Event::Restarted { latches, gates } => {
                self.begin(out, "restarted");
                let _ = write!(out, ",\"latches\":{latches},\"gates\":{gates}");
            }
            Event::Started { open, .. } => {
                self.begin(out, "started");
                let _ = write!(out, ",\"system\":{},\"open\":{open}", self.system);
            }
            Event::Depth { depth, progress } => {
                self.begin(out, "depth");
                let _ = write!(out, ",\"depth\":{depth}");
                write_progress(out, progress);
            }
            Event::Settled { property, outcome } => {
                self.begin(out, "settled");
                let verdict = match outcome.verdict() {
                    Verdict::Proved => "proved",
                    Verdict::Violated => "violated",
                    Verdict::Unknown => "unknown",
                };
                let property = self.properties[*property];
                let _ = write!(out, ",\"property\":{property},\"verdict\":\"{verdict}\"");
            }
            Event::Finished { open, progress } => {
                self.begin(out, "finished");
                let _ = write!(out, ",\"open\":{open},\"depth\":{}", progress.depth);
                write_progress(out, progress);
            }
            // What it says is in the other lines already, or is for people; and what is not
            // known here has no line.
            _ => return out.truncate(start),
        }
        out.extend_from_slice(b"}\n");
    }

    fn begin(&self, out: &mut Vec<u8>, event: &str) {
        let Who { engine, name, .. } = self;
        let seconds = Seconds(self.seconds);
        let _ = write!(out, "{{\"event\":\"{event}\",\"seconds\":{seconds}");
        let _ = write!(out, ",\"engine\":\"{name}\",\"id\":{engine}");
    }

    fn detail(&self, out: &mut Vec<u8>, event: &str) {
        self.begin(out, event);
        let _ = write!(out, ",\"direction\":\"{}\"", self.direction.text());
    }
}

fn write_progress(out: &mut Vec<u8>, progress: &Progress) {
    let Progress { lemmas, obligations, queries, conflicts, .. } = progress;
    let _ = write!(out, ",\"lemmas\":{lemmas},\"obligations\":{obligations}");
    let _ = write!(out, ",\"queries\":{queries},\"conflicts\":{conflicts}");
}

fn write_claim(out: &mut Vec<u8>, claim: &Claim) {
    match claim {
        Claim::Clause(clause) => {
            out.extend_from_slice(b",\"clause\":[");
            for (i, lit) in clause.iter().enumerate() {
                let comma = if i > 0 { "," } else { "" };
                let minus = if lit.is_negated() { "-" } else { "" };
                let _ = write!(out, "{comma}{minus}{}", lit.var().index());
            }
            out.push(b']');
        }
        Claim::Words(text) => {
            let _ = write!(out, ",\"text\":{}", Value::from(text.as_str()));
        }
        Claim::Outside(region) => {
            let text = Value::from(region.text.as_str());
            let atoms = Value::from(region.atoms.iter().map(atom).collect::<Vec<_>>());
            let _ = write!(out, ",\"outside\":{{\"text\":{text},\"atoms\":{atoms}}}");
        }
    }
}

/// An atom of a region. Factors and bounds may be too large for a number in JSON, so they are
/// text.
fn atom(atom: &RegionAtom) -> Value {
    let product = |p: &Product| json!({ "state": p.state, "signed": p.signed, "factor": p.factor.to_string() });
    let products = |sum: &[Product]| sum.iter().map(product).collect::<Vec<_>>();
    match atom {
        RegionAtom::AtMost { sum, bound } => {
            json!({ "sum": products(sum), "at_most": bound.to_string() })
        }
        RegionAtom::Remainder { sum, log, remainder, holds } => {
            let remainder = remainder.to_string();
            json!({ "sum": products(sum), "log": log, "remainder": remainder, "holds": holds })
        }
        RegionAtom::Bit { state, bit, value } => {
            json!({ "state": state, "bit": bit, "value": value })
        }
        RegionAtom::Other(text) => json!({ "text": text }),
    }
}
