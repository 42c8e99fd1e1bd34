//! What was learned, handed over to bit-level PDR: invariants and frames.
//!
//! **Invariants.** Lemmas of frames are no invariants. The largest subset of them that is
//! inductive is found by dropping what fails until nothing does (Houdini: Flanagan, Leino, FME
//! 2001). It holds in all reachable states, so the bit-level system gets it as a constraint: that
//! removes no reachable state. A proof of the constrained system, together with the subset, is one
//! of the original; a trace of it is one of the original as it stands.
//!
//! **Frames.** A lemma `¬c` of a frame is no clause, but if `c` is a union of few cubes (`bits`),
//! each of them is excluded by a clause. The latches of bit-level PDR are those of a reduced
//! system, where some of these bits no longer exist; so a cube is only *offered*, without the
//! bits that are gone, and PDR asks about it what it asks about a lemma of its own: that it
//! contains no initial state, and `F_0 ∧ ¬c ∧ C ∧ T ⟹ ¬c'`. If so it is a lemma of `F_1`, which
//! pushing may raise. Soundness needs no premise: whatever is offered, only what was checked
//! comes in.
//!
//! **A later run** begins anew: neither the words' search nor that of the bits is kept.
//!
//! **Answers** about bits are lifted and told as soon as they are found: other properties may
//! take the inner engine forever.

use super::bits::cubes_of;
use super::meter::Limits;
use super::problem::{Problem, Source};
use super::relative::{Relative, Stopped};
use super::unit::Unit;
use super::{Search, Wpdr, evidence};
use crate::context::{Context, Engine, Outcome, Reason, Unknown};
use crate::events::{Event, EventSink, Progress};
use crate::ledger::Ledger;
use crate::pdr::{Level, Pdr, PdrOptions};
use crate::swept::{Room, SweepPlan, Swept};
use pedra_model::blast::{BlastMap, BlastOptions, Blasted, StateBits, blast};
use pedra_model::lit::{Lit, Var};
use pedra_model::proof::WordProof;
use pedra_model::reduce::{ReduceMap, ReduceOptions, Reduced, reduce};
use pedra_model::system::{NamedTerm, System};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// More lemmas are not tried: those of the highest levels come first.
const MAX_CANDIDATES: usize = 150;

/// More cubes are not offered.
const MAX_OFFERS: usize = 300;

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

/// From the answers of the inner engine to those about the system.
struct Lifting<'a> {
    /// How many constraints the system has, and the system with those that were added.
    constraints: usize,
    constrained: &'a System,
    blasted: &'a Blasted,
    reduced: &'a Reduced,
    /// The position of each property of the inner engine.
    open: &'a [usize],
}

impl Lifting<'_> {
    fn outcome(&self, outcome: &Outcome) -> Option<Outcome> {
        let (bits, map) = (&self.blasted.system, &self.blasted.map);
        match outcome {
            Outcome::Proved(proof) => {
                let proof = self.reduced.map.lift_proof(bits, proof);
                let mut words = map.lift_proof(self.constrained, &proof, bits);
                without_constraints(&mut words, self.constraints);
                Some(Outcome::ProvedWords(Arc::new(words)))
            }
            Outcome::Violated(trace) => {
                let trace = self.reduced.map.lift_trace(bits, trace);
                Some(Outcome::ViolatedWords(map.lift_trace(self.constrained, &trace)))
            }
            Outcome::Unknown(_) => None,
            Outcome::ProvedWords(_) | Outcome::ViolatedWords(_) => {
                unreachable!("an answer about bits")
            }
        }
    }
}

/// Hears the inner engine: enters its answers at once, and passes on how deep it is. A depth is a
/// claim about all properties that are open, and what is open outside is open inside.
struct Inner<'a, 'b> {
    context: &'a Context<'b>,
    lifting: &'a Lifting<'a>,
    ledger: Mutex<&'a mut Ledger>,
}

impl Inner<'_, '_> {
    /// Enters an answer, unless there is one.
    fn settle(&self, property: usize, outcome: &Outcome) {
        let position = self.lifting.open[property];
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        if ledger.open(self.context).contains(&position)
            && let Some(lifted) = self.lifting.outcome(outcome)
        {
            ledger.settle(self.context, position, lifted);
        }
    }
}

impl EventSink for Inner<'_, '_> {
    fn emit(&self, event: &Event) {
        match event {
            Event::Settled { property, outcome } => self.settle(*property, outcome),
            Event::Depth { .. } => self.context.events.emit(event),
            _ => {}
        }
    }

    fn wants_details(&self) -> bool {
        false
    }
}

impl Wpdr<'_> {
    /// The invariants among what was learned.
    fn find_invariants(&mut self) -> Result<Vec<Unit>, Stopped> {
        let effort = self.options.effort;
        let Some(Search { relative, .. }) = &mut self.search else { return Ok(Vec::new()) };
        let (done, share) = (relative.work(), relative.work() / SHARE_OF_SUBSET);
        let before = relative.meter.set_limits(Limits::after(done, share, share));
        let found = relative.with_effort(effort, find_inductive_subset);
        // An interrupted search goes on later.
        relative.meter.set_limits(before);
        match found {
            Err(Stopped(Reason::Budget)) => {
                let invariants = relative.frames.lemmas(Level::INFINITY);
                Ok(invariants.map(|lemma| lemma.unit.clone()).collect())
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
        if let Some(search) = &self.search {
            let lemmas = evidence::lemmas(&mut system.terms, &search.relative.problem, &invariants);
            system.constraints.extend(lemmas.iter().map(|&term| NamedTerm { term, name: None }));
        }
        let open = self.ledger.open(context);
        let properties: Vec<usize> = open.iter().map(|&p| self.properties[p]).collect();
        let blasted = match blast(&system, &self.bits.blasting) {
            Ok(blasted) => blasted,
            Err(_) => return Reason::Unsupported("the model cannot be made into bits"),
        };
        let reduced = reduce(&blasted.system, &properties, &self.bits.reduce);
        let before = self.progress();
        let search = self.search.take().filter(|_| self.options.frames);
        let offers = search.map(|search| offers(search, &blasted.map, &reduced.map));
        let room = Room::default();
        let mut pdr: Box<dyn Engine + '_> = match self.bits.sweep {
            None => {
                let mut pdr = Pdr::new(&reduced.system, self.bits.pdr);
                pdr.offer(offers.unwrap_or_default());
                Box::new(pdr)
            }
            Some(plan) => {
                let make = |system| Pdr::new(system, self.bits.pdr);
                let mut pdr = Swept::new(&reduced.system, make, plan, &room);
                pdr.offer(offers.unwrap_or_default());
                Box::new(pdr)
            }
        };
        let lifting = Lifting {
            constraints: self.system.constraints.len(),
            constrained: &system,
            blasted: &blasted,
            reduced: &reduced,
            open: &open,
        };
        let ledger = Mutex::new(&mut self.ledger);
        let inner = Inner { context, lifting: &lifting, ledger };
        let outcomes = pdr.run(&Context { events: &inner, settled: None, ..context.clone() });
        let Progress { queries, conflicts, .. } = before;
        let now = pdr.progress();
        self.elsewhere = Progress {
            queries: queries + now.queries,
            conflicts: conflicts + now.conflicts,
            ..now
        };
        let mut why = Reason::SettledElsewhere;
        for (property, outcome) in outcomes.iter().enumerate() {
            inner.settle(property, outcome);
            if let Outcome::Unknown(Unknown { reason, safe_up_to }) = *outcome {
                why = reason;
                (self.safe_up_to, self.safe) = (self.safe_up_to.max(safe_up_to), open.clone());
            }
        }
        why
    }
}

/// The lemmas of frames as cubes of the reduced latches: those of the highest levels last, as
/// they are taken from the end.
fn offers(search: Search, blasted: &BlastMap, reduced: &ReduceMap) -> Vec<Vec<Lit>> {
    let Relative { problem, frames, .. } = &search.relative;
    let lit_of = latches_of(problem, blasted, reduced);
    let mut offers: Vec<Vec<Lit>> = Vec::new();
    let lemmas = frames.lemmas(Level::ZERO.above());
    for lemma in lemmas.filter(|lemma| lemma.level != Level::INFINITY) {
        for cube in cubes_of(problem, &lemma.unit).unwrap_or_default() {
            let lits = cube.iter().filter_map(|&(var, bit, value)| {
                lit_of.get(&(var.index(), bit)).map(|&latch| latch ^ !value)
            });
            let mut lits: Vec<Lit> = lits.collect();
            lits.sort_unstable();
            // Without any bit it would be everything.
            if !lits.is_empty() {
                offers.push(lits);
            }
        }
    }
    let surplus = offers.len().saturating_sub(MAX_OFFERS);
    offers.drain(..surplus);
    offers
}

/// For each bit of a variable the literal that stands for it in PDR's cubes, if there is one:
/// the latches in the order of the reduced system, counted from 1.
fn latches_of(
    problem: &Problem,
    blasted: &BlastMap,
    reduced: &ReduceMap,
) -> FxHashMap<(usize, u32), Lit> {
    let kept = reduced.latches().iter().enumerate();
    let kept: FxHashMap<u32, Lit> = kept.map(|(i, &l)| (l, Var::new(i + 1).lit())).collect();
    let mut lits = FxHashMap::default();
    for source in &problem.states {
        let (Source::Vars(vars), StateBits::Latches { latches, .. }) =
            (&source.source, blasted.state(source.state))
        else {
            continue;
        };
        let bits = vars.clone().flat_map(|v| (0..problem.vars[v].width).map(move |b| (v, b)));
        for (bit, latch) in bits.zip(latches.clone()) {
            lits.extend(kept.get(&(latch as u32)).map(|&lit| (bit, lit)));
        }
    }
    lits
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::atom::Atom;
    use crate::word::obligations::Obligations;
    use crate::word::reshape::Failed;
    use crate::word::strengthen::Strengthener;
    use crate::word::value::VarId;
    use pedra_formats::btor2;

    /// `x` takes any value but keeps its highest bit, which is 0; `y` follows `x`.
    const MODEL: &str = "
        1 sort bitvec 4
        2 sort bitvec 1
        3 sort bitvec 3
        4 input 3 in
        5 zero 1
        6 state 1 y
        7 state 1 x
        8 init 1 6 5
        9 init 1 7 5
        10 slice 2 7 3 3
        11 concat 1 10 4
        12 next 1 7 11
        13 next 1 6 7
        14 ugt 2 6 7
        15 bad 14
    ";

    /// The cubes that are offered for a lemma that excludes `x ≥ 6`.
    fn offered(reduce: &ReduceOptions) -> (Vec<Vec<Lit>>, Blasted, Reduced) {
        let system = btor2::read(MODEL.as_bytes()).expect("a model");
        let problem = Problem::new(&system, &[0]).expect("words");
        let x = VarId::new(1);
        assert_eq!(problem.var(x).name, "x");
        let (blasting, context) = (BlastOptions::default(), Context::default());
        let mut relative = Relative::new(problem, &blasting, &context).expect("small");
        relative.frames.open();
        let Relative { frames, problem, .. } = &mut relative;
        frames.insert(problem, Unit::new(vec![Atom::Lower(x, 6)]), Level::new(1));
        let search = Search {
            relative,
            obligations: Obligations::default(),
            simulation: None,
            strengthener: Strengthener::default(),
            failed: Failed::default(),
        };
        let blasted = blast(&system, &blasting).expect("small");
        let reduced = super::reduce(&blasted.system, &[0], reduce);
        (offers(search, &blasted.map, &reduced.map), blasted, reduced)
    }

    /// The cubes as sets of bits of `x`, with their values.
    fn bits_of(
        cubes: &[Vec<Lit>],
        blasted: &Blasted,
        reduced: &Reduced,
    ) -> Vec<Vec<(usize, bool)>> {
        let x = blasted.map.state_lits(&blasted.system, 1);
        let bit_of = |&lit: &Lit| {
            let latch = reduced.map.latches()[lit.var().index() - 1] as usize;
            let var = blasted.system.latches[latch].var;
            let bit = x.iter().position(|b| b.var() == var).expect("a bit of x");
            (bit, !lit.is_negated())
        };
        let sorted = |cube: &Vec<Lit>| {
            let mut bits: Vec<_> = cube.iter().map(bit_of).collect();
            bits.sort_unstable();
            bits
        };
        cubes.iter().map(sorted).collect()
    }

    #[test]
    fn lemmas_of_frames_are_offered_bit_by_bit() {
        let nothing =
            ReduceOptions { cone: false, structure: false, constants: false, duplicates: false };
        let (cubes, blasted, reduced) = offered(&nothing);
        let mut bits = bits_of(&cubes, &blasted, &reduced);
        bits.sort_unstable();
        // 8 to 15, and 6 and 7.
        assert_eq!(bits, [vec![(1, true), (2, true), (3, false)], vec![(3, true)]]);
        // The highest bit is constant, and no latch any more.
        let (cubes, blasted, reduced) = offered(&ReduceOptions::default());
        assert_eq!(bits_of(&cubes, &blasted, &reduced), [vec![(1, true), (2, true)]]);
    }
}
