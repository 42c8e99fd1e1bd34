//! Reductions of bit-level systems, one pass a file, each two-way: a pass returns the smaller
//! system and the map that lifts a trace and a proof back.
//!
//! - `cone`: drops what no property and no constraint depends on;
//! - `structure`: hashes and rewrites the logic;
//! - `constant`: replaces latches that never change by constants;
//! - `duplicate`: replaces latches that always equal (or oppose) another one;
//! - `merge`: replaces latches and gates that a caller with a solver found equal.
//!
//! The passes of [`reduce`] do not assume the constraints, so the invariants that justify them
//! are inductive by themselves. What is given to [`merge()`] may assume them.

mod cone;
mod constant;
mod duplicate;
mod fanout;
mod guess;
pub mod initial;
mod map;
mod merge;
mod rebuild;
mod structure;

pub use map::{ReduceMap, Reduction};
pub use merge::merge;

use crate::bits::{BitSystem, Reset};

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

/// Each round costs a few walks over the circuit, so it must be worth it: there are at most
/// this many, and beyond this size a further one only if the last removed a hundredth. Tuning
/// only.
const MAX_ROUNDS: usize = 8;
const LARGE: usize = 1 << 16;

/// Reduces a system for some of its safety properties (indices into
/// [`BitSystem::properties`]): runs the passes until they find nothing more, or hardly more.
///
/// Property `i` of the result is `properties[i]` of the original, whatever the order.
///
/// # Panics
/// If a property does not exist, or if a leaf of the graph is neither an input nor a latch.
pub fn reduce(system: &BitSystem, properties: &[usize], options: &ReduceOptions) -> Reduced {
    reduce_and_tell(system, properties, options, &mut |_, _| {})
}

/// The same, and tells the name and the result of each pass.
///
/// # Panics
/// As [`reduce`].
pub fn reduce_and_tell(
    system: &BitSystem,
    properties: &[usize],
    options: &ReduceOptions,
    tell: &mut dyn FnMut(&'static str, &BitSystem),
) -> Reduced {
    let mut now = rebuild::select(system, properties);
    // A pass over latches that found nothing is not tried again.
    let (mut constants, mut duplicates) = (options.constants, options.duplicates);
    for _ in 0..MAX_ROUNDS {
        let before = now.size();
        if options.cone {
            now.apply(cone::restrict_to_cone(&now.system));
            tell("cone", &now.system);
        }
        if options.structure {
            now.apply(Some(structure::rehash(&now.system)));
            tell("structure", &now.system);
        }
        constants =
            constants && now.apply(constant::replace_constants(&now.system, options.structure));
        tell("constants", &now.system);
        duplicates =
            duplicates && now.apply(duplicate::merge_duplicates(&now.system, options.structure));
        tell("duplicates", &now.system);
        if options.cone {
            now.apply(cone::restrict_to_cone(&now.system));
            tell("cone", &now.system);
        }
        let removed = before - now.size();
        if removed == 0 || (before > LARGE && removed < before / 100) {
            break;
        }
    }
    now
}

/// For tests: merges duplicates from the worst guess there is, in which all latches with a fixed
/// reset are in one class. The refinement must be right by itself, not thanks to a good guess.
///
/// # Panics
/// If the resets are circular, or a property does not exist.
#[doc(hidden)]
pub fn merge_from_worst_guess(system: &BitSystem, properties: &[usize]) -> Reduced {
    let mut reduced = rebuild::select(system, properties);
    let order = initial::initial_order(system).expect("the resets are not circular");
    let phases = guess::guess_classes(system, &order).phases;
    let all = 0..system.latches.len() as u32;
    let is_free = |l: &u32| system.latches[*l as usize].reset == Reset::Free;
    let (free, fixed): (Vec<u32>, Vec<u32>) = all.partition(is_free);
    let classes = free.into_iter().map(|l| vec![l]).chain([fixed]).collect();
    let guess = guess::Guess { phases, classes };
    reduced.apply(duplicate::merge_from_guess(&reduced.system, true, &order, guess));
    reduced
}

impl Reduced {
    /// This reduction and then `later`, which is one of its result.
    #[must_use]
    pub fn then(mut self, later: Reduced) -> Reduced {
        self.apply(Some(later));
        self
    }

    /// Goes on with the result of a pass, if it found something; returns whether it did.
    fn apply(&mut self, later: Option<Reduced>) -> bool {
        let Some(later) = later else { return false };
        let identity = ReduceMap::identity(&BitSystem::new(), &[]);
        let map = std::mem::replace(&mut self.map, identity);
        *self = Reduced { system: later.system, map: map.then(later.map) };
        true
    }

    /// What the passes make smaller; none of them makes it larger.
    fn size(&self) -> usize {
        self.system.aig.len() + self.system.constraints.len()
    }
}
