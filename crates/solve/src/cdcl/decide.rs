//! Which variable to decide next: active ones first (VSIDS), and cheaply.
//!
//! Two structures, both from GipSAT:
//!
//! - `ranks` is a binary heap by activity that always holds *all* variables. Nothing is ever
//!   popped, so its cost is that of bumping alone. The depth of a variable in this heap, the
//!   logarithm of its rank, is its *bucket*.
//! - The queue of a query has one stack a bucket, so that pushing and popping take constant
//!   time. It is filled when the last assumption has been placed: a query that is refuted
//!   before pays nothing.
//!
//! The order within a bucket is no order, which does not matter in easy queries. A query that
//! is still running after some restarts is a hard one, and goes on with an exact heap.

use pedra_model::lit::Var;

/// Bumps grow by 1/0.95 a conflict (MiniSat).
const DECAY: f64 = 0.95;
/// Activities are scaled down before they overflow.
const LARGEST: f64 = 1e100;

/// What the queue of the query is.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Mode {
    /// Not filled yet.
    Idle,
    Buckets,
    Exact,
}

/// Activities and the queue.
#[derive(Clone)]
pub(super) struct Decider {
    activity: Vec<f64>,
    increment: f64,
    /// All variables, most active first.
    ranks: Heap,
    mode: Mode,
    buckets: Vec<Vec<Var>>,
    /// Bit `b`: bucket `b` may have something.
    filled: u32,
    /// Whether a variable is in a bucket.
    queued: Vec<bool>,
    exact: Heap,
}

impl Decider {
    pub(super) fn new() -> Decider {
        Decider {
            activity: Vec::new(),
            increment: 1.0,
            ranks: Heap::default(),
            mode: Mode::Idle,
            // A rank has 32 bits.
            buckets: vec![Vec::new(); 32],
            filled: 0,
            queued: Vec::new(),
            exact: Heap::default(),
        }
    }

    /// Variables below `count` exist from now on.
    pub(super) fn resize(&mut self, count: usize) {
        let before = self.activity.len();
        self.activity.resize(count, 0.0);
        self.queued.resize(count, false);
        self.ranks.resize(count);
        self.exact.resize(count);
        for index in before..count {
            self.ranks.push(Var::new(index), &self.activity);
        }
    }

    /// Raises the activity of a variable that took part in a conflict.
    #[inline]
    pub(super) fn bump(&mut self, var: Var) {
        let activity = &mut self.activity[var.index()];
        *activity += self.increment;
        if *activity > LARGEST {
            self.activity.iter_mut().for_each(|activity| *activity /= LARGEST);
            self.increment /= LARGEST;
        }
        self.ranks.raise(var, &self.activity);
        if self.mode == Mode::Exact {
            self.exact.raise(var, &self.activity);
        }
    }

    /// Makes later bumps weigh more.
    pub(super) fn decay(&mut self) {
        self.increment /= DECAY;
    }

    /// Whether the queue has been filled.
    pub(super) fn is_running(&self) -> bool {
        self.mode != Mode::Idle
    }

    /// Starts the queue, empty, as buckets.
    pub(super) fn start(&mut self) {
        debug_assert!(self.mode == Mode::Idle);
        self.mode = Mode::Buckets;
    }

    /// Moves what is queued to an exact heap.
    pub(super) fn make_exact(&mut self) {
        if self.mode != Mode::Buckets {
            return;
        }
        self.mode = Mode::Exact;
        while let Some(var) = self.pop_bucket() {
            self.exact.push(var, &self.activity);
        }
    }

    /// Empties the queue at the end of a query.
    pub(super) fn stop(&mut self) {
        match self.mode {
            Mode::Idle => {}
            Mode::Buckets => while self.pop_bucket().is_some() {},
            Mode::Exact => self.exact.clear(),
        }
        self.mode = Mode::Idle;
    }

    /// Queues a variable, unless it is queued already or the queue is not running.
    #[inline]
    pub(super) fn push(&mut self, var: Var) {
        match self.mode {
            Mode::Idle => {}
            Mode::Buckets if self.queued[var.index()] => {}
            Mode::Buckets => {
                let bucket = self.ranks.depth(var);
                self.buckets[bucket as usize].push(var);
                self.filled |= 1 << bucket;
                self.queued[var.index()] = true;
            }
            Mode::Exact => self.exact.push(var, &self.activity),
        }
    }

    /// Takes a variable of the best bucket, or the best one.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Var> {
        match self.mode {
            Mode::Idle => None,
            Mode::Buckets => self.pop_bucket(),
            Mode::Exact => self.exact.pop(&self.activity),
        }
    }

    #[inline]
    fn pop_bucket(&mut self) -> Option<Var> {
        while self.filled != 0 {
            let bucket = self.filled.trailing_zeros();
            if let Some(var) = self.buckets[bucket as usize].pop() {
                self.queued[var.index()] = false;
                return Some(var);
            }
            self.filled &= !(1 << bucket);
        }
        None
    }
}

/// A binary heap of variables, the most active one first.
#[derive(Clone, Default)]
struct Heap {
    items: Vec<Var>,
    /// For each variable its place in `items`, or [`Heap::ABSENT`].
    places: Vec<u32>,
}

impl Heap {
    const ABSENT: u32 = u32::MAX;

    fn resize(&mut self, count: usize) {
        self.places.resize(count, Self::ABSENT);
    }

    /// The level of the tree on which the variable is; the root has 0.
    #[inline]
    fn depth(&self, var: Var) -> u32 {
        (self.places[var.index()] + 1).ilog2()
    }

    fn clear(&mut self) {
        for &var in &self.items {
            self.places[var.index()] = Self::ABSENT;
        }
        self.items.clear();
    }

    fn push(&mut self, var: Var, activity: &[f64]) {
        if self.places[var.index()] == Self::ABSENT {
            self.places[var.index()] = self.items.len() as u32;
            self.items.push(var);
            self.raise(var, activity);
        }
    }

    fn pop(&mut self, activity: &[f64]) -> Option<Var> {
        let best = *self.items.first()?;
        let last = self.items.pop().expect("it has a first");
        self.places[best.index()] = Self::ABSENT;
        if best != last {
            self.put(0, last);
            self.sink(0, activity);
        }
        Some(best)
    }

    fn put(&mut self, place: usize, var: Var) {
        self.items[place] = var;
        self.places[var.index()] = place as u32;
    }

    /// Restores the order after a variable's activity has grown.
    #[inline]
    fn raise(&mut self, var: Var, activity: &[f64]) {
        let mut place = self.places[var.index()] as usize;
        if place == Self::ABSENT as usize {
            return;
        }
        while place > 0 {
            let parent = (place - 1) / 2;
            let above = self.items[parent];
            if activity[above.index()] >= activity[var.index()] {
                break;
            }
            self.put(place, above);
            place = parent;
        }
        self.put(place, var);
    }

    fn sink(&mut self, mut place: usize, activity: &[f64]) {
        let var = self.items[place];
        loop {
            let mut child = 2 * place + 1;
            if child >= self.items.len() {
                break;
            }
            let of = |place: usize| activity[self.items[place].index()];
            if child + 1 < self.items.len() && of(child + 1) > of(child) {
                child += 1;
            }
            if of(child) <= activity[var.index()] {
                break;
            }
            let below = self.items[child];
            self.put(place, below);
            place = child;
        }
        self.put(place, var);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(count: usize) -> Decider {
        let mut decider = Decider::new();
        decider.resize(count);
        decider.start();
        (0..count).for_each(|index| decider.push(Var::new(index)));
        decider
    }

    #[test]
    fn the_exact_queue_is_sorted_by_activity() {
        let mut decider = filled(100);
        for index in 0..100 {
            (0..index * 37 % 100).for_each(|_| decider.bump(Var::new(index)));
        }
        decider.make_exact();
        decider.push(Var::new(5));
        let order: Vec<usize> =
            std::iter::from_fn(|| decider.pop()).map(|var| var.index() * 37 % 100).collect();
        assert_eq!(order, (0..100).rev().collect::<Vec<_>>());
    }

    #[test]
    fn buckets_give_everything_once_and_the_best_first() {
        let mut decider = filled(0);
        decider.resize(50);
        (0..9).for_each(|_| decider.bump(Var::new(33)));
        for index in (0..50).chain(10..20) {
            decider.push(Var::new(index));
        }
        assert_eq!(decider.pop(), Some(Var::new(33)));
        let mut rest: Vec<usize> =
            std::iter::from_fn(|| decider.pop()).map(Var::index).chain([33]).collect();
        rest.sort_unstable();
        assert_eq!(rest, (0..50).collect::<Vec<_>>());
        decider.push(Var::new(1));
        decider.stop();
        assert_eq!(decider.pop(), None);
        decider.start();
        assert_eq!(decider.pop(), None, "a new query starts empty");
    }

    #[test]
    fn activities_survive_scaling() {
        let mut decider = filled(3);
        for _ in 0..20_000 {
            decider.bump(Var::new(1));
            decider.decay();
        }
        decider.bump(Var::new(2));
        assert!(decider.activity.iter().all(|activity| activity.is_finite()));
        assert!(decider.activity[2] > 0.0 && decider.activity[1] > decider.activity[0]);
    }
}
