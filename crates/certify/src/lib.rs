//! Pedra: certify.
