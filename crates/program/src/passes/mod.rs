//! Passes over programs without calls. They keep all places, edges and variables with their
//! numbers. Constant propagation keeps inputs too, so that a trace of its result is one of what it
//! was made of, and an invariant becomes one by adding what the pass found out. Elements have a way
//! back of their own.
//!
//! - [`constants`]: constant propagation.
//! - [`follow`]: only runs that pass marks in an order; for programs with calls, too.
//! - [`elements`]: small arrays as scalars.
//! - [`integers`]: words read as integers, to find invariants.
//! - [`live`]: which edges and variables matter at all.
//! - [`slots`]: of arrays only a few elements, to find invariants for all.
//! - [`undefined`]: checks of undefined behaviour as assumptions or as properties.

pub mod constants;
pub mod elements;
pub mod follow;
pub mod integers;
pub mod live;
pub mod slots;
pub mod undefined;

use crate::graph::{Action, Edge, Procedure, Program, Step, VariableId};
use pedra_model::term::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The one procedure of a program without calls.
pub(crate) fn body(program: &Program) -> &Procedure {
    program.procedure(program.entry)
}

/// What an edge does in a program without calls.
///
/// # Panics
/// If it is a call.
pub(crate) fn step_of(edge: &Edge) -> &Step {
    match &edge.action {
        Action::Step(step) => step,
        Action::Call(_) => panic!("calls are inlined before"),
    }
}

/// Whose symbol a term is.
pub fn variables_by_symbol(program: &Program) -> FxHashMap<TermId, VariableId> {
    let ids = (0..program.variables.len()).map(VariableId::new);
    ids.map(|id| (program.term_of(id), id)).collect()
}

/// The symbols that terms speak of, each once.
pub fn symbols_of(terms: &Terms, roots: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
    let mut stack: Vec<TermId> = roots.into_iter().collect();
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend(terms.get(term).args());
            if terms.symbol_of(term).is_some() {
                found.push(term);
            }
        }
    }
    found
}
