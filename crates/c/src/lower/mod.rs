//! A typed program to a program graph.
//!
//! One edge is one full expression, with all its side effects as one simultaneous update. It is
//! split only where control flow is inside: calls, and operators that evaluate an argument with
//! side effects under a condition. Operands are evaluated from left to right.
//!
//! # Memory
//! An object whose address is never a value is kept in variables of its own (see [`layout`]).
//! Others are kept the same way, but in globals, and have a fixed address; a pointer is a number,
//! the address. A dereference is a case split over the objects that the pointer may point to (see
//! [`points`]), with the check that it points to one of them.

mod access;
mod allocate;
mod branch;
mod build;
mod callee;
mod calls;
mod errors;
mod expr;
mod layout;
mod lifetime;
mod moves;
mod objects;
mod order;
mod pointer;
mod points;
mod sequence;
mod shape;
mod step;
mod stmt;
mod views;
mod wrappers;

use crate::Errors;
use crate::error::Fault;
use crate::source::{Source, Span};
use crate::token::Name;
use crate::tree::*;
use crate::types::{Type, Types};
use callee::{Callee, classify};
use errors::ErrorPlace;
use layout::{leaves, term_bits};
use pedra_model::term::{BinaryOp, TermId};
use pedra_program as graph;
use pedra_program::passes::undefined::add_limits;
use pedra_program::{PlaceId, Procedure, ProcedureId, Program, VariableId};
use points::{Points, points};
use rustc_hash::{FxHashMap, FxHashSet};
pub(crate) use shape::is_error;
use shape::{Calls, Shape, all_calls, call_of, jumps_back};

/// The program graph of a typed program. `file` names the text where no line marker does.
pub fn lower(tree: Tree, source: &Source, file: &str, errors: Errors) -> Result<Program, Fault> {
    let mut tree = tree;
    sequence::check(&tree)?;
    let hints = wrappers::copy(&mut tree);
    let calls = Calls::new(&tree);
    let allocations = allocate::allocations(&mut tree, &calls, &hints)?;
    let freeable = allocate::freeable(&tree, &allocations);
    let points = points(&tree, allocations)?;
    let mortal = lifetime::mortal(&tree, &points);
    let mut lowerer = Lowerer {
        tree: &tree,
        source,
        variable_room: objects::variable_room(&tree, &points),
        points,
        calls,
        program: Program::new(),
        file: file.to_owned(),
        files: FxHashMap::default(),
        variables: FxHashMap::default(),
        lengths: FxHashMap::default(),
        freeable,
        freed: FxHashMap::default(),
        taken: FxHashMap::default(),
        zeroed: Vec::new(),
        statics: Vec::new(),
        bases: FxHashMap::default(),
        next_base: objects::FIRST_ADDRESS,
        procedures: FxHashMap::default(),
        waiting: Vec::new(),
        behind: Vec::new(),
        is_behind: false,
        errors,
        called: None,
        read_only: FxHashSet::default(),
        mortal,
        ended: FxHashMap::default(),
        breaks: FxHashMap::default(),
        assertions: FxHashMap::default(),
        body: Body::new(FunctionId(0), Procedure::new("", graph::Span::default())),
    };
    lowerer.run()?;
    lowerer.are_alive();
    for (text, span) in lowerer.tree.assumptions.clone() {
        let span = lowerer.span(span);
        lowerer.program.assume(&text, span);
    }
    add_limits(&mut lowerer.program);
    Ok(lowerer.program)
}

type Lowered<T> = Result<T, Fault>;

/// The step that is being built: its terms are over the variables before it.
#[derive(Default)]
struct Pending {
    step: graph::Step,
    /// The position of each updated variable.
    updated: FxHashMap<VariableId, usize>,
}

impl Pending {
    fn is_empty(&self) -> bool {
        let step = &self.step;
        step.updates.is_empty()
            && step.inputs.is_empty()
            && step.checks.is_empty()
            && step.guard.is_none()
    }
}

/// The function that is being lowered.
struct Body {
    function: FunctionId,
    procedure: Procedure,
    /// Where the next edge begins; none where control does not get to.
    at: Option<PlaceId>,
    pending: Pending,
    labels: FxHashMap<Name, PlaceId>,
    /// The labels that were passed, with their statements: a jump to them goes back.
    passed_labels: FxHashMap<Name, Span>,
    /// All labels of the function.
    known_labels: FxHashSet<Name>,
    /// The places that edges lead to.
    entered: FxHashSet<PlaceId>,
    /// Targets of `break` and `continue`.
    breaks: Vec<PlaceId>,
    continues: Vec<PlaceId>,
    /// The places of case labels.
    cases: FxHashMap<StmtId, PlaceId>,
    results: Vec<VariableId>,
    /// The places of the updates around, with their old values.
    old: Vec<(NodeId, Held)>,
    /// What holds where the expression is evaluated, beside the guard.
    path: Option<TermId>,
    errors: Vec<ErrorPlace>,
    /// All of it can run again before it returns.
    jumps_back: bool,
    /// How many loops are around.
    loops: usize,
}

impl Body {
    fn new(function: FunctionId, procedure: Procedure) -> Body {
        Body {
            function,
            at: Some(procedure.entry),
            procedure,
            pending: Pending::default(),
            labels: FxHashMap::default(),
            passed_labels: FxHashMap::default(),
            known_labels: FxHashSet::default(),
            entered: FxHashSet::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            cases: FxHashMap::default(),
            results: Vec::new(),
            old: Vec::new(),
            path: None,
            errors: Vec::new(),
            jumps_back: false,
            loops: 0,
        }
    }
}

/// A value that is needed later: as it is, or in a variable of its own if edges come between.
#[derive(Copy, Clone)]
enum Held {
    Term(TermId),
    Variable(VariableId),
}

struct Lowerer<'a> {
    tree: &'a Tree,
    source: &'a Source,
    points: Points,
    calls: Calls,
    program: Program,
    file: String,
    files: FxHashMap<Option<String>, u32>,
    /// The variables of each object, one for each leaf.
    variables: FxHashMap<ObjectId, Vec<VariableId>>,
    /// The addresses that are kept for each object of variable size.
    variable_room: u64,
    /// How many elements an object of variable size has.
    lengths: FxHashMap<ObjectId, VariableId>,
    /// The allocations that the program may give back.
    freeable: Vec<ObjectId>,
    /// Whether an allocation was given back.
    freed: FxHashMap<ObjectId, VariableId>,
    /// How many instances of a pool are in use.
    taken: FxHashMap<ObjectId, VariableId>,
    /// Variables of no object that are zero at the start.
    zeroed: Vec<VariableId>,
    /// Objects of static storage in the order of their first use.
    statics: Vec<ObjectId>,
    bases: FxHashMap<ObjectId, u64>,
    next_base: u64,
    procedures: FxHashMap<FunctionId, ProcedureId>,
    /// Functions that are called and not lowered yet.
    waiting: Vec<FunctionId>,
    /// Error functions, and functions that assert: a run comes to them only where it goes on after
    /// an error.
    behind: Vec<FunctionId>,
    /// Only such functions, and those that only they call, are left: an error in them is not the
    /// first one.
    is_behind: bool,
    errors: Errors,
    /// Whether an error function was called before.
    called: Option<VariableId>,
    /// The variables of string literals.
    read_only: FxHashSet<VariableId>,
    /// Variables of blocks whose addresses may be left behind, and whether their block has ended.
    mortal: FxHashSet<ObjectId>,
    ended: FxHashMap<ObjectId, VariableId>,
    /// Whether an expression splits an edge.
    breaks: FxHashMap<NodeId, bool>,
    /// Assertions as they were written, by what a header made of them.
    assertions: FxHashMap<Span, Box<str>>,
    body: Body,
}

impl<'a> Lowerer<'a> {
    fn run(&mut self) -> Lowered<()> {
        let Some(&entry) = self.tree.reached.first() else { return Ok(()) };
        self.note_calls_of_errors();
        self.program.entry = self.procedure(entry);
        self.span(Span::default());
        let start = self.lower_function(entry, true)?;
        let mut entry_body = std::mem::replace(
            &mut self.body,
            Body::new(entry, Procedure::new("", graph::Span::default())),
        );
        let mut bodies = Vec::new();
        while let Some(function) = self.next_function() {
            if function != entry {
                self.lower_function(function, false)?;
                let next = Body::new(entry, Procedure::new("", graph::Span::default()));
                bodies.push(std::mem::replace(&mut self.body, next));
            }
        }
        std::mem::swap(&mut self.body, &mut entry_body);
        self.initial_values(start)?;
        bodies.push(std::mem::replace(&mut self.body, entry_body));
        self.finish(bodies);
        Ok(())
    }

    /// Puts the procedures in their places and gives properties to the error places.
    fn finish(&mut self, mut bodies: Vec<Body>) {
        bodies.sort_by_key(|body| self.procedures[&body.function]);
        for (index, body) in bodies.into_iter().enumerate() {
            for ErrorPlace { place, text, span, calls } in body.errors {
                let procedure = ProcedureId::new(index);
                let error = graph::PlaceRef { procedure, place };
                let kind = graph::PropertyKind::Assertion;
                self.program.properties.push(graph::Property { error, kind, text, span, calls });
            }
            self.program.procedures.push(body.procedure);
        }
        self.program.properties.sort_by_key(|property| property.span);
    }

    /// The number of a function's procedure.
    fn procedure(&mut self, function: FunctionId) -> ProcedureId {
        if let Some(&id) = self.procedures.get(&function) {
            return id;
        }
        let id = ProcedureId::new(self.procedures.len());
        self.procedures.insert(function, id);
        match classify(self.tree, function) {
            Callee::Error | Callee::Assert => self.behind.push(function),
            _ => self.waiting.push(function),
        }
        id
    }

    /// A function that is called and not lowered yet; those that come behind errors last.
    fn next_function(&mut self) -> Option<FunctionId> {
        self.waiting.pop().or_else(|| {
            self.is_behind = self.called.is_some();
            self.behind.pop()
        })
    }

    /// Lowers a function into `self.body`. The entry keeps a place between its entry and its first
    /// statement, for the initial values.
    fn lower_function(&mut self, id: FunctionId, is_entry: bool) -> Lowered<PlaceId> {
        let tree = self.tree;
        let function = tree.function(id);
        let span = self.span(function.span);
        self.body = Body::new(id, Procedure::new(&function.name, span));
        let Some(code) = function.body else {
            let message = format!("the function `{}` without a body", function.name);
            return Err(Fault::unsupported(function.span, message));
        };
        self.body.jumps_back = jumps_back(tree, code);
        self.body.known_labels = shape::labels(tree, code)?;
        if !matches!(tree.types.get(function.result), Type::Void) {
            let parts = leaves(&tree.types, &tree.names, function.result, function.span)?;
            for leaf in parts {
                let name = tree.types.name(leaf.ty);
                let is_signed = tree.types.is_signed(leaf.ty);
                let sort = leaf.sort();
                let result = self.program.add_variable(sort, None, &name, is_signed, span);
                self.body.procedure.variables.push(result);
                self.body.procedure.results.push(result);
                self.body.results.push(result);
            }
        }
        let start = match is_entry {
            true => self.body.procedure.add_place(span),
            false => self.body.procedure.entry,
        };
        self.body.at = Some(start);
        for &param in &function.params {
            self.lower_param(param)?;
        }
        if is_entry && function.name == "main" {
            self.count_of_arguments(function.params.first().copied())?;
        }
        self.flush(function.span, "");
        self.stmt(code)?;
        // Falling off the end: the result, if there should be one, is arbitrary, but that of main
        // is 0 (C11 5.1.2.2.3).
        if let [result] = self.body.results[..]
            && function.name == "main"
        {
            let zero = self.zero(result);
            self.set(result, zero);
        }
        let exit = self.body.procedure.exit;
        self.flush_to(exit, function.span, "");
        Ok(start)
    }

    /// The first parameter of `main` is not negative (C11 5.1.2.2.1), if only the system calls it.
    fn count_of_arguments(&mut self, param: Option<ObjectId>) -> Lowered<()> {
        let Some(param) = param else { return Ok(()) };
        let is_signed = self.types().is_signed(self.tree.object(param).ty);
        if !is_signed || call_of(self.tree, self.body.function).is_some() {
            return Ok(());
        }
        for variable in self.object_variables(param)? {
            let (value, zero) = (self.get(variable), self.zero(variable));
            let condition = build::binary(&mut self.program.terms, BinaryOp::Sgte, value, zero);
            self.assume(condition);
        }
        Ok(())
    }

    /// A parameter is a variable of the procedure; one with an address is copied to its object.
    fn lower_param(&mut self, param: ObjectId) -> Lowered<()> {
        let is_addressed = self.points.addressed.contains(&param);
        let object = self.tree.object(param);
        for variable in self.object_variables(param)? {
            if !is_addressed {
                self.body.procedure.parameters.push(variable);
                continue;
            }
            let sort = self.program.terms.sort(self.program.term_of(variable));
            let shown = self.program.variable(variable).clone();
            let copy = self.program.add_variable(
                sort,
                None,
                &shown.source_type,
                shown.is_signed,
                shown.span,
            );
            self.body.procedure.variables.push(copy);
            self.body.procedure.parameters.push(copy);
            let value = self.program.term_of(copy);
            self.set(variable, value);
        }
        self.lifetime(param, object.span)
    }

    /// Refuses a local variable with an address in a recursive function: there can be several of
    /// it, and we keep one.
    fn lifetime(&self, object: ObjectId, span: Span) -> Lowered<()> {
        let is_recursive = self.calls.recursive.contains(&self.body.function);
        match is_recursive && self.points.addressed.contains(&object) {
            true => Err(Fault::unsupported(
                span,
                "the address of a local variable of a recursive function",
            )),
            false => Ok(()),
        }
    }

    /// The first edges: all objects of static storage get their initial values.
    fn initial_values(&mut self, start: PlaceId) -> Lowered<()> {
        self.body.at = Some(self.body.procedure.entry);
        let mut done = 0;
        while let Some(&object) = self.statics.get(done) {
            done += 1;
            self.initialise(object)?;
        }
        self.set_outside_lengths();
        for variable in std::mem::take(&mut self.zeroed) {
            let zero = self.zero(variable);
            self.set(variable, zero);
        }
        let entry = self.body.function;
        let span = self.tree.function(entry).span;
        if self.body.pending.is_empty() {
            let from = self.body.procedure.entry;
            self.add_step(from, start, graph::Step::default(), span, "");
        } else if let Some(call) = call_of(self.tree, entry) {
            let what = "a call of the function where the program starts, with static variables,";
            return Err(Fault::unsupported(self.tree.node(call).span, what));
        } else {
            self.flush_to(start, span, "");
        }
        Ok(())
    }

    /// Gives an object its initial value in the pending step.
    fn initialise(&mut self, id: ObjectId) -> Lowered<()> {
        let object = self.tree.object(id);
        if object.initial.is_zeroed {
            for variable in self.object_variables(id)? {
                let zero = self.zero(variable);
                self.set(variable, zero);
            }
        }
        let values: Vec<NodeId> = object.initial.stores.iter().map(|&(_, value)| value).collect();
        if let (Some(&first), Some(&last)) = (values.first(), values.last()) {
            self.in_order(&values, self.tree.node(first).span.to(self.tree.node(last).span));
        }
        let read_only = std::mem::take(&mut self.read_only);
        for &(place, value) in &object.initial.stores {
            self.assign(place, value)?;
        }
        self.read_only.extend(read_only);
        Ok(())
    }

    /// A place in the source.
    fn span(&mut self, span: Span) -> graph::Span {
        let location = self.source.location(span.start);
        let next = self.files.len() as u32;
        let file = *self.files.entry(location.file.clone()).or_insert_with(|| {
            let name = location.file.unwrap_or_else(|| self.file.clone());
            self.program.files.push(name);
            next
        });
        graph::Span { file, line: location.line as u32, column: location.column as u32 }
    }

    /// The source of a span on one line; an assertion that a header turned into other statements is
    /// as it was written.
    fn text(&self, span: Span) -> String {
        match self.assertions.get(&span) {
            Some(text) => text.to_string(),
            None => self.source.words(span),
        }
    }

    fn types(&self) -> &'a Types {
        &self.tree.types
    }

    /// The width of a scalar.
    fn bits(&self, node: NodeId) -> u32 {
        term_bits(self.types(), self.tree.node(node).ty).unwrap_or(1)
    }

    /// The width of a pointer.
    fn pointer_bits(&self) -> u32 {
        8 * self.types().model.pointer_bytes() as u32
    }

    /// All expressions of a function.
    fn is_looping(&self) -> bool {
        self.body.loops > 0 || self.body.jumps_back
    }
}

/// What calls of a function stand for, if its body is only a shorthand.
fn shape_of(tree: &Tree, id: FunctionId) -> Option<Shape> {
    shape::shape(tree, id)
}
