//! What a conflict teaches.
//!
//! The learnt clause is that of the first unique implication point (Marques-Silva and Sakallah
//! 1996; Zhang and others 2001), minimised by removing literals that follow from the others
//! (Sörensson and Biere 2009), with a stack in place of recursion. If an assumption turns out
//! to be false, the same graph tells which other assumptions are to blame.

use super::clauses::{Arena, ClauseRef};
use super::propagate::Conflict;
use super::trail::{Reason, Trail, Why};
use super::{ACTIVATION, Cdcl};
use pedra_model::lit::Lit;

/// Working memory; empty (and all marks false) between calls.
#[derive(Clone, Default)]
pub(super) struct Analysis {
    /// By variable.
    seen: Vec<bool>,
    /// The literals whose variables are marked.
    marked: Vec<Lit>,
    stack: Vec<Lit>,
    /// The clause that is being learnt; its first literal is the one to assert.
    pub(super) learnt: Vec<Lit>,
}

impl Analysis {
    /// Variables below `count` exist from now on.
    pub(super) fn resize(&mut self, count: usize) {
        self.seen.resize(count, false);
    }

    #[inline]
    fn is_seen(&self, lit: Lit) -> bool {
        self.seen[lit.var().index()]
    }

    #[inline]
    fn mark(&mut self, lit: Lit) {
        self.seen[lit.var().index()] = true;
        self.marked.push(lit);
    }

    fn unmark_all(&mut self) {
        self.unmark_from(0);
    }

    fn unmark_from(&mut self, start: usize) {
        for lit in self.marked.drain(start..) {
            self.seen[lit.var().index()] = false;
        }
    }
}

/// Shows the literals of the reason of a true literal, without that literal itself, to `visit`
/// until it says false. Says whether it never did.
#[inline]
fn all_causes(arena: &Arena, lit: Lit, reason: Reason, mut visit: impl FnMut(Lit) -> bool) -> bool {
    match reason.why() {
        Why::Decided => true,
        Why::Binary(other) => visit(other),
        Why::Clause(clause) => arena.lits(clause).iter().all(|&other| other == lit || visit(other)),
    }
}

impl Cdcl {
    /// Fills `analysis.learnt` with a clause that follows from the others, is false now, and
    /// has just one literal of the current level, in front. The next literal, if any, is of
    /// the level to go back to, which is returned.
    ///
    /// The current level must not be 0.
    pub(super) fn analyze(&mut self, conflict: Conflict) -> usize {
        self.analysis.learnt.clear();
        // The place of the asserting literal.
        self.analysis.learnt.push(Lit::FALSE);
        let mut open = 0;
        match conflict {
            Conflict::Binary(lits) => lits.iter().for_each(|&lit| open += self.meet(lit)),
            Conflict::Clause(clause) => open += self.meet_clause(clause, None),
            Conflict::Lemma => {
                for place in 0..self.findings.clause.len() {
                    open += self.meet(self.findings.clause[place]);
                }
            }
        }
        let mut place = self.trail.lits.len();
        let asserting = loop {
            place -= 1;
            let lit = self.trail.lits[place];
            if !self.analysis.is_seen(lit) {
                continue;
            }
            open -= 1;
            if open == 0 {
                break lit;
            }
            match self.trail.reason(lit).why() {
                Why::Decided => unreachable!("the decision is the last to be met"),
                Why::Binary(other) => open += self.meet(other),
                Why::Clause(clause) => open += self.meet_clause(clause, Some(lit)),
            }
        };
        self.analysis.learnt[0] = !asserting;
        self.minimise();
        self.analysis.unmark_all();
        self.decider.decay();
        self.decay_clauses();
        self.order_learnt()
    }

    /// Meets the literals of a clause but `except`; returns how many are of this level.
    fn meet_clause(&mut self, clause: ClauseRef, except: Option<Lit>) -> usize {
        if self.arena.is_learnt(clause) {
            self.bump_clause(clause);
        }
        let mut open = 0;
        for place in 0..self.arena.lits(clause).len() {
            let lit = self.arena.lits(clause)[place];
            if Some(lit) != except {
                open += self.meet(lit);
            }
        }
        open
    }

    /// Marks a false literal of the graph: 1 if it is of the current level and so must be
    /// traced further, 0 if it was met before, is of level 0, or belongs to the clause.
    #[inline]
    fn meet(&mut self, lit: Lit) -> usize {
        let level = self.trail.level_of(lit);
        if level == 0 || self.analysis.is_seen(lit) {
            return 0;
        }
        self.analysis.mark(lit);
        self.decider.bump(lit.var());
        if level == self.trail.level() {
            return 1;
        }
        self.analysis.learnt.push(lit);
        0
    }

    /// Removes literals that are implied by the others.
    fn minimise(&mut self) {
        let Cdcl { analysis, arena, trail, .. } = self;
        let mut learnt = std::mem::take(&mut analysis.learnt);
        // A cause on a level that has no literal in the clause cannot be implied by it.
        let bit = |lit: Lit| 1u32 << (trail.level_of(lit) % 32);
        let levels = learnt[1..].iter().fold(0, |levels, &lit| levels | bit(lit));
        let mut kept = 1;
        for place in 1..learnt.len() {
            let lit = learnt[place];
            if trail.reason(lit) == Reason::NONE || !is_implied(analysis, arena, trail, lit, levels)
            {
                learnt[kept] = lit;
                kept += 1;
            }
        }
        learnt.truncate(kept);
        analysis.learnt = learnt;
    }

    /// Puts a literal of the highest level next to the asserting one; returns that level.
    fn order_learnt(&mut self) -> usize {
        let Cdcl { analysis, trail, .. } = self;
        let learnt = &mut analysis.learnt;
        let Some(highest) = (1..learnt.len()).max_by_key(|&place| trail.level_of(learnt[place]))
        else {
            return 0;
        };
        learnt.swap(1, highest);
        trail.level_of(learnt[1])
    }

    /// Finds the assumptions from which `¬failed` follows, with `failed` itself: the core.
    ///
    /// All decisions must be assumptions. `failed` is an assumption that is false.
    pub(super) fn analyze_final(&mut self, failed: Lit) {
        let Cdcl { analysis, arena, trail, core, .. } = self;
        core.clear();
        if failed.var() != ACTIVATION {
            core.push(failed);
        }
        if trail.level_of(failed) > 0 {
            analysis.mark(failed);
            for &lit in trail.unfixed().iter().rev() {
                if !analysis.is_seen(lit) {
                    continue;
                }
                let reason = trail.reason(lit);
                // The opposite of `failed` can be an assumption, too.
                if reason == Reason::NONE && lit.var() != ACTIVATION {
                    core.push(lit);
                }
                all_causes(arena, lit, reason, |cause| {
                    if trail.level_of(cause) > 0 && !analysis.is_seen(cause) {
                        analysis.mark(cause);
                    }
                    true
                });
            }
            analysis.unmark_all();
        }
    }
}

/// Whether the false literal `lit` is implied by the marked ones, which are those of the clause.
/// What is found to be so is marked as well.
fn is_implied(
    analysis: &mut Analysis,
    arena: &Arena,
    trail: &Trail,
    lit: Lit,
    levels: u32,
) -> bool {
    let start = analysis.marked.len();
    analysis.stack.push(lit);
    while let Some(lit) = analysis.stack.pop() {
        let holds = all_causes(arena, !lit, trail.reason(lit), |cause| {
            let level = trail.level_of(cause);
            if level == 0 || analysis.is_seen(cause) {
                return true;
            }
            if trail.reason(cause) == Reason::NONE || 1 << (level % 32) & levels == 0 {
                return false;
            }
            analysis.mark(cause);
            analysis.stack.push(cause);
            true
        });
        if !holds {
            analysis.stack.clear();
            analysis.unmark_from(start);
            return false;
        }
    }
    true
}
