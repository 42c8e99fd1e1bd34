//! Structural simplification: equal gates become one and local rewriting shrinks the rest.

use super::Reduced;
use super::rebuild::{Substitution, rebuild};
use crate::bits::BitSystem;

/// The system with its logic rebuilt by [`crate::aig::AigBuilder`].
pub(super) fn rehash(system: &BitSystem) -> Reduced {
    rebuild(system, Substitution::none(system), None, true)
}
