//! The frames `F_0 ⊆ F_1 ⊆ … ⊆ F_k`, δ-encoded.
//!
//! A lemma is a cube of which the frames exclude every state; it is kept once, at the highest
//! level where it is known to hold, and belongs to all frames up to there:
//! `F_i = F_{i+1} ∧ Δ_i`. So `F_i = F_{i+1}` if and only if `Δ_i` is empty, which is the
//! syntactic test for a fixpoint. Beyond all levels lies [`Level::INFINITY`], the lemmas that
//! are invariants.
//!
//! A lemma *subsumes* another if its cube is a subset of the other's: it excludes more. Of a
//! subsumed lemma only levels above the subsuming one are of use. Two indices answer both
//! directions, and 64-bit signatures reject most of what they propose:
//!
//! - *which lemmas subsume a cube*: each lemma is listed under one of its literals, the rarest
//!   when it came; a subset of the cube is listed under a literal of the cube;
//! - *which lemmas does a cube subsume*: each lemma is listed under all of its literals; a
//!   superset of the cube is in the shortest of the cube's lists.
//!
//! The store is plain data, and knows neither solvers nor what a literal means.

use crate::trace::Level;
use pedra_model::lit::Lit;

/// The name of a lemma in its store; never used again for another one.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LemmaId(u32);

impl LemmaId {
    /// Its number: how many there were before it.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Excluded states, and up to where.
#[derive(Clone, Debug)]
pub struct Lemma {
    /// The excluded cube, sorted; emptied when the lemma is retired.
    cube: Box<[Lit]>,
    signature: u64,
    level: Level,
    /// Its place in the list of its level.
    place: u32,
    /// The literal under which it is listed alone.
    watch: Lit,
    is_live: bool,
}

impl Lemma {
    /// The excluded cube, sorted.
    pub fn cube(&self) -> &[Lit] {
        &self.cube
    }

    /// The highest level where it is known to hold.
    pub fn level(&self) -> Level {
        self.level
    }
}

/// What became of a new lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inserted {
    /// The lemma.
    pub id: LemmaId,
    /// Up to this level a stronger lemma held before.
    pub covered: Level,
    /// The lemmas that it made useless.
    pub retired: Vec<LemmaId>,
}

/// The lemmas of all frames.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    lemmas: Vec<Lemma>,
    /// `Δ_i` for each level.
    deltas: Vec<Vec<LemmaId>>,
    /// The lemmas at [`Level::INFINITY`].
    invariants: Vec<LemmaId>,
    /// By literal, the lemmas that are listed under it alone. May hold retired ones.
    watched: Vec<Vec<LemmaId>>,
    /// By literal, all lemmas with it. May hold retired ones.
    occurrences: Vec<Vec<LemmaId>>,
    live: usize,
}

/// A set of literals, hashed to 64 bits: a subset has a subset of the bits.
fn signature(cube: &[Lit]) -> u64 {
    // Neighbouring latches often belong together; the multiplication scatters them.
    let bit = |lit: &Lit| 1u64 << (lit.code().wrapping_mul(0x9e37_79b1) >> 26);
    cube.iter().map(bit).fold(0, |all, bit| all | bit)
}

/// Whether `small ⊆ large`, both sorted.
pub(super) fn is_subset(small: &[Lit], large: &[Lit]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|lit| rest.by_ref().find(|&other| other >= lit) == Some(lit))
}

impl Frames {
    /// A store without lemmas, for literals of variables below `num_vars`, with level 0 open.
    pub fn new(num_vars: usize) -> Frames {
        Frames {
            deltas: vec![Vec::new()],
            watched: vec![Vec::new(); 2 * num_vars],
            occurrences: vec![Vec::new(); 2 * num_vars],
            ..Frames::default()
        }
    }

    /// The highest level that is open.
    pub fn top(&self) -> Level {
        Level::new(self.deltas.len() - 1)
    }

    /// Opens the next level.
    pub fn open(&mut self) {
        self.deltas.push(Vec::new());
    }

    /// How many lemmas are in use.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there is no lemma.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// How many lemmas there ever were.
    pub fn total(&self) -> usize {
        self.lemmas.len()
    }

    /// A lemma.
    pub fn lemma(&self, id: LemmaId) -> &Lemma {
        &self.lemmas[id.0 as usize]
    }

    /// Whether the lemma is still in use.
    pub fn is_live(&self, id: LemmaId) -> bool {
        self.lemma(id).is_live
    }

    /// `Δ_i`: the lemmas whose highest level this is.
    pub fn delta(&self, level: Level) -> &[LemmaId] {
        match level {
            Level::INFINITY => &self.invariants,
            _ => &self.deltas[level.index()],
        }
    }

    /// The cubes that `F_i` excludes.
    pub fn cubes(&self, level: Level) -> impl Iterator<Item = &[Lit]> {
        let from = level.index().min(self.deltas.len());
        let ids = self.deltas[from..].iter().chain([&self.invariants]).flatten();
        ids.map(|&id| self.lemma(id).cube())
    }

    /// The lemmas that `F_i` consists of.
    pub fn lemmas(&self, level: Level) -> impl Iterator<Item = LemmaId> + '_ {
        let from = level.index().min(self.deltas.len());
        self.deltas[from..].iter().chain([&self.invariants]).flatten().copied()
    }

    /// A level `1 ≤ i < top` with `F_i = F_{i+1}`, the lowest, if there is one.
    pub fn fixpoint(&self) -> Option<Level> {
        (1..self.deltas.len() - 1).find(|&i| self.deltas[i].is_empty()).map(Level::new)
    }

    /// The lemma that excludes all of `cube` at the highest level, if that is at least `level`.
    /// A cube that is subsumed at [`Level::INFINITY`] need not be looked at any further.
    pub fn find_subsuming(&self, cube: &[Lit], level: Level) -> Option<LemmaId> {
        let bits = signature(cube);
        let mut best: Option<LemmaId> = None;
        for lit in cube {
            for &id in &self.watched[lit.index()] {
                let lemma = self.lemma(id);
                let wanted = best.map_or(level, |best| self.lemma(best).level.above());
                if lemma.level >= wanted
                    && lemma.signature & !bits == 0
                    && lemma.is_live
                    && is_subset(&lemma.cube, cube)
                {
                    if lemma.level == Level::INFINITY {
                        return Some(id);
                    }
                    best = Some(id);
                }
            }
        }
        best
    }

    /// Adds a lemma, and retires those that it makes useless. `None` if one that is there
    /// already says as much.
    ///
    /// # Panics
    /// If the cube is empty or the level is not open.
    pub fn insert(&mut self, cube: Vec<Lit>, level: Level) -> Option<Inserted> {
        debug_assert!(cube.windows(2).all(|pair| pair[0] < pair[1]), "cubes are sorted");
        assert!(!cube.is_empty(), "a lemma that excludes everything");
        let stronger = self.find_subsuming(&cube, Level::ZERO.above());
        let covered = stronger.map_or(Level::ZERO, |id| self.lemma(id).level);
        if covered >= level {
            return None;
        }
        let retired = self.retire_subsumed(&cube, level, None);
        let id = LemmaId(u32::try_from(self.lemmas.len()).expect("fewer lemmas than that"));
        let rarest = cube.iter().min_by_key(|lit| self.occurrences[lit.index()].len());
        let watch = *rarest.expect("not empty");
        self.watched[watch.index()].push(id);
        for lit in &cube {
            self.occurrences[lit.index()].push(id);
        }
        let signature = signature(&cube);
        let cube = cube.into();
        self.lemmas.push(Lemma { cube, signature, level, place: 0, watch, is_live: true });
        self.enlist(id, level);
        self.live += 1;
        Some(Inserted { id, covered, retired })
    }

    /// Lets a lemma hold up to a higher level, and retires those that this makes useless, which
    /// it gives.
    pub fn raise(&mut self, id: LemmaId, level: Level) -> Vec<LemmaId> {
        debug_assert!(level > self.lemma(id).level && self.is_live(id));
        self.delist(id);
        self.enlist(id, level);
        let cube = std::mem::take(&mut self.lemmas[id.0 as usize].cube);
        let retired = self.retire_subsumed(&cube, level, Some(id));
        self.lemmas[id.0 as usize].cube = cube;
        retired
    }

    /// Retires the lemmas that a cube subsumes at levels up to `level`, but for the one whose
    /// cube it is.
    fn retire_subsumed(
        &mut self,
        cube: &[Lit],
        level: Level,
        own: Option<LemmaId>,
    ) -> Vec<LemmaId> {
        let bits = signature(cube);
        let shortest = cube.iter().min_by_key(|lit| self.occurrences[lit.index()].len());
        let shortest = shortest.expect("cubes are not empty").index();
        let mut list = std::mem::take(&mut self.occurrences[shortest]);
        let mut retired = Vec::new();
        list.retain(|&id| {
            let lemma = self.lemma(id);
            if lemma.is_live
                && lemma.level <= level
                && bits & !lemma.signature == 0
                && own != Some(id)
                && is_subset(cube, &lemma.cube)
            {
                self.retire(id);
                retired.push(id);
            }
            self.is_live(id)
        });
        self.occurrences[shortest] = list;
        retired
    }

    fn retire(&mut self, id: LemmaId) {
        self.delist(id);
        let lemma = &mut self.lemmas[id.0 as usize];
        lemma.cube = Box::default();
        lemma.is_live = false;
        self.live -= 1;
        let watched = &mut self.watched[lemma.watch.index()];
        let place = watched.iter().position(|&other| other == id);
        watched.swap_remove(place.expect("listed while it lives"));
    }

    fn enlist(&mut self, id: LemmaId, level: Level) {
        let list = match level {
            Level::INFINITY => &mut self.invariants,
            _ => &mut self.deltas[level.index()],
        };
        let lemma = &mut self.lemmas[id.0 as usize];
        (lemma.level, lemma.place) = (level, list.len() as u32);
        list.push(id);
    }

    fn delist(&mut self, id: LemmaId) {
        let lemma = &self.lemmas[id.0 as usize];
        let place = lemma.place;
        let list = match lemma.level {
            Level::INFINITY => &mut self.invariants,
            level => &mut self.deltas[level.index()],
        };
        list.swap_remove(place as usize);
        if let Some(&moved) = list.get(place as usize) {
            self.lemmas[moved.0 as usize].place = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::lit::Var;
    use pedra_testkit::random::Random;
    use std::collections::BTreeSet;

    const VARS: usize = 6;

    fn random_cube(random: &mut Random) -> Vec<Lit> {
        loop {
            let vars = (1..VARS).filter(|_| random.one_in(3)).collect::<Vec<_>>();
            let cube = vars.into_iter().map(|var| Lit::new(Var::new(var), random.one_in(2)));
            let cube: Vec<Lit> = cube.collect();
            if !cube.is_empty() {
                return cube;
            }
        }
    }

    /// The store without any index: cubes with their levels.
    #[derive(Default)]
    struct Plain(BTreeSet<(Vec<Lit>, Level)>);

    impl Plain {
        fn add(&mut self, cube: &[Lit], level: Level) {
            let holds = |c: &[Lit]| c.iter().all(|lit| cube.contains(lit));
            if self.0.iter().any(|(c, l)| holds(c) && *l >= level) {
                return;
            }
            self.0.retain(|(c, l)| *l > level || !cube.iter().all(|lit| c.contains(lit)));
            self.0.insert((cube.to_vec(), level));
        }
    }

    #[test]
    fn the_store_agrees_with_a_plain_one() {
        let mut random = Random::new(1);
        for _ in 0..300 {
            let (mut frames, mut plain) = (Frames::new(VARS), Plain::default());
            for _ in 0..6 {
                frames.open();
            }
            for _ in 0..40 {
                let levels = [1, 2, 3, 4, 5].map(Level::new);
                let level = if random.one_in(20) { Level::INFINITY } else { random.pick(&levels) };
                let some = frames.delta(random.pick(&levels));
                let raised = some.first().copied().filter(|_| random.one_in(3));
                match raised.filter(|&id| frames.lemma(id).level() < level) {
                    Some(id) => {
                        let cube = frames.lemma(id).cube().to_vec();
                        plain.add(&cube, level);
                        frames.raise(id, level);
                    }
                    None => {
                        let cube = random_cube(&mut random);
                        plain.add(&cube, level);
                        frames.insert(cube, level);
                    }
                }
                let lemmas = (1..7).map(Level::new).chain([Level::INFINITY]).flat_map(|level| {
                    let ids = frames.delta(level).iter();
                    ids.map(|&id| (frames.lemma(id).cube().to_vec(), level)).collect::<Vec<_>>()
                });
                assert_eq!(lemmas.collect::<BTreeSet<_>>(), plain.0);
                assert_eq!(frames.len(), plain.0.len());
                let (cube, level) = (random_cube(&mut random), random.pick(&levels));
                let subsuming = |(c, _): &&(Vec<Lit>, Level)| c.iter().all(|l| cube.contains(l));
                let highest = plain.0.iter().filter(subsuming).map(|(_, l)| *l).max();
                let found = frames.find_subsuming(&cube, level);
                let found = found.map(|id| frames.lemma(id).level());
                assert_eq!(found, highest.filter(|&highest| highest >= level));
                let empty = |i: &usize| !plain.0.iter().any(|(_, l)| l.index() == *i);
                assert_eq!(frames.fixpoint(), (1..6).find(empty).map(Level::new));
            }
        }
    }

    #[test]
    fn a_frame_has_the_lemmas_of_higher_levels() {
        let mut frames = Frames::new(VARS);
        frames.open();
        frames.open();
        let lit = |var| Var::new(var).lit();
        frames.insert(vec![lit(1)], Level::new(1));
        frames.insert(vec![lit(2)], Level::new(2));
        frames.insert(vec![lit(3)], Level::INFINITY);
        let count = |level| frames.cubes(level).count();
        assert_eq!([1, 2].map(|level| count(Level::new(level))), [3, 2]);
        assert_eq!(count(Level::INFINITY), 1);
    }
}
