//! Proofs that properties hold, as plain data over the *original* model, so that checking,
//! writing and drawing them needs nothing of the engine that found them.
//!
//! A proof is an invariant `Inv` and a number `k ≥ 1`. It claims, for the constraints `C`, the
//! transition relation `T` and a property `P` (the negation of a bad):
//!
//! - initiation: `Init ∧ C ⟹ Inv`;
//! - consecution: `Inv ∧ C ∧ T ∧ C' ⟹ Inv'`;
//! - base: no path of fewer than `k` transitions from `Init` violates `P`, given `Inv`;
//! - step: `Inv ∧ C ∧ P` at `k` successive states implies `P` at the next one that satisfies
//!   `Inv ∧ C`. With `simple_path`, only paths whose states differ pairwise on the named
//!   latches count; these latches must be closed: their next values, the constraints and the
//!   property depend on no others, given `Inv`.
//!
//! An inductive invariant in the sense of PDR is the case in which `k = 1` and `Inv ⟹ P`, for
//! which the step is trivial.

use crate::lit::Lit;
use crate::system::System;
use crate::term::TermId;

/// A proof about a bit-level system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BitProof {
    /// The properties that it proves: indices into [`crate::bits::BitSystem::properties`].
    pub properties: Vec<usize>,
    /// Further gates over the system's variables; the first gets the number after the last
    /// variable of the system, and so on. They let `clauses` speak of any function.
    pub gates: Vec<[Lit; 2]>,
    /// `Inv`: the conjunction of these clauses over the system's variables and the gates.
    pub clauses: Vec<Vec<Lit>>,
    /// Induction depth.
    pub k: usize,
    /// If present, the induction step is restricted to states that differ pairwise on these
    /// latches (by index).
    pub simple_path: Option<Vec<usize>>,
}

/// A proof about a word-level system.
#[derive(Clone, Debug)]
pub struct WordProof {
    /// The properties that it proves: indices into the bads.
    pub properties: Vec<usize>,
    /// The system, its store of terms extended by those of the invariant.
    pub system: System,
    /// `Inv`: the conjunction of these one-bit terms.
    pub invariant: Vec<TermId>,
    /// Induction depth.
    pub k: usize,
    /// As in [`BitProof::simple_path`], over states (by index).
    pub simple_path: Option<Vec<usize>>,
}
