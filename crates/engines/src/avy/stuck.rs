//! Larger steps. If the trace grows by several frames at a time, the query asks for bad states at
//! the last step only, and an earlier violation would be missed. The paper's way out is a system
//! that is *stuck on error* (Definition 1): from a bad state one can go on to a bad state.
//!
//! Every system can be made so. For each property `p` there is an input `e_p` and a latch `z_p`,
//! initially 0, that is set when `e_p` and `bad_p` hold and no latch of this kind is set yet. From
//! then on the constraints are void (a violation may be a dead end), and only `p` is bad. Since
//! `e_p` is free, paths that violate `p` and later another property exist as before.
//!
//! Back: a path to `z_p` is a violation of `p` where it was set. An invariant `Inv(s, z)` gives
//! `Inv(s, 0)`: with all `e_p` false, no `z_p` is ever set.

use super::Avy;
use crate::context::{Context, Engine, Outcome, Reason};
use crate::events::{Event, EventSink, NoEvents};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::proof::BitProof;
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;

/// A system that is stuck on error, and where it came from.
struct Stuck {
    system: BitSystem,
    num_vars: usize,
    num_inputs: usize,
    num_latches: usize,
}

impl Stuck {
    fn new(original: &BitSystem) -> Stuck {
        let mut system = original.clone();
        let (num_inputs, num_latches) = (system.inputs.len(), system.latches.len());
        let num_vars = system.aig.len();
        let bads = original.properties().to_vec();
        let chosen: Vec<Lit> = bads.iter().map(|_| system.add_input()).collect();
        let stuck: Vec<Lit> = bads.iter().map(|_| system.add_latch(Reset::Zero)).collect();
        let mut none = Lit::TRUE;
        for &latch in &stuck {
            none = system.aig.push_and(none, !latch);
        }
        let mut is_bad = Vec::new();
        for (p, &bad) in bads.iter().enumerate() {
            let now = system.aig.push_and(bad, none);
            is_bad.push(!system.aig.push_and(!now, !stuck[p]));
            let set = system.aig.push_and(now, chosen[p]);
            system.latches[num_latches + p].next = !system.aig.push_and(!set, !stuck[p]);
        }
        for constraint in &mut system.constraints {
            *constraint = !system.aig.push_and(!*constraint, none);
        }
        system.outputs.clear();
        system.bads = is_bad;
        Stuck { system, num_vars, num_inputs, num_latches }
    }

    /// The violation of the original system: up to where the latch was set, or to the end.
    fn trace(&self, trace: &BitTrace) -> BitTrace {
        let chosen = self.num_inputs + trace.property;
        let mut values = vec![false; self.system.aig.len()];
        let known = |value: &Ternary| value.known().unwrap_or(false);
        let mut state: Vec<bool> = trace.initial.iter().map(known).collect();
        let mut last = trace.depth();
        for (step, inputs) in trace.inputs.iter().enumerate() {
            for (latch, &value) in self.system.latches.iter().zip(&state) {
                values[latch.var.index()] = value;
            }
            for (var, value) in self.system.inputs.iter().zip(inputs) {
                values[var.index()] = known(value);
            }
            for (var, a, b) in self.system.aig.gates() {
                let of = |lit: Lit| values[lit.var().index()] != lit.is_negated();
                values[var.index()] = of(a) && of(b);
            }
            let of = |lit: Lit| values[lit.var().index()] != lit.is_negated();
            let set = self.num_latches + trace.property;
            if !state[set] && of(self.system.latches[set].next) && known(&inputs[chosen]) {
                last = step;
                break;
            }
            state = self.system.latches.iter().map(|latch| of(latch.next)).collect();
        }
        let cut = |values: &Vec<Ternary>| values[..self.num_inputs].to_vec();
        BitTrace {
            property: trace.property,
            initial: trace.initial[..self.num_latches].to_vec(),
            inputs: trace.inputs[..=last].iter().map(cut).collect(),
        }
    }

    /// The proof about the original system: what the invariant says when nothing is stuck.
    fn proof(&self, proof: &BitProof) -> BitProof {
        let shift = self.system.aig.len() - self.num_vars;
        let moved = |lit: Lit| -> Lit {
            match lit.var().index() {
                var if var < self.num_vars => lit,
                // Only latches of the new kind come up here, and they are 0.
                var if var < self.system.aig.len() => Lit::FALSE ^ lit.is_negated(),
                var => Lit::new(Var::new(var - shift), lit.is_negated()),
            }
        };
        let mut clauses = Vec::new();
        for clause in &proof.clauses {
            let mut clause: Vec<Lit> = clause.iter().map(|&lit| moved(lit)).collect();
            if !clause.contains(&Lit::TRUE) {
                clause.retain(|&lit| lit != Lit::FALSE);
                clauses.push(clause);
            }
        }
        let gates = proof.gates.iter().map(|gate| gate.map(moved)).collect();
        BitProof { gates, clauses, ..proof.clone() }
    }

    /// An answer for the original system.
    fn outcome(&self, outcome: &Outcome) -> Outcome {
        match outcome {
            Outcome::Proved(proof) => Outcome::Proved(self.proof(proof)),
            Outcome::Violated(trace) => Outcome::Violated(self.trace(trace)),
            Outcome::Unknown(unknown) => Outcome::Unknown(*unknown),
            Outcome::ProvedWords(_) | Outcome::ViolatedWords(_) => {
                unreachable!("an answer about bits")
            }
        }
    }
}

/// Passes events on: answers as those of the original system, and what holds for both systems.
/// Lemmas and obligations speak of other variables.
struct Filter<'a> {
    events: &'a dyn EventSink,
    stuck: &'a Stuck,
    /// What was settled, and told, in an earlier run.
    is_told: Vec<bool>,
}

impl EventSink for Filter<'_> {
    fn emit(&self, event: &Event) {
        match event {
            Event::Settled { property, outcome } if !self.is_told[*property] => {
                let (property, outcome) = (*property, self.stuck.outcome(outcome));
                self.events.emit(&Event::Settled { property, outcome });
            }
            Event::Depth { .. } | Event::Started { .. } | Event::Finished { .. } => {
                self.events.emit(event);
            }
            _ => {}
        }
    }
}

impl Avy<'_> {
    /// Larger steps, on a system that is stuck on error. Each run begins anew; answers stay.
    pub(super) fn run_stuck(&mut self, context: &Context) -> Vec<Outcome> {
        let stuck = Stuck::new(self.trace.system());
        let mut inner = Avy { is_stuck: true, ..Avy::new(&stuck.system, self.options) };
        let properties = 0..stuck.system.bads.len();
        let is_told = properties.map(|property| self.trace.is_settled(property)).collect();
        let filter = Filter { events: context.events, stuck: &stuck, is_told };
        let outcomes = inner.run(&Context { events: &filter, settled: None, ..context.clone() });
        // The answers were told already.
        let silent = Context { events: &NoEvents, ..context.clone() };
        let mut left = (Reason::SettledElsewhere, None);
        for (property, outcome) in outcomes.iter().enumerate() {
            match outcome {
                Outcome::Unknown(unknown) => left = (unknown.reason, unknown.safe_up_to),
                _ => self.trace.settle_once(&silent, property, stuck.outcome(outcome)),
            }
        }
        self.trace.outcomes_with(context, left.0, left.1)
    }
}
