//! Evidence on the wire: what engines claim arrives as it was, and what nobody should believe is
//! not believed, whatever is done to it on the way.

mod damage;

use damage::{damage, each_number_changed};
use pedra_check::{Checked, Claimant, EngineName, Open, Plan, check_answer, claims};
use pedra_cluster::evidence::{decode, encode};
use pedra_engines::Outcome;
use pedra_formats::btor2;
use pedra_model::Model;
use pedra_model::proof::{BitProof, Proof, WordProof};
use pedra_model::prophecy::{Difference, Guess, Prophecy};
use pedra_model::system::{State, System};
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use pedra_solve::Interrupt;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::justice::{
    add_bit_justice, add_word_justice, violated_bit_sets, violated_word_sets,
};
use pedra_testkit::oracle::{ExplicitBits, explore};
use pedra_testkit::random::{Random, runs};
use pedra_testkit::words::{ExplicitWords, WordShape, random_arrays, random_words};
use std::sync::{Arc, Mutex};

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
    believed_by(&Plan::default(), model, engine, outcome)
}

/// The same with a plan.
fn believed_by(
    plan: &Plan,
    model: &Model,
    engine: &str,
    outcome: &Outcome,
) -> Option<Vec<(usize, bool)>> {
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
        encode(&model, &Outcome::Proved(Arc::new(proof.into()))).expect("small")
    };
    assert!(decode(&model, &proof(3, None)).is_ok());
    let deep = decode(&model, &proof(1 << 40, None)).expect_err("too deep").to_string();
    assert!(deep.contains("too deep"), "{deep}");
    assert!(decode(&model, &proof(1 << 20, Some(vec![0; 9]))).is_err());
    let lits = r#"{"bits":{"properties":[0],"gates":[],"clauses":[[4294967295]],"k":1}}"#;
    assert!(decode(&model, lits.as_bytes()).is_err());
}

/// A memory of 2^32 bytes, at first 0, into which only bytes below 128 are written. Bad: a byte
/// read is above 127, or one that was read a step ago is another one although nothing was written.
fn memory() -> Model {
    let text = "1 sort bitvec 1\n2 sort bitvec 32\n3 sort bitvec 8\n4 sort array 2 3\n5 zero 3\n\
         6 state 4 mem\n7 init 4 6 5\n8 input 2 address\n9 input 3 data\n10 constd 3 127\n\
         11 and 3 9 10\n12 write 4 6 8 11\n13 next 4 6 12\n14 input 2 place\n15 read 3 6 14\n\
         16 slice 1 15 7 7\n17 bad 16\n18 bad 1\n";
    let text = text.replace("18 bad 1\n", "18 constd 3 55\n19 eq 1 15 18\n20 bad 19\n");
    Model::Words(btor2::read(text.as_bytes()).expect("a model"))
}

/// A proof for all addresses of a large array: it arrives, and with any other number in it nothing
/// is believed that is false. The second property is violated.
#[test]
fn proofs_for_all_addresses_arrive() {
    let model = memory();
    let plan = Plan { engine: EngineName::Wpdr, ..Plan::default() };
    let heard = Heard::default();
    claims(&model, &[0], &plan, &Interrupt::new(), &heard);
    let heard = heard.0.into_inner().expect("no test panics with it");
    let [(engine, outcome)] = &heard[..] else { panic!("one claim, not {heard:?}") };
    let Outcome::Proved(proof) = outcome else { panic!("it holds") };
    let Proof::Words(words) = &**proof else { panic!("a proof in words") };
    assert!(!words.prophecy.guesses.is_empty(), "a guess is needed");
    let sent = encode(&model, outcome).expect("it can be sent");
    let arrived = decode(&model, &sent).expect("it can be read");
    assert_eq!(encode(&model, &arrived).as_ref(), Ok(&sent));
    assert_eq!(believed(&model, engine, &arrived), Some(vec![(0, false)]));
    let (mut read, mut refused) = (0, 0);
    for changed in each_number_changed(&sent) {
        match decode(&model, &changed) {
            Err(_) => refused += 1,
            Ok(outcome) => {
                read += 1;
                if let Some(verdicts) = believed(&model, engine, &outcome) {
                    assert_eq!(verdicts, [(0, false)], "{}", String::from_utf8_lossy(&changed));
                }
            }
        }
    }
    assert!(read > 0 && refused > 0, "{read} and {refused}");
}

/// A proof with any invariant and any additions, well formed as far as its terms are.
fn any_proof(random: &mut Random, model: &System) -> WordProof {
    let mut system = model.clone();
    let terms = &mut system.terms;
    let new = |random: &mut Random, terms: &mut Terms| {
        let like = TermId::new(random.below(terms.len()));
        terms.new_symbol(terms.sort(like))
    };
    let count = |random: &mut Random| 0..random.below(3);
    let history: Vec<TermId> = count(random).map(|_| new(random, terms)).collect();
    let guesses: Vec<TermId> = count(random).map(|_| new(random, terms)).collect();
    let indices: Vec<TermId> = count(random).map(|_| new(random, terms)).collect();
    for _ in 0..random.between(1, 40) {
        let [a, b, c] = [(); 3].map(|()| TermId::new(random.below(terms.len())));
        let term = match random.below(6) {
            0 => Term::Unary(random.pick(UnaryOp::ALL), a),
            1 => Term::Ite(a, b, c),
            2 => Term::Read(a, b),
            3 => Term::Binary(random.pick(&[BinaryOp::Eq, BinaryOp::Neq]), a, b),
            _ => Term::Binary(random.pick(BinaryOp::ALL), a, b),
        };
        // What does not fit is left out.
        let _ = terms.add(term);
    }
    let like = |random: &mut Random, terms: &Terms, sort: Sort| {
        let all = terms.iter().map(|(id, _)| id);
        random.pick(&all.filter(|&id| terms.sort(id) == sort).collect::<Vec<_>>())
    };
    let state = |random: &mut Random, term: TermId| {
        let [init, next] =
            [(); 2].map(|()| random.coin().then(|| like(random, terms, terms.sort(term))));
        State { term, name: None, init, next }
    };
    let history = history.into_iter().map(|term| state(random, term)).collect();
    let guess = |random: &mut Random, symbol: TermId| Guess {
        symbol,
        target: like(random, terms, terms.sort(symbol)),
    };
    let guesses = guesses.into_iter().map(|symbol| guess(random, symbol)).collect();
    let difference = |random: &mut Random, index: TermId| Difference {
        comparison: like(random, terms, Sort::BOOL),
        index,
    };
    let differences = indices.into_iter().map(|index| difference(random, index)).collect();
    let invariant = (0..random.below(4)).map(|_| like(random, terms, Sort::BOOL)).collect();
    let properties = (0..system.bads.len()).filter(|_| random.coin()).collect();
    let k = random.pick(&[1, 1, 1, 2]);
    let prophecy = Prophecy { history, guesses, differences };
    WordProof { properties, system, invariant, k, simple_path: None, prophecy }
}

/// Proofs at random with additions at random: no check fails with a panic, and what is believed is
/// true.
#[test]
fn additions_at_random_prove_nothing_false() {
    let (mut read, mut believed_ones) = (0, 0);
    for seed in 0..runs(200) {
        let mut random = Random::new(seed);
        // With and without arrays, which are expanded or count as large.
        let system = match random.coin() {
            true => random_words(&mut random, WordShape::default()),
            false => random_arrays(&mut random),
        };
        let mut plan = Plan::default();
        if random.coin() {
            plan.blast.max_array_bits = 0;
        }
        let is_violated = explore(&ExplicitWords::new(&system)).violated_at;
        let model = Model::Words(system.clone());
        for _ in 0..6 {
            let proof = Arc::new(any_proof(&mut random, &system).into());
            let sent = encode(&model, &Outcome::Proved(proof)).expect("it can be sent");
            let Ok(outcome) = decode(&model, &sent) else { continue };
            read += 1;
            for (property, _) in believed_by(&plan, &model, "auto", &outcome).into_iter().flatten()
            {
                believed_ones += 1;
                let text = String::from_utf8_lossy(&sent);
                assert!(is_violated[property].is_none(), "{seed}: {property}: {text}");
            }
        }
    }
    assert!(read > 100 && believed_ones > 5, "{read} and {believed_ones}");
}

/// Symbols that a proof does not add, and integers, are refused before anything is checked.
#[test]
fn terms_that_no_proof_about_words_has_are_refused() {
    let model = memory();
    let with = |terms: &str, additions: &str| {
        format!(
            r#"{{"words":{{"properties":[0],"terms":[{terms}],"invariant":[],"k":1,
            "simple_path":null,"additions":{additions}}}}}"#
        )
    };
    let Model::Words(system) = &model else { unreachable!("it was read so") };
    let base = system.terms.len();
    let symbol = r#"{"symbol":{"scalar":32}}"#;
    let guess = |target: usize| {
        format!(r#"{{"history":[],"guesses":[[{base},{target}]],"differences":[]}}"#)
    };
    assert!(decode(&model, with(symbol, &guess(0)).as_bytes()).is_ok());
    for (terms, additions, why) in [
        (symbol, "null".to_owned(), "a symbol that nothing adds"),
        (r#"{"symbol":{"scalar":null}}"#, guess(0), "an integer"),
        (r#"{"symbol":{"scalar":0}}"#, guess(0), "bit"),
        (r#"{"symbol":{"scalar":99999999}}"#, guess(0), "bits"),
        (r#"{"symbol":{"array":[99999999,1]}}"#, guess(0), "bits"),
        (r#"{"integer":"ff"}"#, "null".to_owned(), "an integer"),
        (symbol, guess(base + 1), "no term"),
        (symbol, guess(usize::MAX), "no term"),
    ] {
        let text = with(terms, &additions);
        let error = decode(&model, text.as_bytes()).expect_err(&text).to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}
