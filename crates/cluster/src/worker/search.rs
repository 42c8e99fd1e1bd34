//! A search on a thread of its own, as the network sees it.

use crate::evidence;
use crate::wire::{Left, Why};
use pedra_check::{Claimant, Open, Plan, claims};
use pedra_engines::Outcome;
use pedra_model::Model;
use pedra_solve::Interrupt;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long a search may go on after its time.
const LATE: Duration = Duration::from_secs(30);

/// What a search tells.
pub(super) enum Told {
    /// An engine has settled something.
    Claim {
        engine: &'static str,
        evidence: Vec<u8>,
    },
    /// A property stays open.
    Left(Left),
    Nothing,
}

/// A search.
pub(super) struct Search {
    /// What it tells; closed when it is over.
    pub(super) told: UnboundedReceiver<Told>,
    /// Stops it.
    pub(super) interrupt: Interrupt,
    thread: Option<JoinHandle<()>>,
    deadline: Option<Instant>,
}

impl Search {
    /// Starts it.
    pub(super) fn start(
        model: Arc<Model>,
        properties: Vec<usize>,
        plan: Plan,
        limit: Option<Duration>,
    ) -> Search {
        let (sender, told) = unbounded_channel();
        let interrupt = limit.map_or_else(Interrupt::new, Interrupt::with_timeout);
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit + LATE));
        let stop = interrupt.clone();
        let body = move || {
            let teller = Teller { model: &model, sender };
            claims(&model, &properties, &plan, &stop, &teller);
        };
        // Without a thread the channel is closed at once, and the search has failed.
        let thread = std::thread::Builder::new().spawn(body).ok();
        Search { told, interrupt, thread, deadline }
    }

    /// Whether it should be over for long.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// Whether it came to its end. Waits for it, so it is to be asked when nothing is told any
    /// more.
    pub(super) fn has_ended_well(self) -> bool {
        self.thread.is_some_and(|thread| thread.join().is_ok())
    }
}

/// Puts what engines say into a form for the wire, on their threads.
struct Teller<'a> {
    model: &'a Model,
    sender: UnboundedSender<Told>,
}

impl Claimant for Teller<'_> {
    fn claim(&self, engine: &'static str, outcome: &Outcome) {
        let told = match evidence::encode(self.model, outcome) {
            Ok(evidence) => vec![Told::Claim { engine, evidence }],
            Err(_) => {
                let properties = match outcome {
                    Outcome::Proved(proof) => proof.properties().to_vec(),
                    Outcome::Violated(trace) => vec![trace.property()],
                    Outcome::Unknown => Vec::new(),
                };
                let left = |property| Told::Left(Left { property, why: Why::NotSent, safe: None });
                properties.into_iter().map(left).collect()
            }
        };
        for one in told {
            // The receiver is gone only if the worker ends.
            let _ = self.sender.send(one);
        }
    }

    fn open(&self, property: usize, why: Open, safe: Option<usize>) {
        let _ = self.sender.send(Told::Left(Left { property, why: Why::of(&why), safe }));
    }
}
