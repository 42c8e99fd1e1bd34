//! Proofs and traces over the words of the model as read from the file.

use super::problem::{Problem, Source};
use super::relative::State;
use super::samples::state_value;
use crate::units::Vocabulary;
use crate::units::atom::Step;
use crate::units::unit::Unit;
use pedra_model::bv::Bv;
use pedra_model::proof::WordProof;
use pedra_model::prophecy::Prophecy;
use pedra_model::system::System;
use pedra_model::term::{BinaryOp, TermId, Terms};
use pedra_model::trace::WordTrace;
use pedra_model::value::TernaryValue;

/// The proof that none of the units is reachable, and so the properties hold.
pub(super) fn proof(
    system: &System,
    problem: &Problem,
    properties: Vec<usize>,
    units: &[Unit],
) -> WordProof {
    let mut system = system.clone();
    let invariant = lemmas(&mut system.terms, problem, units);
    let prophecy = Prophecy::default();
    WordProof { properties, system, invariant, k: 1, simple_path: None, prophecy }
}

/// One term `¬unit` a unit, over the system's own symbols.
pub(super) fn lemmas(terms: &mut Terms, problem: &Problem, units: &[Unit]) -> Vec<TermId> {
    let known = terms.len();
    let mut ours = problem.terms.clone();
    let roots: Vec<TermId> = units.iter().map(|unit| lemma(&mut ours, problem, unit)).collect();
    // What `first` stands for is said of symbols of the system only.
    let first = problem.first.map(|(var, meaning)| (problem.var(var).term, meaning));
    let meant =
        |_: &mut Terms, id| first.filter(|(symbol, _)| *symbol == id).map(|(_, meaning)| meaning);
    let plain = ours.substitute(roots.iter().copied(), meant);
    let roots: Vec<TermId> = roots.into_iter().map(|root| plain.of(root)).collect();
    let is_known = |id: TermId| (id.index() < known).then_some(id);
    let image = terms.import(&ours, roots.iter().copied(), is_known);
    roots.into_iter().map(|root| image.of(root)).collect()
}

/// `¬(a ∧ b ∧ …)`.
fn lemma(terms: &mut Terms, problem: &Problem, unit: &Unit) -> TermId {
    let mut all = None;
    for atom in unit.atoms() {
        let atom = atom.term(problem, terms, Step::Now);
        all = Some(match all {
            None => atom,
            Some(others) => terms.binary(BinaryOp::And, others, atom),
        });
    }
    match all {
        Some(all) => terms.not(all),
        None => terms.bool(false),
    }
}

/// The path that begins in a found state and takes these inputs, one list a step.
pub(super) fn trace(
    system: &System,
    problem: &Problem,
    property: usize,
    mut initial: State,
    inputs: &[Vec<Bv>],
) -> WordTrace {
    initial.inputs = inputs[0].clone();
    let mut states: Vec<Vec<Option<TernaryValue>>> = Vec::with_capacity(inputs.len());
    let mut words: Vec<Vec<TernaryValue>> = Vec::with_capacity(inputs.len());
    for (step, values) in inputs.iter().enumerate() {
        let mut given: Vec<Option<TernaryValue>> = vec![None; system.states.len()];
        for source in &problem.states {
            let state = source.state;
            given[state] = match (&source.source, step) {
                (Source::Input(input), _) => Some(word(&values[*input])),
                (Source::Vars(_), 0) if system.states[state].init.is_none() => {
                    Some(state_value(system, problem, state, &source.source, &initial))
                }
                (Source::Vars(_), 0) => None,
                (Source::Vars(_), _) => source.chosen.map(|c| word(&inputs[step - 1][c])),
            };
        }
        states.push(given);
        let mut all: Vec<TernaryValue> = system
            .inputs
            .iter()
            .map(|input| TernaryValue::unknown(system.terms.sort(input.term)))
            .collect();
        for (input, value) in problem.input_of.iter().zip(values) {
            if let Some(input) = input {
                all[*input] = word(value);
            }
        }
        words.push(all);
    }
    WordTrace { property, states, inputs: words, loop_start: None }
}

fn word(value: &Bv) -> TernaryValue {
    TernaryValue::Bv(value.clone().into())
}
