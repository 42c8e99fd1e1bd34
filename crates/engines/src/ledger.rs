//! Which properties are settled: the book that every engine keeps.
//!
//! All answers pass through [`Ledger::settle`], so the event, the shared board and the list
//! that [`Engine::run`](crate::Engine::run) returns cannot disagree.

use crate::context::{Context, Outcome, Reason, Unknown};
use crate::events::Event;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flags that engines share when several work on one system: a property that one of them
/// settled needs no more work by the others.
#[derive(Debug)]
pub struct SettledBoard(Vec<AtomicBool>);

impl SettledBoard {
    /// A board on which nothing is settled.
    pub fn new(properties: usize) -> SettledBoard {
        SettledBoard((0..properties).map(|_| AtomicBool::new(false)).collect())
    }

    /// Marks a property as settled.
    pub fn mark(&self, property: usize) {
        self.0[property].store(true, Ordering::Relaxed);
    }

    /// Whether somebody settled the property.
    pub fn is_settled(&self, property: usize) -> bool {
        self.0[property].load(Ordering::Relaxed)
    }
}

/// The answers of one engine.
#[derive(Clone, Debug)]
pub struct Ledger {
    settled: Vec<Option<Outcome>>,
}

impl Ledger {
    /// A book in which every property is open.
    pub fn new(properties: usize) -> Ledger {
        Ledger { settled: vec![None; properties] }
    }

    /// How many properties there are.
    #[allow(clippy::len_without_is_empty, reason = "a number of properties, not a container")]
    pub fn len(&self) -> usize {
        self.settled.len()
    }

    /// The properties that still need work, in order.
    pub fn open(&self, context: &Context) -> Vec<usize> {
        let elsewhere = |p: usize| context.settled.is_some_and(|board| board.is_settled(p));
        let all = self.settled.iter().enumerate();
        all.filter(|(p, o)| o.is_none() && !elsewhere(*p)).map(|(p, _)| p).collect()
    }

    /// Whether this engine settled the property itself.
    pub fn is_settled(&self, property: usize) -> bool {
        self.settled[property].is_some()
    }

    /// Enters an answer and tells the world.
    ///
    /// # Panics
    /// If the answer is unknown or the property already has one.
    pub fn settle(&mut self, context: &Context, property: usize, outcome: Outcome) {
        assert!(outcome.is_settled() && !self.is_settled(property), "one definite answer each");
        // The event comes first: once the board is marked, other engines pass over the property
        // and go deeper, and whoever listens must know by then that this says nothing about it.
        context.emit(|| Event::Settled { property, outcome: outcome.clone() });
        if let Some(board) = context.settled {
            board.mark(property);
        }
        self.settled[property] = Some(outcome);
    }

    /// One outcome per property: the answers, and `unknown` with this reason for the others.
    pub fn outcomes(&self, context: &Context, reason: Reason, safe: Option<usize>) -> Vec<Outcome> {
        let open = self.open(context);
        let one = |(property, settled): (usize, &Option<Outcome>)| match settled {
            Some(outcome) => outcome.clone(),
            None if open.binary_search(&property).is_ok() => {
                Outcome::Unknown(Unknown { reason, safe_up_to: safe })
            }
            None => {
                Outcome::Unknown(Unknown { reason: Reason::SettledElsewhere, safe_up_to: None })
            }
        };
        self.settled.iter().enumerate().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::EventSink;
    use pedra_model::proof::BitProof;
    use std::sync::atomic::AtomicUsize;

    /// Counts answers that are told after the board shows them.
    struct Late<'a>(&'a SettledBoard, AtomicUsize);

    impl EventSink for Late<'_> {
        fn emit(&self, event: &Event) {
            if matches!(event, Event::Settled { property, .. } if self.0.is_settled(*property)) {
                self.1.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn answers_are_told_before_others_pass_over_the_property() {
        let board = SettledBoard::new(2);
        let sink = Late(&board, AtomicUsize::new(0));
        let context = Context { events: &sink, settled: Some(&board), ..Context::default() };
        let mut ledger = Ledger::new(2);
        ledger.settle(&context, 1, Outcome::Proved(BitProof::default()));
        assert_eq!(sink.1.load(Ordering::Relaxed), 0);
        assert_eq!(ledger.open(&context), [0]);
        assert!(board.is_settled(1) && !board.is_settled(0));
    }
}
