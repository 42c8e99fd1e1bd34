//! The Boogie front end: from the text of a `.bpl` file to a [`Program`].
//!
//! Text, tokens, a tree as it was parsed, a tree with names resolved and types checked, the
//! graph: each step is a module, with plain data between them. What a program means is stated at
//! the head of `lower`; what is refused, in `docs/FORMATS.md`.

mod check;
#[doc(hidden)]
pub mod fuzzing;
mod lexer;
mod lower;
mod parse;
mod print;
mod source;
mod syntax;
mod tree;
mod types;

use pedra_formats::error::FormatError;
use pedra_program::Program;
pub use print::{Printed, print};
use source::{Outcome, Source};

/// Reads a Boogie program. `file` is its name for positions.
///
/// # Errors
/// The first place where the text is no program, or one that goes beyond what is supported.
pub fn read(bytes: &[u8], file: &str) -> Result<Program, FormatError> {
    read_from(bytes, file, None)
}

/// The same, with runs that start in the implementations of a procedure of this name.
///
/// # Errors
/// As [`read`], and if there is no such implementation.
pub fn read_from(bytes: &[u8], file: &str, entry: Option<&str>) -> Result<Program, FormatError> {
    let source = Source::new(bytes)?;
    read_source(&source, file, entry).map_err(|fault| source.error(fault))
}

fn read_source(source: &Source<'_>, file: &str, entry: Option<&str>) -> Outcome<Program> {
    let syntax = parse::parse(&lexer::tokens(source)?)?;
    let tree = check::check(&syntax)?;
    drop(syntax);
    lower::lower(&tree, source, file, entry)
}
