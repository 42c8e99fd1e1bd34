//! Keeping the clause database small: forgetting learnt clauses, removing what level 0 has
//! settled, and moving the rest together.
//!
//! PDR's queries are many and easy, and each starts with what earlier ones have learnt. So the
//! database is kept far smaller than in a solver for one hard query (GipSAT): at the start of a
//! query a fifteenth of the original clauses, within a query as many as original clauses. The
//! latter limit grows with each reduction, so that a hard query comes to an end.

use super::clauses::ClauseRef;
use super::trail::{FALSE, Reason, TRUE, Why};
use super::watches::Watch;
use super::{ACTIVATION, Cdcl};
use pedra_model::lit::Lit;

/// Clause bumps grow by 1/0.99 a conflict (GipSAT; MiniSat has 0.999).
const DECAY: f32 = 0.99;
/// Activities are scaled down before they overflow.
const LARGEST: f32 = 1e20;
/// At the start of a query there may be this many times fewer learnt than original clauses.
const ORIGINALS_PER_LEARNT: usize = 15;
/// No reduction below this: small formulas would lose all they learn.
const FEW_LEARNTS: usize = 200;
/// Queries between looks for satisfied clauses.
const QUERIES_PER_SIMPLIFY: u32 = 100;

/// The clauses in the arena by kind, and what the policies remember.
#[derive(Clone)]
pub(super) struct Database {
    /// Definitions and lemmas.
    pub(super) originals: Vec<ClauseRef>,
    /// Clauses that follow from them.
    pub(super) learnts: Vec<ClauseRef>,
    /// The query's own clauses.
    pub(super) temporaries: Vec<ClauseRef>,
    /// Clauses that follow only with the query's own clauses.
    pub(super) temporary_learnts: Vec<ClauseRef>,
    /// Binary original clauses so far, to know the size of the formula.
    pub(super) binaries: usize,
    increment: f32,
    /// Learnt clauses at which the running query reduces.
    limit: usize,
    /// Literals of level 0 that have been used to simplify.
    simplified: usize,
    queries_until_simplify: u32,
}

impl Database {
    pub(super) fn new() -> Database {
        Database {
            originals: Vec::new(),
            learnts: Vec::new(),
            temporaries: Vec::new(),
            temporary_learnts: Vec::new(),
            binaries: 0,
            increment: 1.0,
            limit: 0,
            simplified: 0,
            queries_until_simplify: 0,
        }
    }

    fn num_originals(&self) -> usize {
        self.originals.len() + self.binaries
    }

    fn num_learnts(&self) -> usize {
        self.learnts.len() + self.temporary_learnts.len()
    }

    /// Whether the running query has learnt too much.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.num_learnts() > self.limit
    }
}

impl Cdcl {
    /// Stores and watches a clause of at least three literals.
    pub(super) fn attach(&mut self, lits: &[Lit], learnt: bool) -> ClauseRef {
        let clause = self.arena.add(lits, learnt);
        self.watches.push(lits[0].index(), Watch { clause, blocker: lits[1] });
        self.watches.push(lits[1].index(), Watch { clause, blocker: lits[0] });
        clause
    }

    /// Stores a binary clause.
    pub(super) fn attach_binary(&mut self, a: Lit, b: Lit) {
        self.watches.push(a.index(), Watch::binary(b));
        self.watches.push(b.index(), Watch::binary(a));
    }

    /// Removes all binary clauses with a literal.
    pub(super) fn detach_binaries(&mut self, lit: Lit) {
        let Cdcl { watches, proof, .. } = self;
        for place in watches.range(lit.index()) {
            let watch = watches.at(place);
            if watch.is_binary() {
                let other = watch.blocker;
                watches.remove(other.index(), |back| back.is_binary() && back.blocker == lit);
                proof.deleted(&[other, lit]);
            }
        }
        watches.retain(lit.index(), |watch| !watch.is_binary());
    }

    /// Removes a clause with its watches at once; it must not be a reason.
    pub(super) fn detach(&mut self, clause: ClauseRef) {
        for place in 0..2 {
            let watched = self.arena.lits(clause)[place];
            self.watches.remove(watched.index(), |watch| watch.clause == clause);
        }
        self.delete(clause);
    }

    /// Removes a clause; its watches must be gone or go soon.
    fn delete(&mut self, clause: ClauseRef) {
        self.proof.deleted(self.arena.lits(clause));
        self.arena.delete(clause);
    }

    /// Housekeeping at level 0 before a query, when everything has been propagated.
    pub(super) fn tidy(&mut self) {
        let database = &mut self.database;
        database.limit = database.num_originals().max(FEW_LEARNTS);
        database.queries_until_simplify = database.queries_until_simplify.saturating_sub(1);
        if database.queries_until_simplify == 0 && database.simplified < self.trail.lits.len() {
            database.queries_until_simplify = QUERIES_PER_SIMPLIFY;
            self.simplify();
        }
        let database = &self.database;
        if database.learnts.len() > FEW_LEARNTS
            && database.learnts.len() * ORIGINALS_PER_LEARNT > database.num_originals()
        {
            self.reduce();
        }
        self.collect_if_wasteful();
    }

    /// Within a query: reduces, and allows for more next time.
    pub(super) fn reduce_in_query(&mut self) {
        self.database.limit += self.database.limit / 10;
        self.reduce();
        self.collect_if_wasteful();
    }

    pub(super) fn bump_clause(&mut self, clause: ClauseRef) {
        let activity = self.arena.activity(clause) + self.database.increment;
        self.arena.set_activity(clause, activity);
        if activity > LARGEST {
            let database = &mut self.database;
            for &clause in database.learnts.iter().chain(&database.temporary_learnts) {
                self.arena.set_activity(clause, self.arena.activity(clause) / LARGEST);
            }
            database.increment /= LARGEST;
        }
    }

    pub(super) fn decay_clauses(&mut self) {
        self.database.increment /= DECAY;
    }

    /// Forgets all learnt clauses but the most active third and those in use as reasons.
    fn reduce(&mut self) {
        self.stats_more.reductions += 1;
        let mut learnts = std::mem::take(&mut self.database.learnts);
        self.forget_inactive(&mut learnts);
        self.database.learnts = learnts;
        let mut learnts = std::mem::take(&mut self.database.temporary_learnts);
        self.forget_inactive(&mut learnts);
        self.database.temporary_learnts = learnts;
        self.sweep_watches();
    }

    fn forget_inactive(&mut self, learnts: &mut Vec<ClauseRef>) {
        // Most active first, then youngest; the order is total, so a run can be repeated.
        let arena = &self.arena;
        learnts.sort_unstable_by(|&a, &b| {
            arena.activity(b).total_cmp(&arena.activity(a)).then(b.cmp(&a))
        });
        let mut place = 0;
        let kept = learnts.len() / 3;
        learnts.retain(|&clause| {
            place += 1;
            if place <= kept || self.is_reason(clause) {
                return true;
            }
            self.delete(clause);
            false
        });
    }

    fn is_reason(&self, clause: ClauseRef) -> bool {
        // A clause is the reason of its first literal.
        let first = self.arena.lits(clause)[0];
        self.trail.value(first) == TRUE && self.trail.reason(first) == Reason::clause(clause)
    }

    /// Removes the watches of deleted clauses.
    fn sweep_watches(&mut self) {
        let Cdcl { watches, arena, .. } = self;
        for list in 0..watches.count() {
            watches.retain(list, |watch| watch.is_binary() || !arena.is_deleted(watch.clause));
        }
    }

    /// Removes clauses that level 0 satisfies, and literals that it falsifies.
    fn simplify(&mut self) {
        debug_assert!(self.trail.level() == 0 && self.trail.head == self.trail.lits.len());
        debug_assert!(self.trail.value(ACTIVATION.lit()) > TRUE, "temporary clauses are gone");
        for place in self.database.simplified..self.trail.lits.len() {
            let lit = self.trail.lits[place];
            self.detach_binaries(lit);
            self.detach_binaries(!lit);
        }
        self.database.simplified = self.trail.lits.len();
        let mut originals = std::mem::take(&mut self.database.originals);
        originals.retain(|&clause| self.simplify_clause(clause));
        self.database.originals = originals;
        let mut learnts = std::mem::take(&mut self.database.learnts);
        learnts.retain(|&clause| self.simplify_clause(clause));
        self.database.learnts = learnts;
        self.sweep_watches();
    }

    /// Simplifies one clause; false if it is gone from the arena.
    fn simplify_clause(&mut self, clause: ClauseRef) -> bool {
        let lits = self.arena.lits(clause);
        if lits.iter().any(|&lit| self.trail.value(lit) == TRUE) {
            self.delete(clause);
            return false;
        }
        // The watched literals are not false, or there would be a unit or a conflict. Where a
        // literal that a theory implied still waits to be propagated, one may be: then the clause
        // is left as it is, since what remains could be too short for two watches.
        let is_false = |lit: &Lit| self.trail.value(*lit) == FALSE;
        if lits[..2].iter().any(is_false) || !lits[2..].iter().any(is_false) {
            return true;
        }
        self.buffer.clear();
        self.buffer.extend(lits.iter().filter(|lit| !is_false(lit)));
        self.proof.derived(&self.buffer);
        if let [a, b] = *self.buffer {
            self.attach_binary(a, b);
            self.database.binaries += !self.arena.is_learnt(clause) as usize;
            self.delete(clause);
            return false;
        }
        self.proof.deleted(self.arena.lits(clause));
        self.arena.lits_mut(clause)[..self.buffer.len()].copy_from_slice(&self.buffer);
        self.arena.shrink(clause, self.buffer.len());
        true
    }

    /// Moves the live clauses together if a third of the arena is waste.
    fn collect_if_wasteful(&mut self) {
        self.watches.compact_if_wasteful();
        if !self.arena.is_wasteful() {
            return;
        }
        self.stats_more.collections += 1;
        let Cdcl { arena, database, watches, trail, .. } = self;
        let mut old = arena.start_collection();
        let Database { originals, learnts, temporaries, temporary_learnts, .. } = database;
        for clauses in [originals, learnts, temporaries, temporary_learnts] {
            for clause in clauses {
                *clause = arena.forward(&mut old, *clause);
            }
        }
        for list in 0..watches.count() {
            for watch in watches.get_mut(list) {
                if !watch.is_binary() {
                    watch.clause = arena.forward(&mut old, watch.clause);
                }
            }
        }
        for place in 0..trail.lits.len() {
            let lit = trail.lits[place];
            if let Why::Clause(clause) = trail.reason(lit).why() {
                trail.set_reason(lit, Reason::clause(arena.forward(&mut old, clause)));
            }
        }
    }
}
