//! The core of every PDR: frames as a δ-encoded trace, and the queue of obligations.
//!
//! PDR over bits in both directions, fbPDR, AVY and word-level PDR differ in how they represent
//! sets of states (a cube of literals, a unit of atoms), ask queries and widen sets. What they
//! share is here. A *place* says where states are: a transition system has one, `()`; a program has
//! one for each location, with its own tower of frames. See docs/design/core.md.

mod delta;
mod exclude;
mod guide;
mod index;
mod level;
mod obligations;
mod progress;
mod propagate;
mod search;
mod space;

pub(crate) use delta::{Inserted, LemmaId, Place, Trace};
pub(crate) use exclude::{exclude, try_exclude};
pub(crate) use guide::{Guide, NoGuide};
pub(crate) use index::{Cover, CubeIndex, Scan, is_subset};
pub(crate) use level::Level;
pub(crate) use obligations::{Obligation, ObligationId, Obligations};
pub(crate) use propagate::propagate_from;
pub(crate) use search::{Policy, Search};
pub(crate) use space::{Answer, Found, Invariant, Lemmas, Reached, Space, Start};

use crate::context::Reason;
use pedra_model::lit::Lit;

/// Why a search ended in the middle of its work.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stopped(pub(crate) Reason);

/// A set of states: what a lemma excludes, and what an obligation consists of.
pub(crate) trait StateSet {
    /// How many conditions describe it. Heuristic: fewer say more.
    fn size(&self) -> usize;
}

/// A cube, the states in which all literals hold; sorted.
impl StateSet for [Lit] {
    fn size(&self) -> usize {
        self.len()
    }
}
