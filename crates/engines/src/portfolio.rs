//! Several engines on one system, each on its own thread.
//!
//! The engines share the ledger, so that none works on what another has answered. When all
//! properties are settled, the rest is stopped. One engine alone runs on the caller's thread and
//! behaves as if there were no portfolio.

use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, EventSink};
use std::sync::{Mutex, PoisonError};

/// Hears what the engines of a portfolio do, from their threads: the number of the engine, its
/// name, and the event.
pub type Hear<'a> = &'a (dyn Fn(usize, &'static str, &Event) + Sync);

/// Adds to an engine's events which engine it is.
struct Tagged<'a> {
    hear: Hear<'a>,
    wants_details: bool,
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
        (self.hear)(self.engine, name, event);
    }

    fn wants_details(&self) -> bool {
        self.wants_details
    }
}

/// Runs the engines side by side until every property is settled, all engines have given up,
/// or the context's interrupt is raised. Of several ends it gives the one that is safe for
/// longest. Events go to `hear`, with details if the context's own sink wants them.
pub fn race<'e>(
    engines: &mut [Box<dyn Engine + 'e>],
    properties: usize,
    context: &Context,
    hear: Hear<'_>,
) -> End {
    let stop = context.interrupt.child();
    let wants_details = context.events.wants_details();
    let run = |number: usize, engine: &mut Box<dyn Engine + 'e>| {
        let name = Mutex::new(engine.name());
        let events = Tagged { hear, wants_details, engine: number, name };
        let interrupt = stop.clone();
        let end = engine.run(&Context { interrupt, events: &events, ..context.clone() });
        if context.open(properties).is_empty() {
            stop.raise();
        }
        end
    };
    let ends: Vec<End> = match engines {
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
    if ends.is_empty() {
        let reason = Reason::Unsupported("no thread could be started");
        return End { reason, safe_up_to: None };
    }
    End::best(ends)
}
