//! Deciding the properties of a program.
//!
//! The program is lowered to a transition system, on which all engines work. Answers are carried
//! back to the program and checked there, on the graph as the front end made it.
//!
//! Where the source language leaves a result undefined, the graph defines one; arithmetic wraps
//! around, for example. The runs of the graph therefore include all defined runs, and a proof about
//! the graph is a proof about the program. A violation counts only if no check of its steps fails.
//! If the violation that was found has an undefined step, the search is repeated with undefined
//! steps excluded ([`LowerOptions::only_defined`]). If that finds none, the property is unknown,
//! and the undefined operation is named: *required for soundness* of both verdicts.
//!
//! Recursion is inlined up to a bound, which grows (`recursion`).

use crate::answer::{Checked, NotChecked};
use crate::decide::{self, InternalError, Observer, Subject};
use crate::open::{Open, ProgramOpen, SafeUpTo};
use crate::pipeline::{Prepared, Split, split_by_arrays};
use crate::plan::Plan;
use crate::program_answer::{ProgramChecked, ProofGraph, check_place_proof, check_run};
use crate::program_elsewhere::{ProgramAnswer, ProgramClaimant};
use pedra_certify::{BoundLimits, CheckOptions, Trust, check_bound};
use pedra_engines::portfolio::Crew;
use pedra_engines::{Engine, Event, Exchange, Outcome};
use pedra_model::Model;
use pedra_model::proof::Proof;
use pedra_model::trace::Trace;
use pedra_program::flatten::LiftError;
use pedra_program::inline::{Deeper, Recursion};
use pedra_program::recursion::Components;
use pedra_program::{Action, LowerOptions, Lowered, Program, ProgramProof, ProgramTrace, lower};
use pedra_solve::Interrupt;
use std::sync::{Arc, Mutex, PoisonError};

/// Hears what happens, from several threads.
pub trait ProgramObserver: Sync {
    /// What can go wrong in telling it.
    type Error: From<InternalError> + Send;

    /// An engine emits an event.
    fn hear(&self, engine: usize, name: &'static str, event: &Event) {
        let _ = (engine, name, event);
    }

    /// Whether details are wanted, see [`Observer::wants_details`].
    fn wants_details(&self) -> bool {
        false
    }

    /// An engine has failed, see [`Observer::crashed`].
    ///
    /// # Panics
    /// Unless it is overridden.
    fn crashed(&self, engine: &'static str, text: &str) {
        panic!("engine {engine} has failed: {text}");
    }

    /// See [`Observer::crew`].
    fn crew(&self) -> Option<&Crew> {
        None
    }

    /// See [`Observer::exchange`].
    fn exchange(&self) -> Option<&Exchange> {
        None
    }

    /// The program was made ready for engines on locations; what they tell next is about it.
    fn lowered(&self, lowered: &Lowered) {
        let _ = lowered;
    }

    /// Bit-level engines are about to work on this, see [`Observer::prepared`].
    fn prepared(&self, prepared: &Prepared<'_>) {
        let _ = prepared;
    }

    /// A property is settled and its answer checked.
    ///
    /// # Errors
    /// Whatever went wrong in telling it; ends the run.
    fn settled(
        &self,
        property: usize,
        engine: &'static str,
        answer: &ProgramChecked,
    ) -> Result<(), Self::Error>;

    /// A property stays open. Steps are blocks: paths between loop heads.
    fn open(&self, property: usize, why: ProgramOpen, safe: Option<SafeUpTo>);
}

/// Decides the selected properties of a program.
///
/// # Errors
/// An [`InternalError`] if an answer failed its check, or what the observer could not do.
pub fn decide_program<O: ProgramObserver>(
    program: &Program,
    selected: &[usize],
    plan: &Plan,
    interrupt: &Interrupt,
    observer: &O,
) -> Result<(), O::Error> {
    Run { program, plan, interrupt, observer, claimant: None }.decide(selected)
}

impl<O: ProgramObserver> Run<'_, O> {
    /// Decides the properties, with or without recursion.
    pub(crate) fn decide(&self, selected: &[usize]) -> Result<(), O::Error> {
        if !Components::new(self.program).recursive().is_empty() {
            return self.unwind(selected);
        }
        let (undefined, left) = split_undefined(self.whole(selected, LowerOptions::default())?);
        self.tell(left);
        if undefined.is_empty() {
            return Ok(());
        }
        let again: Vec<usize> = undefined.iter().map(|(property, _)| *property).collect();
        let options = LowerOptions { only_defined: true, ..LowerOptions::default() };
        for left in self.whole(&again, options)? {
            let known = undefined.iter().find(|(property, _)| *property == left.property);
            let why = match (known, left.why) {
                // No defined run reaches it.
                (Some((_, text)), ProgramOpen::System(Open::Undefined(_))) => {
                    ProgramOpen::System(Open::Undefined(text.clone()))
                }
                (Some((_, text)), why) => {
                    ProgramOpen::Defined { undefined: text.clone(), why: why.into() }
                }
                (None, why) => why,
            };
            self.tell([Left { why, ..left }]);
        }
        Ok(())
    }
}

/// A property that a search has left open.
pub(crate) struct Left {
    pub(crate) property: usize,
    pub(crate) why: ProgramOpen,
    safe: Option<SafeUpTo>,
}

/// Properties whose violation is undefined, with the operation in words.
pub(crate) type UndefinedRuns = Vec<(usize, String)>;

/// The properties for which only undefined runs were found, and the others.
pub(crate) fn split_undefined(all: Vec<Left>) -> (UndefinedRuns, Vec<Left>) {
    let (mut undefined, mut others) = (Vec::new(), Vec::new());
    for left in all {
        match left.why {
            ProgramOpen::System(Open::Undefined(text)) => undefined.push((left.property, text)),
            _ => others.push(left),
        }
    }
    (undefined, others)
}

pub(crate) struct Run<'a, O> {
    pub(crate) program: &'a Program,
    pub(crate) plan: &'a Plan,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) observer: &'a O,
    /// Who gets answers that another process checks, if that is so.
    pub(crate) claimant: Option<&'a dyn ProgramClaimant>,
}

impl<O: ProgramObserver> Run<'_, O> {
    /// Decides properties of a program without recursion, on all runs or on the defined ones. Gives
    /// those that stay open.
    fn whole(&self, selected: &[usize], options: LowerOptions) -> Result<Vec<Left>, O::Error> {
        match lower(self.program, &options) {
            Ok(lowered) => self.phase(selected, lowered.into(), &options),
            Err(error) => {
                let why = ProgramOpen::NotLowered(error.to_string());
                let left = |&property: &usize| Left { property, why: why.clone(), safe: None };
                Ok(selected.iter().map(left).collect())
            }
        }
    }

    /// Decides properties of a program that was lowered so. Gives those that stay open.
    pub(crate) fn phase(
        &self,
        selected: &[usize],
        lowered: Arc<Lowered>,
        options: &LowerOptions,
    ) -> Result<Vec<Left>, O::Error> {
        let phase = Phase::new(self, lowered, options);
        phase.decide(selected)?;
        Ok(phase.left.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same by one engine, which knows the properties by their positions.
    pub(crate) fn phase_by(
        &self,
        selected: &[usize],
        lowered: Arc<Lowered>,
        options: &LowerOptions,
        engine: &mut dyn Engine,
    ) -> Result<Vec<Left>, O::Error> {
        let phase = Phase::new(self, lowered, options);
        phase.as_run(selected).run(vec![Box::new(engine)])?;
        Ok(phase.left.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, all: impl IntoIterator<Item = Left>) {
        for Left { property, why, safe } in all {
            self.observer.open(property, why, safe);
        }
    }
}

/// A proof that was checked on the program: the engine's, and what came of it.
type CheckedProof = (Arc<Proof>, Result<(Arc<Proof>, Trust), NotChecked>);

/// One search: what it is about, and who hears of it.
struct Phase<'a, 'r, O> {
    run: &'r Run<'a, O>,
    lowered: Arc<Lowered>,
    /// Undefined runs were found before, and only defined runs are looked at now.
    only_defined: bool,
    /// What became of recursion, if there is any.
    recursion: Option<Recursion>,
    left: Mutex<Vec<Left>>,
    /// The last proof: one proof may settle many properties, and is checked once.
    checked: Mutex<Option<CheckedProof>>,
}

impl<'a, 'r, O: ProgramObserver> Phase<'a, 'r, O> {
    fn new(run: &'r Run<'a, O>, lowered: Arc<Lowered>, options: &LowerOptions) -> Self {
        Phase {
            run,
            lowered,
            only_defined: options.only_defined,
            recursion: options.recursion,
            left: Mutex::default(),
            checked: Mutex::default(),
        }
    }

    fn as_run<'p>(&'p self, selected: &'p [usize]) -> decide::Run<'p, Self, Self> {
        let Run { plan, interrupt, .. } = *self.run;
        self.run.observer.lowered(&self.lowered);
        decide::Run {
            subject: self,
            selected,
            bads: selected.len(),
            bounds: None,
            plan,
            interrupt,
            observer: self,
        }
    }

    fn decide(&self, selected: &[usize]) -> Result<(), O::Error> {
        let plan = self.run.plan;
        let engines = plan.program_engines(&self.lowered, selected);
        let run = self.as_run(selected);
        if plan.is_for_programs() || self.lowered.has_integers() && !engines.alone.is_empty() {
            return run.run(engines.line_up(plan, selected.len()));
        }
        let model = Model::Words(self.lowered.flat.system.clone());
        let Split { fit, large, hopeless } = split_by_arrays(&model, selected, &plan.blast);
        let too_large: Vec<(usize, String)> = large.into_iter().chain(hopeless).collect();
        match engines.alone.is_empty() {
            // Only engines for systems: they decide what can be made into bits.
            true => {
                for (property, error) in too_large {
                    self.open(property, Open::NotBits(error), None);
                }
                decide::Run { selected: &fit, bads: fit.len(), ..run }.on_system(&model, engines)
            }
            false if too_large.is_empty() => run.on_system(&model, engines),
            false => run.run(engines.line_up(plan, selected.len())),
        }
    }

    /// The proof about the program that a proof about the system stands for, and whether it is
    /// whole: invariants of places have no room for inputs, of which reductions may speak. What is
    /// left without them may be a proof or not; if it is refused, that is not a bug.
    fn lift(&self, proof: &Proof) -> Result<(ProgramProof, bool), NotChecked> {
        match proof {
            Proof::Program(proof) => Ok((ProgramProof::clone(proof), true)),
            Proof::Words(words) => {
                let states = self.lowered.flat.without_inputs(words);
                let is_whole = states.invariant.len() == words.invariant.len();
                let lifted = self.lowered.proof(&states).map_err(|error| match error {
                    LiftError::NotCheckable(_) => NotChecked::NotCheckable(error.to_string()),
                    LiftError::NoPath => NotChecked::Wrong(error.to_string()),
                })?;
                Ok((lifted, is_whole))
            }
            Proof::Bits(_) | Proof::Live(_) => {
                Err(NotChecked::Wrong("the proof is about bits".to_owned()))
            }
        }
    }

    /// Checks a proof on the program. Gives the proof about it, and what was taken on trust.
    fn check_proof(
        &self,
        proof: &Proof,
        options: &CheckOptions,
    ) -> Result<(Arc<Proof>, Trust), NotChecked> {
        let (lifted, is_whole) = self.lift(proof)?;
        let (inlined, blasting) = (&self.lowered.inlined, &self.run.plan.blast);
        match check_place_proof(inlined, &lifted, blasting, options) {
            Ok(trust) => Ok((Arc::new(lifted.into()), trust)),
            Err(NotChecked::Wrong(_)) if !is_whole => {
                Err(NotChecked::NotCheckable("the proof mentions inputs".to_owned()))
            }
            Err(why) => Err(why),
        }
    }

    /// Whether a run ends with a call that is deeper than the bound: it reaches no error place.
    fn is_deeper(&self, trace: &ProgramTrace) -> bool {
        let last = trace.steps.last().map(|step| &self.run.program.edge(step.edge).action);
        self.deeper() == Some(Deeper::Fails) && matches!(last, Some(Action::Call(_)))
    }

    fn deeper(&self) -> Option<Deeper> {
        match self.recursion {
            Some(Recursion::Bounded(bound)) => Some(bound.deeper),
            Some(Recursion::Summaries) | None => None,
        }
    }

    /// The run of the program that a trace stands for.
    fn lift_trace(&self, trace: &Trace) -> Result<ProgramTrace, NotChecked> {
        let lifted = match trace {
            Trace::Program(trace) => trace.clone(),
            Trace::Words(words) => {
                let lifted = self.lowered.trace(words);
                lifted.map_err(|error| NotChecked::Wrong(error.to_string()))?
            }
            Trace::Bits(_) => return Err(NotChecked::Wrong("the trace is about bits".to_owned())),
        };
        match self.is_deeper(&lifted) {
            true => Err(NotChecked::Bounded),
            false => Ok(lifted),
        }
    }

    /// Replays a run on the program as the front end made it.
    fn check_trace(&self, engine: &'static str, trace: &Trace) -> Result<ProgramTrace, NotChecked> {
        let lifted = self.lift_trace(trace)?;
        let checked = check_run(self.run.program, &lifted);
        if let Err(NotChecked::Undefined(_)) = checked
            && self.only_defined
        {
            return Err(NotChecked::Wrong("a run that must be defined is not".to_owned()));
        }
        let is_run = matches!(checked, Ok(()) | Err(NotChecked::Undefined(_)));
        if let (Some(claimant), true) = (self.run.claimant, is_run) {
            claimant.claim(engine, &ProgramAnswer::Violated(lifted.clone()));
        }
        checked.map(|()| lifted)
    }

    /// Passes a proof on to be checked elsewhere. One that may be none without anybody's fault is
    /// checked before.
    fn claim_proof(
        &self,
        claimant: &dyn ProgramClaimant,
        engine: &'static str,
        proof: &Proof,
        options: &CheckOptions,
    ) -> Result<(Arc<Proof>, Trust), NotChecked> {
        let (lifted, is_whole) = self.lift(proof)?;
        if !is_whole {
            self.check_proof(proof, options)?;
        }
        // *Required for soundness*: there is none for what proves nothing.
        let graph = ProofGraph::of(self.recursion).ok_or(NotChecked::Bounded)?;
        let (inlined, proof) = (self.lowered.inlined.clone(), Arc::new(lifted.clone()));
        claimant.claim(engine, &ProgramAnswer::Proved { graph, inlined, proof });
        Ok((Arc::new(lifted.into()), Trust::Nothing))
    }
}

impl<O: ProgramObserver> Subject for Phase<'_, '_, O> {
    fn check(
        &self,
        engine: &'static str,
        outcome: &Outcome,
        options: &CheckOptions,
    ) -> Option<Result<Checked, NotChecked>> {
        let checked = match outcome {
            Outcome::Unknown => None,
            Outcome::Violated(trace) => {
                let checked = self.check_trace(engine, trace);
                Some(checked.map(|trace| Checked::Violated(trace.into())))
            }
            // Undefined runs reach it, and no others: that is no proof.
            Outcome::Proved(_) if self.only_defined => {
                Some(Err(NotChecked::Undefined(String::new())))
            }
            // *Required for soundness*: runs that are deeper in recursion are missing here.
            Outcome::Proved(_) if self.deeper() == Some(Deeper::Ends) => {
                Some(Err(NotChecked::Bounded))
            }
            Outcome::Proved(proof) => {
                let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
                if checked.as_ref().is_none_or(|(last, _)| !Arc::ptr_eq(last, proof)) {
                    let answer = match self.run.claimant {
                        Some(claimant) => self.claim_proof(claimant, engine, proof, options),
                        None => self.check_proof(proof, options),
                    };
                    *checked = Some((proof.clone(), answer));
                }
                let (_, answer) = checked.as_ref().expect("just checked");
                Some(answer.clone().map(|(proof, trust)| Checked::Proved { proof, trust }))
            }
        };
        // What was only claimed is nothing that an observer may hear.
        checked.filter(|answer| self.run.claimant.is_none() || answer.is_err())
    }

    fn check_bound(
        &self,
        open: &[usize],
        last: usize,
        limits: BoundLimits,
        options: &CheckOptions,
    ) -> Result<Option<usize>, String> {
        if self.recursion.is_some() || self.run.claimant.is_some() {
            // It says nothing about deeper recursion, and is told to nobody; or others check it.
            return Ok(None);
        }
        // One step of the system is one block.
        let model = Model::Words(self.lowered.flat.system.clone());
        check_bound(&model, open, last, &self.run.plan.blast, limits, options)
            .map_err(|error| error.to_string())
    }
}

impl<O: ProgramObserver> Observer for Phase<'_, '_, O> {
    type Error = O::Error;

    fn hear(&self, engine: usize, name: &'static str, event: &Event) {
        self.run.observer.hear(engine, name, event);
    }

    fn wants_details(&self) -> bool {
        self.run.observer.wants_details()
    }

    fn crashed(&self, engine: &'static str, text: &str) {
        self.run.observer.crashed(engine, text);
    }

    fn crew(&self) -> Option<&Crew> {
        self.run.observer.crew()
    }

    fn exchange(&self) -> Option<&Exchange> {
        self.run.observer.exchange()
    }

    fn prepared(&self, prepared: &Prepared<'_>) {
        self.run.observer.prepared(prepared);
    }

    fn settled(
        &self,
        property: usize,
        engine: &'static str,
        answer: &Checked,
    ) -> Result<(), O::Error> {
        let answer = match answer {
            Checked::Proved { proof, trust } => match &**proof {
                Proof::Program(proof) => {
                    ProgramChecked::Proved(proof.clone(), self.lowered.inlined.clone(), *trust)
                }
                _ => unreachable!("lifted when it was checked"),
            },
            Checked::Violated(Trace::Program(trace)) => ProgramChecked::Violated(trace.clone()),
            Checked::Violated(_) => unreachable!("lifted when it was checked"),
        };
        self.run.observer.settled(property, engine, &answer)
    }

    fn open(&self, property: usize, why: Open, safe: Option<SafeUpTo>) {
        let left = Left { property, why: ProgramOpen::System(why), safe };
        self.left.lock().unwrap_or_else(PoisonError::into_inner).push(left);
    }
}
