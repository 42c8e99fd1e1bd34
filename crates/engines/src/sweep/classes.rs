//! The candidates: a partition of the variables into classes that may be equal up to complement.
//!
//! Each variable has a *phase*, its value at one point that a path can start in; members of a
//! class are meant to agree relative to their phases. A class is only ever split.
//!
//! The members of a class are kept in one fixed order (see [`Classes::new`]), and the first is
//! its *representative*, by which the others are to be replaced.

use pedra_model::lit::{Lit, Var};
use rustc_hash::FxHashMap;

/// Marks a variable that is in no class of two or more.
const ALONE: u32 = u32::MAX;

/// A partition of the variables.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    phases: Vec<bool>,
    class_of: Vec<u32>,
    /// The members of each class; emptied when a class has less than two.
    members: Vec<Vec<Var>>,
}

/// A word of 64 values, complemented or not.
#[inline]
pub(super) fn word_of(values: &[u64], lit: Lit) -> u64 {
    values[lit.var().index()] ^ flip(lit.is_negated())
}

/// The word by which to complement.
#[inline]
fn flip(negated: bool) -> u64 {
    if negated { u64::MAX } else { 0 }
}

impl Classes {
    /// One class of all that is in `order`: whatever shall represent others comes first. For
    /// each variable of the system `phases` has its phase.
    pub fn new(order: &[Var], phases: Vec<bool>) -> Classes {
        let mut class_of = vec![ALONE; phases.len()];
        order.iter().for_each(|var| class_of[var.index()] = 0);
        let mut classes = Classes { phases, class_of, members: vec![order.to_vec()] };
        classes.tidy(0);
        classes
    }

    /// What the variable is to be replaced by; nothing if it represents its class.
    pub fn representative(&self, var: Var) -> Option<Lit> {
        let class = self.class_of[var.index()];
        if class == ALONE {
            return None;
        }
        let first = self.members[class as usize][0];
        let opposite = self.phases[first.index()] != self.phases[var.index()];
        (first != var).then(|| first.lit() ^ opposite)
    }

    /// Every variable that has a representative, with it.
    pub fn pairs(&self) -> impl Iterator<Item = (Var, Lit)> + '_ {
        let others = self.members.iter().flat_map(|m| m.iter().skip(1).copied());
        others.filter_map(|var| Some((var, self.representative(var)?)))
    }

    /// Whether no variable has a representative.
    pub fn is_discrete(&self) -> bool {
        self.members.iter().all(Vec::is_empty)
    }

    /// Takes a variable out of its class.
    pub fn eject(&mut self, var: Var) {
        let class = std::mem::replace(&mut self.class_of[var.index()], ALONE);
        if class != ALONE {
            self.members[class as usize].retain(|&v| v != var);
            self.tidy(class as usize);
        }
    }

    /// The lanes in which every class agrees.
    pub fn agreement(&self, values: &[u64]) -> u64 {
        self.pairs()
            .fold(u64::MAX, |lanes, (var, by)| lanes & !(values[var.index()] ^ word_of(values, by)))
    }

    /// Splits by the values in some lanes; returns whether anything was split.
    pub fn split(&mut self, values: &[u64], lanes: u64) -> bool {
        lanes != 0 && self.split_by(values, lanes, |_| true)
    }

    /// Splits only by what `judged` members say: the others stay with the first part that has
    /// one. For points that show something of some variables only.
    pub fn split_by(&mut self, values: &[u64], lanes: u64, judged: impl Fn(Var) -> bool) -> bool {
        let mut has_split = false;
        for class in 0..self.members.len() {
            let key_of = |var: Var| (values[var.index()] ^ flip(self.phases[var.index()])) & lanes;
            let mut keys = self.members[class].iter().filter(|v| judged(**v)).map(|&v| key_of(v));
            let Some(stays) = keys.next() else { continue };
            if keys.all(|key| key == stays) {
                continue;
            }
            has_split = true;
            let mut parts: Vec<Vec<Var>> = vec![Vec::new()];
            let mut part_of: FxHashMap<u64, usize> = FxHashMap::from_iter([(stays, 0)]);
            for &var in &self.members[class] {
                let key = if judged(var) { key_of(var) } else { stays };
                let part = *part_of.entry(key).or_insert(parts.len());
                if part == parts.len() {
                    parts.push(Vec::new());
                }
                parts[part].push(var);
            }
            self.replace(class, parts);
        }
        has_split
    }

    /// Puts the first part in the place of a class; the others become classes of their own.
    fn replace(&mut self, class: usize, parts: Vec<Vec<Var>>) {
        for (i, part) in parts.into_iter().enumerate() {
            if i == 0 {
                self.members[class] = part;
                self.tidy(class);
            } else {
                let number = self.members.len();
                part.iter().for_each(|var| self.class_of[var.index()] = number as u32);
                self.members.push(part);
                self.tidy(number);
            }
        }
    }

    /// A class of one is none.
    fn tidy(&mut self, class: usize) {
        if let &[last] = self.members[class].as_slice() {
            self.class_of[last.index()] = ALONE;
            self.members[class].clear();
            // Where it was the last one its place can be used again.
            if class + 1 == self.members.len() {
                self.members.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(classes: &Classes) -> Vec<(usize, Lit)> {
        let mut pairs: Vec<_> = classes.pairs().map(|(v, l)| (v.index(), l)).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn classes_split_and_keep_their_order() {
        let order: Vec<Var> = [0, 3, 1, 2, 4].map(Var::new).to_vec();
        let mut classes = Classes::new(&order, vec![false, true, false, true, false]);
        let lit = |v: usize, n| Lit::new(Var::new(v), n);
        // In lane 0 all agree; in lane 1 variables 1 and 3 leave, in lane 2 variable 2 does.
        let values = [0b000, 0b101, 0b100, 0b101, 0b000];
        assert!(!classes.split(&values, 0b001));
        assert_eq!(classes.agreement(&values) & 0b111, 0b001);
        assert!(classes.split(&values, 0b011));
        assert_eq!(pairs(&classes), [(1, lit(3, false)), (2, lit(0, false)), (4, lit(0, false))]);
        assert!(classes.split(&values, 0b111));
        assert_eq!(pairs(&classes), [(1, lit(3, false)), (4, lit(0, false))]);
        classes.eject(Var::new(3));
        assert_eq!(pairs(&classes), [(4, lit(0, false))]);
        classes.eject(Var::new(4));
        assert!(classes.is_discrete());
    }

    #[test]
    fn those_that_are_not_judged_stay() {
        let order: Vec<Var> = [0, 1, 2, 3].map(Var::new).to_vec();
        let mut classes = Classes::new(&order, vec![false; 4]);
        let values = [0, 1, 1, 0];
        assert!(classes.split_by(&values, 1, |v| v.index() < 2));
        assert_eq!(pairs(&classes), [(2, Lit::FALSE), (3, Lit::FALSE)]);
        assert!(classes.split(&values, 1));
        assert_eq!(pairs(&classes), [(3, Lit::FALSE)]);
    }
}
