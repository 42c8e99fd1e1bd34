//! Larger units: the paper's `expand`, with cores.
//!
//! 1. Each atom is dropped if the rest can still be excluded.
//! 2. The bounds of what remains are relaxed by galloping and bisection. With `¬c` as hypothesis
//!    validity is not monotone in a bound, so what is kept is always what was checked last.

use super::atom::Atom;
use super::unit::Unit;
use super::value::Int;
use super::{Exclude, Vocabulary};
use crate::trace::{Level, Stopped};

/// Relaxing a bound costs at most this many queries.
const MAX_STEPS: usize = 80;

/// The order in which atoms are given up: bits before numbers, bounds before half-spaces.
fn rank(words: &impl Vocabulary, atom: &Atom) -> u8 {
    match *atom {
        Atom::Bit(var, ..) => 3 * words.var(var).bitwise as u8,
        Atom::Upper(..) | Atom::Lower(..) => 1,
        Atom::Lin(..) => 2,
        Atom::Cong { .. } => 3,
        Atom::Given(_) => 4,
    }
}

/// Expands a unit that can be excluded from `F_i`.
pub(crate) fn expand(frames: &mut impl Exclude, unit: Unit, level: Level) -> Result<Unit, Stopped> {
    let unit = drop_atoms(frames, unit, level)?;
    relax_bounds(frames, unit, level)
}

/// Step 1.
fn drop_atoms(frames: &mut impl Exclude, mut unit: Unit, level: Level) -> Result<Unit, Stopped> {
    let mut order = unit.atoms().to_vec();
    order.sort_by_key(|atom| rank(frames.words(), atom));
    for atom in order {
        if unit.atoms().len() == 1 {
            break;
        }
        if unit.atoms().contains(&atom) {
            let smaller = unit.without(&atom);
            if let Some(core) = frames.find_inductive(&smaller, level)? {
                unit = core;
            }
        }
    }
    Ok(unit)
}

/// Step 2.
pub(crate) fn relax_bounds(
    frames: &mut impl Exclude,
    mut unit: Unit,
    level: Level,
) -> Result<Unit, Stopped> {
    for atom in unit.atoms().to_vec() {
        if !unit.atoms().contains(&atom) {
            // A core did without it.
            continue;
        }
        let (value, end, direction) = match atom {
            Atom::Lower(var, v) => (v, frames.words().var(var).min(), -1),
            Atom::Upper(var, v) => (v, frames.words().var(var).max(), 1),
            Atom::Lin(ref sum, b) => {
                let vars = |v| (frames.words().var(v).min(), frames.words().var(v).max());
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
        gallop(value, end, direction, |value| {
            steps += 1;
            if steps > MAX_STEPS || stopped.is_err() {
                return false;
            }
            let candidate = base.with(&atom, moved(value));
            match frames.find_inductive(&candidate, level) {
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

/// The furthest value from `from` towards `end` that is accepted, as far as galloping and
/// bisection find it; `from` is. What is returned was accepted last.
pub(crate) fn gallop(
    from: Int,
    end: Int,
    direction: Int,
    mut accept: impl FnMut(Int) -> bool,
) -> Int {
    if from == end || accept(end) {
        return end;
    }
    let distance = (end - from) * direction;
    let (mut good, mut stride) = (0, 1);
    while stride < distance && accept(from + stride * direction) {
        (good, stride) = (stride, stride * 2);
    }
    let mut bad = stride.min(distance);
    while good + 1 < bad {
        let middle = good + (bad - good) / 2;
        if accept(from + middle * direction) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    from + good * direction
}
