//! What the argument of a mark must not do. *Required for soundness*: marks change nothing.

use super::unmarked::mark;
use crate::ast::*;

/// Why the argument of a mark may do more than have a value, by the number of the mark.
pub(super) fn first_effect(ast: &Ast) -> Option<(usize, &'static str)> {
    (0..ast.exprs.len()).find_map(|at| {
        let (number, argument) = mark(ast, ExprId(at as u32))?;
        match condition(ast, argument) {
            Ok(Some(inner)) => effect(ast, inner).map(|why| (number, why)),
            Ok(None) => None,
            Err(why) => Some((number, why)),
        }
    })
}

/// The condition in the argument of a mark, `!!(condition) & __pedra_one`, or none.
fn condition(ast: &Ast, argument: ExprId) -> Result<Option<ExprId>, &'static str> {
    let is_one = |id: ExprId| match ast.expr(id).kind {
        ExprKind::Name(name) => ast.names.text(name) == "__pedra_one",
        _ => false,
    };
    let inner = |id: ExprId| match ast.expr(id).kind {
        ExprKind::Unary(UnaryOp::Not, inner) => Some(inner),
        _ => None,
    };
    if is_one(argument) {
        return Ok(None);
    }
    match ast.expr(argument).kind {
        ExprKind::Binary(BinaryOp::And, a, one) if is_one(one) => {
            inner(a).and_then(inner).map(Some).ok_or("is not one expression")
        }
        _ => Err("is not one expression"),
    }
}

/// What an expression does besides having a value.
fn effect(ast: &Ast, id: ExprId) -> Option<&'static str> {
    use ExprKind::*;
    let all = |list: &[ExprId]| list.iter().find_map(|&inner| effect(ast, inner));
    match &ast.expr(id).kind {
        Name(_) | Int(..) | Char(_) => None,
        Unary(_, a) | SizeofExpr(a) | Member { base: a, .. } => effect(ast, *a),
        Binary(_, a, b) | LogicalAnd(a, b) | LogicalOr(a, b) | Index(a, b) => all(&[*a, *b]),
        Conditional(a, b, c) => all(&[*a, b.unwrap_or(*c), *c]),
        Cast(name, a) => type_effect(ast, *name).or_else(|| effect(ast, *a)),
        SizeofType(name) | Alignof(name) => type_effect(ast, *name),
        Compatible(a, b) => type_effect(ast, *a).or_else(|| type_effect(ast, *b)),
        Call(..) => Some("has a call"),
        Step { .. } | Assign(..) => Some("has a side effect"),
        Statement(_) | Compound(..) => Some("has a statement"),
        Comma(..) => Some("has a comma"),
        Str(_) => Some("has a string"),
        Float | Offsetof(..) | Generic(..) | Other(_) => Some("is not supported"),
    }
}

/// The same of a type: the length of an array may be an expression.
fn type_effect(ast: &Ast, id: TypeNameId) -> Option<&'static str> {
    let name = &ast.type_names[id.index()];
    let derived = name.declarator.derived.iter().find_map(|step| match step {
        Derived::Pointer { .. } | Derived::Array(None, _) => None,
        Derived::Array(Some(length), _) => effect(ast, *length),
        Derived::Function { .. } => Some("is not supported"),
    });
    derived.or_else(|| spec_effect(ast, &name.spec))
}

fn spec_effect(ast: &Ast, spec: &TypeSpec) -> Option<&'static str> {
    match spec {
        TypeSpec::Basic(_) | TypeSpec::Typedef(..) => None,
        TypeSpec::Tag(tag) => ast.tags[tag.index()].body.is_some().then_some("declares a type"),
        TypeSpec::TypeofExpr(a) => effect(ast, *a),
        TypeSpec::TypeofType(name) => type_effect(ast, *name),
        TypeSpec::Volatile(inner) | TypeSpec::Const(inner) => spec_effect(ast, inner),
        TypeSpec::Assert(..) => None,
    }
}
