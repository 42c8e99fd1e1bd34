//! Constrained Horn clauses in SMT-LIB: the logic `HORN` as CHC-COMP uses it, and the rules of
//! Z3's fixed-point engines.
//!
//! ```text
//! text ─ read ─► Clauses ─ lower ─► Program
//! text ◄ write ─ Clauses ◄ raise ── Program
//! ```
//!
//! - [`clauses`]: clauses as plain data.
//! - [`read`](mod@read): the reader. Nothing recurses, and memory is bounded by the size of the
//!   file and by [`read::MAX_TERMS`].
//! - [`lower`](mod@lower): clauses as a program, predicates being its places.
//! - [`raise`](mod@raise): programs of any front end as clauses.
//! - [`write`](mod@write): clauses as text.
//! - [`model`](mod@model): what a proof says of the predicates, as text.
//!
//! *Safe* means that the clauses are satisfiable: some interpretation of the predicates makes all
//! of them true, so that no derivation of *false* exists.

pub mod clauses;
#[doc(hidden)]
pub mod fuzzing;
pub mod lower;
pub mod model;
pub mod raise;
pub mod read;
pub mod write;

pub use clauses::{Atom, ByZero, Clause, Clauses, Predicate};
pub use lower::lower;
pub use raise::raise;
pub use read::read;
pub use write::write;

use pedra_formats::error::FormatError;
use pedra_program::Program;

/// Reads a file of Horn clauses as a program.
///
/// # Errors
/// If it is damaged, or has something that is not supported: where, and what.
pub fn read_program(name: &str, text: &[u8]) -> Result<Program, FormatError> {
    lower(&read(text)?, name)
}
