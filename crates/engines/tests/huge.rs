//! Systems that take long to encode: engines listen while they build their solvers.
//!
//! Nothing is timed. A budget of looks at the interrupt that is smaller than what building takes
//! must end the run before the first query.

use pedra_engines::{
    Avy, AvyOptions, Bmc, BmcOptions, Context, Engine, FbOptions, FbPdr, Kind, KindOptions,
    Outcome, Pdr, PdrOptions, Reason, Successors,
};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_solve::Interrupt;

/// A ring of latches that start anywhere; bad is that all are true.
fn ring(latches: usize) -> BitSystem {
    let mut system = BitSystem::new();
    let lits: Vec<Lit> = (0..latches).map(|_| system.add_latch(Reset::Free)).collect();
    let mut all = Lit::TRUE;
    for (i, &lit) in lits.iter().enumerate() {
        system.latches[i].next = lits[(i + 1) % latches];
        all = if i == 0 { lit } else { system.aig.push_and(all, lit) };
    }
    system.bads.push(all);
    system
}

fn engines(system: &BitSystem) -> Vec<Box<dyn Engine + '_>> {
    let pdr = PdrOptions::default();
    vec![
        Box::new(Bmc::new(system, BmcOptions::default())),
        Box::new(Kind::new(system, KindOptions::default())),
        Box::new(Pdr::new(system, pdr)),
        Box::new(Pdr::reverse(system, pdr, Successors::default())),
        Box::new(FbPdr::new(system, pdr, FbOptions::default())),
        Box::new(Avy::new(system, AvyOptions::default())),
    ]
}

#[test]
fn a_million_latches_can_be_interrupted_before_the_first_query() {
    let system = ring(1 << 20);
    for looks in [0, 3] {
        for mut engine in engines(&system) {
            let interrupt = Interrupt::new().child_with_looks(looks);
            if looks == 0 || engine.name() == "fbpdr" {
                // fbPDR gives budgets of its own to its sides, which know of flags only.
                interrupt.raise();
            }
            let context = Context { interrupt, ..Context::default() };
            let end = engine.run(&context);
            let name = engine.name();
            assert_eq!(end.reason, Reason::Interrupted, "{name}");
            assert!(context.is_open(0), "{name}");
            assert_eq!(engine.progress().queries, 0, "{name} went on to a query");
        }
    }
}

/// What was interrupted while it was built can be run again, and answers as if nothing was.
#[test]
fn building_goes_on_after_an_interrupt() {
    let system = ring(40_000);
    for mut engine in engines(&system).into_iter().take(2) {
        let interrupt = Interrupt::new().child_with_looks(2);
        let context = Context::default();
        engine.run(&Context { interrupt, ..context.clone() });
        assert!(context.is_open(0), "{}", engine.name());
        engine.run(&context);
        let outcome = context.ledger.outcome(0);
        assert!(matches!(outcome, Outcome::Violated(_)), "{}", engine.name());
    }
    for mut engine in engines(&ring(20_000)).into_iter().skip(2).take(2) {
        let interrupt = Interrupt::new().child_with_looks(1);
        let context = Context::default();
        engine.run(&Context { interrupt, ..context.clone() });
        assert!(context.is_open(0), "{}", engine.name());
        engine.run(&context);
        let outcome = context.ledger.outcome(0);
        assert!(matches!(outcome, Outcome::Violated(_)), "{}", engine.name());
    }
}
