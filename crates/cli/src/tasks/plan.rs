//! From tasks to calls of `pedra check`, and which files these read and write.

use super::call::Given;
use super::keep::{self, Mark};
use super::{FILE, Task};
use crate::args::{CheckArgs, Cli, Command};
use crate::load::InputError;
use crate::paths::{Output, may_be};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// One call of `pedra check`, or several with one engine after the other.
pub struct Call<'a> {
    /// The task that it is part of.
    pub task: &'a Task,
    /// What is checked.
    pub files: Vec<PathBuf>,
    /// But for the engine and the properties.
    pub words: Vec<OsString>,
    /// The properties that are asked for, if not all.
    pub properties: Vec<OsString>,
    /// None for that of the words.
    pub engines: Vec<Option<&'a str>>,
}

impl Call<'_> {
    /// What its verdicts depend on, as the files are now.
    pub fn mark(&self, build: &str) -> Option<Mark> {
        let words = self.words.iter().chain(&self.properties).cloned();
        let words: Vec<OsString> =
            words.chain(self.task.engines.iter().map(OsString::from)).collect();
        keep::mark(build, &self.files, &words)
    }

    /// What the words mean; none if they are refused, which the call itself will say.
    fn args(&self) -> Option<CheckArgs> {
        let first = ["pedra", "check"].map(OsString::from).into_iter();
        let words = first.chain(self.words.iter().cloned()).chain([OsString::from("--")]);
        match Cli::read(words.chain(self.files.iter().map(OsString::from))).ok()?.command {
            Command::Check(args) => Some(*args),
            _ => None,
        }
    }
}

/// Options that select properties.
const PROPERTIES: [&str; 2] = ["property", "property_number"];

/// What is to be called. What was typed wins over the file.
///
/// # Errors
/// If two calls would write one file, or one that is read.
pub fn plan<'a>(
    tasks: &[&'a Task],
    given: &Given,
    files: &mut Files,
) -> Result<Vec<Call<'a>>, InputError> {
    let mut calls = Vec::new();
    let selects = PROPERTIES.iter().any(|id| given.has(id));
    for &task in tasks {
        let is_property = |id: &str| PROPERTIES.contains(&id);
        let own = task.settings.iter().filter(|setting| !given.has(&setting.id));
        let own = own.filter(|setting| !(selects && is_property(&setting.id)));
        let (properties, own): (Vec<_>, Vec<_>) = own.partition(|s| is_property(&s.id));
        let properties = properties.iter().flat_map(|s| s.words.clone());
        let properties: Vec<OsString> =
            properties.chain(PROPERTIES.iter().flat_map(|id| given.words_of(id))).collect();
        let mut words: Vec<OsString> = own.iter().flat_map(|s| s.words.clone()).collect();
        words.extend(given.words_without(&PROPERTIES));
        let engines = match task.engines.is_empty() || given.has("engine") {
            true => vec![None],
            false => task.engines.iter().map(|engine| Some(engine.as_str())).collect(),
        };
        for files in task.inputs() {
            let (words, properties) = (words.clone(), properties.clone());
            calls.push(Call { task, files, words, properties, engines: engines.clone() });
        }
    }
    files.add(&calls, given)?;
    Ok(calls)
}

/// The files of a run of all tasks.
pub struct Files {
    /// Those that are read, and those that belong to the run itself.
    pub inputs: Vec<PathBuf>,
    /// Those that calls write, with their tasks.
    outputs: Vec<(String, Output)>,
}

impl Files {
    /// The file with the tasks, and that with verdicts.
    pub fn new(tasks: &Path, results: &Path) -> Files {
        Files { inputs: vec![tasks.to_owned(), results.to_owned()], outputs: Vec::new() }
    }

    /// What calls write.
    pub fn outputs(&self) -> Vec<Output> {
        self.outputs.iter().map(|(_, output)| output.clone()).collect()
    }

    /// *Required*: one call must not overwrite what another one reads or has written.
    fn add(&mut self, calls: &[Call<'_>], given: &Given) -> Result<(), InputError> {
        let all: Vec<Option<CheckArgs>> = calls.iter().map(Call::args).collect();
        self.inputs.extend(all.iter().flatten().flat_map(CheckArgs::inputs));
        for (call, args) in calls.iter().zip(&all) {
            for output in args.iter().flat_map(CheckArgs::outputs) {
                self.add_output(&call.task.name, output, calls.len() > 1, given)?;
            }
        }
        Ok(())
    }

    fn add_output(
        &mut self,
        task: &str,
        output: Output,
        several: bool,
        given: &Given,
    ) -> Result<(), InputError> {
        if let Some(option) = OUTPUTS.iter().find(|id| given.has(id)).filter(|_| several) {
            let text = "more than one model is checked, and each needs its own file";
            return Err(InputError(format!("--{option}: {text}")));
        }
        let path = output.path.display();
        if self.inputs.iter().any(|input| may_be(&output, input)) {
            let text = "is read by a task, or by the run itself; choose another name";
            return Err(InputError(format!("{FILE}: `{path}` {text}")));
        }
        let clashes = |other: &Output| may_be(&output, &other.path) || may_be(other, &output.path);
        if let Some((other, _)) = self.outputs.iter().find(|(_, known)| clashes(known)) {
            let text = format!("`{path}` is one file for two models (tasks `{other}`, `{task}`)");
            return Err(InputError(format!("{FILE}: {text}")));
        }
        self.outputs.push((task.to_owned(), output));
        Ok(())
    }
}

/// Options that name files to be written.
const OUTPUTS: [&str; 8] =
    ["trace", "vcd", "certificate", "witness", "test", "record", "report", "plots"];
