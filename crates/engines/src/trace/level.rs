//! The numbers of frames.

use std::fmt;

/// The number of a frame.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Level(u32);

impl Level {
    /// The initial states.
    pub(crate) const ZERO: Level = Level(0);
    /// Beyond all frames: invariants.
    pub(crate) const INFINITY: Level = Level(u32::MAX);

    /// The level with this number.
    pub(crate) fn new(number: usize) -> Level {
        Level(u32::try_from(number).expect("memory ends before levels do"))
    }

    /// Its number, to index arrays with.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// Its number; `None` for infinity.
    pub(crate) fn finite(self) -> Option<usize> {
        (self != Level::INFINITY).then_some(self.index())
    }

    /// The level above.
    #[inline]
    pub(crate) fn above(self) -> Level {
        Level(self.0.saturating_add(1))
    }

    /// The level below.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub(crate) fn below(self) -> Level {
        assert!(self != Level::ZERO && self != Level::INFINITY, "{self:?} has no level below");
        Level(self.0 - 1)
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Level::INFINITY => f.write_str("F∞"),
            Level(number) => write!(f, "F{number}"),
        }
    }
}
