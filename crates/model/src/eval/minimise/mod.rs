//! Reduces a counterexample to the bits that matter.
//!
//! A solver's counterexample gives a value to every input bit at every step; most have no part
//! in the violation. The trace is first run forward with all values concrete. Then a backward
//! pass *justifies* what must hold: the bad at the last step, every constraint at every step.
//! It walks from a value to operands that force it (for a conjunction that is 0, one operand
//! that is 0 is enough), from a state to its next function in the step before, and so to inputs
//! and free initial states. Bits that were not reached become unknown. The cost is a few
//! simulations of the trace, whatever the number of bits.
//!
//! The result is replayed with unknown bits; should the violation not show for sure, which
//! happens only if the trace never was one, the trace is returned as it came.

mod bits;
mod needs;
mod words;

pub use bits::minimise_bits;
pub use words::minimise_words;
