//! Who runs, who shares, who wins: several engines on one system, each on its own thread.
//!
//! The engines share a board of settled properties, so that none works on what another has
//! answered. The first answer for a property counts; when all are settled, the rest is
//! stopped. One engine alone runs on the caller's thread and behaves as if there were no
//! portfolio.

use crate::context::{Context, Engine, Outcome, Reason, Unknown};
use crate::events::{Event, EventSink};
use crate::ledger::SettledBoard;
use std::sync::{Mutex, PoisonError};

/// Hears what the engines of a portfolio do, from their threads.
pub trait Listener: Sync {
    /// Engine number `engine`, called `name`, emits an event.
    fn hear(&self, engine: usize, name: &'static str, event: &Event);

    /// Whether it also wants to hear of details, see [`EventSink::wants_details`].
    fn wants_details(&self) -> bool {
        false
    }
}

/// Adds to an engine's events which engine it is.
struct Tagged<'a> {
    listener: &'a dyn Listener,
    engine: usize,
    /// One that consists of several says which of them it is when that starts.
    name: Mutex<&'static str>,
}

impl EventSink for Tagged<'_> {
    fn emit(&self, event: &Event) {
        let name = {
            let mut name = self.name.lock().unwrap_or_else(PoisonError::into_inner);
            if let Event::Started { engine, .. } = event {
                *name = engine;
            }
            *name
        };
        self.listener.hear(self.engine, name, event);
    }

    fn wants_details(&self) -> bool {
        self.listener.wants_details()
    }
}

/// Runs the engines side by side until every property is settled, all engines have given up,
/// or the context's interrupt is raised. Gives one outcome a property: of several `unknown`s
/// the one that is safe for longest.
pub fn race<'e>(
    engines: &mut [Box<dyn Engine + 'e>],
    properties: usize,
    context: &Context,
    listener: &dyn Listener,
) -> Vec<Outcome> {
    let board = SettledBoard::new(properties);
    let stop = context.interrupt.child();
    let run = |number: usize, engine: &mut Box<dyn Engine + 'e>| {
        let events = Tagged { listener, engine: number, name: Mutex::new(engine.name()) };
        let outcomes = engine.run(&Context {
            interrupt: stop.clone(),
            events: &events,
            settled: Some(&board),
            ..context.clone()
        });
        if (0..properties).all(|p| board.is_settled(p)) {
            stop.raise();
        }
        outcomes
    };
    let all: Vec<Vec<Outcome>> = match engines {
        [single] => vec![run(0, single)],
        several => std::thread::scope(|scope| {
            let run = &run;
            let threads: Vec<_> = several
                .iter_mut()
                .enumerate()
                .filter_map(|(number, engine)| {
                    // An engine for which there is no thread stays out.
                    let body = move || run(number, engine);
                    std::thread::Builder::new().spawn_scoped(scope, body).ok()
                })
                .collect();
            let joined = threads.into_iter().map(|t| t.join());
            joined.map(|r| r.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        }),
    };
    if all.is_empty() {
        let reason = Reason::Unsupported("no thread could be started");
        return vec![Outcome::Unknown(Unknown { reason, safe_up_to: None }); properties];
    }
    (0..properties).map(|p| best(all.iter().map(|outcomes| &outcomes[p]))).collect()
}

/// A definite answer if there is one, else the `unknown` that says most.
pub(crate) fn best<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Outcome {
    let mut best = Unknown { reason: Reason::SettledElsewhere, safe_up_to: None };
    for outcome in outcomes {
        match outcome {
            outcome if outcome.is_settled() => return outcome.clone(),
            // Who leaves it to others has nothing to say.
            Outcome::Unknown(new) if new.reason == Reason::SettledElsewhere => {}
            Outcome::Unknown(new) if new.safe_up_to >= best.safe_up_to => best = *new,
            _ => {}
        }
    }
    Outcome::Unknown(best)
}
