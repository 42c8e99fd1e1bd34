//! One time step as a list of clauses, to be copied for each step of an unrolling.

use crate::events::Direction;
use crate::pdr::Transition;
use pedra_model::bits::BitSystem;
use pedra_model::lit::{Lit, Var};
use pedra_solve::{Budget, Interrupt, SatResult, SatSolver, SatStats};

/// The clauses of one step. Variables are numbered as in PDR's solvers.
pub(crate) struct Template {
    /// What the variables stand for.
    pub(crate) transition: Transition,
    clauses: ClauseList,
}

impl Template {
    /// The step of a system.
    pub(crate) fn new(system: &BitSystem) -> Template {
        let mut clauses = ClauseList { num_vars: 1, ..ClauseList::default() };
        let transition = Transition::encode(system, Direction::Forward, &mut clauses);
        Template { transition, clauses }
    }

    /// How many variables a step has, the constant not counted.
    pub(crate) fn num_vars(&self) -> usize {
        self.clauses.num_vars - 1
    }

    /// The clauses.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = &[Lit]> {
        let ends = self.clauses.ends.iter();
        let starts = [0].into_iter().chain(ends.clone().copied());
        starts.zip(ends).map(|(start, &end)| &self.clauses.lits[start as usize..end as usize])
    }
}

/// Takes down what encoders add, and answers nothing.
#[derive(Default)]
struct ClauseList {
    num_vars: usize,
    lits: Vec<Lit>,
    ends: Vec<u32>,
}

impl SatSolver for ClauseList {
    fn name(&self) -> &'static str {
        "list"
    }

    fn new_var(&mut self) -> Var {
        self.num_vars += 1;
        Var::new(self.num_vars - 1)
    }

    fn num_vars(&self) -> usize {
        self.num_vars
    }

    fn reserve_vars(&mut self, up_to: Var) {
        self.num_vars = self.num_vars.max(up_to.index() + 1);
    }

    fn add_clause(&mut self, lits: &[Lit]) {
        self.lits.extend_from_slice(lits);
        self.ends.push(u32::try_from(self.lits.len()).expect("a circuit of at most 2^31 gates"));
    }

    fn solve(&mut self, _: &[Lit]) -> SatResult {
        SatResult::Unknown
    }

    fn value(&self, _: Lit) -> Option<bool> {
        None
    }

    fn is_failed(&self, _: Lit) -> bool {
        false
    }

    fn set_budget(&mut self, _: Option<Budget>) {}

    fn set_interrupt(&mut self, _: Interrupt) {}

    fn stats(&self) -> SatStats {
        SatStats::default()
    }
}
