//! Clauses as a program.
//!
//! A predicate becomes a place, with a variable for each of its arguments; only these mean
//! something there. A clause `P(t) ∧ φ → Q(s)` becomes an edge from P's place to Q's that updates
//! Q's variables, a clause without a predicate in its body one from the entry, and a query one to
//! an error place of its own. So a run that reaches an error place is a derivation of *false*, and
//! an invariant of the places is an interpretation of the predicates.
//!
//! A clause with more predicates, `P(t) ∧ R(u) ∧ φ → Q(s)`, still has one *source*, P. The others
//! are called: R is a procedure without parameters that returns some tuple of R. Its graph is that
//! of the clauses from which R follows through sources, and leads from R's place to its exit. Which
//! predicate is the source is a heuristic (`plan`); a derivation is a tree in any case.
//!
//! SMT-LIB leaves division by zero open. The terms of the model fix it, which decides
//! satisfiability in one direction: if the clauses are satisfiable with that value, they are
//! satisfiable. For the other direction each division by something that may be zero has a check, so
//! that a derivation that rests on it counts for nothing.

mod plan;
mod step;

use crate::clauses::{Atom, Clause, Clauses};
use pedra_formats::error::FormatError;
use pedra_program::{
    Action, Call, Edge, Loop, PlaceId, PlaceRef, Procedure, ProcedureId, Program, Property,
    PropertyKind, Span, VariableId,
};
use plan::Plan;
use rustc_hash::FxHashMap;

/// The largest number of edges: clauses are copied into each procedure that needs them.
const MAX_EDGES: usize = 1_000_000;

/// Makes a program of clauses; `name` is that of their file. Its properties are the queries, in
/// order.
///
/// # Errors
/// If it becomes too large.
pub fn lower(clauses: &Clauses, name: &str) -> Result<Program, FormatError> {
    lower_with_places(clauses, name).map(|(program, _)| program)
}

/// The place of a predicate in the program's entry procedure, and the variables of its arguments.
pub type PredicatePlace = (PlaceId, Vec<VariableId>);

/// The same, with the place of each predicate; those from which no query follows through sources
/// have none.
///
/// # Errors
/// If it becomes too large.
pub fn lower_with_places(
    clauses: &Clauses,
    name: &str,
) -> Result<(Program, Vec<Option<PredicatePlace>>), FormatError> {
    let mut program = Program::new();
    program.terms = clauses.terms.clone();
    program.files.push(name.to_owned());
    let plan = Plan::new(clauses);
    let mut lowering =
        Lowering { clauses, plan, program, callees: FxHashMap::default(), waiting: Vec::new() };
    lowering.program.entry = ProcedureId::new(0);
    lowering.program.procedures.push(Procedure::new("main", Span::default()));
    let places = lowering.build(ProcedureId::new(0), None)?;
    let places = (0..clauses.predicates.len()).map(|predicate| places.get(&predicate).cloned());
    let places = places.collect();
    while let Some((procedure, predicate)) = lowering.waiting.pop() {
        lowering.build(procedure, Some(predicate))?;
    }
    debug_assert_eq!(lowering.program.check(), Ok(()));
    Ok((lowering.program, places))
}

struct Lowering<'c> {
    clauses: &'c Clauses,
    plan: Plan,
    program: Program,
    /// The procedure of each predicate that is called.
    callees: FxHashMap<usize, ProcedureId>,
    /// Procedures without a body yet.
    waiting: Vec<(ProcedureId, usize)>,
}

/// The predicates of one procedure.
struct Scope {
    procedure: Procedure,
    /// Place and variables of each predicate that has a place here.
    places: FxHashMap<usize, PredicatePlace>,
    /// Variables for what a call returns: by predicate, and how often a clause called it before.
    results: FxHashMap<(usize, usize), Vec<VariableId>>,
}

impl Lowering<'_> {
    /// Fills a procedure: that of a predicate, or the one with all queries. Gives the places of
    /// predicates.
    fn build(
        &mut self,
        id: ProcedureId,
        predicate: Option<usize>,
    ) -> Result<FxHashMap<usize, PredicatePlace>, FormatError> {
        let procedure = self.program.procedure(id).clone();
        let (places, results) = (FxHashMap::default(), FxHashMap::default());
        let mut scope = Scope { procedure, places, results };
        let clauses = self.plan.slice(self.clauses, predicate);
        if let Some(predicate) = predicate {
            let (place, variables) = self.place(&mut scope, predicate);
            let exit = scope.procedure.exit;
            scope.procedure.results = variables;
            let span = self.clauses.predicates[predicate].span;
            let action = Action::Step(pedra_program::Step::default());
            scope.procedure.add_edge(Edge { from: place, to: exit, action, span, text: "".into() });
        }
        for index in clauses {
            self.clause(id, &mut scope, index)?;
        }
        self.program.procedures[id.index()] = scope.procedure;
        Ok(scope.places)
    }

    /// The place of a predicate, and its variables.
    fn place(&mut self, scope: &mut Scope, predicate: usize) -> PredicatePlace {
        if let Some(known) = scope.places.get(&predicate) {
            return known.clone();
        }
        let span = self.clauses.predicates[predicate].span;
        let place = scope.procedure.add_place(span);
        if self.plan.is_recursive(predicate) {
            let text = self.clauses.predicates[predicate].name.clone();
            scope.procedure.places[place.index()].head_of = Some(Loop { span, text });
        }
        let variables = self.variables(scope, predicate, "");
        scope.places.insert(predicate, (place, variables.clone()));
        (place, variables)
    }

    /// New variables for the arguments of a predicate, with something behind their names.
    fn variables(&mut self, scope: &mut Scope, predicate: usize, mark: &str) -> Vec<VariableId> {
        let predicate = &self.clauses.predicates[predicate];
        let mut variables = Vec::with_capacity(predicate.sorts.len());
        for (index, &sort) in predicate.sorts.iter().enumerate() {
            let name = format!("{}.{index}{mark}", predicate.name);
            let source_type = crate::write::sort(sort);
            let is_signed = sort.has_integers();
            let span = predicate.span;
            let variable =
                self.program.add_variable(sort, Some(&name), &source_type, is_signed, span);
            variables.push(variable);
        }
        scope.procedure.variables.extend(&variables);
        variables
    }

    /// The edges of a clause.
    fn clause(
        &mut self,
        id: ProcedureId,
        scope: &mut Scope,
        index: usize,
    ) -> Result<(), FormatError> {
        let clauses = self.clauses;
        let clause = &clauses.clauses[index];
        let span = clause.span;
        let source = self.plan.source(index);
        let mut bound: Vec<(&Atom, Vec<VariableId>)> = Vec::new();
        let mut from = scope.procedure.entry;
        if let Some(source) = source {
            let atom = &clause.body[source];
            let (place, variables) = self.place(scope, atom.predicate);
            bound.push((atom, variables));
            from = place;
        }
        let called = clause.body.iter().enumerate().filter(|(at, _)| Some(*at) != source);
        let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
        for (_, atom) in called {
            let count = counts.entry(atom.predicate).or_default();
            let results = self.results(scope, atom.predicate, *count);
            *count += 1;
            let callee = self.callee(atom.predicate);
            let to = scope.procedure.add_place(span);
            let action =
                Action::Call(Call { callee, arguments: Vec::new(), results: results.clone() });
            scope.procedure.add_edge(Edge { from, to, action, span, text: "".into() });
            bound.push((atom, results));
            from = to;
        }
        let (to, head) = match &clause.head {
            Some(atom) => {
                let (place, variables) = self.place(scope, atom.predicate);
                (place, Some((atom, variables)))
            }
            None => (self.error_place(id, scope, clause), None),
        };
        let step = step::step(&mut self.program, clause, &bound, head);
        let action = Action::Step(step);
        scope.procedure.add_edge(Edge { from, to, action, span, text: clause.text.clone() });
        let done: usize = self.program.procedures.iter().map(|p| p.edges.len()).sum();
        if done + scope.procedure.edges.len() > MAX_EDGES {
            let text = format!("the clauses become more than {MAX_EDGES} edges of a program");
            return Err(FormatError::at(span.line as usize, span.column as usize, text));
        }
        Ok(())
    }

    fn results(&mut self, scope: &mut Scope, predicate: usize, count: usize) -> Vec<VariableId> {
        if let Some(known) = scope.results.get(&(predicate, count)) {
            return known.clone();
        }
        // Not the names of its own place, which may be in the same procedure.
        let variables = self.variables(scope, predicate, &format!("#{}", count + 1));
        scope.results.insert((predicate, count), variables.clone());
        variables
    }

    /// The procedure that returns a tuple of a predicate.
    fn callee(&mut self, predicate: usize) -> ProcedureId {
        if let Some(&callee) = self.callees.get(&predicate) {
            return callee;
        }
        let callee = ProcedureId::new(self.program.procedures.len());
        let named = &self.clauses.predicates[predicate];
        self.program.procedures.push(Procedure::new(&named.name, named.span));
        self.callees.insert(predicate, callee);
        self.waiting.push((callee, predicate));
        callee
    }

    fn error_place(&mut self, id: ProcedureId, scope: &mut Scope, clause: &Clause) -> PlaceId {
        let place = scope.procedure.add_place(clause.span);
        self.program.properties.push(Property {
            error: PlaceRef { procedure: id, place },
            kind: PropertyKind::Assertion,
            text: clause.text.clone(),
            span: clause.span,
            calls: None,
        });
        place
    }
}
