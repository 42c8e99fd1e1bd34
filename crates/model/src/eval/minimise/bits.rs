//! Minimisation of bit-level traces.

use crate::aig::Node;
use crate::bits::{BitSystem, Reset};
use crate::eval::bits::BitSimulator;
use crate::lit::{Lit, Var};
use crate::trace::BitTrace;
use crate::value::Ternary;

/// The trace with as many input and initial bits unknown as a backward pass finds to be of no
/// importance; any value for them still leads to the violation. Unknown bits of the given trace
/// count as 0. A trace that is no violation is returned as it is.
pub fn minimise_bits(system: &BitSystem, trace: &BitTrace) -> BitTrace {
    let Some(minimised) = justify(system, trace) else { return trace.clone() };
    if is_violation(system, &minimised) { minimised } else { trace.clone() }
}

/// The values with 0 for what is unknown or missing.
fn filled(values: &[Ternary], count: usize) -> Vec<Ternary> {
    let known = |i| values.get(i).copied().and_then(Ternary::known).unwrap_or(false);
    (0..count).map(|i| known(i).into()).collect()
}

/// Runs forward, then justifies backward; `None` if the trace cannot be run.
fn justify(system: &BitSystem, trace: &BitTrace) -> Option<BitTrace> {
    let bad = *system.properties().get(trace.property)?;
    let mut simulator = BitSimulator::new(system).ok()?;
    let concrete = |step: &Vec<Ternary>| filled(step, system.inputs.len());
    let mut inputs: Vec<Vec<Ternary>> = trace.inputs.iter().map(concrete).collect();
    let mut states = Vec::with_capacity(inputs.len());
    for (k, step) in inputs.iter().enumerate() {
        match k {
            0 => {
                let initial = filled(&trace.initial, system.latches.len());
                // Given values of other latches than free ones are checked by the replay.
                let _ = simulator.start(&initial, step);
            }
            _ => simulator.step(step),
        }
        states.push(simulator.latches());
    }
    let mut pass = Justification::new(system);
    let mut targets = vec![bad];
    for (k, step) in inputs.iter_mut().enumerate().rev() {
        simulator.load(&states[k], step);
        targets.extend_from_slice(&system.constraints);
        pass.justify(&simulator, &targets, k == 0);
        for (value, var) in step.iter_mut().zip(&system.inputs) {
            if !pass.needed[var.index()] {
                *value = Ternary::Unknown;
            }
        }
        let needed = system.latches.iter().filter(|l| pass.needed[l.var.index()]);
        targets = needed.map(|l| l.next).collect();
    }
    // What is marked now belongs to the first step.
    let kept = system.latches.iter().zip(states.first()?).map(|(latch, &value)| {
        let is_kept = latch.reset == Reset::Free && pass.needed[latch.var.index()];
        if is_kept { value } else { Ternary::Unknown }
    });
    Some(BitTrace { initial: kept.collect(), inputs, ..*trace })
}

/// The backward pass through one step at a time.
struct Justification<'a> {
    system: &'a BitSystem,
    latch_of: Vec<Option<u32>>,
    /// One flag a variable: its value in the current step is needed.
    needed: Vec<bool>,
    /// How many leaves it takes, by estimate, to justify a variable's value in this step.
    costs: Vec<u32>,
    stack: Vec<Var>,
}

impl<'a> Justification<'a> {
    fn new(system: &'a BitSystem) -> Justification<'a> {
        let count = system.aig.len();
        Justification {
            system,
            latch_of: system.latch_of_var(),
            needed: vec![false; count],
            costs: vec![0; count],
            stack: Vec::new(),
        }
    }

    /// Marks what the targets' values need in the current step. In the first one a functional
    /// reset passes the need on; the walk is by a stack, since that leads in any direction.
    fn justify(&mut self, values: &BitSimulator<'_>, targets: &[Lit], is_first: bool) {
        self.needed.fill(false);
        self.estimate_costs(values, is_first);
        for target in targets {
            self.mark(*target);
        }
        while let Some(var) = self.stack.pop() {
            match self.system.aig.node(var) {
                Node::Const => {}
                Node::Leaf if is_first => self.mark_reset(var),
                Node::Leaf => {}
                Node::And(a, b) => match (values.value(a), values.value(b)) {
                    (Ternary::False, Ternary::False) => self.mark(self.cheaper(a, b)),
                    (Ternary::False, _) => self.mark(a),
                    (_, Ternary::False) => self.mark(b),
                    _ => {
                        self.mark(a);
                        self.mark(b);
                    }
                },
            }
        }
    }

    fn mark(&mut self, lit: Lit) {
        if !std::mem::replace(&mut self.needed[lit.var().index()], true) {
            self.stack.push(lit.var());
        }
    }

    fn mark_reset(&mut self, var: Var) {
        let latch = self.latch_of[var.index()].map(|i| self.system.latches[i as usize]);
        if let Some(Reset::Function(function)) = latch.map(|l| l.reset) {
            self.mark(function);
        }
    }

    /// Of two operands that are both 0 the one that is needed anyway, or else the cheaper one.
    fn cheaper(&self, a: Lit, b: Lit) -> Lit {
        let rank = |l: Lit| {
            let index = l.var().index();
            (!self.needed[index], self.costs[index])
        };
        if rank(b) < rank(a) { b } else { a }
    }

    fn estimate_costs(&mut self, values: &BitSimulator<'_>, is_first: bool) {
        for var in &self.system.inputs {
            self.costs[var.index()] = 1;
        }
        for latch in &self.system.latches {
            let is_given = is_first && latch.reset.constant().is_some();
            self.costs[latch.var.index()] = !is_given as u32;
        }
        for (var, a, b) in self.system.aig.gates() {
            let (left, right) = (self.costs[a.var().index()], self.costs[b.var().index()]);
            let as_reason = |lit, cost| {
                if values.value(lit) == Ternary::False { cost } else { u32::MAX }
            };
            // One operand that is 0, or else both; without branches, which nobody can predict.
            let one = as_reason(a, left).min(as_reason(b, right));
            let both = left.saturating_add(right).min(u32::MAX - 1);
            let cost = if one == u32::MAX { both } else { one };
            self.costs[var.index()] = cost;
        }
    }
}

/// Whether replay with unknown bits shows the violation for sure.
fn is_violation(system: &BitSystem, trace: &BitTrace) -> bool {
    let Some(&bad) = system.properties().get(trace.property) else { return false };
    let Ok(mut simulator) = BitSimulator::new(system) else { return false };
    for (k, inputs) in trace.inputs.iter().enumerate() {
        match k {
            0 if simulator.start(&trace.initial, inputs).is_err() => return false,
            0 => {}
            _ => simulator.step(inputs),
        }
        if system.constraints.iter().any(|&c| simulator.value(c) != Ternary::True) {
            return false;
        }
    }
    !trace.inputs.is_empty() && simulator.value(bad) == Ternary::True
}
