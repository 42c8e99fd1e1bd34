//! An engine (PDR in one of its kinds) that starts at once on the system as it is, and moves over
//! to a swept one if that turns out to be much smaller. So easy systems never pay for sweeping.
//!
//! - In one thread: the engine runs under a budget, then [`sweep`] does, then it starts anew on
//!   the smaller system, or goes on where it was if there is none.
//! - Beside a thread that sweeps ([`Sweeper`]): it runs until the smaller system arrives.
//!
//! Answers, and the claims in events, are carried back to the system that was given, so that
//! nobody else needs to know of the other one.

use crate::context::{Context, Engine, Outcome, Reason, Unknown};
use crate::events::{Claim, Event, EventSink, Progress};
use crate::ledger::SettledBoard;
use crate::portfolio::best;
use crate::sweep::{SweepOptions, sweep};
use pedra_model::bits::BitSystem;
use pedra_model::lit::{Lit, Var};
use pedra_model::reduce::{ReduceOptions, Reduced, reduce};
use pedra_solve::Interrupt;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Where the swept system will be. It has to live longer than the engines that wait for it.
#[derive(Default)]
pub struct Room {
    /// Nothing inside: it is not much smaller.
    swept: OnceLock<Option<Reduced>>,
    /// Stops the engine that waits.
    waiting: Mutex<Option<Interrupt>>,
}

impl Room {
    /// Sweeps, and lets in what comes of it, unless the interrupt was raised meanwhile.
    fn fill(&self, system: &BitSystem, plan: &SweepPlan, interrupt: &Interrupt) {
        let swept = sweep(system, &plan.sweep, interrupt).map(|swept| {
            let properties: Vec<usize> = (0..swept.system.properties().len()).collect();
            let again = reduce(&swept.system, &properties, &plan.reduce);
            swept.then(again)
        });
        if interrupt.is_raised() {
            return;
        }
        let swept = swept.filter(|swept| is_much_smaller(&swept.system, system));
        let is_news = swept.is_some();
        let _ = self.swept.set(swept);
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(interrupt) = waiting.as_ref().filter(|_| is_news) {
            interrupt.raise();
        }
    }

    /// The smaller system, if it has come.
    fn swept(&self) -> Option<&Reduced> {
        self.swept.get().and_then(Option::as_ref)
    }

    /// A token that is raised when the smaller system comes.
    fn wait(&self, parent: &Interrupt) -> Interrupt {
        let token = parent.child();
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        if self.swept().is_some() {
            token.raise();
        }
        token
    }
}

/// How to sweep.
#[derive(Copy, Clone)]
pub struct SweepPlan {
    /// The limits.
    pub sweep: SweepOptions,
    /// Reductions of what comes of it.
    pub reduce: ReduceOptions,
    /// How long the engine works before, in looks at the interrupt; `None` if a [`Sweeper`] works
    /// beside it.
    pub looks: Option<u64>,
}

/// Tuning only: whether a new start is worth it.
fn is_much_smaller(after: &BitSystem, before: &BitSystem) -> bool {
    let (latches, gates) = (before.latches.len(), before.aig.len());
    20 * after.latches.len() <= 19 * latches || 10 * after.aig.len() <= 9 * gates
}

/// An engine on the system that is given, or on a smaller one.
pub struct Swept<'a, E> {
    system: &'a BitSystem,
    make: Box<dyn Fn(&'a BitSystem) -> E + Send + 'a>,
    plan: SweepPlan,
    room: &'a Room,
    raw: E,
    swept: Option<E>,
    /// What the engine on the system as it is has answered.
    raw_outcomes: Vec<Outcome>,
    /// And the one on the smaller system, carried back.
    swept_outcomes: Vec<Outcome>,
}

impl<'a, E: Engine> Swept<'a, E> {
    /// An engine that waits for a smaller system to be in the room.
    pub fn new(
        system: &'a BitSystem,
        make: impl Fn(&'a BitSystem) -> E + Send + 'a,
        plan: SweepPlan,
        room: &'a Room,
    ) -> Swept<'a, E> {
        let raw = make(system);
        Swept {
            system,
            make: Box::new(make),
            plan,
            room,
            raw,
            swept: None,
            raw_outcomes: Vec::new(),
            swept_outcomes: Vec::new(),
        }
    }

    /// The engine on the system as it is, until all is settled, the interrupt is raised, or there
    /// is a smaller system.
    fn run_raw(&mut self, context: &Context) {
        let run = |raw: &mut E, interrupt| raw.run(&Context { interrupt, ..context.clone() });
        match self.plan.looks {
            _ if self.room.swept.get().is_some() => {
                self.raw_outcomes = run(&mut self.raw, context.interrupt.child());
            }
            None => self.raw_outcomes = run(&mut self.raw, self.room.wait(&context.interrupt)),
            Some(looks) => {
                let budget = context.interrupt.child_with_looks(looks);
                self.raw_outcomes = run(&mut self.raw, budget);
                let is_stopped = |o: &Outcome| {
                    let reason = Reason::Interrupted;
                    matches!(o, Outcome::Unknown(unknown) if unknown.reason == reason)
                };
                if !self.raw_outcomes.iter().any(is_stopped) || context.interrupt.is_raised() {
                    return;
                }
                self.room.fill(self.system, &self.plan, &context.interrupt);
                if self.room.swept().is_none() && !context.interrupt.is_raised() {
                    self.raw_outcomes = run(&mut self.raw, context.interrupt.child());
                }
            }
        }
    }

    /// The engine on the smaller system.
    fn run_swept(&mut self, context: &Context, reduced: &'a Reduced) {
        let make = &self.make;
        let swept = self.swept.get_or_insert_with(|| {
            let BitSystem { latches, aig, .. } = &reduced.system;
            let (latches, gates) = (latches.len(), aig.gates().count());
            context.emit(|| Event::Restarted { latches, gates });
            make(&reduced.system)
        });
        let lifted = Lifted { original: self.system, reduced, events: context.events };
        let outcomes = swept.run(&Context { events: &lifted, ..context.clone() });
        self.swept_outcomes = outcomes.iter().map(|outcome| lifted.outcome(outcome)).collect();
    }
}

impl<E: Engine> Engine for Swept<'_, E> {
    fn name(&self) -> &'static str {
        self.raw.name()
    }

    fn run(&mut self, context: &Context) -> Vec<Outcome> {
        let properties = self.system.properties().len();
        let own = SettledBoard::new(properties);
        let board = context.settled.unwrap_or(&own);
        for outcomes in [&self.raw_outcomes, &self.swept_outcomes] {
            let settled = outcomes.iter().enumerate().filter(|(_, o)| o.is_settled());
            settled.for_each(|(property, _)| board.mark(property));
        }
        let context = Context { settled: Some(board), ..context.clone() };
        if self.room.swept().is_none() {
            self.run_raw(&context);
        }
        let is_open = (0..properties).any(|property| !board.is_settled(property));
        if let Some(reduced) = self.room.swept()
            && is_open
            && !context.interrupt.is_raised()
        {
            self.run_swept(&context, reduced);
        }
        let both = [&self.raw_outcomes, &self.swept_outcomes];
        let of = |property: usize| best(both.iter().filter_map(|outcomes| outcomes.get(property)));
        (0..properties).map(of).collect()
    }

    fn progress(&self) -> Progress {
        self.swept.as_ref().unwrap_or(&self.raw).progress()
    }
}

/// Carries what is said of the smaller system back to the original.
struct Lifted<'a> {
    original: &'a BitSystem,
    reduced: &'a Reduced,
    events: &'a dyn EventSink,
}

impl Lifted<'_> {
    fn outcome(&self, outcome: &Outcome) -> Outcome {
        let map = &self.reduced.map;
        match outcome {
            Outcome::Proved(proof) => Outcome::Proved(map.lift_proof(self.original, proof)),
            Outcome::Violated(trace) => Outcome::Violated(map.lift_trace(self.original, trace)),
            // Nothing to carry back: unknown, or about words, which PDR on bits never is.
            other => other.clone(),
        }
    }

    fn claim(&self, claim: &Claim) -> Claim {
        let Claim::Clause(clause) = claim else { return claim.clone() };
        let (small, large) = (self.reduced.system.aig.len(), self.original.aig.len());
        // Gates of the proof are numbered after the variables of the system.
        let lift = |lit: &Lit| match lit.var().index().checked_sub(small) {
            None => self.reduced.map.lift_lit(*lit),
            Some(gate) => Lit::new(Var::new(large + gate), lit.is_negated()),
        };
        Claim::Clause(clause.iter().map(lift).collect())
    }
}

impl EventSink for Lifted<'_> {
    fn emit(&self, event: &Event) {
        let lifted = match event {
            &Event::Settled { property, ref outcome } => {
                Event::Settled { property, outcome: self.outcome(outcome) }
            }
            &Event::LemmaLearned { lemma, level, ref claim } => {
                Event::LemmaLearned { lemma, level, claim: self.claim(claim) }
            }
            &Event::ObligationRaised { obligation, level, depth, successor, ref claim } => {
                let claim = self.claim(claim);
                Event::ObligationRaised { obligation, level, depth, successor, claim }
            }
            // Most have nothing to carry back.
            other => return self.events.emit(other),
        };
        self.events.emit(&lifted);
    }

    fn is_listening(&self) -> bool {
        self.events.is_listening()
    }

    fn wants_details(&self) -> bool {
        self.events.wants_details()
    }
}

/// Sweeps for a [`Swept`] in another thread. It decides nothing.
pub struct Sweeper<'a> {
    system: &'a BitSystem,
    plan: SweepPlan,
    room: &'a Room,
}

impl<'a> Sweeper<'a> {
    /// One that fills this room.
    pub fn new(system: &'a BitSystem, plan: SweepPlan, room: &'a Room) -> Sweeper<'a> {
        Sweeper { system, plan, room }
    }
}

impl Engine for Sweeper<'_> {
    fn name(&self) -> &'static str {
        "sweep"
    }

    fn run(&mut self, context: &Context) -> Vec<Outcome> {
        if self.room.swept.get().is_none() {
            self.room.fill(self.system, &self.plan, &context.interrupt);
        }
        let nothing = Unknown { reason: Reason::SettledElsewhere, safe_up_to: None };
        vec![Outcome::Unknown(nothing); self.system.properties().len()]
    }

    fn progress(&self) -> Progress {
        Progress::default()
    }
}
