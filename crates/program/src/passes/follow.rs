//! A program restricted to the runs that pass marks in a given order.
//!
//! A mark is a property whose error place has edges `guard: ¬c`, next to an edge `guard: c` that
//! goes on: an assertion. Here it only notes that it was passed while `c` held. A new global
//! variable counts the segments of the route that are done; error places of other properties can
//! be reached only when all are. Every run of the result is one of the program, with that
//! variable left out and the assertions of the marks not judged. Places, edges and variables keep
//! their numbers.
//!
//! Several marks may stand at one place. A visit of the place ends at most one segment: the marks
//! that come after the one that ended it do not count before the next visit. A second variable
//! notes that, from this mark to the last one of the place.
//!
//! A condition may be undefined where a mark is passed. Then it neither holds nor fails: a run
//! whose next mark this is, or that is to avoid it, is none of the route's.

use crate::graph::{
    Action, CheckKind, EdgeId, EdgeRef, PlaceRef, ProcedureId, Program, Span, Step, VariableId,
};
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, Sort, Term, TermId};
use std::collections::{BTreeMap, BTreeSet};

/// A mark.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The index of its property.
    pub property: usize,
    /// No other mark of the same place is passed after it.
    pub is_last: bool,
}

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

/// The edges of a mark: those to its error place, and those beside them that go on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MarkEdges {
    /// To the error place.
    pub failing: Vec<EdgeRef>,
    /// Beside them.
    pub passing: Vec<EdgeRef>,
}

/// The edges of properties that are marks.
pub fn edges_of_marks(program: &Program, properties: &[usize]) -> Vec<MarkEdges> {
    let ends = program.properties.iter().map(|property| &property.error).chain(&program.limits);
    let ends: BTreeSet<PlaceRef> = ends.copied().collect();
    let of = |&property: &usize| {
        let PlaceRef { procedure, place } = program.properties[property].error;
        let edges = &program.procedure(procedure).edges;
        let refer = |at: usize| EdgeRef { procedure, edge: EdgeId::new(at) };
        let key = |at: usize| (edges[at].from, edges[at].span);
        let failing: Vec<usize> = (0..edges.len()).filter(|&at| edges[at].to == place).collect();
        let is_passing = |&at: &usize| {
            failing.iter().any(|&other| key(at) == key(other))
                && !ends.contains(&PlaceRef { procedure, place: edges[at].to })
        };
        let passing = (0..edges.len()).filter(is_passing).map(refer).collect();
        MarkEdges { failing: failing.iter().map(|&at| refer(at)).collect(), passing }
    };
    properties.iter().map(of).collect()
}

/// The program with runs that follow a route only. `marks` are all properties that are marks. Their
/// error places are never reached.
pub fn follow(program: &Program, marks: &[Mark], route: &[Segment]) -> Program {
    let mut program = program.clone();
    let properties: Vec<usize> = marks.iter().map(|mark| mark.property).collect();
    let edges = edges_of_marks(&program, &properties);
    let width = (usize::BITS - route.len().leading_zeros()).max(1);
    let mut add = |sort| {
        let variable = program.add_variable(sort, None, "", false, Span::default());
        program.globals.push(variable);
        variable
    };
    let (counter, is_over) = (add(Sort::Bv(width)), add(Sort::BOOL));
    let mut pass = Pass { counter, is_over, width, route, program: &mut program };
    for (mark, edges) in marks.iter().zip(&edges) {
        let fails = edges.failing.iter().find_map(|&edge| pass.step(edge)?.guard);
        edges.passing.iter().for_each(|&edge| pass.pass(edge, fails, *mark));
    }
    pass.close_errors(marks);
    pass.start();
    debug_assert_eq!(program.check(), Ok(()));
    program
}

struct Pass<'a> {
    counter: VariableId,
    /// This visit of a place ended a segment.
    is_over: VariableId,
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

    fn step(&mut self, at: EdgeRef) -> Option<&mut Step> {
        let procedure = &mut self.program.procedures[at.procedure.index()];
        match &mut procedure.edges[at.edge.index()].action {
            Action::Step(step) => Some(step),
            Action::Call(_) => None,
        }
    }

    /// The counter starts with zero.
    fn start(&mut self) {
        let (zero, no) = (self.number(0), self.program.terms.bool(false));
        let (entry, counter, is_over) = (self.program.entry, self.counter, self.is_over);
        let procedure = &mut self.program.procedures[entry.index()];
        let first = procedure.entry;
        for edge in procedure.edges.iter_mut().filter(|edge| edge.from == first) {
            if let Action::Step(step) = &mut edge.action {
                step.updates.retain(|(id, _)| *id != counter && *id != is_over);
                step.updates.extend([(counter, zero), (is_over, no)]);
            }
        }
    }

    /// Errors count when the route is done; those of marks never do.
    fn close_errors(&mut self, marks: &[Mark]) {
        let has_end = self.route.last().is_some_and(|last| last.follow.is_empty());
        let is_done = self.is_at(self.route.len() - usize::from(has_end));
        let no = self.program.terms.bool(false);
        let properties = self.program.properties.iter();
        let mut errors: BTreeMap<PlaceRef, TermId> =
            properties.map(|property| (property.error, is_done)).collect();
        errors.extend(marks.iter().map(|mark| (self.program.properties[mark.property].error, no)));
        for procedure in 0..self.program.procedures.len() {
            let id = ProcedureId::new(procedure);
            for edge in 0..self.program.procedures[procedure].edges.len() {
                let place = self.program.procedures[procedure].edges[edge].to;
                if let Some(&condition) = errors.get(&PlaceRef { procedure: id, place }) {
                    self.guard_with(procedure, edge, condition);
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

    /// The edge is taken whether the condition `c` holds or not, and counts if it does; but if it
    /// is the next mark on the route, it must:
    ///
    /// ```text
    /// counter = i ∧ ¬over ⟹ c ∧ defined      for the mark that segment i follows
    /// counter = i ∧ ¬over ⟹ ¬c ∧ defined     for one that it avoids
    /// ```
    fn pass(&mut self, edge: EdgeRef, fails: Option<TermId>, mark: Mark) {
        let Some(step) = self.step(edge) else { return };
        let (guard, checks) = (step.guard, step.checks.clone());
        let own = checks.iter().filter(|check| check.kind != CheckKind::Limit);
        let own: Vec<TermId> = own.map(|check| check.holds).collect();
        let (counter, is_over) =
            (self.program.term_of(self.counter), self.program.term_of(self.is_over));
        let terms = &mut self.program.terms;
        let yes = terms.bool(true);
        let holds = guard.unwrap_or(yes);
        let defined = own.into_iter().fold(yes, |all, check| terms.and(all, check));
        let either = fails.map_or(yes, |fails| terms.or(holds, fails));
        let (not, counts) = (terms.not(holds), terms.not(is_over));
        let (is_right, is_free) = (terms.and(holds, defined), terms.and(not, defined));
        let (mut value, mut allowed, mut passes) = (counter, either, terms.bool(false));
        let route = self.route;
        for (index, segment) in route.iter().enumerate() {
            let is_followed = segment.follow.contains(&mark.property);
            let is_avoided = segment.avoid.contains(&mark.property);
            if !is_followed && !is_avoided {
                continue;
            }
            let (is_at, next) = (self.is_at(index), self.number(index + 1));
            let terms = &mut self.program.terms;
            let is_now = terms.and(is_at, counts);
            let is_other = terms.not(is_now);
            if is_followed {
                value = terms.add(Term::Ite(is_now, next, value)).expect("numbers of one width");
                passes = terms.or(passes, is_now);
                let is_right = terms.or(is_other, is_right);
                allowed = terms.and(allowed, is_right);
            }
            if is_avoided {
                let is_free = terms.or(is_other, is_free);
                allowed = terms.and(allowed, is_free);
            }
        }
        // The marks of a place that come after it do not count in this visit.
        let terms = &mut self.program.terms;
        let is_over = match mark.is_last {
            true => terms.bool(false),
            false => terms.or(is_over, passes),
        };
        let updates = [(self.counter, value), (self.is_over, is_over)];
        if let Some(step) = self.step(edge) {
            step.guard = Some(allowed);
            // What the mark's expression does is no operation of the program.
            step.checks.retain(|check| check.kind == CheckKind::Limit);
            step.updates.extend(updates);
        }
    }
}
