//! Proofs that properties hold, as plain data over the *original* model, so that checking,
//! writing and drawing them needs nothing of the engine that found them.
//!
//! A proof is an invariant `Inv` and a number `k ≥ 1`. It claims, for the constraints `C`, the
//! transition relation `T` and a property `P` (the negation of a bad):
//!
//! - initiation: `Init ∧ C ⟹ Inv`;
//! - consecution: `Inv ∧ C ∧ T ∧ C' ⟹ Inv'`;
//! - base: no path of fewer than `k` transitions from `Init` violates `P`, given `Inv`;
//! - step: `Inv ∧ C ∧ P` at `k` successive states implies `P` at the next one that satisfies
//!   `Inv ∧ C`. With `simple_path`, only paths whose states differ pairwise on the named
//!   latches count; these latches must be closed: their next values, the constraints and the
//!   property depend on no others, given `Inv`.
//!
//! An inductive invariant in the sense of PDR is the case in which `k = 1` and `Inv ⟹ P`, for
//! which the step is trivial.

use crate::Model;
use crate::lit::{Lit, Var};
use crate::live_proof::LiveProof;
use crate::program::ProgramProof;
use crate::prophecy::Prophecy;
use crate::system::System;
use crate::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A proof about a bit-level system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BitProof {
    /// The properties that it proves: indices into [`crate::bits::BitSystem::properties`].
    pub properties: Vec<usize>,
    /// Further gates over the system's variables; the first gets the number after the last
    /// variable of the system, and so on. They let `clauses` speak of any function.
    pub gates: Vec<[Lit; 2]>,
    /// `Inv`: the conjunction of these clauses over the system's variables and the gates.
    pub clauses: Vec<Vec<Lit>>,
    /// Induction depth.
    pub k: usize,
    /// If present, the induction step is restricted to states that differ pairwise on these
    /// latches (by index).
    pub simple_path: Option<Vec<usize>>,
}

/// A proof about a word-level system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordProof {
    /// The properties that it proves: indices into the bads.
    pub properties: Vec<usize>,
    /// The system, its store of terms extended by those of the invariant.
    pub system: System,
    /// `Inv`: the conjunction of these one-bit terms.
    pub invariant: Vec<TermId>,
    /// Induction depth.
    pub k: usize,
    /// As in [`BitProof::simple_path`], over bits of states.
    pub simple_path: Option<Vec<StateBit>>,
    /// What the proof adds to the model: `Inv` may speak of it, and the properties are violated
    /// only where all guesses come true.
    pub prophecy: Prophecy,
}

/// One bit of a state.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct StateBit {
    /// The state, by index.
    pub state: usize,
    /// The bit, from the least significant; those of an array element by element.
    pub bit: usize,
}

/// A proof, at the level that it speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// About a bit-level system.
    Bits(BitProof),
    /// About a word-level system.
    Words(Box<WordProof>),
    /// About a program.
    Program(Arc<ProgramProof>),
    /// That a justice set of a system of either level is never fulfilled for ever.
    Live(Box<LiveProof>),
}

impl From<LiveProof> for Proof {
    fn from(proof: LiveProof) -> Proof {
        Proof::Live(Box::new(proof))
    }
}

impl From<BitProof> for Proof {
    fn from(proof: BitProof) -> Proof {
        Proof::Bits(proof)
    }
}

impl From<WordProof> for Proof {
    fn from(proof: WordProof) -> Proof {
        Proof::Words(Box::new(proof))
    }
}

impl From<ProgramProof> for Proof {
    fn from(proof: ProgramProof) -> Proof {
        Proof::Program(Arc::new(proof))
    }
}

impl Proof {
    /// Induction depth.
    pub fn k(&self) -> usize {
        match self {
            Proof::Bits(proof) => proof.k,
            Proof::Words(proof) => proof.k,
            Proof::Program(proof) => proof.k,
            Proof::Live(proof) => proof.proof.k,
        }
    }

    /// Number of conjuncts of the invariant.
    pub fn clauses(&self) -> usize {
        match self {
            Proof::Bits(proof) => proof.clauses.len(),
            Proof::Words(proof) => proof.invariant.len(),
            Proof::Program(proof) => proof.invariants.values().map(Vec::len).sum(),
            Proof::Live(proof) => proof.proof.clauses.len(),
        }
    }

    /// The properties that it proves, as the system of its level numbers them.
    pub fn properties(&self) -> &[usize] {
        match self {
            Proof::Bits(proof) => &proof.properties,
            Proof::Words(proof) => &proof.properties,
            Proof::Program(proof) => &proof.properties,
            Proof::Live(proof) => std::slice::from_ref(&proof.property),
        }
    }

    /// The same argument as a proof of these properties; one about justice has the first alone.
    pub fn set_properties(&mut self, properties: Vec<usize>) {
        match self {
            Proof::Bits(proof) => proof.properties = properties,
            Proof::Words(proof) => proof.properties = properties,
            Proof::Program(proof) => Arc::make_mut(proof).properties = properties,
            Proof::Live(proof) => {
                proof.property = properties.first().copied().unwrap_or(proof.property);
            }
        }
    }

    /// One proof of all that both prove about this model; see [`BitProof::join`].
    pub fn join(&self, other: &Proof, model: &Model) -> Option<Proof> {
        match (model, self, other) {
            (Model::Bits(system), Proof::Bits(a), Proof::Bits(b)) => {
                a.join(b, system.aig.len()).map(Proof::from)
            }
            (Model::Words(system), Proof::Words(a), Proof::Words(b)) => {
                a.join(b, system.terms.len()).map(Proof::from)
            }
            _ => None,
        }
    }
}

impl BitProof {
    /// The proof that both claims hold, for a system of `num_vars` variables: the invariants
    /// together, at the larger depth. `None` if one needs simple paths, which cannot be joined.
    ///
    /// If `P` is k-inductive relative to `Inv` then also at every larger depth and relative to
    /// every stronger invariant, and the conjunction of two such properties is as well.
    pub fn join(&self, other: &BitProof, num_vars: usize) -> Option<BitProof> {
        if self.simple_path.is_some() || other.simple_path.is_some() {
            return None;
        }
        let shift = self.gates.len();
        let moved = |lit: Lit| match lit.var().index() {
            index if index < num_vars => lit,
            index => Lit::new(Var::new(index + shift), lit.is_negated()),
        };
        let mut joined = self.clone();
        joined.properties.extend(&other.properties);
        joined.properties.sort_unstable();
        joined.properties.dedup();
        joined.gates.extend(other.gates.iter().map(|g| g.map(moved)));
        let known: FxHashSet<&[Lit]> = self.clauses.iter().map(Vec::as_slice).collect();
        let clauses = other.clauses.iter().map(|clause| clause.iter().map(|&l| moved(l)).collect());
        joined.clauses.extend(clauses.filter(|clause: &Vec<Lit>| !known.contains(&clause[..])));
        joined.k = self.k.max(other.k);
        Some(joined)
    }
}

impl WordProof {
    /// As [`BitProof::join`]. Both proofs must extend the same system, whose store had
    /// `num_terms` terms. Guesses of both are made together: each is true of a path to a bad.
    pub fn join(&self, other: &WordProof, num_terms: usize) -> Option<WordProof> {
        if self.simple_path.is_some() || other.simple_path.is_some() {
            return None;
        }
        let mut joined = self.clone();
        joined.properties.extend(&other.properties);
        joined.properties.sort_unstable();
        joined.properties.dedup();
        // Terms of the common system keep their ids; the others are built again, and what the
        // other proof adds gets symbols of its own.
        let (from, terms) = (&other.system.terms, &mut joined.system.terms);
        let new: FxHashMap<TermId, TermId> = other
            .prophecy
            .symbols()
            .map(|symbol| (symbol, terms.new_symbol(from.sort(symbol))))
            .collect();
        let roots = other.invariant.iter().copied().chain(other.prophecy.terms());
        let image = terms.import(from, roots, |id| match id.index() < num_terms {
            true => Some(id),
            false => new.get(&id).copied(),
        });
        joined.prophecy.extend(other.prophecy.map(|term| image.of(term)));
        let known: FxHashSet<TermId> = self.invariant.iter().copied().collect();
        let conjuncts = other.invariant.iter().map(|&conjunct| image.of(conjunct));
        joined.invariant.extend(conjuncts.filter(|conjunct| !known.contains(conjunct)));
        joined.k = self.k.max(other.k);
        Some(joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Sort, UnaryOp};

    #[test]
    fn gates_are_renumbered() {
        let lit = |v: usize| Var::new(v).lit();
        let one = BitProof {
            properties: vec![0],
            gates: vec![[lit(1), lit(2)]],
            clauses: vec![vec![lit(3)]],
            k: 1,
            simple_path: None,
        };
        let two = BitProof {
            properties: vec![1],
            gates: vec![[lit(1), !lit(2)], [lit(3), lit(1)]],
            clauses: vec![vec![!lit(4), lit(2)]],
            k: 3,
            simple_path: None,
        };
        let joined = one.join(&two, 3).expect("no simple paths");
        assert_eq!(joined.gates[1..], [[lit(1), !lit(2)], [lit(4), lit(1)]]);
        assert_eq!(joined.clauses, vec![vec![lit(3)], vec![!lit(5), lit(2)]]);
        assert_eq!((joined.k, joined.properties), (3, vec![0, 1]));
    }

    #[test]
    fn terms_are_built_again() {
        let mut system = System::new();
        let x = system.terms.new_symbol(Sort::BOOL);
        let proof = |op: UnaryOp, index: usize| {
            let mut system = system.clone();
            let mut term = x;
            for _ in 0..=index {
                term = system.terms.unary(op, term);
            }
            WordProof {
                properties: vec![index],
                system,
                invariant: vec![term],
                k: 1,
                simple_path: None,
                prophecy: Prophecy::default(),
            }
        };
        let joined = proof(UnaryOp::Not, 1).join(&proof(UnaryOp::Neg, 0), 1).expect("joined");
        let texts: Vec<_> = joined.invariant.iter().map(|&t| joined.system.terms.get(t)).collect();
        assert!(matches!(texts[0], crate::term::Term::Unary(UnaryOp::Not, _)));
        assert_eq!(texts[1], &crate::term::Term::Unary(UnaryOp::Neg, x));
    }
}
