//! How a running computation is told to stop.
//!
//! An [`Interrupt`] is a token that is cloned into every place that may run for long. It is
//! raised by hand (Ctrl-C, another engine won), by its deadline, because its parent was
//! raised, or when its budget of polls is spent. Once raised it stays raised.
//!
//! Work polls: solvers do at the start of each query and every few steps within it. So a number of
//! polls is a budget of work, and unlike a time it ends the same run at the same point. Whether a
//! token is raised can be asked at any time and costs nothing of the budget.
//!
//! Polls of different engines are far apart: PDR's questions are small, those of BMC are not. Where
//! such engines take turns, a budget can count what solvers did between polls, too
//! ([`Interrupt::child_with_work`]).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many propagations are as much work as a poll: about what a small question of PDR takes.
/// Chosen, not measured.
const PROPAGATIONS_PER_LOOK: u64 = 1_000;

/// A stop token; clones share one state.
///
/// Tokens form a tree: a [`child`](Interrupt::child) is raised when its parent is, but not the
/// other way round. A portfolio gives each engine a child, so that it can stop one engine, or
/// all of them through the root.
#[derive(Clone)]
pub struct Interrupt(Arc<Token>);

struct Token {
    raised: AtomicBool,
    /// The earliest deadline on the way to the root, so that one clock reading is enough.
    deadline: Option<Instant>,
    /// How often it may still be polled.
    looks: Option<AtomicU64>,
    /// Whether work between polls counts as further polls.
    counts_work: bool,
    parent: Option<Interrupt>,
}

impl Interrupt {
    /// A token without deadline and without parent.
    pub fn new() -> Interrupt {
        Interrupt::build(None, None, None)
    }

    /// A token that is raised by itself when `timeout` has passed.
    pub fn with_timeout(timeout: Duration) -> Interrupt {
        // A timeout beyond what the clock can represent is no timeout.
        Interrupt::build(Instant::now().checked_add(timeout), None, None)
    }

    /// A token that is raised by itself at `deadline`.
    pub fn with_deadline(deadline: Instant) -> Interrupt {
        Interrupt::build(Some(deadline), None, None)
    }

    /// A token that is raised when `self` is, or on its own.
    pub fn child(&self) -> Interrupt {
        Interrupt::build(self.0.deadline, None, Some(self.clone()))
    }

    /// Like [`child`](Interrupt::child), and raised by itself when it has been
    /// [polled](Interrupt::poll) this often.
    pub fn child_with_looks(&self, looks: u64) -> Interrupt {
        Interrupt::build(self.0.deadline, Some(looks), Some(self.clone()))
    }

    /// Like [`child_with_looks`](Interrupt::child_with_looks), but a thousand propagations
    /// between two polls count as one more.
    pub fn child_with_work(&self, looks: u64) -> Interrupt {
        let token = self.child_with_looks(looks).0;
        let token = Arc::into_inner(token).expect("nobody else has it");
        Interrupt(Arc::new(Token { counts_work: true, ..token }))
    }

    /// Like [`child`](Interrupt::child), with a deadline of its own besides that of `self`.
    pub fn child_with_deadline(&self, deadline: Instant) -> Interrupt {
        let earliest = self.0.deadline.map_or(deadline, |outer| outer.min(deadline));
        Interrupt::build(Some(earliest), None, Some(self.clone()))
    }

    fn build(
        deadline: Option<Instant>,
        looks: Option<u64>,
        parent: Option<Interrupt>,
    ) -> Interrupt {
        let (raised, looks) = (AtomicBool::new(false), looks.map(AtomicU64::new));
        Interrupt(Arc::new(Token { raised, deadline, looks, counts_work: false, parent }))
    }

    /// Raises this token and thereby all its descendants.
    pub fn raise(&self) {
        self.0.raised.store(true, Ordering::Relaxed);
    }

    /// Whether to stop now: for work in progress, which spends one poll of its budget, and of each
    /// budget above: what an engine gives to others that it runs is taken from its own.
    pub fn poll(&self) -> bool {
        self.poll_after(0)
    }

    /// The same after this many propagations since the last poll.
    pub fn poll_after(&self, propagations: u64) -> bool {
        if self.is_raised() {
            return true;
        }
        let work = propagations / PROPAGATIONS_PER_LOOK;
        let mut token = Some(self);
        while let Some(now) = token {
            if let Some(looks) = &now.0.looks {
                // Those who share a token with a budget are in one thread; if not, a few polls
                // more or less do no harm.
                let left = looks.load(Ordering::Relaxed);
                let spent = if now.0.counts_work { 1 + work } else { 1 };
                looks.store(left.saturating_sub(spent), Ordering::Relaxed);
                if left == 0 {
                    now.raise();
                }
            }
            token = now.0.parent.as_ref();
        }
        self.is_raised_by_hand()
    }

    /// Whether this token or one above it was raised, or a deadline has passed. Spends nothing.
    ///
    /// Costs one relaxed load per ancestor, and one reading of the monotonic clock (some 20 ns)
    /// if there is a deadline. Loops whose turns are shorter than that should ask only now and
    /// then.
    pub fn is_raised(&self) -> bool {
        if self.is_raised_by_hand() {
            return true;
        }
        match self.0.deadline {
            Some(deadline) if Instant::now() >= deadline => {
                // Remember it: the next call needs no clock.
                self.raise();
                true
            }
            _ => false,
        }
    }

    /// The flags alone, without a look at the clock.
    fn is_raised_by_hand(&self) -> bool {
        let mut token = self;
        loop {
            if token.0.raised.load(Ordering::Relaxed) {
                return true;
            }
            match &token.0.parent {
                Some(parent) => token = parent,
                None => return false,
            }
        }
    }

    /// The time at which the token will be raised by itself, if there is one.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.deadline
    }

    /// The time left until the deadline, zero if it has passed; `None` without a deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.0.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

impl Default for Interrupt {
    fn default() -> Interrupt {
        Interrupt::new()
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt")
            .field("raised", &self.is_raised_by_hand())
            .field("deadline", &self.0.deadline)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_flag() {
        let token = Interrupt::new();
        let clone = token.clone();
        assert!(!clone.is_raised());
        token.raise();
        assert!(clone.is_raised());
    }

    #[test]
    fn raising_goes_down_and_not_up() {
        let root = Interrupt::new();
        let (left, right) = (root.child(), root.child());
        let leaf = left.child();
        left.raise();
        assert!(leaf.is_raised());
        assert!(!right.is_raised() && !root.is_raised());
        root.raise();
        assert!(right.is_raised());
    }

    #[test]
    fn a_deadline_raises_and_is_inherited() {
        let now = Instant::now();
        let hour = Duration::from_secs(3600);
        assert!(Interrupt::with_deadline(now).is_raised());
        assert!(Interrupt::with_deadline(now).child().is_raised());
        assert!(!Interrupt::with_timeout(hour).child().is_raised());
        let root = Interrupt::with_deadline(now + hour);
        assert_eq!(root.child_with_deadline(now + 2 * hour).deadline(), Some(now + hour));
        assert!(root.child_with_deadline(now).is_raised());
        assert!(!root.is_raised());
        assert_eq!(Interrupt::with_timeout(Duration::MAX).deadline(), None);
        assert_eq!(Interrupt::with_deadline(now).remaining(), Some(Duration::ZERO));
    }

    #[test]
    fn work_is_spent_where_it_counts() {
        let root = Interrupt::new();
        let (looks, work) = (root.child_with_looks(3), root.child_with_work(3));
        let both = work.child();
        let much = 2 * PROPAGATIONS_PER_LOOK;
        assert_eq!([looks.poll_after(much), both.poll_after(much)], [false, false]);
        assert_eq!([looks.poll_after(much), both.poll_after(0)], [false, true]);
        assert!(work.is_raised() && !looks.is_raised() && !root.is_raised());
    }

    #[test]
    fn looks_are_a_budget() {
        let root = Interrupt::new();
        let child = root.child_with_looks(2);
        let clone = child.clone();
        assert_eq!([child.poll(), clone.poll(), child.poll()], [false, false, true]);
        assert!(clone.is_raised() && clone.poll() && !root.is_raised());
        let other = root.child_with_looks(2);
        root.raise();
        assert!(other.is_raised() && other.poll());
    }

    #[test]
    fn asking_spends_nothing() {
        let token = Interrupt::new().child_with_looks(1);
        assert!((0..10).all(|_| !token.is_raised()));
        assert!(!token.poll() && !token.is_raised());
        assert!(token.poll() && token.is_raised());
    }
}
