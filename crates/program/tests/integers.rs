//! Words read as integers, and back.

use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, IntOp, Sort, TermId, Terms};
use pedra_model::value::Value;
use pedra_program::inline::inline;
use pedra_program::interpreter::evaluate;
use pedra_program::passes::integers::integer_image;
use pedra_program::{Procedure, Program, Span, VariableId};
use pedra_testkit::programs::{ProgramShape, random_program};
use pedra_testkit::random::{Random, runs};

/// A program with four words, of which two are signed, and a bit.
fn words() -> (Program, [TermId; 5]) {
    let mut program = Program::new();
    let span = Span::default();
    let add = |program: &mut Program, width: u32, is_signed: bool| {
        let id = program.add_variable(Sort::Bv(width), None, "", is_signed, span);
        program.term_of(id)
    };
    let of = [(4, true), (4, false), (6, true), (6, false), (1, false)];
    let terms = of.map(|(width, is_signed)| add(&mut program, width, is_signed));
    program.procedures.push(Procedure::new("main", span));
    let globals = (0..terms.len()).map(VariableId::new);
    program.globals = globals.collect();
    (program, terms)
}

/// A random sum, quotient or remainder.
fn number(random: &mut Random, terms: &mut Terms, symbols: &[TermId], depth: usize) -> TermId {
    if depth == 0 || random.one_in(4) {
        return match random.one_in(3) {
            true => terms.integer(random.below(41) as i64 - 20),
            false => random.pick(symbols),
        };
    }
    let a = number(random, terms, symbols, depth - 1);
    let (op, b) = match random.below(5) {
        0 => (IntOp::Mul, terms.integer(random.below(7) as i64 - 3)),
        1 => (IntOp::Div, terms.integer(random.between(1, 9) as i64)),
        2 => (IntOp::Mod, terms.integer(random.between(1, 9) as i64)),
        3 => (IntOp::Sub, number(random, terms, symbols, depth - 1)),
        _ => (IntOp::Add, number(random, terms, symbols, depth - 1)),
    };
    terms.int_binary(op, a, b)
}

/// What is read back holds of words if and only if it held of their numbers.
#[test]
fn conditions_are_read_back_exactly() {
    let (program, words) = words();
    let image = integer_image(&program).expect("no arrays");
    let ids = image.program.globals.clone();
    let symbols: Vec<TermId> = ids.iter().map(|&id| image.program.term_of(id)).collect();
    let mut random = Random::new(5);
    let (mut read, mut lost, mut held, mut failed) = (0, 0, 0, 0);
    for round in 0..runs(400) {
        let mut from = image.program.terms.clone();
        let depth = random.below(4);
        let sides = [0; 2].map(|_| number(&mut random, &mut from, &symbols[..4], depth));
        let op = random.pick(&[IntOp::Le, IntOp::Lt, IntOp::Ge, IntOp::Gt]);
        let compared = match random.one_in(4) {
            true => from.binary(BinaryOp::Eq, sides[0], sides[1]),
            false => from.int_binary(op, sides[0], sides[1]),
        };
        let condition = match random.one_in(2) {
            true => from.or(compared, symbols[4]),
            false => from.not(compared),
        };
        let mut to = program.terms.clone();
        let Some(back) = image.word(&from, condition, &program, &mut to) else {
            lost += 1;
            continue;
        };
        read += 1;
        for _ in 0..50 {
            let values = words.map(|word| {
                Bv::from_u64(
                    program.terms.width(word),
                    random.word() % (1 << program.terms.width(word)),
                )
            });
            let numbers = [0, 1, 2, 3, 4].map(|i| match i {
                4 => Value::Bv(values[4].clone()),
                _ => Value::Int(image.number(ids[i], &values[i])),
            });
            let values = values.map(Value::Bv);
            let at = |all: &[TermId], symbol: TermId| {
                all.iter().position(|&one| one == symbol).expect("a variable")
            };
            let before = evaluate(&from, [condition], |s| &numbers[at(&symbols, s)]);
            let after = evaluate(&to, [back], |s| &values[at(&words, s)]);
            let holds = after[&back].as_bv().is_true();
            assert_eq!(before[&condition].as_bv().is_true(), holds, "round {round}");
            *(if holds { &mut held } else { &mut failed }) += 1;
        }
    }
    assert!(read > lost && held > 1_000 && failed > 1_000, "{read} {lost} {held} {failed}");
}

/// Images are well formed and have no words; programs with arrays have none.
#[test]
fn images_have_integers_only() {
    let mut random = Random::new(3);
    let mut made = 0;
    for round in 0..runs(200) {
        let shape = ProgramShape { procedures: 1, arrays: round % 4 == 0, ..Default::default() };
        let program = random_program(&mut random, shape);
        let program = inline(&program, 10_000).expect("no recursion").program;
        let has_arrays = program.variables.iter().any(|v| program.terms.sort(v.term).is_array());
        let image = integer_image(&program);
        assert_eq!(image.is_none(), has_arrays, "round {round}");
        let Some(image) = image else { continue };
        assert_eq!(image.program.check(), Ok(()));
        let is_small = |sort: Sort| matches!(sort, Sort::Int | Sort::BOOL);
        assert!(image.program.terms.iter().all(|(id, _)| is_small(image.program.terms.sort(id))));
        made += 1;
    }
    assert!(made > 50, "{made}");
}
