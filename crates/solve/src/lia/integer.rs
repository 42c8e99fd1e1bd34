//! From rational to integer solutions: what the simplex cannot see.
//!
//! When every atom has a value and the simplex a solution, some basic variable may still be a
//! fraction. Then, in this order:
//!
//! 1. *GCD test* of each row: the terms without known bounds are multiples of a number of which
//!    the others leave no multiple. Refutes at once, also where variables have no bounds.
//! 2. *Equalities* all together ([`diophantine`](super::diophantine)): the same, across rows.
//! 3. *Cuts* in the sense of Chvátal and Gomory: the row of a fraction, with the bounds that
//!    hold its variables, rounded. An atom that follows and that the solution violates.
//! 4. *Splits*: `x ≤ ⌊v⌋` becomes an atom and is decided. If the constraints that hold the
//!    solution have no integer solution as equations, then the split is on the sum that shows
//!    it (I. Dillig, T. Dillig, A. Aiken: *Cuts from Proofs*, CAV 2009), which excludes the whole
//!    face and not just a point.
//!
//! All but the choice of 3 or 4 is exact; that choice and its rhythm are a `Heuristic:`. Over
//! unbounded variables this need not end, so splits and cuts are counted, and at the limit the
//! answer is *unknown*.

use super::arith::Arith;
use super::diophantine::{self, Equation};
use super::int::Int;
use super::linear::{IntVar, Linear, Terms};
use super::log::Sum;
use super::simplex::{Bound, Side};
use super::tableau::{Place, Row};
use crate::cdcl::{Findings, Verdict};
use pedra_model::linear_proof::Source;
use pedra_model::lit::{Lit, Var};

/// One in this many splits tries a cut first.
const SPLITS_PER_CUT: u64 = 3;
/// One in this many splits is on a sum that the tight constraints refute.
const SPLITS_PER_PROOF: u64 = 4;
/// Bounded terms that the GCD test takes besides the fixed ones.
const MAX_BOUNDED_TERMS: usize = 4;
/// Steps of elimination for the equalities of one query.
const EQUALITY_WORK: u64 = 20_000;
/// Cuts with more terms than this or factors beyond 64 bits do more harm than good.
const MAX_CUT_TERMS: usize = 40;

/// Weighted literals: `Σ weight · inequality`.
type Parts = Vec<(Lit, Int)>;

/// The literals of a lemma, each once.
#[derive(Default)]
struct Premises(Vec<Lit>);

impl Premises {
    /// The parts of a sum, with literals replaced by their places in the clause, which starts
    /// with `offset` other literals.
    fn sources(&mut self, parts: Parts, offset: usize) -> Vec<(Source, Int)> {
        let mut sources = Vec::with_capacity(parts.len());
        for (lit, weight) in parts {
            if weight.is_zero() {
                continue;
            }
            let place = self.0.iter().position(|&other| other == lit).unwrap_or_else(|| {
                self.0.push(lit);
                self.0.len() - 1
            });
            sources.push((Source::Premise(place + offset), weight));
        }
        sources
    }
}

impl Arith {
    /// Whether the rational solution can be made an integer one.
    pub(super) fn check_integers(&mut self, next_var: Var, findings: &mut Findings) -> Verdict {
        let fractions = self.fractions();
        if fractions.is_empty() {
            return Verdict::Consistent;
        }
        if let Some(verdict) = self.test_gcds(findings) {
            return verdict;
        }
        let turn = self.limits.splits - self.splits_left;
        if (turn == 0 || turn.is_power_of_two())
            && let Some(verdict) = self.test_equalities(findings)
        {
            return verdict;
        }
        if self.splits_left == 0 || self.interrupt.poll() {
            return Verdict::Stopped;
        }
        self.splits_left -= 1;
        if turn.is_multiple_of(SPLITS_PER_CUT)
            && let Some(verdict) = self.cut(&fractions, next_var, findings)
        {
            return verdict;
        }
        self.stats.splits += 1;
        if turn % SPLITS_PER_PROOF == SPLITS_PER_PROOF - 1
            && let Some(var) = self.split_on_proof(next_var)
        {
            return Verdict::Split(var);
        }
        Verdict::Split(self.split_on_variable(&fractions, next_var))
    }

    /// The rows whose basic variable is a fraction, and no form: forms are integers if
    /// variables are.
    fn fractions(&self) -> Vec<usize> {
        let rows = self.simplex.tableau.rows.iter().enumerate();
        let is_fraction =
            |row: &Row| !self.simplex.is_form(row.basic) && !row.sum.is_multiple_of(row.scale());
        rows.filter(|(_, row)| is_fraction(row)).map(|(number, _)| number).collect()
    }

    fn is_fixed(&self, var: IntVar) -> bool {
        match (self.simplex.lower(var), self.simplex.upper(var)) {
            (Some(lower), Some(upper)) => lower.value == upper.value,
            _ => false,
        }
    }

    /// Looks for a row that has no integer solution within the bounds of some of its terms.
    fn test_gcds(&mut self, findings: &mut Findings) -> Option<Verdict> {
        for number in 0..self.simplex.tableau.rows.len() {
            let row = &self.simplex.tableau.rows[number];
            if row.scale().is_one() {
                continue;
            }
            if let Some((lower, upper, gcd)) = self.refute_row(row) {
                return Some(self.refute_by_gcd(lower, upper, gcd, findings));
            }
        }
        None
    }

    /// Bounds by which the rest of a row has no multiple of its divisor: parts that bound the
    /// rest from above and from below, and the divisor.
    fn refute_row(&self, row: &Row) -> Option<(Parts, Parts, Int)> {
        let (mut bounded, mut rest): (Vec<_>, Vec<_>) =
            row.terms.iter().partition(|(var, _)| self.is_fixed(*var));
        let mut candidates: Vec<_> = rest
            .iter()
            .copied()
            .filter(|(var, _)| {
                self.simplex.lower(*var).is_some() && self.simplex.upper(*var).is_some()
            })
            .collect();
        // Those that can move the sum least come first.
        candidates.sort_by_cached_key(|(var, factor)| {
            let (lower, upper) = (self.simplex.lower(*var), self.simplex.upper(*var));
            let width = &upper.expect("bounded").value - &lower.expect("bounded").value;
            &width * &factor.abs()
        });
        let mut candidates = candidates.into_iter().take(MAX_BOUNDED_TERMS);
        loop {
            let gcd = rest.iter().fold(Int::ZERO, |gcd, (_, factor)| gcd.gcd(factor));
            if gcd.is_zero() {
                return None;
            }
            if !gcd.is_one() {
                let (above, below) = (self.parts(&bounded, false), self.parts(&bounded, true));
                // rest ≤ ⌊above/gcd⌋·gcd and −rest ≤ ⌊below/gcd⌋·gcd
                let sum = &above.1.div_floor(&gcd) + &below.1.div_floor(&gcd);
                if sum.is_negative() {
                    return Some((above.0, below.0, gcd));
                }
            }
            let next = candidates.next()?;
            bounded.push(next);
            rest.retain(|(var, _)| *var != next.0);
        }
    }

    /// What bounds `−Σ terms` from above (`Σ terms` if `is_positive`), and the bound.
    fn parts(&self, terms: &[&(IntVar, Int)], is_positive: bool) -> (Parts, Int) {
        let mut parts = Vec::with_capacity(terms.len());
        let mut sum = Int::ZERO;
        for (var, factor) in terms {
            let side = match factor.is_positive() == is_positive {
                true => Side::Upper,
                false => Side::Lower,
            };
            let bound = self.simplex.bound(*var, side).expect("the terms are bounded");
            let part = factor * &bound.value;
            sum = if is_positive { &sum + &part } else { &sum - &part };
            parts.push((bound.reason, factor.abs()));
        }
        (parts, sum)
    }

    /// The clause for two sums whose rounded results contradict each other.
    fn refute_by_gcd(
        &mut self,
        one: Parts,
        other: Parts,
        divisor: Int,
        findings: &mut Findings,
    ) -> Verdict {
        self.stats.gcd_conflicts += 1;
        let mut premises = Premises::default();
        let sums = [one, other].map(|parts| premises.sources(parts, 0));
        if let Some(log) = &self.log {
            let steps = sums.map(|parts| Sum { parts, divisor: divisor.clone() });
            let both = [0, 1].map(|step| (Source::Step(step), Int::ONE)).to_vec();
            log.derivation(steps.into_iter().chain([Sum { parts: both, divisor: Int::ONE }]));
        }
        findings.clause.clear();
        findings.clause.extend(premises.0.iter().map(|&lit| !lit));
        Verdict::Conflict
    }

    /// Looks for a contradiction among the equalities.
    fn test_equalities(&mut self, findings: &mut Findings) -> Option<Verdict> {
        let fixed: Vec<IntVar> = self.bounded_vars().filter(|&var| self.is_fixed(var)).collect();
        let equations: Vec<Equation> = fixed
            .iter()
            .map(|&var| {
                let value = self.simplex.lower(var).expect("it is fixed").value.clone();
                Equation { terms: self.terms(var), value }
            })
            .collect();
        let free = self.simplex.tableau.len();
        let certificate = diophantine::refute(&equations, free, EQUALITY_WORK)?;
        let terms: Terms =
            certificate.weights.iter().map(|(at, weight)| (fixed[*at], weight.clone())).collect();
        let terms: Vec<&(IntVar, Int)> = terms.iter().collect();
        let (above, below) = (self.parts(&terms, false).0, self.parts(&terms, true).0);
        Some(self.refute_by_gcd(above, below, certificate.divisor, findings))
    }

    /// Variables and forms in rows.
    fn bounded_vars(&self) -> impl Iterator<Item = IntVar> {
        (0..self.simplex.tableau.len()).map(IntVar::new).filter(|&var| {
            self.simplex.tableau.place(var) != Place::Absent
                && (self.simplex.lower(var).is_some() || self.simplex.upper(var).is_some())
        })
    }

    /// An atom that follows from the bounds and excludes the solution, with its lemma.
    fn cut(&mut self, rows: &[usize], next_var: Var, findings: &mut Findings) -> Option<Verdict> {
        let shortest = rows.iter().min_by_key(|&&row| self.simplex.tableau.rows[row].terms.len());
        let row = &self.simplex.tableau.rows[*shortest?];
        let cuts = [self.round_row(row, true), self.round_row(row, false)];
        // The less is rounded, the deeper the cut.
        let size = |parts: &Parts| parts.iter().fold(Int::ZERO, |sum, (_, w)| &sum + w);
        let parts = cuts.into_iter().flatten().min_by_key(size)?;
        let scale = row.scale().clone();
        let sum = self.expand(&parts);
        let content = super::linear::content(&sum.terms);
        let is_small = |(_, factor): &(IntVar, Int)| factor.div_floor(&scale).to_i64().is_some();
        if sum.terms.is_empty()
            || sum.terms.len() > MAX_CUT_TERMS
            || !sum.terms.iter().all(is_small)
        {
            return None;
        }
        debug_assert!(content.is_multiple_of(&scale), "a cut has integer factors");
        // Σ (cᵢ/content)·xᵢ ≤ ⌊s/content⌋; the constant of `sum` is −s.
        let terms = sum.terms.iter().map(|(var, factor)| (*var, factor.div_floor(&content)));
        let bound = (-&sum.constant).div_floor(&content);
        let lit = self.literal(&Linear::new(terms, -&bound), next_var);
        self.stats.cuts += 1;
        let mut premises = Premises::default();
        let parts = premises.sources(parts, 1);
        if let Some(log) = &self.log {
            let both = vec![(Source::Step(0), Int::ONE), (Source::Premise(0), Int::ONE)];
            log.derivation([
                Sum { parts, divisor: content },
                Sum { parts: both, divisor: Int::ONE },
            ]);
        }
        findings.clause.clear();
        findings.clause.push(lit);
        findings.clause.extend(premises.0.iter().map(|&lit| !lit));
        Some(Verdict::Implied)
    }

    /// Bounds that, added to a row `± Σ cⱼ·xⱼ = 0`, make all its factors divisible by that of
    /// the basic variable. `None` if a variable is not held by a bound.
    fn round_row(&self, row: &Row, is_positive: bool) -> Option<Parts> {
        let scale = row.scale();
        let mut parts = Vec::new();
        for (var, factor) in row.terms.iter().filter(|(var, _)| *var != row.basic) {
            let factor = if is_positive { factor.clone() } else { -factor };
            let rest = factor.mod_floor(scale);
            if rest.is_zero() {
                continue;
            }
            // x ≤ u raises the factor to the next multiple, −x ≤ −l lowers it.
            let value = self.simplex.tableau.value(*var);
            let held = |bound: Option<&Bound>| {
                bound.filter(|bound| bound.value == *value).map(|bound| bound.reason)
            };
            let upper = held(self.simplex.upper(*var)).map(|reason| (reason, scale - &rest));
            let lower = held(self.simplex.lower(*var)).map(|reason| (reason, rest));
            let part = [upper, lower].into_iter().flatten().min_by(|a, b| a.1.cmp(&b.1));
            parts.push(part?);
        }
        Some(parts)
    }

    /// `Σ weight · inequality` as `expression ≤ 0` over variables.
    fn expand(&self, parts: &Parts) -> Linear {
        let mut terms = Terms::new();
        let mut constant = Int::ZERO;
        for (lit, weight) in parts {
            let (form, side, bound) = self.inequality(*lit).expect("reasons are atoms");
            let weight = if side == Side::Upper { weight.clone() } else { -weight };
            terms.extend(self.terms(form).iter().map(|(var, factor)| (*var, factor * &weight)));
            constant = &constant - &(&weight * &bound);
        }
        Linear::new(terms, constant)
    }

    /// A sum of the constraints that hold the solution which is no integer, as an atom.
    fn split_on_proof(&mut self, next_var: Var) -> Option<Var> {
        let tight = |var: &IntVar| {
            let tableau = &self.simplex.tableau;
            let is_held = |bound: Option<&Bound>| {
                bound.is_some_and(|bound| bound.value == *tableau.value(*var))
            };
            tableau.place(*var) == Place::Nonbasic
                && (is_held(self.simplex.lower(*var)) || is_held(self.simplex.upper(*var)))
        };
        let equation = |var: IntVar| Equation {
            terms: self.terms(var),
            value: self.simplex.tableau.value(var).clone(),
        };
        let equations: Vec<Equation> = self.bounded_vars().filter(tight).map(equation).collect();
        let free = self.simplex.tableau.len();
        let certificate = diophantine::refute(&equations, free, EQUALITY_WORK)?;
        let (mut terms, mut value) = (Terms::new(), Int::ZERO);
        for (at, weight) in &certificate.weights {
            let equation = &equations[*at];
            terms.extend(equation.terms.iter().map(|(var, factor)| (*var, factor * weight)));
            value = &value + &(&equation.value * weight);
        }
        let sum = Linear::new(terms, Int::ZERO);
        let exact = |(var, f): &(IntVar, Int)| (*var, f.div_floor(&certificate.divisor));
        let terms: Terms = sum.terms.iter().map(exact).collect();
        if terms.iter().any(|(_, factor)| factor.to_i64().is_none()) {
            return None;
        }
        let bound = value.div_floor(&certificate.divisor);
        Some(self.literal(&Linear { terms, constant: -&bound }, next_var).var())
    }

    /// `x ≤ ⌊v⌋` for a fraction, by preference one with narrow bounds.
    fn split_on_variable(&mut self, rows: &[usize], next_var: Var) -> Var {
        let width = |&&row: &&usize| {
            let var = self.simplex.tableau.rows[row].basic;
            match (self.simplex.lower(var), self.simplex.upper(var)) {
                (Some(lower), Some(upper)) => (0, &upper.value - &lower.value),
                (None, None) => (2, Int::ZERO),
                _ => (1, Int::ZERO),
            }
        };
        let row = *rows.iter().min_by_key(width).expect("there is a fraction");
        let row = &self.simplex.tableau.rows[row];
        let floor = (-&row.sum).div_floor(row.scale());
        let var = row.basic;
        self.atom(var, floor, next_var)
    }
}
