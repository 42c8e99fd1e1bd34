//! Circuits as definitions, through the encoders that know nothing of definitions.

use super::Cdcl;
use crate::interrupt::Interrupt;
use crate::sat::{Budget, SatResult, SatSolver, SatStats};
use pedra_model::lit::{Lit, Var};

/// A view of a [`Cdcl`] in which each added clause is part of the definition of its largest
/// variable.
///
/// This is what [`gate`](crate::gate) and [`FrameEncoder`](crate::FrameEncoder) add: the output
/// of a gate is a new variable, and all clauses of the gate contain it.
pub struct Definer<'a>(&'a mut Cdcl);

impl Cdcl {
    /// The view for encoders: what they add through it are definitions.
    pub fn definer(&mut self) -> Definer<'_> {
        Definer(self)
    }
}

impl SatSolver for Definer<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn new_var(&mut self) -> Var {
        self.0.new_var()
    }

    fn num_vars(&self) -> usize {
        self.0.num_vars()
    }

    fn reserve_vars(&mut self, up_to: Var) {
        self.0.reserve_vars(up_to);
    }

    fn add_clause(&mut self, lits: &[Lit]) {
        self.0.add_definition_clause(lits);
    }

    fn solve(&mut self, assumptions: &[Lit]) -> SatResult {
        self.0.solve(assumptions)
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        self.0.value(lit)
    }

    fn is_failed(&self, lit: Lit) -> bool {
        self.0.is_failed(lit)
    }

    fn set_budget(&mut self, budget: Option<Budget>) {
        self.0.set_budget(budget);
    }

    fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.0.set_interrupt(interrupt);
    }

    fn stats(&self) -> SatStats {
        self.0.stats()
    }
}
