//! The text of a program, places in it, and faults at such places.

use pedra_formats::error::FormatError;
use pedra_formats::text::without_byte_order_mark;
use std::fmt;

/// A range of bytes in the text.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The first byte after it.
    pub end: u32,
}

impl Span {
    /// From the start of this span to the end of another.
    pub fn to(self, end: Span) -> Span {
        Span { start: self.start, end: end.end.max(self.start) }
    }
}

/// What is wrong with a span of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub span: Span,
    pub message: String,
    pub hint: Option<String>,
}

pub(crate) type Outcome<T> = Result<T, Fault>;

impl Fault {
    /// Something that is not Boogie.
    pub fn new(span: Span, message: impl Into<String>) -> Fault {
        Fault { span, message: message.into(), hint: None }
    }

    /// Something that is Boogie and that we do not support. `what` is a plural noun.
    pub fn unsupported(span: Span, what: impl fmt::Display) -> Fault {
        Fault::new(span, format!("{what} are not supported"))
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.hint = Some(hint.into());
        self
    }
}

/// A text with its lines.
pub(crate) struct Source<'s> {
    pub bytes: &'s [u8],
    /// Where each line starts.
    starts: Vec<u32>,
}

/// The longest text: a program takes some hundred times the memory of its text.
const MAX_BYTES: usize = 64 << 20;

/// At most this many characters of a statement or of a message are shown.
const SHOWN: usize = 160;

impl<'s> Source<'s> {
    pub fn new(bytes: &'s [u8]) -> Result<Source<'s>, FormatError> {
        if bytes.len() > MAX_BYTES {
            let text = format!("the file is larger than {} MiB", MAX_BYTES >> 20);
            return Err(FormatError::at(1, 1, text));
        }
        let bytes = without_byte_order_mark(bytes);
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect();
        Ok(Source { bytes, starts })
    }

    /// Line and column of a byte, both from 1.
    pub fn location(&self, offset: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= offset);
        (line as u32, offset - self.starts[line - 1] + 1)
    }

    pub fn error(&self, fault: Fault) -> FormatError {
        let (line, column) = self.location(fault.span.start);
        let error = FormatError::at(line as usize, column as usize, cut(&fault.message));
        match fault.hint {
            Some(hint) => error.with_hint(cut(&hint)),
            None => error,
        }
    }

    /// The text of a span on one line, without comments, cut if it is long.
    pub fn one_line(&self, span: Span) -> String {
        let bytes = &self.bytes[span.start as usize..span.end as usize];
        let mut kept: Vec<u8> = Vec::new();
        let mut at = 0;
        while at < bytes.len() && kept.len() <= 4 * SHOWN {
            let skipped = crate::lexer::blank(&bytes[at..]);
            if skipped > 0 {
                at += skipped;
                if kept.last() != Some(&b' ') {
                    kept.push(b' ');
                }
            } else {
                kept.push(bytes[at]);
                at += 1;
            }
        }
        cut(String::from_utf8_lossy(&kept).trim())
    }
}

/// The text, cut if it is long.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
