//! Makes failing systems small: greedily, one piece after the other, as long as the failure stays.
//!
//! The idea is that of CaDiCaL's `mobical` (and of Zeller's delta debugging): a failure that was
//! found in a large random input is understood in a small one, and kept as a regression.

mod bits;
mod words;

pub use bits::smaller_bits;
pub use words::smaller_words;

/// Replaces `start` by a smaller one that still fails, until none of `smaller` does.
///
/// `smaller` gives what is a little smaller, the largest steps first. It must give nothing that is
/// not smaller by some measure, or this does not end. `start` should fail.
pub fn shrink<T>(start: T, smaller: impl Fn(&T) -> Vec<T>, mut fails: impl FnMut(&T) -> bool) -> T {
    let mut now = start;
    let mut from = 0;
    loop {
        // What did not work a moment ago is tried last.
        let candidates = smaller(&now);
        let count = candidates.len();
        let start = from.min(count);
        let order = (start..count).chain(0..start);
        let mut candidates: Vec<Option<T>> = candidates.into_iter().map(Some).collect();
        let mut take = |i: usize| candidates[i].take().expect("each once");
        let found = order.map(|i| (i, take(i))).find(|(_, candidate)| fails(candidate));
        match found {
            Some((i, candidate)) => (now, from) = (candidate, i),
            None => return now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitShape, random_bits};
    use crate::oracle::{ExplicitBits, explore};
    use crate::random::Random;
    use crate::words::{ExplicitWords, WordShape, random_words};

    /// Systems with a violation after exactly three steps shrink to those that just have that.
    #[test]
    fn what_matters_stays() {
        let (mut bits, mut words) = (0, 0);
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let system = random_bits(&mut random, BitShape::default());
            let deep = |s: &_| explore(&ExplicitBits::new(s)).violated_at.contains(&Some(3));
            if deep(&system) {
                let small = shrink(system, smaller_bits, deep);
                assert!(deep(&small));
                // Two bits count to three, three bits shift; hardly any logic is needed.
                assert!(small.latches.len() + small.inputs.len() <= 4, "{small:?}");
                assert!(small.properties().len() == 1 && small.aig.num_gates() <= 6, "{small:?}");
                bits += 1;
            }
            let system = random_words(&mut random, WordShape::default());
            let deep = |s: &_| explore(&ExplicitWords::new(s)).violated_at.contains(&Some(2));
            if deep(&system) {
                let small = shrink(system, smaller_words, deep);
                assert!(deep(&small));
                assert!(small.states.len() + small.inputs.len() <= 3, "{small:?}");
                assert!(small.terms.len() <= 16, "{small:?}");
                words += 1;
            }
        }
        assert!(bits >= 5 && words >= 5, "{bits} {words}");
    }
}
