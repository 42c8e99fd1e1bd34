//! The way back: from a reduced system to the one that it came from.
//!
//! A reduction is justified by an *invariant* of the original: clauses over its variables that
//! are jointly inductive there in the sense of [`crate::proof`], that is, under the constraints
//! `C`: `Init ∧ C ⟹ Inv` and `Inv ∧ C ∧ T ∧ C' ⟹ Inv'`. Given the invariant, each variable of
//! the reduced system has the value of some literal of the original. So a proof is lifted by
//! translating its literals and adding the invariant, and a trace by saying nothing about what
//! the reduced system does not have.
//!
//! For traces one thing more is needed. Let `E` be the part of the invariant that speaks only
//! of latches and justifies replacing latches. It holds *before* the constraints of its own step
//! are known: `Init ⟹ E` and `Inv ∧ C ∧ T ⟹ E'`. The constraints of the reduced system are
//! those of the original up to `E` alone, so a path of the reduced system obeys the original's
//! constraints: at each step `E` holds, hence `C` does, hence `Inv`, hence the next state is the
//! same. Simple paths need it too: the latches that stay determine the state in every successor,
//! whether or not the constraints hold there.

use crate::back::Back;
use crate::bits::BitSystem;
use crate::lit::{Lit, Var};
use crate::live_proof::{Argument, LiveProof};
use crate::proof::{BitProof, Proof};
use crate::trace::{BitTrace, Trace};
use crate::value::Ternary;

/// How a reduced system relates to the original.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReduceMap {
    pub(super) properties: Vec<usize>,
    pub(super) inputs: Vec<u32>,
    pub(super) latches: Vec<u32>,
    pub(super) vars: Vec<Lit>,
    pub(super) invariant: Vec<Vec<Lit>>,
}

impl ReduceMap {
    /// The map of a system onto itself, but for the choice of properties: property `i` stands
    /// for `properties[i]`.
    pub fn identity(system: &BitSystem, properties: &[usize]) -> ReduceMap {
        ReduceMap {
            properties: properties.to_vec(),
            inputs: (0..system.inputs.len() as u32).collect(),
            latches: (0..system.latches.len() as u32).collect(),
            vars: system.aig.vars().map(Var::lit).collect(),
            invariant: Vec::new(),
        }
    }

    /// This reduction and then, on its result, `later`.
    ///
    /// The invariants add up: that of `later` is inductive on the middle system, whose
    /// functions equal those of the original as long as the first invariant holds, and whose
    /// constraints do in every state that the first one's latches allow.
    pub fn then(self, later: ReduceMap) -> ReduceMap {
        let lift = |l: &Lit| self.lift_lit(*l);
        let vars = later.vars.iter().map(lift).collect();
        let lifted = later.invariant.iter().map(|c| c.iter().map(lift).collect());
        let lifted: Vec<Vec<Lit>> = lifted.collect();
        let mut invariant = self.invariant;
        invariant.extend(lifted);
        ReduceMap {
            properties: later.properties.iter().map(|&p| self.properties[p]).collect(),
            inputs: later.inputs.iter().map(|&i| self.inputs[i as usize]).collect(),
            latches: later.latches.iter().map(|&l| self.latches[l as usize]).collect(),
            vars,
            invariant,
        }
    }

    /// For each property of the reduced system the index of the original one.
    pub fn properties(&self) -> &[usize] {
        &self.properties
    }

    /// For each input of the reduced system the index of the original one.
    pub fn inputs(&self) -> &[u32] {
        &self.inputs
    }

    /// For each latch of the reduced system the index of the original one.
    pub fn latches(&self) -> &[u32] {
        &self.latches
    }

    /// For each variable of the reduced system a literal of the original that has the same
    /// value, given the invariant.
    pub fn vars(&self) -> &[Lit] {
        &self.vars
    }

    /// What justifies the reduction: clauses over the original's variables. Their conjunction
    /// holds initially and is inductive on the original, the constraints assumed: see the
    /// module's head.
    pub fn invariant(&self) -> &[Vec<Lit>] {
        &self.invariant
    }

    /// The literal of the original that equals this literal of the reduced system, given the
    /// invariant.
    ///
    /// # Panics
    /// If the literal is not one of the reduced system.
    #[inline]
    pub fn lift_lit(&self, lit: Lit) -> Lit {
        self.vars[lit.var().index()] ^ lit.is_negated()
    }

    /// The same for a literal that may be a gate of a proof: these are numbered after the
    /// variables of the system.
    fn lift_any(&self, original: &BitSystem, lit: Lit) -> Lit {
        match lit.var().index().checked_sub(self.vars.len()) {
            None => self.lift_lit(lit),
            Some(gate) => Lit::new(Var::new(original.aig.len() + gate), lit.is_negated()),
        }
    }

    /// The trace of the original. What the reduced system does not have is unknown: it is
    /// either of no influence or fixed by its reset.
    ///
    /// # Panics
    /// If the map does not belong to `original` or the trace not to the reduced system.
    pub fn lift_trace(&self, original: &BitSystem, trace: &BitTrace) -> BitTrace {
        let spread = |values: &[Ternary], places: &[u32], size: usize| {
            assert_eq!(values.len(), places.len(), "the trace is one of the reduced system");
            let mut spread = vec![Ternary::Unknown; size];
            for (&value, &place) in values.iter().zip(places) {
                spread[place as usize] = value;
            }
            spread
        };
        let inputs = original.inputs.len();
        BitTrace {
            property: self.properties[trace.property],
            initial: spread(&trace.initial, &self.latches, original.latches.len()),
            inputs: trace.inputs.iter().map(|i| spread(i, &self.inputs, inputs)).collect(),
            loop_start: trace.loop_start,
        }
    }

    /// The proof about the original: the same clauses in its literals, and the invariant.
    ///
    /// # Panics
    /// If the map does not belong to `original` or the proof not to the reduced system.
    pub fn lift_proof(&self, original: &BitSystem, proof: &BitProof) -> BitProof {
        let lift = |lit: &Lit| self.lift_any(original, *lit);
        let clauses = proof.clauses.iter().map(|c| c.iter().map(lift).collect());
        let simple_path = proof.simple_path.as_ref();
        BitProof {
            properties: proof.properties.iter().map(|&p| self.properties[p]).collect(),
            gates: proof.gates.iter().map(|[a, b]| [lift(a), lift(b)]).collect(),
            clauses: clauses.chain(self.invariant.iter().cloned()).collect(),
            k: proof.k,
            simple_path: simple_path
                .map(|latches| latches.iter().map(|&l| self.latches[l] as usize).collect()),
        }
    }
}

impl ReduceMap {
    /// The same for a proof about justice, on a monitored system. Its sets of states are lifted as
    /// literals are.
    fn lift_live(&self, original: &BitSystem, live: LiveProof) -> LiveProof {
        let LiveProof { property, mut argument, proof } = live;
        if let Argument::Rank { layers } = &mut argument {
            layers.iter_mut().for_each(|layer| *layer = self.lift_any(original, *layer));
        }
        LiveProof { property, argument, proof: self.lift_proof(original, &proof) }
    }

    /// The same where the system *under* the monitor was reduced: the leaves of the monitor are
    /// numbered after the variables of the system, as gates of a proof are, and the latches that
    /// the argument names are those of the system.
    ///
    /// # Panics
    /// As [`lift_proof`](ReduceMap::lift_proof).
    pub fn lift_under_monitor(&self, original: &BitSystem, mut live: LiveProof) -> LiveProof {
        let latch_of = |latch: usize| match latch.checked_sub(self.latches.len()) {
            None => self.latches[latch] as usize,
            Some(of_monitor) => original.latches.len() + of_monitor,
        };
        match &mut live.argument {
            Argument::Loop { copied } => {
                copied.iter_mut().for_each(|latch| *latch = latch_of(*latch));
            }
            Argument::Count { stable, .. } => {
                stable.iter_mut().for_each(|stable| stable.latch = latch_of(stable.latch));
            }
            Argument::Rank { .. } => {}
        }
        // Bads and latches of the monitor are none of the system.
        let properties = std::mem::take(&mut live.proof.properties);
        let simple_path = live.proof.simple_path.take();
        let mut live = self.lift_live(original, live);
        live.proof.properties = properties;
        live.proof.simple_path =
            simple_path.map(|latches| latches.into_iter().map(latch_of).collect());
        live
    }
}

/// A reduction as a step of the way back.
#[derive(Copy, Clone, Debug)]
pub struct Reduction<'a> {
    /// The system that was reduced.
    pub original: &'a BitSystem,
    /// How the reduced one relates to it.
    pub map: &'a ReduceMap,
}

impl Back for Reduction<'_> {
    fn proof(&self, proof: Proof) -> Proof {
        match proof {
            Proof::Bits(proof) => self.map.lift_proof(self.original, &proof).into(),
            Proof::Live(proof) => self.map.lift_live(self.original, *proof).into(),
            words => words,
        }
    }

    fn trace(&self, trace: Trace) -> Trace {
        match trace {
            Trace::Bits(trace) => self.map.lift_trace(self.original, &trace).into(),
            words => words,
        }
    }

    fn claim(&self, clause: &[Lit]) -> Option<Vec<Lit>> {
        Some(clause.iter().map(|lit| self.map.lift_any(self.original, *lit)).collect())
    }
}
