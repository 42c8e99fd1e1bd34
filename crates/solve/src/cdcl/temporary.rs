//! Clauses for one query, such as `¬c` in PDR's `F ∧ ¬c ∧ T ∧ c'`.
//!
//! There is one activation variable `act` for the life of the solver. A temporary clause `t`
//! becomes `t ∨ ¬act`, and `act` is the first assumption. Whatever is learnt from it contains
//! `¬act`, for a decision is never resolved away. When the query is over, all clauses with
//! `¬act` are physically removed, so nothing accumulates over millions of queries.
//!
//! Only `¬act` occurs in clauses. So `act` is never implied, and if `¬act` gets fixed (the
//! temporary clauses contradict the others), nothing follows from it; the value is simply
//! taken back when the query ends. No other fixed literal rests on a temporary clause.
//!
//! Constants never get beyond the interface, so their variable is free for this: `act` is
//! variable 0, and users' numbers are not disturbed.

use super::{ACTIVATION, Cdcl};
use crate::sat::{SatResult, SatSolver};
use pedra_model::lit::Lit;

impl Cdcl {
    /// Is `F ∧ ⋀ temporary ∧ ⋀ assumptions` satisfiable? Like
    /// [`solve`](crate::SatSolver::solve), with clauses that hold for this query only.
    ///
    /// After `Unsat`, `F ∧ ⋀ temporary ∧ ⋀ core` is unsatisfiable; the core consists of
    /// assumptions alone.
    pub fn solve_with(&mut self, assumptions: &[Lit], temporary: &[&[Lit]]) -> SatResult {
        self.solve_in(assumptions, temporary, &mut ())
    }

    /// Adds a clause that ends with the query. The solver is at level 0.
    pub(super) fn add_temporary(&mut self, lits: &[Lit]) {
        debug_assert!(lits.iter().all(|lit| lit.var().index() < self.num_vars()));
        if !self.normalise(lits) {
            return;
        }
        self.enter_domain_of_buffer();
        // It stands last, so that it is watched only if it must be.
        self.buffer.push(!ACTIVATION.lit());
        if !self.strengthen_buffer() {
            return;
        }
        let buffer = std::mem::take(&mut self.buffer);
        match *buffer {
            [] => unreachable!("the guard has no value, or is true"),
            [guard] => self.fix(guard),
            [a, b] => self.attach_binary(a, b),
            _ => {
                let clause = self.attach(&buffer, false);
                self.database.temporaries.push(clause);
            }
        }
        self.buffer = buffer;
    }

    fn enter_domain_of_buffer(&mut self) {
        for place in 0..self.buffer.len() {
            self.domain.add_query(self.buffer[place].var(), &mut self.trail);
        }
    }

    /// Removes the temporary clauses and all that was learnt from them. The solver is at
    /// level 0.
    pub(super) fn remove_temporaries(&mut self) {
        let guard = !ACTIVATION.lit();
        if self.trail.unfix(ACTIVATION) {
            self.proof.deleted(&[guard]);
        }
        while let Some(clause) =
            self.database.temporaries.pop().or_else(|| self.database.temporary_learnts.pop())
        {
            self.detach(clause);
        }
        self.detach_binaries(guard);
    }
}
