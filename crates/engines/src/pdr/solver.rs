//! The solvers of the frames: the one file of PDR that knows which solver is used.
//!
//! [`FrameSolver::Own`] is Pedra's own solver, which knows definitions, confines a query to its
//! cone and removes temporary clauses. [`FrameSolver::Guarded`] is any other: a temporary clause
//! gets a fresh activation literal, which is fixed to false afterwards. Such literals accumulate,
//! so these solvers are rebuilt from time to time.

use super::definitions::Definitions;
use super::options::PdrOptions;
use super::simplify::simplify_relation;
use super::transition::{Horizon, Transition};
use crate::context::Context;
use crate::events::Direction;
use pedra_model::bits::BitSystem;
use pedra_model::lit::{Lit, Var};
use pedra_model::random::Random;
use pedra_solve::cadical::Preset;
use pedra_solve::{Budget, Cdcl, Interrupt, SatResult, SatSolver, SatStats, SolverKind};

/// After this many activation literals a solver is rebuilt (ABC: 300).
const MAX_GUARDS: u32 = 1000;

/// What another solver takes for a variable and its clauses: about what our own does.
const GUESSED_BYTES: usize = 200;

/// The interrupt was raised in the middle of a query. What was in progress can be begun again.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// A solver that holds the definitions, and further clauses.
pub(super) enum FrameSolver {
    /// Our own solver.
    Own {
        /// The solver.
        solver: Box<Cdcl>,
        /// What it had done when it was copied from another.
        inherited: SatStats,
    },
    /// Any solver, with activation literals.
    Guarded {
        /// The solver.
        solver: Box<dyn SatSolver>,
        /// The activation literal of the last query, if it had one.
        guard: Option<Lit>,
        /// How many activation literals there were.
        guards: u32,
    },
}

/// Makes solvers that hold the definitions.
pub(super) struct SolverMaker {
    kind: SolverKind,
    definitions: Definitions,
    /// A solver with the definitions, to be cloned.
    own: Option<Cdcl>,
}

impl SolverMaker {
    /// A maker of solvers of this kind, and the relation that they hold. A seed other than 0
    /// gives random first phases.
    ///
    /// # Errors
    /// If the interrupt is raised meanwhile.
    pub(super) fn new(
        options: &PdrOptions,
        system: &BitSystem,
        direction: Direction,
        context: &Context,
    ) -> Result<(SolverMaker, Transition), Stopped> {
        let mut definitions = Definitions::new();
        let horizon = match direction {
            Direction::Forward if options.signals => Horizon::Signals,
            Direction::Forward => Horizon::OneStep,
            Direction::Backward => Horizon::TwoSteps,
        };
        let interrupt = &context.interrupt;
        let mut transition =
            Transition::encode_until(system, horizon, &mut definitions, interrupt)?;
        if options.simplify {
            simplify_relation(&mut definitions, &mut transition, interrupt);
        }
        let mut own = None;
        if options.solver == SolverKind::Cdcl {
            let own = own.insert(Cdcl::new());
            definitions.load_until(&mut own.definer(), interrupt)?;
            if context.seed != 0 {
                let mut random = Random::new(context.seed);
                own.set_phases(|_| random.below(2) == 1);
            }
            // From now on copies of the solver do.
            definitions = Definitions::new();
        }
        Ok((SolverMaker { kind: options.solver, definitions, own }, transition))
    }

    /// A solver with the definitions and nothing else.
    pub(super) fn make(&self, context: &Context) -> FrameSolver {
        match &self.own {
            Some(own) => {
                let mut solver = own.clone();
                solver.set_interrupt(context.interrupt.clone());
                FrameSolver::own(solver)
            }
            None => {
                let context = Context { solver: self.kind, ..context.clone() };
                let mut solver = context.new_solver(Preset::Plain);
                self.definitions.load(&mut *solver);
                FrameSolver::Guarded { solver, guard: None, guards: 0 }
            }
        }
    }
}

impl FrameSolver {
    fn own(solver: Cdcl) -> FrameSolver {
        FrameSolver::Own { inherited: solver.stats(), solver: Box::new(solver) }
    }

    fn solver(&self) -> &dyn SatSolver {
        match self {
            FrameSolver::Own { solver, .. } => &**solver,
            FrameSolver::Guarded { solver, .. } => &**solver,
        }
    }

    fn solver_mut(&mut self) -> &mut dyn SatSolver {
        match self {
            FrameSolver::Own { solver, .. } => &mut **solver,
            FrameSolver::Guarded { solver, .. } => &mut **solver,
        }
    }

    /// A copy, if this kind of solver can be copied.
    pub(super) fn try_clone(&self) -> Option<FrameSolver> {
        match self {
            FrameSolver::Own { solver, .. } => Some(FrameSolver::own(Cdcl::clone(solver))),
            FrameSolver::Guarded { .. } => None,
        }
    }

    /// Adds a clause permanently.
    pub(super) fn add_clause(&mut self, lits: &[Lit]) {
        self.solver_mut().add_clause(lits);
    }

    /// Are the clauses satisfiable with the assumptions, and with a clause that holds for this
    /// query only?
    pub(super) fn solve(
        &mut self,
        assumptions: &[Lit],
        temporary: Option<&[Lit]>,
    ) -> Result<bool, Stopped> {
        let answer = match self {
            FrameSolver::Own { solver, .. } => match temporary {
                Some(clause) => solver.solve_with(assumptions, &[clause]),
                None => solver.solve_with(assumptions, &[]),
            },
            FrameSolver::Guarded { solver, guard, guards } => {
                if let Some(old) = guard.take() {
                    solver.add_clause(&[!old]);
                }
                match temporary {
                    Some(clause) => {
                        let new = solver.new_var().lit();
                        (*guard, *guards) = (Some(new), *guards + 1);
                        solver.add_clause(&[clause, &[!new]].concat());
                        solver.solve(&[&[new], assumptions].concat())
                    }
                    None => solver.solve(assumptions),
                }
            }
        };
        match answer {
            SatResult::Sat => Ok(true),
            SatResult::Unsat => Ok(false),
            SatResult::Unknown => Err(Stopped),
        }
    }

    /// The same with at most `limit` conflicts (0: any number). `None` if these did not do.
    pub(super) fn solve_within(
        &mut self,
        limit: u64,
        assumptions: &[Lit],
        temporary: Option<&[Lit]>,
    ) -> Result<Option<bool>, Stopped> {
        if limit == 0 {
            return self.solve(assumptions, temporary).map(Some);
        }
        let before = self.solver().stats().conflicts;
        self.solver_mut().set_budget(Some(Budget::conflicts(limit)));
        let answer = self.solve(assumptions, temporary);
        self.solver_mut().set_budget(None);
        let spent = self.solver().stats().conflicts - before;
        match answer {
            Err(Stopped) if spent >= limit => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// Makes the next models different ones, if it is our own solver.
    pub(super) fn scatter(&mut self, random: &mut Random) {
        if let FrameSolver::Own { solver, .. } = self {
            solver.set_phases(|_| random.below(2) == 1);
        }
    }

    /// The value of a literal in the last model; `None` if it does not matter.
    #[inline]
    pub(super) fn value(&self, lit: Lit) -> Option<bool> {
        match self {
            FrameSolver::Own { solver, .. } => solver.value(lit),
            FrameSolver::Guarded { solver, .. } => solver.value(lit),
        }
    }

    /// Whether the last contradiction rests on this assumption.
    #[inline]
    pub(super) fn is_failed(&self, lit: Lit) -> bool {
        match self {
            FrameSolver::Own { solver, .. } => solver.is_failed(lit),
            FrameSolver::Guarded { solver, .. } => solver.is_failed(lit),
        }
    }

    /// Fixes the domain of the next queries to the cone of these literals (and lemmas).
    pub(super) fn pin(&mut self, lits: &[Lit]) {
        if let FrameSolver::Own { solver, .. } = self {
            solver.pin_domain(lits);
        }
    }

    /// Ends [`pin`](FrameSolver::pin).
    pub(super) fn unpin(&mut self) {
        if let FrameSolver::Own { solver, .. } = self {
            solver.unpin_domain();
        }
    }

    /// Whether the variable can matter in the pinned domain.
    #[inline]
    pub(super) fn is_in_domain(&self, var: Var) -> bool {
        match self {
            FrameSolver::Own { solver, .. } => solver.is_in_domain(var),
            FrameSolver::Guarded { .. } => true,
        }
    }

    /// Whether the solver should be rebuilt.
    pub(super) fn is_worn(&self) -> bool {
        matches!(self, FrameSolver::Guarded { guards, .. } if *guards >= MAX_GUARDS)
    }

    /// The memory that a copy takes, as far as that is known.
    pub(super) fn bytes(&self) -> usize {
        match self {
            FrameSolver::Own { solver, .. } => solver.bytes(),
            FrameSolver::Guarded { solver, .. } => solver.num_vars() * GUESSED_BYTES,
        }
    }

    /// Sets the token that stops queries.
    pub(super) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.solver_mut().set_interrupt(interrupt.clone());
    }

    /// What was done so far.
    pub(super) fn stats(&self) -> SatStats {
        let mut stats = self.solver().stats();
        if let FrameSolver::Own { inherited, .. } = self {
            stats.queries -= inherited.queries;
            stats.conflicts -= inherited.conflicts;
            stats.propagations -= inherited.propagations;
        }
        stats
    }
}
