//! `pedra convert`: from one format to another, by the ending of the output's name.

use crate::args::ConvertArgs;
use crate::commands::language::{Language, Places, refuse_language};
use crate::evidence::{ending, overwrites_input, refuse_unwritable};
use crate::limits::exit_on_signal;
use crate::load::{InputError, load};
use crate::output::{same_file, write_file};
use crate::verilog;
use anyhow::{Context, Result};
use pedra_c::Errors;
use pedra_formats::{aiger, btor2, dot, smtlib};
use pedra_horn::raise::raise;
use pedra_horn::write::write;
use pedra_horn::{ByZero, Clauses};
use pedra_model::Model;
use pedra_model::bits::BitSystem;
use pedra_model::blast::{BlastOptions, blast};
use pedra_model::raise::words_from_bits;
use pedra_model::system::{State, System};
use pedra_model::term::{Term, TermId};
use pedra_program::dot::write_dot;
use pedra_program::{LowerOptions, Program, lower};
use pedra_verilog::is_verilog;
use std::borrow::Cow;
use std::path::Path;

/// The endings of files that can be written.
const FORMATS: &str = ".aig, .aag, .btor2, .btor, .smt2 and .dot";

/// Runs the command; gives the exit code.
pub fn run(args: &ConvertArgs) -> Result<i32> {
    let (output, more) = args.output.split_last().expect("clap wants one at least");
    let (write, first) = (writer(output)?, &args.input);
    let inputs = std::iter::once(first).chain(more).chain(args.verilog.script.as_ref());
    if let Some(at) = inputs.into_iter().position(|input| same_file(input, output)) {
        return Err(overwrites_input(output, at == 0).into());
    }
    let input = match Language::of(first) {
        _ if is_verilog(first) => {
            refuse_language(&args.language)?;
            match verilog::open_without_limits(first, more, &args.verilog)? {
                Some(loaded) => Input::Model(loaded.model),
                None => return Ok(verilog::STOPPED),
            }
        }
        language => {
            exit_on_signal();
            args.verilog.refuse(more)?;
            match language {
                Some(language) => {
                    let program =
                        language.load(first, &args.language, Places::OfSource, Errors::End)?;
                    Input::Program(program, language)
                }
                None => {
                    refuse_language(&args.language)?;
                    Input::Model(load(first)?.model)
                }
            }
        }
    };
    refuse_unwritable(output)?;
    let options = BlastOptions { max_array_bits: args.blast.array_bits, ..BlastOptions::default() };
    let bytes = write(&input, &options)
        .with_context(|| format!("{}: cannot be converted", first.display()))?;
    write_file(output, &bytes)?;
    Ok(0)
}

/// What is converted.
enum Input {
    Model(Model),
    Program(Program, Language),
}

type Writer = fn(&Input, &BlastOptions) -> Result<Vec<u8>>;

/// The writer that an ending stands for. Programs keep their shape as a drawing and as Horn
/// clauses; for the others they are inlined, simplified and flattened.
fn writer(path: &Path) -> Result<Writer, InputError> {
    Ok(match ending(path).as_str() {
        "aig" => |input, options| Ok(aiger::write_binary(&*as_bits(input, options)?)),
        "aag" => |input, options| Ok(aiger::write_ascii(&*as_bits(input, options)?)),
        "btor2" | "btor" => |input, _| Ok(btor2::write(&*as_words(input)?)?),
        "smt2" => |input, _| {
            Ok(match input {
                Input::Program(program, language) => {
                    let by_zero = match language {
                        Language::Horn => ByZero::Open,
                        Language::C | Language::Boogie => ByZero::Fixed,
                    };
                    write(&Clauses { by_zero, ..raise(program) }).into_bytes()
                }
                Input::Model(_) => smtlib::write_chc(&*as_words(input)?)?.into_bytes(),
            })
        },
        "dot" => |input, _| {
            Ok(match input {
                Input::Program(program, _) => write_dot(program).into_bytes(),
                Input::Model(Model::Bits(system)) => dot::bits(system).into_bytes(),
                Input::Model(Model::Words(system)) => dot::words(system).into_bytes(),
            })
        },
        "" => {
            let text = format!("{}: the file's ending names the format: {FORMATS}", path.display());
            return Err(InputError(text));
        }
        other => {
            let text = format!("{}: no format for '.{other}'; known are {FORMATS}", path.display());
            return Err(InputError(text));
        }
    })
}

fn as_bits<'a>(input: &'a Input, options: &BlastOptions) -> Result<Cow<'a, BitSystem>> {
    Ok(match input {
        Input::Model(Model::Bits(system)) => Cow::Borrowed(system),
        _ => Cow::Owned(blast(&*as_words(input)?, options)?.system),
    })
}

fn as_words(input: &Input) -> Result<Cow<'_, System>> {
    Ok(match input {
        Input::Model(Model::Bits(system)) => Cow::Owned(words_from_bits(system)),
        Input::Model(Model::Words(system)) => Cow::Borrowed(system),
        Input::Program(program, _) => {
            let system = lower(program, &LowerOptions::default())?.flat.system;
            Cow::Owned(with_array_states(system))
        }
    })
}

/// A system in which constant arrays in next values are states that keep their initial value:
/// BTOR2 has no other word for them.
fn with_array_states(mut system: System) -> System {
    let nexts: Vec<TermId> = system.states.iter().filter_map(|state| state.next).collect();
    let mut added: Vec<State> = Vec::new();
    let image = system.terms.substitute(nexts, |terms, id| {
        let Term::ConstArray { value, .. } = *terms.get(id) else { return None };
        terms.as_constant(value)?;
        let term = terms.new_symbol(terms.sort(id));
        added.push(State { term, name: None, init: Some(id), next: Some(term) });
        Some(term)
    });
    for state in &mut system.states {
        state.next = state.next.map(|next| image.of(next));
    }
    system.states.extend(added);
    system
}
