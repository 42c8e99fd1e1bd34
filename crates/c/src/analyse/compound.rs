//! Objects without a name inside expressions: compound literals (C11 6.5.2.5) and structs that a
//! call returns, of which a member is used. Both are variables that get their value before the
//! expression around them is evaluated:
//!
//! ```text
//! f().x             ⟶   t = f(), t.x
//! &(struct s){1}    ⟶   ({ struct s t = {1}; }), &t
//! ```
//!
//! The expression around is the operand of `&&`, `||` or `?:` in which it stands, if it is in one,
//! so nothing is evaluated that would not be.

use super::{Analysed, Analyser};
use crate::ast::{ExprId, ExprKind, Init, InitId, TypeNameId};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::{Initial, Kind, NodeId, ObjectId, StmtKind};
use crate::types::{Ty, Type};

impl Analyser<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, id: ExprId) -> Analysed<NodeId> {
        let around = std::mem::take(&mut self.before);
        let value = self.bare_value(id);
        let mut value = value?;
        for step in std::mem::replace(&mut self.before, around).into_iter().rev() {
            let (ty, span) = (self.ty(value), self.ast.expr(id).span);
            value = self.add(Kind::Comma(step, value), ty, span);
        }
        Ok(value)
    }

    /// The place of a compound literal.
    pub(super) fn compound(
        &mut self,
        ty: TypeNameId,
        init: InitId,
        span: Span,
    ) -> Analysed<NodeId> {
        let ty = self.type_name(ty)?;
        let is_static = self.current.is_none();
        let object = self.new_object(String::new(), ty, self.current, span);
        self.complete_array(object, Some(init))?;
        let ty = self.tree.object(object).ty;
        self.size(ty, span)?;
        if self.unevaluated == 0 {
            let stores = match is_static {
                true => self.static_initialiser(object, init)?,
                false => self.initialiser(object, init)?,
            };
            self.tree.objects[object.index()].initial = Initial { is_zeroed: true, stores };
        }
        if is_static {
            self.use_object(object);
        } else {
            let declared = self.add_stmt(StmtKind::Declare(object), span);
            let void = self.void();
            let made = self.add(Kind::Statement(declared, None), void, span);
            self.before.push(made);
        }
        Ok(self.add(Kind::Object(object), ty, span))
    }

    /// A struct that is a value, as a place.
    pub(super) fn kept_record(&mut self, id: ExprId, span: Span) -> Analysed<NodeId> {
        let value = self.value(id)?;
        let ty = self.ty(value);
        if !matches!(self.tree.types.get(ty), Type::Record(_)) {
            let name = self.tree.types.name(ty);
            return Err(Fault::new(span, format!("a `{name}` has no members")));
        }
        self.supported(ty, span)?;
        let kept: ObjectId = self.temporary(ty, span);
        let set = self.set(kept, value, span);
        self.before.push(set);
        Ok(self.add(Kind::Object(kept), ty, span))
    }

    /// `c ? t : e` with structs: `(c ? (void)(k = t) : (void)(k = e)), k`
    pub(super) fn record_choice(
        &mut self,
        [c, t, e]: [NodeId; 3],
        ty: Ty,
        span: Span,
    ) -> Analysed<NodeId> {
        self.supported(ty, span)?;
        let kept = self.temporary(ty, span);
        let void = self.void();
        let sets = [t, e].map(|value| {
            let set = self.set(kept, value, span);
            self.add(Kind::Convert(set), void, span)
        });
        let choice = self.add(Kind::Conditional(c, sets[0], sets[1]), void, span);
        let value = self.get(kept, span);
        Ok(self.add(Kind::Comma(choice, value), ty, span))
    }

    /// The list of a compound literal of this type: as an initialiser it stands for itself.
    pub(super) fn as_list(&mut self, init: InitId, ty: Ty) -> Analysed<Option<InitId>> {
        let ast = self.ast;
        let Init::Expr(expr) = ast.inits[init.index()] else { return Ok(None) };
        let ExprKind::Compound(name, list) = ast.expr(expr).kind else { return Ok(None) };
        let is_it = self.type_name(name)? == ty && !self.tree.types.is_scalar(ty);
        Ok(is_it.then_some(list))
    }
}
