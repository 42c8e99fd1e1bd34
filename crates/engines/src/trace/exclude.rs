//! Excludes a set that is known to be unreachable, for engines that prove this by other means, as
//! AVY does by interpolation.

use super::obligations::Obligation;
use super::space::{Answer, Found, ObligationOf, Space};
use super::{Level, Stopped};
use crate::context::Context;

/// Excludes a set from `F_i`. No state of it is reachable within `i` steps.
///
/// # Panics
/// If one is.
pub(crate) fn exclude<S: Space>(
    space: &mut S,
    context: &Context,
    place: S::Place,
    set: Box<S::Set>,
    level: Level,
) -> Result<(), Stopped>
where
    S::Step: Default,
{
    let mut stack = vec![(isolated::<S>(place, set), level)];
    while let Some((obligation, level)) = stack.last() {
        let (place, set, level) = (obligation.place, &obligation.set, *level);
        if space.trace().find_covering(place, set, level).is_some() {
            stack.pop();
            continue;
        }
        assert!(
            level != Level::ZERO && !space.check_meets_start(place, set)?,
            "a state that must be excluded is reachable"
        );
        match space.check_blocked(context, obligation, level, None)? {
            Answer::Predecessor(Found { place, set, .. }) => {
                stack.push((isolated::<S>(place, set), level.below()));
            }
            Answer::Inductive(core) => {
                space.generalize(context, obligation, f32::INFINITY, core, level)?;
                stack.pop();
            }
            Answer::Excluded => drop(stack.pop()),
            Answer::Smaller => {}
            Answer::TooHard => unreachable!("the effort is not limited"),
        }
    }
    Ok(())
}

/// Excludes a set from `F_i` if one query shows that this is possible; says whether it is.
pub(crate) fn try_exclude<S: Space>(
    space: &mut S,
    context: &Context,
    place: S::Place,
    set: Box<S::Set>,
    level: Level,
) -> Result<bool, Stopped>
where
    S::Step: Default,
{
    if space.check_meets_start(place, &set)? {
        return Ok(false);
    }
    let obligation = isolated::<S>(place, set);
    match space.check_blocked(context, &obligation, level, None)? {
        Answer::Inductive(core) => {
            space.generalize(context, &obligation, f32::INFINITY, core, level)?;
            Ok(true)
        }
        answer => Ok(matches!(answer, Answer::Excluded)),
    }
}

/// An obligation on its own.
fn isolated<S: Space>(place: S::Place, set: Box<S::Set>) -> ObligationOf<S>
where
    S::Step: Default,
{
    let step = S::Step::default();
    Obligation { place, set, step, successor: None, property: None, depth: 0, activity: 0.0 }
}
