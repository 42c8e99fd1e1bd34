//! Progress and the record of a run, as values.
//!
//! Engines emit events and never print. The caller of an engine passes an [`EventSink`]: a status
//! line, a recorder for the HTML page, a portfolio that tags events with the engine's name, or
//! [`NoEvents`]. Events are built only if the sink listens, see
//! [`Context::emit`](crate::Context::emit).

use crate::context::Outcome;
use crate::exchange::Exchanged;
use crate::region::Region;
use pedra_model::lit::Lit;
use std::sync::Mutex;
use std::time::Duration;

/// Something that happened in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A run begins, or continues.
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
    /// Properties were decided, by one argument, and the [`Ledger`](crate::Ledger) has it.
    Settled {
        /// Which, as the ledger numbers them.
        properties: Vec<usize>,
        /// The answer, about the system that the ledger is about; never unknown.
        outcome: Outcome,
    },
    /// What follows, up to the next event of this kind, is about frames of this direction.
    /// Before the first one it is [`Direction::Forward`]. This and the following are details,
    /// see [`EventSink::wants_details`].
    Turned {
        /// The direction.
        direction: Direction,
    },
    /// A frame was opened.
    FrameOpened {
        /// Its level.
        level: usize,
    },
    /// A lemma was learned.
    LemmaLearned {
        /// Its number, which no other lemma of this engine and direction has, up to
        /// [`Event::Restarted`].
        lemma: usize,
        /// The highest level where it holds; `None` for all.
        level: Option<usize>,
        /// What it says.
        claim: Claim,
    },
    /// A lemma was found to hold at a higher level, too.
    LemmaPushed {
        /// Its number.
        lemma: usize,
        /// Its highest level before.
        from: usize,
        /// The highest level now; `None` for all.
        to: Option<usize>,
    },
    /// A lemma is of no more use, since another one says more, at as high a level.
    LemmaRetired {
        /// Its number.
        lemma: usize,
        /// The number of the other one, which was reported before.
        by: usize,
    },
    /// States were found that lead to a violation and must be excluded.
    ObligationRaised {
        /// Its number, which no other obligation of this engine and direction has.
        obligation: usize,
        /// From which level on.
        level: usize,
        /// The number of steps from there to the violation.
        depth: usize,
        /// The obligation that these states lead to; `None` if they are bad.
        successor: Option<usize>,
        /// What excludes them all.
        claim: Claim,
    },
    /// The states of an obligation were excluded.
    ObligationBlocked {
        /// Its number.
        obligation: usize,
        /// Up to this level; `None` for all.
        level: Option<usize>,
    },
    /// fbPDR: a direction's turn is over, and exchanges follow. Not itself subject to
    /// [`Event::Turned`], like the following four.
    SliceEnded {
        /// Whose turn it was.
        direction: Direction,
        /// Its work in this turn: propagations, with something for each query.
        work: u64,
        /// How many of its obligations were void in this turn, since they belong to shorter
        /// counterexamples than there can be.
        voided: u64,
    },
    /// fbPDR: a direction has told the other one its deepest obligations.
    ObligationsShared {
        /// Whose they are.
        from: Direction,
        /// How many.
        count: usize,
        /// The largest number of steps to a violation, or from the initial states.
        deepest: usize,
    },
    /// fbPDR: a direction was offered lemmas from frames of the other one.
    LemmasShared {
        /// Whose frames they come from.
        from: Direction,
        /// How many were offered.
        offered: usize,
        /// How many were taken in, and reported as learned before.
        imported: usize,
    },
    /// fbPDR: obligations of both directions have a state in common, which completes a
    /// counterexample.
    Met {
        /// The step of the violation.
        step: usize,
        /// The number of the forward obligation.
        forward: usize,
        /// The number of the reverse obligation.
        reverse: usize,
    },
    /// fbPDR: a direction continues at the depth of the other one.
    Extended {
        /// Which.
        direction: Direction,
        /// The last step that is known to be safe.
        depth: usize,
        /// How many of its obligations were void so far, since they belong to shorter
        /// counterexamples.
        voided: u64,
    },
    /// A bounded query was refuted, and the refutation gave interpolants.
    Interpolated {
        /// The last step of the query.
        depth: usize,
        /// Its first step: the refutation needs no earlier one.
        first: usize,
        /// The steps up to this one use the frame of this number, not their own. Greater than
        /// `first` for strong induction only (kAvy).
        level: usize,
        /// The clauses that the refutation rests on.
        clauses: usize,
        /// Its resolutions.
        resolutions: usize,
        /// The gates of all interpolants together.
        gates: usize,
    },
    /// The engine restarts, on a smaller system or for fewer properties: all its frames, lemmas
    /// and obligations are gone, and numbers start from 0. Claims are still about the system that
    /// it was given.
    Restarted {
        /// Latches of the system that it works on now.
        latches: usize,
        /// Gates of that system.
        gates: usize,
    },
    /// An engine has failed because of a bug, and runs no more. What it answered before was
    /// checked like everything else, and the others continue.
    Crashed {
        /// Which engine.
        engine: &'static str,
        /// What it said.
        text: String,
    },
    /// What a run has exchanged with other engines on the same system, after its end. Left out
    /// without an exchange.
    Exchanged(Exchanged),
    /// What a run amounts to, shortly before its end. An engine that has nothing to say beyond
    /// [`Progress`] leaves it out.
    Summary(Summary),
    /// The run ended, settled or not.
    Finished {
        /// How many properties are still open.
        open: usize,
        /// The final state of the counters.
        progress: Progress,
    },
}

/// Which way frames grow.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Direction {
    /// From the initial states on.
    #[default]
    Forward,
    /// From the bad states back.
    Backward,
}

impl Direction {
    /// In a word.
    pub fn text(self) -> &'static str {
        match self {
            Direction::Forward => "forward",
            Direction::Backward => "backward",
        }
    }
}

/// What a lemma says of states; or what would exclude an obligation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// One of these literals holds. They are over the variables of the system, and over the
    /// gates of the proof, which are numbered after them.
    Clause(Vec<Lit>),
    /// The state is not one of these.
    Outside(Region),
}

impl From<Vec<Lit>> for Claim {
    fn from(clause: Vec<Lit>) -> Claim {
        Claim::Clause(clause)
    }
}

/// What a run amounts to, for people.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// The lemmas in use whose highest level this is, from level 1 on.
    pub lemmas: Vec<usize>,
    /// Those that hold at all levels.
    pub invariants: usize,
    /// How many lemmas there ever were.
    pub learned: usize,
    /// Where the work went.
    pub work: Vec<Work>,
}

/// A part of the work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Work {
    /// What it was for.
    pub purpose: &'static str,
    /// How many queries.
    pub queries: u64,
    /// How many of them were answered as hoped for, where that makes sense.
    pub held: Option<u64>,
    /// How long they took, where that is known.
    pub time: Option<Duration>,
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

/// Ignores all events.
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
