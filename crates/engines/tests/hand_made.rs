//! Hand-made systems, each with its answer.

use crate::common;

use common::{decide, proof_of, run, trace_of};
use pedra_engines::{
    Bmc, BmcOptions, Collector, Context, End, Engine, Event, Kind, KindOptions, Outcome, Reason,
};
use pedra_model::aig::AigBuilder;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_model::trace::Trace;
use pedra_solve::SolverKind;
use pedra_testkit::points::Points;

/// Adds logic to a system.
fn with_logic<T>(system: &mut BitSystem, build: impl FnOnce(&mut AigBuilder) -> T) -> T {
    let mut builder = AigBuilder::from_aig(std::mem::take(&mut system.aig));
    let result = build(&mut builder);
    system.aig = builder.into_aig();
    result
}

/// A counter of `width` bits from 0 that wraps after `last`; bad when it shows `bad`.
fn counter(width: usize, last: usize, bad: usize) -> BitSystem {
    let mut system = BitSystem::new();
    let bits: Vec<Lit> = (0..width).map(|_| system.add_latch(Reset::Zero)).collect();
    let (next, bad) = with_logic(&mut system, |b| {
        let is = |b: &mut AigBuilder, value: usize| {
            let bits = bits.iter().enumerate();
            bits.fold(Lit::TRUE, |all, (i, &bit)| b.and(all, bit ^ (value >> i & 1 == 0)))
        };
        let wraps = is(b, last);
        let mut carry = Lit::TRUE;
        let mut next = Vec::new();
        for &bit in &bits {
            let sum = b.xor(bit, carry);
            next.push(b.and(sum, !wraps));
            carry = b.and(carry, bit);
        }
        (next, is(b, bad))
    });
    for (latch, next) in system.latches.iter_mut().zip(next) {
        latch.next = next;
    }
    system.bads.push(bad);
    system
}

/// What is expected of a property.
#[derive(Debug, PartialEq)]
enum Expected {
    Violated(usize),
    Holds,
}
use Expected::{Holds, Violated};

/// BMC finds just the violations; k-induction settles everything.
fn check(system: &BitSystem, expected: &[Expected]) {
    let bmc = run(&mut Bmc::new(system, BmcOptions::default()), system, 40);
    let kind = run(&mut Kind::new(system, KindOptions::default()), system, 40);
    assert_eq!((bmc.len(), kind.len()), (expected.len(), expected.len()));
    for (property, expected) in expected.iter().enumerate() {
        match (expected, &bmc[property], &kind[property]) {
            (
                Violated(depth),
                Outcome::Violated(Trace::Bits(a)),
                Outcome::Violated(Trace::Bits(b)),
            ) => {
                assert_eq!((a.depth(), b.depth()), (*depth, *depth));
                assert!(Points::new(system).replays(a) && Points::new(system).replays(b));
            }
            (Holds, Outcome::Unknown, Outcome::Proved(_)) => {}
            other => panic!("property {property}: {other:?}"),
        }
    }
}

#[test]
fn counters() {
    check(&counter(4, 9, 7), &[Violated(7)]);
    check(&counter(4, 9, 9), &[Violated(9)]);
    check(&counter(4, 9, 10), &[Holds]);
    check(&counter(5, 20, 31), &[Holds]);
}

#[test]
fn several_properties_in_one_system() {
    let mut system = counter(4, 9, 3);
    let (early, late) = (system.bads[0], system.latches[3].var.lit());
    system.bads = vec![late, early, Lit::FALSE, early, Lit::TRUE];
    check(&system, &[Violated(8), Violated(3), Holds, Violated(3), Violated(0)]);
}

#[test]
fn nothing_but_constants() {
    let mut system = BitSystem::new();
    check(&system, &[]);
    system.bads = vec![Lit::FALSE, Lit::TRUE];
    check(&system, &[Holds, Violated(0)]);
}

#[test]
fn old_style_outputs_are_properties() {
    let mut system = counter(3, 7, 5);
    system.outputs = std::mem::take(&mut system.bads);
    check(&system, &[Violated(5)]);
}

#[test]
fn inputs_without_latches() {
    let mut system = BitSystem::new();
    let (a, b) = (system.add_input(), system.add_input());
    let both = system.aig.push_and(a, b);
    system.bads = vec![both];
    check(&system, &[Violated(0)]);
    system.constraints = vec![!a];
    check(&system, &[Holds]);
    let outcomes = run(&mut Kind::new(&system, KindOptions::default()), &system, 9);
    let proof = proof_of(&outcomes[0]).expect("combinational properties are inductive");
    assert_eq!((proof.k, &proof.simple_path), (1, &None));
}

#[test]
fn resets() {
    let mut system = BitSystem::new();
    let input = system.add_input();
    let free = system.add_latch(Reset::Free);
    let copy = system.add_latch(Reset::Function(!free));
    let first = system.add_latch(Reset::Function(input));
    let one = system.add_latch(Reset::One);
    let equal = system.aig.push_and(free, copy);
    let clash = system.aig.push_and(first, !input);
    system.latches[2].next = Lit::FALSE;
    system.bads = vec![free, equal, clash, !one, first];
    // The reset equals the input in the first step only, and then the latch is 0.
    check(&system, &[Violated(0), Holds, Holds, Holds, Violated(0)]);
}

#[test]
fn a_reset_that_reads_an_input_may_need_its_state_twice() {
    // The latch starts as the input and keeps its value; it is bad if it is 1 and the input 0.
    // The shortest violation, at step 1, stays in one state, so simple paths would miss it.
    let mut system = BitSystem::new();
    let input = system.add_input();
    let latch = system.add_latch(Reset::Function(input));
    let bad = system.aig.push_and(latch, !input);
    system.bads = vec![bad];
    check(&system, &[Violated(1)]);
}

/// A counter that the constraint lets not go beyond `end`.
fn counter_with_dead_end(end: usize, bad: usize) -> BitSystem {
    let mut system = counter(4, 15, bad);
    let stop = with_logic(&mut system, |b| {
        let bits = (0..4).map(|i| Lit::new(pedra_model::lit::Var::new(i + 1), end >> i & 1 == 0));
        bits.fold(Lit::TRUE, |all, bit| b.and(all, bit))
    });
    system.constraints.push(!stop);
    system
}

#[test]
fn dead_ends() {
    // The violation at step 5 survives, whatever the window, though no path goes to step 6.
    for window in 1..9 {
        let options = BmcOptions { window, ..BmcOptions::default() };
        let system = counter_with_dead_end(6, 5);
        let outcomes = run(&mut Bmc::new(&system, options), &system, 40);
        assert!(matches!(&outcomes[0], Outcome::Violated(trace) if trace.depth() == 5));
    }
    check(&counter_with_dead_end(6, 5), &[Violated(5)]);
    check(&counter_with_dead_end(6, 6), &[Holds]);
    check(&counter_with_dead_end(6, 7), &[Holds]);
    // BMC notices that it is done.
    let exhausted = End { reason: Reason::Exhausted(6), safe_up_to: Some(5) };
    let system = counter_with_dead_end(6, 7);
    assert_eq!(Bmc::new(&system, BmcOptions::default()).run(&Context::default()), exhausted);
    // No initial state at all.
    check(&counter_with_dead_end(0, 0), &[Holds]);
}

#[test]
fn no_depth_is_claimed_that_was_not_checked() {
    let system = counter(5, 31, 20);
    let end = |reason, safe_up_to| End { reason, safe_up_to };
    let up_to = |max| Context { max_depth: Some(max), ..Context::default() };
    for window in [1, 4, 50] {
        let mut bmc = Bmc::new(&system, BmcOptions { window, ..BmcOptions::default() });
        let raised = Context::default();
        raised.interrupt.raise();
        assert_eq!(bmc.run(&raised), end(Reason::Interrupted, None));
        assert_eq!(bmc.run(&up_to(6)), end(Reason::DepthLimit, Some(6)));
        assert_eq!(bmc.run(&raised), end(Reason::Interrupted, Some(6)));
        assert_eq!(bmc.run(&up_to(19)), end(Reason::DepthLimit, Some(19)));
        let outcomes = run(&mut bmc, &system, 20);
        assert!(matches!(&outcomes[0], Outcome::Violated(trace) if trace.depth() == 20));
    }
    let mut kind = Kind::new(&system, KindOptions::default());
    assert_eq!(kind.run(&up_to(6)), end(Reason::DepthLimit, Some(6)));
}

#[test]
fn simple_paths_are_claimed_only_if_needed() {
    let proof = |system: &BitSystem, simple_path| {
        let options = KindOptions { simple_path, ..KindOptions::default() };
        proof_of(&run(&mut Kind::new(system, options), system, 12)[0]).cloned()
    };
    // 10 is the successor of 9 only, and 9 wraps.
    let plain = proof(&counter(4, 9, 10), true).expect("proved");
    assert_eq!((plain.k, plain.simple_path), (1, None));
    // A latch that keeps its value: only from 1 is there a violation, and 1 repeats for ever.
    let mut system = BitSystem::new();
    let input = system.add_input();
    let a = system.add_latch(Reset::Zero);
    let bad = system.aig.push_and(a, input);
    system.bads = vec![bad];
    assert_eq!(proof(&system, false), None);
    let simple = proof(&system, true).expect("proved");
    assert_eq!((simple.k, simple.simple_path), (1, Some(vec![0])));
}

#[test]
fn events_tell_the_story() {
    let system = counter(3, 7, 2);
    let events = Collector::new();
    let context = Context { events: &events, ..Context::default() };
    Bmc::new(&system, BmcOptions::default()).run(&context);
    let (outcome, events) = (context.ledger.outcome(0), events.take());
    assert!(matches!(events[0], Event::Started { engine: "bmc", open: 1 }));
    let depth = |event: &Event| match event {
        Event::Depth { depth, .. } => Some(*depth),
        _ => None,
    };
    assert_eq!(events.iter().filter_map(depth).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(events[4], Event::Settled { properties: vec![0], outcome });
    assert!(matches!(events[5], Event::Finished { open: 0, .. }));
    assert!(!context.is_open(0));
    // Another engine leaves the property alone now.
    let kind = Kind::new(&system, KindOptions::default()).run(&context);
    assert_eq!(kind, End::NOTHING_LEFT);
}

#[test]
fn an_interrupt_from_another_thread_stops_a_run() {
    // The top bit of 30 is first set after 2^29 steps: out of reach.
    let mut system = counter(30, (1 << 30) - 1, 0);
    system.bads = vec![system.latches[29].var.lit()];
    for solver in [SolverKind::Cadical, SolverKind::Batsat] {
        let context = Context { solver, ..Context::default() };
        let mut engine = Bmc::new(&system, BmcOptions::default());
        let end = std::thread::scope(|scope| {
            let run = scope.spawn(|| engine.run(&context));
            std::thread::sleep(std::time::Duration::from_millis(30));
            context.interrupt.raise();
            run.join().expect("no panic")
        });
        assert_eq!(end.reason, Reason::Interrupted);
        assert!(context.is_open(0));
    }
}

/// A query for opposite properties is a tautology; a solver with partial models must still say
/// which of them its model violates.
#[test]
fn opposite_properties() {
    let mut system = BitSystem::new();
    let x = system.add_input();
    system.bads = vec![x, !x, x];
    for solver in pedra_solve::SolverKind::ALL {
        for window in [1, 3] {
            let options = BmcOptions { window, ..BmcOptions::default() };
            let context = Context { solver, max_depth: Some(4), ..Context::default() };
            let outcomes = decide(&mut Bmc::new(&system, options), &system, &context);
            for (property, outcome) in outcomes.iter().enumerate() {
                let trace = trace_of(outcome).unwrap_or_else(|| panic!("{solver:?} {outcome:?}"));
                assert_eq!((trace.property, trace.depth()), (property, 0));
                assert!(Points::new(&system).replays(trace), "{solver:?}");
            }
        }
    }
}
