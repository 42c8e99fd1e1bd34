//! From a core to interpolants: one label a clause and cut.
//!
//! Cut `j` separates the parts below `j` (`A`) from the others (`B`). A variable is local to `A`
//! if no part from `j` on knows it, local to `B` if none below does, and shared otherwise. Each
//! clause of the proof gets a formula over shared variables, its partial interpolant, and that of
//! the refutation is the interpolant.
//!
//! | | McMillan | Pudlák |
//! |---|---|---|
//! | given, in `A` | the disjunction of its shared literals | false |
//! | given, in `B` | true | true |
//! | pivot local to `A` | `L ∨ M` | `L ∨ M` |
//! | pivot local to `B` | `L ∧ M` | `L ∧ M` |
//! | pivot `p` shared | `L ∧ M` | `(p ∨ M) ∧ (¬p ∨ L)`, `M` of the clause with `p` |
//!
//! - K. L. McMillan: *Interpolation and SAT-based model checking*, CAV 2003.
//! - P. Pudlák: *Lower bounds for resolution and cutting plane proofs and monotone
//!   computations*, 1997.
//! - Y. Vizel, O. Grumberg: *Interpolation-sequence based model checking*, FMCAD 2009: if all cuts
//!   use one proof and one system, then `I_j ∧ part_j ⟹ I_{j+1}`.
//!
//! **Pure clauses.** A derived clause below which only parts of `A` lie may be taken as given:
//! its label is that of a clause in `A`, and nothing below it is looked at. The same goes for
//! `B`. So a clause needs labels only for the cuts between its first and its last part, and
//! all cuts together cost little more than one.
//!
//! **Assumptions** hold on both sides, so their literals are constants in labels. The last clause
//! of a query under assumptions has only negated assumptions, and its label is the interpolant.

use super::core::{Core, Node, Step};
use super::proof::{ClauseId, Proof};
use pedra_model::aig::AigBuilder;
use pedra_model::lit::Lit;
use std::ops::RangeInclusive;

/// The rules by which labels are made.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Hash)]
pub enum System {
    /// McMillan's: the stronger formulas.
    #[default]
    McMillan,
    /// Pudlák's: weaker, symmetric in both sides.
    Pudlak,
}

/// Makes the labels of a core.
pub(super) struct Labels<'p, 'f> {
    pub(super) proof: &'p Proof,
    pub(super) system: System,
    /// The cuts that are wanted.
    pub(super) cuts: RangeInclusive<u32>,
    /// Assumed to be true.
    pub(super) assumptions: &'p [Lit],
    /// The interpolants.
    pub(super) builder: &'f mut AigBuilder,
    /// The formula for a shared literal at a cut.
    pub(super) leaf: &'f mut dyn FnMut(u32, Lit) -> Lit,
}

/// The labels of one clause: those of the cuts from `first` on.
#[derive(Copy, Clone)]
struct Stored {
    first: u32,
    end: u32,
    start: u32,
}

impl Labels<'_, '_> {
    /// The labels of the last clause of the core, one a cut.
    pub(super) fn of(mut self, core: &Core) -> Vec<Lit> {
        let mut stored: Vec<Stored> = Vec::with_capacity(core.nodes.len());
        let mut labels: Vec<Lit> = Vec::new();
        for node in &core.nodes {
            // Outside of these the clause is pure; just above its last part its label is
            // looked up often, so that one is kept, too.
            let first = (node.parts.0 + 1).max(*self.cuts.start());
            let end = (node.parts.1 + 2).min(*self.cuts.end() + 1).max(first);
            let start = labels.len() as u32;
            stored.push(Stored { first, end, start });
            for cut in first..end {
                let label = if cut > node.parts.1 {
                    self.pure(node.clause, cut)
                } else {
                    self.resolve(core, core.chain(node), cut, &stored, &labels)
                };
                labels.push(label);
            }
        }
        let last = core.nodes.len() - 1;
        self.cuts.clone().map(|cut| self.get(core, last, cut, &stored, &labels)).collect()
    }

    /// The label of a clause at a cut.
    fn get(
        &mut self,
        core: &Core,
        place: usize,
        cut: u32,
        stored: &[Stored],
        labels: &[Lit],
    ) -> Lit {
        let node: &Node = &core.nodes[place];
        if cut <= node.parts.0 {
            return Lit::TRUE;
        }
        let Stored { first, end, start } = stored[place];
        if (first..end).contains(&cut) {
            return labels[(start + cut - first) as usize];
        }
        self.pure(node.clause, cut)
    }

    /// The label of a clause of `A`.
    fn pure(&mut self, clause: ClauseId, cut: u32) -> Lit {
        if self.system == System::Pudlak {
            return Lit::FALSE;
        }
        let mut any = Lit::FALSE;
        let proof = self.proof;
        for lit in proof.lits(clause) {
            if proof.last_part(lit.var()) >= cut {
                let lit = self.shared(cut, lit);
                any = self.builder.or(any, lit);
            }
        }
        any
    }

    /// A shared literal as a formula.
    fn shared(&mut self, cut: u32, lit: Lit) -> Lit {
        if self.assumptions.binary_search(&lit).is_ok() {
            Lit::TRUE
        } else if self.assumptions.binary_search(&!lit).is_ok() {
            Lit::FALSE
        } else {
            (self.leaf)(cut, lit)
        }
    }

    /// The label of a derived clause.
    fn resolve(
        &mut self,
        core: &Core,
        chain: &[Step],
        cut: u32,
        stored: &[Stored],
        labels: &[Lit],
    ) -> Lit {
        let mut label = Lit::TRUE;
        for step in chain {
            let other = self.get(core, step.node as usize, cut, stored, labels);
            let Some(pivot) = step.pivot else {
                label = other;
                continue;
            };
            label = if self.proof.last_part(pivot.var()) < cut {
                self.builder.or(label, other)
            } else if self.proof.first_part(pivot.var()) >= cut || self.system == System::McMillan {
                self.builder.and(label, other)
            } else {
                // The other clause has the pivot, the collected one its negation.
                let p = self.shared(cut, pivot);
                self.builder.ite(p, label, other)
            };
        }
        label
    }
}
