//! Which edges and which variables matter for the properties: cone of influence and live variables
//! in one analysis.
//!
//! An edge matters if it lies on a path of the graph from the entry to an error place. All such
//! edges are kept with their guards, so neither an assumption nor a loop that may not end is lost:
//! only what no violation can visit is. A variable is live at a place if an edge that matters and
//! that can follow reads it in its guard, or in the new value of a variable that is live behind it
//! (*strongly* live). A variable that no guard depends on is live nowhere.
//!
//! With summaries, an edge also matters on a path to the exit of a part, and a step that returns
//! from a call reads what the summary speaks of. That is as much as matters: of the values after,
//! those that are live behind some call; of the values before, those that are live where the part
//! begins.

use super::{body, step_of, symbols_of, variables_by_symbol};
use crate::graph::{EdgeId, PlaceId, Procedure, Program, VariableId};
use pedra_model::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What matters.
#[derive(Clone, Debug)]
pub struct Live {
    /// For each place the edges that begin there and matter, in order.
    pub outgoing: Vec<Vec<EdgeId>>,
    /// For each place whether edges whose guard is not plainly false lead there from the entry.
    pub is_reached: Vec<bool>,
    /// For each place whether an edge that matters touches it; the entry always counts.
    pub is_used: Vec<bool>,
    /// For each place the variables that are live there, in ascending order.
    pub variables: Vec<Vec<VariableId>>,
}

/// Analyses a program without calls.
pub fn find_live(program: &Program) -> Live {
    let body = body(program);
    let (is_reached, matters) = find_edges(program);
    let mut outgoing = vec![Vec::new(); body.places.len()];
    let mut is_used = vec![false; body.places.len()];
    is_used[body.entry.index()] = true;
    for (index, edge) in body.edges.iter().enumerate().filter(|(index, _)| matters[*index]) {
        outgoing[edge.from.index()].push(EdgeId::new(index));
        is_used[edge.from.index()] = true;
        is_used[edge.to.index()] = true;
    }
    let variables = find_variables(program, &matters);
    Live { outgoing, is_reached, is_used, variables }
}

/// For each place whether a path from the entry leads there, and for each edge whether it is on one
/// to an error place.
fn find_edges(program: &Program) -> (Vec<bool>, Vec<bool>) {
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
    let errors = program.properties.iter().map(|property| property.error.place);
    let exits = program.summaries.iter().map(|summary| summary.exit);
    let backward = closure(errors.chain(exits).collect(), &|place| {
        open(&incoming[place.index()]).into_iter().map(|edge| body.edge(edge).from).collect()
    });
    let matters = |(index, edge): (usize, &crate::graph::Edge)| {
        forward[edge.from.index()] && backward[edge.to.index()] && is_open(EdgeId::new(index))
    };
    let matters = body.edges.iter().enumerate().map(matters).collect();
    (forward, matters)
}

/// What an edge reads.
struct Reads {
    guard: Vec<VariableId>,
    updates: Vec<(VariableId, Vec<VariableId>)>,
    /// For each variable of a summary what its value in a call reads.
    returns: Vec<(VariableId, Vec<VariableId>)>,
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
        reads.push(matters.then(|| {
            Reads {
                guard: step.guard.map_or(Vec::new(), |guard| read(guard, &variables)),
                updates: step
                    .updates
                    .iter()
                    .map(|&(v, value)| (v, read(value, &variables)))
                    .collect(),
                returns: step
                    .returns
                    .iter()
                    .flat_map(|returns| {
                        let values = returns.values(&program.summaries[returns.summary]);
                        values.map(|(v, value)| (v, read(value, &variables))).collect::<Vec<_>>()
                    })
                    .collect(),
            }
        }));
    }
    // Backwards until nothing changes. Sets are lists: of many variables few are live anywhere.
    let mut live: Vec<Vec<VariableId>> = vec![Vec::new(); body.places.len()];
    let incoming = body.incoming();
    let rank = postorder(body, matters);
    let mut queue: BTreeSet<(usize, PlaceId)> =
        (0..body.places.len()).map(|index| (rank[index], PlaceId::new(index))).collect();
    let mut of_summaries: FxHashSet<VariableId> = FxHashSet::default();
    loop {
        let Some((_, place)) = queue.pop_first() else {
            let more = needed_of_summaries(program, matters, &live, &mut of_summaries);
            if more.is_empty() {
                break;
            }
            // Exits have more live variables, and calls read more.
            for summary in &program.summaries {
                let here = &mut live[summary.exit.index()];
                here.extend(summary.variables().filter(|v| of_summaries.contains(v)));
                here.sort_unstable();
                here.dedup();
            }
            queue = (0..body.places.len()).map(|i| (rank[i], PlaceId::new(i))).collect();
            continue;
        };
        for &edge in &incoming[place.index()] {
            let Some(reads) = &reads[edge.index()] else { continue };
            let from = body.edge(edge).from;
            let after = &live[place.index()];
            let mut before = live[from.index()].clone();
            let is_updated = |v: &&VariableId| reads.updates.iter().any(|(u, _)| u == *v);
            before.extend(after.iter().filter(|v| !is_updated(v)));
            let needed = reads.updates.iter().filter(|(v, _)| after.binary_search(v).is_ok());
            before.extend(needed.flat_map(|(_, read)| read));
            before.extend(&reads.guard);
            let asked = reads.returns.iter().filter(|(v, _)| of_summaries.contains(v));
            before.extend(asked.flat_map(|(_, read)| read));
            before.sort_unstable();
            before.dedup();
            if before.len() > live[from.index()].len() {
                live[from.index()] = before;
                queue.insert((rank[from.index()], from));
            }
        }
    }
    live
}

/// The variables of summaries that matter, given what is live; gives those that are new.
fn needed_of_summaries(
    program: &Program,
    matters: &[bool],
    live: &[Vec<VariableId>],
    known: &mut FxHashSet<VariableId>,
) -> Vec<VariableId> {
    let is_live = |place: PlaceId, v: &VariableId| live[place.index()].binary_search(v).is_ok();
    let mut needed = Vec::new();
    for summary in &program.summaries {
        let before = summary.before.iter().filter(|(v, _)| is_live(summary.entry, v));
        needed.extend(before.map(|(_, kept)| *kept));
    }
    for (edge, _) in body(program).edges.iter().zip(matters).filter(|(_, matters)| **matters) {
        let step = step_of(edge);
        let Some(returns) = &step.returns else { continue };
        let after = &program.summaries[returns.summary].after;
        for (&variable, value) in after.iter().zip(&returns.after) {
            // The value is an input, which is put into variables as it is.
            let mut to = step.updates.iter().filter(|(_, new)| new == value);
            if to.any(|(v, _)| is_live(edge.to, v)) {
                needed.push(variable);
            }
        }
    }
    needed.retain(|&variable| known.insert(variable));
    needed
}

/// A number for each place, smaller for what comes later: the postorder of a depth-first search.
/// Heuristic: any order gives the same result, this one soon.
fn postorder(body: &Procedure, matters: &[bool]) -> Vec<usize> {
    let outgoing = body.outgoing();
    let (mut rank, mut next_rank) = (vec![usize::MAX; body.places.len()], 0);
    let mut is_seen = vec![false; body.places.len()];
    is_seen[body.entry.index()] = true;
    let mut stack = vec![(body.entry, 0)];
    while let Some((place, next)) = stack.last_mut() {
        let Some(&edge) = outgoing[place.index()].get(*next) else {
            rank[place.index()] = next_rank;
            next_rank += 1;
            stack.pop();
            continue;
        };
        *next += 1;
        let to = body.edge(edge).to;
        if matters[edge.index()] && !std::mem::replace(&mut is_seen[to.index()], true) {
            stack.push((to, 0));
        }
    }
    rank
}
