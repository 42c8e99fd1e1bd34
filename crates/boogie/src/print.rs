//! Terms over a program's variables as Boogie expressions, for invariants and traces.
//!
//! What is printed has the term's value in every state, is well typed in the procedure's scope,
//! and has parentheses only where the grammar needs them. Not every term can be printed: the
//! answer is `None` for those that speak of variables without a name or hidden by another, that
//! compare values of declared types by `<`, or that use operators unknown to Boogie.

use crate::check::builtin_of_unary;
use crate::lexer::is_name;
use crate::syntax::Operator;
use num_bigint::{BigInt, Sign};
use pedra_formats::smtlib;
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, UnaryOp};
use pedra_program::{Procedure, Program, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// A term as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The expression.
    pub text: String,
    /// Declarations of the functions that it uses for operators on bit-vectors.
    pub functions: Vec<String>,
}

/// A longer text is of no use. Terms share parts, which texts cannot.
const MAX_LENGTH: usize = 1 << 16;

/// The outermost operator of a text.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Top {
    /// Names, numbers and what ends with a bracket.
    Atom,
    /// `!` or `-`.
    Prefix,
    Infix(Operator),
    /// `if … then … else …`, which extends as far as it can.
    Choice,
}

impl Top {
    /// How tightly it binds, as in [`Operator::level`].
    fn level(self) -> Option<u8> {
        match self {
            Top::Atom => Some(ATOM),
            Top::Prefix => Some(PREFIX),
            Top::Infix(op) => Some(op.level()),
            Top::Choice => None,
        }
    }
}

const PREFIX: u8 = 7;
const ATOM: u8 = 8;

/// A part of the text and its type.
#[derive(Clone)]
struct Piece {
    text: String,
    of: String,
    top: Top,
}

/// Prints a term over the globals and a procedure's variables.
pub fn print(program: &Program, procedure: &Procedure, term: TermId) -> Option<Printed> {
    let mut printer = Printer { program, names: names(program, procedure), functions: Vec::new() };
    let mut stack = vec![term];
    let mut found = FxHashSet::default();
    while let Some(id) = stack.pop() {
        if found.insert(id) {
            stack.extend(program.terms.get(id).args());
        }
    }
    let mut found: Vec<TermId> = found.into_iter().collect();
    // Ids are topological.
    found.sort_unstable();
    let mut pieces: FxHashMap<TermId, Option<Piece>> = FxHashMap::default();
    for id in found {
        let piece = printer.piece(id, &pieces).filter(|piece| piece.text.len() <= MAX_LENGTH);
        pieces.insert(id, piece);
    }
    let piece = pieces.remove(&term)??;
    let piece = if program.terms.sort(term) == Sort::BOOL { truth(piece) } else { piece };
    Some(Printed { text: piece.text, functions: printer.functions })
}

/// The variables that can be named in a procedure, by their symbols.
fn names<'p>(program: &'p Program, procedure: &Procedure) -> FxHashMap<TermId, &'p Variable> {
    let (mut names, mut taken) = (FxHashMap::default(), FxHashMap::default());
    for id in procedure.variables.iter().chain(&program.globals) {
        let variable = program.variable(*id);
        let Some(name) = variable.name.as_deref() else { continue };
        let plain = name.strip_prefix("old(").and_then(|rest| rest.strip_suffix(')'));
        // The first one hides others; a procedure's own come first. All that are called `old(x)`
        // have the same value: that of `x` when the procedure was called.
        let is_seen = plain.is_some() || *taken.entry(name).or_insert(*id) == *id;
        if is_name(plain.unwrap_or(name)) && is_seen {
            names.insert(variable.term, variable);
        }
    }
    names
}

fn atom(text: String, of: &str) -> Piece {
    Piece { text, of: of.into(), top: Top::Atom }
}

fn word(value: &Bv) -> Piece {
    let width = value.width();
    atom(format!("{}bv{width}", value.to_decimal()), &format!("bv{width}"))
}

fn prefix(sign: &str, a: &Piece) -> Piece {
    let text = format!("{sign}{}", operand(a, PREFIX));
    Piece { text, of: a.of.clone(), top: Top::Prefix }
}

/// The text as an operand of something that binds this tightly.
fn operand(piece: &Piece, level: u8) -> String {
    match piece.top.level() {
        Some(own) if own >= level => piece.text.clone(),
        _ => format!("({})", piece.text),
    }
}

/// `a op b`.
fn infix(op: Operator, a: &Piece, b: &Piece, of: &str) -> Piece {
    let level = op.level();
    let (left, right) = match op {
        // `&&` and `||` are associative, but neither goes into the other.
        Operator::And | Operator::Or => {
            let own = |piece: &Piece| level + u8::from(piece.top != Top::Infix(op));
            (own(a), own(b))
        }
        Operator::Implies => (level + 1, level),
        _ if level == Operator::Eq.level() => (level + 1, level + 1),
        _ => (level, level + 1),
    };
    let text = format!("{} {} {}", operand(a, left), op.text(), operand(b, right));
    Piece { text, of: of.into(), top: Top::Infix(op) }
}

/// A bit as a truth value.
fn truth(piece: Piece) -> Piece {
    match (&*piece.of, &*piece.text) {
        ("bool", _) => piece,
        (_, "1bv1") => atom("true".into(), "bool"),
        (_, "0bv1") => atom("false".into(), "bool"),
        _ => infix(Operator::Eq, &piece, &atom("1bv1".into(), "bv1"), "bool"),
    }
}

/// A bit as a bit-vector.
fn bit(piece: Piece) -> Piece {
    match &*piece.of {
        "bool" => choice(&piece, &atom("1bv1".into(), "bv1"), &atom("0bv1".into(), "bv1")),
        _ => piece,
    }
}

fn choice(condition: &Piece, then: &Piece, other: &Piece) -> Piece {
    let text = format!("if {} then {} else {}", condition.text, then.text, other.text);
    Piece { text, of: then.of.clone(), top: Top::Choice }
}

struct Printer<'p> {
    program: &'p Program,
    names: FxHashMap<TermId, &'p Variable>,
    functions: Vec<String>,
}

impl Printer<'_> {
    fn piece(&mut self, id: TermId, pieces: &FxHashMap<TermId, Option<Piece>>) -> Option<Piece> {
        let of = |id: TermId| pieces[&id].clone();
        let terms = &self.program.terms;
        Some(match *terms.get(id) {
            Term::Const(ref value) => word(value),
            Term::IntConst(ref number) => Piece {
                text: number.to_string(),
                of: "int".into(),
                top: if number.sign() == Sign::Minus { Top::Prefix } else { Top::Atom },
            },
            Term::Symbol(_) => {
                let variable = self.names.get(&id)?;
                let name = variable.name.as_deref()?;
                match &*variable.source_type {
                    // A map that stands for a function is none in Boogie.
                    "function" => return None,
                    of => atom(name.into(), of),
                }
            }
            Term::Unary(op, a) => self.unary(op, of(a)?, terms.sort(a))?,
            Term::Binary(op, a, b) => self.binary(op, of(a)?, of(b)?)?,
            Term::IntNeg(a) => prefix("-", &integer(of(a)?)?),
            Term::Int(op, a, b) => self.int(op, integer(of(a)?)?, integer(of(b)?)?, b)?,
            Term::Ite(c, t, e) => match self.division(c, t, e) {
                Some((op, a, b)) => infix(op, &integer(of(a)?)?, &integer(of(b)?)?, "int"),
                None => {
                    let (then, other) = same(of(t)?, of(e)?)?;
                    choice(&truth(of(c)?), &then, &other)
                }
            },
            Term::Slice { arg, high, low } => {
                let text = format!("{}[{}:{low}]", operand(&bit(of(arg)?), ATOM), high + 1);
                atom(text, &format!("bv{}", high - low + 1))
            }
            Term::Extend { arg, by, signed } => {
                let name = if signed { "sign_extend" } else { "zero_extend" };
                self.extend(name, bit(of(arg)?), by)?
            }
            Term::ConstArray { .. } => return None,
            Term::Read(array, at) => self.read(array, of(array), of(at)?)?,
            Term::Write(array, at, value) => {
                let array = of(array)?;
                let (index, element) = map(&array.of)?;
                let at = typed(of(at)?, index)?;
                let value = typed(of(value)?, element)?;
                let base = operand(&array, ATOM);
                atom(format!("{base}[{} := {}]", at.text, value.text), &array.of)
            }
        })
    }

    /// `array[at]`, or `f(at)` if the array stands for a function.
    fn read(&mut self, array: TermId, piece: Option<Piece>, at: Piece) -> Option<Piece> {
        if let Some(piece) = piece {
            let (index, element) = map(&piece.of)?;
            let at = typed(at, index)?;
            return Some(atom(format!("{}[{}]", operand(&piece, ATOM), at.text), element));
        }
        // The types of a function are not kept: it is printed only for integers.
        let variable = self.names.get(&array)?;
        let name = variable.name.as_deref()?;
        let sort = self.program.terms.sort(array);
        let is_int = sort == int_map() && &*variable.source_type == "function";
        is_int.then_some(())?;
        let at = integer(at)?;
        Some(atom(format!("{name}({})", at.text), "int"))
    }

    /// A quotient or remainder as the front end builds it: `if b == 0 then m[a] else a op b`,
    /// where `m` is a map without a name.
    fn division(&self, c: TermId, t: TermId, e: TermId) -> Option<(Operator, TermId, TermId)> {
        let terms = &self.program.terms;
        let (&Term::Binary(BinaryOp::Eq, b, zero), &Term::Read(map, at)) =
            (terms.get(c), terms.get(t))
        else {
            return None;
        };
        let &Term::Int(op, a, divisor) = terms.get(e) else { return None };
        let op = match op {
            IntOp::Div => Operator::Div,
            IntOp::Mod => Operator::Mod,
            _ => return None,
        };
        let is_zero = matches!(terms.get(zero), Term::IntConst(n) if n.sign() == Sign::NoSign);
        let mut globals = self.program.globals.iter().map(|id| self.program.variable(*id));
        let is_hidden = globals.any(|v| v.term == map && v.name.is_none());
        (is_zero && is_hidden && b == divisor && at == a).then_some((op, a, b))
    }

    fn int(&mut self, op: IntOp, a: Piece, b: Piece, divisor: TermId) -> Option<Piece> {
        let operator = match op {
            IntOp::Add => Operator::Add,
            IntOp::Sub => Operator::Sub,
            IntOp::Mul => Operator::Mul,
            IntOp::Div => Operator::Div,
            IntOp::Mod => Operator::Mod,
            IntOp::Le => Operator::Le,
            IntOp::Lt => Operator::Lt,
            IntOp::Ge => Operator::Ge,
            IntOp::Gt => Operator::Gt,
        };
        if op.is_comparison() {
            return Some(infix(operator, &a, &b, "bool"));
        }
        let constant = match self.program.terms.get(divisor) {
            Term::IntConst(number) => Some(&**number),
            _ => None,
        };
        Some(match (op, constant) {
            (IntOp::Add, Some(number)) if number.sign() == Sign::Minus => {
                let positive = atom((-number.clone()).to_string(), "int");
                infix(Operator::Sub, &a, &positive, "int")
            }
            (IntOp::Div | IntOp::Mod, None) => self.total(operator, a, b),
            (IntOp::Div | IntOp::Mod, Some(zero)) if *zero == BigInt::ZERO => {
                self.total(operator, a, b)
            }
            _ => infix(operator, &a, &b, "int"),
        })
    }

    /// Quotient and remainder of terms have a value by zero, which Boogie leaves open.
    fn total(&self, op: Operator, a: Piece, b: Piece) -> Piece {
        let zero = atom("0".into(), "int");
        let is_zero = infix(Operator::Eq, &b, &zero, "bool");
        let by_zero = if op == Operator::Div { zero } else { a.clone() };
        choice(&is_zero, &by_zero, &infix(op, &a, &b, "int"))
    }

    fn unary(&mut self, op: UnaryOp, a: Piece, sort: Sort) -> Option<Piece> {
        let width = sort.width()?;
        Some(match op {
            UnaryOp::Not if a.of == "bool" => prefix("!", &a),
            UnaryOp::Not | UnaryOp::Neg => {
                let name = builtin_of_unary(op)?;
                self.builtin(name, &[bit(a)], width, false)
            }
            UnaryOp::Inc => self.builtin("bvadd", &[bit(a), word(&Bv::one(width))], width, false),
            UnaryOp::Dec => self.builtin("bvsub", &[bit(a), word(&Bv::one(width))], width, false),
            UnaryOp::RedAnd => infix(Operator::Eq, &bit(a), &word(&Bv::ones(width)), "bool"),
            UnaryOp::RedOr => infix(Operator::Neq, &bit(a), &word(&Bv::zero(width)), "bool"),
            UnaryOp::RedXor => return None,
        })
    }

    fn binary(&mut self, op: BinaryOp, a: Piece, b: Piece) -> Option<Piece> {
        let is_truth = a.of == "bool" || b.of == "bool";
        let connective = match op {
            BinaryOp::Iff => Some(Operator::Iff),
            BinaryOp::Implies => Some(Operator::Implies),
            BinaryOp::And if is_truth => Some(Operator::And),
            BinaryOp::Or if is_truth => Some(Operator::Or),
            BinaryOp::Eq | BinaryOp::Neq => {
                let (a, b) = same(a, b)?;
                let op = if op == BinaryOp::Eq { Operator::Eq } else { Operator::Neq };
                return Some(infix(op, &a, &b, "bool"));
            }
            BinaryOp::Xor if is_truth => Some(Operator::Neq),
            BinaryOp::Xnor if is_truth => Some(Operator::Eq),
            _ => None,
        };
        if let Some(connective) = connective {
            return Some(infix(connective, &truth(a), &truth(b), "bool"));
        }
        let (a, b) = (bit(a), bit(b));
        let width = |piece: &Piece| piece.of.strip_prefix("bv")?.parse::<u32>().ok();
        if op == BinaryOp::Concat {
            let sum = width(&a)? + width(&b)?;
            return Some(infix(Operator::Concat, &a, &b, &format!("bv{sum}")));
        }
        let width = width(&a)?;
        let name = smtlib::operator_name(op)?;
        Some(self.builtin(name, &[a, b], width, smtlib::is_ordering(op)))
    }

    /// A function that stands for an operator on words of one width.
    fn builtin(&mut self, name: &str, arguments: &[Piece], width: u32, is_truth: bool) -> Piece {
        let of = format!("bv{width}");
        let result = if is_truth { "bool" } else { &*of };
        let function = format!("{name}.{of}");
        let parameters = vec![&*of; arguments.len()].join(", ");
        self.declare(format!(
            "function {{:bvbuiltin \"{name}\"}} {function}({parameters}) returns ({result});"
        ));
        let texts: Vec<&str> = arguments.iter().map(|piece| &*piece.text).collect();
        atom(format!("{function}({})", texts.join(", ")), result)
    }

    fn extend(&mut self, name: &str, a: Piece, by: u32) -> Option<Piece> {
        let width: u32 = a.of.strip_prefix("bv")?.parse().ok()?;
        let (of, result) = (format!("bv{width}"), format!("bv{}", width + by));
        let function = format!("{name}.{of}.{result}");
        self.declare(format!(
            "function {{:bvbuiltin \"{name} {by}\"}} {function}({of}) returns ({result});"
        ));
        Some(atom(format!("{function}({})", a.text), &result))
    }

    fn declare(&mut self, function: String) {
        if !self.functions.contains(&function) {
            self.functions.push(function);
        }
    }
}

fn int_map() -> Sort {
    let int = pedra_model::term::Scalar::Int;
    Sort::Array { index: int, element: int }
}

/// Only numbers are compared and computed with.
fn integer(piece: Piece) -> Option<Piece> {
    (piece.of == "int").then_some(piece)
}

/// A piece of this type, a bit being either a truth value or a bit-vector.
fn typed(piece: Piece, of: &str) -> Option<Piece> {
    let piece = match of {
        "bool" if piece.of == "bv1" => truth(piece),
        "bv1" => bit(piece),
        _ => piece,
    };
    (piece.of == of).then_some(piece)
}

/// Two pieces of one type.
fn same(a: Piece, b: Piece) -> Option<(Piece, Piece)> {
    if a.of == "bool" || b.of == "bool" {
        return Some((typed(a, "bool")?, typed(b, "bool")?));
    }
    (a.of == b.of).then_some((a, b))
}

/// Index and element of a map's type.
fn map(of: &str) -> Option<(&str, &str)> {
    of.strip_prefix('[')?.split_once(']')
}
