//! Tokens to the tree of a file. Errors stop at the first one.
//!
//! The grammar is that of "This is Boogie 2" (Leino 2008), with the operators `/` and `%` on
//! integers that Ultimate adds. Recursion follows the nesting of parentheses and blocks alone,
//! at most [`MAX_DEPTH`] of them; chains of operators, prefixes and `else if`s are loops.

mod declaration;
mod expression;
mod statement;

use crate::lexer::Token;
use crate::source::{Fault, Outcome, Span};
use crate::syntax::{Attribute, File, Name, TypeText};

/// How deep parentheses and blocks may nest.
pub(crate) const MAX_DEPTH: usize = 256;

/// How many indices a map may have that is declared, but not used.
const MAX_INDICES: usize = 64;

/// Parses the tokens of a file; the last of them is [`Token::End`].
pub(crate) fn parse<'s>(tokens: &[(Token<'s>, Span)]) -> Outcome<File<'s>> {
    let mut parser = Parser { tokens, at: 0, depth: 0, file: File::default() };
    while parser.peek() != Token::End {
        parser.declaration()?;
    }
    Ok(parser.file)
}

struct Parser<'t, 's> {
    tokens: &'t [(Token<'s>, Span)],
    at: usize,
    depth: usize,
    file: File<'s>,
}

fn described(token: Token<'_>) -> String {
    match token {
        Token::Name(text) | Token::Int(text) => {
            let short: String = text.chars().take(40).collect();
            let more = if short.len() < text.len() { "…" } else { "" };
            format!("`{short}{more}`")
        }
        Token::Word(text) | Token::Sign(text) => format!("`{text}`"),
        Token::Bv(..) => "a bit-vector".into(),
        Token::Real => "a real number".into(),
        Token::Text(_) => "a string".into(),
        Token::End => "the end of the file".into(),
    }
}

impl<'s> Parser<'_, 's> {
    fn peek(&self) -> Token<'s> {
        self.tokens[self.at].0
    }

    /// The token after the next one.
    fn peek_second(&self) -> Token<'s> {
        self.tokens.get(self.at + 1).map_or(Token::End, |(token, _)| *token)
    }

    /// Where the next token stands.
    fn here(&self) -> Span {
        self.tokens[self.at].1
    }

    /// From a start to the end of the last token.
    fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].1)
    }

    fn advance(&mut self) {
        // The end stays.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(text) if text == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(text) if text == word)
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_next = self.is_sign(text) || self.is_word(text);
        if is_next {
            self.advance();
        }
        is_next
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        let found = described(self.peek());
        Fault::new(self.here(), format!("{wanted} is expected, not {found}"))
    }

    fn expect(&mut self, text: &str) -> Outcome<()> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    fn name(&mut self, what: &str) -> Outcome<Name<'s>> {
        let Token::Name(text) = self.peek() else {
            let fault = self.unexpected(what);
            return Err(match self.peek() {
                Token::Word(_) => fault.hint("this is a keyword of Boogie"),
                _ => fault,
            });
        };
        let span = self.here();
        self.advance();
        Ok(Name { text, span })
    }

    /// `a, b, c`, at least one.
    fn names(&mut self, what: &str) -> Outcome<Vec<Name<'s>>> {
        let mut names = vec![self.name(what)?];
        while self.eat(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// Runs a parser one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.depth == MAX_DEPTH {
            let text = format!("more than {MAX_DEPTH} levels of nesting");
            return Err(Fault::new(self.here(), text));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Eats `{:`, which may have a space inside.
    fn begins_attribute(&mut self) -> bool {
        let is_apart = self.is_sign("{") && self.peek_second() == Token::Sign(":");
        if is_apart {
            self.advance();
            self.advance();
        }
        is_apart || self.eat("{:")
    }

    /// All attributes that come next.
    fn attributes(&mut self) -> Outcome<Vec<Attribute<'s>>> {
        let mut found = Vec::new();
        while self.begins_attribute() {
            // Keywords are names here.
            let (Token::Name(name) | Token::Word(name)) = self.peek() else {
                return Err(self.unexpected("the attribute's name"));
            };
            self.advance();
            let mut attribute = Attribute { name, texts: Vec::new(), numbers: Vec::new() };
            while !self.eat("}") {
                match self.peek() {
                    Token::Text(text) => {
                        attribute.texts.push(text);
                        self.advance();
                    }
                    Token::Int(digits) => {
                        attribute.numbers.push(digits);
                        self.advance();
                    }
                    // Other arguments are expressions without a meaning for us.
                    _ => drop(self.expression()?),
                }
                if !self.is_sign("}") {
                    self.expect(",")?;
                }
            }
            found.push(attribute);
        }
        Ok(found)
    }

    fn type_text(&mut self) -> Outcome<TypeText<'s>> {
        self.nested(Parser::type_text_at)
    }

    fn type_text_at(&mut self) -> Outcome<TypeText<'s>> {
        let start = self.here();
        if self.eat("(") {
            let inner = self.type_text()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("[") {
            let mut indices = Vec::new();
            while !self.eat("]") {
                if indices.len() == MAX_INDICES {
                    let text = format!("a map with more than {MAX_INDICES} indices");
                    return Err(Fault::new(self.here(), text));
                }
                indices.push(self.type_text()?);
                if !self.is_sign("]") {
                    self.expect(",")?;
                }
            }
            let element = self.type_text()?;
            return Ok(TypeText::Map(indices, Box::new(element)));
        }
        if self.is_sign("<") {
            return Err(Fault::unsupported(start, "polymorphic maps"));
        }
        for (word, found) in
            [("int", TypeText::Int), ("bool", TypeText::Bool), ("real", TypeText::Real)]
        {
            if self.eat(word) {
                return Ok(found);
            }
        }
        let name = self.name("a type")?;
        let has_argument = match self.peek() {
            Token::Name(_) => true,
            Token::Word(word) => matches!(word, "int" | "bool" | "real"),
            Token::Sign(sign) => matches!(sign, "(" | "["),
            _ => false,
        };
        match has_argument {
            true => Err(Fault::unsupported(name.span, "types with arguments")),
            false => Ok(TypeText::Name(name)),
        }
    }
}
