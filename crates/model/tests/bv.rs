//! Bit-vector arithmetic against definitions on plain integers, written down a second time.

use num_bigint::BigInt;
use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::term::{BinaryOp, UnaryOp};
use pedra_testkit::random::Random;

/// A vector, often one at the borders of the range or with long runs of equal bits.
fn vector(random: &mut Random, width: u32) -> Bv {
    let one = Bv::one(width);
    let near = Bv::from_u64(width, random.below(5) as u64);
    match random.below(8) {
        0 => near,
        1 => near.neg(),
        2 => one.shifted_left(width - 1).add(&near),
        3 => one.shifted_left(width - 1).sub(&near),
        4 => one.shifted_left(random.below(width as usize) as u32).sub(&near),
        5 => one.shifted_left(width / 2).add(&near),
        _ => {
            let limbs = (0..width.div_ceil(64)).map(|_| random.word()).collect();
            Bv::from_limbs(width, limbs).shifted_right(random.below(width as usize) as u32)
        }
    }
}

/// The unsigned value, from the bits.
fn number(a: &Bv) -> BigInt {
    a.bits().enumerate().filter(|(_, bit)| *bit).map(|(i, _)| BigInt::from(1) << i).sum()
}

fn power(exponent: u32) -> BigInt {
    BigInt::from(1) << exponent
}

fn signed(width: u32, a: &BigInt) -> BigInt {
    if *a >= power(width - 1) { a - power(width) } else { a.clone() }
}

/// Modulo 2^width, never negative.
fn wrapped(width: u32, a: BigInt) -> BigInt {
    ((a % power(width)) + power(width)) % power(width)
}

fn floor_div(a: &BigInt, b: &BigInt) -> BigInt {
    let truncated = a / b;
    let is_inexact = &truncated * b != *a;
    let is_negative = (*a < 0.into()) != (*b < 0.into());
    if is_inexact && is_negative { truncated - 1 } else { truncated }
}

fn bitwise(width: u32, a: &BigInt, b: &BigInt, f: impl Fn(bool, bool) -> bool) -> BigInt {
    let bit = |v: &BigInt, i| (v >> i) % 2 == 1.into();
    (0..width).filter(|&i| f(bit(a, i), bit(b, i))).map(power).sum()
}

/// Every operator by its definition on numbers. `x`, `y` are unsigned, `p`, `q` signed.
fn binary_by_definition(op: BinaryOp, width: u32, x: &BigInt, y: &BigInt) -> BigInt {
    let (p, q) = (&signed(width, x), &signed(width, y));
    let zero = &BigInt::from(0);
    let bit = |b: bool| BigInt::from(b as u8);
    let leaves_range = |v: BigInt| bit(v < -power(width - 1) || v >= power(width - 1));
    let ones = power(width) - 1;
    let is_far = *y >= width.into();
    let distance = if is_far { 0 } else { u32::try_from(y).expect("less than the width") };
    let turn = u32::try_from(y % width).expect("less than the width");
    let rotated = |by: u32| wrapped(width, x << by) + (x >> (width - by));
    match op {
        BinaryOp::Iff | BinaryOp::Xnor => bitwise(width, x, y, |a, b| a == b),
        BinaryOp::Implies => bitwise(width, x, y, |a, b| !a || b),
        BinaryOp::Eq => bit(x == y),
        BinaryOp::Neq => bit(x != y),
        BinaryOp::Sgt => bit(p > q),
        BinaryOp::Ugt => bit(x > y),
        BinaryOp::Sgte => bit(p >= q),
        BinaryOp::Ugte => bit(x >= y),
        BinaryOp::Slt => bit(p < q),
        BinaryOp::Ult => bit(x < y),
        BinaryOp::Slte => bit(p <= q),
        BinaryOp::Ulte => bit(x <= y),
        BinaryOp::And => bitwise(width, x, y, |a, b| a && b),
        BinaryOp::Nand => bitwise(width, x, y, |a, b| !(a && b)),
        BinaryOp::Nor => bitwise(width, x, y, |a, b| !(a || b)),
        BinaryOp::Or => bitwise(width, x, y, |a, b| a || b),
        BinaryOp::Xor => bitwise(width, x, y, |a, b| a != b),
        BinaryOp::Rol => rotated(turn),
        BinaryOp::Ror => rotated(width - turn),
        BinaryOp::Sll if is_far => zero.clone(),
        BinaryOp::Sll => wrapped(width, x * power(distance)),
        BinaryOp::Srl if is_far => zero.clone(),
        BinaryOp::Srl => floor_div(x, &power(distance)),
        BinaryOp::Sra if is_far => wrapped(width, -bit(p < zero)),
        BinaryOp::Sra => wrapped(width, floor_div(p, &power(distance))),
        BinaryOp::Add => wrapped(width, x + y),
        BinaryOp::Mul => wrapped(width, x * y),
        BinaryOp::Sub => wrapped(width, x - y),
        BinaryOp::Udiv if y == zero => ones,
        BinaryOp::Udiv => x / y,
        BinaryOp::Urem if y == zero => x.clone(),
        BinaryOp::Urem => x - y * (x / y),
        BinaryOp::Sdiv if y == zero => {
            if p < zero {
                1.into()
            } else {
                ones
            }
        }
        BinaryOp::Sdiv => wrapped(width, p / q),
        BinaryOp::Srem | BinaryOp::Smod if y == zero => x.clone(),
        BinaryOp::Srem => wrapped(width, p - q * (p / q)),
        BinaryOp::Smod => wrapped(width, p - q * floor_div(p, q)),
        BinaryOp::Saddo => leaves_range(p + q),
        BinaryOp::Uaddo => bit(x + y > ones),
        BinaryOp::Sdivo => {
            bit(y != zero) * leaves_range(if y == zero { zero.clone() } else { p / q })
        }
        BinaryOp::Smulo => leaves_range(p * q),
        BinaryOp::Umulo => bit(x * y > ones),
        BinaryOp::Ssubo => leaves_range(p - q),
        BinaryOp::Usubo => bit(x < y),
        BinaryOp::Concat => x * power(width) + y,
    }
}

fn unary_by_definition(op: UnaryOp, width: u32, x: &BigInt) -> BigInt {
    let bits = || (0..width).filter(|&i| (x >> i) % 2 == 1.into()).count() as u32;
    match op {
        UnaryOp::Not => power(width) - 1 - x,
        UnaryOp::Inc => wrapped(width, x + 1),
        UnaryOp::Dec => wrapped(width, x - 1),
        UnaryOp::Neg => wrapped(width, -x),
        UnaryOp::RedAnd => BigInt::from((bits() == width) as u8),
        UnaryOp::RedOr => BigInt::from((bits() > 0) as u8),
        UnaryOp::RedXor => BigInt::from((bits() % 2) as u8),
    }
}

/// The vector must be the canonical one of its value: the same that its bits make.
fn check(what: &str, args: &[&Bv], result: &Bv, expected: &BigInt) {
    assert_eq!(number(result), *expected, "{what} {args:?} gave {result:?}");
    let bits: Vec<bool> = result.bits().collect();
    assert_eq!(*result, Bv::from_bits(&bits), "{what} {args:?} is not canonical");
}

fn check_pair(a: &Bv, b: &Bv) {
    let (width, x, y) = (a.width(), number(a), number(b));
    for &op in BinaryOp::ALL {
        if width > 1 && matches!(op, BinaryOp::Iff | BinaryOp::Implies) {
            continue;
        }
        let expected = binary_by_definition(op, width, &x, &y);
        check(op.name(), &[a, b], &ops::binary(op, a, b), &expected);
    }
    assert_eq!(a.ucmp(b), x.cmp(&y));
    assert_eq!(a.scmp(b), signed(width, &x).cmp(&signed(width, &y)));
    assert_eq!(a.cmp(b), x.cmp(&y));
}

fn check_single(a: &Bv) {
    let (width, x) = (a.width(), number(a));
    for &op in UnaryOp::ALL {
        check(op.name(), &[a], &ops::unary(op, a), &unary_by_definition(op, width, &x));
    }
    for by in [0, 1, 5, 64, 70] {
        check("uext", &[a], &ops::extend(a, by, false), &x);
        let expected = wrapped(width + by, signed(width, &x));
        check("sext", &[a], &ops::extend(a, by, true), &expected);
    }
    assert_eq!(a.is_zero(), x == 0.into());
    assert_eq!(a.is_one(), x == 1.into());
    assert_eq!(a.is_ones(), x == power(width) - 1);
    assert_eq!(a.is_negative(), x >= power(width - 1));
    assert_eq!(a.to_u64(), u64::try_from(&x).ok());
    let set: Vec<u32> = (0..width).filter(|&i| a.bit(i)).collect();
    assert_eq!(a.lowest_one(), set.first().copied());
    assert_eq!(a.highest_one(), set.last().copied());
    assert_eq!(a.count_ones(), set.len() as u32);
    for (text, radix) in [(a.to_binary(), 2), (a.to_decimal(), 10), (a.to_hex(), 16)] {
        assert_eq!(Bv::parse(width, &text, radix).as_ref(), Some(a), "{text}");
    }
    let negated = format!("-{}", a.neg().to_decimal());
    let expected = (a.is_negative() || a.is_zero()).then(|| a.clone());
    assert_eq!(Bv::parse(width, &negated, 10), expected, "{negated} in {width} bits");
    assert_eq!(Bv::from_limbs(width, a.limbs()), *a);
}

fn check_slice(a: &Bv, high: u32, low: u32) {
    let expected = wrapped(high - low + 1, number(a) >> low);
    check("slice", &[a], &a.slice(high, low), &expected);
}

#[test]
fn small_widths_exhaustively() {
    for width in 1..=4 {
        let all = || (0..1u64 << width).map(|v| Bv::from_u64(width, v));
        for a in all() {
            check_single(&a);
            all().for_each(|b| check_pair(&a, &b));
            for high in 0..width {
                (0..=high).for_each(|low| check_slice(&a, high, low));
            }
        }
    }
}

#[test]
fn random_vectors_of_all_widths() {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let borders = [5, 8, 31, 32, 33, 63, 64, 65, 66, 127, 128, 129, 191, 192, 193, 200];
    for round in 0..600 {
        let width = match round % 2 {
            0 => borders[random.below(borders.len())],
            _ => 1 + random.below(200) as u32,
        };
        let (a, b) = (vector(&mut random, width), vector(&mut random, width));
        check_single(&a);
        check_pair(&a, &b);
        check_pair(&a, &a);
        let high = random.below(width as usize) as u32;
        check_slice(&a, high, random.below(high as usize + 1) as u32);
    }
}

/// The same operators on machine words, for a third opinion up to 64 bits.
#[test]
fn machine_words_agree() {
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let width = 1 + random.below(64) as u32;
        let (a, b) = (vector(&mut random, width), vector(&mut random, width));
        let value = |v: &Bv| v.to_u64().expect("at most 64 bits") as u128;
        let (x, y, modulus) = (value(&a), value(&b), 1u128 << width);
        assert_eq!(value(&a.add(&b)), (x + y) % modulus);
        assert_eq!(value(&a.sub(&b)), (x + modulus - y) % modulus);
        assert_eq!(value(&a.mul(&b)), x.wrapping_mul(y) % modulus);
        assert_eq!(value(&a.udiv(&b)), x.checked_div(y).unwrap_or(modulus - 1));
        assert_eq!(value(&a.urem(&b)), x.checked_rem(y).unwrap_or(x));
        let shifted = if y < width as u128 { (x << y) % modulus } else { 0 };
        assert_eq!(value(&a.sll(&b)), shifted);
    }
}

#[test]
fn concatenations_of_different_widths() {
    let mut random = Random::new(11);
    for _ in 0..500 {
        let (high, low) = (1 + random.below(130) as u32, 1 + random.below(130) as u32);
        let (a, b) = (vector(&mut random, high), vector(&mut random, low));
        let expected = number(&a) * power(low) + number(&b);
        check("concat", &[&a, &b], &a.concat(&b), &expected);
    }
}

/// One value has one form, however it was made.
#[test]
fn equal_values_are_equal_in_structure() {
    let top = u64::MAX;
    let same: &[(Bv, Bv)] = &[
        (Bv::from_limbs(100, vec![]), Bv::zero(100)),
        (Bv::from_limbs(100, vec![5]), Bv::from_u64(100, 5)),
        (Bv::from_limbs(100, vec![5, 0, 0, 0]), Bv::from_u64(100, 5)),
        (Bv::from_limbs(100, vec![5, 1 << 40]), Bv::from_u64(100, 5)),
        (Bv::from_limbs(100, vec![top, top, 77]), Bv::ones(100)),
        (Bv::from_limbs(128, vec![top, top]), Bv::ones(128)),
        (Bv::from_limbs(65, vec![top]), Bv::from_u64(65, top)),
        (Bv::from_limbs(65, vec![top, 1]), Bv::ones(65)),
        (Bv::from_limbs(65, vec![0, 1]), Bv::one(65).shifted_left(64)),
        (Bv::from_u64(65, 1 << 63), Bv::one(65).shifted_left(63)),
        (Bv::from_u64(64, top), Bv::ones(64)),
        (Bv::from_u64(3, 8 + 5), Bv::from_u64(3, 5)),
        (Bv::from_limbs(3, vec![13, 9]), Bv::from_u64(3, 5)),
        (Bv::from_i64(100, -1), Bv::ones(100)),
        (Bv::from_i64(100, i64::MIN), Bv::from_limbs(100, vec![1 << 63, top])),
        (Bv::from_i64(8, -1), Bv::from_u64(8, 255)),
        (Bv::low_ones(100, 0), Bv::zero(100)),
        (Bv::low_ones(100, 70), Bv::from_limbs(100, vec![top, 63])),
        (Bv::low_ones(100, 170), Bv::ones(100)),
    ];
    for (a, b) in same {
        assert_eq!(a, b);
        assert!(a.bits().eq(b.bits()));
        assert_eq!(a.limbs(), b.limbs());
    }
    let different = [Bv::from_u64(65, top), Bv::ones(65), Bv::ones(64), Bv::from_u64(66, top)];
    for (i, a) in different.iter().enumerate() {
        different.iter().skip(i + 1).for_each(|b| assert_ne!(a, b));
    }
    assert_eq!(Bv::from_u64(65, top).to_u64(), Some(top));
    assert_eq!(Bv::ones(65).to_u64(), None);
}

#[test]
fn parsing_is_strict() {
    let cases: &[(u32, &str, u32, Option<Bv>)] = &[
        (8, "255", 10, Some(Bv::ones(8))),
        (8, "256", 10, None),
        (8, "-128", 10, Some(Bv::from_u64(8, 128))),
        (8, "-129", 10, None),
        (8, "-200", 10, None),
        (8, "-0", 10, Some(Bv::zero(8))),
        (8, "0000000000000000007", 10, Some(Bv::from_u64(8, 7))),
        (8, "", 10, None),
        (8, "-", 10, None),
        (8, "--1", 10, None),
        (8, "+1", 10, None),
        (8, "1_0", 10, None),
        (8, " 1", 10, None),
        (8, "12", 2, None),
        (8, "fF", 16, Some(Bv::ones(8))),
        (8, "0fg", 16, None),
        (1, "1", 2, Some(Bv::one(1))),
        (1, "-1", 10, Some(Bv::one(1))),
        (1, "2", 10, None),
        (3, "111", 2, Some(Bv::ones(3))),
        (3, "1000", 2, None),
        (100, "18446744073709551615", 10, Some(Bv::from_u64(100, u64::MAX))),
    ];
    for (width, digits, radix, expected) in cases {
        assert_eq!(Bv::parse(*width, digits, *radix), *expected, "{digits:?} in {width} bits");
    }
    assert_eq!(Bv::parse(64, &"9".repeat(1_000_000), 10), None);
    assert_eq!(Bv::from_u64(10, 0x2a5).to_hex(), "2a5");
    assert_eq!(Bv::from_u64(65, 0x2a5).to_hex(), "000000000000002a5");
    assert_eq!(Bv::from_u64(5, 9).to_binary(), "01001");
}
