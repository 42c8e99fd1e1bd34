//! Questions about the terms of the model, whatever they are made of.
//!
//! A [`TermSolver`] is incremental: literals of one-bit terms are made on demand and cached, the
//! store of terms may grow, symbols are free. Two theories are behind it:
//!
//! - [`Theory::Bits`]: bit-vectors and arrays of them, by blasting ([`crate::bv`]); products of
//!   variables first by polynomial arithmetic (`products`), if that is asked for;
//! - [`Theory::Integers`]: integers, truth values and arrays of both, by simplex
//!   ([`crate::lia`]). `integers` has what is supported and how it is encoded.
//!
//! Words of several bits and integers together are refused ([`theory_of`]). A query is confined
//! to the terms that its literals mention; so *assume* literals of terms rather than assert
//! clauses over them where that is possible (`docs/design/lia.md`).

mod arrays;
mod identities;
mod integers;
mod products;
mod record;

pub use identities::{Identities, Identity};
pub use integers::IntEncoder;
pub use record::{define, record_queries};

use crate::bv::BvSolver;
use crate::interrupt::Interrupt;
use crate::lia::{LiaLimits, LiaSolver, MAX_LIMBS, MAX_SIZE};
use crate::sat::{Budget, SatResult, SatStats};
use pedra_model::blast::{BlastError, BlastOptions};
use pedra_model::eval::ops;
use pedra_model::lit::Lit;
use pedra_model::term::{Scalar, Sort, Term, TermId, Terms};
use pedra_model::value::Value;
use products::Products;
use record::Record;
use rustc_hash::FxHashMap;
use std::time::Instant;

/// How many times as much a conflict with multipliers costs as one without: 2 to 4 ms for products
/// of 64 bits (programs of nla-digbench), where 0.1 ms is usual. Tuning only.
const MULTIPLIED: u64 = 20;

/// Work of the tableau for each conflict of a limited question. A few rows with huge numbers can
/// take seconds without any conflict; a question with small ones stays far below.
const WORK_PER_CONFLICT: u64 = 2_000;

/// What the terms of a solver are made of.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Theory {
    /// Bit-vectors and arrays of them.
    Bits,
    /// Integers, single bits, and arrays of them.
    Integers,
}

/// Why a term cannot be asked about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TermError {
    /// Words and integers in one formula.
    #[error("integers and bit-vectors of {width} bits in one formula are not supported")]
    Mixed {
        /// How wide the word is.
        width: u32,
    },
    /// A product in which both factors have variables.
    #[error("a product of two expressions with variables is not linear: not supported")]
    NonLinear,
    /// A division by an expression with variables.
    #[error("a division by an expression with variables is not linear: not supported")]
    Division,
    /// Expressions grow beyond all bounds.
    #[error("the expressions need more than {MAX_SIZE} words, or one number {MAX_LIMBS}")]
    TooLarge,
    /// The circuit of a term cannot be made.
    #[error(transparent)]
    Blast(#[from] BlastError),
}

impl TermError {
    /// What is not supported, in a few words.
    pub fn lacking(&self) -> &'static str {
        match self {
            TermError::Mixed { .. } => "integers together with bit-vectors of several bits",
            TermError::NonLinear => "products of integer variables",
            TermError::Division => "division by an integer variable",
            TermError::TooLarge => "integer expressions that are too large",
            TermError::Blast(_) => "arrays or circuits that are too large",
        }
    }
}

/// The theory in which questions about these terms are asked.
///
/// # Errors
/// [`TermError::Mixed`] if there are integers and words of several bits among the terms on which
/// the roots depend.
pub fn theory_of(
    terms: &Terms,
    roots: impl IntoIterator<Item = TermId>,
) -> Result<Theory, TermError> {
    let (mut widest, mut has_integers) = (1, false);
    for id in terms.cone_ids(roots) {
        let sort = terms.sort(id);
        has_integers |= sort.has_integers();
        widest = widest.max(widest_word(sort));
    }
    match (has_integers, widest) {
        (false, _) => Ok(Theory::Bits),
        (true, 1) => Ok(Theory::Integers),
        (true, width) => Err(TermError::Mixed { width }),
    }
}

/// The width of the widest word in a value of this sort; 0 if there is none.
fn widest_word(sort: Sort) -> u32 {
    let of = |scalar| match scalar {
        Scalar::Bv(width) => width,
        Scalar::Int => 0,
    };
    match sort {
        Sort::Bv(width) => width,
        Sort::Int => 0,
        Sort::Array { index, element } => of(index).max(of(element)),
    }
}

enum Back {
    Bits {
        solver: Box<BvSolver>,
        is_seen: Vec<bool>,
        /// Beside it, for questions with products.
        products: Option<Box<Products>>,
        /// Whether the last answer is that of `products`.
        is_refuted: bool,
    },
    Integers {
        solver: Box<LiaSolver>,
        encoder: IntEncoder,
        record: Option<Box<Record>>,
    },
}

/// A solver for questions about terms.
///
/// All calls must use the same store of terms, which may grow. Models and cores are valid until
/// the next call that adds something or asks; [`value`](TermSolver::value) adds nothing.
pub struct TermSolver {
    back: Back,
}

impl TermSolver {
    /// A solver that knows nothing of any symbol. The options are for bits.
    pub fn new(theory: Theory, options: &BlastOptions) -> TermSolver {
        let back = match theory {
            Theory::Bits => Back::Bits {
                solver: Box::new(BvSolver::new(options)),
                is_seen: Vec::new(),
                products: None,
                is_refuted: false,
            },
            Theory::Integers => Back::Integers {
                solver: Box::default(),
                encoder: IntEncoder::new(),
                record: Record::begin(),
            },
        };
        TermSolver { back }
    }

    /// The same, for terms with products of variables: equations between them are looked at as
    /// polynomials before multipliers are.
    pub fn with_products(theory: Theory, options: &BlastOptions) -> TermSolver {
        let mut made = TermSolver::new(theory, options);
        if let Back::Bits { products, .. } = &mut made.back {
            *products = Some(Box::new(Products::new(options)));
        }
        made
    }

    /// Its theory.
    pub fn theory(&self) -> Theory {
        match self.back {
            Back::Bits { .. } => Theory::Bits,
            Back::Integers { .. } => Theory::Integers,
        }
    }

    /// The literal of a one-bit term.
    ///
    /// # Errors
    /// If the theory does not cover the term, or it is too large.
    ///
    /// # Panics
    /// If the term is of another sort.
    pub fn lit(&mut self, terms: &Terms, term: TermId) -> Result<Lit, TermError> {
        assert_eq!(terms.sort(term), Sort::BOOL, "a one-bit term");
        match &mut self.back {
            Back::Bits { solver, is_seen, products, .. } => {
                bind_symbols(solver, is_seen, terms, term)?;
                let lit = solver.lit(terms, term)?;
                if let Some(products) = products {
                    products.note(solver, terms, term, lit)?;
                }
                Ok(lit)
            }
            Back::Integers { solver, encoder, record: None } => encoder.lit(terms, solver, term),
            Back::Integers { solver, encoder, record: Some(record) } => {
                let start = Instant::now();
                let lit = encoder.lit(terms, solver, term)?;
                record.term(terms, term, lit, start.elapsed());
                Ok(lit)
            }
        }
    }

    /// Takes the equations of a formula into account when equations are looked at as polynomials,
    /// also in questions that do not mention them. No question means anything else for that.
    ///
    /// # Errors
    /// As [`lit`](TermSolver::lit).
    pub fn consider(&mut self, terms: &Terms, formula: TermId) -> Result<(), TermError> {
        if let Back::Bits { products: Some(products), .. } = &mut self.back {
            products.consider(terms, formula)?;
        }
        Ok(())
    }

    /// A new literal without any meaning.
    pub fn new_lit(&mut self) -> Lit {
        match &mut self.back {
            Back::Bits { solver, products, .. } => {
                let lit = solver.new_lit();
                products.iter_mut().for_each(|products| products.note_new(lit));
                lit
            }
            Back::Integers { solver, record, .. } => {
                let lit = solver.new_lit();
                record.iter_mut().for_each(|record| record.free(lit));
                lit
            }
        }
    }

    /// Asserts a clause for good.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        match &mut self.back {
            Back::Bits { solver, products, .. } => {
                solver.add_clause(clause);
                products.iter_mut().for_each(|products| products.add_clause(clause));
            }
            Back::Integers { solver, record, .. } => {
                solver.add_clause(clause);
                record.iter_mut().for_each(|record| record.clause(clause));
            }
        }
    }

    /// Asserts a clause where `guard` is assumed.
    pub fn assert_if(&mut self, guard: Lit, clause: &[Lit]) {
        let guarded: Vec<Lit> = [!guard].into_iter().chain(clause.iter().copied()).collect();
        self.add_clause(&guarded);
    }

    /// Ends all that was asserted under a guard, which must not be assumed any more.
    pub fn retract(&mut self, guard: Lit) {
        self.add_clause(&[!guard]);
    }

    /// Is there a model of all that is asserted, the temporary clauses and the assumptions?
    pub fn solve(&mut self, assumptions: &[Lit], temporary: &[&[Lit]]) -> SatResult {
        match &mut self.back {
            Back::Bits { solver, products, is_refuted, .. } => {
                if products.as_ref().is_some_and(|products| products.is_vain()) {
                    *products = None;
                }
                let refuted = products.as_mut().and_then(|p| p.is_refuted(assumptions, temporary));
                *is_refuted = refuted == Some(true);
                match (refuted, products) {
                    (Some(true), _) => SatResult::Unsat,
                    (Some(false), Some(products)) => {
                        let values = products.values_of_factors();
                        let more: Vec<Lit> = assumptions.iter().copied().chain(values).collect();
                        match solver.solve(&more, temporary) {
                            SatResult::Sat => SatResult::Sat,
                            _ => solver.solve(assumptions, temporary),
                        }
                    }
                    _ => solver.solve(assumptions, temporary),
                }
            }
            Back::Integers { solver, record, .. } => {
                let start = Instant::now();
                let answer = solver.solve_with(assumptions, temporary);
                if let Some(record) = record {
                    record.question(assumptions, temporary, answer, start.elapsed());
                }
                answer
            }
        }
    }

    /// Whether the last answer was [`SatResult::Unsat`] and rests on this assumption.
    pub fn is_failed(&self, lit: Lit) -> bool {
        match &self.back {
            Back::Bits { products: Some(products), is_refuted: true, .. } => {
                products.is_failed(lit)
            }
            Back::Bits { solver, .. } => solver.is_failed(lit),
            Back::Integers { solver, .. } => solver.is_failed(lit),
        }
    }

    /// The value of a term in the last model. Symbols on which the answer does not depend have
    /// some fixed value.
    ///
    /// # Panics
    /// If the last answer was not [`SatResult::Sat`] (with integers).
    pub fn value(&mut self, terms: &Terms, term: TermId) -> Value {
        if terms.symbol_of(term).is_some() {
            return self.symbol_value(terms, term);
        }
        let mut values: FxHashMap<TermId, Value> = FxHashMap::default();
        let mut stack = vec![term];
        while let Some(&next) = stack.last() {
            if values.contains_key(&next) {
                stack.pop();
                continue;
            }
            let missing = terms.get(next).args().filter(|arg| !values.contains_key(arg));
            let before = stack.len();
            stack.extend(missing);
            if stack.len() > before {
                continue;
            }
            let value = ops::apply(terms.get(next), |arg| &values[&arg]);
            let value = value.unwrap_or_else(|| self.symbol_value(terms, next));
            values.insert(next, value);
            stack.pop();
        }
        values.remove(&term).expect("it was evaluated last")
    }

    fn symbol_value(&mut self, terms: &Terms, symbol: TermId) -> Value {
        match &mut self.back {
            Back::Bits { solver, is_seen, .. } => match is_seen.get(symbol.index()) {
                Some(true) => solver.value_of(terms, symbol),
                _ => Value::zero(terms.sort(symbol)),
            },
            Back::Integers { solver, encoder, .. } => encoder.value(terms, solver, symbol),
        }
    }

    /// Limits each later question to this many conflicts, and to the arithmetic that these usually
    /// take; `None` for no limit.
    pub fn set_effort(&mut self, conflicts: Option<u64>) {
        match &mut self.back {
            Back::Bits { solver, products: Some(products), .. } => {
                solver.set_effort(conflicts.map(|conflicts| conflicts / MULTIPLIED));
                products.set_effort(conflicts);
            }
            Back::Bits { solver, .. } => solver.set_effort(conflicts),
            Back::Integers { solver, .. } => {
                solver.set_budget(conflicts.map(Budget::conflicts));
                let most = LiaLimits::default();
                let work = conflicts.map_or(most.work, |count| {
                    count.saturating_mul(WORK_PER_CONFLICT).min(most.work)
                });
                solver.set_limits(LiaLimits { work, ..most });
            }
        }
    }

    /// From now on this token stops questions.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        match &mut self.back {
            Back::Bits { solver, products, .. } => {
                solver.set_interrupt(interrupt);
                products.iter_mut().for_each(|products| products.set_interrupt(interrupt));
            }
            Back::Integers { solver, .. } => solver.set_interrupt(interrupt),
        }
    }

    /// What has been done so far.
    pub fn stats(&self) -> SatStats {
        match &self.back {
            Back::Bits { solver, products, .. } => {
                let twin = products.as_ref().map(|products| products.stats()).unwrap_or_default();
                solver.stats().plus(twin)
            }
            Back::Integers { solver, .. } => solver.stats(),
        }
    }
}

/// Brings the symbols of a term into use that are not yet.
fn bind_symbols(
    solver: &mut BvSolver,
    is_seen: &mut Vec<bool>,
    terms: &Terms,
    root: TermId,
) -> Result<(), BlastError> {
    is_seen.resize(terms.len(), false);
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        if is_seen[term.index()] {
            continue;
        }
        if let Term::Symbol(_) = terms.get(term) {
            solver.bind(terms, term)?;
        }
        is_seen[term.index()] = true;
        stack.extend(terms.get(term).args());
    }
    Ok(())
}
