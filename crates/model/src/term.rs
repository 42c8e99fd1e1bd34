//! Word-level terms: bit-vectors of any width with every BTOR2 operator, integers, and arrays of
//! both.
//!
//! Terms are hash-consed: a [`TermId`] is a position in the store, equal terms have equal ids,
//! and a term's arguments have smaller ids than itself. Walking the ids upwards is therefore a
//! topological order, and nothing here needs recursion. The store keeps terms as they were
//! built; it simplifies nothing, so that a file can be written back as it was.

mod op;
mod sort;

pub use op::{BinaryOp, IntOp, UnaryOp};
pub use sort::{Scalar, Sort};

use crate::bv::Bv;
use indexmap::IndexSet;
use num_bigint::BigInt;
use rustc_hash::FxBuildHasher;
use sort::check_width;
use std::fmt;

/// A term's position in its store.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TermId(u32);

impl TermId {
    /// The position as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The id with this index.
    pub fn new(index: usize) -> TermId {
        TermId(u32::try_from(index).expect("fewer than 2^32 terms"))
    }
}

/// A free symbol: an input or a state.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SymbolId(u32);

impl SymbolId {
    /// The number as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A term over earlier terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A constant.
    Const(Bv),
    /// An input or a state.
    Symbol(SymbolId),
    /// An operator with one argument.
    Unary(UnaryOp, TermId),
    /// An operator with two arguments.
    Binary(BinaryOp, TermId, TermId),
    /// An integer constant.
    IntConst(Box<BigInt>),
    /// An integer negated.
    IntNeg(TermId),
    /// An operator with two integer arguments.
    Int(IntOp, TermId, TermId),
    /// If the first (one bit) holds then the second else the third; of any sort.
    Ite(TermId, TermId, TermId),
    /// Bits `high` down to `low`.
    Slice {
        /// Of this term.
        arg: TermId,
        /// Highest bit, included.
        high: u32,
        /// Lowest bit, included.
        low: u32,
    },
    /// Extended at the top.
    Extend {
        /// This term.
        arg: TermId,
        /// By this many bits.
        by: u32,
        /// With copies of the sign bit rather than zeros.
        signed: bool,
    },
    /// The array that holds one value everywhere.
    ConstArray {
        /// The sort of its index.
        index: Scalar,
        /// The value.
        value: TermId,
    },
    /// The element of an array at an index.
    Read(TermId, TermId),
    /// The array with the element at an index replaced: array, index, value.
    Write(TermId, TermId, TermId),
}

impl Term {
    /// The arguments, in order.
    pub fn args(&self) -> impl DoubleEndedIterator<Item = TermId> + use<> {
        let args = match *self {
            Term::Const(_) | Term::IntConst(_) | Term::Symbol(_) => [None; 3],
            Term::Unary(_, a) | Term::IntNeg(a) => [Some(a), None, None],
            Term::Slice { arg, .. } | Term::Extend { arg, .. } => [Some(arg), None, None],
            Term::ConstArray { value, .. } => [Some(value), None, None],
            Term::Binary(_, a, b) | Term::Int(_, a, b) | Term::Read(a, b) => {
                [Some(a), Some(b), None]
            }
            Term::Ite(a, b, c) | Term::Write(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        args.into_iter().flatten()
    }

    /// The same term over other arguments.
    pub fn with_args(&self, mut arg_of: impl FnMut(TermId) -> TermId) -> Term {
        match *self {
            Term::Const(_) | Term::IntConst(_) | Term::Symbol(_) => self.clone(),
            Term::Unary(op, a) => Term::Unary(op, arg_of(a)),
            Term::Binary(op, a, b) => Term::Binary(op, arg_of(a), arg_of(b)),
            Term::IntNeg(a) => Term::IntNeg(arg_of(a)),
            Term::Int(op, a, b) => Term::Int(op, arg_of(a), arg_of(b)),
            Term::Ite(c, t, e) => Term::Ite(arg_of(c), arg_of(t), arg_of(e)),
            Term::Slice { arg, high, low } => Term::Slice { arg: arg_of(arg), high, low },
            Term::Extend { arg, by, signed } => Term::Extend { arg: arg_of(arg), by, signed },
            Term::ConstArray { index, value } => Term::ConstArray { index, value: arg_of(value) },
            Term::Read(a, at) => Term::Read(arg_of(a), arg_of(at)),
            Term::Write(a, at, value) => Term::Write(arg_of(a), arg_of(at), arg_of(value)),
        }
    }
}

/// Why a term cannot be built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortError(pub String);

impl fmt::Display for SortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SortError {}

fn wrong<T>(text: String) -> Result<T, SortError> {
    Err(SortError(text))
}

/// A store of terms. Two stores are equal if they have the same terms in the same order.
#[derive(Clone, Default, Debug, Eq)]
pub struct Terms {
    terms: IndexSet<Term, FxBuildHasher>,
    sorts: Vec<Sort>,
    symbols: Vec<TermId>,
}

impl PartialEq for Terms {
    fn eq(&self, other: &Terms) -> bool {
        self.sorts == other.sorts && self.terms.iter().eq(other.terms.iter())
    }
}

impl Terms {
    /// An empty store.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// How many symbols there are.
    pub fn num_symbols(&self) -> usize {
        self.symbols.len()
    }

    /// The term at an id.
    #[inline]
    pub fn get(&self, id: TermId) -> &Term {
        &self.terms[id.index()]
    }

    /// Its sort.
    #[inline]
    pub fn sort(&self, id: TermId) -> Sort {
        self.sorts[id.index()]
    }

    /// Its width.
    ///
    /// # Panics
    /// If it is no bit-vector.
    #[inline]
    pub fn width(&self, id: TermId) -> u32 {
        self.sort(id).width().expect("a bit-vector term")
    }

    /// All terms in topological order.
    pub fn iter(&self) -> impl Iterator<Item = (TermId, &Term)> {
        self.terms.iter().enumerate().map(|(i, t)| (TermId::new(i), t))
    }

    /// The term of a symbol.
    pub fn symbol_term(&self, symbol: SymbolId) -> TermId {
        self.symbols[symbol.index()]
    }

    /// The symbol that a term is, if it is one.
    pub fn symbol_of(&self, id: TermId) -> Option<SymbolId> {
        match self.get(id) {
            Term::Symbol(symbol) => Some(*symbol),
            _ => None,
        }
    }

    /// A new symbol, different from all others.
    pub fn new_symbol(&mut self, sort: Sort) -> TermId {
        let symbol = SymbolId(u32::try_from(self.symbols.len()).expect("fewer than 2^32 symbols"));
        let (index, _) = self.terms.insert_full(Term::Symbol(symbol));
        self.sorts.push(sort);
        self.symbols.push(TermId::new(index));
        TermId::new(index)
    }

    /// The term, made if it is new. Fails if the arguments' sorts do not fit the operator.
    ///
    /// # Panics
    /// If an argument is not in the store, or the term is a symbol (see
    /// [`Terms::new_symbol`]).
    pub fn add(&mut self, term: Term) -> Result<TermId, SortError> {
        assert!(!matches!(term, Term::Symbol(_)), "symbols are made by new_symbol");
        let sort = self.sort_of(&term)?;
        let (index, is_new) = self.terms.insert_full(term);
        if is_new {
            self.sorts.push(sort);
        }
        Ok(TermId::new(index))
    }

    fn bv(&self, id: TermId, what: &str) -> Result<u32, SortError> {
        match self.sort(id) {
            Sort::Bv(width) => Ok(width),
            sort => wrong(format!("{what} needs a bit-vector, but its argument is an {sort}")),
        }
    }

    fn int(&self, id: TermId, what: &str) -> Result<Sort, SortError> {
        match self.sort(id) {
            Sort::Int => Ok(Sort::Int),
            sort => wrong(format!("{what} needs an integer, but its argument is a {sort}")),
        }
    }

    fn same_bv(&self, a: TermId, b: TermId, what: &str) -> Result<u32, SortError> {
        let (left, right) = (self.bv(a, what)?, self.bv(b, what)?);
        if left == right {
            return Ok(left);
        }
        wrong(format!("{what} needs arguments of one width, but they have {left} and {right} bits"))
    }

    fn sort_of(&self, term: &Term) -> Result<Sort, SortError> {
        Ok(match *term {
            Term::Const(ref value) => Sort::Bv(value.width()),
            Term::Symbol(symbol) => self.sort(self.symbol_term(symbol)),
            Term::Unary(op, a) => {
                let width = self.bv(a, op.name())?;
                match op {
                    UnaryOp::RedAnd | UnaryOp::RedOr | UnaryOp::RedXor => Sort::BOOL,
                    _ => Sort::Bv(width),
                }
            }
            Term::Binary(op, a, b) => self.binary_sort(op, a, b)?,
            Term::Ite(c, t, e) => {
                if self.sort(c) != Sort::BOOL {
                    return wrong(format!(
                        "the condition of ite is a {}, not one bit",
                        self.sort(c)
                    ));
                }
                let (then, other) = (self.sort(t), self.sort(e));
                if then != other {
                    return wrong(format!("the branches of ite differ: {then} and {other}"));
                }
                then
            }
            Term::Slice { arg, high, low } => {
                let width = self.bv(arg, "slice")?;
                if low > high || high >= width {
                    return wrong(format!(
                        "bits {high} to {low} are not in a vector of {width} bits"
                    ));
                }
                Sort::Bv(high - low + 1)
            }
            Term::Extend { arg, by, .. } => {
                let width = self.bv(arg, "an extension")?;
                Sort::Bv(check_width(width as u64 + by as u64)?)
            }
            Term::IntConst(_) => Sort::Int,
            Term::IntNeg(a) => self.int(a, "-")?,
            Term::Int(op, a, b) => {
                self.int(a, op.name())?;
                self.int(b, op.name())?;
                if op.is_comparison() { Sort::BOOL } else { Sort::Int }
            }
            Term::ConstArray { index, value } => {
                if let Scalar::Bv(width) = index {
                    check_width(width as u64)?;
                }
                let Some(element) = self.sort(value).scalar() else {
                    return wrong(format!("a constant array of {}", self.sort(value)));
                };
                Sort::Array { index, element }
            }
            Term::Read(array, at) => self.array_access(array, at, "read")?,
            Term::Write(array, at, value) => {
                let element = self.array_access(array, at, "write")?;
                if self.sort(value) != element {
                    let found = self.sort(value);
                    return wrong(format!("write stores a {found} into an array of {element}"));
                }
                self.sort(array)
            }
        })
    }

    fn array_access(&self, array: TermId, at: TermId, what: &str) -> Result<Sort, SortError> {
        let Sort::Array { index, element } = self.sort(array) else {
            return wrong(format!(
                "{what} needs an array, but its argument is a {}",
                self.sort(array)
            ));
        };
        if self.sort(at) != index.into() {
            let found = self.sort(at);
            return wrong(format!("{what} at a {found}, but the array's index is a {index}"));
        }
        Ok(element.into())
    }

    fn binary_sort(&self, op: BinaryOp, a: TermId, b: TermId) -> Result<Sort, SortError> {
        use BinaryOp::*;
        Ok(match op {
            Iff | Implies => {
                let width = self.same_bv(a, b, op.name())?;
                if width != 1 {
                    return wrong(format!("{} needs single bits, not {width}", op.name()));
                }
                Sort::BOOL
            }
            Eq | Neq => {
                let (left, right) = (self.sort(a), self.sort(b));
                if left != right {
                    return wrong(format!("{} compares a {left} with a {right}", op.name()));
                }
                Sort::BOOL
            }
            Sgt | Ugt | Sgte | Ugte | Slt | Ult | Slte | Ulte | Saddo | Uaddo | Sdivo | Smulo
            | Umulo | Ssubo | Usubo => {
                self.same_bv(a, b, op.name())?;
                Sort::BOOL
            }
            And | Nand | Nor | Or | Xnor | Xor | Rol | Ror | Sll | Sra | Srl | Add | Mul | Sdiv
            | Udiv | Smod | Srem | Urem | Sub => Sort::Bv(self.same_bv(a, b, op.name())?),
            Concat => {
                let (high, low) = (self.bv(a, "concat")?, self.bv(b, "concat")?);
                Sort::Bv(check_width(high as u64 + low as u64)?)
            }
        })
    }

    fn built(&mut self, term: Term) -> TermId {
        match self.add(term) {
            Ok(id) => id,
            Err(error) => panic!("ill-sorted term: {error}"),
        }
    }

    /// A constant.
    pub fn constant(&mut self, value: Bv) -> TermId {
        self.built(Term::Const(value))
    }

    /// The constant 0 of a sort; for an array, 0 everywhere.
    pub fn zero(&mut self, sort: Sort) -> TermId {
        match sort {
            Sort::Bv(width) => self.constant(Bv::zero(width)),
            Sort::Int => self.integer(0),
            Sort::Array { index, element } => {
                let value = self.zero(element.into());
                self.built(Term::ConstArray { index, value })
            }
        }
    }

    /// An integer constant.
    pub fn integer(&mut self, value: impl Into<BigInt>) -> TermId {
        self.built(Term::IntConst(Box::new(value.into())))
    }

    /// A one-bit constant.
    pub fn bool(&mut self, value: bool) -> TermId {
        self.constant(Bv::bit_value(value))
    }

    /// A unary term.
    ///
    /// # Panics
    /// If it is ill-sorted; as are the other builders below.
    pub fn unary(&mut self, op: UnaryOp, a: TermId) -> TermId {
        self.built(Term::Unary(op, a))
    }

    /// A binary term.
    pub fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        self.built(Term::Binary(op, a, b))
    }

    /// An operation on two integers.
    pub fn int_binary(&mut self, op: IntOp, a: TermId, b: TermId) -> TermId {
        self.built(Term::Int(op, a, b))
    }

    /// `if c then t else e`.
    pub fn ite(&mut self, c: TermId, t: TermId, e: TermId) -> TermId {
        self.built(Term::Ite(c, t, e))
    }

    /// Bits `high` down to `low`; the term itself if these are all.
    pub fn slice(&mut self, arg: TermId, high: u32, low: u32) -> TermId {
        if low == 0 && high + 1 == self.width(arg) {
            return arg;
        }
        self.built(Term::Slice { arg, high, low })
    }

    /// An array element.
    pub fn read(&mut self, array: TermId, at: TermId) -> TermId {
        self.built(Term::Read(array, at))
    }

    /// An array with one element replaced.
    pub fn write(&mut self, array: TermId, at: TermId, value: TermId) -> TermId {
        self.built(Term::Write(array, at, value))
    }

    /// Which terms the roots depend on, themselves included: one flag a term.
    pub fn cone(&self, roots: impl IntoIterator<Item = TermId>) -> Vec<bool> {
        self.marked_cone(roots, |_| {})
    }

    /// The same as a list, in ascending order.
    pub fn cone_ids(&self, roots: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
        let mut found = Vec::new();
        self.marked_cone(roots, |id| found.push(id));
        found.reverse();
        found
    }

    /// The cone, told one by one in descending order.
    fn marked_cone(
        &self,
        roots: impl IntoIterator<Item = TermId>,
        mut tell: impl FnMut(TermId),
    ) -> Vec<bool> {
        let mut in_cone = vec![false; self.len()];
        let (mut left, mut top) = (0_usize, 0);
        for root in roots {
            left += usize::from(!std::mem::replace(&mut in_cone[root.index()], true));
            top = top.max(root.index() + 1);
        }
        // Arguments come before the terms that use them: one pass downwards closes the set. It ends
        // where nothing is left, since a cone may be a small part of a large store.
        for index in (0..top).rev() {
            if left == 0 {
                break;
            }
            if in_cone[index] {
                left -= 1;
                tell(TermId::new(index));
                for arg in self.terms[index].args() {
                    left += usize::from(!std::mem::replace(&mut in_cone[arg.index()], true));
                }
            }
        }
        in_cone
    }
}
