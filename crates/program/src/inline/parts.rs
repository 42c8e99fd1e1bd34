//! Recursive procedures as parts with summaries ([`crate::summaries`]).
//!
//! A recursive procedure has up to two instances, for all its callers:
//!
//! - its *part*, which begins with any values and ends at its exit: what holds there is its
//!   summary. Error places are dead ends in a part, since nothing says that a run of the program
//!   comes to its beginning with these values;
//! - if an error place can be reached from it, its *context*, which begins where it is called: a
//!   run that does not return from a call goes on there.
//!
//! A call is a step by the summary, and an edge to the context if there is one.

use super::{EdgeOrigin, InlineError, Inliner, Instance, InstanceId};
use crate::graph::{
    Action, Call, Edge, EdgeRef, Input, InputKind, PlaceId, ProcedureId, Program, Step, VariableId,
};
use crate::interpreter::arbitrary_at_call;
use crate::summaries::{Return, Summary, SummaryId};
use pedra_model::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is there of recursive procedures.
pub(super) struct Parts {
    summaries: FxHashMap<ProcedureId, SummaryId>,
    contexts: FxHashMap<ProcedureId, InstanceId>,
    /// For each instance whether it belongs to a part.
    pub(super) is_part: Vec<bool>,
    /// For each procedure those that a call of it may activate, itself among them.
    activated: Vec<Vec<ProcedureId>>,
}

impl Parts {
    pub(super) fn new(original: &Program) -> Parts {
        let callees = |id: ProcedureId| {
            original.procedure(id).edges.iter().filter_map(|edge| match &edge.action {
                Action::Call(call) => Some(call.callee),
                Action::Step(_) => None,
            })
        };
        let activated = |id: ProcedureId| {
            let (mut seen, mut found) = (FxHashSet::from_iter([id]), vec![id]);
            let mut next = 0;
            while let Some(&id) = found.get(next) {
                next += 1;
                found.extend(callees(id).filter(|&callee| seen.insert(callee)));
            }
            found
        };
        let ids = (0..original.procedures.len()).map(ProcedureId::new);
        Parts {
            summaries: FxHashMap::default(),
            contexts: FxHashMap::default(),
            is_part: vec![false],
            activated: ids.map(activated).collect(),
        }
    }
}

impl Inliner<'_> {
    /// A call by the summary of its callee.
    pub(super) fn add_whole_call(
        &mut self,
        (caller, at): (InstanceId, EdgeRef),
        call: &Call,
        arguments: &[TermId],
        (from, to): (PlaceId, PlaceId),
    ) -> Result<(), InlineError> {
        let edge = self.original.edge(at);
        let id = self.summary_of(call.callee)?;
        if self.can_fail(call.callee) && !self.parts.is_part[caller.0] {
            let context = self.context_of(call.callee);
            let enter = self.enter(context, arguments);
            let entry = self.ends[context.0].0;
            self.add_step(edge, (from, entry), enter, EdgeOrigin::Call(at))?;
        }
        let mut step = Step::default();
        let globals = self.original.globals.iter().map(|&global| self.program.term_of(global));
        let before = arguments.iter().copied().chain(globals).collect();
        let mut after = Vec::new();
        // A caller's result may be a global; then it is the result that counts.
        let mut updated: FxHashMap<VariableId, TermId> = FxHashMap::default();
        for variable in self.program.summaries[id].after.clone() {
            let value = self.add_input(&mut step, variable);
            after.push(value);
            if self.original.globals.contains(&variable) {
                updated.insert(variable, value);
            }
        }
        let callee = self.original.procedure(call.callee);
        let part = self.instance_of(id);
        for (&to, &from) in call.results.iter().zip(&callee.results) {
            let copy = self.variable_of(part, from);
            let known = self.program.summaries[id].after.iter().position(|&v| v == copy);
            let value = after[known.expect("results are among what a caller gets")];
            updated.insert(self.variable_of(caller, to), value);
        }
        step.updates = updated.into_iter().collect();
        step.updates.sort_unstable_by_key(|(variable, _)| *variable);
        step.returns = Some(Return { summary: id, before, after });
        self.add_step(edge, (from, to), step, EdgeOrigin::Whole(at))
    }

    /// Whether a call of a procedure may come to an error place before it returns.
    fn can_fail(&self, procedure: ProcedureId) -> bool {
        let errors = self.original.properties.iter().map(|property| property.error.procedure);
        let errors = errors.chain(self.original.limits.iter().map(|limit| limit.procedure));
        let activated = &self.parts.activated[procedure.index()];
        errors.into_iter().any(|procedure| activated.contains(&procedure))
    }

    /// The instance of a procedure that is called with the values of its callers.
    fn context_of(&mut self, procedure: ProcedureId) -> InstanceId {
        if let Some(&known) = self.parts.contexts.get(&procedure) {
            return known;
        }
        let instance = self.add_instance(Instance { procedure, caller: None }, 1, false);
        self.parts.contexts.insert(procedure, instance);
        instance
    }

    /// The instance of a part.
    fn instance_of(&self, id: SummaryId) -> InstanceId {
        self.places[self.program.summaries[id].entry.index()].0
    }

    /// The summary of a procedure; its part is made when it is first needed.
    fn summary_of(&mut self, procedure: ProcedureId) -> Result<SummaryId, InlineError> {
        if let Some(&known) = self.parts.summaries.get(&procedure) {
            return Ok(known);
        }
        let part = self.add_instance(Instance { procedure, caller: None }, 1, true);
        let (entry, exit) = self.ends[part.0];
        let original = self.original.procedure(procedure);
        let parameters = original.parameters.iter().map(|&v| self.variable_of(part, v));
        let parameters: Vec<VariableId> = parameters.collect();
        let mut begin = Step::default();
        let values: Vec<TermId> =
            parameters.iter().map(|&parameter| self.add_input(&mut begin, parameter)).collect();
        let enter = self.enter(part, &values);
        begin.inputs.extend(enter.inputs);
        begin.updates.extend(enter.updates);
        let mut before = Vec::new();
        let globals = self.original.globals.clone();
        for (variable, value) in parameters
            .into_iter()
            .zip(values.into_iter().map(Some))
            .chain(globals.into_iter().map(|global| (global, None)))
        {
            // The entry's globals are arbitrary anyway.
            let value = value.unwrap_or(self.program.term_of(variable));
            let kept = self.keep(part, variable);
            begin.updates.push((kept, value));
            before.push((variable, kept));
        }
        let after = self.changed_by(part);
        self.program.summaries.push(Summary { procedure, entry, exit, before, after });
        let id = self.program.summaries.len() - 1;
        self.parts.summaries.insert(procedure, id);
        let (from, span) = (self.body.entry, original.span);
        let edge = Edge { from, to: entry, action: Action::Step(begin), span, text: "".into() };
        self.add_edge(edge, EdgeOrigin::Begins(procedure))?;
        Ok(id)
    }

    /// A variable for the first value of another one.
    fn keep(&mut self, part: InstanceId, variable: VariableId) -> VariableId {
        let like = self.program.variable(variable).clone();
        let sort = self.program.terms.sort(like.term);
        let kept =
            self.program.add_variable(sort, None, &like.source_type, like.is_signed, like.span);
        self.body.variables.push(kept);
        let original = self.variables[variable.index()].1;
        self.variables.push((part, original));
        kept
    }

    /// What a caller gets: results, and globals that may be another after the call.
    fn changed_by(&self, part: InstanceId) -> Vec<VariableId> {
        let id = self.instances[part.0].procedure;
        let mut changed: Vec<VariableId> = Vec::new();
        for &procedure in &self.parts.activated[id.index()] {
            for edge in &self.original.procedure(procedure).edges {
                match &edge.action {
                    Action::Step(step) => changed.extend(step.updates.iter().map(|(v, _)| v)),
                    Action::Call(call) => changed.extend(&call.results),
                }
            }
        }
        changed.retain(|variable| self.original.globals.contains(variable));
        let results = self.original.procedure(id).results.iter();
        changed.extend(results.map(|&result| self.variable_of(part, result)));
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// The beginning of an instance: parameters get their values, other variables arbitrary ones.
    pub(super) fn enter(&mut self, instance: InstanceId, arguments: &[TermId]) -> Step {
        let callee = self.original.procedure(self.instances[instance.0].procedure);
        let mut enter = Step::default();
        for (&parameter, &value) in callee.parameters.iter().zip(arguments) {
            enter.updates.push((self.variable_of(instance, parameter), value));
        }
        for variable in arbitrary_at_call(callee) {
            let copy = self.variable_of(instance, variable);
            let value = self.add_input(&mut enter, copy);
            enter.updates.push((copy, value));
        }
        enter
    }

    /// A new input of a step, for an arbitrary value of a variable.
    fn add_input(&mut self, step: &mut Step, variable: VariableId) -> TermId {
        let sort = self.program.terms.sort(self.program.term_of(variable));
        let term = self.program.terms.new_symbol(sort);
        step.inputs.push(Input { term, kind: InputKind::Arbitrary(variable) });
        term
    }
}
