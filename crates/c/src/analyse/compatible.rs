//! Which types are the same: `_Generic`, `__builtin_types_compatible_p`, and names that are
//! declared twice.
//!
//! Types know no qualifiers, and an enumeration is its integer type. So two types that are the same
//! here may still differ, and a question that depends on it is refused.

use super::scope::Entity;
use super::{Analysed, Analyser};
use crate::ast::{Derived, ExprId, TagKind, TypeNameId, TypeSpec};
use crate::error::Fault;
use crate::source::Span;
use crate::tree::NodeId;
use crate::types::{IntType, Ty, Type};

/// Where qualifiers of a type name count.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Qualifiers {
    /// At the top too.
    All,
    /// Below the top: those of what a pointer points to, and of elements.
    Below,
}

impl Analyser<'_> {
    /// `_Generic`: the expression whose type is that of the first one.
    pub(super) fn generic(
        &mut self,
        subject: ExprId,
        choices: &[(Option<TypeNameId>, ExprId)],
        span: Span,
    ) -> Analysed<ExprId> {
        self.unevaluated += 1;
        let subject = self.value(subject).map(|node| self.ty(node));
        self.unevaluated -= 1;
        let (subject, mut found, mut default) = (subject?, None, None);
        for &(name, choice) in choices {
            let Some(name) = name else {
                default = Some(choice);
                continue;
            };
            let ty = self.type_name(name)?;
            if !self.may_be_same(ty, subject) {
                continue;
            }
            // What the first expression points to may be qualified.
            let is_sure = ty == subject
                && self.tree.types.pointee(ty).is_none()
                && self.is_plain(name, Qualifiers::All);
            if !is_sure || found.replace(choice).is_some() {
                let what = "_Generic with types that may differ by qualifiers, or enumerations";
                return Err(Fault::unsupported(span, what));
            }
        }
        found.or(default).ok_or_else(|| Fault::new(span, "no type of this _Generic fits"))
    }

    /// `__builtin_types_compatible_p`
    pub(super) fn compatible(&mut self, names: [TypeNameId; 2], span: Span) -> Analysed<NodeId> {
        let [a, b] = [self.type_name(names[0])?, self.type_name(names[1])?];
        let may_be_same = self.may_be_same(a, b);
        let is_sure = a == b && names.iter().all(|&name| self.is_plain(name, Qualifiers::Below));
        if may_be_same && !is_sure {
            let what = "a comparison of types with qualifiers, names or enumerations inside";
            return Err(Fault::unsupported(span, what));
        }
        Ok(self.number(i128::from(may_be_same), IntType::Int, span))
    }

    /// Whether a type name has no qualifier that counts, and no enumeration inside.
    fn is_plain(&self, name: TypeNameId, qualifiers: Qualifiers) -> bool {
        let name = &self.ast.type_names[name.index()];
        let derived = &name.declarator.derived;
        let counts = qualifiers == Qualifiers::All || !derived.is_empty();
        let mut spec = &name.spec;
        while let TypeSpec::Const(inner) | TypeSpec::Volatile(inner) = spec {
            if counts {
                return false;
            }
            spec = inner;
        }
        let is_plain = match spec {
            TypeSpec::Basic(_) => true,
            TypeSpec::Tag(id) => self.ast.tags[id.index()].kind != TagKind::Enum,
            // An integer may be an enumeration, and a pointer may lead to something constant.
            TypeSpec::Typedef(name, _) => match self.scopes.find(*name) {
                Some(Entity::Typedef(ty, constness)) => {
                    let is_const = constness.is_const || self.volatile.types.contains(name);
                    !(counts && is_const) && matches!(self.tree.types.get(ty), Type::Record(_))
                }
                _ => false,
            },
            _ => false,
        };
        let is_const = |derived: &Derived| match derived {
            Derived::Pointer { is_const } => *is_const,
            // Its parameters are not looked at.
            Derived::Function { params, .. } => !params.is_empty(),
            Derived::Array(..) => false,
        };
        is_plain && !name.declarator.is_volatile && !derived.iter().any(is_const)
    }

    /// Whether two types may be compatible (C11 6.2.7): whether they are the same but for lengths
    /// that are missing, parameters that are not known, and qualifiers.
    pub(super) fn may_be_same(&self, a: Ty, b: Ty) -> bool {
        let types = &self.tree.types;
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            if a == b {
                continue;
            }
            match (types.get(a), types.get(b)) {
                (Type::Pointer(a), Type::Pointer(b)) => pairs.push((*a, *b)),
                (Type::Array(a, m), Type::Array(b, n)) if m.is_none() || n.is_none() || m == n => {
                    pairs.push((*a, *b));
                }
                // Their lengths, and the reason why they are refused, are not compared.
                (Type::Row(..) | Type::Refused(_), _) | (_, Type::Row(..) | Type::Refused(_)) => {}
                (
                    Type::Function { result: a, params, is_variadic, has_prototype },
                    Type::Function {
                        result: b,
                        params: others,
                        is_variadic: other_is_variadic,
                        has_prototype: other_has_prototype,
                    },
                ) => {
                    let is_like = params.len() == others.len() && is_variadic == other_is_variadic;
                    if !*has_prototype || !*other_has_prototype {
                        return true;
                    } else if !is_like {
                        return false;
                    }
                    pairs.push((*a, *b));
                    pairs.extend(params.iter().copied().zip(others.iter().copied()));
                }
                _ => return false,
            }
        }
        true
    }

    /// A name that is declared again must have the type that it had (C11 6.7p4). The library may
    /// differ from what the program declares.
    pub(super) fn same_type(&self, known: Ty, new: Ty, name: &str, span: Span) -> Analysed<()> {
        let is_own = self.ast.library.is_none_or(|start| span.start < start);
        match is_own && !self.may_be_same(known, new) {
            true => Err(Fault::new(span, format!("`{name}` was declared with another type"))),
            false => Ok(()),
        }
    }
}
