//! Terms as text for people: infix, with parentheses only where they are needed.
//!
//! This is for looking at, not for reading back: front ends print in their own languages, and
//! `formats` writes files. Terms may be deep and share parts, so text ends with `…` beyond a depth
//! and a length.

use crate::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms, UnaryOp};

/// Deeper parts are left out. It bounds the recursion.
const MAX_DEPTH: usize = 24;

/// How many bytes there may be before parts are left out.
const MAX_LENGTH: usize = 400;

/// How tightly an operator binds.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Bond {
    Choice,
    Implies,
    Or,
    And,
    Compare,
    Shift,
    Add,
    Mul,
    Unary,
    Atom,
}

/// The text of a term, or of its negation. Terms that have a `name` are shown by it.
pub fn formula(
    terms: &Terms,
    root: TermId,
    holds: bool,
    name: &dyn Fn(TermId) -> Option<String>,
) -> String {
    let mut printer = Printer { terms, name, text: String::new() };
    printer.condition(root, holds, Bond::Choice, 0);
    printer.text
}

struct Printer<'a> {
    terms: &'a Terms,
    name: &'a dyn Fn(TermId) -> Option<String>,
    text: String,
}

impl Printer<'_> {
    /// A one-bit term or its negation, where comparisons are turned round.
    fn condition(&mut self, id: TermId, holds: bool, within: Bond, depth: usize) {
        if holds || (self.name)(id).is_some() {
            if !holds {
                self.text.push('¬');
            }
            return self.term(id, if holds { within } else { Bond::Unary }, depth);
        }
        use BinaryOp::*;
        let turned = match *self.terms.get(id) {
            Term::Unary(UnaryOp::Not, inner) => {
                return self.condition(inner, true, within, depth + 1);
            }
            Term::Binary(op, a, b) => {
                let turned = match op {
                    Eq => Some(("≠", false)),
                    Neq => Some(("=", false)),
                    Ulte => Some((">", false)),
                    Ult => Some(("≥", false)),
                    Ugte => Some(("<", false)),
                    Ugt => Some(("≤", false)),
                    Slte => Some((">", true)),
                    Slt => Some(("≥", true)),
                    Sgte => Some(("<", true)),
                    Sgt => Some(("≤", true)),
                    _ => None,
                };
                turned.map(|(sign, signed)| (sign, signed, a, b))
            }
            Term::Int(op, a, b) if op.is_comparison() => {
                let sign = match op {
                    IntOp::Le => ">",
                    IntOp::Lt => "≥",
                    IntOp::Ge => "<",
                    _ => "≤",
                };
                Some((sign, true, a, b))
            }
            _ => None,
        };
        match turned {
            Some((sign, signed, a, b)) => self.compare(sign, signed, a, b, within, depth),
            None => {
                self.text.push('¬');
                self.term(id, Bond::Unary, depth);
            }
        }
    }

    fn term(&mut self, id: TermId, within: Bond, depth: usize) {
        if let Some(name) = (self.name)(id) {
            return self.text.push_str(&name);
        }
        if depth > MAX_DEPTH || self.text.len() > MAX_LENGTH {
            return self.text.push('…');
        }
        let is_bit = self.terms.sort(id) == Sort::BOOL;
        match *self.terms.get(id) {
            Term::Const(ref value) => self.text.push_str(&match value.to_u64() {
                Some(number) => number.to_string(),
                None => format!("0b{}", value.to_binary().trim_start_matches('0')),
            }),
            Term::IntConst(ref value) => self.text.push_str(&value.to_string()),
            Term::Symbol(symbol) => self.text.push_str(&format!("v{}", symbol.index())),
            Term::Unary(UnaryOp::Not, a) if is_bit => self.condition(a, false, within, depth + 1),
            Term::Unary(UnaryOp::Not, a) => self.unary("~", a, depth),
            Term::Unary(UnaryOp::Neg, a) | Term::IntNeg(a) => self.unary("-", a, depth),
            Term::Unary(op, a) => self.call(op.name(), &[a], depth),
            Term::Binary(op, a, b) => self.binary(op, is_bit, [a, b], within, depth),
            Term::Int(op, a, b) => self.integer(op, [a, b], within, depth),
            Term::Ite(c, t, e) => self.bracketed(Bond::Choice, within, |p| {
                p.condition(c, true, Bond::Implies, depth + 1);
                p.text.push_str(" ? ");
                p.term(t, Bond::Implies, depth + 1);
                p.text.push_str(" : ");
                p.term(e, Bond::Implies, depth + 1);
            }),
            Term::Slice { arg, high, low } => {
                self.term(arg, Bond::Atom, depth + 1);
                let range =
                    if high == low { format!("[{low}]") } else { format!("[{high}:{low}]") };
                self.text.push_str(&range);
            }
            // The value stays the same.
            Term::Extend { arg, signed: false, .. } => self.term(arg, within, depth + 1),
            Term::Extend { arg, .. } => self.call("sext", &[arg], depth),
            Term::ConstArray { value, .. } => self.call("all", &[value], depth),
            Term::Read(array, at) => {
                self.term(array, Bond::Atom, depth + 1);
                self.text.push('[');
                self.term(at, Bond::Choice, depth + 1);
                self.text.push(']');
            }
            Term::Write(array, at, value) => self.call("write", &[array, at, value], depth),
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        is_bit: bool,
        args: [TermId; 2],
        within: Bond,
        depth: usize,
    ) {
        use BinaryOp::*;
        let [a, b] = args;
        let (sign, bond) = match op {
            Eq | Iff | Xnor if is_bit => return self.compare("=", false, a, b, within, depth),
            Neq => return self.compare("≠", false, a, b, within, depth),
            Xor if is_bit => return self.compare("≠", false, a, b, within, depth),
            Ult => return self.compare("<", false, a, b, within, depth),
            Ulte => return self.compare("≤", false, a, b, within, depth),
            Ugt => return self.compare(">", false, a, b, within, depth),
            Ugte => return self.compare("≥", false, a, b, within, depth),
            Slt => return self.compare("<", true, a, b, within, depth),
            Slte => return self.compare("≤", true, a, b, within, depth),
            Sgt => return self.compare(">", true, a, b, within, depth),
            Sgte => return self.compare("≥", true, a, b, within, depth),
            Implies => (" → ", Bond::Implies),
            And if is_bit => (" ∧ ", Bond::And),
            Or if is_bit => (" ∨ ", Bond::Or),
            And => (" & ", Bond::And),
            Or => (" | ", Bond::Or),
            Xor => (" ^ ", Bond::Or),
            Add => (" + ", Bond::Add),
            Sub => (" - ", Bond::Add),
            Mul => ("·", Bond::Mul),
            Udiv => (" / ", Bond::Mul),
            Urem => (" mod ", Bond::Mul),
            Sll => (" << ", Bond::Shift),
            Srl => (" >> ", Bond::Shift),
            Concat => (" :: ", Bond::Shift),
            _ => return self.call(op.name(), &args, depth),
        };
        let is_flat = matches!(op, And | Or | Add | Mul);
        self.infix(sign, bond, is_flat, args, within, depth);
    }

    fn integer(&mut self, op: IntOp, args: [TermId; 2], within: Bond, depth: usize) {
        let [a, b] = args;
        match op {
            IntOp::Add => self.infix(" + ", Bond::Add, true, args, within, depth),
            IntOp::Sub => self.infix(" - ", Bond::Add, false, args, within, depth),
            IntOp::Mul => self.infix("·", Bond::Mul, true, args, within, depth),
            IntOp::Div => self.infix(" div ", Bond::Mul, false, args, within, depth),
            IntOp::Mod => self.infix(" mod ", Bond::Mul, false, args, within, depth),
            IntOp::Le => self.compare("≤", true, a, b, within, depth),
            IntOp::Lt => self.compare("<", true, a, b, within, depth),
            IntOp::Ge => self.compare("≥", true, a, b, within, depth),
            IntOp::Gt => self.compare(">", true, a, b, within, depth),
        }
    }

    /// An operator between its arguments. The second one needs parentheses if it binds as tightly,
    /// unless the operator is associative.
    fn infix(
        &mut self,
        sign: &str,
        bond: Bond,
        is_flat: bool,
        args: [TermId; 2],
        within: Bond,
        depth: usize,
    ) {
        self.bracketed(bond, within, |p| {
            p.term(args[0], bond, depth + 1);
            p.text.push_str(sign);
            let right = if is_flat { bond } else { Bond::Atom };
            p.term(args[1], right, depth + 1);
        });
    }

    /// A comparison. Constants beside signed words are signed.
    fn compare(
        &mut self,
        sign: &str,
        signed: bool,
        a: TermId,
        b: TermId,
        within: Bond,
        depth: usize,
    ) {
        self.bracketed(Bond::Compare, within, |p| {
            p.side(a, signed, depth);
            p.text.push_str(&format!(" {sign} "));
            p.side(b, signed, depth);
        });
    }

    fn side(&mut self, id: TermId, signed: bool, depth: usize) {
        match self.terms.get(id) {
            Term::Const(value) if signed && value.is_negative() => {
                self.text.push('-');
                self.text.push_str(&value.neg().to_decimal());
            }
            _ => self.term(id, Bond::Shift, depth + 1),
        }
    }

    fn unary(&mut self, sign: &str, a: TermId, depth: usize) {
        self.text.push_str(sign);
        self.term(a, Bond::Unary, depth + 1);
    }

    fn call(&mut self, name: &str, args: &[TermId], depth: usize) {
        self.text.push_str(name);
        self.text.push('(');
        for (index, &arg) in args.iter().enumerate() {
            self.text.push_str(if index > 0 { ", " } else { "" });
            self.term(arg, Bond::Choice, depth + 1);
        }
        self.text.push(')');
    }

    fn bracketed(&mut self, bond: Bond, within: Bond, write: impl FnOnce(&mut Self)) {
        let is_needed = bond < within || bond == Bond::Compare && within == Bond::Compare;
        self.text.push_str(if is_needed { "(" } else { "" });
        write(self);
        self.text.push_str(if is_needed { ")" } else { "" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bv::Bv;

    fn shown(build: impl Fn(&mut Terms, TermId, TermId) -> TermId, holds: bool) -> String {
        let mut terms = Terms::new();
        let (x, y) = (terms.new_symbol(Sort::Bv(8)), terms.new_symbol(Sort::Bv(8)));
        let root = build(&mut terms, x, y);
        let name = |id: TermId| [(x, "x"), (y, "y")].iter().find(|n| n.0 == id).map(|n| n.1.into());
        formula(&terms, root, holds, &name)
    }

    #[test]
    fn parentheses_only_where_needed() {
        use BinaryOp::*;
        let sum = |t: &mut Terms, x, y| {
            let sum = t.binary(Add, x, y);
            let product = t.binary(Mul, sum, y);
            let bound = t.constant(Bv::from_u64(8, 200));
            t.binary(Ulte, product, bound)
        };
        assert_eq!(shown(sum, true), "(x + y)·y ≤ 200");
        assert_eq!(shown(sum, false), "(x + y)·y > 200");
        let nested = |t: &mut Terms, x, y| {
            let (a, b) = (t.binary(Eq, x, y), t.binary(Ult, x, y));
            let both = t.binary(And, a, b);
            let either = t.binary(Or, both, a);
            let no = t.unary(UnaryOp::Not, either);
            t.binary(And, no, b)
        };
        assert_eq!(shown(nested, true), "¬(x = y ∧ x < y ∨ x = y) ∧ x < y");
        let minus = |t: &mut Terms, x, y| {
            let inner = t.binary(Sub, x, y);
            t.binary(Sub, x, inner)
        };
        assert_eq!(shown(minus, true), "x - (x - y)");
    }

    #[test]
    fn negative_constants_beside_signed_words() {
        let bound = |t: &mut Terms, x, _| {
            let minus = t.constant(Bv::from_i64(8, -3));
            t.binary(BinaryOp::Slte, x, minus)
        };
        assert_eq!(shown(bound, true), "x ≤ -3");
        assert_eq!(shown(bound, false), "x > -3");
    }

    /// A term of exponential size as text stays short.
    #[test]
    fn deep_terms_are_cut() {
        let deep = |t: &mut Terms, x, y| {
            (0..200).fold(x, |last, _| {
                let sum = t.binary(BinaryOp::Add, last, last);
                t.binary(BinaryOp::Xor, sum, y)
            })
        };
        let text = shown(deep, true);
        assert!(text.contains('…') && text.chars().count() < 4 * MAX_LENGTH, "{text}");
    }
}
