//! Generalisation: from a cube that can be excluded to a larger one, and to a higher level.
//!
//! 1. With integers, sums of the cube's inequalities take its place: Farkas interpolants
//!    (`interpolant`).
//! 2. Literals are dropped, as in PDR over bits; each query is over all edges into the location. If
//!    a state before an edge refutes it, that one may be excluded first: a counterexample to
//!    generalisation (Z. Hassan, A. Bradley, F. Somenzi: *Better Generalization in IC3*, FMCAD
//!    2013). It may be at another location.
//! 3. Two inequalities that are left become their sum, which contains both: `x ≤ 3 ∧ y ≤ 4` is in
//!    `x + y ≤ 7`. The query says whether it can be excluded.
//! 4. Bounds of integers are moved, where the cube is inductive at the highest level: `x ≥ 7`
//!    becomes `x ≥ 3`. Words have units for that.
//! 5. The lemma is tried at higher levels.
//!
//! All of it is heuristic: nothing is kept that a query does not confirm.

use super::graph::{Edge, EdgeId, Location};
use super::interpolant::{find_interpolant, half_space};
use super::options::ProgramOptions;
use super::predecessor::predecessor;
use super::predicates::cube;
use super::queries::{Blocked, Model, Queries};
use crate::trace::{Level, Stopped};
use pedra_model::lit::Lit;
use pedra_model::term::{IntOp, Term};
use pedra_solve::lia::{Int, Linear};
use pedra_solve::terms::Theory;

/// Cubes with more literals are not searched for sums.
const MAX_SUMMED: usize = 8;

/// How often a bound is moved.
const MAX_MOVES: usize = 24;

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

/// A larger cube that can be excluded, too, given a cube and the part of it that is enough.
/// Interpolants are those of the whole: what is not needed may still make a sum simpler.
pub(super) fn widen(
    queries: &mut Queries,
    options: &ProgramOptions,
    at: Location,
    (whole, core): (&[Lit], Box<[Lit]>),
    level: Level,
) -> Result<Box<[Lit]>, Stopped> {
    let mut set = core;
    if queries.theory() == Theory::Integers
        && options.interpolates()
        && let Some(sums) = find_interpolant(queries, at, whole, level)?
    {
        set = sums;
    }
    if !options.drops() {
        return Ok(set);
    }
    let mut set = drop_literals(queries, options.ctg(), at, set, level)?;
    if queries.theory() == Theory::Integers && options.is_full() {
        if options.sums {
            set = sum_up(queries, at, set, level)?;
        }
        if options.weaken {
            set = move_bounds(queries, at, set, level)?;
        }
    }
    Ok(set)
}

/// Drops literals one by one, as long as the rest can be excluded.
pub(super) fn drop_literals(
    queries: &mut Queries,
    ctg: usize,
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
        let mut left = ctg;
        loop {
            match queries.check_blocked(at, &rest, level)? {
                Blocked::Yes(smaller) => set = smaller,
                Blocked::No(edge, model) if left > 0 => {
                    left -= 1;
                    if exclude_ctg(queries, (edge, &model), &rest, level)? {
                        continue;
                    }
                }
                Blocked::No(..) | Blocked::TooHard => {}
            }
            break;
        }
    }
    Ok(set)
}

/// Excludes the states from which an edge leads into a cube in a model, if they can be excluded
/// from the frame below. Whether they were.
fn exclude_ctg(
    queries: &mut Queries,
    (edge, model): (EdgeId, &Model),
    set: &[Lit],
    level: Level,
) -> Result<bool, Stopped> {
    let Edge { from, ref calls, .. } = *queries.graph.edge(edge);
    let below = if level == Level::INFINITY { level } else { level.below() };
    if from == Location::ENTRY || !calls.is_empty() {
        return Ok(false);
    }
    let found = predecessor(queries, edge, set, model)?;
    let Some(core) = part(queries, from, &found, below)? else { return Ok(false) };
    let core = drop_literals(queries, 0, from, core, below)?;
    let inserted = queries.frames.insert(from, core, below);
    queries.excluded.extend(inserted);
    Ok(true)
}

/// Moves the bounds of a cube's inequalities outwards, if it can be excluded from all frames, or
/// from the highest one: at a lower level a bound says how far a few steps go.
fn move_bounds(
    queries: &mut Queries,
    at: Location,
    mut set: Box<[Lit]>,
    level: Level,
) -> Result<Box<[Lit]>, Stopped> {
    let top = queries.frames.top();
    let mut highest = None;
    for goal in [Level::INFINITY, top] {
        if goal == level || part(queries, at, &set, goal)?.is_some() {
            highest = Some(goal);
            break;
        }
    }
    let Some(highest) = highest else { return Ok(set) };
    for lit in set.clone() {
        let Some(e) = inequality(queries, lit).filter(|_| set.contains(&lit)) else { continue };
        // e − 2^n ≤ 0 for the greatest n in a row, then the same from there.
        let (mut moved, mut now, mut n) = (Int::ZERO, lit, 0);
        for _ in 0..MAX_MOVES {
            let further = &moved + &Int::from(1i64 << n);
            let Some(wider) = half_space(queries, &e.minus(&Linear::constant(further.clone())))
            else {
                break;
            };
            let rest = set.iter().copied().filter(|&other| other != now);
            let candidate = cube(rest.chain([wider]).collect());
            match part(queries, at, &candidate, highest)? {
                Some(core) if core.contains(&wider) => {
                    (set, moved, now, n) = (core, further, wider, (n + 1).min(40));
                }
                Some(core) => {
                    set = core;
                    break;
                }
                None if n == 0 => break,
                None => n = 0,
            }
        }
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
    half_space(queries, &a.plus(&b))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::fixture::{contains, errors, random_queries};
    use pedra_testkit::random::{Random, runs};

    /// What is excluded after generalisation can be, and contains what was to be excluded: no state
    /// of the cube is outside of it.
    #[test]
    fn what_is_wider_contains_the_cube_and_is_excluded() {
        let mut random = Random::new(37);
        let (options, level) = (ProgramOptions::default(), Level::new(1));
        let (mut asked, mut changed) = (0, 0);
        for round in 0..runs(200) {
            let mut queries = random_queries(&mut random, round % 2 == 0);
            for error in errors(&queries) {
                let blocked = queries.check_blocked(error, &[], Level::new(2));
                let Ok(Blocked::No(edge, model)) = blocked else { continue };
                let place = queries.graph.edge(edge).from;
                let set = predecessor(&mut queries, edge, &[], &model);
                let set = set.unwrap_or_else(|_| panic!("nothing stops it"));
                let blocked = queries.check_blocked(place, &set, level);
                let Ok(Blocked::Yes(core)) = blocked else { continue };
                let wider = widen(&mut queries, &options, place, (&set, core), level);
                let wider = wider.unwrap_or_else(|_| panic!("nothing stops it"));
                let again = queries.check_blocked(place, &wider, level);
                assert!(matches!(again, Ok(Blocked::Yes(_))), "round {round}");
                assert!(contains(&mut queries, place, &wider, &set), "round {round}");
                asked += 1;
                changed += usize::from(wider != set);
            }
        }
        assert!(asked > 30 && changed > 10, "{asked} {changed}");
    }
}
