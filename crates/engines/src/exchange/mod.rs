//! Exchange of lemmas and reached states between engines that run at the same time on one system.
//!
//! Each system has a [`Board`]. Engines that keep frames of it publish their lemmas there, with the
//! highest level where they hold, and take those of others. The board of a system is found by its
//! contents ([`fingerprint`]), so engines on different reductions of one model never meet: variable
//! numbers mean something only within one system.
//!
//! *Required for soundness*: a lemma from a board is a suggestion. The engine that takes it asks
//! its own solvers first, as for any other lemma. A reached state is shared as the run that leads
//! to it, and who takes a run walks it. A board can cost time, never an answer.
//!
//! The idea is that of S. Chaki, D. Karimi: *Model checking with multi-threaded IC3 portfolios*,
//! VMCAI 2016. Deviation: there, lemmas of all searches together may form a proof. Here each search
//! has frames of its own, and a proof comes from one of them.

mod board;
mod outside;
mod run;

pub use board::{Board, Exchanged, Member, Note, What};
pub use outside::Outside;
pub(crate) use run::MAX_STEPS;
pub use run::Run;

use pedra_model::bits::BitSystem;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The choice of several engines together.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct AutoOptions {
    /// Whether engines in different threads, or of different workers, share lemmas and runs. Off by
    /// default: no gain is shown, and the first thread would no longer do what one thread does.
    /// See docs/design/portfolio.md.
    pub exchange: bool,
}

/// The boards of a run.
#[derive(Default)]
pub struct Exchange {
    /// By the fingerprint of the system. A board goes when the last engine does that has joined it.
    boards: Mutex<FxHashMap<u64, Weak<Board>>>,
}

impl Exchange {
    /// No boards yet.
    pub fn new() -> Exchange {
        Exchange::default()
    }

    /// The board of a system.
    pub fn board(&self, system: &BitSystem) -> Arc<Board> {
        let mut boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        boards.retain(|_, board| board.strong_count() > 0);
        let entry = boards.entry(fingerprint(system)).or_default();
        entry.upgrade().unwrap_or_else(|| {
            let board = Arc::new(Board::new(system.latches.len(), system.inputs.len()));
            *entry = Arc::downgrade(&board);
            board
        })
    }

    /// All boards that are in use, by the fingerprints of their systems.
    fn boards(&self) -> Vec<(u64, Arc<Board>)> {
        let boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        boards.iter().filter_map(|(&system, board)| Some((system, board.upgrade()?))).collect()
    }

    /// Joins the board of a system.
    pub fn join(&self, system: &BitSystem) -> Member {
        Board::join(&self.board(system))
    }
}

/// A number for what paths a system has: equal systems have equal numbers. Names do not count, and
/// neither do properties, since lemmas of the forward direction do not depend on them.
pub fn fingerprint(system: &BitSystem) -> u64 {
    let mut hasher = FxHasher::default();
    let BitSystem { aig, inputs, latches, constraints, .. } = system;
    (aig.len(), inputs, constraints).hash(&mut hasher);
    for latch in latches {
        (latch.var, latch.next, latch.reset).hash(&mut hasher);
    }
    for (gate, a, b) in aig.gates() {
        (gate, a, b).hash(&mut hasher);
    }
    hasher.finish()
}
