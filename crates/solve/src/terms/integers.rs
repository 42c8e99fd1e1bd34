//! Terms over integers as clauses and atoms.
//!
//! A bit is a literal, an integer a linear expression, an array nothing by itself. Every operator
//! on single bits is made from its truth table. `+`, `-`, comparisons and products with a
//! constant are linear; `div` and `mod` by constants and `ite` get variables (`lia::define`).
//! Division by the constant 0 has the value that the model's terms give it.
//!
//! *Arrays.* A read is pushed through writes, `ite`s and constant arrays down to symbols, one
//! question for each array and index. A read of a symbol is an instance of an unknown function of
//! the index. Bits as indices are 0 or 1; bits as elements are whether the function is
//! positive. Comparisons of arrays are in `arrays`.

use super::TermError;
use super::arrays::Comparisons;
use crate::gate;
use crate::lia::{Definitions, Int, LiaSolver, Linear, TooLarge};
use num_bigint::BigInt;
use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::lit::Lit;
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use pedra_model::value::Value;
use rustc_hash::FxHashMap;

/// What a term became.
#[derive(Clone)]
pub(super) enum Encoded {
    Lit(Lit),
    Linear(Linear),
    /// All that the array is made of is encoded.
    Array,
}

impl From<TooLarge> for TermError {
    fn from(_: TooLarge) -> TermError {
        TermError::TooLarge
    }
}

/// A map from terms over integers to literals and expressions of a solver.
///
/// All calls must be with the same store, which may grow, and the same solver.
#[derive(Default)]
pub struct IntEncoder {
    encoded: Vec<Option<Encoded>>,
    /// Elements of arrays.
    reads: FxHashMap<(TermId, At), Encoded>,
    pub(super) definitions: Definitions,
    pub(super) comparisons: Comparisons,
}

/// Where an array is read.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum At {
    Index(Linear),
    /// At any index that is not among those that are mentioned.
    Elsewhere,
}

impl IntEncoder {
    /// An encoder that has encoded nothing.
    pub fn new() -> IntEncoder {
        IntEncoder::default()
    }

    /// The literal of a one-bit term.
    ///
    /// # Errors
    /// If a part of the term is not supported, or it is too large.
    ///
    /// # Panics
    /// If the term is of another sort.
    pub fn lit(
        &mut self,
        terms: &Terms,
        solver: &mut LiaSolver,
        term: TermId,
    ) -> Result<Lit, TermError> {
        assert_eq!(terms.sort(term), Sort::BOOL, "a one-bit term");
        self.encode(terms, solver, term)?;
        Ok(self.known_lit(term))
    }

    /// The value of a symbol in the solver's model; 0 if it was not encoded.
    pub fn value(&self, terms: &Terms, solver: &LiaSolver, symbol: TermId) -> Value {
        let eval = |linear: &Linear| {
            linear.eval(|var| solver.int_value(var).expect("there is a model")).to_big()
        };
        let sort = terms.sort(symbol);
        match self.encoded.get(symbol.index()).and_then(Option::as_ref) {
            None => Value::zero(sort),
            Some(Encoded::Lit(lit)) => {
                Value::Bv(Bv::bit_value(solver.value(*lit).unwrap_or(false)))
            }
            Some(Encoded::Linear(linear)) => Value::Int(eval(linear)),
            Some(Encoded::Array) => {
                let Sort::Array { index, element } = sort else {
                    unreachable!("encoded by sort");
                };
                // The first instance at an index counts: if a later one is part of the question,
                // all earlier ones are that may be at the same index.
                let mut known: FxHashMap<BigInt, BigInt> = FxHashMap::default();
                for instance in self.definitions.instances(name_of(symbol)) {
                    let value = || eval(&Linear::var(instance.value));
                    known.entry(eval(&instance.args[0])).or_insert_with(value);
                }
                let elsewhere = match self.reads.get(&(symbol, At::Elsewhere)) {
                    Some(Encoded::Linear(linear)) => eval(linear),
                    Some(Encoded::Lit(lit)) => BigInt::from(solver.value(*lit) == Some(true)),
                    _ => BigInt::ZERO,
                };
                let mut array = Value::everywhere(index, &scalar(element, elsewhere));
                for (at, value) in known {
                    array = array.write(&scalar(index, at), &scalar(element, value));
                }
                array
            }
        }
    }

    fn known_lit(&self, term: TermId) -> Lit {
        match self.encoded[term.index()] {
            Some(Encoded::Lit(lit)) => lit,
            _ => unreachable!("sorts are checked, and arguments come first"),
        }
    }

    fn known_linear(&self, term: TermId) -> &Linear {
        match &self.encoded[term.index()] {
            Some(Encoded::Linear(linear)) => linear,
            _ => unreachable!("sorts are checked, and arguments come first"),
        }
    }

    fn is_known(&self, term: TermId) -> bool {
        self.encoded[term.index()].is_some()
    }

    /// Encodes a term after all that it depends on.
    fn encode(
        &mut self,
        terms: &Terms,
        solver: &mut LiaSolver,
        root: TermId,
    ) -> Result<(), TermError> {
        self.encoded.resize(terms.len(), None);
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.is_known(term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(terms.get(term).args().filter(|&arg| !self.is_known(arg)));
            if stack.len() > before {
                continue;
            }
            let width = super::widest_word(terms.sort(term));
            if width > 1 {
                return Err(TermError::Mixed { width });
            }
            let encoded = self.encode_one(terms, solver, term)?;
            if let Encoded::Linear(linear) = &encoded {
                self.definitions.keep(linear)?;
            }
            self.encoded[term.index()] = Some(encoded);
            stack.pop();
        }
        Ok(())
    }

    /// Encodes a term whose arguments are known.
    fn encode_one(
        &mut self,
        terms: &Terms,
        solver: &mut LiaSolver,
        term: TermId,
    ) -> Result<Encoded, TermError> {
        Ok(match *terms.get(term) {
            Term::Const(ref value) => Encoded::Lit(Lit::constant(value.is_true())),
            Term::IntConst(ref value) => {
                Encoded::Linear(Linear::constant(Int::from(BigInt::clone(value))))
            }
            Term::Symbol(_) => match terms.sort(term) {
                Sort::Bv(_) => Encoded::Lit(solver.new_lit()),
                Sort::Int => Encoded::Linear(Linear::var(solver.new_int())),
                Sort::Array { .. } => Encoded::Array,
            },
            Term::Unary(op, a) => Encoded::Lit(self.unary(op, a)),
            Term::Binary(op, a, b) => Encoded::Lit(self.binary(terms, solver, op, a, b)?),
            // One bit of one bit.
            Term::Slice { arg, .. } | Term::Extend { arg, .. } => Encoded::Lit(self.known_lit(arg)),
            Term::IntNeg(a) => Encoded::Linear(self.known_linear(a).scale(&Int::from(-1))),
            Term::Int(op, a, b) => self.int(solver, op, a, b)?,
            Term::Ite(c, t, e) => match terms.sort(term) {
                Sort::Array { .. } => Encoded::Array,
                _ => {
                    let branches = [t, e].map(|arg| self.known(arg));
                    self.choose(solver, self.known_lit(c), branches)
                }
            },
            Term::ConstArray { .. } => Encoded::Array,
            Term::Write(_, at, _) => {
                let at = self.index(solver, at);
                self.mention(terms, solver, terms.sort(term), at)?;
                Encoded::Array
            }
            Term::Read(array, at) => {
                let at = self.index(solver, at);
                self.mention(terms, solver, terms.sort(array), at.clone())?;
                self.read(terms, solver, array, At::Index(at))?
            }
        })
    }

    fn known(&self, term: TermId) -> Encoded {
        self.encoded[term.index()].clone().expect("arguments come first")
    }

    fn unary(&self, op: UnaryOp, a: TermId) -> Lit {
        let [zero, one] = [false, true].map(|a| ops::unary(op, &Bv::bit_value(a)).is_true());
        of_one_bit(self.known_lit(a), zero, one)
    }

    fn binary(
        &mut self,
        terms: &Terms,
        solver: &mut LiaSolver,
        op: BinaryOp,
        a: TermId,
        b: TermId,
    ) -> Result<Lit, TermError> {
        match terms.sort(a) {
            Sort::Bv(_) => {
                let value = |a, b| ops::binary(op, &Bv::bit_value(a), &Bv::bit_value(b)).is_true();
                let (a, b) = (self.known_lit(a), self.known_lit(b));
                let then = of_one_bit(b, value(true, false), value(true, true));
                let other = of_one_bit(b, value(false, false), value(false, true));
                Ok(gate::ite(&mut solver.gates(), a, then, other))
            }
            Sort::Int => {
                let difference = self.known_linear(a).minus(self.known_linear(b));
                Ok(solver.eq_zero(&difference) ^ (op == BinaryOp::Neq))
            }
            Sort::Array { .. } => {
                let equal = self.compare(terms, solver, a, b)?;
                Ok(equal ^ (op == BinaryOp::Neq))
            }
        }
    }

    fn int(
        &mut self,
        solver: &mut LiaSolver,
        op: IntOp,
        a: TermId,
        b: TermId,
    ) -> Result<Encoded, TermError> {
        let (a, b) = (self.known_linear(a), self.known_linear(b));
        Ok(match op {
            IntOp::Add => Encoded::Linear(a.plus(b)),
            IntOp::Sub => Encoded::Linear(a.minus(b)),
            IntOp::Mul => {
                let product = self.definitions.multiply(a, b)?;
                Encoded::Linear(product.ok_or(TermError::NonLinear)?)
            }
            IntOp::Div | IntOp::Mod => {
                let is_quotient = op == IntOp::Div;
                let (a, divisor) = (a.clone(), b.as_constant().cloned());
                let divisor = divisor.ok_or(TermError::Division)?;
                Encoded::Linear(match (divisor.is_zero(), is_quotient) {
                    (true, true) => Linear::constant(0),
                    (true, false) => a,
                    _ => self.definitions.divide(solver, &a, &divisor, is_quotient),
                })
            }
            IntOp::Le => Encoded::Lit(solver.le_zero(&a.minus(b))),
            IntOp::Ge => Encoded::Lit(solver.le_zero(&b.minus(a))),
            IntOp::Lt => Encoded::Lit(!solver.le_zero(&b.minus(a))),
            IntOp::Gt => Encoded::Lit(!solver.le_zero(&a.minus(b))),
        })
    }

    /// The first if the condition holds, else the second; of one sort, no arrays.
    fn choose(&mut self, solver: &mut LiaSolver, condition: Lit, of: [Encoded; 2]) -> Encoded {
        match of {
            [Encoded::Lit(t), Encoded::Lit(e)] => {
                Encoded::Lit(gate::ite(&mut solver.gates(), condition, t, e))
            }
            [Encoded::Linear(t), Encoded::Linear(e)] => {
                Encoded::Linear(self.definitions.choose(solver, condition, t, e))
            }
            _ => unreachable!("sorts are checked, and arrays are not chosen"),
        }
    }

    /// An index as an expression.
    fn index(&mut self, solver: &mut LiaSolver, term: TermId) -> Linear {
        match self.known(term) {
            Encoded::Linear(linear) => linear,
            Encoded::Lit(lit) => {
                let [one, zero] = [1, 0].map(Linear::constant);
                self.definitions.choose(solver, lit, one, zero)
            }
            Encoded::Array => unreachable!("indices are no arrays"),
        }
    }

    /// The element of an array. All that the array is made of is known.
    pub(super) fn read(
        &mut self,
        terms: &Terms,
        solver: &mut LiaSolver,
        array: TermId,
        at: At,
    ) -> Result<Encoded, TermError> {
        let mut stack = vec![array];
        while let Some(&next) = stack.last() {
            let key = (next, at.clone());
            if self.reads.contains_key(&key) {
                stack.pop();
                continue;
            }
            let element = match *terms.get(next) {
                Term::Symbol(_) => {
                    let value = match &at {
                        At::Index(at) => {
                            self.definitions.apply(solver, name_of(next), vec![at.clone()])
                        }
                        At::Elsewhere => Linear::var(solver.new_int()),
                    };
                    match terms.sort(next).element() {
                        Some(Sort::Int) => Some(Encoded::Linear(value)),
                        _ => Some(Encoded::Lit(!solver.le_zero(&value))),
                    }
                }
                Term::ConstArray { value, .. } => Some(self.known(value)),
                Term::Write(below, index, value) => {
                    let index = self.index(solver, index);
                    let is_here = match &at {
                        At::Index(at) => solver.eq_zero(&index.minus(at)),
                        At::Elsewhere => Lit::FALSE,
                    };
                    self.part(solver, &at, is_here, Ok(value), Err(below), &mut stack)
                }
                Term::Ite(c, t, e) => {
                    let c = self.known_lit(c);
                    self.part(solver, &at, c, Err(t), Err(e), &mut stack)
                }
                _ => unreachable!("no other term is an array"),
            };
            if let Some(element) = element {
                if let Encoded::Linear(linear) = &element {
                    self.definitions.keep(linear)?;
                }
                if let At::Index(at) = &at {
                    self.definitions.keep(at)?;
                }
                self.reads.insert(key, element);
                stack.pop();
            }
        }
        Ok(self.reads[&(array, at)].clone())
    }

    /// The first if the condition holds, else the second, each of which is a known term or the
    /// element of an array; `None` after what is missing was put on the stack.
    fn part(
        &mut self,
        solver: &mut LiaSolver,
        at: &At,
        condition: Lit,
        then: Result<TermId, TermId>,
        other: Result<TermId, TermId>,
        stack: &mut Vec<TermId>,
    ) -> Option<Encoded> {
        let then = if condition == Lit::FALSE { other } else { then };
        let other = if condition == Lit::TRUE { then } else { other };
        let before = stack.len();
        let found = [then, other].map(|part| match part {
            Ok(term) => Some(self.known(term)),
            Err(array) => {
                let element = self.reads.get(&(array, at.clone())).cloned();
                if element.is_none() {
                    stack.push(array);
                }
                element
            }
        });
        match found {
            [Some(then), Some(_)] if condition.is_const() => Some(then),
            [Some(then), Some(other)] => Some(self.choose(solver, condition, [then, other])),
            _ => {
                debug_assert!(stack.len() > before);
                None
            }
        }
    }
}

/// The function that an array symbol is.
fn name_of(symbol: TermId) -> u32 {
    u32::try_from(symbol.index()).expect("term numbers have 32 bits")
}

/// The literal of a function of one bit, by its values at 0 and at 1.
fn of_one_bit(bit: Lit, zero: bool, one: bool) -> Lit {
    match (zero, one) {
        (false, true) => bit,
        (true, false) => !bit,
        _ => Lit::constant(zero),
    }
}

/// A number as a value of an array's index or element.
fn scalar(sort: Scalar, value: BigInt) -> Value {
    match sort {
        Scalar::Int => Value::Int(value),
        Scalar::Bv(_) => Value::Bv(Bv::bit_value(value > BigInt::ZERO)),
    }
}
