//! `__attribute__((…))` and `_Alignas`: those that change what a declaration means. Others are
//! dropped.

use super::{Parsed, Parser};
use crate::ast::{Align, Placing};
use crate::error::Fault;
use crate::token::{Key, Punct, Token};

/// What other threads may change.
pub(super) const ATOMIC: &str = "an atomic type";

/// What `aligned` without a number means on x86.
const LARGEST_ALIGN: u64 = 16;

/// What attributes and qualifiers say that matters.
#[derive(Copy, Clone, Default)]
pub(super) struct Attributes {
    pub(super) placing: Placing,
    /// Something is `volatile`.
    pub(super) is_volatile: bool,
    /// A type is `const`.
    pub(super) is_const: bool,
    /// A function does not return.
    pub(super) never_returns: bool,
    /// The type is another one: refused where it is used.
    pub(super) changed: Option<&'static str>,
}

impl Attributes {
    /// Both together.
    pub(super) fn add(&mut self, other: Attributes) {
        self.placing = self.placing.with(other.placing);
        self.is_volatile |= other.is_volatile;
        self.is_const |= other.is_const;
        self.never_returns |= other.never_returns;
        self.changed = self.changed.or(other.changed);
    }
}

impl Parser {
    /// Any number of `__attribute__((…))` and `_Alignas(…)`.
    pub(super) fn attributes(&mut self) -> Parsed<Attributes> {
        let mut found = Attributes::default();
        while let Token::Key(key @ (Key::Attribute | Key::Alignas)) = *self.peek() {
            let from = self.at;
            self.advance();
            self.skip_parens()?;
            if key == Key::Alignas {
                found.placing.align = Some(self.alignment(from + 1));
                continue;
            }
            for at in from..self.at {
                self.attribute(at, &mut found)?;
            }
        }
        Ok(found)
    }

    /// An attribute, if the token at this position names one.
    fn attribute(&self, at: usize, found: &mut Attributes) -> Parsed<()> {
        let Token::Name(name) = self.lexemes[at].token else { return Ok(()) };
        match self.ast.names.text(name).trim_matches('_') {
            "packed" => found.placing.is_packed = true,
            "aligned" => {
                let placing = Placing { align: Some(self.alignment(at + 1)), ..Placing::default() };
                found.placing = found.placing.with(placing);
            }
            "noreturn" => found.never_returns = true,
            "mode" => found.changed = Some("a type with the attribute `mode`"),
            "vector_size" => found.changed = Some("a vector type"),
            "cleanup" => found.changed = Some("a variable with the attribute `cleanup`"),
            name @ ("alias"
            | "constructor"
            | "destructor"
            | "ifunc"
            | "scalar_storage_order"
            | "weak"
            | "weakref") => {
                let what = format!("the attribute `{name}`");
                return Err(Fault::unsupported(self.lexemes[at].span, what));
            }
            _ => {}
        }
        Ok(())
    }

    /// What `#pragma pack` says at a byte.
    pub(super) fn packed_at(&self, offset: u32) -> Option<u64> {
        let place = self.packs.partition_point(|(from, _)| *from <= offset);
        place.checked_sub(1).and_then(|at| self.packs[at].1)
    }

    /// The number in parentheses at a position.
    fn alignment(&self, at: usize) -> Align {
        let token = |at: usize| self.lexemes.get(at).map(|lexeme| &lexeme.token);
        let is = |at: usize, punct: Punct| token(at) == Some(&Token::Punct(punct));
        match token(at + 1) {
            _ if !is(at, Punct::Open) => Align::Bytes(LARGEST_ALIGN),
            Some(&Token::Int(bytes, _)) if is(at + 2, Punct::Close) && is_alignment(bytes) => {
                Align::Bytes(bytes)
            }
            _ => Align::Other,
        }
    }
}

/// Whether something can be aligned to this many bytes.
fn is_alignment(bytes: u64) -> bool {
    bytes.is_power_of_two() && bytes <= 1 << 28
}
