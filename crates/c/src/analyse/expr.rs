//! Expressions.

use super::scope::Entity;
use super::{Analysed, Analyser};
use crate::ast::{self, BinaryOp, ExprId, ExprKind};
use crate::error::Fault;
use crate::fold::Format;
use crate::source::Span;
use crate::token::{Name, Suffix};
use crate::tree::{FunctionId, Kind, NodeId, UnaryOp};
use crate::types::{IntType, Ty, Type};

/// How many variables may follow from each other in the length of an array.
const LONGEST_CHAIN: usize = 64;

impl Analyser<'_> {
    /// The value of a constant expression of integer type.
    pub(super) fn constant(&mut self, id: ExprId) -> Analysed<i64> {
        self.try_constant(id)?.ok_or_else(|| self.no_constant(id))
    }

    pub(super) fn no_constant(&self, id: ExprId) -> Fault {
        Fault::new(self.ast.expr(id).span, "this is not a constant")
    }

    /// The same, if it is one.
    pub(super) fn try_constant(&mut self, id: ExprId) -> Analysed<Option<i64>> {
        Ok(self.exact_constant(id)?.map(|value| value as i64))
    }

    /// The same, also beyond 63 bits.
    pub(super) fn exact_constant(&mut self, id: ExprId) -> Analysed<Option<i128>> {
        self.unevaluated += 1;
        let node = self.value(id);
        self.unevaluated -= 1;
        let node = node?;
        let ty = self.ty(node);
        let Some(bits) = self.tree.constant(node) else { return Ok(None) };
        let width = self.tree.types.bits(ty).unwrap_or(64);
        let format = Format { bits: width, is_signed: self.tree.types.is_signed(ty) };
        Ok(Some(format.value(bits)))
    }

    /// The type of an expression that is not evaluated.
    pub(super) fn type_of(&mut self, id: ExprId) -> Analysed<Ty> {
        if let ExprKind::Name(name) = self.ast.expr(id).kind
            && let Some(Entity::Function(function)) = self.scopes.find(name)
        {
            return Ok(self.tree.function(function).ty);
        }
        self.unevaluated += 1;
        let around = std::mem::take(&mut self.before);
        let ty = match self.is_place_syntax(id) {
            true => self.place(id).map(|node| self.ty(node)),
            false => self.value(id).map(|node| self.ty(node)),
        };
        self.before = around;
        self.unevaluated -= 1;
        ty
    }

    /// Whether an expression can only be a place.
    fn is_place_syntax(&self, id: ExprId) -> bool {
        match &self.ast.expr(id).kind {
            ExprKind::Name(name) => {
                matches!(self.scopes.find(*name), Some(Entity::Object(_)))
            }
            ExprKind::Unary(ast::UnaryOp::Deref, _)
            | ExprKind::Index(..)
            | ExprKind::Member { .. }
            | ExprKind::Compound(..)
            | ExprKind::Str(_) => true,
            _ => false,
        }
    }

    /// A place.
    pub(super) fn place(&mut self, id: ExprId) -> Analysed<NodeId> {
        let ast = self.ast;
        let span = ast.expr(id).span;
        match &ast.expr(id).kind {
            ExprKind::Name(name) => match self.scopes.find(*name) {
                Some(Entity::Object(object)) => {
                    self.use_object(object);
                    if self.volatile.objects.contains(&object) {
                        self.use_volatile(self.text(*name), span);
                    }
                    let ty = self.tree.object(object).ty;
                    Ok(self.add(Kind::Object(object), ty, span))
                }
                Some(_) => {
                    Err(Fault::new(span, format!("`{}` is not a variable", self.text(*name))))
                }
                None => Err(self.undeclared(*name, span)),
            },
            ExprKind::Str(bytes) => {
                let object = self.string(bytes, span);
                let ty = self.tree.object(object).ty;
                self.use_object(object);
                Ok(self.add(Kind::Object(object), ty, span))
            }
            ExprKind::Unary(ast::UnaryOp::Deref, pointer) => {
                let pointer = self.bare_value(*pointer)?;
                self.deref(pointer, span)
            }
            ExprKind::Index(base, index) => {
                // An object that is made for it, as in `f().a[i]`, needs no address.
                let (base, index) = (self.bare_value(*base)?, self.value(*index)?);
                let is_swapped = self.tree.types.pointee(self.ty(base)).is_none();
                let (pointer, index) = if is_swapped { (index, base) } else { (base, index) };
                if self.tree.types.pointee(self.ty(pointer)).is_none() {
                    return Err(Fault::new(span, "neither an array nor a pointer is indexed here"));
                }
                let pointer = self.move_pointer(pointer, index, false, span)?;
                self.deref(pointer, span)
            }
            ExprKind::Member { base, name, is_arrow } => {
                let base = if *is_arrow {
                    let pointer = self.value(*base)?;
                    self.deref(pointer, span)?
                } else if self.is_place_syntax(*base) {
                    self.place(*base)?
                } else {
                    self.kept_record(*base, span)?
                };
                self.member(base, *name, span)
            }
            ExprKind::Compound(ty, init) => self.compound(*ty, *init, span),
            ExprKind::Other(what) => Err(Fault::unsupported(span, what)),
            _ => Err(Fault::new(span, "this has no address and cannot be assigned to")),
        }
    }

    fn undeclared(&self, name: Name, span: Span) -> Fault {
        Fault::new(span, format!("`{}` is not declared", self.text(name)))
    }

    /// A member of a record, also of an anonymous one inside.
    pub(super) fn member(&mut self, base: NodeId, name: Name, span: Span) -> Analysed<NodeId> {
        let ty = self.ty(base);
        let path = self.find_member(ty, name, span)?;
        let Some(path) = path else {
            let (ty, name) = (self.tree.types.name(ty), self.text(name));
            return Err(Fault::new(span, format!("`{ty}` has no member `{name}`")));
        };
        let mut place = base;
        for (index, ty) in path {
            if let Type::Record(record) = *self.tree.types.get(self.ty(place))
                && self.volatile.members.contains(&(record, name))
            {
                self.use_volatile(self.text(name), span);
            }
            place = self.add(Kind::Member(place, index), ty, span);
        }
        Ok(place)
    }

    /// The way to a member, from outside to inside.
    pub(super) fn find_member(
        &self,
        ty: Ty,
        name: Name,
        span: Span,
    ) -> Analysed<Option<Vec<(usize, Ty)>>> {
        let Type::Record(id) = *self.tree.types.get(ty) else {
            let ty = self.tree.types.name(ty);
            return Err(Fault::new(span, format!("a `{ty}` has no members")));
        };
        let Some(members) = &self.tree.types.record(id).members else {
            return Err(self.incomplete(ty, span));
        };
        for (index, member) in members.iter().enumerate() {
            if member.name == Some(name) {
                return Ok(Some(vec![(index, member.ty)]));
            }
            if member.name.is_none()
                && let Some(mut path) = self.find_member(member.ty, name, span)?
            {
                path.insert(0, (index, member.ty));
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// The value of an expression, without what must be done before.
    pub(super) fn bare_value(&mut self, id: ExprId) -> Analysed<NodeId> {
        self.bounded(self.ast.expr(id).span)?;
        if self.is_place_syntax(id) {
            let span = self.ast.expr(id).span;
            if let Some(constant) = self.frozen(id)? {
                return Ok(constant);
            }
            let place = self.place(id)?;
            return self.load(place, span);
        }
        let ast = self.ast;
        let span = ast.expr(id).span;
        match &ast.expr(id).kind {
            ExprKind::Int(value, suffix) => self.literal(*value, *suffix, span),
            ExprKind::Char(value) => Ok(self.number(i128::from(*value), IntType::Int, span)),
            ExprKind::Float => Err(Fault::unsupported(span, "a floating-point number")),
            ExprKind::Name(name) => self.name(*name, span),
            ExprKind::Unary(op, arg) => self.unary_expr(*op, *arg, span),
            ExprKind::Step { arg, is_increment, is_prefix } => {
                let op = if *is_increment { BinaryOp::Add } else { BinaryOp::Sub };
                let one = self.number(1, IntType::Int, span);
                self.update(*arg, op, one, !*is_prefix, span)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(*a)?, self.value(*b)?);
                self.binary(*op, a, b, span)
            }
            ExprKind::LogicalAnd(a, b) => self.logical(true, *a, *b, span),
            ExprKind::LogicalOr(a, b) => self.logical(false, *a, *b, span),
            ExprKind::Assign(None, place, value) => {
                let place = self.place(*place)?;
                let ty = self.ty(place);
                self.assignable(place, span)?;
                let value = self.value(*value)?;
                let value = self.convert_for(value, ty)?;
                Ok(self.add(Kind::Assign(place, value), ty, span))
            }
            ExprKind::Assign(Some(op), place, value) => {
                let value = self.value(*value)?;
                self.update(*place, *op, value, false, span)
            }
            ExprKind::Conditional(c, t, e) => self.conditional(*c, *t, *e, span),
            ExprKind::Comma(a, b) => {
                let (a, b) = (self.value(*a)?, self.value(*b)?);
                let ty = self.ty(b);
                Ok(self.add(Kind::Comma(a, b), ty, span))
            }
            ExprKind::Cast(ty, arg) => {
                let ty = self.type_name(*ty)?;
                if std::mem::take(&mut self.is_volatile) {
                    self.use_volatile(&self.tree.types.name(ty), span);
                }
                let arg = self.value(*arg)?;
                self.cast(arg, ty, span)
            }
            ExprKind::SizeofType(ty) => {
                let ty = self.type_name(*ty)?;
                self.size_of(ty, span)
            }
            ExprKind::SizeofExpr(arg) => {
                let ty = self.type_of(*arg)?;
                self.size_of(ty, span)
            }
            ExprKind::Call(callee, args) => self.call(*callee, args, span),
            ExprKind::Statement(block) => self.statement_expr(*block, span),
            ExprKind::Offsetof(ty, path) => self.offset_of(*ty, path, span),
            ExprKind::Alignof(ty) => self.align_of(*ty, span),
            ExprKind::Compatible(a, b) => self.compatible([*a, *b], span),
            ExprKind::Generic(subject, choices) => {
                let chosen = self.generic(*subject, choices, span)?;
                self.value(chosen)
            }
            _ => self.place(id),
        }
    }

    /// In the length of an array: the value of a variable that is initialised with a constant
    /// and then never changed. With it an array that is variable in name has a fixed length.
    fn frozen(&mut self, id: ExprId) -> Analysed<Option<NodeId>> {
        let ExprKind::Name(name) = self.ast.expr(id).kind else { return Ok(None) };
        let Some(Entity::Object(object)) = self.scopes.find(name) else { return Ok(None) };
        let ty = self.tree.object(object).ty;
        let is_int = self.tree.types.as_int(ty).is_some();
        let is_circular = self.freezing.contains(&object) || self.freezing.len() == LONGEST_CHAIN;
        if self.in_length == 0 || !is_int || is_circular || self.changed.contains(&name) {
            return Ok(None);
        }
        let stores = match self.initialisers.get(&object) {
            Some(&init) => {
                self.freezing.push(object);
                let stores = self.initialiser(object, init);
                self.freezing.pop();
                stores?
            }
            None => self.tree.object(object).initial.stores.clone(),
        };
        Ok(match stores.as_slice() {
            [(_, value)] if self.tree.constant(*value).is_some() => Some(*value),
            _ => None,
        })
    }

    fn literal(&mut self, value: u64, suffix: Suffix, span: Span) -> Analysed<NodeId> {
        use IntType::*;
        // The first of these that holds the value, C11 6.4.4.1.
        let order = [Int, UnsignedInt, Long, UnsignedLong, LongLong, UnsignedLongLong];
        let model = self.tree.types.model;
        let fits = |int: &IntType| {
            let bits = int.bits(model) - u32::from(int.is_signed());
            let is_allowed = match int.is_signed() {
                true => !suffix.is_unsigned,
                false => suffix.is_unsigned || !suffix.is_decimal,
            };
            let is_long_enough = match suffix.longs {
                0 => true,
                1 => *int >= Long,
                _ => *int >= LongLong,
            };
            is_allowed && is_long_enough && (bits == 64 || value >> bits == 0)
        };
        // gcc takes the widest unsigned type for decimals that fit nowhere else.
        let int = order.into_iter().find(fits).unwrap_or(UnsignedLongLong);
        Ok(self.number(i128::from(value), int, span))
    }

    fn name(&mut self, name: Name, span: Span) -> Analysed<NodeId> {
        match self.scopes.find(name) {
            Some(Entity::Enumerator(value)) => {
                let int =
                    if i32::try_from(value).is_ok() { IntType::Int } else { IntType::UnsignedInt };
                Ok(self.number(i128::from(value), int, span))
            }
            Some(Entity::Function(id)) => Ok(self.function_address(id, span)),
            Some(Entity::Typedef(..)) => {
                Err(Fault::new(span, format!("the type `{}` is not a value", self.text(name))))
            }
            Some(Entity::Object(_)) => Err(self.undeclared(name, span)),
            None => match (self.text(name), self.current) {
                ("__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__", Some(function)) => {
                    let text = self.tree.function(function).name.clone();
                    let object = self.string(text.as_bytes(), span);
                    self.use_object(object);
                    let ty = self.tree.object(object).ty;
                    let place = self.add(Kind::Object(object), ty, span);
                    self.load(place, span)
                }
                _ => Err(self.undeclared(name, span)),
            },
        }
    }

    pub(super) fn function_address(&mut self, id: FunctionId, span: Span) -> NodeId {
        if self.unevaluated == 0 && !self.taken.contains(&id) {
            self.taken.push(id);
        }
        let ty = self.tree.function(id).ty;
        let ty = self.tree.types.pointer(ty);
        self.add(Kind::FunctionAddress(id), ty, span)
    }

    fn unary_expr(&mut self, op: ast::UnaryOp, arg: ExprId, span: Span) -> Analysed<NodeId> {
        let op = match op {
            ast::UnaryOp::AddressOf => {
                if let ExprKind::Name(name) = self.ast.expr(arg).kind
                    && let Some(Entity::Function(id)) = self.scopes.find(name)
                {
                    return Ok(self.function_address(id, span));
                }
                let place = self.place(arg)?;
                if matches!(self.tree.types.get(self.ty(place)), Type::Bits(..)) {
                    return Err(Fault::new(span, "a bit-field has no address"));
                }
                return Ok(self.address(place, span));
            }
            ast::UnaryOp::Plus => {
                let arg = self.value(arg)?;
                return self.promote(arg);
            }
            ast::UnaryOp::Minus => UnaryOp::Minus,
            ast::UnaryOp::Complement => UnaryOp::Complement,
            ast::UnaryOp::Not | ast::UnaryOp::Deref => UnaryOp::Not,
        };
        let arg = self.value(arg)?;
        self.unary(op, arg, span)
    }

    fn assignable(&self, place: NodeId, span: Span) -> Analysed<()> {
        let ty = self.ty(place);
        self.supported(ty, span)?;
        if self.is_const(place) {
            return Err(Fault::new(span, "this is `const` and cannot be assigned to"));
        }
        match self.tree.types.get(ty) {
            Type::Array(..) | Type::Function { .. } | Type::Void => {
                let name = self.tree.types.name(ty);
                Err(Fault::new(span, format!("a `{name}` cannot be assigned to")))
            }
            _ => Ok(()),
        }
    }

    /// `place op= value`, and steps.
    fn update(
        &mut self,
        place: ExprId,
        op: BinaryOp,
        value: NodeId,
        is_postfix: bool,
        span: Span,
    ) -> Analysed<NodeId> {
        let place = self.place(place)?;
        self.assignable(place, span)?;
        let ty = self.ty(place);
        let old = self.add(Kind::Old, ty, span);
        let value = self.binary(op, old, value, span)?;
        let value = self.convert_for(value, ty)?;
        Ok(self.add(Kind::Update { place, value, is_postfix }, ty, span))
    }

    fn logical(&mut self, is_and: bool, a: ExprId, b: ExprId, span: Span) -> Analysed<NodeId> {
        let (a, b) = (self.value(a)?, self.value(b)?);
        self.scalar(a)?;
        self.scalar(b)?;
        let int = self.int();
        let truth = |node| self.tree.constant(node).map(|value| value != 0);
        let folded = match (truth(a), truth(b)) {
            (Some(a), _) if a != is_and => Some(a),
            (Some(a), Some(b)) => Some(if is_and { a && b } else { a || b }),
            _ => None,
        };
        Ok(match folded {
            Some(value) => self.add(Kind::Const(u64::from(value)), int, span),
            None if is_and => self.add(Kind::And(a, b), int, span),
            None => self.add(Kind::Or(a, b), int, span),
        })
    }

    fn conditional(
        &mut self,
        c: ExprId,
        t: Option<ExprId>,
        e: ExprId,
        span: Span,
    ) -> Analysed<NodeId> {
        let mut c = self.value(c)?;
        self.scalar(c)?;
        let mut first = None;
        let t = match t {
            Some(t) => self.value(t)?,
            // GNU C: `c ?: e` is `c ? c : e` with `c` evaluated once.
            None => {
                let kept = self.temporary(self.ty(c), span);
                first = Some(self.set(kept, c, span));
                c = self.get(kept, span);
                self.get(kept, span)
            }
        };
        let e = self.value(e)?;
        let choice = self.choice([c, t, e], span)?;
        let ty = self.ty(choice);
        Ok(match first {
            Some(first) => self.add(Kind::Comma(first, choice), ty, span),
            None => choice,
        })
    }

    /// `c ? t : e` with its operands.
    fn choice(&mut self, [c, t, e]: [NodeId; 3], span: Span) -> Analysed<NodeId> {
        let (then, other) = (self.ty(t), self.ty(e));
        let types = &self.tree.types;
        let is_void = |ty| matches!(types.get(ty), Type::Void);
        if is_void(then) != is_void(other) {
            // GNU C: with one side void both are evaluated for their effects.
            let void = self.void();
            let (t, e) = (self.cast(t, void, span)?, self.cast(e, void, span)?);
            return Ok(self.add(Kind::Conditional(c, t, e), void, span));
        }
        let to_void = |ty| types.pointee(ty).is_some_and(is_void);
        let is_null = |node, ty| to_void(ty) && self.tree.constant(node) == Some(0);
        let ty = match (types.as_int(then), types.as_int(other)) {
            (Some(a), Some(b)) => {
                let common = a.common(b, types.model);
                self.tree.types.int(common)
            }
            // Beside a pointer a null pointer constant gives way, but any other type does to
            // `void *` (C11 6.5.15p6).
            (None, Some(_)) => then,
            (Some(_), None) => other,
            (None, None) if is_null(t, then) || to_void(other) && !is_null(e, other) => other,
            (None, None) => then,
        };
        let (t, e) = (self.convert_for(t, ty)?, self.convert_for(e, ty)?);
        if matches!(self.tree.types.get(ty), Type::Record(_)) {
            return self.record_choice([c, t, e], ty, span);
        }
        Ok(match self.tree.constant(c) {
            Some(0) => e,
            Some(_) => t,
            None => self.add(Kind::Conditional(c, t, e), ty, span),
        })
    }
}
