//! From formulas to clauses and atoms.
//!
//! Integer terms become linear expressions, Boolean terms literals. Gates are definitions, so a
//! question depends only on what it mentions. What is not linear gets a variable (`define`).
//!
//! Products of two terms with variables are refused, and so is division by anything but a
//! constant other than 0. That is decided before anything is asserted, by the shape of the term
//! alone.

use super::LiaSolver;
use super::define::{Definitions, MAX_LIMBS, MAX_SIZE, TooLarge};
use super::int::Int;
use super::linear::Linear;
use super::term::{Formulas, Node, Sort, Term};
use crate::gate;
use pedra_model::lit::Lit;

/// Why a formula cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A product in which both factors have variables.
    #[error("{0:?} is a product of two terms that are no constants")]
    NonLinear(Term),
    /// A division by a term that is no constant, or by 0.
    #[error("{0:?} divides by a term that is no constant or is 0")]
    Division(Term),
    /// Expressions grow beyond all bounds.
    #[error(
        "the expressions of the formula need more than {MAX_SIZE} words, or one number {MAX_LIMBS}"
    )]
    TooLarge,
}

/// What a term became.
#[derive(Clone)]
enum Encoded {
    Lit(Lit),
    Linear(Linear),
}

impl From<TooLarge> for EncodeError {
    fn from(_: TooLarge) -> EncodeError {
        EncodeError::TooLarge
    }
}

/// A map from terms to literals and expressions of a solver.
///
/// All calls must be with the same store, which may grow, and the same solver.
#[derive(Default)]
pub struct Encoder {
    encoded: Vec<Option<Encoded>>,
    definitions: Definitions,
}

impl Encoder {
    /// An encoder that has encoded nothing.
    pub fn new() -> Encoder {
        Encoder::default()
    }

    /// The literal of a Boolean term.
    ///
    /// # Errors
    /// If the term is not linear or too large.
    ///
    /// # Panics
    /// If the term is of sort Int.
    pub fn lit(
        &mut self,
        formulas: &Formulas,
        solver: &mut LiaSolver,
        term: Term,
    ) -> Result<Lit, EncodeError> {
        assert_eq!(formulas.sort(term), Sort::Bool, "{term:?} is no formula");
        self.encode(formulas, solver, term)?;
        Ok(self.known_lit(term))
    }

    /// The expression of an integer term.
    ///
    /// # Errors
    /// If the term is not linear or too large.
    ///
    /// # Panics
    /// If the term is of sort Bool.
    pub fn linear(
        &mut self,
        formulas: &Formulas,
        solver: &mut LiaSolver,
        term: Term,
    ) -> Result<Linear, EncodeError> {
        assert_eq!(formulas.sort(term), Sort::Int, "{term:?} is no integer");
        self.encode(formulas, solver, term)?;
        Ok(self.known_linear(term).clone())
    }

    /// The value of an integer term that has been encoded, in the solver's model.
    pub fn value(&self, solver: &LiaSolver, term: Term) -> Option<Int> {
        match self.encoded.get(term.index())? {
            Some(Encoded::Linear(linear)) if solver.has_model() => {
                Some(linear.eval(|var| solver.int_value(var).expect("there is a model")))
            }
            _ => None,
        }
    }

    /// The literal of a Boolean term that has been encoded.
    pub fn known(&self, term: Term) -> Option<Lit> {
        match self.encoded.get(term.index())? {
            Some(Encoded::Lit(lit)) => Some(*lit),
            _ => None,
        }
    }

    fn known_lit(&self, term: Term) -> Lit {
        match self.encoded[term.index()] {
            Some(Encoded::Lit(lit)) => lit,
            _ => unreachable!("sorts are checked, and inputs come first"),
        }
    }

    fn known_linear(&self, term: Term) -> &Linear {
        match &self.encoded[term.index()] {
            Some(Encoded::Linear(linear)) => linear,
            _ => unreachable!("sorts are checked, and inputs come first"),
        }
    }

    fn is_known(&self, term: Term) -> bool {
        self.encoded.get(term.index()).is_some_and(Option::is_some)
    }

    /// Encodes a term after all that it depends on.
    fn encode(
        &mut self,
        formulas: &Formulas,
        solver: &mut LiaSolver,
        root: Term,
    ) -> Result<(), EncodeError> {
        self.encoded.resize(formulas.len(), None);
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.is_known(term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let missing = formulas.children(term);
            stack.extend(missing.into_iter().filter(|&child| !self.is_known(child)));
            if stack.len() > before {
                continue;
            }
            let encoded = match formulas.sort(term) {
                Sort::Bool => Encoded::Lit(self.encode_bool(formulas, solver, term)),
                Sort::Int => Encoded::Linear(self.encode_int(formulas, solver, term)?),
            };
            if let Encoded::Linear(linear) = &encoded {
                self.definitions.keep(linear)?;
            }
            self.encoded[term.index()] = Some(encoded);
            stack.pop();
        }
        Ok(())
    }

    fn encode_bool(&mut self, formulas: &Formulas, solver: &mut LiaSolver, term: Term) -> Lit {
        let of = |term: &Term| self.known_lit(*term);
        let all = |terms: &[Term]| terms.iter().map(of).collect::<Vec<Lit>>();
        let difference = |a: &Term, b: &Term| self.known_linear(*a).minus(self.known_linear(*b));
        match formulas.node(term) {
            Node::Bool(value) => Lit::constant(*value),
            Node::BoolSymbol(_) => solver.new_lit(),
            Node::Not(a) => !of(a),
            Node::And(terms) => gate::and_all(&mut solver.gates(), &all(terms)),
            Node::Or(terms) => gate::or_all(&mut solver.gates(), &all(terms)),
            Node::Iff(a, b) => !gate::xor(&mut solver.gates(), of(a), of(b)),
            Node::Ite(c, a, b) => gate::ite(&mut solver.gates(), of(c), of(a), of(b)),
            Node::Le(a, b) => solver.le_zero(&difference(a, b)),
            Node::Eq(a, b) => solver.eq_zero(&difference(a, b)),
            _ => unreachable!("the node is of sort Bool"),
        }
    }

    fn encode_int(
        &mut self,
        formulas: &Formulas,
        solver: &mut LiaSolver,
        term: Term,
    ) -> Result<Linear, EncodeError> {
        let of = |term: &Term| self.known_linear(*term);
        Ok(match formulas.node(term) {
            Node::Int(value) => Linear::constant(value.clone()),
            Node::IntSymbol(_) => Linear::var(solver.new_int()),
            Node::Add(terms) => {
                let constant = terms.iter().fold(Int::ZERO, |sum, a| &sum + &of(a).constant);
                Linear::new(terms.iter().flat_map(|a| of(a).terms.iter().cloned()), constant)
            }
            Node::Mul(a, b) => {
                let product = self.definitions.multiply(of(a), of(b))?;
                product.ok_or(EncodeError::NonLinear(term))?
            }
            Node::Div(a, b) | Node::Mod(a, b) => {
                let is_quotient = matches!(formulas.node(term), Node::Div(..));
                let (a, b) = (of(a).clone(), of(b).as_constant().cloned());
                let divisor = b.filter(|b| !b.is_zero()).ok_or(EncodeError::Division(term))?;
                self.definitions.divide(solver, &a, &divisor, is_quotient)
            }
            Node::Ite(condition, a, b) => {
                let (a, b) = (of(a).clone(), of(b).clone());
                let condition = self.known_lit(*condition);
                self.definitions.choose(solver, condition, a, b)
            }
            Node::Apply(name, args) => {
                let args = args.iter().map(|arg| of(arg).clone()).collect();
                self.definitions.apply(solver, *name, args)
            }
            _ => unreachable!("the node is of sort Int"),
        })
    }
}
