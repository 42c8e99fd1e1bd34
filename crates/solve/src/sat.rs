//! The incremental SAT interface: one question, one answer.
//!
//! A solver holds a set of clauses `F` that only grows. A question is a set of assumptions `A`:
//! is `F ∧ A` satisfiable? The answer is [`Sat`](SatResult::Sat) with a model,
//! [`Unsat`](SatResult::Unsat) with a core (a subset of `A` that is enough for the
//! contradiction), or [`Unknown`](SatResult::Unknown) if the budget ended or the interrupt was
//! raised first. Assumptions last for one question. After `Unknown` the solver remains usable.
//!
//! Models and cores are valid from the answer until the next [`SatSolver::add_clause`] or
//! [`SatSolver::solve`]. New variables leave them valid (and have no value in that model).
//!
//! Variable 0 is the constant, as in circuits: [`Lit::TRUE`] and [`Lit::FALSE`] may stand in
//! clauses and assumptions, and each back end fixes their value when it is created.

use crate::interrupt::Interrupt;
use pedra_model::lit::{Lit, Var};

/// The answer to one question.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum SatResult {
    /// There is a model, see [`SatSolver::value`].
    Sat,
    /// There is none, see [`SatSolver::core`] for the assumptions to blame.
    Unsat,
    /// The budget was used up or the interrupt was raised.
    Unknown,
}

impl SatResult {
    /// Whether the answer is [`SatResult::Sat`].
    pub fn is_sat(self) -> bool {
        self == SatResult::Sat
    }

    /// Whether the answer is [`SatResult::Unsat`].
    pub fn is_unsat(self) -> bool {
        self == SatResult::Unsat
    }

    /// `Some(satisfiable?)`, or `None` if unknown.
    pub fn decided(self) -> Option<bool> {
        match self {
            SatResult::Sat => Some(true),
            SatResult::Unsat => Some(false),
            SatResult::Unknown => None,
        }
    }
}

/// How much work one call of [`SatSolver::solve`] may do.
///
/// A budget is counted in conflicts rather than in seconds, so that a run can be repeated.
/// Back ends may overshoot a little, and end earlier only with a definite answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The number of conflicts after which the answer is [`SatResult::Unknown`].
    pub limit_conflicts: u64,
}

impl Budget {
    /// A budget of this many conflicts.
    pub fn conflicts(limit_conflicts: u64) -> Budget {
        Budget { limit_conflicts }
    }
}

/// What a solver has done since its creation. A back end that does not count something
/// reports zero.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SatStats {
    /// Calls of [`SatSolver::solve`].
    pub queries: u64,
    /// Conflicts met during search.
    pub conflicts: u64,
    /// Decisions taken during search.
    pub decisions: u64,
    /// Literals assigned by propagation.
    pub propagations: u64,
}

impl SatStats {
    /// What two solvers have done together.
    pub fn plus(self, other: SatStats) -> SatStats {
        SatStats {
            queries: self.queries + other.queries,
            conflicts: self.conflicts + other.conflicts,
            decisions: self.decisions + other.decisions,
            propagations: self.propagations + other.propagations,
        }
    }
}

/// An incremental SAT solver with assumptions.
///
/// This trait is all that a new back end implements; `tests/battery.rs` of this crate is the
/// measure of whether it did so rightly.
pub trait SatSolver: Send {
    /// The name of the back end, for reports.
    fn name(&self) -> &'static str;

    /// A variable that was not in use. The first one is 1, then they are consecutive.
    fn new_var(&mut self) -> Var;

    /// The number of variables, the constant included: the next [`new_var`](Self::new_var)
    /// returns the variable with this number.
    fn num_vars(&self) -> usize;

    /// Brings all variables up to and including `up_to` into use.
    fn reserve_vars(&mut self, up_to: Var);

    /// Adds a clause, the disjunction of `lits`, for good. The empty clause makes every later
    /// question unsatisfiable. Repeated and opposite literals are allowed, and so are constants.
    ///
    /// # Panics
    /// May panic (and does so in debug builds) if a variable is not in use.
    fn add_clause(&mut self, lits: &[Lit]);

    /// Is `F ∧ ⋀ assumptions` satisfiable? Assumptions may repeat, contradict each other and be
    /// constant. Answers [`SatResult::Unknown`] at once if the interrupt is already raised.
    ///
    /// # Panics
    /// May panic (and does so in debug builds) if a variable is not in use.
    fn solve(&mut self, assumptions: &[Lit]) -> SatResult;

    /// The value of `lit` in the model of the last answer; `None` if the model does not care,
    /// if the variable is younger than the model, or if there is no model.
    ///
    /// Any completion of the unassigned variables satisfies all clauses and assumptions.
    fn value(&self, lit: Lit) -> Option<bool>;

    /// Whether the last answer was [`SatResult::Unsat`] and rests on the assumption `lit`.
    ///
    /// False for whatever was not assumed. An assumption of [`Lit::FALSE`] can be the core.
    fn is_failed(&self, lit: Lit) -> bool;

    /// The assumptions among `assumptions` on which the last [`SatResult::Unsat`] rests:
    /// `F ∧ ⋀ core` is unsatisfiable. Not necessarily minimal. Empty if `F` itself is
    /// unsatisfiable (or the last answer was another one).
    fn core(&self, assumptions: &[Lit]) -> Vec<Lit> {
        assumptions.iter().copied().filter(|&lit| self.is_failed(lit)).collect()
    }

    /// Limits each later [`solve`](Self::solve); `None` (the initial state) for no limit.
    fn set_budget(&mut self, budget: Option<Budget>);

    /// Sets the token that stops a [`solve`](Self::solve) from elsewhere. Replaces the former
    /// one; a new solver has a token that nobody raises.
    fn set_interrupt(&mut self, interrupt: Interrupt);

    /// What has been done so far.
    fn stats(&self) -> SatStats;
}
