//! The answers of a run, all in one place.
//!
//! An engine that decides a property enters the answer here, through
//! [`Context::prove`](crate::Context::prove) or [`Context::violate`](crate::Context::violate). The
//! first answer counts. All engines of a run, also inner ones, look here for what is still open.

use crate::context::Outcome;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Which properties are settled, and how.
#[derive(Debug, Default)]
pub struct Ledger {
    /// By property; what is missing is open.
    settled: RwLock<Vec<Option<Outcome>>>,
}

impl Ledger {
    /// A book in which every property is open.
    pub fn new() -> Ledger {
        Ledger::default()
    }

    fn read(&self) -> RwLockReadGuard<'_, Vec<Option<Outcome>>> {
        self.settled.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is no answer yet.
    pub fn is_open(&self, property: usize) -> bool {
        self.read().get(property).is_none_or(Option::is_none)
    }

    /// Those of the first `properties` that have no answer yet, in order.
    pub fn open(&self, properties: usize) -> Vec<usize> {
        let settled = self.read();
        let is_open = |&property: &usize| settled.get(property).is_none_or(Option::is_none);
        (0..properties).filter(is_open).collect()
    }

    /// The answer; unknown if there is none.
    pub fn outcome(&self, property: usize) -> Outcome {
        self.read().get(property).cloned().flatten().unwrap_or(Outcome::Unknown)
    }

    /// The answers for the first `properties`.
    pub fn outcomes(&self, properties: usize) -> Vec<Outcome> {
        (0..properties).map(|property| self.outcome(property)).collect()
    }

    /// Enters an answer for several properties at once. Gives those that had none.
    ///
    /// # Panics
    /// If the answer is unknown.
    pub fn settle(&self, properties: &[usize], outcome: &Outcome) -> Vec<usize> {
        assert!(outcome.is_settled(), "a definite answer");
        let mut settled = self.settled.write().unwrap_or_else(PoisonError::into_inner);
        let mut news = Vec::new();
        for &property in properties {
            if settled.len() <= property {
                settled.resize(property + 1, None);
            }
            if settled[property].is_none() {
                settled[property] = Some(outcome.clone());
                news.push(property);
            }
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::events::{Event, EventSink};
    use pedra_model::proof::BitProof;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts answers that are reported before the book shows them.
    struct Early<'a>(&'a Ledger, AtomicUsize);

    impl EventSink for Early<'_> {
        fn emit(&self, event: &Event) {
            if let Event::Settled { properties, .. } = event {
                let early = properties.iter().filter(|&&p| self.0.is_open(p)).count();
                self.1.fetch_add(early, Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn the_first_answer_counts_and_is_told_once() {
        let base = Context::default();
        let sink = Early(&base.ledger, AtomicUsize::new(0));
        let context = Context { events: &sink, ..base.clone() };
        context.prove(&[1], BitProof::default());
        let first = context.ledger.outcome(1);
        context.prove(&[1, 2], BitProof { k: 7, ..BitProof::default() });
        assert_eq!(sink.1.load(Ordering::Relaxed), 0);
        assert_eq!(context.open(4), [0, 3]);
        assert_eq!(context.ledger.outcome(1), first);
        assert_ne!(context.ledger.outcome(2), first);
        assert_eq!(context.ledger.outcome(9), Outcome::Unknown);
    }
}
