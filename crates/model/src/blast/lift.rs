//! Answers on their way back: traces in both directions, proofs from bits to words.

use super::Blasted;
use super::map::{BlastMap, StateBits};
use crate::aig::Node;
use crate::back::Back;
use crate::bits::BitSystem;
use crate::bv::Bv;
use crate::lit::Lit;
use crate::proof::{BitProof, Proof, StateBit, WordProof};
use crate::prophecy::Prophecy;
use crate::system::System;
use crate::term::{BinaryOp, Scalar, Sort, TermId, Terms, UnaryOp};
use crate::trace::{BitTrace, Trace, WordTrace};
use crate::value::{ArrayValue, Ternary, TernaryBv, TernaryValue};
use std::ops::Range;

impl BlastMap {
    /// A trace of the blasted system as one of the word-level system. Both have the same
    /// number of steps and violate the same property.
    pub fn lift_trace(&self, system: &System, trace: &BitTrace) -> WordTrace {
        let sort = |state: usize| system.terms.sort(system.states[state].term);
        let state_at = |step: usize, index: usize| -> Option<TernaryValue> {
            let bits = match self.state(index) {
                StateBits::Inputs(range) => &trace.inputs[step][range.clone()],
                StateBits::Latches { latches, .. } if step == 0 => {
                    // An initial value that is given follows by itself.
                    if system.states[index].init.is_some() {
                        return None;
                    }
                    &trace.initial[latches.clone()]
                }
                // What was chosen one step before.
                StateBits::Latches { chosen, .. } => &trace.inputs[step - 1][chosen.clone()?],
            };
            Some(word_of(sort(index), bits))
        };
        let steps = 0..trace.inputs.len();
        let states = steps
            .clone()
            .map(|step| (0..system.states.len()).map(|index| state_at(step, index)).collect());
        let inputs = steps.map(|step| {
            let word = |(i, input): (usize, &crate::system::Input)| {
                word_of(system.terms.sort(input.term), &trace.inputs[step][self.input(i)])
            };
            system.inputs.iter().enumerate().map(word).collect()
        });
        WordTrace {
            property: trace.property,
            states: states.collect(),
            inputs: inputs.collect(),
            loop_start: trace.loop_start,
        }
    }

    /// A trace of the word-level system as one of the blasted system. What the trace leaves
    /// open stays unknown.
    pub fn lower_trace(&self, system: &System, trace: &WordTrace) -> BitTrace {
        let steps = trace.inputs.len();
        let mut initial = vec![Ternary::Unknown; self.num_latches()];
        let mut inputs = vec![vec![Ternary::Unknown; self.num_inputs()]; steps];
        for (step, bits) in inputs.iter_mut().enumerate() {
            for (index, value) in trace.inputs[step].iter().enumerate() {
                store(&mut bits[self.input(index)], value);
            }
            for index in 0..system.states.len() {
                let given = |step: usize| trace.states.get(step).and_then(|s| s[index].as_ref());
                match self.state(index) {
                    StateBits::Inputs(range) => {
                        given(step).inspect(|v| store(&mut bits[range.clone()], v));
                    }
                    StateBits::Latches { latches, chosen } => {
                        if step == 0 {
                            given(0).inspect(|v| store(&mut initial[latches.clone()], v));
                        }
                        if let (Some(range), Some(value)) = (chosen, given(step + 1)) {
                            store(&mut bits[range.clone()], value);
                        }
                    }
                }
            }
        }
        BitTrace { property: trace.property, initial, inputs, loop_start: trace.loop_start }
    }

    /// A proof about the blasted system as one about the word-level system.
    ///
    /// Each clause becomes a one-bit term: bit `i` of state `s` is the slice `s[i:i]`, that of
    /// an array element the slice of a read at a constant index, and gates are conjunctions of
    /// these.
    pub fn lift_proof(&self, system: &System, proof: &BitProof, blasted: &BitSystem) -> WordProof {
        let mut system = system.clone();
        let mut lifter = Lifter::new(self, &system, proof, blasted);
        let invariant = lifter.lift_clauses(&mut system.terms);
        let simple_path = proof.simple_path.as_ref().map(|latches| {
            let mut bit_of = Vec::with_capacity(self.num_latches());
            for state in 0..self.num_states() {
                if let StateBits::Latches { latches, .. } = self.state(state) {
                    bit_of.extend((0..latches.len()).map(|bit| StateBit { state, bit }));
                }
            }
            latches.iter().map(|&latch| bit_of[latch]).collect()
        });
        let properties = proof.properties.clone();
        let prophecy = Prophecy::default();
        WordProof { properties, system, invariant, k: proof.k, simple_path, prophecy }
    }
}

/// Blasting as a step of the way back.
#[derive(Copy, Clone, Debug)]
pub struct Blasting<'a> {
    /// The word-level system.
    pub system: &'a System,
    /// What was made of it.
    pub blasted: &'a Blasted,
}

impl Back for Blasting<'_> {
    fn proof(&self, proof: Proof) -> Proof {
        let Blasted { system, map } = self.blasted;
        match proof {
            Proof::Bits(proof) => map.lift_proof(self.system, &proof, system).into(),
            words => words,
        }
    }

    fn trace(&self, trace: Trace) -> Trace {
        match trace {
            Trace::Bits(trace) => self.blasted.map.lift_trace(self.system, &trace).into(),
            words => words,
        }
    }

    /// A clause of bits is no clause of words.
    fn claim(&self, _: &[Lit]) -> Option<Vec<Lit>> {
        None
    }
}

/// A value from its bits.
fn word_of(sort: Sort, bits: &[Ternary]) -> TernaryValue {
    match sort {
        Sort::Bv(_) => TernaryValue::Bv(TernaryBv::from_bits(bits)),
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
            let mut array = ArrayValue::new(index, TernaryBv::unknown(element));
            for (at, bits) in bits.chunks(element as usize).enumerate() {
                array.set(Bv::from_u64(index, at as u64), TernaryBv::from_bits(bits));
            }
            TernaryValue::Array(array)
        }
        Sort::Int | Sort::Array { .. } => TernaryValue::Opaque(sort),
    }
}

/// The bits of a value.
fn store(bits: &mut [Ternary], value: &TernaryValue) {
    let mut fill = |range: Range<usize>, word: &TernaryBv| {
        bits[range].iter_mut().zip(word.bits()).for_each(|(bit, value)| *bit = value);
    };
    match value {
        TernaryValue::Bv(word) => fill(0..word.width() as usize, word),
        TernaryValue::Array(array) => {
            let width = array.default_element().width() as usize;
            for at in 0..1usize << array.index_width() {
                let element = array.get(&Bv::from_u64(array.index_width(), at as u64));
                fill(at * width..(at + 1) * width, element);
            }
        }
        TernaryValue::Opaque(_) => {}
    }
}

/// Where the bit of a leaf comes from: a word's symbol and the position of the bit in it.
#[derive(Copy, Clone)]
struct Source {
    word: TermId,
    bit: usize,
}

/// Turns literals of a proof into one-bit terms.
struct Lifter<'a> {
    blasted: &'a BitSystem,
    proof: &'a BitProof,
    /// For each leaf its word.
    sources: Vec<Option<Source>>,
    /// For each variable of the system and gate of the proof its term, once it is built.
    built: Vec<Option<TermId>>,
}

impl<'a> Lifter<'a> {
    fn new(
        map: &BlastMap,
        system: &System,
        proof: &'a BitProof,
        blasted: &'a BitSystem,
    ) -> Lifter<'a> {
        let mut sources = vec![None; blasted.aig.len()];
        let mut note = |word: TermId, lits: &[Lit]| {
            for (bit, lit) in lits.iter().enumerate() {
                sources[lit.var().index()] = Some(Source { word, bit });
            }
        };
        for (index, input) in system.inputs.iter().enumerate() {
            let vars = &blasted.inputs[map.input(index)];
            note(input.term, &vars.iter().map(|v| v.lit()).collect::<Vec<Lit>>());
        }
        for (index, state) in system.states.iter().enumerate() {
            note(state.term, &map.state_lits(blasted, index));
        }
        let built = vec![None; blasted.aig.len() + proof.gates.len()];
        Lifter { blasted, proof, sources, built }
    }

    /// The inputs of a gate of the system or of the proof.
    fn gate(&self, index: usize) -> Option<[Lit; 2]> {
        match index.checked_sub(self.blasted.aig.len()) {
            Some(own) => Some(self.proof.gates[own]),
            None => match self.blasted.aig.node(crate::lit::Var::new(index)) {
                Node::And(a, b) => Some([a, b]),
                Node::Const | Node::Leaf => None,
            },
        }
    }

    /// One term a clause. Gates are built from the lowest variable on, so that those they
    /// depend on are there.
    fn lift_clauses(&mut self, terms: &mut Terms) -> Vec<TermId> {
        let mut needed = vec![false; self.built.len()];
        for lit in self.proof.clauses.iter().flatten() {
            needed[lit.var().index()] = true;
        }
        for index in (0..needed.len()).rev().filter(|&i| self.gate(i).is_some()) {
            if needed[index] {
                for lit in self.gate(index).into_iter().flatten() {
                    needed[lit.var().index()] = true;
                }
            }
        }
        for index in (0..needed.len()).filter(|&i| needed[i]) {
            let term = match self.gate(index) {
                Some([a, b]) => {
                    let (a, b) = (self.lit(terms, a), self.lit(terms, b));
                    terms.binary(BinaryOp::And, a, b)
                }
                None => self.leaf(terms, index),
            };
            self.built[index] = Some(term);
        }
        let clauses = self.proof.clauses.iter();
        clauses.map(|clause| self.clause(terms, clause)).collect()
    }

    fn leaf(&self, terms: &mut Terms, index: usize) -> TermId {
        let Some(Source { word, bit }) = self.sources[index] else {
            // Variable 0, or an input that only says what a state without `next` becomes.
            // No invariant depends on the latter; false is as good as any value.
            return terms.bool(false);
        };
        match terms.sort(word) {
            Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
                let (at, bit) = (bit / element as usize, (bit % element as usize) as u32);
                let at = terms.constant(Bv::from_u64(index, at as u64));
                let read = terms.read(word, at);
                terms.slice(read, bit, bit)
            }
            _ => terms.slice(word, bit as u32, bit as u32),
        }
    }

    fn lit(&self, terms: &mut Terms, lit: Lit) -> TermId {
        let term = self.built[lit.var().index()].expect("what a gate needs is built before it");
        if lit.is_negated() { terms.unary(UnaryOp::Not, term) } else { term }
    }

    /// The disjunction, as a balanced tree.
    fn clause(&self, terms: &mut Terms, clause: &[Lit]) -> TermId {
        let mut level: Vec<TermId> = clause.iter().map(|&l| self.lit(terms, l)).collect();
        if level.is_empty() {
            return terms.bool(false);
        }
        while level.len() > 1 {
            let pair = |p: &[TermId]| match *p {
                [a, b] => terms.binary(BinaryOp::Or, a, b),
                _ => p[0],
            };
            level = level.chunks(2).map(pair).collect();
        }
        level[0]
    }
}
