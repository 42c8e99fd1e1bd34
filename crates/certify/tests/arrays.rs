//! Proofs for all addresses of an array: what is accepted, and what is not.

use pedra_certify::{CheckOptions, ProofError, check_script, check_word_proof, smtlib_obligations};
use pedra_formats::btor2;
use pedra_model::blast::BlastOptions;
use pedra_model::proof::WordProof;
use pedra_model::prophecy::{Difference, Guess, Prophecy};
use pedra_model::system::{State, System};
use pedra_model::term::{BinaryOp, Sort, TermId};

/// A memory of 2^32 bytes, at first 0, into which only bytes below 128 are written. The bad reads
/// it at an input.
fn memory() -> System {
    let text = b"1 sort bitvec 1\n2 sort bitvec 32\n3 sort bitvec 8\n4 sort array 2 3\n5 zero 3\n\
        6 state 4 mem\n7 init 4 6 5\n8 input 2 address\n9 input 3 data\n10 constd 3 127\n\
        11 and 3 9 10\n12 write 4 6 8 11\n13 next 4 6 12\n14 input 2 place\n15 read 3 6 14\n\
        16 slice 1 15 7 7\n17 bad 16\n";
    btor2::read(text).expect("a model")
}

/// The proof that no byte has its highest bit, and the symbol of the guess.
fn proof(model: &System) -> (WordProof, TermId) {
    let mut system = model.clone();
    let (mem, place) = (system.states[0].term, system.inputs[2].term);
    let terms = &mut system.terms;
    let guess = terms.new_symbol(Sort::Bv(32));
    let cell = terms.read(mem, guess);
    let top = terms.slice(cell, 7, 7);
    let invariant = vec![terms.not(top)];
    let guesses = vec![Guess { symbol: guess, target: place }];
    let prophecy = Prophecy { guesses, ..Prophecy::default() };
    let properties = vec![0];
    (WordProof { properties, system, invariant, k: 1, simple_path: None, prophecy }, guess)
}

fn check(model: &System, proof: &WordProof) -> Result<(), ProofError> {
    let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
    check_word_proof(model, proof, &blasting, &options).map(|_| ())
}

#[test]
fn a_proof_for_all_addresses_is_accepted() {
    let model = memory();
    let (proof, _) = proof(&model);
    check(&model, &proof).expect("a proof");
    let script = smtlib_obligations(&model, &proof).expect("it has a form");
    let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
    assert!(check_script(&script, &blasting, &options).expect("unsat").0 >= 3);
}

#[test]
fn a_wrong_invariant_is_refuted() {
    let model = memory();
    let (right, guess) = proof(&model);
    for (high, low) in [(6, 6), (7, 0)] {
        // The initial contents have it, and the next ones do not.
        let mut wrong = right.clone();
        let terms = &mut wrong.system.terms;
        let cell = terms.read(model.states[0].term, guess);
        let bits = terms.slice(cell, high, low);
        let zero = terms.zero(terms.sort(bits));
        wrong.invariant = vec![terms.binary(BinaryOp::Eq, bits, zero)];
        assert!(matches!(check(&model, &wrong), Err(ProofError::Refuted { .. })));
    }
    let nothing = WordProof { invariant: Vec::new(), ..right.clone() };
    assert!(matches!(check(&model, &nothing), Err(ProofError::Refuted { .. })));
    // Without the guess, nothing says that the invariant is about the address that is read.
    let mut unguessed = right;
    unguessed.prophecy = Prophecy::default();
    assert!(check(&model, &unguessed).is_err());
}

/// What would make any property true is malformed.
#[test]
fn additions_cannot_change_the_model() {
    let model = memory();
    let (right, guess) = proof(&model);
    let is_malformed = |proof: &WordProof| {
        assert!(matches!(check(&model, proof), Err(ProofError::Malformed(_))), "{proof:?}");
    };
    // A guess that is never right.
    let mut circular = right.clone();
    let one = circular.system.terms.constant(pedra_model::bv::Bv::one(32));
    let other = circular.system.terms.binary(BinaryOp::Add, guess, one);
    circular.prophecy.guesses[0].target = other;
    is_malformed(&circular);
    // The same by way of a history.
    let mut recorded = right.clone();
    let history = recorded.system.terms.new_symbol(Sort::Bv(32));
    let state = State { term: history, name: None, init: Some(other), next: Some(other) };
    recorded.system.terms = circular.system.terms.clone();
    recorded.system.terms.new_symbol(Sort::Bv(32));
    recorded.prophecy.history =
        vec![State { term: TermId::new(circular.system.terms.len()), ..state }];
    recorded.prophecy.guesses[0].target = recorded.prophecy.history[0].term;
    is_malformed(&recorded);
    // A guess that is an input of the model, or the same as another.
    let mut input = right.clone();
    input.prophecy.guesses[0].symbol = model.inputs[0].term;
    is_malformed(&input);
    let mut twice = right.clone();
    let again = Guess { target: model.inputs[0].term, ..twice.prophecy.guesses[0] };
    twice.prophecy.guesses.push(again);
    is_malformed(&twice);
    // An index of difference that is not one of its arrays', or of what is no comparison.
    let mut difference = right;
    let index = difference.system.terms.new_symbol(Sort::Bv(32));
    let comparison = difference.invariant[0];
    difference.prophecy.differences = vec![Difference { comparison, index }];
    is_malformed(&difference);
    let write = difference.system.terms.write(model.states[0].term, index, model.inputs[1].term);
    let comparison = difference.system.terms.binary(BinaryOp::Neq, write, model.states[0].term);
    difference.prophecy.differences = vec![Difference { comparison, index }];
    is_malformed(&difference);
}
