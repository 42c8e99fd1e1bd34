//! What the front end says when a program is wrong or goes beyond what is supported.

use crate::source::{Location, Source, Span};
use std::fmt;

/// Why a span of the text cannot be taken. Inside the front end errors are spans; at its border
/// they become a [`CError`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What might help.
    pub hint: Option<String>,
    /// Whether the program is C that we do not support, rather than no C.
    pub is_unsupported: bool,
}

impl Fault {
    /// A fault of the program.
    pub fn new(span: Span, message: impl Into<String>) -> Fault {
        Fault { span, message: message.into(), hint: None, is_unsupported: false }
    }

    /// A construct that is C and that we do not support.
    pub fn unsupported(span: Span, construct: impl fmt::Display) -> Fault {
        let message = format!("{construct} is not supported");
        Fault { span, message, hint: None, is_unsupported: true }
    }

    /// The same with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.hint = Some(hint.into());
        self
    }
}

/// Why a program cannot be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CError {
    /// Where, as the user knows it.
    pub location: Location,
    /// The text of that line.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// What might help.
    pub hint: Option<String>,
    /// Whether the program is C that we do not support, rather than no C.
    pub is_unsupported: bool,
}

impl CError {
    /// The error of a fault in a text.
    pub fn new(fault: Fault, source: &Source) -> CError {
        CError {
            location: source.location(fault.span.start),
            text: source.line_text(fault.span.start),
            message: fault.message,
            hint: fault.hint,
            is_unsupported: fault.is_unsupported,
        }
    }
}

impl fmt::Display for CError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

impl std::error::Error for CError {}
