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
