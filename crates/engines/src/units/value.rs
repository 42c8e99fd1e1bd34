//! Variables and their values as integers.
//!
//! A variable has at most 64 bits, so its value, signed or unsigned, is an [`Int`], and so is
//! every sum of a few of them with small coefficients.

use pedra_model::bv::Bv;
use pedra_model::term::TermId;

/// An exact integer.
pub(crate) type Int = i128;

/// A state as one integer a variable.
pub(crate) type Point = Vec<Int>;

/// A variable of a [vocabulary](super::Vocabulary).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct VarId(u32);

impl VarId {
    /// The variable with this number.
    pub(crate) fn new(index: usize) -> VarId {
        VarId(u32::try_from(index).expect("few variables"))
    }

    /// Its number.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A word of at most 64 bits that a system or a program keeps.
#[derive(Clone, Debug)]
pub(crate) struct WordVar {
    /// For people.
    pub(crate) name: String,
    /// The state that it is, if it is a whole one: an index into the system's states, or the
    /// program's variables.
    pub(crate) state: Option<usize>,
    /// Its current value.
    pub(crate) term: TermId,
    /// Its next value; in programs an edge says that.
    pub(crate) next: TermId,
    /// Its value in the first step, if that is given.
    pub(crate) init: Option<TermId>,
    /// How many bits it has.
    pub(crate) width: u32,
    /// Whether its bounds are signed (heuristic).
    pub(crate) signed: bool,
    /// Whether it is used bit by bit rather than as a number (heuristic).
    pub(crate) bitwise: bool,
}

/// All bits of a word of at most 64 bits.
pub(crate) fn mask_of(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

impl WordVar {
    /// The least value.
    pub(crate) fn min(&self) -> Int {
        if self.signed { -(1 << (self.width - 1)) } else { 0 }
    }

    /// The greatest value.
    pub(crate) fn max(&self) -> Int {
        if self.signed { (1 << (self.width - 1)) - 1 } else { (1 << self.width) - 1 }
    }

    /// The integer that a value is.
    pub(crate) fn int(&self, value: &Bv) -> Int {
        let bits = value.to_u64().expect("at most 64 bits") as Int;
        if self.signed && bits >> (self.width - 1) & 1 == 1 {
            bits - (1 << self.width)
        } else {
            bits
        }
    }

    /// The value that an integer is.
    pub(crate) fn bv(&self, value: Int) -> Bv {
        Bv::from_u64(self.width, value as u64)
    }

    /// A bit of an integer.
    pub(crate) fn bit(value: Int, bit: u32) -> bool {
        value >> bit & 1 == 1
    }
}

/// An integer as a bit-vector of any width that holds it.
pub(crate) fn wide(width: u32, value: Int) -> Bv {
    if width <= 64 {
        return Bv::from_u64(width, value as u64);
    }
    // Two limbs hold an integer of 128 bits; wider ones are sign-extended.
    let (low, high) = (value as u64, (value >> 64) as u64);
    let sign = if value < 0 { u64::MAX } else { 0 };
    let limbs = width.div_ceil(64) as usize;
    let limbs = (0..limbs).map(|i| [low, high].get(i).copied().unwrap_or(sign)).collect();
    Bv::from_limbs(width, limbs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(width: u32, signed: bool) -> WordVar {
        let term = TermId::new(0);
        let name = String::new();
        WordVar { name, state: None, term, next: term, init: None, width, signed, bitwise: false }
    }

    #[test]
    fn integers_and_values() {
        for width in [1, 3, 8, 63, 64] {
            for signed in [false, true] {
                let var = var(width, signed);
                for value in [var.min(), var.min() + 1, 0, var.max() - 1, var.max()] {
                    if (var.min()..=var.max()).contains(&value) {
                        assert_eq!(var.int(&var.bv(value)), value, "{width} {signed}");
                    }
                }
            }
        }
        assert_eq!(wide(70, -3), Bv::from_i64(70, -3));
        assert_eq!(wide(130, 5), Bv::from_u64(130, 5));
    }
}
