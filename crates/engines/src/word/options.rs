//! The options of word-level PDR: heuristics that do not change an answer. Without the hand-over
//! there may be none.

use super::atom::Atom;
use crate::choices::{Choice, number, switch};

/// What atoms a unit may have.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// Bounds of variables: integer cubes.
    Cubes,
    /// Bounds and half-spaces.
    Polytopes,
    /// All kinds: bounds, half-spaces, bits, congruences, differences, octagons, whole bads.
    #[default]
    Mixed,
}

impl Kind {
    /// Whether units may have this atom.
    pub(super) fn allows(self, atom: &Atom) -> bool {
        match atom {
            Atom::Lower(..) | Atom::Upper(..) => true,
            Atom::Lin(..) => self != Kind::Cubes,
            Atom::Bad(_) | Atom::Cong { .. } | Atom::Bit(..) => self == Kind::Mixed,
        }
    }
}

/// The options.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct WordOptions {
    /// What units are made of.
    pub unit: Kind,
    /// Relax obligations by interval simulation.
    pub simulate: bool,
    /// Drop atoms of obligations by the core of a lifting query.
    pub lift: bool,
    /// Expand an obligation at the highest level where it is inductive as it is.
    pub highest: bool,
    /// Propose atoms from the model's comparisons, from octagons and from what reachable
    /// samples have in common.
    pub templates: bool,
    /// Try all proposals as invariants before anything else.
    pub all: bool,
    /// How many random paths give samples.
    pub samples: usize,
    /// How many states that refute a proposed atom may be excluded first (CTGs).
    pub ctg: usize,
    /// Propose a whole bad as a unit: the property in the frames.
    pub bads: bool,
    /// How many variables a half-space of reshape may have at most; less than 2 for none.
    pub arity: usize,
    /// How many substitutions reshape tries for one unit.
    pub attempts: usize,
    /// How many of the nearest units serve as guides.
    pub guides: usize,
    /// How many conflicts a query may have that is not needed, but would help.
    pub effort: u64,
    /// After so much work the rest is handed over to bit-level PDR, in thousands.
    pub budget: u64,
    /// After so much already, if no invariant of several words is found by then; each one
    /// doubles it.
    pub trial: u64,
    /// Whether lemmas of frames are handed over, too.
    pub frames: bool,
    /// Whether to hand over at all; `unknown` otherwise.
    pub hand_over: bool,
}

impl Default for WordOptions {
    fn default() -> WordOptions {
        WordOptions::of(Kind::default())
    }
}

/// All choices by name, in the order in which they are told.
pub static CHOICES: &[Choice<WordOptions>] = &[
    switch!("simulate", simulate, "relax obligations by interval simulation"),
    switch!("lift", lift, "drop atoms of obligations by the core of a query"),
    switch!("highest", highest, "expand at the highest level where the obligation is inductive"),
    switch!("templates", templates, "propose atoms from comparisons, octagons and samples"),
    switch!("all", all, "try all that no sample contains as invariants before anything else"),
    number!("samples", samples, 0..=1000, ["0", "1", "8"], "how many random paths give samples"),
    number!(
        "ctg",
        ctg,
        0..=100,
        ["0", "1", "3"],
        "how many refutations of a proposed atom may be excluded first"
    ),
    switch!("bads", bads, "propose whole bads as units"),
    number!(
        "arity",
        arity,
        0..=4,
        ["0", "2", "3", "4"],
        "how many variables a half-space of reshape may have; 0 for none"
    ),
    number!(
        "attempts",
        attempts,
        0..=10_000,
        ["1", "8", "32"],
        "how many substitutions reshape tries for one unit"
    ),
    number!("guides", guides, 0..=100, ["1", "4"], "how many of the nearest units serve as guides"),
    number!(
        "effort",
        effort,
        0..=1_000_000_000,
        ["1", "2000"],
        "conflicts of queries that only help"
    ),
    number!(
        "budget",
        budget,
        0..=1_000_000_000_000,
        ["0", "1", "20", "100000"],
        "work, in thousands of steps of the solver, before bit-level PDR takes over"
    ),
    number!(
        "trial",
        trial,
        0..=1_000_000_000_000,
        ["0", "5", "100000"],
        "the same as long as no invariant relates words; each that does doubles it"
    ),
    switch!("frames", frames, "whether lemmas of frames are handed over, too, to be checked"),
    switch!("handover", hand_over, "whether bit-level PDR takes over; unknown otherwise"),
];

impl WordOptions {
    /// The defaults for a kind of unit.
    pub fn of(unit: Kind) -> WordOptions {
        WordOptions {
            unit,
            simulate: true,
            lift: true,
            highest: true,
            templates: unit != Kind::Cubes,
            all: unit == Kind::Mixed,
            samples: 16,
            ctg: 3,
            bads: unit == Kind::Mixed,
            arity: if unit == Kind::Cubes { 0 } else { 3 },
            attempts: 32,
            guides: 8,
            effort: 500,
            // The other two are there to be compared, and not to be helped.
            budget: if unit == Kind::Mixed { 20_000 } else { 100_000 },
            trial: if unit == Kind::Mixed { 1_000 } else { 100_000 },
            frames: true,
            hand_over: true,
        }
    }
}
