//! Atoms: what a unit is a conjunction of.
//!
//! All atoms are predicates over the variables, so blocking does not depend on their kind. Sums are
//! evaluated exactly: operands are widened until nothing wraps. Modular evaluation would make
//! half-spaces meaningless.

use super::Vocabulary;
use super::value::{Int, Point, VarId, WordVar, wide};
use crate::region::{Product, RegionAtom};
use pedra_model::affine::normalise;
use pedra_model::term::{BinaryOp, Term, TermId, Terms};
use std::fmt::Write;

/// `a·x`: a sum of variables with integer coefficients; sorted by variable, none is zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Sum(pub(crate) Box<[(VarId, Int)]>);

/// A predicate over states.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Atom {
    /// A condition of another kind, by its number: a whole bad of a system, a literal of a program.
    Given(usize),
    /// `a·x ≤ b`; differences and octagons are those with coefficients ±1.
    Lin(Sum, Int),
    /// `a·x ≡ r (mod 2^m)`, or the contrary.
    Cong {
        /// `a·x`.
        sum: Sum,
        /// `m`.
        log: u32,
        /// `r`.
        residue: Int,
        /// Whether it is the congruence itself.
        holds: bool,
    },
    /// `x ≥ v`.
    Lower(VarId, Int),
    /// `x ≤ v`.
    Upper(VarId, Int),
    /// A bit of a variable has this value.
    Bit(VarId, u32, bool),
}

/// Which step an atom mentions.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Step {
    /// This one.
    Now,
    /// The one after.
    Next,
}

impl Sum {
    /// The sum of these products; the variables differ.
    pub(crate) fn new(mut products: Vec<(VarId, Int)>) -> Sum {
        products.retain(|(_, a)| *a != 0);
        products.sort_unstable();
        Sum(products.into())
    }

    /// Its value at a point.
    pub(crate) fn value(&self, point: &Point) -> Int {
        self.0.iter().map(|&(var, a)| a * point[var.index()]).sum()
    }

    /// The least and the greatest value where each variable is within its bounds.
    pub(crate) fn range(&self, bounds: impl Fn(VarId) -> (Int, Int)) -> (Int, Int) {
        self.0.iter().fold((0, 0), |(low, high), &(var, a)| {
            let (l, h) = bounds(var);
            let (l, h) = if a >= 0 { (a * l, a * h) } else { (a * h, a * l) };
            (low + l, high + h)
        })
    }

    /// All coefficients, without signs, added up.
    pub(crate) fn weight(&self) -> u128 {
        self.0.iter().map(|(_, a)| a.unsigned_abs()).sum()
    }

    /// The sum with all signs changed.
    pub(crate) fn negated(&self) -> Sum {
        Sum(self.0.iter().map(|&(var, a)| (var, -a)).collect())
    }

    /// `a·x` as two words, what is added and what is subtracted, wide enough for every value
    /// and for a constant up to the greatest value. Two sides rather than one difference: the
    /// solver then finds products that the model has, too.
    fn sides(
        &self,
        words: &impl Vocabulary,
        terms: &mut Terms,
        step: Step,
    ) -> (u32, [Option<TermId>; 2]) {
        // One bit more for the sign of unsigned operands, and what the coefficients may add;
        // twice that for the constant.
        let widest = self.0.iter().map(|(v, _)| words.var(*v)).map(|v| v.width + 1).max();
        let width = widest.unwrap_or(1) + (128 - self.weight().leading_zeros()) + 2;
        let mut sides = [None; 2];
        for &(var, a) in &self.0 {
            let var = words.var(var);
            let product = product(terms, step.term(var), width, var.signed, a.abs());
            let side = &mut sides[(a < 0) as usize];
            *side = Some(added(terms, *side, product));
        }
        (width, sides)
    }

    /// The same modulo `2^log`.
    fn sides_modulo(
        &self,
        words: &impl Vocabulary,
        terms: &mut Terms,
        step: Step,
        log: u32,
    ) -> [Option<TermId>; 2] {
        let mut sides = [None; 2];
        for &(var, a) in &self.0 {
            let var = words.var(var);
            let word = match step.term(var) {
                word if var.width > log => terms.slice(word, log - 1, 0),
                word => word,
            };
            let product = product(terms, word, log, var.signed, a.abs());
            let side = &mut sides[(a < 0) as usize];
            *side = Some(added(terms, *side, product));
        }
        sides
    }

    fn text(&self, words: &impl Vocabulary) -> String {
        let mut text = String::new();
        for (place, &(var, a)) in self.0.iter().enumerate() {
            let sign = match (place, a < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            let factor = if a.abs() == 1 { String::new() } else { format!("{}*", a.abs()) };
            let _ = write!(text, "{sign}{factor}{}", words.var(var).name);
        }
        text
    }
}

impl Step {
    /// What a word is in it.
    pub(crate) fn term(self, var: &WordVar) -> TermId {
        match self {
            Step::Now => var.term,
            Step::Next => var.next,
        }
    }
}

/// `factor · word` in a wider word.
fn product(terms: &mut Terms, word: TermId, width: u32, signed: bool, factor: Int) -> TermId {
    let word = extended(terms, word, width, signed);
    if factor == 1 {
        return word;
    }
    let factor = terms.constant(wide(width, factor));
    terms.binary(BinaryOp::Mul, word, factor)
}

/// `sum + product`.
fn added(terms: &mut Terms, sum: Option<TermId>, product: TermId) -> TermId {
    match sum {
        None => product,
        Some(sum) => terms.binary(BinaryOp::Add, sum, product),
    }
}

/// `sum + value`; the constant alone if there is no sum.
fn plus(terms: &mut Terms, sum: Option<TermId>, width: u32, value: Int) -> TermId {
    let constant = terms.constant(wide(width, value));
    match sum {
        None => constant,
        Some(sum) if value == 0 => sum,
        Some(sum) => terms.binary(BinaryOp::Add, sum, constant),
    }
}

fn extended(terms: &mut Terms, word: TermId, width: u32, signed: bool) -> TermId {
    match width - terms.width(word) {
        0 => word,
        by => terms.add(Term::Extend { arg: word, by, signed }).expect("a word"),
    }
}

impl Atom {
    /// Whether it is cheap to ask for: no half-space but a sum or difference of two variables.
    pub(crate) fn is_simple(&self) -> bool {
        match self {
            Atom::Lin(sum, _) => sum.weight() <= 2,
            _ => true,
        }
    }

    /// Whether it holds at a point; unknown for conditions of other kinds.
    pub(crate) fn holds(&self, point: &Point) -> Option<bool> {
        Some(match *self {
            Atom::Given(_) => return None,
            Atom::Lin(ref sum, b) => sum.value(point) <= b,
            Atom::Cong { ref sum, log, residue, holds } => {
                ((sum.value(point) - residue) & ((1 << log) - 1) == 0) == holds
            }
            Atom::Lower(var, v) => point[var.index()] >= v,
            Atom::Upper(var, v) => point[var.index()] <= v,
            Atom::Bit(var, bit, value) => WordVar::bit(point[var.index()], bit) == value,
        })
    }

    /// As a one-bit term in the form in which questions are asked.
    pub(crate) fn normal_term(
        &self,
        words: &impl Vocabulary,
        terms: &mut Terms,
        step: Step,
    ) -> TermId {
        let term = self.term(words, terms, step);
        normalise(terms, term)
    }

    /// As a one-bit term.
    pub(crate) fn term(&self, words: &impl Vocabulary, terms: &mut Terms, step: Step) -> TermId {
        match *self {
            Atom::Given(number) => words.given(number, step),
            Atom::Lin(ref sum, b) => {
                let (least, greatest) = sum.range(|v| (words.var(v).min(), words.var(v).max()));
                if b < least || b >= greatest {
                    return terms.bool(b >= greatest);
                }
                // p - n ≤ b, as p ≤ n + b; p < n rather than p ≤ n - 1.
                let (width, [added, subtracted]) = sum.sides(words, terms, step);
                let (op, b) = match (added, subtracted) {
                    (Some(_), Some(_)) if b == -1 => (BinaryOp::Slt, 0),
                    _ => (BinaryOp::Slte, b),
                };
                let added = plus(terms, added, width, 0);
                let subtracted = plus(terms, subtracted, width, b);
                terms.binary(op, added, subtracted)
            }
            Atom::Cong { ref sum, log, residue, holds } => {
                let [added, subtracted] = sum.sides_modulo(words, terms, step, log);
                let added = plus(terms, added, log, 0);
                let subtracted = plus(terms, subtracted, log, residue);
                let op = if holds { BinaryOp::Eq } else { BinaryOp::Neq };
                terms.binary(op, added, subtracted)
            }
            Atom::Lower(var, v) | Atom::Upper(var, v) => {
                let var = words.var(var);
                let value = terms.constant(var.bv(v));
                let op = match (matches!(self, Atom::Lower(..)), var.signed) {
                    (true, true) => BinaryOp::Sgte,
                    (true, false) => BinaryOp::Ugte,
                    (false, true) => BinaryOp::Slte,
                    (false, false) => BinaryOp::Ulte,
                };
                terms.binary(op, step.term(var), value)
            }
            Atom::Bit(var, bit, value) => {
                let bit = terms.slice(step.term(words.var(var)), bit, bit);
                if value { bit } else { terms.not(bit) }
            }
        }
    }

    /// For people.
    pub(crate) fn text(&self, words: &impl Vocabulary) -> String {
        let name = |var: VarId| &words.var(var).name;
        match *self {
            Atom::Given(number) => words.given_text(number),
            Atom::Lin(ref sum, b) => format!("{} <= {b}", sum.text(words)),
            Atom::Cong { ref sum, log, residue, holds } => {
                let sign = if holds { "=" } else { "!=" };
                format!("{} {sign} {residue} (mod 2^{log})", sum.text(words))
            }
            Atom::Lower(var, v) => format!("{} >= {v}", name(var)),
            Atom::Upper(var, v) => format!("{} <= {v}", name(var)),
            Atom::Bit(var, bit, value) => format!("{}.{bit} = {}", name(var), value as u8),
        }
    }

    /// As data, for events.
    pub(crate) fn region(&self, words: &impl Vocabulary) -> RegionAtom {
        let product = |var: VarId, factor: Int| {
            let info = words.var(var);
            Some(Product { state: info.state?, signed: info.signed, factor })
        };
        let products = |sum: &Sum| -> Option<Vec<Product>> {
            sum.0.iter().map(|&(var, a)| product(var, a)).collect()
        };
        let atom = || match *self {
            Atom::Given(_) => None,
            Atom::Lin(ref sum, bound) => Some(RegionAtom::AtMost { sum: products(sum)?, bound }),
            Atom::Cong { ref sum, log, residue, holds } => {
                let sum = products(sum)?;
                Some(RegionAtom::Remainder { sum, log, remainder: residue, holds })
            }
            Atom::Lower(var, v) => {
                Some(RegionAtom::AtMost { sum: vec![product(var, -1)?], bound: -v })
            }
            Atom::Upper(var, v) => {
                Some(RegionAtom::AtMost { sum: vec![product(var, 1)?], bound: v })
            }
            Atom::Bit(var, bit, value) => {
                Some(RegionAtom::Bit { state: words.var(var).state?, bit, value })
            }
        };
        atom().unwrap_or_else(|| RegionAtom::Other(self.text(words)))
    }
}
