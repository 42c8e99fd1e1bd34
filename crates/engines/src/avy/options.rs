//! The choices of AVY.

use crate::choices::{Choice, count, named, switch};
use crate::pdr::PdrOptions;
use pedra_solve::interpolate::System;

/// How much of the paper's algorithm.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// Algorithms 4 to 6: all clauses are learned anew in each iteration.
    Simple,
    /// Algorithm 7: one global δ-trace.
    #[default]
    Global,
}

/// The choices of [`Avy`](super::Avy). Answers are right in all combinations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AvyOptions {
    /// The choices for the frames: how cubes become lemmas, and how lemmas are pushed.
    pub pdr: PdrOptions,
    /// How much of the algorithm.
    pub algorithm: Algorithm,
    /// The rules of interpolation.
    pub system: System,
    /// Whether the shortest suffix of the unrolling is refuted ("min-suffix") or all of it.
    pub suffix: bool,
    /// Whether the lemmas in the unrolling are reduced to a minimal set ("min-core").
    pub core: bool,
    /// kAvy: the greatest `k` of strong induction; 0 and 1 for none. Needs min-suffix and the
    /// global trace.
    pub kavy: u32,
    /// Whether lemmas are pushed after each frame that was strengthened ("shallow push").
    pub push: bool,
    /// Whether one solver serves all bounds; if not, each bound has one with the steps that its
    /// queries are about, and no others.
    pub incremental: bool,
    /// By how many frames the trace grows at a time. More than one makes the system stay in
    /// bad states.
    pub step: u32,
    /// PDR has the first turn at each frame: for this much work in all (in thousands of
    /// propagations), and as much as interpolation has had; 0 for no turns.
    pub turns: u32,
    /// One frame in so many is left to PDR; 0 for none.
    pub plain: u32,
    /// A frame that needs more cubes than this is left to PDR; 0 for no limit.
    pub cubes: u32,
}

impl Default for AvyOptions {
    fn default() -> AvyOptions {
        AvyOptions {
            pdr: PdrOptions::default(),
            algorithm: Algorithm::Global,
            system: System::McMillan,
            suffix: true,
            core: false,
            kavy: 0,
            push: true,
            incremental: false,
            step: 1,
            turns: 1000,
            plain: 0,
            cubes: 0,
        }
    }
}

/// All choices by name, in the order in which they are told.
pub static CHOICES: &[Choice<AvyOptions>] = &[
    switch!(
        "suffix",
        suffix,
        "whether the shortest suffix of the unrolling is refuted (min-suffix)"
    ),
    switch!("core", core, "whether the lemmas in the unrolling are minimised (min-core)"),
    count!(
        "kavy",
        kavy,
        ["off", "2", "3", "8"],
        "strong induction on the trace, up to this k (kAvy); only with suffix=on and trace=global"
    ),
    switch!("push", push, "whether lemmas are pushed after each strengthened frame (shallow push)"),
    named!(
        "trace",
        algorithm,
        ["global" => Algorithm::Global, "simple" => Algorithm::Simple],
        "one δ-trace for all iterations (Algorithm 7), or a new one each (Algorithms 4 to 6)"
    ),
    named!(
        "system",
        system,
        ["mcmillan" => System::McMillan, "pudlak" => System::Pudlak],
        "the rules of interpolation"
    ),
    switch!("incremental", incremental, "whether one solver serves all bounds"),
    count!(
        "step",
        step,
        ["1", "2", "3"],
        "by how many frames the trace grows at a time; bad states are made to stay bad if several"
    ),
    count!(
        "turns",
        turns,
        ["off", "1", "1000"],
        "PDR tries each frame first, for half of all work and so many thousand propagations"
    ),
    count!("plain", plain, ["off", "1", "2", "3"], "one frame in so many is left to PDR"),
    count!("cubes", cubes, ["off", "1", "5"], "frames that need more cubes are left to PDR"),
];

impl AvyOptions {
    /// The greatest `k` of strong induction, at least 1.
    pub(super) fn max_k(&self) -> usize {
        let is_strong = self.suffix && self.algorithm == Algorithm::Global;
        if is_strong { self.kavy.max(1) as usize } else { 1 }
    }
}
