//! Proofs about justice: the monitored systems, built a second time.
//!
//! A [`LiveProof`] names an argument. From that and the model, this file builds the monitored
//! system whose bads must be unreachable, with its own code, and has the safety proof checked.
//! docs/design/liveness.md explains each argument, and why it shows that no infinite path fulfils
//! the set.
//!
//! The signals are the fairness literals and those of the set; `round` is true at a step at which
//! all were seen since the last round. *Required for soundness*: an infinite path that fulfils the
//! set completes infinitely many rounds.

use crate::options::CheckOptions;
use crate::proof::{CheckedProof, ProofError, check_bit_proof};
use pedra_model::aig::{Aig, Node};
use pedra_model::bits::{BitSystem, Latch, Reset};
use pedra_model::blast::{BlastOptions, blast};
use pedra_model::cone::WordCone;
use pedra_model::lit::{Lit, Var};
use pedra_model::live_proof::{Argument, LiveProof, StableLatch};
use pedra_model::proof::BitProof;
use pedra_model::property::Property;
use pedra_model::system::System;

/// No proof needs more counters; the monitor is built before anything is known of the proof.
const MAX_COUNTERS: usize = 1 << 16;

fn malformed<T>(text: impl Into<String>) -> Result<T, ProofError> {
    Err(ProofError::Malformed(text.into()))
}

/// Checks that a proof proves what it claims about a justice set of a bit-level system.
///
/// # Errors
/// If it does not, or if that is not known.
pub fn check_live_proof(
    system: &BitSystem,
    proof: &LiveProof,
    options: &CheckOptions,
) -> Result<CheckedProof, ProofError> {
    let question = Question::new(system, proof)?;
    check_bit_proof(&question.system, &question.proof, options)
}

/// What a proof about justice claims: that no bad of a monitored system can be reached.
pub(crate) struct Question {
    /// The monitored system. The variables of the model come first, then the monitor's leaves in
    /// the order of [`Argument::leaves`].
    pub(crate) system: BitSystem,
    /// The proof about it.
    pub(crate) proof: BitProof,
    /// The signals, which are literals of the model.
    pub(crate) signals: Vec<Lit>,
    /// The layers of [`Argument::Rank`], in the literals of the monitored system.
    pub(crate) layers: Vec<Lit>,
}

impl Question {
    /// Builds the monitored system that the argument of a proof names.
    ///
    /// # Errors
    /// If the proof makes no sense for this model.
    pub(crate) fn new(system: &BitSystem, proof: &LiveProof) -> Result<Question, ProofError> {
        let set = match system.property(proof.property) {
            Property::Justice(index) if index < system.justice.len() => &system.justice[index],
            other => return malformed(format!("{other} is no justice set of the model")),
        };
        let mut signals: Vec<Lit> = system.fairness.iter().chain(set).copied().collect();
        if signals.is_empty() {
            // Every infinite path fulfils it.
            signals.push(Lit::TRUE);
        }
        let mut monitor = Monitor::new(system);
        let bads = match &proof.argument {
            Argument::Loop { copied } => monitor.watch_loop(&signals, copied)?,
            Argument::Count { stable, counters, bound } => {
                monitor.count(&signals, stable, *counters, *bound)?
            }
            Argument::Rank { .. } => vec![monitor.watch_rounds(&signals)],
        };
        // The gates of the proof come after ours.
        let first = system.aig.len() + proof.argument.leaves(signals.len());
        let shift = monitor.system.aig.len() - first;
        let moved = |lit: Lit| match lit.var().index() {
            index if index < first => lit,
            index => Lit::new(Var::new(index + shift), lit.is_negated()),
        };
        let moved_all = |lits: &Vec<Lit>| -> Vec<Lit> { lits.iter().map(|&l| moved(l)).collect() };
        let mut safety = BitProof {
            properties: Vec::new(),
            gates: proof.proof.gates.iter().map(|gate| gate.map(moved)).collect(),
            clauses: proof.proof.clauses.iter().map(moved_all).collect(),
            ..proof.proof.clone()
        };
        let mut moved_layers = Vec::new();
        let bads = match &proof.argument {
            Argument::Rank { layers } => {
                let layers: Vec<Lit> = layers.iter().map(|&layer| moved(layer)).collect();
                moved_layers.clone_from(&layers);
                // The layers are gates of the proof: they become part of the system.
                for [a, b] in std::mem::take(&mut safety.gates) {
                    if a.var().index() >= monitor.system.aig.len()
                        || b.var().index() >= monitor.system.aig.len()
                    {
                        return malformed("a gate reads a literal that is not before it");
                    }
                    monitor.system.aig.push_and(a, b);
                }
                monitor.rank(bads[0], &layers)?
            }
            _ => bads,
        };
        safety.properties = (0..bads.len()).collect();
        monitor.system.bads = bads;
        Ok(Question { system: monitor.system, proof: safety, signals, layers: moved_layers })
    }
}

/// The same for a word-level system: the proof is about the bits of the cone of the set.
///
/// # Errors
/// If it proves nothing, or if that is not known.
pub fn check_word_live_proof(
    system: &System,
    proof: &LiveProof,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Result<CheckedProof, ProofError> {
    let index = match system.property(proof.property) {
        Property::Justice(index) if index < system.justice.len() => index,
        other => return malformed(format!("{other} is no justice set of the model")),
    };
    let cone = WordCone::of_justice(system, index);
    let blasted = blast(&cone.system, blasting)
        .map_err(|error| ProofError::NotCheckable(error.to_string()))?;
    check_live_proof(&blasted.system, &LiveProof { property: 0, ..proof.clone() }, options)
}

/// A model with further latches. Gates are made as they are asked for, without sharing.
struct Monitor {
    system: BitSystem,
    /// How many latches the model has.
    of_model: usize,
}

impl Monitor {
    fn new(model: &BitSystem) -> Monitor {
        let system = BitSystem {
            aig: model.aig.clone(),
            inputs: model.inputs.clone(),
            latches: model.latches.clone(),
            constraints: model.constraints.clone(),
            ..BitSystem::default()
        };
        Monitor { system, of_model: model.latches.len() }
    }

    fn new_latches(&mut self, count: usize) -> Vec<Lit> {
        (0..count).map(|_| self.system.add_latch(Reset::Zero)).collect()
    }

    fn set_next(&mut self, latch: Lit, next: Lit) {
        let of_monitor = &mut self.system.latches[self.of_model..];
        let place = of_monitor.binary_search_by_key(&latch.var(), |l| l.var);
        of_monitor[place.expect("a latch of the monitor")].next = next;
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.system.aig.push_and(a, b)
    }

    fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    fn and_all(&mut self, lits: &[Lit]) -> Lit {
        lits.iter().fold(Lit::TRUE, |all, &lit| self.and(all, lit))
    }

    fn is_different(&mut self, a: Lit, b: Lit) -> Lit {
        let (only_a, only_b) = (self.and(a, !b), self.and(!a, b));
        self.or(only_a, only_b)
    }

    fn model_latch(&self, index: usize) -> Result<Latch, ProofError> {
        match self.system.latches[..self.of_model].get(index) {
            Some(latch) => Ok(*latch),
            None => malformed(format!("latch {index} does not exist")),
        }
    }

    /// The bad of [`Argument::Loop`]: after a state was saved, all signals were seen, and the
    /// saved latches have their values again.
    fn watch_loop(&mut self, signals: &[Lit], copied: &[usize]) -> Result<Vec<Lit>, ProofError> {
        let save = self.system.add_input();
        let saved = self.new_latches(1)[0];
        let seen = self.new_latches(signals.len());
        let copies = self.new_latches(copied.len());
        let (load, watching) = (self.and(save, !saved), self.or(saved, save));
        self.set_next(saved, watching);
        let mut bad = vec![saved];
        for (&seen, &signal) in seen.iter().zip(signals) {
            let now = self.and(watching, signal);
            let next = self.or(seen, now);
            self.set_next(seen, next);
            bad.push(seen);
        }
        for (&copy, &index) in copies.iter().zip(copied) {
            let now = self.model_latch(index)?.var.lit();
            let (kept, loaded) = (self.and(!load, copy), self.and(load, now));
            let next = self.or(kept, loaded);
            self.set_next(copy, next);
            bad.push(!self.is_different(now, copy));
        }
        Ok(vec![self.and_all(&bad)])
    }

    /// Whether a round ends at this step.
    fn watch_rounds(&mut self, signals: &[Lit]) -> Lit {
        let seen = self.new_latches(signals.len());
        self.rounds_of(&seen, signals)
    }

    fn rounds_of(&mut self, seen: &[Lit], signals: &[Lit]) -> Lit {
        let mut now = Vec::new();
        for (&seen, &signal) in seen.iter().zip(signals) {
            now.push(self.or(seen, signal));
        }
        let round = self.and_all(&now);
        for (&seen, now) in seen.iter().zip(now) {
            let next = self.and(now, !round);
            self.set_next(seen, next);
        }
        round
    }

    /// The bads of [`Argument::Count`]: round number `bound + 1` since the last change of a stable
    /// latch; and for each of these, that it changes the wrong way, and that the signal which its
    /// value excludes is true.
    fn count(
        &mut self,
        signals: &[Lit],
        stable: &[StableLatch],
        counters: usize,
        bound: usize,
    ) -> Result<Vec<Lit>, ProofError> {
        if bound > counters || counters > MAX_COUNTERS {
            return malformed(format!("{counters} counters for a bound of {bound}"));
        }
        let seen = self.new_latches(signals.len());
        let counter = self.new_latches(counters);
        let round = self.rounds_of(&seen, signals);
        let (mut bads, mut changed, mut excluded) = (Vec::new(), Lit::FALSE, Lit::FALSE);
        for &StableLatch { latch, keeps, excludes } in stable {
            let Latch { var, next, .. } = self.model_latch(latch)?;
            let (has, stays) = (var.lit() ^ !keeps, next ^ !keeps);
            // Only steps matter at which no earlier one changes, or has a value that excludes a
            // signal: on a path that fulfils the set all steps are such from some step on.
            let matters = self.and(!changed, !excluded);
            let has_there = self.and(matters, has);
            bads.push(self.and(has_there, !stays));
            let different = self.is_different(var.lit(), next);
            changed = self.or(changed, different);
            if let Some(signal) = excludes {
                let Some(&signal) = signals.get(signal) else {
                    return malformed(format!("signal {signal} does not exist"));
                };
                bads.push(self.and(has_there, signal));
                excluded = self.or(excluded, has);
            }
        }
        let mut over = round;
        for (number, &bit) in counter.iter().enumerate() {
            if number == bound {
                bads.push(over);
            }
            let counted = self.or(bit, over);
            let next = self.and(counted, !changed);
            self.set_next(bit, next);
            over = self.and(bit, over);
        }
        if bound == counters {
            bads.push(over);
        }
        Ok(bads)
    }

    /// The bads of [`Argument::Rank`]: a round that does not lead into the last layer; a step out
    /// of a layer; a round within a layer that does not lead into the one before.
    fn rank(&mut self, round: Lit, layers: &[Lit]) -> Result<Vec<Lit>, ProofError> {
        let after = self.after_step(layers)?;
        let last = after.last().copied().unwrap_or(Lit::FALSE);
        let mut bads = vec![self.and(round, !last)];
        let mut below = Lit::FALSE;
        for (&layer, &next) in layers.iter().zip(&after) {
            bads.push(self.and(layer, !next));
            let round_inside = self.and(layer, round);
            bads.push(self.and(round_inside, !below));
            below = next;
        }
        Ok(bads)
    }

    /// The sets over the next functions: whether the next state is in them. *Required for
    /// soundness*: they are functions of the state alone.
    fn after_step(&mut self, layers: &[Lit]) -> Result<Vec<Lit>, ProofError> {
        let aig: Aig = self.system.aig.clone();
        if layers.iter().any(|layer| layer.var().index() >= aig.len()) {
            return malformed("a layer does not exist");
        }
        let cone = aig.cone(layers.iter().copied());
        let mut image = vec![Lit::FALSE; aig.len()];
        for latch in &self.system.latches {
            image[latch.var.index()] = latch.next;
        }
        if let Some(input) = self.system.inputs.iter().find(|input| cone[input.index()]) {
            return malformed(format!("a layer depends on the input {}", input.index()));
        }
        let of = |image: &[Lit], lit: Lit| image[lit.var().index()] ^ lit.is_negated();
        for var in aig.vars().filter(|var| cone[var.index()]) {
            if let Node::And(a, b) = aig.node(var) {
                image[var.index()] = self.and(of(&image, a), of(&image, b));
            }
        }
        Ok(layers.iter().map(|&layer| of(&image, layer)).collect())
    }
}
