//! The cone of influence of a word-level system: what some properties depend on, before anything
//! is made into bits. A memory that no property reads costs nothing then, however large.
//!
//! The store of terms stays as it is, so that terms keep their ids; only inputs and states are
//! left out. All constraints stay: they decide which paths there are.

use crate::back::Back;
use crate::lit::Lit;
use crate::proof::{Proof, StateBit, WordProof};
use crate::system::System;
use crate::term::TermId;
use crate::trace::{Trace, WordTrace};
use crate::value::TernaryValue;

/// A system with those inputs and states alone that matter.
#[derive(Clone, Debug)]
pub struct WordCone {
    /// The system. It has no outputs, inner names or comments, and justice and fairness only if
    /// it is the cone of a justice set.
    pub system: System,
    /// For each of its inputs the index in the original.
    pub inputs: Vec<usize>,
    /// For each of its states the index in the original.
    pub states: Vec<usize>,
    /// For each of its properties the number in the original.
    pub properties: Vec<usize>,
}

impl WordCone {
    /// The part of the system that these properties, the constraints and further terms depend on,
    /// in any number of steps. Property `i` of the result is `properties[i]` of the original.
    pub fn new(
        system: &System,
        properties: &[usize],
        further: impl IntoIterator<Item = TermId>,
    ) -> WordCone {
        let bads = properties.iter().map(|&p| system.bads[p].term);
        let constraints = system.constraints.iter().map(|c| c.term);
        let matters = system.influence(bads.chain(constraints).chain(further));
        WordCone::keeping(system, properties, |term| matters[term.index()])
    }

    /// These properties of the whole system.
    pub fn everything(system: &System, properties: &[usize]) -> WordCone {
        WordCone::keeping(system, properties, |_| true)
    }

    /// What a justice set depends on, with fairness and constraints. The set is the only one of
    /// the result, which has no bads.
    pub fn of_justice(system: &System, index: usize) -> WordCone {
        let justice = &system.justice[index];
        let fairness = system.fairness.iter().map(|f| f.term);
        let constraints = system.constraints.iter().map(|c| c.term);
        let roots = justice.terms.iter().copied().chain(fairness).chain(constraints);
        let matters = system.influence(roots);
        let mut cone = WordCone::keeping(system, &[], |term| matters[term.index()]);
        cone.system.justice = vec![justice.clone()];
        cone.system.fairness = system.fairness.clone();
        cone.properties = vec![system.justice_number(index)];
        cone
    }

    fn keeping(
        system: &System,
        properties: &[usize],
        is_kept: impl Fn(TermId) -> bool,
    ) -> WordCone {
        let inputs = system.inputs.iter().enumerate();
        let inputs: Vec<usize> =
            inputs.filter(|(_, input)| is_kept(input.term)).map(|(i, _)| i).collect();
        let states = system.states.iter().enumerate();
        let states: Vec<usize> =
            states.filter(|(_, state)| is_kept(state.term)).map(|(i, _)| i).collect();
        let reduced = System {
            terms: system.terms.clone(),
            inputs: inputs.iter().map(|&i| system.inputs[i].clone()).collect(),
            states: states.iter().map(|&i| system.states[i].clone()).collect(),
            bads: properties.iter().map(|&p| system.bads[p].clone()).collect(),
            constraints: system.constraints.clone(),
            ..System::default()
        };
        WordCone { system: reduced, inputs, states, properties: properties.to_vec() }
    }

    /// The proof about the original.
    pub fn lift_proof(&self, original: &System, proof: WordProof) -> WordProof {
        let bit = |b: StateBit| StateBit { state: self.states[b.state], ..b };
        WordProof {
            properties: proof.properties.iter().map(|&p| self.properties[p]).collect(),
            system: original.with_terms(proof.system.terms),
            simple_path: proof.simple_path.map(|bits| bits.into_iter().map(bit).collect()),
            ..proof
        }
    }

    /// The trace of the original: what does not matter is unknown.
    pub fn lift_trace(&self, original: &System, trace: WordTrace) -> WordTrace {
        let sort = |term: TermId| TernaryValue::unknown(original.terms.sort(term));
        let steps = trace.states.into_iter().zip(trace.inputs).enumerate();
        let (mut states, mut inputs) = (Vec::new(), Vec::new());
        for (step, (given_states, given_inputs)) in steps {
            // What is given from outside has a value; the others follow.
            let all = original.states.iter().map(|state| {
                let follows = if step == 0 { state.init } else { state.next };
                follows.is_none().then(|| sort(state.term))
            });
            let mut all: Vec<Option<TernaryValue>> = all.collect();
            for (value, &state) in given_states.into_iter().zip(&self.states) {
                all[state] = value;
            }
            states.push(all);
            let mut all: Vec<TernaryValue> =
                original.inputs.iter().map(|input| sort(input.term)).collect();
            for (value, &input) in given_inputs.into_iter().zip(&self.inputs) {
                all[input] = value;
            }
            inputs.push(all);
        }
        let loop_start = trace.loop_start;
        WordTrace { property: self.properties[trace.property], states, inputs, loop_start }
    }
}

/// Taking the cone as a step of the way back.
#[derive(Copy, Clone, Debug)]
pub struct Restriction<'a> {
    /// The system whose cone was taken.
    pub original: &'a System,
    /// The cone.
    pub cone: &'a WordCone,
}

impl Back for Restriction<'_> {
    fn proof(&self, proof: Proof) -> Proof {
        match proof {
            Proof::Words(proof) => self.cone.lift_proof(self.original, *proof).into(),
            // It stays about the bits of the cone, under the number of the original.
            Proof::Live(mut proof) => {
                proof.property = self.cone.properties[proof.property];
                Proof::Live(proof)
            }
            Proof::Bits(_) | Proof::Program(_) => unreachable!("blasting is undone before"),
        }
    }

    fn trace(&self, trace: Trace) -> Trace {
        match trace {
            Trace::Words(trace) => self.cone.lift_trace(self.original, trace).into(),
            Trace::Bits(_) | Trace::Program(_) => unreachable!("blasting is undone before"),
        }
    }

    fn claim(&self, _: &[Lit]) -> Option<Vec<Lit>> {
        None
    }
}
