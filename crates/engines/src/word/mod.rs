//! Word-level PDR: frames of integer cubes, polytopes or mixed units instead of clauses.
//!
//! T. Welp, A. Kuehlmann: *QF_BV Model Checking with Property Directed Reachability*, DATE
//! 2013. The loop is that of PDR ([`crate::pdr`]); what differs is the *atomic reasoning unit*,
//! the set of states that is excluded at a time: a conjunction of atoms such as `x ≥ 3` or
//! `x + 2y ≤ 5` over the words of the model. Where the invariant is arithmetic, one unit does
//! what takes millions of clauses.
//!
//! What the paper leaves open or gets wrong, and what is done here:
//! - Blocking checks that a unit contains no initial state, too (`relative`).
//! - Obligations must satisfy the constraints as a whole (`simulate`, `lift`).
//! - `recCoverCube` is a queue, and blocked obligations are tried again at the next level.
//! - Before a unit is expanded, the highest level is found where it is inductive as it is, and
//!   it is expanded there. Otherwise a counter to 2^20 would get a frame for each value.
//! - Invariants are proposed: comparisons of the model, octagons, and what reachable samples
//!   suggest (`templates`). Mixed units also have bits and congruences; with them `parity`, which
//!   the paper cannot solve, is one query.
//! - When a budget is used up, what was learned is handed over to bit-level PDR (`hand_over`).
//!
//! Soundness rests on `relative` (all queries), `evidence` and the checks of `certify`; files
//! that only propose (`vote`, `samples`, `steps`, `templates`, `strengthen`, `generalize`,
//! `reshape`, `linear`, `meter`) cannot make an answer wrong.

mod atom;
mod evidence;
mod generalize;
mod hand_over;
mod lift;
mod linear;
mod meter;
mod options;
mod problem;
mod relative;
mod reshape;
mod samples;
mod simulate;
mod steps;
mod strengthen;
mod templates;
mod unit;
mod value;
mod vote;

pub use hand_over::BitStage;
pub use options::{CHOICES, Kind, WordOptions};

use crate::context::{Context, End, Engine, Reason};
use crate::events::{Event, Progress};
use crate::trace::{self, Level, ObligationId};
use atom::Atom;
use generalize::{expand, find_inductive};
use lift::lift;
use meter::Limits;
use pedra_model::system::System;
use problem::{NotForWords, Problem};
use relative::{Answer, Found, Relative, Stopped, Target};
use reshape::{Failed, reshape};
use samples::{Dice, Runner};
use simulate::Simulation;
use strengthen::Strengthener;
use unit::{Frames, Unit};

/// How long the random paths are that give samples.
const SAMPLE_STEPS: usize = 60;

/// Which part of the work before the first reward samples may cost.
const SHARE_OF_SAMPLES: u64 = 8;

/// A unit that leads to a violation, with the state from which it was expanded and its inputs.
type Obligation = trace::Obligation<Unit, Found>;
type Obligations = trace::Obligations<Unit, Found>;

/// Word-level PDR for some properties of a system.
pub struct Wpdr<'a> {
    system: &'a System,
    /// The chosen properties; outcomes are by position in this list.
    properties: Vec<usize>,
    options: WordOptions,
    bits: BitStage,
    search: Option<Search>,
    /// What was done when there is no search, because it was handed over.
    elsewhere: Progress,
    safe_up_to: Option<usize>,
    safe: Vec<usize>,
}

/// The state of a search.
struct Search {
    relative: Relative,
    obligations: Obligations,
    simulation: Option<Simulation>,
    strengthener: Strengthener,
    failed: Failed,
}

impl<'a> Wpdr<'a> {
    /// An engine that has not looked at any frame yet.
    pub fn new(
        system: &'a System,
        properties: &[usize],
        options: WordOptions,
        bits: BitStage,
    ) -> Wpdr<'a> {
        Wpdr {
            system,
            properties: properties.to_vec(),
            options,
            bits,
            search: None,
            elsewhere: Progress::default(),
            safe_up_to: None,
            safe: Vec::new(),
        }
    }

    /// Algorithm 1 of the paper. Returns why it stopped.
    fn wpdr(&mut self, context: &Context) -> Result<Reason, Stopped> {
        if self.search().relative.find_initial(&[])?.is_none() {
            let open = self.open(context);
            self.prove(context, open, vec![Unit::default()]);
        }
        loop {
            let open = self.open(context);
            if open.is_empty() {
                return Ok(Reason::SettledElsewhere);
            }
            let k = self.search().relative.frames.top();
            if context.is_beyond_limit(k.index()) {
                return Ok(Reason::DepthLimit);
            }
            context.emit(|| Event::Depth { depth: k.index(), progress: self.progress() });
            // c = findBadCube(); if !recCoverCube(c, l) return "property fails"
            for &property in &open {
                self.cover_all_bad(context, property, k)?;
            }
            (self.safe_up_to, self.safe) = (Some(k.index()), open);
            if k == Level::ZERO {
                self.strengthen_all(context)?;
            }
            // pushNewFrame(); if propagateCubes() return "property holds"
            self.search().relative.open_frame(context)?;
            self.propagate(context)?;
            let frames = &self.search().relative.frames;
            if let Some(fixpoint) = frames.fixpoint() {
                let units = frames.sets((), fixpoint).cloned().collect();
                let open = self.open(context);
                self.prove(context, open, units);
            }
            self.strengthen_bads(context)?;
        }
    }

    /// Excludes all states of `F_k` that violate the property, or finds that one is reachable.
    fn cover_all_bad(
        &mut self,
        context: &Context,
        property: usize,
        k: Level,
    ) -> Result<(), Stopped> {
        loop {
            self.cover(context, k)?;
            if !self.is_open(context, property) {
                return Ok(());
            }
            let search = self.search();
            let Some(found) = search.relative.find_bad(context, property)? else { return Ok(()) };
            self.add_obligation(context, found, Target::Bad(property), None, property, k)?;
        }
    }

    /// Algorithm 2, as a queue: deals with all obligations at levels up to `k`.
    fn cover(&mut self, context: &Context, k: Level) -> Result<(), Stopped> {
        while let Some((id, level)) = self.search().obligations.pop(k) {
            let property = self.search().obligations.get(id).property.expect("always known");
            if !self.is_open(context, property) {
                continue;
            }
            if let Err(stopped) = self.block(context, id, level) {
                // Nothing is lost: it waits for the next run.
                self.search().obligations.wait(id, level);
                return Err(stopped);
            }
        }
        Ok(())
    }

    /// Excludes an obligation from `F_i`, adds a predecessor, or finds a counterexample.
    fn block(&mut self, context: &Context, id: ObligationId, level: Level) -> Result<(), Stopped> {
        let options = self.options;
        let Search { relative, obligations, strengthener, failed, .. } = self.search();
        let Obligation { set: unit, step: Found { point, .. }, property, .. } =
            obligations.get(id).clone();
        let property = property.expect("always known");
        if level == Level::ZERO || relative.check_meets_init(&unit)? {
            return self.fail(context, id);
        }
        if let Some(lemma) = relative.frames.find_covering((), &unit, level) {
            let covered = relative.frames.lemma(lemma).level();
            self.retry_above(context, id, covered);
            return Ok(());
        }
        if options.templates && strengthener.strengthen(relative, context, &options, &point)? {
            // The state is excluded for good; the rest of the unit is looked at again.
            if relative.check_meets_frame(&unit, level)? {
                obligations.wait(id, level);
            } else {
                self.retry_above(context, id, level);
            }
            return Ok(());
        }
        match relative.check_blocked(&unit, level)? {
            Answer::Predecessor(found) => {
                let target = Target::Unit(*unit);
                self.add_obligation(context, found, target, Some(id), property, level.below())?;
                self.search().obligations.wait(id, level);
            }
            Answer::Inductive(core) => {
                let reached = relative.with_effort(options.effort, |relative| {
                    learn(relative, context, &options, failed, &unit, core, level)
                });
                self.retry_above(context, id, reached?);
            }
            Answer::No => unreachable!("the effort is not limited"),
        }
        Ok(())
    }

    /// Heuristic: an obligation that is excluded up to a level will come up again above.
    fn retry_above(&mut self, context: &Context, id: ObligationId, level: Level) {
        let (obligation, at) = (self.search().obligations.number(id), level.finite());
        context.detail(|| Event::ObligationBlocked { obligation, level: at });
        if level != Level::INFINITY {
            self.search().obligations.wait(id, level.above());
        }
    }

    /// Adds an obligation around a found state.
    fn add_obligation(
        &mut self,
        context: &Context,
        found: Found,
        target: Target,
        successor: Option<ObligationId>,
        property: usize,
        level: Level,
    ) -> Result<(), Stopped> {
        let options = self.options;
        let Search { relative, obligations, simulation, .. } = self.search();
        let simulation = simulation.as_mut().filter(|_| options.simulate);
        let unit = lift(relative, simulation, &options, &found, &target)?;
        let depth = successor.map_or(0, |id| obligations.get(id).depth + 1);
        let claim = relative.claim(&unit);
        let (set, step, property) = (Box::new(unit), found, Some(property));
        let obligation =
            Obligation { place: (), set, step, successor, property, depth, activity: 0.0 };
        let id = obligations.add(obligation, level);
        context.detail(|| Event::ObligationRaised {
            obligation: obligations.number(id),
            level: level.index(),
            depth: depth as usize,
            successor: successor.map(|next| obligations.number(next)),
            claim,
        });
        Ok(())
    }

    /// Pushes lemmas to higher frames, and finds out which hold in all.
    fn propagate(&mut self, context: &Context) -> Result<(), Stopped> {
        let effort = self.options.effort;
        self.search().relative.with_effort(effort, |relative| propagate(relative, context))
    }

    /// Proposes what all samples have in common, for mixed units: `rajam` takes 0.4 to 0.8 s.
    /// Without, proposals come one by one where an obligation asks for them, and it takes 0.2 s to
    /// more than 25 s, depending on the seed.
    fn strengthen_all(&mut self, context: &Context) -> Result<(), Stopped> {
        let options = self.options;
        let Search { relative, strengthener, .. } = self.search();
        if options.templates && options.unit == Kind::Mixed {
            strengthener.prove_all(relative, context, &options)?;
        }
        Ok(())
    }

    /// Proposes the property itself as a lemma, and settles properties that the invariants imply.
    fn strengthen_bads(&mut self, context: &Context) -> Result<(), Stopped> {
        let options = self.options;
        for property in self.open(context) {
            let Search { relative, strengthener, .. } = self.search();
            if options.bads && relative.problem.next_bads[property].is_some() {
                strengthener.prove(relative, context, &options, &Atom::Bad(property))?;
            }
            let has_invariants = !relative.frames.delta((), Level::INFINITY).is_empty();
            if has_invariants && relative.check_invariants_imply(property)? {
                let units = relative.frames.sets((), Level::INFINITY).cloned().collect();
                self.prove(context, vec![property], units);
            }
        }
        Ok(())
    }

    /// "property holds": the units are excluded by an inductive invariant without bad states.
    fn prove(&mut self, context: &Context, positions: Vec<usize>, units: Vec<Unit>) {
        if positions.is_empty() {
            return;
        }
        let properties = positions.iter().map(|&p| self.properties[p]).collect();
        let effort = self.options.effort;
        let relative = &mut self.search().relative;
        let needed = relative.with_effort(effort, |r| r.find_needed(&units, &positions));
        // Without the time to find out what is needed, all of it is.
        let needed = needed.unwrap_or(units);
        let problem = &self.search.as_ref().expect("made by run").relative.problem;
        context.prove(&positions, evidence::proof(self.system, problem, properties, &needed));
    }

    /// "property fails": an obligation contains an initial state.
    fn fail(&mut self, context: &Context, id: ObligationId) -> Result<(), Stopped> {
        let Search { relative, obligations, .. } = self.search();
        let start = obligations.get(id);
        let position = start.property.expect("always known");
        let initial = relative.find_initial_in(&start.set)?;
        let initial = initial.expect("the unit was seen to contain an initial state");
        let inputs: Vec<_> = obligations.chain(id).map(|link| link.step.inputs.clone()).collect();
        let problem = &self.search.as_ref().expect("made by run").relative.problem;
        let property = self.properties[position];
        let trace = evidence::trace(self.system, problem, property, initial, &inputs);
        context.violate(position, trace);
        Ok(())
    }

    /// Whether the property still needs work.
    fn is_open(&self, context: &Context, property: usize) -> bool {
        context.is_open(property)
    }

    /// The positions of the properties that need work.
    fn open(&self, context: &Context) -> Vec<usize> {
        context.open(self.properties.len())
    }

    fn search(&mut self) -> &mut Search {
        self.search.as_mut().expect("made when the first run begins")
    }

    /// Makes everything for a search, unless it is there. Stops if the system is not for words, or
    /// if nothing may be spent on them.
    fn begin(&mut self, context: &Context) -> Result<(), Stopped> {
        if self.search.is_some() {
            return Ok(());
        }
        let budget = self.options.budget.saturating_mul(1000);
        if budget == 0 {
            return Err(Stopped(Reason::Budget));
        }
        let problem = Problem::new(self.system, &self.properties)
            .map_err(|NotForWords(why)| Stopped(Reason::Unsupported(why)))?;
        let simulation = Simulation::new(&problem);
        let mut relative = Relative::new(problem, &self.bits.blasting, context)?;
        // Without anyone to hand over to, it need not be quick.
        let trial = if self.options.hand_over { self.options.trial } else { u64::MAX };
        let trial = trial.saturating_mul(1000);
        // What a large model costs before the first query is no part of the trial, and samples
        // only have their share.
        let done = relative.work();
        relative.meter.set_limits(Limits::after(done, trial / SHARE_OF_SAMPLES, budget));
        match self.take_samples(&mut relative, context.seed) {
            Ok(()) | Err(Stopped(Reason::Budget)) => {}
            Err(stopped) => return Err(stopped),
        }
        let done = relative.work();
        relative.meter.set_limits(Limits::after(done, trial, budget));
        self.search = Some(Search {
            relative,
            obligations: Obligations::new(),
            simulation,
            strengthener: Strengthener::default(),
            failed: Failed::default(),
        });
        Ok(())
    }

    /// Runs the model from random initial states.
    fn take_samples(&self, relative: &mut Relative, seed: u64) -> Result<(), Stopped> {
        let Some(mut runner) = Runner::new(self.system, &relative.problem) else { return Ok(()) };
        let mut dice = Dice::new(seed);
        for _ in 0..self.options.samples {
            let wish = lift::wish(&relative.problem, &mut dice);
            let Some(start) = relative.find_initial(&wish)? else { break };
            runner.run(relative, &start, SAMPLE_STEPS, &mut dice)?;
        }
        Ok(())
    }

    /// Begins, searches, and hands over if it must. Returns why it stopped.
    fn run_all(&mut self, context: &Context) -> Reason {
        let searched = match self.begin(context) {
            Ok(()) => {
                self.search().relative.set_interrupt(context);
                self.wpdr(context)
            }
            Err(stopped) => Err(stopped),
        };
        match searched {
            Ok(reason) => reason,
            Err(Stopped(Reason::Budget | Reason::Unsupported(_))) if self.options.hand_over => {
                self.hand_over(context)
            }
            Err(Stopped(reason)) => reason,
        }
    }
}

/// Expands a unit that can be excluded from `F_i`, and excludes the result: from `F_j`, for the
/// `j` that is returned.
fn learn(
    relative: &mut Relative,
    context: &Context,
    options: &WordOptions,
    failed: &mut Failed,
    unit: &Unit,
    core: Unit,
    level: Level,
) -> Result<Level, Stopped> {
    let (mut lemma, mut level) = (core, level);
    if options.highest {
        (lemma, level) = find_highest(relative, context, unit, lemma, level)?;
    }
    lemma = expand(relative, context, lemma, level)?;
    if options.arity >= 2 {
        relative.note_shape(&lemma);
        lemma = reshape(relative, context, options, failed, lemma, level)?;
    }
    // Push to higher levels while that holds.
    let top = relative.frames.top();
    while level < top {
        let Some(core) = find_inductive(relative, context, &lemma, level.above())? else { break };
        (lemma, level) = (core, level.above());
    }
    relative.add_lemma(context, lemma, level)?;
    Ok(level)
}

/// Pushes lemmas to higher frames.
fn propagate(relative: &mut Relative, context: &Context) -> Result<(), Stopped> {
    let top = relative.frames.top();
    for level in (1..top.index()).map(Level::new) {
        for id in relative.frames.delta((), level).to_vec() {
            if !relative.frames.is_live(id) {
                continue;
            }
            let unit = relative.frames.lemma(id).set().clone();
            for goal in [Level::INFINITY, level.above()] {
                if find_inductive(relative, context, &unit, goal)?.is_some() {
                    relative.promote_lemma(context, id, goal)?;
                    break;
                }
            }
        }
    }
    Ok(())
}

/// The highest level at which the unit (or its core) can be excluded, and a unit that covers it
/// there.
fn find_highest(
    relative: &mut Relative,
    context: &Context,
    unit: &Unit,
    core: Unit,
    level: Level,
) -> Result<(Unit, Level), Stopped> {
    for candidate in [&core, unit] {
        if let Some(found) = find_inductive(relative, context, candidate, Level::INFINITY)? {
            return Ok((found, Level::INFINITY));
        }
    }
    let top = relative.frames.top();
    if level < top {
        for candidate in [&core, unit] {
            if let Some(found) = find_inductive(relative, context, candidate, top)? {
                return Ok((found, top));
            }
        }
    }
    Ok((core, level))
}

impl Engine for Wpdr<'_> {
    fn name(&self) -> &'static str {
        "wpdr"
    }

    fn run(&mut self, context: &Context) -> End {
        let open = self.open(context);
        context.emit(|| Event::Started { engine: "wpdr", open: open.len() });
        if !open.iter().all(|property| self.safe.contains(property)) {
            self.safe_up_to = None;
        }
        let reason = self.run_all(context);
        let open = self.open(context).len();
        context.emit(|| Event::Finished { open, progress: self.progress() });
        End { reason, safe_up_to: self.safe_up_to }
    }

    fn progress(&self) -> Progress {
        let Some(Search { relative, obligations, .. }) = &self.search else {
            return self.elsewhere;
        };
        let stats = relative.stats();
        let frames: &Frames = &relative.frames;
        Progress {
            depth: frames.top().index(),
            frames: frames.top().index() + 1,
            lemmas: frames.len(),
            obligations: obligations.waiting(),
            queries: stats.queries,
            conflicts: stats.conflicts,
        }
    }
}
