//! Replaying a violation of a program, on the graph as the front end made it.
//!
//! The reference semantics is [`pedra_program::interpreter`]; only this file turns its result into
//! a verdict: a run counts as a violation only if all of its steps are defined.

use pedra_program::interpreter::{TraceError, Undefined, replay};
use pedra_program::{Program, ProgramTrace};

/// An accepted run to an error place.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ProgramReplay {
    /// The number of steps.
    pub steps: usize,
    /// The first undefined step. If there is one, the run says nothing about the source program.
    pub undefined: Option<Undefined>,
}

impl ProgramReplay {
    /// Whether the property is violated.
    pub fn is_violation(&self) -> bool {
        self.undefined.is_none()
    }
}

/// Replays a run.
///
/// # Errors
/// If it is not one of the program, or does not end at the property's error place.
pub fn replay_program(
    program: &Program,
    trace: &ProgramTrace,
) -> Result<ProgramReplay, TraceError> {
    let replayed = replay(program, trace)?;
    Ok(ProgramReplay { steps: trace.steps.len(), undefined: replayed.undefined })
}
