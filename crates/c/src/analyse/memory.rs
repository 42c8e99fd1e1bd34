//! `memset`, `memcpy` and `memmove` on objects that are no characters: assignments of whole
//! elements. The bytes of other objects are not accessible one by one.

use super::{Analysed, Analyser};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::{Kind, NodeId};
use crate::types::{IntType, Ty, Type};

/// The most elements that are assigned one by one.
const MOST_ELEMENTS: u64 = 1024;

/// What is assigned.
#[derive(Copy, Clone, PartialEq, Eq)]
enum How {
    /// Zero.
    Fill,
    /// Other elements.
    Copy { may_overlap: bool },
}

impl Analyser<'_> {
    /// A call of one of these functions as assignments, if its arguments are of that kind: typed
    /// pointers and a constant size. Others are left to the library.
    pub(super) fn memory_call(
        &mut self,
        name: &str,
        args: &[NodeId],
        span: Span,
    ) -> Analysed<Option<NodeId>> {
        let [to, from, size] = *args else { return Ok(None) };
        let is_fill = name == "memset";
        if !is_fill && !matches!(name, "memcpy" | "memmove") {
            return Ok(None);
        }
        let Some(element) = self.element(to) else { return Ok(None) };
        let unit = self.size(element, span)?;
        if unit <= 1 {
            return Ok(None);
        }
        let refused = || {
            let what = format!("a `{name}` that is not an assignment of whole elements");
            Fault::unsupported(span, what)
        };
        let bytes = self.tree.constant(size).ok_or_else(refused)?;
        let fits = bytes % unit == 0 && bytes / unit <= MOST_ELEMENTS;
        let is_like = match is_fill {
            true => self.tree.constant(from) == Some(0),
            false => self.element(from) == Some(element),
        };
        if !fits || !is_like {
            return Err(refused());
        }
        let how = if is_fill { How::Fill } else { How::Copy { may_overlap: name == "memmove" } };
        self.elements_assigned([to, from], element, bytes / unit, how, span).map(Some)
    }

    /// What a pointer points to before it became a `void *`.
    fn element(&self, mut node: NodeId) -> Option<Ty> {
        loop {
            let pointee = self.tree.types.pointee(self.ty(node))?;
            match (self.tree.types.get(pointee), &self.tree.node(node).kind) {
                (Type::Void, Kind::Convert(inner)) => node = *inner,
                (Type::Void | Type::Function { .. }, _) => return None,
                // An array that is copied as a whole is copied by its elements.
                (Type::Array(element, Some(_)), _) => return Some(*element),
                _ => return Some(pointee),
            }
        }
    }

    /// `d[0] = s[0], …, d`. If the two may overlap, all values are read before any is written.
    fn elements_assigned(
        &mut self,
        [to, from]: [NodeId; 2],
        element: Ty,
        count: u64,
        how: How,
        span: Span,
    ) -> Analysed<NodeId> {
        let is_fill = how == How::Fill;
        let pointer = self.tree.types.pointer(element);
        let target = self.temporary(pointer, span);
        let to = self.convert_for(to, pointer)?;
        let mut steps = vec![self.set(target, to, span)];
        let source = match is_fill {
            true => {
                // Something of this type that is zero throughout.
                let zero = self.new_object(String::new(), element, None, span);
                self.tree.objects[zero.index()].initial.is_zeroed = true;
                self.use_object(zero);
                zero
            }
            false => {
                let source = self.temporary(pointer, span);
                let from = self.convert_for(from, pointer)?;
                steps.push(self.set(source, from, span));
                source
            }
        };
        let mut copies = Vec::new();
        for at in 0..count {
            let value = match is_fill {
                true => self.get(source, span),
                false => {
                    let place = self.element_at(source, at, element, span)?;
                    self.add(Kind::Load(place), element, span)
                }
            };
            if how != (How::Copy { may_overlap: true }) || count == 1 {
                copies.push(value);
                continue;
            }
            let kept = self.temporary(element, span);
            steps.push(self.set(kept, value, span));
            copies.push(self.get(kept, span));
        }
        for (at, value) in (0..count).zip(copies) {
            let place = self.element_at(target, at, element, span)?;
            steps.push(self.add(Kind::Assign(place, value), element, span));
        }
        let void = self.void();
        let result = self.tree.types.pointer(void);
        let value = self.get(target, span);
        let value = self.convert(value, result);
        let comma = |value, step| self.add(Kind::Comma(step, value), result, span);
        Ok(steps.into_iter().rev().fold(value, comma))
    }

    fn element_at(
        &mut self,
        pointer: crate::tree::ObjectId,
        at: u64,
        element: Ty,
        span: Span,
    ) -> Analysed<NodeId> {
        let stride = self.size(element, span)?;
        let pointer = self.get(pointer, span);
        let ty = self.ty(pointer);
        let index = self.number(i128::from(at), IntType::Int, span);
        let kind = Kind::PointerAdd { pointer, index, stride, is_minus: false };
        let moved = if at == 0 { pointer } else { self.add(kind, ty, span) };
        Ok(self.add(Kind::Deref(moved), element, span))
    }
}
