//! What is being checked: terms, circuits, transition systems, and their semantics.
//!
//! This crate knows no solver and touches no file. It holds
//! - [`lit`], [`aig`], [`bits`]: literals, and-inverter graphs, bit-level transition systems;
//! - [`bv`], [`term`], [`system`]: bit-vector values, word-level terms, word-level systems;
//! - [`value`], [`trace`], [`proof`]: values with unknown bits, counterexamples, proofs.

pub mod aig;
pub mod bits;
pub mod bv;
pub mod lit;
pub mod proof;
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
