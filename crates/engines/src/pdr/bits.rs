//! PDR's view of a bit-level system: cubes of literals, in either direction.
//!
//! [`Bits`] keeps the trace and the solvers of the frames consistent:
//!
//! - I1: `Init ∧ C ⟹ F_i`;
//! - I2: `F_i ⟹ F_{i+1}`, by the encoding of the trace;
//! - I4: `F_i ∧ C ∧ T ⟹ F'_{i+1}`.
//!
//! (The numbers are those of docs/design/fbpdr.md; I3, that frames have no bad state, is not an
//! invariant here: the search looks for bad states in `F_k`, so lemmas serve all properties.)
//!
//! Constraints hold in every query at the current step, and in the target of lifting; so each state
//! of an obligation satisfies them with the recorded inputs. They are never required of the
//! successor: a successor without allowed inputs is merely over-approximation.

use super::abstraction::Abstraction;
use super::counts::Purpose;
use super::direction::{Successors, safe_beyond};
use super::evidence;
use super::generalize::Generalizer;
use super::lift::{Goal, Lifted, Lifter};
use super::memory::Memory;
use super::options::{Generalize, PdrOptions};
use super::relation::Relation;
use super::relative::{Hypothesis, Induction};
use super::samples::Samples;
use super::solver::{SolverMaker, Stopped};
use super::solvers::{FrameSolvers, add_work};
use super::start::StartSet;
use super::successor::Simulator;
use super::{Frames, Obligation, Obligations, QUERY_WORK};
use crate::context::Context;
use crate::events::{Claim, Direction, Progress};
use crate::exchange::Member;
use crate::trace::{
    self, Answer, CubeIndex, Found, Guide, Invariant, LemmaId, Lemmas, Level, ObligationId, Space,
    Start,
};
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_model::proof::Proof;
use pedra_solve::{Interrupt, SatStats};
use std::time::Instant;

/// A bit-level system with its frames.
pub(crate) struct Bits<'a, G> {
    pub(crate) relation: Relation<'a>,
    pub(super) options: PdrOptions,
    pub(super) trace: Frames,
    pub(super) solvers: FrameSolvers,
    pub(super) start: StartSet,
    pub(super) lifter: Lifter,
    pub(super) abstraction: Abstraction,
    pub(super) memory: Memory,
    pub(crate) guide: G,
    /// Forward: reached states.
    pub(super) samples: Samples,
    /// The board where lemmas are shared, if they are.
    pub(super) member: Option<Member>,
}

impl From<Stopped> for trace::Stopped {
    fn from(_: Stopped) -> trace::Stopped {
        trace::Stopped(crate::context::Reason::Interrupted)
    }
}

impl<'a, G: Guide<[Lit]>> Bits<'a, G> {
    /// Only `F_0` is open. This can take seconds for millions of gates, so it listens to the
    /// interrupt.
    pub(super) fn new(
        system: &'a BitSystem,
        options: &PdrOptions,
        direction: Direction,
        successors: Successors,
        guide: G,
        context: &Context,
    ) -> Result<Self, Stopped> {
        let (maker, transition) = SolverMaker::new(options, system, direction, context)?;
        // From here on it is copies of what there is; each is quick by itself.
        let go_on = || if context.interrupt.poll() { Err(Stopped) } else { Ok(()) };
        let relation = Relation { system, transition, direction };
        let num_vars = relation.transition.cubes_end();
        let mut solvers = FrameSolvers::new(maker, &relation, options, context);
        go_on()?;
        let simulator = (direction == Direction::Backward)
            .then(|| Simulator::new(system, &relation.transition, successors));
        let lifter = Lifter { solver: solvers.make_empty(context), simulator };
        go_on()?;
        let start = StartSet::new(&relation, &solvers, context);
        let trace = Frames::new([CubeIndex::new(num_vars)]);
        go_on()?;
        solvers.open(&relation, &start, &trace, context);
        let memory = Memory::new(options, num_vars, context.seed);
        let abstraction = Abstraction::new(options, &relation);
        let options = *options;
        let rounds = if relation.is_forward() { options.samples } else { 0 };
        let samples = Samples::random(&relation, rounds, context.seed);
        let member = context.exchange.map(|exchange| exchange.join(system));
        Ok(Bits {
            relation,
            options,
            trace,
            solvers,
            start,
            lifter,
            abstraction,
            memory,
            guide,
            samples,
            member,
        })
    }

    /// From now on this token stops queries.
    pub(super) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.solvers.set_interrupt(interrupt);
        self.lifter.solver.set_interrupt(interrupt);
        if let Some(solver) = self.start.own_solver_mut() {
            solver.set_interrupt(interrupt);
        }
    }

    /// The work of all solvers.
    pub(super) fn stats(&self) -> SatStats {
        let mut sum = self.solvers.stats();
        add_work(&mut sum, &self.lifter.solver.stats());
        if let Some(solver) = self.start.own_solver() {
            add_work(&mut sum, &solver.stats());
        }
        sum
    }

    /// Does a cube contain a state of the start set: an initial state, reverse a bad one?
    pub(crate) fn meets_start(&mut self, cube: &[Lit]) -> Result<bool, Stopped> {
        self.memory.counts.initial += 1;
        self.start.check_meets(&mut self.solvers, cube)
    }

    /// The frontier. Forward, `s := SAT(F_k ∧ C ∧ ¬P)`: states of the last frame that are bad;
    /// reverse, `s := SAT(Init ∧ C ∧ T ∧ F'_k)`: a successor of an initial state in it. Whether
    /// there are any; the solver of the frame holds one.
    pub(crate) fn has_bad(&mut self, goal: Option<usize>) -> Result<bool, Stopped> {
        let (question, since) = (self.relation.frontier(goal), Instant::now());
        let found = self.solvers.at_mut(self.trace.top()).solve(&question, None)?;
        self.memory.counts.add(Purpose::Bad, !found, since);
        Ok(found)
    }

    /// What a query for an obligation assumes.
    fn hypothesis(&self) -> Hypothesis {
        match self.options.generalize {
            Generalize::Relative => Hypothesis::NotCube,
            Generalize::Off | Generalize::Naive => Hypothesis::None,
        }
    }
}

impl<G: Guide<[Lit]>> Lemmas for Bits<'_, G> {
    type Place = ();
    type Set = [Lit];
    type Index = CubeIndex;

    fn trace(&self) -> &Frames {
        &self.trace
    }

    fn trace_mut(&mut self) -> &mut Frames {
        &mut self.trace
    }

    fn opened(&mut self, context: &Context) {
        self.solvers.open(&self.relation, &self.start, &self.trace, context);
        if let Some(triggers) = &mut self.memory.triggers {
            triggers.tidy(&self.trace);
        }
    }

    fn learned(&mut self, id: LemmaId, above: Level) -> Result<(), trace::Stopped> {
        let lemma = self.trace.lemma(id);
        debug_assert!(
            !self.start.is_wrong(&self.relation, lemma.set()),
            "a lemma contains states of the start set"
        );
        if let Some(triggers) = &mut self.memory.triggers {
            triggers.strengthened(id);
        }
        let clause = self.relation.frame_clause(lemma.set());
        self.solvers.add(&clause, above, lemma.level().min(self.trace.top()));
        // Reverse, lemmas say something else.
        if let Some(member) = self.member.as_mut().filter(|_| self.relation.is_forward()) {
            member.publish(lemma.set(), lemma.level().finite());
        }
        Ok(())
    }

    fn claim(&self, (): (), cube: &[Lit]) -> Claim {
        self.relation.transition.system_clause(cube).into()
    }
}

impl<G: Guide<[Lit]>> Space for Bits<'_, G> {
    type Step = Box<[Lit]>;
    type Guide = G;

    fn guide(&mut self) -> &mut G {
        &mut self.guide
    }

    fn goals(&self, open: &[usize]) -> Vec<Option<usize>> {
        match self.relation.direction {
            Direction::Forward => open.iter().copied().map(Some).collect(),
            Direction::Backward => vec![None],
        }
    }

    fn safe_step(&self, level: Level) -> usize {
        level.index() + safe_beyond(self.relation.direction)
    }

    fn is_start_outdated(&self, context: &Context) -> bool {
        self.start.targets().iter().any(|&property| !context.is_open(property))
    }

    fn is_too_small_for(&self, open: &[usize]) -> bool {
        let targets = self.start.targets();
        !targets.is_empty() && !open.iter().all(|property| targets.contains(property))
    }

    /// Forward `Init ∧ C`. Reverse `C ∧ bad`, and then `Init ∧ C ∧ bad`.
    fn check_start(&mut self, context: &Context, open: &[usize]) -> Result<Start, trace::Stopped> {
        let Bits { relation, trace, solvers, start, .. } = self;
        if start.set_targets(open, relation, solvers, context) {
            solvers.renew(relation, start, trace, Level::ZERO, context);
        }
        if !start.solver(solvers).solve(&[], None)? {
            // Forward, nothing is reachable: the invariant is false. Reverse, nothing is
            // bad: it is true, the union with the empty cube.
            return Ok(Start::Empty);
        }
        if relation.is_forward() {
            return Ok(Start::Found { is_safe: false });
        }
        let none = Obligations::new();
        Ok(match evidence::reverse_trace(self, &none, None)? {
            Some(trace) => Start::Violated(trace.property, trace.into()),
            None => Start::Found { is_safe: true },
        })
    }

    fn check_meets_start(&mut self, (): (), cube: &[Lit]) -> Result<bool, trace::Stopped> {
        Ok(self.meets_start(cube)?)
    }

    fn find_bad(
        &mut self,
        _: &Context,
        goal: Option<usize>,
    ) -> Result<Option<Found<Self>>, trace::Stopped> {
        if !self.has_bad(goal)? {
            return Ok(None);
        }
        // Reverse, which properties are violated does not matter.
        let bad = Goal::Bad(goal.unwrap_or_default());
        let lifted = self.lift_model(self.trace.top(), bad, self.options.lift_rounds())?;
        Ok(Some(lifted.into()))
    }

    fn check_blocked(
        &mut self,
        context: &Context,
        obligation: &Obligation,
        level: Level,
        too_hard: Option<u32>,
    ) -> Result<Answer<Self>, trace::Stopped> {
        let (options, cube) = (self.options, &obligation.set);
        // *Required for termination*: the limit grows without end, by two for each eight tries.
        let limit = too_hard.map_or(0, |count| u64::from(options.patience) << (count / 8).min(32));
        let limited = (Purpose::Block, limit);
        Ok(match self.try_inductive(context, cube, level, self.hypothesis(), limited)? {
            None => Answer::TooHard,
            Some(Induction::Predecessor) => {
                let lifted = self.lift_predecessor(cube, level, options.lift_rounds())?;
                Answer::Predecessor(lifted.into())
            }
            Some(Induction::Inductive(_)) if options.generalize == Generalize::Off => {
                Answer::Inductive(cube.clone())
            }
            Some(Induction::Inductive(core)) => Answer::Inductive(core.into()),
        })
    }

    fn generalize(
        &mut self,
        context: &Context,
        obligation: &Obligation,
        heat: f32,
        core: Box<[Lit]>,
        level: Level,
    ) -> Result<Level, trace::Stopped> {
        let hint = self.guide.hint(&obligation.set, &core, obligation.depth as usize);
        let before = core.len();
        let strategy = self.choose_strategy(heat);
        let mut generalizer = Generalizer { bits: self, strategy, context };
        let lemma = generalizer.generalize(&obligation.set, core.into(), hint, level)?;
        let literals = [before, lemma.len()];
        let reached = generalizer.push_and_add(lemma, level)?;
        self.learn_strategy(literals, level, reached);
        Ok(reached)
    }

    fn find_pushed(
        &mut self,
        context: &Context,
        id: LemmaId,
    ) -> Result<Option<(Box<[Lit]>, Level)>, trace::Stopped> {
        if self.is_stuck(id) {
            return Ok(None);
        }
        let lemma = self.trace.lemma(id);
        let (cube, above) = (lemma.set().to_vec(), lemma.level().above());
        if self.dooms(&cube) {
            return Ok(None);
        }
        // F_i ∧ C ∧ T ⟹ ¬c'; that F_i ⟹ ¬c is known already.
        let (hypothesis, purpose) = (Hypothesis::None, Purpose::Propagate);
        match self.check_inductive(context, &cube, above, hypothesis, purpose)? {
            Induction::Predecessor => {
                let witness = self.predecessor_bits(above);
                self.note_stuck(id, witness);
                Ok(None)
            }
            Induction::Inductive(core) => {
                if core.len() < cube.len() {
                    self.memory.activity.learn(&core);
                }
                Ok(Some((core.into(), above)))
            }
        }
    }

    fn find_inductive_part(
        &mut self,
        context: &Context,
        lemmas: Vec<LemmaId>,
        properties: &[usize],
    ) -> Result<Option<Vec<LemmaId>>, trace::Stopped> {
        Ok(self.find_largest_inductive(context, lemmas, properties)?)
    }

    fn take(&mut self, context: &Context) -> Result<(), trace::Stopped> {
        self.take_notes(context)
    }

    fn publish(&mut self, obligations: &Obligations) -> Result<(), trace::Stopped> {
        self.publish_runs(obligations)
    }

    fn scatter(&mut self) {
        self.solvers.scatter(&mut self.memory.random);
    }

    fn proof(&mut self, properties: &[usize], invariant: &Invariant) -> Proof {
        let cubes = match invariant {
            Invariant::All => vec![Vec::new()],
            Invariant::Lemmas(ids) => {
                ids.iter().map(|&id| self.trace.lemma(id).set().to_vec()).collect()
            }
        };
        evidence::proof(&self.relation, properties.to_vec(), &cubes).into()
    }

    fn find_counterexample(
        &mut self,
        obligations: &Obligations,
        id: ObligationId,
    ) -> Result<trace::Reached, trace::Stopped> {
        if !self.abstraction.is_exact() {
            let &Obligation { ref set, property, .. } = obligations.get(id);
            let property = property.expect("forward obligations have one");
            let initial = self.find_initial_state(set)?;
            let [_, blocked] = self.memory.counts.queries[Purpose::Block as usize];
            let chain = obligations.chain(id).map(|link| (&*link.set, &*link.step));
            let Bits { relation, abstraction, .. } = self;
            return Ok(
                match abstraction.check_chain(relation, property, &initial, chain, blocked) {
                    Some(trace) => trace::Reached::Violation(trace.property, trace.into()),
                    None => trace::Reached::Spurious,
                },
            );
        }
        let trace = match self.relation.direction {
            Direction::Forward => Some(evidence::forward_trace(self, obligations, id)?),
            Direction::Backward => evidence::reverse_trace(self, obligations, Some(id))?,
        };
        Ok(match trace {
            Some(trace) => trace::Reached::Violation(trace.property, trace.into()),
            None => trace::Reached::Settled,
        })
    }

    fn work(&self) -> u64 {
        let stats = self.stats();
        stats.propagations + QUERY_WORK * stats.queries
    }

    fn progress(&self) -> Progress {
        let (top, stats) = (self.trace.top().index(), self.stats());
        Progress {
            depth: top,
            frames: top + 1,
            lemmas: self.trace.len(),
            obligations: 0,
            queries: stats.queries,
            conflicts: stats.conflicts,
        }
    }
}

impl<G: Guide<[Lit]>> From<Lifted> for Found<Bits<'_, G>> {
    fn from(Lifted { cube, inputs }: Lifted) -> Self {
        Found { place: (), set: cube.into(), step: inputs.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::NoGuide;
    use pedra_model::bits::Reset;
    use pedra_model::lit::Var;

    /// Two latches that keep their values, one of them free at first; the constraint says that they
    /// are equal, so that only a solver knows what is initial.
    fn system() -> BitSystem {
        let mut system = BitSystem::new();
        let [a, b] = [Reset::Zero, Reset::Free].map(|reset| system.add_latch(reset));
        for (latch, next) in [a, b].into_iter().enumerate() {
            system.latches[latch].next = next;
        }
        let (both, none) = (system.aig.push_and(a, b), system.aig.push_and(!a, !b));
        system.constraints = vec![!system.aig.push_and(!both, !none)];
        system.bads.push(b);
        system
    }

    /// Debug builds look at each lemma once more; if the search's own solvers were asked, they
    /// would learn from it, and debug builds would search differently from release builds.
    #[test]
    fn a_second_look_at_a_lemma_asks_no_solver_of_the_search() {
        let system = system();
        let (context, options) = (Context::default(), PdrOptions::default());
        for direction in [Direction::Forward, Direction::Backward] {
            let successors = Successors::default();
            let bits = Bits::new(&system, &options, direction, successors, NoGuide, &context);
            let mut bits = bits.expect("nothing stops it");
            bits.check_start(&context, &[0]).expect("nothing stops it");
            bits.open_frame(&context);
            let [a, b] = [1, 2].map(|var| Var::new(var).lit());
            let cube = match direction {
                Direction::Forward => vec![b],
                Direction::Backward => vec![!a],
            };
            let before = bits.stats().queries;
            let lemma = bits.learn(&context, cube, Level::new(1));
            assert!(matches!(lemma, Ok(Some(_))), "{direction:?}");
            assert_eq!(bits.stats().queries, before, "{direction:?}");
        }
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "states of the start set")]
    fn a_lemma_with_an_initial_state_is_found_out() {
        let system = system();
        let (context, options) = (Context::default(), PdrOptions::default());
        let (direction, successors) = (Direction::Forward, Successors::default());
        let bits = Bits::new(&system, &options, direction, successors, NoGuide, &context);
        let mut bits = bits.expect("nothing stops it");
        bits.open_frame(&context);
        let _ = bits.learn(&context, vec![!Var::new(2).lit()], Level::new(1));
    }
}
