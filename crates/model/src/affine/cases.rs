//! What a word is, case by case: a linear form under conditions.

use super::build::at_most;
use super::form::{Form, number, number_of, range_of};
use crate::term::{BinaryOp, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;

/// Words with more cases are left as they are.
const MAX_CASES: usize = 48;
/// How deep terms are looked into; it bounds the recursion, too.
const DEPTH: u32 = 12;
/// How many pairs of cases may be joined for one comparison.
const MAX_JOINS: usize = 10_000;

/// Conditions, each true or false.
pub(super) type Path = Vec<(TermId, bool)>;

/// Forms under conditions, of which exactly one path holds.
#[derive(Clone, Debug)]
pub(super) struct Cases(Vec<(Path, Form)>);

impl Cases {
    fn one(form: Form) -> Cases {
        Cases(vec![(Vec::new(), form)])
    }

    /// All cases.
    pub(super) fn iter(&self) -> std::slice::Iter<'_, (Path, Form)> {
        self.0.iter()
    }

    /// These cases where the condition holds, those elsewhere.
    fn choose(condition: (TermId, bool), these: &Cases, those: &Cases) -> Option<Cases> {
        let not = (condition.0, !condition.1);
        let mut all = Vec::new();
        for (literal, cases) in [(condition, these), (not, those)] {
            let under =
                |(path, form): &(Path, Form)| Some((joined(&[literal], path)?, form.clone()));
            all.extend(cases.iter().filter_map(under));
        }
        limited(all)
    }
}

fn limited(all: Vec<(Path, Form)>) -> Option<Cases> {
    (all.len() <= MAX_CASES).then_some(Cases(all))
}

/// Both paths; `None` if they contradict each other.
fn joined(path: &[(TermId, bool)], more: &[(TermId, bool)]) -> Option<Path> {
    let mut all = path.to_vec();
    for &(condition, holds) in more {
        match all.iter().find(|(c, _)| *c == condition) {
            Some(&(_, known)) if known != holds => return None,
            Some(_) => {}
            None => all.push((condition, holds)),
        }
    }
    Some(all)
}

/// How a word is read as a number.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Reading {
    /// As it is, signed or not.
    Exact { signed: bool },
    /// This many of its lowest bits, by a number that is right modulo the power of two.
    Modulo(u32),
}

/// Reads words as forms, and remembers what it has read: terms are shared, and without that the
/// work would double with each level.
pub(super) struct Reader<'t> {
    pub(super) terms: &'t mut Terms,
    /// By term, how it is read, and the depth that was left.
    known: FxHashMap<(TermId, Reading, u32), Option<Cases>>,
    /// How many pairs of cases may still be joined.
    joins: usize,
}

impl Reader<'_> {
    /// Nothing is read yet.
    pub(super) fn new(terms: &mut Terms) -> Reader<'_> {
        Reader { terms, known: FxHashMap::default(), joins: 0 }
    }

    /// The next comparison may cost as much as any.
    pub(super) fn begin(&mut self) {
        self.joins = MAX_JOINS;
    }

    /// `a + factor · b`.
    pub(super) fn plus(&mut self, a: &Cases, b: &Cases, factor: i128) -> Option<Cases> {
        let left = self.joins.checked_sub(a.0.len() * b.0.len());
        self.joins = left.unwrap_or(0);
        left?;
        let mut all = Vec::new();
        for (path, form) in a.iter() {
            for (more, added) in b.iter() {
                if let Some(path) = joined(path, more) {
                    all.push((path, form.plus(added, factor)?));
                }
            }
        }
        limited(all)
    }

    /// A word as a number.
    pub(super) fn read(&mut self, id: TermId, how: Reading) -> Option<Cases> {
        if let Reading::Modulo(log) = how {
            range_of(log, false)?;
        }
        self.read_at(id, how, DEPTH)
    }

    fn read_at(&mut self, id: TermId, how: Reading, depth: u32) -> Option<Cases> {
        let key = (id, how, depth);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let cases = self.read_anew(id, how, depth);
        // What was cut short says nothing of the word.
        if cases.is_some() || self.joins > 0 {
            self.known.insert(key, cases.clone());
        }
        cases
    }

    fn read_anew(&mut self, id: TermId, how: Reading, depth: u32) -> Option<Cases> {
        let term = self.terms.get(id).clone();
        if let Term::Const(value) = &term {
            let signed = how == Reading::Exact { signed: true };
            return Some(Cases::one(Form::number(number(value, signed)?)));
        }
        let Some(below) = depth.checked_sub(1) else { return Some(self.opaque(id, how)) };
        if let Some((arg, how)) = self.inside(&term, how) {
            return self.read_at(arg, how, below);
        }
        if let Term::Ite(c, t, e) = term {
            let these = self.read_at(t, how, below)?;
            let those = self.read_at(e, how, below)?;
            return Cases::choose((c, true), &these, &those);
        }
        let Some((parts, constant)) = sum_of(self.terms, &term) else {
            return Some(self.opaque(id, how));
        };
        let mut cases = Cases::one(Form::number(constant));
        for (part, factor) in parts {
            let part = self.read_at(part, how, below)?;
            cases = self.plus(&cases, &part, factor)?;
        }
        match how {
            Reading::Exact { signed } => self.in_word(cases, id, signed),
            Reading::Modulo(_) => Some(cases),
        }
    }

    /// The word that an extension or a slice is the same as, and how that one is read.
    fn inside(&self, term: &Term, how: Reading) -> Option<(TermId, Reading)> {
        match (term, how) {
            (&Term::Extend { arg, by: 0, .. }, Reading::Exact { .. }) => Some((arg, how)),
            (&Term::Extend { arg, signed: false, .. }, Reading::Exact { .. }) => {
                Some((arg, Reading::Exact { signed: false }))
            }
            (&Term::Extend { arg, signed: true, .. }, Reading::Exact { signed: true }) => {
                Some((arg, how))
            }
            (&Term::Extend { arg, signed, .. }, Reading::Modulo(log)) => {
                match self.terms.width(arg) >= log {
                    true => Some((arg, how)),
                    false => Some((arg, Reading::Exact { signed })),
                }
            }
            (&Term::Slice { arg, low: 0, .. }, Reading::Modulo(_)) => Some((arg, how)),
            _ => None,
        }
    }

    /// The word itself, or its lowest bits, as a variable.
    fn opaque(&mut self, id: TermId, how: Reading) -> Cases {
        Cases::one(match how {
            Reading::Exact { signed } => Form::variable(id, signed),
            Reading::Modulo(log) if self.terms.width(id) > log => {
                Form::variable(self.terms.slice(id, log - 1, 0), false)
            }
            Reading::Modulo(_) => Form::variable(id, false),
        })
    }

    /// What the cases of a sum are in its word, where they may wrap.
    fn in_word(&mut self, cases: Cases, id: TermId, signed: bool) -> Option<Cases> {
        let width = self.terms.width(id);
        let mut all = Vec::new();
        for (path, form) in cases.0 {
            let wrapped = wrapped(self.terms, &form, id, width, signed)?;
            all.extend(wrapped.0.into_iter().filter_map(|(p, f)| Some((joined(&path, &p)?, f))));
        }
        limited(all)
    }
}

/// What the operands of a sum are multiplied with, and what is added.
fn sum_of(terms: &Terms, term: &Term) -> Option<(Vec<(TermId, i128)>, i128)> {
    Some(match *term {
        Term::Unary(UnaryOp::Inc, a) => (vec![(a, 1)], 1),
        Term::Unary(UnaryOp::Dec, a) => (vec![(a, 1)], -1),
        Term::Unary(UnaryOp::Neg, a) => (vec![(a, -1)], 0),
        Term::Binary(BinaryOp::Add, a, b) => (vec![(a, 1), (b, 1)], 0),
        Term::Binary(BinaryOp::Sub, a, b) => (vec![(a, 1), (b, -1)], 0),
        // As signed numbers, since those are smaller.
        Term::Binary(BinaryOp::Mul, a, b) => {
            match (number_of(terms, a, true), number_of(terms, b, true)) {
                (Some(factor), _) => (vec![(b, factor)], 0),
                (_, Some(factor)) => (vec![(a, factor)], 0),
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// The form that a sum has in a word of this width: as it is where it fits, `2^w` less or more
/// where it wraps once, and the word itself where that does not say it.
fn wrapped(terms: &mut Terms, form: &Form, id: TermId, width: u32, signed: bool) -> Option<Cases> {
    let (least, greatest) = range_of(width, signed)?;
    let (low, high) = form.range(terms)?;
    let turn = greatest - least + 1;
    if low < least - turn || high > greatest + turn {
        return Some(Cases::one(Form::variable(id, signed)));
    }
    let mut cases = Cases::one(form.clone());
    if low < least {
        let below = at_most(terms, form, least - 1)?;
        let more = Cases::one(form.plus(&Form::number(turn), 1)?);
        cases = Cases::choose((below, true), &more, &cases)?;
    }
    if high > greatest {
        let within = at_most(terms, form, greatest)?;
        let less = Cases::one(form.plus(&Form::number(turn), -1)?);
        cases = Cases::choose((within, true), &cases, &less)?;
    }
    Some(cases)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn shared_terms_are_read_once() {
        let mut terms = Terms::new();
        let mut word = terms.new_symbol(Sort::Bv(8));
        for _ in 0..DEPTH {
            let condition = terms.new_symbol(Sort::BOOL);
            let more = terms.unary(UnaryOp::Inc, word);
            let other = terms.binary(BinaryOp::Add, word, more);
            word = terms.ite(condition, more, other);
        }
        let mut reader = Reader::new(&mut terms);
        reader.begin();
        let cases = reader.read(word, Reading::Exact { signed: false });
        assert!(cases.is_none(), "too many cases");
        // Each of the three terms of a level, once for each depth that may be left.
        assert!(reader.known.len() <= 3 * (DEPTH * DEPTH) as usize, "{}", reader.known.len());
    }
}
