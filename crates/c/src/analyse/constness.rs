//! What is declared `const`: a place that is must not be assigned to (C11 6.5.16p2, 6.3.2.1p1).
//!
//! Types know no qualifiers. Noted is what declarations say of a variable or member itself, and of
//! what it points to. So an assignment through a cast, a call or a pointer to a pointer is not
//! judged; it is no error then.

use super::Analyser;
use crate::ast::Derived;
use crate::token::Name;
use crate::tree::{Kind, NodeId, ObjectId};
use crate::types::{RecordId, Ty, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// What of a type is constant.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Constness {
    /// Its values; of an array its elements.
    pub is_const: bool,
    /// What it points to; of an array what its elements point to.
    pub to_const: bool,
}

impl Constness {
    /// Of a type that is derived from this one.
    pub fn of(self, derived: &Derived) -> Constness {
        match derived {
            Derived::Pointer { is_const } => {
                Constness { is_const: *is_const, to_const: self.is_const }
            }
            Derived::Array(..) => self,
            Derived::Function { .. } => Constness::default(),
        }
    }
}

/// What declarations say.
#[derive(Default)]
pub(super) struct Constants {
    pub objects: FxHashMap<ObjectId, Constness>,
    pub members: FxHashMap<(RecordId, Name), Constness>,
    /// Pointers that a cast gives the type that they have but for qualifiers.
    pub cast: FxHashSet<NodeId>,
}

impl Analyser<'_> {
    /// Whether a place must not be assigned to.
    pub(super) fn is_const(&self, place: NodeId) -> bool {
        self.is_qualified(place) || self.has_const_member(self.ty(place))
    }

    /// Whether a place is `const`, as a whole.
    fn is_qualified(&self, place: NodeId) -> bool {
        match self.tree.node(place).kind {
            Kind::Deref(pointer) => self.points_to_const(pointer),
            Kind::Index(array, _) => self.is_qualified(array),
            Kind::Member(base, _) => self.declared_as(place).is_const || self.is_qualified(base),
            _ => self.declared_as(place).is_const,
        }
    }

    /// What a declaration says of a place, or of the elements of an array in which it is.
    fn declared_as(&self, place: NodeId) -> Constness {
        let known = match self.tree.node(place).kind {
            Kind::Object(object) => self.constants.objects.get(&object).copied(),
            Kind::Index(array, _) => Some(self.declared_as(array)),
            Kind::Member(base, index) => {
                let Type::Record(id) = *self.tree.types.get(self.ty(base)) else {
                    return Constness::default();
                };
                let members = self.tree.types.record(id).members.as_ref();
                let name = members.and_then(|members| members[index].name);
                name.and_then(|name| self.constants.members.get(&(id, name)).copied())
            }
            _ => None,
        };
        known.unwrap_or_default()
    }

    /// Whether a pointer is declared to point to something constant.
    fn points_to_const(&self, pointer: NodeId) -> bool {
        match self.tree.node(pointer).kind {
            _ if self.constants.cast.contains(&pointer) => false,
            Kind::Load(place) | Kind::Assign(place, _) | Kind::Update { place, .. } => {
                self.declared_as(place).to_const
            }
            Kind::PointerAdd { pointer, .. } | Kind::Comma(_, pointer) => {
                self.points_to_const(pointer)
            }
            Kind::Address(place) => self.is_qualified(place),
            _ => false,
        }
    }

    /// Whether a struct has a member that is constant.
    fn has_const_member(&self, ty: Ty) -> bool {
        let Type::Record(id) = *self.tree.types.get(ty) else { return false };
        let members = self.tree.types.record(id).members.as_ref();
        members.into_iter().flatten().any(|member| {
            let known = member.name.and_then(|name| self.constants.members.get(&(id, name)));
            known.is_some_and(|known| known.is_const) || self.has_const_member(member.ty)
        })
    }
}
