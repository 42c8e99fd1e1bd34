//! Generalisation: from a cube that can be excluded to a larger one, and to a higher level.
//!
//! 1. Literals are dropped, as in PDR over bits; each query is over all edges into the location.
//! 2. Two inequalities of a cube become their sum, which contains both: `x ≤ 3 ∧ y ≤ 4` is in
//!    `x + y ≤ 7`. A Farkas interpolant is such a sum with the weights of a refutation; here
//!    weights are 1, and the query says whether the sum can be excluded.
//! 3. The lemma is tried at higher levels.
//!
//! All of it is heuristic: nothing is kept that a query does not confirm.

use super::graph::Location;
use super::options::ProgramOptions;
use super::predicates::cube;
use super::queries::{Blocked, Queries};
use crate::trace::{Level, Stopped};
use pedra_model::lit::Lit;
use pedra_model::term::{IntOp, Term};
use pedra_solve::lia::Linear;
use pedra_solve::terms::Theory;

/// Cubes with more literals are not searched for sums.
const MAX_SUMMED: usize = 8;

/// The part of a cube that is enough, if it can be excluded.
pub(super) fn part(
    queries: &mut Queries,
    at: Location,
    set: &[Lit],
    level: Level,
) -> Result<Option<Box<[Lit]>>, Stopped> {
    Ok(match queries.check_blocked(at, set, level)? {
        Blocked::Yes(core) => Some(core),
        Blocked::No(..) | Blocked::TooHard => None,
    })
}

/// A larger cube that can be excluded, too.
pub(super) fn widen(
    queries: &mut Queries,
    options: &ProgramOptions,
    at: Location,
    mut set: Box<[Lit]>,
    level: Level,
) -> Result<Box<[Lit]>, Stopped> {
    // Heuristic order: the youngest predicates are the most special ones.
    for lit in set.clone().iter().rev() {
        if !set.contains(lit) {
            continue;
        }
        let rest: Vec<Lit> = set.iter().copied().filter(|other| other != lit).collect();
        if let Some(smaller) = part(queries, at, &rest, level)? {
            set = smaller;
        }
    }
    let is_summed = options.is_full() && options.sums;
    if is_summed && queries.theory() == Theory::Integers {
        set = sum_up(queries, at, set, level)?;
    }
    Ok(set)
}

/// Replaces two inequalities by their sum, as long as that can be excluded.
fn sum_up(
    queries: &mut Queries,
    at: Location,
    mut set: Box<[Lit]>,
    level: Level,
) -> Result<Box<[Lit]>, Stopped> {
    'again: while (2..=MAX_SUMMED).contains(&set.len()) {
        for (i, &a) in set.iter().enumerate() {
            for &b in &set[..i] {
                let Some(sum) = sum(queries, a, b) else { continue };
                let rest = set.iter().copied().filter(|&lit| lit != a && lit != b);
                let wider = cube(rest.chain([sum]).collect());
                if let Some(smaller) = part(queries, at, &wider, level)? {
                    set = smaller;
                    continue 'again;
                }
            }
        }
        break;
    }
    Ok(set)
}

/// The sum of two inequalities, unless nothing is left of it.
fn sum(queries: &mut Queries, a: Lit, b: Lit) -> Option<Lit> {
    let (a, b) = (inequality(queries, a)?, inequality(queries, b)?);
    let sum = a.plus(&b);
    if sum.terms.is_empty() {
        return None;
    }
    let Queries { graph, predicates, .. } = queries;
    let (term, is_negated) = predicates.forms.normal(&mut graph.terms, &sum);
    predicates.literal(&mut graph.terms, term, !is_negated)
}

/// `e`, if the literal says `e ≤ 0`.
pub(super) fn inequality(queries: &mut Queries, lit: Lit) -> Option<Linear> {
    let Queries { graph, predicates, .. } = queries;
    let term = predicates.term(&mut graph.terms, lit);
    match graph.terms.get(term) {
        Term::Int(IntOp::Le | IntOp::Lt | IntOp::Ge | IntOp::Gt, ..) => {
            predicates.forms.inequality(&graph.terms, term)
        }
        _ => None,
    }
}
