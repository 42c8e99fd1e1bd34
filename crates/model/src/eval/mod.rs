//! Evaluation: the reference semantics, slow and obvious.
//!
//! [`ops`] says what each operator means on concrete values, [`ternary`] what can be said when
//! bits are unknown. [`bits`] and [`words`] run whole systems step by step, always in the
//! ternary domain: with all inputs known that is concrete simulation. [`minimise`] uses both to
//! reduce a counterexample to the input bits that matter. [`interval`] bounds terms whose
//! variables lie between bounds. [`lasso`] finds and closes loops of paths.

pub mod bits;
pub mod interval;
pub mod lasso;
pub mod minimise;
pub mod ops;
pub mod ternary;
pub mod words;
