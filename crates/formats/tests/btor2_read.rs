//! BTOR2 files, right and wrong, and what the reader says.

use pedra_formats::btor2::{WriteError, read, read_with_ids, same_model, write};
use pedra_model::bv::Bv;
use pedra_model::system::{NamedTerm, State, System};
use pedra_model::term::{BinaryOp, Scalar, Sort, Term, UnaryOp};

/// Reads, and checks that writing and reading again gives the same.
fn model(text: &str) -> System {
    let system = read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let written = write(&system).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let again = read(&written).unwrap_or_else(|e| panic!("{e}\n{text}"));
    if let Err(difference) = same_model(&system, &again) {
        panic!("{difference}\n{text}\nwritten:\n{}", String::from_utf8_lossy(&written));
    }
    system
}

/// Asserts the position and a part of the message.
fn check_error(text: &[u8], place: &str, message: &str) {
    let error = read(text).map(|_| ()).expect_err(&String::from_utf8_lossy(text));
    let found = error.to_string();
    let expected = format!("{place}: ");
    let shown = String::from_utf8_lossy(text);
    assert!(found.starts_with(&expected), "{found}, but expected {place} in\n{shown}");
    assert!(found.contains(message), "{found}, but expected `{message}` in\n{shown}");
}

/// Sorts 1 (one bit), 2 (four bits), 3 (array); input 4, states 5 and 6.
const BASE: &str = "1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 2 2\n\
    4 input 2 in\n5 state 2 count\n6 state 3 mem\n7 input 1 bit\n";

#[test]
fn a_whole_model() {
    let text = "; made by hand\n\n  ;  indented\n1 sort bitvec 1 ; bit\n2 sort bitvec 8 byte\n\
        \t10 input 1 enable ; comment\n11 state 2 counter;odd\n12 zero 2 nil\n\
        13 init 2 11 12\n14 one 2\n15 add 2 11 14 sum\n16 ite 2 -10 11 15\n17 next 2 11 16\n\
        18 constd 2 200\n19 ugt 1 11 18\n20 bad 19 too_big\n21 bad -10\n22 output 15 o\n\
        23 constraint 10 c\n24 fair 10\n25 justice 2 10 -10 both\n4000000000 bad 10";
    let s = model(text);
    assert_eq!(s.comments, ["made by hand", " indented"]);
    assert_eq!(s.inputs[0].name.as_deref(), Some("enable"));
    assert_eq!(s.states[0].name.as_deref(), Some("counter;odd"));
    assert_eq!(s.terms.get(s.states[0].init.unwrap()), &Term::Const(Bv::zero(8)));
    assert!(matches!(s.terms.get(s.states[0].next.unwrap()), Term::Ite(..)));
    assert_eq!(s.bads.len(), 3);
    assert_eq!(s.bads[0].name.as_deref(), Some("too_big"));
    assert_eq!(s.terms.get(s.bads[1].term), &Term::Unary(UnaryOp::Not, s.inputs[0].term));
    assert_eq!((s.outputs.len(), s.constraints.len(), s.fairness.len()), (1, 1, 1));
    assert_eq!(s.justice[0].terms.len(), 2);
    assert_eq!(s.justice[0].name.as_deref(), Some("both"));
    let names: Vec<&str> = s.names.iter().map(|(_, n)| &**n).collect();
    assert_eq!(names, ["nil", "sum"]);

    let nodes = read_with_ids(text.as_bytes()).unwrap().nodes;
    assert_eq!((nodes.inputs[0].id, nodes.inputs[0].line), (10, 6));
    assert_eq!((nodes.states[0].id, nodes.states[0].line), (11, 7));
    assert_eq!((nodes.bads[2].id, nodes.bads[2].line), (4_000_000_000, 22));
}

#[test]
fn small_files() {
    for text in ["", "\n", "; only this", "\r\n; windows\r\n1 sort bitvec 3\r\n2 input 1 a\r\n"] {
        let s = model(text);
        assert!(s.inputs.iter().all(|i| i.name.as_deref() == Some("a")), "{text:?}");
    }
}

#[test]
fn constants() {
    let cases = [
        ("zero 2", 0),
        ("one 2", 1),
        ("ones 2", 15),
        ("const 2 0101", 5),
        ("constd 2 9", 9),
        ("constd 2 0009", 9),
        ("constd 2 -1", 15),
        ("constd 2 -8", 8),
        ("constd 2 -0", 0),
        ("consth 2 c", 12),
        ("consth 2 00F", 15),
    ];
    for (text, value) in cases {
        let s = model(&format!("{BASE}8 {text}\n9 output 8"));
        let found = s.terms.get(s.outputs[0].term);
        assert_eq!(found, &Term::Const(Bv::from_u64(4, value)), "{text}");
    }
    let wide = ["constd 1 -5", "constd 1 5", "ones 1", "consth 1 123456789abcdef0123456789"];
    for text in wide {
        let s = model(&format!("1 sort bitvec 1000000\n2 {text}\n3 output 2"));
        assert!(write(&s).unwrap().len() < 1000 || text.starts_with("consth"), "{text}");
    }
}

#[test]
fn every_operator() {
    let mut text = String::from(BASE);
    let mut expected = Vec::new();
    let mut id = 8;
    let mut add = |line: String| {
        text.push_str(&format!("{id} {line}\n{} output {id}\n", id + 1));
        id += 2;
    };
    for &op in UnaryOp::ALL {
        let is_reduction = matches!(op, UnaryOp::RedAnd | UnaryOp::RedOr | UnaryOp::RedXor);
        add(format!("{} {} 4", op.name(), if is_reduction { 1 } else { 2 }));
        expected.push(op.name());
    }
    for &op in BinaryOp::ALL {
        use BinaryOp::*;
        let line = match op {
            Iff | Implies => "1 7 -7",
            Concat => continue,
            Eq | Neq | Sgt | Ugt | Sgte | Ugte | Slt | Ult | Slte | Ulte | Saddo | Uaddo
            | Sdivo | Smulo | Umulo | Ssubo | Usubo => "1 4 5",
            _ => "2 4 5",
        };
        add(format!("{} {line}", op.name()));
        expected.push(op.name());
    }
    for line in ["slice 1 4 3 3", "uext 2 7 3", "sext 2 4 0", "read 2 6 4"] {
        add(line.into());
    }
    add("write 3 6 4 5".into());
    add("ite 3 7 6 6".into());
    add("eq 1 6 6".into());
    add("neq 1 6 6".into());
    add("slice 2 4 3 0".into());
    let s = model(&text);
    for (output, name) in s.outputs.iter().zip(expected) {
        let found = match s.terms.get(output.term) {
            Term::Unary(op, _) => op.name(),
            Term::Binary(op, _, _) => op.name(),
            _ => "?",
        };
        assert_eq!(found, name);
    }
    let s = model(&format!("{BASE}8 sort bitvec 5\n9 concat 8 7 4\n10 output 9"));
    assert_eq!(s.terms.sort(s.outputs[0].term), Sort::Bv(5));
}

#[test]
fn array_inits() {
    let s = model(&format!("{BASE}8 ones 2\n9 init 3 6 8\n10 bad 7"));
    assert!(matches!(
        s.terms.get(s.states[1].init.unwrap()),
        Term::ConstArray { index: Scalar::Bv(4), .. }
    ));
    let s = model(&format!("{BASE}8 state 3\n9 write 3 6 4 4\n10 init 3 8 9\n11 bad 7"));
    assert!(matches!(s.terms.get(s.states[2].init.unwrap()), Term::Write(..)));
    // A chain of inits against the order of the states.
    model("1 sort bitvec 2\n2 state 1\n3 state 1\n4 state 1\n5 init 1 2 3\n6 init 1 3 -4\n");
}

#[test]
fn inits_come_before_their_states() {
    let text = "1 sort bitvec 8\n2 state 1 a\n3 state 1 b\n4 constd 1 7\n5 init 1 2 4\n\
        6 add 1 2 4\n7 init 1 3 6\n";
    let written = String::from_utf8(write(&model(text)).unwrap()).unwrap();
    let expected = "1 sort bitvec 8\n2 constd 1 7\n3 state 1 a\n4 init 1 3 2\n5 add 1 3 2\n\
        6 state 1 b\n7 init 1 6 5\n";
    assert_eq!(written, expected);
}

#[test]
fn names_that_would_break_the_file() {
    let mut s = model(BASE);
    s.inputs[0].name = Some("; a\tb\n".into());
    s.inputs[1].name = Some("=4 x".into());
    s.names.push((s.states[0].term, "alias".into()));
    let again = read(&write(&s).unwrap()).unwrap();
    assert_eq!(again.inputs[0].name.as_deref(), Some("__a_b_"));
    assert_eq!(again.inputs[1].name.as_deref(), Some("=4_x"));
    assert_eq!(&*again.names[0].1, "alias");
}

#[test]
fn what_cannot_be_written() {
    let mut s = model(BASE);
    let value = s.states[0].term;
    let array = s.terms.add(Term::ConstArray { index: Scalar::Bv(4), value }).unwrap();
    s.outputs.push(NamedTerm { term: array, name: None });
    assert_eq!(write(&s), Err(WriteError::ConstArray(array)));
    let mut s = model(BASE);
    let loose = s.terms.new_symbol(Sort::BOOL);
    s.bads.push(NamedTerm { term: loose, name: None });
    assert_eq!(write(&s), Err(WriteError::LooseSymbol(loose)));
    let mut s = model(BASE);
    let term = s.inputs[0].term;
    s.states.push(State { term, name: None, init: None, next: None });
    assert_eq!(write(&s), Err(WriteError::NotASymbol(term)));
}

#[test]
fn differences_are_found() {
    let lines = ["8 add 2 4 5\n", "9 next 2 5 8\n", "10 bad 7 p\n", "11 init 2 5 4\n"];
    let base = model(&format!("{BASE}{}", lines.concat()));
    let variants = [
        ["8 add 2 5 4\n", lines[1], lines[2], lines[3]],
        ["8 sub 2 4 5\n", lines[1], lines[2], lines[3]],
        ["8 add 2 4 5 named\n", lines[1], lines[2], lines[3]],
        [lines[0], "", lines[2], lines[3]],
        [lines[0], lines[1], "10 bad 7\n", lines[3]],
        [lines[0], lines[1], "10 bad -7 p\n", lines[3]],
        [lines[0], lines[1], lines[2], ""],
        [lines[0], lines[1], lines[2], "11 init 2 5 8\n"],
    ];
    for variant in &variants[..7] {
        let other = model(&format!("{BASE}{}", variant.concat()));
        assert!(same_model(&base, &other).is_err(), "{variant:?}");
        assert!(same_model(&other, &base).is_err(), "{variant:?}");
    }
    // An init that depends on its own state is no model at all.
    check_error(
        format!("{BASE}{}", variants[7].concat()).as_bytes(),
        "11:4",
        "the init of state 5 depends on the state itself",
    );
}

/// The line after [`BASE`], the column, and a part of the message.
const WRONG: &[(&str, usize, &str)] = &[
    ("x", 1, "the node's number must be a number, not `x`"),
    ("-8 add 2 4 4", 1, "must be a number"),
    ("0 add 2 4 4", 1, "start at 1"),
    ("7 add 2 4 4", 1, "node 7 is defined twice"),
    ("99999999999999999999 add", 1, "too large"),
    ("8", 2, "the operator is missing"),
    ("8 ; nothing", 3, "the operator is missing"),
    ("8 frob 2 4", 3, "unknown operator `frob`"),
    ("8 ADD 2 4 5", 3, "unknown operator `ADD`"),
    ("8 sort", 7, "the kind of sort is missing"),
    ("8 sort real", 8, "unknown kind of sort `real`"),
    ("8 sort bitvec", 14, "the width is missing"),
    ("8 sort bitvec 0", 15, "at least one bit"),
    ("8 sort bitvec 1048577", 15, "more than the 1048576"),
    ("8 sort bitvec 4294967295", 15, "more than"),
    ("8 sort bitvec 18446744073709551616", 15, "the width is too large"),
    ("8 sort bitvec -1", 15, "must be a number"),
    ("8 sort array 2", 15, "the sort is missing"),
    ("8 sort array 3 2", 14, "index of this array is an array: not supported"),
    ("8 sort array 2 3", 16, "element of this array is an array: not supported"),
    ("8 input", 8, "the sort is missing"),
    ("8 input 4", 9, "node 4 is not a sort"),
    ("8 input 9", 9, "node 9 is not defined"),
    ("8 input 2 a b", 13, "unexpected `b` after the symbol"),
    ("8 add 2 4", 10, "an argument is missing"),
    ("8 add 2 4 5 6 7", 15, "unexpected `7`"),
    ("8 add 2 4 9", 11, "node 9 is not defined"),
    ("8 add 2 4 8", 11, "node 8 is not defined"),
    ("8 add 2 4 0", 11, "node 0 is not defined"),
    ("8 add 2 4 2", 11, "node 2 is a sort, not a value"),
    ("8 add 2 4 --4", 11, "must be a number"),
    ("8 add 2 4 4x", 11, "must be a number, not `4x`"),
    ("8 add 2 4 7", 3, "they have 4 and 1 bits"),
    ("8 add 1 4 5", 7, "the line says bitvec 1, but add gives bitvec 4"),
    ("8 add 2 6 6", 3, "add needs a bit-vector"),
    ("8 not 3 -6", 9, "an array cannot be negated"),
    ("8 eq 1 6 4", 3, "eq compares"),
    ("8 eq 2 4 5", 6, "but eq gives bitvec 1"),
    ("8 iff 1 4 5", 3, "needs single bits"),
    ("8 ite 2 4 4 5", 3, "condition"),
    ("8 ite 2 7 4 7", 3, "branches"),
    ("8 slice 1 4 4 4", 3, "bits 4 to 4 are not in a vector of 4 bits"),
    ("8 slice 1 4 0 1", 3, "bits 0 to 1"),
    ("8 slice 2 4 1 0", 9, "but slice gives bitvec 2"),
    ("8 slice 2 4 3", 14, "a bit is missing"),
    ("8 slice 2 4 99999999999 0", 13, "a bit is too large"),
    ("8 uext 2 4 4294967295", 3, "more than"),
    ("8 uext 2 4 1", 8, "but uext gives bitvec 5"),
    ("8 read 2 4 4", 3, "read needs an array"),
    ("8 read 2 6 7", 3, "the array's index is a bitvec 4"),
    ("8 write 3 6 4 7", 3, "stores a bitvec 1"),
    ("8 zero 3", 8, "must be a bit-vector"),
    ("8 const 2 01", 11, "2 digits, but 4 bits"),
    ("8 const 2 0120", 11, "not a number of base 2"),
    ("8 const 2", 10, "the constant is missing"),
    ("8 constd 2 16", 12, "does not fit 4 bits"),
    ("8 constd 2 -9", 12, "does not fit 4 bits"),
    ("8 constd 2 -", 12, "not a number of base 10"),
    ("8 constd 2 1f", 12, "not a number of base 10"),
    ("8 consth 2 10", 12, "does not fit 4 bits"),
    ("8 consth 2 -1", 12, "not a number of base 16"),
    ("8 init 2 4 5", 10, "init of node 4, which is not a state"),
    ("8 init 1 5 4", 8, "the line says bitvec 1, but the state is a bitvec 4"),
    ("8 init 2 5 7", 12, "init gives a bitvec 1"),
    ("8 init 3 6 7", 12, "init gives a bitvec 1"),
    ("8 init 2 -5 4", 10, "must be a number"),
    ("8 init 2 5 4\n9 init 2 5 4", 3, "a second init"),
    ("8 init 2 5 5", 3, "depends on the state itself"),
    ("8 next 2 7 4", 10, "next of node 7, which is not a state"),
    ("8 next 3 6 4", 12, "next gives a bitvec 4"),
    ("8 next 2 5 4\n9 next 2 5 4", 3, "a second next"),
    ("8 bad", 6, "an argument is missing"),
    ("8 bad 4", 7, "one bit is needed here, not bitvec 4"),
    ("8 bad 6", 7, "one bit"),
    ("8 bad 7\n9 not 1 8", 9, "node 8 is a `bad` line, which has no value"),
    ("8 constraint 4", 14, "one bit"),
    ("8 fair 4", 8, "one bit"),
    ("8 justice 0", 11, "at least one term"),
    ("8 justice 2 7", 14, "an argument is missing"),
    ("8 justice 4000000000 7", 23, "an argument is missing"),
    ("8 justice 1 4", 13, "one bit"),
];

#[test]
fn wrong_lines() {
    for &(line, column, message) in WRONG {
        let last = BASE.lines().count() + line.lines().count();
        let place = format!("{last}:{column}");
        let text = format!("{BASE}{line}");
        check_error(text.as_bytes(), &place, message);
        check_error(format!("{text}\n").as_bytes(), &place, message);
        check_error(format!("{text}\n").replace('\n', "\r\n").as_bytes(), &place, message);
    }
    check_error(b"1 sort bitvec 1\n2 in\xffput 1\n", "2:5", "not UTF-8");
    check_error(b"5 sort bitvec 1\n4 sort bitvec 2", "2:1", "node 4 comes after node 5");
}

#[test]
fn long_words_are_cut_in_messages() {
    let text = format!("1 {}", "é".repeat(1 << 16));
    let error = read(text.as_bytes()).unwrap_err();
    assert!(error.message.len() < 200, "{}", error.message.len());
}

#[test]
fn deep_chains() {
    let mut text = String::from("1 sort bitvec 1\n2 input 1\n3 state 1\n");
    for id in 4..300_000 {
        text.push_str(&format!("{id} and 1 -{} 2\n", id - 1));
    }
    text.push_str("300000 bad 299999\n300001 state 1\n300002 init 1 300001 299999\n");
    let s = model(&text);
    assert!(s.terms.len() > 500_000);
    assert!(pedra_formats::smtlib::write_chc(&s).is_ok());
}

#[test]
fn hostile_sizes() {
    let digits = "9".repeat(10_000_000);
    let base = "1 sort bitvec 1048576\n2 ";
    check_error(format!("{base}constd 1 {digits}").as_bytes(), "2:12", "does not fit");
    check_error(format!("{base}consth 1 {digits}").as_bytes(), "2:12", "does not fit");
    check_error(format!("1 sort bitvec {digits}").as_bytes(), "1:15", "too large");
    let s = model(&format!("1 sort bitvec 1\n2 input 1 {digits}"));
    assert_eq!(s.inputs[0].name.as_ref().unwrap().len(), digits.len());
    check_error(
        format!("1 sort bitvec 1\n{}", "2 ".repeat(5_000_000)).as_bytes(),
        "2:3",
        "unknown",
    );
    let many = format!("1 sort bitvec 1\n2 input 1\n3 justice 1000000 {}", "2 ".repeat(1_000_000));
    assert_eq!(model(&many).justice[0].terms.len(), 1_000_000);
}
