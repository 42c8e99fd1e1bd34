//! Models and programs, as files have them.

use pedra::args::LanguageArgs;
use pedra::commands::language::{Errors, Language, Places};
use pedra::load::{self, Loaded};
use pedra_model::Model as System;
use pedra_program::Program;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

create_exception!(pedra, InputError, PyValueError, "A file or an option is wrong.");
create_exception!(
    pedra,
    InternalError,
    PyRuntimeError,
    "An answer failed its check: a bug in Pedra. No verdict is given."
);

/// What a file holds.
pub enum Input {
    /// A model in bits or words.
    Model(Box<Loaded>),
    /// A program.
    Program(Box<Program>),
}

/// A model that was read.
#[pyclass(frozen, module = "pedra._native")]
pub struct Model {
    /// Where it came from.
    pub path: PathBuf,
    /// What it is.
    pub input: Arc<Input>,
    /// How it was read, as words of the command line.
    pub words: Vec<String>,
}

/// A mistake of the caller.
pub fn input_error(error: impl std::fmt::Display) -> PyErr {
    InputError::new_err(error.to_string())
}

#[pymethods]
impl Model {
    /// Reads a file.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        data_model: Option<String>,
        function: Option<String>,
    ) -> PyResult<Model> {
        let mut words = Vec::new();
        words.extend(data_model.map(|name| format!("--data-model={name}")));
        words.extend(function.map(|name| format!("--function={name}")));
        let args = super::check::arguments(&path, &words)?;
        let input = py.detach(|| read(&path, &args.language)).map_err(input_error)?;
        Ok(Model { path, input: Arc::new(input), words })
    }

    /// Decides properties. `words` are options of `pedra check`. `hear` is called with an answer
    /// for each property, and, if `progress` is set, with tuples when engines go deeper.
    fn check(
        &self,
        py: Python<'_>,
        words: Vec<String>,
        timeout: Option<f64>,
        progress: bool,
        hear: Py<PyAny>,
    ) -> PyResult<()> {
        self.decide(py, words, timeout, progress, hear)
    }

    /// The format: `AIGER`, `BTOR2`, `C`, `Boogie` or `Horn clauses`.
    fn format(&self) -> &'static str {
        match &*self.input {
            Input::Model(loaded) => match loaded.model {
                System::Bits(_) => "AIGER",
                System::Words(_) => "BTOR2",
            },
            Input::Program(_) => Language::of(&self.path).map_or("", Language::name),
        }
    }

    /// Each property: its index, its name, its file and its line.
    fn properties(&self) -> Vec<(usize, Option<String>, String, usize)> {
        match &*self.input {
            Input::Model(loaded) => {
                let places = loaded.property_places().into_iter().enumerate();
                let name = |index| loaded.property_name(index).map(str::to_owned);
                places.map(|(index, at)| (index, name(index), at.file, at.line)).collect()
            }
            Input::Program(program) => {
                (0..program.properties.len()).map(|index| of_program(program, index)).collect()
            }
        }
    }
}

/// A property of a program.
fn of_program(program: &Program, index: usize) -> (usize, Option<String>, String, usize) {
    let name = pedra::commands::program::property_name(program, index);
    let place = pedra::report::SourcePlace::of(program, program.properties[index].span);
    (index, Some(name), place.file, place.line)
}

fn read(path: &std::path::Path, args: &LanguageArgs) -> Result<Input, load::InputError> {
    match Language::of(path) {
        Some(language) => {
            let program = language.load(path, args, Places::OfSource, Errors::End)?;
            Ok(Input::Program(Box::new(program)))
        }
        None => {
            pedra::commands::language::refuse_language(args)?;
            load::load(path).map(|loaded| Input::Model(Box::new(loaded)))
        }
    }
}
