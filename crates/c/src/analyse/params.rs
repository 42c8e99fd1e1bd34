//! Parameters: what they are adjusted to, and rows whose length is another parameter.

use super::scope::Entity;
use super::{Analysed, Analyser};
use crate::ast::*;
use crate::source::Span;
use crate::token::Name;
use crate::tree::{FunctionId, NodeId};
use crate::types::{Ty, Type};

/// A parameter: its name, type and place.
type Parameter = (Option<Name>, Ty, Span);

impl Analyser<'_> {
    /// A parameter: arrays and functions become pointers.
    fn parameter(&mut self, param: &Param) -> Analysed<Parameter> {
        let mut declarator = param.declarator.clone();
        if let Some(first @ Derived::Array(..)) = declarator.derived.first_mut() {
            let array = std::mem::replace(first, Derived::Pointer { is_const: false });
            if let (Derived::Array(Some(length), _), true) = (array, self.rows.is_some()) {
                self.no_effect(length)?;
            }
        }
        let (name, mut ty) = self.declared(&param.spec, &declarator)?;
        match *self.tree.types.get(ty) {
            Type::Array(element, _) => {
                ty = self.tree.types.pointer(element);
                self.constness = self.constness.of(&Derived::Pointer { is_const: false });
            }
            Type::Function { .. } => ty = self.tree.types.pointer(ty),
            _ => {}
        }
        Ok((name, ty, param.declarator.span))
    }

    /// The types of parameters. The length of a row may name the parameters before it.
    pub(super) fn parameter_types(&mut self, params: &[Param]) -> Analysed<Vec<Ty>> {
        let has_rows = |param: &Param| {
            let is_row = |derived: &Derived| matches!(derived, Derived::Array(Some(_), _));
            param.declarator.derived.iter().skip(1).any(is_row)
        };
        let has_rows = params.iter().any(has_rows);
        let (rows, mut types) = (self.rows.take(), Vec::new());
        if has_rows {
            self.scopes.open();
        }
        for param in params {
            self.in_prototype += 1;
            let declared = self.parameter(param);
            self.in_prototype -= 1;
            let (name, ty, span) = declared?;
            types.push(ty);
            if let Some(name) = name.filter(|_| has_rows) {
                let object = self.new_object(String::new(), ty, self.current, span);
                self.scopes.insert(name, Entity::Object(object));
            }
        }
        if has_rows {
            self.scopes.close();
        }
        self.rows = rows;
        Ok(types)
    }

    /// Declares the parameters of a definition, and gives what keeps the lengths of their rows.
    pub(super) fn parameters(
        &mut self,
        id: FunctionId,
        function: &Function,
    ) -> Analysed<Vec<NodeId>> {
        let mut sets = Vec::new();
        let Some(Derived::Function { params, .. }) = function.declarator.derived.first() else {
            return Ok(sets);
        };
        for param in params {
            self.rows = Some(Vec::new());
            let declared = self.parameter(param);
            sets.extend(self.rows.take().unwrap_or_default());
            let (name, ty, span) = declared?;
            let text = name.map_or(String::new(), |name| self.text(name).to_owned());
            let object = self.new_object(text, ty, Some(id), span);
            self.tree.functions[id.index()].params.push(object);
            self.constants.objects.insert(object, self.constness);
            if let Some(name) = name {
                self.scopes.insert(name, Entity::Object(object));
            }
        }
        Ok(sets)
    }
}
