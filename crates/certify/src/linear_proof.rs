//! The check of refutations in linear integer arithmetic.
//!
//! It shares with the solver only the form of proofs ([`pedra_model::linear_proof`]), and does
//! three things: unit propagation, sums of inequalities over big integers, and division with
//! rounding. If every step is accepted, then the clauses given, and the meaning of the atoms, imply
//! the claim: derived clauses follow from earlier ones, and a lemma holds because its premises
//! cannot all be true. Sums with positive weights preserve inequalities, and if all factors of
//! `Σ cᵢ·xᵢ ≤ s` are divisible by `d > 0`, then the integer `Σ (cᵢ/d)·xᵢ` is at most `⌊s/d⌋`.
//!
//! The caller, who sees each given clause, must ensure that these are the clauses of the formula.

use crate::rup::{GUARD, Rup};
use num_bigint::BigInt;
use num_integer::Integer;
use pedra_model::linear_proof::{Combination, LinearAtom, LinearProof, LinearStep, Source};
use pedra_model::lit::{Lit, Var};
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

/// Why a proof is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinearProofError {
    /// A clause is given that the formula does not have, or that has the guard positively.
    #[error("{0:?} is not a clause of the formula")]
    NotGiven(Vec<Lit>),
    /// A variable is given a second meaning, or the guard one.
    #[error("{0:?} is given a meaning twice")]
    SecondMeaning(Var),
    /// A lemma has a literal that is not an atom.
    #[error("{0:?} in a lemma is no atom")]
    NoAtom(Lit),
    /// A lemma's derivation breaks a rule.
    #[error("the derivation of {clause:?} is wrong at combination {at}: {reason}")]
    Lemma {
        /// The clause.
        clause: Vec<Lit>,
        /// The place in the derivation.
        at: usize,
        /// The rule.
        reason: &'static str,
    },
    /// A clause does not follow by unit propagation.
    #[error("{0:?} does not follow by unit propagation")]
    NotDerived(Vec<Lit>),
    /// A clause is deleted that is not there.
    #[error("{0:?} is deleted but not there")]
    NotThere(Vec<Lit>),
    /// All steps are fine, but the claim does not follow.
    #[error("the claim {0:?} does not follow")]
    Claim(Vec<Lit>),
}

/// Checks a proof. `is_given` says which clauses the formula has.
///
/// # Errors
/// The first step that is not accepted.
pub fn check_linear_proof(
    proof: &LinearProof,
    mut is_given: impl FnMut(&[Lit]) -> bool,
) -> Result<(), LinearProofError> {
    let mut checker = LinearChecker::new();
    for step in &proof.steps {
        checker.check_step(step, &mut is_given)?;
    }
    checker.check_claim(&proof.claim)
}

/// The check step by step, for solvers that answer many questions.
#[derive(Default)]
pub struct LinearChecker {
    atoms: HashMap<Var, LinearAtom>,
    rup: Rup,
}

/// `Σ cᵢ·xᵢ ≤ bound`.
#[derive(Clone, Default)]
struct Inequality {
    factors: BTreeMap<u32, BigInt>,
    bound: BigInt,
}

impl LinearChecker {
    /// A check that has seen nothing.
    pub fn new() -> LinearChecker {
        LinearChecker::default()
    }

    /// Takes the next step.
    ///
    /// # Errors
    /// If the step is not accepted.
    pub fn check_step(
        &mut self,
        step: &LinearStep,
        is_given: &mut impl FnMut(&[Lit]) -> bool,
    ) -> Result<(), LinearProofError> {
        let refuse =
            |error: fn(Vec<Lit>) -> LinearProofError, clause: &Vec<Lit>| Err(error(clause.clone()));
        match step {
            LinearStep::Atom(var, atom) => {
                if *var == GUARD || self.atoms.insert(*var, atom.clone()).is_some() {
                    return Err(LinearProofError::SecondMeaning(*var));
                }
            }
            LinearStep::Given(clause) => {
                if !is_given(clause) || !self.rup.add(clause) {
                    return refuse(LinearProofError::NotGiven, clause);
                }
            }
            LinearStep::Lemma(clause, derivation) => {
                self.check_lemma(clause, derivation)?;
                self.rup.add(clause);
            }
            LinearStep::Derived(clause) => {
                if !self.rup.follows(clause) || !self.rup.add(clause) {
                    return refuse(LinearProofError::NotDerived, clause);
                }
            }
            LinearStep::Deleted(clause) => {
                if !self.rup.delete(clause) {
                    return refuse(LinearProofError::NotThere, clause);
                }
            }
        }
        Ok(())
    }

    /// Whether a claim follows from the steps so far.
    ///
    /// # Errors
    /// If it does not.
    pub fn check_claim(&mut self, claim: &[Lit]) -> Result<(), LinearProofError> {
        match self.rup.follows(claim) {
            true => Ok(()),
            false => Err(LinearProofError::Claim(claim.to_vec())),
        }
    }

    /// The inequality of the negation of a literal.
    fn premise(&self, lit: Lit) -> Result<Inequality, LinearProofError> {
        let atom = self.atoms.get(&lit.var()).ok_or(LinearProofError::NoAtom(lit))?;
        let mut premise = Inequality::default();
        // ¬(Σ a·x ≤ k) is −Σ a·x ≤ −k − 1.
        let sign = BigInt::from(if lit.is_negated() { 1 } else { -1 });
        for (var, factor) in &atom.terms {
            *premise.factors.entry(*var).or_default() += factor * &sign;
        }
        premise.bound = match lit.is_negated() {
            true => atom.bound.clone(),
            false => -&atom.bound - 1,
        };
        Ok(premise)
    }

    /// A lemma holds if its derivation ends in a contradiction.
    fn check_lemma(
        &self,
        clause: &[Lit],
        derivation: &[Combination],
    ) -> Result<(), LinearProofError> {
        let premises: Vec<Inequality> =
            clause.iter().map(|&lit| self.premise(lit)).collect::<Result<_, _>>()?;
        let mut results: Vec<Inequality> = Vec::new();
        let wrong = |at, reason| LinearProofError::Lemma { clause: clause.to_vec(), at, reason };
        for (at, combination) in derivation.iter().enumerate() {
            let result = combine(combination, &premises, &results);
            results.push(result.map_err(|reason| wrong(at, reason))?);
        }
        match results.last() {
            Some(last) if last.factors.is_empty() && last.bound < BigInt::ZERO => Ok(()),
            _ => Err(wrong(results.len(), "the last result is no contradiction")),
        }
    }
}

/// The result of a combination.
fn combine(
    combination: &Combination,
    premises: &[Inequality],
    results: &[Inequality],
) -> Result<Inequality, &'static str> {
    let mut sum = Inequality::default();
    for (source, weight) in &combination.parts {
        let part = match source {
            Source::Premise(place) => premises.get(*place),
            Source::Step(place) => results.get(*place),
        };
        let part = part.ok_or("it uses what is not there")?;
        if *weight <= BigInt::ZERO {
            return Err("a weight is not positive");
        }
        for (var, factor) in &part.factors {
            *sum.factors.entry(*var).or_default() += factor * weight;
        }
        sum.bound += &part.bound * weight;
    }
    let divisor = &combination.divisor;
    if *divisor <= BigInt::ZERO {
        return Err("the divisor is not positive");
    }
    sum.factors.retain(|_, factor| *factor != BigInt::ZERO);
    for factor in sum.factors.values_mut() {
        if !factor.is_multiple_of(divisor) {
            return Err("a factor is not divisible");
        }
        *factor = &*factor / divisor;
    }
    sum.bound = sum.bound.div_floor(divisor);
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(terms: &[(u32, i64)], bound: i64) -> LinearAtom {
        let terms = terms.iter().map(|&(var, factor)| (var, factor.into())).collect();
        LinearAtom { terms, bound: bound.into() }
    }

    fn sum(parts: &[(Source, i64)], divisor: i64) -> Combination {
        let parts = parts.iter().map(|&(from, weight)| (from, weight.into())).collect();
        Combination { parts, divisor: divisor.into() }
    }

    /// `1 ≤ 2x − 2y ≤ 1` has rational solutions only: rounding refutes it.
    fn parity(parts: [i64; 2], divisor: i64, last: &[usize]) -> Result<(), LinearProofError> {
        let [above, below] = [1, 2].map(|index| Var::new(index).lit());
        let terms = [(0, 2), (1, -2)];
        let last: Vec<_> = last.iter().map(|&step| (Source::Step(step), 1)).collect();
        let derivation = vec![
            sum(&[(Source::Premise(0), parts[0])], divisor),
            sum(&[(Source::Premise(1), parts[1])], divisor),
            sum(&last, 1),
        ];
        let steps = vec![
            LinearStep::Atom(above.var(), atom(&terms, 1)),
            LinearStep::Atom(below.var(), atom(&terms, 0)),
            LinearStep::Given(vec![above]),
            LinearStep::Given(vec![!below]),
            LinearStep::Lemma(vec![!above, below], derivation),
            LinearStep::Derived(Vec::new()),
        ];
        check_linear_proof(&LinearProof { steps, claim: Vec::new() }, |_| true)
    }

    #[test]
    fn rounding_refutes_a_parity() {
        assert_eq!(parity([1, 1], 2, &[0, 1]), Ok(()));
    }

    #[test]
    fn wrong_derivations_are_refused() {
        for (parts, divisor, last, expected) in [
            ([1, 1], 1, &[0, 1][..], "the last result is no contradiction"),
            ([1, 1], 3, &[0, 1], "a factor is not divisible"),
            ([1, 0], 2, &[0, 1], "a weight is not positive"),
            ([1, -1], 2, &[0, 1], "a weight is not positive"),
            ([1, 1], 0, &[0, 1], "the divisor is not positive"),
            ([1, 1], -2, &[0, 1], "the divisor is not positive"),
            ([1, 1], 2, &[0], "the last result is no contradiction"),
            ([1, 1], 2, &[0, 2], "it uses what is not there"),
        ] {
            match parity(parts, divisor, last) {
                Err(LinearProofError::Lemma { reason, .. }) => assert_eq!(reason, expected),
                other => panic!("{other:?} in place of {expected}"),
            }
        }
    }

    #[test]
    fn every_step_is_looked_at() {
        let [a, b] = [1, 2].map(|index| Var::new(index).lit());
        let meaning = LinearStep::Atom(a.var(), atom(&[(0, 1)], 0));
        type Case = (Vec<LinearStep>, Vec<Lit>, LinearProofError);
        let cases: Vec<Case> = vec![
            (vec![LinearStep::Given(vec![b])], vec![], LinearProofError::NotGiven(vec![b])),
            (vec![LinearStep::Derived(vec![a])], vec![], LinearProofError::NotDerived(vec![a])),
            (vec![LinearStep::Deleted(vec![a])], vec![], LinearProofError::NotThere(vec![a])),
            (vec![LinearStep::Lemma(vec![b], vec![])], vec![], LinearProofError::NoAtom(b)),
            (vec![LinearStep::Given(vec![a])], vec![b], LinearProofError::Claim(vec![b])),
            (vec![meaning.clone(), meaning], vec![], LinearProofError::SecondMeaning(a.var())),
        ];
        for (steps, claim, error) in cases {
            let proof = LinearProof { steps, claim };
            assert_eq!(check_linear_proof(&proof, |clause| clause == [a]), Err(error));
        }
    }
}
