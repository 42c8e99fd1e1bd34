//! The options of lifted PDR.

use crate::choices::{Choice, Class, named, number, switch};

/// The steps of the ladder for programs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ProgramVariant {
    /// The slides: an obligation is a whole preimage, and what is excluded is not generalised.
    Paper,
    /// Obligations are implicants of preimages, one for each model.
    Implicants,
    /// An interpolant takes the place of what is excluded, and lemmas are pushed.
    Interpolation,
    /// Literals of what is excluded are dropped besides, as long as the rest is inductive.
    Inductive,
    /// Sums of inequalities and proposed invariants besides.
    Full,
}

/// The options of lifted PDR.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ProgramOptions {
    /// How much of the algorithm is in use.
    pub variant: ProgramVariant,
    /// Whether invariants are proposed from the program and from samples.
    pub candidates: bool,
    /// Whether inequalities of a cube may be replaced by Farkas interpolants.
    pub interpolants: bool,
    /// Whether two inequalities of a cube may be replaced by their sum.
    pub sums: bool,
    /// Whether bounds of integers in a cube are moved.
    pub weaken: bool,
    /// How many states that refute a smaller cube may be excluded first, for each literal.
    pub ctg: u32,
    /// Whether cubes of words are widened as units: bounds are moved, half-spaces put in.
    pub units: bool,
    /// Whether half-spaces that samples suggest are tried in place of a cube of words.
    pub templates: bool,
    /// Whether states that runs have reached keep units small.
    pub samples: bool,
    /// Whether control that is kept in data becomes locations, and relations become functions.
    pub refine: bool,
    /// Whether a search over integers proposes invariants of words.
    pub integers: bool,
    /// Conflicts of a query that generalises or pushes.
    pub effort: u64,
}

impl Default for ProgramOptions {
    fn default() -> ProgramOptions {
        ProgramOptions {
            variant: ProgramVariant::Full,
            candidates: true,
            interpolants: true,
            sums: true,
            weaken: true,
            ctg: 0,
            units: true,
            templates: true,
            samples: true,
            refine: true,
            integers: true,
            effort: 2_000,
        }
    }
}

impl ProgramOptions {
    /// Whether cubes are widened at all, and lemmas pushed.
    pub(super) fn generalizes(&self) -> bool {
        !matches!(self.variant, ProgramVariant::Paper | ProgramVariant::Implicants)
    }

    /// Whether interpolants take the place of cubes.
    pub(super) fn interpolates(&self) -> bool {
        self.generalizes() && self.interpolants
    }

    /// Whether literals are dropped.
    pub(super) fn drops(&self) -> bool {
        matches!(self.variant, ProgramVariant::Inductive | ProgramVariant::Full)
    }

    /// How many counterexamples to generalisation are excluded.
    pub(super) fn ctg(&self) -> usize {
        if self.is_full() { self.ctg as usize } else { 0 }
    }

    /// Whether cubes of words are widened as units.
    pub(super) fn widens_units(&self) -> bool {
        self.is_full() && self.units
    }

    /// Whether the options of the last step of the ladder count.
    pub(super) fn is_full(&self) -> bool {
        self.variant == ProgramVariant::Full
    }
}

/// All choices by name, in the order in which they are listed.
pub static CHOICES: &[Choice<ProgramOptions>] = &[
    named!(
        "variant",
        Class::Ladder,
        variant,
        [
            "paper" => ProgramVariant::Paper,
            "implicants" => ProgramVariant::Implicants,
            "interpolation" => ProgramVariant::Interpolation,
            "inductive" => ProgramVariant::Inductive,
            "full" => ProgramVariant::Full
        ],
        "how much of the algorithm: whole preimages; implicants of them; interpolants and \
         pushing; literals are dropped; sums and candidates"
    ),
    switch!(
        "candidates",
        Class::Expert,
        candidates,
        "with `full`: propose invariants from the program and from samples"
    ),
    switch!(
        "interpolants",
        Class::Expert,
        interpolants,
        "from `interpolation` on, with integers: replace inequalities of a lemma by Farkas sums"
    ),
    switch!(
        "sums",
        Class::Expert,
        sums,
        "with `full` and integers: replace two inequalities of a lemma by their sum"
    ),
    switch!(
        "weaken",
        Class::Expert,
        weaken,
        "with `full` and integers: move the bounds of a lemma that is inductive at the top"
    ),
    number!(
        "ctg",
        Class::Expert,
        ctg,
        0..=1_000,
        ["0", "1", "3"],
        "with `full`: counterexamples to generalisation that may be excluded for each literal"
    ),
    switch!(
        "units",
        Class::Expert,
        units,
        "with `full` and words: move the bounds of a lemma, and add half-spaces over two words"
    ),
    switch!(
        "templates",
        Class::Expert,
        templates,
        "with `units`: try half-spaces and remainders that samples suggest as lemmas"
    ),
    switch!(
        "samples",
        Class::Expert,
        samples,
        "with `units`: drop a candidate without a query if it excludes a state that a run has reached"
    ),
    switch!(
        "refine",
        Class::Expert,
        refine,
        "with `full`: split locations by the bits that are live there, and solve equations of inputs"
    ),
    switch!(
        "integers",
        Class::Expert,
        integers,
        "with `full` and words: also search over integers, and keep what holds for words, too"
    ),
    number!(
        "effort",
        Class::Expert,
        effort,
        0..=1_000_000_000,
        ["1", "2000"],
        "conflict limit of optional queries, which generalise or push"
    ),
];
