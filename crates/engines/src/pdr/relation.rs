//! One step of a system, read in one direction.

use super::transition::Transition;
use crate::events::Direction;
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;

/// The transition relation of a system, and which way it is read. See `direction` for the table.
pub(crate) struct Relation<'a> {
    pub(crate) system: &'a BitSystem,
    pub(crate) transition: Transition,
    pub(crate) direction: Direction,
}

impl Relation<'_> {
    /// Whether it is read forward.
    pub(super) fn is_forward(&self) -> bool {
        self.direction == Direction::Forward
    }

    /// The side of a step on which a cube is asked for: `c'`, reverse `c`.
    #[inline]
    pub(super) fn assumed(&self, lit: Lit) -> Lit {
        match self.direction {
            Direction::Forward => self.transition.primed(lit),
            Direction::Backward => lit,
        }
    }

    /// The side of a step that lies in a frame: `c`, reverse `c'`.
    #[inline]
    pub(super) fn framed(&self, lit: Lit) -> Lit {
        match self.direction {
            Direction::Forward => lit,
            Direction::Backward => self.transition.primed(lit),
        }
    }

    /// The clause of a frame that excludes a cube.
    pub(super) fn frame_clause(&self, cube: &[Lit]) -> Vec<Lit> {
        cube.iter().map(|&lit| !self.framed(lit)).collect()
    }

    /// What is asked of the last frame: the bad states of a property, reverse the initial states.
    pub(super) fn frontier(&self, property: Option<usize>) -> Vec<Lit> {
        match property {
            Some(property) => vec![self.transition.bads[property]],
            None => self.transition.init.clone(),
        }
    }
}
