//! Variables that have few values: constants, wherever they get a new one.
//!
//! A state machine in a word (`state = 4384; … if (state == 4384)`) is control that is kept in
//! data, as bits are. For each cut point and variable, the constants that it may have there are
//! found by following assignments: a new value is a constant, a variable with few values, or a
//! choice between such. Anything else, and the entry, makes it arbitrary.

use super::{Blocks, Cut, CutId};
use crate::graph::VariableId;
use crate::passes::symbols_of;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A variable with more values is no control. Heuristic: the machines of ssh have up to 30 states.
const MAX_VALUES: usize = 48;

/// The variables of a cut point that have few values there, with these.
pub(super) type Domain = FxHashMap<VariableId, BTreeSet<TermId>>;

/// The leaves of a choice between values.
fn leaves(terms: &Terms, term: TermId) -> FxHashSet<TermId> {
    let (mut stack, mut seen, mut found) = (vec![term], FxHashSet::default(), FxHashSet::default());
    while let Some(term) = stack.pop() {
        match *terms.get(term) {
            Term::Ite(_, a, b) if seen.insert(term) => stack.extend([a, b]),
            Term::Ite(..) => {}
            _ => drop(found.insert(term)),
        }
    }
    found
}

/// The values of the variables of each cut point, words and integers, where they are few.
pub(super) fn domains(blocks: &Blocks) -> Vec<Domain> {
    let terms = &blocks.program.terms;
    let is_number = |variable: &VariableId| match terms.sort(blocks.program.term_of(*variable)) {
        Sort::Bv(width) => width > 1,
        Sort::Int => true,
        Sort::Array { .. } => false,
    };
    let variable_of: FxHashMap<TermId, VariableId> = (blocks.cuts.iter())
        .flat_map(|cut| cut.live.iter().map(|&v| (blocks.program.term_of(v), v)))
        .collect();
    let arbitrary = |cut: &Cut| cut.live.iter().copied().collect::<FxHashSet<VariableId>>();
    let mut unknown: Vec<FxHashSet<VariableId>> = vec![FxHashSet::default(); blocks.cuts.len()];
    unknown[0] = arbitrary(&blocks.cuts[0]);
    let mut known: Vec<Domain> = vec![FxHashMap::default(); blocks.cuts.len()];
    let mut changed: BTreeSet<CutId> = (0..blocks.cuts.len()).collect();
    while let Some(from) = changed.pop_first() {
        for block in &blocks.cuts[from].blocks {
            let target = &blocks.cuts[block.to];
            for (&variable, &value) in target.live.iter().zip(&block.values) {
                if !is_number(&variable) || unknown[block.to].contains(&variable) {
                    continue;
                }
                let mut values = Some(BTreeSet::new());
                for leaf in leaves(terms, value) {
                    let more = match (terms.get(leaf), variable_of.get(&leaf)) {
                        (Term::Const(_) | Term::IntConst(_), _) => Some(BTreeSet::from([leaf])),
                        (_, Some(other)) if unknown[from].contains(other) => None,
                        (_, Some(other)) => {
                            Some(known[from].get(other).cloned().unwrap_or_default())
                        }
                        _ => None,
                    };
                    values = values.zip(more).map(|(a, b)| a.union(&b).copied().collect());
                }
                let here = known[block.to].entry(variable).or_default();
                let before = here.len();
                match values {
                    Some(values) => here.extend(values),
                    None => drop(unknown[block.to].insert(variable)),
                }
                if here.len() > MAX_VALUES {
                    unknown[block.to].insert(variable);
                }
                if here.len() > before || unknown[block.to].contains(&variable) {
                    changed.insert(block.to);
                }
            }
        }
    }
    for (known, unknown) in known.iter_mut().zip(&unknown) {
        known.retain(|variable, values| !unknown.contains(variable) && values.len() > 1);
    }
    known
}

/// Those variables, of all that have few values, that guards and values compare with constants, and
/// that have most values first.
pub(super) fn controls(blocks: &Blocks, domains: &[Domain]) -> Vec<VariableId> {
    let terms = &blocks.program.terms;
    let all = blocks.cuts.iter().flat_map(|cut| &cut.blocks);
    let cone = terms.cone(all.flat_map(|block| block.values.iter().chain([&block.guard]).copied()));
    let mut compared: FxHashSet<TermId> = FxHashSet::default();
    for (_, term) in terms.iter().filter(|(id, _)| cone[id.index()]) {
        if let Term::Binary(BinaryOp::Eq | BinaryOp::Neq, a, b) = *term
            && (is_constant(terms, a) || is_constant(terms, b))
        {
            compared.extend(symbols_of(terms, [a, b]));
        }
    }
    let mut count: FxHashMap<VariableId, usize> = FxHashMap::default();
    for (&variable, values) in domains.iter().flatten() {
        if compared.contains(&blocks.program.term_of(variable)) {
            let most = count.entry(variable).or_default();
            *most = values.len().max(*most);
        }
    }
    let mut found: Vec<(usize, VariableId)> = count.into_iter().map(|(v, n)| (n, v)).collect();
    found.sort_unstable_by_key(|&(count, variable)| (std::cmp::Reverse(count), variable));
    found.into_iter().map(|(_, variable)| variable).collect()
}

fn is_constant(terms: &Terms, term: TermId) -> bool {
    matches!(terms.get(term), Term::Const(_) | Term::IntConst(_))
}

/// `term = value` for a constant value, decided at the leaves of a choice where these are
/// constants.
pub(super) fn equals(terms: &mut Terms, term: TermId, value: TermId) -> TermId {
    let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut stack = vec![term];
    while let Some(&next) = stack.last() {
        if known.contains_key(&next) {
            stack.pop();
            continue;
        }
        let is_so = match *terms.get(next) {
            Term::Ite(c, a, b) => match (known.get(&a), known.get(&b)) {
                (Some(&a), Some(&b)) => {
                    let not = terms.not(c);
                    let (a, b) = (terms.and(c, a), terms.and(not, b));
                    terms.or(a, b)
                }
                _ => {
                    stack.extend([a, b]);
                    continue;
                }
            },
            Term::Const(_) | Term::IntConst(_) => terms.bool(next == value),
            _ => terms.simplified(Term::Binary(BinaryOp::Eq, next, value)),
        };
        known.insert(next, is_so);
        stack.pop();
    }
    known[&term]
}
