//! Counterexamples, as plain data. Values may be partly unknown: a bit that is unknown does
//! not matter, any value for it leads to the violation.
//!
//! A bad is violated by a path whose last step makes it true. A justice set is violated by a
//! *lasso*: a path whose state after the last step is that of an earlier one, `loop_start`; the
//! steps from there on are repeated for ever.

use crate::program::ProgramTrace;
use crate::value::{Ternary, TernaryValue};

/// A path of a bit-level system that violates a property: at its last step, or as a lasso.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitTrace {
    /// Which property, see [`crate::bits::BitSystem::property`].
    pub property: usize,
    /// The latches in the first step. Those with a constant or functional reset may be
    /// unknown: their reset says what they are.
    pub initial: Vec<Ternary>,
    /// The inputs in each step; there are as many steps as entries, at least one.
    pub inputs: Vec<Vec<Ternary>>,
    /// Of a lasso, the step to which the last one leads back.
    pub loop_start: Option<usize>,
}

impl BitTrace {
    /// The last step, counted from 0: the one at which a bad is true.
    pub fn depth(&self) -> usize {
        self.inputs.len() - 1
    }
}

/// A path of a word-level system that violates a property: at its last step, or as a lasso.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordTrace {
    /// Which property, see [`crate::system::System::property`].
    pub property: usize,
    /// For each step and state the value that is given from outside: in step 0 for states
    /// without init, later for states without next. Others follow and are `None`, or a claim
    /// that is checked against what follows.
    pub states: Vec<Vec<Option<TernaryValue>>>,
    /// For each step the inputs.
    pub inputs: Vec<Vec<TernaryValue>>,
    /// Of a lasso, the step to which the last one leads back.
    pub loop_start: Option<usize>,
}

impl WordTrace {
    /// The last step, counted from 0: the one at which a bad is true.
    pub fn depth(&self) -> usize {
        self.inputs.len() - 1
    }
}

/// A counterexample, at the level that it speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trace {
    /// Of a bit-level system.
    Bits(BitTrace),
    /// Of a word-level system.
    Words(WordTrace),
    /// Of a program.
    Program(ProgramTrace),
}

impl From<BitTrace> for Trace {
    fn from(trace: BitTrace) -> Trace {
        Trace::Bits(trace)
    }
}

impl From<WordTrace> for Trace {
    fn from(trace: WordTrace) -> Trace {
        Trace::Words(trace)
    }
}

impl From<ProgramTrace> for Trace {
    fn from(trace: ProgramTrace) -> Trace {
        Trace::Program(trace)
    }
}

impl Trace {
    /// The step of the violation; of a program, the number of edges.
    pub fn depth(&self) -> usize {
        match self {
            Trace::Bits(trace) => trace.depth(),
            Trace::Words(trace) => trace.depth(),
            Trace::Program(trace) => trace.steps.len(),
        }
    }

    /// Of a lasso, the step to which the last one leads back.
    pub fn loop_start(&self) -> Option<usize> {
        match self {
            Trace::Bits(trace) => trace.loop_start,
            Trace::Words(trace) => trace.loop_start,
            Trace::Program(_) => None,
        }
    }

    /// The property that it violates, as the system of its level numbers it.
    pub fn property(&self) -> usize {
        match self {
            Trace::Bits(trace) => trace.property,
            Trace::Words(trace) => trace.property,
            Trace::Program(trace) => trace.property,
        }
    }

    /// The same path as a violation of this property.
    pub fn set_property(&mut self, property: usize) {
        match self {
            Trace::Bits(trace) => trace.property = property,
            Trace::Words(trace) => trace.property = property,
            Trace::Program(trace) => trace.property = property,
        }
    }

    /// The trace with 0 for every value that does not matter.
    pub fn zero_filled(mut self) -> Trace {
        match &mut self {
            Trace::Bits(trace) => {
                let given = trace.inputs.iter_mut().flatten().chain(&mut trace.initial);
                given.filter(|v| v.known().is_none()).for_each(|v| *v = Ternary::False);
            }
            Trace::Words(trace) => {
                let states = trace.states.iter_mut().flatten().flatten();
                for value in trace.inputs.iter_mut().flatten().chain(states) {
                    *value = value.zero_filled().into();
                }
            }
            // Every value is known.
            Trace::Program(_) => {}
        }
        self
    }
}
