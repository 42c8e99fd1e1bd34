//! `memset`, `memcpy` and `memmove` on objects that are no characters: assignments of whole
//! elements, or of the first members of one. The bytes of other objects are not accessible one by
//! one.

use super::{Analysed, Analyser};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::{Kind, NodeId, ObjectId};
use crate::types::{IntType, Ty, Type};

/// The most elements that are assigned one by one.
const MOST_ELEMENTS: u64 = 1024;

/// What is assigned.
#[derive(Copy, Clone, PartialEq, Eq)]
enum How {
    /// This byte, everywhere.
    Fill(u8),
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
        let how = match is_fill {
            true => How::Fill(self.tree.constant(from).ok_or_else(refused)? as u8),
            false => How::Copy { may_overlap: name == "memmove" },
        };
        let is_like = match how {
            How::Fill(0) => true,
            How::Fill(_) => matches!(self.tree.types.get(element), Type::Int(_)),
            How::Copy { .. } => self.element(from) == Some(element),
        };
        let fits = bytes % unit == 0 && bytes / unit <= MOST_ELEMENTS || bytes < unit;
        if !fits || !is_like {
            return Err(refused());
        }
        let assigned = self.parts_assigned([to, from], element, bytes, how, span)?;
        assigned.map(Some).ok_or_else(refused)
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

    /// `d[0] = s[0], …, d`, or `d->a = s->a, …, d` for the first bytes of an element; none if they
    /// end inside of a part. If the two may overlap, all values are read before any is written.
    fn parts_assigned(
        &mut self,
        [to, from]: [NodeId; 2],
        element: Ty,
        bytes: u64,
        how: How,
        span: Span,
    ) -> Analysed<Option<NodeId>> {
        let pointer = self.tree.types.pointer(element);
        let target = self.temporary(pointer, span);
        let to = self.convert_for(to, pointer)?;
        let mut steps = vec![self.set(target, to, span)];
        let source = match how {
            How::Fill(byte) => self.filled(element, byte, span),
            How::Copy { .. } => {
                let source = self.temporary(pointer, span);
                let from = self.convert_for(from, pointer)?;
                steps.push(self.set(source, from, span));
                source
            }
        };
        let arguments = steps.len();
        let unit = self.size(element, span)?;
        let mut parts = Vec::new();
        for at in 0..bytes.div_ceil(unit) {
            let place = self.element_at(target, at, element, span)?;
            let value = match how {
                How::Fill(_) => self.add(Kind::Object(source), element, span),
                How::Copy { .. } => self.element_at(source, at, element, span)?,
            };
            if !self.parts([place, value], bytes - at * unit, span, &mut parts)? {
                return Ok(None);
            }
        }
        let is_kept = how == (How::Copy { may_overlap: true }) && parts.len() > 1;
        let mut copies = Vec::new();
        for (place, value) in parts {
            let ty = self.ty(place);
            let mut value = self.add(Kind::Load(value), ty, span);
            if is_kept {
                let kept = self.temporary(ty, span);
                steps.push(self.set(kept, value, span));
                value = self.get(kept, span);
            }
            copies.push(self.add(Kind::Assign(place, value), ty, span));
        }
        steps.extend(copies);
        let void = self.void();
        let result = self.tree.types.pointer(void);
        let value = self.get(target, span);
        let value = self.convert(value, result);
        Ok(Some(self.chain(steps, value, arguments, span)))
    }

    /// Something of this type whose bytes are all the same. Those of others than integers are zero.
    fn filled(&mut self, element: Ty, byte: u8, span: Span) -> ObjectId {
        let object = self.new_object(String::new(), element, None, span);
        self.tree.objects[object.index()].initial.is_zeroed = true;
        if byte != 0 {
            let place = self.add(Kind::Object(object), element, span);
            let bits = self.tree.types.bits(element).unwrap_or(64);
            let value = u64::from_ne_bytes([byte; 8]) >> (64 - bits);
            let value = self.add(Kind::Const(value), element, span);
            self.tree.objects[object.index()].initial.stores = vec![(place, value)];
        }
        self.use_object(object);
        object
    }

    /// The parts of two places of one type that lie in their first bytes; false if one of them lies
    /// there only in part.
    fn parts(
        &mut self,
        [to, from]: [NodeId; 2],
        bytes: u64,
        span: Span,
        found: &mut Vec<(NodeId, NodeId)>,
    ) -> Analysed<bool> {
        let ty = self.ty(to);
        if bytes >= self.size(ty, span)? && !matches!(self.tree.types.get(ty), Type::Array(..)) {
            found.push((to, from));
            return Ok(found.len() as u64 <= MOST_ELEMENTS);
        }
        let mut both = |analyser: &mut Self, kind: &dyn Fn(NodeId) -> Kind, ty, bytes| {
            let places = [to, from].map(|place| analyser.add(kind(place), ty, span));
            analyser.parts(places, bytes, span, found)
        };
        match *self.tree.types.get(ty) {
            Type::Array(element, Some(count)) => {
                let unit = self.size(element, span)?;
                for at in 0..count.min(bytes.div_ceil(unit.max(1))).min(MOST_ELEMENTS + 1) {
                    let index = self.number(i128::from(at), IntType::Int, span);
                    let kind = |place| Kind::Index(place, index);
                    if !both(self, &kind, element, bytes - at * unit)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Type::Record(id) if !self.tree.types.record(id).is_union => {
                let members = self.tree.types.record(id).members.clone().unwrap_or_default();
                for (at, member) in members.iter().enumerate() {
                    if member.offset >= bytes {
                        continue;
                    }
                    let kind = |place| Kind::Member(place, at);
                    let is_bits = matches!(self.tree.types.get(member.ty), Type::Bits(..));
                    if is_bits || !both(self, &kind, member.ty, bytes - member.offset)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn element_at(
        &mut self,
        pointer: ObjectId,
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
