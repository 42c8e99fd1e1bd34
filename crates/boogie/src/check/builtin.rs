//! Functions that stand for operators of SMT-LIB: `{:bvbuiltin "bvadd"}`. Those with numbers are
//! written `"zero_extend 16"`, `"(_ zero_extend 16)"` or, as Ultimate does, with
//! `{:indices 16}`.

use super::Checker;
use crate::source::{Fault, Outcome};
use crate::syntax;
use crate::tree::{Builtin, Meaning, VarId};
use crate::types::{Type, TypeId};
use pedra_formats::smtlib::{is_ordering, operator_named};
use pedra_model::term::{BinaryOp, UnaryOp};

const UNARY: &[(&str, UnaryOp)] = &[("bvnot", UnaryOp::Not), ("bvneg", UnaryOp::Neg)];

/// The SMT-LIB name of an operator, if it has one.
pub(crate) fn builtin_of_unary(op: UnaryOp) -> Option<&'static str> {
    UNARY.iter().find(|(_, other)| *other == op).map(|(name, _)| *name)
}

impl<'s> Checker<'_, 's> {
    /// What a function stands for. What is not supported is refused where it is used.
    pub(super) fn meaning(
        &self,
        function: &syntax::Function<'s>,
        parameters: &[VarId],
        result: TypeId,
    ) -> Outcome<Meaning> {
        let attribute = |name: &str| function.attributes.iter().find(|a| a.name == name);
        if attribute("smtdefined").is_some() {
            return Ok(Meaning::Refused("functions defined in SMT-LIB"));
        }
        let Some(named) = attribute("bvbuiltin").or_else(|| attribute("builtin")) else {
            return Ok(match function.body {
                Some(body) => Meaning::Body(body),
                // Less is said of it than is known: a violation by some function would be none.
                None if attribute("overapproximation").is_some() => {
                    Meaning::Refused("functions that are overapproximated")
                }
                None => Meaning::Uninterpreted,
            });
        };
        let text = named.texts.first().copied().unwrap_or_default();
        let mut words = text.trim_start_matches("(_").trim_end_matches(')').split_whitespace();
        let name = words.next().unwrap_or_default();
        let indices = attribute("indices").map(|a| a.numbers.as_slice()).unwrap_or_default();
        let number = words.chain(named.numbers.iter().chain(indices).copied()).next();
        let Some(builtin) = operator(name, number.and_then(|number| number.parse().ok())) else {
            return Ok(Meaning::Refused("builtin functions other than those of bit-vectors"));
        };
        let of = |id: &VarId| self.tree.types.get(self.tree.variables[id.index()].of);
        let arguments: Vec<&Type> = parameters.iter().map(of).collect();
        match fits(builtin, &arguments, self.tree.types.get(result)) {
            true => Ok(Meaning::Builtin(builtin)),
            false => {
                let text = format!("`{name}` has other parameters or results");
                Err(Fault::new(function.name.span, text))
            }
        }
    }
}

/// The operator with this name; extensions have a number.
fn operator(name: &str, number: Option<u32>) -> Option<Builtin> {
    let unary = UNARY.iter().find(|(text, _)| *text == name).map(|(_, op)| Builtin::Unary(*op));
    let binary = operator_named(name).map(Builtin::Binary);
    let extend = || match name {
        "zero_extend" | "sign_extend" => {
            number.map(|by| Builtin::Extend { by, signed: name == "sign_extend" })
        }
        _ => None,
    };
    unary.or(binary).or_else(extend)
}

fn fits(builtin: Builtin, arguments: &[&Type], result: &Type) -> bool {
    match (builtin, arguments, result) {
        (Builtin::Unary(_), [Type::Bv(a)], Type::Bv(r)) => a == r,
        (Builtin::Binary(BinaryOp::Concat), [Type::Bv(a), Type::Bv(b)], Type::Bv(r)) => a + b == *r,
        (Builtin::Binary(op), [Type::Bv(a), Type::Bv(b)], Type::Bool) => is_ordering(op) && a == b,
        (Builtin::Binary(op), [Type::Bv(a), Type::Bv(b)], Type::Bv(r)) => {
            !is_ordering(op) && a == b && b == r
        }
        (Builtin::Extend { by, .. }, [Type::Bv(a)], Type::Bv(r)) => a.checked_add(by) == Some(*r),
        _ => false,
    }
}
