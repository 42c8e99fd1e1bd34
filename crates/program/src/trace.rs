//! Runs of programs, as plain data.

use crate::graph::EdgeRef;
use pedra_model::value::Value;

/// A run that violates a property: it ends at the property's error place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramTrace {
    /// Which property: an index into [`crate::Program::properties`].
    pub property: usize,
    /// The values at the start: first of the globals, then of all variables of the entry
    /// procedure, both in the order in which the program lists them.
    pub initial: Vec<Value>,
    /// The edges that are taken, in order. A call is followed by the edges of the callee. Returns
    /// are implied: a run that arrives at a procedure's exit goes on behind the call.
    pub steps: Vec<TraceStep>,
}

/// One edge of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// The edge.
    pub edge: EdgeRef,
    /// For a step the values of its inputs, in order. For a call the values with which the
    /// callee's variables start that are not parameters, in the order of
    /// [`crate::Procedure::variables`].
    pub values: Vec<Value>,
}
