//! Several engines in one thread, one after the other: each but the last has a budget, and hands
//! over when it is used up. Or they take turns: after the last one the first one runs again, and
//! all budgets are doubled. Engines continue where they were.
//!
//! An engine that crashes takes no more turns; the others continue.
//!
//! A budget counts polls of the interrupt, see [`Interrupt::child_with_looks`], so that runs are
//! deterministic. If the queries of the engines differ much in size, it also counts the work
//! between polls ([`Relay::by_work`]).
//!
//! [`Interrupt::child_with_looks`]: pedra_solve::Interrupt::child_with_looks

use crate::context::{Context, End, Engine, Reason};
use crate::events::Progress;
use crate::guard::{Payload, run_guarded};
use std::panic::resume_unwind;

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
    /// How often budgets were doubled; `None` if the last one has all the rest.
    rounds: Option<u32>,
    /// Whether work between looks counts.
    by_work: bool,
    /// How far the open properties are safe.
    safe_up_to: Option<usize>,
    /// How those ended that take no more turns.
    ended: End,
    properties: usize,
}

impl<'a> Relay<'a> {
    /// An engine for a system with this number of properties.
    ///
    /// # Panics
    /// If there is no leg.
    pub fn new(legs: Vec<Leg<'a>>, properties: usize) -> Relay<'a> {
        assert!(!legs.is_empty(), "there is an engine to run");
        let ended = End::NOTHING_LEFT;
        Relay { legs, now: 0, rounds: None, by_work: false, safe_up_to: None, ended, properties }
    }

    /// The same, with turns that come round again. All legs need a budget.
    ///
    /// # Panics
    /// If there is no leg.
    pub fn turns(legs: Vec<Leg<'a>>, properties: usize) -> Relay<'a> {
        Relay { rounds: Some(0), ..Relay::new(legs, properties) }
    }

    /// The same with budgets that count the work between looks, too, see
    /// [`Interrupt::child_with_work`](pedra_solve::Interrupt::child_with_work).
    pub fn by_work(self) -> Relay<'a> {
        Relay { by_work: true, ..self }
    }

    /// Engines for different properties, or for the same, shared out among threads: those of one
    /// thread take turns, at first with as many looks at the interrupt as each comes with.
    pub fn shared(
        engines: Vec<(Box<dyn Engine + 'a>, u64)>,
        threads: usize,
        properties: usize,
    ) -> Vec<Box<dyn Engine + 'a>> {
        let threads = threads.clamp(1, engines.len().max(1));
        let mut turns: Vec<Vec<Leg<'a>>> = (0..threads).map(|_| Vec::new()).collect();
        for (number, (engine, looks)) in engines.into_iter().enumerate() {
            turns[number % threads].push(Leg { engine, looks: Some(looks), max_depth: None });
        }
        let turns = turns.into_iter().filter(|legs| !legs.is_empty());
        turns.map(|legs| Box::new(Relay::turns(legs, properties)) as Box<dyn Engine + 'a>).collect()
    }

    /// A leg has crashed, and takes no more turns. If it was the last one, this crashes as well.
    fn drop_crashed(&mut self, payload: Payload) {
        if self.legs.len() == 1 {
            resume_unwind(payload);
        }
        self.legs.remove(self.now);
        if self.now == self.legs.len() {
            // The others had their turns before it.
            self.now = 0;
            self.rounds = self.rounds.map(|rounds| rounds + 1);
        }
    }

    /// The turn of a leg is over. Whether there is another one to go on with: one that did not end
    /// for lack of budget has done what it can.
    fn pass_on(&mut self, end: &End) -> bool {
        let Some(rounds) = &mut self.rounds else {
            // It has no more turns; its memory is free.
            self.legs.remove(self.now);
            return true;
        };
        match end.reason {
            Reason::Interrupted => self.now += 1,
            _ if self.legs.len() == 1 => return false,
            _ => {
                // That a leg came to a depth of its own is no reason: the others go deeper.
                if self.legs[self.now].max_depth.is_none() {
                    self.ended = End::best([self.ended, *end]);
                }
                self.legs.remove(self.now);
            }
        }
        if self.now == self.legs.len() {
            self.now = 0;
            *rounds += 1;
        }
        true
    }
}

impl Engine for Relay<'_> {
    fn name(&self) -> &'static str {
        self.legs[self.now].engine.name()
    }

    fn run(&mut self, context: &Context) -> End {
        loop {
            let is_last = self.now + 1 == self.legs.len() && self.rounds.is_none();
            let doubled = self.rounds.unwrap_or(0).min(32);
            let leg = &mut self.legs[self.now];
            let interrupt = match leg.looks {
                Some(looks) if !is_last && self.by_work => {
                    context.interrupt.child_with_work(looks << doubled)
                }
                Some(looks) if !is_last => context.interrupt.child_with_looks(looks << doubled),
                _ => context.interrupt.child(),
            };
            let max_depth = [leg.max_depth, context.max_depth].into_iter().flatten().min();
            let inner = Context { interrupt, max_depth, ..context.clone() };
            let end = match run_guarded(&mut *leg.engine, &inner) {
                Ok(end) => end,
                Err(payload) => {
                    self.drop_crashed(payload);
                    continue;
                }
            };
            self.safe_up_to = self.safe_up_to.max(end.safe_up_to);
            let is_over = context.interrupt.is_raised() || context.open(self.properties).is_empty();
            if is_over || is_last || !self.pass_on(&end) {
                // The limits of the others are ours, and no reason.
                // A leg that has nothing left to do says nothing about what others left open.
                return End { safe_up_to: self.safe_up_to, ..End::best([self.ended, end]) };
            }
        }
    }

    fn progress(&self) -> Progress {
        self.legs[self.now].engine.progress()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{Collector, Event};
    use pedra_model::proof::BitProof;

    /// An engine that crashes at its second turn, or proves everything at its third.
    struct Odd {
        crashes: bool,
        turns: usize,
    }

    impl Engine for Odd {
        fn name(&self) -> &'static str {
            if self.crashes { "crashes" } else { "proves" }
        }

        fn run(&mut self, context: &Context) -> End {
            self.turns += 1;
            assert!(!self.crashes || self.turns < 2, "a defect");
            if !self.crashes && self.turns == 3 {
                context.prove(&[0], BitProof::default());
            }
            End { reason: Reason::Interrupted, safe_up_to: None }
        }

        fn progress(&self) -> Progress {
            Progress::default()
        }
    }

    #[test]
    fn a_leg_that_crashes_takes_no_more_turns() {
        let leg = |crashes| {
            let engine = Box::new(Odd { crashes, turns: 0 });
            Leg { engine, looks: Some(1), max_depth: None }
        };
        let collector = Collector::new();
        let context = Context { events: &collector, ..Context::default() };
        for legs in [vec![leg(true), leg(false)], vec![leg(false), leg(true)]] {
            let context = Context { ledger: Default::default(), ..context.clone() };
            let mut relay = Relay::turns(legs, 1);
            relay.run(&context);
            assert_eq!((relay.name(), context.open(1).len()), ("proves", 0));
            let told = collector.take();
            let crashed =
                |event: &&Event| matches!(event, Event::Crashed { engine: "crashes", .. });
            assert_eq!(told.iter().filter(crashed).count(), 1);
        }
    }
}
