//! Simulation and minimisation on small hand-made and random systems.

use pedra_model::aig::Node;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::bv::Bv;
use pedra_model::eval::bits::{BitSimulator, ParallelSimulator};
use pedra_model::eval::minimise::{minimise_bits, minimise_words};
use pedra_model::eval::ops;
use pedra_model::eval::words::WordSimulator;
use pedra_model::lit::Lit;
use pedra_model::system::{Input, NamedTerm, State, System};
use pedra_model::term::{BinaryOp, Scalar, Sort, TermId, UnaryOp};
use pedra_model::trace::{BitTrace, WordTrace};
use pedra_model::value::{ArrayValue, Ternary, TernaryBv, TernaryValue, Value};
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::random::Random;
use pedra_testkit::words::{WordShape, random_words};

fn bit(random: &mut Random) -> Ternary {
    random.one_in(2).into()
}

/// A bit that is unknown once in three times.
fn trit(random: &mut Random) -> Ternary {
    random.pick(&[Ternary::False, Ternary::True, Ternary::Unknown])
}

const BITS: BitShape = BitShape { latches: 5, inputs: 3, gates: 25 };
const ARRAYS: &[Sort] = &[Sort::bv_array(1, 1), Sort::bv_array(1, 2), Sort::bv_array(3, 3)];
const WORDS: WordShape =
    WordShape { state_bits: 40, input_bits: 14, terms: 40, arrays: ARRAYS, array_rate: 5 };

/// The value of a literal by the definition, without any order: walks down from it.
fn by_definition(
    s: &BitSystem,
    lit: Lit,
    inputs: &[Ternary],
    latch: &dyn Fn(usize) -> bool,
) -> bool {
    let value = match s.aig.node(lit.var()) {
        Node::Const => false,
        Node::And(a, b) => by_definition(s, a, inputs, latch) && by_definition(s, b, inputs, latch),
        Node::Leaf => match s.inputs.iter().position(|v| *v == lit.var()) {
            Some(i) => inputs[i] == Ternary::True,
            None => {
                let position = s.latches.iter().position(|l| l.var == lit.var());
                latch(position.expect("an input or a latch"))
            }
        },
    };
    value ^ lit.is_negated()
}

fn reset_by_definition(s: &BitSystem, l: usize, initial: &[Ternary], inputs: &[Ternary]) -> bool {
    match s.latches[l].reset {
        Reset::Zero => false,
        Reset::One => true,
        Reset::Free => initial[l] == Ternary::True,
        Reset::Function(f) => {
            by_definition(s, f, inputs, &|m| reset_by_definition(s, m, initial, inputs))
        }
    }
}

/// A random concrete run with every value of every step, by the definition.
struct Run {
    initial: Vec<Ternary>,
    inputs: Vec<Vec<Ternary>>,
    latches: Vec<Vec<bool>>,
}

fn random_run(s: &BitSystem, steps: usize, random: &mut Random) -> Run {
    let initial: Vec<Ternary> = s.latches.iter().map(|_| bit(random)).collect();
    let mut inputs: Vec<Vec<Ternary>> = Vec::new();
    let mut latches: Vec<Vec<bool>> = Vec::new();
    for k in 0..steps {
        let step: Vec<Ternary> = s.inputs.iter().map(|_| bit(random)).collect();
        latches.push(match k {
            0 => (0..s.latches.len()).map(|l| reset_by_definition(s, l, &initial, &step)).collect(),
            _ => {
                let (before, at) = (&latches[k - 1], &inputs[k - 1]);
                let next = |l: usize| by_definition(s, s.latches[l].next, at, &|m| before[m]);
                (0..s.latches.len()).map(next).collect()
            }
        });
        inputs.push(step);
    }
    // Given values agree with the resets, as they must.
    let initial = latches[0].iter().map(|&v| v.into()).collect();
    Run { initial, inputs, latches }
}

#[test]
fn bits_follow_the_definition() {
    let mut random = Random::new(1);
    for _ in 0..200 {
        let s = random_bits(&mut random, BITS);
        let run = random_run(&s, 4, &mut random);
        let mut simulator = BitSimulator::new(&s).expect("no circle");
        let mut parallel = ParallelSimulator::new(&s).expect("no circle");
        let words = |bits: &[Ternary]| -> Vec<u64> {
            bits.iter().map(|&b| if b == Ternary::True { 1 << 17 } else { !(1 << 17) }).collect()
        };
        for (k, inputs) in run.inputs.iter().enumerate() {
            if k == 0 {
                simulator.start(&run.initial, inputs).expect("no contradiction");
                parallel.start(&words(&run.initial), &words(inputs));
            } else {
                simulator.step(inputs);
                parallel.step(&words(inputs));
            }
            for var in s.aig.vars() {
                let expected = by_definition(&s, var.lit(), inputs, &|l| run.latches[k][l]);
                assert_eq!(simulator.value(var.lit()), expected.into());
                assert_eq!(parallel.value(var.lit()) >> 17 & 1 == 1, expected);
                assert_eq!(parallel.value(!var.lit()), !parallel.values()[var.index()]);
            }
        }
    }
}

#[test]
fn unknown_bits_cover_every_run() {
    let mut random = Random::new(2);
    for _ in 0..200 {
        let s = random_bits(&mut random, BITS);
        let run = random_run(&s, 3, &mut random);
        let mut forget = |bits: &[Ternary]| -> Vec<Ternary> {
            bits.iter().map(|&b| b.join(trit(&mut random))).collect()
        };
        let mut simulator = BitSimulator::new(&s).expect("no circle");
        for (k, inputs) in run.inputs.iter().enumerate() {
            match k {
                0 => simulator.start(&forget(&run.initial), &forget(inputs)).expect("agrees"),
                _ => simulator.step(&forget(inputs)),
            }
            for var in s.aig.vars() {
                let exact = by_definition(&s, var.lit(), inputs, &|l| run.latches[k][l]);
                assert!(!simulator.value(var.lit()).contradicts(exact.into()));
            }
        }
    }
}

#[test]
fn initial_values_against_the_reset_are_found() {
    let mut s = BitSystem::new();
    let input = s.add_input();
    s.add_latch(Reset::Zero);
    s.add_latch(Reset::Free);
    s.add_latch(Reset::Function(!input));
    let mut simulator = BitSimulator::new(&s).expect("no circle");
    let trits =
        |text: &str| -> Vec<Ternary> { text.chars().filter_map(Ternary::from_char).collect() };
    let cases = [
        ("0x0", "1", None),
        ("011", "0", None),
        ("xxx", "x", None),
        ("xx1", "x", None),
        ("100", "1", Some(0)),
        ("001", "1", Some(2)),
        ("", "", None),
    ];
    for (latches, inputs, expected) in cases {
        let outcome = simulator.start(&trits(latches), &trits(inputs));
        assert_eq!(outcome.err().map(|e| e.latch), expected, "{latches} {inputs}");
        // The reset counts, whatever was given.
        assert_eq!(simulator.latches()[0], Ternary::False);
    }
}

/// Whether a trace shows its violation with unknown bits.
fn bits_violated(s: &BitSystem, trace: &BitTrace) -> bool {
    let mut simulator = BitSimulator::new(s).expect("no circle");
    for (k, inputs) in trace.inputs.iter().enumerate() {
        match k {
            0 => simulator.start(&trace.initial, inputs).expect("agrees"),
            _ => simulator.step(inputs),
        }
        if s.constraints.iter().any(|&c| simulator.value(c) != Ternary::True) {
            return false;
        }
    }
    simulator.value(s.properties()[trace.property]) == Ternary::True
}

#[test]
fn minimised_bit_traces_still_violate() {
    let mut random = Random::new(3);
    let (mut violations, mut kept, mut all) = (0, 0, 0);
    for _ in 0..3000 {
        let s = random_bits(&mut random, BITS);
        let steps = 1 + random.below(5);
        let run = random_run(&s, steps, &mut random);
        let trace =
            BitTrace { property: 0, initial: run.initial, inputs: run.inputs, loop_start: None };
        let minimised = minimise_bits(&s, &trace);
        if !bits_violated(&s, &trace) {
            assert_eq!(minimised, trace);
            continue;
        }
        violations += 1;
        assert!(bits_violated(&s, &minimised));
        for (small, full) in minimised.inputs.iter().flatten().zip(trace.inputs.iter().flatten()) {
            assert!(!small.contradicts(*full));
            kept += (*small != Ternary::Unknown) as usize;
            all += 1;
        }
    }
    assert!(violations > 200 && kept * 2 < all, "{kept} of {all} bits in {violations} traces");
}

/// A chain of gates and steps that must not overflow a stack or take long.
#[test]
fn long_bit_traces_are_minimised() {
    let mut s = BitSystem::new();
    let inputs: Vec<Lit> = (0..1000).map(|_| s.add_input()).collect();
    let latch = s.add_latch(Reset::Zero);
    let mut any = latch;
    for input in &inputs {
        any = !s.aig.push_and(!any, !*input);
    }
    s.latches[0].next = any;
    s.bads.push(latch);
    let mut random = Random::new(4);
    let steps: Vec<Vec<Ternary>> =
        (0..300).map(|_| inputs.iter().map(|_| bit(&mut random)).collect()).collect();
    let trace =
        BitTrace { property: 0, initial: vec![Ternary::False], inputs: steps, loop_start: None };
    let minimised = minimise_bits(&s, &trace);
    assert!(bits_violated(&s, &minimised));
    let known = minimised.inputs.iter().flatten().filter(|b| **b != Ternary::Unknown).count();
    assert_eq!(known, 1, "one input that sets the latch is enough");
}

fn add_state(s: &mut System, sort: Sort) -> TermId {
    let term = s.terms.new_symbol(sort);
    s.states.push(State { term, name: None, init: None, next: None });
    term
}

fn add_input(s: &mut System, sort: Sort) -> TermId {
    let term = s.terms.new_symbol(sort);
    s.inputs.push(Input { term, name: None });
    term
}

const WIDTH: u32 = 3;
const ARRAY: Sort = Sort::bv_array(WIDTH, WIDTH);

fn random_value(random: &mut Random, sort: Sort) -> Value {
    let mut bv = |width| Bv::from_u64(width, random.word());
    match sort {
        Sort::Bv(width) => Value::Bv(bv(width)),
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
            let mut array = ArrayValue::new(index, bv(element));
            for _ in 0..3 {
                array.set(bv(index), bv(element));
            }
            Value::Array(array)
        }
        _ => panic!("no bits"),
    }
}

/// The value of every term, by walking down from it.
fn word_by_definition(s: &System, id: TermId, leaf: &dyn Fn(TermId) -> Value) -> Value {
    let args: Vec<(TermId, Value)> =
        s.terms.get(id).args().map(|a| (a, word_by_definition(s, a, leaf))).collect();
    let of = |id| &args.iter().find(|(a, _)| *a == id).expect("an argument").1;
    ops::apply(s.terms.get(id), of).unwrap_or_else(|| leaf(id))
}

/// A random run: the trace with everything from outside, and all states of all steps.
fn random_word_run(s: &System, steps: usize, random: &mut Random) -> (WordTrace, Vec<Vec<Value>>) {
    let mut trace =
        WordTrace { property: 0, states: Vec::new(), inputs: Vec::new(), loop_start: None };
    let mut reached: Vec<Vec<Value>> = Vec::new();
    for k in 0..steps {
        let sort = |id| s.terms.sort(id);
        let inputs: Vec<Value> =
            s.inputs.iter().map(|i| random_value(random, sort(i.term))).collect();
        let given: Vec<Option<Value>> = s
            .states
            .iter()
            .map(|state| {
                let follows = if k == 0 { state.init } else { state.next };
                follows.is_none().then(|| random_value(random, sort(state.term)))
            })
            .collect();
        let states = (0..s.states.len())
            .map(|i| match k {
                0 => init_by_definition(s, s.states[i].term, &given, &inputs),
                _ => given[i].clone().unwrap_or_else(|| {
                    let old: Vec<Value> =
                        trace.inputs[k - 1].iter().map(TernaryValue::zero_filled).collect();
                    let leaf = |id| leaf_value(s, id, &reached[k - 1], &old);
                    word_by_definition(s, s.states[i].next.expect("follows"), &leaf)
                }),
            })
            .collect();
        reached.push(states);
        trace.states.push(given.into_iter().map(|v| v.map(Into::into)).collect());
        trace.inputs.push(inputs.into_iter().map(Into::into).collect());
    }
    (trace, reached)
}

fn leaf_value(s: &System, id: TermId, states: &[Value], inputs: &[Value]) -> Value {
    match s.inputs.iter().position(|i| i.term == id) {
        Some(i) => inputs[i].clone(),
        None => states[s.states.iter().position(|x| x.term == id).expect("a state")].clone(),
    }
}

fn init_by_definition(s: &System, id: TermId, given: &[Option<Value>], inputs: &[Value]) -> Value {
    if let Some(i) = s.inputs.iter().position(|i| i.term == id) {
        return inputs[i].clone();
    }
    let i = s.states.iter().position(|x| x.term == id).expect("a state");
    match s.states[i].init {
        Some(init) => {
            word_by_definition(s, init, &|leaf| init_by_definition(s, leaf, given, inputs))
        }
        None => given[i].clone().expect("given"),
    }
}

/// Calls `each` in every step of a replay.
fn replay(s: &System, trace: &WordTrace, mut each: impl FnMut(usize, &WordSimulator<'_>)) {
    let mut simulator = WordSimulator::new(s).expect("no circle");
    for k in 0..trace.inputs.len() {
        let outcome = match k {
            0 => simulator.start(&trace.states[k], &trace.inputs[k]),
            _ => simulator.step(&trace.states[k], &trace.inputs[k]),
        };
        outcome.expect("states agree");
        each(k, &simulator);
    }
}

#[test]
fn words_follow_the_definition() {
    let mut random = Random::new(5);
    for _ in 0..60 {
        let s = random_words(&mut random, WORDS);
        let (trace, reached) = random_word_run(&s, 3, &mut random);
        replay(&s, &trace, |k, simulator| {
            let inputs: Vec<Value> =
                trace.inputs[k].iter().map(TernaryValue::zero_filled).collect();
            for id in s.roots() {
                let exact =
                    word_by_definition(&s, id, &|leaf| leaf_value(&s, leaf, &reached[k], &inputs));
                assert_eq!(
                    *simulator.value(id),
                    TernaryValue::from(exact),
                    "{:?}",
                    s.terms.get(id)
                );
            }
        });
    }
}

fn words_violated(s: &System, trace: &WordTrace) -> bool {
    let (mut held, mut bad) = (true, false);
    replay(s, trace, |_, simulator| {
        held &= s.constraints.iter().all(|c| simulator.value(c.term).as_bit() == Ternary::True);
        bad = simulator.value(s.bads[0].term).as_bit() == Ternary::True;
    });
    held && bad
}

fn known_bits(value: &TernaryValue) -> u32 {
    match value {
        TernaryValue::Bv(bv) => bv.known_mask().count_ones(),
        _ => 0,
    }
}

#[test]
fn minimised_word_traces_still_violate() {
    let mut random = Random::new(6);
    let (mut violations, mut kept, mut all, mut unchanged) = (0, 0, 0, 0);
    for _ in 0..2000 {
        let s = random_words(&mut random, WORDS);
        let steps = 1 + random.below(4);
        let (trace, _) = random_word_run(&s, steps, &mut random);
        let minimised = minimise_words(&s, &trace);
        if !words_violated(&s, &trace) {
            assert_eq!(minimised, trace);
            continue;
        }
        violations += 1;
        unchanged += (minimised == trace) as u32;
        assert!(words_violated(&s, &minimised));
        for (small, full) in minimised.inputs.iter().flatten().zip(trace.inputs.iter().flatten()) {
            assert!(small.covers(full));
            kept += known_bits(small);
            all += known_bits(full);
        }
    }
    assert!(violations > 100, "{violations} traces");
    assert!(unchanged * 3 < violations, "{unchanged} of {violations} traces are as they were");
    assert!(kept * 2 < all, "{kept} of {all} bits in {violations} traces");
}

#[test]
fn given_states_against_the_model_are_found() {
    let mut s = System::new();
    let word = Sort::Bv(4);
    let input = add_input(&mut s, word);
    let (counter, memory) = (add_state(&mut s, word), add_state(&mut s, ARRAY));
    let free = add_state(&mut s, word);
    s.states[0].init = Some(input);
    s.states[0].next = Some(s.terms.unary(UnaryOp::Inc, counter));
    s.states[1].next = Some(memory);
    let bv = |digits: &str| TernaryValue::Bv(TernaryBv::parse(digits).expect("digits"));
    let mut simulator = WordSimulator::new(&s).expect("no circle");
    let outcome = simulator.start(&[Some(bv("0x11"))], &[bv("0000")]);
    assert_eq!(outcome.map_err(|c| (c.state, *c.computed)), Err((0, bv("0000"))));
    assert_eq!(simulator.start(&[Some(bv("0x11"))], &[bv("0x1x")]), Ok(()));
    // What the given value says beyond the init is not believed.
    assert_eq!(*simulator.value(counter), bv("0x1x"));
    let zeros = TernaryValue::from(Value::zero(ARRAY));
    assert_eq!(simulator.start(&[None, Some(zeros), None], &[bv("0011")]), Ok(()));
    let other =
        TernaryValue::Array(ArrayValue::new(WIDTH, TernaryBv::parse("xx1").expect("digits")));
    let outcome = simulator.step(&[Some(bv("0100")), Some(other)], &[]);
    assert_eq!(outcome.map_err(|c| c.state), Err(1));
    assert_eq!(*simulator.value(counter), bv("0100"));
    assert_eq!(simulator.step(&[None, None, Some(bv("1010"))], &[]), Ok(()));
    assert_eq!(*simulator.value(free), bv("1010"));
    assert_eq!(simulator.step(&[], &[]), Ok(()));
    assert_eq!(*simulator.value(free), bv("xxxx"));
}

/// A memory with a wide index: only the address and the one element matter.
#[test]
fn memories_are_minimised_to_the_element_that_matters() {
    let mut s = System::new();
    let sort = Sort::bv_array(40, 8);
    let memory = add_state(&mut s, sort);
    let (address, datum) = (add_input(&mut s, Sort::Bv(40)), add_input(&mut s, Sort::Bv(8)));
    s.states[0].next = Some(s.terms.write(memory, address, datum));
    let element = s.terms.read(memory, address);
    let limit = s.terms.constant(Bv::from_u64(8, 0xf0));
    let bad = s.terms.binary(BinaryOp::Ugte, element, limit);
    s.bads.push(NamedTerm { term: bad, name: None });
    let mut random = Random::new(8);
    let (mut trace, _) = random_word_run(&s, 50, &mut random);
    let at = trace.inputs[49][0].clone();
    trace.inputs[20] = vec![at.clone(), Value::Bv(Bv::from_u64(8, 0xf7)).into()];
    let minimised = minimise_words(&s, &trace);
    let data = |k: usize| minimised.inputs[k][1].as_bv().to_digits();
    assert_eq!(data(20), "1111x1xx");
    assert!((0..50).filter(|&k| k != 20).all(|k| data(k) == "xxxxxxxx"));
    assert_eq!(minimised.states[0][0], Some(TernaryValue::unknown(sort)));
    assert_eq!(minimised.inputs[49][0], at);
    assert_eq!(known_bits(&minimised.inputs[10][0]), 0, "written over later");
}
