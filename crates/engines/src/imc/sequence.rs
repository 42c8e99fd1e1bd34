//! Interpolation sequences: Algorithms 1 and 2 of the AVY paper, after Vizel and Grumberg.
//!
//! The trace `F_0, …, F_N` is conjoined with the interpolants of every bound. It is closed if some
//! `F_i` implies the disjunction of those before, which then is an inductive invariant: `F_0` is
//! `Init`, the successors of each `F_j` are in `F_{j+1}`, and each is safe.

use super::Imc;
use crate::context::Context;
use crate::pdr::Stopped;
use pedra_model::lit::Lit;

impl Imc<'_> {
    /// Algorithm 1, for the bound `N`.
    pub(super) fn sequence(&mut self, context: &Context, open: Vec<usize>) -> Result<(), Stopped> {
        let n = self.depth;
        self.layers.unroll(&self.template, 0..=n, true);
        let bads: Vec<Lit> = open.iter().map(|&p| self.template.transition.bads[p]).collect();
        let target = self.layers.any(n, &bads);
        // Init(v_0) ∧ ⋀ Tr(v_i, v_{i+1}) ∧ Bad(v_N)
        let is_path = self.layers.check_path(0, n, &[target]);
        let mut sequence = Vec::new();
        match is_path {
            Ok(true) => self.settle_path(context, &open, n),
            Ok(false) if n > 0 => sequence = self.interpolate(context, 1..=n),
            Ok(false) | Err(Stopped) => {}
        }
        self.layers.add_clause(n, &[!target]);
        if is_path? {
            return Ok(());
        }
        // G_i := F_i ∧ I_i
        self.frames.resize(n + 1, Lit::TRUE);
        for (frame, interpolant) in self.frames.iter_mut().skip(1).zip(sequence) {
            *frame = self.circuit.builder.and(*frame, interpolant);
        }
        self.safe(open);
        if let Some(invariant) = self.find_closed()? {
            self.prove(context, invariant);
        }
        self.depth += 1;
        Ok(())
    }

    /// `∃ 1 ≤ i ≤ N: F_i ⟹ ⋁_{j<i} F_j`: the disjunction, if there is such an `i`.
    fn find_closed(&mut self) -> Result<Option<Lit>, Stopped> {
        let mut before = self.frames[0];
        for i in 1..self.frames.len() {
            if self.check_implies(self.frames[i], before)? {
                return Ok(Some(before));
            }
            before = self.circuit.builder.or(before, self.frames[i]);
        }
        Ok(None)
    }
}
