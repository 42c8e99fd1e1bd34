//! Reads of arrays of which only some elements are known.
//!
//! ```text
//! write(X, b, v)[i] = ite(i = b, v, X[i])       const(v)[i] = v
//! ite(c, X, Y)[i]   = ite(c, X[i], Y[i])        A[i] = ite(i = p_1, e_1, … r)     r a new symbol
//! ```
//!
//! `p_1, e_1, …` are what is known of the array `A`: elements that are watched, and earlier reads.

use crate::term::{BinaryOp, Sort, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// A new symbol that stands for an element.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ReadSymbol {
    /// The symbol.
    pub symbol: TermId,
    /// Of this array, an input or a state.
    pub array: TermId,
    /// At this address.
    pub at: TermId,
}

/// Puts words in for reads of arrays.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// For each symbol of an array the addresses whose elements are known, and these.
    known: FxHashMap<TermId, Vec<(TermId, TermId)>>,
    /// The elements of array terms.
    values: FxHashMap<(TermId, TermId), TermId>,
    /// The new symbols, in the order in which they were made.
    new: Vec<ReadSymbol>,
}

impl Reader {
    /// The element of an array symbol at an address is this one. To be said before any read.
    pub fn know(&mut self, array: TermId, at: TermId, element: TermId) {
        self.known.entry(array).or_default().push((at, element));
    }

    /// What is read of symbols where nothing is known: anything.
    pub fn new_symbols(&self) -> &[ReadSymbol] {
        &self.new
    }

    /// `array[at]`, where the address is one of the result; `images` has what stands in the result
    /// for the words that the array is made of.
    pub fn value(
        &mut self,
        terms: &mut Terms,
        images: &FxHashMap<TermId, TermId>,
        array: TermId,
        at: TermId,
    ) -> TermId {
        let mut stack = match self.values.get(&(array, at)) {
            Some(&value) => return value,
            None => vec![array],
        };
        while let Some(&id) = stack.last() {
            let term = terms.get(id).clone();
            let inner = match term {
                Term::Write(inner, ..) => [Some(inner), None],
                Term::Ite(_, t, e) => [Some(t), Some(e)],
                _ => [None; 2],
            };
            let missing = inner.iter().flatten().find(|&&a| !self.values.contains_key(&(a, at)));
            if let Some(&missing) = missing {
                stack.push(missing);
                continue;
            }
            stack.pop();
            let [below, other] = inner.map(|a| a.map(|a| self.values[&(a, at)]));
            let value = match (term, below, other) {
                (Term::Symbol(_), ..) => self.symbol_value(terms, id, at),
                (Term::ConstArray { value, .. }, ..) => images[&value],
                (Term::Write(_, place, value), Some(old), _) => {
                    let hit = equal(terms, at, images[&place]);
                    terms.simplified(Term::Ite(hit, images[&value], old))
                }
                (Term::Ite(c, ..), Some(t), Some(e)) => {
                    terms.simplified(Term::Ite(images[&c], t, e))
                }
                _ => unreachable!("no other term is an array"),
            };
            self.values.insert((id, at), value);
        }
        self.values[&(array, at)]
    }

    /// `ite(at = p_1, e_1, … ite(at = b_1, r_1, … r))`
    fn symbol_value(&mut self, terms: &mut Terms, array: TermId, at: TermId) -> TermId {
        let mut cases = Vec::new();
        let known = self.known.entry(array).or_default();
        let mut last = None;
        for &(address, value) in known.iter() {
            let same = equal(terms, at, address);
            if terms.is_bool(same, true) {
                last = Some(value);
                break;
            }
            if !terms.is_bool(same, false) {
                cases.push((same, value));
            }
        }
        let last = last.unwrap_or_else(|| {
            let symbol = terms.new_symbol(element(terms, array));
            self.new.push(ReadSymbol { symbol, array, at });
            known.push((at, symbol));
            symbol
        });
        cases.into_iter().rev().fold(last, |rest, (condition, value)| {
            terms.simplified(Term::Ite(condition, value, rest))
        })
    }
}

pub(super) fn equal(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    terms.simplified(Term::Binary(BinaryOp::Eq, a, b))
}

/// The sort of an array's elements.
pub(super) fn element(terms: &Terms, array: TermId) -> Sort {
    terms.sort(array).element().expect("an array")
}
