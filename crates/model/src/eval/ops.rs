//! What each operator means on concrete values: a flat table, the reference for everything
//! else. The semantics are those of BTOR2, which are those of SMT-LIB.

use crate::bv::Bv;
use crate::term::{BinaryOp, IntOp, Term, TermId, UnaryOp};
use crate::value::Value;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

/// An operator with one argument.
pub fn unary(op: UnaryOp, a: &Bv) -> Bv {
    match op {
        UnaryOp::Not => a.not(),
        UnaryOp::Inc => a.add(&Bv::one(a.width())),
        UnaryOp::Dec => a.sub(&Bv::one(a.width())),
        UnaryOp::Neg => a.neg(),
        UnaryOp::RedAnd => Bv::bit_value(a.is_ones()),
        UnaryOp::RedOr => Bv::bit_value(!a.is_zero()),
        UnaryOp::RedXor => Bv::bit_value(a.count_ones() % 2 == 1),
    }
}

/// An operator with two bit-vector arguments.
///
/// # Panics
/// If the widths differ, except for `Concat`.
pub fn binary(op: BinaryOp, a: &Bv, b: &Bv) -> Bv {
    let bit = Bv::bit_value;
    match op {
        BinaryOp::Iff | BinaryOp::Xnor => a.xor(b).not(),
        BinaryOp::Implies => a.not().or(b),
        BinaryOp::Eq => bit(a == b),
        BinaryOp::Neq => bit(a != b),
        BinaryOp::Sgt => bit(a.scmp(b) == Ordering::Greater),
        BinaryOp::Ugt => bit(a.ucmp(b) == Ordering::Greater),
        BinaryOp::Sgte => bit(a.scmp(b) != Ordering::Less),
        BinaryOp::Ugte => bit(a.ucmp(b) != Ordering::Less),
        BinaryOp::Slt => bit(a.scmp(b) == Ordering::Less),
        BinaryOp::Ult => bit(a.ucmp(b) == Ordering::Less),
        BinaryOp::Slte => bit(a.scmp(b) != Ordering::Greater),
        BinaryOp::Ulte => bit(a.ucmp(b) != Ordering::Greater),
        BinaryOp::And => a.and(b),
        BinaryOp::Nand => a.and(b).not(),
        BinaryOp::Nor => a.or(b).not(),
        BinaryOp::Or => a.or(b),
        BinaryOp::Xor => a.xor(b),
        BinaryOp::Rol => a.rol(b),
        BinaryOp::Ror => a.ror(b),
        BinaryOp::Sll => a.sll(b),
        BinaryOp::Sra => a.sra(b),
        BinaryOp::Srl => a.srl(b),
        BinaryOp::Add => a.add(b),
        BinaryOp::Mul => a.mul(b),
        BinaryOp::Sdiv => a.sdiv(b),
        BinaryOp::Udiv => a.udiv(b),
        BinaryOp::Smod => a.smod(b),
        BinaryOp::Srem => a.srem(b),
        BinaryOp::Urem => a.urem(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Saddo => bit(a.saddo(b)),
        BinaryOp::Uaddo => bit(a.uaddo(b)),
        BinaryOp::Sdivo => bit(a.sdivo(b)),
        BinaryOp::Smulo => bit(a.smulo(b)),
        BinaryOp::Umulo => bit(a.umulo(b)),
        BinaryOp::Ssubo => bit(a.ssubo(b)),
        BinaryOp::Usubo => bit(a.usubo(b)),
        BinaryOp::Concat => a.concat(b),
    }
}

/// Extended at the top by `by` bits: copies of the sign if `signed`, else zeros.
pub fn extend(a: &Bv, by: u32, signed: bool) -> Bv {
    if signed { a.sign_extend(by) } else { a.zero_extend(by) }
}

/// An operator with two integer arguments.
pub fn int(op: IntOp, a: &BigInt, b: &BigInt) -> Value {
    let bit = |holds| Value::Bv(Bv::bit_value(holds));
    match op {
        IntOp::Add => Value::Int(a + b),
        IntOp::Sub => Value::Int(a - b),
        IntOp::Mul => Value::Int(a * b),
        IntOp::Div => Value::Int(euclidean(a, b).0),
        IntOp::Mod => Value::Int(euclidean(a, b).1),
        IntOp::Le => bit(a <= b),
        IntOp::Lt => bit(a < b),
        IntOp::Ge => bit(a >= b),
        IntOp::Gt => bit(a > b),
    }
}

/// Quotient and remainder: `a = b * q + r` with `0 <= r < |b|`; 0 and `a` for division by zero.
pub fn euclidean(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    if b.sign() == Sign::NoSign {
        return (BigInt::ZERO, a.clone());
    }
    // `/` goes towards zero, so that the remainder has the sign of `a`.
    let (quotient, remainder) = (a / b, a % b);
    match (remainder.sign(), b.sign()) {
        (Sign::Minus, Sign::Minus) => (quotient + 1, remainder - b),
        (Sign::Minus, _) => (quotient - 1, remainder + b),
        _ => (quotient, remainder),
    }
}

/// The value of a term whose arguments have the values that `of` gives; `None` for a symbol,
/// whose value comes from outside.
///
/// # Panics
/// If the values do not have the sorts of the arguments.
pub fn apply<'a>(term: &Term, of: impl Fn(TermId) -> &'a Value) -> Option<Value> {
    Some(match *term {
        Term::Const(ref value) => Value::Bv(value.clone()),
        Term::Symbol(_) => return None,
        Term::Unary(op, a) => Value::Bv(unary(op, of(a).as_bv())),
        Term::Binary(op, a, b) => match (op, of(a), of(b)) {
            (_, Value::Bv(a), Value::Bv(b)) => Value::Bv(binary(op, a, b)),
            (BinaryOp::Neq, a, b) => Value::Bv(Bv::bit_value(a != b)),
            (_, a, b) => Value::Bv(Bv::bit_value(a == b)),
        },
        Term::Ite(c, t, e) => of(if of(c).as_bv().is_true() { t } else { e }).clone(),
        Term::Slice { arg, high, low } => Value::Bv(of(arg).as_bv().slice(high, low)),
        Term::Extend { arg, by, signed } => Value::Bv(extend(of(arg).as_bv(), by, signed)),
        Term::IntConst(ref value) => Value::Int(BigInt::clone(value)),
        Term::IntNeg(a) => Value::Int(-of(a).as_int()),
        Term::Int(op, a, b) => int(op, of(a).as_int(), of(b).as_int()),
        Term::ConstArray { index, value } => Value::everywhere(index, of(value)),
        Term::Read(array, at) => of(array).read(of(at)),
        Term::Write(array, at, value) => of(array).write(of(at), of(value)),
    })
}
