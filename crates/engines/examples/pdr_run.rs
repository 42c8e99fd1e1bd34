//! Runs PDR on an AIGER file and says where the time went; options can be switched one by one.
//!
//! `cargo run --release -p pedra-engines --example pdr_run -- FILE [SECONDS] [OPTION=VALUE]…`

use pedra_certify::{CheckOptions, check_bit_proof, replay_bits};
use pedra_engines::pdr::{Ctg, DropOrder, Lift, Purpose};
use pedra_engines::{Context, Engine, Outcome, Pdr, PdrOptions, Variant};
use pedra_model::reduce::{ReduceOptions, reduce};
use pedra_solve::{Interrupt, SolverKind};
use std::time::{Duration, Instant};

fn set(options: &mut PdrOptions, text: &str) {
    let (name, value) = text.split_once('=').expect("OPTION=VALUE");
    let number = || value.parse::<u32>().expect("a number");
    let on = value == "on" || value == "1";
    match name {
        "variant" => {
            *options = PdrOptions::variant(match value {
                "simple" => Variant::Simple,
                "generalize" => Variant::Generalize,
                "relative" => Variant::Relative,
                _ => Variant::Full,
            });
        }
        "solver" if value == "cadical" => options.solver = SolverKind::Cadical,
        "solver" => options.solver = SolverKind::Cdcl,
        "lift" if number() == 0 => options.lift = Lift::Off,
        "lift" => options.lift = Lift::Core(number()),
        "activity" if on => options.drop_order = DropOrder::Activity,
        "activity" => options.drop_order = DropOrder::Fixed,
        "ctg" => options.ctg = Ctg { max: number(), ..options.ctg },
        "heat" => options.ctg_heat = number(),
        "depth" => options.ctg = Ctg { depth: number(), ..options.ctg },
        "join" => options.ctg = Ctg { join: on, ..options.ctg },
        "parent" => options.parent_lemma = on,
        "push" => options.eager_push = on,
        "propagate" => options.propagate = on,
        "triggered" => options.triggered_push = on,
        "persistent" => options.persistent = on,
        "drop" => options.drop_obligations = number(),
        "infinity" => options.infinity = on,
        _ => panic!("no option {name}"),
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a file");
    let seconds: f64 = arguments.next().map_or(20.0, |text| text.parse().expect("seconds"));
    let mut options = PdrOptions::default();
    arguments.for_each(|text| set(&mut options, &text));
    let model = pedra_formats::aiger::read(&std::fs::read(&file).expect("readable"));
    let model = model.expect("an AIGER file");
    let properties: Vec<usize> = (0..model.properties().len()).collect();
    let reduced = reduce(&model, &properties, &ReduceOptions::default());
    let system = &reduced.system;
    let start = Instant::now();
    let interrupt = Interrupt::with_timeout(Duration::from_secs_f64(seconds));
    let mut engine = Pdr::new(system, options);
    let outcomes = engine.run(&Context { interrupt, ..Context::default() });
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
                check_bit_proof(system, proof, &CheckOptions::default()).expect("a proof");
            }
            Outcome::Violated(trace) => {
                replay_bits(system, trace).expect("a path");
            }
            Outcome::Unknown(_) => {}
        }
    }
}
