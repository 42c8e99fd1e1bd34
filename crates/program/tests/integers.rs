//! Words read as integers, and back.

use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, IntOp, Sort, Term, TermId, Terms, UnaryOp};
use pedra_model::value::Value;
use pedra_program::inline::inline;
use pedra_program::interpreter::evaluate;
use pedra_program::passes::integers::integer_image;
use pedra_program::{Action, Edge, Procedure, Program, Span, Step, VariableId};
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

/// How a case of [`operators_keep_their_value`] went.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kept {
    /// The number stands for the value of the word.
    Yes,
    /// The operator has no counterpart: its result is arbitrary.
    Arbitrary,
    No,
}

/// The value of a term over words, against that of its image.
fn kept(words: &Program, term: TermId, values: &[Bv]) -> Kept {
    let mut program = words.clone();
    let (span, sort) = (Span::default(), words.terms.sort(term));
    let result = program.add_variable(sort, None, "", false, span);
    program.globals.push(result);
    let action = Action::Step(Step { updates: vec![(result, term)], ..Step::default() });
    let main = &mut program.procedures[0];
    main.add_edge(Edge { from: main.entry, to: main.exit, action, span, text: "".into() });
    let image = integer_image(&program).expect("words only");
    let Action::Step(step) = &image.program.procedures[0].edges[0].action else {
        panic!("a step");
    };
    if !step.inputs.is_empty() {
        return Kept::Arbitrary;
    }
    let is_bit = |id: VariableId| program.terms.width(program.term_of(id)) == 1;
    let number = |(at, value): (usize, &Bv)| match is_bit(VariableId::new(at)) {
        true => Value::Bv(value.clone()),
        false => Value::Int(image.number(VariableId::new(at), value)),
    };
    let numbers: Vec<Value> = values.iter().enumerate().map(number).collect();
    let values: Vec<Value> = values.iter().cloned().map(Value::Bv).collect();
    let at = |of: &Program, symbol: TermId| {
        of.variables.iter().position(|v| v.term == symbol).expect("a variable")
    };
    let before = evaluate(&program.terms, [term], |s| &values[at(&program, s)]);
    let root = step.updates[0].1;
    let after = evaluate(&image.program.terms, [root], |s| &numbers[at(&image.program, s)]);
    let is_same = match &after[&root] {
        Value::Int(number) => {
            let modulus = num_bigint::BigInt::from(1) << program.terms.width(term);
            let word = before[&term].as_bv().to_bigint();
            (number - word) % modulus == num_bigint::BigInt::ZERO
        }
        bit => *bit == before[&term],
    };
    if is_same { Kept::Yes } else { Kept::No }
}

/// Every operator over variables and constants of one and two bits, for all their values.
#[test]
fn operators_keep_their_value() {
    let (mut same, mut arbitrary) = (0, 0);
    for widths in [[1, 1], [1, 2], [2, 1], [2, 2]] {
        for is_signed in [false, true] {
            let mut program = Program::new();
            let span = Span::default();
            let [a, b] = widths.map(|width| {
                let id = program.add_variable(Sort::Bv(width), None, "", is_signed, span);
                program.globals.push(id);
                program.term_of(id)
            });
            program.procedures.push(Procedure::new("main", span));
            for term in operators(&mut program.terms, a, b, is_signed) {
                for bits in 0..1u64 << (widths[0] + widths[1]) {
                    let low = Bv::from_u64(widths[0], bits & ((1 << widths[0]) - 1));
                    let values = [low, Bv::from_u64(widths[1], bits >> widths[0])];
                    let shown = format!("{:?} {values:?}", program.terms.get(term));
                    match kept(&program, term, &values) {
                        Kept::Yes => same += 1,
                        Kept::Arbitrary => arbitrary += 1,
                        Kept::No => panic!("{shown}, signed: {is_signed}"),
                    }
                }
            }
        }
    }
    assert!(same > 2_000 && same > arbitrary, "{same} {arbitrary}");
}

/// Operators on two words. Without those that read words in another way than their variables are,
/// and without tests for overflow of words, which are never true of integers.
fn operators(terms: &mut Terms, a: TermId, b: TermId, is_signed: bool) -> Vec<TermId> {
    use BinaryOp::*;
    let (wide, is_wide) = (terms.width(a).max(terms.width(b)), |t: &Terms, id| t.width(id) > 1);
    let mut found: Vec<TermId> = UnaryOp::ALL.iter().map(|&op| terms.unary(op, a)).collect();
    let mut operands = vec![b];
    for value in 0..1u64 << terms.width(b) {
        operands.push(terms.constant(Bv::from_u64(terms.width(b), value)));
    }
    for b in operands {
        for (a, b) in [(a, b), (b, a)] {
            for &op in BinaryOp::ALL {
                let is_read_otherwise = match op {
                    Slt | Slte | Sgt | Sgte | Sdiv | Srem | Smod | Sra => !is_signed,
                    Ult | Ulte | Ugt | Ugte | Udiv | Urem | Srl | Concat => is_signed,
                    Saddo | Uaddo | Smulo | Umulo | Ssubo | Usubo | Sdivo => true,
                    _ => false,
                };
                if wide == 1 || !is_read_otherwise {
                    found.extend(terms.add(Term::Binary(op, a, b)));
                }
            }
            found.extend(terms.add(Term::Ite(a, b, b)));
            found.extend(terms.add(Term::Ite(a, a, b)));
        }
    }
    for high in 0..terms.width(a) {
        for low in 0..=high {
            found.push(terms.add(Term::Slice { arg: a, high, low }).expect("sorts fit"));
        }
    }
    for (by, signed) in [(0, false), (0, true), (1, false), (1, true)] {
        if !is_wide(terms, a) || signed == is_signed {
            found.push(terms.add(Term::Extend { arg: a, by, signed }).expect("sorts fit"));
        }
    }
    // The bits of a word the other way round, and one bit twice.
    if is_wide(terms, a) {
        let bit = |terms: &mut Terms, at| {
            terms.add(Term::Slice { arg: a, high: at, low: at }).expect("sorts fit")
        };
        let (low, high) = (bit(terms, 0), bit(terms, 1));
        found.push(terms.binary(Concat, low, high));
    }
    found
}
