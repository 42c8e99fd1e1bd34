//! Lifting by ternary simulation (N. Eén, A. Mishchenko, R. Brayton, FMCAD 2011): values of latches
//! are taken away one after the other, and stay away as long as the target keeps its value.
//!
//! No solver is asked, but less is found than by cores of a solver: a gate of two unknown inputs
//! is unknown, even if they are opposites. Taking a value away only makes further values
//! unknown, so the order of propagation does not matter, and going back is a trail.

use super::lift::Goal;
use super::transition::Transition;
use pedra_model::aig::Node;
use pedra_model::bits::BitSystem;
use pedra_model::lit::{Lit, Var};

/// The value of a node: 0, 1, or this.
const UNKNOWN: u8 = 2;

/// The circuit, and one simulation of it.
pub(super) struct TernaryLifter {
    /// By node; `None` for leaves.
    fanins: Vec<Option<[Lit; 2]>>,
    /// By node, where its fanouts start; one more at the end.
    starts: Vec<u32>,
    fanouts: Vec<Var>,
    /// The node of each state and input variable of the solvers.
    leaves: Vec<Var>,
    /// By state variable, the circuit's literal of its value in the next step.
    next: Vec<Lit>,
    bads: Vec<Lit>,
    constraints: Vec<Lit>,
    values: Vec<u8>,
    /// Whether the target depends on a node.
    is_in_cone: Vec<bool>,
    cone: Vec<Var>,
    /// Whether a node is a target itself.
    is_goal: Vec<bool>,
    /// Nodes whose values were taken away, with the values.
    trail: Vec<(Var, u8)>,
}

impl TernaryLifter {
    /// For a system; `None` if some constraint is more than the circuit says (see `first` in
    /// `transition`).
    pub(super) fn new(system: &BitSystem, transition: &Transition) -> Option<TernaryLifter> {
        if transition.state_vars() != transition.latch_vars() {
            return None;
        }
        let aig = &system.aig;
        let gate = |var| match aig.node(var) {
            Node::And(a, b) => Some([a, b]),
            Node::Const | Node::Leaf => None,
        };
        let fanins: Vec<Option<[Lit; 2]>> = aig.vars().map(gate).collect();
        let mut starts = vec![0u32; aig.len() + 1];
        let inputs = || fanins.iter().flatten().flatten();
        inputs().for_each(|lit| starts[lit.var().index() + 1] += 1);
        (0..aig.len()).for_each(|node| starts[node + 1] += starts[node]);
        let mut ends = starts.clone();
        let mut fanouts = vec![Var::CONST; inputs().count()];
        for (node, gate) in fanins.iter().enumerate() {
            for lit in gate.iter().flatten() {
                let end = &mut ends[lit.var().index()];
                fanouts[*end as usize] = Var::new(node);
                *end += 1;
            }
        }
        let latches = system.latches.iter();
        let leaves = latches.clone().map(|latch| latch.var).chain(system.inputs.iter().copied());
        Some(TernaryLifter {
            starts,
            fanouts,
            leaves: [Var::CONST].into_iter().chain(leaves).collect(),
            next: [Lit::FALSE].into_iter().chain(latches.map(|latch| latch.next)).collect(),
            bads: system.properties().to_vec(),
            constraints: system.constraints.clone(),
            values: vec![UNKNOWN; fanins.len()],
            is_in_cone: vec![false; fanins.len()],
            cone: Vec::new(),
            is_goal: vec![false; fanins.len()],
            trail: Vec::new(),
            fanins,
        })
    }

    /// Removes literals from the cube, last ones first, as long as the inputs and what is left
    /// satisfy the goal and the constraints.
    pub(super) fn lift(&mut self, goal: Goal, inputs: &[Lit], cube: &mut Vec<Lit>) {
        let mut goals: Vec<Lit> = match goal {
            Goal::Bad(property) => vec![self.bads[property]],
            // That takes two steps, and one is simulated: nothing is dropped.
            Goal::BadAfter(_) => return,
            Goal::Cube(cube) => {
                cube.iter().map(|lit| self.next[lit.var().index()] ^ lit.is_negated()).collect()
            }
        };
        goals.extend_from_slice(&self.constraints);
        self.enter_cone(&goals);
        for lit in inputs.iter().chain(cube.iter()) {
            self.values[self.leaves[lit.var().index()].index()] = !lit.is_negated() as u8;
        }
        for place in 0..self.cone.len() {
            let var = self.cone[place];
            if self.fanins[var.index()].is_some() {
                self.values[var.index()] = self.evaluate(var);
            }
        }
        // The model determines the goal; if the simulation does not see it, nothing is lost.
        if goals.iter().all(|&lit| self.value(lit) == 1) {
            let mut place = cube.len();
            while place > 0 {
                place -= 1;
                if self.try_forget(self.leaves[cube[place].var().index()]) {
                    cube.remove(place);
                }
            }
        }
        self.leave_cone(&goals);
    }

    /// Finds the nodes that matter, in ascending order, all unknown but for the constant.
    fn enter_cone(&mut self, goals: &[Lit]) {
        let TernaryLifter { fanins, values, is_in_cone, cone, is_goal, .. } = self;
        let mut enter = |var: Var, cone: &mut Vec<Var>| {
            if !std::mem::replace(&mut is_in_cone[var.index()], true) {
                cone.push(var);
            }
        };
        for lit in goals {
            is_goal[lit.var().index()] = true;
            enter(lit.var(), cone);
        }
        let mut place = 0;
        while let Some(&var) = cone.get(place) {
            place += 1;
            for lit in fanins[var.index()].iter().flatten() {
                enter(lit.var(), cone);
            }
        }
        cone.sort_unstable();
        cone.iter().for_each(|var| values[var.index()] = UNKNOWN);
        values[Var::CONST.index()] = 0;
    }

    fn leave_cone(&mut self, goals: &[Lit]) {
        goals.iter().for_each(|lit| self.is_goal[lit.var().index()] = false);
        self.cone.drain(..).for_each(|var| self.is_in_cone[var.index()] = false);
    }

    fn value(&self, lit: Lit) -> u8 {
        match self.values[lit.var().index()] {
            UNKNOWN => UNKNOWN,
            value => value ^ lit.is_negated() as u8,
        }
    }

    /// The value of a gate from those of its inputs.
    fn evaluate(&self, var: Var) -> u8 {
        let [a, b] = self.fanins[var.index()].expect("a gate").map(|lit| self.value(lit));
        match (a, b) {
            (0, _) | (_, 0) => 0,
            (1, 1) => 1,
            _ => UNKNOWN,
        }
    }

    /// Takes the value of a leaf away, unless a goal would lose its own; says whether it did.
    fn try_forget(&mut self, leaf: Var) -> bool {
        self.trail.clear();
        let mut is_goal_lost = !self.forget(leaf);
        let mut next = 0;
        while let Some(&(var, _)) = self.trail.get(next).filter(|_| !is_goal_lost) {
            next += 1;
            let range = self.starts[var.index()] as usize..self.starts[var.index() + 1] as usize;
            for place in range {
                let gate = self.fanouts[place];
                let was_known = self.values[gate.index()] != UNKNOWN;
                if self.is_in_cone[gate.index()] && was_known && self.evaluate(gate) == UNKNOWN {
                    is_goal_lost |= !self.forget(gate);
                }
            }
        }
        if is_goal_lost {
            for (var, value) in self.trail.drain(..) {
                self.values[var.index()] = value;
            }
        }
        !is_goal_lost
    }

    /// Takes the value of a node away; says whether it was no goal.
    fn forget(&mut self, var: Var) -> bool {
        let value = std::mem::replace(&mut self.values[var.index()], UNKNOWN);
        self.trail.push((var, value));
        !self.is_goal[var.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdr::Horizon;
    use pedra_solve::{Batsat, SatResult, SatSolver};
    use pedra_testkit::bits::{BitShape, random_bits};
    use pedra_testkit::random::Random;

    /// What is left determines bad and constraints, by a solver's word; and something is dropped.
    #[test]
    fn what_is_left_is_enough() {
        let mut dropped = 0;
        for seed in 0..300 {
            let system = random_bits(&mut Random::new(seed), BitShape::default());
            let mut solver = Batsat::new();
            let transition = Transition::encode(&system, Horizon::OneStep, &mut solver);
            let Some(mut lifter) = TernaryLifter::new(&system, &transition) else { continue };
            for (property, &bad) in transition.bads.iter().enumerate() {
                let goal: Vec<Lit> = transition.constraints.iter().copied().chain([bad]).collect();
                if solver.solve(&goal) != SatResult::Sat {
                    continue;
                }
                let known = |var| {
                    let value = solver.value(Var::new(var).lit()) == Some(true);
                    Lit::new(Var::new(var), !value)
                };
                let inputs: Vec<Lit> = transition.input_vars().map(known).collect();
                let mut cube: Vec<Lit> = transition.state_vars().map(known).collect();
                let before = cube.len();
                // Values that the model left open may be wrong together.
                let all: Vec<Lit> = inputs.iter().chain(&cube).copied().collect();
                let is_model = solver.solve(&[&all[..], &goal].concat()) == SatResult::Sat;
                lifter.lift(Goal::Bad(property), &inputs, &mut cube);
                dropped += before - cube.len();
                for &lit in goal.iter().filter(|_| is_model) {
                    let assumptions: Vec<Lit> =
                        inputs.iter().chain(&cube).copied().chain([!lit]).collect();
                    let answer = solver.solve(&assumptions);
                    assert_eq!(answer, SatResult::Unsat, "seed {seed}, property {property}");
                }
            }
        }
        assert!(dropped > 100, "only {dropped} literals were dropped");
    }
}
