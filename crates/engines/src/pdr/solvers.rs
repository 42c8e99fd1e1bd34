//! The solvers of the frames: one each, with the definitions, the constraints `C`, and the lemmas
//! of the frame; that of `F_0` has the start set instead.
//!
//! Each solver is a copy of the transition relation, and a search that is hundreds of frames deep
//! mostly queries the upper ones. The number of solvers is therefore limited: beyond the limit, the
//! least recently queried frame gives up its solver, and gets another one, with its lemmas, at its
//! next query.

use super::Frames;
use super::options::PdrOptions;
use super::relation::Relation;
use super::solver::{FrameSolver, SolverMaker};
use super::start::StartSet;
use crate::context::Context;
use crate::trace::Level;
use pedra_model::lit::Lit;
use pedra_model::random::Random;
use pedra_solve::{Interrupt, SatStats};

/// A solver is rebuilt when it was given more than twice as many lemmas as its frame has, and
/// this many: retired ones are the majority then, and worth the work.
const RETIRED: usize = 500;

/// How much memory the solvers of all frames may take together, as long as they have no lemmas,
/// unless the options name a number of them.
const MAX_BYTES: usize = 1 << 30;

/// This many solvers there may be in any case. (Not to make new ones all the time; with as few as
/// 20 of 22 to 90 frames a search takes 1.0 to 1.3 times the time, with 4 of them 1.2 to 2.)
const MIN_SOLVERS: usize = 100;

/// The first and the last frame keep theirs, and one is at work, whose model is still read while
/// another is asked.
const FEWEST_SOLVERS: usize = 4;

/// One solver for each frame.
pub(super) struct FrameSolvers {
    maker: SolverMaker,
    /// The definitions and `C`, to be copied.
    base: FrameSolver,
    /// `None` for those that gave it back.
    by_level: Vec<Option<FrameSolver>>,
    /// When each was asked last.
    asked: Vec<u64>,
    /// How many questions there were.
    questions: u64,
    /// How many solvers there may be.
    limit: usize,
    /// How many lemmas each was given.
    given: Vec<usize>,
    work: Work,
}

/// The work of all solvers, summed up as it is done: with hundreds of frames, asking each of them
/// after every obligation took up to half of the time of a search.
#[derive(Default)]
struct Work {
    /// What was summed up, of solvers that are no more, too.
    sum: SatStats,
    /// How much of it is that of each solver.
    counted: Vec<SatStats>,
    /// Only this solver may have done more since.
    last: Option<usize>,
}

impl Work {
    /// What a solver has done since it was counted.
    fn since(&self, solvers: &[Option<FrameSolver>], level: usize) -> SatStats {
        let Some(solver) = &solvers[level] else { return SatStats::default() };
        let (mut work, counted) = (solver.stats(), &self.counted[level]);
        work.queries -= counted.queries;
        work.conflicts -= counted.conflicts;
        work.propagations -= counted.propagations;
        work
    }

    /// The work of a solver is part of the sum.
    fn count(&mut self, solvers: &[Option<FrameSolver>], level: usize) {
        let more = self.since(solvers, level);
        add_work(&mut self.sum, &more);
        add_work(&mut self.counted[level], &more);
    }

    /// This solver may be at work from now on.
    #[inline]
    fn begin(&mut self, solvers: &[Option<FrameSolver>], level: usize) {
        if let Some(last) = self.last.replace(level).filter(|&last| last != level) {
            self.count(solvers, last);
        }
    }

    /// A solver goes.
    fn end(&mut self, solvers: &[Option<FrameSolver>], level: usize) {
        self.count(solvers, level);
        self.counted[level] = SatStats::default();
    }

    fn all(&self, solvers: &[Option<FrameSolver>]) -> SatStats {
        let mut sum = self.sum;
        if let Some(last) = self.last {
            add_work(&mut sum, &self.since(solvers, last));
        }
        sum
    }
}

impl FrameSolvers {
    /// No frame is open yet.
    pub(super) fn new(
        maker: SolverMaker,
        relation: &Relation,
        options: &PdrOptions,
        context: &Context,
    ) -> FrameSolvers {
        let mut base = maker.make(context);
        for &constraint in &relation.transition.constraints {
            base.add_clause(&[constraint]);
        }
        let limit = match options.solvers as usize {
            0 => (MAX_BYTES / base.bytes().max(1)).max(MIN_SOLVERS),
            limit => limit.max(FEWEST_SOLVERS),
        };
        FrameSolvers {
            maker,
            base,
            by_level: Vec::new(),
            asked: Vec::new(),
            questions: 0,
            limit,
            given: Vec::new(),
            work: Work::default(),
        }
    }

    /// A solver with the definitions and nothing else.
    pub(super) fn make_empty(&self, context: &Context) -> FrameSolver {
        self.maker.make(context)
    }

    /// A solver with the definitions and `C`.
    pub(super) fn make_constrained(&self, relation: &Relation, context: &Context) -> FrameSolver {
        self.base.try_clone().unwrap_or_else(|| {
            let mut solver = self.maker.make(context);
            for &constraint in &relation.transition.constraints {
                solver.add_clause(&[constraint]);
            }
            solver
        })
    }

    /// The solver of a frame that has one: of the last question, of the first or the last frame.
    #[inline]
    pub(super) fn at(&self, level: Level) -> &FrameSolver {
        self.by_level[level.index()].as_ref().expect("asked before")
    }

    /// The same, to be changed.
    #[inline]
    pub(super) fn at_mut(&mut self, level: Level) -> &mut FrameSolver {
        self.work.begin(&self.by_level, level.index());
        self.by_level[level.index()].as_mut().expect("asked before")
    }

    /// The solver of a frame, if it has one.
    pub(super) fn get_mut(&mut self, level: Level) -> Option<&mut FrameSolver> {
        self.work.begin(&self.by_level, level.index());
        self.by_level[level.index()].as_mut()
    }

    /// A question is asked: the frame gets a solver, unless it has a good one.
    pub(super) fn prepare(
        &mut self,
        relation: &Relation,
        start: &StartSet,
        trace: &Frames,
        level: Level,
        context: &Context,
    ) {
        self.questions += 1;
        self.asked[level.index()] = self.questions;
        match &self.by_level[level.index()] {
            Some(solver) if !solver.is_worn() => {}
            _ => self.renew(relation, start, trace, level, context),
        }
    }

    /// While there are too many solvers: the frame that was not asked for longest gives its
    /// solver back. The first and the last frame keep theirs.
    fn keep_limit(&mut self) {
        while self.by_level.iter().flatten().count() > self.limit {
            let inner = 1..self.by_level.len() - 1;
            let held = inner.filter(|&level| self.by_level[level].is_some());
            let Some(level) = held.min_by_key(|&level| self.asked[level]) else { return };
            self.work.end(&self.by_level, level);
            self.by_level[level] = None;
        }
    }

    /// The highest frame of the trace is new.
    pub(super) fn open(
        &mut self,
        relation: &Relation,
        start: &StartSet,
        trace: &Frames,
        context: &Context,
    ) {
        let top = trace.top();
        let solver = self.make(relation, start, trace, top, context);
        self.by_level.push(Some(solver));
        self.asked.push(self.questions);
        self.given.push(0);
        self.work.counted.push(SatStats::default());
        // Heuristic: retired lemmas stay in solvers; when they are the majority, start afresh.
        let mut lemmas = 0;
        for level in (1..top.index()).rev().map(Level::new) {
            lemmas += trace.delta((), level).len();
            let has_solver = self.by_level[level.index()].is_some();
            if has_solver && self.given[level.index()] > 2 * lemmas + RETIRED {
                self.renew(relation, start, trace, level, context);
            }
        }
        self.keep_limit();
    }

    /// A solver with the lemmas of a frame.
    fn make(
        &self,
        relation: &Relation,
        start: &StartSet,
        trace: &Frames,
        level: Level,
        context: &Context,
    ) -> FrameSolver {
        let mut solver = self.make_constrained(relation, context);
        if level == Level::ZERO {
            // It needs no lemma.
            start.add_to(&mut solver, relation);
            return solver;
        }
        for cube in trace.sets((), level) {
            solver.add_clause(&relation.frame_clause(cube));
        }
        solver
    }

    /// Rebuilds the solver of a frame.
    pub(super) fn renew(
        &mut self,
        relation: &Relation,
        start: &StartSet,
        trace: &Frames,
        level: Level,
        context: &Context,
    ) {
        let solver = self.make(relation, start, trace, level, context);
        self.work.end(&self.by_level, level.index());
        self.by_level[level.index()] = Some(solver);
        self.given[level.index()] = trace.sets((), level).count();
        self.keep_limit();
    }

    /// A clause is new in the frames above `covered`, up to `last`.
    pub(super) fn add(&mut self, clause: &[Lit], covered: Level, last: Level) {
        for level in covered.above().index()..=last.index() {
            if let Some(solver) = &mut self.by_level[level] {
                solver.add_clause(clause);
                self.given[level] += 1;
            }
        }
    }

    /// Heuristic: makes the next states and predecessors that are found different ones.
    pub(super) fn scatter(&mut self, random: &mut Random) {
        self.by_level.iter_mut().flatten().for_each(|solver| solver.scatter(random));
    }

    /// From now on this token stops queries.
    pub(super) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        let all = self.by_level.iter_mut().flatten().chain([&mut self.base]);
        all.for_each(|solver| solver.set_interrupt(interrupt));
    }

    /// The work of all solvers.
    pub(super) fn stats(&self) -> SatStats {
        self.work.all(&self.by_level)
    }
}

/// Adds work to a sum.
pub(super) fn add_work(sum: &mut SatStats, work: &SatStats) {
    sum.queries += work.queries;
    sum.conflicts += work.conflicts;
    sum.propagations += work.propagations;
}
