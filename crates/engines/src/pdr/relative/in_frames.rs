//! Queries about properties and about them as part of the frames, see the head of `property`.

use super::super::frames::Level;
use super::super::solver::Stopped;
use super::{BadState, Relative};
use crate::events::Direction;

impl Relative {
    /// `F_i := F_i ∧ P` for all frames, where `P` is the conjunction of these properties. Only
    /// `F_0` is open, and no initial state is bad.
    pub(in crate::pdr) fn assume_properties(&mut self, properties: &[usize]) {
        debug_assert!(self.top() == Level::ZERO && self.assumed.is_empty());
        self.assumed = properties.to_vec();
        for &property in properties {
            let holds = [!self.transition.bads[property]];
            self.infinity.add_clause(&holds);
            self.solvers[0].add_clause(&holds);
        }
    }

    /// Whether frames contain properties.
    pub(in crate::pdr) fn has_property_in_frames(&self) -> bool {
        self.property_in_frames
    }

    /// The properties that are part of all frames.
    pub(in crate::pdr) fn assumed_properties(&self) -> &[usize] {
        &self.assumed
    }

    /// Forward: an initial state that violates the property, with its inputs.
    /// `Init ∧ C ∧ ¬P`
    pub(in crate::pdr) fn find_initial_violation(
        &mut self,
        property: usize,
    ) -> Result<Option<BadState>, Stopped> {
        let f0 = &mut self.solvers[0];
        if !f0.solve(&[self.transition.bads[property]], None)? {
            return Ok(None);
        }
        let (step, latches) = (self.transition.step_of(f0), self.transition.latch_values(f0));
        Ok(Some(BadState { property, step, latches }))
    }

    /// Do the invariants alone decide the property? `F_∞ ∧ C ⟹ P` (if `P` is part of it,
    /// `F_∞ ∧ C ∧ T ∧ C' ⟹ P'`), reverse
    /// `Init ∧ C ∧ T ⟹ ¬F'_∞`, which is for all properties.
    pub(in crate::pdr) fn check_invariants_imply(
        &mut self,
        property: usize,
    ) -> Result<bool, Stopped> {
        let is_forward = self.direction == Direction::Forward;
        let goal = self.frontier(is_forward.then_some(property));
        Ok(!self.infinity.solve(&goal, None)?)
    }
}
