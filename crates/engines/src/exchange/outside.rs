//! The boards of a search, as another process sees them: notes leave, and notes of others arrive.
//!
//! One more member at each board. The engines cannot tell its notes from those of their
//! neighbours, and check them in the same way.

use super::board::{Member, Note, What};
use super::{Board, Exchange};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The link between the boards of a search and other processes.
#[derive(Default)]
pub struct Outside {
    /// By the fingerprint of the system.
    members: FxHashMap<u64, Member>,
}

impl Outside {
    /// Notes that engines here have published since the last call, at most this many, each with
    /// the fingerprint of its system. What is left is for the next call, unless the board has
    /// dropped it.
    pub fn leaving(&mut self, exchange: &Exchange, most: usize) -> Vec<(u64, Arc<Note>)> {
        // A board whose engines are gone goes.
        self.members.retain(|_, member| member.is_accompanied());
        for (system, board) in exchange.boards() {
            self.members.entry(system).or_insert_with(|| Board::join(&board));
        }
        let mut notes = Vec::new();
        for (&system, member) in &mut self.members {
            while notes.len() < most {
                let Some(note) = member.take() else { break };
                notes.push((system, note));
            }
        }
        notes
    }

    /// Puts a note of another process on the board of its system. False if nobody here works on
    /// that system. What cannot be about the system has no effect.
    pub fn arrives(&mut self, system: u64, what: What) -> bool {
        let Some(member) = self.members.get_mut(&system) else { return false };
        match what {
            What::Lemma { level, cube } => member.publish(&cube, level),
            What::Run(run) => member.publish_run(run),
        }
        true
    }
}
