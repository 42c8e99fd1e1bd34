//! Which part of the unrolling is refuted: min-suffix, and the strong induction of kAvy.
//!
//! **Min-suffix** (AVY): the greatest `i` such that no path leads from `F_i` along the frames to
//! a bad state at step `N`. The interpolants up to `I_i` are true, and the frames up to `F_i` need
//! not be touched. In the words of kAvy, `i` is the *extension level*.
//!
//! **kAvy**: H. G. V. Krishnan, Y. Vizel, V. Ganesh, A. Gurfinkel: *Interpolating Strong
//! Induction*, CAV 2019. `(i, k)` with `k ≤ i + 1` is a *strong extension level* if
//!
//! ```text
//! F_i ∧ Tr ∧ … ∧ F_i ∧ Tr  ∧  F_{i+1} ∧ Tr ∧ … ∧ F_N ∧ Bad
//! └────── k times ──────┘
//! ```
//!
//! has no path: the `k` steps `i − k + 1, …, i` all use `F_i`. With `k = 1` this is the suffix from
//! `i`. Strong induction often works for a greater `i`; then less of the trace is touched, and
//! clauses are relative to a higher frame. [`strengthen`](super::Avy::strengthen) uses the
//! refutation.
//!
//! The frames are weaker the higher they are. So if `(i, k)` is not a strong extension level for
//! any `k` up to a limit, neither is `(i + 1, k)`; and if `(i, k)` is one, so is `(i, k + 1)`. The
//! search takes the greatest `i`, then the least `k`. It starts just above the last result, goes up
//! while queries are refuted and down while they are not. Each refutation shows which steps it
//! needs, so `k` is mostly found at once.
//!
//! The first of `i + 1` steps of `F_i` is step 0, but need not be initial: a clause that excludes
//! what one step from the initial states does not reach is not inductive relative to `F_i`.

use super::unrolling::{Query, Unrolling};
use crate::pdr::Stopped;
use pedra_solve::interpolate::Refutation;

/// The steps from `first` on; those up to `level` use the frame `F_level`, all others their own.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Extension {
    /// The first step.
    pub(super) first: usize,
    /// The extension level `i`.
    pub(super) level: usize,
}

impl Extension {
    /// The extension level `i` with `k` steps, or as many as there are.
    fn new(level: usize, k: usize) -> Extension {
        Extension { first: (level + 1).saturating_sub(k), level }
    }

    /// The frame that a step uses.
    pub(super) fn level_of(self, step: usize) -> usize {
        step.max(self.level)
    }

    /// How many steps use `F_i`.
    fn k(self) -> usize {
        self.level - self.first + 1
    }
}

/// What the bounded query says.
pub(super) enum Found {
    /// There is a path from an initial state; the solver has it.
    Path,
    /// There is none, for this part of the unrolling.
    Refuted(Extension, Refutation),
}

impl Unrolling {
    /// Refutes the query, or finds a path. `guess` is the result for the bound before.
    pub(super) fn find(&mut self, query: &Query, guess: Extension) -> Result<Found, Stopped> {
        if !query.options.suffix {
            let refuted = self.refute(query, Extension::default())?;
            return Ok(refuted.map_or(Found::Path, |(at, why)| Found::Refuted(at, why)));
        }
        // `F_N` has bad states, or nothing would have been asked; at step 0 this is not known.
        let mut open = query.last.max(1);
        let mut level = (guess.level + 1).min(open - 1);
        let mut k = guess.k();
        let mut best = None;
        while level < open {
            match self.refute_level(query, level, k)? {
                Some((at, refutation)) => {
                    (level, k) = (at.level + 1, at.k());
                    best = Some((at, refutation));
                }
                None if best.is_some() => break,
                None if level == 0 => return Ok(Found::Path),
                None => (open, level) = (level, level - 1),
            }
        }
        let (mut at, mut refutation) = best.expect("some level was refuted");
        // The least k.
        while at.k() > 1 {
            match self.refute(query, Extension::new(at.level, at.k() - 1))? {
                Some(better) => (at, refutation) = better,
                None => break,
            }
        }
        Ok(Found::Refuted(at, refutation))
    }

    /// Is `(i, k)` a strong extension level, for this `k` or the greatest that is allowed?
    fn refute_level(
        &mut self,
        query: &Query,
        level: usize,
        k: usize,
    ) -> Result<Option<(Extension, Refutation)>, Stopped> {
        let widest = Extension::new(level, query.options.max_k());
        let at = Extension::new(level, k);
        let refuted = self.refute(query, at)?;
        if refuted.is_none() && at.first > widest.first {
            return self.refute(query, widest);
        }
        Ok(refuted)
    }

    /// Refutes the query from the first step of an extension on; says what of it is needed.
    fn refute(
        &mut self,
        query: &Query,
        at: Extension,
    ) -> Result<Option<(Extension, Refutation)>, Stopped> {
        if self.check(query, at)? {
            return Ok(None);
        }
        let first = self.first_needed(query, at);
        let needed = Extension { first, level: at.level_of(first) };
        if query.options.core {
            self.minimise(query, needed)?;
        }
        Ok(Some((needed, self.layers.refutation())))
    }
}
