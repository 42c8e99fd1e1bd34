//! Explicit search of word-level systems with many state bits but few reachable states, such as
//! programs with a counter. [`crate::oracle`] tabulates all states instead.

use crate::words::NO_INTEGERS;
use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::system::System;
use pedra_model::term::{Scalar, Sort, TermId};
use pedra_model::trace::WordTrace;
use pedra_model::value::{ArrayValue, Value};
use std::collections::HashSet;

/// What the search found.
#[derive(Clone, Debug)]
pub struct Sparse {
    /// For each bad a shortest trace to it.
    pub violated: Vec<Option<WordTrace>>,
    /// All states that are reached.
    pub reached: Vec<Vec<Value>>,
}

/// A state, and the state before with the number of the inputs that led here.
type Reached = (Vec<Value>, Option<(usize, usize)>);

/// Searches everything; `None` if there are more than `limit` states. The system has a next value
/// for each state, initial values that read no state or input, and no constraints.
pub fn explore_sparse(system: &System, limit: usize) -> Option<Sparse> {
    let sort = |term: TermId| system.terms.sort(term);
    let input_sorts: Vec<Sort> = system.inputs.iter().map(|input| sort(input.term)).collect();
    let inputs = all_values(&input_sorts);
    let free: Vec<Sort> =
        system.states.iter().filter(|s| s.init.is_none()).map(|s| sort(s.term)).collect();
    let mut seen = HashSet::new();
    let mut states: Vec<Reached> = Vec::new();
    let nothing: Vec<Value> = system.states.iter().map(|s| Value::zero(sort(s.term))).collect();
    let start = evaluate(system, &nothing, &inputs[0]);
    for values in all_values(&free) {
        let mut given = values.into_iter();
        let value = |s: &pedra_model::system::State| match s.init {
            Some(init) => start[init.index()].clone(),
            None => given.next().expect("one for each free state"),
        };
        let state: Vec<Value> = system.states.iter().map(value).collect();
        if seen.insert(format!("{state:?}")) {
            states.push((state, None));
        }
    }
    let mut found: Vec<Option<WordTrace>> = vec![None; system.bads.len()];
    let mut next = 0;
    while next < states.len() {
        for (number, input) in inputs.iter().enumerate() {
            let values = evaluate(system, &states[next].0, input);
            for (property, bad) in system.bads.iter().enumerate() {
                if found[property].is_none() && values[bad.term.index()].as_bv().is_true() {
                    found[property] = Some(trace(system, &states, &inputs, next, number, property));
                }
            }
            let after = system.states.iter().map(|s| s.next.expect("a next value"));
            let after: Vec<Value> = after.map(|next| values[next.index()].clone()).collect();
            if seen.insert(format!("{after:?}")) {
                states.push((after, Some((next, number))));
            }
        }
        if states.len() > limit {
            return None;
        }
        next += 1;
    }
    let reached = states.into_iter().map(|(state, _)| state).collect();
    Some(Sparse { violated: found, reached })
}

fn trace(
    system: &System,
    states: &[Reached],
    inputs: &[Vec<Value>],
    mut at: usize,
    input: usize,
    property: usize,
) -> WordTrace {
    let mut taken = vec![input];
    while let Some((before, input)) = states[at].1 {
        taken.push(input);
        at = before;
    }
    taken.reverse();
    let given = |(index, state): (usize, &pedra_model::system::State)| {
        state.init.is_none().then(|| states[at].0[index].clone().into())
    };
    let first = system.states.iter().enumerate().map(given).collect();
    let mut given = vec![first];
    given.resize(taken.len(), vec![None; system.states.len()]);
    let values = |&number: &usize| inputs[number].iter().map(|v| v.clone().into()).collect();
    WordTrace {
        property,
        states: given,
        inputs: taken.iter().map(values).collect(),
        loop_start: None,
    }
}

/// The values of all terms.
fn evaluate(system: &System, states: &[Value], inputs: &[Value]) -> Vec<Value> {
    let mut symbols = vec![None; system.terms.len()];
    for (state, value) in system.states.iter().zip(states) {
        symbols[state.term.index()] = Some(value);
    }
    for (input, value) in system.inputs.iter().zip(inputs) {
        symbols[input.term.index()] = Some(value);
    }
    let mut values: Vec<Value> = Vec::with_capacity(system.terms.len());
    for (id, term) in system.terms.iter() {
        let value = ops::apply(term, |arg| &values[arg.index()]);
        values.push(value.unwrap_or_else(|| symbols[id.index()].expect("a known symbol").clone()));
    }
    values
}

/// How many bits a value of this sort has.
pub(crate) fn bits_of(sort: Sort) -> u32 {
    match sort {
        Sort::Bv(width) => width,
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => element << index,
        Sort::Int | Sort::Array { .. } => unreachable!("{NO_INTEGERS}"),
    }
}

/// Integers are enumerated up to this far from zero.
pub(crate) const BOX: i64 = 3;

/// All lists of values of these sorts; of integers only those in the box.
pub(crate) fn all_values(sorts: &[Sort]) -> Vec<Vec<Value>> {
    let mut lists = vec![Vec::new()];
    for &sort in sorts {
        let values: Vec<Value> = match sort {
            Sort::Int => (-BOX..=BOX).map(|value| Value::Int(value.into())).collect(),
            _ => (0..1u64 << bits_of(sort)).map(|bits| unpack(sort, bits)).collect(),
        };
        lists = lists
            .iter()
            .flat_map(|list: &Vec<Value>| {
                values.iter().map(|value| {
                    let mut list = list.clone();
                    list.push(value.clone());
                    list
                })
            })
            .collect();
    }
    lists
}

fn unpack(sort: Sort, bits: u64) -> Value {
    match sort {
        Sort::Bv(width) => Value::Bv(Bv::from_u64(width, bits)),
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
            let mut array = ArrayValue::new(index, Bv::zero(element));
            for at in 0..1u64 << index {
                let value = Bv::from_u64(element, bits >> (at * u64::from(element)));
                array.set(Bv::from_u64(index, at), value);
            }
            Value::Array(array)
        }
        Sort::Int | Sort::Array { .. } => unreachable!("{NO_INTEGERS}"),
    }
}
