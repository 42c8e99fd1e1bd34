//! Debug builds: a second look at frames and obligations, with terms and solvers that the search
//! never sees, so that debug builds search as release builds do.
//!
//! Only small programs are looked at, and a question that is hard counts as answered.

use super::graph::{EdgeId, Graph, Location};
use super::queries::{Frames, Queries};
use crate::trace::{LemmaId, Level};
use pedra_model::blast::BlastOptions;
use pedra_model::lit::Lit;
use pedra_model::term::{Term, TermId};
use pedra_solve::SatResult;
use pedra_solve::terms::TermSolver;

/// Conflicts of one question.
const EFFORT: u64 = 200;
/// Questions about one frame.
const MAX_QUESTIONS: usize = 100;
/// Programs with more terms are not looked at.
const MAX_TERMS: usize = 5_000;

/// Whether the entry has no lemma, and every lemma `¬c` of `F_i` holds after each edge into its
/// location: `F_{i−1}(p) ∧ guard ∧ c[values]` has no model. That frames are monotone is a matter of
/// their encoding.
pub(super) fn frames_hold(queries: &Queries) -> bool {
    let frames = &queries.frames;
    let lemmas: Vec<LemmaId> = frames.lemmas_everywhere(Level::ZERO.above()).collect();
    if lemmas.iter().any(|&id| frames.place(id) == Location::ENTRY) {
        return false;
    }
    let Some(mut audit) = Audit::new(queries) else { return true };
    // The youngest are those that nobody has looked at.
    let questions = lemmas.iter().rev().flat_map(|&id| {
        let edges = queries.graph.incoming(frames.place(id));
        edges.iter().map(move |&edge| (id, edge))
    });
    questions.take(MAX_QUESTIONS).all(|(id, edge)| {
        let lemma = frames.lemma(id);
        let level = lemma.level();
        let below = if level == Level::INFINITY { level } else { level.below() };
        let from = queries.graph.edge(edge).from;
        if below == Level::ZERO && from != Location::ENTRY {
            return true;
        }
        let mut known = audit.frame(frames, from, below);
        known.extend(audit.calls(frames, edge, below));
        audit.leads(edge, &known, lemma.set()) != Some(true)
    })
}

/// Whether a cube speaks of the variables of its location only, and some state of it steps into
/// another one by an edge.
pub(super) fn some_state_steps(
    queries: &Queries,
    edge: EdgeId,
    set: &[Lit],
    target: &[Lit],
) -> bool {
    let Some(mut audit) = Audit::new(queries) else { return true };
    let terms = &mut audit.graph.terms;
    let known: Vec<TermId> = set.iter().map(|&lit| queries.predicates.term(terms, lit)).collect();
    let variables: Vec<TermId> = queries.graph.variables(queries.graph.edge(edge).from).collect();
    let cone = audit.graph.terms.cone(known.iter().copied());
    let is_foreign = |(id, term): (TermId, &Term)| {
        cone[id.index()] && matches!(term, Term::Symbol(_)) && !variables.contains(&id)
    };
    let is_known = !audit.graph.terms.iter().any(is_foreign);
    is_known && audit.leads(edge, &known, target) != Some(false)
}

/// A copy of what the search knows, with a solver of its own.
struct Audit<'a> {
    queries: &'a Queries,
    graph: Graph,
    solver: TermSolver,
}

impl Audit<'_> {
    /// `None` if the program is too large.
    fn new(queries: &Queries) -> Option<Audit<'_>> {
        if queries.graph.terms.len() > MAX_TERMS {
            return None;
        }
        let mut graph = queries.graph.again();
        graph.terms = queries.graph.terms.clone();
        let solver = TermSolver::new(queries.theory(), &BlastOptions::default());
        Some(Audit { queries, graph, solver })
    }

    /// The lemmas of a location from a level on.
    fn frame(&mut self, frames: &Frames, at: Location, level: Level) -> Vec<TermId> {
        let lemmas = frames.lemmas(at, level.max(Level::ZERO.above()));
        let predicates = &self.queries.predicates;
        let clause = |id| predicates.clause(&mut self.graph.terms, frames.lemma(id).set());
        lemmas.map(clause).collect()
    }

    /// That the calls of an edge return by a frame.
    fn calls(&mut self, frames: &Frames, edge: EdgeId, level: Level) -> Vec<TermId> {
        let from = self.graph.edge(edge).from;
        let mut known = Vec::new();
        for call in self.graph.edge(edge).calls.clone() {
            let exit = self.graph.site(from, call).exit;
            let frame = match level {
                Level::ZERO => vec![self.graph.terms.bool(false)],
                _ => self.frame(frames, exit, level),
            };
            known.extend(frame.into_iter().map(|term| self.graph.if_called(from, call, term)));
        }
        known
    }

    /// Whether an edge leads into a cube from where conditions hold; `None` if that is hard to say.
    fn leads(&mut self, edge: EdgeId, known: &[TermId], target: &[Lit]) -> Option<bool> {
        let mut conditions = known.to_vec();
        conditions.push(self.graph.edge(edge).guard);
        for &lit in target {
            let term = self.queries.predicates.term(&mut self.graph.terms, lit);
            conditions.push(self.graph.image(edge, term));
        }
        let Audit { graph, solver, .. } = self;
        let lits: Result<Vec<Lit>, _> =
            conditions.into_iter().map(|term| solver.lit(&graph.terms, term)).collect();
        solver.set_effort(Some(EFFORT));
        match solver.solve(&lits.ok()?, &[]) {
            SatResult::Unknown => None,
            answer => Some(answer.is_sat()),
        }
    }
}
