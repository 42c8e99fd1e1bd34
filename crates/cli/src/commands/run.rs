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
use crate::tasks::keep::{self, Kept};
use crate::tasks::outcome::{Done, end_line, is_unknown, table, worst, write_reports};
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
    let calls = plan(&chosen, &given)?;
    if args.list {
        for task in &chosen {
            say(&printable(&format!("{}  {}", task.name, title(&task.files))));
        }
        return Ok(0);
    }
    let files = ReportFiles::begin(path, junit.as_deref(), sarif.as_deref(), &[])?;
    let folder = Path::new(".");
    let kept = if args.fresh { Kept::none(folder) } else { Kept::open(folder) };
    let signal = signal_flag();
    let mut runner = Runner { is_json, kept, signal: &signal, color: stdout_color() };
    let done: Vec<Done<'_>> = calls.iter().map(|call| runner.call(call)).collect();
    let is_plain = args.task.is_empty() && args.options.is_empty();
    let is_whole = is_plain && signal.load(Ordering::Relaxed) == 0;
    let marks: Vec<String> = calls.iter().filter_map(|call| call.mark.clone()).collect();
    if let Some(problem) = runner.kept.close(is_whole.then_some(&marks)) {
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

/// One call of `pedra check`, or several with one engine after the other.
struct Call<'a> {
    task: &'a Task,
    files: Vec<PathBuf>,
    /// But for the engine and the properties.
    words: Vec<OsString>,
    /// The properties that are asked for, if not all.
    properties: Vec<OsString>,
    /// None for that of the words.
    engines: Vec<Option<&'a str>>,
    /// What its verdicts depend on.
    mark: Option<String>,
}

/// What is to be called. What was typed wins over the file.
///
/// # Errors
/// If two calls would write one file.
fn plan<'a>(tasks: &[&'a Task], given: &Given) -> Result<Vec<Call<'a>>, InputError> {
    let mut calls = Vec::new();
    for &task in tasks {
        let own = task.settings.iter().filter(|setting| !given.has(&setting.id));
        let (properties, own): (Vec<_>, Vec<_>) = own.partition(|s| s.id == "property");
        let properties = properties.iter().flat_map(|s| s.words.clone());
        let properties: Vec<OsString> = properties.chain(given.words_of("property")).collect();
        let mut words: Vec<OsString> = own.iter().flat_map(|s| s.words.clone()).collect();
        words.extend(given.words_without("property"));
        let engines = match task.engines.is_empty() || given.has("engine") {
            true => vec![None],
            false => task.engines.iter().map(|engine| Some(engine.as_str())).collect(),
        };
        for files in task.inputs() {
            let marked = words.iter().chain(&properties).cloned();
            let marked: Vec<OsString> =
                marked.chain(task.engines.iter().map(OsString::from)).collect();
            let mark = keep::mark(&files, &marked);
            let (words, properties) = (words.clone(), properties.clone());
            calls.push(Call { task, files, words, properties, engines: engines.clone(), mark });
        }
    }
    refuse_shared_files(&calls, given)?;
    Ok(calls)
}

/// Options that name files to be written.
const OUTPUTS: [&str; 8] =
    ["trace", "vcd", "certificate", "witness", "test", "record", "report", "plots"];

/// *Required*: one call must not overwrite what another one has written.
fn refuse_shared_files(calls: &[Call<'_>], given: &Given) -> Result<(), InputError> {
    let mut seen: Vec<(&str, &OsString)> = Vec::new();
    for call in calls {
        if let Some(option) = OUTPUTS.iter().find(|id| given.has(id)).filter(|_| calls.len() > 1) {
            let text = "more than one model is checked, and each needs its own file";
            return Err(InputError(format!("--{option}: {text}")));
        }
        let outputs = call.task.settings.iter().filter(|s| OUTPUTS.contains(&s.id.as_str()));
        for word in outputs.flat_map(|setting| &setting.words) {
            if let Some((other, _)) = seen.iter().find(|(_, known)| *known == word) {
                let (word, name) = (word.to_string_lossy(), &call.task.name);
                let text =
                    format!("`{word}` is one file for two models (tasks `{other}`, `{name}`)");
                return Err(InputError(format!("{}: {text}", tasks::FILE)));
            }
            seen.push((&call.task.name, word));
        }
    }
    Ok(())
}

/// A run in progress.
struct Runner<'a> {
    is_json: bool,
    kept: Kept,
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
        let mut open = self.take_kept(call, &mut done);
        for engine in &call.engines {
            if open.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
            if self.signal.load(Ordering::Relaxed) != 0 {
                let is_new = done.reports.is_empty();
                done.failure = is_new.then(|| ("interrupted before it was checked".to_owned(), 3));
                break;
            }
            self.check(call, *engine, &mut open, &mut done);
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
    fn take_kept(&self, call: &Call<'_>, done: &mut Done<'_>) -> Option<Vec<usize>> {
        let lines = call.mark.as_ref().map(|mark| self.kept.of(mark)).unwrap_or_default();
        let start = lines.iter().rev().find(|line| line["event"] == "start")?;
        let asked = start["properties"].as_array()?.iter();
        let mut open: Vec<usize> = asked.filter_map(|p| p.as_u64().map(|p| p as usize)).collect();
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
        open: &mut Option<Vec<usize>>,
        done: &mut Done<'_>,
    ) {
        let mut words = call.words.clone();
        words.extend(engine.map(|engine| OsString::from(format!("--engine={engine}"))));
        match open {
            // Numbers mean the same only as long as all properties are asked for.
            Some(open) if call.properties.is_empty() => {
                words.extend(open.iter().map(|index| format!("--property=b{index}").into()));
            }
            _ => words.extend(call.properties.iter().cloned()),
        }
        let signal = self.signal;
        let mut asked: Option<Vec<usize>> = None;
        let mut said = Said::new();
        let hear = |line: Value| {
            if line["event"] == "start" && asked.is_none() {
                let all = line["properties"].as_array().into_iter().flatten();
                asked = Some(all.filter_map(|p| p.as_u64().map(|p| p as usize)).collect());
                if let (Some(mark), None) = (&call.mark, &*open) {
                    self.kept.add(mark, &line);
                }
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
            if let (Some(mark), false) = (&call.mark, is_unknown(report)) {
                self.kept.add(mark, &line);
            }
            done.enter(read);
        };
        done.failure = match check(&call.files, &words, signal, hear) {
            Err(error) => Some((format!("pedra cannot be started: {error}"), 2)),
            Ok(ended) => failure(ended, asked.as_deref(), &said),
        };
        if let Some(asked) = asked {
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
