//! The operators on values with unknown bits.
//!
//! Each is *sound*: whatever the unknown bits are, the concrete result fits the ternary one. It
//! is *monotone*: knowing less of the arguments never tells more of the result. And it is
//! *exact* if all bits of the arguments are known. Where cheap it is also as precise as can be;
//! division and the signed overflow tests are not even tried. Integers have no bits: nothing is
//! known of them, and so of what is computed from them.

use crate::bv::Bv;
use crate::eval::ops;
use crate::term::{BinaryOp, Scalar, Sort, Term, TermId, UnaryOp};
use crate::value::{ArrayValue, Ternary, TernaryBv, TernaryValue};
use std::cmp::Ordering;

/// An operator with one argument.
pub fn unary(op: UnaryOp, a: &TernaryBv) -> TernaryBv {
    if let Some(known) = a.as_known() {
        return ops::unary(op, known).into();
    }
    let constant = |value: Bv| TernaryBv::from(value);
    match op {
        UnaryOp::Not => not(a),
        UnaryOp::Inc => add(a, &constant(Bv::zero(a.width())), true),
        UnaryOp::Dec => add(a, &constant(Bv::ones(a.width())), false),
        UnaryOp::Neg => add(&constant(Bv::zero(a.width())), &not(a), true),
        // Some bit is unknown: only a known bit against the rest decides.
        UnaryOp::RedAnd => bit((!a.one_filled().is_ones()).then_some(false)),
        UnaryOp::RedOr => bit((!a.zero_filled().is_zero()).then_some(true)),
        UnaryOp::RedXor => bit(None),
    }
}

/// An operator with two bit-vector arguments.
///
/// # Panics
/// If the widths differ, except for `Concat`.
pub fn binary(op: BinaryOp, a: &TernaryBv, b: &TernaryBv) -> TernaryBv {
    if let (Some(a), Some(b)) = (a.as_known(), b.as_known()) {
        return ops::binary(op, a, b).into();
    }
    match op {
        BinaryOp::Iff | BinaryOp::Xnor => not(&xor(a, b)),
        BinaryOp::Implies => not(&and(a, &not(b))),
        BinaryOp::Eq => bit(a.contradicts(b).then_some(false)),
        BinaryOp::Neq => bit(a.contradicts(b).then_some(true)),
        BinaryOp::Ult | BinaryOp::Usubo => bit(less(a, b)),
        BinaryOp::Ugt => bit(less(b, a)),
        BinaryOp::Ulte => bit(less(b, a).map(|l| !l)),
        BinaryOp::Ugte => bit(less(a, b).map(|l| !l)),
        BinaryOp::Slt => bit(less(&biased(a), &biased(b))),
        BinaryOp::Sgt => bit(less(&biased(b), &biased(a))),
        BinaryOp::Slte => bit(less(&biased(b), &biased(a)).map(|l| !l)),
        BinaryOp::Sgte => bit(less(&biased(a), &biased(b)).map(|l| !l)),
        BinaryOp::And => and(a, b),
        BinaryOp::Nand => not(&and(a, b)),
        BinaryOp::Nor => and(&not(a), &not(b)),
        BinaryOp::Or => not(&and(&not(a), &not(b))),
        BinaryOp::Xor => xor(a, b),
        BinaryOp::Sll | BinaryOp::Srl | BinaryOp::Sra => shift(op, a, b),
        BinaryOp::Rol | BinaryOp::Ror => rotate(op, a, b),
        BinaryOp::Add => add(a, b, false),
        BinaryOp::Sub => add(a, &not(b), true),
        BinaryOp::Mul => mul(a, b),
        // 0 divided by anything, 0 included, leaves 0.
        BinaryOp::Urem | BinaryOp::Srem | BinaryOp::Smod if is_known_zero(a) => a.clone(),
        BinaryOp::Sdiv | BinaryOp::Udiv | BinaryOp::Smod | BinaryOp::Srem | BinaryOp::Urem => {
            TernaryBv::unknown(a.width())
        }
        // These two grow with their arguments: the least and the greatest decide.
        BinaryOp::Uaddo => bit(by_bounds(a, b, Bv::uaddo)),
        BinaryOp::Umulo => bit(by_bounds(a, b, Bv::umulo)),
        BinaryOp::Sdivo => {
            let least = Bv::one(a.width()).shifted_left(a.width() - 1);
            let excluded =
                a.contradicts(&least.into()) || b.contradicts(&Bv::ones(b.width()).into());
            bit(excluded.then_some(false))
        }
        BinaryOp::Saddo | BinaryOp::Ssubo | BinaryOp::Smulo => bit(None),
        BinaryOp::Concat => {
            let value = a.zero_filled().concat(b.zero_filled());
            TernaryBv::new(value, a.known_mask().concat(b.known_mask()))
        }
    }
}

fn bit(value: Option<bool>) -> TernaryBv {
    match value {
        Some(value) => Bv::bit_value(value).into(),
        None => TernaryBv::unknown(1),
    }
}

fn is_known_zero(a: &TernaryBv) -> bool {
    a.as_known().is_some_and(Bv::is_zero)
}

fn not(a: &TernaryBv) -> TernaryBv {
    TernaryBv::new(a.zero_filled().not(), a.known_mask().clone())
}

fn and(a: &TernaryBv, b: &TernaryBv) -> TernaryBv {
    let ones = a.zero_filled().and(b.zero_filled());
    let zeros = a.one_filled().and(&b.one_filled()).not();
    TernaryBv::new(ones.clone(), ones.or(&zeros))
}

fn xor(a: &TernaryBv, b: &TernaryBv) -> TernaryBv {
    TernaryBv::new(a.zero_filled().xor(b.zero_filled()), a.known_mask().and(b.known_mask()))
}

/// `a + b + carry`: a ripple adder with ternary carries, all positions at once. A carry is the
/// majority of three bits, so it is surely 1 where it is 1 in the sum of the least completions,
/// and possibly 1 where it is in that of the greatest.
fn add(a: &TernaryBv, b: &TernaryBv, carry: bool) -> TernaryBv {
    let sum = |a: &Bv, b: &Bv| {
        let sum = a.add(b);
        if carry { sum.add(&Bv::one(sum.width())) } else { sum }
    };
    let (a_low, b_low, a_high, b_high) =
        (a.zero_filled(), b.zero_filled(), a.one_filled(), b.one_filled());
    let (low, high) = (sum(a_low, b_low), sum(&a_high, &b_high));
    let sure_carries = low.xor(a_low).xor(b_low);
    let possible_carries = high.xor(&a_high).xor(&b_high);
    let unknown_carries = sure_carries.xor(&possible_carries);
    TernaryBv::new(low, a.known_mask().and(b.known_mask()).and(&unknown_carries.not()))
}

/// How many of the lowest bits are known, and how many of the lowest bits are known to be 0.
fn known_low(a: &TernaryBv) -> (u32, u32) {
    let count = |obstacle: &Bv| obstacle.lowest_one().unwrap_or(a.width());
    (count(&a.known_mask().not()), count(&a.one_filled()))
}

/// Products: with a = a₀ + 2^k·x and b = 2^z·y, the bits of a·b below k + z do not depend on x;
/// and the same the other way round. An operand that is 0 decides all.
fn mul(a: &TernaryBv, b: &TernaryBv) -> TernaryBv {
    let ((a_known, a_zeros), (b_known, b_zeros)) = (known_low(a), known_low(b));
    let known = (a_known + b_zeros).min(b_known + a_zeros);
    let product = a.zero_filled().mul(b.zero_filled());
    TernaryBv::new(product, Bv::low_ones(a.width(), known))
}

/// A monotone predicate: decided if the least arguments satisfy it or the greatest do not.
fn by_bounds(a: &TernaryBv, b: &TernaryBv, p: impl Fn(&Bv, &Bv) -> bool) -> Option<bool> {
    if p(a.zero_filled(), b.zero_filled()) {
        return Some(true);
    }
    (!p(&a.one_filled(), &b.one_filled())).then_some(false)
}

/// Unsigned `a < b`.
fn less(a: &TernaryBv, b: &TernaryBv) -> Option<bool> {
    if a.one_filled().ucmp(b.zero_filled()) == Ordering::Less {
        return Some(true);
    }
    (a.zero_filled().ucmp(&b.one_filled()) != Ordering::Less).then_some(false)
}

/// With the sign bit flipped: signed order becomes unsigned order.
fn biased(a: &TernaryBv) -> TernaryBv {
    let sign = Bv::one(a.width()).shifted_left(a.width() - 1);
    TernaryBv::new(a.zero_filled().xor(&sign), a.known_mask().clone())
}

/// Shifts by an amount that may be partly unknown: a barrel shifter, whose stage for an unknown
/// bit of the amount keeps what the shifted and the unshifted vector agree on.
fn shift(op: BinaryOp, a: &TernaryBv, by: &TernaryBv) -> TernaryBv {
    let width = a.width();
    let shifted = |a: &TernaryBv, d: u32| {
        let by = (d < width).then(|| Bv::from_u64(width, d as u64));
        // A distance that reaches the width may have no representation in that many bits.
        let apply = |v: &Bv, op: BinaryOp| match &by {
            Some(by) => ops::binary(op, v, by),
            None if op == BinaryOp::Sra && v.is_negative() => Bv::ones(width),
            None => Bv::zero(width),
        };
        let value = apply(a.zero_filled(), op);
        // What is shifted in is known, except for copies of an unknown sign.
        let known = match op {
            BinaryOp::Sra => apply(a.known_mask(), op),
            _ => apply(&a.known_mask().not(), op).not(),
        };
        TernaryBv::new(value, known)
    };
    let mut result = a.clone();
    for i in 0..width {
        let distance = if i < 32 { 1u32 << i } else { u32::MAX };
        match by.bit(i) {
            Ternary::False => {}
            Ternary::True => result = shifted(&result, distance),
            Ternary::Unknown => result = result.join(&shifted(&result, distance)),
        }
        // Every further stage shifts out everything: one of them tells what all tell.
        if distance >= width {
            let rest = shifted(&result, width);
            let higher = i + 1..width;
            if higher.clone().any(|j| by.bit(j) == Ternary::True) {
                return rest;
            }
            if higher.clone().any(|j| by.bit(j) == Ternary::Unknown) {
                result = result.join(&rest);
            }
            break;
        }
    }
    result
}

/// This many unknown bits of a rotation's amount are followed up; with more nothing is known.
const MAX_ROTATION_STAGES: u32 = 64;

/// Rotations by an amount that may be partly unknown: by its known part, then a stage for each
/// unknown bit.
fn rotate(op: BinaryOp, a: &TernaryBv, by: &TernaryBv) -> TernaryBv {
    let width = a.width();
    let unknown = by.known_mask().not();
    let symmetric = a.as_known().is_some_and(|a| a.is_zero() || a.is_ones());
    if symmetric {
        return a.clone();
    }
    if unknown.count_ones() > MAX_ROTATION_STAGES {
        return TernaryBv::unknown(width);
    }
    let rotated = |a: &TernaryBv, by: &Bv| {
        let value = ops::binary(op, a.zero_filled(), by);
        TernaryBv::new(value, ops::binary(op, a.known_mask(), by))
    };
    let mut result = rotated(a, by.zero_filled());
    let mut rest = unknown;
    while let Some(i) = rest.lowest_one() {
        let stage = Bv::one(width).shifted_left(i);
        result = result.join(&rotated(&result, &stage));
        rest = rest.xor(&stage);
    }
    result
}

/// Bits `high` down to `low`.
pub fn slice(a: &TernaryBv, high: u32, low: u32) -> TernaryBv {
    TernaryBv::new(a.zero_filled().slice(high, low), a.known_mask().slice(high, low))
}

/// Extended at the top by `by` bits: copies of the sign if `signed`, else zeros.
pub fn extend(a: &TernaryBv, by: u32, signed: bool) -> TernaryBv {
    let value = ops::extend(a.zero_filled(), by, signed);
    let known = match signed {
        true => a.known_mask().sign_extend(by),
        false => a.known_mask().not().zero_extend(by).not(),
    };
    TernaryBv::new(value, known)
}

/// If the bit `c` holds then `t` else `e`; what they agree on if it is unknown.
pub fn ite(c: Ternary, t: &TernaryValue, e: &TernaryValue) -> TernaryValue {
    match c {
        Ternary::True => t.clone(),
        Ternary::False => e.clone(),
        Ternary::Unknown => t.join(e),
    }
}

/// The element at an index; if that is partly unknown, what all elements agree on whose index
/// it may be.
pub fn read(array: &ArrayValue<TernaryBv>, at: &TernaryBv) -> TernaryBv {
    if let Some(at) = at.as_known() {
        return array.get(at).clone();
    }
    let possible = array.entries().filter(|(i, _)| fits(i, at));
    possible.fold(array.default_element().clone(), |all, (_, element)| all.join(element))
}

/// The array with one element replaced; if the index is partly unknown, every element that may
/// be the replaced one keeps what it has in common with the new one.
pub fn write(
    array: &ArrayValue<TernaryBv>,
    at: &TernaryBv,
    element: &TernaryBv,
) -> ArrayValue<TernaryBv> {
    if let Some(at) = at.as_known() {
        let mut written = array.clone();
        written.set(at.clone(), element.clone());
        return written;
    }
    let default = array.default_element().join(element);
    let mut written = ArrayValue::new(array.index_width(), default);
    for (i, old) in array.entries() {
        let new = if fits(i, at) { old.join(element) } else { old.clone() };
        written.set(i.clone(), new);
    }
    written
}

fn fits(index: &Bv, pattern: &TernaryBv) -> bool {
    index.and(pattern.known_mask()) == *pattern.zero_filled()
}

/// Whether two arrays are equal at every index.
pub fn array_equal(a: &ArrayValue<TernaryBv>, b: &ArrayValue<TernaryBv>) -> Ternary {
    let listed = a.listed(b);
    let rest =
        (!a.is_every_index(listed.len())).then(|| (a.default_element(), b.default_element()));
    let mut all_known = true;
    for (x, y) in listed.iter().map(|at| (a.get(at), b.get(at))).chain(rest) {
        if x.contradicts(y) {
            return Ternary::False;
        }
        all_known &= x.as_known().is_some() && y.as_known().is_some();
    }
    if all_known { Ternary::True } else { Ternary::Unknown }
}

/// The value of a term whose arguments have the values that `of` gives; `None` for a symbol,
/// whose value comes from outside.
///
/// # Panics
/// If the values do not have the sorts of the arguments.
pub fn apply<'a>(term: &Term, of: impl Fn(TermId) -> &'a TernaryValue) -> Option<TernaryValue> {
    use TernaryValue as V;
    Some(match *term {
        Term::Const(ref value) => V::Bv(value.clone().into()),
        Term::Symbol(_) => return None,
        Term::Unary(op, a) => V::Bv(unary(op, of(a).as_bv())),
        Term::Binary(op, a, b) => match (of(a), of(b)) {
            (V::Bv(a), V::Bv(b)) => V::Bv(binary(op, a, b)),
            (V::Array(a), V::Array(b)) => {
                let equal = array_equal(a, b);
                V::Bv(TernaryBv::from_bits(&[equal.flipped(op == BinaryOp::Neq)]))
            }
            _ => V::unknown(Sort::BOOL),
        },
        Term::IntConst(_) | Term::IntNeg(_) => V::Opaque(Sort::Int),
        Term::Int(op, ..) if op.is_comparison() => V::unknown(Sort::BOOL),
        Term::Int(..) => V::Opaque(Sort::Int),
        Term::Ite(c, t, e) => ite(of(c).as_bit(), of(t), of(e)),
        Term::Slice { arg, high, low } => V::Bv(slice(of(arg).as_bv(), high, low)),
        Term::Extend { arg, by, signed } => V::Bv(extend(of(arg).as_bv(), by, signed)),
        Term::ConstArray { index, value } => match (index, of(value)) {
            (Scalar::Bv(index), V::Bv(value)) => V::Array(ArrayValue::new(index, value.clone())),
            (index, value) => {
                let element = value.sort().scalar().expect("elements are no arrays");
                V::Opaque(Sort::Array { index, element })
            }
        },
        Term::Read(array, at) => match (of(array), of(at)) {
            (V::Array(array), V::Bv(at)) => V::Bv(read(array, at)),
            (array, _) => V::unknown(array.sort().element().expect("an array")),
        },
        Term::Write(array, at, value) => match (of(array), of(at), of(value)) {
            (V::Array(array), V::Bv(at), V::Bv(value)) => V::Array(write(array, at, value)),
            (array, ..) => array.clone(),
        },
    })
}

#[cfg(test)]
#[path = "ternary_tests.rs"]
mod tests;
