//! Random systems and the explicit-state oracle that every engine is measured against.
//!
//! Only tests and fuzzers use this crate. It shares no code with engines, blasting or
//! reductions: the oracle enumerates states and inputs one by one and looks at what happens.

pub mod bits;
pub mod c_programs;
pub mod damage;
mod explored;
pub mod intervals;
pub mod justice;
pub mod layers;
pub mod many;
pub mod oracle;
pub mod points;
pub mod programs;
pub mod random;
pub mod shrink;
pub mod sparse;
mod tabulated;
pub mod words;
