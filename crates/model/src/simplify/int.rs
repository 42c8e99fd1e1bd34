//! The rules for integers.

use super::Rule::{self, Becomes, Is, Keep};
use crate::term::{IntOp, Term, TermId, Terms};
use num_bigint::{BigInt, Sign};

/// Constants are folded up to this many bits: a chain of squares stays small.
pub(super) const MAX_BITS: u64 = 1 << 12;

/// The comparison that holds where this one does not.
pub(super) fn negated(op: IntOp) -> Option<IntOp> {
    Some(match op {
        IntOp::Le => IntOp::Gt,
        IntOp::Gt => IntOp::Le,
        IntOp::Lt => IntOp::Ge,
        IntOp::Ge => IntOp::Lt,
        IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Div | IntOp::Mod => return None,
    })
}

pub(super) fn negation(terms: &Terms, a: TermId) -> Rule {
    match *terms.get(a) {
        Term::IntNeg(inner) => Is(inner),
        _ => Keep,
    }
}

pub(super) fn binary(terms: &mut Terms, op: IntOp, a: TermId, b: TermId) -> Rule {
    let constant = |terms: &Terms, term: TermId| match terms.get(term) {
        Term::IntConst(value) => Some(BigInt::clone(value)),
        _ => None,
    };
    if a == b {
        match op {
            IntOp::Le | IntOp::Ge => return Is(terms.bool(true)),
            IntOp::Lt | IntOp::Gt => return Is(terms.bool(false)),
            IntOp::Sub => return Is(terms.integer(0)),
            _ => {}
        }
    }
    let (left, right) = (constant(terms, a), constant(terms, b));
    if left.is_some() && right.is_none() && matches!(op, IntOp::Add | IntOp::Mul) {
        return Becomes(Term::Int(op, b, a));
    }
    let Some(right) = right else { return Keep };
    let is_one = right == BigInt::from(1);
    match (op, right.sign()) {
        (IntOp::Add | IntOp::Sub, Sign::NoSign) => Is(a),
        (IntOp::Mul, Sign::NoSign) => Is(b),
        (IntOp::Mul | IntOp::Div, _) if is_one => Is(a),
        (IntOp::Mod, _) if is_one => Is(terms.integer(0)),
        // x - k = x + (-k), and sums of constants are gathered.
        (IntOp::Sub, _) => {
            let minus = terms.integer(-right);
            Becomes(Term::Int(IntOp::Add, a, minus))
        }
        (IntOp::Add, _) => match *terms.get(a) {
            Term::Int(IntOp::Add, x, k) => match constant(terms, k).map(|k| k + right) {
                Some(sum) if sum.bits() <= MAX_BITS => {
                    let sum = terms.integer(sum);
                    Becomes(Term::Int(IntOp::Add, x, sum))
                }
                _ => Keep,
            },
            _ => Keep,
        },
        _ => Keep,
    }
}
