//! Units as cubes of bits, for bit-level PDR.
//!
//! A bit is a literal. A bound is a union of cubes: `x > c` holds iff `x` and `c` agree above
//! some bit that is 0 in `c` and 1 in `x`, so there is a cube for each 0 of `c`, and for `x < c`
//! one for each 1. A congruence of one word fixes its low bits. Half-spaces of several words
//! have no small union of cubes, so units with them are left out.

use super::atom::Atom;
use super::problem::Problem;
use super::unit::Unit;
use super::value::{Int, VarId, WordVar};

/// Units that need more cubes than this are left out.
const MAX_CUBES: usize = 24;

/// A bit of a variable, and its value.
pub(super) type BitLit = (VarId, u32, bool);

/// Cubes whose union is the unit; `None` if there is none that is small.
pub(super) fn cubes_of(problem: &Problem, unit: &Unit) -> Option<Vec<Vec<BitLit>>> {
    let mut cubes: Vec<Vec<BitLit>> = vec![Vec::new()];
    for atom in unit.atoms() {
        let cases = cases_of(problem, atom)?;
        let both = |a: &Vec<BitLit>, b: &Vec<BitLit>| -> Option<Vec<BitLit>> {
            let mut all = [&a[..], &b[..]].concat();
            all.sort_unstable();
            all.dedup();
            // Sorted, a bit that must have both values is beside itself.
            let is_empty = all.windows(2).any(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1));
            (!is_empty).then_some(all)
        };
        cubes = cubes.iter().flat_map(|a| cases.iter().filter_map(|b| both(a, b))).collect();
        if cubes.len() > MAX_CUBES {
            return None;
        }
    }
    Some(cubes)
}

/// Cubes whose union is the atom.
fn cases_of(problem: &Problem, atom: &Atom) -> Option<Vec<Vec<BitLit>>> {
    match *atom {
        Atom::Bit(var, bit, value) => Some(vec![vec![(var, bit, value)]]),
        Atom::Lower(var, v) => Some(beyond(problem, var, v - 1, true)),
        Atom::Upper(var, v) => Some(beyond(problem, var, v + 1, false)),
        Atom::Cong { ref sum, log, residue, holds: true } => match sum.0[..] {
            [(var, 1)] => {
                let low = |bit| (var, bit, WordVar::bit(residue, bit));
                Some(vec![(0..log).map(low).collect()])
            }
            _ => None,
        },
        Atom::Bad(_) | Atom::Lin(..) | Atom::Cong { .. } => None,
    }
}

/// `x > c` or `x < c`, where `c` is a value of the variable.
fn beyond(problem: &Problem, var: VarId, c: Int, above: bool) -> Vec<Vec<BitLit>> {
    let info = problem.var(var);
    // The sign bit counts the other way round.
    let value = |bit: u32, value: bool| (var, bit, value ^ (info.signed && bit == info.width - 1));
    let c = c - info.min();
    let places = (0..info.width).filter(|&bit| WordVar::bit(c, bit) != above);
    places
        .map(|place| {
            let agree = (place + 1..info.width).map(|bit| value(bit, WordVar::bit(c, bit)));
            agree.chain([value(place, above)]).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::atom::Sum;
    use pedra_formats::btor2;

    const MODEL: &str = "
        1 sort bitvec 4
        2 state 1 x
        3 state 1 y
        4 next 1 2 2
        5 next 1 3 3
        6 sort bitvec 1
        7 slt 6 2 3
        8 bad 7
    ";

    #[test]
    fn cubes_are_the_unit() {
        let system = btor2::read(MODEL.as_bytes()).expect("a model");
        let mut problem = Problem::new(&system, &[0]).expect("words");
        let [x, y] = [VarId::new(0), VarId::new(1)];
        for signed in [false, true] {
            problem.vars.iter_mut().for_each(|var| var.signed = signed);
            let (min, max) = (problem.var(x).min(), problem.var(x).max());
            for low in min + 1..=max {
                for high in min..max {
                    let even = Sum::new(vec![(y, 1)]);
                    let even = Atom::Cong { sum: even, log: 2, residue: 3, holds: true };
                    let bit = Atom::Bit(x, 1, true);
                    let atoms = vec![Atom::Lower(x, low), Atom::Upper(y, high), even, bit];
                    let unit = Unit::new(atoms);
                    let cubes = cubes_of(&problem, &unit).expect("few");
                    let all = (min..=max).flat_map(|a| (min..=max).map(move |b| vec![a, b]));
                    for point in all {
                        let holds = |&(var, bit, value): &BitLit| {
                            WordVar::bit(point[var.index()], bit) == value
                        };
                        let is_in = cubes.iter().any(|cube| cube.iter().all(holds));
                        assert_eq!(is_in, unit.contains(&point), "{unit:?} {point:?}");
                    }
                }
            }
        }
        let sum = Sum::new(vec![(x, 1), (y, 1)]);
        assert_eq!(cubes_of(&problem, &Unit::new(vec![Atom::Lin(sum, 3)])), None);
    }
}
