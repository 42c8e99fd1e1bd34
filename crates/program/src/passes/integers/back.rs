//! From integers back to words, exactly.

use super::forth::range;
use super::{IntegerImage, Reading};
use crate::graph::Program;
use num_bigint::BigInt;
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms};

/// Widths in which comparisons are made: those of C's types.
const WIDTHS: [u32; 5] = [8, 16, 32, 64, 128];

/// Larger conditions are not read back, which also bounds the depth of recursion.
const MAX_TERMS: usize = 1_000;

/// A number among words, and between which numbers it is.
#[derive(Clone)]
struct Number {
    /// As many bits as the comparison has.
    term: TermId,
    least: BigInt,
    greatest: BigInt,
}

impl IntegerImage {
    /// What a condition over the image's variables says of the words of the original. `to` is a
    /// store that extends the original's. `None` if it has an operator that is not read back, or
    /// needs words that are too wide.
    ///
    /// The result holds of a state if and only if the condition holds of its numbers.
    pub fn word(
        &self,
        from: &Terms,
        condition: TermId,
        original: &Program,
        to: &mut Terms,
    ) -> Option<TermId> {
        let (mut stack, mut count) = (vec![condition], 0);
        while let Some(term) = stack.pop() {
            count += 1;
            if count > MAX_TERMS {
                return None;
            }
            stack.extend(from.get(term).args());
        }
        Back { image: self, from, original, to }.condition(condition)
    }
}

struct Back<'a> {
    image: &'a IntegerImage,
    from: &'a Terms,
    original: &'a Program,
    to: &'a mut Terms,
}

impl Back<'_> {
    /// A one-bit term.
    fn condition(&mut self, term: TermId) -> Option<TermId> {
        let from = self.from;
        Some(match *from.get(term) {
            Term::Const(ref value) => self.to.constant(value.clone()),
            Term::Symbol(_) => self.original.term_of(*self.image.variables.get(&term)?),
            Term::Unary(op, a) => {
                let a = self.condition(a)?;
                self.to.simplified(Term::Unary(op, a))
            }
            Term::Binary(op, a, b) if from.sort(a) == Sort::Int => self.compare(op, a, b)?,
            Term::Binary(op, a, b) => {
                let (a, b) = (self.condition(a)?, self.condition(b)?);
                self.to.simplified(Term::Binary(op, a, b))
            }
            Term::Int(IntOp::Le, a, b) => self.compare(BinaryOp::Slte, a, b)?,
            Term::Int(IntOp::Lt, a, b) => self.compare(BinaryOp::Slt, a, b)?,
            Term::Int(IntOp::Ge, a, b) => self.compare(BinaryOp::Sgte, a, b)?,
            Term::Int(IntOp::Gt, a, b) => self.compare(BinaryOp::Sgt, a, b)?,
            Term::Ite(c, a, b) => {
                let (c, a, b) = (self.condition(c)?, self.condition(a)?, self.condition(b)?);
                self.to.simplified(Term::Ite(c, a, b))
            }
            _ => return None,
        })
    }

    /// A comparison of numbers, in the least width that has room for both sides.
    fn compare(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        if let Some(plain) = self.compare_variable(op, a, b) {
            return Some(plain);
        }
        WIDTHS.into_iter().find_map(|width| {
            let (a, b) = (self.number(a, width)?, self.number(b, width)?);
            Some(self.to.simplified(Term::Binary(op, a.term, b.term)))
        })
    }

    /// A variable against another one of its type, or against a constant, in its own width.
    fn compare_variable(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        let (width, reading) = self.type_of(a).or_else(|| self.type_of(b))?;
        let side = |back: &mut Self, side: TermId| match back.from.get(side) {
            Term::IntConst(value) => {
                let (least, greatest) = range(width, reading);
                let fits = least <= **value && **value <= greatest;
                fits.then(|| back.to.constant(Bv::from_bigint(width, value)))
            }
            _ if back.type_of(side) == Some((width, reading)) => {
                Some(back.original.term_of(back.image.variables[&side]))
            }
            _ => None,
        };
        let (a, b) = (side(self, a)?, side(self, b)?);
        use BinaryOp::*;
        let op = match (op, reading) {
            (Slte, Reading::Unsigned) => Ulte,
            (Slt, Reading::Unsigned) => Ult,
            (Sgte, Reading::Unsigned) => Ugte,
            (Sgt, Reading::Unsigned) => Ugt,
            (op, _) => op,
        };
        Some(self.to.simplified(Term::Binary(op, a, b)))
    }

    /// The width of a variable that is a word, and how it is read.
    fn type_of(&self, term: TermId) -> Option<(u32, Reading)> {
        let variable = *self.image.variables.get(&term)?;
        let width = self.original.terms.width(self.original.term_of(variable));
        (width > 1).then_some((width, self.image.readings[variable.index()]))
    }

    /// A number as a signed word of this width; `None` if there is no room.
    fn number(&mut self, term: TermId, width: u32) -> Option<Number> {
        let from = self.from;
        let found = match *from.get(term) {
            Term::IntConst(ref value) => {
                let (least, greatest) = (BigInt::clone(value), BigInt::clone(value));
                let term = self.to.constant(Bv::from_bigint(width, value));
                Number { term, least, greatest }
            }
            Term::Symbol(_) => {
                let (own, reading) = self.type_of(term)?;
                let (least, greatest) = range(own, reading);
                let arg = self.original.term_of(self.image.variables[&term]);
                let signed = reading == Reading::Signed;
                let by = width.checked_sub(own)?;
                let term = match by {
                    0 => arg,
                    _ => self.to.simplified(Term::Extend { arg, by, signed }),
                };
                Number { term, least, greatest }
            }
            Term::IntNeg(a) => {
                let zero = Number {
                    term: self.to.constant(Bv::zero(width)),
                    least: BigInt::ZERO,
                    greatest: BigInt::ZERO,
                };
                let a = self.number(a, width)?;
                self.minus(&zero, &a)
            }
            Term::Int(IntOp::Add, a, b) => {
                let (a, b) = (self.number(a, width)?, self.number(b, width)?);
                let term = self.to.simplified(Term::Binary(BinaryOp::Add, a.term, b.term));
                Number { term, least: a.least + b.least, greatest: a.greatest + b.greatest }
            }
            Term::Int(IntOp::Sub, a, b) => {
                let (a, b) = (self.number(a, width)?, self.number(b, width)?);
                self.minus(&a, &b)
            }
            Term::Int(IntOp::Mul, a, b) => {
                let (a, b) = (self.number(a, width)?, self.number(b, width)?);
                let term = self.to.simplified(Term::Binary(BinaryOp::Mul, a.term, b.term));
                let corners = [&a.least, &a.greatest]
                    .map(|x| [&b.least, &b.greatest].map(|y| x * y))
                    .concat();
                let (least, greatest) = (corners.iter().min()?, corners.iter().max()?);
                Number { term, least: least.clone(), greatest: greatest.clone() }
            }
            Term::Int(op @ (IntOp::Div | IntOp::Mod), a, b) => self.divided(op, a, b, width)?,
            _ => return None,
        };
        let (least, greatest) = range(width, Reading::Signed);
        (least <= found.least && found.greatest <= greatest).then_some(found)
    }

    fn minus(&mut self, a: &Number, b: &Number) -> Number {
        let term = self.to.simplified(Term::Binary(BinaryOp::Sub, a.term, b.term));
        Number { term, least: &a.least - &b.greatest, greatest: &a.greatest - &b.least }
    }

    /// Euclidean quotient and remainder by a positive constant: of numbers that are never negative,
    /// or by a power of two.
    fn divided(&mut self, op: IntOp, a: TermId, b: TermId, width: u32) -> Option<Number> {
        use num_integer::Integer;
        let Term::IntConst(divisor) = self.from.get(b) else { return None };
        let divisor = BigInt::clone(divisor);
        let a = self.number(a, width)?;
        if divisor <= BigInt::ZERO || divisor > range(width, Reading::Signed).1 {
            return None;
        }
        let log = divisor.trailing_zeros().filter(|&log| divisor == BigInt::from(1) << log);
        let by = self.to.constant(Bv::from_bigint(width, &divisor));
        let is_positive = a.least >= BigInt::ZERO;
        let (least, greatest) = match op {
            IntOp::Div => (a.least.div_floor(&divisor), a.greatest.div_floor(&divisor)),
            _ => (BigInt::ZERO, &divisor - 1),
        };
        let term = match (op, log) {
            (IntOp::Div, Some(log)) => {
                let distance = self.to.constant(Bv::from_bigint(width, &log.into()));
                Term::Binary(BinaryOp::Sra, a.term, distance)
            }
            (IntOp::Div, None) if is_positive => Term::Binary(BinaryOp::Udiv, a.term, by),
            (_, Some(_)) => {
                let mask = self.to.constant(Bv::from_bigint(width, &(divisor - 1)));
                Term::Binary(BinaryOp::And, a.term, mask)
            }
            (_, None) if is_positive => Term::Binary(BinaryOp::Urem, a.term, by),
            _ => return None,
        };
        Some(Number { term: self.to.simplified(term), least, greatest })
    }
}
