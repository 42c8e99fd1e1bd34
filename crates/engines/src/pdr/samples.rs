//! States that the start set reaches, found by walking runs on the system, 64 at once.
//!
//! A state that is reached in `d` steps is in `F_i` for all `i ≥ d`: I1 if the constraints hold in
//! it at first, and then I4 along the run, if they hold before each step. So a query that would
//! exclude it from there fails: `¬c ∧ F_{i−1} ∧ C ∧ T ∧ c'` has the step of the run with which it
//! enters `c`. At lower levels the query may hold, but what excludes the state is in no invariant.
//! As the obligations of fbPDR's other direction do, samples therefore keep lemmas from becoming
//! too wide, and from being pushed, at any level, without a query.
//!
//! Heuristic throughout: a sample refuses lemmas, and admits none. Runs come from a random source,
//! and from the board of the system; either way they are walked here, so what is noted is reached.

use super::bits::Bits;
use super::relation::Relation;
use crate::exchange::Run;
use crate::sweep::{Point, Simulator};
use crate::trace::Guide;
use pedra_model::bits::BitSystem;
use pedra_model::lit::{Lit, Var};
use pedra_model::random::Random;
use pedra_model::reduce::initial::initial_order;
use rustc_hash::FxHashSet;

/// How many steps random runs have.
const STEPS: usize = 32;

/// How often 64 states are kept: more would make the check of every cube slow. Chosen, not
/// measured.
const MAX_BLOCKS: usize = 256;

/// How many words they may take. Chosen: 8 MB.
const MAX_WORDS: usize = 1 << 20;

/// How many gates random runs may evaluate, and the run of another engine. Chosen: some 20 ms.
const MAX_GATES: u64 = 1 << 24;

/// Up to 64 states.
struct Block {
    /// Which of them count.
    lanes: u64,
    /// By variable of cubes.
    words: Box<[u64]>,
}

/// Reached states.
#[derive(Default)]
pub(super) struct Samples {
    blocks: Vec<Block>,
    /// Hashes of the states.
    known: FxHashSet<u64>,
    /// Gates evaluated.
    gates: u64,
    /// Candidates that were refused without a query.
    pub(super) refused: u64,
}

impl Samples {
    /// The states of 64 random runs for each round.
    pub(super) fn random(relation: &Relation, rounds: u32, seed: u64) -> Samples {
        let mut samples = Samples::default();
        let run = Run { inputs: vec![Default::default(); STEPS], ..Run::default() };
        for round in 0..u64::from(rounds) {
            if samples.gates > MAX_GATES {
                break;
            }
            samples.walk(relation, &run, seed.wrapping_add(round));
        }
        samples
    }

    /// Gates evaluated so far.
    pub(super) fn gates(&self) -> u64 {
        self.gates
    }

    /// Whether a state is in the cube.
    pub(super) fn hits(&self, cube: &[Lit]) -> bool {
        self.blocks.iter().any(|block| {
            let mut lanes = block.lanes;
            cube.iter().all(|lit| {
                let word = block.words[lit.var().index()];
                lanes &= if lit.is_negated() { !word } else { word };
                lanes != 0
            })
        })
    }

    /// Walks a run, and 63 random ones beside it, as far as the constraints hold. Says whether
    /// there were states that were not known.
    pub(super) fn walk(&mut self, relation: &Relation, run: &Run, seed: u64) -> bool {
        let system = relation.system;
        let Some(order) = initial_order(system) else { return false };
        let mut simulator = Simulator::new(system, order, seed);
        let (mut lanes, mut walked, before) = (u64::MAX, 0, self.known.len());
        for step in 0..=run.inputs.len() {
            let inputs = run.inputs.get(step).map_or(&[][..], |ones| ones);
            if step == 0 {
                simulator.go_initial(&first_point(system, &run.start, inputs));
            } else {
                simulator.step(&Point { ones: inputs_at(system, inputs).collect() });
            }
            // The first state has to satisfy the constraints, the others need not.
            let states = if step == 0 { simulator.allowed() } else { lanes };
            self.note(relation, &simulator, states, step == 0);
            lanes &= simulator.allowed();
            let work = simulator.take_work();
            walked += work;
            self.gates += work;
            if lanes == 0 || walked > MAX_GATES || self.is_full(relation) {
                break;
            }
        }
        self.known.len() > before
    }

    /// Whether there is no room for more.
    fn is_full(&self, relation: &Relation) -> bool {
        let words = (self.blocks.len() + 1) * relation.transition.cubes_end();
        self.blocks.len() >= MAX_BLOCKS || words > MAX_WORDS
    }

    /// Notes the present states of these lanes, as far as they are new.
    fn note(&mut self, relation: &Relation, simulator: &Simulator, lanes: u64, is_first: bool) {
        let transition = &relation.transition;
        let end = transition.cubes_end();
        if self.is_full(relation) {
            return;
        }
        let first = transition.latch_vars().end..transition.state_vars().end;
        let word = |var: usize| match first.contains(&var) {
            true => 0u64.wrapping_sub(u64::from(is_first)),
            false => simulator.word(transition.system_lit(var)),
        };
        let words: Box<[u64]> = (0..end).map(word).collect();
        let mut hashes = [0u64; 64];
        for var in transition.cube_vars() {
            let key = Random::new(var as u64).word();
            for (lane, hash) in hashes.iter_mut().enumerate() {
                *hash ^= key & 0u64.wrapping_sub(words[var] >> lane & 1);
            }
        }
        let mut new = 0;
        for (lane, hash) in hashes.into_iter().enumerate() {
            if lanes >> lane & 1 == 1 && self.known.insert(hash) {
                new |= 1 << lane;
            }
        }
        if new != 0 {
            self.blocks.push(Block { lanes: new, words });
        }
    }
}

/// Inputs by number; those that the system does not have are left out.
fn inputs_at<'s>(system: &'s BitSystem, ones: &'s [u32]) -> impl Iterator<Item = Var> + 's {
    ones.iter().filter_map(|&number| system.inputs.get(number as usize).copied())
}

fn first_point(system: &BitSystem, start: &[u32], inputs: &[u32]) -> Point {
    let latches = start.iter().filter_map(|&number| system.latches.get(number as usize));
    Point { ones: latches.map(|latch| latch.var).chain(inputs_at(system, inputs)).collect() }
}

impl<G: Guide<[Lit]>> Bits<'_, G> {
    /// Heuristic: whether a lemma should not be this wide: it excludes states that belong into
    /// every invariant, as far as the guide or samples know.
    pub(super) fn restricts(&mut self, cube: &[Lit]) -> bool {
        self.guide.restricts(cube) || self.hits_sample(cube)
    }

    /// Heuristic: whether a lemma is not worth pushing, for the same reason.
    pub(super) fn dooms(&mut self, cube: &[Lit]) -> bool {
        self.guide.dooms(cube) || self.hits_sample(cube)
    }

    fn hits_sample(&mut self, cube: &[Lit]) -> bool {
        let hits = self.samples.hits(cube);
        self.samples.refused += u64::from(hits);
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::events::Direction;
    use crate::pdr::{PdrOptions, Successors};
    use crate::trace::NoGuide;
    use pedra_model::bits::Reset;
    use pedra_testkit::bits::{BitShape, random_bits};
    use pedra_testkit::oracle::{ExplicitBits, explore};
    use pedra_testkit::random::runs;

    fn bits<'a>(system: &'a BitSystem) -> Bits<'a, NoGuide> {
        let (direction, successors) = (Direction::Forward, Successors::default());
        let (options, context) =
            (PdrOptions { samples: 0, ..PdrOptions::default() }, Context::default());
        let bits = Bits::new(system, &options, direction, successors, NoGuide, &context);
        bits.expect("nothing stops it")
    }

    /// The cube of one state, by number.
    fn cube_of(state: usize, latches: usize) -> Vec<Lit> {
        (0..latches).map(|l| Lit::new(Var::new(l + 1), state >> l & 1 == 0)).collect()
    }

    /// Random systems have constraints, dead ends, and all kinds of resets.
    #[test]
    fn samples_are_reached() {
        let mut found = 0;
        for seed in 0..runs(300) {
            let mut random = Random::new(seed ^ 0x5a3_0000_0000);
            let system = random_bits(&mut random, BitShape::default());
            let reached = explore(&ExplicitBits::new(&system)).reached_at;
            let mut bits = bits(&system);
            bits.samples = Samples::random(&bits.relation, 1, seed);
            // Anything may stand in a run of another engine.
            let ones = |random: &mut Random| (0..random.below(9) as u32).collect::<Box<[u32]>>();
            let inputs = (0..random.below(6)).map(|_| ones(&mut random)).collect();
            let run = Run { start: ones(&mut random), inputs };
            bits.samples.walk(&bits.relation, &run, seed);
            for (state, step) in reached.into_iter().enumerate() {
                let hit = bits.samples.hits(&cube_of(state, system.latches.len()));
                assert!(!hit || step.is_some(), "seed {seed}: state {state}");
                found += usize::from(hit);
            }
        }
        assert!(found > 0);
    }

    /// A latch that is set by an input, and a constraint.
    fn switch(constraint: impl Fn(Lit, Lit) -> Lit) -> BitSystem {
        let mut system = BitSystem::new();
        let (input, latch) = (system.add_input(), system.add_latch(Reset::Zero));
        system.latches[0].next = input;
        system.constraints.push(constraint(input, latch));
        system.bads.push(Lit::FALSE);
        system
    }

    #[test]
    fn constraints_hold_before_each_step_and_at_first() {
        let [is_set, is_clear] = [false, true].map(|negated| [Lit::new(Var::new(1), negated)]);
        let cases = [
            // Nothing: what is set breaks it, but may be reached, since it held before.
            (switch(|_, latch| !latch), [true, true]),
            // The input is never true.
            (switch(|input, _| !input), [false, true]),
            // No initial state is allowed.
            (switch(|_, latch| latch), [false, false]),
        ];
        for (case, (system, expected)) in cases.into_iter().enumerate() {
            let bits = bits(&system);
            let samples = Samples::random(&bits.relation, 1, 0);
            assert_eq!([&is_set, &is_clear].map(|cube| samples.hits(cube)), expected, "{case}");
        }
    }

    #[test]
    fn a_run_of_another_engine_keeps_a_lemma_from_becoming_too_wide() {
        // Set for ever once all of eight inputs were true: chance does not find that.
        let mut system = BitSystem::new();
        let inputs: Vec<Lit> = (0..8).map(|_| system.add_input()).collect();
        let latch = system.add_latch(Reset::Zero);
        let all = inputs.iter().fold(Lit::TRUE, |all, &input| system.aig.push_and(all, input));
        system.latches[0].next = !system.aig.push_and(!all, !latch);
        system.bads.push(latch);
        let mut bits = bits(&system);
        let is_set = [Var::new(1).lit()];
        assert!(!bits.restricts(&is_set) && !bits.dooms(&is_set));
        let run = Run { inputs: vec![(0..8).collect()], ..Run::default() };
        assert!(bits.samples.walk(&bits.relation, &run, 0));
        assert!(bits.restricts(&is_set) && bits.dooms(&is_set));
        assert_eq!(bits.samples.refused, 2);
        assert!(!bits.samples.walk(&bits.relation, &run, 0), "it is known");
    }
}
