//! The assignment, and in which order and why it came about.
//!
//! The value of a literal is one byte, and says in the same byte whether an unassigned variable
//! belongs to the domain of the query. So propagation learns with one load whether a clause may
//! be skipped: because a literal is true, or because it is outside.

use super::clauses::ClauseRef;
use pedra_model::lit::{Lit, Var};

/// The value of a literal.
pub(super) type Value = u8;
/// Assigned, and false.
pub(super) const FALSE: Value = 0;
/// Assigned, and true.
pub(super) const TRUE: Value = 1;
/// Unassigned, in the domain.
pub(super) const OPEN: Value = 2;
/// Unassigned, not in the domain.
pub(super) const OUTSIDE: Value = 3;

/// Why a literal is true.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) struct Reason(u32);

/// A [`Reason`], unpacked.
pub(super) enum Why {
    /// It was decided, or belongs to level 0.
    Decided,
    /// All other literals of this clause are false.
    Clause(ClauseRef),
    /// The other literal of this binary clause is false.
    Binary(Lit),
}

impl Reason {
    const BINARY: u32 = 1 << 31;
    /// Decided, or of level 0 (where reasons are never asked for).
    pub(super) const NONE: Reason = Reason(u32::MAX);

    #[inline]
    pub(super) fn clause(clause: ClauseRef) -> Reason {
        Reason(clause.0)
    }

    #[inline]
    pub(super) fn binary(other: Lit) -> Reason {
        Reason(other.code() | Self::BINARY)
    }

    #[inline]
    pub(super) fn why(self) -> Why {
        if self == Reason::NONE {
            Why::Decided
        } else if self.0 & Self::BINARY != 0 {
            Why::Binary(Lit::from_code(self.0 & !Self::BINARY))
        } else {
            Why::Clause(ClauseRef(self.0))
        }
    }
}

/// When and why a variable was assigned; meaningless while it is not.
#[derive(Copy, Clone)]
struct Place {
    level: u32,
    reason: Reason,
}

/// The assignment.
#[derive(Clone, Default)]
pub(super) struct Trail {
    /// By literal.
    values: Vec<Value>,
    /// By variable.
    places: Vec<Place>,
    /// The last value of each variable, by which it is decided next time (phase saving,
    /// Pipatsrisawat and Darwiche 2007). False at first, unless told otherwise.
    phases: Vec<bool>,
    /// What was assigned, in order.
    pub(super) lits: Vec<Lit>,
    /// For each level above 0 the place of its first literal.
    starts: Vec<u32>,
    /// The literals before this one have been propagated.
    pub(super) head: usize,
    /// The literals before this one have been shown to the theory, if there is one.
    pub(super) theory_head: usize,
}

impl Trail {
    /// Variables below `count` exist from now on; new ones are outside of every domain.
    pub(super) fn resize(&mut self, count: usize) {
        self.values.resize(2 * count, OUTSIDE);
        self.places.resize(count, Place { level: 0, reason: Reason::NONE });
        self.phases.resize(count, false);
    }

    #[inline]
    pub(super) fn value(&self, lit: Lit) -> Value {
        self.values[lit.index()]
    }

    #[inline]
    pub(super) fn is_open(&self, var: Var) -> bool {
        self.values[var.lit().index()] == OPEN
    }

    /// Takes an unassigned variable into the domain, or out of it.
    #[inline]
    pub(super) fn set_unassigned(&mut self, var: Var, value: Value) {
        let at = var.lit().index();
        if self.values[at] >= OPEN {
            self.values[at] = value;
            self.values[at + 1] = value;
        }
    }

    /// The number of decisions in force.
    #[inline]
    pub(super) fn level(&self) -> usize {
        self.starts.len()
    }

    /// The level at which the variable of `lit` was assigned.
    #[inline]
    pub(super) fn level_of(&self, lit: Lit) -> usize {
        self.places[lit.var().index()].level as usize
    }

    #[inline]
    pub(super) fn reason(&self, lit: Lit) -> Reason {
        self.places[lit.var().index()].reason
    }

    /// Replaces the reason of an assigned literal, after its clause has moved.
    pub(super) fn set_reason(&mut self, lit: Lit, reason: Reason) {
        self.places[lit.var().index()].reason = reason;
    }

    /// The value to decide a variable with.
    pub(super) fn preferred(&self, var: Var) -> Lit {
        Lit::new(var, !self.phases[var.index()])
    }

    /// Sets the value to decide a variable with.
    pub(super) fn set_preferred(&mut self, var: Var, value: bool) {
        self.phases[var.index()] = value;
    }

    /// Makes an unassigned literal true at the current level.
    #[inline]
    pub(super) fn assign(&mut self, lit: Lit, reason: Reason) {
        debug_assert!(self.value(lit) >= OPEN, "{lit:?} has a value already");
        let level = self.starts.len() as u32;
        self.values[lit.index()] = TRUE;
        self.values[(!lit).index()] = FALSE;
        self.places[lit.var().index()] = Place { level, reason };
        self.lits.push(lit);
    }

    /// Starts a new level.
    pub(super) fn push_level(&mut self) {
        self.starts.push(self.lits.len() as u32);
    }

    /// Unassigns all levels above `level`, and shows each variable to `freed`, latest first.
    pub(super) fn backtrack(&mut self, level: usize, mut freed: impl FnMut(Var)) {
        if self.level() <= level {
            return;
        }
        let start = self.starts[level] as usize;
        self.starts.truncate(level);
        for &lit in self.lits[start..].iter().rev() {
            // Only variables of the domain are assigned above level 0.
            self.values[lit.index()] = OPEN;
            self.values[(!lit).index()] = OPEN;
            self.phases[lit.var().index()] = !lit.is_negated();
            freed(lit.var());
        }
        self.lits.truncate(start);
        self.head = self.head.min(start);
        self.theory_head = self.theory_head.min(start);
    }

    /// The literals of level 0.
    pub(super) fn fixed(&self) -> &[Lit] {
        let end = self.starts.first().map_or(self.lits.len(), |&start| start as usize);
        &self.lits[..end]
    }

    /// The literals above level 0.
    pub(super) fn unfixed(&self) -> &[Lit] {
        &self.lits[self.fixed().len()..]
    }

    /// Takes the value away from a variable that is assigned at level 0, which must be the
    /// current level. Nothing may follow from it. Says whether it had a value.
    pub(super) fn unfix(&mut self, var: Var) -> bool {
        debug_assert_eq!(self.level(), 0);
        if self.value(var.lit()) >= OPEN {
            return false;
        }
        let at = self.lits.iter().rposition(|lit| lit.var() == var).expect("it has a value");
        self.forget(var);
        self.lits.remove(at);
        self.head -= (at < self.head) as usize;
        self.theory_head -= (at < self.theory_head) as usize;
        true
    }

    /// Takes a variable out of the model: it stays on the trail, but has no value.
    pub(super) fn forget(&mut self, var: Var) {
        let at = var.lit().index();
        self.values[at] = OPEN;
        self.values[at + 1] = OPEN;
    }
}
