//! The program as PDR sees it: locations, and edges between them that are guarded assignments.
//!
//! A location is a cut point of [`Blocks`], an edge is a block. Since an edge is a function of the
//! values before and its inputs, what holds after it is a condition on the values before: the
//! *image* of a condition is obtained by putting the new values in for the variables. So no query
//! needs a second copy of the variables.

use crate::trace::Place;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{TermId, Terms};
use pedra_program::Lowered;
use pedra_program::blocks::Blocks;
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
    /// Puts the new values in for the variables.
    images: Rewriter,
}

/// Locations and edges, with the store of all terms.
pub(super) struct Graph {
    pub(super) lowered: Arc<Lowered>,
    pub(super) terms: Terms,
    pub(super) edges: Vec<Edge>,
    incoming: Vec<Vec<EdgeId>>,
}

impl Graph {
    pub(super) fn new(lowered: Arc<Lowered>) -> Graph {
        let blocks = &lowered.blocks;
        let (mut edges, mut incoming) = (Vec::new(), vec![Vec::new(); blocks.cuts.len()]);
        for (from, cut) in blocks.cuts.iter().enumerate() {
            for block in &cut.blocks {
                let mut images = Rewriter::new();
                for (&variable, &value) in blocks.cuts[block.to].live.iter().zip(&block.values) {
                    images.replace(blocks.program.term_of(variable), value);
                }
                incoming[block.to].push(EdgeId(edges.len() as u32));
                let (from, to) = (Location::new(from), Location::new(block.to));
                edges.push(Edge { from, to, guard: block.guard, images });
            }
        }
        let terms = blocks.program.terms.clone();
        Graph { lowered, terms, edges, incoming }
    }

    pub(super) fn blocks(&self) -> &Blocks {
        &self.lowered.blocks
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
}
