//! Expressions.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::source::Span;
use crate::token::{Key, Punct, Token};

/// What a binary operator builds.
#[derive(Copy, Clone)]
enum Infix {
    Plain(BinaryOp),
    And,
    Or,
}

/// The binary operators with their precedence; all of them group to the left.
fn infix(token: &Token) -> Option<(u8, Infix)> {
    let Token::Punct(punct) = token else { return None };
    Some(match punct {
        Punct::OrOr => (1, Infix::Or),
        Punct::AndAnd => (2, Infix::And),
        Punct::Or => (3, Infix::Plain(BinaryOp::Or)),
        Punct::Caret => (4, Infix::Plain(BinaryOp::Xor)),
        Punct::And => (5, Infix::Plain(BinaryOp::And)),
        Punct::EqEq => (6, Infix::Plain(BinaryOp::Eq)),
        Punct::Ne => (6, Infix::Plain(BinaryOp::Ne)),
        Punct::Less => (7, Infix::Plain(BinaryOp::Lt)),
        Punct::Greater => (7, Infix::Plain(BinaryOp::Gt)),
        Punct::Le => (7, Infix::Plain(BinaryOp::Le)),
        Punct::Ge => (7, Infix::Plain(BinaryOp::Ge)),
        Punct::Shl => (8, Infix::Plain(BinaryOp::Shl)),
        Punct::Shr => (8, Infix::Plain(BinaryOp::Shr)),
        Punct::Plus => (9, Infix::Plain(BinaryOp::Add)),
        Punct::Minus => (9, Infix::Plain(BinaryOp::Sub)),
        Punct::Star => (10, Infix::Plain(BinaryOp::Mul)),
        Punct::Slash => (10, Infix::Plain(BinaryOp::Div)),
        Punct::Percent => (10, Infix::Plain(BinaryOp::Rem)),
        _ => return None,
    })
}

/// The operator of an assignment: none for `=`.
fn assignment(token: &Token) -> Option<Option<BinaryOp>> {
    let Token::Punct(punct) = token else { return None };
    Some(match punct {
        Punct::Assign => None,
        Punct::MulAssign => Some(BinaryOp::Mul),
        Punct::DivAssign => Some(BinaryOp::Div),
        Punct::RemAssign => Some(BinaryOp::Rem),
        Punct::AddAssign => Some(BinaryOp::Add),
        Punct::SubAssign => Some(BinaryOp::Sub),
        Punct::ShlAssign => Some(BinaryOp::Shl),
        Punct::ShrAssign => Some(BinaryOp::Shr),
        Punct::AndAssign => Some(BinaryOp::And),
        Punct::XorAssign => Some(BinaryOp::Xor),
        Punct::OrAssign => Some(BinaryOp::Or),
        _ => return None,
    })
}

impl Parser {
    /// An expression with commas.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        let mut left = self.assignment_expression()?;
        while self.take(Punct::Comma) {
            let right = self.assignment_expression()?;
            left = self.add(ExprKind::Comma(left, right), self.between(left, right))?;
        }
        Ok(left)
    }

    fn between(&self, left: ExprId, right: ExprId) -> Span {
        self.ast.expr(left).span.to(self.ast.expr(right).span)
    }

    /// An expression without commas.
    pub(super) fn assignment_expression(&mut self) -> Parsed<ExprId> {
        self.nested(|parser| {
            let left = parser.conditional()?;
            let Some(op) = assignment(parser.peek()) else { return Ok(left) };
            parser.advance();
            let right = parser.assignment_expression()?;
            parser.add(ExprKind::Assign(op, left, right), parser.between(left, right))
        })
    }

    /// An expression without assignment, such as a constant.
    pub(super) fn conditional(&mut self) -> Parsed<ExprId> {
        self.nested(|parser| {
            let condition = parser.binary(1)?;
            if !parser.take(Punct::Question) {
                return Ok(condition);
            }
            let then = if parser.is(Punct::Colon) { None } else { Some(parser.expression()?) };
            parser.expect(Punct::Colon)?;
            let other = parser.conditional()?;
            let span = parser.between(condition, other);
            parser.add(ExprKind::Conditional(condition, then, other), span)
        })
    }

    /// Operators that bind at least as strongly as `least`. The right argument of an operator
    /// binds more strongly than it, so this recurses at most once per level of precedence.
    fn binary(&mut self, least: u8) -> Parsed<ExprId> {
        let mut left = self.cast()?;
        while let Some((strength, op)) = infix(self.peek()).filter(|found| found.0 >= least) {
            self.advance();
            let right = self.binary(strength + 1)?;
            let kind = match op {
                Infix::Plain(op) => ExprKind::Binary(op, left, right),
                Infix::And => ExprKind::LogicalAnd(left, right),
                Infix::Or => ExprKind::LogicalOr(left, right),
            };
            left = self.add(kind, self.between(left, right))?;
        }
        Ok(left)
    }

    /// Whether a type name starts at the token after `(`.
    fn opens_type(&self) -> bool {
        self.is(Punct::Open) && self.starts_type(self.peek_after(1))
    }

    fn cast(&mut self) -> Parsed<ExprId> {
        self.nested(|parser| {
            if !parser.opens_type() {
                return parser.unary();
            }
            let start = parser.span();
            let type_name = parser.type_name_in_parens()?;
            if parser.is(Punct::BraceOpen) {
                return parser.compound_literal(type_name, start);
            }
            let arg = parser.cast()?;
            let span = start.to(parser.ast.expr(arg).span);
            parser.add(ExprKind::Cast(type_name, arg), span)
        })
    }

    fn compound_literal(&mut self, type_name: TypeNameId, start: Span) -> Parsed<ExprId> {
        let init = self.initialiser()?;
        let span = start.to(self.last_span());
        let literal = self.add(ExprKind::Compound(type_name, init), span)?;
        self.postfix(literal)
    }

    fn type_name_in_parens(&mut self) -> Parsed<TypeNameId> {
        self.expect(Punct::Open)?;
        let type_name = self.type_name()?;
        self.expect(Punct::Close)?;
        Ok(type_name)
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let op = match self.peek() {
            Token::Punct(Punct::Plus) => UnaryOp::Plus,
            Token::Punct(Punct::Minus) => UnaryOp::Minus,
            Token::Punct(Punct::Tilde) => UnaryOp::Complement,
            Token::Punct(Punct::Bang) => UnaryOp::Not,
            Token::Punct(Punct::Star) => UnaryOp::Deref,
            Token::Punct(Punct::And) => UnaryOp::AddressOf,
            Token::Punct(Punct::AndAnd) => {
                self.advance();
                self.name()?;
                return self.add(ExprKind::Other("the address of a label"), start);
            }
            Token::Punct(step @ (Punct::Inc | Punct::Dec)) => {
                let is_increment = *step == Punct::Inc;
                self.advance();
                let arg = self.cast()?;
                let span = start.to(self.ast.expr(arg).span);
                return self.add(ExprKind::Step { arg, is_increment, is_prefix: true }, span);
            }
            Token::Key(key @ (Key::Sizeof | Key::Alignof)) => {
                let is_sizeof = *key == Key::Sizeof;
                return self.sizeof(is_sizeof);
            }
            Token::Key(Key::Extension) => {
                self.advance();
                return self.cast();
            }
            _ => return self.postfix_expression(),
        };
        self.advance();
        let arg = self.cast()?;
        let span = start.to(self.ast.expr(arg).span);
        self.add(ExprKind::Unary(op, arg), span)
    }

    fn sizeof(&mut self, is_sizeof: bool) -> Parsed<ExprId> {
        let start = self.span();
        self.advance();
        if self.opens_type() {
            let type_name = self.type_name_in_parens()?;
            if !self.is(Punct::BraceOpen) {
                let span = start.to(self.last_span());
                let kind = match is_sizeof {
                    true => ExprKind::SizeofType(type_name),
                    false => ExprKind::Alignof(type_name),
                };
                return self.add(kind, span);
            }
            let literal = self.compound_literal(type_name, start)?;
            return self.add(ExprKind::SizeofExpr(literal), start.to(self.last_span()));
        }
        let arg = self.nested(Parser::unary)?;
        let span = start.to(self.ast.expr(arg).span);
        let kind = match is_sizeof {
            true => ExprKind::SizeofExpr(arg),
            false => ExprKind::Other("`_Alignof` of an expression"),
        };
        self.add(kind, span)
    }

    fn postfix_expression(&mut self) -> Parsed<ExprId> {
        let base = self.primary()?;
        self.postfix(base)
    }

    /// Indices, calls, members and steps after an expression.
    fn postfix(&mut self, mut base: ExprId) -> Parsed<ExprId> {
        loop {
            let start = self.ast.expr(base).span;
            let Token::Punct(punct) = *self.peek() else { return Ok(base) };
            let kind = match punct {
                Punct::BracketOpen => {
                    self.advance();
                    let index = self.expression()?;
                    self.expect(Punct::BracketClose)?;
                    ExprKind::Index(base, index)
                }
                Punct::Open => {
                    self.advance();
                    let mut args = Vec::new();
                    while !self.is(Punct::Close) {
                        args.push(self.assignment_expression()?);
                        if !self.is(Punct::Close) {
                            self.expect(Punct::Comma)?;
                        }
                    }
                    self.expect(Punct::Close)?;
                    ExprKind::Call(base, args)
                }
                Punct::Dot | Punct::Arrow => {
                    self.advance();
                    let name = self.name()?;
                    ExprKind::Member { base, name, is_arrow: punct == Punct::Arrow }
                }
                Punct::Inc | Punct::Dec => {
                    self.advance();
                    let is_increment = punct == Punct::Inc;
                    ExprKind::Step { arg: base, is_increment, is_prefix: false }
                }
                _ => return Ok(base),
            };
            base = self.add(kind, start.to(self.last_span()))?;
        }
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let span = self.span();
        let kind = match self.peek().clone() {
            Token::Name(name) => ExprKind::Name(name),
            Token::Int(value, suffix) => ExprKind::Int(value, suffix),
            Token::Float => ExprKind::Float,
            Token::Char(value) => ExprKind::Char(value),
            Token::Str(first) => return self.strings(first),
            Token::Key(Key::Offsetof) => return self.offsetof(),
            Token::Key(Key::Generic) => return self.nested(Parser::generic),
            Token::Key(Key::TypesCompatible) => return self.compatible(),
            Token::Key(Key::VaArg) => {
                self.advance();
                self.skip_parens()?;
                return self.add(ExprKind::Other("va_arg"), span.to(self.last_span()));
            }
            Token::Punct(Punct::Open) => return self.in_parens(),
            _ => return self.expected("an expression"),
        };
        self.advance();
        self.add(kind, span)
    }

    /// Adjacent strings are one.
    fn strings(&mut self, first: Vec<u8>) -> Parsed<ExprId> {
        let start = self.span();
        let mut bytes = first;
        self.advance();
        while let Token::Str(more) = self.peek() {
            bytes.extend_from_slice(more);
            self.advance();
        }
        self.add(ExprKind::Str(bytes), start.to(self.last_span()))
    }

    fn in_parens(&mut self) -> Parsed<ExprId> {
        let start = self.expect(Punct::Open)?;
        if self.is(Punct::BraceOpen) {
            let block = self.nested(Parser::block)?;
            self.expect(Punct::Close)?;
            return self.add(ExprKind::Statement(block), start.to(self.last_span()));
        }
        let inner = self.expression()?;
        self.expect(Punct::Close)?;
        self.ast.exprs[inner.index()].span = start.to(self.last_span());
        Ok(inner)
    }

    /// `_Generic (expression, type: expression, …, default: expression)`
    fn generic(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        self.advance();
        self.expect(Punct::Open)?;
        let subject = self.assignment_expression()?;
        let mut choices = Vec::new();
        while self.take(Punct::Comma) {
            let ty = match self.take_key(Key::Default) {
                true => None,
                false => Some(self.type_name()?),
            };
            self.expect(Punct::Colon)?;
            choices.push((ty, self.assignment_expression()?));
        }
        self.expect(Punct::Close)?;
        self.add(ExprKind::Generic(subject, choices), start.to(self.last_span()))
    }

    fn compatible(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        self.advance();
        self.expect(Punct::Open)?;
        let first = self.type_name()?;
        self.expect(Punct::Comma)?;
        let second = self.type_name()?;
        self.expect(Punct::Close)?;
        self.add(ExprKind::Compatible(first, second), start.to(self.last_span()))
    }

    fn offsetof(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        self.advance();
        self.expect(Punct::Open)?;
        let type_name = self.type_name()?;
        self.expect(Punct::Comma)?;
        let mut path = vec![Designator::Field(self.name()?, self.last_span())];
        loop {
            if self.take(Punct::Dot) {
                path.push(Designator::Field(self.name()?, self.last_span()));
            } else if self.take(Punct::BracketOpen) {
                path.push(Designator::Index(self.expression()?));
                self.expect(Punct::BracketClose)?;
            } else {
                break;
            }
        }
        self.expect(Punct::Close)?;
        self.add(ExprKind::Offsetof(type_name, path), start.to(self.last_span()))
    }

    /// An initialiser: an expression or a list in braces.
    pub(super) fn initialiser(&mut self) -> Parsed<InitId> {
        self.nested(|parser| {
            let init = if parser.is(Punct::BraceOpen) {
                parser.initialiser_list()?
            } else {
                Init::Expr(parser.assignment_expression()?)
            };
            let id = InitId(parser.ast.inits.len() as u32);
            parser.ast.inits.push(init);
            Ok(id)
        })
    }

    fn initialiser_list(&mut self) -> Parsed<Init> {
        let start = self.expect(Punct::BraceOpen)?;
        let mut items = Vec::new();
        while !self.is(Punct::BraceClose) {
            let path = self.designators()?;
            items.push((path, self.initialiser()?));
            if !self.is(Punct::BraceClose) {
                self.expect(Punct::Comma)?;
            }
        }
        self.expect(Punct::BraceClose)?;
        Ok(Init::List(items, start.to(self.last_span())))
    }

    fn designators(&mut self) -> Parsed<Vec<Designator>> {
        let mut path = Vec::new();
        if let (Token::Name(name), Token::Punct(Punct::Colon)) =
            (self.peek().clone(), self.peek_after(1))
        {
            // The old GNU form `name: value`.
            path.push(Designator::Field(name, self.span()));
            self.advance();
            self.advance();
            return Ok(path);
        }
        loop {
            if self.take(Punct::Dot) {
                let span = self.span();
                path.push(Designator::Field(self.name()?, span));
            } else if self.take(Punct::BracketOpen) {
                let low = self.conditional()?;
                path.push(match self.take(Punct::Dots) {
                    true => Designator::Range(low, self.conditional()?),
                    false => Designator::Index(low),
                });
                self.expect(Punct::BracketClose)?;
            } else {
                break;
            }
        }
        if !path.is_empty() {
            self.expect(Punct::Assign)?;
        }
        Ok(path)
    }

    /// `(expression)` after a keyword.
    pub(super) fn condition(&mut self) -> Parsed<ExprId> {
        self.expect(Punct::Open)?;
        let condition = self.expression()?;
        self.expect(Punct::Close)?;
        Ok(condition)
    }
}
