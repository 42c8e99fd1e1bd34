//! Functions that stand for operators of SMT-LIB: `{:bvbuiltin "bvadd"}`. Those with numbers are
//! written `"zero_extend 16"`, `"(_ zero_extend 16)"` or, as Ultimate does, with
//! `{:indices 16}`.

use super::Checker;
use crate::source::{Fault, Outcome};
use crate::syntax;
use crate::tree::{Builtin, VarId};
use crate::types::{Type, TypeId};
use pedra_model::term::{BinaryOp, UnaryOp};

const UNARY: &[(&str, UnaryOp)] = &[("bvnot", UnaryOp::Not), ("bvneg", UnaryOp::Neg)];

const BINARY: &[(&str, BinaryOp)] = &[
    ("bvand", BinaryOp::And),
    ("bvor", BinaryOp::Or),
    ("bvxor", BinaryOp::Xor),
    ("bvnand", BinaryOp::Nand),
    ("bvnor", BinaryOp::Nor),
    ("bvxnor", BinaryOp::Xnor),
    ("bvadd", BinaryOp::Add),
    ("bvsub", BinaryOp::Sub),
    ("bvmul", BinaryOp::Mul),
    ("bvudiv", BinaryOp::Udiv),
    ("bvurem", BinaryOp::Urem),
    ("bvsdiv", BinaryOp::Sdiv),
    ("bvsrem", BinaryOp::Srem),
    ("bvsmod", BinaryOp::Smod),
    ("bvshl", BinaryOp::Sll),
    ("bvlshr", BinaryOp::Srl),
    ("bvashr", BinaryOp::Sra),
    ("bvult", BinaryOp::Ult),
    ("bvule", BinaryOp::Ulte),
    ("bvugt", BinaryOp::Ugt),
    ("bvuge", BinaryOp::Ugte),
    ("bvslt", BinaryOp::Slt),
    ("bvsle", BinaryOp::Slte),
    ("bvsgt", BinaryOp::Sgt),
    ("bvsge", BinaryOp::Sgte),
    ("concat", BinaryOp::Concat),
];

/// The SMT-LIB name of an operator, if it has one.
pub(crate) fn builtin_of_unary(op: UnaryOp) -> Option<&'static str> {
    UNARY.iter().find(|(_, other)| *other == op).map(|(name, _)| *name)
}

/// The SMT-LIB name of an operator, if it has one.
pub(crate) fn builtin_of_binary(op: BinaryOp) -> Option<&'static str> {
    BINARY.iter().find(|(_, other)| *other == op).map(|(name, _)| *name)
}

/// Whether the result is a truth value rather than a bit-vector.
pub(crate) fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Ult | Ulte | Ugt | Ugte | Slt | Slte | Sgt | Sgte)
}

impl<'s> Checker<'_, 's> {
    /// The operator that a function's attributes name, if they name one.
    pub(super) fn builtin(
        &self,
        function: &syntax::Function<'s>,
        parameters: &[VarId],
        result: TypeId,
    ) -> Outcome<Option<Builtin>> {
        let span = function.name.span;
        let attribute = |name: &str| function.attributes.iter().find(|a| a.name == name);
        if attribute("smtdefined").is_some() {
            return Err(Fault::unsupported(span, "functions defined in SMT-LIB"));
        }
        let Some(named) = attribute("bvbuiltin").or_else(|| attribute("builtin")) else {
            return Ok(None);
        };
        let text = named.texts.first().copied().unwrap_or_default();
        let text = text.trim_start_matches("(_").trim_end_matches(')');
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let numbers = named.numbers.iter().copied();
        let indices = attribute("indices").map(|a| a.numbers.as_slice()).unwrap_or_default();
        let number = words.chain(numbers).chain(indices.iter().copied()).next();
        let unary = UNARY.iter().find(|(text, _)| *text == name).map(|(_, op)| Builtin::Unary(*op));
        let binary = BINARY.iter().find(|(text, _)| *text == name);
        let binary = binary.map(|(_, op)| Builtin::Binary(*op));
        let extend = matches!(name, "zero_extend" | "sign_extend").then(|| {
            let by = number.and_then(|number| number.parse().ok());
            by.map(|by| Builtin::Extend { by, signed: name == "sign_extend" })
        });
        let Some(builtin) = unary.or(binary).or(extend.flatten()) else {
            let text = format!("the builtin function `{}` is not supported", text.trim());
            return Err(Fault::new(span, text));
        };
        let of = |id: &VarId| self.tree.types.get(self.tree.variables[id.index()].of);
        let arguments: Vec<&Type> = parameters.iter().map(of).collect();
        match fits(builtin, &arguments, self.tree.types.get(result)) {
            true => Ok(Some(builtin)),
            false => Err(Fault::new(span, format!("`{name}` has other parameters or results"))),
        }
    }
}

fn fits(builtin: Builtin, arguments: &[&Type], result: &Type) -> bool {
    match (builtin, arguments, result) {
        (Builtin::Unary(_), [Type::Bv(a)], Type::Bv(r)) => a == r,
        (Builtin::Binary(BinaryOp::Concat), [Type::Bv(a), Type::Bv(b)], Type::Bv(r)) => a + b == *r,
        (Builtin::Binary(op), [Type::Bv(a), Type::Bv(b)], Type::Bool) => {
            is_comparison(op) && a == b
        }
        (Builtin::Binary(op), [Type::Bv(a), Type::Bv(b)], Type::Bv(r)) => {
            !is_comparison(op) && a == b && b == r
        }
        (Builtin::Extend { by, .. }, [Type::Bv(a)], Type::Bv(r)) => a.checked_add(by) == Some(*r),
        _ => false,
    }
}
