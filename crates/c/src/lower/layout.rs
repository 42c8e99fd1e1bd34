//! How objects are kept in variables. An object is cut into its scalar parts, the *leaves*. A
//! leaf inside arrays is one array variable over all its instances, indexed row by row; any other
//! leaf is a plain variable. A union is one leaf of all its bits, little-endian.

use crate::error::Fault;
use crate::source::Span;
use crate::types::{Member, Ty, Type, Types};
use pedra_model::term::Sort;

/// The largest union that can be used, in bytes.
const LARGEST_UNION: u64 = 64;

/// The most leaves of one object.
const MOST_LEAVES: usize = 4096;

/// An array around a leaf.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// How many elements.
    pub count: u64,
    /// Their distance in bytes.
    pub stride: u64,
}

/// A scalar part of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Where its first instance starts, in bytes.
    pub offset: u64,
    /// Its width in the variable; 0 for a union that is too large to be used.
    pub bits: u32,
    /// The size of one instance, in bytes.
    pub bytes: u64,
    /// Its type; that of the union if it is one.
    pub ty: Ty,
    /// It is a union.
    pub is_union: bool,
    /// The arrays around it, the outermost first.
    pub dimensions: Vec<Dimension>,
    /// The way to it, such as `.next` or `[].x`.
    pub path: String,
}

impl Leaf {
    /// How many instances there are.
    pub fn instances(&self) -> u64 {
        self.dimensions.iter().map(|dimension| dimension.count).product()
    }

    /// The width of the index of its array variable.
    pub fn index_bits(&self) -> u32 {
        let last = self.instances().saturating_sub(1);
        (64 - last.leading_zeros()).max(1)
    }

    /// The sort of its variable.
    pub fn sort(&self) -> Sort {
        match self.dimensions.is_empty() {
            true => Sort::Bv(self.bits.max(1)),
            false => Sort::bv_array(self.index_bits(), self.bits.max(1)),
        }
    }
}

/// The width of a scalar in terms: a `_Bool` is one bit.
pub fn term_bits(types: &Types, ty: Ty) -> Option<u32> {
    match types.get(ty) {
        Type::Bool => Some(1),
        _ => types.bits(ty),
    }
}

/// The leaf of a run of bit-fields, given its first one: like a union, accessed in parts.
fn bit_fields(around: &Leaf, first: &Member, names: &crate::token::Names) -> Option<Leaf> {
    let bytes = first.run?;
    let mut leaf = around.clone();
    leaf.offset += first.offset;
    leaf.bits = 8 * u32::try_from(bytes).ok()?;
    leaf.bytes = bytes;
    leaf.ty = first.ty;
    leaf.is_union = true;
    if let Some(name) = first.name {
        leaf.path.push('.');
        leaf.path.push_str(names.text(name));
    }
    Some(leaf)
}

/// The leaves of a type, in the order of their offsets; of one offset, those that have room first.
pub fn leaves(
    types: &Types,
    names: &crate::token::Names,
    ty: Ty,
    span: Span,
) -> Result<Vec<Leaf>, Fault> {
    let mut found = Vec::new();
    let start = Leaf {
        offset: 0,
        bits: 0,
        bytes: 0,
        ty,
        is_union: false,
        dimensions: Vec::new(),
        path: String::new(),
    };
    let mut stack = vec![start];
    while let Some(mut leaf) = stack.pop() {
        if found.len() + stack.len() > MOST_LEAVES {
            let message = format!("an object with more than {MOST_LEAVES} parts");
            return Err(Fault::unsupported(span, message));
        }
        match types.get(leaf.ty) {
            Type::Array(element, count) => {
                let stride = types.size(*element).unwrap_or(0);
                leaf.dimensions.push(Dimension { count: count.unwrap_or(0), stride });
                leaf.ty = *element;
                leaf.path.push_str("[]");
                stack.push(leaf);
            }
            Type::Record(id) if types.record(*id).is_union => {
                let size = types.record(*id).size;
                leaf.bits = if size <= LARGEST_UNION { 8 * size as u32 } else { 0 };
                leaf.bytes = size;
                leaf.is_union = true;
                if size > 0 {
                    found.push(leaf);
                }
            }
            Type::Record(id) => {
                for member in types.record(*id).members.iter().flatten().rev() {
                    let mut inner = leaf.clone();
                    if let Type::Bits(..) = types.get(member.ty) {
                        found.extend(bit_fields(&leaf, member, names));
                        continue;
                    }
                    inner.offset += member.offset;
                    inner.ty = member.ty;
                    if let Some(name) = member.name {
                        inner.path.push('.');
                        inner.path.push_str(names.text(name));
                    }
                    stack.push(inner);
                }
            }
            _ => {
                // Parts of types that are not supported cannot be used, so they need no room.
                if let Some(bits) = term_bits(types, leaf.ty) {
                    leaf.bits = bits;
                    leaf.bytes = u64::from(bits).div_ceil(8);
                    found.push(leaf);
                }
            }
        }
    }
    // Soundness: what is first at an offset is what an access there means, so arrays without
    // elements come last.
    found.sort_by_key(|leaf| (leaf.offset, leaf.instances() == 0));
    Ok(found)
}
