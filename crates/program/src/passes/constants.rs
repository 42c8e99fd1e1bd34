//! Constant propagation on the graph (Kildall's, conditional as in Wegman and Zadeck's SCCP).
//!
//! For each place the variables that have one value whenever the place is reached. Edges whose
//! guard is false with these values are not followed. A guard that fixes a variable (`x = 5`, a
//! bit) tells its value behind the edge. Copies are left to the blocks, where a variable is
//! replaced by what it was assigned.
//!
//! The facts hold along every run from a place where they hold, so that at any set of places with
//! one on each cycle they are inductive: [`Constants::proof`] adds what a proof about the result
//! lacks for being one about the original. Only live variables are looked at: their values depend
//! on live variables only, so that the facts about them are inductive without the others.

use super::live::{Live, find_live};
use super::{body, step_of, symbols_of, variables_by_symbol};
use crate::graph::{Action, EdgeId, PlaceId, Program, VariableId};
use pedra_model::program::ProgramProof;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The constants of a place.
type Known = BTreeMap<VariableId, TermId>;

/// The program with constants put in, and what they are.
#[derive(Clone, Debug)]
pub struct Constants {
    /// The program; guards that never hold are false. What does not matter is as it was.
    pub program: Program,
    /// For each place whether a violation may visit it, as far as the graph says.
    is_used: Vec<bool>,
    /// For each place the live variables with one value, and the value; `None` if no run reaches
    /// it, or it does not matter.
    known: Vec<Option<Known>>,
}

impl Constants {
    /// The proof about the original that a proof about the result stands for: with the facts.
    pub fn proof(&self, mut proof: ProgramProof) -> ProgramProof {
        for (&place, invariant) in &mut proof.invariants {
            invariant.extend(self.facts(&mut proof.terms, place));
        }
        proof
    }

    /// What holds at a place, as one-bit terms of a store that extends the program's.
    fn facts(&self, terms: &mut Terms, place: PlaceId) -> Vec<TermId> {
        match &self.known[place.index()] {
            _ if !self.is_used[place.index()] => Vec::new(),
            None => vec![terms.bool(false)],
            Some(known) => {
                let fact = |(&v, &value): (&VariableId, &TermId)| {
                    terms.binary(BinaryOp::Eq, self.program.term_of(v), value)
                };
                known.iter().map(fact).collect()
            }
        }
    }
}

/// How much the analysis may hold: live variables of all places together. Larger programs are
/// left as they are.
const MAX_KNOWN: usize = 1 << 24;

/// Propagates the constants of a program without calls.
pub fn propagate_constants(program: &Program) -> Constants {
    let mut program = program.clone();
    let live = find_live(&program);
    let is_used = live.is_used.clone();
    if live.variables.iter().map(Vec::len).sum::<usize>() > MAX_KNOWN {
        let known = vec![Some(Known::new()); is_used.len()];
        return Constants { program, is_used, known };
    }
    let known = find_constants(&mut program, &live);
    let by_symbol = variables_by_symbol(&program);
    let entry = program.entry.index();
    for index in 0..program.procedures[entry].edges.len() {
        let from = program.procedures[entry].edges[index].from;
        if !is_used[from.index()] {
            continue;
        }
        let mut step = step_of(&program.procedures[entry].edges[index]).clone();
        match &known[from.index()] {
            None => step.guard = Some(program.terms.bool(false)),
            Some(known) => {
                let mut rewriter = Rewriter::new();
                let roots = step.updates.iter().map(|(_, value)| *value).chain(step.guard);
                let before = step.returns.iter().flat_map(|returns| &returns.before).copied();
                let roots = roots.chain(before);
                replace_known(&program.terms, &mut rewriter, known, &by_symbol, roots);
                let mut rewrite = |term| rewriter.rewrite(&mut program.terms, term);
                step.guard = step.guard.map(&mut rewrite);
                for (_, value) in &mut step.updates {
                    *value = rewrite(*value);
                }
                for value in step.returns.iter_mut().flat_map(|returns| &mut returns.before) {
                    *value = rewrite(*value);
                }
                step.guard = step.guard.filter(|&guard| !program.terms.is_bool(guard, true));
            }
        }
        program.procedures[entry].edges[index].action = Action::Step(step);
    }
    debug_assert_eq!(program.check(), Ok(()));
    Constants { program, is_used, known }
}

/// Replaces the variables of the terms that have a known value.
fn replace_known(
    terms: &Terms,
    rewriter: &mut Rewriter,
    known: &Known,
    by_symbol: &FxHashMap<TermId, VariableId>,
    roots: impl IntoIterator<Item = TermId>,
) {
    for symbol in symbols_of(terms, roots) {
        if let Some(&value) = by_symbol.get(&symbol).and_then(|variable| known.get(variable)) {
            rewriter.replace(symbol, value);
        }
    }
}

fn find_constants(program: &mut Program, live: &Live) -> Vec<Option<Known>> {
    let by_symbol = variables_by_symbol(program);
    let entry = body(program).entry;
    let mut known: Vec<Option<Known>> = vec![None; body(program).places.len()];
    known[entry.index()] = Some(Known::new());
    let mut is_queued = vec![false; known.len()];
    let mut queue = vec![entry];
    while let Some(place) = queue.pop() {
        is_queued[place.index()] = false;
        for &edge in &live.outgoing[place.index()] {
            let before = known[place.index()].clone().expect("queued places are reached");
            let Some(mut after) = behind(program, edge, before, &by_symbol) else { continue };
            let to = body(program).edge(edge).to;
            after.retain(|v, _| live.variables[to.index()].binary_search(v).is_ok());
            let has_changed = match &mut known[to.index()] {
                none @ None => {
                    *none = Some(after);
                    true
                }
                Some(old) => {
                    let count = old.len();
                    old.retain(|variable, value| after.get(variable) == Some(value));
                    old.len() < count
                }
            };
            if has_changed && !std::mem::replace(&mut is_queued[to.index()], true) {
                queue.push(to);
            }
        }
    }
    known
}

/// The constants behind an edge; `None` if it is never taken.
fn behind(
    program: &mut Program,
    edge: EdgeId,
    mut known: Known,
    by_symbol: &FxHashMap<TermId, VariableId>,
) -> Option<Known> {
    let step = step_of(body(program).edge(edge)).clone();
    let mut rewriter = Rewriter::new();
    let roots = step.updates.iter().map(|(_, value)| *value).chain(step.guard);
    replace_known(&program.terms, &mut rewriter, &known, by_symbol, roots);
    if let Some(guard) = step.guard {
        let guard = rewriter.rewrite(&mut program.terms, guard);
        if program.terms.is_bool(guard, false) {
            return None;
        }
        for (symbol, value) in fixed_by(&mut program.terms, guard) {
            if let Some(&variable) = by_symbol.get(&symbol) {
                known.insert(variable, value);
            }
        }
    }
    let terms = &mut program.terms;
    let updates = step.updates.iter().map(|&(v, value)| (v, rewriter.rewrite(terms, value)));
    let updates: Vec<(VariableId, TermId)> = updates.collect();
    // An unchanged variable keeps what the guard told of it.
    let of = |value: TermId, known: &Known| match is_constant(&program.terms, value) {
        true => Some(value),
        false => by_symbol.get(&value).and_then(|variable| known.get(variable)).copied(),
    };
    let values: Vec<_> = updates.into_iter().map(|(v, value)| (v, of(value, &known))).collect();
    for (variable, value) in values {
        match value {
            Some(value) => known.insert(variable, value),
            None => known.remove(&variable),
        };
    }
    Some(known)
}

fn is_constant(terms: &Terms, term: TermId) -> bool {
    matches!(terms.get(term), Term::Const(_) | Term::IntConst(_))
}

/// The symbols that have one value where a condition holds, as far as its conjuncts say so.
fn fixed_by(terms: &mut Terms, condition: TermId) -> Vec<(TermId, TermId)> {
    let mut found = Vec::new();
    let mut stack = vec![condition];
    while let Some(term) = stack.pop() {
        match *terms.get(term) {
            Term::Binary(BinaryOp::And, a, b) if terms.sort(term) == Sort::BOOL => {
                stack.extend([a, b]);
            }
            Term::Binary(BinaryOp::Eq, a, b) if is_constant(terms, b) => {
                found.push((a, b));
            }
            Term::Symbol(_) => found.push((term, terms.bool(true))),
            Term::Unary(UnaryOp::Not, a) => found.push((a, terms.bool(false))),
            _ => {}
        }
    }
    found.retain(|(symbol, _)| terms.symbol_of(*symbol).is_some());
    found
}
