//! The state after a step: obligations of the reverse direction.
//!
//! A model of a reverse query gives a state and inputs, and the successor is computed by
//! simulation, since a query knows only the next functions that it needed.
//!
//! **Structural widening** (Seufert, Scholl and others, TCAD 2022). Call a variable *private* to a
//! latch `l` if `l`'s next function is the only one that reads it and no constraint does. Let all
//! variables have their values of the model, except for the private ones that are free: inputs, and
//! latches of which the state before has no literal (every completion of it is reachable). If the
//! next function of `l` takes both values then, each value of `l` is possible together with any
//! values of the other latches. So `l` can be dropped, and all such latches at once, since no
//! variable is private to two.
//!
//! 64 simulated patterns, one of them the model, show whether a function takes both values. Missing
//! one only makes the cube longer.

use super::direction::Successors;
use super::lift::Lifted;
use super::solver::FrameSolver;
use super::transition::Transition;
use pedra_model::aig::Node;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::random::Random;

/// Which latch's next function reads a variable.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Reader {
    None,
    /// One next function alone.
    Only(u32),
    /// Several, or a constraint.
    Many,
}

/// Simulates steps, 64 patterns at once.
pub(super) struct Simulator {
    mode: Successors,
    /// The gates of next functions, inputs before outputs.
    gates: Vec<(Var, Lit, Lit)>,
    /// The leaves: their variable in the solvers, in the system, and whether an input.
    leaves: Vec<(u32, Var, bool)>,
    /// The state variables with their next functions.
    nexts: Vec<(u32, Lit)>,
    /// By variable of the system: whether it is private.
    private: Vec<bool>,
    words: Vec<u64>,
    random: Random,
}

impl Simulator {
    pub(super) fn new(system: &BitSystem, transition: &Transition, mode: Successors) -> Simulator {
        let latches = system.latches.iter().enumerate();
        let encoded = latches.filter(|(l, _)| transition.is_encoded(l + 1));
        let nexts: Vec<(u32, Lit)> = encoded.map(|(l, latch)| (l as u32 + 1, latch.next)).collect();
        let readers = readers(system, &nexts);
        let is_read = |var: Var| readers[var.index()] != Reader::None;
        let gates = system.aig.vars().filter(|&var| is_read(var));
        let gates = gates.filter_map(|var| match system.aig.node(var) {
            Node::And(a, b) => Some((var, a, b)),
            _ => None,
        });
        let latches = system.latches.iter().enumerate();
        let latches = latches.map(|(l, latch)| (l as u32 + 1, latch.var, false));
        let inputs = transition.input_vars().zip(&system.inputs);
        let inputs = inputs.map(|(number, &var)| (number as u32, var, true));
        Simulator {
            mode,
            gates: gates.collect(),
            leaves: latches.chain(inputs).filter(|&(_, var, _)| is_read(var)).collect(),
            nexts,
            private: readers.iter().map(|reader| matches!(reader, Reader::Only(_))).collect(),
            words: vec![0; system.aig.len()],
            random: Random::new(0),
        }
    }

    /// The successors of a step in the model of a frame's solver. All states of the cube
    /// `before` satisfy the query as far as their free variables are concerned; without it, only
    /// the state of the model counts.
    pub(super) fn successor(
        &mut self,
        transition: &Transition,
        model: &FrameSolver,
        before: Option<&[Lit]>,
    ) -> Lifted {
        let mut is_bound = vec![before.is_none(); transition.state_vars().end];
        for lit in before.unwrap_or_default() {
            is_bound[lit.var().index()] = true;
        }
        for i in 0..self.leaves.len() {
            let (number, var, is_input) = self.leaves[i];
            // What the model leaves open may have any value.
            let value = model.value(Var::new(number as usize).lit()) == Some(true);
            let is_free = is_input || !is_bound[number as usize];
            let mut word = if value { u64::MAX } else { 0 };
            if self.mode == Successors::Structural && is_free && self.private[var.index()] {
                word = self.random.word() & !1 | value as u64;
            }
            self.words[var.index()] = word;
        }
        for i in 0..self.gates.len() {
            let (var, a, b) = self.gates[i];
            self.words[var.index()] = self.word(a) & self.word(b);
        }
        let mut cube = Vec::with_capacity(self.nexts.len());
        for &(number, next) in &self.nexts {
            let word = self.word(next);
            if word == 0 || word == u64::MAX {
                cube.push(Lit::new(Var::new(number as usize), word == 0));
            }
        }
        let first = transition.latch_vars().end..transition.state_vars().end;
        cube.extend(first.map(|var| !Var::new(var).lit()));
        Lifted { cube, inputs: Vec::new() }
    }

    fn word(&self, lit: Lit) -> u64 {
        let word = self.words[lit.var().index()];
        if lit.is_negated() { !word } else { word }
    }
}

/// Who reads each variable of the system: readers come before what they read.
fn readers(system: &BitSystem, nexts: &[(u32, Lit)]) -> Vec<Reader> {
    let mut readers = vec![Reader::None; system.aig.len()];
    let read = |readers: &mut Vec<Reader>, lit: Lit, by: Reader| {
        let reader = &mut readers[lit.var().index()];
        *reader = if *reader == Reader::None || *reader == by { by } else { Reader::Many };
    };
    for &(number, next) in nexts {
        read(&mut readers, next, Reader::Only(number));
    }
    // Reset functions bind inputs of the first step, so they count as constraints.
    let resets = system.latches.iter().flat_map(|latch| match latch.reset {
        Reset::Function(function) => vec![function, latch.var.lit()],
        _ => Vec::new(),
    });
    for lit in system.constraints.iter().copied().chain(resets) {
        read(&mut readers, lit, Reader::Many);
    }
    for var in system.aig.vars().rev() {
        if let (Node::And(a, b), by) = (system.aig.node(var), readers[var.index()])
            && by != Reader::None
        {
            read(&mut readers, a, by);
            read(&mut readers, b, by);
        }
    }
    readers
}
