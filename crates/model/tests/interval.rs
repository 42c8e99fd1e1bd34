//! Interval rules against the reference semantics: sound everywhere, and exact where they say
//! so.

use pedra_model::bv::Bv;
use pedra_model::eval::interval::{self, Interval, IntervalSim, IntervalValue};
use pedra_model::eval::ops;
use pedra_model::term::{BinaryOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use pedra_model::value::{ArrayValue, Ternary, Value};
use pedra_testkit::intervals::{check_random, check_width, every_interval, random_terms};
use pedra_testkit::random::Random;

/// Rules that do not always give the least interval.
const NOT_EXACT: [&str; 6] = ["mul", "udiv", "urem", "sdiv", "srem", "smod"];

#[test]
fn all_intervals_of_small_widths() {
    for width in 1..=3 {
        let report = check_width(width, 1);
        assert_eq!(report.unsound, Vec::<String>::new(), "width {width}");
        let loose: Vec<&str> = report.loose.iter().map(|(name, _)| name.as_str()).collect();
        let unexpected: Vec<&&str> = loose.iter().filter(|n| !NOT_EXACT.contains(n)).collect();
        assert!(unexpected.is_empty(), "width {width}: {:?} are not exact", report.loose);
    }
}

#[test]
fn a_part_of_the_intervals_of_width_4() {
    let report = check_width(4, 97);
    assert_eq!(report.unsound, Vec::<String>::new());
    assert!(report.loose.iter().all(|(name, _)| NOT_EXACT.contains(&name.as_str())));
}

/// Where a quotient crosses from one half to the other the cut is not exact, but the least and
/// the greatest quotient are.
#[test]
fn unsigned_quotients_have_exact_bounds() {
    let all = every_interval(3);
    let values: Vec<Bv> = (0..8).map(|v| Bv::from_u64(3, v)).collect();
    for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        let inside = |i: &Interval| values.iter().filter(|v| i.contains(v)).collect::<Vec<_>>();
        let (in_a, in_b) = (inside(a), inside(b));
        let quotients = in_a.iter().flat_map(|x| in_b.iter().map(|y| x.udiv(y)));
        let quotients: Vec<Bv> = quotients.collect();
        let bounds = (quotients.iter().min().cloned(), quotients.iter().max().cloned());
        let (low, high) = interval::binary(BinaryOp::Udiv, a, b).unsigned_bounds();
        assert_eq!((Some(low), Some(high)), bounds, "{a:?} {b:?}");
    }
}

#[test]
fn samples_of_larger_widths() {
    let mut random = Random::new(1);
    for width in (5..=16).chain([31, 32, 33, 63, 64, 65, 66, 100, 127, 128]) {
        let checked = check_random(&mut random, width, 4);
        assert!(checked.as_ref().is_ok_and(|&count| count > 100), "width {width}: {checked:?}");
    }
}

#[test]
fn bounds_of_both_orders() {
    let i = Interval::from_i64s(8, -3, 5).expect("not empty");
    assert_eq!((i.to_u64s(), i.to_i64s()), (Some((0, 255)), Some((-3, 5))));
    let positive = i.meet(&Interval::from_u64s(8, 1, 200).expect("not empty")).expect("common");
    assert_eq!((positive.to_u64s(), positive.to_i64s()), (Some((1, 5)), Some((1, 5))));
    let negative = i.meet(&Interval::from_u64s(8, 6, 255).expect("not empty")).expect("common");
    assert_eq!((negative.to_u64s(), negative.to_i64s()), (Some((253, 255)), Some((-3, -1))));
    assert_eq!(i.meet(&Interval::from_u64s(8, 6, 252).expect("not empty")), None);
    assert_eq!(Interval::from_u64s(4, 3, 2), None);
    assert_eq!(Interval::from_u64s(4, 16, 20), None);
    assert_eq!(Interval::from_i64s(4, 8, 9), None);
    assert_eq!(Interval::from_i64s(4, -100, 100), Some(Interval::full(4)));
    assert!(Interval::full(4).is_full() && Interval::full(5000).is_full());
    assert_eq!(format!("{i:?}"), "8'[0, 255] and [-3, 5] signed");
    assert_eq!(format!("{positive:?}"), "8'[1, 5]");
    assert_eq!(Interval::from(Ternary::Unknown).as_bit(), Ternary::Unknown);
    assert!(Interval::from(Bv::one(1)).is_true() && Interval::from(Bv::zero(1)).is_false());
}

#[test]
fn sets_are_sets() {
    let all = every_interval(3);
    assert_eq!(all.len(), 11 * 11 - 1);
    let values: Vec<Bv> = (0..8).map(|v| Bv::from_u64(3, v)).collect();
    let set = |i: &Interval| -> Vec<bool> { values.iter().map(|v| i.contains(v)).collect() };
    for a in &all {
        for b in &all {
            let covers = set(a).iter().zip(set(b)).all(|(&a, b)| a || !b);
            assert_eq!(a.covers(b), covers, "{a:?} {b:?}");
            let both: Vec<bool> = set(a).iter().zip(set(b)).map(|(&a, b)| a && b).collect();
            let meet = a.meet(b).map_or(vec![false; 8], |m| set(&m));
            assert_eq!(meet, both, "{a:?} {b:?}");
            assert!(a.join(b).covers(a) && a.join(b).covers(b));
            assert_eq!(a == b, set(a) == set(b));
        }
    }
}

#[test]
fn very_wide_vectors_are_known_or_not() {
    let width = 1 << 20;
    let (full, one) = (Interval::full(width), Interval::from(Bv::one(width)));
    assert_eq!(interval::binary(BinaryOp::Add, &full, &one), full);
    let two = interval::binary(BinaryOp::Add, &one, &one);
    assert_eq!(two.as_point(), Some(Bv::from_u64(width, 2)));
    assert!(full.covers(&two) && !two.covers(&full) && one.meet(&two).is_none());
    assert_eq!(one.join(&two), full);
    assert_eq!(interval::slice(&full, 3, 0), Interval::full(4));
    assert_eq!(interval::binary(BinaryOp::Ult, &full, &one), Interval::full(1));
    assert_eq!(interval::unary(UnaryOp::RedOr, &full), Interval::full(1));
    assert_eq!(interval::extend(&Interval::full(8), width, true), Interval::full(width + 8));
    assert_eq!(full.unsigned_bounds(), (Bv::zero(width), Bv::ones(width)));
    assert_eq!(full.signed_bounds().0, Bv::one(width).shifted_left(width - 1));
    // Between the two: with bounds, in big integers.
    let some = interval::extend(&Interval::full(8), 1000, false);
    assert_eq!(some.unsigned_bounds().1, Bv::from_u64(1008, 255));
    let amount = Interval::from_u64s(1008, 0, 999).expect("not empty");
    assert!(interval::binary(BinaryOp::Sll, &some, &amount).is_full());
}

/// The paper's `[and]` would give `[3, 4]`.
#[test]
fn conjunction_is_not_a_minimum() {
    let (three, four) = (Bv::from_u64(3, 3).into(), Bv::from_u64(3, 4).into());
    let point = interval::binary(BinaryOp::And, &three, &four);
    assert_eq!(point.as_point(), Some(Bv::zero(3)));
}

/// Operators both of whose arguments are one term, for which there are rules of their own: all
/// of them, for all intervals. At width 1 the least number is also −1.
#[test]
fn one_term_as_both_arguments() {
    for width in 1..=4 {
        let mut terms = Terms::new();
        let x = terms.new_symbol(Sort::Bv(width));
        let applied = BinaryOp::ALL.iter().filter_map(|&op| terms.add(Term::Binary(op, x, x)).ok());
        let applied: Vec<TermId> = applied.collect();
        assert!(applied.len() + 2 >= BinaryOp::ALL.len(), "all but those on bits");
        let mut sim = IntervalSim::new(&terms, applied.iter().copied());
        for interval in every_interval(width) {
            sim.set(x, interval.clone());
            let values = (0..1 << width).map(|v| Bv::from_u64(width, v));
            for value in values.filter(|v| interval.contains(v)).map(Value::Bv) {
                for &term in &applied {
                    let exact = ops::apply(terms.get(term), |_| &value).expect("not a symbol");
                    let found = sim.get(term);
                    let term = terms.get(term);
                    assert!(found.contains(&exact), "{term:?} of {value:?}: {found:?}");
                }
            }
        }
    }
}

/// A random array with some elements listed.
fn random_array(random: &mut Random, index: u32, element: u32) -> ArrayValue<Interval> {
    let all = every_interval(element);
    let mut array = ArrayValue::new(index, all[random.below(all.len())].clone());
    for at in 0..1u64 << index {
        if random.one_in(2) {
            array.set(Bv::from_u64(index, at), all[random.below(all.len())].clone());
        }
    }
    array
}

/// A value of the array in which each element is in its interval.
fn random_element_of(random: &mut Random, array: &ArrayValue<Interval>) -> ArrayValue<Bv> {
    let width = array.default_element().width();
    let pick = |random: &mut Random, interval: &Interval| {
        let values: Vec<Bv> = (0..1 << width).map(|v| Bv::from_u64(width, v)).collect();
        let inside: Vec<&Bv> = values.iter().filter(|v| interval.contains(v)).collect();
        inside[random.below(inside.len())].clone()
    };
    let mut value = ArrayValue::new(array.index_width(), pick(random, array.default_element()));
    for at in (0..1u64 << array.index_width()).map(|at| Bv::from_u64(array.index_width(), at)) {
        let element = pick(random, array.get(&at));
        value.set(at, element);
    }
    value
}

#[test]
fn arrays_by_element() {
    let mut random = Random::new(7);
    let mut terms = Terms::new();
    let sort = Sort::bv_array(2, 2);
    let (a, b) = (terms.new_symbol(sort), terms.new_symbol(sort));
    let (at, value, c) = (
        terms.new_symbol(Sort::Bv(2)),
        terms.new_symbol(Sort::Bv(2)),
        terms.new_symbol(Sort::BOOL),
    );
    let roots = [
        terms.read(a, at),
        terms.write(a, at, value),
        terms.ite(c, a, b),
        terms.binary(BinaryOp::Eq, a, b),
        terms.binary(BinaryOp::Neq, a, b),
        terms.binary(BinaryOp::Eq, a, a),
        terms.add(Term::ConstArray { index: Scalar::Bv(2), value }).expect("well sorted"),
    ];
    let (indices, bits) = (every_interval(2), every_interval(1));
    for _ in 0..3000 {
        let arrays = [random_array(&mut random, 2, 2), random_array(&mut random, 2, 2)];
        let words = [(at, &indices), (value, &indices), (c, &bits)]
            .map(|(term, all)| (term, all[random.below(all.len())].clone()));
        let mut sim = IntervalSim::new(&terms, roots);
        sim.set_all([(a, arrays[0].clone()), (b, arrays[1].clone())]);
        sim.set_all(words.clone());
        let mut point: Vec<(TermId, Value)> = words
            .iter()
            .map(|(term, interval)| {
                let width = interval.width();
                let mut values = (0..1 << width).map(|v| Bv::from_u64(width, v));
                (*term, Value::Bv(values.rfind(|v| interval.contains(v)).expect("not empty")))
            })
            .collect();
        for (term, array) in [a, b].into_iter().zip(&arrays) {
            point.push((term, Value::Array(random_element_of(&mut random, array))));
        }
        for root in roots {
            let of = |arg: TermId| &point.iter().find(|(t, _)| *t == arg).expect("a symbol").1;
            let concrete = ops::apply(terms.get(root), of).expect("not a symbol");
            assert!(
                sim.get(root).contains(&concrete),
                "{:?}: {:?}",
                terms.get(root),
                sim.get(root)
            );
        }
        if let (Some(at), Some(value)) = (words[0].1.as_point(), words[1].1.as_point()) {
            let written = sim.get(roots[1]).as_array();
            assert_eq!(written.get(&at).as_point(), Some(value));
        }
    }
}

#[test]
fn long_arrays_are_known_as_a_whole() {
    let mut terms = Terms::new();
    let mut array = terms.new_symbol(Sort::bv_array(32, 8));
    let symbol = array;
    for i in 0..1000 {
        let (at, value) = (Bv::from_u64(32, 3 * i), Bv::from_u64(8, 10 + i % 5));
        let (at, value) = (terms.constant(at), terms.constant(value));
        array = terms.write(array, at, value);
    }
    let mut sim = IntervalSim::new(&terms, [array]);
    sim.set(symbol, ArrayValue::new(32, Interval::from(Bv::from_u64(8, 20))));
    let known = sim.get(array).as_array();
    assert!(known.entries().count() <= 256);
    assert_eq!(known.default_element().to_u64s(), Some((10, 20)));
}

/// Values after any mixture of changes, checkpoints and returns are those of a new simulation.
#[test]
fn increments_agree_with_a_fresh_start() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let (terms, symbols, roots) = random_terms(&mut random, 5, 40);
        let mut sim = IntervalSim::new(&terms, roots.iter().copied());
        let mut now: Vec<Interval> =
            symbols.iter().map(|&s| Interval::full(terms.width(s))).collect();
        let mut saved: Vec<Vec<Interval>> = Vec::new();
        for _ in 0..30 {
            match random.below(6) {
                0 => {
                    sim.checkpoint();
                    saved.push(now.clone());
                }
                1 if !saved.is_empty() => {
                    sim.rollback();
                    now = saved.pop().expect("an open checkpoint");
                }
                2 if !saved.is_empty() => {
                    sim.commit();
                    saved.pop();
                }
                _ => {
                    let which = random.below(symbols.len());
                    let all = every_interval(terms.width(symbols[which]));
                    now[which] = all[random.below(all.len())].clone();
                    sim.set(symbols[which], now[which].clone());
                }
            }
            let mut fresh = IntervalSim::new(&terms, roots.iter().copied());
            fresh.set_all(symbols.iter().copied().zip(now.iter().cloned()));
            for &root in &roots {
                assert_eq!(sim.get(root), fresh.get(root));
            }
        }
    }
}

#[test]
fn a_change_costs_its_cone() {
    let mut terms = Terms::new();
    let symbols: Vec<TermId> = (0..100).map(|_| terms.new_symbol(Sort::Bv(32))).collect();
    let roots: Vec<TermId> = symbols.iter().map(|&s| terms.unary(UnaryOp::Inc, s)).collect();
    let sums: Vec<TermId> =
        roots.chunks(2).map(|pair| terms.binary(BinaryOp::Add, pair[0], pair[1])).collect();
    let mut sim = IntervalSim::new(&terms, sums.iter().copied());
    let before = sim.evaluations();
    sim.set(symbols[4], Interval::from(Bv::from_u64(32, 7)));
    // The increment and the sum; the sum stays unknown.
    assert_eq!(sim.evaluations() - before, 2);
    assert_eq!(sim.value(roots[4]).as_point(), Some(Bv::from_u64(32, 8)));
    let kept = sim.attempt(symbols[5], Interval::from(Bv::from_u64(32, 1)), |sim| {
        sim.value(sums[2]).as_point() == Some(Bv::from_u64(32, 11))
    });
    assert!(!kept && sim.value(sums[2]).is_full() && sim.value(symbols[5]).is_full());
    let before = sim.evaluations();
    sim.set(symbols[4], Interval::from(Bv::from_u64(32, 7)));
    assert_eq!(sim.evaluations(), before, "nothing has changed");
}

#[test]
fn symbols_outside_of_the_cone_are_left_aside() {
    let mut terms = Terms::new();
    let (x, y) = (terms.new_symbol(Sort::Bv(8)), terms.new_symbol(Sort::Bv(8)));
    let root = terms.unary(UnaryOp::Not, x);
    let mut sim = IntervalSim::new(&terms, [root]);
    assert!(sim.knows(x) && !sim.knows(y));
    sim.set(y, Interval::from(Bv::zero(8)));
    // The store may grow in the meantime.
    terms.binary(BinaryOp::Add, x, y);
    sim.set(x, IntervalValue::from(Value::Bv(Bv::zero(8))));
    assert_eq!(sim.value(root).as_point(), Some(Bv::ones(8)));
}
