//! Interpolants of a conjunction and several others, from Farkas' weights.
//!
//! If inequalities `A ∧ B` have no rational solution, then some sum of them with weights that are
//! not negative is `0 ≤ −1`, and the part of the sum that comes from `A` is an interpolant: `A`
//! implies it, `B` contradicts it, and variables that only one side has are gone (K. L. McMillan:
//! *An interpolating theorem prover*, TCS 2005).
//!
//! Here there are several `B`, the *cases*, and one interpolant is wanted for all of them: weights
//! of `A` that are the same in each case, beside weights of its own for what holds in the case.
//! These are the solutions of one linear program (A. Albarghouthi, K. L. McMillan: *Beautiful
//! Interpolants*, CAV 2013), found by the simplex of the solver. What `A` speaks of may look
//! different in each case, so each has expressions of its own for it: `A` is about the values after
//! a step, and a case is one path of that step.
//!
//! Divisibilities do not take part, and neither do cuts: a conjunction that only these refute has
//! no weights here.

use super::int::Int;
use super::linear::{IntVar, Linear, Terms};
use super::project::Constraint;
use super::simplex::{Bound, Outcome, Side, Simplex};
use crate::interrupt::Interrupt;
use pedra_model::lit::Var;
use rustc_hash::FxHashMap;

/// Work of the tableau after which there is no answer: some thousand pivots of small rows.
const MAX_WORK: u64 = 1_000_000;

/// One of the conjunctions that contradict the shared one.
#[derive(Clone, Debug)]
pub struct Case {
    /// For each shared inequality `e ≤ 0` what `e` is here.
    pub shared: Vec<Linear>,
    /// What holds in this case.
    pub own: Vec<Constraint>,
}

/// Weights of the shared inequalities, none negative, whose sum contradicts each case: in none of
/// them `Σ weight·e ≤ 0` has a rational solution. The sum is simple: as few variables as possible
/// are left in it, then as many weights as possible are 0, and they have no common divisor. `None`
/// if there are no such weights, or they are too hard to find.
///
/// # Panics
/// If a case differs in the number of shared inequalities.
pub fn common_weights(
    shared: &[Linear],
    cases: &[Case],
    interrupt: &Interrupt,
) -> Option<Vec<Int>> {
    let count = shared.len();
    let mut program = Simplex::new();
    program.last_work = MAX_WORK;
    let weights: Vec<IntVar> = (0..count).map(|_| program.add(Terms::new())).collect();
    for &weight in &weights {
        bound(&mut program, weight, Side::Lower, 0)?;
    }
    for case in cases {
        assert_eq!(case.shared.len(), count, "all cases share the same inequalities");
        add_case(&mut program, &weights, case)?;
    }
    let is_feasible = |program: &mut Simplex| program.check(interrupt) == Outcome::Feasible;
    if !is_feasible(&mut program) {
        return None;
    }
    // Heuristic: what is simple is more often inductive.
    let mut sums: FxHashMap<IntVar, Terms> = FxHashMap::default();
    for (&weight, e) in weights.iter().zip(shared) {
        for (var, factor) in &e.terms {
            sums.entry(*var).or_default().push((weight, factor.clone()));
        }
    }
    let mut vanishing: Vec<(IntVar, Terms)> = sums.into_iter().collect();
    vanishing.sort_unstable_by_key(|(var, _)| *var);
    let vanishing: Vec<IntVar> = vanishing.into_iter().map(|(_, sum)| program.add(sum)).collect();
    let mut level = 0;
    for &zero in vanishing.iter().chain(weights.iter().rev()) {
        program.push_levels(level + 1);
        let is_bounded = bound(&mut program, zero, Side::Upper, 0)
            .and_then(|()| bound(&mut program, zero, Side::Lower, 0))
            .is_some();
        match is_bounded && is_feasible(&mut program) {
            true => level += 1,
            false => program.backtrack(level),
        }
    }
    is_feasible(&mut program).then(|| whole(&program, &weights))
}

/// The sum of all inequalities of a case with their weights has no variable, and a constant that is
/// positive: `0 < Σ ≤ 0`. Weights can be scaled together, so it is at least 1.
fn add_case(program: &mut Simplex, weights: &[IntVar], case: &Case) -> Option<()> {
    let mut columns: Vec<(IntVar, &Linear)> = weights.iter().copied().zip(&case.shared).collect();
    for constraint in &case.own {
        let (e, is_equation) = match constraint {
            Constraint::Le(e) => (e, false),
            Constraint::Eq(e) => (e, true),
            Constraint::Divides(..) => continue,
        };
        let weight = program.add(Terms::new());
        if !is_equation {
            bound(program, weight, Side::Lower, 0)?;
        }
        columns.push((weight, e));
    }
    let mut sums: FxHashMap<IntVar, Terms> = FxHashMap::default();
    let mut constant = Terms::new();
    for (weight, e) in columns {
        for (var, factor) in &e.terms {
            sums.entry(*var).or_default().push((weight, factor.clone()));
        }
        if !e.constant.is_zero() {
            constant.push((weight, e.constant.clone()));
        }
    }
    let mut sums: Vec<(IntVar, Terms)> = sums.into_iter().collect();
    sums.sort_unstable_by_key(|(var, _)| *var);
    for (_, sum) in sums {
        let sum = program.add(sum);
        bound(program, sum, Side::Lower, 0)?;
        bound(program, sum, Side::Upper, 0)?;
    }
    if constant.is_empty() {
        return None;
    }
    let constant = program.add(constant);
    bound(program, constant, Side::Lower, 1)
}

/// Bounds a variable; `None` if that contradicts another bound of it.
fn bound(program: &mut Simplex, var: IntVar, side: Side, value: i64) -> Option<()> {
    // Conflicts are not looked at, so that all bounds have one reason.
    let bound = Bound { value: value.into(), reason: Var::new(0).lit() };
    program.assert(var, side, bound).ok().map(|_| ())
}

/// The weights of a solution, scaled to integers without a common divisor.
fn whole(program: &Simplex, weights: &[IntVar]) -> Vec<Int> {
    let fraction = |&var: &IntVar| program.tableau.fraction(var).expect("weights are no forms");
    let fractions: Vec<(Int, Int)> = weights.iter().map(fraction).collect();
    let common = fractions.iter().fold(Int::ONE, |common, (_, below)| {
        let gcd = common.gcd(below);
        &common * &below.div_floor(&gcd)
    });
    let scaled = |(above, below): &(Int, Int)| above * &common.div_floor(below);
    let mut found: Vec<Int> = fractions.iter().map(scaled).collect();
    let gcd = found.iter().fold(Int::ZERO, |gcd, weight| gcd.gcd(weight));
    if !gcd.is_zero() {
        found.iter_mut().for_each(|weight| *weight = weight.div_floor(&gcd));
    }
    found
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

    fn sum(shared: &[Linear], weights: &[Int]) -> Linear {
        let scaled = shared.iter().zip(weights).map(|(e, weight)| e.scale(weight));
        scaled.fold(Linear::constant(0), |sum, e| sum.plus(&e))
    }

    /// In each case, the sum and what holds there have no solution in a box; and the sum follows
    /// from the shared inequalities, since weights are not negative.
    #[test]
    fn weights_contradict_all_cases() {
        let (mut found, mut several) = (0, 0);
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let mut draw = |bound: usize| random.below(2 * bound + 1) as i64 - bound as i64;
            let mut some = |count: usize| -> Vec<Linear> {
                (0..count).map(|_| linear([draw(3), draw(3), draw(3)], draw(9))).collect()
            };
            let cases: Vec<Case> = (0..1 + seed as usize % 3)
                .map(|_| {
                    let own = some(3).into_iter().enumerate();
                    let constraint = |(at, e)| match at {
                        0 => Constraint::Eq(e),
                        _ => Constraint::Le(e),
                    };
                    Case { shared: some(3), own: own.map(constraint).collect() }
                })
                .collect();
            let shared = &cases[0].shared;
            let weights = common_weights(shared, &cases, &Interrupt::new());
            let Some(weights) = weights else { continue };
            found += 1;
            several += usize::from(cases.len() > 1);
            assert!(weights.iter().all(|weight| !weight.is_negative()));
            for case in &cases {
                let sum = Constraint::Le(sum(&case.shared, &weights));
                for point in 0..(2 * BOX + 1).pow(3) {
                    let digit = |place: u32| point / (2 * BOX + 1).pow(place) % (2 * BOX + 1) - BOX;
                    let value = |var: IntVar| Int::from(digit(var.index() as u32));
                    let all = case.own.iter().chain([&sum]).all(|c| c.holds(value));
                    assert!(!all, "{cases:?} with {weights:?}");
                }
            }
        }
        assert!(found > 200 && several > 50, "{found} {several}");
    }

    /// `x + y ≥ 8` from `x ≥ 5` and `y ≥ 3`, where two cases forbid the sum in two ways.
    #[test]
    fn one_sum_for_two_cases() {
        let shared = vec![linear([-1, 0, 0], 5), linear([0, -1, 0], 3)];
        let own = |e: Linear| vec![Constraint::Le(e)];
        let one = Case { shared: shared.clone(), own: own(linear([1, 1, 0], -7)) };
        let two = Case { shared: shared.clone(), own: own(linear([2, 2, 0], -9)) };
        let find = |cases: &[Case]| common_weights(&shared, cases, &Interrupt::new());
        assert_eq!(find(&[one, two]), Some(vec![Int::ONE, Int::ONE]));
        // One is enough, and nothing is: then the case contradicts itself.
        let alone = Case { shared: shared.clone(), own: own(linear([0, 1, 0], -2)) };
        assert_eq!(find(&[alone]), Some(vec![Int::ZERO, Int::ONE]));
        let none = Case { shared: shared.clone(), own: own(linear([1, 1, 0], -8)) };
        assert_eq!(find(&[none]), None);
    }

    /// `y ≥ 2` from `x + 2y ≥ 101` and `x + y ≤ 99` is simpler than either of them.
    #[test]
    fn variables_vanish() {
        let shared = vec![linear([-1, -2, 0], 101), linear([1, 1, 0], -99)];
        let own = [linear([1, 0, 0], 0), linear([0, 1, 0], -1)].map(Constraint::Eq).to_vec();
        let case = Case { shared: shared.clone(), own };
        let weights = common_weights(&shared, &[case], &Interrupt::new());
        assert_eq!(weights, Some(vec![Int::ONE, Int::ONE]));
    }
}
