//! Horn clauses as plain data.

use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use pedra_program::Span;

/// An unknown relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicate {
    /// Its name, without quotes.
    pub name: Box<str>,
    /// The sorts of its arguments. Truth values are single bits.
    pub sorts: Vec<Sort>,
    /// Where it is declared.
    pub span: Span,
}

/// A predicate over terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// A position in [`Clauses::predicates`].
    pub predicate: usize,
    /// The arguments.
    pub args: Vec<TermId>,
}

/// `∀ variables. constraint ∧ body → head`. The variables are the symbols that occur.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clause {
    /// The predicates of the body.
    pub body: Vec<Atom>,
    /// One-bit terms: all of them hold.
    pub constraint: Vec<TermId>,
    /// What follows; *false* if absent, and the clause is a query.
    pub head: Option<Atom>,
    /// Where it stands.
    pub span: Span,
    /// Its text on one line, cut off if it is long.
    pub text: Box<str>,
}

/// What the quotient and the remainder of an integer by zero are.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum ByZero {
    /// 0 and the dividend, as for the terms of the model. So it is in clauses of programs.
    #[default]
    Fixed,
    /// Some function of the dividend, as in SMT-LIB. So it is in clauses that were read.
    Open,
}

/// A set of clauses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Clauses {
    /// The store of all terms.
    pub terms: Terms,
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// What division by zero gives.
    pub by_zero: ByZero,
}

impl Clauses {
    /// No clauses.
    pub fn new() -> Clauses {
        Clauses::default()
    }

    /// How many clauses have two or more predicates in their body.
    pub fn num_nonlinear(&self) -> usize {
        self.clauses.iter().filter(|clause| clause.body.len() > 1).count()
    }
}

impl Clause {
    /// The roots of all terms of the clause.
    pub fn terms(&self) -> impl Iterator<Item = TermId> + '_ {
        let atoms = self.body.iter().chain(&self.head);
        atoms.flat_map(|atom| atom.args.iter().copied()).chain(self.constraint.iter().copied())
    }
}

/// The conjuncts of a one-bit term, in order; none for *true*.
pub(crate) fn conjuncts(terms: &mut Terms, term: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        match *terms.get(term) {
            _ if terms.is_bool(term, true) => {}
            Term::Binary(BinaryOp::And, a, b) if terms.sort(term) == Sort::BOOL => {
                stack.extend([b, a]);
            }
            Term::Unary(UnaryOp::Not, inner) => match *terms.get(inner) {
                _ if terms.is_bool(inner, false) => {}
                Term::Binary(BinaryOp::Implies, a, b) => {
                    let not = terms.not(b);
                    stack.extend([not, a]);
                }
                Term::Binary(BinaryOp::Or, a, b) => {
                    let (not_a, not_b) = (terms.not(a), terms.not(b));
                    stack.extend([not_b, not_a]);
                }
                _ => found.push(term),
            },
            _ => found.push(term),
        }
    }
    found
}
