//! Clauses that follow by unit propagation.
//!
//! A clause follows by *reverse unit propagation* (Goldberg, Novikov 2003) if propagation leads
//! from its negation to a contradiction. Two watched literals a clause make that quick.
//!
//! What propagation finds at the root stays when clauses are deleted: they followed when they
//! were added, so it did, too. The exception is the *guard*, a variable that occurs in clauses
//! only negatively: clauses with it hold for a while, and a deleted one must have no effect. The
//! guard is never assigned at the root, and from `¬guard` nothing follows.

use pedra_model::lit::{Lit, Var};
use std::collections::HashMap;

/// The clauses in force and what follows from them at once.
#[derive(Default)]
pub(crate) struct Rup {
    /// Without repetitions; deleted ones are empty.
    clauses: Vec<Box<[Lit]>>,
    /// For each literal the clauses that watch it: the first two of each are watched.
    watches: Vec<Vec<u32>>,
    /// The places of clauses, sorted.
    places: HashMap<Box<[Lit]>, Vec<u32>>,
    is_true: Vec<bool>,
    trail: Vec<Lit>,
    /// Literals of the trail before this one have been propagated.
    head: usize,
    is_refuted: bool,
}

/// The variable that stands for no constant here.
pub(crate) const GUARD: Var = Var::CONST;

impl Rup {
    fn grow(&mut self, lits: &[Lit]) {
        let most = lits.iter().map(|lit| lit.var().index()).max().unwrap_or(0);
        if self.is_true.len() < 2 * (most + 1) {
            self.is_true.resize(2 * (most + 1), false);
            self.watches.resize(2 * (most + 1), Vec::new());
        }
    }

    fn holds(&self, lit: Lit) -> bool {
        self.is_true[lit.index()]
    }

    /// Adds a clause. False if it contains the guard positively, which is not allowed.
    pub(crate) fn add(&mut self, lits: &[Lit]) -> bool {
        let key = sorted(lits);
        if key.contains(&GUARD.lit()) {
            return false;
        }
        self.grow(&key);
        let place = self.clauses.len() as u32;
        self.places.entry(key.clone()).or_default().push(place);
        let mut clause = key;
        // Literals that are not false come first.
        clause.sort_by_key(|&lit| self.holds(!lit));
        let open = clause.iter().filter(|&&lit| !self.holds(!lit)).count();
        for &lit in clause.iter().take(2) {
            self.watches[lit.index()].push(place);
        }
        match (open, clause.first()) {
            (0, _) => self.is_refuted = true,
            (1, Some(&unit)) if unit.var() != GUARD && !self.holds(unit) => {
                self.assign(unit);
                self.clauses.push(clause);
                self.is_refuted |= !self.propagate();
                return true;
            }
            _ => {}
        }
        self.clauses.push(clause);
        true
    }

    /// Deletes a clause; false if it is not there.
    pub(crate) fn delete(&mut self, lits: &[Lit]) -> bool {
        let key = sorted(lits);
        let Some(place) = self.places.get_mut(&key).and_then(Vec::pop) else { return false };
        self.clauses[place as usize] = Box::default();
        true
    }

    /// Whether a clause follows by unit propagation.
    pub(crate) fn follows(&mut self, lits: &[Lit]) -> bool {
        self.grow(lits);
        if self.is_refuted || lits.iter().any(|&lit| self.holds(lit)) {
            return true;
        }
        let root = self.trail.len();
        for &lit in lits {
            if self.holds(lit) {
                // A tautology.
                self.undo(root);
                return true;
            }
            if !self.holds(!lit) {
                self.assign(!lit);
            }
        }
        let is_contradictory = !self.propagate();
        self.undo(root);
        is_contradictory
    }

    fn assign(&mut self, lit: Lit) {
        self.is_true[lit.index()] = true;
        self.trail.push(lit);
    }

    fn undo(&mut self, root: usize) {
        for lit in self.trail.drain(root..) {
            self.is_true[lit.index()] = false;
        }
        self.head = root;
    }

    /// Propagates; false at a contradiction.
    fn propagate(&mut self) -> bool {
        while let Some(&lit) = self.trail.get(self.head) {
            self.head += 1;
            let falsified = !lit;
            let mut watching = std::mem::take(&mut self.watches[falsified.index()]);
            let mut kept = 0;
            let mut is_consistent = true;
            let mut from = 0;
            while from < watching.len() {
                let place = watching[from];
                from += 1;
                match self.visit(place, falsified) {
                    Visit::Moved => {}
                    Visit::Kept => {
                        watching[kept] = place;
                        kept += 1;
                    }
                    Visit::Contradiction => {
                        watching[kept] = place;
                        kept += 1;
                        is_consistent = false;
                        break;
                    }
                }
            }
            watching.copy_within(from.., kept);
            watching.truncate(kept + watching.len() - from);
            self.watches[falsified.index()] = watching;
            if !is_consistent {
                return false;
            }
        }
        true
    }

    /// A clause that watches a literal that has become false.
    fn visit(&mut self, place: u32, falsified: Lit) -> Visit {
        let Rup { clauses, watches, is_true, .. } = self;
        let clause = &mut clauses[place as usize];
        if clause.is_empty() {
            return Visit::Moved;
        }
        if clause.len() == 1 {
            return Visit::Contradiction;
        }
        if clause[0] == falsified {
            clause.swap(0, 1);
        }
        let first = clause[0];
        if is_true[first.index()] {
            return Visit::Kept;
        }
        if let Some(other) = (2..clause.len()).find(|&at| !is_true[(!clause[at]).index()]) {
            clause.swap(1, other);
            watches[clause[1].index()].push(place);
            return Visit::Moved;
        }
        if is_true[(!first).index()] {
            return Visit::Contradiction;
        }
        if first.var() != GUARD {
            self.assign(first);
        }
        Visit::Kept
    }
}

enum Visit {
    /// It does not watch the literal any more.
    Moved,
    Kept,
    Contradiction,
}

fn sorted(lits: &[Lit]) -> Box<[Lit]> {
    let mut lits = lits.to_vec();
    lits.sort_unstable();
    lits.dedup();
    lits.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lits(codes: &[i64]) -> Vec<Lit> {
        let lit = |&code: &i64| Lit::new(Var::new(code.unsigned_abs() as usize), code < 0);
        codes.iter().map(lit).collect()
    }

    #[test]
    fn chains_and_what_does_not_follow() {
        let mut rup = Rup::default();
        for clause in [&[1, 2][..], &[-1, 3], &[-2, 3], &[-3, 4, 5]] {
            assert!(rup.add(&lits(clause)));
        }
        assert!(!rup.follows(&lits(&[1])) && !rup.follows(&lits(&[4])) && !rup.follows(&[]));
        assert!(rup.follows(&lits(&[3])) && rup.follows(&lits(&[4, 5])));
        assert!(rup.follows(&lits(&[6, -6])));
        assert!(rup.add(&lits(&[-4])) && rup.add(&lits(&[3])) && rup.follows(&lits(&[5])));
        assert!(rup.delete(&lits(&[5, 4, -3])) && !rup.delete(&lits(&[5, 4, -3])));
        assert!(rup.follows(&lits(&[5])), "it was found before");
        assert!(rup.add(&lits(&[-5])) && rup.follows(&[]));
    }

    #[test]
    fn what_is_guarded_goes_with_its_clause() {
        let guard = !GUARD.lit();
        let mut rup = Rup::default();
        assert!(!rup.add(&[GUARD.lit()]));
        assert!(rup.add(&[lits(&[1]), vec![guard]].concat()) && rup.add(&lits(&[-1, 2])));
        assert!(rup.follows(&[lits(&[2]), vec![guard]].concat()) && !rup.follows(&lits(&[2])));
        assert!(rup.add(&lits(&[-1])) && rup.follows(&[guard]) && !rup.follows(&[]));
        assert!(rup.add(&[guard]) && rup.delete(&[guard]));
        assert!(rup.delete(&[lits(&[1]), vec![guard]].concat()) && !rup.follows(&[guard]));
    }
}
