//! Many properties one by one: against explicit search, traces replayed, proofs checked.

use crate::common;

use common::{decide, judge};
use pedra_engines::portfolio::{Crew, race};
use pedra_engines::{Collector, Context, Engine, Event, Many, PdrOptions};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_solve::Interrupt;
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::random::Random;
use std::sync::Arc;

fn many(system: &BitSystem) -> Many<'_> {
    Many::new(system, PdrOptions::default(), Arc::default())
}

/// The system and a copy of it beside it.
fn doubled(system: &BitSystem) -> BitSystem {
    let mut both = system.clone();
    let mut image = vec![Lit::FALSE];
    for var in system.aig.vars().skip(1) {
        let moved = |lit: Lit| image[lit.var().index()] ^ lit.is_negated();
        image.push(match system.aig.node(var) {
            pedra_model::aig::Node::And(a, b) => {
                let (a, b) = (moved(a), moved(b));
                both.aig.push_and(a, b)
            }
            _ if system.inputs.contains(&var) => both.add_input(),
            _ => both.add_latch(Reset::Zero),
        });
    }
    let moved = |lit: Lit| image[lit.var().index()] ^ lit.is_negated();
    for latch in &system.latches {
        let copy = both.latches.iter_mut().find(|l| l.var.lit() == moved(latch.var.lit()));
        let copy = copy.expect("copied above");
        copy.next = moved(latch.next);
        copy.reset = match latch.reset {
            Reset::Function(f) => Reset::Function(moved(f)),
            other => other,
        };
    }
    both.bads = system.properties().to_vec();
    both.outputs.clear();
    both.bads.extend(system.properties().iter().map(|&bad| moved(bad)));
    both.constraints.extend(system.constraints.iter().map(|&c| moved(c)));
    both.names = Default::default();
    both
}

#[test]
fn one_by_one_is_right() {
    let mut random = Random::new(21);
    for round in 0..300 {
        let system = random_bits(&mut random, BitShape::default());
        let context = Context::default();
        let mut engine = many(&system);
        // Interrupted at random, then to the end.
        for looks in [random.below(8), random.below(60)] {
            let interrupt = Interrupt::new().child_with_looks(looks as u64);
            engine.run(&Context { interrupt, ..context.clone() });
        }
        judge(&system, &decide(&mut engine, &system, &context), false, &format!("round {round}"));
    }
}

#[test]
fn copies_are_decided_with_the_original() {
    let mut random = Random::new(22);
    let mut renamed = 0;
    for round in 0..80 {
        let shape = BitShape { latches: 3, inputs: 2, gates: 12 };
        let system = doubled(&random_bits(&mut random, shape));
        let collector = Collector::new();
        let context = Context { events: &collector, ..Context::default() };
        let mut engine = many(&system);
        judge(&system, &decide(&mut engine, &system, &context), false, &format!("round {round}"));
        // An attempt is a query here.
        let attempts = engine.progress().queries;
        renamed += usize::from(attempts < system.bads.len() as u64);
        let settled = collector.take().into_iter().map(|event| match event {
            Event::Settled { properties, .. } => properties.len(),
            _ => 0,
        });
        assert_eq!(settled.sum::<usize>(), system.bads.len(), "round {round}");
    }
    assert!(renamed > 40, "{renamed}");
}

#[test]
fn threads_share_the_work() {
    let mut random = Random::new(23);
    for round in 0..60 {
        let system = random_bits(&mut random, BitShape::default());
        let shared = Arc::default();
        let engine = || -> Box<dyn Engine + '_> {
            Box::new(Many::new(&system, PdrOptions::default(), Arc::clone(&shared)))
        };
        let mut engines = vec![engine(), engine()];
        let context = Context::default();
        let properties = system.properties().len();
        race(&mut engines, properties, &context, &|_, _, _| {}, &Crew::default());
        judge(&system, &context.ledger.outcomes(properties), false, &format!("round {round}"));
    }
}
