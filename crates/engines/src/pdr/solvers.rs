//! The solvers of the frames: one each, with the definitions, the constraints `C`, and the lemmas
//! of the frame; that of `F_0` has the start set instead.

use super::Frames;
use super::relation::Relation;
use super::solver::{FrameSolver, SolverMaker};
use super::start::StartSet;
use crate::context::Context;
use crate::trace::Level;
use pedra_model::lit::Lit;
use pedra_model::random::Random;
use pedra_solve::{Interrupt, SatStats};

/// A solver is made anew when it was given more than twice as many lemmas as its frame has, and
/// this many: retired ones are the majority then, and worth the work.
const RETIRED: usize = 500;

/// One solver for each frame.
pub(super) struct FrameSolvers {
    maker: SolverMaker,
    /// The definitions and `C`, to be copied.
    base: FrameSolver,
    by_level: Vec<FrameSolver>,
    /// How many lemmas each was given.
    given: Vec<usize>,
    /// The work of solvers that are no more.
    past: SatStats,
}

impl FrameSolvers {
    /// No frame is open yet.
    pub(super) fn new(maker: SolverMaker, relation: &Relation, context: &Context) -> FrameSolvers {
        let mut base = maker.make(context);
        for &constraint in &relation.transition.constraints {
            base.add_clause(&[constraint]);
        }
        FrameSolvers {
            maker,
            base,
            by_level: Vec::new(),
            given: Vec::new(),
            past: SatStats::default(),
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

    /// The solver of a frame.
    #[inline]
    pub(super) fn at(&self, level: Level) -> &FrameSolver {
        &self.by_level[level.index()]
    }

    /// The solver of a frame.
    #[inline]
    pub(super) fn at_mut(&mut self, level: Level) -> &mut FrameSolver {
        &mut self.by_level[level.index()]
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
        self.by_level.push(solver);
        self.given.push(0);
        // Heuristic: retired lemmas stay in solvers; when they are the majority, start afresh.
        let mut lemmas = 0;
        for level in (1..top.index()).rev().map(Level::new) {
            lemmas += trace.delta((), level).len();
            if self.given[level.index()] > 2 * lemmas + RETIRED {
                self.renew(relation, start, trace, level, context);
            }
        }
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

    /// Makes the solver of a frame anew.
    pub(super) fn renew(
        &mut self,
        relation: &Relation,
        start: &StartSet,
        trace: &Frames,
        level: Level,
        context: &Context,
    ) {
        let solver = self.make(relation, start, trace, level, context);
        let old = std::mem::replace(self.at_mut(level), solver);
        add_work(&mut self.past, &old.stats());
        self.given[level.index()] = trace.sets((), level).count();
    }

    /// A clause is new in the frames above `covered`, up to `last`.
    pub(super) fn add(&mut self, clause: &[Lit], covered: Level, last: Level) {
        for level in covered.above().index()..=last.index() {
            self.by_level[level].add_clause(clause);
            self.given[level] += 1;
        }
    }

    /// Heuristic: makes the next states and predecessors that are found different ones.
    pub(super) fn scatter(&mut self, random: &mut Random) {
        self.by_level.iter_mut().for_each(|solver| solver.scatter(random));
    }

    /// From now on this token stops queries.
    pub(super) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        let all = self.by_level.iter_mut().chain([&mut self.base]);
        all.for_each(|solver| solver.set_interrupt(interrupt));
    }

    /// The work of all solvers.
    pub(super) fn stats(&self) -> SatStats {
        let mut sum = self.past;
        self.by_level.iter().for_each(|solver| add_work(&mut sum, &solver.stats()));
        sum
    }
}

/// Adds work to a sum.
pub(super) fn add_work(sum: &mut SatStats, work: &SatStats) {
    sum.queries += work.queries;
    sum.conflicts += work.conflicts;
    sum.propagations += work.propagations;
}
