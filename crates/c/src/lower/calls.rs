//! Calls: procedures, and functions that the front end knows.

use super::shape::{Calls, ENDS, ERRORS, Shape};
use super::{Held, Lowered, Lowerer, all_calls, build, shape_of};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::*;
use crate::types::{Ty, Type};
use pedra_model::term::{BinaryOp, Sort, TermId};
use pedra_program::{Action, Call, CheckKind, Edge, InputKind, VariableId};
use rustc_hash::FxHashMap;

/// Functions without effect on the program; what they return is arbitrary.
const IGNORED: &[&str] = &[
    "printf", "fprintf", "puts", "putchar", "fputs", "fputc", "fflush", "perror", "srand", "rand",
    "getchar", "fgetc", "fopen", "fclose", "feof", "ferror",
];

/// Functions whose argument is assumed to hold.
const ASSUMES: &[&str] = &["__VERIFIER_assume", "assume_abort_if_not"];

/// Functions whose argument must hold.
const ASSERTS: &[&str] = &["__VERIFIER_assert", "assert"];

/// Functions that allocate.
const ALLOCATES: &[&str] = &["malloc", "calloc", "alloca", "__builtin_alloca"];

/// Functions whose storage can be given back by `free`.
const FREEABLE: &[&str] = &["malloc", "calloc"];

/// What calling a function means.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Callee {
    /// The call is the error.
    Error,
    /// The run ends.
    End,
    Assert,
    Assume,
    /// A value from outside.
    Nondet,
    Allocate,
    /// Storage is given back.
    Free,
    Ignored,
    /// A procedure.
    Body,
    Unknown,
}

fn classify(tree: &Tree, id: FunctionId) -> Callee {
    let function = tree.function(id);
    let name = function.name.as_str();
    if ERRORS.contains(&name) {
        return Callee::Error;
    }
    if function.body.is_some() {
        return match shape_of(tree, id) {
            Some(Shape::Assert) => Callee::Assert,
            Some(Shape::Assume) => Callee::Assume,
            None => Callee::Body,
        };
    }
    let table = [
        (ENDS, Callee::End),
        (ASSERTS, Callee::Assert),
        (ASSUMES, Callee::Assume),
        (ALLOCATES, Callee::Allocate),
        (&["free"], Callee::Free),
        (IGNORED, Callee::Ignored),
    ];
    match table.iter().find(|(names, _)| names.contains(&name)) {
        Some((_, callee)) => *callee,
        None if name.starts_with("__VERIFIER_nondet_") => Callee::Nondet,
        None => Callee::Unknown,
    }
}

/// Whether a call makes edges.
pub fn splits(tree: &Tree, id: FunctionId) -> bool {
    !matches!(
        classify(tree, id),
        Callee::Nondet | Callee::Allocate | Callee::Free | Callee::Ignored | Callee::Assume
    )
}

/// An object for each allocation. Each must run at most once and have a known type and size.
pub fn allocations(tree: &mut Tree, calls: &Calls) -> Lowered<FxHashMap<NodeId, ObjectId>> {
    // The type is the one that the result is converted to.
    let mut converted: FxHashMap<NodeId, Ty> = FxHashMap::default();
    for node in &tree.nodes {
        if let Kind::Convert(inner) = node.kind
            && let Some(to) = tree.types.pointee(node.ty)
        {
            converted.insert(inner, to);
        }
    }
    let mut objects = FxHashMap::default();
    for (caller, call) in all_calls(tree) {
        let node = tree.node(call);
        let Kind::Call(callee, args) = &node.kind else { continue };
        if classify(tree, *callee) != Callee::Allocate {
            continue;
        }
        let span = node.span;
        if !calls.is_once(caller, span) {
            let what = "an allocation that may run more than once";
            return Err(Fault::unsupported(span, what));
        }
        let sizes: Option<Vec<u64>> = args.iter().map(|&arg| tree.constant(arg)).collect();
        let size = sizes.and_then(|sizes| sizes.iter().try_fold(1u64, |a, b| a.checked_mul(*b)));
        let is_zeroed = tree.function(*callee).name == "calloc";
        let to = converted.get(&call).copied();
        let to = to.filter(|&to| !matches!(tree.types.get(to), Type::Void | Type::Function { .. }));
        let Some(to) = to else {
            return Err(Fault::unsupported(span, "an allocation whose type is not known"));
        };
        let unit = tree.types.size(to).unwrap_or(0);
        let is_variable = size.is_none();
        if unit == 0 || size.is_some_and(|size| size % unit != 0) {
            let name = tree.types.name(to);
            let what = format!("an allocation for `{name}` of another size");
            return Err(Fault::unsupported(span, what));
        }
        let ty = match size.map(|size| size / unit) {
            Some(1) => Some(to),
            Some(count) => Some(tree.types.make(Type::Array(to, Some(count)))),
            None => tree.types.variable_array(to),
        };
        let Some(ty) = ty else {
            return Err(Fault::unsupported(span, "an allocation of this type"));
        };
        let extent = if is_variable { Extent::Allocated(unit) } else { Extent::Fixed };
        let id = ObjectId(tree.objects.len() as u32);
        let initial = Initial { is_zeroed, stores: Vec::new() };
        let name = String::new();
        tree.objects.push(Object { name, ty, owner: Some(caller), extent, initial, span });
        objects.insert(call, id);
    }
    Ok(objects)
}

/// The allocations that the program may give back, in order; none if it never does.
pub fn freeable(tree: &Tree, allocations: &FxHashMap<NodeId, ObjectId>) -> Vec<ObjectId> {
    let callee = |call: NodeId| match &tree.node(call).kind {
        Kind::Call(callee, _) => Some(*callee),
        _ => None,
    };
    let frees = |(_, call): (FunctionId, NodeId)| {
        callee(call).is_some_and(|callee| classify(tree, callee) == Callee::Free)
    };
    if !all_calls(tree).into_iter().any(frees) {
        return Vec::new();
    }
    let is_freeable = |call: NodeId| {
        callee(call).is_some_and(|id| FREEABLE.contains(&tree.function(id).name.as_str()))
    };
    let found = allocations.iter().filter(|(call, _)| is_freeable(**call));
    let mut found: Vec<ObjectId> = found.map(|(_, &object)| object).collect();
    found.sort_unstable_by_key(|object| object.0);
    found
}

impl Lowerer<'_> {
    /// `free`: of null, or of an allocation that has not been given back, from its start.
    fn free(&mut self, pointer: NodeId, span: Span) -> Lowered<()> {
        let pointer = self.eval(pointer)?;
        let terms = &mut self.program.terms;
        let null = build::constant(terms, terms.width(pointer), 0);
        let mut may = build::binary(terms, BinaryOp::Eq, pointer, null);
        for object in self.freeable.clone() {
            let base = self.base(object, span)?;
            let Some(freed) = self.freed(object) else { continue };
            let before = self.get(freed);
            let terms = &mut self.program.terms;
            let base = build::constant(terms, terms.width(pointer), base);
            let is_this = build::binary(terms, BinaryOp::Eq, pointer, base);
            let alive = terms.not(before);
            let alive = terms.and(is_this, alive);
            may = terms.or(may, alive);
            let after = terms.or(before, is_this);
            self.set(freed, after);
        }
        self.check(may, CheckKind::Pointer, span);
        Ok(())
    }

    /// A call whose value is not used.
    pub(super) fn call_effect(
        &mut self,
        id: NodeId,
        callee: FunctionId,
        args: &[NodeId],
    ) -> Lowered<()> {
        let span = self.tree.node(id).span;
        match classify(self.tree, callee) {
            Callee::Error => {
                self.flush(span, "");
                let error = self.place_at(span);
                let text = self.text(span);
                self.flush_to(error, span, &text);
                self.add_property(error, span);
                self.name_assertion(callee, args);
                Ok(())
            }
            Callee::End => {
                self.end_run();
                Ok(())
            }
            Callee::Assert => {
                let [condition] = args else { return Err(self.wrong_call(callee, span)) };
                let (error, after) = (self.place_at(span), self.place_at(span));
                self.branch(*condition, after, error, span)?;
                self.add_property(error, span);
                self.body.at = Some(after);
                Ok(())
            }
            Callee::Assume => {
                let [condition] = args else { return Err(self.wrong_call(callee, span)) };
                let condition = self.condition(*condition)?;
                self.assume(condition);
                Ok(())
            }
            Callee::Free => {
                let [pointer] = args else { return Err(self.wrong_call(callee, span)) };
                self.free(*pointer, span)
            }
            Callee::Ignored => {
                for &arg in args {
                    if self.has_effects(arg) {
                        self.effect(arg)?;
                    }
                }
                Ok(())
            }
            Callee::Nondet | Callee::Allocate => self.call_value(id, callee, args).map(drop),
            Callee::Body => self.call_body(callee, args, None, span).map(drop),
            Callee::Unknown => Err(self.unknown(callee, span)),
        }
    }

    /// A call for its value.
    pub(super) fn call_value(
        &mut self,
        id: NodeId,
        callee: FunctionId,
        args: &[NodeId],
    ) -> Lowered<TermId> {
        let bits = self.bits(id);
        let tree = self.tree;
        let function = tree.function(callee);
        let span = tree.node(id).span;
        match classify(tree, callee) {
            Callee::Nondet => {
                if !tree.types.is_scalar(function.result) {
                    let name = tree.types.name(function.result);
                    let what = format!("a value of type `{name}` from outside");
                    return Err(Fault::unsupported(span, what));
                }
                Ok(self.input(Sort::Bv(bits), InputKind::Asked(function.name.as_str().into())))
            }
            Callee::Allocate => {
                let Some(&object) = self.points.allocations.get(&id) else {
                    return Err(Fault::unsupported(span, "an allocation here"));
                };
                // It runs once, and variables start with arbitrary values.
                self.initialise(object)?;
                if let Some(freed) = self.freed(object) {
                    let alive = self.program.terms.bool(false);
                    self.set(freed, alive);
                }
                if let Extent::Allocated(unit) = tree.object(object).extent {
                    self.allocated_length(object, args, unit, span)?;
                }
                let base = self.base(object, span)?;
                Ok(build::constant(&mut self.program.terms, bits, base))
            }
            Callee::Body => {
                let results = self.call_body(callee, args, None, span)?;
                match results.as_slice() {
                    [only] => Ok(self.get(*only)),
                    _ => Err(Fault::new(span, format!("`{}` has no result", function.name))),
                }
            }
            Callee::Ignored => {
                self.call_effect(id, callee, args)?;
                Ok(self.input(Sort::Bv(bits), InputKind::Choice))
            }
            _ => {
                self.call_effect(id, callee, args)?;
                Ok(build::constant(&mut self.program.terms, bits, 0))
            }
        }
    }

    /// Notes how many elements an allocation has.
    fn allocated_length(
        &mut self,
        object: ObjectId,
        args: &[NodeId],
        unit: u64,
        span: Span,
    ) -> Lowered<()> {
        let mut bytes = build::constant(&mut self.program.terms, 64, 1);
        for &arg in args {
            let value = self.eval(arg)?;
            let is_signed = self.types().is_signed(self.tree.node(arg).ty);
            let terms = &mut self.program.terms;
            let value = build::resize(terms, value, 64, is_signed);
            bytes = build::binary(terms, BinaryOp::Mul, bytes, value);
        }
        let terms = &mut self.program.terms;
        let unit = build::constant(terms, 64, unit);
        let length = build::binary(terms, BinaryOp::Udiv, bytes, unit);
        self.set_length(object, length, span)
    }

    /// A call for its value, a struct.
    pub(super) fn call_record(
        &mut self,
        id: NodeId,
        callee: FunctionId,
        args: &[NodeId],
    ) -> Lowered<Vec<TermId>> {
        let span = self.tree.node(id).span;
        match classify(self.tree, callee) {
            Callee::Body => {
                let results = self.call_body(callee, args, None, span)?;
                Ok(results.into_iter().map(|result| self.get(result)).collect())
            }
            _ => Err(self.unknown(callee, span)),
        }
    }

    /// `object = call(…)` as one call edge, if the object is one variable.
    pub(super) fn call_into(&mut self, place: NodeId, value: NodeId) -> Lowered<bool> {
        let tree = self.tree;
        let (Kind::Object(object), Kind::Call(callee, args)) =
            (&tree.node(place).kind, &tree.node(value).kind)
        else {
            return Ok(false);
        };
        if classify(tree, *callee) != Callee::Body || !tree.types.is_scalar(tree.node(place).ty) {
            return Ok(false);
        }
        let into = self.object_variables(*object)?;
        let span = tree.node(place).span.to(tree.node(value).span);
        self.call_body(*callee, args, Some(into), span)?;
        Ok(true)
    }

    /// A call edge, shown as the text of `span`. The results are in these variables, or in new
    /// ones.
    fn call_body(
        &mut self,
        callee: FunctionId,
        args: &[NodeId],
        into: Option<Vec<VariableId>>,
        span: Span,
    ) -> Lowered<Vec<VariableId>> {
        let tree = self.tree;
        let function = tree.function(callee);
        let arguments = self.arguments(args, function.params.len(), span)?;
        let results = match into {
            Some(into) => into,
            None => self.results(function.result, span)?,
        };
        let procedure = self.procedure(callee);
        let Some(from) = self.body.at else { return Ok(results) };
        let to = self.place_at(span);
        let call = Call { callee: procedure, arguments, results: results.clone() };
        let text = self.text(span).into();
        let action = Action::Call(call);
        let span = self.span(span);
        self.body.entered.insert(to);
        self.body.procedure.add_edge(Edge { from, to, action, span, text });
        self.body.at = Some(to);
        Ok(results)
    }

    /// The arguments as terms after the pending step.
    fn arguments(&mut self, args: &[NodeId], params: usize, span: Span) -> Lowered<Vec<TermId>> {
        let mut held: Vec<Held> = Vec::new();
        for (at, &arg) in args.iter().enumerate() {
            if self.splits(arg) {
                for held in &mut held {
                    *held = self.keep(*held, span);
                }
            }
            let is_record = matches!(self.types().get(self.tree.node(arg).ty), Type::Record(_));
            let values = match is_record {
                true => self.eval_record(arg)?,
                false => vec![self.eval(arg)?],
            };
            // What is beyond the parameters is evaluated and dropped.
            if at < params {
                held.extend(values.into_iter().map(Held::Term));
            }
        }
        if !self.body.pending.is_empty() {
            for held in &mut held {
                *held = self.keep(*held, span);
            }
            self.flush(span, "");
        }
        Ok(held.into_iter().map(|held| self.release(held)).collect())
    }

    /// New variables for the results of a call.
    fn results(&mut self, ty: Ty, span: Span) -> Lowered<Vec<VariableId>> {
        if matches!(self.types().get(ty), Type::Void) {
            return Ok(Vec::new());
        }
        let parts = super::leaves(self.types(), &self.tree.names, ty, span)?;
        Ok(parts.iter().map(|leaf| self.temporary(leaf.sort(), span)).collect())
    }

    fn add_property(&mut self, error: pedra_program::PlaceId, span: Span) {
        let text = self.text(span).into();
        let span = self.span(span);
        self.body.errors.push((error, text, span));
    }

    /// A failed `assert` that a header turned into a call is named by its condition.
    fn name_assertion(&mut self, callee: FunctionId, args: &[NodeId]) {
        if self.tree.function(callee).name != "__assert_fail" {
            return;
        }
        let words = args.first().map(|&arg| self.text(self.tree.node(arg).span));
        let condition = words.as_deref().and_then(|text| text.strip_prefix('"'));
        if let Some(condition) = condition.and_then(|text| text.strip_suffix('"'))
            && let Some(last) = self.body.errors.last_mut()
        {
            last.1 = format!("assert({condition})").into();
        }
    }

    fn unknown(&self, callee: FunctionId, span: Span) -> Fault {
        let name = &self.tree.function(callee).name;
        let fault = Fault::unsupported(span, format!("a call of `{name}`, which has no body,"));
        fault.hint("give it a body, for example one that returns `__VERIFIER_nondet_int()`")
    }

    fn wrong_call(&self, callee: FunctionId, span: Span) -> Fault {
        let name = &self.tree.function(callee).name;
        Fault::new(span, format!("`{name}` takes one argument"))
    }
}
