//! Engines made of engines: PDR that moves over to a swept system, and engines that take turns.
//! Against explicit search, with random budgets; traces replayed, proofs checked.

use crate::common;

use common::{decide, judge};
use pedra_engines::portfolio::{Crew, race};
use pedra_engines::{
    Claim, Collector, Context, Engine, Event, FbOptions, FbPdr, Kind, KindOptions, Leg, Pdr,
    PdrOptions, Reason, Relay, Room, Successors, SweepOptions, SweepPlan, Sweeper, Swept,
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
        let answers = decide(&mut *pdr, &system, &context);
        judge(&system, &answers, false, &format!("round {round}, {looks} looks"));
        // It can be asked again, and each property was told once.
        assert_eq!(decide(&mut *pdr, &system, &context), answers, "round {round}");
        let events = collector.take();
        let settled = events.iter().map(|event| match event {
            Event::Settled { properties, .. } => properties.len(),
            _ => 0,
        });
        assert_eq!(settled.sum::<usize>(), system.properties().len(), "round {round}");
        restarts += events.iter().filter(|e| matches!(e, Event::Restarted { .. })).count();
        for event in &events {
            if let Event::Settled { properties, outcome } = event {
                assert!(properties.iter().all(|&property| *outcome == answers[property]));
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
        let context = Context::default();
        let answers = decide(&mut relay, &system, &context);
        judge(&system, &answers, false, &format!("round {round}, {looks} looks, depth {depth}"));
        assert_eq!(decide(&mut relay, &system, &context), answers, "round {round}");
        turns[(relay.name() == "pdr") as usize] += 1;
    }
    assert!(turns.iter().all(|&count| count > 20), "{turns:?}");
}

#[test]
fn a_limit_ends_the_engine_that_has_the_turn() {
    let system = random_bits(&mut Random::new(9), BitShape::default());
    let room = Room::default();
    let kind = Box::new(Kind::new(&system, KindOptions::default()));
    let pdr = Box::new(Swept::new(&system, pdr, plan(Some(5)), &room));
    let leg = |engine: Box<dyn Engine>, looks| Leg { engine, looks, max_depth: None };
    let mut relay = Relay::new(vec![leg(kind, Some(9)), leg(pdr, None)], system.properties().len());
    let interrupt = Interrupt::new();
    interrupt.raise();
    let context = Context::default();
    let end = relay.run(&Context { interrupt, ..context.clone() });
    assert_eq!(end.reason, Reason::Interrupted);
    let properties = system.properties().len();
    assert_eq!(context.open(properties).len(), properties);
    judge(&system, &decide(&mut relay, &system, &context), false, "resumed");
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
        let context = Context::default();
        race(&mut engines, properties, &context, &|_, _, _| {}, &Crew::default());
        judge(&system, &context.ledger.outcomes(properties), false, &format!("round {round}"));
    }
}
