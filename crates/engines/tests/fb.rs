//! fbPDR against explicit search: after every turn the frames of both directions hold the exact
//! sets, and the obligations that were told lie inside of them; and the traps of the exchange.

use pedra_certify::{CheckOptions, check_bit_proof, replay_bits};
use pedra_engines::cone::closed_latches;
use pedra_engines::fb::{FbOptions, FbPdr, Import, Lemmas, Slice};
use pedra_engines::pdr::Pdr;
use pedra_engines::{
    Collector, Context, Direction, Engine, Event, Outcome, PdrOptions, SettledBoard, Successors,
    Variant,
};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_solve::SolverKind;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::layers::Layers;
use pedra_testkit::oracle::{ExplicitBits, explore};
use pedra_testkit::random::Random;

fn judge(system: &BitSystem, outcomes: &[Outcome], note: &str) {
    let expected = explore(&ExplicitBits::new(system)).violated_at;
    for (property, (outcome, truth)) in outcomes.iter().zip(expected).enumerate() {
        match (outcome, truth) {
            (Outcome::Violated(trace), Some(depth)) => {
                assert!(trace.property == property && trace.depth() >= depth, "{note}");
                replay_bits(system, trace).unwrap_or_else(|e| panic!("{note}: {e}: {trace:?}"));
            }
            (Outcome::Proved(proof), None) => {
                let options = CheckOptions::with_solver(SolverKind::Batsat);
                let checked = check_bit_proof(system, proof, &options);
                checked.unwrap_or_else(|e| panic!("{note}: {e}: {proof:?}"));
            }
            _ => panic!("{note}: property {property} violated at {truth:?}, got {outcome:?}"),
        }
    }
}

fn random_options(random: &mut Random) -> FbOptions {
    let has = |random: &mut Random| random.one_in(2);
    FbOptions {
        slice: Slice::Work(random.pick(&[1, 300, 2000, 10_000])),
        threads: random.pick(&[1, 1, 1, 2]),
        obligations: random.pick(&[0, 2, 200]),
        restrict: has(random),
        doom: has(random),
        lemmas: random.pick(&[Lemmas::Off, Lemmas::Checked, Lemmas::Theorem]),
        import: random.pick(&[Import::Both, Import::Forward, Import::Reverse]),
        offers: random.pick(&[0, 3, 50]),
        extend: has(random),
        successors: random.pick(&[Successors::Exact, Successors::Structural]),
    }
}

/// Runs turn by turn, and looks at both searches after each.
fn check_turns(system: &BitSystem, pdr: PdrOptions, options: FbOptions, note: &str) {
    let layers = Layers::new(system);
    let resets = system.latches.iter().flat_map(|latch| match latch.reset {
        Reset::Function(function) => vec![latch.var.lit(), function],
        _ => Vec::new(),
    });
    let roots: Vec<Lit> = system.properties().iter().copied().chain(resets).collect();
    let latches = closed_latches(system, roots);
    let mut engine = FbPdr::new(system, pdr, options);
    let board = SettledBoard::new(system.properties().len());
    let context = Context::default();
    for _ in 0..100_000 {
        if engine.turn(&context, &board).is_some() {
            break;
        }
        let open: Vec<usize> =
            (0..system.properties().len()).filter(|&p| !board.is_settled(p)).collect();
        let [forward, reverse] =
            [Direction::Forward, Direction::Backward].map(|direction| engine.search(direction));
        for (level, excluded) in (1..).map_while(|i| Some((i, forward.excluded(i)?))) {
            let wrong = layers.reached_in(level, &excluded);
            assert_eq!(wrong, None, "{note}: F_{level} excludes a reachable state");
        }
        for (level, excluded) in (1..).map_while(|i| Some((i, reverse.excluded(i)?))) {
            let wrong = layers.violates_in(level, &excluded, &open);
            assert_eq!(wrong, None, "{note}: RR_{level} excludes a state that leads to bad");
        }
        for told in reverse.heard() {
            let property = told.property.expect("forward obligations have one");
            let inside = layers.all_violate_at(told.depth, &told.cube, property);
            assert!(inside, "{note}: {told:?} does not lead to a violation");
        }
        for told in forward.heard() {
            let inside = layers.all_reached_at(told.depth, &told.cube, &latches);
            assert!(inside, "{note}: {told:?} is not reachable");
        }
    }
    judge(system, &engine.run(&context), note);
}

/// `PEDRA_FUZZ_RUNS` makes the random tests longer.
fn runs(default: u64) -> u64 {
    let factor = std::env::var("PEDRA_FUZZ_RUNS").ok().and_then(|text| text.parse().ok());
    factor.unwrap_or(default)
}

#[test]
fn frames_and_obligations_agree_with_enumeration_after_every_turn() {
    for seed in 0..runs(1500) {
        let mut random = Random::new(seed ^ 0xfb00_0000_0000);
        let system = random_bits(&mut random, BitShape::default());
        let options = random_options(&mut random);
        let pdr = PdrOptions::variant(random.pick(&[
            Variant::Simple,
            Variant::Generalize,
            Variant::Relative,
            Variant::Full,
            Variant::Full,
        ]));
        check_turns(&system, pdr, options, &format!("seed {seed}, {options:?}, {pdr:?}"));
    }
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
    for seed in 0..runs(300) {
        let mut random = Random::new(seed ^ 0x0ff0_0000_0000);
        let mut system = random_bits(&mut random, BitShape::default());
        // With several properties, what one direction settles the other need not look at.
        system.bads.truncate(1);
        system.outputs.truncate(1);
        let options = random_options(&mut random).no_exchange();
        let record = |engine: &mut dyn Engine| {
            let collector = Collector::with_details();
            engine.run(&Context { events: &collector, ..Context::default() });
            collector.take()
        };
        let both = record(&mut FbPdr::new(&system, PdrOptions::default(), options));
        let forward = record(&mut Pdr::new(&system, PdrOptions::default()));
        let reverse = record(&mut Pdr::reverse(&system, PdrOptions::default(), options.successors));
        for (direction, alone) in [(Direction::Forward, forward), (Direction::Backward, reverse)] {
            let (one, other) = (details(&both, direction), details(&alone, direction));
            // Whichever is first ends the run.
            assert!(one.len() <= other.len(), "seed {seed}, {options:?}");
            assert_eq!(one, other[..one.len()], "seed {seed}, {direction:?}, {options:?}");
            compared += one.len();
        }
    }
    assert!(compared > 2000, "{compared}");
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
    // Over-approximations of what reaches u in so many steps, and the frontier looks empty ...
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
            for work in [1, 100, 1000] {
                let slice = Slice::Work(work);
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
        let options = FbOptions { slice: Slice::Work(500), ..FbOptions::default() };
        let mut engine = FbPdr::new(&system, PdrOptions::default(), options);
        judge(&system, &engine.run(&Context::default()), &format!("seed {seed}"));
        let happened = engine.exchanges();
        total[0] += happened.meetings;
        total[1] += happened.offered;
        total[2] += happened.imported;
        total[3] += happened.extended;
    }
    assert!(total.iter().all(|&count| count > 0), "{total:?}");
}
