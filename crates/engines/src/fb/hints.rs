//! What the other direction's frames say about an obligation. These hints guide the generalisation
//! of lemmas.
//!
//! A forward obligation of depth `d` violates after `d` steps, so it lies in every `RR_j` with
//! `j ≥ d`; a reverse one is reached after `d` steps and lies in every such `F_j`. A cube lies in a
//! set of clauses if and only if it has a literal of each. So literals can be dropped from the
//! obligation as long as every clause of the frame keeps one: what is left is a cube of that frame:
//! states that, as far as is known, violate (are reached) as the obligation does. It is a candidate
//! for the lemma that excludes the obligation. It is wide, but not wider than the other direction
//! has found necessary. No solver is needed to find it.
//!
//! Heuristic throughout: a query admits the candidate, like any other.

use pedra_model::lit::Lit;

/// The frames of the other direction as of the last exchange.
#[derive(Default)]
pub(super) struct Hints {
    /// By clause: the highest level where it holds.
    levels: Vec<usize>,
    /// By literal: the clauses that have it.
    occurrences: Vec<Vec<u32>>,
    /// By clause: how many literals of the cube at hand it has.
    hits: Vec<u32>,
}

impl Hints {
    /// The lemmas, as the cubes that they exclude with their highest levels, over variables below
    /// `num_vars`.
    pub(super) fn new(lemmas: &[(Vec<Lit>, usize)], num_vars: usize) -> Hints {
        let mut occurrences = vec![Vec::new(); 2 * num_vars];
        for (clause, (cube, _)) in lemmas.iter().enumerate() {
            for &lit in cube {
                occurrences[(!lit).index()].push(clause as u32);
            }
        }
        let levels: Vec<usize> = lemmas.iter().map(|&(_, level)| level).collect();
        Hints { hits: vec![0; levels.len()], levels, occurrences }
    }

    /// A part of an obligation of this depth that lies in the other direction's frame of that
    /// number, if possible made of `preferred` literals (both sorted); `None` if nothing is known
    /// there.
    pub(super) fn part(
        &mut self,
        cube: &[Lit],
        preferred: &[Lit],
        depth: usize,
    ) -> Option<Vec<Lit>> {
        let frame = depth.max(1);
        if !self.levels.iter().any(|&level| level >= frame) {
            return None;
        }
        self.hits.fill(0);
        for lit in cube {
            for &clause in &self.occurrences[lit.index()] {
                self.hits[clause as usize] += 1;
            }
        }
        let (mut order, last): (Vec<Lit>, Vec<Lit>) =
            cube.iter().partition(|lit| preferred.binary_search(lit).is_err());
        order.extend(last);
        let mut part = Vec::with_capacity(preferred.len());
        for lit in order {
            let clauses = &self.occurrences[lit.index()];
            let is_last = |&clause: &u32| {
                let clause = clause as usize;
                self.levels[clause] >= frame && self.hits[clause] == 1
            };
            if clauses.iter().any(is_last) {
                part.push(lit);
            } else {
                clauses.iter().for_each(|&clause| self.hits[clause as usize] -= 1);
            }
        }
        part.sort_unstable();
        (!part.is_empty()).then_some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::lit::Var;

    fn lit(code: i32) -> Lit {
        Lit::new(Var::new(code.unsigned_abs() as usize), code < 0)
    }

    fn cube(codes: &[i32]) -> Vec<Lit> {
        let mut cube: Vec<Lit> = codes.iter().map(|&code| lit(code)).collect();
        cube.sort_unstable();
        cube
    }

    #[test]
    fn every_clause_of_the_frame_keeps_a_literal() {
        // The clauses 1 ∨ 2, -3 ∨ 4 up to level 2, 5 up to level 1.
        let lemmas = [(cube(&[-1, -2]), 2), (cube(&[3, -4]), 2), (cube(&[-5]), 1)];
        let mut hints = Hints::new(&lemmas, 6);
        let all = cube(&[1, 2, -3, 5]);
        assert_eq!(hints.part(&all, &cube(&[2]), 2), Some(cube(&[2, -3])));
        assert_eq!(hints.part(&all, &cube(&[1]), 0), Some(cube(&[1, -3, 5])));
        assert_eq!(hints.part(&all, &[], 3), None);
    }
}
