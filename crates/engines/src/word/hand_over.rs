//! Hands invariants over to bit-level PDR.
//!
//! Lemmas of frames are not invariants. Their largest inductive subset is found by dropping what
//! fails until nothing does (Houdini: Flanagan, Leino, FME 2001). It holds in all reachable states,
//! so the bit-level system gets it as a constraint: that removes no reachable state. A proof of the
//! constrained system, together with the subset, is one of the original; a trace of it is one of
//! the original as it stands.
//!
//! Handing over lemmas of frames, as cubes of bits that PDR checks first, was tried: it halved the
//! time of one model, and made no clear difference to the others.
//!
//! **A later run** starts from scratch: neither the search over words nor the search over bits is
//! kept.
//!
//! **Answers** about bits are translated back as soon as they are found, since other properties may
//! take the inner engine very long. It sees in the ledger what other engines settle.

use super::meter::Limits;
use super::relative::Relative;
use super::subset::retain_consecutive;
use super::{Wpdr, evidence};
use crate::context::{Context, Engine, Link, Reason};
use crate::events::{Event, EventSink, Progress};
use crate::pdr::{Pdr, PdrOptions};
use crate::swept::{Room, SweepPlan, Swept};
use crate::trace::{Lemmas, Level, Stopped};
use crate::units::unit::Unit;
use pedra_model::back::{Back, Passes};
use pedra_model::blast::{BlastOptions, Blasting, blast};
use pedra_model::lit::Lit;
use pedra_model::proof::Proof;
use pedra_model::reduce::{ReduceOptions, Reduction, reduce};
use pedra_model::system::NamedTerm;
use pedra_model::trace::Trace;

/// More lemmas are not tried: those of the highest levels come first.
const MAX_CANDIDATES: usize = 150;

/// The search for an inductive subset may cost this part of the work before it.
const SHARE_OF_SUBSET: u64 = 4;

/// How the model becomes bits, and what works on them.
#[derive(Clone)]
pub struct BitStage {
    /// Limits of blasting; also those of the words' own solver.
    pub blasting: BlastOptions,
    /// Reductions of the bits.
    pub reduce: ReduceOptions,
    /// The options of bit-level PDR.
    pub pdr: PdrOptions,
    /// Whether and how to sweep while it runs.
    pub sweep: Option<SweepPlan>,
}

impl Default for BitStage {
    /// Without sweeping.
    fn default() -> BitStage {
        BitStage {
            blasting: BlastOptions::default(),
            reduce: ReduceOptions::default(),
            pdr: PdrOptions::default(),
            sweep: None,
        }
    }
}

/// Constraints that were added to a system: invariants of it, of which a proof must speak, too.
struct Added {
    /// How many constraints the system has without them.
    constraints: usize,
}

impl Back for Added {
    fn proof(&self, proof: Proof) -> Proof {
        let Proof::Words(mut proof) = proof else { unreachable!("blasting is undone before") };
        let added = proof.system.constraints.split_off(self.constraints);
        proof.invariant.extend(added.into_iter().map(|named| named.term));
        Proof::Words(proof)
    }

    /// No path of the system violates them.
    fn trace(&self, trace: Trace) -> Trace {
        trace
    }

    fn claim(&self, clause: &[Lit]) -> Option<Vec<Lit>> {
        Some(clause.to_vec())
    }
}

/// Passes on how deep the inner engine is, and its answers: a depth is a claim about all
/// properties that are open, and what is open outside is open inside.
struct Inner<'a>(&'a dyn EventSink);

impl EventSink for Inner<'_> {
    fn emit(&self, event: &Event) {
        if matches!(event, Event::Settled { .. } | Event::Depth { .. }) {
            self.0.emit(event);
        }
    }
}

impl Wpdr<'_> {
    /// The invariants among what was learned.
    fn find_invariants(&mut self) -> Result<Vec<Unit>, Stopped> {
        let effort = self.options.effort;
        let Some((words, _)) = self.search.parts_mut() else { return Ok(Vec::new()) };
        let relative = &mut words.relative;
        let (done, share) = (relative.work(), relative.work() / SHARE_OF_SUBSET);
        let before = relative.meter.set_limits(Limits::after(done, share, share));
        let found = relative.with_effort(effort, find_inductive_subset);
        // An interrupted search continues later.
        relative.meter.set_limits(before);
        match found {
            Err(Stopped(Reason::Budget)) => {
                Ok(relative.trace().sets((), Level::INFINITY).cloned().collect())
            }
            other => other,
        }
    }

    /// Lets bit-level PDR decide what is open. Returns why it stopped.
    pub(super) fn hand_over(&mut self, context: &Context) -> Reason {
        let invariants = match self.find_invariants() {
            Ok(invariants) => invariants,
            Err(Stopped(reason)) => return reason,
        };
        let mut system = self.system.clone();
        if let Some(words) = self.search.get() {
            let lemmas = evidence::lemmas(&mut system.terms, &words.relative.problem, &invariants);
            system.constraints.extend(lemmas.iter().map(|&term| NamedTerm { term, name: None }));
        }
        let open = self.search.open(context);
        let properties: Vec<usize> = open.iter().map(|&p| self.properties[p]).collect();
        let blasted = match blast(&system, &self.bits.blasting) {
            Ok(blasted) => blasted,
            Err(_) => return Reason::Unsupported("the model cannot be translated to bits"),
        };
        let reduced = reduce(&blasted.system, &properties, &self.bits.reduce);
        let before = self.progress();
        self.search.replace(None);
        let room = Room::default();
        let make = |system| Pdr::new(system, self.bits.pdr);
        let mut pdr: Box<dyn Engine + '_> = match self.bits.sweep {
            None => Box::new(make(&reduced.system)),
            Some(plan) => Box::new(Swept::new(&reduced.system, make, plan, &room)),
        };
        let passes = Passes(vec![
            Box::new(Added { constraints: self.system.constraints.len() }),
            Box::new(Blasting { system: &system, blasted: &blasted }),
            Box::new(Reduction { original: &blasted.system, map: &reduced.map }),
        ]);
        let link = Link::new(context, &passes).with_numbers(&open);
        let inner = Inner(context.events);
        let end = pdr.run(&Context { events: &inner, ..context.through(&link) });
        let Progress { queries, conflicts, .. } = before;
        let now = pdr.progress();
        self.elsewhere = Progress {
            queries: queries + now.queries,
            conflicts: conflicts + now.conflicts,
            ..now
        };
        self.search.safe_mut().learn(end.safe_up_to, &open);
        end.reason
    }
}

/// The largest inductive subset of the lemmas, the invariants included.
fn find_inductive_subset(relative: &mut Relative) -> Result<Vec<Unit>, Stopped> {
    let mut invariants: Vec<Unit> = Vec::new();
    let mut candidates: Vec<Unit> = Vec::new();
    for id in relative.trace().lemmas((), Level::ZERO.above()) {
        let lemma = relative.trace().lemma(id);
        let list = if lemma.level() == Level::INFINITY { &mut invariants } else { &mut candidates };
        list.push(lemma.set().clone());
    }
    // Highest levels last in the list.
    let surplus = candidates.len().saturating_sub(MAX_CANDIDATES);
    candidates.drain(..surplus);
    loop {
        let before = candidates.len();
        candidates = retain_consecutive(relative, candidates)?;
        if candidates.len() == before {
            break;
        }
    }
    invariants.extend(candidates);
    Ok(invariants)
}
