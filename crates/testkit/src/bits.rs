//! Random bit-level systems with everything that has made tools wrong: free and functional
//! resets, constraints over states and inputs, dead ends, several properties, old-style
//! outputs, no latches, no inputs, constant literals anywhere, leaves after gates, latches that
//! are nearly copies of others.

use crate::random::Random;
use pedra_model::bits::{BitSystem, Latch, Name, Reset};
use pedra_model::lit::Lit;

/// How large random systems may become.
#[derive(Copy, Clone, Debug)]
pub struct BitShape {
    /// The most latches.
    pub latches: usize,
    /// The most inputs.
    pub inputs: usize,
    /// The most gates, apart from those of counters, constraints and properties.
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
    let inputs = random.between(0, shape.inputs);
    let latches = if random.one_in(30) { 0 } else { random.between(1, shape.latches) };
    // Files have all leaves first; other makers of systems need not.
    let first = if random.one_in(4) { random.below(inputs + 1) } else { inputs };
    for _ in 0..first {
        system.add_input();
    }
    let late = if random.one_in(4) { random.below(latches + 1) } else { 0 };
    for _ in late..latches {
        system.add_latch(Reset::Zero);
    }
    for _ in 0..random.between(0, shape.gates) {
        if system.inputs.len() < inputs && random.one_in(4) {
            system.add_input();
        }
        if system.latches.len() < latches && random.one_in(4) {
            system.add_latch(Reset::Zero);
        }
        let (a, b) = (any_lit(random, &system), any_lit(random, &system));
        system.aig.push_and(a, b);
    }
    for _ in system.inputs.len()..inputs {
        system.add_input();
    }
    for _ in system.latches.len()..latches {
        system.add_latch(Reset::Zero);
    }
    add_resets(random, &mut system);
    add_nexts(random, &mut system);
    if random.one_in(4) {
        add_near_copies(random, &mut system);
    }
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

/// Adds what only files have: names, comments, justice and fairness.
pub fn decorate(random: &mut Random, system: &mut BitSystem) {
    let lits = |random: &mut Random, most: usize| -> Vec<Lit> {
        (0..random.between(0, most)).map(|_| any_lit(random, system)).collect()
    };
    if random.coin() {
        let justice = (0..random.below(3)).map(|_| lits(random, 3)).collect();
        let fairness = lits(random, 2);
        (system.justice, system.fairness) = (justice, fairness);
    }
    if random.coin() {
        system.outputs.push(any_lit(random, system));
    }
    system.names.inputs = some_names(random, system.inputs.len());
    system.names.latches = some_names(random, system.latches.len());
    system.names.outputs = some_names(random, system.outputs.len());
    system.names.bads = some_names(random, system.bads.len());
    system.names.constraints = some_names(random, system.constraints.len());
    system.names.justice = some_names(random, system.justice.len());
    system.names.fairness = some_names(random, system.fairness.len());
    if random.one_in(3) {
        let comments = ["made for a test", "", "c"];
        system.comments = comments[..random.below(4)].iter().map(|&c| c.into()).collect();
    }
}

/// Names for some of these, or none at all.
fn some_names(random: &mut Random, count: usize) -> Vec<Name> {
    const NAMES: [&str; 6] = ["clock", "a b", "", "mem[3]", "größe", "c"];
    let named = if random.coin() { count } else { 0 };
    (0..named).map(|_| (!random.one_in(3)).then(|| random.pick(&NAMES).into())).collect()
}

/// Any literal, constants and leaves included.
pub fn any_lit(random: &mut Random, system: &BitSystem) -> Lit {
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

/// Some latches become like earlier ones, or like their negations: work for reductions.
fn add_near_copies(random: &mut Random, system: &mut BitSystem) {
    for i in 1..system.latches.len() {
        if !random.one_in(2) {
            continue;
        }
        let Latch { next, reset, .. } = system.latches[random.below(i)];
        let flip = random.one_in(3);
        system.latches[i].next = next ^ flip;
        system.latches[i].reset = match reset {
            Reset::Zero if flip => Reset::One,
            Reset::One if flip => Reset::Zero,
            Reset::Function(f) => Reset::Function(f ^ flip),
            same => same,
        };
        if system.reset_order().is_err() {
            system.latches[i].reset = Reset::Free;
        }
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
