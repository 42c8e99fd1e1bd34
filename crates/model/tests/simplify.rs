//! Simplified terms have the values of the terms that they stand for.

use num_bigint::BigInt;
use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use pedra_model::value::Value;
use pedra_testkit::random::Random;
use pedra_testkit::words::{WordShape, random_words};
use std::collections::BTreeMap;

/// Random terms, some of whose symbols become constants, have the same value before and after in
/// many valuations.
#[test]
fn values_are_kept() {
    let mut random = Random::new(5);
    let mut changed = 0;
    for _ in 0..600 {
        let mut terms = random_words(&mut random, WordShape::default()).terms;
        let roots: Vec<TermId> = terms.iter().map(|(id, _)| id).collect();
        let (mut rewriter, mut fixed) = (Rewriter::new(), BTreeMap::new());
        for &id in roots.iter().filter(|_| random.one_in(2)) {
            if let (Some(_), Sort::Bv(width)) = (terms.symbol_of(id), terms.sort(id)) {
                let value = Bv::from_u64(width, id.index() as u64 * 7);
                rewriter.replace(id, terms.constant(value.clone()));
                fixed.insert(id, value);
            }
        }
        let images: Vec<TermId> =
            roots.iter().map(|&id| rewriter.rewrite(&mut terms, id)).collect();
        for _ in 0..8 {
            let mut values: Vec<Value> = Vec::new();
            for (id, term) in terms.iter() {
                values.push(match (term, fixed.get(&id)) {
                    (Term::Symbol(_), Some(value)) => Value::Bv(value.clone()),
                    (Term::Symbol(_), None) => random_value(&mut random, terms.sort(id)),
                    _ => ops::apply(term, |arg| &values[arg.index()]).expect("no symbol"),
                });
            }
            for (&root, &image) in roots.iter().zip(&images) {
                assert_eq!(values[root.index()], values[image.index()], "{:?}", terms.get(root));
                changed += usize::from(root != image);
            }
        }
    }
    assert!(changed > 10_000, "{changed}");
}

fn random_value(random: &mut Random, sort: Sort) -> Value {
    match sort {
        Sort::Bv(width) => Value::Bv(Bv::from_u64(width, random.word())),
        Sort::Int => Value::Int(BigInt::from(random.below(9) as i64 - 4)),
        Sort::Array { index, element } => {
            let [all, one] = [0; 2].map(|_| random_value(random, element.into()));
            Value::everywhere(index, &all).write(&random_value(random, index.into()), &one)
        }
    }
}

/// The same for random integer terms over few symbols and small constants.
#[test]
fn values_of_integers_are_kept() {
    let mut random = Random::new(6);
    let mut changed = 0;
    for _ in 0..600 {
        let mut terms = Terms::new();
        let mut integers: Vec<TermId> = (0..2).map(|_| terms.new_symbol(Sort::Int)).collect();
        let array = terms.new_symbol(Sort::Array { index: Scalar::Int, element: Scalar::Int });
        integers.extend((-1..=2).map(|value| terms.integer(value)));
        let (mut bits, mut arrays) = (vec![terms.new_symbol(Sort::BOOL)], vec![array]);
        for _ in 0..20 {
            let [a, b] = [0; 2].map(|_| random.pick(&integers));
            let (bit, array) = (random.pick(&bits), random.pick(&arrays));
            let term = match random.below(8) {
                0 => Term::IntNeg(a),
                1 => Term::Ite(bit, a, b),
                2 => Term::Unary(UnaryOp::Not, bit),
                3 => Term::Binary(random.pick(&[BinaryOp::Eq, BinaryOp::Neq]), a, b),
                4 => Term::Write(array, a, b),
                5 => Term::Read(array, a),
                _ => Term::Int(random.pick(&IntOp::ALL), a, b),
            };
            let term = terms.add(term).expect("well sorted");
            match terms.sort(term) {
                Sort::Int => integers.push(term),
                Sort::Bv(_) => bits.push(term),
                Sort::Array { .. } => arrays.push(term),
            }
        }
        let roots: Vec<TermId> = terms.iter().map(|(id, _)| id).collect();
        let mut rewriter = Rewriter::new();
        let images: Vec<TermId> =
            roots.iter().map(|&id| rewriter.rewrite(&mut terms, id)).collect();
        for _ in 0..8 {
            let mut values: Vec<Value> = Vec::new();
            for (id, term) in terms.iter() {
                let value = ops::apply(term, |arg| &values[arg.index()]);
                values.push(value.unwrap_or_else(|| random_value(&mut random, terms.sort(id))));
            }
            for (&root, &image) in roots.iter().zip(&images) {
                assert_eq!(values[root.index()], values[image.index()], "{:?}", terms.get(root));
                changed += usize::from(root != image);
            }
        }
    }
    assert!(changed > 10_000, "{changed}");
}

/// A chain of squares of a constant is not folded into a number that fills the memory.
#[test]
fn constants_stay_small() {
    let mut terms = Terms::new();
    let mut number = terms.integer(3);
    for _ in 0..64 {
        number = terms.simplified(Term::Int(IntOp::Mul, number, number));
    }
    assert!(matches!(terms.get(number), Term::Int(..)));
}

/// `(a · x + b)[high:low]` for all factors, constants, slices and values of five bits.
#[test]
fn slices_of_multiples_are_kept() {
    let mut changed = 0;
    for (a, b) in (0..32).flat_map(|a| (0..32).map(move |b| (a, b))) {
        let mut terms = Terms::new();
        let x = terms.new_symbol(Sort::Bv(5));
        let factor = terms.constant(Bv::from_u64(5, a));
        let constant = terms.constant(Bv::from_u64(5, b));
        let product = terms.binary(BinaryOp::Mul, x, factor);
        let sum = terms.binary(BinaryOp::Add, product, constant);
        for (high, low) in (1..5).flat_map(|high| (1..=high).map(move |low| (high, low))) {
            for arg in [product, sum] {
                let plain = terms.slice(arg, high, low);
                let image = Rewriter::new().rewrite(&mut terms, plain);
                changed += usize::from(plain != image);
                for value in 0..32 {
                    let mut values: Vec<Value> = Vec::new();
                    for (_, term) in terms.iter() {
                        values.push(match term {
                            Term::Symbol(_) => Value::Bv(Bv::from_u64(5, value)),
                            _ => ops::apply(term, |arg| &values[arg.index()]).expect("no symbol"),
                        });
                    }
                    assert_eq!(values[plain.index()], values[image.index()], "{a} {b} {value}");
                }
            }
        }
    }
    assert!(changed > 1_000, "{changed}");
}
