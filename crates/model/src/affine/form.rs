//! Linear forms with exact integer coefficients.

use crate::bv::Bv;
use crate::term::{Term, TermId, Terms};

/// `Σ a·x + c`. A variable is a term and how it is read: as a signed or an unsigned number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Form {
    /// Sorted by variable, without zeros.
    pub(super) products: Vec<((TermId, bool), i128)>,
    pub(super) constant: i128,
}

/// The numbers that a word of this width can be.
pub(super) fn range_of(width: u32, signed: bool) -> Option<(i128, i128)> {
    let count = 1i128.checked_shl(width).filter(|_| width <= 120)?;
    Some(if signed { (-(count / 2), count / 2 - 1) } else { (0, count - 1) })
}

/// A constant as a number.
pub(super) fn number(value: &Bv, signed: bool) -> Option<i128> {
    let (width, limbs) = (value.width(), value.limbs());
    let (_, highest) = range_of(width, false)?;
    let bits = limbs.iter().rev().fold(0i128, |bits, &limb| bits << 64 | limb as i128);
    Some(if signed && value.is_negative() { bits - highest - 1 } else { bits })
}

/// A number as a constant; it must fit.
pub(super) fn constant(terms: &mut Terms, width: u32, value: i128) -> TermId {
    let limbs = [value as u64, (value >> 64) as u64];
    let value = match width {
        0..=64 => Bv::from_u64(width, limbs[0]),
        _ => Bv::from_limbs(width, limbs.to_vec()),
    };
    terms.constant(value)
}

impl Form {
    /// A constant.
    pub(super) fn number(constant: i128) -> Form {
        Form { products: Vec::new(), constant }
    }

    /// A variable.
    pub(super) fn variable(term: TermId, signed: bool) -> Form {
        Form { products: vec![((term, signed), 1)], constant: 0 }
    }

    /// `self + factor · other`; `None` if numbers become too large.
    pub(super) fn plus(&self, other: &Form, factor: i128) -> Option<Form> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for &(variable, a) in &other.products {
            let more = a.checked_mul(factor)?;
            match sum.products.binary_search_by_key(&variable, |&(v, _)| v) {
                Ok(at) => sum.products[at].1 = sum.products[at].1.checked_add(more)?,
                Err(at) => sum.products.insert(at, (variable, more)),
            }
        }
        sum.products.retain(|&(_, a)| a != 0);
        Some(sum)
    }

    /// The least and the greatest value; `None` if they are too large.
    pub(super) fn range(&self, terms: &Terms) -> Option<(i128, i128)> {
        let mut range = (self.constant, self.constant);
        for &((term, signed), a) in &self.products {
            let (low, high) = range_of(terms.width(term), signed)?;
            let (low, high) = if a < 0 { (high, low) } else { (low, high) };
            range.0 = range.0.checked_add(a.checked_mul(low)?)?;
            range.1 = range.1.checked_add(a.checked_mul(high)?)?;
        }
        Some(range)
    }
}

/// The number that a term is, if it is a constant.
pub(super) fn number_of(terms: &Terms, id: TermId, signed: bool) -> Option<i128> {
    match terms.get(id) {
        Term::Const(value) => number(value, signed),
        _ => None,
    }
}
