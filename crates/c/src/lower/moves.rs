//! Pointers that move, are ordered or subtracted: they stay in their object.

use super::{Lowered, Lowerer, build};
use crate::error::Fault;
use crate::tree::*;
use pedra_model::term::{BinaryOp, TermId};
use pedra_program::CheckKind;
use std::collections::BTreeSet;

impl Lowerer<'_> {
    /// Pointers may be ordered and subtracted only inside one object; for others it is undefined.
    pub(super) fn same_object(
        &mut self,
        (a, x): (NodeId, TermId),
        (b, y): (NodeId, TermId),
    ) -> Lowered<()> {
        if self.types().pointee(self.tree.node(a).ty).is_none() {
            return Ok(());
        }
        let span = self.tree.node(a).span.to(self.tree.node(b).span);
        let objects = [a, b].map(|node| {
            let set = self.points.of(self.tree, node, None);
            let objects = set.targets.iter().map(|target| target.0).collect::<BTreeSet<_>>();
            (objects, set.is_unknown)
        });
        if objects[0].1 || objects[1].1 {
            let what = "an order of pointers from outside the program";
            return Err(Fault::unsupported(span, what));
        }
        let mut holds = self.program.terms.bool(false);
        for &object in objects[0].0.intersection(&objects[1].0) {
            let here = self.in_one(object, [x, y], span)?;
            holds = self.program.terms.or(holds, here);
        }
        let kind = self.kind_of_leaving(objects[0].0.union(&objects[1].0));
        self.check(holds, kind, span);
        Ok(())
    }

    pub(super) fn move_pointer(
        &mut self,
        pointer: NodeId,
        index: NodeId,
        stride: u64,
        is_minus: bool,
    ) -> Lowered<TermId> {
        let is_signed = self.types().is_signed(self.tree.node(index).ty);
        let node = pointer;
        self.no_addresses(&[index])?;
        let (pointer, index) = self.pair(pointer, index)?;
        let bits = self.pointer_bits();
        let terms = &mut self.program.terms;
        let index = build::resize(terms, index, bits, is_signed);
        let stride = build::constant(terms, bits, stride);
        let distance = build::binary(terms, BinaryOp::Mul, index, stride);
        let op = if is_minus { BinaryOp::Sub } else { BinaryOp::Add };
        let moved = build::binary(terms, op, pointer, distance);
        self.stays(node, pointer, moved)?;
        Ok(moved)
    }

    /// A pointer must not move from one object into another. With one object that it may point to
    /// the checks of its use are enough.
    fn stays(&mut self, node: NodeId, from: TermId, to: TermId) -> Lowered<()> {
        let old = self.body.old.last().map(|(place, _)| *place);
        let set = self.points.of(self.tree, node, old);
        let objects: BTreeSet<ObjectId> = set.targets.iter().map(|target| target.0).collect();
        let is_pool = |&object: &ObjectId| self.tree.object(object).extent == Extent::Pool;
        if set.is_unknown || objects.len() < 2 && !objects.iter().any(is_pool) {
            return Ok(());
        }
        let span = self.tree.node(node).span;
        let mut holds = self.program.terms.bool(false);
        for &object in &objects {
            let here = self.in_one(object, [from, to], span)?;
            holds = self.program.terms.or(holds, here);
        }
        let kind = self.kind_of_leaving(&objects);
        self.check(holds, kind, span);
        Ok(())
    }

    /// What it means that a pointer leaves these objects: storage from outside may be longer than
    /// what is followed of it.
    fn kind_of_leaving<'o>(&self, objects: impl IntoIterator<Item = &'o ObjectId>) -> CheckKind {
        match objects.into_iter().any(|object| self.points.outside.contains(object)) {
            true => CheckKind::Limit,
            false => CheckKind::Pointer,
        }
    }

    pub(super) fn pointer_diff(&mut self, a: NodeId, b: NodeId, stride: u64) -> Lowered<TermId> {
        let (x, y) = self.pair(a, b)?;
        self.same_object((a, x), (b, y))?;
        let bits = self.pointer_bits();
        let terms = &mut self.program.terms;
        let distance = build::binary(terms, BinaryOp::Sub, x, y);
        if stride == 1 {
            return Ok(distance);
        }
        let stride = build::constant(terms, bits, stride);
        Ok(build::binary(terms, BinaryOp::Sdiv, distance, stride))
    }
}
