//! What the check of a bound may cost.

use crate::plan::Plan;
use pedra_certify::{BoundLimits, CheckOptions};
use pedra_solve::Interrupt;

/// What the check of a bound may cost, unless the plan wants it whole: conflicts and gates.
const BOUND_CONFLICTS: u64 = 50_000;
const BOUND_GATES: usize = 4_000_000;

impl Plan {
    /// How `no violation up to step n` is checked.
    pub(crate) fn bound_check(&self, interrupt: &Interrupt) -> (BoundLimits, CheckOptions) {
        let options = self.check_options(self.engine.text(), interrupt);
        if self.whole_bound {
            return (BoundLimits::default(), options);
        }
        let (conflicts, gates) = (Some(BOUND_CONFLICTS), Some(BOUND_GATES));
        let options = CheckOptions { limit_conflicts: conflicts, fallback: None, ..options };
        (BoundLimits { conflicts, gates }, options)
    }
}
