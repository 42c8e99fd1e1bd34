//! Step-by-step simulation of word-level systems, with unknown bits.
//!
//! It follows the semantics of [`crate::system`]. Terms are evaluated in the order of their
//! ids, which is topological; only the first step needs more care, since an `init` may refer to
//! other states that have an `init` themselves ([`WordSimulator::new`] fixes the order).

use crate::eval::ternary;
use crate::system::System;
use crate::term::{Term, TermId};
use crate::value::TernaryValue;
use std::fmt;

/// A value was given for a state that contradicts the one that follows from `init` or `next`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateConflict {
    /// Which state.
    pub state: u32,
    /// The value that was given.
    pub given: Box<TernaryValue>,
    /// The value that follows.
    pub computed: Box<TernaryValue>,
}

impl fmt::Display for StateConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "state {} is given a value that contradicts the model", self.state)?;
        if let (TernaryValue::Bv(given), TernaryValue::Bv(computed)) =
            (&*self.given, &*self.computed)
        {
            write!(f, ": {} but must be {}", given.to_digits(), computed.to_digits())?;
        }
        Ok(())
    }
}

impl std::error::Error for StateConflict {}

/// A part of the first step's schedule.
#[derive(Copy, Clone)]
pub(super) enum Scheduled {
    /// Evaluate this term.
    Term(TermId),
    /// Give this state the value of its `init`.
    State(u32),
}

/// A simulator for a word-level system.
///
/// Lists of values may be shorter than what they are for; what is missing is unknown.
pub struct WordSimulator<'a> {
    system: &'a System,
    /// The terms to evaluate in every step, in topological order.
    order: Vec<TermId>,
    /// What `init` terms need, each after what it needs itself.
    schedule: Vec<Scheduled>,
    values: Vec<TernaryValue>,
}

impl<'a> WordSimulator<'a> {
    /// A simulator for everything the system refers to, or the index of a state on a circle of
    /// `init` terms.
    pub fn new(system: &'a System) -> Result<Self, u32> {
        Self::with_roots(system, [])
    }

    /// The same, for further terms of the system's store as well.
    pub fn with_roots(
        system: &'a System,
        roots: impl IntoIterator<Item = TermId>,
    ) -> Result<Self, u32> {
        let terms = &system.terms;
        let cone = terms.cone(system.roots().chain(roots));
        let schedule = init_schedule(system)?;
        let mut order = Vec::new();
        let mut values = Vec::with_capacity(terms.len());
        for (id, term) in terms.iter() {
            values.push(match term {
                Term::Const(value) => TernaryValue::Bv(value.clone().into()),
                _ => TernaryValue::unknown(terms.sort(id)),
            });
            let is_leaf = matches!(term, Term::Const(_) | Term::IntConst(_) | Term::Symbol(_));
            if cone[id.index()] && !is_leaf {
                order.push(id);
            }
        }
        Ok(WordSimulator { system, order, schedule, values })
    }

    /// From now on evaluates only what these terms need; all others keep their values. For use
    /// with [`WordSimulator::load`]. Returns how many terms a step evaluates.
    pub fn restrict(&mut self, roots: impl IntoIterator<Item = TermId>) -> usize {
        let cone = self.system.terms.cone(roots);
        self.order.retain(|id| cone[id.index()]);
        self.order.len()
    }

    /// Goes to the first step. A state with `init` takes its value, one without the given
    /// value, or is unknown if none is given.
    ///
    /// Fails if a given value contradicts the `init`, naming the first such state. A given
    /// value that says more than the `init` tells is no contradiction, but is not believed.
    /// The step is evaluated in any case.
    ///
    /// # Panics
    /// If a value does not have the sort of its state or input; so do `step` and `load`.
    pub fn start(
        &mut self,
        states: &[Option<TernaryValue>],
        inputs: &[TernaryValue],
    ) -> Result<(), StateConflict> {
        let system = self.system;
        self.set_inputs(inputs);
        for (i, state) in system.states.iter().enumerate() {
            self.set(state.term, given(states, i).cloned());
        }
        for at in 0..self.schedule.len() {
            match self.schedule[at] {
                Scheduled::Term(id) => self.evaluate_term(id),
                Scheduled::State(index) => {
                    let state = &system.states[index as usize];
                    let init = state.init.map(|init| self.value(init).clone());
                    self.set(state.term, init);
                }
            }
        }
        self.evaluate();
        self.find_conflict(states)
    }

    /// Goes to the next step. A state with `next` takes its value, one without the given
    /// value, or is unknown if none is given. Fails as [`WordSimulator::start`] does.
    pub fn step(
        &mut self,
        states: &[Option<TernaryValue>],
        inputs: &[TernaryValue],
    ) -> Result<(), StateConflict> {
        let follow = |(i, state): (usize, &crate::system::State)| match state.next {
            Some(next) => Some(self.value(next).clone()),
            None => given(states, i).cloned(),
        };
        let values: Vec<_> = self.system.states.iter().enumerate().map(follow).collect();
        self.set_states(values);
        self.set_inputs(inputs);
        self.evaluate();
        self.find_conflict(states)
    }

    /// Evaluates one step from any state, without regard to `init`.
    pub fn load(&mut self, states: &[TernaryValue], inputs: &[TernaryValue]) {
        let count = self.system.states.len();
        self.set_states((0..count).map(|i| states.get(i).cloned()).collect());
        self.set_inputs(inputs);
        self.evaluate();
    }

    /// The value of a term in the current step.
    pub fn value(&self, term: TermId) -> &TernaryValue {
        &self.values[term.index()]
    }

    /// The values of the states in the current step.
    pub fn states(&self) -> Vec<TernaryValue> {
        self.system.states.iter().map(|s| self.value(s.term).clone()).collect()
    }

    pub(super) fn order(&self) -> &[TermId] {
        &self.order
    }

    pub(super) fn schedule(&self) -> &[Scheduled] {
        &self.schedule
    }

    fn set(&mut self, symbol: TermId, value: Option<TernaryValue>) {
        let sort = self.system.terms.sort(symbol);
        let value = value.unwrap_or_else(|| TernaryValue::unknown(sort));
        assert_eq!(value.sort(), sort, "a value of the symbol's sort");
        self.values[symbol.index()] = value;
    }

    fn set_states(&mut self, values: Vec<Option<TernaryValue>>) {
        let system = self.system;
        for (state, value) in system.states.iter().zip(values) {
            self.set(state.term, value);
        }
    }

    fn set_inputs(&mut self, inputs: &[TernaryValue]) {
        let system = self.system;
        for (i, input) in system.inputs.iter().enumerate() {
            self.set(input.term, inputs.get(i).cloned());
        }
    }

    fn evaluate_term(&mut self, id: TermId) {
        let term = self.system.terms.get(id);
        if let Some(value) = ternary::apply(term, |arg| &self.values[arg.index()]) {
            self.values[id.index()] = value;
        }
    }

    fn evaluate(&mut self) {
        for at in 0..self.order.len() {
            self.evaluate_term(self.order[at]);
        }
    }

    fn find_conflict(&self, states: &[Option<TernaryValue>]) -> Result<(), StateConflict> {
        for (i, state) in self.system.states.iter().enumerate() {
            let Some(given) = given(states, i) else { continue };
            let computed = self.value(state.term);
            if given.contradicts(computed) {
                let (given, computed) = (Box::new(given.clone()), Box::new(computed.clone()));
                return Err(StateConflict { state: i as u32, given, computed });
            }
        }
        Ok(())
    }
}

fn given(states: &[Option<TernaryValue>], index: usize) -> Option<&TernaryValue> {
    states.get(index).and_then(|value| value.as_ref())
}

/// Orders the evaluation of `init` terms: for each state the terms that are not yet there,
/// upwards, then the state itself.
fn init_schedule(system: &System) -> Result<Vec<Scheduled>, u32> {
    let mut schedule = Vec::new();
    let mut seen = vec![false; system.terms.len()];
    for index in system.init_order()? {
        let Some(init) = system.states[index as usize].init else { continue };
        let mut found = Vec::new();
        let mut stack = vec![init];
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut seen[id.index()], true) {
                found.push(id);
                stack.extend(system.terms.get(id).args());
            }
        }
        found.sort_unstable();
        schedule.extend(found.into_iter().map(Scheduled::Term));
        schedule.push(Scheduled::State(index));
    }
    Ok(schedule)
}
