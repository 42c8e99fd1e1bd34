//! Checking a proof about a system whose arrays are too large to be expanded: the claims of
//! [`crate::proof`] as formulas over words and arrays, from which [`crate::without_arrays`] takes
//! the arrays.
//!
//! | claim | unsatisfiable |
//! |---|---|
//! | initiation | `Init(s₀) ∧ C(s₀) ∧ ¬Inv(s₀)` |
//! | consecution | `Inv(s₀) ∧ C(s₀) ∧ T(s₀,s₁) ∧ C(s₁) ∧ ¬Inv(s₁)` |
//! | safety, if k = 1 | `Inv(s₀) ∧ C(s₀) ∧ ¬P(s₀)`; where it is, base and step are not asked |
//! | base, for each `j < k` | `Init(s₀) ∧ ⋀_{i<j} T(sᵢ,sᵢ₊₁) ∧ ⋀_{i≤j} (C ∧ Inv)(sᵢ) ∧ ¬P(sⱼ)` |
//! | step | `⋀_{i<k} (P(sᵢ) ∧ T(sᵢ,sᵢ₊₁)) ∧ ⋀_{i≤k} (C ∧ Inv)(sᵢ) ∧ ¬P(sₖ)` |

use crate::bound::{BoundError, BoundLimits};
use crate::options::{CheckOptions, Counterexample, Effort, Stop, Trust};
use crate::proof::{CheckedProof, Claim, ProofError};
use crate::prover::{Failure, Prover};
use crate::without_arrays::WithoutArrays;
use crate::word_proof::not_checkable;
use pedra_model::blast::BlastOptions;
use pedra_model::lit::Lit;
use pedra_model::proof::WordProof;
use pedra_model::simplify::Rewriter;
use pedra_model::system::System;
use pedra_model::term::{BinaryOp, TermId, Terms};

/// Checks the claims of a proof that adds nothing to its system and whose form is checked.
pub(crate) fn check_array_proof(
    proof: &WordProof,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<CheckedProof, ProofError> {
    if proof.simple_path.is_some() {
        let text = "simple paths of a model with large arrays".to_owned();
        return Err(ProofError::NotCheckable(text));
    }
    if let Err(state) = proof.system.init_order() {
        return Err(ProofError::Malformed(format!("the init of state {state} depends on itself")));
    }
    let mut check = Check { proof, blasting, options, effort: Effort::default() };
    check.initiation()?;
    check.consecution()?;
    if !check.is_safe()? {
        check.base()?;
        check.step()?;
    }
    Ok(CheckedProof {
        properties: proof.properties.clone(),
        clauses: proof.invariant.len(),
        k: proof.k,
        effort: check.effort,
        trust: Trust::Nothing,
    })
}

/// Steps of the system as terms of one store.
struct Path<'a> {
    system: &'a System,
    terms: Terms,
    /// For each step what stands for the symbols in it.
    steps: Vec<Rewriter>,
    facts: Vec<TermId>,
}

impl<'a> Path<'a> {
    /// One step with any state.
    fn new(system: &'a System) -> Path<'a> {
        let mut path =
            Path { system, terms: system.terms.clone(), steps: Vec::new(), facts: vec![] };
        let values = system.states.iter().map(|s| path.terms.sort(s.term)).collect::<Vec<_>>();
        let values = values.into_iter().map(|sort| path.terms.new_symbol(sort)).collect();
        path.push(values);
        path
    }

    /// A step in which the states have these values, with new inputs.
    fn push(&mut self, states: Vec<TermId>) {
        let mut step = Rewriter::new();
        for (state, value) in self.system.states.iter().zip(states) {
            step.replace(state.term, value);
        }
        for input in &self.system.inputs {
            let symbol = self.terms.new_symbol(self.terms.sort(input.term));
            step.replace(input.term, symbol);
        }
        self.steps.push(step);
    }

    /// One step more: a state without `next` has any value.
    fn advance(&mut self) {
        let last = self.steps.len() - 1;
        let mut values = Vec::with_capacity(self.system.states.len());
        for state in &self.system.states {
            values.push(match state.next {
                Some(next) => self.at(last, next),
                None => self.terms.new_symbol(self.terms.sort(state.term)),
            });
        }
        self.push(values);
    }

    /// What a term is in a step.
    fn at(&mut self, step: usize, term: TermId) -> TermId {
        self.steps[step].rewrite(&mut self.terms, term)
    }

    fn assume(&mut self, step: usize, conditions: impl IntoIterator<Item = TermId>) {
        for condition in conditions {
            let fact = self.at(step, condition);
            self.facts.push(fact);
        }
    }

    fn assume_constraints(&mut self, step: usize) {
        self.assume(step, self.system.constraints.iter().map(|c| c.term));
    }

    /// `Init(s₀)`
    fn assume_initial(&mut self) {
        for state in &self.system.states {
            if let Some(init) = state.init {
                let (value, init) = (self.at(0, state.term), self.at(0, init));
                let fact = self.terms.binary(BinaryOp::Eq, value, init);
                self.facts.push(fact);
            }
        }
    }
}

struct Check<'a> {
    proof: &'a WordProof,
    blasting: &'a BlastOptions,
    options: &'a CheckOptions,
    effort: Effort,
}

impl<'a> Check<'a> {
    fn path(&self) -> Path<'a> {
        Path::new(&self.proof.system)
    }

    fn invariant(&self) -> impl Iterator<Item = TermId> + use<'a> {
        self.proof.invariant.iter().copied()
    }

    /// `P` in a step: for each property that its bad is not true.
    fn properties(&self, path: &mut Path<'_>, step: usize) -> Vec<TermId> {
        let bads = self.proof.properties.iter().map(|&p| self.proof.system.bads[p].term);
        let bads: Vec<TermId> = bads.map(|bad| path.at(step, bad)).collect();
        bads.into_iter().map(|bad| path.terms.not(bad)).collect()
    }

    fn initiation(&mut self) -> Result<(), ProofError> {
        let mut path = self.path();
        path.assume_initial();
        path.assume_constraints(0);
        let goals: Vec<TermId> = self.invariant().map(|t| path.at(0, t)).collect();
        self.prove(&path, &goals, |clause| Claim::Initiation { clause })
    }

    fn consecution(&mut self) -> Result<(), ProofError> {
        let mut path = self.path();
        path.advance();
        path.assume(0, self.invariant());
        path.assume_constraints(0);
        path.assume_constraints(1);
        let goals: Vec<TermId> = self.invariant().map(|t| path.at(1, t)).collect();
        self.prove(&path, &goals, |clause| Claim::Consecution { clause })
    }

    fn is_safe(&mut self) -> Result<bool, ProofError> {
        if self.proof.k > 1 {
            return Ok(false);
        }
        let mut path = self.path();
        path.assume(0, self.invariant());
        path.assume_constraints(0);
        let goals = self.properties(&mut path, 0);
        match self.prove(&path, &goals, |_| Claim::Closed) {
            Ok(()) => Ok(true),
            Err(ProofError::Refuted { .. } | ProofError::NotCheckable(_)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    fn base(&mut self) -> Result<(), ProofError> {
        let mut path = self.path();
        path.assume_initial();
        for step in 0..self.proof.k {
            if step > 0 {
                path.advance();
            }
            path.assume_constraints(step);
            path.assume(step, self.invariant());
            let goals = self.properties(&mut path, step);
            let properties = &self.proof.properties;
            self.prove(&path, &goals, |i| Claim::Base { step, property: properties[i] })?;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), ProofError> {
        let mut path = self.path();
        for step in 0..=self.proof.k {
            if step > 0 {
                let safe = self.properties(&mut path, step - 1);
                path.facts.extend(safe);
                path.advance();
            }
            path.assume_constraints(step);
            path.assume(step, self.invariant());
        }
        let goals = self.properties(&mut path, self.proof.k);
        let properties = &self.proof.properties;
        self.prove(&path, &goals, |i| Claim::Step { property: properties[i] })
    }

    /// That each of the goals follows from the facts of the path.
    fn prove(
        &mut self,
        path: &Path<'_>,
        goals: &[TermId],
        claim: impl Fn(usize) -> Claim,
    ) -> Result<(), ProofError> {
        let (effort, proved) = prove(path, goals, self.blasting, self.options)?;
        self.effort.add(effort);
        proved.map_err(|(index, failure)| match failure {
            Failed::Stopped(stop) => ProofError::Stopped(stop),
            Failed::Compared => ProofError::NotCheckable(
                "not shown with the elements of compared arrays that it mentions".to_owned(),
            ),
            Failed::Refuted => {
                let counterexample = Counterexample { steps: Vec::new() };
                ProofError::Refuted { claim: claim(index), counterexample }
            }
        })
    }
}

/// Why a goal was not shown.
enum Failed {
    Stopped(Stop),
    /// It can be false.
    Refuted,
    /// It can be false where arrays are compared: that says nothing.
    Compared,
}

/// The work, and the first goal that was not shown.
type Proved = (Effort, Result<(), (usize, Failed)>);

/// That each of the goals follows from the facts of the path.
fn prove(
    path: &Path<'_>,
    goals: &[TermId],
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<Proved, ProofError> {
    let free = WithoutArrays::new(&path.terms, &path.facts, goals);
    let mut blaster = free.blaster(blasting).map_err(not_checkable)?;
    let mut bit = |formula: TermId| blaster.bit(&free.terms, formula).map_err(not_checkable);
    let mut prover = Prover::new(options);
    for fact in free.formulas(&path.facts) {
        prover.assume([bit(fact)?]);
    }
    let goals: Result<Vec<Vec<Lit>>, ProofError> =
        goals.iter().map(|&goal| Ok(vec![bit(free.of(goal))?])).collect();
    let proved = prover.prove_each(blaster.aig(), &goals?);
    let proved = proved.map_err(|(index, failure)| match failure {
        Failure::Stopped(stop) => (index, Failed::Stopped(stop)),
        Failure::Refuted(_) if free.has_comparisons => (index, Failed::Compared),
        Failure::Refuted(_) => (index, Failed::Refuted),
    });
    Ok((prover.effort(), proved))
}

/// As [`crate::bound::check_bound`], for a system whose arrays are too large to be expanded. Its
/// bads are the properties.
pub(crate) fn check_array_bound(
    system: &System,
    properties: &[usize],
    last: usize,
    blasting: &BlastOptions,
    limits: BoundLimits,
    options: &CheckOptions,
) -> Result<Option<usize>, BoundError> {
    if system.init_order().is_err() {
        return Ok(None);
    }
    let mut path = Path::new(system);
    path.assume_initial();
    let (mut safe, mut conflicts) = (None, 0);
    for step in 0..=last {
        if step > 0 {
            path.advance();
        }
        // A term is some gates, or hundreds: the limit of gates is one of terms here.
        let is_large = limits.gates.is_some_and(|most| path.terms.len() > most);
        let spent = limits.conflicts.is_some_and(|most| conflicts > most);
        if is_large || spent || options.interrupt.is_raised() {
            break;
        }
        path.assume_constraints(step);
        let bads: Vec<TermId> = system.bads.iter().map(|b| path.at(step, b.term)).collect();
        let goals: Vec<TermId> = bads.into_iter().map(|bad| path.terms.not(bad)).collect();
        match prove(&path, &goals, blasting, options) {
            Ok((effort, Ok(()))) => conflicts += effort.conflicts,
            Ok((_, Err((index, Failed::Refuted)))) => {
                let counterexample = Counterexample { steps: Vec::new() };
                return Err(BoundError { property: properties[index], step, counterexample });
            }
            Ok((_, Err((_, Failed::Stopped(_) | Failed::Compared)))) | Err(_) => break,
        }
        path.facts.extend(goals);
        safe = Some(step);
    }
    Ok(safe)
}
