//! Outcomes against explicit search, with their evidence.

#![allow(dead_code, reason = "each test file uses its own part")]

use pedra_certify::{CheckOptions, check_bit_proof, replay_bits};
use pedra_engines::{Context, End, Engine, Outcome, Reason};
use pedra_model::bits::BitSystem;
use pedra_model::proof::{BitProof, Proof};
use pedra_model::trace::{BitTrace, Trace};
use pedra_solve::{Interrupt, SolverKind};
use pedra_testkit::oracle::{ExplicitBits, explore};

/// Whether the outcomes are those of explicit search, with evidence; counterexamples shortest if
/// `shortest`.
pub fn judge(system: &BitSystem, outcomes: &[Outcome], shortest: bool, note: &str) {
    let expected = explore(&ExplicitBits::new(system)).violated_at;
    assert_eq!(outcomes.len(), expected.len(), "{note}");
    for (property, (outcome, truth)) in outcomes.iter().zip(expected).enumerate() {
        match (trace_of(outcome), proof_of(outcome), truth) {
            (Some(trace), _, Some(depth)) => {
                assert!(trace.property == property && trace.depth() >= depth, "{note}");
                assert!(!shortest || trace.depth() == depth, "{note}: not shortest");
                let replay = replay_bits(system, trace);
                replay.unwrap_or_else(|e| panic!("{note}: {e}: {trace:?}"));
            }
            (_, Some(proof), None) => {
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
    let base = Context::default();
    for max_depth in 0..depths {
        let end = engine.run(&Context { max_depth: Some(max_depth), ..base.clone() });
        for property in base.open(expected.len()) {
            let reason = Reason::DepthLimit;
            assert_eq!(end, End { reason, safe_up_to: Some(max_depth) }, "{note}");
            assert!(expected[property].is_none_or(|step| step > max_depth), "{note}");
        }
        // On the way to the next depth, at once or after a few queries.
        let interrupt = Interrupt::new().child_with_looks((7 * max_depth % 31) as u64);
        engine.run(&Context { max_depth: Some(max_depth + 1), interrupt, ..base.clone() });
    }
    judge(system, &decide(engine, system, &base), false, note);
}

/// Runs an engine, and gives one outcome for each of the system's properties.
pub fn decide(engine: &mut dyn Engine, system: &BitSystem, context: &Context) -> Vec<Outcome> {
    engine.run(context);
    context.ledger.outcomes(system.properties().len())
}

/// The same for an engine that gets through by itself.
pub fn run(engine: &mut dyn Engine, system: &BitSystem, max_depth: usize) -> Vec<Outcome> {
    decide(engine, system, &Context { max_depth: Some(max_depth), ..Context::default() })
}

/// The path of a violation, if it is one.
pub fn trace_of(outcome: &Outcome) -> Option<&BitTrace> {
    match outcome {
        Outcome::Violated(Trace::Bits(trace)) => Some(trace),
        _ => None,
    }
}

/// The proof, if there is one.
pub fn proof_of(outcome: &Outcome) -> Option<&BitProof> {
    match outcome {
        Outcome::Proved(proof) => match &**proof {
            Proof::Bits(proof) => Some(proof),
            Proof::Words(_) | Proof::Program(_) | Proof::Live(_) => None,
        },
        _ => None,
    }
}
