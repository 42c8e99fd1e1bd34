//! `pedra certify`: checks a witness or a certificate, ours or anyone's, without any engine.
//!
//! A file in the model's own format is a certificate (a witness circuit), anything else a
//! witness. Accepted: exit 0. Refuted: exit 1 and the reason. A file that cannot be read: 2. A
//! check that was stopped or is not supported: 3, since that says nothing about the file.

use crate::args::CertifyArgs;
use crate::limits::Watch;
use crate::load::{InputError, Loaded, describe, detect, load, read_bytes};
use crate::output::say;
use crate::report::Style;
use anyhow::Result;
use pedra_certify::{
    CertificateError, CheckOptions, NumberedModel, ProofError, check_certificate,
    check_word_certificate, replay_bits, replay_words,
};
use pedra_formats::error::FormatError;
use pedra_formats::{aiger, aiger_witness, btor2};
use pedra_model::Model;
use pedra_model::blast::BlastOptions;
use serde_json::json;
use std::path::Path;

/// What became of a file.
enum Judgement {
    /// It shows what it claims: this.
    Accepted(String),
    /// It does not, for this reason.
    Refuted(String),
    /// The check did not end.
    Unknown(String),
}

/// Runs the command; gives the exit code.
pub fn run(args: &CertifyArgs) -> Result<i32> {
    let style = if args.output.json { Style::Json } else { Style::Human };
    let watch = Watch::start(&args.limits, move |cause| {
        tell(style, &Judgement::Unknown(cause.text().to_owned()))
    });
    let loaded = load(&args.model)?;
    let bytes = read_bytes(&args.file)?;
    let is_circuit = detect(&bytes).is_some();
    let judgement = if is_circuit {
        let options =
            CheckOptions { interrupt: watch.interrupt().clone(), ..CheckOptions::default() };
        let blasting =
            BlastOptions { max_array_bits: args.blast.array_bits, ..BlastOptions::default() };
        certificate(&loaded, &args.file, &bytes, &blasting, &options)?
    } else {
        witness(&loaded, &args.file, &bytes)?
    };
    let judgement = match (judgement, watch.cause()) {
        (Judgement::Unknown(_), Some(cause)) => Judgement::Unknown(cause.text().to_owned()),
        (judgement, _) => judgement,
    };
    Ok(tell(style, &judgement))
}

fn tell(style: Style, judgement: &Judgement) -> i32 {
    let (word, text, code) = match judgement {
        Judgement::Accepted(text) => ("accepted", text, 0),
        Judgement::Refuted(text) => ("refuted", text, 1),
        Judgement::Unknown(text) => ("unknown", text, 3),
    };
    match style {
        Style::Json => say(&json!({
            "schema": crate::report::SCHEMA,
            "event": "certify",
            "result": word,
            "text": text,
            "exit": code,
        })
        .to_string()),
        _ => say(&format!("{word:<8}  {text}")),
    }
    code
}

fn property(loaded: &Loaded, index: usize) -> String {
    match loaded.property_name(index) {
        Some(name) => format!("b{index} {name}"),
        None => format!("b{index}"),
    }
}

fn witness(loaded: &Loaded, path: &Path, bytes: &[u8]) -> Result<Judgement> {
    let bad_file = |e: FormatError| describe(path, bytes, &e);
    // Every property that the file names must be violated.
    let mut judged = Vec::new();
    match &loaded.model {
        Model::Bits(system) => {
            for witness in aiger_witness::read(bytes, system).map_err(bad_file)? {
                for &p in &witness.properties {
                    judged.push((p, replay_bits(system, &witness.trace(p))));
                }
            }
        }
        Model::Words(system) => {
            let mut witness = btor2::witness::read(bytes, system).map_err(bad_file)?;
            for &p in &witness.properties {
                witness.trace.property = p;
                judged.push((p, replay_words(system, &witness.trace)));
            }
        }
    }
    let mut texts = Vec::new();
    for (index, result) in judged {
        let name = property(loaded, index);
        match result {
            Err(error) => return Ok(Judgement::Refuted(format!("{name}: {error}"))),
            Ok(replay) => texts.push(format!("{name} violated at step {}", replay.depth)),
        }
    }
    Ok(Judgement::Accepted(format!("witness: {}", texts.join(", "))))
}

fn certificate(
    loaded: &Loaded,
    path: &Path,
    bytes: &[u8],
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<Judgement> {
    let bad_file = |e: FormatError| describe(path, bytes, &e);
    if loaded.num_properties() == 0 {
        let text = "there is no safety property that a certificate could prove";
        return Err(InputError(format!("{}: {text}", loaded.path.display())).into());
    }
    let checked = match &loaded.model {
        Model::Bits(system) => {
            let witness = aiger::read(bytes).map_err(bad_file)?;
            check_certificate(system, &witness, options)
        }
        Model::Words(system) => {
            let witness = btor2::read(bytes).map_err(bad_file)?;
            let nodes = btor2::read_with_ids(&loaded.bytes)?.nodes;
            let properties: Vec<usize> = (0..system.bads.len()).collect();
            let model = NumberedModel { system, nodes: &nodes };
            check_word_certificate(model, &properties, &witness, blasting, options)
        }
    };
    Ok(match checked {
        Ok(_) if loaded.num_properties() == 1 => {
            Judgement::Accepted(format!("certificate: {} holds", property(loaded, 0)))
        }
        Ok(_) => {
            let count = loaded.num_properties();
            Judgement::Accepted(format!("certificate: all {count} properties hold"))
        }
        // A check that was stopped or cannot be made says nothing about the file.
        Err(
            CertificateError::Stopped(stop) | CertificateError::Proof(ProofError::Stopped(stop)),
        ) => Judgement::Unknown(stop.to_string()),
        Err(CertificateError::Unsupported(text)) => {
            Judgement::Unknown(format!("certificate: {text}"))
        }
        Err(error) => Judgement::Refuted(format!("certificate: {error}")),
    })
}
