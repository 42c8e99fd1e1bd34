//! What the directions share with each other between their turns.

use super::dual_rail::{Limits, Sets, find_cubes};
use super::options::{Import, Lemmas};
use super::{FbPdr, other};
use crate::context::Context;
use crate::events::{Direction, Event};
use crate::trace::{Level, Stopped};
use pedra_model::lit::Lit;

/// How often something was exchanged.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchanges {
    /// Counterexamples that were stitched from two halves.
    pub meetings: u64,
    /// Lemmas that were offered.
    pub offered: u64,
    /// Lemmas that were taken in.
    pub imported: u64,
    /// Frames that were skipped.
    pub extended: u64,
}

/// One exchange looks at this many frames of the other direction, from the one that is good for
/// most levels on.
const FRAMES: usize = 3;

/// Conflicts that finding one cube may cost.
const CONFLICTS: u64 = 1000;

impl FbPdr<'_> {
    /// After a turn: the direction that ran tells what it knows.
    pub(super) fn exchange(&mut self, context: &Context, from: Direction) {
        if self.options.obligations > 0 {
            self.tell_obligations(context, from);
        }
        if self.takes_lemmas(other(from)) {
            if self.options.hints {
                let lemmas = self.search(from).all_lemmas();
                self.search_mut(other(from)).take_hints(&lemmas);
            }
            // Stopped by the interrupt: the next turn will see it, too.
            let _ = self.offer_lemmas(context, from);
        }
        if self.options.extend {
            self.extend(context, from);
        }
    }

    /// Exchange A: obligations enlarge the other side's start set.
    fn tell_obligations(&mut self, context: &Context, from: Direction) {
        let max = self.options.obligations as usize;
        let published = self.search_mut(from).publish(context, max);
        let count = published.len();
        let deepest = published.first().map_or(0, |p| p.depth);
        context.detail(|| Event::ObligationsShared { from, count, deepest });
        self.search_mut(other(from)).hear(published);
    }

    fn takes_lemmas(&self, direction: Direction) -> bool {
        let takes = match self.options.importers() {
            Import::Forward => direction == Direction::Forward,
            Import::Reverse => direction == Direction::Backward,
            Import::Both => true,
        };
        takes && self.options.lemmas != Lemmas::Off
    }

    /// Exchange B: cubes inside the frames of `from` are states that the other side can
    /// exclude. Which level goes with which is in [`claimed_level`].
    fn offer_lemmas(&mut self, context: &Context, from: Direction) -> Result<(), Stopped> {
        let to = other(from);
        let Some(discharged) = self.search(from).search.safe().discharged() else { return Ok(()) };
        let top = self.search(to).top();
        context.detail(|| Event::Turned { direction: to });
        let (mut offers, mut imported, mut frames) = (self.options.offers as usize, 0, 0);
        let before = offers;
        // Low frames are small, and good for many levels of the other side.
        for frame in 1..=discharged.index() {
            let level = claimed_level(from, discharged, frame).min(top);
            if offers == 0 || frames == FRAMES || level == Level::ZERO {
                break;
            }
            let Some(excluded) = self.search(from).excluded(frame) else { break };
            frames += 1;
            let average = excluded.iter().map(Vec::len).sum::<usize>() / excluded.len().max(1);
            let length = average.max(2);
            let limits = Limits { length, count: offers, conflicts: CONFLICTS };
            let against = self.search(to).against_start();
            // What is excluded there already is nothing new.
            let known = self.search(to).excluded(level.index()).unwrap_or_default();
            let num_vars = self.search(from).num_vars();
            let interrupt = &context.interrupt;
            let sets = Sets { excluded: &excluded, known: &known, one_of: &against };
            for cube in find_cubes(sets, num_vars, limits, interrupt) {
                offers -= 1;
                imported += self.import(context, to, cube, level)? as u64;
            }
        }
        let offered = (before - offers) as u64;
        self.exchanges.offered += offered;
        self.exchanges.imported += imported;
        context.detail(|| Event::LemmasShared {
            from,
            offered: offered as usize,
            imported: imported as usize,
        });
        Ok(())
    }

    fn import(
        &mut self,
        context: &Context,
        to: Direction,
        cube: Vec<Lit>,
        level: Level,
    ) -> Result<bool, Stopped> {
        let is_trusted = self.options.lemmas == Lemmas::Theorem;
        let search = self.search_mut(to);
        let reached = match is_trusted {
            true => search.import_trusted(context, cube, level)?,
            false => search.import_checked(context, cube)?,
        };
        Ok(reached.is_some())
    }

    /// The other side continues where `from` is, if it is behind.
    fn extend(&mut self, context: &Context, from: Direction) {
        let Some(safe) = self.search(from).search.safe().safe_up_to() else { return };
        let to = other(from);
        context.detail(|| Event::Turned { direction: to });
        let opened = self.search_mut(to).extend(context, safe);
        if opened > 0 {
            self.exchanges.extended += opened as u64;
            let voided = self.search(to).voided();
            context.detail(|| Event::Extended { direction: to, depth: safe, voided });
        }
    }
}

/// Up to which level the other side can exclude the states of a frame, when the frontier of
/// `discharged` was found empty by `from` itself.
///
/// Reverse to forward: let `x ∈ RR_j` be reached from `Init` in `m ≥ 1` steps. By closure the
/// state after the first step is in `RR_{j+m−1}`, and if that is within `RR_K` it contradicts
/// `Init ∧ C ∧ T ∧ RR'_K = ∅`. So `m ≤ K + 1 − j` is impossible (and `m = 0` is a matter of
/// initiation).
///
/// Forward to reverse: let `x ∈ F_j` violate a property in `m` steps. The violating state is in
/// `F_{j+m}`; if that is within `F_K` it contradicts `F_K ∧ C ∧ bad = ∅`. So `m ≤ K − j` is
/// impossible.
fn claimed_level(from: Direction, discharged: Level, frame: usize) -> Level {
    let k = discharged.index();
    match from {
        Direction::Backward => Level::new((k + 1).saturating_sub(frame)),
        Direction::Forward => Level::new(k.saturating_sub(frame)),
    }
}
