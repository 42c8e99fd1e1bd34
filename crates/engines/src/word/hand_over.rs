//! What was learned, handed over to bit-level PDR.
//!
//! Lemmas of frames are no invariants. The largest subset of them that is inductive is found by
//! dropping what fails until nothing does (Houdini: Flanagan, Leino, FME 2001). It holds in all
//! reachable states, so the bit-level system gets it as a constraint: that removes no reachable
//! state. A proof of the constrained system, together with the subset, is one of the original; a
//! trace of it is one of the original as it stands.

use super::relative::{Relative, Stopped};
use super::unit::Unit;
use super::{Wpdr, evidence};
use crate::context::{Context, Engine, Outcome, Reason, Unknown};
use crate::events::{Event, EventSink};
use crate::pdr::{Level, Pdr};
use pedra_model::blast::blast;
use pedra_model::proof::WordProof;
use pedra_model::reduce::{ReduceOptions, reduce};
use pedra_model::system::NamedTerm;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// More lemmas are not tried: those of the highest levels come first.
const MAX_CANDIDATES: usize = 150;

/// Passes on how deep the inner engine is. The outer one says the rest itself, at the end. A
/// depth is a claim about all open properties, so after the first one is settled, of which
/// nobody else knows yet, it is passed on no more.
struct Inner<'a> {
    sink: &'a dyn EventSink,
    has_settled: AtomicBool,
}

impl EventSink for Inner<'_> {
    fn emit(&self, event: &Event) {
        match event {
            Event::Settled { .. } => self.has_settled.store(true, Ordering::Relaxed),
            Event::Depth { .. } if !self.has_settled.load(Ordering::Relaxed) => {
                self.sink.emit(event);
            }
            _ => {}
        }
    }

    fn wants_details(&self) -> bool {
        false
    }
}

impl Wpdr<'_> {
    /// Lets bit-level PDR decide what is open. Returns why it stopped.
    pub(super) fn hand_over(&mut self, context: &Context) -> Reason {
        let effort = self.options.effort;
        let found = self.search.as_mut().map(|search| {
            search.relative.set_effort(Some(effort));
            find_inductive_subset(&mut search.relative)
        });
        let invariants = match found {
            None => Vec::new(),
            Some(Ok(invariants)) => invariants,
            Some(Err(Stopped(Reason::Interrupted))) => return Reason::Interrupted,
            Some(Err(_)) => Vec::new(),
        };
        let mut system = self.system.clone();
        if let Some(search) = &self.search {
            let lemmas = evidence::lemmas(&mut system.terms, &search.relative.problem, &invariants);
            system.constraints.extend(lemmas.iter().map(|&term| NamedTerm { term, name: None }));
        }
        let open = self.ledger.open(context);
        let properties: Vec<usize> = open.iter().map(|&p| self.properties[p]).collect();
        let blasted = match blast(&system, &self.blasting) {
            Ok(blasted) => blasted,
            Err(_) => return Reason::Unsupported("the model cannot be made into bits"),
        };
        // The search is of no more use, and large.
        self.search = None;
        let reduced = reduce(&blasted.system, &properties, &ReduceOptions::default());
        let mut pdr = Pdr::new(&reduced.system, self.pdr);
        let inner = Inner { sink: context.events, has_settled: AtomicBool::new(false) };
        let outcomes = pdr.run(&Context { events: &inner, settled: None, ..context.clone() });
        let mut why = Reason::SettledElsewhere;
        let constraints = self.system.constraints.len();
        for (&position, outcome) in open.iter().zip(outcomes) {
            let lifted = match outcome {
                Outcome::Proved(proof) => {
                    let bits = reduced.map.lift_proof(&blasted.system, &proof);
                    let mut words = blasted.map.lift_proof(&system, &bits, &blasted.system);
                    without_constraints(&mut words, constraints);
                    Outcome::ProvedWords(Arc::new(words))
                }
                Outcome::Violated(trace) => {
                    let bits = reduced.map.lift_trace(&blasted.system, &trace);
                    Outcome::ViolatedWords(blasted.map.lift_trace(&system, &bits))
                }
                Outcome::Unknown(Unknown { reason, safe_up_to }) => {
                    why = reason;
                    (self.safe_up_to, self.safe) = (self.safe_up_to.max(safe_up_to), open.clone());
                    continue;
                }
                Outcome::ProvedWords(_) | Outcome::ViolatedWords(_) => {
                    unreachable!("an answer about bits")
                }
            };
            if self.is_open(context, position) {
                self.ledger.settle(context, position, lifted);
            }
        }
        why
    }
}

/// Moves the constraints that were added into the invariant.
fn without_constraints(proof: &mut WordProof, constraints: usize) {
    let added = proof.system.constraints.split_off(constraints);
    proof.invariant.extend(added.into_iter().map(|named| named.term));
}

/// The largest inductive subset of the lemmas, the invariants included.
fn find_inductive_subset(relative: &mut Relative) -> Result<Vec<Unit>, Stopped> {
    let mut invariants: Vec<Unit> = Vec::new();
    let mut candidates: Vec<Unit> = Vec::new();
    for lemma in relative.frames.lemmas(Level::ZERO.above()) {
        let list = if lemma.level == Level::INFINITY { &mut invariants } else { &mut candidates };
        list.push(lemma.unit.clone());
    }
    // Highest levels last in the list.
    let surplus = candidates.len().saturating_sub(MAX_CANDIDATES);
    candidates.drain(..surplus);
    loop {
        let before = candidates.len();
        candidates = relative.retain_consecutive(candidates)?;
        if candidates.len() == before {
            break;
        }
    }
    invariants.extend(candidates);
    Ok(invariants)
}
