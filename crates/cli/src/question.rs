//! Which properties of a program a specification is about.
//!
//! The program graph has a property for every call of an error function, and a run ends there. A
//! specification is about the calls of one function. A call of another one may return: then the run
//! goes on in a way that the graph does not have. So such calls must be unreachable, too, before a
//! specification is proved. The functions behind `assert` do not return. For specifications of
//! other things the graph has the runs that go on (`Specification::errors`).

use pedra_c::specification::{Claim, Specification, is_error_of};
use pedra_program::passes::undefined::some_checks_as_properties;
use pedra_program::{CheckKind, EdgeRef, Program, PropertyKind};

/// A specification and the properties of a program.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is claimed.
    pub specification: Specification,
    /// Its properties: who violates one violates it.
    pub goals: Vec<usize>,
    /// Properties that must hold for a proof, but whose violation says nothing.
    pub doubtful: Vec<usize>,
    /// How many calls of error functions do not matter.
    pub others: usize,
}

impl Question {
    /// The question about a program whose properties are those that `as_properties` gives.
    ///
    /// # Errors
    /// If the specification is about a function that is no error function of the program.
    pub fn new(program: &Program, specification: Specification) -> Result<Question, String> {
        let mut question =
            Question { specification, goals: Vec::new(), doubtful: Vec::new(), others: 0 };
        if let Claim::NoCall(function) = &question.specification.claim
            && !is_error_of(program, function)
        {
            return Err(format!("calls of `{function}`, which has a body, are not supported"));
        }
        for (index, property) in program.properties.iter().enumerate() {
            match (&question.specification.claim, property.kind) {
                (Claim::NoOverflow, PropertyKind::Undefined(CheckKind::Overflow)) => {
                    question.goals.push(index);
                }
                (Claim::NoCall(wanted), PropertyKind::Assertion) => {
                    match property.calls.as_deref() {
                        Some(function) if function == *wanted => question.goals.push(index),
                        Some(function) if never_returns(function) => question.others += 1,
                        _ => question.doubtful.push(index),
                    }
                }
                _ => {}
            }
        }
        Ok(question)
    }

    /// All properties that must be proved.
    pub fn wanted(&self) -> Vec<usize> {
        self.goals.iter().chain(&self.doubtful).copied().collect()
    }
}

/// Whether an error function is one of the C library, which ends the run.
fn never_returns(function: &str) -> bool {
    function.starts_with("__assert")
}

/// The program with properties for all that a claim is about. Some edges are no part of it.
pub fn as_properties(
    program: &Program,
    claim: &Claim,
    is_part: impl Fn(EdgeRef) -> bool,
) -> Program {
    match claim {
        Claim::NoCall(_) => program.clone(),
        Claim::NoOverflow => some_checks_as_properties(program, |edge, check| {
            check.kind == CheckKind::Overflow && is_part(edge)
        }),
    }
}

/// What a specification says of a property; `None` if none is known that does.
pub fn claim_of(program: &Program, property: usize) -> Option<Claim> {
    let property = &program.properties[property];
    match property.kind {
        PropertyKind::Assertion => {
            property.calls.as_deref().map(|function| Claim::NoCall(function.to_owned()))
        }
        PropertyKind::Undefined(CheckKind::Overflow) => Some(Claim::NoOverflow),
        PropertyKind::Undefined(_) => None,
    }
}
