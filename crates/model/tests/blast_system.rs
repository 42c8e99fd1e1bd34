//! Whole systems: bit level and word level behave the same, traces and proofs travel, the
//! layout is as documented, and what is too large is refused at once.

use pedra_model::aig::Node;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::blast::{BlastError, BlastMap, BlastOptions, Blaster, StateBits, blast};
use pedra_model::bv::Bv;
use pedra_model::eval::bits::BitSimulator;
use pedra_model::eval::words::WordSimulator;
use pedra_model::lit::{Lit, Var};
use pedra_model::proof::BitProof;
use pedra_model::system::{Input, NamedTerm, State, System};
use pedra_model::term::{BinaryOp, Scalar, Sort, Term, TermId, UnaryOp};
use pedra_model::trace::{BitTrace, WordTrace};
use pedra_model::value::{ArrayValue, Ternary, TernaryBv, TernaryValue};
use pedra_testkit::oracle::{ExplicitBits, explore};
use pedra_testkit::random::Random;
use pedra_testkit::words::{ExplicitWords, WordShape, random_words};

const ARRAYS: &[Sort] = &[Sort::bv_array(1, 1), Sort::bv_array(1, 2), Sort::bv_array(3, 3)];
const LARGE: WordShape =
    WordShape { state_bits: 24, input_bits: 10, terms: 40, arrays: ARRAYS, array_rate: 5 };

fn blasted(system: &System) -> (BitSystem, BlastMap) {
    let done = blast(system, &BlastOptions::default()).expect("a small system");
    (done.system, done.map)
}

/// A random value; with `open`, some of its bits are unknown.
fn random_value(random: &mut Random, sort: Sort, open: bool) -> TernaryValue {
    let word = |random: &mut Random, width: u32| {
        let known = if open && random.one_in(2) { random.word() } else { u64::MAX };
        TernaryBv::new(Bv::from_u64(width, random.word()), Bv::from_u64(width, known))
    };
    match sort {
        Sort::Bv(width) => TernaryValue::Bv(word(random, width)),
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
            let mut array = ArrayValue::new(index, TernaryBv::unknown(element));
            for at in 0..1 << index {
                array.set(Bv::from_u64(index, at), word(random, element));
            }
            TernaryValue::Array(array)
        }
        _ => panic!("no bits"),
    }
}

/// Random stimulus: what a trace gives from outside, and nothing else.
fn random_trace(random: &mut Random, system: &System, steps: usize, open: bool) -> WordTrace {
    let sort = |term| system.terms.sort(term);
    let mut trace =
        WordTrace { property: 0, states: Vec::new(), inputs: Vec::new(), loop_start: None };
    for step in 0..steps {
        let mut states = Vec::new();
        for state in &system.states {
            let follows = if step == 0 { state.init } else { state.next };
            let given = follows.is_none();
            states.push(given.then(|| random_value(random, sort(state.term), open)));
        }
        trace.states.push(states);
        let inputs = system.inputs.iter().map(|i| random_value(random, sort(i.term), open));
        trace.inputs.push(inputs.collect());
    }
    trace
}

fn flat(value: &TernaryValue) -> Vec<Ternary> {
    match value {
        TernaryValue::Bv(word) => word.bits().collect(),
        TernaryValue::Array(array) => (0..1u64 << array.index_width())
            .flat_map(|at| {
                let at = Bv::from_u64(array.index_width(), at);
                array.get(&at).bits().collect::<Vec<Ternary>>()
            })
            .collect(),
        TernaryValue::Opaque(_) => panic!("no bits"),
    }
}

/// Compares a word-level and a bit-level simulation of the same trace, step by step.
fn check_lock_step(system: &System, trace: &WordTrace) {
    let (bits, map) = blasted(system);
    let lowered = map.lower_trace(system, trace);
    assert_eq!(map.lift_trace(system, &lowered), *trace);
    let mut words = WordSimulator::new(system).expect("no circle");
    let mut gates = BitSimulator::new(&bits).expect("no circle");
    for step in 0..trace.inputs.len() {
        if step == 0 {
            words.start(&trace.states[0], &trace.inputs[0]).expect("only free states are given");
            gates.start(&lowered.initial, &lowered.inputs[0]).expect("only free latches");
        } else {
            words.step(&trace.states[step], &trace.inputs[step]).expect("only free states");
            gates.step(&lowered.inputs[step]);
        }
        for (index, state) in system.states.iter().enumerate() {
            let lits = map.state_lits(&bits, index);
            let found: Vec<Ternary> = lits.iter().map(|&l| gates.value(l)).collect();
            assert_eq!(found, flat(words.value(state.term)), "state {index} in step {step}");
        }
        let lists = [(&system.bads, &bits.bads), (&system.constraints, &bits.constraints)];
        for (terms, lits) in lists {
            for (named, &lit) in terms.iter().zip(lits) {
                assert_eq!(vec![gates.value(lit)], flat(words.value(named.term)));
            }
        }
    }
}

#[test]
fn random_systems_run_in_lock_step() {
    let mut random = Random::new(3);
    for _ in 0..3000 {
        let system = random_words(&mut random, LARGE);
        let trace = random_trace(&mut random, &system, 6, false);
        check_lock_step(&system, &trace);
    }
}

#[test]
fn random_systems_keep_their_verdicts() {
    let mut random = Random::new(4);
    let mut violated = 0;
    for _ in 0..300 {
        let system = random_words(&mut random, WordShape::default());
        let (bits, _) = blasted(&system);
        if bits.latches.len() + bits.inputs.len() > 12 {
            continue;
        }
        let expected = explore(&ExplicitWords::new(&system)).violated_at;
        let found = explore(&ExplicitBits::new(&bits)).violated_at;
        assert_eq!(found, expected);
        violated += found.iter().flatten().count();
    }
    assert!(violated > 50);
}

/// Unknown bits survive the way down and up.
#[test]
fn open_traces_travel_both_ways() {
    let mut random = Random::new(5);
    for _ in 0..200 {
        let system = random_words(&mut random, LARGE);
        let (bits, map) = blasted(&system);
        let trace = random_trace(&mut random, &system, 4, true);
        let lowered = map.lower_trace(&system, &trace);
        assert_eq!(map.lift_trace(&system, &lowered), trace);
        // What an engine finds may also say what follows anyway.
        let mut any = |_| random.pick(&[Ternary::False, Ternary::True, Ternary::Unknown]);
        let found = BitTrace {
            property: 0,
            initial: (0..bits.latches.len()).map(&mut any).collect(),
            inputs: (0..3).map(|_| (0..bits.inputs.len()).map(&mut any).collect()).collect(),
            loop_start: None,
        };
        let lifted = map.lift_trace(&system, &found);
        let again = map.lift_trace(&system, &map.lower_trace(&system, &lifted));
        assert_eq!(again, lifted);
    }
}

/// Leaves that say what a state without `next` becomes have no term of their own.
fn has_term(map: &BlastMap, bits: &BitSystem, var: Var) -> bool {
    let chosen = (0..map.num_states()).filter_map(|s| match map.state(s) {
        StateBits::Latches { chosen, .. } => chosen.clone(),
        StateBits::Inputs(_) => None,
    });
    chosen.into_iter().flatten().all(|input| bits.inputs[input] != var)
}

#[test]
fn proofs_are_lifted() {
    let mut random = Random::new(6);
    for _ in 0..150 {
        let system = random_words(&mut random, LARGE);
        let (bits, map) = blasted(&system);
        let mut vars: Vec<Var> = bits.aig.vars().filter(|&v| has_term(&map, &bits, v)).collect();
        let mut proof = BitProof { k: 3, properties: vec![0], ..BitProof::default() };
        let mut lit = |vars: &[Var]| Lit::new(random.pick(vars), random.one_in(2));
        for gate in 0..5 {
            proof.gates.push([lit(&vars), lit(&vars)]);
            vars.push(Var::new(bits.aig.len() + gate));
        }
        for size in 0..6 {
            proof.clauses.push((0..size).map(|_| lit(&vars)).collect());
        }
        let lifted = map.lift_proof(&system, &proof, &bits);
        assert_eq!((lifted.k, lifted.properties.as_slice()), (3, &[0][..]));
        let roots = lifted.invariant.iter().copied();
        let mut words = WordSimulator::with_roots(&lifted.system, roots).expect("no circle");
        // From any state, with the bits of one state and input taken from a lowered trace.
        for _ in 0..5 {
            let value =
                |random: &mut Random, t: TermId| random_value(random, system.terms.sort(t), false);
            let states: Vec<TernaryValue> =
                system.states.iter().map(|s| value(&mut random, s.term)).collect();
            let inputs: Vec<TernaryValue> =
                system.inputs.iter().map(|i| value(&mut random, i.term)).collect();
            words.load(&states, &inputs);
            let trace = WordTrace {
                property: 0,
                states: vec![states.into_iter().map(Some).collect()],
                inputs: vec![inputs],
                loop_start: None,
            };
            let lowered = map.lower_trace(&system, &trace);
            let values = bit_values(&bits, &proof, &lowered);
            for (clause, &term) in proof.clauses.iter().zip(&lifted.invariant) {
                let holds = clause.iter().any(|l| values[l.var().index()] != l.is_negated());
                assert_eq!(flat(words.value(term)), [Ternary::from(holds)]);
            }
        }
    }
}

/// The values of all variables and gates of a proof in the first step of a trace.
fn bit_values(bits: &BitSystem, proof: &BitProof, trace: &BitTrace) -> Vec<bool> {
    let mut values = vec![false; bits.aig.len()];
    for (latch, value) in bits.latches.iter().zip(&trace.initial) {
        values[latch.var.index()] = *value == Ternary::True;
    }
    for (input, value) in bits.inputs.iter().zip(&trace.inputs[0]) {
        values[input.index()] = *value == Ternary::True;
    }
    let of = |values: &[bool], l: Lit| values[l.var().index()] != l.is_negated();
    for var in bits.aig.vars() {
        if let Node::And(a, b) = bits.aig.node(var) {
            values[var.index()] = of(&values, a) && of(&values, b);
        }
    }
    for &[a, b] in &proof.gates {
        values.push(of(&values, a) && of(&values, b));
    }
    values
}

fn named(name: &str) -> Option<Box<str>> {
    Some(name.into())
}

/// One of everything: inputs, states with and without `init` and `next`, an array.
fn mixed_system() -> System {
    let mut s = System::new();
    let input = s.terms.new_symbol(Sort::Bv(2));
    s.inputs.push(Input { term: input, name: named("in") });
    let bv2 = |s: &mut System| s.terms.new_symbol(Sort::Bv(2));
    let (full, free, held, other) = (bv2(&mut s), bv2(&mut s), bv2(&mut s), bv2(&mut s));
    let memory = s.terms.new_symbol(Sort::bv_array(1, 2));
    let one = s.terms.constant(Bv::one(2));
    let sum = s.terms.binary(BinaryOp::Add, full, input);
    let mixed = s.terms.binary(BinaryOp::Xor, free, one);
    let at = s.terms.slice(input, 0, 0);
    let written = s.terms.write(memory, at, full);
    let state = |term, name, init, next| State { term, name, init, next };
    s.states = vec![
        state(full, named("full"), Some(one), Some(sum)),
        state(free, named("free"), None, None),
        state(held, None, Some(mixed), None),
        state(other, named("other"), None, Some(held)),
        state(memory, named("mem"), None, Some(written)),
    ];
    let bad = s.terms.unary(UnaryOp::RedAnd, full);
    s.bads.push(NamedTerm { term: bad, name: named("never") });
    s.outputs.push(NamedTerm { term: sum, name: named("sum") });
    s
}

#[test]
fn the_layout_is_as_documented() {
    let system = mixed_system();
    let options = BlastOptions { outputs: true, ..BlastOptions::default() };
    let done = blast(&system, &options).expect("small");
    let (bits, map) = (&done.system, &done.map);
    let names = |list: &[Option<Box<str>>]| {
        list.iter().map(|n| n.as_deref().unwrap_or("").to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        names(&bits.names.inputs),
        "in[0] in[1] free[0] free[1] next(state2)[0] next(state2)[1]"
    );
    assert_eq!(
        names(&bits.names.latches),
        "full[0] full[1] state2[0] state2[1] other[0] other[1] \
         mem[0][0] mem[0][1] mem[1][0] mem[1][1]"
    );
    assert_eq!(names(&bits.names.bads), "never");
    assert_eq!(names(&bits.names.outputs), "sum[0] sum[1]");
    assert_eq!(map.input(0), 0..2);
    assert_eq!(*map.state(1), StateBits::Inputs(2..4));
    assert_eq!(*map.state(2), StateBits::Latches { latches: 2..4, chosen: Some(4..6) });
    assert_eq!(*map.state(4), StateBits::Latches { latches: 6..10, chosen: None });
    let resets: Vec<Reset> = bits.latches.iter().map(|l| l.reset).collect();
    assert_eq!(resets[..2], [Reset::One, Reset::Zero]);
    // held starts as free ⊕ 1, and free is an input.
    let free = |i: usize| bits.inputs[2 + i].lit();
    assert_eq!(resets[2..4], [Reset::Function(!free(0)), Reset::Function(free(1))]);
    assert!(resets[4..].iter().all(|&r| r == Reset::Free));
    assert_eq!(bits.latches[3].next, bits.inputs[5].lit());
    let leaves = bits.inputs.len() + bits.latches.len();
    assert_eq!(bits.aig.len(), 1 + leaves + bits.aig.num_gates());
    assert!(bits.aig.vars().skip(1).take(leaves).all(|v| bits.aig.node(v) == Node::Leaf));
    // Without properties outputs would be taken for some.
    let silent = System { bads: Vec::new(), ..system };
    assert!(blast(&silent, &options).expect("small").system.outputs.is_empty());
}

#[test]
fn simple_paths_keep_their_bits() {
    let system = mixed_system();
    let (bits, map) = blasted(&system);
    let simple_path = Some(vec![0, 1, 2, 4, 5]);
    let proof = BitProof { k: 2, simple_path, ..BitProof::default() };
    let bits = map.lift_proof(&system, &proof, &bits).simple_path.expect("simple paths");
    let bits: Vec<(usize, usize)> = bits.iter().map(|b| (b.state, b.bit)).collect();
    assert_eq!(bits, [(0, 0), (0, 1), (2, 0), (3, 0), (3, 1)]);
}

#[test]
fn a_blaster_resumes() {
    let mut system = mixed_system();
    let options = BlastOptions::default();
    let done = blast(&system, &options).expect("small");
    let mut blaster = Blaster::resume(&system, &done, &options).expect("small");
    let gates = blaster.aig().len();
    assert_eq!(blaster.bit(&system.terms, system.bads[0].term), Ok(done.system.bads[0]));
    assert_eq!(blaster.aig().len(), gates);
    let full = system.states[0].term;
    let new = system.terms.binary(BinaryOp::Mul, full, full);
    assert_eq!(blaster.bits(&system.terms, new).expect("small").len(), 2);
}

/// A system whose only state has this term for its next value.
fn with_next(make: impl FnOnce(&mut System, TermId) -> TermId, sort: Sort) -> System {
    let mut system = System::new();
    let term = system.terms.new_symbol(sort);
    let next = Some(make(&mut system, term));
    system.states.push(State { term, name: named("big"), init: None, next });
    system
}

#[test]
fn what_is_too_large_is_refused_at_once() {
    use BinaryOp::*;
    for op in [Mul, Udiv, Srem, Smod, Umulo, Smulo] {
        let make = |s: &mut System, term: TermId| {
            let one = s.terms.constant(Bv::one(1 << 16));
            let other = s.terms.binary(Xor, term, one);
            let result = s.terms.binary(op, term, other);
            match s.terms.width(result) {
                1 => s.terms.ite(result, term, other),
                _ => result,
            }
        };
        let system = with_next(make, Sort::Bv(1 << 16));
        let options = BlastOptions { max_gates: 1 << 20, ..BlastOptions::default() };
        let error = blast(&system, &options).expect_err("too many gates");
        assert_eq!(error, BlastError::TooManyGates { limit: 1 << 20 }, "{}", op.name());
    }
    for (index, element) in [(32, 8), (64, 1), (100, 1), (1 << 20, 1 << 20), (14, 5)] {
        let system = with_next(|_, term| term, Sort::bv_array(index, element));
        let error = blast(&system, &BlastOptions::default()).expect_err("a large array");
        let text = error.to_string();
        assert!(text.contains("big") && text.contains("--array-bits"), "{text}");
        assert!(matches!(error, BlastError::ArrayTooLarge { index: i, .. } if i == index));
    }
    let fits = with_next(|_, term| term, Sort::bv_array(14, 4));
    assert!(blast(&fits, &BlastOptions::default()).is_ok());
    // Constants can need many steps for few gates.
    let make = |s: &mut System, term: TermId| {
        let limbs = vec![0x5555_5555_5555_5555; 1 << 14];
        let low = s.terms.constant(Bv::from_limbs((1 << 20) - 1, limbs));
        let factor = s.terms.binary(Concat, term, low);
        let product = s.terms.binary(Mul, factor, factor);
        s.terms.slice(product, 7, 7)
    };
    let options = BlastOptions { max_gates: 1 << 22, ..BlastOptions::default() };
    let error = blast(&with_next(make, Sort::BOOL), &options).expect_err("too many steps");
    assert_eq!(error, BlastError::TooManyGates { limit: 1 << 22 });
    // Wide words without gates count as well.
    let make = |s: &mut System, term: TermId| {
        let wide = |s: &mut System, value| s.terms.constant(Bv::from_u64(1 << 20, value));
        let mut parts = term;
        for value in 0..1000 {
            let constant = wide(s, value);
            let bit = s.terms.slice(constant, 5, 5);
            parts = s.terms.ite(bit, parts, term);
        }
        parts
    };
    let error = blast(&with_next(make, Sort::Bv(8)), &options);
    assert!(matches!(error, Err(BlastError::TooManyBits { .. })), "{error:?}");
}

#[test]
fn circles_and_unknown_symbols_are_refused() {
    let mut system = with_next(|_, term| term, Sort::Bv(4));
    let term = system.states[0].term;
    system.states[0].init = Some(system.terms.unary(UnaryOp::Inc, term));
    let error = blast(&system, &BlastOptions::default()).expect_err("a circle");
    assert_eq!(error, BlastError::InitCircle { what: "big".into(), state: 0 });
    let stray = system.terms.new_symbol(Sort::Bv(4));
    system.states[0].init = Some(stray);
    let error = blast(&system, &BlastOptions::default()).expect_err("no such symbol");
    assert_eq!(error, BlastError::UnboundSymbol { term: stray });
}

/// A chain of 400,000 terms does not use up the stack.
#[test]
fn deep_terms_are_blasted() {
    let make = |s: &mut System, term: TermId| {
        let mut chain = term;
        for _ in 0..200_000 {
            let flipped = s.terms.add(Term::Unary(UnaryOp::Not, chain)).expect("well-sorted");
            chain = s.terms.binary(BinaryOp::And, flipped, term);
        }
        chain
    };
    let (bits, _) = blasted(&with_next(make, Sort::BOOL));
    assert!(bits.aig.num_gates() < 3);
}
