//! Systems of linear equations over the integers.
//!
//! Elimination in the way of Hermite's normal form: an equation with a factor ±1 is solved for
//! that variable; any other is brought closer to that by a unimodular change of variables,
//! `t = x + Σ ⌊aⱼ/a⌋·xⱼ` for the smallest factor `a` (Euclid's algorithm on the factors). A
//! change of variables maps integers to integers in both directions and keeps greatest common
//! divisors, so an equation whose factors have a divisor that its constant lacks refutes the
//! system. Along with each equation goes how it is made of the given ones: that sum, in the
//! original variables, is the certificate.

use super::int::Int;
use super::linear::{IntVar, Terms, content, merge};

/// `Σ aᵢ·xᵢ = value`.
pub(super) struct Equation {
    pub(super) terms: Terms,
    pub(super) value: Int,
}

/// A sum of equations, divided, that has integer factors and no integer value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Certificate {
    /// For equations by number their factors.
    pub(super) weights: Vec<(usize, Int)>,
    pub(super) divisor: Int,
}

/// An equation with its origin: the sum of given equations by `weights` (with numbers in place
/// of variables), divided by `divisor`.
struct Derived {
    terms: Terms,
    value: Int,
    weights: Terms,
    divisor: Int,
}

impl Derived {
    /// Subtracts a multiple of another equation.
    fn subtract(&mut self, other: &Derived, factor: &Int) {
        self.terms = combine(&self.terms, &Int::ONE, &other.terms, factor);
        self.value = &self.value - &(&other.value * factor);
        let gcd = self.divisor.gcd(&other.divisor);
        let (own, its) = (other.divisor.div_floor(&gcd), self.divisor.div_floor(&gcd));
        self.weights = combine(&self.weights, &own, &other.weights, &(&its * factor));
        self.divisor = &self.divisor * &own;
    }

    /// Replaces `var` by `fresh − Σ quotients`.
    fn replace(&mut self, var: IntVar, fresh: IntVar, quotients: &[(IntVar, Int)]) {
        let Ok(place) = self.terms.binary_search_by_key(&var, |&(var, _)| var) else { return };
        let factor = self.terms.remove(place).1;
        self.terms = combine(&self.terms, &Int::ONE, quotients, &factor);
        // The youngest variable has the largest number.
        self.terms.push((fresh, factor));
    }
}

fn combine(a: &[(IntVar, Int)], p: &Int, b: &[(IntVar, Int)], q: &Int) -> Terms {
    let mut terms = Vec::with_capacity(a.len() + b.len());
    merge(a, p, b, q, |var, factor| terms.push((var, factor)));
    terms
}

/// Why the system has no integer solution, if that is so and found within `work` steps.
///
/// A system without rational solution has no certificate of this kind.
pub(super) fn refute(equations: &[Equation], first_free: usize, work: u64) -> Option<Certificate> {
    let mut fresh = first_free;
    let derived = |(number, equation): (usize, &Equation)| Derived {
        terms: equation.terms.clone(),
        value: equation.value.clone(),
        weights: vec![(IntVar::new(number), Int::ONE)],
        divisor: Int::ONE,
    };
    let mut open: Vec<Derived> = equations.iter().enumerate().map(derived).collect();
    let mut done = 0;
    while let Some(mut equation) = open.pop() {
        done += open.iter().map(|other| 1 + other.terms.len() as u64).sum::<u64>();
        if done > work {
            return None;
        }
        let gcd = content(&equation.terms);
        if gcd.is_zero() {
            continue;
        }
        equation.divisor = &equation.divisor * &gcd;
        if !equation.value.is_multiple_of(&gcd) {
            let weights = equation.weights.into_iter().map(|(number, w)| (number.index(), w));
            return Some(Certificate { weights: weights.collect(), divisor: equation.divisor });
        }
        equation.value = equation.value.div_floor(&gcd);
        for (_, factor) in &mut equation.terms {
            *factor = factor.div_floor(&gcd);
        }
        let smallest = equation.terms.iter().min_by_key(|(_, factor)| factor.abs());
        let (var, factor) = smallest.expect("it has terms").clone();
        if factor.abs().is_one() {
            for other in &mut open {
                let place = other.terms.binary_search_by_key(&var, |&(var, _)| var);
                if let Ok(place) = place {
                    let own = &other.terms[place].1 * &factor;
                    other.subtract(&equation, &own);
                }
            }
            continue;
        }
        let quotients = quotients(&equation.terms, var, &factor);
        let name = IntVar::new(fresh);
        fresh += 1;
        for other in &mut open {
            other.replace(var, name, &quotients);
        }
        equation.replace(var, name, &quotients);
        open.push(equation);
    }
    None
}

/// `Σ ⌊aⱼ/a⌋·xⱼ` over the other variables.
fn quotients(terms: &[(IntVar, Int)], var: IntVar, factor: &Int) -> Terms {
    let others = terms.iter().filter(|&&(other, _)| other != var);
    let quotients = others.map(|(other, own)| (*other, own.div_floor(factor)));
    quotients.filter(|(_, quotient)| !quotient.is_zero()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::random::Random;

    const VARS: usize = 3;

    fn equation(terms: &[i64], value: i64) -> Equation {
        let terms = terms.iter().enumerate().map(|(var, &a)| (IntVar::new(var), Int::from(a)));
        Equation { terms: terms.filter(|(_, a)| !a.is_zero()).collect(), value: value.into() }
    }

    /// The sum of a certificate: all factors are integers, the value is none.
    fn holds(certificate: &Certificate, equations: &[Equation]) -> bool {
        let sum = |of: &dyn Fn(&Equation) -> Int| {
            let parts = certificate.weights.iter();
            parts.fold(Int::ZERO, |sum, (at, w)| &sum + &(w * &of(&equations[*at])))
        };
        let factor = |var: usize| {
            sum(&|equation: &Equation| {
                let found = equation.terms.iter().find(|(of, _)| of.index() == var);
                found.map_or(Int::ZERO, |(_, factor)| factor.clone())
            })
        };
        (0..VARS).all(|var| factor(var).is_multiple_of(&certificate.divisor))
            && !sum(&|equation| equation.value.clone()).is_multiple_of(&certificate.divisor)
    }

    #[test]
    fn parities_across_equations() {
        // x = 2y and x = 2z + 1
        let system = [equation(&[1, -2, 0], 0), equation(&[1, 0, -2], 1)];
        let certificate = refute(&system, VARS, 1000).expect("even and odd");
        assert!(holds(&certificate, &system));
        assert_eq!(refute(&system[..1], VARS, 1000), None);
    }

    /// Certificates are right, and systems that a small solution meets have none.
    #[test]
    fn random_systems() {
        let mut random = Random::new(1);
        let mut refuted = 0;
        for _ in 0..2000 {
            let mut draw = |bound: usize| random.below(2 * bound + 1) as i64 - bound as i64;
            let point: Vec<i64> = (0..VARS).map(|_| draw(5)).collect();
            let shift = draw(1);
            let system: Vec<Equation> = (0..3)
                .map(|_| {
                    let terms: Vec<i64> = (0..VARS).map(|_| draw(9)).collect();
                    let value: i64 = terms.iter().zip(&point).map(|(a, x)| a * x).sum();
                    equation(&terms, value + shift)
                })
                .collect();
            if let Some(certificate) = refute(&system, VARS, 10_000) {
                assert!(shift != 0 && holds(&certificate, &system));
                refuted += 1;
            }
        }
        assert!(refuted > 500, "{refuted}");
    }
}
