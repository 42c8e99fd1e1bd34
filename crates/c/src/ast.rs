//! The syntax of a program as the parser found it. Expressions, statements and types live in
//! arenas, so that a deep tree costs no stack when it is dropped.

use crate::source::Span;
use crate::token::{Name, Names, Suffix};

/// Positions in arenas.
macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident)*) => {$(
        $(#[$meta])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in its arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
pub(crate) use ids;

ids! {
    /// An expression.
    ExprId
    /// A statement.
    StmtId
    /// A struct, union or enum specifier.
    TagId
    /// A type name, as in a cast.
    TypeNameId
    /// An initialiser.
    InitId
}

/// Operators with two arguments that both are evaluated.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
}

/// Operators with one argument.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Plus,
    Minus,
    Complement,
    Not,
    Deref,
    AddressOf,
}

/// One step from an object to a part of it.
#[derive(Clone, Debug)]
pub enum Designator {
    /// `.name`
    Field(Name, Span),
    /// `[index]`
    Index(ExprId),
    /// `[low ... high]`, a GNU range.
    Range(ExprId, ExprId),
}

/// An expression.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum ExprKind {
    Name(Name),
    Int(u64, Suffix),
    Float,
    Char(i32),
    Str(Vec<u8>),
    Unary(UnaryOp, ExprId),
    /// `++` and `--`.
    Step {
        arg: ExprId,
        is_increment: bool,
        is_prefix: bool,
    },
    Binary(BinaryOp, ExprId, ExprId),
    LogicalAnd(ExprId, ExprId),
    LogicalOr(ExprId, ExprId),
    /// `=` or a compound assignment.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `c ? t : e`; without `t` it is the GNU form `c ?: e`.
    Conditional(ExprId, Option<ExprId>, ExprId),
    Comma(ExprId, ExprId),
    Cast(TypeNameId, ExprId),
    SizeofExpr(ExprId),
    SizeofType(TypeNameId),
    Index(ExprId, ExprId),
    Call(ExprId, Vec<ExprId>),
    Member {
        base: ExprId,
        name: Name,
        is_arrow: bool,
    },
    /// `({…})`
    Statement(StmtId),
    Offsetof(TypeNameId, Vec<Designator>),
    /// `_Alignof (type)`
    Alignof(TypeNameId),
    /// `(type){…}`
    Compound(TypeNameId, InitId),
    /// `_Generic`: what is looked at, and the types with their expressions; `default` has no type.
    Generic(ExprId, Vec<(Option<TypeNameId>, ExprId)>),
    /// `__builtin_types_compatible_p`
    Compatible(TypeNameId, TypeNameId),
    /// Anything else, by name: refused where it is used.
    Other(&'static str),
}

/// An expression and where it is.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// An initialiser.
#[derive(Clone, Debug)]
pub enum Init {
    /// An expression.
    Expr(ExprId),
    /// A list in braces, each with its designators.
    List(Vec<(Vec<Designator>, InitId)>, Span),
}

/// Specifiers of an arithmetic type, or of none.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Basic {
    Void,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Float,
    Double,
    LongDouble,
    /// Another type, by name: refused where it is used.
    Other(&'static str),
}

/// What the specifiers of a declaration say about the type.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum TypeSpec {
    Basic(Basic),
    Tag(TagId),
    Typedef(Name, Span),
    TypeofExpr(ExprId),
    TypeofType(TypeNameId),
    /// The same, and volatile.
    Volatile(Box<TypeSpec>),
    /// The same, and constant.
    Const(Box<TypeSpec>),
    /// `_Static_assert`, which stands where declarations stand: the condition and the text.
    Assert(ExprId, Option<ExprId>),
}

/// Which kind of tag.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TagKind {
    Struct,
    Union,
    Enum,
}

/// A struct, union or enum specifier.
#[derive(Clone, Debug)]
pub struct Tag {
    /// Which kind.
    pub kind: TagKind,
    /// Its name.
    pub name: Option<Name>,
    /// Its members, if they are given here.
    pub body: Option<TagBody>,
    /// What attributes say of its layout.
    pub placing: Placing,
    /// Where.
    pub span: Span,
}

/// What attributes say of where a member, or a struct, lies.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Placing {
    /// `__attribute__((packed))`.
    pub is_packed: bool,
    /// `__attribute__((aligned(n)))` or `_Alignas(n)`: at least, in bytes.
    pub align: Option<Align>,
    /// `#pragma pack(n)`: at most, in bytes.
    pub most: Option<u64>,
}

/// An alignment.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Align {
    /// In bytes.
    Bytes(u64),
    /// It is no plain number.
    Other,
}

impl Placing {
    /// Both together.
    pub fn with(self, other: Placing) -> Placing {
        let align = match (self.align, other.align) {
            (Some(Align::Bytes(a)), Some(Align::Bytes(b))) => Some(Align::Bytes(a.max(b))),
            (Some(_), Some(_)) => Some(Align::Other),
            (a, b) => a.or(b),
        };
        let is_packed = self.is_packed || other.is_packed;
        Placing { is_packed, align, most: self.most.or(other.most) }
    }
}

/// The members of a tag.
#[derive(Clone, Debug)]
pub enum TagBody {
    /// Of a struct or union.
    Fields(Vec<Field>),
    /// Of an enum: names, values.
    Enumerators(Vec<(Name, Option<ExprId>, Span)>),
}

/// A member of a struct or union.
#[derive(Clone, Debug)]
pub struct Field {
    /// The specifiers.
    pub spec: TypeSpec,
    /// The declarator; without a name it is an anonymous member or padding.
    pub declarator: Declarator,
    /// It is a bit-field of this width.
    pub bits: Option<ExprId>,
}

/// Where a declared thing lives.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Storage {
    None,
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
    Thread,
}

/// One step from a declared name to its type.
#[derive(Clone, Debug)]
pub enum Derived {
    /// A pointer, which may be constant itself.
    Pointer { is_const: bool },
    /// An array, with its length if it is given.
    Array(Option<ExprId>, Span),
    /// A function.
    Function {
        /// The parameters.
        params: Vec<Param>,
        /// `...` at the end.
        is_variadic: bool,
        /// The parentheses are not empty, and not a list of names alone.
        has_prototype: bool,
    },
}

/// A name with what surrounds it.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name; none if it is abstract.
    pub name: Option<Name>,
    /// The steps from the name outwards: `int *a[3]` is an array, then a pointer.
    pub derived: Vec<Derived>,
    /// An attribute changes the type: its name.
    pub attribute: Option<&'static str>,
    /// A pointer in it is volatile.
    pub is_volatile: bool,
    /// What attributes say of where it lies.
    pub placing: Placing,
    /// It is a function that does not return.
    pub never_returns: bool,
    /// Where.
    pub span: Span,
}

impl Declarator {
    /// One without a name.
    pub fn bare(span: Span) -> Declarator {
        let (derived, placing) = (Vec::new(), Placing::default());
        let (attribute, is_volatile, never_returns) = (None, false, false);
        Declarator { name: None, derived, attribute, is_volatile, placing, never_returns, span }
    }
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Param {
    /// The specifiers.
    pub spec: TypeSpec,
    /// The declarator.
    pub declarator: Declarator,
}

/// A type without a name, as in a cast.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// The specifiers.
    pub spec: TypeSpec,
    /// The declarator, which has no name.
    pub declarator: Declarator,
}

/// A declaration of some names.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The storage class.
    pub storage: Storage,
    /// The type.
    pub spec: TypeSpec,
    /// The names, with their initialisers.
    pub declarators: Vec<(Declarator, Option<InitId>)>,
    /// Where.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum StmtKind {
    Empty,
    Expr(ExprId),
    Declaration(Declaration),
    Block(Vec<StmtId>),
    /// `if`, any number of `else if`, and `else`: conditions with their statements and the places
    /// of their `if (…)`.
    If {
        arms: Vec<(ExprId, StmtId, Span)>,
        otherwise: Option<StmtId>,
    },
    While(ExprId, StmtId),
    DoWhile(StmtId, ExprId),
    For {
        init: Option<StmtId>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    },
    Switch(ExprId, StmtId),
    /// `case low ... high:`; both are the same without a range.
    Case(ExprId, ExprId, StmtId),
    Default(StmtId),
    Label(Name, StmtId),
    Goto(Name),
    Break,
    Continue,
    Return(Option<ExprId>),
    /// Anything else, by name: refused where it is reached.
    Other(&'static str),
}

/// A statement and where it is.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where; of a compound statement only its head.
    pub span: Span,
}

/// A function definition.
#[derive(Clone, Debug)]
pub struct Function {
    /// The specifiers.
    pub spec: TypeSpec,
    /// Its name and parameters.
    pub declarator: Declarator,
    /// The body, a block.
    pub body: StmtId,
    /// Where it starts and ends.
    pub span: Span,
}

/// Something outside functions.
#[derive(Clone, Debug)]
pub enum External {
    /// A declaration.
    Declaration(Declaration),
    /// A function definition.
    Function(Function),
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// All names.
    pub names: Names,
    /// All expressions.
    pub exprs: Vec<Expr>,
    /// All statements.
    pub stmts: Vec<Stmt>,
    /// All tags.
    pub tags: Vec<Tag>,
    /// All type names.
    pub type_names: Vec<TypeName>,
    /// All initialisers.
    pub inits: Vec<Init>,
    /// What is outside functions, in order.
    pub externals: Vec<External>,
    /// Where the text of the program ends and that of the library begins, if it uses any.
    pub library: Option<u32>,
}

impl Ast {
    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }
}
