//! The record of a proof, step by step.
//!
//! The search and the theory write to one record: the search through the sink of its clauses,
//! the theory by leaving the derivation of a lemma just before the search takes that lemma.

use super::int::Int;
use super::linear::IntVar;
use crate::cdcl::{ProofSink, ProofStep};
use num_bigint::BigInt;
use pedra_model::linear_proof::{Combination, LinearAtom, LinearStep, Source};
use pedra_model::lit::Var;
use std::sync::{Arc, Mutex, MutexGuard};

/// One combination of a derivation, before it is recorded.
pub(super) struct Sum {
    pub(super) parts: Vec<(Source, Int)>,
    pub(super) divisor: Int,
}

#[derive(Default)]
struct Record {
    steps: Vec<LinearStep>,
    /// The derivation of a lemma that the search is about to take.
    pending: Option<Vec<Combination>>,
}

/// The record; clones share it.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Record>>);

impl Log {
    fn lock(&self) -> MutexGuard<'_, Record> {
        // A thread that panicked has left whole steps behind.
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(super) fn atom(&self, var: Var, terms: &[(IntVar, Int)], bound: &Int) {
        let terms = terms.iter().map(|(var, factor)| (var.0, factor.to_big())).collect();
        let atom = LinearAtom { terms, bound: bound.to_big() };
        self.lock().steps.push(LinearStep::Atom(var, atom));
    }

    /// Leaves the derivation of the next lemma.
    pub(super) fn derivation(&self, sums: impl IntoIterator<Item = Sum>) {
        let big = |sum: Sum| Combination {
            parts: sum.parts.into_iter().map(|(from, weight)| (from, weight.to_big())).collect(),
            divisor: sum.divisor.to_big(),
        };
        let derivation = sums.into_iter().map(big).collect();
        self.lock().pending = Some(derivation);
    }

    /// The steps from a place on.
    pub(super) fn steps(&self, from: usize) -> Vec<LinearStep> {
        self.lock().steps.get(from..).unwrap_or_default().to_vec()
    }
}

impl ProofSink for Log {
    fn step(&mut self, step: ProofStep<'_>) {
        let mut record = self.lock();
        let step = match step {
            ProofStep::Given(lits) => LinearStep::Given(lits.to_vec()),
            ProofStep::Derived(lits) => LinearStep::Derived(lits.to_vec()),
            ProofStep::Deleted(lits) => LinearStep::Deleted(lits.to_vec()),
            ProofStep::Lemma(lits) => {
                // A bound that implies another one on the same form leaves nothing: it is the
                // sum of the two premises.
                let derivation = record.pending.take().unwrap_or_else(|| vec![plain_sum()]);
                LinearStep::Lemma(lits.to_vec(), derivation)
            }
        };
        record.steps.push(step);
    }
}

/// The sum of two premises.
fn plain_sum() -> Combination {
    let parts = [0, 1].map(|place| (Source::Premise(place), BigInt::from(1))).to_vec();
    Combination { parts, divisor: BigInt::from(1) }
}
