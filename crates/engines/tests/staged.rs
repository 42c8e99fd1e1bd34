//! Engines made of engines: PDR that moves over to a swept system, and engines that take turns.
//! Against explicit search, with random budgets; traces replayed, proofs checked.

mod common;

use common::judge;
use pedra_engines::portfolio::{Listener, race};
use pedra_engines::{
    Claim, Collector, Context, Engine, Event, FbOptions, FbPdr, Kind, KindOptions, Leg, Outcome,
    Pdr, PdrOptions, Reason, Relay, Room, Successors, SweepOptions, SweepPlan, Sweeper, Swept,
    Unknown,
};
use pedra_model::bits::BitSystem;
use pedra_model::reduce::ReduceOptions;
use pedra_solve::Interrupt;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::random::Random;

fn plan(looks: Option<u64>) -> SweepPlan {
    SweepPlan { sweep: SweepOptions::default(), reduce: ReduceOptions::default(), looks }
}

/// PDR in one of its kinds, on a swept system.
fn swept<'a>(
    kind: usize,
    system: &'a BitSystem,
    looks: u64,
    room: &'a Room,
) -> Box<dyn Engine + 'a> {
    let (options, plan) = (PdrOptions::default(), plan(Some(looks)));
    match kind {
        0 => Box::new(Swept::new(system, pdr, plan, room)),
        1 => {
            let make = move |system| Pdr::reverse(system, options, Successors::default());
            Box::new(Swept::new(system, make, plan, room))
        }
        _ => {
            let fb = FbOptions { slice: 1000, ..FbOptions::default() };
            let make = move |system| FbPdr::new(system, options, fb);
            Box::new(Swept::new(system, make, plan, room))
        }
    }
}

fn pdr(system: &BitSystem) -> Pdr<'_> {
    Pdr::new(system, PdrOptions::default())
}

#[test]
fn a_new_start_changes_no_answer() {
    let mut random = Random::new(3);
    let mut restarts = 0;
    for round in 0..400 {
        let system = random_bits(&mut random, BitShape::default());
        let looks = random.pick(&[0, 1, 3, 10, 40]);
        let room = Room::default();
        let collector = Collector::with_details();
        let context = Context { events: &collector, ..Context::default() };
        let mut pdr = swept(round % 3, &system, looks, &room);
        let outcomes = pdr.run(&context);
        judge(&system, &outcomes, false, &format!("round {round}, {looks} looks"));
        // It can be asked again, and each property was told once.
        assert_eq!(pdr.run(&context), outcomes, "round {round}");
        let events = collector.take();
        let settled = events.iter().filter(|e| matches!(e, Event::Settled { .. })).count();
        assert_eq!(settled, system.properties().len(), "round {round}");
        restarts += events.iter().filter(|e| matches!(e, Event::Restarted { .. })).count();
        for event in &events {
            if let Event::Settled { property, outcome } = event {
                assert_eq!(outcome, &outcomes[*property]);
            }
            if let Event::LemmaLearned { claim: Claim::Clause(clause), .. } = event {
                let latch = |var| system.latches.iter().any(|latch| latch.var == var);
                let known = |var| latch(var) || system.aig.len() <= var.index();
                assert!(clause.iter().all(|lit| known(lit.var())), "round {round}: {clause:?}");
            }
        }
    }
    assert!(restarts > 50, "{restarts}");
}

#[test]
fn engines_that_take_turns_agree_with_explicit_search() {
    let mut random = Random::new(4);
    let mut turns = [0; 2];
    for round in 0..300 {
        let system = random_bits(&mut random, BitShape::default());
        let room = Room::default();
        let (looks, depth) = (random.pick(&[0, 2, 10, 1000]), random.pick(&[0, 2, 5]));
        let kind = Box::new(Kind::new(&system, KindOptions::default()));
        let pdr = Box::new(Swept::new(&system, pdr, plan(Some(5)), &room));
        let legs = vec![
            Leg { engine: kind, looks: Some(looks), max_depth: Some(depth) },
            Leg { engine: pdr, looks: None, max_depth: None },
        ];
        let mut relay = Relay::new(legs, system.properties().len());
        let outcomes = relay.run(&Context::default());
        judge(&system, &outcomes, false, &format!("round {round}, {looks} looks, depth {depth}"));
        assert_eq!(relay.run(&Context::default()), outcomes, "round {round}");
        turns[(relay.name() == "pdr") as usize] += 1;
    }
    assert!(turns.iter().all(|&count| count > 20), "{turns:?}");
}

#[test]
fn a_limit_ends_whoever_has_the_turn() {
    let system = random_bits(&mut Random::new(9), BitShape::default());
    let room = Room::default();
    let kind = Box::new(Kind::new(&system, KindOptions::default()));
    let pdr = Box::new(Swept::new(&system, pdr, plan(Some(5)), &room));
    let leg = |engine: Box<dyn Engine>, looks| Leg { engine, looks, max_depth: None };
    let mut relay = Relay::new(vec![leg(kind, Some(9)), leg(pdr, None)], system.properties().len());
    let interrupt = Interrupt::new();
    interrupt.raise();
    let outcomes = relay.run(&Context { interrupt, ..Context::default() });
    let is_stopped = |unknown: &Unknown| unknown.reason == Reason::Interrupted;
    let stopped = |o: &Outcome| matches!(o, Outcome::Unknown(u) if is_stopped(u));
    assert!(outcomes.iter().all(stopped), "{outcomes:?}");
    judge(&system, &relay.run(&Context::default()), false, "resumed");
}

/// Nobody listens.
struct Deaf;

impl Listener for Deaf {
    fn hear(&self, _: usize, _: &'static str, _: &Event) {}
}

#[test]
fn sweeping_beside_pdr_changes_no_answer() {
    let mut random = Random::new(5);
    for round in 0..150 {
        let system = random_bits(&mut random, BitShape::default());
        let room = Room::default();
        let mut engines: Vec<Box<dyn Engine + '_>> = vec![
            Box::new(Swept::new(&system, pdr, plan(None), &room)),
            Box::new(Sweeper::new(&system, plan(None), &room)),
        ];
        let properties = system.properties().len();
        let outcomes = race(&mut engines, properties, &Context::default(), &Deaf);
        judge(&system, &outcomes, false, &format!("round {round}"));
    }
}
