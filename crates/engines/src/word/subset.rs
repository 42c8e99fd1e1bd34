//! Queries about many units at once: which of them hold together, and which of them are needed.

use super::relative::Relative;
use crate::trace::{Level, Stopped};
use crate::units::atom::Step;
use crate::units::unit::Unit;
use pedra_model::lit::Lit;

/// The units that have no predecessor in the invariants without all of them:
/// `F_∞ ∧ ⋀ ¬c_i ∧ C ∧ T ⟹ ¬c'` for each `c`.
pub(super) fn retain_consecutive(
    relative: &mut Relative,
    units: Vec<Unit>,
) -> Result<Vec<Unit>, Stopped> {
    let guard = relative.solver.new_guard();
    for unit in &units {
        relative.solver.assert_not(&relative.problem, guard, unit)?;
    }
    let mut kept = Vec::with_capacity(units.len());
    for unit in units {
        let primed = relative.lits(&unit, Step::Next)?;
        let premises = [relative.solver.act(Level::INFINITY), guard];
        let assumptions: Vec<Lit> = premises.into_iter().chain(primed).collect();
        if relative.solve(&assumptions, &[])? == Some(false) {
            kept.push(unit);
        }
    }
    relative.solver.retract(guard);
    Ok(kept)
}

/// Which of the units, whose exclusion is inductive and excludes these bads, suffice for that:
/// those in the core of `⋀ ¬c_i ∧ C ⟹ ¬B`, and for each of them those in the core of
/// `⋀ ¬c_i ∧ C ∧ T ⟹ ¬c'`. All, if the effort does not suffice.
pub(super) fn find_needed(
    relative: &mut Relative,
    units: &[Unit],
    bads: &[usize],
) -> Result<Vec<Unit>, Stopped> {
    let mut excluded = Vec::with_capacity(units.len());
    for unit in units {
        let guard = relative.solver.new_guard();
        relative.solver.assert_not(&relative.problem, guard, unit)?;
        excluded.push(guard);
    }
    let bads: Vec<Lit> = bads.iter().map(|&bad| relative.solver.encoder.bads[bad]).collect();
    let is_needed = close_cores(relative, units, &excluded, bads);
    excluded.into_iter().for_each(|guard| relative.solver.retract(guard));
    let Some(is_needed) = is_needed? else { return Ok(units.to_vec()) };
    let needed = units.iter().zip(is_needed).filter(|(_, is_needed)| *is_needed);
    Ok(needed.map(|(unit, _)| unit.clone()).collect())
}

/// Whether each unit, excluded by its literal, is needed; `None` if that is too hard to see.
fn close_cores(
    relative: &mut Relative,
    units: &[Unit],
    excluded: &[Lit],
    bads: Vec<Lit>,
) -> Result<Option<Vec<bool>>, Stopped> {
    let mut is_needed = vec![false; units.len()];
    let mut goals: Vec<Vec<Lit>> = bads.into_iter().map(|bad| vec![bad]).collect();
    while let Some(goal) = goals.pop() {
        let constraints = relative.solver.act_constraints();
        let premises = [constraints].into_iter().chain(excluded.iter().copied());
        let assumptions: Vec<Lit> = premises.chain(goal).collect();
        if relative.solve(&assumptions, &[])? != Some(false) {
            return Ok(None);
        }
        for (index, &guard) in excluded.iter().enumerate() {
            if relative.solver.is_failed(guard) && !std::mem::replace(&mut is_needed[index], true) {
                goals.push(relative.lits(&units[index], Step::Next)?);
            }
        }
    }
    Ok(Some(is_needed))
}
