//! The work of a search, so that it can be bounded: the same in every run, unlike time.
//!
//! Work is counted in propagations of the solver. Whatever else takes long counts as the number
//! of propagations that take about as long: circuits of new atoms, samples against which a unit
//! is held, steps of simulations. Every loop of the engine comes by a query or by a sample, so
//! all phases are bounded: sampling, proposals, expansion, reshape, pushing. Queries themselves
//! end when the work does, also those on which completeness rests: bit-level PDR is complete.
//!
//! **Trial.** The search begins with a small part of the budget, and what it finds doubles it:
//! each invariant that relates two or more words. Those are what bits cannot say in few clauses.
//! Bounds, single bits and congruences of one word do not count: bit-level PDR finds them too.

use super::relative::Stopped;
use crate::context::Reason;

/// A query that propagates nothing.
pub(super) const QUERY: u64 = 100;
/// A new gate: hashed, made and given to the solver.
pub(super) const GATE: u64 = 10;
/// A term in a step of a simulation.
pub(super) const TERM: u64 = 2;
/// So many values that are compared or added count as one.
pub(super) const VALUES: u64 = 8;

/// What has been spent besides the solver's own work, and how much may be in all.
#[derive(Copy, Clone, Debug)]
pub(super) struct Meter {
    spent: u64,
    limit: u64,
    /// Rewards do not lift the limit above this.
    most: u64,
}

impl Meter {
    /// Nothing is spent, and there is no limit.
    pub(super) fn new() -> Meter {
        Meter { spent: 0, limit: u64::MAX, most: u64::MAX }
    }

    /// Counts something.
    pub(super) fn spend(&mut self, work: u64) {
        self.spent += work;
    }

    /// What was counted.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// From now on, no more than `limit` in all; with rewards, no more than `most`.
    pub(super) fn set_limit(&mut self, limit: u64, most: u64) {
        (self.limit, self.most) = (limit.min(most), most);
    }

    /// Word units have helped.
    pub(super) fn reward(&mut self) {
        self.limit = self.limit.saturating_mul(2).min(self.most);
    }

    /// What is left when so much has been done in all, if anything is.
    pub(super) fn left(&self, work: u64) -> Result<u64, Stopped> {
        match self.limit.checked_sub(work) {
            None | Some(0) => Err(Stopped(Reason::Budget)),
            Some(left) => Ok(left),
        }
    }
}
