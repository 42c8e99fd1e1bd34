//! What the tests of this crate share.

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
}

/// How often a randomised test runs: `PEDRA_FUZZ_RUNS` times, or `default`.
#[allow(dead_code)]
pub fn runs(default: u64) -> u64 {
    std::env::var("PEDRA_FUZZ_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(default)
}
