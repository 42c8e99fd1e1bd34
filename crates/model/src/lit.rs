//! Variables and literals, the common currency of circuits and solvers.
//!
//! Variable 0 is the constant: its positive literal is false, its negative one true, as in
//! AIGER. A literal is a variable and a sign packed into 32 bits, so that the literal of a
//! circuit node *is* the literal that a solver sees; no translation table stands between them.

use std::fmt;
use std::ops::{BitXor, Not};

/// A Boolean variable: the number of a circuit node or of a solver variable.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

/// A variable or its negation.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Var {
    /// The constant node.
    pub const CONST: Var = Var(0);
    /// The largest variable that can be represented with its two literals.
    pub const MAX_INDEX: usize = (u32::MAX >> 1) as usize - 1;

    /// The variable with this number.
    ///
    /// # Panics
    /// If the number exceeds [`Var::MAX_INDEX`].
    #[inline]
    pub fn new(index: usize) -> Var {
        assert!(index <= Self::MAX_INDEX, "variable number {index} is out of range");
        Var(index as u32)
    }

    /// Its number, to index arrays with.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The positive literal.
    #[inline]
    pub fn lit(self) -> Lit {
        Lit(self.0 << 1)
    }
}

impl Lit {
    /// The constant false.
    pub const FALSE: Lit = Lit(0);
    /// The constant true.
    pub const TRUE: Lit = Lit(1);

    /// The literal of `var`, negated if `negated`.
    #[inline]
    pub fn new(var: Var, negated: bool) -> Lit {
        Lit(var.0 << 1 | negated as u32)
    }

    /// The literal with this AIGER code: twice the variable, plus one if negated.
    #[inline]
    pub fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    /// The same, for constants.
    pub(crate) const fn from_code_const(code: u32) -> Lit {
        Lit(code)
    }

    /// The AIGER code: twice the variable, plus one if negated.
    #[inline]
    pub fn code(self) -> u32 {
        self.0
    }

    /// The code as an index, for arrays with two entries a variable.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Its variable.
    #[inline]
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether it is the negation of its variable.
    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether it is one of the two constants.
    #[inline]
    pub fn is_const(self) -> bool {
        self.0 < 2
    }

    /// The constant with this value.
    #[inline]
    pub fn constant(value: bool) -> Lit {
        Lit(value as u32)
    }

    /// The literal without its sign.
    #[inline]
    pub fn positive(self) -> Lit {
        Lit(self.0 & !1)
    }
}

impl Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl BitXor<bool> for Lit {
    type Output = Lit;
    /// Negates the literal if `flip`.
    #[inline]
    fn bitxor(self, flip: bool) -> Lit {
        Lit(self.0 ^ flip as u32)
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Lit::FALSE => f.write_str("false"),
            Lit::TRUE => f.write_str("true"),
            _ => write!(f, "{}v{}", if self.is_negated() { "!" } else { "" }, self.0 >> 1),
        }
    }
}
