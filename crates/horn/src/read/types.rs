//! The sorts of SMT-LIB. Truth values and vectors of one bit are the same to the model, but not to
//! SMT-LIB, so that they are told apart here.

use super::sexpr::{Kind, NodeId, Reader};
use pedra_formats::error::FormatError;
use pedra_model::term::{Scalar, Sort};
use rustc_hash::FxHashMap;
use std::fmt;

/// A sort of what arrays are made of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Basic {
    Bool,
    Int,
    Bv(u32),
}

/// A sort.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Basic(Basic),
    Array { index: Basic, element: Basic },
}

pub(super) const BOOL: Type = Type::Basic(Basic::Bool);
pub(super) const INT: Type = Type::Basic(Basic::Int);

impl Basic {
    fn scalar(self) -> Scalar {
        match self {
            Basic::Bool => Scalar::Bv(1),
            Basic::Int => Scalar::Int,
            Basic::Bv(width) => Scalar::Bv(width),
        }
    }
}

impl Type {
    pub(super) fn bv(width: u32) -> Type {
        Type::Basic(Basic::Bv(width))
    }

    /// The sort of its terms.
    pub(super) fn sort(self) -> Sort {
        match self {
            Type::Basic(basic) => basic.scalar().into(),
            Type::Array { index, element } => {
                Sort::Array { index: index.scalar(), element: element.scalar() }
            }
        }
    }
}

impl fmt::Display for Basic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Basic::Bool => f.write_str("Bool"),
            Basic::Int => f.write_str("Int"),
            Basic::Bv(width) => write!(f, "(_ BitVec {width})"),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Basic(basic) => basic.fmt(f),
            Type::Array { index, element } => write!(f, "(Array {index} {element})"),
        }
    }
}

/// Reads a sort. `aliases` are those of `define-sort`. A sort is at most three lists deep.
pub(super) fn read_type(
    reader: &Reader<'_>,
    node: NodeId,
    aliases: &FxHashMap<&str, Type>,
) -> Result<Type, FormatError> {
    if let Some(name) = reader.symbol(node) {
        return match name {
            "Bool" => Ok(BOOL),
            "Int" => Ok(INT),
            _ => aliases.get(name).copied().ok_or_else(|| unknown(reader, node)),
        };
    }
    let list = reader.list(node).unwrap_or_default();
    let word = |i: usize| list.get(i).and_then(|&n| reader.symbol(n));
    match (word(0), word(1), list) {
        (Some("_"), Some("BitVec"), &[_, _, width]) if reader.kind(width) == Kind::Numeral => {
            match Sort::bv(width_of(reader, width)?) {
                Ok(Sort::Bv(width)) => Ok(Type::bv(width)),
                Ok(_) => Err(unknown(reader, node)),
                Err(error) => Err(reader.error(width, error.0)),
            }
        }
        (Some("Array"), _, &[_, index, element]) => {
            let basic = |part: NodeId| {
                let is_array =
                    reader.list(part).and_then(|l| l.first()).and_then(|&n| reader.symbol(n));
                if is_array == Some("Array") {
                    return Err(reader.error(part, "arrays of arrays are not supported"));
                }
                match read_type(reader, part, aliases)? {
                    Type::Basic(basic) => Ok(basic),
                    Type::Array { .. } => {
                        Err(reader.error(part, "arrays of arrays are not supported"))
                    }
                }
            };
            Ok(Type::Array { index: basic(index)?, element: basic(element)? })
        }
        _ => Err(unknown(reader, node)),
    }
}

/// The number of bits that a numeral says.
pub(super) fn width_of(reader: &Reader<'_>, node: NodeId) -> Result<u64, FormatError> {
    let too_many = |_| reader.error(node, format!("{} bits are too many", reader.shown(node)));
    reader.text(node).parse().map_err(too_many)
}

fn unknown(reader: &Reader<'_>, node: NodeId) -> FormatError {
    let text = format!("the sort `{}` is not supported", reader.shown(node));
    let hint = "Bool, Int, bit-vectors and arrays of these";
    reader.error(node, text).with_hint(hint)
}
