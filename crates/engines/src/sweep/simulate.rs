//! Simulation of 64 points at once. What it tells apart at points that matter is different.
//!
//! A *point* is a state with inputs. Each lane of the words is a separate path; a lane continues
//! only as long as the constraints hold in it. Latches may be told apart at a point before its
//! constraints are looked at, gates and inputs only if these hold (see [`super`]).

use super::classes::{Classes, word_of};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::random::Random;
use pedra_model::reduce::initial::{evaluate_gates, evaluate_initial};

/// The values of latches and inputs that a counterexample gives; the others are false.
#[derive(Clone, Default, Debug)]
pub(crate) struct Point {
    /// Variables that are true.
    pub(crate) ones: Vec<Var>,
}

/// A system with 64 values for each of its variables.
pub(crate) struct Simulator<'a> {
    system: &'a BitSystem,
    is_latch: Vec<bool>,
    /// The order of the reset functions.
    reset_order: Vec<Var>,
    random: Random,
    values: Vec<u64>,
    /// Gates evaluated since the count was last taken.
    work: u64,
}

fn not(word: u64, negated: bool) -> u64 {
    if negated { !word } else { word }
}

fn and(a: u64, b: u64) -> u64 {
    a & b
}

impl<'a> Simulator<'a> {
    /// A simulator; `reset_order` is that of [`pedra_model::reduce::initial`].
    pub fn new(system: &'a BitSystem, reset_order: Vec<Var>, seed: u64) -> Simulator<'a> {
        let mut is_latch = vec![false; system.aig.len()];
        system.latches.iter().for_each(|latch| is_latch[latch.var.index()] = true);
        let values = vec![0; system.aig.len()];
        Simulator { system, is_latch, reset_order, random: Random::new(seed), values, work: 0 }
    }

    /// The work since the last call, in evaluated gates.
    pub fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// The values of all variables in the first lane.
    pub fn first_lane(&self) -> Vec<bool> {
        self.values.iter().map(|word| word & 1 == 1).collect()
    }

    /// Goes to initial points. Lane 0 is the given one; in half of the others inputs and free
    /// latches are near to it, in the rest they are random.
    pub fn go_initial(&mut self, point: &Point) {
        self.set_leaves(point, |random, word, _| {
            let near = (word ^ random.rare()) & 0xffff_ffff;
            (word & 1) | (near & !1) | (random.biased() & !0xffff_ffff)
        });
        for latch in &self.system.latches {
            if let Some(value) = latch.reset.constant() {
                self.values[latch.var.index()] = not(0, value);
            }
        }
        evaluate_initial(self.system, &self.reset_order, &mut self.values, not, and);
        self.work += self.system.aig.len() as u64;
    }

    /// Goes to points around the given one, which is lane 0: up to lane 31 all are the same,
    /// from there on some values are complemented.
    pub fn go_around(&mut self, point: &Point) {
        self.set_leaves(point, |random, word, _| word ^ (random.rare() & !0xffff_ffff));
        self.evaluate();
    }

    /// Goes to random points.
    pub fn go_anywhere(&mut self, point: &Point) {
        self.set_leaves(point, |random, word, _| (word & 1) | (random.biased() & !1));
        self.evaluate();
    }

    /// Makes a step in all lanes. The inputs are random but for lane 0, where the point gives
    /// them.
    pub fn step(&mut self, inputs: &Point) {
        let latches = &self.system.latches;
        let state: Vec<u64> = latches.iter().map(|l| word_of(&self.values, l.next)).collect();
        self.set_leaves(
            inputs,
            |random, word, is_latch| {
                if is_latch { 0 } else { (word & 1) | (random.biased() & !1) }
            },
        );
        for (latch, word) in latches.iter().zip(state) {
            self.values[latch.var.index()] = word;
        }
        self.evaluate();
    }

    /// The values of a literal.
    pub(crate) fn word(&self, lit: Lit) -> u64 {
        word_of(&self.values, lit)
    }

    /// The lanes in which the constraints hold.
    pub fn allowed(&self) -> u64 {
        let constraints = self.system.constraints.iter();
        constraints.fold(u64::MAX, |lanes, &c| lanes & word_of(&self.values, c))
    }

    /// The lanes in which all classes agree.
    pub(super) fn agreement(&self, classes: &Classes) -> u64 {
        classes.agreement(&self.values)
    }

    /// Splits classes by points that paths may visit in `lanes`, where the constraints may or
    /// may not hold. Returns whether anything was split.
    pub(super) fn split(&self, classes: &mut Classes, lanes: u64) -> bool {
        let is_state = |var: Var| var == Var::CONST || self.is_latch[var.index()];
        let allowed = lanes & self.allowed();
        let states = lanes != allowed && classes.split_by(&self.values, lanes, is_state);
        classes.split(&self.values, allowed) || states
    }

    /// Splits classes by any points.
    pub(super) fn split_anywhere(&self, classes: &mut Classes) -> bool {
        classes.split(&self.values, u64::MAX)
    }

    /// Runs from initial points, and splits classes at every step.
    pub(super) fn run(&mut self, classes: &mut Classes, point: &Point, steps: usize) {
        self.go_initial(point);
        let mut lanes = u64::MAX;
        for step in 0..=steps {
            if step > 0 {
                self.step(&Point::default());
            }
            self.split(classes, lanes);
            lanes &= self.allowed();
            if lanes == 0 {
                return;
            }
        }
    }

    /// Sets inputs and latches: `change` gets the value that the point has, in all lanes, and
    /// whether it is a latch's.
    fn set_leaves(&mut self, point: &Point, change: impl Fn(&mut Random, u64, bool) -> u64) {
        let latches = self.system.latches.iter().map(|l| l.var);
        let leaves: Vec<Var> = self.system.inputs.iter().copied().chain(latches).collect();
        leaves.iter().for_each(|var| self.values[var.index()] = 0);
        point.ones.iter().for_each(|var| self.values[var.index()] = u64::MAX);
        for var in leaves {
            let word = self.values[var.index()];
            self.values[var.index()] = change(&mut self.random, word, self.is_latch[var.index()]);
        }
    }

    fn evaluate(&mut self) {
        evaluate_gates(self.system, &mut self.values, not, and);
        self.work += self.system.aig.len() as u64;
    }
}

/// The functions that give latches their first values.
pub(super) fn reset_function(reset: Reset) -> Option<Lit> {
    match reset {
        Reset::Zero => Some(Lit::FALSE),
        Reset::One => Some(Lit::TRUE),
        Reset::Function(f) => Some(f),
        Reset::Free => None,
    }
}
