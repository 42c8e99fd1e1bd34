//! One call of `pedra check`, as a process of its own: its limits are its own, and whatever happens
//! to it does not end the other tasks.

use crate::args::Cli;
use crate::load::InputError;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// How often a signal is looked for while a check runs.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Options of `pedra check` that were typed behind `pedra run`.
#[derive(Clone, Debug, Default)]
pub struct Given(Vec<(String, Vec<OsString>)>);

impl Given {
    /// Those of a command line without model.
    ///
    /// # Errors
    /// If `pedra check` does not take them.
    pub fn read(words: &[OsString]) -> Result<Given, InputError> {
        let all = ["pedra", "check", "model"].map(OsString::from);
        let all: Vec<OsString> = all.into_iter().chain(words.iter().cloned()).collect();
        if let Err(error) = Cli::read(all.iter().cloned()) {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            return Err(InputError(line.strip_prefix("error: ").unwrap_or(line).to_owned()));
        }
        let matches = Cli::command().get_matches_from(all);
        let (_, matches) = matches.subcommand().expect("the command `check`");
        Ok(Given::of(matches))
    }

    fn of(matches: &ArgMatches) -> Given {
        let command = Cli::command();
        let check = command.find_subcommand("check").expect("it is one of the commands");
        let mut given = Vec::new();
        for arg in check.get_arguments().filter(|arg| !arg.is_positional()) {
            let id = arg.get_id().as_str();
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            let flag = match (arg.get_long(), arg.get_short()) {
                (Some(long), _) => format!("--{long}"),
                (None, short) => format!("-{}", short.expect("one of the two")),
            };
            let mut words: Vec<OsString> = Vec::new();
            if arg.get_action().takes_values() {
                for value in matches.get_raw(id).into_iter().flatten() {
                    words.extend([OsString::from(&flag), value.to_owned()]);
                }
            } else {
                words.push(flag.into());
            }
            given.push((id.to_owned(), words));
        }
        Given(given)
    }

    /// Whether an option was typed.
    pub fn has(&self, id: &str) -> bool {
        self.0.iter().any(|(known, _)| known == id)
    }

    /// Takes an option out; gives its last word.
    pub fn take(&mut self, id: &str) -> Option<OsString> {
        let at = self.0.iter().position(|(known, _)| known == id)?;
        self.0.remove(at).1.pop()
    }

    /// The words of an option.
    pub fn words_of(&self, id: &str) -> Vec<OsString> {
        let words = self.0.iter().filter(|(known, _)| known == id).flat_map(|(_, words)| words);
        words.cloned().collect()
    }

    /// All words but those of some options.
    pub fn words_without(&self, ids: &[&str]) -> Vec<OsString> {
        let others = self.0.iter().filter(|(known, _)| !ids.contains(&known.as_str()));
        let words = others.flat_map(|(_, words)| words);
        words.cloned().collect()
    }
}

/// How a check ended.
pub struct Ended {
    /// Its exit code; none if it was killed.
    pub code: Option<i32>,
    /// What it said on standard error.
    pub errors: String,
    /// Whether it said that it had ended.
    pub has_ended: bool,
}

/// Runs `pedra check` on files, and hears each of its lines as it comes. A signal to us is passed
/// on: the check then ends with what it knows.
///
/// # Errors
/// If this program cannot be started once more.
pub fn check(
    files: &[PathBuf],
    words: &[OsString],
    signal: &AtomicUsize,
    mut hear: impl FnMut(Value),
) -> io::Result<Ended> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["check", "--json"])
        .args(words)
        .arg("--")
        .args(files)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let id = Pid::from_raw(child.id() as i32);
    let is_over = AtomicBool::new(false);
    let mut has_ended = false;
    let errors = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut is_told = false;
            while !is_over.load(Ordering::Relaxed) {
                if signal.load(Ordering::Relaxed) != 0 && !is_told {
                    // It may have ended meanwhile.
                    let _ = kill(id, Signal::SIGINT);
                    is_told = true;
                }
                std::thread::sleep(LOOK_EVERY);
            }
        });
        let errors = scope.spawn(|| {
            let mut text = Vec::new();
            let _ = errors.map(|mut errors| errors.read_to_end(&mut text));
            String::from_utf8_lossy(&text).trim_end().to_owned()
        });
        for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()) {
            let Some(value) = line.ok().and_then(|line| serde_json::from_str::<Value>(&line).ok())
            else {
                continue;
            };
            has_ended |= value["event"] == "end";
            hear(value);
        }
        let errors = errors.join().unwrap_or_default();
        is_over.store(true, Ordering::Relaxed);
        errors
    });
    let code = child.wait()?.code();
    Ok(Ended { code, errors, has_ended })
}
