//! Proofs that a justice set holds: that no infinite path fulfils it.
//!
//! Such a proof is an [`Argument`], which says how to build a *monitored system* from the model
//! and the set, and a [`BitProof`] that the bads of this system cannot be reached. Definitions
//! of the systems, and why the set holds then: docs/design/liveness.md. The check of a
//! proof builds the monitored system anew.
//!
//! Variables are numbered as follows, so that the proof depends on no gate of a monitor: those of
//! the model; the leaves of the monitor, in the order of [`Argument::leaves`]; the proof's own
//! gates. For a model in words, the model is the bits of the cone of the set
//! ([`WordCone::of_justice`](crate::cone::WordCone::of_justice)).

use crate::lit::Lit;
use crate::proof::BitProof;

/// A proof that a justice set is not fulfilled on any infinite path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveProof {
    /// The set, by its number among all properties.
    pub property: usize,
    /// What the monitor is.
    pub argument: Argument,
    /// That the bads of the monitored system cannot be reached.
    pub proof: BitProof,
}

/// Why unreachable bads of the monitored system mean that the set holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// No path returns to a state that it was in, on these latches, with all signals in between.
    Loop {
        /// Indices of latches.
        copied: Vec<usize>,
    },
    /// No path sees all signals more often than `bound` times between two changes of stable
    /// latches.
    Count {
        /// Latches that change in one direction only, each as far as the earlier ones have come to
        /// rest.
        stable: Vec<StableLatch>,
        /// How many rounds the monitor can count.
        counters: usize,
        /// How many there are at most.
        bound: usize,
    },
    /// Once a path has seen all signals it is in the last of these sets, and every further time
    /// takes it into the set before.
    Rank {
        /// Sets of states, each part of the next.
        layers: Vec<Lit>,
    },
}

/// A latch that changes in one direction only, at steps at which no earlier one changes or has a
/// value that excludes a signal.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct StableLatch {
    /// The latch, by its index.
    pub latch: usize,
    /// The value that it keeps.
    pub keeps: bool,
    /// A signal that is false wherever the latch has that value. A path that fulfils the set never
    /// gets there.
    pub excludes: Option<usize>,
}

impl Argument {
    /// How many leaves the monitor has, for this number of signals. These are, in order,
    /// - `Loop`: the input `save`, the latch `saved`, one latch a signal, one a copied latch;
    /// - `Count`: one latch a signal, `counters` latches of the counter;
    /// - `Rank`: one latch a signal.
    pub fn leaves(&self, signals: usize) -> usize {
        match self {
            Argument::Loop { copied } => 2 + signals + copied.len(),
            Argument::Count { counters, .. } => signals + counters,
            Argument::Rank { .. } => signals,
        }
    }

    /// In words, for reports.
    pub fn text(&self) -> String {
        match self {
            Argument::Loop { copied } => format!("l2s, {} copied latches", copied.len()),
            Argument::Count { stable, bound, .. } if stable.is_empty() => format!("bound {bound}"),
            Argument::Count { stable, bound, .. } => {
                format!("bound {bound}, {} stable latches", stable.len())
            }
            Argument::Rank { layers } => format!("{} layers", layers.len()),
        }
    }
}
