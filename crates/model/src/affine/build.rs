//! From linear forms back to terms: equal conditions become equal terms.

use super::form::{Form, constant, range_of};
use crate::term::{BinaryOp, Term, TermId, Terms};

/// The greatest common divisor; 0 of 0 and 0.
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i128
}

/// `form ≤ limit`; `None` if numbers become too large.
pub(super) fn at_most(terms: &mut Terms, form: &Form, limit: i128) -> Option<TermId> {
    let limit = limit.checked_sub(form.constant)?;
    let divisor = form.products.iter().fold(0, |d, &(_, a)| gcd(d, a));
    let Some(&(_, leading)) = form.products.first() else { return Some(terms.bool(limit >= 0)) };
    // The leading factor is positive: `−s ≤ l` is `¬(s ≤ −l − 1)`.
    let products = form.products.iter().map(|&(v, a)| (v, a / divisor * leading.signum()));
    let sum = Form { products: products.collect(), constant: 0 };
    let limit = limit.div_euclid(divisor);
    let (limit, is_negated) = match leading < 0 {
        true => (limit.checked_neg()?.checked_sub(1)?, true),
        false => (limit, false),
    };
    let (low, high) = sum.range(terms)?;
    let holds = if limit >= high {
        terms.bool(true)
    } else if limit < low {
        terms.bool(false)
    } else {
        bounded(terms, &sum, limit, (low, high))?
    };
    Some(if is_negated { terms.not(holds) } else { holds })
}

/// `form ≤ limit` as one comparison; `None` if numbers become too large.
pub(super) fn plain_at_most(terms: &mut Terms, form: &Form, limit: i128) -> Option<TermId> {
    let (low, high) = form.range(terms)?;
    let limit = limit.checked_sub(form.constant)?;
    let sum = Form { products: form.products.clone(), constant: 0 };
    if sum.products.len() <= 1 {
        return at_most(terms, &sum, limit);
    }
    let (low, high) = (low - form.constant, high - form.constant);
    if limit >= high || limit < low {
        return Some(terms.bool(limit >= high));
    }
    // Both sides, and the limit on one of them, stay within a width.
    let reach = high.checked_sub(low)?.checked_mul(2)?;
    let width = 128 - reach.leading_zeros() + 2;
    let positive = side(terms, &sum, width, 1);
    let negative = side(terms, &sum, width, -1);
    let positive = added(terms, positive, width, 0);
    let negative = added(terms, negative, width, limit);
    Some(terms.binary(BinaryOp::Slte, positive, negative))
}

/// `sum ≤ limit`, where the answer is not the same for all values.
fn bounded(
    terms: &mut Terms,
    sum: &Form,
    limit: i128,
    (low, high): (i128, i128),
) -> Option<TermId> {
    if let [((term, signed), 1)] = sum.products[..] {
        let value = constant(terms, terms.width(term), limit);
        let op = if signed { BinaryOp::Slte } else { BinaryOp::Ulte };
        return Some(terms.binary(op, term, value));
    }
    let reach = high.checked_sub(low)?.checked_mul(2)?;
    let width = 128 - reach.leading_zeros() + 1;
    let zero = constant(terms, width, 0);
    let positive = side(terms, sum, width, 1).unwrap_or(zero);
    let Some(negative) = side(terms, sum, width, -1) else {
        let limit = constant(terms, width, limit);
        return Some(terms.binary(BinaryOp::Slte, positive, limit));
    };
    // Without a limit, the sides themselves: this is what models compare. All limits share one
    // difference, so that one bound follows from another easily, and from the one without.
    let limited = |terms: &mut Terms| {
        let difference = terms.binary(BinaryOp::Sub, positive, negative);
        let limit = constant(terms, width, limit);
        terms.binary(BinaryOp::Slte, difference, limit)
    };
    Some(match limit {
        0 => terms.binary(BinaryOp::Slte, positive, negative),
        -1 => terms.binary(BinaryOp::Slt, positive, negative),
        1.. => {
            let (plain, limited) =
                (terms.binary(BinaryOp::Slte, positive, negative), limited(terms));
            terms.binary(BinaryOp::Or, plain, limited)
        }
        _ => {
            let (plain, limited) =
                (terms.binary(BinaryOp::Slt, positive, negative), limited(terms));
            terms.binary(BinaryOp::And, plain, limited)
        }
    })
}

/// `form ≡ 0 (mod 2^log)`; `None` if numbers become too large.
pub(super) fn divides(terms: &mut Terms, form: &Form, log: u32) -> Option<TermId> {
    let (least, greatest) = range_of(log, true)?;
    let turn = greatest - least + 1;
    let reduced = |a: i128| match a.rem_euclid(turn) {
        a if a > greatest => a - turn,
        a => a,
    };
    let products = form.products.iter().map(|&(v, a)| (v, reduced(a)));
    let mut products: Vec<_> = products.filter(|&(_, a)| a != 0).collect();
    let mut rest = reduced(form.constant);
    if products.first().is_some_and(|&(_, a)| a < 0) {
        products.iter_mut().for_each(|(_, a)| *a = -*a);
        rest = -rest;
    }
    let sum = Form { products, constant: 0 };
    let positive = side(terms, &sum, log, 1);
    let negative = side(terms, &sum, log, -1);
    let left = added(terms, positive, log, 0);
    let right = added(terms, negative, log, reduced(-rest));
    Some(terms.binary(BinaryOp::Eq, left, right))
}

/// The products whose factor has this sign, with the other sign if it is negative.
fn side(terms: &mut Terms, sum: &Form, width: u32, sign: i128) -> Option<TermId> {
    let mut made: Option<TermId> = None;
    for &((term, signed), a) in sum.products.iter().filter(|(_, a)| a.signum() == sign) {
        let word = match width.checked_sub(terms.width(term)) {
            Some(0) => term,
            Some(by) => terms.add(Term::Extend { arg: term, by, signed }).expect("a word"),
            None => terms.slice(term, width - 1, 0),
        };
        let product = match a.abs() {
            1 => word,
            factor => {
                let factor = constant(terms, width, factor);
                terms.binary(BinaryOp::Mul, word, factor)
            }
        };
        made = Some(match made {
            None => product,
            Some(others) => terms.binary(BinaryOp::Add, others, product),
        });
    }
    made
}

/// `word + value`.
fn added(terms: &mut Terms, word: Option<TermId>, width: u32, value: i128) -> TermId {
    match word {
        Some(word) if value == 0 => word,
        _ => {
            let value = constant(terms, width, value);
            word.map_or(value, |word| terms.binary(BinaryOp::Add, word, value))
        }
    }
}
