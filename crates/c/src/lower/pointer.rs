//! Dereferences: a case split over the leaves that a pointer may lead to.

use super::access::{Alternative, Located, Part};
use super::allocate::POOL;
use super::layout::Leaf;
use super::points::{PointsTo, decode, same_class};
use super::{Lowered, Lowerer, build};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::*;
use pedra_model::term::{BinaryOp, Term, TermId};
use pedra_program::CheckKind;

/// The most leaves that a place may be.
const MOST_ALTERNATIVES: usize = 1000;

impl Lowerer<'_> {
    /// Where a pointer leads.
    pub(super) fn through_pointer(
        &mut self,
        located: &Located,
        part: Part,
    ) -> Lowered<Vec<Alternative>> {
        let span = self.tree.node(located.place).span;
        let targets = self.points.targets(self.tree, located.place);
        if targets.is_unknown {
            // What an unsupported call returns is such a pointer, and the call is to blame.
            if let Some(fault) = self.refused_pointer() {
                return Err(fault);
            }
            let what = "a pointer from outside the program, or from an integer, used here";
            return Err(Fault::unsupported(span, what));
        }
        let address = self.located_address(located)?;
        let mut list = Vec::new();
        let mut is_gone = None;
        let mut others = Vec::new();
        for &(object, offset) in &targets.targets {
            let found = match offset {
                Some(offset) => self.at_offset(object, offset, part, address, span)?,
                None => self.anywhere(object, located.place, part, address)?,
            };
            let Some(found) = found else {
                others.push((object, offset));
                continue;
            };
            is_gone = self.or_gone(is_gone, object, &found, address);
            list.extend(found);
        }
        if list.len() > MOST_ALTERNATIVES {
            let what = format!("a pointer to more than {MOST_ALTERNATIVES} possible parts");
            return Err(Fault::unsupported(span, what));
        }
        let is_other = self.other_types(&others, address, list.is_empty(), span)?;
        self.pointer_check(&targets, &list, is_other, address, span);
        self.gone_check(is_gone, span);
        if let [only] = list.as_mut_slice() {
            only.condition = None;
        }
        Ok(list)
    }

    /// Whether one of these alternatives in an object is meant after its time, or what was found
    /// before is the case.
    fn or_gone(
        &mut self,
        mut is_gone: Option<TermId>,
        object: ObjectId,
        found: &[Alternative],
        address: TermId,
    ) -> Option<TermId> {
        let ended = self.ended(object).map(|ended| self.get(ended));
        let freed = self.freed(object).map(|freed| {
            let freed = self.get(freed);
            match self.instance_at(object, address) {
                Some(at) => self.program.terms.simplified(Term::Read(freed, at)),
                None => freed,
            }
        });
        for freed in freed.into_iter().chain(ended) {
            for condition in found.iter().filter_map(|alternative| alternative.condition) {
                let terms = &mut self.program.terms;
                let here = terms.and(condition, freed);
                is_gone = Some(is_gone.map_or(here, |before| terms.or(before, here)));
            }
        }
        is_gone
    }

    fn gone_check(&mut self, is_gone: Option<TermId>, span: Span) {
        if let Some(is_gone) = is_gone {
            let holds = self.program.terms.not(is_gone);
            self.check(holds, CheckKind::Pointer, span);
        }
    }

    /// The check that a pointer means this place, the only one that it may mean.
    pub(super) fn only_check(
        &mut self,
        located: &Located,
        targets: &PointsTo,
        (object, offset): (ObjectId, u64),
        mut only: Alternative,
    ) -> Lowered<Alternative> {
        let span = self.tree.node(located.place).span;
        let address = self.located_address(located)?;
        only.condition = Some(self.at_start(object, offset, address, span)?.0);
        let list = [only];
        let is_gone = self.or_gone(None, object, &list, address);
        let is_other = self.program.terms.bool(false);
        self.pointer_check(targets, &list, is_other, address, span);
        self.gone_check(is_gone, span);
        let [only] = list;
        Ok(Alternative { condition: None, ..only })
    }

    /// The check that one of the alternatives is the case, or another object that is not followed.
    fn pointer_check(
        &mut self,
        targets: &PointsTo,
        list: &[Alternative],
        is_other: TermId,
        address: TermId,
        span: Span,
    ) {
        let is_outside = targets.targets.iter().any(|(id, _)| self.points.outside.contains(id));
        let terms = &mut self.program.terms;
        let mut valid = is_other;
        for alternative in list {
            let condition = alternative.condition.unwrap_or_else(|| terms.bool(true));
            valid = terms.or(valid, condition);
        }
        let is_array = targets.targets.len() == 1
            && targets.targets.first().is_some_and(|target| target.1.is_none());
        let kind = if is_array { CheckKind::Bounds } else { CheckKind::Pointer };
        if is_outside {
            // Behind the first element of storage from outside there may be more.
            let null = build::constant(terms, terms.width(address), 0);
            let is_null = build::binary(terms, BinaryOp::Eq, address, null);
            let followed = terms.or(valid, is_null);
            let is_some = build::not(terms, is_null);
            valid = terms.or(valid, is_some);
            self.check(followed, CheckKind::Limit, span);
        }
        self.check(valid, kind, span);
    }

    /// Whether an object is meant that the access does not fit: a run that comes there is not
    /// followed further. Without any that it fits, the access is refused.
    fn other_types(
        &mut self,
        others: &[(ObjectId, Option<u64>)],
        address: TermId,
        is_refused: bool,
        span: Span,
    ) -> Lowered<TermId> {
        let mut any = self.program.terms.bool(false);
        for &(object, offset) in others {
            if is_refused {
                return Err(self.other_type(object, span));
            }
            let is_it = match offset {
                Some(offset) => self.at_start(object, offset, address, span)?.0,
                None => {
                    let (base, room) = (self.base(object, span)?, self.room(object));
                    let terms = &mut self.program.terms;
                    let bits = terms.width(address);
                    let base = build::constant(terms, bits, base);
                    let distance = build::binary(terms, BinaryOp::Sub, address, base);
                    let room = build::constant(terms, bits, room);
                    build::binary(terms, BinaryOp::Ult, distance, room)
                }
            };
            let holds = build::not(&mut self.program.terms, is_it);
            self.check(holds, CheckKind::Limit, span);
            any = self.program.terms.or(any, is_it);
        }
        Ok(any)
    }

    /// A part of an object at a known offset; nothing at all if the access does not fit what is
    /// there.
    fn at_offset(
        &mut self,
        object: ObjectId,
        start: u64,
        part @ Part { offset: inner, bits, .. }: Part,
        address: TermId,
        span: Span,
    ) -> Lowered<Option<Vec<Alternative>>> {
        let offset = start + inner;
        let parts = self.points.layouts.get(&object).cloned().unwrap_or_default();
        let decoded = parts.iter().enumerate().find_map(|(at, leaf)| {
            let (instance, byte) = decode(leaf, offset)?;
            Some((at, instance, byte))
        });
        let Some((at, instance, byte)) = decoded else {
            // Behind the object, or in a part of it that we do not keep.
            let size = self.types().size(self.tree.object(object).ty).unwrap_or(u64::MAX);
            return Ok((offset >= size).then(Vec::new));
        };
        let leaf = &parts[at];
        let part = match leaf.is_union {
            true => Some(self.union_part(leaf, byte, part, span)?),
            false if leaf.bits == bits && byte == 0 => None,
            false => return Ok(None),
        };
        let variable = self.object_variables(object)?[at];
        let length = self.length(object).map(|length| self.get(length));
        let (mut condition, of_pool) = self.at_start(object, start, address, span)?;
        let terms = &mut self.program.terms;
        if let (Some(length), Some(outer)) = (length, leaf.dimensions.first()) {
            let first = (offset - leaf.offset) / outer.stride;
            let first = build::constant(terms, 64, first);
            let inside = build::binary(terms, BinaryOp::Ult, first, length);
            condition = terms.and(condition, inside);
        }
        let bits = leaf.index_bits();
        let mut index = match leaf.dimensions.is_empty() {
            true => None,
            false => Some(build::constant(terms, bits, instance)),
        };
        if let Some(of_pool) = of_pool {
            let of_pool = build::resize(terms, of_pool, bits, false);
            let inner = build::constant(terms, bits, leaf.instances() / POOL);
            let first = build::binary(terms, BinaryOp::Mul, of_pool, inner);
            index = index.map(|index| build::binary(terms, BinaryOp::Add, first, index));
        }
        Ok(Some(vec![Alternative { condition: Some(condition), variable, index, part }]))
    }

    fn other_type(&self, object: ObjectId, span: Span) -> Fault {
        let object = self.tree.object(object);
        let ty = self.types().name(object.ty);
        let what = match object.name.as_str() {
            "" => format!("an object of type `{ty}`"),
            name => format!("`{name}` of type `{ty}`"),
        };
        Fault::unsupported(span, format!("an access of another size to a part of {what}"))
    }

    /// All parts of an object that an access of this width may mean; nothing at all if others
    /// may be meant too.
    fn anywhere(
        &mut self,
        object: ObjectId,
        place: NodeId,
        Part { offset: inner, bits, ty, .. }: Part,
        address: TermId,
    ) -> Lowered<Option<Vec<Alternative>>> {
        let span = self.tree.node(place).span;
        let parts = self.points.layouts.get(&object).cloned().unwrap_or_default();
        // Characters may be any bytes of an object (C11 6.5p7); members and other types must fit.
        let is_member = matches!(self.tree.node(place).kind, Kind::Member(..));
        let is_mixed = !is_member && parts.iter().any(|leaf| leaf.bits != bits);
        if parts.iter().any(|leaf| leaf.is_union) || bits == 8 && is_mixed {
            return Ok(None);
        }
        let fits = |leaf: &Leaf| leaf.bits == bits && same_class(self.tree, leaf.ty, ty);
        if self.points.reinterpreted.contains(&object) && !parts.iter().all(fits) {
            return Ok(None);
        }
        let base = self.base(object, span)?;
        let variables = self.object_variables(object)?;
        let mut list = Vec::new();
        for (at, leaf) in parts.iter().enumerate() {
            if leaf.bits != bits || !same_class(self.tree, leaf.ty, ty) {
                continue;
            }
            let start = base.wrapping_add(leaf.offset).wrapping_sub(inner);
            let length = self.length(object).map(|length| self.get(length));
            let (condition, index) = self.match_address(leaf, address, start, length);
            list.push(Alternative {
                condition: Some(condition),
                variable: variables[at],
                index,
                part: None,
            });
        }
        Ok((!list.is_empty()).then_some(list))
    }

    /// Whether an address is that of an instance of a leaf which starts at `start`, and which.
    fn match_address(
        &mut self,
        leaf: &Leaf,
        address: TermId,
        start: u64,
        length: Option<TermId>,
    ) -> (TermId, Option<TermId>) {
        let bits = self.pointer_bits();
        let terms = &mut self.program.terms;
        let start = build::constant(terms, bits, start);
        let mut rest = build::binary(terms, BinaryOp::Sub, address, start);
        let mut condition = terms.bool(true);
        let mut sum: Option<TermId> = None;
        let width = leaf.index_bits().max(bits);
        for (at, (count, stride)) in merged(leaf, length.is_some()).into_iter().enumerate() {
            let size = build::constant(terms, bits, count.saturating_mul(stride));
            let inside = build::binary(terms, BinaryOp::Ult, rest, size);
            condition = terms.and(condition, inside);
            let stride = build::constant(terms, bits, stride);
            let index = divide(terms, rest, stride, false);
            rest = divide(terms, rest, stride, true);
            if let Some(length) = length.filter(|_| at == 0) {
                let wide = build::resize(terms, index, 64, false);
                let inside = build::binary(terms, BinaryOp::Ult, wide, length);
                condition = terms.and(condition, inside);
            }
            let index = build::resize(terms, index, width, false);
            sum = Some(match sum {
                None => index,
                Some(before) => {
                    let count = build::constant(terms, width, count);
                    let rows = build::binary(terms, BinaryOp::Mul, before, count);
                    build::binary(terms, BinaryOp::Add, rows, index)
                }
            });
        }
        let zero = build::constant(terms, bits, 0);
        let is_start = build::binary(terms, BinaryOp::Eq, rest, zero);
        condition = terms.and(condition, is_start);
        let index = sum.map(|sum| build::resize(terms, sum, leaf.index_bits(), false));
        (condition, index)
    }
}

/// The arrays around a leaf, neighbours that lie row by row taken together.
/// The outermost stays as it is if its length is variable.
fn merged(leaf: &Leaf, is_variable: bool) -> Vec<(u64, u64)> {
    let mut list: Vec<(u64, u64)> = Vec::new();
    for dimension in &leaf.dimensions {
        let may_merge = !is_variable || list.len() > 1;
        match list.last_mut() {
            Some((count, stride)) if may_merge && *stride == dimension.count * dimension.stride => {
                *count *= dimension.count;
                *stride = dimension.stride;
            }
            _ => list.push((dimension.count, dimension.stride)),
        }
    }
    list
}

/// Quotient or remainder by a constant; a power of two is a matter of bits.
fn divide(
    terms: &mut pedra_model::term::Terms,
    a: TermId,
    by: TermId,
    is_remainder: bool,
) -> TermId {
    let bits = terms.width(a);
    let number = build::number(terms, by).unwrap_or(0);
    if !number.is_power_of_two() {
        let op = if is_remainder { BinaryOp::Urem } else { BinaryOp::Udiv };
        return build::binary(terms, op, a, by);
    }
    let shift = number.trailing_zeros();
    if shift == 0 {
        return if is_remainder { build::constant(terms, bits, 0) } else { a };
    }
    let (high, low) = if is_remainder { (shift - 1, 0) } else { (bits - 1, shift) };
    let cut = build::slice(terms, a, high, low);
    build::resize(terms, cut, bits, false)
}
