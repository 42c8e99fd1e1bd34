//! The checks of answers. Only what `certify` has accepted, on the model as read from the file,
//! leaves this module as a verdict.

use pedra_certify::{
    CheckOptions, ProofError, Trust, check_bit_proof, check_live_proof, check_word_live_proof,
    check_word_proof, replay_bit_lasso, replay_bits, replay_word_lasso, replay_words,
};
use pedra_engines::Outcome;
use pedra_model::Model;
use pedra_model::blast::BlastOptions;
use pedra_model::eval::lasso::{close_loop_of_bits, close_loop_of_words};
use pedra_model::eval::minimise::{minimise_bits, minimise_words};
use pedra_model::proof::Proof;
use pedra_model::property::Property;
use pedra_model::trace::Trace;
use std::sync::Arc;

/// An answer that passed its check.
#[derive(Clone, Debug)]
pub enum Checked {
    /// The proof was accepted.
    Proved {
        /// The proof, about the model as read.
        proof: Arc<Proof>,
        /// What the check took on trust.
        trust: Trust,
    },
    /// The trace was replayed.
    Violated(Trace),
}

impl Checked {
    /// Whether it settles this property of the model.
    pub fn is_about(&self, property: usize) -> bool {
        match self {
            Checked::Proved { proof, .. } => proof.properties().contains(&property),
            Checked::Violated(trace) => trace.property() == property,
        }
    }
}

/// Why an engine's answer is not a verdict.
#[derive(Clone, Debug)]
pub enum NotChecked {
    /// The check was stopped before it ended: the property stays unknown.
    Stopped,
    /// The answer is beyond what can be checked: the property stays unknown.
    NotCheckable(String),
    /// The violation has undefined behaviour on its way: the property stays unknown. The operation,
    /// in words.
    Undefined(String),
    /// The answer is about recursion up to a bound, and says nothing about the program: the
    /// property stays unknown.
    Bounded,
    /// The check failed: an internal error.
    Wrong(String),
}

/// Checks an answer about the model. Unknown outcomes give nothing.
pub fn check_answer(
    model: &Model,
    outcome: &Outcome,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Option<Result<Checked, NotChecked>> {
    match outcome {
        Outcome::Unknown => None,
        Outcome::Violated(trace) => {
            let checked = match model.property(trace.property()) {
                Property::Bad(_) => check_trace(model, trace),
                Property::Justice(_) => check_lasso(model, trace),
            };
            Some(checked.map(Checked::Violated))
        }
        Outcome::Proved(proof) => {
            let checked = check_proof(model, proof, blasting, options);
            Some(checked.map(|trust| Checked::Proved { proof: proof.clone(), trust }))
        }
    }
}

/// The trace with values only where they matter, replayed. Where the replay does not confirm that
/// the others do not matter, they are 0.
fn check_trace(model: &Model, trace: &Trace) -> Result<Trace, NotChecked> {
    let wrong = |e: &dyn std::fmt::Display| NotChecked::Wrong(format!("trace: {e}"));
    let replay = |trace: &Trace| match (model, trace) {
        (Model::Bits(system), Trace::Bits(trace)) => {
            replay_bits(system, trace).map_err(|e| wrong(&e))
        }
        (Model::Words(system), Trace::Words(trace)) => {
            replay_words(system, trace).map_err(|e| wrong(&e))
        }
        _ => Err(wrong(&"it is of another level than the model")),
    };
    let small = match (model, trace) {
        (Model::Bits(system), Trace::Bits(trace)) => minimise_bits(system, trace).into(),
        (Model::Words(system), Trace::Words(trace)) => minimise_words(system, trace).into(),
        _ => return Err(wrong(&"it is of another level than the model")),
    };
    if replay(&small)?.dont_cares_confirmed {
        return Ok(small);
    }
    let filled = small.zero_filled();
    replay(&filled)?;
    Ok(filled)
}

/// The lasso, closed on the whole state if that takes no more than a limit of steps, replayed.
fn check_lasso(model: &Model, trace: &Trace) -> Result<Trace, NotChecked> {
    if trace.loop_start().is_none() {
        let why = "the loop that was found does not close on the model within a limit of steps";
        return Err(NotChecked::NotCheckable(why.to_owned()));
    }
    let closed: Trace = match (model, trace) {
        (Model::Bits(system), Trace::Bits(trace)) => close_loop_of_bits(system, trace).into(),
        (Model::Words(system), Trace::Words(trace)) => close_loop_of_words(system, trace).into(),
        _ => return Err(NotChecked::Wrong("lasso: of another level than the model".to_owned())),
    };
    let replayed = match (model, &closed) {
        (Model::Bits(system), Trace::Bits(trace)) => replay_bit_lasso(system, trace),
        (Model::Words(system), Trace::Words(trace)) => replay_word_lasso(system, trace),
        _ => unreachable!("a loop keeps its level"),
    };
    match replayed {
        Ok(_) => Ok(closed),
        Err(error) => Err(NotChecked::Wrong(format!("lasso: {error}"))),
    }
}

fn check_proof(
    model: &Model,
    proof: &Proof,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<Trust, NotChecked> {
    let checked = match (model, proof) {
        (Model::Bits(system), Proof::Bits(proof)) => check_bit_proof(system, proof, options),
        (Model::Words(system), Proof::Words(proof)) => {
            check_word_proof(system, proof, blasting, options)
        }
        (Model::Bits(system), Proof::Live(proof)) => check_live_proof(system, proof, options),
        (Model::Words(system), Proof::Live(proof)) => {
            check_word_live_proof(system, proof, blasting, options)
        }
        _ => Err(ProofError::Malformed("it is of another level than the model".to_owned())),
    };
    match checked {
        Ok(checked) => Ok(checked.trust),
        Err(ProofError::Stopped(_)) => Err(NotChecked::Stopped),
        Err(ProofError::NotCheckable(why)) => Err(NotChecked::NotCheckable(why)),
        Err(other) => Err(NotChecked::Wrong(format!("proof: {other}"))),
    }
}

/// One proof of all that several prove; they are about the same model. `None` if there is none,
/// or if one rests on simple paths.
pub fn join_proofs(model: &Model, mut proofs: Vec<Arc<Proof>>) -> Option<Arc<Proof>> {
    proofs.sort_by_key(Arc::as_ptr);
    proofs.dedup_by(|a, b| Arc::ptr_eq(a, b));
    let mut proofs = proofs.into_iter();
    let first = proofs.next()?;
    proofs.try_fold(first, |joined, proof| joined.join(&proof, model).map(Arc::new))
}
