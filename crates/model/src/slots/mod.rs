//! Systems without large arrays: of each array only a few cells are watched.
//!
//! A *slot* watches the cell of an array whose address some term had a number of steps before the
//! violation. Where that is, is guessed at the start: a state `p` that never changes, with the
//! content `e` of the cell as a state beside it. Reads at `p` give `e`, all others anything; the
//! bad counts only if the guess was right (Bjesse, FMCAD 2008: *prophecy*; Mann et al., TACAS
//! 2021). With `h` for the address some steps ago:
//!
//! ```text
//! val(A, p) = e                     val(write(X, b, v), p) = ite(p = b, v, val(X, p))
//! val(const v, p) = v               val(ite(c, X, Y), p)   = ite(c, val(X, p), val(Y, p))
//! init(e) = val(init A, p)          next(e) = val(next A, p)
//! read(X, b): as val, but at A:     ite(b = p_1, e_1, … ite(b = b_1, r_1, … r))   r an input
//! X = Y:      val(X, d) = val(Y, d) ∧ ⋀ val(X, p_i) = val(Y, p_i)                 d an input
//! bad# = bad ∧ ⋀ h = p
//! ```
//!
//! `b_1, r_1, …` are earlier reads of the same array in the same step. `d` is where `X` and `Y`
//! differ, if they do. A slot at a constant address needs no guess.
//!
//! *Sound*: every path of the model to the bad is one of the result. Choose for `p` the value of
//! `h` at its end, and for `r`, `d` what they stand for. So proofs go back
//! ([`Slotted::lift_proof`]), and depths that are safe are safe; traces may be spurious.

mod build;
mod lift;
mod reader;

pub use reader::{ReadSymbol, Reader};

use crate::blast::BlastOptions;
use crate::prophecy::{Difference, Prophecy};
use crate::system::System;
use crate::term::{BinaryOp, Sort, Term, TermId};
use rustc_hash::FxHashMap;

/// A cell that is watched.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Of this array, an input or a state.
    pub array: TermId,
    /// At the address that this term has.
    pub address: TermId,
    /// That many steps before the violation.
    pub delay: usize,
}

/// A system with large arrays, made ready for slots.
#[derive(Clone, Debug)]
pub struct WithArrays {
    /// The system. Its store has a symbol more for each comparison of large arrays.
    pub system: System,
    /// The comparisons, with these symbols.
    pub differences: Vec<Difference>,
    /// Which arrays are small enough to stay as they are.
    blasting: BlastOptions,
}

impl WithArrays {
    /// Of this system; what blasting expands is left alone.
    pub fn new(system: &System, blasting: &BlastOptions) -> WithArrays {
        let mut system = system.clone();
        let cone = system.terms.cone(system.roots());
        let is_compared = |&(id, term): &(TermId, &Term)| match *term {
            Term::Binary(BinaryOp::Eq | BinaryOp::Neq, a, _) => {
                cone[id.index()] && is_large(system.terms.sort(a), blasting)
            }
            _ => false,
        };
        let compared: Vec<TermId> =
            system.terms.iter().filter(is_compared).map(|(id, _)| id).collect();
        let differences = compared.into_iter().map(|comparison| {
            let arg = system.terms.get(comparison).args().next().expect("compares two");
            let Sort::Array { index, .. } = system.terms.sort(arg) else { unreachable!("arrays") };
            Difference { comparison, index: system.terms.new_symbol(index.into()) }
        });
        let differences = differences.collect();
        WithArrays { system, differences, blasting: blasting.clone() }
    }

    /// Whether a term is an array that is not expanded.
    pub fn is_large(&self, term: TermId) -> bool {
        is_large(self.system.terms.sort(term), &self.blasting)
    }

    /// The inputs and states that are such arrays.
    pub fn large_symbols(&self) -> impl Iterator<Item = TermId> + '_ {
        let states = self.system.states.iter().map(|s| s.term);
        states.chain(self.system.inputs.iter().map(|i| i.term)).filter(|&t| self.is_large(t))
    }

    /// The symbols that an array is made of by writes and choices.
    pub fn array_symbols(&self, array: TermId) -> Vec<TermId> {
        let mut found = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![array];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match *self.system.terms.get(id) {
                Term::Symbol(_) => found.push(id),
                Term::Write(inner, ..) => stack.push(inner),
                Term::Ite(_, t, e) => stack.extend([t, e]),
                _ => {}
            }
        }
        found
    }

    /// For each large array those on which its cells depend, one step before or by a comparison.
    fn neighbours(&self) -> FxHashMap<TermId, Vec<TermId>> {
        let mut all: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
        for state in self.system.states.iter().filter(|s| self.is_large(s.term)) {
            for array in [state.init, state.next].into_iter().flatten() {
                all.entry(state.term).or_default().extend(self.array_symbols(array));
            }
        }
        for difference in &self.differences {
            let args = self.system.terms.get(difference.comparison).args();
            let compared: Vec<TermId> = args.flat_map(|a| self.array_symbols(a)).collect();
            for &array in &compared {
                all.entry(array).or_default().extend(&compared);
            }
        }
        all
    }
}

fn is_large(sort: Sort, blasting: &BlastOptions) -> bool {
    sort.is_array() && !sort.has_integers() && !blasting.expands(sort)
}

/// The system with slots, and the way back.
#[derive(Clone, Debug)]
pub struct Slotted {
    /// The system without large arrays. Its terms extend those that it was made of.
    pub system: System,
    /// What was added.
    prophecy: Prophecy,
    /// What the other new symbols stand for: reads of an array at an address, which may speak
    /// of earlier ones of the list.
    reads: Vec<ReadSymbol>,
}
