//! What one direction of fbPDR knows from the other: obligations, lemmas, depths.

use super::foreign::{Foreign, Published};
use super::hints::Hints;
use crate::trace::{Guide, Level};
use pedra_model::lit::Lit;

/// Two obligations of different directions that have a state in common.
#[derive(Clone, Debug)]
pub(super) struct Meeting {
    /// The number of the one of this direction.
    pub(super) own: usize,
    /// The other one.
    pub(super) foreign: Published,
}

/// The other direction, as of the last exchange.
#[derive(Default)]
pub(super) struct Partner {
    /// Its obligations.
    pub(super) foreign: Foreign,
    /// Its lemmas.
    pub(super) hints: Hints,
    /// Why the search has stopped, if two obligations met.
    pub(super) meeting: Option<Meeting>,
    /// Obligations of counterexamples up to this length are void.
    pub(super) void_up_to: Option<usize>,
    /// How many obligations were void so far.
    pub(super) voided: u64,
    /// Whether lemmas were taken in without a query.
    pub(super) has_trusted: bool,
}

impl Guide<[Lit]> for Partner {
    fn restricts(&self, cube: &[Lit]) -> bool {
        self.foreign.meets(cube)
    }

    fn dooms(&self, cube: &[Lit]) -> bool {
        self.foreign.meets(cube)
    }

    fn separate(&self, part: &mut Vec<Lit>, whole: &[Lit]) {
        self.foreign.separate(part, whole);
    }

    fn hint(&mut self, cube: &[Lit], core: &[Lit], depth: usize) -> Option<Vec<Lit>> {
        self.hints.part(cube, core, depth)
    }

    fn meets(&mut self, own: usize, cube: &[Lit], is_open: &dyn Fn(Option<usize>) -> bool) -> bool {
        let foreign = self.foreign.meeting(cube, is_open).cloned();
        self.meeting = foreign.map(|foreign| Meeting { own, foreign });
        self.meeting.is_some()
    }

    fn void_until(&mut self, level: Level, depth: usize) -> Option<Level> {
        let safe = self.void_up_to.filter(|safe| level.index() + depth <= *safe)?;
        self.voided += 1;
        Some(Level::new(safe + 1 - depth))
    }

    fn has_trusted(&self) -> bool {
        self.has_trusted
    }

    fn forget_progress(&mut self) {
        self.void_up_to = None;
    }
}
