//! Types of declarations, and what declarations declare.

use super::constness::Constness;
use super::scope::Entity;
use super::{Analysed, Analyser};
use crate::ast::*;
use crate::error::Fault;
use crate::parse::ASM_LABEL;
use crate::source::Span;
use crate::token::Name;
use crate::tree::{Extent, FunctionId, Object, ObjectId};
use crate::types::{DataModel, Field as NewField, IntType, Ty, Type};

impl Analyser<'_> {
    /// The type that specifiers name.
    fn spec(&mut self, spec: &TypeSpec) -> Analysed<Ty> {
        match spec {
            TypeSpec::Basic(basic) => Ok(self.basic(*basic)),
            TypeSpec::Tag(id) => {
                let ty = self.tag(*id);
                self.is_volatile = false;
                self.constness = Constness::default();
                ty
            }
            TypeSpec::Typedef(name, span) => match self.scopes.find(*name) {
                Some(Entity::Typedef(ty, constness)) => {
                    self.is_volatile |= self.volatile.types.contains(name);
                    self.constness = constness;
                    Ok(ty)
                }
                _ => Err(Fault::new(*span, format!("`{}` is not a type here", self.text(*name)))),
            },
            TypeSpec::TypeofType(id) => self.type_name(*id),
            TypeSpec::TypeofExpr(id) => {
                let ty = self.type_of(*id);
                self.constness = Constness::default();
                ty
            }
            TypeSpec::Const(inner) => {
                let ty = self.spec(inner);
                self.constness.is_const = true;
                ty
            }
            TypeSpec::Volatile(inner) => {
                let ty = self.spec(inner);
                self.is_volatile = true;
                ty
            }
            TypeSpec::Assert(condition, text) => {
                self.static_assert(*condition, *text)?;
                Ok(self.int())
            }
        }
    }

    fn basic(&mut self, basic: Basic) -> Ty {
        let int = match basic {
            Basic::Void => return self.tree.types.make(Type::Void),
            Basic::Bool => return self.tree.types.make(Type::Bool),
            Basic::Float => return self.tree.types.make(Type::Float(4)),
            Basic::Double => return self.tree.types.make(Type::Float(8)),
            Basic::LongDouble => {
                let size = if self.tree.types.model == DataModel::Ilp32 { 12 } else { 16 };
                return self.tree.types.make(Type::Float(size));
            }
            Basic::Other(name) => return self.tree.types.make(Type::Refused(name)),
            Basic::Char => IntType::Char,
            Basic::SignedChar => IntType::SignedChar,
            Basic::UnsignedChar => IntType::UnsignedChar,
            Basic::Short => IntType::Short,
            Basic::UnsignedShort => IntType::UnsignedShort,
            Basic::Int => IntType::Int,
            Basic::UnsignedInt => IntType::UnsignedInt,
            Basic::Long => IntType::Long,
            Basic::UnsignedLong => IntType::UnsignedLong,
            Basic::LongLong => IntType::LongLong,
            Basic::UnsignedLongLong => IntType::UnsignedLongLong,
        };
        self.tree.types.int(int)
    }

    /// The type of a type name.
    pub(super) fn type_name(&mut self, id: TypeNameId) -> Analysed<Ty> {
        let ast = self.ast;
        let type_name = &ast.type_names[id.index()];
        Ok(self.declared(&type_name.spec, &type_name.declarator)?.1)
    }

    /// The type of a struct, union or enum specifier.
    fn tag(&mut self, id: TagId) -> Analysed<Ty> {
        if let Some(&ty) = self.tags.get(&id) {
            return Ok(ty);
        }
        let ast = self.ast;
        let tag = &ast.tags[id.index()];
        let known = match (tag.name, &tag.body) {
            (Some(name), None) => self.scopes.find_tag(name),
            (Some(name), Some(_)) => self.scopes.find_inner_tag(name),
            (None, _) => None,
        };
        let ty = match known {
            Some((kind, _)) if kind != tag.kind => {
                return Err(Fault::new(tag.span, "this tag was declared as another kind"));
            }
            Some((_, ty)) => ty,
            None => self.new_tag(tag),
        };
        self.tags.insert(id, ty);
        match &tag.body {
            None => Ok(ty),
            Some(TagBody::Enumerators(list)) => self.enumerators(tag, list),
            Some(TagBody::Fields(fields)) => {
                self.fields(tag, ty, fields)?;
                Ok(ty)
            }
        }
        .inspect(|&ty| {
            self.tags.insert(id, ty);
        })
    }

    fn new_tag(&mut self, tag: &Tag) -> Ty {
        let text = tag.name.map_or("{…}", |name| self.text(name));
        let ty = match tag.kind {
            TagKind::Enum => self.tree.types.int(IntType::UnsignedInt),
            kind => {
                let is_union = kind == TagKind::Union;
                let word = if is_union { "union" } else { "struct" };
                let record = self.tree.types.new_record(format!("{word} {text}"), is_union);
                self.tree.types.make(Type::Record(record))
            }
        };
        if let Some(name) = tag.name {
            self.scopes.insert_tag(name, tag.kind, ty);
        }
        ty
    }

    fn enumerators(&mut self, tag: &Tag, list: &[(Name, Option<ExprId>, Span)]) -> Analysed<Ty> {
        let mut next: i128 = 0;
        let (mut has_negative, mut has_large) = (false, false);
        for (name, value, span) in list {
            if let Some(value) = value {
                let constant = self.exact_constant(*value)?;
                next = constant.ok_or_else(|| self.no_constant(*value))?;
            }
            if i32::try_from(next).is_err() && u32::try_from(next).is_err() {
                return Err(Fault::unsupported(*span, "an enumerator beyond 32 bits"));
            }
            has_negative |= next < 0;
            has_large |= i32::try_from(next).is_err();
            if has_negative && has_large {
                let what = "an enumeration of negative and of large values";
                return Err(Fault::unsupported(*span, what));
            }
            self.scopes.insert(*name, Entity::Enumerator(next as i64));
            next += 1;
        }
        let int = if has_negative { IntType::Int } else { IntType::UnsignedInt };
        let ty = match tag.placing.is_packed {
            true => self.tree.types.make(Type::Refused("an enumeration that is packed")),
            false => self.tree.types.int(int),
        };
        if let Some(name) = tag.name {
            self.scopes.insert_tag(name, TagKind::Enum, ty);
        }
        Ok(ty)
    }

    fn fields(&mut self, tag: &Tag, ty: Ty, fields: &[Field]) -> Analysed<()> {
        let Type::Record(record) = *self.tree.types.get(ty) else { return Ok(()) };
        if self.tree.types.record(record).members.is_some() {
            let name = self.tree.types.name(ty);
            return Err(Fault::new(tag.span, format!("`{name}` is defined twice")));
        }
        let mut members = Vec::new();
        for field in fields {
            let (name, ty) = self.declared(&field.spec, &field.declarator)?;
            let (is_volatile, constness) = (self.is_volatile, self.constness);
            let is_record = matches!(self.tree.types.get(ty), Type::Record(_));
            let bits = match field.bits {
                Some(width) => Some(self.width(width)?),
                None if name.is_none() && !is_record => continue,
                None => None,
            };
            if let Some(name) = name.filter(|_| is_volatile) {
                self.volatile.members.insert((record, name));
            }
            if let Some(name) = name {
                self.constants.members.insert((record, name), constness);
            }
            members.push(NewField { name, ty, bits, placing: field.declarator.placing });
        }
        self.tree.types.complete(record, members, tag.placing);
        Ok(())
    }

    /// The width of a bit-field.
    fn width(&mut self, width: ExprId) -> Analysed<u32> {
        let span = self.ast.expr(width).span;
        let value = self.constant(width)?;
        match u32::try_from(value) {
            Ok(value) if value <= 64 => Ok(value),
            _ => Err(Fault::new(span, format!("a bit-field cannot have {value} bits"))),
        }
    }

    /// The name and type of a declarator. Whether anything in it is volatile is noted beside.
    pub(super) fn declared(
        &mut self,
        spec: &TypeSpec,
        declarator: &Declarator,
    ) -> Analysed<(Option<Name>, Ty)> {
        let keeps_length = std::mem::take(&mut self.keeps_length);
        self.is_volatile = false;
        self.constness = Constness::default();
        let mut ty = self.spec(spec)?;
        let mut constness = self.constness;
        self.is_volatile |= declarator.is_volatile;
        let is_volatile = self.is_volatile;
        if let Some(name) = declarator.attribute {
            ty = self.tree.types.make(Type::Refused(name));
        }
        // The step next to the name is the outermost part of the type.
        for (at, derived) in declarator.derived.iter().enumerate().rev() {
            constness = constness.of(derived);
            ty = match derived {
                Derived::Pointer { .. } => self.tree.types.pointer(ty),
                Derived::Array(length, span) => {
                    self.array(ty, *length, *span, keeps_length && at == 0)?
                }
                Derived::Function { params, is_variadic, has_prototype } => {
                    let types = self.parameter_types(params)?;
                    let (is_variadic, has_prototype) = (*is_variadic, *has_prototype);
                    let params = types;
                    let ty = Type::Function { result: ty, params, is_variadic, has_prototype };
                    self.tree.types.make(ty)
                }
            };
        }
        self.is_volatile = is_volatile;
        self.constness = constness;
        Ok((declarator.name, ty))
    }

    /// Declares the names of a declaration outside functions.
    pub(super) fn declaration(&mut self, declaration: &Declaration) -> Analysed<()> {
        if declaration.declarators.is_empty() {
            self.spec(&declaration.spec)?;
        }
        for (declarator, init) in &declaration.declarators {
            self.declare(declaration, declarator, *init)?;
        }
        Ok(())
    }

    /// Declares a name. The object, if one comes to life here.
    pub(super) fn declare(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        init: Option<InitId>,
    ) -> Analysed<Option<ObjectId>> {
        let span = declarator.span;
        let (name, ty) = self.declared(&declaration.spec, declarator)?;
        let Some(name) = name else { return Ok(None) };
        let (is_volatile, constness) = (self.is_volatile, self.constness);
        let object = self.declare_name(declaration, (name, ty, span), init)?;
        if let Some(Entity::Object(object)) = self.scopes.find(name) {
            self.constants.objects.insert(object, constness);
        }
        if let Some(Entity::Object(object)) = self.scopes.find(name)
            && is_volatile
        {
            self.volatile.objects.insert(object);
        }
        if let Some(Entity::Function(function)) = self.scopes.find(name) {
            self.tree.functions[function.index()].never_returns |= declarator.never_returns;
        }
        Ok(object)
    }

    fn declare_name(
        &mut self,
        declaration: &Declaration,
        (name, ty, span): (Name, Ty, Span),
        init: Option<InitId>,
    ) -> Analysed<Option<ObjectId>> {
        let is_function = matches!(self.tree.types.get(ty), Type::Function { .. });
        if declaration.storage == Storage::Typedef {
            if self.is_volatile {
                self.volatile.types.insert(name);
            }
            self.scopes.insert(name, Entity::Typedef(ty, self.constness));
            return Ok(None);
        }
        if is_function {
            self.declare_function(name, ty, span)?;
            return Ok(None);
        }
        if self.scopes.is_file() || declaration.storage == Storage::Extern {
            self.declare_global(name, ty, declaration.storage, init, span)?;
            return Ok(None);
        }
        if let Some(Entity::Object(_)) = self.scopes.find_inner(name) {
            let message = format!("`{}` is declared twice here", self.text(name));
            return Err(Fault::new(span, message));
        }
        let text = self.text(name).to_owned();
        if declaration.storage == Storage::Static {
            let object = self.new_object(text, ty, None, span);
            self.scopes.insert(name, Entity::Object(object));
            self.local_static(object, init)?;
            return Ok(None);
        }
        let object = self.new_object(text, ty, self.current, span);
        self.scopes.insert(name, Entity::Object(object));
        Ok(Some(object))
    }

    /// A static variable of a function: names in its initialiser mean what they mean here, so it
    /// cannot wait until the variable is used.
    fn local_static(&mut self, object: ObjectId, init: Option<InitId>) -> Analysed<()> {
        self.complete_array(object, init)?;
        if let Some(init) = init {
            self.initialisers.insert(object, init);
            let stores = self.static_initialiser(object, init)?;
            self.tree.objects[object.index()].initial.stores = stores;
        }
        self.tree.objects[object.index()].initial.is_zeroed = true;
        Ok(())
    }

    /// Declares a function in the file scope, wherever the declaration stands.
    pub(super) fn declare_function(
        &mut self,
        name: Name,
        ty: Ty,
        span: Span,
    ) -> Analysed<FunctionId> {
        let result = match self.tree.types.get(ty) {
            Type::Function { result, .. } => *result,
            _ => return Err(Fault::new(span, "this is not a function")),
        };
        let id = match self.scopes.find_file(name) {
            Some(Entity::Function(id)) => {
                let known = self.tree.function(id).ty;
                self.same_type(known, ty, self.text(name), span)?;
                let has_prototype = matches!(
                    self.tree.types.get(known),
                    Type::Function { has_prototype: true, .. }
                );
                if !has_prototype && !self.bodies.contains_key(&id) {
                    self.tree.functions[id.index()].ty = ty;
                    self.tree.functions[id.index()].result = result;
                }
                id
            }
            Some(_) => {
                let message = format!("`{}` was declared as something else", self.text(name));
                return Err(Fault::new(span, message));
            }
            None => {
                let id = FunctionId(self.tree.functions.len() as u32);
                let text = self.text(name).to_owned();
                let function = crate::tree::Function {
                    name: text,
                    ty,
                    result,
                    params: Vec::new(),
                    body: None,
                    never_returns: false,
                    span,
                };
                self.tree.functions.push(function);
                self.is_reached.push(false);
                self.scopes.insert_file(name, Entity::Function(id));
                id
            }
        };
        if !self.scopes.is_file() {
            self.scopes.insert(name, Entity::Function(id));
        }
        Ok(id)
    }

    /// Arrays outside functions that no declaration gave a length: one that is defined has one
    /// element (C11 6.9.2p5), and that of others is not known.
    pub(super) fn complete_globals(&mut self) {
        for (&id, &is_undefined) in &self.undefined {
            let Object { ty, extent, .. } = &mut self.tree.objects[id.index()];
            let Type::Array(element, None) = *self.tree.types.get(*ty) else { continue };
            if !is_undefined {
                *ty = self.tree.types.make(Type::Array(element, Some(1)));
            } else if let Some(array) = self.tree.types.variable_array(element) {
                (*ty, *extent) = (array, Extent::Outside);
            }
        }
    }

    fn declare_global(
        &mut self,
        name: Name,
        ty: Ty,
        storage: Storage,
        init: Option<InitId>,
        span: Span,
    ) -> Analysed<()> {
        if storage == Storage::Thread {
            return Err(Fault::unsupported(span, "thread-local storage"));
        }
        let is_defined = storage != Storage::Extern || init.is_some();
        if is_defined && *self.tree.types.get(ty) == Type::Refused(ASM_LABEL) {
            // It is the storage of another variable.
            return Err(Fault::unsupported(span, ASM_LABEL));
        }
        let id = match self.scopes.find_file(name) {
            Some(Entity::Object(id)) => {
                self.same_type(self.tree.object(id).ty, ty, self.text(name), span)?;
                if self.tree.types.size(self.tree.object(id).ty).is_none() {
                    self.tree.objects[id.index()].ty = ty;
                }
                id
            }
            Some(_) => {
                let message = format!("`{}` was declared as something else", self.text(name));
                return Err(Fault::new(span, message));
            }
            None => {
                let text = self.text(name).to_owned();
                let id = self.new_object(text, ty, None, span);
                self.undefined.insert(id, true);
                self.scopes.insert_file(name, Entity::Object(id));
                id
            }
        };
        if is_defined {
            self.undefined.insert(id, false);
        }
        if let Some(init) = init {
            if self.initialisers.insert(id, init).is_some() {
                let message = format!("`{}` is defined twice", self.text(name));
                return Err(Fault::new(span, message));
            }
            self.complete_array(id, Some(init))?;
        }
        if !self.scopes.is_file() {
            self.scopes.insert(name, Entity::Object(id));
        }
        Ok(())
    }
}
