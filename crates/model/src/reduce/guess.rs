//! A first guess at which latches are equal, by simulation: what it tells apart is different,
//! what it does not may be equal. Words of 64 runs are far cheaper than building functions, so
//! most of the splitting of [`super::duplicate`] is done here.
//!
//! First, some runs start from initial states. Then come single steps from random states in
//! which the members of each class agree. If two members disagree after such a step, no stable
//! partition that refines this one has them together: its classes are smaller, so its members
//! agree in that state as well, and would have to agree after the step. So no guess is lost.

use super::initial::{evaluate_gates, evaluate_initial};
use crate::bits::{BitSystem, Reset};
use crate::lit::{Lit, Var};
use crate::random::Random;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Steps of the runs from initial states. All constants here are tuning only.
const STEPS_FROM_RESET: usize = 8;
/// Rounds without a split after which the random states are given up.
const QUIET_ROUNDS: usize = 2;
/// The work that all rounds together may take, in evaluated gates.
const LIMIT_GATES: usize = 1 << 26;

/// A partition of the latches, up to complement.
pub(super) struct Guess {
    /// For each latch its value in one initial state: members of a class agree relative to it.
    pub phases: Vec<bool>,
    /// The classes; latches with a free reset are alone.
    pub classes: Vec<Vec<u32>>,
}

/// Classes of latches that simulation does not tell apart. `order` is that of the reset
/// functions.
pub(super) fn guess_classes(system: &BitSystem, order: &[Var]) -> Guess {
    let mut simulation = Simulation {
        system,
        random: Random::new(0),
        values: vec![0; system.aig.len()],
        phases: Vec::new(),
        class_of: Vec::new(),
        num_classes: 0,
        together: Vec::new(),
    };
    simulation.run_from_reset(order);
    simulation.step_from_random_states();
    simulation.into_guess()
}

struct Simulation<'a> {
    system: &'a BitSystem,
    random: Random,
    /// 64 values of each variable.
    values: Vec<u64>,
    phases: Vec<bool>,
    class_of: Vec<u32>,
    num_classes: u32,
    /// The latches that are not alone in their class.
    together: Vec<u32>,
}

fn not(word: u64, negated: bool) -> u64 {
    if negated { !word } else { word }
}

fn and(a: u64, b: u64) -> u64 {
    a & b
}

impl Simulation<'_> {
    fn value_of(&self, lit: Lit) -> u64 {
        not(self.values[lit.var().index()], lit.is_negated())
    }

    /// The first partition, by some runs from initial states, the constraints ignored.
    fn run_from_reset(&mut self, order: &[Var]) {
        let system = self.system;
        for latch in &system.latches {
            self.values[latch.var.index()] = match latch.reset.constant() {
                Some(value) => not(0, value),
                None => self.random.word(),
            };
        }
        self.randomize_inputs();
        evaluate_initial(system, order, &mut self.values, not, and);
        let mut state: Vec<u64> =
            system.latches.iter().map(|l| self.values[l.var.index()]).collect();
        self.phases = state.iter().map(|word| word & 1 == 1).collect();
        let mut hashers = vec![FxHasher::default(); state.len()];
        for step in 0.. {
            for ((hasher, &word), &phase) in hashers.iter_mut().zip(&state).zip(&self.phases) {
                hasher.write_u64(not(word, phase));
            }
            if step == STEPS_FROM_RESET {
                break;
            }
            state = system.latches.iter().map(|l| self.value_of(l.next)).collect();
            for (&word, latch) in state.iter().zip(&system.latches) {
                self.values[latch.var.index()] = word;
            }
            self.randomize_inputs();
            evaluate_gates(system, &mut self.values, not, and);
        }
        self.class_of = vec![0; system.latches.len()];
        let is_free = |l: &u32| system.latches[*l as usize].reset == Reset::Free;
        let all = 0..system.latches.len() as u32;
        self.together = all.clone().filter(|l| !is_free(l)).collect();
        // Class 0 is that of all which have a fixed reset.
        self.num_classes = 1;
        for l in all.filter(is_free) {
            self.class_of[l as usize] = self.num_classes;
            self.num_classes += 1;
        }
        self.split(|_, l| hashers[l].finish());
    }

    fn randomize_inputs(&mut self) {
        for i in 0..self.system.inputs.len() {
            let word = self.random.biased();
            self.values[self.system.inputs[i].index()] = word;
        }
    }

    /// Splits by single steps from states in which classes agree, until that finds nothing or
    /// enough work is done.
    fn step_from_random_states(&mut self) {
        let system = self.system;
        let mut gates: Vec<(Var, Lit, Lit)> = Vec::new();
        let mut together_then = usize::MAX;
        let (mut quiet, mut work) = (0, 0);
        while !self.together.is_empty() && quiet < QUIET_ROUNDS && work < LIMIT_GATES {
            // Only gates that latches in question depend on; again when half of them settled.
            if self.together.len() <= together_then / 2 {
                together_then = self.together.len();
                let latches = self.together.iter().map(|&l| &system.latches[l as usize]);
                let functions = latches.flat_map(|l| match l.reset {
                    Reset::Function(f) => [l.next, f],
                    _ => [l.next, l.next],
                });
                let in_cone = system.aig.cone(functions);
                gates = system.aig.gates().filter(|g| in_cone[g.0.index()]).collect();
            }
            // Hashing a latch takes as long as some gates.
            work += gates.len() + 4 * system.latches.len() + 16 * self.together.len();
            self.randomize_inputs();
            let words: Vec<u64> = (0..self.num_classes).map(|_| self.random.biased()).collect();
            for (l, latch) in system.latches.iter().enumerate() {
                let word = words[self.class_of[l] as usize];
                self.values[latch.var.index()] = not(word, self.phases[l]);
            }
            for &(var, a, b) in &gates {
                self.values[var.index()] = self.value_of(a) & self.value_of(b);
            }
            let split = self.split(|this, l| {
                let latch = &system.latches[l];
                let next = not(this.value_of(latch.next), this.phases[l]);
                let reset = match latch.reset {
                    Reset::Function(f) => not(this.value_of(f), this.phases[l]),
                    _ => 0,
                };
                let mut hasher = FxHasher::default();
                (next, reset).hash(&mut hasher);
                hasher.finish()
            });
            quiet = if split { 0 } else { quiet + 1 };
        }
    }

    /// Splits classes by a signature of their members; returns whether any was split.
    fn split(&mut self, signature: impl Fn(&Self, usize) -> u64) -> bool {
        let before = self.num_classes;
        let mut parts: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        let mut old_is_taken = vec![false; self.num_classes as usize];
        let mut sizes = vec![0u32; self.num_classes as usize];
        for i in 0..self.together.len() {
            let l = self.together[i] as usize;
            let old = self.class_of[l];
            let part = *parts.entry((old, signature(self, l))).or_insert_with(|| {
                // The first part keeps the number of the class.
                if !std::mem::replace(&mut old_is_taken[old as usize], true) {
                    return old;
                }
                self.num_classes += 1;
                sizes.push(0);
                self.num_classes - 1
            });
            self.class_of[l] = part;
            sizes[part as usize] += 1;
        }
        let class_of = &self.class_of;
        self.together.retain(|&l| sizes[class_of[l as usize] as usize] > 1);
        self.num_classes > before
    }

    fn into_guess(self) -> Guess {
        let mut classes: Vec<Vec<u32>> = Vec::new();
        let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
        for (l, &class) in self.class_of.iter().enumerate() {
            let number = *numbers.entry(class).or_insert(classes.len());
            if number == classes.len() {
                classes.push(Vec::new());
            }
            classes[number].push(l as u32);
        }
        Guess { phases: self.phases, classes }
    }
}
