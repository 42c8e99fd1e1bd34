//! Justice sets at the edges of what the format allows: every way to decide them has to agree with
//! what docs/design/liveness.md says they mean.

use pedra_certify::{ReplayError, replay_bit_lasso};
use pedra_check::{Answer, Liveness, Plan, decide_all};
use pedra_model::Model;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_model::trace::{BitTrace, Trace};
use pedra_solve::Interrupt;

/// An input may set a latch, which stays set.
fn sticky() -> BitSystem {
    let mut system = BitSystem::new();
    let set = system.add_input();
    let latch = system.add_latch(Reset::Zero);
    system.latches[0].next = !system.aig.push_and(!set, !latch);
    system
}

/// Whether each property is violated, by each way.
fn violated(system: &BitSystem) -> Vec<bool> {
    let model = Model::Bits(system.clone());
    let all: Vec<usize> = (0..model.num_properties()).collect();
    let decided = |liveness| {
        let plan = Plan { liveness, ..Plan::default() };
        let answers = decide_all(&model, &all, &plan, &Interrupt::new()).expect("checked answers");
        let is_violated = |answer: &Answer| match answer {
            Answer::Proved { .. } => false,
            Answer::Violated(_) => true,
            Answer::Unknown { why, .. } => panic!("{}: {why:?}", liveness.text()),
        };
        answers.iter().map(is_violated).collect::<Vec<bool>>()
    };
    let first = decided(Liveness::Auto);
    for liveness in Liveness::ALL {
        assert_eq!(decided(liveness), first, "{}", liveness.text());
    }
    first
}

#[test]
fn justice_with_and_without_fairness() {
    let mut system = sticky();
    let (set, latch) = (system.inputs[0].lit(), system.latches[0].var.lit());
    system.justice = vec![vec![latch], vec![!latch], vec![!latch, set]];
    assert_eq!(violated(&system), [true, true, false]);
    // A path must be fair, too: it sets the latch, and cannot keep it unset.
    system.fairness = vec![set];
    assert_eq!(violated(&system), [true, false, false]);
}

#[test]
fn fairness_alone_is_no_property() {
    let mut system = sticky();
    let latch = system.latches[0].var.lit();
    system.fairness = vec![Lit::FALSE];
    system.bads = vec![latch];
    // No path is fair, but bads ignore that.
    assert_eq!(violated(&system), [true]);
    system.justice = vec![vec![]];
    assert_eq!(violated(&system), [true, false]);
}

#[test]
fn empty_sets_and_constants() {
    let mut system = sticky();
    let latch = system.latches[0].var.lit();
    system.justice = vec![vec![], vec![Lit::TRUE], vec![Lit::FALSE], vec![latch, Lit::TRUE, latch]];
    assert_eq!(violated(&system), [true, true, false, true]);
    system.fairness = vec![Lit::FALSE];
    assert_eq!(violated(&system), [false; 4]);
}

#[test]
fn constraints_that_end_all_paths() {
    let mut system = sticky();
    let (set, latch) = (system.inputs[0].lit(), system.latches[0].var.lit());
    // It has to be set at the first step, and must not be.
    system.constraints = vec![set, !latch];
    system.justice = vec![vec![], vec![set], vec![latch]];
    assert_eq!(violated(&system), [false; 3]);
    // Not even the first step is possible.
    system.constraints = vec![Lit::FALSE];
    assert_eq!(violated(&system), [false; 3]);
}

#[test]
fn loops_that_leave_the_constraint() {
    let mut system = sticky();
    let (set, latch) = (system.inputs[0].lit(), system.latches[0].var.lit());
    system.justice = vec![vec![latch]];
    assert_eq!(violated(&system), [true]);
    system.constraints = vec![!latch];
    assert_eq!(violated(&system), [false]);
    let lasso = BitTrace {
        property: 0,
        initial: vec![false.into()],
        inputs: vec![vec![true.into()], vec![false.into()]],
        loop_start: Some(1),
    };
    let left = ReplayError::ConstraintViolated { constraint: 0, step: 1 };
    assert_eq!(replay_bit_lasso(&system, &lasso), Err(left));
    system.justice = vec![vec![!set]];
    assert_eq!(violated(&system), [true]);
}

/// A counter in the cone of a signal that sweeping finds to be constant: the lasso that is found
/// without the counter closes on it as well.
#[test]
fn lassos_close_on_what_was_swept_away() {
    let mut system = BitSystem::new();
    let input = system.add_input();
    let bits: Vec<Lit> = (0..3).map(|_| system.add_latch(Reset::Zero)).collect();
    let mut carry = Lit::TRUE;
    for (index, &bit) in bits.iter().enumerate() {
        let (up, stays) = (system.aig.push_and(carry, !bit), system.aig.push_and(!carry, bit));
        system.latches[index].next = !system.aig.push_and(!up, !stays);
        carry = system.aig.push_and(carry, bit);
    }
    // `(b0 ∧ i) ∨ (¬b0 ∧ i)` is `i`, which structure alone does not show.
    let (one, other) = (system.aig.push_and(bits[2], input), system.aig.push_and(!bits[2], input));
    let signal = !system.aig.push_and(!one, !other);
    system.justice = vec![vec![signal]];
    assert_eq!(violated(&system), [true]);
    let model = Model::Bits(system.clone());
    let answers = decide_all(&model, &[0], &Plan::default(), &Interrupt::new()).expect("checked");
    let [Answer::Violated(Trace::Bits(lasso))] = &answers[..] else { panic!("{answers:?}") };
    let replayed = replay_bit_lasso(&system, lasso).expect("a lasso");
    assert!(replayed.whole_state && replayed.length.is_multiple_of(8), "{replayed:?}");
}

/// A counter that counts up to its end and stops there. Its bits are stable one after the other,
/// the highest first, as long as the end, which excludes the signal, is not reached.
#[test]
fn counters_are_stable_before_their_end() {
    let mut system = BitSystem::new();
    let restart = system.add_input();
    let done = system.add_latch(Reset::Zero);
    let bits: Vec<Lit> = (0..40).map(|_| system.add_latch(Reset::Zero)).collect();
    let mut carry = Lit::TRUE;
    for (index, &bit) in bits.iter().enumerate() {
        let (up, stays) = (system.aig.push_and(carry, !bit), system.aig.push_and(!carry, bit));
        let counted = !system.aig.push_and(!up, !stays);
        // After the end it may be anything.
        let goes_on = system.aig.push_and(!done, counted);
        let anything = system.aig.push_and(done, restart);
        system.latches[index + 1].next = !system.aig.push_and(!goes_on, !anything);
        carry = system.aig.push_and(carry, bit);
    }
    system.latches[0].next = !system.aig.push_and(!done, !carry);
    system.justice = vec![vec![!done]];
    let plan = Plan { liveness: Liveness::Klive, ..Plan::default() };
    let answers = decide_all(&Model::Bits(system), &[0], &plan, &Interrupt::new());
    let answers = answers.expect("checked answers");
    assert!(matches!(answers[..], [Answer::Proved { .. }]), "{answers:?}");
}
