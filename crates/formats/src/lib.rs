//! Pedra: formats.
