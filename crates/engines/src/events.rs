//! Progress and the record of a run, as values.
//!
//! Engines emit events and never print. Whoever starts an engine passes an [`EventSink`]: a
//! status line, a recorder for the HTML page, a portfolio that tags events with the engine's
//! name, or [`NoEvents`]. Events are built only if the sink listens, see
//! [`Context::emit`](crate::Context::emit).

use crate::context::Outcome;
use pedra_model::lit::Lit;
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
    /// PDR opened a frame. This and the following are details, see
    /// [`EventSink::wants_details`].
    FrameOpened {
        /// Its level.
        level: usize,
    },
    /// PDR learned a lemma.
    LemmaLearned {
        /// The highest level where it holds; `None` for all.
        level: Option<usize>,
        /// The lemma, over the variables of the system (and of the proof's gates).
        clause: Vec<Lit>,
        /// How many lemmas it made useless.
        subsumed: usize,
    },
    /// PDR found that a lemma holds at a higher level, too.
    LemmaPushed {
        /// Its highest level before.
        from: usize,
        /// The highest level now; `None` for all.
        to: Option<usize>,
        /// The lemma.
        clause: Vec<Lit>,
        /// How many lemmas it made useless.
        subsumed: usize,
    },
    /// PDR found states that lead to a violation and must be excluded.
    ObligationRaised {
        /// From which level on.
        level: usize,
        /// The number of steps from there to the violation.
        depth: usize,
        /// The clause that excludes them all.
        clause: Vec<Lit>,
    },
    /// PDR excluded the states of an obligation from a frame.
    ObligationBlocked {
        /// The level of the frame.
        level: usize,
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

    /// Whether the sink also wants to hear of every frame, lemma and obligation: many thousands
    /// a second.
    fn wants_details(&self) -> bool {
        false
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
    with_details: bool,
}

impl Collector {
    /// An empty record.
    pub fn new() -> Collector {
        Collector::default()
    }

    /// An empty record, for details as well.
    pub fn with_details() -> Collector {
        Collector { with_details: true, ..Collector::default() }
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

    fn wants_details(&self) -> bool {
        self.with_details
    }
}
