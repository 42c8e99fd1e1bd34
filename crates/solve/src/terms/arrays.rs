//! Comparisons of arrays with integers in them.
//!
//! `a = b` is a literal `e`. For indices that are bits it is the conjunction over both of them. For
//! integers as indices, with the indices that are mentioned in any read or write of this sort:
//!
//! - if `e` does not hold, the arrays differ at a new index `d`: `e ∨ a[d] ≠ b[d]`;
//! - if it does, they agree at each index that is mentioned, `¬e ∨ a[i] = b[i]`, the new ones
//!   included, and at all others. There a symbol has one value everywhere ([`At::Elsewhere`]),
//!   which is no restriction: nothing mentions these indices.
//!
//! Both hold for good, and whatever they mention takes part in every question: a read that is not
//! part of a question can still be constrained through `e`. So comparisons of arrays cost more than
//! others.

use super::TermError;
use super::integers::{At, Encoded, IntEncoder};
use crate::gate;
use crate::lia::{LiaSolver, Linear};
use indexmap::IndexSet;
use pedra_model::lit::Lit;
use pedra_model::term::{Scalar, Sort, TermId, Terms};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The comparisons and indices of all sorts of arrays by integers.
#[derive(Default)]
pub(super) struct Comparisons(FxHashMap<Sort, OfSort>);

#[derive(Default)]
struct OfSort {
    indices: IndexSet<Linear, FxBuildHasher>,
    equalities: Vec<(Lit, TermId, TermId)>,
    known: FxHashMap<(TermId, TermId), Lit>,
}

impl IntEncoder {
    /// Notes that arrays of a sort are read or written at an index.
    pub(super) fn mention(
        &mut self,
        terms: &Terms,
        solver: &mut LiaSolver,
        sort: Sort,
        at: Linear,
    ) -> Result<(), TermError> {
        if !is_by_integers(sort) {
            return Ok(());
        }
        let of_sort = self.comparisons.0.entry(sort).or_default();
        if of_sort.indices.contains(&at) {
            return Ok(());
        }
        self.definitions.keep(&at)?;
        of_sort.indices.insert(at.clone());
        for (equal, a, b) in of_sort.equalities.clone() {
            self.agree(terms, solver, (equal, a, b), At::Index(at.clone()))?;
        }
        Ok(())
    }

    /// The literal of `a = b`, both of which are encoded.
    pub(super) fn compare(
        &mut self,
        terms: &Terms,
        solver: &mut LiaSolver,
        a: TermId,
        b: TermId,
    ) -> Result<Lit, TermError> {
        if a == b {
            return Ok(Lit::TRUE);
        }
        let sort = terms.sort(a);
        if !is_by_integers(sort) {
            let mut all = Vec::new();
            for bit in [0, 1] {
                let at = At::Index(Linear::constant(bit));
                all.push(self.same_element(terms, solver, (a, b), at)?);
            }
            return Ok(gate::and_all(&mut solver.gates(), &all));
        }
        let key = (a.min(b), a.max(b));
        let of_sort = self.comparisons.0.entry(sort).or_default();
        if let Some(&equal) = of_sort.known.get(&key) {
            return Ok(equal);
        }
        let equal = solver.new_lit();
        let indices: Vec<Linear> = of_sort.indices.iter().cloned().collect();
        of_sort.equalities.push((equal, a, b));
        self.agree(terms, solver, (equal, a, b), At::Elsewhere)?;
        for at in indices {
            self.agree(terms, solver, (equal, a, b), At::Index(at))?;
        }
        let witness = Linear::var(solver.new_int());
        self.mention(terms, solver, sort, witness.clone())?;
        let same = self.same_element(terms, solver, (a, b), At::Index(witness))?;
        solver.add_clause(&[equal, !same]);
        self.comparisons.0.entry(sort).or_default().known.insert(key, equal);
        Ok(equal)
    }

    /// `¬equal ∨ a[at] = b[at]`
    fn agree(
        &mut self,
        terms: &Terms,
        solver: &mut LiaSolver,
        (equal, a, b): (Lit, TermId, TermId),
        at: At,
    ) -> Result<(), TermError> {
        let same = self.same_element(terms, solver, (a, b), at)?;
        solver.add_clause(&[!equal, same]);
        Ok(())
    }

    /// `a[at] = b[at]`
    fn same_element(
        &mut self,
        terms: &Terms,
        solver: &mut LiaSolver,
        (a, b): (TermId, TermId),
        at: At,
    ) -> Result<Lit, TermError> {
        let left = self.read(terms, solver, a, at.clone())?;
        Ok(match (left, self.read(terms, solver, b, at)?) {
            (Encoded::Lit(a), Encoded::Lit(b)) => !gate::xor(&mut solver.gates(), a, b),
            (Encoded::Linear(a), Encoded::Linear(b)) => solver.eq_zero(&a.minus(&b)),
            _ => unreachable!("elements of one sort"),
        })
    }
}

fn is_by_integers(sort: Sort) -> bool {
    matches!(sort, Sort::Array { index: Scalar::Int, .. })
}
