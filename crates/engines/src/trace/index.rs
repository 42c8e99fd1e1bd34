//! Which lemmas of a place cover a set of states, and which are covered by it.
//!
//! [`CubeIndex`] is for cubes of literals. A lemma covers a cube if its own is a subset of it. Two
//! indices answer both directions, and 64-bit signatures reject most of what they propose:
//!
//! - *which lemmas cover a cube*: each lemma is listed under one of its literals, the rarest at the
//!   time it was added; a subset of the cube is listed under a literal of the cube;
//! - *which lemmas does a cube cover*: each lemma is listed under all of its literals; a superset
//!   of the cube is in the shortest of the cube's lists.
//!
//! [`Scan`] compares with every lemma, for sets without such structure, of which there are few.

use super::Level;
use super::delta::{Lemma, LemmaId, Levels};
use pedra_model::lit::Lit;

/// An index over the lemmas of one place.
pub(crate) trait Index<V: ?Sized> {
    /// What is kept with each lemma.
    type Mark: Copy;

    /// Takes note of a lemma.
    fn add(&mut self, id: LemmaId, set: &V) -> Self::Mark;

    /// A lemma was removed.
    fn remove(&mut self, id: LemmaId, mark: Self::Mark);

    /// The lemma that covers the set at the highest level, if that is at least `level`.
    fn find_covering(
        &self,
        lemmas: &[Lemma<V, Self::Mark>],
        levels: &Levels,
        set: &V,
        level: Level,
    ) -> Option<LemmaId>;

    /// All lemmas up to `level` that the set covers, but for the one whose set it is.
    fn find_covered(
        &mut self,
        lemmas: &[Lemma<V, Self::Mark>],
        levels: &Levels,
        set: &V,
        level: Level,
        own: Option<LemmaId>,
    ) -> Vec<LemmaId>;
}

/// An index for cubes of literals.
#[derive(Clone, Debug)]
pub(crate) struct CubeIndex {
    /// By literal, the lemmas that are listed under it alone.
    watched: Vec<Vec<LemmaId>>,
    /// By literal, all lemmas with it. May hold retired ones.
    occurrences: Vec<Vec<LemmaId>>,
}

/// What [`CubeIndex`] keeps with a lemma.
#[derive(Copy, Clone, Debug)]
pub(crate) struct CubeMark {
    signature: u64,
    /// The literal under which it is listed alone.
    watch: Lit,
}

impl CubeIndex {
    /// For literals of variables below `num_vars`.
    pub(crate) fn new(num_vars: usize) -> CubeIndex {
        let lists = vec![Vec::new(); 2 * num_vars];
        CubeIndex { watched: lists.clone(), occurrences: lists }
    }

    /// The literal of a cube that the fewest lemmas have.
    fn rarest(&self, cube: &[Lit]) -> Lit {
        let rarest = cube.iter().min_by_key(|lit| self.occurrences[lit.index()].len());
        *rarest.expect("cubes are not empty")
    }
}

/// A set of literals, hashed to 64 bits: a subset has a subset of the bits.
fn signature(cube: &[Lit]) -> u64 {
    // Neighbouring latches often belong together; the multiplication scatters them.
    let bit = |lit: &Lit| 1u64 << (lit.code().wrapping_mul(0x9e37_79b1) >> 26);
    cube.iter().map(bit).fold(0, |all, bit| all | bit)
}

/// Whether `small ⊆ large`, both sorted.
pub(crate) fn is_subset(small: &[Lit], large: &[Lit]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|lit| rest.by_ref().find(|&other| other >= lit) == Some(lit))
}

impl Index<[Lit]> for CubeIndex {
    type Mark = CubeMark;

    fn add(&mut self, id: LemmaId, cube: &[Lit]) -> CubeMark {
        debug_assert!(cube.windows(2).all(|pair| pair[0] < pair[1]), "cubes are sorted");
        let watch = self.rarest(cube);
        self.watched[watch.index()].push(id);
        for lit in cube {
            self.occurrences[lit.index()].push(id);
        }
        CubeMark { signature: signature(cube), watch }
    }

    fn remove(&mut self, id: LemmaId, mark: CubeMark) {
        let watched = &mut self.watched[mark.watch.index()];
        let position = watched.iter().position(|&other| other == id);
        watched.swap_remove(position.expect("listed while it lives"));
    }

    fn find_covering(
        &self,
        lemmas: &[Lemma<[Lit], CubeMark>],
        _: &Levels,
        cube: &[Lit],
        level: Level,
    ) -> Option<LemmaId> {
        let bits = signature(cube);
        let mut best: Option<LemmaId> = None;
        let mut wanted = level;
        for lit in cube {
            for &id in &self.watched[lit.index()] {
                let lemma = &lemmas[id.index()];
                if lemma.level >= wanted
                    && lemma.mark.signature & !bits == 0
                    && lemma.live().is_some_and(|other| is_subset(other, cube))
                {
                    if lemma.level == Level::INFINITY {
                        return Some(id);
                    }
                    (best, wanted) = (Some(id), lemma.level.above());
                }
            }
        }
        best
    }

    fn find_covered(
        &mut self,
        lemmas: &[Lemma<[Lit], CubeMark>],
        _: &Levels,
        cube: &[Lit],
        level: Level,
        own: Option<LemmaId>,
    ) -> Vec<LemmaId> {
        let bits = signature(cube);
        let shortest = self.rarest(cube).index();
        let mut covered = Vec::new();
        self.occurrences[shortest].retain(|&id| {
            let lemma = &lemmas[id.index()];
            let Some(other) = lemma.live() else { return false };
            let is_covered = lemma.level <= level
                && bits & !lemma.mark.signature == 0
                && own != Some(id)
                && is_subset(cube, other);
            if is_covered {
                covered.push(id);
            }
            !is_covered
        });
        covered
    }
}

/// Whether one set contains another.
pub(crate) trait Cover<V: ?Sized> {
    /// Whether all states of `small` are in `large`; may miss cases.
    fn covers(&self, large: &V, small: &V) -> bool;
}

/// No index: compares with every lemma.
#[derive(Clone, Debug)]
pub(crate) struct Scan<C>(pub(crate) C);

impl<V: ?Sized, C: Cover<V>> Index<V> for Scan<C> {
    type Mark = ();

    fn add(&mut self, _: LemmaId, _: &V) {}

    fn remove(&mut self, _: LemmaId, (): ()) {}

    fn find_covering(
        &self,
        lemmas: &[Lemma<V, ()>],
        levels: &Levels,
        set: &V,
        level: Level,
    ) -> Option<LemmaId> {
        let covers = |&id: &LemmaId| self.0.covers(lemmas[id.index()].set(), set);
        levels.from(level).rev().flatten().copied().find(covers)
    }

    fn find_covered(
        &mut self,
        lemmas: &[Lemma<V, ()>],
        levels: &Levels,
        set: &V,
        level: Level,
        own: Option<LemmaId>,
    ) -> Vec<LemmaId> {
        let covered =
            |&id: &LemmaId| own != Some(id) && self.0.covers(set, lemmas[id.index()].set());
        levels.up_to(level).flatten().copied().filter(covered).collect()
    }
}
