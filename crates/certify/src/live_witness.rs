//! Making a witness circuit out of a proof about justice, for Certifaiger 10 and for
//! [`crate::live_certificate`].
//!
//! The witness has, for each signal `g` of the model, a signal `q'_xy` of *two* states `x` and `y`,
//! which implies `¬g` in `x` if `y` is the next state. It reads `y` through *interventions*: inputs
//! that stand for latches of the other state. Which relation of two states that is depends on
//! the argument of the proof (docs/design/liveness.md):
//!
//! | argument | `q'_v` |
//! |---|---|
//! | `Count` | `x` waits for `v`, and `μ(y) ≤ μ(x)`; `μ` = (stable latches, counter, seen) |
//! | `Rank` | the same with `μ` = (layers, seen) |
//! | `Loop` | `Inv(x, y, saved)` with the signal seen or not: `x` may come after `y` |
//!
//! No step makes `μ` smaller, and a step that leaves it as it is sees no signal that `x` waits for.
//! All inputs and latches of the model come first and in order, so no symbol has to say what
//! simulates what.
//!
//! A proof by `Loop` says of several signals only that one is missing in each loop, not which: it
//! is a witness for one signal alone.

use crate::certificate::CertificateError;
use crate::frames::Frame;
use crate::live::Question;
use crate::proof::extended_logic;
use pedra_model::aig::{Aig, AigBuilder};
use pedra_model::bits::{BitSystem, Latch, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::live_proof::{Argument, LiveProof, StableLatch};

fn not_expressible<T>(text: &str) -> Result<T, CertificateError> {
    Err(CertificateError::NotExpressible(text.into()))
}

/// The witness circuit of a proof about the justice set of a model.
///
/// # Errors
/// If the proof is malformed, or has no such form.
pub fn aiger_live_certificate(
    system: &BitSystem,
    live: &LiveProof,
) -> Result<BitSystem, CertificateError> {
    if system.justice.len() != 1 || !system.bads.is_empty() {
        return not_expressible(
            "a certificate file of liveness is about all properties of the model, and this one \
             has others beside the justice set",
        );
    }
    if system.fairness.is_empty() && system.justice[0].is_empty() {
        return not_expressible("an empty justice set has no signal that a witness could have");
    }
    if live.proof.k != 1 || live.proof.simple_path.is_some() {
        return not_expressible("a k-induction proof about justice has no witness circuit");
    }
    let question = Question::new(system, live)?;
    let aig = extended_logic(&question.system, &question.proof)?;
    let parts = Parts { system, question: &question, aig: &aig };
    match &live.argument {
        Argument::Loop { copied } => parts.relation(copied),
        Argument::Count { stable, bound, .. } => {
            let mut stages: Vec<Stage> = stable.iter().map(|s| parts.stable(s)).collect();
            let leaves = parts.leaves();
            let (seen, counters) = leaves.split_at(question.signals.len());
            stages.extend([counters[..*bound].to_vec(), seen.to_vec()].map(Stage::Set));
            parts.measured(&stages)
        }
        Argument::Rank { .. } => {
            let seen = parts.leaves()[..question.signals.len()].to_vec();
            parts.measured(&[question.layers.clone(), seen].map(Stage::Set))
        }
    }
}

/// A part of the measure `μ`; earlier ones count more.
enum Stage {
    /// A bit that rises.
    Bit {
        bit: Lit,
        /// Where it is set, this signal is false, and nothing after it matters.
        last: Option<usize>,
    },
    /// A set that grows.
    Set(Vec<Lit>),
}

impl Stage {
    fn lits(&self) -> &[Lit] {
        match self {
            Stage::Bit { bit, .. } => std::slice::from_ref(bit),
            Stage::Set(set) => set,
        }
    }
}

/// A proof, taken apart.
struct Parts<'a> {
    /// The model.
    system: &'a BitSystem,
    question: &'a Question,
    /// The logic of the monitored system and of the proof.
    aig: &'a Aig,
}

/// A witness that is being built. Its leaves are numbered as they are in a file.
struct Witness {
    circuit: AigBuilder,
    inputs: Vec<Var>,
    /// For each variable of the monitored system its leaf, if it has one.
    leaf: Vec<Lit>,
    /// The input that stands for a latch in the other state, by variable.
    other: Vec<Option<Lit>>,
    /// Pairs of such a latch and input.
    interventions: Vec<(Lit, Lit)>,
}

impl Parts<'_> {
    fn stable(&self, stable: &StableLatch) -> Stage {
        let var = self.system.latches[stable.latch].var;
        Stage::Bit { bit: Lit::new(var, !stable.keeps), last: stable.excludes }
    }

    /// The latches of the monitor.
    fn leaves(&self) -> Vec<Lit> {
        let latches = &self.question.system.latches[self.system.latches.len()..];
        latches.iter().map(|latch| latch.var.lit()).collect()
    }

    /// Leaves for all inputs of the model, for some latches in another state, and for some latches.
    fn witness(&self, others: impl Iterator<Item = Var>, latches: &[Latch]) -> Witness {
        let mut circuit = AigBuilder::new();
        let mut leaf = vec![Lit::FALSE; self.aig.len()];
        let mut other = vec![None; self.aig.len()];
        let mut inputs = Vec::new();
        for &input in &self.system.inputs {
            inputs.push(circuit.leaf());
            leaf[input.index()] = inputs[inputs.len() - 1].lit();
        }
        let mut others: Vec<Var> = others.collect();
        others.sort_unstable();
        others.dedup();
        for &var in &others {
            inputs.push(circuit.leaf());
            other[var.index()] = inputs.last().map(|input| input.lit());
        }
        for latch in latches {
            leaf[latch.var.index()] = circuit.leaf().lit();
        }
        let pair = |var: &Var| Some((leaf[var.index()], other[var.index()]?));
        let interventions = others.iter().filter_map(pair).collect();
        Witness { circuit, inputs, leaf, other, interventions }
    }

    /// `q'_v = (x waits for v) ∧ μ(y) ≤ μ(x)`, `P' = Inv ∧ no bad ∧ some signal is not seen`.
    fn measured(&self, stages: &[Stage]) -> Result<BitSystem, CertificateError> {
        let Parts { question, aig, .. } = *self;
        let measured = aig.cone(stages.iter().flat_map(|stage| stage.lits().iter().copied()));
        let latches = &question.system.latches;
        let others = latches.iter().map(|latch| latch.var).filter(|var| measured[var.index()]);
        let mut witness = self.witness(others, latches);
        let Witness { circuit, leaf, other, .. } = &mut witness;
        let everything = vec![true; aig.len()];
        let x = Frame::new(circuit, aig, &everything, |_, var| leaf[var.index()]);
        let y = Frame::new(circuit, aig, &measured, |_, var| {
            other[var.index()].expect("a measure reads latches alone")
        });
        let seen: Vec<Lit> = self.leaves()[..question.signals.len()].to_vec();
        let mut holds: Vec<Lit> = question.system.bads.iter().map(|&bad| !x.lit(bad)).collect();
        for clause in &question.proof.clauses {
            holds.push(circuit.or_all(x.clause(clause)));
        }
        holds.push(!circuit.and_all(x.clause(&seen)));
        let property = circuit.and_all(holds);
        // From the last stage to the first: μ(y) ≤ μ(x) on this one and those after it.
        let mut at_most = Lit::TRUE;
        for stage in stages.iter().rev() {
            let pairs = stage.lits().iter().map(|&lit| (x.lit(lit), y.lit(lit)));
            let pairs: Vec<(Lit, Lit)> = pairs.collect();
            let within: Vec<Lit> = pairs.iter().map(|&(x, y)| circuit.implies(y, x)).collect();
            let equal: Vec<Lit> = pairs.iter().map(|&(x, y)| circuit.implies(x, y)).collect();
            let (within, equal) = (circuit.and_all(within), circuit.and_all(equal));
            if let Stage::Bit { bit, last: Some(_) } = *stage {
                at_most = circuit.or(at_most, x.lit(bit));
            }
            // y < x, or they are equal and the rest decides.
            let rest = circuit.implies(equal, at_most);
            at_most = circuit.and(within, rest);
        }
        let mut waits = vec![Lit::FALSE; seen.len()];
        let mut open = Lit::TRUE;
        for stage in stages {
            if let Stage::Bit { bit, last: Some(signal) } = *stage {
                let here = circuit.and(open, x.lit(bit));
                waits[signal] = circuit.or(waits[signal], here);
                open = circuit.and(open, !x.lit(bit));
            }
        }
        for (waits, &seen) in waits.iter_mut().zip(&seen) {
            let here = circuit.and(open, !x.lit(seen));
            *waits = circuit.or(*waits, here);
            open = circuit.and(open, x.lit(seen));
        }
        let signals = waits.into_iter().map(|waits| circuit.and(waits, at_most)).collect();
        Ok(self.finish(witness, latches, &x, property, signals))
    }

    /// `q' = Inv(x, y, saved, seen) ∨ Inv(x, y, saved, ¬seen)`
    /// `P'(x) = Inv(x, 0, ¬saved, ¬seen)`
    fn relation(&self, copied: &[usize]) -> Result<BitSystem, CertificateError> {
        let Parts { system, question, aig } = *self;
        if question.signals.len() != 1 {
            return not_expressible(
                "a proof by liveness to safety has a certificate file only if the set has one \
                 signal; try --liveness klive or rlive",
            );
        }
        let others = copied.iter().map(|&latch| system.latches[latch].var);
        let mut witness = self.witness(others, &system.latches);
        let Witness { circuit, leaf, other, .. } = &mut witness;
        let save = question.system.inputs[system.inputs.len()];
        let of_monitor = self.leaves();
        let (saved, seen, copies) = (of_monitor[0], of_monitor[1], &of_monitor[2..]);
        let everything = vec![true; aig.len()];
        // Inv with these values of the monitor; whatever `save` is.
        let mut invariant = |is_saved: Lit, is_seen: Lit| {
            let mut all = Vec::new();
            let mut last = None;
            for saves in [Lit::TRUE, Lit::FALSE] {
                let mut leaf = leaf.clone();
                leaf[save.index()] = saves;
                leaf[saved.var().index()] = is_saved;
                leaf[seen.var().index()] = is_seen;
                for (copy, &latch) in copies.iter().zip(copied) {
                    let other = other[system.latches[latch].var.index()];
                    leaf[copy.var().index()] = match is_saved {
                        Lit::TRUE => other.expect("a copied latch has an intervention"),
                        _ => Lit::FALSE,
                    };
                }
                let frame = Frame::new(circuit, aig, &everything, |_, var| leaf[var.index()]);
                for clause in &question.proof.clauses {
                    all.push(circuit.or_all(frame.clause(clause)));
                }
                last = Some(frame);
            }
            (circuit.and_all(all), last.expect("there are two values"))
        };
        let (property, x) = invariant(Lit::FALSE, Lit::FALSE);
        let (unseen, _) = invariant(Lit::TRUE, Lit::FALSE);
        let (seen, _) = invariant(Lit::TRUE, Lit::TRUE);
        let signal = circuit.or(unseen, seen);
        Ok(self.finish(witness, &system.latches, &x, property, vec![signal]))
    }

    /// The circuit, with the signals in the model's order: `q` stands for a signal `¬q`.
    fn finish(
        &self,
        witness: Witness,
        latches: &[Latch],
        x: &Frame,
        property: Lit,
        signals: Vec<Lit>,
    ) -> BitSystem {
        let own = latches.iter().map(|latch| Latch {
            var: x.lit(latch.var.lit()).var(),
            next: x.lit(latch.next),
            reset: match latch.reset {
                Reset::Function(function) => Reset::Function(x.lit(function)),
                constant => constant,
            },
        });
        let mut fairness: Vec<Lit> = signals.iter().map(|&signal| !signal).collect();
        let justice = fairness.split_off(self.system.fairness.len());
        let mut comments = vec!["WITNESS j0".to_owned()];
        comments.push(format!("INTERVENTION {}", witness.interventions.len()));
        let line = |(latch, input): &(Lit, Lit)| format!("{} {}", latch.code(), input.code());
        comments.extend(witness.interventions.iter().map(line));
        BitSystem {
            latches: own.collect(),
            inputs: witness.inputs,
            bads: vec![!property],
            constraints: x.clause(&self.system.constraints),
            justice: vec![justice],
            fairness,
            aig: witness.circuit.into_aig(),
            comments,
            ..BitSystem::default()
        }
    }
}
