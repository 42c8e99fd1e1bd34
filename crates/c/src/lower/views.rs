//! Allocations that the program also uses as objects of another type. Storage that is allocated has
//! no declared type: what is stored last gives it one (C11 6.5p6), so such a use is defined. But
//! lowering cuts an allocation into the leaves of one type. At a place that it knows it sees that
//! an access does not fit, and refuses it. A pointer that may be anywhere in the object means the
//! leaves that fit, and all others would be taken as undefined: so the object must have one view
//! only, which is what this finds out from the conversions that lead to it.

use super::points::{Points, same_class};
use crate::tree::*;
use crate::types::{Ty, Type};
use rustc_hash::FxHashSet;

/// The allocations to which a conversion gives another type than the one that they are cut by.
pub fn reinterpreted(tree: &Tree, points: &Points, nodes: &[NodeId]) -> FxHashSet<ObjectId> {
    let allocated: FxHashSet<ObjectId> = points.allocations.values().copied().collect();
    let mut found = FxHashSet::default();
    if allocated.is_empty() {
        return found;
    }
    for &node in nodes {
        let Kind::Convert(inner) = tree.node(node).kind else { continue };
        let Some(to) = tree.types.pointee(tree.node(node).ty).filter(|&to| is_view(tree, to))
        else {
            continue;
        };
        let from = tree.types.pointee(tree.node(inner).ty).filter(|&from| is_view(tree, from));
        for (object, offset) in points.of(tree, inner, None).targets {
            let ty = tree.object(object).ty;
            let fits = || match offset {
                Some(offset) => is_at(tree, ty, offset, to),
                // Where in the object it points to is not known: one of the two must begin with
                // the other.
                None => {
                    let begins = |from| is_at(tree, from, 0, to) || is_at(tree, to, 0, from);
                    is_in(tree, ty, to) && from.is_none_or(begins)
                }
            };
            if allocated.contains(&object) && !fits() {
                found.insert(object);
            }
        }
    }
    found
}

/// Whether an access through a pointer to this type would tell what it expects there. Characters
/// may be parts of anything, and have a rule of their own.
fn is_view(tree: &Tree, ty: Ty) -> bool {
    let is_object = !matches!(tree.types.get(ty), Type::Void | Type::Function { .. });
    is_object && tree.types.bits(ty) != Some(8)
}

/// Whether two types are the same for an access.
fn is_like(tree: &Tree, a: Ty, b: Ty) -> bool {
    let bits = |ty| tree.types.bits(ty);
    a == b || bits(a).is_some() && bits(a) == bits(b) && same_class(tree, a, b)
}

/// Whether a part of type `part` begins at an offset of a type.
fn is_at(tree: &Tree, ty: Ty, offset: u64, part: Ty) -> bool {
    let mut stack = vec![(ty, offset)];
    while let Some((ty, offset)) = stack.pop() {
        if offset == 0 && is_like(tree, ty, part) {
            return true;
        }
        match tree.types.get(ty) {
            Type::Array(element, _) => {
                let size = tree.types.size(*element).unwrap_or(0);
                stack.extend(offset.checked_rem(size).map(|rest| (*element, rest)));
            }
            Type::Record(id) => {
                for member in tree.types.record(*id).members.iter().flatten() {
                    let size = tree.types.size(member.ty).unwrap_or(0);
                    let rest = offset.checked_sub(member.offset).filter(|&rest| rest < size);
                    stack.extend(rest.map(|rest| (member.ty, rest)));
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether a part of type `part` is anywhere in a type.
fn is_in(tree: &Tree, ty: Ty, part: Ty) -> bool {
    let (mut stack, mut seen) = (vec![ty], FxHashSet::default());
    while let Some(ty) = stack.pop() {
        if is_like(tree, ty, part) {
            return true;
        }
        if !seen.insert(ty) {
            continue;
        }
        match tree.types.get(ty) {
            Type::Array(element, _) => stack.push(*element),
            Type::Record(id) => {
                let members = tree.types.record(*id).members.iter().flatten();
                stack.extend(members.map(|member| member.ty));
            }
            _ => {}
        }
    }
    false
}
