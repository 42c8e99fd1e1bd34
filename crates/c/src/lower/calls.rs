//! Calls: procedures, and functions that the front end knows.

use super::callee::{Callee, NUMBERS, classify};
use super::{Held, Lowered, Lowerer, build};
use crate::error::Fault;
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
            Callee::Error => {
                self.arguments_only(args)?;
                self.flush(span, "");
                let error = self.place_at(span);
                // The condition before it shows the assertion in traces, if that is known here.
                let text = match self.assertions.contains_key(&span) {
                    true => String::new(),
                    false => self.text(span),
                };
                self.flush_to(error, span, &text);
                self.add_property(error, span);
                if let (Some(text), Some(last)) =
                    (self.assertion_text(id), self.body.errors.last_mut())
                {
                    last.1 = text;
                }
                Ok(())
            }
            Callee::End => {
                self.arguments_only(args)?;
                self.end_run(span);
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
                self.arguments_only(args)
            }
            Callee::Nondet | Callee::Allocate => self.call_value(id, callee, args).map(drop),
            Callee::Body => self.call_body(callee, args, None, span).map(drop),
            Callee::Unknown => {
                self.arguments_only(args)?;
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
                self.arguments_only(args)?;
                if self.points.allocations.contains_key(&id) {
                    return self.outside(id, callee);
                }
                if !tree.types.is_scalar(function.result) {
                    let name = tree.types.name(function.result);
                    let what = format!("a value of type `{name}` from outside");
                    return Err(Fault::unsupported(span, what));
                }
                Ok(self.input(Sort::Bv(bits), InputKind::Asked(function.name.as_str().into())))
            }
            Callee::Allocate => self.allocate(id, callee, args),
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
                self.arguments_only(args)?;
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

    fn add_property(&mut self, error: pedra_program::PlaceId, span: Span) {
        let text = self.text(span).into();
        let span = self.span(span);
        self.body.errors.push((error, text, span));
    }

    /// The `assert` that a header turned into a call, named by its condition.
    pub(super) fn assertion_text(&self, call: NodeId) -> Option<Box<str>> {
        let Kind::Call(callee, args) = &self.tree.node(call).kind else { return None };
        if self.tree.function(*callee).name != "__assert_fail" {
            return None;
        }
        let words = self.text(self.tree.node(*args.first()?).span);
        let condition = words.strip_prefix('"')?.strip_suffix('"')?;
        Some(format!("assert({condition})").into())
    }

    /// Evaluates arguments for their side effects, and for what must hold for them to be defined.
    fn arguments_only(&mut self, args: &[NodeId]) -> Lowered<()> {
        for &arg in args {
            if self.has_effects(arg) {
                self.effect(arg)?;
            } else if !self.is_always_defined(arg) {
                self.eval_if_known(arg)?;
            }
        }
        Ok(())
    }

    /// Whether an expression is made of constants, variables and their addresses alone.
    fn is_always_defined(&self, id: NodeId) -> bool {
        let kind = &self.tree.node(id).kind;
        let is_plain = match kind {
            Kind::Const(_) | Kind::Object(_) | Kind::FunctionAddress(_) => true,
            Kind::Member(..) | Kind::Load(_) | Kind::Address(_) | Kind::Convert(_) => true,
            Kind::Index(_, index) => self.tree.constant(*index).is_some(),
            _ => false,
        };
        is_plain && kind.inner().into_iter().all(|inner| self.is_always_defined(inner))
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
