//! The typed program: what analysis makes of the syntax and lowering reads. Names are resolved,
//! every implicit conversion is a node of its own, array and pointer arithmetic has its stride,
//! constants are folded where that is defined, and only what the entry reaches is there.

use crate::ast::{BinaryOp, ids};
use crate::source::Span;
use crate::types::{Ty, Types};
use rustc_hash::FxHashMap;

ids! {
    /// An expression: a value or a place.
    NodeId
    /// A statement.
    StmtId
    /// A variable, a string literal or an allocation.
    ObjectId
    /// A function.
    FunctionId
}

/// Operators with one argument, on values of one type.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `~`
    Complement,
    /// `!`, with an `int` as result.
    Not,
}

/// An expression.
///
/// Places (lvalues) are `Object`, `Deref`, `Member` and `Index`; all others are values.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A constant: the bits of the value, zero above its width.
    Const(u64),
    /// A variable.
    Object(ObjectId),
    /// What a pointer points to.
    Deref(NodeId),
    /// A member of a struct or union, by position.
    Member(NodeId, usize),
    /// An element of an array: the array (a place) and the index (an integer of any type).
    Index(NodeId, NodeId),
    /// The value of a place.
    Load(NodeId),
    /// The address of a place.
    Address(NodeId),
    /// The address of a function.
    FunctionAddress(FunctionId),
    /// An operator with one argument.
    Unary(UnaryOp, NodeId),
    /// An operator with two arguments of one type, but for shifts, where the second may have
    /// another one.
    Binary(BinaryOp, NodeId, NodeId),
    /// A pointer moved by an integer.
    PointerAdd {
        /// The pointer.
        pointer: NodeId,
        /// The integer.
        index: NodeId,
        /// The size of what it points to, in bytes.
        stride: u64,
        /// It is moved down.
        is_minus: bool,
    },
    /// The difference of two pointers, in elements of this size.
    PointerDiff(NodeId, NodeId, u64),
    /// A scalar converted to the node's own type.
    Convert(NodeId),
    /// A place gets a value; the result is the value.
    Assign(NodeId, NodeId),
    /// A place gets a value that is computed from its old one, which is [`Kind::Old`] inside.
    Update {
        /// The place.
        place: NodeId,
        /// Its new value.
        value: NodeId,
        /// The result is the old value rather than the new one.
        is_postfix: bool,
    },
    /// The old value of the place of the innermost update around it.
    Old,
    /// `a && b` as an `int`.
    And(NodeId, NodeId),
    /// `a || b` as an `int`.
    Or(NodeId, NodeId),
    /// `c ? t : e`
    Conditional(NodeId, NodeId, NodeId),
    /// `a, b`
    Comma(NodeId, NodeId),
    /// A call. Arguments have the types of the parameters.
    Call(FunctionId, Vec<NodeId>),
    /// `({ … value; })`; of type void without the value.
    Statement(StmtId, Option<NodeId>),
}

impl Kind {
    /// The same with other expressions directly inside, which come in the order of
    /// [`Kind::inner`].
    pub fn with_inner(self, mut new: impl FnMut(NodeId) -> NodeId) -> Kind {
        match self {
            Kind::Const(_) | Kind::Object(_) | Kind::FunctionAddress(_) | Kind::Old => self,
            Kind::Deref(a) => Kind::Deref(new(a)),
            Kind::Member(a, index) => Kind::Member(new(a), index),
            Kind::Load(a) => Kind::Load(new(a)),
            Kind::Address(a) => Kind::Address(new(a)),
            Kind::Unary(op, a) => Kind::Unary(op, new(a)),
            Kind::Convert(a) => Kind::Convert(new(a)),
            Kind::Index(a, b) => Kind::Index(new(a), new(b)),
            Kind::Binary(op, a, b) => Kind::Binary(op, new(a), new(b)),
            Kind::PointerAdd { pointer, index, stride, is_minus } => {
                Kind::PointerAdd { pointer: new(pointer), index: new(index), stride, is_minus }
            }
            Kind::PointerDiff(a, b, size) => Kind::PointerDiff(new(a), new(b), size),
            Kind::Assign(a, b) => Kind::Assign(new(a), new(b)),
            Kind::Update { place, value, is_postfix } => {
                Kind::Update { place: new(place), value: new(value), is_postfix }
            }
            Kind::And(a, b) => Kind::And(new(a), new(b)),
            Kind::Or(a, b) => Kind::Or(new(a), new(b)),
            Kind::Comma(a, b) => Kind::Comma(new(a), new(b)),
            Kind::Conditional(a, b, c) => Kind::Conditional(new(a), new(b), new(c)),
            Kind::Call(callee, args) => Kind::Call(callee, args.into_iter().map(new).collect()),
            Kind::Statement(block, value) => Kind::Statement(block, value.map(new)),
        }
    }

    /// The expressions directly inside.
    pub fn inner(&self) -> Vec<NodeId> {
        match self {
            Kind::Const(_) | Kind::Object(_) | Kind::FunctionAddress(_) | Kind::Old => Vec::new(),
            Kind::Deref(a)
            | Kind::Member(a, _)
            | Kind::Load(a)
            | Kind::Address(a)
            | Kind::Unary(_, a)
            | Kind::Convert(a) => vec![*a],
            Kind::Index(a, b)
            | Kind::Binary(_, a, b)
            | Kind::PointerAdd { pointer: a, index: b, .. }
            | Kind::PointerDiff(a, b, _)
            | Kind::Assign(a, b)
            | Kind::Update { place: a, value: b, .. }
            | Kind::And(a, b)
            | Kind::Or(a, b)
            | Kind::Comma(a, b) => vec![*a, *b],
            Kind::Conditional(a, b, c) => vec![*a, *b, *c],
            Kind::Call(_, args) => args.clone(),
            Kind::Statement(_, value) => value.iter().copied().collect(),
        }
    }
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Its type.
    pub ty: Ty,
    /// Where it is.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum StmtKind {
    Empty,
    Expr(NodeId),
    /// A local variable comes to life.
    Declare(ObjectId),
    Block(Vec<StmtId>),
    /// Conditions with their statements and the places of their `if (…)`.
    If {
        arms: Vec<(NodeId, StmtId, Span)>,
        otherwise: Option<StmtId>,
    },
    While(NodeId, StmtId),
    DoWhile(StmtId, NodeId),
    For {
        init: Option<StmtId>,
        condition: Option<NodeId>,
        step: Option<NodeId>,
        body: StmtId,
    },
    Switch(NodeId, StmtId),
    /// Low and high, both included, as bits of the switch's type.
    Case(u64, u64, StmtId),
    Default(StmtId),
    Label(LabelName, StmtId),
    Goto(LabelName),
    Break,
    Continue,
    Return(Option<NodeId>),
    /// The end of a block: its variables are gone.
    End(Vec<ObjectId>),
}

/// A label of a function.
pub type LabelName = crate::token::Name;

/// A statement and where it is.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where; of a compound statement only its head.
    pub span: Span,
}

/// How an object starts.
#[derive(Clone, Debug, Default)]
pub struct Initial {
    /// All parts that no store below sets are zero; otherwise they are arbitrary.
    pub is_zeroed: bool,
    /// Places of the object and their values, in order.
    pub stores: Vec<(NodeId, NodeId)>,
}

/// How large an object is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    /// As its type says.
    Fixed,
    /// Its type is [`Types::variable_array`], and this is its length, evaluated where it is
    /// declared.
    Length(NodeId),
    /// Its type is [`Types::variable_array`], with elements of this size in bytes, and the
    /// arguments of the call that allocates it are its size in bytes.
    Allocated(u64),
    /// Its type is [`Types::variable_array`], and its length is not known: it is declared without
    /// one and defined elsewhere.
    Outside,
    /// There are several of it, each as its type says: an allocation that may run again.
    Pool,
}

/// A variable, or a string literal.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name in the source; empty for what has none.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// The function that it belongs to; none if it lives as long as the program.
    pub owner: Option<FunctionId>,
    /// How large it is.
    pub extent: Extent,
    /// How it starts.
    pub initial: Initial,
    /// It is declared and not defined.
    pub is_external: bool,
    /// It is a string literal, which must not be changed.
    pub is_string: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// The type of its result.
    pub result: Ty,
    /// The parameters, if it has a body and is reached.
    pub params: Vec<ObjectId>,
    /// The body, if it has one and is reached.
    pub body: Option<StmtId>,
    /// It was declared as one that does not return.
    pub never_returns: bool,
    /// Where.
    pub span: Span,
}

/// A typed program.
#[derive(Clone, Debug)]
pub struct Tree {
    /// All types.
    pub types: Types,
    /// All expressions.
    pub nodes: Vec<Node>,
    /// All statements.
    pub stmts: Vec<Stmt>,
    /// All objects.
    pub objects: Vec<Object>,
    /// All functions that are declared.
    pub functions: Vec<Function>,
    /// Those with a body that the entry reaches, the entry first.
    pub reached: Vec<FunctionId>,
    /// The objects that live as long as the program and are used, in the order of their use.
    pub globals: Vec<ObjectId>,
    /// Constants that are the size of a type, or a multiple of it.
    pub sizes: FxHashMap<NodeId, Ty>,
    /// Chains of `,` that C does not order: how many of their first operands may be evaluated in
    /// any order.
    pub unordered: FxHashMap<NodeId, usize>,
    /// What is taken for granted, and where.
    pub assumptions: Vec<(String, Span)>,
    /// Texts of labels.
    pub names: crate::token::Names,
}

impl Tree {
    /// An expression.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }

    /// An object.
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    /// A function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The part of an expression that has a side effect, or asks for a value from outside.
    pub fn effect(&self, id: NodeId) -> Option<NodeId> {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let kind = &self.node(id).kind;
            if matches!(
                kind,
                Kind::Assign(..) | Kind::Update { .. } | Kind::Call(..) | Kind::Statement(..)
            ) {
                return Some(id);
            }
            stack.extend(kind.inner());
        }
        None
    }

    /// Whether an expression is made of constants, variables and their addresses alone.
    pub fn is_always_defined(&self, id: NodeId) -> bool {
        let kind = &self.node(id).kind;
        let is_plain = match kind {
            Kind::Const(_) | Kind::Object(_) | Kind::FunctionAddress(_) => true,
            Kind::Member(..) | Kind::Load(_) | Kind::Address(_) | Kind::Convert(_) => true,
            Kind::Index(_, index) => self.constant(*index).is_some(),
            _ => false,
        };
        is_plain && kind.inner().into_iter().all(|inner| self.is_always_defined(inner))
    }

    /// The operands of a chain of `,` that C does not order, and what follows them.
    pub fn unordered_operands(&self, id: NodeId) -> (Vec<NodeId>, NodeId) {
        let (mut operands, mut rest) = (Vec::new(), id);
        for _ in 0..self.unordered.get(&id).copied().unwrap_or(0) {
            let Kind::Comma(operand, next) = self.node(rest).kind else { break };
            operands.push(operand);
            rest = next;
        }
        (operands, rest)
    }

    /// The value of a constant.
    pub fn constant(&self, id: NodeId) -> Option<u64> {
        match self.node(id).kind {
            Kind::Const(value) => Some(value),
            _ => None,
        }
    }
}
