//! What of a record a refutation rests on, as chains of resolutions.
//!
//! The antecedents of a clause are in the order of unit propagation. Backwards from the conflict,
//! each is resolved with what has been collected so far: its propagated literal is its only one
//! whose negation can be there, because all others are false. An antecedent without such a
//! literal is not needed and left out, with all that only it rests on (trimming). The result may
//! be a part of the clause that the solver recorded; an interpolant from that one merely uses a
//! weaker clause.

use super::proof::{ClauseId, Proof, Source};
use pedra_model::lit::Lit;
use std::collections::BinaryHeap;

/// One clause of the core.
#[derive(Copy, Clone, Debug)]
pub(super) struct Node {
    pub(super) clause: ClauseId,
    /// The range of its steps.
    pub(super) steps: (u32, u32),
    /// The first and the last part of the given clauses below it.
    pub(super) parts: (u32, u32),
}

/// A resolution: the collected clause with this one. The first step of a chain has no pivot.
#[derive(Copy, Clone, Debug)]
pub(super) struct Step {
    /// The place of the other clause in [`Core::nodes`].
    pub(super) node: u32,
    /// The literal of the other clause that disappears.
    pub(super) pivot: Option<Lit>,
}

/// The clauses below a refutation.
pub(super) struct Core {
    /// Each after those that it was derived from; the last is the refutation.
    pub(super) nodes: Vec<Node>,
    pub(super) steps: Vec<Step>,
}

impl Core {
    /// The core of a clause.
    ///
    /// # Panics
    /// If the record is no proof: an antecedent chain does not yield its clause.
    pub(super) fn new(proof: &Proof, last: ClauseId) -> Core {
        let mut chains = Chains::new(proof);
        let mut nodes: Vec<Node> = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        let mut is_seen = vec![0u64; proof.len().div_ceil(64)];
        let mut heap = BinaryHeap::from([last.0]);
        // Descending, so each clause comes after all that use it.
        while let Some(number) = heap.pop() {
            let clause = ClauseId(number);
            let start = steps.len() as u32;
            let mut parts = (u32::MAX, 0);
            match proof.source(clause) {
                Source::Given(part) => parts = (part, part),
                Source::Derived(antecedents) => {
                    chains.resolve(clause, antecedents, &mut steps);
                }
            }
            for step in &steps[start as usize..] {
                let (word, bit) = (step.node as usize / 64, 1u64 << (step.node % 64));
                if is_seen[word] & bit == 0 {
                    is_seen[word] |= bit;
                    heap.push(step.node);
                }
            }
            nodes.push(Node { clause, steps: (start, steps.len() as u32), parts });
        }
        nodes.reverse();
        let mut core = Core { nodes, steps };
        core.number();
        core
    }

    /// Replaces clauses in steps by their places, and finds the parts of all.
    fn number(&mut self) {
        for at in 0..self.nodes.len() {
            let (start, end) = self.nodes[at].steps;
            for step in start..end {
                let clause = ClauseId(self.steps[step as usize].node);
                let place = self.nodes[..at].binary_search_by_key(&clause, |node| node.clause);
                let place = place.expect("antecedents are in the core, before");
                self.steps[step as usize].node = place as u32;
                let below = self.nodes[place].parts;
                let parts = &mut self.nodes[at].parts;
                *parts = (parts.0.min(below.0), parts.1.max(below.1));
            }
        }
    }

    /// The resolutions of a node.
    pub(super) fn chain(&self, node: &Node) -> &[Step] {
        &self.steps[node.steps.0 as usize..node.steps.1 as usize]
    }
}

/// Replays chains of antecedents.
struct Chains<'p> {
    proof: &'p Proof,
    /// By literal, whether it is in the collected clause.
    is_in: Vec<bool>,
    /// What was ever in it.
    touched: Vec<Lit>,
}

impl<'p> Chains<'p> {
    fn new(proof: &'p Proof) -> Chains<'p> {
        Chains { proof, is_in: Vec::new(), touched: Vec::new() }
    }

    fn add(&mut self, lit: Lit) {
        if lit.index() | 1 >= self.is_in.len() {
            self.is_in.resize((lit.index() | 1) + 1, false);
        }
        if !std::mem::replace(&mut self.is_in[lit.index()], true) {
            self.touched.push(lit);
        }
    }

    fn has(&self, lit: Lit) -> bool {
        self.is_in.get(lit.index()).copied().unwrap_or(false)
    }

    /// Adds the resolutions that derive (a part of) the clause.
    fn resolve(&mut self, clause: ClauseId, antecedents: &[u32], steps: &mut Vec<Step>) {
        let proof = self.proof;
        let mut rest = antecedents.iter().rev();
        let conflict = *rest.next().expect("a derived clause has antecedents");
        proof.lits(ClauseId(conflict)).for_each(|lit| self.add(lit));
        steps.push(Step { node: conflict, pivot: None });
        for &antecedent in rest {
            let pivot = proof.lits(ClauseId(antecedent)).find(|&lit| self.has(!lit));
            let Some(pivot) = pivot else { continue };
            self.is_in[(!pivot).index()] = false;
            for lit in proof.lits(ClauseId(antecedent)).filter(|&lit| lit != pivot) {
                self.add(lit);
            }
            steps.push(Step { node: antecedent, pivot: Some(pivot) });
        }
        // *Required for soundness*: the chain derives the clause, or a part of it.
        for lit in proof.lits(clause) {
            if self.has(lit) {
                self.is_in[lit.index()] = false;
            }
        }
        let left = self.touched.iter().find(|lit| self.is_in[lit.index()]);
        assert!(left.is_none(), "a chain of antecedents leaves {left:?} over");
        self.touched.clear();
    }
}
