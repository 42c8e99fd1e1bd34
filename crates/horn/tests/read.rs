//! What is read, what is refused and where, and what the clauses become.

use pedra_horn::{read, read_program};
use pedra_model::random::Random;
use pedra_program::interpreter::{replay, run};
use pedra_program::{CheckKind, ProgramTrace};

const HEAD: &str = "(set-logic HORN)\n(declare-fun P (Int) Bool)\n(declare-fun Q (Int) Bool)\n";

fn clauses(assertions: &str) -> pedra_horn::Clauses {
    let text = format!("{HEAD}{assertions}\n(check-sat)");
    read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{assertions}"))
}

/// The shape of each clause: predicates of the body, number of conjuncts, predicate of the head.
fn shapes(assertions: &str) -> Vec<String> {
    let clauses = clauses(assertions);
    let name = |atom: &pedra_horn::Atom| clauses.predicates[atom.predicate].name.to_string();
    let shape = |clause: &pedra_horn::Clause| {
        let body: Vec<String> = clause.body.iter().map(name).collect();
        let head = clause.head.as_ref().map_or("false".into(), name);
        format!("{} {} > {head}", body.join(" "), clause.constraint.len())
    };
    clauses.clauses.iter().map(shape).collect()
}

#[test]
fn all_forms_of_clauses() {
    for (text, expected) in [
        ("(assert (forall ((x Int)) (=> (and (= x 0) true) (P x))))", &[" 1 > P"][..]),
        ("(assert (P 0))", &[" 0 > P"]),
        ("(assert (forall ((x Int)) (=> (and (P x) (> x 1)) false)))", &["P 1 > false"]),
        ("(assert (forall ((x Int)) (not (and (P x) (> x 1) (< x 5)))))", &["P 2 > false"]),
        ("(assert (not (exists ((x Int)) (and (P x) (> x 1)))))", &["P 1 > false"]),
        ("(assert (forall ((x Int)) (or (not (P x)) (not (> x 1)) (Q x))))", &["P 1 > Q"]),
        ("(assert (forall ((x Int)) (=> (P x) (> x 1) (Q x))))", &["P 1 > Q"]),
        ("(assert (forall ((x Int)) (=> (P x) (or (= x 1) (= x 2)))))", &["P 2 > false"]),
        ("(assert (forall ((x Int)) (=> (and (P x) (not (Q x))) false)))", &["P 0 > Q"]),
        ("(assert (forall ((x Int)) (=> (P x) (and (Q x) (> x 0)))))", &["P 0 > Q", "P 1 > false"]),
        (
            "(assert (forall ((x Int)) (=> (exists ((y Int)) (and (P y) (Q x))) (Q x))))",
            &["P Q 0 > Q"],
        ),
        ("(assert (forall ((x Int)) (let ((y (+ x 1)) (p (P x))) (=> p (Q y)))))", &["P 0 > Q"]),
        (
            "(assert (! (forall ((x Int)) (! (=> (P x) (Q x)) :pattern ((P x)))) :named a))",
            &["P 0 > Q"],
        ),
        ("(assert (=> (or (P 1) (Q 2)) false))", &["P 0 > false", "Q 0 > false"]),
        (
            "(assert (forall ((x Int)) (not (or (and (P x) (> x 1)) (Q x) (= x 3)))))",
            &["P 1 > false", "Q 0 > false", " 1 > false"],
        ),
        ("(assert (forall ((x Int)) (not (=> (Q x) (P x)))))", &[" 0 > Q", "P 0 > false"]),
        ("(assert (=> false (P 0)))", &[]),
        ("(assert true)", &[]),
        ("(assert false)", &[" 0 > false"]),
        (
            "(define-fun f ((x Int) (b Bool)) Int (ite b x 0))\n(assert (P (f 3 (< 1 2))))",
            &[" 0 > P"],
        ),
        ("(declare-var v Int)(rule (=> (P v) (Q (+ v 1))) r)", &["P 0 > Q"]),
    ] {
        assert_eq!(shapes(text), expected, "{text}");
    }
}

#[test]
fn a_query_asks_for_an_element() {
    let text = "(declare-rel R (Int Bool))\n(declare-var x Int)\n(rule (R 0 true))\n(query R)\n";
    let clauses = read(text.as_bytes()).expect("rules");
    assert_eq!(clauses.clauses.len(), 2);
    assert!(clauses.clauses[1].head.is_none());
    assert_eq!(clauses.clauses[1].body[0].args.len(), 2);
}

/// A negated predicate in a query would add elements to it, rather than ask for some.
#[test]
fn a_query_adds_nothing_to_a_predicate() {
    let head = "(declare-rel P (Int))\n(declare-var x Int)\n(rule (P 0))\n";
    for (goal, column) in [
        ("(not (P 7))", 13),
        ("(and (P x) (not (P 7)))", 24),
        ("(=> (P x) false)", 12),
        ("(or (P x) (and (P x) (> x 1) (not (and (P 7) true))))", 47),
    ] {
        let text = format!("{head}(query {goal})\n");
        let error = read(text.as_bytes()).expect_err(goal).to_string();
        assert_eq!(error, format!("4:{column}: a negated predicate in a query"), "{goal}");
    }
    for (goal, expected) in
        [("(and (P x) (not (not (P 7))) (> x 1))", 2), ("P :print-certificate true", 2)]
    {
        let text = format!("{head}(query {goal})\n");
        assert_eq!(read(text.as_bytes()).expect(goal).clauses.len(), expected, "{goal}");
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert!(read("\u{feff}(set-logic HORN)(check-sat)".as_bytes()).is_ok());
    for text in ["\u{feff}(assert x)", "\u{feff}\u{feff}(assert x)", "\u{feff}"] {
        let error = read(text.as_bytes()).expect_err(text).to_string();
        assert!(error.starts_with("1:1: ") || error.starts_with("1:9: `x`"), "{error}");
    }
}

/// The position and a part of the message, for a file of these assertions from line 4 on.
#[test]
fn errors_say_where_and_what() {
    for (text, expected) in [
        ("(assert (P 1.5))", "4:12: real numbers"),
        ("(assert (P true))", "4:9: `P`: an argument is of sort Bool, not Int"),
        ("(assert (P 1 2))", "4:9: `P` has 1 arguments, not 2"),
        ("(assert (R 1))", "4:10: the function `R` is not supported"),
        ("(assert (=> (P x) false))", "4:16: `x` is unknown"),
        ("(assert (+ 1 2))", "4:9: expected a formula"),
        ("(assert (= (+ 1 true) 2))", "4:12: `+`: an argument is of sort Bool"),
        ("(assert (or (P 1)\n (Q 2)))", "5:2: a second predicate in the head"),
        ("(assert (= (P 1) (Q 2)))", "4:12: a predicate or quantifier where"),
        ("(assert (=> (forall ((x Int)) (P x)) false))", "4:13: `forall` in the body"),
        ("(assert (=> (P 0) (exists ((y Int)) (P y))))", "4:19: `exists` in the head"),
        ("(declare-fun f (Int) Int)", "4:1: unknown functions are not supported"),
        ("(declare-const c Int)", "4:1: free constants are not supported"),
        ("(declare-fun P (Int) Bool)", "4:14: `P` is declared a second time"),
        ("(declare-fun R (Real) Bool)", "4:17: the sort `Real` is not supported"),
        ("(declare-fun R ((Array Int (Array Int Int))) Bool)", "4:28: arrays of arrays"),
        ("(declare-fun R ((_ BitVec 0)) Bool)", "4:27: a bit-vector needs"),
        ("(declare-datatypes ((L 0)) (((n))))", "4:1: the command"),
        ("(push 1)", "4:1: the command `(push 1)` is not supported"),
        ("(check-sat)\n(assert (P 0))", "5:1: only one question"),
        ("(assert (P 0)", "5:12: the text ends, but a `(` is still open"),
        ("(assert (P 0))) ", "4:15: a `)` without a `(`"),
        ("(assert (P |0))", "4:12: the `|` that ends this symbol is missing"),
        ("(assert (P \"0))", "4:12: the `\"` that ends"),
        ("(assert (P 0x))", "4:12: `0x` is not a number"),
        ("(assert (P #q))", "4:12: `#q` is not a bit-vector"),
        ("(assert (let ((x)) (P 0)))", "4:15: `(x)` is not a binding"),
        ("(assert ())", "4:9: `()` is not a term"),
        ("(assert (P ((_ extract 7) 1)))", "4:12: `(_ extract 7)`: an argument"),
        ("hello", "4:1: expected a command"),
        ("(assert (P 0\u{1}))", "4:13: `\u{1}` cannot stand here"),
        ("(assert (P 0) (P 1))", "4:15: `assert` takes one formula"),
        ("(assert)", "4:1: the command `(assert)`"),
        ("(rule (P 0) (P 1))", "4:13: expected a name, not `(P 1)`"),
        ("(rule (P 0) r s)", "4:15: `rule` takes one formula"),
        ("(query P Q)", "4:10: expected a keyword, not `Q`"),
        ("(query P :a b c)", "4:15: expected a keyword, not `c`"),
        ("(assert (! (P 0) (P 1)))", "4:18: expected a keyword, not `(P 1)`"),
        ("(assert (! (P 0) :named a (P 1)))", "4:27: expected a keyword"),
        ("(assert (let ((x 1) (x 2)) (P x)))", "4:22: `x` is bound a second time"),
        ("(assert (forall ((x Int) (|x| Int)) (P x)))", "4:27: `x` is bound a second time"),
        ("(define-fun f ((x Int) (x Int)) Int x)", "4:25: `x` is bound a second time"),
        ("(define-sort S () Int)(define-sort S () Bool)", "4:36: the sort `S` is defined"),
        ("(define-fun f () Int (f))", "4:23: the function `f` is not supported"),
        ("(define-fun f () Bool (P 0))", "4:23: predicates and quantifiers in defined"),
    ] {
        let full = format!("{HEAD}{text}\n(check-sat)");
        let error = read(full.as_bytes()).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    let cut_off = format!("{HEAD}(assert (P 0))\n\n");
    let error = read(cut_off.as_bytes()).expect_err("no question").to_string();
    assert_eq!(error, "4:15: the file ends without `check-sat` or `query`");
    let error = read(b"(set-logic QF_LIA)").expect_err("another logic").to_string();
    assert_eq!(error, "1:12: the logic `QF_LIA` is not supported");
    let error = read(b"(set-info :a |b|)\n(assert \xff)").expect_err("no text").to_string();
    assert_eq!(error, "2:9: the text is not valid UTF-8 here");
}

/// Neither depth nor size of a term is a problem; what grows without bound is refused.
#[test]
fn deep_and_large() {
    const DEEP: usize = 100_000;
    let deep = format!("(assert (P {}0{}))", "(+ 1 ".repeat(10 * DEEP), ")".repeat(10 * DEEP));
    assert!(clauses(&deep).terms.len() > 10 * DEEP);
    let nots = format!("(assert {}(P 0){})", "(not ".repeat(DEEP), ")".repeat(DEEP));
    assert_eq!(shapes(&nots), [" 0 > P"]);
    let lets = format!("(assert {}(P 0){})", "(let ((x 1)) ".repeat(DEEP), ")".repeat(DEEP));
    assert_eq!(shapes(&lets), [" 0 > P"]);
    let lists = format!("{}{}", "(".repeat(DEEP), ")".repeat(DEEP));
    assert!(read(lists.as_bytes()).is_err());
    assert!(read("(".repeat(DEEP).as_bytes()).is_err());
    let wide = format!("(assert (P (+ {})))", "1 ".repeat(DEEP));
    assert_eq!(shapes(&wide), [" 0 > P"]);

    let number = format!("(assert (P {}))", "9".repeat(100_000));
    let error = read(format!("{HEAD}{number}").as_bytes()).expect_err("a long number");
    assert!(error.message.contains("digits"), "{error}");
    // Each function doubles the one before.
    let mut doubled = String::from("(define-fun f0 ((x Int)) Int (+ x 1))\n");
    for i in 1..64 {
        let j = i - 1;
        doubled += &format!("(define-fun f{i} ((x Int)) Int (+ (f{j} (* 2 x)) (f{j} (* 3 x))))\n");
    }
    let error = read(doubled.as_bytes()).expect_err("exponential");
    assert!(error.message.contains("too large") || error.message.contains("terms"), "{error}");
    let (ands, ors) = ("(and (P 0) (P 1))", " ".to_owned());
    let product = format!("(assert (or {}))", [ands, &ors].concat().repeat(64));
    assert!(read(format!("{HEAD}{product}").as_bytes()).is_err());
}

/// Runs a program by chance until a property is violated, and replays the run.
fn is_violated(text: &str, tries: usize) -> bool {
    let program = read_program("x.smt2", text.as_bytes()).expect("clauses");
    let mut random = Random::new(3);
    (0..tries).any(|_| {
        let run = run(&program, &mut random, 400, |_| ());
        let Some(property) = program.properties.iter().position(|p| p.error == run.end) else {
            return false;
        };
        let trace = ProgramTrace { property, initial: run.initial, steps: run.steps };
        let replayed = replay(&program, &trace).expect("a run");
        replayed.undefined.is_none()
    })
}

#[test]
fn derivations_are_runs() {
    let doubling = "(assert (P 1))(assert (forall ((x Int) (y Int)) \
        (=> (and (P x) (P y) (Q y)) (P (+ x y)))))(assert (forall ((x Int)) (=> (P x) (Q x))))";
    for (assertions, goal, expected) in [
        ("(assert (P 0))(assert (forall ((x Int)) (=> (P x) (P (+ x 2)))))", "(P 8)", true),
        ("(assert (P 0))(assert (forall ((x Int)) (=> (P x) (P (+ x 2)))))", "(P 7)", false),
        (doubling, "(P 3)", true),
        (doubling, "(and (P 3) (Q 2) (P 1))", true),
        (doubling, "(P 0)", false),
        // Definitions that depend on themselves, used and unused, stay constraints.
        (
            "(assert (forall ((x Int) (y Int)) (=> (and (= x (+ y 1)) (= y (+ x 1))) (P 0))))",
            "(P 0)",
            false,
        ),
        ("(assert (forall ((x Int)) (=> (= x (+ x 1)) (P 0))))", "(P 0)", false),
        (
            "(assert (forall ((x Int) (y Int)) (=> (and (= x y) (= y x) (= x 3)) (P x))))",
            "(P 3)",
            true,
        ),
        (
            "(assert (forall ((a Bool) (x Int)) (=> (and a (= x (ite a 4 5))) (P x))))",
            "(P 4)",
            true,
        ),
        // Division by zero may be anything, so that nothing follows.
        ("(assert (forall ((x Int)) (=> (= x 0) (P (div 1 x)))))", "(P 0)", false),
        ("(assert (forall ((x Int)) (=> (= x (- 2)) (P (div 5 x)))))", "(P (- 2))", true),
    ] {
        let text = format!("{HEAD}{assertions}(assert (not {goal}))(check-sat)");
        assert_eq!(is_violated(&text, 3000), expected, "{assertions} {goal}");
    }
}

#[test]
fn open_divisors_are_checked() {
    let text = format!(
        "{HEAD}(assert (forall ((x Int)) (=> (P x) (Q (mod 7 x)))))(assert \
        (forall ((x Int)) (=> (Q (div x 2)) false)))(check-sat)"
    );
    let program = read_program("x.smt2", text.as_bytes()).expect("clauses");
    let steps = program.procedures[0].edges.iter().filter_map(|edge| match &edge.action {
        pedra_program::Action::Step(step) => Some(step),
        pedra_program::Action::Call(_) => None,
    });
    let checks: Vec<CheckKind> =
        steps.flat_map(|step| step.checks.iter().map(|c| c.kind)).collect();
    assert_eq!(checks, [CheckKind::Division]);
}
