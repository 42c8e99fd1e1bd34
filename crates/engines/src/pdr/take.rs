//! Takes in what other engines have published on the board of the system: lemmas, and runs. And
//! Reverse PDR publishes runs.
//!
//! A lemma `(c, i)` of another engine is a candidate for `F_j`, `j = min(i, k)`. It comes in as any
//! other lemma does: it contains no state of the start set, and `¬c` is inductive relative to
//! `F_{j−1}`, the frame of *this* search. So I1 and I4 hold whatever is on the board. The sender's
//! frames may be stronger than ours; then the query fails, and the lemma is tried one level lower,
//! or dropped.
//!
//! A run of another engine is walked, and gives samples (`samples`): states that are reached, since
//! it is this search that has reached them. Reverse PDR has such runs: all states of an obligation
//! of depth `d` are reached in exactly `d` steps, and walking back from one of them, a query for
//! each step, gives a run.

use super::Obligations;
use super::bits::Bits;
use super::counts::Purpose;
use super::evidence;
use super::relative::{Hypothesis, Induction};
use crate::context::Context;
use crate::exchange::{MAX_STEPS, Run, What};
use crate::trace::{Guide, Level, ObligationId, Stopped};
use pedra_model::lit::Lit;

/// At most one in this many queries is about notes of others. Tuning only: one in three, and only
/// lemmas of the two highest levels, were no better, within noise. See docs/design/portfolio.md.
const SHARE: u64 = 8;

/// To evaluate this many gates costs as much as a query. Estimated, not measured.
const GATES_OF_QUERY: u64 = 10_000;

/// How many runs Reverse PDR publishes when it opens a frame. Chosen, not measured.
const RUNS: usize = 16;

/// What became of a lemma of another engine.
enum Taken {
    /// It was known, or something stronger was.
    Known,
    /// It, or a part of it, is in the frames.
    Yes,
    /// It is not.
    No,
}

impl<G: Guide<[Lit]>> Bits<'_, G> {
    /// Takes in lemmas and runs as far as there are some and the budget allows. `F_0` needs none.
    pub(super) fn take_notes(&mut self, context: &Context) -> Result<(), Stopped> {
        if self.trace.top() == Level::ZERO || !self.relation.is_forward() {
            return Ok(());
        }
        // The member is away meanwhile: what is taken is not published again.
        let Some(mut member) = self.member.take_if(|member| member.has_news()) else {
            return Ok(());
        };
        let mut result = Ok(());
        while self.may_take()
            && let Some(note) = member.take()
        {
            let (level, cube) = match &note.what {
                What::Lemma { level, cube } => (*level, &**cube),
                What::Run(run) => {
                    let seed = member.counts.runs_seen;
                    let is_new = self.samples.walk(&self.relation, run, seed);
                    member.counts.runs_taken += u64::from(is_new);
                    continue;
                }
            };
            match self.take_one(context, level, cube) {
                Ok(Taken::Known) => member.counts.known += 1,
                Ok(Taken::Yes) => member.counts.taken += 1,
                Ok(Taken::No) => member.counts.dropped += 1,
                Err(stopped) => {
                    member.counts.dropped += 1;
                    result = Err(stopped);
                    break;
                }
            }
        }
        self.member = Some(member);
        result
    }

    /// Tuning only.
    fn may_take(&self) -> bool {
        let [all, taking] = self.memory.counts.share(Purpose::Take);
        SHARE * (taking + self.samples.gates() / GATES_OF_QUERY) <= all
    }

    /// Reverse: publishes runs to the deepest of the obligations that are new.
    pub(super) fn publish_runs(&mut self, obligations: &Obligations) -> Result<(), Stopped> {
        if self.relation.is_forward() {
            return Ok(());
        }
        let Some(mut member) = self.member.take() else { return Ok(()) };
        let is_wanted = |id: ObligationId| {
            let depth = obligations.get(id).depth as usize;
            obligations.number(id) >= member.told && depth <= MAX_STEPS
        };
        let ids = obligations.deepest(RUNS, is_wanted);
        member.told = obligations.total();
        let mut result = Ok(());
        for id in ids {
            let target = obligations.get(id).set.to_vec();
            match evidence::prefix(self, obligations, id, target) {
                Ok(prefix) => member.publish_run(Run::new(&prefix.initial, &prefix.inputs)),
                Err(stopped) => {
                    result = Err(stopped);
                    break;
                }
            }
        }
        self.member = Some(member);
        Ok(result?)
    }

    fn take_one(
        &mut self,
        context: &Context,
        level: Option<usize>,
        cube: &[Lit],
    ) -> Result<Taken, Stopped> {
        let top = self.trace.top();
        let level = level.map_or(top, |level| Level::new(level.min(top.index())));
        // *Required*: only these have a value in the next step.
        let transition = &self.relation.transition;
        if !cube.iter().all(|lit| transition.is_encoded(lit.var().index())) {
            return Ok(Taken::No);
        }
        if level == Level::ZERO || self.trace.find_covering((), cube, level).is_some() {
            return Ok(Taken::Known);
        }
        // ¬SAT(Init ∧ C ∧ c): required for soundness. What the guide says is a heuristic.
        if self.meets_start(cube)? || self.restricts(cube) {
            return Ok(Taken::No);
        }
        for level in [level, level.below()] {
            if level == Level::ZERO || self.trace.find_covering((), cube, level).is_some() {
                break;
            }
            // ¬SAT(¬c ∧ F_{j−1} ∧ C ∧ T ∧ c')
            let limited = (Purpose::Take, self.options.patience.into());
            let answer = self.try_inductive(context, cube, level, Hypothesis::NotCube, limited)?;
            if let Some(Induction::Inductive(core)) = answer {
                self.learn(context, core, level)?;
                return Ok(Taken::Yes);
            }
        }
        Ok(Taken::No)
    }
}
