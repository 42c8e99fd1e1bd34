//! The types of terms.

use super::{SortError, wrong};
use crate::bv::MAX_WIDTH;
use std::fmt;

/// The type of a term.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Sort {
    /// A bit-vector of this width.
    Bv(u32),
    /// The integers, unbounded.
    Int,
    /// An array.
    Array {
        /// The sort of its index.
        index: Scalar,
        /// The sort of its elements.
        element: Scalar,
    },
}

/// The types that arrays are made of.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Scalar {
    /// A bit-vector of this width.
    Bv(u32),
    /// The integers.
    Int,
}

impl Sort {
    /// One bit: the sort of conditions.
    pub const BOOL: Sort = Sort::Bv(1);

    /// The array from bit-vectors to bit-vectors of these widths.
    pub const fn bv_array(index: u32, element: u32) -> Sort {
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) }
    }

    /// The bit-vector sort of this width, if the width is supported.
    pub fn bv(width: u64) -> Result<Sort, SortError> {
        check_width(width).map(Sort::Bv)
    }

    /// The width, if it is a bit-vector.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::Bv(width) => Some(width),
            Sort::Int | Sort::Array { .. } => None,
        }
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        matches!(self, Sort::Array { .. })
    }

    /// Whether it is the integers, or an array with integers in it: what has no bits.
    pub fn has_integers(self) -> bool {
        match self {
            Sort::Bv(_) => false,
            Sort::Int => true,
            Sort::Array { index, element } => index == Scalar::Int || element == Scalar::Int,
        }
    }

    /// The sort of an array's elements.
    pub fn element(self) -> Option<Sort> {
        match self {
            Sort::Array { element, .. } => Some(element.into()),
            Sort::Bv(_) | Sort::Int => None,
        }
    }

    /// The same as what arrays are made of; `None` if it is an array itself.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Sort::Bv(width) => Some(Scalar::Bv(width)),
            Sort::Int => Some(Scalar::Int),
            Sort::Array { .. } => None,
        }
    }
}

impl From<Scalar> for Sort {
    fn from(scalar: Scalar) -> Sort {
        match scalar {
            Scalar::Bv(width) => Sort::Bv(width),
            Scalar::Int => Sort::Int,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bv(width) => write!(f, "bitvec {width}"),
            Scalar::Int => f.write_str("integer"),
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bv(width) => write!(f, "bitvec {width}"),
            Sort::Int => f.write_str("integer"),
            Sort::Array { index, element } => write!(f, "array of {element} by {index}"),
        }
    }
}

pub(super) fn check_width(width: u64) -> Result<u32, SortError> {
    if width == 0 {
        return wrong("a bit-vector needs at least one bit".into());
    }
    if width > MAX_WIDTH as u64 {
        return wrong(format!("{width} bits are more than the {MAX_WIDTH} that are supported"));
    }
    Ok(width as u32)
}
