//! Simplification while terms are built: constants are folded and the obvious identities applied.
//!
//! Readers keep what a file says, so [`Terms::add`] changes nothing. What is made *of* a model
//! (blocks of a program, terms with constants put in) is built with [`Terms::simplified`], one
//! term at a time, from arguments that are simple already. Each rule looks at a term and its
//! arguments only, and rules follow each other in a loop, so that nothing recurses.

mod int;
mod slices;

use crate::bv::Bv;
use crate::eval::ops;
use crate::term::{BinaryOp, Sort, Term, TermId, Terms, UnaryOp};
use crate::value::Value;
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

/// What a rule says.
enum Rule {
    /// The value is that of a term that is there.
    Is(TermId),
    /// It is that of another term, at which rules may look again.
    Becomes(Term),
    /// Nothing.
    Keep,
}

use Rule::{Becomes, Is, Keep};

impl Terms {
    /// The term, or a simpler one that has the same value in every valuation.
    ///
    /// # Panics
    /// If the term is ill-sorted or a symbol.
    pub fn simplified(&mut self, mut term: Term) -> TermId {
        loop {
            if let Some(constant) = fold(self, &term) {
                return self.add(constant).expect("constants are well sorted");
            }
            let rule = match term {
                Term::Unary(op, a) => unary(self, op, a),
                Term::Binary(op, a, b) => binary(self, op, a, b),
                Term::Ite(c, t, e) => ite(self, c, t, e),
                Term::Slice { arg, high, low } => slices::slice(self, arg, high, low),
                Term::Extend { arg, by, signed } => extend(self, arg, by, signed),
                Term::Read(array, at) => read(self, array, at),
                Term::Write(array, at, value) => write(self, array, at, value),
                Term::IntNeg(a) => int::negation(self, a),
                Term::Int(op, a, b) => int::binary(self, op, a, b),
                Term::Const(_) | Term::IntConst(_) | Term::Symbol(_) | Term::ConstArray { .. } => {
                    Keep
                }
            };
            match rule {
                Is(id) => return id,
                Becomes(other) => term = other,
                Keep => return self.add(term).expect("sorts fit"),
            }
        }
    }

    /// The value of a term that is a bit-vector constant.
    pub fn as_constant(&self, term: TermId) -> Option<&Bv> {
        match self.get(term) {
            Term::Const(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the term is the one-bit constant.
    pub fn is_bool(&self, term: TermId, value: bool) -> bool {
        self.sort(term) == Sort::BOOL
            && self.as_constant(term).is_some_and(|bit| bit.is_true() == value)
    }

    /// `a ∧ b` of two bits, simplified.
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.simplified(Term::Binary(BinaryOp::And, a, b))
    }

    /// `a ∨ b` of two bits, simplified.
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.simplified(Term::Binary(BinaryOp::Or, a, b))
    }
}

/// Builds terms again with some of them replaced. What was built once is remembered, so that the
/// cost is that of the terms, however often they are asked for.
#[derive(Clone, Debug)]
pub struct Rewriter {
    images: FxHashMap<TermId, TermId>,
    simplifies: bool,
}

impl Rewriter {
    /// A rewriter that simplifies what it builds, and replaces nothing yet.
    pub fn new() -> Rewriter {
        Rewriter { images: FxHashMap::default(), simplifies: true }
    }

    /// A rewriter that keeps terms as they are, but for what is replaced.
    pub fn plain() -> Rewriter {
        Rewriter { simplifies: false, ..Rewriter::new() }
    }

    /// From now on `image` stands for `term`, of which nothing that was built so far may speak.
    pub fn replace(&mut self, term: TermId, image: TermId) {
        self.images.insert(term, image);
    }

    /// The term with all replacements made.
    pub fn rewrite(&mut self, terms: &mut Terms, root: TermId) -> TermId {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.images.contains_key(&id) {
                stack.pop();
                continue;
            }
            let term = terms.get(id).clone();
            let before = stack.len();
            stack.extend(term.args().filter(|arg| !self.images.contains_key(arg)));
            if stack.len() > before {
                continue;
            }
            let image = match term {
                Term::Symbol(_) => id,
                _ => {
                    let term = term.with_args(|arg| self.images[&arg]);
                    match self.simplifies {
                        true => terms.simplified(term),
                        false => terms.add(term).expect("sorts are kept"),
                    }
                }
            };
            self.images.insert(id, image);
            stack.pop();
        }
        self.images[&root]
    }
}

impl Default for Rewriter {
    fn default() -> Rewriter {
        Rewriter::new()
    }
}

/// The constant that a term over constants is.
fn fold(terms: &Terms, term: &Term) -> Option<Term> {
    let value = |arg| match terms.get(arg) {
        Term::Const(value) => Some((arg, Value::Bv(value.clone()))),
        Term::IntConst(value) => Some((arg, Value::Int(BigInt::clone(value)))),
        _ => None,
    };
    let values: Option<Vec<(TermId, Value)>> = term.args().map(value).collect();
    let values = values.filter(|values| !values.is_empty())?;
    let of = |id: TermId| &values.iter().find(|(arg, _)| *arg == id).expect("an argument").1;
    match ops::apply(term, of) {
        Some(Value::Bv(value)) => Some(Term::Const(value)),
        Some(Value::Int(value)) if value.bits() <= int::MAX_BITS => {
            Some(Term::IntConst(Box::new(value)))
        }
        _ => None,
    }
}

/// The comparison that holds where this one does not.
pub(crate) fn negated(op: BinaryOp) -> Option<BinaryOp> {
    use BinaryOp::*;
    Some(match op {
        Eq => Neq,
        Neq => Eq,
        Sgt => Slte,
        Slte => Sgt,
        Ugt => Ulte,
        Ulte => Ugt,
        Sgte => Slt,
        Slt => Sgte,
        Ugte => Ult,
        Ult => Ugte,
        _ => return None,
    })
}

fn unary(terms: &Terms, op: UnaryOp, a: TermId) -> Rule {
    match (op, terms.get(a)) {
        (UnaryOp::Not, &Term::Unary(UnaryOp::Not, inner))
        | (UnaryOp::Neg, &Term::Unary(UnaryOp::Neg, inner)) => Is(inner),
        (UnaryOp::Not, &Term::Binary(inner, x, y)) => match negated(inner) {
            Some(opposite) => Becomes(Term::Binary(opposite, x, y)),
            None => Keep,
        },
        (UnaryOp::Not, &Term::Int(inner, x, y)) => match int::negated(inner) {
            Some(opposite) => Becomes(Term::Int(opposite, x, y)),
            None => Keep,
        },
        (UnaryOp::RedAnd | UnaryOp::RedOr | UnaryOp::RedXor, _) if terms.width(a) == 1 => Is(a),
        _ => Keep,
    }
}

fn is_commutative(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Iff | Eq | Neq | And | Nand | Nor | Or | Xnor | Xor | Add | Mul)
}

fn binary(terms: &mut Terms, op: BinaryOp, a: TermId, b: TermId) -> Rule {
    if is_commutative(op) && terms.as_constant(a).is_some() && terms.as_constant(b).is_none() {
        return Becomes(Term::Binary(op, b, a));
    }
    if terms.sort(a).width().is_none() {
        return match op {
            _ if a != b => Keep,
            BinaryOp::Eq => Is(terms.bool(true)),
            _ => Is(terms.bool(false)),
        };
    }
    if a == b {
        return same(terms, op, a);
    }
    if is_not(terms, a, b) {
        let width = terms.width(a);
        match op {
            BinaryOp::And => return Is(terms.constant(Bv::zero(width))),
            BinaryOp::Or | BinaryOp::Xor => return Is(terms.constant(Bv::ones(width))),
            _ => {}
        }
    }
    if let Some(value) = terms.as_constant(b).cloned() {
        return constant_right(terms, op, a, &value);
    }
    if let Some(value) = terms.as_constant(a).cloned() {
        return constant_left(terms, op, &value, b);
    }
    Keep
}

fn is_not(terms: &Terms, a: TermId, b: TermId) -> bool {
    let negates = |a, b| matches!(terms.get(a), Term::Unary(UnaryOp::Not, inner) if *inner == b);
    negates(a, b) || negates(b, a)
}

/// `a op a`.
fn same(terms: &mut Terms, op: BinaryOp, a: TermId) -> Rule {
    use BinaryOp::*;
    let width = terms.width(a);
    match op {
        And | Or => Is(a),
        Xor | Sub => Is(terms.constant(Bv::zero(width))),
        Xnor => Is(terms.constant(Bv::ones(width))),
        Eq | Ulte | Slte | Ugte | Sgte | Iff | Implies => Is(terms.bool(true)),
        Neq | Ult | Slt | Ugt | Sgt | Usubo | Ssubo => Is(terms.bool(false)),
        _ => Keep,
    }
}

/// `a op value`.
fn constant_right(terms: &mut Terms, op: BinaryOp, a: TermId, value: &Bv) -> Rule {
    use BinaryOp::*;
    let not = Term::Unary(UnaryOp::Not, a);
    let width = value.width();
    match op {
        And | Mul if value.is_zero() => Is(terms.constant(value.clone())),
        Or if value.is_ones() => Is(terms.constant(value.clone())),
        And if value.is_ones() => Is(a),
        Mul | Udiv | Sdiv if value.is_one() && width > 1 => Is(a),
        Or | Xor | Add | Sub | Sll | Srl | Sra | Rol | Ror if value.is_zero() => Is(a),
        Xor if value.is_ones() => Becomes(not),
        Implies | Iff if value.is_true() => match op {
            Implies => Is(terms.bool(true)),
            _ => Is(a),
        },
        Implies | Iff => Becomes(not),
        Ult | Usubo if value.is_zero() => Is(terms.bool(false)),
        Ugte if value.is_zero() => Is(terms.bool(true)),
        Ulte if value.is_ones() => Is(terms.bool(true)),
        Ugt if value.is_ones() => Is(terms.bool(false)),
        Uaddo | Umulo | Saddo | Smulo if value.is_zero() => Is(terms.bool(false)),
        // x - k = x + (-k), and sums of constants are gathered.
        Sub => {
            let minus = terms.constant(value.neg());
            Becomes(Term::Binary(Add, a, minus))
        }
        Ulte if value.is_zero() => Becomes(Term::Binary(Eq, a, terms.constant(value.clone()))),
        Ugt if value.is_zero() => Becomes(Term::Binary(Neq, a, terms.constant(value.clone()))),
        Add => match *terms.get(a) {
            Term::Binary(Add, x, k) => match terms.as_constant(k).map(|k| k.add(value)) {
                Some(sum) => {
                    let sum = terms.constant(sum);
                    Becomes(Term::Binary(Add, x, sum))
                }
                None => Keep,
            },
            _ => Keep,
        },
        Eq | Neq => equal_constant(terms, op == Eq, a, value),
        _ => Keep,
    }
}

/// `value op b`.
fn constant_left(terms: &mut Terms, op: BinaryOp, value: &Bv, b: TermId) -> Rule {
    use BinaryOp::*;
    match op {
        Implies if value.is_true() => Is(b),
        Implies => Is(terms.bool(true)),
        Ulte if value.is_zero() => Is(terms.bool(true)),
        Ugt if value.is_zero() => Is(terms.bool(false)),
        Ugte if value.is_ones() => Is(terms.bool(true)),
        Ult if value.is_ones() => Is(terms.bool(false)),
        Sll | Srl | Sra | Urem if value.is_zero() => Is(terms.constant(value.clone())),
        _ => Keep,
    }
}

/// `a = value`, or `a ≠ value`.
fn equal_constant(terms: &mut Terms, is_eq: bool, a: TermId, value: &Bv) -> Rule {
    if value.width() == 1 {
        return match value.is_true() == is_eq {
            true => Is(a),
            false => Becomes(Term::Unary(UnaryOp::Not, a)),
        };
    }
    match *terms.get(a) {
        // x + k = v if and only if x = v - k
        Term::Binary(BinaryOp::Add, x, k) if terms.as_constant(k).is_some() => {
            let rest = value.sub(terms.as_constant(k).expect("just seen"));
            let rest = terms.constant(rest);
            let op = if is_eq { BinaryOp::Eq } else { BinaryOp::Neq };
            Becomes(Term::Binary(op, x, rest))
        }
        Term::Extend { arg, by, signed } => {
            let low = value.slice(terms.width(arg) - 1, 0);
            if ops::extend(&low, by, signed) != *value {
                return Is(terms.bool(!is_eq));
            }
            let low = terms.constant(low);
            let op = if is_eq { BinaryOp::Eq } else { BinaryOp::Neq };
            Becomes(Term::Binary(op, arg, low))
        }
        Term::Ite(c, t, e) => {
            let fits = |branch| terms.as_constant(branch).map(|branch| branch == value);
            match (fits(t), fits(e)) {
                (Some(t), Some(e)) if t == e => Is(terms.bool(t == is_eq)),
                (Some(t), Some(_)) if t == is_eq => Is(c),
                (Some(_), Some(_)) => Becomes(Term::Unary(UnaryOp::Not, c)),
                _ => Keep,
            }
        }
        _ => Keep,
    }
}

fn ite(terms: &mut Terms, c: TermId, t: TermId, e: TermId) -> Rule {
    if let Some(condition) = terms.as_constant(c) {
        return Is(if condition.is_true() { t } else { e });
    }
    if t == e {
        return Is(t);
    }
    if let Term::Unary(UnaryOp::Not, inner) = *terms.get(c) {
        return Becomes(Term::Ite(inner, e, t));
    }
    match *terms.get(t) {
        Term::Ite(inner, x, _) if inner == c => return Becomes(Term::Ite(c, x, e)),
        _ => {}
    }
    match *terms.get(e) {
        Term::Ite(inner, _, y) if inner == c => return Becomes(Term::Ite(c, t, y)),
        // A choice between the same two after another one.
        Term::Ite(other, x, y) if x == t => {
            let either = terms.or(c, other);
            return Becomes(Term::Ite(either, t, y));
        }
        _ => {}
    }
    if terms.sort(t) != Sort::BOOL {
        return Keep;
    }
    if terms.is_bool(t, true) || t == c {
        Becomes(Term::Binary(BinaryOp::Or, c, e))
    } else if terms.is_bool(e, false) || e == c {
        Becomes(Term::Binary(BinaryOp::And, c, t))
    } else if terms.is_bool(t, false) {
        let not = terms.simplified(Term::Unary(UnaryOp::Not, c));
        Becomes(Term::Binary(BinaryOp::And, not, e))
    } else if terms.is_bool(e, true) {
        let not = terms.simplified(Term::Unary(UnaryOp::Not, c));
        Becomes(Term::Binary(BinaryOp::Or, not, t))
    } else {
        Keep
    }
}

fn extend(terms: &Terms, arg: TermId, by: u32, signed: bool) -> Rule {
    match *terms.get(arg) {
        _ if by == 0 => Is(arg),
        Term::Extend { arg, by: first, signed: inner }
            if first > 0 && (inner == signed || signed) =>
        {
            // With zeros on top the sign is zero, so that a further extension adds zeros.
            Becomes(Term::Extend { arg, by: first + by, signed: inner })
        }
        _ => Keep,
    }
}

/// Whether two indices are known to be equal or to differ.
fn compared(terms: &Terms, a: TermId, b: TermId) -> Option<bool> {
    match (terms.get(a), terms.get(b)) {
        _ if a == b => Some(true),
        (Term::Const(_), Term::Const(_)) | (Term::IntConst(_), Term::IntConst(_)) => Some(false),
        _ => None,
    }
}

fn read(terms: &Terms, array: TermId, at: TermId) -> Rule {
    match *terms.get(array) {
        Term::ConstArray { value, .. } => Is(value),
        Term::Write(below, other, value) => match compared(terms, at, other) {
            Some(true) => Is(value),
            Some(false) => Becomes(Term::Read(below, at)),
            None => Keep,
        },
        _ => Keep,
    }
}

fn write(terms: &Terms, array: TermId, at: TermId, value: TermId) -> Rule {
    match *terms.get(array) {
        Term::Write(below, other, _) if at == other => Becomes(Term::Write(below, at, value)),
        _ => Keep,
    }
}
