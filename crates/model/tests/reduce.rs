//! Each pass on hand-made systems, and all of them on random ones against enumeration of every
//! state and input.

use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::proof::BitProof;
use pedra_model::reduce::{ReduceOptions, Reduced, merge_from_worst_guess, reduce};
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::points::{Claims, Points};
use pedra_testkit::random::{Random, runs};

const NONE: ReduceOptions =
    ReduceOptions { cone: false, structure: false, constants: false, duplicates: false };
/// Every pass alone, some pairs, all.
const CHOICES: [ReduceOptions; 8] = [
    NONE,
    ReduceOptions { cone: true, ..NONE },
    ReduceOptions { structure: true, ..NONE },
    ReduceOptions { constants: true, ..NONE },
    ReduceOptions { duplicates: true, ..NONE },
    ReduceOptions { duplicates: true, structure: true, ..NONE },
    ReduceOptions { constants: true, duplicates: true, cone: true, ..NONE },
    ReduceOptions { cone: true, structure: true, constants: true, duplicates: true },
];

// --- By hand -----------------------------------------------------------------------------

/// Reduces for all properties with some options; checks the map by enumeration if the system
/// is small; returns inputs, latches and gates left.
fn sizes(system: &BitSystem, options: ReduceOptions) -> [usize; 3] {
    let properties: Vec<usize> = (0..system.properties().len()).collect();
    let reduced = reduce(system, &properties, &options);
    if system.latches.len() + system.inputs.len() <= 8 {
        check(system, &reduced);
    }
    let s = &reduced.system;
    [s.inputs.len(), s.latches.len(), s.aig.num_gates()]
}

#[test]
fn cone_follows_next_and_reset_functions() {
    let mut s = BitSystem::new();
    let (for_next, for_reset, unused) = (s.add_input(), s.add_input(), s.add_input());
    let (a, b, c) = (
        s.add_latch(Reset::Zero),
        s.add_latch(Reset::Function(for_reset)),
        s.add_latch(Reset::One),
    );
    let lost = s.aig.push_and(c, unused);
    let gate = s.aig.push_and(for_next, b);
    s.latches[0].next = gate;
    s.latches[2].next = lost;
    s.bads.push(a);
    assert_eq!(sizes(&s, ReduceOptions { cone: true, ..NONE }), [2, 2, 1]);
    // A constraint keeps its cone although it has nothing to do with the property.
    s.constraints.push(c);
    assert_eq!(sizes(&s, ReduceOptions { cone: true, ..NONE }), [3, 3, 2]);
}

#[test]
fn structure_merges_gates_and_tidies_constraints() {
    let mut s = BitSystem::new();
    let (x, y) = (s.add_input(), s.add_input());
    let (g, h) = (s.aig.push_and(x, y), s.aig.push_and(y, x));
    let (t, f) = (s.aig.push_and(Lit::TRUE, Lit::TRUE), s.aig.push_and(g, !h));
    s.outputs = vec![f, g];
    s.constraints = vec![g, t, h];
    let reduced = reduce(&s, &[1, 0], &ReduceOptions { structure: true, ..NONE });
    check(&s, &reduced);
    assert_eq!(reduced.system.aig.num_gates(), 1);
    assert_eq!(reduced.system.constraints.len(), 1);
    assert_eq!(reduced.system.bads[1], Lit::FALSE);
    assert_eq!(reduced.map.properties(), [1, 0]);
    // Contradicting constraints leave a valid system without paths.
    s.constraints.push(!h);
    let reduced = reduce(&s, &[0], &ReduceOptions::default());
    check(&s, &reduced);
    assert_eq!(reduced.system.constraints, [Lit::FALSE]);
}

#[test]
fn names_travel_with_what_they_name() {
    let mut s = BitSystem::new();
    let (x, y) = (s.add_input(), s.add_input());
    s.add_latch(Reset::Zero);
    let b = s.add_latch(Reset::Zero);
    s.latches[1].next = y;
    s.outputs = vec![x, b];
    let name = |n: &str| Some(Box::from(n));
    s.names.inputs = vec![name("x"), name("y")];
    s.names.latches = vec![None, name("b")];
    s.names.outputs = vec![name("p"), name("q")];
    let reduced = reduce(&s, &[1], &ReduceOptions::default()).system;
    assert_eq!(reduced.names.inputs, [name("y")]);
    assert_eq!(reduced.names.latches, [name("b")]);
    assert_eq!(reduced.names.bads, [name("q")]);
    assert!(reduced.outputs.is_empty() && !reduced.outputs_are_bads());
}

#[test]
fn constant_latches_are_replaced() {
    let options = ReduceOptions { constants: true, structure: true, ..NONE };
    // Stuck: a stays 0 as it needs itself; b copies ¬a and starts as 1; c starts as ¬b.
    let mut s = BitSystem::new();
    let x = s.add_input();
    let (a, b) = (s.add_latch(Reset::Zero), s.add_latch(Reset::One));
    let c = s.add_latch(Reset::Function(!b));
    let gate = s.aig.push_and(a, x);
    (s.latches[0].next, s.latches[1].next, s.latches[2].next) = (gate, !a, !b);
    let all = s.aig.push_and(b, !c);
    s.bads = vec![!all];
    assert_eq!(sizes(&s, options), [1, 0, 0]);
    // One that starts elsewhere spoils the chain.
    s.latches[2].reset = Reset::Free;
    assert_eq!(sizes(&s, options), [1, 1, 0]);
    s.latches[1].reset = Reset::Zero;
    assert_eq!(sizes(&s, options), [1, 2, 1]);
}

/// A chain of copying latches in reverse order, behind an input or a constant.
fn shift_register(length: usize, copies: usize, first: Option<Lit>) -> BitSystem {
    let mut s = BitSystem::new();
    let input = s.add_input();
    for _ in 0..copies {
        let lits: Vec<Lit> = (0..length).map(|_| s.add_latch(Reset::Zero)).collect();
        let end = s.latches.len();
        for (i, latch) in s.latches[end - length..].iter_mut().enumerate() {
            latch.next = lits.get(i + 1).copied().unwrap_or(first.unwrap_or(input));
        }
        s.bads.push(lits[0]);
    }
    s
}

/// Long chains must be linear; a quadratic pass would take minutes here.
#[test]
fn long_shift_registers_settle_in_one_wave() {
    const LENGTH: usize = 100_000;
    let constants = ReduceOptions { constants: true, ..NONE };
    assert_eq!(sizes(&shift_register(LENGTH, 1, Some(Lit::FALSE)), constants), [1, 0, 0]);
    assert_eq!(sizes(&shift_register(LENGTH, 1, Some(Lit::TRUE)), constants)[1], LENGTH);
    let duplicates = ReduceOptions { duplicates: true, ..NONE };
    assert_eq!(sizes(&shift_register(LENGTH, 1, None), duplicates)[1], LENGTH);
    assert_eq!(sizes(&shift_register(LENGTH, 3, None), duplicates)[1], LENGTH);
}

/// Copies of a counter, every second with all bits complemented if so wished; a copy is bad
/// when all its bits are true.
fn counters(copies: usize, width: usize, complement: bool) -> BitSystem {
    let mut s = BitSystem::new();
    for inverted in (0..copies).map(|copy| complement && copy % 2 == 1) {
        let reset = if inverted { Reset::One } else { Reset::Zero };
        let first = s.latches.len();
        let bits: Vec<Lit> = (0..width).map(|_| s.add_latch(reset) ^ inverted).collect();
        s.latches[first].next = !bits[0] ^ inverted;
        let mut carry = bits[0];
        for (i, &bit) in bits.iter().enumerate().skip(1) {
            let both = s.aig.push_and(carry, bit);
            let none = s.aig.push_and(!carry, !bit);
            s.latches[first + i].next = s.aig.push_and(!both, !none) ^ inverted;
            carry = both;
        }
        s.bads.push(carry);
    }
    s
}

#[test]
fn duplicate_latches_are_merged() {
    let options = ReduceOptions { duplicates: true, structure: true, ..NONE };
    assert_eq!(sizes(&counters(2, 2, false), options), [0, 2, 3]);
    assert_eq!(sizes(&counters(2, 2, true), options), [0, 2, 3]);
    // High bits look alike for a long time.
    assert_eq!(sizes(&counters(9, 64, true), options), [0, 64, 3 * 63]);
    // A different reset of one bit separates both.
    let mut s = counters(2, 2, false);
    s.latches[3].reset = Reset::One;
    assert_eq!(sizes(&s, options)[1], 3);
    s.latches[2].reset = Reset::Free;
    assert_eq!(sizes(&s, options)[1], 4);
}

#[test]
fn free_resets_separate_and_functional_resets_may_agree() {
    let options = ReduceOptions { duplicates: true, ..NONE };
    let latches = |resets: &dyn Fn(Lit) -> [Reset; 2]| {
        let mut s = BitSystem::new();
        let (x, y) = (s.add_input(), s.add_input());
        for reset in resets(y) {
            s.add_latch(reset);
        }
        s.latches.iter_mut().for_each(|l| l.next = x);
        s.bads = vec![s.latches[0].var.lit(), s.latches[1].var.lit()];
        sizes(&s, options)[1]
    };
    assert_eq!(latches(&|_| [Reset::Free, Reset::Free]), 2);
    assert_eq!(latches(&|_| [Reset::Zero, Reset::One]), 2);
    assert_eq!(latches(&|_| [Reset::Zero, Reset::Function(Lit::FALSE)]), 1);
    assert_eq!(latches(&|y| [Reset::Function(y), Reset::Function(y)]), 1);
    assert_eq!(latches(&|y| [Reset::Function(y), Reset::Function(!y)]), 2);
}

/// Without care, merging a with b makes the reset of the class depend on itself.
#[test]
fn merging_makes_no_circle_of_resets() {
    let mut s = BitSystem::new();
    let d = s.add_input();
    let [a, b, x, y, u, v] = std::array::from_fn(|_| s.add_latch(Reset::Zero));
    let (from_xy, from_uv) = (s.aig.push_and(x, !y), s.aig.push_and(u, !v));
    for (l, f) in [from_xy, from_uv, b, b, d, d].into_iter().enumerate() {
        s.latches[l].reset = Reset::Function(f);
        s.latches[l].next = d;
    }
    s.bads = vec![a, x, u];
    assert!(s.reset_order().is_ok());
    assert_eq!(sizes(&s, ReduceOptions { duplicates: true, ..NONE })[1], 3);
    assert_eq!(sizes(&s, ReduceOptions { duplicates: true, structure: true, ..NONE })[1], 3);
}

// --- At random, against enumeration ------------------------------------------------------

/// Checks everything that a reduction claims, by enumeration.
fn check(original: &BitSystem, reduced: &Reduced) {
    let (system, map) = (&reduced.system, &reduced.map);
    assert!(system.reset_order().is_ok());
    assert!(system.outputs.is_empty() && system.justice.is_empty());
    let (before, after) = (Points::new(original), Points::new(system));
    // The invariant is inductive without the constraints.
    let invariant = BitProof { clauses: map.invariant().to_vec(), ..BitProof::default() };
    let claims = Claims::of(&before, &invariant);
    assert!(claims.is_inductive_without_constraints(), "the invariant is inductive");
    // Where it holds, variables have the values that the map says.
    for point in before.all().filter(|&p| claims.invariant[p]) {
        let latches = map.latches().iter().map(|&l| original.latches[l as usize].var);
        let inputs = map.inputs().iter().map(|&i| original.inputs[i as usize]);
        let bits = latches.chain(inputs).enumerate();
        let there: usize =
            bits.map(|(i, v): (usize, Var)| (before.value(v.lit(), point) as usize) << i).sum();
        for (var, &lit) in map.vars().iter().enumerate() {
            let (is, was) = (after.value(Var::new(var).lit(), there), before.value(lit, point));
            assert_eq!(is, was, "variable {var} at point {point}");
        }
    }
    // Verdicts and depths agree; lifted traces replay.
    for (property, &bad) in map.properties().iter().enumerate() {
        let (was, is) = (before.trace(bad), after.trace(property));
        assert_eq!(was.map(|t| t.depth()), is.as_ref().map(|t| t.depth()));
        if let Some(trace) = is {
            assert!(after.replays(&trace));
            let lifted = map.lift_trace(original, &trace);
            assert_eq!(lifted.property, bad);
            assert!(before.replays(&lifted));
        }
    }
    // Lifted proofs are proofs.
    for with_gates in [false, true] {
        let proof = map.lift_proof(original, &after.proof(with_gates));
        let claims = Claims::of(&before, &proof);
        assert!(claims.initiation() && claims.consecution(), "the lifted proof is inductive");
        assert!(claims.implies_properties(), "the lifted proof implies its properties");
    }
}

#[test]
fn random_systems_keep_their_verdicts() {
    let mut merged = [0usize; CHOICES.len()];
    for seed in 0..runs(2500) {
        let mut random = Random::new(seed);
        let shape = BitShape { latches: 4, inputs: 3, gates: 13 };
        let system = random_bits(&mut random, shape);
        let mut properties: Vec<usize> = (0..system.properties().len()).collect();
        if random.one_in(2) {
            properties.reverse();
            properties.truncate(1);
        }
        for (choice, options) in CHOICES.iter().enumerate() {
            let reduced = reduce(&system, &properties, options);
            check(&system, &reduced);
            merged[choice] += reduced.map.invariant().len();
        }
        // The refinement must be right by itself, not thanks to a good guess.
        check(&system, &merge_from_worst_guess(&system, &properties));
    }
    // The test is worth something only if the passes find something.
    assert!(merged[0] == 0 && merged[3] > 0 && merged[4] > 0 && merged[7] > 0, "{merged:?}");
}
