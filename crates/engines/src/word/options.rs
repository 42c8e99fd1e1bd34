//! The options of word-level PDR. They are heuristics and do not change an answer; without the
//! hand-over there may be no answer.

use crate::choices::{Choice, Class, number, switch};
use crate::units::atom::Atom;

/// What atoms a unit may have.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum UnitKind {
    /// Bounds of variables: integer cubes.
    Cubes,
    /// Bounds and half-spaces.
    Polytopes,
    /// All kinds: bounds, half-spaces, bits, congruences, differences, octagons, whole bads.
    #[default]
    Mixed,
}

impl UnitKind {
    /// Whether units may have this atom.
    pub(super) fn allows(self, atom: &Atom) -> bool {
        match atom {
            Atom::Lower(..) | Atom::Upper(..) => true,
            Atom::Lin(..) => self != UnitKind::Cubes,
            Atom::Given(_) | Atom::Cong { .. } | Atom::Bit(..) => self == UnitKind::Mixed,
        }
    }
}

/// The options.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct WordOptions {
    /// What units are made of.
    pub unit: UnitKind,
    /// Relax obligations by interval simulation.
    pub simulate: bool,
    /// Drop atoms of obligations by the core of a lifting query.
    pub lift: bool,
    /// Expand an obligation at the highest level where it is inductive as it is.
    pub highest: bool,
    /// Propose atoms from the model's comparisons, from octagons and from what reachable
    /// samples have in common.
    pub templates: bool,
    /// How many random paths give samples.
    pub samples: usize,
    /// How many states that refute a proposed atom may be excluded first (CTGs).
    pub ctg: usize,
    /// Propose a whole bad as a unit: the property in the frames.
    pub bads: bool,
    /// How many variables a half-space of reshape may have at most; less than 2 for none.
    pub arity: usize,
    /// How many conflicts a query may have that is not needed, but would help.
    pub effort: u64,
    /// After so much work the rest is handed over to bit-level PDR, in thousands.
    pub budget: u64,
    /// After so much already, if no invariant of several words is found by then; each one
    /// doubles it.
    pub trial: u64,
    /// Whether to hand over at all; `unknown` otherwise.
    pub hand_over: bool,
}

impl Default for WordOptions {
    fn default() -> WordOptions {
        WordOptions::of(UnitKind::default())
    }
}

/// All choices by name, in the order in which they are listed.
pub static CHOICES: &[Choice<WordOptions>] = &[
    switch!("simulate", Class::Paper, simulate, "relax obligations by interval simulation"),
    switch!("lift", Class::Expert, lift, "drop atoms of obligations by the core of a query"),
    switch!(
        "highest",
        Class::Expert,
        highest,
        "expand at the highest level where the obligation is inductive"
    ),
    switch!(
        "templates",
        Class::Expert,
        templates,
        "propose atoms from comparisons, octagons and samples"
    ),
    number!(
        "samples",
        Class::Expert,
        samples,
        0..=1000,
        ["0", "1", "8"],
        "how many random paths give samples"
    ),
    number!(
        "ctg",
        Class::Expert,
        ctg,
        0..=100,
        ["0", "1", "3"],
        "how many refutations of a proposed atom may be excluded first"
    ),
    switch!("bads", Class::Expert, bads, "propose the bad states of a property as one unit"),
    number!(
        "arity",
        Class::Paper,
        arity,
        0..=4,
        ["0", "2", "3", "4"],
        "how many variables a half-space of reshape may have; 0 for none"
    ),
    number!(
        "effort",
        Class::Expert,
        effort,
        0..=1_000_000_000,
        ["1", "2000"],
        "conflict limit of optional queries, which propose, widen or push"
    ),
    number!(
        "budget",
        Class::Expert,
        budget,
        0..=1_000_000_000_000,
        ["0", "1", "20", "100000"],
        "work, in thousands of steps of the solver, before bit-level PDR takes over"
    ),
    number!(
        "trial",
        Class::Expert,
        trial,
        0..=1_000_000_000_000,
        ["0", "5", "100000"],
        "the same limit until an invariant relates two words; each invariant that does doubles it"
    ),
    switch!(
        "handover",
        Class::Expert,
        hand_over,
        "whether bit-level PDR takes over; unknown otherwise"
    ),
];

impl WordOptions {
    /// The defaults for a kind of unit.
    pub fn of(unit: UnitKind) -> WordOptions {
        WordOptions {
            unit,
            simulate: true,
            lift: true,
            highest: true,
            templates: unit != UnitKind::Cubes,
            samples: 16,
            ctg: 3,
            bads: unit == UnitKind::Mixed,
            arity: if unit == UnitKind::Cubes { 0 } else { 3 },
            effort: 500,
            // The other two are there to be compared, and not to be helped.
            budget: if unit == UnitKind::Mixed { 20_000 } else { 100_000 },
            trial: if unit == UnitKind::Mixed { 1_000 } else { 100_000 },
            hand_over: true,
        }
    }
}
