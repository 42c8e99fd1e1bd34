//! The program graph.
//!
//! # Meaning
//! A state is a place of a procedure, a value for each variable in scope, and a stack of calls
//! that have not returned. A run starts at the entry of [`Program::entry`] with arbitrary values
//! of all variables (front ends write initial values as updates of the first edges) and takes one
//! edge after the other:
//!
//! - [`Action::Step`]: fresh values are chosen for the step's inputs. If the guard holds, the edge
//!   may be taken, and all updates happen at once, each evaluated over the values before.
//! - [`Action::Call`]: the callee's parameters get the values of the arguments, its other variables
//!   arbitrary ones, and it runs from its entry. When it reaches its exit, the caller's results get
//!   the values of the callee's results, and the caller goes on at the edge's target. The caller's
//!   own variables are unchanged meanwhile, also in recursion; globals are shared by all.
//!
//! Several edges of a place may be enabled at once: one of them is taken. A place without an
//! enabled edge ends the run; that is no error. A property is violated by a run that reaches its
//! error place.
//!
//! # Undefined behaviour
//! Arithmetic in steps wraps around, division by zero has the value of SMT-LIB, and so on: a step
//! always has a result. Where the source language leaves the result undefined, the step carries a
//! [`Check`]. A run that takes a step while one of its checks does not hold has undefined behaviour
//! from there on. So a proof over all runs is a proof over all defined ones, and a violation
//! counts only if no check failed on the way.
//!
//! # Limits
//! Where a run goes on beyond what the graph can express, such as an allocation more than there is
//! room for, it comes to a place of [`Program::limits`] by a step whose check fails. What the
//! source program does from there on is not known, so such a run counts as one to *every* error
//! place: no property is proved unless no run comes to a limit, and none is violated by one.

use crate::summaries::{Return, Summary};
pub use pedra_model::program::{EdgeId, EdgeRef, PlaceId, PlaceRef, ProcedureId, VariableId};
use pedra_model::term::{Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// A position in the source, as the user wrote it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// An index into [`Program::files`].
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// A variable of the source, or one that a front end added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its symbol: the current value.
    pub term: TermId,
    /// Its name in the source; `None` for what the source does not show.
    pub name: Option<Box<str>>,
    /// Its type as the source writes it.
    pub source_type: Box<str>,
    /// Whether its value is shown as a signed number.
    pub is_signed: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A control location.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The statement that comes next.
    pub span: Span,
    /// The loop whose head this is.
    pub head_of: Option<Loop>,
}

/// A loop of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Its keyword, where invariants are shown.
    pub span: Span,
    /// Its head as the source writes it, for example `while (x < n)`.
    pub text: Box<str>,
}

/// A statement, or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it begins.
    pub from: PlaceId,
    /// Where it ends.
    pub to: PlaceId,
    /// What it does.
    pub action: Action,
    /// Where it stands.
    pub span: Span,
    /// The statement as the source writes it, on one line; empty for what is not shown in traces.
    pub text: Box<str>,
}

/// What an edge does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Guard and updates.
    Step(Step),
    /// A procedure call.
    Call(Call),
}

/// A guarded, simultaneous assignment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// Symbols that get a fresh, arbitrary value each time. No other edge mentions them.
    pub inputs: Vec<Input>,
    /// The edge is enabled if this one-bit term holds; always if absent.
    pub guard: Option<TermId>,
    /// New values over the variables before the step and the inputs; each variable at most once.
    pub updates: Vec<(VariableId, TermId)>,
    /// What must hold, over the variables before the step and the inputs, for the step to be
    /// defined.
    pub checks: Vec<Check>,
    /// For a call of a procedure that was not inlined: which one is to return so. Front ends never
    /// make one.
    pub returns: Option<Return>,
}

/// A fresh value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Its symbol.
    pub term: TermId,
    /// What it stands for.
    pub kind: InputKind,
}

/// What a fresh value stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// A value from outside that the source asks for, such as `__VERIFIER_nondet_int`; the name
    /// of the function.
    Asked(Box<str>),
    /// Whether a pointer from outside is not null; the name of the function that returns it.
    AskedPointer(Box<str>),
    /// The value of a variable that was not initialised, or was forgotten (`havoc`).
    Arbitrary(VariableId),
    /// A choice that the front end made explicit.
    Choice,
}

/// A condition without which a step is undefined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// The one-bit term that must hold.
    pub holds: TermId,
    /// What is wrong otherwise.
    pub kind: CheckKind,
    /// The operation as the source writes it.
    pub text: Box<str>,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of undefined behaviour.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CheckKind {
    /// Signed arithmetic leaves its type.
    Overflow,
    /// Division or remainder by zero.
    Division,
    /// The distance of a shift is negative or not less than the width, or a negative or too large
    /// value is shifted to the left.
    Shift,
    /// An array is accessed beyond its bounds.
    Bounds,
    /// A pointer that points nowhere is used.
    Pointer,
    /// The program is defined, but goes beyond a limit of the graph ([`Program::limits`]).
    Limit,
}

impl CheckKind {
    /// All kinds that can be properties.
    pub const ALL: [CheckKind; 5] = [
        CheckKind::Overflow,
        CheckKind::Division,
        CheckKind::Shift,
        CheckKind::Bounds,
        CheckKind::Pointer,
    ];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            CheckKind::Overflow => "overflow",
            CheckKind::Division => "division",
            CheckKind::Shift => "shift",
            CheckKind::Bounds => "bounds",
            CheckKind::Pointer => "pointer",
            CheckKind::Limit => "limit",
        }
    }
}

impl fmt::Display for CheckKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CheckKind::Overflow => "signed overflow",
            CheckKind::Division => "division by zero",
            CheckKind::Shift => "shift out of range",
            CheckKind::Bounds => "array index out of bounds",
            CheckKind::Pointer => "invalid pointer",
            CheckKind::Limit => "allocations or types that are not followed",
        })
    }
}

/// A procedure call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The procedure that is called.
    pub callee: ProcedureId,
    /// The values of its parameters, over the caller's variables.
    pub arguments: Vec<TermId>,
    /// The variables that get its results; they differ from each other.
    pub results: Vec<VariableId>,
}

/// A procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Box<str>,
    /// Where it is defined.
    pub span: Span,
    /// Its parameters.
    pub parameters: Vec<VariableId>,
    /// What it returns: some of its variables.
    pub results: Vec<VariableId>,
    /// All its variables, parameters and results included; no globals.
    pub variables: Vec<VariableId>,
    /// Its places.
    pub places: Vec<Place>,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// Where it begins. No edge leads here.
    pub entry: PlaceId,
    /// Where it returns. No edge begins here.
    pub exit: PlaceId,
}

/// A safety property: the error place is never reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The place that must not be reached. No edge begins here, and it is not an exit.
    pub error: PlaceRef,
    /// What reaching it means.
    pub kind: PropertyKind,
    /// The assertion as the source writes it, on one line.
    pub text: Box<str>,
    /// Where it stands.
    pub span: Span,
    /// The error function whose call reaches the place, such as `reach_error`, where the source
    /// language has such functions.
    pub calls: Option<Box<str>>,
}

/// Kinds of properties.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PropertyKind {
    /// An assertion, or a call that must not be reached.
    Assertion,
    /// A step is undefined.
    Undefined(CheckKind),
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The store of all terms.
    pub terms: Terms,
    /// All variables.
    pub variables: Vec<Variable>,
    /// Those that all procedures share.
    pub globals: Vec<VariableId>,
    /// Those that the source declares and does not define; their first values are arbitrary.
    pub external: Vec<VariableId>,
    /// The procedures.
    pub procedures: Vec<Procedure>,
    /// Where runs start. Its parameters have arbitrary values.
    pub entry: ProcedureId,
    /// What is to be shown.
    pub properties: Vec<Property>,
    /// Where runs go beyond what the graph can express. No edge begins here, and all edges that
    /// end here have a check that fails.
    pub limits: Vec<PlaceRef>,
    /// What the front end took for granted about the source program.
    pub assumptions: Vec<Assumption>,
    /// The names of source files.
    pub files: Vec<String>,
    /// The procedures that were not inlined, in a program without calls.
    pub summaries: Vec<Summary>,
}

/// Something that the source program does not say, and that verdicts about it depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// In words.
    pub text: Box<str>,
    /// Where it is first needed.
    pub span: Span,
    /// Whether the language leaves it open: with the choice of another compiler the same program
    /// may have another answer.
    pub is_choice: bool,
}

/// Why a program is not well formed: a defect of the front end or pass that made it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("procedure {procedure}: {text}")]
pub struct ProgramError {
    /// Where.
    pub procedure: Box<str>,
    /// What.
    pub text: String,
}

impl Procedure {
    /// A procedure with an entry and an exit.
    pub fn new(name: &str, span: Span) -> Procedure {
        let place = Place { span, head_of: None };
        Procedure {
            name: name.into(),
            span,
            parameters: Vec::new(),
            results: Vec::new(),
            variables: Vec::new(),
            places: vec![place.clone(), place],
            edges: Vec::new(),
            entry: PlaceId::new(0),
            exit: PlaceId::new(1),
        }
    }

    /// A new place.
    pub fn add_place(&mut self, span: Span) -> PlaceId {
        self.places.push(Place { span, head_of: None });
        PlaceId::new(self.places.len() - 1)
    }

    /// A new edge.
    pub fn add_edge(&mut self, edge: Edge) -> EdgeId {
        self.edges.push(edge);
        EdgeId::new(self.edges.len() - 1)
    }

    /// The edge with this id.
    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge.index()]
    }

    /// For each place the edges that begin there, in order.
    pub fn outgoing(&self) -> Vec<Vec<EdgeId>> {
        let mut lists = vec![Vec::new(); self.places.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            lists[edge.from.index()].push(EdgeId::new(index));
        }
        lists
    }

    /// For each place the edges that end there, in order.
    pub fn incoming(&self) -> Vec<Vec<EdgeId>> {
        let mut lists = vec![Vec::new(); self.places.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            lists[edge.to.index()].push(EdgeId::new(index));
        }
        lists
    }
}

impl Program {
    /// A program without procedures; `entry` must be set.
    pub fn new() -> Program {
        Program {
            terms: Terms::new(),
            variables: Vec::new(),
            globals: Vec::new(),
            external: Vec::new(),
            procedures: Vec::new(),
            entry: ProcedureId::new(0),
            properties: Vec::new(),
            limits: Vec::new(),
            assumptions: Vec::new(),
            files: Vec::new(),
            summaries: Vec::new(),
        }
    }

    /// A new variable, for the caller to list among the globals or a procedure's variables.
    pub fn add_variable(
        &mut self,
        sort: Sort,
        name: Option<&str>,
        source_type: &str,
        is_signed: bool,
        span: Span,
    ) -> VariableId {
        let term = self.terms.new_symbol(sort);
        let name = name.map(Box::from);
        self.variables.push(Variable {
            term,
            name,
            source_type: source_type.into(),
            is_signed,
            span,
        });
        VariableId::new(self.variables.len() - 1)
    }

    /// The variable with this id.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.index()]
    }

    /// The symbol of a variable.
    pub fn term_of(&self, id: VariableId) -> TermId {
        self.variables[id.index()].term
    }

    /// The procedure with this id.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// The edge with this name.
    pub fn edge(&self, at: EdgeRef) -> &Edge {
        self.procedure(at.procedure).edge(at.edge)
    }

    /// Notes an assumption, once.
    pub fn assume(&mut self, text: &str, span: Span) {
        self.add_assumption(text, span, false);
    }

    /// The same, of something that the language leaves open.
    pub fn assume_choice(&mut self, text: &str, span: Span) {
        self.add_assumption(text, span, true);
    }

    fn add_assumption(&mut self, text: &str, span: Span, is_choice: bool) {
        if self.assumptions.iter().all(|known| *known.text != *text) {
            self.assumptions.push(Assumption { text: text.into(), span, is_choice });
        }
    }

    /// `file:line`, or `file:line:column`, of a span.
    pub fn location(&self, span: Span, with_column: bool) -> String {
        let file = self.files.get(span.file as usize).map_or("?", String::as_str);
        match with_column {
            true => format!("{file}:{}:{}", span.line, span.column),
            false => format!("{file}:{}", span.line),
        }
    }

    /// Whether the program is well formed: everything that the documentation of this module says
    /// of sorts, scopes and shapes.
    ///
    /// # Errors
    /// The first place where it is not.
    pub fn check(&self) -> Result<(), ProgramError> {
        let mut inputs = FxHashSet::default();
        let mut errors: FxHashMap<ProcedureId, Vec<PlaceId>> = FxHashMap::default();
        let ends = self.properties.iter().map(|p| p.error).chain(self.limits.iter().copied());
        for PlaceRef { procedure, place } in ends {
            errors.entry(procedure).or_default().push(place);
        }
        for (index, procedure) in self.procedures.iter().enumerate() {
            let checker = Checker::new(self, procedure);
            let mut own = errors.remove(&ProcedureId::new(index)).into_iter().flatten();
            let checked = checker
                .check(&mut inputs)
                .and_then(|()| own.try_for_each(|place| checker.check_error_place(place)));
            checked.map_err(|text| ProgramError { procedure: procedure.name.clone(), text })?;
        }
        let known = |id: ProcedureId| id.index() < self.procedures.len();
        let fails = |text: &str| ProgramError { procedure: "".into(), text: text.to_owned() };
        if !known(self.entry) {
            return Err(fails("there is no entry"));
        }
        let ends = self.properties.iter().map(|p| p.error).chain(self.limits.iter().copied());
        match ends.into_iter().all(|end| known(end.procedure)) {
            true => Ok(()),
            false => Err(fails("a property or a limit of no procedure")),
        }
    }
}

impl Default for Program {
    fn default() -> Program {
        Program::new()
    }
}

/// Checks one procedure.
struct Checker<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    scope: FxHashSet<TermId>,
    variables: FxHashSet<VariableId>,
    /// The places from which edges lead.
    sources: FxHashSet<PlaceId>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, procedure: &'a Procedure) -> Checker<'a> {
        let variables = procedure.variables.iter().chain(&program.globals).copied();
        let variables: FxHashSet<VariableId> = variables.collect();
        let scope = variables.iter().filter_map(|v| program.variables.get(v.index()));
        let scope = scope.map(|variable| variable.term).collect();
        let sources = procedure.edges.iter().map(|edge| edge.from).collect();
        Checker { program, procedure, scope, variables, sources }
    }

    fn check(&self, inputs: &mut FxHashSet<TermId>) -> Result<(), String> {
        let Procedure { variables, parameters, results, places, entry, exit, .. } = self.procedure;
        let own: FxHashSet<_> = variables.iter().collect();
        if !self.variables.iter().all(|v| v.index() < self.program.variables.len()) {
            return Err("a variable that does not exist".into());
        }
        if own.len() != variables.len()
            || !parameters.iter().chain(results).all(|v| own.contains(v))
        {
            return Err("variables, parameters and results do not fit".into());
        }
        if entry.index() >= places.len() || exit.index() >= places.len() || entry == exit {
            return Err("no entry or no exit".into());
        }
        for (index, edge) in self.procedure.edges.iter().enumerate() {
            let checked = self.check_edge(edge, inputs);
            checked.map_err(|text| format!("edge {index} ({}): {text}", edge.text))?;
        }
        Ok(())
    }

    fn check_edge(&self, edge: &Edge, inputs: &mut FxHashSet<TermId>) -> Result<(), String> {
        let Procedure { places, entry, exit, .. } = self.procedure;
        if edge.from.index() >= places.len() || edge.to.index() >= places.len() {
            return Err("a place that does not exist".into());
        }
        if edge.to == *entry || edge.from == *exit {
            return Err("it leads to the entry or from the exit".into());
        }
        match &edge.action {
            Action::Step(step) => self.check_step(step, inputs),
            Action::Call(call) => self.check_call(call),
        }
    }

    fn check_step(&self, step: &Step, inputs: &mut FxHashSet<TermId>) -> Result<(), String> {
        let terms = &self.program.terms;
        for input in &step.inputs {
            if terms.symbol_of(input.term).is_none() || !inputs.insert(input.term) {
                return Err("an input that is no symbol, or not its own".into());
            }
        }
        let before = step.returns.iter().flat_map(|returns| &returns.before).copied();
        let values = step.updates.iter().map(|(_, value)| *value).chain(before);
        let conditions = step.guard.into_iter().chain(step.checks.iter().map(|c| c.holds));
        let conditions: Vec<TermId> = conditions.collect();
        self.check_scope(values.chain(conditions.iter().copied()), &step.inputs)?;
        if conditions.iter().any(|&term| terms.sort(term) != Sort::BOOL) {
            return Err("a condition that is not one bit".into());
        }
        let mut updated = FxHashSet::default();
        for &(variable, value) in &step.updates {
            if !self.variables.contains(&variable) || !updated.insert(variable) {
                return Err("an update of a variable out of scope, or a second one".into());
            }
            if terms.sort(value) != terms.sort(self.program.term_of(variable)) {
                return Err(format!("an update of another sort: {}", terms.sort(value)));
            }
        }
        step.returns.as_ref().map_or(Ok(()), |returns| self.check_return(step, returns))
    }

    fn check_return(&self, step: &Step, returns: &Return) -> Result<(), String> {
        let Some(summary) = self.program.summaries.get(returns.summary) else {
            return Err("a summary that does not exist".into());
        };
        let terms = &self.program.terms;
        let is_input = |symbol: &TermId| step.inputs.iter().any(|input| input.term == *symbol);
        let has_sort = |(variable, value): (VariableId, TermId)| {
            terms.sort(self.program.term_of(variable)) == terms.sort(value)
        };
        let fits = returns.before.len() == summary.before.len()
            && returns.after.len() == summary.after.len()
            && returns.after.iter().all(is_input)
            && returns.values(summary).all(has_sort);
        if fits { Ok(()) } else { Err("a return that does not fit its summary".into()) }
    }

    fn check_call(&self, call: &Call) -> Result<(), String> {
        let Some(callee) = self.program.procedures.get(call.callee.index()) else {
            return Err("a callee that does not exist".into());
        };
        self.check_scope(call.arguments.iter().copied(), &[])?;
        let terms = &self.program.terms;
        let sort = |v: &VariableId| terms.sort(self.program.term_of(*v));
        let arguments = call.arguments.iter().map(|&a| terms.sort(a));
        let distinct: FxHashSet<_> = call.results.iter().collect();
        let fits = arguments.eq(callee.parameters.iter().map(sort))
            && call.results.iter().map(sort).eq(callee.results.iter().map(sort))
            && call.results.iter().all(|v| self.variables.contains(v))
            && distinct.len() == call.results.len();
        if fits { Ok(()) } else { Err(format!("a call that does not fit {}", callee.name)) }
    }

    /// Whether terms only speak of variables in scope and these inputs.
    fn check_scope(
        &self,
        roots: impl IntoIterator<Item = TermId>,
        inputs: &[Input],
    ) -> Result<(), String> {
        let terms = &self.program.terms;
        let mut stack: Vec<TermId> = roots.into_iter().collect();
        let mut seen = FxHashSet::default();
        let inputs: FxHashSet<TermId> = inputs.iter().map(|input| input.term).collect();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            stack.extend(terms.get(term).args());
            let is_known = || self.scope.contains(&term) || inputs.contains(&term);
            if terms.symbol_of(term).is_some() && !is_known() {
                return Err("a term with a symbol out of scope".into());
            }
        }
        Ok(())
    }

    fn check_error_place(&self, place: PlaceId) -> Result<(), String> {
        let exists = place.index() < self.procedure.places.len() && place != self.procedure.exit;
        match exists && !self.sources.contains(&place) {
            true => Ok(()),
            false => Err("an error place that is none, or from which edges lead".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::term::BinaryOp;

    /// `x := 0; while (*) x := x + 1; assert(x < 10)`.
    fn counter() -> Program {
        let mut program = Program::new();
        let span = Span::default();
        let x = program.add_variable(Sort::Bv(8), Some("x"), "unsigned char", false, span);
        let mut main = Procedure::new("main", span);
        main.variables.push(x);
        let (head, error) = (main.add_place(span), main.add_place(span));
        let terms = &mut program.terms;
        let value = program.variables[0].term;
        let zero = terms.constant(pedra_model::bv::Bv::zero(8));
        let ten = terms.constant(pedra_model::bv::Bv::from_u64(8, 10));
        let more = terms.unary(pedra_model::term::UnaryOp::Inc, value);
        let below = terms.binary(BinaryOp::Ult, value, ten);
        let above = terms.not(below);
        let edge = |from, to, guard, updates| {
            let step = Step { guard, updates, ..Step::default() };
            Edge { from, to, action: Action::Step(step), span, text: "".into() }
        };
        main.add_edge(edge(main.entry, head, None, vec![(x, zero)]));
        main.add_edge(edge(head, head, None, vec![(x, more)]));
        main.add_edge(edge(head, main.exit, Some(below), vec![]));
        main.add_edge(edge(head, error, Some(above), vec![]));
        let error = PlaceRef { procedure: ProcedureId::new(0), place: error };
        let kind = PropertyKind::Assertion;
        program.procedures.push(main);
        program.properties.push(Property { error, kind, text: "x < 10".into(), span, calls: None });
        program
    }

    #[test]
    fn what_is_well_formed_passes_and_what_is_not_is_named() {
        assert_eq!(counter().check(), Ok(()));
        type Break = fn(&mut Program);
        let breaks: [(Break, &str); 4] = [
            (|p| p.procedures[0].edges[1].to = PlaceId::new(0), "entry"),
            (|p| p.procedures[0].variables.clear(), "scope"),
            (|p| p.properties[0].error.place = PlaceId::new(2), "edges lead"),
            (|p| p.entry = ProcedureId::new(7), "no entry"),
        ];
        for (break_it, word) in breaks {
            let mut program = counter();
            break_it(&mut program);
            let text = program.check().expect_err("not well formed").to_string();
            assert!(text.contains(word), "{text}");
        }
    }
}
