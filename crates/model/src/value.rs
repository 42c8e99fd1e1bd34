//! Values: concrete (bit-vectors, arrays) and ternary, where a bit may be unknown.

use crate::bv::Bv;
use crate::term::Sort;
use std::collections::BTreeMap;

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

/// An array: a default and the elements that were set, generic over what an element is.
/// Its size is that of what was written, whatever the width of the index.
#[derive(Clone, Debug)]
pub struct ArrayValue<E> {
    index: u32,
    default: E,
    entries: BTreeMap<Bv, E>,
}

impl<E: Clone + PartialEq> ArrayValue<E> {
    /// The same element everywhere.
    pub fn new(index: u32, default: E) -> ArrayValue<E> {
        ArrayValue { index, default, entries: BTreeMap::new() }
    }

    /// Width of the index.
    pub fn index_width(&self) -> u32 {
        self.index
    }

    /// The element where nothing was set.
    pub fn default_element(&self) -> &E {
        &self.default
    }

    /// The elements that differ from the default, by index.
    pub fn entries(&self) -> impl Iterator<Item = (&Bv, &E)> {
        self.entries.iter()
    }

    /// The element at an index.
    pub fn get(&self, at: &Bv) -> &E {
        self.entries.get(at).unwrap_or(&self.default)
    }

    /// Replaces the element at an index.
    pub fn set(&mut self, at: Bv, element: E) {
        if element == self.default {
            self.entries.remove(&at);
        } else {
            self.entries.insert(at, element);
        }
    }

    /// Whether the listed entries cover every index, so that the default is nowhere.
    fn is_full(&self) -> bool {
        self.index < 64 && self.entries.len() as u64 == 1u64 << self.index
    }
}

/// Equal as functions: the same element at every index.
impl<E: Clone + PartialEq> PartialEq for ArrayValue<E> {
    fn eq(&self, other: &ArrayValue<E>) -> bool {
        if self.index != other.index {
            return false;
        }
        let keys = || self.entries.keys().chain(other.entries.keys());
        if keys().any(|k| self.get(k) != other.get(k)) {
            return false;
        }
        if self.default == other.default || self.is_full() || other.is_full() {
            return true;
        }
        // Different defaults: equal only if the listed indices cover everything.
        let mut listed: Vec<&Bv> = keys().collect();
        listed.sort();
        listed.dedup();
        self.index < 64 && listed.len() as u64 == 1u64 << self.index
    }
}

impl<E: Clone + Eq> Eq for ArrayValue<E> {}

/// A concrete value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A bit-vector.
    Bv(Bv),
    /// An array.
    Array(ArrayValue<Bv>),
}

impl Value {
    /// All zero.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bv(width) => Value::Bv(Bv::zero(width)),
            Sort::Array { index, element } => {
                Value::Array(ArrayValue::new(index, Bv::zero(element)))
            }
        }
    }

    /// The bit-vector.
    ///
    /// # Panics
    /// If it is an array.
    pub fn as_bv(&self) -> &Bv {
        match self {
            Value::Bv(bv) => bv,
            Value::Array(_) => panic!("a bit-vector value"),
        }
    }

    /// The array.
    ///
    /// # Panics
    /// If it is a bit-vector.
    pub fn as_array(&self) -> &ArrayValue<Bv> {
        match self {
            Value::Array(array) => array,
            Value::Bv(_) => panic!("an array value"),
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
}

impl TernaryValue {
    /// Nothing known.
    pub fn unknown(sort: Sort) -> TernaryValue {
        match sort {
            Sort::Bv(width) => TernaryValue::Bv(TernaryBv::unknown(width)),
            Sort::Array { index, element } => {
                TernaryValue::Array(ArrayValue::new(index, TernaryBv::unknown(element)))
            }
        }
    }

    /// The concrete value with 0 for unknown bits.
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
        }
    }

    /// The bit-vector.
    ///
    /// # Panics
    /// If it is an array.
    pub fn as_bv(&self) -> &TernaryBv {
        match self {
            TernaryValue::Bv(bv) => bv,
            TernaryValue::Array(_) => panic!("a bit-vector value"),
        }
    }
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
        }
    }
}
