//! Replaying a counterexample on the reference evaluators of [`pedra_model::eval`].
//!
//! A trace is accepted if its values agree with resets, inits and next functions, every
//! constraint is true at every step, the last included, and the bad is true at the last step.
//!
//! A trace may leave values open and thereby claims that they do not matter. The replay first
//! keeps them unknown: if constraints and bad are then definitely true, every completion is a
//! counterexample. Ternary evaluation is weaker than that claim (it does not see that `x ∨ ¬x`
//! is true), so if this fails the replay fills them with 0. The property is then violated all
//! the same, only the don't-cares are not confirmed; [`Replay::dont_cares_confirmed`] says which.

use pedra_model::bits::{BitSystem, Reset};
use pedra_model::eval::bits::BitSimulator;
use pedra_model::eval::words::WordSimulator;
use pedra_model::system::System;
use pedra_model::trace::{BitTrace, WordTrace};
use pedra_model::value::{Ternary, TernaryValue};

/// An accepted counterexample.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The step at which the property is violated, counted from 0.
    pub depth: usize,
    /// Whether every completion of the trace's unknown values was shown to be a counterexample;
    /// otherwise only the one with 0 for unknown values was.
    pub dont_cares_confirmed: bool,
}

/// Why a trace is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// It has no step.
    #[error("the trace has no steps")]
    NoSteps,
    /// The property does not exist.
    #[error("property {property} does not exist, the model has {known}")]
    NoSuchProperty {
        /// The trace's.
        property: usize,
        /// How many there are.
        known: usize,
    },
    /// Too few or too many values.
    #[error("step {step} has {found} values for {expected} {what}")]
    WrongSize {
        /// Of what: latches, inputs, states.
        what: &'static str,
        /// In which step.
        step: usize,
        /// As many as the model has.
        expected: usize,
        /// As many as the trace has.
        found: usize,
    },
    /// A value is of another sort than what it is for.
    #[error("the value of {what} {index} in step {step} has the wrong width or sort")]
    WrongSort {
        /// An input or a state.
        what: &'static str,
        /// Its index.
        index: usize,
        /// In which step.
        step: usize,
    },
    /// The model has no initial state: reset functions go in a circle.
    #[error("the reset of latch or state {0} depends on itself")]
    CyclicReset(u32),
    /// A value is given that contradicts the reset or init (step 0) or the next function.
    #[error("the value of latch or state {index} in step {step} contradicts the model")]
    StateContradiction {
        /// The latch's or state's index.
        index: u32,
        /// In which step.
        step: usize,
    },
    /// A constraint does not hold.
    #[error("constraint {constraint} is violated in step {step}")]
    ConstraintViolated {
        /// Which.
        constraint: usize,
        /// Where first.
        step: usize,
    },
    /// The bad is not true at the last step.
    #[error("the bad state is not reached in the last step, {last}{}", earlier_text(.earlier))]
    BadNotReached {
        /// The last step.
        last: usize,
        /// The first earlier step at which it is true, if there is one.
        earlier: Option<usize>,
    },
    /// The state after the last step is not that to which the lasso leads back.
    #[error("no loop is closed: no state recurs after the last step, {}", .steps - 1)]
    NoLoop {
        /// How many steps there are.
        steps: usize,
    },
    /// A signal does not recur.
    #[error(
        "signal {signal} of fairness and justice is never true in the loop, which begins at step {stem}"
    )]
    SignalMissing {
        /// Its position: fairness first, then the literals of the set.
        signal: usize,
        /// Where the loop begins.
        stem: usize,
    },
}

fn earlier_text(earlier: &Option<usize>) -> String {
    earlier.map_or(String::new(), |step| format!(", but already in step {step}"))
}

/// A run that can be judged: moves through the steps of a trace.
trait Run {
    /// Goes to the step; steps are visited in order, from 0. The index of a latch or state
    /// whose given value is contradicted is the error.
    fn enter(&mut self, step: usize) -> Result<(), u32>;
    fn constraint(&self, index: usize) -> Ternary;
    fn bad(&self) -> Ternary;
}

/// Where a path ends.
#[derive(Copy, Clone, PartialEq)]
enum End {
    /// At its last step: so do those of our own engines.
    Last,
    /// Where it first violates the property; other tools go on behind it.
    First,
}

/// The step of the violation: all constraints are true up to there, and the bad is true at it.
fn judge(
    run: &mut impl Run,
    steps: usize,
    constraints: usize,
    end: End,
) -> Result<usize, ReplayError> {
    let mut earlier = None;
    for step in 0..steps {
        run.enter(step).map_err(|index| ReplayError::StateContradiction { index, step })?;
        if let Some(constraint) = (0..constraints).find(|&c| run.constraint(c) != Ternary::True) {
            return Err(ReplayError::ConstraintViolated { constraint, step });
        }
        if run.bad() == Ternary::True {
            if step + 1 == steps || end == End::First {
                return Ok(step);
            }
            earlier = earlier.or(Some(step));
        }
    }
    Err(ReplayError::BadNotReached { last: steps - 1, earlier })
}

pub(crate) fn check_size(
    what: &'static str,
    step: usize,
    expected: usize,
    found: usize,
) -> Result<(), ReplayError> {
    if expected == found {
        return Ok(());
    }
    Err(ReplayError::WrongSize { what, step, expected, found })
}

/// What stands for a value that the trace leaves open.
#[derive(Copy, Clone, PartialEq)]
enum Open {
    Unknown,
    Zero,
}

struct BitRun<'a> {
    system: &'a BitSystem,
    trace: &'a BitTrace,
    open: Open,
    simulator: BitSimulator<'a>,
}

impl<'a> BitRun<'a> {
    fn new(system: &'a BitSystem, trace: &'a BitTrace, open: Open) -> Result<Self, ReplayError> {
        let simulator = BitSimulator::new(system).map_err(ReplayError::CyclicReset)?;
        Ok(BitRun { system, trace, open, simulator })
    }

    fn filled(&self, value: Ternary) -> Ternary {
        match (self.open, value) {
            (Open::Zero, Ternary::Unknown) => Ternary::False,
            _ => value,
        }
    }
}

impl Run for BitRun<'_> {
    fn enter(&mut self, step: usize) -> Result<(), u32> {
        let inputs: Vec<Ternary> =
            self.trace.inputs[step].iter().map(|&v| self.filled(v)).collect();
        if step > 0 {
            self.simulator.step(&inputs);
            return Ok(());
        }
        // Only free latches are open: the others have the value of their reset.
        let latches = self.system.latches.iter().zip(&self.trace.initial);
        let initial: Vec<Ternary> = latches
            .map(|(latch, &v)| if latch.reset == Reset::Free { self.filled(v) } else { v })
            .collect();
        self.simulator.start(&initial, &inputs).map_err(|e| e.latch)
    }

    fn constraint(&self, index: usize) -> Ternary {
        self.simulator.value(self.system.constraints[index])
    }

    fn bad(&self) -> Ternary {
        self.simulator.value(self.system.properties()[self.trace.property])
    }
}

/// Replays a counterexample of a bit-level system.
pub fn replay_bits(system: &BitSystem, trace: &BitTrace) -> Result<Replay, ReplayError> {
    judge_bits(system, trace, End::Last)
}

/// The same for a path that may go on behind its first violation, which is the step that counts.
///
/// # Errors
/// Why it shows none.
pub fn first_violation_of_bits(
    system: &BitSystem,
    trace: &BitTrace,
) -> Result<Replay, ReplayError> {
    judge_bits(system, trace, End::First)
}

fn judge_bits(system: &BitSystem, trace: &BitTrace, end: End) -> Result<Replay, ReplayError> {
    let (steps, known) = (trace.inputs.len(), system.properties().len());
    if steps == 0 {
        return Err(ReplayError::NoSteps);
    }
    if trace.property >= known {
        return Err(ReplayError::NoSuchProperty { property: trace.property, known });
    }
    check_size("latches", 0, system.latches.len(), trace.initial.len())?;
    for (step, inputs) in trace.inputs.iter().enumerate() {
        check_size("inputs", step, system.inputs.len(), inputs.len())?;
    }
    let constraints = system.constraints.len();
    let mut run = BitRun::new(system, trace, Open::Unknown)?;
    if let Ok(depth) = judge(&mut run, steps, constraints, end) {
        return Ok(Replay { depth, dont_cares_confirmed: true });
    }
    let mut run = BitRun::new(system, trace, Open::Zero)?;
    let depth = judge(&mut run, steps, constraints, end)?;
    Ok(Replay { depth, dont_cares_confirmed: false })
}

/// Shows each step of an accepted counterexample: its number, and the simulator to read any
/// literal from. Nothing is stored. Values are unknown where the replay confirmed that they do
/// not matter.
pub fn visit_bits(
    system: &BitSystem,
    trace: &BitTrace,
    replay: Replay,
    mut visit: impl FnMut(usize, &BitSimulator<'_>),
) -> Result<(), ReplayError> {
    let open = if replay.dont_cares_confirmed { Open::Unknown } else { Open::Zero };
    let mut run = BitRun::new(system, trace, open)?;
    for step in 0..trace.inputs.len() {
        run.enter(step).map_err(|index| ReplayError::StateContradiction { index, step })?;
        visit(step, &run.simulator);
    }
    Ok(())
}

struct WordRun<'a> {
    system: &'a System,
    trace: &'a WordTrace,
    open: Open,
    simulator: WordSimulator<'a>,
}

impl<'a> WordRun<'a> {
    fn new(system: &'a System, trace: &'a WordTrace, open: Open) -> Result<Self, ReplayError> {
        let simulator = WordSimulator::new(system).map_err(ReplayError::CyclicReset)?;
        Ok(WordRun { system, trace, open, simulator })
    }

    fn filled(&self, value: TernaryValue) -> TernaryValue {
        if self.open == Open::Zero { value.zero_filled().into() } else { value }
    }

    /// The states' given values; those that follow from nothing are filled.
    fn states(&self, step: usize) -> Vec<Option<TernaryValue>> {
        let states = self.system.states.iter().zip(&self.trace.states[step]);
        let value = |(state, given): (&pedra_model::system::State, &Option<TernaryValue>)| {
            let follows = if step == 0 { state.init } else { state.next }.is_some();
            if follows {
                return given.clone();
            }
            let unknown = || TernaryValue::unknown(self.system.terms.sort(state.term));
            Some(self.filled(given.clone().unwrap_or_else(unknown)))
        };
        states.map(value).collect()
    }
}

impl Run for WordRun<'_> {
    fn enter(&mut self, step: usize) -> Result<(), u32> {
        let states = self.states(step);
        let inputs: Vec<TernaryValue> =
            self.trace.inputs[step].iter().map(|v| self.filled(v.clone())).collect();
        let entered = if step == 0 {
            self.simulator.start(&states, &inputs)
        } else {
            self.simulator.step(&states, &inputs)
        };
        entered.map_err(|conflict| conflict.state)
    }

    fn constraint(&self, index: usize) -> Ternary {
        self.simulator.value(self.system.constraints[index].term).as_bv().bit(0)
    }

    fn bad(&self) -> Ternary {
        self.simulator.value(self.system.bads[self.trace.property].term).as_bv().bit(0)
    }
}

/// Replays a counterexample of a word-level system.
pub fn replay_words(system: &System, trace: &WordTrace) -> Result<Replay, ReplayError> {
    judge_words(system, trace, End::Last)
}

/// The same for a path that may go on behind its first violation, which is the step that counts.
///
/// # Errors
/// Why it shows none.
pub fn first_violation_of_words(system: &System, trace: &WordTrace) -> Result<Replay, ReplayError> {
    judge_words(system, trace, End::First)
}

fn judge_words(system: &System, trace: &WordTrace, end: End) -> Result<Replay, ReplayError> {
    let steps = trace.inputs.len();
    if steps == 0 {
        return Err(ReplayError::NoSteps);
    }
    if trace.property >= system.bads.len() {
        let known = system.bads.len();
        return Err(ReplayError::NoSuchProperty { property: trace.property, known });
    }
    check_word_sizes(system, trace)?;
    let constraints = system.constraints.len();
    let mut run = WordRun::new(system, trace, Open::Unknown)?;
    if let Ok(depth) = judge(&mut run, steps, constraints, end) {
        return Ok(Replay { depth, dont_cares_confirmed: true });
    }
    let mut run = WordRun::new(system, trace, Open::Zero)?;
    let depth = judge(&mut run, steps, constraints, end)?;
    Ok(Replay { depth, dont_cares_confirmed: false })
}

pub(crate) fn check_word_sizes(system: &System, trace: &WordTrace) -> Result<(), ReplayError> {
    check_size("steps of states", 0, trace.inputs.len(), trace.states.len())?;
    for (step, (states, inputs)) in trace.states.iter().zip(&trace.inputs).enumerate() {
        check_size("states", step, system.states.len(), states.len())?;
        check_size("inputs", step, system.inputs.len(), inputs.len())?;
        for (index, (state, value)) in system.states.iter().zip(states).enumerate() {
            let sort = system.terms.sort(state.term);
            if value.as_ref().is_some_and(|v| v.sort() != sort) {
                return Err(ReplayError::WrongSort { what: "state", index, step });
            }
        }
        for (index, (input, value)) in system.inputs.iter().zip(inputs).enumerate() {
            if value.sort() != system.terms.sort(input.term) {
                return Err(ReplayError::WrongSort { what: "input", index, step });
            }
        }
    }
    Ok(())
}

/// Shows each step of an accepted counterexample, as [`visit_bits`] does.
pub fn visit_words(
    system: &System,
    trace: &WordTrace,
    replay: Replay,
    mut visit: impl FnMut(usize, &WordSimulator<'_>),
) -> Result<(), ReplayError> {
    let open = if replay.dont_cares_confirmed { Open::Unknown } else { Open::Zero };
    let mut run = WordRun::new(system, trace, open)?;
    for step in 0..trace.inputs.len() {
        run.enter(step).map_err(|index| ReplayError::StateContradiction { index, step })?;
        visit(step, &run.simulator);
    }
    Ok(())
}
