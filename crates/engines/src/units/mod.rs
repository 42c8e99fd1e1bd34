//! Atomic reasoning units, and how they grow: the lemmas of word-level PDR.
//!
//! T. Welp, A. Kuehlmann: *QF_BV Model Checking with Property Directed Reachability*, DATE 2013. A
//! unit is a conjunction of atoms such as `x ≥ 3` or `x + 2y ≤ 5` over words. Where the words come
//! from does not matter here: word-level PDR takes those of a system, lifted PDR those that are
//! live at a location of a program.
//!
//! - [`atom`], [`unit`], [`value`]: atoms, their conjunctions, their values.
//! - [`expand`]: from a unit that can be excluded to a larger one, by dropping atoms and moving
//!   bounds.
//! - [`reshape`]: the paper's step to half-spaces of several words.
//! - [`templates`]: atoms that samples suggest.
//! - [`linear`]: exact geometry.
//!
//! Only atoms and units can make an answer wrong. The rest proposes, and [`Exclude`] decides.

pub(crate) mod atom;
pub(crate) mod expand;
pub(crate) mod linear;
pub(crate) mod reshape;
pub(crate) mod templates;
pub(crate) mod unit;
pub(crate) mod value;

use crate::trace::{Level, Stopped};
use atom::Step;
use pedra_model::term::TermId;
use unit::Unit;
use value::{Point, VarId, WordVar};

/// What atoms mention.
pub(crate) trait Vocabulary {
    /// The words, by number.
    fn vars(&self) -> &[WordVar];

    /// The term of a condition that is an atom by itself.
    fn given(&self, number: usize, step: Step) -> TermId;

    /// Such a condition for people.
    fn given_text(&self, number: usize) -> String;

    /// A word.
    fn var(&self, id: VarId) -> &WordVar {
        &self.vars()[id.index()]
    }

    /// All words.
    fn var_ids(&self) -> impl Iterator<Item = VarId> + use<Self> {
        (0..self.vars().len()).map(VarId::new)
    }
}

/// Known states, one value for each word.
pub(crate) trait Points {
    /// All of them, in the order in which they were found.
    fn points(&self) -> impl Iterator<Item = &Point> + Clone;

    /// How many there are.
    fn len(&self) -> usize;
}

/// Frames from which units are excluded.
pub(crate) trait Exclude {
    /// What the units mention.
    type Words: Vocabulary;

    /// What the units mention.
    fn words(&self) -> &Self::Words;

    /// Whether a unit can be excluded from `F_i`; then also a unit that covers it.
    fn find_inductive(&mut self, unit: &Unit, level: Level) -> Result<Option<Unit>, Stopped>;

    /// Units that were excluded before, as guides.
    fn shapes(&self) -> impl Iterator<Item = &Unit>;

    /// Counts numbers that were looked at besides queries.
    fn count(&mut self, numbers: u64) -> Result<(), Stopped>;
}
