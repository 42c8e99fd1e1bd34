//! Steps of the model that have refuted a unit, and may refute others.
//!
//! A query `F_{i−1} ∧ ¬c ∧ C ∧ T ∧ c'` that has a model gives a step `s → s'`. Whatever unit does
//! not contain `s`, but `s'`, fails for the same reason as long as `s` is in the frame, and no
//! query is needed to see it. These are the implications of ICE learning (P. Garg, C. Löding, P.
//! Madhusudan, D. Neider, CAV 2014). Proposals come in flocks of similar ones, so that a few
//! steps refute most of them.
//!
//! Heuristic: what is found here only skips queries whose answer would be no.

use super::frames::Frames;
use super::problem::Problem;
use super::relative::Found;
use super::unit::Unit;
use super::value::Point;
use crate::pdr::Level;
use pedra_model::eval::interval::{Interval, IntervalSim};
use std::collections::VecDeque;

/// So many steps are remembered, the last ones.
const MAX_STEPS: usize = 256;

/// The last steps that were found.
pub(super) struct Steps {
    /// Computes what a state becomes; `None` for systems with variables that are no whole states.
    sim: Option<IntervalSim>,
    /// From where, with which inputs, and to where.
    steps: VecDeque<(Found, Point)>,
}

impl Steps {
    /// No steps yet.
    pub(super) fn new(problem: &Problem) -> Steps {
        let nexts = problem.vars.iter().map(|var| var.next);
        let sim = problem.is_plain.then(|| IntervalSim::new(&problem.terms, nexts));
        Steps { sim, steps: VecDeque::new() }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Remembers the step that a found state takes. Returns how many terms were evaluated.
    pub(super) fn add(&mut self, problem: &Problem, found: &Found) -> u64 {
        let Some(sim) = &mut self.sim else { return 0 };
        let before = sim.evaluations();
        let inputs = problem.inputs.iter().copied().zip(found.inputs.iter().cloned());
        let vars = problem.vars.iter().zip(&found.point).map(|(var, &x)| (var.term, var.bv(x)));
        sim.set_all(inputs.chain(vars).map(|(id, value)| (id, Interval::between(&value, &value))));
        let next = problem.vars.iter().map(|var| Some(var.int(&sim.value(var.next).as_point()?)));
        if let Some(next) = next.collect() {
            if self.steps.len() == MAX_STEPS {
                self.steps.pop_front();
            }
            self.steps.push_back((found.clone(), next));
        }
        sim.evaluations() - before
    }

    /// A state of `F_{i−1}` outside of the unit from which a step leads into it. The youngest
    /// first: its state is the most likely to be in the frame.
    pub(super) fn refuting(&self, frames: &Frames, unit: &Unit, level: Level) -> Option<&Found> {
        let below = match level.finite() {
            None => Level::INFINITY,
            // Which states are initial is not known here.
            Some(0 | 1) => return None,
            Some(_) => level.below(),
        };
        let refutes = |(found, next): &&(Found, Point)| {
            unit.contains(next)
                && unit.excludes(&found.point)
                && frames.lemmas(below).all(|lemma| lemma.unit.excludes(&found.point))
        };
        self.steps.iter().rev().find(refutes).map(|(found, _)| found)
    }
}
