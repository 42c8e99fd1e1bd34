//! Minimisation of word-level traces.

use super::needs::Needs;
use crate::eval::words::{Scheduled, WordSimulator};
use crate::system::System;
use crate::term::{Sort, TermId};
use crate::trace::WordTrace;
use crate::value::{Ternary, TernaryValue, Value};

/// The trace with as many bits of inputs and given states unknown as a backward pass finds to
/// be of no importance; any value for them still leads to the violation. Unknown bits of the
/// given trace count as 0. A trace that is no violation is returned as it is.
pub fn minimise_words(system: &System, trace: &WordTrace) -> WordTrace {
    let Some(minimised) = justify(system, trace) else { return trace.clone() };
    if is_violation(system, &minimised) { minimised } else { trace.clone() }
}

/// The value with 0 for unknown bits; all 0 if it is missing. `None` if it has a wrong sort.
fn filled(value: Option<&TernaryValue>, sort: Sort) -> Option<TernaryValue> {
    let value = value.map_or_else(|| Value::zero(sort), TernaryValue::zero_filled);
    Some(TernaryValue::from(value)).filter(|v| v.sort() == sort)
}

/// Whether a state's value at a step is given from outside rather than following.
fn is_given(system: &System, state: usize, step: usize) -> bool {
    let state = &system.states[state];
    if step == 0 { state.init.is_none() } else { state.next.is_none() }
}

/// The trace with every value from outside concrete; `None` if a value has a wrong sort.
fn concrete(system: &System, trace: &WordTrace) -> Option<WordTrace> {
    let mut filled_trace = WordTrace { states: Vec::new(), inputs: Vec::new(), ..*trace };
    for (k, inputs) in trace.inputs.iter().enumerate() {
        let sort = |term: TermId| system.terms.sort(term);
        let numbered = system.inputs.iter().enumerate();
        let inputs: Option<Vec<_>> =
            numbered.map(|(i, input)| filled(inputs.get(i), sort(input.term))).collect();
        let mut states = vec![None; system.states.len()];
        for (i, value) in states.iter_mut().enumerate() {
            let given = trace.states.get(k).and_then(|s| s.get(i)).and_then(|v| v.as_ref());
            if is_given(system, i, k) {
                *value = Some(filled(given, sort(system.states[i].term))?);
            }
        }
        filled_trace.inputs.push(inputs?);
        filled_trace.states.push(states);
    }
    Some(filled_trace)
}

/// Goes to step `k`; whether the given states agree with the model.
fn advance(simulator: &mut WordSimulator<'_>, trace: &WordTrace, k: usize) -> bool {
    let states = trace.states.get(k).map_or(&[][..], Vec::as_slice);
    let outcome = match k {
        0 => simulator.start(states, &trace.inputs[k]),
        _ => simulator.step(states, &trace.inputs[k]),
    };
    outcome.is_ok()
}

/// Runs forward, then justifies backward; `None` if the trace cannot be run.
fn justify(system: &System, trace: &WordTrace) -> Option<WordTrace> {
    let bad = system.bads.get(trace.property)?.term;
    let mut simulator = WordSimulator::new(system).ok()?;
    let mut trace = concrete(system, trace)?;
    let mut reached = Vec::with_capacity(trace.inputs.len());
    for k in 0..trace.inputs.len() {
        advance(&mut simulator, &trace, k);
        reached.push(simulator.states());
    }
    let mut needs = Needs::new(&system.terms);
    needs.add_all(bad);
    for k in (0..trace.inputs.len()).rev() {
        simulator.load(&reached[k], &trace.inputs[k]);
        for constraint in &system.constraints {
            needs.add_all(constraint.term);
        }
        for &term in simulator.order().iter().rev() {
            needs.propagate(term, &simulator);
        }
        if k == 0 {
            propagate_to_init(system, &mut needs, &simulator);
        }
        keep_needed(system, &mut trace, k, &needs);
        needs = needs_before(system, needs);
    }
    Some(trace)
}

/// In the first step the need of a state goes on to its `init`, against the order in which
/// these were evaluated.
fn propagate_to_init(system: &System, needs: &mut Needs<'_>, simulator: &WordSimulator<'_>) {
    for scheduled in simulator.schedule().iter().rev() {
        match *scheduled {
            Scheduled::Term(term) => needs.propagate(term, simulator),
            Scheduled::State(index) => {
                let state = &system.states[index as usize];
                if let (Some(init), Some(need)) = (state.init, needs.get(state.term).cloned()) {
                    needs.add(init, &need);
                }
            }
        }
    }
}

/// Makes unknown what is not needed of the values from outside at step `k`.
fn keep_needed(system: &System, trace: &mut WordTrace, k: usize, needs: &Needs<'_>) {
    let keep = |value: &mut TernaryValue, term: TermId| {
        *value = match needs.get(term) {
            Some(need) => need.keep(value),
            None => TernaryValue::unknown(value.sort()),
        };
    };
    for (value, input) in trace.inputs[k].iter_mut().zip(&system.inputs) {
        keep(value, input.term);
    }
    for (value, state) in trace.states[k].iter_mut().zip(&system.states) {
        if let Some(value) = value {
            keep(value, state.term);
        }
    }
}

/// What is needed in the step before: what the next functions of needed states must give.
fn needs_before<'a>(system: &System, mut needs: Needs<'a>) -> Needs<'a> {
    let wanted = system.states.iter().filter_map(|s| Some((s.next?, needs.get(s.term)?.clone())));
    let wanted: Vec<_> = wanted.collect();
    needs.clear();
    for (next, need) in &wanted {
        needs.add(*next, need);
    }
    needs
}

/// Whether replay with unknown bits shows the violation for sure.
fn is_violation(system: &System, trace: &WordTrace) -> bool {
    let Some(bad) = system.bads.get(trace.property) else { return false };
    let Ok(mut simulator) = WordSimulator::new(system) else { return false };
    let is_true =
        |simulator: &WordSimulator<'_>, term| simulator.value(term).as_bit() == Ternary::True;
    for k in 0..trace.inputs.len() {
        let agrees = advance(&mut simulator, trace, k);
        if !agrees || !system.constraints.iter().all(|c| is_true(&simulator, c.term)) {
            return false;
        }
    }
    !trace.inputs.is_empty() && is_true(&simulator, bad.term)
}
