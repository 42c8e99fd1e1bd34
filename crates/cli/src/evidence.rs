//! Evidence as files: witnesses, waveforms, certificates. Certificates are checked once more in the
//! form in which they are written. SMT-LIB queries may be too hard for that; then only the
//! invariant that they are about was checked, and verdict lines say so.

use crate::args::CheckArgs;
use crate::load::{InputError, Loaded};
use crate::output::{check_writable, is_stream, write_file};
use crate::paths::refuse_clashes;
use crate::report::{Missing, WrittenFile};
use crate::view::signals;
use anyhow::{Result, anyhow, bail};
use pedra_certify::{
    CertificateError, CheckOptions, NumberedModel, ProofError, ScriptError, Stop, check_script,
    check_word_certificate, replay_bit_lasso, replay_word_lasso,
};
use pedra_check::{Checked, InternalError};
use pedra_formats::vcd::{SignalKind, Waves};
use pedra_formats::{aiger, aiger_witness, btor2, vcd};
use pedra_model::Model;
use pedra_model::bits::BitSystem;
use pedra_model::blast::BlastOptions;
use pedra_model::proof::{Proof, WordProof};
use pedra_model::property::Property;
use pedra_model::system::System;
use pedra_model::trace::Trace;
use pedra_verilog::{About, Kind, testbench};
use std::path::{Path, PathBuf};

/// The forms of a certificate file, by its ending.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CertificateForm {
    /// A witness circuit in binary AIGER.
    AigerBinary,
    /// A witness circuit in ascii AIGER.
    AigerAscii,
    /// A witness circuit in BTOR2.
    Btor2,
    /// The proof obligations as SMT-LIB queries.
    Smtlib,
}

/// The ending of a file name, in lower case.
pub fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// The form that a certificate for this model takes in this file.
pub fn certificate_form(path: &Path, model: &Model) -> Result<CertificateForm, InputError> {
    let form = match (ending(path).as_str(), model) {
        ("aig", Model::Bits(_)) => CertificateForm::AigerBinary,
        ("aag", Model::Bits(_)) => CertificateForm::AigerAscii,
        ("btor2" | "btor", Model::Words(_)) => CertificateForm::Btor2,
        ("smt2", Model::Words(_)) => CertificateForm::Smtlib,
        (_, Model::Bits(_)) => {
            let text = "the certificate of an AIGER model ends in .aig or .aag";
            return Err(InputError(format!("{}: {text}", path.display())));
        }
        (_, Model::Words(_)) => {
            let text = "the certificate of a BTOR2 model or a Verilog design ends in .btor2, .btor or .smt2";
            return Err(InputError(format!("{}: {text}", path.display())));
        }
    };
    Ok(form)
}

/// Refuses, before anything runs, files that could not be written later.
pub fn check_paths(
    args: &CheckArgs,
    loaded: &Loaded,
    selected: &[usize],
) -> Result<(), InputError> {
    if let Some(path) = &args.certificate {
        certificate_form(path, &loaded.model)?;
        let is_set = |&p: &usize| matches!(loaded.model.property(p), Property::Justice(_));
        if matches!(loaded.model, Model::Words(_)) && selected.iter().any(is_set) {
            return Err(InputError(format!("{NO_WORD_LIVE}; leave out --certificate")));
        }
        if args.settings().kind.simple_path {
            let text = "proofs that need simple paths have no certificate file; leave out \
                        -o kind.simple-path=on or --certificate";
            return Err(InputError(text.to_owned()));
        }
    }
    let about = loaded.about.iter().flat_map(|about| &about.properties);
    let included = about.filter_map(|p| Some(PathBuf::from(&p.place.as_ref()?.file)));
    let inputs: Vec<PathBuf> = args.inputs().into_iter().chain(included).collect();
    let properties: Vec<Property> = selected.iter().map(|&p| loaded.model.property(p)).collect();
    refuse_clashes(&args.outputs(), &inputs, &properties)
}

/// Refuses a file that could not be written later.
pub fn refuse_unwritable(path: &Path) -> Result<(), InputError> {
    check_writable(path).map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            _ => error.to_string(),
        };
        InputError(format!("{}: cannot be written: {why}", path.display()))
    })
}

/// The complaint about an output that is the model.
pub fn overwrites_model(path: &Path) -> InputError {
    overwrites_input(path, true)
}

/// The complaint about an output that is an input.
pub fn overwrites_input(path: &Path, is_model: bool) -> InputError {
    let what = if is_model { "the model itself" } else { "an input" };
    InputError(format!("{}: this is {what}; choose another name", path.display()))
}

/// The waveform of a violation. Of a design it has the signals of the source only.
pub fn waves(loaded: &Loaded, trace: &Trace) -> Result<Waves, String> {
    match (&loaded.model, trace) {
        (Model::Bits(system), Trace::Bits(t)) => signals::of_bits(system, t, Some(t.property)),
        (Model::Words(system), Trace::Words(t)) => {
            let mut waves = signals::of_words(system, t, Some(t.property))?;
            if let Some(about) = &loaded.about {
                signals::drop_nameless(&mut waves, system);
                mark_violations(&mut waves, about);
            }
            Ok(waves)
        }
        _ => Err("the trace is of another level than the model".to_owned()),
    }
}

/// The signal of an assertion is true where it is violated: its name says so.
fn mark_violations(waves: &mut Waves, about: &About) {
    let bads = waves.signals.iter_mut().filter(|signal| signal.kind == SignalKind::Bad);
    for (signal, property) in bads.zip(&about.properties) {
        if property.kind == Kind::Assert {
            signal.name = format!("{} violated", property.name);
        }
    }
}

/// A trace as a witness file.
///
/// # Errors
/// Why there is none: a lasso that leaves a part of the state open is no lasso for other tools.
pub fn witness_text(model: &Model, trace: &Trace) -> Result<String, &'static str> {
    let open = "the loop closes on those latches alone on which the violation depends, and would \
                have too many steps otherwise";
    let is_whole = match (model, trace) {
        _ if trace.loop_start().is_none() => true,
        (Model::Bits(system), Trace::Bits(trace)) => {
            replay_bit_lasso(system, trace).is_ok_and(|replay| replay.whole_state)
        }
        (Model::Words(system), Trace::Words(trace)) => {
            replay_word_lasso(system, trace).is_ok_and(|replay| replay.whole_state)
        }
        _ => false,
    };
    if !is_whole {
        return Err(open);
    }
    match (model, trace) {
        (Model::Bits(system), Trace::Bits(trace)) => Ok(aiger_witness::write(trace, system)),
        (Model::Words(system), Trace::Words(trace)) => Ok(btor2::witness::write(system, trace)),
        _ => unreachable!("a checked trace is of the model's level"),
    }
}

/// A trace of a design as a test bench.
fn test_bench(about: &About, loaded: &Loaded, args: &CheckArgs, trace: &Trace) -> Result<Vec<u8>> {
    let (Model::Words(system), Trace::Words(trace)) = (&loaded.model, trace) else {
        unreachable!("a checked trace is of the model's level")
    };
    let sources = std::iter::once(&args.model).chain(&args.more);
    let sources = sources.map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ");
    Ok(testbench::write(about, system, trace, &sources).into_bytes())
}

/// A certificate could not be checked in the form in which it is written.
#[derive(Debug)]
pub enum CheckStopped {
    /// A limit struck meanwhile.
    Limit,
    /// It is beyond what can be checked.
    NotCheckable(String),
}

impl std::fmt::Display for CheckStopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckStopped::Limit => f.write_str("stopped while the certificate file was checked"),
            CheckStopped::NotCheckable(why) => {
                write!(f, "the certificate file cannot be checked: {why}")
            }
        }
    }
}

impl std::error::Error for CheckStopped {}

/// A certificate file.
#[derive(Debug)]
pub struct Certificate {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Whether it was checked in that form; if not, the proof was.
    pub is_checked: bool,
}

/// The conflicts that one query of an SMT-LIB certificate may have.
const SCRIPT_CONFLICTS: u64 = 100_000;

/// The SMT-LIB queries of a proof.
fn smtlib_certificate(
    system: &System,
    proof: &WordProof,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<Certificate> {
    checked_script(pedra_certify::smtlib_obligations(system, proof)?, blasting, options)
}

/// SMT-LIB queries, read back and answered as far as they are not too hard.
///
/// # Errors
/// [`CheckStopped`], or an [`InternalError`] if an answer is not `unsat`.
pub fn checked_script(
    text: String,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<Certificate> {
    let limited =
        CheckOptions { limit_conflicts: Some(SCRIPT_CONFLICTS), fallback: None, ..options.clone() };
    let is_checked = match check_script(&text, blasting, &limited) {
        Ok(_) => true,
        Err(ScriptError::Stopped(Stop::OutOfBudget) | ScriptError::NotCheckable(_)) => false,
        Err(ScriptError::Stopped(Stop::Interrupted)) => return Err(CheckStopped::Limit.into()),
        Err(wrong) => return Err(InternalError(format!("certificate: {wrong}")).into()),
    };
    Ok(Certificate { bytes: text.into_bytes(), is_checked })
}

/// Why a proof about justice of a model in words has no file.
const NO_WORD_LIVE: &str = "proofs about justice of a BTOR2 model have no certificate file";

/// A witness circuit as a file.
fn aiger_bytes(witness: &BitSystem, form: CertificateForm) -> Vec<u8> {
    match form {
        CertificateForm::AigerAscii => aiger::write_ascii(witness),
        _ => aiger::write_binary(witness),
    }
}

/// A proof as a certificate file, checked in that form.
///
/// # Errors
/// [`CheckStopped`], or an [`InternalError`] if the file would be refuted.
pub fn certificate_bytes(
    loaded: &Loaded,
    proof: &Proof,
    form: CertificateForm,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<Certificate> {
    let whole = |bytes: Vec<u8>| Certificate { bytes, is_checked: true };
    let judge = |error: CertificateError| -> anyhow::Error {
        match error {
            CertificateError::Stopped(_) | CertificateError::Proof(ProofError::Stopped(_)) => {
                CheckStopped::Limit.into()
            }
            CertificateError::Unsupported(why)
            | CertificateError::Proof(ProofError::NotCheckable(why)) => {
                CheckStopped::NotCheckable(why).into()
            }
            other => InternalError(format!("certificate: {other}")).into(),
        }
    };
    match (&loaded.model, proof) {
        (Model::Bits(system), Proof::Bits(proof)) => {
            let witness = pedra_certify::aiger_certificate(system, proof)?;
            pedra_certify::check_certificate_for(system, &proof.properties, &witness, options)
                .map_err(judge)?;
            Ok(whole(aiger_bytes(&witness, form)))
        }
        (Model::Words(system), Proof::Words(proof)) if form == CertificateForm::Smtlib => {
            smtlib_certificate(system, proof, blasting, options)
        }
        (Model::Words(system), Proof::Words(proof)) => {
            let witness = pedra_certify::btor2_certificate(proof, &loaded.nodes)?;
            let model = NumberedModel { system, nodes: &loaded.nodes };
            check_word_certificate(model, &proof.properties, &witness, blasting, options)
                .map_err(judge)?;
            Ok(whole(btor2::write(&witness)?))
        }
        (Model::Bits(system), Proof::Live(proof)) => {
            let witness = pedra_certify::aiger_live_certificate(system, proof)?;
            pedra_certify::check_live_certificate(system, &witness, options).map_err(judge)?;
            Ok(whole(aiger_bytes(&witness, form)))
        }
        (Model::Words(_), Proof::Live(_)) => bail!(NO_WORD_LIVE),
        _ => unreachable!("a checked proof is of the model's level"),
    }
}

/// `trace.aiw` becomes `trace.b2.aiw` where several properties are decided. A device or pipe takes
/// all one after the other.
pub fn for_property(path: &Path, property: Property, several: bool) -> PathBuf {
    if !several || is_stream(path) {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(ending) => format!("{stem}.{property}.{}", ending.to_string_lossy()),
        None => format!("{stem}.{property}"),
    };
    path.with_file_name(name)
}

/// Which files are wanted, and for which property.
pub struct Request<'a> {
    /// Where they go.
    pub args: &'a CheckArgs,
    /// The property that was settled.
    pub property: usize,
    /// Whether others are decided too, so that names must differ.
    pub several: bool,
}

/// What became of the files that were asked for.
#[derive(Default)]
pub struct Written {
    /// Names of those that were written.
    pub files: Vec<WrittenFile>,
    /// Why others were not. The verdict stands without them.
    pub problems: Vec<(Missing, String)>,
}

/// Writes the files that were asked for.
///
/// # Errors
/// An [`InternalError`] if a file would not show what the verdict says.
pub fn write_files(
    request: &Request<'_>,
    loaded: &Loaded,
    answer: &Checked,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<Written> {
    let Request { args, property, several } = *request;
    let mut written = Written::default();
    let whole = |bytes: Vec<u8>| Certificate { bytes, is_checked: true };
    let mut add = |path: &PathBuf, file: Result<Certificate>| -> Result<()> {
        let path = for_property(path, loaded.model.property(property), several);
        let write = |file: Certificate| write_file(&path, &file.bytes).map(|()| file.is_checked);
        match file.and_then(write) {
            Ok(is_checked) => {
                written.files.push(WrittenFile { name: path.display().to_string(), is_checked });
            }
            Err(error) if error.is::<InternalError>() => return Err(error),
            Err(error) if error.is::<CheckStopped>() => {
                let text = format!("{}: not written: {error}", path.display());
                written.problems.push((Missing::Stopped, text));
            }
            Err(error) => written.problems.push((Missing::NotWritten, format!("{error:#}"))),
        }
        Ok(())
    };
    match answer {
        Checked::Violated(trace) => {
            if let Some(path) = &args.trace {
                let text = witness_text(&loaded.model, trace)
                    .map_err(|why| anyhow!("{}: not written: {why}", path.display()));
                add(path, text.map(|text| whole(text.into_bytes())))?;
            }
            if let Some(path) = &args.vcd {
                let waves = waves(loaded, trace).map_err(InternalError)?;
                let property = loaded.model.property(property);
                let about = format!("{}, property {property}", loaded.path.display());
                add(path, vcd::write(&waves, &about).map(whole).map_err(Into::into))?;
            }
            if let (Some(path), Some(about)) = (&args.test, &loaded.about) {
                add(path, test_bench(about, loaded, args, trace).map(whole))?;
            }
        }
        Checked::Proved { proof, .. } => {
            if let Some(path) = &args.certificate {
                let form = certificate_form(path, &loaded.model)?;
                add(path, certificate_bytes(loaded, proof, form, blasting, options))?;
            }
        }
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::bits::Reset;
    use pedra_model::proof::BitProof;

    /// One latch that stays 0, and the proof that it does.
    fn proved() -> (Loaded, Proof) {
        let mut system = BitSystem::new();
        system.add_latch(Reset::Zero);
        let lit = system.latches[0].var.lit();
        system.latches[0].next = lit;
        system.bads.push(lit);
        let proof = BitProof {
            properties: vec![0],
            gates: Vec::new(),
            clauses: Vec::new(),
            k: 1,
            simple_path: None,
        };
        let model = Model::Bits(system);
        let nodes = btor2::Nodes::default();
        let (path, bytes) = ("m.aag".into(), Vec::new());
        let loaded = Loaded { path, bytes, model, nodes, about: None };
        (loaded, Proof::Bits(proof))
    }

    #[test]
    fn a_limit_is_no_internal_error() {
        let (loaded, proof) = proved();
        let options = CheckOptions::default();
        let (form, blasting) = (CertificateForm::AigerAscii, BlastOptions::default());
        let write = || certificate_bytes(&loaded, &proof, form, &blasting, &options);
        assert!(write().expect("a certificate").bytes.starts_with(b"aag "));
        options.interrupt.raise();
        assert!(write().expect_err("stopped").is::<CheckStopped>());
    }

    #[test]
    fn names_for_several_properties() {
        let name = |path: &str, several| for_property(Path::new(path), Property::Bad(2), several);
        assert_eq!(name("a/out.vcd", true), Path::new("a/out.b2.vcd"));
        assert_eq!(name("a/out", true), Path::new("a/out.b2"));
        assert_eq!(name("a/out.vcd", false), Path::new("a/out.vcd"));
        assert_eq!(name("-", true), Path::new("-"));
        assert_eq!(name("/dev/null", true), Path::new("/dev/null"));
    }
}
