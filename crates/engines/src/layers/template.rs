//! One time step as a list of clauses, to be copied for each step of an unrolling.

use crate::pdr::{Definitions, Horizon, Transition, simplify_relation};
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_solve::{Interrupt, SatSolver};

/// The clauses of one step. Variables are numbered as in PDR's solvers.
pub(crate) struct Template {
    /// What the variables stand for.
    pub(crate) transition: Transition,
    clauses: Definitions,
}

impl Template {
    /// The step of a system.
    pub(crate) fn new(system: &BitSystem) -> Template {
        let mut clauses = Definitions::new();
        let transition = Transition::encode(system, Horizon::OneStep, &mut clauses);
        Template { transition, clauses }
    }

    /// The same with fewer gates, which PDR does for its own solvers, too. Gates that are gone
    /// were functions of the others, so paths are the same.
    pub(crate) fn simplified(system: &BitSystem, interrupt: &Interrupt) -> Template {
        let mut template = Template::new(system);
        simplify_relation(&mut template.clauses, &mut template.transition, interrupt);
        template
    }

    /// How many variables a step has, the constant not counted.
    pub(crate) fn num_vars(&self) -> usize {
        self.clauses.num_vars() - 1
    }

    /// The clauses.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = &[Lit]> {
        (0..self.clauses.len() as u32).map(|number| self.clauses.clause(number))
    }
}
