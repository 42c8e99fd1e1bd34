//! Atomic reasoning units: conjunctions of atoms, that is, sets of states.

use super::Vocabulary;
use super::atom::{Atom, Sum};
use super::value::{Int, Point, VarId};
use crate::region::Region;
use crate::trace::{Cover, Scan, StateSet, Trace};

/// Lemmas that exclude units.
pub(crate) type Frames = Trace<Unit, Scan<Ranges>>;

/// The least and the greatest value of each variable.
#[derive(Clone, Debug)]
pub(crate) struct Ranges(Vec<(Int, Int)>);

impl Ranges {
    /// Those of the variables.
    pub(crate) fn new(words: &impl Vocabulary) -> Ranges {
        Ranges(words.vars().iter().map(|var| (var.min(), var.max())).collect())
    }

    fn of(&self, var: VarId) -> (Int, Int) {
        self.0[var.index()]
    }
}

impl Cover<Unit> for Ranges {
    fn covers(&self, large: &Unit, small: &Unit) -> bool {
        large.atoms.iter().all(|atom| small.implies(self, atom))
    }
}

/// A set of states: those where all atoms hold. Sorted, without repetition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Unit {
    atoms: Vec<Atom>,
}

impl StateSet for Unit {
    fn size(&self) -> usize {
        self.atoms.len()
    }
}

impl Unit {
    /// The conjunction.
    pub(crate) fn new(mut atoms: Vec<Atom>) -> Unit {
        atoms.sort_unstable();
        atoms.dedup();
        Unit { atoms }
    }

    /// The atoms.
    pub(crate) fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// Without one of them.
    pub(crate) fn without(&self, atom: &Atom) -> Unit {
        Unit { atoms: self.atoms.iter().filter(|a| *a != atom).cloned().collect() }
    }

    /// With one replaced by another.
    pub(crate) fn with(&self, old: &Atom, new: Atom) -> Unit {
        let kept = self.atoms.iter().filter(|a| *a != old).cloned();
        Unit::new(kept.chain([new]).collect())
    }

    /// Whether a state is in it; false if that is not known.
    pub(crate) fn contains(&self, point: &Point) -> bool {
        self.atoms.iter().all(|atom| atom.holds(point) == Some(true))
    }

    /// Whether a state is not in it; false if that is not known.
    pub(crate) fn excludes(&self, point: &Point) -> bool {
        self.atoms.iter().any(|atom| atom.holds(point) == Some(false))
    }

    /// The bounds of a variable that its atoms say directly; `None` where it has none.
    pub(crate) fn bounds(&self, var: VarId) -> (Option<Int>, Option<Int>) {
        let (mut low, mut high) = (None, None);
        for atom in &self.atoms {
            match *atom {
                Atom::Lower(v, b) if v == var => low = low.max(Some(b)),
                Atom::Upper(v, b) if v == var => high = Some(high.map_or(b, |h: Int| h.min(b))),
                _ => {}
            }
        }
        (low, high)
    }

    /// The greatest value of a sum in it, as far as its bounds tell.
    fn greatest(&self, ranges: &Ranges, sum: &Sum) -> Int {
        sum.range(|var| {
            let ((low, high), (min, max)) = (self.bounds(var), ranges.of(var));
            (low.unwrap_or(min), high.unwrap_or(max))
        })
        .1
    }

    /// Whether an atom holds in all its states; may miss cases.
    fn implies(&self, ranges: &Ranges, atom: &Atom) -> bool {
        if self.atoms.binary_search(atom).is_ok() {
            return true;
        }
        match *atom {
            Atom::Lower(var, v) => self.bounds(var).0.is_some_and(|low| low >= v),
            Atom::Upper(var, v) => self.bounds(var).1.is_some_and(|high| high <= v),
            Atom::Lin(ref sum, b) => {
                let same = |a: &Atom| matches!(a, Atom::Lin(s, c) if s == sum && *c <= b);
                self.atoms.iter().any(same) || self.greatest(ranges, sum) <= b
            }
            Atom::Bit(var, bit, value) => {
                let (low, high) = self.bounds(var);
                low.is_some() && low == high && low.map(|v| v >> bit & 1 == 1) == Some(value)
            }
            Atom::Given(_) | Atom::Cong { .. } => false,
        }
    }

    /// Whether it is one atom, about the sum of several words.
    pub(crate) fn relates_words(&self, words: &impl Vocabulary) -> bool {
        match &self.atoms[..] {
            [Atom::Lin(sum, _) | Atom::Cong { sum, .. }] => {
                sum.0.iter().filter(|(var, _)| words.var(*var).width > 1).count() > 1
            }
            _ => false,
        }
    }

    /// As data, for events.
    pub(crate) fn region(&self, words: &impl Vocabulary) -> Region {
        let atoms = self.atoms.iter().map(|atom| atom.region(words)).collect();
        let texts: Vec<String> = self.atoms.iter().map(|a| a.text(words)).collect();
        let text = if texts.is_empty() { "true".to_owned() } else { texts.join(" & ") };
        Region { atoms, text, location: None }
    }
}
