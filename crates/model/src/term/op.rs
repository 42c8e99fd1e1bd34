//! The operators: flat tables.

macro_rules! operators {
    ($(#[$meta:meta])* $name:ident { $($variant:ident $text:literal $doc:literal,)* }) => {
        $(#[$meta])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $(#[doc = $doc] $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The operator's name in BTOR2.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The operator with this BTOR2 name.
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

operators! {
    /// Operators with one argument.
    UnaryOp {
        Not "not" "Bitwise complement.",
        Inc "inc" "Plus one.",
        Dec "dec" "Minus one.",
        Neg "neg" "Two's complement negation.",
        RedAnd "redand" "Whether all bits are 1.",
        RedOr "redor" "Whether some bit is 1.",
        RedXor "redxor" "Whether an odd number of bits is 1.",
    }
}

operators! {
    /// Operators with two bit-vector arguments; `Eq` and `Neq` also compare arrays.
    BinaryOp {
        Iff "iff" "Equivalence of two bits.",
        Implies "implies" "Implication of two bits.",
        Eq "eq" "Equal.",
        Neq "neq" "Not equal.",
        Sgt "sgt" "Signed greater.",
        Ugt "ugt" "Unsigned greater.",
        Sgte "sgte" "Signed greater or equal.",
        Ugte "ugte" "Unsigned greater or equal.",
        Slt "slt" "Signed less.",
        Ult "ult" "Unsigned less.",
        Slte "slte" "Signed less or equal.",
        Ulte "ulte" "Unsigned less or equal.",
        And "and" "Bitwise and.",
        Nand "nand" "Bitwise not-and.",
        Nor "nor" "Bitwise not-or.",
        Or "or" "Bitwise or.",
        Xnor "xnor" "Bitwise equivalence.",
        Xor "xor" "Bitwise exclusive or.",
        Rol "rol" "Rotation to the left.",
        Ror "ror" "Rotation to the right.",
        Sll "sll" "Shift to the left.",
        Sra "sra" "Arithmetic shift to the right.",
        Srl "srl" "Logical shift to the right.",
        Add "add" "Sum.",
        Mul "mul" "Product.",
        Sdiv "sdiv" "Signed quotient, towards zero.",
        Udiv "udiv" "Unsigned quotient; all ones for division by zero.",
        Smod "smod" "Signed remainder with the divisor's sign.",
        Srem "srem" "Signed remainder with the dividend's sign.",
        Urem "urem" "Unsigned remainder.",
        Sub "sub" "Difference.",
        Saddo "saddo" "Signed addition overflows.",
        Uaddo "uaddo" "Unsigned addition overflows.",
        Sdivo "sdivo" "Signed division overflows.",
        Smulo "smulo" "Signed multiplication overflows.",
        Umulo "umulo" "Unsigned multiplication overflows.",
        Ssubo "ssubo" "Signed subtraction overflows.",
        Usubo "usubo" "Unsigned subtraction overflows.",
        Concat "concat" "The first argument on top of the second.",
    }
}

/// Operators with two integer arguments.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum IntOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Euclidean quotient: `a = b * div(a, b) + mod(a, b)` with `0 <= mod(a, b) < |b|`. SMT-LIB
    /// leaves division by zero open; here `div(a, 0) = 0`. A front end whose language says
    /// something else, or leaves it open too, adds that.
    Div,
    /// Euclidean remainder; `mod(a, 0) = a`.
    Mod,
    /// Less or equal.
    Le,
    /// Less.
    Lt,
    /// Greater or equal.
    Ge,
    /// Greater.
    Gt,
}

impl IntOp {
    /// All of them.
    pub const ALL: [IntOp; 9] = [
        IntOp::Add,
        IntOp::Sub,
        IntOp::Mul,
        IntOp::Div,
        IntOp::Mod,
        IntOp::Le,
        IntOp::Lt,
        IntOp::Ge,
        IntOp::Gt,
    ];

    /// The operator's name in SMT-LIB.
    pub fn name(self) -> &'static str {
        match self {
            IntOp::Add => "+",
            IntOp::Sub => "-",
            IntOp::Mul => "*",
            IntOp::Div => "div",
            IntOp::Mod => "mod",
            IntOp::Le => "<=",
            IntOp::Lt => "<",
            IntOp::Ge => ">=",
            IntOp::Gt => ">",
        }
    }

    /// Whether the result is a bit rather than an integer.
    pub fn is_comparison(self) -> bool {
        matches!(self, IntOp::Le | IntOp::Lt | IntOp::Ge | IntOp::Gt)
    }
}
