//! Lemmas and runs to and from other workers that work on the same model.
//!
//! They travel as plain messages, which the server keeps for nobody: a note that is lost is no
//! harm. *Required for soundness*: what arrives goes to the boards of the search
//! ([`pedra_engines::exchange`]), and an engine that takes a lemma from there checks it first, and
//! walks a run.
//!
//! A slow worker is not drowned: only [`WAITING`] messages wait for it, the server and the client
//! drop what is beyond; its engines take what fits into their budgets, and boards forget the rest.

use super::Desk;
use crate::net::{QUICK, lemmas_subject};
use crate::wire::{self, Lemmas};
use async_nats::{Client, Subscriber};
use futures_util::{FutureExt, StreamExt};
use pedra_engines::Exchange;
use pedra_engines::exchange::{Note, Outside, Run, What};
use pedra_model::lit::{Lit, Var};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How often lemmas are sent and received. Chosen: an engine finds some thousand in a second.
const EVERY: Duration = Duration::from_millis(200);

/// How many notes are sent each time.
const MOST_NOTES: usize = 256;

/// How many of them go into a message.
const NOTES_IN_MESSAGE: usize = 64;

/// The most bytes of a message that is sent or read: [`NOTES_IN_MESSAGE`] lemmas of 128 literals,
/// which is what a board takes, with ten digits each, and as much again. A run that does not fit
/// stays here.
const MAX_BYTES: usize = 192 << 10;

/// How many messages wait to be read. At most this many are read each time.
const WAITING: usize = 64;

impl Desk<'_> {
    /// Sends the lemmas of a search to other workers, and receives theirs. Ends with the search,
    /// which runs beside it. Without a link to the server the search goes on alone.
    pub(super) async fn share_lemmas(
        &self,
        model: &str,
        exchange: Option<&Exchange>,
    ) -> Infallible {
        let linked = match exchange {
            Some(exchange) => self.link(model).await.map(|link| (exchange, link)),
            None => None,
        };
        let Some((exchange, (client, mut theirs))) = linked else {
            return std::future::pending().await;
        };
        let mut outside = Outside::default();
        loop {
            tokio::time::sleep(EVERY).await;
            for message in messages(&self.name, outside.leaving(exchange, MOST_NOTES)) {
                let (subject, payload) = (lemmas_subject(model), wire::encode(&message));
                if payload.len() > MAX_BYTES {
                    continue;
                }
                let sent = timeout(QUICK, client.publish(subject, payload.into()));
                if matches!(sent.await, Ok(Ok(()))) {
                    let mut presence = self.presence.borrow_mut();
                    presence.lemmas_sent += message.lemmas.len() as u64;
                    presence.runs_sent += message.runs.len() as u64;
                }
            }
            for _ in 0..WAITING {
                let Some(Some(message)) = theirs.next().now_or_never() else { break };
                let [lemmas, runs] = receive(&self.name, &message.payload, &mut outside);
                let mut presence = self.presence.borrow_mut();
                presence.lemmas_received += lemmas;
                presence.runs_received += runs;
            }
        }
    }

    async fn link(&self, model: &str) -> Option<(Client, Subscriber)> {
        let connect = async {
            let client = self.worker.access.connect_lightly(WAITING).await.ok()?;
            let theirs = client.subscribe(lemmas_subject(model)).await.ok()?;
            Some((client, theirs))
        };
        timeout(QUICK, connect).await.ok().flatten()
    }
}

/// The messages for some notes: of one system each. Those of a system are together.
fn messages(name: &str, notes: Vec<(u64, Arc<Note>)>) -> Vec<Lemmas> {
    let of_system = notes.chunk_by(|a, b| a.0 == b.0);
    let chunks = of_system.flat_map(|notes| notes.chunks(NOTES_IN_MESSAGE));
    let message = |notes: &[(u64, Arc<Note>)]| {
        let (worker, system) = (name.to_owned(), notes[0].0);
        let (mut lemmas, mut runs) = (Vec::new(), Vec::new());
        for (_, note) in notes {
            match &note.what {
                What::Lemma { level, cube } => lemmas.extend(numbers(*level, cube)),
                What::Run(run) => runs.push(wire_run(run)),
            }
        }
        Lemmas { worker, system, lemmas, runs }
    };
    chunks.map(message).collect()
}

/// Puts the notes of a message on their board. Gives how many lemmas and runs these are; none
/// of what makes no sense, is about a system that nobody here works on, or is this worker's own.
fn receive(name: &str, payload: &[u8], outside: &mut Outside) -> [u64; 2] {
    let mut taken = [0, 0];
    if payload.len() > MAX_BYTES {
        return taken;
    }
    let Ok(message) = wire::decode::<Lemmas>(payload) else { return taken };
    if message.worker == name {
        return taken;
    }
    for (level, numbers) in message.lemmas.iter().take(NOTES_IN_MESSAGE) {
        let Some(cube) = literals(numbers) else { continue };
        let level = level.map(|level| level as usize);
        let lemma = What::Lemma { level, cube: cube.into() };
        taken[0] += u64::from(outside.arrives(message.system, lemma));
    }
    for (start, inputs) in message.runs.into_iter().take(NOTES_IN_MESSAGE) {
        let inputs = inputs.into_iter().map(Vec::into).collect();
        let run = What::Run(Run { start: start.into(), inputs });
        taken[1] += u64::from(outside.arrives(message.system, run));
    }
    taken
}

/// A run for the wire.
fn wire_run(run: &Run) -> (Vec<u32>, Vec<Vec<u32>>) {
    (run.start.to_vec(), run.inputs.iter().map(|ones| ones.to_vec()).collect())
}

/// A lemma for the wire; nothing if its numbers are too large for it.
fn numbers(level: Option<usize>, cube: &[Lit]) -> Option<(Option<u32>, Vec<i32>)> {
    let level = level.map(u32::try_from).transpose().ok()?;
    let number = |lit: &Lit| {
        let number = i32::try_from(lit.var().index()).ok()?;
        Some(if lit.is_negated() { -number } else { number })
    };
    let cube = cube.iter().map(number).collect::<Option<Vec<i32>>>()?;
    Some((level, cube))
}

/// Literals from the wire. Whether they are those of latches is for the board to see.
fn literals(numbers: &[i32]) -> Option<Vec<Lit>> {
    let lit = |&number: &i32| {
        let index = number.unsigned_abs() as usize;
        (1..=Var::MAX_INDEX).contains(&index).then(|| Lit::new(Var::new(index), number < 0))
    };
    numbers.iter().map(lit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_engines::exchange::{Member, fingerprint};
    use pedra_model::bits::{BitSystem, Reset};

    /// A system with two latches and an input, and the boards of two searches on it.
    fn two_searches() -> (u64, [Member; 2], [Exchange; 2]) {
        let mut system = BitSystem::new();
        system.add_input();
        for _ in 0..2 {
            let _ = system.add_latch(Reset::Zero);
        }
        let searches = [(); 2].map(|()| Exchange::new());
        let members = [0, 1].map(|place: usize| searches[place].join(&system));
        (fingerprint(&system), members, searches)
    }

    #[test]
    fn lemmas_and_runs_travel() {
        let (_, [mut sender, mut receiver], [here, there]) = two_searches();
        let cube = [Var::new(2).lit()];
        let run = Run { start: [1].into(), inputs: vec![[0].into(), [].into()] };
        sender.publish(&cube, Some(3));
        sender.publish_run(run.clone());
        let [mut from, mut to] = [(); 2].map(|()| Outside::default());
        assert!(to.leaving(&there, MOST_NOTES).is_empty());
        let sent = messages("sender", from.leaving(&here, MOST_NOTES));
        let [message] = &sent[..] else { panic!("{sent:?}") };
        let payload = wire::encode(message);
        assert_eq!(receive("sender", &payload, &mut to), [0, 0], "its own");
        assert_eq!(receive("receiver", &payload, &mut to), [1, 1]);
        let lemma = What::Lemma { level: Some(3), cube: cube.into() };
        for what in [lemma, What::Run(run)] {
            assert_eq!(receiver.take().map(|note| note.what.clone()), Some(what));
        }
    }

    #[test]
    fn runs_that_cannot_be_of_the_system_stay_outside() {
        let (system, [_sender, mut receiver], [_, there]) = two_searches();
        let mut outside = Outside::default();
        outside.leaving(&there, MOST_NOTES);
        let step = || vec![0];
        let mut runs = vec![
            (vec![2], vec![step()]),
            (vec![1, 0], vec![step()]),
            (vec![0, 0], vec![step()]),
            (vec![u32::MAX], vec![step()]),
            (vec![], vec![vec![1]]),
            (vec![], vec![]),
            (vec![], vec![step(); 10_000]),
        ];
        let mut send = |runs: Vec<(Vec<u32>, Vec<Vec<u32>>)>, system: u64| {
            let message = Lemmas { worker: "liar".to_owned(), system, lemmas: Vec::new(), runs };
            receive("me", &wire::encode(&message), &mut outside)
        };
        send(runs.clone(), system);
        assert!(receiver.take().is_none());
        runs = vec![(vec![], vec![step()]); 10 * NOTES_IN_MESSAGE];
        assert_eq!(send(runs.clone(), system ^ 1), [0, 0], "another system");
        assert_eq!(send(runs, system), [0, NOTES_IN_MESSAGE as u64]);
        assert_eq!(std::iter::from_fn(|| receiver.take()).count(), NOTES_IN_MESSAGE);
        let runs = vec![(vec![], vec![step(); 100_000])];
        assert_eq!(send(runs, system), [0, 0], "too long a message");
        assert!(receiver.take().is_none());
    }

    #[test]
    fn literals_travel() {
        let lits = literals(&[3, -5]).expect("variables");
        assert_eq!(lits, [Lit::new(Var::new(3), false), Lit::new(Var::new(5), true)]);
        for number in [0, i32::MAX, i32::MIN] {
            assert_eq!(literals(&[1, number]), None, "{number}");
        }
    }
}
