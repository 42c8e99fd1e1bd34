//! Guards that plainly exclude each other: a syntactic test that makes choices unnecessary.

use pedra_model::term::{BinaryOp, Term, TermId, Terms, UnaryOp};

/// How many conjuncts of a guard are looked at.
const MAX_CONJUNCTS: usize = 32;

/// Whether two conditions plainly never hold together: one is the negation of the other, or a
/// conjunct of one contradicts one of the other.
pub(crate) fn exclude_each_other(terms: &mut Terms, a: TermId, b: TermId) -> bool {
    let [not_a, not_b] = [a, b].map(|term| terms.simplified(Term::Unary(UnaryOp::Not, term)));
    if not_a == b || not_b == a {
        return true;
    }
    let (left, right) = (conjuncts(terms, a), conjuncts(terms, b));
    left.iter().any(|&a| {
        let opposite = terms.simplified(Term::Unary(UnaryOp::Not, a));
        right.iter().any(|&b| b == opposite || differ(terms, a, b))
    })
}

/// Whether both are equalities of the same term with different constants.
fn differ(terms: &Terms, a: TermId, b: TermId) -> bool {
    match (terms.get(a), terms.get(b)) {
        (Term::Binary(BinaryOp::Eq, x, k), Term::Binary(BinaryOp::Eq, y, l)) => {
            let constants = terms.as_constant(*k).zip(terms.as_constant(*l));
            x == y && constants.is_some_and(|(k, l)| k != l)
        }
        _ => false,
    }
}

fn conjuncts(terms: &mut Terms, condition: TermId) -> Vec<TermId> {
    let (mut found, mut stack) = (Vec::new(), vec![condition]);
    while let Some(term) = stack.pop() {
        match *terms.get(term) {
            Term::Binary(BinaryOp::And, a, b) if found.len() < MAX_CONJUNCTS => {
                stack.extend([a, b]);
            }
            // Simplified, so that a negated comparison is a comparison.
            Term::Unary(op, a) => found.push(terms.simplified(Term::Unary(op, a))),
            Term::Binary(op, a, b) => found.push(terms.simplified(Term::Binary(op, a, b))),
            _ => found.push(term),
        }
    }
    found
}
