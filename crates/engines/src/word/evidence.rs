//! Proofs and traces over the words of the model as it was read.

use super::atom::Step;
use super::problem::{Problem, Source, not};
use super::relative::Found;
use super::samples::state_value;
use super::unit::Unit;
use pedra_model::bv::Bv;
use pedra_model::proof::WordProof;
use pedra_model::system::System;
use pedra_model::term::{BinaryOp, TermId, Terms};
use pedra_model::trace::WordTrace;
use pedra_model::value::TernaryValue;
use rustc_hash::FxHashMap;

/// The proof that none of the units is reachable, and so the properties hold.
pub(super) fn proof(
    system: &System,
    problem: &Problem,
    properties: Vec<usize>,
    units: &[Unit],
) -> WordProof {
    let mut system = system.clone();
    let invariant = lemmas(&mut system.terms, problem, units);
    WordProof { properties, system, invariant, k: 1, simple_path: None }
}

/// One term `¬unit` a unit, over the system's own symbols.
pub(super) fn lemmas(terms: &mut Terms, problem: &Problem, units: &[Unit]) -> Vec<TermId> {
    let known = terms.len();
    let mut ours = problem.terms.clone();
    let roots: Vec<TermId> = units.iter().map(|unit| lemma(&mut ours, problem, unit)).collect();
    let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut needed = roots.clone();
    let first = problem.first.map(|(var, meaning)| (problem.var(var).term, meaning));
    needed.extend(first.map(|(_, meaning)| meaning));
    let cone = ours.cone(needed);
    // `first` is a symbol of ours, younger than the terms that it stands for.
    for (id, term) in ours.iter().filter(|(id, _)| cone[id.index()]) {
        let moved = if id.index() < known {
            id
        } else if let Some((_, meaning)) = first.filter(|(symbol, _)| *symbol == id) {
            translate(terms, &ours, &mut image, meaning, known)
        } else {
            terms.add(term.with_args(|arg| image[&arg])).expect("sorts are kept")
        };
        image.insert(id, moved);
    }
    roots.iter().map(|root| image[root]).collect()
}

/// The image of a term whose cone has no symbol of ours.
fn translate(
    terms: &mut Terms,
    ours: &Terms,
    image: &mut FxHashMap<TermId, TermId>,
    root: TermId,
    known: usize,
) -> TermId {
    let cone = ours.cone([root]);
    for (id, term) in ours.iter().filter(|(id, _)| cone[id.index()]) {
        let moved = match id.index() < known {
            true => id,
            false => terms.add(term.with_args(|arg| image[&arg])).expect("sorts are kept"),
        };
        image.insert(id, moved);
    }
    image[&root]
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
        Some(all) => not(terms, all),
        None => terms.bool(false),
    }
}

/// The path that begins in a found state and takes these inputs, one list a step.
pub(super) fn trace(
    system: &System,
    problem: &Problem,
    property: usize,
    mut initial: Found,
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
    WordTrace { property, states, inputs: words }
}

fn word(value: &Bv) -> TernaryValue {
    TernaryValue::Bv(value.clone().into())
}
