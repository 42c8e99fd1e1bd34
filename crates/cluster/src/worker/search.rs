//! A search on a thread of its own, as the network sees it.

use super::{ReadModel, Subject};
use crate::evidence::{self, EvidenceError};
use crate::program_evidence::{self, fingerprint};
use crate::wire::{Left, NotDone, Reading, Why};
use pedra_check::{
    Claimant, Open, Plan, ProgramAnswer, ProgramClaimant, ProgramOpen, claims, program_claims,
};
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
    Model(Arc<Subject>, usize),
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
    Known(Arc<Subject>),
    /// A file.
    File(File),
}

/// What a model is read from.
pub(super) struct File {
    pub(super) bytes: Vec<u8>,
    /// What its hash should be.
    pub(super) hash: String,
    /// How it is read, if it is a program.
    pub(super) program: Option<Reading>,
    pub(super) read: Arc<ReadModel>,
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
            Ok(subject) => {
                let teller = Teller { model: subject.model(), sender, exchange };
                match &*subject {
                    Subject::Model(model) => {
                        claims(model, &properties, &plan, &interrupt, &teller);
                    }
                    Subject::Program(program) => {
                        let told = program_claims(program, &properties, &plan, &interrupt, &teller);
                        if let Err(error) = told {
                            let why = error.to_string().chars().take(300).collect();
                            let _ = teller.sender.send(Told::NotDone(NotDone::Refused(why)));
                        }
                    }
                }
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

/// Reads the model, unless it is known, and looks whether it is what the asker means.
fn read(
    source: Source,
    sender: &UnboundedSender<Told>,
    properties: &[usize],
) -> Result<Arc<Subject>, NotDone> {
    let subject = match source {
        Source::Known(subject) => subject,
        Source::File(File { bytes, hash, program, read }) => {
            if sha256(&bytes) != hash {
                return Err(NotDone::NoModel);
            }
            let short = |text: String| text.chars().take(300).collect::<String>();
            let subject = read(program.as_ref(), &bytes)
                .map_err(|text| NotDone::Refused(format!("the model: {}", short(text))))?;
            if let (Subject::Program(found), Some(wanted)) = (&subject, &program)
                && fingerprint(found) != wanted.fingerprint
            {
                let text = "it reads the program in another way: it is of another build";
                return Err(NotDone::Refused(text.to_owned()));
            }
            let subject = Arc::new(subject);
            let _ = sender.send(Told::Model(subject.clone(), bytes.len()));
            subject
        }
    };
    match properties.iter().find(|&&property| property >= subject.num_properties()) {
        Some(property) => Err(NotDone::Refused(format!("there is no property {property}"))),
        None => Ok(subject),
    }
}

/// Puts what engines say into a form for the wire, on their threads.
struct Teller<'a> {
    /// The model, if it is no program.
    model: Option<&'a Model>,
    sender: UnboundedSender<Told>,
    exchange: Option<Arc<Exchange>>,
}

impl Teller<'_> {
    fn tell(
        &self,
        engine: &'static str,
        encoded: Result<Vec<u8>, EvidenceError>,
        properties: Vec<usize>,
    ) {
        let told = match encoded {
            Ok(evidence) => vec![Told::Claim { engine, evidence }],
            Err(_) => {
                let left = |property| Told::Left(Left { property, why: Why::NotSent, safe: None });
                properties.into_iter().map(left).collect()
            }
        };
        for one in told {
            // The receiver is gone only if the worker ends.
            let _ = self.sender.send(one);
        }
    }
}

impl Claimant for Teller<'_> {
    fn claim(&self, engine: &'static str, outcome: &Outcome) {
        let Some(model) = self.model else { return };
        let properties = match outcome {
            Outcome::Proved(proof) => proof.properties().to_vec(),
            Outcome::Violated(trace) => vec![trace.property()],
            Outcome::Unknown => Vec::new(),
        };
        self.tell(engine, evidence::encode(model, outcome), properties);
    }

    fn exchange(&self) -> Option<&Exchange> {
        self.exchange.as_deref()
    }

    fn open(&self, property: usize, why: Open, safe: Option<usize>) {
        let _ = self.sender.send(Told::Left(Left { property, why: Why::of(&why), safe }));
    }
}

impl ProgramClaimant for Teller<'_> {
    fn claim(&self, engine: &'static str, answer: &ProgramAnswer) {
        self.tell(engine, program_evidence::encode(answer), answer.properties());
    }

    fn exchange(&self) -> Option<&Exchange> {
        self.exchange.as_deref()
    }

    fn open(&self, property: usize, why: &ProgramOpen, safe: Option<usize>) {
        let _ = self.sender.send(Told::Left(Left { property, why: Why::of_program(why), safe }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_program::Program;

    /// A program that a worker reads in another way than the asker is not worked on.
    #[test]
    fn another_graph_is_refused() {
        let right = fingerprint(&Program::new());
        for (wanted, is_right) in [(right.clone(), true), ("0".repeat(16), false)] {
            let reading = Reading {
                language: "c".to_owned(),
                data_model: None,
                function: None,
                errors_return: false,
                checks: Vec::new(),
                fingerprint: wanted,
            };
            let read_as: Arc<ReadModel> = Arc::new(|_, _| Ok(Subject::Program(Program::new())));
            let (bytes, program) = (b"int x;".to_vec(), Some(reading));
            let file = File { hash: sha256(&bytes), bytes, program, read: read_as };
            let (sender, mut told) = unbounded_channel();
            match (read(Source::File(file), &sender, &[]), is_right) {
                (Ok(_), true) => assert!(matches!(told.try_recv(), Ok(Told::Model(..)))),
                (Err(NotDone::Refused(text)), false) => {
                    assert!(text.contains("in another way"), "{text}");
                    assert!(told.try_recv().is_err(), "it is not kept");
                }
                (_, is_right) => panic!("{is_right}"),
            }
        }
    }
}
