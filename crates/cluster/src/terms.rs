//! Terms of proofs on the wire: those that a proof adds to the terms of the model.
//!
//! The model's terms are known to both sides by their positions, since both have read the same
//! file. New ones are listed in order and numbered after them.

use pedra_model::bv::{Bv, MAX_WIDTH};
use pedra_model::term::{BinaryOp, Scalar, SortError, Term, TermId, Terms, UnaryOp};
use serde::{Deserialize, Serialize};

/// A term over earlier ones, which are numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WireTerm {
    Const(String),
    Unary(String, usize),
    Binary(String, usize, usize),
    Ite(usize, usize, usize),
    /// Argument, highest and lowest bit.
    Slice(usize, u32, u32),
    /// Argument, further bits, whether they are signs.
    Extend(usize, u32, bool),
    /// The width of the index, and the value.
    ConstArray(u32, usize),
    Read(usize, usize),
    Write(usize, usize, usize),
}

/// The terms above `base` that the roots depend on, and the roots by their numbers. `None` if one
/// of them has no form on the wire.
pub(crate) fn encode(
    terms: &Terms,
    base: usize,
    roots: &[TermId],
) -> Option<(Vec<WireTerm>, Vec<usize>)> {
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
            Term::ConstArray { index: Scalar::Bv(width), value } => {
                WireTerm::ConstArray(width, of(value))
            }
            Term::Read(a, at) => WireTerm::Read(of(a), of(at)),
            Term::Write(a, at, value) => WireTerm::Write(of(a), of(at), of(value)),
            // Neither does a proof about bit-vectors add symbols, nor are there integers in it.
            _ => return None,
        };
        number[id.index()] = base + added.len();
        added.push(wire);
    }
    Some((added, roots.iter().map(|root| number[root.index()]).collect()))
}

/// Adds the terms to a store, and gives the roots. Nothing is taken that does not exist or whose
/// sorts do not fit.
pub(crate) fn decode(
    terms: &mut Terms,
    added: &[WireTerm],
    roots: &[usize],
) -> Result<Vec<TermId>, String> {
    let base = terms.len();
    let mut ids: Vec<TermId> = Vec::new();
    for wire in added {
        let of = |number: usize| of(number, base, &ids);
        let term = match wire {
            WireTerm::Const(digits) => {
                let width = u32::try_from(digits.len())
                    .ok()
                    .filter(|&width| (1..=MAX_WIDTH).contains(&width));
                let value = width.and_then(|width| Bv::parse(width, digits, 2));
                Term::Const(value.ok_or("a constant that is none")?)
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
            WireTerm::ConstArray(0, _) => return Err("an index without bits".to_owned()),
            WireTerm::ConstArray(width, value) => {
                Term::ConstArray { index: Scalar::Bv(*width), value: of(*value)? }
            }
            WireTerm::Read(a, at) => Term::Read(of(*a)?, of(*at)?),
            WireTerm::Write(a, at, value) => Term::Write(of(*a)?, of(*at)?, of(*value)?),
        };
        ids.push(terms.add(term).map_err(|SortError(text)| text)?);
    }
    roots.iter().map(|&root| of(root, base, &ids)).collect()
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
