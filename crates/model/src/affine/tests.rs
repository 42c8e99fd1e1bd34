//! Normal forms against evaluation, for all values.

use super::*;
use crate::bv::Bv;
use crate::eval::words::WordSimulator;
use crate::system::{Input, System};
use crate::value::TernaryValue;
use pedra_testkit::random::Random;

/// A system with these inputs, for evaluation.
fn system(widths: &[u32]) -> (System, Vec<TermId>) {
    let mut system = System::default();
    let mut symbols = Vec::new();
    for &width in widths {
        let term = system.terms.new_symbol(Sort::Bv(width));
        system.inputs.push(Input { term, name: None });
        symbols.push(term);
    }
    (system, symbols)
}

/// That two bits are the same for all values of the inputs.
fn assert_equal(system: &System, widths: &[u32], a: TermId, b: TermId) {
    let mut simulator = WordSimulator::with_roots(system, [a, b]).expect("no circle");
    let total: u32 = widths.iter().sum();
    for code in 0..1u64 << total {
        let mut rest = code;
        let mut word = |&width: &u32| {
            let value = Bv::from_u64(width, rest);
            rest >>= width;
            TernaryValue::Bv(value.into())
        };
        let inputs: Vec<TernaryValue> = widths.iter().map(&mut word).collect();
        simulator.load(&[], &inputs);
        let value = |id| simulator.value(id).as_bit().known();
        assert_eq!(value(a), value(b), "{:?} at {code:b}", system.terms.get(a));
    }
}

/// A random word of sums, choices and the like.
fn word(
    terms: &mut Terms,
    random: &mut Random,
    symbols: &[TermId],
    width: u32,
    depth: u32,
) -> TermId {
    let of = |terms: &mut Terms, random: &mut Random, width| {
        word(terms, random, symbols, width, depth.saturating_sub(1))
    };
    match if depth == 0 { random.between(0, 2) } else { random.between(0, 12) } {
        0 => terms.constant(Bv::from_u64(width, random.word())),
        1 | 2 => {
            let symbol = random.pick(symbols);
            let has = terms.width(symbol);
            match width.checked_sub(has) {
                Some(by) => {
                    let signed = random.one_in(2);
                    terms.add(Term::Extend { arg: symbol, by, signed }).expect("a word")
                }
                None => terms.slice(symbol, width - 1, 0),
            }
        }
        3 => {
            let op = random.pick(&[UnaryOp::Inc, UnaryOp::Dec, UnaryOp::Neg]);
            let a = of(terms, random, width);
            terms.unary(op, a)
        }
        4..=6 => {
            let (a, b) = (of(terms, random, width), of(terms, random, width));
            let op = if random.one_in(3) { BinaryOp::Sub } else { BinaryOp::Add };
            terms.binary(op, a, b)
        }
        7 => {
            let (a, c) = (of(terms, random, width), Bv::from_u64(width, random.word()));
            let c = terms.constant(c);
            terms.binary(BinaryOp::Mul, a, c)
        }
        8 | 9 => {
            let (a, b, t, e) = (
                of(terms, random, 2),
                of(terms, random, 2),
                of(terms, random, width),
                of(terms, random, width),
            );
            let c = terms.binary(BinaryOp::Ult, a, b);
            terms.ite(c, t, e)
        }
        10 if width > 1 => {
            let by = random.between(1, width as usize - 1) as u32;
            let arg = of(terms, random, width - by);
            terms.add(Term::Extend { arg, by, signed: random.one_in(2) }).expect("a word")
        }
        11 => {
            let wide = of(terms, random, width + 2);
            terms.slice(wide, width - 1, 0)
        }
        _ => {
            let (a, b) = (of(terms, random, width), of(terms, random, width));
            terms.binary(BinaryOp::And, a, b)
        }
    }
}

#[test]
fn random_comparisons_stay_what_they_are() {
    use BinaryOp::*;
    let mut random = Random::new(5);
    let mut changed = 0;
    for _ in 0..3000 {
        let widths = [random.between(1, 4) as u32, random.between(1, 3) as u32, 2];
        let (mut system, symbols) = system(&widths);
        let terms = &mut system.terms;
        let width = random.between(2, 6) as u32;
        let a = word(terms, &mut random, &symbols, width, 3);
        let b = word(terms, &mut random, &symbols, width, 3);
        let ops = [Eq, Neq, Slt, Slte, Sgt, Sgte, Ult, Ulte, Ugt, Ugte];
        let op = random.pick(&ops);
        let root = terms.binary(op, a, b);
        let root = terms.unary(UnaryOp::Not, root);
        let made = normalise(terms, root);
        changed += (made != root) as u32;
        assert_equal(&system, &widths, root, made);
        let again = normalise(&mut system.terms, made);
        assert_equal(&system, &widths, root, again);
    }
    assert!(changed > 1500, "only {changed} were looked at");
}

#[test]
fn a_step_of_both_sides_is_no_step() {
    let (mut system, symbols) = system(&[16, 16, 1]);
    let [x, y, c] = symbols[..] else { unreachable!("three") };
    let terms = &mut system.terms;
    // y ≤ 100·x, exactly.
    let holds = |terms: &mut Terms, x: TermId, y: TermId| {
        let [x, y] = [x, y]
            .map(|arg| terms.add(Term::Extend { arg, by: 10, signed: true }).expect("a word"));
        let factor = terms.constant(Bv::from_u64(26, 100));
        let product = terms.binary(BinaryOp::Mul, factor, x);
        terms.binary(BinaryOp::Slte, y, product)
    };
    // Where nothing wraps, if c then x + 1 and y + 100.
    let now = holds(terms, x, y);
    let (one, hundred) = (Bv::from_u64(16, 1), Bv::from_u64(16, 100));
    let [next_x, next_y] = [(x, one), (y, hundred)].map(|(word, by)| {
        let by = terms.constant(by);
        let limit = terms.constant(Bv::from_u64(16, 1000));
        let fits = terms.binary(BinaryOp::Slte, word, limit);
        let sum = terms.binary(BinaryOp::Add, word, by);
        let chosen = terms.ite(c, sum, word);
        terms.ite(fits, chosen, word)
    });
    let next = holds(terms, next_x, next_y);
    let (now, next) = (normalise(terms, now), normalise(terms, next));
    assert!(terms.cone([next])[now.index()], "the comparison itself is one of the cases");
}

/// What a comparison says as one inequality, and its negation, for all values.
#[test]
fn inequalities_say_what_comparisons_do() {
    use BinaryOp::*;
    let mut random = Random::new(6);
    let mut found = 0;
    for _ in 0..2000 {
        let widths = [random.between(1, 4) as u32, random.between(1, 3) as u32, 2];
        let (mut system, symbols) = system(&widths);
        let terms = &mut system.terms;
        let width = random.between(2, 6) as u32;
        let a = word(terms, &mut random, &symbols, width, 2);
        let b = word(terms, &mut random, &symbols, width, 2);
        let op = random.pick(&[Slt, Slte, Sgt, Sgte, Ult, Ulte, Ugt, Ugte]);
        let root = terms.binary(op, a, b);
        let holds = random.one_in(2);
        let Some(made) = inequality(terms, root) else { continue };
        let made = if holds { made } else { made.negated().expect("small numbers") };
        let form = Form { products: made.products, constant: 0 };
        let again = at_most(terms, &form, made.bound).expect("small numbers");
        let root = if holds { root } else { terms.not(root) };
        assert_equal(&system, &widths, root, again);
        found += 1;
    }
    assert!(found > 500, "only {found} were looked at");
}

/// Where its path holds, a case says what the comparison does, and the case of each state has it.
#[test]
fn cases_say_what_comparisons_do() {
    use BinaryOp::*;
    let mut random = Random::new(8);
    let mut found = 0;
    for _ in 0..3000 {
        let widths = [random.between(1, 4) as u32, random.between(1, 3) as u32, 2];
        let (mut system, symbols) = system(&widths);
        let terms = &mut system.terms;
        let width = random.between(2, 6) as u32;
        let a = word(terms, &mut random, &symbols, width, 2);
        let b = word(terms, &mut random, &symbols, width, 2);
        let op = random.pick(&[Slt, Slte, Sgt, Sgte, Ult, Ulte, Ugt, Ugte]);
        let root = terms.binary(op, a, b);
        let luck = random.word();
        let Some(case) = case_of(terms, root, |_, id| luck >> (id.index() % 64) & 1 == 1) else {
            continue;
        };
        let mut applies = terms.bool(true);
        for (condition, holds) in case.path {
            let condition = if holds { condition } else { terms.not(condition) };
            applies = terms.and(applies, condition);
        }
        let [here, there] = [root, case.comparison].map(|term| terms.and(applies, term));
        assert_equal(&system, &widths, here, there);
        found += 1;
    }
    assert!(found > 200, "only {found} were looked at");
}
