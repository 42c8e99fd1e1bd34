//! What came of tasks: the exit code, the table, and report files.

use super::{Expect, Task, title};
use crate::report::{
    PropertyReport, ReadProperty, ReportFiles, SCHEMA, SourcePlace, Stated, Summary, Told, Verdict,
    is_cover,
};
use pedra_formats::text::printable;
use pedra_verilog::Kind;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// What came of a check.
pub struct Done<'a> {
    /// The task that it was part of.
    pub task: &'a Task,
    /// Task and files, for people.
    pub title: String,
    /// The first file.
    pub model: String,
    /// The verdicts, by index.
    pub reports: BTreeMap<usize, PropertyReport>,
    /// Where the properties stand.
    pub places: BTreeMap<usize, SourcePlace>,
    /// How they are stated, by index.
    pub stated: Vec<Stated>,
    /// The properties that were asked for, as far as they are known.
    pub asked: Vec<usize>,
    /// Why it failed, with the exit code, if it did.
    pub failure: Option<(String, i32)>,
    /// How long it took.
    pub time: Duration,
}

/// Whether a property is neither proved nor violated.
pub fn is_unknown(report: &PropertyReport) -> bool {
    matches!(report.verdict, Verdict::Unknown { .. })
}

impl<'a> Done<'a> {
    /// Nothing came of it so far.
    pub fn new(task: &'a Task, files: &[PathBuf]) -> Done<'a> {
        Done {
            task,
            title: format!("{}: {}", task.name, title(files)),
            model: files.first().map_or(String::new(), |path| path.display().to_string()),
            reports: BTreeMap::new(),
            places: BTreeMap::new(),
            stated: Vec::new(),
            asked: Vec::new(),
            failure: None,
            time: Duration::ZERO,
        }
    }

    /// Takes a verdict in.
    pub fn enter(&mut self, read: ReadProperty) {
        let index = read.report.index;
        self.places.extend(read.place.map(|place| (index, place)));
        let assertion = Stated { kind: Kind::Assert, place: None };
        self.stated.resize(self.stated.len().max(index + 1), assertion);
        self.stated[index] = read.stated;
        self.reports.insert(index, read.report);
    }

    /// Takes in why an engine failed, if it did. Of several reasons the worst stays.
    pub fn fail(&mut self, failure: Option<(String, i32)>) {
        let rank = |failure: &Option<(String, i32)>| failure.as_ref().map(|(_, code)| rank(*code));
        if rank(&failure) > rank(&self.failure) {
            self.failure = failure;
        }
    }

    /// A property that was asked for, and nothing is known of.
    pub fn missing(&self) -> Option<usize> {
        self.asked.iter().copied().find(|index| !self.reports.contains_key(index))
    }

    /// How many properties are proved, violated, unknown.
    fn counts(&self) -> [usize; 3] {
        let count = |is_meant: fn(&Verdict) -> bool| {
            self.reports.values().filter(|report| is_meant(&report.verdict)).count()
        };
        [
            count(|v| matches!(v, Verdict::Proved { .. })),
            count(|v| matches!(v, Verdict::Violated { .. })),
            count(|v| matches!(v, Verdict::Unknown { .. })),
        ]
    }

    /// 0 all as expected, 1 some not, 3 some unknown; that of the check if it failed.
    pub fn code(&self) -> i32 {
        let is_wrong = |report: &&PropertyReport| match report.verdict {
            Verdict::Proved { .. } => self.should_be_violated(report),
            Verdict::Violated { .. } => !self.should_be_violated(report),
            Verdict::Unknown { .. } => false,
        };
        let wrong = self.reports.values().filter(is_wrong).count();
        match (&self.failure, wrong, self.counts()[2]) {
            (Some((_, code)), ..) => *code,
            (None, 0, 0) => 0,
            (None, 0, _) => 3,
            (None, ..) => 1,
        }
    }

    fn should_be_violated(&self, report: &PropertyReport) -> bool {
        self.task.expect == Expect::Violated || is_cover(self.stated.get(report.index))
    }
}

/// Of several exit codes the one that counts most.
pub fn worst(codes: impl IntoIterator<Item = i32>) -> i32 {
    codes.into_iter().max_by_key(|&code| rank(code)).unwrap_or(0)
}

/// How much an exit code counts.
fn rank(code: i32) -> u8 {
    match code {
        0 => 0,
        3 => 1,
        1 => 2,
        2 => 3,
        _ => 4,
    }
}

/// One line a task.
pub fn table(tasks: &[&Task], done: &[Done<'_>]) -> String {
    let head = ["task", "proved", "violated", "unknown", "seconds", "result"].map(str::to_owned);
    let mut rows = vec![head];
    for task in tasks {
        let own = done.iter().filter(|done| done.task.name == task.name);
        let (mut counts, mut time) = ([0; 3], Duration::ZERO);
        for one in own.clone() {
            let more = one.counts();
            counts = std::array::from_fn(|i| counts[i] + more[i]);
            time += one.time;
        }
        let result = match (worst(own.map(Done::code)), task.expect) {
            (0, _) => "ok",
            (1, Expect::Proved) => "violated",
            (1, Expect::Violated) => "proved, violation expected",
            (3, _) => "unknown",
            _ => "failed",
        };
        let [proved, violated, unknown] = counts.map(|count| count.to_string());
        let name = printable(&task.name).into_owned();
        let seconds = format!("{:.2}", time.as_secs_f64());
        rows.push([name, proved, violated, unknown, seconds, result.to_owned()]);
    }
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    let line = |row: &[String; 6]| {
        let numbers: String = (1..5).map(|i| format!("  {:>1$}", row[i], widths[i])).collect();
        format!("{:<width$}{numbers}  {}", row[0], row[5], width = widths[0])
    };
    rows.iter().map(line).collect::<Vec<String>>().join("\n")
}

/// The last line for programs.
pub fn end_line(done: &[Done<'_>], code: i32) -> String {
    let mut counts = [0; 3];
    for one in done {
        let more = one.counts();
        counts = std::array::from_fn(|i| counts[i] + more[i]);
    }
    let seconds = done.iter().map(|one| one.time).sum::<Duration>().as_secs_f64();
    let failed = done.iter().filter(|one| one.failure.is_some()).count();
    json!({
        "schema": SCHEMA, "event": "end", "proved": counts[0], "violated": counts[1],
        "unknown": counts[2], "failed": failed, "exit": code,
        "seconds": (seconds * 1000.0).round() / 1000.0
    })
    .to_string()
}

/// Writes the report files: a part for each check.
///
/// # Errors
/// What the system says.
pub fn write_reports(files: &ReportFiles, done: &[Done<'_>]) -> Result<(), String> {
    let reports: Vec<Vec<PropertyReport>> =
        done.iter().map(|one| one.reports.values().cloned().collect()).collect();
    let summaries = done.iter().zip(&reports).map(|(one, reports)| Summary {
        title: &one.title,
        model: &one.model,
        expects_violation: one.task.expect == Expect::Violated,
        told: Told { done: reports, places: &one.places, stated: &one.stated },
        failure: one.failure.as_ref().map(|(text, _)| text.as_str()),
        code: one.code(),
        time: one.time,
    });
    files.write(&summaries.collect::<Vec<Summary<'_>>>())
}
