//! The loop of PDR over any [`Space`], in the words of the lecture slides
//! *Property-Directed Reachability (a simplified version)*.
//!
//! Frames `F_0, …, F_k` over-approximate the states that are reachable in at most that many steps:
//! `F_0` is the start set, `F_i ⊆ F_{i+1}`, and the successors of `F_i` lie in `F_{i+1}`. A bad
//! state in `F_k` is a proof obligation: either a chain of predecessors leads to the start set,
//! which is a counterexample, or a lemma excludes it from `F_k`. If two neighbouring frames become
//! equal at every place, they are an inductive invariant.
//!
//! Deviations from the slides. The search is for bad states themselves rather than for states
//! before them, so that lemmas do not depend on a property and one trace serves all. `removeBad` is
//! a queue rather than a recursion, which allows for counterexamples of any length: an obligation
//! that was blocked at one level is tried again at the next.

use super::guide::Guide;
use super::obligations::{Obligation, ObligationId, Obligations};
use super::progress::SafeDepth;
use super::propagate::propagate_from;
use super::space::{Answer, Found, Invariant, ObligationsOf, Reached, Space, Start};
use super::{Level, Stopped};
use crate::context::{Context, Reason};
use crate::events::{Event, Progress};

/// Which heuristics of the loop are in use.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Policy {
    /// Whether obligations are kept and come up again at the next level.
    pub(crate) persistent: bool,
    /// Obligations that came up this often without getting ahead are forgotten until they are
    /// found again.
    pub(crate) max_activity: Option<f32>,
    /// Whether lemmas are pushed when a frame is opened.
    pub(crate) propagate: bool,
}

/// How much of its activity an obligation keeps when it was blocked (rIC3 has the same).
const ACTIVITY_DECAY: f32 = 0.6;

/// What became of an obligation.
enum Blocked {
    /// It was excluded, forgotten, or gave way to a predecessor.
    Handled,
    /// It contains a state of the start set.
    Violated,
}

/// A search for invariants and counterexamples.
pub(crate) struct Search<S: Space> {
    /// Made when the first run begins.
    space: Option<S>,
    obligations: ObligationsOf<S>,
    /// How many properties there are.
    properties: usize,
    progress: SafeDepth,
    policy: Policy,
    /// The work at which to pause.
    pause: Option<u64>,
    /// How many obligations took too much effort.
    too_hard: u32,
}

impl<S: Space> Search<S> {
    /// A search that has not begun.
    pub(crate) fn new(properties: usize, policy: Policy) -> Search<S> {
        Search {
            space: None,
            obligations: Obligations::new(),
            properties,
            progress: SafeDepth::default(),
            policy,
            pause: None,
            too_hard: 0,
        }
    }

    /// The main loop. Returns why it stopped, `None` if nothing is open.
    pub(crate) fn pdr(&mut self, context: &Context) -> Result<Option<Reason>, Stopped> {
        if !self.progress.is_started() || self.space().is_start_outdated(context) {
            self.check_start(context)?;
        }
        loop {
            let open = self.open(context);
            if open.is_empty() {
                return Ok(None);
            }
            let k = self.space().trace().top();
            let depth = self.space().safe_step(k);
            if context.is_beyond_limit(depth) {
                return Ok(Some(Reason::DepthLimit));
            }
            context.emit(|| Event::Depth { depth, progress: self.report() });
            // while (s := SAT(F_k ∧ ¬P)) removeBad(k, s)
            for goal in self.space().goals(&open) {
                if !self.progress.is_closed(goal) {
                    self.remove_all_bad(context, goal)?;
                    self.progress.close(goal);
                }
            }
            // k++; propagateClauses(k)
            self.next_frame(context)?;
            // if ∃ 0 < i < k: F_i = F_{i+1} then SUCCEED
            self.find_proofs(context)?;
        }
    }

    /// `F_k` has no violation left: opens `F_{k+1}` and pushes what holds there.
    pub(crate) fn next_frame(&mut self, context: &Context) -> Result<(), Stopped> {
        let k = self.space().trace().top();
        let step = self.space().safe_step(k);
        // What others have settled meanwhile need not be closed.
        let open = self.open(context);
        self.progress.discharge(k, step, open.clone());
        if open.is_empty() {
            // Reverse, nothing is bad any more: even a lemma that excludes everything would hold.
            return Ok(());
        }
        self.space().closed(context, k)?;
        self.space().open_frame(context);
        self.space.as_mut().expect(BEGUN).publish(&self.obligations)?;
        self.obligations.tidy(|property| open.contains(&property));
        self.progress.open_frame();
        self.space().take(context)?;
        if self.policy.propagate {
            propagate_from(self.space(), context, Level::ZERO.above())?;
        }
        Ok(())
    }

    /// SUCCEED, if a frame is inductive; or for those properties that follow from invariants.
    pub(crate) fn find_proofs(&mut self, context: &Context) -> Result<(), Stopped> {
        let open = self.open(context);
        if let Some(fixpoint) = self.space().trace().fixpoint() {
            let mut lemmas = Some(self.space().trace().lemmas_everywhere(fixpoint).collect());
            if self.space().guide().has_trusted() {
                let all = lemmas.take().unwrap_or_default();
                lemmas = self.space().find_inductive_part(context, all, &open)?;
            }
            if let Some(lemmas) = lemmas {
                self.prove(context, &open, &Invariant::Lemmas(lemmas));
            }
        }
        let open = self.open(context);
        let implied = self.space().find_implied(context, &open)?;
        let invariants = self.space().trace().lemmas_everywhere(Level::INFINITY).collect();
        self.prove(context, &implied, &Invariant::Lemmas(invariants));
        Ok(())
    }

    fn prove(&mut self, context: &Context, properties: &[usize], invariant: &Invariant) {
        if properties.is_empty() {
            return;
        }
        let proof = self.space().proof(properties, invariant);
        context.prove(properties, proof);
    }

    /// Deals with an empty start set and with states of it that are bad themselves, as far as that
    /// is asked apart.
    ///
    /// If that is interrupted, the next run begins with it: the start set may have become smaller,
    /// even empty, and nothing has checked it (*required for soundness* of lemmas).
    pub(crate) fn check_start(&mut self, context: &Context) -> Result<(), Stopped> {
        self.progress.set_started(false);
        self.look_at_start(context)?;
        self.progress.set_started(true);
        Ok(())
    }

    fn look_at_start(&mut self, context: &Context) -> Result<(), Stopped> {
        loop {
            let open = self.open(context);
            if open.is_empty() {
                return Ok(());
            }
            match self.space().check_start(context, &open)? {
                Start::Empty => {
                    self.prove(context, &open, &Invariant::All);
                    return Ok(());
                }
                Start::Violated(property, trace) => context.violate(property, trace),
                Start::Found { is_safe } => {
                    if is_safe {
                        self.progress.start_is_safe(open);
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Excludes all states of `F_k` that violate the property, or finds that one is reachable.
    pub(crate) fn remove_all_bad(
        &mut self,
        context: &Context,
        goal: Option<usize>,
    ) -> Result<(), Stopped> {
        let k = self.space().trace().top();
        loop {
            self.check_pause()?;
            self.remove_bad(context, k)?;
            if !self.is_open(context, goal) {
                return Ok(());
            }
            let Some(bad) = self.space().find_bad(context, goal)? else { return Ok(()) };
            let depth = self.space().safe_step(Level::ZERO) as u32;
            self.add_obligation(context, bad, None, goal, depth, k);
        }
    }

    /// "removeBad", as a queue: deals with all obligations at levels up to `k`.
    fn remove_bad(&mut self, context: &Context, k: Level) -> Result<(), Stopped> {
        loop {
            self.space().take(context)?;
            let Some((id, level)) = self.obligations.pop(k) else { return Ok(()) };
            let &Obligation { property, depth, .. } = self.obligations.get(id);
            if !self.is_open(context, property) {
                continue;
            }
            if let Some(later) = self.space().guide().void_until(level, depth as usize) {
                self.obligations.wait(id, later);
                continue;
            }
            let blocked = self.check_pause().and_then(|()| self.block(context, id, level));
            let handled = match blocked {
                Ok(Blocked::Handled) => Ok(()),
                Ok(Blocked::Violated) => self.fail(context, id, level),
                Err(stopped) => Err(stopped),
            };
            if handled.is_err() {
                // Nothing is lost: it waits for the next run.
                self.obligations.wait(id, level);
                return handled;
            }
        }
    }

    /// Excludes one obligation from `F_i`, or adds a predecessor.
    fn block(
        &mut self,
        context: &Context,
        id: ObligationId,
        level: Level,
    ) -> Result<Blocked, Stopped> {
        let Search { space, obligations, policy, too_hard, .. } = self;
        let space = space.as_mut().expect(BEGUN);
        let &Obligation { place, ref set, property, depth, .. } = obligations.get(id);
        // if SAT(S_0 ∧ s) then FAIL
        if space.check_meets_start(place, set)? {
            return Ok(Blocked::Violated);
        }
        let is_open = |property: Option<usize>| property.is_none_or(|p| context.is_open(p));
        if space.guide().meets(obligations.number(id), set, &is_open) {
            return Err(Stopped(Reason::Budget));
        }
        if level == Level::ZERO {
            // What was bad counts no longer, since its property is settled.
            self.retry_above(context, id, level);
            return Ok(Blocked::Handled);
        }
        if let Some(lemma) = space.trace().find_covering(place, set, level) {
            let covered = space.trace().lemma(lemma).level();
            self.retry_above(context, id, covered);
            return Ok(Blocked::Handled);
        }
        // Heuristic: a state that comes up again and again is better forgotten for now.
        let activity = obligations.activity_mut(id);
        *activity += 1.0;
        if policy.max_activity.is_some_and(|max| *activity > max) {
            return Ok(Blocked::Handled);
        }
        // t := SAT([¬s ∧] F_{i−1} ∧ R ∧ s')
        match space.check_blocked(context, obligations.get(id), level, Some(*too_hard))? {
            Answer::Predecessor(found) => {
                obligations.wait(id, level);
                self.add_obligation(context, found, Some(id), property, depth + 1, level.below());
            }
            Answer::Inductive(core) => {
                let (obligation, heat) = (obligations.get(id), obligations.heat(id));
                let reached = space.generalize(context, obligation, heat, core, level)?;
                self.retry_above(context, id, reached);
            }
            Answer::Excluded => self.retry_above(context, id, level),
            Answer::Smaller => obligations.wait(id, level),
            // Heuristic: other states may be easier, other predecessors or, every fourth time,
            // other bad states. What is forgotten is found again, with more time for it then.
            Answer::TooHard => {
                space.scatter();
                if *too_hard % 4 == 3 {
                    obligations.forget_waiting();
                }
                *too_hard += 1;
            }
        }
        Ok(Blocked::Handled)
    }

    /// Adds an obligation to the queue.
    fn add_obligation(
        &mut self,
        context: &Context,
        Found { place, set, step }: Found<S>,
        successor: Option<ObligationId>,
        property: Option<usize>,
        depth: u32,
        level: Level,
    ) {
        let obligation = Obligation { place, set, step, successor, property, depth, activity: 0.0 };
        let id = self.obligations.add(obligation, level);
        context.detail(|| Event::ObligationRaised {
            obligation: self.obligations.number(id),
            level: level.index(),
            depth: depth as usize,
            successor: successor.map(|next| self.obligations.number(next)),
            claim: self.begun().claim(place, &self.obligations.get(id).set),
        });
    }

    /// An obligation is excluded up to a level. Heuristic: it will come up again above.
    fn retry_above(&mut self, context: &Context, id: ObligationId, level: Level) {
        let (number, reached) = (self.obligations.number(id), level.finite());
        context.detail(|| Event::ObligationBlocked { obligation: number, level: reached });
        if self.policy.persistent && level != Level::INFINITY {
            *self.obligations.activity_mut(id) *= ACTIVITY_DECAY;
            self.obligations.wait(id, level.above());
        }
    }

    /// FAIL: an obligation contains a state of the start set.
    fn fail(&mut self, context: &Context, id: ObligationId, level: Level) -> Result<(), Stopped> {
        // Others may have settled what it violates.
        self.check_start(context)?;
        if !self.is_open(context, None) {
            return Ok(());
        }
        let Search { space, obligations, .. } = self;
        let found = space.as_mut().expect(BEGUN).find_counterexample(obligations, id)?;
        if obligations.get(id).property.is_none() {
            // It may violate other properties, too.
            obligations.wait(id, level);
        }
        match found {
            Reached::Violation(property, trace) => context.violate(property, trace),
            Reached::Settled => {}
            Reached::Part(length) => {
                obligations.forget_chain(id, length);
                return Ok(());
            }
            Reached::Spurious => {
                obligations.forget_waiting();
                return Ok(());
            }
        }
        self.check_start(context)
    }

    /// Whether the property still needs work; without one, whether any does.
    fn is_open(&self, context: &Context, property: Option<usize>) -> bool {
        let Some(property) = property else { return !self.open(context).is_empty() };
        context.is_open(property)
    }

    /// Ends a slice if it is time.
    fn check_pause(&self) -> Result<(), Stopped> {
        let is_over = |limit| self.work() >= limit;
        if self.pause.is_some_and(is_over) { Err(Stopped(Reason::Budget)) } else { Ok(()) }
    }

    fn space(&mut self) -> &mut S {
        self.space.as_mut().expect(BEGUN)
    }

    fn begun(&self) -> &S {
        self.space.as_ref().expect(BEGUN)
    }
}

/// What is asked of a search only while it runs.
const BEGUN: &str = "made when the first run begins";

/// The surroundings of the loop: how it begins, continues and ends.
impl<S: Space> Search<S> {
    /// Makes the space, unless it is there.
    pub(crate) fn begin(
        &mut self,
        make: impl FnOnce() -> Result<S, Stopped>,
    ) -> Result<&mut S, Stopped> {
        if self.space.is_none() {
            self.space = Some(make()?);
        }
        Ok(self.space())
    }

    /// Continues with another space, or restarts without one: frames, lemmas and obligations are
    /// gone. Answers stay, and what is known to be safe is.
    pub(crate) fn replace(&mut self, space: Option<S>) {
        self.progress.restart();
        self.obligations = Obligations::new();
        self.space = space;
    }

    /// Restarts, and only answers stay.
    pub(crate) fn forget(&mut self) {
        self.replace(None);
        self.progress.forget();
    }

    /// A run begins: if properties are open again that others had claimed to have settled, what is
    /// known does not hold for them.
    pub(crate) fn reopen(&mut self, context: &Context) {
        let open = self.open(context);
        let is_too_small = self.space.as_ref().is_some_and(|space| space.is_too_small_for(&open));
        if is_too_small || self.progress.safe_up_to().is_some() && !self.progress.is_about(&open) {
            self.progress.forget();
            if let Some(space) = &mut self.space {
                space.guide().forget_progress();
            }
        }
        if is_too_small {
            self.forget();
        }
    }

    /// Lets the search pause, between two obligations, when its [`work`](Search::work) has reached
    /// this.
    pub(crate) fn set_pause(&mut self, pause: Option<u64>) {
        self.pause = pause;
    }

    /// The work so far.
    pub(crate) fn work(&self) -> u64 {
        self.space.as_ref().map_or(0, Space::work)
    }

    /// The space, once a run has begun.
    pub(crate) fn get(&self) -> Option<&S> {
        self.space.as_ref()
    }

    /// The space, once a run has begun, with the obligations.
    pub(crate) fn parts_mut(&mut self) -> Option<(&mut S, &mut ObligationsOf<S>)> {
        Some((self.space.as_mut()?, &mut self.obligations))
    }

    /// The obligations.
    pub(crate) fn obligations(&self) -> &ObligationsOf<S> {
        &self.obligations
    }

    /// How far it is safe.
    pub(crate) fn safe(&self) -> &SafeDepth {
        &self.progress
    }

    /// How far it is safe, to be changed.
    pub(crate) fn safe_mut(&mut self) -> &mut SafeDepth {
        &mut self.progress
    }

    /// The properties that need work.
    pub(crate) fn open(&self, context: &Context) -> Vec<usize> {
        context.open(self.properties)
    }

    /// Where it is now.
    pub(crate) fn report(&self) -> Progress {
        let Some(space) = &self.space else { return Progress::default() };
        Progress { obligations: self.obligations.waiting(), ..space.progress() }
    }
}
