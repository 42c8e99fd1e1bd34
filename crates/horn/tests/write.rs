//! Clauses of programs as text. Where a `z3` is on the path, it decides them as the explicit search
//! or the manifest says; `PEDRA_FUZZ_RUNS` sets how many.

use pedra_horn::model::model;
use pedra_horn::{ByZero, Clauses, lower, raise, read, write};
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, UnaryOp};
use pedra_testkit::programs::{ProgramShape, explore_program, random_program};
use pedra_testkit::random::{Random, runs};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

fn has_z3() -> bool {
    Command::new("z3").arg("--version").output().is_ok()
}

/// Whether z3 finds the clauses satisfiable; `None` if there is none or it does not know.
fn z3(script: &str, arguments: &[&str]) -> Option<bool> {
    let mut command = Command::new("z3");
    command.args(["-in", "-T:5"]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(script.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("error"), "{text}\n{script}");
    match text.trim() {
        "sat" => Some(true),
        "unsat" => Some(false),
        _ => None,
    }
}

fn written_again(text: &str) -> String {
    write(&read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

/// What was written reads back as the same clauses, once truth values and bits are told apart.
fn check_round_trip(text: &str) {
    let once = written_again(text);
    assert_eq!(written_again(&once), once, "{text}");
}

#[test]
fn clauses_are_decided_as_programs_are() {
    let mut random = Random::new(31);
    let (mut asked, mut decided, mut calls, mut unsafe_ones) = (0, 0, 0, 0);
    for run in 0..runs(40) {
        let shape = ProgramShape {
            procedures: 3,
            places: 3,
            bits: 3,
            recursion: run % 3 == 0,
            arrays: run % 4 == 0,
            ..ProgramShape::default()
        };
        let program = random_program(&mut random, shape);
        let clauses = raise(&program);
        let text = write(&clauses);
        check_round_trip(&text);
        let again = lower(&clauses, "again").expect("small");
        assert_eq!(again.check(), Ok(()));
        check_round_trip(&write(&raise(&again)));
        calls += usize::from(clauses.num_nonlinear() > 0);
        let Some(found) = explore_program(&program, 2_000) else { continue };
        let is_safe = found.violated.iter().all(Option::is_none);
        for text in [text, write(&raise(&again))] {
            asked += 1;
            if let Some(answer) = z3(&text, &["fp.engine=spacer"]) {
                assert_eq!(answer, is_safe, "run {run}\n{text}");
                decided += 1;
                unsafe_ones += usize::from(!is_safe);
            }
        }
    }
    assert!(calls > 0 && asked > 0);
    assert!(!has_z3() || (decided > asked / 3 && unsafe_ones > 0), "{decided} of {asked}");
}

#[test]
fn models_are_decided_as_the_manifest_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/programs");
    let manifest = std::fs::read_to_string(folder.join("manifest.tsv")).expect("the manifest");
    for line in manifest.lines().filter(|line| line.contains(".smt2\t")) {
        let cells: Vec<&str> = line.split('\t').collect();
        let text = std::fs::read(folder.join(cells[0])).expect("a file");
        let program = lower(&read(&text).expect("clauses"), cells[0]).expect("small");
        let written = write(&raise(&program));
        assert_eq!(written_again(&written), written);
        if let Some(is_safe) = z3(&written, &["fp.engine=spacer"]) {
            assert_eq!(if is_safe { "proved" } else { "violated" }, cells[2], "{}", cells[0]);
        }
    }
}

/// Clauses that were read leave division by zero open; those of programs have the program's value.
#[test]
fn division_by_zero_stays_open() {
    let text = "(set-logic HORN)(declare-fun P (Int) Bool)\
        (assert (forall ((x Int) (y Int)) (=> (>= y 0) (P (+ (div x y) (mod x y) (div x 0))))))\
        (assert (forall ((x Int)) (=> (and (P x) (= x (ite (= x 0) 0 (div 7 x)))) false)))\
        (check-sat)";
    let clauses = read(text.as_bytes()).expect("clauses");
    assert_eq!(clauses.by_zero, ByZero::Open);
    let through = Clauses { by_zero: ByZero::Open, ..raise(&lower(&clauses, "x").expect("small")) };
    for open in [write(&clauses), write(&through)] {
        assert_eq!(open.matches("(ite ").count(), 1, "{open}");
        assert_eq!(open.matches("(div ").count(), 3, "{open}");
        check_round_trip(&open);
    }
    let fixed = write(&Clauses { by_zero: ByZero::Fixed, ..clauses });
    assert_eq!(fixed.matches("(ite ").count(), 4, "{fixed}");
    // With an open value Z3 may choose one that reaches nothing; the fixed one reaches the query.
    let reached = "(set-logic HORN)(declare-fun P (Int) Bool)\
        (assert (forall ((x Int)) (=> (= x 0) (P (div 1 x)))))\
        (assert (forall ((x Int)) (=> (and (P x) (= x 0)) false)))(check-sat)";
    let clauses = read(reached.as_bytes()).expect("clauses");
    let fixed = write(&Clauses { by_zero: ByZero::Fixed, ..clauses.clone() });
    if let Some(is_safe) = z3(&fixed, &[]) {
        assert!(!is_safe, "{fixed}");
        assert_ne!(z3(&write(&clauses), &[]), Some(false), "{clauses:?}");
    }
}

/// A script for some of the queries asks about these, and defines what is needed for them.
#[test]
fn interpretations_are_about_the_queries_that_are_proved() {
    let text = "(set-logic HORN)(declare-fun P (Int) Bool)(declare-fun Q (Int) Bool)\n\
        (assert (forall ((x Int)) (=> (> x 0) (P x))))\n\
        (assert (forall ((x Int)) (=> (P x) (Q (- x)))))\n\
        (assert (forall ((x Int)) (=> (Q x) (Q (- x 1)))))\n\
        (assert (forall ((x Int)) (=> (and (Q x) (< x 5)) false)))\n\
        (assert (forall ((x Int)) (=> (and (P x) (< x 0)) false)))\n(check-sat)";
    let clauses = read(text.as_bytes()).expect("clauses");
    let unknown = [None, None];
    assert_eq!(model(&clauses, &clauses.terms, &unknown, &[0]), None, "Q depends on itself");
    assert_eq!(model(&clauses, &clauses.terms, &unknown, &[2]), None, "there is no such query");
    let script = model(&clauses, &clauses.terms, &unknown, &[1]).expect("a script");
    let (header, commands) = script.split_once("(set-logic").expect("a header");
    assert!(header.contains("line 6: ") && !header.contains("line 5: "), "{header}");
    assert_eq!(commands.matches("(check-sat)").count(), 4, "{script}");
    assert!(!commands.contains("(< x0 5)"), "{script}");
    let queries = ["(and (|P| x0) (< x0 0)) false", "(< x0 0)"];
    assert!(queries.iter().all(|query| commands.contains(query)), "{script}");
    if has_z3() {
        let mut child = Command::new("z3");
        child.arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.spawn().expect("z3 starts");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(script.as_bytes()).expect("written");
        drop(input);
        let output = child.wait_with_output().expect("z3 ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "unsat\n".repeat(4), "{script}");
    }
}

/// Each operator, over words, single bits, integers and arrays: its text means the same to z3 as
/// the text of the plain printer, which writes bits as bit-vectors.
#[test]
fn operators_mean_what_they_should() {
    let mut clauses = pedra_horn::Clauses::new();
    let terms = &mut clauses.terms;
    let mut claims = Vec::new();
    for width in [1, 3] {
        let [a, b] = [0; 2].map(|_| terms.new_symbol(Sort::Bv(width)));
        for &op in UnaryOp::ALL {
            claims.push(terms.unary(op, a));
        }
        for &op in BinaryOp::ALL {
            if width == 1 || !matches!(op, BinaryOp::Iff | BinaryOp::Implies) {
                claims.push(terms.binary(op, a, b));
            }
        }
        claims.push(terms.add(Term::Extend { arg: a, by: 2, signed: true }).expect("sorts"));
        claims.push(terms.add(Term::Slice { arg: a, high: 0, low: 0 }).expect("sorts"));
    }
    let [x, y] = [0; 2].map(|_| terms.new_symbol(Sort::Int));
    claims.extend(IntOp::ALL.map(|op| terms.int_binary(op, x, y)));
    claims.push(terms.add(Term::IntNeg(x)).expect("sorts"));
    let array = terms.new_symbol(Sort::Array { index: Scalar::Int, element: Scalar::Bv(1) });
    let read_bit = terms.read(array, x);
    claims.push(terms.write(array, y, read_bit));
    let value = terms.constant(Bv::from_u64(3, 5));
    claims.push(terms.add(Term::ConstArray { index: Scalar::Int, value }).expect("sorts"));
    for claim in claims {
        let result = clauses.terms.new_symbol(clauses.terms.sort(claim));
        let equal = clauses.terms.binary(BinaryOp::Eq, result, claim);
        let clause = pedra_horn::Clause {
            body: Vec::new(),
            constraint: vec![equal],
            head: None,
            span: pedra_program::Span::default(),
            text: "".into(),
        };
        let set = pedra_horn::Clauses { clauses: vec![clause], ..clauses.clone() };
        check_same(&set, &write(&set));
    }
}

/// The clause as it was and as it was read again differ nowhere: a question without predicates,
/// for which any values will do.
fn check_same(set: &pedra_horn::Clauses, text: &str) {
    check_round_trip(text);
    let again = read(text.as_bytes()).expect("clauses");
    let mut random = Random::new(1);
    let (before, after) = (&set.clauses[0], &again.clauses[0]);
    // The writer lists variables by first occurrence, and the reader makes them in that order.
    let mut old: Vec<TermId> = Vec::new();
    let mut stack: Vec<TermId> = before.constraint.iter().rev().copied().collect();
    while let Some(term) = stack.pop() {
        stack.extend(set.terms.get(term).args().rev());
        if set.terms.symbol_of(term).is_some() && !old.contains(&term) {
            old.push(term);
        }
    }
    let is_symbol = |id: &TermId| again.terms.symbol_of(*id).is_some();
    let new: Vec<TermId> =
        again.terms.iter().map(|(id, _)| id).filter(is_symbol).take(old.len()).collect();
    for _ in 0..200 {
        let values: Vec<_> = old.iter().map(|&s| value(&mut random, set.terms.sort(s))).collect();
        let holds = |clauses: &pedra_horn::Clauses, clause: &pedra_horn::Clause, own: &[_]| {
            let mut all: Vec<pedra_model::value::Value> = Vec::new();
            for (id, term) in clauses.terms.iter() {
                let known = own.iter().position(|s| *s == id).map(|at| values[at].clone());
                let value = pedra_model::eval::ops::apply(term, |arg| &all[arg.index()]);
                let zero = || pedra_model::value::Value::zero(clauses.terms.sort(id));
                all.push(known.or(value).unwrap_or_else(zero));
            }
            clause.constraint.iter().all(|c| all[c.index()].as_bv().is_true())
        };
        assert_eq!(holds(set, before, &old), holds(&again, after, &new), "{text}");
    }
}

fn value(random: &mut Random, sort: Sort) -> pedra_model::value::Value {
    use pedra_model::value::Value;
    match sort {
        Sort::Bv(width) => Value::Bv(Bv::from_u64(width, random.word())),
        Sort::Int => Value::Int((random.below(7) as i64 - 3).into()),
        Sort::Array { index, element } => {
            let [all, one] = [0; 2].map(|_| value(random, element.into()));
            Value::everywhere(index, &all).write(&value(random, index.into()), &one)
        }
    }
}
