//! From a blocked obligation to a lemma: the paper's `expand`, with cores.
//!
//! 1. Core: atoms that the query did not need are dropped.
//! 2. Each remaining atom is dropped if the rest can still be excluded.
//! 3. The bounds of what remains are relaxed by galloping and bisection. With `¬c` as hypothesis
//!    validity is not monotone in a bound, so what is kept is always what was checked last.
//!
//! Each check tests both conditions, (i) and (ii) of
//! [`check_inductive`](Relative::check_inductive). The paper tests only the second, so frames would
//! lose initial states.

use super::options::WordOptions;
use super::relative::Relative;
use crate::context::Context;
use crate::trace::{Lemmas, Level, Stopped};
use crate::units::Exclude;
use crate::units::expand::expand;
use crate::units::reshape::{Failed, reshape};
use crate::units::unit::Unit;

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
        lemma = reshape(relative, options.arity, failed, lemma, level)?;
    }
    // Push to higher levels while that holds.
    let top = relative.trace().top();
    while level < top {
        let Some(core) = relative.find_inductive(&lemma, level.above())? else { break };
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
        if let Some(found) = relative.find_inductive(candidate, Level::INFINITY)? {
            return Ok((found, Level::INFINITY));
        }
    }
    let top = relative.trace().top();
    if level < top {
        for candidate in [&core, unit] {
            if let Some(found) = relative.find_inductive(candidate, top)? {
                return Ok((found, top));
            }
        }
    }
    Ok((core, level))
}
