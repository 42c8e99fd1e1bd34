//! k-liveness inside PDR.
//!
//! K. Claessen, N. Sörensson: *A Liveness Checking Algorithm that Counts*, FMCAD 2012. If no path
//! completes more than `k` rounds, the set holds. The paper runs a safety checker for each `k`;
//! others grow the counter within one search. Here all bounds are bads of one system
//! ([`Method::Count`](super::Method)), and PDR, in whose frames there is no property, keeps its
//! lemmas from one to the next.
//!
//! A path with many rounds may close a loop with all signals in it: then the set is violated, and
//! that path is the evidence.

use crate::context::{Context, End, Engine, Outcome, Reason, Way};
use crate::events::{Event, EventSink, Progress};
use crate::ledger::Ledger;
use crate::pdr::{Pdr, PdrOptions};
use pedra_model::back::{Back, Passes};
use pedra_model::bits::BitSystem;
use pedra_model::proof::Proof;
use pedra_model::trace::Trace;
use std::sync::{Arc, Mutex, PoisonError};

/// The choices of k-liveness.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct KLiveOptions {
    /// Whether rounds are counted between changes of stable latches.
    pub stable: bool,
}

impl Default for KLiveOptions {
    fn default() -> KLiveOptions {
        KLiveOptions { stable: true }
    }
}

/// k-liveness for one justice set.
pub struct KLive<'a> {
    pdr: Pdr<'a>,
    /// From the system of PDR to the bits of the model: shows whether a path closes a loop.
    to_model: &'a Passes<'a>,
    bounds: usize,
    /// Which bounds are exceeded, or proved.
    ledger: Arc<Ledger>,
}

impl<'a> KLive<'a> {
    /// An engine on what was made of a monitored system; `to_model` is the way back from there to
    /// the model's bits.
    pub fn new(system: &'a BitSystem, options: PdrOptions, to_model: &'a Passes<'a>) -> KLive<'a> {
        let bounds = system.properties().len();
        KLive { pdr: Pdr::new(system, options), to_model, bounds, ledger: Arc::default() }
    }
}

/// What ends the search.
enum Found {
    Bound(Proof),
    Lasso(Trace),
}

/// Hears of bounds that are exceeded or proved.
struct Listener<'a> {
    outer: &'a dyn EventSink,
    to_model: &'a Passes<'a>,
    bounds: usize,
    ledger: &'a Ledger,
    found: Mutex<Option<Found>>,
}

impl EventSink for Listener<'_> {
    fn emit(&self, event: &Event) {
        let Event::Settled { outcome, .. } = event else {
            if matches!(event, Event::Summary(_)) {
                self.outer.emit(event);
            }
            return;
        };
        let news = match outcome {
            Outcome::Proved(proof) => Found::Bound(Proof::clone(proof)),
            Outcome::Violated(trace) => {
                if self.to_model.trace(trace.clone()).loop_start().is_none() {
                    return;
                }
                Found::Lasso(trace.clone())
            }
            Outcome::Unknown => return,
        };
        self.found.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(news);
        // Nothing is left to do for the search.
        let all: Vec<usize> = (0..self.bounds).collect();
        self.ledger.settle(&all, outcome);
    }
}

impl Engine for KLive<'_> {
    fn name(&self) -> &'static str {
        "klive"
    }

    fn run(&mut self, context: &Context) -> End {
        if !context.is_open(0) {
            return End::NOTHING_LEFT;
        }
        context.emit(|| Event::Started { engine: self.name(), open: 1 });
        let (ledger, to_model) = (self.ledger.clone(), self.to_model);
        let found = Mutex::new(None);
        let (outer, bounds) = (context.events, self.bounds);
        let events = Listener { outer, to_model, bounds, ledger: &ledger, found };
        let inner = Context {
            events: &events,
            ledger: ledger.clone(),
            way: Way::default(),
            ..context.clone()
        };
        let end = self.pdr.run(&inner);
        match events.found.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(Found::Bound(proof)) => context.prove(&[0], proof),
            Some(Found::Lasso(trace)) => context.violate(0, trace),
            // All bounds are exceeded, and no path closed a loop.
            None if ledger.open(bounds).is_empty() => {
                return End { reason: Reason::Budget, safe_up_to: None };
            }
            None => {}
        }
        context.emit(|| Event::Finished {
            open: usize::from(context.is_open(0)),
            progress: self.progress(),
        });
        End { reason: end.reason, safe_up_to: None }
    }

    fn progress(&self) -> Progress {
        self.pdr.progress()
    }
}
