//! Declarations, declarators and types.

use super::attributes::{ATOMIC, Attributes};
use super::{Parsed, Parser};
use crate::ast::*;
use crate::error::Fault;
use crate::source::Span;
use crate::token::{Key, Name, Punct, Token};

impl Parser {
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
            let assert = self.static_assert()?;
            self.ast.externals.push(External::Declaration(assert));
            return Ok(());
        }
        self.take_key(Key::Extension);
        let start = self.span();
        let (storage, spec, attributes) = self.specifiers(true)?;
        if self.take(Punct::Semicolon) {
            let span = start.to(self.last_span());
            let declaration = Declaration { storage, spec, declarators: Vec::new(), span };
            self.ast.externals.push(External::Declaration(declaration));
            return Ok(());
        }
        let mut declarator = self.declarator()?;
        let is_function = matches!(declarator.derived.first(), Some(Derived::Function { .. }));
        if is_function && self.starts_type(self.peek()) {
            self.old_parameters(&mut declarator)?;
        }
        if is_function && self.is(Punct::BraceOpen) {
            return self.function(spec, declarator, start);
        }
        let declaration = self.declaration_rest((storage, spec, attributes), declarator, start)?;
        self.ast.externals.push(External::Declaration(declaration));
        Ok(())
    }

    /// The declarations between the names and the body of an old-style definition. A name without
    /// one stays an `int`.
    fn old_parameters(&mut self, function: &mut Declarator) -> Parsed<()> {
        self.open_scope();
        while self.starts_type(self.peek()) {
            let (_, spec, _) = self.specifiers(true)?;
            loop {
                let declarator = self.declarator()?;
                let Some(Derived::Function { params, has_prototype: false, .. }) =
                    function.derived.first_mut()
                else {
                    return self.expected("`{` or `;`");
                };
                let is_it = |param: &&mut Param| param.declarator.name == declarator.name;
                let Some(param) = params.iter_mut().find(is_it) else {
                    return Err(Fault::new(declarator.span, "this is no parameter"));
                };
                *param = Param { spec: spec.clone(), declarator };
                if !self.take(Punct::Comma) {
                    break;
                }
            }
            self.expect(Punct::Semicolon)?;
        }
        self.close_scope();
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
        let (storage, spec, attributes) = self.specifiers(true)?;
        if self.take(Punct::Semicolon) {
            let span = start.to(self.last_span());
            return Ok(Declaration { storage, spec, declarators: Vec::new(), span });
        }
        let first = self.declarator()?;
        self.declaration_rest((storage, spec, attributes), first, start)
    }

    /// The declarators after the first, and all initialisers.
    fn declaration_rest(
        &mut self,
        (storage, spec, attributes): (Storage, TypeSpec, Attributes),
        first: Declarator,
        start: Span,
    ) -> Parsed<Declaration> {
        let mut declarators = Vec::new();
        let mut declarator = first;
        loop {
            let Some(name) = declarator.name else {
                return Err(Fault::new(declarator.span, "a declaration without a name"));
            };
            let is_typedef = storage == Storage::Typedef;
            self.declare(name, is_typedef);
            declarator.never_returns |= attributes.never_returns;
            // Where a variable lies is nobody's concern, but a type takes its alignment along.
            if is_typedef && declarator.placing.with(attributes.placing).align.is_some() {
                declarator.attribute = Some("a type with the attribute `aligned`");
            }
            let init = match self.take(Punct::Assign) {
                true => Some(self.initialiser()?),
                false => None,
            };
            declarators.push((declarator, init));
            if !self.take(Punct::Comma) {
                break;
            }
            let before = self.attributes()?;
            declarator = self.declarator()?;
            declarator.never_returns |= before.never_returns;
        }
        if !self.is(Punct::Semicolon) {
            return self.expected("`;` or `,`");
        }
        self.advance();
        Ok(Declaration { storage, spec, declarators, span: start.to(self.last_span()) })
    }

    /// `_Static_assert(…);`
    pub(super) fn static_assert(&mut self) -> Parsed<Declaration> {
        let start = self.span();
        self.advance();
        self.expect(Punct::Open)?;
        let condition = self.conditional()?;
        let text = match self.take(Punct::Comma) {
            true => Some(self.conditional()?),
            false => None,
        };
        self.expect(Punct::Close)?;
        self.expect(Punct::Semicolon)?;
        let (storage, declarators) = (Storage::None, Vec::new());
        let spec = TypeSpec::Assert(condition, text);
        Ok(Declaration { storage, spec, declarators, span: start.to(self.last_span()) })
    }

    /// `asm`, its qualifiers and its parentheses.
    pub(super) fn skip_asm(&mut self) -> Parsed<()> {
        self.advance();
        while matches!(self.peek(), Token::Key(Key::Volatile | Key::Goto | Key::Inline)) {
            self.advance();
        }
        self.skip_parens()
    }

    /// A type without a name, as in a cast.
    pub(super) fn type_name(&mut self) -> Parsed<TypeNameId> {
        let (_, spec, _) = self.specifiers(false)?;
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
        let mut found = Attributes::default();
        let name = self.declarator_parts(&mut derived, &mut found)?;
        let span = name.map_or(start, |(_, span)| span);
        if self.is_key(Key::Asm) {
            self.skip_asm()?;
            // The library's functions have such names; a variable may be another one's storage.
            if !matches!(derived.first(), Some(Derived::Function { .. })) {
                found.changed = Some(super::ASM_LABEL);
            }
        }
        found.add(self.attributes()?);
        if derived.len() > super::DEEPEST as usize {
            return self.too_deep(span);
        }
        let name = name.map(|(name, _)| name);
        let Attributes { placing, is_volatile, never_returns, changed: attribute, .. } = found;
        Ok(Declarator { name, derived, attribute, is_volatile, placing, never_returns, span })
    }

    /// Appends the steps of a declarator, those next to the name first. Qualifiers that
    /// matter go to `found`.
    fn declarator_parts(
        &mut self,
        derived: &mut Vec<Derived>,
        found: &mut Attributes,
    ) -> Parsed<Option<(Name, Span)>> {
        let mut pointers = Vec::new();
        self.attributes()?;
        while self.take(Punct::Star) {
            let mut is_const = false;
            while let Token::Key(key) = *self.peek() {
                match key {
                    Key::Const => is_const = true,
                    Key::Restrict => {}
                    Key::Volatile => found.is_volatile = true,
                    Key::Atomic => found.changed = Some(ATOMIC),
                    _ => break,
                }
                self.advance();
            }
            pointers.push(Derived::Pointer { is_const });
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
                let name = self.nested(|parser| parser.declarator_parts(derived, found))?;
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
        derived.extend(pointers.into_iter().rev());
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
        let is_old = matches!(self.peek(), Token::Name(_)) && !self.is_typedef(self.peek());
        if is_old {
            return self.old_names();
        }
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
            let (_, spec, _) = self.specifiers(true)?;
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

    /// The names of the parameters of an old-style definition.
    fn old_names(&mut self) -> Parsed<Derived> {
        let mut params = Vec::new();
        loop {
            let span = self.span();
            if self.is_typedef(self.peek()) {
                return self.expected("the name of a parameter");
            }
            let name = Some(self.name()?);
            let spec = TypeSpec::Basic(Basic::Int);
            params.push(Param { spec, declarator: Declarator { name, ..Declarator::bare(span) } });
            if !self.take(Punct::Comma) {
                break;
            }
        }
        if !self.is(Punct::Close) {
            let hint = "a parameter starts with a type; in an old-style list there are only names";
            return self.expected::<Derived>("`,` or `)`").map_err(|fault| fault.hint(hint));
        }
        self.advance();
        Ok(Derived::Function { params, is_variadic: false, has_prototype: false })
    }
}
