//! Linear expressions over integer variables.

use super::int::Int;
use std::cmp::Ordering;
use std::fmt;

/// An integer variable of a solver, by its number.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntVar(pub(super) u32);

impl IntVar {
    /// The variable with this number.
    pub fn new(index: usize) -> IntVar {
        IntVar(u32::try_from(index).expect("fewer than 2^32 integer variables"))
    }

    /// Its number, to index arrays with.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for IntVar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

/// `Σ aᵢ·xᵢ`, sorted by variable, without zeros.
pub type Terms = Vec<(IntVar, Int)>;

/// `Σ aᵢ·xᵢ + c`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Linear {
    /// The part with variables: sorted, no coefficient is 0.
    pub terms: Terms,
    /// The constant.
    pub constant: Int,
}

impl Linear {
    /// A constant.
    pub fn constant(constant: impl Into<Int>) -> Linear {
        Linear { terms: Vec::new(), constant: constant.into() }
    }

    /// A variable.
    pub fn var(var: IntVar) -> Linear {
        Linear { terms: vec![(var, Int::ONE)], constant: Int::ZERO }
    }

    /// From terms in any order, with repetitions.
    pub fn new(terms: impl IntoIterator<Item = (IntVar, Int)>, constant: Int) -> Linear {
        let mut all: Terms = terms.into_iter().collect();
        all.sort_by_key(|&(var, _)| var);
        let mut terms: Terms = Vec::with_capacity(all.len());
        for (var, factor) in all {
            match terms.last_mut() {
                Some((last, sum)) if *last == var => *sum = &*sum + &factor,
                _ => terms.push((var, factor)),
            }
        }
        terms.retain(|(_, factor)| !factor.is_zero());
        Linear { terms, constant }
    }

    /// The value if there is no variable.
    pub fn as_constant(&self) -> Option<&Int> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// The factor of a variable.
    pub fn factor(&self, var: IntVar) -> Int {
        match self.terms.binary_search_by_key(&var, |&(var, _)| var) {
            Ok(place) => self.terms[place].1.clone(),
            Err(_) => Int::ZERO,
        }
    }

    /// `factor · self`.
    pub fn scale(&self, factor: &Int) -> Linear {
        if factor.is_zero() {
            return Linear::constant(0);
        }
        let terms = self.terms.iter().map(|(var, of)| (*var, of * factor)).collect();
        Linear { terms, constant: &self.constant * factor }
    }

    /// `left · self − right · other`.
    pub fn combine(&self, left: &Int, other: &Linear, right: &Int) -> Linear {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        merge(&self.terms, left, &other.terms, right, |var, factor| terms.push((var, factor)));
        let constant = Int::cross(left, &self.constant, right, &other.constant);
        Linear { terms, constant }
    }

    /// `self + other`.
    pub fn plus(&self, other: &Linear) -> Linear {
        self.combine(&Int::ONE, other, &Int::from(-1))
    }

    /// `self − other`.
    pub fn minus(&self, other: &Linear) -> Linear {
        self.combine(&Int::ONE, other, &Int::ONE)
    }

    /// The value under an assignment.
    pub fn eval(&self, mut value: impl FnMut(IntVar) -> Int) -> Int {
        let add = |sum: Int, (var, factor): &(IntVar, Int)| &sum + &(factor * &value(*var));
        self.terms.iter().fold(self.constant.clone(), add)
    }
}

impl fmt::Debug for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (var, factor) in &self.terms {
            write!(f, "{factor}*{var:?} + ")?;
        }
        write!(f, "{}", self.constant)
    }
}

/// Shows the terms of `p·a − q·b` that are not 0, in order. Both lists are sorted.
#[inline]
pub(super) fn merge(
    a: &[(IntVar, Int)],
    p: &Int,
    b: &[(IntVar, Int)],
    q: &Int,
    mut push: impl FnMut(IntVar, Int),
) {
    let (mut i, mut j) = (0, 0);
    loop {
        let order = match (a.get(i), b.get(j)) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((left, _)), Some((right, _))) => left.cmp(right),
        };
        let (var, factor) = match order {
            Ordering::Less => (a[i].0, p * &a[i].1),
            Ordering::Greater => (b[j].0, -&(q * &b[j].1)),
            Ordering::Equal => (a[i].0, Int::cross(p, &a[i].1, q, &b[j].1)),
        };
        i += (order != Ordering::Greater) as usize;
        j += (order != Ordering::Less) as usize;
        if !factor.is_zero() {
            push(var, factor);
        }
    }
}

/// The greatest common divisor of all factors; 0 if there is none.
pub(super) fn content(terms: &[(IntVar, Int)]) -> Int {
    let mut gcd = Int::ZERO;
    for (_, factor) in terms {
        gcd = gcd.gcd(factor);
        if gcd.is_one() {
            break;
        }
    }
    gcd
}

/// What an inequality `Σ aᵢ·xᵢ ≤ k` comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inequality {
    /// It has no variables.
    Constant(bool),
    /// `terms ≤ bound`, or its negation if `is_negated`: `terms ≥ bound + 1`. The factors are
    /// coprime and the first one is positive.
    Bound { terms: Terms, bound: Int, is_negated: bool },
}

/// The normal form of `expression ≤ 0`.
///
/// Division by the greatest common divisor rounds the bound: over the integers nothing is lost,
/// and `3x − 3y ≤ 1` becomes `x − y ≤ 0`.
pub(super) fn normalise(expression: &Linear) -> Inequality {
    let Some((_, first)) = expression.terms.first() else {
        return Inequality::Constant(!expression.constant.is_positive());
    };
    let is_negated = first.is_negative();
    let gcd = content(&expression.terms);
    // Σ a·x ≤ −c; with a negative first factor this is Σ −a·x ≥ c, which is ¬(Σ −a·x ≤ c − 1).
    let divisor = if is_negated { -&gcd } else { gcd.clone() };
    let terms =
        expression.terms.iter().map(|(var, factor)| (*var, factor.div_floor(&divisor))).collect();
    let bound = match is_negated {
        false => (-&expression.constant).div_floor(&gcd),
        true => &expression.constant.div_ceil(&gcd) - &Int::ONE,
    };
    Inequality::Bound { terms, bound, is_negated }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(terms: &[(usize, i64)], constant: i64) -> Linear {
        let terms = terms.iter().map(|&(var, factor)| (IntVar::new(var), Int::from(factor)));
        Linear::new(terms, Int::from(constant))
    }

    #[test]
    fn sums_are_sorted_and_have_no_zeros() {
        let sum = linear(&[(2, 3), (1, 1), (2, -3), (0, 5)], 7);
        assert_eq!(sum, linear(&[(0, 5), (1, 1)], 7));
        assert_eq!(sum.minus(&sum), Linear::constant(0));
        assert_eq!(sum.plus(&linear(&[(1, -1), (3, 2)], -7)), linear(&[(0, 5), (3, 2)], 0));
        let value = |var: IntVar| Int::from(10 + var.index() as i64);
        assert_eq!(sum.eval(value), Int::from(5 * 10 + 11 + 7));
    }

    #[test]
    fn inequalities_are_tightened() {
        let bound = |terms: &[(usize, i64)], bound: i64, is_negated| {
            let terms = linear(terms, 0).terms;
            Inequality::Bound { terms, bound: Int::from(bound), is_negated }
        };
        for (expression, expected) in [
            (linear(&[], 0), Inequality::Constant(true)),
            (linear(&[], 1), Inequality::Constant(false)),
            // 3x − 3y ≤ 1
            (linear(&[(0, 3), (1, -3)], -1), bound(&[(0, 1), (1, -1)], 0, false)),
            // −3x + 3y ≤ −1: x − y ≥ 1/3, so x − y ≥ 1
            (linear(&[(0, -3), (1, 3)], 1), bound(&[(0, 1), (1, -1)], 0, true)),
            // −x ≤ 5: x ≥ −5
            (linear(&[(0, -1)], -5), bound(&[(0, 1)], -6, true)),
        ] {
            assert_eq!(normalise(&expression), expected, "{expression:?} <= 0");
        }
    }
}
