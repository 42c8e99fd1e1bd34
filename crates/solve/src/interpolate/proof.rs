//! The record of a solver's reasoning: every clause, where it came from, and nothing derived
//! from that.
//!
//! Clauses are numbered as they come, so what a clause was derived from has smaller numbers. A
//! given clause belongs to a *part*; a derived one has *antecedents*, in the order in which they
//! become unit when the clause is assumed to be false, the last one being the conflict (as in
//! LRAT). Clauses stay when the solver deletes them: later ones rest on them.
//!
//! Labels of interpolation are not kept here. A variable that only one part knows today may be
//! shared tomorrow, when an unrolling has grown; so labels are computed when they are asked for.

use pedra_model::lit::{Lit, Var};

/// The number of a clause in a [`Proof`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ClauseId(pub(super) u32);

/// Where a clause came from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Source<'a> {
    /// It was given, in this part.
    Given(u32),
    /// It follows by unit propagation through these (numbers of clauses).
    Derived(&'a [u32]),
}

/// A clause: `lits` words of literals from `start` on, then the antecedents.
#[derive(Copy, Clone, Debug)]
struct Entry {
    start: u32,
    lits: u32,
    /// The number of antecedents; for a given clause [`GIVEN`] and its part.
    origin: u32,
}

/// Marks given clauses.
const GIVEN: u32 = 1 << 31;

/// No clause.
const NONE: u32 = u32::MAX;

/// All clauses so far.
#[derive(Debug, Default)]
pub(super) struct Proof {
    entries: Vec<Entry>,
    words: Vec<u32>,
    /// By the solver's own number.
    by_id: Vec<u32>,
    /// By variable: the first and the last part with a given clause about it.
    ranges: Vec<(u32, u32)>,
    /// The part of the clauses that are given now.
    pub(super) part: u32,
    /// The clause that ended the last query, and all clauses that did so if it is several.
    pub(super) conclusion: Option<ClauseId>,
}

impl Proof {
    /// Records a given clause, which the solver calls `id`. The solver may tell of one again
    /// when it takes it back into use.
    pub(super) fn give(&mut self, id: i64, lits: impl Iterator<Item = Lit>) {
        if self.find(id).is_some() {
            return;
        }
        let start = self.words.len();
        for lit in lits {
            self.words.push(lit.code());
            let var = lit.var().index();
            if var >= self.ranges.len() {
                self.ranges.resize(var + 1, (u32::MAX, 0));
            }
            let (low, high) = &mut self.ranges[var];
            (*low, *high) = ((*low).min(self.part), (*high).max(self.part));
        }
        self.enter(id, start, self.words.len(), GIVEN | self.part);
    }

    /// Records a derived clause.
    ///
    /// # Panics
    /// If an antecedent was never recorded.
    pub(super) fn derive(
        &mut self,
        id: i64,
        lits: impl Iterator<Item = Lit>,
        antecedents: &[i64],
    ) -> ClauseId {
        let start = self.words.len();
        self.words.extend(lits.map(Lit::code));
        let middle = self.words.len();
        for &antecedent in antecedents {
            let number = self.find(antecedent).expect("antecedents are recorded before");
            self.words.push(number.0);
        }
        self.enter(id, start, middle, antecedents.len() as u32)
    }

    fn enter(&mut self, id: i64, start: usize, middle: usize, origin: u32) -> ClauseId {
        assert!(self.words.len() < NONE as usize, "the record of the proof is too long");
        let number = self.entries.len() as u32;
        self.entries.push(Entry { start: start as u32, lits: (middle - start) as u32, origin });
        let id = usize::try_from(id).expect("clauses are numbered from 1");
        if id >= self.by_id.len() {
            self.by_id.resize(id + 1, NONE);
        }
        self.by_id[id] = number;
        ClauseId(number)
    }

    /// The clause that the solver calls `id`.
    pub(super) fn find(&self, id: i64) -> Option<ClauseId> {
        let number = *self.by_id.get(usize::try_from(id).ok()?)?;
        (number != NONE).then_some(ClauseId(number))
    }

    /// The literals of a clause.
    #[inline]
    pub(super) fn lits(&self, clause: ClauseId) -> impl Iterator<Item = Lit> + '_ {
        let entry = self.entries[clause.0 as usize];
        let words = &self.words[entry.start as usize..][..entry.lits as usize];
        words.iter().map(|&code| Lit::from_code(code))
    }

    /// Where a clause came from.
    #[inline]
    pub(super) fn source(&self, clause: ClauseId) -> Source<'_> {
        let entry = self.entries[clause.0 as usize];
        if entry.origin & GIVEN != 0 {
            return Source::Given(entry.origin & !GIVEN);
        }
        let start = (entry.start + entry.lits) as usize;
        Source::Derived(&self.words[start..start + entry.origin as usize])
    }

    /// The last part with a given clause about the variable; 0 if there is none.
    #[inline]
    pub(super) fn last_part(&self, var: Var) -> u32 {
        self.ranges.get(var.index()).map_or(0, |range| range.1)
    }

    /// The first part with a given clause about the variable; the maximum if there is none.
    #[inline]
    pub(super) fn first_part(&self, var: Var) -> u32 {
        self.ranges.get(var.index()).map_or(u32::MAX, |range| range.0)
    }

    /// How many clauses there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        4 * self.words.len() + 12 * self.entries.len() + 4 * self.by_id.len()
    }
}
