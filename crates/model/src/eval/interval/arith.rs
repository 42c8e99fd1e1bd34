//! Interval rules of arithmetic, comparisons and overflow tests.
//!
//! Each function gets the halves of its arguments; see [`Halves`] for how the results of the
//! pairs of halves come together.

use super::halves::{Halves, Range};
use super::number::Number;

/// Applies a rule to each pair of unsigned halves.
fn unsigned_pairs<N: Number>(
    a: &Halves<N>,
    b: &Halves<N>,
    mut rule: impl FnMut(&mut Halves<N>, Range<N>, Range<N>),
) -> Halves<N> {
    let mut result = Halves::empty(a.width);
    for x in a.unsigned_parts() {
        for y in b.unsigned_parts() {
            rule(&mut result, x.clone(), y);
        }
    }
    result
}

fn negated<N: Number>((low, high): Range<N>) -> Range<N> {
    (-high, -low)
}

/// `−1 − a`.
pub(super) fn not<N: Number>(a: &Halves<N>) -> Halves<N> {
    let mut result = Halves::empty(a.width);
    for (low, high) in a.unsigned_parts() {
        result.add((a.last() - high, a.last() - low));
    }
    result
}

/// `a + b`; exact: a sum of ranges is a range.
pub(super) fn add<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    unsigned_pairs(a, b, |result, x, y| result.add((x.0 + y.0, x.1 + y.1)))
}

/// `a − b`; exact.
pub(super) fn sub<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    unsigned_pairs(a, b, |result, x, y| result.add((x.0 - y.1, x.1 - y.0)))
}

/// The least and the greatest product: products of ends.
fn product<N: Number>(x: &Range<N>, y: &Range<N>) -> Range<N> {
    let of = |a: &N, b: &N| a.clone() * b.clone();
    let ends = [of(&x.0, &y.0), of(&x.0, &y.1), of(&x.1, &y.0), of(&x.1, &y.1)];
    let least = ends.iter().min().expect("four products").clone();
    let greatest = ends.into_iter().max().expect("four products");
    (least, greatest)
}

/// `a · b`, from signed products, which are the smaller ones.
pub(super) fn mul<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    let mut result = Halves::empty(a.width);
    for (_, x) in a.signed_parts() {
        for (_, y) in b.signed_parts() {
            result.add(product(&x, &y));
        }
    }
    result
}

/// Takes zero out of a range of divisors; returns whether it was there and what is left.
fn without_zero<N: Number>((low, high): Range<N>) -> (bool, Option<Range<N>>) {
    let zero = N::from(0);
    match (low > zero, high > zero) {
        (true, _) => (false, Some((low, high))),
        (false, true) => (true, Some((N::from(1), high))),
        (false, false) => (true, None),
    }
}

/// The least and the greatest quotient; the divisor is positive.
fn quotient<N: Number>(x: Range<N>, d: Range<N>) -> Range<N> {
    (x.0 / d.1, x.1 / d.0)
}

/// Remainders of `x ≥ 0`; the divisor is positive.
fn remainder<N: Number>(x: Range<N>, d: Range<N>) -> Range<N> {
    if x.1 < d.0 {
        return x;
    }
    let most = d.1.clone() - N::from(1);
    let (least_quotient, quotient) = quotient(x.clone(), d.clone());
    if least_quotient == quotient {
        // x mod d = x − q·d with one q for all.
        let low = x.0 - quotient.clone() * d.1;
        return (low.max(N::from(0)), (x.1 - quotient * d.0).min(most));
    }
    (N::from(0), x.1.min(most))
}

/// Unsigned quotient; all ones for a divisor of zero.
pub(super) fn udiv<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    unsigned_pairs(a, b, |result, x, d| {
        let (by_zero, d) = without_zero(d);
        if by_zero {
            result.add_point(a.last());
        }
        if let Some(d) = d {
            result.add(quotient(x, d));
        }
    })
}

/// Unsigned remainder; the dividend for a divisor of zero.
pub(super) fn urem<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    unsigned_pairs(a, b, |result, x, d| {
        let (by_zero, d) = without_zero(d);
        if by_zero {
            result.add(x.clone());
        }
        if let Some(d) = d {
            result.add(remainder(x, d));
        }
    })
}

/// Applies a rule to each pair of signed halves, given as signs and magnitudes; a divisor of
/// zero is apart.
fn divide_signed<N: Number>(
    a: &Halves<N>,
    b: &Halves<N>,
    by_zero: impl Fn(bool, Range<N>) -> Range<N>,
    otherwise: impl Fn(&mut Halves<N>, (bool, Range<N>), (bool, Range<N>)),
) -> Halves<N> {
    let mut result = Halves::empty(a.width);
    for (x_negative, x) in a.magnitudes() {
        for (d_negative, d) in b.magnitudes() {
            let (has_zero, d) = without_zero(d);
            if has_zero {
                result.add(by_zero(x_negative, x.clone()));
            }
            if let Some(d) = d {
                otherwise(&mut result, (x_negative, x.clone()), (d_negative, d));
            }
        }
    }
    result
}

fn signed<N: Number>(is_negative: bool, magnitudes: Range<N>) -> Range<N> {
    if is_negative { negated(magnitudes) } else { magnitudes }
}

/// Signed quotient towards zero; −1 or 1 for a divisor of zero. The least value divided by −1
/// is 2^(w−1), which wraps to itself.
pub(super) fn sdiv<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    let by_zero = |x_negative: bool, _| signed(!x_negative, (N::from(1), N::from(1)));
    divide_signed(a, b, by_zero, |result, (x_negative, x), (d_negative, d)| {
        result.add(signed(x_negative != d_negative, quotient(x, d)));
    })
}

/// Signed remainder with the dividend's sign; the dividend for a divisor of zero.
pub(super) fn srem<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    divide_signed(a, b, signed, |result, (x_negative, x), (_, d)| {
        result.add(signed(x_negative, remainder(x, d)));
    })
}

/// Signed remainder with the divisor's sign; the dividend for a divisor of zero.
pub(super) fn smod<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    divide_signed(a, b, signed, |result, (x_negative, x), (d_negative, d)| {
        let r = remainder(x, d.clone());
        if x_negative == d_negative {
            result.add(signed(d_negative, r));
            return;
        }
        let (zero, one) = (N::from(0), N::from(1));
        if r.0 == zero {
            result.add_point(zero);
        }
        if r.1 >= one {
            // |d| − r for 1 ≤ r < |d|.
            let (least, most) = (d.0 - r.1, d.1 - r.0.max(one.clone()));
            result.add(signed(d_negative, (least.max(one), most)));
        }
    })
}

/// Equal.
pub(super) fn eq<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    let meet = |x: &Option<Range<N>>, y: &Option<Range<N>>| match (x, y) {
        (Some(x), Some(y)) => x.0 <= y.1 && y.0 <= x.1,
        _ => false,
    };
    let can_be_equal = meet(&a.low, &b.low) || meet(&a.high, &b.high);
    let is_equal = a.point().is_some() && a.point() == b.point();
    Halves::bit(!is_equal, can_be_equal)
}

/// `a < b`, from the ends of the two ranges of one order.
pub(super) fn less<N: Number>(a: &Range<N>, b: &Range<N>) -> Halves<N> {
    Halves::bit(a.1 >= b.0, a.0 < b.1)
}

/// Unsigned addition overflows; grows with both arguments.
pub(super) fn uaddo<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    let (x, y, last) = (a.unsigned(), b.unsigned(), a.last());
    Halves::bit(x.0 + y.0 <= last, x.1 + y.1 > last)
}

/// Unsigned multiplication overflows; grows with both arguments.
pub(super) fn umulo<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    let (x, y, last) = (a.unsigned(), b.unsigned(), a.last());
    let overflows = |x: N, y: N| y > N::from(0) && x > last.clone() / y;
    Halves::bit(!overflows(x.0, y.0), overflows(x.1, y.1))
}

/// Whether an exact signed result can leave the width. The rule gives, for halves of known
/// sign, the least and the greatest result; of these the one nearer to zero is one that stays
/// inside if any does.
fn signed_overflow<N: Number>(
    a: &Halves<N>,
    b: &Halves<N>,
    rule: impl Fn(&Range<N>, &Range<N>) -> Range<N>,
) -> Halves<N> {
    let half = N::from(1) << (a.width - 1);
    let (least, greatest) = (-half.clone(), half - N::from(1));
    let (mut can_be_0, mut can_be_1) = (false, false);
    for (_, x) in a.signed_parts() {
        for (_, y) in b.signed_parts() {
            let (low, high) = rule(&x, &y);
            can_be_0 |= low <= greatest && high >= least;
            can_be_1 |= low < least || high > greatest;
        }
    }
    Halves::bit(can_be_0, can_be_1)
}

/// Signed addition overflows.
pub(super) fn saddo<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    signed_overflow(a, b, |x, y| (x.0.clone() + y.0.clone(), x.1.clone() + y.1.clone()))
}

/// Signed subtraction overflows.
pub(super) fn ssubo<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    signed_overflow(a, b, |x, y| (x.0.clone() - y.1.clone(), x.1.clone() - y.0.clone()))
}

/// Signed multiplication overflows.
pub(super) fn smulo<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    signed_overflow(a, b, product)
}

/// Signed division overflows: only the least value divided by −1 does.
pub(super) fn sdivo<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    let (least, minus_one) = (N::from(1) << (a.width - 1), a.last());
    let can_be = a.high.as_ref().is_some_and(|h| h.0 == least)
        && b.high.as_ref().is_some_and(|h| h.1 == minus_one);
    let is = a.point() == Some(&least) && b.point() == Some(&minus_one);
    Halves::bit(!is, can_be)
}

/// All bits are 1.
pub(super) fn redand<N: Number>(a: &Halves<N>) -> Halves<N> {
    let last = a.last();
    let can_be = a.high.as_ref().is_some_and(|h| h.1 == last);
    Halves::bit(a.point() != Some(&last), can_be)
}

/// Some bit is 1.
pub(super) fn redor<N: Number>(a: &Halves<N>) -> Halves<N> {
    let zero = N::from(0);
    let can_be_zero = a.low.as_ref().is_some_and(|l| l.0 == zero);
    Halves::bit(can_be_zero, a.point() != Some(&zero))
}

/// An odd number of bits is 1. Of three successive numbers two differ in nothing but their
/// last bit, so that only shorter ranges can have one parity.
pub(super) fn redxor<N: Number>(a: &Halves<N>) -> Halves<N> {
    let mut can_be = [false, false];
    for (low, high) in a.unsigned_parts() {
        if high.clone() - low.clone() >= N::from(2) {
            return Halves::bit(true, true);
        }
        can_be[low.parity() as usize] = true;
        can_be[high.parity() as usize] = true;
    }
    Halves::bit(can_be[0], can_be[1])
}
