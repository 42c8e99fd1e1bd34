//! Checking a witness circuit against a model: the five formulas of Certifaiger (Yu, Biere,
//! Heljanko, "Progress in Certifying Hardware Model Checking Results", CAV 2021, and later
//! papers of that group).
//!
//! A witness `W` is a circuit whose property is inductive and which simulates the model `M` on
//! the inputs and latches `K` that they share. With resets `R`, transitions `F`, constraints
//! `C` and properties `P` (no bad is true), primed for `W`, and consecutive states `s`, `t`:
//!
//! | check | formula |
//! |---|---|
//! | reset | `R_s{K} ∧ C_s ⟹ R'_s{K} ∧ C'_s` |
//! | transition | `F_st{K} ∧ C_s ∧ C_t ∧ C'_s ⟹ F'_st{K} ∧ C'_t` |
//! | safety | `C_s ∧ C'_s ∧ P'_s ⟹ P_s` |
//! | base | `R'_s{L'} ∧ C'_s ⟹ P'_s` |
//! | induction | `F'_st{L'} ∧ C'_s ∧ C'_t ∧ P'_s ⟹ P'_t` |
//!
//! `{K}` restricts resets and transitions to the latches of each side that are shared. The reset
//! functions of `W` must be stratified (acyclic), so that a reset of the shared latches extends to
//! all. This file does not depend on how Pedra makes witnesses ([`crate::witness`]), and accepts
//! those of any tool.

use crate::frames::Frame;
use crate::mapping::Mapping;
use crate::options::{CheckOptions, Counterexample, Effort, StateValues, Stop, Trust};
use crate::proof::{ProofError, TRIED_CONFLICTS};
use crate::prover::{Assignment, Failure, Prover};
use pedra_model::aig::{Aig, AigBuilder, Node};
use pedra_model::bits::{BitSystem, Latch};
use pedra_model::lit::Lit;
use std::fmt;

/// One of the five formulas, or of those about liveness ([`crate::live_certificate`]).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// The witness can start where the model starts.
    Reset,
    /// The witness can follow the model.
    Transition,
    /// The property of the witness implies that of the model.
    Safety,
    /// The property of the witness holds at the start.
    Base,
    /// The property of the witness is inductive.
    Induction,
    /// The signals of the witness imply those of the model.
    Liveness,
    /// A later state is related to an earlier one.
    Decrease,
    /// Steps keep the relation.
    Closure,
    /// A signal of the witness that recurs stays.
    Consistent,
    /// Signals that the model does not have add nothing.
    Counterpart,
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Formula::Reset => "reset: the certificate cannot start where the model does",
            Formula::Transition => "transition: the certificate cannot follow the model",
            Formula::Safety => "safety: the certificate's property does not imply the model's",
            Formula::Base => "base: the certificate's property does not hold at the start",
            Formula::Induction => "induction: the certificate's property is not inductive",
            Formula::Liveness => "liveness: the certificate's signals do not imply the model's",
            Formula::Decrease => "decrease: no signal relates a state to the one before",
            Formula::Closure => "closure: a step leaves the relation of the signals",
            Formula::Consistent => "consistent: the signal that holds changes from step to step",
            Formula::Counterpart => "counterpart: a signal that the model does not have decides",
        })
    }
}

/// Why there is no certificate, or why one is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CertificateError {
    /// The proof is malformed, so that there is nothing to certify.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// The proof cannot be expressed as a witness circuit.
    #[error("{0}")]
    NotExpressible(String),
    /// The mapping of the witness to the model makes no sense.
    #[error("mapping: {0}")]
    Mapping(String),
    /// One of the two circuits makes no sense for this purpose.
    #[error("{0}")]
    Malformed(String),
    /// The certificate is of a kind or size that cannot be checked here: nothing is known
    /// about it.
    #[error("{0}")]
    Unsupported(String),
    /// A formula is not valid.
    #[error("{formula}; counterexample: {}", both(model, witness))]
    Refuted {
        /// Which.
        formula: Formula,
        /// The states of the model; none for base and induction, which do not mention it.
        model: Counterexample,
        /// The states of the witness.
        witness: Counterexample,
    },
    /// The check ended early: nothing is known about the certificate.
    #[error("{0}")]
    Stopped(Stop),
}

/// The states that refute a formula, in words. Base and induction do not mention the model.
fn both(model: &Counterexample, witness: &Counterexample) -> String {
    match model.steps.as_slice() {
        [] => format!("certificate {witness}"),
        _ => format!("model {model}, certificate {witness}"),
    }
}

/// An accepted certificate.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CheckedCertificate {
    /// How many inputs and latches of the witness simulate some of the model.
    pub shared: usize,
    /// The work that it took.
    pub effort: Effort,
    /// What was taken on trust.
    pub trust: Trust,
}

/// Checks that `witness` certifies all safety properties of `model`.
pub fn check_certificate(
    model: &BitSystem,
    witness: &BitSystem,
    options: &CheckOptions,
) -> Result<CheckedCertificate, CertificateError> {
    let properties: Vec<usize> = (0..model.properties().len()).collect();
    check_certificate_for(model, &properties, witness, options)
}

/// Checks that `witness` certifies these properties of `model`.
pub fn check_certificate_for(
    model: &BitSystem,
    properties: &[usize],
    witness: &BitSystem,
    options: &CheckOptions,
) -> Result<CheckedCertificate, CertificateError> {
    let mapping = Mapping::of(model, witness)?;
    check_mapped_certificate(model, properties, witness, &mapping, options, || None)
}

/// Checks that `witness` certifies these properties of `model` under a mapping that is given
/// rather than read from the witness.
///
/// An input of the witness may be mapped to any literal of the model, a latch only to an input
/// or latch. `induction` may show the last formula in another way, and tells with which work.
pub(crate) fn check_mapped_certificate(
    model: &BitSystem,
    properties: &[usize],
    witness: &BitSystem,
    mapping: &Mapping,
    options: &CheckOptions,
    induction: impl FnOnce() -> Option<(Effort, Trust)>,
) -> Result<CheckedCertificate, CertificateError> {
    let malformed = |text: String| Err(CertificateError::Malformed(text));
    if let Some(p) = properties.iter().find(|&&p| p >= model.properties().len()) {
        return malformed(format!("property {p} does not exist in the model"));
    }
    if properties.is_empty() {
        return malformed("no property of the model is to be certified".into());
    }
    if witness.properties().is_empty() {
        return malformed("the witness has no property".into());
    }
    check_resets(model, witness)?;
    let limited =
        CheckOptions { limit_conflicts: Some(TRIED_CONFLICTS), fallback: None, ..options.clone() };
    let mut check = Check {
        model,
        witness,
        mapping,
        bads: properties.iter().map(|&p| model.properties()[p]).collect(),
        shared: shared_latches(model, witness, mapping),
        options,
        effort: Effort::default(),
    };
    check.check_reset()?;
    check.check_transition()?;
    check.check_safety()?;
    check.check_base()?;
    let trust = match induction() {
        Some((effort, Trust::Nothing)) => {
            check.effort.add(effort);
            Trust::Nothing
        }
        Some((effort, trust)) => {
            check.effort.add(effort);
            // Perhaps the bits can do without trust.
            check.options = &limited;
            match check.check_induction() {
                Ok(()) => Trust::Nothing,
                Err(CertificateError::Stopped(Stop::OutOfBudget)) => trust,
                Err(other) => return Err(other),
            }
        }
        None => {
            check.check_induction()?;
            Trust::Nothing
        }
    };
    Ok(CheckedCertificate { shared: mapping.len(), effort: check.effort, trust })
}

/// Resets are stratified: no latch's needs itself.
pub(crate) fn check_resets(model: &BitSystem, witness: &BitSystem) -> Result<(), CertificateError> {
    for (system, name) in [(model, "model"), (witness, "witness")] {
        if let Err(latch) = system.reset_order() {
            let text = format!("the reset of latch {latch} of the {name} needs itself");
            return Err(CertificateError::Malformed(text));
        }
    }
    Ok(())
}

/// For each variable of the model, the latch that it is if the witness shares it.
pub(crate) fn shared_latches(
    model: &BitSystem,
    witness: &BitSystem,
    mapping: &Mapping,
) -> Vec<Option<Latch>> {
    let latch_of = model.latch_of_var();
    let mut shared = vec![None; model.aig.len()];
    let leaves = witness.inputs.iter().copied().chain(witness.latches.iter().map(|l| l.var));
    for lit in leaves.filter_map(|leaf| mapping.simulated(leaf)) {
        let index = lit.var().index();
        shared[index] = latch_of[index].map(|l| model.latches[l as usize]);
    }
    shared
}

pub(crate) struct Check<'a> {
    pub(crate) model: &'a BitSystem,
    pub(crate) witness: &'a BitSystem,
    pub(crate) mapping: &'a Mapping,
    /// The bads of the model's properties to be certified.
    pub(crate) bads: Vec<Lit>,
    /// By variable of the model: its latches in `K`.
    pub(crate) shared: Vec<Option<Latch>>,
    pub(crate) options: &'a CheckOptions,
    pub(crate) effort: Effort,
}

/// One step of model and witness side by side.
struct Pair {
    model: Frame,
    witness: Frame,
}

impl Check<'_> {
    /// Model and witness at one step, equal where the mapping says so. `before` gives the
    /// shared latches of the model the values that follow from it: `F_st{K}`.
    fn pair(&self, circuit: &mut AigBuilder, before: Option<&Pair>) -> Pair {
        let everything = vec![true; self.model.aig.len()];
        let model = Frame::new(circuit, &self.model.aig, &everything, |c, var| {
            match (before, self.shared[var.index()]) {
                (Some(before), Some(latch)) => before.model.lit(latch.next),
                _ => c.leaf().lit(),
            }
        });
        let everything = vec![true; self.witness.aig.len()];
        let witness = Frame::new(circuit, &self.witness.aig, &everything, |c, var| {
            let simulated = self.mapping.simulated(var);
            simulated.map_or_else(|| c.leaf().lit(), |ours| model.lit(ours))
        });
        Pair { model, witness }
    }

    /// The witness alone; `before` gives its latches the values that follow from it.
    pub(crate) fn alone(&self, circuit: &mut AigBuilder, before: Option<&Frame>) -> Frame {
        let latch_of = self.witness.latch_of_var();
        let everything = vec![true; self.witness.aig.len()];
        Frame::new(circuit, &self.witness.aig, &everything, |c, var| {
            match (before, latch_of[var.index()]) {
                (Some(before), Some(latch)) => {
                    before.lit(self.witness.latches[latch as usize].next)
                }
                _ => c.leaf().lit(),
            }
        })
    }

    /// The witness's latches in `K`.
    fn shared_of_witness(&self) -> impl Iterator<Item = &Latch> {
        self.witness.latches.iter().filter(|l| self.mapping.simulated(l.var).is_some())
    }

    /// `R_s{K} ∧ C_s ⟹ R'_s{K} ∧ C'_s`
    pub(crate) fn check_reset(&mut self) -> Result<(), CertificateError> {
        let (mut circuit, mut prover) = (AigBuilder::new(), Prover::new(self.options));
        let s = self.pair(&mut circuit, None);
        for latch in self.shared.iter().flatten() {
            prover.assume([s.model.is_reset(&mut circuit, latch)]);
        }
        assume_all(&mut prover, &circuit, &s.model, &self.model.constraints);
        let resets: Vec<Lit> =
            self.shared_of_witness().map(|l| s.witness.is_reset(&mut circuit, l)).collect();
        let goals = resets.into_iter().chain(s.witness.clause(&self.witness.constraints));
        self.prove_all(prover, &circuit, goals, Formula::Reset, &[s])
    }

    /// `F_st{K} ∧ C_s ∧ C_t ∧ C'_s ⟹ F'_st{K} ∧ C'_t`
    pub(crate) fn check_transition(&mut self) -> Result<(), CertificateError> {
        let (mut circuit, mut prover) = (AigBuilder::new(), Prover::new(self.options));
        let s = self.pair(&mut circuit, None);
        let t = self.pair(&mut circuit, Some(&s));
        assume_all(&mut prover, &circuit, &s.model, &self.model.constraints);
        assume_all(&mut prover, &circuit, &t.model, &self.model.constraints);
        assume_all(&mut prover, &circuit, &s.witness, &self.witness.constraints);
        let latches = self.shared_of_witness();
        let follows = latches.map(|l| (s.witness.lit(l.next), t.witness.lit(l.var.lit())));
        let follows: Vec<Lit> = follows.map(|(next, value)| circuit.iff(next, value)).collect();
        let goals = follows.into_iter().chain(t.witness.clause(&self.witness.constraints));
        self.prove_all(prover, &circuit, goals, Formula::Transition, &[s, t])
    }

    /// `C_s ∧ C'_s ∧ P'_s ⟹ P_s`
    pub(crate) fn check_safety(&mut self) -> Result<(), CertificateError> {
        let (mut circuit, mut prover) = (AigBuilder::new(), Prover::new(self.options));
        let s = self.pair(&mut circuit, None);
        assume_all(&mut prover, &circuit, &s.model, &self.model.constraints);
        assume_all(&mut prover, &circuit, &s.witness, &self.witness.constraints);
        assume_none(&mut prover, &circuit, &s.witness, self.witness.properties());
        let goals: Vec<Lit> = self.bads.iter().map(|&bad| !s.model.lit(bad)).collect();
        self.prove_all(prover, &circuit, goals, Formula::Safety, &[s])
    }

    /// `R'_s{L'} ∧ C'_s ⟹ P'_s`
    pub(crate) fn check_base(&mut self) -> Result<(), CertificateError> {
        let (mut circuit, mut prover) = (AigBuilder::new(), Prover::new(self.options));
        let s = self.alone(&mut circuit, None);
        for latch in &self.witness.latches {
            prover.assume([s.is_reset(&mut circuit, latch)]);
        }
        assume_all(&mut prover, &circuit, &s, &self.witness.constraints);
        let goals: Vec<Lit> = self.witness.properties().iter().map(|&bad| !s.lit(bad)).collect();
        self.prove_all(prover, &circuit, goals, Formula::Base, &[s])
    }

    /// `F'_st{L'} ∧ C'_s ∧ C'_t ∧ P'_s ⟹ P'_t`
    pub(crate) fn check_induction(&mut self) -> Result<(), CertificateError> {
        let (mut circuit, mut prover) = (AigBuilder::new(), Prover::new(self.options));
        let s = self.alone(&mut circuit, None);
        let t = self.alone(&mut circuit, Some(&s));
        assume_all(&mut prover, &circuit, &s, &self.witness.constraints);
        assume_all(&mut prover, &circuit, &t, &self.witness.constraints);
        assume_none(&mut prover, &circuit, &s, self.witness.properties());
        let goals: Vec<Lit> = self.witness.properties().iter().map(|&bad| !t.lit(bad)).collect();
        self.prove_all(prover, &circuit, goals, Formula::Induction, &[s, t])
    }

    /// Proves every goal literal, or says with which states one of them fails.
    pub(crate) fn prove_all<S: Step>(
        &mut self,
        mut prover: Prover<'_>,
        circuit: &AigBuilder,
        goals: impl IntoIterator<Item = Lit>,
        formula: Formula,
        steps: &[S],
    ) -> Result<(), CertificateError> {
        let goals = clauses(circuit.aig(), goals);
        match prover.prove_each(circuit.aig(), &goals) {
            Ok(()) => {}
            Err((_, Failure::Stopped(stop))) => return Err(CertificateError::Stopped(stop)),
            Err((_, Failure::Refuted(values))) => {
                let model = steps.iter().filter_map(|s| s.of_model(self.model, &values));
                let witness = steps.iter().map(|s| s.of_witness(self.witness, &values));
                return Err(CertificateError::Refuted {
                    formula,
                    model: Counterexample { steps: model.collect() },
                    witness: Counterexample { steps: witness.collect() },
                });
            }
        }
        self.effort.add(prover.effort());
        Ok(())
    }
}

/// A step whose values can be reported.
pub(crate) trait Step {
    fn of_model(&self, model: &BitSystem, values: &Assignment) -> Option<StateValues>;
    fn of_witness(&self, witness: &BitSystem, values: &Assignment) -> StateValues;
}

impl Step for Pair {
    fn of_model(&self, model: &BitSystem, values: &Assignment) -> Option<StateValues> {
        Some(self.model.values(model, values))
    }

    fn of_witness(&self, witness: &BitSystem, values: &Assignment) -> StateValues {
        self.witness.values(witness, values)
    }
}

impl Step for Frame {
    fn of_model(&self, _: &BitSystem, _: &Assignment) -> Option<StateValues> {
        None
    }

    fn of_witness(&self, witness: &BitSystem, values: &Assignment) -> StateValues {
        self.values(witness, values)
    }
}

/// How many literals a clause is given before what is left of a disjunction stays a gate; and all
/// clauses together, for each node: disjunctions may share theirs.
const LITERALS: usize = 1000;
const LITERALS_PER_NODE: usize = 10;

/// Clauses that are all true exactly if the literals are. The property of a witness is the
/// conjunction of an invariant's clauses: thousands of easy questions, and one hard one if it is
/// asked as a whole; and a solver is quicker with a clause than with the gates of a disjunction.
fn clauses(aig: &Aig, lits: impl IntoIterator<Item = Lit>) -> Vec<Vec<Lit>> {
    let (mut clauses, mut seen) = (Vec::new(), vec![false; 2 * aig.len()]);
    let mut left = LITERALS_PER_NODE * aig.len();
    let mut stack: Vec<Lit> = lits.into_iter().collect();
    stack.reverse();
    while let Some(lit) = stack.pop() {
        if std::mem::replace(&mut seen[lit.index()], true) {
            continue;
        }
        match aig.node(lit.var()) {
            Node::And(a, b) if !lit.is_negated() => stack.extend([b, a]),
            _ => {
                let clause = disjuncts(aig, lit, left.min(LITERALS));
                left = left.saturating_sub(clause.len());
                clauses.push(clause);
            }
        }
    }
    clauses
}

/// Literals of which one is true exactly if the literal is; at most this many, but at least one.
fn disjuncts(aig: &Aig, lit: Lit, most: usize) -> Vec<Lit> {
    let (mut parts, mut stack) = (Vec::new(), vec![lit]);
    while let Some(lit) = stack.pop() {
        match aig.node(lit.var()) {
            Node::And(a, b) if lit.is_negated() && parts.len() + stack.len() + 2 <= most => {
                stack.extend([!b, !a]);
            }
            _ => parts.push(lit),
        }
    }
    parts
}

/// Assumes that all of the literals hold.
fn assume(prover: &mut Prover<'_>, circuit: &AigBuilder, lits: impl IntoIterator<Item = Lit>) {
    for clause in clauses(circuit.aig(), lits) {
        prover.assume(clause);
    }
}

pub(crate) fn assume_all(
    prover: &mut Prover<'_>,
    circuit: &AigBuilder,
    frame: &Frame,
    lits: &[Lit],
) {
    assume(prover, circuit, lits.iter().map(|&lit| frame.lit(lit)));
}

pub(crate) fn assume_none(
    prover: &mut Prover<'_>,
    circuit: &AigBuilder,
    frame: &Frame,
    lits: &[Lit],
) {
    assume(prover, circuit, lits.iter().map(|&lit| !frame.lit(lit)));
}
