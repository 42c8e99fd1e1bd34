//! The largest inductive part of a set of candidates.
//!
//! C. Flanagan, K. R. M. Leino: *Houdini, an Annotation Assistant for ESC/Java* (FME 2001), at the
//! locations of a graph: all candidates are assumed everywhere, and those that an edge refutes are
//! dropped, until none is. What is left is an invariant, so it holds in all frames. Calls return by
//! the candidates of the exit.

use super::graph::{EdgeId, Location};
use super::queries::Queries;
use crate::trace::{Level, Place, Stopped};
use pedra_model::lit::Lit;
use pedra_model::term::TermId;
use rustc_hash::FxHashSet;

/// Conflicts of one query.
const EFFORT: u64 = 3_000;
/// Candidates of one question. A model gives a value to every atom of its question, and those of
/// candidates that are not refuted by it are a burden, to integers above all. On LIA-Lin and LIA
/// eight at a time instead of all take 0.40 of the CPU time of what both solve (`program`, 10 s).
const TOGETHER: usize = 8;
/// When this many candidates have been too hard by themselves, the others of a location that are
/// too hard together go without a look at each: a bound on the time for candidates.
const MAX_TOO_HARD: usize = 50;

/// Leaves those of the candidates of each location that are inductive together, relative to the
/// invariants that are known. If it is stopped, what is gone was refuted, and it can go on later.
pub(super) fn inductive_part(
    queries: &mut Queries,
    candidates: &mut [Vec<TermId>],
) -> Result<(), Stopped> {
    let edges: Vec<EdgeId> = queries.graph.edge_ids().collect();
    let mut changed: FxHashSet<Location> = queries.graph.locations().collect();
    let mut too_hard = 0;
    // Edges from or into locations that lost candidates are looked at again.
    while !changed.is_empty() {
        let now = std::mem::take(&mut changed);
        for &edge in &edges {
            let to = queries.graph.edge(edge).to;
            let has_less = |source| now.contains(&source) || changed.contains(&source);
            let is_affected = now.contains(&to) || queries.graph.sources(edge).any(has_less);
            if is_affected
                && !candidates[to.index()].is_empty()
                && drop_refuted(queries, edge, candidates, &mut too_hard)?
            {
                changed.insert(to);
            }
        }
    }
    Ok(())
}

/// Drops what an edge refutes: `F_∞(p) ∧ ⋀ candidates(p) ∧ guard ∧ ¬a[values]` for a candidate `a`
/// of its target, and for calls `called ⟹ (F_∞ ∧ ⋀ candidates)(exit)[x]`. Whether something was
/// dropped.
fn drop_refuted(
    queries: &mut Queries,
    edge: EdgeId,
    candidates: &mut [Vec<TermId>],
    too_hard: &mut usize,
) -> Result<bool, Stopped> {
    let (from, to) = (queries.graph.edge(edge).from, queries.graph.edge(edge).to);
    // Candidates of the target are assumed, too, if the edge leads back: then those that were kept
    // are asked about once more when others are gone.
    let leads_back = queries.graph.sources(edge).any(|source| source == to);
    let (mut dropped, mut kept, mut dropped_at_start) = (0, 0, 0);
    loop {
        let mut assumptions = assumed(queries, edge, candidates)?;
        let images: Vec<TermId> =
            candidates[to.index()].iter().map(|&a| queries.graph.image(edge, a)).collect();
        let part = kept..images.len().min(kept + TOGETHER);
        if part.is_empty() && leads_back && dropped > dropped_at_start {
            (kept, dropped_at_start) = (0, dropped);
            continue;
        }
        if part.is_empty() {
            return Ok(dropped > 0);
        }
        let mut missed: Vec<Lit> = Vec::with_capacity(part.len());
        for &image in &images[part.clone()] {
            missed.push(!queries.lit(from, image)?);
        }
        let answer = queries
            .with_effort(Some(EFFORT), |queries| queries.solve(from, &assumptions, &[&missed]))?;
        if answer == Some(false) {
            kept = part.end;
            continue;
        }
        let mut keeps = vec![true; images.len()];
        if answer == Some(true) {
            let model = queries.model(from);
            let values = queries.evaluate(&model, images.iter().copied());
            for (keep, image) in keeps.iter_mut().zip(&images) {
                *keep = values[image].as_bv().is_true();
            }
        }
        if keeps.iter().all(|&keep| keep) {
            // Too hard together, or a model that refutes none by evaluation: one by one. What is
            // too hard by itself goes.
            for (keep, &lit) in keeps[part.clone()].iter_mut().zip(&missed) {
                *keep = *too_hard < MAX_TOO_HARD && {
                    assumptions.push(lit);
                    let alone = queries.with_effort(Some(EFFORT / 4), |queries| {
                        queries.solve(from, &assumptions, &[])
                    })?;
                    assumptions.pop();
                    *too_hard += usize::from(alone.is_none());
                    alone == Some(false)
                };
            }
        }
        if keeps.iter().all(|&keep| keep) {
            kept = part.end;
            continue;
        }
        dropped += keeps.iter().filter(|&&keep| !keep).count();
        kept = keeps[..kept].iter().filter(|&&keep| keep).count();
        let mut keep = keeps.into_iter();
        candidates[to.index()].retain(|_| keep.next().expect("one for each"));
        if candidates[to.index()].is_empty() {
            return Ok(true);
        }
    }
}

/// `F_∞(p) ∧ ⋀ candidates(p) ∧ guard`, and what calls on the edge return by.
fn assumed(
    queries: &mut Queries,
    edge: EdgeId,
    candidates: &[Vec<TermId>],
) -> Result<Vec<Lit>, Stopped> {
    let (from, guard) = (queries.graph.edge(edge).from, queries.graph.edge(edge).guard);
    let mut assumptions = queries.frame(from, Level::INFINITY)?.unwrap_or_default();
    for &candidate in &candidates[from.index()] {
        assumptions.push(queries.lit(from, candidate)?);
    }
    assumptions.push(queries.lit(from, guard)?);
    assumptions.extend(queries.call_frames(edge, 0, Level::INFINITY)?);
    for call in queries.graph.edge(edge).calls.clone() {
        let exit = queries.graph.site(from, call).exit;
        for &candidate in &candidates[exit.index()] {
            let holds = queries.graph.if_called(from, call, candidate);
            assumptions.push(queries.lit(from, holds)?);
        }
    }
    Ok(assumptions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::candidates::candidates;
    use crate::program::fixture::random_queries;
    use crate::program::samples::Samples;
    use pedra_testkit::random::{Random, runs};

    /// No edge refutes what is kept, one by one.
    #[test]
    fn what_is_kept_is_inductive() {
        let mut random = Random::new(31);
        let (mut proposed, mut asked) = (0, 0);
        for round in 0..runs(100) {
            let mut queries = random_queries(&mut random, round % 2 == 0);
            let samples = Samples::take(&queries.graph, 0);
            let mut kept = candidates(&mut queries.graph, &samples);
            proposed += kept.iter().map(Vec::len).sum::<usize>();
            let done = inductive_part(&mut queries, &mut kept);
            done.unwrap_or_else(|_| panic!("nothing stops it"));
            assert!(kept[Location::ENTRY.index()].is_empty());
            for edge in queries.graph.edge_ids() {
                let (from, to) = (queries.graph.edge(edge).from, queries.graph.edge(edge).to);
                let guard = queries.graph.edge(edge).guard;
                let before = kept[from.index()].iter().copied().chain([guard]);
                let lit = |queries: &mut Queries, term| {
                    queries.lit(from, term).unwrap_or_else(|_| panic!("nothing stops it"))
                };
                let known: Vec<Lit> = before.map(|term| lit(&mut queries, term)).collect();
                for &candidate in &kept[to.index()] {
                    let image = queries.graph.image(edge, candidate);
                    let missed = !lit(&mut queries, image);
                    let answer = queries.solve(from, &known, &[&[missed]]);
                    assert!(matches!(answer, Ok(Some(false))), "round {round}");
                    asked += 1;
                }
            }
        }
        assert!(asked > 100 && proposed > 100, "{asked} of {proposed}");
    }
}
