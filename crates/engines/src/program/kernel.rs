//! Linear equations that points satisfy: the kernel of a matrix, by elimination without fractions.

use num_bigint::BigInt;
use num_integer::Integer;

/// Factors beyond this are no relation that a program means.
const MAX_FACTOR: i64 = 1 << 20;

/// The factors of a sum, and its value.
pub(super) type Equation = (Vec<BigInt>, BigInt);

/// Independent equations `Σ aᵢ·xᵢ = b` with integer factors that hold for all rows of the columns;
/// at least one factor of each is not zero.
pub(super) fn equations(columns: &[&[BigInt]]) -> Vec<Equation> {
    let n = columns.len();
    let Some(rows) = columns.first().map(|column| column.len()).filter(|&rows| rows > n.min(2))
    else {
        return Vec::new();
    };
    // Rows of differences to the first point, in echelon form; their kernel has the factors.
    let mut echelon: Vec<(usize, Vec<BigInt>)> = Vec::new();
    for row in 1..rows {
        let mut next: Vec<BigInt> =
            columns.iter().map(|column| &column[row] - &column[0]).collect();
        for (pivot, known) in &echelon {
            eliminate(&mut next, known, *pivot);
        }
        let Some(pivot) = next.iter().position(|a| *a != BigInt::ZERO) else { continue };
        reduce(&mut next);
        for (_, known) in &mut echelon {
            eliminate(known, &next, pivot);
            reduce(known);
        }
        echelon.push((pivot, next));
        if echelon.len() == n {
            return Vec::new();
        }
    }
    let is_pivot = |column: usize| echelon.iter().any(|(pivot, _)| *pivot == column);
    let mut found = Vec::new();
    for free in (0..n).filter(|&column| !is_pivot(column)) {
        // The free variable is the least common multiple of the pivots, the others follow.
        let scale = echelon.iter().fold(BigInt::from(1), |scale, (pivot, row)| {
            if row[free] == BigInt::ZERO { scale } else { scale.lcm(&row[*pivot]) }
        });
        let mut factors = vec![BigInt::ZERO; n];
        factors[free] = scale.clone();
        for (pivot, row) in &echelon {
            factors[*pivot] = -(&row[free] * &scale) / &row[*pivot];
        }
        reduce(&mut factors);
        let limit = BigInt::from(MAX_FACTOR);
        if factors.iter().all(|a| a.magnitude() <= limit.magnitude()) {
            let products = factors.iter().zip(columns).map(|(a, column)| a * &column[0]);
            let constant = products.sum();
            found.push((factors, constant));
        }
    }
    found
}

/// The same for words of this width, modulo which the equations hold. They are those of the rows
/// with small numbers, in which hardly any sum has wrapped around, as far as all others agree.
pub(super) fn equations_of_words(columns: &[&[BigInt]], width: u32) -> Vec<Equation> {
    let modulus = BigInt::from(1) << width;
    let half = BigInt::from(1) << (width - 1);
    // With a sign: numbers next to zero are small on both sides.
    let signed = |value: &BigInt| if *value >= half { value - &modulus } else { value.clone() };
    let columns: Vec<Vec<BigInt>> =
        columns.iter().map(|column| column.iter().map(signed).collect()).collect();
    let rows = columns.first().map_or(0, Vec::len);
    let holds = |(factors, constant): &Equation| {
        (0..rows).all(|row| {
            let parts = factors.iter().zip(&columns).map(|(a, column)| a * &column[row]);
            (parts.sum::<BigInt>() - constant).is_multiple_of(&modulus)
        })
    };
    let mut found = Vec::new();
    for bits in [width / 2, width.saturating_sub(2)] {
        let is_small = |row: &usize| columns.iter().all(|c| c[*row].bits() <= u64::from(bits));
        let chosen: Vec<usize> = (0..rows).filter(is_small).collect();
        let part = |column: &Vec<BigInt>| chosen.iter().map(|&row| column[row].clone()).collect();
        let part: Vec<Vec<BigInt>> = columns.iter().map(part).collect();
        let part: Vec<&[BigInt]> = part.iter().map(Vec::as_slice).collect();
        let new = equations(&part).into_iter().filter(holds);
        let new: Vec<_> = new.filter(|equation| !found.contains(equation)).collect();
        found.extend(new);
    }
    found
}

/// Makes the entry at the pivot zero.
fn eliminate(row: &mut [BigInt], by: &[BigInt], pivot: usize) {
    if row[pivot] == BigInt::ZERO {
        return;
    }
    let (a, b) = (by[pivot].clone(), row[pivot].clone());
    for (x, y) in row.iter_mut().zip(by) {
        *x = &*x * &a - y * &b;
    }
}

/// Divides a row by the common divisor of its entries.
fn reduce(row: &mut [BigInt]) {
    let gcd = row.iter().fold(BigInt::ZERO, |gcd, a| gcd.gcd(a));
    if gcd > BigInt::from(1) {
        row.iter_mut().for_each(|a| *a /= &gcd);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_that_is_constant_is_found() {
        let column = |values: &[i64]| values.iter().map(|&v| BigInt::from(v)).collect::<Vec<_>>();
        // x + 2y = 7, z is free.
        let (x, y, z) = (column(&[7, 5, 3, 1]), column(&[0, 1, 2, 3]), column(&[4, 9, 9, 2]));
        let found = equations(&[&x, &y, &z]);
        let expected = (column(&[1, 2, 0]), BigInt::from(7));
        assert_eq!(found, [expected]);
        assert!(equations(&[&z, &column(&[1, 2, 3, 5])]).is_empty());
    }

    #[test]
    fn words_that_wrap_around_keep_their_equations() {
        let column = |values: &[i64]| values.iter().map(|&v| BigInt::from(v)).collect::<Vec<_>>();
        // y = x + 3 modulo 256.
        let (x, y) = (column(&[1, 2, 5, 254, 126]), column(&[4, 5, 8, 1, 129]));
        let expected = (column(&[-1, 1]), BigInt::from(3));
        assert_eq!(equations_of_words(&[&x, &y], 8), [expected]);
        assert!(equations(&[&x, &y]).is_empty());
        // The last one is no sum.
        let y = column(&[4, 5, 8, 1, 130]);
        assert!(equations_of_words(&[&x, &y], 8).is_empty());
    }
}
