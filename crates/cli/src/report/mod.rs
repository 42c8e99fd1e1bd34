//! How answers are told: to people, as JSON lines to programs, and as files to servers that build
//! and test.

mod files;
mod human;
mod json;
mod junit;
mod sarif;

pub use files::{ReportFiles, Summary, Told};
pub use human::line as human_line;
pub use json::{ReadProperty, SCHEMA, property as property_line, read_property};

use crate::limits::StopCause;
use crate::output::note;
use crate::view::invariants::LoopInvariant;
use crate::view::steps::steps_of;
use crate::view::summary;
use pedra_check::{Plan, SafeUpTo, Trust};
use pedra_engines::Exchanged;
use pedra_formats::text::printable;
use pedra_model::property::Property;
use pedra_program::{Program, ProgramTrace, Span};
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
        /// Of a justice set, what the proof rests on.
        argument: Option<String>,
    },
    /// It does not; the trace was replayed.
    Violated {
        /// The last step of the trace.
        depth: usize,
        /// Of a lasso, the step to which the last one leads back.
        loop_start: Option<usize>,
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
    /// Number of the property in the model.
    pub index: usize,
    /// How it is called, such as `b0` or `j0`.
    pub id: Property,
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
    /// Of a violation, how it comes about.
    pub story: Story,
}

/// How a violation comes about, for reports that show it.
#[derive(Clone, Debug, Default)]
pub struct Story {
    /// Of a program, its statements: where each stands, what it says and what it changed.
    pub steps: Vec<(SourcePlace, String)>,
    /// For people: a waveform, or the statements.
    pub text: String,
}

impl Story {
    /// Of a run of a program, which is shown like this.
    pub fn of_program(program: &Program, trace: &ProgramTrace, text: String) -> Story {
        let step = |step: &crate::view::steps::SourceStep| {
            let changes = step.changes.iter().map(|(name, value)| format!("{name} = {value}"));
            let changes = changes.collect::<Vec<String>>().join(", ");
            let text = format!("{}  {changes}", step.text).trim_end().to_owned();
            (SourcePlace::of(program, step.span), text)
        };
        Story { steps: steps_of(program, trace).iter().map(step).collect(), text }
    }
}

/// A line of a file that the user wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourcePlace {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, if it is known.
    pub column: Option<usize>,
}

impl SourcePlace {
    /// Where a part of a program stands.
    pub fn of(program: &Program, span: Span) -> SourcePlace {
        let file = program.files.get(span.file as usize).map_or("?", String::as_str).to_owned();
        let column = (span.column > 0).then_some(span.column as usize);
        SourcePlace { file, line: span.line.max(1) as usize, column }
    }
}

/// A file with evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// Its name.
    pub name: String,
    /// Whether what it says was checked in the form in which it is written.
    pub is_checked: bool,
}

/// Why a requested file is missing.
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
    files: ReportFiles,
    inner: Mutex<Inner>,
}

struct Inner {
    /// By index.
    open: BTreeMap<usize, OpenProperty>,
    done: Vec<PropertyReport>,
    /// Where properties stand in the source, by index.
    places: BTreeMap<usize, SourcePlace>,
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
    /// What engines have shared, if they could.
    exchanged: Option<Exchanged>,
}

/// A property without verdict.
#[derive(Clone, Debug)]
struct OpenProperty {
    id: Property,
    name: Option<String>,
    safe_until: Option<usize>,
}

impl Reporter {
    /// A reporter that knows of no property yet.
    pub fn new(style: Style, color: bool, files: ReportFiles) -> Reporter {
        let inner = Inner {
            open: BTreeMap::new(),
            done: Vec::new(),
            places: BTreeMap::new(),
            expecting: false,
            finished: false,
            missing: None,
            stated: Vec::new(),
            vacuous: 0,
            has_no_run: false,
            exchanged: None,
        };
        Reporter { style, color, files, inner: Mutex::new(inner) }
    }

    /// Says which properties will be told about: index and name.
    pub fn expect(&self, properties: Vec<(usize, Option<String>)>) {
        let open = properties.into_iter();
        let open = open.map(|(index, name)| {
            (index, OpenProperty { id: Property::Bad(index), name, safe_until: None })
        });
        let mut inner = self.lock();
        inner.open = open.collect();
        inner.expecting = true;
    }

    /// Says how the properties are called, if they are not all bads.
    pub fn call(&self, id: impl Fn(usize) -> Property) {
        for (&index, open) in &mut self.lock().open {
            open.id = id(index);
        }
    }

    /// Says where properties stand in the source.
    pub fn locate(&self, places: BTreeMap<usize, SourcePlace>) {
        self.lock().places = places;
    }

    /// Whether the story of a violation is wanted.
    pub fn wants_stories(&self) -> bool {
        !self.files.is_empty()
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
    pub fn announce_start(&self, model: &Path, content: &[u8], properties: &[usize], plan: &Plan) {
        if self.style == Style::Json && !self.lock().finished {
            crate::output::say(&json::start(model, content, properties, plan).to_string());
        }
    }

    /// Tells what the verdicts depend on beside the source: where, and in words.
    pub fn announce_assumption(&self, place: &SourcePlace, text: &str) {
        if self.lock().finished {
            return;
        }
        crate::output::say(&match self.style {
            Style::Json => json::assumption(place, text).to_string(),
            Style::Human => human::assumption(place, text, self.color),
        });
    }

    /// Notes that an engine says that the steps up to `step` hold no violation of a property.
    pub fn safe_until(&self, index: usize, step: usize) {
        let mut inner = self.lock();
        if let Some(open) = inner.open.get_mut(&index) {
            open.safe_until = open.safe_until.max(Some(step));
        }
    }

    /// Notes what an engine has exchanged with others, and shows it if that is wanted.
    pub fn exchanged(&self, engine: &str, exchanged: Exchanged, is_shown: bool) {
        if is_shown {
            note(&summary::exchanged(engine, &exchanged));
        }
        let mut inner = self.lock();
        inner.exchanged = Some(inner.exchanged.unwrap_or_default().plus(exchanged));
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
        let place = inner.places.get(&report.index);
        crate::output::say(&self.line(&report, inner.stated.get(report.index), place));
        inner.done.push(report);
    }

    fn line(
        &self,
        report: &PropertyReport,
        stated: Option<&Stated>,
        place: Option<&SourcePlace>,
    ) -> String {
        match self.style {
            Style::Human => human::line(report, stated, self.color),
            Style::Json => json::property(report, stated, place).to_string(),
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
                let (id, files, invariants) = (open.id, Vec::new(), Vec::new());
                let story = Story::default();
                let report = PropertyReport {
                    index,
                    id,
                    name,
                    verdict,
                    engine,
                    time,
                    files,
                    invariants,
                    story,
                };
                let (stated, place) = (inner.stated.get(index), inner.places.get(&index));
                lines.push(self.line(&report, stated, place));
                inner.done.push(report);
            }
            inner.finished = true;
            let code = self.write_files(&mut inner, reason, time);
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

    /// Writes the report files, before the run says that it has ended. Gives the exit code.
    fn write_files(&self, inner: &mut Inner, reason: &str, time: Duration) -> i32 {
        let code = inner.exit_code();
        let too_early = format!("{reason} before the model was read");
        let failure = match inner.has_no_run {
            true => Some("the assumptions allow no run: proofs say nothing"),
            false => (!inner.expecting).then_some(too_early.as_str()),
        };
        let Inner { done, places, stated, .. } = &*inner;
        if let Err(problem) =
            self.files.write_one(&Told { done, places, stated }, failure, code, time)
        {
            note(&printable(&problem));
            inner.missing = Some(Missing::NotWritten);
        }
        inner.exit_code()
    }

    /// The run has failed: report files say so, beside the verdicts that were given before.
    pub fn failed(&self, error: &str, code: i32, time: Duration) {
        let mut inner = self.lock();
        inner.finished = true;
        let Inner { done, places, stated, .. } = &*inner;
        if let Err(problem) =
            self.files.write_one(&Told { done, places, stated }, Some(error), code, time)
        {
            note(&printable(&problem));
        }
    }

    /// Notes that a requested file is missing: the run did not do all that it should.
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
        let code = exit_code(self.done.iter(), &self.stated, self.has_no_run);
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
pub fn exit_code<'a>(
    reports: impl Iterator<Item = &'a PropertyReport> + Clone,
    stated: &[Stated],
    has_no_run: bool,
) -> i32 {
    let is_bad = |report: &PropertyReport| match report.verdict {
        Verdict::Violated { .. } => !is_cover(stated.get(report.index)),
        Verdict::Proved { .. } => is_cover(stated.get(report.index)),
        Verdict::Unknown { .. } => false,
    };
    if has_no_run || reports.clone().any(is_bad) {
        1
    } else if reports.clone().any(|r| matches!(r.verdict, Verdict::Unknown { .. })) {
        3
    } else {
        0
    }
}

/// Whether a property asks for a run, so that a violation is good news.
pub(crate) fn is_cover(stated: Option<&Stated>) -> bool {
    stated.is_some_and(|stated| stated.kind == Kind::Cover)
}
