//! Word-level proofs and certificates of random systems, judged as their bits are by
//! enumeration.

use crate::common;

use common::found_claim;
use pedra_certify::{
    CertificateError, CheckOptions, NumberedModel, ProofError, ScriptError, btor2_certificate,
    check_script, check_word_certificate, check_word_proof, smtlib_obligations,
};
use pedra_formats::btor2::{self, Btor2};
use pedra_model::blast::{BlastOptions, Blasted, blast};
use pedra_model::proof::{BitProof, WordProof};
use pedra_model::prophecy::Prophecy;
use pedra_model::system::System;
use pedra_model::term::{BinaryOp, TermId};
use pedra_testkit::points::{Claims, Points};
use pedra_testkit::random::Random;
use pedra_testkit::words::{WordShape, random_words};

/// A small system without arrays: constant ones have no BTOR2 form inside of a certificate.
fn random_system(random: &mut Random) -> System {
    let shape = WordShape { state_bits: 4, input_bits: 2, terms: 8, ..WordShape::default() };
    loop {
        let system = random_words(random, shape);
        if !system.states.iter().any(|state| system.terms.sort(state.term).is_array()) {
            return system;
        }
    }
}

/// A word-level proof, right or wrong, and the bit-level one of which it was made.
fn random_proof(random: &mut Random, system: &System, blasted: &Blasted) -> (BitProof, WordProof) {
    let mut proof = BitProof { properties: vec![0], k: 1 + random.below(3), ..BitProof::default() };
    proof.clauses = Points::new(&blasted.system).unreached_states();
    match random.below(3) {
        0 => proof.clauses.truncate(random.below(3)),
        1 if !proof.clauses.is_empty() => {
            proof.clauses.remove(random.below(proof.clauses.len()));
        }
        _ => {}
    }
    if random.coin() {
        proof.simple_path = Some((0..blasted.system.latches.len()).collect());
    }
    let lifted = blasted.map.lift_proof(system, &proof, &blasted.system);
    (proof, lifted)
}

#[test]
fn word_proofs_are_judged_as_their_bits() {
    let mut random = Random::new(1);
    let (options, blasting) = (CheckOptions::default(), BlastOptions::default());
    let mut seen = std::collections::BTreeMap::<&str, usize>::new();
    for round in 0..2500 {
        let system = random_system(&mut random);
        let blasted = blast(&system, &blasting).expect("small systems can be blasted");
        let (proof, lifted) = random_proof(&mut random, &system, &blasted);
        let points = Points::new(&blasted.system);
        let truth = Claims::of(&points, &proof);
        let checked = check_word_proof(&system, &lifted, &blasting, &options);
        let verdict = found_claim(checked.map(|_| ()));
        assert_eq!(verdict, truth.first_false(), "round {round}");
        let script = smtlib_obligations(&system, &lifted);
        assert_eq!(script.is_ok(), lifted.simple_path.is_none(), "round {round}");
        if let Ok(script) = script {
            // The written queries say the same.
            let checked = check_script(&script, &blasting, &options);
            let is_accepted = !matches!(checked, Err(ScriptError::Satisfiable(_)));
            assert_eq!(is_accepted, verdict == "accepted", "round {round}: {checked:?}");
            assert!(checked.is_ok() || !is_accepted, "round {round}: {checked:?}");
        }
        *seen.entry(verdict).or_default() += 1;
    }
    // Lifting a proof keeps initiation, so that it cannot fail here.
    assert_eq!(seen.len(), 5, "{seen:?}");
    assert!(seen.values().all(|&n| n >= 5), "{seen:?}");
}

#[test]
fn word_certificates_of_right_proofs_pass_and_never_lie() {
    let mut random = Random::new(2);
    let (options, blasting) = (CheckOptions::default(), BlastOptions::default());
    let (mut accepted, mut refused) = ([0; 4], 0);
    for round in 0..1000 {
        // Through a file, so that node numbers and symbols are those of files.
        let text = btor2::write(&random_system(&mut random)).expect("no arrays");
        let Btor2 { system, nodes } = btor2::read_with_ids(&text).expect("our own text");
        let blasted = blast(&system, &blasting).expect("small systems can be blasted");
        let (proof, lifted) = random_proof(&mut random, &system, &blasted);
        let valid = check_word_proof(&system, &lifted, &blasting, &options).is_ok();
        let witness = match btor2_certificate(&lifted, &nodes) {
            Ok(witness) => witness,
            Err(CertificateError::NotExpressible(_)) if proof.simple_path.is_some() => continue,
            Err(error) => panic!("{error}"),
        };
        let text = btor2::write(&witness).expect("no arrays");
        let witness = btor2::read(&text).expect("our own text");
        let model = NumberedModel { system: &system, nodes: &nodes };
        let verdict = check_word_certificate(model, &[0], &witness, &blasting, &options);
        let points = Points::new(&blasted.system);
        let truth = Claims::of(&points, &proof);
        assert!(!valid || verdict.is_ok(), "round {round}: {verdict:?}");
        assert!(verdict.is_err() || truth.is_safe(), "round {round}: unsound");
        match verdict {
            Ok(_) => accepted[proof.k] += 1,
            Err(CertificateError::Refuted { .. }) => refused += 1,
            Err(error) => panic!("round {round}: {error}"),
        }
    }
    assert!(accepted[1..].iter().all(|&n| n >= 50) && refused >= 50, "{accepted:?} {refused}");
}

/// Whether `y ≤ a·x + b` is kept by `x + 1` and `y + step`, words of four bits that wrap: as it is
/// for all values.
#[test]
fn sums_are_judged_as_their_values() {
    let (options, blasting) = (CheckOptions::default(), BlastOptions::default());
    let (mut kept, mut certified) = (0, 0);
    for code in 0..5 * 5 * 4 * 3 {
        let (a, b, step, limit) = (code % 5, code / 5 % 5, code / 25 % 4, [3, 7, 15][code / 100]);
        let text = format!(
            "1 sort bitvec 4\n2 sort bitvec 1\n3 input 2 go\n4 zero 1\n5 state 1 x\n6 init 1 5 4\n\
             7 state 1 y\n8 init 1 7 4\n9 constd 1 {limit}\n10 ult 2 5 9\n11 and 2 3 10\n\
             12 inc 1 5\n13 ite 1 11 12 5\n14 next 1 5 13\n15 constd 1 {step}\n16 add 1 7 15\n\
             17 ite 1 11 16 7\n18 next 1 7 17\n19 ugt 2 7 9\n20 bad 19\n21 sort bitvec 9\n\
             22 uext 21 5 5\n23 uext 21 7 5\n24 constd 21 {a}\n25 constd 21 {b}\n26 mul 21 24 22\n\
             27 add 21 26 25\n28 ulte 2 23 27\n29 ulte 2 5 9\n30 constraint 28\n31 constraint 29\n"
        );
        let Btor2 { mut system, nodes } =
            btor2::read_with_ids(text.as_bytes()).expect("well-formed");
        let invariant = system.constraints.drain(..).map(|c| c.term).collect();
        let proof = WordProof {
            properties: vec![0],
            system: system.clone(),
            invariant,
            k: 1,
            simple_path: None,
            prophecy: Prophecy::default(),
        };
        let holds = |x: usize, y: usize| y <= a * x + b && x <= limit;
        let is_kept = (0..256)
            .map(|s| (s / 16, s % 16))
            .all(|(x, y)| !holds(x, y) || x == limit || holds((x + 1) % 16, (y + step) % 16));
        let verdict =
            found_claim(check_word_proof(&system, &proof, &blasting, &options).map(|_| ()));
        assert_eq!(verdict != "consecution", is_kept, "{a} {b} {step} {limit}");
        kept += is_kept as usize;
        // The property of the witness circuit is the invariant with that of the model.
        let holds = |x: usize, y: usize| holds(x, y) && y <= limit;
        let is_kept = (0..256)
            .map(|s| (s / 16, s % 16))
            .all(|(x, y)| !holds(x, y) || x == limit || holds(x + 1, (y + step) % 16));
        let witness = btor2_certificate(&proof, &nodes).expect("no simple path");
        let text = btor2::write(&witness).expect("no arrays");
        let witness = btor2::read(&text).expect("our own text");
        let model = NumberedModel { system: &system, nodes: &nodes };
        let verdict = check_word_certificate(model, &[0], &witness, &blasting, &options);
        assert_eq!(verdict.is_ok(), is_kept, "{a} {b} {step} {limit}: {verdict:?}");
        certified += is_kept as usize;
    }
    assert!(kept > 50 && kept < 250, "{kept}");
    assert!(certified > 50 && certified < 250, "{certified}");
}

/// A proof about another model is no proof about this one.
#[test]
fn a_proof_of_another_model_is_refused() {
    let counter = |last: i64| {
        let text = format!(
            "1 sort bitvec 4\n2 sort bitvec 1\n3 state 1 count\n4 zero 1\n5 init 1 3 4\n\
             6 constd 1 {last}\n7 eq 2 3 6\n8 one 1\n9 add 1 3 8\n10 ite 1 7 4 9\n\
             11 next 1 3 10\n12 constd 1 9\n13 eq 2 3 12\n14 bad 13\n"
        );
        btor2::read(text.as_bytes()).expect("well-formed")
    };
    let system = counter(5);
    let mut extended = system.clone();
    let limit = extended.terms.constant(pedra_model::bv::Bv::from_u64(4, 5));
    let small = extended.terms.binary(BinaryOp::Ulte, extended.states[0].term, limit);
    let proof = WordProof {
        properties: vec![0],
        system: extended,
        invariant: vec![small],
        k: 1,
        simple_path: None,
        prophecy: Prophecy::default(),
    };
    let (options, blasting) = (CheckOptions::default(), BlastOptions::default());
    let check = |system: &System, proof: &WordProof| {
        check_word_proof(system, proof, &blasting, &options).map(|_| ())
    };
    assert_eq!(check(&system, &proof), Ok(()));
    assert!(matches!(check(&counter(6), &proof), Err(ProofError::Malformed(_))));
    assert!(matches!(smtlib_obligations(&counter(6), &proof), Err(ProofError::Malformed(_))));
    let vacuous = WordProof { properties: vec![], ..proof.clone() };
    assert!(matches!(check(&system, &vacuous), Err(ProofError::Malformed(_))));
    let not_a_bit = WordProof { invariant: vec![system.states[0].term], ..proof.clone() };
    assert!(matches!(check(&system, &not_a_bit), Err(ProofError::Malformed(_))));
    let nothing = WordProof { invariant: vec![], ..proof };
    assert_eq!(found_claim(check(&system, &nothing)), "step");
}

/// What cannot be made into bits is not checked, and so is not refuted either.
#[test]
fn arrays_beyond_the_limit_are_not_judged() {
    let text = b"1 sort bitvec 2\n2 sort array 1 1\n3 sort bitvec 1\n4 state 2\n5 zero 1\n\
        6 init 2 4 5\n7 next 2 4 4\n8 read 1 4 5\n9 neq 3 8 5\n10 bad 9\n";
    let Btor2 { system, nodes } = btor2::read_with_ids(text).expect("well-formed");
    let model = NumberedModel { system: &system, nodes: &nodes };
    let check = |max_array_bits| {
        let blasting = BlastOptions { max_array_bits, ..BlastOptions::default() };
        check_word_certificate(model, &[0], &system, &blasting, &CheckOptions::default())
    };
    assert!(check(8).is_ok());
    assert!(matches!(check(7), Err(CertificateError::Unsupported(_))));
}

/// A proof must be about the model itself, not about one in which two of its symbols are one, or
/// in which a symbol is a constant.
#[test]
fn symbols_cannot_be_identified() {
    // Violated at once: two free states differ.
    let text = b"1 sort bitvec 1\n2 state 1\n3 state 1\n4 neq 1 2 3\n5 bad 4\n";
    let system = btor2::read(text).expect("well-formed");
    let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
    let judge = |system: &System, second: TermId, other: System| {
        let mut other = other;
        other.states[1].term = second;
        other.bads[0].term = other.terms.binary(BinaryOp::Neq, other.states[0].term, second);
        let (properties, invariant) = (vec![0], Vec::new());
        let prophecy = Prophecy::default();
        let proof =
            WordProof { properties, system: other, invariant, k: 1, simple_path: None, prophecy };
        check_word_proof(system, &proof, &blasting, &options)
    };
    let honest = judge(&system, system.states[1].term, system.clone());
    assert!(matches!(honest, Err(ProofError::Refuted { .. })), "{honest:?}");
    let same = judge(&system, system.states[0].term, system.clone());
    assert!(matches!(same, Err(ProofError::Malformed(_))), "{same:?}");
    let mut other = system.clone();
    let constant = other.terms.bool(false);
    let constant = judge(&system, constant, other);
    assert!(matches!(constant, Err(ProofError::Malformed(_))), "{constant:?}");
}
