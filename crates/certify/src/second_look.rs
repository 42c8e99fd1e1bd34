//! A second look at terms that were rewritten, by evaluating them.
//!
//! [`pedra_model::affine`] is what both the search and the check of its proofs calculate with. It
//! is tested for all values at small widths. Here each rewritten term is held against the one that
//! it stands for, on the reference evaluator, which knows nothing of sums in normal form. Values
//! are chosen where calculating goes wrong: at the ends of the ranges, at and beside the constants
//! of the terms, where one side of a comparison equals the other, and anywhere. This is not a proof
//! of equality: it finds mistakes early, before the proof is tried (`word_consecution`), and it is
//! all that there is where that proof is too hard, which the verdict then says.

use pedra_model::bv::Bv;
use pedra_model::eval::words::WordSimulator;
use pedra_model::random::Random;
use pedra_model::system::{Input, System};
use pedra_model::term::{Scalar, Sort, Term, TermId, Terms};
use pedra_model::value::{ArrayValue, TernaryBv, TernaryValue};

/// How many points are compared: this many evaluations of terms in all, but always some points.
const EVALUATIONS: usize = 2_000_000;
const POINTS: std::ops::RangeInclusive<usize> = 32..=400;

/// Whether the terms of each pair have the same value at all points that are looked at.
pub(crate) fn seem_equal(terms: &Terms, pairs: &[(TermId, TermId)]) -> bool {
    let cone = terms.cone(pairs.iter().flat_map(|&(a, b)| [a, b]));
    let size = cone.iter().filter(|&&is_in| is_in).count();
    let mut system = System { terms: terms.clone(), ..System::default() };
    let (mut constants, mut sides) = (Vec::new(), Vec::new());
    for (id, term) in terms.iter().filter(|(id, _)| cone[id.index()]) {
        match term {
            Term::Symbol(_) => system.inputs.push(Input { term: id, name: None }),
            Term::Const(value) => constants.push(value.clone()),
            Term::Binary(..) if terms.sort(id) == Sort::BOOL => {
                sides.extend(term.args().filter(|&arg| matches!(terms.sort(arg), Sort::Bv(2..))));
            }
            _ => {}
        }
    }
    let roots = pairs.iter().flat_map(|&(a, b)| [a, b]);
    let Ok(mut simulator) = WordSimulator::with_roots(&system, roots) else { return false };
    let mut random = Random::new(0);
    let points = (EVALUATIONS / size.max(1)).clamp(*POINTS.start(), *POINTS.end());
    (0..points).all(|_| {
        let sorts = system.inputs.iter().map(|input| terms.sort(input.term));
        let mut values: Vec<TernaryValue> =
            sorts.map(|sort| value(&mut random, sort, &constants)).collect();
        simulator.load(&[], &values);
        let seems_equal = pairs.iter().all(|&(a, b)| simulator.value(a) == simulator.value(b));
        if !seems_equal || sides.is_empty() || values.is_empty() {
            return seems_equal;
        }
        // Sides of a comparison of wide words are hardly ever equal, unless one is made so: some
        // symbol becomes what a side is.
        let (symbol, side) = (random.below(values.len()), sides[random.below(sides.len())]);
        let TernaryValue::Bv(old) = &values[symbol] else { return true };
        let limbs = simulator.value(side).as_bv().zero_filled().limbs();
        values[symbol] = TernaryValue::Bv(nudged(&mut random, old.width(), limbs).into());
        simulator.load(&[], &values);
        pairs.iter().all(|&(a, b)| simulator.value(a) == simulator.value(b))
    })
}

fn value(random: &mut Random, sort: Sort, constants: &[Bv]) -> TernaryValue {
    match sort {
        Sort::Bv(width) => TernaryValue::Bv(word(random, width, constants).into()),
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => {
            let all = TernaryBv::from(word(random, element, constants));
            TernaryValue::Array(ArrayValue::new(index, all))
        }
        Sort::Int | Sort::Array { .. } => TernaryValue::Opaque(sort),
    }
}

/// A word: an end of a range, a constant, a small number, each give or take a little; or anything.
fn word(random: &mut Random, width: u32, constants: &[Bv]) -> Bv {
    let limbs: Vec<u64> = match random.below(8) {
        0..=2 if !constants.is_empty() => constants[random.below(constants.len())].limbs(),
        // The least and the greatest, signed and unsigned.
        3 | 4 => {
            let lowest = [0, u64::MAX][random.below(2)];
            let mut limbs = vec![lowest; width.div_ceil(64) as usize];
            let sign = 1u64 << ((width - 1) % 64);
            if let Some(last) = limbs.last_mut() {
                *last ^= [0, sign][random.below(2)];
            }
            limbs
        }
        5 => vec![random.word() % 16],
        6 => vec![random.word() >> random.below(64)],
        _ => (0..width.div_ceil(64)).map(|_| random.word()).collect(),
    };
    nudged(random, width, limbs)
}

/// A little more or less, without a carry: at the ends that is what matters.
fn nudged(random: &mut Random, width: u32, mut limbs: Vec<u64>) -> Bv {
    limbs.resize(width.div_ceil(64) as usize, 0);
    let nudge = [0, 0, 1, u64::MAX, 2][random.below(5)];
    limbs[0] = limbs[0].wrapping_add(nudge);
    Bv::from_limbs(width, limbs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pedra_model::affine::normalise;
    use pedra_model::term::BinaryOp;

    #[test]
    fn differences_are_seen() {
        for width in [1, 8, 32, 64, 100] {
            let mut terms = Terms::new();
            let [x, y] = [0; 2].map(|_| terms.new_symbol(Sort::Bv(width)));
            let hundred = terms.constant(Bv::from_u64(width, 100 & ((1 << width.min(8)) - 1)));
            let product = terms.binary(BinaryOp::Mul, x, hundred);
            let more = terms.binary(BinaryOp::Add, y, hundred);
            let [less, at_most, wrapped] =
                [(BinaryOp::Slt, y), (BinaryOp::Slte, y), (BinaryOp::Slte, more)]
                    .map(|(op, left)| terms.binary(op, left, product));
            for term in [less, at_most, wrapped] {
                let normal = normalise(&mut terms, term);
                assert!(seem_equal(&terms, &[(term, normal)]), "{width}");
            }
            // These differ where both sides are equal, and these almost everywhere.
            assert!(!seem_equal(&terms, &[(less, at_most)]), "{width}");
            assert!(width == 1 || !seem_equal(&terms, &[(at_most, wrapped)]), "{width}");
        }
    }
}
