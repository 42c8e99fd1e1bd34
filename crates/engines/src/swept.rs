//! A PDR engine that starts at once on the unswept system, and moves to a swept one if that is much
//! smaller. Easy systems therefore never pay for sweeping.
//!
//! - In one thread: the engine runs under a budget, then [`sweep`] does, then it restarts on the
//!   smaller system, or continues where it was if there is none.
//! - With a second thread that sweeps ([`Sweeper`]): it runs until the smaller system arrives.
//!
//! Answers, and the claims in events, are translated back to the original system. No other part of
//! the program needs to know the smaller one.

use crate::context::{Context, End, Engine, Link, Reason};
use crate::events::{Claim, Event, EventSink, Progress};
use crate::sweep::{SweepOptions, sweep};
use pedra_model::back::{Back, Passes};
use pedra_model::bits::BitSystem;
use pedra_model::reduce::{ReduceOptions, Reduced, Reduction, reduce};
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

/// Tuning only: whether a new start is worth it. Lemmas are lost by it, so that one for a few gates
/// takes lamport_nonatomic.5 twice as long; see docs/NOTEBOOK.md, "Sweeping".
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
    /// How the last run on the system as it is ended.
    raw_end: End,
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
        let make = Box::new(make);
        Swept { system, make, plan, room, raw, swept: None, raw_end: End::NOTHING_LEFT }
    }

    /// The engine on the system as it is, until all is settled, the interrupt is raised, or there
    /// is a smaller system.
    fn run_raw(&mut self, context: &Context) -> End {
        let run = |raw: &mut E, interrupt| raw.run(&Context { interrupt, ..context.clone() });
        match self.plan.looks {
            _ if self.room.swept.get().is_some() => run(&mut self.raw, context.interrupt.child()),
            None => run(&mut self.raw, self.room.wait(&context.interrupt)),
            Some(looks) => {
                let end = run(&mut self.raw, context.interrupt.child_with_looks(looks));
                if end.reason != Reason::Interrupted || context.interrupt.is_raised() {
                    return end;
                }
                self.room.fill(self.system, &self.plan, &context.interrupt);
                if self.room.swept().is_some() || context.interrupt.is_raised() {
                    return end;
                }
                run(&mut self.raw, context.interrupt.child())
            }
        }
    }

    /// The engine on the smaller system.
    fn run_swept(&mut self, context: &Context, reduced: &'a Reduced) -> End {
        let make = &self.make;
        let swept = self.swept.get_or_insert_with(|| {
            let BitSystem { latches, aig, .. } = &reduced.system;
            let (latches, gates) = (latches.len(), aig.gates().count());
            context.emit(|| Event::Restarted { latches, gates });
            make(&reduced.system)
        });
        let way = Reduction { original: self.system, map: &reduced.map };
        let passes = Passes(vec![Box::new(way)]);
        let link = Link::new(context, &passes);
        let claims = Lifted { passes: &passes, events: context.events };
        swept.run(&Context { events: &claims, ..context.through(&link) })
    }
}

impl<E: Engine> Engine for Swept<'_, E> {
    fn name(&self) -> &'static str {
        self.raw.name()
    }

    fn run(&mut self, context: &Context) -> End {
        let properties = self.system.properties().len();
        if self.room.swept().is_none() {
            self.raw_end = self.run_raw(context);
        }
        let Some(reduced) = self.room.swept() else { return self.raw_end };
        if context.interrupt.is_raised() || context.open(properties).is_empty() {
            return self.raw_end;
        }
        let swept_end = self.run_swept(context, reduced);
        End::best([self.raw_end, swept_end])
    }

    fn progress(&self) -> Progress {
        self.swept.as_ref().unwrap_or(&self.raw).progress()
    }
}

/// Carries claims about the smaller system back to the original.
struct Lifted<'a> {
    passes: &'a Passes<'a>,
    events: &'a dyn EventSink,
}

impl Lifted<'_> {
    fn claim(&self, claim: &Claim) -> Claim {
        let Claim::Clause(clause) = claim else { return claim.clone() };
        self.passes.claim(clause).map_or_else(|| claim.clone(), Claim::Clause)
    }
}

impl EventSink for Lifted<'_> {
    fn emit(&self, event: &Event) {
        let lifted = match event {
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

    fn run(&mut self, context: &Context) -> End {
        if self.room.swept.get().is_none() {
            self.room.fill(self.system, &self.plan, &context.interrupt);
        }
        End::NOTHING_LEFT
    }

    fn progress(&self) -> Progress {
        Progress::default()
    }
}
