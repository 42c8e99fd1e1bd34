//! Facts: sets of states that are reached, with the derivation of each.
//!
//! The under-approximation of Komuravelli, Gurfinkel and Chaki (CAV 2014): each state of a fact is
//! reached from some state of the fact before it, by an edge whose calls return by other facts. At
//! the exit of a part that is an under-approximating summary. A derivation is a tree: the edges
//! from the entry, and for each call on the way the derivation of what it returned.
//!
//! Facts are found when a chain of obligations begins at the entry, or in a fact: forwards along
//! its edges, one model for each, widened as predecessors are (`predecessor::transfer`). The run
//! that reaches a state of a fact is found backwards again (*required for violations*: every state
//! of a fact has one).

use super::graph::{EdgeId, Graph, Location};
use super::predecessor::transfer;
use super::queries::{Model, Queries};
use super::space::{Obligation, Step};
use crate::trace::{Place, Stopped, is_subset};
use pedra_model::lit::Lit;
use pedra_model::program::{EdgeRef, ProgramTrace, TraceStep};
use pedra_model::term::{TermId, Terms};
use pedra_model::value::Value;
use pedra_program::VariableId;
use pedra_program::inline::EdgeOrigin;
use rustc_hash::FxHashMap;

/// A fact, by number. The first one is that all states of the entry are reached.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct FactId(u32);

/// States of a location that are reached.
pub(super) struct Fact {
    place: Location,
    set: Box<[Lit]>,
    /// The conjunction of the set.
    pub(super) term: TermId,
    /// Nothing for the entry.
    by: Option<Derivation>,
}

/// How the states of a fact are reached.
#[derive(Clone)]
struct Derivation {
    from: FactId,
    edge: EdgeId,
    /// For each call of the edge the fact by which it returns; none if it is not on the way.
    calls: Vec<Option<FactId>>,
}

/// All facts.
pub(super) struct Facts {
    all: Vec<Fact>,
    at: Vec<Vec<FactId>>,
}

impl Facts {
    /// All states of the entry are reached.
    pub(super) fn new(graph: &mut Graph) -> Facts {
        let term = graph.terms.bool(true);
        let entry = Fact { place: Location::ENTRY, set: Box::default(), term, by: None };
        let mut at = vec![Vec::new(); graph.locations().count()];
        at[Location::ENTRY.index()].push(FactId(0));
        Facts { all: vec![entry], at }
    }

    pub(super) fn get(&self, id: FactId) -> &Fact {
        &self.all[id.0 as usize]
    }

    /// The facts of a location.
    pub(super) fn at(&self, place: Location) -> &[FactId] {
        &self.at[place.index()]
    }

    /// Whether a state of a location is in a fact.
    pub(super) fn any(&self, terms: &mut Terms, place: Location) -> TermId {
        let mut any = terms.bool(false);
        for &id in self.at(place) {
            any = terms.or(any, self.get(id).term);
        }
        any
    }

    fn add(&mut self, fact: Fact) -> FactId {
        let known = self.at(fact.place).iter().copied();
        if let Some(id) = known.into_iter().find(|&id| is_subset(&self.get(id).set, &fact.set)) {
            return id;
        }
        let id = FactId(u32::try_from(self.all.len()).expect("memory ends before"));
        self.at[fact.place.index()].push(id);
        self.all.push(fact);
        id
    }
}

/// A run of the inlined program along the edges of a derivation.
struct Run {
    initial: Vec<Value>,
    steps: Vec<TraceStep>,
    /// For steps that stand for calls, by position: the fact by which they return, and the values
    /// at the exit.
    returned: FxHashMap<usize, (FactId, Model)>,
}

/// A part of a run of the original, yet to be written.
enum Piece {
    Step(TraceStep),
    Call(EdgeRef, FactId, Model),
}

impl Queries {
    /// A fact of a location that has a state of a cube: `c ∧ ⋁ facts`.
    pub(super) fn find_fact(
        &mut self,
        at: Location,
        set: &[Lit],
    ) -> Result<Option<FactId>, Stopped> {
        if at == Location::ENTRY || self.facts.at(at).is_empty() {
            return Ok(self.facts.at(at).first().copied());
        }
        let mut assumptions = self.cube_lits(at, set)?;
        let any = self.facts.any(&mut self.graph.terms, at);
        assumptions.push(self.lit(at, any)?);
        if self.solve(at, &assumptions, &[])? != Some(true) {
            return Ok(None);
        }
        let model = self.model(at);
        let mut known = self.facts.at(at).iter().copied();
        Ok(known.find(|&id| self.holds(&model, self.facts.get(id).term)))
    }

    /// Follows a chain of obligations, of which the first has a state of a fact, to the last one,
    /// and notes what is reached on the way. `None` if the chain cannot be followed.
    pub(super) fn reach(&mut self, chain: &[&Obligation]) -> Result<Option<FactId>, Stopped> {
        let Some(mut fact) = self.find_fact(chain[0].place, &chain[0].set)? else {
            return Ok(None);
        };
        let mut state: Option<Model> = None;
        for pair in chain.windows(2) {
            let (here, next) = (pair[0], pair[1]);
            let Step::Edge(edge) = here.step else { return Ok(None) };
            let both: Vec<Lit> =
                here.set.iter().chain(&*self.facts.get(fact).set).copied().collect();
            let found = self.find_step(edge, state.as_ref(), &both, &next.set)?;
            let Some(model) = found else { return Ok(None) };
            fact = self.image_of(fact, edge, &model)?;
            let values = self.values_after(edge, &model);
            state = Some(values.into_iter().collect());
        }
        Ok(Some(fact))
    }

    /// The variables behind an edge with their values.
    fn values_after(&mut self, edge: EdgeId, model: &Model) -> Vec<(TermId, Value)> {
        let images = self.new_values(edge);
        let values = self.evaluate(model, images.iter().map(|(_, image)| *image));
        images.into_iter().map(|(variable, image)| (variable, values[&image].clone())).collect()
    }

    /// The variables behind an edge with their terms.
    fn new_values(&mut self, edge: EdgeId) -> Vec<(TermId, TermId)> {
        let to = self.graph.edge(edge).to;
        let variables: Vec<TermId> = self.graph.variables(to).collect();
        variables.into_iter().map(|v| (v, self.graph.image(edge, v))).collect()
    }

    /// States behind an edge, the model's among them, each reached from a state of a fact.
    fn image_of(&mut self, from: FactId, edge: EdgeId, model: &Model) -> Result<FactId, Stopped> {
        let count = self.graph.edge(edge).calls.len();
        let calls = self.founders(edge, count, model);
        let mut roots = self.founded_by(edge, &calls);
        roots.extend([self.graph.edge(edge).guard, self.facts.get(from).term]);
        let values = self.new_values(edge);
        let place = self.graph.edge(edge).from;
        let set = transfer(self, place, &roots, &values, model)?;
        let mut term = self.graph.terms.bool(true);
        for &lit in &set {
            let condition = self.predicates.term(&mut self.graph.terms, lit);
            term = self.graph.terms.and(term, condition);
        }
        let place = self.graph.edge(edge).to;
        let by = Some(Derivation { from, edge, calls });
        Ok(self.facts.add(Fact { place, set, term, by }))
    }

    /// The run of the program to the error place of a property, which a fact says is reached.
    /// `None` if there is no such run.
    pub(super) fn run_to(
        &mut self,
        property: usize,
        fact: FactId,
    ) -> Result<Option<ProgramTrace>, Stopped> {
        let Some(run) = self.find_run(fact, Model::default())? else { return Ok(None) };
        let whole = ProgramTrace { property, initial: run.initial.clone(), steps: Vec::new() };
        let mut trace = self.graph.lowered.inlined.trace(&whole);
        // Calls are followed when their turn comes: a stack, no recursion.
        let mut open: Vec<Piece> = self.pieces(run).into_iter().rev().collect();
        while let Some(piece) = open.pop() {
            match piece {
                Piece::Step(step) => trace.steps.push(step),
                Piece::Call(at, fact, state) => {
                    let Some(mut run) = self.find_run(fact, state)? else { return Ok(None) };
                    trace.steps.push(self.call_step(at, run.steps.remove(0)));
                    run.returned =
                        run.returned.into_iter().map(|(at, call)| (at - 1, call)).collect();
                    open.extend(self.pieces(run).into_iter().rev());
                }
            }
        }
        Ok(Some(trace))
    }

    /// A call, given the step by which the procedure's part begins: that one has values for the
    /// parameters first.
    fn call_step(&self, edge: EdgeRef, begins: TraceStep) -> TraceStep {
        let inlined = &self.graph.lowered.inlined;
        let EdgeOrigin::Begins(procedure) = inlined.edges[begins.edge.edge.index()] else {
            unreachable!("the exit of a part is reached from its beginning");
        };
        let summary = inlined.program.summaries.iter().find(|s| s.procedure == procedure);
        let before = summary.expect("parts have one").before.len();
        let parameters = before - inlined.program.globals.len();
        TraceStep { edge, values: begins.values[parameters..].to_vec() }
    }

    /// A run in pieces of the original.
    fn pieces(&self, mut run: Run) -> Vec<Piece> {
        let inlined = &self.graph.lowered.inlined;
        let mut pieces = Vec::new();
        for (index, step) in run.steps.iter().enumerate() {
            match (inlined.edges[step.edge.edge.index()], run.returned.remove(&index)) {
                (EdgeOrigin::Whole(at), Some((fact, state))) => {
                    pieces.push(Piece::Call(at, fact, state));
                }
                _ => pieces.extend(inlined.step(step).map(Piece::Step)),
            }
        }
        pieces
    }

    /// The run of the inlined program that reaches a state of a fact: backwards, one edge after the
    /// other, `fact(p) ∧ guard ∧ values = state ∧ calls by their facts`. `None` if there is none.
    fn find_run(&mut self, mut fact: FactId, mut state: Model) -> Result<Option<Run>, Stopped> {
        let mut links: Vec<(Derivation, Model)> = Vec::new();
        while let Some(by) = self.facts.get(fact).by.clone() {
            let from = self.graph.edge(by.edge).from;
            let set = self.facts.get(by.from).set.clone();
            let mut assumptions = self.cube_lits(from, &set)?;
            let mut conditions = self.founded_by(by.edge, &by.calls);
            conditions.push(self.graph.edge(by.edge).guard);
            for (variable, value) in self.new_values(by.edge) {
                conditions.push(self.equals(value, &state[&variable]));
            }
            for condition in conditions {
                assumptions.push(self.lit(from, condition)?);
            }
            let found = self.with_effort(None, |queries| queries.solve(from, &assumptions, &[]))?;
            if found != Some(true) {
                return Ok(None);
            }
            let model = self.model(from);
            state = self.graph.variables(from).map(|v| (v, model[&v].clone())).collect();
            fact = by.from;
            links.push((by, model));
        }
        links.reverse();
        let blocks = self.graph.blocks();
        let entry = blocks.cuts[Location::ENTRY.index()].live.iter();
        let initial: FxHashMap<VariableId, Value> =
            entry.map(|&v| (v, state[&blocks.program.term_of(v)].clone())).collect();
        let inputs: Vec<FxHashMap<TermId, Value>> =
            links.iter().map(|(by, model)| self.inputs_of(by.edge, model)).collect();
        let paths = self.graph.lowered.block_paths(&initial, &inputs);
        let Some((initial, paths)) = paths else { return Ok(None) };
        let (mut steps, mut returned) = (Vec::new(), FxHashMap::default());
        for ((by, model), path) in links.iter().zip(paths) {
            for step in path {
                if let Some(call) = self.returned_by(by, model, &step) {
                    returned.insert(steps.len(), call);
                }
                steps.push(step);
            }
        }
        Ok(Some(Run { initial, steps, returned }))
    }

    /// If a statement of an edge is a call by a fact: the fact, and the values at the exit.
    fn returned_by(
        &mut self,
        by: &Derivation,
        model: &Model,
        step: &TraceStep,
    ) -> Option<(FactId, Model)> {
        let from = self.graph.edge(by.edge).from;
        let calls = self.graph.edge(by.edge).calls.clone();
        let is_this = |&call: &usize| self.graph.site(from, call).statement == step.edge.edge;
        let position = calls.iter().position(is_this)?;
        let (call, fact) = (calls[position], by.calls[position]?);
        let variables: Vec<TermId> =
            self.graph.variables(self.graph.site(from, call).exit).collect();
        let mut state = Model::default();
        for variable in variables {
            let value = self.graph.at_call(from, call, variable);
            state.insert(variable, self.evaluate(model, [value])[&value].clone());
        }
        Some((fact, state))
    }
}
