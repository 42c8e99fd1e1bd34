//! Progress and the record of a run, as values.
//!
//! Engines emit events and never print. Whoever starts an engine passes an [`EventSink`]: a
//! status line, a recorder for the HTML page, a portfolio that tags events with the engine's
//! name, or [`NoEvents`]. Events are built only if the sink listens, see
//! [`Context::emit`](crate::Context::emit).

use crate::context::Outcome;
use std::sync::Mutex;

/// Something that happened in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A run begins, or goes on.
    Started {
        /// Which engine.
        engine: &'static str,
        /// How many properties are still open.
        open: usize,
    },
    /// The engine turns to this step or frame. This is a claim, which listeners pass on: no
    /// property that is still open is violated at any step before it.
    Depth {
        /// The first step that is looked at now.
        depth: usize,
        /// The state of the counters at this point.
        progress: Progress,
    },
    /// A property was decided.
    Settled {
        /// Which: an index into the system's properties.
        property: usize,
        /// The answer; never unknown.
        outcome: Outcome,
    },
    /// The run ended, settled or not.
    Finished {
        /// How many properties are still open.
        open: usize,
        /// The final state of the counters.
        progress: Progress,
    },
}

/// Where an engine is: what a status line shows. Counters that an engine lacks are 0.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// The step, `k` or frame that is being looked at.
    pub depth: usize,
    /// Frames of an over-approximation (PDR).
    pub frames: usize,
    /// Lemmas that are now in use.
    pub lemmas: usize,
    /// Obligations that now wait.
    pub obligations: usize,
    /// Solver queries so far.
    pub queries: u64,
    /// Solver conflicts so far.
    pub conflicts: u64,
}

/// Where events go.
pub trait EventSink: Sync {
    /// Takes note of an event. Called from the engine's thread, so it should be quick.
    fn emit(&self, event: &Event);

    /// Whether events are wanted at all.
    fn is_listening(&self) -> bool {
        true
    }
}

/// Nobody listens.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit(&self, _: &Event) {}

    fn is_listening(&self) -> bool {
        false
    }
}

/// Keeps every event, for tests and recordings.
#[derive(Debug, Default)]
pub struct Collector {
    events: Mutex<Vec<Event>>,
}

impl Collector {
    /// An empty record.
    pub fn new() -> Collector {
        Collector::default()
    }

    /// What was recorded so far, in order; the record is empty afterwards.
    pub fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *self.events.lock().expect("recording does not panic"))
    }
}

impl EventSink for Collector {
    fn emit(&self, event: &Event) {
        self.events.lock().expect("recording does not panic").push(event.clone());
    }
}
