//! AVY and interpolation-based model checking against explicit search: random small systems with
//! all options. Every trace is replayed and every proof checked by the certifier. In these builds
//! AVY itself checks after every iteration that its frames are a safe δ-trace.

use crate::common;

use common::{decide, judge, judge_slices};
use pedra_engines::avy::{Algorithm, CHOICES as AVY_CHOICES};
use pedra_engines::imc::CHOICES as IMC_CHOICES;
use pedra_engines::pdr::CHOICES as PDR_CHOICES;
use pedra_engines::{Avy, AvyOptions, Collector, Context, Engine, Event, Imc, ImcOptions};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::random::{Random, runs};

fn random_avy(random: &mut Random) -> (AvyOptions, String) {
    // With long turns PDR would do it all.
    let turns = random.pick(&[0, 0, 1]);
    let mut options = AvyOptions { turns, ..AvyOptions::default() };
    let mut note = format!(" turns={turns}");
    for choice in AVY_CHOICES {
        if random.one_in(3) {
            let sample = random.pick(choice.samples);
            choice.set(&mut options, sample).expect("a sample");
            note += &format!(" {}={sample}", choice.name);
        }
    }
    for choice in PDR_CHOICES {
        if random.one_in(6) {
            let sample = random.pick(choice.samples);
            choice.set(&mut options.pdr, sample).expect("a sample");
            note += &format!(" pdr:{}={sample}", choice.name);
        }
    }
    (options, note)
}

fn random_imc(random: &mut Random) -> ImcOptions {
    let mut options = ImcOptions::default();
    for choice in IMC_CHOICES {
        choice.set(&mut options, random.pick(choice.samples)).expect("a sample");
    }
    options
}

#[test]
fn avy_agrees_with_enumeration() {
    for seed in 0..runs(600) {
        let mut random = Random::new(seed ^ 0xa54_0000_0000);
        let system = random_bits(&mut random, BitShape::default());
        let (options, note) = random_avy(&mut random);
        let outcomes = decide(&mut Avy::new(&system, options), &system, &Context::default());
        // PDR may settle properties in its own way, with traces that are not shortest.
        let shortest = options.turns == 0;
        judge(&system, &outcomes, shortest, &format!("seed {seed},{note}"));
    }
}

#[test]
fn imc_agrees_with_enumeration() {
    for seed in 0..runs(400) {
        let mut random = Random::new(seed ^ 0x13c_0000_0000);
        let system = random_bits(&mut random, BitShape::default());
        let options = random_imc(&mut random);
        let outcomes = decide(&mut Imc::new(&system, options), &system, &Context::default());
        judge(&system, &outcomes, true, &format!("seed {seed}, {options:?}"));
    }
}

/// Depth limits and raised interrupts in between change no answer, and claims on the way hold.
#[test]
fn slices_give_the_same_answers() {
    for seed in 0..runs(40) {
        let mut random = Random::new(seed ^ 0x511_0000_0000);
        let system = random_bits(&mut random, BitShape::default());
        let (options, note) = random_avy(&mut random);
        let mut engines: [Box<dyn Engine>; 2] = [
            Box::new(Avy::new(&system, options)),
            Box::new(Imc::new(&system, random_imc(&mut random))),
        ];
        for engine in &mut engines {
            let note = format!("seed {seed}, {}{note}", engine.name());
            judge_slices(&system, engine.as_mut(), 40, &note);
        }
    }
}

/// A counter of three bits that stops at 7, and the paper's bad states `x ≥ 6`.
fn counter(stops_at: u32) -> BitSystem {
    let mut s = BitSystem::new();
    let x: Vec<Lit> = (0..3).map(|_| s.add_latch(Reset::Zero)).collect();
    let mut and = |a: Lit, b: Lit| s.aig.push_and(a, b);
    // x = stops_at: stays.
    let mut stays = Lit::TRUE;
    for (i, &bit) in x.iter().enumerate() {
        stays = and(stays, bit ^ (stops_at >> i & 1 == 0));
    }
    let mut carry = !stays;
    let mut next = Vec::new();
    for &bit in &x {
        let (up, down) = (and(bit, !carry), and(!bit, carry));
        next.push(!and(!up, !down));
        carry = and(bit, carry);
    }
    let bad = and(x[2], x[1]);
    for (latch, next) in next.into_iter().enumerate() {
        s.latches[latch].next = next;
    }
    s.bads.push(bad);
    s
}

/// The paper's counter is violated at step 6, and not if it stops before.
#[test]
fn the_counter_of_the_paper() {
    for stops_at in 0..8 {
        let system = counter(stops_at);
        for algorithm in [Algorithm::Global, Algorithm::Simple] {
            let options = AvyOptions { turns: 0, algorithm, ..AvyOptions::default() };
            let outcomes = decide(&mut Avy::new(&system, options), &system, &Context::default());
            judge(&system, &outcomes, true, &format!("stops at {stops_at}, {algorithm:?}"));
        }
    }
}

/// The record tells where refutations begin: never at step 0 if the frames are enough.
#[test]
fn refutations_are_recorded() {
    let system = counter(7);
    let events = Collector::with_details();
    let context = Context { events: &events, ..Context::default() };
    Avy::new(&system, AvyOptions { turns: 0, ..AvyOptions::default() }).run(&context);
    let all = events.take();
    let suffixes: Vec<(usize, usize)> = all
        .iter()
        .filter_map(|event| match event {
            Event::Interpolated { depth, first, .. } => Some((*depth, *first)),
            _ => None,
        })
        .collect();
    assert!(!suffixes.is_empty() && suffixes.iter().all(|(depth, first)| first < depth));
}

/// Zeros move through a chain of latches: no frame but the first few is ever needed if refutations
/// may look several steps back within one frame.
#[test]
fn strong_induction_is_used() {
    let mut system = BitSystem::new();
    let x: Vec<Lit> = (0..5).map(|_| system.add_latch(Reset::Zero)).collect();
    let input = system.add_input();
    // The first latch is set when the second is, which never happens.
    let first = system.aig.push_and(input, x[1]);
    for i in 0..5 {
        system.latches[i].next = if i == 0 { first } else { x[i - 1] };
    }
    let bad = system.aig.push_and(x[4], !x[2]);
    system.bads.push(bad);
    for kavy in [0, 4] {
        let events = Collector::with_details();
        let context = Context { events: &events, ..Context::default() };
        let options = AvyOptions { kavy, turns: 0, ..AvyOptions::default() };
        let outcomes = decide(&mut Avy::new(&system, options), &system, &context);
        judge(&system, &outcomes, true, &format!("k up to {kavy}"));
        let is_strong = |event: &Event| match event {
            Event::Interpolated { first, level, .. } => first < level,
            _ => false,
        };
        assert_eq!(events.take().iter().any(is_strong), kavy > 1, "k up to {kavy}");
    }
}
