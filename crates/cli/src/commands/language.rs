//! The languages of programs, and how each is read.

use crate::args::{CheckArgs, DataModelName, LanguageArgs};
use crate::c_source::error_text;
use crate::load::{InputError, describe, read_bytes};
use crate::program_evidence::data_model;
pub use pedra_c::Errors;
use pedra_c::Options;
use pedra_c::preprocess::preprocess;
use pedra_c::witness::observe::without_line_markers;
use pedra_program::Program;
use pedra_solve::terms::record_queries;
use pedra_verilog::is_verilog;
use std::borrow::Cow;
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

/// Which places of preprocessed C are shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// Those of the source, which line markers name.
    OfSource,
    /// Those of the file itself, as witnesses have them.
    OfFile,
}

impl Places {
    /// Those that a run shows: witnesses are about the file as it is.
    pub fn shown(has_witness: bool) -> Places {
        if has_witness { Places::OfFile } else { Places::OfSource }
    }
}

/// From now on what solvers are asked is written into this folder, if there is one.
///
/// # Errors
/// If the folder cannot be made.
pub fn start_queries(folder: Option<&Path>) -> Result<(), InputError> {
    let Some(folder) = folder else { return Ok(()) };
    record_queries(folder)
        .map_err(|error| InputError(format!("--queries {}: {error}", folder.display())))
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

    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Boogie => "Boogie",
            Language::Horn => "Horn clauses",
        }
    }

    /// Reads the program. In preprocessed C its places are those that line markers name, or those
    /// of the file itself.
    ///
    /// # Errors
    /// What is wrong with it, or an option that means nothing for the language.
    pub fn load(
        self,
        path: &Path,
        args: &LanguageArgs,
        places: Places,
        errors: Errors,
    ) -> Result<Program, InputError> {
        self.read(path, &read_bytes(path)?, args, places, errors)
    }

    /// The same for what was read of the file.
    ///
    /// # Errors
    /// As above.
    pub fn read(
        self,
        path: &Path,
        bytes: &[u8],
        args: &LanguageArgs,
        places: Places,
        errors: Errors,
    ) -> Result<Program, InputError> {
        self.source(path, bytes, args, places, errors)?.read(path)
    }

    /// What the front end reads of a file, and how. Of C it is what the preprocessor makes.
    ///
    /// # Errors
    /// If an option means nothing for the language, or there is no preprocessor.
    pub fn source<'a>(
        self,
        path: &Path,
        bytes: &'a [u8],
        args: &LanguageArgs,
        places: Places,
        errors: Errors,
    ) -> Result<ProgramSource<'a>, InputError> {
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
        let text = match self {
            Language::Boogie | Language::Horn => Cow::Borrowed(bytes),
            Language::C if pedra_c::needs_preprocessing(bytes) => {
                let text = preprocess(path, data_model(args.data_model));
                let error = |error| InputError(format!("{}: {error}", path.display()));
                Cow::Owned(text.map_err(error)?)
            }
            Language::C if places == Places::OfFile => Cow::Owned(without_line_markers(bytes)),
            Language::C => Cow::Borrowed(bytes),
        };
        let (model, function) = (args.data_model, args.function.clone());
        Ok(ProgramSource { language: self, text, model, function, errors })
    }
}

/// What a front end reads, and how.
pub struct ProgramSource<'a> {
    /// The language.
    pub language: Language,
    /// The text.
    pub text: Cow<'a, [u8]>,
    /// C: the sizes of types, if they are named.
    pub model: Option<DataModelName>,
    /// Where runs start, if that is named.
    pub function: Option<String>,
    /// C: what comes after a call of an error function.
    pub errors: Errors,
}

impl ProgramSource<'_> {
    /// Reads the program: opens no file, and starts no process. The path is for messages.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(&self, path: &Path) -> Result<Program, InputError> {
        let (bytes, name) = (&*self.text, path.display().to_string());
        let function = self.function.as_deref();
        match self.language {
            Language::C => {
                let entry = function.unwrap_or("main").to_owned();
                let model = data_model(self.model);
                let options = Options { model, entry, errors: self.errors };
                pedra_c::load(bytes, &name, &options)
                    .map_err(|error| InputError(error_text(path, &error)))
            }
            Language::Boogie => pedra_boogie::read_from(bytes, &name, function)
                .map_err(|error| describe(path, bytes, &error)),
            Language::Horn => pedra_horn::read_program(&name, bytes)
                .map_err(|error| describe(path, bytes, &error)),
        }
    }
}

/// What is only for programs is refused for models.
///
/// # Errors
/// If an option of programs is given.
pub fn refuse_language(args: &LanguageArgs) -> Result<(), InputError> {
    let given =
        [("--data-model", args.data_model.is_some()), ("--function", args.function.is_some())];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(InputError(format!("{option}: only for programs"))),
        None => Ok(()),
    }
}

/// Refuses what is only for programs.
pub fn refuse_for_programs(args: &CheckArgs) -> Result<(), InputError> {
    refuse_language(&args.language)?;
    let has_test = args.test.is_some() && !is_verilog(&args.model);
    let given = [
        ("--witness", args.witness.is_some(), "C programs; --trace writes the path of a model"),
        ("--test", has_test, "C programs and Verilog designs"),
        ("--queries", args.queries.is_some(), "programs"),
    ];
    match given.into_iter().find(|(_, is_given, _)| *is_given) {
        Some((option, _, whom)) => Err(InputError(format!("{option}: only for {whom}"))),
        None => Ok(()),
    }
}
