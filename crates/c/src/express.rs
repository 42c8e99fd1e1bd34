//! Terms over a program's variables as C expressions.
//!
//! The expression means exactly the term, for both data models, if every conversion to a signed
//! type wraps around and shifts of negative numbers to the right copy the sign, as gcc and clang
//! have it. No operation in it is undefined. Casts are written only where the types of C would
//! give another value. What has no such form (pointers, arrays with a variable index, operators
//! that C does not have, long texts) gives none: it is left out of what is shown, never of what is
//! checked.

mod plain;
mod text;

use pedra_model::bv::Bv;
use pedra_model::simplify::Rewriter;
use pedra_model::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use pedra_program::{Program, VariableId};
use rustc_hash::FxHashMap;
use text::{
    Level, Reading, Text, cast, common, exact, flipped, joined, masked, next, number, opposite,
    wrapped,
};

/// Longer texts are of no use to a reader, and terms that share parts can grow without bound.
const MAX_TEXT: usize = 500;

/// Writes terms as C.
pub struct Express<'a> {
    /// The variables that may occur: symbol, name.
    names: FxHashMap<TermId, (VariableId, String)>,
    program: &'a Program,
    longest: usize,
}

impl<'a> Express<'a> {
    /// Terms over these variables of a program, under these names.
    pub fn new(
        program: &'a Program,
        names: impl IntoIterator<Item = (VariableId, String)>,
    ) -> Express<'a> {
        let named = names.into_iter().map(|(id, name)| (program.term_of(id), (id, name)));
        Express { names: named.collect(), program, longest: MAX_TEXT }
    }

    /// The same with texts that are up to this many times as long, for tools.
    pub fn longer(self, times: usize) -> Express<'a> {
        Express { longest: times * self.longest, ..self }
    }

    /// A one-bit term as a condition, without parentheses around it.
    pub fn condition(&self, terms: &mut Terms, term: TermId) -> Option<String> {
        let term = Rewriter::new().rewrite(terms, term);
        self.print(terms, term).map(|text| text.text)
    }

    /// The same as an operand of `&&`.
    pub fn conjunct(&self, terms: &mut Terms, term: TermId) -> Option<String> {
        let term = Rewriter::new().rewrite(terms, term);
        self.print(terms, term).map(|text| text.at(Level::BitOr))
    }

    /// Bottom up, in the order of ids: no recursion on what a program contains.
    fn print(&self, terms: &Terms, root: TermId) -> Option<Text> {
        let mut done: FxHashMap<TermId, Text> = FxHashMap::default();
        for id in terms.cone_ids([root]) {
            let printer = Printer { terms, done: &done, express: self };
            let text = printer.term(id, terms.get(id));
            if let Some(text) = text.filter(|text| text.text.len() <= self.longest) {
                done.insert(id, text);
            }
        }
        done.remove(&root)
    }

    /// A variable of an integer type.
    fn variable(&self, symbol: TermId, width: u32) -> Option<Text> {
        let (id, name) = self.names.get(&symbol)?;
        let variable = self.program.variable(*id);
        is_integer(&variable.source_type)
            .then(|| value_of(name.clone(), width, variable.is_signed))?
    }

    /// An element of an array with one dimension, inside its bounds.
    fn element(&self, symbol: TermId, index: &Bv, width: u32) -> Option<Text> {
        let (id, name) = self.names.get(&symbol)?;
        let variable = self.program.variable(*id);
        let (element, length) = variable.source_type.strip_suffix(']')?.split_once(" [")?;
        let (length, index) = (length.parse::<u64>().ok()?, index.to_u64()?);
        (is_integer(element) && index < length)
            .then(|| value_of(format!("{name}[{index}]"), width, variable.is_signed))?
    }
}

/// An object of an integer type of this width.
fn value_of(text: String, width: u32, is_signed: bool) -> Option<Text> {
    let reading = if is_signed { Reading::Signed } else { Reading::Unsigned };
    match width {
        // Narrow types are promoted to `int`.
        8 | 16 => Some(Text::new(text, Level::Primary, 32, true, reading)),
        32 | 64 => Some(Text::new(text, Level::Primary, width, is_signed, reading)),
        _ => None,
    }
}

/// Whether values of a type are plain numbers.
pub(crate) fn is_integer(source_type: &str) -> bool {
    let words = ["char", "short", "int", "long", "signed", "unsigned", "_Bool"];
    source_type.split(' ').all(|word| words.contains(&word))
}

/// Writes one term over those that are written.
struct Printer<'p, 'a> {
    terms: &'p Terms,
    done: &'p FxHashMap<TermId, Text>,
    express: &'p Express<'a>,
}

impl Printer<'_, '_> {
    fn term(&self, id: TermId, term: &Term) -> Option<Text> {
        let width = match self.terms.sort(id) {
            Sort::Bv(width) if width <= 64 => width,
            _ => return None,
        };
        match *term {
            Term::Const(ref value) => Some(number(value, Reading::Unsigned)),
            Term::Symbol(_) => self.express.variable(id, width),
            Term::Read(array, at) => {
                let index = self.terms.as_constant(at)?;
                self.terms.symbol_of(array)?;
                self.express.element(array, index, width)
            }
            _ if width == 1 => self.bit(term),
            _ => self.word(term, width),
        }
    }

    fn text(&self, term: TermId) -> Option<&Text> {
        self.done.get(&term)
    }

    /// As an unsigned number.
    fn unsigned(&self, term: TermId) -> Option<Text> {
        let text = self.text(term)?;
        if text.is_unsigned_number() {
            return Some(text.clone());
        }
        let width = self.terms.width(term);
        match width {
            8 | 16 | 32 | 64 => Some(cast(text, width, false, Reading::Unsigned)),
            _ => Some(masked(text, width)),
        }
    }

    /// As a signed number, in a signed type.
    fn signed(&self, term: TermId) -> Option<Text> {
        if self.terms.width(term) == 1 {
            return None;
        }
        if let Some(value) = self.terms.as_constant(term) {
            return Some(number(value, Reading::Signed));
        }
        let text = self.text(term)?;
        if text.is_signed_number() && text.is_signed {
            return Some(text.clone());
        }
        match (self.terms.width(term), text.is_signed_number()) {
            (width @ (8 | 16 | 32 | 64), _) => Some(cast(text, width, true, Reading::Signed)),
            (_, true) => Some(cast(text, 64, true, Reading::Signed)),
            _ => None,
        }
    }

    /// In an unsigned type of at least this many bits: arithmetic on it wraps around.
    fn wrapping(&self, term: TermId, width: u32) -> Option<Text> {
        let text = self.text(term)?;
        let bits = if width <= 32 { 32 } else { 64 };
        if !text.is_signed && text.bits >= bits {
            return Some(text.clone());
        }
        Some(cast(text, bits, false, Reading::Modulo))
    }

    fn constant(&self, term: TermId) -> Option<&Bv> {
        self.terms.as_constant(term)
    }

    /// A term of several bits.
    fn word(&self, term: &Term, width: u32) -> Option<Text> {
        match *term {
            Term::Unary(UnaryOp::Not, a) => {
                let text = self.text(a)?;
                let reading = match text.reading {
                    Reading::Signed | Reading::Both if text.is_signed => Reading::Signed,
                    _ if text.bits == width && !text.is_signed => Reading::Unsigned,
                    _ => Reading::Modulo,
                };
                let shown = format!("~{}", text.at(Level::Unary));
                Some(Text::new(shown, Level::Unary, text.bits, text.is_signed, reading))
            }
            Term::Unary(UnaryOp::Neg, a) => {
                let text = self.wrapping(a, width)?;
                // Two signs in a row would be another operator.
                let shown = match text.text.starts_with('-') {
                    true => format!("-({})", text.text),
                    false => format!("-{}", text.at(Level::Unary)),
                };
                Some(wrapped(shown, Level::Unary, text.bits, width))
            }
            Term::Unary(UnaryOp::Inc, a) => self.sum(a, "+", "1".into(), width),
            Term::Unary(UnaryOp::Dec, a) => self.sum(a, "-", "1".into(), width),
            Term::Binary(op, a, b) => self.operator(op, a, b, width),
            Term::Ite(condition, then, other) => {
                let condition = self.text(condition)?.at(Level::Or);
                let (then, other) = (self.unsigned(then)?, self.unsigned(other)?);
                let shown = format!("{condition} ? {} : {}", then.at(Level::Or), other.text);
                let (bits, is_signed) = common(&then, &other);
                Some(Text::new(shown, Level::Conditional, bits, is_signed, Reading::Unsigned))
            }
            Term::Slice { arg, low: 0, .. } => {
                Some(Text { reading: Reading::Modulo, ..self.text(arg)?.clone() })
            }
            Term::Slice { arg, high, low } => {
                let text = self.unsigned(arg)?;
                let shown = format!("{} >> {low}", text.at(Level::Sum));
                let shifted =
                    Text::new(shown, Level::Shift, text.bits, text.is_signed, Reading::Unsigned);
                match high + 1 == self.terms.width(arg) {
                    true => Some(shifted),
                    false => Some(masked(&shifted, width)),
                }
            }
            Term::Extend { arg, signed: false, .. } => {
                let text = self.unsigned(arg)?;
                Some(match width > text.bits {
                    true => cast(&text, 64, false, Reading::Both),
                    false => Text { reading: Reading::Both, ..text },
                })
            }
            Term::Extend { arg, signed: true, .. } => {
                let text = self.signed(arg)?;
                Some(match width > text.bits {
                    true => cast(&text, 64, true, Reading::Signed),
                    false => text,
                })
            }
            _ => None,
        }
    }

    /// A sum or difference with a second operand that is ready to be written.
    fn sum(&self, a: TermId, op: &str, b: String, width: u32) -> Option<Text> {
        let a = self.wrapping(a, width)?;
        let bits = a.bits;
        Some(wrapped(format!("{} {op} {b}", a.at(Level::Sum)), Level::Sum, bits, width))
    }

    fn operator(&self, op: BinaryOp, a: TermId, b: TermId, width: u32) -> Option<Text> {
        use BinaryOp::*;
        match op {
            Add => {
                // The constant comes second, a large one as a difference.
                let (a, b) = if self.constant(a).is_some() { (b, a) } else { (a, b) };
                if let Some(plain) = self.plain(Add, a, b, width) {
                    return Some(plain);
                }
                match self.constant(b) {
                    Some(value) if value.is_negative() => {
                        self.sum(a, "-", number(&value.neg(), Reading::Unsigned).text, width)
                    }
                    Some(value) => self.sum(a, "+", number(value, Reading::Unsigned).text, width),
                    None => self.arithmetic("+", Level::Sum, a, b, width),
                }
            }
            Sub => self
                .plain(op, a, b, width)
                .or_else(|| self.arithmetic("-", Level::Sum, a, b, width)),
            Mul => self
                .plain(op, a, b, width)
                .or_else(|| self.arithmetic("*", Level::Product, a, b, width)),
            And | Or | Xor => self.bitwise(op, a, b, width),
            Sll => {
                let by = self.constant(b)?.to_u64().filter(|&by| by < width as u64)?;
                let a = self.wrapping(a, width)?;
                let bits = a.bits;
                Some(wrapped(format!("{} << {by}", a.at(Level::Sum)), Level::Shift, bits, width))
            }
            Srl | Sra => {
                let by = self.constant(b)?.to_u64().filter(|&by| by < width as u64)?;
                let a = if op == Srl { self.unsigned(a)? } else { self.signed(a)? };
                let shown = format!("{} >> {by}", a.at(Level::Sum));
                Some(Text { text: shown, level: Level::Shift, ..a })
            }
            Udiv | Urem => {
                let sign = if op == Udiv { "/" } else { "%" };
                self.constant(b).filter(|value| !value.is_zero())?;
                let (a, b) = (self.unsigned(a)?, self.unsigned(b)?);
                Some(joined(sign, Level::Product, &a, &b, Reading::Unsigned))
            }
            Sdiv | Srem => {
                let sign = if op == Sdiv { "/" } else { "%" };
                if self.constant(b).is_none_or(|b| b.is_zero() || b.is_ones()) {
                    return None;
                }
                let (a, b) = (self.signed(a)?, self.signed(b)?);
                Some(joined(sign, Level::Product, &a, &b, Reading::Signed))
            }
            Concat => {
                let (above, below) = (self.wrapping_to(a, width)?, self.unsigned(b)?);
                let by = self.terms.width(b);
                let shown =
                    format!("({} << {by}) | {}", above.at(Level::Sum), below.at(Level::Sum));
                Some(wrapped(shown, Level::BitOr, above.bits.max(below.bits), width))
            }
            _ => None,
        }
    }

    /// The bits as an unsigned number in an unsigned type that has room for this many bits.
    fn wrapping_to(&self, term: TermId, width: u32) -> Option<Text> {
        let text = self.unsigned(term)?;
        let bits = if width <= 32 { 32 } else { 64 };
        match !text.is_signed && text.bits >= bits {
            true => Some(text),
            false => Some(cast(&text, bits, false, Reading::Unsigned)),
        }
    }

    /// Unsigned arithmetic: one operand of an unsigned type makes the other one such.
    fn arithmetic(&self, op: &str, level: Level, a: TermId, b: TermId, width: u32) -> Option<Text> {
        let bits = if width <= 32 { 32 } else { 64 };
        let is_wide = |t: &&Text| !t.is_signed && t.bits >= bits;
        let (first, second) = (self.text(a)?, self.text(b)?);
        let is_enough = [first, second].iter().any(is_wide) && first.bits.max(second.bits) == bits;
        let first = if is_enough { first.clone() } else { self.wrapping(a, width)? };
        let bits = first.bits.max(second.bits);
        // A signed operand of more bits than the unsigned one would make the operation signed.
        let second = if second.is_signed && second.bits > first.bits {
            self.wrapping(b, second.bits)?
        } else {
            second.clone()
        };
        let above = next(level);
        let shown = format!("{} {op} {}", first.at(level), second.at(above));
        Some(wrapped(shown, level, bits, width))
    }

    fn bitwise(&self, op: BinaryOp, a: TermId, b: TermId, width: u32) -> Option<Text> {
        let (a, b) = (self.text(a)?, self.text(b)?);
        let (sign, level) = match op {
            BinaryOp::And => ("&", Level::BitAnd),
            BinaryOp::Or => ("|", Level::BitOr),
            _ => ("^", Level::BitXor),
        };
        let both = |f: fn(&Text) -> bool| f(a) && f(b);
        // What is not in the one number is not in the result, whatever the other one has above.
        let either = a.is_unsigned_number() || b.is_unsigned_number();
        let reading = if both(Text::is_unsigned_number) || op == BinaryOp::And && either {
            Reading::Unsigned
        } else if both(Text::is_signed_number) && a.is_signed && b.is_signed {
            Reading::Signed
        } else {
            Reading::Modulo
        };
        // Readers do not know how these bind: parentheses around all but sums.
        let (bits, is_signed) = common(a, b);
        let shown = format!("{} {sign} {}", a.at(Level::Sum), b.at(Level::Sum));
        let reading = exact(bits, is_signed, reading, width);
        Some(Text::new(shown, level, bits, is_signed, reading))
    }

    /// A term of one bit, as a number that is 0 or 1.
    fn bit(&self, term: &Term) -> Option<Text> {
        match *term {
            Term::Unary(UnaryOp::Not, a) => match *self.terms.get(a) {
                Term::Binary(op, a, b) if opposite(op).is_some() => {
                    self.compare(opposite(op)?, a, b)
                }
                Term::Slice { arg, high, .. } => self.bit_of(arg, high, "=="),
                _ => {
                    let text = self.text(a)?;
                    Some(Text::condition(format!("!{}", text.at(Level::Unary)), Level::Unary))
                }
            },
            Term::Unary(UnaryOp::RedOr, a) => {
                let text = format!("{} != 0", self.unsigned(a)?.at(Level::Shift));
                Some(Text::condition(text, Level::Equality))
            }
            Term::Binary(BinaryOp::And, a, b) => self.connect("&&", Level::And, a, b),
            Term::Binary(BinaryOp::Or, a, b) => self.connect("||", Level::Or, a, b),
            Term::Binary(BinaryOp::Implies, a, b) => {
                let (a, b) = (self.text(a)?.at(Level::Unary), self.text(b)?.at(Level::BitOr));
                Some(Text::condition(format!("!{a} || {b}"), Level::Or))
            }
            Term::Binary(op, a, b) => self.compare(op, a, b),
            Term::Ite(condition, then, other) => {
                let part = |t: TermId| Some(self.text(t)?.at(Level::Or));
                let shown = format!("{} ? {} : {}", part(condition)?, part(then)?, part(other)?);
                Some(Text::condition(shown, Level::Conditional))
            }
            Term::Slice { arg, high, .. } => self.bit_of(arg, high, "!="),
            _ => None,
        }
    }

    fn bit_of(&self, arg: TermId, bit: u32, op: &str) -> Option<Text> {
        let text = self.text(arg)?;
        if text.reading == Reading::Signed && text.is_signed && bit + 1 == self.terms.width(arg) {
            let sign = if op == "!=" { "<" } else { ">=" };
            let shown = format!("{} {sign} 0", text.at(Level::Shift));
            return Some(Text::condition(shown, Level::Relation));
        }
        let mask = number(&Bv::one(64).shifted_left(bit), Reading::Unsigned).text;
        let shown = format!("({} & {mask}) {op} 0", text.at(Level::Sum));
        Some(Text::condition(shown, Level::Equality))
    }

    fn connect(&self, op: &str, level: Level, a: TermId, b: TermId) -> Option<Text> {
        // `&&` inside `||` gets parentheses, which readers like and compilers ask for.
        let part = |t: TermId| {
            let text = self.text(t)?;
            Some(if text.level == level { text.text.clone() } else { text.at(Level::BitOr) })
        };
        Some(Text::condition(format!("{} {op} {}", part(a)?, part(b)?), level))
    }

    fn compare(&self, op: BinaryOp, a: TermId, b: TermId) -> Option<Text> {
        use BinaryOp::*;
        let (sign, is_signed) = match op {
            Eq | Iff | Xnor => ("==", None),
            Neq | Xor => ("!=", None),
            Ugt => (">", Some(false)),
            Ugte => (">=", Some(false)),
            Ult => ("<", Some(false)),
            Ulte => ("<=", Some(false)),
            Sgt => (">", Some(true)),
            Sgte => (">=", Some(true)),
            Slt => ("<", Some(true)),
            Slte => ("<=", Some(true)),
            _ => return None,
        };
        if self.terms.sort(a).is_array() {
            return None;
        }
        // The constant comes second.
        let (a, b, sign) = match self.constant(a).is_some() && self.constant(b).is_none() {
            true => (b, a, flipped(sign)),
            false => (a, b, sign),
        };
        let (left, right) = self.narrowed(a, b, is_signed);
        let (a, b) = match is_signed {
            Some(true) => (self.signed(left)?, self.signed(right)?),
            Some(false) => (self.unsigned(left)?, self.unsigned(right)?),
            None => self.equal_sides(left, right)?,
        };
        let (a, b) =
            match a.is_signed && b.is_signed && a.is_signed_number() && b.is_signed_number() {
                true => {
                    let first = self.without_cast(left, a.clone(), &b);
                    let second =
                        if first.text == a.text { self.without_cast(right, b, &a) } else { b };
                    (first, second)
                }
                false => (a, b),
            };
        let shown = format!("{} {sign} {}", a.at(Level::Shift), b.at(Level::Shift));
        let level = if is_signed.is_some() { Level::Relation } else { Level::Equality };
        Some(Text::condition(shown, level))
    }

    /// The operands of a comparison without extensions that do not change the numbers: C compares
    /// numbers of different types as numbers, if both types are signed.
    fn narrowed(&self, a: TermId, b: TermId, is_signed: Option<bool>) -> (TermId, TermId) {
        let inner = |term: TermId| match *self.terms.get(term) {
            Term::Extend { arg, signed, .. } if is_signed == Some(signed) => Some(arg),
            _ => None,
        };
        match (inner(a), inner(b)) {
            (Some(a), Some(b)) if [a, b].iter().all(|&t| self.terms.width(t) > 1) => (a, b),
            _ => (a, b),
        }
    }

    /// Both sides of an equation in one reading, or in types of exactly the width.
    fn equal_sides(&self, a: TermId, b: TermId) -> Option<(Text, Text)> {
        let (first, second) = (self.text(a)?, self.text(b)?);
        if self.terms.width(a) == 1 {
            return Some((first.clone(), second.clone()));
        }
        if self.constant(b).is_some() && first.reading == Reading::Signed {
            return Some((self.signed(a)?, self.signed(b)?));
        }
        let both = |f: fn(&Text) -> bool| f(first) && f(second);
        if first.bits.max(second.bits) == self.terms.width(a)
            || both(Text::is_unsigned_number)
            || both(Text::is_signed_number)
        {
            return Some((first.clone(), second.clone()));
        }
        Some((self.unsigned(a)?, self.unsigned(b)?))
    }
}
