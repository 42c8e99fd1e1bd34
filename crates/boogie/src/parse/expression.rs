//! Expressions, by operator precedence with a stack of our own.

use super::Parser;
use crate::lexer::Token;
use crate::source::{Fault, Outcome, Span};
use crate::syntax::{Expression, Name, Node, NodeId, NodeKind, Operator};

/// How operators of one level associate.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Chain {
    Left,
    Right,
    No,
}

impl Operator {
    fn of(token: Token<'_>) -> Option<Operator> {
        let (Token::Sign(text) | Token::Word(text)) = token else { return None };
        Some(match text {
            "<==>" => Operator::Iff,
            "==>" => Operator::Implies,
            "<==" => Operator::Explies,
            "&&" => Operator::And,
            "||" => Operator::Or,
            "==" => Operator::Eq,
            "!=" => Operator::Neq,
            "<" => Operator::Lt,
            "<=" => Operator::Le,
            ">" => Operator::Gt,
            ">=" => Operator::Ge,
            "++" => Operator::Concat,
            "+" => Operator::Add,
            "-" => Operator::Sub,
            "*" => Operator::Mul,
            "div" | "/" => Operator::Div,
            "mod" | "%" => Operator::Mod,
            _ => return None,
        })
    }

    /// How tightly it binds: higher is tighter.
    pub(crate) fn level(self) -> u8 {
        use Operator::*;
        match self {
            Iff => 0,
            Implies | Explies => 1,
            And | Or => 2,
            Eq | Neq | Lt | Le | Gt | Ge => 3,
            Concat => 4,
            Add | Sub => 5,
            Mul | Div | Mod => 6,
        }
    }

    fn chain(self) -> Chain {
        match self {
            Operator::Implies => Chain::Right,
            _ if self.level() == Operator::Eq.level() => Chain::No,
            _ => Chain::Left,
        }
    }

    /// As Boogie writes it.
    pub(crate) fn text(self) -> &'static str {
        use Operator::*;
        match self {
            Iff => "<==>",
            Implies => "==>",
            Explies => "<==",
            And => "&&",
            Or => "||",
            Eq => "==",
            Neq => "!=",
            Lt => "<",
            Le => "<=",
            Gt => ">",
            Ge => ">=",
            Concat => "++",
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "div",
            Mod => "mod",
        }
    }
}

/// A part of an expression, with its parentheses.
#[derive(Copy, Clone)]
struct Part {
    node: NodeId,
    span: Span,
}

impl<'s> Parser<'_, 's> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Outcome<Expression> {
        let start = self.file.nodes.len() as NodeId;
        let part = self.nested(Parser::operators)?;
        let end = self.file.nodes.len() as NodeId;
        debug_assert_eq!(part.node + 1, end, "the whole is the last node");
        Ok(Expression { start, end, span: part.span })
    }

    /// Expressions with commas between them, up to and with the closing sign.
    pub(super) fn expressions(&mut self, close: &str) -> Outcome<Vec<Expression>> {
        let mut found = Vec::new();
        while !self.eat(close) {
            if self.is_sign("*") {
                return Err(Fault::unsupported(self.here(), "wildcards as arguments"));
            }
            found.push(self.expression()?);
            if !self.is_sign(close) {
                self.expect(",")?;
            }
        }
        Ok(found)
    }

    fn node(&mut self, kind: NodeKind<'s>, span: Span) -> Part {
        self.file.nodes.push(Node { kind, span });
        Part { node: (self.file.nodes.len() - 1) as NodeId, span }
    }

    /// Operands and the operators between them. Both stacks are reduced as soon as the next
    /// operator binds less tightly.
    fn operators(&mut self) -> Outcome<Part> {
        let mut operands = vec![self.operand()?];
        let mut pending: Vec<Operator> = Vec::new();
        loop {
            let next = Operator::of(self.peek());
            while let Some(&last) = pending.last() {
                match next {
                    Some(next) if next.level() > last.level() => break,
                    Some(next) if next.level() == last.level() => {
                        self.check_chain(last, next)?;
                        if next.chain() == Chain::Right {
                            break;
                        }
                    }
                    _ => {}
                }
                pending.pop();
                let right = operands.pop().expect("two operands for each operator");
                let left = operands.pop().expect("two operands for each operator");
                let kind = NodeKind::Binary(last, left.node, right.node);
                operands.push(self.node(kind, left.span.to(right.span)));
            }
            let Some(next) = next else { break };
            pending.push(next);
            self.advance();
            operands.push(self.operand()?);
        }
        for (sign, what) in [("**", "powers"), ("<:", "partial orders")] {
            if self.is_sign(sign) {
                return Err(Fault::unsupported(self.here(), what));
            }
        }
        Ok(operands.pop().expect("one operand is left"))
    }

    fn check_chain(&self, last: Operator, next: Operator) -> Outcome<()> {
        let differ = last != next && last.level() <= Operator::And.level();
        if next.chain() == Chain::No || differ {
            let text = format!("`{}` and `{}` need parentheses", last.text(), next.text());
            return Err(Fault::new(self.here(), text));
        }
        Ok(())
    }

    /// Prefixes, an atom, and what is attached to it.
    fn operand(&mut self) -> Outcome<Part> {
        let mut prefixes = Vec::new();
        loop {
            let start = self.here();
            match self.peek() {
                Token::Sign("!") => prefixes.push((true, start)),
                Token::Sign("-") => prefixes.push((false, start)),
                _ => break,
            }
            self.advance();
        }
        let mut part = self.atom()?;
        while self.is_sign("[") {
            part = self.brackets(part)?;
        }
        for (is_not, start) in prefixes.into_iter().rev() {
            let kind = if is_not { NodeKind::Not(part.node) } else { NodeKind::Negate(part.node) };
            part = self.node(kind, start.to(part.span));
        }
        Ok(part)
    }

    /// `part[index]`, `part[index := value]` or `part[high:low]`.
    fn brackets(&mut self, part: Part) -> Outcome<Part> {
        self.expect("[")?;
        if let (Token::Int(high), Token::Sign(":")) = (self.peek(), self.peek_second()) {
            self.advance();
            self.advance();
            let Token::Int(low) = self.peek() else {
                return Err(self.unexpected("the number after the highest bit"));
            };
            self.advance();
            self.expect("]")?;
            let span = self.since(part.span);
            return Ok(self.node(NodeKind::Extract(part.node, high, low), span));
        }
        let index = self.nested(Parser::operators)?.node;
        if self.is_sign(",") {
            return Err(Fault::unsupported(self.here(), "maps with several indices"));
        }
        let kind = if self.eat(":=") {
            let value = self.nested(Parser::operators)?.node;
            NodeKind::Store(part.node, index, value)
        } else {
            NodeKind::Select(part.node, index)
        };
        self.expect("]")?;
        let span = self.since(part.span);
        Ok(self.node(kind, span))
    }

    fn atom(&mut self) -> Outcome<Part> {
        let start = self.here();
        let token = self.peek();
        let kind = match token {
            Token::Int(digits) => NodeKind::Int(digits),
            Token::Bv(digits, width) => NodeKind::Bv(digits, width),
            Token::Word("true") => NodeKind::Bool(true),
            Token::Word("false") => NodeKind::Bool(false),
            Token::Name(text) if self.peek_second() != Token::Sign("(") => NodeKind::Name(text),
            Token::Name(text) => {
                self.advance();
                return self.apply(Name { text, span: start });
            }
            Token::Sign("(") => {
                self.advance();
                let mut part = self.nested(Parser::operators)?;
                self.expect(")")?;
                part.span = self.since(start);
                return Ok(part);
            }
            Token::Word("old") => {
                self.advance();
                self.expect("(")?;
                let inner = self.nested(Parser::operators)?.node;
                self.expect(")")?;
                let span = self.since(start);
                return Ok(self.node(NodeKind::Old(inner), span));
            }
            Token::Word("if") => return self.nested(Parser::choice),
            Token::Word("forall" | "exists") => {
                return Err(Fault::unsupported(start, "quantifiers"));
            }
            Token::Word("lambda") => return Err(Fault::unsupported(start, "lambda expressions")),
            Token::Real | Token::Word("real") => {
                return Err(Fault::unsupported(start, "real numbers"));
            }
            Token::Word("int") => return Err(Fault::unsupported(start, "conversions to `int`")),
            _ => return Err(self.unexpected("an expression")),
        };
        self.advance();
        Ok(self.node(kind, start))
    }

    /// `name(arguments)`, the name being read.
    fn apply(&mut self, name: Name<'s>) -> Outcome<Part> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.eat(")") {
            arguments.push(self.nested(Parser::operators)?.node);
            if !self.is_sign(")") {
                self.expect(",")?;
            }
        }
        let span = self.since(name.span);
        Ok(self.node(NodeKind::Apply(name, arguments.into()), span))
    }

    /// `if c then t else e`.
    fn choice(&mut self) -> Outcome<Part> {
        let start = self.here();
        self.expect("if")?;
        let condition = self.nested(Parser::operators)?.node;
        self.expect("then")?;
        let then = self.nested(Parser::operators)?.node;
        self.expect("else")?;
        let other = self.nested(Parser::operators)?;
        let kind = NodeKind::Ite(condition, then, other.node);
        Ok(self.node(kind, start.to(other.span)))
    }
}
