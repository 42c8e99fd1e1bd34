//! Instances of invariants that hold for all positions ([`pedra_model::program`]).
//!
//! An invariant `∀p. I(p)` is a premise of a query by some of its instances: `I` at the positions
//! of the conclusion, and at the indices with which the query reads and writes arrays. *Sound with
//! any choice*: all of them follow from the invariant. With too few of them a correct proof is
//! refused; proofs of lifted PDR need no others.

use pedra_model::simplify::Rewriter;
use pedra_model::term::{Term, TermId, Terms};
use rustc_hash::FxHashSet;

/// How many values each position gets, and how many instances there are of one invariant.
const MAX_VALUES: usize = 12;
const MAX_INSTANCES: usize = 150;

/// Instances of conjuncts, themselves first, for a query with this goal.
pub(crate) fn instances(
    terms: &mut Terms,
    conjuncts: &[TermId],
    positions: &[TermId],
    goal: TermId,
) -> Vec<TermId> {
    let mut found = conjuncts.to_vec();
    if positions.is_empty() {
        return found;
    }
    let values = indices(terms, goal);
    let mut choices: Vec<Vec<(TermId, TermId)>> = vec![Vec::new()];
    for &position in positions {
        let sort = terms.sort(position);
        let fitting = values.iter().copied().filter(|&value| terms.sort(value) == sort);
        let fitting: Vec<TermId> = fitting.take(MAX_VALUES).collect();
        let with = |choice: &Vec<(TermId, TermId)>| {
            let more = fitting.iter().map(|&value| [&choice[..], &[(position, value)]].concat());
            std::iter::once(choice.clone()).chain(more).collect::<Vec<_>>()
        };
        choices = choices.iter().flat_map(with).collect();
        choices.truncate(MAX_INSTANCES);
    }
    let mut known: FxHashSet<TermId> = found.iter().copied().collect();
    for choice in choices.iter().filter(|choice| !choice.is_empty()) {
        let mut rewriter = Rewriter::new();
        choice.iter().for_each(|&(position, value)| rewriter.replace(position, value));
        for &conjunct in conjuncts {
            let instance = rewriter.rewrite(terms, conjunct);
            if known.insert(instance) {
                found.push(instance);
            }
        }
    }
    found
}

/// The words with which arrays are read and written, and the words that these are made of.
fn indices(terms: &Terms, goal: TermId) -> Vec<TermId> {
    let cone = terms.cone([goal]);
    let mut found: Vec<TermId> = Vec::new();
    for (_, term) in terms.iter().filter(|(id, _)| cone.get(id.index()) == Some(&true)) {
        let (Term::Read(_, at) | Term::Write(_, at, _)) = *term else { continue };
        let of = terms.cone([at]);
        let parts = (0..of.len()).rev().filter(|&i| of[i]).map(TermId::new);
        let parts =
            parts.filter(|&id| !matches!(terms.get(id), Term::Const(_) | Term::IntConst(_)));
        for part in parts.take(MAX_VALUES) {
            if !found.contains(&part) {
                found.push(part);
            }
        }
    }
    found
}
