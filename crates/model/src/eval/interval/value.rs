//! Intervals of bit-vectors.

use super::halves::{Halves, Range};
use super::number::Number;
use crate::bv::Bv;
use crate::term::{Scalar, Sort};
use crate::value::{ArrayValue, Ternary, Value};
use num_bigint::BigInt;
use std::fmt;

/// Wider vectors are either known or not: bounds of that many bits would be costly and are of no
/// use.
const MAX_WIDTH: u32 = 4096;

/// A set of vectors of one width that is never empty: those between two unsigned bounds and
/// between two signed bounds.
///
/// The two pairs of bounds refine each other. What they say together are two ranges, one of the
/// vectors whose sign bit is 0 and one of those whose sign bit is 1, and so they are kept.
/// Equality is equality of the sets.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Interval {
    width: u32,
    repr: Repr,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// At most 64 bits.
    Small { low: Part, high: Part },
    /// More.
    Wide(Box<WideParts>),
    /// More than [`MAX_WIDTH`]: known or not.
    Huge(Option<Bv>),
}

/// A range of a half; the first is greater than the last if it is empty.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
struct Part(u64, u64);

#[derive(Clone, PartialEq, Eq, Hash)]
struct WideParts {
    low: Option<Range<BigInt>>,
    high: Option<Range<BigInt>>,
}

impl Part {
    const EMPTY: Part = Part(1, 0);

    fn new(range: Option<Range<i128>>) -> Part {
        range.map_or(Part::EMPTY, |(low, high)| Part(low as u64, high as u64))
    }

    fn range<N: From<u64>>(self) -> Option<Range<N>> {
        (self.0 <= self.1).then(|| (self.0.into(), self.1.into()))
    }
}

/// Numbers in which the halves of an interval can be written.
pub(super) trait Bounds: Number {
    /// The halves; the interval must not be too wide for these numbers.
    fn halves(interval: &Interval) -> Halves<Self>;

    /// The interval.
    fn interval(halves: Halves<Self>) -> Interval;
}

impl Bounds for i128 {
    fn halves(interval: &Interval) -> Halves<i128> {
        match interval.repr {
            Repr::Small { low, high } => {
                Halves { width: interval.width, low: low.range(), high: high.range() }
            }
            _ => unreachable!("at most 64 bits"),
        }
    }

    fn interval(halves: Halves<i128>) -> Interval {
        let repr = Repr::Small { low: Part::new(halves.low), high: Part::new(halves.high) };
        Interval { width: halves.width, repr }
    }
}

impl Bounds for BigInt {
    fn halves(interval: &Interval) -> Halves<BigInt> {
        let width = interval.width;
        match &interval.repr {
            Repr::Small { low, high } => Halves { width, low: low.range(), high: high.range() },
            Repr::Wide(parts) => Halves { width, low: parts.low.clone(), high: parts.high.clone() },
            Repr::Huge(_) => unreachable!("at most {MAX_WIDTH} bits"),
        }
    }

    fn interval(halves: Halves<BigInt>) -> Interval {
        let width = halves.width;
        if width > 64 {
            let parts = WideParts { low: halves.low, high: halves.high };
            return Interval { width, repr: Repr::Wide(Box::new(parts)) };
        }
        let small = |range: Option<Range<BigInt>>| {
            let end = |n: &BigInt| u64::try_from(n).expect("at most 64 bits");
            range.map_or(Part::EMPTY, |(low, high)| Part(end(&low), end(&high)))
        };
        Interval { width, repr: Repr::Small { low: small(halves.low), high: small(halves.high) } }
    }
}

/// Whether vectors of this width have bounds.
pub(super) fn has_bounds(width: u32) -> bool {
    width <= MAX_WIDTH
}

/// Evaluates the expression with `$n` being the number type for vectors up to a width; the
/// last expression is for widths without bounds.
macro_rules! with_numbers {
    ($width:expr, $n:ident => $body:expr, $otherwise:expr) => {
        match $width {
            ..=64 => {
                type $n = i128;
                $body
            }
            width if $crate::eval::interval::value::has_bounds(width) => {
                type $n = num_bigint::BigInt;
                $body
            }
            _ => $otherwise,
        }
    };
}
pub(super) use with_numbers;

impl Interval {
    /// All vectors of this width.
    pub fn full(width: u32) -> Interval {
        let huge = || Interval { width, repr: Repr::Huge(None) };
        with_numbers!(width, N => N::interval(Halves::full(width)), huge())
    }

    /// Those with unsigned values from `low` to `high`, both included; `None` if there is none.
    ///
    /// # Panics
    /// If the widths differ.
    pub fn unsigned(low: &Bv, high: &Bv) -> Option<Interval> {
        if low.ucmp(high).is_gt() {
            return None;
        }
        Some(Interval::between(low, high))
    }

    /// Those with signed values from `low` to `high`, both included; `None` if there is none.
    ///
    /// # Panics
    /// If the widths differ.
    pub fn signed(low: &Bv, high: &Bv) -> Option<Interval> {
        if low.scmp(high).is_gt() {
            return None;
        }
        Some(Interval::between(low, high))
    }

    /// Those with unsigned values from `low` to `high`, as far as the width has them; `None` if
    /// there is none.
    pub fn from_u64s(width: u32, low: u64, high: u64) -> Option<Interval> {
        let most = Bv::ones(width).to_u64().unwrap_or(u64::MAX);
        let high = high.min(most);
        (low <= high)
            .then(|| Interval::between(&Bv::from_u64(width, low), &Bv::from_u64(width, high)))
    }

    /// Those with signed values from `low` to `high`, as far as the width has them; `None` if
    /// there is none.
    pub fn from_i64s(width: u32, low: i64, high: i64) -> Option<Interval> {
        let spare = 64u32.saturating_sub(width);
        let (low, high) = (low.max(i64::MIN >> spare), high.min(i64::MAX >> spare));
        (low <= high)
            .then(|| Interval::between(&Bv::from_i64(width, low), &Bv::from_i64(width, high)))
    }

    /// From `low` upwards to `high`, modulo 2^w: a circular range, which is the unsigned one if
    /// that is not empty, and the signed one if that is not. If it is neither, the result is the
    /// least interval around it.
    pub fn between(low: &Bv, high: &Bv) -> Interval {
        let width = low.width();
        assert_eq!(width, high.width(), "bounds of one width");
        let huge = || {
            let known = (low == high).then(|| low.clone());
            Interval { width, repr: Repr::Huge(known) }
        };
        with_numbers!(width, N => {
            let mut halves = Halves::<N>::empty(width);
            let (from, mut to) = (N::from_bv(low), N::from_bv(high));
            if from > to {
                to += halves.modulus();
            }
            halves.add((from, to));
            N::interval(halves)
        }, huge())
    }

    /// The number of bits.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The least and the greatest by their unsigned values.
    pub fn unsigned_bounds(&self) -> (Bv, Bv) {
        let width = self.width;
        with_numbers!(width, N => {
            let (low, high) = N::halves(self).unsigned();
            (low.to_bv(width), high.to_bv(width))
        }, match &self.repr {
            Repr::Huge(Some(value)) => (value.clone(), value.clone()),
            _ => (Bv::zero(width), Bv::ones(width)),
        })
    }

    /// The least and the greatest by their signed values.
    pub fn signed_bounds(&self) -> (Bv, Bv) {
        let width = self.width;
        with_numbers!(width, N => {
            let halves = N::halves(self);
            let first = halves.high.as_ref().or(halves.low.as_ref());
            let last = halves.low.as_ref().or(halves.high.as_ref());
            let (first, last) = (first.expect("not empty"), last.expect("not empty"));
            (first.0.to_bv(width), last.1.to_bv(width))
        }, match &self.repr {
            Repr::Huge(Some(value)) => (value.clone(), value.clone()),
            _ => {
                let least = Bv::one(width).shifted_left(width - 1);
                (least.clone(), least.not())
            }
        })
    }

    /// The unsigned bounds as machine integers, for at most 64 bits.
    pub fn to_u64s(&self) -> Option<(u64, u64)> {
        match self.repr {
            Repr::Small { low, high } => {
                let first = if low == Part::EMPTY { high.0 } else { low.0 };
                let last = if high == Part::EMPTY { low.1 } else { high.1 };
                Some((first, last))
            }
            _ => None,
        }
    }

    /// The signed bounds as machine integers, for at most 64 bits.
    pub fn to_i64s(&self) -> Option<(i64, i64)> {
        match self.repr {
            Repr::Small { low, high } => {
                let first = if high == Part::EMPTY { low.0 } else { high.0 };
                let last = if low == Part::EMPTY { high.1 } else { low.1 };
                let spare = 64 - self.width;
                let signed = |value: u64| (value << spare) as i64 >> spare;
                Some((signed(first), signed(last)))
            }
            _ => None,
        }
    }

    /// The only vector, if there is only one.
    pub fn as_point(&self) -> Option<Bv> {
        match &self.repr {
            Repr::Small { low, high } => {
                let only = match (*low, *high) {
                    (part, Part::EMPTY) | (Part::EMPTY, part) => part,
                    _ => return None,
                };
                (only.0 == only.1).then(|| Bv::from_u64(self.width, only.0))
            }
            Repr::Wide(_) => {
                <BigInt as Bounds>::halves(self).point().map(|value| value.to_bv(self.width))
            }
            Repr::Huge(known) => known.clone(),
        }
    }

    /// Whether it holds all vectors.
    pub fn is_full(&self) -> bool {
        *self == Interval::full(self.width)
    }

    /// Whether it is the single bit 1.
    pub fn is_true(&self) -> bool {
        self.as_bit() == Ternary::True
    }

    /// Whether it is the single bit 0.
    pub fn is_false(&self) -> bool {
        self.as_bit() == Ternary::False
    }

    /// As a bit that may be unknown.
    ///
    /// # Panics
    /// If the width is not 1.
    pub fn as_bit(&self) -> Ternary {
        assert_eq!(self.width, 1, "a single bit");
        match self.repr {
            Repr::Small { high: Part::EMPTY, .. } => Ternary::False,
            Repr::Small { low: Part::EMPTY, .. } => Ternary::True,
            _ => Ternary::Unknown,
        }
    }

    /// Whether the vector is in it.
    ///
    /// # Panics
    /// If the widths differ; so do `covers`, `join` and `meet`.
    pub fn contains(&self, value: &Bv) -> bool {
        self.covers(&Interval::from(value.clone()))
    }

    /// Whether it holds all of another.
    pub fn covers(&self, other: &Interval) -> bool {
        self.meet(other).is_some_and(|both| both == *other)
    }

    /// The least interval that holds both.
    pub fn join(&self, other: &Interval) -> Interval {
        assert_eq!(self.width, other.width, "intervals of one width");
        if self == other {
            return self.clone();
        }
        with_numbers!(self.width, N => {
            let mut halves = N::halves(self);
            N::halves(other).unsigned_parts().for_each(|range| halves.add(range));
            N::interval(halves)
        }, Interval::full(self.width))
    }

    /// What is in both; `None` if that is nothing.
    pub fn meet(&self, other: &Interval) -> Option<Interval> {
        assert_eq!(self.width, other.width, "intervals of one width");
        with_numbers!(self.width, N => {
            let (a, b) = (N::halves(self), N::halves(other));
            let meet = |a: Option<Range<N>>, b: Option<Range<N>>| {
                let ((a_low, a_high), (b_low, b_high)) = (a?, b?);
                Some((a_low.max(b_low), a_high.min(b_high))).filter(|(low, high)| low <= high)
            };
            let (low, high) = (meet(a.low, b.low), meet(a.high, b.high));
            let is_empty = low.is_none() && high.is_none();
            (!is_empty).then(|| N::interval(Halves { width: self.width, low, high }))
        }, match (&self.repr, &other.repr) {
            (Repr::Huge(Some(a)), Repr::Huge(Some(b))) => (a == b).then(|| self.clone()),
            (Repr::Huge(None), _) => Some(other.clone()),
            _ => Some(self.clone()),
        })
    }
}

/// The interval of one vector.
impl From<Bv> for Interval {
    fn from(value: Bv) -> Interval {
        Interval::between(&value, &value)
    }
}

/// A bit that may be unknown.
impl From<Ternary> for Interval {
    fn from(bit: Ternary) -> Interval {
        bit.known().map_or_else(|| Interval::full(1), |bit| Bv::bit_value(bit).into())
    }
}

/// The signed bounds, and the unsigned ones unless they say the same.
impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((low, high), (from, to)) = (self.unsigned_bounds(), self.signed_bounds());
        write!(f, "{}'[{}, {}]", self.width, low.to_decimal(), high.to_decimal())?;
        if (&low, &high) != (&from, &to) {
            write!(f, " and [{}, {}] signed", signed_decimal(&from), signed_decimal(&to))?;
        }
        Ok(())
    }
}

fn signed_decimal(value: &Bv) -> String {
    match value.is_negative() {
        true => format!("-{}", value.neg().to_decimal()),
        false => value.to_decimal(),
    }
}

/// What is known of a term: an interval, or one for each element of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IntervalValue {
    /// Of a bit-vector.
    Bv(Interval),
    /// Of an array.
    Array(Box<ArrayValue<Interval>>),
    /// All values of a sort with integers, which have no intervals here.
    Opaque(Sort),
}

impl IntervalValue {
    /// All values of a sort.
    pub fn full(sort: Sort) -> IntervalValue {
        match sort {
            Sort::Bv(width) => Interval::full(width).into(),
            Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
                ArrayValue::new(index, Interval::full(element)).into()
            }
            Sort::Int | Sort::Array { .. } => IntervalValue::Opaque(sort),
        }
    }

    /// Its sort.
    pub fn sort(&self) -> Sort {
        match self {
            IntervalValue::Bv(interval) => Sort::Bv(interval.width()),
            IntervalValue::Array(array) => {
                Sort::bv_array(array.index_width(), array.default_element().width())
            }
            IntervalValue::Opaque(sort) => *sort,
        }
    }

    /// The interval of a bit-vector.
    ///
    /// # Panics
    /// If it is of another sort.
    pub fn as_bv(&self) -> &Interval {
        match self {
            IntervalValue::Bv(interval) => interval,
            _ => panic!("an interval of bit-vectors"),
        }
    }

    /// The intervals of an array.
    ///
    /// # Panics
    /// If it is of another sort.
    pub fn as_array(&self) -> &ArrayValue<Interval> {
        match self {
            IntervalValue::Array(array) => array,
            _ => panic!("intervals of an array"),
        }
    }

    /// Whether the value is in it.
    ///
    /// # Panics
    /// If the sorts differ.
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (IntervalValue::Bv(interval), Value::Bv(value)) => interval.contains(value),
            (IntervalValue::Array(array), Value::Array(value)) => {
                let mut listed: Vec<&Bv> =
                    array.entries().map(|e| e.0).chain(value.entries().map(|e| e.0)).collect();
                listed.sort();
                listed.dedup();
                listed.iter().all(|at| array.get(at).contains(value.get(at)))
                    && (array.is_every_index(listed.len())
                        || array.default_element().contains(value.default_element()))
            }
            (IntervalValue::Opaque(sort), value) if value.sort() == *sort => true,
            _ => panic!("a value of the same sort"),
        }
    }

    /// The least that holds both.
    ///
    /// # Panics
    /// If the sorts differ.
    pub fn join(&self, other: &IntervalValue) -> IntervalValue {
        match (self, other) {
            (IntervalValue::Bv(a), IntervalValue::Bv(b)) => a.join(b).into(),
            (IntervalValue::Opaque(sort), _) => IntervalValue::Opaque(*sort),
            _ => {
                let (a, b) = (self.as_array(), other.as_array());
                let default = a.default_element().join(b.default_element());
                let mut joined = ArrayValue::new(a.index_width(), default);
                for at in a.listed(b) {
                    joined.set(at.clone(), a.get(at).join(b.get(at)));
                }
                joined.into()
            }
        }
    }
}

impl From<Interval> for IntervalValue {
    fn from(interval: Interval) -> IntervalValue {
        IntervalValue::Bv(interval)
    }
}

impl From<ArrayValue<Interval>> for IntervalValue {
    fn from(array: ArrayValue<Interval>) -> IntervalValue {
        IntervalValue::Array(Box::new(array))
    }
}

/// The one value; all values if it is one with integers.
impl From<Value> for IntervalValue {
    fn from(value: Value) -> IntervalValue {
        match value {
            Value::Bv(value) => Interval::from(value).into(),
            Value::Array(array) => {
                let default = array.default_element().clone().into();
                let mut intervals = ArrayValue::new(array.index_width(), default);
                for (at, element) in array.entries() {
                    intervals.set(at.clone(), element.clone().into());
                }
                intervals.into()
            }
            value @ (Value::Int(_) | Value::IntArray(_)) => IntervalValue::Opaque(value.sort()),
        }
    }
}
