//! The integers in which bounds are computed: machine integers where all values have at most
//! 64 bits, big integers beyond.

use crate::bv::Bv;
use num_bigint::BigInt;
use std::ops::{Add, Div, Mul, Neg, Rem, Shl, Shr, Sub};

/// An integer in which the exact result of every operator on two bounds fits.
pub(super) trait Number:
    Clone
    + Ord
    + From<u32>
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Bit `index` of a number that is not negative.
    fn bit(&self, index: u32) -> bool;

    /// Whether an odd number of bits is set, in a number that is not negative.
    fn parity(&self) -> bool;

    /// The number, or `limit` if it is greater. It is not negative.
    fn clip(&self, limit: u32) -> u32;

    /// The unsigned value of a vector, which must fit.
    fn from_bv(value: &Bv) -> Self;

    /// The vector with this value, which must fit the width.
    fn to_bv(&self, width: u32) -> Bv;
}

/// For at most 64 bits. The largest exact results are shifts, below 2^127, and signed products,
/// at most 2^126; unsigned products are never formed.
impl Number for i128 {
    fn bit(&self, index: u32) -> bool {
        self >> index & 1 == 1
    }

    fn parity(&self) -> bool {
        self.count_ones() % 2 == 1
    }

    fn clip(&self, limit: u32) -> u32 {
        (*self).min(limit as i128) as u32
    }

    fn from_bv(value: &Bv) -> i128 {
        value.to_u64().expect("at most 64 bits") as i128
    }

    fn to_bv(&self, width: u32) -> Bv {
        Bv::from_u64(width, *self as u64)
    }
}

impl Number for BigInt {
    fn bit(&self, index: u32) -> bool {
        BigInt::bit(self, index as u64)
    }

    fn parity(&self) -> bool {
        self.magnitude().iter_u64_digits().map(u64::count_ones).sum::<u32>() % 2 == 1
    }

    fn clip(&self, limit: u32) -> u32 {
        u32::try_from(self).map_or(limit, |value| value.min(limit))
    }

    fn from_bv(value: &Bv) -> BigInt {
        value.to_biguint().into()
    }

    fn to_bv(&self, width: u32) -> Bv {
        Bv::from_biguint(width, self.magnitude())
    }
}
