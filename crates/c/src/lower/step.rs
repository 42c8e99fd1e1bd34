//! Building edges: the pending step, and places.

use super::{Held, Lowerer, Pending, build};
use crate::source::Span;
use pedra_model::term::{Sort, TermId};
use pedra_program::{Action, Check, CheckKind, Edge, Input, InputKind, PlaceId, Step, VariableId};

impl Lowerer<'_> {
    /// The value of a variable, in terms of the values before the pending step.
    pub(super) fn get(&self, variable: VariableId) -> TermId {
        match self.body.pending.updated.get(&variable) {
            Some(&at) => self.body.pending.step.updates[at].1,
            None => self.program.term_of(variable),
        }
    }

    /// Gives a variable a value in the pending step.
    pub(super) fn set(&mut self, variable: VariableId, value: TermId) {
        let pending = &mut self.body.pending;
        match pending.updated.get(&variable) {
            Some(&at) => pending.step.updates[at].1 = value,
            None => {
                pending.updated.insert(variable, pending.step.updates.len());
                pending.step.updates.push((variable, value));
            }
        }
    }

    /// A fresh value in the pending step.
    pub(super) fn input(&mut self, sort: Sort, kind: InputKind) -> TermId {
        let term = self.program.terms.new_symbol(sort);
        self.body.pending.step.inputs.push(Input { term, kind });
        term
    }

    /// Restricts the pending step.
    pub(super) fn assume(&mut self, condition: TermId) {
        let guard = match self.body.pending.step.guard {
            Some(guard) => self.program.terms.and(guard, condition),
            None => condition,
        };
        self.body.pending.step.guard = Some(guard);
    }

    /// Notes what must hold for the pending step to be defined.
    pub(super) fn check(&mut self, holds: TermId, kind: CheckKind, span: Span) {
        let terms = &mut self.program.terms;
        let holds = match self.body.path {
            Some(path) => {
                let not = build::not(terms, path);
                terms.or(not, holds)
            }
            None => holds,
        };
        if terms.is_bool(holds, true) {
            return;
        }
        let text = self.text(span).into();
        let span = self.span(span);
        let check = Check { holds, kind, text, span };
        if !self.body.pending.step.checks.contains(&check) {
            self.body.pending.step.checks.push(check);
        }
    }

    /// A variable that the source does not show.
    pub(super) fn temporary(&mut self, sort: Sort, span: Span) -> VariableId {
        let span = self.span(span);
        let variable = self.program.add_variable(sort, None, "", false, span);
        self.body.procedure.variables.push(variable);
        variable
    }

    /// Keeps a value over the edges to come.
    pub(super) fn hold(&mut self, value: TermId, span: Span) -> Held {
        if self.program.terms.as_constant(value).is_some() {
            return Held::Term(value);
        }
        let variable = self.temporary(self.program.terms.sort(value), span);
        self.set(variable, value);
        Held::Variable(variable)
    }

    /// Keeps a value over the edges to come, if it is not kept already.
    pub(super) fn keep(&mut self, held: Held, span: Span) -> Held {
        match held {
            Held::Term(value) => self.hold(value, span),
            Held::Variable(_) => held,
        }
    }

    /// A value that was kept.
    pub(super) fn release(&self, held: Held) -> TermId {
        match held {
            Held::Term(term) => term,
            Held::Variable(variable) => self.get(variable),
        }
    }

    /// A new place.
    pub(super) fn place_at(&mut self, span: Span) -> PlaceId {
        let span = self.span(span);
        self.body.procedure.add_place(span)
    }

    /// Ends the pending step, if there is anything in it, at a new place.
    pub(super) fn flush(&mut self, span: Span, text: &str) {
        if self.body.at.is_none() {
            self.body.pending = Pending::default();
        } else if !self.body.pending.is_empty() {
            let to = self.place_at(span);
            self.flush_to(to, span, text);
            self.body.at = Some(to);
        }
    }

    /// Ends the pending step at a place; nothing comes after it here.
    pub(super) fn flush_to(&mut self, to: PlaceId, span: Span, text: &str) {
        let step = std::mem::take(&mut self.body.pending).step;
        if let Some(from) = self.body.at.take() {
            self.add_step(from, to, step, span, text);
        }
    }

    /// An edge.
    pub(super) fn add_step(
        &mut self,
        from: PlaceId,
        to: PlaceId,
        mut step: Step,
        span: Span,
        text: &str,
    ) {
        // A step that cannot be taken is none.
        if step.guard.is_some_and(|guard| self.program.terms.is_bool(guard, false)) {
            return;
        }
        step.guard.take_if(|guard| self.program.terms.is_bool(*guard, true));
        // A variable that keeps its value needs no update.
        step.updates.retain(|&(variable, value)| self.program.term_of(variable) != value);
        let span = self.span(span);
        let text = text.into();
        let action = Action::Step(step);
        self.body.entered.insert(to);
        self.body.procedure.add_edge(Edge { from, to, action, span, text });
    }

    /// The run ends here. Soundness: the pending step must be defined nevertheless.
    pub(super) fn end_run(&mut self, span: Span) {
        if !self.body.pending.step.checks.is_empty() {
            let end = self.place_at(span);
            self.flush_to(end, span, "");
        }
        self.body.pending = Pending::default();
        self.body.at = None;
    }

    /// Zero, of the sort of a variable.
    pub(super) fn zero(&mut self, variable: VariableId) -> TermId {
        let sort = self.program.terms.sort(self.program.term_of(variable));
        self.program.terms.zero(sort)
    }
}
