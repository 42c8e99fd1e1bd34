//! Answers, with their evidence in the forms that the program writes.

use crate::model::{Input, InternalError, input_error};
use pedra::evidence::{certificate_bytes, certificate_form, checked_script, waves, witness_text};
use pedra::load::Loaded;
use pedra::report::SourcePlace;
use pedra::view::invariants::loop_invariants;
use pedra::view::steps::{SourceStep, steps_of};
use pedra_certify::{CheckOptions, Trust, program_obligations, reduce_program_proof};
use pedra_check::{ProgramChecked, SafeUpTo};
use pedra_formats::vcd::{self, SignalKind, Waves};
use pedra_model::blast::BlastOptions;
use pedra_model::proof::Proof;
use pedra_model::trace::Trace;
use pedra_program::Program;
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// What an answer rests on.
pub enum Evidence {
    /// A proof that was checked.
    Proved {
        /// It.
        proof: Arc<Proof>,
        /// What its check took on trust.
        trust: Trust,
    },
    /// A trace that was replayed.
    Violated(Trace),
    /// Either of them, of a program.
    OfProgram(ProgramChecked),
    /// Nothing.
    Unknown {
        /// Why.
        reason: String,
        /// How far it is safe.
        safe: Option<SafeUpTo>,
    },
}

/// What became of a property.
#[pyclass(frozen, module = "pedra._native")]
pub struct Answer {
    /// The property.
    #[pyo3(get)]
    pub index: usize,
    /// The engine that settled it.
    #[pyo3(get)]
    pub engine: String,
    /// Seconds since the start of the check.
    #[pyo3(get)]
    pub seconds: f64,
    /// What it rests on.
    pub evidence: Evidence,
    /// The model that it is about.
    pub input: Arc<Input>,
    /// The program with its checks, if it is about one.
    pub program: Option<Arc<Program>>,
    /// How words become bits.
    pub blast: BlastOptions,
}

/// A signal of a trace: its name, its kind, whether the property depends on it, and its digits at
/// each step, `x` for those that do not matter.
type Signal = (String, &'static str, bool, Vec<String>);

/// A statement of a run: file, line, text, and what it changed.
type Step = (String, usize, String, String);

#[pymethods]
impl Answer {
    /// `proved`, `violated` or `unknown`.
    #[getter]
    fn verdict(&self) -> &'static str {
        match &self.evidence {
            Evidence::Proved { .. } | Evidence::OfProgram(ProgramChecked::Proved(..)) => "proved",
            Evidence::Violated(_) | Evidence::OfProgram(ProgramChecked::Violated(_)) => "violated",
            Evidence::Unknown { .. } => "unknown",
        }
    }

    /// Of a proof: its depth of induction, its clauses, and what was taken on trust.
    fn proof(&self) -> Option<(usize, usize, Option<&'static str>)> {
        match &self.evidence {
            Evidence::Proved { proof, trust } => Some((proof.k(), proof.clauses(), trust.text())),
            Evidence::OfProgram(ProgramChecked::Proved(proof, _, trust)) => {
                let clauses = proof.invariants.values().map(Vec::len).sum();
                Some((proof.k, clauses, trust.text()))
            }
            _ => None,
        }
    }

    /// Of a violation: its step.
    fn step(&self) -> Option<usize> {
        match &self.evidence {
            Evidence::Violated(trace) => Some(trace.depth()),
            Evidence::OfProgram(ProgramChecked::Violated(trace)) => Some(trace.steps.len()),
            _ => None,
        }
    }

    /// Of what is unknown: the reason, and the steps up to which there is no violation, as an
    /// engine says and as another solver has confirmed.
    fn unknown(&self) -> Option<(String, Option<usize>, Option<usize>)> {
        let Evidence::Unknown { reason, safe } = &self.evidence else { return None };
        let (claimed, checked) = (safe.map(|s| s.claimed), safe.and_then(|s| s.checked));
        Some((reason.clone(), claimed, checked))
    }

    /// The signals of a violation; none of a program.
    fn signals(&self) -> PyResult<Vec<Signal>> {
        let Some((_, waves)) = self.waves()? else { return Ok(Vec::new()) };
        let kind = |kind: SignalKind| match kind {
            SignalKind::Bad => "bad",
            SignalKind::Input => "input",
            SignalKind::State => "state",
            SignalKind::Constraint => "constraint",
            SignalKind::Wire => "wire",
        };
        let one = |signal: vcd::Signal| {
            let digits = signal.values.iter().map(|value| value.to_digits()).collect();
            (signal.name, kind(signal.kind), signal.in_cone, digits)
        };
        Ok(waves.signals.into_iter().map(one).collect())
    }

    /// The statements of a violation of a program.
    fn steps(&self) -> Vec<Step> {
        let (Evidence::OfProgram(ProgramChecked::Violated(trace)), Some(program)) =
            (&self.evidence, &self.program)
        else {
            return Vec::new();
        };
        let step = |step: SourceStep| {
            let changes = step.changes.iter().map(|(name, value)| format!("{name} = {value}"));
            let place = SourcePlace::of(program, step.span);
            (place.file, place.line, step.text, changes.collect::<Vec<String>>().join(", "))
        };
        steps_of(program, trace).into_iter().map(step).collect()
    }

    /// What a proof about a program says of its loops: line, head, and the conjuncts that the
    /// source can express. What the proof does not need is left out first.
    fn invariants(&self, py: Python<'_>) -> Vec<(u32, String, Vec<String>)> {
        let (Evidence::OfProgram(ProgramChecked::Proved(proof, inlined, _)), Some(program)) =
            (&self.evidence, &self.program)
        else {
            return Vec::new();
        };
        let options = CheckOptions::default();
        let found = py.detach(|| {
            let small = reduce_program_proof(&inlined.program, proof, &self.blast, &options);
            loop_invariants(program, inlined, &small)
        });
        let telling = found.into_iter().filter(|of| !of.is_trivial());
        telling.map(|of| (of.span.line, of.head, of.shown)).collect()
    }

    /// The trace of a model as a witness in the model's format; none for a lasso that leaves a part
    /// of the state open.
    fn witness(&self) -> Option<String> {
        match (&*self.input, &self.evidence) {
            (Input::Model(loaded), Evidence::Violated(trace)) => {
                witness_text(&loaded.model, trace).ok()
            }
            _ => None,
        }
    }

    /// The trace of a model as VCD.
    fn vcd(&self) -> PyResult<Option<Vec<u8>>> {
        let Some((loaded, waves)) = self.waves()? else { return Ok(None) };
        let about = format!("{}, property b{}", loaded.path.display(), self.index);
        vcd::write(&waves, &about).map(Some).map_err(input_error)
    }

    /// The proof as a certificate in the form that an ending stands for (`.aig`, `.btor2`,
    /// `.smt2` and so on), checked in that form. Gives the bytes, and whether the check went
    /// through.
    fn certificate(&self, py: Python<'_>, ending: &str) -> PyResult<Option<(Vec<u8>, bool)>> {
        let name = format!("certificate.{}", ending.trim_start_matches('.'));
        let options = CheckOptions::default();
        let made = match (&*self.input, &self.evidence) {
            (Input::Model(loaded), Evidence::Proved { proof, .. }) => {
                let form = certificate_form(Path::new(&name), &loaded.model);
                let form = form.map_err(input_error)?;
                py.detach(|| certificate_bytes(loaded, proof, form, &self.blast, &options))
            }
            (_, Evidence::OfProgram(ProgramChecked::Proved(proof, inlined, _))) => {
                if !name.ends_with(".smt2") {
                    return Err(input_error("the certificate of a program is SMT-LIB (smt2)"));
                }
                py.detach(|| {
                    let text = program_obligations(&inlined.program, proof)?;
                    checked_script(text, &self.blast, &options)
                })
            }
            _ => return Ok(None),
        };
        match made {
            Ok(made) => Ok(Some((made.bytes, made.is_checked))),
            Err(error) if error.is::<pedra_check::InternalError>() => {
                Err(InternalError::new_err(format!("{error:#}")))
            }
            Err(error) => Err(input_error(format!("{error:#}"))),
        }
    }
}

impl Answer {
    fn waves(&self) -> PyResult<Option<(&Loaded, Waves)>> {
        match (&*self.input, &self.evidence) {
            (Input::Model(loaded), Evidence::Violated(trace)) => {
                let waves = waves(loaded, trace).map_err(InternalError::new_err)?;
                Ok(Some((loaded, waves)))
            }
            _ => Ok(None),
        }
    }
}
