//! All queries of word-level PDR. Only this file knows that `F_{i−1}` answers for `F_i`.
//!
//! The solver with its activation literals is in `solver`, the literals of atoms in `encoder`;
//! queries about many units at once are in `subset`. Lifting assumes no activation literal, because
//! it asks whether constraints *can* be violated.

use super::meter::{self, Meter};
use super::problem::Problem;
use super::samples::Samples;
use super::solver::FrameSolver;
use super::steps::Steps;
use crate::context::{Context, Reason};
use crate::events::Claim;
use crate::trace::{LemmaId, Lemmas, Level, Scan, Stopped};
use crate::units::atom::{Atom, Step};
use crate::units::unit::{Frames, Ranges, Unit};
use crate::units::value::Point;
use crate::units::{Exclude, Points};
use pedra_model::blast::BlastOptions;
use pedra_model::bv::Bv;
use pedra_model::lit::Lit;
use pedra_solve::SatStats;
use std::collections::VecDeque;

pub(super) use super::encoder::State;

/// So often what contradicts a wish for an initial state is given up; then the rest is.
const MAX_WISHES: usize = 10;

/// How many units are remembered as guides although they are no lemmas any more.
const MAX_SHAPES: usize = 64;

/// Whether a unit can be excluded from a frame.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// It can, and so can this unit, which covers it.
    Inductive(Unit),
    /// It contains a state that is initial, or known to be reachable too early; or the effort
    /// did not suffice.
    No,
    /// This state of the frame below has a successor in it.
    Predecessor(State),
}

/// The frames with their solver.
pub(super) struct Relative {
    pub(super) problem: Problem,
    frames: Frames,
    pub(super) solver: FrameSolver,
    /// Units as they were before reshape, the last ones: guides for it.
    shapes: VecDeque<Unit>,
    pub(super) samples: Samples,
    steps: Steps,
    single_init: Option<Point>,
    pub(super) meter: Meter,
}

impl Relative {
    /// Only `F_0` is open.
    pub(super) fn new(
        problem: Problem,
        blasting: &BlastOptions,
        context: &Context,
    ) -> Result<Relative, Stopped> {
        Ok(Relative {
            frames: Frames::new([Scan(Ranges::new(&problem))]),
            solver: FrameSolver::new(&problem, blasting, &context.interrupt)?,
            shapes: VecDeque::new(),
            samples: Samples::default(),
            steps: Steps::new(&problem),
            single_init: problem.single_init(),
            meter: Meter::new(),
            problem,
        })
    }

    /// From now on this token stops queries.
    pub(super) fn set_interrupt(&mut self, context: &Context) {
        self.solver.set_interrupt(&context.interrupt);
    }

    /// Remembers a unit as a guide.
    pub(super) fn note_shape(&mut self, unit: &Unit) {
        if self.shapes.len() == MAX_SHAPES {
            self.shapes.pop_front();
        }
        self.shapes.push_back(unit.clone());
    }

    /// The queries so far, and what they took.
    pub(super) fn stats(&self) -> SatStats {
        self.solver.stats()
    }

    /// All that was done so far, in propagations; see [`meter`].
    pub(super) fn work(&self) -> u64 {
        self.solver.work() + self.meter.spent()
    }

    /// What may still be done.
    pub(super) fn left(&self) -> Result<u64, Stopped> {
        self.meter.left(self.work())
    }

    /// Counts work besides queries; stops if it was the last that may be done, or if the interrupt
    /// says so.
    pub(super) fn spend(&mut self, work: u64) -> Result<(), Stopped> {
        self.meter.spend(work);
        if self.solver.poll() {
            return Err(Stopped(Reason::Interrupted));
        }
        self.left().map(|_| ())
    }

    /// Whether a sample shows that the unit cannot be excluded from `F_i`.
    fn is_refuted(&mut self, unit: &Unit, level: Level) -> bool {
        self.meter.spend(self.samples.len() as u64 / meter::VALUES);
        self.samples.hits(unit, level)
    }

    /// The literals of a unit's atoms.
    pub(super) fn lits(&mut self, unit: &Unit, step: Step) -> Result<Vec<Lit>, Stopped> {
        self.solver.encoder.lits(&self.problem, unit.atoms(), step)
    }

    /// Limits the effort of each query, in conflicts, as long as `run` takes. Queries that propose
    /// may give up; those on which completeness rests must not.
    pub(super) fn with_effort<T>(
        &mut self,
        conflicts: u64,
        run: impl FnOnce(&mut Relative) -> T,
    ) -> T {
        let before = self.solver.set_effort(Some(conflicts));
        let result = run(self);
        self.solver.set_effort(before);
        result
    }

    /// `None` if the effort was not enough.
    pub(super) fn solve(
        &mut self,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
    ) -> Result<Option<bool>, Stopped> {
        let left = self.left()?;
        match self.solver.solve(assumptions, temporary, left)? {
            None => self.left().map(|_| None),
            answer => Ok(answer),
        }
    }

    /// The same for queries on which answers rest: that the effort was not enough is not an answer.
    fn decide(&mut self, assumptions: &[Lit]) -> Result<bool, Stopped> {
        self.solve(assumptions, &[])?.ok_or(Stopped(Reason::Budget))
    }

    /// The state and the inputs of the last model.
    fn found(&mut self) -> State {
        self.solver.encoder.state(&self.problem)
    }

    /// The same, remembered as a step.
    fn found_step(&mut self) -> State {
        let found = self.found();
        let evaluated = self.steps.add(&self.problem, &found);
        self.meter.spend(evaluated * meter::TERM);
        found
    }

    /// Does any path begin? `Init ∧ C`, with a wish for some bits of the state: those that
    /// contradict are given up.
    pub(super) fn find_initial(&mut self, wish: &[Atom]) -> Result<Option<State>, Stopped> {
        let mut wish = self.solver.encoder.lits(&self.problem, wish, Step::Now)?;
        for round in 0.. {
            if round == MAX_WISHES {
                wish.clear();
            }
            let init = self.solver.act(Level::ZERO);
            let assumptions: Vec<Lit> = [init].into_iter().chain(wish.clone()).collect();
            if self.decide(&assumptions)? {
                return Ok(Some(self.found()));
            }
            let before = wish.len();
            wish.retain(|&lit| !self.solver.is_failed(lit));
            if wish.len() == before {
                break;
            }
        }
        Ok(None)
    }

    /// An initial state in the unit: `Init ∧ C ∧ c`.
    pub(super) fn find_initial_in(&mut self, unit: &Unit) -> Result<Option<State>, Stopped> {
        let assumptions = self.in_frame(Level::ZERO, unit)?;
        Ok(if self.decide(&assumptions)? { Some(self.found()) } else { None })
    }

    /// The assumptions that a state is in a frame and in a unit: `F_i ∧ C ∧ c`.
    fn in_frame(&mut self, level: Level, unit: &Unit) -> Result<Vec<Lit>, Stopped> {
        let atoms = self.lits(unit, Step::Now)?;
        Ok([self.solver.act(level)].into_iter().chain(atoms).collect())
    }

    /// Does the unit contain an initial state? Yes, if the effort does not suffice.
    pub(super) fn check_meets_init(&mut self, unit: &Unit) -> Result<bool, Stopped> {
        if let Some(init) = &self.single_init {
            let known = unit.atoms().iter().map(|atom| atom.holds(init));
            let mut all = true;
            for holds in known {
                match holds {
                    Some(false) => return Ok(false),
                    Some(true) => {}
                    None => all = false,
                }
            }
            if all {
                return Ok(true);
            }
        }
        if self.is_refuted(unit, Level::ZERO) {
            return Ok(true);
        }
        let assumptions = self.in_frame(Level::ZERO, unit)?;
        let is_met = self.solve(&assumptions, &[])?;
        if is_met == Some(true) {
            let found = self.found();
            self.samples.add(found.point, 0);
        }
        Ok(is_met != Some(false))
    }

    /// A bad state of `F_k`: `F_k ∧ C ∧ B`.
    pub(super) fn find_bad(&mut self, property: usize) -> Result<Option<State>, Stopped> {
        self.solver.renew_if_worn(&self.problem, &self.frames)?;
        let assumptions = [self.solver.act(self.frames.top()), self.solver.encoder.bads[property]];
        Ok(if self.decide(&assumptions)? { Some(self.found()) } else { None })
    }

    /// Do the invariants alone exclude bad states? `F_∞ ∧ C ⟹ ¬B`
    pub(super) fn check_invariants_imply(&mut self, property: usize) -> Result<bool, Stopped> {
        let assumptions = [self.solver.act(Level::INFINITY), self.solver.encoder.bads[property]];
        Ok(!self.decide(&assumptions)?)
    }

    /// Is there a state of `F_i` in the unit? `F_i ∧ C ∧ c`. Yes, if the effort does not suffice.
    pub(super) fn check_meets_frame(&mut self, unit: &Unit, level: Level) -> Result<bool, Stopped> {
        let assumptions = self.in_frame(level, unit)?;
        Ok(self.solve(&assumptions, &[])? != Some(false))
    }

    /// Can the unit be excluded from `F_i`? Two conditions: (i) `Init ∧ C ∧ c` has no model;
    /// (ii) `F_{i−1} ∧ ¬c ∧ C ∧ T ⟹ ¬c'` (at level infinity: `F_∞ ∧ ¬c ∧ C ∧ T ⟹ ¬c'`).
    pub(super) fn check_inductive(&mut self, unit: &Unit, level: Level) -> Result<Answer, Stopped> {
        self.solver.renew_if_worn(&self.problem, &self.frames)?;
        // Heuristic: a state that is known to be reachable, or a step that is known to lead into
        // the unit, answers without a query.
        if self.is_refuted(unit, level) {
            return Ok(Answer::No);
        }
        self.meter.spend(self.steps.len() as u64 / meter::VALUES);
        if let Some(found) = self.steps.refuting(&self.frames, unit, level) {
            return Ok(Answer::Predecessor(found.clone()));
        }
        if self.check_meets_init(unit)? {
            return Ok(Answer::No);
        }
        self.check_blocked(unit, level)
    }

    /// Condition (ii) alone, for a unit that contains no initial state. Never [`Answer::No`] if
    /// the effort is not limited.
    pub(super) fn check_blocked(&mut self, unit: &Unit, level: Level) -> Result<Answer, Stopped> {
        let below = match level.finite() {
            None => self.solver.act(level),
            Some(_) => self.solver.act(level.below()),
        };
        let primed = self.lits(unit, Step::Next)?;
        let not_unit: Vec<Lit> = self.lits(unit, Step::Now)?.into_iter().map(|lit| !lit).collect();
        let assumptions: Vec<Lit> = [below].into_iter().chain(primed.iter().copied()).collect();
        match self.solve(&assumptions, &[&not_unit])? {
            Some(true) => return Ok(Answer::Predecessor(self.found_step())),
            Some(false) => {}
            None => return Ok(Answer::No),
        }
        let failed = |(atom, &lit): (&Atom, &Lit)| self.solver.is_failed(lit).then(|| atom.clone());
        let core = unit.atoms().iter().zip(&primed).filter_map(failed).collect();
        let core = self.exclude_init(Unit::new(core), unit)?;
        // `core` covers `unit`, so its hypothesis ¬core is the stronger one: (ii) holds for it.
        Ok(Answer::Inductive(core))
    }

    /// Adds atoms of `whole`, which contains no initial state, until `core` contains none.
    fn exclude_init(&mut self, mut core: Unit, whole: &Unit) -> Result<Unit, Stopped> {
        while self.check_meets_init(&core)? {
            // An atom that excludes a known initial state in the core, else any.
            let missing = |atom: &&Atom| !core.atoms().contains(atom);
            let init = self.samples.initial_in(&core);
            let excludes =
                |atom: &&Atom| init.as_ref().is_some_and(|point| atom.holds(point) == Some(false));
            let all = whole.atoms().iter().filter(missing);
            let Some(atom) = all.clone().find(excludes).or_else(|| all.clone().next()) else {
                return Ok(whole.clone());
            };
            core = Unit::new(core.atoms().iter().chain([atom]).cloned().collect());
        }
        Ok(core)
    }

    /// Which of the atoms, all true in a state, suffice for going with these inputs to the
    /// target, constraints included: the core of `atoms ∧ inputs ∧ ¬(C ∧ target)`. `None` if
    /// not even all do.
    pub(super) fn lift(
        &mut self,
        atoms: &[Atom],
        inputs: &[Bv],
        target: &Target,
    ) -> Result<Option<Vec<Atom>>, Stopped> {
        let Relative { problem, solver: FrameSolver { encoder, .. }, .. } = self;
        let mut missed: Vec<Lit> = encoder.constraints.iter().map(|&lit| !lit).collect();
        match target {
            Target::Bad(property) => missed.push(!encoder.bads[*property]),
            Target::Unit(unit) => {
                let next = encoder.lits(problem, unit.atoms(), Step::Next)?;
                missed.extend(next.iter().map(|&lit| !lit));
            }
        }
        let given = encoder.lits(problem, atoms, Step::Now)?;
        let mut assumptions = given.clone();
        assumptions.extend(encoder.input_lits(problem, inputs)?);
        if self.solve(&assumptions, &[&missed])? != Some(false) {
            return Ok(None);
        }
        let failed = |(atom, &lit): (&Atom, &Lit)| self.solver.is_failed(lit).then(|| atom.clone());
        Ok(Some(atoms.iter().zip(&given).filter_map(failed).collect()))
    }
}

impl Exclude for Relative {
    type Words = Problem;

    fn words(&self) -> &Problem {
        &self.problem
    }

    fn find_inductive(&mut self, unit: &Unit, level: Level) -> Result<Option<Unit>, Stopped> {
        Ok(match self.check_inductive(unit, level)? {
            Answer::Inductive(core) => Some(core),
            Answer::No | Answer::Predecessor(_) => None,
        })
    }

    /// The last units that were expanded, and all lemmas.
    fn shapes(&self) -> impl Iterator<Item = &Unit> {
        self.shapes.iter().chain(self.frames.sets((), Level::ZERO.above()))
    }

    fn count(&mut self, numbers: u64) -> Result<(), Stopped> {
        self.spend(1 + numbers / meter::VALUES)
    }
}

impl Lemmas for Relative {
    type Place = ();
    type Set = Unit;
    type Index = Scan<Ranges>;

    fn trace(&self) -> &Frames {
        &self.frames
    }

    fn trace_mut(&mut self) -> &mut Frames {
        &mut self.frames
    }

    fn opened(&mut self, _: &Context) {
        self.solver.open();
    }

    fn learned(&mut self, id: LemmaId, _: Level) -> Result<(), Stopped> {
        let lemma = self.frames.lemma(id);
        debug_assert!(
            !self.samples.hits(lemma.set(), lemma.level()),
            "a reachable state is excluded: {:?}",
            lemma.set()
        );
        let is_relation =
            lemma.level() == Level::INFINITY && lemma.set().relates_words(&self.problem);
        self.solver.tell(&self.problem, &self.frames, id)?;
        if is_relation {
            self.meter.reward();
        }
        Ok(())
    }

    fn claim(&self, (): (), unit: &Unit) -> Claim {
        Claim::Outside(unit.region(&self.problem))
    }
}

/// Where an obligation leads.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// The state itself is bad.
    Bad(usize),
    /// Into this unit.
    Unit(Unit),
}
