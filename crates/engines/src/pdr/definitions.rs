//! The transition relation as clauses, before any solver has it.
//!
//! Each clause belongs to the definition of its largest variable, and each defined variable is a
//! function of smaller ones, see the head of `transition`. All solvers of a search are filled from
//! here, so that the clauses are simplified only once.

use super::encode::LOOK_EVERY;
use super::solver::Stopped;
use pedra_model::lit::{Lit, Var};
use pedra_solve::{Budget, Interrupt, SatResult, SatSolver, SatStats};

/// The place of a clause.
#[derive(Copy, Clone)]
pub(super) struct Span {
    start: u32,
    len: u32,
}

/// Clauses, in the order in which they came.
///
/// Encoders take it for a solver; it answers no query.
#[derive(Clone, Default)]
pub(crate) struct Definitions {
    num_vars: usize,
    lits: Vec<Lit>,
    clauses: Vec<Span>,
}

impl Definitions {
    /// No clauses, and the constant as the only variable.
    pub(crate) fn new() -> Definitions {
        Definitions { num_vars: 1, ..Definitions::default() }
    }

    /// The number of clauses.
    pub(crate) fn len(&self) -> usize {
        self.clauses.len()
    }

    /// The literals of a clause.
    #[inline]
    pub(crate) fn clause(&self, number: u32) -> &[Lit] {
        let Span { start, len } = self.clauses[number as usize];
        &self.lits[start as usize..(start + len) as usize]
    }

    /// Adds a clause; gives its number.
    pub(super) fn push(&mut self, lits: &[Lit]) -> u32 {
        let span = Span { start: self.lits.len() as u32, len: lits.len() as u32 };
        self.lits.extend_from_slice(lits);
        assert!(self.lits.len() < 1 << 31, "the transition relation takes more than 8 GB");
        self.clauses.push(span);
        self.clauses.len() as u32 - 1
    }

    /// The same clauses for a solver without variables.
    pub(super) fn load(&self, solver: &mut (impl SatSolver + ?Sized)) {
        let loaded = self.load_until(solver, &Interrupt::new());
        debug_assert!(loaded.is_ok(), "nobody raises it");
    }

    /// The same, unless the interrupt is raised meanwhile; then the solver is of no use.
    pub(super) fn load_until(
        &self,
        solver: &mut (impl SatSolver + ?Sized),
        interrupt: &Interrupt,
    ) -> Result<(), Stopped> {
        solver.reserve_vars(Var::new(self.num_vars - 1));
        for number in 0..self.clauses.len() as u32 {
            if number.is_multiple_of(LOOK_EVERY as u32) && interrupt.poll() {
                return Err(Stopped);
            }
            solver.add_clause(self.clause(number));
        }
        Ok(())
    }
}

impl SatSolver for Definitions {
    fn name(&self) -> &'static str {
        "definitions"
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
        self.push(lits);
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
