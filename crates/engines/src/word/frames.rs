//! δ-encoded frames of units: each blocked unit at the highest level where it is known to be
//! unreachable.
//!
//! As [`crate::pdr::Frames`], but subsumption compares bounds, not only sets of atoms. Knows no
//! solver.

use super::problem::Problem;
use super::unit::Unit;
use crate::trace::Level;

/// The name of a lemma.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct LemmaId(u32);

impl LemmaId {
    /// Its number, for events.
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }
}

/// An excluded unit, and up to where.
#[derive(Clone, Debug)]
pub(super) struct Lemma {
    pub(super) unit: Unit,
    pub(super) level: Level,
    is_live: bool,
}

/// All lemmas.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    lemmas: Vec<Lemma>,
    /// By level; retired ones are taken out.
    deltas: Vec<Vec<LemmaId>>,
    invariants: Vec<LemmaId>,
    /// How many invariants there have been, those that were retired included.
    invariants_so_far: usize,
}

impl Frames {
    /// No lemmas; level 0 is open.
    pub(super) fn new() -> Frames {
        Frames {
            lemmas: Vec::new(),
            deltas: vec![Vec::new()],
            invariants: Vec::new(),
            invariants_so_far: 0,
        }
    }

    /// The highest open level.
    pub(super) fn top(&self) -> Level {
        Level::new(self.deltas.len() - 1)
    }

    /// Opens the next level.
    pub(super) fn open(&mut self) {
        self.deltas.push(Vec::new());
    }

    /// A lemma.
    pub(super) fn lemma(&self, id: LemmaId) -> &Lemma {
        &self.lemmas[id.0 as usize]
    }

    /// Whether a lemma is still in use.
    pub(super) fn is_live(&self, id: LemmaId) -> bool {
        self.lemma(id).is_live
    }

    /// The lemmas whose highest level this is.
    pub(super) fn delta(&self, level: Level) -> &[LemmaId] {
        match level {
            Level::INFINITY => &self.invariants,
            _ => &self.deltas[level.index()],
        }
    }

    /// How many are in use.
    pub(super) fn len(&self) -> usize {
        self.deltas.iter().map(Vec::len).sum::<usize>() + self.invariants.len()
    }

    /// How many invariants there have been: what holds relative to them may have changed when
    /// this has.
    pub(super) fn invariants_so_far(&self) -> usize {
        self.invariants_so_far
    }

    /// The lemmas of `F_i`.
    pub(super) fn lemmas(&self, level: Level) -> impl Iterator<Item = &Lemma> {
        let from = level.finite().unwrap_or(self.deltas.len()).min(self.deltas.len());
        let ids = self.deltas[from..].iter().chain([&self.invariants]).flatten();
        ids.map(|&id| self.lemma(id))
    }

    /// A level `1 ≤ i < top` with `F_i = F_{i+1}`.
    pub(super) fn fixpoint(&self) -> Option<Level> {
        (1..self.deltas.len() - 1).find(|&i| self.deltas[i].is_empty()).map(Level::new)
    }

    /// The highest level at which one lemma excludes the whole unit, if at least `level`.
    pub(super) fn covered_up_to(
        &self,
        problem: &Problem,
        unit: &Unit,
        level: Level,
    ) -> Option<Level> {
        let covering = self.lemmas(level).filter(|lemma| lemma.unit.covers(problem, unit));
        covering.map(|lemma| lemma.level).max()
    }

    /// Adds a lemma and retires those that it makes useless. `None` if it says nothing new.
    pub(super) fn insert(
        &mut self,
        problem: &Problem,
        unit: Unit,
        level: Level,
    ) -> Option<(LemmaId, Vec<LemmaId>)> {
        if self.covered_up_to(problem, &unit, level).is_some() {
            return None;
        }
        let retired = self.retire_covered(problem, &unit, level);
        let id = LemmaId(u32::try_from(self.lemmas.len()).expect("memory ends before"));
        self.lemmas.push(Lemma { unit, level, is_live: true });
        self.enter(id, level);
        Some((id, retired))
    }

    /// Lets a lemma hold up to a higher level.
    /// Those that this makes useless are retired.
    pub(super) fn raise(&mut self, problem: &Problem, id: LemmaId, level: Level) -> Vec<LemmaId> {
        let Lemma { unit, level: from, .. } = self.lemma(id).clone();
        self.list(from).retain(|&other| other != id);
        let retired = self.retire_covered(problem, &unit, level);
        self.lemmas[id.0 as usize].level = level;
        self.enter(id, level);
        retired
    }

    fn list(&mut self, level: Level) -> &mut Vec<LemmaId> {
        match level {
            Level::INFINITY => &mut self.invariants,
            _ => &mut self.deltas[level.index()],
        }
    }

    fn enter(&mut self, id: LemmaId, level: Level) {
        self.invariants_so_far += (level == Level::INFINITY) as usize;
        self.list(level).push(id);
    }

    fn retire_covered(&mut self, problem: &Problem, unit: &Unit, level: Level) -> Vec<LemmaId> {
        let mut retired = Vec::new();
        let top = self.deltas.len() - 1;
        let Frames { lemmas, deltas, invariants, .. } = self;
        let finite = level.finite().unwrap_or(top).min(top);
        let all = deltas[..=finite].iter_mut();
        let more = (level == Level::INFINITY).then_some(invariants);
        for list in all.chain(more) {
            list.retain(|&id| {
                let lemma = &mut lemmas[id.0 as usize];
                if unit.covers(problem, &lemma.unit) {
                    lemma.is_live = false;
                    retired.push(id);
                }
                lemma.is_live
            });
        }
        retired
    }
}
