//! Incremental simulation of a set of terms, with undo.

use super::ops::apply;
use super::value::{Interval, IntervalValue};
use crate::term::{Sort, Term, TermId, Terms};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// An empty range that grows by the least and the greatest of what is added.
const NO_WORDS: Range<usize> = Range { start: usize::MAX, end: 0 };

/// The intervals of some terms and of all that they depend on.
///
/// Values are always up to date. Giving a symbol another interval evaluates only terms that
/// depend on it, in topological order, and stops where a value stays what it was. Changes since
/// a [`checkpoint`](IntervalSim::checkpoint) can be taken back at the cost of what they
/// changed. The simulation keeps its own copy of the terms, so that the store may grow.
#[derive(Clone, Debug)]
pub struct IntervalSim {
    /// The terms in topological order; their arguments are positions in this list.
    nodes: Vec<Node>,
    /// What is known of each.
    values: Vec<IntervalValue>,
    /// Who uses each: the positions from `first_user[i]` to `first_user[i + 1]` of `users`.
    first_user: Vec<u32>,
    users: Vec<u32>,
    /// The position of each term.
    positions: FxHashMap<TermId, u32>,
    /// One bit a node: whether an argument has changed.
    stale: Vec<u64>,
    /// The words of `stale` outside of this range are 0.
    stale_words: Range<usize>,
    /// Values that were replaced since the first open checkpoint.
    trail: Vec<(u32, IntervalValue)>,
    /// The length of the trail at each open checkpoint.
    checkpoints: Vec<usize>,
    evaluations: u64,
}

#[derive(Clone, Debug)]
struct Node {
    term: Term,
    sort: Sort,
}

impl IntervalSim {
    /// Simulates the roots; nothing is known of the symbols yet.
    pub fn new(terms: &Terms, roots: impl IntoIterator<Item = TermId>) -> IntervalSim {
        let in_cone = terms.cone(roots);
        let mut positions = FxHashMap::default();
        let mut nodes: Vec<Node> = Vec::new();
        for (id, term) in terms.iter().filter(|(id, _)| in_cone[id.index()]) {
            let position = |arg| TermId::new(positions[&arg] as usize);
            let node = Node { term: term.with_args(position), sort: terms.sort(id) };
            positions.insert(id, nodes.len() as u32);
            nodes.push(node);
        }
        let (first_user, users) = users_of(&nodes);
        let mut sim = IntervalSim {
            values: Vec::with_capacity(nodes.len()),
            stale: vec![0; nodes.len().div_ceil(64)],
            stale_words: NO_WORDS,
            nodes,
            first_user,
            users,
            positions,
            trail: Vec::new(),
            checkpoints: Vec::new(),
            evaluations: 0,
        };
        for position in 0..sim.nodes.len() {
            let value = sim.evaluate(position);
            sim.values.push(value);
        }
        sim
    }

    /// Whether this term is one of the roots or something that they depend on.
    pub fn knows(&self, term: TermId) -> bool {
        self.positions.contains_key(&term)
    }

    /// What is known of a bit-vector term.
    ///
    /// # Panics
    /// If the roots do not depend on it, or it is an array.
    #[inline]
    pub fn value(&self, term: TermId) -> &Interval {
        self.get(term).as_bv()
    }

    /// What is known of a term, which may be an array.
    ///
    /// # Panics
    /// If the roots do not depend on it.
    #[inline]
    pub fn get(&self, term: TermId) -> &IntervalValue {
        &self.values[self.positions[&term] as usize]
    }

    /// Gives a symbol another interval. One on which nothing depends is left aside.
    ///
    /// # Panics
    /// If it is not a symbol or the value is not of its sort.
    pub fn set(&mut self, symbol: TermId, value: impl Into<IntervalValue>) {
        self.set_all([(symbol, value.into())]);
    }

    /// Gives several symbols other intervals at the price of one simulation.
    ///
    /// # Panics
    /// As [`IntervalSim::set`] does.
    pub fn set_all<V: Into<IntervalValue>>(
        &mut self,
        values: impl IntoIterator<Item = (TermId, V)>,
    ) {
        for (symbol, value) in values {
            let Some(&position) = self.positions.get(&symbol) else { continue };
            let (node, value) = (&self.nodes[position as usize], value.into());
            assert!(matches!(node.term, Term::Symbol(_)), "only symbols can be set");
            assert_eq!(node.sort, value.sort(), "a value of the symbol's sort");
            self.replace(position, value);
        }
        self.settle();
    }

    /// Tries another interval for a symbol: keeps it if `accept` says so of the new values,
    /// else takes it back. Returns whether it was kept.
    pub fn attempt(
        &mut self,
        symbol: TermId,
        value: impl Into<IntervalValue>,
        accept: impl FnOnce(&IntervalSim) -> bool,
    ) -> bool {
        self.checkpoint();
        self.set(symbol, value);
        let is_accepted = accept(self);
        if is_accepted {
            self.commit();
        } else {
            self.rollback();
        }
        is_accepted
    }

    /// From here on, changes can be taken back. Checkpoints nest.
    pub fn checkpoint(&mut self) {
        self.checkpoints.push(self.trail.len());
    }

    /// Takes back all changes since the last open checkpoint, and closes it.
    ///
    /// # Panics
    /// If there is none.
    pub fn rollback(&mut self) {
        let start = self.checkpoints.pop().expect("an open checkpoint");
        for (position, value) in self.trail.drain(start..).rev() {
            self.values[position as usize] = value;
        }
    }

    /// Closes the last open checkpoint and keeps the changes since; those before it can still
    /// be taken back together with them.
    ///
    /// # Panics
    /// If there is none.
    pub fn commit(&mut self) {
        self.checkpoints.pop().expect("an open checkpoint");
        if self.checkpoints.is_empty() {
            self.trail.clear();
        }
    }

    /// How many terms were evaluated so far: what the simulation has cost.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    fn evaluate(&mut self, position: usize) -> IntervalValue {
        self.evaluations += 1;
        let node = &self.nodes[position];
        let value = apply(&node.term, |arg| &self.values[arg.index()]);
        value.unwrap_or_else(|| IntervalValue::full(node.sort))
    }

    /// Stores a value; if it is another, remembers the old one and who has to be evaluated.
    fn replace(&mut self, position: u32, value: IntervalValue) {
        let at = position as usize;
        if self.values[at] == value {
            return;
        }
        let old = std::mem::replace(&mut self.values[at], value);
        if !self.checkpoints.is_empty() {
            self.trail.push((position, old));
        }
        for &user in &self.users[self.first_user[at] as usize..self.first_user[at + 1] as usize] {
            let word = user as usize / 64;
            self.stale[word] |= 1 << (user % 64);
            self.stale_words.start = self.stale_words.start.min(word);
            self.stale_words.end = self.stale_words.end.max(word + 1);
        }
    }

    /// Evaluates whatever has changed arguments. Users come after what they use: one pass.
    fn settle(&mut self) {
        let mut word = self.stale_words.start;
        // Evaluating a node may mark later ones, of this word or another.
        while word < self.stale_words.end {
            while self.stale[word] != 0 {
                let position = word * 64 + self.stale[word].trailing_zeros() as usize;
                self.stale[word] &= self.stale[word] - 1;
                let value = self.evaluate(position);
                self.replace(position as u32, value);
            }
            word += 1;
        }
        self.stale_words = NO_WORDS;
    }
}

/// For each node where its users start in the list, and the list.
fn users_of(nodes: &[Node]) -> (Vec<u32>, Vec<u32>) {
    let mut first_user = vec![0u32; nodes.len() + 1];
    for node in nodes {
        node.term.args().for_each(|arg| first_user[arg.index() + 1] += 1);
    }
    for position in 0..nodes.len() {
        first_user[position + 1] += first_user[position];
    }
    let mut next = first_user.clone();
    let mut users = vec![0u32; first_user[nodes.len()] as usize];
    for (position, node) in nodes.iter().enumerate() {
        for arg in node.term.args() {
            users[next[arg.index()] as usize] = position as u32;
            next[arg.index()] += 1;
        }
    }
    (first_user, users)
}
