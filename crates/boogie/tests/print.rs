//! Terms as Boogie expressions: few parentheses, and the same value when they are read again.

use crate::common;

use common::{program, small_value};
use pedra_boogie::print;
use pedra_model::eval::ops;
use pedra_model::term::{TermId, Terms};
use pedra_model::value::Value;
use pedra_program::{Action, Program};
use pedra_testkit::random::{Random, runs};
use rustc_hash::FxHashMap;

const SCOPE: &str = "type ref; const null: ref; var g: int; function f(int) returns (int);
    function {:bvbuiltin \"bvadd\"} plus(bv8, bv8) returns (bv8);
    function {:bvbuiltin \"bvand\"} and1(bv1, bv1) returns (bv1);
    function {:bvbuiltin \"bvslt\"} slt(bv8, bv8) returns (bool);
    function {:bvbuiltin \"sign_extend 8\"} wide(bv8) returns (bv16);\n";
const HEAD: &str = "procedure p(a, b, c: bool, x, y, z: int, v, w: bv8, t: bv1, r, s: ref,
    m: [int]int, n: [ref]bool, o: [bv8]bv1) modifies g; {\n";

/// A program that asserts a condition, and the condition.
fn asserted(functions: &[String], condition: &str) -> (Program, TermId) {
    let program =
        program(&format!("{SCOPE}{}\n{HEAD}assert {condition};\n}}", functions.join("\n")));
    let mut edges = program.procedures[0].edges.iter().filter(|edge| edge.text.len() > 1);
    let guard = edges.find_map(|edge| match &edge.action {
        Action::Step(step) if edge.to != program.properties[0].error.place => step.guard,
        _ => None,
    });
    let guard = guard.expect("an assertion");
    (program, guard)
}

/// The value of a term, variables being named.
fn value(program: &Program, root: TermId, named: &FxHashMap<Box<str>, Value>) -> Value {
    let terms: &Terms = &program.terms;
    let mut values: Vec<Option<Value>> = vec![None; root.index() + 1];
    for (id, _) in terms.iter().take(root.index() + 1) {
        let value = ops::apply(terms.get(id), |arg| values[arg.index()].as_ref().expect("earlier"));
        values[id.index()] = Some(value.unwrap_or_else(|| {
            let variable = program.variables.iter().find(|v| v.term == id).expect("a variable");
            let name = variable.name.clone().unwrap_or("by zero".into());
            named[&name].clone()
        }));
    }
    values[root.index()].clone().expect("its value")
}

/// Random values for the variables of two programs.
fn valuation(programs: [&Program; 2], random: &mut Random) -> FxHashMap<Box<str>, Value> {
    let mut named = FxHashMap::default();
    for program in programs {
        for variable in &program.variables {
            let name = variable.name.clone().unwrap_or("by zero".into());
            let sort = program.terms.sort(variable.term);
            named.entry(name).or_insert_with(|| small_value(random, sort));
        }
    }
    named
}

/// Prints a condition, reads that again and compares values; the text.
fn round(condition: &str, random: &mut Random) -> String {
    let (first, term) = asserted(&[], condition);
    let printed = print(&first, &first.procedures[0], term);
    let printed = printed.unwrap_or_else(|| panic!("{condition} is not printed"));
    let (second, again) = asserted(&printed.functions, &printed.text);
    for _ in 0..8 {
        let named = valuation([&first, &second], random);
        let values = (value(&first, term, &named), value(&second, again, &named));
        assert_eq!(values.0, values.1, "{condition}\n{}\n{named:?}", printed.text);
    }
    let reprinted = print(&second, &second.procedures[0], again).expect("it is printed again");
    assert_eq!(reprinted.text, printed.text, "{condition}");
    printed.text
}

/// What is written, and what is printed if that differs.
const TEXTS: &[(&str, &str)] = &[
    ("((x + y)) <= (z)", "x + y <= z"),
    ("(x + y) + z == x + (y + z)", "x + y + z == x + (y + z)"),
    ("x - (y - z) == (x - y) - z", "x - (y - z) == x - y - z"),
    ("(x * y) + (z * 3) == x * (y + z) * 3", "x * y + z * 3 == x * (y + z) * 3"),
    ("(x div 3) * 3 + (x mod 3) == x", "x div 3 * 3 + x mod 3 == x"),
    ("x div (y * 2) == 0", ""),
    ("(x mod y) < z", "x mod y < z"),
    ("x + -5 <= -(y) && -(x + y) <= -1", "x - 5 <= -y && -(x + y) <= -1"),
    ("x - -5 == --x", ""),
    ("(a && b) && (c && a)", "a && b && c && a"),
    ("(a && b) || (c && (a || b))", "(a && b) || (c && (a || b))"),
    ("(a ==> b) ==> (b ==> (c ==> a))", "(a ==> b) ==> b ==> c ==> a"),
    ("((a <==> b) <==> c) == (a <==> (b <==> c))", "(a <==> b <==> c) == (a <==> (b <==> c))"),
    ("!a && !(a || b) && !!c", "!a && !(a || b) && !!c"),
    ("(x < y) == (y > x) && (x <= y) == a", "(x < y) == (y > x) && (x <= y) == a"),
    ("(if a then x else y + 1) + 1 == z", ""),
    ("z == (if a then (if b then x else y) else z)", "z == (if a then if b then x else y else z)"),
    ("(if a then b else c)", "if a then b else c"),
    ("m[x + 1] == m[x := y][z] && m[x := 1] == m", ""),
    ("(if a then m else m[0 := 1])[x] == 0", ""),
    ("n[r] && n[null := a][s] == n[r] && r != s", ""),
    ("f(x + 1) == f((f(y)))", "f(x + 1) == f(f(y))"),
    ("old(g) + 1 == g", ""),
    ("(v ++ w)[12:4] == 255bv8", ""),
    ("v ++ w ++ t == 0bv17 && v[1:0] == t", ""),
    ("plus(v, w) == 3bv8", "bvadd.bv8(v, w) == 3bv8"),
    ("slt(v, w) && wide(v) == 1bv16", "bvslt.bv8(v, w) && sign_extend.bv8.bv16(v) == 1bv16"),
    ("and1(t, o[v]) == 1bv1 && o[v := t] == o", "bvand.bv1(t, o[v]) == 1bv1 && o[v := t] == o"),
    ("true && (a == false)", "true && a == false"),
    ("123456789012345678901234567890 < x", ""),
];

#[test]
fn parentheses_only_where_they_are_needed() {
    for (seed, (written, printed)) in TEXTS.iter().enumerate() {
        let expected = if printed.is_empty() { written } else { printed };
        assert_eq!(&round(written, &mut Random::new(seed as u64)), expected);
    }
}

/// An expression with all its parentheses.
fn random_text(random: &mut Random, of: &str, depth: usize) -> String {
    let mut part = |of: &str| match depth {
        0 => random_leaf(random, of),
        _ => random_text(random, of, depth - 1),
    };
    let (x, y, i, j) = (part("bool"), part("bool"), part("int"), part("int"));
    let (v, w) = (part("bv8"), part("bv8"));
    let op = |random: &mut Random, ops: &[&str]| ops[random.below(ops.len())].to_owned();
    match (of, random.below(8)) {
        ("bool", 0..=2) => {
            format!("({x} {} {y})", op(random, &["&&", "||", "==>", "<==", "<==>", "==", "!="]))
        }
        ("bool", 3 | 4) => format!("({i} {} {j})", op(random, &["<", "<=", ">", ">=", "==", "!="])),
        ("bool", 5) => format!("({v} == {w})"),
        ("bool", 6) => format!("!{x}"),
        ("bool", _) => format!("(if {x} then {y} else n[r])"),
        ("int", 0..=3) => {
            format!("({i} {} {j})", op(random, &["+", "-", "*", "div", "mod", "/", "%"]))
        }
        ("int", 4) => format!("(-{i})"),
        ("int", 5) => format!("m[{i} := {j}][{j}]"),
        ("int", 6) => format!("f({i})"),
        ("int", _) => format!("(if {x} then {i} else {j})"),
        (_, 0..=3) => format!("plus({v}, {w})"),
        (_, 4) => format!("({v} ++ {w})[10:2]"),
        (_, 5) => format!("(if {x} then {v} else {w})"),
        _ => format!("(({v})[4:0] ++ ({w})[8:4])"),
    }
}

fn random_leaf(random: &mut Random, of: &str) -> String {
    let leaves: &[&str] = match of {
        "bool" => &["a", "b", "c", "true", "slt(v, w)", "(r == s)"],
        "int" => &["x", "y", "z", "g", "old(g)", "0", "3", "(-2)", "m[x]"],
        _ => &["v", "w", "0bv8", "200bv8"],
    };
    leaves[random.below(leaves.len())].to_owned()
}

#[test]
fn random_terms_keep_their_value() {
    for seed in 0..runs(1500) {
        let mut random = Random::new(seed);
        let depth = random.below(4);
        let text = random_text(&mut random, "bool", depth);
        round(&text, &mut random);
    }
}

/// What has no expression in Boogie is not printed.
#[test]
fn what_cannot_be_said() {
    let (mut program, _) = asserted(&[], "a");
    let named = |program: &Program, name: &str| {
        let found = program.variables.iter().find(|v| v.name.as_deref() == Some(name));
        found.expect("it is there").term
    };
    let (r, s) = (named(&program, "r"), named(&program, "s"));
    let (x, v) = (named(&program, "x"), named(&program, "v"));
    let terms = &mut program.terms;
    let order = terms.int_binary(pedra_model::term::IntOp::Le, r, s);
    let mixed = terms.binary(pedra_model::term::BinaryOp::Eq, r, x);
    let hidden = terms.new_symbol(pedra_model::term::Sort::BOOL);
    let parity = terms.unary(pedra_model::term::UnaryOp::RedXor, v);
    for term in [order, mixed, hidden, parity] {
        assert_eq!(print(&program, &program.procedures[0], term), None);
    }
}
