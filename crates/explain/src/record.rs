//! Reading the record of a run, line by line. The lines are described in `docs/JSON.md`.
//!
//! A record is a file from outside: it may be cut off, of another program, of another model or of
//! an older version. Each of these has an error with the line that shows it. Only the loss of the
//! last lines is no error, since that is what is left of a run that was killed.

use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead};

/// The schema that is read.
pub const SCHEMA: u64 = 1;

/// A longer line is no line of a record. Systems of a million latches stay below it.
const MAX_LINE: usize = 256 << 20;

/// Why there is no page of a record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Something else.
    #[error("line 1: this is no record of a run; `pedra check --record FILE` writes one")]
    NotARecord,
    /// Another schema.
    #[error("line 1: a record of schema {0}, but this program reads schema {SCHEMA}")]
    OtherSchema(Value),
    /// A record of the same schema without what a page needs.
    #[error(
        "line 1: a record of pedra {0}, which does not say which model it is of; record the run again"
    )]
    TooOld(String),
    /// A record of a run on another file.
    #[error("this is the record of another model: {0}")]
    OtherModel(String),
    /// A line that is none.
    #[error("line {line}: {what}")]
    BadLine {
        /// Its number, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
}

/// What the first line says.
#[derive(Clone, Debug, Deserialize)]
pub struct First {
    /// The version of the program.
    #[serde(default)]
    pub pedra: String,
    /// The model's path, as it was given.
    pub model: String,
    /// The length of the model's file.
    pub bytes: u64,
    /// The SHA-256 of the model's file.
    pub hash: String,
    /// The properties that were decided.
    pub properties: Vec<usize>,
    /// Their names.
    #[serde(default)]
    pub names: Vec<Option<String>>,
    /// The engine that was asked for.
    #[serde(default)]
    pub engine: String,
}

/// What most lines have. Fields that a line lacks are empty.
#[derive(Debug, Deserialize)]
pub(crate) struct Entry<'a> {
    #[serde(borrow)]
    pub(crate) event: Cow<'a, str>,
    pub(crate) seconds: f64,
    #[serde(borrow, default)]
    pub(crate) engine: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "engine_number")]
    pub(crate) id: Option<u64>,
    #[serde(borrow, default)]
    pub(crate) direction: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(crate) level: Option<u32>,
    #[serde(default)]
    pub(crate) lemma: Option<u64>,
    #[serde(default)]
    pub(crate) to: Option<u32>,
    #[serde(default)]
    pub(crate) by: Option<u64>,
    #[serde(default)]
    pub(crate) obligation: Option<u64>,
    #[serde(default)]
    pub(crate) depth: Option<u32>,
    #[serde(default)]
    pub(crate) successor: Option<u64>,
    #[serde(default)]
    pub(crate) clause: Option<Vec<i64>>,
    #[serde(borrow, default)]
    pub(crate) outside: Option<Outside<'a>>,
}

/// The number of an engine. The line of a justice set has its name here, such as `j0`.
fn engine_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    struct Number;
    impl Visitor<'_> for Number {
        type Value = Option<u64>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the number of an engine, or the name of a justice set")
        }

        fn visit_u64<E>(self, number: u64) -> Result<Option<u64>, E> {
            Ok(Some(number))
        }

        fn visit_str<E>(self, _: &str) -> Result<Option<u64>, E> {
            Ok(None)
        }
    }
    from.deserialize_any(Number)
}

/// A region of states, for people.
#[derive(Debug, Deserialize)]
pub(crate) struct Outside<'a> {
    #[serde(borrow)]
    pub(crate) text: Cow<'a, str>,
    #[serde(default)]
    pub(crate) location: Option<u32>,
}

/// Reads lines and counts them.
pub(crate) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// The lines of a record, behind its first one.
    ///
    /// # Errors
    /// If it has none, or that is of something else.
    pub(crate) fn new(input: R) -> Result<(First, Lines<R>), RecordError> {
        let mut lines = Lines { input, line: Vec::new(), number: 0 };
        if !lines.read()? {
            return Err(RecordError::NotARecord);
        }
        let value: Value =
            serde_json::from_slice(&lines.line).map_err(|_| RecordError::NotARecord)?;
        if value["event"] != "record" {
            return Err(RecordError::NotARecord);
        }
        if value["schema"] != SCHEMA {
            return Err(RecordError::OtherSchema(value["schema"].clone()));
        }
        let pedra = value["pedra"].as_str().unwrap_or("of an unknown version").to_owned();
        let first = serde_json::from_value(value).map_err(|_| RecordError::TooOld(pedra))?;
        Ok((first, lines))
    }

    /// Reads the next line; says whether there is one. A line without its end is what is left of
    /// one.
    fn read(&mut self) -> Result<bool, RecordError> {
        self.line.clear();
        let mut limited = io::Read::take(&mut self.input, MAX_LINE as u64);
        limited.read_until(b'\n', &mut self.line)?;
        self.number += 1;
        let is_whole = self.line.pop() == Some(b'\n');
        if !is_whole && self.line.len() + 1 >= MAX_LINE {
            return Err(self.bad("longer than any line of a record"));
        }
        Ok(is_whole)
    }

    fn bad(&self, what: impl ToString) -> RecordError {
        RecordError::BadLine { line: self.number, what: what.to_string() }
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// If it is no line of a record.
    pub(crate) fn next(&mut self) -> Result<Option<Read<'_>>, RecordError> {
        if !self.read()? {
            return Ok(None);
        }
        let number = self.number;
        match serde_json::from_slice(&self.line) {
            Ok(entry) => Ok(Some(Read { entry, bytes: &self.line, number })),
            Err(error) => Err(RecordError::BadLine { line: number, what: error.to_string() }),
        }
    }
}

/// A line that was read.
pub(crate) struct Read<'a> {
    /// What most lines have.
    pub(crate) entry: Entry<'a>,
    bytes: &'a [u8],
    number: u64,
}

impl Read<'_> {
    /// All of it, for lines of which there are few.
    pub(crate) fn value(&self) -> Result<Value, RecordError> {
        serde_json::from_slice(self.bytes).map_err(|error| self.bad(error))
    }

    /// What is wrong with this line.
    pub(crate) fn bad(&self, what: impl ToString) -> RecordError {
        RecordError::BadLine { line: self.number, what: what.to_string() }
    }

    /// A field that the line must have.
    pub(crate) fn need<T>(&self, field: Option<T>, name: &str) -> Result<T, RecordError> {
        field.ok_or_else(|| self.bad(format!("`{}` without `{name}`", self.entry.event)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = r#"{"schema":1,"event":"record","pedra":"0.1.0","model":"m","bytes":0,"hash":"x","properties":[0],"engine":"pdr"}"#;

    fn error(text: &str) -> String {
        let read = || {
            let (_, mut lines) = Lines::new(text.as_bytes())?;
            while lines.next()?.is_some() {}
            Ok::<_, RecordError>(())
        };
        read().map_or_else(|e| e.to_string(), |()| "read".to_owned())
    }

    #[test]
    fn other_files_are_named() {
        assert!(error("").contains("no record"));
        assert!(error("aag 1 0 1 0 0\n").contains("no record"));
        assert!(error("{\"event\":\"start\"}\n").contains("no record"));
        assert!(error("{\"event\":\"record\",\"schema\":7}\n").contains("schema 7"));
        let old = r#"{"event":"record","schema":1,"pedra":"0.0.9","model":"m","properties":[0]}"#;
        assert!(error(&format!("{old}\n")).contains("pedra 0.0.9"), "{}", error(old));
    }

    #[test]
    fn a_bad_line_has_a_number_and_a_lost_end_is_none() {
        let end = r#"{"event":"end","seconds":1.0}"#;
        assert_eq!(error(&format!("{FIRST}\n{end}\n")), "read");
        assert_eq!(error(&format!("{FIRST}\n{{\"event\":\"lear")), "read");
        assert!(error(&format!("{FIRST}\n{{\"event\":\n{end}\n")).starts_with("line 2: "));
        assert!(error(&format!("{FIRST}\n{end}\n[]\n")).starts_with("line 3: "));
    }
}
