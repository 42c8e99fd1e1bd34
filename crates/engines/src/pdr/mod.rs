//! PDR, property-directed reachability, also known as IC3.
//!
//! - A. R. Bradley: *SAT-Based Model Checking without Unrolling*, VMCAI 2011: the algorithm;
//!   `mic` and `down` in `generalize`.
//! - N. Eén, A. Mishchenko, R. Brayton: *Efficient Implementation of Property Directed
//!   Reachability*, FMCAD 2011: δ-encoded frames and the queue of obligations
//!   (`trace`), lifting.
//! - The lecture slides *Property-Directed Reachability (a simplified version)*: the ladder from
//!   single states to the full algorithm ([`Variant`]), and the words of the main loop.
//! - Z. Hassan, A. R. Bradley, F. Somenzi, FMCAD 2013: counterexamples to generalisation.
//!
//! Frames `F_0, …, F_k` over-approximate the states that are reachable in so many steps:
//! `F_0` are the initial states, `F_i ⊆ F_{i+1}`, and the successors of `F_i` lie in `F_{i+1}`.
//! A bad state in `F_k` is a proof obligation: either a chain of predecessors leads to an
//! initial state, which is a counterexample, or a lemma excludes it from `F_k`. If two
//! neighbouring frames become equal, they are an inductive invariant.
//!
//! Deviations. The slides look for states with an edge to a bad state and have the property in
//! every frame; here bad states themselves are looked for, so that lemmas do not depend on the
//! property, one tower of frames serves all properties, and a bad state may depend on inputs.
//! `removeBad` is a queue rather than a recursion, which allows for counterexamples of any
//! length: an obligation that was blocked at one level is tried again at the next.
//!
//! Constraints hold in every query at the current step, and in the target of lifting; so each
//! state of an obligation satisfies them with the recorded inputs. They are never asked of the
//! successor: a successor without allowed inputs is merely over-approximation.
//!
//! One concept a file: `relative` (all queries;
//! owns the frame index), `initial`, `lift`, `generalize`, `propagate`, `transition` (what
//! solvers see), `solver` (which solver it is), `options`, `choices` (the options by name);
//! `direction` (Reverse PDR is the same engine), `successor` (its obligations), `evidence` (proofs
//! and traces of both); `exchange`, `foreign`, `hints` and `claims` (for fbPDR).

mod activity;
mod choices;
mod claims;
mod counts;
mod definitions;
mod direction;
mod encode;
mod evidence;
mod exchange;
mod foreign;
mod generalize;
mod hints;
mod initial;
mod lift;
mod options;
mod propagate;
mod relative;
mod share;
mod simplify;
mod solver;
mod successor;
mod transition;
mod trigger;

pub use choices::CHOICES;
pub use direction::Successors;
pub(crate) use exchange::{Meeting, QUERY_WORK};
pub use foreign::Published;
pub use options::{DropOrder, Generalize, Lift, PdrOptions, Variant};

use crate::context::{Context, Engine, Outcome, Reason};
use crate::events::{Direction, Event, Progress, Summary};
use crate::ledger::Ledger;
use crate::trace::{self, CubeIndex, Level, ObligationId, Trace};
pub use counts::{Counts, Purpose};
pub(crate) use definitions::Definitions;
use direction::{engine_name, safe_beyond};
use generalize::Generalizer;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use propagate::propagate_clauses;
use relative::{Answer, Hypothesis, Relative};
pub(crate) use simplify::simplify_relation;
pub(crate) use solver::Stopped;
pub(crate) use transition::{Horizon, Transition};

/// Lemmas that exclude cubes.
pub(crate) type Frames = Trace<[Lit], CubeIndex>;

/// A cube that leads to a violation, with the inputs of its step.
type Obligation = trace::Obligation<[Lit], Box<[Lit]>>;
type Obligations = trace::Obligations<[Lit], Box<[Lit]>>;

/// PDR for all properties of a system.
pub struct Pdr<'a> {
    system: &'a BitSystem,
    options: PdrOptions,
    direction: Direction,
    successors: Successors,
    ledger: Ledger,
    /// Made when the first run begins.
    search: Option<Search>,
    /// None of `safe` is violated at any step up to this one.
    safe_up_to: Option<usize>,
    /// The properties that were open when the last frame was closed.
    safe: Vec<usize>,
    /// Whether the start set was looked at.
    is_started: bool,
    /// The goals of the last frame that are dealt with.
    closed: Vec<Option<usize>>,
    /// The last frame whose frontier was asked and found empty.
    discharged: Option<Level>,
    /// The work at which to pause, and whether that was so.
    pause: Option<u64>,
    is_paused: bool,
    /// How many obligations took more than the patience.
    given_up: u32,
    /// fbPDR: why the run ended.
    meeting: Option<Meeting>,
    /// fbPDR: obligations of shorter counterexamples are void.
    void_up_to: Option<usize>,
    voided: u64,
    /// fbPDR: whether lemmas were taken in without a query.
    has_trusted: bool,
}

/// The state of a search.
struct Search {
    relative: Relative,
    obligations: Obligations,
}

/// What became of an obligation.
enum Blocked {
    /// It was dealt with, or gave way to a predecessor.
    Yes,
    /// It contains an initial state.
    Violated,
}

impl<'a> Pdr<'a> {
    /// An engine that has not looked at any frame yet.
    pub fn new(system: &'a BitSystem, options: PdrOptions) -> Pdr<'a> {
        Pdr::with_direction(system, options, Direction::Forward, Successors::default())
    }

    /// The same engine on the transition relation read backwards: Reverse PDR.
    pub fn reverse(system: &'a BitSystem, options: PdrOptions, successors: Successors) -> Pdr<'a> {
        Pdr::with_direction(system, options, Direction::Backward, successors)
    }

    fn with_direction(
        system: &'a BitSystem,
        options: PdrOptions,
        direction: Direction,
        successors: Successors,
    ) -> Pdr<'a> {
        let ledger = Ledger::new(system.properties().len());
        Pdr {
            system,
            options,
            direction,
            successors,
            ledger,
            search: None,
            safe_up_to: None,
            safe: Vec::new(),
            is_started: false,
            closed: Vec::new(),
            discharged: None,
            pause: None,
            is_paused: false,
            given_up: 0,
            meeting: None,
            void_up_to: None,
            voided: 0,
            has_trusted: false,
        }
    }

    /// What the run amounts to so far.
    fn summary(&self) -> Summary {
        let Some(search) = &self.search else { return Summary::default() };
        let frames = search.relative.frames();
        let levels =
            (1..=frames.top().index()).map(|level| frames.delta((), Level::new(level)).len());
        Summary {
            lemmas: levels.collect(),
            invariants: frames.delta((), Level::INFINITY).len(),
            learned: frames.total(),
            work: search.relative.counts.work(),
        }
    }

    /// Where the queries went so far.
    pub fn counts(&self) -> Counts {
        self.search.as_ref().map(|search| search.relative.counts).unwrap_or_default()
    }

    /// The main loop. Returns why it stopped, `None` if nothing is open.
    fn pdr(&mut self, context: &Context) -> Result<Option<Reason>, Stopped> {
        if !self.is_started || self.search().relative.has_settled_targets(context.settled) {
            self.check_start(context)?;
            self.is_started = true;
        }
        loop {
            let open = self.ledger.open(context);
            if open.is_empty() {
                return Ok(None);
            }
            let k = self.search().relative.top();
            let depth = k.index() + self.safe_beyond();
            if context.is_beyond_limit(depth) {
                return Ok(Some(Reason::DepthLimit));
            }
            context.emit(|| Event::Depth { depth, progress: self.progress() });
            // while (s := SAT(F_k ∧ ¬P)) removeBad(k, s)
            for goal in self.goals(&open) {
                if !self.closed.contains(&goal) {
                    self.remove_all_bad(context, goal, k)?;
                    self.closed.push(goal);
                }
            }
            // What others have settled meanwhile need not be closed.
            let closed = self.ledger.open(context);
            (self.safe_up_to, self.safe, self.discharged) = (Some(depth), closed, Some(k));
            // k++; propagateClauses(k)
            self.open_frame(context)?;
            // if ∃ 0 < i < k: F_i = F_{i+1} then SUCCEED
            if let Some(cubes) = self.find_fixpoint(context)? {
                self.succeed(context, cubes);
            }
        }
    }

    /// The cubes that an inductive frame excludes, if there is one.
    fn find_fixpoint(&mut self, context: &Context) -> Result<Option<Vec<Vec<Lit>>>, Stopped> {
        let frames = self.search().relative.frames();
        let Some(fixpoint) = frames.fixpoint() else { return Ok(None) };
        let cubes = frames.sets((), fixpoint).map(<[Lit]>::to_vec).collect();
        if self.has_trusted { self.recheck(context, cubes) } else { Ok(Some(cubes)) }
    }

    /// Deals with an empty start set and, in the reverse direction, with initial states that are
    /// bad themselves.
    fn check_start(&mut self, context: &Context) -> Result<(), Stopped> {
        loop {
            let open = self.ledger.open(context);
            if open.is_empty() {
                return Ok(());
            }
            let Search { relative, obligations } = self.search();
            relative.set_targets(&open, context);
            if !relative.check_any_start()? {
                // Forward, nothing is reachable: the invariant is false. Reverse, nothing is
                // bad: it is true, the union with the empty cube.
                self.succeed(context, vec![Vec::new()]);
                return Ok(());
            }
            if relative.direction == Direction::Forward {
                return Ok(());
            }
            match evidence::reverse_trace(relative, obligations, None)? {
                Some(trace) => {
                    self.ledger.settle(context, trace.property, Outcome::Violated(trace))
                }
                None => {
                    self.safe_up_to = self.safe_up_to.max(Some(0));
                    self.safe = open;
                    return Ok(());
                }
            }
        }
    }

    /// What the frontier is asked for: the bad states of each property, or successors of
    /// initial states.
    fn goals(&self, open: &[usize]) -> Vec<Option<usize>> {
        match self.direction {
            Direction::Forward => open.iter().copied().map(Some).collect(),
            Direction::Backward => vec![None],
        }
    }

    /// Excludes all states of `F_k` that violate the property, or finds that one is reachable.
    fn remove_all_bad(
        &mut self,
        context: &Context,
        property: Option<usize>,
        k: Level,
    ) -> Result<(), Stopped> {
        loop {
            self.check_pause()?;
            self.remove_bad(context, k)?;
            if !self.is_open(context, property) {
                return Ok(());
            }
            let rounds = self.options.lift_rounds();
            let Some(bad) = self.search().relative.find_bad(property, rounds)? else {
                return Ok(());
            };
            let obligation = Obligation {
                set: bad.cube.into(),
                step: bad.inputs.into(),
                successor: None,
                property,
                depth: self.safe_beyond() as u32,
                activity: 0.0,
            };
            self.add_obligation(context, obligation, k);
        }
    }

    /// "removeBad", as a queue: deals with all obligations at levels up to `k`.
    fn remove_bad(&mut self, context: &Context, k: Level) -> Result<(), Stopped> {
        while let Some((id, level)) = self.search().obligations.pop(k) {
            let property = self.search().obligations.get(id).property;
            if !self.is_open(context, property) {
                continue;
            }
            if self.discharge(id, level) {
                continue;
            }
            let blocked = self.check_pause().and_then(|()| self.block(context, id, level));
            let dealt_with = match blocked {
                Ok(Blocked::Yes) => Ok(()),
                Ok(Blocked::Violated) => self.fail(context, id, level),
                Err(Stopped) => Err(Stopped),
            };
            if dealt_with.is_err() {
                // Nothing is lost: it waits for the next run.
                self.search().obligations.wait(id, level);
                return Err(Stopped);
            }
        }
        Ok(())
    }

    /// Excludes one obligation from `F_i`, or adds a predecessor.
    fn block(
        &mut self,
        context: &Context,
        id: ObligationId,
        level: Level,
    ) -> Result<Blocked, Stopped> {
        let options = self.options;
        let Search { relative, obligations } = self.search.as_mut().expect("made by run");
        let cube: Vec<Lit> = obligations.get(id).set.to_vec();
        // if SAT(S_0 ∧ s) then FAIL
        if relative.check_meets_start(&cube)? {
            return Ok(Blocked::Violated);
        }
        let is_open = |property: Option<usize>| {
            property.is_none_or(|p| !context.settled.is_some_and(|board| board.is_settled(p)))
        };
        if let Some(other) = relative.foreign.meeting(&cube, is_open) {
            // fbPDR: the halves of a counterexample, for whoever has both.
            let own = obligations.number(id);
            self.meeting = Some(Meeting { own, foreign: other.clone() });
            return Err(Stopped);
        }
        if level == Level::ZERO {
            // Reverse: what was bad counts no longer, since its property is settled.
            debug_assert!(relative.direction == Direction::Backward);
            self.blocked(context, id, level);
            return Ok(Blocked::Yes);
        }
        if let Some(lemma) = relative.frames().find_covering((), &cube, level) {
            let covered = relative.frames().lemma(lemma).level();
            self.blocked(context, id, covered);
            return Ok(Blocked::Yes);
        }
        // Heuristic: a state that comes up again and again is better forgotten for now.
        let activity = obligations.activity_mut(id);
        *activity += 1.0;
        if options.is_too_active(*activity) {
            return Ok(Blocked::Yes);
        }
        let hypothesis = match options.generalize {
            Generalize::Relative => Hypothesis::NotCube,
            Generalize::Off | Generalize::Naive => Hypothesis::None,
        };
        // t := SAT([¬s ∧] F_{i−1} ∧ R ∧ s')
        // *Required for termination*: the limit grows without end, by two for each eight tries.
        let limit = (options.patience as u64) << (self.given_up / 8).min(32);
        let limited = (Purpose::Block, limit);
        match relative.try_inductive(context, &cube, level, hypothesis, limited)? {
            // Heuristic: other states may be easier, other predecessors or, every fourth time,
            // other bad states. What is forgotten is found again, with more time for it then.
            None => {
                relative.scatter();
                if self.given_up % 4 == 3 {
                    obligations.forget_waiting();
                }
                self.given_up += 1;
            }
            Some(Answer::Predecessor) => {
                let found = relative.lift_predecessor(&cube, level, options.lift_rounds())?;
                let Obligation { property, depth, .. } = *obligations.get(id);
                let predecessor = Obligation {
                    set: found.cube.into(),
                    step: found.inputs.into(),
                    successor: Some(id),
                    property,
                    depth: depth + 1,
                    activity: 0.0,
                };
                obligations.wait(id, level);
                self.add_obligation(context, predecessor, level.below());
            }
            Some(Answer::Inductive(core)) => {
                let core = if options.generalize == Generalize::Off { cube.clone() } else { core };
                let ctg = options.ctg_at(obligations.heat(id));
                let depth = obligations.get(id).depth as usize;
                let hint = relative.hints.part(&cube, &core, depth);
                let mut generalizer = Generalizer { relative, options: &options, ctg, context };
                let lemma = generalizer.generalize(core, hint, level)?;
                let reached = generalizer.push_and_add(lemma, level)?;
                self.blocked(context, id, reached);
            }
        }
        Ok(Blocked::Yes)
    }

    /// Adds an obligation to the queue.
    fn add_obligation(&mut self, context: &Context, obligation: Obligation, level: Level) {
        let Search { relative, obligations } = self.search();
        let id = obligations.add(obligation, level);
        context.detail(|| {
            let Obligation { set, successor, depth, .. } = obligations.get(id);
            Event::ObligationRaised {
                obligation: obligations.number(id),
                level: level.index(),
                depth: *depth as usize,
                successor: successor.map(|next| obligations.number(next)),
                claim: relative.transition.system_clause(set).into(),
            }
        });
    }

    /// An obligation is excluded up to a level. Heuristic: it will come up again above.
    fn blocked(&mut self, context: &Context, id: ObligationId, level: Level) {
        let number = self.search().obligations.number(id);
        let reached = level.finite();
        context.detail(|| Event::ObligationBlocked { obligation: number, level: reached });
        if self.options.persistent {
            let obligations = &mut self.search().obligations;
            *obligations.activity_mut(id) *= 0.6;
            obligations.wait(id, level.above());
        }
    }

    /// Opens the next frame and pushes what holds there.
    fn open_frame(&mut self, context: &Context) -> Result<(), Stopped> {
        let options = self.options;
        let open = self.ledger.open(context);
        let Search { relative, obligations } = self.search();
        relative.open_frame(context);
        obligations.tidy(|property| open.contains(&property));
        self.closed.clear();
        let Search { relative, .. } = self.search();
        if options.propagate {
            propagate_clauses(relative, context)?;
        }
        Ok(())
    }

    /// SUCCEED: the cubes are excluded by an inductive invariant that has no bad state.
    fn succeed(&mut self, context: &Context, cubes: Vec<Vec<Lit>>) {
        let open = self.ledger.open(context);
        if !open.is_empty() {
            self.prove(context, open, &cubes);
        }
    }

    fn prove(&mut self, context: &Context, properties: Vec<usize>, cubes: &[Vec<Lit>]) {
        let system = self.system;
        let relative = &self.search().relative;
        let proof = evidence::proof(system, relative, properties.clone(), cubes);
        for property in properties {
            self.ledger.settle(context, property, Outcome::Proved(proof.clone()));
        }
    }

    /// FAIL: an obligation contains a state of the start set.
    fn fail(&mut self, context: &Context, id: ObligationId, level: Level) -> Result<(), Stopped> {
        // Reverse: others may have settled what it violates.
        self.check_start(context)?;
        if !self.is_open(context, None) {
            return Ok(());
        }
        let Search { relative, obligations } = self.search();
        let trace = match relative.direction {
            Direction::Forward => evidence::forward_trace(relative, obligations, id).map(Some),
            Direction::Backward => evidence::reverse_trace(relative, obligations, Some(id)),
        };
        if relative.direction == Direction::Backward && trace.is_ok() {
            // It may violate other properties, too.
            obligations.wait(id, level);
        }
        if let Some(trace) = trace? {
            self.ledger.settle(context, trace.property, Outcome::Violated(trace));
        }
        self.check_start(context)
    }

    /// Whether the property still needs work; without one, whether any does.
    fn is_open(&self, context: &Context, property: Option<usize>) -> bool {
        let Some(property) = property else { return !self.ledger.open(context).is_empty() };
        let elsewhere = context.settled.is_some_and(|board| board.is_settled(property));
        !self.ledger.is_settled(property) && !elsewhere
    }

    /// Makes the search, or lets it go on.
    fn begin(&mut self, context: &Context) -> Result<(), Stopped> {
        let Pdr { system, options, direction, successors, .. } = *self;
        if self.search.is_none() {
            let relative = Relative::new(system, &options, direction, successors, context)?;
            self.search = Some(Search { relative, obligations: Obligations::new() });
        }
        self.search().relative.set_interrupt(&context.interrupt);
        Ok(())
    }

    fn search(&mut self) -> &mut Search {
        self.search.as_mut().expect("made when the first run begins")
    }

    /// How many steps beyond its number a closed frame is free of violations.
    fn safe_beyond(&self) -> usize {
        safe_beyond(self.direction)
    }
}

impl Engine for Pdr<'_> {
    fn name(&self) -> &'static str {
        engine_name(self.direction)
    }

    fn run(&mut self, context: &Context) -> Vec<Outcome> {
        let open = self.ledger.open(context);
        context.emit(|| Event::Started { engine: self.name(), open: open.len() });
        if self.direction != Direction::default() {
            context.detail(|| Event::Turned { direction: self.direction });
        }
        let is_beyond = |search: &Search| search.relative.is_beyond_targets(&open);
        let was_looked_at = |property| self.safe.contains(property);
        if self.search.as_ref().is_some_and(is_beyond)
            || self.safe_up_to.is_some() && !open.iter().all(was_looked_at)
        {
            // Somebody claimed to have settled it in the last run, and does no longer.
            self.safe_up_to = None;
            self.closed.clear();
            (self.is_started, self.discharged, self.void_up_to) = (false, None, None);
            self.search.take_if(|search| search.relative.is_beyond_targets(&open));
        }
        let reason = match self.begin(context).and_then(|()| self.pdr(context)) {
            Ok(reason) => reason.unwrap_or(Reason::SettledElsewhere),
            Err(Stopped) if self.is_paused => Reason::Budget,
            Err(Stopped) => Reason::Interrupted,
        };
        context.emit(|| Event::Summary(self.summary()));
        let open = self.ledger.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        self.ledger.outcomes(context, reason, self.safe_up_to)
    }

    fn progress(&self) -> Progress {
        let Some(Search { relative, obligations }) = &self.search else {
            return Progress::default();
        };
        let stats = relative.stats();
        Progress {
            depth: relative.top().index(),
            frames: relative.top().index() + 1,
            lemmas: relative.frames().len(),
            obligations: obligations.waiting(),
            queries: stats.queries,
            conflicts: stats.conflicts,
        }
    }
}
