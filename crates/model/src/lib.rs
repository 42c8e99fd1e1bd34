//! What is being checked: terms, circuits, transition systems, and their semantics.
pub mod lit;
