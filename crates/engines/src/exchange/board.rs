//! The board of one system: lemmas and runs in the order of their publication, the last few
//! thousand.

use super::run::Run;
use pedra_model::lit::Lit;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// How many notes a board keeps, and an engine that is behind. Older ones are lost.
const CAPACITY: usize = 4096;

/// Longer lemmas are not published. Heuristic: they exclude little, and would fill the memory.
const MAX_LITERALS: usize = 128;

/// What some engine has found, as a suggestion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Whose it is.
    sender: u32,
    /// What it is.
    pub what: What,
}

/// What is shared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A lemma.
    Lemma {
        /// The highest level where the sender has it; `None` for all.
        level: Option<usize>,
        /// The excluded cube, sorted. Variable `i + 1` is latch `i`.
        cube: Box<[Lit]>,
    },
    /// A run: its states are reached.
    Run(Run),
}

/// Where engines on one system publish lemmas and runs.
pub struct Board {
    num_latches: usize,
    num_inputs: usize,
    notes: Mutex<Notes>,
    /// How many were published. Others look at this before they lock anything.
    published: AtomicU64,
    /// How many have joined.
    members: AtomicU32,
}

#[derive(Default)]
struct Notes {
    /// The number of the first that is still there.
    first: u64,
    notes: VecDeque<Arc<Note>>,
}

/// What an engine has exchanged.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Exchanged {
    /// Lemmas that it published.
    pub published: u64,
    /// Lemmas of others that it looked at.
    pub seen: u64,
    /// Those of them that it had already.
    pub known: u64,
    /// Those that it took, after a query of its own.
    pub taken: u64,
    /// Those that it could not or did not want to take.
    pub dropped: u64,
    /// Runs that it published.
    pub runs_published: u64,
    /// Runs of others that it looked at.
    pub runs_seen: u64,
    /// Those of them that reach states which it did not know.
    pub runs_taken: u64,
}

impl Exchanged {
    /// Both together.
    pub fn plus(self, other: Exchanged) -> Exchanged {
        Exchanged {
            published: self.published + other.published,
            seen: self.seen + other.seen,
            known: self.known + other.known,
            taken: self.taken + other.taken,
            dropped: self.dropped + other.dropped,
            runs_published: self.runs_published + other.runs_published,
            runs_seen: self.runs_seen + other.runs_seen,
            runs_taken: self.runs_taken + other.runs_taken,
        }
    }
}

impl Board {
    /// An empty board for a system with this many latches and inputs.
    pub(super) fn new(num_latches: usize, num_inputs: usize) -> Board {
        Board {
            num_latches,
            num_inputs,
            notes: Mutex::default(),
            published: AtomicU64::new(0),
            members: AtomicU32::new(0),
        }
    }

    /// A new member, which will see all that is on the board.
    pub fn join(board: &Arc<Board>) -> Member {
        Member {
            id: board.members.fetch_add(1, Ordering::Relaxed),
            board: board.clone(),
            next: 0,
            told: 0,
            inbox: VecDeque::new(),
            counts: Exchanged::default(),
        }
    }

    /// The notes, unless another thread is at them: no thread waits.
    fn try_lock(&self) -> Option<MutexGuard<'_, Notes>> {
        match self.notes.try_lock() {
            Ok(notes) => Some(notes),
            Err(TryLockError::Poisoned(poisoned)) => Some(PoisonError::into_inner(poisoned)),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Whether a lemma is a sorted cube of latches, and not too long.
    fn admits(&self, cube: &[Lit]) -> bool {
        let is_latch = |lit: &Lit| (1..=self.num_latches).contains(&lit.var().index());
        let is_sorted = cube.windows(2).all(|pair| pair[0].var() < pair[1].var());
        (1..=MAX_LITERALS).contains(&cube.len()) && is_sorted && cube.iter().all(is_latch)
    }
}

/// An engine at a board.
pub struct Member {
    board: Arc<Board>,
    id: u32,
    /// The number of the next note to look at.
    next: u64,
    inbox: VecDeque<Arc<Note>>,
    /// Obligations with smaller numbers need not be told any more.
    pub(crate) told: usize,
    /// What was exchanged since an engine has last told it.
    pub counts: Exchanged,
}

impl Member {
    /// Whether another member of the board is still there.
    pub(super) fn is_accompanied(&self) -> bool {
        Arc::strong_count(&self.board) > 1
    }

    /// Publishes that a cube is excluded up to a level, `None` for all. Without effect if the cube
    /// is not about latches alone, or another thread is at the board just now.
    pub fn publish(&mut self, cube: &[Lit], level: Option<usize>) {
        let is_put =
            self.board.admits(cube) && self.put(|| What::Lemma { level, cube: cube.into() });
        self.counts.published += u64::from(is_put);
    }

    /// Publishes a run. Without effect if it cannot be one of the system, or another thread is at
    /// the board just now.
    pub fn publish_run(&mut self, run: Run) {
        let is_fit = run.fits(self.board.num_latches, self.board.num_inputs);
        let is_put = is_fit && self.put(|| What::Run(run));
        self.counts.runs_published += u64::from(is_put);
    }

    fn put(&mut self, what: impl FnOnce() -> What) -> bool {
        let Some(mut notes) = self.board.try_lock() else { return false };
        notes.notes.push_back(Arc::new(Note { sender: self.id, what: what() }));
        if notes.notes.len() > CAPACITY {
            notes.notes.pop_front();
            notes.first += 1;
        }
        let published = notes.first + notes.notes.len() as u64;
        self.board.published.store(published, Ordering::Relaxed);
        true
    }

    /// Whether [`take`](Member::take) may have something.
    #[inline]
    pub fn has_news(&self) -> bool {
        !self.inbox.is_empty() || self.board.published.load(Ordering::Relaxed) > self.next
    }

    /// The next note of another engine, the oldest first: lemmas rest on earlier ones.
    pub fn take(&mut self) -> Option<Arc<Note>> {
        if self.inbox.is_empty() {
            self.receive();
        }
        let note = self.inbox.pop_front()?;
        match note.what {
            What::Lemma { .. } => self.counts.seen += 1,
            What::Run(_) => self.counts.runs_seen += 1,
        }
        Some(note)
    }

    fn receive(&mut self) {
        if self.board.published.load(Ordering::Relaxed) == self.next {
            return;
        }
        let Some(notes) = self.board.try_lock() else { return };
        let skipped = usize::try_from(self.next.saturating_sub(notes.first)).unwrap_or(usize::MAX);
        let news = notes.notes.iter().skip(skipped).filter(|note| note.sender != self.id);
        self.inbox.extend(news.cloned());
        self.next = notes.first + notes.notes.len() as u64;
    }
}
