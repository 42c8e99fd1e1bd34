//! Runs PDR on an AIGER file and says where the time went; options can be switched one by one.
//!
//! `cargo run --release -p pedra-engines --example pdr_run -- FILE [SECONDS] [NAME=VALUE]…`
//!
//! Names are those of `pedra check -o pdr.NAME=VALUE`, and `seed`.

use pedra_certify::{CheckOptions, check_bit_proof, replay_bits};
use pedra_engines::pdr::{CHOICES, Purpose};
use pedra_engines::{Context, Engine, Outcome, Pdr, PdrOptions, choose};
use pedra_model::proof::Proof;
use pedra_model::reduce::{ReduceOptions, reduce};
use pedra_model::trace::Trace;
use pedra_solve::Interrupt;
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a file");
    let seconds: f64 = arguments.next().map_or(20.0, |text| text.parse().expect("seconds"));
    let mut options = PdrOptions::default();
    let mut seed = 0;
    for text in arguments {
        match text.strip_prefix("seed=") {
            Some(text) => seed = text.parse().expect("a number"),
            None => choose(CHOICES, &mut options, &text).expect("a choice"),
        }
    }
    let model = pedra_formats::aiger::read(&std::fs::read(&file).expect("readable"));
    let model = model.expect("an AIGER file");
    let properties: Vec<usize> = (0..model.properties().len()).collect();
    let reduced = reduce(&model, &properties, &ReduceOptions::default());
    let system = &reduced.system;
    let start = Instant::now();
    let interrupt = Interrupt::with_timeout(Duration::from_secs_f64(seconds));
    let mut engine = Pdr::new(system, options);
    let context = Context { interrupt, seed, ..Context::default() };
    engine.run(&context);
    let outcomes = context.ledger.outcomes(properties.len());
    let time = start.elapsed().as_secs_f64();
    let verdicts: Vec<_> = outcomes.iter().map(Outcome::verdict).collect();
    println!("{file} {verdicts:?} {time:.2} s, {} latches", system.latches.len());
    println!("{:?}", engine.progress());
    let counts = engine.counts();
    for (purpose, [all, held]) in Purpose::ALL.into_iter().zip(counts.queries) {
        println!("  {purpose:?}: {all} queries, {held} held");
    }
    println!(
        "  lift: {} queries, {:?} literals; init: {}",
        counts.lifts, counts.lifted, counts.initial
    );
    for outcome in &outcomes {
        match outcome {
            Outcome::Proved(proof) => {
                let Proof::Bits(proof) = &**proof else { panic!("about words") };
                check_bit_proof(system, proof, &CheckOptions::default()).expect("a proof");
            }
            Outcome::Violated(trace) => {
                let Trace::Bits(trace) = trace else { panic!("about words") };
                replay_bits(system, trace).expect("a path");
            }
            Outcome::Unknown => {}
        }
    }
}
