//! Systems with any number of properties, as designs have them: many units, most of them copies of
//! each other up to a parameter, each with a handful of properties. Some of these are inductive,
//! some only together with others, some can be violated after a few steps.

use crate::random::Random;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;

/// A system with this many properties.
pub fn many_properties(count: usize, seed: u64) -> BitSystem {
    let (mut system, mut random) = (BitSystem::new(), Random::new(seed));
    while system.bads.len() < count {
        match random.below(3) {
            0 => ring(&mut system, random.between(3, 6)),
            1 => counter(&mut system, random.between(3, 6), random.between(3, 7)),
            _ => fifo(&mut system, random.between(2, 4)),
        }
    }
    system.bads.truncate(count);
    system
}

fn and(system: &mut BitSystem, a: Lit, b: Lit) -> Lit {
    system.aig.push_and(a, b)
}

fn xor(system: &mut BitSystem, a: Lit, b: Lit) -> Lit {
    let (one, other) = (and(system, a, !b), and(system, !a, b));
    !and(system, !one, !other)
}

fn ite(system: &mut BitSystem, c: Lit, t: Lit, e: Lit) -> Lit {
    let (one, other) = (and(system, c, t), and(system, !c, e));
    !and(system, !one, !other)
}

/// Whether a word has this value.
fn is(system: &mut BitSystem, word: &[Lit], value: usize) -> Lit {
    let bits = word.iter().enumerate().map(|(i, &bit)| bit ^ (value >> i & 1 == 0));
    bits.collect::<Vec<_>>().into_iter().fold(Lit::TRUE, |all, bit| and(system, all, bit))
}

/// The sum of two words and a bit.
fn add(system: &mut BitSystem, a: &[Lit], b: &[Lit], carry: Lit) -> Vec<Lit> {
    let mut carry = carry;
    let bits = a.iter().zip(b);
    bits.map(|(&a, &b)| {
        let half = xor(system, a, b);
        let sum = xor(system, half, carry);
        carry = ite(system, half, carry, a);
        sum
    })
    .collect()
}

fn latches(system: &mut BitSystem, width: usize) -> (usize, Vec<Lit>) {
    let first = system.latches.len();
    (first, (0..width).map(|_| system.add_latch(Reset::Zero)).collect())
}

/// A token in a ring: no two stages have it. Each of these needs the others.
fn ring(system: &mut BitSystem, stages: usize) {
    let go = system.add_input();
    let (first, stage) = latches(system, stages);
    system.latches[first].reset = Reset::One;
    for i in 0..stages {
        let next = ite(system, go, stage[(i + stages - 1) % stages], stage[i]);
        system.latches[first + i].next = next;
    }
    for i in 0..stages {
        for j in 0..i {
            let both = and(system, stage[i], stage[j]);
            system.bads.push(both);
        }
    }
}

/// A counter that goes round at a limit: it never is beyond, and comes to the limit in the end.
fn counter(system: &mut BitSystem, width: usize, limit: usize) {
    let enable = system.add_input();
    let (first, x) = latches(system, width);
    let zero = vec![Lit::FALSE; width];
    let up = add(system, &x, &zero, enable);
    let at_limit = is(system, &x, limit);
    let turns = and(system, at_limit, enable);
    for (i, up) in up.into_iter().enumerate() {
        system.latches[first + i].next = and(system, up, !turns);
    }
    for value in [limit + 1, (1 << width) - 1] {
        // The word of three bits has no place for more than 7: that is another safe property.
        let bad = if value >= 1 << width { Lit::FALSE } else { is(system, &x, value) };
        system.bads.push(bad);
    }
    system.bads.push(at_limit);
}

/// Two pointers and how many entries are between them: the count is right, and it never is full
/// and empty; full can be reached.
fn fifo(system: &mut BitSystem, width: usize) {
    let (push, pop) = (system.add_input(), system.add_input());
    let (writes, w) = latches(system, width);
    let (reads, r) = latches(system, width);
    let (counts, n) = latches(system, width + 1);
    let (is_full, is_empty) = (is(system, &n, 1 << width), is(system, &n, 0));
    let (push, pop) = (and(system, push, !is_full), and(system, pop, !is_empty));
    let zero = vec![Lit::FALSE; width + 1];
    for (at, pointer, moves) in [(writes, &w, push), (reads, &r, pop)] {
        for (i, next) in add(system, pointer, &zero, moves).into_iter().enumerate() {
            system.latches[at + i].next = next;
        }
    }
    let more = add(system, &n, &zero, push);
    let less = add(system, &more, &vec![pop; width + 1], Lit::FALSE);
    for (i, next) in less.into_iter().enumerate() {
        system.latches[counts + i].next = next;
    }
    let r: Vec<Lit> = r.iter().map(|&bit| !bit).collect();
    let between = add(system, &w, &r, Lit::TRUE);
    let differs: Vec<Lit> = between.iter().zip(&n).map(|(&a, &b)| xor(system, a, b)).collect();
    let same = differs.into_iter().fold(Lit::TRUE, |same, d| and(system, same, !d));
    let beyond = is(system, &n, (1 << width) + 1);
    let idle = and(system, !is_full, is_empty);
    let moved = and(system, idle, !same);
    system.bads.extend([!same, beyond, moved, is_full]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{ExplicitBits, explore};

    #[test]
    fn units_do_what_they_say() {
        let verdicts = |make: &dyn Fn(&mut BitSystem)| -> Vec<Option<usize>> {
            let mut system = BitSystem::new();
            make(&mut system);
            explore(&ExplicitBits::new(&system)).violated_at
        };
        assert_eq!(verdicts(&|s| ring(s, 4)), [None; 6]);
        assert_eq!(verdicts(&|s| counter(s, 3, 5)), [None, None, Some(5)]);
        assert_eq!(verdicts(&|s| counter(s, 3, 7)), [None, Some(7), Some(7)]);
        assert_eq!(verdicts(&|s| fifo(s, 2)), [None, None, None, Some(4)]);
        assert_eq!(many_properties(50, 1).bads.len(), 50);
        assert_eq!(many_properties(50, 1), many_properties(50, 1));
    }
}
