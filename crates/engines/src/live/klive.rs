//! k-liveness inside PDR, or by k-induction.
//!
//! K. Claessen, N. Sörensson: *A Liveness Checking Algorithm that Counts*, FMCAD 2012. If no path
//! completes more than `k` rounds, the set holds. The paper runs a safety checker for each `k`;
//! others grow the counter within one search. Here all bounds are bads of one system
//! ([`Method::Count`](super::Method)), and PDR, in whose frames there is no property, keeps its
//! lemmas from one to the next.
//!
//! k-induction ([`Method::Induction`](super::Method)) is asked for the last bound alone. PDR has to
//! learn which states there can be between two changes of stable latches, k-induction only that
//! from no state at all a path without a change is long. Arbiters with a bit for each of a
//! hundred requests are such.
//!
//! A path with many rounds may close a loop with all signals in it: then the set is violated, and
//! that path is the evidence.

use crate::context::{Context, End, Engine, Outcome, Reason, Way};
use crate::events::{Event, EventSink, Progress};
use crate::kind::{Kind, KindOptions};
use crate::ledger::Ledger;
use crate::live::monitored::COUNTERS;
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
    name: &'static str,
    /// Decides whether bounds can be exceeded.
    engine: Box<dyn Engine + 'a>,
    /// From the system of that engine to the bits of the model: shows whether a path closes a loop.
    to_model: &'a Passes<'a>,
    bounds: usize,
    /// The engine goes no deeper than this.
    max_depth: Option<usize>,
    /// Which bounds are exceeded, or proved.
    ledger: Arc<Ledger>,
}

/// k-induction ends at this `k`: a path without a change that is longer than any number of rounds
/// that is counted will hardly be excluded by still longer ones. On lmcs06bc57sp4 it took a tenth
/// of the time of all engines after that. Tuning only.
const MAX_K: usize = COUNTERS;

impl<'a> KLive<'a> {
    /// An engine on what was made of a monitored system; `to_model` is the way back from there to
    /// the model's bits.
    pub fn new(system: &'a BitSystem, options: PdrOptions, to_model: &'a Passes<'a>) -> KLive<'a> {
        KLive::with("klive", Box::new(Pdr::new(system, options)), system, to_model)
    }

    /// The same with k-induction.
    pub fn by_induction(system: &'a BitSystem, to_model: &'a Passes<'a>) -> KLive<'a> {
        let options = KindOptions { simple_path: false, ..KindOptions::default() };
        let engine = Box::new(Kind::new(system, options));
        let one = KLive::with("klive-kind", engine, system, to_model);
        KLive { max_depth: Some(MAX_K), ..one }
    }

    fn with(
        name: &'static str,
        engine: Box<dyn Engine + 'a>,
        system: &BitSystem,
        to_model: &'a Passes<'a>,
    ) -> KLive<'a> {
        let bounds = system.properties().len();
        KLive { name, engine, to_model, bounds, max_depth: None, ledger: Arc::default() }
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
        self.name
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
        let max_depth = context.max_depth.into_iter().chain(self.max_depth).min();
        let inner = Context {
            events: &events,
            ledger: ledger.clone(),
            way: Way::default(),
            max_depth,
            ..context.clone()
        };
        let end = self.engine.run(&inner);
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
        let reason = match end.reason {
            // Nobody asked for this limit.
            Reason::DepthLimit if max_depth != context.max_depth => Reason::Budget,
            reason => reason,
        };
        End { reason, safe_up_to: None }
    }

    fn progress(&self) -> Progress {
        self.engine.progress()
    }
}
