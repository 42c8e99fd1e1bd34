//! Lifted PDR with summaries alone: random recursive programs against the tabulating oracle, with
//! every answer checked.

use pedra_certify::{CheckOptions, check_program_proof, replay_program};
use pedra_engines::program::ProgramVariant;
use pedra_engines::{Context, Engine, Lifted, Outcome, ProgramOptions};
use pedra_model::blast::BlastOptions;
use pedra_model::proof::Proof;
use pedra_model::trace::Trace;
use pedra_program::inline::Recursion;
use pedra_program::recursion::Components;
use pedra_program::{LowerOptions, Program, lower};
use pedra_solve::Interrupt;
use pedra_testkit::programs::{ProgramShape, random_program, tabulate_program};
use pedra_testkit::random::{Random, runs};
use std::sync::Arc;

/// The outcomes for all properties, each checked on the program.
fn decide(program: &Program, options: ProgramOptions, constants: bool, looks: u64) -> Vec<Outcome> {
    let recursion = Some(Recursion::Summaries);
    let lowering = LowerOptions { recursion, constants, ..LowerOptions::default() };
    let lowered = Arc::new(lower(program, &lowering).expect("it is small"));
    let all: Vec<usize> = (0..program.properties.len()).collect();
    let blasting = BlastOptions::default();
    let mut engine = Lifted::new(lowered.clone(), &all, options, &blasting);
    let interrupt = Interrupt::new().child_with_looks(looks);
    let context = Context { interrupt, ..Context::default() };
    engine.run(&context);
    let outcomes = context.ledger.outcomes(all.len());
    for (property, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Outcome::Proved(proof) => {
                let Proof::Program(proof) = &**proof else { panic!("a proof of the program") };
                assert!(proof.properties.contains(&property));
                let (inlined, options) = (&lowered.inlined.program, CheckOptions::default());
                check_program_proof(inlined, proof, &blasting, &options).expect("a proof");
            }
            Outcome::Violated(Trace::Program(trace)) => {
                assert_eq!(trace.property, property);
                replay_program(program, trace).expect("a run");
            }
            Outcome::Violated(_) => panic!("a run of the program"),
            Outcome::Unknown => {}
        }
    }
    outcomes
}

/// Programs of finitely many states are decided; those with integers as far as time allows.
fn against_the_oracle(seed: u64, rounds: u64, integers: bool) -> (usize, usize, usize) {
    let mut random = Random::new(seed);
    let (mut proved, mut violated, mut open) = (0, 0, 0);
    for round in 0..rounds {
        let arrays = !integers && random.one_in(6);
        let bits = random.between(2, 3) as u32;
        let (procedures, places) = (random.between(2, 3), random.between(2, 4));
        let shape = ProgramShape { procedures, places, bits, recursion: true, arrays, integers };
        let program = random_program(&mut random, shape);
        if Components::new(&program).recursive().is_empty() {
            continue;
        }
        let Some(truth) = tabulate_program(&program, 20_000) else { continue };
        let variant = match random.below(4) {
            0 => ProgramVariant::Implicants,
            1 => ProgramVariant::Inductive,
            _ => ProgramVariant::Full,
        };
        let options = ProgramOptions { variant, ..ProgramOptions::default() };
        let looks = if integers { 3_000 } else { 100_000 };
        let outcomes = decide(&program, options, random.one_in(2), looks);
        for (property, (outcome, is_violated)) in outcomes.iter().zip(truth).enumerate() {
            let place = format!("seed {seed}, round {round}, property {property}");
            match outcome {
                Outcome::Proved(_) => assert!(!is_violated, "{place}"),
                Outcome::Violated(_) => assert!(is_violated, "{place}"),
                Outcome::Unknown => assert!(integers, "{place}"),
            }
            match outcome {
                Outcome::Proved(_) => proved += 1,
                Outcome::Violated(_) => violated += 1,
                Outcome::Unknown => open += 1,
            }
        }
    }
    (proved, violated, open)
}

#[test]
fn recursive_programs_have_the_verdicts_of_the_oracle() {
    let (proved, violated, _) = against_the_oracle(71, runs(4_000), false);
    assert!(proved > 200 && violated > 40, "{proved} {violated}");
}

#[test]
fn recursive_programs_with_integers_have_the_verdicts_of_the_oracle() {
    let (proved, violated, open) = against_the_oracle(73, runs(2_000), true);
    assert!(proved > 100 && violated > 20 && open < 20, "{proved} {violated} {open}");
}
