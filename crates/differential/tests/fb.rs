//! fbPDR: a bounded run of its fuzzer, and the traps of the exchange.

use pedra_differential::fb::{check_turns, differential_fb, judge_bits, random_fb_options};
use pedra_engines::fb::{FbOptions, FbPdr, Import, Lemmas};
use pedra_engines::pdr::Pdr;
use pedra_engines::{
    Collector, Context, Direction, End, Engine, Event, Outcome, PdrOptions, Reason,
};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::oracle::{ExplicitBits, explore};
use pedra_testkit::random::{Random, runs};

#[test]
fn frames_and_obligations_agree_with_enumeration_after_every_turn() {
    (0..runs(1500)).for_each(differential_fb);
}

/// Details only, as one direction told them.
fn details(events: &[Event], direction: Direction) -> Vec<Event> {
    let mut now = Direction::Forward;
    let mut kept = Vec::new();
    for event in events {
        match event {
            Event::Turned { direction } => now = *direction,
            Event::FrameOpened { .. }
            | Event::LemmaLearned { .. }
            | Event::LemmaPushed { .. }
            | Event::LemmaRetired { .. }
            | Event::ObligationRaised { .. }
            | Event::ObligationBlocked { .. }
                if now == direction =>
            {
                kept.push(event.clone());
            }
            _ => {}
        }
    }
    kept
}

/// Without exchange each direction does just what it does alone.
#[test]
fn without_exchange_there_are_two_independent_runs() {
    let mut compared = 0;
    for seed in 0..runs(450) {
        let mut random = Random::new(seed ^ 0x0ff0_0000_0000);
        let mut system = random_bits(&mut random, BitShape::default());
        // With several properties, what one direction settles the other need not look at.
        system.bads.truncate(1);
        system.outputs.truncate(1);
        let options = random_fb_options(&mut random).no_exchange();
        let record = |engine: &mut dyn Engine| {
            let collector = Collector::with_details();
            engine.run(&Context { events: &collector, ..Context::default() });
            collector.take()
        };
        // fbPDR has no samples.
        let pdr = PdrOptions { samples: 0, ..PdrOptions::default() };
        let both = record(&mut FbPdr::new(&system, pdr, options));
        let forward = record(&mut Pdr::new(&system, pdr));
        let reverse = record(&mut Pdr::reverse(&system, pdr, options.successors));
        for (direction, alone) in [(Direction::Forward, forward), (Direction::Backward, reverse)] {
            let (one, other) = (details(&both, direction), details(&alone, direction));
            // Whichever is first ends the run.
            assert!(one.len() <= other.len(), "seed {seed}, {options:?}");
            assert_eq!(one, other[..one.len()], "seed {seed}, {direction:?}, {options:?}");
            compared += one.len();
        }
    }
    assert!(compared > 1500, "{compared}");
}

/// The chain `a → x → p → q → u` of five states: 0, 1, 2, 3, 4; `u` is bad.
fn chain() -> BitSystem {
    let mut s = BitSystem::new();
    let bits: Vec<Lit> = (0..3).map(|_| s.add_latch(Reset::Zero)).collect();
    let mut state = |n: usize| {
        let lits = bits.iter().enumerate().map(|(i, &bit)| bit ^ (n >> i & 1 == 0));
        lits.fold(Lit::TRUE, |all, lit| s.aig.push_and(all, lit))
    };
    let states: Vec<Lit> = (0..5).map(&mut state).collect();
    // From 0 to 3 count; all other states stay.
    let mut counts = Lit::FALSE;
    for &lit in &states[..4] {
        counts = !s.aig.push_and(!counts, !lit);
    }
    let mut carry = counts;
    for (i, &bit) in bits.iter().enumerate() {
        let (both, none) = (s.aig.push_and(bit, carry), s.aig.push_and(!bit, !carry));
        s.latches[i].next = s.aig.push_and(!both, !none);
        carry = both;
    }
    s.bads.push(states[4]);
    s
}

/// Why imports on the word of the theorem go one way only. On sets of states: if both sides
/// import, the theorem's premise is void and a reachable state gets excluded.
#[test]
fn naive_mutual_import_excludes_a_reachable_state() {
    // a, x, p, q, u as bits; the forward frames are exact, N' = 4.
    let (a, x, p, q, u) = (1u8, 2u8, 4u8, 8u8, 16u8);
    let pre = |set: u8| set >> 1;
    let forward = [a, a | x, a | x | p, a | x | p | q];
    // F_3 has no bad state. By the theorem's dual {a} ⊆ F_1 may be excluded from RR_1, RR_2.
    assert_eq!(forward[3] & u, 0);
    let reverse = [u, x | p | q | u, x | p | q | u];
    // Over-approximations of what reaches u in this many steps, and the frontier looks empty ...
    assert!(reverse[1] & (q | u) == q | u && reverse[2] & (p | q | u) == p | q | u);
    assert_eq!(reverse[2] & a, 0);
    // ... but they are not closed any more, which the theorem needs:
    assert_ne!(pre(reverse[1]) & !reverse[2], 0);
    // {x} ⊆ RR_1 "may" be excluded from F_1, where it belongs.
    assert!(reverse[1] & x == x && forward[1] & x == x);
    // The options do not allow for it, whatever they are set to: the run is right.
    let system = chain();
    for import in [Import::Both, Import::Forward, Import::Reverse] {
        for lemmas in [Lemmas::Checked, Lemmas::Theorem] {
            for slice in [1, 100, 1000] {
                let options = FbOptions { import, lemmas, slice, ..FbOptions::default() };
                let note = format!("{options:?}");
                check_turns(&system, PdrOptions::default(), options, &note);
            }
        }
    }
}

/// A counterexample whose halves come from the two directions, and everything else that can be
/// exchanged, does occur.
#[test]
fn exchanges_happen() {
    let mut total = [0u64; 4];
    for seed in 0..600 {
        let mut random = Random::new(seed ^ 0xe8c0_0000_0000);
        let system = random_bits(&mut random, BitShape::default());
        let options = FbOptions { slice: 500, ..FbOptions::default() };
        let mut engine = FbPdr::new(&system, PdrOptions::default(), options);
        let context = Context::default();
        engine.run(&context);
        let outcomes = context.ledger.outcomes(system.properties().len());
        judge_bits(&system, &outcomes, &format!("seed {seed}"));
        let happened = engine.exchanges();
        total[0] += happened.meetings;
        total[1] += happened.offered;
        total[2] += happened.imported;
        total[3] += happened.extended;
    }
    assert!(total.iter().all(|&count| count > 0), "{total:?}");
}

/// `--depth N`, for both directions and for both together: what is violated up to step `N` is
/// found, and what is left open has no violation up to step `N`, no more and no less. A
/// counterexample beyond may be found on the way. A later run goes on from there.
#[test]
fn depth_limits_are_kept_and_can_be_raised() {
    let (mut limited, mut beyond) = (0, 0);
    for seed in 0..runs(200) {
        let mut random = Random::new(seed ^ 0xde90_0000_0000);
        let system = random_bits(&mut random, BitShape::default());
        let truth = explore(&ExplicitBits::new(&system)).violated_at;
        let options = random_fb_options(&mut random);
        let pdr = PdrOptions::default();
        let engines: [Box<dyn Engine + '_>; 3] = [
            Box::new(Pdr::new(&system, pdr)),
            Box::new(Pdr::reverse(&system, pdr, options.successors)),
            Box::new(FbPdr::new(&system, pdr, options)),
        ];
        for mut engine in engines {
            let note = format!("seed {seed}, {}, {options:?}", engine.name());
            let base = Context::default();
            for limit in 0..4 {
                let end = engine.run(&Context { max_depth: Some(limit), ..base.clone() });
                for (property, truth) in truth.iter().enumerate() {
                    match base.ledger.outcome(property) {
                        Outcome::Unknown => {
                            let reason = Reason::DepthLimit;
                            assert_eq!(end, End { reason, safe_up_to: Some(limit) }, "{note}");
                            assert!(truth.is_none_or(|step| step > limit), "{note}: {truth:?}");
                            limited += 1;
                        }
                        Outcome::Violated(trace) => beyond += (trace.depth() > limit) as u32,
                        _ => {}
                    }
                }
            }
            engine.run(&base);
            judge_bits(&system, &base.ledger.outcomes(truth.len()), &note);
        }
    }
    assert!(limited > 100 && beyond > 0, "{limited} {beyond}");
}
