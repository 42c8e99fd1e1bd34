//! Several engines in one thread, one after the other: each but the last gets a budget, and hands
//! over when it is used up.
//!
//! A budget is counted in looks at the interrupt, see [`Interrupt::child_with_looks`], so that a
//! run takes the same path every time.
//!
//! [`Interrupt::child_with_looks`]: pedra_solve::Interrupt::child_with_looks

use crate::context::{Context, Engine, Outcome, Unknown};
use crate::events::Progress;
use crate::ledger::SettledBoard;
use crate::portfolio::best;

/// An engine, and how long it may work before it is the turn of the next.
pub struct Leg<'a> {
    /// The engine.
    pub engine: Box<dyn Engine + 'a>,
    /// Looks at the interrupt; `None` for no limit.
    pub looks: Option<u64>,
    /// It goes no deeper than this, whatever the context allows.
    pub max_depth: Option<usize>,
}

/// Engines that take turns.
pub struct Relay<'a> {
    legs: Vec<Leg<'a>>,
    /// Whose turn it is.
    now: usize,
    outcomes: Vec<Vec<Outcome>>,
    properties: usize,
}

impl<'a> Relay<'a> {
    /// An engine for a system with so many properties.
    ///
    /// # Panics
    /// If there is no leg.
    pub fn new(legs: Vec<Leg<'a>>, properties: usize) -> Relay<'a> {
        assert!(!legs.is_empty(), "somebody has to work");
        let outcomes = vec![Vec::new(); legs.len()];
        Relay { legs, now: 0, outcomes, properties }
    }

    /// The best of all answers. Why nothing is known is for the last one to say: limits of the
    /// others are ours.
    fn outcome(&self, property: usize) -> Outcome {
        let ran = self.outcomes.iter().filter(|outcomes| !outcomes.is_empty());
        match (best(ran.map(|outcomes| &outcomes[property])), &self.outcomes[self.now][property]) {
            (Outcome::Unknown(best), Outcome::Unknown(last)) => {
                Outcome::Unknown(Unknown { reason: last.reason, ..best })
            }
            (best, _) => best,
        }
    }

    /// Whether some property needs work still.
    fn is_open(&self, board: &SettledBoard) -> bool {
        (0..self.properties).any(|property| !board.is_settled(property))
    }
}

impl Engine for Relay<'_> {
    fn name(&self) -> &'static str {
        self.legs[self.now].engine.name()
    }

    fn run(&mut self, context: &Context) -> Vec<Outcome> {
        // Those that come later need not do again what earlier ones have settled.
        let own = SettledBoard::new(self.properties);
        let board = context.settled.unwrap_or(&own);
        for outcomes in &self.outcomes {
            let settled = outcomes.iter().enumerate().filter(|(_, o)| o.is_settled());
            settled.for_each(|(property, _)| board.mark(property));
        }
        loop {
            let is_last = self.now + 1 == self.legs.len();
            let leg = &mut self.legs[self.now];
            let interrupt = match leg.looks {
                Some(looks) if !is_last => context.interrupt.child_with_looks(looks),
                _ => context.interrupt.child(),
            };
            let max_depth = [leg.max_depth, context.max_depth].into_iter().flatten().min();
            let settled = Some(board);
            let inner = Context { interrupt, max_depth, settled, ..context.clone() };
            self.outcomes[self.now] = leg.engine.run(&inner);
            if is_last || context.interrupt.is_raised() || !self.is_open(board) {
                break;
            }
            self.now += 1;
        }
        (0..self.properties).map(|property| self.outcome(property)).collect()
    }

    fn progress(&self) -> Progress {
        self.legs[self.now].engine.progress()
    }
}
