//! What PDR must know about a system. There is one implementation for bits in both directions, one
//! for words, and one for programs.
//!
//! A space keeps the trace and its solvers consistent, asks all queries, and widens sets;
//! [`Search`](super::Search) decides what to ask. The formulas are those of the forward direction;
//! Reverse PDR reads the transition relation backwards (`pdr::direction`).

use super::delta::{Inserted, LemmaId, Place, Trace};
use super::guide::Guide;
use super::index::Index;
use super::obligations::{Obligation, ObligationId, Obligations};
use super::{Level, StateSet, Stopped};
use crate::context::Context;
use crate::events::{Claim, Event, Progress};
use pedra_model::proof::Proof;
use pedra_model::trace::Trace as Counterexample;

/// The trace of a space.
pub(crate) type TraceOf<S> = Trace<<S as Lemmas>::Set, <S as Lemmas>::Index, <S as Lemmas>::Place>;
/// An obligation of a space.
pub(crate) type ObligationOf<S> =
    Obligation<<S as Lemmas>::Set, <S as Space>::Step, <S as Lemmas>::Place>;
/// The obligations of a space.
pub(crate) type ObligationsOf<S> =
    Obligations<<S as Lemmas>::Set, <S as Space>::Step, <S as Lemmas>::Place>;

/// States that lead on by a step.
pub(crate) struct Found<S: Space> {
    /// Where they are.
    pub(crate) place: S::Place,
    /// The states.
    pub(crate) set: Box<S::Set>,
    /// The step.
    pub(crate) step: S::Step,
}

/// What a query about an obligation says.
pub(crate) enum Answer<S: Space> {
    /// These states of a frame below lead into it.
    Predecessor(Found<S>),
    /// It can be excluded, and so can this set, which contains it.
    Inductive(Box<S::Set>),
    /// It has no state of the frame any more: something else was learned that excludes all of it.
    Excluded,
    /// Something was learned that excludes a part of it: the rest is to be asked about again.
    Smaller,
    /// The effort did not suffice.
    TooHard,
}

/// What is known of the start set.
pub(crate) enum Start {
    /// It is empty.
    Empty,
    /// One of its states violates this property at once.
    Violated(usize, Counterexample),
    /// It is not empty. Whether it is known that no state of it violates a property.
    Found { is_safe: bool },
}

/// What a set of states turned out to be that meets the start set.
pub(crate) enum Reached {
    /// A violation of this property.
    Violation(usize, Counterexample),
    /// What it would violate is settled.
    Settled,
    /// A part of one: this many obligations from here on are reached, and there is no more to find
    /// out about them; what follows is not yet.
    Part(usize),
    /// None, since obligations are wider than what leads to a violation: they are narrower from now
    /// on, and those that there are count no more.
    Spurious,
}

/// What an invariant excludes.
pub(crate) enum Invariant {
    /// Everything: no path begins.
    All,
    /// The sets of these lemmas.
    Lemmas(Vec<LemmaId>),
}

/// Frames with the solvers that know them: every lemma reaches both, by one way.
pub(crate) trait Lemmas {
    /// Where states are: `()` for a transition system, a location for a program.
    type Place: Place;
    /// A set of states: a cube of literals, a unit of atoms.
    type Set: ?Sized + StateSet + ToOwned;
    /// Finds lemmas that cover a set.
    type Index: Index<Self::Set>;

    /// The lemmas.
    fn trace(&self) -> &TraceOf<Self>;

    /// The lemmas, to be changed; solvers hear of it by [`Lemmas::opened`] and
    /// [`Lemmas::learned`].
    fn trace_mut(&mut self) -> &mut TraceOf<Self>;

    /// A frame was opened.
    fn opened(&mut self, context: &Context);

    /// A lemma is new in the frames above this level.
    ///
    /// # Errors
    /// If telling the solvers took more than may be spent.
    fn learned(&mut self, id: LemmaId, above: Level) -> Result<(), Stopped>;

    /// What excluding a set claims, for events.
    fn claim(&self, place: Self::Place, set: &Self::Set) -> Claim;

    /// `k++; F_k := true`
    fn open_frame(&mut self, context: &Context) {
        self.trace_mut().open();
        self.opened(context);
        context.detail(|| Event::FrameOpened { level: self.trace().top().index() });
    }

    /// `∀ 0 < j ≤ i: F_j := F_j ∧ ¬s`. The caller has shown that this keeps I1 and I4.
    fn add_lemma(
        &mut self,
        context: &Context,
        place: Self::Place,
        set: Box<Self::Set>,
        level: Level,
    ) -> Result<Option<LemmaId>, Stopped> {
        let Some(inserted) = self.trace_mut().insert(place, set, level) else { return Ok(None) };
        self.tell_inserted(context, &inserted)?;
        Ok(Some(inserted.id))
    }

    /// A lemma is new in the trace.
    fn tell_inserted(&mut self, context: &Context, inserted: &Inserted) -> Result<(), Stopped> {
        self.learned(inserted.id, inserted.covered)?;
        context.detail(|| {
            let lemma = self.trace().lemma(inserted.id);
            Event::LemmaLearned {
                lemma: inserted.id.index(),
                level: lemma.level().finite(),
                claim: self.claim(self.trace().place(inserted.id), lemma.set()),
            }
        });
        tell_retired(context, &inserted.retired, inserted.id);
        Ok(())
    }

    /// A lemma of `F_i` holds in a higher frame, too.
    fn promote_lemma(
        &mut self,
        context: &Context,
        id: LemmaId,
        level: Level,
    ) -> Result<(), Stopped> {
        let from = self.trace().lemma(id).level();
        let retired = self.trace_mut().promote(id, level);
        self.learned(id, from)?;
        context.detail(|| Event::LemmaPushed {
            lemma: id.index(),
            from: from.index(),
            to: level.finite(),
        });
        tell_retired(context, &retired, id);
        Ok(())
    }
}

/// A system, as PDR sees it.
pub(crate) trait Space: Lemmas + Sized {
    /// The inputs, or the edge, of one step.
    type Step;
    /// What others know.
    type Guide: Guide<Self::Set>;

    /// What others know.
    fn guide(&mut self) -> &mut Self::Guide;

    /// What the frontier is asked for: the bad states of each property, or, in one question,
    /// those of all (`None`).
    fn goals(&self, open: &[usize]) -> Vec<Option<usize>>;

    /// The last step that is free of violations if this frame is.
    fn safe_step(&self, level: Level) -> usize;

    /// Whether the start set must be looked at again, since others have settled properties.
    fn is_start_outdated(&self, _context: &Context) -> bool {
        false
    }

    /// Whether frames that were made for other properties would be wrong for these.
    fn is_too_small_for(&self, _open: &[usize]) -> bool {
        false
    }

    /// `Init ∧ C`
    fn check_start(&mut self, context: &Context, open: &[usize]) -> Result<Start, Stopped>;

    /// `Init ∧ C ∧ s`
    fn check_meets_start(&mut self, place: Self::Place, set: &Self::Set) -> Result<bool, Stopped>;

    /// `F_k ∧ C ∧ ¬P`
    fn find_bad(
        &mut self,
        context: &Context,
        goal: Option<usize>,
    ) -> Result<Option<Found<Self>>, Stopped>;

    /// Can the obligation, which has no state of the start set, be excluded from `F_i`?
    /// For each edge into its place: `F_{i−1} ∧ [¬s] ∧ C ∧ T ∧ s'`, where `¬s` may strengthen the
    /// source only if that is the same place (*required for soundness*).
    ///
    /// The more obligations were [too hard](Answer::TooHard) before, the more effort this one may
    /// take (*required for termination*); `None` for any effort.
    fn check_blocked(
        &mut self,
        context: &Context,
        obligation: &ObligationOf<Self>,
        level: Level,
        too_hard: Option<u32>,
    ) -> Result<Answer<Self>, Stopped>;

    /// Widens a set that can be excluded from `F_i` and contains the obligation, and adds the
    /// lemma; gives the level up to which the obligation is excluded. The heat says how stubborn
    /// the obligation is.
    fn generalize(
        &mut self,
        context: &Context,
        obligation: &ObligationOf<Self>,
        heat: f32,
        core: Box<Self::Set>,
        level: Level,
    ) -> Result<Level, Stopped>;

    /// Can a lemma be pushed? `F_i ∧ C ∧ T ⟹ ¬s'` for one of `Δ_i`. Gives a set that contains it
    /// and can be excluded up to a higher level.
    #[allow(clippy::type_complexity, reason = "a set and a level")]
    fn find_pushed(
        &mut self,
        context: &Context,
        id: LemmaId,
    ) -> Result<Option<(Box<Self::Set>, Level)>, Stopped>;

    /// After lemmas came in without a query: the largest part of the lemmas whose exclusion is
    /// inductive, if that part decides the properties.
    fn find_inductive_part(
        &mut self,
        context: &Context,
        lemmas: Vec<LemmaId>,
        properties: &[usize],
    ) -> Result<Option<Vec<LemmaId>>, Stopped>;

    /// Heuristic: a chance to take in lemmas of other engines, each by a query.
    fn take(&mut self, _context: &Context) -> Result<(), Stopped> {
        Ok(())
    }

    /// Heuristic: a chance to tell other engines what the obligations say.
    fn publish(&mut self, _obligations: &ObligationsOf<Self>) -> Result<(), Stopped> {
        Ok(())
    }

    /// `F_k` has no violation left. Heuristic: a chance to propose invariants.
    fn closed(&mut self, _context: &Context, _level: Level) -> Result<(), Stopped> {
        Ok(())
    }

    /// Which of the open properties follow from the invariants alone.
    fn find_implied(&mut self, _context: &Context, _open: &[usize]) -> Result<Vec<usize>, Stopped> {
        Ok(Vec::new())
    }

    /// Heuristic: makes the next states that are found different ones.
    fn scatter(&mut self) {}

    /// SUCCEED: the invariant is inductive and proves these properties.
    fn proof(&mut self, properties: &[usize], invariant: &Invariant) -> Proof;

    /// FAIL: the obligation has a state of the start set.
    fn find_counterexample(
        &mut self,
        obligations: &ObligationsOf<Self>,
        id: ObligationId,
    ) -> Result<Reached, Stopped>;

    /// The work so far, in units that are the same in every run.
    fn work(&self) -> u64;

    /// Where it is, but for obligations.
    fn progress(&self) -> Progress;
}

/// Says which lemmas another one has made useless.
fn tell_retired(context: &Context, retired: &[LemmaId], by: LemmaId) {
    for id in retired {
        context.detail(|| Event::LemmaRetired { lemma: id.index(), by: by.index() });
    }
}
