//! Which edges and which variables matter for the properties: cone of influence and live variables
//! in one analysis.
//!
//! An edge matters if it lies on a path of the graph from the entry to an error place. All such
//! edges are kept with their guards, so neither an assumption nor a loop that may not end is lost:
//! only what no violation can visit is. A variable is live at a place if an edge that matters and
//! that can follow reads it in its guard, or in the new value of a variable that is live behind it
//! (*strongly* live). A variable that no guard depends on is live nowhere.

use super::{body, step_of, symbols_of, variables_by_symbol};
use crate::graph::{EdgeId, PlaceId, Program, VariableId};
use pedra_model::term::TermId;
use rustc_hash::FxHashMap;

/// What matters.
#[derive(Clone, Debug)]
pub struct Live {
    /// For each place the edges that begin there and matter, in order.
    pub outgoing: Vec<Vec<EdgeId>>,
    /// For each place whether an edge that matters touches it; the entry always counts.
    pub is_used: Vec<bool>,
    /// For each place the variables that are live there, in ascending order.
    pub variables: Vec<Vec<VariableId>>,
}

/// Analyses a program without calls.
pub fn find_live(program: &Program) -> Live {
    let body = body(program);
    let matters = find_edges(program);
    let mut outgoing = vec![Vec::new(); body.places.len()];
    let mut is_used = vec![false; body.places.len()];
    is_used[body.entry.index()] = true;
    for (index, edge) in body.edges.iter().enumerate().filter(|(index, _)| matters[*index]) {
        outgoing[edge.from.index()].push(EdgeId::new(index));
        is_used[edge.from.index()] = true;
        is_used[edge.to.index()] = true;
    }
    let variables = find_variables(program, &matters);
    Live { outgoing, is_used, variables }
}

/// For each edge whether it is on a path from the entry to an error place.
fn find_edges(program: &Program) -> Vec<bool> {
    let body = body(program);
    let is_open = |edge: EdgeId| {
        let guard = step_of(body.edge(edge)).guard;
        !guard.is_some_and(|guard| program.terms.is_bool(guard, false))
    };
    let closure = |starts: Vec<PlaceId>, next: &dyn Fn(PlaceId) -> Vec<PlaceId>| {
        let mut seen = vec![false; body.places.len()];
        let mut stack = starts;
        while let Some(place) = stack.pop() {
            if !std::mem::replace(&mut seen[place.index()], true) {
                stack.extend(next(place));
            }
        }
        seen
    };
    let (outgoing, incoming) = (body.outgoing(), body.incoming());
    let open = |list: &[EdgeId]| -> Vec<EdgeId> {
        list.iter().copied().filter(|&edge| is_open(edge)).collect()
    };
    let forward = closure(vec![body.entry], &|place| {
        open(&outgoing[place.index()]).into_iter().map(|edge| body.edge(edge).to).collect()
    });
    let errors = program.properties.iter().map(|property| property.error.place).collect();
    let backward = closure(errors, &|place| {
        open(&incoming[place.index()]).into_iter().map(|edge| body.edge(edge).from).collect()
    });
    let matters = |(index, edge): (usize, &crate::graph::Edge)| {
        forward[edge.from.index()] && backward[edge.to.index()] && is_open(EdgeId::new(index))
    };
    body.edges.iter().enumerate().map(matters).collect()
}

/// What an edge reads.
struct Reads {
    guard: Vec<VariableId>,
    updates: Vec<(VariableId, Vec<VariableId>)>,
}

fn find_variables(program: &Program, matters: &[bool]) -> Vec<Vec<VariableId>> {
    let body = body(program);
    let variables = variables_by_symbol(program);
    let read = |term: TermId, variables: &FxHashMap<TermId, VariableId>| -> Vec<VariableId> {
        let symbols = symbols_of(&program.terms, [term]);
        symbols.into_iter().filter_map(|symbol| variables.get(&symbol).copied()).collect()
    };
    let mut reads: Vec<Option<Reads>> = Vec::with_capacity(body.edges.len());
    for (edge, &matters) in body.edges.iter().zip(matters) {
        let step = step_of(edge);
        reads.push(matters.then(|| Reads {
            guard: step.guard.map_or(Vec::new(), |guard| read(guard, &variables)),
            updates: step.updates.iter().map(|&(v, value)| (v, read(value, &variables))).collect(),
        }));
    }
    // Backwards until nothing changes; a place is looked at again when it got more.
    let words = program.variables.len().div_ceil(64);
    let mut live = vec![vec![0u64; words]; body.places.len()];
    let incoming = body.incoming();
    let mut is_queued = vec![true; body.places.len()];
    let mut queue: Vec<PlaceId> = (0..body.places.len()).map(PlaceId::new).collect();
    while let Some(place) = queue.pop() {
        is_queued[place.index()] = false;
        for &edge in &incoming[place.index()] {
            let Some(reads) = &reads[edge.index()] else { continue };
            let from = body.edge(edge).from;
            let mut before = live[place.index()].clone();
            for (variable, _) in &reads.updates {
                before[variable.index() / 64] &= !(1 << (variable.index() % 64));
            }
            let after = &live[place.index()];
            let is_live = |v: &VariableId| after[v.index() / 64] >> (v.index() % 64) & 1 == 1;
            let needed = reads.updates.iter().filter(|(v, _)| is_live(v)).flat_map(|(_, r)| r);
            for variable in needed.chain(&reads.guard) {
                before[variable.index() / 64] |= 1 << (variable.index() % 64);
            }
            let known = &mut live[from.index()];
            let mut has_more = false;
            for (known, more) in known.iter_mut().zip(before) {
                has_more |= more & !*known != 0;
                *known |= more;
            }
            if has_more && !std::mem::replace(&mut is_queued[from.index()], true) {
                queue.push(from);
            }
        }
    }
    let list = |bits: &Vec<u64>| {
        let is_set = |v: &usize| bits[v / 64] >> (v % 64) & 1 == 1;
        (0..program.variables.len()).filter(is_set).map(VariableId::new).collect()
    };
    live.iter().map(list).collect()
}
