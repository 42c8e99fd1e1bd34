//! Blocks for engines that have a trace for each location: control that is kept in data becomes
//! locations, and relations become functions.
//!
//! Programs that were translated (transition systems as Horn clauses, simplified drivers) often
//! have one loop whose body is a disjunction over a few bits, a program counter. A search over
//! locations then knows one location only and has to learn the control flow bit by bit; and a new
//! value is an input that some disjunct says something about. So
//!
//! - a block whose guard is a disjunction is a block for each disjunct, if that tells what some
//!   input is;
//! - an input that a guard equates with a term is replaced by it ([`Block::defined`]);
//! - a cut point is split by the values of its bits, as far as the entry reaches them. Each copy
//!   has the blocks that its values leave possible.
//!
//! Proofs are put together again by [`Refined::proof`]: a copy's invariant holds where the bits
//! have the copy's values, and no other values are reached. Runs need the values of defined inputs
//! besides; all else is the same, since copies of a cut point have its place and its inputs. Exits
//! of procedures stay whole, since calls speak of them.

use super::equations;
use super::{Block, Blocks, Cut, CutId, CutProof};
use crate::graph::VariableId;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;

/// A cut point with more bits is not split.
const MAX_BITS: usize = 8;
/// With more copies of cut points, blocks stay whole. Heuristic: the work for each copy is that of
/// a location, and flags that are no control would be split as well.
const MAX_COPIES: usize = 64;
/// How many terms may be made for each that is there.
const MAX_GROWTH: usize = 8;

/// Blocks that were refined.
#[derive(Clone, Debug)]
pub struct Refined {
    /// The blocks. Cut points of one place come up several times.
    pub blocks: Blocks,
    /// For each cut point which one of the original it is a copy of.
    origins: Vec<Copy>,
}

/// Bits with their values.
type Bits = Vec<(VariableId, bool)>;

/// A cut point whose bits have given values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Copy {
    cut: CutId,
    bits: Bits,
}

/// Refines blocks; `None` if there is nothing to gain, or too much to split.
pub fn refine(whole: &Blocks) -> Option<Refined> {
    let limit = whole.program.terms.len() * MAX_GROWTH;
    let mut refiner = Refiner {
        whole,
        terms: whole.program.terms.clone(),
        copies: Vec::new(),
        numbers: FxHashMap::default(),
    };
    refiner.number(Copy { cut: 0, bits: Vec::new() });
    let mut cuts = Vec::new();
    while let Some(copy) = refiner.copies.get(cuts.len()).cloned() {
        cuts.push(refiner.cut(&copy));
        if refiner.copies.len() > MAX_COPIES || refiner.terms.len() > limit {
            return None;
        }
    }
    let Refiner { terms, copies, .. } = refiner;
    let is_defined = |cut: &Cut| cut.blocks.iter().any(|block| !block.defined.is_empty());
    if copies.len() <= whole.cuts.len() && !cuts.iter().any(is_defined) {
        return None;
    }
    let copy_of = |&cut: &CutId| copies.iter().position(|copy| copy.cut == cut);
    let errors = whole.errors.iter().map(|error| error.as_ref().and_then(copy_of)).collect();
    let mut blocks = Blocks { cuts, errors, ..whole.clone() };
    blocks.program.terms = terms;
    Some(Refined { blocks, origins: copies })
}

/// The bits among the variables of a cut point; none if there are too many.
fn bits_of(blocks: &Blocks, cut: &Cut) -> Vec<VariableId> {
    let is_bit = |variable: &VariableId| {
        blocks.program.terms.sort(blocks.program.term_of(*variable)) == Sort::BOOL
    };
    let bits: Vec<VariableId> = cut.live.iter().copied().filter(is_bit).collect();
    if bits.len() <= MAX_BITS { bits } else { Vec::new() }
}

struct Refiner<'a> {
    whole: &'a Blocks,
    terms: Terms,
    copies: Vec<Copy>,
    numbers: FxHashMap<Copy, CutId>,
}

impl Refiner<'_> {
    fn number(&mut self, copy: Copy) -> CutId {
        let next = self.copies.len();
        let number = *self.numbers.entry(copy.clone()).or_insert(next);
        if number == next {
            self.copies.push(copy);
        }
        number
    }

    /// A copy of a cut point, with its blocks.
    fn cut(&mut self, copy: &Copy) -> Cut {
        let whole = self.whole;
        let cut = &whole.cuts[copy.cut];
        let mut values = Rewriter::new();
        for &(bit, value) in &copy.bits {
            let value = self.terms.bool(value);
            values.replace(whole.program.term_of(bit), value);
        }
        let mut blocks = Vec::new();
        for block in &cut.blocks {
            let guard = values.rewrite(&mut self.terms, block.guard);
            let new: Vec<TermId> =
                block.values.iter().map(|&v| values.rewrite(&mut self.terms, v)).collect();
            // Inputs that are new values as they are: only the guard says what these are. Of what
            // calls return, so do their summaries (*required for soundness*).
            let is_input = |term: &&TermId| cut.inputs.binary_search(term).is_ok();
            let wanted = new.iter().filter(is_input).filter(|_| cut.returns.is_empty());
            let mut wanted: Vec<TermId> = wanted.copied().collect();
            wanted.sort_unstable();
            let first = blocks.len();
            for guard in equations::cases(&mut self.terms, &wanted, guard) {
                self.split_block(block, guard, &new, &mut blocks);
            }
            for block in &mut blocks[first..] {
                equations::solve(&mut self.terms, &wanted, block);
            }
        }
        blocks.retain(|block| !self.terms.is_bool(block.guard, false));
        let is_given = |variable: &VariableId| copy.bits.iter().any(|(bit, _)| bit == variable);
        let live = cut.live.iter().copied().filter(|variable| !is_given(variable)).collect();
        let mut returns = cut.returns.clone();
        for call in &mut returns {
            call.exit = self.number(Copy { cut: call.exit, bits: Vec::new() });
            for term in call.values.iter_mut().chain([&mut call.condition]) {
                *term = values.rewrite(&mut self.terms, *term);
            }
        }
        Cut { live, blocks, returns, ..cut.clone() }
    }

    /// A block for each copy of its target that it can lead to. Bits that are inputs are fixed
    /// where they are used, so that what contradicts them goes away.
    fn split_block(&mut self, block: &Block, guard: TermId, new: &[TermId], out: &mut Vec<Block>) {
        let target = &self.whole.cuts[block.to];
        let is_end = self.is_end(block.to);
        let bits = if is_end { Vec::new() } else { bits_of(self.whole, target) };
        let position = |bit: &VariableId| target.live.binary_search(bit).expect("it is live");
        // For each copy its bits so far, the guard and the values.
        let mut open: Vec<(Bits, TermId, Vec<TermId>)> = vec![(Vec::new(), guard, new.to_vec())];
        for bit in &bits {
            let mut next = Vec::new();
            for (known, guard, new) in open {
                for value in [false, true] {
                    let (guard, new) = self.with_bit(guard, &new, new[position(bit)], value);
                    if !self.terms.is_bool(guard, false) {
                        let known = known.iter().copied().chain([(*bit, value)]).collect();
                        next.push((known, guard, new));
                    }
                }
            }
            open = next;
        }
        for (bits_of_copy, guard, new) in open {
            if self.terms.is_bool(guard, false) {
                continue;
            }
            let to = self.number(Copy { cut: block.to, bits: bits_of_copy });
            let kept = target.live.iter().zip(new).filter(|(variable, _)| !bits.contains(variable));
            let values = kept.map(|(_, value)| value).collect();
            out.push(Block { to, guard, values, ..block.clone() });
        }
    }

    /// Error places and exits of procedures are whole: others speak of them as they are.
    fn is_end(&self, cut: CutId) -> bool {
        let mut calls = self.whole.cuts.iter().flat_map(|cut| &cut.returns);
        self.whole.errors.contains(&Some(cut)) || calls.any(|call| call.exit == cut)
    }

    /// Guard and values where a bit's new value, which is a term, is this one. If the term is a
    /// symbol it is put in everywhere; the guard still asks for it, since runs need all inputs.
    fn with_bit(
        &mut self,
        guard: TermId,
        new: &[TermId],
        term: TermId,
        value: bool,
    ) -> (TermId, Vec<TermId>) {
        let is_so = match value {
            true => term,
            false => self.terms.simplified(Term::Unary(UnaryOp::Not, term)),
        };
        let (symbol, is_negated) = match *self.terms.get(term) {
            Term::Unary(UnaryOp::Not, inner) => (inner, true),
            _ => (term, false),
        };
        if self.terms.symbol_of(symbol).is_none() {
            return (self.terms.and(guard, is_so), new.to_vec());
        }
        let mut rewriter = Rewriter::new();
        let given = self.terms.bool(value != is_negated);
        rewriter.replace(symbol, given);
        let guard = rewriter.rewrite(&mut self.terms, guard);
        let guard = self.terms.and(guard, is_so);
        let new = new.iter().map(|&v| rewriter.rewrite(&mut self.terms, v)).collect();
        (guard, new)
    }
}

impl Refined {
    /// The bits of a cut point that its copy has given values to.
    pub fn bits(&self, cut: CutId) -> &[(VariableId, bool)] {
        &self.origins[cut].bits
    }

    /// The proof in terms of the whole blocks that a proof about the copies stands for.
    pub fn proof(&self, whole: &Blocks, proof: CutProof) -> CutProof {
        let CutProof { properties, mut terms, invariants, k } = proof;
        let mut joined: Vec<Vec<TermId>> = vec![Vec::new(); whole.cuts.len()];
        let mut reached: Vec<Option<TermId>> = vec![None; whole.cuts.len()];
        for (copy, invariant) in self.origins.iter().zip(invariants) {
            let mut here = terms.bool(true);
            for &(bit, value) in &copy.bits {
                let bit = whole.program.term_of(bit);
                let is_so = if value { bit } else { terms.not(bit) };
                here = terms.and(here, is_so);
            }
            let elsewhere = terms.not(here);
            let conditions = invariant.into_iter().map(|term| terms.or(elsewhere, term));
            joined[copy.cut].extend(conditions);
            let before = reached[copy.cut].unwrap_or_else(|| terms.bool(false));
            reached[copy.cut] = Some(terms.or(before, here));
        }
        for (cut, reached) in reached.into_iter().enumerate() {
            // A cut point without copies is reached by no run.
            joined[cut].push(reached.unwrap_or_else(|| terms.bool(false)));
        }
        CutProof { properties, terms, invariants: joined, k }
    }
}
