//! Several engines on one system, each on its own thread.
//!
//! The engines share the ledger, so that none works on what another has answered. When all
//! properties are settled, the rest is stopped. One engine alone runs on the caller's thread and
//! behaves as if there were no portfolio.
//!
//! An engine that crashes is reported ([`Event::Crashed`]) and does not run again. The portfolio
//! crashes only if all of them do. Engines can be dropped while they run, see [`Crew`].

use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, EventSink, Progress};
use crate::guard::{Payload, run_guarded};
use pedra_solve::Interrupt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Hears what the engines of a portfolio do, from their threads: the number of the engine, its
/// name, and the event.
pub type Hear<'a> = &'a (dyn Fn(usize, &'static str, &Event) + Sync);

/// The engines of a portfolio that are at work, for others to drop some of them.
#[derive(Default)]
pub struct Crew(Mutex<Vec<Member>>);

struct Member {
    number: usize,
    name: &'static str,
    stop: Interrupt,
    is_dropped: bool,
}

impl Crew {
    fn lock(&self) -> MutexGuard<'_, Vec<Member>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, number: usize, name: &'static str, stop: Interrupt) {
        self.lock().push(Member { number, name, stop, is_dropped: false });
    }

    /// Says whether it was dropped.
    fn leave(&self, number: usize) -> bool {
        let mut members = self.lock();
        let place = members.iter().position(|member| member.number == number);
        place.is_some_and(|place| members.remove(place).is_dropped)
    }

    /// The numbers of the engines at work that were not dropped.
    pub fn at_work(&self) -> Vec<usize> {
        self.lock().iter().filter(|m| !m.is_dropped).map(|m| m.number).collect()
    }

    /// Has an engine stop and give back its memory; gives its name, if it was at work.
    pub fn drop_engine(&self, number: usize) -> Option<&'static str> {
        let mut members = self.lock();
        let member = members.iter_mut().find(|m| m.number == number && !m.is_dropped)?;
        member.is_dropped = true;
        member.stop.raise();
        Some(member.name)
    }
}

/// In place of an engine that crashed or was dropped: its memory is free.
struct Gone(&'static str);

impl Engine for Gone {
    fn name(&self) -> &'static str {
        self.0
    }

    fn run(&mut self, _: &Context) -> End {
        End::NOTHING_LEFT
    }

    fn progress(&self) -> Progress {
        Progress::default()
    }
}

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
/// longest. Events go to `hear`, with details if the context's own sink wants them. While they
/// run, the engines are in the crew.
///
/// # Panics
/// If all engines do, or if `hear` does.
pub fn race<'e>(
    engines: &mut [Box<dyn Engine + 'e>],
    properties: usize,
    context: &Context,
    hear: Hear<'_>,
    crew: &Crew,
) -> End {
    let stop = context.interrupt.child();
    let wants_details = context.events.wants_details();
    let run = |number: usize, engine: &mut Box<dyn Engine + 'e>| -> Result<End, Payload> {
        let name = Mutex::new(engine.name());
        let events = Tagged { hear, wants_details, engine: number, name };
        let interrupt = stop.child();
        crew.enter(number, engine.name(), interrupt.clone());
        let inner = Context { interrupt, events: &events, ..context.clone() };
        let end = run_guarded(&mut **engine, &inner);
        if crew.leave(number) || end.is_err() {
            *engine = Box::new(Gone(engine.name()));
        }
        if context.open(properties).is_empty() {
            stop.raise();
        }
        end
    };
    let ends: Vec<Result<End, Payload>> = match engines {
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
            // A panic outside an engine: the listener does not want to go on after a crash.
            joined.map(|r| r.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        }),
    };
    let (ends, crashes): (Vec<_>, Vec<_>) = ends.into_iter().partition(Result::is_ok);
    if ends.is_empty() {
        if let Some(Err(payload)) = crashes.into_iter().next() {
            std::panic::resume_unwind(payload);
        }
        let reason = Reason::Unsupported("no thread could be started");
        return End { reason, safe_up_to: None };
    }
    End::best(ends.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// An engine that waits until it is stopped, or crashes.
    struct Waits(bool);

    impl Engine for Waits {
        fn name(&self) -> &'static str {
            "waits"
        }

        fn run(&mut self, context: &Context) -> End {
            assert!(!self.0, "a defect");
            while !context.interrupt.poll() {
                std::thread::yield_now();
            }
            End { reason: Reason::Interrupted, safe_up_to: Some(3) }
        }

        fn progress(&self) -> Progress {
            Progress::default()
        }
    }

    #[test]
    fn a_crash_is_told_and_the_others_go_on() {
        let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Waits(true)), Box::new(Waits(false))];
        let (context, crew, told) = (Context::default(), Crew::default(), AtomicUsize::new(0));
        let hear = |number: usize, _: &'static str, event: &Event| {
            if let Event::Crashed { engine: "waits", text } = event {
                assert_eq!((number, text.as_str()), (0, "a defect"));
                told.fetch_add(1, Ordering::Relaxed);
                context.interrupt.raise();
            }
        };
        let end = race(&mut engines, 1, &context, &hear, &crew);
        assert_eq!((told.load(Ordering::Relaxed), end.safe_up_to), (1, Some(3)));
        assert_eq!(crew.at_work(), [0; 0]);
    }

    #[test]
    #[should_panic(expected = "a defect")]
    fn all_crashes_are_one() {
        let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Waits(true)), Box::new(Waits(true))];
        race(&mut engines, 1, &Context::default(), &|_, _, _| {}, &Crew::default());
    }

    #[test]
    fn engines_can_be_dropped() {
        let mut engines: Vec<Box<dyn Engine>> =
            vec![Box::new(Waits(false)), Box::new(Waits(false))];
        let (context, crew) = (Context::default(), Crew::default());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while crew.at_work().len() < 2 {
                    std::thread::yield_now();
                }
                assert_eq!((crew.drop_engine(1), crew.drop_engine(1)), (Some("waits"), None));
                while crew.lock().len() > 1 {
                    std::thread::yield_now();
                }
                assert_eq!(crew.at_work(), [0]);
                context.interrupt.raise();
            });
            race(&mut engines, 1, &context, &|_, _, _| {}, &crew);
        });
        assert_eq!(engines[1].run(&Context::default()), End::NOTHING_LEFT);
    }
}
