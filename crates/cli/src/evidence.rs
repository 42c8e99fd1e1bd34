//! Evidence as files: witnesses, waveforms, certificates. Certificates are checked once more in
//! the form in which they are written.

use crate::args::CheckArgs;
use crate::decide::InternalError;
use crate::load::{InputError, Loaded};
use crate::output::write_file;
use crate::pipeline::{Checked, Proof, Trace};
use crate::view::signals;
use anyhow::Result;
use pedra_certify::{CheckOptions, NumberedModel, check_word_certificate};
use pedra_formats::vcd::Waves;
use pedra_formats::{aiger, aiger_witness, btor2, vcd};
use pedra_model::Model;
use pedra_model::blast::BlastOptions;
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
            let text = "the certificate of a BTOR2 model ends in .btor2, .btor or .smt2";
            return Err(InputError(format!("{}: {text}", path.display())));
        }
    };
    Ok(form)
}

/// Refuses, before anything runs, files that could not be written later.
pub fn check_paths(args: &CheckArgs, loaded: &Loaded) -> Result<(), InputError> {
    if let Some(path) = &args.certificate {
        certificate_form(path, &loaded.model)?;
        if args.simple_path {
            let text = "proofs that need simple paths have no certificate file; leave out \
                        --simple-path or --certificate";
            return Err(InputError(text.to_owned()));
        }
    }
    for path in [&args.trace, &args.vcd, &args.certificate].into_iter().flatten() {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        if path.is_dir() || folder.is_some_and(|f| !f.is_dir()) {
            let text = "cannot be written: no such folder, or it is a folder";
            return Err(InputError(format!("{}: {text}", path.display())));
        }
    }
    Ok(())
}

/// The waveform of a violation.
pub fn waves(model: &Model, trace: &Trace) -> Result<Waves, String> {
    match (model, trace) {
        (Model::Bits(system), Trace::Bits(t)) => signals::of_bits(system, t, Some(t.property)),
        (Model::Words(system), Trace::Words(t)) => signals::of_words(system, t, Some(t.property)),
        _ => Err("the trace is of another level than the model".to_owned()),
    }
}

/// A trace as a witness file.
pub fn witness_text(model: &Model, trace: &Trace) -> String {
    match (model, trace) {
        (Model::Bits(system), Trace::Bits(trace)) => aiger_witness::write(trace, system),
        (Model::Words(system), Trace::Words(trace)) => btor2::witness::write(system, trace),
        _ => unreachable!("a checked trace is of the model's level"),
    }
}

/// A proof as a certificate file, checked in that form.
pub fn certificate_bytes(
    loaded: &Loaded,
    proof: &Proof,
    form: CertificateForm,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<Vec<u8>> {
    let wrong = |e: &dyn std::fmt::Display| InternalError(format!("certificate: {e}"));
    match (&loaded.model, proof) {
        (Model::Bits(system), Proof::Bits(proof)) => {
            let witness = pedra_certify::aiger_certificate(system, proof)?;
            pedra_certify::check_certificate_for(system, &proof.properties, &witness, options)
                .map_err(|e| wrong(&e))?;
            Ok(match form {
                CertificateForm::AigerAscii => aiger::write_ascii(&witness),
                _ => aiger::write_binary(&witness),
            })
        }
        (Model::Words(system), Proof::Words(proof)) if form == CertificateForm::Smtlib => {
            Ok(pedra_certify::smtlib_obligations(system, proof)?.into_bytes())
        }
        (Model::Words(system), Proof::Words(proof)) => {
            let nodes = btor2::read_with_ids(&loaded.bytes)?.nodes;
            let witness = pedra_certify::btor2_certificate(proof, &nodes)?;
            let model = NumberedModel { system, nodes: &nodes };
            check_word_certificate(model, &proof.properties, &witness, blasting, options)
                .map_err(|e| wrong(&e))?;
            Ok(btor2::write(&witness)?)
        }
        _ => unreachable!("a checked proof is of the model's level"),
    }
}

/// `trace.aiw` becomes `trace.b2.aiw` where several properties are decided.
fn for_property(path: &Path, property: usize, several: bool) -> PathBuf {
    if !several {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(ending) => format!("{stem}.b{property}.{}", ending.to_string_lossy()),
        None => format!("{stem}.b{property}"),
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

/// Writes the files that were asked for; gives their names.
pub fn write_files(
    request: &Request<'_>,
    loaded: &Loaded,
    answer: &Checked,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<Vec<String>> {
    let Request { args, property, several } = *request;
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let path_for = |path: &PathBuf| for_property(path, property, several);
    match answer {
        Checked::Violated(trace) => {
            if let Some(path) = &args.trace {
                files.push((path_for(path), witness_text(&loaded.model, trace).into_bytes()));
            }
            if let Some(path) = &args.vcd {
                let waves = waves(&loaded.model, trace).map_err(InternalError)?;
                let about = format!("{}, property b{property}", loaded.path.display());
                files.push((path_for(path), vcd::write(&waves, &about)?));
            }
        }
        Checked::Proved(proof) => {
            if let Some(path) = &args.certificate {
                let form = certificate_form(path, &loaded.model)?;
                let bytes = certificate_bytes(loaded, proof, form, blasting, options)?;
                files.push((path_for(path), bytes));
            }
        }
    }
    let mut written = Vec::new();
    for (path, bytes) in files {
        write_file(&path, &bytes)?;
        written.push(path.display().to_string());
    }
    Ok(written)
}
