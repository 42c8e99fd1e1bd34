//! A program whose text has the points of a witness marked, so that the front end itself reads the
//! expressions of the witness, in the scope where they stand.
//!
//! A mark is a call of a function of its own, which is an assertion by its shape
//! (`docs/design/c.md`): it becomes a property whose edges have the condition as guard. Marks
//! change no variable, and the program without them is the one that was given: *required for
//! soundness*, both are checked in the tree that the parser makes of the marked text (`effects`,
//! `unmarked`).

use super::Place;
use super::effects::first_effect;
use super::unmarked::Trees;
use crate::lexer::{Lexeme, lex};
use crate::parse::parse;
use crate::source::Source;
use crate::token::{Key, Names, Punct, Token};

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

impl Point {
    /// The expression that the witness gives, or nothing.
    fn value(&self) -> &str {
        match self {
            Point::Loop(value) | Point::Statement(value) => value,
            Point::Case(value) | Point::Return(value) => value,
            Point::Branch(_) | Point::Default | Point::Enter => "",
        }
    }
}

/// A program with marks.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Its text.
    pub text: Vec<u8>,
    /// For each point the number of its mark, or why it has none.
    pub marks: Vec<Result<usize, String>>,
    /// For each mark whether it is the last one that a visit of its place passes.
    pub is_last: Vec<bool>,
}

/// What the names of marks start with.
pub(super) const PREFIX: &str = "__pedra_mark_";

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
    let marker = Marker::new(&source, &tokens);
    let (mut inserts, mut marks, mut known) = (Vec::new(), Vec::new(), Vec::<Known<'_>>::new());
    for (place, point) in points {
        let number = known.len();
        let more = match marker.mark(place, point, number) {
            Ok(more) => more,
            Err(why) => {
                marks.push(Err(why));
                continue;
            }
        };
        let offsets: Vec<usize> = more.iter().map(|(offset, _)| *offset).collect();
        // A point that is there already is the same mark.
        let is_known = |other: &Known<'_>| other.point == point && other.offsets == offsets;
        if let Some(at) = known.iter().position(is_known) {
            marks.push(Ok(at));
            continue;
        }
        let order = |at: usize| Order::of(point, number, at > 0);
        let more = more.into_iter().enumerate();
        inserts.extend(more.map(|(at, (offset, text))| ((offset, order(at)), text)));
        known.push(Known { line: place.line, point, offsets });
        marks.push(Ok(number));
    }
    let marked = with_inserts(text, inserts, known.len());
    check_marked(&marked, text, &known)?;
    Ok(Observed { text: marked, marks, is_last: last_of_place(&known) })
}

/// A mark.
struct Known<'p> {
    line: u32,
    point: &'p Point,
    /// Where texts are inserted for it.
    offsets: Vec<usize>,
}

/// Which marks are the last ones that a visit of their place passes. Those of one kind at one
/// place follow each other: conditions in their order, values from the inside to the outside.
fn last_of_place(known: &[Known<'_>]) -> Vec<bool> {
    let kind = |point: &Point| match point {
        Point::Loop(_) | Point::Statement(_) => Some(0),
        Point::Case(_) | Point::Default => Some(1),
        Point::Return(_) => Some(2),
        // One at each place.
        Point::Branch(_) | Point::Enter => None,
    };
    let place = |mark: &Known<'_>| (kind(mark.point), mark.offsets.first().copied());
    let is_last = |number: usize| {
        let is_same = |other: &Known<'_>| place(other) == place(&known[number]);
        match kind(known[number].point) {
            None => true,
            Some(0) => !known[number + 1..].iter().any(is_same),
            Some(_) => !known[..number].iter().any(is_same),
        }
    };
    (0..known.len()).map(is_last).collect()
}

/// That marks change nothing: what they evaluate has no effects, and what is around them is the
/// program.
fn check_marked(marked: &[u8], plain: &[u8], known: &[Known<'_>]) -> Result<(), String> {
    crate::with_stack(|| {
        let tree = |text: &[u8]| {
            let mut source = Source::new(text);
            parse(&mut source).map_err(|fault| {
                format!("{}: {}", source.location(fault.span.start), fault.message)
            })
        };
        let plain = tree(plain)?;
        let marked = tree(marked).map_err(|why| format!("with the marks of the witness: {why}"))?;
        if let Some((number, why)) = first_effect(&marked) {
            let Known { line, point, .. } = known.get(number).ok_or("a mark is not known")?;
            return Err(format!("line {line}: `{}` {why}", point.value()));
        }
        match Trees::new(&marked, &plain).are_same(OWN + known.len()) {
            true => Ok(()),
            false => Err("with the marks of the witness it is another program".to_owned()),
        }
    })
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

/// How many declarations stand before those of the marks.
const OWN: usize = 2;

/// The text with more text at some places, and the marks' definitions before it.
fn with_inserts(text: &[u8], mut inserts: Vec<Insert>, marks: usize) -> Vec<u8> {
    // One that the program does not declare in another way.
    let error = ["__VERIFIER_error", "reach_error", "__assert_rtn", "__assert"];
    let is_used = |name: &str| text.windows(name.len()).any(|part| part == name.as_bytes());
    let error = error.into_iter().find(|name| !is_used(name)).unwrap_or("__VERIFIER_error");
    let mut out = format!("extern void {error}(); static int __pedra_one = 1;");
    for number in 0..marks {
        out.push_str(&format!(
            " static void {PREFIX}{number}(int holds) {{ if (!holds) {error}(); }}"
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
}

type Marked<T> = Result<T, String>;

impl<'a> Marker<'a> {
    fn new(source: &'a Source, tokens: &'a [Lexeme]) -> Marker<'a> {
        let (mut parens, mut braces) = (0_usize, 0_usize);
        let mut depths = Vec::with_capacity(tokens.len());
        for lexeme in tokens {
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
                _ => {}
            }
        }
        Marker { source, tokens, depths }
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
        if point.value().contains("__pedra_") {
            return Err(format!("line {line}: `{}` has a name of a mark", point.value()));
        }
        let found = self.tokens_at(place);
        if found.is_empty() {
            return Err(format!("line {line}: nothing starts at this place"));
        }
        self.in_function(found[0], place)?;
        let first = |is: &dyn Fn(usize) -> bool| found.iter().copied().find(|&at| is(at));
        let condition = |value: &str| -> Marked<String> {
            check_closed(value).map_err(|why| format!("line {line}: `{value}` {why}"))?;
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
}

/// That an expression is closed in itself; what it does is looked at in the tree.
fn check_closed(value: &str) -> Result<(), &'static str> {
    let (mut source, mut names) = (Source::new(value.as_bytes()), Names::default());
    let Ok(tokens) = lex(&mut source, &mut names) else { return Err("is not a C expression") };
    // What the lexer drops could hide what is written behind the expression.
    if ["//", "/*", "#", "\\", "\n"].iter().any(|dropped| value.contains(dropped)) {
        return Err("has a comment, a line break or a directive");
    }
    let mut open = Vec::new();
    for lexeme in &tokens {
        match lexeme.token {
            Token::Punct(opened @ (Punct::Open | Punct::BracketOpen | Punct::BraceOpen)) => {
                open.push(opened);
            }
            Token::Punct(Punct::Close) if open.pop() == Some(Punct::Open) => {}
            Token::Punct(Punct::BracketClose) if open.pop() == Some(Punct::BracketOpen) => {}
            Token::Punct(Punct::BraceClose) if open.pop() == Some(Punct::BraceOpen) => {}
            Token::Punct(Punct::Close | Punct::BracketClose | Punct::BraceClose) => {
                return Err("has a bracket that was not opened");
            }
            _ => {}
        }
    }
    if open.is_empty() { Ok(()) } else { Err("has a bracket that is not closed") }
}
