//! Pedra: engines.
