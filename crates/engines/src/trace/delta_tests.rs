//! The trace against one without any index, for cubes and for sets that are scanned.

use super::super::index::{Cover, CubeIndex, Scan};
use super::*;
use pedra_model::lit::{Lit, Var};
use pedra_testkit::random::Random;
use std::collections::BTreeSet;

const VARS: usize = 6;

type Cubes = Trace<[Lit], CubeIndex>;

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

/// Covering by the definition.
#[derive(Clone, Debug)]
struct Subsets;

impl Cover<[Lit]> for Subsets {
    fn covers(&self, large: &[Lit], small: &[Lit]) -> bool {
        large.iter().all(|lit| small.contains(lit))
    }
}

/// One of three places.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Room(usize);

impl Place for Room {
    fn index(self) -> usize {
        self.0
    }
}

const ROOMS: [Room; 3] = [Room(0), Room(1), Room(2)];

/// The trace without any index: places, cubes and their levels.
#[derive(Default)]
struct Plain(BTreeSet<(Room, Vec<Lit>, Level)>);

impl Plain {
    fn add(&mut self, room: Room, cube: &[Lit], level: Level) {
        let covers = |c: &[Lit]| Subsets.covers(c, cube);
        if self.0.iter().any(|(r, c, l)| *r == room && covers(c) && *l >= level) {
            return;
        }
        self.0.retain(|(r, c, l)| *r != room || *l > level || !Subsets.covers(cube, c));
        self.0.insert((room, cube.to_vec(), level));
    }
}

/// Random lemmas at random places and levels, in a trace with this index.
fn check_index<I: Index<[Lit]> + Clone>(index: &I, seed: u64) {
    let mut random = Random::new(seed);
    for _ in 0..300 {
        let mut trace = Trace::<[Lit], I, Room>::new(ROOMS.map(|_| index.clone()));
        let mut plain = Plain::default();
        for _ in 0..6 {
            trace.open();
        }
        for _ in 0..60 {
            let levels = [1, 2, 3, 4, 5].map(Level::new);
            let level = if random.one_in(20) { Level::INFINITY } else { random.pick(&levels) };
            let room = random.pick(&ROOMS);
            let some = trace.delta(room, random.pick(&levels));
            let promoted = some.first().copied().filter(|_| random.one_in(3));
            match promoted.filter(|&id| trace.lemma(id).level() < level) {
                Some(id) => {
                    let cube = trace.lemma(id).set().to_vec();
                    plain.add(room, &cube, level);
                    trace.promote(id, level);
                }
                None => {
                    let cube = random_cube(&mut random);
                    plain.add(room, &cube, level);
                    trace.insert(room, cube.into(), level);
                }
            }
            let lemmas = ROOMS.into_iter().flat_map(|room| {
                let ids: Vec<LemmaId> = trace.lemmas(room, Level::ZERO).collect();
                let lemmas = ids.into_iter().map(|id| trace.lemma(id));
                lemmas.map(move |lemma| (room, lemma.set().to_vec(), lemma.level()))
            });
            assert_eq!(lemmas.collect::<BTreeSet<_>>(), plain.0);
            assert_eq!(trace.len(), plain.0.len());
            let (cube, level) = (random_cube(&mut random), random.pick(&levels));
            let covering =
                plain.0.iter().filter(|(r, c, _)| *r == room && Subsets.covers(c, &cube));
            let highest = covering.map(|(.., l)| *l).max();
            let found = trace.find_covering(room, &cube, level);
            let found = found.map(|id| trace.lemma(id).level());
            assert_eq!(found, highest.filter(|&highest| highest >= level));
            let is_empty = |i: &usize| !plain.0.iter().any(|(.., l)| l.index() == *i);
            assert_eq!(trace.fixpoint(), (1..6).find(is_empty).map(Level::new));
        }
    }
}

#[test]
fn indices_agree_with_a_plain_trace() {
    check_index(&CubeIndex::new(VARS), 1);
    check_index(&Scan(Subsets), 2);
}

#[test]
fn a_frame_has_the_lemmas_of_higher_levels() {
    let mut trace = Cubes::new([CubeIndex::new(VARS)]);
    trace.open();
    trace.open();
    let lit = |var| Var::new(var).lit();
    trace.insert((), [lit(1)].into(), Level::new(1));
    trace.insert((), [lit(2)].into(), Level::new(2));
    trace.insert((), [lit(3)].into(), Level::INFINITY);
    let count = |level| trace.sets((), level).count();
    assert_eq!([1, 2].map(|level| count(Level::new(level))), [3, 2]);
    assert_eq!(count(Level::INFINITY), 1);
    assert_eq!(trace.invariants_so_far(), 1);
}

#[test]
fn a_frame_is_a_fixpoint_only_if_it_is_one_everywhere() {
    let mut trace = Trace::<[Lit], CubeIndex, Room>::new(ROOMS.map(|_| CubeIndex::new(VARS)));
    (0..4).for_each(|_| trace.open());
    let lit = |var| Var::new(var).lit();
    let first = trace.insert(Room(0), [lit(1)].into(), Level::new(1)).expect("new").id;
    assert_eq!(trace.fixpoint(), Some(Level::new(2)));
    trace.insert(Room(2), [lit(1)].into(), Level::new(2));
    assert_eq!(trace.fixpoint(), Some(Level::new(3)));
    trace.promote(first, Level::new(3));
    assert_eq!(trace.fixpoint(), Some(Level::new(1)));
}
