//! How answers are told: to people, and as JSON lines to programs.

mod human;
mod json;

pub use json::{SCHEMA, property as property_line};

use crate::limits::StopCause;
use crate::view::invariants::LoopInvariant;
use pedra_check::{SafeUpTo, Trust};
use pedra_verilog::{About, Kind, Place};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What is known of one property.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds; the proof was checked.
    Proved {
        /// Induction depth of the proof.
        k: usize,
        /// Number of invariant clauses of the proof.
        clauses: usize,
        /// How far the engine had come: no violation in any step up to this one.
        safe_until: Option<usize>,
        /// What the check took on trust.
        trust: Trust,
    },
    /// It does not; the trace was replayed.
    Violated {
        /// The step of the violation.
        depth: usize,
    },
    /// Not known.
    Unknown {
        /// Why.
        reason: String,
        /// Up to which step there is no violation.
        safe: Option<SafeUpTo>,
    },
}

/// A verdict with its circumstances.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// Index of the property in the model.
    pub index: usize,
    /// Its name in the model.
    pub name: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// The engine that gave it.
    pub engine: String,
    /// Time since the start of the run.
    pub time: Duration,
    /// Files that were written for it.
    pub files: Vec<WrittenFile>,
    /// Of a program, what its proof says of loops.
    pub invariants: Vec<LoopInvariant>,
}

/// A file with evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// Its name.
    pub name: String,
    /// Whether what it says was checked in the form in which it is written.
    pub is_checked: bool,
}

/// Why a file that was asked for is missing.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missing {
    /// A limit struck while its content was checked.
    Stopped,
    /// The system did not take it.
    NotWritten,
}

/// How a property is stated in a design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// What it asks.
    pub kind: Kind,
    /// Where.
    pub place: Option<Place>,
}

/// Whether an answer says nothing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Vacuity {
    /// It says something: a run was found, and replayed.
    No,
    /// It says nothing, and that was proved; of assumptions, the first step that no run has.
    Yes(Option<usize>),
    /// Not known.
    Unknown,
}

/// How reports look.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Style {
    /// Lines for people; colours if the terminal has them.
    Human,
    /// One JSON object a line.
    Json,
}

/// Tells each verdict once, when it is settled, from whatever thread.
pub struct Reporter {
    style: Style,
    color: bool,
    inner: Mutex<Inner>,
}

struct Inner {
    /// By index.
    open: BTreeMap<usize, OpenProperty>,
    done: Vec<PropertyReport>,
    /// Whether the properties are known.
    expecting: bool,
    finished: bool,
    /// A file that was asked for is missing, for this reason.
    missing: Option<Missing>,
    /// Of a design: how each property is stated.
    stated: Vec<Stated>,
    /// How many answers were found to say nothing.
    vacuous: usize,
    /// The assumptions of the design allow no run.
    has_no_run: bool,
}

/// A property without verdict.
#[derive(Clone, Debug)]
struct OpenProperty {
    name: Option<String>,
    safe_until: Option<usize>,
}

impl Reporter {
    /// A reporter that knows of no property yet.
    pub fn new(style: Style, color: bool) -> Reporter {
        let inner = Inner {
            open: BTreeMap::new(),
            done: Vec::new(),
            expecting: false,
            finished: false,
            missing: None,
            stated: Vec::new(),
            vacuous: 0,
            has_no_run: false,
        };
        Reporter { style, color, inner: Mutex::new(inner) }
    }

    /// Says which properties will be told about: index and name.
    pub fn expect(&self, properties: Vec<(usize, Option<String>)>) {
        let open = properties.into_iter();
        let open = open.map(|(index, name)| (index, OpenProperty { name, safe_until: None }));
        let mut inner = self.lock();
        inner.open = open.collect();
        inner.expecting = true;
    }

    /// Says what design the properties are of.
    pub fn describe(&self, about: &About) {
        let stated =
            about.properties.iter().map(|p| Stated { kind: p.kind, place: p.place.clone() });
        self.lock().stated = stated.collect();
    }

    /// The properties that are proved so far.
    pub fn proved(&self) -> Vec<usize> {
        let inner = self.lock();
        let proved = inner.done.iter().filter(|r| matches!(r.verdict, Verdict::Proved { .. }));
        proved.map(|report| report.index).collect()
    }

    /// Tells whether the assumptions of a design allow runs.
    pub fn tell_runs(&self, vacuity: Vacuity) {
        let mut inner = self.lock();
        inner.has_no_run = matches!(vacuity, Vacuity::Yes(_));
        self.tell_vacuity(&mut inner, None, vacuity);
    }

    /// Tells whether the condition of an assertion that was proved can be true.
    pub fn tell_condition(&self, index: usize, name: &str, vacuity: Vacuity) {
        self.tell_vacuity(&mut self.lock(), Some((index, name)), vacuity);
    }

    fn tell_vacuity(&self, inner: &mut Inner, of: Option<(usize, &str)>, vacuity: Vacuity) {
        if inner.finished {
            return;
        }
        let is_vacuous = matches!(vacuity, Vacuity::Yes(_));
        inner.vacuous += usize::from(is_vacuous);
        match self.style {
            Style::Json => crate::output::say(&json::vacuity(of, vacuity).to_string()),
            Style::Human if is_vacuous => {
                crate::output::say(&human::vacuity(of, vacuity, self.color));
            }
            Style::Human => {}
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells that a run begins; only programs want to know.
    pub fn announce_start(&self, model: &Path, properties: &[usize], engine: &str) {
        if self.style == Style::Json && !self.lock().finished {
            crate::output::say(&json::start(model, properties, engine).to_string());
        }
    }

    /// Notes that an engine says that the steps up to `step` hold no violation of a property.
    pub fn safe_until(&self, index: usize, step: usize) {
        let mut inner = self.lock();
        if let Some(open) = inner.open.get_mut(&index) {
            open.safe_until = open.safe_until.max(Some(step));
        }
    }

    /// How far an open property is said to be safe.
    pub fn known_safe_until(&self, index: usize) -> Option<usize> {
        self.lock().open.get(&index).and_then(|o| o.safe_until)
    }

    /// Tells a verdict, unless the property has one.
    pub fn settle(&self, report: PropertyReport) {
        let mut inner = self.lock();
        if inner.finished || inner.open.remove(&report.index).is_none() {
            return;
        }
        crate::output::say(&self.line(&report, inner.stated.get(report.index)));
        inner.done.push(report);
    }

    fn line(&self, report: &PropertyReport, stated: Option<&Stated>) -> String {
        match self.style {
            Style::Human => human::line(report, stated, self.color),
            Style::Json => json::property(report, stated).to_string(),
        }
    }

    /// Tells that every property still open is unknown, and why; then the end of the run.
    /// Whatever comes later is ignored. Gives the exit code.
    pub fn finish(&self, reason: &str, engine: &str, time: Duration) -> i32 {
        let mut inner = self.lock();
        if !inner.finished {
            // One write for all: there may be very many, and the reader waits for the end.
            let mut lines = Vec::new();
            for (index, open) in std::mem::take(&mut inner.open) {
                let safe = open.safe_until.map(|claimed| SafeUpTo { claimed, checked: None });
                let verdict = Verdict::Unknown { reason: reason.to_owned(), safe };
                let (name, engine) = (open.name, engine.to_owned());
                let (files, invariants) = (Vec::new(), Vec::new());
                let report =
                    PropertyReport { index, name, verdict, engine, time, files, invariants };
                lines.push(self.line(&report, inner.stated.get(index)));
                inner.done.push(report);
            }
            inner.finished = true;
            let code = inner.exit_code();
            if !inner.expecting && self.style == Style::Human {
                lines.push(format!("unknown   {reason} before the model was read"));
            }
            if self.style == Style::Json {
                lines.push(json::end(&inner, code, time).to_string());
            }
            if !lines.is_empty() {
                crate::output::say(&lines.join("\n"));
            }
            return code;
        }
        inner.exit_code()
    }

    /// Notes that a file that was asked for is missing: the run did not do all that it should.
    pub fn file_missing(&self, why: Missing) {
        let mut inner = self.lock();
        inner.missing = inner.missing.max(Some(why));
    }

    /// The last words of a run that a limit had to end from outside.
    pub fn stopped(&self, cause: StopCause, engine: &str, time: Duration) -> i32 {
        self.finish(cause.text(), engine, time)
    }

    /// Stops all further reports; for internal errors.
    pub fn silence(&self) {
        self.lock().finished = true;
    }
}

impl Inner {
    fn exit_code(&self) -> i32 {
        let code = exit_code(&self.done, &self.stated, self.has_no_run);
        match self.missing {
            _ if !self.expecting => 3,
            Some(Missing::NotWritten) => 2,
            Some(Missing::Stopped) if code == 0 => 3,
            _ => code,
        }
    }
}

/// 0 all is well, 1 something is not, 3 some unknown. An assertion is well if it is proved, a cover
/// if it is reached, and assumptions if they allow runs.
fn exit_code(reports: &[PropertyReport], stated: &[Stated], has_no_run: bool) -> i32 {
    let is_bad = |report: &PropertyReport| match report.verdict {
        Verdict::Violated { .. } => !is_cover(stated.get(report.index)),
        Verdict::Proved { .. } => is_cover(stated.get(report.index)),
        Verdict::Unknown { .. } => false,
    };
    if has_no_run || reports.iter().any(is_bad) {
        1
    } else if reports.iter().any(|r| matches!(r.verdict, Verdict::Unknown { .. })) {
        3
    } else {
        0
    }
}

/// Whether a property asks for a run, so that a violation is good news.
fn is_cover(stated: Option<&Stated>) -> bool {
    stated.is_some_and(|stated| stated.kind == Kind::Cover)
}
