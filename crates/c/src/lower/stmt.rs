//! Statements.

use super::shape::{first_call, has_label, inner_stmts};
use super::{Lowered, Lowerer, build};
use crate::error::Fault;
use crate::source::Span;
use crate::token::Name;
use crate::tree::*;
use crate::types::Type;
use pedra_model::term::{BinaryOp, TermId};
use pedra_program::{InputKind, Loop, PlaceId};

/// The most terms of a program. Case splits of pointers can make them many.
const MOST_TERMS: usize = 1 << 23;

impl Lowerer<'_> {
    /// Lowers a statement from where control is.
    pub(super) fn stmt(&mut self, id: StmtId) -> Lowered<()> {
        if self.body.at.is_none() && !has_label(self.tree, id) {
            self.assertions_never_reached(id);
            return Ok(());
        }
        let tree = self.tree;
        let stmt = tree.stmt(id);
        let span = stmt.span;
        if self.program.terms.len() > MOST_TERMS {
            return Err(Fault::unsupported(span, "a program of this size"));
        }
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(node) => self.expression(*node, span)?,
            StmtKind::Declare(object) => self.declare(*object, span)?,
            StmtKind::Block(list) => {
                for &inner in list {
                    self.stmt(inner)?;
                }
            }
            StmtKind::If { arms, otherwise } => self.if_stmt(arms, *otherwise, span)?,
            StmtKind::While(condition, body) => {
                self.loop_stmt(Some(*condition), None, *body, span)?;
            }
            StmtKind::For { init, condition, step, body } => {
                if let Some(init) = init {
                    self.stmt(*init)?;
                }
                self.loop_stmt(*condition, *step, *body, span)?;
            }
            StmtKind::DoWhile(body, condition) => self.do_while(*body, *condition, span)?,
            StmtKind::Switch(value, body) => self.switch(*value, *body, span)?,
            StmtKind::Case(_, _, body) | StmtKind::Default(body) => {
                let Some(&place) = self.body.cases.get(&id) else {
                    return Err(Fault::new(span, "a case label outside a switch"));
                };
                self.flush_to(place, span, "");
                self.body.at = Some(place);
                self.stmt(*body)?;
            }
            StmtKind::Label(name, body) => {
                let place = self.label(*name, span);
                self.flush_to(place, span, "");
                self.body.at = Some(place);
                self.body.passed_labels.insert(*name, span);
                self.stmt(*body)?;
            }
            StmtKind::Goto(name) => {
                if !self.body.known_labels.contains(name) {
                    let message = format!("there is no label `{}`", tree.names.text(*name));
                    return Err(Fault::new(span, message));
                }
                let place = self.label(*name, span);
                let text = self.text(span);
                if self.body.at.is_some()
                    && let Some(&label) = self.body.passed_labels.get(name)
                {
                    self.mark_head(place, label, format!("{}:", tree.names.text(*name)));
                }
                self.flush_to(place, span, &text);
            }
            StmtKind::Break | StmtKind::Continue => {
                let is_break = matches!(stmt.kind, StmtKind::Break);
                let targets = if is_break { &self.body.breaks } else { &self.body.continues };
                let Some(&place) = targets.last() else {
                    return Err(Fault::new(span, "this stands in no loop"));
                };
                let text = self.text(span);
                self.flush_to(place, span, &text);
            }
            StmtKind::Return(value) => self.return_stmt(*value, span)?,
            StmtKind::End(objects) => self.end_block(objects, span),
        }
        Ok(())
    }

    fn label(&mut self, name: Name, span: Span) -> PlaceId {
        if let Some(&place) = self.body.labels.get(&name) {
            return place;
        }
        let place = self.place_at(span);
        self.body.labels.insert(name, place);
        place
    }

    fn expression(&mut self, node: NodeId, span: Span) -> Lowered<()> {
        let is_call = match self.tree.node(node).kind {
            Kind::Assign(place, value) => self.call_into(place, value)?,
            _ => false,
        };
        if !is_call {
            self.effect(node)?;
        }
        let text = self.text(span);
        self.flush(span, &text);
        Ok(())
    }

    /// A local variable comes to life.
    fn declare(&mut self, id: ObjectId, span: Span) -> Lowered<()> {
        let object = self.tree.object(id);
        self.lifetime(id, object.span)?;
        let variables = self.object_variables(id)?;
        self.begin(id);
        let text = self.text(span);
        let initial = &object.initial;
        if let Extent::Length(length) = object.extent {
            self.no_addresses(&[length])?;
            let value = self.eval(length)?;
            let is_signed = self.types().is_signed(self.tree.node(length).ty);
            let wide = build::resize(&mut self.program.terms, value, 64, is_signed);
            self.set_length(id, wide, is_signed, object.span)?;
        }
        if let [(place, value)] = initial.stores.as_slice()
            && !initial.is_zeroed
            && self.call_into(*place, *value)?
        {
            self.flush(span, &text);
            return Ok(());
        }
        let is_arbitrary = initial.stores.is_empty() && !initial.is_zeroed;
        if !is_arbitrary {
            self.initialise(id)?;
        } else if self.is_looping() || self.points.addressed.contains(&id) {
            // A procedure starts with arbitrary values; here it may not be at its start.
            for variable in variables {
                let sort = self.program.terms.sort(self.program.term_of(variable));
                let value = self.input(sort, InputKind::Arbitrary(variable));
                self.set(variable, value);
            }
        }
        self.flush(span, &text);
        Ok(())
    }

    fn if_stmt(
        &mut self,
        arms: &[(NodeId, StmtId, Span)],
        otherwise: Option<StmtId>,
        span: Span,
    ) -> Lowered<()> {
        let after = self.place_at(span);
        let mut is_entered = false;
        // The `assert` of glibc: nothing if the condition holds, `__assert_fail` otherwise.
        if let ([(.., at)], Some(otherwise)) = (arms, otherwise)
            && let Some(call) = first_call(self.tree, otherwise)
            && let Some(text) = self.assertion_text(call)
        {
            self.assertions.insert(*at, text.clone());
            self.assertions.insert(self.tree.node(call).span, text);
        }
        for &(condition, body, at) in arms {
            let (then, other) = (self.place_at(span), self.place_at(span));
            let is_live = self.body.at.is_some();
            self.branch(condition, then, other, at)?;
            self.body.at = is_live.then_some(then);
            self.stmt(body)?;
            is_entered |= self.body.at.is_some();
            self.flush_to(after, span, "");
            self.body.at = is_live.then_some(other);
        }
        if let Some(otherwise) = otherwise {
            self.stmt(otherwise)?;
        }
        is_entered |= self.body.at.is_some();
        self.flush_to(after, span, "");
        self.body.at = is_entered.then_some(after);
        Ok(())
    }

    /// A new place that is the head of a loop.
    fn head(&mut self, span: Span, text: String) -> PlaceId {
        let head = self.place_at(span);
        self.mark_head(head, span, text);
        head
    }

    /// Marks a place as the head of a loop, if it is none yet.
    fn mark_head(&mut self, head: PlaceId, span: Span, text: String) {
        let at = self.span(span);
        let place = &mut self.body.procedure.places[head.index()];
        place.head_of.get_or_insert_with(|| Loop { span: at, text: text.into() });
    }

    /// Lowers the body of a loop or switch.
    fn inside(
        &mut self,
        body: StmtId,
        on_break: PlaceId,
        on_continue: Option<PlaceId>,
    ) -> Lowered<()> {
        self.body.breaks.push(on_break);
        self.body.continues.extend(on_continue);
        self.body.loops += usize::from(on_continue.is_some());
        let result = self.stmt(body);
        self.body.loops -= usize::from(on_continue.is_some());
        self.body.breaks.pop();
        if on_continue.is_some() {
            self.body.continues.pop();
        }
        result
    }

    /// Where control is after a statement that is left through a place.
    fn leave_through(&mut self, place: PlaceId) {
        self.body.at = self.body.entered.contains(&place).then_some(place);
    }

    /// `while` and `for`.
    fn loop_stmt(
        &mut self,
        condition: Option<NodeId>,
        step: Option<NodeId>,
        body: StmtId,
        span: Span,
    ) -> Lowered<()> {
        let text = self.text(span);
        let head = self.head(span, text);
        let (inside, after) = (self.place_at(span), self.place_at(span));
        // A jump into the body of a loop that nothing else gets to comes back to the head.
        self.flush_to(head, span, "");
        self.body.at = Some(head);
        match condition {
            Some(condition) => {
                self.body.loops += 1;
                self.branch(condition, inside, after, span)?;
                self.body.loops -= 1;
            }
            None => self.flush_to(inside, span, ""),
        }
        self.body.at = Some(inside);
        let next = if step.is_some() { self.place_at(span) } else { head };
        self.inside(body, after, Some(next))?;
        self.flush_to(next, span, "");
        if let Some(step) = step {
            self.body.at = Some(next);
            let at = self.tree.node(step).span;
            self.effect(step)?;
            let text = self.text(at);
            self.flush_to(head, at, &text);
        }
        self.leave_through(after);
        Ok(())
    }

    fn do_while(&mut self, body: StmtId, condition: NodeId, span: Span) -> Lowered<()> {
        let at = self.tree.node(condition).span;
        let text = format!("do … while {}", self.text(at));
        let head = self.head(span, text);
        let (test, after) = (self.place_at(at), self.place_at(span));
        self.flush_to(head, span, "");
        self.body.at = Some(head);
        self.inside(body, after, Some(test))?;
        self.flush_to(test, at, "");
        self.body.at = Some(test);
        self.body.loops += 1;
        self.branch(condition, head, after, at)?;
        self.body.loops -= 1;
        self.leave_through(after);
        Ok(())
    }

    fn switch(&mut self, value: NodeId, body: StmtId, span: Span) -> Lowered<()> {
        let after = self.place_at(span);
        let labels = self.case_labels(body);
        self.no_label_twice(&labels, value)?;
        for &(label, _) in &labels {
            let at = self.tree.stmt(label).span;
            let place = self.place_at(at);
            self.body.cases.insert(label, place);
        }
        if self.body.at.is_some() {
            self.jump_to_case(value, &labels, after, span)?;
        }
        self.body.at = None;
        self.inside(body, after, None)?;
        self.flush_to(after, span, "");
        self.leave_through(after);
        Ok(())
    }

    /// The labels of a switch differ (C11 6.8.4.2p3).
    fn no_label_twice(
        &self,
        labels: &[(StmtId, Option<(u64, u64)>)],
        value: NodeId,
    ) -> Lowered<()> {
        let (bits, ty) = (self.bits(value), self.tree.node(value).ty);
        let format = crate::fold::Format { bits, is_signed: self.types().is_signed(ty) };
        let mut ranges = Vec::new();
        let mut defaults = Vec::new();
        for &(label, range) in labels {
            match range.map(|(low, high)| (format.value(low), format.value(high))) {
                Some((low, high)) if low <= high => ranges.push((low, high, label)),
                Some(_) => {}
                None => defaults.push(label),
            }
        }
        ranges.sort_by_key(|&(low, ..)| low);
        let twice = ranges.windows(2).find(|pair| pair[0].1 >= pair[1].0);
        match twice.map(|pair| pair[1].2).or(defaults.get(1).copied()) {
            Some(label) => {
                let span = self.tree.stmt(label).span;
                Err(Fault::new(span, "this case is in the switch twice"))
            }
            None => Ok(()),
        }
    }

    /// One edge to each case label.
    fn jump_to_case(
        &mut self,
        value: NodeId,
        labels: &[(StmtId, Option<(u64, u64)>)],
        after: PlaceId,
        span: Span,
    ) -> Lowered<()> {
        let is_signed = self.types().is_signed(self.tree.node(value).ty);
        self.no_addresses(&[value])?;
        let mut term = self.eval(value)?;
        if !self.body.pending.is_empty() {
            let held = self.hold(term, span);
            self.flush(span, "");
            term = self.release(held);
        }
        let Some(from) = self.body.at else { return Ok(()) };
        let text = self.text(span);
        let mut none = self.program.terms.bool(true);
        let mut default = after;
        for &(label, range) in labels {
            let place = self.body.cases[&label];
            let Some((low, high)) = range else {
                default = place;
                continue;
            };
            let guard = self.in_range(term, low, high, is_signed);
            let terms = &mut self.program.terms;
            let not = build::not(terms, guard);
            none = terms.and(none, not);
            let step = pedra_program::Step { guard: Some(guard), ..Default::default() };
            self.add_step(from, place, step, span, &text);
        }
        let step = pedra_program::Step { guard: Some(none), ..Default::default() };
        self.add_step(from, default, step, span, &text);
        Ok(())
    }

    fn in_range(&mut self, term: TermId, low: u64, high: u64, is_signed: bool) -> TermId {
        let terms = &mut self.program.terms;
        let bits = terms.width(term);
        let least = build::constant(terms, bits, low);
        if low == high {
            return build::binary(terms, BinaryOp::Eq, term, least);
        }
        let most = build::constant(terms, bits, high);
        let (above, below) = match is_signed {
            true => (BinaryOp::Sgte, BinaryOp::Slte),
            false => (BinaryOp::Ugte, BinaryOp::Ulte),
        };
        let above = build::binary(terms, above, term, least);
        let below = build::binary(terms, below, term, most);
        terms.and(above, below)
    }

    /// The labels of a switch, in order; the default without a range.
    fn case_labels(&self, body: StmtId) -> Vec<(StmtId, Option<(u64, u64)>)> {
        let mut found = Vec::new();
        let mut stack = vec![body];
        while let Some(id) = stack.pop() {
            let kind = &self.tree.stmt(id).kind;
            match kind {
                StmtKind::Case(low, high, _) => found.push((id, Some((*low, *high)))),
                StmtKind::Default(_) => found.push((id, None)),
                StmtKind::Switch(..) => continue,
                _ => {}
            }
            stack.extend(inner_stmts(kind).into_iter().rev());
        }
        found
    }

    fn return_stmt(&mut self, value: Option<NodeId>, span: Span) -> Lowered<()> {
        let results = self.body.results.clone();
        match value {
            Some(value) if self.is_void(value) => self.effect(value)?,
            Some(value) => {
                let is_record =
                    matches!(self.types().get(self.tree.node(value).ty), Type::Record(_));
                let values = match is_record {
                    true => self.eval_record(value)?,
                    false => vec![self.eval(value)?],
                };
                for (result, value) in results.into_iter().zip(values) {
                    self.set(result, value);
                }
            }
            None => {}
        }
        let exit = self.body.procedure.exit;
        let text = self.text(span);
        self.flush_to(exit, span, &text);
        Ok(())
    }
}
