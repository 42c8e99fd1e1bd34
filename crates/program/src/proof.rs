//! Proofs about programs, as plain data.
//!
//! A proof is about a program without calls. It has an invariant for some places, the entry and at
//! least one place of each cycle among them; call these the cut points of the proof. With `k = 1`
//! it claims that a run at the entry satisfies the entry's invariant, that a run from a cut point
//! whose invariant holds satisfies the invariant of the next cut point that it comes to, and that
//! it comes to no error place of the properties on its way.
//!
//! With `k > 1` the invariants are inductive by themselves, error places apart. Of the properties
//! it claims that no run from the entry comes to an error place as one of the next `k - 1` cut
//! points (base), and that no run from *any* cut point whose invariant holds comes to one as the
//! `k`-th (step).

use crate::graph::PlaceId;
use pedra_model::term::{TermId, Terms};
use std::collections::BTreeMap;

/// A proof that some error places are not reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramProof {
    /// The properties that it proves: indices into [`crate::Program::properties`].
    pub properties: Vec<usize>,
    /// A store that extends the program's.
    pub terms: Terms,
    /// For each cut point its invariant: a conjunction of one-bit terms over the variables.
    pub invariants: BTreeMap<PlaceId, Vec<TermId>>,
    /// Induction depth.
    pub k: usize,
}
