//! Hand-made systems whose equalities are known, and random ones against the oracle.

use super::*;
use crate::context::{Context, Engine, Link, Outcome};
use crate::kind::{Kind, KindOptions};
use crate::pdr::{Pdr, PdrOptions};
use pedra_certify::{CheckOptions, check_bit_proof, replay_bits};
use pedra_model::aig::AigBuilder;
use pedra_model::back::Passes;
use pedra_model::bits::Reset;
use pedra_model::proof::Proof;
use pedra_model::reduce::{ReduceOptions, Reduction, reduce};
use pedra_model::trace::Trace;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::oracle::{Explicit, ExplicitBits, explore};
use pedra_testkit::random::Random;

/// Builds gates over the leaves of a system that has none yet.
fn with_gates(system: &mut BitSystem, build: impl FnOnce(&mut BitSystem, &mut AigBuilder)) {
    let mut builder = AigBuilder::from_aig(std::mem::take(&mut system.aig));
    build(system, &mut builder);
    system.aig = builder.into_aig();
}

fn swept(system: &BitSystem, options: &SweepOptions) -> Reduced {
    let all: Vec<usize> = (0..system.properties().len()).collect();
    sweep(system, options, &Interrupt::new())
        .unwrap_or_else(|| reduce(system, &all, &ReduceOptions::none()))
}

fn only(combinational: bool) -> SweepOptions {
    SweepOptions { combinational, sequential: !combinational, ..SweepOptions::default() }
}

/// Engines on the result: verdicts and depths are those of the oracle, proofs and traces pass
/// their checks on the original.
fn check_answers(system: &BitSystem, reduced: &Reduced) {
    let expected = explore(&ExplicitBits::new(system)).violated_at;
    let mut kind = Kind::new(&reduced.system, KindOptions::default());
    let simple = KindOptions { simple_path: true, ..KindOptions::default() };
    let mut simple = Kind::new(&reduced.system, simple);
    let mut pdr = Pdr::new(&reduced.system, PdrOptions::default());
    let engines: [&mut dyn Engine; 3] = [&mut kind, &mut simple, &mut pdr];
    for engine in engines {
        let context = Context { max_depth: Some(70), ..Context::default() };
        let passes = Passes(vec![Box::new(Reduction { original: system, map: &reduced.map })]);
        engine.run(&context.through(&Link::new(&context, &passes)));
        for (property, expected) in expected.iter().enumerate() {
            match &context.ledger.outcome(property) {
                Outcome::Proved(proof) => {
                    assert_eq!(*expected, None, "{}", engine.name());
                    let Proof::Bits(proof) = &**proof else { panic!("about words") };
                    let checked = check_bit_proof(system, proof, &CheckOptions::default());
                    checked.unwrap_or_else(|e| panic!("{}: {e}", engine.name()));
                }
                Outcome::Violated(trace) => {
                    let Trace::Bits(trace) = trace else { panic!("about words") };
                    let depth = expected.expect("the oracle finds it too");
                    let shortest = trace.depth() == depth || engine.name() == "pdr";
                    assert!(shortest && trace.depth() >= depth, "{}", engine.name());
                    replay_bits(system, trace).expect("the lifted trace replays");
                }
                Outcome::Unknown => assert_eq!(*expected, None, "{}", engine.name()),
            }
        }
    }
}

/// At every point of every path each variable of the result has the value of its literal, and
/// the invariant holds.
fn check_equalities(system: &BitSystem, reduced: &Reduced) {
    let (before, after) = (ExplicitBits::new(system), ExplicitBits::new(&reduced.system));
    let places = |state: usize, of: &[u32]| {
        of.iter().enumerate().fold(0, |picked, (i, &place)| picked | (state >> place & 1) << i)
    };
    let check = |state: usize, input: usize| {
        let [small_state, small_input] =
            [places(state, reduced.map.latches()), places(input, reduced.map.inputs())];
        for var in reduced.system.aig.vars() {
            let lifted = before.value(reduced.map.lift_lit(var.lit()), state, input);
            assert_eq!(lifted, after.value(var.lit(), small_state, small_input), "{var:?}");
        }
        for clause in reduced.map.invariant() {
            assert!(clause.iter().any(|&l| before.value(l, state, input)), "{clause:?}");
        }
    };
    for (state, reached) in explore(&before).reached_at.into_iter().enumerate() {
        for input in 0..before.num_inputs() {
            let at_start = before.is_initial(state, input);
            let later = reached.is_some_and(|step| step > 0);
            if before.is_allowed(state, input) && (at_start || later) {
                check(state, input);
            }
        }
    }
}

/// Sweeps both ways, checks all of it, and returns how many latches and gates each has left.
#[track_caller]
fn sizes(system: &BitSystem) -> [(usize, usize); 2] {
    [true, false].map(|combinational| {
        let reduced = swept(system, &only(combinational));
        check_equalities(system, &reduced);
        check_answers(system, &reduced);
        (reduced.system.latches.len(), reduced.system.aig.num_gates())
    })
}

/// Two counters modulo 4 with an enabling input, one of them with inverted bits; bad if they
/// differ.
fn two_counters() -> BitSystem {
    let mut s = BitSystem::new();
    let enable = s.add_input();
    let plain = [s.add_latch(Reset::Zero), s.add_latch(Reset::Zero)];
    let inverted = [s.add_latch(Reset::One), s.add_latch(Reset::One)];
    with_gates(&mut s, |s, b| {
        s.latches[0].next = b.xor(plain[0], enable);
        let carry = b.and(plain[0], enable);
        s.latches[1].next = b.xor(plain[1], carry);
        s.latches[2].next = b.ite(enable, !inverted[0], inverted[0]);
        // The other one's upper bit: toggles unless the lower one is 0 or nothing is enabled.
        let stays = b.or(inverted[0], !enable);
        let toggled = !inverted[1];
        s.latches[3].next = b.ite(stays, inverted[1], toggled);
        let low = b.iff(plain[0], inverted[0]);
        let high = b.iff(plain[1], inverted[1]);
        s.bads.push(b.or(low, high));
    });
    s
}

#[test]
fn copies_with_another_encoding_become_one() {
    let [_, sequential] = sizes(&two_counters());
    // The bad became constant, and with it everything went.
    assert_eq!(sequential, (0, 0));
}

/// One-hot and binary states of a ring of three. A gate of the second is a latch of the first,
/// and that needs another gate to be constant.
#[test]
fn gates_equal_by_an_invariant() {
    let mut s = BitSystem::new();
    let hot = [Reset::One, Reset::Zero, Reset::Zero].map(|r| s.add_latch(r));
    let binary = [Reset::Zero, Reset::Zero].map(|r| s.add_latch(r));
    with_gates(&mut s, |s, b| {
        (s.latches[0].next, s.latches[1].next, s.latches[2].next) = (hot[2], hot[0], hot[1]);
        let is_zero = b.and(!binary[0], !binary[1]);
        (s.latches[3].next, s.latches[4].next) = (is_zero, binary[0]);
        let differs = b.xor(is_zero, hot[0]);
        s.bads = vec![differs, b.and(hot[1], hot[2])];
    });
    let [combinational, sequential] = sizes(&s);
    assert_eq!((combinational.0, sequential), (5, (0, 0)));
}

/// `a` and `b` follow different inputs that a constraint makes equal.
#[test]
fn equalities_by_constraints() {
    let mut s = BitSystem::new();
    let [x, y] = [s.add_input(), s.add_input()];
    let [a, b] = [s.add_latch(Reset::Zero), s.add_latch(Reset::Zero)];
    with_gates(&mut s, |s, build| {
        (s.latches[0].next, s.latches[1].next) = (x, y);
        let same = build.iff(x, y);
        s.constraints.push(same);
        let differs = build.xor(a, b);
        // Also a gate that is constant where the constraint holds.
        let also = build.and(!same, a);
        s.bads = vec![differs, also];
    });
    let reduced = swept(&s, &only(false));
    assert!(reduced.system.bads.iter().all(|&bad| bad == Lit::FALSE));
    assert!(!reduced.system.constraints.is_empty(), "the constraint is still there");
    sizes(&s);
}

/// A constraint must not simplify itself away, whatever it is made of.
#[test]
fn constraints_stay() {
    let mut s = BitSystem::new();
    let [x, y] = [s.add_input(), s.add_input()];
    let a = s.add_latch(Reset::Free);
    let b = s.add_latch(Reset::Free);
    with_gates(&mut s, |s, build| {
        let both = build.and(x, y);
        let same = build.iff(a, b);
        s.constraints = vec![both, same];
        let bad = build.and(x, a);
        s.bads = vec![bad, build.and(a, !b)];
    });
    let reduced = swept(&s, &SweepOptions::default());
    // The latches are equal at every point of a path, but only by the constraint.
    assert_eq!((reduced.system.latches.len(), reduced.system.constraints.len()), (2, 2));
    sizes(&s);
}

/// `a` can become 1, though only in dead ends: the constraint says that it equals `b`, which is
/// 0. Simulation does not come across that, so a query has to. Were `a` taken for 0, there would
/// be no constraint left, and `c` could become 1 as well.
#[test]
fn constraints_of_the_next_step_stay() {
    let mut s = BitSystem::new();
    let inputs = [0; 16].map(|_| s.add_input());
    let [a, b, c] = [0; 3].map(|_| s.add_latch(Reset::Zero));
    with_gates(&mut s, |s, build| {
        // Neither even nor biased random inputs are likely to make this true.
        let mixed = inputs.iter().enumerate().map(|(i, &input)| input ^ (i % 2 == 0));
        let rare = build.and_all(mixed);
        (s.latches[0].next, s.latches[2].next) = (rare, rare);
        s.constraints.push(build.iff(a, b));
        s.bads.push(c);
    });
    let reduced = swept(&s, &only(false));
    assert_eq!(reduced.system.latches.len(), 1, "one of `a` and `c` is left");
    check_answers(&s, &reduced);
}

#[test]
fn free_resets_stay_apart() {
    let mut s = BitSystem::new();
    let a = s.add_latch(Reset::Free);
    let b = s.add_latch(Reset::Free);
    with_gates(&mut s, |s, build| s.bads.push(build.xor(a, b)));
    let [combinational, sequential] = sizes(&s);
    assert_eq!((combinational.0, sequential.0), (2, 2));
}

/// Resets that read inputs and each other: `b` starts as `a`, `c` as the opposite of an input
/// that `a` starts as.
#[test]
fn functional_resets() {
    let mut s = BitSystem::new();
    let x = s.add_input();
    let [a, b, c] = [0; 3].map(|_| s.add_latch(Reset::Free));
    s.latches[0].reset = Reset::Function(x);
    s.latches[1].reset = Reset::Function(a);
    s.latches[2].reset = Reset::Function(!x);
    with_gates(&mut s, |s, build| {
        let bad = build.xor(a, b);
        let other = build.iff(a, c);
        s.bads = vec![bad, other, a];
    });
    let [_, sequential] = sizes(&s);
    assert_eq!(sequential.0, 1);
}

/// The reset of `a` reads a gate that always equals `b`, and that of `b` reads `a`.
#[test]
fn no_circle_of_resets() {
    let mut s = BitSystem::new();
    let x = s.add_input();
    let a = s.add_latch(Reset::Free);
    let b = s.add_latch(Reset::Function(a));
    let c = s.add_latch(Reset::Zero);
    let d = s.add_latch(Reset::Zero);
    // `c` and `d` stay 0, so the gate is `x` at the start; later all of it is constant.
    let gate = s.aig.push_and(x, !c);
    s.latches[0].reset = Reset::Function(gate);
    let same = s.aig.push_and(gate, !d);
    (s.latches[0].next, s.latches[1].next) = (same, gate);
    let bad = s.aig.push_and(a, !b);
    s.bads = vec![bad, b];
    let reduced = swept(&s, &SweepOptions::default());
    assert!(reduced.system.reset_order().is_ok());
    sizes(&s);
}

/// Gates that are equal everywhere but built differently, beyond local rewriting.
#[test]
fn combinational_equalities() {
    let mut s = BitSystem::new();
    let [x, y, z] = [s.add_input(), s.add_input(), s.add_input()];
    let a = s.add_latch(Reset::Free);
    with_gates(&mut s, |s, b| {
        let xy = b.xor(x, y);
        let left = b.xor(xy, z);
        let yz = b.xor(y, z);
        let right = b.xor(x, yz);
        (s.latches[0].next, s.bads) = (left, vec![a]);
        let differs = b.xor(left, right);
        s.bads.push(differs);
    });
    let reduced = swept(&s, &only(true));
    assert_eq!(reduced.system.bads[1], Lit::FALSE);
    assert!(reduced.map.invariant().is_empty());
    sizes(&s);
}

#[test]
fn limits_and_odd_systems() {
    let s = two_counters();
    let nothing = SweepOptions { max_work: 1, ..SweepOptions::default() };
    assert_eq!(sweep(&s, &nothing, &Interrupt::new()), None);
    let rounds = SweepOptions { max_rounds: 0, combinational: false, ..SweepOptions::default() };
    assert_eq!(sweep(&s, &rounds, &Interrupt::new()), None);
    let raised = Interrupt::new();
    raised.raise();
    assert_eq!(sweep(&s, &SweepOptions::default(), &raised), None);
    // Hard queries are given up, which costs equalities only.
    let easy = SweepOptions { max_query_conflicts: 0, ..SweepOptions::default() };
    check_equalities(&s, &swept(&s, &easy));
    // Nothing at all, and no path at all.
    assert_eq!(sweep(&BitSystem::new(), &SweepOptions::default(), &Interrupt::new()), None);
    let mut dead = two_counters();
    dead.constraints = vec![Lit::FALSE];
    sizes(&dead);
}

#[test]
fn random_systems() {
    let shape = BitShape { latches: 6, inputs: 3, gates: 30 };
    let mut smaller = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let system = random_bits(&mut random, shape);
        let all: Vec<usize> = (0..system.properties().len()).collect();
        let options = SweepOptions {
            combinational: random.one_in(2),
            max_query_conflicts: random.pick(&[0, 1, 1000]),
            simulation_steps: random.pick(&[0, 1, 8]),
            simulation_runs: random.pick(&[0, 1, 2]),
            seed,
            ..SweepOptions::default()
        };
        let mut reduced = reduce(&system, &all, &ReduceOptions::none());
        if random.one_in(2) {
            reduced = reduce(&system, &all, &ReduceOptions::default());
        }
        let before = reduced.system.aig.len();
        let later = swept(&reduced.system, &options);
        assert_eq!(later, swept(&reduced.system, &options), "the same again");
        reduced = reduced.then(later);
        smaller += usize::from(reduced.system.aig.len() < before);
        check_equalities(&system, &reduced);
        check_answers(&system, &reduced);
    }
    assert!(smaller > 100, "only {smaller} became smaller");
}
