//! Formulas over states, as circuits.

use crate::pdr::Transition;
use pedra_model::aig::{Aig, AigBuilder, Node};
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::{Lit, Var};
use pedra_model::proof::BitProof;
use rustc_hash::FxHashMap;

/// Formulas whose leaves are the state variables of a [`Transition`].
pub(crate) struct StateCircuit {
    pub(crate) builder: AigBuilder,
    /// By state variable; the first is the constant.
    pub(super) leaves: Vec<Lit>,
    /// The initial states.
    pub(crate) init: Lit,
}

impl StateCircuit {
    /// No formulas yet but the initial states.
    pub(crate) fn new(system: &BitSystem, transition: &Transition) -> StateCircuit {
        let mut builder = AigBuilder::new();
        let states = transition.state_vars();
        let mut leaves = vec![Lit::FALSE];
        leaves.extend(states.clone().map(|_| builder.leaf().lit()));
        let mut circuit = StateCircuit { builder, leaves, init: Lit::TRUE };
        let mut all = Vec::new();
        // Latches on which nothing depends do not matter.
        for var in states.clone().filter(|&var| transition.is_encoded(var)) {
            let value = transition.constant_reset[var];
            all.extend(value.map(|value| circuit.leaves[var] ^ !value));
        }
        let has_first = states.end > transition.latch_vars().end;
        if !has_first {
            // Then no reset function reads an input.
            let leaf_of: FxHashMap<Var, Lit> = system
                .latches
                .iter()
                .enumerate()
                .map(|(latch, l)| (l.var, circuit.leaves[latch + 1]))
                .collect();
            for (latch, l) in system.latches.iter().enumerate() {
                if let (Reset::Function(f), None) = (l.reset, l.reset.constant()) {
                    let leaf = |var| leaf_of.get(&var).copied().unwrap_or(Lit::FALSE);
                    let f = copy_cones(&system.aig, &[f], leaf, &mut circuit.builder)[0];
                    all.push(circuit.builder.iff(circuit.leaves[latch + 1], f));
                }
            }
        }
        circuit.init = circuit.builder.and_all(all);
        circuit
    }

    /// The leaf of a state literal.
    pub(crate) fn leaf(&self, lit: Lit) -> Lit {
        self.leaves[lit.var().index()] ^ lit.is_negated()
    }

    /// The number of the state variable of a leaf, if it is one.
    pub(crate) fn state_vars(&self) -> impl Iterator<Item = (Var, Var)> + '_ {
        let leaves = self.leaves.iter().enumerate().skip(1);
        leaves.map(|(var, leaf)| (leaf.var(), Var::new(var)))
    }

    /// The clause that excludes a cube.
    pub(crate) fn not_cube(&mut self, cube: &[Lit]) -> Lit {
        let lits: Vec<Lit> = cube.iter().map(|&lit| self.leaf(lit)).collect();
        !self.builder.and_all(lits)
    }

    /// The proof that the formula is an inductive invariant without bad states.
    pub(crate) fn proof(
        &self,
        system: &BitSystem,
        transition: &Transition,
        properties: Vec<usize>,
        invariant: Lit,
    ) -> BitProof {
        let mut gates = transition.gates.clone();
        let state_of: FxHashMap<Var, Var> = self.state_vars().collect();
        let aig = self.builder.aig();
        let cone = aig.cone([invariant]);
        let mut lits = vec![Lit::FALSE; aig.len()];
        for var in aig.vars().filter(|var| cone[var.index()]) {
            let of = |lit: Lit, lits: &[Lit]| lits[lit.var().index()] ^ lit.is_negated();
            lits[var.index()] = match aig.node(var) {
                Node::Const => Lit::FALSE,
                Node::Leaf => !transition.system_clause(&[state_of[&var].lit()])[0],
                Node::And(a, b) => {
                    gates.push([of(a, &lits), of(b, &lits)]);
                    Var::new(system.aig.len() + gates.len() - 1).lit()
                }
            };
        }
        let root = lits[invariant.var().index()] ^ invariant.is_negated();
        BitProof { properties, gates, clauses: vec![vec![root]], k: 1, simple_path: None }
    }
}

/// Copies the cones of the roots; leaves become what `leaf` says.
fn copy_cones(
    aig: &Aig,
    roots: &[Lit],
    leaf: impl Fn(Var) -> Lit,
    builder: &mut AigBuilder,
) -> Vec<Lit> {
    let cone = aig.cone(roots.iter().copied());
    let mut lits = vec![Lit::FALSE; aig.len()];
    for var in aig.vars().filter(|var| cone[var.index()]) {
        let of = |lit: Lit| lits[lit.var().index()] ^ lit.is_negated();
        lits[var.index()] = match aig.node(var) {
            Node::Const => Lit::FALSE,
            Node::Leaf => leaf(var),
            Node::And(a, b) => builder.and(of(a), of(b)),
        };
    }
    roots.iter().map(|root| lits[root.var().index()] ^ root.is_negated()).collect()
}
