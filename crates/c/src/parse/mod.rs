//! Tokens to syntax: recursive descent, with the precedence of binary operators in a table. The
//! depth of nesting is counted, and of long chains of operators too; beyond [`DEEPEST`] it is an
//! error with a position, so no later pass that follows the tree can run out of stack.

mod attributes;
mod declaration;
mod expression;
mod specifiers;
mod statement;

use crate::ast::*;
use crate::error::Fault;
use crate::lexer::{Lexeme, lex};
use crate::source::{Source, Span};
use crate::token::{Key, Name, Names, Punct, Token, describe};
use rustc_hash::FxHashMap;

/// What a variable with such a label is called.
pub const ASM_LABEL: &str = "a variable with an `asm` label";

/// The deepest nesting of expressions, statements and declarators.
pub const DEEPEST: u32 = 1000;

/// The deepest recursion of the parser: a level of nesting takes up to three calls.
const DEEPEST_CALLS: u32 = 3 * DEEPEST;

/// The syntax of a text.
pub fn parse(source: &mut Source) -> Result<Ast, Fault> {
    let mut names = Names::default();
    let lexemes = lex(source, &mut names)?;
    let mut parser = Parser {
        ast: Ast { names, ..Ast::default() },
        lexemes,
        packs: source.packs().to_vec(),
        at: 0,
        depth: 0,
        depths: Vec::new(),
        typedefs: FxHashMap::default(),
        shadowed: vec![Vec::new()],
    };
    while parser.peek() != &Token::End {
        parser.external()?;
    }
    Ok(parser.ast)
}

pub(super) struct Parser {
    ast: Ast,
    lexemes: Vec<Lexeme>,
    /// From where on `#pragma pack` limits alignments, and to what.
    packs: Vec<(u32, Option<u64>)>,
    at: usize,
    /// How deep the parser is inside itself.
    depth: u32,
    /// How deep each expression's tree is.
    depths: Vec<u32>,
    /// Names that stand for types in the current scope.
    typedefs: FxHashMap<Name, bool>,
    /// What `typedefs` held before each declaration of the open scopes.
    shadowed: Vec<Vec<(Name, Option<bool>)>>,
}

type Parsed<T> = Result<T, Fault>;

impl Parser {
    fn peek(&self) -> &Token {
        &self.lexemes[self.at].token
    }

    fn peek_after(&self, count: usize) -> &Token {
        &self.lexemes[(self.at + count).min(self.lexemes.len() - 1)].token
    }

    fn span(&self) -> Span {
        self.lexemes[self.at].span
    }

    /// The place of the token before.
    fn last_span(&self) -> Span {
        self.lexemes[self.at.saturating_sub(1)].span
    }

    fn advance(&mut self) {
        // The end stays the end.
        self.at = (self.at + 1).min(self.lexemes.len() - 1);
    }

    fn is(&self, punct: Punct) -> bool {
        *self.peek() == Token::Punct(punct)
    }

    fn is_key(&self, key: Key) -> bool {
        *self.peek() == Token::Key(key)
    }

    fn take(&mut self, punct: Punct) -> bool {
        let found = self.is(punct);
        if found {
            self.advance();
        }
        found
    }

    fn take_key(&mut self, key: Key) -> bool {
        let found = self.is_key(key);
        if found {
            self.advance();
        }
        found
    }

    /// An error that says what should stand here.
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        let found = describe(self.peek(), &self.ast.names);
        Err(Fault::new(self.span(), format!("expected {what}, found {found}")))
    }

    fn expect(&mut self, punct: Punct) -> Parsed<Span> {
        let span = self.span();
        if self.take(punct) {
            return Ok(span);
        }
        self.expected(&format!("`{}`", punct.text()))
    }

    fn name(&mut self) -> Parsed<Name> {
        let Token::Name(name) = *self.peek() else { return self.expected("a name") };
        self.advance();
        Ok(name)
    }

    /// Goes one level deeper for the time of `body`.
    fn nested<T>(&mut self, body: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST_CALLS {
            return self.too_deep(self.span());
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    fn too_deep<T>(&self, span: Span) -> Parsed<T> {
        Err(Fault::new(span, format!("nesting deeper than {DEEPEST} levels")))
    }

    /// Adds an expression over earlier ones.
    fn add(&mut self, kind: ExprKind, span: Span) -> Parsed<ExprId> {
        let below = |id: &ExprId| self.depths[id.index()];
        let depth = match &kind {
            ExprKind::Unary(_, a)
            | ExprKind::Step { arg: a, .. }
            | ExprKind::Cast(_, a)
            | ExprKind::SizeofExpr(a)
            | ExprKind::Member { base: a, .. } => below(a),
            ExprKind::Binary(_, a, b)
            | ExprKind::LogicalAnd(a, b)
            | ExprKind::LogicalOr(a, b)
            | ExprKind::Assign(_, a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Index(a, b) => below(a).max(below(b)),
            ExprKind::Conditional(a, b, c) => {
                below(a).max(b.as_ref().map_or(0, below)).max(below(c))
            }
            ExprKind::Call(a, list) => list.iter().map(below).fold(below(a), u32::max),
            ExprKind::Generic(a, list) => {
                list.iter().map(|(_, choice)| below(choice)).fold(below(a), u32::max)
            }
            _ => 0,
        };
        if depth >= DEEPEST {
            return self.too_deep(span);
        }
        let id = ExprId(self.ast.exprs.len() as u32);
        self.ast.exprs.push(Expr { kind, span });
        self.depths.push(depth + 1);
        Ok(id)
    }

    fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        let id = StmtId(self.ast.stmts.len() as u32);
        self.ast.stmts.push(Stmt { kind, span });
        id
    }

    fn open_scope(&mut self) {
        self.shadowed.push(Vec::new());
    }

    fn close_scope(&mut self) {
        for (name, before) in self.shadowed.pop().unwrap_or_default().into_iter().rev() {
            match before {
                Some(is_type) => self.typedefs.insert(name, is_type),
                None => self.typedefs.remove(&name),
            };
        }
    }

    /// Declares a name in the current scope, as a type or as something else.
    fn declare(&mut self, name: Name, is_type: bool) {
        let before = self.typedefs.insert(name, is_type);
        if let Some(scope) = self.shadowed.last_mut() {
            scope.push((name, before));
        }
    }

    fn is_typedef(&self, token: &Token) -> bool {
        matches!(token, Token::Name(name) if self.typedefs.get(name) == Some(&true))
    }

    /// Moves over a balanced list in parentheses.
    fn skip_parens(&mut self) -> Parsed<()> {
        let start = self.expect(Punct::Open)?;
        let mut open = 1;
        while open > 0 {
            match self.peek() {
                Token::Punct(Punct::Open) => open += 1,
                Token::Punct(Punct::Close) => open -= 1,
                Token::End => return Err(Fault::new(start, "this parenthesis is never closed")),
                _ => {}
            }
            self.advance();
        }
        Ok(())
    }
}
