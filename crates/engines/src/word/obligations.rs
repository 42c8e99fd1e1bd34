//! Proof obligations: units that lead to a violation, in a queue, lowest level first.

use super::unit::Unit;
use super::value::Point;
use crate::pdr::Level;
use pedra_model::bv::Bv;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The name of an obligation.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ObligationId(u32);

impl ObligationId {
    /// Its number, for events.
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }
}

/// Every state of the unit satisfies the constraints with these inputs and goes into the
/// successor, or is bad.
#[derive(Clone, Debug)]
pub(super) struct Obligation {
    pub(super) unit: Unit,
    /// The state from which it was expanded.
    pub(super) point: Point,
    /// One value for each input of the problem.
    pub(super) inputs: Vec<Bv>,
    pub(super) successor: Option<ObligationId>,
    /// The position of the property that is violated in the end.
    pub(super) property: usize,
    /// How many steps are left until then.
    pub(super) depth: u32,
}

/// All obligations, and those that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Obligations {
    arena: Vec<Obligation>,
    /// By level; then far from the violation; then the older one.
    queue: BinaryHeap<Reverse<(Level, Reverse<u32>, ObligationId)>>,
}

impl Obligations {
    /// Adds one that waits for this level.
    pub(super) fn raise(&mut self, obligation: Obligation, level: Level) -> ObligationId {
        let id = ObligationId(u32::try_from(self.arena.len()).expect("memory ends before"));
        self.arena.push(obligation);
        self.wait(id, level);
        id
    }

    /// Lets one wait for this level.
    pub(super) fn wait(&mut self, id: ObligationId, level: Level) {
        self.queue.push(Reverse((level, Reverse(self.get(id).depth), id)));
    }

    /// Takes the first one whose level is at most `top`.
    pub(super) fn pop(&mut self, top: Level) -> Option<(ObligationId, Level)> {
        let &Reverse((level, _, id)) = self.queue.peek()?;
        if level > top {
            return None;
        }
        self.queue.pop();
        Some((id, level))
    }

    /// An obligation.
    pub(super) fn get(&self, id: ObligationId) -> &Obligation {
        &self.arena[id.0 as usize]
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }
}
