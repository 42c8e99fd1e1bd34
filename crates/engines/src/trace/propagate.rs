//! Propagation: lemmas move up to the highest frame where they hold.

use super::delta::LemmaId;
use super::space::Space;
use super::{Level, StateSet, Stopped};
use crate::context::Context;

/// "propagateClauses(k)": for `i := first` to `k − 1`, for every clause `c` of `Δ_i`: if
/// `¬SAT(F_i ∧ R ∧ ¬c')` then `F_{i+1} := F_{i+1} ∧ c`. Ends early at a fixpoint.
pub(crate) fn propagate_from<S: Space>(
    space: &mut S,
    context: &Context,
    first: Level,
) -> Result<(), Stopped> {
    for level in (first.index()..space.trace().top().index()).map(Level::new) {
        for id in smallest_first(space, level) {
            if !space.trace().is_live(id) {
                continue;
            }
            let size = space.trace().lemma(id).set().size();
            match space.find_pushed(context, id)? {
                None => {}
                Some((core, above)) if core.size() == size => {
                    space.promote_lemma(context, id, above)?;
                }
                Some((core, above)) => {
                    // A part of its conditions is enough, and covers the whole.
                    let place = space.trace().place(id);
                    space.add_lemma(context, place, core, above)?;
                }
            }
        }
        if space.trace().deltas(level).next().is_none() {
            return Ok(());
        }
    }
    Ok(())
}

/// `Δ_i` of all places. Heuristic order: a small lemma that moves up covers larger ones.
fn smallest_first<S: Space>(space: &S, level: Level) -> Vec<LemmaId> {
    let trace = space.trace();
    let mut ids: Vec<LemmaId> = trace.deltas(level).collect();
    ids.sort_by_key(|&id| (trace.lemma(id).set().size(), id));
    ids
}
