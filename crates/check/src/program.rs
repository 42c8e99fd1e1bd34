//! Deciding the properties of a program.
//!
//! The program is lowered to a transition system, on which all engines work. Answers are carried
//! back to the program and checked there, on the graph as the front end made it.
//!
//! Arithmetic in the graph wraps around and so on, where the source language leaves the result
//! undefined. So all runs of the graph include all defined runs: a proof is a proof. A violation
//! counts only if no check of its steps fails. If the violation that was found has an undefined
//! step, the search is repeated with undefined steps excluded ([`LowerOptions::only_defined`]). If
//! that finds none, the property is unknown, and the undefined operation is named: *required for
//! soundness* of both verdicts.

use crate::answer::{Checked, NotChecked};
use crate::decide::{self, InternalError, Observer, Open, SafeUpTo, Subject};
use crate::pipeline::split_by_arrays;
use crate::plan::Plan;
use pedra_certify::{
    BoundLimits, CheckOptions, ProgramProofError, Trust, check_bound, check_program_proof,
    replay_program,
};
use pedra_engines::{Event, Outcome};
use pedra_model::Model;
use pedra_model::proof::Proof;
use pedra_model::trace::Trace;
use pedra_program::flatten::LiftError;
use pedra_program::interpreter::Undefined;
use pedra_program::{LowerOptions, Lowered, Program, ProgramProof, ProgramTrace, lower};
use pedra_solve::Interrupt;
use std::sync::{Arc, Mutex, PoisonError};

/// An answer about a program that passed its check.
#[derive(Clone, Debug)]
pub enum ProgramChecked {
    /// The proof was accepted; it is about [`Lowered::inlined`].
    Proved(Arc<ProgramProof>, Arc<Lowered>),
    /// The run was replayed, and all its steps are defined.
    Violated(ProgramTrace),
}

/// Why a property of a program stays open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProgramOpen {
    /// The engines did not settle it, or the answer could not be checked.
    System(Open),
    /// The program cannot be turned into a system.
    NotLowered(String),
}

impl ProgramOpen {
    /// In words. `stopped` says why the run was stopped, if it was.
    pub fn text(&self, stopped: &str) -> String {
        match self {
            ProgramOpen::System(open) => open.text(stopped),
            ProgramOpen::NotLowered(text) => text.clone(),
        }
    }
}

/// Hears what happens, from several threads.
pub trait ProgramObserver: Sync {
    /// What can go wrong in telling it.
    type Error: From<InternalError> + Send;

    /// An engine emits an event.
    fn hear(&self, engine: usize, name: &'static str, event: &Event) {
        let _ = (engine, name, event);
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
    let run = Run { program, plan, interrupt, observer };
    let undefined = run.phase(selected, LowerOptions::default(), &[])?;
    if undefined.is_empty() {
        return Ok(());
    }
    let again: Vec<usize> = undefined.iter().map(|(property, _)| *property).collect();
    let options = LowerOptions { only_defined: true, ..LowerOptions::default() };
    run.phase(&again, options, &undefined).map(drop)
}

/// Properties whose violation is undefined, with the operation in words.
type UndefinedRuns = Vec<(usize, String)>;

struct Run<'a, O> {
    program: &'a Program,
    plan: &'a Plan,
    interrupt: &'a Interrupt,
    observer: &'a O,
}

impl<O: ProgramObserver> Run<'_, O> {
    /// Decides properties on all runs, or on the defined ones after undefined runs were found.
    /// Gives the properties for which only undefined runs were found now.
    fn phase(
        &self,
        selected: &[usize],
        options: LowerOptions,
        known: &[(usize, String)],
    ) -> Result<UndefinedRuns, O::Error> {
        let lowered = match lower(self.program, &options) {
            Ok(lowered) => Arc::new(lowered),
            Err(error) => {
                for &property in selected {
                    let why = ProgramOpen::NotLowered(error.to_string());
                    self.observer.open(property, why, None);
                }
                return Ok(Vec::new());
            }
        };
        let phase =
            Phase { run: self, lowered, known, found: Mutex::default(), checked: Mutex::default() };
        phase.decide(selected)?;
        Ok(phase.found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A proof that was checked on the program: the engine's, and what came of it.
type CheckedProof = (Arc<Proof>, Result<Arc<Proof>, NotChecked>);

/// One search: what it is about, and who hears of it.
struct Phase<'a, 'r, O> {
    run: &'r Run<'a, O>,
    lowered: Arc<Lowered>,
    /// Undefined runs of the phase before; only defined runs count now.
    known: &'r [(usize, String)],
    found: Mutex<UndefinedRuns>,
    /// The last proof: one proof may settle many properties, and is checked once.
    checked: Mutex<Option<CheckedProof>>,
}

impl<O: ProgramObserver> Phase<'_, '_, O> {
    fn decide(&self, selected: &[usize]) -> Result<(), O::Error> {
        let Run { plan, interrupt, .. } = *self.run;
        let engines = plan.program_engines(&self.lowered, selected);
        let run = decide::Run { subject: self, selected, plan, interrupt, observer: self };
        if plan.is_for_programs() || self.lowered.has_integers() && !engines.is_empty() {
            return run.run(plan.side_by_side(engines, Vec::new(), selected.len()));
        }
        let model = Model::Words(self.lowered.flat.system.clone());
        let (fit, too_large) = split_by_arrays(&model, selected, &plan.blast);
        match engines.is_empty() {
            // Only engines for systems: they decide what can be made into bits.
            true => {
                for (property, error) in too_large {
                    self.open(property, Open::NotBits(error), None);
                }
                decide::Run { selected: &fit, ..run }.on_system(&model, engines)
            }
            false if too_large.is_empty() => run.on_system(&model, engines),
            false => run.run(plan.side_by_side(engines, Vec::new(), selected.len())),
        }
    }

    fn known(&self, property: usize) -> Option<String> {
        self.known.iter().find(|(p, _)| *p == property).map(|(_, text)| text.clone())
    }

    /// The proof about the program that a proof about the system stands for, and whether it is
    /// whole: invariants of places have no room for inputs, of which reductions may speak. What is
    /// left without them may be a proof or not; if it is refused, that is no defect.
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
            Proof::Bits(_) => Err(NotChecked::Wrong("the proof is about bits".to_owned())),
        }
    }

    /// Checks a proof on the program.
    fn check_proof(&self, proof: &Proof, options: &CheckOptions) -> Result<Arc<Proof>, NotChecked> {
        let (lifted, is_whole) = self.lift(proof)?;
        let program = &self.lowered.inlined.program;
        match check_program_proof(program, &lifted, &self.run.plan.blast, options) {
            Ok(_) => Ok(Arc::new(lifted.into())),
            Err(ProgramProofError::Stopped(_)) => Err(NotChecked::Stopped),
            Err(ProgramProofError::NotCheckable(why)) => Err(NotChecked::NotCheckable(why)),
            Err(other) if is_whole => Err(NotChecked::Wrong(format!("proof: {other}"))),
            Err(_) => Err(NotChecked::NotCheckable("the proof speaks of inputs".to_owned())),
        }
    }

    /// Replays a run on the program as the front end made it.
    fn check_trace(&self, trace: &Trace) -> Result<ProgramTrace, NotChecked> {
        let wrong = |e: &dyn std::fmt::Display| NotChecked::Wrong(e.to_string());
        let lifted = match trace {
            Trace::Program(trace) => trace.clone(),
            Trace::Words(words) => self.lowered.trace(words).map_err(|e| wrong(&e))?,
            Trace::Bits(_) => return Err(wrong(&"the trace is about bits")),
        };
        let replay = replay_program(self.run.program, &lifted).map_err(|e| wrong(&e))?;
        match replay.undefined {
            None => Ok(lifted),
            Some(_) if !self.known.is_empty() => Err(wrong(&"a run that must be defined is not")),
            Some(undefined) => Err(NotChecked::Undefined(describe(self.run.program, undefined))),
        }
    }
}

impl<O: ProgramObserver> Subject for Phase<'_, '_, O> {
    fn check(
        &self,
        outcome: &Outcome,
        options: &CheckOptions,
    ) -> Option<Result<Checked, NotChecked>> {
        match outcome {
            Outcome::Unknown => None,
            Outcome::Violated(trace) => {
                Some(self.check_trace(trace).map(|trace| Checked::Violated(trace.into())))
            }
            // Undefined runs reach it, and no others: that is no proof.
            Outcome::Proved(_) if !self.known.is_empty() => {
                Some(Err(NotChecked::Undefined(String::new())))
            }
            Outcome::Proved(proof) => {
                let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
                if checked.as_ref().is_none_or(|(last, _)| !Arc::ptr_eq(last, proof)) {
                    *checked = Some((proof.clone(), self.check_proof(proof, options)));
                }
                let (_, answer) = checked.as_ref().expect("just checked");
                let trust = Trust::default();
                Some(answer.clone().map(|proof| Checked::Proved { proof, trust }))
            }
        }
    }

    fn check_bound(
        &self,
        open: &[usize],
        last: usize,
        limits: BoundLimits,
        options: &CheckOptions,
    ) -> Result<Option<usize>, String> {
        // One step of the system is one block.
        let model = Model::Words(self.lowered.flat.system.clone());
        check_bound(&model, open, last, &self.run.plan.blast, limits, options)
            .map_err(|error| error.to_string())
    }
}

/// An undefined operation, in words.
fn describe(program: &Program, undefined: Undefined) -> String {
    let check = undefined.of(program);
    let location = program.location(check.span, true);
    match check.text.is_empty() {
        true => format!("{} at {location}", check.kind),
        false => format!("{} at {location}: {}", check.kind, check.text),
    }
}

impl<O: ProgramObserver> Observer for Phase<'_, '_, O> {
    type Error = O::Error;

    fn hear(&self, engine: usize, name: &'static str, event: &Event) {
        self.run.observer.hear(engine, name, event);
    }

    fn settled(
        &self,
        property: usize,
        engine: &'static str,
        answer: &Checked,
    ) -> Result<(), O::Error> {
        let answer = match answer {
            Checked::Proved { proof, .. } => match &**proof {
                Proof::Program(proof) => {
                    ProgramChecked::Proved(proof.clone(), self.lowered.clone())
                }
                _ => unreachable!("lifted when it was checked"),
            },
            Checked::Violated(Trace::Program(trace)) => ProgramChecked::Violated(trace.clone()),
            Checked::Violated(_) => unreachable!("lifted when it was checked"),
        };
        self.run.observer.settled(property, engine, &answer)
    }

    fn open(&self, property: usize, why: Open, safe: Option<SafeUpTo>) {
        let why = match (self.known(property), why) {
            (Some(text), _) => Open::Undefined(text),
            (None, Open::Undefined(text)) => {
                let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
                found.push((property, text));
                return;
            }
            (None, why) => why,
        };
        self.run.observer.open(property, ProgramOpen::System(why), safe);
    }
}
