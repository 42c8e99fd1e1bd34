//! Making a witness circuit out of a proof, for Certifaiger and for [`crate::certificate`].
//!
//! All inputs and latches of the model come first and in order, with their resets, next
//! functions and constraints. So the witness needs no symbols to say what simulates what, which
//! stays right however the model's file numbers its literals, and resets of any kind and
//! constraints pass the reset and transition checks as they are. It has one bad, `¬P'`.
//!
//! For `k = 1`, `P' = P ∧ Inv`, where `P` says that none of the proved bads is true.
//!
//! For `k > 1` the witness remembers the last `k - 1` states and their inputs (constraints, bads
//! and resets may read inputs) in history registers `h₁` (the youngest) to `hₖ₋₁`, each with a
//! bit `vⱼ` that says whether it holds anything yet. With `h₀` for the current state and `v₀`
//! true, `P'` is the conjunction of
//!
//! - `vⱼ₊₁ ⟹ vⱼ`;
//! - `vⱼ ⟹ (P ∧ Inv)(hⱼ)`, and `vⱼ ⟹ C(hⱼ)` for `j ≥ 1`;
//! - `vⱼ₊₁ ⟹ hⱼ = F(hⱼ₊₁)`;
//! - `vⱼ ∧ ¬vⱼ₊₁ ⟹ Init(hⱼ)` for `j + 1 < k`: a path that is shorter than `k` began at the start.
//!
//! It holds at the start, where no `vⱼ` is set, by initiation and base. It is inductive: the new
//! state satisfies `Inv` by consecution; it satisfies `P` by the step if all registers were full,
//! and else by the base, because the remembered path then starts in an initial state and has
//! fewer than `k` transitions, the new one included. This is the idea of the k-witness circuit
//! of Yu, Biere and Heljanko (CAV 2021), restated for inputs in constraints and properties and
//! for resets of any kind.
//!
//! Proofs on simple paths are refused. A witness for them exists only under quantified checks.

use crate::certificate::CertificateError;
use crate::frames::{Frame, cone_of_influence};
use crate::proof::extended_logic;
use pedra_model::aig::{Aig, AigBuilder};
use pedra_model::bits::{BitSystem, Latch, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::proof::BitProof;

/// The witness circuit of a proof.
///
/// The certifiers take all bads of a model's file together. If the proof is only about some of
/// them the witness certifies these alone: check it with
/// [`crate::certificate::check_certificate_for`], or against a file that has no others. A
/// comment of the witness names the properties.
pub fn aiger_certificate(
    system: &BitSystem,
    proof: &BitProof,
) -> Result<BitSystem, CertificateError> {
    let aig = extended_logic(system, proof)?;
    if proof.simple_path.is_some() {
        return Err(CertificateError::NotExpressible(
            "a k-induction proof on simple paths has no witness circuit; prove the property \
             without simple paths or with another engine"
                .into(),
        ));
    }
    let mut maker = Maker::new(system, proof, &aig);
    let mut conditions = Vec::new();
    for age in 0..proof.k {
        maker.conditions_of(age, &mut conditions);
    }
    Ok(maker.finish(conditions))
}

/// A state that the witness knows: the current one or a history register.
struct Register {
    /// Whether it holds a state.
    valid: Lit,
    /// Its image of the model's variables.
    frame: Frame,
}

struct Maker<'a> {
    system: &'a BitSystem,
    proof: &'a BitProof,
    circuit: AigBuilder,
    inputs: Vec<Var>,
    latches: Vec<Latch>,
    /// The variables that matter to the properties: what history has to remember.
    remembered: Vec<bool>,
    /// By age: the current state first.
    registers: Vec<Register>,
}

impl<'a> Maker<'a> {
    /// Makes all leaves, in the order that AIGER wants, and the model's logic over each register.
    fn new(system: &'a BitSystem, proof: &'a BitProof, aig: &'a Aig) -> Maker<'a> {
        let bads = proof.properties.iter().map(|&p| system.properties()[p]);
        let roots = bads.chain(system.constraints.iter().copied());
        let roots = roots.chain(proof.clauses.iter().flatten().copied());
        let remembered = cone_of_influence(system, aig, roots);
        let mut circuit = AigBuilder::new();
        // By age, for each variable of the model its leaf in the witness.
        let mut leaves = vec![vec![Lit::FALSE; aig.len()]];
        for &input in &system.inputs {
            leaves[0][input.index()] = circuit.leaf().lit();
        }
        for latch in &system.latches {
            leaves[0][latch.var.index()] = circuit.leaf().lit();
        }
        let inputs = system.inputs.iter().map(|i| leaves[0][i.index()].var()).collect();
        let mut valid = vec![Lit::TRUE];
        let mut latches = Vec::new();
        let history = |var: Lit, next: Lit| Latch { var: var.var(), next, reset: Reset::Zero };
        for age in 1..proof.k {
            valid.push(circuit.leaf().lit());
            latches.push(history(valid[age], valid[age - 1]));
            let mut older = vec![Lit::FALSE; aig.len()];
            let all = system.inputs.iter().copied().chain(system.latches.iter().map(|l| l.var));
            for var in all.filter(|v| remembered[v.index()]) {
                older[var.index()] = circuit.leaf().lit();
                latches.push(history(older[var.index()], leaves[age - 1][var.index()]));
            }
            leaves.push(older);
        }
        let everything = vec![true; aig.len()];
        let mut registers: Vec<Register> = Vec::new();
        for (age, (valid, leaves)) in valid.into_iter().zip(&leaves).enumerate() {
            let wanted = if age == 0 { &everything } else { &remembered };
            let frame = Frame::new(&mut circuit, aig, wanted, |_, var| leaves[var.index()]);
            registers.push(Register { valid, frame });
        }
        // The model's own latches come before those of the history.
        let current = &registers[0].frame;
        let own = system.latches.iter().map(|latch| Latch {
            var: current.lit(latch.var.lit()).var(),
            next: current.lit(latch.next),
            reset: match latch.reset {
                Reset::Function(function) => Reset::Function(current.lit(function)),
                constant => constant,
            },
        });
        let latches = own.chain(latches).collect();
        Maker { system, proof, circuit, inputs, latches, remembered, registers }
    }

    /// The conjuncts of `P'` about the register of this age and its predecessor.
    fn conditions_of(&mut self, age: usize, conditions: &mut Vec<Lit>) {
        let circuit = &mut self.circuit;
        let Register { valid, ref frame } = self.registers[age];
        // vⱼ ⟹ (P ∧ Inv)(hⱼ), and C(hⱼ) for j ≥ 1
        let bads = self.proof.properties.iter().map(|&p| self.system.properties()[p]);
        let mut holds: Vec<Lit> = bads.map(|bad| !frame.lit(bad)).collect();
        for clause in &self.proof.clauses {
            holds.push(circuit.or_all(frame.clause(clause)));
        }
        if age > 0 {
            holds.extend(frame.clause(&self.system.constraints));
        }
        let holds = circuit.and_all(holds);
        conditions.push(circuit.implies(valid, holds));
        let Some(older) = self.registers.get(age + 1) else { return };
        // vⱼ₊₁ ⟹ vⱼ
        conditions.push(circuit.implies(older.valid, valid));
        // vⱼ₊₁ ⟹ hⱼ = F(hⱼ₊₁)
        let (mut follows, mut initial) = (Vec::new(), Vec::new());
        let latches = self.system.latches.iter();
        for latch in latches.filter(|l| self.remembered[l.var.index()]) {
            let value = frame.lit(latch.var.lit());
            follows.push(circuit.iff(value, older.frame.lit(latch.next)));
            initial.push(frame.is_reset(circuit, latch));
        }
        let follows = circuit.and_all(follows);
        conditions.push(circuit.implies(older.valid, follows));
        // vⱼ ∧ ¬vⱼ₊₁ ⟹ Init(hⱼ)
        let (oldest, initial) = (circuit.and(valid, !older.valid), circuit.and_all(initial));
        conditions.push(circuit.implies(oldest, initial));
    }

    fn finish(mut self, conditions: Vec<Lit>) -> BitSystem {
        let property = self.circuit.and_all(conditions);
        let constraints = self.registers[0].frame.clause(&self.system.constraints);
        BitSystem {
            aig: self.circuit.into_aig(),
            inputs: self.inputs,
            latches: self.latches,
            bads: vec![!property],
            constraints,
            comments: comments(self.system, self.proof),
            ..BitSystem::default()
        }
    }
}

/// What is certified, for the reader.
fn comments(system: &BitSystem, proof: &BitProof) -> Vec<String> {
    let kind = if system.outputs_are_bads() { 'o' } else { 'b' };
    let mut comments: Vec<String> =
        proof.properties.iter().map(|p| format!("WITNESS {kind}{p}")).collect();
    let mut proved = vec![false; system.properties().len()];
    proof.properties.iter().for_each(|&p| proved[p] = true);
    let missing = proved.iter().filter(|&&p| !p).count();
    if missing > 0 {
        let all = system.properties().len();
        comments.push(format!("certifies these properties only, not {missing} others of {all}"));
    }
    comments
}
