//! From a model to a checked answer: down to bits, through the reductions, and back up again.
//!
//! Nothing leaves this file as a verdict that `certify` has not accepted on the model as it
//! was read.

use pedra_certify::{
    CheckOptions, ProofError, check_bit_proof, check_word_proof, replay_bits, replay_words,
};
use pedra_engines::{Outcome, SweepOptions, sweep};
use pedra_model::Model;
use pedra_model::bits::{BitSystem, name_at};
use pedra_model::blast::{BlastError, BlastOptions, Blasted, blast};
use pedra_model::eval::minimise::{minimise_bits, minimise_words};
use pedra_model::proof::{BitProof, WordProof};
use pedra_model::reduce::{ReduceOptions, Reduced, reduce};
use pedra_model::trace::{BitTrace, WordTrace};
use pedra_model::value::Ternary;
use pedra_solve::Interrupt;

/// A counterexample of the model as it was read.
#[derive(Clone, Debug)]
pub enum Trace {
    /// Of a bit-level model.
    Bits(BitTrace),
    /// Of a word-level model.
    Words(WordTrace),
}

impl Trace {
    /// The step of the violation.
    pub fn depth(&self) -> usize {
        match self {
            Trace::Bits(trace) => trace.depth(),
            Trace::Words(trace) => trace.depth(),
        }
    }

    /// The trace with 0 for every value that does not matter.
    pub fn zero_filled(mut self) -> Trace {
        match &mut self {
            Trace::Bits(trace) => {
                let given = trace.inputs.iter_mut().flatten().chain(&mut trace.initial);
                given.filter(|v| v.known().is_none()).for_each(|v| *v = Ternary::False);
            }
            Trace::Words(trace) => {
                let states = trace.states.iter_mut().flatten().flatten();
                for value in trace.inputs.iter_mut().flatten().chain(states) {
                    *value = value.zero_filled().into();
                }
            }
        }
        self
    }
}

/// A proof about the model as it was read.
#[derive(Clone, Debug)]
pub enum Proof {
    /// Of a bit-level model.
    Bits(BitProof),
    /// Of a word-level model.
    Words(Box<WordProof>),
}

impl Proof {
    /// Induction depth.
    pub fn k(&self) -> usize {
        match self {
            Proof::Bits(proof) => proof.k,
            Proof::Words(proof) => proof.k,
        }
    }

    /// Number of conjuncts of the invariant.
    pub fn clauses(&self) -> usize {
        match self {
            Proof::Bits(proof) => proof.clauses.len(),
            Proof::Words(proof) => proof.invariant.len(),
        }
    }
}

/// One proof of all that several prove; they are about the same model.
pub fn join_proofs(model: &Model, proofs: Vec<Proof>) -> Option<Proof> {
    let mut proofs = proofs.into_iter();
    let first = proofs.next()?;
    proofs.try_fold(first, |joined, proof| match (model, joined, proof) {
        (Model::Bits(system), Proof::Bits(a), Proof::Bits(b)) => {
            a.join(&b, system.aig.len()).map(Proof::Bits)
        }
        (Model::Words(system), Proof::Words(a), Proof::Words(b)) => {
            a.join(&b, system.terms.len()).map(|p| Proof::Words(Box::new(p)))
        }
        _ => None,
    })
}

/// An answer that passed its check.
#[derive(Clone, Debug)]
pub enum Checked {
    /// The proof was accepted.
    Proved(Proof),
    /// The trace was replayed.
    Violated(Trace),
}

/// Why an engine's answer is no verdict.
#[derive(Debug)]
pub enum NotChecked {
    /// The check was stopped before it ended: the property stays unknown.
    Stopped,
    /// The check failed: an internal error.
    Wrong(String),
}

/// A model made ready for bit-level engines.
pub struct Prepared<'a> {
    model: &'a Model,
    blasting: BlastOptions,
    blasted: Option<Blasted>,
    reduced: Reduced,
}

impl<'a> Prepared<'a> {
    /// Blasts (if there are words) and reduces for the chosen properties.
    pub fn new(
        model: &'a Model,
        properties: &[usize],
        blasting: &BlastOptions,
        reductions: &ReduceOptions,
    ) -> Result<Prepared<'a>, BlastError> {
        let (blasted, reduced) = match model {
            Model::Bits(system) => (None, reduce(system, properties, reductions)),
            Model::Words(system) => {
                let blasted = blast(system, blasting)?;
                let reduced = reduce(&blasted.system, properties, reductions);
                (Some(blasted), reduced)
            }
        };
        Ok(Prepared { model, blasting: blasting.clone(), blasted, reduced })
    }

    /// Merges what a solver finds equal (see [`sweep()`]), and reduces once more if that found
    /// something.
    pub fn sweep(
        &mut self,
        options: &SweepOptions,
        reductions: &ReduceOptions,
        interrupt: &Interrupt,
    ) {
        let Some(swept) = sweep(&self.reduced.system, options, interrupt) else { return };
        let properties: Vec<usize> = (0..swept.system.properties().len()).collect();
        let again = reduce(&swept.system, &properties, reductions);
        self.reduced = self.reduced.clone().then(swept).then(again);
    }

    /// What the engines see. Its property `i` is the `i`-th chosen one.
    pub fn system(&self) -> &BitSystem {
        &self.reduced.system
    }

    /// The bits of the model before the reductions.
    pub fn unreduced(&self) -> &BitSystem {
        match (self.model, &self.blasted) {
            (_, Some(blasted)) => &blasted.system,
            (Model::Bits(system), None) => system,
            (Model::Words(_), None) => unreachable!("words are always blasted"),
        }
    }

    /// For each latch of [`system`](Prepared::system) its name in the model, if it has one.
    pub fn latch_names(&self) -> impl Iterator<Item = Option<&str>> {
        let names = &self.unreduced().names.latches;
        self.reduced.map.latches().iter().map(|&latch| name_at(names, latch as usize))
    }

    /// Carries an engine's answer back to the model and has it checked there. Unknown outcomes
    /// give nothing.
    pub fn check(
        &self,
        outcome: &Outcome,
        options: &CheckOptions,
    ) -> Option<Result<Checked, NotChecked>> {
        match outcome {
            Outcome::Unknown(_) => None,
            Outcome::Violated(trace) => Some(self.check_trace(trace).map(Checked::Violated)),
            Outcome::Proved(proof) => Some(self.check_proof(proof, options).map(Checked::Proved)),
            Outcome::ViolatedWords(trace) => {
                Some(self.check_word_trace(trace).map(Checked::Violated))
            }
            Outcome::ProvedWords(proof) => {
                Some(self.check_word_proof(proof, options).map(Checked::Proved))
            }
        }
    }

    /// A trace that is about the model's words already.
    fn check_word_trace(&self, trace: &WordTrace) -> Result<Trace, NotChecked> {
        let wrong = |e: &dyn std::fmt::Display| NotChecked::Wrong(format!("trace: {e}"));
        let Model::Words(system) = self.model else { return Err(wrong(&"the model has no words")) };
        let small = minimise_words(system, trace);
        replay_words(system, &small).map_err(|e| wrong(&e))?;
        Ok(Trace::Words(small))
    }

    /// A proof that is about the model's words already.
    fn check_word_proof(
        &self,
        proof: &WordProof,
        options: &CheckOptions,
    ) -> Result<Proof, NotChecked> {
        let wrong = |e: &dyn std::fmt::Display| NotChecked::Wrong(format!("proof: {e}"));
        let Model::Words(system) = self.model else { return Err(wrong(&"the model has no words")) };
        match check_word_proof(system, proof, &self.blasting, options) {
            Ok(_) => Ok(Proof::Words(Box::new(proof.clone()))),
            Err(ProofError::Stopped(_)) => Err(NotChecked::Stopped),
            Err(other) => Err(wrong(&other)),
        }
    }

    fn check_trace(&self, trace: &BitTrace) -> Result<Trace, NotChecked> {
        let wrong = |e: &dyn std::fmt::Display| NotChecked::Wrong(format!("trace: {e}"));
        let lifted = self.reduced.map.lift_trace(self.unreduced(), trace);
        match (self.model, &self.blasted) {
            (Model::Words(system), Some(blasted)) => {
                let lifted = blasted.map.lift_trace(system, &lifted);
                let small = minimise_words(system, &lifted);
                replay_words(system, &small).map_err(|e| wrong(&e))?;
                Ok(Trace::Words(small))
            }
            _ => {
                let small = minimise_bits(self.unreduced(), &lifted);
                replay_bits(self.unreduced(), &small).map_err(|e| wrong(&e))?;
                Ok(Trace::Bits(small))
            }
        }
    }

    fn check_proof(&self, proof: &BitProof, options: &CheckOptions) -> Result<Proof, NotChecked> {
        let judge = |error: ProofError| match error {
            ProofError::Stopped(_) => NotChecked::Stopped,
            other => NotChecked::Wrong(format!("proof: {other}")),
        };
        let lifted = self.reduced.map.lift_proof(self.unreduced(), proof);
        match (self.model, &self.blasted) {
            (Model::Words(system), Some(blasted)) => {
                let words = blasted.map.lift_proof(system, &lifted, &blasted.system);
                if lifted.simple_path.is_some() {
                    // Which bits must differ has no exact form in whole words.
                    check_bit_proof(&blasted.system, &lifted, options).map_err(judge)?;
                } else {
                    check_word_proof(system, &words, &self.blasting, options).map_err(judge)?;
                }
                Ok(Proof::Words(Box::new(words)))
            }
            _ => {
                check_bit_proof(self.unreduced(), &lifted, options).map_err(judge)?;
                Ok(Proof::Bits(lifted))
            }
        }
    }
}
