//! Random systems for the AIGER tests, the same on every run.
#![allow(dead_code, reason = "each test binary uses its own part")]

use pedra_model::bits::{BitSystem, Name, Reset};
use pedra_model::lit::Lit;

/// A small generator of numbers (xorshift), so that tests need nothing else.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % limit.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn lit(&mut self, pool: &[Lit]) -> Lit {
        pool[self.below(pool.len())] ^ self.chance(50)
    }
}

fn some_lits(random: &mut Random, pool: &[Lit], most: usize) -> Vec<Lit> {
    (0..random.below(most + 1)).map(|_| random.lit(pool)).collect()
}

fn some_names(random: &mut Random, count: usize) -> Vec<Name> {
    const NAMES: [&str; 6] = ["clock", "a b", "", "mem[3]", "größe", "c"];
    if !random.chance(50) {
        return Vec::new();
    }
    let mut names: Vec<Name> = vec![None; count];
    for name in &mut names {
        *name = random.chance(60).then(|| NAMES[random.below(NAMES.len())].into());
    }
    names
}

/// A system with a bit of everything; leaves and gates are mixed where `mixed` says so.
pub fn random_system(random: &mut Random, mixed: bool) -> BitSystem {
    let mut s = BitSystem::new();
    let mut pool = vec![Lit::FALSE];
    for _ in 0..random.below(4) {
        pool.push(s.add_input());
    }
    for _ in 0..random.below(5) {
        pool.push(s.add_latch([Reset::Zero, Reset::One, Reset::Free][random.below(3)]));
    }
    for _ in 0..random.below(12) {
        let gate = s.aig.push_and(random.lit(&pool), random.lit(&pool));
        pool.push(gate);
        if mixed && random.chance(20) {
            pool.push(if random.chance(50) { s.add_input() } else { s.add_latch(Reset::One) });
        }
    }
    for latch in 0..s.latches.len() {
        s.latches[latch].next = random.lit(&pool);
        if random.chance(25) {
            let before = s.latches[latch].reset;
            s.latches[latch].reset = Reset::Function(random.lit(&pool));
            if s.reset_order().is_err() {
                s.latches[latch].reset = before;
            }
        }
    }
    s.outputs = some_lits(random, &pool, 2);
    if random.chance(60) {
        s.bads = some_lits(random, &pool, 2);
        s.constraints = some_lits(random, &pool, 2);
        s.justice = (0..random.below(3)).map(|_| some_lits(random, &pool, 3)).collect();
        s.fairness = some_lits(random, &pool, 2);
    }
    s.names.inputs = some_names(random, s.inputs.len());
    s.names.latches = some_names(random, s.latches.len());
    s.names.outputs = some_names(random, s.outputs.len());
    s.names.bads = some_names(random, s.bads.len());
    s.names.constraints = some_names(random, s.constraints.len());
    s.names.justice = some_names(random, s.justice.len());
    s.names.fairness = some_names(random, s.fairness.len());
    if random.chance(40) {
        s.comments =
            ["made for a test", "", "c"][..random.below(4)].iter().map(|&c| c.into()).collect();
    }
    s
}
