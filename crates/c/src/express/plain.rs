//! Sums and products that cannot leave their signed type: written as a person would write them,
//! without a detour through unsigned types.

use super::Printer;
use super::text::{Level, Reading, Text, common, next};
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, Term, TermId, Terms, UnaryOp};

/// How deep ranges are looked for; deeper terms have that of their width.
const DEPTH: usize = 8;

/// The numbers that a term can have, read as signed.
fn range(terms: &Terms, term: TermId, depth: usize) -> (i128, i128) {
    let width = terms.width(term).min(64);
    let all = all_signed(width);
    if depth == 0 {
        return all;
    }
    let inner = |term| range(terms, term, depth - 1);
    let found = match *terms.get(term) {
        Term::Const(ref value) => {
            let number = signed_value(value);
            Some((number, number))
        }
        Term::Extend { arg, signed: true, .. } => Some(inner(arg)),
        Term::Extend { arg, signed: false, .. } => Some((0, (1 << terms.width(arg).min(64)) - 1)),
        Term::Unary(UnaryOp::Inc, a) => Some(sum(inner(a), (1, 1))),
        Term::Unary(UnaryOp::Dec, a) => Some(sum(inner(a), (-1, -1))),
        Term::Binary(op, a, b) => result(op, inner(a), inner(b)),
        _ => None,
    };
    found.filter(|found| is_within(*found, all)).unwrap_or(all)
}

fn all_signed(width: u32) -> (i128, i128) {
    (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1)
}

fn signed_value(value: &Bv) -> i128 {
    match value.is_negative() {
        true => -i128::from(value.neg().to_u64().unwrap_or(u64::MAX)),
        false => i128::from(value.to_u64().unwrap_or(u64::MAX)),
    }
}

fn is_within((low, high): (i128, i128), (least, most): (i128, i128)) -> bool {
    least <= low && high <= most
}

fn sum(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    (a.0 + b.0, a.1 + b.1)
}

/// What an operation on numbers can give. All of them are within 64 bits, so nothing overflows.
fn result(op: BinaryOp, a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    match op {
        BinaryOp::Add => Some(sum(a, b)),
        BinaryOp::Sub => Some((a.0 - b.1, a.1 - b.0)),
        BinaryOp::Mul => {
            let ends = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            Some((*ends.iter().min()?, *ends.iter().max()?))
        }
        _ => None,
    }
}

impl Printer<'_, '_> {
    /// `a op b`, if it cannot leave the signed type that C gives it.
    pub(super) fn plain(&self, op: BinaryOp, a: TermId, b: TermId, width: u32) -> Option<Text> {
        let (sign, level) = match op {
            BinaryOp::Add => ("+", Level::Sum),
            BinaryOp::Sub => ("-", Level::Sum),
            BinaryOp::Mul => ("*", Level::Product),
            _ => return None,
        };
        let numbers = result(op, range(self.terms, a, DEPTH), range(self.terms, b, DEPTH))?;
        if !is_within(numbers, all_signed(width.min(64))) {
            return None;
        }
        let (first, second) = (self.signed(a)?, self.signed(b)?);
        let second = self.without_cast(b, second, &first);
        let (bits, is_signed) = common(&first, &second);
        if !is_signed || !is_within(numbers, all_signed(bits)) {
            return None;
        }
        // A negative second number changes the sign of the operation.
        let negative = second.text.strip_prefix('-');
        let (sign, shown) = match (sign, negative.filter(|_| self.constant(b).is_some())) {
            ("+", Some(rest)) => ("-", rest.to_owned()),
            ("-", Some(rest)) => ("+", rest.to_owned()),
            _ => (sign, second.at(next(level))),
        };
        let shown = format!("{} {sign} {shown}", first.at(level));
        Some(Text::new(shown, level, bits, true, Reading::Signed))
    }

    /// A signed number without an extension that the other operand brings about anyway.
    pub(super) fn without_cast(&self, term: TermId, text: Text, other: &Text) -> Text {
        match *self.terms.get(term) {
            Term::Extend { arg, signed: true, .. }
                if other.is_signed && other.bits >= text.bits && self.terms.width(arg) > 1 =>
            {
                self.signed(arg).unwrap_or(text)
            }
            _ => text,
        }
    }
}
