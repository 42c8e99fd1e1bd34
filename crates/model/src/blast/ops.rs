//! The circuits of the word-level operators. Words are slices of literals, least significant
//! first.
//!
//! What the shapes aim at is few gates and much sharing, since every engine pays for both in
//! every query: a full adder takes seven gates, a comparison four a bit, a shifter one layer of
//! multiplexers for each *useful* bit of the distance. Structural hashing below does the rest:
//! `a + b` and "a + b overflows" share their carry chain, a quotient and a remainder of the
//! same operands share their divider.

use super::BlastError;
use crate::aig::AigBuilder;
use crate::lit::Lit;
use crate::term::{BinaryOp, UnaryOp};
use rustc_hash::FxHashMap;

/// A word: its bits, least significant first.
pub(super) type Word = Vec<Lit>;

/// The operands of a division.
type Operands = (Box<[Lit]>, Box<[Lit]>);

/// How many bit positions may be worked on for each gate that is allowed. Ordinary circuits
/// need less than one; the limit is there for those that would take long and come to nothing.
const STEPS_PER_GATE: u64 = 8;

/// A graph under construction that watches how large it grows.
#[derive(Clone, Debug)]
pub(super) struct Circuit {
    pub(super) builder: AigBuilder,
    /// How many variables of the graph are no gates.
    leaves: usize,
    limit_gates: usize,
    /// How many bit positions were worked on. Constants can need many for no gate at all.
    steps: u64,
    /// Quotient and remainder of operands that were divided before.
    divisions: FxHashMap<Operands, (Word, Word)>,
}

/// A sum with its last two carries.
struct Sum {
    bits: Word,
    into_sign: Lit,
    out: Lit,
}

/// One row of a multiplier: plus or minus `lit · 2^at`.
struct Digit {
    at: usize,
    lit: Lit,
    negative: bool,
}

impl Circuit {
    pub(super) fn new(builder: AigBuilder, limit_gates: usize) -> Circuit {
        let leaves = builder.len() - builder.aig().num_gates();
        Circuit { builder, leaves, limit_gates, steps: 0, divisions: FxHashMap::default() }
    }

    pub(super) fn leaf(&mut self) -> Lit {
        self.leaves += 1;
        self.builder.leaf().lit()
    }

    /// Notes that a row of this many bits was made; fails once the graph is too large or took
    /// too long.
    pub(super) fn spend(&mut self, bits: usize) -> Result<(), BlastError> {
        self.steps += bits as u64;
        if self.steps > STEPS_PER_GATE.saturating_mul(self.limit_gates as u64) {
            return Err(BlastError::TooManyGates { limit: self.limit_gates });
        }
        self.expect(0)
    }

    /// Fails if that many further gates would be too many, before any of them is made.
    fn expect(&self, gates: u64) -> Result<(), BlastError> {
        let present = (self.builder.len() - self.leaves) as u64;
        if present.saturating_add(gates) > self.limit_gates as u64 {
            return Err(BlastError::TooManyGates { limit: self.limit_gates });
        }
        Ok(())
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.builder.and(a, b)
    }

    fn or(&mut self, a: Lit, b: Lit) -> Lit {
        self.builder.or(a, b)
    }

    fn map(a: &[Lit], b: &[Lit], mut op: impl FnMut(Lit, Lit) -> Lit) -> Word {
        a.iter().zip(b).map(|(&a, &b)| op(a, b)).collect()
    }

    /// `if c then t else e`, bit by bit.
    pub(super) fn mux(&mut self, c: Lit, t: &[Lit], e: &[Lit]) -> Word {
        Self::map(t, e, |t, e| self.builder.ite(c, t, e))
    }

    /// An operator with one argument.
    pub(super) fn unary(&mut self, op: UnaryOp, a: &[Lit]) -> Result<Word, BlastError> {
        let word = match op {
            UnaryOp::Not => invert(a),
            UnaryOp::Inc => self.increment(a),
            // a − 1 = ¬(¬a + 1), which needs no more gates than a + 1.
            UnaryOp::Dec => invert(&self.increment(&invert(a))),
            UnaryOp::Neg => self.negate_if(Lit::TRUE, a),
            UnaryOp::RedAnd => vec![self.builder.and_all(a.iter().copied())],
            UnaryOp::RedOr => vec![self.builder.or_all(a.iter().copied())],
            UnaryOp::RedXor => vec![self.parity(a)],
        };
        self.spend(a.len())?;
        Ok(word)
    }

    /// An operator with two arguments. `Eq` and `Neq` also serve expanded arrays.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        a: &[Lit],
        b: &[Lit],
    ) -> Result<Word, BlastError> {
        use BinaryOp::*;
        let word = match op {
            Iff | Xnor => Self::map(a, b, |a, b| self.builder.iff(a, b)),
            Implies => Self::map(a, b, |a, b| self.builder.implies(a, b)),
            Eq => vec![self.equal(a, b)],
            Neq => vec![!self.equal(a, b)],
            Ult | Usubo => vec![self.less(a, b)],
            Ulte => vec![!self.less(b, a)],
            Ugt => vec![self.less(b, a)],
            Ugte => vec![!self.less(a, b)],
            Slt => vec![self.signed_less(a, b)],
            Slte => vec![!self.signed_less(b, a)],
            Sgt => vec![self.signed_less(b, a)],
            Sgte => vec![!self.signed_less(a, b)],
            And => Self::map(a, b, |a, b| self.builder.and(a, b)),
            Nand => Self::map(a, b, |a, b| !self.builder.and(a, b)),
            Or => Self::map(a, b, |a, b| self.builder.or(a, b)),
            Nor => Self::map(a, b, |a, b| !self.builder.or(a, b)),
            Xor => Self::map(a, b, |a, b| self.builder.xor(a, b)),
            Sll => self.shift(a, b, Direction::Left, Lit::FALSE)?,
            Srl => self.shift(a, b, Direction::Right, Lit::FALSE)?,
            Sra => self.shift(a, b, Direction::Right, sign(a))?,
            Rol => self.rotate(a, b, Direction::Left)?,
            Ror => self.rotate(a, b, Direction::Right)?,
            Add => self.add(a, b, Lit::FALSE).bits,
            Sub => self.add(a, &invert(b), Lit::TRUE).bits,
            Mul => self.multiply(a, b)?,
            Udiv => self.divide(a, b)?.0,
            Urem => self.divide(a, b)?.1,
            Sdiv => self.signed_quotient(a, b)?,
            Srem => self.signed_remainder(a, b)?,
            Smod => self.modulo(a, b)?,
            Uaddo => vec![self.add(a, b, Lit::FALSE).out],
            Saddo => vec![self.signed_overflow(a, b, Lit::FALSE)],
            Ssubo => vec![self.signed_overflow(a, &invert(b), Lit::TRUE)],
            Umulo => vec![self.multiply_overflow(a, b)?],
            Smulo => vec![self.signed_multiply_overflow(a, b)?],
            Sdivo => vec![self.divide_overflow(a, b)],
            Concat => [b, a].concat(),
        };
        self.spend(a.len())?;
        Ok(word)
    }

    /// The exclusive or of all, as a balanced tree.
    fn parity(&mut self, a: &[Lit]) -> Lit {
        let mut level = a.to_vec();
        while level.len() > 1 {
            let pair = |p: &[Lit]| if let [a, b] = *p { self.builder.xor(a, b) } else { p[0] };
            level = level.chunks(2).map(pair).collect();
        }
        level[0]
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same = Self::map(a, b, |a, b| self.builder.iff(a, b));
        self.builder.and_all(same)
    }

    /// Unsigned `a < b`, upwards from the lowest bit: at each one `b` exceeds `a` here, or
    /// does not fall behind here and was less below. Four gates a bit.
    fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = Lit::FALSE;
        for (&a, &b) in a.iter().zip(b) {
            let (below, above) = (self.and(!a, b), self.and(a, !b));
            let still = self.and(!above, less);
            less = self.or(below, still);
        }
        less
    }

    /// Signed `a < b`: unsigned with the two signs exchanged.
    fn signed_less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (mut left, mut right) = (a.to_vec(), b.to_vec());
        let top = a.len() - 1;
        (left[top], right[top]) = (b[top], a[top]);
        self.less(&left, &right)
    }

    /// `(a ∧ b, a ⊕ b)`. Unlike the builder's exclusive or this keeps the signs of its inputs,
    /// so that the conjunction is always one of its three gates.
    fn half_adder(&mut self, a: Lit, b: Lit) -> (Lit, Lit) {
        let both = self.and(a, b);
        let none = self.and(!a, !b);
        (both, self.and(!both, !none))
    }

    /// Carry and sum of three bits, in seven gates; in three if one of them is constant.
    fn full_adder(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let (a, b, c) = match (a.is_const(), b.is_const()) {
            (true, _) => (b, c, a),
            (_, true) => (a, c, b),
            _ => (a, b, c),
        };
        let (both, differ) = self.half_adder(a, b);
        match c {
            Lit::FALSE => (both, differ),
            Lit::TRUE => (self.or(a, b), !differ),
            _ => {
                let (and_carry, sum) = self.half_adder(differ, c);
                (self.or(both, and_carry), sum)
            }
        }
    }

    /// `a + b + carry`.
    fn add(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> Sum {
        let mut sum = Sum { bits: Word::with_capacity(a.len()), into_sign: carry, out: carry };
        for (&a, &b) in a.iter().zip(b) {
            sum.into_sign = sum.out;
            let (out, bit) = self.full_adder(a, b, sum.out);
            sum.out = out;
            sum.bits.push(bit);
        }
        sum
    }

    fn increment(&mut self, a: &[Lit]) -> Word {
        self.add(a, &vec![Lit::FALSE; a.len()], Lit::TRUE).bits
    }

    /// `if c then −a else a`: every bit above the lowest 1 is flipped. Five gates a bit.
    fn negate_if(&mut self, c: Lit, a: &[Lit]) -> Word {
        let mut one_below = Lit::FALSE;
        let mut word = Word::with_capacity(a.len());
        for &bit in a {
            let flip = self.and(c, one_below);
            word.push(self.builder.xor(bit, flip));
            one_below = self.or(one_below, bit);
        }
        word
    }

    /// The sum of signed words leaves the range: the carries into and out of the sign differ.
    fn signed_overflow(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> Lit {
        let sum = self.add(a, b, carry);
        self.builder.xor(sum.into_sign, sum.out)
    }

    /// A shift by a variable distance. Only the low bits of the distance get a layer; if any
    /// other is set, everything is shifted out.
    fn shift(
        &mut self,
        a: &[Lit],
        by: &[Lit],
        direction: Direction,
        fill: Lit,
    ) -> Result<Word, BlastError> {
        let width = a.len();
        let stages = ceil_log2(width);
        let mut word = a.to_vec();
        for (stage, &bit) in by[..stages].iter().enumerate() {
            let distance = 1 << stage;
            let moved: Word = (0..width)
                .map(|i| match direction {
                    Direction::Left if i >= distance => word[i - distance],
                    Direction::Right if i + distance < width => word[i + distance],
                    _ => fill,
                })
                .collect();
            word = self.mux(bit, &moved, &word);
            self.spend(width)?;
        }
        let beyond = self.builder.or_all(by[stages..].iter().copied());
        Ok(self.mux(beyond, &vec![fill; width], &word))
    }

    /// A rotation by a distance modulo the width. For a width that is no power of two the
    /// distance is reduced first, which needs a divider only as wide as the width's logarithm.
    fn rotate(&mut self, a: &[Lit], by: &[Lit], direction: Direction) -> Result<Word, BlastError> {
        let width = a.len();
        let stages = ceil_log2(width);
        let distance = if width.is_power_of_two() {
            by[..stages].to_vec()
        } else {
            let modulus: Word =
                (0..width).map(|i| Lit::constant(i < 32 && width >> i & 1 == 1)).collect();
            self.divide(by, &modulus)?.1
        };
        let mut word = a.to_vec();
        for (stage, &bit) in distance[..stages].iter().enumerate() {
            let mut moved = word.clone();
            match direction {
                Direction::Left => moved.rotate_right(1 << stage),
                Direction::Right => moved.rotate_left(1 << stage),
            }
            word = self.mux(bit, &moved, &word);
            self.spend(width)?;
        }
        Ok(word)
    }

    /// The product modulo `2^width`: shifted rows of one factor, added for the digits of the
    /// other, which is the one with fewer digits.
    fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Result<Word, BlastError> {
        let (of_a, of_b) = (digits(a), digits(b));
        let (a, rows) = if of_a.len() < of_b.len() { (b, of_a) } else { (a, of_b) };
        let width = a.len();
        let variable = a.iter().filter(|l| !l.is_const()).count() as u64;
        // An adder has seven gates a bit; four leave room for what hashing may save.
        let size: u64 = rows.iter().skip(1).map(|r| 4 * variable.min((width - r.at) as u64)).sum();
        self.expect(size)?;
        let mut product = vec![Lit::FALSE; width];
        for Digit { at, lit, negative } in rows {
            // −row = ¬row + 1
            let row: Word = a[..width - at].iter().map(|&x| self.and(x, lit) ^ negative).collect();
            let sum = self.add(&product[at..], &row, Lit::constant(negative));
            product.truncate(at);
            product.extend(sum.bits);
            self.spend(width - at)?;
        }
        Ok(product)
    }

    /// The product of unsigned words leaves the range. Either the leading ones of the factors
    /// alone say so (`a ≥ 2^(w−i)` and `b ≥ 2^i`), or the product is below `2^(w+1)` and one
    /// further bit tells.
    ///
    /// After M. Schulte et al., "Combined unsigned and two's complement saturating
    /// multipliers" (SPIE 2000), which saves a product of twice the width.
    fn multiply_overflow(&mut self, a: &[Lit], b: &[Lit]) -> Result<Lit, BlastError> {
        let width = a.len();
        let leading = self.leading_overflow(a, b);
        let extend = |word: &[Lit]| [word, &[Lit::FALSE]].concat();
        let product = self.multiply(&extend(a), &extend(b))?;
        Ok(self.or(leading, product[width]))
    }

    /// The same for signed words, on what differs from the sign.
    fn signed_multiply_overflow(&mut self, a: &[Lit], b: &[Lit]) -> Result<Lit, BlastError> {
        let width = a.len();
        let mut differ = |word: &[Lit]| -> Word {
            word[..width - 1].iter().map(|&l| self.builder.xor(l, sign(word))).collect()
        };
        let (left, right) = (differ(a), differ(b));
        let leading = self.leading_overflow(&left, &right);
        let extend = |word: &[Lit]| [word, &[sign(word)]].concat();
        let product = self.multiply(&extend(a), &extend(b))?;
        let leaves = self.builder.xor(product[width], product[width - 1]);
        Ok(self.or(leading, leaves))
    }

    /// Whether for some `i` bit `i` of `b` and one of the highest `i` bits of `a` are set.
    fn leading_overflow(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (mut high, mut found) = (Lit::FALSE, Vec::with_capacity(a.len()));
        for i in 1..a.len() {
            high = self.or(high, a[a.len() - i]);
            found.push(self.and(high, b[i]));
        }
        self.builder.or_all(found)
    }

    /// The least value divided by −1.
    fn divide_overflow(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (top, low) = a.split_last().expect("words have at least one bit");
        let bits = b.iter().copied().chain([*top]).chain(low.iter().map(|&l| !l));
        self.builder.and_all(bits)
    }

    /// Unsigned quotient and remainder by restoring division. The remainder grows by one bit a
    /// step, so that early steps are short. A divisor of zero always fits and subtracts
    /// nothing: the quotient is all ones and the remainder the dividend, as they should.
    fn divide(&mut self, a: &[Lit], b: &[Lit]) -> Result<(Word, Word), BlastError> {
        let width = a.len();
        if let Some(log) = power_of_two(b) {
            let pad = |word: &[Lit]| {
                let mut word = word.to_vec();
                word.resize(width, Lit::FALSE);
                word
            };
            return Ok((pad(&a[log..]), pad(&a[..log])));
        }
        let operands: Operands = (a.into(), b.into());
        if let Some(done) = self.divisions.get(&operands) {
            return Ok(done.clone());
        }
        // above[n]: some bit of b at position n or higher is 1.
        let mut above = vec![Lit::FALSE; width + 1];
        for n in (0..width).rev() {
            above[n] = self.or(above[n + 1], b[n]);
        }
        // A divisor that cannot be zero bounds the remainder.
        let used = width - b.iter().rev().take_while(|&&l| l == Lit::FALSE).count();
        let bound = if b.contains(&Lit::TRUE) { used } else { width };
        let steps = width - a.iter().rev().take_while(|&&l| l == Lit::FALSE).count();
        self.expect((1..=steps as u64).map(|n| n.min(bound as u64)).sum())?;
        let mut quotient = vec![!above[0]; width];
        let mut remainder = Word::new();
        for i in (0..steps).rev() {
            remainder.insert(0, a[i]);
            let size = remainder.len();
            let difference = self.add(&remainder, &invert(&b[..size]), Lit::TRUE);
            let fits = self.and(difference.out, !above[size]);
            remainder = self.mux(fits, &difference.bits, &remainder);
            remainder.truncate(bound);
            quotient[i] = fits;
            self.spend(size)?;
        }
        remainder.resize(width, Lit::FALSE);
        self.divisions.insert(operands, (quotient.clone(), remainder.clone()));
        Ok((quotient, remainder))
    }

    /// Divides the absolute values.
    fn divide_magnitudes(&mut self, a: &[Lit], b: &[Lit]) -> Result<(Word, Word), BlastError> {
        let (a, b) = (self.negate_if(sign(a), a), self.negate_if(sign(b), b));
        self.divide(&a, &b)
    }

    fn signed_quotient(&mut self, a: &[Lit], b: &[Lit]) -> Result<Word, BlastError> {
        let (quotient, _) = self.divide_magnitudes(a, b)?;
        let negative = self.builder.xor(sign(a), sign(b));
        Ok(self.negate_if(negative, &quotient))
    }

    fn signed_remainder(&mut self, a: &[Lit], b: &[Lit]) -> Result<Word, BlastError> {
        let (_, remainder) = self.divide_magnitudes(a, b)?;
        Ok(self.negate_if(sign(a), &remainder))
    }

    /// The remainder with the divisor's sign: the divisor is added to a remainder of the other
    /// sign unless that is zero.
    fn modulo(&mut self, a: &[Lit], b: &[Lit]) -> Result<Word, BlastError> {
        let (_, magnitude) = self.divide_magnitudes(a, b)?;
        let remainder = self.negate_if(sign(a), &magnitude);
        let some = self.builder.or_all(magnitude);
        let differ = self.builder.xor(sign(a), sign(b));
        let correct = self.and(some, differ);
        let addend: Word = b.iter().map(|&l| self.and(correct, l)).collect();
        Ok(self.add(&remainder, &addend, Lit::FALSE).bits)
    }
}

#[derive(Copy, Clone)]
enum Direction {
    Left,
    Right,
}

fn invert(a: &[Lit]) -> Word {
    a.iter().map(|&l| !l).collect()
}

fn sign(a: &[Lit]) -> Lit {
    *a.last().expect("words have at least one bit")
}

/// The least `n` with `2^n ≥ width`.
fn ceil_log2(width: usize) -> usize {
    width.next_power_of_two().trailing_zeros() as usize
}

/// The logarithm, if the word is a constant power of two.
fn power_of_two(a: &[Lit]) -> Option<usize> {
    let ones = || a.iter().filter(|&&l| l == Lit::TRUE).count();
    if a.iter().any(|l| !l.is_const()) || ones() != 1 {
        return None;
    }
    a.iter().position(|&l| l == Lit::TRUE)
}

/// A factor as few signed digits: what a multiplier needs a row for.
fn digits(b: &[Lit]) -> Vec<Digit> {
    let plain = |range: std::ops::Range<usize>| {
        let positive = |at: usize| Digit { at, lit: b[at], negative: false };
        range.filter(|&at| b[at] != Lit::FALSE).map(positive).collect::<Vec<Digit>>()
    };
    if b.iter().all(|l| l.is_const()) {
        let (signed, unsigned) = (canonical_digits(b), plain(0..b.len()));
        return if signed.len() < unsigned.len() { signed } else { unsigned };
    }
    // Copies of a sign s at the top, from bit k on, are worth −s · 2^k together.
    let top = sign(b);
    let copies = b.iter().rev().take_while(|&&l| l == top).count();
    if copies < 2 || top == Lit::FALSE {
        return plain(0..b.len());
    }
    let first = b.len() - copies;
    let mut digits = plain(0..first);
    digits.push(Digit { at: first, lit: top, negative: true });
    digits
}

/// The canonical signed digits of a constant: no two neighbours are nonzero.
fn canonical_digits(b: &[Lit]) -> Vec<Digit> {
    let bit = |i: usize| b.get(i) == Some(&Lit::TRUE);
    let (mut digits, mut carry) = (Vec::new(), false);
    for at in 0..b.len() {
        let (here, next) = (bit(at), bit(at + 1));
        if here != carry {
            digits.push(Digit { at, lit: Lit::TRUE, negative: next });
        }
        carry = (here && carry) || (next && (here || carry));
    }
    digits
}
