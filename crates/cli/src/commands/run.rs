//! `pedra run`: the tasks of `pedra.toml`, one after the other, with one table at the end. Verdicts
//! of an earlier run are taken over where nothing has changed ([`keep`]).

use crate::commands::stdout_color;
use crate::limits::signal_flag;
use crate::load::InputError;
use crate::output::{note, say};
use crate::report::{
    PropertyReport, ReadProperty, ReportFiles, Stated, Verdict, human_line, is_cover, read_property,
};
use crate::tasks::call::{Ended, Given, check};
use crate::tasks::keep::{self, Kept, Mark};
use crate::tasks::outcome::{Done, end_line, is_unknown, table, worst, write_reports};
use crate::tasks::plan::{Call, Files, plan};
use crate::tasks::{self, Task, TasksArgs, read, title};
use anyhow::Result;
use pedra_formats::text::printable;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// `pedra check` without model, in a folder with tasks: all of them, with these options.
pub fn instead_of_check(words: &[OsString]) -> Option<TasksArgs> {
    let [_, command, options @ ..] = words else { return None };
    let is_meant = command == "check" && tasks::are_in(Path::new("."));
    let args = TasksArgs { options: options.to_vec(), ..TasksArgs::default() };
    (is_meant && Given::read(options).is_ok()).then_some(args)
}

/// Runs the command; gives the exit code.
pub fn run(args: &TasksArgs) -> Result<i32> {
    let path = Path::new(tasks::FILE);
    let text = std::fs::read_to_string(path).map_err(|error| {
        let hint = "hint: this file lists what to check, see docs/CLI.md";
        InputError(format!("{}: cannot be read: {error}\n{hint}", path.display()))
    })?;
    let all = read::tasks(path, &text)?;
    let chosen = choose(&all, &args.task)?;
    let mut given = Given::read(&args.options)?;
    let junit = given.take("junit").map(PathBuf::from).or_else(|| args.junit.clone());
    let sarif = given.take("sarif").map(PathBuf::from).or_else(|| args.sarif.clone());
    let is_json = given.take("json").is_some() || args.json;
    let mut known = Files::new(path, Path::new(keep::FILE));
    let calls = plan(&chosen, &given, &mut known)?;
    if args.list {
        for task in &chosen {
            say(&printable(&format!("{}  {}", task.name, title(&task.files))));
        }
        return Ok(0);
    }
    let outputs = known.outputs();
    let files = ReportFiles::begin(&known.inputs, junit.as_deref(), sarif.as_deref(), &outputs)?;
    let folder = Path::new(".");
    let kept = if args.fresh { Kept::none(folder) } else { Kept::open(folder) };
    let signal = signal_flag();
    let (build, color, marks) = (keep::build_id(), stdout_color(), Vec::new());
    let mut runner = Runner { is_json, kept, build, marks, signal: &signal, color };
    let done: Vec<Done<'_>> = calls.iter().map(|call| runner.call(call)).collect();
    let is_plain = args.task.is_empty() && args.options.is_empty();
    let is_whole = is_plain && signal.load(Ordering::Relaxed) == 0;
    if let Some(problem) = runner.kept.close(is_whole.then_some(&runner.marks)) {
        note(&printable(&format!("verdicts are not kept for the next run: {problem}")));
    }
    let mut code = worst(done.iter().map(Done::code));
    if let Err(problem) = write_reports(&files, &done) {
        note(&printable(&problem));
        code = worst([code, 2]);
    }
    say(&if is_json { end_line(&done, code) } else { table(&chosen, &done) });
    Ok(code)
}

/// The tasks with these names; all without a name.
fn choose<'a>(all: &'a [Task], names: &[String]) -> Result<Vec<&'a Task>, InputError> {
    if names.is_empty() {
        return Ok(all.iter().collect());
    }
    let find = |name: &String| {
        all.iter().find(|task| task.name == *name).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|task| task.name.as_str()).collect();
            let known = known.join(", ");
            InputError(format!("{}: there is no task `{name}`; tasks are {known}", tasks::FILE))
        })
    };
    names.iter().map(find).collect()
}

/// A run in progress.
struct Runner<'a> {
    is_json: bool,
    kept: Kept,
    /// Which program this is.
    build: Option<String>,
    /// The marks of the calls so far.
    marks: Vec<String>,
    signal: &'a AtomicUsize,
    color: bool,
}

impl Runner<'_> {
    fn call<'t>(&mut self, call: &Call<'t>) -> Done<'t> {
        let start = Instant::now();
        let mut done = Done::new(call.task, &call.files);
        if !self.is_json {
            say(&printable(&done.title));
        }
        // *Required for soundness*: of the files as they are now, not as they were when the run
        // began; the check says what it has read.
        let mark = self.build.as_ref().and_then(|build| call.mark(build));
        self.marks.extend(mark.as_ref().map(|mark| mark.text.clone()));
        let mut content = mark.as_ref().map(|mark| mark.content.clone());
        let mut open = self.take_kept(call, mark.as_ref(), &mut done);
        for engine in &call.engines {
            if open.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
            if self.signal.load(Ordering::Relaxed) != 0 {
                if done.reports.is_empty() || done.missing().is_some() {
                    done.fail(Some(("interrupted before it was checked".to_owned(), 3)));
                }
                break;
            }
            self.check(call, *engine, (mark.as_ref(), &mut content), &mut open, &mut done);
        }
        // *Required for soundness*: silence is no verdict.
        if let (None, Some(index)) = (&done.failure, done.missing()) {
            done.fail(Some((format!("there is no verdict of property {index}"), 70)));
        }
        // What no engine could decide.
        if !self.is_json {
            let unknown = done.reports.values().filter(|report| is_unknown(report));
            let line = |r: &PropertyReport| human_line(r, done.stated.get(r.index), self.color);
            unknown.for_each(|report| say(&line(report)));
        }
        if let Some((failure, _)) = &done.failure {
            note(&printable(failure));
        }
        done.time = start.elapsed();
        done
    }

    /// Takes verdicts of an earlier run over. Gives the properties that are open, if all are known.
    fn take_kept(
        &self,
        call: &Call<'_>,
        mark: Option<&Mark>,
        done: &mut Done<'_>,
    ) -> Option<Vec<usize>> {
        let lines = mark.map(|mark| self.kept.of(&mark.text)).unwrap_or_default();
        let start = lines.iter().rev().find(|line| line["event"] == "start")?;
        let mut open = asked_properties(start)?;
        done.asked.clone_from(&open);
        for line in &lines {
            let Some(read) = read_property(line) else { continue };
            if !open.contains(&read.report.index) {
                continue;
            }
            open.retain(|&index| index != read.report.index);
            self.tell(call, line, &read, ", kept");
            done.enter(read);
        }
        Some(open)
    }

    /// Has an engine decide what is open.
    fn check(
        &mut self,
        call: &Call<'_>,
        engine: Option<&str>,
        (mark, content): (Option<&Mark>, &mut Option<String>),
        open: &mut Option<Vec<usize>>,
        done: &mut Done<'_>,
    ) {
        let mut words = call.words.clone();
        words.extend(engine.map(|engine| OsString::from(format!("--engine={engine}"))));
        // Numbers mean the same only as long as all properties are asked for.
        let numbers = open.clone().filter(|_| call.properties.is_empty());
        match &numbers {
            Some(numbers) => {
                words.extend(numbers.iter().map(|n| format!("--property-number={n}").into()));
            }
            None => words.extend(call.properties.iter().cloned()),
        }
        let signal = self.signal;
        let mut asked: Option<Vec<usize>> = None;
        let mut said = Said::new();
        let mut is_other = false;
        let hear = |line: Value| {
            if line["event"] == "start" && asked.is_none() {
                asked = asked_properties(&line);
                // *Required for soundness*: a verdict about another content is not taken.
                is_other = is_other_content(content, &line);
                if let (Some(mark), None, false) = (mark, &*open, is_other) {
                    self.kept.add(&mark.text, &line);
                }
            }
            if is_other {
                return;
            }
            let Some(read) = read_property(&line) else { return };
            let report = &read.report;
            let stated = read.stated.clone();
            said.insert(report.index, (report.clone(), stated));
            if done.reports.get(&report.index).is_some_and(|known| !is_unknown(known)) {
                return;
            }
            // People hear of what is unknown when no engine is left.
            if self.is_json || !is_unknown(report) {
                self.tell(call, &line, &read, "");
            }
            if let (Some(mark), false) = (mark, is_unknown(report)) {
                self.kept.add(&mark.text, &line);
            }
            done.enter(read);
        };
        let ended = check(&call.files, &words, signal, hear);
        let is_wrong = numbers.is_some() && asked.is_some() && numbers != asked;
        done.fail(match ended {
            Err(error) => Some((format!("pedra cannot be started: {error}"), 2)),
            Ok(_) if is_other => {
                let text = "has changed while it was checked; run again";
                Some((format!("{}: {text}", title(&call.files)), 2))
            }
            Ok(_) if is_wrong => Some(("the check decides other properties".to_owned(), 70)),
            Ok(ended) => failure(ended, asked.as_deref(), &said),
        });
        if let Some(asked) = asked.filter(|_| !is_other) {
            if done.asked.is_empty() {
                done.asked.clone_from(&asked);
            }
            let known = open.take().unwrap_or(asked);
            let is_open = |index: &usize| done.reports.get(index).is_none_or(is_unknown);
            *open = Some(known.into_iter().filter(is_open).collect());
        }
    }

    fn tell(&self, call: &Call<'_>, line: &Value, read: &ReadProperty, how: &str) {
        if self.is_json {
            let mut line = line.clone();
            line["task"] = json!(call.task.name);
            line["model"] = json!(title(&call.files));
            line["kept"] = json!(!how.is_empty());
            say(&line.to_string());
        } else {
            let text = human_line(&read.report, Some(&read.stated), self.color);
            say(&format!("{text}{how}"));
        }
    }
}

/// Whether a check that starts has read another content than is known. The first one that reads it
/// says what is known, if nothing is.
fn is_other_content(known: &mut Option<String>, start: &Value) -> bool {
    let read = start["sha256"].as_str().unwrap_or_default();
    known.get_or_insert_with(|| read.to_owned()) != read
}

/// The properties that a line says will be decided.
fn asked_properties(start: &Value) -> Option<Vec<usize>> {
    let number = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
    start["properties"].as_array()?.iter().map(number).collect()
}

/// What a check has said of properties, and how they are stated.
type Said = BTreeMap<usize, (PropertyReport, Stated)>;

/// Why a check failed, with the exit code, if it did.
fn failure(ended: Ended, asked: Option<&[usize]>, said: &Said) -> Option<(String, i32)> {
    let Ended { code, errors, has_ended } = ended;
    let (Some(code @ (0 | 1 | 3)), true) = (code, has_ended) else {
        let how = code.map_or("killed".to_owned(), |code| format!("exit code {code}"));
        let text = if errors.is_empty() { how } else { errors };
        return Some((text, code.filter(|code| [2, 70].contains(code)).unwrap_or(70)));
    };
    if !errors.is_empty() {
        note(&printable_lines(&errors));
    }
    let Some(asked) = asked else {
        return Some(("stopped before the model was read".to_owned(), 3));
    };
    // *Required for soundness*: silence is no verdict, and both sides must agree on what was said.
    if let Some(index) = asked.iter().find(|index| !said.contains_key(index)) {
        return Some((format!("there is no verdict of b{index}"), 70));
    }
    let is_bad = |(report, stated): &(PropertyReport, Stated)| match report.verdict {
        Verdict::Proved { .. } => is_cover(Some(stated)),
        Verdict::Violated { .. } => !is_cover(Some(stated)),
        Verdict::Unknown { .. } => false,
    };
    let own = match said.values().any(is_bad) {
        true => 1,
        false if said.values().any(|(report, _)| is_unknown(report)) => 3,
        false => 0,
    };
    match (own, code) {
        (own, code) if own == code => None,
        (_, 1) => Some(("the assumptions allow no run".to_owned(), 1)),
        (0, 3) => Some(("a requested file is missing".to_owned(), 3)),
        (own, code) => Some((format!("exit code {code}, but its verdicts mean {own}"), 70)),
    }
}

fn printable_lines(text: &str) -> String {
    text.lines().map(printable).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Story;
    use pedra_model::property::Property;
    use pedra_verilog::Kind;
    use std::time::Duration;

    fn said(verdicts: Vec<Verdict>) -> Said {
        let report = |(index, verdict)| {
            let (engine, time, story) = ("pdr".to_owned(), Duration::ZERO, Story::default());
            let (files, invariants) = (Vec::new(), Vec::new());
            let name = None;
            let report = PropertyReport {
                index,
                id: Property::Bad(index),
                name,
                verdict,
                engine,
                time,
                files,
                invariants,
                story,
            };
            (index, (report, Stated { kind: Kind::Assert, place: None }))
        };
        verdicts.into_iter().enumerate().map(report).collect()
    }

    #[test]
    fn verdicts_are_about_one_content() {
        let start = |hash: &str| json!({ "event": "start", "sha256": hash });
        let mut known = Some("a".to_owned());
        assert!(!is_other_content(&mut known, &start("a")));
        assert!(is_other_content(&mut known, &start("b")));
        assert!(is_other_content(&mut known, &json!({ "event": "start" })));
        let mut known = None;
        assert!(!is_other_content(&mut known, &start("b")));
        assert!(is_other_content(&mut known, &start("a")));
    }

    /// What a check did not say, or said in two ways, makes it fail.
    #[test]
    fn silence_fails() {
        let violated = Verdict::Violated { depth: 3, loop_start: None };
        let unknown = Verdict::Unknown { reason: String::new(), safe: None };
        let ended = |code, has_ended| Ended { code, errors: String::new(), has_ended };
        let both = said(vec![violated, unknown.clone()]);
        let code = |ended: Ended, asked: Option<&[usize]>, said: &Said| {
            failure(ended, asked, said).map(|f| f.1)
        };
        assert_eq!(code(ended(Some(1), true), Some(&[0, 1]), &both), None);
        assert_eq!(code(ended(Some(0), true), Some(&[0, 1]), &both), Some(70));
        assert_eq!(code(ended(Some(1), true), Some(&[0, 1, 2]), &both), Some(70));
        assert_eq!(code(ended(Some(1), false), Some(&[0, 1]), &both), Some(70));
        assert_eq!(code(ended(None, true), Some(&[0, 1]), &both), Some(70));
        assert_eq!(code(ended(Some(3), true), None, &Said::new()), Some(3));
        assert_eq!(code(ended(Some(2), false), None, &Said::new()), Some(2));
        assert_eq!(code(ended(Some(3), true), Some(&[0]), &said(vec![unknown])), None);
    }
}
