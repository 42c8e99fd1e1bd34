//! Stabilising constraints: latches that change in one direction only (Claessen, Sörensson,
//! FMCAD 2012; here latches alone, and by one step of the model without an invariant).
//!
//! On an infinite path the first such latch changes at most once, then the second one, which may
//! rest on the first one's not changing, and so on: from some step on none changes. A latch whose
//! final value excludes a signal never takes it on a path that fulfils the set, so latches that are
//! found later may rest on that as well. See docs/design/liveness.md.

use crate::cone::closed_latches;
use crate::live::monitored::signals;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;
use pedra_model::live_proof::StableLatch;
use pedra_solve::encode::FrameEncoder;
use pedra_solve::{Budget, Interrupt, SatResult, SatSolver, SolverKind, new_solver};

/// A latch that is stable is so by a few propagations, or it is not worth knowing. Tuning only.
const QUERY_CONFLICTS: u64 = 50;

/// How many queries there are at most, so that large models start soon: a second's worth.
const MAX_QUERIES: usize = 50_000;

/// The latches that keep a value once they have it, in the order in which they become stable.
/// Those that never change are left out, unless one of their values excludes a signal.
pub fn find_stable(system: &BitSystem, justice: usize, interrupt: &Interrupt) -> Vec<StableLatch> {
    let signals = signals(system, justice);
    let mut candidates = closed_latches(system, signals.iter().copied());
    let mut step = Step::new(system, interrupt);
    let mut stable = Vec::new();
    loop {
        let before = stable.len();
        candidates.retain(|&latch| {
            let [keeps_0, keeps_1] = [false, true].map(|value| step.check_keeps(latch, value));
            if !keeps_0 && !keeps_1 {
                return true;
            }
            let mut found = |keeps| {
                let excludes = step.check_excludes(latch, keeps, &signals);
                StableLatch { latch, keeps, excludes }
            };
            let one = match (keeps_0, keeps_1) {
                (true, false) => found(false),
                (false, _) => found(true),
                (true, true) => {
                    // There is nothing to wait for.
                    let [zero, one] = [false, true].map(found);
                    match (zero.excludes, one.excludes) {
                        (None, None) => return false,
                        (None, Some(_)) => one,
                        (Some(_), _) => zero,
                    }
                }
            };
            step.assume_unchanged(latch);
            if one.excludes.is_some() {
                step.assume_value(latch, !one.keeps);
            }
            stable.push(one);
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

    /// `C ∧ unchanged ∧ not excluded ∧ z = value ⟹ z' = value`; false if that is not known.
    fn check_keeps(&mut self, latch: usize, value: bool) -> bool {
        let (now, next) = self.latch(latch);
        self.check_impossible([now ^ !value, next ^ value])
    }

    /// A signal `g` with `C ∧ unchanged ∧ not excluded ∧ z = value ⟹ ¬g`, if one is known.
    fn check_excludes(&mut self, latch: usize, value: bool, signals: &[Lit]) -> Option<usize> {
        let (now, _) = self.latch(latch);
        signals.iter().position(|&signal| {
            let signal = self.encode(signal);
            self.check_impossible([now ^ !value, signal])
        })
    }

    fn check_impossible(&mut self, both: [Lit; 2]) -> bool {
        if self.queries >= MAX_QUERIES {
            return false;
        }
        self.queries += 1;
        self.solver.solve(&both) == SatResult::Unsat
    }

    /// From now on only steps count at which the latch has this value.
    fn assume_value(&mut self, latch: usize, value: bool) {
        let (now, _) = self.latch(latch);
        self.solver.add_clause(&[now ^ !value]);
    }

    /// From now on only steps count that do not change this latch.
    fn assume_unchanged(&mut self, latch: usize) {
        let (now, next) = self.latch(latch);
        self.solver.add_clause(&[!now, next]);
        self.solver.add_clause(&[now, !next]);
    }
}
