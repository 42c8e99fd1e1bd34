//! The languages of programs, and how each is read.

use crate::args::{CheckArgs, DataModelName};
use crate::load::{InputError, describe, read_bytes};
use pedra_c::preprocess::preprocess;
use pedra_c::{CError, DataModel, Options};
use pedra_program::Program;
use std::path::Path;

/// What a program is written in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// Boogie.
    Boogie,
    /// Horn clauses in SMT-LIB.
    Horn,
}

impl Language {
    /// The language of a program, by the ending of the file's name; `None` if it is no program.
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" | "i" => Some(Language::C),
            "bpl" => Some(Language::Boogie),
            "smt2" => Some(Language::Horn),
            _ => None,
        }
    }

    /// Reads the program.
    ///
    /// # Errors
    /// What is wrong with it, or an option that means nothing for the language.
    pub fn load(self, args: &CheckArgs) -> Result<Program, InputError> {
        let path = &args.model;
        let refused = [
            ("--data-model", "only for C", args.data_model.is_some() && self != Language::C),
            (
                "--function",
                "not for Horn clauses",
                args.function.is_some() && self == Language::Horn,
            ),
        ];
        if let Some((option, why, _)) = refused.into_iter().find(|(.., is_refused)| *is_refused) {
            return Err(InputError(format!("{option}: {why}")));
        }
        let bytes = read_bytes(path)?;
        let name = path.display().to_string();
        match self {
            Language::C => load_c(args, bytes),
            Language::Boogie => pedra_boogie::read_from(&bytes, &name, args.function.as_deref())
                .map_err(|error| describe(path, &bytes, &error)),
            Language::Horn => pedra_horn::read_program(&name, &bytes)
                .map_err(|error| describe(path, &bytes, &error)),
        }
    }
}

fn load_c(args: &CheckArgs, bytes: Vec<u8>) -> Result<Program, InputError> {
    let path = &args.model;
    let model = match args.data_model.unwrap_or(DataModelName::Ilp32) {
        DataModelName::Ilp32 => DataModel::Ilp32,
        DataModelName::Lp64 => DataModel::Lp64,
    };
    let text = match pedra_c::needs_preprocessing(&bytes) {
        true => preprocess(path, model)
            .map_err(|error| InputError(format!("{}: {error}", path.display())))?,
        false => bytes,
    };
    let entry = args.function.clone().unwrap_or_else(|| "main".to_owned());
    let options = Options { model, entry };
    pedra_c::load(&text, &path.display().to_string(), &options)
        .map_err(|error| InputError(error_text(path, &error)))
}

/// How much of a line is shown with an error.
const MAX_LINE: usize = 160;

/// `file:line:column: what is wrong`, the line, and a hint.
fn error_text(path: &Path, error: &CError) -> String {
    let file = match error.location.file {
        Some(_) => String::new(),
        None => format!("{}:", path.display()),
    };
    let mut text = format!("{file}{error}");
    let line: String = error.text.trim_end().chars().take(MAX_LINE).collect();
    if !line.trim().is_empty() {
        text.push_str(&format!("\n  {line}"));
    }
    if let Some(hint) = &error.hint {
        text.push_str(&format!("\nhint: {hint}"));
    }
    text
}
