//! A place in the bytes of a file, and the small pieces that every section is made of.

use crate::error::FormatError;

/// Walks over the bytes and knows the line it is on.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    pos: usize,
    /// Counted from 1.
    line: usize,
    line_start: usize,
    /// Past the start of the coded gates: lines mean nothing from there on, offsets do.
    in_binary: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, pos: 0, line: 1, line_start: 0, in_binary: false }
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// How many bytes are left.
    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.pos
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos == self.bytes.len()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    /// From here on errors give byte offsets.
    pub(super) fn enter_binary(&mut self) {
        self.in_binary = true;
    }

    /// An error at an offset on the current line.
    pub(super) fn error_at(&self, offset: usize, message: impl Into<String>) -> FormatError {
        if self.in_binary {
            FormatError::at_byte(offset, message)
        } else {
            FormatError::at(self.line, offset - self.line_start + 1, message)
        }
    }

    /// An error at the current place.
    pub(super) fn error(&self, message: impl Into<String>) -> FormatError {
        self.error_at(self.pos, message)
    }

    /// "expected this, found that" at the current place.
    pub(super) fn expected(&self, what: &str) -> FormatError {
        self.error(format!("expected {what}, found {}", self.found()))
    }

    /// What stands at the current place, for messages: a word, cut if it is long.
    fn found(&self) -> String {
        if self.at_end() {
            return "the end of the file".into();
        }
        if self.line_end().is_some() {
            return "the end of the line".into();
        }
        let rest = &self.bytes[self.pos..];
        let end = rest.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(rest.len());
        let word = &rest[..end.clamp(1, 20)];
        format!("`{}`", word.escape_ascii())
    }

    /// The length of the line ending at the current place: LF, CRLF, or the end of the file.
    fn line_end(&self) -> Option<usize> {
        match self.bytes[self.pos..] {
            [] => Some(0),
            [b'\n', ..] | [b'\r'] => Some(1),
            [b'\r', b'\n', ..] => Some(2),
            _ => None,
        }
    }

    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.pos += 1;
        }
    }

    /// Skips blanks and says whether the line ends there.
    pub(super) fn at_line_end(&mut self) -> bool {
        self.skip_blanks();
        self.line_end().is_some()
    }

    /// Goes to the next line; nothing but blanks may be left on this one.
    pub(super) fn end_line(&mut self) -> Result<(), FormatError> {
        self.skip_blanks();
        let Some(length) = self.line_end() else {
            return Err(self.expected("the end of the line"));
        };
        self.next_line(length);
        Ok(())
    }

    fn next_line(&mut self, skip: usize) {
        self.pos += skip;
        self.line += 1;
        self.line_start = self.pos;
    }

    /// The rest of the line without its ending; goes to the next line.
    pub(super) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.pos..];
        let end = rest.iter().position(|&b| b == b'\n');
        let line = &rest[..end.unwrap_or(rest.len())];
        self.next_line(line.len() + usize::from(end.is_some()));
        trim_returns(line)
    }

    /// Takes these bytes if they come next.
    pub(super) fn take(&mut self, expected: &[u8]) -> bool {
        let found = self.bytes[self.pos..].starts_with(expected);
        if found {
            self.pos += expected.len();
        }
        found
    }

    /// One byte of the coded gates.
    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.pos += 1;
        Some(byte)
    }

    /// Blanks, then a number; a blank or the end of the line must follow.
    pub(super) fn number(&mut self, what: &str) -> Result<u32, FormatError> {
        self.skip_blanks();
        let start = self.pos;
        let number = self.digits(what)?;
        if self.line_end().is_none() && !matches!(self.peek(), Some(b' ' | b'\t')) {
            self.pos = start;
            return Err(self.expected(what));
        }
        Ok(number)
    }

    /// A number right here, whatever follows.
    pub(super) fn digits(&mut self, what: &str) -> Result<u32, FormatError> {
        let start = self.pos;
        let mut number = 0u64;
        for digit in self.bytes[start..].iter().map(|byte| byte.wrapping_sub(b'0')) {
            if digit > 9 {
                break;
            }
            number = number * 10 + u64::from(digit);
            if number > u64::from(u32::MAX) {
                return Err(self.error_at(start, format!("{what} is too large a number")));
            }
            self.pos += 1;
        }
        if self.pos == start { Err(self.expected(what)) } else { Ok(number as u32) }
    }
}

/// The line without carriage returns at its end.
fn trim_returns(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}

/// The column of a word of a line, all counted from 1 but the word. Only for errors that are
/// found long after the line was read.
pub(super) fn column_of(bytes: &[u8], line: usize, word: usize) -> usize {
    let line = bytes.split(|&b| b == b'\n').nth(line - 1).unwrap_or_default();
    let mut words_seen = 0;
    let mut in_word = false;
    for (i, &byte) in line.iter().enumerate() {
        let blank = byte.is_ascii_whitespace();
        if !blank && !in_word {
            if words_seen == word {
                return i + 1;
            }
            words_seen += 1;
        }
        in_word = !blank;
    }
    1
}

/// The column of the last word of a line.
pub(super) fn last_column_of(bytes: &[u8], line: usize) -> usize {
    let line = bytes.split(|&b| b == b'\n').nth(line - 1).unwrap_or_default();
    let line = line.trim_ascii_end();
    line.iter().rposition(u8::is_ascii_whitespace).map_or(1, |blank| blank + 2)
}
