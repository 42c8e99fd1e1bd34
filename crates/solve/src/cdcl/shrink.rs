//! Model shrinking: taking variables out of a model that it does not need.
//!
//! A variable can go if every clause of the domain has a true literal without it; then all
//! completions are still models. Learnt clauses need no look, they follow from the others.
//! Nor do clauses with a variable outside of the domain (see [`domain`](super::domain)).
//!
//! The clauses in question are found through the watch list of the variable's true literal,
//! because in a model each clause of the domain has a *true watched* literal (or a fixed one,
//! which stays). Propagation may be content with a true blocker that is not watched, but not
//! for both watches: the younger of the two was made with the other watched literal as its
//! blocker, and that one has not changed since. So when the younger one became false, the other
//! watched literal was true, or the watch moved to a literal that was not false. Shrinking
//! keeps this up: where it gives a literal up, it moves the watch to another true one.

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
        if self.is_assumed(lit) || self.trail.level_of(lit) == 0 || !self.release_watches(lit) {
            return false;
        }
        self.trail.forget(var);
        true
    }

    /// Goes through the clauses that watch the true literal `lit`. Where the other watched
    /// literal is not true, the watch moves to another true literal. False if a clause of the
    /// domain has none.
    fn release_watches(&mut self, lit: Lit) -> bool {
        let Cdcl { arena, watches, trail, .. } = self;
        let range = watches.range(lit.index());
        let (mut from, mut to, end) = (range.start, range.start, range.end);
        let mut complete = true;
        while from < end {
            let watch = watches.at(from);
            from += 1;
            if watch.is_binary() {
                // A learnt one is not known as such and counts, too.
                complete = matches!(trail.value(watch.blocker), TRUE | OUTSIDE);
            } else if !arena.is_learnt(watch.clause) {
                let lits = arena.lits_mut(watch.clause);
                let own = (lits[1] == lit) as usize;
                let other = lits[1 - own];
                if !matches!(trail.value(other), TRUE | OUTSIDE) {
                    let found = (2..lits.len()).find(|&place| trail.value(lits[place]) == TRUE);
                    if let Some(place) = found {
                        lits.swap(own, place);
                        let moved = Watch { clause: watch.clause, blocker: other };
                        watches.push(lits[own].index(), moved);
                        continue;
                    }
                    complete = lits.iter().any(|&lit| trail.value(lit) == OUTSIDE);
                }
            }
            watches.set(to, watch);
            to += 1;
            if !complete {
                break;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each clause has a true literal that is watched or fixed.
    fn is_well_watched(solver: &Cdcl) -> bool {
        let is_true = |lit: Lit| solver.trail.value(lit) == TRUE;
        solver.database.originals.iter().all(|&clause| {
            let lits = solver.arena.lits(clause);
            lits[..2].iter().any(|&lit| is_true(lit))
                || lits.iter().any(|&lit| is_true(lit) && solver.trail.level_of(lit) == 0)
        })
    }

    /// Long clauses, and assumptions and shrinking that move the watches about.
    #[test]
    fn each_clause_has_a_true_watched_literal() {
        let mut state = 1u32;
        let mut below = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % bound
        };
        for round in 0..40 {
            let mut solver = Cdcl::new();
            solver.reserve_vars(Var::new(12));
            let mut any = |_| Lit::new(Var::new(1 + below(12) as usize), below(2) == 0);
            for _ in 0..15 + round {
                let clause: Vec<Lit> = (0..4 + round % 4).map(&mut any).collect();
                solver.add_clause(&clause);
            }
            for _ in 0..100 {
                let assumptions: Vec<Lit> = (0..5).map(&mut any).collect();
                if !solver.solve(&assumptions).is_sat() {
                    continue;
                }
                assert!(is_well_watched(&solver));
                for _ in 0..8 {
                    solver.flip_to_none(any(0).var());
                    assert!(is_well_watched(&solver), "after shrinking");
                }
            }
        }
    }
}
