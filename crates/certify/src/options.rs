//! What a check may use and spend, and what it reports when it fails.

use pedra_model::value::Ternary;
use pedra_solve::{Interrupt, SolverKind};
use std::fmt;

/// Which solvers check, and for how long.
///
/// A check should use a solver other than the one that found the proof: set `solver`
/// to [`SolverKind::other_make`] of it. The default suits our engines, which find proofs with
/// CaDiCaL and our own solver: BatSat decides what it can within a budget of conflicts, and
/// what is left goes to a new CaDiCaL instance that never saw the search.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The solver that is asked first.
    pub solver: SolverKind,
    /// The conflicts that it may spend on one query; `None` for no limit.
    pub limit_conflicts: Option<u64>,
    /// The solver that gets, without limit, the queries on which the first one gave up.
    pub fallback: Option<SolverKind>,
    /// Stops the check from outside.
    pub interrupt: Interrupt,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            solver: SolverKind::Batsat,
            limit_conflicts: Some(20_000),
            fallback: Some(SolverKind::Cadical),
            interrupt: Interrupt::new(),
        }
    }
}

impl CheckOptions {
    /// One solver, without limit and without a second one.
    pub fn with_solver(solver: SolverKind) -> CheckOptions {
        CheckOptions { solver, limit_conflicts: None, fallback: None, ..CheckOptions::default() }
    }
}

/// Why a check ended without an answer. This is never a success.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It was interrupted, or its time was over.
    Interrupted,
    /// The solvers used up their conflicts.
    OutOfBudget,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Interrupted => "the check was interrupted",
            Stop::OutOfBudget => "the check ran out of its budget",
        })
    }
}

/// What a check took on trust, beyond what every check rests on: the evaluators; blasting, and the
/// SAT solvers' word that something is unsatisfiable.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Trust {
    /// Nothing.
    #[default]
    Nothing,
    /// That comparisons mean the same in the normal form of [`pedra_model::affine`]: it was seen at
    /// many points, but proving it would have taken too long.
    NormalForms,
    /// That terms over integers mean the same as the clauses and inequalities that they were made
    /// into; the refutations of these were checked.
    IntegerTerms,
}

impl Trust {
    /// In words; nothing if there is nothing.
    pub fn text(self) -> Option<&'static str> {
        match self {
            Trust::Nothing => None,
            Trust::NormalForms => Some("normal forms"),
            Trust::IntegerTerms => Some("encoding of integers"),
        }
    }
}

/// The work that a check took.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// The queries that were asked.
    pub queries: u64,
    /// Those that the first solver left to the second.
    pub fallback_queries: u64,
    /// The conflicts of all solvers.
    pub conflicts: u64,
}

impl Effort {
    /// Adds the work of another part of the check.
    pub(crate) fn add(&mut self, other: Effort) {
        self.queries += other.queries;
        self.fallback_queries += other.fallback_queries;
        self.conflicts += other.conflicts;
    }
}

/// One state, with the inputs that it sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateValues {
    /// The latches, in their order.
    pub latches: Vec<Ternary>,
    /// The inputs, in their order.
    pub inputs: Vec<Ternary>,
}

/// Successive states that refute a claim; what does not matter is unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// The states, in their order.
    pub steps: Vec<StateValues>,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A message is no place for thousands of bits.
        const SHOWN: usize = 64;
        let digits = |values: &[Ternary]| {
            let shown: String = values.iter().take(SHOWN).map(|v| v.to_char()).collect();
            if values.len() > SHOWN { shown + "…" } else { shown }
        };
        for (i, step) in self.steps.iter().enumerate() {
            let arrow = if i > 0 { " → " } else { "" };
            write!(f, "{arrow}[{}|{}]", digits(&step.latches), digits(&step.inputs))?;
        }
        Ok(())
    }
}
