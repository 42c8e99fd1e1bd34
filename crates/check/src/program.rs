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
use crate::decide::{InternalError, Observer, Open, SafeUpTo, decide};
use crate::plan::Plan;
use pedra_certify::{ProgramProofError, check_program_proof, replay_program};
use pedra_engines::Event;
use pedra_model::Model;
use pedra_model::proof::Proof;
use pedra_model::trace::Trace;
use pedra_program::flatten::LiftError;
use pedra_program::interpreter::Undefined;
use pedra_program::{LowerOptions, Lowered, Program, ProgramProof, ProgramTrace, lower};
use pedra_solve::Interrupt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// The runs that were found are undefined; the first undefined operation of one, in words.
    Undefined(String),
}

impl ProgramOpen {
    /// In words. `stopped` says why the run was stopped, if it was.
    pub fn text(&self, stopped: &str) -> String {
        match self {
            ProgramOpen::System(open) => open.text(stopped),
            ProgramOpen::NotLowered(text) => text.clone(),
            ProgramOpen::Undefined(text) => {
                format!("only runs with undefined behaviour reach it: {text}")
            }
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
        let model = Model::Words(lowered.flat.system.clone());
        let phase =
            Phase { run: self, lowered, known, found: Mutex::default(), checked: Mutex::default() };
        decide(&model, selected, self.plan, self.interrupt, &phase)?;
        Ok(phase.found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A proof that was checked on the program: the one of the system, and what came of it.
type CheckedProof = (Arc<Proof>, Result<Arc<ProgramProof>, NotChecked>);

/// One search, as the observer of the system's answers.
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
    fn known(&self, property: usize) -> Option<String> {
        self.known.iter().find(|(p, _)| *p == property).map(|(_, text)| text.clone())
    }

    fn found(&self) -> MutexGuard<'_, UndefinedRuns> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wrong(&self, property: usize, engine: &str, text: impl std::fmt::Display) -> O::Error {
        InternalError(format!("{engine}, property {property}: {text}")).into()
    }

    /// Carries a proof back to the program and checks it there.
    fn check_proof(&self, proof: &Proof, engine: &str) -> Result<Arc<ProgramProof>, NotChecked> {
        let Proof::Words(words) = proof else {
            return Err(NotChecked::Wrong("the proof is not about words".to_owned()));
        };
        // Invariants of places have no room for inputs, of which reductions may speak. What is left
        // without them may be a proof or not; if it is refused, that is no defect.
        let states = self.lowered.flat.without_inputs(words);
        let is_whole = states.invariant.len() == words.invariant.len();
        let lifted = self.lowered.proof(&states).map_err(|error| match error {
            LiftError::NotCheckable(_) => NotChecked::NotCheckable(error.to_string()),
            LiftError::NoPath => NotChecked::Wrong(error.to_string()),
        })?;
        let options = self.run.plan.check_options(engine, self.run.interrupt);
        let program = &self.lowered.inlined.program;
        match check_program_proof(program, &lifted, &self.run.plan.blast, &options) {
            Ok(_) => Ok(Arc::new(lifted)),
            Err(ProgramProofError::Stopped(_)) => Err(NotChecked::Stopped),
            Err(ProgramProofError::NotCheckable(why)) => Err(NotChecked::NotCheckable(why)),
            Err(other) if is_whole => Err(NotChecked::Wrong(format!("proof: {other}"))),
            Err(_) => Err(NotChecked::NotCheckable("the proof speaks of inputs".to_owned())),
        }
    }

    fn proved(
        &self,
        property: usize,
        engine: &'static str,
        proof: &Arc<Proof>,
    ) -> Result<(), O::Error> {
        if let Some(text) = self.known(property) {
            self.run.observer.open(property, ProgramOpen::Undefined(text), None);
            return Ok(());
        }
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if checked.as_ref().is_none_or(|(last, _)| !Arc::ptr_eq(last, proof)) {
            *checked = Some((proof.clone(), self.check_proof(proof, engine)));
        }
        let open = match &checked.as_ref().expect("just checked").1 {
            Ok(proof) => {
                let answer = ProgramChecked::Proved(proof.clone(), self.lowered.clone());
                return self.run.observer.settled(property, engine, &answer);
            }
            Err(NotChecked::Stopped) => Open::CheckStopped,
            Err(NotChecked::NotCheckable(why)) => Open::NotCheckable(why.clone()),
            Err(NotChecked::Wrong(text)) => return Err(self.wrong(property, engine, text)),
        };
        self.run.observer.open(property, ProgramOpen::System(open), None);
        Ok(())
    }

    fn violated(
        &self,
        property: usize,
        engine: &'static str,
        trace: &Trace,
    ) -> Result<(), O::Error> {
        let Trace::Words(words) = trace else {
            return Err(self.wrong(property, engine, "the trace is not about words"));
        };
        let lifted = self.lowered.trace(words).map_err(|e| self.wrong(property, engine, e))?;
        let replay = replay_program(self.run.program, &lifted)
            .map_err(|e| self.wrong(property, engine, e))?;
        match replay.undefined {
            None => {
                let answer = ProgramChecked::Violated(lifted);
                self.run.observer.settled(property, engine, &answer)
            }
            Some(_) if !self.known.is_empty() => {
                Err(self.wrong(property, engine, "a run that must be defined is not"))
            }
            Some(undefined) => {
                self.found().push((property, describe(self.run.program, undefined)));
                Ok(())
            }
        }
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
        match answer {
            Checked::Proved { proof, .. } => self.proved(property, engine, proof),
            Checked::Violated(trace) => self.violated(property, engine, trace),
        }
    }

    fn open(&self, property: usize, why: Open, safe: Option<SafeUpTo>) {
        let why = match self.known(property) {
            Some(text) => ProgramOpen::Undefined(text),
            None => ProgramOpen::System(why),
        };
        self.run.observer.open(property, why, safe);
    }
}
