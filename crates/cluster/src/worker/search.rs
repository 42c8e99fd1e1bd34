//! A search on a thread of its own, as the network sees it.

use super::ReadModel;
use crate::evidence;
use crate::wire::{Left, NotDone, Why};
use pedra_check::{Claimant, Open, Plan, claims};
use pedra_engines::{Exchange, Outcome};
use pedra_formats::sha256::sha256;
use pedra_model::Model;
use pedra_solve::Interrupt;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What a search tells.
pub(super) enum Told {
    /// The model was read; its file had this many bytes.
    Model(Arc<Model>, usize),
    /// There is no search, for this reason.
    NotDone(NotDone),
    /// An engine has settled something.
    Claim { engine: &'static str, evidence: Vec<u8> },
    /// A property stays open.
    Left(Left),
}

/// Where the model comes from.
pub(super) enum Source {
    /// It was read before.
    Known(Arc<Model>),
    /// A file, what its hash should be, and how it is read.
    File(Vec<u8>, String, Arc<ReadModel>),
}

/// A search.
pub(super) struct Search {
    /// What it tells; closed when it is over.
    pub(super) told: UnboundedReceiver<Told>,
    thread: Option<JoinHandle<()>>,
}

impl Search {
    /// Starts it. Reading is part of it: that may take long, too, and use up the memory.
    pub(super) fn start(
        source: Source,
        properties: Vec<usize>,
        plan: Plan,
        interrupt: Interrupt,
        exchange: Option<Arc<Exchange>>,
    ) -> Search {
        let (sender, told) = unbounded_channel();
        let body = move || match read(source, &sender, &properties) {
            Ok(model) => {
                let teller = Teller { model: &model, sender, exchange };
                claims(&model, &properties, &plan, &interrupt, &teller);
            }
            Err(why) => {
                let _ = sender.send(Told::NotDone(why));
            }
        };
        // Without a thread the channel is closed at once, and the search has failed.
        let thread = std::thread::Builder::new().spawn(body).ok();
        Search { told, thread }
    }

    /// Whether it came to its end. Waits for it, so it is to be asked when nothing is told any
    /// more.
    pub(super) fn has_ended_well(self) -> bool {
        self.thread.is_some_and(|thread| thread.join().is_ok())
    }
}

/// Reads the model, unless it is known, and looks whether it has the properties.
fn read(
    source: Source,
    sender: &UnboundedSender<Told>,
    properties: &[usize],
) -> Result<Arc<Model>, NotDone> {
    let model = match source {
        Source::Known(model) => model,
        Source::File(bytes, hash, read) => {
            if sha256(&bytes) != hash {
                return Err(NotDone::NoModel);
            }
            let short = |text: String| text.chars().take(300).collect::<String>();
            let model = read(&bytes)
                .map_err(|text| NotDone::Refused(format!("the model: {}", short(text))))?;
            let model = Arc::new(model);
            let _ = sender.send(Told::Model(model.clone(), bytes.len()));
            model
        }
    };
    match properties.iter().find(|&&property| property >= model.num_properties()) {
        Some(property) => Err(NotDone::Refused(format!("there is no property {property}"))),
        None => Ok(model),
    }
}

/// Puts what engines say into a form for the wire, on their threads.
struct Teller<'a> {
    model: &'a Model,
    sender: UnboundedSender<Told>,
    exchange: Option<Arc<Exchange>>,
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

    fn exchange(&self) -> Option<&Exchange> {
        self.exchange.as_deref()
    }

    fn open(&self, property: usize, why: Open, safe: Option<usize>) {
        let _ = self.sender.send(Told::Left(Left { property, why: Why::of(&why), safe }));
    }
}
