//! Words as integers: whether two conditions over words are equivalent, asked in linear integer
//! arithmetic.
//!
//! Comparisons of wide sums are hard for a SAT solver, since each sum is a chain of adders and each
//! multiple a multiplier. Over integers they are small linear problems. A word of `w` bits is the
//! number `0 ≤ v < 2^w` of its bits. Sums, differences and multiples are read without carry: what
//! is built is a number that is *congruent* to the word modulo `2^w`, and one division at the end
//! gives the word itself. An operator without a linear reading becomes an arbitrary number of the
//! same range. That only makes more assignments possible, so an equivalence that is shown here
//! holds of the words (*required for soundness*).
//!
//! This file shares nothing with the normal forms of [`pedra_model::affine`], which it is used to
//! check. The refutation of `a ↮ b` is a proof in linear arithmetic that
//! [`crate::linear_proof`] checks.

use crate::linear_proof::check_linear_proof;
use crate::options::{CheckOptions, Effort};
use num_bigint::BigInt;
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms, UnaryOp};
use pedra_solve::lia::{LiaLimits, LiaSolver};
use pedra_solve::terms::IntEncoder;
use pedra_solve::{Budget, SatResult};
use rustc_hash::FxHashMap;

/// What one equivalence may cost. The normal forms of `models/word` at 32 and 64 bits take at most
/// 92 conflicts and 23 splits each (`lin`, `rajam`, `split`, `bound`).
const CONFLICTS: u64 = 2_000;
const LIMITS: LiaLimits = LiaLimits { splits: 500, work: 5_000_000 };

/// Whether `⊨ a ↔ b` was proved, and the proof checked, within a budget.
pub(crate) fn prove_equivalent(
    terms: &Terms,
    (a, b): (TermId, TermId),
    options: &CheckOptions,
    effort: &mut Effort,
) -> bool {
    let mut numbers =
        Numbers { from: terms, to: Terms::new(), known: FxHashMap::default(), ranges: Vec::new() };
    let (a, b) = (numbers.condition(a), numbers.condition(b));
    let Numbers { to: mut integers, ranges, .. } = numbers;
    let differ = integers.binary(BinaryOp::Xor, a, b);
    let (mut solver, mut encoder) = (LiaSolver::with_proofs(), IntEncoder::new());
    solver.set_interrupt(&options.interrupt);
    solver.set_budget(Some(Budget::conflicts(CONFLICTS)));
    solver.set_limits(LIMITS);
    // ranges ∧ (a ↮ b)
    for fact in ranges.into_iter().chain([differ]) {
        let Ok(lit) = encoder.lit(&integers, &mut solver, fact) else { return false };
        solver.add_clause(&[lit]);
    }
    let answer = solver.solve(&[]);
    effort.add(Effort { queries: 1, fallback_queries: 0, conflicts: solver.stats().conflicts });
    if answer != SatResult::Unsat {
        return false;
    }
    let proof = solver.proof().expect("it writes proofs, and nothing is assumed");
    check_linear_proof(&proof, |_| true).is_ok()
}

/// A word among integers.
#[derive(Copy, Clone)]
struct Number {
    /// A number that is congruent to the word, modulo `2^w`.
    congruent: TermId,
    /// Whether that is the number of the word's bits itself.
    is_exact: bool,
}

/// A term in another store: a bit is a bit, a word is a number.
#[derive(Copy, Clone)]
enum Image {
    Bit(TermId),
    Word(Number),
}

struct Numbers<'a> {
    from: &'a Terms,
    to: Terms,
    known: FxHashMap<TermId, Image>,
    /// What holds of the symbols.
    ranges: Vec<TermId>,
}

impl Numbers<'_> {
    /// The image of a one-bit term.
    fn condition(&mut self, root: TermId) -> TermId {
        // Terms only refer to earlier ones.
        for term in self.from.cone_ids([root]) {
            if !self.known.contains_key(&term) && !self.from.sort(term).is_array() {
                let image = self.image(term).unwrap_or_else(|| self.arbitrary(term));
                self.known.insert(term, image);
            }
        }
        self.bit(root)
    }

    /// The image of a term whose arguments have theirs; `None` if there is no linear one.
    fn image(&mut self, term: TermId) -> Option<Image> {
        let (from, is_bit) = (self.from, self.from.sort(term) == Sort::BOOL);
        match *from.get(term) {
            Term::Const(ref value) if is_bit => Some(Image::Bit(self.to.bool(value.is_true()))),
            Term::Const(ref value) => {
                // With its sign.
                let number = self.to.integer(value.to_bigint());
                Some(congruent(number))
            }
            Term::Unary(op, a) => self.unary(op, a),
            Term::Binary(op, a, b) => self.binary(op, a, b),
            Term::Ite(c, a, b) if is_bit => {
                let (c, a, b) = (self.bit(c), self.bit(a), self.bit(b));
                Some(Image::Bit(self.to.ite(c, a, b)))
            }
            Term::Ite(c, a, b) => {
                let (c, a, b) = (self.bit(c), self.number(a), self.number(b));
                let congruent = self.to.ite(c, a.congruent, b.congruent);
                Some(Image::Word(Number { congruent, is_exact: a.is_exact && b.is_exact }))
            }
            // By no bits.
            Term::Extend { arg, .. } if is_bit => Some(Image::Bit(self.bit(arg))),
            Term::Extend { arg, signed: false, .. } => Some(exact(self.unsigned(arg))),
            Term::Extend { arg, signed: true, .. } => Some(congruent(self.signed(arg))),
            Term::Slice { arg, high, low } => self.slice(arg, high, low),
            _ => None,
        }
    }

    /// Anything of the term's sort.
    fn arbitrary(&mut self, term: TermId) -> Image {
        let width = self.from.width(term);
        if width == 1 {
            return Image::Bit(self.to.new_symbol(Sort::BOOL));
        }
        let symbol = self.to.new_symbol(Sort::Int);
        let (zero, end) = (self.to.integer(0), self.power(width));
        let range = [self.int(IntOp::Le, zero, symbol), self.int(IntOp::Lt, symbol, end)];
        self.ranges.extend(range);
        exact(symbol)
    }

    fn unary(&mut self, op: UnaryOp, a: TermId) -> Option<Image> {
        let width = self.from.width(a);
        if width == 1 {
            let a = self.bit(a);
            return Some(Image::Bit(self.to.unary(op, a)));
        }
        let (zero, one) = (self.to.integer(0), self.to.integer(1));
        let number = self.number(a).congruent;
        Some(match op {
            UnaryOp::Inc => congruent(self.int(IntOp::Add, number, one)),
            UnaryOp::Dec => congruent(self.int(IntOp::Sub, number, one)),
            UnaryOp::Neg => congruent(self.int(IntOp::Sub, zero, number)),
            UnaryOp::Not => {
                let negated = self.int(IntOp::Sub, zero, number);
                congruent(self.int(IntOp::Sub, negated, one))
            }
            UnaryOp::RedOr => Image::Bit(self.is_not_zero(number, width)),
            UnaryOp::RedAnd => {
                let more = self.int(IntOp::Add, number, one);
                let is_less = self.is_not_zero(more, width);
                Image::Bit(self.to.unary(UnaryOp::Not, is_less))
            }
            UnaryOp::RedXor => return None,
        })
    }

    fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<Image> {
        use BinaryOp::*;
        let Sort::Bv(width) = self.from.sort(a) else { return None };
        if op == Concat {
            let low = self.from.width(b);
            let (a, b, factor) = (self.unsigned(a), self.unsigned(b), self.power(low));
            let high = self.int(IntOp::Mul, a, factor);
            return Some(exact(self.int(IntOp::Add, high, b)));
        }
        if width == 1 {
            let (a, b) = (self.bit(a), self.bit(b));
            return Some(Image::Bit(self.to.binary(op, a, b)));
        }
        let compare = |numbers: &mut Self, op, signed| {
            let read = |numbers: &mut Self, term| match signed {
                true => numbers.signed(term),
                false => numbers.unsigned(term),
            };
            let (a, b) = (read(numbers, a), read(numbers, b));
            Some(Image::Bit(numbers.int(op, a, b)))
        };
        match op {
            Ult => compare(self, IntOp::Lt, false),
            Ulte => compare(self, IntOp::Le, false),
            Ugt => compare(self, IntOp::Gt, false),
            Ugte => compare(self, IntOp::Ge, false),
            Slt => compare(self, IntOp::Lt, true),
            Slte => compare(self, IntOp::Le, true),
            Sgt => compare(self, IntOp::Gt, true),
            Sgte => compare(self, IntOp::Ge, true),
            Eq | Neq => {
                let (a, b) = (self.number(a).congruent, self.number(b).congruent);
                let difference = self.int(IntOp::Sub, a, b);
                let differs = self.is_not_zero(difference, width);
                Some(Image::Bit(match op {
                    Neq => differs,
                    _ => self.to.unary(UnaryOp::Not, differs),
                }))
            }
            Add | Sub => {
                let (a, b) = (self.number(a).congruent, self.number(b).congruent);
                let op = if op == Add { IntOp::Add } else { IntOp::Sub };
                Some(congruent(self.int(op, a, b)))
            }
            Mul if self.is_constant(a) || self.is_constant(b) => {
                let (a, b) = (self.number(a).congruent, self.number(b).congruent);
                Some(congruent(self.int(IntOp::Mul, a, b)))
            }
            Udiv | Urem if self.from.as_constant(b).is_some_and(|divisor| !divisor.is_zero()) => {
                let (a, b) = (self.unsigned(a), self.unsigned(b));
                let op = if op == Udiv { IntOp::Div } else { IntOp::Mod };
                Some(exact(self.int(op, a, b)))
            }
            Sll | Srl => {
                let by = self.from.as_constant(b)?.to_u64()?.min(u64::from(width)) as u32;
                let factor = self.power(by);
                if op == Sll {
                    let a = self.number(a).congruent;
                    return Some(congruent(self.int(IntOp::Mul, a, factor)));
                }
                let a = self.unsigned(a);
                Some(exact(self.int(IntOp::Div, a, factor)))
            }
            _ => None,
        }
    }

    fn slice(&mut self, arg: TermId, high: u32, low: u32) -> Option<Image> {
        let width = high - low + 1;
        let number = match low {
            0 => self.number(arg).congruent,
            _ => {
                let (a, factor) = (self.unsigned(arg), self.power(low));
                self.int(IntOp::Div, a, factor)
            }
        };
        Some(match width {
            1 => Image::Bit(self.is_not_zero(number, 1)),
            _ => congruent(number),
        })
    }

    /// A one-bit term.
    fn bit(&self, term: TermId) -> TermId {
        match self.known[&term] {
            Image::Bit(bit) => bit,
            Image::Word(_) => unreachable!("a bit"),
        }
    }

    /// A word, or a bit as the number 0 or 1.
    fn number(&mut self, term: TermId) -> Number {
        match self.known[&term] {
            Image::Word(number) => number,
            Image::Bit(bit) => {
                let (one, zero) = (self.to.integer(1), self.to.integer(0));
                Number { congruent: self.to.ite(bit, one, zero), is_exact: true }
            }
        }
    }

    /// The number of a word's bits: `n mod 2^w`.
    fn unsigned(&mut self, term: TermId) -> TermId {
        let number = self.number(term);
        if number.is_exact {
            return number.congruent;
        }
        let modulus = self.power(self.from.width(term));
        self.int(IntOp::Mod, number.congruent, modulus)
    }

    /// The number with the word's sign: `(n + 2^(w−1)) mod 2^w − 2^(w−1)`.
    fn signed(&mut self, term: TermId) -> TermId {
        let width = self.from.width(term);
        let (number, half) = (self.number(term).congruent, self.power(width - 1));
        let shifted = self.int(IntOp::Add, number, half);
        let modulus = self.power(width);
        let rest = self.int(IntOp::Mod, shifted, modulus);
        self.int(IntOp::Sub, rest, half)
    }

    /// Whether the lowest `width` bits of a number are not all zero.
    fn is_not_zero(&mut self, number: TermId, width: u32) -> TermId {
        let (modulus, zero) = (self.power(width), self.to.integer(0));
        let rest = self.int(IntOp::Mod, number, modulus);
        self.to.binary(BinaryOp::Neq, rest, zero)
    }

    fn is_constant(&self, term: TermId) -> bool {
        self.from.as_constant(term).is_some()
    }

    /// `2^exponent`
    fn power(&mut self, exponent: u32) -> TermId {
        self.to.integer(BigInt::from(1) << exponent)
    }

    fn int(&mut self, op: IntOp, a: TermId, b: TermId) -> TermId {
        self.to.int_binary(op, a, b)
    }
}

fn exact(number: TermId) -> Image {
    Image::Word(Number { congruent: number, is_exact: true })
}

fn congruent(number: TermId) -> Image {
    Image::Word(Number { congruent: number, is_exact: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::affine::normalise;
    use pedra_model::bv::Bv;
    use pedra_model::eval::ops;
    use pedra_model::value::Value;
    use pedra_testkit::random::{Random, runs};

    fn is_proved(terms: &Terms, a: TermId, b: TermId) -> bool {
        prove_equivalent(terms, (a, b), &CheckOptions::default(), &mut Effort::default())
    }

    /// Whether two conditions over these words of 3 bits have the same value everywhere.
    fn are_equal(terms: &Terms, symbols: [TermId; 2], a: TermId, b: TermId) -> bool {
        (0..64u64).all(|values| {
            let mut known: FxHashMap<TermId, Value> = FxHashMap::default();
            for (id, term) in terms.iter() {
                let value = ops::apply(term, |arg| &known[&arg]).unwrap_or_else(|| {
                    let at = symbols.iter().position(|&symbol| symbol == id).expect("a symbol");
                    Value::Bv(Bv::from_u64(3, values >> (3 * at) & 7))
                });
                known.insert(id, value);
            }
            known[&a] == known[&b]
        })
    }

    /// A random comparison of words of 3 bits.
    fn comparison(random: &mut Random, terms: &mut Terms, symbols: [TermId; 2]) -> TermId {
        use BinaryOp::*;
        let mut words = symbols.to_vec();
        let mut bit = terms.binary(Ult, symbols[0], symbols[1]);
        for _ in 0..4 {
            let (a, b) = (words[random.below(words.len())], words[random.below(words.len())]);
            let number = terms.constant(Bv::from_u64(3, random.below(8) as u64));
            let word = match random.below(12) {
                0..=2 => terms.binary([Add, Sub][random.below(2)], a, b),
                3 | 4 => terms.binary([Add, Mul, Sll, Srl][random.below(4)], a, number),
                5 => terms.binary([Udiv, Urem, And, Mul][random.below(4)], a, b),
                6 => terms.binary([Udiv, Urem][random.below(2)], a, number),
                7 => terms.ite(bit, a, b),
                8 => {
                    let op = [UnaryOp::Neg, UnaryOp::Not, UnaryOp::Inc, UnaryOp::Dec];
                    terms.unary(op[random.below(4)], a)
                }
                9 => {
                    let arg = terms.slice(a, 2, 1);
                    let signed = random.below(2) == 0;
                    terms.add(Term::Extend { arg, by: 1, signed }).expect("3 bits")
                }
                10 => {
                    let (high, low) = (terms.slice(a, 0, 0), terms.slice(b, 1, 0));
                    terms.binary(Concat, high, low)
                }
                _ => number,
            };
            words.push(word);
            let op = [Slt, Slte, Ugt, Ulte, Eq, Neq][random.below(6)];
            bit = match random.below(8) {
                0 => terms.unary([UnaryOp::RedAnd, UnaryOp::RedOr][random.below(2)], word),
                1 => terms.slice(word, 1, 1),
                _ => terms.binary(op, word, words[random.below(words.len())]),
            };
        }
        bit
    }

    /// What is proved holds for all values. Nearly all normal forms are proved.
    #[test]
    fn what_is_proved_holds() {
        let mut random = Random::new(5);
        let (mut forms, mut proved, mut equal) = (0, 0, 0);
        for _ in 0..runs(300) {
            let mut terms = Terms::new();
            let symbols = [0; 2].map(|_| terms.new_symbol(Sort::Bv(3)));
            let [a, b] = [0; 2].map(|_| comparison(&mut random, &mut terms, symbols));
            let normal = normalise(&mut terms, a);
            assert!(are_equal(&terms, symbols, a, normal));
            if normal != a {
                forms += 1;
                proved += usize::from(is_proved(&terms, a, normal));
            }
            if is_proved(&terms, a, b) {
                equal += 1;
                assert!(are_equal(&terms, symbols, a, b));
            }
        }
        assert!(equal > 0 && 10 * proved >= 9 * forms, "{equal}; {proved} of {forms}");
    }

    #[test]
    fn wide_sums_are_proved() {
        for width in [32, 64, 100] {
            let mut terms = Terms::new();
            let [x, y] = [0; 2].map(|_| terms.new_symbol(Sort::Bv(width)));
            let [hundred, more] = [100, 101].map(|n| terms.constant(Bv::from_u64(width, n)));
            let product = terms.binary(BinaryOp::Mul, x, hundred);
            let [left, other] = [hundred, more].map(|n| terms.binary(BinaryOp::Add, y, n));
            let one_more = terms.unary(UnaryOp::Inc, x);
            let right = terms.binary(BinaryOp::Mul, one_more, hundred);
            // y = 100·x and y + 100 = 100·(x + 1), modulo 2^w
            let [plain, next, wrong] = [(y, product), (left, right), (other, right)]
                .map(|(a, b)| terms.binary(BinaryOp::Eq, a, b));
            assert!(is_proved(&terms, plain, next), "{width}");
            assert!(!is_proved(&terms, plain, wrong), "{width}");
            // Sums that wrap are smaller than what is added.
            let wraps = terms.binary(BinaryOp::Ult, left, y);
            let limit = terms.unary(UnaryOp::Neg, hundred);
            let is_high = terms.binary(BinaryOp::Ulte, limit, y);
            assert!(is_proved(&terms, wraps, is_high), "{width}");
        }
    }
}
