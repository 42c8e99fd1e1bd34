//! Monitored systems: the model, latches that watch it, and bads.
//!
//! - A. Biere, C. Artho, V. Schuppan: *Liveness Checking as Safety Checking*, FMICS 2002:
//!   [`Method::Loop`].
//! - K. Claessen, N. Sörensson: *A Liveness Checking Algorithm that Counts*, FMCAD 2012:
//!   [`Method::Count`].
//!
//! The variables of the model keep their numbers; the leaves of the monitor follow, in the order
//! that [`LiveProof`] fixes, and then its gates. So the gates of a monitored system are the first
//! gates of a proof about it, and nothing is renumbered.

use crate::cone::closed_latches;
use pedra_model::aig::{AigBuilder, Node};
use pedra_model::back::Back;
use pedra_model::bits::{BitSystem, Latch, Reset};
use pedra_model::eval::lasso::find_lasso;
use pedra_model::lit::{Lit, Var};
use pedra_model::live_proof::{Argument, LiveProof, StableLatch};
use pedra_model::proof::{BitProof, Proof};
use pedra_model::trace::{BitTrace, Trace};
use pedra_model::value::Ternary;

/// How many rounds are counted at most. Unused counters cost little, a bound that is larger
/// than this would hardly be found: PDR needs as many frames.
pub(super) const COUNTERS: usize = 32;

/// What a monitored system asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Method {
    /// Liveness to safety: bad 0 is a state that was saved before, with all signals since.
    Loop,
    /// k-liveness: bad `j` is the end of round `j + 1` since the last change of a stable latch.
    Count {
        /// The stable latches, in the order in which they become stable.
        stable: Vec<StableLatch>,
    },
    /// k-liveness by k-induction: bad 0 is the last bad of [`Method::Count`].
    Induction {
        /// As in [`Method::Count`].
        stable: Vec<StableLatch>,
    },
    /// For rlive: bad 0 is the end of a round.
    Round,
}

/// A monitored system.
pub struct Monitored<'a> {
    /// The system. It has no justice and no fairness.
    pub system: BitSystem,
    original: &'a BitSystem,
    /// The number of the set among the original's properties.
    property: usize,
    signals: Vec<Lit>,
    /// The latches that signals and constraints depend on.
    kept: Vec<usize>,
    method: Method,
}

/// The signals of a justice set: all must recur. There is at least one.
pub fn signals(system: &BitSystem, justice: usize) -> Vec<Lit> {
    let mut signals = system.fairness.clone();
    signals.extend(&system.justice[justice]);
    if signals.is_empty() {
        signals.push(Lit::TRUE);
    }
    signals
}

/// A monitored system that is being built: leaves first, then gates.
struct Builder<'a> {
    original: &'a BitSystem,
    circuit: AigBuilder,
    inputs: Vec<Var>,
    latches: Vec<Latch>,
}

impl<'a> Builder<'a> {
    fn new(original: &'a BitSystem) -> Builder<'a> {
        let (inputs, latches) = (original.inputs.clone(), original.latches.clone());
        Builder { original, circuit: AigBuilder::from_aig(original.aig.clone()), inputs, latches }
    }

    /// A latch that starts as 0; its next function is set later.
    fn latch(&mut self) -> Lit {
        let var = self.circuit.leaf();
        self.latches.push(Latch { var, next: var.lit(), reset: Reset::Zero });
        var.lit()
    }

    fn latches(&mut self, count: usize) -> Vec<Lit> {
        (0..count).map(|_| self.latch()).collect()
    }

    fn set_next(&mut self, latch: Lit, next: Lit) {
        let of_monitor = &mut self.latches[self.original.latches.len()..];
        let place = of_monitor.binary_search_by_key(&latch.var(), |l| l.var);
        of_monitor[place.expect("a latch of the monitor")].next = next;
    }

    /// `round = ∧ (seen ∨ g)`, `seen' = (seen ∨ g) ∧ ¬round`.
    fn round(&mut self, seen: &[Lit], signals: &[Lit]) -> Lit {
        let pairs = seen.iter().zip(signals);
        let now: Vec<Lit> = pairs.map(|(&seen, &g)| self.circuit.or(seen, g)).collect();
        let round = self.circuit.and_all(now.iter().copied());
        for (&seen, now) in seen.iter().zip(now) {
            let next = self.circuit.and(now, !round);
            self.set_next(seen, next);
        }
        round
    }

    fn finish(self, bads: Vec<Lit>) -> BitSystem {
        BitSystem {
            aig: self.circuit.into_aig(),
            inputs: self.inputs,
            latches: self.latches,
            bads,
            constraints: self.original.constraints.clone(),
            ..BitSystem::default()
        }
    }
}

impl<'a> Monitored<'a> {
    /// The system for a justice set.
    pub fn new(original: &'a BitSystem, justice: usize, method: Method) -> Monitored<'a> {
        let signals = signals(original, justice);
        let kept = closed_latches(original, signals.iter().copied());
        let system = match &method {
            Method::Loop => loop_system(original, &signals, &kept),
            Method::Count { stable } => count_system(original, &signals, stable),
            Method::Induction { stable } => {
                let mut system = count_system(original, &signals, stable);
                system.bads.drain(..COUNTERS);
                system
            }
            Method::Round => {
                let mut builder = Builder::new(original);
                let seen = builder.latches(signals.len());
                let round = builder.round(&seen, &signals);
                builder.finish(vec![round])
            }
        };
        let property = original.justice_number(justice);
        Monitored { system, original, property, signals, kept, method }
    }

    /// The gates of the monitor, with those of a proof after them.
    fn with_gates(&self, proof: BitProof) -> BitProof {
        let leaves = self.system.inputs.len() + self.system.latches.len()
            - self.original.inputs.len()
            - self.original.latches.len();
        let first = self.original.aig.len() + leaves;
        let own =
            (first..self.system.aig.len()).map(|var| match self.system.aig.node(Var::new(var)) {
                Node::And(a, b) => [a, b],
                Node::Const | Node::Leaf => unreachable!("leaves come first"),
            });
        BitProof { gates: own.chain(proof.gates).collect(), ..proof }
    }
}

/// `bad = saved ∧ ∧ seen ∧ x = y`
fn loop_system(original: &BitSystem, signals: &[Lit], kept: &[usize]) -> BitSystem {
    let mut builder = Builder::new(original);
    let save = builder.circuit.leaf();
    builder.inputs.push(save);
    let saved = builder.latch();
    let seen = builder.latches(signals.len());
    let copies = builder.latches(kept.len());
    let circuit = &mut builder.circuit;
    let load = circuit.and(save.lit(), !saved);
    let watching = circuit.or(saved, save.lit());
    let mut bad: Vec<Lit> = vec![saved];
    let mut next = vec![(saved, watching)];
    for (&seen, &signal) in seen.iter().zip(signals) {
        let now = circuit.and(watching, signal);
        next.push((seen, circuit.or(seen, now)));
        bad.push(seen);
    }
    for (&copy, &latch) in copies.iter().zip(kept) {
        let latch = original.latches[latch].var.lit();
        next.push((copy, circuit.ite(load, latch, copy)));
        bad.push(circuit.iff(latch, copy));
    }
    let bad = circuit.and_all(bad);
    for (latch, next) in next {
        builder.set_next(latch, next);
    }
    builder.finish(vec![bad])
}

/// `over_0 = round`, `over_j = b_j ∧ over_{j−1}`, `b_j' = (b_j ∨ over_{j−1}) ∧ ¬changed`
fn count_system(original: &BitSystem, signals: &[Lit], stable: &[StableLatch]) -> BitSystem {
    let mut builder = Builder::new(original);
    let seen = builder.latches(signals.len());
    let counters = builder.latches(COUNTERS);
    let round = builder.round(&seen, signals);
    let circuit = &mut builder.circuit;
    let changes = stable.iter().map(|&StableLatch { latch, .. }| {
        let Latch { var, next, .. } = original.latches[latch];
        circuit.xor(var.lit(), next)
    });
    let changes: Vec<Lit> = changes.collect();
    let changed = circuit.or_all(changes);
    let mut over = vec![round];
    let mut next = Vec::new();
    for (j, &counter) in counters.iter().enumerate() {
        let counted = circuit.or(counter, over[j]);
        next.push((counter, circuit.and(counted, !changed)));
        over.push(circuit.and(counter, over[j]));
    }
    for (latch, next) in next {
        builder.set_next(latch, next);
    }
    builder.finish(over)
}

impl Back for Monitored<'_> {
    fn proof(&self, proof: Proof) -> Proof {
        let property = self.property;
        match proof {
            Proof::Bits(proof) => {
                let argument = match &self.method {
                    Method::Loop => Argument::Loop { copied: self.kept.clone() },
                    Method::Count { stable } => Argument::Count {
                        stable: stable.clone(),
                        counters: COUNTERS,
                        bound: proof.properties.iter().copied().min().unwrap_or(COUNTERS),
                    },
                    Method::Induction { stable } => Argument::Count {
                        stable: stable.clone(),
                        counters: COUNTERS,
                        bound: COUNTERS,
                    },
                    // No round at all is ever complete.
                    Method::Round => Argument::Rank { layers: Vec::new() },
                };
                LiveProof { property, argument, proof: self.with_gates(proof) }.into()
            }
            Proof::Live(live) => {
                LiveProof { property, proof: self.with_gates(live.proof), ..*live }.into()
            }
            other => other,
        }
    }

    /// The lasso in a path of the monitored system. A path without one stays a path; who asks for
    /// a violation will refuse it.
    fn trace(&self, trace: Trace) -> Trace {
        let Trace::Bits(trace) = trace else { return trace };
        let (inputs, latches) = (self.original.inputs.len(), self.original.latches.len());
        let of_model = |values: &Vec<Ternary>| values[..inputs].to_vec();
        let mut path = BitTrace {
            property: self.property,
            initial: trace.initial[..latches].to_vec(),
            inputs: trace.inputs.iter().map(of_model).collect(),
            loop_start: None,
        };
        // The state after the last step counts, whatever inputs it sees.
        path.inputs.push(vec![Ternary::False; inputs]);
        match find_lasso(self.original, &self.signals, &self.kept, &path) {
            Some(lasso) => lasso.into(),
            None => {
                path.inputs.pop();
                path.into()
            }
        }
    }

    /// A clause over the monitor says nothing about the model.
    fn claim(&self, _: &[Lit]) -> Option<Vec<Lit>> {
        None
    }
}
