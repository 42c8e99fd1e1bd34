//! Random formulas over integers in a small box, and all their solutions by enumeration.

use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, Terms, UnaryOp};
use pedra_model::value::Value;
use pedra_testkit::random::Random;

/// Symbols range over `-BOX..=BOX`.
pub const BOX: i64 = 3;
/// The function maps a remainder modulo 2 to `-1..=1`.
const RANGE: i64 = 1;

/// A store with some symbols, and every assignment of these.
pub struct Problem {
    pub terms: Terms,
    pub ints: Vec<TermId>,
    pub bools: Vec<TermId>,
    /// A function from integers to integers, as an array that is only read.
    pub function: Option<TermId>,
    /// What must be asserted so that the enumeration is complete.
    pub bounds: TermId,
    /// For each term its value at each point; truth values are 0 and 1. Arrays have none.
    columns: Vec<Vec<i64>>,
    points: usize,
}

impl Problem {
    pub fn new(random: &mut Random) -> Problem {
        let mut terms = Terms::new();
        let ints: Vec<TermId> =
            (0..1 + random.below(3)).map(|_| terms.new_symbol(Sort::Int)).collect();
        let bools: Vec<TermId> =
            (0..random.below(2)).map(|_| terms.new_symbol(Sort::BOOL)).collect();
        let sort = Sort::Array { index: Scalar::Int, element: Scalar::Int };
        let function = (random.below(4) == 0).then(|| terms.new_symbol(sort));
        let mut bounded: Vec<(TermId, i64)> = ints.iter().map(|&x| (x, BOX)).collect();
        for argument in function.iter().flat_map(|_| 0..2) {
            let argument = terms.integer(argument);
            bounded.extend(function.map(|f| (terms.read(f, argument), RANGE)));
        }
        let mut bounds = terms.bool(true);
        for (term, range) in bounded {
            for (op, bound) in [(IntOp::Ge, -range), (IntOp::Le, range)] {
                let bound = terms.integer(bound);
                let holds = terms.int_binary(op, term, bound);
                bounds = terms.binary(BinaryOp::And, bounds, holds);
            }
        }
        let points = (2 * BOX as usize + 1).pow(ints.len() as u32)
            * 2usize.pow(bools.len() as u32)
            * (2 * RANGE as usize + 1).pow(2 * u32::from(function.is_some()));
        Problem { terms, ints, bools, function, bounds, columns: Vec::new(), points }
    }

    /// A random integer term.
    pub fn int_term(&mut self, random: &mut Random, depth: usize) -> TermId {
        let small = |random: &mut Random| random.below(9) as i64 - 4;
        if depth == 0 || random.below(4) == 0 {
            return match random.below(4) {
                0 => self.terms.integer(small(random)),
                _ => self.ints[random.below(self.ints.len())],
            };
        }
        let a = self.int_term(random, depth - 1);
        match (random.below(10), self.function) {
            (op @ 0..=4, _) => {
                let b = self.int_term(random, depth - 1);
                self.terms.int_binary(if op == 4 { IntOp::Sub } else { IntOp::Add }, a, b)
            }
            (5 | 6, _) => {
                let factor = self.terms.integer(small(random));
                self.terms.int_binary(IntOp::Mul, factor, a)
            }
            (7, _) => {
                let by = self.terms.integer([-3, -2, 2, 3, 5][random.below(5)]);
                self.terms.int_binary(if random.coin() { IntOp::Div } else { IntOp::Mod }, a, by)
            }
            (8, Some(function)) => {
                let two = self.terms.integer(2);
                let argument = self.terms.int_binary(IntOp::Mod, a, two);
                self.terms.read(function, argument)
            }
            _ => {
                let b = self.int_term(random, depth - 1);
                let condition = self.bool_term(random, depth - 1);
                self.terms.ite(condition, a, b)
            }
        }
    }

    /// A random formula.
    pub fn bool_term(&mut self, random: &mut Random, depth: usize) -> TermId {
        if depth == 0 || random.below(3) == 0 {
            if !self.bools.is_empty() && random.below(4) == 0 {
                return self.bools[random.below(self.bools.len())];
            }
            let (a, b) = (self.int_term(random, depth), self.int_term(random, depth));
            return match random.below(3) {
                0 => self.terms.binary(BinaryOp::Eq, a, b),
                1 => self.terms.int_binary(IntOp::Lt, a, b),
                _ => self.terms.int_binary(IntOp::Le, a, b),
            };
        }
        let [a, b, c] = [0; 3].map(|_| self.bool_term(random, depth - 1));
        let both = |terms: &mut Terms, op| {
            let first = terms.binary(op, a, b);
            terms.binary(op, first, c)
        };
        match random.below(6) {
            0 => self.terms.unary(UnaryOp::Not, a),
            1 => both(&mut self.terms, BinaryOp::And),
            2 => both(&mut self.terms, BinaryOp::Or),
            3 => self.terms.binary(BinaryOp::Or, a, b),
            4 => self.terms.binary(BinaryOp::Eq, a, b),
            _ => self.terms.ite(a, b, c),
        }
    }

    /// Computes the values of all terms that have none yet.
    fn fill_columns(&mut self) {
        for index in self.columns.len()..self.terms.len() {
            let column = self.compute(TermId::new(index));
            self.columns.push(column);
        }
    }

    /// Whether all of these hold at some point.
    pub fn is_satisfiable(&mut self, all: &[TermId]) -> bool {
        self.fill_columns();
        let holds = |term: &TermId, at: usize| self.columns[term.index()][at] == 1;
        (0..self.points).any(|at| holds(&self.bounds, at) && all.iter().all(|term| holds(term, at)))
    }

    /// The value of a symbol at a point, or of the function there for an argument: digits in mixed
    /// radix.
    fn digit(&self, symbol: TermId, argument: usize, at: usize) -> i64 {
        let mut rest = at;
        for &int in &self.ints {
            let radix = 2 * BOX as usize + 1;
            if int == symbol {
                return (rest % radix) as i64 - BOX;
            }
            rest /= radix;
        }
        if let Some(function) = self.function {
            let radix = 2 * RANGE as usize + 1;
            for value in 0..2 {
                if (function, value) == (symbol, argument) {
                    return (rest % radix) as i64 - RANGE;
                }
                rest /= radix;
            }
        }
        for &bool in &self.bools {
            if bool == symbol {
                return (rest % 2) as i64;
            }
            rest /= 2;
        }
        unreachable!("all symbols are known")
    }

    /// By arithmetic of its own, not by the model's evaluation.
    fn compute(&self, term: TermId) -> Vec<i64> {
        if self.terms.sort(term).is_array() {
            return Vec::new();
        }
        let of = |term: TermId, at: usize| self.columns[term.index()][at];
        let value = |at: usize| match *self.terms.get(term) {
            Term::Symbol(_) => self.digit(term, 0, at),
            Term::Const(ref value) => i64::from(value.is_true()),
            Term::IntConst(ref value) => i64::try_from(&**value).expect("small"),
            Term::Unary(UnaryOp::Not, a) => 1 - of(a, at),
            Term::Binary(BinaryOp::And, a, b) => of(a, at) & of(b, at),
            Term::Binary(BinaryOp::Or, a, b) => of(a, at) | of(b, at),
            Term::Binary(BinaryOp::Eq, a, b) => i64::from(of(a, at) == of(b, at)),
            Term::Int(op, a, b) => {
                let (a, b) = (of(a, at), of(b, at));
                match op {
                    IntOp::Add => a + b,
                    IntOp::Sub => a - b,
                    IntOp::Mul => a * b,
                    IntOp::Div => a.div_euclid(b),
                    IntOp::Mod => a.rem_euclid(b),
                    IntOp::Le => i64::from(a <= b),
                    IntOp::Lt => i64::from(a < b),
                    IntOp::Ge => i64::from(a >= b),
                    IntOp::Gt => i64::from(a > b),
                }
            }
            Term::Ite(c, a, b) => of(if of(c, at) == 1 { a } else { b }, at),
            Term::Read(function, argument) => self.digit(function, of(argument, at) as usize, at),
            ref other => unreachable!("{other:?} is not made here"),
        };
        (0..self.points).map(value).collect()
    }

    /// Whether a model makes all formulas true, by the reference semantics.
    pub fn holds(&self, all: &[TermId], symbol: impl Fn(TermId) -> Value) -> bool {
        let mut values: Vec<Value> = Vec::with_capacity(self.terms.len());
        for (id, term) in self.terms.iter() {
            let value = ops::apply(term, |arg| &values[arg.index()]);
            values.push(value.unwrap_or_else(|| symbol(id)));
        }
        let one = Value::Bv(Bv::bit_value(true));
        all.iter().all(|term| values[term.index()] == one)
    }
}
