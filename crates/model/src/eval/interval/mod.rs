//! Interval simulation: what can be said of a term when its variables lie between bounds.
//!
//! The idea is from T. Welp and A. Kuehlmann, *QF_BV Model Checking with Property Directed
//! Reachability* (DATE 2013), section 3.1.1: a point that leads to a violation is enlarged to an
//! integer cube by relaxing one bound after the other, as long as interval simulation shows that
//! all of the cube leads there. It is to word-level PDR what ternary simulation is to PDR on
//! bits.
//!
//! An [`Interval`] is an unsigned and a signed range that refine each other. The rules are
//! *sound*: if the arguments lie in their intervals then the result lies in its. Two rules of
//! the paper are not, or lose much, and are not used: `[and]` as printed gives `[3,4]` for
//! `3 & 4`, and `[lt-0]` fires only for `l1 > u2` instead of `l1 ≥ u2`. Here the bitwise
//! operators give the exact hull, comparisons and overflow tests are exact, and so are most of
//! the others: `tests/interval.rs` lists those that are, and checks all of them on all
//! intervals at widths 1 to 3, on samples up to 128 bits, and the example `interval_soundness`
//! does so for as long as one likes.
//!
//! ```
//! use pedra_model::bv::Bv;
//! use pedra_model::eval::interval::{Interval, IntervalSim};
//! use pedra_model::term::{BinaryOp, Sort, Terms};
//!
//! // (x1 > 2 ∧ x2 > 2) ∨ x1 ≤ 2, the example of the paper's Figure 1.
//! let mut terms = Terms::new();
//! let (x1, x2) = (terms.new_symbol(Sort::Bv(32)), terms.new_symbol(Sort::Bv(32)));
//! let two = terms.constant(Bv::from_u64(32, 2));
//! let above = [x1, x2].map(|x| terms.binary(BinaryOp::Sgt, x, two));
//! let both = terms.binary(BinaryOp::And, above[0], above[1]);
//! let not_above = terms.binary(BinaryOp::Slte, x1, two);
//! let e = terms.binary(BinaryOp::Or, both, not_above);
//!
//! let mut sim = IntervalSim::new(&terms, [e]);
//! let at_least_3 = Interval::from_i64s(32, 3, i32::MAX as i64).expect("not empty");
//! sim.set(x1, at_least_3.clone());
//! sim.set(x2, at_least_3);
//! assert!(sim.value(e).is_true());
//! // What is known of x1 is needed: without it the simulation does not see that the two
//! // comparisons of x1 are opposite.
//! let kept = sim.attempt(x1, Interval::full(32), |sim| sim.value(e).is_true());
//! assert!(!kept && sim.value(e).is_true());
//! ```

mod arith;
mod bitwise;
mod halves;
mod number;
mod ops;
mod sim;
mod value;

pub use ops::{apply, binary, extend, slice, unary};
pub use sim::IntervalSim;
pub use value::{Interval, IntervalValue};
