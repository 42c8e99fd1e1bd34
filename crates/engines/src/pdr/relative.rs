//! All queries relative to frames. This file owns the index arithmetic: callers ask whether a cube
//! can be excluded from `F_i`, and only this file knows that `F_{i−1}` answers.
//!
//! Formulas and words are those of the forward direction; see `direction` for what they stand
//! for in the other one. The difference is in three places: [`Relation`] (which side of a step a
//! cube is on), the start set, and the frontier.
//!
//! [`Relation`]: super::relation::Relation

use super::bits::Bits;
use super::counts::Purpose;
use super::lift::{Goal, Lifted};
use super::options::DropOrder;
use super::solver::Stopped;
use super::trigger::StateBits;
use crate::context::Context;
use crate::trace::{Guide, LemmaId, Lemmas, Level};
use pedra_model::lit::{Lit, Var};
use std::time::Instant;

/// What a query for induction says.
pub(crate) enum Induction {
    /// The clause is inductive relative to the frame below, and so is this part of it, which
    /// contains no state of the start set either.
    Inductive(Vec<Lit>),
    /// A state of the frame below has a successor in the cube; the solver of that frame holds
    /// it, see [`Bits::lift_predecessor`].
    Predecessor,
}

/// Whether a query assumes the clause itself.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Hypothesis {
    /// `F ∧ T ∧ c'`
    None,
    /// `¬c ∧ F ∧ T ∧ c'`
    NotCube,
}

impl<G: Guide<[Lit]>> Bits<'_, G> {
    /// Can the cube, which contains no state of the start set, be excluded from `F_i`?
    ///
    /// `[¬c ∧] F_{i−1} ∧ C ∧ T ⟹ ¬c'`
    pub(crate) fn check_inductive(
        &mut self,
        context: &Context,
        cube: &[Lit],
        level: Level,
        hypothesis: Hypothesis,
        purpose: Purpose,
    ) -> Result<Induction, Stopped> {
        let answer = self.try_inductive(context, cube, level, hypothesis, (purpose, 0))?;
        Ok(answer.expect("there is no limit"))
    }

    /// The same with a limit of conflicts (0: any number). `None` if these did not do.
    pub(super) fn try_inductive(
        &mut self,
        context: &Context,
        cube: &[Lit],
        level: Level,
        hypothesis: Hypothesis,
        (purpose, limit): (Purpose, u64),
    ) -> Result<Option<Induction>, Stopped> {
        let Bits { relation, options, trace, solvers, start, memory, guide, .. } = self;
        let below = level.below();
        solvers.prepare(relation, start, trace, below, context);
        let mut assumed = std::mem::take(&mut memory.assumed);
        assumed.clear();
        assumed.extend_from_slice(cube);
        if options.drop_order == DropOrder::Activity {
            // Heuristic: what is assumed first is more likely to be in the core.
            memory.activity.sort(&mut assumed);
        }
        let not_cube = relation.frame_clause(cube);
        for lit in &mut assumed {
            *lit = relation.assumed(*lit);
        }
        // In F_0 the hypothesis holds anyway (reverse: no state of the cube is bad).
        let assumes = hypothesis == Hypothesis::NotCube && below != Level::ZERO;
        let (solver, since) = (solvers.at_mut(below), Instant::now());
        let answer = solver.solve_within(limit, &assumed, assumes.then_some(&not_cube));
        memory.assumed = assumed;
        memory.counts.add(purpose, answer == Ok(Some(false)), since);
        match answer? {
            Some(false) => {}
            Some(true) => return Ok(Some(Induction::Predecessor)),
            None => return Ok(None),
        }
        let failed = |lit: &Lit| solver.is_failed(relation.assumed(*lit));
        let mut core: Vec<Lit> = cube.iter().copied().filter(failed).collect();
        start.exclude(solvers, &mut core, cube)?;
        guide.separate(&mut core, cube);
        Ok(Some(Induction::Inductive(core)))
    }

    /// The states around the last [`Induction::Predecessor`] that go into the cube; reverse, the
    /// states to which it goes.
    pub(super) fn lift_predecessor(
        &mut self,
        cube: &[Lit],
        level: Level,
        rounds: u32,
    ) -> Result<Lifted, Stopped> {
        self.lift_model(level.below(), Goal::Cube(cube), rounds)
    }

    /// The states around the last model of a frame's solver that reach a goal; reverse, its
    /// successors.
    pub(super) fn lift_model(
        &mut self,
        at: Level,
        goal: Goal,
        rounds: u32,
    ) -> Result<Lifted, Stopped> {
        let Bits { lifter, relation, abstraction, solvers, memory, options, .. } = self;
        if let Some(simulator) = &mut lifter.simulator {
            let before = match goal {
                Goal::Bad(_) => None,
                Goal::Cube(cube) => Some(cube),
            };
            return Ok(simulator.successor(&relation.transition, solvers.at(at), before));
        }
        let (before, since) = (lifter.solver.stats().queries, Instant::now());
        let order = |cube: &mut Vec<Lit>| {
            memory.counts.lifted[0] += cube.len() as u64;
            if options.drop_order == DropOrder::Activity {
                memory.activity.sort(cube);
            }
        };
        let parts = (&relation.transition, &*abstraction);
        let lifted = lifter.lift(parts, solvers.at(at), goal, rounds, order)?;
        memory.counts.lifts += lifter.solver.stats().queries - before;
        memory.counts.lifting += since.elapsed();
        memory.counts.lifted[1] += lifted.cube.len() as u64;
        Ok(lifted)
    }

    /// The literals of the cube that hold in the last [`Induction::Predecessor`].
    pub(super) fn common_with_predecessor(&self, cube: &[Lit], level: Level) -> Vec<Lit> {
        let solver = self.solvers.at(level.below());
        let holds = |&lit: &Lit| solver.value(self.relation.framed(lit)) == Some(true);
        cube.iter().copied().filter(holds).collect()
    }

    /// Whether a literal is false after the step of the last [`Induction::Predecessor`].
    pub(super) fn is_false_in_successor(&self, lit: Lit, level: Level) -> bool {
        self.solvers.at(level.below()).value(self.relation.assumed(lit)) == Some(false)
    }

    /// The state of the last [`Induction::Predecessor`], if [`note_stuck`](Bits::note_stuck) has a
    /// use for it.
    pub(super) fn predecessor_bits(&self, level: Level) -> Option<StateBits> {
        self.memory.triggers.as_ref()?;
        let (solver, transition) = (self.solvers.at(level.below()), &self.relation.transition);
        let known = transition.cube_vars().filter_map(|var| {
            let value = solver.value(self.relation.framed(Var::new(var).lit()))?;
            Some(Lit::new(Var::new(var), !value))
        });
        Some(StateBits::new(transition.cubes_end(), known))
    }

    /// Notes why a lemma could not be pushed from its level.
    pub(super) fn note_stuck(&mut self, id: LemmaId, state: Option<StateBits>) {
        if let (Some(triggers), Some(state)) = (&mut self.memory.triggers, state) {
            triggers.note(id, self.trace.lemma(id).level(), state);
        }
    }

    /// Whether it is known that a lemma cannot be pushed from its level.
    pub(super) fn is_stuck(&mut self, id: LemmaId) -> bool {
        let level = self.trace.lemma(id).level();
        let triggers = self.memory.triggers.as_mut();
        triggers.is_some_and(|triggers| triggers.is_stuck(&self.trace, id, level))
    }

    /// Prepares the solver for many queries about parts of a cube at this level.
    pub(super) fn pin(&mut self, cube: &[Lit], level: Level) {
        let primed = cube.iter().map(|&lit| self.relation.transition.primed(lit));
        let lits: Vec<Lit> = cube.iter().copied().chain(primed).collect();
        if let Some(solver) = self.solvers.get_mut(level.below()) {
            solver.pin(&lits);
        }
    }

    /// Ends [`pin`](Bits::pin).
    pub(super) fn unpin(&mut self, level: Level) {
        if let Some(solver) = self.solvers.get_mut(level.below()) {
            solver.unpin();
        }
    }

    /// Excludes a cube from `F_1, …, F_i`, for which the caller has shown that it may be.
    pub(crate) fn learn(
        &mut self,
        context: &Context,
        cube: Vec<Lit>,
        level: Level,
    ) -> Result<Option<LemmaId>, crate::trace::Stopped> {
        self.memory.activity.learn(&cube);
        self.add_lemma(context, (), cube.into(), level)
    }

    /// The lemmas of the largest part whose exclusion is inductive, if that part decides the
    /// properties: as long as `⋀¬c ∧ C ∧ T ⟹ ¬d'` fails for one `d` of them, it is left out. All
    /// lemmas are known to contain no state of the start set.
    pub(super) fn find_largest_inductive(
        &mut self,
        context: &Context,
        mut lemmas: Vec<LemmaId>,
        properties: &[usize],
    ) -> Result<Option<Vec<LemmaId>>, Stopped> {
        let Bits { relation, trace, solvers, .. } = self;
        loop {
            let mut solver = solvers.make_constrained(relation, context);
            for &id in &lemmas {
                solver.add_clause(&relation.frame_clause(trace.lemma(id).set()));
            }
            let mut kept = Vec::with_capacity(lemmas.len());
            for &id in &lemmas {
                let cube = trace.lemma(id).set().iter();
                let assumed: Vec<Lit> = cube.map(|&lit| relation.assumed(lit)).collect();
                if !solver.solve(&assumed, None)? {
                    kept.push(id);
                }
            }
            if kept.len() < lemmas.len() {
                lemmas = kept;
                continue;
            }
            for &property in properties {
                let goal = relation.is_forward().then_some(property);
                if solver.solve(&relation.frontier(goal), None)? {
                    return Ok(None);
                }
            }
            return Ok(Some(lemmas));
        }
    }
}
