//! Reads `pedra.toml`. A mistake is told with its line, its column and what would be right; a key
//! that nobody reads is a mistake.

use super::{Expect, Setting, Task};
use crate::args::Cli;
use crate::load::{InputError, describe};
use clap::{Arg, ArgAction, CommandFactory};
use pedra_check::EngineName;
use pedra_formats::error::FormatError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Options of `pedra check` that are not for a task: `run` has its own, or none makes sense.
const NOT_FOR_TASKS: [&str; 8] =
    ["help", "help_all", "json", "quiet", "verbose", "wave", "junit", "sarif"];

/// Where a key or value begins, and what is wrong there.
type Mistake = (usize, String, Option<String>);

/// The tasks of a file, in its order.
///
/// # Errors
/// The first mistake.
pub fn tasks(path: &Path, text: &str) -> Result<Vec<Task>, InputError> {
    let told = |(at, message, hint): Mistake| {
        let before = &text[..at.min(text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        let error = FormatError::at(line, column, message);
        let error = match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        };
        describe(path, text.as_bytes(), &error)
    };
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        told((at, error.message().to_owned(), None))
    })?;
    document_tasks(document.get_ref()).map_err(told)
}

fn document_tasks(document: &DeTable<'_>) -> Result<Vec<Task>, Mistake> {
    let command = Cli::command();
    let check = command.find_subcommand("check").expect("it is one of the commands");
    let reader = Reader { options: check.get_arguments().filter(is_for_tasks).collect() };
    let mut defaults = Vec::new();
    let mut tasks = Vec::new();
    for (key, value) in document {
        match (&**key.get_ref(), value.get_ref()) {
            ("defaults", DeValue::Table(table)) => defaults = reader.defaults(table)?,
            ("task", DeValue::Table(table)) => tasks.extend(table),
            (name @ ("defaults" | "task"), _) => {
                let hint = format!("write [{name}{}]", if name == "task" { ".NAME" } else { "" });
                return Err((key.span().start, format!("`{name}` is not a table"), Some(hint)));
            }
            (name, _) => {
                let hint = "the file has [defaults] and, for each task, [task.NAME]";
                let message = format!("there is no `{name}` here");
                return Err((key.span().start, message, Some(hint.to_owned())));
            }
        }
    }
    if tasks.is_empty() {
        let hint = "a task is [task.NAME] and below it files = [\"model.btor2\"]".to_owned();
        return Err((0, "there is no task".to_owned(), Some(hint)));
    }
    tasks.sort_by_key(|(name, _)| name.span().start);
    tasks.into_iter().map(|(name, value)| reader.task(name, value, &defaults)).collect()
}

fn is_for_tasks(arg: &&Arg) -> bool {
    let id = arg.get_id().as_str();
    !NOT_FOR_TASKS.contains(&id) && (arg.get_long().is_some() || arg.get_short().is_some())
}

/// What keys mean.
struct Reader<'a> {
    options: Vec<&'a Arg>,
}

impl Reader<'_> {
    fn defaults(&self, table: &DeTable<'_>) -> Result<Vec<Setting>, Mistake> {
        in_order(table).into_iter().map(|(key, value)| self.setting(key, value)).collect()
    }

    fn task(
        &self,
        name: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
        defaults: &[Setting],
    ) -> Result<Task, Mistake> {
        let title = name.get_ref().as_ref().to_owned();
        let at = name.span().start;
        let DeValue::Table(table) = value.get_ref() else {
            let message = format!("the task `{title}` is not a table");
            return Err((at, message, Some(format!("write [task.{title}]"))));
        };
        let mut task = Task {
            name: title,
            files: Vec::new(),
            engines: Vec::new(),
            expect: Expect::Proved,
            settings: Vec::new(),
        };
        for (key, value) in in_order(table) {
            match &**key.get_ref() {
                "files" => {
                    let files = texts(value)?.into_iter();
                    task.files = files.map(|(_, text)| PathBuf::from(text)).collect();
                }
                "engines" => task.engines = engines(value)?,
                "expect" => task.expect = expect(value)?,
                _ => task.settings.push(self.setting(key, value)?),
            }
        }
        if task.files.is_empty() {
            let hint = "for example files = [\"model.btor2\"]".to_owned();
            return Err((at, format!("the task `{}` has no files", task.name), Some(hint)));
        }
        let is_given = |id: &str| task.settings.iter().any(|setting| setting.id == id);
        if !task.engines.is_empty() && is_given("engine") {
            let message = format!("the task `{}` has both `engine` and `engines`", task.name);
            return Err((at, message, None));
        }
        let missing = defaults.iter().filter(|d| !is_given(&d.id)).cloned();
        let mut settings: Vec<Setting> = missing.collect();
        settings.append(&mut task.settings);
        if !task.engines.is_empty() {
            settings.retain(|setting| setting.id != "engine");
        }
        Ok(Task { settings, ..task })
    }

    /// An option of `pedra check`.
    fn setting(
        &self,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Setting, Mistake> {
        let name = key.get_ref().as_ref();
        let id = match name {
            "properties" => "property",
            "options" => "option",
            other => other,
        };
        let is_meant = |arg: &&&Arg| match arg.get_long() {
            Some(long) => long == id,
            None => arg.get_id().as_str() == id,
        };
        let Some(arg) = self.options.iter().find(is_meant) else {
            let hint = "keys are files, engines, expect, and the long options of `pedra check`, \
                        for example timeout, properties or options";
            let message = format!("there is no key `{name}`");
            return Err((key.span().start, message, Some(hint.to_owned())));
        };
        let flag = match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, short) => format!("-{}", short.expect("one of the two")),
        };
        let mut words = Vec::new();
        if arg.get_action().takes_values() {
            let values = texts(value)?;
            if values.len() > 1 && !matches!(arg.get_action(), ArgAction::Append) {
                return Err((value.span().start, format!("`{name}` takes one value"), None));
            }
            for (at, text) in values {
                let word = [OsString::from(format!("{flag}={text}"))];
                let word = if arg.get_long().is_some() {
                    word.to_vec()
                } else {
                    vec![flag.clone().into(), text.into()]
                };
                parse(&word).map_err(|message| (at, message, None))?;
                words.extend(word);
            }
        } else {
            match value.get_ref() {
                DeValue::Boolean(true) => words.push(flag.into()),
                DeValue::Boolean(false) => {}
                _ => return Err((value.span().start, format!("`{name}` is true or false"), None)),
            }
        }
        Ok(Setting { id: arg.get_id().to_string(), words })
    }
}

/// Whether `pedra check` takes these words; what is wrong with them, in a line.
fn parse(words: &[OsString]) -> Result<(), String> {
    let all = ["pedra", "check", "model"].map(OsString::from);
    // What needs another option is looked at when all are together.
    match Cli::read(all.into_iter().chain(words.iter().cloned())) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == clap::error::ErrorKind::MissingRequiredArgument => Ok(()),
        Err(error) => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            Err(line.strip_prefix("error: ").unwrap_or(line).to_owned())
        }
    }
}

/// The entries of a table in the order of the file.
fn in_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t Spanned<std::borrow::Cow<'i, str>>, &'t Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// One value, or a list of them, each as it would be typed.
fn texts(value: &Spanned<DeValue<'_>>) -> Result<Vec<(usize, String)>, Mistake> {
    let at = value.span().start;
    let text = match value.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Array(array) => {
            let parts: Result<Vec<_>, Mistake> = array.iter().map(texts).collect();
            return Ok(parts?.into_iter().flatten().collect());
        }
        other => {
            let message = format!("this is a {}, not text", other.type_str());
            return Err((at, message, None));
        }
    };
    match text.is_empty() {
        true => Err((at, "the text is empty".to_owned(), None)),
        false => Ok(vec![(at, text)]),
    }
}

fn engines(value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, Mistake> {
    let named = |(at, text): (usize, String)| match EngineName::of_text(&text) {
        Some(_) => Ok(text),
        None => {
            let all = EngineName::ALL.map(EngineName::text).join(", ");
            Err((at, format!("there is no engine `{text}`"), Some(format!("engines are {all}"))))
        }
    };
    texts(value)?.into_iter().map(named).collect()
}

fn expect(value: &Spanned<DeValue<'_>>) -> Result<Expect, Mistake> {
    match value.get_ref().as_str() {
        Some("proved") => Ok(Expect::Proved),
        Some("violated") => Ok(Expect::Violated),
        _ => {
            let message = "`expect` is \"proved\" or \"violated\"".to_owned();
            Err((value.span().start, message, None))
        }
    }
}
