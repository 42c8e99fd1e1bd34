//! Triggered pushing (M. Suda: *Triggered clause pushing for IC3*, 2013): a lemma of `F_i` that
//! could not be pushed has a witness, a state of `F_i` with a successor that the lemma excludes.
//! Until a new lemma excludes the witness from `F_i`, trying again is useless.
//!
//! Heuristic: it only skips queries whose answer is known.

use super::Frames;
use crate::trace::{LemmaId, Level};
use pedra_model::lit::Lit;
use rustc_hash::FxHashMap;

/// Bytes that all witnesses together may take; beyond, none are kept.
const MAX_BYTES: usize = 1 << 28;

/// A set of state literals, one bit each.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateBits(Box<[u64]>);

impl StateBits {
    /// The set of these literals, of variables below `num_vars`.
    pub(crate) fn new(num_vars: usize, lits: impl Iterator<Item = Lit>) -> StateBits {
        let mut bits = vec![0u64; (2 * num_vars).div_ceil(64)];
        for lit in lits {
            bits[lit.index() / 64] |= 1 << (lit.index() % 64);
        }
        StateBits(bits.into())
    }

    /// Whether the set has a literal.
    #[inline]
    pub(crate) fn has(&self, lit: Lit) -> bool {
        self.0[lit.index() / 64] >> (lit.index() % 64) & 1 == 1
    }

    fn bytes(&self) -> usize {
        8 * self.0.len()
    }

    /// Whether all states of the set are in the cube. A variable without value leaves it open.
    fn is_in(&self, cube: &[Lit]) -> bool {
        cube.iter().all(|&lit| self.has(lit))
    }
}

/// Why a lemma was not pushed.
struct Witness {
    state: StateBits,
    /// The level from which it was not pushed.
    level: Level,
    /// It is known to be in `F_level` as of this place in the log.
    seen: usize,
}

/// The witnesses of lemmas that could not be pushed.
#[derive(Default)]
pub(super) struct Triggers {
    witnesses: FxHashMap<LemmaId, Witness>,
    /// Lemmas in the order in which they strengthened frames; one can occur several times.
    log: Vec<LemmaId>,
    bytes: usize,
}

impl Triggers {
    /// A lemma was added or raised.
    pub(super) fn strengthened(&mut self, id: LemmaId) {
        self.log.push(id);
    }

    /// A lemma could not be pushed from a level because of this state.
    pub(super) fn note(&mut self, id: LemmaId, level: Level, state: StateBits) {
        let bytes = state.bytes();
        if self.bytes + bytes > MAX_BYTES {
            return;
        }
        let witness = Witness { state, level, seen: self.log.len() };
        if self.witnesses.insert(id, witness).is_none() {
            self.bytes += bytes;
        }
    }

    /// Whether the lemma is known not to be pushable from this level.
    pub(super) fn is_stuck(&mut self, frames: &Frames, id: LemmaId, level: Level) -> bool {
        let Some(witness) = self.witnesses.get_mut(&id) else { return false };
        if witness.level != level {
            return false;
        }
        let excludes = |&id: &LemmaId| {
            let lemma = frames.lemma(id);
            lemma.level() >= level && frames.is_live(id) && witness.state.is_in(lemma.set())
        };
        let new = &self.log[witness.seen..];
        if !new.iter().any(excludes) {
            witness.seen = self.log.len();
            return true;
        }
        // It is of no use any more, even if the query that comes next is stopped.
        if let Some(witness) = self.witnesses.remove(&id) {
            self.bytes -= witness.state.bytes();
        }
        false
    }

    /// Forgets what belongs to retired lemmas.
    pub(super) fn tidy(&mut self, frames: &Frames) {
        self.witnesses.retain(|&id, _| frames.is_live(id));
        self.bytes = self.witnesses.values().map(|witness| witness.state.bytes()).sum();
        // What every witness has seen is over.
        let seen = self.witnesses.values().map(|witness| witness.seen).min();
        let over = seen.unwrap_or(self.log.len());
        self.log.drain(..over);
        self.witnesses.values_mut().for_each(|witness| witness.seen -= over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::CubeIndex;
    use pedra_model::lit::Var;

    #[test]
    fn a_lemma_is_stuck_until_its_witness_is_excluded() {
        let (mut frames, mut triggers) = (Frames::new([CubeIndex::new(4)]), Triggers::default());
        (0..2).for_each(|_| frames.open());
        let lit = |var| Var::new(var).lit();
        let add = |frames: &mut Frames, triggers: &mut Triggers, cube: &[Lit]| {
            let id = frames.insert((), cube.into(), Level::new(1)).expect("it is new").id;
            triggers.strengthened(id);
            id
        };
        let stuck = add(&mut frames, &mut triggers, &[lit(1)]);
        let state = StateBits::new(4, [!lit(1), lit(2)].into_iter());
        triggers.note(stuck, Level::new(1), state);
        assert!(triggers.is_stuck(&frames, stuck, Level::new(1)));
        add(&mut frames, &mut triggers, &[lit(3)]);
        assert!(triggers.is_stuck(&frames, stuck, Level::new(1)), "it has other states");
        add(&mut frames, &mut triggers, &[!lit(1), lit(2)]);
        // Who asks may be stopped before the query, and asks again then.
        for _ in 0..2 {
            assert!(!triggers.is_stuck(&frames, stuck, Level::new(1)));
        }
        assert_eq!(triggers.bytes, 0);
    }
}
