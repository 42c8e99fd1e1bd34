//! Which elements of arrays are watched. All of it is heuristic: proofs are proofs with any choice.

use crate::blocks::{Blocks, CutId};
use num_bigint::BigInt;
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How many positions of one sort there are at most.
const MAX_POSITIONS: usize = 2;

/// How many constant addresses of one sort there are at most.
const MAX_CONSTANTS: usize = 4;

/// How many distances between what is read and what is written are looked at.
const MAX_DISTANCES: usize = 2;

/// What is watched.
#[derive(Clone, Debug, Default)]
pub(super) struct Choice {
    /// Symbols of their own.
    pub positions: Vec<TermId>,
    /// Addresses: terms over positions.
    pub slots: Vec<TermId>,
    /// For each block to an error, by source and target, the words in it that are to be where a
    /// position is.
    pub bindings: BTreeMap<(CutId, CutId), Vec<(TermId, TermId)>>,
}

/// Positions for what is read in steps to errors, slots at these and near to them, and slots at
/// constants.
pub(super) fn choose(blocks: &Blocks, terms: &mut Terms) -> Choice {
    let mut choice = Choice::default();
    let mut by_sort: FxHashMap<Sort, Vec<TermId>> = FxHashMap::default();
    let mut uses = Uses::default();
    for (from, cut) in blocks.cuts.iter().enumerate() {
        for block in &cut.blocks {
            uses.look_at(&blocks.program.terms, block.values.iter().copied().chain([block.guard]));
            if !blocks.errors.contains(&Some(block.to)) {
                continue;
            }
            let mut used: FxHashMap<Sort, usize> = FxHashMap::default();
            for index in read_words(&blocks.program.terms, block.guard) {
                let sort = terms.sort(index);
                let known = by_sort.entry(sort).or_default();
                let number = used.entry(sort).or_default();
                if *number == MAX_POSITIONS {
                    continue;
                }
                if *number == known.len() {
                    known.push(terms.new_symbol(sort));
                    choice.positions.extend(known.last());
                }
                let binding = (index, known[*number]);
                *number += 1;
                choice.bindings.entry((from, block.to)).or_default().push(binding);
            }
        }
    }
    for (&index, constants) in &uses.constants {
        for &position in &choice.positions {
            let distances = [BigInt::ZERO].into_iter();
            for distance in distances.chain(uses.distances.iter().take(MAX_DISTANCES).cloned()) {
                let there = add(terms, position, distance);
                choice.slots.extend(address(terms, there, index));
            }
        }
        choice.slots.extend(constants.iter().take(MAX_CONSTANTS));
    }
    choice
}

/// The word that an index is the low part of, or the index itself.
fn word(terms: &Terms, index: TermId) -> TermId {
    match *terms.get(index) {
        Term::Slice { arg, low: 0, .. } => arg,
        _ => index,
    }
}

/// The words with which a term reads arrays, each once.
fn read_words(terms: &Terms, root: TermId) -> Vec<TermId> {
    let cone = terms.cone([root]);
    let mut found = Vec::new();
    for (_, term) in terms.iter().filter(|(id, _)| cone.get(id.index()) == Some(&true)) {
        if let Term::Read(_, at) = *term
            && !is_constant(terms, at)
            && !found.contains(&word(terms, at))
        {
            found.push(word(terms, at));
        }
    }
    found
}

fn is_constant(terms: &Terms, term: TermId) -> bool {
    matches!(terms.get(term), Term::Const(_) | Term::IntConst(_))
}

/// How arrays are used.
#[derive(Default)]
struct Uses {
    /// For each sort of indices the constants among them.
    constants: BTreeMap<Scalar, Vec<TermId>>,
    /// How far what is read is from what is written, in one block; never zero.
    distances: BTreeSet<BigInt>,
}

impl Uses {
    fn look_at(&mut self, terms: &Terms, roots: impl Iterator<Item = TermId>) {
        let cone = terms.cone(roots);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (_, term) in terms.iter().filter(|(id, _)| cone.get(id.index()) == Some(&true)) {
            let (array, at) = match *term {
                Term::Read(array, at) => {
                    reads.push(apart(terms, word(terms, at)));
                    (array, at)
                }
                Term::Write(array, at, _) => {
                    writes.push(apart(terms, word(terms, at)));
                    (array, at)
                }
                _ => continue,
            };
            let Sort::Array { index, .. } = terms.sort(array) else { continue };
            let constants = self.constants.entry(index).or_default();
            if is_constant(terms, at) && !constants.contains(&at) {
                constants.push(at);
            }
        }
        for (base, offset) in &writes {
            let near = reads.iter().filter(|(other, _)| other == base);
            self.distances.extend(near.map(|(_, other)| other - offset));
        }
        self.distances.remove(&BigInt::ZERO);
    }
}

/// A word as another one and a constant.
fn apart(terms: &Terms, mut word: TermId) -> (TermId, BigInt) {
    let mut offset = BigInt::ZERO;
    loop {
        let constant = |term: TermId| match terms.get(term) {
            Term::Const(value) => Some(value.to_bigint()),
            Term::IntConst(value) => Some((**value).clone()),
            _ => None,
        };
        let (next, by) = match *terms.get(word) {
            Term::Binary(BinaryOp::Add, a, b) | Term::Int(IntOp::Add, a, b) => {
                match (constant(a), constant(b)) {
                    (_, Some(by)) => (a, by),
                    (Some(by), _) => (b, by),
                    _ => return (word, offset),
                }
            }
            Term::Binary(BinaryOp::Sub, a, b) | Term::Int(IntOp::Sub, a, b) => match constant(b) {
                Some(by) => (a, -by),
                None => return (word, offset),
            },
            Term::Unary(UnaryOp::Inc, a) => (a, BigInt::from(1)),
            Term::Unary(UnaryOp::Dec, a) => (a, BigInt::from(-1)),
            _ => return (word, offset),
        };
        word = next;
        offset += by;
    }
}

/// `term + distance`
fn add(terms: &mut Terms, term: TermId, distance: BigInt) -> TermId {
    match terms.sort(term) {
        _ if distance == BigInt::ZERO => term,
        Sort::Bv(width) => {
            let constant = terms.constant(Bv::from_bigint(width, &distance));
            terms.simplified(Term::Binary(BinaryOp::Add, term, constant))
        }
        _ => {
            let constant = terms.integer(distance);
            terms.simplified(Term::Int(IntOp::Add, term, constant))
        }
    }
}

/// A word as an index of this sort; `None` if it is too short, or something else.
fn address(terms: &mut Terms, word: TermId, index: Scalar) -> Option<TermId> {
    match (terms.sort(word), index) {
        (sort, index) if sort == index.into() => Some(word),
        (Sort::Bv(width), Scalar::Bv(bits)) if width > bits => {
            Some(terms.simplified(Term::Slice { arg: word, high: bits - 1, low: 0 }))
        }
        _ => None,
    }
}
