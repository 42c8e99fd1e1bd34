//! From formulas to clauses and atoms.
//!
//! Integer terms become linear expressions, Boolean terms literals. Gates are definitions, so a
//! question depends only on what it mentions. What is not linear gets a variable:
//!
//! - `a div k`: `q` with `k·q ≤ a ≤ k·q + |k| − 1`; `a mod k` is `a − k·q`. These two hold for
//!   good;
//! - `ite(c, a, b)`: `v` with `c → v = a` and `¬c → v = b`;
//! - `f(a)`: `v` with `a = b → v = w` for each earlier `w = f(b)` (Ackermann's expansion).
//!
//! Products of two terms with variables are refused, and so is division by anything but a
//! constant other than 0. That is decided before anything is asserted, by the shape of the term
//! alone.

use super::LiaSolver;
use super::int::Int;
use super::linear::{IntVar, Linear};
use super::term::{Formulas, Node, Sort, Term, euclid};
use crate::gate;
use pedra_model::lit::Lit;
use rustc_hash::FxHashMap;

/// Words of 64 bits in all expressions that one encoder may make: about a gigabyte.
const MAX_SIZE: u64 = 30_000_000;
/// Words of 64 bits in one number: squaring again and again would fill any memory.
const MAX_LIMBS: u64 = 1 << 12;

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

/// An instance of a function.
struct Instance {
    args: Vec<Linear>,
    value: IntVar,
}

/// A map from terms to literals and expressions of a solver.
///
/// All calls must be with the same store, which may grow, and the same solver.
#[derive(Default)]
pub struct Encoder {
    encoded: Vec<Option<Encoded>>,
    quotients: FxHashMap<(Linear, Int), IntVar>,
    choices: FxHashMap<(Lit, Linear, Linear), IntVar>,
    instances: FxHashMap<u32, Vec<Instance>>,
    size: u64,
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
                self.size += linear.constant.limbs();
                self.size += linear.terms.iter().map(|(_, factor)| factor.limbs()).sum::<u64>();
            }
            if self.size > MAX_SIZE {
                return Err(EncodeError::TooLarge);
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
                let (factor, other) = match (of(a).as_constant(), of(b).as_constant()) {
                    (Some(factor), _) => (factor, of(b)),
                    (_, Some(factor)) => (factor, of(a)),
                    _ => return Err(EncodeError::NonLinear(term)),
                };
                let limbs = other.terms.iter().map(|(_, own)| own.limbs()).max().unwrap_or(0);
                if factor.limbs() + limbs.max(other.constant.limbs()) > MAX_LIMBS {
                    return Err(EncodeError::TooLarge);
                }
                other.scale(factor)
            }
            Node::Div(a, b) | Node::Mod(a, b) => {
                let is_quotient = matches!(formulas.node(term), Node::Div(..));
                let (a, b) = (of(a).clone(), of(b).as_constant().cloned());
                let divisor = b.filter(|b| !b.is_zero()).ok_or(EncodeError::Division(term))?;
                self.divide(solver, &a, &divisor, is_quotient)
            }
            Node::Ite(condition, a, b) => {
                let (a, b) = (of(a).clone(), of(b).clone());
                self.choose(solver, self.known_lit(*condition), a, b)
            }
            Node::Apply(name, args) => {
                let args = args.iter().map(|arg| of(arg).clone()).collect();
                self.apply(solver, *name, args)
            }
            _ => unreachable!("the node is of sort Int"),
        })
    }

    fn divide(
        &mut self,
        solver: &mut LiaSolver,
        a: &Linear,
        divisor: &Int,
        is_quotient: bool,
    ) -> Linear {
        let quotient = match a.as_constant() {
            Some(value) => Linear::constant(euclid(value, divisor).expect("not by 0").0),
            None => Linear::var(self.quotient(solver, a, divisor)),
        };
        match is_quotient {
            true => quotient,
            false => a.combine(&Int::ONE, &quotient, divisor),
        }
    }

    /// `q` with `0 ≤ a − k·q ≤ |k| − 1`.
    fn quotient(&mut self, solver: &mut LiaSolver, a: &Linear, divisor: &Int) -> IntVar {
        if let Some(&quotient) = self.quotients.get(&(a.clone(), divisor.clone())) {
            return quotient;
        }
        let quotient = solver.new_int();
        let remainder = a.combine(&Int::ONE, &Linear::var(quotient), divisor);
        let most = Linear::constant(&divisor.abs() - &Int::ONE);
        let low = solver.le_zero(&remainder.scale(&Int::from(-1)));
        let high = solver.le_zero(&remainder.minus(&most));
        solver.define_int(quotient, &[vec![low], vec![high]]);
        self.quotients.insert((a.clone(), divisor.clone()), quotient);
        quotient
    }

    /// `v` with `c → v = a` and `¬c → v = b`.
    fn choose(&mut self, solver: &mut LiaSolver, condition: Lit, a: Linear, b: Linear) -> Linear {
        match condition {
            Lit::TRUE => return a,
            Lit::FALSE => return b,
            _ if a == b => return a,
            _ => {}
        }
        let (condition, a, b) =
            if condition.is_negated() { (!condition, b, a) } else { (condition, a, b) };
        let key = (condition, a, b);
        if let Some(&value) = self.choices.get(&key) {
            return Linear::var(value);
        }
        let value = solver.new_int();
        let [[a_le, a_ge], [b_le, b_ge]] =
            [&key.1, &key.2].map(|branch| equality(solver, value, branch));
        let clauses = [
            vec![!condition, a_le],
            vec![!condition, a_ge],
            vec![condition, b_le],
            vec![condition, b_ge],
        ];
        solver.define_int(value, &clauses);
        self.choices.insert(key, value);
        Linear::var(value)
    }

    /// `v` with `args = args' → v = v'` for each earlier instance.
    fn apply(&mut self, solver: &mut LiaSolver, name: u32, args: Vec<Linear>) -> Linear {
        let instances = self.instances.entry(name).or_default();
        if let Some(same) = instances.iter().find(|instance| instance.args == args) {
            return Linear::var(same.value);
        }
        let value = solver.new_int();
        let mut clauses = Vec::new();
        for instance in instances.iter().filter(|other| other.args.len() == args.len()) {
            let equal = args.iter().zip(&instance.args).map(|(a, b)| solver.eq_zero(&a.minus(b)));
            let mut differ: Vec<Lit> = equal.map(|lit| !lit).collect();
            if differ.contains(&Lit::TRUE) {
                continue;
            }
            let bounds = equality(solver, value, &Linear::var(instance.value));
            for bound in bounds {
                differ.push(bound);
                clauses.push(differ.clone());
                differ.pop();
            }
            self.size += args.len() as u64;
        }
        solver.define_int(value, &clauses);
        instances.push(Instance { args, value });
        Linear::var(value)
    }
}

/// `v ≤ a` and `v ≥ a`.
fn equality(solver: &mut LiaSolver, var: IntVar, a: &Linear) -> [Lit; 2] {
    let difference = Linear::var(var).minus(a);
    [solver.le_zero(&difference), solver.le_zero(&difference.scale(&Int::from(-1)))]
}
