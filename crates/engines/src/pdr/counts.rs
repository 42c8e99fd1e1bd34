//! Where the queries of a search go.

use crate::events::Work;
use std::time::{Duration, Instant};

/// What queries are for, to see where the work goes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Looking for bad states in the last frame.
    Bad,
    /// Blocking an obligation.
    Block,
    /// Lemmas that the other direction suggests.
    Hint,
    /// Predicting a lemma from one of the level below.
    Predict,
    /// Dropping a literal of a lemma.
    Drop,
    /// Blocking a counterexample to generalisation.
    Ctg,
    /// Pushing a new lemma.
    Push,
    /// Propagating lemmas when a frame is opened.
    Propagate,
    /// Lemmas that other engines have published.
    Take,
}

impl Purpose {
    /// Every purpose, in the order of [`Counts`].
    pub const ALL: [Purpose; 9] = [
        Purpose::Bad,
        Purpose::Block,
        Purpose::Hint,
        Purpose::Predict,
        Purpose::Drop,
        Purpose::Ctg,
        Purpose::Push,
        Purpose::Propagate,
        Purpose::Take,
    ];

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Purpose::Bad => "find bad states",
            Purpose::Block => "block obligations",
            Purpose::Hint => "try hints of the other direction",
            Purpose::Predict => "predict lemmas",
            Purpose::Drop => "drop literals",
            Purpose::Ctg => "block counterexamples to generalisation",
            Purpose::Push => "push new lemmas",
            Purpose::Propagate => "propagate lemmas",
            Purpose::Take => "take lemmas of other engines",
        }
    }
}

/// How many queries were asked for each purpose.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// By purpose: all queries, and those that held (no bad state; inductive).
    pub queries: [[u64; 2]; Purpose::ALL.len()],
    /// By purpose: how long they took.
    pub times: [Duration; Purpose::ALL.len()],
    /// Queries for lifting.
    pub lifts: u64,
    /// Literals of states before lifting, and after.
    pub lifted: [u64; 2],
    /// How long lifting took.
    pub lifting: Duration,
    /// Queries for initial states.
    pub initial: u64,
}

impl Counts {
    pub(super) fn add(&mut self, purpose: Purpose, held: bool, since: Instant) {
        let count = &mut self.queries[purpose as usize];
        count[0] += 1;
        count[1] += held as u64;
        self.times[purpose as usize] += since.elapsed();
    }

    /// How many there were, but for lifting and initial states, and how many of them were for this.
    pub(super) fn share(&self, purpose: Purpose) -> [u64; 2] {
        let all = self.queries.iter().map(|[queries, _]| queries).sum();
        [all, self.queries[purpose as usize][0]]
    }

    /// The same for a summary, without what was never asked.
    pub fn work(&self) -> Vec<Work> {
        let by_purpose = Purpose::ALL.into_iter().zip(self.queries).zip(self.times);
        let by_purpose = by_purpose.map(|((purpose, [queries, held]), time)| Work {
            purpose: purpose.text(),
            queries,
            held: Some(held),
            time: Some(time),
        });
        let unjudged = |purpose, queries, time| Work { purpose, queries, held: None, time };
        let lifting = unjudged("lift states", self.lifts, Some(self.lifting));
        let initial = unjudged("meet initial states", self.initial, None);
        by_purpose.chain([lifting, initial]).filter(|work| work.queries > 0).collect()
    }
}
