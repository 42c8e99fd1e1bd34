//! C expressions as texts that know their type and what number they have.

use pedra_model::bv::Bv;
use pedra_model::term::BinaryOp;

/// How the number that a C expression has stands to the bits of its term.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    /// It is the bits as an unsigned number.
    Unsigned,
    /// It is the bits as a signed number.
    Signed,
    /// Both: the highest bit is zero.
    Both,
    /// Its lowest bits are those of the term.
    Modulo,
}

/// How strongly an expression binds.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    Conditional,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

/// A C expression.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) level: Level,
    /// The width of its type after promotion: 32 or 64; at least that of the term, but for numbers.
    pub(super) bits: u32,
    pub(super) is_signed: bool,
    pub(super) reading: Reading,
}

impl Text {
    pub(super) fn new(
        text: String,
        level: Level,
        bits: u32,
        is_signed: bool,
        reading: Reading,
    ) -> Text {
        Text { text, level, bits, is_signed, reading }
    }

    /// The text as an operand of an operator that binds like this.
    pub(super) fn at(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }

    pub(super) fn condition(text: String, level: Level) -> Text {
        Text::new(text, level, 32, true, Reading::Both)
    }

    pub(super) fn is_unsigned_number(&self) -> bool {
        matches!(self.reading, Reading::Unsigned | Reading::Both)
    }

    pub(super) fn is_signed_number(&self) -> bool {
        matches!(self.reading, Reading::Signed | Reading::Both)
    }
}

/// The comparison that holds where this one does not.
pub(super) fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    use BinaryOp::*;
    Some(match op {
        Eq => Neq,
        Neq => Eq,
        Ugt => Ulte,
        Ugte => Ult,
        Ult => Ugte,
        Ulte => Ugt,
        Sgt => Slte,
        Sgte => Slt,
        Slt => Sgte,
        Slte => Sgt,
        _ => return None,
    })
}

pub(super) fn flipped(sign: &'static str) -> &'static str {
    match sign {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        same => same,
    }
}

/// The level above.
pub(super) fn next(level: Level) -> Level {
    if level == Level::Sum { Level::Product } else { Level::Unary }
}

/// The type of an operation on two numbers (C11 6.3.1.8).
pub(super) fn common(a: &Text, b: &Text) -> (u32, bool) {
    let bits = a.bits.max(b.bits);
    let is_unsigned = [a, b].iter().any(|t| t.bits == bits && !t.is_signed);
    (bits, !is_unsigned)
}

/// A reading that may be better than known, since the type has exactly this many bits.
pub(super) fn exact(bits: u32, is_signed: bool, reading: Reading, width: u32) -> Reading {
    match reading {
        Reading::Modulo if bits == width && is_signed => Reading::Signed,
        Reading::Modulo if bits == width => Reading::Unsigned,
        known => known,
    }
}

/// The result of unsigned arithmetic.
pub(super) fn wrapped(text: String, level: Level, bits: u32, width: u32) -> Text {
    Text::new(text, level, bits, false, exact(bits, false, Reading::Modulo, width))
}

/// An operation on two numbers that cannot leave its type.
pub(super) fn joined(op: &str, level: Level, a: &Text, b: &Text, reading: Reading) -> Text {
    let (bits, is_signed) = common(a, b);
    let shown = format!("{} {op} {}", a.at(level), b.at(next(level)));
    Text::new(shown, level, bits, is_signed, reading)
}

/// Converted to an integer type of this width.
pub(super) fn cast(text: &Text, width: u32, to_signed: bool, reading: Reading) -> Text {
    let name = match (width, to_signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned int",
        (_, true) => "long long",
        (_, false) => "unsigned long long",
    };
    let shown = format!("({name}){}", text.at(Level::Unary));
    let is_signed = to_signed || width < 32;
    Text::new(shown, Level::Unary, width.max(32), is_signed, reading)
}

/// The lowest bits as an unsigned number.
pub(super) fn masked(text: &Text, width: u32) -> Text {
    let mask = number(&Bv::low_ones(64, width), Reading::Unsigned);
    let (bits, is_signed) = common(text, &mask);
    let shown = format!("{} & {}", text.at(Level::Sum), mask.text);
    Text::new(shown, Level::BitAnd, bits, is_signed, Reading::Unsigned)
}

/// A constant in a reading.
pub(super) fn number(value: &Bv, reading: Reading) -> Text {
    let (size, is_negative) = match reading == Reading::Signed && value.is_negative() {
        true => (value.neg().to_u64().unwrap_or(0), true),
        false => (value.to_u64().unwrap_or(0), false),
    };
    let (suffix, bits, is_signed) = match size {
        0..0x8000_0000 => ("", 32, true),
        0x8000_0000..0x8000_0000_0000_0000 if reading == Reading::Signed => ("LL", 64, true),
        0x8000_0000..0x1_0000_0000 => ("U", 32, false),
        _ if is_negative => {
            // The smallest number has no literal of its own.
            let text = format!("(-{}LL - 1)", size - 1);
            return Text::new(text, Level::Primary, 64, true, Reading::Signed);
        }
        _ => ("ULL", 64, false),
    };
    let is_both = !is_negative && !value.is_negative();
    let reading = match (is_negative, is_both) {
        (true, _) => Reading::Signed,
        (_, true) => Reading::Both,
        _ => Reading::Unsigned,
    };
    let (shown, level) = match is_negative {
        true => (format!("-{size}{suffix}"), Level::Unary),
        false => (format!("{size}{suffix}"), Level::Primary),
    };
    Text::new(shown, level, bits, is_signed, reading)
}
