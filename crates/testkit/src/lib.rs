//! Pedra: testkit.
