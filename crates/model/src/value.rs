//! Values: concrete (bit-vectors, integers, arrays) and ternary, where a bit may be unknown.

use crate::bv::Bv;
use crate::shared_map::SharedMap;
use crate::term::{Scalar, Sort};
use num_bigint::BigInt;

/// A bit that may be unknown.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash, Default)]
pub enum Ternary {
    /// 0.
    False,
    /// 1.
    True,
    /// Unknown, or of no importance.
    #[default]
    Unknown,
}

impl Ternary {
    /// The value of a known bit.
    pub fn known(self) -> Option<bool> {
        match self {
            Ternary::False => Some(false),
            Ternary::True => Some(true),
            Ternary::Unknown => None,
        }
    }

    /// As witness files write it: `0`, `1` or `x`.
    pub fn to_char(self) -> char {
        match self {
            Ternary::False => '0',
            Ternary::True => '1',
            Ternary::Unknown => 'x',
        }
    }

    /// From `0`, `1`, `x` or `X`.
    pub fn from_char(c: char) -> Option<Ternary> {
        match c {
            '0' => Some(Ternary::False),
            '1' => Some(Ternary::True),
            'x' | 'X' => Some(Ternary::Unknown),
            _ => None,
        }
    }

    /// Negated if `flip`.
    pub fn flipped(self, flip: bool) -> Ternary {
        match (self, flip) {
            (Ternary::False, true) => Ternary::True,
            (Ternary::True, true) => Ternary::False,
            _ => self,
        }
    }

    /// Conjunction: unknown unless a known input decides it.
    pub fn and(self, other: Ternary) -> Ternary {
        match (self, other) {
            (Ternary::False, _) | (_, Ternary::False) => Ternary::False,
            (Ternary::True, Ternary::True) => Ternary::True,
            _ => Ternary::Unknown,
        }
    }

    /// What both agree on: known only where both are known and equal.
    pub fn join(self, other: Ternary) -> Ternary {
        if self == other { self } else { Ternary::Unknown }
    }

    /// Whether both are known and differ.
    pub fn contradicts(self, other: Ternary) -> bool {
        self != other && self != Ternary::Unknown && other != Ternary::Unknown
    }
}

impl From<bool> for Ternary {
    fn from(value: bool) -> Ternary {
        if value { Ternary::True } else { Ternary::False }
    }
}

impl From<Option<bool>> for Ternary {
    fn from(value: Option<bool>) -> Ternary {
        value.map_or(Ternary::Unknown, Ternary::from)
    }
}

/// A bit-vector some of whose bits may be unknown. Unknown bits of `value` are 0, so that
/// equality is structural.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TernaryBv {
    value: Bv,
    known: Bv,
}

impl TernaryBv {
    /// With these bits known, as far as `known` says.
    pub fn new(value: Bv, known: Bv) -> TernaryBv {
        TernaryBv { value: value.and(&known), known }
    }

    /// Nothing known.
    pub fn unknown(width: u32) -> TernaryBv {
        TernaryBv { value: Bv::zero(width), known: Bv::zero(width) }
    }

    /// From bits, least significant first.
    pub fn from_bits(bits: &[Ternary]) -> TernaryBv {
        let value: Vec<bool> = bits.iter().map(|&b| b == Ternary::True).collect();
        let known: Vec<bool> = bits.iter().map(|&b| b != Ternary::Unknown).collect();
        TernaryBv { value: Bv::from_bits(&value), known: Bv::from_bits(&known) }
    }

    /// From `0`, `1`, `x` digits, most significant first.
    pub fn parse(digits: &str) -> Option<TernaryBv> {
        let bits: Option<Vec<Ternary>> = digits.chars().rev().map(Ternary::from_char).collect();
        bits.filter(|b| !b.is_empty()).map(|b| TernaryBv::from_bits(&b))
    }

    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.value.width()
    }

    /// Bit `index`.
    pub fn bit(&self, index: u32) -> Ternary {
        if self.known.bit(index) { self.value.bit(index).into() } else { Ternary::Unknown }
    }

    /// The bits, least significant first.
    pub fn bits(&self) -> impl Iterator<Item = Ternary> + '_ {
        (0..self.width()).map(|i| self.bit(i))
    }

    /// The value with 0 for unknown bits.
    pub fn zero_filled(&self) -> &Bv {
        &self.value
    }

    /// Which bits are known.
    pub fn known_mask(&self) -> &Bv {
        &self.known
    }

    /// The value, if every bit is known.
    pub fn as_known(&self) -> Option<&Bv> {
        self.known.is_ones().then_some(&self.value)
    }

    /// The value with 1 for unknown bits.
    pub fn one_filled(&self) -> Bv {
        self.value.or(&self.known.not())
    }

    /// What both agree on: the bits that are known in both and equal.
    pub fn join(&self, other: &TernaryBv) -> TernaryBv {
        let differ = self.value.xor(&other.value);
        let known = self.known.and(&other.known).and(&differ.not());
        TernaryBv::new(self.value.clone(), known)
    }

    /// Whether some bit is known in both and differs: no value fits both.
    pub fn contradicts(&self, other: &TernaryBv) -> bool {
        let both = self.known.and(&other.known);
        !self.value.xor(&other.value).and(&both).is_zero()
    }

    /// Whether every value that fits `other` also fits `self`.
    pub fn covers(&self, other: &TernaryBv) -> bool {
        other.value.and(&self.known) == self.value && self.known.and(&other.known) == self.known
    }

    /// Only these bits; the others become unknown.
    pub fn restricted(&self, bits: &Bv) -> TernaryBv {
        TernaryBv { value: self.value.and(bits), known: self.known.and(bits) }
    }

    /// The digits `0`, `1`, `x`, most significant first.
    pub fn to_digits(&self) -> String {
        (0..self.width()).rev().map(|i| self.bit(i).to_char()).collect()
    }
}

impl From<Bv> for TernaryBv {
    fn from(value: Bv) -> TernaryBv {
        let known = Bv::ones(value.width());
        TernaryBv { value, known }
    }
}

/// An array: a default and the elements that were set, generic over what an element and an index
/// are. Its size is that of what was written, whatever the sort of the index. Copies share what
/// they have in common.
#[derive(Clone, Debug)]
pub struct ArrayValue<E, I = Bv> {
    index: Scalar,
    default: E,
    entries: SharedMap<I, E>,
}

impl<E: Clone + PartialEq> ArrayValue<E> {
    /// The same element everywhere, by indices of this width.
    pub fn new(index: u32, default: E) -> ArrayValue<E> {
        ArrayValue::everywhere(Scalar::Bv(index), default)
    }

    /// Width of the index.
    pub fn index_width(&self) -> u32 {
        match self.index {
            Scalar::Bv(width) => width,
            Scalar::Int => unreachable!("made by new"),
        }
    }
}

impl<E: Clone + PartialEq, I: Clone + Ord> ArrayValue<E, I> {
    /// The same element everywhere, by indices of this sort.
    fn everywhere(index: Scalar, default: E) -> ArrayValue<E, I> {
        ArrayValue { index, default, entries: SharedMap::new() }
    }

    /// The element where nothing was set.
    pub fn default_element(&self) -> &E {
        &self.default
    }

    /// The elements that differ from the default, by index.
    pub fn entries(&self) -> impl Iterator<Item = (&I, &E)> {
        self.entries.iter()
    }

    /// The element at an index.
    pub fn get(&self, at: &I) -> &E {
        self.entries.get(at).unwrap_or(&self.default)
    }

    /// Replaces the element at an index.
    pub fn set(&mut self, at: I, element: E) {
        if element != self.default {
            self.entries.insert(at, element);
        } else {
            self.entries.remove(&at);
        }
    }

    /// The indices at which this or the other array lists an element, each once, in order.
    pub fn listed<'a>(&'a self, other: &'a ArrayValue<E, I>) -> Vec<&'a I> {
        let keys = self.entries.iter().chain(other.entries.iter()).map(|(key, _)| key);
        let mut keys: Vec<&I> = keys.collect();
        keys.sort();
        keys.dedup();
        keys
    }

    /// Whether this many different indices are all that there are.
    pub fn is_every_index(&self, count: usize) -> bool {
        matches!(self.index, Scalar::Bv(width) if width < 64 && count as u64 == 1u64 << width)
    }
}

/// Equal as functions: the same element at every index.
impl<E: Clone + PartialEq, I: Clone + Ord> PartialEq for ArrayValue<E, I> {
    fn eq(&self, other: &ArrayValue<E, I>) -> bool {
        if self.index != other.index {
            return false;
        }
        if self.entries.is_same(&other.entries) && self.default == other.default {
            return true;
        }
        let listed = self.listed(other);
        // The defaults matter unless the listed indices cover everything.
        listed.iter().all(|k| self.get(k) == other.get(k))
            && (self.default == other.default || self.is_every_index(listed.len()))
    }
}

impl<E: Clone + Eq, I: Clone + Ord> Eq for ArrayValue<E, I> {}

/// A concrete value that is no array.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScalarValue {
    /// A bit-vector.
    Bv(Bv),
    /// An integer.
    Int(BigInt),
}

impl From<ScalarValue> for Value {
    fn from(value: ScalarValue) -> Value {
        match value {
            ScalarValue::Bv(bv) => Value::Bv(bv),
            ScalarValue::Int(integer) => Value::Int(integer),
        }
    }
}

/// An array with integers in it: as index, as element, or both.
pub type IntArrayValue = ArrayValue<ScalarValue, ScalarValue>;

/// A concrete value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A bit-vector.
    Bv(Bv),
    /// An integer.
    Int(BigInt),
    /// An array of bit-vectors by bit-vectors.
    Array(ArrayValue<Bv>),
    /// Any other array.
    IntArray(IntArrayValue),
}

impl Value {
    /// All zero.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bv(width) => Value::Bv(Bv::zero(width)),
            Sort::Int => Value::Int(BigInt::ZERO),
            Sort::Array { index, element } => {
                Value::everywhere(index, &Value::zero(element.into()))
            }
        }
    }

    /// The array that holds one value everywhere.
    ///
    /// # Panics
    /// If the value is an array itself.
    pub fn everywhere(index: Scalar, element: &Value) -> Value {
        match (index, element) {
            (Scalar::Bv(width), Value::Bv(bv)) => Value::Array(ArrayValue::new(width, bv.clone())),
            _ => Value::IntArray(ArrayValue::everywhere(index, element.as_scalar())),
        }
    }

    /// The element of an array at an index.
    ///
    /// # Panics
    /// If it is no array, or the index has another sort; so does [`Value::write`].
    pub fn read(&self, at: &Value) -> Value {
        match self {
            Value::IntArray(array) => array.get(&at.as_scalar()).clone().into(),
            _ => Value::Bv(self.as_array().get(at.as_bv()).clone()),
        }
    }

    /// The array with the element at an index replaced.
    pub fn write(&self, at: &Value, element: &Value) -> Value {
        match self {
            Value::IntArray(array) => {
                let mut written = array.clone();
                written.set(at.as_scalar(), element.as_scalar());
                Value::IntArray(written)
            }
            _ => {
                let mut written = self.as_array().clone();
                written.set(at.as_bv().clone(), element.as_bv().clone());
                Value::Array(written)
            }
        }
    }

    /// Its sort.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bv(bv) => Sort::Bv(bv.width()),
            Value::Int(_) => Sort::Int,
            Value::Array(array) => {
                Sort::bv_array(array.index_width(), array.default_element().width())
            }
            Value::IntArray(array) => {
                let element = match array.default_element() {
                    ScalarValue::Bv(bv) => Scalar::Bv(bv.width()),
                    ScalarValue::Int(_) => Scalar::Int,
                };
                Sort::Array { index: array.index, element }
            }
        }
    }

    /// The bit-vector.
    ///
    /// # Panics
    /// If it is of another sort; so do the others.
    pub fn as_bv(&self) -> &Bv {
        match self {
            Value::Bv(bv) => bv,
            _ => panic!("a bit-vector value"),
        }
    }

    /// The integer.
    pub fn as_int(&self) -> &BigInt {
        match self {
            Value::Int(integer) => integer,
            _ => panic!("an integer value"),
        }
    }

    /// The array of bit-vectors.
    pub fn as_array(&self) -> &ArrayValue<Bv> {
        match self {
            Value::Array(array) => array,
            _ => panic!("an array value"),
        }
    }

    fn as_scalar(&self) -> ScalarValue {
        match self {
            Value::Bv(bv) => ScalarValue::Bv(bv.clone()),
            Value::Int(integer) => ScalarValue::Int(integer.clone()),
            Value::Array(_) | Value::IntArray(_) => panic!("a value that is no array"),
        }
    }
}

/// A value some of whose bits may be unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TernaryValue {
    /// A bit-vector.
    Bv(TernaryBv),
    /// An array.
    Array(ArrayValue<TernaryBv>),
    /// A value of a sort with integers, of which nothing is known: it has no bits.
    Opaque(Sort),
}

impl TernaryValue {
    /// Nothing known.
    pub fn unknown(sort: Sort) -> TernaryValue {
        match sort {
            Sort::Bv(width) => TernaryValue::Bv(TernaryBv::unknown(width)),
            Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
                TernaryValue::Array(ArrayValue::new(index, TernaryBv::unknown(element)))
            }
            Sort::Int | Sort::Array { .. } => TernaryValue::Opaque(sort),
        }
    }

    /// The concrete value with 0 for unknown bits and integers.
    pub fn zero_filled(&self) -> Value {
        match self {
            TernaryValue::Bv(bv) => Value::Bv(bv.zero_filled().clone()),
            TernaryValue::Array(array) => {
                let default = array.default_element().zero_filled().clone();
                let mut filled = ArrayValue::new(array.index_width(), default);
                for (at, element) in array.entries() {
                    filled.set(at.clone(), element.zero_filled().clone());
                }
                Value::Array(filled)
            }
            TernaryValue::Opaque(sort) => Value::zero(*sort),
        }
    }

    /// The bit-vector.
    ///
    /// # Panics
    /// If it is of another sort.
    pub fn as_bv(&self) -> &TernaryBv {
        match self {
            TernaryValue::Bv(bv) => bv,
            _ => panic!("a bit-vector value"),
        }
    }

    /// The array.
    ///
    /// # Panics
    /// If it is of another sort.
    pub fn as_array(&self) -> &ArrayValue<TernaryBv> {
        match self {
            TernaryValue::Array(array) => array,
            _ => panic!("an array value"),
        }
    }

    /// The truth of a one-bit vector.
    pub fn as_bit(&self) -> Ternary {
        self.as_bv().bit(0)
    }

    /// Its sort.
    pub fn sort(&self) -> Sort {
        match self {
            TernaryValue::Bv(bv) => Sort::Bv(bv.width()),
            TernaryValue::Array(array) => {
                Sort::bv_array(array.index_width(), array.default_element().width())
            }
            TernaryValue::Opaque(sort) => *sort,
        }
    }

    /// Whether some bit is known in both and differs: no value fits both.
    ///
    /// # Panics
    /// If the sorts differ; so do `join` and `covers`.
    pub fn contradicts(&self, other: &TernaryValue) -> bool {
        match (self, other) {
            (TernaryValue::Bv(a), TernaryValue::Bv(b)) => a.contradicts(b),
            (TernaryValue::Opaque(_), _) => false,
            _ => somewhere(self.as_array(), other.as_array(), TernaryBv::contradicts),
        }
    }

    /// What both agree on.
    pub fn join(&self, other: &TernaryValue) -> TernaryValue {
        match (self, other) {
            (TernaryValue::Bv(a), TernaryValue::Bv(b)) => TernaryValue::Bv(a.join(b)),
            (TernaryValue::Opaque(sort), _) => TernaryValue::Opaque(*sort),
            _ => {
                let (a, b) = (self.as_array(), other.as_array());
                let default = a.default_element().join(b.default_element());
                let mut joined = ArrayValue::new(a.index_width(), default);
                for at in a.listed(b) {
                    joined.set(at.clone(), a.get(at).join(b.get(at)));
                }
                TernaryValue::Array(joined)
            }
        }
    }

    /// Whether every value that fits `other` also fits `self`.
    pub fn covers(&self, other: &TernaryValue) -> bool {
        match (self, other) {
            (TernaryValue::Bv(a), TernaryValue::Bv(b)) => a.covers(b),
            (TernaryValue::Opaque(_), _) => true,
            _ => !somewhere(self.as_array(), other.as_array(), |a, b| !a.covers(b)),
        }
    }
}

/// Whether two arrays relate so at some index.
fn somewhere(
    a: &ArrayValue<TernaryBv>,
    b: &ArrayValue<TernaryBv>,
    relate: impl Fn(&TernaryBv, &TernaryBv) -> bool,
) -> bool {
    let listed = a.listed(b);
    listed.iter().any(|at| relate(a.get(at), b.get(at)))
        || (!a.is_every_index(listed.len()) && relate(a.default_element(), b.default_element()))
}

impl From<Value> for TernaryValue {
    fn from(value: Value) -> TernaryValue {
        match value {
            Value::Bv(bv) => TernaryValue::Bv(bv.into()),
            Value::Array(array) => {
                let default = array.default_element().clone().into();
                let mut ternary = ArrayValue::new(array.index_width(), default);
                for (at, element) in array.entries() {
                    ternary.set(at.clone(), element.clone().into());
                }
                TernaryValue::Array(ternary)
            }
            value @ (Value::Int(_) | Value::IntArray(_)) => TernaryValue::Opaque(value.sort()),
        }
    }
}
