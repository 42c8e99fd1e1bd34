//! The way back: from an answer about a derived system to one about the system that it was
//! derived from.
//!
//! Every transformation of a system (blasting, reductions, the cone of influence, added
//! constraints) says how its answers are carried back, by one trait. A pass meets answers of the
//! system that it made; one that already speaks of a higher level (words, where the pass
//! made bits of words) is left as it is.

use crate::lit::Lit;
use crate::proof::Proof;
use crate::trace::Trace;

/// One step of the way back.
pub trait Back: Send + Sync {
    /// The proof about the original system.
    fn proof(&self, proof: Proof) -> Proof;

    /// The trace of the original system.
    fn trace(&self, trace: Trace) -> Trace;

    /// The clause in the original system's literals; the gates of a proof are numbered after the
    /// variables of the system. `None` if it has no such form.
    fn claim(&self, clause: &[Lit]) -> Option<Vec<Lit>>;
}

impl<B: Back + ?Sized> Back for &B {
    fn proof(&self, proof: Proof) -> Proof {
        (**self).proof(proof)
    }

    fn trace(&self, trace: Trace) -> Trace {
        (**self).trace(trace)
    }

    fn claim(&self, clause: &[Lit]) -> Option<Vec<Lit>> {
        (**self).claim(clause)
    }
}

/// Transformations that were applied one after the other, the first one first.
#[derive(Default)]
pub struct Passes<'a>(pub Vec<Box<dyn Back + 'a>>);

impl Back for Passes<'_> {
    fn proof(&self, proof: Proof) -> Proof {
        self.0.iter().rev().fold(proof, |proof, pass| pass.proof(proof))
    }

    fn trace(&self, trace: Trace) -> Trace {
        self.0.iter().rev().fold(trace, |trace, pass| pass.trace(trace))
    }

    fn claim(&self, clause: &[Lit]) -> Option<Vec<Lit>> {
        let mut passes = self.0.iter().rev();
        passes.try_fold(clause.to_vec(), |clause, pass| pass.claim(&clause))
    }
}
