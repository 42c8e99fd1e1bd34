//! Integers of any size that are small as a rule.
//!
//! A value that fits 64 bits is stored in place; only others live on the heap. The form is
//! canonical, so equality and hashing are those of the representation. Every operation on small
//! values is one checked machine operation (128 bits wide where it multiplies), and falls back
//! to [`BigInt`] only when that overflows.

use num_bigint::BigInt;
use num_integer::Integer;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

/// An integer.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    /// Does not fit 64 bits.
    Big(Box<BigInt>),
}

use Repr::{Big, Small};

impl Int {
    /// Zero.
    pub const ZERO: Int = Int(Small(0));
    /// One.
    pub const ONE: Int = Int(Small(1));

    #[inline]
    fn from_wide(value: i128) -> Int {
        match i64::try_from(value) {
            Ok(small) => Int(Small(small)),
            Err(_) => Int(Big(Box::new(BigInt::from(value)))),
        }
    }

    fn from_big(value: BigInt) -> Int {
        match i64::try_from(&value) {
            Ok(small) => Int(Small(small)),
            Err(_) => Int(Big(Box::new(value))),
        }
    }

    /// The value as a big number.
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            Small(small) => BigInt::from(*small),
            Big(big) => (**big).clone(),
        }
    }

    /// The value if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Small(small) => Some(small),
            Big(_) => None,
        }
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0))
    }

    /// Whether it is 1.
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1))
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Small(small) => small.signum() as i32,
            Big(big) if big.sign() == num_bigint::Sign::Minus => -1,
            Big(_) => 1,
        }
    }

    /// Whether it is below 0.
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// Whether it is above 0.
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// The absolute value.
    pub fn abs(&self) -> Int {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// The greatest common divisor, not negative; 0 if both are.
    pub fn gcd(&self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            return Int::from_wide(small_gcd(a.unsigned_abs(), b.unsigned_abs()) as i128);
        }
        Int::from_big(self.to_big().gcd(&other.to_big()))
    }

    /// `⌊self / divisor⌋`; the divisor must not be 0.
    #[inline]
    pub fn div_floor(&self, divisor: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &divisor.0) {
            if let (Some(quotient), Some(rest)) = (a.checked_div(*b), a.checked_rem(*b)) {
                // Division by machine rounds to zero.
                let is_above = rest != 0 && (rest < 0) != (*b < 0);
                return Int(Small(quotient - is_above as i64));
            }
            return Int::from_wide(Integer::div_floor(&(*a as i128), &(*b as i128)));
        }
        Int::from_big(self.to_big().div_floor(&divisor.to_big()))
    }

    /// The quotient of Euclidean division: `self - divisor·quotient` is in `0..|divisor|`.
    ///
    /// # Panics
    /// If the divisor is 0.
    pub fn div_euclid(&self, divisor: &Int) -> Int {
        (self - &self.mod_floor(&divisor.abs())).div_floor(divisor)
    }

    /// `⌈self / divisor⌉`; the divisor must not be 0.
    pub fn div_ceil(&self, divisor: &Int) -> Int {
        -&(-self).div_floor(divisor)
    }

    /// `self − divisor · ⌊self / divisor⌋`; the divisor must not be 0.
    #[inline]
    pub fn mod_floor(&self, divisor: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &divisor.0) {
            if let Some(rest) = a.checked_rem(*b) {
                let is_off = rest != 0 && (rest < 0) != (*b < 0);
                return Int(Small(if is_off { rest + b } else { rest }));
            }
            return Int::from_wide((*a as i128).mod_floor(&(*b as i128)));
        }
        Int::from_big(self.to_big().mod_floor(&divisor.to_big()))
    }

    /// Whether the divisor, which must not be 0, divides it.
    pub fn is_multiple_of(&self, divisor: &Int) -> bool {
        self.mod_floor(divisor).is_zero()
    }

    /// `a·b − c·d`, the step of elimination.
    #[inline]
    pub fn cross(a: &Int, b: &Int, c: &Int, d: &Int) -> Int {
        if let (Small(a), Small(b), Small(c), Small(d)) = (&a.0, &b.0, &c.0, &d.0) {
            let (left, right) = (*a as i128 * *b as i128, *c as i128 * *d as i128);
            if let Some(wide) = left.checked_sub(right) {
                return Int::from_wide(wide);
            }
        }
        &(a * b) - &(c * d)
    }

    /// The number of bits beyond which work with it takes longer, in units of 64.
    pub fn limbs(&self) -> u64 {
        match &self.0 {
            Small(_) => 1,
            Big(big) => 1 + big.bits() / 64,
        }
    }
}

/// Stein's algorithm: no division.
#[inline]
fn small_gcd(mut a: u64, mut b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        (a, b) = (a.min(b), a.abs_diff(b));
    }
    a << twos
}

impl From<i64> for Int {
    fn from(value: i64) -> Int {
        Int(Small(value))
    }
}

impl From<BigInt> for Int {
    fn from(value: BigInt) -> Int {
        Int::from_big(value)
    }
}

impl Add for &Int {
    type Output = Int;
    #[inline]
    fn add(self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            return match a.checked_add(*b) {
                Some(sum) => Int(Small(sum)),
                None => Int::from_wide(*a as i128 + *b as i128),
            };
        }
        Int::from_big(self.to_big() + other.to_big())
    }
}

impl Sub for &Int {
    type Output = Int;
    #[inline]
    fn sub(self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            return match a.checked_sub(*b) {
                Some(difference) => Int(Small(difference)),
                None => Int::from_wide(*a as i128 - *b as i128),
            };
        }
        Int::from_big(self.to_big() - other.to_big())
    }
}

impl Mul for &Int {
    type Output = Int;
    #[inline]
    fn mul(self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            return Int::from_wide(*a as i128 * *b as i128);
        }
        Int::from_big(self.to_big() * other.to_big())
    }
}

impl Neg for &Int {
    type Output = Int;
    #[inline]
    fn neg(self) -> Int {
        match &self.0 {
            Small(small) => Int::from_wide(-(*small as i128)),
            Big(big) => Int::from_big(-(**big).clone()),
        }
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Int) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => a.cmp(b),
            (Big(a), Big(b)) => a.cmp(b),
            // The big one decides by its sign.
            (Small(_), Big(_)) => 0.cmp(&other.signum()),
            (Big(_), Small(_)) => self.signum().cmp(&0),
        }
    }
}

impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(small) => small.fmt(f),
            Big(big) => big.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All operations against those of big numbers, around the limits of 64 bits.
    #[test]
    fn division_is_euclidean() {
        for (a, b, quotient) in [(7, 2, 3), (-7, 2, -4), (7, -2, -3), (-7, -2, 4), (6, -3, -2)] {
            assert_eq!(Int::from(a).div_euclid(&Int::from(b)), Int::from(quotient), "{a} / {b}");
        }
    }

    #[test]
    fn small_and_big_agree() {
        let limits = [0i128, i64::MAX as i128, i64::MIN as i128, 1 << 80, 3 << 31];
        let values: Vec<i128> =
            limits.iter().flat_map(|&limit| (-3..=3).map(move |near| limit + near)).collect();
        let int = |value: i128| Int::from(BigInt::from(value));
        for &a in &values {
            assert_eq!(int(a).to_i64().map(i128::from), i64::try_from(a).ok().map(i128::from));
            for &b in &values {
                let (x, y) = (BigInt::from(a), BigInt::from(b));
                assert_eq!((&int(a) + &int(b)).to_big(), &x + &y, "{a} + {b}");
                assert_eq!((&int(a) - &int(b)).to_big(), &x - &y, "{a} - {b}");
                assert_eq!((&int(a) * &int(b)).to_big(), &x * &y, "{a} * {b}");
                assert_eq!(int(a).gcd(&int(b)).to_big(), x.gcd(&y), "gcd {a} {b}");
                assert_eq!(int(a).cmp(&int(b)), a.cmp(&b), "{a} cmp {b}");
                assert_eq!(int(a) == int(b), a == b);
                let cross = Int::cross(&int(a), &int(b), &int(b), &int(b));
                assert_eq!(cross.to_big(), &x * &y - &y * &y);
                if b != 0 {
                    assert_eq!(int(a).div_floor(&int(b)).to_big(), x.div_floor(&y), "{a} / {b}");
                    assert_eq!(int(a).mod_floor(&int(b)).to_big(), x.mod_floor(&y), "{a} % {b}");
                    assert_eq!(int(a).div_ceil(&int(b)).to_big(), -(-&x).div_floor(&y));
                }
            }
        }
    }
}
