//! Rules for slices.

use super::Rule::{self, Becomes, Is, Keep};
use crate::bv::Bv;
use crate::term::{BinaryOp, Term, TermId, Terms};

pub(super) fn slice(terms: &mut Terms, arg: TermId, high: u32, low: u32) -> Rule {
    if low == 0 && high + 1 == terms.width(arg) {
        return Is(arg);
    }
    match *terms.get(arg) {
        Term::Slice { arg, low: base, .. } => {
            Becomes(Term::Slice { arg, high: high + base, low: low + base })
        }
        Term::Binary(BinaryOp::Concat, top, bottom) => {
            let cut = terms.width(bottom);
            if high < cut {
                Becomes(Term::Slice { arg: bottom, high, low })
            } else if low >= cut {
                Becomes(Term::Slice { arg: top, high: high - cut, low: low - cut })
            } else {
                Keep
            }
        }
        Term::Extend { arg, signed, .. } => {
            let width = terms.width(arg);
            if high < width {
                Becomes(Term::Slice { arg, high, low })
            } else if low >= width && !signed {
                Is(terms.constant(Bv::zero(high - low + 1)))
            } else if low == 0 {
                Becomes(Term::Extend { arg, by: high + 1 - width, signed })
            } else {
                Keep
            }
        }
        // Of what ends with zeros, as many of them can go.
        Term::Binary(BinaryOp::Mul, ..) if low > 0 => match divided(terms, arg, low) {
            Some(arg) => Becomes(Term::Slice { arg, high: high - low, low: 0 }),
            None => Keep,
        },
        Term::Binary(BinaryOp::Add, a, b) if low > 0 => {
            match (divided(terms, a, low), divided(terms, b, low)) {
                (Some(a), Some(b)) => {
                    let arg = terms.simplified(Term::Binary(BinaryOp::Add, a, b));
                    Becomes(Term::Slice { arg, high: high - low, low: 0 })
                }
                _ => Keep,
            }
        }
        _ => Keep,
    }
}

/// The given term divided by `2^by`, but for the highest `by` bits; `None` if it is no plain
/// multiple of that.
fn divided(terms: &mut Terms, term: TermId, by: u32) -> Option<TermId> {
    let of = |value: &Bv| value.lowest_one().is_some_and(|low| low >= by);
    match *terms.get(term) {
        Term::Const(ref value) if of(value) => {
            let value = value.shifted_right(by);
            Some(terms.constant(value))
        }
        Term::Binary(BinaryOp::Mul, a, b) => {
            let (word, factor) = match (terms.as_constant(a), terms.as_constant(b)) {
                (_, Some(factor)) => (a, factor),
                (Some(factor), _) => (b, factor),
                _ => return None,
            };
            let factor = of(factor).then(|| factor.shifted_right(by))?;
            let factor = terms.constant(factor);
            Some(terms.simplified(Term::Binary(BinaryOp::Mul, word, factor)))
        }
        _ => None,
    }
}
