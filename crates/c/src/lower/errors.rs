//! Calls of error functions, and assertions: each is a property, with the name of the error
//! function that is called.
//!
//! What comes after the call of an error function depends on [`Errors`]. Where the run goes on, and
//! a property is wanted nevertheless, the call is two edges: to the error place, if no error
//! function was called before, and into the function's body.
//!
//! ```text
//! reach_error();   ⟶   [¬called] → error place
//!                      called := true; reach_error's body → …
//! ```

use super::callee::{Callee, classify};
use super::shape::{Shape, Walk, first_call, is_error};
use super::{Lowered, Lowerer, build, leaves, shape_of};
use crate::Errors;
use crate::source::Span;
use crate::tree::*;
use pedra_model::term::Sort;
use pedra_program as graph;
use pedra_program::{PlaceId, VariableId};

/// An error place, until its procedure has its number.
pub(super) struct ErrorPlace {
    pub place: PlaceId,
    pub text: Box<str>,
    pub span: graph::Span,
    pub calls: Option<Box<str>>,
}

impl Lowerer<'_> {
    /// Makes the variable that says whether an error function was called, if a run may go on after
    /// such a call.
    pub(super) fn note_calls_of_errors(&mut self) {
        let tree = self.tree;
        let is_returning =
            |&id: &FunctionId| classify(tree, id) == Callee::Error && may_return(tree, id);
        if self.errors == Errors::First && tree.reached.iter().any(is_returning) {
            let span = graph::Span::default();
            let called = self.program.add_variable(Sort::BOOL, None, "", false, span);
            self.program.globals.push(called);
            self.zeroed.push(called);
            self.called = Some(called);
        }
    }

    /// Whether a run goes on after the call of an error function.
    fn goes_on(&self, function: FunctionId) -> bool {
        self.errors != Errors::End && may_return(self.tree, function)
    }

    /// A call of an error function; its results, if it may return.
    pub(super) fn call_error(
        &mut self,
        id: NodeId,
        callee: FunctionId,
        args: &[NodeId],
    ) -> Lowered<Option<Vec<VariableId>>> {
        let span = self.tree.node(id).span;
        if !self.goes_on(callee) {
            self.arguments_only(args, span)?;
            self.go_to_error(id, callee, span);
            return Ok(None);
        }
        let arguments = self.arguments(args, self.tree.function(callee).params.len(), span)?;
        if self.called.is_some() && !self.is_behind {
            let at = self.body.at;
            self.go_to_error(id, callee, span);
            self.body.at = at;
            self.note_call(span);
        }
        self.call_edge(callee, arguments, None, span).map(Some)
    }

    /// Goes to the error place of a call, and nowhere else.
    fn go_to_error(&mut self, id: NodeId, callee: FunctionId, span: Span) {
        self.flush(span, "");
        if self.is_behind {
            return self.end_run(span);
        }
        let error = self.place_at(span);
        // The condition before it shows the assertion in traces, if that is known here.
        let text = match self.assertions.contains_key(&span) {
            true => String::new(),
            false => self.text(span),
        };
        self.assume_first();
        self.flush_to(error, span, &text);
        self.add_property_of(id, error, Some(&self.tree.function(callee).name));
    }

    /// Restricts the pending step to runs in which no error function was called.
    fn assume_first(&mut self) {
        if let Some(called) = self.called {
            let called = self.program.term_of(called);
            let first = build::not(&mut self.program.terms, called);
            self.assume(first);
        }
    }

    /// Notes that an error function is called.
    fn note_call(&mut self, span: Span) {
        if let Some(called) = self.called {
            let truth = self.program.terms.bool(true);
            self.set(called, truth);
            self.flush(span, "");
        }
    }

    /// A call of a function that asserts its argument.
    pub(super) fn call_assert(
        &mut self,
        callee: FunctionId,
        args: &[NodeId],
        span: Span,
    ) -> Lowered<()> {
        let [condition] = args else { return Err(self.wrong_call(callee, span)) };
        let (error, calls) = error_of(self.tree, callee);
        let goes_on = error.is_some_and(|error| self.goes_on(error));
        if goes_on && (self.is_behind || self.called.is_none()) {
            return self.call_body(callee, args, None, span).map(drop);
        }
        let (fails, after) = (self.place_at(span), self.place_at(span));
        self.branch(*condition, after, fails, span)?;
        if self.called.is_some() && !self.is_behind {
            self.body.at = self.body.entered.contains(&fails).then_some(fails);
            let error = self.place_at(span);
            self.assume_first();
            self.flush_to(error, span, "");
            self.add_property(error, span, calls);
            if goes_on {
                self.body.at = self.body.entered.contains(&fails).then_some(fails);
                self.note_call(span);
                self.assertion_failed(callee, after, span)?;
            }
        } else if !self.is_behind {
            self.add_property(fails, span, calls);
        }
        self.body.at = Some(after);
        Ok(())
    }

    /// The assertions of a statement that no run reaches: they hold, and are properties like
    /// others.
    pub(super) fn assertions_never_reached(&mut self, id: StmtId) {
        if self.is_behind {
            return;
        }
        let tree = self.tree;
        let mut walk = Walk::new(tree);
        walk.stmt(id, false);
        for (node, _) in walk.visited {
            let Kind::Call(callee, _) = tree.node(node).kind else { continue };
            let (error, calls) = match classify(tree, callee) {
                Callee::Error => (Some(callee), Some(tree.function(callee).name.as_str())),
                Callee::Assert => error_of(tree, callee),
                _ => continue,
            };
            if self.called.is_none() && error.is_some_and(|error| self.goes_on(error)) {
                continue;
            }
            let span = tree.node(node).span;
            let place = self.place_at(span);
            self.add_property_of(node, place, calls);
        }
    }

    /// Does what a function does that asserts something which does not hold.
    fn assertion_failed(&mut self, callee: FunctionId, after: PlaceId, span: Span) -> Lowered<()> {
        let tree = self.tree;
        let mut arguments = Vec::new();
        for &param in &tree.function(callee).params {
            for leaf in leaves(&tree.types, &tree.names, tree.object(param).ty, span)? {
                arguments.push(self.program.terms.zero(leaf.sort()));
            }
        }
        self.call_edge(callee, arguments, None, span)?;
        self.flush_to(after, span, "");
        Ok(())
    }

    /// The property of a call, named as the source does.
    fn add_property_of(&mut self, call: NodeId, place: PlaceId, calls: Option<&str>) {
        self.add_property(place, self.tree.node(call).span, calls);
        if let (Some(text), Some(last)) = (self.assertion_text(call), self.body.errors.last_mut()) {
            last.text = text;
        }
    }

    fn add_property(&mut self, place: PlaceId, span: Span, calls: Option<&str>) {
        let text = self.text(span).into();
        let span = self.span(span);
        let calls = calls.map(Into::into);
        self.body.errors.push(ErrorPlace { place, text, span, calls });
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
}

/// Whether an error function has a body that may return, as far as its first statement says: that
/// of most tasks is `abort()` or `__assert_fail(…)`.
fn may_return(tree: &Tree, id: FunctionId) -> bool {
    let Some(body) = tree.function(id).body else { return false };
    let Some(call) = first_call(tree, body) else { return true };
    let Kind::Call(callee, args) = &tree.node(call).kind else { return true };
    let called = tree.function(*callee);
    let ends = match classify(tree, *callee) {
        Callee::End => true,
        Callee::Error => is_error(&called.name, false) && called.body.is_none(),
        _ => false,
    };
    // Arguments may be undefined, and that is to be found.
    !ends || !args.iter().all(|&arg| tree.is_always_defined(arg))
}

/// The error function that a function calls which asserts its argument, and its name.
fn error_of(tree: &Tree, callee: FunctionId) -> (Option<FunctionId>, Option<&str>) {
    match shape_of(tree, callee) {
        Some(Shape::Assert(error)) => (Some(error), Some(tree.function(error).name.as_str())),
        // What headers make of it is not there if there is no header.
        _ => (None, (tree.function(callee).name == "assert").then_some("__assert_fail")),
    }
}
