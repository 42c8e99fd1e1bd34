//! Word-level PDR on small models, every answer checked.

use pedra_certify::{CheckOptions, check_word_proof, replay_words};
use pedra_engines::word::UnitKind;
use pedra_engines::{
    BitStage, Collector, Context, Engine, Event, EventSink, Ledger, Outcome, Reason, Verdict,
    WordOptions, Wpdr,
};
use pedra_formats::btor2;
use pedra_model::blast::BlastOptions;
use pedra_model::proof::Proof;
use pedra_model::trace::{Trace, WordTrace};
use pedra_solve::Interrupt;
use std::sync::Arc;
use std::time::Duration;

/// x starts at 1 and grows by 2: never 42.
const PARITY: &str = "
    1 sort bitvec 32
    2 sort bitvec 1
    3 one 1
    4 state 1 x
    5 init 1 4 3
    6 constd 1 2
    7 add 1 4 6
    8 next 1 4 7
    9 constd 1 42
    10 eq 2 4 9
    11 bad 10
";

/// x counts up while y counts down; their sum stays 10.
const BALANCE: &str = "
    1 sort bitvec 16
    2 sort bitvec 1
    3 zero 1
    4 constd 1 10
    5 state 1 x
    6 state 1 y
    7 init 1 5 3
    8 init 1 6 4
    9 sgt 2 6 3
    10 inc 1 5
    11 dec 1 6
    12 ite 1 9 10 5
    13 ite 1 9 11 6
    14 next 1 5 12
    15 next 1 6 13
    16 sgt 2 5 4
    17 bad 16
";

/// A counter that is set by an input in the first step, under a constraint.
const SET_BY_INPUT: &str = "
    1 sort bitvec 8
    2 sort bitvec 1
    3 input 1 start
    4 state 1 x
    5 init 1 4 3
    6 constd 1 3
    7 ult 2 3 6
    8 constraint 7
    9 add 1 4 3
    10 next 1 4 9
    11 constd 1 11
    12 eq 2 4 11
    13 bad 12
";

/// Two elements of a memory swap places; both stay small.
const SWAP: &str = "
    1 sort bitvec 1
    2 sort bitvec 8
    3 sort array 1 2
    4 zero 1
    5 one 1
    6 zero 2
    7 state 3 memory
    8 init 3 7 6
    9 read 2 7 4
    10 read 2 7 5
    11 write 3 7 4 10
    12 write 3 11 5 9
    13 next 3 7 12
    14 constd 2 9
    15 eq 1 9 14
    16 bad 15
";

fn check(text: &str, options: WordOptions, expected: Verdict) {
    let system = btor2::read(text.as_bytes()).expect("a model");
    let blasting = BlastOptions::default();
    let mut engine = Wpdr::new(&system, &[0], options, BitStage::default());
    let context = Context::default();
    let end = engine.run(&context);
    let outcome = context.ledger.outcome(0);
    assert_eq!(outcome.verdict(), expected, "{options:?} {outcome:?} {end:?}");
    match &outcome {
        Outcome::Proved(proof) => {
            let Proof::Words(proof) = &**proof else { panic!("{options:?}: {proof:?}") };
            check_word_proof(&system, proof, &blasting, &CheckOptions::default())
                .unwrap_or_else(|e| panic!("{options:?}: {e}"));
        }
        Outcome::Violated(Trace::Words(trace)) => {
            replay_words(&system, trace).unwrap_or_else(|e| panic!("{options:?}: {e}"));
        }
        other => panic!("{options:?}: {other:?}"),
    }
}

fn all_kinds() -> [WordOptions; 3] {
    [UnitKind::Cubes, UnitKind::Polytopes, UnitKind::Mixed].map(WordOptions::of)
}

#[test]
fn parity_needs_mixed_units() {
    let without = WordOptions { hand_over: false, ..WordOptions::default() };
    check(PARITY, without, Verdict::Proved);
    let polytopes =
        WordOptions { hand_over: false, budget: 300, ..WordOptions::of(UnitKind::Polytopes) };
    let system = btor2::read(PARITY.as_bytes()).expect("a model");
    let mut engine = Wpdr::new(&system, &[0], polytopes, BitStage::default());
    assert_eq!(engine.run(&Context::default()).reason, Reason::Budget);
}

#[test]
fn a_sum_that_stays_the_same() {
    for options in &all_kinds()[1..] {
        check(BALANCE, WordOptions { hand_over: false, ..*options }, Verdict::Proved);
    }
    let plain = WordOptions { bads: false, simulate: false, ..WordOptions::default() };
    check(BALANCE, plain, Verdict::Proved);
}

#[test]
fn inits_that_read_inputs() {
    // 1 + 2 + 2 + 2 + 2 + 2 = 11
    for options in all_kinds() {
        check(SET_BY_INPUT, options, Verdict::Violated);
    }
    let harmless = SET_BY_INPUT.replace("9 add 1 4 3", "9 and 1 4 3");
    for options in all_kinds() {
        check(&harmless, options, Verdict::Proved);
    }
}

#[test]
fn small_arrays_are_words_too() {
    for options in all_kinds() {
        check(SWAP, WordOptions { hand_over: false, ..options }, Verdict::Proved);
    }
}

#[test]
fn the_rest_is_handed_over() {
    for budget in [0, 5] {
        for options in all_kinds() {
            check(PARITY, WordOptions { budget, ..options }, Verdict::Proved);
            check(SET_BY_INPUT, WordOptions { budget, ..options }, Verdict::Violated);
        }
    }
}

/// Each answer of bit-level PDR is told when it is found, not when the last one is.
#[test]
fn answers_after_the_hand_over_are_told_at_once() {
    let text = "
        1 sort bitvec 8
        2 sort bitvec 1
        3 state 1 n
        4 zero 1
        5 init 1 3 4
        6 input 2 goes
        7 uext 1 6 7
        8 add 1 3 7
        9 next 1 3 8
        10 constd 1 3
        11 eq 2 3 10
        12 bad 11
        13 constd 1 12
        14 eq 2 3 13
        15 bad 14
    ";
    let system = btor2::read(text.as_bytes()).expect("a model");
    let options = WordOptions { budget: 0, ..WordOptions::default() };
    let mut engine = Wpdr::new(&system, &[0, 1], options, BitStage::default());
    let log = Collector::new();
    let context = Context { events: &log, ..Context::default() };
    engine.run(&context);
    assert!(
        context.ledger.outcomes(2).iter().all(|outcome| outcome.verdict() == Verdict::Violated)
    );
    let events = log.take();
    let settled: Vec<usize> =
        (0..events.len()).filter(|&i| matches!(events[i], Event::Settled { .. })).collect();
    assert_eq!(settled.len(), 2, "each is told once");
    let between = &events[settled[0]..settled[1]];
    assert!(between.iter().any(|event| matches!(event, Event::Depth { .. })));
    assert!(matches!(
        &events[settled[0]],
        Event::Settled { outcome: Outcome::Violated(Trace::Words(_)), .. }
    ));
}

#[test]
fn what_is_not_for_words_is_named() {
    let large = SWAP.replace("1 sort bitvec 1", "1 sort bitvec 7");
    let large = large.replace("15 eq 1 9 14", "15 sort bitvec 1\n    16 eq 15 9 14");
    let large = large.replace("16 bad 15", "17 bad 16");
    let system = btor2::read(large.as_bytes()).expect("a model");
    let options = WordOptions { hand_over: false, ..WordOptions::default() };
    let mut engine = Wpdr::new(&system, &[0], options, BitStage::default());
    let why = Reason::Unsupported("an array has more than 64 elements");
    assert_eq!(engine.run(&Context::default()).reason, why);
    check(&large, WordOptions::default(), Verdict::Proved);
}

/// What the property does not depend on costs no part of the trial.
#[test]
fn much_besides_the_cone_does_not_matter() {
    let mut large = BALANCE.to_owned();
    large.push_str("\n1000 sort bitvec 8\n1001 state 1000\n");
    for id in 1002..21_000 {
        large.push_str(&format!("{id} add 1000 {} 1001\n", id - 1));
    }
    large.push_str("21000 next 1000 1001 20999\n");
    let system = btor2::read(large.as_bytes()).expect("a model");
    let mut engine = Wpdr::new(&system, &[0], WordOptions::default(), BitStage::default());
    let log = Collector::new();
    engine.run(&Context { events: &log, max_depth: Some(0), ..Context::default() });
    let is_proved =
        |event: &Event| matches!(event, Event::Settled { outcome: Outcome::Proved(_), .. });
    assert!(log.take().iter().any(is_proved), "found in words, before frame 1");
}

/// A counter that is bad after 2^31 steps, too far for any engine.
const FAR: &str = "
    1 sort bitvec 32
    2 sort bitvec 1
    3 zero 1
    4 state 1 x
    5 init 1 4 3
    6 inc 1 4
    7 next 1 4 6
    8 constd 1 2147483648
    9 eq 2 4 8
    10 bad 9
";

/// Settles property 0 elsewhere when the engine has come to this depth.
struct SettlesAt(Arc<Ledger>, usize);

impl EventSink for SettlesAt {
    fn emit(&self, event: &Event) {
        if matches!(event, Event::Depth { depth, .. } if *depth >= self.1) {
            let trace =
                WordTrace { property: 0, states: Vec::new(), inputs: Vec::new(), loop_start: None };
            self.0.settle(&[0], &Outcome::Violated(trace.into()));
        }
    }
}

#[test]
fn after_the_hand_over_what_others_have_settled_is_left_alone() {
    let system = btor2::read(FAR.as_bytes()).expect("a model");
    let ledger = Arc::new(Ledger::new());
    let sink = SettlesAt(ledger.clone(), 3);
    let interrupt = Interrupt::with_timeout(Duration::from_secs(600));
    let context = Context { events: &sink, ledger, interrupt, ..Context::default() };
    let options = WordOptions { budget: 0, ..WordOptions::default() };
    let end = Wpdr::new(&system, &[0], options, BitStage::default()).run(&context);
    assert_eq!(end.reason, Reason::SettledElsewhere);
}
