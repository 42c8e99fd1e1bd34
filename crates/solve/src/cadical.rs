//! CaDiCaL (Biere, Fleury, Froleyks, Heule and others) as a back end: for large single
//! questions, and as the solver of another make that checks answers.
//!
//! Bindings: `cadical-sys`, which vendors CaDiCaL 3 and needs only a C++ compiler to build.
//! `rustsat-cadical` was the other candidate; it is on CaDiCaL 2, needs libclang to generate
//! its bindings, and its wrapper reads the process clock and collects the core on every
//! question whether or not the caller wants it.
//!
//! Literals: our variable `v` is DIMACS variable `v + 1`. The constant is DIMACS variable 1,
//! fixed by a unit clause, so constants need no special case anywhere.
//!
//! Bounded variable addition (`factor`) stays off: its new variables would take the numbers
//! that we hand out.
//!
//! Interrupts: CaDiCaL asks its terminator often during search and inprocessing, but not within
//! its linear passes over all clauses (garbage collection, connecting watches). Measured on
//! random circuits with a hard core, CPU time from raising the token to the answer, worst of 14
//! moments: 60 ms with 30,000 gates (130,000 clauses), 330 ms with 300,000 gates. A smaller
//! `terminateint` does not change that.

use crate::interrupt::Interrupt;
use crate::sat::{Budget, SatResult, SatSolver, SatStats};
use cadical_sys::{CaDiCal, ProofTracer, Status, Terminator};
use pedra_model::lit::{Lit, Var};
use std::cell::RefCell;

/// CaDiCaL's own sets of options.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// What CaDiCaL does by itself.
    #[default]
    Default,
    /// For questions that are expected to be satisfiable.
    Sat,
    /// For questions that are expected to be unsatisfiable.
    Unsat,
    /// Without preprocessing and inprocessing.
    Plain,
}

impl Preset {
    fn name(self) -> &'static str {
        match self {
            Preset::Default => "default",
            Preset::Sat => "sat",
            Preset::Unsat => "unsat",
            Preset::Plain => "plain",
        }
    }
}

/// How to set up CaDiCaL.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CadicalConfig {
    /// The set of options to start from.
    pub preset: Preset,
    /// The seed of its random choices.
    pub seed: u32,
    /// Whether CaDiCaL checks itself: each learned clause by a DRAT and an LRAT checker, each
    /// model on the original clauses, each core by a second solver. This is several times
    /// slower. A failed check is a bug in CaDiCaL: it prints to standard error and aborts the
    /// process, there is no softer way in its interface.
    pub checked: bool,
}

impl CadicalConfig {
    /// The plain default with a preset.
    pub fn preset(preset: Preset) -> CadicalConfig {
        CadicalConfig { preset, ..CadicalConfig::default() }
    }

    /// The default options with all internal checks on.
    pub fn checked() -> CadicalConfig {
        CadicalConfig { checked: true, ..CadicalConfig::default() }
    }
}

/// A CaDiCaL instance.
pub struct Cadical {
    /// In a cell because CaDiCaL completes a model (for variables that it eliminated) when the
    /// first value is read, so that even reading changes it.
    solver: RefCell<CaDiCal>,
    num_vars: usize,
    /// The answer whose model or core is still valid.
    answer: Option<SatResult>,
    /// The number of variables when that answer was given: younger ones have no value in it.
    num_vars_answered: usize,
    budget: Option<Budget>,
    interrupt: Interrupt,
    queries: u64,
}

// SAFETY: `CaDiCal` is not `Send` only because it holds pointers: to the C++ solver that it
// owns alone, and to callbacks. The C++ solver keeps no thread-local and no mutable global
// state. The callbacks that we connect, `StopWhenRaised` and tracers, are `Send`. The solver is
// private to this struct and never shared, and the struct is not `Sync`.
#[allow(unsafe_code)]
unsafe impl Send for Cadical {}

struct StopWhenRaised(Interrupt);

impl Terminator for StopWhenRaised {
    fn terminated(&mut self) -> bool {
        self.0.poll()
    }
}

impl Cadical {
    /// A solver without clauses and with the constant as its only variable.
    pub fn new(config: CadicalConfig) -> Cadical {
        Cadical::with_setup(config, |_| ())
    }

    /// The same with a tracer that hears of every clause and its antecedents.
    pub(crate) fn traced(config: CadicalConfig, tracer: impl ProofTracer + Send + 'static) -> Self {
        Cadical::with_setup(config, |solver| solver.connect_proof_tracer1(tracer, true, false))
    }

    /// `setup` is called before the first clause.
    fn with_setup(config: CadicalConfig, setup: impl FnOnce(&mut CaDiCal)) -> Cadical {
        // 2e9 is CaDiCaL's own limit on seeds.
        let seed = (config.seed % 2_000_000_000) as i32;
        let mut solver = CaDiCal::new();
        // This also undoes options from `CADICAL_*` environment variables: one seed, one path.
        solver.configure("default");
        let mut accepted = solver.configure(config.preset.name());
        for (name, value) in [
            ("quiet", 1),
            ("factor", 0),
            ("seed", seed),
            ("check", config.checked as i32),
            // Both the DRAT and the LRAT checker.
            ("checkproof", 3),
        ] {
            // `quiet` does not exist in a build without messages, which is as quiet.
            accepted &= solver.set(name, value) || name == "quiet";
        }
        assert!(accepted, "this CaDiCaL lacks an option that we set");
        setup(&mut solver);
        solver.clause1(dimacs(Lit::TRUE));
        Cadical {
            solver: RefCell::new(solver),
            num_vars: 1,
            answer: None,
            num_vars_answered: 0,
            budget: None,
            interrupt: Interrupt::new(),
            queries: 0,
        }
    }

    /// Tells the tracer which clause made the last query unsatisfiable.
    pub(crate) fn conclude(&mut self) {
        self.solver.get_mut().conclude();
    }

    fn is_known(&self, lit: Lit) -> bool {
        lit.var().index() < self.num_vars
    }
}

impl Default for Cadical {
    fn default() -> Cadical {
        Cadical::new(CadicalConfig::default())
    }
}

/// The literal as CaDiCaL writes it: `±(v + 1)`.
#[inline]
fn dimacs(lit: Lit) -> i32 {
    // At most 2^31 - 1, see `Var::MAX_INDEX`.
    let number = lit.var().index() as i32 + 1;
    if lit.is_negated() { -number } else { number }
}

/// The literal that CaDiCaL writes so.
#[inline]
pub(crate) fn lit_of_dimacs(number: i32) -> Lit {
    Lit::new(Var::new(number.unsigned_abs() as usize - 1), number < 0)
}

impl SatSolver for Cadical {
    fn name(&self) -> &'static str {
        "cadical"
    }

    fn new_var(&mut self) -> Var {
        // CaDiCaL learns of a variable when it first sees a literal of it.
        let var = Var::new(self.num_vars);
        self.num_vars += 1;
        var
    }

    fn num_vars(&self) -> usize {
        self.num_vars
    }

    fn reserve_vars(&mut self, up_to: Var) {
        self.num_vars = self.num_vars.max(up_to.index() + 1);
    }

    fn add_clause(&mut self, lits: &[Lit]) {
        self.answer = None;
        let solver = self.solver.get_mut();
        for &lit in lits {
            debug_assert!(lit.var().index() < self.num_vars, "{lit:?} is not in use");
            solver.add(dimacs(lit));
        }
        solver.add(0);
    }

    fn solve(&mut self, assumptions: &[Lit]) -> SatResult {
        self.queries += 1;
        self.answer = None;
        if self.interrupt.poll() {
            return SatResult::Unknown;
        }
        debug_assert!(assumptions.iter().all(|&lit| self.is_known(lit)), "variable not in use");
        let solver = self.solver.get_mut();
        if let Some(budget) = self.budget {
            // CaDiCaL forgets limits after each question.
            let limit = i32::try_from(budget.limit_conflicts).unwrap_or(i32::MAX);
            let accepted = solver.limit("conflicts", limit);
            debug_assert!(accepted, "CaDiCaL knows a limit on conflicts");
        }
        for &lit in assumptions {
            solver.assume(dimacs(lit));
        }
        let result = match solver.solve() {
            Status::SATISFIABLE => SatResult::Sat,
            Status::UNSATISFIABLE => SatResult::Unsat,
            Status::UNKNOWN => SatResult::Unknown,
        };
        self.answer = Some(result);
        self.num_vars_answered = self.num_vars;
        result
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        if self.answer != Some(SatResult::Sat) || lit.var().index() >= self.num_vars_answered {
            return None;
        }
        let number = dimacs(lit);
        // Positive if `number` is true; CaDiCaL gives every variable a value.
        Some(self.solver.borrow_mut().val(number) == number)
    }

    fn is_failed(&self, lit: Lit) -> bool {
        self.answer == Some(SatResult::Unsat) && self.solver.borrow_mut().failed(dimacs(lit))
    }

    fn set_budget(&mut self, budget: Option<Budget>) {
        self.budget = budget;
    }

    fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.solver.get_mut().connect_terminator(StopWhenRaised(interrupt.clone()));
        self.interrupt = interrupt;
    }

    fn stats(&self) -> SatStats {
        let solver = self.solver.borrow();
        let count = |name| u64::try_from(solver.get_statistic_value(name)).unwrap_or(0);
        SatStats {
            queries: self.queries,
            conflicts: count("conflicts"),
            decisions: count("decisions"),
            propagations: count("propagations"),
        }
    }
}
