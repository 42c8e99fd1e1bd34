//! Step-by-step simulation of bit-level systems, once with unknown bits and once with 64
//! concrete runs side by side.
//!
//! Both follow the semantics of [`crate::bits`]. The first step is special: a functional reset
//! may need gates, which may need other latches, whose resets may again be functions. The order
//! in which that resolves is fixed when the simulator is made (`ResetSchedule`).

use crate::aig::{Aig, Node};
use crate::bits::{BitSystem, Reset};
use crate::lit::{Lit, Var};
use crate::value::Ternary;
use std::fmt;

/// An initial value was given that contradicts the latch's reset.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct StartError {
    /// Which latch.
    pub latch: u32,
    /// The value that was given.
    pub given: bool,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StartError { latch, given } = *self;
        write!(f, "latch {latch} is given as {} but resets to {}", given as u8, !given as u8)
    }
}

impl std::error::Error for StartError {}

/// The gates and latches that functional resets need, each after what it needs itself.
struct ResetSchedule {
    order: Vec<Scheduled>,
}

enum Scheduled {
    Gate(Var),
    Latch(u32),
}

impl ResetSchedule {
    fn new(system: &BitSystem) -> Result<ResetSchedule, u32> {
        let mut order = Vec::new();
        let mut seen = vec![false; system.aig.len()];
        for index in system.reset_order()? {
            let Reset::Function(root) = system.latches[index as usize].reset else { continue };
            // The latches below are done already, so the gates need only their own order.
            let mut gates = unseen_gates(&system.aig, root, &mut seen);
            gates.sort_unstable();
            order.extend(gates.into_iter().map(Scheduled::Gate));
            order.push(Scheduled::Latch(index));
        }
        Ok(ResetSchedule { order })
    }
}

/// The gates below a literal that were not seen before.
fn unseen_gates(aig: &Aig, root: Lit, seen: &mut [bool]) -> Vec<Var> {
    let mut found = Vec::new();
    let mut stack = vec![root.var()];
    while let Some(var) = stack.pop() {
        if std::mem::replace(&mut seen[var.index()], true) {
            continue;
        }
        if let Node::And(a, b) = aig.node(var) {
            found.push(var);
            stack.extend([a.var(), b.var()]);
        }
    }
    found
}

/// What a simulator computes with.
trait Domain: Copy {
    /// The value of a variable nobody has set.
    const UNSET: Self;
    fn constant(value: bool) -> Self;
    fn and(self, other: Self) -> Self;
    fn flipped(self, flip: bool) -> Self;
}

/// A ternary bit as two bits, so that gates need no branches: 1 says that it may be 0, and 2
/// that it may be 1.
#[derive(Copy, Clone)]
struct Possible(u8);

impl From<Ternary> for Possible {
    fn from(value: Ternary) -> Possible {
        match value {
            Ternary::False => Possible(1),
            Ternary::True => Possible(2),
            Ternary::Unknown => Possible(3),
        }
    }
}

impl From<Possible> for Ternary {
    fn from(value: Possible) -> Ternary {
        match value.0 {
            1 => Ternary::False,
            2 => Ternary::True,
            _ => Ternary::Unknown,
        }
    }
}

impl Domain for Possible {
    const UNSET: Possible = Possible(3);
    fn constant(value: bool) -> Possible {
        Possible(1 << value as u8)
    }
    /// It may be 1 if both may, and 0 if one may.
    #[inline]
    fn and(self, other: Possible) -> Possible {
        Possible((self.0 & other.0 & 2) | ((self.0 | other.0) & 1))
    }
    #[inline]
    fn flipped(self, flip: bool) -> Possible {
        Possible((self.0 << flip as u8 | self.0 >> flip as u8) & 3)
    }
}

fn encoded(values: &[Ternary]) -> Vec<Possible> {
    values.iter().map(|&v| v.into()).collect()
}

impl Domain for u64 {
    const UNSET: u64 = 0;
    fn constant(value: bool) -> u64 {
        if value { u64::MAX } else { 0 }
    }
    #[inline]
    fn and(self, other: u64) -> u64 {
        self & other
    }
    #[inline]
    fn flipped(self, flip: bool) -> u64 {
        self ^ if flip { u64::MAX } else { 0 }
    }
}

/// The simulator over any domain: one value a variable.
struct Simulator<'a, D> {
    system: &'a BitSystem,
    schedule: ResetSchedule,
    values: Vec<D>,
}

impl<'a, D: Domain> Simulator<'a, D> {
    fn new(system: &'a BitSystem) -> Result<Self, u32> {
        let schedule = ResetSchedule::new(system)?;
        let mut values = vec![D::UNSET; system.aig.len()];
        values[0] = D::constant(false);
        Ok(Simulator { system, schedule, values })
    }

    fn value(&self, lit: Lit) -> D {
        self.values[lit.var().index()].flipped(lit.is_negated())
    }

    fn latches(&self) -> Vec<D> {
        self.system.latches.iter().map(|l| self.values[l.var.index()]).collect()
    }

    fn start(&mut self, latches: &[D], inputs: &[D]) {
        self.set_inputs(inputs);
        for (i, latch) in self.system.latches.iter().enumerate() {
            self.values[latch.var.index()] = match latch.reset {
                Reset::Zero => D::constant(false),
                Reset::One => D::constant(true),
                Reset::Free | Reset::Function(_) => latches.get(i).copied().unwrap_or(D::UNSET),
            };
        }
        for at in 0..self.schedule.order.len() {
            match self.schedule.order[at] {
                Scheduled::Gate(var) => self.evaluate_gate(var),
                Scheduled::Latch(index) => {
                    let latch = self.system.latches[index as usize];
                    if let Reset::Function(function) = latch.reset {
                        self.values[latch.var.index()] = self.value(function);
                    }
                }
            }
        }
        self.evaluate();
    }

    fn step(&mut self, inputs: &[D]) {
        let next: Vec<D> = self.system.latches.iter().map(|l| self.value(l.next)).collect();
        self.load(&next, inputs);
    }

    fn load(&mut self, latches: &[D], inputs: &[D]) {
        for (i, latch) in self.system.latches.iter().enumerate() {
            self.values[latch.var.index()] = latches.get(i).copied().unwrap_or(D::UNSET);
        }
        self.set_inputs(inputs);
        self.evaluate();
    }

    fn set_inputs(&mut self, inputs: &[D]) {
        for (i, var) in self.system.inputs.iter().enumerate() {
            self.values[var.index()] = inputs.get(i).copied().unwrap_or(D::UNSET);
        }
    }

    fn evaluate_gate(&mut self, var: Var) {
        if let Node::And(a, b) = self.system.aig.node(var) {
            self.values[var.index()] = self.value(a).and(self.value(b));
        }
    }

    fn evaluate(&mut self) {
        for (var, a, b) in self.system.aig.gates() {
            self.values[var.index()] = self.value(a).and(self.value(b));
        }
    }
}

/// A simulator with unknown bits; with none unknown it is concrete.
///
/// Lists of values may be shorter than what they are for; what is missing is unknown.
pub struct BitSimulator<'a>(Simulator<'a, Possible>);

impl<'a> BitSimulator<'a> {
    /// A simulator, or the index of a latch on a circle of reset functions.
    pub fn new(system: &'a BitSystem) -> Result<Self, u32> {
        Simulator::new(system).map(BitSimulator)
    }

    /// Goes to the first step. Latches with a free reset take the given value; the others take
    /// that of their reset, whatever is given.
    ///
    /// Fails if a given value contradicts the reset, naming the first such latch. The step is
    /// evaluated all the same.
    pub fn start(&mut self, latches: &[Ternary], inputs: &[Ternary]) -> Result<(), StartError> {
        self.0.start(&encoded(latches), &encoded(inputs));
        for (i, (latch, &given)) in self.0.system.latches.iter().zip(latches).enumerate() {
            if given.contradicts(self.value(latch.var.lit())) {
                let given = given == Ternary::True;
                return Err(StartError { latch: i as u32, given });
            }
        }
        Ok(())
    }

    /// Goes to the next step: latches take the value of their next function, then the inputs
    /// are applied.
    pub fn step(&mut self, inputs: &[Ternary]) {
        self.0.step(&encoded(inputs));
    }

    /// Evaluates one step from any state, without regard to resets.
    pub fn load(&mut self, latches: &[Ternary], inputs: &[Ternary]) {
        self.0.load(&encoded(latches), &encoded(inputs));
    }

    /// The value of a literal in the current step.
    pub fn value(&self, lit: Lit) -> Ternary {
        self.0.value(lit).into()
    }

    /// The values of the latches in the current step.
    pub fn latches(&self) -> Vec<Ternary> {
        self.0.latches().into_iter().map(Ternary::from).collect()
    }
}

/// 64 concrete runs side by side: bit `i` of every word belongs to run `i`.
///
/// Lists of values may be shorter than what they are for; what is missing is 0.
pub struct ParallelSimulator<'a>(Simulator<'a, u64>);

impl<'a> ParallelSimulator<'a> {
    /// A simulator, or the index of a latch on a circle of reset functions.
    pub fn new(system: &'a BitSystem) -> Result<Self, u32> {
        Simulator::new(system).map(ParallelSimulator)
    }

    /// Goes to the first step. Latches with a free reset take the given values; the others
    /// take those of their reset.
    pub fn start(&mut self, latches: &[u64], inputs: &[u64]) {
        self.0.start(latches, inputs);
    }

    /// Goes to the next step.
    pub fn step(&mut self, inputs: &[u64]) {
        self.0.step(inputs);
    }

    /// Evaluates one step from any states, without regard to resets.
    pub fn load(&mut self, latches: &[u64], inputs: &[u64]) {
        self.0.load(latches, inputs);
    }

    /// The values of a literal in the current step.
    pub fn value(&self, lit: Lit) -> u64 {
        self.0.value(lit)
    }

    /// The values of the latches in the current step.
    pub fn latches(&self) -> Vec<u64> {
        self.0.latches()
    }

    /// For each variable its values in the current step.
    pub fn values(&self) -> &[u64] {
        &self.0.values
    }
}
