//! BatSat (Cruanes, Hara), a descendant of MiniSat in pure Rust, as a back end: a second make,
//! so that what one solver answered can be checked by another that shares no code with it.
//!
//! BatSat has no limits of its own that can be set from outside; budget and interrupt both go
//! through the `stop` callback, which it asks once a decision. Its literals are coded like
//! ours (twice the variable, plus one if negated), so variables map to themselves.

use crate::interrupt::Interrupt;
use crate::sat::{Budget, SatResult, SatSolver, SatStats};
use ::batsat as bat;
use bat::{ClauseKind, SolverInterface, lbool};
use pedra_model::lit::{Lit, Var};
use std::cell::Cell;

/// A BatSat instance.
pub struct Batsat {
    solver: bat::Solver<Limits>,
    /// The answer whose model or core is still valid.
    answer: Option<SatResult>,
    /// Literals on their way to the solver; kept to save allocations.
    buffer: Vec<bat::Lit>,
    queries: u64,
}

/// What BatSat asks while it runs.
struct Limits {
    interrupt: Interrupt,
    limit_conflicts: Option<u64>,
    /// Conflicts of the current question.
    conflicts: u64,
    /// Calls of `stop`, to look at the interrupt only now and then.
    calls: Cell<u32>,
    /// Whether `stop` has said yes to the current question. It must then go on saying so:
    /// BatSat asks again on its way out, and would restart on a no.
    stopped: Cell<bool>,
}

impl bat::Callbacks for Limits {
    fn on_start(&mut self) {
        self.conflicts = 0;
        self.stopped.set(false);
    }

    fn on_new_clause(&mut self, _lits: &[bat::Lit], kind: ClauseKind) {
        // One clause is learned for each conflict.
        self.conflicts += (kind == ClauseKind::Learnt) as u64;
    }

    fn stop(&self) -> bool {
        /// Decisions take from below a microsecond to some tens; this keeps the clock out of
        /// the profile and the delay below a millisecond or so.
        const CALLS_PER_LOOK: u32 = 32;
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if self.limit_conflicts.is_some_and(|limit| self.conflicts >= limit)
            || (calls.is_multiple_of(CALLS_PER_LOOK) && self.interrupt.poll())
        {
            self.stopped.set(true);
        }
        self.stopped.get()
    }
}

impl Batsat {
    /// A solver without clauses and with the constant as its only variable.
    pub fn new() -> Batsat {
        let limits = Limits {
            interrupt: Interrupt::new(),
            limit_conflicts: None,
            conflicts: 0,
            calls: Cell::new(0),
            stopped: Cell::new(false),
        };
        let solver = bat::Solver::new(bat::SolverOpts::default(), limits);
        let mut solver = Batsat { solver, answer: None, buffer: Vec::new(), queries: 0 };
        let constant = solver.new_var();
        debug_assert_eq!(constant, Var::CONST);
        solver.add_clause(&[Lit::TRUE]);
        solver
    }

    fn load(&mut self, lits: &[Lit]) {
        debug_assert!(
            lits.iter().all(|lit| lit.var().index() < self.num_vars()),
            "a variable of {lits:?} is not in use"
        );
        self.buffer.clear();
        self.buffer.extend(lits.iter().copied().map(bat_lit));
    }
}

impl Default for Batsat {
    fn default() -> Batsat {
        Batsat::new()
    }
}

#[inline]
fn bat_lit(lit: Lit) -> bat::Lit {
    bat::Lit::new(bat::Var::unsafe_from_idx(lit.var().index() as u32), !lit.is_negated())
}

impl SatSolver for Batsat {
    fn name(&self) -> &'static str {
        "batsat"
    }

    fn new_var(&mut self) -> Var {
        Var::new(self.solver.new_var_default().idx() as usize)
    }

    fn num_vars(&self) -> usize {
        self.solver.num_vars() as usize
    }

    fn reserve_vars(&mut self, up_to: Var) {
        while self.num_vars() <= up_to.index() {
            self.new_var();
        }
    }

    fn add_clause(&mut self, lits: &[Lit]) {
        self.answer = None;
        self.load(lits);
        // False once the clauses are contradictory, which the next answer will tell.
        self.solver.add_clause_reuse(&mut self.buffer);
    }

    fn solve(&mut self, assumptions: &[Lit]) -> SatResult {
        self.queries += 1;
        self.answer = None;
        if self.solver.cb().interrupt.poll() {
            return SatResult::Unknown;
        }
        self.load(assumptions);
        let verdict = self.solver.solve_limited(&self.buffer);
        let result = if verdict == lbool::TRUE {
            SatResult::Sat
        } else if verdict == lbool::FALSE {
            SatResult::Unsat
        } else {
            SatResult::Unknown
        };
        self.answer = Some(result);
        result
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        if self.answer != Some(SatResult::Sat) {
            return None;
        }
        // The model is as long as there were variables then; younger ones are undefined.
        let value = self.solver.value_lit(bat_lit(lit));
        (value != lbool::UNDEF).then_some(value == lbool::TRUE)
    }

    fn is_failed(&self, lit: Lit) -> bool {
        // Like MiniSat it keeps the final conflict clause: the negations of the core.
        self.answer == Some(SatResult::Unsat) && self.solver.unsat_core_contains_lit(bat_lit(!lit))
    }

    fn set_budget(&mut self, budget: Option<Budget>) {
        self.solver.cb_mut().limit_conflicts = budget.map(|budget| budget.limit_conflicts);
    }

    fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.solver.cb_mut().interrupt = interrupt;
    }

    fn stats(&self) -> SatStats {
        SatStats {
            queries: self.queries,
            conflicts: self.solver.num_conflicts(),
            decisions: self.solver.num_decisions(),
            propagations: self.solver.num_propagations(),
        }
    }
}
