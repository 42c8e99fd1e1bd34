//! Which conjuncts of an invariant a property needs directly, for readers of a proof.
//!
//! Most conjuncts are there to make others inductive. Those that exclude the bad states themselves
//! are the core of `(C ∧ Inv)(s) ⟹ P(s)`, minimised within a budget. No verdict depends on it.

use crate::options::CheckOptions;
use crate::proof::extended_logic;
use crate::word_proof::{cone_of, lower};
use pedra_model::Model;
use pedra_model::bits::BitSystem;
use pedra_model::blast::{BlastOptions, blast};
use pedra_model::lit::Lit;
use pedra_model::proof::{BitProof, Proof};
use pedra_solve::{Budget, FrameEncoder, new_solver};

/// The conflicts of a query.
const CONFLICTS: u64 = 10_000;

/// How many conjuncts are tried to be left out.
const MAX_TRIED: usize = 300;

/// The conjuncts, by index, without which the other ones do not exclude the bad states of the
/// proved properties, or some more. `None` if the invariant does not exclude them by itself
/// (k-induction), if that is too hard to see, or if the proof is about a program.
pub fn needed_directly(
    model: &Model,
    proof: &Proof,
    blasting: &BlastOptions,
    options: &CheckOptions,
) -> Option<Vec<usize>> {
    match (model, proof) {
        (Model::Bits(system), Proof::Bits(proof)) => core(system, proof, options),
        (Model::Words(_), Proof::Words(proof)) => {
            let cone = cone_of(proof);
            let blasted = blast(&cone.system, blasting).ok()?;
            let lowered = lower(&cone, &blasted, blasting).ok()?;
            core(&blasted.system, &lowered, options)
        }
        _ => None,
    }
}

/// The clauses in the core of `C ∧ Inv ∧ ¬P`, where `P` says that none of the bads is true.
fn core(system: &BitSystem, proof: &BitProof, options: &CheckOptions) -> Option<Vec<usize>> {
    let aig = extended_logic(system, proof).ok()?;
    let mut solver = new_solver(options.solver);
    solver.set_budget(Some(Budget::conflicts(CONFLICTS)));
    solver.set_interrupt(options.interrupt.clone());
    let mut encoder = FrameEncoder::new();
    for &constraint in &system.constraints {
        let lit = encoder.encode(&aig, &mut *solver, constraint);
        solver.add_clause(&[lit]);
    }
    let bads = proof.properties.iter().map(|&property| system.properties()[property]);
    let bads = encoder.encode_all(&aig, &mut *solver, bads);
    solver.add_clause(&bads);
    let mut selectors: Vec<Lit> = Vec::with_capacity(proof.clauses.len());
    for clause in &proof.clauses {
        let mut lits = encoder.encode_all(&aig, &mut *solver, clause.iter().copied());
        let selector = solver.new_var().lit();
        lits.push(!selector);
        solver.add_clause(&lits);
        selectors.push(selector);
    }
    if !solver.solve(&selectors).is_unsat() {
        return None;
    }
    let mut needed = solver.core(&selectors);
    // Smaller, one by one: the longest go first.
    let length = |lit: &Lit| proof.clauses[position(&selectors, *lit)].len();
    let mut order = needed.clone();
    order.sort_by_key(|lit| std::cmp::Reverse(length(lit)));
    for lit in order.into_iter().take(MAX_TRIED) {
        let without: Vec<Lit> = needed.iter().copied().filter(|other| *other != lit).collect();
        if needed.contains(&lit) && solver.solve(&without).is_unsat() {
            needed = solver.core(&without);
        }
    }
    let mut needed: Vec<usize> = needed.into_iter().map(|lit| position(&selectors, lit)).collect();
    needed.sort_unstable();
    Some(needed)
}

/// Selectors are numbered in order.
fn position(selectors: &[Lit], lit: Lit) -> usize {
    selectors.binary_search(&lit).expect("one of the selectors")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::bits::Reset;

    /// Three latches that stay 0; one is bad. Of the three clauses that say so, one is needed.
    #[test]
    fn only_what_excludes_bad_states() {
        let mut system = BitSystem::new();
        let lits: Vec<Lit> = (0..3)
            .map(|index| {
                system.add_latch(Reset::Zero);
                let lit = system.latches[index].var.lit();
                system.latches[index].next = lit;
                lit
            })
            .collect();
        system.bads.push(lits[1]);
        let proof = |clauses: Vec<Vec<Lit>>| {
            let (properties, gates) = (vec![0], Vec::new());
            Proof::Bits(BitProof { properties, gates, clauses, k: 1, simple_path: None })
        };
        let model = Model::Bits(system);
        let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
        let ask = |clauses| needed_directly(&model, &proof(clauses), &blasting, &options);
        let each = lits.iter().map(|&lit| vec![!lit]).collect();
        assert_eq!(ask(each), Some(vec![1]));
        assert_eq!(ask(vec![vec![!lits[0]]]), None);
    }
}
