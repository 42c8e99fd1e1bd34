//! Equations of the second degree that all samples satisfy, such as `s = i·i` or `2·s + i = i·i`.
//!
//! R. Sharma, S. Gupta, B. Hariharan, A. Aiken, P. Liang, A. Nori: *A Data Driven Approach for
//! Algebraic Loop Invariants* (ESOP 2013): the products of variables are columns beside the
//! variables, and the kernel has the equations. Here they hold modulo the width. A variable that a
//! linear equation determines adds nothing, so it takes no part: with `o = 2i + 1`, each equation
//! about `i` would come again with `o`. This is heuristic: `houdini` keeps what is inductive.

use super::kernel::{Equation, equations_of_words};
use num_bigint::BigInt;
use pedra_model::term::TermId;

/// How many variables are multiplied. Six variables have 21 products. Chosen.
const MAX_CURVED: usize = 6;
/// How many equations are proposed, shortest first. Chosen.
const MAX_CURVES: usize = 6;
/// There must be this many more samples than columns: fewer satisfy an equation by chance. Chosen.
const MORE_ROWS: usize = 4;

/// `Σ a·m = b` with monomials `m`: one variable, or the product of two.
pub(super) struct Curve {
    pub(super) parts: Vec<(Vec<TermId>, BigInt)>,
    pub(super) constant: BigInt,
}

/// Equations of the second degree, of variables with these columns, which satisfy the linear ones.
pub(super) fn curves(
    variables: &[TermId],
    columns: &[&[BigInt]],
    linear: &[Equation],
    width: u32,
) -> Vec<Curve> {
    let chosen = independent(columns.len(), linear);
    let chosen = &chosen[..chosen.len().min(MAX_CURVED)];
    let rows = columns.first().map_or(0, |column| column.len());
    let mut monomials: Vec<Vec<usize>> = chosen.iter().map(|&at| vec![at]).collect();
    for (place, &a) in chosen.iter().enumerate() {
        monomials.extend(chosen[place..].iter().map(|&b| vec![a, b]));
    }
    if rows < monomials.len() + MORE_ROWS {
        return Vec::new();
    }
    let value = |monomial: &[usize], row: usize| -> BigInt {
        monomial.iter().map(|&at| &columns[at][row]).product()
    };
    let values: Vec<Vec<BigInt>> = monomials
        .iter()
        .map(|monomial| (0..rows).map(|row| value(monomial, row)).collect())
        .collect();
    let values: Vec<&[BigInt]> = values.iter().map(Vec::as_slice).collect();
    let mut found = Vec::new();
    for (factors, constant) in equations_of_words(&values, width) {
        let parts = monomials.iter().zip(factors).filter(|(_, a)| *a != BigInt::ZERO);
        let name = |monomial: &Vec<usize>| monomial.iter().map(|&at| variables[at]).collect();
        let parts: Vec<(Vec<TermId>, BigInt)> = parts.map(|(m, a)| (name(m), a)).collect();
        if parts.iter().any(|(monomial, _)| monomial.len() > 1) {
            found.push(Curve { parts, constant });
        }
    }
    found.sort_by_key(|curve| curve.parts.len());
    found.truncate(MAX_CURVES);
    found
}

/// The variables that no linear equation determines. One with the factor 1 or -1 is determined
/// modulo any width, so it goes first.
fn independent(count: usize, linear: &[Equation]) -> Vec<usize> {
    let mut is_determined = vec![false; count];
    for (factors, _) in linear {
        let open = |&at: &usize| factors[at] != BigInt::ZERO && !is_determined[at];
        let is_unit = |&at: &usize| factors[at].magnitude() == BigInt::from(1).magnitude();
        if let Some(at) = (0..count).rev().filter(open).find(is_unit) {
            is_determined[at] = true;
        }
    }
    (0..count).filter(|&at| !is_determined[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::term::{Sort, Terms};

    /// `s = 0 + 1 + … + (i - 1)` and `o = 2i + 1`, with a free `n`.
    #[test]
    fn a_sum_of_the_first_numbers_is_found() {
        let mut terms = Terms::new();
        let variables: Vec<TermId> = (0..4).map(|_| terms.new_symbol(Sort::Bv(32))).collect();
        let column = |f: fn(i64) -> i64| (0..40).map(|i| BigInt::from(f(i))).collect::<Vec<_>>();
        let n = column(|i| (i * 7919 + 13) % 251);
        let (s, i, o) = (column(|i| i * (i - 1) / 2), column(|i| i), column(|i| 2 * i + 1));
        let columns: Vec<&[BigInt]> = vec![&n, &s, &i, &o];
        let linear = equations_of_words(&columns, 32);
        assert_eq!(independent(4, &linear), [0, 1, 2]);
        let found = curves(&variables, &columns, &linear, 32);
        let [curve] = &found[..] else { panic!("{} curves", found.len()) };
        let factor = |monomial: &[TermId]| {
            let part = curve.parts.iter().find(|(other, _)| other == monomial);
            part.map_or(BigInt::ZERO, |(_, a)| a.clone())
        };
        // ±(2s + i - i·i) = 0
        let sign = factor(&[variables[2]]);
        assert_eq!(&factor(&[variables[1]]), &(&sign * 2));
        assert_eq!(&factor(&[variables[2], variables[2]]), &-&sign);
        assert_eq!((curve.parts.len(), &curve.constant), (3, &BigInt::ZERO));
    }
}
