//! Expressions about types: `sizeof`, `offsetof`, `_Alignof`.

use super::{Analysed, Analyser};
use crate::ast::{self, Designator, ExprId, ExprKind, TypeNameId};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::NodeId;
use crate::types::{Ty, Type};

impl Analyser<'_> {
    /// `sizeof`
    pub(super) fn size_of(&mut self, ty: Ty, span: Span) -> Analysed<NodeId> {
        if self.tree.types.is_variable_array(ty) {
            return Err(Fault::unsupported(span, "the size of a variable-length array"));
        }
        let size = self.size(ty, span)?;
        let node = self.number(i128::from(size), self.tree.types.size_type(), span);
        self.tree.sizes.insert(node, ty);
        Ok(node)
    }

    /// `_Static_assert` (C11 6.7.10). It says nothing of runs, so one about what is not supported
    /// is passed over.
    pub(super) fn static_assert(
        &mut self,
        condition: ExprId,
        text: Option<ExprId>,
    ) -> Analysed<()> {
        let span = self.ast.expr(condition).span;
        let holds = match self.constant(condition) {
            Err(fault) if fault.is_unsupported => true,
            constant => constant? != 0,
        };
        let text = match text.map(|text| &self.ast.expr(text).kind) {
            Some(ExprKind::Str(bytes)) => format!(": {}", String::from_utf8_lossy(bytes)),
            _ => String::new(),
        };
        match holds {
            true => Ok(()),
            false => Err(Fault::new(span, format!("this static assertion does not hold{text}"))),
        }
    }

    /// `offsetof`
    pub(super) fn offset_of(
        &mut self,
        ty: ast::TypeNameId,
        path: &[Designator],
        span: Span,
    ) -> Analysed<NodeId> {
        let mut ty = self.type_name(ty)?;
        let mut offset = 0;
        for step in path {
            match step {
                Designator::Field(name, span) => {
                    let Some(way) = self.find_member(ty, *name, *span)? else {
                        let message = format!("there is no member `{}`", self.text(*name));
                        return Err(Fault::new(*span, message));
                    };
                    for (index, inner) in way {
                        if let Type::Record(id) = self.tree.types.get(ty) {
                            let members = self.tree.types.record(*id).members.as_ref();
                            offset += members.map_or(0, |members| members[index].offset);
                        }
                        ty = inner;
                    }
                }
                Designator::Index(index) => {
                    let index = self.constant(*index)?;
                    let Type::Array(element, _) = *self.tree.types.get(ty) else {
                        return Err(Fault::new(span, "this is not an array"));
                    };
                    let size = self.size(element, span)?;
                    offset += size.wrapping_mul(index as u64);
                    ty = element;
                }
                Designator::Range(..) => return Err(Fault::new(span, "a range cannot stand here")),
            }
        }
        Ok(self.number(i128::from(offset), self.tree.types.size_type(), span))
    }

    /// The alignment of a type.
    pub(super) fn align_of(&mut self, ty: TypeNameId, span: Span) -> Analysed<NodeId> {
        let ty = self.type_name(ty)?;
        let mut inner = ty;
        while let Type::Array(element, _) = *self.tree.types.get(inner) {
            inner = element;
        }
        let align = self.tree.types.align(ty).ok_or_else(|| self.incomplete(ty, span))?;
        // `_Alignof` and `__alignof__` differ for what is less aligned inside of structs.
        if self.tree.types.is_scalar(inner) && self.tree.types.size(inner) != Some(align) {
            return Err(Fault::unsupported(span, "the alignment of this type"));
        }
        Ok(self.number(i128::from(align), self.tree.types.size_type(), span))
    }
}
