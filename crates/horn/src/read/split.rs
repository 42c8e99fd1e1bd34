//! From a formula to its Horn clauses.
//!
//! A formula in positive position is taken apart into a disjunction of literals; a conjunction
//! there gives several clauses, and so does a disjunction in a body. Constraints stay whole: only
//! what predicates or quantifiers occur in is looked into.
//!
//! ```text
//! clause ::= ∀x. clause | a → clause | ¬body | clause ∨ clause | clause ∧ clause | P(t) | φ
//! body   ::= ∃x. body | body ∧ body | body ∨ body | ¬clause | P(t) | φ
//! ```

use super::formula::{Mark, Names};
use crate::clauses::{Atom, conjuncts};
use pedra_model::term::{BinaryOp, Term, TermId, UnaryOp};

/// The literals of one clause, and what is still to be taken apart.
#[derive(Clone, Default)]
pub(super) struct Parts {
    pub(super) body: Vec<Atom>,
    pub(super) constraint: Vec<TermId>,
    pub(super) head: Option<Atom>,
    /// Disjuncts: a term, and whether it stands there itself rather than its negation.
    open: Vec<(TermId, bool)>,
}

/// Why a formula is no Horn clause: where, and what.
pub(super) struct NotHorn {
    pub(super) offset: Option<usize>,
    pub(super) message: &'static str,
}

/// The clauses of one formula may have this many parts in all.
const MAX_PARTS: usize = 4_000_000;

/// Whether clauses may have a head.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Heads {
    Allowed,
    Refused,
}

/// The clauses of a formula.
pub(super) fn split(
    names: &mut Names<'_>,
    formula: TermId,
    heads: Heads,
) -> Result<Vec<Parts>, NotHorn> {
    let mut clauses = Vec::new();
    let mut waiting = vec![Parts { open: vec![(formula, true)], ..Parts::default() }];
    let mut parts = 0;
    while let Some(mut clause) = waiting.pop() {
        let mut is_true = false;
        while let Some((term, is_positive)) = clause.open.pop() {
            parts += 1;
            match take(names, &mut clause, term, is_positive)? {
                Taken::Done => {}
                Taken::True => {
                    is_true = true;
                    break;
                }
                Taken::Both(a, b) => {
                    // (c ∨ a ∧ b) is (c ∨ a) ∧ (c ∨ b).
                    let mut other = clause.clone();
                    parts += other.body.len() + other.constraint.len() + other.open.len();
                    other.open.push(b);
                    waiting.push(other);
                    clause.open.push(a);
                }
            }
            if heads == Heads::Refused && clause.head.is_some() {
                let message = "a negated predicate in a query";
                return Err(NotHorn { offset: Some(names.marks[&term].1), message });
            }
            if parts > MAX_PARTS {
                let message = "the clauses of this formula become too many or too large";
                return Err(NotHorn { offset: None, message });
            }
        }
        if !is_true {
            clauses.push(clause);
        }
    }
    Ok(clauses)
}

enum Taken {
    Done,
    /// The clause holds anyway.
    True,
    /// A conjunction of two: the terms, and whether they stand there themselves.
    Both((TermId, bool), (TermId, bool)),
}

/// Takes one disjunct apart by a step.
fn take(
    names: &mut Names<'_>,
    clause: &mut Parts,
    term: TermId,
    is_positive: bool,
) -> Result<Taken, NotHorn> {
    if names.terms.is_bool(term, is_positive) {
        return Ok(Taken::True);
    }
    if names.terms.is_bool(term, !is_positive) {
        return Ok(Taken::Done);
    }
    if let Some((mark, offset)) = names.marks.get(&term) {
        let fail = |message| Err(NotHorn { offset: Some(*offset), message });
        match (mark, is_positive) {
            (Mark::Predicate(atom), false) => clause.body.push(atom.clone()),
            (Mark::Predicate(_), true) if clause.head.is_some() => {
                return fail("a second predicate in the head of a clause");
            }
            (Mark::Predicate(atom), true) => clause.head = Some(atom.clone()),
            (Mark::Forall(body), true) | (Mark::Exists(body), false) => {
                clause.open.push((*body, is_positive));
            }
            (Mark::Forall(_), false) => return fail("`forall` in the body of a clause"),
            (Mark::Exists(_), true) => return fail("`exists` in the head of a clause"),
        }
        return Ok(Taken::Done);
    }
    if !names.is_marked(term) {
        constrain(names, clause, term, is_positive);
        return Ok(Taken::Done);
    }
    match (names.terms.get(term), is_positive) {
        (&Term::Unary(UnaryOp::Not, a), _) => clause.open.push((a, !is_positive)),
        (&Term::Binary(BinaryOp::Implies, a, b), true) => {
            clause.open.extend([(b, true), (a, false)]);
        }
        (&Term::Binary(BinaryOp::Or, a, b), true) | (&Term::Binary(BinaryOp::And, a, b), false) => {
            clause.open.extend([(b, is_positive), (a, is_positive)]);
        }
        (&Term::Binary(BinaryOp::And, a, b), true) | (&Term::Binary(BinaryOp::Or, a, b), false) => {
            return Ok(Taken::Both((a, is_positive), (b, is_positive)));
        }
        (&Term::Binary(BinaryOp::Implies, a, b), false) => {
            return Ok(Taken::Both((a, true), (b, false)));
        }
        _ => {
            let message = "a predicate or quantifier where a Horn clause has none";
            return Err(NotHorn { offset: Some(marked_offset(names, term)), message });
        }
    }
    Ok(Taken::Done)
}

/// Adds the constraint under which the disjunct does not hold.
fn constrain(names: &mut Names<'_>, clause: &mut Parts, term: TermId, is_positive: bool) {
    let terms = &mut names.terms;
    let term = if is_positive { terms.not(term) } else { term };
    clause.constraint.extend(conjuncts(terms, term));
}

/// The position of some marked symbol below a term.
fn marked_offset(names: &mut Names<'_>, term: TermId) -> usize {
    let mut at = term;
    loop {
        if let Some((_, offset)) = names.marks.get(&at) {
            return *offset;
        }
        let mut args = names.terms.get(at).args();
        at = args.find(|&arg| names.is_marked(arg)).expect("what is marked has a marked symbol");
    }
}
