//! What readers say when a file is wrong: where, what, and a hint where there is one.

use std::fmt;

/// A place in a file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Position {
    /// In a text: line and column, both counted from 1.
    Text {
        /// The line.
        line: usize,
        /// The column, in bytes.
        column: usize,
    },
    /// In the binary part of a file: the offset in bytes from its start.
    Byte(usize),
}

/// Why a file cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// Where.
    pub position: Position,
    /// What is wrong.
    pub message: String,
    /// What might help.
    pub hint: Option<String>,
}

impl FormatError {
    /// An error at a line and column, both counted from 1.
    pub fn at(line: usize, column: usize, message: impl Into<String>) -> FormatError {
        let position = Position::Text { line, column };
        FormatError { position, message: message.into(), hint: None }
    }

    /// An error at a byte of the binary part.
    pub fn at_byte(offset: usize, message: impl Into<String>) -> FormatError {
        FormatError { position: Position::Byte(offset), message: message.into(), hint: None }
    }

    /// The same with a hint.
    pub fn with_hint(mut self, hint: impl Into<String>) -> FormatError {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Text { line, column } => write!(f, "{line}:{column}"),
            Position::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.message)
    }
}

impl std::error::Error for FormatError {}
