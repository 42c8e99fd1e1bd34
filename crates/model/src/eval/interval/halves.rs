//! A set of vectors as two ranges: one of those whose sign bit is 0, one of those whose sign
//! bit is 1.
//!
//! Within a half the unsigned and the signed value differ by a constant, so that one range
//! serves for both. An operator is applied to each pair of halves, which gives a range of exact
//! integers; [`Halves::add`] brings it back into the width, cut where it crosses into the other
//! half.

use super::number::Number;

/// The least and the greatest, both included.
pub(super) type Range<N> = (N, N);

/// The two ranges, as unsigned values. Being empty is only a stage while results are collected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Halves<N> {
    pub width: u32,
    /// Within 0 … 2^(w−1)−1.
    pub low: Option<Range<N>>,
    /// Within 2^(w−1) … 2^w−1.
    pub high: Option<Range<N>>,
}

/// Enlarges a range, which may be empty, so that it holds another.
fn hull<N: Number>(range: &mut Option<Range<N>>, (from, to): Range<N>) {
    *range = Some(match range.take() {
        None => (from, to),
        Some((low, high)) => (low.min(from), high.max(to)),
    });
}

impl<N: Number> Halves<N> {
    /// No vector.
    pub fn empty(width: u32) -> Halves<N> {
        Halves { width, low: None, high: None }
    }

    /// All vectors.
    pub fn full(width: u32) -> Halves<N> {
        let (zero, one) = (N::from(0), N::from(1));
        let half = one.clone() << (width - 1);
        let last = (one.clone() << width) - one.clone();
        Halves { width, low: Some((zero, half.clone() - one)), high: Some((half, last)) }
    }

    /// Those bits that are possible.
    pub fn bit(can_be_0: bool, can_be_1: bool) -> Halves<N> {
        let (zero, one) = (N::from(0), N::from(1));
        Halves {
            width: 1,
            low: can_be_0.then(|| (zero.clone(), zero)),
            high: can_be_1.then(|| (one.clone(), one)),
        }
    }

    /// 2^w.
    pub fn modulus(&self) -> N {
        N::from(1) << self.width
    }

    /// 2^w−1.
    pub fn last(&self) -> N {
        self.modulus() - N::from(1)
    }

    /// The halves as ranges of unsigned values.
    pub fn unsigned_parts(&self) -> impl Iterator<Item = Range<N>> {
        [self.low.clone(), self.high.clone()].into_iter().flatten()
    }

    /// The halves as ranges of signed values, with whether they are negative.
    pub fn signed_parts(&self) -> impl Iterator<Item = (bool, Range<N>)> {
        let negative = self.high.clone().map(|(l, h)| (l - self.modulus(), h - self.modulus()));
        let low = self.low.clone().map(|range| (false, range));
        [negative.map(|range| (true, range)), low].into_iter().flatten()
    }

    /// The halves as ranges of absolute values, with whether they are negative.
    pub fn magnitudes(&self) -> impl Iterator<Item = (bool, Range<N>)> {
        self.signed_parts().map(|(is_negative, (low, high))| match is_negative {
            true => (true, (-high, -low)),
            false => (false, (low, high)),
        })
    }

    /// The least and the greatest unsigned value.
    pub fn unsigned(&self) -> Range<N> {
        let (low, high) = (self.low.as_ref(), self.high.as_ref());
        let first = low.or(high).expect("a set that is not empty");
        let last = high.or(low).expect("a set that is not empty");
        (first.0.clone(), last.1.clone())
    }

    /// The least and the greatest signed value.
    pub fn signed(&self) -> Range<N> {
        let mut parts = self.signed_parts();
        let first = parts.next().expect("a set that is not empty").1;
        let last = parts.next().map_or_else(|| first.clone(), |(_, range)| range);
        (first.0, last.1)
    }

    /// The only vector, as an unsigned value.
    pub fn point(&self) -> Option<&N> {
        match (&self.low, &self.high) {
            (Some((l, h)), None) | (None, Some((l, h))) if l == h => Some(l),
            _ => None,
        }
    }

    /// Adds the vectors that the integers of a range stand for, modulo 2^w.
    pub fn add(&mut self, (from, to): Range<N>) {
        debug_assert!(from <= to, "a range that is not empty");
        let modulus = self.modulus();
        if to.clone() - from.clone() + N::from(1) >= modulus {
            *self = Halves::full(self.width);
            return;
        }
        // Shifts to the right round downwards: afterwards 0 ≤ from < 2^w and to < 2·2^w.
        let base = (from.clone() >> self.width) << self.width;
        let (from, to) = (from - base.clone(), to - base);
        if to < modulus {
            self.add_part(from, to);
        } else {
            self.add_part(from, modulus.clone() - N::from(1));
            self.add_part(N::from(0), to - modulus);
        }
    }

    /// Adds a range of unsigned values.
    fn add_part(&mut self, from: N, to: N) {
        let half = N::from(1) << (self.width - 1);
        if to < half {
            hull(&mut self.low, (from, to));
        } else if from >= half {
            hull(&mut self.high, (from, to));
        } else {
            hull(&mut self.low, (from, half.clone() - N::from(1)));
            hull(&mut self.high, (half, to));
        }
    }

    /// Adds one integer.
    pub fn add_point(&mut self, value: N) {
        self.add((value.clone(), value));
    }
}
