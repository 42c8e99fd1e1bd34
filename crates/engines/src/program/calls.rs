//! What calls on the way of an edge add to the questions about it.
//!
//! After A. Komuravelli, A. Gurfinkel, S. Chaki: *SMT-Based Model Checking for Recursive Programs*
//! (CAV 2014). The exit of a procedure's part has frames as any location, over the values before
//! and after a call: its summary by level. `x` stands for the values of a call, `called` for the
//! condition under which it is on the way. In a question about a cube c at level i it may return
//!
//! - by the frame, an over-approximation: `called ⟹ F_{i−1}(exit)[x]`; not at all if i is 1;
//! - by facts, an under-approximation (`facts`): `called ⟹ ⋁ facts(exit)[x]`.
//!
//! A cube is excluded only if no edge leads into it with all calls by the frame (*required for
//! soundness*). If one does, let the first calls return by facts, as many as possible:
//!
//! - all of them: the states before are an obligation, as without calls;
//! - all before this call, and not this one: what it is to return is an obligation at the exit.
//!   None of its states is in a fact, so that the next fact is a new one.
//!
//! The paper's edges have two sources and one order of them; here the order is that of the program.

use super::facts::FactId;
use super::graph::{EdgeId, Location};
use super::predecessor::transfer;
use super::queries::{Model, Queries};
use crate::trace::{LemmaId, Level, Stopped};
use pedra_model::lit::Lit;
use pedra_model::term::TermId;

/// How far the calls of an edge return by facts.
pub(super) enum Founded {
    /// All of them, in this model.
    All(Model),
    /// Those before this one (a position among the edge's calls), in this model.
    Before(usize, Model),
    /// The effort did not suffice.
    TooHard,
}

impl Queries {
    /// The literal of a lemma of an exit, for a call: `called ⟹ ¬c[x]`.
    pub(super) fn lemma_of_call(
        &mut self,
        from: Location,
        call: usize,
        id: LemmaId,
    ) -> Result<Lit, Stopped> {
        if let Some(&lit) = self.call_lits.get(&(from, call, id)) {
            return Ok(lit);
        }
        let clause = self.predicates.clause(&mut self.graph.terms, self.frames.lemma(id).set());
        let term = self.graph.if_called(from, call, clause);
        let lit = self.lit(from, term)?;
        self.call_lits.insert((from, call, id), lit);
        Ok(lit)
    }

    /// The calls of an edge, from the given one on, return by the frame: `called ⟹ F_i(exit)[x]`.
    /// At level zero nothing has returned (*required for soundness*).
    pub(super) fn call_frames(
        &mut self,
        edge: EdgeId,
        first: usize,
        level: Level,
    ) -> Result<Vec<Lit>, Stopped> {
        let from = self.graph.edge(edge).from;
        let mut lits = Vec::new();
        let calls = self.graph.edge(edge).calls[first..].to_vec();
        for call in calls {
            let (exit, called) = (self.graph.site(from, call).exit, self.called(from, call)?);
            if level == Level::ZERO {
                lits.push(!called);
                continue;
            }
            for id in self.frames.lemmas(exit, level).collect::<Vec<LemmaId>>() {
                lits.push(self.lemma_of_call(from, call, id)?);
            }
        }
        Ok(lits)
    }

    /// The first calls of an edge return by facts: `called ⟹ ⋁ facts(exit)[x]`.
    pub(super) fn call_facts(&mut self, edge: EdgeId, count: usize) -> Result<Vec<Lit>, Stopped> {
        let from = self.graph.edge(edge).from;
        let mut lits = Vec::new();
        let calls = self.graph.edge(edge).calls[..count].to_vec();
        for call in calls {
            let exit = self.graph.site(from, call).exit;
            let any = self.facts.any(&mut self.graph.terms, exit);
            let term = self.graph.if_called(from, call, any);
            lits.push(self.lit(from, term)?);
        }
        Ok(lits)
    }

    fn called(&mut self, from: Location, call: usize) -> Result<Lit, Stopped> {
        let called = self.graph.site(from, call).condition;
        self.lit(from, called)
    }

    /// No source of an edge is in the cube that it is to lead into: clauses, `¬c` for the source
    /// and `called ⟹ ¬c[x]` for each call, where these are the same location. Of the states in a
    /// cube that are reached, one has no other before it, neither on a path nor in a call.
    pub(super) fn outside(&mut self, edge: EdgeId, set: &[Lit]) -> Result<Vec<Vec<Lit>>, Stopped> {
        let (from, to) = (self.graph.edge(edge).from, self.graph.edge(edge).to);
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        if from == to {
            clauses.push(self.cube_lits(from, set)?.into_iter().map(|lit| !lit).collect());
        }
        for term in self.calls_outside(edge, set) {
            clauses.push(vec![self.lit(from, term)?]);
        }
        Ok(clauses)
    }

    /// How many of the calls of an edge, which leads into a cube with all of them by the frame,
    /// return by facts: the most for which this has a model:
    ///
    /// `F_{i−1}(p) ∧ guard ∧ c[values] ∧ first calls by facts ∧ others by the frame ∧ [¬c]`
    pub(super) fn find_founded(
        &mut self,
        edge: EdgeId,
        set: &[Lit],
        level: Level,
    ) -> Result<Founded, Stopped> {
        let from = self.graph.edge(edge).from;
        let below = level.below();
        let calls = self.graph.edge(edge).calls.len();
        let mut known = self.frame(from, below)?.unwrap_or_default();
        let guard = self.graph.edge(edge).guard;
        known.push(self.lit(from, guard)?);
        known.extend(self.image_lits(edge, set)?);
        let outside = self.outside(edge, set)?;
        let outside: Vec<&[Lit]> = outside.iter().map(Vec::as_slice).collect();
        for count in (0..=calls).rev() {
            let mut assumptions = known.clone();
            assumptions.extend(self.call_facts(edge, count)?);
            assumptions.extend(self.call_frames(edge, count, below)?);
            match self.solve(from, &assumptions, &outside)? {
                Some(false) => {}
                None => return Ok(Founded::TooHard),
                Some(true) if count == calls => return Ok(Founded::All(self.model(from))),
                Some(true) => return Ok(Founded::Before(count, self.model(from))),
            }
        }
        // It had a model with all calls by the frame, but the effort may not be the same.
        Ok(Founded::TooHard)
    }

    /// For each of the first calls of an edge the fact by which it returns in a model; none if it
    /// is not on the way.
    pub(super) fn founders(
        &mut self,
        edge: EdgeId,
        count: usize,
        model: &Model,
    ) -> Vec<Option<FactId>> {
        let from = self.graph.edge(edge).from;
        let calls = self.graph.edge(edge).calls[..count].to_vec();
        let mut found = Vec::with_capacity(count);
        for call in calls {
            let (called, exit) =
                (self.graph.site(from, call).condition, self.graph.site(from, call).exit);
            let mut fact = None;
            if self.holds(model, called) {
                for id in self.facts.at(exit).to_vec() {
                    let term = self.facts.get(id).term;
                    let term = self.graph.at_call(from, call, term);
                    if self.holds(model, term) {
                        fact = Some(id);
                        break;
                    }
                }
                debug_assert!(fact.is_some(), "a call returns by a fact");
            }
            found.push(fact);
        }
        found
    }

    /// What holds in a model where the first calls of an edge return by these facts.
    pub(super) fn founded_by(&mut self, edge: EdgeId, facts: &[Option<FactId>]) -> Vec<TermId> {
        let from = self.graph.edge(edge).from;
        let mut conditions = Vec::new();
        for (call, fact) in self.graph.edge(edge).calls.clone().into_iter().zip(facts) {
            let called = self.graph.site(from, call).condition;
            match fact {
                None => conditions.push(self.graph.terms.not(called)),
                Some(id) => {
                    let term = self.facts.get(*id).term;
                    conditions.extend([called, self.graph.at_call(from, call, term)]);
                }
            }
        }
        conditions
    }

    pub(super) fn holds(&self, model: &Model, condition: TermId) -> bool {
        self.evaluate(model, [condition])[&condition].as_bv().is_true()
    }

    /// What a call of an edge is to return, for the edge to lead into a cube: states of the exit,
    /// the model's among them. Each of them is the call's for some state of the frame and inputs
    /// that satisfy the question of [`Queries::find_founded`].
    pub(super) fn wanted_return(
        &mut self,
        edge: EdgeId,
        position: usize,
        set: &[Lit],
        (level, model): (Level, &Model),
    ) -> Result<(Location, Box<[Lit]>), Stopped> {
        let from = self.graph.edge(edge).from;
        let below = level.below();
        let founders = self.founders(edge, position, model);
        let mut roots = self.founded_by(edge, &founders);
        roots.extend(self.premises(edge, set, below, position + 1));
        roots.extend(self.images(edge, set));
        let call = self.graph.edge(edge).calls[position];
        roots.push(self.graph.site(from, call).condition);
        let exit = self.graph.site(from, call).exit;
        let variables: Vec<TermId> = self.graph.variables(exit).collect();
        let values = variables.into_iter().map(|v| (v, self.graph.at_call(from, call, v)));
        let values: Vec<(TermId, TermId)> = values.collect();
        Ok((exit, transfer(self, from, &roots, &values, model)?))
    }

    /// What a question about a cube and an edge assumes, as conditions: the guard, the frame below
    /// of the source and of the exits of calls from the given one on, and `¬c` where it may be.
    pub(super) fn premises(
        &mut self,
        edge: EdgeId,
        set: &[Lit],
        below: Level,
        first: usize,
    ) -> Vec<TermId> {
        let (from, to) = (self.graph.edge(edge).from, self.graph.edge(edge).to);
        let mut roots = vec![self.graph.edge(edge).guard];
        // The entry has no lemmas. Other frames are empty at level zero, and are not asked about.
        let ids: Vec<LemmaId> = self.frames.lemmas(from, below.max(Level::ZERO.above())).collect();
        for id in ids {
            let set = self.frames.lemma(id).set();
            roots.push(self.predicates.clause(&mut self.graph.terms, set));
        }
        for call in self.graph.edge(edge).calls.clone().into_iter().skip(first) {
            if below == Level::ZERO {
                let called = self.graph.site(from, call).condition;
                roots.push(self.graph.terms.not(called));
                continue;
            }
            let exit = self.graph.site(from, call).exit;
            for id in self.frames.lemmas(exit, below).collect::<Vec<_>>() {
                let set = self.frames.lemma(id).set();
                let clause = self.predicates.clause(&mut self.graph.terms, set);
                roots.push(self.graph.if_called(from, call, clause));
            }
        }
        roots.extend(self.calls_outside(edge, set));
        if from == to {
            roots.push(self.predicates.clause(&mut self.graph.terms, set));
        }
        roots
    }

    /// `called ⟹ ¬c[x]` for the calls of procedures whose exit an edge leads to.
    fn calls_outside(&mut self, edge: EdgeId, set: &[Lit]) -> Vec<TermId> {
        let (from, to) = (self.graph.edge(edge).from, self.graph.edge(edge).to);
        let mut found = Vec::new();
        for call in self.graph.edge(edge).calls.clone() {
            if self.graph.site(from, call).exit == to {
                let clause = self.predicates.clause(&mut self.graph.terms, set);
                found.push(self.graph.if_called(from, call, clause));
            }
        }
        found
    }
}
