//! The paper's `reshape`: half-spaces of several variables, guessed from the corners of units.
//!
//! A *corner* of a unit takes for each of `k` variables one of its bounds. The same corners of
//! other units, the *guides*, fix with it a hyperplane, which is substituted for one of the
//! corner's own bounds; if the result can still be excluded, it is kept. The paper asks for `n`
//! guides; with the corner that is one too many, so `k − 1` are used. Near guides succeed most
//! often (so the paper), so they are tried first.
//!
//! Units with many bounds have more corners than can be listed: `C(n, k)`. They are made one at a
//! time, each is counted as work, and after [`MAX_CORNERS`] the others are skipped.

use super::Exclude;
use super::atom::{Atom, Sum};
use super::expand::expand;
use super::linear::normal;
use super::unit::Unit;
use super::value::{Int, VarId};
use crate::trace::{Level, Stopped};
use rustc_hash::FxHashSet;

/// How many choices of bounds are looked at, for each number of variables.
const MAX_CORNERS: usize = 5000;

/// How many substitutions are tried for one unit.
const MAX_ATTEMPTS: usize = 32;

/// How many of the nearest units serve as guides. With 2 the times on the paper's Table 2 are the
/// same, but for `bound`, which then is solved after 4 s.
const MAX_GUIDES: usize = 8;

/// A corner: which bound of each variable, and where it is.
struct Corner {
    vars: Vec<VarId>,
    /// Whether the lower bound is meant.
    lower: Vec<bool>,
    at: Vec<Int>,
}

impl Corner {
    /// Its bounds as atoms.
    fn atoms(&self) -> impl Iterator<Item = Atom> {
        (0..self.vars.len()).map(|i| match self.lower[i] {
            true => Atom::Lower(self.vars[i], self.at[i]),
            false => Atom::Upper(self.vars[i], self.at[i]),
        })
    }

    /// Whether the unit has it.
    fn is_of(&self, unit: &Unit) -> bool {
        self.atoms().all(|atom| unit.atoms().contains(&atom))
    }
}

/// Half-spaces that were tried in vain, for whatever unit and level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failed(FxHashSet<(Sum, Int)>);

/// Tries to give the unit, which can be excluded from `F_i`, boundaries of several variables.
pub(crate) fn reshape(
    frames: &mut impl Exclude,
    arity: usize,
    failed: &mut Failed,
    mut unit: Unit,
    level: Level,
) -> Result<Unit, Stopped> {
    let mut attempts = MAX_ATTEMPTS;
    for arity in 2..=arity {
        for corner in corners(&unit, arity) {
            if attempts == 0 {
                return Ok(unit);
            }
            // What was reshaped since then may have lost it.
            let Some(corner) = corner.filter(|corner| corner.is_of(&unit)) else { continue };
            let looked_at = frames.shapes().map(|unit| unit.atoms().len() * arity).sum::<usize>();
            frames.count(looked_at as u64)?;
            let guides = guides(frames, &corner);
            for set in Subsets::new(guides.len(), arity - 1).take(MAX_CORNERS) {
                let others: Vec<&[Int]> = set.iter().map(|&g| &guides[g][..]).collect();
                let Some(normal) = normal(&corner.at, &others) else { continue };
                let Some(plane) = oriented(&corner, normal) else { continue };
                if attempts == 0 {
                    break;
                }
                if failed.0.contains(&plane) {
                    continue;
                }
                attempts -= 1;
                match substitute(frames, &corner, &plane, &unit, level)? {
                    Some(reshaped) => {
                        unit = expand(frames, reshaped, level)?;
                        break;
                    }
                    None => {
                        failed.0.insert(plane);
                    }
                }
            }
        }
    }
    Ok(unit)
}

/// The corners over `k` variables that the unit has bounds for, `None` for both bounds of one
/// variable.
fn corners(unit: &Unit, k: usize) -> impl Iterator<Item = Option<Corner>> + use<> {
    let bounds: Vec<(VarId, bool, Int)> = unit
        .atoms()
        .iter()
        .filter_map(|atom| match *atom {
            Atom::Lower(var, v) => Some((var, true, v)),
            Atom::Upper(var, v) => Some((var, false, v)),
            _ => None,
        })
        .collect();
    Subsets::new(bounds.len(), k).take(MAX_CORNERS).map(move |set| {
        let chosen: Vec<_> = set.iter().map(|&i| bounds[i]).collect();
        let mut vars: Vec<VarId> = chosen.iter().map(|&(var, ..)| var).collect();
        vars.sort_unstable();
        vars.dedup();
        (vars.len() == k).then(|| Corner {
            vars: chosen.iter().map(|&(var, ..)| var).collect(),
            lower: chosen.iter().map(|&(_, lower, _)| lower).collect(),
            at: chosen.iter().map(|&(.., v)| v).collect(),
        })
    })
}

/// The same corners of other units, nearest first.
fn guides(frames: &impl Exclude, corner: &Corner) -> Vec<Vec<Int>> {
    let mut found: Vec<(Int, Vec<Int>)> = Vec::new();
    for unit in frames.shapes() {
        let at: Option<Vec<Int>> = corner
            .vars
            .iter()
            .zip(&corner.lower)
            .map(|(&var, &lower)| {
                let bounds = unit.bounds(var);
                if lower { bounds.0 } else { bounds.1 }
            })
            .collect();
        let Some(at) = at.filter(|at| *at != corner.at) else { continue };
        let distance = at.iter().zip(&corner.at).map(|(a, b)| (a - b).abs()).sum();
        found.push((distance, at));
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(MAX_GUIDES).map(|(_, at)| at).collect()
}

/// The half-space `a·x ≤ b` with the corner on its edge and the unit inside: moving from a
/// bound into the unit must not leave it.
fn oriented(corner: &Corner, normal: Vec<Int>) -> Option<(Sum, Int)> {
    let inwards = corner.lower.iter().map(|&lower| if lower { 1 } else { -1 });
    let slopes: Vec<Int> = normal.iter().zip(inwards).map(|(a, d)| a * d).collect();
    let sign = if slopes.iter().all(|&s| s <= 0) {
        1
    } else if slopes.iter().all(|&s| s >= 0) {
        -1
    } else {
        return None;
    };
    let b: Int = normal.iter().zip(&corner.at).map(|(a, x)| sign * a * x).sum();
    let products = corner.vars.iter().zip(&normal).map(|(&v, &a)| (v, sign * a)).collect();
    Some((Sum::new(products), b))
}

/// Puts the plane in the place of all the corner's bounds, else of one of them.
fn substitute(
    frames: &mut impl Exclude,
    corner: &Corner,
    (sum, b): &(Sum, Int),
    unit: &Unit,
    level: Level,
) -> Result<Option<Unit>, Stopped> {
    let plane = Atom::Lin(sum.clone(), *b);
    let neighbours: Vec<Atom> = corner.atoms().collect();
    let kept = unit.atoms().iter().filter(|atom| !neighbours.contains(atom)).cloned();
    let boldest = Unit::new(kept.chain([plane.clone()]).collect());
    let each = neighbours.iter().map(|neighbour| unit.with(neighbour, plane.clone()));
    for candidate in [boldest].into_iter().chain(each) {
        if let Some(core) = frames.find_inductive(&candidate, level)? {
            return Ok(Some(core));
        }
    }
    Ok(None)
}

/// All choices of `k` out of `n`, in lexicographic order, one at a time.
struct Subsets {
    n: usize,
    next: Option<Vec<usize>>,
}

impl Subsets {
    fn new(n: usize, k: usize) -> Subsets {
        Subsets { n, next: (k <= n).then(|| (0..k).collect()) }
    }
}

impl Iterator for Subsets {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let set = self.next.take()?;
        let k = set.len();
        if let Some(place) = (0..k).rev().find(|&i| set[i] < self.n - k + i) {
            let mut next = set.clone();
            next[place] += 1;
            for i in place + 1..k {
                next[i] = next[i - 1] + 1;
            }
            self.next = Some(next);
        }
        Some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices() {
        assert_eq!(Subsets::new(4, 2).count(), 6);
        assert_eq!(Subsets::new(4, 2).last(), Some(vec![2, 3]));
        assert_eq!(Subsets::new(3, 3).collect::<Vec<_>>(), [[0, 1, 2]]);
        assert_eq!(Subsets::new(1, 2).count(), 0);
    }

    #[test]
    fn many_bounds_have_no_more_corners_than_are_looked_at() {
        // All choices of 4 out of 4000 bounds would not fit into any memory.
        let bounds = (0..4000).map(|v| Atom::Lower(VarId::new(v), 1)).collect();
        assert_eq!(corners(&Unit::new(bounds), 4).count(), MAX_CORNERS);
    }

    #[test]
    fn figure_4_of_the_paper() {
        // Lower-left corners (2, 2) and (4, 1) lie on x + 2y = 6.
        let (x, y) = (VarId::new(0), VarId::new(1));
        let corner = Corner { vars: vec![x, y], lower: vec![true, true], at: vec![2, 2] };
        let normal = normal(&corner.at, &[&[4, 1]]).expect("a line");
        let plane = oriented(&corner, normal).expect("the unit is on one side");
        assert_eq!(plane, (Sum::new(vec![(x, -1), (y, -2)]), -6));
    }
}
