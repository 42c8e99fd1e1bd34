//! Bytes to tokens. Comments may hold any bytes; everything else is ASCII but for the operators
//! that Boogie also writes in Unicode.

use crate::source::{Fault, Outcome, Source, Span};

/// A token. Signs and keywords are their own text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token<'s> {
    Name(&'s str),
    Word(&'static str),
    Sign(&'static str),
    /// Decimal digits.
    Int(&'s str),
    /// Digits of the value and of the width: `5bv32`.
    Bv(&'s str, &'s str),
    Real,
    /// What is between the quotes.
    Text(&'s str),
    End,
}

const WORDS: &[&str] = &[
    "type",
    "const",
    "unique",
    "function",
    "axiom",
    "var",
    "where",
    "procedure",
    "implementation",
    "returns",
    "modifies",
    "requires",
    "ensures",
    "free",
    "invariant",
    "assert",
    "assume",
    "havoc",
    "call",
    "forall",
    "exists",
    "lambda",
    "if",
    "then",
    "else",
    "while",
    "break",
    "goto",
    "return",
    "old",
    "true",
    "false",
    "int",
    "bool",
    "real",
    "div",
    "mod",
];

/// Longest first.
const SIGNS: &[&str] = &[
    "<==>", "<==", "==>", ":=", "::", "==", "!=", "<=", ">=", "<:", "&&", "||", "++", "**", "{:",
    "+", "-", "*", "/", "%", "<", ">", "!", "(", ")", "[", "]", "{", "}", ":", ";", ",", "=", "|",
];

/// Signs that have a second form.
const UNICODE: &[(&str, Token<'static>)] = &[
    ("⇔", Token::Sign("<==>")),
    ("⇐", Token::Sign("<==")),
    ("⇒", Token::Sign("==>")),
    ("∧", Token::Sign("&&")),
    ("∨", Token::Sign("||")),
    ("¬", Token::Sign("!")),
    ("≠", Token::Sign("!=")),
    ("≤", Token::Sign("<=")),
    ("≥", Token::Sign(">=")),
    ("∀", Token::Word("forall")),
    ("∃", Token::Word("exists")),
    ("λ", Token::Word("lambda")),
    ("•", Token::Sign("::")),
];

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || b"_.$#'`~^\\?".contains(&byte)
}

fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit()
}

/// Whether this is a name in Boogie.
pub(crate) fn is_name(text: &str) -> bool {
    text.bytes().next().is_some_and(starts_name)
        && text.bytes().all(continues_name)
        && !WORDS.contains(&text)
}

/// How many bytes of white space or of one comment are at the start. A comment without end goes
/// to the end of the text.
pub(crate) fn blank(bytes: &[u8]) -> usize {
    let space = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if space > 0 {
        space
    } else if bytes.starts_with(b"//") {
        bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len())
    } else if bytes.starts_with(b"/*") {
        comment(bytes).unwrap_or(bytes.len())
    } else {
        0
    }
}

/// The length of the comment that starts here; comments nest. `None` if it does not end.
fn comment(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// All tokens with their spans, [`Token::End`] at the end.
pub(crate) fn tokens<'s>(source: &Source<'s>) -> Outcome<Vec<(Token<'s>, Span)>> {
    let bytes = source.bytes;
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        let skipped = blank(rest);
        if skipped > 0 {
            if rest.starts_with(b"/*") && comment(rest).is_none() {
                let fault = Fault::new(span(at, 2), "this comment does not end");
                return Err(fault.hint("comments nest: each `/*` needs its own `*/`"));
            }
            at += skipped;
            continue;
        }
        if rest.is_empty() {
            found.push((Token::End, span(at, 0)));
            return Ok(found);
        }
        let (token, length) = token(rest, at)?;
        found.push((token, span(at, length)));
        at += length;
    }
}

fn span(at: usize, length: usize) -> Span {
    Span { start: at as u32, end: (at + length) as u32 }
}

/// ASCII that the lexer has looked at.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("ASCII is UTF-8")
}

/// The token at the start of `rest`, which is not empty, and its length.
fn token(rest: &[u8], at: usize) -> Outcome<(Token<'_>, usize)> {
    let first = rest[0];
    if first.is_ascii_digit() {
        return number(rest, at);
    }
    if starts_name(first) {
        let length = rest.iter().take_while(|&&byte| continues_name(byte)).count();
        let name = text(&rest[..length]);
        let word = WORDS.iter().find(|word| **word == name);
        return Ok((word.map_or(Token::Name(name), |word| Token::Word(word)), length));
    }
    if first == b'"' {
        let end = closing_quote(&rest[1..]);
        let end = end.ok_or_else(|| Fault::new(span(at, 1), "this string does not end"))?;
        let inner = std::str::from_utf8(&rest[1..1 + end]);
        let inner = inner.map_err(|_| Fault::new(span(at, 1), "this string is not UTF-8"))?;
        return Ok((Token::Text(inner), end + 2));
    }
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) {
        return Ok((Token::Sign(sign), sign.len()));
    }
    if let Some((sign, token)) = UNICODE.iter().find(|(sign, _)| rest.starts_with(sign.as_bytes()))
    {
        return Ok((*token, sign.len()));
    }
    let shown = match (1..=rest.len().min(4)).find_map(|n| std::str::from_utf8(&rest[..n]).ok()) {
        Some(shown) => format!("unexpected character `{}`", shown.escape_default()),
        None => "the text is not UTF-8".into(),
    };
    Err(Fault::new(span(at, 1), shown))
}

/// The quote that ends a string: the first one on the line without a backslash before it. As in
/// Boogie, the last one may have one if there is no other.
fn closing_quote(rest: &[u8]) -> Option<usize> {
    let line = rest.iter().take_while(|&&byte| byte != b'\n').count();
    let mut quotes = (0..line).filter(|&at| rest[at] == b'"');
    let is_escaped = |at: usize| at > 0 && rest[at - 1] == b'\\';
    quotes.clone().find(|&at| !is_escaped(at)).or_else(|| quotes.next_back())
}

/// Digits, or digits with `bv` and a width. Real numbers are taken up to their exponent: they are
/// refused anyway.
fn number(rest: &[u8], at: usize) -> Outcome<(Token<'_>, usize)> {
    let digits = |from: usize| rest[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let length = digits(0);
    let value = text(&rest[..length]);
    let after = &rest[length..];
    if after.starts_with(b"bv") && digits(length + 2) > 0 {
        let width = digits(length + 2);
        let end = length + 2 + width;
        return ends(rest, at, end, Token::Bv(value, text(&after[2..2 + width])));
    }
    if after.starts_with(b".") && digits(length + 1) > 0 {
        return Ok((Token::Real, length + 1 + digits(length + 1)));
    }
    if after.starts_with(b"e-") || after.starts_with(b"e") && digits(length + 1) > 0 {
        return Ok((Token::Real, length + 1));
    }
    ends(rest, at, length, Token::Int(value))
}

/// The token, if no name follows it at once.
fn ends<'s>(rest: &[u8], at: usize, end: usize, token: Token<'s>) -> Outcome<(Token<'s>, usize)> {
    match rest.get(end) {
        Some(&byte) if continues_name(byte) => {
            Err(Fault::new(span(at + end, 1), "a number followed by a name"))
        }
        _ => Ok((token, end)),
    }
}
