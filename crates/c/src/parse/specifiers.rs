//! What stands before the declarators: types, tags, storage classes and attributes.

use super::attributes::{ATOMIC, Attributes};
use super::{Parsed, Parser};
use crate::ast::*;
use crate::error::Fault;
use crate::token::{Key, Punct, Token};

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

    /// Storage class and type, and what attributes among them say of what is declared. With
    /// `may_store` false a storage class is an error.
    pub(super) fn specifiers(
        &mut self,
        may_store: bool,
    ) -> Parsed<(Storage, TypeSpec, Attributes)> {
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
                None => return Err(Fault::new(start, "these words together are not a type")),
            },
        };
        let spec = match attributes.changed {
            Some(name) => TypeSpec::Basic(Basic::Other(name)),
            None if attributes.is_volatile => TypeSpec::Volatile(spec.into()),
            None => spec,
        };
        let spec = if attributes.is_const { TypeSpec::Const(spec.into()) } else { spec };
        Ok((storage, spec, attributes))
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
            Key::Volatile => {
                self.advance();
                attributes.is_volatile = true;
                return Ok(Specifier::Counted);
            }
            Key::Const => {
                self.advance();
                attributes.is_const = true;
                return Ok(Specifier::Counted);
            }
            Key::Restrict | Key::Inline | Key::Noreturn | Key::Extension => {
                self.advance();
                attributes.never_returns |= key == Key::Noreturn;
                return Ok(Specifier::Counted);
            }
            Key::Attribute | Key::Alignas => {
                let found = self.attributes()?;
                attributes.add(found);
                return Ok(Specifier::Counted);
            }
            Key::Atomic => {
                self.advance();
                if self.is(Punct::Open) {
                    self.skip_parens()?;
                }
                words.other = Some(ATOMIC);
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

    /// A struct, union or enum.
    fn tag(&mut self) -> Parsed<TagId> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Key(Key::Struct) => TagKind::Struct,
            Token::Key(Key::Union) => TagKind::Union,
            _ => TagKind::Enum,
        };
        self.advance();
        let mut placing = self.attributes()?.placing;
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
            placing.most = self.packed_at(self.last_span().start);
            placing = placing.with(self.attributes()?.placing);
        }
        let id = TagId(self.ast.tags.len() as u32);
        self.ast.tags.push(Tag { kind, name, body, placing, span });
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
                let Declaration { spec, span, .. } = self.static_assert()?;
                fields.push(Field { spec, declarator: Declarator::bare(span), bits: None });
                continue;
            }
            self.take_key(Key::Extension);
            let start = self.span();
            let (_, spec, attributes) = self.specifiers(false)?;
            if self.is(Punct::Semicolon) {
                let mut declarator = Declarator::bare(start);
                declarator.placing = attributes.placing;
                fields.push(Field { spec: spec.clone(), declarator, bits: None });
            }
            while !self.take(Punct::Semicolon) {
                let mut declarator = match self.is(Punct::Colon) {
                    true => Declarator::bare(self.span()),
                    false => self.declarator()?,
                };
                let bits = match self.take(Punct::Colon) {
                    true => Some(self.conditional()?),
                    false => None,
                };
                let after = self.attributes()?.placing;
                declarator.placing = declarator.placing.with(attributes.placing).with(after);
                fields.push(Field { spec: spec.clone(), declarator, bits });
                if !self.is(Punct::Semicolon) {
                    self.expect(Punct::Comma)?;
                }
            }
        }
        Ok(fields)
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
