//! Verdicts on random proofs and certificates agree with enumeration.

use crate::common;

use common::found_claim;
use pedra_certify::{
    CertificateError, CheckOptions, ProofError, Stop, aiger_certificate, check_bit_proof,
    check_certificate_for,
};
use pedra_model::aig::Aig;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_model::proof::BitProof;
use pedra_solve::SolverKind;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::points::{Claims, Points};
use pedra_testkit::random::Random;

fn random_system(random: &mut Random) -> BitSystem {
    random_bits(random, BitShape { latches: 3, inputs: 2, gates: 10 })
}

fn any_lit(random: &mut Random, aig: &Aig) -> Lit {
    Lit::from_code(random.below(2 * aig.len()) as u32)
}

/// The exact reachable states as an invariant; then perhaps some clauses dropped, cut short or
/// added, so that proofs come in every degree of wrongness.
fn random_proof(random: &mut Random, system: &BitSystem) -> BitProof {
    let all: Vec<usize> = (0..system.properties().len()).collect();
    let properties = if random.coin() { all } else { vec![random.below(all.len())] };
    let mut proof = BitProof { properties, k: 1 + random.below(3), ..BitProof::default() };
    proof.clauses = Points::new(system).unreached_states();
    match random.below(4) {
        0 => {}
        1 => {
            let keep = random.below(proof.clauses.len() + 1);
            proof.clauses.truncate(keep);
        }
        2 => proof.clauses.clear(),
        _ => {
            let mut aig = system.aig.clone();
            for _ in 0..random.below(3) {
                let gate = [any_lit(random, &aig), any_lit(random, &aig)];
                proof.gates.push(gate);
                aig.push_and(gate[0], gate[1]);
            }
            let clause = (0..random.below(4)).map(|_| any_lit(random, &aig)).collect();
            proof.clauses.push(clause);
        }
    }
    if random.below(3) == 0 {
        let latches = (0..system.latches.len()).filter(|_| random.below(4) > 0);
        proof.simple_path = Some(latches.collect());
    }
    proof
}

fn found(system: &BitSystem, proof: &BitProof, options: &CheckOptions) -> &'static str {
    found_claim(check_bit_proof(system, proof, options).map(|_| ()))
}

#[test]
fn proofs_are_judged_as_enumeration_does() {
    let mut random = Random::new(1);
    let mut seen = std::collections::BTreeMap::<&str, usize>::new();
    for round in 0..4000 {
        let system = random_system(&mut random);
        let proof = random_proof(&mut random, &system);
        let points = Points::new(&system);
        let truth = Claims::of(&points, &proof);
        let options = match round % 3 {
            0 => CheckOptions::with_solver(SolverKind::Batsat),
            1 => CheckOptions::with_solver(SolverKind::Cadical),
            // The first solver gives up at once, so that the second decides.
            _ => CheckOptions { limit_conflicts: Some(0), ..CheckOptions::default() },
        };
        let verdict = found(&system, &proof, &options);
        assert_eq!(verdict, truth.first_false(), "round {round}: {system:?} {proof:?}");
        assert!(verdict != "accepted" || truth.is_safe(), "an unsound proof was accepted");
        *seen.entry(verdict).or_default() += 1;
    }
    // Every verdict occurs, so every claim was put to the test.
    assert_eq!(seen.len(), 6, "{seen:?}");
    assert!(seen.values().all(|&n| n >= 20), "{seen:?}");
}

/// The exact set of reachable states always proves a property that holds.
#[test]
fn reachable_states_are_a_proof() {
    let mut random = Random::new(2);
    let mut safe = 0;
    for _ in 0..500 {
        let system = random_system(&mut random);
        let points = Points::new(&system);
        let clauses = points.unreached_states();
        let proof = BitProof { properties: vec![0], k: 1, clauses, ..BitProof::default() };
        let truth = Claims::of(&points, &proof);
        let verdict = check_bit_proof(&system, &proof, &CheckOptions::default());
        assert_eq!(verdict.is_ok(), truth.is_safe());
        safe += truth.is_safe() as usize;
    }
    assert!((50..450).contains(&safe), "{safe} of 500 are safe");
}

/// A valid proof gives a valid certificate, and a certificate is accepted only for what holds.
/// With k = 1 the certificate's property is `P ∧ Inv`, and enumeration says exactly when that is
/// inductive.
#[test]
fn certificates_are_judged_as_enumeration_does() {
    let mut random = Random::new(3);
    let mut accepted = [0; 4];
    let mut refused = 0;
    for round in 0..3000 {
        let system = random_system(&mut random);
        let proof = random_proof(&mut random, &system);
        let options = CheckOptions::default();
        let valid = check_bit_proof(&system, &proof, &options).is_ok();
        let witness = match aiger_certificate(&system, &proof) {
            Ok(witness) => witness,
            Err(CertificateError::NotExpressible(_)) if proof.simple_path.is_some() => continue,
            Err(error) => panic!("{error}"),
        };
        let verdict = check_certificate_for(&system, &proof.properties, &witness, &options);
        let points = Points::new(&system);
        let mut truth = Claims::of(&points, &proof);
        assert!(!valid || verdict.is_ok(), "round {round}: {verdict:?} {system:?} {proof:?}");
        assert!(verdict.is_err() || truth.is_safe(), "round {round}: unsound");
        if proof.k == 1 {
            points.all().for_each(|p| truth.invariant[p] &= truth.good[p]);
            let inductive = truth.initiation() && truth.consecution();
            assert_eq!(verdict.is_ok(), inductive, "round {round}");
        }
        match verdict {
            Ok(_) => accepted[proof.k] += 1,
            Err(CertificateError::Refuted { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(accepted[1..].iter().all(|&n| n >= 100) && refused >= 100, "{accepted:?} {refused}");
}

/// A solver without budget leaves what it cannot see at once to the second one; without a second
/// one there is no verdict.
#[test]
fn the_second_solver_takes_over() {
    let mut random = Random::new(4);
    let (mut taken_over, mut undecided) = (0, 0);
    for _ in 0..500 {
        let system = random_system(&mut random);
        let proof = random_proof(&mut random, &system);
        let options = CheckOptions { limit_conflicts: Some(0), ..CheckOptions::default() };
        if let Ok(checked) = check_bit_proof(&system, &proof, &options) {
            taken_over += (checked.effort.fallback_queries > 0) as usize;
        }
        let alone = CheckOptions { fallback: None, ..options };
        match check_bit_proof(&system, &proof, &alone) {
            Err(ProofError::Stopped(Stop::OutOfBudget)) => undecided += 1,
            Ok(_) => {
                let points = Points::new(&system);
                assert_eq!(Claims::of(&points, &proof).first_false(), "accepted");
            }
            Err(_) => {}
        }
    }
    assert!(taken_over > 0 && undecided > 0, "{taken_over} {undecided}");
}
