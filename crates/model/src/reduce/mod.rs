//! Reductions of bit-level systems, one pass a file, each two-way: a pass returns the smaller
//! system and the map that lifts a trace and a proof back.
//!
//! - `cone`: drops what no property and no constraint depends on;
//! - `structure`: hashes and rewrites the logic;
//! - `constant`: replaces latches that never change by constants;
//! - `duplicate`: replaces latches that always equal (or oppose) another one.
//!
//! No pass assumes the constraints, so the invariants that justify them are inductive by
//! themselves.

mod cone;
mod constant;
mod duplicate;
mod fanout;
mod initial;
mod map;
mod rebuild;
mod structure;
#[cfg(test)]
mod tests;

pub use map::ReduceMap;

use crate::bits::BitSystem;

/// A reduced system and the way back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reduced {
    /// The reduced system: the chosen properties as bads, the constraints, and names for
    /// inputs, latches and bads. It has no outputs, justice or fairness.
    pub system: BitSystem,
    /// How it relates to the original.
    pub map: ReduceMap,
}

/// Which passes run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ReduceOptions {
    /// Cone of influence.
    pub cone: bool,
    /// Structural hashing and rewriting.
    pub structure: bool,
    /// Constant latches.
    pub constants: bool,
    /// Equal and complementary latches.
    pub duplicates: bool,
}

impl Default for ReduceOptions {
    fn default() -> ReduceOptions {
        ReduceOptions { cone: true, structure: true, constants: true, duplicates: true }
    }
}

impl ReduceOptions {
    /// No pass: the properties are selected, and trivial constraints are dropped.
    pub fn none() -> ReduceOptions {
        ReduceOptions { cone: false, structure: false, constants: false, duplicates: false }
    }
}

/// Each round costs a few walks over the circuit; nearly always the second finds nothing.
const MAX_ROUNDS: usize = 8;

/// Reduces a system for some of its safety properties (indices into
/// [`BitSystem::properties`]): runs the passes until none of them finds anything more, within
/// a small number of rounds.
///
/// Property `i` of the result is `properties[i]` of the original, whatever the order.
///
/// # Panics
/// If a property does not exist, or if a leaf of the graph is neither an input nor a latch.
pub fn reduce(system: &BitSystem, properties: &[usize], options: &ReduceOptions) -> Reduced {
    let mut now = rebuild::select(system, properties);
    for _ in 0..MAX_ROUNDS {
        let before = now.size();
        if options.cone {
            now = now.followed_by(cone::restrict_to_cone);
        }
        if options.structure {
            now = now.followed_by(structure::rehash);
        }
        if options.constants {
            now = now.followed_by_if_any(|s| constant::replace_constants(s, options.structure));
        }
        if options.duplicates {
            now = now.followed_by_if_any(|s| duplicate::merge_duplicates(s, options.structure));
        }
        if options.cone {
            now = now.followed_by(cone::restrict_to_cone);
        }
        if now.size() == before {
            break;
        }
    }
    now
}

impl Reduced {
    fn followed_by(self, pass: impl FnOnce(&BitSystem) -> Reduced) -> Reduced {
        self.followed_by_if_any(|s| Some(pass(s)))
    }

    /// Runs a pass that returns nothing if it finds nothing.
    fn followed_by_if_any(self, pass: impl FnOnce(&BitSystem) -> Option<Reduced>) -> Reduced {
        match pass(&self.system) {
            None => self,
            Some(later) => Reduced { system: later.system, map: self.map.then(later.map) },
        }
    }

    /// What the passes make smaller.
    fn size(&self) -> [usize; 4] {
        let BitSystem { aig, inputs, latches, constraints, .. } = &self.system;
        [aig.len(), inputs.len(), latches.len(), constraints.len()]
    }
}
