//! From words to integers.

use super::Reading;
use crate::graph::{Input, InputKind};
use num_bigint::BigInt;
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;

/// Slices of at least this many bits are conversions to a shorter type, which change no number as
/// long as it fits. Shorter ones are remainders.
const SHORTEST_TYPE: u32 = 8;

/// The terms of one edge, over integers.
pub(super) struct Forth<'a> {
    from: &'a Terms,
    to: &'a mut Terms,
    symbols: FxHashMap<TermId, TermId>,
    /// How variables are read.
    readings: &'a FxHashMap<TermId, Reading>,
    known: FxHashMap<(TermId, Reading), TermId>,
    /// Results of operators without a counterpart, and the range of each.
    arbitrary: Vec<(TermId, TermId)>,
}

impl<'a> Forth<'a> {
    pub(super) fn new(
        from: &'a Terms,
        to: &'a mut Terms,
        symbols: FxHashMap<TermId, TermId>,
        readings: &'a FxHashMap<TermId, Reading>,
    ) -> Forth<'a> {
        let (known, arbitrary) = (FxHashMap::default(), Vec::new());
        Forth { from, to, symbols, readings, known, arbitrary }
    }

    /// The fresh values that the terms of the edge need, and between which numbers they are.
    pub(super) fn arbitrary(self) -> (Vec<Input>, TermId) {
        let Forth { to, arbitrary, .. } = self;
        let mut ranges = to.bool(true);
        let mut inputs = Vec::with_capacity(arbitrary.len());
        for (term, range) in arbitrary {
            ranges = to.and(ranges, range);
            inputs.push(Input { term, kind: InputKind::Choice });
        }
        (inputs, ranges)
    }

    pub(super) fn always(&mut self) -> TermId {
        self.to.bool(true)
    }

    /// A one-bit term.
    pub(super) fn condition(&mut self, term: TermId) -> TermId {
        self.value(term, Reading::Unsigned)
    }

    pub(super) fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.to.and(a, b)
    }

    /// What numbers a word can be; `None` for single bits.
    pub(super) fn range(&mut self, term: TermId, reading: Reading) -> Option<TermId> {
        let width = self.from.width(term);
        if width == 1 {
            return None;
        }
        let number = self.value(term, reading);
        Some(self.between(number, width, reading))
    }

    /// Whether a number is one of a word.
    fn between(&mut self, number: TermId, width: u32, reading: Reading) -> TermId {
        let (least, greatest) = range(width, reading);
        let (least, greatest) = (self.to.integer(least), self.to.integer(greatest));
        let above = self.int(IntOp::Le, least, number);
        let below = self.int(IntOp::Le, number, greatest);
        self.to.and(above, below)
    }

    /// A term, read so.
    pub(super) fn value(&mut self, root: TermId, reading: Reading) -> TermId {
        let mut stack = vec![(root, reading)];
        while let Some(&(term, reading)) = stack.last() {
            if self.known.contains_key(&(term, reading)) {
                stack.pop();
                continue;
            }
            let needed = self.readings(term, reading);
            let before = stack.len();
            stack.extend(needed.into_iter().filter(|one| !self.known.contains_key(one)));
            if stack.len() == before {
                let value = self.combine(term, reading);
                self.known.insert((term, reading), value);
                stack.pop();
            }
        }
        self.known[&(root, reading)]
    }

    /// How the arguments of a term are to be read.
    fn readings(&self, term: TermId, reading: Reading) -> Vec<(TermId, Reading)> {
        use BinaryOp::*;
        use Reading::{Signed, Unsigned};
        let node = self.from.get(term);
        let all = |reading: Reading| node.args().map(|arg| (arg, reading)).collect();
        match *node {
            Term::Const(_) | Term::Symbol(_) => Vec::new(),
            Term::Binary(Slt | Slte | Sgt | Sgte | Sdiv | Srem | Smod | Sra, ..) => all(Signed),
            Term::Binary(Ult | Ulte | Ugt | Ugte | Udiv | Urem | Srl | Concat, ..) => all(Unsigned),
            Term::Binary(Eq | Neq, a, b) => {
                all(self.reading_of(a).or_else(|| self.reading_of(b)).unwrap_or(Signed))
            }
            // A large constant that is added is a small one that is subtracted.
            Term::Binary(Add | Mul, a, b) => {
                let one = |arg| if self.from.as_constant(arg).is_some() { Signed } else { reading };
                vec![(a, one(a)), (b, one(b))]
            }
            Term::Extend { arg, signed, .. } => vec![(arg, Reading::new(signed))],
            Term::Ite(c, a, b) => vec![(c, Unsigned), (a, reading), (b, reading)],
            _ => all(reading),
        }
    }

    /// How a term is read that is made of a variable, or was extended; `None` for others.
    fn reading_of(&self, mut term: TermId) -> Option<Reading> {
        loop {
            term = match *self.from.get(term) {
                Term::Extend { signed, .. } => return Some(Reading::new(signed)),
                Term::Symbol(_) => return self.readings.get(&term).copied(),
                Term::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
                    if self.from.as_constant(a).is_some() { b } else { a }
                }
                Term::Ite(_, a, _) | Term::Unary(_, a) | Term::Slice { arg: a, .. } => a,
                _ => return None,
            };
        }
    }

    fn combine(&mut self, term: TermId, reading: Reading) -> TermId {
        let from = self.from;
        let is_bit = from.sort(term) == Sort::BOOL;
        let of = |known: &FxHashMap<_, TermId>, (term, reading): (TermId, Reading)| {
            known[&(term, reading)]
        };
        let args: Vec<TermId> =
            self.readings(term, reading).into_iter().map(|arg| of(&self.known, arg)).collect();
        match *from.get(term) {
            Term::Symbol(_) => self.symbols[&term],
            Term::Const(ref value) if is_bit => self.to.bool(value.is_true()),
            Term::Const(ref value) => self.to.integer(number(value, reading)),
            Term::Unary(op, a) => self.unary(op, from.width(a), args[0], (term, reading)),
            Term::Binary(op, a, b) => {
                self.binary(op, (a, from.width(b), b), (args[0], args[1]), (term, reading))
            }
            Term::Ite(..) => self.to.simplified(Term::Ite(args[0], args[1], args[2])),
            Term::Slice { arg, .. } if from.width(arg) == 1 => args[0],
            Term::Slice { arg, high, low } => self.slice((arg, args[0]), high, low, is_bit),
            Term::Extend { .. } if is_bit => args[0],
            Term::Extend { arg, signed, .. } => self.as_integer(arg, args[0], Reading::new(signed)),
            _ => self.any(term, reading),
        }
    }

    fn int(&mut self, op: IntOp, a: TermId, b: TermId) -> TermId {
        self.to.simplified(Term::Int(op, a, b))
    }

    /// The image of a word as an integer, also if it is a single bit, whose image is a truth value.
    fn as_integer(&mut self, word: TermId, image: TermId, reading: Reading) -> TermId {
        if self.from.width(word) > 1 {
            return image;
        }
        let one = self.to.integer(if reading == Reading::Signed { -1 } else { 1 });
        let zero = self.to.integer(0);
        self.to.simplified(Term::Ite(image, one, zero))
    }

    /// An arbitrary value instead of a term.
    fn any(&mut self, term: TermId, reading: Reading) -> TermId {
        let width = self.from.width(term);
        let symbol = self.to.new_symbol(if width == 1 { Sort::BOOL } else { Sort::Int });
        let range = match width {
            1 => self.to.bool(true),
            _ => self.between(symbol, width, reading),
        };
        self.arbitrary.push((symbol, range));
        symbol
    }

    fn unary(
        &mut self,
        op: UnaryOp,
        width: u32,
        a: TermId,
        (term, reading): (TermId, Reading),
    ) -> TermId {
        let (zero, one) = (self.to.integer(0), self.to.integer(1));
        match op {
            UnaryOp::Not | UnaryOp::Inc | UnaryOp::Dec if width == 1 => self.to.not(a),
            UnaryOp::Neg | UnaryOp::RedAnd | UnaryOp::RedOr | UnaryOp::RedXor if width == 1 => a,
            UnaryOp::Not => {
                let minus = self.int(IntOp::Sub, zero, a);
                self.int(IntOp::Sub, minus, one)
            }
            UnaryOp::Inc => self.int(IntOp::Add, a, one),
            UnaryOp::Dec => self.int(IntOp::Sub, a, one),
            UnaryOp::Neg => self.int(IntOp::Sub, zero, a),
            UnaryOp::RedOr => self.to.simplified(Term::Binary(BinaryOp::Neq, a, zero)),
            UnaryOp::RedAnd | UnaryOp::RedXor => self.any(term, reading),
        }
    }

    /// An operator with the arguments `a` and `b`; `before` are the left one, the width, and the
    /// right one among words.
    fn binary(
        &mut self,
        op: BinaryOp,
        before: (TermId, u32, TermId),
        (a, b): (TermId, TermId),
        (term, reading): (TermId, Reading),
    ) -> TermId {
        use BinaryOp::*;
        let (left, width, right) = before;
        if width == 1 && op != Concat {
            return self.to.simplified(Term::Binary(op, a, b));
        }
        let constants = [left, right].map(|side| self.from.as_constant(side).cloned());
        match op {
            Eq | Neq => self.to.simplified(Term::Binary(op, a, b)),
            Slt | Ult => self.int(IntOp::Lt, a, b),
            Slte | Ulte => self.int(IntOp::Le, a, b),
            Sgt | Ugt => self.int(IntOp::Gt, a, b),
            Sgte | Ugte => self.int(IntOp::Ge, a, b),
            Add => self.int(IntOp::Add, a, b),
            Sub => self.int(IntOp::Sub, a, b),
            Mul if constants.iter().any(Option::is_some) => self.int(IntOp::Mul, a, b),
            // Nothing wraps around here.
            Saddo | Uaddo | Smulo | Umulo | Ssubo | Usubo | Sdivo => self.to.bool(false),
            Concat => {
                let a = self.as_integer(left, a, Reading::Unsigned);
                let b = self.as_integer(right, b, Reading::Unsigned);
                let above = self.to.integer(BigInt::from(1) << width);
                let above = self.int(IntOp::Mul, a, above);
                self.int(IntOp::Add, above, b)
            }
            And => match constants.each_ref().map(|side| side.as_ref().and_then(mask)) {
                [Some(bits), _] => self.low_bits(b, bits),
                [_, Some(bits)] => self.low_bits(a, bits),
                [None, None] => self.any(term, reading),
            },
            _ => match &constants[1] {
                Some(by) => self.by_constant(op, a, by, (term, reading)),
                None => self.any(term, reading),
            },
        }
    }

    /// Shifts, quotients and remainders by a constant.
    fn by_constant(
        &mut self,
        op: BinaryOp,
        a: TermId,
        by: &Bv,
        (term, reading): (TermId, Reading),
    ) -> TermId {
        use BinaryOp::*;
        let distance = by.to_u64().filter(|&distance| distance < u64::from(by.width()));
        let power = distance.map(|distance| self.to.integer(BigInt::from(1) << distance));
        let divisor = number(by, Reading::new(matches!(op, Sdiv | Srem | Smod)));
        let divisor = (divisor > BigInt::ZERO).then(|| self.to.integer(divisor));
        match (op, power, divisor) {
            (Sll, Some(power), _) => self.int(IntOp::Mul, a, power),
            (Srl | Sra, Some(power), _) => self.int(IntOp::Div, a, power),
            (Udiv, _, Some(divisor)) => self.int(IntOp::Div, a, divisor),
            (Urem | Smod, _, Some(divisor)) => self.int(IntOp::Mod, a, divisor),
            (Sdiv, _, Some(divisor)) => self.towards_zero(IntOp::Div, a, divisor),
            (Srem, _, Some(divisor)) => self.towards_zero(IntOp::Mod, a, divisor),
            _ => self.any(term, reading),
        }
    }

    /// `a mod 2^bits`
    fn low_bits(&mut self, a: TermId, bits: u32) -> TermId {
        let modulus = self.to.integer(BigInt::from(1) << bits);
        self.int(IntOp::Mod, a, modulus)
    }

    /// `a ≥ 0 ? a op b : −(−a op b)`
    fn towards_zero(&mut self, op: IntOp, a: TermId, b: TermId) -> TermId {
        let zero = self.to.integer(0);
        let is_positive = self.int(IntOp::Ge, a, zero);
        let (plus, minus) = (self.int(op, a, b), self.int(IntOp::Sub, zero, a));
        let minus = self.int(op, minus, b);
        let minus = self.int(IntOp::Sub, zero, minus);
        self.to.simplified(Term::Ite(is_positive, plus, minus))
    }

    fn slice(&mut self, (arg, a): (TermId, TermId), high: u32, low: u32, is_bit: bool) -> TermId {
        let bits = high - low + 1;
        let width = self.from.width(arg);
        let shifted = match low {
            0 => a,
            _ => {
                let power = self.to.integer(BigInt::from(1) << low);
                self.int(IntOp::Div, a, power)
            }
        };
        let rest = match (low == 0 && bits >= SHORTEST_TYPE) || bits == width {
            true => shifted,
            false => self.low_bits(shifted, bits),
        };
        if !is_bit {
            return rest;
        }
        let one = self.to.integer(1);
        self.to.simplified(Term::Binary(BinaryOp::Eq, rest, one))
    }
}

/// How many low bits a mask keeps, if it keeps nothing else.
fn mask(value: &Bv) -> Option<u32> {
    let next: BigInt = number(value, Reading::Unsigned) + 1;
    let bits = next.trailing_zeros()?;
    (next == BigInt::from(1) << bits).then_some(bits as u32)
}

/// The least and the greatest number of a word.
pub(super) fn range(width: u32, reading: Reading) -> (BigInt, BigInt) {
    let one = BigInt::from(1);
    match reading {
        Reading::Signed => (-(&one << (width - 1)), (&one << (width - 1)) - &one),
        Reading::Unsigned => (BigInt::ZERO, (&one << width) - &one),
    }
}

/// The number that a word stands for.
pub(super) fn number(value: &Bv, reading: Reading) -> BigInt {
    let signed = value.to_bigint();
    match reading == Reading::Unsigned && value.is_negative() {
        true => signed + (BigInt::from(1) << value.width()),
        false => signed,
    }
}
