//! Tests: queries about random programs.

use super::graph::{Graph, Location};
use super::queries::Queries;
use crate::trace::Place;
use pedra_model::blast::BlastOptions;
use pedra_model::lit::Lit;
use pedra_program::{LowerOptions, lower};
use pedra_solve::terms::theory_of;
use pedra_testkit::programs::{ProgramShape, random_program};
use pedra_testkit::random::Random;
use std::sync::Arc;

/// A random program of integers, or of words and arrays, with three frames besides the first.
pub(super) fn random_queries(random: &mut Random, integers: bool) -> Queries {
    let shape = ProgramShape { procedures: 2, arrays: !integers, integers, ..Default::default() };
    let program = random_program(random, shape);
    let lowered = lower(&program, &LowerOptions::default()).expect("no recursion");
    let lowered = Arc::new(lowered);
    let graph = if random.coin() { Graph::new(lowered) } else { Graph::refined(lowered) };
    let blocks = graph.blocks().cuts.iter().flat_map(|cut| &cut.blocks);
    let roots = blocks.flat_map(|block| block.values.iter().chain([&block.guard]));
    let theory = theory_of(&graph.terms, roots.copied()).expect("one theory");
    let mut queries = Queries::new(graph, theory, &BlastOptions::default());
    (0..3).for_each(|_| queries.frames.open());
    queries
}

/// The error places.
pub(super) fn errors(queries: &Queries) -> Vec<Location> {
    let is_error = |at: &Location| queries.graph.blocks().errors.contains(&Some(at.index()));
    queries.graph.locations().filter(is_error).collect()
}

/// Whether no state of a cube is outside of another one: `c ∧ ¬d` has no model.
pub(super) fn contains(queries: &mut Queries, at: Location, large: &[Lit], small: &[Lit]) -> bool {
    let lits = |queries: &mut Queries, set: &[Lit]| {
        let lits = queries.cube_lits(at, set);
        lits.unwrap_or_else(|_| panic!("nothing stops it"))
    };
    let inside = lits(queries, small);
    let missed: Vec<Lit> = lits(queries, large).into_iter().map(|lit| !lit).collect();
    matches!(queries.solve(at, &inside, &[&missed]), Ok(Some(false)))
}
