//! Steps of the model that have refuted a unit, and may refute others.
//!
//! A query `F_{i−1} ∧ ¬c ∧ C ∧ T ∧ c'` that has a model gives a step `s → s'`. A unit that contains
//! `s'` but not `s` fails for the same reason as long as `s` is in the frame, and no query is
//! needed to see this. These are the implications of ICE learning (P. Garg, C. Löding, P.
//! Madhusudan, D. Neider, CAV 2014). Proposals come in groups of similar ones, so a few steps
//! refute most of them.
//!
//! Heuristic: this only skips queries whose answer would be no.

use super::problem::Problem;
use super::relative::State;
use crate::trace::Level;
use crate::units::unit::{Frames, Unit};
use crate::units::value::Point;
use pedra_model::eval::interval::{Interval, IntervalSim};
use std::collections::VecDeque;

/// How many steps are remembered, the last ones.
const MAX_STEPS: usize = 256;

/// The last steps that were found.
pub(super) struct Steps {
    /// Computes what a state becomes; `None` for systems with variables that are no whole states.
    sim: Option<IntervalSim>,
    /// From where, with which inputs, and to where.
    steps: VecDeque<(State, Point)>,
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
    pub(super) fn add(&mut self, problem: &Problem, found: &State) -> u64 {
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

    /// A state of `F_{i−1}` outside the unit from which a step leads into it. The youngest
    /// first: its state is the most likely to be in the frame.
    pub(super) fn refuting(&self, frames: &Frames, unit: &Unit, level: Level) -> Option<&State> {
        let below = match level.finite() {
            None => Level::INFINITY,
            // Which states are initial is not known here.
            Some(0 | 1) => return None,
            Some(_) => level.below(),
        };
        let refutes = |(found, next): &&(State, Point)| {
            unit.contains(next)
                && unit.excludes(&found.point)
                && frames.sets((), below).all(|unit| unit.excludes(&found.point))
        };
        self.steps.iter().rev().find(refutes).map(|(found, _)| found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Scan;
    use crate::units::atom::Atom;
    use crate::units::unit::Ranges;
    use crate::units::value::VarId;
    use pedra_formats::btor2;

    const COUNTER: &str = "
        1 sort bitvec 4
        2 sort bitvec 1
        3 state 1 x
        4 inc 1 3
        5 next 1 3 4
        6 constd 1 9
        7 eq 2 3 6
        8 bad 7
    ";

    #[test]
    fn a_step_refutes_what_it_leads_into() {
        let system = btor2::read(COUNTER.as_bytes()).expect("a model");
        let problem = Problem::new(&system, &[0]).expect("words");
        let x = VarId::new(0);
        let mut frames = Frames::new([Scan(Ranges::new(&problem))]);
        let mut steps = Steps::new(&problem);
        steps.add(&problem, &State { point: vec![3], inputs: Vec::new() });
        let at_least = |value| Unit::new(vec![Atom::Lower(x, value)]);
        let is_refuted =
            |frames: &Frames, unit: &Unit, level| steps.refuting(frames, unit, level).is_some();
        assert!(is_refuted(&frames, &at_least(4), Level::INFINITY));
        assert!(!is_refuted(&frames, &at_least(3), Level::INFINITY), "3 is in it");
        assert!(!is_refuted(&frames, &at_least(5), Level::INFINITY), "4 is not in it");
        assert!(!is_refuted(&frames, &at_least(4), Level::new(1)), "3 may not be initial");
        let odd = Unit::new(vec![Atom::Bit(x, 0, true)]);
        frames.insert((), Box::new(odd), Level::INFINITY);
        assert!(!is_refuted(&frames, &at_least(4), Level::INFINITY), "3 is not in the frame");
    }
}
