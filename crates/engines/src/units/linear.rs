//! Exact integer geometry: directions through points.

use super::atom::Sum;
use super::value::{Int, Point, VarId};
use pedra_model::affine::gcd;

/// Larger coefficients are refused: they blow up the circuits and rarely mean anything.
pub(crate) const MAX_COEFFICIENT: Int = 1 << 10;

/// The normal of the hyperplane through `origin` and `others`, all of dimension `k`, with
/// `others.len() == k − 1`: by cofactors. Divided by the common divisor; `None` if the points do
/// not span a hyperplane, or a coefficient is 0 (which belongs to fewer variables) or too large.
pub(crate) fn normal(origin: &[Int], others: &[&[Int]]) -> Option<Vec<Int>> {
    let k = origin.len();
    debug_assert_eq!(others.len() + 1, k);
    let rows: Vec<Vec<Int>> =
        others.iter().map(|p| p.iter().zip(origin).map(|(a, b)| a - b).collect()).collect();
    let mut normal: Vec<Int> = Vec::with_capacity(k);
    for left_out in 0..k {
        let minor: Vec<Vec<Int>> = rows
            .iter()
            .map(|row| (0..k).filter(|&j| j != left_out).map(|j| row[j]).collect())
            .collect();
        let sign = if left_out % 2 == 0 { 1 } else { -1 };
        normal.push(determinant(minor)?.checked_mul(sign)?);
    }
    reduced(normal)
}

/// Divided by the common divisor; `None` if a coefficient is 0 or too large.
pub(crate) fn reduced(mut normal: Vec<Int>) -> Option<Vec<Int>> {
    let divisor = normal.iter().fold(0, |d, &a| gcd(d, a));
    if divisor == 0 {
        return None;
    }
    normal.iter_mut().for_each(|a| *a /= divisor);
    let fits = |a: &Int| *a != 0 && a.abs() <= MAX_COEFFICIENT;
    normal.iter().all(fits).then_some(normal)
}

/// Fraction-free elimination (Bareiss); `None` on overflow.
fn determinant(mut m: Vec<Vec<Int>>) -> Option<Int> {
    let n = m.len();
    let (mut sign, mut previous) = (1, 1);
    for k in 0..n {
        let Some(pivot) = (k..n).find(|&i| m[i][k] != 0) else { return Some(0) };
        if pivot != k {
            m.swap(pivot, k);
            sign = -sign;
        }
        for i in k + 1..n {
            for j in k + 1..n {
                let product = m[i][j].checked_mul(m[k][k])?;
                let other = m[i][k].checked_mul(m[k][j])?;
                m[i][j] = product.checked_sub(other)? / previous;
            }
        }
        previous = m[k][k];
    }
    Some(if n == 0 { 1 } else { sign * m[n - 1][n - 1] })
}

/// A hyperplane that contains all points, over these variables with no coefficient 0.
pub(crate) fn relation<'a>(
    vars: &[VarId],
    mut points: impl Iterator<Item = &'a Point>,
) -> Option<Sum> {
    let project = |point: &Point| -> Vec<Int> { vars.iter().map(|v| point[v.index()]).collect() };
    let first = project(points.next()?);
    // Independent differences, reduced to echelon form as they come.
    let mut basis: Vec<(usize, Vec<Int>)> = Vec::new();
    for point in points {
        let mut row: Vec<Int> = project(point).iter().zip(&first).map(|(a, b)| a - b).collect();
        for (column, other) in &basis {
            if row[*column] != 0 {
                let (a, b) = (other[*column], row[*column]);
                for (x, &y) in row.iter_mut().zip(other) {
                    *x = x.checked_mul(a)?.checked_sub(y.checked_mul(b)?)?;
                }
                let divisor = row.iter().fold(0, |d, &x| gcd(d, x)).max(1);
                row.iter_mut().for_each(|x| *x /= divisor);
            }
        }
        if let Some(column) = row.iter().position(|&x| x != 0) {
            basis.push((column, row));
            if basis.len() == vars.len() {
                return None;
            }
        }
    }
    if basis.len() + 1 != vars.len() {
        return None;
    }
    let rows: Vec<&[Int]> = basis.iter().map(|(_, row)| &row[..]).collect();
    let origin = vec![0; vars.len()];
    let normal = normal(&origin, &rows)?;
    Some(Sum::new(vars.iter().copied().zip(normal).collect()))
}

/// The directions of the edges of the convex hull of points in a plane, as outer normals `a`
/// with `a·x ≤ b` for all points.
pub(crate) fn hull_normals(points: &[(Int, Int)]) -> Vec<(Int, Int)> {
    let mut sorted = points.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < 3 {
        return Vec::new();
    }
    let cross = |o: (Int, Int), a: (Int, Int), b: (Int, Int)| {
        let (p, q) = ((a.0 - o.0).checked_mul(b.1 - o.1), (a.1 - o.1).checked_mul(b.0 - o.0));
        p.zip(q).and_then(|(p, q)| p.checked_sub(q)).unwrap_or(0)
    };
    let half = |points: &mut dyn Iterator<Item = (Int, Int)>| {
        let mut hull: Vec<(Int, Int)> = Vec::new();
        for point in points {
            while hull.len() >= 2 && cross(hull[hull.len() - 2], hull[hull.len() - 1], point) <= 0 {
                hull.pop();
            }
            hull.push(point);
        }
        hull
    };
    let mut normals = Vec::new();
    let lower = half(&mut sorted.iter().copied());
    let upper = half(&mut sorted.iter().rev().copied());
    for chain in [lower, upper] {
        for edge in chain.windows(2) {
            // Counter-clockwise, so that the outside is to the right.
            let (dx, dy) = (edge[1].0 - edge[0].0, edge[1].1 - edge[0].1);
            if let Some(n) = reduced(vec![dy, -dx]) {
                normals.push((n[0], n[1]));
            }
        }
    }
    normals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyperplanes_contain_their_points() {
        assert_eq!(normal(&[6, 0], &[&[0, 3]]), Some(vec![1, 2]));
        let plane = normal(&[1, 0, 0], &[&[0, 1, 0], &[0, 0, 1]]).expect("a plane");
        assert!(plane == [1, 1, 1] || plane == [-1, -1, -1]);
        assert_eq!(normal(&[1, 1], &[&[1, 5]]), None, "a coefficient is zero");
        assert_eq!(normal(&[1, 1, 1], &[&[2, 2, 2], &[3, 3, 3]]), None, "on a line");
        let mut seed = 7i128;
        let mut next = || {
            seed = (seed * 1103515245 + 12345) % (1 << 31);
            seed % 9 - 4
        };
        for _ in 0..500 {
            let points: Vec<Vec<Int>> = (0..4).map(|_| (0..4).map(|_| next()).collect()).collect();
            let others: Vec<&[Int]> = points[1..].iter().map(|p| &p[..]).collect();
            if let Some(n) = normal(&points[0], &others) {
                let value = |p: &[Int]| p.iter().zip(&n).map(|(a, b)| a * b).sum::<Int>();
                assert!(others.iter().all(|p| value(p) == value(&points[0])));
            }
        }
    }

    #[test]
    fn relations_of_points() {
        let vars = [VarId::new(0), VarId::new(1), VarId::new(2)];
        let points: Vec<Point> = vec![vec![0, 0, 0], vec![1, 0, 1], vec![1, 1, 2], vec![5, 2, 7]];
        let sum = relation(&vars, points.iter()).expect("x + y = z");
        assert!(points.iter().all(|p| sum.value(p) == 0));
        assert_eq!(relation(&vars[..2], points.iter()), None);
    }

    #[test]
    fn edges_of_a_hull() {
        let points = [(0, 0), (1, 100), (2, 200), (3, 102), (4, 4), (1, 1)];
        let normals = hull_normals(&points);
        assert!(normals.contains(&(1, -1)), "{normals:?}");
        assert!(normals.contains(&(-100, 1)), "{normals:?}");
        for (a, b) in normals {
            // An edge has at least two points, and no point is beyond it.
            let values = points.map(|(x, y)| a * x + b * y);
            let greatest = values.into_iter().max();
            let on_edge = values.into_iter().filter(|&value| Some(value) == greatest).count();
            assert!(on_edge >= 2, "{a} {b}");
        }
    }
}
