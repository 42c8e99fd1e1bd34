//! Outcomes against explicit search, with their evidence.

#![allow(dead_code, reason = "each test file uses its own part")]

use pedra_certify::{CheckOptions, check_bit_proof, replay_bits};
use pedra_engines::{Context, Engine, Outcome, Reason, Unknown};
use pedra_model::bits::BitSystem;
use pedra_solve::{Interrupt, SolverKind};
use pedra_testkit::oracle::{ExplicitBits, explore};

/// Whether the outcomes are those of explicit search, with evidence; counterexamples shortest if
/// `shortest`.
pub fn judge(system: &BitSystem, outcomes: &[Outcome], shortest: bool, note: &str) {
    let expected = explore(&ExplicitBits::new(system)).violated_at;
    assert_eq!(outcomes.len(), expected.len(), "{note}");
    for (property, (outcome, truth)) in outcomes.iter().zip(expected).enumerate() {
        match (outcome, truth) {
            (Outcome::Violated(trace), Some(depth)) => {
                assert!(trace.property == property && trace.depth() >= depth, "{note}");
                assert!(!shortest || trace.depth() == depth, "{note}: not shortest");
                let replay = replay_bits(system, trace);
                replay.unwrap_or_else(|e| panic!("{note}: {e}: {trace:?}"));
            }
            (Outcome::Proved(proof), None) => {
                assert!(proof.properties.contains(&property), "{note}");
                let options = CheckOptions::with_solver(SolverKind::Batsat);
                let checked = check_bit_proof(system, proof, &options);
                checked.unwrap_or_else(|e| panic!("{note}: {e}: {proof:?}"));
            }
            _ => panic!("{note}: property {property} violated at {truth:?}, got {outcome:?}"),
        }
    }
}

/// Depth limits and raised interrupts in between change no answer, and claims on the way hold.
pub fn judge_slices(system: &BitSystem, engine: &mut dyn Engine, depths: usize, note: &str) {
    let expected = explore(&ExplicitBits::new(system)).violated_at;
    for max_depth in 0..depths {
        let context = Context { max_depth: Some(max_depth), ..Context::default() };
        for (outcome, violated) in engine.run(&context).iter().zip(&expected) {
            if let Outcome::Unknown(Unknown { reason, safe_up_to }) = outcome {
                assert_eq!(*reason, Reason::DepthLimit, "{note}");
                assert_eq!(*safe_up_to, Some(max_depth), "{note}");
                assert!(violated.is_none_or(|step| step > max_depth), "{note}");
            }
        }
        // On the way to the next depth, at once or after a few queries.
        let interrupt = Interrupt::new().child_with_looks((7 * max_depth % 31) as u64);
        engine.run(&Context { max_depth: Some(max_depth + 1), interrupt, ..Context::default() });
    }
    judge(system, &engine.run(&Context::default()), false, note);
}

/// Runs an engine that gets through by itself.
pub fn run(engine: &mut dyn Engine, max_depth: usize) -> Vec<Outcome> {
    engine.run(&Context { max_depth: Some(max_depth), ..Context::default() })
}
