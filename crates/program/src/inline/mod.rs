//! Calls replaced by the bodies of the procedures that they call.
//!
//! The result has one procedure. Each call of the original becomes an *instance* of its callee:
//! copies of its places, edges, variables and inputs. Entering an instance assigns the arguments
//! and an arbitrary value to every other variable of the callee, as a call does; leaving it assigns
//! the results. All copies of an error place are one place, since a property has one.
//!
//! Recursion is refused by [`inline`]. [`inline_bounded`] bounds it, in one of two ways
//! ([`Deeper`]): the result has fewer runs than the original, and its violations count; or it has
//! more, and its proofs count. After the unwinding assertions of bounded model checkers (E. Clarke,
//! D. Kroening, F. Lerda, TACAS 2004), which are one property more; here the bound is exceeded at
//! the error places themselves, so that every proof of a property is one that the bound suffices.
//! [`inline_with_summaries`] leaves recursive procedures whole: they become parts
//! ([`crate::summaries`]), and both violations and proofs count.
//!
//! Proofs are checked on the inlined graph: that it has the runs of the original is part of what is
//! trusted. Traces are not: [`Inlined::trace`] brings them back to the original, where they are
//! replayed.

mod failing;
mod parts;

use crate::graph::{
    Action, Call, Edge, EdgeId, EdgeRef, InputKind, Place, PlaceId, PlaceRef, Procedure,
    ProcedureId, Program, Step, VariableId,
};
use crate::interpreter::initial_variables;
use crate::recursion::Components;
use parts::Parts;
use pedra_model::program::{ProgramTrace, TraceStep};
use pedra_model::simplify::Rewriter;
use pedra_model::term::TermId;
use rustc_hash::FxHashMap;

/// Why calls cannot be inlined.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InlineError {
    /// Some procedures call themselves, directly or through others.
    #[error("recursion through {}", .names.join(", "))]
    Recursion {
        /// These.
        procedures: Vec<ProcedureId>,
        /// Their names.
        names: Vec<String>,
    },
    /// The result would be too large.
    #[error("inlining all calls takes more than {limit} edges")]
    TooLarge {
        /// The limit that was given.
        limit: usize,
    },
}

/// What becomes of a call that is deeper in recursion than the bound.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Deeper {
    /// The run ends there: all runs of the result are runs of the original, and some are missing.
    /// A proof about the result says nothing about the original.
    Ends,
    /// The run may go on to any error place: a run of the original to an error place is in the
    /// result up to that place, or up to a call that is too deep, after which that place is
    /// reached. So a proof about the result is one about the original.
    Fails,
}

/// A bound on recursion.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// How many procedures that call each other may be active at once: those of one strongly
    /// connected component of the call graph, each activation counted.
    pub depth: usize,
    /// What becomes of deeper calls.
    pub deeper: Deeper,
}

/// What becomes of calls of recursive procedures.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Recursion {
    /// They are inlined up to a bound.
    Bounded(Bound),
    /// They become steps with a summary.
    Summaries,
}

/// An activation of a procedure: a position in [`Inlined::instances`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct InstanceId(pub usize);

/// A copy of a procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Of this one.
    pub procedure: ProcedureId,
    /// The instance from which it is called, and the call edge; none for the entry and for parts.
    pub caller: Option<(InstanceId, EdgeRef)>,
}

/// What an edge of the inlined program stands for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum EdgeOrigin {
    /// A step.
    Step(EdgeRef),
    /// The beginning of this call.
    Call(EdgeRef),
    /// The return from this call.
    Return(EdgeRef),
    /// This call, which is deeper than the bound.
    Deeper(EdgeRef),
    /// From there, or from a limit, to an error place.
    Fails,
    /// The beginning of a procedure with any values, to find its summary: no step of the original.
    Begins(ProcedureId),
    /// This whole call, by the summary of the procedure.
    Whole(EdgeRef),
}

/// A program without calls, and what its parts stand for.
#[derive(Clone, Debug)]
pub struct Inlined {
    /// The program: one procedure. Its store of terms extends that of the original, and the
    /// original's variables keep their numbers; copies follow.
    pub program: Program,
    /// The instances; the first is the entry's.
    pub instances: Vec<Instance>,
    /// For each place its instance and original place. The error place of a property that no run
    /// reaches, because its procedure is never called, belongs to the first instance. The place
    /// after calls that are too deep stands for the one before the first of them.
    pub places: Vec<(InstanceId, PlaceRef)>,
    /// For each edge what it stands for.
    pub edges: Vec<EdgeOrigin>,
    /// For each variable its instance and original. Globals, the variables of the entry and those
    /// that the inlined program does not use belong to the first instance.
    pub variables: Vec<(InstanceId, VariableId)>,
    /// How many values a run of the original starts with.
    num_initial: usize,
}

impl Inlined {
    /// The run of the original program that a run of the inlined one stands for. One that came to a
    /// call which is too deep ends with it, without values: it is no run to an error place. What
    /// procedures with a summary do is not in the result.
    pub fn trace(&self, trace: &ProgramTrace) -> ProgramTrace {
        let initial = trace.initial[..self.num_initial.min(trace.initial.len())].to_vec();
        let steps = trace.steps.iter().filter_map(|step| self.step(step)).collect();
        ProgramTrace { property: trace.property, initial, steps }
    }

    /// The step of the original that a step stands for, if it is one.
    pub fn step(&self, step: &TraceStep) -> Option<TraceStep> {
        match self.edges[step.edge.edge.index()] {
            EdgeOrigin::Step(edge) | EdgeOrigin::Call(edge) => {
                Some(TraceStep { edge, values: step.values.clone() })
            }
            EdgeOrigin::Deeper(edge) => Some(TraceStep { edge, values: Vec::new() }),
            EdgeOrigin::Return(_)
            | EdgeOrigin::Fails
            | EdgeOrigin::Begins(_)
            | EdgeOrigin::Whole(_) => None,
        }
    }
}

/// Inlines all calls; the result has at most `max_edges` edges.
///
/// # Errors
/// If there is recursion among the procedures that the entry reaches, or the result is too large.
pub fn inline(program: &Program, max_edges: usize) -> Result<Inlined, InlineError> {
    let recursive = Components::new(program).recursive();
    if !recursive.is_empty() {
        let name = |&id: &ProcedureId| program.procedure(id).name.to_string();
        let names = recursive.iter().map(name).collect();
        return Err(InlineError::Recursion { procedures: recursive, names });
    }
    inline_bounded(program, max_edges, Bound { depth: 0, deeper: Deeper::Fails })
}

/// Inlines all calls up to a bound on recursion; the result has at most `max_edges` edges.
///
/// # Errors
/// If the result is too large.
pub fn inline_bounded(
    program: &Program,
    max_edges: usize,
    bound: Bound,
) -> Result<Inlined, InlineError> {
    Inliner::new(program, max_edges, Recursion::Bounded(bound)).run()
}

/// Inlines all calls but those of recursive procedures, which become parts with summaries; the
/// result has at most `max_edges` edges.
///
/// # Errors
/// If the result is too large.
pub fn inline_with_summaries(program: &Program, max_edges: usize) -> Result<Inlined, InlineError> {
    Inliner::new(program, max_edges, Recursion::Summaries).run()
}

fn is_error(program: &Program, place: PlaceRef) -> bool {
    program.properties.iter().any(|property| property.error == place)
}

struct Inliner<'p> {
    original: &'p Program,
    max_edges: usize,
    recursion: Recursion,
    components: Components,
    program: Program,
    body: Procedure,
    instances: Vec<Instance>,
    /// For each instance the places of its entry and exit.
    ends: Vec<(PlaceId, PlaceId)>,
    places: Vec<(InstanceId, PlaceRef)>,
    edges: Vec<EdgeOrigin>,
    variables: Vec<(InstanceId, VariableId)>,
    /// For each instance but the first the copies of its procedure's variables.
    copies: Vec<FxHashMap<VariableId, VariableId>>,
    errors: FxHashMap<PlaceRef, PlaceId>,
    /// For each instance how many of its component are active, itself among them.
    depths: Vec<usize>,
    /// The place after calls that are too deep.
    deeper: Option<PlaceId>,
    /// The limits that a run may come to.
    limits: Vec<PlaceId>,
    /// The parts that recursive procedures become.
    parts: Parts,
}

impl<'p> Inliner<'p> {
    fn new(original: &'p Program, max_edges: usize, recursion: Recursion) -> Inliner<'p> {
        let entry = original.procedure(original.entry);
        let mut program = original.clone();
        program.procedures.clear();
        program.entry = ProcedureId::new(0);
        let mut body = Procedure::new(&entry.name, entry.span);
        body.parameters.clone_from(&entry.parameters);
        body.results.clone_from(&entry.results);
        body.variables.clone_from(&entry.variables);
        let first = InstanceId(0);
        let at = |place| PlaceRef { procedure: original.entry, place };
        let mut errors = FxHashMap::default();
        if is_error(original, at(entry.entry)) {
            errors.insert(at(entry.entry), body.entry);
        }
        let own = (0..original.variables.len()).map(|v| (first, VariableId::new(v)));
        Inliner {
            original,
            max_edges,
            recursion,
            components: Components::new(original),
            program,
            instances: vec![Instance { procedure: original.entry, caller: None }],
            ends: vec![(body.entry, body.exit)],
            places: vec![(first, at(entry.entry)), (first, at(entry.exit))],
            edges: Vec::new(),
            variables: own.collect(),
            copies: vec![FxHashMap::default()],
            errors,
            depths: vec![1],
            deeper: None,
            limits: Vec::new(),
            parts: Parts::new(original),
            body,
        }
    }

    /// The instance of a call is worked on when its caller is done: a queue, no recursion.
    fn run(mut self) -> Result<Inlined, InlineError> {
        let mut next = 0;
        while next < self.instances.len() {
            self.copy(InstanceId(next))?;
            next += 1;
        }
        let inlined = self.finish();
        debug_assert_eq!(inlined.program.check(), Ok(()));
        Ok(inlined)
    }

    /// The copy of a place; that of an error place may be there already.
    fn add_place(&mut self, instance: InstanceId, place: PlaceId) -> PlaceId {
        let procedure = self.instances[instance.0].procedure;
        let at = PlaceRef { procedure, place };
        // An error in a part is none of the program: the part may begin with any values.
        let is_error = is_error(self.original, at) && !self.parts.is_part[instance.0];
        if let Some(&error) = self.errors.get(&at).filter(|_| is_error) {
            return error;
        }
        let original = &self.original.procedure(procedure).places[place.index()];
        self.body.places.push(Place::clone(original));
        self.places.push((instance, at));
        let copy = PlaceId::new(self.body.places.len() - 1);
        if is_error {
            self.errors.insert(at, copy);
        }
        if self.original.limits.contains(&at) && !self.parts.is_part[instance.0] {
            self.limits.push(copy);
        }
        copy
    }

    fn add_edge(&mut self, edge: Edge, origin: EdgeOrigin) -> Result<(), InlineError> {
        if self.body.edges.len() >= self.max_edges {
            return Err(InlineError::TooLarge { limit: self.max_edges });
        }
        self.body.add_edge(edge);
        self.edges.push(origin);
        Ok(())
    }

    /// A new instance of a callee: its entry, its exit and its variables. A part's instances are
    /// those that are called from it.
    fn add_instance(&mut self, new: Instance, depth: usize, is_part: bool) -> InstanceId {
        let instance = InstanceId(self.instances.len());
        self.depths.push(depth);
        self.parts.is_part.push(is_part);
        let procedure = self.original.procedure(new.procedure);
        self.instances.push(new);
        let entry = self.add_place(instance, procedure.entry);
        let exit = self.add_place(instance, procedure.exit);
        self.ends.push((entry, exit));
        let mut copies = FxHashMap::default();
        for &variable in &procedure.variables {
            let copied = self.original.variable(variable).clone();
            let sort = self.original.terms.sort(copied.term);
            let name = copied.name.as_deref();
            let copy = self.program.add_variable(
                sort,
                name,
                &copied.source_type,
                copied.is_signed,
                copied.span,
            );
            self.body.variables.push(copy);
            self.variables.push((instance, variable));
            copies.insert(variable, copy);
        }
        self.copies.push(copies);
        instance
    }

    /// Copies the places and edges of an instance, calls becoming new instances.
    fn copy(&mut self, instance: InstanceId) -> Result<(), InlineError> {
        let original = self.original;
        let id = self.instances[instance.0].procedure;
        let procedure = original.procedure(id);
        let places: Vec<PlaceId> = (0..procedure.places.len())
            .map(|index| self.place_of(instance, PlaceId::new(index)))
            .collect();
        let mut rewriter = Rewriter::plain();
        for (&from, &to) in &self.copies[instance.0] {
            rewriter.replace(original.term_of(from), self.program.term_of(to));
        }
        for (index, edge) in procedure.edges.iter().enumerate() {
            let at = EdgeRef { procedure: id, edge: EdgeId::new(index) };
            let ends = (places[edge.from.index()], places[edge.to.index()]);
            match &edge.action {
                Action::Step(step) => {
                    let step = self.copy_step(instance, step, &mut rewriter);
                    self.add_step(edge, ends, step, EdgeOrigin::Step(at))?;
                }
                Action::Call(call) => self.copy_call(instance, at, call, ends, &mut rewriter)?,
            }
        }
        Ok(())
    }

    fn place_of(&mut self, instance: InstanceId, place: PlaceId) -> PlaceId {
        let procedure = self.original.procedure(self.instances[instance.0].procedure);
        if place == procedure.entry {
            self.ends[instance.0].0
        } else if place == procedure.exit {
            self.ends[instance.0].1
        } else {
            self.add_place(instance, place)
        }
    }

    fn variable_of(&self, instance: InstanceId, variable: VariableId) -> VariableId {
        self.copies[instance.0].get(&variable).copied().unwrap_or(variable)
    }

    /// Steps of the first instance stay as they are; others get inputs of their own.
    fn copy_step(&mut self, instance: InstanceId, step: &Step, rewriter: &mut Rewriter) -> Step {
        let mut copy = step.clone();
        if instance.0 == 0 {
            return copy;
        }
        for input in &mut copy.inputs {
            let symbol = self.program.terms.new_symbol(self.program.terms.sort(input.term));
            rewriter.replace(input.term, symbol);
            input.term = symbol;
            if let InputKind::Arbitrary(variable) = input.kind {
                input.kind = InputKind::Arbitrary(self.variable_of(instance, variable));
            }
        }
        let mut rewrite = |term: TermId| rewriter.rewrite(&mut self.program.terms, term);
        copy.guard = copy.guard.map(&mut rewrite);
        for check in &mut copy.checks {
            check.holds = rewrite(check.holds);
        }
        for (_, value) in &mut copy.updates {
            *value = rewrite(*value);
        }
        for (variable, _) in &mut copy.updates {
            *variable = self.variable_of(instance, *variable);
        }
        copy
    }

    fn copy_call(
        &mut self,
        caller: InstanceId,
        at: EdgeRef,
        call: &Call,
        (from, to): (PlaceId, PlaceId),
        rewriter: &mut Rewriter,
    ) -> Result<(), InlineError> {
        let original = self.original;
        let (edge, callee) = (original.edge(at), original.procedure(call.callee));
        let arguments = call.arguments.iter().map(|&argument| match caller.0 {
            0 => argument,
            _ => rewriter.rewrite(&mut self.program.terms, argument),
        });
        let arguments: Vec<TermId> = arguments.collect();
        let is_deeper = self.components.are_together(at.procedure, call.callee);
        let depth = if is_deeper { self.depths[caller.0] + 1 } else { 1 };
        match self.recursion {
            Recursion::Summaries if self.components.is_recursive(call.callee) => {
                return self.add_whole_call((caller, at), call, &arguments, (from, to));
            }
            Recursion::Bounded(bound) if is_deeper && depth > bound.depth => {
                return self.add_deeper_call(caller, at, from, bound.deeper);
            }
            _ => {}
        }
        let new = Instance { procedure: call.callee, caller: Some((caller, at)) };
        let instance = self.add_instance(new, depth, self.parts.is_part[caller.0]);
        let enter = self.enter(instance, &arguments);
        let mut leave = Step::default();
        for (&to, &from) in call.results.iter().zip(&callee.results) {
            let value = self.program.term_of(self.variable_of(instance, from));
            leave.updates.push((self.variable_of(caller, to), value));
        }
        let (entry, exit) = self.ends[instance.0];
        self.add_step(edge, (from, entry), enter, EdgeOrigin::Call(at))?;
        let silent = Edge { text: "".into(), ..edge.clone() };
        self.add_step(&silent, (exit, to), leave, EdgeOrigin::Return(at))
    }

    fn add_step(
        &mut self,
        like: &Edge,
        (from, to): (PlaceId, PlaceId),
        step: Step,
        origin: EdgeOrigin,
    ) -> Result<(), InlineError> {
        let (span, text) = (like.span, like.text.clone());
        self.add_edge(Edge { from, to, action: Action::Step(step), span, text }, origin)
    }

    fn finish(mut self) -> Inlined {
        let num_initial = initial_variables(self.original).count();
        self.add_error_places();
        self.program.procedures.push(self.body);
        Inlined {
            program: self.program,
            instances: self.instances,
            places: self.places,
            edges: self.edges,
            variables: self.variables,
            num_initial,
        }
    }
}
