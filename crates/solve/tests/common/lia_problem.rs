//! Random formulas over integers in a small box, and all their solutions by enumeration.

use pedra_solve::lia::{Formulas, Int, Node, Sort, Term, Value};
use pedra_testkit::random::Random;

/// Symbols range over `-BOX..=BOX`.
pub const BOX: i64 = 3;
/// The function maps a remainder modulo 2 to `-1..=1`.
const RANGE: i64 = 1;

/// A store with some symbols, and every assignment of these.
pub struct Problem {
    pub formulas: Formulas,
    pub ints: Vec<Term>,
    pub bools: Vec<Term>,
    /// `f(0)` and `f(1)`, if there is a function.
    pub function: Vec<Term>,
    /// What must be asserted so that the enumeration is complete.
    pub bounds: Term,
    /// For each term its value at each point; truth values are 0 and 1.
    columns: Vec<Vec<i64>>,
    points: usize,
}

impl Problem {
    pub fn new(random: &mut Random) -> Problem {
        let mut formulas = Formulas::new();
        let ints: Vec<Term> =
            (0..1 + random.below(3)).map(|_| formulas.new_symbol(Sort::Int)).collect();
        let bools: Vec<Term> =
            (0..random.below(2)).map(|_| formulas.new_symbol(Sort::Bool)).collect();
        let mut function = Vec::new();
        if random.below(4) == 0 {
            for argument in 0..2 {
                let argument = formulas.int(argument);
                function.push(formulas.add(Node::Apply(0, [argument].into())));
            }
        }
        let mut all = Vec::new();
        for (&term, range) in
            ints.iter().map(|x| (x, BOX)).chain(function.iter().map(|f| (f, RANGE)))
        {
            let (low, high) = (formulas.int(-range), formulas.int(range));
            all.push(formulas.le(low, term));
            all.push(formulas.le(term, high));
        }
        let bounds = formulas.and(&all);
        let points = (2 * BOX as usize + 1).pow(ints.len() as u32)
            * 2usize.pow(bools.len() as u32)
            * (2 * RANGE as usize + 1).pow(function.len() as u32);
        Problem { formulas, ints, bools, function, bounds, columns: Vec::new(), points }
    }

    /// A random integer term.
    pub fn int_term(&mut self, random: &mut Random, depth: usize) -> Term {
        let small = |random: &mut Random| random.below(9) as i64 - 4;
        if depth == 0 || random.below(4) == 0 {
            return match random.below(4) {
                0 => self.formulas.int(small(random)),
                _ => self.ints[random.below(self.ints.len())],
            };
        }
        let a = self.int_term(random, depth - 1);
        match random.below(10) {
            0..=3 => {
                let b = self.int_term(random, depth - 1);
                self.formulas.sum(&[a, b])
            }
            4 => {
                let b = self.int_term(random, depth - 1);
                self.formulas.minus(a, b)
            }
            5 | 6 => self.formulas.times(small(random), a),
            7 => {
                let by = [-3, -2, 2, 3, 5][random.below(5)];
                let by = self.formulas.int(by);
                self.formulas.add(if random.coin() { Node::Div(a, by) } else { Node::Mod(a, by) })
            }
            8 if !self.function.is_empty() => {
                let two = self.formulas.int(2);
                let argument = self.formulas.add(Node::Mod(a, two));
                self.formulas.add(Node::Apply(0, [argument].into()))
            }
            _ => {
                let b = self.int_term(random, depth - 1);
                let condition = self.bool_term(random, depth - 1);
                self.formulas.add(Node::Ite(condition, a, b))
            }
        }
    }

    /// A random formula.
    pub fn bool_term(&mut self, random: &mut Random, depth: usize) -> Term {
        if depth == 0 || random.below(3) == 0 {
            if !self.bools.is_empty() && random.below(4) == 0 {
                return self.bools[random.below(self.bools.len())];
            }
            let (a, b) = (self.int_term(random, depth), self.int_term(random, depth));
            return match random.below(3) {
                0 => self.formulas.eq(a, b),
                1 => self.formulas.lt(a, b),
                _ => self.formulas.le(a, b),
            };
        }
        let [a, b, c] = [0; 3].map(|_| self.bool_term(random, depth - 1));
        match random.below(6) {
            0 => self.formulas.not(a),
            1 => self.formulas.and(&[a, b, c]),
            2 => self.formulas.or(&[a, b, c]),
            3 => self.formulas.or(&[a, b]),
            4 => self.formulas.add(Node::Iff(a, b)),
            _ => self.formulas.add(Node::Ite(a, b, c)),
        }
    }

    /// For each point whether a formula holds there.
    pub fn column(&mut self, formula: Term) -> &[i64] {
        for term in self.formulas.iter().skip(self.columns.len()) {
            let column = self.compute(term);
            self.columns.push(column);
        }
        &self.columns[formula.index()]
    }

    /// Whether all of these hold at some point.
    pub fn is_satisfiable(&mut self, all: &[Term]) -> bool {
        let bounds = self.bounds;
        self.column(bounds);
        (0..self.points).any(|at| {
            self.columns[bounds.index()][at] == 1
                && all.iter().all(|term| self.columns[term.index()][at] == 1)
        })
    }

    /// The number of symbol `place`'s value at a point, in mixed radix.
    fn digit(&self, symbol: Term, at: usize) -> i64 {
        let mut rest = at;
        for &int in &self.ints {
            let radix = 2 * BOX as usize + 1;
            if int == symbol {
                return (rest % radix) as i64 - BOX;
            }
            rest /= radix;
        }
        for &value in &self.function {
            let radix = 2 * RANGE as usize + 1;
            if value == symbol {
                return (rest % radix) as i64 - RANGE;
            }
            rest /= radix;
        }
        for &bool in &self.bools {
            if bool == symbol {
                return (rest % 2) as i64;
            }
            rest /= 2;
        }
        unreachable!("all symbols are known")
    }

    fn compute(&self, term: Term) -> Vec<i64> {
        let of = |term: &Term, at: usize| self.columns[term.index()][at];
        let value = |at: usize| match self.formulas.node(term) {
            Node::BoolSymbol(_) | Node::IntSymbol(_) => self.digit(term, at),
            Node::Bool(value) => *value as i64,
            Node::Not(a) => 1 - of(a, at),
            Node::And(all) => all.iter().all(|a| of(a, at) == 1) as i64,
            Node::Or(all) => all.iter().any(|a| of(a, at) == 1) as i64,
            Node::Iff(a, b) | Node::Eq(a, b) => (of(a, at) == of(b, at)) as i64,
            Node::Le(a, b) => (of(a, at) <= of(b, at)) as i64,
            Node::Int(value) => value.to_i64().expect("small"),
            Node::Add(all) => all.iter().map(|a| of(a, at)).sum(),
            Node::Mul(a, b) => of(a, at) * of(b, at),
            Node::Div(a, b) => of(a, at).div_euclid(of(b, at)),
            Node::Mod(a, b) => of(a, at).rem_euclid(of(b, at)),
            Node::Ite(c, a, b) => of(if of(c, at) == 1 { a } else { b }, at),
            Node::Apply(_, args) => self.digit(self.function[of(&args[0], at) as usize], at),
        };
        (0..self.points).map(value).collect()
    }

    /// Whether a model makes all formulas true, by the reference semantics.
    pub fn holds(
        &self,
        all: &[Term],
        int: impl Fn(Term) -> Int,
        bool: impl Fn(Term) -> bool,
    ) -> bool {
        let symbol = |term: Term| match self.formulas.sort(term) {
            Sort::Int => Value::Int(int(term)),
            Sort::Bool => Value::Bool(bool(term)),
        };
        let function = |_: u32, args: &[Int]| {
            let place = args[0].to_i64().expect("a remainder") as usize;
            int(self.function[place])
        };
        let values = self.formulas.eval(all, symbol, function).expect("no division by 0");
        values.iter().all(|value| *value == Value::Bool(true))
    }
}
