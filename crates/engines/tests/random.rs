//! Random small systems against explicit search: verdicts, shortest depths, traces, proofs.

use crate::common;

use common::{decide, proof_of, run, trace_of};
use pedra_engines::{Bmc, BmcOptions, Context, Engine, Kind, KindOptions, Outcome, Reason};
use pedra_model::bits::{BitSystem, Reset};
use pedra_solve::{Interrupt, SolverKind};
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::oracle::{ExplicitBits, explore};
use pedra_testkit::points::{Claims, Points};
use pedra_testkit::random::Random;

/// More steps than any shortest violation takes: 16 states, and the first one twice.
const DEEP: usize = 40;

fn random_system(seed: u64, latches: usize) -> BitSystem {
    random_bits(&mut Random::new(seed), BitShape { latches, inputs: 3, gates: 16 })
}

fn check_bmc(system: &BitSystem, options: BmcOptions, solver: SolverKind, note: &str) {
    let context = Context { solver, ..Context::default() };
    let end = Bmc::new(system, options).run(&context);
    let outcomes = context.ledger.outcomes(system.properties().len());
    let depths = explore(&ExplicitBits::new(system)).violated_at;
    let points = Points::new(system);
    assert_eq!(outcomes.len(), depths.len(), "{note}");
    for (property, (outcome, depth)) in outcomes.iter().zip(depths).enumerate() {
        match (trace_of(outcome), depth) {
            (Some(trace), Some(depth)) => {
                assert_eq!((trace.property, trace.depth()), (property, depth), "{note}");
                assert!(points.replays(trace), "{note}: {trace:?}");
            }
            (None, None) if *outcome == Outcome::Unknown => {
                let Reason::Exhausted(last) = end.reason else { panic!("{note}: {end:?}") };
                // A window may reach beyond the end.
                assert!(end.safe_up_to.map_or(0, |step| step + 1) >= last, "{note}");
            }
            _ => panic!("{note}: property {property} violated at {depth:?}, got {outcome:?}"),
        }
    }
}

#[test]
fn bmc_finds_shortest_violations() {
    for seed in 0..1500 {
        let system = random_system(seed, 4);
        for window in [1, 2, 3, 8] {
            let options = BmcOptions { window, ..BmcOptions::default() };
            let solver = if seed % 3 == 0 { SolverKind::Batsat } else { SolverKind::Cadical };
            check_bmc(&system, options, solver, &format!("seed {seed}, window {window}"));
        }
    }
}

fn has_functional_reset(system: &BitSystem) -> bool {
    let functional = |reset| matches!(reset, Reset::Function(_));
    system.latches.iter().any(|latch| functional(latch.reset))
}

fn check_kind(system: &BitSystem, options: KindOptions, note: &str) {
    let outcomes = run(&mut Kind::new(system, options), system, DEEP);
    let depths = explore(&ExplicitBits::new(system)).violated_at;
    let points = Points::new(system);
    for (property, (outcome, depth)) in outcomes.iter().zip(depths).enumerate() {
        match (trace_of(outcome), proof_of(outcome), depth) {
            (Some(trace), _, Some(depth)) => {
                assert_eq!((trace.property, trace.depth()), (property, depth), "{note}");
                assert!(points.replays(trace), "{note}: {trace:?}");
            }
            (_, Some(proof), None) => {
                assert!(proof.properties.contains(&property), "{note}");
                assert!(
                    Claims::of(&points, proof).first_false() == "accepted",
                    "{note}: {proof:?}"
                );
            }
            // Without simple paths the method is incomplete.
            (None, None, None) => {
                let complete = options.simple_path && !has_functional_reset(system);
                assert!(!complete, "{note}: property {property} was not proved");
            }
            _ => panic!("{note}: property {property} violated at {depth:?}, got {outcome:?}"),
        }
    }
}

#[test]
fn k_induction_agrees_with_enumeration() {
    for seed in 0..1000 {
        let system = random_system(seed, 3);
        for (simple_path, joint) in [(false, false), (false, true), (true, false), (true, true)] {
            let options = KindOptions { simple_path, joint, ..KindOptions::default() };
            check_kind(&system, options, &format!("seed {seed}, {options:?}"));
        }
    }
}

#[test]
fn slices_give_the_same_answers_as_one_run() {
    for seed in 0..200 {
        let system = random_system(seed, 4);
        let whole = run(&mut Kind::new(&system, KindOptions::default()), &system, DEEP);
        let mut engine = Kind::new(&system, KindOptions::default());
        let (base, mut sliced) = (Context::default(), Vec::new());
        for max_depth in 0..=DEEP {
            let max_depth = Some(max_depth);
            let context = Context { max_depth, ..base.clone() };
            sliced = decide(&mut engine, &system, &context);
            // A raised interrupt in between changes nothing.
            let interrupt = Interrupt::new();
            interrupt.raise();
            engine.run(&Context { max_depth, interrupt, ..base.clone() });
        }
        assert_eq!(whole, sliced, "seed {seed}");
    }
}
