//! Model-based projection: eliminating variables from a conjunction, near a model.
//!
//! Given constraints `C(x, y)` and a model of them, finds constraints `P(y)` that the model
//! satisfies and that imply `∃x C(x, y)`. Quantifier elimination after Cooper (1972) gives a
//! disjunction over the greatest lower bound and a remainder; the model names one disjunct
//! (A. Komuravelli, A. Gurfinkel, S. Chaki: *SMT-Based Model Checking for Recursive Programs*,
//! CAV 2014; N. Bjørner, M. Janota: *Playing with Quantified Satisfaction*, LPAR 2015). There
//! are finitely many disjuncts, so calling it for one model after another covers `∃x C`.
//!
//! For a variable `x`, first `y = m·x` makes all its factors ±1, where `m` is their least common
//! multiple, and `m | y` is added. Then
//!
//! - an equation gives `y` away;
//! - without lower bounds or without upper bounds, only the remainder of `y` matters;
//! - else `y` becomes `l + r`, with `l` the lower bound that is greatest in the model, and
//!   `r = (y − l) mod D` in the model, `D` the least common multiple of all moduli.

use super::int::Int;
use super::linear::{IntVar, Linear, content};
use rustc_hash::FxHashSet;

/// A constraint of a conjunction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// `e ≤ 0`.
    Le(Linear),
    /// `e = 0`.
    Eq(Linear),
    /// `d | e` with `d > 0`.
    Divides(Int, Linear),
}

impl Constraint {
    fn linear(&self) -> &Linear {
        match self {
            Constraint::Le(e) | Constraint::Eq(e) | Constraint::Divides(_, e) => e,
        }
    }

    /// Whether it holds under an assignment.
    pub fn holds(&self, value: impl FnMut(IntVar) -> Int) -> bool {
        let sum = self.linear().eval(value);
        match self {
            Constraint::Le(_) => !sum.is_positive(),
            Constraint::Eq(_) => sum.is_zero(),
            Constraint::Divides(modulus, _) => sum.is_multiple_of(modulus),
        }
    }

    /// The same with `m·e` in place of `e`; `m` is positive.
    fn scale(&self, factor: &Int) -> Constraint {
        match self {
            Constraint::Le(e) => Constraint::Le(e.scale(factor)),
            Constraint::Eq(e) => Constraint::Eq(e.scale(factor)),
            Constraint::Divides(d, e) => Constraint::Divides(d * factor, e.scale(factor)),
        }
    }

    fn with(&self, linear: Linear) -> Constraint {
        match self {
            Constraint::Le(_) => Constraint::Le(linear),
            Constraint::Eq(_) => Constraint::Eq(linear),
            Constraint::Divides(d, _) => Constraint::Divides(d.clone(), linear),
        }
    }

    /// Smaller numbers; `None` if it always holds.
    fn simplify(self) -> Option<Constraint> {
        match self {
            Constraint::Divides(modulus, e) => {
                let rest = |(var, a): &(IntVar, Int)| (*var, a.mod_floor(&modulus));
                let e = Linear::new(e.terms.iter().map(rest), e.constant.mod_floor(&modulus));
                let gcd = content(&e.terms).gcd(&e.constant).gcd(&modulus);
                let modulus = modulus.div_floor(&gcd);
                let e = divide(&e, &gcd, &e.constant.div_floor(&gcd));
                (!modulus.is_one()).then_some(Constraint::Divides(modulus, e))
            }
            Constraint::Le(e) => {
                let gcd = content(&e.terms);
                match gcd.is_zero() {
                    true => e.constant.is_positive().then_some(Constraint::Le(e)),
                    // Σ a·x ≤ −c, rounded down.
                    false => Some(Constraint::Le(divide(&e, &gcd, &e.constant.div_ceil(&gcd)))),
                }
            }
            Constraint::Eq(e) => {
                (!e.terms.is_empty() || !e.constant.is_zero()).then_some(Constraint::Eq(e))
            }
        }
    }
}

/// The terms divided by a common divisor, with another constant.
fn divide(e: &Linear, divisor: &Int, constant: &Int) -> Linear {
    let terms = e.terms.iter().map(|(var, a)| (*var, a.div_floor(divisor))).collect();
    Linear { terms, constant: constant.clone() }
}

/// The least common multiple of two positive numbers.
fn lcm(a: &Int, b: &Int) -> Int {
    &a.div_floor(&a.gcd(b)) * b
}

/// Constraints without `vars` that the model satisfies and that imply `∃vars ⋀ constraints`.
///
/// The model must satisfy the constraints.
pub fn project(
    constraints: &[Constraint],
    vars: &[IntVar],
    model: impl Fn(IntVar) -> Int,
) -> Vec<Constraint> {
    debug_assert!(constraints.iter().all(|constraint| constraint.holds(&model)));
    let mut all: Vec<Constraint> =
        constraints.iter().cloned().filter_map(Constraint::simplify).collect();
    for &var in vars {
        let (with, mut without): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|constraint| !constraint.linear().factor(var).is_zero());
        let projected = eliminate(with, var, &model).into_iter();
        without.extend(projected.filter_map(Constraint::simplify));
        debug_assert!(without.iter().all(|constraint| constraint.holds(&model)));
        all = without;
        let mut seen = FxHashSet::default();
        all.retain(|constraint| seen.insert(constraint.clone()));
    }
    all
}

/// A constraint `±y + rest`, with the sign of `y`.
struct Unit {
    constraint: Constraint,
    is_positive: bool,
    rest: Linear,
}

impl Unit {
    /// The same with `value` for `y`.
    fn put(&self, value: &Linear) -> Constraint {
        let sum = match self.is_positive {
            true => self.rest.plus(value),
            false => self.rest.minus(value),
        };
        self.constraint.with(sum)
    }
}

/// Eliminates one variable from constraints that all have it.
fn eliminate(
    constraints: Vec<Constraint>,
    var: IntVar,
    model: &impl Fn(IntVar) -> Int,
) -> Vec<Constraint> {
    if constraints.is_empty() {
        return constraints;
    }
    let factors = constraints.iter().map(|constraint| constraint.linear().factor(var).abs());
    let scale = factors.fold(Int::ONE, |all, factor| lcm(&all, &factor));
    let unit = |constraint: &Constraint| {
        let factor = constraint.linear().factor(var);
        let constraint = constraint.scale(&scale.div_floor(&factor.abs()));
        let mut rest = constraint.linear().clone();
        rest.terms.retain(|&(other, _)| other != var);
        Unit { constraint, is_positive: factor.is_positive(), rest }
    };
    let mut units: Vec<Unit> = constraints.iter().map(unit).collect();
    // m | y
    let own = Constraint::Divides(scale.clone(), Linear::constant(0));
    units.push(Unit { constraint: own, is_positive: true, rest: Linear::constant(0) });
    let value = choose(&units, &(&scale * &model(var)), model);
    let mut result: Vec<Constraint> = Vec::new();
    for unit in &units {
        match (&unit.constraint, &value) {
            (Constraint::Le(_), Choice::Remainder(_)) => {}
            (_, Choice::Remainder(rest)) => {
                result.push(unit.put(&Linear::constant(rest.clone())));
            }
            (Constraint::Le(_), Choice::AboveLower(lower, _)) if !unit.is_positive => {
                // The chosen lower bound is the greatest: l ≤ chosen.
                result.push(Constraint::Le(unit.rest.minus(lower)));
            }
            (_, Choice::AboveLower(lower, rest)) => {
                result.push(unit.put(&lower.plus(&Linear::constant(rest.clone()))));
            }
            (_, Choice::Equal(value)) => result.push(unit.put(value)),
        }
    }
    result
}

/// What is put in place of `y`.
enum Choice {
    /// An equation says so.
    Equal(Linear),
    /// Any value with this remainder that is small or large enough.
    Remainder(Int),
    /// A lower bound and a distance from it.
    AboveLower(Linear, Int),
}

fn choose(units: &[Unit], y: &Int, model: &impl Fn(IntVar) -> Int) -> Choice {
    let negated = |e: &Linear| e.scale(&Int::from(-1));
    for unit in units {
        if let Constraint::Eq(_) = unit.constraint {
            // y + rest = 0, or −y + rest = 0
            let rest = &unit.rest;
            return Choice::Equal(if unit.is_positive { negated(rest) } else { rest.clone() });
        }
    }
    let moduli = units.iter().filter_map(|unit| match &unit.constraint {
        Constraint::Divides(modulus, _) => Some(modulus),
        _ => None,
    });
    let modulus = moduli.fold(Int::ONE, |all, modulus| lcm(&all, modulus));
    let bounds = || units.iter().filter(|unit| matches!(unit.constraint, Constraint::Le(_)));
    let has_upper = bounds().any(|unit| unit.is_positive);
    // −y + l ≤ 0
    let lower = bounds().filter(|unit| !unit.is_positive).map(|unit| &unit.rest);
    match lower.max_by_key(|lower| lower.eval(model)) {
        Some(lower) if has_upper => {
            let distance = (y - &lower.eval(model)).mod_floor(&modulus);
            Choice::AboveLower(lower.clone(), distance)
        }
        _ => Choice::Remainder(y.mod_floor(&modulus)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::random::Random;

    const BOX: i64 = 3;
    /// With factors up to 3 and constants up to 6, bounds of an eliminated variable are within
    /// this, and so are the values that matter.
    const WIDE: i64 = 60;

    fn random_constraint(random: &mut Random, vars: usize) -> Constraint {
        let mut draw = |bound: i64| random.below(2 * bound as usize + 1) as i64 - bound;
        let terms: Vec<_> = (0..vars).map(|var| (IntVar::new(var), Int::from(draw(3)))).collect();
        let e = Linear::new(terms, Int::from(draw(6)));
        match draw(4) {
            3 => Constraint::Eq(e),
            4 => Constraint::Divides(Int::from(2 + draw(1).abs() * 2), e),
            _ => Constraint::Le(e),
        }
    }

    fn at(point: &[i64]) -> impl Fn(IntVar) -> Int {
        |var| Int::from(point[var.index()])
    }

    /// Two variables stay, one goes. At every point of a box that satisfies the projection
    /// there is a value of the third; and the model satisfies it.
    #[test]
    fn projections_under_approximate() {
        let (mut projected, mut witnesses) = (0, 0);
        for seed in 0..4000 {
            let mut random = Random::new(seed);
            let constraints: Vec<Constraint> =
                (0..1 + random.below(4)).map(|_| random_constraint(&mut random, 3)).collect();
            let holds = |point: &[i64]| constraints.iter().all(|c| c.holds(at(point)));
            let mut draw = || random.below(2 * BOX as usize + 1) as i64 - BOX;
            let Some(model) = (0..50).map(|_| [draw(), draw(), draw()]).find(|p| holds(p)) else {
                continue;
            };
            let result = project(&constraints, &[IntVar::new(2)], at(&model));
            projected += 1;
            assert!(result.iter().all(|c| c.holds(at(&model))), "the model satisfies it");
            assert!(result.iter().all(|c| c.linear().factor(IntVar::new(2)).is_zero()));
            for x in -BOX..=BOX {
                for y in -BOX..=BOX {
                    if result.iter().all(|c| c.holds(at(&[x, y]))) {
                        witnesses += 1;
                        let found = (-WIDE..=WIDE).any(|z| holds(&[x, y, z]));
                        assert!(found, "seed {seed}: {constraints:?} to {result:?} at {x} {y}");
                    }
                }
            }
        }
        assert!(projected > 1000 && witnesses > 10_000, "{projected} {witnesses}");
    }

    /// Both variables go: what is left is a constant truth.
    #[test]
    fn all_variables_can_go() {
        let x = |a: i64, b: i64, c: i64| {
            let terms = [(IntVar::new(0), Int::from(a)), (IntVar::new(1), Int::from(b))];
            Linear::new(terms, Int::from(c))
        };
        let constraints = [
            Constraint::Le(x(2, -3, 1)),
            Constraint::Eq(x(5, 1, -7)),
            Constraint::Divides(Int::from(3), x(1, 1, 0)),
        ];
        let model = [-1, 12];
        assert!(!constraints[2].holds(at(&model)));
        let model = (-50..50)
            .map(|x| [x, 7 - 5 * x])
            .find(|point| constraints.iter().all(|constraint| constraint.holds(at(point))));
        let model = model.expect("there is one");
        assert_eq!(project(&constraints, &[IntVar::new(0), IntVar::new(1)], at(&model)), []);
    }
}
