//! Model shrinking: taking variables out of a model that it does not need.
//!
//! A variable can go if every clause of the domain has a true literal without it; then all
//! completions are still models. Learnt clauses need no look, they follow from the others.
//! Nor do clauses with a variable outside of the domain (see [`domain`](super::domain)).
//!
//! To find the clauses in question through the watch lists, each needs a *true* watched
//! literal. Propagation does not ensure this: it is content with a true blocker. So the first
//! call after an answer moves such watches to true literals, which costs about as much as
//! propagating the model once more.

use super::Cdcl;
use super::trail::{OUTSIDE, TRUE};
use super::watches::Watch;
use crate::sat::{SatResult, SatSolver};
use pedra_model::lit::{Lit, Var};

impl Cdcl {
    /// Takes `var` out of the model of the last answer, if every completion of the rest still
    /// satisfies all assumptions and all clauses of the domain. Says whether it did (or the
    /// variable had no value before).
    ///
    /// Assumptions and fixed variables always stay. Which variables can go depends on the
    /// order of the calls: two variables may each be dispensable, but not both.
    pub fn flip_to_none(&mut self, var: Var) -> bool {
        if self.answer != Some(SatResult::Sat) || var == Var::CONST {
            return false;
        }
        let Some(value) = self.value(var.lit()) else {
            return true;
        };
        let lit = Lit::new(var, !value);
        if self.is_assumed(lit) || self.trail.level_of(lit) == 0 {
            return false;
        }
        if !self.watches_are_true {
            self.watch_true_literals();
            self.watches_are_true = true;
        }
        if !self.release_watches(lit) {
            return false;
        }
        self.trail.forget(var);
        true
    }

    /// Gives every clause of the domain (but learnt ones) a true watched literal.
    fn watch_true_literals(&mut self) {
        for place in self.trail.fixed().len()..self.trail.lits.len() {
            let falsified = !self.trail.lits[place];
            self.move_watches(falsified, |_| true);
        }
    }

    /// Moves watches away from the true literal `lit` where no other watched literal is true.
    /// False if a clause has no other true literal.
    fn release_watches(&mut self, lit: Lit) -> bool {
        self.move_watches(lit, |_| false)
    }

    /// Goes through the clauses that watch `lit`. If the other watched literal is not true, and
    /// the clause matters, the watch moves to a true literal other than `lit`. If there is
    /// none, ends with false unless `go_on` says to pass over the clause.
    fn move_watches(&mut self, lit: Lit, go_on: impl Fn(Lit) -> bool) -> bool {
        let Cdcl { arena, watches, trail, .. } = self;
        let range = watches.range(lit.index());
        let (mut from, mut to, end) = (range.start, range.start, range.end);
        let mut complete = true;
        while from < end {
            let watch = watches.at(from);
            from += 1;
            if watch.is_binary() {
                // A learnt one is not known as such and counts, too.
                if !matches!(trail.value(watch.blocker), TRUE | OUTSIDE) && !go_on(lit) {
                    complete = false;
                    from -= 1;
                    break;
                }
                watches.set(to, watch);
                to += 1;
                continue;
            }
            let learnt = arena.is_learnt(watch.clause);
            let lits = arena.lits_mut(watch.clause);
            let own = (lits[1] == lit) as usize;
            let other = lits[1 - own];
            if !learnt && !matches!(trail.value(other), TRUE | OUTSIDE) {
                let found = (2..lits.len()).find(|&place| trail.value(lits[place]) == TRUE);
                if let Some(place) = found {
                    lits.swap(own, place);
                    watches.push(lits[own].index(), Watch { clause: watch.clause, blocker: other });
                    continue;
                }
                let matters = lits.iter().all(|&lit| trail.value(lit) != OUTSIDE);
                if matters && !go_on(lit) {
                    complete = false;
                    from -= 1;
                    break;
                }
            }
            watches.set(to, watch);
            to += 1;
        }
        while from < end {
            watches.set(to, watches.at(from));
            from += 1;
            to += 1;
        }
        watches.truncate_at(lit.index(), to);
        complete
    }
}
