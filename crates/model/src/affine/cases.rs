//! What a word is, case by case: a linear form under conditions.

use super::build::at_most;
use super::form::{Form, number, number_of, range_of};
use crate::term::{BinaryOp, Term, TermId, Terms, UnaryOp};

/// Words with more cases are left as they are.
const MAX_CASES: usize = 48;
/// How deep terms are looked into; it bounds the recursion, too.
const DEPTH: u32 = 12;

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

    /// `self + factor · other`.
    pub(super) fn plus(&self, other: &Cases, factor: i128) -> Option<Cases> {
        let mut all = Vec::new();
        for (path, form) in self.iter() {
            for (more, added) in other.iter() {
                if let Some(path) = joined(path, more) {
                    all.push((path, form.plus(added, factor)?));
                }
            }
        }
        limited(all)
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

/// A word as a signed or an unsigned number.
pub(super) fn exact(terms: &mut Terms, id: TermId, signed: bool) -> Option<Cases> {
    exact_at(terms, id, signed, DEPTH)
}

fn exact_at(terms: &mut Terms, id: TermId, signed: bool, depth: u32) -> Option<Cases> {
    let opaque = Cases::one(Form::variable(id, signed));
    let term = terms.get(id).clone();
    match term {
        _ if depth == 0 => Some(opaque),
        Term::Const(value) => Some(Cases::one(Form::number(number(&value, signed)?))),
        Term::Extend { arg, by: 0, .. } => exact_at(terms, arg, signed, depth - 1),
        Term::Extend { arg, signed: false, .. } => exact_at(terms, arg, false, depth - 1),
        Term::Extend { arg, signed: true, .. } if signed => exact_at(terms, arg, true, depth - 1),
        Term::Ite(c, t, e) => {
            let these = exact_at(terms, t, signed, depth - 1)?;
            let those = exact_at(terms, e, signed, depth - 1)?;
            Cases::choose((c, true), &these, &those)
        }
        term => {
            let Some((parts, constant)) = sum_of(terms, &term) else { return Some(opaque) };
            let mut cases = Cases::one(Form::number(constant));
            for (part, factor) in parts {
                cases = cases.plus(&exact_at(terms, part, signed, depth - 1)?, factor)?;
            }
            let width = terms.width(id);
            let mut all = Vec::new();
            for (path, form) in cases.0 {
                let wrapped = wrapped(terms, &form, id, width, signed)?;
                all.extend(
                    wrapped.0.into_iter().filter_map(|(p, f)| Some((joined(&path, &p)?, f))),
                );
            }
            limited(all)
        }
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

/// The lowest bits of a word as a number that is right modulo `2^log`.
pub(super) fn modular(terms: &mut Terms, id: TermId, log: u32) -> Option<Cases> {
    modular_at(terms, id, log, DEPTH)
}

fn modular_at(terms: &mut Terms, id: TermId, log: u32, depth: u32) -> Option<Cases> {
    range_of(log, false)?;
    let term = terms.get(id).clone();
    match term {
        Term::Const(value) => Some(Cases::one(Form::number(number(&value, false)?))),
        Term::Extend { arg, signed, .. } if depth > 0 => match terms.width(arg) >= log {
            true => modular_at(terms, arg, log, depth - 1),
            false => exact_at(terms, arg, signed, depth - 1),
        },
        Term::Slice { arg, low: 0, .. } if depth > 0 => modular_at(terms, arg, log, depth - 1),
        Term::Ite(c, t, e) if depth > 0 => {
            let these = modular_at(terms, t, log, depth - 1)?;
            let those = modular_at(terms, e, log, depth - 1)?;
            Cases::choose((c, true), &these, &those)
        }
        term => match sum_of(terms, &term).filter(|_| depth > 0) {
            Some((parts, constant)) => {
                let mut cases = Cases::one(Form::number(constant));
                for (part, factor) in parts {
                    cases = cases.plus(&modular_at(terms, part, log, depth - 1)?, factor)?;
                }
                Some(cases)
            }
            None => {
                let word = if terms.width(id) > log { terms.slice(id, log - 1, 0) } else { id };
                Some(Cases::one(Form::variable(word, false)))
            }
        },
    }
}
