//! Terms written as C mean what they say: the text is read back by the front end, and both terms
//! have the same value, for random terms over variables of all types.

use pedra_c::express::Express;
use pedra_c::{DataModel, Options};
use pedra_model::bv::Bv;
use pedra_model::eval::ops::apply;
use pedra_model::random::Random;
use pedra_model::term::{BinaryOp, Term, TermId, Terms, UnaryOp};
use pedra_model::value::Value;
use pedra_program::{Action, Program, VariableId};
use rustc_hash::FxHashMap;

const TYPES: [(&str, &str); 8] = [
    ("a", "signed char"),
    ("b", "unsigned char"),
    ("c", "short"),
    ("d", "unsigned short"),
    ("e", "int"),
    ("f", "unsigned int"),
    ("g", "long long"),
    ("h", "unsigned long long"),
];

/// A program with all variables and one assertion.
fn program(condition: &str, model: DataModel) -> Program {
    let globals: String = TYPES.iter().map(|(name, ty)| format!("{ty} {name};\n")).collect();
    let uses: String = TYPES.iter().map(|(name, _)| format!("{name} = {name} + 0; ")).collect();
    let text = format!(
        "extern void reach_error(void);\nint r;\n{globals}\
         int main(void) {{ {uses} r = ({condition}); \
         if (r) {{ reach_error(); }} return 0; }}\n"
    );
    let options = Options { model, ..Options::default() };
    pedra_c::load(text.as_bytes(), "t.c", &options).unwrap_or_else(|e| panic!("{condition}: {e}"))
}

fn variable(program: &Program, name: &str) -> VariableId {
    let is_meant = |id: &VariableId| program.variable(*id).name.as_deref() == Some(name);
    *program.globals.iter().find(|id| is_meant(id)).expect("the variable is used")
}

/// What the assignment to `r` says.
fn result(program: &Program) -> TermId {
    let r = variable(program, "r");
    let edges = &program.procedure(program.entry).edges;
    let update = edges.iter().filter(|edge| edge.text.starts_with("r =")).find_map(|edge| {
        match &edge.action {
            Action::Step(step) => step.updates.iter().find(|(id, _)| *id == r),
            Action::Call(_) => None,
        }
    });
    update.expect("an assignment").1
}

/// A term of a width over the variables.
fn random_term(terms: &mut Terms, leaves: &[TermId], random: &mut Random, depth: usize) -> TermId {
    let width = random.pick(&[8, 16, 32, 64]);
    of_width(terms, leaves, random, depth, width)
}

fn of_width(
    terms: &mut Terms,
    leaves: &[TermId],
    random: &mut Random,
    depth: usize,
    width: u32,
) -> TermId {
    use BinaryOp::*;
    let fitting: Vec<TermId> =
        leaves.iter().copied().filter(|&leaf| terms.width(leaf) == width).collect();
    if depth == 0 {
        return match fitting.is_empty() || random.one_in(3) {
            true => terms.constant(Bv::from_u64(64, random.biased()).slice(width - 1, 0)),
            false => random.pick(&fitting),
        };
    }
    match random.below(9) {
        0 => {
            let a = of_width(terms, leaves, random, depth - 1, width);
            let op = random.pick(&[UnaryOp::Not, UnaryOp::Neg, UnaryOp::Inc, UnaryOp::Dec]);
            terms.unary(op, a)
        }
        1 if width > 8 => {
            let narrow = random.pick(&[8, 16, 32].map(|w: u32| w.min(width / 2)));
            let arg = of_width(terms, leaves, random, depth - 1, narrow);
            let term = Term::Extend { arg, by: width - narrow, signed: random.coin() };
            terms.add(term).expect("it fits")
        }
        2 if width < 64 => {
            let arg = of_width(terms, leaves, random, depth - 1, 64);
            let low = random.below(64 - width as usize) as u32;
            terms.add(Term::Slice { arg, high: low + width - 1, low }).expect("it fits")
        }
        3 if width > 8 => {
            let a = of_width(terms, leaves, random, depth - 1, width / 2);
            let b = of_width(terms, leaves, random, depth - 1, width / 2);
            terms.binary(Concat, a, b)
        }
        4 => {
            let c = condition(terms, leaves, random, depth - 1);
            let a = of_width(terms, leaves, random, depth - 1, width);
            let b = of_width(terms, leaves, random, depth - 1, width);
            terms.add(Term::Ite(c, a, b)).expect("it fits")
        }
        5 => {
            let a = of_width(terms, leaves, random, depth - 1, width);
            let by = Bv::from_u64(width, random.below(width as usize) as u64);
            let by = terms.constant(by);
            terms.binary(random.pick(&[Sll, Srl, Sra]), a, by)
        }
        6 => {
            let a = of_width(terms, leaves, random, depth - 1, width);
            let by = Bv::from_u64(64, random.biased() | 2).slice(width - 1, 0);
            let by = terms.constant(by);
            terms.binary(random.pick(&[Udiv, Urem, Sdiv, Srem]), a, by)
        }
        _ => {
            let a = of_width(terms, leaves, random, depth - 1, width);
            let b = of_width(terms, leaves, random, depth - 1, width);
            terms.binary(random.pick(&[Add, Sub, Mul, And, Or, Xor]), a, b)
        }
    }
}

fn condition(terms: &mut Terms, leaves: &[TermId], random: &mut Random, depth: usize) -> TermId {
    use BinaryOp::*;
    match random.below(if depth == 0 { 2 } else { 5 }) {
        0 | 1 => {
            let width = random.pick(&[8, 16, 32, 64]);
            let a = of_width(terms, leaves, random, depth, width);
            let b = of_width(terms, leaves, random, depth, width);
            terms.binary(random.pick(&[Eq, Neq, Ult, Ulte, Slt, Sgte, Ugt, Sgt]), a, b)
        }
        2 => {
            let arg = random_term(terms, leaves, random, depth - 1);
            let bit = random.below(terms.width(arg) as usize) as u32;
            terms.add(Term::Slice { arg, high: bit, low: bit }).expect("it fits")
        }
        3 => {
            let a = condition(terms, leaves, random, depth - 1);
            terms.not(a)
        }
        _ => {
            let a = condition(terms, leaves, random, depth - 1);
            let b = condition(terms, leaves, random, depth - 1);
            terms.binary(random.pick(&[And, Or, Implies, Iff, Xor]), a, b)
        }
    }
}

/// The value of a term if the variables have these values.
fn value(program: &Program, terms: &Terms, term: TermId, values: &[Bv]) -> bool {
    let bindings = TYPES.iter().zip(values).map(|((name, _), value)| {
        (program.term_of(variable(program, name)), Value::Bv(value.clone()))
    });
    let mut known: FxHashMap<TermId, Value> = bindings.collect();
    let cone = terms.cone([term]);
    for (id, shape) in terms.iter().filter(|(id, _)| cone[id.index()]) {
        if let Some(value) = apply(shape, |arg| &known[&arg]) {
            known.insert(id, value);
        }
    }
    !known[&term].as_bv().is_zero()
}

#[test]
fn texts_mean_the_terms() {
    let mut random = Random::new(7);
    let mut printed = 0;
    for round in 0..400 {
        let model = if round % 2 == 0 { DataModel::Ilp32 } else { DataModel::Lp64 };
        let base = program("a == 0", model);
        let mut terms = base.terms.clone();
        let ids: Vec<VariableId> = TYPES.iter().map(|(name, _)| variable(&base, name)).collect();
        let leaves: Vec<TermId> = ids.iter().map(|&id| base.term_of(id)).collect();
        let term = condition(&mut terms, &leaves, &mut random, 3);
        let names = ids.iter().zip(TYPES).map(|(&id, (name, _))| (id, name.to_owned()));
        let express = Express::new(&base, names.collect::<Vec<_>>());
        let Some(text) = express.condition(&mut terms, term) else { continue };
        printed += 1;
        let read = program(&text, model);
        let meant = result(&read);
        for _ in 0..40 {
            let values: Vec<Bv> = leaves
                .iter()
                .map(|&leaf| Bv::from_u64(64, random.biased()).slice(terms.width(leaf) - 1, 0))
                .collect();
            let expected = value(&base, &terms, term, &values);
            let found = value(&read, &read.terms, meant, &values);
            assert_eq!(found, expected, "{text}\n{values:?}");
        }
    }
    assert!(printed > 200, "{printed}");
}

/// Sums that cannot overflow need no unsigned types, and numbers of several widths no casts beyond
/// the one that makes the sum wide.
#[test]
fn plain_sums() {
    for (condition, text) in [
        ("(long long)e + 999998 >= 0", "(long long)e + 999998 >= 0"),
        ("(long long)e - 5 < c", "(long long)e - 5 < c"),
        ("2 * (long long)e + c == g", "(long long)e * 2 + c == g"),
        ("e + 1 > c", "(int)((unsigned int)e + 1) > c"),
    ] {
        let base = program(condition, DataModel::Ilp32);
        let names = TYPES.map(|(name, _)| (variable(&base, name), name.to_owned()));
        let mut terms = base.terms.clone();
        let Term::Extend { arg: term, .. } = *terms.get(result(&base)) else {
            panic!("the value of a comparison")
        };
        let shown = Express::new(&base, names).condition(&mut terms, term);
        assert_eq!(shown.as_deref(), Some(text), "{condition}");
    }
}
