//! One implementation to one procedure of the graph, statement by statement.

use super::expression::Env;
use super::{Lowerer, step};
use crate::source::{Outcome, Span};
use crate::syntax::{Clause, Expression};
use crate::tree::{Arm, Block, ProcId, Statement, StatementKind, VarId};
use pedra_model::term::{BinaryOp, TermId};
use pedra_program::{
    Action, Call, Edge, Input, InputKind, Loop, PlaceId, PlaceRef, Procedure, ProcedureId,
    Property, PropertyKind, Span as GraphSpan, Step, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the places and edges of a clause count as, in nodes.
const CLAUSE: usize = 8;

/// Lowers the implementation with this position.
pub(super) fn lower(lowerer: &mut Lowerer<'_, '_>, index: usize) -> Outcome<Procedure> {
    let tree = lowerer.tree;
    let implementation = &tree.implementations[index];
    let declared = &tree.procedures[implementation.procedure.index()];
    let mut procedure = Procedure::new(&declared.name, lowerer.span(implementation.span));
    let mut needed = |id: &VarId| match lowerer.declare(*id) {
        Some(variable) => Ok(variable),
        None => lowerer.variable(*id),
    };
    procedure.parameters =
        implementation.parameters.iter().map(&mut needed).collect::<Outcome<_>>()?;
    procedure.results = implementation.results.iter().map(&mut needed).collect::<Outcome<_>>()?;
    // A local variable of a type that is not supported is refused where it is used.
    let locals = implementation.locals.iter().filter_map(|id| lowerer.declare(*id));
    let formals = procedure.parameters.iter().chain(&procedure.results).copied();
    procedure.variables = formals.clone().chain(locals).collect();
    // The clauses speak of the procedure's parameters and results, the body of its own.
    let declared_formals = declared.parameters.iter().chain(&declared.results);
    let bound = declared_formals.zip(formals).map(|(id, own)| (*id, lowerer.program.term_of(own)));
    let formals = Env { bound: bound.collect(), old_is_now: false };
    lowerer.saved.clear();
    let exit = procedure.exit;
    let leave = match declared.ensures.iter().all(|clause| clause.is_free) {
        true => exit,
        false => procedure.add_place(lowerer.span(implementation.end)),
    };
    let (entry, span) = (procedure.entry, procedure.span);
    let first = procedure.add_place(span);
    let mut builder = Builder {
        lowerer,
        id: ProcedureId::new(index),
        procedure,
        here: Some(first),
        labels: vec![None; implementation.labels],
        breaks: Vec::new(),
        leave,
        names: FxHashMap::default(),
    };
    let prologue = builder.procedure.add_edge(step(entry, first, None, span, "".into()));
    for clause in declared.requires.iter().filter(|clause| !clause.is_free) {
        let condition = builder.lowerer.expression(clause.condition, &formals)?;
        builder.assume(condition, clause.span);
    }
    builder.block(&implementation.body)?;
    builder.jump(leave, implementation.end, "".into());
    if leave != exit {
        builder.here = Some(leave);
        builder.epilogue(&declared.ensures, &formals)?;
        builder.jump(exit, implementation.end, "".into());
    }
    builder.finish(prologue.index())
}

struct Builder<'l, 'a, 's> {
    lowerer: &'l mut Lowerer<'a, 's>,
    id: ProcedureId,
    procedure: Procedure,
    /// Where the next statement begins; `None` if the last one does not go on.
    here: Option<PlaceId>,
    labels: Vec<Option<PlaceId>>,
    /// Behind the enclosing branches and loops.
    breaks: Vec<PlaceId>,
    /// Where `return` leads.
    leave: PlaceId,
    /// Texts of labels.
    names: FxHashMap<PlaceId, Box<str>>,
}

impl Builder<'_, '_, '_> {
    /// The place of the next statement. If no statement leads to it, neither does an edge to the
    /// place.
    fn begin(&mut self, span: Span) -> PlaceId {
        let span = self.lowerer.span(span);
        match self.here {
            Some(here) => {
                self.procedure.places[here.index()].span = span;
                here
            }
            None => {
                let here = self.procedure.add_place(span);
                self.here = Some(here);
                here
            }
        }
    }

    /// Adds an edge to a new place and goes on there.
    fn go(&mut self, action: Action, span: Span, text: Box<str>) {
        let from = self.begin(span);
        let span = self.lowerer.span(span);
        let to = self.procedure.add_place(span);
        self.procedure.add_edge(Edge { from, to, action, span, text });
        self.here = Some(to);
    }

    /// Adds an edge with a guard.
    fn guarded(
        &mut self,
        (from, to): (PlaceId, PlaceId),
        guard: Option<TermId>,
        span: Span,
        text: Box<str>,
    ) {
        let span = self.lowerer.span(span);
        self.procedure.add_edge(step(from, to, guard, span, text));
    }

    /// Goes to a place, if there is a current one, and does not go on here.
    fn jump(&mut self, to: PlaceId, span: Span, text: Box<str>) {
        if let Some(from) = self.here.take() {
            self.guarded((from, to), None, span, text);
        }
    }

    fn assume(&mut self, condition: TermId, span: Span) {
        let step = Step { guard: Some(condition), ..Step::default() };
        let text = self.lowerer.text(span);
        self.go(Action::Step(step), span, text);
    }

    fn assert(&mut self, condition: TermId, span: Span, text: Box<str>) {
        let from = self.begin(span);
        let error = self.procedure.add_place(self.lowerer.span(span));
        let fails = self.lowerer.not(condition);
        self.guarded((from, error), Some(fails), span, text.clone());
        let step = Step { guard: Some(condition), ..Step::default() };
        self.go(Action::Step(step), span, text.clone());
        let error = PlaceRef { procedure: self.id, place: error };
        let (kind, span) = (PropertyKind::Assertion, self.lowerer.span(span));
        self.lowerer.program.properties.push(Property { error, kind, text, span, calls: None });
    }

    /// The postconditions. Free ones are for calls of procedures without a body.
    fn epilogue(&mut self, ensures: &[Clause], formals: &Env) -> Outcome<()> {
        for clause in ensures.iter().filter(|clause| !clause.is_free) {
            let condition = self.lowerer.expression(clause.condition, formals)?;
            self.clause(clause, condition);
        }
        Ok(())
    }

    /// Assumes a condition if it is free, asserts it if not.
    fn clause(&mut self, clause: &Clause, condition: TermId) {
        if clause.is_free {
            self.assume(condition, clause.span);
        } else {
            let text = self.lowerer.text(clause.span);
            self.assert(condition, clause.span, text);
        }
    }

    fn term(&mut self, expression: Expression) -> Outcome<TermId> {
        self.lowerer.expression(expression, &Env::default())
    }

    fn block(&mut self, block: &Block) -> Outcome<()> {
        block.iter().try_for_each(|statement| self.statement(statement))
    }

    fn label(&mut self, label: usize) -> PlaceId {
        let procedure = &mut self.procedure;
        *self.labels[label].get_or_insert_with(|| procedure.add_place(GraphSpan::default()))
    }

    fn statement(&mut self, statement: &Statement) -> Outcome<()> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Label(label) => {
                let place = self.label(*label);
                self.jump(place, span, "".into());
                self.here = Some(place);
                self.begin(span);
                let text = format!("{}:", self.lowerer.text(span)).into();
                self.names.insert(place, text);
            }
            StatementKind::Assign(assigned) => self.assign(assigned, span)?,
            StatementKind::Havoc(ids) => self.havoc(ids, span)?,
            StatementKind::Assume(condition) => {
                let condition = self.term(*condition)?;
                self.assume(condition, span);
            }
            StatementKind::Assert(condition) => {
                let condition = self.term(*condition)?;
                let text = self.lowerer.text(span);
                self.assert(condition, span, text);
            }
            StatementKind::Call { results, callee, arguments } => {
                self.call(results, *callee, arguments, span)?;
            }
            StatementKind::Goto(labels) => {
                let from = self.begin(span);
                let text = self.lowerer.text(span);
                for &label in labels {
                    let to = self.label(label);
                    self.guarded((from, to), None, span, text.clone());
                }
                self.here = None;
            }
            StatementKind::Break(number) => self.leave(self.breaks[*number], span),
            StatementKind::Return => self.leave(self.leave, span),
            StatementKind::If(arms, other) => self.branch(arms, other.as_ref(), span)?,
            StatementKind::While { guard, invariants, body } => {
                self.looped(*guard, invariants, body, span)?;
            }
        }
        Ok(())
    }

    /// `break` or `return`.
    fn leave(&mut self, to: PlaceId, span: Span) {
        let text = self.lowerer.text(span);
        self.begin(span);
        self.jump(to, span, text);
    }

    fn assign(
        &mut self,
        assigned: &[(VarId, Option<Expression>, Expression)],
        span: Span,
    ) -> Outcome<()> {
        let mut updates = Vec::new();
        for &(id, index, value) in assigned {
            let variable = self.lowerer.variable(id)?;
            let mut value = self.term(value)?;
            if let Some(index) = index {
                let index = self.term(index)?;
                let map = self.lowerer.program.term_of(variable);
                value = self.lowerer.program.terms.write(map, index, value);
            }
            updates.push((variable, value));
        }
        let text = self.lowerer.text(span);
        self.go(Action::Step(Step { updates, ..Step::default() }), span, text);
        Ok(())
    }

    /// A fresh value for a variable.
    fn fresh(&mut self, variable: VariableId) -> Input {
        let sort = self.lowerer.sort_of(variable);
        let term = self.lowerer.program.terms.new_symbol(sort);
        Input { term, kind: InputKind::Arbitrary(variable) }
    }

    fn havoc(&mut self, ids: &[VarId], span: Span) -> Outcome<()> {
        let mut step = Step::default();
        for &id in ids {
            let variable = self.lowerer.variable(id)?;
            let input = self.fresh(variable);
            step.updates.push((variable, input.term));
            step.inputs.push(input);
        }
        let text = self.lowerer.text(span);
        self.go(Action::Step(step), span, text);
        Ok(())
    }

    fn call(
        &mut self,
        results: &[VarId],
        callee: ProcId,
        arguments: &[Expression],
        span: Span,
    ) -> Outcome<()> {
        let declared = &self.lowerer.tree.procedures[callee.index()];
        let size = |clauses: &[Clause]| -> usize {
            clauses.iter().map(|clause| clause.condition.len() + CLAUSE).sum()
        };
        let copied = match declared.implementations.len() {
            0 => size(&declared.ensures) + declared.modifies.len(),
            implementations => implementations,
        };
        self.lowerer.copy(size(&declared.requires) + copied, span)?;
        let arguments: Vec<TermId> =
            arguments.iter().map(|a| self.term(*a)).collect::<Outcome<_>>()?;
        let results = results.iter().map(|id| self.lowerer.variable(*id));
        let results: Vec<VariableId> = results.collect::<Outcome<_>>()?;
        let mut env = Env { bound: FxHashMap::default(), old_is_now: true };
        env.bound.extend(declared.parameters.iter().copied().zip(arguments.iter().copied()));
        let text = self.lowerer.text(span);
        for clause in declared.requires.iter().filter(|clause| !clause.is_free) {
            let condition = self.lowerer.expression(clause.condition, &env)?;
            let text = format!("{text}: {}", self.lowerer.text(clause.span));
            self.assert(condition, span, text.into());
        }
        if declared.implementations.is_empty() {
            return self.call_without_body(&results, callee, env, span);
        }
        let from = self.begin(span);
        let span = self.lowerer.span(span);
        let to = self.procedure.add_place(span);
        for &implementation in &declared.implementations {
            let callee = ProcedureId::new(implementation);
            let (arguments, results) = (arguments.clone(), results.clone());
            let action = Action::Call(Call { callee, arguments, results });
            self.procedure.add_edge(Edge { from, to, action, span, text: text.clone() });
        }
        self.here = Some(to);
        Ok(())
    }

    /// Changes what a procedure modifies and its results, as its postconditions allow:
    /// guard `Ensures(g, g', arguments, r)` over inputs `g'` and `r`, updates `g := g'` and
    /// `results := r`.
    fn call_without_body(
        &mut self,
        results: &[VariableId],
        callee: ProcId,
        mut env: Env,
        span: Span,
    ) -> Outcome<()> {
        let declared = &self.lowerer.tree.procedures[callee.index()];
        let mut step = Step::default();
        let assigned: FxHashSet<VariableId> = results.iter().copied().collect();
        for &global in &declared.modifies {
            let variable = self.lowerer.variable(global)?;
            let input = self.fresh(variable);
            env.bound.insert(global, input.term);
            // A global that gets a result gets it last.
            if !assigned.contains(&variable) {
                step.updates.push((variable, input.term));
            }
            step.inputs.push(input);
        }
        for (&id, &variable) in declared.results.iter().zip(results) {
            let input = self.fresh(variable);
            env.bound.insert(id, input.term);
            step.updates.push((variable, input.term));
            step.inputs.push(input);
        }
        for clause in &declared.ensures {
            let condition = self.lowerer.expression(clause.condition, &env)?;
            let terms = &mut self.lowerer.program.terms;
            step.guard = Some(match step.guard {
                None => condition,
                Some(guard) => terms.binary(BinaryOp::And, guard, condition),
            });
        }
        let text = self.lowerer.text(span);
        self.go(Action::Step(step), span, text);
        Ok(())
    }

    /// Edges for a guard that holds and for one that does not; `*` may be both.
    fn test(
        &mut self,
        guard: Option<Expression>,
        (then, other): (PlaceId, PlaceId),
        span: Span,
    ) -> Outcome<()> {
        let from = self.begin(span);
        let text = self.lowerer.text(span);
        let (holds, fails) = match guard {
            None => (None, None),
            Some(guard) => {
                let holds = self.term(guard)?;
                (Some(holds), Some(self.lowerer.not(holds)))
            }
        };
        self.guarded((from, then), holds, span, text.clone());
        self.guarded((from, other), fails, span, text);
        self.here = None;
        Ok(())
    }

    fn branch(&mut self, arms: &[Arm], other: Option<&Block>, span: Span) -> Outcome<()> {
        let place = self.lowerer.span(span);
        let join = self.procedure.add_place(place);
        self.breaks.push(join);
        for arm in arms {
            let then = self.procedure.add_place(place);
            let otherwise = self.procedure.add_place(place);
            self.test(arm.guard, (then, otherwise), arm.span)?;
            self.here = Some(then);
            self.block(&arm.block)?;
            self.jump(join, arm.span, "".into());
            self.here = Some(otherwise);
        }
        if let Some(block) = other {
            self.block(block)?;
        }
        self.jump(join, span, "".into());
        self.breaks.pop();
        self.here = Some(join);
        Ok(())
    }

    fn looped(
        &mut self,
        guard: Option<Expression>,
        invariants: &[Clause],
        body: &Block,
        span: Span,
    ) -> Outcome<()> {
        let place = self.lowerer.span(span);
        let head = self.procedure.add_place(place);
        let text = self.lowerer.text(span);
        self.procedure.places[head.index()].head_of = Some(Loop { span: place, text });
        self.begin(span);
        self.jump(head, span, "".into());
        self.here = Some(head);
        for clause in invariants {
            let condition = self.term(clause.condition)?;
            self.clause(clause, condition);
        }
        let inside = self.procedure.add_place(place);
        let after = self.procedure.add_place(place);
        self.test(guard, (inside, after), span)?;
        self.here = Some(inside);
        self.breaks.push(after);
        self.block(body)?;
        self.breaks.pop();
        self.jump(head, span, "".into());
        self.here = Some(after);
        Ok(())
    }

    /// Saves what `old` speaks of, on the first edge, and marks the loops that `goto` makes.
    fn finish(mut self, prologue: usize) -> Outcome<Procedure> {
        let mut updates = Vec::new();
        for (&global, &saved) in &self.lowerer.saved {
            self.procedure.variables.push(saved);
            let global = self.lowerer.variable(global)?;
            updates.push((saved, self.lowerer.program.term_of(global)));
        }
        self.procedure.edges[prologue].action = Action::Step(Step { updates, ..Step::default() });
        for head in loop_heads(&self.procedure) {
            let place = &mut self.procedure.places[head.index()];
            if place.head_of.is_none() {
                let text = self.names.get(&head).cloned().unwrap_or_default();
                place.head_of = Some(Loop { span: place.span, text });
            }
        }
        Ok(self.procedure)
    }
}

/// The places to which an edge leads back on a path from the entry: one on each cycle.
fn loop_heads(procedure: &Procedure) -> Vec<PlaceId> {
    #[derive(Copy, Clone, PartialEq)]
    enum Mark {
        New,
        OnPath,
        Done,
    }
    let outgoing = procedure.outgoing();
    let mut marks = vec![Mark::New; procedure.places.len()];
    let mut heads = Vec::new();
    let mut path = vec![(procedure.entry, 0)];
    marks[procedure.entry.index()] = Mark::OnPath;
    while let Some((place, next)) = path.last_mut() {
        let Some(&edge) = outgoing[place.index()].get(*next) else {
            marks[place.index()] = Mark::Done;
            path.pop();
            continue;
        };
        *next += 1;
        let to = procedure.edge(edge).to;
        match marks[to.index()] {
            Mark::New => {
                marks[to.index()] = Mark::OnPath;
                path.push((to, 0));
            }
            Mark::OnPath => heads.push(to),
            Mark::Done => {}
        }
    }
    heads
}
