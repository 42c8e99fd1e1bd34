//! Runs C programs on the reference interpreter: `run FILE…` prints how each ends. Values from
//! outside are arbitrary. `--lp64` changes the data model.

use pedra_c::{DataModel, Options, load};
use pedra_model::random::Random;
use pedra_program::Program;
use pedra_program::interpreter;

/// The most steps of a run.
const STEPS: usize = 1_000_000;

fn main() {
    let (flags, files): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let is_lp64 = flags.iter().any(|flag| flag == "--lp64");
    let model = if is_lp64 { DataModel::Lp64 } else { DataModel::Ilp32 };
    let options = Options { model, ..Options::default() };
    for file in &files {
        let end = match std::fs::read(file) {
            Ok(text) => match load(&text, file, &options) {
                Ok(program) => outcome(&program),
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        };
        println!("{file}: {end}");
    }
}

fn outcome(program: &Program) -> String {
    let mut result = None;
    let mut violated = None;
    let entry = program.procedure(program.entry);
    let mut random = Random::new(1);
    let run = interpreter::run(program, &mut random, STEPS, |machine| {
        result = entry.results.first().and_then(|&variable| machine.value(variable).cloned());
        violated = machine.violated();
    });
    if let Some(undefined) = run.undefined {
        let check = undefined.of(program);
        let place = program.location(check.span, true);
        return format!("undefined at {place}: {}, {}", check.kind, check.text);
    }
    match (violated, result) {
        (Some(property), _) => {
            let property = &program.properties[property];
            format!("violates {} {}", program.location(property.span, false), property.text)
        }
        (None, Some(result)) if run.end.place == entry.exit => {
            format!("returns {}", result.as_bv().to_decimal())
        }
        _ => "ends".into(),
    }
}
