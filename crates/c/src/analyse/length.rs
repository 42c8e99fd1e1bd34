//! Lengths of arrays: constant, of a local variable, of the rows of a parameter. All others that
//! are not constant make a type that is refused where it is used.

use super::{Analysed, Analyser};
use crate::ast::*;
use crate::error::Fault;
use crate::source::Span;
use crate::tree::NodeId;
use crate::types::{IntType, Ty, Type, VARIABLE};

/// The longest array, in elements.
const LONGEST_ARRAY: u64 = 1 << 31;

impl Analyser<'_> {
    /// An array of this many elements. The length of a local variable is evaluated elsewhere.
    pub(super) fn array(
        &mut self,
        element: Ty,
        length: Option<ExprId>,
        span: Span,
        is_kept: bool,
    ) -> Analysed<Ty> {
        let Some(length) = length else {
            return Ok(self.tree.types.make(Type::Array(element, None)));
        };
        self.in_length += 1;
        let constant = self.try_constant(length);
        self.in_length -= 1;
        let Some(constant) = constant? else {
            if self.rows.is_some() {
                return self.row(element, length);
            }
            if !is_kept && self.in_prototype == 0 {
                self.no_effect(length)?;
            }
            return Ok(self.tree.types.make(Type::Refused(VARIABLE)));
        };
        match u64::try_from(constant) {
            Ok(length) if length <= LONGEST_ARRAY => {
                Ok(self.tree.types.make(Type::Array(element, Some(length))))
            }
            _ => Err(Fault::new(span, format!("an array cannot have {constant} elements"))),
        }
    }

    /// Refuses a side effect in a length that would not be evaluated (C11 6.7.6.2p5).
    pub(super) fn no_effect(&mut self, length: ExprId) -> Analysed<()> {
        self.unevaluated += 1;
        let node = self.value(length);
        self.unevaluated -= 1;
        match self.tree.effect(node?) {
            Some(_) => {
                let span = self.ast.expr(length).span;
                Err(Fault::unsupported(span, "a side effect in the length of an array here"))
            }
            None => Ok(()),
        }
    }

    /// The type and length of a local array whose length is not constant; none for all others.
    pub(super) fn variable_array(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
    ) -> Analysed<Option<(Ty, NodeId)>> {
        let Some((Derived::Array(Some(length), _), rest)) = declarator.derived.split_first() else {
            return Ok(None);
        };
        let inner = Declarator { derived: rest.to_vec(), ..declarator.clone() };
        let (_, element) = self.declared(&declaration.spec, &inner)?;
        let Some(ty) = self.tree.types.variable_array(element) else { return Ok(None) };
        let length = self.value(*length)?;
        Ok(Some((ty, self.promote(length)?)))
    }

    /// A row of a parameter such as `int a[n][m]`: its length is kept where the function begins.
    fn row(&mut self, element: Ty, length: ExprId) -> Analysed<Ty> {
        let span = self.ast.expr(length).span;
        let value = self.value(length)?;
        let size = self.tree.types.int(IntType::UnsignedLongLong);
        let value = self.convert_for(value, size)?;
        let kept = self.temporary(size, span);
        let set = self.set(kept, value, span);
        self.rows.get_or_insert_default().push(set);
        Ok(self.tree.types.make(Type::Row(element, kept.0)))
    }
}
