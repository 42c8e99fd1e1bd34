//! Interpolants of two conjunctions, from Farkas' weights.
//!
//! If `A ∧ B` has no rational solution, then some sum of its inequalities with positive weights
//! is `0 ≤ −1`, and the part of the sum that comes from `A` is an interpolant: `A` implies it, `B`
//! contradicts it, and variables that only one side has are gone, as they are gone from the
//! whole sum and the other side has none (K. L. McMillan: *An interpolating theorem prover*, TCS
//! 2005).
//!
//! Each inequality is rounded on its own before, and so is the result; that is sound over the
//! integers. Cuts across both sides are not, so a conjunction that only these refute has no
//! interpolant here.

use super::int::Int;
use super::linear::{Inequality, IntVar, Linear, Terms, normalise};
use super::simplex::{Bound, Conflict, Outcome, Side, Simplex};
use crate::interrupt::Interrupt;
use pedra_model::lit::{Lit, Var};
use rustc_hash::FxHashMap;

/// `e` such that all of `a` imply `e ≤ 0`, and this contradicts `b`; all inequalities are
/// `expression ≤ 0`. `None` if there is a rational solution, or the interrupt was raised.
pub fn interpolate(a: &[Linear], b: &[Linear], interrupt: &Interrupt) -> Option<Linear> {
    let mut simplex = Simplex::new();
    let conflict = refute(&mut simplex, a, b, interrupt)?;
    let mut terms = Terms::new();
    let mut constant = Int::ZERO;
    for (lit, weight) in conflict {
        let Some(own) = a.get(lit.var().index()) else { continue };
        let own = round(own);
        terms.extend(own.terms.iter().map(|(var, factor)| (*var, factor * &weight)));
        constant = &constant + &(&own.constant * &weight);
    }
    Some(round(&Linear::new(terms, constant)))
}

/// Weights, by number of the inequality, whose sum is a contradiction.
fn refute(
    simplex: &mut Simplex,
    a: &[Linear],
    b: &[Linear],
    interrupt: &Interrupt,
) -> Option<Conflict> {
    let all = || a.iter().chain(b);
    let count = all().flat_map(|e| e.terms.iter().map(|(var, _)| var.index() + 1)).max();
    for _ in 0..count.unwrap_or(0) {
        simplex.add(Terms::new());
    }
    let mut forms: FxHashMap<Terms, IntVar> = FxHashMap::default();
    for (number, expression) in all().enumerate() {
        let reason: Lit = Var::new(number).lit();
        let (terms, bound, is_negated) = match normalise(expression) {
            Inequality::Constant(true) => continue,
            Inequality::Constant(false) => return Some(vec![(reason, Int::ONE)]),
            Inequality::Bound { terms, bound, is_negated } => (terms, bound, is_negated),
        };
        let form = match *terms {
            [(var, _)] => var,
            _ => *forms.entry(terms).or_insert_with_key(|terms| simplex.add(terms.clone())),
        };
        let (side, value) = match is_negated {
            false => (Side::Upper, bound),
            true => (Side::Lower, &bound + &Int::ONE),
        };
        if let Err(conflict) = simplex.assert(form, side, Bound { value, reason }) {
            return Some(conflict);
        }
    }
    match simplex.check(interrupt) {
        Outcome::Conflict(conflict) => Some(conflict),
        Outcome::Feasible | Outcome::Stopped => None,
    }
}

/// `e ≤ 0` with coprime factors and the constant rounded; what [`normalise`] makes of it, with
/// the sign that it had.
fn round(expression: &Linear) -> Linear {
    match normalise(expression) {
        Inequality::Constant(value) => Linear::constant(if value { 0 } else { 1 }),
        Inequality::Bound { terms, bound, is_negated: false } => {
            Linear { terms, constant: -&bound }
        }
        // terms ≥ bound + 1
        Inequality::Bound { terms, bound, is_negated: true } => {
            Linear { terms, constant: -&(&bound + &Int::ONE) }.scale(&Int::from(-1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::random::Random;

    const BOX: i64 = 6;

    fn linear(factors: [i64; 3], constant: i64) -> Linear {
        let terms = factors.iter().enumerate().map(|(var, &a)| (IntVar::new(var), Int::from(a)));
        Linear::new(terms, Int::from(constant))
    }

    fn holds(e: &Linear, point: [i64; 3]) -> bool {
        !e.eval(|var| Int::from(point[var.index()])).is_positive()
    }

    /// `A` is over x and y, `B` over y and z: the interpolant is over y alone, `A` implies it
    /// and `B` contradicts it, at every point of a box.
    #[test]
    fn interpolants_separate() {
        let mut found = 0;
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let mut draw = |bound: usize| random.below(2 * bound + 1) as i64 - bound as i64;
            let mut side = |is_a: bool| -> Vec<Linear> {
                (0..3)
                    .map(|_| {
                        let (own, shared) = (draw(3), draw(3));
                        let factors = if is_a { [own, shared, 0] } else { [0, shared, own] };
                        linear(factors, draw(9))
                    })
                    .collect()
            };
            let (a, b) = (side(true), side(false));
            let Some(interpolant) = interpolate(&a, &b, &Interrupt::new()) else { continue };
            found += 1;
            assert!(interpolant.terms.iter().all(|&(var, _)| var == IntVar::new(1)));
            for point in 0..(2 * BOX + 1).pow(3) {
                let digit = |place: u32| point / (2 * BOX + 1).pow(place) % (2 * BOX + 1) - BOX;
                let point = [digit(0), digit(1), digit(2)];
                let all = |side: &[Linear]| side.iter().all(|e| holds(e, point));
                assert!(!all(&a) || holds(&interpolant, point), "{a:?} to {interpolant:?}");
                assert!(!all(&b) || !holds(&interpolant, point), "{b:?} and {interpolant:?}");
            }
        }
        assert!(found > 200, "{found}");
    }

    #[test]
    fn trivial_sides() {
        let (yes, no) = (Linear::constant(-1), Linear::constant(1));
        let run = |a: &Linear, b: &Linear| {
            interpolate(std::slice::from_ref(a), std::slice::from_ref(b), &Interrupt::new())
        };
        assert_eq!(run(&yes, &yes), None);
        assert_eq!(run(&no, &yes), Some(Linear::constant(1)));
        assert_eq!(run(&yes, &no), Some(Linear::constant(0)));
        // A parity: 2x = 1 is refuted by rounding one side alone.
        let (up, down) = (linear([2, 0, 0], -1), linear([-2, 0, 0], 1));
        assert_eq!(run(&up, &down), Some(linear([1, 0, 0], 0)));
    }
}
