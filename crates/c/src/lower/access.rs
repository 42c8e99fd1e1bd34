//! Places: where they are, reading and writing.

use super::layout::{Leaf, leaves, term_bits};
use super::points::member_offset;
use super::{Held, Lowered, Lowerer, build};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::*;
use crate::types::{Ty, Type};
use pedra_model::term::{BinaryOp, Term, TermId};
use pedra_program::{CheckKind, VariableId};

/// One of the leaves that a place may be.
#[derive(Clone)]
pub(super) struct Alternative {
    /// When it is; none if there is no other.
    pub(super) condition: Option<TermId>,
    pub(super) variable: VariableId,
    /// Which instance, if the leaf is inside arrays.
    pub(super) index: Option<TermId>,
    /// The bits from the lowest on, if it is only a part of the leaf.
    pub(super) part: Option<(u32, u32)>,
}

/// A place whose indices and pointers have been evaluated.
pub(super) struct Located {
    pub(super) base: Base,
    /// The offsets of all members.
    pub(super) offset: u64,
    /// Indices from outside to inside, as 64 bits, each with the size of an element.
    pub(super) indices: Vec<(TermId, u64)>,
    pub(super) place: NodeId,
}

/// A scalar part of a place: where it starts in it, its width and its type.
#[derive(Copy, Clone)]
pub(super) struct Part {
    pub(super) offset: u64,
    pub(super) bits: u32,
    /// The first bit of a bit-field, from there on.
    pub(super) bit: u32,
    pub(super) ty: Ty,
}

pub(super) enum Base {
    Object(ObjectId),
    Pointer(TermId),
}

impl Lowerer<'_> {
    /// Evaluates what is inside a place, for its address alone or for using it.
    fn locate(&mut self, place: NodeId, is_address: bool) -> Lowered<Located> {
        let mut steps = Vec::new();
        let mut at = place;
        let base = loop {
            match self.tree.node(at).kind {
                Kind::Member(base, _) | Kind::Index(base, _) => {
                    steps.push(at);
                    at = base;
                }
                Kind::Object(_) | Kind::Deref(_) => break at,
                _ => {
                    return Err(Fault::unsupported(
                        self.tree.node(at).span,
                        "a place of this kind",
                    ));
                }
            }
        };
        let indices = steps.iter().rev().filter_map(|&step| match self.tree.node(step).kind {
            Kind::Index(_, index) => Some(index),
            _ => None,
        });
        let operands: Vec<NodeId> = std::iter::once(base).chain(indices).collect();
        self.in_order(&operands, self.tree.node(place).span);
        let mut base = match self.tree.node(base).kind {
            Kind::Deref(pointer) => (None, Held::Term(self.eval(pointer)?)),
            ref kind => {
                let object = if let Kind::Object(object) = kind { Some(*object) } else { None };
                (object, Held::Term(build::constant(&mut self.program.terms, 1, 0)))
            }
        };
        let mut offset = 0;
        let mut indices: Vec<(Held, u64)> = Vec::new();
        for &step in steps.iter().rev() {
            match self.tree.node(step).kind {
                Kind::Member(base, index) => {
                    offset += member_offset(self.tree, self.tree.node(base).ty, index);
                }
                Kind::Index(array, index) => {
                    let span = self.tree.node(step).span;
                    if self.splits(index) {
                        // What was evaluated must survive the edges inside the index.
                        base.1 = self.keep(base.1, span);
                        for (held, _) in &mut indices {
                            *held = self.keep(*held, span);
                        }
                    }
                    let may_be_end = is_address && step == place;
                    let value = self.index(array, index, may_be_end, span)?;
                    let stride = self.types().size(self.tree.node(step).ty).unwrap_or(0);
                    indices.push((Held::Term(value), stride));
                }
                _ => {}
            }
        }
        let indices = indices.into_iter().map(|(held, stride)| (self.release(held), stride));
        let indices = indices.collect();
        let base = match base {
            (Some(object), _) => Base::Object(object),
            (None, held) => Base::Pointer(self.release(held)),
        };
        Ok(Located { base, offset, indices, place })
    }

    /// An index as 64 bits, with the check that it is inside the array.
    fn index(
        &mut self,
        array: NodeId,
        index: NodeId,
        may_be_end: bool,
        span: Span,
    ) -> Lowered<TermId> {
        self.no_addresses(&[index])?;
        let value = self.eval(index)?;
        let is_signed = self.types().is_signed(self.tree.node(index).ty);
        let wide = build::resize(&mut self.program.terms, value, 64, is_signed);
        if let Type::Array(_, Some(count)) = *self.types().get(self.tree.node(array).ty) {
            let length = match self.tree.node(array).kind {
                Kind::Object(object) => self.length(object),
                _ => None,
            };
            let count = match length {
                Some(length) => self.get(length),
                None => build::constant(&mut self.program.terms, 64, count),
            };
            let terms = &mut self.program.terms;
            let op = if may_be_end { BinaryOp::Ulte } else { BinaryOp::Ult };
            let inside = build::binary(terms, op, wide, count);
            self.check(inside, CheckKind::Bounds, span);
        }
        Ok(wide)
    }

    /// The address of a place. The one just behind the last element of an array is one too.
    pub(super) fn address(&mut self, place: NodeId) -> Lowered<TermId> {
        let located = self.locate(place, true)?;
        self.located_address(&located)
    }

    pub(super) fn located_address(&mut self, located: &Located) -> Lowered<TermId> {
        let bits = self.pointer_bits();
        let span = self.tree.node(located.place).span;
        let start = match located.base {
            Base::Object(object) => {
                let base = self.base(object, span)?;
                build::constant(&mut self.program.terms, bits, base)
            }
            Base::Pointer(pointer) => pointer,
        };
        let terms = &mut self.program.terms;
        let offset = build::constant(terms, bits, located.offset);
        let mut address = build::binary(terms, BinaryOp::Add, start, offset);
        for &(index, stride) in &located.indices {
            let index = build::resize(terms, index, bits, false);
            let stride = build::constant(terms, bits, stride);
            let distance = build::binary(terms, BinaryOp::Mul, index, stride);
            address = build::binary(terms, BinaryOp::Add, address, distance);
        }
        Ok(address)
    }

    /// The leaves that a place of a scalar type may be, with the checks of using it.
    pub(super) fn alternatives(&mut self, place: NodeId) -> Lowered<Vec<Alternative>> {
        let located = self.locate(place, false)?;
        let (bits, ty) = (self.bits(place), self.tree.node(place).ty);
        let part = Part { offset: 0, bits, bit: self.first_bit(place), ty };
        self.part_alternatives(&located, part)
    }

    /// The same for the part of it at an offset.
    fn part_alternatives(&mut self, located: &Located, part: Part) -> Lowered<Vec<Alternative>> {
        match located.base {
            Base::Object(object) => Ok(vec![self.in_object(located, object, part)?]),
            Base::Pointer(_) => self.through_pointer(located, part),
        }
    }

    /// A part of an object that is known.
    fn in_object(
        &mut self,
        located: &Located,
        object: ObjectId,
        part @ Part { offset: inner, bits, .. }: Part,
    ) -> Lowered<Alternative> {
        let span = self.tree.node(located.place).span;
        let variables = self.object_variables(object)?;
        let mut offset = located.offset + inner;
        let parts = self.points.layouts[&object].clone();
        let holds = |leaf: &Leaf| {
            let is_inside = leaf.offset <= offset && offset < leaf.offset + leaf.bytes;
            leaf.offset == offset && !leaf.is_union && leaf.bits == bits
                || leaf.is_union && is_inside
        };
        let Some(at) = parts.iter().position(holds) else {
            return Err(Fault::unsupported(span, "an access to this part of an object"));
        };
        let leaf = &parts[at];
        // The last indices of a place inside a union stay inside it.
        let outer = leaf.dimensions.len().min(located.indices.len());
        if outer < leaf.dimensions.len() {
            return Err(Fault::unsupported(span, "an array as a whole here"));
        }
        for &(index, stride) in &located.indices[outer..] {
            let Some(index) = build::number(&self.program.terms, index) else {
                return Err(Fault::unsupported(span, "a variable index inside a union"));
            };
            offset += index.saturating_mul(stride);
        }
        let part = match leaf.is_union {
            false => None,
            true => Some(self.union_part(leaf, offset - leaf.offset, part, span)?),
        };
        let index = self.instance(leaf, &located.indices[..outer]);
        Ok(Alternative { condition: None, variable: variables[at], index, part })
    }

    /// The bits of a union, or of a run of bit-fields, that a part of it has.
    pub(super) fn union_part(
        &self,
        leaf: &Leaf,
        offset: u64,
        Part { bits, bit, ty, .. }: Part,
        span: Span,
    ) -> Lowered<(u32, u32)> {
        let low = 8 * offset + u64::from(bit);
        if matches!(self.types().get(ty), Type::Bool) {
            return Err(Fault::unsupported(span, "a `_Bool` inside a union"));
        }
        if low + u64::from(bits) > u64::from(leaf.bits) {
            return Err(Fault::unsupported(span, "a union of this size"));
        }
        Ok((low as u32, bits))
    }

    /// The first bit of a bit-field in its run; zero for all other places.
    fn first_bit(&self, place: NodeId) -> u32 {
        let Kind::Member(base, index) = self.tree.node(place).kind else { return 0 };
        let Type::Record(id) = *self.types().get(self.tree.node(base).ty) else { return 0 };
        let members = self.types().record(id).members.as_ref();
        members.map_or(0, |members| members[index].bit)
    }

    /// The number of an instance of a leaf, row by row.
    fn instance(&mut self, leaf: &Leaf, indices: &[(TermId, u64)]) -> Option<TermId> {
        let bits = leaf.index_bits();
        let terms = &mut self.program.terms;
        let mut sum = None;
        for (dimension, &(index, _)) in leaf.dimensions.iter().zip(indices) {
            let index = build::resize(terms, index, bits, false);
            sum = Some(match sum {
                None => index,
                Some(before) => {
                    let count = build::constant(terms, bits, dimension.count);
                    let rows = build::binary(terms, BinaryOp::Mul, before, count);
                    build::binary(terms, BinaryOp::Add, rows, index)
                }
            });
        }
        sum
    }

    /// The value of one alternative.
    fn read_one(&mut self, alternative: &Alternative) -> TermId {
        let whole = self.get(alternative.variable);
        let terms = &mut self.program.terms;
        let value = match alternative.index {
            Some(index) => terms.simplified(Term::Read(whole, index)),
            None => whole,
        };
        match alternative.part {
            Some((low, bits)) => terms.slice(value, low + bits - 1, low),
            None => value,
        }
    }

    /// The value of a place.
    pub(super) fn read(&mut self, list: &[Alternative], bits: u32) -> TermId {
        // If none is the case the behaviour is undefined, and any value will do.
        let Some((last, others)) = list.split_last() else {
            return build::constant(&mut self.program.terms, bits, 0);
        };
        let mut value = self.read_one(last);
        for alternative in others.iter().rev() {
            let one = self.read_one(alternative);
            if let Some(condition) = alternative.condition {
                value = build::ite(&mut self.program.terms, condition, one, value);
            }
        }
        value
    }

    /// The leaves among some that can be changed, with the check that none of the others is meant:
    /// a string literal must not be changed (C11 6.4.5p7).
    pub(super) fn writable(&mut self, list: Vec<Alternative>, span: Span) -> Vec<Alternative> {
        let is_fixed = |one: &Alternative| self.read_only.contains(&one.variable);
        let (fixed, list): (Vec<_>, Vec<_>) = list.into_iter().partition(is_fixed);
        for alternative in fixed {
            let holds = match alternative.condition {
                Some(condition) => build::not(&mut self.program.terms, condition),
                None => self.program.terms.bool(false),
            };
            self.check(holds, CheckKind::Pointer, span);
        }
        list
    }

    /// Gives a place a value.
    pub(super) fn write(&mut self, list: &[Alternative], value: TermId) {
        for alternative in list {
            let whole = self.get(alternative.variable);
            let terms = &mut self.program.terms;
            let before = match alternative.index {
                Some(index) if alternative.part.is_some() => {
                    terms.simplified(Term::Read(whole, index))
                }
                _ => whole,
            };
            let element = match alternative.part {
                Some((low, bits)) => replace(terms, before, low, bits, value),
                None => value,
            };
            let after = match alternative.index {
                Some(index) => terms.simplified(Term::Write(whole, index, element)),
                None => element,
            };
            let after = match alternative.condition {
                Some(condition) => build::ite(terms, condition, after, whole),
                None => after,
            };
            self.set(alternative.variable, after);
        }
    }

    /// The values of all leaves of a record place.
    pub(super) fn read_record(&mut self, place: NodeId) -> Lowered<Vec<TermId>> {
        let mut values = Vec::new();
        for (leaf, list) in self.record_parts(place)? {
            let bits = leaf.bits;
            values.push(self.read(&list, bits));
        }
        Ok(values)
    }

    /// Gives all leaves of a record place their values.
    pub(super) fn write_record(&mut self, place: NodeId, values: &[TermId]) -> Lowered<()> {
        let parts = self.record_parts(place)?;
        for ((_, list), &value) in parts.iter().zip(values) {
            self.write(list, value);
        }
        Ok(())
    }

    fn record_parts(&mut self, place: NodeId) -> Lowered<Vec<(Leaf, Vec<Alternative>)>> {
        let (ty, span) = (self.tree.node(place).ty, self.tree.node(place).span);
        let parts = leaves(self.types(), &self.tree.names, ty, span)?;
        let located = self.locate(place, false)?;
        let mut list = Vec::new();
        for leaf in parts {
            let found = if !leaf.dimensions.is_empty() {
                vec![self.whole_array(&located, &leaf, span)?]
            } else if leaf.is_union {
                self.whole_union(&located, &leaf, span)?
            } else {
                let bits = term_bits(self.types(), leaf.ty).unwrap_or(leaf.bits);
                self.part_alternatives(
                    &located,
                    Part { offset: leaf.offset, bits, bit: 0, ty: leaf.ty },
                )?
            };
            list.push((leaf, found));
        }
        Ok(list)
    }

    /// A union inside a record, all its bits.
    fn whole_union(
        &mut self,
        located: &Located,
        leaf: &Leaf,
        span: Span,
    ) -> Lowered<Vec<Alternative>> {
        let part = Part { offset: leaf.offset, bits: leaf.bits, bit: 0, ty: leaf.ty };
        let list = self.part_alternatives(located, part)?;
        match list.iter().all(|one| one.part == Some((0, leaf.bits))) {
            true => Ok(list),
            false => Err(Fault::unsupported(span, "a copy of a union inside another one")),
        }
    }

    /// An array inside a record, all its elements.
    fn whole_array(&mut self, located: &Located, leaf: &Leaf, span: Span) -> Lowered<Alternative> {
        let refused = || Fault::unsupported(span, "a copy of a struct with an array inside here");
        let targets = self.points.targets(self.tree, located.place);
        let (object, offset) = match located.base {
            Base::Object(object) if located.indices.is_empty() => (object, located.offset),
            Base::Object(_) => return Err(refused()),
            Base::Pointer(_) => match targets.targets.iter().collect::<Vec<_>>().as_slice() {
                [(object, Some(offset))] if !targets.is_unknown => (*object, *offset),
                _ => return Err(refused()),
            },
        };
        let parts = self.points.layouts.get(&object).cloned().unwrap_or_default();
        let is_it = |other: &Leaf| {
            other.offset == offset + leaf.offset && other.dimensions == leaf.dimensions
        };
        let at = parts.iter().position(is_it).ok_or_else(refused)?;
        let variable = self.object_variables(object)?[at];
        let only = Alternative { condition: None, variable, index: None, part: None };
        match located.base {
            Base::Object(_) => Ok(only),
            Base::Pointer(_) => self.only_check(located, &targets, (object, offset), only),
        }
    }
}

/// A value with some of its bits replaced.
fn replace(
    terms: &mut pedra_model::term::Terms,
    whole: TermId,
    low: u32,
    bits: u32,
    value: TermId,
) -> TermId {
    let width = terms.width(whole);
    let mut result = value;
    if low > 0 {
        let below = terms.slice(whole, low - 1, 0);
        result = terms.binary(BinaryOp::Concat, result, below);
    }
    if low + bits < width {
        let above = terms.slice(whole, width - 1, low + bits);
        result = terms.binary(BinaryOp::Concat, above, result);
    }
    result
}
