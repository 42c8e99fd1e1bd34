//! The choices of AVY.

use crate::choices::{Choice, Class, count, named, switch};
use crate::pdr::PdrOptions;
use pedra_solve::interpolate::System;

/// How much of the paper's algorithm.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// Algorithms 4 to 6: all clauses are learned again in each iteration.
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
    /// PDR has the first turn at each frame: for this much work in all (in thousands of
    /// propagations), and as much as interpolation has had; 0 for no turns.
    pub turns: u32,
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
            turns: 1000,
        }
    }
}

/// All choices by name, in the order in which they are listed.
pub static CHOICES: &[Choice<AvyOptions>] = &[
    switch!(
        "suffix",
        Class::Paper,
        suffix,
        "whether the shortest suffix of the unrolling is refuted (min-suffix)"
    ),
    switch!(
        "core",
        Class::Paper,
        core,
        "whether the lemmas in the unrolling are minimised (min-core)"
    ),
    count!(
        "kavy",
        Class::Paper,
        kavy,
        ["off", "2", "3", "8"],
        "strong induction on the trace, up to this k (kAvy); only with suffix=on and trace=global"
    ),
    switch!(
        "push",
        Class::Paper,
        push,
        "whether lemmas are pushed after each strengthened frame (shallow push)"
    ),
    named!(
        "trace",
        Class::Paper,
        algorithm,
        ["global" => Algorithm::Global, "simple" => Algorithm::Simple],
        "one δ-trace for all iterations (Algorithm 7), or a new one each (Algorithms 4 to 6)"
    ),
    named!(
        "system",
        Class::Paper,
        system,
        ["mcmillan" => System::McMillan, "pudlak" => System::Pudlak],
        "the rules of interpolation"
    ),
    switch!("incremental", Class::Expert, incremental, "whether one solver serves all bounds"),
    count!(
        "turns",
        Class::Expert,
        turns,
        ["off", "1", "1000"],
        "PDR tries each frame first. It may do as much work as interpolation has done, and this many thousand propagations more"
    ),
];

impl AvyOptions {
    /// The greatest `k` of strong induction, at least 1.
    pub(super) fn max_k(&self) -> usize {
        let is_strong = self.suffix && self.algorithm == Algorithm::Global;
        if is_strong { self.kavy.max(1) as usize } else { 1 }
    }
}
