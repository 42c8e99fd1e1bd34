//! Types. Equal types have equal ids, so that synonyms cost nothing, however they nest.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A type: its position in [`Types`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TypeId(u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Type {
    Bool,
    Int,
    Real,
    Bv(u32),
    /// A declared type of which nothing is known; its name.
    Named(Box<str>),
    /// Indices and element.
    Map(Box<[TypeId]>, TypeId),
}

#[derive(Clone, Debug)]
pub(crate) struct Types {
    kinds: IndexSet<Type, FxBuildHasher>,
}

/// Parts of a type that are nested deeper are shown as dots.
const SHOWN_DEPTH: usize = 4;

impl Types {
    pub const BOOL: TypeId = TypeId(0);
    pub const INT: TypeId = TypeId(1);
    pub const REAL: TypeId = TypeId(2);

    pub fn new() -> Types {
        Types { kinds: [Type::Bool, Type::Int, Type::Real].into_iter().collect() }
    }

    pub fn add(&mut self, kind: Type) -> TypeId {
        let (index, _) = self.kinds.insert_full(kind);
        TypeId(u32::try_from(index).expect("fewer types than bytes"))
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.kinds[id.0 as usize]
    }

    /// As Boogie writes it.
    pub fn show(&self, id: TypeId) -> String {
        self.show_at(id, 0)
    }

    fn show_at(&self, id: TypeId, depth: usize) -> String {
        match self.get(id) {
            Type::Bool => "bool".into(),
            Type::Int => "int".into(),
            Type::Real => "real".into(),
            Type::Bv(width) => format!("bv{width}"),
            Type::Named(name) => name.to_string(),
            Type::Map(..) if depth == SHOWN_DEPTH => "…".into(),
            Type::Map(indices, element) => {
                let indices: Vec<String> =
                    indices.iter().map(|index| self.show_at(*index, depth + 1)).collect();
                format!("[{}]{}", indices.join(", "), self.show_at(*element, depth + 1))
            }
        }
    }
}
