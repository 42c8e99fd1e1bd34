//! Bytes to models and back. Readers check everything and say where and what is wrong; their
//! memory is bounded by the size of the file, never by a number that the file claims.

pub mod aiger;
pub mod aiger_witness;
pub mod btor2;
pub mod dot;
pub mod error;
#[doc(hidden)]
pub mod fuzzing;
pub mod sha256;
pub mod smtlib;
pub mod svg;
pub mod text;
pub mod vcd;
