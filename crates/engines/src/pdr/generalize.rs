//! From a blocked cube to a lemma: drop literals as long as the clause stays inductive relative
//! to the frame below and excludes no initial state.
//!
//! `mic` (minimal inductive clause) and `down` are Bradley's; counterexamples to generalisation
//! (CTGs) are from Z. Hassan, A. R. Bradley, F. Somenzi: *Better generalization in IC3*, FMCAD
//! 2013: a predecessor that prevents a drop is itself blocked if that is easy, and otherwise the
//! cube shrinks to what it has in common with it (the join of `down`).
//!
//! Tried and removed: blocking the predecessors of CTGs as well (Y. Su, Q. Yang, Y. Ci, Z. Huang:
//! *Extended CTG generalization and dynamic adjustment of generalization strategies in IC3*, 2025),
//! 1.05 to 1.29 of the time; skipping CTGs while hardly any can be blocked, 1.0 to 1.07; blocking
//! what prevents a lemma from being pushed (three for each lemma, as in rIC3), 1.2.

use super::bits::Bits;
use super::counts::Purpose;
use super::options::{DropOrder, Generalize};
use super::relative::{Hypothesis, Induction};
use super::strategy::Strategy;
use crate::context::Context;
use crate::trace::{Guide, Level, Stopped};
use pedra_model::lit::Lit;

/// How deep blocking a counterexample to generalisation may lead to blocking others; the reference
/// implementation of IC3 has 1, too.
const CTG_DEPTH: u32 = 1;

/// How many literals are tried with a lemma of the level below.
const PREDICTIONS: usize = 4;

/// Widens cubes at work on one search.
pub(super) struct Generalizer<'r, 'a, 'c, G> {
    pub(super) bits: &'r mut Bits<'a, G>,
    pub(super) strategy: Strategy,
    pub(super) context: &'r Context<'c>,
}

impl<G: Guide<[Lit]>> Generalizer<'_, '_, '_, G> {
    /// A part of `cube` that can be excluded from `F_i` as well, as short as is easy.
    ///
    /// Pre: `¬cube` is inductive relative to `F_{i−1}` (with [`Generalize::Naive`]: no state of
    /// `F_{i−1}` has a successor in the cube), and the cube contains no initial state. Both hold
    /// for the result.
    /// Heuristic: the hint is tried first.
    pub(super) fn generalize(
        &mut self,
        obligation: &[Lit],
        mut cube: Vec<Lit>,
        hint: Option<Vec<Lit>>,
        level: Level,
    ) -> Result<Vec<Lit>, Stopped> {
        if self.bits.options.generalize == Generalize::Off {
            return Ok(cube);
        }
        if let Some(hint) = hint.filter(|hint| hint.len() < cube.len())
            && let Some(hint) = self.try_hint(&hint, level)?
        {
            cube = hint;
        }
        if self.strategy.predict
            && let Some(predicted) = self.predict(obligation, cube.len(), level)?
        {
            return Ok(predicted);
        }
        self.mic(cube, level, 0)
    }

    /// Predicts a lemma from one of the level below (Y. Su, Q. Yang, Y. Ci: *Predicting lemmas in
    /// generalization of IC3*, DAC 2024). A lemma `¬p` of `F_{i−1}` that covers the obligation was
    /// not pushed because of a step from `F_{i−1}` into `p`, to a state `t`. A literal of the
    /// obligation that is false in `t` makes a clause `¬p ∨ ¬l` which that step does not refute.
    fn predict(
        &mut self,
        obligation: &[Lit],
        length: usize,
        level: Level,
    ) -> Result<Option<Vec<Lit>>, Stopped> {
        if level <= Level::ZERO.above() {
            return Ok(None);
        }
        let frames = &self.bits.trace;
        let Some(parent) = frames.find_covering((), obligation, level.below()) else {
            return Ok(None);
        };
        let parent = frames.lemma(parent).set().to_vec();
        if parent.len() + 2 > length {
            return Ok(None);
        }
        self.bits.pin(obligation, level);
        let result = self.refine_parent(&parent, obligation, level);
        self.bits.unpin(level);
        result
    }

    /// `¬SAT([¬p ∧] F_{i−1} ∧ R ∧ p')`, and then the same with literals that were false in `t`.
    fn refine_parent(
        &mut self,
        parent: &[Lit],
        obligation: &[Lit],
        level: Level,
    ) -> Result<Option<Vec<Lit>>, Stopped> {
        let hypothesis = self.hypothesis();
        let is_new = |lit: &Lit| parent.binary_search(lit).is_err();
        let mut left: Vec<Lit> = obligation.iter().copied().filter(is_new).collect();
        // Heuristic: what lemmas needed lately comes first.
        self.bits.memory.activity.sort(&mut left);
        let mut candidate = parent.to_vec();
        for _ in 0..=PREDICTIONS {
            // ¬SAT(S_0 ∧ c) holds: `p` contains no state of the start set.
            match self.try_inductive(&candidate, level, hypothesis, Purpose::Predict)? {
                Some(Induction::Inductive(core)) => return Ok(Some(core)),
                Some(Induction::Predecessor) => {}
                None => return Ok(None),
            }
            left.retain(|&lit| self.bits.is_false_in_successor(lit, level));
            let Some(&lit) = left.first() else { return Ok(None) };
            left.remove(0);
            candidate = parent.to_vec();
            candidate.push(lit);
            candidate.sort_unstable();
        }
        Ok(None)
    }

    /// Is the hint, or a part of it, good for a lemma?
    fn try_hint(&mut self, hint: &[Lit], level: Level) -> Result<Option<Vec<Lit>>, Stopped> {
        let hypothesis = self.hypothesis();
        // ¬SAT(S_0 ∧ c): required for soundness.
        if self.bits.meets_start(hint)? || self.bits.restricts(hint) {
            return Ok(None);
        }
        // ¬SAT([¬c ∧] F_{i−1} ∧ R ∧ c')
        match self.try_inductive(hint, level, hypothesis, Purpose::Hint)? {
            Some(Induction::Inductive(core)) => Ok(Some(core)),
            _ => Ok(None),
        }
    }

    /// What a query for a lemma assumes.
    fn hypothesis(&self) -> Hypothesis {
        match self.bits.options.generalize {
            Generalize::Naive => Hypothesis::None,
            _ => Hypothesis::NotCube,
        }
    }

    /// Tries to drop each literal once, or until several in a row have failed. The depth of
    /// recursion is at most [`CTG_DEPTH`].
    fn mic(&mut self, mut cube: Vec<Lit>, level: Level, depth: u32) -> Result<Vec<Lit>, Stopped> {
        if cube.len() <= 1 {
            return Ok(cube);
        }
        let order = self.drop_order(&cube, level);
        self.bits.pin(&cube, level);
        // Literals that could not be dropped: a join that loses one has failed before.
        let mut kept: Vec<Lit> = Vec::new();
        let mut result = Ok(());
        let mut failures = 0;
        for lit in order {
            if cube.len() == 1 || cube.binary_search(&lit).is_err() {
                continue;
            }
            let smaller: Vec<Lit> = cube.iter().copied().filter(|&other| other != lit).collect();
            match self.down(smaller, level, &kept, depth) {
                Ok(Some(smaller)) => (cube, failures) = (smaller, 0),
                Ok(None) => {
                    kept.push(lit);
                    failures += 1;
                    // Heuristic: the rest is likely to be needed, too.
                    if failures == self.strategy.drop_failures {
                        break;
                    }
                }
                Err(stopped) => {
                    result = Err(stopped);
                    break;
                }
            }
        }
        self.bits.unpin(level);
        result.map(|()| cube)
    }

    /// The literals in the order in which they are tried. Heuristic.
    fn drop_order(&mut self, cube: &[Lit], level: Level) -> Vec<Lit> {
        let mut order = cube.to_vec();
        if self.bits.options.drop_order == DropOrder::Activity {
            self.bits.memory.activity.sort(&mut order);
            order.reverse();
        }
        if self.bits.options.parent_lemma && level > Level::ZERO.above() {
            // What a lemma one level below needed is likely to be needed here.
            let frames = &self.bits.trace;
            if let Some(parent) = frames.find_covering((), cube, level.below()) {
                let parent = frames.lemma(parent).set();
                order.sort_by_key(|lit| parent.binary_search(lit).is_ok());
            }
        }
        order
    }

    /// Is the cube, or a part of it that has all of `kept`, good for a lemma?
    fn down(
        &mut self,
        mut cube: Vec<Lit>,
        level: Level,
        kept: &[Lit],
        depth: u32,
    ) -> Result<Option<Vec<Lit>>, Stopped> {
        let hypothesis = self.hypothesis();
        let mut ctgs = 0;
        loop {
            // ¬SAT(S_0 ∧ c): required for soundness, for every candidate.
            if cube.is_empty() || self.bits.meets_start(&cube)? {
                return Ok(None);
            }
            // Heuristic: nor does it contain states that are known to be reached.
            if self.bits.restricts(&cube) {
                return Ok(None);
            }
            // ¬SAT([¬c ∧] F_{i−1} ∧ R ∧ c')
            match self.try_inductive(&cube, level, hypothesis, Purpose::Drop)? {
                Some(Induction::Inductive(core)) => return Ok(Some(core)),
                Some(Induction::Predecessor) if self.bits.options.ctg > 0 && depth < CTG_DEPTH => {}
                _ => return Ok(None),
            }
            let common = self.bits.common_with_predecessor(&cube, level);
            if ctgs < self.strategy.ctg && self.block_ctg(&cube, level, depth)? {
                ctgs += 1;
                continue;
            }
            // Both `c` and the predecessor must be excluded, so try what contains both.
            if !kept.iter().all(|lit| common.binary_search(lit).is_ok()) {
                return Ok(None);
            }
            // Under the hypothesis the predecessor is outside the cube; so this gets shorter.
            if common.len() == cube.len() {
                return Ok(None);
            }
            (cube, ctgs) = (common, 0);
        }
    }

    /// Excludes the predecessor that was just found from the frame where it lies, if one query
    /// shows that this is possible; says whether it did.
    fn block_ctg(&mut self, cube: &[Lit], level: Level, depth: u32) -> Result<bool, Stopped> {
        let rounds = self.bits.options.lift_rounds_of_ctg();
        let ctg = self.bits.lift_predecessor(cube, level, rounds)?.cube;
        let at = level.below();
        if at == Level::ZERO || ctg.is_empty() || self.bits.meets_start(&ctg)? {
            return Ok(false);
        }
        // ¬SAT(¬t ∧ F_{i−2} ∧ R ∧ t')
        match self.try_inductive(&ctg, at, Hypothesis::NotCube, Purpose::Ctg)? {
            Some(Induction::Inductive(core)) => {
                let lemma = self.mic(core, at, depth + 1)?;
                self.push_and_add(lemma, at)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Adds a lemma, found for a level, at the highest level where it holds, or what is left of
    /// it there; gives that level.
    pub(super) fn push_and_add(
        &mut self,
        mut lemma: Vec<Lit>,
        mut level: Level,
    ) -> Result<Level, Stopped> {
        let mut witness = None;
        let is_doomed = self.bits.dooms(&lemma);
        while self.bits.options.eager_push && !is_doomed && level < self.bits.trace.top() {
            // ¬c ∧ F_i ∧ R ⟹ ¬c'
            let above = level.above();
            match self.try_inductive(&lemma, above, Hypothesis::NotCube, Purpose::Push)? {
                Some(Induction::Inductive(core)) => (lemma, level) = (core, above),
                Some(Induction::Predecessor) => {
                    witness = self.bits.predecessor_bits(above);
                    break;
                }
                None => break,
            }
        }
        if let Some(id) = self.bits.learn(self.context, lemma, level)? {
            self.bits.note_stuck(id, witness);
        }
        Ok(level)
    }

    /// A query that is good to have but not needed: given up when it is hard.
    fn try_inductive(
        &mut self,
        cube: &[Lit],
        level: Level,
        hypothesis: Hypothesis,
        purpose: Purpose,
    ) -> Result<Option<Induction>, Stopped> {
        let limited = (purpose, self.bits.options.patience.into());
        Ok(self.bits.try_inductive(self.context, cube, level, hypothesis, limited)?)
    }
}
