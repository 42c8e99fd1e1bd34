//! Formulas over integers for the examples.

use pedra_model::term::{BinaryOp, IntOp, TermId, Terms};

/// A constant times a term.
pub fn times(terms: &mut Terms, factor: i64, term: TermId) -> TermId {
    let factor = terms.integer(factor);
    terms.int_binary(IntOp::Mul, factor, term)
}

/// The sum of some terms.
pub fn sum_of(terms: &mut Terms, parts: &[TermId]) -> TermId {
    let zero = terms.integer(0);
    parts.iter().fold(zero, |sum, &part| terms.int_binary(IntOp::Add, sum, part))
}

/// All of these hold.
pub fn all(terms: &mut Terms, parts: &[TermId]) -> TermId {
    let holds = terms.bool(true);
    parts.iter().fold(holds, |both, &part| terms.binary(BinaryOp::And, both, part))
}

/// One of these holds.
pub fn any(terms: &mut Terms, parts: &[TermId]) -> TermId {
    let none = terms.bool(false);
    parts.iter().fold(none, |one, &part| terms.binary(BinaryOp::Or, one, part))
}
