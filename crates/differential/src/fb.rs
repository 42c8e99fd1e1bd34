//! fbPDR against explicit search: after every turn the frames of both directions hold the exact
//! sets, and the obligations that were told lie inside of them.

use crate::case::{BY_TURNS, Case, report};
use crate::chance::settings_of;
use crate::random_choices;
use pedra_certify::{CheckOptions, check_bit_proof, replay_bits};
use pedra_engines::cone::closed_latches;
use pedra_engines::fb::{CHOICES, FbOptions, FbPdr};
use pedra_engines::{Context, Direction, Engine, Outcome, PdrOptions};
use pedra_model::Model;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_model::proof::Proof;
use pedra_model::trace::Trace;
use pedra_solve::SolverKind;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::layers::Layers;
use pedra_testkit::oracle::{ExplicitBits, explore};
use pedra_testkit::random::Random;

/// Whether the outcomes are those of explicit search, with evidence.
///
/// # Panics
/// If not.
pub fn judge_bits(system: &BitSystem, outcomes: &[Outcome], note: &str) {
    let expected = explore(&ExplicitBits::new(system)).violated_at;
    for (property, (outcome, truth)) in outcomes.iter().zip(expected).enumerate() {
        let proof = match outcome {
            Outcome::Proved(proof) => Some(&**proof),
            _ => None,
        };
        match (outcome, proof, truth) {
            (Outcome::Violated(Trace::Bits(trace)), _, Some(depth)) => {
                assert!(trace.property == property && trace.depth() >= depth, "{note}");
                replay_bits(system, trace).unwrap_or_else(|e| panic!("{note}: {e}: {trace:?}"));
            }
            (_, Some(Proof::Bits(proof)), None) => {
                let options = CheckOptions::with_solver(SolverKind::Batsat);
                let checked = check_bit_proof(system, proof, &options);
                checked.unwrap_or_else(|e| panic!("{note}: {e}: {proof:?}"));
            }
            _ => panic!("{note}: property {property} violated at {truth:?}, got {outcome:?}"),
        }
    }
}

/// Any combination of choices.
pub fn random_fb_options(random: &mut Random) -> FbOptions {
    random_choices(CHOICES, FbOptions::default(), 1, random)
}

/// Runs turn by turn, and looks at both searches after each.
///
/// # Panics
/// If anything disagrees with explicit search.
pub fn check_turns(system: &BitSystem, pdr: PdrOptions, options: FbOptions, note: &str) {
    let layers = Layers::new(system);
    let resets = system.latches.iter().flat_map(|latch| match latch.reset {
        Reset::Function(function) if latch.reset.constant().is_none() => {
            vec![latch.var.lit(), function]
        }
        _ => Vec::new(),
    });
    let roots: Vec<Lit> = system.properties().iter().copied().chain(resets).collect();
    let latches = closed_latches(system, roots);
    let mut engine = FbPdr::new(system, pdr, options);
    let context = Context::default();
    for _ in 0..100_000 {
        if engine.turn(&context).is_some() {
            break;
        }
        let open = context.open(system.properties().len());
        let frames = |direction| {
            let engine = &engine;
            (1..).map_while(move |i| Some((i, engine.excluded(direction, i)?)))
        };
        for (level, excluded) in frames(Direction::Forward) {
            let wrong = layers.reached_in(level, &excluded);
            assert_eq!(wrong, None, "{note}: F_{level} excludes a reachable state");
        }
        for (level, excluded) in frames(Direction::Backward) {
            let wrong = layers.violates_in(level, &excluded, &open);
            assert_eq!(wrong, None, "{note}: RR_{level} excludes a state that leads to bad");
        }
        for told in engine.heard(Direction::Backward) {
            let property = told.property.expect("forward obligations have one");
            let inside = layers.all_violate_at(told.depth, &told.cube, property);
            assert!(inside, "{note}: {told:?} does not lead to a violation");
        }
        for told in engine.heard(Direction::Forward) {
            let inside = layers.all_reached_at(told.depth, &told.cube, &latches);
            assert!(inside, "{note}: {told:?} is not reachable");
        }
    }
    engine.run(&context);
    judge_bits(system, &context.ledger.outcomes(system.properties().len()), note);
}

/// A random system, with random options of both PDR and fbPDR.
///
/// # Panics
/// If anything disagrees with explicit search.
pub fn differential_fb(seed: u64) {
    let mut random = Random::new(seed ^ 0xfb00_0000_0000);
    let system = random_bits(&mut random, BitShape::default());
    let mut options = settings_of(&mut random, &["fbpdr", "rpdr", "pdr"]);
    options.insert(0, "--engine fbpdr".to_owned());
    options.push(BY_TURNS.to_owned());
    if random.one_in(3) {
        options.push("--solver batsat".to_owned());
    }
    let case = Case { model: Model::Bits(system), options };
    if let Err(failure) = case.check() {
        panic!("{}", report(&format!("turns {seed}"), case, &failure));
    }
}
