//! Terms of proofs on the wire: those that a proof adds to the terms of the model.
//!
//! The model's terms are known to both sides by their positions, since both have read the same
//! file. New ones are listed in order and numbered after them.

use num_bigint::BigInt;
use pedra_model::bv::{Bv, MAX_WIDTH};
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, SortError, Term, TermId, Terms, UnaryOp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most hexadecimal digits of an integer.
const MAX_DIGITS: usize = 1 << 16;

/// The width of a bit-vector; nothing for the integers.
type WireScalar = Option<u32>;

/// A sort of a new symbol.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WireSort {
    Scalar(WireScalar),
    /// Index and element.
    Array(WireScalar, WireScalar),
}

/// A term over earlier ones, which are numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WireTerm {
    Const(String),
    /// One that is different from all others.
    Symbol(WireSort),
    Unary(String, usize),
    Binary(String, usize, usize),
    Ite(usize, usize, usize),
    /// Argument, highest and lowest bit.
    Slice(usize, u32, u32),
    /// Argument, further bits, whether they are signs.
    Extend(usize, u32, bool),
    /// Hexadecimal digits.
    Integer(String),
    Negated(usize),
    Integers(String, usize, usize),
    /// The sort of the index, and the value.
    ConstArray(WireScalar, usize),
    Read(usize, usize),
    Write(usize, usize, usize),
}

/// The terms above `base` that the roots depend on, and the roots by their numbers. Symbols among
/// them must be roots.
pub(crate) fn encode(terms: &Terms, base: usize, roots: &[TermId]) -> (Vec<WireTerm>, Vec<usize>) {
    let cone = terms.cone(roots.iter().copied());
    let mut number: Vec<usize> = (0..terms.len()).collect();
    let mut added = Vec::new();
    for (id, term) in terms.iter().skip(base).filter(|(id, _)| cone[id.index()]) {
        let of = |id: TermId| number[id.index()];
        let wire = match *term {
            Term::Const(ref value) => WireTerm::Const(value.to_binary()),
            Term::Unary(op, a) => WireTerm::Unary(op.name().to_owned(), of(a)),
            Term::Binary(op, a, b) => WireTerm::Binary(op.name().to_owned(), of(a), of(b)),
            Term::Ite(c, t, e) => WireTerm::Ite(of(c), of(t), of(e)),
            Term::Slice { arg, high, low } => WireTerm::Slice(of(arg), high, low),
            Term::Extend { arg, by, signed } => WireTerm::Extend(of(arg), by, signed),
            Term::IntConst(ref value) => WireTerm::Integer(integer_text(value)),
            Term::IntNeg(a) => WireTerm::Negated(of(a)),
            Term::Int(op, a, b) => WireTerm::Integers(op.name().to_owned(), of(a), of(b)),
            Term::ConstArray { index, value } => WireTerm::ConstArray(width_of(index), of(value)),
            Term::Read(a, at) => WireTerm::Read(of(a), of(at)),
            Term::Write(a, at, value) => WireTerm::Write(of(a), of(at), of(value)),
            Term::Symbol(_) => WireTerm::Symbol(match terms.sort(id) {
                Sort::Bv(width) => WireSort::Scalar(Some(width)),
                Sort::Int => WireSort::Scalar(None),
                Sort::Array { index, element } => {
                    WireSort::Array(width_of(index), width_of(element))
                }
            }),
        };
        number[id.index()] = base + added.len();
        added.push(wire);
    }
    (added, roots.iter().map(|root| number[root.index()]).collect())
}

/// What the terms of a proof may be, beside words.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Allowed {
    /// Integers.
    pub(crate) integers: bool,
}

/// Adds the terms to a store, and gives those of some numbers. Nothing is taken that does not
/// exist or whose sorts do not fit, and no symbol that is not among the `symbols`, which are
/// numbers of terms.
pub(crate) fn decode(
    terms: &mut Terms,
    added: &[WireTerm],
    symbols: &[usize],
    allowed: Allowed,
) -> Result<Numbers, String> {
    let base = terms.len();
    let symbols: BTreeSet<usize> = symbols.iter().copied().collect();
    let mut ids: Vec<TermId> = Vec::new();
    for wire in added {
        let of = |number: usize| of(number, base, &ids);
        let is_new = |sort: Sort| match allowed.integers || !sort.has_integers() {
            true => Ok(sort),
            false => Err("an integer in a proof about words"),
        };
        let term = match wire {
            WireTerm::Const(digits) => {
                let width = u32::try_from(digits.len())
                    .ok()
                    .filter(|&width| (1..=MAX_WIDTH).contains(&width));
                let value = width.and_then(|width| Bv::parse(width, digits, 2));
                Term::Const(value.ok_or("a constant that is none")?)
            }
            WireTerm::Symbol(sort) => {
                if !symbols.contains(&(base + ids.len())) {
                    return Err("a symbol that nothing adds".to_owned());
                }
                ids.push(terms.new_symbol(is_new(sort_of(sort)?)?));
                continue;
            }
            WireTerm::Integer(digits) => {
                is_new(Sort::Int)?;
                Term::IntConst(Box::new(integer(digits).ok_or("an integer that is none")?))
            }
            WireTerm::Negated(a) => Term::IntNeg(of(*a)?),
            WireTerm::Integers(op, a, b) => {
                let found = IntOp::ALL.into_iter().find(|known| known.name() == op);
                Term::Int(found.ok_or("an unknown operator")?, of(*a)?, of(*b)?)
            }
            WireTerm::Unary(op, a) => {
                Term::Unary(UnaryOp::from_name(op).ok_or("an unknown operator")?, of(*a)?)
            }
            WireTerm::Binary(op, a, b) => {
                let op = BinaryOp::from_name(op).ok_or("an unknown operator")?;
                Term::Binary(op, of(*a)?, of(*b)?)
            }
            WireTerm::Ite(c, t, e) => Term::Ite(of(*c)?, of(*t)?, of(*e)?),
            WireTerm::Slice(arg, high, low) => {
                Term::Slice { arg: of(*arg)?, high: *high, low: *low }
            }
            WireTerm::Extend(arg, by, signed) => {
                Term::Extend { arg: of(*arg)?, by: *by, signed: *signed }
            }
            WireTerm::ConstArray(index, value) => {
                is_new(scalar(*index)?.into())?;
                Term::ConstArray { index: scalar(*index)?, value: of(*value)? }
            }
            WireTerm::Read(a, at) => Term::Read(of(*a)?, of(*at)?),
            WireTerm::Write(a, at, value) => Term::Write(of(*a)?, of(*at)?, of(*value)?),
        };
        ids.push(terms.add(term).map_err(|SortError(text)| text)?);
    }
    Ok(Numbers { base, ids })
}

/// The terms of a store by the numbers that the wire has for them.
pub(crate) struct Numbers {
    base: usize,
    ids: Vec<TermId>,
}

impl Numbers {
    /// The term with this number.
    pub(crate) fn get(&self, number: usize) -> Result<TermId, String> {
        of(number, self.base, &self.ids)
    }

    /// The terms with these numbers.
    pub(crate) fn all(&self, numbers: &[usize]) -> Result<Vec<TermId>, String> {
        numbers.iter().map(|&number| self.get(number)).collect()
    }
}

/// The term with this number.
fn of(number: usize, base: usize, ids: &[TermId]) -> Result<TermId, String> {
    match number.checked_sub(base) {
        None => Ok(TermId::new(number)),
        Some(place) => {
            ids.get(place).copied().ok_or_else(|| format!("no term has number {number}"))
        }
    }
}

fn width_of(scalar: Scalar) -> WireScalar {
    match scalar {
        Scalar::Bv(width) => Some(width),
        Scalar::Int => None,
    }
}

fn scalar(wire: WireScalar) -> Result<Scalar, String> {
    match wire {
        None => Ok(Scalar::Int),
        Some(width) => {
            Sort::bv(width.into()).map(|_| Scalar::Bv(width)).map_err(|SortError(text)| text)
        }
    }
}

fn sort_of(wire: &WireSort) -> Result<Sort, String> {
    Ok(match *wire {
        WireSort::Scalar(wire) => scalar(wire)?.into(),
        WireSort::Array(index, element) => {
            Sort::Array { index: scalar(index)?, element: scalar(element)? }
        }
    })
}

/// An integer as text.
pub(crate) fn integer_text(value: &BigInt) -> String {
    format!("{value:x}")
}

/// The integer of a text. Hexadecimal digits take time in proportion to their number.
pub(crate) fn integer(text: &str) -> Option<BigInt> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = (1..=MAX_DIGITS).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then(|| BigInt::parse_bytes(text.as_bytes(), 16)).flatten()
}
