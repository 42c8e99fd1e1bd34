//! `pedra convert`: from one format to another, by the ending of the output's name.

use crate::args::ConvertArgs;
use crate::evidence::ending;
use crate::load::{InputError, load};
use crate::output::write_file;
use anyhow::Result;
use pedra_formats::{aiger, btor2, dot, smtlib};
use pedra_model::Model;
use pedra_model::bits::BitSystem;
use pedra_model::blast::{BlastOptions, blast};
use pedra_model::raise::words_from_bits;
use pedra_model::system::System;
use std::borrow::Cow;

/// Runs the command; gives the exit code.
pub fn run(args: &ConvertArgs) -> Result<i32> {
    let model = load(&args.input)?.model;
    let options = BlastOptions { max_array_bits: args.blast.array_bits, ..BlastOptions::default() };
    let bytes = match ending(&args.output).as_str() {
        "aig" => aiger::write_binary(&*as_bits(&model, &options)?),
        "aag" => aiger::write_ascii(&*as_bits(&model, &options)?),
        "btor2" | "btor" => btor2::write(&*as_words(&model))?,
        "smt2" => smtlib::write_chc(&*as_words(&model))?.into_bytes(),
        "dot" => match &model {
            Model::Bits(system) => dot::bits(system).into_bytes(),
            Model::Words(system) => dot::words(system).into_bytes(),
        },
        other => {
            let text = format!(
                "{}: no format for '.{other}'; known are .aig, .aag, .btor2, .btor, .smt2 and .dot",
                args.output.display()
            );
            return Err(InputError(text).into());
        }
    };
    write_file(&args.output, &bytes)?;
    Ok(0)
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
