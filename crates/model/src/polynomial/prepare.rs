//! Formulas with products, made ready for polynomial arithmetic.
//!
//! - An extension of a sum is no polynomial in what is added, unless nothing overflows. [`spread`]
//!   makes a choice of it: `ext(a + b) = ite(overflow(a, b), ext(a + b), ext(a) + ext(b))`.
//! - At the end of a loop `i ≤ n` and `i > n − 1` say that `i = n`: an equation to calculate with.
//!   [`boundaries`] makes such equations of comparisons; whether they hold is for others to say.

use super::is_product;
use crate::bv::Bv;
use crate::rebuild::Image;
use crate::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;

/// How deep sums are looked into; it bounds the recursion, too.
const DEPTH: u32 = 12;

/// Equivalent formulas in which extensions of sums are choices, where equations have products.
pub fn spread(terms: &mut Terms, roots: &[TermId]) -> Vec<TermId> {
    let cone = terms.cone(roots.iter().copied());
    let is_equation = |id: TermId| {
        let sides = match *terms.get(id) {
            Term::Binary(BinaryOp::Eq | BinaryOp::Neq, a, b) => [a, b],
            _ => return false,
        };
        matches!(terms.sort(sides[0]), Sort::Bv(2..)) && has_product(terms, sides)
    };
    let ids = (0..cone.len()).filter(|&index| cone[index]).map(TermId::new);
    let equations: Vec<TermId> = ids.filter(|&id| is_equation(id)).collect();
    let mut images: FxHashMap<TermId, TermId> = FxHashMap::default();
    for equation in equations {
        let Term::Binary(op, a, b) = *terms.get(equation) else { continue };
        let [a, b] = [a, b].map(|side| word(terms, side, DEPTH));
        images.insert(equation, terms.binary(op, a, b));
    }
    let image: Image = terms.substitute(roots.iter().copied(), |_, id| images.get(&id).copied());
    roots.iter().map(|&root| image.of(root)).collect()
}

/// Whether there is a product in the sums of two words.
fn has_product(terms: &Terms, sides: [TermId; 2]) -> bool {
    let mut stack: Vec<(TermId, u32)> = sides.iter().map(|&side| (side, DEPTH)).collect();
    while let Some((term, depth)) = stack.pop() {
        if is_product(terms, term) {
            return true;
        }
        let Some(below) = depth.checked_sub(1) else { continue };
        match *terms.get(term) {
            Term::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b)
            | Term::Ite(_, a, b) => stack.extend([(a, below), (b, below)]),
            Term::Unary(UnaryOp::Inc | UnaryOp::Dec | UnaryOp::Neg, a) => stack.push((a, below)),
            _ => {}
        }
    }
    false
}

/// The same word, with extensions of its parts spread.
fn word(terms: &mut Terms, id: TermId, depth: u32) -> TermId {
    let Some(below) = depth.checked_sub(1) else { return id };
    match *terms.get(id) {
        Term::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
            let (a, b) = (word(terms, a, below), word(terms, b, below));
            terms.binary(op, a, b)
        }
        Term::Unary(op @ (UnaryOp::Inc | UnaryOp::Dec | UnaryOp::Neg), a) => {
            let a = word(terms, a, below);
            terms.unary(op, a)
        }
        Term::Ite(c, a, b) => {
            let (a, b) = (word(terms, a, below), word(terms, b, below));
            terms.ite(c, a, b)
        }
        Term::Extend { arg, by: by @ 1.., signed } => extended(terms, arg, (by, signed), below),
        _ => id,
    }
}

/// `ext(a)`, spread.
fn extended(terms: &mut Terms, a: TermId, (by, signed): (u32, bool), depth: u32) -> TermId {
    let whole = terms.add(Term::Extend { arg: a, by, signed }).expect("a word");
    let Some(below) = depth.checked_sub(1) else { return whole };
    let (op, b, c) = match *terms.get(a) {
        Term::Ite(condition, b, c) => {
            let [b, c] = [b, c].map(|side| extended(terms, side, (by, signed), below));
            return terms.ite(condition, b, c);
        }
        // An extension of an extension is one, if zeros stay zeros and signs stay signs.
        Term::Extend { arg, by: inner, signed: sign } if sign == signed && inner > 0 => {
            return extended(terms, arg, (by + inner, signed), below);
        }
        Term::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), b, c) => (op, b, c),
        Term::Unary(op @ (UnaryOp::Inc | UnaryOp::Dec), b) => {
            let one = terms.constant(Bv::from_u64(terms.width(a), 1));
            (if op == UnaryOp::Inc { BinaryOp::Add } else { BinaryOp::Sub }, b, one)
        }
        _ => return whole,
    };
    let overflows = match (op, signed) {
        (BinaryOp::Add, true) => BinaryOp::Saddo,
        (BinaryOp::Add, false) => BinaryOp::Uaddo,
        (BinaryOp::Sub, true) => BinaryOp::Ssubo,
        (BinaryOp::Sub, false) => BinaryOp::Usubo,
        (_, true) => BinaryOp::Smulo,
        (_, false) => BinaryOp::Umulo,
    };
    // Whether a product of variables overflows is as hard as the product itself.
    if op == BinaryOp::Mul && is_product(terms, a) {
        return whole;
    }
    let overflows = terms.binary(overflows, b, c);
    let [b, c] = [b, c].map(|part| extended(terms, part, (by, signed), below));
    let sum = terms.binary(op, b, c);
    terms.ite(overflows, whole, sum)
}

/// For each comparison `a ≤ b` or `a < b` of words below a formula the equations `a = b`,
/// `a = b + 1` and `b = a + 1`.
pub fn boundaries(terms: &mut Terms, root: TermId) -> Vec<TermId> {
    use BinaryOp::{Sgt, Sgte, Slt, Slte, Ugt, Ugte, Ult, Ulte};
    let cone = terms.cone([root]);
    let ids = (0..cone.len()).filter(|&index| cone[index]).map(TermId::new);
    let compared = |id: TermId| match *terms.get(id) {
        Term::Binary(Slt | Slte | Sgt | Sgte | Ult | Ulte | Ugt | Ugte, a, b)
            if terms.sort(a) != Sort::BOOL =>
        {
            Some((a, b))
        }
        _ => None,
    };
    let pairs: Vec<(TermId, TermId)> = ids.filter_map(compared).collect();
    let mut found = Vec::new();
    for (a, b) in pairs {
        let (above_a, above_b) = (terms.unary(UnaryOp::Inc, a), terms.unary(UnaryOp::Inc, b));
        for (a, b) in [(a, b), (a, above_b), (above_a, b)] {
            found.push(terms.binary(BinaryOp::Eq, a, b));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::ops;
    use crate::value::Value;
    use pedra_testkit::random::{Random, runs};

    /// For all values of two words of two bits.
    #[test]
    fn spread_formulas_are_equivalent() {
        let mut random = Random::new(7);
        let mut changed = 0;
        for _ in 0..runs(400) {
            let mut terms = Terms::new();
            let symbols = [0; 2].map(|_| terms.new_symbol(Sort::Bv(2)));
            let mut words = symbols.to_vec();
            words.push(terms.constant(Bv::from_u64(2, random.below(4) as u64)));
            for _ in 0..4 {
                let (a, b) = (words[random.below(words.len())], words[random.below(words.len())]);
                let op = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul][random.below(3)];
                words.push(match random.below(5) {
                    1 => terms.unary([UnaryOp::Inc, UnaryOp::Dec][random.below(2)], a),
                    0 => {
                        let c = terms.binary(BinaryOp::Ult, a, b);
                        terms.ite(c, a, b)
                    }
                    _ => terms.binary(op, a, b),
                });
            }
            let mut wide = Vec::new();
            for _ in 0..3 {
                let arg = words[random.below(words.len())];
                let signed = random.below(2) == 0;
                let once = terms.add(Term::Extend { arg, by: 1, signed }).expect("a word");
                let signed = random.below(4) == 0 || signed;
                wide.push(terms.add(Term::Extend { arg: once, by: 2, signed }).expect("a word"));
            }
            let product = terms.binary(BinaryOp::Mul, wide[0], wide[1]);
            let sum = terms.binary(BinaryOp::Add, product, wide[2]);
            let formula = terms.binary(BinaryOp::Eq, sum, wide[random.below(3)]);
            let other = spread(&mut terms, &[formula])[0];
            changed += usize::from(other != formula);
            for values in 0..16u64 {
                let mut known: FxHashMap<TermId, Value> = FxHashMap::default();
                for (id, term) in terms.iter() {
                    let value = ops::apply(term, |arg| &known[&arg]).unwrap_or_else(|| {
                        let at = symbols.iter().position(|&s| s == id).expect("a symbol");
                        Value::Bv(Bv::from_u64(2, values >> (2 * at) & 3))
                    });
                    known.insert(id, value);
                }
                assert_eq!(known[&formula], known[&other]);
            }
        }
        assert!(changed > 50, "{changed}");
    }
}
