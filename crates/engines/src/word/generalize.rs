//! From a blocked obligation to a lemma: the paper's `expand`, with cores.
//!
//! 1. Core: atoms that the query did not need are dropped.
//! 2. Each remaining atom is dropped if the rest can still be excluded.
//! 3. The bounds of what remains are relaxed by galloping and bisection. With `¬c` as hypothesis
//!    validity is not monotone in a bound, so what is kept is always what was checked last.
//!
//! Each check is of both conditions, (i) and (ii) of
//! [`check_inductive`](Relative::check_inductive); the paper tests the second only, and frames
//! would lose initial states.

use super::atom::Atom;
use super::options::WordOptions;
use super::relative::{Answer, Relative};
use super::reshape::{Failed, reshape};
use super::unit::Unit;
use super::value::Int;
use crate::context::Context;
use crate::trace::{Lemmas, Level, Stopped};

/// Relaxing a bound costs at most this many queries.
const MAX_STEPS: usize = 80;

/// Whether a unit can be excluded from `F_i`; then also a unit that covers it.
pub(super) fn find_inductive(
    relative: &mut Relative,
    unit: &Unit,
    level: Level,
) -> Result<Option<Unit>, Stopped> {
    Ok(match relative.check_inductive(unit, level)? {
        Answer::Inductive(core) => Some(core),
        Answer::No | Answer::Predecessor(_) => None,
    })
}

/// Expands a unit that can be excluded from `F_i`, and excludes the result: from `F_j`, for the
/// `j` that is returned.
pub(super) fn learn(
    relative: &mut Relative,
    context: &Context,
    options: &WordOptions,
    failed: &mut Failed,
    unit: &Unit,
    core: Unit,
    level: Level,
) -> Result<Level, Stopped> {
    let (mut lemma, mut level) = (core, level);
    if options.highest {
        (lemma, level) = find_highest(relative, unit, lemma, level)?;
    }
    lemma = expand(relative, lemma, level)?;
    if options.arity >= 2 {
        relative.note_shape(&lemma);
        lemma = reshape(relative, options, failed, lemma, level)?;
    }
    // Push to higher levels while that holds.
    let top = relative.trace().top();
    while level < top {
        let Some(core) = find_inductive(relative, &lemma, level.above())? else { break };
        (lemma, level) = (core, level.above());
    }
    relative.add_lemma(context, (), Box::new(lemma), level)?;
    Ok(level)
}

/// The highest level at which the unit (or its core) can be excluded, and a unit that covers it
/// there.
fn find_highest(
    relative: &mut Relative,
    unit: &Unit,
    core: Unit,
    level: Level,
) -> Result<(Unit, Level), Stopped> {
    for candidate in [&core, unit] {
        if let Some(found) = find_inductive(relative, candidate, Level::INFINITY)? {
            return Ok((found, Level::INFINITY));
        }
    }
    let top = relative.trace().top();
    if level < top {
        for candidate in [&core, unit] {
            if let Some(found) = find_inductive(relative, candidate, top)? {
                return Ok((found, top));
            }
        }
    }
    Ok((core, level))
}

/// The order in which atoms are given up: bits before numbers, bounds before half-spaces.
fn rank(relative: &Relative, atom: &Atom) -> u8 {
    match *atom {
        Atom::Bit(var, ..) => 3 * relative.problem.var(var).bitwise as u8,
        Atom::Upper(..) | Atom::Lower(..) => 1,
        Atom::Lin(..) => 2,
        Atom::Cong { .. } => 3,
        Atom::Bad(_) => 4,
    }
}

/// Expands a unit that can be excluded from `F_i`.
pub(super) fn expand(relative: &mut Relative, unit: Unit, level: Level) -> Result<Unit, Stopped> {
    let unit = drop_atoms(relative, unit, level)?;
    relax_bounds(relative, unit, level)
}

/// Step 2.
fn drop_atoms(relative: &mut Relative, mut unit: Unit, level: Level) -> Result<Unit, Stopped> {
    let mut order = unit.atoms().to_vec();
    order.sort_by_key(|atom| rank(relative, atom));
    for atom in order {
        if unit.atoms().len() == 1 {
            break;
        }
        if unit.atoms().contains(&atom) {
            let smaller = unit.without(&atom);
            if let Some(core) = find_inductive(relative, &smaller, level)? {
                unit = core;
            }
        }
    }
    Ok(unit)
}

/// Step 3.
pub(super) fn relax_bounds(
    relative: &mut Relative,
    mut unit: Unit,
    level: Level,
) -> Result<Unit, Stopped> {
    for atom in unit.atoms().to_vec() {
        if !unit.atoms().contains(&atom) {
            // A core did without it.
            continue;
        }
        let (value, end, direction) = match atom {
            Atom::Lower(var, v) => (v, relative.problem.var(var).min(), -1),
            Atom::Upper(var, v) => (v, relative.problem.var(var).max(), 1),
            Atom::Lin(ref sum, b) => {
                let vars = |v| (relative.problem.var(v).min(), relative.problem.var(v).max());
                (b, sum.range(vars).1, 1)
            }
            _ => continue,
        };
        // The end itself is what dropping the atom would have been.
        let end = end - direction;
        let moved = |value: Int| match atom {
            Atom::Lower(var, _) => Atom::Lower(var, value),
            Atom::Upper(var, _) => Atom::Upper(var, value),
            Atom::Lin(ref sum, _) => Atom::Lin(sum.clone(), value),
            _ => unreachable!("only bounds get here"),
        };
        let mut steps = 0;
        let base = unit.clone();
        let mut best = None;
        let mut stopped = Ok(());
        super::simulate::gallop(value, end, direction, |value| {
            steps += 1;
            if steps > MAX_STEPS || stopped.is_err() {
                return false;
            }
            let candidate = base.with(&atom, moved(value));
            match find_inductive(relative, &candidate, level) {
                Ok(None) => false,
                Ok(Some(core)) => {
                    best = Some(core);
                    true
                }
                Err(error) => {
                    stopped = Err(error);
                    false
                }
            }
        });
        stopped?;
        // What was accepted last is the furthest.
        unit = best.unwrap_or(unit);
    }
    Ok(unit)
}
