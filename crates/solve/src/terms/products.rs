//! Products of words, first without multipliers.
//!
//! A question with products of variables is asked of a *twin* first: a solver in which each such
//! product is an arbitrary word. If the twin has no model, there is none. If it has one in which
//! equations between words contradict each other as polynomials ([`Identities`]), the clause that
//! says so is added and the twin is asked again. If that leads nowhere, the real question is asked,
//! at first with the values of the twin's model for all that is multiplied: then multipliers are
//! no more than sums. Only what is still open is searched for with whole multipliers.
//!
//! So the twin may only ever say *no model* (*required for soundness*), and rests on nothing but
//! that products are words and identities are right; and values that it proposes may only ever lead
//! to a model.

use super::identities::{Identities, Identity};
use crate::bv::BvSolver;
use crate::interrupt::Interrupt;
use crate::sat::{SatResult, SatStats};
use pedra_model::blast::{BlastError, BlastOptions};
use pedra_model::lit::Lit;
use pedra_model::polynomial::is_product;
use pedra_model::term::{Sort, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// How often the twin is asked about one question. Tuning only, as the next.
const MAX_ROUNDS: usize = 60;
/// The twin is given up after this number of questions without any identity.
const MAX_VAIN: usize = 400;

/// A solver in which products are arbitrary, beside one in which they are products.
pub(super) struct Products {
    twin: BvSolver,
    is_seen: Vec<bool>,
    /// Which terms were looked at for factors: as they are, and below a product.
    is_below: Vec<[bool; 2]>,
    /// The twin's literal for each variable of the other solver.
    twins: Vec<Option<Lit>>,
    identities: Identities,
    /// The twin's literals of equations and conditions.
    lits: FxHashMap<TermId, Lit>,
    /// The same formulas as gates, since not every question mentions them.
    gates: Vec<(TermId, Lit)>,
    /// The clauses that identities justify. They are used where a model refutes them, since a
    /// clause for good would be part of each question.
    clauses: Vec<Vec<Lit>>,
    /// The bits of symbols on which factors depend, with their twins.
    factors: Vec<(Lit, Lit)>,
    vain: usize,
}

impl Products {
    pub(super) fn new(options: &BlastOptions) -> Products {
        Products {
            twin: BvSolver::new(options),
            is_seen: Vec::new(),
            is_below: Vec::new(),
            twins: Vec::new(),
            identities: Identities::default(),
            lits: FxHashMap::default(),
            gates: Vec::new(),
            clauses: Vec::new(),
            factors: Vec::new(),
            vain: 0,
        }
    }

    /// Whether it is no use any more.
    pub(super) fn is_vain(&self) -> bool {
        self.clauses.is_empty() && self.vain >= MAX_VAIN
    }

    /// Notes that `lit` of the other solver is the literal of a term.
    pub(super) fn note(
        &mut self,
        solver: &mut BvSolver,
        terms: &Terms,
        term: TermId,
        lit: Lit,
    ) -> Result<(), BlastError> {
        if lit.is_const() || self.twins.get(lit.var().index()).is_some_and(Option::is_some) {
            return Ok(());
        }
        let twin = self.lit(terms, term)?;
        self.consider(terms, term)?;
        self.pair(lit, twin);
        for symbol in self.factors_below(terms, term) {
            if !std::mem::replace(&mut self.is_seen[symbol.index()], true) {
                self.twin.bind(terms, symbol)?;
            }
            let bits = solver.bits(terms, symbol)?;
            let twins = self.twin.bits(terms, symbol)?;
            self.factors.extend(bits.into_iter().zip(twins));
        }
        Ok(())
    }

    /// Takes the equations of a formula into account, whether questions mention it or not.
    pub(super) fn consider(&mut self, terms: &Terms, formula: TermId) -> Result<(), BlastError> {
        for atom in self.identities.note(terms, formula) {
            let lit = self.lit(terms, atom)?;
            if self.lits.insert(atom, lit).is_none() {
                self.gates.push((atom, self.twin.gate(terms, atom)?));
            }
        }
        Ok(())
    }

    /// The twin of a literal without meaning.
    pub(super) fn note_new(&mut self, lit: Lit) {
        let twin = self.twin.new_lit();
        self.pair(lit, twin);
    }

    fn pair(&mut self, lit: Lit, twin: Lit) {
        let index = lit.var().index();
        if self.twins.len() <= index {
            self.twins.resize(index + 1, None);
        }
        self.twins[index] = Some(if lit.is_negated() { !twin } else { twin });
    }

    /// The twin's literal of a term: symbols and products are free.
    fn lit(&mut self, terms: &Terms, root: TermId) -> Result<Lit, BlastError> {
        self.is_seen.resize(terms.len(), false);
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if std::mem::replace(&mut self.is_seen[term.index()], true) {
                continue;
            }
            match terms.get(term) {
                Term::Symbol(_) => self.twin.bind(terms, term)?,
                _ if is_product(terms, term) => self.twin.bind(terms, term)?,
                node => stack.extend(node.args()),
            }
        }
        self.twin.lit(terms, root)
    }

    /// The symbols on which factors of products in a term depend, as far as they are new.
    fn factors_below(&mut self, terms: &Terms, root: TermId) -> Vec<TermId> {
        self.is_below.resize(terms.len(), [false; 2]);
        let (mut stack, mut found) = (vec![(root, false)], Vec::new());
        while let Some((term, is_factor)) = stack.pop() {
            if std::mem::replace(&mut self.is_below[term.index()][usize::from(is_factor)], true) {
                continue;
            }
            let is_word = matches!(terms.sort(term), Sort::Bv(_));
            if terms.symbol_of(term).is_some() && is_factor && is_word {
                found.push(term);
            }
            let is_factor = is_factor || is_product(terms, term);
            stack.extend(terms.get(term).args().map(|arg| (arg, is_factor)));
        }
        found
    }

    /// Values for what is multiplied, as literals of the other solver: those of the twin's model.
    pub(super) fn values_of_factors(&self) -> Vec<Lit> {
        let value = |&(lit, twin): &(Lit, Lit)| match self.twin.lit_value(twin) {
            Some(true) => lit,
            _ => !lit,
        };
        self.factors.iter().map(value).collect()
    }

    fn twin_of(&self, lit: Lit) -> Lit {
        if lit.is_const() {
            return lit;
        }
        let twin = self.twins[lit.var().index()].expect("every literal has a twin");
        if lit.is_negated() { !twin } else { twin }
    }

    pub(super) fn add_clause(&mut self, clause: &[Lit]) {
        let clause: Vec<Lit> = clause.iter().map(|&lit| self.twin_of(lit)).collect();
        self.twin.add_clause(&clause);
    }

    /// Whether it is plain that there is no model: `Some(false)` if the twin has one, so that there
    /// are values to try.
    pub(super) fn is_refuted(&mut self, assumptions: &[Lit], temporary: &[&[Lit]]) -> Option<bool> {
        let assumptions: Vec<Lit> = assumptions.iter().map(|&lit| self.twin_of(lit)).collect();
        let twin_of = |clause: &&[Lit]| clause.iter().map(|&lit| self.twin_of(lit)).collect();
        let mut clauses: Vec<Vec<Lit>> = temporary.iter().map(twin_of).collect();
        for _ in 0..MAX_ROUNDS {
            let temporary: Vec<&[Lit]> = clauses.iter().map(Vec::as_slice).collect();
            match self.twin.solve(&assumptions, &temporary) {
                SatResult::Unsat => return Some(true),
                SatResult::Unknown => return None,
                SatResult::Sat => {}
            }
            let refuted = self.refuted();
            if refuted.is_empty() {
                self.vain += 1;
                return Some(false);
            }
            clauses.extend(refuted);
        }
        None
    }

    /// Clauses of identities, old or new, that the twin's model refutes.
    fn refuted(&mut self) -> Vec<Vec<Lit>> {
        let value = |lit: Lit| self.twin.lit_value(lit);
        let is_refuted = |clause: &&Vec<Lit>| clause.iter().all(|&l| value(l) == Some(false));
        let known: Vec<Vec<Lit>> = self.clauses.iter().filter(is_refuted).cloned().collect();
        if !known.is_empty() {
            return known;
        }
        let gates: Vec<Lit> = self.gates.iter().map(|&(_, gate)| gate).collect();
        let values = self.twin.evaluate(&gates);
        let of_term = self.gates.iter().zip(&values);
        let of_term: FxHashMap<TermId, bool> =
            of_term.filter_map(|(&(term, _), &value)| Some((term, value?))).collect();
        let found = self.identities.find(|term| of_term.get(&term).copied());
        let literal = |&(term, holds): &(TermId, bool)| match holds {
            true => self.lits[&term],
            false => !self.lits[&term],
        };
        let clause = |identity: Identity| identity.clause.iter().map(literal).collect();
        let new: Vec<Vec<Lit>> = found.into_iter().map(clause).collect();
        self.clauses.extend(new.iter().cloned());
        new
    }

    /// Whether the last refutation rests on this assumption.
    pub(super) fn is_failed(&self, lit: Lit) -> bool {
        self.twin.is_failed(self.twin_of(lit))
    }

    pub(super) fn set_effort(&mut self, conflicts: Option<u64>) {
        self.twin.set_effort(conflicts);
    }

    pub(super) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.twin.set_interrupt(interrupt);
    }

    pub(super) fn stats(&self) -> SatStats {
        self.twin.stats()
    }
}
