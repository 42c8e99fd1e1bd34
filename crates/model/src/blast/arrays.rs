//! Arrays, expanded into all their elements. The bits of an array are those of its elements,
//! by ascending index, so that comparing and choosing arrays is what it is for words.

use super::ops::{Circuit, Word};
use super::{BlastError, BlastOptions};
use crate::lit::Lit;
use crate::term::{Scalar, Sort};

/// How many bits a value of the sort has, arrays expanded. `what` says whose sort it is.
pub(super) fn size_of(
    sort: Sort,
    options: &BlastOptions,
    what: impl FnOnce() -> String,
) -> Result<usize, BlastError> {
    let (index, element) = match sort {
        Sort::Bv(width) => return Ok(width as usize),
        Sort::Array { index: Scalar::Bv(index), element: Scalar::Bv(element) } => (index, element),
        Sort::Int | Sort::Array { .. } => return Err(BlastError::Integers { what: what() }),
    };
    let elements = 1u64.checked_shl(index).unwrap_or(u64::MAX);
    let bits = elements.saturating_mul(element as u64);
    if bits > options.max_array_bits {
        let limit = options.max_array_bits;
        return Err(BlastError::ArrayTooLarge { what: what(), index, element, limit });
    }
    Ok(usize::try_from(bits).unwrap_or(usize::MAX))
}

impl Circuit {
    /// The element at an index: a tree of multiplexers, one layer for each bit of the index.
    pub(super) fn read(&mut self, array: &[Lit], at: &[Lit]) -> Result<Word, BlastError> {
        let element = array.len() >> at.len();
        let mut level = array.to_vec();
        for &bit in at {
            let mut halved = Word::with_capacity(level.len() / 2);
            for pair in level.chunks(2 * element) {
                let (even, odd) = pair.split_at(element);
                halved.extend(self.mux(bit, odd, even));
            }
            level = halved;
            self.spend(level.len())?;
        }
        Ok(level)
    }

    /// The array with one element replaced.
    pub(super) fn write(
        &mut self,
        array: &[Lit],
        at: &[Lit],
        value: &[Lit],
    ) -> Result<Word, BlastError> {
        let selected = self.decode(at);
        let mut written = Word::with_capacity(array.len());
        for (select, old) in selected.into_iter().zip(array.chunks(value.len())) {
            written.extend(self.mux(select, value, old));
            self.spend(value.len())?;
        }
        Ok(written)
    }

    /// For each value of an index whether it is that one. Built from decoders of its two
    /// halves, which costs little more than one gate a value.
    fn decode(&mut self, at: &[Lit]) -> Word {
        let mut parts: Vec<Word> = at.iter().map(|&bit| vec![!bit, bit]).collect();
        while parts.len() > 1 {
            let joined = parts.chunks(2).map(|pair| match pair {
                [low, high] => high
                    .iter()
                    .flat_map(|&h| low.iter().map(move |&l| (h, l)))
                    .map(|(h, l)| self.builder.and(h, l))
                    .collect(),
                _ => pair[0].clone(),
            });
            parts = joined.collect();
        }
        parts.pop().expect("an index has at least one bit")
    }
}
