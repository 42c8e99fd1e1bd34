//! Integer terms as linear expressions.
//!
//! What is not linear in other terms is a *base*: variables, elements of arrays, quotients and
//! remainders. A base is a variable of [`Linear`]. Terms must have no `ite`; those of a formula are
//! decided by the model before (`implicant`).

use num_bigint::BigInt;
use pedra_model::term::{BinaryOp, IntOp, Term, TermId, Terms};
use pedra_solve::lia::{Constraint, Int, IntVar, Linear};
use rustc_hash::FxHashMap;

/// The table of bases, and what is known of terms.
#[derive(Default)]
pub(super) struct Forms {
    bases: Vec<TermId>,
    numbers: FxHashMap<TermId, IntVar>,
    known: FxHashMap<TermId, Linear>,
}

impl Forms {
    /// The variable that stands for a base.
    pub(super) fn var(&mut self, base: TermId) -> IntVar {
        let next = IntVar::new(self.bases.len());
        let var = *self.numbers.entry(base).or_insert(next);
        if var == next {
            self.bases.push(base);
        }
        var
    }

    /// The base that a variable stands for.
    pub(super) fn base(&self, var: IntVar) -> TermId {
        self.bases[var.index()]
    }

    /// An integer term as a linear expression over bases.
    pub(super) fn linear(&mut self, terms: &Terms, term: TermId) -> Linear {
        let mut stack = vec![term];
        while let Some(&next) = stack.last() {
            if self.known.contains_key(&next) {
                stack.pop();
                continue;
            }
            let needed: &[TermId] = match *terms.get(next) {
                Term::IntNeg(a) => &[a],
                Term::Int(IntOp::Add | IntOp::Sub | IntOp::Mul, a, b) => &[a, b],
                _ => &[],
            };
            let missing = needed.iter().filter(|arg| !self.known.contains_key(arg));
            let before = stack.len();
            stack.extend(missing);
            if stack.len() == before {
                let linear = self.combine(terms, next);
                self.known.insert(next, linear);
                stack.pop();
            }
        }
        self.known[&term].clone()
    }

    fn combine(&mut self, terms: &Terms, term: TermId) -> Linear {
        let of = |id: &TermId| &self.known[id];
        match terms.get(term) {
            Term::IntConst(value) => Linear::constant(Int::from(BigInt::clone(value))),
            Term::IntNeg(a) => of(a).scale(&Int::from(-1)),
            Term::Int(IntOp::Add, a, b) => of(a).plus(of(b)),
            Term::Int(IntOp::Sub, a, b) => of(a).minus(of(b)),
            Term::Int(IntOp::Mul, a, b) => match (of(a).as_constant(), of(b).as_constant()) {
                (Some(factor), _) => of(b).scale(factor),
                (_, Some(factor)) => of(a).scale(factor),
                _ => Linear::var(self.var(term)),
            },
            _ => Linear::var(self.var(term)),
        }
    }

    /// `e` for a comparison that says `e ≤ 0`; `None` for other terms.
    pub(super) fn inequality(&mut self, terms: &Terms, term: TermId) -> Option<Linear> {
        let Term::Int(op, a, b) = *terms.get(term) else { return None };
        let (a, b) = (self.linear(terms, a), self.linear(terms, b));
        let one = Linear::constant(1);
        Some(match op {
            IntOp::Le => a.minus(&b),
            IntOp::Lt => a.minus(&b).plus(&one),
            IntOp::Ge => b.minus(&a),
            IntOp::Gt => b.minus(&a).plus(&one),
            IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Div | IntOp::Mod => return None,
        })
    }

    /// `e ≤ 0` in normal form, and whether it is negated: `Σ aᵢ·xᵢ ≤ k` with coprime factors, of
    /// which the first is positive.
    pub(super) fn normal(&self, terms: &mut Terms, e: &Linear) -> (TermId, bool) {
        let gcd = e.terms.iter().fold(Int::ZERO, |gcd, (_, a)| gcd.gcd(a));
        if gcd.is_zero() {
            return (terms.bool(!e.constant.is_positive()), false);
        }
        let factors: Vec<(IntVar, Int)> =
            e.terms.iter().map(|(var, a)| (*var, a.div_floor(&gcd))).collect();
        // Σ a·x ≤ ⌊−c / gcd⌋
        let bound = (&e.constant * &Int::from(-1)).div_floor(&gcd);
        if factors[0].1.is_positive() {
            return (self.at_most(terms, &factors, &bound), false);
        }
        // −s ≤ k if and only if not s ≤ −k − 1
        let factors: Vec<_> = factors.iter().map(|(var, a)| (*var, a * &Int::from(-1))).collect();
        let bound = &(&bound * &Int::from(-1)) - &Int::ONE;
        (self.at_most(terms, &factors, &bound), true)
    }

    /// `Σ aᵢ·xᵢ ≤ k`, with positive factors on both sides.
    fn at_most(&self, terms: &mut Terms, factors: &[(IntVar, Int)], bound: &Int) -> TermId {
        let sum = |terms: &mut Terms, sign: i64| {
            let mut sum: Option<TermId> = None;
            for (var, a) in factors {
                let a = a * &Int::from(sign);
                if !a.is_positive() {
                    continue;
                }
                let factor = terms.integer(a.to_big());
                let more = terms.simplified(Term::Int(IntOp::Mul, self.base(*var), factor));
                sum = Some(match sum {
                    None => more,
                    Some(sum) => terms.simplified(Term::Int(IntOp::Add, sum, more)),
                });
            }
            sum
        };
        let left = sum(terms, 1).expect("the first factor is positive");
        let bound = terms.integer(bound.to_big());
        let right = match sum(terms, -1) {
            None => bound,
            Some(right) => terms.simplified(Term::Int(IntOp::Add, right, bound)),
        };
        terms.simplified(Term::Int(IntOp::Le, left, right))
    }

    /// The sum as a term.
    pub(super) fn sum(&self, terms: &mut Terms, e: &Linear) -> TermId {
        let mut sum = terms.integer(e.constant.to_big());
        for (var, a) in &e.terms {
            let factor = terms.integer(a.to_big());
            let more = terms.simplified(Term::Int(IntOp::Mul, self.base(*var), factor));
            sum = terms.simplified(Term::Int(IntOp::Add, sum, more));
        }
        sum
    }

    /// A constraint as conditions.
    pub(super) fn conditions(&self, terms: &mut Terms, constraint: &Constraint) -> Vec<TermId> {
        let holds = |terms: &mut Terms, e: &Linear| {
            let (term, is_negated) = self.normal(terms, e);
            if is_negated { terms.not(term) } else { term }
        };
        match constraint {
            Constraint::Le(e) => vec![holds(terms, e)],
            Constraint::Eq(e) => {
                vec![holds(terms, e), holds(terms, &e.scale(&Int::from(-1)))]
            }
            Constraint::Divides(modulus, e) => {
                let (sum, modulus) = (self.sum(terms, e), terms.integer(modulus.to_big()));
                let rest = terms.simplified(Term::Int(IntOp::Mod, sum, modulus));
                let zero = terms.integer(0);
                vec![terms.simplified(Term::Binary(BinaryOp::Eq, rest, zero))]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::term::Sort;
    use pedra_model::value::Value;
    use pedra_program::interpreter::evaluate;
    use pedra_testkit::random::{Random, runs};

    /// Normal forms of inequalities and the conditions of constraints say what these say.
    #[test]
    fn normal_forms_are_equivalent() {
        let mut random = Random::new(23);
        let (mut held, mut failed) = (0, 0);
        for round in 0..runs(300) {
            let (mut terms, mut forms) = (Terms::new(), Forms::default());
            let symbols = [0; 3].map(|_| terms.new_symbol(Sort::Int));
            let mut sum = |random: &mut Random, terms: &mut Terms| {
                let mut e = Linear::constant(random.below(15) as i64 - 7);
                for &symbol in &symbols {
                    let factor = Int::from(random.below(9) as i64 - 4);
                    e = e.plus(&forms.linear(terms, symbol).scale(&factor));
                }
                e
            };
            let e = sum(&mut random, &mut terms);
            let other = sum(&mut random, &mut terms);
            let constraint = match random.below(3) {
                0 => Constraint::Le(e.clone()),
                1 => Constraint::Eq(e.clone()),
                _ => Constraint::Divides(Int::from(random.between(1, 4) as i64), e.clone()),
            };
            let (normal, is_negated) = forms.normal(&mut terms, &e);
            let conditions = forms.conditions(&mut terms, &constraint);
            let sides = [&e, &other].map(|e| forms.sum(&mut terms, e));
            let op = random.pick(&[IntOp::Le, IntOp::Lt, IntOp::Ge, IntOp::Gt]);
            let compared = terms.add(Term::Int(op, sides[0], sides[1])).expect("well-sorted");
            let again = forms.inequality(&terms, compared).expect("a comparison");
            for _ in 0..20 {
                let model = [0; 3].map(|_| Value::Int((random.below(13) as i64 - 6).into()));
                let value = |symbol: TermId| {
                    let position = symbols.iter().position(|&s| s == symbol);
                    &model[position.expect("a symbol")]
                };
                let roots = conditions.iter().copied().chain([normal, compared]);
                let values = evaluate(&terms, roots, value);
                let holds = |term: &TermId| values[term].as_bv().is_true();
                let number = |e: &Linear| {
                    let one = |(var, a): &(IntVar, Int)| match value(forms.base(*var)) {
                        Value::Int(value) => a.to_big() * value,
                        _ => unreachable!("all are integers"),
                    };
                    e.terms.iter().map(one).fold(e.constant.to_big(), |sum, x| sum + x)
                };
                let (zero, at) = (BigInt::ZERO, number(&e));
                assert_eq!(holds(&normal) ^ is_negated, at <= zero, "round {round}");
                assert_eq!(holds(&compared), number(&again) <= zero, "round {round}");
                let expected = match &constraint {
                    Constraint::Le(_) => at <= zero,
                    Constraint::Eq(_) => at == zero,
                    Constraint::Divides(modulus, _) => at % modulus.to_big() == zero,
                };
                assert_eq!(conditions.iter().all(holds), expected, "round {round}");
                *(if expected { &mut held } else { &mut failed }) += 1;
            }
        }
        assert!(held > 500 && failed > 500, "{held} {failed}");
    }
}
