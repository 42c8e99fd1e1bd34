//! Interpolants from proofs.
//!
//! If the parts `A_0, …, A_n` of a formula are together unsatisfiable, then there are formulas
//! `I_1, …, I_n`, an interpolation sequence: `I_j` follows from the parts below `j`, speaks only of
//! variables that parts on both sides of `j` know, `I_j ∧ A_j ⟹ I_{j+1}`, and `I_n` contradicts
//! `A_n`. Every refutation contains such a sequence, and this module reads it off.
//!
//! [`Interpolating`] is CaDiCaL with a record of its reasoning. Clauses are added to the current
//! [part](Interpolating::set_part); everything else is as with any [`SatSolver`]: incremental,
//! under assumptions, with inprocessing. The [`Refutation`] of an unsatisfiable query stays valid
//! while further clauses and queries come, and [`Interpolating::interpolants`] turns it into
//! circuits, see `label` for the rules.
//!
//! One concept a file: `proof` (the record), `tracer` (CaDiCaL writes it), `core` (what a
//! refutation rests on), `label` (formulas).

mod core;
mod label;
mod proof;
mod tracer;

pub use label::System;

use self::core::Core;
use crate::cadical::{Cadical, CadicalConfig};
use crate::interrupt::Interrupt;
use crate::sat::{Budget, SatResult, SatSolver, SatStats};
use label::Labels;
use pedra_model::aig::AigBuilder;
use pedra_model::lit::{Lit, Var};
use proof::{ClauseId, Proof};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};
use tracer::{Tracer, lock};

/// CaDiCaL with a record of its proof.
pub struct Interpolating {
    solver: Cadical,
    proof: Arc<Mutex<Proof>>,
    refutation: Option<Refutation>,
}

/// Why a query was unsatisfiable. Valid for the solver that gave it, as long as that lives.
#[derive(Clone, Debug)]
pub struct Refutation {
    clause: ClauseId,
    /// What was assumed, sorted.
    assumptions: Vec<Lit>,
}

/// How large the proof below a refutation is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct ProofSize {
    /// Clauses that it rests on, given ones included.
    pub clauses: usize,
    /// Resolutions.
    pub resolutions: usize,
}

impl Interpolating {
    /// A solver without clauses; the current part is 0.
    pub fn new(config: CadicalConfig) -> Interpolating {
        let proof = Arc::new(Mutex::new(Proof::default()));
        let solver = Cadical::traced(config, Tracer(Arc::clone(&proof)));
        Interpolating { solver, proof, refutation: None }
    }

    /// Clauses that are added from now on belong to this part.
    pub fn set_part(&mut self, part: usize) {
        lock(&self.proof).part = u32::try_from(part).expect("fewer parts than that");
    }

    /// Why the last query was unsatisfiable.
    pub fn refutation(&self) -> Option<&Refutation> {
        self.refutation.as_ref()
    }

    /// The bytes of the record so far. It only grows.
    pub fn record_bytes(&self) -> usize {
        lock(&self.proof).bytes()
    }

    /// The interpolants of a refutation for the cuts, in order: `I_j` separates the parts below
    /// `j` from the others. They are circuits of `builder`; `leaf` says what stands for a literal
    /// that is shared at a cut. Literals that were assumed are constants.
    ///
    /// # Panics
    /// If the solver's proof is none.
    pub fn interpolants(
        &self,
        refutation: &Refutation,
        cuts: RangeInclusive<usize>,
        system: System,
        builder: &mut AigBuilder,
        leaf: &mut dyn FnMut(usize, Lit) -> Lit,
    ) -> (Vec<Lit>, ProofSize) {
        let proof = lock(&self.proof);
        let core = Core::new(&proof, refutation.clause);
        let size = ProofSize {
            clauses: core.nodes.len(),
            resolutions: core.steps.iter().filter(|step| step.pivot.is_some()).count(),
        };
        let number = |cut: usize| u32::try_from(cut).expect("fewer parts than that");
        let labels = Labels {
            proof: &proof,
            system,
            cuts: number(*cuts.start())..=number(*cuts.end()),
            assumptions: &refutation.assumptions,
            builder,
            leaf: &mut |cut, lit| leaf(cut as usize, lit),
        };
        (labels.of(&core), size)
    }
}

impl SatSolver for Interpolating {
    fn name(&self) -> &'static str {
        "cadical"
    }

    fn new_var(&mut self) -> Var {
        self.solver.new_var()
    }

    fn num_vars(&self) -> usize {
        self.solver.num_vars()
    }

    fn reserve_vars(&mut self, up_to: Var) {
        self.solver.reserve_vars(up_to);
    }

    /// Adds a clause to the current part. Constants are left out, for they would be shared by
    /// all parts.
    fn add_clause(&mut self, lits: &[Lit]) {
        self.refutation = None;
        if lits.contains(&Lit::TRUE) {
            return;
        }
        if !lits.contains(&Lit::FALSE) {
            return self.solver.add_clause(lits);
        }
        let lits: Vec<Lit> = lits.iter().copied().filter(|&lit| lit != Lit::FALSE).collect();
        self.solver.add_clause(&lits);
    }

    /// As [`SatSolver::solve`]. The assumptions may not contradict each other, nor be constant.
    fn solve(&mut self, assumptions: &[Lit]) -> SatResult {
        self.refutation = None;
        let mut assumed = assumptions.to_vec();
        assumed.sort_unstable();
        assumed.dedup();
        assert!(
            assumed.windows(2).all(|pair| pair[0].var() != pair[1].var())
                && assumed.first().is_none_or(|lit| !lit.is_const()),
            "no clause tells why such assumptions fail"
        );
        let answer = self.solver.solve(assumptions);
        if answer.is_unsat() {
            self.solver.conclude();
            let clause = lock(&self.proof).conclusion.take().expect("CaDiCaL concludes");
            self.refutation = Some(Refutation { clause, assumptions: assumed });
        }
        answer
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        self.solver.value(lit)
    }

    fn is_failed(&self, lit: Lit) -> bool {
        self.solver.is_failed(lit)
    }

    fn set_budget(&mut self, budget: Option<Budget>) {
        self.solver.set_budget(budget);
    }

    fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.solver.set_interrupt(interrupt);
    }

    fn stats(&self) -> SatStats {
        self.solver.stats()
    }
}
