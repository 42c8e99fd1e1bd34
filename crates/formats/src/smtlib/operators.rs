//! The names of operators on bit-vectors, for all who read or write SMT-LIB.

use pedra_model::term::BinaryOp;

/// The operators with two arguments that SMT-LIB has for bit-vectors.
const OPERATORS: [(&str, BinaryOp); 26] = [
    ("bvand", BinaryOp::And),
    ("bvor", BinaryOp::Or),
    ("bvxor", BinaryOp::Xor),
    ("bvnand", BinaryOp::Nand),
    ("bvnor", BinaryOp::Nor),
    ("bvxnor", BinaryOp::Xnor),
    ("bvadd", BinaryOp::Add),
    ("bvsub", BinaryOp::Sub),
    ("bvmul", BinaryOp::Mul),
    ("bvudiv", BinaryOp::Udiv),
    ("bvurem", BinaryOp::Urem),
    ("bvsdiv", BinaryOp::Sdiv),
    ("bvsrem", BinaryOp::Srem),
    ("bvsmod", BinaryOp::Smod),
    ("bvshl", BinaryOp::Sll),
    ("bvlshr", BinaryOp::Srl),
    ("bvashr", BinaryOp::Sra),
    ("bvult", BinaryOp::Ult),
    ("bvule", BinaryOp::Ulte),
    ("bvugt", BinaryOp::Ugt),
    ("bvuge", BinaryOp::Ugte),
    ("bvslt", BinaryOp::Slt),
    ("bvsle", BinaryOp::Slte),
    ("bvsgt", BinaryOp::Sgt),
    ("bvsge", BinaryOp::Sgte),
    ("concat", BinaryOp::Concat),
];

/// The name of an operator, if SMT-LIB has one for it.
pub fn operator_name(op: BinaryOp) -> Option<&'static str> {
    OPERATORS.iter().find(|(_, other)| *other == op).map(|(name, _)| *name)
}

/// The operator of this name.
pub fn operator_named(name: &str) -> Option<BinaryOp> {
    OPERATORS.iter().find(|(other, _)| *other == name).map(|(_, op)| *op)
}

/// Whether the operator compares the order of two bit-vectors: then its result is a truth value in
/// SMT-LIB.
pub fn is_ordering(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Ult | Ulte | Ugt | Ugte | Slt | Slte | Sgt | Sgte)
}
