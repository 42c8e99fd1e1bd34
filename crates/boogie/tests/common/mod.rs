//! Random runs of programs with small values.
#![allow(dead_code, reason = "each test file uses its own part")]

use pedra_model::bv::Bv;
use pedra_model::term::{Scalar, Sort};
use pedra_model::value::Value;
use pedra_program::interpreter::{Oracle, run};
use pedra_program::{Program, ProgramTrace};
use pedra_testkit::random::Random;

/// Reads a program that is right.
pub fn program(text: &str) -> Program {
    match pedra_boogie::read(text.as_bytes(), "test.bpl") {
        Ok(program) => program,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// Small values, so that runs meet each other's conditions.
struct Small(Random);

/// A small value.
pub fn small_value(random: &mut Random, sort: Sort) -> Value {
    let mut scalar = |scalar: Scalar| match scalar {
        Scalar::Int => Value::Int((random.below(16) as i64 - 4).into()),
        Scalar::Bv(width) => Value::Bv(Bv::from_i64(width, random.below(16) as i64 - 4)),
    };
    match sort {
        Sort::Array { index, element } => {
            let mut array = Value::everywhere(index, &scalar(element));
            for _ in 0..3 {
                array = array.write(&scalar(index), &scalar(element));
            }
            array
        }
        sort => scalar(sort.scalar().expect("no array")),
    }
}

impl Oracle for Small {
    fn value(&mut self, sort: Sort) -> Value {
        small_value(&mut self.0, sort)
    }

    fn choose(&mut self, count: usize) -> usize {
        self.0.below(count)
    }
}

/// Which properties random runs violate. Each violation is replayed.
pub fn violated(program: &Program, runs: u64, steps: usize) -> Vec<bool> {
    let mut violated = vec![false; program.properties.len()];
    for seed in 0..runs {
        let mut oracle = Small(Random::new(seed));
        let run = run(program, &mut oracle, steps, |_| {});
        let found = program.properties.iter().position(|p| p.error == run.end);
        let Some(property) = found else { continue };
        assert!(run.undefined.is_none(), "Boogie has no undefined behaviour");
        let trace = ProgramTrace { property, initial: run.initial, steps: run.steps };
        pedra_program::interpreter::replay(program, &trace).expect("the run is a violation");
        violated[property] = true;
    }
    violated
}
