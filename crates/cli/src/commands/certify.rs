//! `pedra certify`: checks a witness or a certificate, ours or anyone's.
//!
//! A file in the model's own format is a certificate (a witness circuit), anything else a
//! witness. Witnesses about programs are judged in [`crate::judge`], with engines.
//!
//! Accepted: exit 0. Refuted: exit 1 and the reason. A file that cannot be read: 2. A
//! check that was stopped or is not supported: 3, since that says nothing about the file.

use crate::args::{CertifyArgs, Wanted};
use crate::c_source::{CSource, error_text};
use crate::commands::language::Language;
use crate::judge::{Judge, Judgement};
use crate::limits::Watch;
use crate::load::{InputError, Loaded, describe, detect, load, read_bytes};
use crate::output::say;
use crate::report::Style;
use crate::witness::{self, judge};
use anyhow::Result;
use pedra_c::Options;
use pedra_c::specification::Specification;
use pedra_certify::{
    CertificateError, CheckOptions, CheckedCertificate, NumberedModel, ProofError,
    check_certificate_for, check_live_certificate, check_word_certificate,
};
use pedra_check::Plan;
use pedra_formats::error::FormatError;
use pedra_formats::text::printable;
use pedra_formats::{aiger, btor2};
use pedra_model::Model;
use pedra_model::blast::BlastOptions;
use pedra_model::property::Property;
use serde_json::json;
use std::path::Path;

/// Runs the command; gives the exit code.
pub fn run(args: &CertifyArgs) -> Result<i32> {
    let style = if args.json { Style::Json } else { Style::Human };
    let watch = Watch::start(&args.limits, 3, move |cause| {
        tell(style, &Judgement::Unknown(cause.text().to_owned()))
    });
    if Language::of(&args.model) == Some(Language::C) {
        let judgement = program_witness(args, &watch)?;
        return Ok(tell(style, &in_time(judgement, &watch)));
    }
    let loaded = load(&args.model)?;
    let bytes = read_evidence(&args.file, "certificates that end in .btor2")?;
    let selected = loaded.select(Wanted { names: &args.property, numbers: &[] })?;
    let judgement = if detect(&bytes).is_some() {
        let options =
            CheckOptions { interrupt: watch.interrupt().clone(), ..CheckOptions::default() };
        let blasting =
            BlastOptions { max_array_bits: args.blast.array_bits, ..BlastOptions::default() };
        certificate(&loaded, &selected, &args.file, &bytes, &blasting, &options)?
    } else {
        of_witness(&loaded, &selected, &args.file, &bytes)?
    };
    Ok(tell(style, &in_time(judgement, &watch)))
}

/// A check that was stopped is unknown for that reason.
fn in_time(judgement: Judgement, watch: &Watch) -> Judgement {
    match (judgement, watch.cause()) {
        (Judgement::Unknown(_), Some(cause)) => Judgement::Unknown(cause.text().to_owned()),
        (judgement, _) => judgement,
    }
}

/// Judges a witness about a C program.
fn program_witness(args: &CertifyArgs, watch: &Watch) -> Result<Judgement> {
    if !args.property.is_empty() {
        let text = "--property: the witness of a program names its own specification";
        return Err(InputError(text.to_owned()).into());
    }
    let bytes = read_evidence(&args.file, "witnesses of programs (`check --witness`)")?;
    let bad_file = |why: String| InputError(format!("{}: {why}", args.file.display()));
    let witness = pedra_c::witness::read(&bytes).map_err(bad_file)?;
    let model = witness.metadata.data_model;
    let source = CSource::read(&args.model, model)?;
    let blast = BlastOptions { max_array_bits: args.blast.array_bits, ..BlastOptions::default() };
    let plan = Plan { blast, ..Plan::default() };
    let specification = match Specification::read(&witness.metadata.specification) {
        Ok(specification) => specification,
        Err(why) => return Ok(Judgement::Unknown(format!("witness: {why}"))),
    };
    // What is wrong with the program alone is bad input.
    let errors = specification.errors();
    let options = Options { model, entry: specification.entry, errors };
    pedra_c::load(&source.text, &source.name(), &options)
        .map_err(|error| InputError(error_text(&source.path, &error)))?;
    Judge { source: &source, plan: &plan, interrupt: watch.interrupt() }.judge(&witness)
}

impl Judgement {
    /// As it is told: word, text and exit code.
    fn told(&self) -> (&'static str, &str, i32) {
        match self {
            Judgement::Accepted(text) => ("accepted", text, 0),
            Judgement::Refuted(text) => ("refuted", text, 1),
            Judgement::Unknown(text) => ("unknown", text, 3),
        }
    }
}

fn tell(style: Style, judgement: &Judgement) -> i32 {
    let (word, text, code) = judgement.told();
    match style {
        Style::Json => say(&json!({
            "schema": crate::report::SCHEMA,
            "event": "certify",
            "result": word,
            "text": text,
            "exit": code,
        })
        .to_string()),
        Style::Human => say(&format!("{word:<8}  {}", printable(text))),
    }
    code
}

/// Reads a file that is not for an SMT solver; `others` are what is taken in its place.
fn read_evidence(path: &Path, others: &str) -> Result<Vec<u8>, InputError> {
    let bytes = read_bytes(path)?;
    if !is_smtlib(&bytes) {
        return Ok(bytes);
    }
    let text = "SMT-LIB queries are for an SMT solver, such as `z3 FILE` or `bitwuzla FILE`: all \
                answers must be `unsat`. `pedra certify` takes";
    Err(InputError(format!("{}: {text} {others}", path.display())))
}

/// Queries of `check --certificate x.smt2`, or of another tool.
fn is_smtlib(bytes: &[u8]) -> bool {
    let lines = bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.into_iter().find(|l| !l.is_empty() && l[0] != b';');
    first.is_some_and(|line| line[0] == b'(')
}

fn of_witness(loaded: &Loaded, selected: &[usize], path: &Path, bytes: &[u8]) -> Result<Judgement> {
    loaded.check_size(1)?;
    // Every selected property that the file names must be violated.
    let traces = witness::read(loaded, path, bytes)?.into_iter();
    let traces = traces.filter(|trace| selected.contains(&trace.property()));
    let judged = traces.map(|mut trace| (trace.property(), judge(&loaded.model, &mut trace)));
    let judged: Vec<_> = judged.collect();
    if judged.is_empty() {
        let text = "witness: it is about none of the selected properties";
        return Ok(Judgement::Refuted(text.to_owned()));
    }
    let mut texts = Vec::new();
    for (index, result) in judged {
        let name = loaded.property_text(index);
        match result {
            Err(error) => return Ok(Judgement::Refuted(format!("{name}: {error}"))),
            Ok(how) => texts.push(format!("{name} {how}")),
        }
    }
    Ok(Judgement::Accepted(format!("witness: {}", texts.join(", "))))
}

fn certificate(
    loaded: &Loaded,
    selected: &[usize],
    path: &Path,
    bytes: &[u8],
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<Judgement> {
    let bad_file = |e: FormatError| describe(path, bytes, &e);
    let is_aiger = bytes.starts_with(b"aig ") || bytes.starts_with(b"aag ");
    if is_aiger != matches!(loaded.model, Model::Bits(_)) {
        let (has, needs) =
            if is_aiger { ("AIGER", "a BTOR2 model") } else { ("BTOR2", "an AIGER model") };
        let text = format!("{}: a certificate in {has} is not one for {needs}", path.display());
        return Err(InputError(text).into());
    }
    let is_set = |&&p: &&usize| matches!(loaded.model.property(p), Property::Justice(_));
    let set = selected.iter().find(is_set);
    let checked = match &loaded.model {
        Model::Bits(system) => {
            let witness = aiger::read(bytes).map_err(bad_file)?;
            match set {
                // Such a witness is about all properties of the model.
                Some(_) => check_live_certificate(system, &witness, options),
                None => check_certificate_for(system, selected, &witness, options),
            }
        }
        Model::Words(_) if set.is_some() => {
            let name = set.map_or_else(String::new, |&set| loaded.property_text(set));
            let text = format!("certificate: {name}: certificates of justice are those of AIGER");
            return Ok(Judgement::Unknown(text));
        }
        Model::Words(system) => {
            let witness = btor2::read(bytes).map_err(bad_file)?;
            let model = NumberedModel { system, nodes: &loaded.nodes };
            check_word_certificate(model, selected, &witness, blasting, options)
        }
    };
    Ok(judgement(loaded, selected, checked))
}

/// Only a formula that fails, or a file that makes no sense, refutes a certificate: a check that
/// was stopped or cannot be made says nothing about it.
fn judgement(
    loaded: &Loaded,
    selected: &[usize],
    checked: Result<CheckedCertificate, CertificateError>,
) -> Judgement {
    match checked {
        Ok(checked) => {
            let text = match selected {
                [one] => format!("{} holds", loaded.property_text(*one)),
                all if all.len() == loaded.num_properties() => {
                    format!("all {} properties hold", all.len())
                }
                some => {
                    let names: Vec<String> =
                        some.iter().map(|&i| loaded.property_text(i)).collect();
                    format!("{} hold", names.join(", "))
                }
            };
            let trusted = checked.trust.text();
            let trusted = trusted.map_or(String::new(), |what| format!(", {what} trusted"));
            Judgement::Accepted(format!("certificate: {text}{trusted}"))
        }
        Err(
            CertificateError::Stopped(stop) | CertificateError::Proof(ProofError::Stopped(stop)),
        ) => Judgement::Unknown(stop.to_string()),
        Err(CertificateError::Unsupported(text)) => {
            Judgement::Unknown(format!("certificate: {text}"))
        }
        Err(error) => {
            // `check` writes a certificate for each property.
            let hint = match selected.len() {
                0 | 1 => "",
                _ => "; if it is about one of the properties, name that with -p",
            };
            Judgement::Refuted(format!("certificate: {error}{hint}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_certify::{Effort, Stop, Trust};
    use pedra_model::bits::BitSystem;

    #[test]
    fn what_was_not_checked_is_not_refuted() {
        use CertificateError::{Malformed, Mapping, Proof, Stopped, Unsupported};
        let model = Model::Bits(BitSystem {
            bads: vec![pedra_model::lit::Lit::FALSE],
            ..BitSystem::default()
        });
        let nodes = btor2::Nodes::default();
        let (path, bytes) = ("m.aag".into(), Vec::new());
        let loaded = Loaded { path, bytes, model, nodes, about: None };
        let text = || "text".to_owned();
        for (checked, code) in [
            (
                Ok(CheckedCertificate {
                    shared: 0,
                    effort: Effort::default(),
                    trust: Trust::Nothing,
                }),
                0,
            ),
            (Err(Mapping(text())), 1),
            (Err(Malformed(text())), 1),
            (Err(Stopped(Stop::Interrupted)), 3),
            (Err(Stopped(Stop::OutOfBudget)), 3),
            (Err(Proof(ProofError::Stopped(Stop::Interrupted))), 3),
            (Err(Unsupported(text())), 3),
        ] {
            assert_eq!(judgement(&loaded, &[0], checked.clone()).told().2, code, "{checked:?}");
        }
    }
}
