//! Bit-vector values of any width, with the semantics of BTOR2 (and so of SMT-LIB QF_BV).
//!
//! Up to 64 bits a value is one machine word and never allocates. Wider values keep their
//! two's complement in 64-bit limbs, least significant first, *cut off where sign extension
//! gives the rest back*: a constant such as `ones` or `5` costs a few bytes whatever width a
//! file claims for it. Both forms are canonical, so that equality and hashing are structural.
//! Wide arithmetic is done the obvious way; these are the reference semantics.

use num_bigint::{BigInt, BigUint, Sign};
use std::cmp::Ordering;
use std::fmt;

/// The largest width that Pedra accepts for a bit-vector.
pub const MAX_WIDTH: u32 = 1 << 20;

/// A bit-vector value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bv {
    width: u32,
    repr: Repr,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Width at most 64: zero-extended.
    Small(u64),
    /// Wider: the shortest sign-extensible run of limbs, at least one.
    Wide(Box<[u64]>),
}

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

impl Bv {
    /// The value modulo 2^width.
    ///
    /// # Panics
    /// If the width is zero.
    pub fn from_u64(width: u32, value: u64) -> Bv {
        assert!(width > 0, "bit-vectors have at least one bit");
        if width <= 64 {
            Bv { width, repr: Repr::Small(value & mask(width)) }
        } else {
            Bv::from_limbs(width, vec![value, 0])
        }
    }

    /// The signed value modulo 2^width.
    pub fn from_i64(width: u32, value: i64) -> Bv {
        if width <= 64 {
            Bv::from_u64(width, value as u64)
        } else {
            Bv { width, repr: Repr::Wide(Box::new([value as u64])) }
        }
    }

    /// Zero.
    pub fn zero(width: u32) -> Bv {
        Bv::from_u64(width, 0)
    }

    /// One.
    pub fn one(width: u32) -> Bv {
        Bv::from_u64(width, 1)
    }

    /// All bits set.
    pub fn ones(width: u32) -> Bv {
        Bv::from_i64(width, -1)
    }

    /// A single bit.
    pub fn bit_value(value: bool) -> Bv {
        Bv::from_u64(1, value as u64)
    }

    /// From limbs, least significant first; missing ones are zero, what exceeds the width is
    /// cut off.
    pub fn from_limbs(width: u32, mut limbs: Vec<u64>) -> Bv {
        assert!(width > 0, "bit-vectors have at least one bit");
        if width <= 64 {
            return Bv::from_u64(width, limbs.first().copied().unwrap_or(0));
        }
        let count = width.div_ceil(64) as usize;
        let full = limbs.len() >= count;
        if full {
            limbs.truncate(count);
            let spare = count as u32 * 64 - width;
            // Sign-extend the last limb from the top bit of the vector.
            limbs[count - 1] = ((limbs[count - 1] << spare) as i64 >> spare) as u64;
        } else {
            limbs.push(0);
        }
        let fill = |low: u64| if low >> 63 == 1 { u64::MAX } else { 0 };
        while limbs.len() > 1 && limbs[limbs.len() - 1] == fill(limbs[limbs.len() - 2]) {
            limbs.pop();
        }
        Bv { width, repr: Repr::Wide(limbs.into_boxed_slice()) }
    }

    /// From bits, least significant first.
    pub fn from_bits(bits: &[bool]) -> Bv {
        let mut limbs = vec![0u64; bits.len().div_ceil(64)];
        for (i, &bit) in bits.iter().enumerate() {
            limbs[i / 64] |= (bit as u64) << (i % 64);
        }
        Bv::from_limbs(bits.len() as u32, limbs)
    }

    pub(crate) fn from_biguint(width: u32, value: &BigUint) -> Bv {
        Bv::from_limbs(width, value.to_u64_digits())
    }

    /// The value modulo the width.
    pub fn from_bigint(width: u32, value: &BigInt) -> Bv {
        let magnitude = Bv::from_biguint(width, value.magnitude());
        if value.sign() == Sign::Minus { magnitude.neg() } else { magnitude }
    }

    /// All limbs of the width, zero-extended at the top.
    pub fn limbs(&self) -> Vec<u64> {
        match &self.repr {
            Repr::Small(v) => vec![*v],
            Repr::Wide(short) => {
                let count = self.width.div_ceil(64) as usize;
                let fill = if short[short.len() - 1] >> 63 == 1 { u64::MAX } else { 0 };
                let mut limbs = Vec::with_capacity(count);
                limbs.extend_from_slice(short);
                limbs.resize(count, fill);
                limbs[count - 1] &= mask(self.width - (count as u32 - 1) * 64);
                limbs
            }
        }
    }

    pub(crate) fn to_biguint(&self) -> BigUint {
        let digits = self.limbs().iter().flat_map(|l| [*l as u32, (*l >> 32) as u32]).collect();
        BigUint::new(digits)
    }

    /// The value as a signed number.
    pub fn to_bigint(&self) -> BigInt {
        if self.is_negative() {
            -BigInt::from(self.neg().to_biguint())
        } else {
            BigInt::from(self.to_biguint())
        }
    }

    /// The number of bits.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The value, if it fits 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.repr {
            Repr::Small(v) => Some(*v),
            Repr::Wide(short) => match **short {
                [v] if v >> 63 == 0 => Some(v),
                [v, 0] => Some(v),
                _ => None,
            },
        }
    }

    /// Bit `index`, where 0 is the least significant.
    pub fn bit(&self, index: u32) -> bool {
        assert!(index < self.width, "bit {index} of a vector of width {}", self.width);
        match &self.repr {
            Repr::Small(v) => v >> index & 1 == 1,
            Repr::Wide(short) => {
                let limb = (index / 64) as usize;
                match short.get(limb) {
                    Some(l) => l >> (index % 64) & 1 == 1,
                    None => short[short.len() - 1] >> 63 == 1,
                }
            }
        }
    }

    /// All bits, least significant first.
    pub fn bits(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.width).map(|i| self.bit(i))
    }

    /// Whether all bits are 0.
    pub fn is_zero(&self) -> bool {
        match &self.repr {
            Repr::Small(v) => *v == 0,
            Repr::Wide(short) => **short == [0],
        }
    }

    /// Whether all bits are 1.
    pub fn is_ones(&self) -> bool {
        match &self.repr {
            Repr::Small(v) => *v == mask(self.width),
            Repr::Wide(short) => **short == [u64::MAX],
        }
    }

    /// Whether the value is 1.
    pub fn is_one(&self) -> bool {
        self.to_u64() == Some(1)
    }

    /// Whether the lowest bit is set: the truth of a one-bit vector.
    pub fn is_true(&self) -> bool {
        self.bit(0)
    }

    /// Whether the sign bit is set.
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    fn zip(&self, other: &Bv, op: impl Fn(u64, u64) -> u64) -> Bv {
        assert_eq!(self.width, other.width, "operands of one width");
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => Bv::from_u64(self.width, op(*a, *b)),
            _ => {
                let (a, b) = (self.limbs(), other.limbs());
                Bv::from_limbs(self.width, a.iter().zip(&b).map(|(&a, &b)| op(a, b)).collect())
            }
        }
    }

    /// Bitwise complement.
    pub fn not(&self) -> Bv {
        match &self.repr {
            Repr::Small(v) => Bv::from_u64(self.width, !v),
            Repr::Wide(s) => {
                Bv { width: self.width, repr: Repr::Wide(s.iter().map(|l| !l).collect()) }
            }
        }
    }

    /// Bitwise conjunction.
    pub fn and(&self, other: &Bv) -> Bv {
        self.zip(other, |a, b| a & b)
    }

    /// Bitwise disjunction.
    pub fn or(&self, other: &Bv) -> Bv {
        self.zip(other, |a, b| a | b)
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, other: &Bv) -> Bv {
        self.zip(other, |a, b| a ^ b)
    }

    /// Two's complement negation.
    pub fn neg(&self) -> Bv {
        self.not().add(&Bv::one(self.width))
    }

    /// Sum modulo 2^width.
    pub fn add(&self, other: &Bv) -> Bv {
        assert_eq!(self.width, other.width, "operands of one width");
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &other.repr) {
            return Bv::from_u64(self.width, a.wrapping_add(*b));
        }
        let (mut sum, mut carry) = (Vec::new(), false);
        for (a, b) in self.limbs().into_iter().zip(other.limbs()) {
            let (s, c) = a.overflowing_add(b);
            let (s, d) = s.overflowing_add(carry as u64);
            sum.push(s);
            carry = c || d;
        }
        Bv::from_limbs(self.width, sum)
    }

    /// Difference modulo 2^width.
    pub fn sub(&self, other: &Bv) -> Bv {
        self.add(&other.neg())
    }

    /// Product modulo 2^width.
    pub fn mul(&self, other: &Bv) -> Bv {
        assert_eq!(self.width, other.width, "operands of one width");
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => Bv::from_u64(self.width, a.wrapping_mul(*b)),
            _ => Bv::from_biguint(self.width, &(self.to_biguint() * other.to_biguint())),
        }
    }

    /// Unsigned quotient; all ones if the divisor is zero.
    pub fn udiv(&self, other: &Bv) -> Bv {
        assert_eq!(self.width, other.width, "operands of one width");
        if other.is_zero() {
            return Bv::ones(self.width);
        }
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => Bv::from_u64(self.width, a / b),
            _ => Bv::from_biguint(self.width, &(self.to_biguint() / other.to_biguint())),
        }
    }

    /// Unsigned remainder; the dividend if the divisor is zero.
    pub fn urem(&self, other: &Bv) -> Bv {
        assert_eq!(self.width, other.width, "operands of one width");
        if other.is_zero() {
            return self.clone();
        }
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => Bv::from_u64(self.width, a % b),
            _ => Bv::from_biguint(self.width, &(self.to_biguint() % other.to_biguint())),
        }
    }

    fn magnitude(&self) -> Bv {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// Signed quotient, rounded towards zero, from unsigned division of the magnitudes.
    pub fn sdiv(&self, other: &Bv) -> Bv {
        let quotient = self.magnitude().udiv(&other.magnitude());
        if self.is_negative() != other.is_negative() { quotient.neg() } else { quotient }
    }

    /// Signed remainder with the sign of the dividend.
    pub fn srem(&self, other: &Bv) -> Bv {
        let remainder = self.magnitude().urem(&other.magnitude());
        if self.is_negative() { remainder.neg() } else { remainder }
    }

    /// Signed remainder with the sign of the divisor.
    pub fn smod(&self, other: &Bv) -> Bv {
        let remainder = self.magnitude().urem(&other.magnitude());
        if remainder.is_zero() {
            return remainder;
        }
        match (self.is_negative(), other.is_negative()) {
            (false, false) => remainder,
            (true, false) => remainder.neg().add(other),
            (false, true) => remainder.add(other),
            (true, true) => remainder.neg(),
        }
    }

    /// The shift distance, if it is less than the width.
    fn distance(&self, by: &Bv) -> Option<u32> {
        by.to_u64().filter(|&d| d < self.width as u64).map(|d| d as u32)
    }

    /// Left shift, zeros in; zero if the distance reaches the width.
    pub fn sll(&self, by: &Bv) -> Bv {
        self.distance(by).map_or_else(|| Bv::zero(self.width), |d| self.shifted_left(d))
    }

    /// Logical right shift, zeros in.
    pub fn srl(&self, by: &Bv) -> Bv {
        self.distance(by).map_or_else(|| Bv::zero(self.width), |d| self.shifted_right(d))
    }

    /// Left shift by a plain number; zero if it reaches the width.
    pub fn shifted_left(&self, by: u32) -> Bv {
        match &self.repr {
            _ if by >= self.width => Bv::zero(self.width),
            Repr::Small(v) => Bv::from_u64(self.width, v << by),
            _ => Bv::from_biguint(self.width, &(self.to_biguint() << by)),
        }
    }

    /// Logical right shift by a plain number; zero if it reaches the width.
    pub fn shifted_right(&self, by: u32) -> Bv {
        match &self.repr {
            _ if by >= self.width => Bv::zero(self.width),
            Repr::Small(v) => Bv::from_u64(self.width, v >> by),
            _ => Bv::from_biguint(self.width, &(self.to_biguint() >> by)),
        }
    }

    /// Arithmetic right shift, copies of the sign in.
    pub fn sra(&self, by: &Bv) -> Bv {
        if self.is_negative() { self.not().srl(by).not() } else { self.srl(by) }
    }

    /// The rotation distance: the amount modulo the width.
    fn turns(&self, by: &Bv) -> u32 {
        match by.to_u64() {
            Some(d) => (d % self.width as u64) as u32,
            None => (by.to_biguint() % self.width).to_u32_digits().first().copied().unwrap_or(0),
        }
    }

    /// Rotation to the left, by the distance modulo the width.
    pub fn rol(&self, by: &Bv) -> Bv {
        self.rotated_left(self.turns(by))
    }

    /// Rotation to the right, by the distance modulo the width.
    pub fn ror(&self, by: &Bv) -> Bv {
        self.rotated_left(self.width - self.turns(by))
    }

    /// Rotation to the left by a plain number modulo the width.
    pub fn rotated_left(&self, by: u32) -> Bv {
        let by = by % self.width;
        if by == 0 {
            return self.clone();
        }
        self.shifted_left(by).or(&self.shifted_right(self.width - by))
    }

    /// Bits `high` down to `low`, both included.
    pub fn slice(&self, high: u32, low: u32) -> Bv {
        assert!(low <= high && high < self.width, "slice within the vector");
        let width = high - low + 1;
        match &self.repr {
            Repr::Small(v) => Bv::from_u64(width, v >> low),
            _ => Bv::from_biguint(width, &(self.to_biguint() >> low)),
        }
    }

    /// `self` on top of `low`.
    pub fn concat(&self, low: &Bv) -> Bv {
        let width = self.width + low.width;
        match (&self.repr, &low.repr) {
            (Repr::Small(a), Repr::Small(b)) if width <= 64 => {
                Bv::from_u64(width, a << low.width | b)
            }
            _ => Bv::from_biguint(width, &((self.to_biguint() << low.width) | low.to_biguint())),
        }
    }

    /// Extended by `by` zero bits.
    pub fn zero_extend(&self, by: u32) -> Bv {
        if let Repr::Small(v) = self.repr {
            return Bv::from_u64(self.width + by, v);
        }
        Bv::from_limbs(self.width + by, {
            let mut l = self.limbs();
            l.push(0);
            l
        })
    }

    /// Extended by `by` copies of the sign bit.
    pub fn sign_extend(&self, by: u32) -> Bv {
        if self.is_negative() { self.not().zero_extend(by).not() } else { self.zero_extend(by) }
    }

    /// Unsigned order.
    pub fn ucmp(&self, other: &Bv) -> Ordering {
        assert_eq!(self.width, other.width, "operands of one width");
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            _ => self.limbs().iter().rev().cmp(other.limbs().iter().rev()),
        }
    }

    /// Signed order.
    pub fn scmp(&self, other: &Bv) -> Ordering {
        assert_eq!(self.width, other.width, "operands of one width");
        match (self.is_negative(), other.is_negative()) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => self.ucmp(other),
        }
    }

    /// Unsigned addition overflows.
    pub fn uaddo(&self, other: &Bv) -> bool {
        self.add(other).ucmp(self) == Ordering::Less
    }

    /// Signed addition overflows.
    pub fn saddo(&self, other: &Bv) -> bool {
        // Only operands of one sign can overflow; the sum then has the other sign.
        let sign = self.is_negative();
        sign == other.is_negative() && self.add(other).is_negative() != sign
    }

    /// Unsigned subtraction borrows.
    pub fn usubo(&self, other: &Bv) -> bool {
        self.ucmp(other) == Ordering::Less
    }

    /// Signed subtraction overflows.
    pub fn ssubo(&self, other: &Bv) -> bool {
        // Only operands of different signs can overflow; the difference then has the sign of
        // the second.
        let sign = self.is_negative();
        sign != other.is_negative() && self.sub(other).is_negative() != sign
    }

    /// Unsigned multiplication overflows.
    pub fn umulo(&self, other: &Bv) -> bool {
        assert_eq!(self.width, other.width, "operands of one width");
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &other.repr) {
            return *a as u128 * *b as u128 > mask(self.width) as u128;
        }
        (self.to_biguint() * other.to_biguint()).bits() > self.width as u64
    }

    /// Signed multiplication overflows.
    pub fn smulo(&self, other: &Bv) -> bool {
        assert_eq!(self.width, other.width, "operands of one width");
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &other.repr) {
            let spare = 64 - self.width;
            let signed = |v: u64| ((v << spare) as i64 >> spare) as i128;
            let product = signed(*a) * signed(*b);
            return product != signed(product as u64 & mask(self.width));
        }
        let exact = self.to_bigint() * other.to_bigint();
        Bv::from_bigint(self.width, &exact).to_bigint() != exact
    }

    /// Signed division overflows: the least value divided by −1.
    pub fn sdivo(&self, other: &Bv) -> bool {
        other.is_ones() && self.is_negative() && self.neg() == *self
    }

    /// The number of bits set.
    pub fn count_ones(&self) -> u32 {
        match &self.repr {
            Repr::Small(v) => v.count_ones(),
            _ => self.limbs().iter().map(|l| l.count_ones()).sum(),
        }
    }

    /// The position of the lowest bit set.
    pub fn lowest_one(&self) -> Option<u32> {
        match &self.repr {
            Repr::Small(v) => (*v != 0).then(|| v.trailing_zeros()),
            Repr::Wide(short) => {
                let limb = short.iter().position(|&l| l != 0)?;
                Some(limb as u32 * 64 + short[limb].trailing_zeros())
            }
        }
    }

    /// The position of the highest bit set.
    pub fn highest_one(&self) -> Option<u32> {
        match &self.repr {
            Repr::Small(v) => v.checked_ilog2(),
            Repr::Wide(_) if self.is_negative() => Some(self.width - 1),
            Repr::Wide(short) => {
                let limb = short.iter().rposition(|&l| l != 0)?;
                Some(limb as u32 * 64 + short[limb].ilog2())
            }
        }
    }

    /// The vector whose lowest `count` bits are set, all if there are not that many.
    pub fn low_ones(width: u32, count: u32) -> Bv {
        if count == 0 {
            return Bv::zero(width);
        }
        Bv::ones(width).shifted_right(width - count.min(width))
    }

    /// Reads digits of a radix (2, 10 or 16). A leading `-` negates. Fails on other characters
    /// or if the value does not fit the width (negative: below −2^(width−1)).
    pub fn parse(width: u32, digits: &str, radix: u32) -> Option<Bv> {
        let (negative, digits) = match digits.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, digits),
        };
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return None;
        }
        // A number of n digits has more than (n−1)·log2(radix) bits. Long ones that cannot
        // fit are turned away before the conversion, which is not linear.
        let significant = digits.trim_start_matches('0').len() as u64;
        if significant.saturating_sub(1) * radix.ilog2() as u64 >= width as u64 {
            return None;
        }
        let value = BigUint::parse_bytes(digits.as_bytes(), radix)?;
        if value.bits() > width as u64 {
            return None;
        }
        let magnitude = Bv::from_biguint(width, &value);
        if !negative {
            return Some(magnitude);
        }
        let result = magnitude.neg();
        (result.is_negative() || result.is_zero()).then_some(result)
    }

    /// The binary digits, most significant first, as many as the width.
    pub fn to_binary(&self) -> String {
        (0..self.width).rev().map(|i| if self.bit(i) { '1' } else { '0' }).collect()
    }

    /// The unsigned decimal value.
    pub fn to_decimal(&self) -> String {
        match &self.repr {
            Repr::Small(v) => v.to_string(),
            _ => self.to_biguint().to_string(),
        }
    }

    /// The hexadecimal digits, most significant first, enough for the width.
    pub fn to_hex(&self) -> String {
        let digits = self.width.div_ceil(4) as usize;
        let mut text = String::with_capacity(digits);
        for (i, limb) in self.limbs().iter().enumerate().rev() {
            let width = if (i + 1) * 16 > digits { digits - i * 16 } else { 16 };
            text.push_str(&format!("{limb:0width$x}"));
        }
        text
    }
}

/// Vectors are ordered by width, then by unsigned value.
impl Ord for Bv {
    fn cmp(&self, other: &Bv) -> Ordering {
        self.width.cmp(&other.width).then_with(|| self.ucmp(other))
    }
}

impl PartialOrd for Bv {
    fn partial_cmp(&self, other: &Bv) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Bv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}'h{}", self.width, self.to_hex())
    }
}
