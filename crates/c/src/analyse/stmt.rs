//! Statements.

use super::{Analysed, Analyser};
use crate::ast;
use crate::error::Fault;
use crate::source::Span;
use crate::tree::{Extent, NodeId, Stmt, StmtId, StmtKind};
use crate::types::{Type, VARIABLE};

impl Analyser<'_> {
    pub(super) fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        let id = StmtId(self.tree.stmts.len() as u32);
        self.tree.stmts.push(Stmt { kind, span });
        id
    }

    /// A statement as one.
    pub(super) fn stmt(&mut self, id: ast::StmtId) -> Analysed<StmtId> {
        let span = self.ast.stmt(id).span;
        let mut list = Vec::new();
        self.stmt_into(id, &mut list)?;
        Ok(match list.as_slice() {
            [only] => *only,
            _ => self.add_stmt(StmtKind::Block(list), span),
        })
    }

    /// Appends a statement; a declaration can be several.
    pub(super) fn stmt_into(&mut self, id: ast::StmtId, list: &mut Vec<StmtId>) -> Analysed<()> {
        let ast = self.ast;
        let stmt = ast.stmt(id);
        let kind = match &stmt.kind {
            ast::StmtKind::Declaration(declaration) => {
                return self.local_declaration(declaration, list);
            }
            ast::StmtKind::Empty => StmtKind::Empty,
            ast::StmtKind::Expr(expr) => StmtKind::Expr(self.value(*expr)?),
            ast::StmtKind::Block(stmts) => {
                self.scopes.open();
                let mut inner = Vec::new();
                for &stmt in stmts {
                    self.stmt_into(stmt, &mut inner)?;
                }
                inner.extend(self.end_of_block(&inner, stmt.span));
                self.scopes.close();
                StmtKind::Block(inner)
            }
            ast::StmtKind::If { arms, otherwise } => {
                let mut typed = Vec::new();
                for (condition, body, head) in arms {
                    typed.push((self.condition(*condition)?, self.stmt(*body)?, *head));
                }
                let otherwise = otherwise.map(|other| self.stmt(other)).transpose()?;
                StmtKind::If { arms: typed, otherwise }
            }
            ast::StmtKind::While(condition, body) => {
                StmtKind::While(self.condition(*condition)?, self.stmt(*body)?)
            }
            ast::StmtKind::DoWhile(body, condition) => {
                let body = self.stmt(*body)?;
                StmtKind::DoWhile(body, self.condition(*condition)?)
            }
            ast::StmtKind::For { init, condition, step, body } => {
                self.scopes.open();
                let init = init.map(|init| self.stmt(init)).transpose()?;
                let condition = condition.map(|c| self.condition(c)).transpose()?;
                let step = step.map(|step| self.value(step)).transpose()?;
                let body = self.stmt(*body)?;
                self.scopes.close();
                StmtKind::For { init, condition, step, body }
            }
            ast::StmtKind::Switch(value, body) => {
                let value = self.value(*value)?;
                let value = self.promote(value)?;
                self.switch_type.push(self.ty(value));
                let body = self.stmt(*body)?;
                self.switch_type.pop();
                StmtKind::Switch(value, body)
            }
            ast::StmtKind::Case(low, high, body) => {
                let (low, high) = (self.case_value(*low)?, self.case_value(*high)?);
                StmtKind::Case(low, high, self.stmt(*body)?)
            }
            ast::StmtKind::Default(body) => StmtKind::Default(self.stmt(*body)?),
            ast::StmtKind::Label(name, body) => StmtKind::Label(*name, self.stmt(*body)?),
            ast::StmtKind::Goto(name) => StmtKind::Goto(*name),
            ast::StmtKind::Break => StmtKind::Break,
            ast::StmtKind::Continue => StmtKind::Continue,
            ast::StmtKind::Return(value) => self.return_stmt(*value, stmt.span)?,
            ast::StmtKind::Other(what) => return Err(Fault::unsupported(stmt.span, what)),
        };
        list.push(self.add_stmt(kind, stmt.span));
        Ok(())
    }

    /// What ends the variables that are declared in an inner block.
    fn end_of_block(&mut self, list: &[StmtId], span: Span) -> Option<StmtId> {
        let declared = list.iter().filter_map(|&stmt| match self.tree.stmt(stmt).kind {
            StmtKind::Declare(object) => Some(object),
            _ => None,
        });
        let declared: Vec<_> = declared.collect();
        let is_needed = self.scopes.is_inner() && !declared.is_empty();
        is_needed.then(|| self.add_stmt(StmtKind::End(declared), span))
    }

    fn condition(&mut self, id: ast::ExprId) -> Analysed<NodeId> {
        let node = self.value(id)?;
        self.scalar(node)?;
        Ok(node)
    }

    /// The bits of a case label, converted to the type of the switch.
    fn case_value(&mut self, id: ast::ExprId) -> Analysed<u64> {
        let span = self.ast.expr(id).span;
        let Some(&ty) = self.switch_type.last() else {
            return Err(Fault::new(span, "a case label outside a switch"));
        };
        let value = self.constant(id)?;
        let bits = self.tree.types.bits(ty).unwrap_or(64);
        Ok(if bits == 64 { value as u64 } else { value as u64 & ((1 << bits) - 1) })
    }

    fn return_stmt(&mut self, value: Option<ast::ExprId>, span: Span) -> Analysed<StmtKind> {
        let Some(function) = self.current else {
            return Err(Fault::new(span, "a return outside a function"));
        };
        let result = self.tree.function(function).result;
        let is_void = matches!(self.tree.types.get(result), Type::Void);
        let Some(value) = value else { return Ok(StmtKind::Return(None)) };
        let node = self.value(value)?;
        if is_void && !matches!(self.tree.types.get(self.ty(node)), Type::Void) {
            return Err(Fault::new(span, "a function without a result returns a value"));
        }
        let node = self.convert_for(node, result)?;
        Ok(StmtKind::Return(Some(node)))
    }

    fn local_declaration(
        &mut self,
        declaration: &ast::Declaration,
        list: &mut Vec<StmtId>,
    ) -> Analysed<()> {
        if declaration.declarators.is_empty() {
            return self.declaration(declaration);
        }
        for (declarator, init) in &declaration.declarators {
            self.keeps_length = declaration.storage != ast::Storage::Typedef;
            let Some(object) = self.declare(declaration, declarator, *init)? else { continue };
            self.complete_array(object, *init)?;
            let (mut ty, span) = (self.tree.object(object).ty, self.tree.object(object).span);
            if self.tree.types.refused(ty) == Some(VARIABLE)
                && let Some((array, length)) = self.variable_array(declaration, declarator)?
            {
                ty = array;
                self.tree.objects[object.index()].ty = ty;
                self.tree.objects[object.index()].extent = Extent::Length(length);
            }
            self.size(ty, span)?;
            if let Some(init) = *init {
                let is_list = matches!(self.ast.inits[init.index()], ast::Init::List(..));
                let is_string = matches!(self.tree.types.get(ty), Type::Array(..));
                let stores = self.initialiser(object, init)?;
                let initial = &mut self.tree.objects[object.index()].initial;
                initial.stores = stores;
                initial.is_zeroed = is_list || is_string;
            }
            list.push(self.add_stmt(StmtKind::Declare(object), declaration.span));
        }
        Ok(())
    }
}
