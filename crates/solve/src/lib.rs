//! Solvers: one question, one answer.
//!
//! - [`sat`]: the incremental interface, which engines and the certifier program against.
//! - [`interrupt`]: how a running question is stopped from outside.

pub mod interrupt;
pub mod sat;

pub use interrupt::Interrupt;
pub use sat::{Budget, SatResult, SatSolver, SatStats};
