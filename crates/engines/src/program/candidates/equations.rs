//! Candidates that are equations: linear ones, and those of the second degree.

use super::super::curves::{Curve, curves};
use super::super::kernel::{Equation, equations, equations_of_words};
use super::super::samples::number;
use super::{MAX_RELATED, Maker};
use num_bigint::BigInt;
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId};
use pedra_model::value::Value;
use pedra_program::interpreter::evaluate;
use rustc_hash::{FxHashMap, FxHashSet};

impl Maker<'_> {
    /// The values of a term in all states.
    fn values(&self, term: TermId, states: &[&[Value]]) -> Vec<BigInt> {
        let value = |state: &&[Value]| {
            let of: FxHashMap<TermId, &Value> = self.symbols.iter().copied().zip(*state).collect();
            match &evaluate(self.terms, [term], |symbol| of[&symbol])[&term] {
                Value::Bv(value) => number(value, true).expect("at most 64 bits"),
                Value::Int(value) => value.clone(),
                _ => unreachable!("a number"),
            }
        };
        states.iter().map(value).collect()
    }

    /// Linear equations, of variables and parts of one sort each.
    pub(super) fn equations(
        &mut self,
        states: &[&[Value]],
        columns: &[Vec<BigInt>],
        case: Option<TermId>,
    ) {
        let sorts: FxHashSet<Sort> = self.numbers.iter().map(|number| number.sort).collect();
        let mut sorts: Vec<Sort> = sorts.into_iter().collect();
        sorts.sort_by_key(|sort| sort.width());
        let parts = self.parts.iter().map(|&part| (part, self.values(part, states)));
        let parts: Vec<(TermId, Vec<BigInt>)> = parts.collect();
        for sort in sorts {
            let all = self.numbers.iter().map(|number| number.term).zip(columns);
            let all = all.chain(parts.iter().map(|(part, column)| (*part, column)));
            let group = all.filter(|(term, _)| self.terms.sort(*term) == sort);
            let (group, columns): (Vec<TermId>, Vec<&[BigInt]>) =
                group.take(MAX_RELATED).map(|(term, column)| (term, column.as_slice())).unzip();
            let found: Vec<Equation> = match sort {
                Sort::Bv(width) => equations_of_words(&columns, width),
                _ => equations(&columns),
            };
            if let (Sort::Bv(width), None, true) = (sort, case, self.multiplies) {
                for Curve { parts, constant } in curves(&group, &columns, &found, width) {
                    let parts = parts.into_iter().map(|(of, a)| (self.product(sort, &of), a));
                    let parts = parts.collect();
                    self.equation(sort, parts, constant, None);
                }
            }
            for (factors, constant) in found {
                let parts = group.iter().copied().zip(factors).collect();
                self.equation(sort, parts, constant, case);
            }
        }
    }

    /// `Σ a·x = k`, with positive factors on both sides: `x + y = n`.
    fn equation(
        &mut self,
        sort: Sort,
        parts: Vec<(TermId, BigInt)>,
        constant: BigInt,
        case: Option<TermId>,
    ) {
        let zero = BigInt::from(0);
        let parts = parts.into_iter().filter(|(_, a)| *a != zero);
        let (left, right): (Vec<_>, Vec<_>) = parts.partition(|(_, a)| *a > zero);
        let right: Vec<(TermId, BigInt)> = right.into_iter().map(|(term, a)| (term, -a)).collect();
        let (left, right) = match constant >= zero {
            true => (self.sum(sort, &left, &zero), self.sum(sort, &right, &constant)),
            false => (self.sum(sort, &left, &-constant), self.sum(sort, &right, &zero)),
        };
        let equal = self.equal(left, right);
        self.add(equal, case);
    }

    /// The product of words.
    fn product(&mut self, sort: Sort, factors: &[TermId]) -> TermId {
        let one = self.constant(sort, &BigInt::from(1));
        let times = |a, b| Term::Binary(BinaryOp::Mul, a, b);
        factors.iter().fold(one, |product, &next| self.terms.simplified(times(product, next)))
    }

    /// `Σ a·x + k`
    pub(super) fn sum(
        &mut self,
        sort: Sort,
        parts: &[(TermId, BigInt)],
        constant: &BigInt,
    ) -> TermId {
        let mut sum: Option<TermId> = None;
        for (term, factor) in parts {
            let factor = self.constant(sort, factor);
            let times = self.terms.simplified(match sort {
                Sort::Int => Term::Int(IntOp::Mul, *term, factor),
                _ => Term::Binary(BinaryOp::Mul, *term, factor),
            });
            sum = Some(match sum {
                None => times,
                Some(sum) => self.plus(sort, sum, times),
            });
        }
        let constant = self.constant(sort, constant);
        match sum {
            None => constant,
            Some(sum) => self.plus(sort, sum, constant),
        }
    }

    fn plus(&mut self, sort: Sort, a: TermId, b: TermId) -> TermId {
        self.terms.simplified(match sort {
            Sort::Int => Term::Int(IntOp::Add, a, b),
            _ => Term::Binary(BinaryOp::Add, a, b),
        })
    }
}
