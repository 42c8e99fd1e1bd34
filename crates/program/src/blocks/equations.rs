//! Guards that say what an input is: the disjuncts that do, and the equations solved.

use super::Block;
use crate::passes::symbols_of;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};

/// A guard is divided into at most this many cases. Heuristic: each is an edge of its own.
const MAX_CASES: usize = 64;

/// The parts of a conjunction, or of a disjunction.
fn parts(terms: &Terms, op: BinaryOp, term: TermId) -> Vec<TermId> {
    let (mut found, mut stack) = (Vec::new(), vec![term]);
    while let Some(term) = stack.pop() {
        match *terms.get(term) {
            Term::Binary(of, a, b) if of == op && terms.sort(term) == Sort::BOOL => {
                stack.extend([b, a]);
            }
            _ => found.push(term),
        }
    }
    found
}

/// What a condition says an input is: `input = term`, where the term does not depend on it.
fn definition(terms: &mut Terms, inputs: &[TermId], condition: TermId) -> Option<(TermId, TermId)> {
    let is_input = |term: TermId| inputs.binary_search(&term).is_ok();
    match *terms.get(condition) {
        Term::Symbol(_) if is_input(condition) => Some((condition, terms.bool(true))),
        Term::Unary(UnaryOp::Not, a) if is_input(a) => Some((a, terms.bool(false))),
        Term::Binary(BinaryOp::Eq, a, b) => {
            let depends = |on: TermId, term: TermId| symbols_of(terms, [term]).contains(&on);
            match (is_input(a), is_input(b)) {
                (true, _) if !depends(a, b) => Some((a, b)),
                (_, true) if !depends(b, a) => Some((b, a)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The guard as several, of which one holds where the guard does: disjunctions whose parts say what
/// an input of several bits is are divided.
pub(super) fn cases(terms: &mut Terms, inputs: &[TermId], guard: TermId) -> Vec<TermId> {
    let (mut open, mut done) = (vec![guard], Vec::new());
    while let Some(guard) = open.pop() {
        let conjuncts = parts(terms, BinaryOp::And, guard);
        let divided = conjuncts.iter().enumerate().find_map(|(at, &conjunct)| {
            let disjuncts = parts(terms, BinaryOp::Or, conjunct);
            let is_telling =
                disjuncts.len() > 1 && disjuncts.iter().any(|&d| tells(terms, inputs, d));
            is_telling.then_some((at, disjuncts))
        });
        match divided {
            Some((at, disjuncts)) if open.len() + done.len() + disjuncts.len() <= MAX_CASES => {
                for disjunct in disjuncts {
                    let mut case = disjunct;
                    let rest = conjuncts.iter().enumerate().filter(|(other, _)| *other != at);
                    for (_, &conjunct) in rest {
                        case = terms.and(case, conjunct);
                    }
                    open.push(case);
                }
            }
            _ => done.push(guard),
        }
    }
    done
}

/// Whether a disjunct says what an input of several bits is.
fn tells(terms: &mut Terms, inputs: &[TermId], disjunct: TermId) -> bool {
    parts(terms, BinaryOp::And, disjunct).into_iter().any(|conjunct| {
        let defined = definition(terms, inputs, conjunct);
        defined.is_some_and(|(input, _)| terms.sort(input) != Sort::BOOL)
    })
}

/// Replaces inputs by what the guard says they are.
pub(super) fn solve(terms: &mut Terms, inputs: &[TermId], block: &mut Block) {
    'again: loop {
        let conjuncts = parts(terms, BinaryOp::And, block.guard);
        for (at, &conjunct) in conjuncts.iter().enumerate() {
            let Some((input, term)) = definition(terms, inputs, conjunct) else { continue };
            let mut rewriter = Rewriter::new();
            rewriter.replace(input, term);
            let mut guard = terms.bool(true);
            for (other, &conjunct) in conjuncts.iter().enumerate() {
                if other != at {
                    let conjunct = rewriter.rewrite(terms, conjunct);
                    guard = terms.and(guard, conjunct);
                }
            }
            block.guard = guard;
            for value in &mut block.values {
                *value = rewriter.rewrite(terms, *value);
            }
            for (_, known) in &mut block.defined {
                *known = rewriter.rewrite(terms, *known);
            }
            block.defined.push((input, term));
            continue 'again;
        }
        return;
    }
}
