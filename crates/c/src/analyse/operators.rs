//! Conversions and operators on typed values: the rules of C11 6.3 and 6.5.

use super::{Analysed, Analyser};
use crate::ast::BinaryOp;
use crate::error::Fault;
use crate::fold::{self, Format};
use crate::source::Span;
use crate::tree::{Kind, NodeId, ObjectId, UnaryOp};
use crate::types::{IntType, Ty, Type};

impl Analyser<'_> {
    /// A constant of an integer type.
    pub(super) fn number(&mut self, value: i128, int: IntType, span: Span) -> NodeId {
        let ty = self.tree.types.int(int);
        let bits = self.format(ty).wrap(value);
        self.add(Kind::Const(bits), ty, span)
    }

    /// How constants of a scalar type are read.
    fn format(&self, ty: Ty) -> Format {
        let bits = self.tree.types.bits(ty).unwrap_or(64);
        Format { bits, is_signed: self.tree.types.is_signed(ty) }
    }

    /// A scalar converted to a scalar type.
    pub(super) fn convert(&mut self, node: NodeId, ty: Ty) -> NodeId {
        let from = self.ty(node);
        if from == ty {
            return node;
        }
        let span = self.node_span(node);
        if let Some(bits) = self.tree.constant(node) {
            let value = self.format(from).value(bits);
            let bits = match self.tree.types.get(ty) {
                Type::Bool => u64::from(bits != 0),
                _ => self.format(ty).wrap(value),
            };
            let size_of = self.tree.sizes.get(&node).copied();
            let node = self.add(Kind::Const(bits), ty, span);
            self.tree.sizes.extend(size_of.map(|of| (node, of)));
            return node;
        }
        self.add(Kind::Convert(node), ty, span)
    }

    /// A value converted as if by assignment to a place of this type.
    pub(super) fn convert_for(&mut self, node: NodeId, ty: Ty) -> Analysed<NodeId> {
        let (from, span) = (self.ty(node), self.node_span(node));
        self.supported(ty, span)?;
        let types = &self.tree.types;
        if types.is_scalar(from) && types.is_scalar(ty) {
            return Ok(self.convert(node, ty));
        }
        if from == ty && matches!(types.get(ty), Type::Record(_) | Type::Void) {
            return Ok(node);
        }
        let (from, to) = (types.name(from), types.name(ty));
        Err(Fault::new(span, format!("a `{from}` cannot become a `{to}`")))
    }

    /// An explicit cast.
    pub(super) fn cast(&mut self, node: NodeId, ty: Ty, span: Span) -> Analysed<NodeId> {
        if matches!(self.tree.types.get(ty), Type::Void) {
            return Ok(self.add(Kind::Convert(node), ty, span));
        }
        let converted = self.convert_for(node, ty)?;
        if converted == node {
            self.constants.cast.insert(node);
        }
        self.tree.nodes[converted.index()].span = span;
        Ok(converted)
    }

    /// Refuses a type that is not supported.
    pub(super) fn supported(&self, ty: Ty, span: Span) -> Analysed<()> {
        match self.tree.types.refused(ty) {
            Some(name) => Err(Fault::unsupported(span, name)),
            None => Ok(()),
        }
    }

    /// The integer type of an operand.
    fn integer(&self, node: NodeId) -> Analysed<IntType> {
        let ty = self.ty(node);
        self.supported(ty, self.node_span(node))?;
        self.tree.types.as_int(ty).ok_or_else(|| {
            let name = self.tree.types.name(ty);
            Fault::new(self.node_span(node), format!("a `{name}` where an integer is needed"))
        })
    }

    /// The integer promotions.
    pub(super) fn promote(&mut self, node: NodeId) -> Analysed<NodeId> {
        let int = self.integer(node)?.promoted();
        let ty = self.tree.types.int(int);
        Ok(self.convert(node, ty))
    }

    /// A value in a condition must be a scalar.
    pub(super) fn scalar(&self, node: NodeId) -> Analysed<()> {
        let ty = self.ty(node);
        self.supported(ty, self.node_span(node))?;
        if self.tree.types.is_scalar(ty) {
            return Ok(());
        }
        let name = self.tree.types.name(ty);
        Err(Fault::new(self.node_span(node), format!("a `{name}` where a scalar is needed")))
    }

    /// `-a`, `~a` or `!a`.
    pub(super) fn unary(&mut self, op: UnaryOp, a: NodeId, span: Span) -> Analysed<NodeId> {
        let (a, ty) = if op == UnaryOp::Not {
            self.scalar(a)?;
            (a, self.int())
        } else {
            let a = self.promote(a)?;
            (a, self.ty(a))
        };
        let value = self.tree.constant(a);
        let folded = value.and_then(|value| fold::unary(op, self.format(self.ty(a)), value));
        Ok(match folded {
            Some(value) => self.add(Kind::Const(value), ty, span),
            None => self.add(Kind::Unary(op, a), ty, span),
        })
    }

    /// `a op b`.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        a: NodeId,
        b: NodeId,
        span: Span,
    ) -> Analysed<NodeId> {
        use BinaryOp::*;
        let pointees = [a, b].map(|node| self.tree.types.pointee(self.ty(node)));
        match (op, pointees) {
            (Lt | Gt | Le | Ge | Eq | Ne, [Some(_), _] | [_, Some(_)]) => {
                return self.compare_pointers(op, a, b, span);
            }
            (Add, [Some(_), None]) | (Sub, [Some(_), None]) => {
                return self.move_pointer(a, b, op == Sub, span);
            }
            (Add, [None, Some(_)]) => return self.move_pointer(b, a, false, span),
            (Sub, [Some(to), Some(_)]) => {
                let stride = self.size(to, span)?;
                let int = match self.tree.types.model {
                    crate::types::DataModel::Ilp32 => IntType::Int,
                    crate::types::DataModel::Lp64 => IntType::Long,
                };
                let ty = self.tree.types.int(int);
                return Ok(self.add(Kind::PointerDiff(a, b, stride.max(1)), ty, span));
            }
            _ => {}
        }
        let (a, b) = if matches!(op, Shl | Shr) {
            (self.promote(a)?, self.promote(b)?)
        } else {
            let common = self.integer(a)?.common(self.integer(b)?, self.tree.types.model);
            let ty = self.tree.types.int(common);
            (self.convert(a, ty), self.convert(b, ty))
        };
        let ty = match op {
            Lt | Gt | Le | Ge | Eq | Ne => self.int(),
            _ => self.ty(a),
        };
        Ok(self.operation(op, a, b, ty, span))
    }

    /// `a op b` of converted operands, folded if they are constants and that is defined.
    fn operation(&mut self, op: BinaryOp, a: NodeId, b: NodeId, ty: Ty, span: Span) -> NodeId {
        let formats = [a, b].map(|node| self.format(self.ty(node)));
        let folded = match (self.tree.constant(a), self.tree.constant(b)) {
            (Some(x), Some(y)) => fold::binary(op, formats[0], x, y, formats[1]),
            _ => None,
        };
        let kind = folded.map_or(Kind::Binary(op, a, b), Kind::Const);
        let node = self.add(kind, ty, span);
        if let (Some(_), BinaryOp::Mul) = (folded, op) {
            let size_of = [a, b].iter().find_map(|arg| self.tree.sizes.get(arg).copied());
            self.tree.sizes.extend(size_of.map(|of| (node, of)));
        }
        node
    }

    fn compare_pointers(
        &mut self,
        op: BinaryOp,
        a: NodeId,
        b: NodeId,
        span: Span,
    ) -> Analysed<NodeId> {
        self.scalar(a)?;
        self.scalar(b)?;
        let is_pointer = self.tree.types.pointee(self.ty(a)).is_some();
        let ty = if is_pointer { self.ty(a) } else { self.ty(b) };
        let (a, b) = (self.convert(a, ty), self.convert(b, ty));
        let int = self.int();
        Ok(self.operation(op, a, b, int, span))
    }

    /// `pointer + index` or `pointer - index`. An element of an array that is known stays one.
    pub(super) fn move_pointer(
        &mut self,
        pointer: NodeId,
        index: NodeId,
        is_minus: bool,
        span: Span,
    ) -> Analysed<NodeId> {
        self.integer(index)?;
        let ty = self.ty(pointer);
        let to = self.tree.types.pointee(ty);
        let (index, element) = self.in_elements(index, to.unwrap_or(ty), span);
        let stride = self.size(element, span)?;
        if let Kind::Address(element) = self.tree.node(pointer).kind
            && let Kind::Index(array, start) = self.tree.node(element).kind
            && self.tree.constant(start) == Some(0)
            && Some(self.ty(element)) == to
            && !is_minus
        {
            let element_type = self.ty(element);
            let element = self.add(Kind::Index(array, index), element_type, span);
            return Ok(self.add(Kind::Address(element), ty, span));
        }
        Ok(self.add(Kind::PointerAdd { pointer, index, stride, is_minus }, ty, span))
    }

    /// A number of rows as a number of elements. A product that wraps around is no address in the
    /// object, so the operation is unsigned.
    fn in_elements(&mut self, mut index: NodeId, mut ty: Ty, span: Span) -> (NodeId, Ty) {
        while let Type::Row(element, length) = *self.tree.types.get(ty) {
            let length = self.get(ObjectId(length), span);
            let size = self.ty(length);
            let rows = self.convert(index, size);
            let product = self.operation(BinaryOp::Mul, rows, length, size, span);
            let signed = self.tree.types.int(IntType::LongLong);
            index = self.convert(product, signed);
            ty = element;
        }
        (index, ty)
    }

    /// `*pointer`.
    pub(super) fn deref(&mut self, pointer: NodeId, span: Span) -> Analysed<NodeId> {
        let ty = self.ty(pointer);
        let Some(to) = self.tree.types.pointee(ty) else {
            let name = self.tree.types.name(ty);
            return Err(Fault::new(span, format!("a `{name}` cannot be dereferenced")));
        };
        if let Kind::Address(place) = self.tree.node(pointer).kind
            && self.ty(place) == to
            // A cast may take a qualifier away.
            && !(self.constants.cast.contains(&pointer) && self.is_const(place))
        {
            return Ok(place);
        }
        Ok(self.add(Kind::Deref(pointer), to, span))
    }

    /// `&place`.
    pub(super) fn address(&mut self, place: NodeId, span: Span) -> NodeId {
        if let Kind::Deref(pointer) = self.tree.node(place).kind {
            return pointer;
        }
        let ty = self.ty(place);
        let ty = self.tree.types.pointer(ty);
        match self.offset_from_null(place) {
            Some(offset) => self.add(Kind::Const(offset), ty, span),
            None => self.add(Kind::Address(place), ty, span),
        }
    }

    /// The old way to write `offsetof`: `&((struct s *)0)->m` is a constant.
    fn offset_from_null(&self, mut place: NodeId) -> Option<u64> {
        let mut offset = 0u64;
        loop {
            match self.tree.node(place).kind {
                Kind::Member(base, index) => {
                    let Type::Record(id) = *self.tree.types.get(self.ty(base)) else { return None };
                    let members = self.tree.types.record(id).members.as_ref()?;
                    offset = offset.checked_add(members[index].offset)?;
                    place = base;
                }
                Kind::Deref(pointer) if self.tree.constant(pointer) == Some(0) => {
                    return Some(offset);
                }
                _ => return None,
            }
        }
    }

    /// The value of a place: arrays become the address of their first element, and functions
    /// their address.
    pub(super) fn load(&mut self, place: NodeId, span: Span) -> Analysed<NodeId> {
        let ty = self.ty(place);
        if let (Type::Row(element, _), Kind::Deref(row)) =
            (self.tree.types.get(ty), &self.tree.node(place).kind)
        {
            let (element, row) = (*element, *row);
            let ty = self.tree.types.pointer(element);
            return Ok(self.convert(row, ty));
        }
        self.supported(ty, span)?;
        if let Type::Array(element, _) = *self.tree.types.get(ty) {
            let zero = self.number(0, IntType::Int, span);
            let first = self.add(Kind::Index(place, zero), element, span);
            let ty = self.tree.types.pointer(element);
            return Ok(self.add(Kind::Address(first), ty, span));
        }
        if matches!(self.tree.types.get(ty), Type::Function { .. }) {
            return Ok(self.address(place, span));
        }
        if !matches!(self.tree.types.get(ty), Type::Bits(..)) {
            self.size(ty, span)?;
        }
        Ok(self.add(Kind::Load(place), ty, span))
    }
}
