//! Measures the work of a search. Unlike time, it is the same in every run, so it can serve as a
//! limit.
//!
//! Work is counted in propagations of the solver. Other expensive operations count as the number of
//! propagations that take about as long: circuits of new atoms, comparisons of units with samples,
//! steps of simulations. Every loop of the engine contains a query or a sample, so all phases are
//! bounded: sampling, proposals, expansion, reshape, pushing. Queries themselves end when the work
//! does, also those on which completeness rests: bit-level PDR is complete.
//!
//! **Trial.** The search begins with a small part of the budget, and what it finds doubles it: each
//! invariant that is one relation of two or more words. Bits cannot express these in few clauses.
//! Bounds, single bits and congruences of one word do not count, since bit-level PDR finds them,
//! too.

use crate::context::Reason;
use crate::trace::Stopped;

/// A query that propagates nothing.
pub(super) const QUERY: u64 = 100;
/// A new gate: hashed, made and given to the solver.
pub(super) const GATE: u64 = 10;
/// A term in a step of a simulation.
pub(super) const TERM: u64 = 2;
/// This many values that are compared or added count as one.
pub(super) const VALUES: u64 = 8;

/// How much may be done in all.
#[derive(Copy, Clone, Debug)]
pub(super) struct Limits {
    /// What had been done when the limits were set, and counts for nothing.
    start: u64,
    limit: u64,
    /// Rewards do not lift the limit above this.
    most: u64,
}

impl Limits {
    /// After `start`, no more than `limit`; with rewards, no more than `most`.
    pub(super) fn after(start: u64, limit: u64, most: u64) -> Limits {
        let [limit, most] = [limit.min(most), most].map(|work| start.saturating_add(work));
        Limits { start, limit, most }
    }
}

/// What has been spent besides the solver's own work, and how much may be in all.
#[derive(Copy, Clone, Debug)]
pub(super) struct Meter {
    spent: u64,
    limits: Limits,
}

impl Meter {
    /// Nothing is spent, and there is no limit.
    pub(super) fn new() -> Meter {
        Meter { spent: 0, limits: Limits::after(0, u64::MAX, u64::MAX) }
    }

    /// Counts something.
    pub(super) fn spend(&mut self, work: u64) {
        self.spent += work;
    }

    /// What was counted.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// From now on these hold. Returns those that held before.
    pub(super) fn set_limits(&mut self, limits: Limits) -> Limits {
        std::mem::replace(&mut self.limits, limits)
    }

    /// Word units have helped: twice as much may be done.
    pub(super) fn reward(&mut self) {
        let Limits { start, limit, most } = self.limits;
        self.limits.limit = limit.saturating_add(limit - start).min(most);
    }

    /// What is left when so much has been done in all, if anything is.
    pub(super) fn left(&self, work: u64) -> Result<u64, Stopped> {
        match self.limits.limit.checked_sub(work) {
            None | Some(0) => Err(Stopped(Reason::Budget)),
            Some(left) => Ok(left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_before_counts_for_nothing() {
        let mut meter = Meter::new();
        let before = meter.set_limits(Limits::after(1000, 10, 35));
        assert_eq!(meter.left(1000), Ok(10));
        assert!(meter.left(1010).is_err());
        meter.reward();
        assert_eq!(meter.left(1000), Ok(20));
        meter.reward();
        assert_eq!(meter.left(1000), Ok(35), "no more than the most");
        meter.set_limits(before);
        meter.reward();
        assert_eq!(meter.left(0), Ok(u64::MAX));
    }
}
