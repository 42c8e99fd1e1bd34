//! Interpolants: from a cube that can be excluded to sums of its inequalities that can be.
//!
//! The slides name interpolation as what is missing, and Ultimate's does not generalise: it
//! excludes the cube as it was. Here the interpolant takes the place of the cube, and it is one for
//! all edges into the location together.
//!
//! A. Albarghouthi, K. L. McMillan: *Beautiful Interpolants* (CAV 2013), with the cube on one side
//! and the edges on the other. An edge is sampled: a *case* is one path of it, with what the
//! frame below says there. For the cases so far there is a sum of the cube's inequalities,
//! one half-space that contradicts all of them if there is one, else one for each group of cases
//! ([`common_weights`]). The query says whether these half-spaces can be excluded; if not, its
//! model is the next case. So weights come from refutations, and no proof of the solver is needed.
//!
//! Heuristic: nothing is kept that a query does not confirm. Each half-space contains the cube,
//! since weights are not negative.

use super::generalize::inequality;
use super::graph::{EdgeId, Location};
use super::implicant::implicant_with;
use super::predecessor::integers_compared;
use super::predicates::cube;
use super::queries::{Blocked, Model, Queries};
use crate::trace::{Level, Stopped};
use pedra_model::lit::Lit;
use pedra_model::term::{Sort, TermId};
use pedra_solve::lia::{Case, Constraint, IntVar, Linear, common_weights};
use rustc_hash::FxHashMap;

/// Cases beyond this number are not looked at.
const MAX_CASES: usize = 16;

/// Cases with a half-space that contradicts all of them.
#[derive(Default)]
struct Group {
    cases: Vec<Case>,
    half_space: Option<Lit>,
}

/// A cube of half-spaces that contains a cube and can be excluded from `F_i` as it can. `None` if
/// none is found.
pub(super) fn find_interpolant(
    queries: &mut Queries,
    at: Location,
    set: &[Lit],
    level: Level,
) -> Result<Option<Box<[Lit]>>, Stopped> {
    let (mut sums, mut others) = (Vec::new(), Vec::new());
    for &lit in set {
        match inequality(queries, lit) {
            Some(e) => sums.push(e),
            None => others.push(lit),
        }
    }
    // One inequality is its own interpolant.
    if sums.len() < 2 {
        return Ok(None);
    }
    let mut groups: Vec<Group> = Vec::new();
    for _ in 0..MAX_CASES {
        let found = groups.iter().filter_map(|group| group.half_space);
        let wider = cube(others.iter().copied().chain(found).collect());
        let (edge, model) = match queries.check_blocked(at, &wider, level)? {
            Blocked::Yes(core) => return Ok(Some(core)),
            Blocked::TooHard => return Ok(None),
            Blocked::No(edge, model) => (edge, model),
        };
        let case = case(queries, (edge, &model), set, &sums, level);
        if !place(queries, &mut groups, case, &sums) {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Adds a case to the first group for which there is still one half-space, or to a new one.
fn place(queries: &mut Queries, groups: &mut Vec<Group>, case: Case, sums: &[Linear]) -> bool {
    groups.push(Group::default());
    let is_placed = groups.iter_mut().any(|group| {
        group.cases.push(case.clone());
        let weights = common_weights(sums, &group.cases, queries.interrupt());
        let found = weights.and_then(|weights| {
            let scaled = sums.iter().zip(&weights).map(|(e, weight)| e.scale(weight));
            half_space(queries, &scaled.fold(Linear::constant(0), |sum, e| sum.plus(&e)))
        });
        match found {
            Some(_) => group.half_space = found,
            None => drop(group.cases.pop()),
        }
        found.is_some()
    });
    groups.retain(|group| !group.cases.is_empty());
    is_placed
}

/// The literal of `e ≤ 0`, unless nothing is left of it.
pub(super) fn half_space(queries: &mut Queries, e: &Linear) -> Option<Lit> {
    if e.terms.is_empty() {
        return None;
    }
    let Queries { graph, predicates, .. } = queries;
    let (term, is_negated) = predicates.forms.normal(&mut graph.terms, e);
    predicates.literal(&mut graph.terms, term, !is_negated)
}

/// The path that a model takes along an edge: what the question about the cube assumes there, and
/// what the sums of the cube's literals are before it. `¬c` is that of the cube itself, which
/// follows from that of anything wider.
fn case(
    queries: &mut Queries,
    (edge, model): (EdgeId, &Model),
    set: &[Lit],
    sums: &[Linear],
    level: Level,
) -> Case {
    let below = if level == Level::INFINITY { level } else { level.below() };
    let premises = queries.premises(edge, set, below, 0);
    let mut vars: Vec<IntVar> = sums.iter().flat_map(|e| &e.terms).map(|(var, _)| *var).collect();
    vars.sort_unstable();
    vars.dedup();
    let mut images: Vec<TermId> = Vec::with_capacity(vars.len());
    for &var in &vars {
        let base = queries.predicates.forms.base(var);
        images.push(queries.graph.image(edge, base));
    }
    let values = queries.evaluate(model, premises.iter().chain(&images).copied());
    let terms = &mut queries.graph.terms;
    let (conditions, images) = implicant_with(terms, &values, &|_| false, premises, &images);
    debug_assert!(images.iter().all(|&image| terms.sort(image) == Sort::Int));
    let mut own: Vec<Constraint> = Vec::new();
    for (condition, holds) in conditions {
        own.extend(integers_compared(queries, condition, holds, model));
    }
    let Queries { graph, predicates, .. } = queries;
    let images = images.iter().map(|&image| predicates.forms.linear(&graph.terms, image));
    let after: FxHashMap<IntVar, Linear> = vars.into_iter().zip(images).collect();
    let before = |e: &Linear| {
        let scaled = e.terms.iter().map(|(var, factor)| after[var].scale(factor));
        scaled.fold(Linear::constant(e.constant.clone()), |sum, e| sum.plus(&e))
    };
    Case { shared: sums.iter().map(before).collect(), own }
}
