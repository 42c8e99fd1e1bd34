//! Evidence on the wire: what engines claim arrives as it was, and what nobody should believe is
//! not believed, whatever is done to it on the way.

use pedra_check::{Checked, Claimant, EngineName, Open, Plan, check_answer, claims};
use pedra_cluster::evidence::{decode, encode};
use pedra_engines::Outcome;
use pedra_model::Model;
use pedra_model::proof::{BitProof, Proof};
use pedra_solve::Interrupt;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::justice::{
    add_bit_justice, add_word_justice, violated_bit_sets, violated_word_sets,
};
use pedra_testkit::oracle::{ExplicitBits, explore};
use pedra_testkit::random::{Random, runs};
use pedra_testkit::words::{ExplicitWords, WordShape, random_words};
use std::sync::Mutex;

/// A random model, and for each property whether it is violated.
fn random_model(random: &mut Random) -> (Model, Vec<bool>) {
    let shape = BitShape { latches: 4, inputs: 2, gates: 16 };
    let is_violated = |at: Vec<Option<usize>>| at.into_iter().map(|at| at.is_some());
    match random.coin() {
        true => {
            let mut system = random_bits(random, shape);
            add_bit_justice(random, &mut system);
            let bads = explore(&ExplicitBits::new(&system)).violated_at;
            let sets = violated_bit_sets(&system);
            (Model::Bits(system), is_violated(bads).chain(sets).collect())
        }
        false => {
            let mut system = random_words(random, WordShape::default());
            add_word_justice(random, &mut system);
            let bads = explore(&ExplicitWords::new(&system)).violated_at;
            let sets = violated_word_sets(&system);
            (Model::Words(system), is_violated(bads).chain(sets).collect())
        }
    }
}

#[derive(Default)]
struct Heard(Mutex<Vec<(&'static str, Outcome)>>);

impl Claimant for Heard {
    fn claim(&self, engine: &'static str, outcome: &Outcome) {
        self.0.lock().expect("no test panics with it").push((engine, outcome.clone()));
    }

    fn open(&self, _: usize, _: Open, _: Option<usize>) {}
}

fn claimed(model: &Model, random: &mut Random) -> Vec<(&'static str, Outcome)> {
    let engines = [EngineName::Auto, EngineName::Kind, EngineName::Wpdr, EngineName::Bmc];
    let simple_path = random.coin();
    let (engine, depth) = (random.pick(&engines), Some(12));
    let plan = Plan { engine, depth, simple_path, ..Plan::default() };
    let all: Vec<usize> = (0..model.num_properties()).collect();
    let heard = Heard::default();
    claims(model, &all, &plan, &Interrupt::new().child_with_looks(200_000), &heard);
    heard.0.into_inner().expect("no test panics with it")
}

/// What the asker would say; `None` if it does not believe it.
fn believed(model: &Model, engine: &str, outcome: &Outcome) -> Option<Vec<(usize, bool)>> {
    let plan = Plan::default();
    let options = plan.check_options(engine, &Interrupt::new());
    match check_answer(model, outcome, &plan.blast, &options)?.ok()? {
        Checked::Violated(trace) => Some(vec![(trace.property(), true)]),
        Checked::Proved { proof, .. } => {
            Some(proof.properties().iter().map(|&p| (p, false)).collect())
        }
    }
}

#[test]
fn claims_arrive_and_are_accepted() {
    let mut kinds = [0; 4];
    for seed in 0..runs(60) {
        let mut random = Random::new(seed);
        let (model, expected) = random_model(&mut random);
        for (engine, outcome) in claimed(&model, &mut random) {
            let sent = encode(&model, &outcome).expect("it can be sent");
            let arrived = decode(&model, &sent).expect("it can be read");
            assert_eq!(encode(&model, &arrived), Ok(sent), "{seed}");
            let verdicts = believed(&model, engine, &arrived);
            let verdicts = verdicts.unwrap_or_else(|| panic!("{seed}: {engine} is not believed"));
            assert!(verdicts.iter().all(|&(p, is_violated)| expected[p] == is_violated), "{seed}");
            kinds[match &outcome {
                Outcome::Violated(trace) => usize::from(trace.loop_start().is_some()),
                Outcome::Proved(proof) => 2 + usize::from(matches!(**proof, Proof::Live(_))),
                Outcome::Unknown => unreachable!("claims are definite"),
            }] += 1;
        }
    }
    assert!(kinds.iter().all(|&count| count > 0), "traces, lassos, proofs, live proofs: {kinds:?}");
}

/// Damages a text of JSON: other digits, other words, parts that are lost or repeated.
fn damage(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..random.between(1, 4) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 if bytes[at].is_ascii_digit() => bytes[at] = b'0' + random.below(10) as u8,
            1 => {
                let digits: Vec<usize> =
                    (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
                if !digits.is_empty() {
                    let at = random.pick(&digits);
                    bytes[at] = random.pick(b"0123456789x");
                }
            }
            2 => bytes[at] = random.pick(b"[],:{}\"019"),
            3 => bytes.truncate(at.max(1)),
            _ => {
                let digits = b"999999999999";
                bytes.splice(at..at, digits[..random.between(1, 12)].iter().copied());
            }
        }
    }
}

/// However evidence is damaged, or to whichever model it is sent: what is believed is true.
#[test]
fn nothing_false_is_believed() {
    let (mut believed_ones, mut refused) = (0, 0);
    for seed in 0..runs(120) {
        let mut random = Random::new(seed);
        let (model, expected) = random_model(&mut random);
        let (other, _) = random_model(&mut random);
        let mut sent: Vec<Vec<u8>> = Vec::new();
        for source in [&model, &other] {
            let claims = claimed(source, &mut random);
            sent.extend(claims.iter().filter_map(|(_, outcome)| encode(source, outcome).ok()));
        }
        for bytes in sent {
            for round in 0..12 {
                let mut bytes = bytes.clone();
                if round > 0 {
                    damage(&mut random, &mut bytes);
                }
                let Ok(outcome) = decode(&model, &bytes) else {
                    refused += 1;
                    continue;
                };
                match believed(&model, "auto", &outcome) {
                    None => refused += 1,
                    Some(verdicts) => {
                        believed_ones += 1;
                        for (property, is_violated) in verdicts {
                            assert_eq!(expected[property], is_violated, "{seed}: {outcome:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(believed_ones > 100 && refused > 100, "{believed_ones} and {refused}");
}

#[test]
fn what_would_take_too_much_is_refused() {
    let mut random = Random::new(1);
    let model = Model::Bits(random_bits(&mut random, BitShape::default()));
    let proof = |k: usize, simple_path| {
        let proof = BitProof { properties: vec![0], k, simple_path, ..BitProof::default() };
        encode(&model, &Outcome::Proved(std::sync::Arc::new(proof.into()))).expect("small")
    };
    assert!(decode(&model, &proof(3, None)).is_ok());
    let deep = decode(&model, &proof(1 << 40, None)).expect_err("too deep").to_string();
    assert!(deep.contains("too deep"), "{deep}");
    assert!(decode(&model, &proof(1 << 20, Some(vec![0; 9]))).is_err());
    let lits = r#"{"bits":{"properties":[0],"gates":[],"clauses":[[4294967295]],"k":1}}"#;
    assert!(decode(&model, lits.as_bytes()).is_err());
}
