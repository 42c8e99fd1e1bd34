//! Text to tokens. Comments and most `#pragma` lines are dropped, line markers move the positions,
//! adjacent strings are left apart. Other directives mean that the text was not preprocessed.

use crate::error::Fault;
use crate::source::{Source, Span};
use crate::token::{Key, Names, Punct, Suffix, Token};
use rustc_hash::FxHashMap;

/// The longest text that is read, in bytes.
pub const LONGEST_TEXT: usize = 64 << 20;

/// A token and where it is.
#[derive(Clone, Debug)]
pub struct Lexeme {
    /// The token.
    pub token: Token,
    /// Its place.
    pub span: Span,
}

/// All tokens of a text; the last one is [`Token::End`].
pub fn lex(source: &mut Source, names: &mut Names) -> Result<Vec<Lexeme>, Fault> {
    if source.bytes().len() > LONGEST_TEXT {
        let message = format!("the file is longer than {} MiB", LONGEST_TEXT >> 20);
        return Err(Fault::new(Span::default(), message));
    }
    let text = source.bytes().to_vec();
    let keys = Key::TABLE.iter().copied().collect();
    let (is_line_start, packs) = (true, Vec::new());
    let mut lexer = Lexer { text: &text, at: 0, source, names, keys, is_line_start, packs };
    let mut lexemes = Vec::new();
    loop {
        lexer.skip_blank()?;
        let start = lexer.at;
        let token = lexer.token()?;
        let is_end = token == Token::End;
        lexemes.push(Lexeme { token, span: lexer.span(start) });
        if is_end {
            return Ok(lexemes);
        }
    }
}

/// Whether the text has directives that only a preprocessor understands.
pub fn needs_preprocessing(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        let Some(rest) = line.strip_prefix(b"#") else { return false };
        let word: Vec<u8> =
            rest.trim_ascii_start().iter().copied().take_while(u8::is_ascii_alphabetic).collect();
        !matches!(word.as_slice(), b"" | b"line" | b"pragma" | b"ident")
    })
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    source: &'a mut Source,
    names: &'a mut Names,
    keys: FxHashMap<&'static str, Key>,
    /// Only blanks came before on this line.
    is_line_start: bool,
    /// What `#pragma pack` said, the last one now; `push` keeps the one before.
    packs: Vec<Option<u64>>,
}

impl Lexer<'_> {
    fn span(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    fn fault<T>(&self, start: usize, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault::new(Span { start: start as u32, end: start as u32 + 1 }, message))
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn starts_with(&self, word: &[u8]) -> bool {
        self.text[self.at..].starts_with(word)
    }

    /// Moves over blanks, comments and directives.
    fn skip_blank(&mut self) -> Result<(), Fault> {
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\n' => {
                    self.is_line_start = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if self.starts_with(b"\\\n") => self.at += 2,
                b'\\' if self.starts_with(b"\\\r\n") => self.at += 3,
                b'/' if self.peek(1) == b'/' => self.skip_line(),
                b'/' if self.peek(1) == b'*' => self.skip_comment()?,
                b'#' if self.is_line_start => self.directive()?,
                _ => break,
            }
        }
        self.is_line_start = false;
        Ok(())
    }

    /// Moves to the end of the line, over spliced lines too.
    fn skip_line(&mut self) {
        while self.at < self.text.len() && self.peek(0) != b'\n' {
            let is_splice = self.starts_with(b"\\\n");
            self.at += if is_splice { 2 } else { 1 };
        }
    }

    fn skip_comment(&mut self) -> Result<(), Fault> {
        let length = self.text[self.at + 2..].windows(2).position(|pair| pair == b"*/");
        let Some(length) = length else { return self.fault(self.at, "this comment has no end") };
        self.at += length + 4;
        Ok(())
    }

    /// A line that starts with `#`.
    fn directive(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.skip_line();
        let line = String::from_utf8_lossy(&self.text[start + 1..self.at]).into_owned();
        let line = line.trim();
        let rest = line.strip_prefix("line").map_or(line, str::trim_start);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            let Ok(number) = rest[..digits].parse() else {
                return self.fault(start, "the line number is too large");
            };
            let file = rest[digits..].trim().strip_prefix('"');
            let file = file.and_then(|file| file.split('"').next()).map(str::to_owned);
            self.source.mark(start as u32, number, file);
            return Ok(());
        }
        let word = line.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        match word {
            "" if line.is_empty() => Ok(()),
            "pragma" => self.pragma(line["pragma".len()..].trim(), start),
            "ident" => Ok(()),
            _ => {
                let message = format!("the directive `#{word}` needs a preprocessor");
                let fault = Fault::new(self.span(start), message);
                Err(fault.hint("run the file through `cc -E` first"))
            }
        }
    }

    /// Pragmas that change where members of structs lie; all others are dropped.
    fn pragma(&mut self, text: &str, start: usize) -> Result<(), Fault> {
        let words: Vec<&str> = text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .collect();
        let now = self.packs.last().copied().flatten();
        let number = |word: &str| word.parse().ok().filter(|bytes: &u64| bytes.is_power_of_two());
        let next = match words.as_slice() {
            ["pack"] => None,
            ["pack", "push"] => {
                self.packs.push(now);
                now
            }
            ["pack", "pop"] => {
                self.packs.pop();
                self.packs.last().copied().flatten()
            }
            &["pack", "push", word] if number(word).is_some() => {
                self.packs.push(now);
                number(word)
            }
            &["pack", word] if number(word).is_some() => number(word),
            ["pack" | "ms_struct" | "scalar_storage_order" | "weak" | "redefine_extname", ..] => {
                return Err(Fault::unsupported(self.span(start), "this `#pragma`"));
            }
            _ => return Ok(()),
        };
        match self.packs.last_mut() {
            Some(last) => *last = next,
            None => self.packs.push(next),
        }
        self.source.pack(start as u32, next);
        Ok(())
    }

    fn token(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        if start == self.text.len() {
            return Ok(Token::End);
        }
        match self.peek(0) {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => Ok(self.word()?),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'"' => self.string(),
            b'\'' => self.character(),
            byte => {
                let rest = &self.text[start..];
                let found = Punct::TABLE.iter().find(|(text, _)| rest.starts_with(text.as_bytes()));
                let Some((text, punct)) = found else {
                    let shown = if byte.is_ascii_graphic() {
                        format!("the character `{}`", byte as char)
                    } else {
                        format!("the byte 0x{byte:02x}")
                    };
                    return self.fault(start, format!("{shown} cannot stand here"));
                };
                self.at += text.len();
                Ok(Token::Punct(*punct))
            }
        }
    }

    fn word(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        while matches!(self.peek(0), b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'0'..=b'9') {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.text[start..self.at]).unwrap_or_default();
        if matches!(word, "L" | "u" | "U" | "u8") && matches!(self.peek(0), b'"' | b'\'') {
            return Err(Fault::unsupported(self.span(start), "a wide or Unicode literal"));
        }
        match self.keys.get(word) {
            Some(&key) => Ok(Token::Key(key)),
            None => Ok(Token::Name(self.names.intern(word))),
        }
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == b'.' || self.is_sign(start) {
            self.at += 1;
        }
        let word = String::from_utf8_lossy(&self.text[start..self.at]).to_ascii_lowercase();
        let (digits, radix) = match word.as_bytes() {
            [b'0', b'x', ..] => (&word[2..], 16),
            [b'0', b'b', ..] => (&word[2..], 2),
            [b'0', _, ..] => (&word[1..], 8),
            _ => (word.as_str(), 10),
        };
        let is_float = match radix {
            16 => digits.contains(['.', 'p']),
            2 => false,
            _ => digits.contains(['.', 'e']),
        };
        if is_float {
            return Ok(Token::Float);
        }
        let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let (digits, suffix) = digits.split_at(length);
        let (is_unsigned, longs) = match suffix {
            "" => (false, 0),
            "u" => (true, 0),
            "l" => (false, 1),
            "ll" => (false, 2),
            "ul" | "lu" => (true, 1),
            "ull" | "llu" => (true, 2),
            _ => return self.fault(start, format!("`{word}` is not a number")),
        };
        if digits.is_empty() && radix != 8 {
            return self.fault(start, format!("`{word}` is not a number"));
        }
        let digits = if digits.is_empty() { "0" } else { digits };
        let Ok(value) = u64::from_str_radix(digits, radix) else {
            return self.fault(start, "the number does not fit in 64 bits");
        };
        Ok(Token::Int(value, Suffix { is_unsigned, longs, is_decimal: radix == 10 }))
    }

    /// A sign inside the floating-point literal that starts at `start`: after `e` or `p`.
    fn is_sign(&self, start: usize) -> bool {
        let word = &self.text[start..self.at];
        let is_hex = word.starts_with(b"0x") || word.starts_with(b"0X");
        let is_exponent = match word.last() {
            Some(b'p' | b'P') => is_hex,
            Some(b'e' | b'E') => !is_hex,
            _ => false,
        };
        is_exponent && matches!(self.peek(0), b'+' | b'-')
    }

    fn string(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match self.peek(0) {
                b'"' => break,
                b'\n' | 0 => return self.fault(start, "this string has no end"),
                b'\\' if self.starts_with(b"\\\n") => self.at += 2,
                _ => bytes.push(self.unit()?),
            }
        }
        self.at += 1;
        Ok(Token::Str(bytes))
    }

    fn character(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        self.at += 1;
        if matches!(self.peek(0), b'\'' | b'\n' | 0) {
            return self.fault(start, "this character constant is empty or has no end");
        }
        let unit = self.unit()?;
        if self.peek(0) != b'\'' {
            return self.fault(start, "a character constant must hold one character");
        }
        self.at += 1;
        // Plain char is signed on the machines that we model.
        Ok(Token::Char(i32::from(unit as i8)))
    }

    /// One byte of a string or character constant, escapes resolved.
    fn unit(&mut self) -> Result<u8, Fault> {
        let start = self.at;
        let byte = self.peek(0);
        self.at += 1;
        if byte != b'\\' {
            return Ok(byte);
        }
        let escape = self.peek(0);
        self.at += 1;
        Ok(match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            b'\\' | b'\'' | b'"' | b'?' => escape,
            b'0'..=b'7' => {
                self.at -= 1;
                self.escaped_number(start, 8, 3)?
            }
            b'x' => self.escaped_number(start, 16, usize::MAX)?,
            _ => return self.fault(start, "this escape sequence is unknown"),
        })
    }

    fn escaped_number(&mut self, start: usize, radix: u32, most: usize) -> Result<u8, Fault> {
        let mut value = 0;
        let mut count = 0;
        while let Some(digit) = (self.peek(0) as char).to_digit(radix) {
            if count == most {
                break;
            }
            value = value * radix + digit;
            count += 1;
            self.at += 1;
            if value > 255 {
                return self.fault(start, "this escape sequence does not fit in a character");
            }
        }
        if count == 0 {
            return self.fault(start, "this escape sequence has no digits");
        }
        Ok(value as u8)
    }
}
