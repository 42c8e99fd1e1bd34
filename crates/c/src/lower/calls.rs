//! Calls: procedures, and functions that the front end knows.

use super::callee::{Callee, NUMBERS, beyond, classify};
use super::{Held, Lowered, Lowerer, all_calls, build};
use crate::error::Fault;
use crate::library::ASKED;
use crate::source::Span;
use crate::tree::*;
use crate::types::{Ty, Type};
use pedra_model::term::{Sort, TermId};
use pedra_program::{Action, Call, Edge, InputKind, VariableId};

impl Lowerer<'_> {
    /// A call whose value is not used.
    pub(super) fn call_effect(
        &mut self,
        id: NodeId,
        callee: FunctionId,
        args: &[NodeId],
    ) -> Lowered<()> {
        let span = self.tree.node(id).span;
        match classify(self.tree, callee) {
            Callee::Error => self.call_error(id, callee, args).map(drop),
            Callee::End => {
                self.arguments_only(args, span)?;
                self.end_run(span);
                Ok(())
            }
            Callee::Assert => self.call_assert(callee, args, span),
            Callee::Assume => {
                let [condition] = args else { return Err(self.wrong_call(callee, span)) };
                let mut condition = self.condition(*condition)?;
                // Soundness: what must hold for the condition to be defined, and for what comes
                // before it, must hold in runs that the assumption ends, too.
                if !self.body.pending.step.checks.is_empty() {
                    let held = self.hold(condition, span);
                    self.flush(span, "");
                    condition = self.release(held);
                }
                self.assume(condition);
                Ok(())
            }
            Callee::Free => {
                let [pointer] = args else { return Err(self.wrong_call(callee, span)) };
                self.free(*pointer, span)
            }
            Callee::Ignored => {
                self.no_count_of_characters(callee, args)?;
                self.arguments_only(args, span)
            }
            Callee::Nondet | Callee::Allocate => self.call_value(id, callee, args).map(drop),
            Callee::Body => self.call_body(callee, args, None, span).map(drop),
            Callee::Unknown => {
                self.arguments_only(args, span)?;
                self.call_unknown(id, callee).map(drop)
            }
            Callee::Refused => Err(self.unknown(callee, span)),
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
                self.arguments_only(args, span)?;
                if self.points.allocations.contains_key(&id) {
                    return self.outside(id, callee);
                }
                if !tree.types.is_scalar(function.result) {
                    let name = tree.types.name(function.result);
                    let what = format!("a value of type `{name}` from outside");
                    return Err(Fault::unsupported(span, what));
                }
                let name = function.name.strip_prefix(ASKED).unwrap_or(&function.name);
                Ok(self.input(Sort::Bv(bits), InputKind::Asked(name.into())))
            }
            Callee::Allocate => self.allocate(id, callee, args),
            Callee::Error => {
                let results = self.call_error(id, callee, args)?;
                match results.as_deref() {
                    Some([only]) => Ok(self.get(*only)),
                    _ => Ok(build::constant(&mut self.program.terms, bits, 0)),
                }
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
                let text = format!("`{}` returns any value", function.name);
                let at = self.span(span);
                self.program.assume(&text, at);
                Ok(self.input(Sort::Bv(bits), InputKind::Choice))
            }
            Callee::Unknown => {
                self.arguments_only(args, span)?;
                self.call_unknown(id, callee)
            }
            _ => {
                self.call_effect(id, callee, args)?;
                Ok(build::constant(&mut self.program.terms, bits, 0))
            }
        }
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
            Callee::Error => match self.call_error(id, callee, args)? {
                Some(results) => Ok(results.into_iter().map(|result| self.get(result)).collect()),
                None => Err(self.unknown(callee, span)),
            },
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

    /// A call of a procedure. The results are in these variables, or in new ones.
    pub(super) fn call_body(
        &mut self,
        callee: FunctionId,
        args: &[NodeId],
        into: Option<Vec<VariableId>>,
        span: Span,
    ) -> Lowered<Vec<VariableId>> {
        let arguments = self.arguments(args, self.tree.function(callee).params.len(), span)?;
        self.call_edge(callee, arguments, into, span)
    }

    /// A call edge, shown as the text of `span`, over values after the pending step.
    pub(super) fn call_edge(
        &mut self,
        callee: FunctionId,
        arguments: Vec<TermId>,
        into: Option<Vec<VariableId>>,
        span: Span,
    ) -> Lowered<Vec<VariableId>> {
        let results = match into {
            Some(into) => into,
            None => self.results(self.tree.function(callee).result, span)?,
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
    pub(super) fn arguments(
        &mut self,
        args: &[NodeId],
        params: usize,
        span: Span,
    ) -> Lowered<Vec<TermId>> {
        self.in_order(args, span);
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

    /// Evaluates arguments for their side effects, and for what must hold for them to be defined.
    pub(super) fn arguments_only(&mut self, args: &[NodeId], span: Span) -> Lowered<()> {
        self.in_order(args, span);
        for &arg in args {
            if self.has_effects(arg) {
                self.effect(arg)?;
            } else if !self.tree.is_always_defined(arg) {
                self.eval_if_known(arg)?;
            }
        }
        Ok(())
    }

    /// Evaluates an argument that nothing follows from. One that cannot be followed, such as a
    /// number with a fraction that is printed, is taken to be defined.
    fn eval_if_known(&mut self, arg: NodeId) -> Lowered<()> {
        let is_record = matches!(self.types().get(self.tree.node(arg).ty), Type::Record(_));
        let known = match is_record {
            true => self.eval_record(arg).map(drop),
            false => self.eval(arg).map(drop),
        };
        if known.is_err() {
            let span = self.tree.node(arg).span;
            let text = format!("the argument `{}` is defined", self.text(span));
            let span = self.span(span);
            self.program.assume(&text, span);
        }
        Ok(())
    }

    /// `%n` in a format writes to a variable.
    fn no_count_of_characters(&mut self, callee: FunctionId, args: &[NodeId]) -> Lowered<()> {
        let at = match self.tree.function(callee).name.as_str() {
            "printf" => 0,
            "fprintf" => 1,
            _ => return Ok(()),
        };
        let Some(&format) = args.get(at).filter(|_| args.len() > at + 1) else { return Ok(()) };
        let span = self.tree.node(format).span;
        let text = self.text(span);
        if text.replace("%%", "").contains("%n") {
            return Err(Fault::unsupported(span, "`%n` in a format"));
        }
        if !text.ends_with('"') {
            let span = self.span(span);
            self.program.assume(&format!("the format `{text}` has no `%n`"), span);
        }
        Ok(())
    }

    /// A function without a body is taken to return any value and to change nothing, as
    /// verification tasks mean it. Never silently.
    fn call_unknown(&mut self, id: NodeId, callee: FunctionId) -> Lowered<TermId> {
        let name = &self.tree.function(callee).name;
        if NUMBERS.contains(&name.as_str())
            && let Kind::Call(_, args) = &self.tree.node(id).kind
            && args.iter().any(|&arg| !self.points.of(self.tree, arg, None).targets.is_empty())
        {
            return Err(self.unknown(callee, self.tree.node(id).span));
        }
        let text = format!("`{name}`, which has no body, returns any value and changes nothing");
        let span = self.span(self.tree.node(id).span);
        self.program.assume(&text, span);
        if self.points.allocations.contains_key(&id) {
            return self.outside(id, callee);
        }
        // A test of a violation must define it, even if it returns nothing.
        let bits = if self.is_void(id) { 32 } else { self.bits(id) };
        Ok(self.input(Sort::Bv(bits), InputKind::Asked(name.as_str().into())))
    }

    /// The fault of the first call that is not supported and returns a pointer, if there is one.
    pub(super) fn refused_pointer(&self) -> Option<Fault> {
        let mut calls = all_calls(self.tree).into_iter().map(|(_, call)| call);
        calls.find_map(|call| {
            let node = self.tree.node(call);
            let Kind::Call(callee, _) = node.kind else { return None };
            let is_it = self.types().pointee(node.ty).is_some()
                && classify(self.tree, callee) == Callee::Refused;
            is_it.then(|| self.unknown(callee, node.span))
        })
    }

    fn unknown(&self, callee: FunctionId, span: Span) -> Fault {
        let name = &self.tree.function(callee).name;
        let fault = Fault::unsupported(span, format!("a call of `{name}`, which has no body,"));
        match (beyond(name), name.as_str()) {
            (Some(what), _) => fault.hint(format!("{what} are not supported")),
            (None, "realloc" | "reallocarray") => {
                fault.hint("allocate with `malloc`, copy the elements and `free` the old storage")
            }
            (None, _) => fault.hint(
                "give it a body that does the same to the objects of the program; a value that may \
                 be any is `__VERIFIER_nondet_int()`",
            ),
        }
    }

    pub(super) fn wrong_call(&self, callee: FunctionId, span: Span) -> Fault {
        let name = &self.tree.function(callee).name;
        Fault::new(span, format!("`{name}` takes one argument"))
    }
}
