//! Engines whose answers are right, but about something else.

use super::*;
use crate::plan::EngineName;
use pedra_engines::Progress;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;
use pedra_model::proof::BitProof;
use pedra_model::trace::BitTrace;

/// Says that an answer settles the property at a position.
struct Claims(Outcome, usize);

impl Engine for Claims {
    fn name(&self) -> &'static str {
        "claims"
    }

    fn run(&mut self, context: &Context) -> End {
        let (properties, outcome) = (vec![self.1], self.0.clone());
        context.emit(|| Event::Settled { properties, outcome });
        End { reason: Reason::Interrupted, safe_up_to: None }
    }

    fn progress(&self) -> Progress {
        Progress::default()
    }
}

/// Counts verdicts.
#[derive(Default)]
struct Counts(std::sync::atomic::AtomicUsize);

impl Observer for Counts {
    type Error = InternalError;

    fn settled(&self, _: usize, _: &'static str, _: &Checked) -> Result<(), InternalError> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    }

    fn open(&self, _: usize, _: Open, _: Option<SafeUpTo>) {}
}

/// An answer that is right settles the property that it is about, and no other.
#[test]
fn answers_settle_what_they_are_about() {
    let mut system = BitSystem::new();
    let latch = system.add_latch(Reset::Zero);
    system.latches[0].next = latch;
    system.bads = vec![Lit::TRUE, latch];
    let model = Model::Bits(system);
    let trace = BitTrace {
        property: 0,
        initial: vec![false.into()],
        inputs: vec![Vec::new()],
        loop_start: None,
    };
    let proof = BitProof {
        properties: vec![1],
        gates: Vec::new(),
        clauses: vec![vec![!latch]],
        k: 1,
        simple_path: None,
    };
    let violated = Outcome::Violated(trace.into());
    let proved = Outcome::Proved(Arc::new(proof.into()));
    for (outcome, right) in [(violated, 0), (proved, 1)] {
        for claimed in [0, 1] {
            let (plan, observer) = (Plan::default(), Counts::default());
            let subject = OfModel { model: &model, blasting: &plan.blast };
            let run = Run {
                subject: &subject,
                selected: &[0, 1],
                bads: 2,
                bounds: None,
                plan: &plan,
                interrupt: &Interrupt::new(),
                observer: &observer,
            };
            let ended = run.run(vec![Box::new(Claims(outcome.clone(), claimed))]);
            assert_eq!(ended.is_ok(), claimed == right, "{claimed}, but {right}");
            assert_eq!(observer.0.into_inner(), usize::from(claimed == right));
        }
    }
}

/// Counts how often engines tell what they have exchanged, and verdicts.
#[derive(Default)]
struct Exchanges(std::sync::atomic::AtomicUsize, Counts);

impl Observer for Exchanges {
    type Error = InternalError;

    fn hear(&self, _: usize, _: &'static str, event: &Event) {
        if matches!(event, Event::Exchanged(_)) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }

    fn settled(
        &self,
        property: usize,
        engine: &'static str,
        answer: &Checked,
    ) -> Result<(), InternalError> {
        self.1.settled(property, engine, answer)
    }

    fn open(&self, _: usize, _: Open, _: Option<SafeUpTo>) {}
}

/// Engines join a board if there is more than one thread and nobody turns it off.
#[test]
fn lemmas_are_shared_with_several_threads_only() {
    let mut system = BitSystem::new();
    let input = system.add_input();
    let [a, b] = [(); 2].map(|()| system.add_latch(Reset::Zero));
    // Never both: each is set only while the other is not.
    system.latches[0].next = system.aig.push_and(input, !b);
    let other = system.aig.push_and(!input, !a);
    system.latches[1].next = other;
    system.bads = vec![system.aig.push_and(a, b)];
    let model = Model::Bits(system);
    for (threads, exchange) in [(1, true), (2, false), (2, true)] {
        let plan = Plan { engine: EngineName::Fbpdr, threads, exchange, ..Plan::default() };
        let observer = Exchanges::default();
        decide(&model, &[0], &plan, &Interrupt::new(), &observer).expect("the answer is right");
        let Exchanges(told, Counts(settled)) = observer;
        assert_eq!(settled.into_inner(), 1);
        assert_eq!(told.into_inner() > 0, threads > 1 && exchange, "{threads} {exchange}");
    }
}
