//! All queries of word-level PDR; only here is it known that `F_{i−1}` answers for `F_i`.
//!
//! One incremental solver holds everything. Activation literals say which frame is meant: the
//! lemmas of level `i` hang on `act_i`, and `act_i → act_{i+1} → … → act_∞ → act_C`, where
//! `act_C` brings the constraints of the current step. `act_0` brings the initial condition and
//! implies `act_C` alone.
//! Lifting assumes none of them, for it asks whether constraints *can* be violated.

use super::atom::{Atom, Step};
use super::meter::{self, Meter};
use super::problem::Problem;
use super::samples::Samples;
use super::steps::Steps;
use super::unit::{Frames, Ranges, Unit};
use super::value::Point;
use crate::context::{Context, Reason};
use crate::events::Claim;
use crate::trace::{LemmaId, Lemmas, Level, NoGuide, Scan, Stopped};
use pedra_model::affine::normalise_all;
use pedra_model::blast::{BlastError, BlastOptions};
use pedra_model::bv::Bv;
use pedra_model::lit::Lit;
use pedra_model::term::{TermId, Terms};
use pedra_solve::{BvSolver, Interrupt, SatResult, SatStats};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

impl From<BlastError> for Stopped {
    fn from(_: BlastError) -> Stopped {
        Stopped(Reason::Budget)
    }
}

/// After this many gates more than at the beginning, the solver is made anew: most belong to
/// atoms that were tried once.
const MAX_GATES: usize = 600_000;

/// So often what contradicts a wish for an initial state is given up; then the rest is.
const MAX_WISHES: usize = 10;

/// How many units are remembered as guides although they are no lemmas any more.
const MAX_SHAPES: usize = 64;

/// A state and inputs, from a model.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) point: Point,
    pub(super) inputs: Vec<Bv>,
}

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
    blasting: BlastOptions,
    terms: Terms,
    solver: BvSolver,
    lits: FxHashMap<(Atom, Step), Lit>,
    bads: Vec<Lit>,
    constraints: Vec<Lit>,
    /// `act_0`, `act_1`, …
    acts: Vec<Lit>,
    act_infinity: Lit,
    act_constraints: Lit,
    base_gates: usize,
    frames: Frames,
    /// There is no other search that could help.
    pub(super) guide: NoGuide,
    /// Units as they were before reshape, the last ones: guides for it.
    shapes: VecDeque<Unit>,
    pub(super) samples: Samples,
    steps: Steps,
    single_init: Option<Point>,
    interrupt: Interrupt,
    /// The conflicts that a query may have, if that is limited.
    effort: Option<u64>,
    /// The work of solvers that were made anew, and the gates that they had.
    past: SatStats,
    past_gates: usize,
    pub(super) meter: Meter,
}

impl Relative {
    /// Only `F_0` is open.
    pub(super) fn new(
        problem: Problem,
        blasting: &BlastOptions,
        context: &Context,
    ) -> Result<Relative, Stopped> {
        let mut relative = Relative {
            terms: problem.terms.clone(),
            solver: BvSolver::new(blasting),
            blasting: blasting.clone(),
            lits: FxHashMap::default(),
            bads: Vec::new(),
            constraints: Vec::new(),
            acts: Vec::new(),
            act_infinity: Lit::TRUE,
            act_constraints: Lit::TRUE,
            base_gates: 0,
            frames: Frames::new([Scan(Ranges::new(&problem))]),
            guide: NoGuide,
            shapes: VecDeque::new(),
            samples: Samples::default(),
            steps: Steps::new(&problem),
            single_init: problem.single_init(),
            interrupt: context.interrupt.clone(),
            effort: None,
            past: SatStats::default(),
            past_gates: 0,
            meter: Meter::new(),
            problem,
        };
        relative.fill(context)?;
        Ok(relative)
    }

    /// Gives a new solver what it needs to know.
    fn fill(&mut self, context: &Context) -> Result<(), Stopped> {
        let Relative { problem, terms, solver, .. } = self;
        solver.set_interrupt(&context.interrupt);
        for &symbol in problem.symbols.iter().chain(&problem.inputs) {
            solver.bind(terms, symbol)?;
        }
        let mut all = |list: &[TermId]| -> Result<Vec<Lit>, BlastError> {
            let normal = normalise_all(terms, list);
            normal.iter().map(|&term| solver.lit(terms, term)).collect()
        };
        self.bads = all(&problem.bads)?;
        self.constraints = all(&problem.constraints)?;
        let init = all(&problem.init)?;
        self.act_constraints = solver.new_lit();
        for &constraint in &self.constraints {
            solver.assert_if(self.act_constraints, &[constraint]);
        }
        self.act_infinity = solver.new_lit();
        solver.assert_if(self.act_infinity, &[self.act_constraints]);
        self.acts = vec![solver.new_lit()];
        for lit in init.into_iter().chain([self.act_constraints]) {
            solver.assert_if(self.acts[0], &[lit]);
        }
        self.base_gates = solver.num_gates();
        for _ in 0..self.frames.top().index() {
            self.open_activation();
        }
        for level in (1..self.acts.len()).map(Level::new).chain([Level::INFINITY]) {
            for id in self.frames.delta((), level).to_vec() {
                self.tell(id)?;
            }
        }
        Ok(())
    }

    /// `act_k` for a new top level `k`.
    fn open_activation(&mut self) {
        let act = self.solver.new_lit();
        self.solver.assert_if(act, &[self.act_infinity]);
        if let [_, .., below] = self.acts[..] {
            self.solver.assert_if(below, &[act]);
        }
        self.acts.push(act);
    }

    /// Heuristic: starts afresh when most gates belong to atoms that are no more.
    fn renew_if_worn(&mut self, context: &Context) -> Result<(), Stopped> {
        if self.solver.num_gates() < self.base_gates + MAX_GATES {
            return Ok(());
        }
        let work = self.solver.stats();
        self.past.queries += work.queries;
        self.past.conflicts += work.conflicts;
        self.past.propagations += work.propagations;
        self.past_gates += self.solver.num_gates();
        self.terms = self.problem.terms.clone();
        self.solver = BvSolver::new(&self.blasting);
        self.lits.clear();
        self.fill(context)?;
        self.solver.set_effort(self.effort);
        Ok(())
    }

    /// From now on this token stops queries.
    pub(super) fn set_interrupt(&mut self, context: &Context) {
        self.interrupt = context.interrupt.clone();
        self.solver.set_interrupt(&context.interrupt);
    }

    /// Units that may guide reshape: the last ones that were expanded, and all lemmas.
    pub(super) fn shapes(&self) -> impl Iterator<Item = &Unit> {
        self.shapes.iter().chain(self.frames.sets((), Level::ZERO.above()))
    }

    /// Remembers a unit as a guide.
    pub(super) fn note_shape(&mut self, unit: &Unit) {
        if self.shapes.len() == MAX_SHAPES {
            self.shapes.pop_front();
        }
        self.shapes.push_back(unit.clone());
    }

    /// The work so far.
    pub(super) fn stats(&self) -> SatStats {
        let work = self.solver.stats();
        SatStats {
            queries: self.past.queries + work.queries,
            conflicts: self.past.conflicts + work.conflicts,
            propagations: self.past.propagations + work.propagations,
            ..work
        }
    }

    /// All that was done so far, in propagations; see [`meter`].
    pub(super) fn work(&self) -> u64 {
        let SatStats { queries, propagations, .. } = self.stats();
        let gates = (self.past_gates + self.solver.num_gates()) as u64;
        queries * meter::QUERY + propagations + gates * meter::GATE + self.meter.spent()
    }

    /// What may still be done.
    pub(super) fn left(&self) -> Result<u64, Stopped> {
        self.meter.left(self.work())
    }

    /// Counts work besides queries; stops if it was the last that may be done, or if the interrupt
    /// says so.
    pub(super) fn spend(&mut self, work: u64) -> Result<(), Stopped> {
        self.meter.spend(work);
        if self.interrupt.poll() {
            return Err(Stopped(Reason::Interrupted));
        }
        self.left().map(|_| ())
    }

    /// Whether a sample shows that the unit cannot be excluded from `F_i`.
    fn is_refuted(&mut self, unit: &Unit, level: Level) -> bool {
        self.meter.spend(self.samples.len() as u64 / meter::VALUES);
        self.samples.hits(unit, level)
    }

    fn lit(&mut self, atom: &Atom, step: Step) -> Result<Lit, Stopped> {
        if let Some(&lit) = self.lits.get(&(atom.clone(), step)) {
            return Ok(lit);
        }
        let term = atom.normal_term(&self.problem, &mut self.terms, step);
        let lit = self.solver.lit(&self.terms, term)?;
        self.lits.insert((atom.clone(), step), lit);
        Ok(lit)
    }

    fn lits_of(&mut self, atoms: &[Atom], step: Step) -> Result<Vec<Lit>, Stopped> {
        atoms.iter().map(|atom| self.lit(atom, step)).collect()
    }

    /// Limits the effort of each query, in conflicts, as long as `run` takes. Queries that propose
    /// may give up; those on which completeness rests must not.
    pub(super) fn with_effort<T>(
        &mut self,
        conflicts: u64,
        run: impl FnOnce(&mut Relative) -> T,
    ) -> T {
        let before = self.effort.replace(conflicts);
        self.solver.set_effort(self.effort);
        let result = run(self);
        self.effort = before;
        self.solver.set_effort(self.effort);
        result
    }

    /// `None` if the effort was not enough.
    fn solve(
        &mut self,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
    ) -> Result<Option<bool>, Stopped> {
        let left = self.left()?;
        let done = self.solver.stats().propagations;
        self.solver.set_last_propagation(done.saturating_add(left));
        match self.solver.solve(assumptions, temporary) {
            SatResult::Unknown if self.interrupt.is_raised() => Err(Stopped(Reason::Interrupted)),
            SatResult::Unknown => self.left().map(|_| None),
            answer => Ok(Some(answer.is_sat())),
        }
    }

    /// The same for queries on which answers rest: that the effort was not enough is no answer.
    fn decide(&mut self, assumptions: &[Lit]) -> Result<bool, Stopped> {
        self.solve(assumptions, &[])?.ok_or(Stopped(Reason::Budget))
    }

    fn act(&self, level: Level) -> Lit {
        level.finite().map_or(self.act_infinity, |index| self.acts[index])
    }

    /// The state and the inputs of the last model.
    fn found(&mut self) -> State {
        let Relative { problem, terms, solver, .. } = self;
        let point = problem.vars.iter().map(|var| var.int(&solver.value(terms, var.term)));
        let point = point.collect();
        let inputs = problem.inputs.iter().map(|&input| solver.value(terms, input)).collect();
        State { point, inputs }
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
        let mut wish = self.lits_of(wish, Step::Now)?;
        for round in 0.. {
            if round == MAX_WISHES {
                wish.clear();
            }
            let assumptions: Vec<Lit> = [self.acts[0]].into_iter().chain(wish.clone()).collect();
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
        let atoms = self.lits_of(unit.atoms(), Step::Now)?;
        Ok([self.act(level)].into_iter().chain(atoms).collect())
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
    pub(super) fn find_bad(
        &mut self,
        context: &Context,
        property: usize,
    ) -> Result<Option<State>, Stopped> {
        self.renew_if_worn(context)?;
        let assumptions = [self.act(self.frames.top()), self.bads[property]];
        Ok(if self.decide(&assumptions)? { Some(self.found()) } else { None })
    }

    /// Do the invariants alone exclude bad states? `F_∞ ∧ C ⟹ ¬B`
    pub(super) fn check_invariants_imply(&mut self, property: usize) -> Result<bool, Stopped> {
        let assumptions = [self.act_infinity, self.bads[property]];
        Ok(!self.decide(&assumptions)?)
    }

    /// Is there a state of `F_i` in the unit? `F_i ∧ C ∧ c`. Yes, if the effort does not suffice.
    pub(super) fn check_meets_frame(&mut self, unit: &Unit, level: Level) -> Result<bool, Stopped> {
        let assumptions = self.in_frame(level, unit)?;
        Ok(self.solve(&assumptions, &[])? != Some(false))
    }

    /// Can the unit be excluded from `F_i`? Two conditions: (i) `Init ∧ C ∧ c` has no model;
    /// (ii) `F_{i−1} ∧ ¬c ∧ C ∧ T ⟹ ¬c'` (at level infinity: `F_∞ ∧ ¬c ∧ C ∧ T ⟹ ¬c'`).
    pub(super) fn check_inductive(
        &mut self,
        context: &Context,
        unit: &Unit,
        level: Level,
    ) -> Result<Answer, Stopped> {
        self.renew_if_worn(context)?;
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
            None => self.act_infinity,
            Some(_) => self.act(level.below()),
        };
        let primed = self.lits_of(unit.atoms(), Step::Next)?;
        let not_unit: Vec<Lit> =
            self.lits_of(unit.atoms(), Step::Now)?.into_iter().map(|lit| !lit).collect();
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
        let mut missed: Vec<Lit> = self.constraints.iter().map(|&lit| !lit).collect();
        match target {
            Target::Bad(property) => missed.push(!self.bads[*property]),
            Target::Unit(unit) => {
                missed.extend(self.lits_of(unit.atoms(), Step::Next)?.iter().map(|&lit| !lit));
            }
        }
        let given = self.lits_of(atoms, Step::Now)?;
        let mut assumptions = given.clone();
        for (&input, value) in self.problem.inputs.iter().zip(inputs) {
            let bits = self.solver.bits(&self.terms, input)?;
            assumptions.extend(bits.iter().zip(value.bits()).map(|(&lit, bit)| lit ^ !bit));
        }
        if self.solve(&assumptions, &[&missed])? != Some(false) {
            return Ok(None);
        }
        let failed = |(atom, &lit): (&Atom, &Lit)| self.solver.is_failed(lit).then(|| atom.clone());
        Ok(Some(atoms.iter().zip(&given).filter_map(failed).collect()))
    }

    /// The units that have no predecessor in the invariants without all of them:
    /// `F_∞ ∧ ⋀ ¬c_i ∧ C ∧ T ⟹ ¬c'` for each `c`.
    pub(super) fn retain_consecutive(&mut self, units: Vec<Unit>) -> Result<Vec<Unit>, Stopped> {
        let guard = self.solver.new_lit();
        for unit in &units {
            let lits = self.lits_of(unit.atoms(), Step::Now)?;
            let clause: Vec<Lit> = lits.into_iter().map(|lit| !lit).collect();
            self.solver.assert_if(guard, &clause);
        }
        let mut kept = Vec::with_capacity(units.len());
        for unit in units {
            let primed = self.lits_of(unit.atoms(), Step::Next)?;
            let assumptions: Vec<Lit> =
                [self.act_infinity, guard].into_iter().chain(primed).collect();
            if self.solve(&assumptions, &[])? == Some(false) {
                kept.push(unit);
            }
        }
        self.solver.retract(guard);
        Ok(kept)
    }

    /// Which of the units, whose exclusion is inductive and excludes these bads, suffice for that:
    /// those in the core of `⋀ ¬c_i ∧ C ⟹ ¬B`, and for each of them those in the core of
    /// `⋀ ¬c_i ∧ C ∧ T ⟹ ¬c'`. All, if the effort does not suffice.
    pub(super) fn find_needed(
        &mut self,
        units: &[Unit],
        bads: &[usize],
    ) -> Result<Vec<Unit>, Stopped> {
        let mut excluded = Vec::with_capacity(units.len());
        for unit in units {
            let inside = self.lits_of(unit.atoms(), Step::Now)?;
            let outside: Vec<Lit> = inside.into_iter().map(|lit| !lit).collect();
            let guard = self.solver.new_lit();
            self.solver.assert_if(guard, &outside);
            excluded.push(guard);
        }
        let bads: Vec<Lit> = bads.iter().map(|&bad| self.bads[bad]).collect();
        let is_needed = self.close_cores(units, &excluded, bads);
        excluded.into_iter().for_each(|guard| self.solver.retract(guard));
        let Some(is_needed) = is_needed? else { return Ok(units.to_vec()) };
        let needed = units.iter().zip(is_needed).filter(|(_, is_needed)| *is_needed);
        Ok(needed.map(|(unit, _)| unit.clone()).collect())
    }

    /// Whether each unit, excluded by its literal, is needed; `None` if that is too hard to see.
    fn close_cores(
        &mut self,
        units: &[Unit],
        excluded: &[Lit],
        bads: Vec<Lit>,
    ) -> Result<Option<Vec<bool>>, Stopped> {
        let mut is_needed = vec![false; units.len()];
        let mut goals: Vec<Vec<Lit>> = bads.into_iter().map(|bad| vec![bad]).collect();
        while let Some(goal) = goals.pop() {
            let premises = [self.act_constraints].into_iter().chain(excluded.iter().copied());
            let assumptions: Vec<Lit> = premises.chain(goal).collect();
            if self.solve(&assumptions, &[])? != Some(false) {
                return Ok(None);
            }
            for (index, &guard) in excluded.iter().enumerate() {
                if self.solver.is_failed(guard) && !std::mem::replace(&mut is_needed[index], true) {
                    goals.push(self.lits_of(units[index].atoms(), Step::Next)?);
                }
            }
        }
        Ok(Some(is_needed))
    }

    /// Adds `¬c` to the solver, at the lemma's level.
    fn tell(&mut self, id: LemmaId) -> Result<(), Stopped> {
        let lemma = self.frames.lemma(id);
        let (act, unit) = (self.act(lemma.level()), lemma.set().clone());
        let lits = self.lits_of(unit.atoms(), Step::Now)?;
        let clause: Vec<Lit> = lits.into_iter().map(|lit| !lit).collect();
        self.solver.assert_if(act, &clause);
        Ok(())
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
        self.open_activation();
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
        self.tell(id)?;
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
