//! Comparisons of sums, in a form that is easy for a SAT solver.
//!
//! That `y ≤ 100·x` gives `y + 100 ≤ 100·(x + 1)` is plain to anyone who can calculate, and a
//! hard question about two multipliers to a SAT solver. [`normalise`] calculates: a comparison
//! whose sides are sums, multiples and choices becomes a choice between comparisons `a·x ≤ b` (or
//! `a·x ≡ b` modulo the width), each in one form only. In the example both become the same
//! term, and nothing is left to ask.
//!
//! Inequalities are about exact integers. Where a sum may wrap, that is one more case: the sum
//! less `2^w`, under the condition that it wraps. Equalities are modulo `2^w`, where nothing
//! does. What is not understood is a variable, and what has too many cases stays as it is.
//!
//! Word-level PDR asks its questions in this form, and so does the check of its proofs: like
//! [`crate::blast`] this belongs to what both trust. The tests compare with evaluation for all
//! values.

mod build;
mod cases;
mod form;

use crate::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
pub use build::gcd;
use build::{at_most, divides, plain_at_most};
use cases::{Cases, Reader, Reading};
use form::Form;
use rustc_hash::FxHashMap;

/// An equivalent one-bit term, in which comparisons have their normal form.
///
/// # Panics
/// If the term is no bit.
pub fn normalise(terms: &mut Terms, root: TermId) -> TermId {
    normalise_all(terms, &[root])[0]
}

/// The same of several terms, which share what they have in common.
///
/// # Panics
/// If one of them is no bit.
pub fn normalise_all(terms: &mut Terms, roots: &[TermId]) -> Vec<TermId> {
    let mut reader = Reader::new(terms);
    let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut stack = roots.to_vec();
    while let Some(&id) = stack.last() {
        if image.contains_key(&id) {
            stack.pop();
            continue;
        }
        assert_eq!(reader.terms.sort(id), Sort::BOOL, "a condition");
        let term = reader.terms.get(id).clone();
        let made = if !is_connective(reader.terms, &term) {
            reader.begin();
            comparison(&mut reader, &term).unwrap_or(id)
        } else {
            let before = stack.len();
            stack.extend(term.args().filter(|arg| !image.contains_key(arg)));
            if stack.len() > before {
                continue;
            }
            reader.terms.add(term.with_args(|arg| image[&arg])).expect("bits stay bits")
        };
        image.insert(id, made);
        stack.pop();
    }
    roots.iter().map(|root| image[root]).collect()
}

/// Whether the term is made of bits by a propositional operator.
fn is_connective(terms: &Terms, term: &Term) -> bool {
    use BinaryOp::*;
    let is_bit = |id: TermId| terms.sort(id) == Sort::BOOL;
    match *term {
        Term::Unary(UnaryOp::Not, a) => is_bit(a),
        Term::Binary(op, a, _) => {
            let propositional =
                matches!(op, Iff | Implies | Eq | Neq | And | Nand | Nor | Or | Xnor | Xor);
            propositional && is_bit(a)
        }
        Term::Ite(_, t, _) => is_bit(t),
        _ => false,
    }
}

/// `Σ a·x ≤ b` of exact integers. Each `x` is a word that is read with sign, or without.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inequality {
    /// The words, each with whether it has a sign, and their factors; none is zero.
    pub products: Vec<((TermId, bool), i128)>,
    /// The bound.
    pub bound: i128,
}

impl Inequality {
    /// `¬(s ≤ b)`, that is `−s ≤ −b − 1`; `None` if numbers become too large.
    pub fn negated(&self) -> Option<Inequality> {
        let products = self.products.iter().map(|&(x, a)| Some((x, a.checked_neg()?)));
        let bound = self.bound.checked_neg()?.checked_sub(1)?;
        Some(Inequality { products: products.collect::<Option<_>>()?, bound })
    }
}

/// What a comparison of words says, if that is one inequality. `None` if its sums may wrap, and for
/// equations.
pub fn inequality(terms: &mut Terms, comparison: TermId) -> Option<Inequality> {
    let Term::Binary(op, a, b) = *terms.get(comparison) else { return None };
    let Sort::Bv(_) = terms.sort(a) else { return None };
    let mut reader = Reader::new(terms);
    reader.begin();
    let (difference, limit) = order(&mut reader, op, a, b)?;
    let mut cases = difference.iter();
    let (path, form) = cases.next()?;
    if !path.is_empty() || cases.next().is_some() {
        return None;
    }
    let bound = limit.checked_sub(form.constant)?;
    Some(Inequality { products: form.products.clone(), bound })
}

/// A case of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Where it applies: conditions, each true or false.
    pub path: Vec<(TermId, bool)>,
    /// What the comparison is there, a comparison of words and sums that do not wrap.
    pub comparison: TermId,
}

/// The case of a comparison that applies where conditions are as `truth` says: which of its sums
/// wrap. `None` if there is only one case, too many of them, and for equations.
pub fn case_of(
    terms: &mut Terms,
    comparison: TermId,
    truth: impl Fn(&Terms, TermId) -> bool,
) -> Option<Case> {
    let Term::Binary(op, a, b) = *terms.get(comparison) else { return None };
    let Sort::Bv(_) = terms.sort(a) else { return None };
    let mut reader = Reader::new(terms);
    reader.begin();
    let (difference, limit) = order(&mut reader, op, a, b)?;
    let applies =
        |path: &[(TermId, bool)]| path.iter().all(|&(term, holds)| truth(terms, term) == holds);
    if difference.iter().count() == 1 {
        return None;
    }
    let (path, form) = difference.iter().find(|(path, _)| applies(path))?.clone();
    let comparison = plain_at_most(terms, &form, limit)?;
    Some(Case { path, comparison })
}

/// A comparison in normal form; `None` if the term is none, or has too many cases.
fn comparison(reader: &mut Reader<'_>, term: &Term) -> Option<TermId> {
    use BinaryOp::*;
    let Term::Binary(op, a, b) = *term else { return None };
    let Sort::Bv(width) = reader.terms.sort(a) else { return None };
    if matches!(op, Eq | Neq) {
        let how = Reading::Modulo(width);
        let (left, right) = (reader.read(a, how)?, reader.read(b, how)?);
        let difference = reader.plus(&left, &right, -1)?;
        let terms = &mut *reader.terms;
        let equal = choice(terms, &difference, |terms, form| divides(terms, form, width))?;
        return Some(if op == Eq { equal } else { terms.not(equal) });
    }
    let (difference, limit) = order(reader, op, a, b)?;
    choice(reader.terms, &difference, |terms, form| at_most(terms, form, limit))
}

/// `a op b` as `difference ≤ limit`, if the operator compares by size.
fn order(reader: &mut Reader<'_>, op: BinaryOp, a: TermId, b: TermId) -> Option<(Cases, i128)> {
    use BinaryOp::*;
    let signed = matches!(op, Slt | Slte | Sgt | Sgte);
    let (less, greater, limit) = match op {
        Slte | Ulte => (a, b, 0),
        Slt | Ult => (a, b, -1),
        Sgte | Ugte => (b, a, 0),
        Sgt | Ugt => (b, a, -1),
        _ => return None,
    };
    let how = Reading::Exact { signed };
    let (left, right) = (reader.read(less, how)?, reader.read(greater, how)?);
    Some((reader.plus(&left, &right, -1)?, limit))
}

/// The term that is, in each case, what the case's form is made into.
fn choice(
    terms: &mut Terms,
    cases: &Cases,
    mut leaf: impl FnMut(&mut Terms, &Form) -> Option<TermId>,
) -> Option<TermId> {
    let mut made: Option<TermId> = None;
    // One case holds at a time, and some always does: the last needs no condition.
    for (path, form) in cases.iter().rev() {
        let value = leaf(terms, form)?;
        made = Some(match made {
            None => value,
            Some(others) if others == value => value,
            Some(others) => {
                let mut chosen = value;
                for &(condition, holds) in path.iter().rev() {
                    chosen = match holds {
                        true => terms.ite(condition, chosen, others),
                        false => terms.ite(condition, others, chosen),
                    };
                }
                chosen
            }
        });
    }
    made
}

#[cfg(test)]
mod tests;
