//! Formulas over integers: a store of terms.
//!
//! Terms are hash-consed and refer to earlier ones by 32-bit numbers, as the word-level terms of
//! the model do; passes are loops, and nothing recurses. The store keeps terms as they are
//! built; meaning is given by [`Formulas::eval`], which is the reference, and by
//! [`Encoder`](super::Encoder).
//!
//! `div` and `mod` are those of SMT-LIB (Boute's Euclidean division): `a = b·(a div b) + a mod
//! b` with `0 ≤ a mod b < |b|`. By 0 they have no value here.

use super::int::Int;
use rustc_hash::FxHashMap;
use std::fmt;

/// A term of a [`Formulas`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

impl Term {
    /// Its number: smaller than that of any term that contains it.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// The kind of value of a term.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// A truth value.
    Bool,
    /// An integer.
    Int,
}

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A constant truth value.
    Bool(bool),
    /// A Boolean symbol.
    BoolSymbol(u32),
    /// Negation.
    Not(Term),
    /// All hold.
    And(Box<[Term]>),
    /// At least one holds.
    Or(Box<[Term]>),
    /// Both or none hold.
    Iff(Term, Term),
    /// `a ≤ b`.
    Le(Term, Term),
    /// `a = b` over integers.
    Eq(Term, Term),
    /// A constant integer.
    Int(Int),
    /// An integer symbol.
    IntSymbol(u32),
    /// The sum of all.
    Add(Box<[Term]>),
    /// A product.
    Mul(Term, Term),
    /// Euclidean quotient.
    Div(Term, Term),
    /// Euclidean remainder.
    Mod(Term, Term),
    /// The second if the first holds, else the third; these two have the same sort.
    Ite(Term, Term, Term),
    /// A function of this number, from integers to an integer.
    Apply(u32, Box<[Term]>),
}

/// The value of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Of sort Bool.
    Bool(bool),
    /// Of sort Int.
    Int(Int),
}

impl Value {
    fn truth(&self) -> bool {
        matches!(self, Value::Bool(true))
    }

    fn number(&self) -> &Int {
        match self {
            Value::Int(number) => number,
            Value::Bool(_) => unreachable!("sorts are checked when terms are built"),
        }
    }
}

/// The store.
#[derive(Clone, Default)]
pub struct Formulas {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    known: FxHashMap<Node, Term>,
    symbols: u32,
}

impl Formulas {
    /// An empty store.
    pub fn new() -> Formulas {
        Formulas::default()
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All terms, in order.
    pub fn iter(&self) -> impl Iterator<Item = Term> + use<> {
        (0..self.nodes.len() as u32).map(Term)
    }

    /// What a term is.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        self.sorts[term.index()]
    }

    /// The terms directly below a term.
    pub fn children(&self, term: Term) -> Vec<Term> {
        children(self.node(term))
    }

    /// The term for a node.
    ///
    /// # Panics
    /// If the sorts do not fit, or there are 2^32 terms.
    pub fn add(&mut self, node: Node) -> Term {
        if let Some(&term) = self.known.get(&node) {
            return term;
        }
        let sort = self.check_sorts(&node);
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push(node.clone());
        self.sorts.push(sort);
        self.known.insert(node, term);
        term
    }

    fn check_sorts(&self, node: &Node) -> Sort {
        let (inputs, sort) = match node {
            Node::Bool(_) | Node::BoolSymbol(_) => (Sort::Bool, Sort::Bool),
            Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Iff(..) => (Sort::Bool, Sort::Bool),
            Node::Le(..) | Node::Eq(..) => (Sort::Int, Sort::Bool),
            Node::Ite(condition, then, other) => {
                assert_eq!(self.sort(*condition), Sort::Bool, "{node:?} has a wrong condition");
                assert_eq!(self.sort(*then), self.sort(*other), "{node:?} has two sorts");
                return self.sort(*then);
            }
            _ => (Sort::Int, Sort::Int),
        };
        let fits = children(node).iter().all(|&child| self.sort(child) == inputs);
        assert!(fits, "{node:?} has inputs of a wrong sort");
        sort
    }

    /// A symbol that was not in use.
    pub fn new_symbol(&mut self, sort: Sort) -> Term {
        self.symbols += 1;
        self.add(match sort {
            Sort::Bool => Node::BoolSymbol(self.symbols - 1),
            Sort::Int => Node::IntSymbol(self.symbols - 1),
        })
    }

    /// An integer constant.
    pub fn int(&mut self, value: impl Into<Int>) -> Term {
        self.add(Node::Int(value.into()))
    }

    /// `¬a`.
    pub fn not(&mut self, a: Term) -> Term {
        self.add(Node::Not(a))
    }

    /// The conjunction of all.
    pub fn and(&mut self, all: &[Term]) -> Term {
        self.add(Node::And(all.into()))
    }

    /// The disjunction of all.
    pub fn or(&mut self, all: &[Term]) -> Term {
        self.add(Node::Or(all.into()))
    }

    /// `a ≤ b`.
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        self.add(Node::Le(a, b))
    }

    /// `a < b`.
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        let reverse = self.le(b, a);
        self.not(reverse)
    }

    /// `a = b` over integers.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.add(Node::Eq(a, b))
    }

    /// `Σ all`.
    pub fn sum(&mut self, all: &[Term]) -> Term {
        self.add(Node::Add(all.into()))
    }

    /// `a − b`.
    pub fn minus(&mut self, a: Term, b: Term) -> Term {
        let negated = self.times(-1, b);
        self.sum(&[a, negated])
    }

    /// `factor · a`.
    pub fn times(&mut self, factor: impl Into<Int>, a: Term) -> Term {
        let factor = self.int(factor);
        self.add(Node::Mul(factor, a))
    }

    /// The values of all terms that `roots` depend on, given those of symbols and functions;
    /// `None` where a division by 0 is among them. The reference semantics.
    pub fn eval(
        &self,
        roots: &[Term],
        mut symbol: impl FnMut(Term) -> Value,
        mut function: impl FnMut(u32, &[Int]) -> Int,
    ) -> Option<Vec<Value>> {
        let mut values: Vec<Option<Value>> = vec![None; self.len()];
        for term in self.cone(roots) {
            let of = |term: &Term| values[term.index()].as_ref().expect("it is earlier");
            let number = |term: &Term| of(term).number();
            let value = match self.node(term) {
                Node::BoolSymbol(_) | Node::IntSymbol(_) => symbol(term),
                Node::Bool(value) => Value::Bool(*value),
                Node::Not(a) => Value::Bool(!of(a).truth()),
                Node::And(all) => Value::Bool(all.iter().all(|a| of(a).truth())),
                Node::Or(all) => Value::Bool(all.iter().any(|a| of(a).truth())),
                Node::Iff(a, b) => Value::Bool(of(a).truth() == of(b).truth()),
                Node::Le(a, b) => Value::Bool(number(a) <= number(b)),
                Node::Eq(a, b) => Value::Bool(number(a) == number(b)),
                Node::Int(value) => Value::Int(value.clone()),
                Node::Add(all) => Value::Int(all.iter().fold(Int::ZERO, |sum, a| &sum + number(a))),
                Node::Mul(a, b) => Value::Int(number(a) * number(b)),
                Node::Div(a, b) => Value::Int(euclid(number(a), number(b))?.0),
                Node::Mod(a, b) => Value::Int(euclid(number(a), number(b))?.1),
                Node::Ite(c, a, b) => of(if of(c).truth() { a } else { b }).clone(),
                Node::Apply(name, args) => {
                    let args: Vec<Int> = args.iter().map(|a| number(a).clone()).collect();
                    Value::Int(function(*name, &args))
                }
            };
            values[term.index()] = Some(value);
        }
        roots.iter().map(|root| values[root.index()].clone()).collect()
    }

    /// All terms that `roots` depend on, ascending.
    pub fn cone(&self, roots: &[Term]) -> Vec<Term> {
        let mut is_in = vec![false; self.len()];
        let mut stack: Vec<Term> = roots.to_vec();
        while let Some(term) = stack.pop() {
            if !std::mem::replace(&mut is_in[term.index()], true) {
                stack.extend(self.children(term));
            }
        }
        self.iter().filter(|term| is_in[term.index()]).collect()
    }
}

fn children(node: &Node) -> Vec<Term> {
    match node {
        Node::Bool(_) | Node::BoolSymbol(_) | Node::Int(_) | Node::IntSymbol(_) => Vec::new(),
        Node::Not(a) => vec![*a],
        Node::And(all) | Node::Or(all) | Node::Add(all) | Node::Apply(_, all) => all.to_vec(),
        Node::Iff(a, b) | Node::Le(a, b) | Node::Eq(a, b) => vec![*a, *b],
        Node::Mul(a, b) | Node::Div(a, b) | Node::Mod(a, b) => vec![*a, *b],
        Node::Ite(a, b, c) => vec![*a, *b, *c],
    }
}

/// Quotient and remainder, unless `b` is 0.
pub(super) fn euclid(a: &Int, b: &Int) -> Option<(Int, Int)> {
    if b.is_zero() {
        return None;
    }
    let remainder = a.mod_floor(&b.abs());
    Some(((a - &remainder).div_floor(b), remainder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_euclidean() {
        for (a, b, quotient, remainder) in
            [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1), (6, -3, -2, 0)]
        {
            let result = euclid(&Int::from(a), &Int::from(b));
            assert_eq!(result, Some((Int::from(quotient), Int::from(remainder))), "{a} div {b}");
        }
        assert_eq!(euclid(&Int::ONE, &Int::ZERO), None);
    }

    #[test]
    #[should_panic(expected = "wrong sort")]
    fn sorts_are_checked() {
        let mut formulas = Formulas::new();
        let x = formulas.new_symbol(Sort::Int);
        formulas.not(x);
    }
}
