//! Simplified terms have the values of the terms that they stand for.

use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{Sort, Term, TermId};
use pedra_model::value::{ArrayValue, Value};
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
        Sort::Array { index, element } => {
            let mut array = ArrayValue::new(index, Bv::from_u64(element, random.word()));
            array.set(Bv::from_u64(index, random.word()), Bv::from_u64(element, random.word()));
            Value::Array(array)
        }
    }
}
