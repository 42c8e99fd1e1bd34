//! Declarations, declarators and types.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::error::Fault;
use crate::source::Span;
use crate::token::{Key, Name, Punct, Token};

/// The type keywords of one declaration, counted.
#[derive(Default)]
struct Words {
    void: u8,
    boolean: u8,
    char: u8,
    short: u8,
    int: u8,
    long: u8,
    signed: u8,
    unsigned: u8,
    float: u8,
    double: u8,
    other: Option<&'static str>,
}

impl Words {
    /// Counts a keyword; false if it says nothing about the type.
    fn count(&mut self, key: Key) -> bool {
        let word = match key {
            Key::Void => &mut self.void,
            Key::Bool => &mut self.boolean,
            Key::Char => &mut self.char,
            Key::Short => &mut self.short,
            Key::Int => &mut self.int,
            Key::Long => &mut self.long,
            Key::Signed => &mut self.signed,
            Key::Unsigned => &mut self.unsigned,
            Key::Float => &mut self.float,
            Key::Double => &mut self.double,
            Key::Int128 | Key::VaList | Key::OtherFloat => {
                self.other = Some(key.text());
                return true;
            }
            Key::Complex | Key::Imaginary => {
                self.other = Some("a complex type");
                return true;
            }
            _ => return false,
        };
        *word = word.saturating_add(1);
        true
    }

    fn is_empty(&self) -> bool {
        self.other.is_none() && self.row().iter().all(|&count| count == 0)
    }

    fn row(&self) -> [u8; 10] {
        let Words {
            void, boolean, char, short, int, long, signed, unsigned, float, double, ..
        } = *self;
        [void, boolean, char, short, int, long, signed, unsigned, float, double]
    }

    /// The type that the keywords name together.
    fn basic(&self) -> Option<Basic> {
        if let Some(other) = self.other {
            return Some(Basic::Other(other));
        }
        Some(match self.row() {
            // void, _Bool, char, short, int, long, signed, unsigned, float, double
            [1, 0, 0, 0, 0, 0, 0, 0, 0, 0] => Basic::Void,
            [0, 1, 0, 0, 0, 0, 0, 0, 0, 0] => Basic::Bool,
            [0, 0, 1, 0, 0, 0, 0, 0, 0, 0] => Basic::Char,
            [0, 0, 1, 0, 0, 0, 1, 0, 0, 0] => Basic::SignedChar,
            [0, 0, 1, 0, 0, 0, 0, 1, 0, 0] => Basic::UnsignedChar,
            [0, 0, 0, 1, 0 | 1, 0, 0 | 1, 0, 0, 0] => Basic::Short,
            [0, 0, 0, 1, 0 | 1, 0, 0, 1, 0, 0] => Basic::UnsignedShort,
            [0, 0, 0, 0, 1, 0, 0 | 1, 0, 0, 0] | [0, 0, 0, 0, 0, 0, 1, 0, 0, 0] => Basic::Int,
            [0, 0, 0, 0, 0 | 1, 0, 0, 1, 0, 0] => Basic::UnsignedInt,
            [0, 0, 0, 0, 0 | 1, 1, 0 | 1, 0, 0, 0] => Basic::Long,
            [0, 0, 0, 0, 0 | 1, 1, 0, 1, 0, 0] => Basic::UnsignedLong,
            [0, 0, 0, 0, 0 | 1, 2, 0 | 1, 0, 0, 0] => Basic::LongLong,
            [0, 0, 0, 0, 0 | 1, 2, 0, 1, 0, 0] => Basic::UnsignedLongLong,
            [0, 0, 0, 0, 0, 0, 0, 0, 1, 0] => Basic::Float,
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 1] => Basic::Double,
            [0, 0, 0, 0, 0, 1, 0, 0, 0, 1] => Basic::LongDouble,
            _ => return None,
        })
    }
}

/// What attributes say that matters.
#[derive(Default)]
struct Attributes {
    is_packed: bool,
    /// The type is another one: refused where it is used.
    changed: Option<&'static str>,
}

impl Parser {
    /// Whether a declaration or type name can start with this token.
    pub(super) fn starts_type(&self, token: &Token) -> bool {
        use Key::*;
        match token {
            Token::Name(_) => self.is_typedef(token),
            Token::Key(key) => matches!(
                key,
                Void | Bool
                    | Char
                    | Short
                    | Int
                    | Long
                    | Signed
                    | Unsigned
                    | Float
                    | Double
                    | OtherFloat
                    | Int128
                    | VaList
                    | Complex
                    | Imaginary
                    | Struct
                    | Union
                    | Enum
                    | Typeof
                    | Const
                    | Volatile
                    | Restrict
                    | Atomic
                    | Typedef
                    | Extern
                    | Static
                    | Auto
                    | Register
                    | Thread
                    | Inline
                    | Noreturn
                    | Attribute
                    | Alignas
            ),
            _ => false,
        }
    }

    /// A declaration or function definition outside functions.
    pub(super) fn external(&mut self) -> Parsed<()> {
        if self.take(Punct::Semicolon) {
            return Ok(());
        }
        if self.is_key(Key::Asm) {
            self.skip_asm()?;
            self.expect(Punct::Semicolon)?;
            return Ok(());
        }
        if self.is_key(Key::StaticAssert) {
            return self.static_assert();
        }
        self.take_key(Key::Extension);
        let start = self.span();
        let (storage, spec) = self.specifiers(true)?;
        if self.take(Punct::Semicolon) {
            let span = start.to(self.last_span());
            let declaration = Declaration { storage, spec, declarators: Vec::new(), span };
            self.ast.externals.push(External::Declaration(declaration));
            return Ok(());
        }
        let declarator = self.declarator()?;
        let is_function = matches!(declarator.derived.first(), Some(Derived::Function { .. }));
        if is_function && self.is(Punct::BraceOpen) {
            return self.function(spec, declarator, start);
        }
        let declaration = self.declaration_rest(storage, spec, declarator, start)?;
        self.ast.externals.push(External::Declaration(declaration));
        Ok(())
    }

    fn function(&mut self, spec: TypeSpec, declarator: Declarator, start: Span) -> Parsed<()> {
        if let Some(name) = declarator.name {
            self.declare(name, false);
        }
        self.open_scope();
        if let Some(Derived::Function { params, .. }) = declarator.derived.first() {
            let names: Vec<Name> =
                params.iter().filter_map(|param| param.declarator.name).collect();
            for name in names {
                self.declare(name, false);
            }
        }
        let body = self.block()?;
        self.close_scope();
        let span = start.to(self.last_span());
        let function = Function { spec, declarator, body, span };
        self.ast.externals.push(External::Function(function));
        Ok(())
    }

    /// A declaration inside a function, with its semicolon.
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let start = self.span();
        let (storage, spec) = self.specifiers(true)?;
        if self.take(Punct::Semicolon) {
            let span = start.to(self.last_span());
            return Ok(Declaration { storage, spec, declarators: Vec::new(), span });
        }
        let first = self.declarator()?;
        self.declaration_rest(storage, spec, first, start)
    }

    /// The declarators after the first, and all initialisers.
    fn declaration_rest(
        &mut self,
        storage: Storage,
        spec: TypeSpec,
        first: Declarator,
        start: Span,
    ) -> Parsed<Declaration> {
        let mut declarators = Vec::new();
        let mut declarator = first;
        loop {
            let Some(name) = declarator.name else {
                return Err(Fault::new(declarator.span, "a declaration without a name"));
            };
            self.declare(name, storage == Storage::Typedef);
            let init = match self.take(Punct::Assign) {
                true => Some(self.initialiser()?),
                false => None,
            };
            declarators.push((declarator, init));
            if !self.take(Punct::Comma) {
                break;
            }
            self.attributes()?;
            declarator = self.declarator()?;
        }
        if !self.is(Punct::Semicolon) {
            return self.expected("`;` or `,`");
        }
        self.advance();
        Ok(Declaration { storage, spec, declarators, span: start.to(self.last_span()) })
    }

    pub(super) fn static_assert(&mut self) -> Parsed<()> {
        self.advance();
        self.skip_parens()?;
        self.expect(Punct::Semicolon)?;
        Ok(())
    }

    /// `asm`, its qualifiers and its parentheses.
    pub(super) fn skip_asm(&mut self) -> Parsed<()> {
        self.advance();
        while matches!(self.peek(), Token::Key(Key::Volatile | Key::Goto | Key::Inline)) {
            self.advance();
        }
        self.skip_parens()
    }

    /// Storage class and type. With `may_store` false a storage class is an error.
    fn specifiers(&mut self, may_store: bool) -> Parsed<(Storage, TypeSpec)> {
        let start = self.span();
        let mut storage = Storage::None;
        let mut words = Words::default();
        let mut spec = None;
        let mut attributes = Attributes::default();
        loop {
            let span = self.span();
            let found = match *self.peek() {
                Token::Key(key) => self.specifier(key, &mut words, &mut attributes)?,
                Token::Name(name)
                    if spec.is_none() && words.is_empty() && self.is_typedef(self.peek()) =>
                {
                    self.advance();
                    Specifier::Type(TypeSpec::Typedef(name, span))
                }
                _ => Specifier::None,
            };
            match found {
                Specifier::None => break,
                Specifier::Counted => {}
                Specifier::Storage(class) => {
                    if !may_store {
                        return Err(Fault::new(span, "a storage class cannot stand here"));
                    }
                    storage = class;
                }
                Specifier::Type(_) if spec.is_some() => {
                    return Err(Fault::new(span, "two types in one declaration"));
                }
                Specifier::Type(found) => spec = Some(found),
            }
        }
        let spec = match (spec, words.is_empty()) {
            (Some(spec), true) => spec,
            (Some(_), false) => return Err(Fault::new(start, "two types in one declaration")),
            (None, true) => {
                return self.expected("a type").map_err(|fault: Fault| match self.peek() {
                    Token::Name(name) => {
                        let name = self.ast.names.text(*name).to_owned();
                        fault.hint(format!("is a declaration of `{name}` missing?"))
                    }
                    _ => fault,
                });
            }
            (None, false) => match words.basic() {
                Some(basic) => TypeSpec::Basic(basic),
                None => return Err(Fault::new(start, "these words together are no type")),
            },
        };
        match attributes.changed {
            Some(name) => Ok((storage, TypeSpec::Basic(Basic::Other(name)))),
            None => Ok((storage, spec)),
        }
    }

    /// One specifier that starts with a keyword.
    fn specifier(
        &mut self,
        key: Key,
        words: &mut Words,
        attributes: &mut Attributes,
    ) -> Parsed<Specifier> {
        let class = match key {
            Key::Typedef => Storage::Typedef,
            Key::Extern => Storage::Extern,
            Key::Static => Storage::Static,
            Key::Auto => Storage::Auto,
            Key::Register => Storage::Register,
            Key::Thread => Storage::Thread,
            Key::Const
            | Key::Volatile
            | Key::Restrict
            | Key::Inline
            | Key::Noreturn
            | Key::Extension => {
                self.advance();
                return Ok(Specifier::Counted);
            }
            Key::Attribute => {
                let found = self.attributes()?;
                attributes.changed = attributes.changed.or(found.changed);
                return Ok(Specifier::Counted);
            }
            Key::Alignas => {
                self.advance();
                self.skip_parens()?;
                return Ok(Specifier::Counted);
            }
            Key::Atomic => {
                self.advance();
                if self.is(Punct::Open) {
                    self.skip_parens()?;
                }
                words.other = Some("an atomic type");
                return Ok(Specifier::Counted);
            }
            Key::Struct | Key::Union | Key::Enum => {
                return Ok(Specifier::Type(TypeSpec::Tag(self.tag()?)));
            }
            Key::Typeof => return Ok(Specifier::Type(self.nested(Parser::type_of)?)),
            _ => {
                if !words.count(key) {
                    return Ok(Specifier::None);
                }
                self.advance();
                return Ok(Specifier::Counted);
            }
        };
        self.advance();
        Ok(Specifier::Storage(class))
    }

    fn type_of(&mut self) -> Parsed<TypeSpec> {
        self.advance();
        self.expect(Punct::Open)?;
        let spec = if self.starts_type(self.peek()) {
            TypeSpec::TypeofType(self.type_name()?)
        } else {
            TypeSpec::TypeofExpr(self.expression()?)
        };
        self.expect(Punct::Close)?;
        Ok(spec)
    }

    /// Any number of `__attribute__((…))`.
    fn attributes(&mut self) -> Parsed<Attributes> {
        let mut found = Attributes::default();
        while self.is_key(Key::Attribute) {
            let from = self.at;
            self.advance();
            self.skip_parens()?;
            for at in from..self.at {
                let Token::Name(name) = self.lexemes[at].token else { continue };
                match self.ast.names.text(name).trim_matches('_') {
                    "packed" => found.is_packed = true,
                    "mode" => found.changed = Some("a type with the attribute `mode`"),
                    "vector_size" => found.changed = Some("a vector type"),
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// A struct, union or enum.
    fn tag(&mut self) -> Parsed<TagId> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Key(Key::Struct) => TagKind::Struct,
            Token::Key(Key::Union) => TagKind::Union,
            _ => TagKind::Enum,
        };
        self.advance();
        let mut is_packed = self.attributes()?.is_packed;
        let name = match *self.peek() {
            Token::Name(name) => {
                self.advance();
                Some(name)
            }
            _ => None,
        };
        let span = start.to(self.last_span());
        let body = match self.is(Punct::BraceOpen) {
            false if name.is_none() => return self.expected("a name or `{`"),
            false => None,
            true if kind == TagKind::Enum => Some(self.enumerators()?),
            true => Some(TagBody::Fields(self.nested(Parser::fields)?)),
        };
        if body.is_some() {
            is_packed |= self.attributes()?.is_packed;
        }
        let id = TagId(self.ast.tags.len() as u32);
        self.ast.tags.push(Tag { kind, name, body, is_packed, span });
        Ok(id)
    }

    fn enumerators(&mut self) -> Parsed<TagBody> {
        self.expect(Punct::BraceOpen)?;
        let mut list = Vec::new();
        while !self.is(Punct::BraceClose) {
            let span = self.span();
            let name = self.name()?;
            self.attributes()?;
            let value = match self.take(Punct::Assign) {
                true => Some(self.conditional()?),
                false => None,
            };
            self.declare(name, false);
            list.push((name, value, span));
            if !self.is(Punct::BraceClose) {
                self.expect(Punct::Comma)?;
            }
        }
        self.expect(Punct::BraceClose)?;
        Ok(TagBody::Enumerators(list))
    }

    fn fields(&mut self) -> Parsed<Vec<Field>> {
        self.expect(Punct::BraceOpen)?;
        let mut fields = Vec::new();
        while !self.take(Punct::BraceClose) {
            if self.take(Punct::Semicolon) {
                continue;
            }
            if self.is_key(Key::StaticAssert) {
                self.static_assert()?;
                continue;
            }
            self.take_key(Key::Extension);
            let start = self.span();
            let (_, spec) = self.specifiers(false)?;
            if self.is(Punct::Semicolon) {
                let declarator =
                    Declarator { name: None, derived: Vec::new(), attribute: None, span: start };
                fields.push(Field { spec: spec.clone(), declarator, is_bits: false });
            }
            while !self.take(Punct::Semicolon) {
                let declarator = match self.is(Punct::Colon) {
                    true => {
                        let span = self.span();
                        Declarator { name: None, derived: Vec::new(), attribute: None, span }
                    }
                    false => self.declarator()?,
                };
                let is_bits = self.take(Punct::Colon);
                if is_bits {
                    self.conditional()?;
                }
                self.attributes()?;
                fields.push(Field { spec: spec.clone(), declarator, is_bits });
                if !self.is(Punct::Semicolon) {
                    self.expect(Punct::Comma)?;
                }
            }
        }
        Ok(fields)
    }

    /// A type without a name, as in a cast.
    pub(super) fn type_name(&mut self) -> Parsed<TypeNameId> {
        let (_, spec) = self.specifiers(false)?;
        let declarator = self.declarator()?;
        if let Some(name) = declarator.name {
            let name = self.ast.names.text(name);
            let message = format!("a type was expected, but this declares `{name}`");
            return Err(Fault::new(declarator.span, message));
        }
        let id = TypeNameId(self.ast.type_names.len() as u32);
        self.ast.type_names.push(TypeName { spec, declarator });
        Ok(id)
    }

    /// A declarator, with or without a name, and the attributes and `asm` label after it.
    pub(super) fn declarator(&mut self) -> Parsed<Declarator> {
        let start = self.span();
        let mut derived = Vec::new();
        let name = self.declarator_parts(&mut derived)?;
        let span = name.map_or(start, |(_, span)| span);
        if self.is_key(Key::Asm) {
            self.skip_asm()?;
        }
        let attribute = self.attributes()?.changed;
        if derived.len() > super::DEEPEST as usize {
            return self.too_deep(span);
        }
        Ok(Declarator { name: name.map(|(name, _)| name), derived, attribute, span })
    }

    /// Appends the steps of a declarator, those next to the name first.
    fn declarator_parts(&mut self, derived: &mut Vec<Derived>) -> Parsed<Option<(Name, Span)>> {
        let mut pointers = 0;
        self.attributes()?;
        while self.take(Punct::Star) {
            pointers += 1;
            while matches!(
                self.peek(),
                Token::Key(Key::Const | Key::Volatile | Key::Restrict | Key::Atomic)
            ) {
                self.advance();
            }
            self.attributes()?;
        }
        let name = match *self.peek() {
            Token::Name(name) => {
                let span = self.span();
                self.advance();
                Some((name, span))
            }
            Token::Punct(Punct::Open) if self.opens_declarator() => {
                self.advance();
                let name = self.nested(|parser| parser.declarator_parts(derived))?;
                self.expect(Punct::Close)?;
                name
            }
            _ => None,
        };
        loop {
            if self.is(Punct::BracketOpen) {
                derived.push(self.array_suffix()?);
            } else if self.is(Punct::Open) {
                derived.push(self.nested(Parser::function_suffix)?);
            } else {
                break;
            }
        }
        derived.extend(std::iter::repeat_with(|| Derived::Pointer).take(pointers));
        Ok(name)
    }

    /// Whether `(` opens an inner declarator rather than a list of parameters.
    fn opens_declarator(&self) -> bool {
        match self.peek_after(1) {
            Token::Punct(Punct::Star | Punct::Open | Punct::BracketOpen) => true,
            Token::Key(Key::Attribute) => true,
            token @ Token::Name(_) => !self.is_typedef(token),
            _ => false,
        }
    }

    fn array_suffix(&mut self) -> Parsed<Derived> {
        let start = self.expect(Punct::BracketOpen)?;
        while matches!(
            self.peek(),
            Token::Key(Key::Static | Key::Const | Key::Volatile | Key::Restrict)
        ) {
            self.advance();
        }
        let length = match self.is(Punct::BracketClose) {
            true => None,
            false => Some(self.assignment_expression()?),
        };
        self.expect(Punct::BracketClose)?;
        Ok(Derived::Array(length, start.to(self.last_span())))
    }

    fn function_suffix(&mut self) -> Parsed<Derived> {
        self.expect(Punct::Open)?;
        let mut params: Vec<Param> = Vec::new();
        let mut is_variadic = false;
        let has_prototype = !self.is(Punct::Close);
        let is_void = self.is_key(Key::Void) && *self.peek_after(1) == Token::Punct(Punct::Close);
        if is_void {
            self.advance();
        }
        self.open_scope();
        while !self.is(Punct::Close) {
            if self.take(Punct::Dots) {
                is_variadic = true;
                break;
            }
            if matches!(self.peek(), Token::Name(_)) && !self.is_typedef(self.peek()) {
                let fault = self.expected::<Derived>("a parameter's type");
                return fault
                    .map_err(|fault| fault.hint("old-style parameter lists are not supported"));
            }
            let (_, spec) = self.specifiers(true)?;
            let declarator = self.declarator()?;
            if let Some(name) = declarator.name {
                self.declare(name, false);
            }
            params.push(Param { spec, declarator });
            if !self.is(Punct::Close) {
                self.expect(Punct::Comma)?;
            }
        }
        self.expect(Punct::Close)?;
        self.close_scope();
        Ok(Derived::Function { params, is_variadic, has_prototype })
    }
}

/// What a keyword was among the specifiers.
enum Specifier {
    /// None of them.
    None,
    /// A word that is counted, or that does not matter.
    Counted,
    Storage(Storage),
    Type(TypeSpec),
}
