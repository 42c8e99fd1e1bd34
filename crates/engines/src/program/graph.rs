//! The program as PDR sees it: locations, and edges between them that are guarded assignments.
//!
//! A location is a cut point of [`Blocks`], an edge is a block. Since an edge is a function of the
//! values before and its inputs, what holds after it is a condition on the values before: the
//! *image* of a condition is obtained by putting the new values in for the variables. So no query
//! needs a second copy of the variables.
//!
//! An edge may have *calls* on its way, which its location knows ([`Site`]): what they return are
//! inputs of the edge, and the values before and after are a state at the exit of the procedure's
//! part. So an edge has one source, its location, and one more for each call, the exit.

use crate::trace::Place;
use pedra_model::program::PlaceId;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{TermId, Terms};
use pedra_model::value::Value;
use pedra_program::blocks::{Blocks, CutProof, Refined, Return, refine};
use pedra_program::passes::symbols_of;
use pedra_program::{Lowered, ProgramProof, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A location: a cut point, by number. The first one is the entry.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Location(u32);

impl Location {
    /// Where runs begin.
    pub(super) const ENTRY: Location = Location(0);

    pub(super) fn new(index: usize) -> Location {
        Location(u32::try_from(index).expect("fewer than 2^32 locations"))
    }
}

impl Place for Location {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// An edge, by number.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct EdgeId(u32);

impl EdgeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A guarded assignment from one location to another.
pub(super) struct Edge {
    pub(super) from: Location,
    pub(super) to: Location,
    pub(super) guard: TermId,
    /// Inputs that are what the guard said, and are not asked about.
    pub(super) defined: Vec<(TermId, TermId)>,
    /// Which calls of the source may be on the way, in order.
    pub(super) calls: Vec<usize>,
    /// Puts the new values in for the variables.
    images: Rewriter,
}

/// A call on the way of edges from a location.
pub(super) struct Site {
    /// The exit of the part of the procedure.
    pub(super) exit: Location,
    /// Whether the call is on the way.
    pub(super) condition: TermId,
    /// The statement.
    pub(super) statement: pedra_program::EdgeId,
    /// Puts the values before and after the call in for the variables of the exit.
    images: Rewriter,
}

/// Locations and edges, with the store of all terms.
pub(super) struct Graph {
    pub(super) lowered: Arc<Lowered>,
    /// Its blocks as they were refined, if that changed any.
    refined: Option<Refined>,
    pub(super) terms: Terms,
    pub(super) edges: Vec<Edge>,
    incoming: Vec<Vec<EdgeId>>,
    /// For each location the calls on the way of its edges.
    sites: Vec<Vec<Site>>,
    /// For each variable another symbol, for its value after a step.
    primed: FxHashMap<TermId, TermId>,
    /// The positions of slots, if the program has any: variables that never change.
    pub(super) positions: Vec<TermId>,
}

impl Graph {
    /// The graph of the blocks as they are.
    pub(super) fn new(lowered: Arc<Lowered>) -> Graph {
        Graph::of(lowered, None)
    }

    /// The graph in which control that is kept in data became locations, and relations functions.
    pub(super) fn refined(lowered: Arc<Lowered>) -> Graph {
        let refined = refine(&lowered.blocks);
        Graph::of(lowered, refined)
    }

    /// The same graph, with a store of its own.
    pub(super) fn again(&self) -> Graph {
        let positions = self.positions.clone();
        Graph { positions, ..Graph::of(self.lowered.clone(), self.refined.clone()) }
    }

    fn of(lowered: Arc<Lowered>, refined: Option<Refined>) -> Graph {
        let blocks = refined.as_ref().map_or(&lowered.blocks, |refined| &refined.blocks);
        let (mut edges, mut incoming) = (Vec::new(), vec![Vec::new(); blocks.cuts.len()]);
        let images_at = |cut: usize, values: &[TermId]| {
            let mut images = Rewriter::new();
            for (&variable, &value) in blocks.cuts[cut].live.iter().zip(values) {
                images.replace(blocks.program.term_of(variable), value);
            }
            images
        };
        let site = |call: &Return| Site {
            exit: Location::new(call.exit),
            condition: call.condition,
            statement: call.edge,
            images: images_at(call.exit, &call.values),
        };
        let sites = blocks.cuts.iter().map(|cut| cut.returns.iter().map(site).collect()).collect();
        for (from, cut) in blocks.cuts.iter().enumerate() {
            for block in &cut.blocks {
                let images = images_at(block.to, &block.values);
                incoming[block.to].push(EdgeId(edges.len() as u32));
                let (from, to) = (Location::new(from), Location::new(block.to));
                let (guard, defined) = (block.guard, block.defined.clone());
                let calls = block.returns.clone();
                edges.push(Edge { from, to, guard, defined, calls, images });
            }
        }
        let terms = blocks.program.terms.clone();
        let primed = FxHashMap::default();
        let positions = Vec::new();
        Graph { lowered, refined, terms, edges, incoming, sites, primed, positions }
    }

    pub(super) fn blocks(&self) -> &Blocks {
        self.refined.as_ref().map_or(&self.lowered.blocks, |refined| &refined.blocks)
    }

    /// The cut point of the program that a location is, or is a copy of.
    pub(super) fn origin(&self, at: Location) -> usize {
        let place = self.blocks().cuts[at.index()].place;
        let origin = self.lowered.blocks.cuts.iter().position(|cut| cut.place == place);
        origin.expect("a copy is of a cut point")
    }

    /// The bits that have one value at a location, because it is the location for that value.
    pub(super) fn given(&self, at: Location) -> Vec<(TermId, bool)> {
        let term_of = |bit: VariableId| self.lowered.blocks.program.term_of(bit);
        self.bits(at).iter().map(|&(bit, value)| (term_of(bit), value)).collect()
    }

    fn bits(&self, at: Location) -> &[(VariableId, bool)] {
        self.refined.as_ref().map_or(&[][..], |refined| refined.bits(at.index()))
    }

    /// The location of a place for a state of the program: the copy whose values it has.
    pub(super) fn location_at(
        &self,
        place: PlaceId,
        value: impl Fn(VariableId) -> Value,
    ) -> Option<Location> {
        let has = |&(bit, is_set): &(VariableId, bool)| value(bit).as_bv().is_true() == is_set;
        self.locations().find(|&at| {
            self.blocks().cuts[at.index()].place == place && self.bits(at).iter().all(has)
        })
    }

    /// A condition over the program's variables, as one over those of a location; `None` if it
    /// speaks of others, or says nothing.
    pub(super) fn at(&mut self, at: Location, condition: TermId) -> Option<TermId> {
        let mut rewriter = Rewriter::new();
        for (bit, value) in self.given(at) {
            let value = self.terms.bool(value);
            rewriter.replace(bit, value);
        }
        let condition = rewriter.rewrite(&mut self.terms, condition);
        let known: FxHashSet<TermId> = self.variables(at).collect();
        let is_about = symbols_of(&self.terms, [condition]).iter().all(|s| known.contains(s));
        (is_about && self.terms.as_constant(condition).is_none()).then_some(condition)
    }

    /// The proof about the program that a proof about the locations stands for.
    pub(super) fn proof(&self, proof: CutProof) -> ProgramProof {
        let whole = match &self.refined {
            Some(refined) => refined.proof(&self.lowered.blocks, proof),
            None => proof,
        };
        self.lowered.cut_proof(whole)
    }

    pub(super) fn locations(&self) -> impl Iterator<Item = Location> + use<> {
        (0..self.incoming.len()).map(Location::new)
    }

    pub(super) fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    /// All edges.
    pub(super) fn edge_ids(&self) -> impl Iterator<Item = EdgeId> + use<> {
        (0..self.edges.len() as u32).map(EdgeId)
    }

    /// The edges into a location.
    pub(super) fn incoming(&self, to: Location) -> &[EdgeId] {
        &self.incoming[to.index()]
    }

    /// The symbols of the variables that matter at a location.
    pub(super) fn variables(&self, at: Location) -> impl Iterator<Item = TermId> + '_ {
        let blocks = self.blocks();
        blocks.cuts[at.index()].live.iter().map(|&variable| blocks.program.term_of(variable))
    }

    /// The fresh values that edges from a location need.
    pub(super) fn inputs(&self, from: Location) -> &[TermId] {
        &self.blocks().cuts[from.index()].inputs
    }

    /// What must hold before an edge for a condition to hold after it.
    pub(super) fn image(&mut self, edge: EdgeId, condition: TermId) -> TermId {
        self.edges[edge.index()].images.rewrite(&mut self.terms, condition)
    }

    /// Whether some edge has a call on its way.
    pub(super) fn has_calls(&self) -> bool {
        self.edges.iter().any(|edge| !edge.calls.is_empty())
    }

    /// A call of a location.
    pub(super) fn site(&self, from: Location, call: usize) -> &Site {
        &self.sites[from.index()][call]
    }

    /// The sources of an edge: its location, and the exits of the calls on its way.
    pub(super) fn sources(&self, edge: EdgeId) -> impl Iterator<Item = Location> + '_ {
        let Edge { from, calls, .. } = self.edge(edge);
        [*from].into_iter().chain(calls.iter().map(|&call| self.site(*from, call).exit))
    }

    /// What must hold before a call for a condition on the exit's variables to hold of it.
    pub(super) fn at_call(&mut self, from: Location, call: usize, condition: TermId) -> TermId {
        self.sites[from.index()][call].images.rewrite(&mut self.terms, condition)
    }

    /// The same, where the call is on the way.
    pub(super) fn if_called(&mut self, from: Location, call: usize, condition: TermId) -> TermId {
        let holds = self.at_call(from, call, condition);
        let called = self.site(from, call).condition;
        let not_called = self.terms.not(called);
        self.terms.or(not_called, holds)
    }

    /// The symbol for the value of a variable after a step.
    pub(super) fn primed(&mut self, symbol: TermId) -> TermId {
        let Graph { terms, primed, .. } = self;
        *primed.entry(symbol).or_insert_with(|| terms.new_symbol(terms.sort(symbol)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::fixture::random_queries;
    use crate::program::samples::Samples;
    use pedra_testkit::random::{Random, runs};

    /// Every state that a run reaches belongs to a copy of its location.
    #[test]
    fn copies_cover_what_runs_reach() {
        let mut random = Random::new(41);
        let (mut seen, mut copies) = (0, 0);
        for round in 0..runs(300) {
            let lowered = random_queries(&mut random, round % 2 == 0).graph.lowered.clone();
            let (whole, refined) = (Graph::new(lowered.clone()), Graph::refined(lowered));
            let samples = Samples::take(&whole, round);
            for at in whole.locations().filter(|&at| at != Location::ENTRY) {
                let variables: Vec<TermId> = whole.variables(at).collect();
                for state in samples.at(at) {
                    let value = |v: VariableId| {
                        let term = refined.blocks().program.term_of(v);
                        let position = variables.iter().position(|&variable| variable == term);
                        state[position.expect("it is live")].clone()
                    };
                    let place = whole.blocks().cuts[at.index()].place;
                    let copy = refined.location_at(place, value);
                    let copy = copy.unwrap_or_else(|| panic!("round {round}: {state:?}"));
                    copies += usize::from(!refined.given(copy).is_empty());
                    seen += 1;
                }
            }
        }
        assert!(seen > 300 && copies > 20, "{seen} {copies}");
    }
}
