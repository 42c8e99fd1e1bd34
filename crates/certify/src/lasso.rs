//! Replaying lassos, violations of justice, on the reference evaluators.
//!
//! A lasso is accepted if its values agree with resets, inits and next functions, every
//! constraint is true at every step, every fairness literal and every literal of the set is true
//! at some step of the loop, and the state after the last step is that of the step to which it
//! leads back. Then the loop can be repeated for ever.
//!
//! The whole state should recur. If only latches differ on which neither the set nor fairness
//! nor a constraint depends, the lasso still shows the violation: cut to the others, the
//! system behaves the same. [`LassoReplay::whole_state`] says which. Values that are open count
//! as 0.

use crate::frames::cone_of_influence;
use crate::replay::{ReplayError, check_size, check_word_sizes};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::eval::bits::BitSimulator;
use pedra_model::eval::words::WordSimulator;
use pedra_model::property::Property;
use pedra_model::system::System;
use pedra_model::term::TermId;
use pedra_model::trace::{BitTrace, WordTrace};
use pedra_model::value::{Ternary, TernaryValue};

/// An accepted lasso.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct LassoReplay {
    /// The number of steps before the loop.
    pub stem: usize,
    /// The number of steps of the loop.
    pub length: usize,
    /// Whether the whole state recurs; otherwise only what the violation depends on.
    pub whole_state: bool,
}

/// A run, one step after the other.
trait Run {
    /// The state, as far as it must recur.
    type State: PartialEq;

    /// Goes to the step; the index of a latch or state whose given value is contradicted is the
    /// error.
    fn enter(&mut self, step: usize) -> Result<(), u32>;
    fn constraints(&self) -> Vec<Ternary>;
    fn signals(&self) -> Vec<Ternary>;
    /// The state of this step: all of it, and the part that matters.
    fn state(&self) -> [Self::State; 2];
    /// The state after this step, in the same way.
    fn after(&self) -> [Self::State; 2];
}

/// Judges a run of this many steps. Without a start, the loop begins at the first step whose state
/// is that after the last one.
fn judge<R: Run>(
    run: &mut R,
    steps: usize,
    start: Option<usize>,
) -> Result<LassoReplay, ReplayError> {
    let mut states = Vec::with_capacity(steps);
    let mut signals: Vec<Option<usize>> = Vec::new();
    for step in 0..steps {
        run.enter(step).map_err(|index| ReplayError::StateContradiction { index, step })?;
        let failed = run.constraints().iter().position(|&value| value != Ternary::True);
        if let Some(constraint) = failed {
            return Err(ReplayError::ConstraintViolated { constraint, step });
        }
        let now = run.signals();
        signals.resize(now.len(), None);
        for (last, _) in signals.iter_mut().zip(now).filter(|(_, now)| *now == Ternary::True) {
            *last = Some(step);
        }
        states.push(run.state());
    }
    let end = run.after();
    let recurs = |part: usize| {
        let is_equal = |&step: &usize| states[step][part] == end[part];
        match start {
            Some(start) => Some(start).filter(|start| *start < steps && is_equal(start)),
            None => (0..steps).find(is_equal),
        }
    };
    let (stem, whole_state) = match (recurs(0), recurs(1)) {
        (Some(stem), _) => (stem, true),
        (None, Some(stem)) => (stem, false),
        (None, None) => return Err(ReplayError::NoLoop { steps }),
    };
    if let Some(signal) = signals.iter().position(|last| last.is_none_or(|last| last < stem)) {
        return Err(ReplayError::SignalMissing { signal, stem });
    }
    Ok(LassoReplay { stem, length: steps - stem, whole_state })
}

fn no_such_set(property: usize, known: usize) -> ReplayError {
    ReplayError::NoSuchProperty { property, known }
}

/// Replays a lasso of a bit-level system. If it does not say where its loop begins, that is found.
///
/// # Errors
/// Why it is none.
pub fn replay_bit_lasso(system: &BitSystem, lasso: &BitTrace) -> Result<LassoReplay, ReplayError> {
    let set = match system.property(lasso.property) {
        Property::Justice(index) if index < system.justice.len() => &system.justice[index],
        _ => return Err(no_such_set(lasso.property, system.justice.len())),
    };
    if lasso.inputs.is_empty() {
        return Err(ReplayError::NoSteps);
    }
    check_size("latches", 0, system.latches.len(), lasso.initial.len())?;
    for (step, inputs) in lasso.inputs.iter().enumerate() {
        check_size("inputs", step, system.inputs.len(), inputs.len())?;
    }
    let signals: Vec<_> = system.fairness.iter().chain(set).copied().collect();
    let roots = signals.iter().chain(&system.constraints).copied();
    let cone = cone_of_influence(system, &system.aig, roots);
    let matters = system.latches.iter().map(|latch| cone[latch.var.index()]).collect();
    let simulator = BitSimulator::new(system).map_err(ReplayError::CyclicReset)?;
    let mut run = BitRun { system, lasso, signals, matters, simulator };
    judge(&mut run, lasso.inputs.len(), lasso.loop_start)
}

struct BitRun<'a> {
    system: &'a BitSystem,
    lasso: &'a BitTrace,
    signals: Vec<pedra_model::lit::Lit>,
    /// For each latch whether the violation depends on it.
    matters: Vec<bool>,
    simulator: BitSimulator<'a>,
}

impl BitRun<'_> {
    fn parts(&self, all: Vec<Ternary>) -> [Vec<Ternary>; 2] {
        let pairs = all.iter().zip(&self.matters);
        let part = pairs.filter(|(_, matters)| **matters).map(|(&value, _)| value).collect();
        [all, part]
    }
}

impl Run for BitRun<'_> {
    type State = Vec<Ternary>;

    fn enter(&mut self, step: usize) -> Result<(), u32> {
        let known = |value: Ternary| Ternary::from(value == Ternary::True);
        let inputs: Vec<Ternary> = self.lasso.inputs[step].iter().map(|&v| known(v)).collect();
        if step > 0 {
            self.simulator.step(&inputs);
            return Ok(());
        }
        let latches = self.system.latches.iter().zip(&self.lasso.initial);
        let initial: Vec<Ternary> = latches
            .map(|(latch, &v)| if latch.reset == Reset::Free { known(v) } else { v })
            .collect();
        self.simulator.start(&initial, &inputs).map_err(|error| error.latch)
    }

    fn constraints(&self) -> Vec<Ternary> {
        self.system.constraints.iter().map(|&lit| self.simulator.value(lit)).collect()
    }

    fn signals(&self) -> Vec<Ternary> {
        self.signals.iter().map(|&lit| self.simulator.value(lit)).collect()
    }

    fn state(&self) -> [Vec<Ternary>; 2] {
        self.parts(self.simulator.latches())
    }

    fn after(&self) -> [Vec<Ternary>; 2] {
        let next = self.system.latches.iter().map(|latch| self.simulator.value(latch.next));
        self.parts(next.collect())
    }
}

/// Replays a lasso of a word-level system, as [`replay_bit_lasso`] does. States without next are
/// inputs: they need not recur. A path whose last step repeats a state, instead of leading back to
/// it, is a lasso as well.
///
/// # Errors
/// Why it is none.
pub fn replay_word_lasso(system: &System, lasso: &WordTrace) -> Result<LassoReplay, ReplayError> {
    let set = match system.property(lasso.property) {
        Property::Justice(index) if index < system.justice.len() => &system.justice[index].terms,
        _ => return Err(no_such_set(lasso.property, system.justice.len())),
    };
    if lasso.inputs.is_empty() {
        return Err(ReplayError::NoSteps);
    }
    check_word_sizes(system, lasso)?;
    let fairness = system.fairness.iter().map(|fair| fair.term);
    let signals: Vec<TermId> = fairness.chain(set.iter().copied()).collect();
    let constraints = system.constraints.iter().map(|constraint| constraint.term);
    let matters = system.influence(signals.iter().copied().chain(constraints));
    let run = |steps: usize| {
        let simulator = WordSimulator::new(system).map_err(ReplayError::CyclicReset)?;
        let mut run = WordRun { system, lasso, signals: &signals, matters: &matters, simulator };
        judge(&mut run, steps, lasso.loop_start)
    };
    let steps = lasso.inputs.len();
    match run(steps) {
        Err(ReplayError::NoLoop { .. }) if lasso.loop_start.is_none() && steps > 1 => {
            // The last frame only shows the state that recurs.
            run(steps - 1).map_err(|_| ReplayError::NoLoop { steps })
        }
        judged => judged,
    }
}

struct WordRun<'a> {
    system: &'a System,
    lasso: &'a WordTrace,
    signals: &'a [TermId],
    /// For each term whether the violation depends on it.
    matters: &'a [bool],
    simulator: WordSimulator<'a>,
}

impl WordRun<'_> {
    fn bit(&self, term: TermId) -> Ternary {
        self.simulator.value(term).as_bv().bit(0)
    }

    /// What the states with next are, by this term of each: all of them, and those that matter.
    fn parts(&self, of: impl Fn(usize) -> TermId) -> [Vec<TernaryValue>; 2] {
        let states = 0..self.system.states.len();
        let states: Vec<usize> =
            states.filter(|&index| self.system.states[index].next.is_some()).collect();
        let value = |&index: &usize| self.simulator.value(of(index)).clone();
        let matters = |index: &&usize| self.matters[self.system.states[**index].term.index()];
        [states.iter().map(value).collect(), states.iter().filter(matters).map(value).collect()]
    }
}

impl Run for WordRun<'_> {
    type State = Vec<TernaryValue>;

    fn enter(&mut self, step: usize) -> Result<(), u32> {
        let filled = |value: &TernaryValue| TernaryValue::from(value.zero_filled());
        let states = self.system.states.iter().zip(&self.lasso.states[step]);
        let states = states.map(|(state, given)| {
            let follows = if step == 0 { state.init } else { state.next }.is_some();
            if follows {
                return given.clone();
            }
            let unknown = || TernaryValue::unknown(self.system.terms.sort(state.term));
            Some(filled(&given.clone().unwrap_or_else(unknown)))
        });
        let states: Vec<Option<TernaryValue>> = states.collect();
        let inputs: Vec<TernaryValue> = self.lasso.inputs[step].iter().map(filled).collect();
        let entered = match step {
            0 => self.simulator.start(&states, &inputs),
            _ => self.simulator.step(&states, &inputs),
        };
        entered.map_err(|conflict| conflict.state)
    }

    fn constraints(&self) -> Vec<Ternary> {
        self.system.constraints.iter().map(|constraint| self.bit(constraint.term)).collect()
    }

    fn signals(&self) -> Vec<Ternary> {
        self.signals.iter().map(|&term| self.bit(term)).collect()
    }

    fn state(&self) -> [Vec<TernaryValue>; 2] {
        self.parts(|index| self.system.states[index].term)
    }

    fn after(&self) -> [Vec<TernaryValue>; 2] {
        self.parts(|index| self.system.states[index].next.expect("only those with next"))
    }
}
