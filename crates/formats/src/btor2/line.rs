//! Words of one line, with their columns.

use crate::error::FormatError;

/// A word and the column where it starts, counted from 1.
#[derive(Copy, Clone)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    pub column: usize,
}

/// A cursor in one line.
pub(super) struct Line<'a> {
    text: &'a str,
    /// Counted from 1.
    pub number: usize,
    at: usize,
}

/// At most this much of a file's text is repeated in a message.
const SHOWN: usize = 40;

/// The text, cut if it is long, without control characters.
pub(super) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).filter(|c| !c.is_control()).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

impl<'a> Line<'a> {
    pub fn new(text: &'a str, number: usize) -> Line<'a> {
        // Lines of files from Windows end in a carriage return as well.
        Line { text: text.strip_suffix('\r').unwrap_or(text), number, at: 0 }
    }

    fn skip_space(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
    }

    /// The column of what comes next.
    pub fn column(&mut self) -> usize {
        self.skip_space();
        self.at + 1
    }

    fn take(&mut self, ends: impl Fn(u8) -> bool) -> Option<Word<'a>> {
        self.skip_space();
        let rest = &self.text.as_bytes()[self.at..];
        if rest.first().is_none_or(|&b| b == b';') {
            return None;
        }
        let length = rest.iter().position(|&b| ends(b)).unwrap_or(rest.len());
        // Words end at ASCII characters, so these are boundaries of characters.
        let word = Word { text: &self.text[self.at..self.at + length], column: self.at + 1 };
        self.at += length;
        Some(word)
    }

    /// The next word; `None` at the end of the line or at a comment.
    pub fn word(&mut self) -> Option<Word<'a>> {
        self.take(|b| b.is_ascii_whitespace() || b == b';')
    }

    /// The next word as a symbol, which may contain `;` but not start with it.
    pub fn symbol(&mut self) -> Option<Word<'a>> {
        self.take(|b| b.is_ascii_whitespace())
    }

    /// The comment that starts here, without its marker.
    pub fn comment(&mut self) -> Option<&'a str> {
        self.skip_space();
        let rest = self.text[self.at..].strip_prefix(';')?;
        Some(rest.strip_prefix(' ').unwrap_or(rest).trim_end())
    }

    pub fn error(&self, column: usize, message: impl Into<String>) -> FormatError {
        FormatError::at(self.number, column, message)
    }

    /// The next word, which must be there.
    pub fn expect(&mut self, what: &str) -> Result<Word<'a>, FormatError> {
        let column = self.column();
        self.word().ok_or_else(|| self.error(column, format!("{what} is missing")))
    }

    /// The next word as a number.
    pub fn number(&mut self, what: &str) -> Result<u64, FormatError> {
        let word = self.expect(what)?;
        self.parse_number(word, what)
    }

    /// A word as a number.
    pub fn parse_number(&self, word: Word<'_>, what: &str) -> Result<u64, FormatError> {
        let digits = word.text.as_bytes();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            let found = shown(word.text);
            return Err(self.error(word.column, format!("{what} must be a number, not `{found}`")));
        }
        let mut value = 0u64;
        for digit in digits {
            let grown = value.checked_mul(10).and_then(|v| v.checked_add((digit - b'0') as u64));
            value = grown.ok_or_else(|| self.error(word.column, format!("{what} is too large")))?;
        }
        Ok(value)
    }
}

/// The text, or an error at its first byte that is not UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, FormatError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        FormatError::at(line, before.len() - start + 1, "the text is not UTF-8")
            .with_hint("is this a BTOR2 file? binary AIGER ends in .aig")
    })
}
