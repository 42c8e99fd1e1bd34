//! Statements.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::error::Fault;
use crate::token::{Key, Punct, Token};

impl Parser {
    /// `{…}`
    pub(super) fn block(&mut self) -> Parsed<StmtId> {
        let start = self.expect(Punct::BraceOpen)?;
        self.open_scope();
        let mut list = Vec::new();
        while !self.is(Punct::BraceClose) {
            if *self.peek() == Token::End {
                return Err(Fault::new(start, "this block is never closed"));
            }
            list.push(self.block_item()?);
        }
        self.close_scope();
        self.expect(Punct::BraceClose)?;
        Ok(self.add_stmt(StmtKind::Block(list), start.to(self.last_span())))
    }

    fn block_item(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        if self.is_key(Key::StaticAssert) {
            let assert = self.static_assert()?;
            let span = assert.span;
            return Ok(self.add_stmt(StmtKind::Declaration(assert), span));
        }
        if self.is_key(Key::Label) {
            while !self.take(Punct::Semicolon) {
                self.advance();
                if *self.peek() == Token::End {
                    return self.expected("`;`");
                }
            }
            return Ok(self.add_stmt(StmtKind::Empty, start));
        }
        let is_label = *self.peek_after(1) == Token::Punct(Punct::Colon);
        let extended = match self.peek() {
            Token::Key(Key::Extension) => self.peek_after(1),
            token => token,
        };
        if self.starts_type(extended) && !is_label {
            self.take_key(Key::Extension);
            let declaration = self.declaration()?;
            let span = declaration.span;
            return Ok(self.add_stmt(StmtKind::Declaration(declaration), span));
        }
        self.statement()
    }

    /// One statement.
    pub(super) fn statement(&mut self) -> Parsed<StmtId> {
        self.nested(|parser| match *parser.peek() {
            Token::Punct(Punct::BraceOpen) => parser.block(),
            Token::Name(name) if *parser.peek_after(1) == Token::Punct(Punct::Colon) => {
                let start = parser.span();
                parser.advance();
                parser.advance();
                let body = parser.labelled()?;
                Ok(parser.add_stmt(StmtKind::Label(name, body), start))
            }
            Token::Key(key) => parser.keyword_statement(key),
            _ => parser.expression_statement(),
        })
    }

    /// The statement after a label. A declaration or the end of the block may stand there too.
    fn labelled(&mut self) -> Parsed<StmtId> {
        let span = self.span();
        while self.is_key(Key::Attribute) {
            self.advance();
            self.skip_parens()?;
        }
        if self.is(Punct::BraceClose) || self.starts_type(self.peek()) {
            return Ok(self.add_stmt(StmtKind::Empty, span));
        }
        self.statement()
    }

    fn expression_statement(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        if self.take(Punct::Semicolon) {
            return Ok(self.add_stmt(StmtKind::Empty, start));
        }
        let expr = self.expression()?;
        self.expect(Punct::Semicolon)?;
        Ok(self.add_stmt(StmtKind::Expr(expr), start.to(self.last_span())))
    }

    fn keyword_statement(&mut self, key: Key) -> Parsed<StmtId> {
        let start = self.span();
        let kind = match key {
            Key::If => return self.if_statement(),
            Key::For => return self.for_statement(),
            Key::While => {
                self.advance();
                let condition = self.condition()?;
                let head = start.to(self.last_span());
                let body = self.statement()?;
                return Ok(self.add_stmt(StmtKind::While(condition, body), head));
            }
            Key::Switch => {
                self.advance();
                let value = self.condition()?;
                let head = start.to(self.last_span());
                let body = self.statement()?;
                return Ok(self.add_stmt(StmtKind::Switch(value, body), head));
            }
            Key::Do => {
                self.advance();
                let body = self.statement()?;
                if !self.take_key(Key::While) {
                    return self.expected("`while`");
                }
                let condition = self.condition()?;
                self.expect(Punct::Semicolon)?;
                StmtKind::DoWhile(body, condition)
            }
            Key::Case => {
                self.advance();
                let low = self.conditional()?;
                let high = if self.take(Punct::Dots) { self.conditional()? } else { low };
                self.expect(Punct::Colon)?;
                StmtKind::Case(low, high, self.labelled()?)
            }
            Key::Default => {
                self.advance();
                self.expect(Punct::Colon)?;
                StmtKind::Default(self.labelled()?)
            }
            Key::Asm => {
                self.skip_asm()?;
                self.expect(Punct::Semicolon)?;
                StmtKind::Other("inline assembly")
            }
            Key::Goto | Key::Break | Key::Continue | Key::Return => {
                let kind = self.jump(key)?;
                self.expect(Punct::Semicolon)?;
                return Ok(self.add_stmt(kind, start.to(self.last_span())));
            }
            _ => return self.expression_statement(),
        };
        Ok(self.add_stmt(kind, start))
    }

    fn jump(&mut self, key: Key) -> Parsed<StmtKind> {
        self.advance();
        Ok(match key {
            Key::Goto if self.is(Punct::Star) => {
                self.advance();
                self.expression()?;
                StmtKind::Other("a computed goto")
            }
            Key::Goto => StmtKind::Goto(self.name()?),
            Key::Break => StmtKind::Break,
            Key::Continue => StmtKind::Continue,
            _ if self.is(Punct::Semicolon) => StmtKind::Return(None),
            _ => StmtKind::Return(Some(self.expression()?)),
        })
    }

    /// A whole chain of `else if`, so that its length is no nesting.
    fn if_statement(&mut self) -> Parsed<StmtId> {
        let first = self.span();
        let mut arms = Vec::new();
        let mut otherwise = None;
        while self.is_key(Key::If) {
            let start = self.span();
            self.advance();
            let condition = self.condition()?;
            let head = start.to(self.last_span());
            arms.push((condition, self.statement()?, head));
            if !self.take_key(Key::Else) {
                break;
            }
            if !self.is_key(Key::If) {
                otherwise = Some(self.statement()?);
                break;
            }
        }
        let head = arms.first().map_or(first, |(_, _, head)| *head);
        Ok(self.add_stmt(StmtKind::If { arms, otherwise }, head))
    }

    fn for_statement(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        self.advance();
        self.expect(Punct::Open)?;
        self.open_scope();
        let init = if self.starts_type(self.peek()) {
            let declaration = self.declaration()?;
            let span = declaration.span;
            Some(self.add_stmt(StmtKind::Declaration(declaration), span))
        } else if self.take(Punct::Semicolon) {
            None
        } else {
            Some(self.expression_statement()?)
        };
        let condition = if self.is(Punct::Semicolon) { None } else { Some(self.expression()?) };
        self.expect(Punct::Semicolon)?;
        let step = if self.is(Punct::Close) { None } else { Some(self.expression()?) };
        self.expect(Punct::Close)?;
        let head = start.to(self.last_span());
        let body = self.statement()?;
        self.close_scope();
        Ok(self.add_stmt(StmtKind::For { init, condition, step, body }, head))
    }
}
