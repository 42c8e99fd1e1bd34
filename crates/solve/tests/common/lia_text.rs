//! Formulas over integers for the examples: how they are made, and their text in SMT-LIB.

use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms, UnaryOp};

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

/// The definition of a term, by the names of its arguments.
pub fn define(terms: &Terms, term: TermId) -> String {
    let name = format!("t{}", term.index());
    let sort = if terms.sort(term) == Sort::Int { "Int" } else { "Bool" };
    let call = |op: &str| {
        let args: Vec<String> =
            terms.get(term).args().map(|arg| format!("t{}", arg.index())).collect();
        format!("({op} {})", args.join(" "))
    };
    let body = match terms.get(term) {
        Term::Symbol(_) => return format!("(declare-const {name} {sort})\n"),
        Term::Const(value) => value.is_true().to_string(),
        Term::IntConst(value) if value.sign() == num_bigint::Sign::Minus => {
            format!("(- {})", value.magnitude())
        }
        Term::IntConst(value) => value.to_string(),
        Term::Unary(UnaryOp::Not, _) => call("not"),
        Term::Binary(BinaryOp::And, ..) => call("and"),
        Term::Binary(BinaryOp::Or, ..) => call("or"),
        Term::Binary(BinaryOp::Eq, ..) => call("="),
        Term::Ite(..) => call("ite"),
        Term::Int(op, ..) => call(match op {
            IntOp::Add => "+",
            IntOp::Sub => "-",
            IntOp::Mul => "*",
            IntOp::Div => "div",
            IntOp::Mod => "mod",
            IntOp::Le => "<=",
            IntOp::Lt => "<",
            IntOp::Ge => ">=",
            IntOp::Gt => ">",
        }),
        other => unreachable!("{other:?} is not made here"),
    };
    format!("(define-fun {name} () {sort} {body})\n")
}
