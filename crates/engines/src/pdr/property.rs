//! The property as part of the frames, as in Bradley's paper and in the slides.
//!
//! With the choice `property-in-frames` every frame is meant with `P`, the conjunction of the open
//! properties: `F_i ∧ P`. States of the last frame from which a step leads to a bad state are the
//! obligations (`F_k ∧ P ∧ C ∧ T ∧ C' ∧ ¬P'`), so bad states themselves need no lemmas. What
//! follows from that:
//!
//! - Step 0 is looked at on its own, before any frame: `Init ∧ C ⟹ P`. Then `F_0` closed means that
//!   step 1 is safe, and so on ([`safe_beyond`](super::direction::safe_beyond)).
//! - `P` may read inputs: it holds at a step with the inputs of that step. A path that violates
//!   some property has a first step at which one is violated; before it, `P` holds.
//! - Lemmas hold up to the first violation of *any* of these properties, so they are proved
//!   together: an invariant is `F_i ∧ P`, and it is one only if the frontier was closed for all of
//!   them. If one is violated, or settled by others, lemmas say nothing of paths beyond that. Then
//!   the search starts anew with those that are left (*required for soundness*).
//! - Lifting need not keep `P`: bad states in an obligation violate a property, too.
//!
//! The reverse direction is this already, seen from the other side: its frontier are successors of
//! initial states, and its invariants contain `Init`.

use super::options::PdrOptions;
use super::solver::Stopped;
use super::{Pdr, Search};
use crate::context::{Context, Outcome};
use crate::events::{Direction, Event};
use pedra_model::trace::BitTrace;

/// The options without this one where it makes no sense.
pub(super) fn where_possible(options: PdrOptions, direction: Direction) -> PdrOptions {
    let is_forward = direction == Direction::Forward;
    PdrOptions { property_in_frames: options.property_in_frames && is_forward, ..options }
}

impl Pdr<'_> {
    /// What comes before the first frame.
    pub(super) fn start(&mut self, context: &Context) -> Result<(), Stopped> {
        self.check_start(context)?;
        if self.options.property_in_frames {
            self.take_in_properties(context)?;
        }
        self.is_started = true;
        Ok(())
    }

    /// Settles what is violated at step 0; frames contain what is left.
    fn take_in_properties(&mut self, context: &Context) -> Result<(), Stopped> {
        if !self.search().relative.assumed_properties().is_empty() {
            return self.start_anew(context);
        }
        for property in self.ledger.open(context) {
            let Search { relative, .. } = self.search();
            if let Some(bad) = relative.find_initial_violation(property)? {
                let inputs = vec![relative.transition.input_values(&bad.step.inputs)];
                let trace = BitTrace { property, initial: bad.latches, inputs };
                self.ledger.settle(context, property, Outcome::Violated(trace));
            }
        }
        // Others may settle more of them at any time, but none is open that was not looked at.
        let open = self.ledger.open(context);
        self.search().relative.assume_properties(&open);
        (self.safe_up_to, self.safe) = (self.safe_up_to.max(Some(0)), open);
        Ok(())
    }

    /// Whether frames contain other properties than these.
    pub(super) fn is_about_others(&mut self, open: &[usize]) -> bool {
        self.options.property_in_frames && self.search().relative.assumed_properties() != open
    }

    /// Whether a property that frames contain was violated: lemmas count no longer.
    pub(super) fn is_outdated(&self) -> bool {
        let assumed = self.search.iter().flat_map(|s| s.relative.assumed_properties());
        assumed.into_iter().any(|&property| self.ledger.is_settled(property))
    }

    /// Whether invariants that decide these properties are a proof: those that frames contain
    /// are proved together or not at all.
    pub(super) fn is_provable(&mut self, decided: &[usize]) -> bool {
        let assumed = self.search().relative.assumed_properties();
        !decided.is_empty() && assumed.iter().all(|property| decided.contains(property))
    }

    /// Forgets all frames, and takes those properties in that are open now.
    pub(super) fn start_anew(&mut self, context: &Context) -> Result<(), Stopped> {
        (self.search, self.is_started, self.discharged) = (None, false, None);
        self.closed.clear();
        let (latches, gates) = (self.system.latches.len(), self.system.aig.gates().count());
        context.emit(|| Event::Restarted { latches, gates });
        self.begin(context)?;
        self.start(context)
    }
}
