//! What is being checked: terms, circuits, transition systems, and their semantics.
//!
//! This crate knows no solver and touches no file. It holds
//! - [`lit`], [`aig`], [`bits`]: literals, and-inverter graphs, bit-level transition systems;
//! - [`bv`], [`term`], [`system`]: bit-vector values, word-level terms, word-level systems;
//! - [`eval`]: the reference semantics: evaluation with values that may be partly unknown;
//! - [`value`], [`trace`], [`proof`]: values with unknown bits, counterexamples, proofs;
//! - [`live_proof`]: proofs about justice;
//! - [`prophecy`]: what a proof may add to a model;
//! - [`property`]: the numbers of a model's properties;
//! - [`program`]: answers about programs;
//! - [`simplify`]: terms simplified while they are built;
//! - [`formula`]: terms as text for people;
//! - [`linear_proof`]: refutations in linear integer arithmetic;
//! - [`affine`]: comparisons of sums in a form that SAT solvers like;
//! - [`back`]: the way back for answers, one trait for all that changes systems;
//! - [`blast`]: from word level to bit level, and the way back for answers;
//! - [`cone`]: the part of a word-level system that properties depend on;
//! - [`slots`]: systems without large arrays, which watch a few of their cells;
//! - [`reduce`]: smaller systems for the same question, with the way back;
//! - [`random`]: choices by chance that can be repeated.

pub mod affine;
pub mod aig;
pub mod back;
pub mod bits;
pub mod blast;
pub mod bv;
pub mod cone;
pub mod eval;
pub mod formula;
pub mod linear_proof;
pub mod lit;
pub mod live_proof;
pub mod narrow;
pub mod polynomial;
pub mod program;
pub mod proof;
pub mod property;
pub mod prophecy;
pub mod raise;
pub mod random;
pub mod rebuild;
pub mod reduce;
mod shared_map;
pub mod simplify;
pub mod slots;
pub mod system;
pub mod term;
pub mod trace;
pub mod value;

/// A model as it was read: bit level (AIGER) or word level (BTOR2).
#[derive(Clone, Debug)]
pub enum Model {
    /// From AIGER.
    Bits(bits::BitSystem),
    /// From BTOR2.
    Words(system::System),
}
