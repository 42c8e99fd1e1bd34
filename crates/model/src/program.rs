//! Answers about programs, as plain data: names of places and edges, runs, and proofs.
//!
//! Program graphs themselves are in `pedra-program`; this is what engines answer with and what
//! every level of answers has here ([`crate::proof`], [`crate::trace`]).
//!
//! # Proofs
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
//!
//! An invariant may speak of *positions*, symbols that are no variables: it claims to hold for all
//! their values. So it can say of an array that `∀p. p < i → a[p] = 0`. Such a proof has `k = 1`.

use crate::term::{TermId, Terms};
use crate::value::Value;
use std::collections::BTreeMap;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        $(
            $(#[$meta])*
            #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
            pub struct $name(u32);

            impl $name {
                /// The id with this index.
                pub fn new(index: usize) -> $name {
                    $name(u32::try_from(index).expect("fewer than 2^32"))
                }

                /// The position as an index.
                #[inline]
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

ids! {
    /// A variable: a position in `variables` of the program.
    VariableId,
    /// A procedure: a position in `procedures` of the program.
    ProcedureId,
    /// A place of a procedure: a position in `places` of the procedure.
    PlaceId,
    /// An edge of a procedure: a position in `edges` of the procedure.
    EdgeId,
}

/// An edge of a program.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EdgeRef {
    /// Its procedure.
    pub procedure: ProcedureId,
    /// The edge.
    pub edge: EdgeId,
}

/// A place of a program.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PlaceRef {
    /// Its procedure.
    pub procedure: ProcedureId,
    /// The place.
    pub place: PlaceId,
}

/// A proof that some error places are not reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramProof {
    /// The properties that it proves: indices into the program's properties.
    pub properties: Vec<usize>,
    /// A store that extends the program's.
    pub terms: Terms,
    /// For each cut point its invariant: a conjunction of one-bit terms over the variables and the
    /// positions.
    pub invariants: BTreeMap<PlaceId, Vec<TermId>>,
    /// Induction depth.
    pub k: usize,
    /// Symbols over which each invariant is quantified universally.
    pub positions: Vec<TermId>,
}

impl ProgramProof {
    /// Leaves out of the invariants what says nothing, and everything beside *false*.
    pub fn tidy(&mut self) {
        let terms = &self.terms;
        for invariant in self.invariants.values_mut() {
            invariant.sort_unstable();
            invariant.dedup();
            invariant.retain(|&term| !terms.is_bool(term, true));
            if let Some(&no) = invariant.iter().find(|&&term| terms.is_bool(term, false)) {
                *invariant = vec![no];
            }
        }
    }
}

/// A run that violates a property: it ends at the property's error place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramTrace {
    /// Which property: an index into the program's properties.
    pub property: usize,
    /// The values at the start: first of the globals, then of all variables of the entry
    /// procedure, both in the order in which the program lists them.
    pub initial: Vec<Value>,
    /// The edges that are taken, in order. A call is followed by the edges of the callee. Returns
    /// are implied: a run that arrives at a procedure's exit goes on behind the call.
    pub steps: Vec<TraceStep>,
}

/// One edge of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// The edge.
    pub edge: EdgeRef,
    /// For a step the values of its inputs, in order. For a call the values with which the
    /// callee's variables start that are not parameters, in the order of the procedure's list.
    pub values: Vec<Value>,
}
