//! The words that are live at a location, and what literals say about them.
//!
//! A word has two *views*, with sign and without, as programs compare the same word both ways.

use super::graph::{Graph, Location};
use super::predicates::Predicates;
use crate::trace::Place;
use crate::units::Vocabulary;
use crate::units::atom::{Atom, Step, Sum};
use crate::units::linear::MAX_COEFFICIENT;
use crate::units::value::{Point, VarId, WordVar};
use pedra_model::lit::Lit;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms};
use pedra_model::value::Value;
use pedra_program::VariableId;
use rustc_hash::FxHashMap;

/// Comparisons of more words stay as they are.
const MAX_PRODUCTS: usize = 4;

/// The words of a location: first each as the program declares it, then each the other way.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    pub(super) vars: Vec<WordVar>,
    /// Each word, and whether it is read with sign.
    views: FxHashMap<(TermId, bool), VarId>,
    /// For each word, its position among the variables of the location.
    pub(super) positions: Vec<usize>,
}

impl Words {
    pub(super) fn new(graph: &Graph, at: Location) -> Words {
        let blocks = graph.blocks();
        let live = &blocks.cuts[at.index()].live;
        let word = |(position, &variable): (usize, &VariableId)| {
            let info = blocks.program.variable(variable);
            let term = blocks.program.term_of(variable);
            let Sort::Bv(width @ 2..=64) = graph.terms.sort(term) else { return None };
            let name = info.name.as_deref();
            let name = name.map_or_else(|| format!("v{}", variable.index()), str::to_owned);
            let (state, next, init) = (Some(variable.index()), term, None);
            let (signed, bitwise) = (info.is_signed, false);
            Some((position, WordVar { name, state, term, next, init, width, signed, bitwise }))
        };
        let (positions, mut vars): (Vec<usize>, Vec<WordVar>) =
            live.iter().enumerate().filter_map(word).unzip();
        let others = vars.clone().into_iter().map(|var| WordVar { signed: !var.signed, ..var });
        vars.extend(others);
        let views = vars.iter().enumerate().map(|(i, v)| ((v.term, v.signed), VarId::new(i)));
        Words { views: views.collect(), vars, positions }
    }

    /// A state of the location, as the words are read.
    pub(super) fn point(&self, state: &[Value]) -> Point {
        let count = self.positions.len();
        let value = |(i, var): (usize, &WordVar)| var.int(state[self.positions[i % count]].as_bv());
        self.vars.iter().enumerate().map(value).collect()
    }

    /// The word as the program declares it.
    fn declared(&self, term: TermId) -> Option<VarId> {
        let count = self.positions.len();
        [false, true]
            .into_iter()
            .filter_map(|signed| self.views.get(&(term, signed)).copied())
            .find(|var| var.index() < count)
    }

    /// What a literal says, in atoms.
    pub(super) fn atoms(&self, terms: &Terms, predicates: &Predicates, lit: Lit) -> Vec<Atom> {
        let known = match *terms.get(predicates.predicate(lit)) {
            Term::Binary(BinaryOp::Eq, a, b) if !lit.is_negated() => self.equation(terms, a, b),
            _ => self.inequality(predicates, lit).map(|atom| vec![atom]),
        };
        known.unwrap_or_else(|| vec![Atom::Given(lit.index())])
    }

    /// `a = b`, for two words or a word and a constant.
    fn equation(&self, terms: &Terms, a: TermId, b: TermId) -> Option<Vec<Atom>> {
        let (a, b) = if terms.as_constant(a).is_some() { (b, a) } else { (a, b) };
        let x = self.declared(a)?;
        if let Some(value) = terms.as_constant(b) {
            let value = self.var(x).int(value);
            return Some(vec![Atom::Lower(x, value), Atom::Upper(x, value)]);
        }
        let y = *self.views.get(&(b, self.var(x).signed))?;
        let sum = Sum::new(vec![(x, 1), (y, -1)]);
        Some(vec![Atom::Lin(sum.negated(), 0), Atom::Lin(sum, 0)])
    }

    fn inequality(&self, predicates: &Predicates, lit: Lit) -> Option<Atom> {
        let found = predicates.inequality(lit)?;
        let fits = |&(_, a): &(_, i128)| a.abs() <= MAX_COEFFICIENT;
        if found.products.len() > MAX_PRODUCTS || !found.products.iter().all(fits) {
            return None;
        }
        let products = found.products.iter().map(|&(x, a)| Some((*self.views.get(&x)?, a)));
        let products: Vec<(VarId, i128)> = products.collect::<Option<_>>()?;
        match products[..] {
            [] => None,
            // a·x ≤ b is x ≤ ⌊b / a⌋, or x ≥ ⌈b / a⌉ = −⌊b / −a⌋ for a < 0.
            [(x, a)] if a > 0 => Some(Atom::Upper(x, found.bound.div_euclid(a))),
            [(x, a)] => Some(Atom::Lower(x, -found.bound.div_euclid(-a))),
            _ => Some(Atom::Lin(Sum::new(products), found.bound)),
        }
    }

    /// `x ≤ y` and `x < y` as programs compare two words that are read the same way.
    fn compared(&self, terms: &mut Terms, atom: &Atom) -> Option<TermId> {
        let Atom::Lin(sum, limit @ (0 | -1)) = atom else { return None };
        let (x, y) = match sum.0[..] {
            [(x, 1), (y, -1)] => (self.var(x), self.var(y)),
            [(y, -1), (x, 1)] => (self.var(x), self.var(y)),
            _ => return None,
        };
        if (x.width, x.signed) != (y.width, y.signed) {
            return None;
        }
        let op = match (*limit, x.signed) {
            (0, true) => BinaryOp::Slte,
            (0, false) => BinaryOp::Ulte,
            (_, true) => BinaryOp::Slt,
            (_, false) => BinaryOp::Ult,
        };
        Some(terms.binary(op, x.term, y.term))
    }

    /// The literal of an atom; a constant if it says nothing, or nothing meets it. One condition
    /// has one literal: `x ≥ 5` is `¬(x ≤ 4)`.
    pub(super) fn literal(
        &self,
        terms: &mut Terms,
        predicates: &mut Predicates,
        atom: &Atom,
    ) -> AsLit {
        let (atom, flipped) = match *atom {
            Atom::Given(index) => return AsLit::Lit(Lit::from_code(index as u32)),
            // A constant beyond the word's range would be another one in its width.
            Atom::Lower(x, v) if v <= self.var(x).min() => return AsLit::Always(true),
            Atom::Lower(x, v) if v > self.var(x).max() => return AsLit::Always(false),
            Atom::Upper(x, v) if v >= self.var(x).max() => return AsLit::Always(true),
            Atom::Upper(x, v) if v < self.var(x).min() => return AsLit::Always(false),
            Atom::Lower(x, v) => (Atom::Upper(x, v - 1), true),
            Atom::Lin(ref sum, b) if sum.0.first().is_some_and(|&(_, a)| a < 0) => {
                (Atom::Lin(sum.negated(), -b - 1), true)
            }
            ref atom => (atom.clone(), false),
        };
        let term = self.compared(terms, &atom).unwrap_or_else(|| atom.term(self, terms, Step::Now));
        match predicates.literal(terms, term, !flipped) {
            Some(lit) => AsLit::Lit(lit),
            None => AsLit::Always(predicates.constant(terms, term) != Some(flipped)),
        }
    }
}

/// What became of an atom.
pub(super) enum AsLit {
    Lit(Lit),
    /// It holds always, or never.
    Always(bool),
}

impl Vocabulary for Words {
    fn vars(&self) -> &[WordVar] {
        &self.vars
    }

    fn given(&self, _: usize, _: Step) -> TermId {
        unreachable!("literals stay literals")
    }

    fn given_text(&self, number: usize) -> String {
        format!("literal {number}")
    }
}

/// Each word as it is declared, once.
pub(super) struct Declared<'a>(pub(super) &'a Words);

impl Vocabulary for Declared<'_> {
    fn vars(&self) -> &[WordVar] {
        &self.0.vars[..self.0.positions.len()]
    }

    fn given(&self, number: usize, step: Step) -> TermId {
        self.0.given(number, step)
    }

    fn given_text(&self, number: usize) -> String {
        self.0.given_text(number)
    }
}
