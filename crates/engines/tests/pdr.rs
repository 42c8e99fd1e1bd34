//! PDR against explicit search: random small systems with all options, and hand-made ones, one
//! for each way in which PDR engines have been wrong. Every trace is replayed and every proof
//! checked by the certifier.

use crate::common;

use common::{decide, judge, judge_slices};
use pedra_engines::pdr::CHOICES;
use pedra_engines::{
    Claim, Collector, Context, Engine, Event, Outcome, Pdr, PdrOptions, Successors, Variant,
};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_solve::SolverKind;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::random::{Random, runs};
use std::collections::{BTreeMap, BTreeSet};

const VARIANTS: [Variant; 4] =
    [Variant::Simple, Variant::Generalize, Variant::Relative, Variant::Full];

/// All variants, with our solver and another one.
fn check(system: &BitSystem, note: &str) {
    for variant in VARIANTS {
        for solver in [SolverKind::Cdcl, SolverKind::Cadical] {
            let options = PdrOptions { solver, ..PdrOptions::variant(variant) };
            let outcomes = decide(&mut Pdr::new(system, options), system, &Context::default());
            judge(system, &outcomes, false, &format!("{note}, {variant:?}, {solver:?}"));
            for successors in [Successors::Exact, Successors::Structural] {
                let mut engine = Pdr::reverse(system, options, successors);
                let note = format!("{note}, {variant:?}, {solver:?}, reverse, {successors:?}");
                judge(system, &decide(&mut engine, system, &Context::default()), false, &note);
            }
        }
    }
}

/// Either direction.
fn random_engine<'a>(
    random: &mut Random,
    system: &'a BitSystem,
    options: PdrOptions,
) -> (Pdr<'a>, &'static str) {
    match random.below(4) {
        0 => (Pdr::reverse(system, options, Successors::Exact), "reverse"),
        1 => (Pdr::reverse(system, options, Successors::Structural), "reverse, structural"),
        _ => (Pdr::new(system, options), "forward"),
    }
}

/// Any combination of choices.
fn random_options(random: &mut Random) -> PdrOptions {
    let solver = random.pick(&[SolverKind::Cdcl, SolverKind::Cdcl, SolverKind::Cadical]);
    let mut options = PdrOptions { solver, ..PdrOptions::default() };
    for choice in CHOICES {
        choice.set(&mut options, random.pick(choice.samples)).expect("a sample");
    }
    options
}

#[test]
fn variants_agree_with_enumeration() {
    for seed in 0..runs(150) {
        let system = random_bits(&mut Random::new(seed), BitShape::default());
        check(&system, &format!("seed {seed}"));
    }
}

#[test]
fn all_options_agree_with_enumeration() {
    for seed in 0..runs(1500) {
        let mut random = Random::new(seed ^ 0x5eed_0000_0000);
        let system = random_bits(&mut random, BitShape::default());
        let options = random_options(&mut random);
        let (mut engine, direction) = random_engine(&mut random, &system, options);
        let outcomes = decide(&mut engine, &system, &Context::default());
        judge(&system, &outcomes, false, &format!("seed {seed}, {direction}, {options:?}"));
    }
}

/// Depth limits and raised interrupts in between change no answer, and claims on the way hold.
#[test]
fn slices_give_the_same_answers() {
    for seed in 0..runs(200) {
        let mut random = Random::new(seed ^ 0x511c_e000_0000);
        let system = random_bits(&mut random, BitShape::default());
        let options = random_options(&mut random);
        let (mut engine, direction) = random_engine(&mut random, &system, options);
        let note = format!("seed {seed}, {direction}, {options:?}");
        judge_slices(&system, &mut engine, 70, &note);
    }
}

/// A constraint over state and input: lifting that asserts it would widen the bad state to ones
/// in which the recorded input is forbidden.
#[test]
fn constraints_belong_to_the_target_of_lifting() {
    let mut s = BitSystem::new();
    let input = s.add_input();
    let (a, b) = (s.add_latch(Reset::Zero), s.add_latch(Reset::Zero));
    s.latches[0].next = input;
    s.latches[1].next = a;
    // The input may be 1 only in states with b.
    let forbidden = s.aig.push_and(input, !b);
    s.constraints.push(!forbidden);
    s.bads.push(s.aig.push_and(a, input));
    s.bads.push(a);
    s.bads.push(input);
    check(&s, "constraints");
}

/// The second property can be violated only after the first one is: frames that contain both
/// must not prove it.
#[test]
fn a_property_that_rests_on_a_violated_one_is_not_proved() {
    let mut s = BitSystem::new();
    let latches = [(); 3].map(|()| s.add_latch(Reset::Zero));
    for (i, &latch) in latches.iter().enumerate() {
        s.latches[i].next = if i == 0 { Lit::TRUE } else { latches[i - 1] };
        s.bads.push(latch);
    }
    check(&s, "one after the other");
}

/// The only state before the bad one is a dead end.
#[test]
fn dead_ends_lead_nowhere() {
    let mut s = BitSystem::new();
    let (a, b) = (s.add_latch(Reset::Zero), s.add_latch(Reset::Zero));
    s.latches[0].next = !a;
    s.latches[1].next = a;
    s.constraints.push(!a);
    s.bads.push(b);
    s.bads.push(a);
    check(&s, "dead end");
}

/// The cube of the bad state looks initial, but constraints exclude its initial states.
#[test]
fn initial_states_obey_constraints() {
    let mut s = BitSystem::new();
    let input = s.add_input();
    let (a, b) = (s.add_latch(Reset::Free), s.add_latch(Reset::Free));
    s.latches[0].next = s.aig.push_and(a, input);
    s.latches[1].next = b;
    let same = s.aig.push_and(a, b);
    let none = s.aig.push_and(!a, !b);
    let one_only = s.aig.push_and(!same, !none);
    s.constraints.push(!one_only);
    s.bads.push(s.aig.push_and(a, !b));
    s.bads.push(s.aig.push_and(!a, b));
    s.bads.push(none);
    check(&s, "constrained initial states");
}

/// A state may be initial with one input and go into the bad state with another: no violation.
/// There is no inductive set of states around it, so proofs must speak of the first step.
#[test]
fn resets_that_read_inputs_bind_the_first_input() {
    let mut s = BitSystem::new();
    let x = s.add_input();
    let a = s.add_latch(Reset::Function(x));
    let (b, c) = (s.add_latch(Reset::Zero), s.add_latch(Reset::Zero));
    s.latches[0].next = Lit::FALSE;
    s.latches[1].next = s.aig.push_and(a, !x);
    s.latches[2].next = b;
    s.bads.push(c);
    s.bads.push(b);
    // The same again with a latch that keeps the first input alive.
    let d = s.add_latch(Reset::Function(!a));
    s.latches[3].next = d;
    s.bads.push(s.aig.push_and(d, a));
    s.bads.push(s.aig.push_and(b, d));
    s.bads.push(d);
    check(&s, "reset reads input");
}

/// A reset function of other latches: being initial is no matter of single literals.
#[test]
fn resets_that_read_latches() {
    let mut s = BitSystem::new();
    let (a, b) = (s.add_latch(Reset::Free), s.add_latch(Reset::Free));
    let both = s.aig.push_and(a, b);
    let c = s.add_latch(Reset::Function(both));
    s.latches[2].next = c;
    let odd = s.aig.push_and(c, !a);
    s.bads.push(odd);
    s.bads.push(s.aig.push_and(both, !c));
    s.bads.push(s.aig.push_and(c, b));
    check(&s, "reset reads latches");
}

#[test]
fn corner_cases() {
    // No latch, no input, constant bads.
    let mut s = BitSystem::new();
    s.bads = vec![Lit::FALSE, Lit::TRUE];
    check(&s, "constants");
    // No latch: bads are functions of inputs.
    let (x, y) = (s.add_input(), s.add_input());
    s.bads.push(s.aig.push_and(x, y));
    s.bads.push(s.aig.push_and(x, !x));
    check(&s, "no latch");
    // Contradictory constraints: no path at all.
    s.constraints = vec![x, !x];
    check(&s, "contradiction");
    s.constraints = vec![Lit::FALSE];
    check(&s, "false");
    // No initial state satisfies the constraint; others do.
    let mut s = BitSystem::new();
    let a = s.add_latch(Reset::Zero);
    s.latches[0].next = a;
    s.constraints.push(a);
    s.bads.push(a);
    check(&s, "no initial state");
    // No input; bad at once; next functions that are constants, inputs or each other.
    let mut s = BitSystem::new();
    let latches: Vec<Lit> = (0..4).map(|_| s.add_latch(Reset::Zero)).collect();
    s.latches[0].next = Lit::TRUE;
    s.latches[1].next = !latches[0];
    s.latches[2].next = !latches[0];
    s.latches[3].next = latches[2];
    s.bads.push(!latches[0]);
    let differ = s.aig.push_and(latches[1], !latches[2]);
    s.bads.push(differ);
    s.bads.push(s.aig.push_and(latches[3], latches[1]));
    check(&s, "odd nexts");
    // No property.
    s.bads.clear();
    check(&s, "no property");
}

/// A counter: the violation is far away, and only persistent obligations get there early.
#[test]
fn counterexamples_may_be_longer_than_the_frames() {
    let mut s = BitSystem::new();
    let bits: Vec<Lit> = (0..6).map(|_| s.add_latch(Reset::Zero)).collect();
    let mut carry = Lit::TRUE;
    for (i, &bit) in bits.iter().enumerate() {
        let (both, none) = (s.aig.push_and(bit, carry), s.aig.push_and(!bit, !carry));
        s.latches[i].next = s.aig.push_and(!both, !none);
        carry = both;
    }
    s.bads.push(carry);
    check(&s, "counter");
}

/// The lemmas that a record of a run tells of, by number: where each holds, `None` for
/// everywhere. Fails if the record contradicts itself.
#[derive(Default)]
struct Story {
    lemmas: BTreeMap<usize, Option<usize>>,
    obligations: BTreeSet<usize>,
    counts: [usize; 4],
}

impl Story {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::LemmaLearned { lemma, level, claim } => {
                assert!(matches!(claim, Claim::Clause(clause) if !clause.is_empty()));
                assert_eq!(self.lemmas.insert(*lemma, *level), None);
                self.counts[0] += 1;
            }
            Event::LemmaPushed { lemma, from, to } => {
                assert_eq!(self.lemmas.insert(*lemma, *to), Some(Some(*from)));
                self.counts[1] += 1;
            }
            Event::LemmaRetired { lemma, by } => {
                assert!(self.lemmas.remove(lemma).is_some() && self.lemmas.contains_key(by));
                self.counts[2] += 1;
            }
            Event::ObligationRaised { obligation, depth, successor, .. } => {
                assert_eq!(*depth > 0, successor.is_some());
                assert!(successor.iter().all(|next| self.obligations.contains(next)));
                assert!(self.obligations.insert(*obligation));
            }
            Event::ObligationBlocked { obligation, .. } => {
                assert!(self.obligations.contains(obligation));
                self.counts[3] += 1;
            }
            Event::Summary(summary) => {
                let at = |level| self.lemmas.values().filter(|l| **l == level).count();
                let levels: Vec<usize> =
                    (1..=summary.lemmas.len()).map(|level| at(Some(level))).collect();
                assert_eq!((&levels, at(None)), (&summary.lemmas, summary.invariants));
                assert_eq!(summary.learned, self.counts[0]);
            }
            _ => {}
        }
    }
}

/// The record of a run is complete: each settled property, and what a drawing needs.
#[test]
fn events_tell_the_story() {
    let mut random = Random::new(7);
    let mut counts = [0; 4];
    for _ in 0..60 {
        let system = random_bits(&mut random, BitShape::default());
        let collector = Collector::with_details();
        let context = Context { events: &collector, ..Context::default() };
        Pdr::new(&system, PdrOptions::default()).run(&context);
        let events = collector.take();
        assert!(matches!(events[0], Event::Started { engine: "pdr", .. }));
        assert!(matches!(events.last(), Some(Event::Finished { open: 0, .. })));
        let settled = events.iter().map(|event| match event {
            Event::Settled { properties, .. } => properties.len(),
            _ => 0,
        });
        assert_eq!(settled.sum::<usize>(), system.properties().len());
        let mut story = Story::default();
        events.iter().for_each(|event| story.hear(event));
        counts.iter_mut().zip(story.counts).for_each(|(sum, count)| *sum += count);
    }
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}

/// The work of a run, and what it found out.
fn run_with_seed(system: &BitSystem, options: PdrOptions, seed: u64) -> (u64, Vec<Outcome>) {
    let mut engine = Pdr::new(system, options);
    let outcomes = decide(&mut engine, system, &Context { seed, ..Context::default() });
    (engine.progress().queries, outcomes)
}

#[test]
fn one_seed_gives_one_run_and_another_seed_another() {
    let shape = BitShape { latches: 12, gates: 90, ..BitShape::default() };
    let options = PdrOptions::default();
    let mut differ = 0;
    for number in 0..30 {
        let system = random_bits(&mut Random::new(number), shape);
        let [once, again, other] = [1, 1, 2].map(|seed| run_with_seed(&system, options, seed));
        assert_eq!(once, again, "system {number}");
        differ += (once.0 != other.0) as u32;
    }
    assert!(differ > 0, "`--seed` has no effect");
}
