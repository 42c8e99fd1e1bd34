//! Pedra.
fn main() {}
