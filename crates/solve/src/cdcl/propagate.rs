//! Unit propagation.

use super::Cdcl;
use super::clauses::ClauseRef;
use super::trail::{FALSE, OPEN, OUTSIDE, Reason, TRUE};
use super::watches::Watch;
use pedra_model::lit::Lit;

/// A clause whose literals are all false.
#[derive(Copy, Clone)]
pub(super) enum Conflict {
    Clause(ClauseRef),
    Binary([Lit; 2]),
    /// The clause that the theory found.
    Lemma,
}

impl Cdcl {
    /// Assigns what follows from the trail, until nothing more does or a clause is violated.
    ///
    /// Above level 0 it stays in the domain: a clause that is found to have an unassigned
    /// literal outside is passed over. Its watches may then both be false, which does no harm
    /// before the query has ended (see [`domain`](super::domain)), and is over when these
    /// levels are. Thus only variables of the domain are assigned above level 0.
    pub(super) fn propagate(&mut self) -> Option<Conflict> {
        if self.trail.level() > 0 { self.propagate_in::<false>() } else { self.propagate_fixed() }
    }

    /// Level 0: in full, and each literal becomes a step of the proof.
    fn propagate_fixed(&mut self) -> Option<Conflict> {
        let before = self.trail.lits.len();
        let conflict = self.propagate_in::<true>();
        if self.proof.is_on() {
            for &lit in &self.trail.lits[before..] {
                self.proof.derived(&[lit]);
            }
        }
        conflict
    }

    fn propagate_in<const FULL: bool>(&mut self) -> Option<Conflict> {
        while let Some(&lit) = self.trail.lits.get(self.trail.head) {
            self.trail.head += 1;
            self.stats.propagations += 1;
            let conflict = self.propagate_lit::<FULL>(!lit);
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// The clauses that watch `falsified`.
    #[inline]
    fn propagate_lit<const FULL: bool>(&mut self, falsified: Lit) -> Option<Conflict> {
        let Cdcl { arena, watches, trail, .. } = self;
        let passes = |value| value == TRUE || (!FULL && value == OUTSIDE);
        let list = falsified.index();
        let range = watches.range(list);
        let (mut from, mut to, end) = (range.start, range.start, range.end);
        let mut conflict = None;
        'watches: while from < end {
            let watch = watches.at(from);
            from += 1;
            let value = trail.value(watch.blocker);
            if passes(value) {
                watches.set(to, watch);
                to += 1;
                continue;
            }
            if watch.is_binary() {
                watches.set(to, watch);
                to += 1;
                if value == FALSE {
                    conflict = Some(Conflict::Binary([watch.blocker, falsified]));
                    break;
                }
                let reason = if FULL { Reason::NONE } else { Reason::binary(falsified) };
                trail.assign(watch.blocker, reason);
                continue;
            }
            // The other watched literal goes to the front.
            let lits = arena.lits_mut(watch.clause);
            if lits[0] == falsified {
                lits.swap(0, 1);
            }
            let first = lits[0];
            let kept = Watch { clause: watch.clause, blocker: first };
            let value = trail.value(first);
            if passes(value) {
                watches.set(to, kept);
                to += 1;
                continue;
            }
            for place in 2..lits.len() {
                let lit = lits[place];
                if trail.value(lit) != FALSE {
                    lits[1] = lit;
                    lits[place] = falsified;
                    watches.push(lit.index(), kept);
                    continue 'watches;
                }
            }
            watches.set(to, kept);
            to += 1;
            if value == FALSE {
                conflict = Some(Conflict::Clause(watch.clause));
                break;
            }
            debug_assert!(FULL || value == OPEN);
            trail.assign(first, if FULL { Reason::NONE } else { Reason::clause(watch.clause) });
        }
        while from < end {
            watches.set(to, watches.at(from));
            from += 1;
            to += 1;
        }
        watches.truncate_at(list, to);
        conflict
    }
}
