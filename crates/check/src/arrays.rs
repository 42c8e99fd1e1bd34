//! Properties that depend on arrays too large to be expanded. Each is prepared separately, with its
//! own cone and its own slots ([`pedra_engines::arrays`]).

use crate::plan::{EngineName, Plan};
use crate::watched::{Bounds, Watched};
use pedra_engines::{ArrayBmc, Engine, Inner, Relay, Slots};
use pedra_model::back::Passes;
use pedra_model::cone::{Restriction, WordCone};
use pedra_model::system::System;

/// How long each engine works in one thread before it is the turn of the next, at first: looks at
/// the interrupt. Tuning only.
const TURN_LOOKS: u64 = 4_000;

/// A property, with what it depends on.
pub(crate) struct Source<'a> {
    position: usize,
    original: &'a System,
    cone: WordCone,
}

impl<'a> Source<'a> {
    /// A property of a system; its answer goes to this position among the selected ones.
    pub(crate) fn new(original: &'a System, property: usize, position: usize) -> Source<'a> {
        Source { position, original, cone: WordCone::new(original, &[property], []) }
    }

    /// The way back from its cone.
    pub(crate) fn passes(&self) -> Passes<'_> {
        Passes(vec![Box::new(Restriction { original: self.original, cone: &self.cone })])
    }
}

/// The engines for these properties: they take turns, or share the threads.
pub(crate) fn engines<'a>(
    sources: &'a [Source<'a>],
    passes: &'a [Passes<'a>],
    plan: &'a Plan,
    bounds: &'a Bounds,
    selected: usize,
) -> Vec<Box<dyn Engine + 'a>> {
    let bounds = Some(bounds);
    let mut all: Vec<Box<dyn Engine + 'a>> = Vec::new();
    for (source, passes) in sources.iter().zip(passes) {
        for engine in engines_of(&source.cone.system, plan) {
            all.push(Box::new(Watched { engine, passes, position: [source.position], bounds }));
        }
    }
    let all = all.into_iter().map(|engine| (engine, TURN_LOOKS)).collect();
    Relay::shared(all, plan.threads, selected)
}

/// The engines for one property, in the order of their turns.
fn engines_of<'a>(system: &System, plan: &'a Plan) -> Vec<Box<dyn Engine + 'a>> {
    let bmc = || Box::new(ArrayBmc::new(system, &plan.blast));
    let slots = |inner: Inner<'a>| {
        Box::new(Slots::new(system, inner, plan.engine.text(), &plan.blast, &plan.reduce))
    };
    // Simple paths are about the system with slots, and have no proof about the model.
    let on_bits = || {
        let plan = Plan { simple_path: false, ..plan.clone() };
        Inner::Bits(Box::new(move |system, room| plan.one_bit_engine(system, room)))
    };
    let on_words = || Inner::Words(Box::new(move |system| plan.wpdr(system)));
    match plan.engine {
        EngineName::Bmc => vec![bmc()],
        EngineName::Wpdr => vec![slots(on_words())],
        // A guess is compared with addresses: an equation of words, which has no short form in
        // clauses of bits. A byte that was read two steps ago takes `wpdr` 0.02 s, fbPDR 58 s.
        EngineName::Auto => vec![bmc(), slots(on_words()), slots(on_bits())],
        _ => vec![slots(on_bits())],
    }
}
