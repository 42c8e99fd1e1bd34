//! Lemmas to and from other workers that work on the same model.
//!
//! They travel as plain messages, which the server keeps for nobody: a lemma that is lost is no
//! harm. *Required for soundness*: what arrives goes to the boards of the search
//! ([`pedra_engines::exchange`]), and an engine that takes a lemma from there checks it first.
//!
//! A slow worker is not drowned: only [`WAITING`] messages wait for it, the server and the client
//! drop what is beyond; its engines take what fits into their budgets, and boards forget the rest.

use super::Desk;
use crate::net::{QUICK, lemmas_subject};
use crate::wire::{self, Lemmas};
use async_nats::{Client, Subscriber};
use futures_util::{FutureExt, StreamExt};
use pedra_engines::Exchange;
use pedra_engines::exchange::{Note, Outside};
use pedra_model::lit::{Lit, Var};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How often lemmas are sent and received. Chosen: an engine finds some thousand in a second.
const EVERY: Duration = Duration::from_millis(200);

/// How many lemmas are sent each time.
const MOST_LEMMAS: usize = 256;

/// How many of them go into a message.
const LEMMAS_IN_MESSAGE: usize = 64;

/// The most bytes of a message that is read: [`LEMMAS_IN_MESSAGE`] lemmas of 128 literals, which
/// is what a board takes, with ten digits each, and as much again.
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
            for message in self.messages(outside.leaving(exchange, MOST_LEMMAS)) {
                let (subject, count) = (lemmas_subject(model), message.lemmas.len());
                let sent = timeout(QUICK, client.publish(subject, wire::encode(&message).into()));
                if matches!(sent.await, Ok(Ok(()))) {
                    self.presence.borrow_mut().lemmas_sent += count as u64;
                }
            }
            for _ in 0..WAITING {
                let Some(Some(message)) = theirs.next().now_or_never() else { break };
                let taken = self.receive(&message.payload, &mut outside);
                self.presence.borrow_mut().lemmas_received += taken;
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

    /// The messages for some lemmas: of one system each. Those of a system are together.
    fn messages(&self, notes: Vec<(u64, Arc<Note>)>) -> Vec<Lemmas> {
        let of_system = notes.chunk_by(|a, b| a.0 == b.0);
        let chunks = of_system.flat_map(|notes| notes.chunks(LEMMAS_IN_MESSAGE));
        let message = |notes: &[(u64, Arc<Note>)]| Lemmas {
            worker: self.name.clone(),
            system: notes[0].0,
            lemmas: notes.iter().filter_map(|(_, note)| numbers(note)).collect(),
        };
        chunks.map(message).collect()
    }

    /// Puts the lemmas of a message on their board. Gives how many; none of what makes no sense,
    /// is our own, or is about a system that nobody here works on.
    fn receive(&self, payload: &[u8], outside: &mut Outside) -> u64 {
        if payload.len() > MAX_BYTES {
            return 0;
        }
        let Ok(message) = wire::decode::<Lemmas>(payload) else { return 0 };
        if message.worker == self.name {
            return 0;
        }
        let mut taken = 0;
        for (level, numbers) in message.lemmas.iter().take(LEMMAS_IN_MESSAGE) {
            let Some(cube) = literals(numbers) else { continue };
            let level = level.map(|level| level as usize);
            taken += u64::from(outside.arrives(message.system, &cube, level));
        }
        taken
    }
}

/// A lemma for the wire; nothing if its numbers are too large for it.
fn numbers(note: &Note) -> Option<(Option<u32>, Vec<i32>)> {
    let level = note.level.map(u32::try_from).transpose().ok()?;
    let number = |lit: &Lit| {
        let number = i32::try_from(lit.var().index()).ok()?;
        Some(if lit.is_negated() { -number } else { number })
    };
    let cube = note.cube.iter().map(number).collect::<Option<Vec<i32>>>()?;
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

    #[test]
    fn literals_travel() {
        let lits = literals(&[3, -5]).expect("variables");
        assert_eq!(lits, [Lit::new(Var::new(3), false), Lit::new(Var::new(5), true)]);
        for number in [0, i32::MAX, i32::MIN] {
            assert_eq!(literals(&[1, number]), None, "{number}");
        }
    }
}
