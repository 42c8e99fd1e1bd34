//! Terms as SMT-LIB 2, and safety as constrained Horn clauses.
//!
//! A term is printed as a definition that refers to the definitions of its arguments, so that
//! the text is as large as the graph of terms, not as the tree. Bits are `(_ BitVec 1)`
//! throughout, as in the model. What SMT-LIB has no operator for (rotation by a variable,
//! overflow, parity) is spelt out with standard ones.

mod chc;
mod operators;

pub use chc::{ChcError, write_chc};
pub use operators::{is_ordering, operator_name, operator_named};

use num_bigint::{BigInt, Sign};
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms, UnaryOp};
use rustc_hash::FxHashMap;
use std::fmt;
use std::fmt::Write as _;

/// The sort in SMT-LIB.
pub fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bv(width) => format!("(_ BitVec {width})"),
        Sort::Int => "Int".into(),
        Sort::Array { index, element } => {
            format!("(Array {} {})", self::sort(index.into()), self::sort(element.into()))
        }
    }
}

/// The integer constant.
pub fn integer(value: &BigInt) -> String {
    match value.sign() {
        Sign::Minus => format!("(- {})", value.magnitude()),
        _ => value.to_string(),
    }
}

/// The text as a quoted symbol. What a quoted symbol cannot contain becomes `_`, so that
/// different texts may become the same symbol.
pub fn quoted(text: &str) -> String {
    let allowed = |c: char| matches!(c, ' '..='~') && c != '|' && c != '\\';
    let inner: String = text.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    format!("|{inner}|")
}

/// A name as a symbol, with bars only if it needs them.
pub fn symbol(text: &str) -> String {
    const RESERVED: &[&str] = &["!", "_", "as", "exists", "forall", "let", "match", "par"];
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&byte);
    let is_simple = text.bytes().all(is_plain)
        && text.bytes().next().is_some_and(|first| !first.is_ascii_digit())
        && !RESERVED.contains(&text);
    if is_simple { text.to_owned() } else { quoted(text) }
}

/// The constant; short for values near zero whatever the width.
pub fn constant(value: &Bv) -> String {
    let width = value.width();
    if width <= 8 {
        format!("#b{}", value.to_binary())
    } else if let Some(small) = value.to_u64() {
        format!("(_ bv{small} {width})")
    } else if let Some(small) = value.neg().to_u64() {
        format!("(bvneg (_ bv{small} {width}))")
    } else if width.is_multiple_of(4) {
        format!("#x{}", value.to_hex())
    } else {
        format!("#b{}", value.to_binary())
    }
}

/// A symbol for which the printer was given no name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct UnnamedSymbol(pub TermId);

impl fmt::Display for UnnamedSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "term {} is a symbol without a name", self.0.index())
    }
}

impl std::error::Error for UnnamedSymbol {}

/// Prints terms of one store. Each printer uses its own prefix, so several can print the same
/// terms over different symbols into one script: one printer a time step.
///
/// Definitions are named by the prefix and a number. Names given to symbols must not look the
/// same; those made by [`quoted`] from a text with a `:` in it never do.
#[derive(Clone, Debug)]
pub struct Printer<'a> {
    terms: &'a Terms,
    prefix: String,
    symbols: FxHashMap<TermId, String>,
    defined: Vec<bool>,
}

impl<'a> Printer<'a> {
    /// A printer without names for symbols. The prefix must be a simple symbol.
    pub fn new(terms: &'a Terms, prefix: &str) -> Printer<'a> {
        Printer {
            terms,
            prefix: prefix.into(),
            symbols: FxHashMap::default(),
            defined: vec![false; terms.len()],
        }
    }

    /// Names a symbol: the text stands for it as it is. Any term may be named that way, and
    /// is then not defined.
    pub fn bind(&mut self, symbol: TermId, text: impl Into<String>) {
        self.symbols.insert(symbol, text.into());
    }

    /// Names a symbol and declares it as a constant.
    pub fn declare(&mut self, symbol: TermId, text: impl Into<String>, out: &mut String) {
        let text = text.into();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "(declare-const {text} {})", sort(self.terms.sort(symbol)));
        self.bind(symbol, text);
    }

    /// Writes definitions of the terms and all that they need, unless they are defined.
    pub fn define(
        &mut self,
        roots: impl IntoIterator<Item = TermId>,
        out: &mut String,
    ) -> Result<(), UnnamedSymbol> {
        for term in self.missing(roots)? {
            let name = self.reference(term);
            let _ = write!(out, "(define-fun {name} () {} ", sort(self.terms.sort(term)));
            self.body(term, out);
            out.push_str(")\n");
            self.defined[term.index()] = true;
        }
        Ok(())
    }

    /// Opens `let`s that define the terms and all that they need; returns how many `)` close
    /// them. Terms of one depth share a `let`.
    pub fn open_lets(
        &self,
        roots: impl IntoIterator<Item = TermId>,
        out: &mut String,
    ) -> Result<usize, UnnamedSymbol> {
        let mut depth = vec![0u32; self.terms.len()];
        let mut by_depth: Vec<Vec<TermId>> = Vec::new();
        for term in self.missing(roots)? {
            let args = self.terms.get(term).args();
            let most = args.map(|a| depth[a.index()]).max().unwrap_or(0);
            depth[term.index()] = most + 1;
            if by_depth.len() <= most as usize {
                by_depth.push(Vec::new());
            }
            by_depth[most as usize].push(term);
        }
        for level in &by_depth {
            out.push_str("(let (");
            for &term in level {
                let _ = write!(out, "({} ", self.reference(term));
                self.body(term, out);
                out.push_str(")\n");
            }
            out.push_str(")\n");
        }
        Ok(by_depth.len())
    }

    /// What stands for a term: a constant, a symbol's name or the name of its definition.
    pub fn reference(&self, term: TermId) -> String {
        match self.terms.get(term) {
            _ if self.symbols.contains_key(&term) => self.symbols[&term].clone(),
            Term::Const(value) if is_short(value) => constant(value),
            _ => format!("{}{}", self.prefix, term.index()),
        }
    }

    /// The terms below the roots that need a definition, arguments first.
    fn missing(
        &self,
        roots: impl IntoIterator<Item = TermId>,
    ) -> Result<Vec<TermId>, UnnamedSymbol> {
        let mut needed = vec![false; self.terms.len()];
        let mut stack: Vec<TermId> = roots.into_iter().collect();
        let mut missing = Vec::new();
        while let Some(term) = stack.pop() {
            let done = needed[term.index()] || self.defined[term.index()];
            if done || self.symbols.contains_key(&term) {
                continue;
            }
            needed[term.index()] = true;
            match self.terms.get(term) {
                Term::Symbol(_) => return Err(UnnamedSymbol(term)),
                Term::Const(value) if is_short(value) => {}
                other => {
                    stack.extend(other.args());
                    missing.push(term);
                }
            }
        }
        missing.sort();
        Ok(missing)
    }

    /// The operator over references to its arguments.
    fn body(&self, term: TermId, out: &mut String) {
        let arg = |t: TermId| self.reference(t);
        let _ = match *self.terms.get(term) {
            Term::Const(ref value) => write!(out, "{}", constant(value)),
            Term::Symbol(_) => unreachable!("symbols are not defined"),
            Term::Unary(op, a) => {
                out.push_str(&unary(op, &arg(a), self.terms.width(a)));
                Ok(())
            }
            Term::Binary(op, a, b) => {
                let width = self.terms.sort(a).width().unwrap_or(0);
                out.push_str(&binary(op, &arg(a), &arg(b), width));
                Ok(())
            }
            Term::IntConst(ref value) => write!(out, "{}", integer(value)),
            Term::IntNeg(a) => write!(out, "(- {})", arg(a)),
            Term::Int(op, a, b) => {
                let text = int(op, &arg(a), &arg(b));
                let text = if op.is_comparison() { bit(text) } else { text };
                write!(out, "{text}")
            }
            Term::Ite(c, t, e) => write!(out, "(ite (= {} #b1) {} {})", arg(c), arg(t), arg(e)),
            Term::Slice { arg: a, high, low } => {
                write!(out, "((_ extract {high} {low}) {})", arg(a))
            }
            Term::Extend { arg: a, by, signed } => {
                let op = if signed { "sign_extend" } else { "zero_extend" };
                write!(out, "((_ {op} {by}) {})", arg(a))
            }
            Term::ConstArray { value, .. } => {
                write!(out, "((as const {}) {})", sort(self.terms.sort(term)), arg(value))
            }
            Term::Read(a, i) => write!(out, "(select {} {})", arg(a), arg(i)),
            Term::Write(a, i, v) => write!(out, "(store {} {} {})", arg(a), arg(i), arg(v)),
        };
    }
}

/// Constants of one machine word are repeated where they are used.
fn is_short(value: &Bv) -> bool {
    value.width() <= 64
}

/// An integer operation; a condition for comparisons. Division by zero is open in SMT-LIB, so
/// that its value here is spelt out.
pub fn int(op: IntOp, a: &str, b: &str) -> String {
    let plain = format!("({} {a} {b})", op.name());
    match op {
        IntOp::Div => format!("(ite (= {b} 0) 0 {plain})"),
        IntOp::Mod => format!("(ite (= {b} 0) {a} {plain})"),
        _ => plain,
    }
}

/// A condition as one bit.
fn bit(condition: impl fmt::Display) -> String {
    format!("(ite {condition} #b1 #b0)")
}

fn number(width: u32, value: u64) -> String {
    constant(&Bv::from_u64(width, value))
}

/// A unary operation on a bit-vector of this width, whose text is repeated where that is needed.
pub fn unary(op: UnaryOp, a: &str, width: u32) -> String {
    match op {
        UnaryOp::Not => format!("(bvnot {a})"),
        UnaryOp::Inc => format!("(bvadd {a} {})", number(width, 1)),
        UnaryOp::Dec => format!("(bvsub {a} {})", number(width, 1)),
        UnaryOp::Neg => format!("(bvneg {a})"),
        UnaryOp::RedAnd => bit(format_args!("(= {a} {})", constant(&Bv::ones(width)))),
        UnaryOp::RedOr => bit(format_args!("(distinct {a} {})", constant(&Bv::zero(width)))),
        UnaryOp::RedXor => parity(a, width),
    }
}

/// Folds the vector onto itself: after shifts by 1, 2, 4, … bit 0 is the parity of all.
fn parity(a: &str, width: u32) -> String {
    let (mut text, mut folded, mut shift) = (String::new(), a.to_string(), 1u32);
    let mut lets = 0;
    while shift < width {
        let by = number(width, shift as u64);
        let _ = write!(text, "(let ((fold (bvxor {folded} (bvlshr {folded} {by})))) ");
        folded = "fold".into();
        shift *= 2;
        lets += 1;
    }
    let _ = write!(text, "((_ extract 0 0) {folded}){}", ")".repeat(lets));
    text
}

/// A binary operation on bit-vectors of this width, whose texts are repeated where that is needed.
pub fn binary(op: BinaryOp, a: &str, b: &str, width: u32) -> String {
    use BinaryOp::*;
    match op {
        Iff | Eq => bit(format_args!("(= {a} {b})")),
        Neq => bit(format_args!("(distinct {a} {b})")),
        Implies => format!("(bvor (bvnot {a}) {b})"),
        Usubo => bit(format_args!("(bvult {a} {b})")),
        Rol => rotated("bvshl", "bvlshr", a, b, width),
        Ror => rotated("bvlshr", "bvshl", a, b, width),
        Saddo => leaves_range("bvadd", a, b, width, 1, "sign_extend"),
        Ssubo => leaves_range("bvsub", a, b, width, 1, "sign_extend"),
        Smulo => leaves_range("bvmul", a, b, width, width, "sign_extend"),
        Uaddo => leaves_range("bvadd", a, b, width, 1, "zero_extend"),
        Umulo => leaves_range("bvmul", a, b, width, width, "zero_extend"),
        Sdivo => {
            let least = least(width);
            let ones = constant(&Bv::ones(width));
            bit(format_args!("(and (= {a} {least}) (= {b} {ones}))"))
        }
        Xnor => format!("(bvnot (bvxor {a} {b}))"),
        _ => {
            let name = operator_name(op).expect("SMT-LIB has all others");
            match is_ordering(op) {
                true => bit(format_args!("({name} {a} {b})")),
                false => format!("({name} {a} {b})"),
            }
        }
    }
}

/// The least signed value.
fn least(width: u32) -> String {
    match width {
        1 => "#b1".into(),
        _ => format!("(concat #b1 {})", constant(&Bv::zero(width - 1))),
    }
}

/// Rotation: one shift there, one back, by distances that add up to the width.
fn rotated(there: &str, back: &str, a: &str, b: &str, width: u32) -> String {
    let all = number(width, width as u64);
    format!("(let ((by (bvurem {b} {all}))) (bvor ({there} {a} by) ({back} {a} (bvsub {all} by))))")
}

/// Whether the exact result, computed with enough further bits, differs from its lowest bits
/// extended again.
fn leaves_range(op: &str, a: &str, b: &str, width: u32, by: u32, extend: &str) -> String {
    let wide = format!("((_ {extend} {by})");
    let high = width - 1;
    bit(format_args!(
        "(let ((exact ({op} {wide} {a}) {wide} {b})))) \
         (distinct exact {wide} ((_ extract {high} 0) exact))))"
    ))
}
