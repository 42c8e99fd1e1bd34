//! What is being checked: terms, circuits, transition systems, and their semantics.
//!
//! This crate knows no solver and touches no file. It holds
//! - [`lit`], [`aig`], [`bits`]: literals, and-inverter graphs, bit-level transition systems.

pub mod aig;
pub mod bits;
pub mod lit;
