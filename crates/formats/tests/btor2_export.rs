//! Word-level models as SMT-LIB, Horn clauses and pictures. Each operator's SMT-LIB text has its
//! meaning from a table here; solvers are not needed to run this.

use pedra_formats::smtlib::{ChcError, Printer, UnnamedSymbol, constant, quoted, write_chc};
use pedra_formats::{btor2, dot};
use pedra_model::bv::Bv;
use pedra_model::system::{Input, NamedTerm, System};
use pedra_model::term::{IntOp, Sort, TermId};

fn model(text: &str) -> System {
    btor2::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const BASE: &str = "1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 1 2\n\
    4 input 2\n5 input 2\n6 input 1\n7 input 3\n";

/// What the output of a line is defined as, over symbols `a`, `b`, `c`, `m`.
fn body(line: &str) -> String {
    let s = model(&format!("{BASE}8 {line}\n9 output 8\n"));
    let mut printer = Printer::new(&s.terms, "n");
    for (input, name) in s.inputs.iter().zip(["a", "b", "c", "m"]) {
        printer.bind(input.term, name);
    }
    let mut out = String::new();
    printer.define([s.outputs[0].term], &mut out).unwrap();
    let definition = out.lines().last().expect("a definition");
    let sort = match s.terms.sort(s.outputs[0].term) {
        Sort::Bv(width) => format!("(_ BitVec {width})"),
        _ => "(Array (_ BitVec 1) (_ BitVec 4))".into(),
    };
    let head = format!("(define-fun n4 () {sort} ");
    let rest = definition.strip_prefix(&head).unwrap_or_else(|| panic!("{definition}"));
    rest.strip_suffix(')').unwrap_or_else(|| panic!("{definition}")).into()
}

#[test]
fn operators() {
    let cases = [
        ("not 2 4", "(bvnot a)"),
        ("inc 2 4", "(bvadd a #b0001)"),
        ("dec 2 4", "(bvsub a #b0001)"),
        ("redand 1 4", "(ite (= a #b1111) #b1 #b0)"),
        ("redor 1 4", "(ite (distinct a #b0000) #b1 #b0)"),
        (
            "redxor 1 4",
            "(let ((fold (bvxor a (bvlshr a #b0001)))) \
             (let ((fold (bvxor fold (bvlshr fold #b0010)))) ((_ extract 0 0) fold)))",
        ),
        ("redxor 1 6", "((_ extract 0 0) c)"),
        ("iff 1 6 6", "(ite (= c c) #b1 #b0)"),
        ("implies 1 6 6", "(bvor (bvnot c) c)"),
        ("eq 1 7 7", "(ite (= m m) #b1 #b0)"),
        ("sgte 1 4 5", "(ite (bvsge a b) #b1 #b0)"),
        ("usubo 1 4 5", "(ite (bvult a b) #b1 #b0)"),
        ("xnor 2 4 5", "(bvnot (bvxor a b))"),
        (
            "ror 2 4 5",
            "(let ((by (bvurem b #b0100))) (bvor (bvlshr a by) (bvshl a (bvsub #b0100 by))))",
        ),
        (
            "saddo 1 4 5",
            "(ite (let ((exact (bvadd ((_ sign_extend 1) a) ((_ sign_extend 1) b)))) \
             (distinct exact ((_ sign_extend 1) ((_ extract 3 0) exact)))) #b1 #b0)",
        ),
        (
            "umulo 1 4 5",
            "(ite (let ((exact (bvmul ((_ zero_extend 4) a) ((_ zero_extend 4) b)))) \
             (distinct exact ((_ zero_extend 4) ((_ extract 3 0) exact)))) #b1 #b0)",
        ),
        ("sdivo 1 4 5", "(ite (and (= a (concat #b1 #b000)) (= b #b1111)) #b1 #b0)"),
        ("smod 2 4 5", "(bvsmod a b)"),
        ("ite 3 6 7 7", "(ite (= c #b1) m m)"),
        ("slice 1 4 2 2", "((_ extract 2 2) a)"),
        ("sext 2 6 3", "((_ sign_extend 3) c)"),
        ("read 2 7 6", "(select m c)"),
        ("write 3 7 6 4", "(store m c a)"),
    ];
    for (line, expected) in cases {
        assert_eq!(body(line), expected, "{line}");
    }
}

#[test]
fn constants_and_symbols() {
    let cases = [
        (Bv::from_u64(1, 1), "#b1"),
        (Bv::from_u64(32, 10), "(_ bv10 32)"),
        (Bv::from_i64(100_000, -2), "(bvneg (_ bv2 100000))"),
        (Bv::parse(72, "123456789abcdef012", 16).unwrap(), "#x123456789abcdef012"),
    ];
    for (value, expected) in cases {
        assert_eq!(constant(&value), expected);
    }
    assert_eq!(quoted("a|b\\c d\n\u{e9}"), "|a_b_c d__|");
}

#[test]
fn each_term_is_defined_once() {
    // A ladder of sums: as a tree it has 2^200 leaves.
    let mut text = String::from("1 sort bitvec 8\n2 input 1\n");
    (3..203).for_each(|id| text.push_str(&format!("{id} add 1 {0} {0}\n", id - 1)));
    text.push_str("203 output 202\n204 sort bitvec 1\n205 redor 204 202\n206 bad 205\n");
    let s = model(&text);
    let mut printer = Printer::new(&s.terms, "n");
    let mut out = String::new();
    let root = s.outputs[0].term;
    assert_eq!(printer.define([root], &mut out), Err(UnnamedSymbol(s.inputs[0].term)));
    printer.declare(s.inputs[0].term, quoted("in"), &mut out);
    printer.define([root], &mut out).unwrap();
    assert_eq!(out.lines().count(), 201);
    printer.define([root], &mut out).unwrap();
    assert_eq!(out.lines().count(), 201, "nothing new");
    assert!(write_chc(&s).unwrap().len() < 20_000);
}

#[test]
fn horn_clauses() {
    let s = model(
        "1 sort bitvec 1\n2 sort bitvec 4\n3 input 2 start\n4 state 2 x\n5 init 2 4 3\n\
         6 state 1 free\n7 inc 2 4\n8 next 2 4 7\n9 redand 1 4\n10 bad 9\n11 bad 6\n\
         12 input 1 go\n13 constraint 12\n",
    );
    let expected = "\
; sat: all properties proved, unsat: some property violated
(set-logic HORN)
(declare-fun Inv ((_ BitVec 4) (_ BitVec 1) (_ BitVec 4)) Bool)
(assert (forall ((|s0:x| (_ BitVec 4))(|s1:free| (_ BitVec 1))(|i0:start| (_ BitVec 4)))
(=> (= |s0:x| |i0:start|) (Inv |s0:x| |s1:free| |i0:start|))))
(assert (forall ((|s0:x| (_ BitVec 4))(|s1:free| (_ BitVec 1))(|i0:start| (_ BitVec 4))\
(|i1:go| (_ BitVec 1))(|s0':x| (_ BitVec 4))(|s1':free| (_ BitVec 1))(|i0':start| (_ BitVec 4)))
(let ((n3 (bvadd |s0:x| #b0001))
)
(=> (and (Inv |s0:x| |s1:free| |i0:start|) (= |i1:go| #b1) (= |s0':x| n3)) \
(Inv |s0':x| |s1':free| |i0':start|)))))
(assert (forall ((|s0:x| (_ BitVec 4))(|s1:free| (_ BitVec 1))(|i0:start| (_ BitVec 4))\
(|i1:go| (_ BitVec 1)))
(let ((n4 (ite (= |s0:x| #b1111) #b1 #b0))
)
(=> (and (Inv |s0:x| |s1:free| |i0:start|) (= |i1:go| #b1) (or (= n4 #b1) (= |s1:free| #b1))) \
false))))
(check-sat)
";
    assert_eq!(write_chc(&s).unwrap(), expected);
}

#[test]
fn no_horn_clauses() {
    assert_eq!(write_chc(&model(BASE)), Err(ChcError::NoProperty));
    let mut s = model("1 sort bitvec 1\n2 zero 1\n3 bad 2\n");
    assert!(write_chc(&s).unwrap().contains("(assert (=> (and Inv (= #b0 #b1)) false))"));
    let loose = s.terms.new_symbol(Sort::BOOL);
    s.bads.push(NamedTerm { term: loose, name: None });
    assert_eq!(write_chc(&s), Err(ChcError::LooseSymbol(loose)));
}

#[test]
fn picture() {
    let s = model(
        "1 sort bitvec 1\n2 sort bitvec 4\n3 input 1 go\"\n4 state 2\n5 zero 2\n6 init 2 4 5\n\
         7 inc 2 4\n8 ite 2 3 7 4\n9 next 2 4 8\n10 slice 1 4 3 3\n11 bad 10 high\n",
    );
    let text = dot::words(&s);
    let id = |t: TermId| t.index();
    let (state, bad) = (id(s.states[0].term), id(s.bads[0].term));
    for part in [
        "[shape=triangle, label=\"go\\\"\\nbitvec 1\"]".to_string(),
        format!("t{state} [shape=box, label=\"state 0\\nbitvec 4\"]"),
        format!("t{bad} [shape=ellipse, label=\"[3:3]\\nbitvec 1\"]"),
        format!("t{state} -> t{bad} [];"),
        "[label=2];".into(),
        format!("-> t{state} [color=orange, constraint=false, label=\"init\"]"),
        format!("t{bad} -> b0 [color=red, fontcolor=red]"),
        "label=\"bad 0\\nhigh\"".into(),
    ] {
        assert!(text.contains(&part), "{part} is missing in\n{text}");
    }
}

/// Integers are printed, with division by zero spelt out; BTOR2 has none.
#[test]
fn integers_have_no_btor2_form() {
    let mut s = System::new();
    let x = s.terms.new_symbol(Sort::Int);
    let minus_two = s.terms.integer(-2);
    let quotient = s.terms.int_binary(IntOp::Div, x, minus_two);
    let bad = s.terms.int_binary(IntOp::Lt, quotient, x);
    let mut printer = Printer::new(&s.terms, "n");
    let mut out = String::new();
    printer.declare(x, "x", &mut out);
    printer.define([bad], &mut out).expect("all symbols have names");
    let text = "(declare-const x Int)\n(define-fun n1 () Int (- 2))\n\
                (define-fun n2 () Int (ite (= n1 0) 0 (div x n1)))\n\
                (define-fun n3 () (_ BitVec 1) (ite (< n2 x) #b1 #b0))\n";
    assert_eq!(out, text);
    s.inputs.push(Input { term: x, name: None });
    s.bads.push(NamedTerm { term: bad, name: None });
    assert_eq!(btor2::write(&s), Err(btor2::WriteError::Integers));
}
