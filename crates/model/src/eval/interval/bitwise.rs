//! Interval rules of bitwise operators, shifts, rotations, slices and concatenations.

use super::halves::{Halves, Range};
use super::number::Number;

/// A shift or rotation by a range of amounts is looked at amount by amount, if there are at
/// most this many. Up to 64 bits that is always so.
const MAX_AMOUNTS: u32 = 64;

/// The exact hull of a bitwise operator, by each pair of halves.
pub(super) fn bitwise<N: Number>(
    op: impl Fn(bool, bool) -> bool + Copy,
    a: &Halves<N>,
    b: &Halves<N>,
) -> Halves<N> {
    let mut result = Halves::empty(a.width);
    for x in a.unsigned_parts() {
        for y in b.unsigned_parts() {
            let of = |want| extreme(op, want, &x, &y, a.width);
            result.add((of(false), of(true)));
        }
    }
    result
}

/// The least (`want` 0) or greatest (`want` 1) `op(p, q)` for `p` in `x` and `q` in `y`, for an
/// operator that can give both bits.
///
/// Bits are fixed from the top. What matters of the bits chosen so far is whether each of `p`
/// and `q` still runs along its lower and along its upper end: four flags, sixteen states. The
/// best result has one prefix; we keep all states that lead to it. Any prefix that keeps to the
/// ends can be completed, so the greedy choice is the best one.
fn extreme<N: Number>(
    op: impl Fn(bool, bool) -> bool,
    want: bool,
    x: &Range<N>,
    y: &Range<N>,
    width: u32,
) -> N {
    /// The flags of a number after one more bit, or `None` if it leaves its range.
    fn follow(flags: u32, bit: bool, low: bool, high: bool) -> Option<u32> {
        let (at_low, at_high) = (flags & 1 == 1, flags & 2 == 2);
        let leaves = (at_low && !bit && low) || (at_high && bit && !high);
        let stays = (at_low && bit == low) as u32 | ((at_high && bit == high) as u32) << 1;
        (!leaves).then_some(stays)
    }
    let mut result = N::from(0);
    let mut states: u32 = 1 << 0b1111;
    for index in (0..width).rev() {
        if states & 1 == 1 {
            // Some choice is free of all ends: all further bits are as wanted.
            let rest = N::from(1) << (index + 1);
            let ones = if want { rest.clone() - N::from(1) } else { N::from(0) };
            return result * rest + ones;
        }
        let (x_low, x_high) = (x.0.bit(index), x.1.bit(index));
        let (y_low, y_high) = (y.0.bit(index), y.1.bit(index));
        let mut successors = [0u32; 2];
        let mut rest = states;
        while rest != 0 {
            let state = rest.trailing_zeros();
            rest &= rest - 1;
            for p in [false, true] {
                let Some(x_flags) = follow(state & 3, p, x_low, x_high) else { continue };
                for q in [false, true] {
                    if let Some(y_flags) = follow(state >> 2, q, y_low, y_high) {
                        successors[op(p, q) as usize] |= 1 << (x_flags | y_flags << 2);
                    }
                }
            }
        }
        let bit = if successors[want as usize] != 0 { want } else { !want };
        states = successors[bit as usize];
        result = (result << 1) + N::from(bit as u32);
    }
    result
}

/// Shift to the left, exactly for each amount: what is kept are the lower bits.
pub(super) fn sll<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    let mut result = Halves::empty(a.width);
    for (least, most) in b.unsigned_parts() {
        let (least, most) = (least.clip(a.width), most.clip(a.width));
        if most - least > MAX_AMOUNTS {
            return Halves::full(a.width);
        }
        if most == a.width {
            result.add_point(N::from(0));
        }
        for amount in least..=most.min(a.width - 1) {
            let mut kept = Halves::empty(a.width - amount);
            a.unsigned_parts().for_each(|x| kept.add(x));
            for (low, high) in kept.unsigned_parts() {
                result.add((low << amount, high << amount));
            }
        }
    }
    result
}

/// Logical shift to the right. A shift by nothing is apart, for it alone keeps the sign.
pub(super) fn srl<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    let mut result = Halves::empty(a.width);
    for (low, high) in a.unsigned_parts() {
        for (least, most) in b.unsigned_parts() {
            let (least, most) = (least.clip(a.width), most.clip(a.width));
            if least == 0 {
                result.add((low.clone(), high.clone()));
            }
            if most > 0 {
                result.add((low.clone() >> most, high.clone() >> least.max(1)));
            }
        }
    }
    result
}

/// Arithmetic shift to the right: each shift brings the value nearer to 0 or −1.
pub(super) fn sra<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    let mut result = Halves::empty(a.width);
    for (is_negative, (low, high)) in a.signed_parts() {
        for (least, most) in b.unsigned_parts() {
            let (least, most) = (least.clip(a.width - 1), most.clip(a.width - 1));
            let (for_low, for_high) = if is_negative { (least, most) } else { (most, least) };
            result.add((low.clone() >> for_low, high.clone() >> for_high));
        }
    }
    result
}

/// Rotation to the left, exactly for each amount modulo the width.
pub(super) fn rol<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    rotate(a, b, |amount| amount)
}

/// Rotation to the right.
pub(super) fn ror<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    rotate(a, b, |amount| (a.width - amount) % a.width)
}

fn rotate<N: Number>(a: &Halves<N>, b: &Halves<N>, to_left: impl Fn(u32) -> u32) -> Halves<N> {
    let mut result = Halves::empty(a.width);
    for (least, most) in b.unsigned_parts() {
        let count = (most - least.clone()).clip(a.width - 1) + 1;
        if count > MAX_AMOUNTS {
            return Halves::full(a.width);
        }
        let first = (least % N::from(a.width)).clip(a.width);
        for amount in first..first + count {
            let amount = to_left(amount % a.width);
            a.unsigned_parts().for_each(|x| rotate_by(&mut result, x, amount));
        }
    }
    result
}

/// Rotates `x = top·2^(w−d) + rest` into `rest·2^d + top`. The range is cut into the values with
/// the least top, those with the greatest, and those between, where `rest` is free.
fn rotate_by<N: Number>(result: &mut Halves<N>, (low, high): Range<N>, by: u32) {
    let kept = result.width - by;
    let size = N::from(1) << kept;
    let split = |value: N| (value.clone() >> kept, value % size.clone());
    let ((low_top, low_rest), (high_top, high_rest)) = (split(low), split(high));
    // The highest bit of the rest becomes that of the result: its halves apart.
    let mut add = |rest: Range<N>, top: Range<N>| {
        let mut halves = Halves::empty(kept);
        halves.add(rest);
        for rest in halves.unsigned_parts() {
            result.add(((rest.0 << by) + top.0.clone(), (rest.1 << by) + top.1.clone()));
        }
    };
    if low_top == high_top {
        add((low_rest, high_rest), (low_top, high_top));
        return;
    }
    let (zero, one) = (N::from(0), N::from(1));
    let last = size.clone() - one.clone();
    let between = (low_top.clone() + one.clone(), high_top.clone() - one);
    add((low_rest, last.clone()), (low_top.clone(), low_top));
    add((zero.clone(), high_rest), (high_top.clone(), high_top));
    if between.0 <= between.1 {
        add((zero, last), between);
    }
}

/// Bits `low` to `low + width − 1`.
pub(super) fn slice<N: Number>(a: &Halves<N>, low: u32, width: u32) -> Halves<N> {
    let mut result = Halves::empty(width);
    for x in a.unsigned_parts() {
        result.add((x.0 >> low, x.1 >> low));
    }
    result
}

/// `a` on top of `b`.
pub(super) fn concat<N: Number>(a: &Halves<N>, b: &Halves<N>) -> Halves<N> {
    let mut result = Halves::empty(a.width + b.width);
    let (b_low, b_high) = b.unsigned();
    for (low, high) in a.unsigned_parts() {
        result.add(((low << b.width) + b_low.clone(), (high << b.width) + b_high.clone()));
    }
    result
}

/// Extended by zeros.
pub(super) fn zero_extend<N: Number>(a: &Halves<N>, by: u32) -> Halves<N> {
    let mut result = Halves::empty(a.width + by);
    a.unsigned_parts().for_each(|x| result.add(x));
    result
}

/// Extended by the sign.
pub(super) fn sign_extend<N: Number>(a: &Halves<N>, by: u32) -> Halves<N> {
    let mut result = Halves::empty(a.width + by);
    a.signed_parts().for_each(|(_, x)| result.add(x));
    result
}
