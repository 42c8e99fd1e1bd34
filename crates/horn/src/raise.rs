//! Programs as clauses.
//!
//! A place becomes a predicate over the variables that are live there, an edge a clause. With the
//! values x of a procedure's variables, its inputs i, and the values c that its parameters and the
//! globals had at its entry:
//!
//! ```text
//! step   P_from(c, x) ∧ guard(x, i)                →  P_to(c, updates(x, i))
//! call   P_from(c, x) ∧ P_exit(args(x), g; r, g')  →  P_to(c, x[r, g'])
//!        P_from(c, x)                              →  P_entry(args(x), g; args(x), g, anything)
//! error  P_from(c, x) ∧ guard(x, i)                →  false
//! ```
//!
//! A place between a call and the only edge that follows has no predicate: the clauses of both are
//! one. P_exit is a summary: what c has to do with the results r and the globals g'. A procedure
//! from which no error place can be reached needs no predicate for its entry, since it does no harm
//! to summarise it for arguments that it never gets. c is left out where a procedure is not called.
//!
//! The clauses allow undefined steps, and division by zero has the value of the model's terms.

use crate::clauses::{Atom, Clause, Clauses, Predicate, conjuncts};
use pedra_model::simplify::Rewriter;
use pedra_model::term::{Sort, TermId};
use pedra_program::passes::{symbols_of, variables_by_symbol};
use pedra_program::{
    Action, Call, Edge, EdgeId, PlaceId, PlaceRef, Procedure, ProcedureId, Program, Span, Step,
    VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The clauses of a program: satisfiable if no property is violated.
pub fn raise(program: &Program) -> Clauses {
    let mut raising = Raising {
        program,
        frames: frames(program),
        out: Clauses { terms: program.terms.clone(), ..Clauses::new() },
        predicates: FxHashMap::default(),
    };
    raising.make_copies();
    for procedure in reached(program) {
        raising.procedure(procedure);
    }
    raising.out
}

/// What is known of a procedure.
struct Frame {
    is_called: bool,
    /// Whether an error place can be reached from its entry.
    has_error: bool,
    /// For each place the live variables, in ascending order.
    live: Vec<Vec<VariableId>>,
    /// The place that stands for the exit: the exit, or the only one from which it is reached
    /// without doing anything.
    exit: PlaceId,
    /// Places that an edge only passes after a call, and that edge.
    passed: FxHashMap<PlaceId, EdgeId>,
    /// Parameters and globals, and the symbols for the values that they had at the entry; empty if
    /// it is not called.
    copies: Vec<(VariableId, TermId)>,
}

struct Raising<'p> {
    program: &'p Program,
    frames: Vec<Frame>,
    out: Clauses,
    /// The predicates of places that were needed so far.
    predicates: FxHashMap<(ProcedureId, PlaceId), usize>,
}

/// The procedures that are reached from the entry by calls, in ascending order.
fn reached(program: &Program) -> Vec<ProcedureId> {
    let mut seen = vec![false; program.procedures.len()];
    let mut stack = vec![program.entry];
    while let Some(id) = stack.pop() {
        if !std::mem::replace(&mut seen[id.index()], true) {
            stack.extend(calls(program.procedure(id)).map(|call| call.callee));
        }
    }
    (0..seen.len()).filter(|&index| seen[index]).map(ProcedureId::new).collect()
}

fn calls(procedure: &Procedure) -> impl Iterator<Item = &Call> {
    procedure.edges.iter().filter_map(|edge| match &edge.action {
        Action::Call(call) => Some(call),
        Action::Step(_) => None,
    })
}

/// The places that no run may come to: error places, and limits, which count as such.
fn ends(program: &Program) -> impl Iterator<Item = PlaceRef> + '_ {
    program.properties.iter().map(|p| p.error).chain(program.limits.iter().copied())
}

fn frames(program: &Program) -> Vec<Frame> {
    let mut is_called = vec![false; program.procedures.len()];
    for id in reached(program) {
        calls(program.procedure(id)).for_each(|call| is_called[call.callee.index()] = true);
    }
    let mut has_error = vec![false; program.procedures.len()];
    ends(program).for_each(|end| has_error[end.procedure.index()] = true);
    loop {
        let calls_error = |index: &usize| {
            !has_error[*index]
                && calls(&program.procedures[*index]).any(|c| has_error[c.callee.index()])
        };
        let Some(index) = (0..has_error.len()).find(calls_error) else { break };
        has_error[index] = true;
    }
    let variables = variables_by_symbol(program);
    let frame = |(index, procedure): (usize, &Procedure)| Frame {
        is_called: is_called[index],
        has_error: has_error[index],
        live: live(program, procedure, is_called[index], &variables),
        exit: silent_exit(procedure),
        passed: passed(program, ProcedureId::new(index)),
        copies: Vec::new(),
    };
    program.procedures.iter().enumerate().map(frame).collect()
}

/// The place that stands for the exit.
fn silent_exit(procedure: &Procedure) -> PlaceId {
    let mut incoming = procedure.edges.iter().filter(|edge| edge.to == procedure.exit);
    match (incoming.next(), incoming.next()) {
        (Some(Edge { from, action: Action::Step(step), .. }), None)
            if *from != procedure.entry && is_silent(step) =>
        {
            *from
        }
        _ => procedure.exit,
    }
}

/// Places with one edge to them, which is a call, and one edge from them.
fn passed(program: &Program, id: ProcedureId) -> FxHashMap<PlaceId, EdgeId> {
    let procedure = program.procedure(id);
    let (incoming, outgoing) = (procedure.incoming(), procedure.outgoing());
    let is_call = |edge: EdgeId| matches!(procedure.edge(edge).action, Action::Call(_));
    let pair = |index: usize| match (&incoming[index][..], &outgoing[index][..]) {
        (&[before], &[after]) if is_call(before) => Some((PlaceId::new(index), after)),
        _ => None,
    };
    let mut found: FxHashMap<PlaceId, EdgeId> =
        (0..procedure.places.len()).filter_map(pair).collect();
    found.remove(&silent_exit(procedure));
    found
}

fn is_silent(step: &Step) -> bool {
    step.inputs.is_empty() && step.guard.is_none() && step.updates.is_empty()
}

/// For each place the variables that some way on from there reads, in ascending order. Globals are
/// live everywhere, results at the exit of what is called.
fn live(
    program: &Program,
    procedure: &Procedure,
    is_called: bool,
    variables: &FxHashMap<TermId, VariableId>,
) -> Vec<Vec<VariableId>> {
    let read = |roots: &[TermId]| -> Vec<VariableId> {
        let symbols = symbols_of(&program.terms, roots.iter().copied());
        symbols.into_iter().filter_map(|symbol| variables.get(&symbol).copied()).collect()
    };
    let globals = program.globals.iter().copied();
    let mut live: Vec<FxHashSet<VariableId>> = vec![globals.collect(); procedure.places.len()];
    if is_called {
        live[procedure.exit.index()].extend(&procedure.results);
    }
    let incoming = procedure.incoming();
    let mut queue: Vec<PlaceId> = (0..procedure.places.len()).map(PlaceId::new).collect();
    while let Some(place) = queue.pop() {
        for &edge in &incoming[place.index()] {
            let edge = procedure.edge(edge);
            let after = &live[place.index()];
            let mut before: Vec<VariableId> = Vec::new();
            let mut written: FxHashSet<VariableId> = FxHashSet::default();
            match &edge.action {
                Action::Step(step) => {
                    written.extend(step.updates.iter().map(|update| update.0));
                    let values = step.updates.iter().filter(|(v, _)| after.contains(v));
                    let roots: Vec<TermId> =
                        values.map(|update| update.1).chain(step.guard).collect();
                    before.extend(read(&roots));
                }
                Action::Call(call) => {
                    written.extend(&call.results);
                    before.extend(read(&call.arguments));
                }
            }
            before.extend(after.iter().copied().filter(|v| !written.contains(v)));
            let known = &mut live[edge.from.index()];
            let count = known.len();
            known.extend(before);
            if known.len() > count {
                queue.push(edge.from);
            }
        }
    }
    let sorted = |set: FxHashSet<VariableId>| {
        let mut list: Vec<VariableId> = set.into_iter().collect();
        list.sort_unstable();
        list
    };
    live.into_iter().map(sorted).collect()
}

impl Raising<'_> {
    fn sort(&self, variable: VariableId) -> Sort {
        self.program.terms.sort(self.program.term_of(variable))
    }

    fn make_copies(&mut self) {
        for (index, procedure) in self.program.procedures.iter().enumerate() {
            if self.frames[index].is_called {
                let kept = procedure.parameters.iter().chain(&self.program.globals);
                let copies = kept.map(|&v| (v, self.out.terms.new_symbol(self.sort(v))));
                self.frames[index].copies = copies.collect();
            }
        }
    }

    /// The predicate of a place.
    fn predicate(&mut self, procedure: ProcedureId, place: PlaceId) -> usize {
        if let Some(&known) = self.predicates.get(&(procedure, place)) {
            return known;
        }
        let frame = &self.frames[procedure.index()];
        let copies = frame.copies.iter().map(|copy| copy.0);
        let arguments = copies.chain(frame.live[place.index()].iter().copied());
        let sorts = arguments.map(|v| self.sort(v)).collect();
        let predicate = self.out.predicates.len();
        let span = self.program.procedure(procedure).places[place.index()].span;
        let name = format!("P{predicate}").into();
        self.out.predicates.push(Predicate { name, sorts, span });
        self.predicates.insert((procedure, place), predicate);
        predicate
    }

    /// The predicate of a place over the values at the entry and the current ones.
    fn atom(
        &mut self,
        procedure: ProcedureId,
        place: PlaceId,
        copy: impl Fn(VariableId, TermId) -> TermId,
        mut value: impl FnMut(&mut Clauses, VariableId) -> TermId,
    ) -> Atom {
        let predicate = self.predicate(procedure, place);
        let frame = &self.frames[procedure.index()];
        let mut args: Vec<TermId> = frame.copies.iter().map(|&(v, c)| copy(v, c)).collect();
        for &variable in &frame.live[place.index()] {
            args.push(value(&mut self.out, variable));
        }
        Atom { predicate, args }
    }

    /// What holds where an edge begins: nothing where runs start with anything.
    fn source(&mut self, procedure: ProcedureId, place: PlaceId) -> Vec<Atom> {
        let program = self.program;
        let Frame { is_called, has_error, .. } = self.frames[procedure.index()];
        let is_entry = place == program.procedure(procedure).entry;
        if is_entry && !(is_called && has_error) {
            return Vec::new();
        }
        vec![self.atom(procedure, place, |_, copy| copy, |_, v| program.term_of(v))]
    }

    fn procedure(&mut self, id: ProcedureId) {
        let program = self.program;
        let procedure = program.procedure(id);
        let Frame { is_called, has_error, exit, .. } = self.frames[id.index()];
        if id == program.entry && is_called && has_error {
            let at_entry = |v: VariableId| program.term_of(v);
            let atom = self.atom(id, procedure.entry, |v, _| at_entry(v), |_, v| at_entry(v));
            self.clause(Vec::new(), Vec::new(), Some(atom), procedure.span, "");
        }
        for edge in &procedure.edges {
            let is_step = matches!(edge.action, Action::Step(_));
            let is_over = edge.to == procedure.exit && (!is_called || exit != procedure.exit);
            let is_passed = self.frames[id.index()].passed.contains_key(&edge.from);
            if is_passed || (is_step && is_over) {
                continue;
            }
            self.edge(id, edge);
        }
    }

    /// The clauses of an edge, and of those that follow where it is a call.
    fn edge(&mut self, id: ProcedureId, first: &Edge) {
        let program = self.program;
        let procedure = program.procedure(id);
        let mut body = self.source(id, first.from);
        // Without a predicate for the entry, the values there are those that it began with.
        let at_entry = body.is_empty();
        let keep = |v: VariableId, copy: TermId| if at_entry { program.term_of(v) } else { copy };
        let (mut constraint, mut edge) = (Vec::new(), first);
        let mut now = Values::default();
        loop {
            match &edge.action {
                Action::Step(step) => {
                    if let Some(guard) = step.guard {
                        let guard = self.image(&now, guard);
                        constraint = conjuncts(&mut self.out.terms, guard);
                    }
                    let updates = step.updates.iter();
                    let updates: Vec<(VariableId, TermId)> =
                        updates.map(|&(v, value)| (v, self.image(&now, value))).collect();
                    now.extend(updates);
                }
                Action::Call(call) => {
                    let given = self.given(call, &now);
                    if self.frames[call.callee.index()].has_error {
                        let entry = self.entered(call, &given);
                        self.clause(body.clone(), Vec::new(), Some(entry), edge.span, &edge.text);
                    }
                    body.push(self.summary(call, &given, &mut now));
                    if let Some(&next) = self.frames[id.index()].passed.get(&edge.to) {
                        edge = procedure.edge(next);
                        continue;
                    }
                }
            }
            break;
        }
        let is_exit = edge.to == procedure.exit && !self.frames[id.index()].is_called;
        let head = match ends(program).any(|end| end == PlaceRef { procedure: id, place: edge.to })
        {
            true => None,
            false if is_exit => return,
            false => {
                let value = |_: &mut Clauses, v: VariableId| value_of(program, &now, v);
                Some(self.atom(id, edge.to, keep, value))
            }
        };
        self.clause(body, constraint, head, edge.span, &edge.text);
    }

    /// The term after the changes so far.
    fn image(&mut self, now: &Values, term: TermId) -> TermId {
        if now.is_empty() {
            return term;
        }
        let mut rewriter = Rewriter::plain();
        for (&variable, &value) in now {
            rewriter.replace(self.program.term_of(variable), value);
        }
        rewriter.rewrite(&mut self.out.terms, term)
    }

    /// What a callee's parameters and the globals are when it is called.
    fn given(&mut self, call: &Call, now: &Values) -> Values {
        let program = self.program;
        let globals = program.globals.iter();
        let mut given: Values = globals.map(|&v| (v, value_of(program, now, v))).collect();
        let parameters = &program.procedure(call.callee).parameters;
        for (&parameter, &argument) in parameters.iter().zip(&call.arguments) {
            given.insert(parameter, self.image(now, argument));
        }
        given
    }

    /// The callee is entered.
    fn entered(&mut self, call: &Call, given: &Values) -> Atom {
        let program = self.program;
        let entry = program.procedure(call.callee).entry;
        let value = |out: &mut Clauses, v: VariableId| match given.get(&v) {
            Some(&value) => value,
            None => out.terms.new_symbol(program.terms.sort(program.term_of(v))),
        };
        self.atom(call.callee, entry, |v, _| given[&v], value)
    }

    /// The callee returns: its summary, and the changes that it makes.
    fn summary(&mut self, call: &Call, given: &Values, now: &mut Values) -> Atom {
        let program = self.program;
        let mut fresh = Values::default();
        let value = |out: &mut Clauses, v: VariableId| {
            let sort = program.terms.sort(program.term_of(v));
            *fresh.entry(v).or_insert_with(|| out.terms.new_symbol(sort))
        };
        let exit = self.frames[call.callee.index()].exit;
        let atom = self.atom(call.callee, exit, |v, _| given[&v], value);
        now.extend(program.globals.iter().map(|v| (*v, fresh[v])));
        let results = &program.procedure(call.callee).results;
        now.extend(call.results.iter().zip(results).map(|(&to, from)| (to, fresh[from])));
        atom
    }

    fn clause(
        &mut self,
        body: Vec<Atom>,
        constraint: Vec<TermId>,
        head: Option<Atom>,
        span: Span,
        text: &str,
    ) {
        self.out.clauses.push(Clause { body, constraint, head, span, text: text.into() });
    }
}

/// Values of variables.
type Values = FxHashMap<VariableId, TermId>;

/// The value of a variable after the changes so far.
fn value_of(program: &Program, now: &Values, variable: VariableId) -> TermId {
    now.get(&variable).copied().unwrap_or_else(|| program.term_of(variable))
}
