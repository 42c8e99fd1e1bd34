//! Linear integer arithmetic: the incremental solver for programs.
//!
//! A [`LiaSolver`] answers questions about clauses of literals, some of which stand for
//! inequalities over unbounded integers. It has what our SAT solver has: clauses that only grow,
//! assumptions, cores, temporary clauses, budgets, interrupts; and integer models and proofs
//! besides. One technique a file:
//!
//! | file | what | from |
//! |---|---|---|
//! | `int`, `linear` | numbers and expressions; bounds are tightened on the way in | |
//! | `tableau`, `simplex` | integer rows; bounds, pivots, conflicts | Dutertre, de Moura 2006 |
//! | `arith` | atoms as bounds; propagation; the theory for the hook of our solver | DPLL(T) |
//! | `integer` | GCD tests, cuts, splits | Chvátal, Gomory; Dillig and others 2009 |
//! | `diophantine` | equations over the integers | Hermite |
//! | `log` | the record of a proof | |
//! | `define` | variables for `ite`, `div`, `mod` and functions | Ackermann |
//! | `project` | model-based projection | Cooper; Komuravelli and others 2014 |
//! | `interpolate` | a sum that contradicts several conjunctions | Albarghouthi, McMillan 2013 |
//!
//! The design with its measurements is in `docs/design/lia.md`.

mod arith;
mod define;
mod diophantine;
mod int;
mod integer;
mod interpolate;
mod linear;
mod log;
mod project;
mod simplex;
mod tableau;

pub use arith::{LiaLimits, LiaStats};
pub(crate) use define::{Definitions, MAX_LIMBS, MAX_SIZE, TooLarge};
pub use int::Int;
pub use interpolate::{Case, common_weights};
pub use linear::{IntVar, Linear, Terms};
pub use project::{Constraint, project};

use crate::cdcl::{ACTIVATION, Cdcl};
use crate::gate;
use crate::interrupt::Interrupt;
use crate::sat::{Budget, SatResult, SatSolver, SatStats};
use arith::Arith;
use log::Log;
use pedra_model::linear_proof::{LinearProof, LinearStep};
use pedra_model::lit::{Lit, Var};

/// A solver for clauses over literals and linear atoms.
///
/// As in [`SatSolver`], models and cores are valid until the next call that adds something or
/// asks. Clauses are for good; what is made of literals without being asserted (atoms, gates)
/// takes part only in questions that mention it.
pub struct LiaSolver {
    sat: Cdcl,
    arith: Arith,
    /// For each integer variable the Boolean variables that must be known where it is used.
    supports: Vec<Vec<Var>>,
    /// Atoms whose variables' supports are known to the search.
    is_tied: Vec<bool>,
    /// Whether the last question had temporary clauses.
    has_temporaries: bool,
    answer: Option<SatResult>,
}

impl LiaSolver {
    /// A solver without variables and clauses.
    pub fn new() -> LiaSolver {
        LiaSolver {
            sat: Cdcl::new(),
            arith: Arith::new(),
            supports: Vec::new(),
            is_tied: Vec::new(),
            has_temporaries: false,
            answer: None,
        }
    }

    /// The same, with a record from which [`proof`](LiaSolver::proof) is taken.
    pub fn with_proofs() -> LiaSolver {
        let mut solver = LiaSolver::new();
        let log = Log::default();
        solver.sat.set_proof(Some(Box::new(log.clone())));
        solver.arith.log = Some(log);
        solver
    }

    /// A new integer variable: any value.
    pub fn new_int(&mut self) -> IntVar {
        let var = self.arith.new_int();
        self.supports.resize_with(var.index() + 1, Vec::new);
        var
    }

    /// A new literal without any meaning.
    pub fn new_lit(&mut self) -> Lit {
        self.sat.new_var().lit()
    }

    /// The literal of `expression ≤ 0`.
    pub fn le_zero(&mut self, expression: &Linear) -> Lit {
        let next = Var::new(self.sat.num_vars());
        let lit = self.arith.literal(expression, next);
        self.sat.reserve_vars(lit.var());
        self.tie(lit.var(), expression);
        lit
    }

    /// The literal of `expression = 0`: two atoms and a gate, or false if the factors have a
    /// divisor that the constant lacks.
    pub fn eq_zero(&mut self, expression: &Linear) -> Lit {
        let gcd = linear::content(&expression.terms);
        if !gcd.is_zero() && !expression.constant.is_multiple_of(&gcd) {
            return Lit::FALSE;
        }
        let below = self.le_zero(expression);
        let above = self.le_zero(&expression.scale(&Int::from(-1)));
        gate::and(&mut self.sat.definer(), below, above)
    }

    /// Where the atom is used, the supports of its variables must be, too.
    fn tie(&mut self, atom: Var, expression: &Linear) {
        if self.is_tied.len() <= atom.index() {
            self.is_tied.resize(atom.index() + 1, false);
        }
        if std::mem::replace(&mut self.is_tied[atom.index()], true) {
            return;
        }
        for (var, _) in &expression.terms {
            for &support in self.supports.get(var.index()).into_iter().flatten() {
                self.sat.add_dependency(atom, support);
            }
        }
    }

    /// The underlying gates: what is built through this view takes part in questions that
    /// mention it. See [`gate`].
    pub fn gates(&mut self) -> crate::cdcl::Definer<'_> {
        self.sat.definer()
    }

    /// Adds a clause for good.
    pub fn add_clause(&mut self, lits: &[Lit]) {
        self.answer = None;
        self.sat.add_clause(lits);
    }

    /// Adds clauses that say what an integer variable is, given other variables: for every
    /// value of the others there must be one of `var` (of which no clause but these speaks as
    /// yet). They take part only in questions that mention the variable; so do the definitions
    /// of the variables in `with`.
    pub fn define_int(&mut self, var: IntVar, clauses: &[Vec<Lit>], with: &[Linear]) {
        self.answer = None;
        let mut support: Vec<Var> = clauses.iter().flatten().map(|lit| lit.var()).collect();
        for (other, _) in with.iter().flat_map(|linear| &linear.terms) {
            support.extend(&self.supports[other.index()]);
        }
        support.sort_unstable();
        support.dedup();
        support.retain(|&var| var != Var::CONST);
        for clause in clauses {
            self.sat.add_guest_clause(clause);
        }
        // Atoms that mention the variable bring all of its clauses.
        for &atom in &support {
            if !self.arith.mentions(atom, var) {
                continue;
            }
            for &other in support.iter().filter(|&&other| other != atom) {
                self.sat.add_dependency(atom, other);
            }
        }
        self.supports[var.index()] = support;
    }

    /// Is there a model of the clauses and the assumptions?
    pub fn solve(&mut self, assumptions: &[Lit]) -> SatResult {
        self.solve_with(assumptions, &[])
    }

    /// The same, with clauses for this question only.
    pub fn solve_with(&mut self, assumptions: &[Lit], temporary: &[&[Lit]]) -> SatResult {
        self.arith.begin_query();
        let result = self.sat.solve_in(assumptions, temporary, &mut self.arith);
        self.has_temporaries = !temporary.is_empty();
        self.answer = Some(result);
        result
    }

    /// The value of a literal in the model of the last answer; `None` if it does not matter or
    /// there is no model.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        self.sat.value(lit)
    }

    /// The value of an integer variable in the model of the last answer, if that is one and the
    /// variable is not younger.
    pub fn int_value(&self, var: IntVar) -> Option<Int> {
        self.has_model().then(|| self.arith.value(var))
    }

    /// Whether the last answer is `Sat` and still valid.
    pub fn has_model(&self) -> bool {
        self.answer == Some(SatResult::Sat)
    }

    /// Whether the last answer was `Unsat` and rests on this assumption.
    pub fn is_failed(&self, lit: Lit) -> bool {
        self.sat.is_failed(lit)
    }

    /// The assumptions on which the last `Unsat` rests.
    pub fn core(&self) -> &[Lit] {
        self.sat.core_lits()
    }

    /// The proof of the last answer, if that is `Unsat` and there is a record: the clauses given
    /// so far imply that not all literals of the core hold. If the question had temporary
    /// clauses, these are given with the negation of
    /// [`ACTIVATION`], which the claim then contains. There is none if the assumption of false
    /// itself is the core.
    pub fn proof(&self) -> Option<LinearProof> {
        let log = self.arith.log.as_ref()?;
        if self.answer != Some(SatResult::Unsat) {
            return None;
        }
        if self.core() == [Lit::FALSE] {
            return None;
        }
        Some(LinearProof { steps: log.steps(0), claim: self.claim() })
    }

    /// What the last `Unsat` claims: a clause that follows.
    pub fn claim(&self) -> Vec<Lit> {
        let guard = self.has_temporaries.then(|| !ACTIVATION.lit());
        self.core().iter().map(|&lit| !lit).chain(guard).collect()
    }

    /// The steps of the record from a place on, for a check that goes along.
    pub fn proof_steps(&self, from: usize) -> Vec<LinearStep> {
        self.arith.log.as_ref().map_or(Vec::new(), |log| log.steps(from))
    }

    /// Limits each later query to this many conflicts; `None` for no limit.
    pub fn set_budget(&mut self, budget: Option<Budget>) {
        self.sat.set_budget(budget);
    }

    /// Limits the arithmetic of each later question.
    pub fn set_limits(&mut self, limits: LiaLimits) {
        self.arith.limits = limits;
    }

    /// From now on this token stops questions.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.sat.set_interrupt(interrupt.clone());
        self.arith.interrupt = interrupt.clone();
    }

    /// What the search has done so far.
    pub fn stats(&self) -> SatStats {
        self.sat.stats()
    }

    /// What the arithmetic has done so far.
    pub fn lia_stats(&self) -> LiaStats {
        self.arith.stats
    }
}

impl Default for LiaSolver {
    fn default() -> LiaSolver {
        LiaSolver::new()
    }
}
