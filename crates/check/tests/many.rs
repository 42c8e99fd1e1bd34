//! Many properties, and models that are large where it does not matter.

use pedra_check::{Answer, EngineName, Plan, decide_all};
use pedra_formats::btor2;
use pedra_model::Model;
use pedra_model::bits::{BitSystem, Reset};
use pedra_solve::Interrupt;
use std::sync::Arc;

fn decided(model: &Model, selected: &[usize], engine: EngineName) -> Vec<Answer> {
    let plan = Plan { engine, depth: Some(20), ..Plan::default() };
    decide_all(model, selected, &plan, &Interrupt::new()).expect("answers that pass their checks")
}

/// Pairs of latches that are never both set, and `copies` properties for each that say so.
fn pairs(number: usize, copies: usize) -> Model {
    let mut system = BitSystem::new();
    for _ in 0..number {
        let input = system.add_input();
        let (a, b) = (system.add_latch(Reset::Zero), system.add_latch(Reset::Zero));
        let last = system.latches.len();
        system.latches[last - 2].next = input;
        system.latches[last - 1].next = !input;
        for _ in 0..copies {
            let both = system.aig.push_and(a, b);
            system.bads.push(both);
        }
    }
    Model::Bits(system)
}

/// One argument for all properties is lifted once and checked once, however many they are, and
/// equal properties are one for the engines.
#[test]
fn one_proof_for_many_properties() {
    for (number, copies) in [(1, 1000), (500, 2)] {
        let model = pairs(number, copies);
        let all: Vec<usize> = (0..number * copies).collect();
        for engine in [EngineName::Kind, EngineName::Pdr, EngineName::Auto] {
            let mut proofs: Vec<_> = decided(&model, &all, engine)
                .into_iter()
                .map(|answer| match answer {
                    Answer::Proved { proof, .. } => proof,
                    other => panic!("{engine:?}: {other:?}"),
                })
                .collect();
            assert!(proofs[0].properties().contains(&0));
            proofs.dedup_by(|a, b| Arc::ptr_eq(a, b));
            assert!(proofs.len() <= 5, "{engine:?}: {} proofs", proofs.len());
        }
    }
}

/// A violation of one of several equal properties is one of each.
#[test]
fn equal_properties_are_violated_together() {
    let mut system = BitSystem::new();
    let latch = system.add_latch(Reset::Zero);
    system.latches[0].next = !latch;
    system.bads = vec![latch, !latch, latch];
    for engine in EngineName::ALL {
        let answers = decided(&Model::Bits(system.clone()), &[2, 1, 0], engine);
        let steps = answers.iter().map(|answer| match answer {
            Answer::Violated(trace) => (trace.property(), trace.depth()),
            other => panic!("{engine:?}: {other:?}"),
        });
        assert_eq!(steps.collect::<Vec<_>>(), [(2, 1), (1, 0), (0, 1)], "{engine:?}");
    }
}

/// A counter beside a memory of 2^20 words and a product of wide words.
const BESIDES: &str = "
    1 sort bitvec 1
    2 sort bitvec 20
    3 sort bitvec 32
    4 sort array 2 3
    5 state 4 mem
    6 input 2 address
    7 input 3 data
    8 write 4 5 6 7
    9 next 4 5 8
    10 sort bitvec 4
    11 zero 10
    12 state 10 count
    13 init 10 12 11
    14 constd 10 9
    15 eq 1 12 14
    16 inc 10 12
    17 ite 10 15 11 16
    18 next 10 12 17
    19 constd 10 12
    20 eq 1 12 19
    21 bad 20 never
    22 constd 10 7
    23 eq 1 12 22
    24 bad 23 seven
    25 read 3 5 6
    26 redand 1 25
    27 bad 26 ones
    28 sort bitvec 100000
    29 state 28 wide
    30 mul 28 29 29
    31 next 28 29 30
";

/// What no property depends on changes nothing, for engines on bits, for those on words, and for
/// the checks of their answers.
#[test]
fn what_is_outside_of_the_cone_does_not_matter() {
    let model = Model::Words(btor2::read(BESIDES.as_bytes()).expect("a model"));
    for engine in EngineName::ALL {
        let answers = decided(&model, &[0, 1, 2], engine);
        match &answers[0] {
            Answer::Proved { .. } => {}
            Answer::Unknown { .. } if engine == EngineName::Bmc => {}
            other => panic!("{engine:?}: {other:?}"),
        }
        let is_seven = matches!(&answers[1], Answer::Violated(trace) if trace.depth() == 7);
        assert!(is_seven, "{engine:?}: {:?}", answers[1]);
        let is_at_once = matches!(&answers[2], Answer::Violated(trace) if trace.depth() == 0);
        assert!(is_at_once, "{engine:?}: {:?}", answers[2]);
    }
}
