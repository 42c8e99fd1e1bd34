//! Operators and conversions against arithmetic on `i128`: at 8 bits all values, at wider types
//! the values at the edges. The terms of an assignment are evaluated directly.

use crate::common;

use common::try_load;
use pedra_c::DataModel;
use pedra_model::bv::Bv;
use pedra_model::eval::ops;
use pedra_model::term::TermId;
use pedra_model::value::Value;
use pedra_program::{Action, Program, Step};

/// The types with their widths and signs.
const fn types(model: DataModel) -> [(&'static str, u32, bool); 12] {
    let long = match model {
        DataModel::Ilp32 => 32,
        DataModel::Lp64 => 64,
    };
    [
        ("_Bool", 1, false),
        ("char", 8, true),
        ("signed char", 8, true),
        ("unsigned char", 8, false),
        ("short", 16, true),
        ("unsigned short", 16, false),
        ("int", 32, true),
        ("unsigned", 32, false),
        ("long", long, true),
        ("unsigned long", long, false),
        ("long long", 64, true),
        ("unsigned long long", 64, false),
    ]
}

type Kind = (&'static str, u32, bool);

fn wrap(value: i128, (_, bits, is_signed): Kind) -> i128 {
    let low = value.rem_euclid(1 << bits);
    if is_signed && low >= 1 << (bits - 1) { low - (1 << bits) } else { low }
}

fn fits(value: i128, kind: Kind) -> bool {
    wrap(value, kind) == value
}

/// Promotion: everything below `int` fits in `int`.
fn promoted(kind: Kind) -> Kind {
    if kind.1 < 32 { ("int", 32, true) } else { kind }
}

/// The usual arithmetic conversions, by widths and ranks (the position in the table).
fn common_kind(a: Kind, b: Kind, model: DataModel) -> Kind {
    let table = types(model);
    let rank = |kind: Kind| table.iter().position(|other| other.0 == kind.0).unwrap_or(0) / 2;
    let (a, b) = (promoted(a), promoted(b));
    if a.2 == b.2 {
        return if rank(a) >= rank(b) { a } else { b };
    }
    let (signed, unsigned) = if a.2 { (a, b) } else { (b, a) };
    if rank(unsigned) >= rank(signed) {
        unsigned
    } else if signed.1 > unsigned.1 {
        signed
    } else {
        (table[2 * rank(signed) + 1].0, signed.1, false)
    }
}

/// What C makes of `a op b`: a value, and whether it is defined.
fn reference(
    op: &str,
    a: i128,
    b: i128,
    left: Kind,
    right: Kind,
    model: DataModel,
) -> (i128, bool) {
    let is_shift = matches!(op, "<<" | ">>");
    let kind = if is_shift { promoted(left) } else { common_kind(left, right, model) };
    let (x, y) = if is_shift { (a, b) } else { (wrap(a, kind), wrap(b, kind)) };
    let truth = |value: bool| (i128::from(value), true);
    let exact = |value: i128| (wrap(value, kind), !kind.2 || fits(value, kind));
    match op {
        "+" => exact(x + y),
        "-" => exact(x - y),
        "*" if kind.2 => exact(x * y),
        "*" => (wrap(x.wrapping_mul(y), kind), true),
        "/" | "%" if y == 0 => (0, false),
        "/" => exact(x / y),
        "%" => (wrap(x % y, kind), !kind.2 || fits(x / y, kind)),
        "<<" | ">>" if y < 0 || y >= i128::from(kind.1) => (0, false),
        "<<" => (wrap(x << y, kind), !kind.2 || x >= 0 && fits(x << y, kind)),
        ">>" => (x >> y, true),
        "&" => (wrap(x & y, kind), true),
        "|" => (wrap(x | y, kind), true),
        "^" => (wrap(x ^ y, kind), true),
        "<" => truth(x < y),
        ">" => truth(x > y),
        "<=" => truth(x <= y),
        ">=" => truth(x >= y),
        "==" => truth(x == y),
        "!=" => truth(x != y),
        "&&" => truth(x != 0 && y != 0),
        "||" => truth(x != 0 || y != 0),
        _ => panic!("no operator {op}"),
    }
}

const OPERATORS: [&str; 18] = [
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&",
    "||",
];

/// `long long r = EXPR` with the variables `a` and `b`, as terms.
struct Assignment {
    program: Program,
    step: Step,
    /// All terms that are needed, arguments first.
    order: Vec<TermId>,
}

impl Assignment {
    fn new(left: &str, right: &str, expr: &str, result: &str, model: DataModel) -> Assignment {
        let text = format!(
            "extern {left} a; extern {right} b; {result} r; int main(void) {{ r = {expr}; }}"
        );
        let program = try_load(&text, model).expect("a program");
        let main = program.procedure(program.entry);
        let edge = main.edges.iter().find(|edge| edge.text.starts_with("r =")).expect("an edge");
        let Action::Step(step) = edge.action.clone() else { panic!("a step") };
        let roots = step.updates.iter().map(|(_, value)| *value);
        let cone = program.terms.cone(roots.chain(step.checks.iter().map(|check| check.holds)));
        let order = (0..cone.len()).filter(|&at| cone[at]).map(TermId::new).collect();
        Assignment { program, step, order }
    }

    /// The bits of `r`, and whether all checks hold.
    fn eval(&self, a: i128, b: i128) -> (u64, bool) {
        let mut values: Vec<Option<Value>> = vec![None; self.program.terms.len()];
        for &term in &self.order {
            let of = |arg: TermId| values[arg.index()].as_ref().expect("arguments come first");
            let value = ops::apply(self.program.terms.get(term), of);
            let value = value.unwrap_or_else(|| {
                let is = |v: &&pedra_program::Variable| v.term == term;
                let variable = self.program.variables.iter().find(is).expect("a variable");
                let number = if variable.name.as_deref() == Some("a") { a } else { b };
                let bits = self.program.terms.width(term);
                let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
                Value::Bv(Bv::from_u64(bits, number as u64 & mask))
            });
            values[term.index()] = Some(value);
        }
        let of = |term: TermId| values[term.index()].as_ref().expect("it was evaluated").as_bv();
        // An assignment of the variable's own value is no update.
        let result =
            self.step.updates.first().map_or(0, |(_, term)| of(*term).to_u64().unwrap_or(0));
        (result, self.step.checks.iter().all(|check| of(check.holds).is_true()))
    }
}

/// Compares `a op b`, converted to `long long`, for some values.
fn compare(op: &str, left: Kind, right: Kind, model: DataModel, values: &[i128]) {
    let expr = format!("a {op} b");
    let assignment = Assignment::new(left.0, right.0, &expr, "long long", model);
    for &a in values.iter().filter(|&&a| fits(a, left)) {
        for &b in values.iter().filter(|&&b| fits(b, right)) {
            let (value, is_defined) = reference(op, a, b, left, right, model);
            let (found, holds) = assignment.eval(a, b);
            assert_eq!(holds, is_defined, "{} {a} {op} {} {b} {model:?}", left.0, right.0);
            if is_defined {
                assert_eq!(found, value as u64, "{} {a} {op} {} {b} {model:?}", left.0, right.0);
            }
        }
    }
}

/// All values of all pairs of 8-bit types, for every operator.
#[test]
fn eight_bits() {
    let eight = [("signed char", 8, true), ("unsigned char", 8, false)];
    let values: Vec<i128> = (-128..256).collect();
    for op in OPERATORS {
        for left in eight {
            for right in eight {
                compare(op, left, right, DataModel::Ilp32, &values);
            }
        }
    }
}

/// Numbers where something changes.
fn edges() -> Vec<i128> {
    let mut values: Vec<i128> = vec![0, 1, 2, 3, 5, 31, 32, 63, 64, 46341, 3037000500];
    for bits in [7, 8, 15, 16, 31, 32, 63, 64] {
        values.extend([(1 << bits) - 1, 1 << bits]);
    }
    let negative: Vec<i128> = values.iter().map(|value| -value).collect();
    values.extend(negative);
    values
}

/// All pairs of types at the edges, for every operator and both data models.
#[test]
fn all_types() {
    let values = edges();
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        for op in OPERATORS {
            for left in types(model) {
                for right in types(model) {
                    compare(op, left, right, model, &values);
                }
            }
        }
    }
}

/// Conversions between all pairs of types: all values of 8 bits and those at the edges.
#[test]
fn conversions() {
    let mut values = edges();
    values.extend(-128..256);
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        for from in types(model) {
            for to in types(model) {
                for expr in ["a", &format!("({}) a", to.0)] {
                    let assignment = Assignment::new(from.0, "int", expr, to.0, model);
                    for &a in values.iter().filter(|&&a| fits(a, from)) {
                        let value = if to.0 == "_Bool" { i128::from(a != 0) } else { wrap(a, to) };
                        let mask = if to.1 == 64 { u64::MAX } else { (1 << to.1) - 1 };
                        let (found, holds) = assignment.eval(a, 0);
                        assert_eq!(found, value as u64 & mask, "{} {a} to {}", from.0, to.0);
                        assert!(holds);
                    }
                }
            }
        }
    }
}

/// Operators with one argument.
#[test]
fn unary() {
    let values = edges();
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        for kind in types(model) {
            for op in ["-", "~", "!", "+"] {
                let expr = format!("{op}a");
                let assignment = Assignment::new(kind.0, "int", &expr, "long long", model);
                let wide = promoted(kind);
                for &a in values.iter().filter(|&&a| fits(a, kind)) {
                    let (exact, is_checked) = match op {
                        "-" => (-a, wide.2),
                        "~" => (!a, false),
                        "!" => (i128::from(a == 0), false),
                        _ => (a, false),
                    };
                    let (found, holds) = assignment.eval(a, 0);
                    assert_eq!(holds, !is_checked || fits(exact, wide), "{op} {} {a}", kind.0);
                    if holds {
                        assert_eq!(found, wrap(exact, wide) as u64, "{op} {} {a}", kind.0);
                    }
                }
            }
        }
    }
}
