//! What the tests of this crate share: random numbers, and clauses by brute force.

use pedra_model::lit::{Lit, Var};

/// A small generator (xorshift64*): the same numbers on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound as u64) as usize
    }

    pub fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    /// A literal of one of the variables `1..=vars`.
    pub fn lit(&mut self, vars: usize) -> Lit {
        Lit::new(Var::new(1 + self.below(vars)), self.coin())
    }
}

/// The value of `lit` where bit `v` of `assignment` is the value of variable `v`.
/// Bit 0 must be 0: the constant is false.
pub fn value_in(lit: Lit, assignment: u32) -> bool {
    (assignment >> lit.var().index() & 1 == 1) != lit.is_negated()
}

pub fn satisfies(clauses: &[Vec<Lit>], assignment: u32) -> bool {
    clauses.iter().all(|clause| clause.iter().any(|&lit| value_in(lit, assignment)))
}

/// Whether some assignment of `1..=vars` satisfies the clauses and all of `assumptions`.
pub fn is_satisfiable(vars: usize, clauses: &[Vec<Lit>], assumptions: &[Lit]) -> bool {
    (0..1u32 << vars).any(|bits| {
        let assignment = bits << 1;
        assumptions.iter().all(|&lit| value_in(lit, assignment)) && satisfies(clauses, assignment)
    })
}
