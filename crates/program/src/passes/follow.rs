//! A program restricted to the runs that pass marks in a given order.
//!
//! A mark is a property whose error place has edges `guard: ¬c`, next to an edge `guard: c` that
//! goes on: an assertion. Here it only notes that it was passed while `c` held. A new global
//! variable counts the segments of the route that are done; error places of other properties can
//! be reached only when all are. Every run of the result is one of the program, with that
//! variable left out and the assertions of the marks not judged. Places, edges and variables keep
//! their numbers.

use crate::graph::{Action, Edge, PlaceRef, Program, Span, VariableId};
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, Sort, Term, TermId};
use std::collections::BTreeMap;

/// A part of a route.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Segment {
    /// Marks that must not be passed meanwhile: indices of their properties.
    pub avoid: Vec<usize>,
    /// The mark that ends it; the front end may have made several properties of one. A run that
    /// comes to it while its condition does not hold is none of the route's. Without a mark the
    /// segment is the last one, and lasts to the end of the run.
    pub follow: Vec<usize>,
}

/// The program with runs that follow a route only. `marks` are all properties that are marks. Their
/// error places are never reached.
pub fn follow(program: &Program, marks: &[usize], route: &[Segment]) -> Program {
    let mut program = program.clone();
    let width = usize::BITS - route.len().leading_zeros();
    let sort = Sort::Bv(width.max(1));
    let counter = program.add_variable(sort, None, "", false, Span::default());
    program.globals.push(counter);
    let mut pass = Pass { counter, width: width.max(1), route, program: &mut program };
    let errors: BTreeMap<PlaceRef, usize> =
        marks.iter().map(|&property| (pass.program.properties[property].error, property)).collect();
    pass.close_errors(&errors);
    pass.start();
    debug_assert_eq!(program.check(), Ok(()));
    program
}

struct Pass<'a> {
    counter: VariableId,
    width: u32,
    route: &'a [Segment],
    program: &'a mut Program,
}

impl Pass<'_> {
    fn number(&mut self, value: usize) -> TermId {
        self.program.terms.constant(Bv::from_u64(self.width, value as u64))
    }

    /// `counter = value`
    fn is_at(&mut self, value: usize) -> TermId {
        let (number, counter) = (self.number(value), self.program.term_of(self.counter));
        self.program.terms.binary(BinaryOp::Eq, counter, number)
    }

    /// The counter starts with zero.
    fn start(&mut self) {
        let zero = self.number(0);
        let (entry, counter) = (self.program.entry, self.counter);
        let procedure = &mut self.program.procedures[entry.index()];
        let first = procedure.entry;
        for edge in procedure.edges.iter_mut().filter(|edge| edge.from == first) {
            if let Action::Step(step) = &mut edge.action {
                step.updates.retain(|(id, _)| *id != counter);
                step.updates.push((counter, zero));
            }
        }
    }

    fn close_errors(&mut self, errors: &BTreeMap<PlaceRef, usize>) {
        let all: Vec<PlaceRef> = self.program.properties.iter().map(|p| p.error).collect();
        for procedure in 0..self.program.procedures.len() {
            for edge in 0..self.program.procedures[procedure].edges.len() {
                let id = crate::graph::ProcedureId::new(procedure);
                let place = self.program.procedures[procedure].edges[edge].to;
                let to = PlaceRef { procedure: id, place };
                match errors.get(&to) {
                    Some(&mark) => self.mark(procedure, edge, mark),
                    None if all.contains(&to) => {
                        let has_end = self.route.last().is_some_and(|last| last.follow.is_empty());
                        let is_done = self.is_at(self.route.len() - usize::from(has_end));
                        self.guard_with(procedure, edge, is_done);
                    }
                    None => {}
                }
            }
        }
    }

    fn guard_with(&mut self, procedure: usize, edge: usize, condition: TermId) {
        let Program { procedures, terms, .. } = &mut *self.program;
        if let Action::Step(step) = &mut procedures[procedure].edges[edge].action {
            step.guard = Some(match step.guard {
                Some(guard) => terms.binary(BinaryOp::And, guard, condition),
                None => condition,
            });
        }
    }

    /// Closes the error edge of a mark, and lets the edges beside it note what was passed.
    fn mark(&mut self, procedure: usize, error: usize, mark: usize) {
        let no = self.program.terms.bool(false);
        let closed = self.program.procedures[procedure].edges[error].clone();
        let Action::Step(step) = &closed.action else { return };
        let fails = step.guard;
        self.guard_with(procedure, error, no);
        let is_beside = |edge: &Edge| {
            edge.from == closed.from && edge.span == closed.span && edge.to != closed.to
        };
        let edges = &self.program.procedures[procedure].edges;
        let beside: Vec<usize> = (0..edges.len()).filter(|&at| is_beside(&edges[at])).collect();
        for edge in beside {
            self.pass(procedure, edge, fails, mark);
        }
    }

    /// The edge is taken whether the condition holds or not, and counts if it does; but if it is
    /// the next mark on the route, it must.
    fn pass(&mut self, procedure: usize, edge: usize, fails: Option<TermId>, mark: usize) {
        let Action::Step(step) = &self.program.procedures[procedure].edges[edge].action else {
            return;
        };
        let yes = self.program.terms.bool(true);
        let holds = step.guard.unwrap_or(yes);
        let either = match fails {
            Some(fails) => self.program.terms.binary(BinaryOp::Or, holds, fails),
            None => yes,
        };
        let route = self.route;
        let mut value = self.program.term_of(self.counter);
        let mut guard = either;
        for (index, segment) in route.iter().enumerate() {
            let is_now = self.is_at(index);
            let passes = self.program.terms.binary(BinaryOp::And, is_now, holds);
            if segment.follow.contains(&mark) {
                let next = self.number(index + 1);
                let term = Term::Ite(passes, next, value);
                value = self.program.terms.add(term).expect("numbers of one width");
                let terms = &mut self.program.terms;
                let is_later = terms.not(is_now);
                let is_right = terms.binary(BinaryOp::Or, is_later, holds);
                guard = terms.binary(BinaryOp::And, guard, is_right);
            }
            if segment.avoid.contains(&mark) {
                let is_free = self.program.terms.not(passes);
                guard = self.program.terms.binary(BinaryOp::And, guard, is_free);
            }
        }
        let counter = self.counter;
        let edge = &mut self.program.procedures[procedure].edges[edge];
        if let Action::Step(step) = &mut edge.action {
            step.guard = Some(guard);
            // What the mark's expression does is no operation of the program.
            step.checks.clear();
            step.updates.push((counter, value));
        }
    }
}
