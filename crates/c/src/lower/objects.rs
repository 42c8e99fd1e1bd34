//! Objects: their variables, addresses and lengths.

use super::allocate::POOL;
use super::points::Points;
use super::{Lowered, Lowerer, build};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::*;
use crate::types::{DataModel, Type, VARIABLE_BYTES};
use pedra_model::term::{BinaryOp, Sort, TermId};
use pedra_program as graph;
use pedra_program::VariableId;

/// The address of the first object.
pub(super) const FIRST_ADDRESS: u64 = 0x1000;

/// Objects lie at least this far apart, so that no pointer just behind one is the address of the
/// next one.
pub(super) const GAP: u64 = 16;

/// Where objects may lie; behind it are the addresses of functions.
fn address_space(model: DataModel) -> u64 {
    match model {
        DataModel::Ilp32 => 0xf000_0000,
        DataModel::Lp64 => 1 << 47,
    }
}

/// What is left of it for objects of a fixed size, at least.
const FIXED: u64 = 1 << 28;

/// The addresses that are kept for each object of variable size: enough for the largest one, or
/// what there is. An object that needs more is a limit of the graph.
pub(super) fn variable_room(tree: &Tree, points: &Points) -> u64 {
    let is_variable =
        |id: &&ObjectId| !matches!(tree.object(**id).extent, Extent::Fixed | Extent::Pool);
    let count = points.addressed.iter().filter(is_variable).count() as u64;
    let free = address_space(tree.types.model) - FIXED;
    VARIABLE_BYTES.min(free / count.max(1) / GAP * GAP - GAP)
}

impl Lowerer<'_> {
    /// The variables of an object, one for each leaf.
    pub(super) fn object_variables(&mut self, id: ObjectId) -> Lowered<Vec<VariableId>> {
        if let Some(found) = self.variables.get(&id) {
            return Ok(found.clone());
        }
        let tree = self.tree;
        let object = tree.object(id);
        let is_global = object.owner.is_none() || self.points.addressed.contains(&id);
        let span = self.span(object.span);
        let Some(parts) = self.points.layouts.get(&id).cloned() else {
            let fault = match tree.types.refused(object.ty) {
                Some(name) => Fault::unsupported(object.span, name),
                None => Fault::new(object.span, "the type of this variable is incomplete"),
            };
            return Err(fault);
        };
        let mut list = Vec::new();
        for leaf in parts {
            let name = match (object.name.as_str(), leaf.path.as_str()) {
                ("", _) => None,
                (name, path) if path.chars().all(|c| c == '[' || c == ']') => Some(name.to_owned()),
                (name, path) => Some(format!("{name}{path}")),
            };
            let source_type = match leaf.path.ends_with("[]") && leaf.ty != object.ty {
                true if name.as_deref() == Some(&object.name) => tree.types.name(object.ty),
                _ => tree.types.name(leaf.ty),
            };
            let is_signed = tree.types.is_signed(leaf.ty);
            let sort = leaf.sort();
            let name = name.as_deref();
            let variable = self.program.add_variable(sort, name, &source_type, is_signed, span);
            match is_global {
                true => self.program.globals.push(variable),
                false => self.body.procedure.variables.push(variable),
            }
            if object.is_string {
                self.read_only.insert(variable);
            }
            if object.is_external {
                self.program.external.push(variable);
            }
            list.push(variable);
        }
        self.variables.insert(id, list.clone());
        if object.owner.is_none() {
            self.statics.push(id);
        }
        Ok(list)
    }

    /// The variable with the length of an object of variable size.
    pub(super) fn length(&mut self, id: ObjectId) -> Option<VariableId> {
        let object = self.tree.object(id);
        if matches!(object.extent, Extent::Fixed | Extent::Pool) {
            return None;
        }
        if let Some(&found) = self.lengths.get(&id) {
            return Some(found);
        }
        let span = self.span(object.span);
        let name = format!("length of {}", object.name);
        let variable = self.program.add_variable(Sort::Bv(64), None, &name, false, span);
        match object.owner.is_none() || self.points.addressed.contains(&id) {
            true => self.program.globals.push(variable),
            false => self.body.procedure.variables.push(variable),
        }
        self.lengths.insert(id, variable);
        Some(variable)
    }

    /// The variable that says whether an allocation was given back, if the program may do that.
    pub(super) fn freed(&mut self, id: ObjectId) -> Option<VariableId> {
        if !self.freeable.contains(&id) {
            return None;
        }
        if let Some(&found) = self.freed.get(&id) {
            return Some(found);
        }
        let span = self.span(self.tree.object(id).span);
        let is_pool = self.tree.object(id).extent == Extent::Pool;
        let sort = match is_pool {
            true => Sort::bv_array(POOL.trailing_zeros(), 1),
            false => Sort::BOOL,
        };
        let variable = self.program.add_variable(sort, None, "freed", false, span);
        self.program.globals.push(variable);
        if is_pool {
            self.zeroed.push(variable);
        }
        self.freed.insert(id, variable);
        Some(variable)
    }

    /// Sets the length of an object of variable size. That of an array must be positive, none can
    /// be larger than the largest object, and there must be room for one that has an address.
    pub(super) fn set_length(
        &mut self,
        id: ObjectId,
        length: TermId,
        is_signed: bool,
        span: Span,
    ) -> Lowered<()> {
        let Some(variable) = self.length(id) else { return Ok(()) };
        let object = self.tree.object(id);
        let Type::Array(element, Some(largest)) = *self.types().get(object.ty) else {
            return Ok(());
        };
        let is_addressed = self.points.addressed.contains(&id);
        let room = self.variable_room / self.types().size(element).unwrap_or(1);
        let terms = &mut self.program.terms;
        let most = build::constant(terms, 64, largest);
        let mut can_be = build::binary(terms, BinaryOp::Ulte, length, most);
        if let Extent::Length(_) = object.extent {
            let zero = build::constant(terms, 64, 0);
            let op = if is_signed { BinaryOp::Sgt } else { BinaryOp::Ugt };
            let is_some = build::binary(terms, op, length, zero);
            can_be = terms.and(can_be, is_some);
        }
        if is_addressed && room < largest {
            let room = build::constant(terms, 64, room);
            let fits = build::binary(terms, BinaryOp::Ulte, length, room);
            let cannot_be = build::not(terms, can_be);
            let holds = terms.or(cannot_be, fits);
            self.check(holds, graph::CheckKind::Limit, span);
        }
        self.check(can_be, graph::CheckKind::Bounds, span);
        self.set(variable, length);
        Ok(())
    }

    /// Gives arrays that are defined elsewhere any length for which there is room.
    pub(super) fn set_outside_lengths(&mut self) {
        for id in self.statics.clone() {
            let object = self.tree.object(id);
            let Type::Array(element, Some(largest)) = *self.types().get(object.ty) else {
                continue;
            };
            let Some(&variable) = self.lengths.get(&id) else { continue };
            let most = largest.min(self.variable_room / self.types().size(element).unwrap_or(1));
            let length = self.program.term_of(variable);
            let terms = &mut self.program.terms;
            let (one, last) = (build::constant(terms, 64, 1), build::constant(terms, 64, most));
            let is_some = build::binary(terms, BinaryOp::Ugte, length, one);
            let fits = build::binary(terms, BinaryOp::Ulte, length, last);
            let can_be = terms.and(is_some, fits);
            let length = build::ite(terms, can_be, length, last);
            self.set(variable, length);
            let text =
                format!("`{}`, which is defined elsewhere, has 1 to {most} elements", object.name);
            let span = self.span(object.span);
            self.program.assume(&text, span);
        }
    }

    /// The bytes that are kept for an object.
    pub(super) fn room(&self, id: ObjectId) -> u64 {
        match self.tree.object(id).extent {
            Extent::Fixed => self.tree.types.size(self.tree.object(id).ty).unwrap_or(0),
            Extent::Length(_) | Extent::Allocated(_) | Extent::Outside => self.variable_room,
            Extent::Pool => POOL.saturating_mul(self.stride(id)),
        }
    }

    /// The address of an object.
    pub(super) fn base(&mut self, id: ObjectId, span: Span) -> Lowered<u64> {
        if let Some(&base) = self.bases.get(&id) {
            return Ok(base);
        }
        let base = self.next_base;
        let end = base.saturating_add(self.room(id)).saturating_add(GAP).next_multiple_of(GAP);
        if end > address_space(self.types().model) {
            return Err(Fault::unsupported(span, "objects with an address of this size together"));
        }
        self.next_base = end;
        self.bases.insert(id, base);
        Ok(base)
    }

    /// The address of a function; only that it is not null and no other's matters.
    pub(super) fn function_base(&self, id: FunctionId) -> u64 {
        address_space(self.types().model) + u64::from(id.0)
    }
}
