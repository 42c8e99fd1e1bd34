//! Conditions: short circuits, and what splits an edge.

use super::expr::comparison;
use super::{Lowered, Lowerer, build, callee};
use crate::source::Span;
use crate::tree::*;
use crate::types::Type;
use pedra_model::term::{Sort, TermId};
use pedra_program::PlaceId;

impl Lowerer<'_> {
    /// Whether an expression has side effects, or asks for values from outside.
    pub(super) fn has_effects(&self, id: NodeId) -> bool {
        self.tree.effect(id).is_some()
    }

    /// Whether lowering an expression makes edges: it has calls that are more than a value, or
    /// side effects under a condition.
    pub(super) fn splits(&mut self, id: NodeId) -> bool {
        if let Some(&known) = self.breaks.get(&id) {
            return known;
        }
        let kind = &self.tree.node(id).kind;
        let splits = match kind {
            Kind::Call(callee, _) => callee::splits(self.tree, *callee),
            Kind::Statement(..) => true,
            Kind::And(_, b) | Kind::Or(_, b) => self.has_effects(*b),
            Kind::Conditional(_, t, e) => self.has_effects(*t) || self.has_effects(*e),
            _ => false,
        };
        let splits = splits || kind.inner().into_iter().any(|inner| self.splits(inner));
        self.breaks.insert(id, splits);
        splits
    }

    /// A scalar expression as a condition.
    pub(super) fn condition(&mut self, id: NodeId) -> Lowered<TermId> {
        let tree = self.tree;
        match &tree.node(id).kind {
            Kind::Unary(UnaryOp::Not, a) => {
                let a = self.condition(*a)?;
                Ok(build::not(&mut self.program.terms, a))
            }
            Kind::Binary(op, a, b) if comparison(*op, false).is_some() => self.compare(*op, *a, *b),
            Kind::And(_, b) | Kind::Or(_, b) if self.has_effects(*b) => self.joined(id),
            Kind::And(a, b) => {
                let a = self.condition(*a)?;
                let b = self.under(a, |lowerer| lowerer.condition(*b))?;
                Ok(self.program.terms.and(a, b))
            }
            Kind::Or(a, b) => {
                let a = self.condition(*a)?;
                let not = build::not(&mut self.program.terms, a);
                let b = self.under(not, |lowerer| lowerer.condition(*b))?;
                Ok(self.program.terms.or(a, b))
            }
            _ => {
                // A whole address is not null; a part of one can be anything.
                if !self.is_whole(id) {
                    self.no_addresses(&[id])?;
                }
                let value = self.eval(id)?;
                Ok(build::non_zero(&mut self.program.terms, value))
            }
        }
    }

    /// Evaluates something where a condition holds.
    fn under<T>(
        &mut self,
        condition: TermId,
        body: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        let before = self.body.path;
        let path = match before {
            Some(path) => self.program.terms.and(path, condition),
            None => condition,
        };
        self.body.path = Some(path);
        let result = body(self);
        self.body.path = before;
        result
    }

    /// `c ? t : e`
    pub(super) fn conditional(
        &mut self,
        c: NodeId,
        t: NodeId,
        e: NodeId,
        id: NodeId,
    ) -> Lowered<TermId> {
        if self.has_effects(t) || self.has_effects(e) {
            let span = self.tree.node(id).span;
            let bits = self.bits(id);
            let result = self.temporary(Sort::Bv(bits), span);
            let (then, other, after) =
                (self.place_at(span), self.place_at(span), self.place_at(span));
            self.branch(c, then, other, span)?;
            for (place, value) in [(then, t), (other, e)] {
                self.body.at = Some(place);
                let value = self.eval(value)?;
                self.set(result, value);
                self.flush_to(after, span, "");
            }
            self.body.at = Some(after);
            return Ok(self.get(result));
        }
        let c = self.condition(c)?;
        let then = self.under(c, |lowerer| lowerer.eval(t))?;
        let not = build::not(&mut self.program.terms, c);
        let other = self.under(not, |lowerer| lowerer.eval(e))?;
        Ok(build::ite(&mut self.program.terms, c, then, other))
    }

    /// The value of `&&` or `||` with edges inside, from a variable that both ways set.
    fn joined(&mut self, id: NodeId) -> Lowered<TermId> {
        let span = self.tree.node(id).span;
        let result = self.temporary(Sort::BOOL, span);
        let (then, other, after) = (self.place_at(span), self.place_at(span), self.place_at(span));
        self.branch(id, then, other, span)?;
        for (place, truth) in [(then, true), (other, false)] {
            self.body.at = Some(place);
            let truth = self.program.terms.bool(truth);
            self.set(result, truth);
            self.flush_to(after, span, "");
        }
        self.body.at = Some(after);
        Ok(self.get(result))
    }

    /// `&&`, `||` or `?:` for its side effects alone.
    pub(super) fn branching_effect(&mut self, id: NodeId) -> Lowered<()> {
        let tree = self.tree;
        let node = tree.node(id);
        let span = node.span;
        let (then, other, after) = (self.place_at(span), self.place_at(span), self.place_at(span));
        let (condition, arms) = match node.kind {
            Kind::Conditional(c, t, e) => (c, [Some(t), Some(e)]),
            Kind::And(a, b) => (a, [Some(b), None]),
            Kind::Or(a, b) => (a, [None, Some(b)]),
            _ => return Ok(()),
        };
        self.branch(condition, then, other, span)?;
        for (place, arm) in [then, other].into_iter().zip(arms) {
            self.body.at = Some(place);
            if let Some(arm) = arm {
                self.effect(arm)?;
            }
            self.flush_to(after, span, "");
        }
        self.body.at = Some(after);
        Ok(())
    }

    /// Goes to `then` if a condition holds and to `other` if not. The edges carry `span`'s text.
    pub(super) fn branch(
        &mut self,
        id: NodeId,
        then: PlaceId,
        other: PlaceId,
        span: Span,
    ) -> Lowered<()> {
        if self.body.at.is_none() {
            return Ok(());
        }
        let tree = self.tree;
        match tree.node(id).kind {
            Kind::And(a, b) if self.has_effects(b) => {
                let middle = self.place_at(span);
                self.branch(a, middle, other, span)?;
                self.body.at = Some(middle);
                return self.branch(b, then, other, span);
            }
            Kind::Or(a, b) if self.has_effects(b) => {
                let middle = self.place_at(span);
                self.branch(a, then, middle, span)?;
                self.body.at = Some(middle);
                return self.branch(b, then, other, span);
            }
            Kind::Unary(UnaryOp::Not, a) if self.splits(a) => {
                return self.branch(a, other, then, span);
            }
            _ => {}
        }
        // What comes before in the same step would be on both edges.
        self.flush(span, "");
        let start = self.body.at;
        let condition = self.condition(id)?;
        if self.body.at.is_none() {
            return Ok(());
        }
        let text = self.text(span);
        let has_inputs = !self.body.pending.step.inputs.is_empty();
        if has_inputs && self.body.at == start {
            // Each edge has its own inputs: the same is evaluated for each.
            let place = self.body.at;
            self.assume(condition);
            self.flush_to(then, span, &text);
            self.body.at = place;
            let condition = self.condition(id)?;
            let not = build::not(&mut self.program.terms, condition);
            self.assume(not);
            self.flush_to(other, span, &text);
            return Ok(());
        }
        let mut condition = condition;
        if has_inputs {
            let held = self.hold(condition, span);
            self.flush(span, "");
            condition = self.release(held);
        }
        let Some(from) = self.body.at.take() else { return Ok(()) };
        let step = std::mem::take(&mut self.body.pending).step;
        let not = build::not(&mut self.program.terms, condition);
        for (to, guard) in [(then, condition), (other, not)] {
            let mut step = step.clone();
            step.guard = Some(match step.guard {
                Some(before) => self.program.terms.and(before, guard),
                None => guard,
            });
            self.add_step(from, to, step, span, &text);
        }
        Ok(())
    }

    /// Whether an expression is of type void.
    pub(super) fn is_void(&self, id: NodeId) -> bool {
        matches!(self.types().get(self.tree.node(id).ty), Type::Void)
    }
}
