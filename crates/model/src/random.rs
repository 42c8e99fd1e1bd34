//! The one source of random choices: reductions, solvers, engines, stimulus, tests and fuzzers.
//! Equal seeds give equal choices on every machine and in every version.

/// The source: SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
/// OOPSLA 2014). Any seed is good, and neighbouring seeds give unrelated choices.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A source for a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (((self.word() >> 32) * bound as u64) >> 32) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// True in half of all cases.
    pub fn coin(&mut self) -> bool {
        self.one_in(2)
    }

    /// An element of a slice that is not empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Puts the items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            items.swap(place, self.below(place + 1));
        }
    }

    /// A random word whose quarters are ones with probability 1/2, 1/8, 7/8 and 63/64: long
    /// conjunctions such as carry chains are hardly ever true of evenly distributed bits.
    pub fn biased(&mut self) -> u64 {
        let [a, b, c, d, e, f] = std::array::from_fn(|_| self.word());
        let quarter = |word: u64, n: u32| word & (0xffff << (16 * n));
        let (some, most) = (a & b & c, a | b | c);
        quarter(a, 0) | quarter(some, 1) | quarter(most, 2) | quarter(most | d | e | f, 3)
    }

    /// A word with few ones: about one in 16.
    pub fn rare(&mut self) -> u64 {
        self.word() & self.word() & self.word() & self.word()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the published reference program for seed 1234567.
    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(std::array::from_fn(|_| random.word()), expected);
    }
}
