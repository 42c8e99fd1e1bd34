//! Which places become cut points of blocks ([`crate::blocks`]).

use crate::graph::{PlaceId, Procedure, Program};
use crate::passes::body;
use crate::passes::live::Live;

/// The targets of back edges of a depth-first search from the entry. Every cycle that the entry
/// reaches has one: the place of the cycle that is entered first is on the stack until the rest of
/// the cycle was seen.
///
/// All edges count, also those that never matter or that a pass has closed: a proof needs an
/// invariant for the cycles of the graph as it was.
///
/// Also the places in reverse postorder, in which all edges but back edges lead forwards.
pub(crate) fn find_heads(body: &Procedure) -> (Vec<bool>, Vec<PlaceId>) {
    let outgoing = body.outgoing();
    let mut is_head = vec![false; body.places.len()];
    let (mut is_open, mut is_seen) = (is_head.clone(), is_head.clone());
    let (mut stack, mut order) = (vec![(body.entry, 0)], Vec::new());
    (is_open[body.entry.index()], is_seen[body.entry.index()]) = (true, true);
    while let Some((place, next)) = stack.last_mut() {
        let Some(&edge) = outgoing[place.index()].get(*next) else {
            is_open[place.index()] = false;
            order.push(*place);
            stack.pop();
            continue;
        };
        *next += 1;
        let to = body.edge(edge).to;
        if is_open[to.index()] {
            is_head[to.index()] = true;
        } else if !std::mem::replace(&mut is_seen[to.index()], true) {
            is_open[to.index()] = true;
            stack.push((to, 0));
        }
    }
    order.reverse();
    (is_head, order)
}

/// Joins that are in the parts of too many cut points. They become cut points themselves, so that
/// all blocks together are linear in the program.
pub(crate) fn find_shared(
    program: &Program,
    live: &Live,
    heads: &[bool],
    order: &[PlaceId],
    max_sources: usize,
) -> Vec<bool> {
    let body = body(program);
    let mut is_shared = vec![false; body.places.len()];
    let mut edges_into = vec![0; body.places.len()];
    for &edge in live.outgoing.iter().flatten() {
        edges_into[body.edge(edge).to.index()] += 1;
    }
    let mut sources: Vec<Vec<PlaceId>> = vec![Vec::new(); body.places.len()];
    for &place in order {
        let here = std::mem::take(&mut sources[place.index()]);
        let is_join = edges_into[place.index()] > 1;
        is_shared[place.index()] = is_join && here.len() > max_sources;
        let is_cut = heads[place.index()] || is_shared[place.index()] || place == body.entry;
        let here = if is_cut { vec![place] } else { here };
        for &edge in &live.outgoing[place.index()] {
            let to = &mut sources[body.edge(edge).to.index()];
            to.extend(here.iter().copied());
            to.sort_unstable();
            to.dedup();
            // More than that need not be told apart.
            to.truncate(max_sources.saturating_add(1));
        }
    }
    is_shared
}
