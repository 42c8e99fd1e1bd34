//! Polynomials over words: sums of products, modulo `2^w`.
//!
//! A word is read as a polynomial in what is not a sum or a product: symbols, choices, quotients.
//! Everything is modulo `2^w`, where sums and products of words are exact. Reading is bounded, in
//! depth and in size: what is larger is a variable.

mod prepare;

pub use prepare::{boundaries, spread};

use crate::bv::Bv;
use crate::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// How wide words may be.
pub const MAX_WIDTH: u32 = 64;
/// Polynomials with more monomials, or of a higher degree, are left alone. Those of invariants that
/// people write have at most a dozen, of degree four.
const MAX_MONOMIALS: usize = 120;
const MAX_DEGREE: usize = 10;
/// How deep terms are looked into; it bounds the recursion, too.
const DEPTH: u32 = 40;

/// A product of words: a multiset of terms, of which the lowest `w` bits count.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Monomial(Vec<TermId>);

impl Monomial {
    /// The variables, in order; one that is squared is there twice.
    pub fn variables(&self) -> &[TermId] {
        &self.0
    }

    fn times(&self, other: &Monomial) -> Monomial {
        let mut all = [&self.0[..], &other.0].concat();
        all.sort_unstable();
        Monomial(all)
    }

    /// What is to be multiplied with `by` to get this.
    pub fn divided(&self, by: &Monomial) -> Option<Monomial> {
        let mut rest = self.0.clone();
        for variable in &by.0 {
            let at = rest.binary_search(variable).ok()?;
            rest.remove(at);
        }
        Some(Monomial(rest))
    }
}

/// By degree first.
impl Ord for Monomial {
    fn cmp(&self, other: &Monomial) -> Ordering {
        (self.0.len(), &self.0).cmp(&(other.0.len(), &other.0))
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Monomial) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A sum of monomials with factors modulo `2^w`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Polynomial {
    width: u32,
    /// In order, without zeros.
    parts: Vec<(Monomial, u64)>,
}

impl Polynomial {
    /// A number.
    ///
    /// # Panics
    /// If the width is 0 or more than [`MAX_WIDTH`].
    pub fn number(width: u32, value: u64) -> Polynomial {
        assert!((1..=MAX_WIDTH).contains(&width), "a width that is supported");
        Polynomial::of_parts(width, vec![(Monomial::default(), value)])
    }

    /// The lowest bits of a term.
    pub fn variable(width: u32, term: TermId) -> Polynomial {
        Polynomial { width, parts: vec![(Monomial(vec![term]), 1)] }
    }

    /// One monomial with its factor.
    pub fn monomial(width: u32, monomial: Monomial, factor: u64) -> Polynomial {
        Polynomial::of_parts(width, vec![(monomial, factor)])
    }

    fn of_parts(width: u32, mut parts: Vec<(Monomial, u64)>) -> Polynomial {
        let mask = u64::MAX >> (MAX_WIDTH - width);
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        parts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.wrapping_add(next.1);
            }
            same
        });
        parts.iter_mut().for_each(|(_, factor)| *factor &= mask);
        parts.retain(|(_, factor)| *factor != 0);
        Polynomial { width, parts }
    }

    /// Modulo which power of two.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The monomials with their factors, by degree.
    pub fn parts(&self) -> &[(Monomial, u64)] {
        &self.parts
    }

    /// Whether it is 0 for all values, plainly.
    pub fn is_zero(&self) -> bool {
        self.parts.is_empty()
    }

    /// Its value, if it has no variable.
    pub fn as_number(&self) -> Option<u64> {
        match &self.parts[..] {
            [] => Some(0),
            [(monomial, factor)] if monomial.0.is_empty() => Some(*factor),
            _ => None,
        }
    }

    /// `self + factor · other`.
    pub fn plus(&self, other: &Polynomial, factor: u64) -> Polynomial {
        let scaled = other.parts.iter().map(|(m, a)| (m.clone(), a.wrapping_mul(factor)));
        Polynomial::of_parts(self.width, self.parts.iter().cloned().chain(scaled).collect())
    }

    /// The product; `None` if it is too large.
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let degree = |p: &Polynomial| p.parts.last().map_or(0, |(m, _)| m.0.len());
        if self.parts.len() * other.parts.len() > MAX_MONOMIALS * 4
            || degree(self) + degree(other) > MAX_DEGREE
        {
            return None;
        }
        let mut parts = Vec::with_capacity(self.parts.len() * other.parts.len());
        for (m, a) in &self.parts {
            for (n, b) in &other.parts {
                parts.push((m.times(n), a.wrapping_mul(*b)));
            }
        }
        let product = Polynomial::of_parts(self.width, parts);
        (product.parts.len() <= MAX_MONOMIALS).then_some(product)
    }

    /// With a polynomial for a variable; `None` if it becomes too large.
    pub fn substitute(&self, variable: TermId, by: &Polynomial) -> Option<Polynomial> {
        let mut result = Polynomial { width: self.width, parts: Vec::new() };
        for (monomial, factor) in &self.parts {
            let mut part = Polynomial::number(self.width, *factor);
            for &v in &monomial.0 {
                let factor =
                    if v == variable { by.clone() } else { Polynomial::variable(self.width, v) };
                part = part.times(&factor)?;
            }
            result = result.plus(&part, 1);
        }
        (result.parts.len() <= MAX_MONOMIALS).then_some(result)
    }
}

/// Whether a term is a product of words that both have variables.
pub fn is_product(terms: &Terms, term: TermId) -> bool {
    match *terms.get(term) {
        Term::Binary(BinaryOp::Mul, a, b) => {
            terms.as_constant(a).is_none() && terms.as_constant(b).is_none()
        }
        _ => false,
    }
}

/// Reads words as polynomials, and remembers what it has read.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    known: FxHashMap<(TermId, u32), Polynomial>,
}

impl Reader {
    /// The lowest `width` bits of a word.
    ///
    /// # Panics
    /// If the term is narrower, or the width is not supported.
    pub fn read(&mut self, terms: &Terms, term: TermId, width: u32) -> Polynomial {
        self.read_at(terms, term, width, DEPTH)
    }

    fn read_at(&mut self, terms: &Terms, id: TermId, width: u32, depth: u32) -> Polynomial {
        debug_assert!(terms.sort(id).width().is_some_and(|w| w >= width));
        if let Some(known) = self.known.get(&(id, width)) {
            return known.clone();
        }
        let read = depth.checked_sub(1).and_then(|below| self.inside(terms, id, width, below));
        let read = read.unwrap_or_else(|| Polynomial::variable(width, id));
        if depth == DEPTH || read != Polynomial::variable(width, id) {
            self.known.insert((id, width), read.clone());
        }
        read
    }

    /// A word as a sum, product, or part of another word.
    fn inside(&mut self, terms: &Terms, id: TermId, width: u32, depth: u32) -> Option<Polynomial> {
        let minus_one = u64::MAX;
        let number = |value| Polynomial::number(width, value);
        let mut read = |arg| self.read_at(terms, arg, width, depth);
        Some(match *terms.get(id) {
            Term::Const(ref value) => number(low_bits(value, width)),
            Term::Unary(UnaryOp::Inc, a) => read(a).plus(&number(1), 1),
            Term::Unary(UnaryOp::Dec, a) => read(a).plus(&number(1), minus_one),
            Term::Unary(UnaryOp::Neg, a) => number(0).plus(&read(a), minus_one),
            // −1 − a
            Term::Unary(UnaryOp::Not, a) => number(minus_one).plus(&read(a), minus_one),
            Term::Binary(BinaryOp::Add, a, b) => read(a).plus(&read(b), 1),
            Term::Binary(BinaryOp::Sub, a, b) => read(a).plus(&read(b), minus_one),
            Term::Binary(BinaryOp::Mul, a, b) => read(a).times(&read(b))?,
            Term::Binary(BinaryOp::Sll, a, b) => {
                let by = terms.as_constant(b).filter(|by| by.width() <= MAX_WIDTH)?;
                let by = low_bits(by, by.width());
                if by >= u64::from(width) { number(0) } else { number(0).plus(&read(a), 1 << by) }
            }
            Term::Extend { arg, .. } if terms.sort(arg).width()? >= width => read(arg),
            Term::Slice { arg, low: 0, .. } => read(arg),
            _ => return None,
        })
        .filter(|polynomial| polynomial.parts.len() <= MAX_MONOMIALS)
    }

    /// The difference of the sides of an equation or a disequation between words, which is 0 if
    /// they are equal, and whether it is an equation. `None` if the term is none, or the words are
    /// too wide, or single bits.
    pub fn equation(&mut self, terms: &Terms, term: TermId) -> Option<(Polynomial, bool)> {
        let Term::Binary(op @ (BinaryOp::Eq | BinaryOp::Neq), a, b) = *terms.get(term) else {
            return None;
        };
        let Sort::Bv(width @ 2..=MAX_WIDTH) = terms.sort(a) else { return None };
        let difference = self.read(terms, a, width).plus(&self.read(terms, b, width), u64::MAX);
        Some((difference, op == BinaryOp::Eq))
    }
}

/// The lowest bits of a value as a number.
fn low_bits(value: &Bv, width: u32) -> u64 {
    let bits = (0..width.min(value.width())).filter(|&bit| value.bit(bit));
    bits.fold(0, |sum, bit| sum | 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(x + 1)·(x − 1) = x² − 1`, in eight bits.
    #[test]
    fn products_are_multiplied_out() {
        let mut terms = Terms::new();
        let x = terms.new_symbol(Sort::Bv(8));
        let (more, less) = (terms.unary(UnaryOp::Inc, x), terms.unary(UnaryOp::Dec, x));
        let product = terms.binary(BinaryOp::Mul, more, less);
        let square = terms.binary(BinaryOp::Mul, x, x);
        let expected = terms.unary(UnaryOp::Dec, square);
        let mut reader = Reader::default();
        let left = reader.read(&terms, product, 8);
        assert_eq!(left, reader.read(&terms, expected, 8));
        assert_eq!(left.parts().len(), 2);
        let equal = terms.binary(BinaryOp::Neq, product, expected);
        let (difference, is_equation) = reader.equation(&terms, equal).expect("words");
        assert!(difference.is_zero() && !is_equation);
        let y = terms.new_symbol(Sort::Bv(8));
        let by = reader.read(&terms, y, 8).plus(&Polynomial::number(8, 1), 1);
        let found = left.substitute(x, &by).expect("small");
        let y_squared = Polynomial::variable(8, y).times(&Polynomial::variable(8, y));
        let expected = y_squared.expect("small").plus(&Polynomial::variable(8, y), 2);
        assert_eq!(found, expected);
    }

    /// Reading agrees with evaluation: random sums and products of words of four bits.
    #[test]
    fn reading_agrees_with_evaluation() {
        use crate::eval::ops;
        use crate::value::Value;
        use pedra_testkit::random::{Random, runs};
        let mut random = Random::new(5);
        for _ in 0..runs(300) {
            let mut terms = Terms::new();
            let symbols = [0; 3].map(|_| terms.new_symbol(Sort::Bv(4)));
            let wide = terms.new_symbol(Sort::Bv(6));
            let mut words = symbols.to_vec();
            words.push(terms.slice(wide, 3, 0));
            words.push(terms.constant(Bv::from_u64(4, random.below(16) as u64)));
            for _ in 0..8 {
                let (a, b) = (words[random.below(words.len())], words[random.below(words.len())]);
                let two = terms.constant(Bv::from_u64(4, 2));
                words.push(match random.below(9) {
                    0 => terms.binary(BinaryOp::Add, a, b),
                    1 => terms.binary(BinaryOp::Sub, a, b),
                    2 | 3 => terms.binary(BinaryOp::Mul, a, b),
                    4 => terms.unary(UnaryOp::Not, a),
                    5 => terms.unary(UnaryOp::Neg, a),
                    6 => terms.binary(BinaryOp::Sll, a, two),
                    7 => terms.unary(UnaryOp::Inc, a),
                    _ => {
                        let long = terms.add(Term::Extend { arg: a, by: 3, signed: true });
                        terms.slice(long.expect("a word"), 3, 0)
                    }
                });
            }
            let root = *words.last().expect("some");
            let polynomial = Reader::default().read(&terms, root, 4);
            let mut values: FxHashMap<TermId, Value> = FxHashMap::default();
            for (id, term) in terms.iter() {
                let value = ops::apply(term, |arg| &values[&arg]).unwrap_or_else(|| {
                    let width = terms.width(id);
                    Value::Bv(Bv::from_u64(width, random.below(1 << width) as u64))
                });
                values.insert(id, value);
            }
            let number = |id: TermId| low_bits(values[&id].as_bv(), 4);
            let product = |monomial: &Monomial| {
                monomial.variables().iter().fold(1, |p: u64, &v| p.wrapping_mul(number(v)))
            };
            let sum = polynomial.parts().iter();
            let sum = sum.fold(0, |sum: u64, (m, a)| sum.wrapping_add(a.wrapping_mul(product(m))));
            assert_eq!(sum & 15, number(root));
        }
    }
}
