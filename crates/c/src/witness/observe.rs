//! A program whose text has the points of a witness marked, so that the front end itself reads the
//! expressions of the witness, in the scope where they stand.
//!
//! A mark is a call of a function of its own, which is an assertion by its shape
//! (`docs/design/c.md`): it becomes a property whose edges have the condition as guard. Marks
//! change no variable: *required for soundness*, what a witness may write is limited to expressions
//! without side effects and calls, token by token.

use super::Place;
use crate::lexer::{Lexeme, lex};
use crate::source::Source;
use crate::token::{Key, Names, Punct, Token};
use rustc_hash::FxHashSet;

/// What is marked at a place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Point {
    /// A condition at the head of a loop.
    Loop(String),
    /// A condition right before a statement.
    Statement(String),
    /// A branch that is taken for *true* or *false*.
    Branch(bool),
    /// The branch of a `switch` for this value.
    Case(String),
    /// The branch of a `switch` for all values that have no `case`.
    Default,
    /// A call, before it.
    Enter,
    /// The return of a call, with a condition on `\result`.
    Return(String),
}

/// A program with marks.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Its text.
    pub text: Vec<u8>,
    /// For each point the number of its mark, or why it has none.
    pub marks: Vec<Result<usize, String>>,
}

/// What the names of marks start with.
const PREFIX: &str = "__pedra_mark_";

/// The mark that a property stands for, by its text.
pub fn mark_of(property: &str) -> Option<usize> {
    let digits: String =
        property.strip_prefix(PREFIX)?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Line markers made blank: positions are then those of the text itself.
pub fn without_line_markers(text: &[u8]) -> Vec<u8> {
    let is_marker = |line: &[u8]| {
        let rest = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        rest.is_some_and(|rest| {
            let rest = rest.strip_prefix(b"line").map_or(rest, <[u8]>::trim_ascii_start);
            rest.first().is_some_and(u8::is_ascii_digit)
        })
    };
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let shown = lines.iter().map(|line| if is_marker(line) { &b""[..] } else { line });
    shown.collect::<Vec<_>>().join(&b'\n')
}

/// Marks points of a program, which must be preprocessed.
///
/// # Errors
/// If the text cannot be read, or has names of marks already.
pub fn observe(text: &[u8], points: &[(Place, Point)]) -> Result<Observed, String> {
    let (mut source, mut names) = (Source::new(text), Names::default());
    let tokens = lex(&mut source, &mut names)
        .map_err(|fault| format!("{}: {}", source.location(fault.span.start), fault.message))?;
    if text.windows(8).any(|window| window == b"__pedra_") {
        return Err("the program uses names that start with __pedra_".to_owned());
    }
    let marker = Marker::new(&source, &tokens, &names);
    let (mut inserts, mut marks, mut known) = (Vec::new(), Vec::new(), Vec::new());
    for (place, point) in points {
        // A point that is there already is the same mark.
        if let Some(at) = known.iter().position(|other| *other == (place, point)) {
            marks.push(Ok(at));
            continue;
        }
        let number = known.len();
        match marker.mark(place, point, number) {
            Ok(more) => {
                let order = |at: usize| Order::of(point, number, at > 0);
                let more = more.into_iter().enumerate();
                inserts.extend(more.map(|(at, (offset, text))| ((offset, order(at)), text)));
                known.push((place, point));
                marks.push(Ok(number));
            }
            Err(why) => marks.push(Err(why)),
        }
    }
    Ok(Observed { text: with_inserts(text, inserts, known.len()), marks })
}

/// In which order texts come that are inserted at one place: those that close something before
/// those that open something; what is around statements around what is around conditions, and that
/// around what is around calls.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Order(bool, i64, i64);

impl Order {
    fn of(point: &Point, number: usize, is_close: bool) -> Order {
        let inside = match point {
            Point::Loop(_) | Point::Statement(_) => 0,
            Point::Branch(_) | Point::Case(_) | Point::Default => 1,
            Point::Enter | Point::Return(_) => 2,
        };
        // What was opened last is closed first.
        let (inside, number) = (inside, number as i64);
        if is_close { Order(false, -inside, -number) } else { Order(true, inside, number) }
    }
}

/// A text, with its place.
type Insert = ((usize, Order), String);

/// The text with more text at some places, and the marks' definitions before it.
fn with_inserts(text: &[u8], mut inserts: Vec<Insert>, marks: usize) -> Vec<u8> {
    let mut out = String::from("extern void __VERIFIER_error(); static int __pedra_one = 1;");
    for number in 0..marks {
        out.push_str(&format!(
            " static void {PREFIX}{number}(int holds) {{ if (!holds) __VERIFIER_error(); }}"
        ));
    }
    out.push_str("\n# 1\n");
    let mut out = out.into_bytes();
    inserts.sort_by_key(|(place, _)| *place);
    let mut at = 0;
    for ((offset, _), more) in inserts {
        out.extend_from_slice(&text[at..offset]);
        out.extend_from_slice(more.as_bytes());
        at = offset;
    }
    out.extend_from_slice(&text[at..]);
    out
}

pub(super) struct Marker<'a> {
    pub(super) source: &'a Source,
    pub(super) tokens: &'a [Lexeme],
    /// For each token how many parentheses and how many braces are open before it.
    pub(super) depths: Vec<(usize, usize)>,
    /// Names that are followed by an opening parenthesis somewhere: functions and macros.
    called: FxHashSet<String>,
}

type Marked<T> = Result<T, String>;

impl<'a> Marker<'a> {
    fn new(source: &'a Source, tokens: &'a [Lexeme], names: &Names) -> Marker<'a> {
        let (mut parens, mut braces) = (0_usize, 0_usize);
        let mut depths = Vec::with_capacity(tokens.len());
        let mut called = FxHashSet::default();
        for (at, lexeme) in tokens.iter().enumerate() {
            let close = |depth: &mut usize| *depth = depth.saturating_sub(1);
            match lexeme.token {
                Token::Punct(Punct::Close) => close(&mut parens),
                Token::Punct(Punct::BraceClose) => close(&mut braces),
                _ => {}
            }
            depths.push((parens, braces));
            match lexeme.token {
                Token::Punct(Punct::Open) => parens += 1,
                Token::Punct(Punct::BraceOpen) => braces += 1,
                Token::Name(name)
                    if matches!(
                        tokens.get(at + 1).map(|l| &l.token),
                        Some(Token::Punct(Punct::Open))
                    ) =>
                {
                    called.insert(names.text(name).to_owned());
                }
                _ => {}
            }
        }
        Marker { source, tokens, depths, called }
    }

    pub(super) fn punct(&self, at: usize) -> Option<Punct> {
        match self.tokens.get(at)?.token {
            Token::Punct(punct) => Some(punct),
            _ => None,
        }
    }

    pub(super) fn key(&self, at: usize) -> Option<Key> {
        match self.tokens.get(at)?.token {
            Token::Key(key) => Some(key),
            _ => None,
        }
    }

    pub(super) fn start(&self, at: usize) -> usize {
        self.tokens[at].span.start as usize
    }

    pub(super) fn end(&self, at: usize) -> usize {
        self.tokens[at].span.end as usize
    }

    /// The parenthesis that closes the one at a token.
    pub(super) fn matching(&self, open: usize) -> Option<usize> {
        let depth = self.depths[open].0;
        let is_end =
            |&at: &usize| self.punct(at) == Some(Punct::Close) && self.depths[at].0 == depth;
        (open + 1..self.tokens.len()).find(is_end)
    }

    /// The tokens at a place: the one at the column, or all of the line.
    fn tokens_at(&self, place: &Place) -> Vec<usize> {
        let base = |file: &str| file.rsplit('/').next().unwrap_or_default().to_owned();
        let is_there = |at: &usize| {
            let location = self.source.location(self.tokens[*at].span.start);
            let is_file = location.file.is_none_or(|file| base(&file) == base(&place.file));
            is_file
                && location.line == place.line as usize
                && place.column.is_none_or(|column| location.column == column as usize)
        };
        (0..self.tokens.len()).filter(is_there).collect()
    }

    /// What is inserted for a point, and where.
    fn mark(&self, place: &Place, point: &Point, number: usize) -> Marked<Vec<(usize, String)>> {
        let line = place.line;
        let found = self.tokens_at(place);
        if found.is_empty() {
            return Err(format!("line {line}: nothing starts at this place"));
        }
        let first = |is: &dyn Fn(usize) -> bool| found.iter().copied().find(|&at| is(at));
        let condition = |value: &str| -> Marked<String> {
            self.check_expression(value).map_err(|why| format!("line {line}: `{value}` {why}"))?;
            Ok(format!("{PREFIX}{number}(!!({value}) & __pedra_one)"))
        };
        match point {
            Point::Loop(value) => {
                let call = condition(value)?;
                let is_loop =
                    |at: usize| matches!(self.key(at), Some(Key::While | Key::For | Key::Do));
                let at = first(&is_loop).ok_or(format!("line {line}: there is no loop here"))?;
                self.at_loop(at, &call).ok_or(format!("line {line}: this loop cannot be marked"))
            }
            Point::Statement(value) => {
                let call = condition(value)?;
                self.before_statement(found[0], &call)
                    .ok_or(format!("line {line}: no statement that can be marked starts here"))
            }
            Point::Branch(is_true) => {
                let call = format!("{PREFIX}{number}(__pedra_one)");
                let is_branch = |at: usize| {
                    matches!(self.key(at), Some(Key::If | Key::While | Key::For))
                        || self.punct(at) == Some(Punct::Question)
                };
                first(&is_branch)
                    .and_then(|at| match self.punct(at) {
                        Some(_) => self.at_choice(at, *is_true, &call),
                        None => self.at_branch(at, *is_true, &call),
                    })
                    .ok_or(format!("line {line}: there is no branch here that can be marked"))
            }
            Point::Case(value) => {
                let result = format!("__pedra_result_{number}");
                let call = condition(&format!("{result} == ({value})"))?;
                first(&|at| self.key(at) == Some(Key::Switch))
                    .and_then(|at| self.at_switch(at, &result, &call))
                    .ok_or(format!("line {line}: there is no switch here that can be marked"))
            }
            Point::Default => {
                let result = format!("__pedra_result_{number}");
                let at = first(&|at| self.key(at) == Some(Key::Switch))
                    .ok_or(format!("line {line}: there is no switch here"))?;
                let others = self
                    .no_case_of(at, &result)
                    .ok_or(format!("line {line}: this switch cannot be marked"))?;
                let call = condition(&others)?;
                self.at_switch(at, &result, &call)
                    .ok_or(format!("line {line}: this switch cannot be marked"))
            }
            Point::Enter => {
                let call = format!("{PREFIX}{number}(__pedra_one)");
                let is_close = |at: usize| self.punct(at) == Some(Punct::Close);
                first(&is_close)
                    .and_then(|at| self.call_at(at))
                    .map(|(start, end)| vec![(start, format!("({call}, ")), (end, ")".into())])
                    .ok_or(format!("line {line}: no call that can be marked ends here"))
            }
            Point::Return(value) => {
                let result = format!("__pedra_result_{number}");
                let value = value.replace("\\result", &result);
                let call = condition(&value)?;
                let is_close = |at: usize| self.punct(at) == Some(Punct::Close);
                first(&is_close)
                    .and_then(|at| self.at_return(at, &result, &call))
                    .ok_or(format!("line {line}: no call that can be marked ends here"))
            }
        }
    }

    /// Before the condition of a loop is evaluated.
    fn at_loop(&self, at: usize, call: &str) -> Option<Vec<(usize, String)>> {
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
    fn before_statement(&self, at: usize, call: &str) -> Option<Vec<(usize, String)>> {
        let before = at.checked_sub(1)?;
        let (parens, braces) = self.depths[at];
        let is_label = matches!(self.key(at), Some(Key::Case | Key::Default | Key::Else));
        if parens > 0 || braces == 0 || is_label {
            return None;
        }
        if self.punct(at) == Some(Punct::BraceOpen) {
            return Some(vec![(self.end(at), format!(" {call};"))]);
        }
        match self.tokens[before].token {
            Token::Punct(
                Punct::BraceOpen | Punct::BraceClose | Punct::Semicolon | Punct::Colon,
            ) => {
                // Behind a label, since jumps come to the statement too.
                let is_name = matches!(self.tokens[at].token, Token::Name(_));
                if is_name && self.punct(at + 1) == Some(Punct::Colon) {
                    return Some(vec![(self.end(at + 1), format!(" {call};"))]);
                }
                Some(vec![(self.start(at), format!("{call}; "))])
            }
            // The body of an `if` or a loop without braces.
            Token::Punct(Punct::Close) | Token::Key(Key::Else | Key::Do) => {
                let is_compound = matches!(
                    self.key(at),
                    Some(Key::If | Key::While | Key::For | Key::Do | Key::Switch)
                );
                if is_compound {
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

    /// Where a call of a function begins and ends, given its closing parenthesis.
    fn call_at(&self, close: usize) -> Option<(usize, usize)> {
        let depth = self.depths[close].0;
        let is_open =
            |&at: &usize| self.punct(at) == Some(Punct::Open) && self.depths[at].0 == depth;
        let open = (0..close).rev().find(is_open)?;
        let callee = open.checked_sub(1)?;
        let is_name = matches!(self.tokens[callee].token, Token::Name(_));
        is_name.then(|| (self.start(callee), self.end(close)))
    }

    /// Around a call, for its result.
    fn at_return(&self, close: usize, result: &str, call: &str) -> Option<Vec<(usize, String)>> {
        let (start, end) = self.call_at(close)?;
        let text = String::from_utf8_lossy(&self.source.bytes()[start..end]).into_owned();
        Some(vec![
            (start, format!("({{ __typeof__({text}) {result} = ")),
            (end, format!("; {call}; {result}; }})")),
        ])
    }

    /// That an expression has no side effects, calls nothing, and is closed in itself.
    fn check_expression(&self, value: &str) -> Result<(), &'static str> {
        let (mut source, mut names) = (Source::new(value.as_bytes()), Names::default());
        let Ok(tokens) = lex(&mut source, &mut names) else { return Err("is not a C expression") };
        // What the lexer drops could hide what is written behind the expression.
        if ["//", "/*", "#", "\\", "\n"].iter().any(|dropped| value.contains(dropped)) {
            return Err("has a comment, a line break or a directive");
        }
        let mut depth = 0_usize;
        for (at, lexeme) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1).map(|lexeme| &lexeme.token);
            let is_opened = next == Some(&Token::Punct(Punct::Open));
            match lexeme.token {
                Token::Punct(Punct::Open | Punct::BracketOpen) => depth += 1,
                Token::Punct(Punct::Close | Punct::BracketClose) => {
                    depth = depth.checked_sub(1).ok_or("has a bracket that was not opened")?;
                }
                Token::Punct(punct) if is_effect(punct) => return Err("has a side effect"),
                Token::Punct(Punct::BraceOpen | Punct::BraceClose | Punct::Semicolon) => {
                    return Err("has a statement");
                }
                Token::Punct(Punct::Comma) => return Err("has a comma"),
                Token::Name(_) if is_opened => return Err("has a call"),
                // `(f)(x)` is a call too, if f is no type.
                Token::Name(name) if self.called.contains(names.text(name)) => {
                    return Err("mentions a function");
                }
                Token::Key(Key::Asm | Key::VaArg | Key::Generic) => return Err("is not supported"),
                Token::Str(_) => return Err("has a string"),
                _ => {}
            }
        }
        if depth > 0 { Err("has a bracket that is not closed") } else { Ok(()) }
    }
}

fn is_effect(punct: Punct) -> bool {
    use Punct::*;
    matches!(
        punct,
        Assign
            | Inc
            | Dec
            | ShlAssign
            | ShrAssign
            | MulAssign
            | DivAssign
            | RemAssign
            | AddAssign
            | SubAssign
            | AndAssign
            | XorAssign
            | OrAssign
    )
}
