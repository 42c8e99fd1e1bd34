//! Which way a search goes: forward (PDR) or in reverse ([`Direction::Backward`]: frames grow from
//! the bad states back).
//!
//! Reverse PDR (T. Seufert, C. Scholl: *Sequential verification using Reverse PDR*, MBMV 2017;
//! *Combining PDR and Reverse PDR for hardware model checking*, DATE 2018) is PDR on the
//! transition relation read backwards. One engine serves both; the words in the code are those
//! of the forward direction, and this table says what they mean in the other one:
//!
//! | | forward | reverse |
//! |---|---|---|
//! | start set | initial states | states with inputs that violate an open property |
//! | `F_i` holds at least | what is reachable in `≤ i` steps | what violates within `≤ i` steps |
//! | closure (I4) | `F_i ∧ C ∧ T ⟹ F'_{i+1}` | `C ∧ T ∧ F'_i ⟹ F_{i+1}` |
//! | an obligation | reaches a violation | is reachable |
//! | block query | `F_{i−1} ∧ ¬c ∧ C ∧ T ∧ c'` | `c ∧ C ∧ T ∧ ¬c' ∧ F'_{i−1}` |
//! | a "predecessor" | a state before `c` | a state after `c` |
//! | core over | `c'` | `c` |
//! | frontier query | `F_k ∧ C ∧ bad` | `Init ∧ C ∧ T ∧ F'_k` |
//! | `F_k` closed means | no violation up to step `k` | none up to step `k + 1` |
//! | invariant | `F_i` | `Init ∨ ¬F_i` |
//!
//! The same transition relation serves both, since a primed literal is a literal of the same
//! step: a frame's clauses are over plain literals in one direction and over primed ones in the
//! other. Constraints hold at the current step of every query, never at the successor, so a
//! dead end is a state that reaches nothing. Only the reverse `F_0` needs a second copy of
//! logic, the cones of bads and constraints, since a bad may read inputs of its own step.

use crate::events::Direction;

/// The name of the engine.
pub(super) fn engine_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "pdr",
        Direction::Backward => "rpdr",
    }
}

/// How many steps beyond its number a closed frame is free of violations.
pub(super) fn safe_beyond(direction: Direction) -> usize {
    (direction == Direction::Backward) as usize
}

/// How obligations of [`Direction::Backward`] are widened. The transition relation is unique on
/// the left only, so lifting drops nothing here: a successor is one state.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Successors {
    /// Not at all: single states.
    Exact,
    /// Latches that take either value through inputs that nothing else reads are dropped.
    #[default]
    Structural,
}
