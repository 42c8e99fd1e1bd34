//! Which name stands for what, from the innermost block outwards.

use super::constness::Constness;
use crate::ast::TagKind;
use crate::token::Name;
use crate::tree::{FunctionId, ObjectId};
use crate::types::Ty;
use rustc_hash::FxHashMap;

/// What an ordinary name stands for.
#[derive(Copy, Clone, Debug)]
pub enum Entity {
    /// A variable.
    Object(ObjectId),
    /// A function.
    Function(FunctionId),
    /// A type, and what of it is constant.
    Typedef(Ty, Constness),
    /// An enumeration constant.
    Enumerator(i64),
}

#[derive(Default)]
struct Scope {
    names: FxHashMap<Name, Entity>,
    tags: FxHashMap<Name, (TagKind, Ty)>,
}

/// The open scopes, the file's first.
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// The file scope alone.
    pub fn new() -> Scopes {
        Scopes(vec![Scope::default()])
    }

    /// Whether only the file scope is open.
    pub fn is_file(&self) -> bool {
        self.0.len() == 1
    }

    /// Whether a block of a function is open, beside its body.
    pub fn is_inner(&self) -> bool {
        self.0.len() > 3
    }

    /// Opens a block.
    pub fn open(&mut self) {
        self.0.push(Scope::default());
    }

    /// Closes the innermost block.
    pub fn close(&mut self) {
        self.0.pop();
    }

    /// What a name stands for here.
    pub fn find(&self, name: Name) -> Option<Entity> {
        self.0.iter().rev().find_map(|scope| scope.names.get(&name).copied())
    }

    /// What a name stands for in the file scope.
    pub fn find_file(&self, name: Name) -> Option<Entity> {
        self.0[0].names.get(&name).copied()
    }

    /// What a name stands for in the innermost scope alone.
    pub fn find_inner(&self, name: Name) -> Option<Entity> {
        self.0.last().and_then(|scope| scope.names.get(&name).copied())
    }

    /// Declares a name in the innermost scope.
    pub fn insert(&mut self, name: Name, entity: Entity) {
        if let Some(scope) = self.0.last_mut() {
            scope.names.insert(name, entity);
        }
    }

    /// Declares a name in the file scope.
    pub fn insert_file(&mut self, name: Name, entity: Entity) {
        self.0[0].names.insert(name, entity);
    }

    /// The struct, union or enum of a name.
    pub fn find_tag(&self, name: Name) -> Option<(TagKind, Ty)> {
        self.0.iter().rev().find_map(|scope| scope.tags.get(&name).copied())
    }

    /// The one of the innermost scope alone.
    pub fn find_inner_tag(&self, name: Name) -> Option<(TagKind, Ty)> {
        self.0.last().and_then(|scope| scope.tags.get(&name).copied())
    }

    /// Declares a struct, union or enum in the innermost scope.
    pub fn insert_tag(&mut self, name: Name, kind: TagKind, ty: Ty) {
        if let Some(scope) = self.0.last_mut() {
            scope.tags.insert(name, (kind, ty));
        }
    }
}
