//! An engine on the system with slots, and the refinement of these.

use super::exact::{Exact, Found};
use crate::context::{Context, End, Engine, Link, Outcome, Reason};
use crate::events::{Event, EventSink, Progress};
use crate::ledger::Ledger;
use crate::swept::Room;
use pedra_model::back::{Back, Passes};
use pedra_model::bits::BitSystem;
use pedra_model::blast::{BlastError, BlastOptions, Blasting, blast};
use pedra_model::bv::Bv;
use pedra_model::proof::Proof;
use pedra_model::reduce::{ReduceOptions, Reduction, reduce};
use pedra_model::slots::{Slot, Slotted, WithArrays};
use pedra_model::system::System;
use pedra_model::term::{Scalar, Sort, TermId};
use std::sync::Arc;

/// An array whose addresses have at most this many bits is watched everywhere when there are
/// `FEW_SLOTS` slots and these were not enough. Both are chosen, not measured.
const FEW_CELLS_BITS: u32 = 4;
const FEW_SLOTS: usize = 8;

/// The engine that decides the system with slots.
pub enum Inner<'p> {
    /// On its bits, reduced.
    Bits(Box<MakeOnBits<'p>>),
    /// On its words.
    Words(Box<MakeOnWords<'p>>),
}

/// Makes an engine for a system of bits.
pub type MakeOnBits<'p> =
    dyn for<'s> Fn(&'s BitSystem, &'s Room) -> Box<dyn Engine + 's> + Send + 'p;
/// Makes an engine for a system of words.
pub type MakeOnWords<'p> = dyn for<'s> Fn(&'s System) -> Box<dyn Engine + 's> + Send + 'p;

/// Decides the only property of a system with large arrays.
///
/// A run that goes on keeps slots and lemmas, and begins the search on the system with slots anew.
pub struct Slots<'p> {
    exact: Exact,
    slots: Vec<Slot>,
    inner: Inner<'p>,
    name: &'static str,
    blasting: BlastOptions,
    reductions: ReduceOptions,
    safe_up_to: Option<usize>,
    refinements: usize,
}

/// What became of one look at the system with slots.
enum Step {
    Settled,
    Refined,
    Ended(End),
}

impl<'p> Slots<'p> {
    /// An engine of this name without slots.
    pub fn new(
        system: &System,
        inner: Inner<'p>,
        name: &'static str,
        blasting: &BlastOptions,
        reductions: &ReduceOptions,
    ) -> Slots<'p> {
        Slots {
            exact: Exact::new(WithArrays::new(system, blasting), blasting),
            slots: Vec::new(),
            inner,
            name,
            blasting: blasting.clone(),
            reductions: *reductions,
            safe_up_to: None,
            refinements: 0,
        }
    }

    /// Asks the engine about the system with the present slots.
    fn look(&mut self, context: &Context) -> Result<Step, BlastError> {
        let slotted = Slotted::new(&self.exact.steps.of, &self.slots);
        let ledger: Arc<Ledger> = Arc::default();
        let events = Quiet(context.events);
        let inner = Context {
            ledger: ledger.clone(),
            events: &events,
            way: Default::default(),
            ..context.clone()
        };
        let end = self.run_inner(&slotted.system, &inner)?;
        match ledger.outcome(0) {
            Outcome::Proved(proof) => {
                let Proof::Words(proof) = &*proof else { unreachable!("carried back to words") };
                let proof = slotted.lift_proof(&self.exact.steps.of.system, (**proof).clone());
                context.prove(&[0], proof);
                Ok(Step::Settled)
            }
            Outcome::Violated(trace) => self.refine(trace.depth(), context),
            Outcome::Unknown => {
                // A path of the system is one of the system with slots.
                self.safe_up_to = self.safe_up_to.max(end.safe_up_to);
                Ok(Step::Ended(End { safe_up_to: self.safe_up_to, ..end }))
            }
        }
    }

    /// Runs the engine; its answers are about words.
    fn run_inner(&self, system: &System, context: &Context) -> Result<End, BlastError> {
        match &self.inner {
            Inner::Words(make) => Ok(make(system).run(context)),
            Inner::Bits(make) => {
                let blasted = blast(system, &self.blasting)?;
                let reduced = reduce(&blasted.system, &[0], &self.reductions);
                let reduction = Reduction { original: &blasted.system, map: &reduced.map };
                let blasting = Blasting { system, blasted: &blasted };
                let passes = Passes(vec![Box::new(blasting) as Box<dyn Back>, Box::new(reduction)]);
                let room = Room::default();
                let mut engine = make(&reduced.system, &room);
                let link = Link::new(context, &passes);
                Ok(engine.run(&context.through(&link)))
            }
        }
    }

    /// Whether there is a path of this length; if not, a slot more.
    fn refine(&mut self, depth: usize, context: &Context) -> Result<Step, BlastError> {
        match self.exact.check(0, depth, context)? {
            Found::Violation(trace) => {
                context.violate(0, trace);
                Ok(Step::Settled)
            }
            Found::Stopped => {
                let end = End { reason: Reason::Interrupted, safe_up_to: self.safe_up_to };
                Ok(Step::Ended(end))
            }
            Found::Nothing(blamed) => {
                self.refinements += 1;
                let blamed = blamed.into_iter().map(|slot| self.without_needless_delay(slot));
                let new = blamed.into_iter().find(|slot| !self.slots.contains(slot));
                let is_many = self.slots.len() >= FEW_SLOTS;
                if (is_many || new.is_none()) && self.watch_all_cells() {
                    return Ok(Step::Refined);
                }
                let Some(new) = new else {
                    let reason = Reason::Unsupported("no more cells of its arrays to watch");
                    return Ok(Step::Ended(End { reason, safe_up_to: self.safe_up_to }));
                };
                self.slots.push(new);
                Ok(Step::Refined)
            }
        }
    }

    /// An address that is constant, or a state that never changes, is the same at any delay.
    fn without_needless_delay(&self, slot: Slot) -> Slot {
        let system = &self.exact.steps.of.system;
        let mut states = system.states.iter();
        let is_frozen = states.any(|s| s.term == slot.address && s.next == Some(s.term));
        match is_frozen || system.terms.as_constant(slot.address).is_some() {
            true => Slot { delay: 0, ..slot },
            false => slot,
        }
    }

    /// Watches all cells of arrays that have few. Whether there is something new.
    fn watch_all_cells(&mut self) -> bool {
        let arrays: Vec<TermId> = self.exact.steps.of.large_symbols().collect();
        let before = self.slots.len();
        for array in arrays {
            let terms = &mut self.exact.steps.of.system.terms;
            let Sort::Array { index: Scalar::Bv(index), .. } = terms.sort(array) else { continue };
            if index > FEW_CELLS_BITS {
                continue;
            }
            for at in 0..1u64 << index {
                let address = terms.constant(Bv::from_u64(index, at));
                let slot = Slot { array, address, delay: 0 };
                if !self.slots.contains(&slot) {
                    self.slots.push(slot);
                }
            }
        }
        let is_more = self.slots.len() > before;
        if is_more {
            // Those at guessed addresses say nothing more.
            let terms = &self.exact.steps.of.system.terms;
            let is_few = |array: TermId| match terms.sort(array) {
                Sort::Array { index: Scalar::Bv(index), .. } => index <= FEW_CELLS_BITS,
                _ => false,
            };
            let is_constant = |slot: &Slot| terms.as_constant(slot.address).is_some();
            self.slots.retain(|slot| is_constant(slot) || !is_few(slot.array));
        }
        is_more
    }
}

impl Engine for Slots<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, context: &Context) -> End {
        loop {
            if !context.is_open(0) {
                return End::NOTHING_LEFT;
            }
            match self.look(context) {
                Ok(Step::Refined) => {}
                Ok(Step::Settled) => return End::NOTHING_LEFT,
                Ok(Step::Ended(end)) => return end,
                Err(_) => {
                    let reason = Reason::Unsupported("the circuit with slots is too large");
                    return End { reason, safe_up_to: self.safe_up_to };
                }
            }
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            depth: self.safe_up_to.map_or(0, |step| step + 1),
            queries: self.exact.queries,
            ..Progress::default()
        }
    }
}

/// What an engine says about the system with slots is not about the model.
struct Quiet<'a>(&'a dyn EventSink);

impl EventSink for Quiet<'_> {
    fn emit(&self, event: &Event) {
        if matches!(event, Event::Started { .. } | Event::Restarted { .. }) {
            self.0.emit(event);
        }
    }

    fn is_listening(&self) -> bool {
        self.0.is_listening()
    }
}
