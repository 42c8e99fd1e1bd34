//! Pedra: solve.
