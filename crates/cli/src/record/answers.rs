//! Answers in a record: what belongs to a verdict, in the names of the model.

use crate::evidence::witness_text;
use crate::view::steps::SourceStep;
use pedra_formats::btor2;
use pedra_model::Model;
use pedra_model::bits::{BitSystem, name_at};
use pedra_model::formula::formula;
use pedra_model::lit::Lit;
use pedra_model::proof::{BitProof, Proof, WordProof};
use pedra_model::system::System;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, UnaryOp};
use pedra_model::trace::Trace;
use pedra_program::{Lowered, PlaceId, Program};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A violation, as a witness file, where `x` marks what does not matter.
pub fn trace(model: &Model, trace: &Trace) -> Value {
    let witness = match (model, trace) {
        (Model::Words(system), Trace::Words(trace)) => btor2::witness::write_unknown(system, trace),
        // A lasso that closes on a part of the state has no witness.
        _ => witness_text(model, trace).unwrap_or_default(),
    };
    json!({ "event": "trace", "seconds": 0, "property": trace.property(), "witness": witness })
}

/// A violation of a program, in the lines of its source.
pub fn program_trace(property: usize, steps: &[SourceStep]) -> Value {
    let step = |step: &SourceStep| {
        let (line, text, changes) = (step.span.line, &step.text, &step.changes);
        json!({ "line": line, "text": text, "changes": changes })
    };
    let steps: Vec<Value> = steps.iter().map(step).collect();
    json!({ "event": "trace", "seconds": 0, "property": property, "steps": steps })
}

/// The locations that lifted PDR has frames for, and the edges between them.
pub fn program(original: &Program, lowered: &Lowered) -> Value {
    let blocks = &lowered.blocks;
    let location = |(index, place): (usize, PlaceId)| {
        let (_, known) = lowered.inlined.places[place.index()];
        let place = &original.procedure(known.procedure).places[known.place.index()];
        let errors = (0..blocks.errors.len()).filter(|&p| blocks.errors[p] == Some(index));
        let errors: Vec<usize> = errors.collect();
        let (kind, span, text) = match (&place.head_of, index) {
            _ if !errors.is_empty() => {
                let property = &original.properties[errors[0]];
                ("error", property.span, &*property.text)
            }
            (_, 0) => ("entry", place.span, ""),
            (Some(head), _) => ("loop", head.span, &*head.text),
            (None, _) => ("join", place.span, ""),
        };
        json!({ "kind": kind, "line": span.line, "text": text, "properties": errors })
    };
    let places = blocks.cuts.iter().map(|cut| cut.place).enumerate();
    let locations: Vec<Value> = places.map(location).collect();
    let cuts = blocks.cuts.iter().enumerate();
    let edges: Vec<[usize; 2]> =
        cuts.flat_map(|(from, cut)| cut.blocks.iter().map(move |block| [from, block.to])).collect();
    json!({ "event": "program", "seconds": 0, "locations": locations, "edges": edges })
}

/// The invariant of a proof. `direct` are the conjuncts that the properties need directly.
pub fn invariant(model: &Model, proof: &Proof, direct: Option<&[usize]>) -> Option<Value> {
    let (names, conjuncts) = match (model, proof) {
        (Model::Bits(system), Proof::Bits(proof)) => of_bits(system, proof),
        (Model::Words(_), Proof::Words(proof)) => of_words(proof),
        _ => return None,
    };
    Some(json!({
        "event": "invariant",
        "seconds": 0,
        "properties": proof.properties(),
        "k": proof.k(),
        "names": names,
        "conjuncts": conjuncts,
        "direct": direct,
    }))
}

fn of_bits(system: &BitSystem, proof: &BitProof) -> (Vec<Value>, Vec<Value>) {
    let mut known: HashMap<usize, String> = HashMap::new();
    for (index, latch) in system.latches.iter().enumerate() {
        let name = name_at(&system.names.latches, index);
        known.insert(latch.var.index(), name.map_or(format!("l{index}"), str::to_owned));
    }
    for (index, var) in system.inputs.iter().enumerate() {
        let name = name_at(&system.names.inputs, index);
        known.insert(var.index(), name.map_or(format!("i{index}"), str::to_owned));
    }
    let used: BTreeSet<usize> =
        proof.clauses.iter().flatten().map(|lit| lit.var().index()).collect();
    let name = |var: usize| known.get(&var).cloned().unwrap_or_else(|| format!("gate {var}"));
    let names = used.into_iter().map(|var| json!([var, name(var)])).collect();
    let number = |lit: &Lit| lit.var().index() as i64 * if lit.is_negated() { -1 } else { 1 };
    let conjunct =
        |clause: &Vec<Lit>| json!({ "clause": clause.iter().map(number).collect::<Vec<_>>() });
    (names, proof.clauses.iter().map(conjunct).collect())
}

/// Conjuncts over words. Those that are clauses of bits, as bit-level engines find them, are told
/// as such.
fn of_words(proof: &WordProof) -> (Vec<Value>, Vec<Value>) {
    let system = &proof.system;
    let known = names_of(system);
    // The numbers of bits, in the order in which they come.
    let mut bits: BTreeMap<String, i64> = BTreeMap::new();
    let mut conjuncts = Vec::with_capacity(proof.invariant.len());
    for &term in &proof.invariant {
        if let Some(lits) = bit_clause(system, &known, term) {
            let mut number = |(name, holds): (String, bool)| {
                let next = bits.len() as i64 + 1;
                *bits.entry(name).or_insert(next) * if holds { 1 } else { -1 }
            };
            let clause: Vec<i64> = lits.into_iter().map(&mut number).collect();
            conjuncts.push(json!({ "clause": clause }));
            continue;
        }
        let cone = system.terms.cone([term]);
        let symbols =
            system.states.iter().map(|s| s.term).chain(system.inputs.iter().map(|i| i.term));
        let signals: Vec<&String> =
            symbols.filter(|t| cone[t.index()]).filter_map(|t| known.get(&t)).collect();
        let text = formula(&system.terms, term, true, &|id| known.get(&id).cloned());
        conjuncts.push(json!({ "text": text, "signals": signals }));
    }
    (bits.into_iter().map(|(name, number)| json!([number, name])).collect(), conjuncts)
}

/// What states, inputs and named terms are called.
fn names_of(system: &System) -> HashMap<TermId, String> {
    let mut known: HashMap<TermId, String> = HashMap::new();
    for (term, name) in &system.names {
        known.insert(*term, name.to_string());
    }
    for (index, input) in system.inputs.iter().enumerate() {
        let name = input.name.as_deref().map_or(format!("input{index}"), str::to_owned);
        known.insert(input.term, name);
    }
    for (index, state) in system.states.iter().enumerate() {
        let name = state.name.as_deref().map_or(format!("state{index}"), str::to_owned);
        known.insert(state.term, name);
    }
    known
}

/// The name of a symbol, or of an element of an array at a constant index.
fn word_name(system: &System, known: &HashMap<TermId, String>, term: TermId) -> Option<String> {
    match *system.terms.get(term) {
        Term::Symbol(_) => known.get(&term).cloned(),
        Term::Read(array, at) => {
            system.terms.symbol_of(array)?;
            let index = system.terms.as_constant(at)?;
            Some(format!("{}[{}]", known.get(&array)?, index.to_decimal()))
        }
        _ => None,
    }
}

/// The literals of a disjunction of bits of symbols, by name; `None` if it is something else.
fn bit_clause(
    system: &System,
    known: &HashMap<TermId, String>,
    root: TermId,
) -> Option<Vec<(String, bool)>> {
    let terms = &system.terms;
    let (mut lits, mut open) = (Vec::new(), vec![(root, true)]);
    while let Some((term, holds)) = open.pop() {
        match (terms.get(term), holds) {
            (&Term::Unary(UnaryOp::Not, inner), _) => open.push((inner, !holds)),
            (&Term::Binary(BinaryOp::Or, a, b), true)
            | (&Term::Binary(BinaryOp::And, a, b), false) => open.extend([(b, holds), (a, holds)]),
            (&Term::Slice { arg, high, low }, _) if high == low => {
                let name = word_name(system, known, arg)?;
                lits.push((format!("{name}[{low}]"), holds));
            }
            (Term::Symbol(_), _) if terms.sort(term) == Sort::BOOL => {
                lits.push((known.get(&term)?.clone(), holds));
            }
            _ => return None,
        }
    }
    Some(lits)
}
