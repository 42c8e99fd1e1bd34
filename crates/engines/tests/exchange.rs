//! Lemmas and runs that engines share: what is on a board changes no answer, and what is good is
//! taken.

use crate::common;

use common::{decide, judge};
use pedra_engines::exchange::{Exchange, Member, Outside, Run, What, fingerprint};
use pedra_engines::pdr::{CHOICES as PDR_CHOICES, Purpose};
use pedra_engines::{
    Avy, AvyOptions, Collector, Context, Engine, Event, Exchanged, FbOptions, FbPdr, Pdr,
    PdrOptions,
};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::random::{Random, runs};

/// A cube of latches, sorted, by chance.
fn random_cube(random: &mut Random, latches: usize) -> Vec<Lit> {
    let mut cube = Vec::new();
    for var in 1..=latches {
        if random.coin() {
            cube.push(Lit::new(Var::new(var), random.coin()));
        }
    }
    cube
}

/// Numbers by chance, sorted: most are those of the system.
fn random_ones(random: &mut Random, end: usize) -> Box<[u32]> {
    (0..end as u32 + 1).filter(|_| random.one_in(3)).collect()
}

/// Publishes cubes and runs by chance: most of these lemmas are wrong, and many of the runs break
/// constraints.
fn lie(random: &mut Random, liar: &mut Member, system: &BitSystem) {
    let (latches, inputs) = (system.latches.len(), system.inputs.len());
    for _ in 0..random.below(40) {
        let level = random.pick(&[None, Some(0), Some(1), Some(2), Some(3), Some(usize::MAX)]);
        liar.publish(&random_cube(random, latches), level);
        let steps = (0..random.below(8)).map(|_| random_ones(random, inputs)).collect();
        liar.publish_run(Run { start: random_ones(random, latches), inputs: steps });
    }
}

fn random_engine<'a>(random: &mut Random, system: &'a BitSystem) -> Box<dyn Engine + 'a> {
    let mut options = PdrOptions::default();
    for choice in PDR_CHOICES {
        if random.one_in(6) {
            choice.set(&mut options, random.pick(choice.samples)).expect("a sample");
        }
    }
    match random.below(3) {
        0 => Box::new(Pdr::new(system, options)),
        1 => {
            Box::new(FbPdr::new(system, options, FbOptions { slice: 100, ..FbOptions::default() }))
        }
        _ => Box::new(Avy::new(system, AvyOptions { pdr: options, ..AvyOptions::default() })),
    }
}

/// What the engines said that they exchanged.
fn exchanged(events: &Collector) -> Exchanged {
    let of = |event: &Event| match event {
        Event::Exchanged(exchanged) => Some(*exchanged),
        _ => None,
    };
    events.take().iter().filter_map(of).fold(Exchanged::default(), Exchanged::plus)
}

/// Debug builds of PDR and AVY also check each lemma that they learn.
#[test]
fn a_lying_publisher_changes_no_verdict() {
    let (events, mut sum) = (Collector::new(), Exchanged::default());
    for seed in 0..runs(600) {
        let mut random = Random::new(seed ^ 0xe8c_0000_0000);
        let system = random_bits(&mut random, BitShape::default());
        let exchange = Exchange::new();
        let mut liar = exchange.join(&system);
        let context = Context { exchange: Some(&exchange), events: &events, ..Context::default() };
        lie(&mut random, &mut liar, &system);
        let mut engine = random_engine(&mut random, &system);
        // A part of the lies comes while it runs.
        let interrupt = context.interrupt.child_with_looks(random.below(30) as u64);
        engine.run(&Context { interrupt, ..context.clone() });
        lie(&mut random, &mut liar, &system);
        let outcomes = decide(&mut *engine, &system, &context);
        judge(&system, &outcomes, false, &format!("seed {seed}, {}", engine.name()));
        sum = sum.plus(exchanged(&events));
    }
    // Some of what chance says is true.
    assert!(sum.seen > 0 && sum.taken > 0 && sum.dropped > sum.taken, "{sum:?}");
    assert!(sum.runs_taken > 0 && sum.runs_seen > sum.runs_taken, "{sum:?}");
}

/// A counter to 15 that skips 7 and all that follows it, by a jump from 6 to 0; 15 is bad.
fn counter() -> BitSystem {
    let mut system = BitSystem::new();
    let bits: Vec<Lit> = (0..4).map(|_| system.add_latch(Reset::Zero)).collect();
    let both = system.aig.push_and(bits[1], bits[2]);
    let is_six = system.aig.push_and(both, !bits[0]);
    let is_six = system.aig.push_and(is_six, !bits[3]);
    let mut carry = Lit::TRUE;
    for (latch, &bit) in bits.iter().enumerate() {
        let (up, down) = (system.aig.push_and(carry, !bit), system.aig.push_and(!carry, bit));
        let sum = !system.aig.push_and(!up, !down);
        system.latches[latch].next = system.aig.push_and(sum, !is_six);
        carry = system.aig.push_and(carry, bit);
    }
    let low = system.aig.push_and(bits[0], both);
    system.bads.push(system.aig.push_and(low, bits[3]));
    system
}

#[test]
fn lemmas_are_published_and_taken() {
    let system = counter();
    let (exchange, events) = (Exchange::new(), Collector::with_details());
    // The forward direction decides in its first turn.
    let fb = FbOptions { slice: 1_000_000, ..FbOptions::default() };
    let engines: [Box<dyn Engine>; 3] = [
        Box::new(Pdr::new(&system, PdrOptions::default())),
        Box::new(FbPdr::new(&system, PdrOptions::default(), fb)),
        Box::new(Avy::new(&system, AvyOptions::default())),
    ];
    for (index, mut engine) in engines.into_iter().enumerate() {
        // Each has an answer to find, and the lemmas of a search before it.
        let mut other = Pdr::new(&system, PdrOptions { ctg: 0, ..PdrOptions::default() });
        other.run(&Context { exchange: Some(&exchange), ..Context::default() });
        let context = Context { exchange: Some(&exchange), events: &events, ..Context::default() };
        let outcomes = decide(&mut *engine, &system, &context);
        judge(&system, &outcomes, false, engine.name());
        let counts = exchanged(&events);
        assert!(counts.seen > 0 && counts.taken > 0, "{index}: {counts:?}");
        assert_eq!(counts.seen, counts.known + counts.taken + counts.dropped, "{index}");
    }
}

#[test]
fn reverse_runs_travel_and_reverse_lemmas_do_not() {
    let system = counter();
    let (exchange, events) = (Exchange::new(), Collector::new());
    let mut engine = Pdr::reverse(&system, PdrOptions::default(), Default::default());
    engine.run(&Context { exchange: Some(&exchange), events: &events, ..Context::default() });
    let counts = exchanged(&events);
    assert!(counts.runs_published > 0);
    let runs_published = counts.runs_published;
    assert_eq!(counts, Exchanged { runs_published, ..Exchanged::default() });
    // All of its runs are runs of the system.
    let mut forward = Pdr::new(&system, PdrOptions { samples: 0, ..PdrOptions::default() });
    let context = Context { exchange: Some(&exchange), events: &events, ..Context::default() };
    judge(&system, &decide(&mut forward, &system, &context), false, "pdr");
    let counts = exchanged(&events);
    assert!(counts.runs_taken > 0 && counts.seen == 0, "{counts:?}");
}

/// The counter goes through all of its states, and no lemma that excludes one of them is tried. The
/// boards differ in the run alone.
#[test]
fn a_true_run_saves_queries() {
    let system = counter();
    let drops = |run: Option<Run>| {
        let exchange = Exchange::new();
        let mut publisher = exchange.join(&system);
        run.into_iter().for_each(|run| publisher.publish_run(run));
        let mut engine = Pdr::new(&system, PdrOptions { samples: 0, ..PdrOptions::default() });
        engine.run(&Context { exchange: Some(&exchange), ..Context::default() });
        engine.counts().queries[Purpose::Drop as usize][0]
    };
    let (alone, helped) =
        (drops(None), drops(Some(Run { inputs: vec![[].into(); 8], ..Run::default() })));
    assert!(helped < alone, "{helped} queries, {alone} without the run");
}

fn level_of(what: &What) -> Option<usize> {
    match what {
        What::Lemma { level, .. } => *level,
        What::Run(_) => panic!("{what:?} is no lemma"),
    }
}

#[test]
fn boards_are_told_apart_by_their_systems() {
    let (one, mut other) = (counter(), counter());
    other.names.latches = vec![Some("a".into()); 4];
    other.bads.clear();
    assert_eq!(fingerprint(&one), fingerprint(&other));
    other.latches[2].reset = Reset::One;
    assert_ne!(fingerprint(&one), fingerprint(&other));
    let exchange = Exchange::new();
    let [mut sender, mut receiver] = [&one, &one].map(|system| exchange.join(system));
    let mut stranger = exchange.join(&other);
    let cube = [Var::new(4).lit()];
    sender.publish(&cube, Some(3));
    assert!(stranger.take().is_none() && sender.take().is_none());
    let note = receiver.take().expect("published");
    assert_eq!(note.what, What::Lemma { level: Some(3), cube: cube.into() });
    assert!(!receiver.has_news() && receiver.take().is_none());
}

#[test]
fn a_board_takes_short_lemmas_about_latches_and_forgets_the_oldest() {
    let exchange = Exchange::new();
    let system = counter();
    let [mut sender, mut receiver] = [(); 2].map(|()| exchange.join(&system));
    let [one, two, five] = [1, 2, 5].map(|var| Var::new(var).lit());
    for odd in [vec![], vec![Lit::TRUE], vec![five], vec![two, one], vec![one, !one]] {
        sender.publish(&odd, Some(1));
    }
    assert_eq!(sender.counts.published, 0);
    for level in 0..10_000 {
        sender.publish(&[Var::new(1).lit()], Some(level));
    }
    let levels: Vec<_> =
        std::iter::from_fn(|| receiver.take()).map(|note| level_of(&note.what)).collect();
    assert!(levels.len() < 10_000, "{}", levels.len());
    let first = 10_000 - levels.len();
    assert!(levels.into_iter().eq((first..10_000).map(Some)));
}

/// Two processes with a search each: a lemma goes from one board to the other, and not back.
#[test]
fn lemmas_leave_and_arrive() {
    let (system, [here, there]) = (counter(), [(); 2].map(|()| Exchange::new()));
    let [mut sender, mut receiver] = [&here, &there].map(|exchange| exchange.join(&system));
    let [mut from, mut to] = [(); 2].map(|()| Outside::default());
    let cube = [Var::new(4).lit()];
    for level in 0..3 {
        sender.publish(&cube, Some(level));
    }
    // Nobody has looked at the board there yet.
    assert!(!to.arrives(fingerprint(&system), What::Lemma { level: None, cube: cube.into() }));
    assert!(to.leaving(&there, 10).is_empty());
    let mut levels = Vec::new();
    while let [(system, note)] = &from.leaving(&here, 1)[..] {
        assert!(to.arrives(*system, note.what.clone()));
        levels.push(level_of(&receiver.take().expect("it has arrived").what));
    }
    assert_eq!(levels, [Some(0), Some(1), Some(2)]);
    assert!(to.leaving(&there, 10).is_empty());
    // Without its engines a board is gone.
    drop(receiver);
    assert!(to.leaving(&there, 10).is_empty());
    assert!(!to.arrives(fingerprint(&system), What::Lemma { level: None, cube: cube.into() }));
}
