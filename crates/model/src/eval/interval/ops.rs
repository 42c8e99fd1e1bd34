//! The operators on intervals: a flat table, as [`crate::eval::ops`] is on values.

use super::number::Number;
use super::value::{Bounds, Interval, IntervalValue, with_numbers};
use super::{arith, bitwise};
use crate::bv::Bv;
use crate::eval::interval::halves::Halves;
use crate::eval::ops;
use crate::term::{BinaryOp, Scalar, Sort, Term, TermId, UnaryOp};
use crate::value::ArrayValue;
use std::cmp::Ordering;

/// A write at an index that is not known is looked at index by index if it can be at most so
/// many.
const MAX_WRITES: u64 = 16;

/// An array of which more elements are listed is only known as a whole.
const MAX_ELEMENTS: usize = 256;

/// An operator with one argument.
pub fn unary(op: UnaryOp, a: &Interval) -> Interval {
    let width = match op {
        UnaryOp::RedAnd | UnaryOp::RedOr | UnaryOp::RedXor => 1,
        _ => a.width(),
    };
    if let Some(point) = a.as_point() {
        return ops::unary(op, &point).into();
    }
    with_numbers!(a.width(), N => {
        N::interval(unary_halves(op, &N::halves(a)))
    }, Interval::full(width))
}

fn unary_halves<N: Number>(op: UnaryOp, a: &Halves<N>) -> Halves<N> {
    let constant = |value: u32| {
        let mut point = Halves::empty(a.width);
        point.add_point(N::from(value));
        point
    };
    match op {
        UnaryOp::Not => arith::not(a),
        UnaryOp::Inc => arith::add(a, &constant(1)),
        UnaryOp::Dec => arith::sub(a, &constant(1)),
        UnaryOp::Neg => arith::sub(&constant(0), a),
        UnaryOp::RedAnd => arith::redand(a),
        UnaryOp::RedOr => arith::redor(a),
        UnaryOp::RedXor => arith::redxor(a),
    }
}

fn binary_width(op: BinaryOp, a: &Interval, b: &Interval) -> u32 {
    use BinaryOp::*;
    match op {
        Iff | Implies | Eq | Neq | Sgt | Ugt | Sgte | Ugte | Slt | Ult | Slte | Ulte | Saddo
        | Uaddo | Sdivo | Smulo | Umulo | Ssubo | Usubo => 1,
        Concat => a.width() + b.width(),
        _ => a.width(),
    }
}

/// An operator with two bit-vector arguments.
///
/// # Panics
/// If the widths differ, except for `Concat`.
pub fn binary(op: BinaryOp, a: &Interval, b: &Interval) -> Interval {
    assert!(op == BinaryOp::Concat || a.width() == b.width(), "operands of one width");
    if let (Some(a), Some(b)) = (a.as_point(), b.as_point()) {
        return ops::binary(op, &a, &b).into();
    }
    let width = binary_width(op, a, b);
    with_numbers!(width.max(a.width()), N => {
        N::interval(binary_halves(op, &N::halves(a), &N::halves(b)))
    }, Interval::full(width))
}

fn binary_halves<N: Number>(op: BinaryOp, a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    let (not, or) = (arith::not, |a, b| bitwise::bitwise(|p, q| p | q, a, b));
    let ult = |a: &Halves<N>, b: &Halves<N>| arith::less(&a.unsigned(), &b.unsigned());
    let slt = |a: &Halves<N>, b: &Halves<N>| arith::less(&a.signed(), &b.signed());
    match op {
        BinaryOp::Iff | BinaryOp::Eq => arith::eq(a, b),
        BinaryOp::Neq => not(&arith::eq(a, b)),
        BinaryOp::Implies => or(&not(a), b),
        BinaryOp::Ult | BinaryOp::Usubo => ult(a, b),
        BinaryOp::Ugt => ult(b, a),
        BinaryOp::Ulte => not(&ult(b, a)),
        BinaryOp::Ugte => not(&ult(a, b)),
        BinaryOp::Slt => slt(a, b),
        BinaryOp::Sgt => slt(b, a),
        BinaryOp::Slte => not(&slt(b, a)),
        BinaryOp::Sgte => not(&slt(a, b)),
        BinaryOp::And => bitwise::bitwise(|p, q| p & q, a, b),
        BinaryOp::Nand => bitwise::bitwise(|p, q| !(p & q), a, b),
        BinaryOp::Or => or(a, b),
        BinaryOp::Nor => bitwise::bitwise(|p, q| !(p | q), a, b),
        BinaryOp::Xor => bitwise::bitwise(|p, q| p ^ q, a, b),
        BinaryOp::Xnor => bitwise::bitwise(|p, q| p == q, a, b),
        BinaryOp::Rol => bitwise::rol(a, b),
        BinaryOp::Ror => bitwise::ror(a, b),
        BinaryOp::Sll => bitwise::sll(a, b),
        BinaryOp::Sra => bitwise::sra(a, b),
        BinaryOp::Srl => bitwise::srl(a, b),
        BinaryOp::Add => arith::add(a, b),
        BinaryOp::Sub => arith::sub(a, b),
        BinaryOp::Mul => arith::mul(a, b),
        BinaryOp::Udiv => arith::udiv(a, b),
        BinaryOp::Urem => arith::urem(a, b),
        BinaryOp::Sdiv => arith::sdiv(a, b),
        BinaryOp::Srem => arith::srem(a, b),
        BinaryOp::Smod => arith::smod(a, b),
        BinaryOp::Uaddo => arith::uaddo(a, b),
        BinaryOp::Umulo => arith::umulo(a, b),
        BinaryOp::Saddo => arith::saddo(a, b),
        BinaryOp::Ssubo => arith::ssubo(a, b),
        BinaryOp::Smulo => arith::smulo(a, b),
        BinaryOp::Sdivo => arith::sdivo(a, b),
        BinaryOp::Concat => bitwise::concat(a, b),
    }
}

/// An operator both of whose arguments are one term: what interval rules cannot see.
fn same_argument(op: BinaryOp, a: &Interval) -> Option<Interval> {
    use BinaryOp::*;
    let width = a.width();
    Some(match op {
        Iff | Eq | Implies | Ugte | Ulte | Sgte | Slte => Bv::bit_value(true).into(),
        Neq | Ugt | Ult | Sgt | Slt | Usubo | Ssubo => Bv::bit_value(false).into(),
        // The least number through −1: one term is both only at width 1, where it is 1.
        Sdivo if width > 1 => Bv::bit_value(false).into(),
        Sdivo | And | Or => a.clone(),
        Nand | Nor => unary(UnaryOp::Not, a),
        Xor | Sub | Urem | Srem | Smod => Bv::zero(width).into(),
        Xnor => Bv::ones(width).into(),
        _ => return None,
    })
}

/// Bits `high` down to `low`.
pub fn slice(a: &Interval, high: u32, low: u32) -> Interval {
    if let Some(point) = a.as_point() {
        return point.slice(high, low).into();
    }
    let width = high - low + 1;
    with_numbers!(a.width(), N => {
        N::interval(bitwise::slice(&N::halves(a), low, width))
    }, Interval::full(width))
}

/// Extended at the top by `by` bits: copies of the sign if `signed`, else zeros.
pub fn extend(a: &Interval, by: u32, signed: bool) -> Interval {
    if let Some(point) = a.as_point() {
        return ops::extend(&point, by, signed).into();
    }
    let width = a.width() + by;
    with_numbers!(width, N => {
        let halves = N::halves(a);
        let extend = if signed { bitwise::sign_extend } else { bitwise::zero_extend };
        N::interval(extend(&halves, by))
    }, Interval::full(width))
}

/// The element at an index.
fn read(array: &ArrayValue<Interval>, at: &Interval) -> Interval {
    if let Some(at) = at.as_point() {
        return array.get(&at).clone();
    }
    let listed: Vec<&Interval> =
        array.entries().filter(|(index, _)| at.contains(index)).map(|e| e.1).collect();
    // The default does not count if every index that is possible is listed.
    let indices = at.to_u64s().map(|(low, high)| (high - low) as u128 + 1);
    let first = match listed.first() {
        Some(first) if indices == Some(listed.len() as u128) => first,
        _ => array.default_element(),
    };
    listed.iter().fold(first.clone(), |all, element| all.join(element))
}

/// The array with the element at an index replaced.
fn write(array: &ArrayValue<Interval>, at: &Interval, element: &Interval) -> IntervalValue {
    let mut written = array.clone();
    if let Some(at) = at.as_point() {
        written.set(at, element.clone());
    } else {
        let (low, high) = at.unsigned_bounds();
        let few = at.to_u64s().is_some_and(|(low, high)| high - low < MAX_WRITES);
        let mut changed: Vec<Bv> = Vec::new();
        if few {
            let mut index = low;
            loop {
                changed.push(index.clone());
                if index.ucmp(&high) == Ordering::Equal {
                    break;
                }
                index = index.add(&Bv::one(index.width()));
            }
        } else {
            changed.extend(array.entries().map(|e| e.0.clone()));
            let default = array.default_element().join(element);
            written = ArrayValue::new(array.index_width(), default);
        }
        for index in changed {
            let old = array.get(&index);
            let new = if at.contains(&index) { old.join(element) } else { old.clone() };
            written.set(index, new);
        }
    }
    if written.entries().count() > MAX_ELEMENTS {
        let default = written.default_element().clone();
        let all = written.entries().fold(default, |all, (_, element)| all.join(element));
        written = ArrayValue::new(written.index_width(), all);
    }
    written.into()
}

/// Whether two arrays are equal, as far as that is known: at each index that is listed, and
/// elsewhere.
fn arrays_equal(a: &ArrayValue<Interval>, b: &ArrayValue<Interval>) -> Interval {
    let listed = a.listed(b);
    let mut bits: Vec<Interval> =
        listed.iter().map(|at| binary(BinaryOp::Eq, a.get(at), b.get(at))).collect();
    if !a.is_every_index(listed.len()) {
        bits.push(binary(BinaryOp::Eq, a.default_element(), b.default_element()));
    }
    let one = Interval::from(Bv::bit_value(true));
    bits.iter().fold(one, |all, bit| binary(BinaryOp::And, &all, bit))
}

/// What is known of a term whose arguments have the intervals that `of` gives; `None` for a
/// symbol, whose interval comes from outside.
///
/// # Panics
/// If the intervals do not have the sorts of the arguments.
pub fn apply<'a>(term: &Term, of: impl Fn(TermId) -> &'a IntervalValue) -> Option<IntervalValue> {
    Some(match *term {
        Term::Const(ref value) => Interval::from(value.clone()).into(),
        Term::Symbol(_) => return None,
        Term::Unary(op, a) => unary(op, of(a).as_bv()).into(),
        Term::Binary(op, a, b) => match (of(a), of(b)) {
            (IntervalValue::Bv(x), IntervalValue::Bv(y)) => {
                let same = if a == b { same_argument(op, x) } else { None };
                same.unwrap_or_else(|| binary(op, x, y)).into()
            }
            _ if a == b => Interval::from(Bv::bit_value(op == BinaryOp::Eq)).into(),
            (IntervalValue::Array(x), IntervalValue::Array(y)) => {
                let equal = arrays_equal(x, y);
                if op == BinaryOp::Eq { equal.into() } else { unary(UnaryOp::Not, &equal).into() }
            }
            _ => IntervalValue::full(Sort::BOOL),
        },
        Term::IntConst(_) | Term::IntNeg(_) => IntervalValue::Opaque(Sort::Int),
        Term::Int(op, ..) if op.is_comparison() => IntervalValue::full(Sort::BOOL),
        Term::Int(..) => IntervalValue::Opaque(Sort::Int),
        Term::Ite(c, t, e) => match of(c).as_bv().as_bit().known() {
            Some(true) => of(t).clone(),
            Some(false) => of(e).clone(),
            None => of(t).join(of(e)),
        },
        Term::Slice { arg, high, low } => slice(of(arg).as_bv(), high, low).into(),
        Term::Extend { arg, by, signed } => extend(of(arg).as_bv(), by, signed).into(),
        Term::ConstArray { index, value } => match (index, of(value)) {
            (Scalar::Bv(index), IntervalValue::Bv(value)) => {
                ArrayValue::new(index, value.clone()).into()
            }
            (index, value) => {
                let element = value.sort().scalar().expect("elements are no arrays");
                IntervalValue::Opaque(Sort::Array { index, element })
            }
        },
        Term::Read(array, at) => match (of(array), of(at)) {
            (IntervalValue::Array(array), IntervalValue::Bv(at)) => read(array, at).into(),
            (array, _) => IntervalValue::full(array.sort().element().expect("an array")),
        },
        Term::Write(array, at, value) => match (of(array), of(at), of(value)) {
            (IntervalValue::Array(array), IntervalValue::Bv(at), IntervalValue::Bv(value)) => {
                write(array, at, value)
            }
            (array, ..) => array.clone(),
        },
    })
}
