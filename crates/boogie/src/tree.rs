//! A checked program: names are resolved, and everything has a type. The nodes of expressions
//! have the positions that they had in [`crate::syntax::File::nodes`].

use crate::source::Span;
use crate::syntax::{Clause, Expression, NodeId, Operator};
use crate::types::{TypeId, Types};
use indexmap::IndexSet;
use num_bigint::BigUint;
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, UnaryOp};
use rustc_hash::FxBuildHasher;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident)*) => {
        $(
            $(#[$meta])*
            #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
            pub(crate) struct $name(pub u32);

            impl $name {
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

ids! {
    /// A position in [`Tree::variables`].
    VarId
    /// A position in [`Tree::functions`].
    FunctionId
    /// A position in [`Tree::procedures`].
    ProcId
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub kind: NodeKind,
    pub of: TypeId,
}

#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
    /// Arguments of attributes are not checked.
    Unchecked,
    Bool(bool),
    Int(BigUint),
    Bv(Bv),
    Variable(VarId),
    Apply(FunctionId, Box<[NodeId]>),
    Not(NodeId),
    Negate(NodeId),
    Binary(Operator, NodeId, NodeId),
    Ite(NodeId, NodeId, NodeId),
    Select(NodeId, NodeId),
    Store(NodeId, NodeId, NodeId),
    /// Bits from the first number down to, but without, the second.
    Extract(NodeId, u32, u32),
    Old(NodeId),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum VariableKind {
    Global,
    Constant,
    /// Of a procedure, implementation or function.
    Parameter,
    Result,
    Local,
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: Box<str>,
    pub of: TypeId,
    pub kind: VariableKind,
    pub span: Span,
}

/// What a function stands for.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    /// Its body, over its parameters.
    Body(Expression),
    Builtin(Builtin),
    Uninterpreted,
    /// Nothing that is supported; why, as a plural noun.
    Refused(&'static str),
}

/// A function of SMT-LIB.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Builtin {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Extend { by: u32, signed: bool },
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: Box<str>,
    pub span: Span,
    pub parameters: Vec<VarId>,
    pub result: TypeId,
    pub meaning: Meaning,
}

#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    pub name: Box<str>,
    pub parameters: Vec<VarId>,
    pub results: Vec<VarId>,
    pub requires: Vec<Clause>,
    pub ensures: Vec<Clause>,
    pub modifies: IndexSet<VarId, FxBuildHasher>,
    /// Positions in [`Tree::implementations`].
    pub implementations: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Implementation {
    pub procedure: ProcId,
    pub span: Span,
    pub parameters: Vec<VarId>,
    pub results: Vec<VarId>,
    pub locals: Vec<VarId>,
    pub labels: usize,
    pub body: Block,
    /// The closing brace.
    pub end: Span,
}

pub(crate) type Block = Vec<Statement>;

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    /// Labels are numbered in each implementation.
    Label(usize),
    /// Variable, index if an element is assigned, value.
    Assign(Vec<(VarId, Option<Expression>, Expression)>),
    Havoc(Vec<VarId>),
    Assume(Expression),
    Assert(Expression),
    Call {
        results: Vec<VarId>,
        callee: ProcId,
        arguments: Vec<Expression>,
    },
    Goto(Vec<usize>),
    /// Goes on behind the enclosing `if` or `while` of this number, the outermost being 0.
    Break(usize),
    Return,
    If(Vec<Arm>, Option<Block>),
    While {
        guard: Option<Expression>,
        invariants: Vec<Clause>,
        body: Block,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub guard: Option<Expression>,
    pub span: Span,
    pub block: Block,
}

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub types: Types,
    pub nodes: Vec<Node>,
    pub variables: Vec<Variable>,
    pub functions: Vec<Function>,
    pub axioms: Vec<Clause>,
    pub globals: Vec<VarId>,
    pub constants: Vec<VarId>,
    /// Those of the constants that differ from all other unique ones of their type.
    pub uniques: Vec<VarId>,
    pub procedures: Vec<Procedure>,
    pub implementations: Vec<Implementation>,
}
