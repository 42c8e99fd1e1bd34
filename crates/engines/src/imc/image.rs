//! McMillan's algorithm.
//!
//! K. L. McMillan: *Interpolation and SAT-Based Model Checking*, CAV 2003. For a bound `k` the set
//! `R` starts as the initial states. If no path of one to `k` steps leads from `R` to a bad state,
//! the interpolant between the first step and the others over-approximates the image of `R` and
//! has no path of fewer than `k` steps to a bad state. It joins `R`, until nothing is new: then
//! `R` is an invariant. If there is a path from `R`, it is a violation if `R` is still the initial
//! states; otherwise `k` grows and `R` starts again.
//!
//! Constraints end with the bad state: a violation may be a dead end, so the bad state of step
//! `t` switches the steps up to `t` on, and no others.

use super::Imc;
use crate::context::Context;
use crate::pdr::Stopped;
use pedra_model::lit::Lit;

impl Imc<'_> {
    /// Looks at the bound `k`.
    pub(super) fn image(&mut self, context: &Context, open: Vec<usize>) -> Result<(), Stopped> {
        let k = self.depth;
        self.layers.unroll(&self.template, 0..=k, false);
        let first = k.min(1);
        let targets: Vec<Lit> = (first..=k).map(|step| self.target(step, &open)).collect();
        let target = self.layers.new_lit();
        self.layers.add_clause(k, &[&targets[..], &[!target]].concat());
        let result = self.widen(context, &open, k, target, &targets);
        self.layers.add_clause(k, &[!target]);
        match result? {
            Widened::Violated => {}
            Widened::Open => {
                self.safe(open);
                self.depth += 1;
            }
            Widened::Invariant(invariant) => {
                self.safe(open);
                self.prove(context, invariant);
            }
        }
        Ok(())
    }

    /// A literal that implies a bad state at the step, and all that leads there after step 0.
    fn target(&mut self, step: usize, open: &[usize]) -> Lit {
        let bads: Vec<Lit> = open.iter().map(|&p| self.template.transition.bads[p]).collect();
        let target = self.layers.any(step, &bads);
        for on in 1..=step {
            let guard = self.layers.guard(on);
            self.layers.add_clause(step, &[!target, guard]);
        }
        target
    }

    /// Lets `R` grow as long as it reaches no bad state.
    fn widen(
        &mut self,
        context: &Context,
        open: &[usize],
        k: usize,
        target: Lit,
        targets: &[Lit],
    ) -> Result<Widened, Stopped> {
        let mut reached = self.circuit.init;
        let mut is_initial = true;
        loop {
            let from = self.layers.encode(0, &self.circuit, reached);
            // A formula that is constant is no assumption.
            let mut assumptions = vec![target, self.layers.guard(0)];
            assumptions.extend((!from.is_const()).then_some(from));
            // R(v_0) ∧ Tr(v_0, v_1) ∧ ⋁_t (Bad(v_t) ∧ ⋀_{0<i<t} Tr(v_i, v_{i+1}))
            let is_path = from != Lit::FALSE && self.layers.check(&assumptions)?;
            if is_path && is_initial {
                let is_hit = |target: &Lit| self.layers.is_true(*target);
                let hit = targets.iter().position(is_hit).expect("a path ends at a target");
                self.settle_path(context, open, hit + k.min(1));
                return Ok(Widened::Violated);
            }
            if is_path || k == 0 {
                return Ok(Widened::Open);
            }
            if from == Lit::FALSE {
                return Ok(Widened::Invariant(Lit::FALSE));
            }
            let image = self.interpolate(context, 1..=1)[0];
            if self.check_implies(image, reached)? {
                return Ok(Widened::Invariant(reached));
            }
            reached = self.circuit.builder.or(reached, image);
            is_initial = false;
        }
    }
}

/// What became of `R`.
enum Widened {
    /// A violation was found.
    Violated,
    /// It reaches a bad state, but is more than what is reachable.
    Open,
    /// It is an invariant without bad states.
    Invariant(Lit),
}
