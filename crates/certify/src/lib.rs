//! The independent checker.
//!
//! Every answer of an engine is checked here, independently of the engines: this crate depends on
//! the model, the solvers and the text formats, never on an engine. It is deliberately small.
//!
//! - [`replay`]: counterexamples, on the reference evaluators.
//! - [`lasso`]: violations of justice, on the same evaluators.
//! - [`proof`]: the claims of a proof, as new queries on new solvers.
//! - [`live`]: proofs about justice.
//! - [`bound`]: that there is no violation within a number of steps.
//! - [`certificate`], [`mapping`]: witness circuits, of Pedra or another tool, against a model.
//! - [`witness`]: witness circuits made of proofs.
//! - [`word_proof`], [`word_certificate`], [`word_witness`]: the same for words, through
//!   bit-blasting.
//! - `word_consecution`, `word_integers`: invariants that compare sums of words, by linear
//!   arithmetic.
//! - [`linear_proof`]: refutations in linear integer arithmetic, with unit propagation and sums
//!   of inequalities alone.
//! - [`program_replay`], `program_proof`: violations and proofs of programs; [`program_reduce`]
//!   makes proofs smaller.
//! - [`direct`]: which conjuncts exclude bad states themselves, for readers.
//! - [`smtlib`]: the claims of a word-level proof for any SMT solver; [`script`] reads them back.

mod array_proof;
pub mod bound;
pub mod certificate;
pub mod direct;
mod frames;
mod identity;
pub mod lasso;
pub mod linear_proof;
pub mod live;
pub mod live_certificate;
pub mod live_witness;
pub mod mapping;
pub mod options;
pub mod program_form;
mod program_instances;
mod program_proof;
pub mod program_reduce;
pub mod program_replay;
mod program_unroll;
pub mod proof;
mod prophecy;
mod prover;
pub mod replay;
mod rup;
pub mod script;
mod second_look;
pub mod smtlib;
mod without_arrays;
pub mod witness;
pub mod word_certificate;
mod word_consecution;
mod word_integers;
pub mod word_proof;
pub mod word_witness;

pub use bound::{BoundError, BoundLimits, check_bound};
pub use certificate::{
    CertificateError, CheckedCertificate, Formula, check_certificate, check_certificate_for,
};
pub use direct::needed_directly;
pub use lasso::{LassoReplay, replay_bit_lasso, replay_word_lasso};
pub use linear_proof::{LinearChecker, LinearProofError, check_linear_proof};
pub use live::{check_live_proof, check_word_live_proof};
pub use live_certificate::check_live_certificate;
pub use live_witness::aiger_live_certificate;
pub use options::{CheckOptions, Counterexample, Effort, StateValues, Stop, Trust};
pub use program_proof::{
    CheckedProgramProof, ProgramClaim, ProgramProofError, check_program_proof, program_obligations,
};
pub use program_reduce::reduce_program_proof;
pub use program_replay::{ProgramReplay, replay_program};
pub use proof::{CheckedProof, Claim, ProofError, check_bit_proof};
pub use replay::{
    Replay, ReplayError, first_violation_of_bits, first_violation_of_words, replay_bits,
    replay_words, visit_bits, visit_words,
};
pub use script::{ScriptError, check_script};
pub use smtlib::smtlib_obligations;
pub use witness::aiger_certificate;
pub use word_certificate::{NumberedModel, check_word_certificate};
pub use word_proof::check_word_proof;
pub use word_witness::btor2_certificate;
