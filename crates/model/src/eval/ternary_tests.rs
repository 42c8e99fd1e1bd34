//! Exhaustive tests of the ternary operators at small widths.

use super::*;

/// Every ternary vector of a width.
fn all(width: u32) -> Vec<TernaryBv> {
    let digits = [Ternary::False, Ternary::True, Ternary::Unknown];
    let count = 3usize.pow(width);
    let vector = |mut n: usize| {
        let mut bits = Vec::new();
        for _ in 0..width {
            bits.push(digits[n % 3]);
            n /= 3;
        }
        TernaryBv::from_bits(&bits)
    };
    (0..count).map(vector).collect()
}

/// Every concrete vector that fits a ternary one.
fn completions(a: &TernaryBv) -> Vec<Bv> {
    let width = a.width();
    let vectors = (0..1u64 << width).map(|v| Bv::from_u64(width, v));
    vectors.filter(|v| a.covers(&v.clone().into())).collect()
}

/// One bit of `a` less known, in every way.
fn weaker(a: &TernaryBv) -> Vec<TernaryBv> {
    let bits = (0..a.width()).filter(|&i| a.bit(i) != Ternary::Unknown);
    bits.map(|i| a.restricted(&Bv::one(a.width()).shifted_left(i).not())).collect()
}

/// Checks one function of several ternary vectors: sound, monotone, exact.
fn check(
    what: &str,
    args: &[TernaryBv],
    ternary: &dyn Fn(&[TernaryBv]) -> TernaryBv,
    concrete: &dyn Fn(&[Bv]) -> Bv,
) {
    let result = ternary(args);
    let mut tuples: Vec<Vec<Bv>> = vec![Vec::new()];
    for arg in args {
        let extended = |t: &Vec<Bv>, v: Bv| t.iter().cloned().chain([v]).collect();
        tuples = tuples
            .iter()
            .flat_map(|t| completions(arg).into_iter().map(move |v| extended(t, v)))
            .collect();
    }
    for tuple in &tuples {
        let exact = TernaryBv::from(concrete(tuple));
        assert!(result.covers(&exact), "{what} {args:?}: {result:?} for {tuple:?}: {exact:?}");
    }
    if tuples.len() == 1 {
        assert!(result.as_known().is_some(), "{what} {args:?} is not exact");
    }
    for (i, arg) in args.iter().enumerate() {
        for less in weaker(arg) {
            let mut weak = args.to_vec();
            weak[i] = less;
            assert!(ternary(&weak).covers(&result), "{what} {args:?} {weak:?} is not monotone");
        }
    }
}

#[test]
fn unary_operators_are_sound() {
    for width in 1..=5 {
        for a in all(width) {
            for &op in UnaryOp::ALL {
                check(op.name(), std::slice::from_ref(&a), &|x| unary(op, &x[0]), &|x| {
                    ops::unary(op, &x[0])
                });
            }
            for (high, low) in (0..width).flat_map(|h| (0..=h).map(move |l| (h, l))) {
                let exact = |x: &[Bv]| x[0].slice(high, low);
                check("slice", std::slice::from_ref(&a), &|x| slice(&x[0], high, low), &exact);
            }
            for (by, signed) in [(0, false), (2, false), (0, true), (3, true)] {
                let exact = |x: &[Bv]| ops::extend(&x[0], by, signed);
                check("extend", std::slice::from_ref(&a), &|x| extend(&x[0], by, signed), &exact);
            }
        }
    }
}

#[test]
fn binary_operators_are_sound() {
    for width in 1..=3 {
        let vectors = all(width);
        for &op in BinaryOp::ALL {
            if matches!(op, BinaryOp::Iff | BinaryOp::Implies) && width > 1 {
                continue;
            }
            for (a, b) in vectors.iter().flat_map(|a| vectors.iter().map(move |b| (a, b))) {
                let args = [a.clone(), b.clone()];
                let exact = |x: &[Bv]| ops::binary(op, &x[0], &x[1]);
                check(op.name(), &args, &|x| binary(op, &x[0], &x[1]), &exact);
            }
        }
    }
}

/// Where it is cheap the result is the best there is: what all completions agree on.
#[test]
fn simple_operators_are_precise() {
    use BinaryOp::*;
    let precise = [
        Eq, Neq, Ult, Ugt, Ulte, Ugte, Slt, Sgt, Slte, Sgte, And, Nand, Nor, Or, Xnor, Xor, Sll,
        Srl, Sra, Rol, Ror, Uaddo, Usubo, Concat, Sdivo, Umulo,
    ];
    let vectors = all(3);
    for op in precise {
        for (a, b) in vectors.iter().flat_map(|a| vectors.iter().map(move |b| (a, b))) {
            let results = completions(a).into_iter().flat_map(|x| {
                let row = completions(b).into_iter().map(move |y| ops::binary(op, &x, &y));
                row.map(TernaryBv::from)
            });
            let best = results.reduce(|x, y| x.join(&y)).expect("some completion");
            assert_eq!(binary(op, a, b), best, "{} {a:?} {b:?}", op.name());
        }
    }
}

#[test]
fn wide_shifts_and_rotations_by_unknown_amounts() {
    let unknown = TernaryBv::unknown(100);
    let zero = TernaryBv::from(Bv::zero(100));
    let one = TernaryBv::from(Bv::one(100));
    for op in [BinaryOp::Sll, BinaryOp::Srl, BinaryOp::Sra, BinaryOp::Rol, BinaryOp::Ror] {
        assert_eq!(binary(op, &zero, &unknown), zero, "{}", op.name());
    }
    assert_eq!(binary(BinaryOp::Rol, &one, &unknown), unknown);
    // 1 >> x is 1 or 0: only the lowest bit is unknown.
    let shifted = binary(BinaryOp::Srl, &one, &unknown);
    assert_eq!(shifted.known_mask(), &Bv::one(100).not());
    // An amount with bit 6 known and bit 0 unknown.
    let by = TernaryBv::new(Bv::from_u64(100, 64), Bv::one(100).not());
    let shifted = binary(BinaryOp::Sll, &one, &by);
    assert_eq!(shifted.known_mask().not(), Bv::from_u64(100, 3).shifted_left(64));
}

/// Every array with one index bit and one-bit elements, in several representations.
fn arrays() -> Vec<ArrayValue<TernaryBv>> {
    let mut arrays = Vec::new();
    for default in all(1) {
        arrays.push(ArrayValue::new(1, default.clone()));
        for element in all(1) {
            for at in 0..2 {
                let mut array = ArrayValue::new(1, default.clone());
                array.set(Bv::from_u64(1, at), element.clone());
                arrays.push(array.clone());
                for other in all(1) {
                    array.set(Bv::from_u64(1, 1 - at), other);
                    arrays.push(array.clone());
                }
            }
        }
    }
    arrays
}

/// An array as a two-bit vector: the element at 0 is the low bit.
fn flat(array: &ArrayValue<TernaryBv>) -> TernaryBv {
    let bit = |i| array.get(&Bv::from_u64(1, i)).bit(0);
    TernaryBv::from_bits(&[bit(0), bit(1)])
}

fn concrete(array: &Bv) -> ArrayValue<Bv> {
    let mut value = ArrayValue::new(1, array.slice(1, 1));
    value.set(Bv::zero(1), array.slice(0, 0));
    value
}

fn flat_concrete(array: &ArrayValue<Bv>) -> Bv {
    array.get(&Bv::one(1)).concat(array.get(&Bv::zero(1)))
}

#[test]
fn array_operators_are_sound() {
    for a in arrays() {
        for at in all(1) {
            let found = read(&a, &at);
            for (x, i) in pairs(&flat(&a), &at) {
                assert!(found.covers(&concrete(&x).get(&i).clone().into()), "{a:?} {at:?}");
            }
            for element in all(1) {
                let written = flat(&write(&a, &at, &element));
                for (x, i) in pairs(&flat(&a), &at) {
                    for e in completions(&element) {
                        let exact = {
                            let mut written = concrete(&x);
                            written.set(i.clone(), e.clone());
                            flat_concrete(&written)
                        };
                        assert!(written.covers(&exact.into()), "{a:?} {at:?} {element:?}");
                    }
                }
            }
        }
        for b in arrays() {
            let equal = array_equal(&a, &b);
            let outcomes = pairs(&flat(&a), &flat(&b)).into_iter().map(|(x, y)| (x == y).into());
            let best = outcomes.reduce(Ternary::join).expect("some completion");
            assert_eq!(equal, best, "{a:?} {b:?}");
            let (va, vb) = (TernaryValue::Array(a.clone()), TernaryValue::Array(b.clone()));
            let joined = ite(Ternary::Unknown, &va, &vb);
            assert_eq!(flat(joined.as_array()), flat(&a).join(&flat(&b)));
            assert_eq!(va == vb, flat(&a) == flat(&b));
            assert_eq!(va.covers(&vb), flat(&a).covers(&flat(&b)));
            assert_eq!(va.contradicts(&vb), flat(&a).contradicts(&flat(&b)));
        }
    }
}

fn pairs(a: &TernaryBv, b: &TernaryBv) -> Vec<(Bv, Bv)> {
    let right = completions(b);
    let pair = |x: Bv| right.iter().map(move |y| (x.clone(), y.clone())).collect::<Vec<_>>();
    completions(a).into_iter().flat_map(pair).collect()
}
