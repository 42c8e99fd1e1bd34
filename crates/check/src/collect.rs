//! Deciding properties, with the answers as values.

use crate::answer::Checked;
use crate::decide::{InternalError, Observer, decide};
use crate::open::{Open, SafeUpTo};
use crate::plan::Plan;
use pedra_certify::Trust;
use pedra_model::Model;
use pedra_model::proof::Proof;
use pedra_model::trace::Trace;
use pedra_solve::Interrupt;
use std::sync::{Arc, Mutex, PoisonError};

/// What became of a property.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It holds; the proof was checked.
    Proved {
        /// The proof, about the model as read.
        proof: Arc<Proof>,
        /// What the check took on trust.
        trust: Trust,
    },
    /// It does not hold; the trace was replayed.
    Violated(Trace),
    /// Neither is known.
    Unknown {
        /// Why.
        why: Open,
        /// How far it is safe.
        safe: Option<SafeUpTo>,
    },
}

/// Keeps answers by property.
#[derive(Default)]
struct Keeper(Mutex<Vec<(usize, Answer)>>);

impl Keeper {
    fn keep(&self, property: usize, answer: Answer) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((property, answer));
    }
}

impl Observer for Keeper {
    type Error = InternalError;

    fn settled(
        &self,
        property: usize,
        _: &'static str,
        answer: &Checked,
    ) -> Result<(), InternalError> {
        let answer = match answer.clone() {
            Checked::Proved { proof, trust } => Answer::Proved { proof, trust },
            Checked::Violated(trace) => Answer::Violated(trace),
        };
        self.keep(property, answer);
        Ok(())
    }

    fn open(&self, property: usize, why: Open, safe: Option<SafeUpTo>) {
        self.keep(property, Answer::Unknown { why, safe });
    }
}

/// Decides the selected properties of a model, and gives the answers in their order.
///
/// # Errors
/// If an answer failed its check.
pub fn decide_all(
    model: &Model,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
) -> Result<Vec<Answer>, InternalError> {
    let keeper = Keeper::default();
    decide(model, selected, plan, interrupt, &keeper)?;
    let mut answers = keeper.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    let place = |property: usize| selected.iter().position(|&p| p == property);
    answers.sort_by_key(|(property, _)| place(*property));
    Ok(answers.into_iter().map(|(_, answer)| answer).collect())
}
