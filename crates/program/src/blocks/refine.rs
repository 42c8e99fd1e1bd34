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
//!   has the blocks that its values leave possible;
//! - then it is split by the values of its numbers that only ever have a few (`values`).
//!
//! Proofs are put together again by [`Refined::proof`]: a copy's invariant holds where the variables
//! have the copy's values, and no other values are reached. Runs need the values of defined inputs
//! besides; all else is the same, since copies of a cut point have its place and its inputs.

use super::equations;
use super::values::{Domain, controls, domains, equals};
use super::{Block, Blocks, Cut, CutId, CutProof};
use crate::graph::VariableId;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
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

/// Variables with their values, which are constants.
pub type Values = Vec<(VariableId, TermId)>;

/// A cut point some of whose variables have given values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Copy {
    cut: CutId,
    values: Values,
}

/// Refines blocks; `None` if there is nothing to gain, or too much to split.
pub fn refine(whole: &Blocks) -> Option<Refined> {
    let limit = whole.program.terms.len() * MAX_GROWTH;
    let mut whole = whole.clone();
    let bits = bits(&mut whole);
    let by_bits = split(&whole, &bits, limit);
    let blocks = by_bits.as_ref().map_or(&whole, |refined| &refined.blocks);
    let domains = domains(blocks);
    let mut controls = controls(blocks, &domains);
    // Heuristic: if there are too many copies, fewer variables are control.
    while !controls.is_empty() {
        let chosen = chosen(blocks, &domains, &controls);
        if let Some(by_values) = split(blocks, &chosen, limit) {
            return Some(match by_bits {
                Some(by_bits) => by_values.after(&by_bits),
                None => by_values,
            });
        }
        controls.truncate(controls.len() / 2);
    }
    by_bits
}

/// What a cut point is split by: variables with all values that they may have.
type Splits = Vec<Vec<(VariableId, Vec<TermId>)>>;

/// Splits by the given variables of each cut point; `None` if there is nothing to gain, or too much
/// to split.
fn split(whole: &Blocks, splits: &Splits, limit: usize) -> Option<Refined> {
    let mut refiner = Refiner {
        whole,
        splits,
        terms: whole.program.terms.clone(),
        copies: Vec::new(),
        numbers: FxHashMap::default(),
    };
    refiner.number(Copy { cut: 0, values: Vec::new() });
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

/// The bits of each cut point; none if there are too many.
fn bits(blocks: &mut Blocks) -> Splits {
    let both = [false, true].map(|value| blocks.program.terms.bool(value)).to_vec();
    let terms = &blocks.program.terms;
    let is_bit = |v: &VariableId| terms.sort(blocks.program.term_of(*v)) == Sort::BOOL;
    let of = |cut: &Cut| {
        let bits = cut.live.iter().copied().filter(is_bit);
        let bits: Vec<_> = bits.map(|bit| (bit, both.clone())).collect();
        if bits.len() <= MAX_BITS { bits } else { Vec::new() }
    };
    blocks.cuts.iter().map(of).collect()
}

/// The chosen variables of each cut point, where they have few values.
fn chosen(blocks: &Blocks, domains: &[Domain], controls: &[VariableId]) -> Splits {
    let of = |(cut, domains): (&Cut, &Domain)| {
        let chosen = cut.live.iter().filter(|variable| controls.contains(variable));
        let values = |v: &VariableId| Some((*v, domains.get(v)?.iter().copied().collect()));
        chosen.filter_map(values).collect()
    };
    blocks.cuts.iter().zip(domains).map(of).collect()
}

struct Refiner<'a> {
    whole: &'a Blocks,
    splits: &'a Splits,
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
        for &(variable, value) in &copy.values {
            values.replace(whole.program.term_of(variable), value);
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
                for (_, term) in &mut block.defined {
                    *term = values.rewrite(&mut self.terms, *term);
                }
                equations::solve(&mut self.terms, &wanted, block);
            }
        }
        blocks.retain(|block| !self.terms.is_bool(block.guard, false));
        let is_given = |variable: &VariableId| copy.values.iter().any(|(v, _)| v == variable);
        let live = cut.live.iter().copied().filter(|variable| !is_given(variable)).collect();
        let mut returns = cut.returns.clone();
        for call in &mut returns {
            call.exit = self.number(Copy { cut: call.exit, values: Vec::new() });
            for term in call.values.iter_mut().chain([&mut call.condition]) {
                *term = values.rewrite(&mut self.terms, *term);
            }
        }
        Cut { live, blocks, returns, ..cut.clone() }
    }

    /// A block for each copy of its target that it can lead to. Inputs that are new values are fixed
    /// where they are used, so that what contradicts them goes away.
    fn split_block(&mut self, block: &Block, guard: TermId, new: &[TermId], out: &mut Vec<Block>) {
        let target = &self.whole.cuts[block.to];
        let is_end = self.is_end(block.to);
        let splits: &[(VariableId, Vec<TermId>)] =
            if is_end { &[] } else { &self.splits[block.to] };
        let position = |v: &VariableId| target.live.binary_search(v).expect("it is live");
        // For each copy its values so far, the guard and the values.
        let mut open: Vec<(Values, TermId, Vec<TermId>)> = vec![(Vec::new(), guard, new.to_vec())];
        for (variable, domain) in splits {
            let mut next = Vec::new();
            for (known, guard, new) in open {
                for &value in domain {
                    let (guard, new) = self.with_value(guard, &new, new[position(variable)], value);
                    if !self.terms.is_bool(guard, false) {
                        let known = known.iter().copied().chain([(*variable, value)]).collect();
                        next.push((known, guard, new));
                    }
                }
            }
            open = next;
        }
        for (values_of_copy, guard, new) in open {
            if self.terms.is_bool(guard, false) {
                continue;
            }
            let to = self.number(Copy { cut: block.to, values: values_of_copy });
            let is_split = |variable: &VariableId| splits.iter().any(|(v, _)| v == variable);
            let kept = target.live.iter().zip(new).filter(|(variable, _)| !is_split(variable));
            let values = kept.map(|(_, value)| value).collect();
            out.push(Block { to, guard, values, ..block.clone() });
        }
    }

    /// Error places and exits of procedures are whole: others speak of them as they are.
    fn is_end(&self, cut: CutId) -> bool {
        let mut calls = self.whole.cuts.iter().flat_map(|cut| &cut.returns);
        self.whole.errors.contains(&Some(cut)) || calls.any(|call| call.exit == cut)
    }

    /// Guard and values where a variable's new value, which is a term, is this one. If the term is a
    /// symbol it is put in everywhere; the guard still asks for it, since runs need all inputs.
    fn with_value(
        &mut self,
        guard: TermId,
        new: &[TermId],
        term: TermId,
        value: TermId,
    ) -> (TermId, Vec<TermId>) {
        let is_so = match self.terms.sort(term) == Sort::BOOL {
            true if self.terms.is_bool(value, true) => term,
            true => self.terms.simplified(Term::Unary(UnaryOp::Not, term)),
            false => equals(&mut self.terms, term, value),
        };
        let (symbol, is_negated) = match *self.terms.get(term) {
            Term::Unary(UnaryOp::Not, inner) => (inner, true),
            _ => (term, false),
        };
        if self.terms.symbol_of(symbol).is_none() {
            return (self.terms.and(guard, is_so), new.to_vec());
        }
        let mut rewriter = Rewriter::new();
        let given = if is_negated { self.terms.not(value) } else { value };
        rewriter.replace(symbol, given);
        let guard = rewriter.rewrite(&mut self.terms, guard);
        let guard = self.terms.and(guard, is_so);
        let new = new.iter().map(|&v| rewriter.rewrite(&mut self.terms, v)).collect();
        (guard, new)
    }
}

impl Refined {
    /// The variables of a cut point to which its copy has given values.
    pub fn given(&self, cut: CutId) -> &[(VariableId, TermId)] {
        &self.origins[cut].values
    }

    /// Blocks that were refined twice, in terms of those before the first time.
    fn after(self, first: &Refined) -> Refined {
        let origin = |copy: Copy| {
            let Copy { cut, values } = first.origins[copy.cut].clone();
            Copy { cut, values: values.into_iter().chain(copy.values).collect() }
        };
        Refined { origins: self.origins.into_iter().map(origin).collect(), ..self }
    }

    /// The proof in terms of the whole blocks that a proof about the copies stands for.
    pub fn proof(&self, whole: &Blocks, proof: CutProof) -> CutProof {
        let CutProof { properties, mut terms, invariants, k } = proof;
        let mut joined: Vec<Vec<TermId>> = vec![Vec::new(); whole.cuts.len()];
        let mut reached: Vec<Option<TermId>> = vec![None; whole.cuts.len()];
        for (copy, invariant) in self.origins.iter().zip(invariants) {
            let mut here = terms.bool(true);
            for &(variable, value) in &copy.values {
                let variable = whole.program.term_of(variable);
                let is_so = terms.simplified(Term::Binary(BinaryOp::Eq, variable, value));
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
