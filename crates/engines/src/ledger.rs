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
        if let Some(board) = context.settled {
            board.mark(property);
        }
        context.emit(|| Event::Settled { property, outcome: outcome.clone() });
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
