//! Arithmetic on constants, exactly as C defines it. What is undefined has no value.

use crate::ast::BinaryOp;
use crate::tree::UnaryOp;

/// How a constant is to be read: its width in bits, at most 64, and whether it has a sign.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Format {
    /// The width.
    pub bits: u32,
    /// Whether it has a sign.
    pub is_signed: bool,
}

impl Format {
    /// The bits of a number in this format.
    pub fn wrap(self, value: i128) -> u64 {
        let mask = if self.bits >= 64 { u64::MAX } else { (1 << self.bits) - 1 };
        value as u64 & mask
    }

    /// The number that bits stand for.
    pub fn value(self, bits: u64) -> i128 {
        let is_negative = self.is_signed && bits >> (self.bits - 1) & 1 == 1;
        i128::from(bits) - if is_negative { 1 << self.bits } else { 0 }
    }

    /// The bits of a number that fits.
    fn exact(self, value: i128) -> Option<u64> {
        let bits = self.wrap(value);
        (!self.is_signed || self.value(bits) == value).then_some(bits)
    }
}

/// A unary operator on a constant.
pub fn unary(op: UnaryOp, format: Format, a: u64) -> Option<u64> {
    match op {
        UnaryOp::Minus => format.exact(-format.value(a)),
        UnaryOp::Complement => Some(format.wrap(!format.value(a))),
        UnaryOp::Not => Some(u64::from(a == 0)),
    }
}

/// A binary operator on constants of one format; the second of a shift has its own.
pub fn binary(op: BinaryOp, format: Format, a: u64, b: u64, second: Format) -> Option<u64> {
    let (x, y) = (format.value(a), second.value(b));
    let truth = |value: bool| Some(u64::from(value));
    match op {
        // Products of 64 bits fit in 128 but for the largest unsigned ones, which wrap.
        BinaryOp::Mul if format.is_signed => format.exact(x.checked_mul(y)?),
        BinaryOp::Mul => Some(format.wrap(x.wrapping_mul(y))),
        BinaryOp::Div if y != 0 => format.exact(x / y),
        BinaryOp::Rem if y != 0 => {
            format.exact(x / y)?;
            format.exact(x % y)
        }
        BinaryOp::Div | BinaryOp::Rem => None,
        BinaryOp::Add => format.exact(x + y),
        BinaryOp::Sub => format.exact(x - y),
        BinaryOp::Shl | BinaryOp::Shr if y < 0 || y >= i128::from(format.bits) => None,
        BinaryOp::Shl if x < 0 => None,
        BinaryOp::Shl => format.exact(x << y),
        BinaryOp::Shr => Some(format.wrap(x >> y)),
        BinaryOp::Lt => truth(x < y),
        BinaryOp::Gt => truth(x > y),
        BinaryOp::Le => truth(x <= y),
        BinaryOp::Ge => truth(x >= y),
        BinaryOp::Eq => truth(x == y),
        BinaryOp::Ne => truth(x != y),
        BinaryOp::And => Some(a & b),
        BinaryOp::Xor => Some(a ^ b),
        BinaryOp::Or => Some(a | b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Format = Format { bits: 32, is_signed: true };
    const UNSIGNED: Format = Format { bits: 32, is_signed: false };

    #[test]
    fn what_is_undefined_has_no_value() {
        let minus_one = INT.wrap(-1);
        let least = INT.wrap(i128::from(i32::MIN));
        for (op, format, a, b, value) in [
            (BinaryOp::Add, INT, 0x7fff_ffff, 1, None),
            (BinaryOp::Add, UNSIGNED, 0xffff_ffff, 1, Some(0)),
            (BinaryOp::Div, INT, least, minus_one, None),
            (BinaryOp::Rem, INT, least, minus_one, None),
            (BinaryOp::Div, INT, 1, 0, None),
            (BinaryOp::Div, INT, INT.wrap(-7), 2, Some(INT.wrap(-3))),
            (BinaryOp::Rem, INT, INT.wrap(-7), 2, Some(minus_one)),
            (BinaryOp::Shl, INT, minus_one, 1, None),
            (BinaryOp::Shl, INT, 1, 31, None),
            (BinaryOp::Shl, UNSIGNED, 1, 31, Some(1 << 31)),
            (BinaryOp::Shl, UNSIGNED, 1, 32, None),
            (BinaryOp::Shr, INT, minus_one, 1, Some(minus_one)),
            (BinaryOp::Lt, INT, minus_one, 0, Some(1)),
            (BinaryOp::Lt, UNSIGNED, minus_one, 0, Some(0)),
        ] {
            assert_eq!(binary(op, format, a, b, format), value, "{op:?} {a} {b}");
        }
        assert_eq!(unary(UnaryOp::Minus, INT, least), None);
    }
}
