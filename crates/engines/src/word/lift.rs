//! Obligations: from the one state of a solver's model to a unit of states that all lead to the
//! target.
//!
//! Inputs stay at the values of the model. All states of the unit must satisfy the constraints
//! with them, and go into the target: otherwise counterexamples would be spurious. Larger is
//! better, but only a heuristic.
//!
//! First the atoms of the state on which the step does not depend are dropped, by the core of a
//! lifting query. Then interval simulation (the paper's generalisation of ternary simulation)
//! relaxes what is left, bound by bound.

use super::meter;
use super::options::{UnitKind, WordOptions};
use super::problem::Problem;
use super::relative::{Relative, State, Target};
use super::samples::Dice;
use super::simulate::Simulation;
use crate::trace::Stopped;
use crate::units::Vocabulary;
use crate::units::atom::Atom;
use crate::units::unit::Unit;
use crate::units::value::{Point, WordVar};
use pedra_model::bv::Bv;

/// Both bounds of every variable at a point.
fn box_of(problem: &Problem, point: &Point) -> Vec<Atom> {
    let both = |var| {
        let value = point[crate::units::value::VarId::index(var)];
        let range = problem.var(var);
        let lower = (value > range.min()).then_some(Atom::Lower(var, value));
        let upper = (value < range.max()).then_some(Atom::Upper(var, value));
        lower.into_iter().chain(upper)
    };
    problem.var_ids().flat_map(both).collect()
}

/// All bits of the variables at a point.
fn bits_of(problem: &Problem, point: &Point) -> Vec<Atom> {
    let bits = |var| {
        let value = point[crate::units::value::VarId::index(var)];
        let width = problem.var(var).width;
        (0..width).map(move |bit| Atom::Bit(var, bit, WordVar::bit(value, bit)))
    };
    problem.var_ids().flat_map(bits).collect()
}

/// A wish for an initial state: random values for the variables that do not begin with a
/// constant.
pub(super) fn wish(problem: &Problem, dice: &mut Dice) -> Vec<Atom> {
    let mut point: Point = Vec::new();
    for var in &problem.vars {
        let bits = dice.word(var.width, &[]);
        point.push(var.int(&Bv::from_u64(var.width, bits)));
    }
    let mut atoms = bits_of(problem, &point);
    atoms.retain(|atom| match *atom {
        Atom::Bit(var, ..) => problem.var(var).init.is_none_or(|init| !problem.is_const(init)),
        _ => true,
    });
    if dice.below(2) == 0 {
        atoms.reverse();
    }
    atoms
}

/// The unit of an obligation around a found state.
pub(super) fn lift(
    relative: &mut Relative,
    simulation: Option<&mut Simulation>,
    options: &WordOptions,
    found: &State,
    target: &Target,
) -> Result<Unit, Stopped> {
    let mut atoms = box_of(&relative.problem, &found.point);
    if options.unit == UnitKind::Mixed {
        // Redundant, so that the core may choose. Numbers come first: what is assumed first is
        // more likely to be in the core. Variables that are used bit by bit have their bits only.
        let bitwise = |atom: &Atom| match *atom {
            Atom::Lower(var, _) | Atom::Upper(var, _) => relative.problem.var(var).bitwise,
            _ => false,
        };
        atoms.retain(|atom| !bitwise(atom));
        atoms.extend(bits_of(&relative.problem, &found.point));
    }
    if options.lift
        && let Some(core) = relative.lift(&atoms, &found.inputs, target)?
    {
        atoms = core;
    }
    let unit = Unit::new(atoms);
    let Some(simulation) = simulation else { return Ok(unit) };
    let before = simulation.evaluations();
    let unit = simulation.relax(&relative.problem, unit, found, target);
    relative.meter.spend((simulation.evaluations() - before) * meter::TERM);
    Ok(unit)
}
