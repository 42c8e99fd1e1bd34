//! Programs that are refused: where and why.

/// A program, and the beginning of what is said about it.
const WRONG: &[(&str, &str)] = &[
    // No Boogie.
    ("", "1:1: no procedure has an implementation"),
    ("procedure p();", "1:1: no procedure has an implementation"),
    ("proc p() {}", "1:1: a declaration is expected, not `proc`"),
    ("procedure p() {", "1:16: a statement is expected, not the end of the file"),
    ("procedure p() { x }", "1:19: `:=` is expected, not `}`"),
    ("procedure p() {\n  var x: int;\n  x := 1 +;\n}", "3:11: an expression is expected, not `;`"),
    ("procedure p() { assert 1 }", "1:26: `;` is expected, not `}`"),
    ("procedure p() { assert true; var x: int; }", "1:30: a declaration among statements"),
    ("procedure while() {}", "1:11: the procedure's name is expected, not `while`"),
    ("procedure p() { /* ", "1:17: this comment does not end"),
    ("procedure p() { assert 1 < 2 < 3; }", "1:30: `<` and `<` need parentheses"),
    ("procedure p(a: bool) { assert a && a || a; }", "1:38: `&&` and `||` need parentheses"),
    ("procedure p(a: bool) { assert a ==> a <== a; }", "1:39: `==>` and `<==` need parentheses"),
    ("procedure p() { assert 12x == 0; }", "1:26: a number followed by a name"),
    ("procedure p() { assert @; }", "1:24: unexpected character `@`"),
    ("procedure {:a \"x} p() {}", "1:15: this string does not end"),
    // Names.
    ("procedure p() { x := 1; }", "1:17: there is no variable `x`"),
    ("procedure p() { assert f(1); }", "1:24: there is no function `f`"),
    ("procedure p() { call q(); }", "1:22: there is no procedure `q`"),
    ("procedure p() { goto a; }", "1:22: there is no label `a`"),
    ("procedure p() { a: a: return; }", "1:20: `a` is declared twice"),
    ("procedure p() { break; }", "1:17: `break` outside a loop"),
    ("procedure p() { a: while (*) { } while (*) { break a; } }", "1:52: no enclosing loop"),
    ("var x: int; var x: int;", "1:17: `x` is declared twice"),
    ("procedure p(x: int, x: int) {}", "1:21: `x` is declared twice"),
    ("procedure p(); procedure p();", "1:26: `p` is declared twice"),
    ("implementation p() {}", "1:16: there is no procedure `p`"),
    ("var x: foo;", "1:8: there is no type `foo`"),
    ("var g: int; axiom g == 1;", "1:19: the global variable `g` is not in scope"),
    ("var g: int; procedure p() { g := 1; }", "1:29: `g` is changed, but not in the modifies"),
    (
        "var g: int; procedure q(); modifies g; procedure p() { call q(); }",
        "1:61: `g` is changed, but not in the modifies clause of `p`",
    ),
    ("const c: int; procedure p() { c := 1; }", "1:31: `c` is a constant"),
    ("procedure p(x: int) { x := 1; }", "1:23: the parameter `x` is assigned"),
    ("procedure p(g: int) requires old(g) == 0; {}", "1:30: `old` is for postconditions"),
    ("type a = b; type b = a;", "1:6: synonyms of types nest too deep"),
    (
        "function f(x: int): int { f(x) } procedure p() { assert f(1) == 1; }",
        "1:10: the function `f` is recursive",
    ),
    // Types.
    ("procedure p(x: int) { assert x; }", "1:30: this is of type `int`, but `bool`"),
    ("procedure p(x: int) { assert x == true; }", "1:35: `int` is needed here, not `bool`"),
    ("procedure p(x: bool) { assert x < true; }", "1:31: `<` needs an `int`, not `bool`"),
    ("procedure p(x: bv8) { assert x + x == x; }", "1:30: `+` needs an `int`, not `bv8`"),
    ("procedure p(x: bv8) { assert x == 1bv9; }", "1:35: `bv8` is needed here, not `bv9`"),
    ("procedure p(x: bv8) { assert x[9:0] == x; }", "1:30: bits 9 to 0 of a bit-vector of 8"),
    ("procedure p(x: int) { assert x[0] == 1; }", "1:30: this is not a map, but of type `int`"),
    ("procedure p(x: [int]int) { assert x[true] == 1; }", "1:37: `int` is needed here, not `bool`"),
    ("procedure p() { var x: int; x := 1, 2; }", "1:29: 2 values for 1 variables"),
    ("procedure p() { var x: int; x, x := 1, 2; }", "1:32: `x` is assigned twice at once"),
    ("procedure p(x: int) { call p(); }", "1:28: `p` has 1 parameters, not 0"),
    ("procedure p() { var x: int; call x := p(); }", "1:39: `p` has 0 results, not 1"),
    ("procedure p(x: int); implementation p(x: bool) {}", "1:37: parameters and results differ"),
    ("var x: bv0;", "1:8: a bit-vector needs at least one bit"),
    ("var x: bv99999999999999999999;", "1:8: this number is too large"),
    ("var x: bv2000000;", "1:8: 2000000 bits are more than"),
    ("function {:bvbuiltin \"bvadd\"} f(bv8) returns (bv8);", "1:31: `bvadd` has other parameters"),
    (
        "function {:builtin \"f\"} f(int) returns (int); procedure p() { assert f(1) == 1; }",
        "1:70: builtin functions other than those of bit-vectors are not supported",
    ),
    // What is not supported.
    ("procedure p() { assert (forall x: int :: x == x); }", "1:25: quantifiers are not supported"),
    ("procedure p() { assert (lambda x: int :: x)[0] == 0; }", "1:25: lambda expressions are not"),
    ("procedure p() { var r: real; r := r; }", "1:21: real numbers are not supported"),
    ("procedure p() { assert 1.5 == 1.5; }", "1:24: real numbers are not supported"),
    ("procedure p(r: real) { }", "1:13: real numbers are not supported"),
    ("procedure p(a: [int,int]int) { }", "1:13: maps with several indices are not"),
    ("procedure p(a: [int][int]int) { }", "1:13: maps of maps are not supported"),
    ("procedure p(a: [int,int]int) { assert a[1,2] == 0; }", "1:42: maps with several indices"),
    ("type list a;", "1:11: types with arguments are not supported"),
    ("type {:datatype} list;", "1:1: datatypes and builtin types are not supported"),
    (
        "type list; function {:constructor} nil() returns (list);",
        "1:12: datatypes and builtin types are not supported",
    ),
    ("procedure p<a>(x: a) {}", "1:12: type parameters are not supported"),
    ("var m: <a>[a]int;", "1:8: polymorphic maps are not supported"),
    ("procedure p() { call forall p(); }", "1:22: `call forall` statements are not"),
    ("procedure p(x: int) { call p(*); }", "1:30: wildcards as arguments are not supported"),
    ("var x: int where x > 0;", "1:12: `where` clauses are not supported"),
    ("procedure p() { fork 1 p(); }", "1:17: `fork` statements are not supported"),
    ("procedure p() { assert 2 ** 3 == 8; }", "1:26: powers are not supported"),
    ("const a: int extends b;", "1:14: partial orders are not supported"),
    (
        "function { :overapproximation \"bitwise\" } f(int) returns (int);
         procedure p() { assert f(1) == 0; }",
        "2:33: functions that are overapproximated are not supported",
    ),
    (
        "function f(int, int) returns (int); procedure p() { assert f(1, 2) == 0; }",
        "1:60: uninterpreted functions of several arguments are not supported",
    ),
];

#[test]
fn errors_say_where_and_why() {
    for (text, expected) in WRONG {
        let found = pedra_boogie::read(text.as_bytes(), "test.bpl");
        let found = found.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(found.starts_with(expected), "{text}\nexpected {expected}\nfound    {found}");
    }
}

#[test]
fn quotes_in_strings_and_a_byte_order_mark() {
    for text in [
        "procedure {:a \"x\\\"y\"} p() { assert true; }",
        "procedure {:a \"\\\"\", \"y\"} p() { assert true; }",
        "procedure {:a \"c:\\\"} p() { assert true; }",
        "\u{feff}procedure p() { assert true; }",
    ] {
        pedra_boogie::read(text.as_bytes(), "test.bpl").unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    let error = pedra_boogie::read("\u{feff}var".as_bytes(), "test.bpl").expect_err("cut off");
    assert!(error.to_string().starts_with("1:4: "), "{error}");
}

/// What is not supported may be declared as long as it is not used.
#[test]
fn unused_declarations_do_not_matter() {
    let text = "const pi: real; var heap: [int,int]int; function f(int, int) returns (int);
        function {:builtin \"int2bv\"} g(int) returns (bv8); procedure q(x: real); procedure {:free} {:inline 1} p() { var r: real; assert true; }";
    assert!(pedra_boogie::read(text.as_bytes(), "test.bpl").is_ok());
}
