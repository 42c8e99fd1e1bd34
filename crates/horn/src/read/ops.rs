//! The functions of the theories: core, integers, bit-vectors, arrays. A flat table.

use super::types::{BOOL, Basic, INT, Type};
use pedra_formats::smtlib::{is_ordering, operator_named};
use pedra_model::bv::MAX_WIDTH;
use pedra_model::term::{BinaryOp, IntOp, Sort, SortError, Term, TermId, Terms, UnaryOp};

/// A term and its sort in SMT-LIB.
pub(super) type Typed = (TermId, Type);

/// The largest number of arguments of `distinct`, which takes a comparison for each pair.
const MAX_DISTINCT: usize = 1000;

/// Why a function cannot be applied. The text names what is wrong, not the function.
pub(super) struct Misuse(pub(super) String);

impl From<SortError> for Misuse {
    fn from(error: SortError) -> Misuse {
        Misuse(error.0)
    }
}

type Applied = Result<Typed, Misuse>;

fn misuse<T>(text: impl Into<String>) -> Result<T, Misuse> {
    Err(Misuse(text.into()))
}

fn count(args: &[Typed], least: usize, most: usize) -> Result<(), Misuse> {
    match args.len() {
        n if n < least => misuse(format!("it needs at least {least} arguments, not {n}")),
        n if n > most => misuse(format!("it takes at most {most} arguments, not {n}")),
        _ => Ok(()),
    }
}

fn all_are(args: &[Typed], wanted: Type) -> Result<(), Misuse> {
    match args.iter().find(|(_, found)| *found != wanted) {
        Some((_, found)) => misuse(format!("an argument is of sort {found}, not {wanted}")),
        None => Ok(()),
    }
}

fn all_same(args: &[Typed]) -> Result<Type, Misuse> {
    let Some(&(_, first)) = args.first() else { return misuse("it needs arguments") };
    match args.iter().find(|(_, other)| *other != first) {
        Some((_, other)) => misuse(format!("arguments are of sorts {first} and {other}")),
        None => Ok(first),
    }
}

/// The one width of all arguments.
fn width(args: &[Typed]) -> Result<u32, Misuse> {
    match all_same(args)? {
        Type::Basic(Basic::Bv(width)) => Ok(width),
        other => misuse(format!("an argument is of sort {other}, not a bit-vector")),
    }
}

/// `f(f(f(a, b), c), d)`.
fn left(
    terms: &mut Terms,
    args: &[Typed],
    mut term: impl FnMut(TermId, TermId) -> Term,
) -> Result<TermId, Misuse> {
    let mut all = args[0].0;
    for &(arg, _) in &args[1..] {
        all = terms.add(term(all, arg))?;
    }
    Ok(all)
}

/// `f(a, b) ∧ f(b, c) ∧ …`.
fn chain(
    terms: &mut Terms,
    args: &[Typed],
    mut term: impl FnMut(TermId, TermId) -> Term,
) -> Applied {
    let mut all = None;
    for pair in args.windows(2) {
        let link = terms.add(term(pair[0].0, pair[1].0))?;
        all = Some(match all {
            None => link,
            Some(all) => terms.add(Term::Binary(BinaryOp::And, all, link))?,
        });
    }
    Ok((all.expect("at least two arguments"), BOOL))
}

/// The function applied; `None` if there is no such function.
pub(super) fn apply(terms: &mut Terms, name: &str, args: &[Typed]) -> Option<Applied> {
    if let Some(applied) = core(terms, name, args) {
        return Some(applied);
    }
    if let Some(op) = IntOp::ALL.into_iter().find(|op| op.name() == name) {
        return Some(integer(terms, op, args));
    }
    match name {
        "abs" => Some(absolute(terms, args)),
        "select" => Some(select(terms, args)),
        "store" => Some(store(terms, args)),
        _ => bit_vector(terms, name, args),
    }
}

fn core(terms: &mut Terms, name: &str, args: &[Typed]) -> Option<Applied> {
    let binary = |op| move |a, b| Term::Binary(op, a, b);
    let mut many = |op: BinaryOp| -> Applied {
        count(args, 1, usize::MAX)?;
        all_are(args, BOOL)?;
        Ok((left(terms, args, binary(op))?, BOOL))
    };
    Some(match name {
        "and" => many(BinaryOp::And),
        "or" => many(BinaryOp::Or),
        "xor" => many(BinaryOp::Xor),
        "not" => (|| {
            count(args, 1, 1)?;
            all_are(args, BOOL)?;
            Ok((terms.add(Term::Unary(UnaryOp::Not, args[0].0))?, BOOL))
        })(),
        "=>" => (|| {
            count(args, 1, usize::MAX)?;
            all_are(args, BOOL)?;
            let (last, rest) = args.split_last().expect("at least one");
            let mut all = last.0;
            for &(arg, _) in rest.iter().rev() {
                all = terms.add(Term::Binary(BinaryOp::Implies, arg, all))?;
            }
            Ok((all, BOOL))
        })(),
        "=" => (|| {
            count(args, 2, usize::MAX)?;
            all_same(args)?;
            chain(terms, args, binary(BinaryOp::Eq))
        })(),
        "distinct" => (|| {
            count(args, 2, MAX_DISTINCT)?;
            all_same(args)?;
            let mut all = terms.bool(true);
            for (i, a) in args.iter().enumerate() {
                for b in &args[i + 1..] {
                    let differ = terms.add(Term::Binary(BinaryOp::Neq, a.0, b.0))?;
                    all = match args.len() {
                        2 => differ,
                        _ => terms.add(Term::Binary(BinaryOp::And, all, differ))?,
                    };
                }
            }
            Ok((all, BOOL))
        })(),
        "ite" => (|| {
            count(args, 3, 3)?;
            all_are(&args[..1], BOOL)?;
            let sort = all_same(&args[1..])?;
            Ok((terms.add(Term::Ite(args[0].0, args[1].0, args[2].0))?, sort))
        })(),
        _ => return None,
    })
}

fn integer(terms: &mut Terms, op: IntOp, args: &[Typed]) -> Applied {
    count(args, 1, usize::MAX)?;
    all_are(args, INT)?;
    let term = |a, b| Term::Int(op, a, b);
    match args {
        [(a, _)] if op == IntOp::Sub => {
            // A negative number has no other form in SMT-LIB.
            let negated = match terms.get(*a) {
                Term::IntConst(value) => Term::IntConst(Box::new(-&**value)),
                _ => Term::IntNeg(*a),
            };
            Ok((terms.add(negated)?, INT))
        }
        [_] if !matches!(op, IntOp::Add | IntOp::Mul) => misuse("it needs two arguments"),
        _ if op.is_comparison() => chain(terms, args, term),
        _ => Ok((left(terms, args, term)?, INT)),
    }
}

fn absolute(terms: &mut Terms, args: &[Typed]) -> Applied {
    count(args, 1, 1)?;
    all_are(args, INT)?;
    let (a, zero) = (args[0].0, terms.integer(0));
    let is_negative = terms.int_binary(IntOp::Lt, a, zero);
    let negated = terms.add(Term::IntNeg(a))?;
    Ok((terms.ite(is_negative, negated, a), INT))
}

fn select(terms: &mut Terms, args: &[Typed]) -> Applied {
    count(args, 2, 2)?;
    let Type::Array { index, element } = args[0].1 else {
        return misuse(format!(
            "the first argument is of sort {}, which is not an array",
            args[0].1
        ));
    };
    all_are(&args[1..], Type::Basic(index))?;
    Ok((terms.add(Term::Read(args[0].0, args[1].0))?, Type::Basic(element)))
}

fn store(terms: &mut Terms, args: &[Typed]) -> Applied {
    count(args, 3, 3)?;
    let Type::Array { index, element } = args[0].1 else {
        return misuse(format!(
            "the first argument is of sort {}, which is not an array",
            args[0].1
        ));
    };
    all_are(&args[1..2], Type::Basic(index))?;
    all_are(&args[2..], Type::Basic(element))?;
    Ok((terms.add(Term::Write(args[0].0, args[1].0, args[2].0))?, args[0].1))
}

/// `((as const sort) value)`.
pub(super) fn constant_array(terms: &mut Terms, sort: Type, args: &[Typed]) -> Applied {
    let (Type::Array { element, .. }, Sort::Array { index, .. }) = (sort, sort.sort()) else {
        return misuse(format!("{sort} is not an array"));
    };
    count(args, 1, 1)?;
    all_are(args, Type::Basic(element))?;
    Ok((terms.add(Term::ConstArray { index, value: args[0].0 })?, sort))
}

/// Operators with any number of arguments, with two, and comparisons.
fn bit_vector(terms: &mut Terms, name: &str, args: &[Typed]) -> Option<Applied> {
    use BinaryOp::*;
    enum Shape {
        Unary(UnaryOp),
        Many(BinaryOp),
        Two(BinaryOp),
        Comparison(BinaryOp),
    }
    use Shape::*;
    let shape = match name {
        "bvnot" => Unary(UnaryOp::Not),
        "bvneg" => Unary(UnaryOp::Neg),
        "bvuaddo" => Comparison(Uaddo),
        "bvsaddo" => Comparison(Saddo),
        "bvumulo" => Comparison(Umulo),
        "bvsmulo" => Comparison(Smulo),
        "bvusubo" => Comparison(Usubo),
        "bvssubo" => Comparison(Ssubo),
        "bvsdivo" => Comparison(Sdivo),
        "bvcomp" => {
            return Some((|| {
                count(args, 2, 2)?;
                width(args)?;
                Ok((terms.add(Term::Binary(Eq, args[0].0, args[1].0))?, Type::bv(1)))
            })());
        }
        "concat" => return Some(concat(terms, args)),
        _ => match operator_named(name)? {
            op @ (And | Or | Xor | Add | Mul | Sub) => Many(op),
            op if is_ordering(op) => Comparison(op),
            op => Two(op),
        },
    };
    Some((|| {
        let width = width(args)?;
        let (least, most) = match shape {
            Unary(_) => (1, 1),
            Many(_) => (1, usize::MAX),
            Two(_) | Comparison(_) => (2, 2),
        };
        count(args, least, most)?;
        Ok(match shape {
            Unary(op) => (terms.add(Term::Unary(op, args[0].0))?, Type::bv(width)),
            Many(op) | Two(op) => {
                (left(terms, args, |a, b| Term::Binary(op, a, b))?, Type::bv(width))
            }
            Comparison(op) => (terms.add(Term::Binary(op, args[0].0, args[1].0))?, BOOL),
        })
    })())
}

fn concat(terms: &mut Terms, args: &[Typed]) -> Applied {
    count(args, 1, usize::MAX)?;
    for &arg in args {
        width(&[arg])?;
    }
    let joined = left(terms, args, |a, b| Term::Binary(BinaryOp::Concat, a, b))?;
    Ok((joined, Type::bv(terms.width(joined))))
}

/// A function with numbers in its name, `((_ extract 7 0) x)`; `None` if there is no such one.
pub(super) fn indexed(
    terms: &mut Terms,
    name: &str,
    numbers: &[u32],
    args: &[Typed],
) -> Option<Applied> {
    let is_known = matches!(
        name,
        "extract" | "zero_extend" | "sign_extend" | "repeat" | "rotate_left" | "rotate_right"
    );
    if name == "divisible" {
        return Some(divisible(terms, numbers, args));
    }
    is_known.then(|| {
        count(args, 1, 1)?;
        let (arg, width) = (args[0].0, width(args)?);
        let term = match (name, numbers) {
            ("extract", &[high, low]) => terms.add(Term::Slice { arg, high, low })?,
            ("zero_extend", &[by]) => terms.add(Term::Extend { arg, by, signed: false })?,
            ("sign_extend", &[by]) => terms.add(Term::Extend { arg, by, signed: true })?,
            ("repeat", &[times]) => {
                if times == 0 || u64::from(times) * u64::from(width) > u64::from(MAX_WIDTH) {
                    return misuse(format!("{times} times {width} bits are not supported"));
                }
                let copies = vec![args[0]; times as usize];
                left(terms, &copies, |a, b| Term::Binary(BinaryOp::Concat, a, b))?
            }
            ("rotate_left" | "rotate_right", &[by]) => {
                let by = by % width;
                let low = if name == "rotate_left" { width - by } else { by } % width;
                if low == 0 {
                    arg
                } else {
                    let top = terms.add(Term::Slice { arg, high: low - 1, low: 0 })?;
                    let bottom = terms.add(Term::Slice { arg, high: width - 1, low })?;
                    terms.add(Term::Binary(BinaryOp::Concat, top, bottom))?
                }
            }
            _ => return misuse("the numbers after its name do not fit"),
        };
        Ok((term, Type::bv(terms.width(term))))
    })
}

fn divisible(terms: &mut Terms, numbers: &[u32], args: &[Typed]) -> Applied {
    let &[by] = numbers else { return misuse("it needs one number") };
    if by == 0 {
        return misuse("the number must be positive");
    }
    count(args, 1, 1)?;
    all_are(args, INT)?;
    let (by, zero) = (terms.integer(by), terms.integer(0));
    let rest = terms.int_binary(IntOp::Mod, args[0].0, by);
    Ok((terms.binary(BinaryOp::Eq, rest, zero), BOOL))
}
