//! Refutations in linear integer arithmetic, as data.
//!
//! A proof is a sequence of steps about clauses, as in DRAT, and about *atoms*: variables that
//! stand for an inequality `Σ aᵢ·xᵢ ≤ k` over integer variables; the negation stands for
//! `Σ aᵢ·xᵢ ≥ k + 1`. A *lemma* is a clause of literals of atoms that cannot all be false: their
//! negations, the *premises*, lead by combinations and rounding to `0 ≤ −1`.
//!
//! The solver writes proofs, `certify` reads them, and this is all that they share.

use crate::lit::{Lit, Var};
use num_bigint::BigInt;

/// `Σ aᵢ·xᵢ ≤ bound`; integer variables go by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearAtom {
    /// The variables with their factors.
    pub terms: Vec<(u32, BigInt)>,
    /// The bound.
    pub bound: BigInt,
}

/// An inequality that a combination uses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The negation of the literal at this place of the clause.
    Premise(usize),
    /// The result of the combination at this place of the derivation.
    Step(usize),
}

/// A sum of inequalities with positive weights, divided and rounded.
///
/// The sum is `Σ cᵢ·xᵢ ≤ s`. All `cᵢ` must be divisible by the divisor `d`, which is positive;
/// the result is `Σ (cᵢ/d)·xᵢ ≤ ⌊s/d⌋` (a cut in the sense of Chvátal and Gomory).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// What is added up, with weights.
    pub parts: Vec<(Source, BigInt)>,
    /// The divisor.
    pub divisor: BigInt,
}

/// One step of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinearStep {
    /// Gives a variable its meaning; it has none before.
    Atom(Var, LinearAtom),
    /// A clause of the formula.
    Given(Vec<Lit>),
    /// A clause over atoms, with a derivation whose last result is `0 ≤ s` with negative `s`.
    Lemma(Vec<Lit>, Vec<Combination>),
    /// A clause that follows by unit propagation.
    Derived(Vec<Lit>),
    /// A clause that is not used any more.
    Deleted(Vec<Lit>),
}

/// A proof: that the clauses given in it imply a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearProof {
    /// The steps, in order.
    pub steps: Vec<LinearStep>,
    /// The clause that the steps lead to; empty for a plain refutation.
    pub claim: Vec<Lit>,
}
