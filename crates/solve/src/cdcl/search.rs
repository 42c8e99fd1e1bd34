//! The search: one query from its assumptions to the answer.

use super::propagate::Conflict;
use super::restart::Restarts;
use super::theory::{Consultation, Theory};
use super::trail::{FALSE, OPEN, Reason, TRUE};
use super::{ACTIVATION, Cdcl};
use crate::sat::SatResult;
use pedra_model::lit::Lit;
use pedra_model::random::Random;

/// After this many restarts a query is hard and deserves an exact decision queue (GipSAT).
const RESTARTS_UNTIL_EXACT: u64 = 10;
/// After this many restarts more it looks at another part of the space.
const RESTARTS_PER_REPHASE: u64 = 8;
/// Steps (conflicts and decisions) between looks at the interrupt: below a millisecond.
const STEPS_PER_LOOK: u32 = 256;

/// What comes after a conflict-free propagation.
enum Next {
    /// A literal was decided.
    Decided,
    /// This assumption is false.
    Failed(Lit),
    /// Every variable of the domain has a value.
    Complete,
}

impl Cdcl {
    /// Sets up a query at level 0, and searches.
    pub(super) fn answer_query<T: Theory>(
        &mut self,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
        theory: &mut T,
    ) -> SatResult {
        if self.is_stopped() {
            return SatResult::Unknown;
        }
        if !self.settle_level_zero() {
            return SatResult::Unsat;
        }
        self.tidy();
        self.has_temporaries = !temporary.is_empty();
        if self.has_temporaries {
            self.assumptions.push(ACTIVATION.lit());
            temporary.iter().for_each(|lits| self.add_temporary(lits));
        }
        for &lit in assumptions {
            debug_assert!(lit.var().index() < self.marks.len() / 2, "{lit:?} is not in use");
            match lit {
                Lit::TRUE => {}
                Lit::FALSE => {
                    self.core.push(lit);
                    return SatResult::Unsat;
                }
                _ => self.assumptions.push(lit),
            }
        }
        self.enter_assumptions();
        let result = self.search(theory);
        if result == SatResult::Unsat {
            self.prove_answer();
        }
        result
    }

    /// A look at the interrupt, which hears how much was done since the last one.
    fn is_stopped(&mut self) -> bool {
        let done = self.stats.propagations - self.told_propagations;
        self.told_propagations = self.stats.propagations;
        self.interrupt.poll_after(done)
    }

    /// Propagates what is new at level 0; false if the clauses are contradictory.
    fn settle_level_zero(&mut self) -> bool {
        if self.is_consistent && self.propagate().is_some() {
            self.contradict();
        }
        self.is_consistent
    }

    /// Notes that the clauses themselves are contradictory.
    pub(super) fn contradict(&mut self) {
        self.is_consistent = false;
        self.proof.derived(&[]);
    }

    fn search<T: Theory>(&mut self, theory: &mut T) -> SatResult {
        let mut restarts = Restarts::new();
        let mut conflicts = 0;
        let mut steps = 0;
        let mut is_complete = false;
        loop {
            steps += 1;
            if steps % STEPS_PER_LOOK == 0 && self.is_stopped() {
                return SatResult::Unknown;
            }
            let conflict = match self.propagate() {
                Some(conflict) => Some(conflict),
                None => match self.consult(theory, is_complete) {
                    Consultation::Quiet if is_complete => return SatResult::Sat,
                    Consultation::Quiet => None,
                    Consultation::Progress => {
                        is_complete = false;
                        continue;
                    }
                    Consultation::Conflict(conflict) => Some(conflict),
                    Consultation::Stopped => return SatResult::Unknown,
                },
            };
            if let Some(conflict) = conflict {
                is_complete = false;
                self.stats.conflicts += 1;
                conflicts += 1;
                restarts.on_conflict();
                if !self.resolve(conflict, theory) {
                    self.contradict();
                    return SatResult::Unsat;
                }
                let is_spent = self.budget.is_some_and(|b| conflicts >= b.limit_conflicts);
                if is_spent || self.stats.propagations >= self.last_propagation {
                    return SatResult::Unknown;
                }
                continue;
            }
            if restarts.is_due() {
                self.restart(restarts.count);
                theory.backtrack(self.trail.level());
            }
            if self.database.is_full() {
                self.reduce_in_query();
            }
            match self.decide(theory) {
                Next::Decided => {}
                Next::Complete if T::IS_EMPTY => return SatResult::Sat,
                Next::Complete => is_complete = true,
                Next::Failed(lit) => {
                    self.analyze_final(lit);
                    return SatResult::Unsat;
                }
            }
        }
    }

    /// Learns from a conflict, and goes back. False if it rests on no decision.
    fn resolve<T: Theory>(&mut self, conflict: Conflict, theory: &mut T) -> bool {
        if let Conflict::Lemma = conflict {
            // The theory may see late what was wrong before the current level.
            let clause = &self.findings.clause;
            let level = clause.iter().map(|&lit| self.trail.level_of(lit)).max().unwrap_or(0);
            self.backtrack(level);
        }
        if self.trail.level() == 0 {
            return false;
        }
        let level = self.analyze(conflict);
        self.backtrack(level);
        theory.backtrack(level);
        self.learn();
        true
    }

    /// Takes the decisions back, but not the assumptions.
    fn restart(&mut self, count: u64) {
        self.stats_more.restarts += 1;
        self.backtrack(self.assumptions.len());
        if count == RESTARTS_UNTIL_EXACT {
            self.decider.make_exact();
        }
        if count >= RESTARTS_UNTIL_EXACT && count.is_multiple_of(RESTARTS_PER_REPHASE) {
            self.rephase(count / RESTARTS_PER_REPHASE);
        }
    }

    /// Leaves the part of the space where a hard query is stuck: turns all phases of its domain
    /// around, or draws them, in turns (a simple form of the rephasing of CaDiCaL).
    fn rephase(&mut self, round: u64) {
        let Cdcl { trail, domain, .. } = self;
        let mut random = Random::new(round);
        for var in domain.vars() {
            let flip = round % 2 == 1 || random.below(2) == 1;
            let phase = trail.preferred(var).is_negated() == flip;
            trail.set_preferred(var, phase);
        }
    }

    /// Stores the learnt clause, and asserts its first literal.
    fn learn(&mut self) {
        let learnt = std::mem::take(&mut self.analysis.learnt);
        self.proof.derived(&learnt);
        self.stats_more.learnt += 1;
        self.stats_more.learnt_literals += learnt.len() as u64;
        match *learnt {
            [] => unreachable!("a learnt clause has an asserting literal"),
            [lit] => self.trail.assign(lit, Reason::NONE),
            [lit, other] => {
                self.attach_binary(lit, other);
                self.trail.assign(lit, Reason::binary(other));
            }
            [lit, ..] => {
                let clause = self.attach(&learnt, true);
                self.bump_clause(clause);
                self.trail.assign(lit, Reason::clause(clause));
                let temporary =
                    self.has_temporaries && learnt.iter().any(|lit| lit.var() == ACTIVATION);
                let database = &mut self.database;
                let home = match temporary {
                    true => &mut database.temporary_learnts,
                    false => &mut database.learnts,
                };
                home.push(clause);
            }
        }
        self.analysis.learnt = learnt;
    }

    /// Places the next assumption, or decides a variable.
    fn decide<T: Theory>(&mut self, theory: &T) -> Next {
        while let Some(&lit) = self.assumptions.get(self.trail.level()) {
            match self.trail.value(lit) {
                // A level without literals, so that levels count assumptions.
                TRUE => self.trail.push_level(),
                FALSE => return Next::Failed(lit),
                value => {
                    debug_assert_eq!(value, OPEN, "assumptions are in the domain");
                    self.trail.push_level();
                    self.trail.assign(lit, Reason::NONE);
                    return Next::Decided;
                }
            }
        }
        if !self.decider.is_running() {
            self.fill_queue();
        }
        while let Some(var) = self.decider.pop() {
            if self.trail.is_open(var) {
                self.stats.decisions += 1;
                self.trail.push_level();
                let lit = match theory.phase(var) {
                    Some(value) => Lit::new(var, !value),
                    None => self.trail.preferred(var),
                };
                self.trail.assign(lit, Reason::NONE);
                return Next::Decided;
            }
        }
        Next::Complete
    }

    /// Queues the open variables of the domain.
    fn fill_queue(&mut self) {
        let Cdcl { decider, domain, trail, stats_more, .. } = self;
        decider.start();
        let mut count = 0;
        for var in domain.vars() {
            count += 1;
            if trail.is_open(var) {
                decider.push(var);
            }
        }
        stats_more.fills += 1;
        stats_more.filled_domain += count;
    }

    pub(super) fn backtrack(&mut self, level: usize) {
        let Cdcl { trail, decider, .. } = self;
        trail.backtrack(level, |var| decider.push(var));
    }

    /// Derives the clause that the answer `Unsat` claims.
    fn prove_answer(&mut self) {
        if !self.proof.is_on() || !self.is_consistent {
            return;
        }
        self.buffer.clear();
        self.buffer.extend(self.core.iter().map(|&lit| !lit));
        if self.has_temporaries {
            self.buffer.push(!ACTIVATION.lit());
        }
        self.proof.derived(&self.buffer);
        self.proof.deleted(&self.buffer);
    }
}
