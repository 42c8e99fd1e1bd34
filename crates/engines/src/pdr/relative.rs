//! All queries relative to frames. This file owns the index arithmetic: whoever asks whether a
//! cube can be excluded from `F_i` names `i`, and only here is it known that `F_{i−1}` answers.
//!
//! Each frame has its own solver with the definitions, the constraints `C`, and the lemmas of
//! the frame; that of `F_0` has the initial states besides. [`Relative`] keeps the solvers and
//! the store of lemmas in agreement:
//!
//! - I1: `Init ∧ C ⟹ F_i`;
//! - I2: `F_i ⟹ F_{i+1}`;
//! - I4: `F_i ∧ C ∧ T ⟹ F'_{i+1}`.
//!
//! The property is in no frame (`F_k` is asked for bad states instead), so lemmas serve all
//! properties.
//!
//! Formulas and words are those of the forward direction; see `direction` for what they stand
//! for in the other one. The difference is in three places: [`Relative::assumed`] and
//! [`Relative::framed`] (which side of a step a cube is on), the start set, and the frontier.

use super::Frames;
use super::activity::Activity;
use super::counts::{Counts, Purpose};
use super::direction::Successors;
use super::foreign::Foreign;
use super::hints::Hints;
use super::initial::Initial;
use super::lift::{Goal, Lifted, Lifter};
use super::options::{DropOrder, PdrOptions};
use super::solver::{FrameSolver, SolverMaker, Stopped};
use super::successor::Simulator;
use super::transition::{Step, Transition};
use super::trigger::{StateBits, Triggers};
use crate::context::Context;
use crate::events::{Direction, Event};
use crate::ledger::SettledBoard;
use crate::trace::{CubeIndex, LemmaId, Level};
use pedra_model::bits::BitSystem;
use pedra_model::lit::{Lit, Var};
use pedra_model::random::Random;
use pedra_model::value::Ternary;
use pedra_solve::{Interrupt, SatStats};
use std::time::Instant;

/// What a query for induction says.
pub(super) enum Answer {
    /// The clause is inductive relative to the frame below, and so is this part of it, which
    /// excludes no initial state either.
    Inductive(Vec<Lit>),
    /// A state of the frame below has a successor in the cube; the solver of that frame holds
    /// it, see [`Relative::lift_predecessor`].
    Predecessor,
}

/// Whether a query assumes the clause itself.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Hypothesis {
    /// `F ∧ T ∧ c'`
    None,
    /// `¬c ∧ F ∧ T ∧ c'`
    NotCube,
}

/// A bad state, see [`Relative::find_bad_state`].
pub(super) struct BadState {
    pub(super) property: usize,
    /// As far as it matters.
    pub(super) step: Step,
    /// One value a latch.
    pub(super) latches: Vec<Ternary>,
}

/// The frames with their solvers.
pub(super) struct Relative {
    pub(super) direction: Direction,
    pub(super) transition: Transition,
    maker: SolverMaker,
    /// By level.
    solvers: Vec<FrameSolver>,
    /// How many lemmas each solver was given.
    given: Vec<usize>,
    /// The definitions and `C`, to be copied.
    base: FrameSolver,
    lifter: Lifter,
    initial: Initial,
    reverse: Option<Reverse>,
    /// What the other direction has told.
    pub(super) foreign: Foreign,
    pub(super) hints: Hints,
    frames: Frames,
    pub(super) activity: Activity,
    by_activity: bool,
    pub(super) random: Random,
    /// The work of solvers that are no more.
    past: SatStats,
    primed: Vec<Lit>,
    pub(super) counts: Counts,
    triggers: Option<Triggers>,
}

/// What only the reverse direction needs.
struct Reverse {
    /// The properties that count as violated.
    targets: Vec<usize>,
    /// `C ∧ bad`, where `bad` is the disjunction over the targets.
    start: FrameSolver,
    simulator: Simulator,
}

impl Relative {
    /// Only `F_0` is open. This can take seconds for millions of gates, so it listens to the
    /// interrupt.
    pub(super) fn new(
        system: &BitSystem,
        options: &PdrOptions,
        direction: Direction,
        successors: Successors,
        context: &Context,
    ) -> Result<Self, Stopped> {
        let (maker, transition) = SolverMaker::new(options, system, direction, context)?;
        // From here on it is copies of what there is; each is quick by itself.
        let go_on = || if context.interrupt.is_raised() { Err(Stopped) } else { Ok(()) };
        let num_vars = transition.state_vars().end;
        let mut base = maker.make(context);
        for &constraint in &transition.constraints {
            base.add_clause(&[constraint]);
        }
        go_on()?;
        let lifter = Lifter { solver: maker.make(context) };
        go_on()?;
        let reverse = (direction == Direction::Backward).then(|| Reverse {
            targets: Vec::new(),
            start: maker.make(context),
            simulator: Simulator::new(system, &transition, successors),
        });
        let mut relative = Relative {
            direction,
            initial: Initial::new(&transition, direction),
            reverse,
            foreign: Foreign::default(),
            hints: Hints::default(),
            transition,
            maker,
            solvers: Vec::new(),
            given: Vec::new(),
            base,
            lifter,
            frames: Frames::new([CubeIndex::new(num_vars)]),
            activity: Activity::new(num_vars, context.seed),
            random: Random::new(context.seed),
            by_activity: options.drop_order == DropOrder::Activity,
            past: SatStats::default(),
            primed: Vec::new(),
            counts: Counts::default(),
            triggers: options.triggered_push.then(Triggers::default),
        };
        go_on()?;
        let f0 = relative.make_solver(Level::ZERO, context);
        relative.solvers.push(f0);
        relative.given.push(0);
        Ok(relative)
    }

    /// The lemmas.
    pub(super) fn frames(&self) -> &Frames {
        &self.frames
    }

    /// The highest frame.
    pub(super) fn top(&self) -> Level {
        self.frames.top()
    }

    /// `k++; F_k := true`
    pub(super) fn open_frame(&mut self, context: &Context) {
        self.frames.open();
        let level = self.top();
        let solver = self.make_solver(level, context);
        self.solvers.push(solver);
        self.given.push(0);
        // Heuristic: retired lemmas stay in solvers; when they are the majority, start afresh.
        let mut lemmas = 0;
        for level in (1..level.index()).rev().map(Level::new) {
            lemmas += self.frames.delta((), level).len();
            if self.given[level.index()] > 2 * lemmas + 500 {
                self.renew(level, context);
            }
        }
        if let Some(triggers) = &mut self.triggers {
            triggers.tidy(&self.frames);
        }
        context.detail(|| Event::FrameOpened { level: self.top().index() });
    }

    /// A solver with the lemmas of a frame.
    fn make_solver(&self, level: Level, context: &Context) -> FrameSolver {
        let mut solver = self.base.try_clone().unwrap_or_else(|| {
            let mut solver = self.maker.make(context);
            for &constraint in &self.transition.constraints {
                solver.add_clause(&[constraint]);
            }
            solver
        });
        if level == Level::ZERO {
            // It needs no lemma.
            self.add_start(&mut solver);
            return solver;
        }
        for cube in self.frames.sets((), level) {
            solver.add_clause(&self.frame_clause(cube));
        }
        solver
    }

    /// `F_0`: forward `Init`; reverse `C' ∧ bad'`, for inputs of the second step.
    fn add_start(&self, solver: &mut FrameSolver) {
        let units = match &self.reverse {
            None => &self.transition.init,
            Some(reverse) => {
                let bads = reverse.targets.iter().map(|&p| self.transition.bads_after[p]);
                solver.add_clause(&bads.collect::<Vec<Lit>>());
                &self.transition.constraints_after
            }
        };
        units.iter().for_each(|&lit| solver.add_clause(&[lit]));
    }

    /// Reverse: these properties are the ones that count from now on. Says whether anything
    /// changed.
    ///
    /// *Required for soundness*: fewer than before (frames stay over-approximations then), or
    /// the first call.
    pub(super) fn set_targets(&mut self, targets: &[usize], context: &Context) -> bool {
        let Some(reverse) = self.reverse.as_mut().filter(|r| r.targets != targets) else {
            return false;
        };
        reverse.targets = targets.to_vec();
        reverse.start = self.maker.make(context);
        for &constraint in &self.transition.constraints {
            reverse.start.add_clause(&[constraint]);
        }
        let bads: Vec<Lit> = targets.iter().map(|&p| self.transition.bads[p]).collect();
        reverse.start.add_clause(&bads);
        self.renew(Level::ZERO, context);
        true
    }

    /// Reverse: whether a target is settled by others.
    pub(super) fn has_settled_targets(&self, board: Option<&SettledBoard>) -> bool {
        let targets = self.reverse.iter().flat_map(|reverse| &reverse.targets);
        board.is_some_and(|board| targets.into_iter().any(|&p| board.is_settled(p)))
    }

    /// Whether frames made for the present targets would be wrong for these.
    pub(super) fn is_beyond_targets(&self, properties: &[usize]) -> bool {
        let reverse = self.reverse.as_ref().filter(|reverse| !reverse.targets.is_empty());
        reverse.is_some_and(|reverse| !properties.iter().all(|p| reverse.targets.contains(p)))
    }

    /// The side of a step on which a cube is asked for: `c'`, reverse `c`.
    #[inline]
    fn assumed(&self, lit: Lit) -> Lit {
        match self.direction {
            Direction::Forward => self.transition.primed(lit),
            Direction::Backward => lit,
        }
    }

    /// The side of a step that lies in a frame: `c`, reverse `c'`.
    #[inline]
    fn framed(&self, lit: Lit) -> Lit {
        match self.direction {
            Direction::Forward => lit,
            Direction::Backward => self.transition.primed(lit),
        }
    }

    /// The clause of a frame that excludes a cube.
    fn frame_clause(&self, cube: &[Lit]) -> Vec<Lit> {
        cube.iter().map(|&lit| !self.framed(lit)).collect()
    }

    /// The solver that knows which states are in the start set.
    fn start(&mut self) -> &mut FrameSolver {
        match &mut self.reverse {
            None => &mut self.solvers[0],
            Some(reverse) => &mut reverse.start,
        }
    }

    fn renew(&mut self, level: Level, context: &Context) {
        let solver = self.make_solver(level, context);
        let old = std::mem::replace(&mut self.solvers[level.index()], solver);
        let work = old.stats();
        self.past.queries += work.queries;
        self.past.conflicts += work.conflicts;
        self.past.propagations += work.propagations;
        self.given[level.index()] = self.frames.sets((), level).count();
    }

    /// Is the start set not empty? `Init ∧ C`, reverse `C ∧ bad`
    pub(super) fn check_any_start(&mut self) -> Result<bool, Stopped> {
        self.start().solve(&[], None)
    }

    /// Does a cube contain a state of the start set: an initial state, reverse a bad one?
    pub(super) fn check_meets_start(&mut self, cube: &[Lit]) -> Result<bool, Stopped> {
        self.counts.initial += 1;
        match &mut self.reverse {
            None => self.initial.check_meets(&mut self.solvers[0], cube),
            Some(reverse) => self.initial.check_meets(&mut reverse.start, cube),
        }
    }

    /// An initial state in the cube: one value a latch.
    pub(super) fn find_initial_state(&mut self, cube: &[Lit]) -> Result<Vec<Ternary>, Stopped> {
        // Init ∧ C ∧ cube
        let meets = self.solvers[0].solve(cube, None)?;
        assert!(meets, "the cube was seen to contain an initial state");
        Ok(self.transition.latch_values(&self.solvers[0]))
    }

    /// Reverse: a bad state in the cube (or, if that is `Init`, an initial bad state), with its
    /// inputs, and the property that it violates.
    pub(super) fn find_bad_state(&mut self, cube: &[Lit]) -> Result<Option<BadState>, Stopped> {
        let reverse = self.reverse.as_mut().expect("asked in the reverse direction only");
        // cube ∧ C ∧ bad, for each target, so that the model shows why it is bad
        let mut violated = None;
        for &property in &reverse.targets {
            let goal = [cube, &[self.transition.bads[property]]].concat();
            if reverse.start.solve(&goal, None)? {
                violated = Some(property);
                break;
            }
        }
        let Some(property) = violated else { return Ok(None) };
        let step = self.transition.step_of(&reverse.start);
        let latches = self.transition.latch_values(&reverse.start);
        Ok(Some(BadState { property, step, latches }))
    }

    /// A step from a cube (or from `Init`) into another one that is known to exist.
    pub(super) fn find_step(
        &mut self,
        from: &[Lit],
        into: &[Lit],
    ) -> Result<(Step, Vec<Ternary>), Stopped> {
        let primed = into.iter().map(|&lit| self.transition.primed(lit));
        let constraints = self.transition.constraints.iter().copied();
        let assumptions: Vec<Lit> = from.iter().copied().chain(constraints).chain(primed).collect();
        // from ∧ C ∧ T ∧ into'
        let exists = self.lifter.solver.solve(&assumptions, None)?;
        assert!(exists, "every state of an obligation has a state before it");
        let solver = &self.lifter.solver;
        Ok((self.transition.step_of(solver), self.transition.latch_values(solver)))
    }

    /// The frontier. Forward, `s := SAT(F_k ∧ C ∧ ¬P)`: states of the last frame that are bad;
    /// reverse, `s := SAT(Init ∧ C ∧ T ∧ F'_k)`: a successor of an initial state in it.
    pub(super) fn find_bad(
        &mut self,
        property: Option<usize>,
        rounds: u32,
    ) -> Result<Option<Lifted>, Stopped> {
        let goal = self.frontier(property);
        let (top, start) = (self.top(), Instant::now());
        let found = self.solvers[top.index()].solve(&goal, None)?;
        self.counts.add(Purpose::Bad, !found, start);
        if !found {
            return Ok(None);
        }
        match &mut self.reverse {
            None => {
                let property = property.expect("forward it is asked about one");
                self.lift_model(top, Goal::Bad(property), rounds).map(Some)
            }
            Some(reverse) => {
                let model = &self.solvers[top.index()];
                Ok(Some(reverse.simulator.successor(&self.transition, model, None)))
            }
        }
    }

    /// What is asked of the last frame.
    fn frontier(&self, property: Option<usize>) -> Vec<Lit> {
        match property {
            Some(property) => vec![self.transition.bads[property]],
            None => self.transition.init.clone(),
        }
    }

    /// Can the cube, which contains no initial state, be excluded from `F_i`?
    ///
    /// `[¬c ∧] F_{i−1} ∧ C ∧ T ⟹ ¬c'`
    pub(super) fn check_inductive(
        &mut self,
        context: &Context,
        cube: &[Lit],
        level: Level,
        hypothesis: Hypothesis,
        purpose: Purpose,
    ) -> Result<Answer, Stopped> {
        let answer = self.try_inductive(context, cube, level, hypothesis, (purpose, 0))?;
        Ok(answer.expect("there is no limit"))
    }

    /// The same with at most so many conflicts (0: any number). `None` if these did not do.
    pub(super) fn try_inductive(
        &mut self,
        context: &Context,
        cube: &[Lit],
        level: Level,
        hypothesis: Hypothesis,
        (purpose, limit): (Purpose, u64),
    ) -> Result<Option<Answer>, Stopped> {
        let mut primed = std::mem::take(&mut self.primed);
        primed.clear();
        primed.extend_from_slice(cube);
        if self.by_activity {
            // Heuristic: what is assumed first is more likely to be in the core.
            self.activity.sort(&mut primed);
        }
        let not_cube = self.frame_clause(cube);
        for lit in &mut primed {
            *lit = self.assumed(*lit);
        }
        let below = level.below();
        if self.solvers[below.index()].is_worn() {
            self.renew(below, context);
        }
        let solver = &mut self.solvers[below.index()];
        // In F_0 the hypothesis holds anyway (reverse: no state of the cube is bad).
        let assume = hypothesis == Hypothesis::NotCube && level != Level::ZERO.above();
        let start = Instant::now();
        let answer = solver.solve_within(limit, &primed, assume.then_some(&not_cube));
        self.primed = primed;
        self.counts.add(purpose, answer == Ok(Some(false)), start);
        match answer? {
            Some(false) => {}
            Some(true) => return Ok(Some(Answer::Predecessor)),
            None => return Ok(None),
        }
        let solver = &self.solvers[below.index()];
        let failed = |lit: &Lit| solver.is_failed(self.assumed(*lit));
        let mut core: Vec<Lit> = cube.iter().copied().filter(failed).collect();
        let start = match &mut self.reverse {
            None => &mut self.solvers[0],
            Some(reverse) => &mut reverse.start,
        };
        self.initial.exclude(start, &mut core, cube)?;
        self.foreign.separate(&mut core, cube);
        Ok(Some(Answer::Inductive(core)))
    }

    /// The states around the last [`Answer::Predecessor`] that go into the cube; reverse, the
    /// states to which it goes.
    pub(super) fn lift_predecessor(
        &mut self,
        cube: &[Lit],
        level: Level,
        rounds: u32,
    ) -> Result<Lifted, Stopped> {
        if let Some(reverse) = &mut self.reverse {
            let model = &self.solvers[level.below().index()];
            return Ok(reverse.simulator.successor(&self.transition, model, Some(cube)));
        }
        self.lift_model(level.below(), Goal::Cube(cube), rounds)
    }

    /// The literals of the cube that hold in the last [`Answer::Predecessor`].
    pub(super) fn common_with_predecessor(&self, cube: &[Lit], level: Level) -> Vec<Lit> {
        let solver = &self.solvers[level.below().index()];
        let holds = |&lit: &Lit| solver.value(self.framed(lit)) == Some(true);
        cube.iter().copied().filter(holds).collect()
    }

    /// The state of the last [`Answer::Predecessor`], if [`note_stuck`](Relative::note_stuck)
    /// has a use for it.
    pub(super) fn predecessor_bits(&self, level: Level) -> Option<StateBits> {
        self.triggers.as_ref()?;
        let solver = &self.solvers[level.below().index()];
        let vars = self.transition.state_vars();
        let encoded = vars.clone().filter(|&var| self.transition.is_encoded(var));
        let known = encoded.filter_map(|var| {
            let value = solver.value(self.framed(Var::new(var).lit()))?;
            Some(Lit::new(Var::new(var), !value))
        });
        Some(StateBits::new(vars.end, known))
    }

    /// Notes why a lemma could not be pushed from its level.
    pub(super) fn note_stuck(&mut self, id: LemmaId, state: Option<StateBits>) {
        if let (Some(triggers), Some(state)) = (&mut self.triggers, state) {
            triggers.note(id, self.frames.lemma(id).level(), state);
        }
    }

    /// Whether it is known that a lemma cannot be pushed from its level.
    pub(super) fn is_stuck(&mut self, id: LemmaId) -> bool {
        let level = self.frames.lemma(id).level();
        let triggers = self.triggers.as_mut();
        triggers.is_some_and(|triggers| triggers.is_stuck(&self.frames, id, level))
    }

    fn lift_model(&mut self, at: Level, target: Goal, rounds: u32) -> Result<Lifted, Stopped> {
        let Relative { lifter, transition, solvers, activity, by_activity, counts, .. } = self;
        let (before, start) = (lifter.solver.stats().queries, Instant::now());
        let order = |cube: &mut Vec<Lit>| {
            counts.lifted[0] += cube.len() as u64;
            if *by_activity {
                activity.sort(cube);
            }
        };
        let lifted = lifter.lift(transition, &solvers[at.index()], target, rounds, order)?;
        self.counts.lifts += lifter.solver.stats().queries - before;
        self.counts.lifting += start.elapsed();
        self.counts.lifted[1] += lifted.cube.len() as u64;
        Ok(lifted)
    }

    /// Prepares the solver for many queries about parts of a cube at this level.
    pub(super) fn pin(&mut self, cube: &[Lit], level: Level) {
        let primed = cube.iter().map(|&lit| self.transition.primed(lit));
        let lits: Vec<Lit> = cube.iter().copied().chain(primed).collect();
        self.solvers[level.below().index()].pin(&lits);
    }

    /// Ends [`pin`](Relative::pin).
    pub(super) fn unpin(&mut self, level: Level) {
        self.solvers[level.below().index()].unpin();
    }

    /// `∀ 0 < j ≤ i: F_j := F_j ∧ ¬c`. The caller has shown that this keeps I1 and I4.
    pub(super) fn add_lemma(
        &mut self,
        context: &Context,
        cube: Vec<Lit>,
        level: Level,
    ) -> Option<LemmaId> {
        debug_assert!(self.check_meets_start(&cube) != Ok(true), "a lemma excludes initial states");
        self.activity.learn(&cube);
        let inserted = self.frames.insert((), cube.into(), level)?;
        self.tell_solvers(inserted.id, inserted.covered);
        context.detail(|| Event::LemmaLearned {
            lemma: inserted.id.index(),
            level: level.finite(),
            claim: self.transition.system_clause(self.frames.lemma(inserted.id).set()).into(),
        });
        tell_retired(context, &inserted.retired, inserted.id);
        Some(inserted.id)
    }

    /// `F_{i+1} := F_{i+1} ∧ ¬c` for a lemma of `F_i`.
    pub(super) fn promote_lemma(&mut self, context: &Context, id: LemmaId, level: Level) {
        let from = self.frames.lemma(id).level();
        let retired = self.frames.promote(id, level);
        self.tell_solvers(id, from);
        context.detail(|| Event::LemmaPushed {
            lemma: id.index(),
            from: from.index(),
            to: level.finite(),
        });
        tell_retired(context, &retired, id);
    }

    /// Adds a lemma to the solvers above `covered`.
    fn tell_solvers(&mut self, id: LemmaId, covered: Level) {
        if let Some(triggers) = &mut self.triggers {
            triggers.strengthened(id);
        }
        let lemma = self.frames.lemma(id);
        let clause = self.frame_clause(lemma.set());
        let last = lemma.level().min(self.frames.top());
        for level in covered.above().index()..=last.index() {
            self.solvers[level].add_clause(&clause);
            self.given[level] += 1;
        }
    }

    /// The largest part of the cubes whose exclusion is inductive, if that part decides the
    /// properties: as long as `⋀¬c ∧ C ∧ T ⟹ ¬d'` fails for one `d` of them, it is left out. All
    /// cubes are known to contain no state of the start set.
    pub(super) fn find_inductive_part(
        &mut self,
        context: &Context,
        mut cubes: Vec<Vec<Lit>>,
        properties: &[usize],
    ) -> Result<Option<Vec<Vec<Lit>>>, Stopped> {
        loop {
            let mut solver = self.maker.make(context);
            for &constraint in &self.transition.constraints {
                solver.add_clause(&[constraint]);
            }
            for cube in &cubes {
                solver.add_clause(&self.frame_clause(cube));
            }
            let mut kept = Vec::with_capacity(cubes.len());
            for cube in &cubes {
                let assumed: Vec<Lit> = cube.iter().map(|&lit| self.assumed(lit)).collect();
                if !solver.solve(&assumed, None)? {
                    kept.push(cube.clone());
                }
            }
            if kept.len() < cubes.len() {
                cubes = kept;
                continue;
            }
            for &property in properties {
                let is_forward = self.direction == Direction::Forward;
                if solver.solve(&self.frontier(is_forward.then_some(property)), None)? {
                    return Ok(None);
                }
            }
            return Ok(Some(cubes));
        }
    }

    /// Heuristic: makes the next states and predecessors that are found different ones.
    pub(super) fn scatter(&mut self) {
        let Relative { solvers, random, .. } = self;
        solvers.iter_mut().for_each(|solver| solver.scatter(random));
    }

    /// From now on this token stops queries.
    pub(super) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        let all = self.solvers.iter_mut().chain([&mut self.base, &mut self.lifter.solver]);
        let start = self.reverse.iter_mut().map(|reverse| &mut reverse.start);
        all.chain(start).for_each(|solver| solver.set_interrupt(interrupt));
    }

    /// The work of all solvers.
    pub(super) fn stats(&self) -> SatStats {
        let mut sum = self.past;
        let start = self.reverse.iter().map(|reverse| &reverse.start);
        for solver in self.solvers.iter().chain([&self.base, &self.lifter.solver]).chain(start) {
            let stats = solver.stats();
            sum.queries += stats.queries;
            sum.conflicts += stats.conflicts;
            sum.propagations += stats.propagations;
        }
        sum
    }
}

/// Says which lemmas another one has made useless.
fn tell_retired(context: &Context, retired: &[LemmaId], by: LemmaId) {
    for id in retired {
        context.detail(|| Event::LemmaRetired { lemma: id.index(), by: by.index() });
    }
}
