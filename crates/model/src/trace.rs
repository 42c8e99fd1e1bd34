//! Counterexamples, as plain data. Values may be partly unknown: a bit that is unknown does
//! not matter, any value for it leads to the violation.

use crate::value::{Ternary, TernaryValue};

/// A path of a bit-level system that violates a property at its last step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitTrace {
    /// Which property: an index into [`crate::bits::BitSystem::properties`].
    pub property: usize,
    /// The latches in the first step. Those with a constant or functional reset may be
    /// unknown: their reset says what they are.
    pub initial: Vec<Ternary>,
    /// The inputs in each step; there are as many steps as entries, at least one.
    pub inputs: Vec<Vec<Ternary>>,
}

impl BitTrace {
    /// The step at which the property is violated, counted from 0.
    pub fn depth(&self) -> usize {
        self.inputs.len() - 1
    }
}

/// A path of a word-level system that violates a property at its last step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordTrace {
    /// Which property: an index into the bads.
    pub property: usize,
    /// For each step and state the value that is given from outside: in step 0 for states
    /// without init, later for states without next. Others follow and are `None`, or a claim
    /// that is checked against what follows.
    pub states: Vec<Vec<Option<TernaryValue>>>,
    /// For each step the inputs.
    pub inputs: Vec<Vec<TernaryValue>>,
}

impl WordTrace {
    /// The step at which the property is violated, counted from 0.
    pub fn depth(&self) -> usize {
        self.inputs.len() - 1
    }
}
