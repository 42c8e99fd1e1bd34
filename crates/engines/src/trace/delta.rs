//! The frames `F_0 ⊆ F_1 ⊆ … ⊆ F_k`, δ-encoded, one tower of them for each place.
//!
//! A lemma is a set of states that the frames of its place exclude; it is kept once, at the highest
//! level where it is known to hold, and belongs to all frames up to there: `F_i = F_{i+1} ∧ Δ_i`.
//! So `F_i = F_{i+1}` at a place if and only if `Δ_i` is empty there. If it is empty at *every*
//! place, `F_i` is closed under all steps: this is the syntactic test for a fixpoint. Above all
//! levels is [`Level::INFINITY`], for lemmas that are invariants.
//!
//! A lemma *covers* another one of its place if it excludes at least as much. A covered lemma is
//! useful only at levels above the covering one; up to there it is retired. An [`Index`] finds the
//! lemmas that cover a set, and those that are covered by it.
//!
//! The store is plain data, without a solver.

use super::index::Index;
use super::{Level, StateSet};

/// Where states are: the one place of a transition system, or a location of a program.
pub(crate) trait Place: Copy + Ord {
    /// Its number; places are numbered from 0.
    fn index(self) -> usize;
}

/// A transition system has one place.
impl Place for () {
    #[inline]
    fn index(self) -> usize {
        0
    }
}

/// The name of a lemma in its store; never used again for another one.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LemmaId(u32);

impl LemmaId {
    /// Its number: how many there were before it.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Excluded states, and up to where.
#[derive(Debug)]
pub(crate) struct Lemma<V: ?Sized, M> {
    /// The excluded set; `None` when the lemma is retired.
    set: Option<Box<V>>,
    /// What the index wants to know of it.
    pub(super) mark: M,
    pub(super) level: Level,
    /// Its position in the list of its level.
    position: u32,
}

impl<V: ?Sized, M> Lemma<V, M> {
    /// The excluded set.
    ///
    /// # Panics
    /// If the lemma is retired.
    pub(crate) fn set(&self) -> &V {
        self.set.as_deref().expect("a lemma in use")
    }

    /// The excluded set, while the lemma is in use.
    #[inline]
    pub(super) fn live(&self) -> Option<&V> {
        self.set.as_deref()
    }

    /// The highest level where it is known to hold.
    #[inline]
    pub(crate) fn level(&self) -> Level {
        self.level
    }
}

/// What became of a new lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Inserted {
    /// The lemma.
    pub(crate) id: LemmaId,
    /// Up to this level a stronger lemma held before.
    pub(crate) covered: Level,
    /// The lemmas that it made useless.
    pub(crate) retired: Vec<LemmaId>,
}

/// The lemmas of one place by level.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// `Δ_i` for each level.
    deltas: Vec<Vec<LemmaId>>,
    /// The lemmas at [`Level::INFINITY`].
    invariants: Vec<LemmaId>,
}

impl Levels {
    /// `Δ_i`: the lemmas whose highest level this is.
    pub(super) fn delta(&self, level: Level) -> &[LemmaId] {
        match level {
            Level::INFINITY => &self.invariants,
            _ => &self.deltas[level.index()],
        }
    }

    fn delta_mut(&mut self, level: Level) -> &mut Vec<LemmaId> {
        match level {
            Level::INFINITY => &mut self.invariants,
            _ => &mut self.deltas[level.index()],
        }
    }

    /// The lists of the levels from this one on, the lowest first.
    pub(super) fn from(&self, level: Level) -> impl DoubleEndedIterator<Item = &Vec<LemmaId>> {
        let from = level.index().min(self.deltas.len());
        self.deltas[from..].iter().chain([&self.invariants])
    }

    /// The lists of the levels up to this one, the lowest first.
    pub(super) fn up_to(&self, level: Level) -> impl Iterator<Item = &Vec<LemmaId>> {
        let end = level.above().index().min(self.deltas.len());
        let invariants = (level == Level::INFINITY).then_some(&self.invariants);
        self.deltas[..end].iter().chain(invariants)
    }
}

/// The frames of one place.
#[derive(Debug)]
struct Tower<I> {
    levels: Levels,
    index: I,
}

/// The lemmas of all frames, at all places.
#[derive(Debug)]
pub(crate) struct Trace<V: ?Sized, I: Index<V>, P = ()> {
    lemmas: Vec<Lemma<V, I::Mark>>,
    /// By lemma.
    places: Vec<P>,
    towers: Vec<Tower<I>>,
    live: usize,
    /// How many invariants there have been, those that were retired included.
    invariants_so_far: usize,
}

impl<V: ?Sized + StateSet, I: Index<V>, P: Place> Trace<V, I, P> {
    /// A trace without lemmas, with level 0 open: one index for each place.
    pub(crate) fn new(indices: impl IntoIterator<Item = I>) -> Self {
        let levels = Levels { deltas: vec![Vec::new()], invariants: Vec::new() };
        let tower = |index| Tower { levels: levels.clone(), index };
        Trace {
            lemmas: Vec::new(),
            places: Vec::new(),
            towers: indices.into_iter().map(tower).collect(),
            live: 0,
            invariants_so_far: 0,
        }
    }

    /// The highest level that is open; it is the same at all places.
    pub(crate) fn top(&self) -> Level {
        Level::new(self.towers[0].levels.deltas.len() - 1)
    }

    /// Opens the next level.
    pub(crate) fn open(&mut self) {
        self.towers.iter_mut().for_each(|tower| tower.levels.deltas.push(Vec::new()));
    }

    /// How many lemmas are in use.
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// How many lemmas there ever were.
    pub(crate) fn total(&self) -> usize {
        self.lemmas.len()
    }

    /// How many invariants there have been: what holds relative to them may have changed when
    /// this has.
    pub(crate) fn invariants_so_far(&self) -> usize {
        self.invariants_so_far
    }

    /// A lemma.
    #[inline]
    pub(crate) fn lemma(&self, id: LemmaId) -> &Lemma<V, I::Mark> {
        &self.lemmas[id.index()]
    }

    /// Whether the lemma is still in use.
    #[inline]
    pub(crate) fn is_live(&self, id: LemmaId) -> bool {
        self.lemma(id).live().is_some()
    }

    /// `Δ_i` of a place: the lemmas whose highest level this is.
    pub(crate) fn delta(&self, place: P, level: Level) -> &[LemmaId] {
        self.towers[place.index()].levels.delta(level)
    }

    /// The lemmas that `F_i` of a place consists of.
    pub(crate) fn lemmas(&self, place: P, level: Level) -> impl Iterator<Item = LemmaId> {
        self.towers[place.index()].levels.from(level).flatten().copied()
    }

    /// The sets that `F_i` of a place excludes.
    pub(crate) fn sets(&self, place: P, level: Level) -> impl Iterator<Item = &V> {
        self.lemmas(place, level).map(|id| self.lemma(id).set())
    }

    /// Where a lemma is.
    pub(crate) fn place(&self, id: LemmaId) -> P {
        self.places[id.index()]
    }

    /// `Δ_i` of all places.
    pub(crate) fn deltas(&self, level: Level) -> impl Iterator<Item = LemmaId> {
        self.towers.iter().flat_map(move |tower| tower.levels.delta(level)).copied()
    }

    /// The lemmas that `F_i` of all places consists of.
    pub(crate) fn lemmas_everywhere(&self, level: Level) -> impl Iterator<Item = LemmaId> {
        self.towers.iter().flat_map(move |tower| tower.levels.from(level).flatten()).copied()
    }

    /// A level `1 ≤ i < top` with `F_i = F_{i+1}` at every place, the lowest, if there is one.
    pub(crate) fn fixpoint(&self) -> Option<Level> {
        let is_closed =
            |&level: &Level| self.towers.iter().all(|tower| tower.levels.delta(level).is_empty());
        (1..self.top().index()).map(Level::new).find(is_closed)
    }

    /// The lemma that excludes all of the set at the highest level, if that is at least `level`.
    pub(crate) fn find_covering(&self, place: P, set: &V, level: Level) -> Option<LemmaId> {
        let Tower { levels, index } = &self.towers[place.index()];
        index.find_covering(&self.lemmas, levels, set, level)
    }

    /// Adds a lemma, and retires those that it makes useless. `None` if one that is there
    /// already says as much.
    ///
    /// # Panics
    /// If the level is not open, or the set has no condition and there is one place only: a
    /// location of a program may be unreachable, a system is not.
    pub(crate) fn insert(&mut self, place: P, set: Box<V>, level: Level) -> Option<Inserted> {
        let is_possible = set.size() > 0 || self.towers.len() > 1;
        assert!(is_possible, "a lemma that excludes everything");
        let stronger = self.find_covering(place, &set, Level::ZERO.above());
        let covered = stronger.map_or(Level::ZERO, |id| self.lemma(id).level);
        if covered >= level {
            return None;
        }
        let Tower { levels, index } = &mut self.towers[place.index()];
        let retired = index.find_covered(&self.lemmas, levels, &set, level, None);
        self.retire(place, &retired);
        let id = LemmaId(u32::try_from(self.lemmas.len()).expect("fewer lemmas than that"));
        let mark = self.towers[place.index()].index.add(id, &set);
        self.lemmas.push(Lemma { set: Some(set), mark, level, position: 0 });
        self.places.push(place);
        self.enlist(id, level);
        self.live += 1;
        Some(Inserted { id, covered, retired })
    }

    /// Lets a lemma hold up to a higher level, and retires those that this makes useless, which
    /// it gives.
    pub(crate) fn promote(&mut self, id: LemmaId, level: Level) -> Vec<LemmaId> {
        debug_assert!(level > self.lemma(id).level && self.is_live(id));
        self.delist(id);
        self.enlist(id, level);
        let place = self.places[id.index()];
        let Tower { levels, index } = &mut self.towers[place.index()];
        let set = self.lemmas[id.index()].set();
        let retired = index.find_covered(&self.lemmas, levels, set, level, Some(id));
        self.retire(place, &retired);
        retired
    }

    fn retire(&mut self, place: P, ids: &[LemmaId]) {
        for &id in ids {
            self.delist(id);
            let lemma = &mut self.lemmas[id.index()];
            lemma.set = None;
            self.towers[place.index()].index.remove(id, lemma.mark);
            self.live -= 1;
        }
    }

    fn enlist(&mut self, id: LemmaId, level: Level) {
        self.invariants_so_far += (level == Level::INFINITY) as usize;
        let list = self.towers[self.places[id.index()].index()].levels.delta_mut(level);
        let lemma = &mut self.lemmas[id.index()];
        (lemma.level, lemma.position) = (level, list.len() as u32);
        list.push(id);
    }

    fn delist(&mut self, id: LemmaId) {
        let Lemma { position, level, .. } = self.lemmas[id.index()];
        let list = self.towers[self.places[id.index()].index()].levels.delta_mut(level);
        list.swap_remove(position as usize);
        if let Some(&moved) = list.get(position as usize) {
            self.lemmas[moved.index()].position = position;
        }
    }
}

#[cfg(test)]
#[path = "delta_tests.rs"]
mod tests;
