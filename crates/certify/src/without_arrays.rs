//! Formulas without arrays, which follow from formulas with arrays: if these can be true, so can
//! those. What is shown to be unsatisfiable here is so there.
//!
//! A read goes through writes, choices and constant arrays down to the symbols of arrays:
//!
//! ```text
//! write(X, b, v)[i] = ite(i = b, v, X[i])       const(v)[i] = v
//! ite(c, X, Y)[i]   = ite(c, X[i], Y[i])
//! ```
//!
//! A read of a symbol is a new word, and two of them of one symbol are equal if their indices are
//! (Ackermann). A comparison `X = Y` of arrays is a new bit `q` with a new index `d`:
//!
//! ```text
//! q ∨ X[d] ≠ Y[d]          q → X[i] = Y[i]  for all indices i that the formulas mention
//! ```
//!
//! A fact `A = X` about a symbol is not a comparison: `X` replaces `A`.
//!
//! Without comparisons the formulas are satisfiable together or not at all; with comparisons these
//! instances may be too few.

use pedra_model::blast::{BlastError, BlastOptions, Blaster};
use pedra_model::simplify::Rewriter;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Formulas whose arrays were taken away.
pub(crate) struct WithoutArrays {
    /// The store, with what stands for the formulas.
    pub(crate) terms: Terms,
    /// One-bit terms that hold wherever the formulas have a meaning.
    pub(crate) facts: Vec<TermId>,
    /// Whether arrays are compared: then something satisfiable may not be so with arrays.
    pub(crate) has_comparisons: bool,
    images: FxHashMap<TermId, TermId>,
}

impl WithoutArrays {
    /// Takes the arrays out of facts and goals: one-bit terms of which the facts are true.
    pub(crate) fn new(terms: &Terms, facts: &[TermId], goals: &[TermId]) -> WithoutArrays {
        let mut terms = terms.clone();
        let mut rewriter = definitions(&mut terms, facts);
        let given = facts.iter().chain(goals).copied();
        let given: Vec<(TermId, TermId)> =
            given.map(|formula| (formula, rewriter.rewrite(&mut terms, formula))).collect();
        let mut free = WithoutArrays::without_definitions(&terms, given.iter().map(|pair| pair.1));
        let images = given.iter().map(|&(formula, image)| (formula, free.images[&image]));
        free.images = images.collect();
        free
    }

    /// The same if one of the arrays is too large to be expanded.
    pub(crate) fn if_large(
        terms: &Terms,
        facts: &[TermId],
        blasting: &BlastOptions,
    ) -> Option<WithoutArrays> {
        let cone = terms.cone(facts.iter().copied());
        let is_large = |id: TermId| cone[id.index()] && !blasting.expands(terms.sort(id));
        let has_large = terms.iter().any(|(id, _)| is_large(id));
        has_large.then(|| WithoutArrays::new(terms, facts, &[]))
    }

    /// All that holds if these of the facts do.
    pub(crate) fn formulas(&self, facts: &[TermId]) -> Vec<TermId> {
        let images = facts.iter().map(|&fact| self.of(fact));
        images.chain(self.facts.iter().copied()).collect()
    }

    fn without_definitions(
        terms: &Terms,
        formulas: impl IntoIterator<Item = TermId>,
    ) -> WithoutArrays {
        let mut eliminator = Eliminator {
            terms: terms.clone(),
            images: FxHashMap::default(),
            values: FxHashMap::default(),
            reads: FxHashMap::default(),
            comparisons: Vec::new(),
            facts: Vec::new(),
        };
        let cone = terms.cone(formulas);
        for id in (0..cone.len()).filter(|&i| cone[i]).map(TermId::new) {
            if !terms.sort(id).is_array() {
                let image = eliminator.image(id);
                eliminator.images.insert(id, image);
            }
        }
        let has_comparisons = !eliminator.comparisons.is_empty();
        eliminator.add_comparisons(&indices(terms, &cone));
        eliminator.add_consistency();
        let Eliminator { terms, images, facts, .. } = eliminator;
        WithoutArrays { terms, facts, has_comparisons, images }
    }

    /// A blaster that knows the symbols of the formulas and facts.
    pub(crate) fn blaster(&self, blasting: &BlastOptions) -> Result<Blaster, BlastError> {
        let roots = self.facts.iter().chain(self.images.values()).copied();
        blaster_for(&self.terms, roots, blasting)
    }

    /// What stands for one of the formulas.
    pub(crate) fn of(&self, formula: TermId) -> TermId {
        self.images[&formula]
    }
}

/// A blaster in which the symbols of these terms have leaves.
pub(crate) fn blaster_for(
    terms: &Terms,
    roots: impl IntoIterator<Item = TermId>,
    blasting: &BlastOptions,
) -> Result<Blaster, BlastError> {
    let cone = terms.cone(roots);
    let mut blaster = Blaster::new(blasting);
    for id in (0..cone.len()).filter(|&i| cone[i]).map(TermId::new) {
        if terms.symbol_of(id).is_some() {
            blaster.bind_leaves(terms, id)?;
        }
    }
    Ok(blaster)
}

/// Facts `A = X` about a symbol `A` say what `A` is: it is replaced by `X` everywhere, unless `X`
/// mentions `A` itself, in whatever way.
fn definitions(terms: &mut Terms, facts: &[TermId]) -> Rewriter {
    let mut waiting: Vec<(TermId, TermId)> = Vec::new();
    for &fact in facts {
        let Term::Binary(BinaryOp::Eq, a, b) = *terms.get(fact) else { continue };
        let is_new = |symbol: TermId| {
            terms.symbol_of(symbol).is_some() && waiting.iter().all(|(known, _)| *known != symbol)
        };
        match terms.sort(a).is_array() {
            true if is_new(a) => waiting.push((a, b)),
            true if is_new(b) => waiting.push((b, a)),
            _ => {}
        }
    }
    let mut rewriter = Rewriter::new();
    loop {
        // One that mentions no other that waits.
        let next = waiting.iter().position(|&(_, value)| {
            let cone = terms.cone([value]);
            waiting.iter().all(|(symbol, _)| !cone[symbol.index()])
        });
        let Some(next) = next else { return rewriter };
        let (symbol, value) = waiting.swap_remove(next);
        let value = rewriter.rewrite(terms, value);
        rewriter.replace(symbol, value);
    }
}

/// The indices at which arrays are read or written.
fn indices(terms: &Terms, cone: &[bool]) -> Vec<TermId> {
    let mut found = FxHashSet::default();
    for (_, term) in terms.iter().filter(|(id, _)| cone.get(id.index()) == Some(&true)) {
        match *term {
            Term::Read(_, at) | Term::Write(_, at, _) => {
                found.insert(at);
            }
            _ => {}
        }
    }
    let mut found: Vec<TermId> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// `X = Y`.
struct Comparison {
    bit: TermId,
    index: TermId,
    arrays: [TermId; 2],
}

struct Eliminator {
    terms: Terms,
    /// What stands for terms that are no arrays.
    images: FxHashMap<TermId, TermId>,
    /// Elements of arrays.
    values: FxHashMap<(TermId, TermId), TermId>,
    /// For each symbol of an array where it is read, and what is read there.
    reads: FxHashMap<TermId, Vec<(TermId, TermId)>>,
    comparisons: Vec<Comparison>,
    facts: Vec<TermId>,
}

impl Eliminator {
    /// What stands for a term; that of its arguments is known.
    fn image(&mut self, id: TermId) -> TermId {
        match *self.terms.get(id) {
            Term::Symbol(_) => id,
            Term::Read(array, at) => {
                let at = self.images[&at];
                self.value(array, at)
            }
            Term::Binary(op @ (BinaryOp::Eq | BinaryOp::Neq), a, b)
                if self.terms.sort(a).is_array() =>
            {
                let Sort::Array { index, .. } = self.terms.sort(a) else { unreachable!("arrays") };
                let bit = self.terms.new_symbol(Sort::BOOL);
                let index = self.terms.new_symbol(index.into());
                self.comparisons.push(Comparison { bit, index, arrays: [a, b] });
                if op == BinaryOp::Eq { bit } else { self.terms.not(bit) }
            }
            ref term => {
                let term = term.with_args(|arg| self.images[&arg]);
                self.terms.simplified(term)
            }
        }
    }

    /// The element of an array at an index that has no arrays in it.
    fn value(&mut self, array: TermId, at: TermId) -> TermId {
        let mut stack = match self.values.get(&(array, at)) {
            Some(&value) => return value,
            None => vec![array],
        };
        while let Some(&id) = stack.last() {
            let term = self.terms.get(id).clone();
            let inner: Vec<TermId> = match term {
                Term::Write(inner, ..) => vec![inner],
                Term::Ite(_, t, e) => vec![t, e],
                _ => Vec::new(),
            };
            let missing = inner.iter().find(|&&array| !self.values.contains_key(&(array, at)));
            if let Some(&missing) = missing {
                stack.push(missing);
                continue;
            }
            stack.pop();
            let below: Vec<TermId> = inner.iter().map(|&array| self.values[&(array, at)]).collect();
            let value = match term {
                Term::Symbol(_) => self.read(id, at),
                Term::ConstArray { value, .. } => self.images[&value],
                Term::Write(_, place, value) => {
                    let (place, value) = (self.images[&place], self.images[&value]);
                    let hit = self.equal(at, place);
                    self.terms.simplified(Term::Ite(hit, value, below[0]))
                }
                Term::Ite(c, ..) => {
                    let c = self.images[&c];
                    self.terms.simplified(Term::Ite(c, below[0], below[1]))
                }
                _ => unreachable!("no other term is an array"),
            };
            self.values.insert((id, at), value);
        }
        self.values[&(array, at)]
    }

    fn read(&mut self, symbol: TermId, at: TermId) -> TermId {
        let known = self.reads.get(&symbol).into_iter().flatten();
        if let Some((_, value)) = known.into_iter().find(|(place, _)| *place == at) {
            return *value;
        }
        let element = self.terms.sort(symbol).element().expect("an array");
        let value = self.terms.new_symbol(element);
        self.reads.entry(symbol).or_default().push((at, value));
        value
    }

    fn equal(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.simplified(Term::Binary(BinaryOp::Eq, a, b))
    }

    /// `q ∨ X[d] ≠ Y[d]`, and `q → X[i] = Y[i]` at all indices.
    fn add_comparisons(&mut self, indices: &[TermId]) {
        let comparisons = std::mem::take(&mut self.comparisons);
        let mut places: Vec<TermId> = indices.iter().map(|index| self.images[index]).collect();
        places.extend(comparisons.iter().map(|c| c.index));
        places.sort_unstable();
        places.dedup();
        for Comparison { bit, index, arrays } in comparisons {
            for &place in &places {
                if self.terms.sort(place) != self.terms.sort(index) {
                    continue;
                }
                let [left, right] = arrays.map(|array| self.value(array, place));
                let equal = self.equal(left, right);
                let (not, differ) = (self.terms.not(bit), self.terms.not(equal));
                let fact = self.terms.or(not, equal);
                self.facts.push(fact);
                if place == index {
                    let fact = self.terms.or(bit, differ);
                    self.facts.push(fact);
                }
            }
        }
    }

    /// `i ≠ j ∨ A[i] = A[j]`
    fn add_consistency(&mut self) {
        let mut symbols: Vec<TermId> = self.reads.keys().copied().collect();
        symbols.sort_unstable();
        for symbol in symbols {
            let reads = self.reads[&symbol].clone();
            for (number, &(at, value)) in reads.iter().enumerate() {
                for &(other, other_value) in &reads[..number] {
                    let same = self.equal(at, other);
                    if self.terms.is_bool(same, false) {
                        continue;
                    }
                    let (apart, equal) = (self.terms.not(same), self.equal(value, other_value));
                    let fact = self.terms.or(apart, equal);
                    self.facts.push(fact);
                }
            }
        }
    }
}
