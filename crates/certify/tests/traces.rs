//! Counterexamples, right and wrong, as data through one helper.

use pedra_certify::{Replay, ReplayError, replay_bits, replay_words, visit_bits, visit_words};
use pedra_formats::btor2;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::bv::Bv;
use pedra_model::system::System;
use pedra_model::trace::{BitTrace, WordTrace};
use pedra_model::value::{Ternary, TernaryBv, TernaryValue};

/// Two latches that shift an input, one free latch, one that starts as the input. The bad is
/// that both shifted bits and the free latch are true; the constraint is that the input or the
/// first latch is true.
fn shifter() -> BitSystem {
    let mut system = BitSystem::new();
    let input = system.add_input();
    let first = system.add_latch(Reset::Zero);
    let second = system.add_latch(Reset::Zero);
    let free = system.add_latch(Reset::Free);
    system.add_latch(Reset::Function(input));
    system.latches[0].next = input;
    system.latches[1].next = first;
    let both = system.aig.push_and(first, second);
    let bad = system.aig.push_and(both, free);
    let neither = system.aig.push_and(!input, !first);
    system.bads = vec![bad];
    system.constraints = vec![!neither];
    system
}

fn values(digits: &str) -> Vec<Ternary> {
    digits.chars().map(|c| Ternary::from_char(c).expect("a digit")).collect()
}

fn trace(initial: &str, inputs: &[&str]) -> BitTrace {
    let inputs = inputs.iter().map(|i| values(i)).collect();
    BitTrace { property: 0, initial: values(initial), inputs, loop_start: None }
}

#[test]
fn bit_traces() {
    let system = shifter();
    let accepted = |dont_cares_confirmed| Ok(Replay { depth: 2, dont_cares_confirmed });
    let wrong_size =
        |what, step, expected, found| Err(ReplayError::WrongSize { what, step, expected, found });
    let contradiction = |index| Err(ReplayError::StateContradiction { index, step: 0 });
    let violated = |step| Err(ReplayError::ConstraintViolated { constraint: 0, step });
    let not_reached = |last, earlier| Err(ReplayError::BadNotReached { last, earlier });
    for (initial, inputs, expected) in [
        ("0011", &["1", "1", "1"][..], accepted(true)),
        ("xx1x", &["1", "1", "x"], accepted(true)),
        ("0011", &["1", "1", "0"], accepted(true)),
        ("xxx1", &["1", "1", "1"], not_reached(2, None)),
        ("1011", &["1", "1", "1"], contradiction(0)),
        ("0010", &["1", "1", "1"], contradiction(3)),
        ("0011", &["1", "0", "0"], violated(2)),
        ("0010", &["0", "1", "1"], violated(0)),
        ("0011", &["1", "1"], not_reached(1, None)),
        ("0011", &["1", "1", "0", "0"], violated(3)),
        ("0011", &["1", "1", "1", "0", "1"], not_reached(4, Some(2))),
        ("001", &["1", "1", "1"], wrong_size("latches", 0, 4, 3)),
        ("0011", &["1", "", "1"], wrong_size("inputs", 1, 1, 0)),
        ("0011", &["1", "11", "1"], wrong_size("inputs", 1, 1, 2)),
        ("0011", &[], Err(ReplayError::NoSteps)),
    ] {
        assert_eq!(replay_bits(&system, &trace(initial, inputs)), expected, "{initial} {inputs:?}");
    }
    let other = BitTrace { property: 1, ..trace("0011", &["1"]) };
    let error = ReplayError::NoSuchProperty { property: 1, known: 1 };
    assert_eq!(replay_bits(&system, &other), Err(error));
}

/// Ternary evaluation does not see that `x ∨ ¬x` is true: the trace is still accepted.
#[test]
fn unknowns_that_ternary_evaluation_cannot_confirm() {
    let mut system = BitSystem::new();
    let (x, y) = (system.add_input(), system.add_input());
    let (yes, no) = (system.aig.push_and(x, y), system.aig.push_and(!x, y));
    let bad = system.aig.push_and(!yes, !no);
    system.bads = vec![!bad];
    let replay = |inputs| replay_bits(&system, &trace("", &[inputs]));
    assert_eq!(replay("x1"), Ok(Replay { depth: 0, dont_cares_confirmed: false }));
    assert_eq!(replay("01"), Ok(Replay { depth: 0, dont_cares_confirmed: true }));
    assert_eq!(replay("xx"), Err(ReplayError::BadNotReached { last: 0, earlier: None }));
}

#[test]
fn steps_can_be_visited() {
    let system = shifter();
    let trace = trace("xx1x", &["1", "1", "x"]);
    let replay = replay_bits(&system, &trace).expect("a right trace");
    let mut seen = Vec::new();
    visit_bits(&system, &trace, replay, |step, simulator| {
        let digits: String = simulator.latches().iter().map(|v| v.to_char()).collect();
        seen.push((step, digits));
    })
    .expect("accepted before");
    let expected = [(0, "0011"), (1, "1011"), (2, "1111")];
    assert_eq!(seen, expected.map(|(step, digits)| (step, digits.to_string())));
}

/// A counter that adds an input, starts anywhere below 4 and must not become 9; `free` has no
/// next and gates the counting.
fn counter() -> System {
    let text = "1 sort bitvec 4\n2 sort bitvec 1\n3 state 1 count\n4 state 2 free\n\
        5 input 1 step\n6 add 1 3 5\n7 ite 1 4 6 3\n8 next 1 3 7\n9 constd 1 9\n10 eq 2 3 9\n\
        11 bad 10\n12 constd 1 4\n13 ult 2 5 12\n14 constraint 13\n15 one 2\n16 init 2 4 15\n";
    btor2::read(text.as_bytes()).expect("well-formed")
}

#[test]
fn word_traces() {
    let system = counter();
    let word = |digits: &str| TernaryValue::Bv(TernaryBv::parse(digits).expect("digits"));
    // Per step: the count, the gate, the input; `-` for what is not given.
    let trace = |steps: &[(&str, &str, &str)]| {
        let state = |digits: &str| (digits != "-").then(|| word(digits));
        WordTrace {
            property: 0,
            states: steps.iter().map(|s| vec![state(s.0), state(s.1)]).collect(),
            inputs: steps.iter().map(|s| vec![word(s.2)]).collect(),
            loop_start: None,
        }
    };
    let accepted = |depth, dont_cares_confirmed| Ok(Replay { depth, dont_cares_confirmed });
    let contradiction = |index, step| Err(ReplayError::StateContradiction { index, step });
    for (steps, expected) in [
        (&[("0111", "-", "0010"), ("-", "0", "0001")][..], accepted(1, true)),
        (&[("0111", "1", "0010"), ("1001", "x", "00xx")], accepted(1, true)),
        (&[("0111", "-", "0010"), ("-", "0", "0011"), ("-", "-", "0000")], accepted(2, true)),
        (&[("1001", "-", "xx00")], accepted(0, false)),
        (&[("0111", "0", "0010"), ("-", "-", "0001")], contradiction(1, 0)),
        (&[("0111", "-", "0010"), ("1000", "-", "0001")], contradiction(0, 1)),
        (
            &[("0101", "-", "0100"), ("-", "-", "0001")],
            Err(ReplayError::ConstraintViolated { constraint: 0, step: 0 }),
        ),
        (
            &[("1001", "-", "0001"), ("-", "0", "0001")],
            Err(ReplayError::BadNotReached { last: 1, earlier: Some(0) }),
        ),
        (&[("111", "-", "0001")], Err(ReplayError::WrongSort { what: "state", index: 0, step: 0 })),
        (&[("1001", "-", "1")], Err(ReplayError::WrongSort { what: "input", index: 0, step: 0 })),
        (&[], Err(ReplayError::NoSteps)),
    ] {
        assert_eq!(replay_words(&system, &trace(steps)), expected, "{steps:?}");
    }
    let right = trace(&[("0111", "-", "0010"), ("-", "0", "0001")]);
    let replay = replay_words(&system, &right).expect("a right trace");
    let mut counts = Vec::new();
    let count = system.states[0].term;
    visit_words(&system, &right, replay, |_, simulator| {
        counts.push(simulator.value(count).as_bv().as_known().cloned());
    })
    .expect("accepted before");
    assert_eq!(counts, [7, 9].map(|n| Some(Bv::from_u64(4, n))));
}

/// A witness file may say what follows from the model anyway; it must then be right.
#[test]
fn given_values_of_witness_files_are_claims() {
    let system = counter();
    let accepted = Ok(Replay { depth: 1, dont_cares_confirmed: true });
    let contradiction = |index, step| Err(ReplayError::StateContradiction { index, step });
    for (first, second, expected) in [
        ("0 0111\n", "", accepted.clone()),
        ("0 0111\n1 1\n", "0 1001\n1 0\n", accepted.clone()),
        ("0 0111\n1 x\n", "0 1xx1\n", accepted),
        ("0 0111\n1 0\n", "", contradiction(1, 0)),
        ("0 0111\n", "0 1101\n", contradiction(0, 1)),
    ] {
        let text = format!("sat\nb0\n#0\n{first}@0\n0 0010\n#1\n{second}@1\n0 0000\n.\n");
        let witness = btor2::witness::read(text.as_bytes(), &system).expect("well-formed");
        assert_eq!(replay_words(&system, &witness.trace), expected, "{text}");
    }
}
