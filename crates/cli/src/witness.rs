//! Witness files of models, of Pedra or another tool: what they show.
//!
//! Other tools go on after the violation, so a path is cut where it first violates its property. A
//! lasso is cut where its loop ends.

use crate::load::{InputError, Loaded, describe};
use pedra_certify::{
    LassoReplay, ReplayError, first_violation_of_bits, first_violation_of_words, replay_bit_lasso,
    replay_word_lasso,
};
use pedra_formats::error::FormatError;
use pedra_formats::{aiger_witness, btor2};
use pedra_model::Model;
use pedra_model::property::Property;
use pedra_model::trace::Trace;
use std::path::Path;

/// The traces of a file, one for each property that it names. The path is for messages.
///
/// # Errors
/// What is wrong with it.
pub fn read(loaded: &Loaded, path: &Path, bytes: &[u8]) -> Result<Vec<Trace>, InputError> {
    let bad_file = |error: FormatError| describe(path, bytes, &error);
    Ok(match &loaded.model {
        Model::Bits(system) => {
            let witnesses = aiger_witness::read(bytes, system).map_err(bad_file)?;
            let traces = witnesses.iter().flat_map(|witness| {
                witness.properties.iter().map(|&property| Trace::Bits(witness.trace(property)))
            });
            traces.collect()
        }
        Model::Words(system) => {
            let witness = btor2::witness::read(bytes, system).map_err(bad_file)?;
            let of_property = |&property: &usize| {
                let mut trace = witness.trace.clone();
                trace.property = property;
                Trace::Words(trace)
            };
            witness.properties.iter().map(of_property).collect()
        }
    })
}

/// What a trace shows, in words: `violated at step 7`. Cuts it there, and says where its loop
/// begins.
///
/// # Errors
/// Why it is no violation; then it is left as it is.
pub fn judge(model: &Model, trace: &mut Trace) -> Result<String, ReplayError> {
    match (model, trace) {
        (Model::Bits(system), Trace::Bits(trace)) => match system.property(trace.property) {
            Property::Bad(_) => {
                let replay = first_violation_of_bits(system, trace)?;
                trace.inputs.truncate(replay.depth + 1);
                Ok(at_step(replay.depth))
            }
            Property::Justice(_) => {
                let replay = replay_bit_lasso(system, trace)?;
                trace.inputs.truncate(replay.stem + replay.length);
                trace.loop_start = Some(replay.stem);
                Ok(by_lasso(replay))
            }
        },
        (Model::Words(system), Trace::Words(trace)) => {
            let (steps, text) = match system.property(trace.property) {
                Property::Bad(_) => {
                    let depth = first_violation_of_words(system, trace)?.depth;
                    (depth + 1, at_step(depth))
                }
                Property::Justice(_) => {
                    let replay = replay_word_lasso(system, trace)?;
                    trace.loop_start = Some(replay.stem);
                    (replay.stem + replay.length, by_lasso(replay))
                }
            };
            trace.inputs.truncate(steps);
            trace.states.truncate(steps);
            Ok(text)
        }
        _ => unreachable!("it was read for this model"),
    }
}

fn at_step(depth: usize) -> String {
    format!("violated at step {depth}")
}

fn by_lasso(LassoReplay { stem, length, whole_state }: LassoReplay) -> String {
    let part = if whole_state { "" } else { ", on the latches that it depends on" };
    format!("violated, lasso: stem {stem}, loop {length}{part}")
}
