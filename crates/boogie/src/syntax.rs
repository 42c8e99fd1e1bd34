//! The tree of a file as it was parsed. Names are texts, nothing has a type yet.
//!
//! Expressions stand in one vector, arguments before what is made of them, and the nodes of one
//! expression stand together: passes over expressions are loops, and long ones need no stack.

use crate::source::Span;

/// A name and where it stands.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Name<'s> {
    pub text: &'s str,
    pub span: Span,
}

/// A node: its position in [`File::nodes`].
pub(crate) type NodeId = u32;

/// An expression: the nodes `start..end`, of which the last is the whole.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Expression {
    pub start: NodeId,
    pub end: NodeId,
    pub span: Span,
}

impl Expression {
    /// How many nodes it has.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Node<'s> {
    pub kind: NodeKind<'s>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum NodeKind<'s> {
    Bool(bool),
    Int(&'s str),
    Bv(&'s str, &'s str),
    Name(&'s str),
    Apply(Name<'s>, Box<[NodeId]>),
    Not(NodeId),
    Negate(NodeId),
    Binary(Operator, NodeId, NodeId),
    Ite(NodeId, NodeId, NodeId),
    Select(NodeId, NodeId),
    Store(NodeId, NodeId, NodeId),
    Extract(NodeId, &'s str, &'s str),
    Old(NodeId),
}

/// Operators between two expressions.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Operator {
    Iff,
    Implies,
    Explies,
    And,
    Or,
    Eq,
    Neq,
    Lt,
    Le,
    Gt,
    Ge,
    Concat,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub(crate) enum TypeText<'s> {
    Bool,
    Int,
    Real,
    Name(Name<'s>),
    Map(Vec<TypeText<'s>>, Box<TypeText<'s>>),
}

/// `{:name arguments}`; only texts and numbers are kept.
#[derive(Clone, Debug)]
pub(crate) struct Attribute<'s> {
    pub name: &'s str,
    pub texts: Vec<&'s str>,
    pub numbers: Vec<&'s str>,
}

/// `a, b: type`.
#[derive(Clone, Debug)]
pub(crate) struct Variables<'s> {
    pub names: Vec<Name<'s>>,
    pub of: TypeText<'s>,
}

#[derive(Clone, Debug)]
pub(crate) struct TypeItem<'s> {
    pub name: Name<'s>,
    pub synonym: Option<TypeText<'s>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Constants<'s> {
    pub is_unique: bool,
    pub variables: Variables<'s>,
}

#[derive(Clone, Debug)]
pub(crate) struct Function<'s> {
    pub attributes: Vec<Attribute<'s>>,
    pub name: Name<'s>,
    pub parameters: Vec<(Option<Name<'s>>, TypeText<'s>)>,
    pub result: TypeText<'s>,
    pub body: Option<Expression>,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Clause {
    pub is_free: bool,
    pub condition: Expression,
    /// From the first keyword to the end of the condition.
    pub span: Span,
}

/// Name, parameters and results of a procedure or implementation.
#[derive(Clone, Debug)]
pub(crate) struct Signature<'s> {
    pub name: Name<'s>,
    pub parameters: Vec<Variables<'s>>,
    pub results: Vec<Variables<'s>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Procedure<'s> {
    pub signature: Signature<'s>,
    pub requires: Vec<Clause>,
    pub ensures: Vec<Clause>,
    pub modifies: Vec<Name<'s>>,
    pub body: Option<Body<'s>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Implementation<'s> {
    pub signature: Signature<'s>,
    pub body: Body<'s>,
}

#[derive(Clone, Debug)]
pub(crate) struct Body<'s> {
    pub locals: Vec<Variables<'s>>,
    pub statements: Block<'s>,
    /// The closing brace.
    pub end: Span,
}

pub(crate) type Block<'s> = Vec<Statement<'s>>;

#[derive(Clone, Debug)]
pub(crate) struct Statement<'s> {
    pub kind: StatementKind<'s>,
    /// Without a trailing semicolon; of a loop or branch only the head.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind<'s> {
    Label(Name<'s>),
    Assign(Vec<Target<'s>>, Vec<Expression>),
    Havoc(Vec<Name<'s>>),
    Assume(Expression),
    Assert(Expression),
    Call {
        results: Vec<Name<'s>>,
        callee: Name<'s>,
        arguments: Vec<Expression>,
    },
    Goto(Vec<Name<'s>>),
    Break(Option<Name<'s>>),
    Return,
    /// `if` and its `else if`s, in order, and the last `else`.
    If(Vec<Arm<'s>>, Option<Block<'s>>),
    While {
        guard: Guard,
        invariants: Vec<Clause>,
        body: Block<'s>,
    },
}

/// `None` is `*`.
pub(crate) type Guard = Option<Expression>;

#[derive(Clone, Debug)]
pub(crate) struct Arm<'s> {
    pub guard: Guard,
    /// `if (guard)`.
    pub span: Span,
    pub block: Block<'s>,
}

/// `name` or `name[index]`.
#[derive(Clone, Debug)]
pub(crate) struct Target<'s> {
    pub name: Name<'s>,
    pub index: Option<Expression>,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub(crate) struct File<'s> {
    pub nodes: Vec<Node<'s>>,
    pub types: Vec<TypeItem<'s>>,
    pub constants: Vec<Constants<'s>>,
    pub functions: Vec<Function<'s>>,
    pub axioms: Vec<Clause>,
    pub globals: Vec<Variables<'s>>,
    pub procedures: Vec<Procedure<'s>>,
    pub implementations: Vec<Implementation<'s>>,
}
