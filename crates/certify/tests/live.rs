//! Lassos and proofs about justice: what is accepted, and what is refused.

use pedra_certify::{
    CertificateError, CheckOptions, Formula, ProofError, ReplayError, aiger_live_certificate,
    check_live_certificate, check_live_proof, replay_bit_lasso, replay_word_lasso,
};
use pedra_formats::aiger;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::live_proof::{Argument, LiveProof, StableLatch};
use pedra_model::proof::BitProof;
use pedra_model::system::{Input, Justice, State, System};
use pedra_model::term::{BinaryOp, Sort};
use pedra_model::trace::{BitTrace, WordTrace};
use pedra_model::value::{Ternary, TernaryBv, TernaryValue};

/// An input may set a latch, which stays set; a second latch toggles and matters to nobody.
/// Sets: the latch is set, it is being set, anything.
fn sticky() -> BitSystem {
    let mut s = BitSystem::new();
    let set = s.add_input();
    let latch = s.add_latch(Reset::Zero);
    let toggle = s.add_latch(Reset::Zero);
    s.latches[0].next = !s.aig.push_and(!set, !latch);
    s.latches[1].next = !toggle;
    let sets_it = s.aig.push_and(set, !latch);
    s.justice = vec![vec![latch], vec![sets_it], vec![]];
    s
}

fn lasso(property: usize, inputs: &[bool], loop_start: Option<usize>) -> BitTrace {
    BitTrace {
        property,
        initial: vec![Ternary::Unknown; 2],
        inputs: inputs.iter().map(|&input| vec![input.into()]).collect(),
        loop_start,
    }
}

#[test]
fn lassos_of_bits() {
    let system = sticky();
    let replay =
        |l: &BitTrace| replay_bit_lasso(&system, l).map(|r| (r.stem, r.length, r.whole_state));
    // The toggle has two states, so the loop has two steps.
    assert_eq!(replay(&lasso(0, &[true, false, false], Some(1))), Ok((1, 2, true)));
    assert_eq!(replay(&lasso(0, &[true, false, false], None)), Ok((1, 2, true)));
    // The latch alone recurs after one: enough for the verdict, not for a file.
    assert_eq!(replay(&lasso(0, &[true, false], Some(1))), Ok((1, 1, false)));
    assert_eq!(replay(&lasso(0, &[true, false], Some(0))), Err(ReplayError::NoLoop { steps: 2 }));
    assert_eq!(replay(&lasso(0, &[true, false], Some(7))), Err(ReplayError::NoLoop { steps: 2 }));
    let missing = ReplayError::SignalMissing { signal: 0, stem: 0 };
    assert_eq!(replay(&lasso(0, &[false, false], None)), Err(missing.clone()));
    assert_eq!(replay(&lasso(2, &[false, false], None)), Ok((0, 2, true)));
    // In a loop it is never being set.
    let missing = ReplayError::SignalMissing { signal: 0, stem: 1 };
    assert_eq!(replay(&lasso(1, &[true, false, false], None)), Err(missing));
    assert_eq!(replay(&lasso(0, &[], None)), Err(ReplayError::NoSteps));
    assert!(matches!(replay(&lasso(3, &[true], None)), Err(ReplayError::NoSuchProperty { .. })));
}

#[test]
fn a_loop_that_leaves_the_constraint() {
    let mut system = sticky();
    system.constraints = vec![!system.latches[0].var.lit()];
    let violated = ReplayError::ConstraintViolated { constraint: 0, step: 1 };
    assert_eq!(replay_bit_lasso(&system, &lasso(0, &[true, false, false], None)), Err(violated));
    system.fairness = vec![system.inputs[0].lit()];
    let missing = ReplayError::SignalMissing { signal: 0, stem: 0 };
    assert_eq!(replay_bit_lasso(&system, &lasso(2, &[false, false], None)), Err(missing));
}

/// A bit that counts, and a state without next that nobody keeps.
#[test]
fn lassos_of_words() {
    let mut s = System::new();
    let (count, free) = (s.terms.new_symbol(Sort::BOOL), s.terms.new_symbol(Sort::BOOL));
    let next = s.terms.not(count);
    let zero = s.terms.bool(false);
    let both = s.terms.binary(BinaryOp::And, count, free);
    s.states = vec![
        State { term: count, name: None, init: Some(zero), next: Some(next) },
        State { term: free, name: None, init: None, next: None },
    ];
    s.justice = vec![Justice { terms: vec![both], name: None }];
    let trace = |given: &[bool], loop_start| {
        let value = |&bit: &bool| Some(TernaryValue::Bv(TernaryBv::from_bits(&[bit.into()])));
        WordTrace {
            property: 0,
            states: given.iter().map(|bit| vec![None, value(bit)]).collect(),
            inputs: vec![Vec::new(); given.len()],
            loop_start,
        }
    };
    let replay = |given: &[bool], start| {
        replay_word_lasso(&s, &trace(given, start)).map(|r| (r.stem, r.length))
    };
    assert_eq!(replay(&[false, true], Some(0)), Ok((0, 2)));
    assert_eq!(replay(&[false, true], None), Ok((0, 2)));
    assert_eq!(replay(&[false], None), Err(ReplayError::NoLoop { steps: 1 }));
    assert!(matches!(replay(&[true, false], None), Err(ReplayError::SignalMissing { .. })));
}

/// Some tools repeat the state that recurs as a last frame, whose own step leads elsewhere.
#[test]
fn a_last_frame_that_repeats_a_state() {
    let mut s = System::new();
    let (state, go) = (s.terms.new_symbol(Sort::BOOL), s.terms.new_symbol(Sort::BOOL));
    let next = s.terms.binary(BinaryOp::Or, state, go);
    let (zero, is_off) = (s.terms.bool(false), s.terms.not(state));
    s.inputs = vec![Input { term: go, name: None }];
    s.states = vec![State { term: state, name: None, init: Some(zero), next: Some(next) }];
    s.justice = vec![Justice { terms: vec![is_off], name: None }];
    let lasso = |inputs: &[bool]| WordTrace {
        property: 0,
        states: vec![vec![None]; inputs.len()],
        inputs: inputs
            .iter()
            .map(|&go| vec![TernaryValue::Bv(TernaryBv::from_bits(&[go.into()]))])
            .collect(),
        loop_start: None,
    };
    let replay =
        |inputs: &[bool]| replay_word_lasso(&s, &lasso(inputs)).map(|r| (r.stem, r.length));
    assert_eq!(replay(&[false]), Ok((0, 1)));
    assert_eq!(replay(&[false, true]), Ok((0, 1)));
    assert_eq!(replay(&[true]), Err(ReplayError::NoLoop { steps: 1 }));
    assert_eq!(replay(&[true, true]), Err(ReplayError::SignalMissing { signal: 0, stem: 1 }));
}

fn check(
    system: &BitSystem,
    property: usize,
    argument: Argument,
    proof: BitProof,
) -> Result<(), ProofError> {
    let proof = LiveProof { property, argument, proof };
    check_live_proof(system, &proof, &CheckOptions::default()).map(|_| ())
}

fn clauses(clauses: Vec<Vec<Lit>>) -> BitProof {
    BitProof { properties: vec![0], clauses, k: 1, ..BitProof::default() }
}

/// The latch is set once: the round that sets it is the only one.
#[test]
fn proofs_that_count() {
    let system = sticky();
    let latch = system.latches[0].var.lit();
    // Leaves: one signal, which alone makes a round; then the counters.
    let [seen, counter] = [0, 1].map(|leaf| Var::new(system.aig.len() + leaf).lit());
    let proof = || clauses(vec![vec![!seen], vec![!counter, latch]]);
    let count = |stable: Vec<(usize, bool)>, counters, bound| {
        let of = |(latch, keeps)| StableLatch { latch, keeps, excludes: None };
        let stable = stable.into_iter().map(of).collect();
        Argument::Count { stable, counters, bound }
    };
    assert_eq!(check(&system, 1, count(vec![], 1, 1), proof()), Ok(()));
    // With the latch as a stable one, no round is between two changes.
    let stable = || vec![(0, true)];
    assert_eq!(check(&system, 1, count(stable(), 1, 1), proof()), Ok(()));
    let refuted = |argument, proof| {
        let error = check(&system, 1, argument, proof).expect_err("a wrong proof");
        assert!(matches!(error, ProofError::Refuted { .. } | ProofError::Malformed(_)), "{error}");
    };
    refuted(count(vec![], 1, 0), proof());
    refuted(count(vec![(0, false)], 1, 1), proof());
    refuted(count(vec![(1, true)], 1, 1), proof());
    refuted(count(vec![(9, true)], 1, 1), proof());
    refuted(count(vec![], 1, 2), proof());
    refuted(count(vec![], usize::MAX, 1), proof());
    assert!(check(&system, 0, count(vec![], 1, 1), proof()).is_err(), "the set is violated");
    assert!(check(&system, 7, count(vec![], 1, 1), proof()).is_err(), "there is no such set");
}

#[test]
fn proofs_by_layers() {
    let mut system = sticky();
    let latch = system.latches[0].var.lit();
    let rank = |layers: &[Lit]| Argument::Rank { layers: layers.to_vec() };
    // Once it is set, there is no round any more.
    assert_eq!(check(&system, 1, rank(&[latch]), clauses(vec![])), Ok(()));
    assert!(check(&system, 1, rank(&[]), clauses(vec![])).is_err(), "there is a round");
    assert!(check(&system, 1, rank(&[!latch]), clauses(vec![])).is_err(), "it is left");
    assert!(check(&system, 0, rank(&[latch]), clauses(vec![])).is_err(), "rounds inside");
    let input = system.inputs[0].lit();
    let error = check(&system, 1, rank(&[input]), clauses(vec![])).expect_err("no set of states");
    assert!(matches!(error, ProofError::Malformed(_)), "{error}");
    let nowhere = Var::new(1000).lit();
    assert!(check(&system, 1, rank(&[nowhere]), clauses(vec![])).is_err());
    // If the constraints end all paths, anything is live.
    system.constraints = vec![!latch, system.inputs[0].lit()];
    assert_eq!(check(&system, 0, rank(&[latch]), clauses(vec![])), Ok(()));
    assert_eq!(check(&system, 2, rank(&[latch]), clauses(vec![])), Ok(()));
}

/// After the state was saved, the latch was set: it is not 0 again.
#[test]
fn proofs_without_loops() {
    let system = sticky();
    let latch = system.latches[0].var.lit();
    let first = system.aig.len();
    // Leaves: save, saved, one signal, the copy.
    let [saved, seen, copy] = [1, 2, 3].map(|leaf| Var::new(first + leaf).lit());
    let proof = || {
        clauses(vec![
            vec![!copy, latch],
            vec![!seen, latch],
            vec![!seen, !copy],
            vec![!seen, saved],
        ])
    };
    let copied = |copied: Vec<usize>| Argument::Loop { copied };
    assert_eq!(check(&system, 1, copied(vec![0]), proof()), Ok(()));
    assert!(check(&system, 1, copied(vec![1]), proof()).is_err(), "the toggle recurs");
    assert!(check(&system, 1, copied(vec![5]), proof()).is_err(), "no such latch");
    assert!(check(&system, 0, copied(vec![0]), proof()).is_err(), "the set is violated");
}

/// A value that excludes the signal: what happens there does not matter.
#[test]
fn proofs_with_values_that_exclude_a_signal() {
    // `done` stays; a second latch falls while it is not, and does what it likes afterwards.
    let mut s = BitSystem::new();
    let input = s.add_input();
    let (done, latch) = (s.add_latch(Reset::Zero), s.add_latch(Reset::Free));
    s.latches[0].next = !s.aig.push_and(!done, latch);
    s.latches[1].next = s.aig.push_and(done, input);
    s.justice = vec![vec![!done]];
    let of = |latch, keeps, excludes| StableLatch { latch, keeps, excludes };
    let count = |stable: &[StableLatch]| {
        let [seen, counter] = [0, 1].map(|leaf| Var::new(s.aig.len() + leaf).lit());
        let proof = clauses(vec![vec![!seen], vec![!counter, done]]);
        check(&s, 0, Argument::Count { stable: stable.to_vec(), counters: 1, bound: 1 }, proof)
    };
    assert_eq!(count(&[of(0, true, Some(0)), of(1, false, None)]), Ok(()));
    assert!(count(&[of(0, true, None), of(1, false, None)]).is_err(), "it rises after the end");
    assert!(count(&[of(1, false, None), of(0, true, Some(0))]).is_err(), "too early");
    assert!(count(&[of(0, true, Some(1))]).is_err(), "there is no such signal");
    assert!(count(&[of(0, false, Some(0))]).is_err(), "that is where it recurs");
}

/// A certificate as a file has it, read again.
fn certificate(system: &BitSystem, proof: &LiveProof) -> BitSystem {
    let witness = aiger_live_certificate(system, proof).expect("a certificate");
    aiger::read(&aiger::write_binary(&witness)).expect("our own file")
}

fn judge(system: &BitSystem, witness: &BitSystem) -> Result<(), CertificateError> {
    check_live_certificate(system, witness, &CheckOptions::default()).map(drop)
}

/// The three arguments about the set that is fulfilled once, as files.
#[test]
fn certificates_of_each_argument() {
    let mut system = sticky();
    system.justice = vec![system.justice[1].clone()];
    let latch = system.latches[0].var.lit();
    let leaf = |leaf: usize| Var::new(system.aig.len() + leaf).lit();
    let stable = vec![StableLatch { latch: 0, keeps: true, excludes: Some(0) }];
    let count = |stable| Argument::Count { stable, counters: 1, bound: 1 };
    let counted = || clauses(vec![vec![!leaf(0)], vec![!leaf(1), latch]]);
    let (saved, seen, copy) = (leaf(1), leaf(2), leaf(3));
    let looped = clauses(vec![
        vec![!copy, latch],
        vec![!seen, latch],
        vec![!seen, !copy],
        vec![!seen, saved],
    ]);
    for (argument, proof) in [
        (count(vec![]), counted()),
        (count(stable), counted()),
        (Argument::Rank { layers: vec![latch] }, clauses(vec![])),
        (Argument::Loop { copied: vec![0] }, looped),
    ] {
        let live = LiveProof { property: 0, argument, proof };
        let witness = certificate(&system, &live);
        assert_eq!(judge(&system, &witness), Ok(()), "{:?}", live.argument);
        // It is none of a model in which the signal recurs.
        let mut other = system.clone();
        other.justice = vec![vec![latch]];
        assert!(judge(&other, &witness).is_err(), "{:?}", live.argument);
        let mut other = witness.clone();
        other.justice[0][0] = Lit::FALSE;
        assert!(judge(&system, &other).is_err(), "a signal that is never true");
        other.justice[0][0] = Lit::TRUE;
        assert!(judge(&system, &other).is_err(), "no relation at all");
    }
}

/// A latch that never changes, and a set that every path fulfils. A further signal of the witness
/// must not decide: Certifaiger 10.2 accepts this one.
/// An empty set is violated by every infinite path, so a witness must not pass it over.
#[test]
fn a_set_without_a_counterpart_is_refused() {
    let mut model = BitSystem::new();
    let toggle = model.add_latch(Reset::Zero);
    model.latches[0].next = !toggle;
    model.justice = vec![Vec::new()];
    let mut witness = model.clone();
    witness.bads = vec![Lit::FALSE];
    witness.justice.clear();
    assert!(matches!(judge(&model, &witness), Err(CertificateError::Malformed(_))));
    witness.justice = vec![Vec::new()];
    let refuted = judge(&model, &witness);
    let formula = Formula::Decrease;
    assert!(matches!(refuted, Err(CertificateError::Refuted { formula: f, .. }) if f == formula));
}

#[test]
fn signals_without_a_counterpart_do_not_decide() {
    let mut model = BitSystem::new();
    model.add_latch(Reset::Zero);
    model.justice = vec![vec![Lit::TRUE]];
    let witness = |signals: Vec<Lit>, fairness: Vec<Lit>| BitSystem {
        justice: vec![signals],
        fairness,
        ..model.clone()
    };
    let refuted = |witness: &BitSystem| match judge(&model, witness) {
        Err(CertificateError::Refuted { formula, .. }) => formula,
        other => panic!("{other:?}"),
    };
    assert_eq!(refuted(&witness(vec![Lit::TRUE, Lit::FALSE], vec![])), Formula::Counterpart);
    assert_eq!(refuted(&witness(vec![Lit::TRUE], vec![Lit::FALSE])), Formula::Counterpart);
    assert_eq!(refuted(&witness(vec![Lit::FALSE], vec![])), Formula::Liveness);
    assert_eq!(refuted(&witness(vec![Lit::TRUE], vec![])), Formula::Decrease);
    assert_eq!(refuted(&witness(vec![], vec![])), Formula::Liveness);
}

#[test]
fn proofs_without_a_certificate_file() {
    let mut system = sticky();
    let rank = || Argument::Rank { layers: vec![] };
    let not_expressible = |system: &BitSystem, argument, proof| {
        let live = LiveProof { property: system.justice_number(0), argument, proof };
        let error = aiger_live_certificate(system, &live).expect_err("no file");
        assert!(matches!(error, CertificateError::NotExpressible(_)), "{error}");
    };
    not_expressible(&system, rank(), clauses(vec![]));
    system.justice = vec![vec![]];
    not_expressible(&system, rank(), clauses(vec![]));
    let latch = system.latches[0].var.lit();
    system.justice = vec![vec![latch, !latch]];
    not_expressible(&system, Argument::Loop { copied: vec![0] }, clauses(vec![]));
    let deep = BitProof { k: 2, ..clauses(vec![]) };
    not_expressible(&system, Argument::Loop { copied: vec![0] }, deep);
    system.bads = vec![latch];
    not_expressible(&system, rank(), clauses(vec![]));
}

/// Interventions that make no sense.
#[test]
fn interventions_are_checked() {
    let mut system = sticky();
    system.justice = vec![system.justice[1].clone()];
    let latch = system.latches[0].var.lit();
    let live = LiveProof {
        property: 0,
        argument: Argument::Rank { layers: vec![latch] },
        proof: clauses(vec![]),
    };
    let witness = certificate(&system, &live);
    for lines in [
        &["INTERVENTION x"][..],
        &["INTERVENTION 2", "2 4"],
        &["INTERVENTION 1", "2"],
        &["INTERVENTION 1", "2 99999"],
        &["INTERVENTION 1", "2 1"],
    ] {
        let comments = lines.iter().map(|&line| line.to_owned()).collect();
        let error = judge(&system, &BitSystem { comments, ..witness.clone() });
        assert!(matches!(error, Err(CertificateError::Mapping(_))), "{lines:?}: {error:?}");
    }
    let comments = vec!["INTERVENTION 0".to_owned()];
    assert!(judge(&system, &BitSystem { comments, ..witness.clone() }).is_err());
}
