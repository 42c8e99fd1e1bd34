//! Random bit-level systems with everything that has made tools wrong: free and functional
//! resets, constraints over states and inputs, dead ends, several properties, old-style
//! outputs, no latches, no inputs, constant literals anywhere.

use crate::random::Random;
use pedra_model::bits::{BitSystem, Reset};
use pedra_model::lit::Lit;

/// How large random systems may become.
#[derive(Copy, Clone, Debug)]
pub struct BitShape {
    /// At most so many latches.
    pub latches: usize,
    /// At most so many inputs.
    pub inputs: usize,
    /// At most so many gates.
    pub gates: usize,
}

impl Default for BitShape {
    fn default() -> BitShape {
        BitShape { latches: 5, inputs: 3, gates: 24 }
    }
}

/// A random system.
pub fn random_bits(random: &mut Random, shape: BitShape) -> BitSystem {
    let mut system = BitSystem::new();
    for _ in 0..random.between(0, shape.inputs) {
        system.add_input();
    }
    let latches = if random.one_in(30) { 0 } else { random.between(1, shape.latches) };
    for _ in 0..latches {
        system.add_latch(Reset::Zero);
    }
    for _ in 0..random.between(0, shape.gates) {
        let (a, b) = (any_lit(random, &system), any_lit(random, &system));
        system.aig.push_and(a, b);
    }
    add_resets(random, &mut system);
    add_nexts(random, &mut system);
    for _ in 0..random.pick(&[0, 0, 0, 1, 1, 2]) {
        // Mostly weak constraints: a disjunction leaves more paths than a literal.
        let (a, b) = (late_lit(random, &system), any_lit(random, &system));
        let constraint = if random.one_in(4) { a } else { !system.aig.push_and(a, b) };
        system.constraints.push(constraint);
    }
    let properties = random.pick(&[1, 1, 1, 2, 3]);
    for _ in 0..properties {
        // A conjunction of a few literals, so that many properties hold.
        let mut bad = late_lit(random, &system);
        for _ in 0..random.below(4) {
            let other = any_lit(random, &system);
            bad = system.aig.push_and(bad, other);
        }
        if random.one_in(2) {
            // A single state: often far away.
            bad = Lit::TRUE;
            for i in 0..latches {
                let lit = system.latches[i].var.lit() ^ random.one_in(2);
                bad = system.aig.push_and(bad, lit);
            }
        }
        system.bads.push(bad);
    }
    if random.one_in(6) {
        system.outputs = std::mem::take(&mut system.bads);
    }
    system
}

/// Any literal, constants and leaves included.
fn any_lit(random: &mut Random, system: &BitSystem) -> Lit {
    Lit::from_code(random.below(2 * system.aig.len()) as u32)
}

/// A literal that prefers late gates, so that most of the logic matters.
fn late_lit(random: &mut Random, system: &BitSystem) -> Lit {
    let codes = 2 * system.aig.len();
    let code = random.below(codes).max(random.below(codes));
    Lit::from_code(code as u32)
}

/// Next functions: either every latch holds, shifts or computes something, or all together
/// count, where a random literal may stop the carry: counters have deep states.
fn add_nexts(random: &mut Random, system: &mut BitSystem) {
    let counts = random.one_in(3);
    let mut carry = if random.one_in(2) { Lit::TRUE } else { any_lit(random, system) };
    for i in 0..system.latches.len() {
        let latch = system.latches[i].var.lit();
        system.latches[i].next = match random.below(8) {
            _ if counts && !random.one_in(12) => {
                let sum = xor(system, latch, carry);
                carry = system.aig.push_and(latch, carry);
                sum
            }
            0 => latch,
            1 => system.latches[random.below(system.latches.len())].var.lit(),
            2 | 3 => {
                let other = late_lit(random, system);
                xor(system, latch, other)
            }
            _ => late_lit(random, system),
        };
    }
}

/// `a ⊕ b` in three gates, without any simplification.
fn xor(system: &mut BitSystem, a: Lit, b: Lit) -> Lit {
    let (both, none) = (system.aig.push_and(a, b), system.aig.push_and(!a, !b));
    system.aig.push_and(!both, !none)
}

/// Resets of all kinds. A function may read inputs and latches whose own reset was decided
/// before, directly or through gates; what would close a circle becomes free.
fn add_resets(random: &mut Random, system: &mut BitSystem) {
    let odd = random.one_in(2);
    for i in 0..system.latches.len() {
        let reset = match random.below(8) {
            0..=2 => Reset::Zero,
            3 => Reset::One,
            4 | 5 if odd => Reset::Free,
            6 | 7 if odd => Reset::Function(any_lit(random, system)),
            _ => Reset::Zero,
        };
        system.latches[i].reset = reset;
        if matches!(reset, Reset::Function(_)) && system.reset_order().is_err() {
            system.latches[i].reset = Reset::Free;
        }
    }
}
