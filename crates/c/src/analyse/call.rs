//! Calls, strings and statement expressions.

use super::scope::Entity;
use super::{Analysed, Analyser};
use crate::ast::{self, ExprId, ExprKind, External};
use crate::error::Fault;
use crate::source::Span;
use crate::token::Name;
use crate::tree::{FunctionId, Kind, NodeId, StmtKind};
use crate::types::{IntType, Ty, Type};

/// Functions that compilers know without a declaration: their results.
const KNOWN: &[(&str, Known)] = &[
    ("malloc", Known::Pointer),
    ("calloc", Known::Pointer),
    ("alloca", Known::Pointer),
    ("__builtin_alloca", Known::Pointer),
    ("abort", Known::Void),
    ("exit", Known::Void),
    ("free", Known::Void),
    ("__builtin_unreachable", Known::Void),
    ("__builtin_trap", Known::Void),
];

#[derive(Copy, Clone)]
enum Known {
    Void,
    Pointer,
}

impl Analyser<'_> {
    /// The object of a string literal.
    pub(super) fn string(&mut self, bytes: &[u8], span: Span) -> crate::tree::ObjectId {
        let char = self.tree.types.int(IntType::Char);
        let ty = self.tree.types.make(Type::Array(char, Some(bytes.len() as u64 + 1)));
        let object = self.new_object(String::new(), ty, None, span);
        let place = self.add(Kind::Object(object), ty, span);
        let stores = self.string_stores(place, char, bytes, span);
        self.tree.objects[object.index()].initial.stores = stores;
        self.tree.objects[object.index()].initial.is_zeroed = true;
        self.tree.objects[object.index()].is_string = true;
        object
    }

    /// One store for each character.
    pub(super) fn string_stores(
        &mut self,
        array: NodeId,
        element: Ty,
        bytes: &[u8],
        span: Span,
    ) -> Vec<(NodeId, NodeId)> {
        let mut stores = Vec::new();
        for (at, &byte) in bytes.iter().enumerate() {
            let index = self.number(at as i128, IntType::Int, span);
            let place = self.add(Kind::Index(array, index), element, span);
            let value = self.add(Kind::Const(u64::from(byte)), element, span);
            stores.push((place, value));
        }
        stores
    }

    pub(super) fn statement_expr(&mut self, block: ast::StmtId, span: Span) -> Analysed<NodeId> {
        let (block, value) = self.block_with_value(block)?;
        let ty = match value {
            Some(value) => self.ty(value),
            None => self.void(),
        };
        Ok(self.add(Kind::Statement(block, value), ty, span))
    }

    /// A block whose last expression statement is its value.
    fn block_with_value(
        &mut self,
        id: ast::StmtId,
    ) -> Analysed<(crate::tree::StmtId, Option<NodeId>)> {
        let ast = self.ast;
        let stmt = ast.stmt(id);
        let ast::StmtKind::Block(list) = &stmt.kind else { return Ok((self.stmt(id)?, None)) };
        self.scopes.open();
        let mut stmts = Vec::new();
        let mut value = None;
        for (place, &inner) in list.iter().enumerate() {
            match ast.stmt(inner).kind {
                ast::StmtKind::Expr(expr) if place + 1 == list.len() => {
                    let node = self.value(expr)?;
                    value = Some(node);
                }
                _ => self.stmt_into(inner, &mut stmts)?,
            }
        }
        self.scopes.close();
        let block = self.add_stmt(StmtKind::Block(stmts), stmt.span);
        Ok((block, value))
    }

    pub(super) fn call(&mut self, callee: ExprId, args: &[ExprId], span: Span) -> Analysed<NodeId> {
        let mut function = callee;
        // `(*f)(…)` and `f(…)` are the same.
        while let ExprKind::Unary(ast::UnaryOp::Deref, inner) = self.ast.expr(function).kind {
            function = inner;
        }
        let name = match self.ast.expr(function).kind {
            ExprKind::Name(name) => name,
            _ => {
                let pointer = self.value(callee)?;
                return self.pointer_call(pointer, args, span);
            }
        };
        if matches!(self.text(name), "__builtin_expect") && !args.is_empty() {
            let long = self.tree.types.int(IntType::Long);
            let value = self.value(args[0])?;
            return self.convert_for(value, long);
        }
        if let ("__builtin_constant_p", [arg]) = (self.text(name), args) {
            let is_string = matches!(self.ast.expr(*arg).kind, ExprKind::Str(_));
            let is_constant = is_string || self.try_constant(*arg)?.is_some();
            return Ok(self.number(i128::from(is_constant), IntType::Int, span));
        }
        let id = match self.scopes.find(name) {
            Some(Entity::Function(id)) => id,
            None => self.implicit(name, span)?,
            Some(_) => {
                let pointer = self.value(callee)?;
                return self.pointer_call(pointer, args, span);
            }
        };
        let function = self.tree.function(id);
        let (result, text) = (function.result, function.name.clone());
        let Type::Function { params, is_variadic, has_prototype, .. } =
            self.tree.types.get(function.ty).clone()
        else {
            return Err(Fault::new(span, "this is not a function"));
        };
        let is_fixed = has_prototype && !is_variadic;
        if args.len() < params.len() || is_fixed && args.len() > params.len() {
            let (needs, has) = (params.len(), args.len());
            let message = format!("`{text}` takes {needs} arguments, but {has} are given");
            return Err(Fault::new(span, message));
        }
        let mut nodes = Vec::new();
        for (at, &arg) in args.iter().enumerate() {
            let arg = self.value(arg)?;
            nodes.push(match params.get(at) {
                Some(&ty) => self.convert_for(arg, ty)?,
                None if self.tree.types.as_int(self.ty(arg)).is_some() => self.promote(arg)?,
                None => arg,
            });
        }
        if !self.has_own_body(id)
            && let Some(assigned) = self.memory_call(&text, &nodes, span)?
        {
            return Ok(assigned);
        }
        self.reach(id);
        Ok(self.add(Kind::Call(id, nodes), result, span))
    }

    /// Whether the program has a function of its own here, not that of the library.
    fn has_own_body(&self, id: FunctionId) -> bool {
        let is_own = |&at: &usize| match &self.ast.externals[at] {
            External::Function(function) => {
                self.ast.library.is_none_or(|start| function.span.start < start)
            }
            External::Declaration(_) => false,
        };
        self.bodies.get(&id).is_some_and(is_own)
    }

    /// A function that is called without a declaration.
    fn implicit(&mut self, name: Name, span: Span) -> Analysed<FunctionId> {
        let text = self.text(name);
        let known = KNOWN.iter().find(|(known, _)| *known == text);
        let result = match known {
            Some((_, Known::Void)) => self.void(),
            Some((_, Known::Pointer)) => {
                let void = self.void();
                self.tree.types.pointer(void)
            }
            // What it returns is in its name, and in no declaration.
            None if text.starts_with("__VERIFIER_nondet_") && text != "__VERIFIER_nondet_int" => {
                let fault = Fault::new(span, format!("`{text}` is not declared"));
                return Err(fault.hint("declare it with the type of its result"));
            }
            None if text.starts_with("__builtin_") => {
                return Err(Fault::unsupported(span, format!("`{text}`")));
            }
            None => self.int(),
        };
        let ty =
            Type::Function { result, params: Vec::new(), is_variadic: false, has_prototype: false };
        let ty = self.tree.types.make(ty);
        self.declare_function(name, ty, span)
    }
}
