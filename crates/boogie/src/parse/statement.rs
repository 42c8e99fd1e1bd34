//! Statements.

use super::Parser;
use crate::lexer::Token;
use crate::source::{Fault, Outcome, Span};
use crate::syntax::{Arm, Block, Body, Clause, Guard, Statement, StatementKind, Target};

/// Beginnings of statements of newer Boogie and of Ultimate that are names elsewhere.
const CONCURRENT: &[&str] = &["async", "par", "yield", "fork", "join", "atomic"];

impl<'s> Parser<'_, 's> {
    /// `{ locals statements }`.
    pub(super) fn body(&mut self) -> Outcome<Body<'s>> {
        self.expect("{")?;
        let mut locals = Vec::new();
        while self.eat("var") {
            self.attributes()?;
            locals.extend(self.variables()?);
            self.expect(";")?;
        }
        let statements = self.statements()?;
        let end = self.here();
        self.expect("}")?;
        Ok(Body { locals, statements, end })
    }

    fn block(&mut self) -> Outcome<Block<'s>> {
        self.expect("{")?;
        let statements = self.nested(Parser::statements)?;
        self.expect("}")?;
        Ok(statements)
    }

    fn statements(&mut self) -> Outcome<Block<'s>> {
        let mut found = Vec::new();
        while !self.is_sign("}") {
            found.push(self.statement()?);
        }
        Ok(found)
    }

    fn statement(&mut self) -> Outcome<Statement<'s>> {
        let start = self.here();
        match self.peek() {
            Token::Word("if") => return self.branch(),
            Token::Word("while") => return self.looped(),
            // Labels may have attributes.
            Token::Name(_) if matches!(self.peek_second(), Token::Sign(":" | "{:" | "{")) => {
                let name = self.name("a label")?;
                self.attributes()?;
                self.expect(":")?;
                return Ok(Statement { kind: StatementKind::Label(name), span: name.span });
            }
            _ => {}
        }
        let kind = self.simple()?;
        let span = self.since(start);
        self.expect(";")?;
        Ok(Statement { kind, span })
    }

    /// A statement that ends with a semicolon.
    fn simple(&mut self) -> Outcome<StatementKind<'s>> {
        let start = self.here();
        let word = match self.peek() {
            Token::Word(word) => word,
            Token::Name(name) if self.is_concurrent(name) => {
                return Err(Fault::unsupported(start, format!("`{name}` statements")));
            }
            Token::Name(_) => return self.assignment(),
            _ => return Err(self.unexpected("a statement")),
        };
        if word == "var" {
            let fault = Fault::new(start, "a declaration among statements");
            return Err(fault.hint("variables are declared at the beginning of the body"));
        }
        self.advance();
        match word {
            "assume" | "assert" => {
                self.attributes()?;
                let condition = self.expression()?;
                Ok(match word {
                    "assume" => StatementKind::Assume(condition),
                    _ => StatementKind::Assert(condition),
                })
            }
            "havoc" => Ok(StatementKind::Havoc(self.names("a variable")?)),
            "goto" => Ok(StatementKind::Goto(self.names("a label")?)),
            "return" => Ok(StatementKind::Return),
            "break" => Ok(StatementKind::Break(match self.is_sign(";") {
                true => None,
                false => Some(self.name("a label or `;`")?),
            })),
            "call" => self.call(),
            _ => {
                self.at -= 1;
                Err(self.unexpected("a statement"))
            }
        }
    }

    fn is_concurrent(&self, name: &str) -> bool {
        let is_target = matches!(self.peek_second(), Token::Sign(":=" | "," | "["));
        CONCURRENT.contains(&name) && !is_target
    }

    fn assignment(&mut self) -> Outcome<StatementKind<'s>> {
        let mut targets = Vec::new();
        loop {
            let name = self.name("a variable")?;
            let mut index = None;
            if self.eat("[") {
                index = Some(self.expression()?);
                if self.is_sign(",") {
                    return Err(Fault::unsupported(self.here(), "maps with several indices"));
                }
                self.expect("]")?;
                if self.is_sign("[") {
                    return Err(Fault::unsupported(self.here(), "maps of maps"));
                }
            }
            targets.push(Target { name, index });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(":=")?;
        let mut values = vec![self.expression()?];
        while self.eat(",") {
            values.push(self.expression()?);
        }
        Ok(StatementKind::Assign(targets, values))
    }

    fn call(&mut self) -> Outcome<StatementKind<'s>> {
        self.attributes()?;
        if self.is_word("forall") {
            return Err(Fault::unsupported(self.here(), "`call forall` statements"));
        }
        let mut results = self.names("a procedure or a variable")?;
        let callee = if self.eat(":=") {
            self.name("a procedure")?
        } else if results.len() == 1 {
            results.pop().expect("there is one")
        } else {
            return Err(self.unexpected("`:=`"));
        };
        self.expect("(")?;
        let arguments = self.expressions(")")?;
        Ok(StatementKind::Call { results, callee, arguments })
    }

    /// `(*)` or `(condition)`.
    fn guard(&mut self) -> Outcome<Guard> {
        self.expect("(")?;
        let guard = if self.eat("*") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        Ok(guard)
    }

    fn branch(&mut self) -> Outcome<Statement<'s>> {
        let start = self.here();
        let mut arms: Vec<Arm<'s>> = Vec::new();
        let mut other = None;
        loop {
            let here = self.here();
            self.expect("if")?;
            let guard = self.guard()?;
            let span = self.since(here);
            let block = self.block()?;
            arms.push(Arm { guard, span, block });
            if !self.eat("else") {
                break;
            }
            if !self.is_word("if") {
                other = Some(self.block()?);
                break;
            }
        }
        let span = start.to(arms[0].span);
        Ok(Statement { kind: StatementKind::If(arms, other), span })
    }

    fn looped(&mut self) -> Outcome<Statement<'s>> {
        let start = self.here();
        self.expect("while")?;
        let guard = self.guard()?;
        let span = self.since(start);
        let mut invariants = Vec::new();
        while self.is_word("free") || self.is_word("invariant") {
            let start = self.here();
            let is_free = self.eat("free");
            self.expect("invariant")?;
            invariants.push(self.clause(start, is_free)?);
        }
        let body = self.block()?;
        Ok(Statement { kind: StatementKind::While { guard, invariants, body }, span })
    }

    /// The rest of a clause, from its attributes to its semicolon.
    pub(super) fn clause(&mut self, start: Span, is_free: bool) -> Outcome<Clause> {
        self.attributes()?;
        let condition = self.expression()?;
        let span = self.since(start);
        self.expect(";")?;
        Ok(Clause { is_free, condition, span })
    }
}
