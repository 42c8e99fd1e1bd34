//! The independent checker.
//!
//! Everything that an engine answers is checked here by a second route that shares no code with
//! the engines: this crate depends on the model, on the solvers and on the text formats, never
//! on an engine. It is small on purpose.
//!
//! - [`proof`]: the claims of a proof, as new queries on new solvers.

mod frames;
pub mod options;
pub mod proof;
mod prover;

pub use options::{CheckOptions, Counterexample, Effort, StateValues, Stop};
pub use proof::{CheckedProof, Claim, ProofError, check_bit_proof};
