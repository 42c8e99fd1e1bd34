//! Narrow products: `x·y` in fewer bits, where a conjunction bounds `x` and `y`.
//!
//! A program that says `0 ≤ x ≤ 6` of 32-bit words and multiplies their differences means products
//! of a few bits. A circuit does not see that the upper bits of a difference are one sign: it has
//! a thousand adders, and a SAT solver has to find out. So bounds of symbols are read off from the
//! conjuncts, intervals of terms follow ([`crate::eval::interval`]), and
//!
//! `x · y  =  sign extension of (x[n−1:0] · y[n−1:0])`
//!
//! where `n` bits hold both factors and the product as numbers with sign.
//!
//! The bounds themselves stay in the conjunction. Where one of them fails, it is false before and
//! after; where all hold, each product is what it was. So the conjunction as a whole is the same,
//! and its parts may not be. What is evaluated only where the conjunction holds may be rewritten
//! along with it.

use crate::eval::interval::{Interval, IntervalSim};
use crate::simplify::{Rewriter, negated};
use crate::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// A product is narrowed if it loses at least this many bits. Chosen: fewer are not worth it.
const LEAST_GAIN: u32 = 4;

/// The conjunction of the facts, and terms that matter only where it holds, with narrow products.
/// `None` if nothing can be narrowed.
pub fn narrow(
    terms: &mut Terms,
    facts: &[TermId],
    others: &[TermId],
) -> Option<(Vec<TermId>, Vec<TermId>)> {
    let roots = || facts.iter().chain(others).copied();
    let mut products: Vec<TermId> = terms.cone_ids(roots());
    let has_integers = products.iter().any(|&id| terms.sort(id).has_integers());
    products.retain(|&id| matches!(terms.get(id), Term::Binary(BinaryOp::Mul, ..)));
    if products.is_empty() || has_integers {
        return None;
    }
    products.sort_unstable();
    let known = bounds(terms, facts);
    if known.is_empty() {
        return None;
    }
    let mut sim = IntervalSim::new(terms, roots());
    sim.set_all(known);
    let mut rewriter = Rewriter::new();
    let mut is_changed = false;
    // Arguments have smaller numbers than what is made of them.
    for id in products {
        let Term::Binary(BinaryOp::Mul, a, b) = *terms.get(id) else { unreachable!() };
        let width = terms.width(id);
        let bits = [a, b].map(|factor| signed_bits(sim.value(factor)));
        let [Some(m), Some(n)] = bits else { continue };
        // |x| ≤ 2^(m−1) and |y| ≤ 2^(n−1): |x·y| ≤ 2^(m+n−2) has a sign bit besides.
        let narrow = m + n;
        if narrow + LEAST_GAIN > width {
            continue;
        }
        let [a, b] = [a, b].map(|factor| {
            let factor = rewriter.rewrite(terms, factor);
            terms.simplified(Term::Slice { arg: factor, high: narrow - 1, low: 0 })
        });
        let product = terms.simplified(Term::Binary(BinaryOp::Mul, a, b));
        let by = width - narrow;
        let image = terms.simplified(Term::Extend { arg: product, by, signed: true });
        rewriter.replace(id, image);
        is_changed = true;
    }
    if !is_changed {
        return None;
    }
    let mut all = |list: &[TermId]| -> Vec<TermId> {
        list.iter().map(|&root| rewriter.rewrite(terms, root)).collect()
    };
    Some((all(facts), all(others)))
}

/// How many bits hold all numbers of an interval, with sign.
fn signed_bits(interval: &Interval) -> Option<u32> {
    let (least, greatest) = interval.to_i64s()?;
    let bits = |value: i64| 65 - if value < 0 { !value } else { value }.leading_zeros();
    Some(bits(least).max(bits(greatest)))
}

/// What the conjuncts say of single symbols.
fn bounds(terms: &Terms, facts: &[TermId]) -> FxHashMap<TermId, Interval> {
    let mut known: FxHashMap<TermId, Interval> = FxHashMap::default();
    for (conjunct, holds) in conjuncts(terms, facts) {
        let Some((symbol, interval)) = bound(terms, conjunct, holds) else { continue };
        let before = known.entry(symbol).or_insert_with(|| Interval::full(interval.width()));
        // A contradiction is left to the solver that is asked about the conjunction.
        if let Some(both) = before.meet(&interval) {
            *before = both;
        }
    }
    known
}

/// The conditions of a conjunction that are no conjunctions themselves, with the value that they
/// have where it holds.
fn conjuncts(terms: &Terms, facts: &[TermId]) -> Vec<(TermId, bool)> {
    use BinaryOp::{And, Implies, Or};
    let mut stack: Vec<(TermId, bool)> = facts.iter().map(|&fact| (fact, true)).collect();
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    while let Some((id, holds)) = stack.pop() {
        if terms.sort(id) != Sort::BOOL || !seen.insert((id, holds)) {
            continue;
        }
        match *terms.get(id) {
            Term::Unary(UnaryOp::Not, a) => stack.push((a, !holds)),
            Term::Binary(And, a, b) if holds => stack.extend([(a, true), (b, true)]),
            Term::Binary(Or, a, b) if !holds => stack.extend([(a, false), (b, false)]),
            Term::Binary(Implies, a, b) if !holds => stack.extend([(a, true), (b, false)]),
            _ => found.push((id, holds)),
        }
    }
    found
}

/// Values that a symbol has where a comparison with a constant holds, or does not: all of them, and
/// maybe the constant besides.
fn bound(terms: &Terms, comparison: TermId, holds: bool) -> Option<(TermId, Interval)> {
    use BinaryOp::{Eq, Sgt, Sgte, Slt, Slte, Ugt, Ugte, Ult, Ulte};
    let Term::Binary(op, a, b) = *terms.get(comparison) else { return None };
    let op = if holds { op } else { negated(op)? };
    let (symbol, value, is_first) = match (terms.as_constant(a), terms.as_constant(b)) {
        (None, Some(value)) => (a, value, true),
        (Some(value), None) => (b, value, false),
        _ => return None,
    };
    if !matches!(terms.get(symbol), Term::Symbol(_)) {
        return None;
    }
    let all = Interval::full(value.width());
    let interval = match (op, is_first) {
        (Eq, _) => Interval::unsigned(value, value),
        (Slt | Slte, true) | (Sgt | Sgte, false) => Interval::signed(&all.signed_bounds().0, value),
        (Slt | Slte, false) | (Sgt | Sgte, true) => Interval::signed(value, &all.signed_bounds().1),
        (Ult | Ulte, true) | (Ugt | Ugte, false) => {
            Interval::unsigned(&all.unsigned_bounds().0, value)
        }
        (Ult | Ulte, false) | (Ugt | Ugte, true) => {
            Interval::unsigned(value, &all.unsigned_bounds().1)
        }
        _ => None,
    };
    Some((symbol, interval?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bv::Bv;
    use crate::eval::ops;
    use crate::random::Random;
    use crate::value::Value;

    fn value(terms: &Terms, root: TermId, symbols: [(TermId, u64); 2]) -> Value {
        let mut values: FxHashMap<TermId, Value> = FxHashMap::default();
        for id in terms.cone_ids([root]) {
            let found = match terms.get(id) {
                Term::Symbol(_) => {
                    let (_, number) = symbols.into_iter().find(|(s, _)| *s == id).expect("known");
                    Value::Bv(Bv::from_u64(terms.width(id), number))
                }
                Term::Const(constant) => Value::Bv(constant.clone()),
                term => ops::apply(term, |arg| &values[&arg]).expect("no symbol"),
            };
            values.insert(id, found);
        }
        values.remove(&root).expect("it is in its cone")
    }

    /// A sum or product of the symbols and constants.
    fn number(random: &mut Random, terms: &mut Terms, leaves: &[TermId], depth: usize) -> TermId {
        if depth == 0 {
            return leaves[random.below(leaves.len())];
        }
        let [a, b] = [0; 2].map(|_| number(random, terms, leaves, depth - 1));
        let op = [BinaryOp::Mul, BinaryOp::Mul, BinaryOp::Add, BinaryOp::Sub][random.below(4)];
        terms.simplified(Term::Binary(op, a, b))
    }

    /// The conjunction is the same for all values, and what is beside it where it holds.
    #[test]
    fn the_conjunction_stays_what_it_is() {
        use BinaryOp::{Eq, Sgt, Sgte, Slt, Slte, Ugt, Ugte, Ult, Ulte};
        const WIDTH: u32 = 12;
        let mut random = Random::new(11);
        let (mut narrowed, mut held) = (0, 0);
        for _ in 0..400 {
            let mut terms = Terms::new();
            let symbols = [0; 2].map(|_| terms.new_symbol(Sort::Bv(WIDTH)));
            let three = terms.constant(Bv::from_u64(WIDTH, 3));
            let mut facts = Vec::new();
            for symbol in symbols.into_iter().flat_map(|symbol| [symbol; 2]) {
                let bound = Bv::from_i64(WIDTH, random.below(7) as i64 - 3);
                let bound = terms.constant(bound);
                let (a, b) = if random.coin() { (symbol, bound) } else { (bound, symbol) };
                let ops = [Eq, Slt, Slte, Sgt, Sgte, Ult, Ulte, Ugt, Ugte];
                let fact = terms.binary(ops[random.below(ops.len())], a, b);
                let is_denied = random.below(4) == 0;
                facts.push(if is_denied { terms.unary(UnaryOp::Not, fact) } else { fact });
            }
            let leaves = [symbols[0], symbols[1], three];
            let [a, b, other] = [0; 3].map(|_| number(&mut random, &mut terms, &leaves, 2));
            facts.push(terms.binary(Sgte, a, b));
            let Some((after, others)) = narrow(&mut terms, &facts, &[other]) else { continue };
            narrowed += 1;
            // All points next to zero, and some others.
            let near = (0..81).map(|i| [i / 9 - 4, i % 9 - 4]);
            let far = (0..100).map(|_| [0; 2].map(|_| random.word() as i64));
            for point in near.chain(far.collect::<Vec<_>>()) {
                let number = |i: usize| Bv::from_i64(WIDTH, point[i] % 2048).to_u64();
                let at = [0, 1].map(|i| (symbols[i], number(i).expect("a short one")));
                let all = |list: &[TermId]| {
                    list.iter().all(|&fact| value(&terms, fact, at).as_bv().is_true())
                };
                let holds = all(&facts);
                assert_eq!(holds, all(&after));
                if holds {
                    held += 1;
                    assert_eq!(value(&terms, other, at), value(&terms, others[0], at));
                }
            }
        }
        assert!(narrowed > 10 && held > 100, "{narrowed} {held}");
    }
}
