//! Proofs and witness circuits written by hand, right and wrong, each formula broken once.

use pedra_certify::{
    CertificateError, CheckOptions, Claim, Formula, ProofError, Stop, aiger_certificate,
    check_bit_proof, check_certificate, check_certificate_for,
};
use pedra_formats::aiger;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_model::proof::BitProof;

fn read(text: &str) -> BitSystem {
    aiger::read(text.as_bytes()).expect("well-formed")
}

/// A one-hot ring of three latches that an input turns; the constraint is that the input is 1
/// whenever the last latch is set, so that the ring does not stop there. Bad: first and last
/// together.
fn ring() -> BitSystem {
    read(
        "aag 15 1 3 0 11 1 1\n2\n4 15 1\n6 21 0\n8 27 0\n28\n31\n\
         10 2 8\n12 3 4\n14 11 13\n16 2 4\n18 3 6\n20 17 19\n22 2 6\n24 3 8\n26 23 25\n\
         28 4 8\n30 3 8\n",
    )
}

const A: u32 = 4;
const B: u32 = 6;
const C: u32 = 8;

fn lits(codes: &[u32]) -> Vec<Lit> {
    codes.iter().map(|&c| Lit::from_code(c)).collect()
}

/// At most one of the three.
fn one_hot() -> BitProof {
    let clauses = [[A + 1, B + 1], [B + 1, C + 1], [A + 1, C + 1]];
    BitProof {
        properties: vec![0],
        clauses: clauses.iter().map(|c| lits(c)).collect(),
        k: 1,
        ..BitProof::default()
    }
}

#[test]
fn each_claim_can_fail() {
    let system = ring();
    let check = |proof: &BitProof| check_bit_proof(&system, proof, &CheckOptions::default());
    let checked = check(&one_hot()).expect("a right proof");
    assert_eq!((checked.clauses, checked.k, checked.properties), (3, 1, vec![0]));
    let claim = |proof: BitProof| match check(&proof) {
        Err(ProofError::Refuted { claim, .. }) => claim,
        other => panic!("{other:?}"),
    };
    let with = |clauses: &[&[u32]], k| BitProof {
        clauses: clauses.iter().map(|c| lits(c)).collect(),
        k,
        ..one_hot()
    };
    assert_eq!(claim(with(&[&[A + 1]], 1)), Claim::Initiation { clause: 0 });
    assert_eq!(claim(with(&[&[1], &[]], 1)), Claim::Initiation { clause: 1 });
    assert_eq!(claim(with(&[&[A + 1, B + 1]], 1)), Claim::Consecution { clause: 0 });
    assert_eq!(claim(with(&[], 1)), Claim::Step { property: 0 });
    // Two latches may be set for long before the ring turns, so no depth helps.
    assert_eq!(claim(with(&[], 3)), Claim::Step { property: 0 });
    let latches = |set: &[usize]| BitProof { simple_path: Some(set.to_vec()), ..one_hot() };
    assert!(check(&latches(&[0, 1, 2])).is_ok());
    assert_eq!(claim(latches(&[0, 2])), Claim::Closed);
    // The last latch is the bad: reached after two steps.
    let mut reachable = system.clone();
    reachable.bads = lits(&[C]);
    let error = check_bit_proof(&reachable, &BitProof { k: 3, ..one_hot() }, &Default::default());
    let Err(ProofError::Refuted { claim, counterexample }) = error else { panic!("{error:?}") };
    assert_eq!(claim, Claim::Base { step: 2, property: 0 });
    assert_eq!(counterexample.steps.len(), 3);
    assert_eq!(counterexample.to_string(), "[100|1] → [010|1] → [001|1]");
}

#[test]
fn vacuous_and_malformed_proofs_are_refused() {
    let system = ring();
    let proofs = [
        BitProof { properties: vec![], ..one_hot() },
        BitProof { properties: vec![0, 1], ..one_hot() },
        BitProof { k: 0, ..one_hot() },
        BitProof { clauses: vec![lits(&[200])], ..one_hot() },
        BitProof { gates: vec![[Lit::TRUE, Lit::from_code(32)]], ..one_hot() },
        BitProof { simple_path: Some(vec![3]), ..one_hot() },
        BitProof::default(),
    ];
    for proof in proofs {
        let error = check_bit_proof(&system, &proof, &CheckOptions::default());
        assert!(matches!(error, Err(ProofError::Malformed(_))), "{proof:?}: {error:?}");
        let error = aiger_certificate(&system, &proof);
        assert!(matches!(error, Err(CertificateError::Proof(_))), "{proof:?}: {error:?}");
    }
}

#[test]
fn an_interrupted_check_is_no_success() {
    let options = CheckOptions::default();
    options.interrupt.raise();
    let stopped = ProofError::Stopped(Stop::Interrupted);
    assert_eq!(check_bit_proof(&ring(), &one_hot(), &options), Err(stopped));
    let witness = aiger_certificate(&ring(), &one_hot()).expect("a certificate");
    let stopped = CertificateError::Stopped(Stop::Interrupted);
    assert_eq!(check_certificate(&ring(), &witness, &options), Err(stopped));
}

/// Our certificates pass after a round trip through both encodings.
#[test]
fn certificates_survive_their_files() {
    let system = ring();
    for k in 1..4 {
        let proof = BitProof { k, ..one_hot() };
        let witness = aiger_certificate(&system, &proof).expect("a certificate");
        let binary = aiger::read(&aiger::write_binary(&witness)).expect("our own file");
        let ascii = aiger::read(&aiger::write_ascii(&witness)).expect("our own file");
        for read_back in [binary, ascii] {
            let verdict = check_certificate(&system, &read_back, &CheckOptions::default());
            assert!(verdict.is_ok(), "k = {k}: {verdict:?}");
            assert!(read_back.comments.iter().any(|c| c == "WITNESS b0"));
        }
    }
    let simple = BitProof { simple_path: Some(vec![0, 1, 2]), ..one_hot() };
    let refused = aiger_certificate(&system, &simple);
    assert!(matches!(refused, Err(CertificateError::NotExpressible(_))));
}

/// A latch that stays 0 and one that toggles; bad if the first is 1.
const MODEL: &str = "aag 2 0 2 0 0 1\n2 2\n4 5\n2\n";

/// What is wrong with a witness, if anything.
#[derive(Debug, PartialEq)]
enum Verdict {
    Accepted,
    Fails(Formula),
    Mapping,
    Malformed,
    Unsupported,
}

fn judge(model: &str, witness: &str) -> Verdict {
    match check_certificate(&read(model), &read(witness), &CheckOptions::default()) {
        Ok(_) => Verdict::Accepted,
        Err(CertificateError::Refuted { formula, .. }) => Verdict::Fails(formula),
        Err(CertificateError::Mapping(_)) => Verdict::Mapping,
        Err(CertificateError::Malformed(_)) => Verdict::Malformed,
        Err(CertificateError::Unsupported(_)) => Verdict::Unsupported,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn witnesses_of_others() {
    use Verdict::*;
    // A model in which constraints read an input and the first latch resets to the input.
    let constrained = "aag 4 1 2 0 1 1 1\n2\n4 8 2\n6 4\n6\n5\n8 2 4\n";
    for (model, witness, expected) in [
        // The model itself.
        (MODEL, MODEL, Accepted),
        // Only the first latch, by order and by symbol.
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n2\n", Accepted),
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n2\nl0 = 2 stays\n", Accepted),
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n2\nl0 =2\n", Accepted),
        // Two latches in exchanged order.
        (MODEL, "aag 2 0 2 0 0 1\n2 3\n4 4\n4\nl0 = 4\nl1 = 2\n", Accepted),
        (MODEL, "aag 2 0 2 0 0 1\n2 3\n4 4\n4\nc\nMAPPING 2\n2 4\n4 2\n", Accepted),
        // The latch by its negation: 3 simulates 2.
        (MODEL, "aag 1 0 1 0 0 1\n2 2 1\n3\nc\nMAPPING 1\n3 2\n", Accepted),
        // An input that simulates a latch; the constraint makes it inductive but is too much.
        (MODEL, "aag 1 1 0 0 0 1\n2\n2\ni0 = 2\n", Fails(Formula::Base)),
        // Without the mapping the toggling latch is taken for the first.
        (MODEL, "aag 2 0 2 0 0 1\n2 3\n4 4\n4\n", Fails(Formula::Transition)),
        // Each formula broken once.
        (MODEL, "aag 1 0 1 0 0 1\n2 2 1\n2\n", Fails(Formula::Reset)),
        (MODEL, "aag 1 0 1 0 0 1\n2 0\n2\n", Fails(Formula::Transition)),
        (MODEL, "aag 1 0 1 0 0 1\n2 1\n2\n", Fails(Formula::Transition)),
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n0\n", Fails(Formula::Safety)),
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n1\n", Fails(Formula::Base)),
        (MODEL, "aag 2 0 2 0 0 1\n2 2\n4 5\n4\n", Fails(Formula::Safety)),
        (MODEL, "aag 3 0 2 0 1 1\n2 2\n4 5\n7\n6 3 5\n", Fails(Formula::Induction)),
        // More constrained than the model; a constraint that holds anyway does no harm.
        (MODEL, "aag 2 0 2 0 0 1 1\n2 2\n4 5\n2\n5\n", Fails(Formula::Transition)),
        (MODEL, "aag 2 0 2 0 0 1 1\n2 2\n4 5\n2\n4\n", Fails(Formula::Reset)),
        (MODEL, "aag 1 0 1 0 0 1 1\n2 2\n2\n3\n", Accepted),
        // An extra latch that is set after the first step, with a reset function.
        (MODEL, "aag 3 0 3 0 0 1\n2 2\n4 5\n6 1 4\n2\n", Accepted),
        // Outputs are the bads if there are no others; no property at all is no certificate.
        (MODEL, "aag 1 0 1 1 0\n2 2\n2\n", Accepted),
        (MODEL, "aag 1 0 1 0 0\n2 2\n", Malformed),
        // Mappings that make no sense.
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n2\nl0 = 6\n", Mapping),
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n2\nl0 = 99999999999\n", Mapping),
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n2\nc\nMAPPING 2\n2 2\n", Mapping),
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n2\nc\nMAPPING\n2 2\n", Mapping),
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n2\nc\nMAPPING 1\n2 x\n", Mapping),
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n2\nc\nMAPPING 2\n2 2\n2 4\n", Mapping),
        (MODEL, "aag 1 0 1 0 0 1\n2 2\n2\nc\nMAPPING 1\n4 2\n", Mapping),
        // A gate that simulates a latch may be right, but nobody here can tell.
        (MODEL, "aag 2 0 1 0 1 1\n2 2\n2\n4 2 2\nc\nMAPPING 1\n4 2\n", Unsupported),
        // Constraints and reset functions: as they are, with a stronger property, without the
        // constraint, and with a reset that the constraint implies.
        (constrained, constrained, Accepted),
        (constrained, "aag 5 1 2 0 2 1 1\n2\n4 8 2\n6 4\n11\n5\n8 2 4\n10 5 7\n", Accepted),
        (constrained, "aag 4 1 2 0 1 1\n2\n4 8 2\n6 4\n6\n8 2 4\n", Fails(Formula::Induction)),
        (constrained, "aag 4 1 2 0 1 1 1\n2\n4 8 0\n6 4\n6\n5\n8 2 4\n", Accepted),
        (constrained, "aag 4 1 2 0 1 1 1\n2\n4 8 1\n6 4\n6\n5\n8 2 4\n", Fails(Formula::Reset)),
    ] {
        assert_eq!(judge(model, witness), expected, "model {model:?} witness {witness:?}");
    }
}

/// A proof of one of two properties certifies that one only.
#[test]
fn some_of_the_properties() {
    let system = read("aag 2 0 2 0 0 2\n2 2\n4 5\n2\n4\n");
    let clauses = vec![lits(&[3])];
    let proof = BitProof { properties: vec![0], clauses, k: 1, ..BitProof::default() };
    let witness = aiger_certificate(&system, &proof).expect("a certificate");
    let options = CheckOptions::default();
    assert!(check_certificate_for(&system, &[0], &witness, &options).is_ok());
    let error = check_certificate(&system, &witness, &options);
    assert!(matches!(error, Err(CertificateError::Refuted { formula: Formula::Safety, .. })));
    assert!(witness.comments[1].contains("not 1 others of 2"), "{:?}", witness.comments);
    for none in [&[][..], &[2]] {
        let error = check_certificate_for(&system, none, &witness, &options);
        assert!(matches!(error, Err(CertificateError::Malformed(_))));
    }
}

/// A violation in a dead end: after it no input satisfies the constraint, and still it counts.
#[test]
fn dead_ends_count() {
    // A latch that becomes 1 after the first step; a second one that follows it. The constraint
    // forbids the second; the bad is the first without the second.
    let system = read("aag 3 0 2 0 1 1 1\n2 1\n4 2\n6\n5\n6 2 5\n");
    for k in 2..4 {
        let proof = BitProof { properties: vec![0], k, ..BitProof::default() };
        let error = check_bit_proof(&system, &proof, &CheckOptions::default());
        let Err(ProofError::Refuted { claim, .. }) = error else { panic!("{error:?}") };
        assert_eq!(claim, Claim::Base { step: 1, property: 0 });
        let witness = aiger_certificate(&system, &proof).expect("a certificate");
        assert!(check_certificate(&system, &witness, &CheckOptions::default()).is_err());
    }
}
