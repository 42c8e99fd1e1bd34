//! Weaker literals for words: `x = 5` becomes `x ≤ 5`, and bounds move outwards.
//!
//! The `expand` of word-level PDR (T. Welp, A. Kuehlmann: DATE 2013), on the literals of a cube:
//! an equation becomes one of the inequalities that it implies, then a bound with a constant is
//! relaxed by galloping and bisection. Integers have interpolants instead (`interpolant`).
//!
//! Heuristic: nothing is kept that a query does not confirm.

use super::generalize::part;
use super::graph::Location;
use super::predicates::cube;
use super::queries::Queries;
use super::samples::number;
use crate::gallop::gallop;
use crate::trace::{Level, Stopped};
use num_bigint::BigInt;
use pedra_model::bv::Bv;
use pedra_model::lit::Lit;
use pedra_model::term::{BinaryOp, Term, TermId, Terms};

/// Relaxing a bound costs at most this many queries. Heuristic: most bounds cannot be moved at all,
/// which one or two queries show; the others are worth a logarithmic search.
const MAX_STEPS: usize = 40;

/// A larger cube that can be excluded, too: equations and bounds are made weaker.
pub(super) fn weaken(
    queries: &mut Queries,
    at: Location,
    mut set: Box<[Lit]>,
    level: Level,
) -> Result<Box<[Lit]>, Stopped> {
    for lit in set.to_vec() {
        if !set.contains(&lit) {
            continue;
        }
        let mut weaker = lit;
        for side in sides(queries, lit) {
            if let Some(found) = instead(queries, at, &set, (lit, side), level)? {
                (set, weaker) = (found, side);
                break;
            }
        }
        if set.contains(&weaker) {
            set = relax(queries, at, set, weaker, level)?;
        }
    }
    Ok(set)
}

/// The cube with another literal in place of one, if that can be excluded.
fn instead(
    queries: &mut Queries,
    at: Location,
    set: &[Lit],
    (lit, other): (Lit, Lit),
    level: Level,
) -> Result<Option<Box<[Lit]>>, Stopped> {
    let rest = set.iter().copied().filter(|&each| each != lit);
    part(queries, at, &cube(rest.chain([other]).collect()), level)
}

/// The inequalities that an equation of words implies.
fn sides(queries: &mut Queries, lit: Lit) -> Vec<Lit> {
    let Queries { graph, predicates, .. } = queries;
    let terms = &mut graph.terms;
    let term = predicates.term(terms, lit);
    let Term::Binary(BinaryOp::Eq, a, b) = *terms.get(term) else { return Vec::new() };
    if lit.is_negated() || !matches!(terms.sort(a).width(), Some(2..)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for op in [BinaryOp::Ulte, BinaryOp::Slte] {
        for (a, b) in [(a, b), (b, a)] {
            let side = terms.simplified(Term::Binary(op, a, b));
            found.extend(predicates.literal(terms, side, true));
        }
    }
    found
}

/// A term that is at most, or at least, a number.
struct Bound {
    of: TermId,
    is_signed: bool,
    is_upper: bool,
    value: i128,
}

impl Bound {
    /// What a literal bounds; `None` if it is no comparison of a word with a constant.
    fn of(queries: &mut Queries, lit: Lit) -> Option<Bound> {
        let terms = &queries.graph.terms;
        let [predicate] = [queries.predicates.terms_of(&[lit]).next()?];
        let (is_signed, a, b) = match *terms.get(predicate) {
            Term::Binary(BinaryOp::Ulte, a, b) => (false, a, b),
            Term::Binary(BinaryOp::Slte, a, b) => (true, a, b),
            _ => return None,
        };
        let value = |term: TermId| {
            let value = number(terms.as_constant(term)?, is_signed)?;
            i128::try_from(value).ok()
        };
        let (of, is_upper, value) = match (value(a), value(b)) {
            (None, Some(most)) => (a, true, most),
            (Some(least), None) => (b, false, least),
            _ => return None,
        };
        // ¬(x ≤ k) is x ≥ k + 1.
        let (is_upper, value) = match (lit.is_negated(), is_upper) {
            (false, _) => (is_upper, value),
            (true, true) => (false, value + 1),
            (true, false) => (true, value - 1),
        };
        Some(Bound { of, is_signed, is_upper, value })
    }

    /// The furthest value that says something.
    fn end(&self, terms: &Terms) -> i128 {
        let width = terms.width(self.of);
        let (least, most) = match self.is_signed {
            true => (-1i128 << (width - 1), (1i128 << (width - 1)) - 1),
            false => (0, (1i128 << width) - 1),
        };
        if self.is_upper { most - 1 } else { least + 1 }
    }

    /// The literal with another number.
    fn with(&self, queries: &mut Queries, value: i128) -> Option<Lit> {
        let Queries { graph, predicates, .. } = queries;
        let width = graph.terms.width(self.of);
        let value = graph.terms.constant(Bv::from_bigint(width, &BigInt::from(value)));
        let op = if self.is_signed { BinaryOp::Slte } else { BinaryOp::Ulte };
        let (a, b) = if self.is_upper { (self.of, value) } else { (value, self.of) };
        let term = graph.terms.simplified(Term::Binary(op, a, b));
        predicates.literal(&mut graph.terms, term, true)
    }
}

/// Moves the number of a bound outwards, as far as galloping and bisection find that the cube can be
/// excluded. With `¬c` as hypothesis that is not monotone; what is kept is what was asked last.
fn relax(
    queries: &mut Queries,
    at: Location,
    set: Box<[Lit]>,
    lit: Lit,
    level: Level,
) -> Result<Box<[Lit]>, Stopped> {
    let Some(bound) = Bound::of(queries, lit) else { return Ok(set) };
    let end = bound.end(&queries.graph.terms);
    let direction = if bound.is_upper { 1 } else { -1 };
    if (end - bound.value) * direction <= 0 {
        return Ok(set);
    }
    let (mut steps, mut best, mut stopped) = (0, None, Ok(()));
    gallop(bound.value, end, direction, |value| {
        steps += 1;
        if steps > MAX_STEPS || stopped.is_err() {
            return false;
        }
        let Some(other) = bound.with(queries, value) else { return false };
        match instead(queries, at, &set, (lit, other), level) {
            Ok(Some(found)) => best = Some(found),
            Ok(None) => return false,
            Err(error) => {
                stopped = Err(error);
                return false;
            }
        }
        true
    });
    stopped?;
    Ok(best.unwrap_or(set))
}
