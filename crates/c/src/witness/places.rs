//! Marks at loops, statements and calls. Where a statement starts is guessed from the tokens around
//! it; a wrong guess is found in the tree (`unmarked`).

use super::Place;
use super::observe::Marker;
use crate::token::{Key, Punct, Token};

impl Marker<'_> {
    /// Before the condition of a loop is evaluated.
    pub(super) fn at_loop(&self, at: usize, call: &str) -> Option<Vec<(usize, String)>> {
        let (open, _, first_of_condition) = self.condition_of(at)?;
        if self.key(at) == Some(Key::Do) {
            return Some(vec![(self.end(open), format!(" {call};"))]);
        }
        let is_empty = self.punct(first_of_condition) == Some(Punct::Semicolon);
        let rest = if is_empty { ", 1" } else { ", " };
        Some(vec![(self.start(first_of_condition), format!("{call}{rest}"))])
    }

    /// Of an `if` or a loop: the parenthesis or brace that opens, the token after the condition,
    /// and its first token.
    pub(super) fn condition_of(&self, at: usize) -> Option<(usize, usize, usize)> {
        let open = at + 1;
        if self.key(at) == Some(Key::Do) {
            return (self.punct(open) == Some(Punct::BraceOpen)).then_some((open, open, open));
        }
        if self.punct(open) != Some(Punct::Open) {
            return None;
        }
        let close = self.matching(open)?;
        if self.key(at) != Some(Key::For) {
            return Some((open, close, open + 1));
        }
        let depth = self.depths[open].0 + 1;
        let mut parts = (open + 1..close).filter(|&at| {
            self.punct(at) == Some(Punct::Semicolon)
                && self.depths[at] == (depth, self.depths[open].1)
        });
        let (first, second) = (parts.next()?, parts.next()?);
        Some((open, second, first + 1))
    }

    /// Before a statement of a function.
    pub(super) fn before_statement(&self, at: usize, call: &str) -> Option<Vec<(usize, String)>> {
        let before = at.checked_sub(1)?;
        let (parens, braces) = self.depths[at];
        let is_label = matches!(self.key(at), Some(Key::Case | Key::Default | Key::Else));
        if parens > 0 || braces == 0 || is_label {
            return None;
        }
        if self.punct(at) == Some(Punct::BraceOpen) {
            // No run comes to what stands before the first label of a `switch`.
            let is_switch = self.key_before_parens(before) == Some(Key::Switch);
            return (!is_switch).then(|| vec![(self.end(at), format!(" {call};"))]);
        }
        let is_start = match self.punct(before) {
            Some(Punct::BraceOpen | Punct::BraceClose | Punct::Semicolon) => true,
            Some(Punct::Colon) => self.ends_label(before),
            _ => false,
        };
        match self.tokens[before].token {
            _ if is_start => {
                // Behind all labels, since jumps come to the statement too.
                let is_label = |at: usize| {
                    matches!(self.tokens[at].token, Token::Name(_))
                        && self.punct(at + 1) == Some(Punct::Colon)
                };
                let first = (at..).step_by(2).find(|&at| !is_label(at))?;
                Some(vec![(self.start(first), format!("{call}; "))])
            }
            // The body of an `if` or a loop without braces.
            Token::Punct(Punct::Close) | Token::Key(Key::Else | Key::Do) => {
                let is_compound = matches!(
                    self.key(at),
                    Some(Key::If | Key::While | Key::For | Key::Do | Key::Switch)
                );
                if is_compound || self.punct(at + 1) == Some(Punct::Colon) {
                    return None;
                }
                let is_end = |&end: &usize| {
                    self.punct(end) == Some(Punct::Semicolon) && self.depths[end] == self.depths[at]
                };
                let end = (at..self.tokens.len()).find(is_end)?;
                Some(vec![(self.start(at), format!("{{ {call}; ")), (self.end(end), " }".into())])
            }
            _ => None,
        }
    }

    /// That a token is in the function that a place names.
    pub(super) fn in_function(&self, at: usize, place: &Place) -> Result<(), String> {
        let Some(asked) = place.function.as_deref().filter(|name| !name.is_empty()) else {
            return Ok(());
        };
        match self.function_around(at).filter(|around| around != asked) {
            Some(around) => {
                let line = place.line;
                Err(format!("line {line}: this place is in `{around}`, not in `{asked}`"))
            }
            None => Ok(()),
        }
    }

    /// The name of the function whose body a token is in, if it is one that ends its head with its
    /// parameters.
    fn function_around(&self, at: usize) -> Option<String> {
        let is_body = |&open: &usize| {
            self.punct(open) == Some(Punct::BraceOpen) && self.depths[open] == (0, 0)
        };
        let body = (0..at).rev().find(is_body).filter(|_| self.depths[at].1 > 0)?;
        let close = body.checked_sub(1).filter(|&at| self.punct(at) == Some(Punct::Close))?;
        let is_open =
            |&at: &usize| self.punct(at) == Some(Punct::Open) && self.depths[at] == (0, 0);
        let name = (0..close).rev().find(is_open)?.checked_sub(1)?;
        let is_name = matches!(self.tokens[name].token, Token::Name(_));
        let bytes = &self.source.bytes()[self.start(name)..self.end(name)];
        is_name.then(|| String::from_utf8_lossy(bytes).into_owned())
    }

    /// The keyword before what is in parentheses, given the closing one.
    fn key_before_parens(&self, close: usize) -> Option<Key> {
        let is_open = |&open: &usize| {
            self.punct(open) == Some(Punct::Open) && self.depths[open].0 == self.depths[close].0
        };
        let is_close = self.punct(close) == Some(Punct::Close);
        let open = is_close.then(|| (0..close).rev().find(is_open)).flatten()?;
        self.key(open.checked_sub(1)?)
    }

    /// Whether a `:` ends a label, rather than the second operand of `?:`.
    fn ends_label(&self, colon: usize) -> bool {
        let ends = |at: usize| {
            matches!(
                self.punct(at),
                Some(Punct::BraceOpen | Punct::BraceClose | Punct::Semicolon | Punct::Colon)
            )
        };
        let mut colon = colon;
        while let Some(before) = colon.checked_sub(1) {
            match self.tokens[before].token {
                Token::Key(Key::Default) => return true,
                Token::Name(_) if before > 0 && ends(before - 1) => {
                    if self.punct(before - 1) != Some(Punct::Colon) {
                        return true;
                    }
                    colon = before - 1;
                }
                _ => {
                    let is_case = |&at: &usize| self.key(at) == Some(Key::Case);
                    let case = (0..colon).rev().find(is_case);
                    return case.is_some_and(|case| self.colon_of(case) == Some(colon));
                }
            }
        }
        false
    }

    /// Where a call of a function begins and ends, given its closing parenthesis.
    pub(super) fn call_at(&self, close: usize) -> Option<(usize, usize)> {
        let depth = self.depths[close].0;
        let is_open =
            |&at: &usize| self.punct(at) == Some(Punct::Open) && self.depths[at].0 == depth;
        let open = (0..close).rev().find(is_open)?;
        let callee = open.checked_sub(1)?;
        let is_name = matches!(self.tokens[callee].token, Token::Name(_));
        is_name.then(|| (self.start(callee), self.end(close)))
    }

    /// Around a call, for its result.
    pub(super) fn at_return(
        &self,
        close: usize,
        result: &str,
        call: &str,
    ) -> Option<Vec<(usize, String)>> {
        let (start, end) = self.call_at(close)?;
        let text = String::from_utf8_lossy(&self.source.bytes()[start..end]).into_owned();
        Some(vec![
            (start, format!("({{ __typeof__({text}) {result} = ")),
            (end, format!("; {call}; {result}; }})")),
        ])
    }
}
