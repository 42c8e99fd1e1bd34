//! Predicates: conditions over the variables, as the literals of cubes.
//!
//! A cube is a conjunction of literals, as in PDR over bits; a literal is a predicate or its
//! negation. Predicates have a normal form, so that the same condition is the same literal:
//! comparisons of words are `=`, `≤` (unsigned) and `≤` (signed), those of integers are
//! `Σ aᵢ·xᵢ ≤ k` with coprime factors, of which the first is positive.

use super::linear::Forms;
use crate::trace::{Cover, is_subset};
use pedra_model::affine::{Inequality, inequality};
use pedra_model::lit::{Lit, Var};
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;

/// The table of predicates.
pub(super) struct Predicates {
    /// By variable of literals; the first is none.
    terms: Vec<TermId>,
    /// What each says as one inequality of words, if it does.
    inequalities: Vec<Option<Inequality>>,
    known: FxHashMap<TermId, Lit>,
    pub(super) forms: Forms,
}

impl Predicates {
    pub(super) fn new(terms: &mut Terms) -> Predicates {
        let always = terms.bool(true);
        let (terms, inequalities) = (vec![always], vec![None]);
        Predicates { terms, inequalities, known: FxHashMap::default(), forms: Forms::default() }
    }

    /// The condition that a literal stands for.
    pub(super) fn term(&self, terms: &mut Terms, lit: Lit) -> TermId {
        let predicate = self.terms[lit.var().index()];
        match lit.is_negated() {
            true => terms.simplified(Term::Unary(UnaryOp::Not, predicate)),
            false => predicate,
        }
    }

    /// The predicate of a literal, whatever its sign.
    pub(super) fn predicate(&self, lit: Lit) -> TermId {
        self.terms[lit.var().index()]
    }

    /// What a literal says as one inequality of words, if it does.
    pub(super) fn inequality(&self, lit: Lit) -> Option<Inequality> {
        let found = self.inequalities[lit.var().index()].as_ref()?;
        if lit.is_negated() { found.negated() } else { Some(found.clone()) }
    }

    /// Whether a condition that has no literal holds.
    pub(super) fn constant(&mut self, terms: &mut Terms, term: TermId) -> Option<bool> {
        let (predicate, flipped) = self.normal(terms, term);
        terms.as_constant(predicate).map(|value| value.is_true() != flipped)
    }

    /// The predicates of a cube.
    pub(super) fn terms_of<'a>(&'a self, set: &'a [Lit]) -> impl Iterator<Item = TermId> + 'a {
        set.iter().map(|lit| self.terms[lit.var().index()])
    }

    /// `¬c`: one of the literals of a cube does not hold.
    pub(super) fn clause(&self, terms: &mut Terms, cube: &[Lit]) -> TermId {
        let mut clause = terms.bool(false);
        for &lit in cube {
            let other = self.term(terms, !lit);
            clause = terms.or(clause, other);
        }
        clause
    }

    /// The literal of a condition, or of its negation. `None` if it is a constant.
    pub(super) fn literal(&mut self, terms: &mut Terms, term: TermId, holds: bool) -> Option<Lit> {
        if let Some(&lit) = self.known.get(&term) {
            return Some(lit ^ !holds);
        }
        let (predicate, flipped) = self.normal(terms, term);
        if terms.as_constant(predicate).is_some() {
            return None;
        }
        let lit = match self.known.get(&predicate) {
            Some(&lit) => lit,
            None => {
                let lit = Var::new(self.terms.len()).lit();
                self.terms.push(predicate);
                self.inequalities.push(inequality(terms, predicate));
                self.known.insert(predicate, lit);
                lit
            }
        };
        self.known.insert(term, lit ^ flipped);
        Some(lit ^ flipped ^ !holds)
    }

    /// The normal form of a condition, and whether it is negated.
    fn normal(&mut self, terms: &mut Terms, mut term: TermId) -> (TermId, bool) {
        let mut flipped = false;
        while let Term::Unary(UnaryOp::Not, inner) = *terms.get(term) {
            (term, flipped) = (inner, !flipped);
        }
        use BinaryOp::*;
        let (op, a, b, more) = match *terms.get(term) {
            Term::Binary(Eq | Neq, a, _) if terms.sort(a) == Sort::Int => return (term, flipped),
            Term::Binary(Neq, a, b) => (Eq, a, b, true),
            Term::Binary(Ugt, a, b) => (Ulte, a, b, true),
            Term::Binary(Ugte, a, b) => (Ulte, b, a, false),
            Term::Binary(Ult, a, b) => (Ulte, b, a, true),
            Term::Binary(Sgt, a, b) => (Slte, a, b, true),
            Term::Binary(Sgte, a, b) => (Slte, b, a, false),
            Term::Binary(Slt, a, b) => (Slte, b, a, true),
            Term::Int(IntOp::Le | IntOp::Lt | IntOp::Ge | IntOp::Gt, ..) => {
                return match self.forms.inequality(terms, term) {
                    Some(linear) => {
                        let (normal, more) = self.forms.normal(terms, &linear);
                        (normal, flipped ^ more)
                    }
                    None => (term, flipped),
                };
            }
            _ => return (term, flipped),
        };
        (terms.simplified(Term::Binary(op, a, b)), flipped ^ more)
    }
}

/// Cubes contain each other if their literals do.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Subset;

impl Cover<[Lit]> for Subset {
    fn covers(&self, large: &[Lit], small: &[Lit]) -> bool {
        is_subset(large, small)
    }
}

/// The literals as a cube: sorted, none twice.
pub(super) fn cube(mut lits: Vec<Lit>) -> Box<[Lit]> {
    lits.sort_unstable();
    lits.dedup();
    lits.into()
}
