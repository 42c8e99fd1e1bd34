//! Random choices of reductions, solvers and engines. One seed gives one run.

/// A source of random words (xorshift), the same for the same seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A source for a seed.
    pub fn new(seed: u64) -> Random {
        Random((seed ^ 0x9e37_79b9_7f4a_7c15).max(1))
    }

    /// A random word.
    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `bound`, which must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (((self.word() >> 32) * bound as u64) >> 32) as usize
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
