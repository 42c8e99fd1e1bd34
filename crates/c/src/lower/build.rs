//! Terms as lowering needs them, simplified while they are built, so that what the source says
//! plainly stays plain.

use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, Term, TermId, Terms, UnaryOp};

/// A constant of a width: the low bits of a number.
pub fn constant(terms: &mut Terms, bits: u32, value: u64) -> TermId {
    let value = if bits >= 64 { value } else { value & ((1 << bits) - 1) };
    terms.constant(Bv::from_u64(bits, value))
}

/// The value of a constant term.
pub fn number(terms: &Terms, term: TermId) -> Option<u64> {
    terms.as_constant(term).and_then(Bv::to_u64)
}

/// A unary operator.
pub fn unary(terms: &mut Terms, op: UnaryOp, a: TermId) -> TermId {
    terms.simplified(Term::Unary(op, a))
}

/// A binary operator.
pub fn binary(terms: &mut Terms, op: BinaryOp, a: TermId, b: TermId) -> TermId {
    terms.simplified(Term::Binary(op, a, b))
}

/// `¬a`
pub fn not(terms: &mut Terms, a: TermId) -> TermId {
    unary(terms, UnaryOp::Not, a)
}

/// If-then-else.
pub fn ite(terms: &mut Terms, c: TermId, t: TermId, e: TermId) -> TermId {
    terms.simplified(Term::Ite(c, t, e))
}

/// Bits `high` down to `low`.
pub fn slice(terms: &mut Terms, arg: TermId, high: u32, low: u32) -> TermId {
    terms.simplified(Term::Slice { arg, high, low })
}

/// `a ≠ 0` as a condition.
pub fn non_zero(terms: &mut Terms, a: TermId) -> TermId {
    let bits = terms.width(a);
    if bits == 1 {
        return a;
    }
    // The value of a comparison, an `int`, is a condition again.
    if let Term::Extend { arg, signed: false, .. } = *terms.get(a)
        && terms.width(arg) == 1
    {
        return arg;
    }
    let zero = constant(terms, bits, 0);
    binary(terms, BinaryOp::Neq, a, zero)
}

/// The value with another width: cut off, or extended by zeros or copies of the sign.
pub fn resize(terms: &mut Terms, a: TermId, bits: u32, is_signed: bool) -> TermId {
    let from = terms.width(a);
    match bits <= from {
        true => slice(terms, a, bits - 1, 0),
        false => terms.simplified(Term::Extend { arg: a, by: bits - from, signed: is_signed }),
    }
}
