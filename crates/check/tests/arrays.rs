//! Arrays that are not expanded: proofs for all addresses, violations with contents, bounds.

use pedra_certify::{CheckOptions, check_script, replay_words, smtlib_obligations};
use pedra_check::{Answer, EngineName, Plan, decide_all};
use pedra_formats::btor2;
use pedra_model::Model;
use pedra_model::blast::BlastOptions;
use pedra_model::proof::Proof;
use pedra_model::system::System;
use pedra_model::trace::Trace;
use pedra_solve::Interrupt;

/// A memory of 2^32 bytes, at first 0, into which only bytes below 128 are written; and what is
/// said about it.
fn memory(rest: &str) -> System {
    let text = format!(
        "1 sort bitvec 1\n2 sort bitvec 32\n3 sort bitvec 8\n4 sort array 2 3\n5 zero 3\n\
         6 state 4 mem\n7 init 4 6 5\n8 input 2 address\n9 input 3 data\n10 constd 3 127\n\
         11 and 3 9 10\n12 write 4 6 8 11\n13 next 4 6 12\n14 input 2 place\n15 read 3 6 14\n{rest}"
    );
    btor2::read(text.as_bytes()).expect("a model")
}

fn decided(system: &System, engine: EngineName, depth: Option<usize>) -> Answer {
    let plan = Plan { engine, depth, ..Plan::default() };
    let model = Model::Words(system.clone());
    let answers = decide_all(&model, &[0], &plan, &Interrupt::new()).expect("checked answers");
    answers.into_iter().next().expect("one property")
}

/// The engines that find invariants.
fn provers() -> impl Iterator<Item = EngineName> {
    let without = [EngineName::Bmc, EngineName::Kind];
    EngineName::ALL.into_iter().filter(move |engine| !without.contains(engine))
}

/// Those that also find invariants such as "the address is the guessed one, or …": clauses of bits
/// have no short form for them.
const WITH_EQUALITIES: [EngineName; 3] = [EngineName::Auto, EngineName::Imc, EngineName::Wpdr];

fn assert_proved(system: &System, engines: impl IntoIterator<Item = EngineName>) {
    for engine in engines {
        let answer = decided(system, engine, None);
        let Answer::Proved { proof, .. } = &answer else { panic!("{engine:?}: {answer:?}") };
        let Proof::Words(proof) = &**proof else { panic!("{engine:?}: no words") };
        assert!(!proof.prophecy.is_empty(), "{engine:?}: a guess is needed");
        let script = smtlib_obligations(system, proof).expect("it has a form");
        // QF_ABV has no constant arrays, and the memory starts with one.
        assert!(script.contains("(set-logic ALL)"), "{engine:?}");
        let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
        let checked = check_script(&script, &blasting, &options);
        checked.unwrap_or_else(|error| panic!("{engine:?}: {error}"));
    }
}

#[test]
fn all_cells_have_the_invariant() {
    // No byte has its highest bit.
    assert_proved(&memory("16 slice 1 15 7 7\n17 bad 16\n"), provers());
}

#[test]
fn what_was_read_before_is_remembered() {
    // A byte that was read one step, and two steps, ago.
    let model = memory(
        "16 state 3 read\n17 init 3 16 5\n18 next 3 16 15\n19 state 3 again\n20 init 3 19 5\n\
         21 next 3 19 16\n22 slice 1 19 7 7\n23 bad 22\n",
    );
    assert_proved(&model, WITH_EQUALITIES);
}

#[test]
fn what_was_written_is_read() {
    // The byte that was written last, at its address.
    let model = memory(
        "16 state 2 last\n17 next 2 16 8\n18 state 3 kept\n19 next 3 18 11\n20 state 1 valid\n\
         21 zero 1\n22 init 1 20 21\n23 one 1\n24 next 1 20 23\n25 read 3 6 16\n26 neq 1 25 18\n\
         27 and 1 20 26\n28 bad 27\n",
    );
    assert_proved(&model, WITH_EQUALITIES);
}

#[test]
fn memories_that_do_the_same_are_equal() {
    let same = "16 state 4 copy\n17 init 4 16 5\n18 write 4 16 8 11\n19 next 4 16 18\n";
    assert_proved(&memory(&format!("{same}20 neq 1 6 16\n21 bad 20\n")), provers());
    assert_proved(
        &memory(&format!("{same}20 read 3 16 14\n21 neq 1 15 20\n22 bad 21\n")),
        provers(),
    );
}

#[test]
fn violations_have_contents() {
    // A memory without initial contents: two cells whose sum is 200, and a third one that was
    // written.
    let text = b"1 sort bitvec 1\n2 sort bitvec 64\n3 sort bitvec 8\n4 sort array 2 3\n\
        5 state 4 mem\n6 input 2 a\n7 input 2 b\n8 read 3 5 6\n9 read 3 5 7\n10 add 3 8 9\n\
        11 constd 3 200\n12 eq 1 10 11\n13 neq 1 6 7\n14 and 1 12 13\n15 constd 2 5\n\
        16 constd 3 77\n17 write 4 5 15 16\n18 next 4 5 17\n19 eq 1 6 15\n20 and 1 14 19\n\
        21 eq 1 8 16\n22 and 1 20 21\n23 state 1 late\n24 zero 1\n25 init 1 23 24\n26 one 1\n\
        27 next 1 23 26\n28 and 1 22 23\n29 bad 28\n";
    let system = btor2::read(text).expect("a model");
    for engine in EngineName::ALL {
        let answer = decided(&system, engine, None);
        let Answer::Violated(Trace::Words(trace)) = answer else {
            panic!("{engine:?}: {answer:?}")
        };
        assert!(trace.depth() >= 1, "{engine:?}");
        let text = btor2::witness::write(&system, &trace);
        assert!(text.lines().any(|line| line.starts_with("0 [")), "{engine:?}: {text}");
        let read = btor2::witness::read(text.as_bytes(), &system).expect("our own file");
        replay_words(&system, &read.trace).unwrap_or_else(|error| panic!("{engine:?}: {error}"));
    }
}

/// The narrowest and the widest addresses, and a memory that starts with what an input says.
#[test]
fn odd_memories() {
    for index in [1, 64] {
        let text = format!(
            "1 sort bitvec 1\n2 sort bitvec {index}\n3 sort bitvec 8\n4 sort array 2 3\n\
             5 input 3 first\n6 state 4 mem\n7 init 4 6 5\n8 next 4 6 6\n9 input 2 a\n\
             10 input 2 b\n11 read 3 6 9\n12 read 3 6 10\n13 neq 1 11 12\n14 bad 13\n"
        );
        let system = btor2::read(text.as_bytes()).expect("a model");
        for engine in provers() {
            let plan = Plan {
                engine,
                blast: BlastOptions { max_array_bits: 0, ..BlastOptions::default() },
                ..Plan::default()
            };
            let model = Model::Words(system.clone());
            let answers = decide_all(&model, &[0], &plan, &Interrupt::new()).expect("checked");
            assert!(matches!(answers[0], Answer::Proved { .. }), "{engine:?}: {:?}", answers[0]);
        }
    }
}

#[test]
fn bounds_are_checked() {
    let system = memory("16 slice 1 15 7 7\n17 bad 16\n");
    let answer = decided(&system, EngineName::Bmc, Some(4));
    let Answer::Unknown { safe, .. } = &answer else { panic!("{answer:?}") };
    let safe = safe.expect("a bound");
    assert_eq!((safe.claimed, safe.checked), (4, Some(4)));
}
