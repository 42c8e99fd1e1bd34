//! Takes in lemmas that other engines have published on the board of the system.
//!
//! A lemma `(c, i)` of another engine is a candidate for `F_j`, `j = min(i, k)`. It comes in as any
//! other lemma does: it contains no state of the start set, and `¬c` is inductive relative to
//! `F_{j−1}`, the frame of *this* search. So I1 and I4 hold whatever is on the board. The sender's
//! frames may be stronger than ours; then the query fails, and the lemma is tried one level lower,
//! or dropped.

use super::bits::Bits;
use super::counts::Purpose;
use super::relative::{Hypothesis, Induction};
use crate::context::Context;
use crate::exchange::Note;
use crate::trace::{Guide, Level, Stopped};
use pedra_model::lit::Lit;

/// At most one in this many queries is about lemmas of others. Tuning only: one in three, and only
/// lemmas of the two highest levels, were no better, within noise. See docs/design/portfolio.md.
const SHARE: u64 = 8;

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
    /// Takes in lemmas as far as there are some and the budget allows. `F_0` needs none.
    pub(super) fn take_lemmas(&mut self, context: &Context) -> Result<(), Stopped> {
        if self.trace.top() == Level::ZERO {
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
            match self.take_one(context, &note) {
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
        SHARE * taking <= all
    }

    fn take_one(&mut self, context: &Context, note: &Note) -> Result<Taken, Stopped> {
        let (top, cube) = (self.trace.top(), &*note.cube);
        let level = note.level.map_or(top, |level| Level::new(level.min(top.index())));
        if level == Level::ZERO || self.trace.find_covering((), cube, level).is_some() {
            return Ok(Taken::Known);
        }
        // *Required*: only these have a value in the next step.
        let transition = &self.relation.transition;
        if !cube.iter().all(|lit| transition.is_encoded(lit.var().index())) {
            return Ok(Taken::No);
        }
        // ¬SAT(Init ∧ C ∧ c): required for soundness. What the guide says is a heuristic.
        if self.meets_start(cube)? || self.guide.restricts(cube) {
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
