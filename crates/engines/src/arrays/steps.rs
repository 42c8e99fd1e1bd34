//! Steps of a system with large arrays, as terms without arrays: what a read gives is a word of its
//! own, of which nothing is known here (`exact` adds what follows from writes).

use pedra_model::bv::Bv;
use pedra_model::slots::WithArrays;
use pedra_model::term::{BinaryOp, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// A read in a step.
#[derive(Copy, Clone, Debug)]
pub(super) struct Read {
    /// Of this array, a term of the system.
    pub(super) array: TermId,
    pub(super) step: usize,
    /// Where, as a term of the steps.
    pub(super) at: TermId,
    /// Where, as a term of the system. A constant that is not in the system for those that were
    /// added.
    pub(super) address: Address,
}

/// The address of a read as the system has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// A term.
    Term(TermId),
    /// A constant of the steps.
    Constant(TermId),
}

/// The steps. Everything is made when it is first asked for.
pub(super) struct Steps {
    pub(super) of: WithArrays,
    pub(super) terms: Terms,
    /// For a step and a term of the system what it is there.
    images: FxHashMap<(usize, TermId), TermId>,
    /// Symbols of the steps that are reads.
    pub(super) reads: FxHashMap<TermId, Read>,
    by_place: FxHashMap<(TermId, usize, TermId), TermId>,
    /// Comparisons of arrays, with their steps.
    pub(super) comparisons: Vec<(TermId, usize)>,
    inits: FxHashMap<TermId, Option<TermId>>,
    nexts: FxHashMap<TermId, Option<TermId>>,
    /// The comparisons' indices of difference.
    differences: FxHashMap<TermId, TermId>,
}

impl Steps {
    pub(super) fn new(of: WithArrays) -> Steps {
        let inits = of.system.states.iter().map(|s| (s.term, s.init)).collect();
        let nexts = of.system.states.iter().map(|s| (s.term, s.next)).collect();
        let differences = of.differences.iter().map(|d| (d.comparison, d.index)).collect();
        Steps {
            terms: of.system.terms.clone(),
            of,
            images: FxHashMap::default(),
            reads: FxHashMap::default(),
            by_place: FxHashMap::default(),
            comparisons: Vec::new(),
            inits,
            nexts,
            differences,
        }
    }

    /// What the value of a symbol follows from, and in which step; `None` if it is given from
    /// outside.
    pub(super) fn source(&self, symbol: TermId, step: usize) -> Option<(TermId, usize)> {
        match step.checked_sub(1) {
            None => self.inits.get(&symbol).copied().flatten().map(|init| (init, 0)),
            Some(before) => self.nexts.get(&symbol).copied().flatten().map(|next| (next, before)),
        }
    }

    /// What a term of the system, no large array, is in a step.
    pub(super) fn image(&mut self, step: usize, term: TermId) -> TermId {
        let mut stack = vec![(step, term)];
        while let Some(&(step, id)) = stack.last() {
            if self.images.contains_key(&(step, id)) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let needed = |this: &Steps, stack: &mut Vec<(usize, TermId)>, step, id| {
                if !this.images.contains_key(&(step, id)) {
                    stack.push((step, id));
                }
            };
            let image = match self.of.system.terms.get(id).clone() {
                Term::Symbol(_) => match self.source(id, step) {
                    Some((source, at)) => {
                        needed(self, &mut stack, at, source);
                        self.images.get(&(at, source)).copied()
                    }
                    None => Some(self.terms.new_symbol(self.of.system.terms.sort(id))),
                },
                Term::Read(array, at) if self.of.is_large(array) => {
                    needed(self, &mut stack, step, at);
                    let place = self.images.get(&(step, at)).copied();
                    place.map(|place| self.read(array, step, place, Address::Term(at)))
                }
                Term::Binary(op, a, b) if self.of.is_large(a) => {
                    let index = self.differences[&id];
                    needed(self, &mut stack, step, index);
                    let place = self.images.get(&(step, index)).copied();
                    place.map(|place| {
                        self.comparisons.push((id, step));
                        let [a, b] =
                            [a, b].map(|x| self.read(x, step, place, Address::Term(index)));
                        let equal = self.terms.simplified(Term::Binary(BinaryOp::Eq, a, b));
                        if op == BinaryOp::Eq { equal } else { self.terms.not(equal) }
                    })
                }
                term => {
                    term.args().for_each(|arg| needed(self, &mut stack, step, arg));
                    (stack.len() == before).then(|| {
                        let term = term.with_args(|arg| self.images[&(step, arg)]);
                        self.terms.simplified(term)
                    })
                }
            };
            if let Some(image) = image.filter(|_| stack.len() == before) {
                self.images.insert((step, id), image);
                stack.pop();
            }
        }
        self.images[&(step, term)]
    }

    /// The symbol of a read.
    pub(super) fn read(
        &mut self,
        array: TermId,
        step: usize,
        at: TermId,
        address: Address,
    ) -> TermId {
        if let Some(&symbol) = self.by_place.get(&(array, step, at)) {
            return symbol;
        }
        let element = self.of.system.terms.sort(array).element().expect("an array");
        let symbol = self.terms.new_symbol(element);
        self.by_place.insert((array, step, at), symbol);
        self.reads.insert(symbol, Read { array, step, at, address });
        symbol
    }

    /// The symbol of a read at a constant address.
    pub(super) fn read_constant(&mut self, array: TermId, step: usize, at: Bv) -> TermId {
        let at = self.terms.constant(at);
        self.read(array, step, at, Address::Constant(at))
    }

    /// A constant of the steps as a term of the system's store.
    pub(super) fn constant_of_system(&mut self, term: TermId) -> TermId {
        let value = self.terms.as_constant(term).expect("a constant").clone();
        self.of.system.terms.constant(value)
    }

    /// The symbol that stands for one of the system that is given from outside, if it was needed.
    pub(super) fn given(&self, step: usize, symbol: TermId) -> Option<TermId> {
        self.images.get(&(step, symbol)).copied()
    }
}
