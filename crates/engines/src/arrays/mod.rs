//! Arrays of any size: bounded model checking with lemmas on demand, and slots that are refined.
//!
//! A system with large arrays is abstracted to one without ([`pedra_model::slots`]), which any
//! engine decides. A proof goes back as it is. A trace may be spurious; then what it needed is
//! watched from now on (Mann et al., *Counterexample-Guided Prophecy for Model Checking Modulo the
//! Theory of Arrays*, TACAS 2021; Bjesse, *Word-Level Sequential Memory Abstraction for Model
//! Checking*, FMCAD 2008):
//!
//! ```text
//! slots := {}
//! repeat  S# := the system with slots; ask the engine about S#
//!         proof          -> the proof, for all addresses
//!         trace of n     -> n steps of the system itself, exactly (exact)
//!                             a path    -> the violation
//!                             none      -> slots += a read that the refutation names,
//!                                          n - k steps before the end, k the step of the read
//! ```
//!
//! Deviations: axioms of arrays are not added to the abstraction, whose reads are exact at the
//! slots; the exact query is bounded model checking with lemmas on demand, whose lemmas stay for
//! the next one; and where the cells are few, all of them are watched in the end, so that the loop
//! ends.

mod bmc;
mod exact;
mod model;
mod slots;
mod steps;

pub use bmc::ArrayBmc;
pub use slots::{Inner, Slots};
