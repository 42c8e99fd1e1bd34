//! `pedra convert`: from one format to another, by the ending of the output's name.

use crate::args::ConvertArgs;
use crate::evidence::{ending, overwrites_model, refuse_unwritable};
use crate::limits::exit_on_signal;
use crate::load::{InputError, load};
use crate::output::{same_file, write_file};
use anyhow::{Context, Result};
use pedra_formats::{aiger, btor2, dot, smtlib};
use pedra_model::Model;
use pedra_model::bits::BitSystem;
use pedra_model::blast::{BlastOptions, blast};
use pedra_model::raise::words_from_bits;
use pedra_model::system::System;
use std::borrow::Cow;
use std::path::Path;

/// Runs the command; gives the exit code.
pub fn run(args: &ConvertArgs) -> Result<i32> {
    exit_on_signal();
    let write = writer(&args.output)?;
    let loaded = load(&args.input)?;
    if same_file(&args.input, &args.output) {
        return Err(overwrites_model(&args.output).into());
    }
    refuse_unwritable(&args.output)?;
    let options = BlastOptions { max_array_bits: args.blast.array_bits, ..BlastOptions::default() };
    let bytes = write(&loaded.model, &options)
        .with_context(|| format!("{}: cannot be converted", args.input.display()))?;
    write_file(&args.output, &bytes)?;
    Ok(0)
}

type Writer = fn(&Model, &BlastOptions) -> Result<Vec<u8>>;

/// The writer that an ending stands for.
fn writer(path: &Path) -> Result<Writer, InputError> {
    Ok(match ending(path).as_str() {
        "aig" => |model, options| Ok(aiger::write_binary(&*as_bits(model, options)?)),
        "aag" => |model, options| Ok(aiger::write_ascii(&*as_bits(model, options)?)),
        "btor2" | "btor" => |model, _| Ok(btor2::write(&as_words(model))?),
        "smt2" => |model, _| Ok(smtlib::write_chc(&as_words(model))?.into_bytes()),
        "dot" => |model, _| {
            Ok(match model {
                Model::Bits(system) => dot::bits(system).into_bytes(),
                Model::Words(system) => dot::words(system).into_bytes(),
            })
        },
        other => {
            let text = format!(
                "{}: no format for '.{other}'; known are .aig, .aag, .btor2, .btor, .smt2 and .dot",
                path.display()
            );
            return Err(InputError(text));
        }
    })
}

fn as_bits<'a>(model: &'a Model, options: &BlastOptions) -> Result<Cow<'a, BitSystem>> {
    Ok(match model {
        Model::Bits(system) => Cow::Borrowed(system),
        Model::Words(system) => Cow::Owned(blast(system, options)?.system),
    })
}

fn as_words(model: &Model) -> Cow<'_, System> {
    match model {
        Model::Bits(system) => Cow::Owned(words_from_bits(system)),
        Model::Words(system) => Cow::Borrowed(system),
    }
}
