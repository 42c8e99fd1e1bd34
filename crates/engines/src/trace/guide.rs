//! What another search knows: hints about lemmas, states that complete a counterexample, depths
//! that are safe.
//!
//! fbPDR runs two searches that guide each other (`fb::guide`); all others have [`NoGuide`]. A
//! guide can end a search early and save work. It cannot make an answer wrong: lemmas are still
//! admitted by queries, and a meeting only stops the search for a closer look.

use super::Level;

/// Knowledge from elsewhere about the sets of states of a search.
pub(crate) trait Guide<V: ?Sized + ToOwned> {
    /// Heuristic: whether a lemma should not be this wide, because it excludes states that belong
    /// into every invariant.
    fn restricts(&self, _set: &V) -> bool {
        false
    }

    /// Heuristic: whether a lemma is not worth pushing, for the same reason.
    fn dooms(&self, _set: &V) -> bool {
        false
    }

    /// Heuristic: narrows a part of a set until the guide [restricts](Guide::restricts) it no more
    /// than the whole.
    fn separate(&self, _part: &mut V::Owned, _whole: &V) {}

    /// Heuristic: a candidate for the lemma that excludes an obligation of this depth, whose query
    /// had this core.
    fn hint(&mut self, _set: &V, _core: &V, _depth: usize) -> Option<V::Owned> {
        None
    }

    /// Whether the obligation with this number completes a counterexample of a property that is
    /// still open; the guide takes note of it, and the search stops.
    fn meets(
        &mut self,
        _number: usize,
        _set: &V,
        _is_open: &dyn Fn(Option<usize>) -> bool,
    ) -> bool {
        false
    }

    /// Whether an obligation at this level, this many steps before a violation, is void, since it
    /// would be part of a counterexample that is known not to exist; then gives the first level at
    /// which it is not.
    fn void_until(&mut self, _level: Level, _depth: usize) -> Option<Level> {
        None
    }

    /// Whether lemmas came in without a query, so that frames may not be closed and a fixpoint has
    /// to be looked at again. *Required for soundness*.
    fn has_trusted(&self) -> bool {
        false
    }

    /// The search restarts: what was said about its progress is void.
    fn forget_progress(&mut self) {}
}

/// No other search is there to help.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct NoGuide;

impl<V: ?Sized + ToOwned> Guide<V> for NoGuide {}
