//! The words of C: keywords, punctuation and interned names.

use rustc_hash::FxHashMap;

/// An interned name.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Name(u32);

/// All names of a program.
#[derive(Clone, Debug, Default)]
pub struct Names {
    numbers: FxHashMap<String, Name>,
    texts: Vec<String>,
}

impl Names {
    /// The name with this text.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.numbers.get(text) {
            return name;
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), name);
        name
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }

    /// The name with this text, if it occurs.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }
}

/// What follows an integer literal.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Suffix {
    /// `u` is there.
    pub is_unsigned: bool,
    /// How many `l`: 0, 1 or 2.
    pub longs: u8,
    /// The literal is decimal.
    pub is_decimal: bool,
}

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// A name that is no keyword.
    Name(Name),
    /// A keyword.
    Key(Key),
    /// An integer literal.
    Int(u64, Suffix),
    /// A floating-point literal.
    Float,
    /// A character constant, as a value of type `int`.
    Char(i32),
    /// A string literal, without its terminating zero.
    Str(Vec<u8>),
    /// Punctuation.
    Punct(Punct),
    /// The end of the text.
    End,
}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($variant:ident $($text:literal)|+,)* }) => {
        $(#[$meta])*
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum $name { $(#[doc = concat!($("`", $text, "` "),+)] $variant,)* }

        impl $name {
            /// Every text with what it stands for.
            pub const TABLE: &'static [(&'static str, $name)] =
                &[$($(($text, $name::$variant),)+)*];

            /// Its text; the first one if there are several.
            pub fn text(self) -> &'static str {
                Self::TABLE.iter().find(|(_, word)| *word == self).map_or("", |(text, _)| text)
            }
        }
    };
}

words! {
    /// A keyword; GNU spellings are spellings of the same keyword.
    Key {
        Alignas "_Alignas", Alignof "_Alignof" | "__alignof__" | "__alignof",
        Asm "asm" | "__asm__" | "__asm", Atomic "_Atomic",
        Attribute "__attribute__" | "__attribute",
        Auto "auto" | "__auto_type", Bool "_Bool", Break "break", Case "case", Char "char",
        Complex "_Complex" | "__complex__", Const "const" | "__const" | "__const__",
        Continue "continue", Default "default", Do "do", Double "double", Else "else", Enum "enum",
        Extension "__extension__", Extern "extern",
        Float "float",
        OtherFloat "_Float16" | "_Float32" | "_Float64" | "_Float32x" | "_Float64x" | "_Float128"
            | "__float128",
        For "for", Generic "_Generic", Goto "goto", If "if",
        Imaginary "_Imaginary",
        Inline "inline" | "__inline" | "__inline__",
        Int "int", Int128 "__int128" | "__int128_t" | "__uint128_t",
        Label "__label__", Long "long", Noreturn "_Noreturn",
        Offsetof "__builtin_offsetof", Register "register",
        Restrict "restrict" | "__restrict" | "__restrict__", Return "return", Short "short",
        Signed "signed" | "__signed" | "__signed__", Sizeof "sizeof", Static "static",
        StaticAssert "_Static_assert", Struct "struct", Switch "switch",
        Thread "_Thread_local" | "__thread", Typedef "typedef",
        Typeof "typeof" | "__typeof__" | "__typeof", TypesCompatible "__builtin_types_compatible_p",
        Union "union", Unsigned "unsigned", VaArg "__builtin_va_arg", VaList "__builtin_va_list",
        Void "void", Volatile "volatile" | "__volatile__" | "__volatile", While "while",
    }
}

words! {
    /// Punctuation, the longest first: the lexer takes the first that fits.
    Punct {
        ShlAssign "<<=", ShrAssign ">>=", Dots "...",
        Arrow "->", Inc "++", Dec "--", Shl "<<", Shr ">>", Le "<=", Ge ">=", EqEq "==", Ne "!=",
        AndAnd "&&", OrOr "||", MulAssign "*=", DivAssign "/=", RemAssign "%=", AddAssign "+=",
        SubAssign "-=", AndAssign "&=", XorAssign "^=", OrAssign "|=",
        BracketOpen "[" | "<:", BracketClose "]" | ":>", Open "(", Close ")",
        BraceOpen "{" | "<%", BraceClose "}" | "%>",
        Dot ".", And "&", Star "*", Plus "+", Minus "-", Tilde "~", Bang "!", Slash "/",
        Percent "%", Less "<", Greater ">", Caret "^", Or "|", Question "?", Colon ":",
        Semicolon ";", Assign "=", Comma ",",
    }
}

/// A token as an error message names it.
pub fn describe(token: &Token, names: &Names) -> String {
    match token {
        Token::Name(name) => format!("`{}`", names.text(*name)),
        Token::Key(key) => format!("`{}`", key.text()),
        Token::Int(value, _) => format!("the number {value}"),
        Token::Float => "a floating-point number".into(),
        Token::Char(_) => "a character constant".into(),
        Token::Str(_) => "a string".into(),
        Token::Punct(punct) => format!("`{}`", punct.text()),
        Token::End => "the end of the file".into(),
    }
}
