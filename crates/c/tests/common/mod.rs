//! Loading and running programs. Each test file uses a part of it.

#![allow(dead_code)]

use pedra_c::{CError, DataModel, Options, load};
use pedra_model::random::Random;
use pedra_program::{Program, interpreter};

/// The program of a text, for one data model.
pub fn try_load(text: &str, model: DataModel) -> Result<Program, CError> {
    let options = Options { model, ..Options::default() };
    let program = load(text.as_bytes(), "test.c", &options)?;
    program.check().expect("the program graph is well formed");
    Ok(program)
}

/// The same for 32 bits; it must be a program.
pub fn program(text: &str) -> Program {
    match try_load(text, DataModel::Ilp32) {
        Ok(program) => program,
        Err(error) => panic!("{error}\n{}", error.text),
    }
}

/// How a run ends, in a few words: `returns N`, `violates TEXT`, `undefined: KIND TEXT`, `ends`.
pub fn outcome(program: &Program, seed: u64) -> String {
    let entry = program.procedure(program.entry);
    let (mut result, mut violated) = (None, None);
    let run = interpreter::run(program, &mut Random::new(seed), 200_000, |machine| {
        result = entry.results.first().and_then(|&variable| machine.value(variable).cloned());
        violated = machine.violated();
    });
    if let Some(undefined) = run.undefined {
        let check = undefined.of(program);
        return format!("undefined: {} {}", check.kind.name(), check.text);
    }
    if let Some(property) = violated {
        return format!("violates {}", program.properties[property].text);
    }
    match result {
        Some(result) if run.end.place == entry.exit => {
            let value = result.as_bv();
            let number = value.to_u64().unwrap_or(0) as u32 as i32;
            format!("returns {number}")
        }
        _ => "ends".into(),
    }
}
