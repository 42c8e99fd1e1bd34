//! PDR, property-directed reachability, also known as IC3.
//!
//! - A. R. Bradley: *SAT-Based Model Checking without Unrolling*, VMCAI 2011: the algorithm;
//!   `mic` and `down` in `generalize`.
//! - N. Eén, A. Mishchenko, R. Brayton: *Efficient Implementation of Property Directed
//!   Reachability*, FMCAD 2011: δ-encoded `frames`, the queue of `obligations`, lifting.
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
//! One concept a file: [`frames`] (the store of lemmas), `obligations`, `relative` (all queries;
//! owns the frame index), `initial`, `lift`, `generalize`, `propagate`, `transition` (what
//! solvers see), `solver` (which solver it is), `options`, `choices` (the options by name).

mod activity;
mod choices;
mod encode;
pub mod frames;
mod generalize;
mod initial;
mod lift;
mod obligations;
mod options;
mod propagate;
mod relative;
mod solver;
mod transition;
mod trigger;

pub use choices::{CHOICES, Choice};
pub use frames::{Frames, Lemma, LemmaId, Level};
pub use options::{Ctg, DropOrder, Generalize, Lift, PdrOptions, Variant};

use crate::context::{Context, Engine, Outcome, Reason};
use crate::events::{Event, Progress, Summary};
use crate::ledger::Ledger;
use generalize::Generalizer;
use obligations::{Obligation, ObligationId, Obligations};
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_model::proof::BitProof;
use pedra_model::trace::BitTrace;
use pedra_model::value::Ternary;
use propagate::{find_invariants, propagate_clauses};
use relative::{Answer, Hypothesis, Relative};
pub use relative::{Counts, Purpose};
use solver::Stopped;

/// PDR for all properties of a system.
pub struct Pdr<'a> {
    system: &'a BitSystem,
    options: PdrOptions,
    ledger: Ledger,
    /// Made when the first run begins.
    search: Option<Search<'a>>,
    /// None of `safe` is violated at any step up to this one.
    safe_up_to: Option<usize>,
    /// The properties that were open when the last frame was closed.
    safe: Vec<usize>,
}

/// The state of a search.
struct Search<'a> {
    relative: Relative<'a>,
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
        let ledger = Ledger::new(system.properties().len());
        Pdr { system, options, ledger, search: None, safe_up_to: None, safe: Vec::new() }
    }

    /// What the run amounts to so far.
    fn summary(&self) -> Summary {
        let Some(search) = &self.search else { return Summary::default() };
        let frames = search.relative.frames();
        let levels = (1..=frames.top().index()).map(|level| frames.delta(Level::new(level)).len());
        Summary {
            lemmas: levels.collect(),
            invariants: frames.delta(Level::INFINITY).len(),
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
        if !self.search().relative.check_any_initial()? {
            self.succeed(context, vec![Vec::new()]);
        }
        loop {
            let open = self.ledger.open(context);
            if open.is_empty() {
                return Ok(None);
            }
            let k = self.search().relative.top();
            if context.is_beyond_limit(k.index()) {
                return Ok(Some(Reason::DepthLimit));
            }
            context.emit(|| Event::Depth { depth: k.index(), progress: self.progress() });
            // while (s := SAT(F_k ∧ ¬P)) removeBad(k, s)
            for &property in &open {
                self.remove_all_bad(context, property, k)?;
            }
            (self.safe_up_to, self.safe) = (Some(k.index()), open);
            // k++; propagateClauses(k)
            self.open_frame(context)?;
            // if ∃ 0 < i < k: F_i = F_{i+1} then SUCCEED
            let frames = self.search().relative.frames();
            if let Some(fixpoint) = frames.fixpoint() {
                let cubes = frames.cubes(fixpoint).map(<[Lit]>::to_vec).collect();
                self.succeed(context, cubes);
            }
        }
    }

    /// Excludes all states of `F_k` that violate the property, or finds that one is reachable.
    fn remove_all_bad(
        &mut self,
        context: &Context,
        property: usize,
        k: Level,
    ) -> Result<(), Stopped> {
        loop {
            self.remove_bad(context, k)?;
            if !self.is_open(context, property) {
                return Ok(());
            }
            let effort = self.options.lifting();
            let Some(bad) = self.search().relative.find_bad(property, effort)? else {
                return Ok(());
            };
            let obligation = Obligation {
                cube: bad.cube.into(),
                inputs: bad.inputs.into(),
                successor: None,
                property,
                depth: 0,
                activity: 0.0,
            };
            self.raise(context, obligation, k);
        }
    }

    /// "removeBad", as a queue: deals with all obligations at levels up to `k`.
    fn remove_bad(&mut self, context: &Context, k: Level) -> Result<(), Stopped> {
        while let Some((id, level)) = self.search().obligations.pop(k) {
            let property = self.search().obligations.get(id).property;
            if !self.is_open(context, property) {
                continue;
            }
            match self.block(context, id, level) {
                Ok(Blocked::Yes) => {}
                Ok(Blocked::Violated) => self.fail(context, id)?,
                Err(Stopped) => {
                    // Nothing is lost: it waits for the next run.
                    self.search().obligations.wait(id, level);
                    return Err(Stopped);
                }
            }
        }
        Ok(())
    }

    /// Excludes one obligation from `F_i`, or raises a predecessor.
    fn block(
        &mut self,
        context: &Context,
        id: ObligationId,
        level: Level,
    ) -> Result<Blocked, Stopped> {
        let options = self.options;
        let Search { relative, obligations } = self.search.as_mut().expect("made by run");
        let cube: Vec<Lit> = obligations.get(id).cube.to_vec();
        // if SAT(S_0 ∧ s) then FAIL
        if level == Level::ZERO || relative.check_meets_init(&cube)? {
            return Ok(Blocked::Violated);
        }
        if let Some(lemma) = relative.frames().find_subsuming(&cube, level) {
            let covered = relative.frames().lemma(lemma).level();
            self.blocked(context, id, covered);
            return Ok(Blocked::Yes);
        }
        // Heuristic: a state that comes up again and again is better forgotten for now.
        let activity = obligations.activity_mut(id);
        *activity += 1.0;
        if options.drop_obligations > 0 && *activity > options.drop_obligations as f32 {
            return Ok(Blocked::Yes);
        }
        let hypothesis = match options.generalize {
            Generalize::Relative => Hypothesis::NotCube,
            Generalize::Off | Generalize::Naive => Hypothesis::None,
        };
        // t := SAT([¬s ∧] F_{i−1} ∧ R ∧ s')
        match relative.check_inductive(context, &cube, level, hypothesis, Purpose::Block)? {
            Answer::Predecessor => {
                let found = relative.lift_predecessor(&cube, level, options.lifting())?;
                let Obligation { property, depth, .. } = *obligations.get(id);
                let predecessor = Obligation {
                    cube: found.cube.into(),
                    inputs: found.inputs.into(),
                    successor: Some(id),
                    property,
                    depth: depth + 1,
                    activity: 0.0,
                };
                obligations.wait(id, level);
                self.raise(context, predecessor, level.below());
            }
            Answer::Inductive(core) => {
                let core = if options.generalize == Generalize::Off { cube } else { core };
                let ctg = options.effort(obligations.heat(id));
                let mut generalizer = Generalizer { relative, options: &options, ctg, context };
                let lemma = generalizer.generalize(core, level)?;
                let reached = generalizer.push_and_add(lemma, level)?;
                self.blocked(context, id, reached);
            }
        }
        Ok(Blocked::Yes)
    }

    /// Adds an obligation to the queue.
    fn raise(&mut self, context: &Context, obligation: Obligation, level: Level) {
        let Search { relative, obligations } = self.search();
        let id = obligations.raise(obligation, level);
        context.detail(|| {
            let Obligation { cube, successor, depth, .. } = obligations.get(id);
            Event::ObligationRaised {
                obligation: obligations.number(id),
                level: level.index(),
                depth: *depth as usize,
                successor: successor.map(|next| obligations.number(next)),
                claim: relative.transition.system_clause(cube).into(),
            }
        });
    }

    /// An obligation is excluded up to a level. Heuristic: it will come up again above.
    fn blocked(&mut self, context: &Context, id: ObligationId, level: Level) {
        let number = self.search().obligations.number(id);
        let reached = level.finite();
        context.detail(|| Event::ObligationBlocked { obligation: number, level: reached });
        if self.options.persistent && level != Level::INFINITY {
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
        if options.propagate {
            propagate_clauses(relative, context)?;
        }
        if options.infinity
            && relative.frames().fixpoint().is_none()
            && find_invariants(relative, context)?
        {
            let mut proved = Vec::new();
            for property in open {
                if relative.check_invariants_imply(property)? {
                    proved.push(property);
                }
            }
            let cubes: Vec<Vec<Lit>> =
                relative.frames().cubes(Level::INFINITY).map(<[Lit]>::to_vec).collect();
            if !proved.is_empty() {
                self.prove(context, proved, &cubes);
            }
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
        let transition = &self.search().relative.transition;
        let proof = BitProof {
            properties: properties.clone(),
            gates: transition.gates.clone(),
            clauses: cubes.iter().map(|cube| transition.system_clause(cube)).collect(),
            k: 1,
            simple_path: None,
        };
        for property in properties {
            self.ledger.settle(context, property, Outcome::Proved(proof.clone()));
        }
    }

    /// FAIL: an obligation contains an initial state.
    ///
    /// Every state of the obligation satisfies the constraints with the recorded inputs (with
    /// those on the link between `first` and the resets among them) and goes into the successor,
    /// so any initial state in it will do, with these inputs.
    fn fail(&mut self, context: &Context, id: ObligationId) -> Result<(), Stopped> {
        let num_inputs = self.system.inputs.len();
        let Search { relative, obligations } = self.search();
        let start = obligations.get(id);
        let property = start.property;
        let initial = match relative.find_initial_state(&start.cube) {
            Ok(initial) => initial,
            Err(Stopped) => {
                obligations.wait(id, Level::ZERO);
                return Err(Stopped);
            }
        };
        let first_input = relative.transition.input_vars().start;
        let mut inputs = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at {
            let obligation = obligations.get(id);
            let mut values = vec![Ternary::Unknown; num_inputs];
            for lit in &obligation.inputs {
                values[lit.var().index() - first_input] = Ternary::from(!lit.is_negated());
            }
            inputs.push(values);
            at = obligation.successor;
        }
        let trace = BitTrace { property, initial, inputs };
        self.ledger.settle(context, property, Outcome::Violated(trace));
        Ok(())
    }

    /// Whether the property still needs work.
    fn is_open(&self, context: &Context, property: usize) -> bool {
        let elsewhere = context.settled.is_some_and(|board| board.is_settled(property));
        !self.ledger.is_settled(property) && !elsewhere
    }

    fn search(&mut self) -> &mut Search<'a> {
        self.search.as_mut().expect("made when the first run begins")
    }
}

impl Engine for Pdr<'_> {
    fn name(&self) -> &'static str {
        "pdr"
    }

    fn run(&mut self, context: &Context) -> Vec<Outcome> {
        let open = self.ledger.open(context);
        context.emit(|| Event::Started { engine: "pdr", open: open.len() });
        if !open.iter().all(|property| self.safe.contains(property)) {
            // Somebody claimed to have settled it in the last run, and does no longer.
            self.safe_up_to = None;
        }
        let (system, options) = (self.system, self.options);
        let search = self.search.get_or_insert_with(|| Search {
            relative: Relative::new(system, &options, context),
            obligations: Obligations::new(),
        });
        search.relative.set_interrupt(&context.interrupt);
        let reason = match self.pdr(context) {
            Ok(reason) => reason.unwrap_or(Reason::SettledElsewhere),
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
