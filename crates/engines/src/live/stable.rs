//! Stabilising constraints: latches that change in one direction only (Claessen, Sörensson,
//! FMCAD 2012; here latches alone, and by one step of the model without an invariant).
//!
//! On an infinite path the first such latch changes at most once, then the second one, which may
//! rest on the first one's not changing, and so on: from some step on none changes. See
//! docs/design/liveness.md.

use crate::cone::closed_latches;
use crate::live::monitored::signals;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_solve::encode::FrameEncoder;
use pedra_solve::{Budget, Interrupt, SatResult, SatSolver, SolverKind, new_solver};

/// A latch that is stable is so by a few propagations, or it is not worth knowing. Tuning only.
const QUERY_CONFLICTS: u64 = 50;

/// How many queries there are at most, so that large models start soon: a second's worth.
const MAX_QUERIES: usize = 50_000;

/// The latches that keep a value once they have it, with that value, in the order in which they
/// become stable. Those that never change are left out.
pub fn find_stable(
    system: &BitSystem,
    justice: usize,
    interrupt: &Interrupt,
) -> Vec<(usize, bool)> {
    let mut candidates = closed_latches(system, signals(system, justice));
    let mut step = Step::new(system, interrupt);
    let mut stable = Vec::new();
    loop {
        let before = stable.len();
        candidates.retain(|&latch| {
            let falls = step.check_keeps(latch, true);
            let rises = step.check_keeps(latch, false);
            match (falls, rises) {
                // It never changes: there is nothing to wait for.
                (true, true) => return false,
                (true, false) => stable.push((latch, true)),
                (false, true) => stable.push((latch, false)),
                (false, false) => return true,
            }
            step.assume_unchanged(latch);
            false
        });
        if stable.len() == before || step.is_over(interrupt) {
            return stable;
        }
    }
}

/// One step of the model from any state, under the constraints.
struct Step<'a> {
    system: &'a BitSystem,
    solver: Box<dyn SatSolver>,
    encoder: FrameEncoder,
    queries: usize,
}

impl<'a> Step<'a> {
    fn new(system: &'a BitSystem, interrupt: &Interrupt) -> Step<'a> {
        let mut solver = new_solver(SolverKind::Cdcl);
        solver.set_interrupt(interrupt.clone());
        solver.set_budget(Some(Budget::conflicts(QUERY_CONFLICTS)));
        let mut step = Step { system, solver, encoder: FrameEncoder::new(), queries: 0 };
        for &constraint in &system.constraints {
            let lit = step.encode(constraint);
            step.solver.add_clause(&[lit]);
        }
        step
    }

    fn encode(&mut self, lit: Lit) -> Lit {
        self.encoder.encode(&self.system.aig, &mut *self.solver, lit)
    }

    fn is_over(&self, interrupt: &Interrupt) -> bool {
        self.queries >= MAX_QUERIES || interrupt.is_raised()
    }

    /// The latch's values before and after the step.
    fn latch(&mut self, latch: usize) -> (Lit, Lit) {
        let latch = self.system.latches[latch];
        (self.encode(latch.var.lit()), self.encode(latch.next))
    }

    /// `C ∧ unchanged ∧ z = value ⟹ z' = value`; false if that is not known.
    fn check_keeps(&mut self, latch: usize, value: bool) -> bool {
        if self.queries >= MAX_QUERIES {
            return false;
        }
        self.queries += 1;
        let (now, next) = self.latch(latch);
        self.solver.solve(&[now ^ !value, next ^ value]) == SatResult::Unsat
    }

    /// From now on only steps count that do not change this latch.
    fn assume_unchanged(&mut self, latch: usize) {
        let (now, next) = self.latch(latch);
        self.solver.add_clause(&[!now, next]);
        self.solver.add_clause(&[now, !next]);
    }
}
