//! The shape of a region in the plane of two variables.

use super::Axis;
use pedra_engines::{Product, Region, RegionAtom};

/// A point of the plane.
pub type Point = (f64, f64);

/// What a region is in the plane.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// The corners of what its half-spaces leave of the window; empty if that is nothing.
    pub corners: Vec<Point>,
    /// Whether bits or remainders leave only some of the points in it.
    pub has_holes: bool,
    /// Whether other variables matter, too: then this is a shadow.
    pub is_shadow: bool,
}

/// The part of a sum that is about the two variables, if it is about nothing else.
fn coefficients(sum: &[Product], axes: &[Axis; 2]) -> Option<[i128; 2]> {
    let mut found = [0; 2];
    for product in sum {
        let axis = axes.iter().position(|axis| axis.state == product.state)?;
        found[axis] += product.factor;
    }
    Some(found)
}

impl Shape {
    /// The shape within the ranges of the axes. Each integer point is taken as a cell around it,
    /// so that a single point is a square and not nothing.
    pub fn of(region: &Region, axes: &[Axis; 2]) -> Shape {
        let [(left, right), (bottom, top)] =
            [0, 1].map(|n: usize| (axes[n].range.0 as f64 - 0.5, axes[n].range.1 as f64 + 0.5));
        let window = vec![(left, bottom), (right, bottom), (right, top), (left, top)];
        let mut shape = Shape { corners: window, has_holes: false, is_shadow: false };
        for atom in &region.atoms {
            match atom {
                RegionAtom::AtMost { sum, bound } => match coefficients(sum, axes) {
                    Some([a, b]) => {
                        let side =
                            |(x, y): Point| a as f64 * x + b as f64 * y - *bound as f64 - 0.5;
                        shape.corners = clip(&shape.corners, side);
                    }
                    None => shape.is_shadow = true,
                },
                RegionAtom::Remainder { sum, .. } => match coefficients(sum, axes) {
                    Some(_) => shape.has_holes = true,
                    None => shape.is_shadow = true,
                },
                RegionAtom::Bit { state, .. } => {
                    match axes.iter().any(|axis| axis.state == *state) {
                        true => shape.has_holes = true,
                        false => shape.is_shadow = true,
                    }
                }
                RegionAtom::Other(_) => shape.is_shadow = true,
            }
        }
        shape
    }
}

/// The part of a convex polygon where `side` is not positive (Sutherland and Hodgman); `side`
/// is linear.
fn clip(polygon: &[Point], side: impl Fn(Point) -> f64) -> Vec<Point> {
    let mut kept = Vec::new();
    for (number, &from) in polygon.iter().enumerate() {
        let to = polygon[(number + 1) % polygon.len()];
        let (at_from, at_to) = (side(from), side(to));
        if at_from <= 0.0 {
            kept.push(from);
        }
        if (at_from <= 0.0) != (at_to <= 0.0) {
            let part = at_from / (at_from - at_to);
            kept.push((from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1)));
        }
    }
    kept
}

/// Whether an integer point may be in a region, as far as the two variables tell.
pub fn may_contain(region: &Region, axes: &[Axis; 2], point: (i64, i64)) -> bool {
    let values = [point.0, point.1].map(i128::from);
    let value =
        |sum: &[Product]| coefficients(sum, axes).map(|[a, b]| a * values[0] + b * values[1]);
    region.atoms.iter().all(|atom| match atom {
        RegionAtom::AtMost { sum, bound } => value(sum).is_none_or(|v| v <= *bound),
        RegionAtom::Remainder { sum, log, remainder, holds } => {
            let modulus = 1i128 << (*log).min(126);
            value(sum).is_none_or(|v| ((v - remainder).rem_euclid(modulus) == 0) == *holds)
        }
        RegionAtom::Bit { state, bit, value } => {
            let axis = axes.iter().position(|axis| axis.state == *state);
            axis.is_none_or(|axis| (values[axis] >> (*bit).min(126) & 1 == 1) == *value)
        }
        RegionAtom::Other(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes() -> [Axis; 2] {
        [0, 1].map(|state| Axis {
            state,
            name: String::new(),
            width: 8,
            signed: true,
            range: (0, 9),
        })
    }

    fn at_most(factors: &[(usize, i128)], bound: i128) -> RegionAtom {
        let product = |&(state, factor)| Product { state, signed: true, factor };
        RegionAtom::AtMost { sum: factors.iter().map(product).collect(), bound }
    }

    fn region(atoms: Vec<RegionAtom>) -> Region {
        Region { atoms, ..Region::default() }
    }

    #[test]
    fn shapes() {
        // x ≥ 3 and x ≤ 3 and y ≤ 4: a column of cells.
        let column =
            region(vec![at_most(&[(0, -1)], -3), at_most(&[(0, 1)], 3), at_most(&[(1, 1)], 4)]);
        let shape = Shape::of(&column, &axes());
        let xs: Vec<f64> = shape.corners.iter().map(|c| c.0).collect();
        assert!(xs.iter().all(|x| (2.5..=3.5).contains(x)) && xs.len() >= 4, "{shape:?}");
        assert!(shape.corners.iter().all(|c| c.1 >= -0.5 && c.1 <= 4.5));
        assert!(!shape.is_shadow && !shape.has_holes);
        assert!(may_contain(&column, &axes(), (3, 0)) && !may_contain(&column, &axes(), (4, 0)));
        // x + 2y ≥ 6, and something about another variable.
        let half = region(vec![at_most(&[(0, -1), (1, -2)], -6), at_most(&[(7, 1)], 0)]);
        let shape = Shape::of(&half, &axes());
        assert!(shape.is_shadow);
        assert!(shape.corners.iter().all(|&(x, y)| x + 2.0 * y >= 5.5 - 1e-9), "{shape:?}");
        let nothing = region(vec![at_most(&[(0, 1)], -5)]);
        assert!(Shape::of(&nothing, &axes()).corners.is_empty());
    }

    #[test]
    fn holes() {
        let bit = RegionAtom::Bit { state: 0, bit: 0, value: false };
        let sum = vec![Product { state: 1, signed: true, factor: 1 }];
        let third = RegionAtom::Remainder { sum, log: 2, remainder: 3, holds: true };
        let even = region(vec![bit, third]);
        assert!(Shape::of(&even, &axes()).has_holes);
        let inside: Vec<(i64, i64)> = (0..10)
            .flat_map(|x| (0..8).map(move |y| (x, y)))
            .filter(|&point| may_contain(&even, &axes(), point))
            .collect();
        assert_eq!(inside.len(), 5 * 2);
        assert!(may_contain(&even, &axes(), (-2, -1)) && !may_contain(&even, &axes(), (-1, -1)));
    }
}
