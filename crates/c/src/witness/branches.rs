//! Marks at branches: `if`, loops, `?:` and `switch`.

use super::observe::Marker;
use crate::token::{Key, Punct, Token};

/// Texts with their places.
type Inserts = Vec<(usize, String)>;

impl Marker<'_> {
    /// Around the condition of an `if` or a loop.
    pub(super) fn at_branch(&self, at: usize, is_true: bool, call: &str) -> Option<Inserts> {
        let (_, after, first) = self.condition_of(at)?;
        let (then, other) = match is_true {
            true => (format!("({call}, 1)"), "0".to_owned()),
            false => ("1".to_owned(), format!("({call}, 0)")),
        };
        let condition = if after == first { "1" } else { "" };
        Some(vec![
            (self.start(first), format!("(({condition}")),
            (self.start(after), format!(") ? {then} : {other})")),
        ])
    }

    /// Around the second or third operand of `?:`, given the `?`.
    pub(super) fn at_choice(&self, at: usize, is_true: bool, call: &str) -> Option<Inserts> {
        let colon = self.colon_of(at)?;
        let (open, end) = match is_true {
            // GNU C: without a second operand there is nothing to mark.
            true if colon == at + 1 => return None,
            true => (at, colon),
            false => (colon, self.end_of_choice(colon)?),
        };
        Some(vec![(self.end(open), format!(" ({call}, (")), (self.start(end), ")) ".to_owned())])
    }

    /// The `:` of a `?` or a `case`.
    pub(super) fn colon_of(&self, question: usize) -> Option<usize> {
        let (mut open, mut choices) = (0_usize, 0_usize);
        for at in question + 1..self.tokens.len() {
            match self.punct(at) {
                Some(punct) if opens(punct) => open += 1,
                Some(punct) if closes(punct) => open = open.checked_sub(1)?,
                Some(Punct::Question) if open == 0 => choices += 1,
                Some(Punct::Colon) if open == 0 && choices == 0 => return Some(at),
                Some(Punct::Colon) if open == 0 => choices -= 1,
                Some(Punct::Semicolon) if open == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// The token after the third operand of `?:`, given the `:`.
    fn end_of_choice(&self, colon: usize) -> Option<usize> {
        let (mut open, mut choices) = (0_usize, 0_usize);
        for at in colon + 1..self.tokens.len() {
            match self.punct(at) {
                Some(punct) if opens(punct) => open += 1,
                Some(punct) if closes(punct) && open == 0 => return Some(at),
                Some(punct) if closes(punct) => open -= 1,
                Some(Punct::Question) if open == 0 => choices += 1,
                Some(Punct::Colon) if open == 0 && choices == 0 => return Some(at),
                Some(Punct::Colon) if open == 0 => choices -= 1,
                Some(Punct::Semicolon | Punct::Comma) if open == 0 => return Some(at),
                _ => {}
            }
        }
        None
    }

    /// Around the value of a `switch`.
    pub(super) fn at_switch(&self, at: usize, result: &str, call: &str) -> Option<Inserts> {
        let (open, close, _) = self.condition_of(at)?;
        let (start, end) = (self.end(open), self.start(close));
        let text = String::from_utf8_lossy(&self.source.bytes()[start..end]).into_owned();
        // The value is promoted, as in a `switch`.
        Some(vec![
            (start, format!("({{ __typeof__(+({text})) {result} = (")),
            (end, format!("); {call}; {result}; }})")),
        ])
    }

    /// That a value is that of no `case` of a `switch`. The labels are converted to its type.
    pub(super) fn no_case_of(&self, at: usize, result: &str) -> Option<String> {
        let (_, close, _) = self.condition_of(at)?;
        let (open, mut conditions) = (close + 1, vec!["1".to_owned()]);
        if self.punct(open) != Some(Punct::BraceOpen) {
            return None;
        }
        let (mut next, end) = (open + 1, self.closing_brace(open)?);
        while next < end {
            match self.key(next) {
                // The labels of a switch inside are its own.
                Some(Key::Switch) => {
                    let (_, close, _) = self.condition_of(next)?;
                    let is_block = self.punct(close + 1) == Some(Punct::BraceOpen);
                    next = if is_block { self.closing_brace(close + 1)? } else { return None };
                }
                Some(Key::Case) => {
                    let colon = (next..end).find(|&at| self.punct(at) == Some(Punct::Colon))?;
                    let text = &self.source.bytes()[self.end(next)..self.start(colon)];
                    let text = String::from_utf8_lossy(text).into_owned();
                    let value = |text: &str| format!("(__typeof__({result}))({text})");
                    let tokens = &self.tokens[next..colon];
                    let has_choice =
                        tokens.iter().any(|lexeme| lexeme.token == Token::Punct(Punct::Question));
                    match text.split_once("...") {
                        _ if has_choice => return None,
                        Some((low, high)) => conditions.push(format!(
                            "({result} < {} | {result} > {})",
                            value(low),
                            value(high)
                        )),
                        None => conditions.push(format!("({result} != {})", value(&text))),
                    }
                    next = colon;
                }
                _ => next += 1,
            }
        }
        Some(conditions.join(" & "))
    }

    /// The brace that closes the one at a token.
    fn closing_brace(&self, open: usize) -> Option<usize> {
        let braces = self.depths[open].1;
        let is_end =
            |&at: &usize| self.punct(at) == Some(Punct::BraceClose) && self.depths[at].1 == braces;
        (open + 1..self.tokens.len()).find(is_end)
    }
}

fn opens(punct: Punct) -> bool {
    matches!(punct, Punct::Open | Punct::BracketOpen | Punct::BraceOpen)
}

fn closes(punct: Punct) -> bool {
    matches!(punct, Punct::Close | Punct::BracketClose | Punct::BraceClose)
}
