//! What programs mean: small ones, and which of their assertions random runs violate.

use crate::common;

use common::{program, violated};

/// Name, program, and for each property in the order of the file whether it is violated.
const PROGRAMS: &[(&str, &str, &[bool])] = &[
    (
        "assert and assume",
        "procedure p(x: int) { assume x > 2; assert x > 1; assert x > 3; }",
        &[false, true],
    ),
    (
        "values change at once",
        "procedure p() { var a, b: int; a, b := 1, 2; a, b := b, a; assert a == 2 && b == 1; }",
        &[false],
    ),
    (
        "branches",
        "procedure p(x: int) { var y: int; if (x < 0) { y := 0; } else if (x == 0) { y := 1; }
         else { y := 2; } assert x == 0 ==> y == 1; assert y != 2; if (*) { assert y != 1; } }",
        &[false, true, true],
    ),
    (
        "loops, break and return",
        "procedure p(n: int) { var i: int; i := 0; while (true) { if (i == 3) { break; }
         if (n == 7) { return; } i := i + 1; } assert i == 3; assert n != 7; assert n != 6; }",
        &[false, false, true],
    ),
    (
        "break of an outer loop and of a branch",
        "procedure p() { var i: int; i := 0; out: while (true) { i := i + 1; while (true) {
         break out; } } assert i == 1; b: if (true) { i := 5; break b; i := 6; } assert i == 5; }",
        &[false, false],
    ),
    (
        "invariants hold on entry and after each iteration",
        "procedure p(n: int) { var i: int; i := 0; while (i < n) invariant i >= 0; invariant i < 3;
         invariant i > 0; { i := i + 1; } }
         procedure q() { var i: int; i := 0; while (i < 9) invariant i <= 9; invariant i < 3;
         free invariant i < 5; { i := i + 1; assert i < 4; } assert i > 9; }",
        &[false, false, true, false, true, false, false],
    ),
    (
        "labels and goto",
        "procedure p() { var x: int; x := 0; goto a, b; a: x := 1; b: x := x + 10; goto c;
         c { :auxiliary true } : assert x == 10 || x == 11; assert x == 10; assert x == 11; }",
        &[false, true, true],
    ),
    (
        "a label after return is reached by goto only",
        "procedure p() { var x: int; x := 1; goto l; return; x := 2; l: assert x == 1;
         assert x == 2; }",
        &[false, true],
    ),
    (
        "locals start with any value",
        "procedure p() { var x: int; assert x == 0; havoc x; assert x == 0; x := 0; havoc x;
         assert x == 0; }",
        &[true, true, true],
    ),
    (
        "calls by value, results, recursion",
        "procedure f(n: int) returns (r: int) { var s: int; s := n; if (n <= 0) { r := 0; return; }
         call r := f(n - 1); assert s == n; r := r + s; }
         procedure m() { var x: int; call x := f(3); assert x == 6; assert x != 6; }",
        &[false, false, true],
    ),
    (
        "preconditions are the caller's to show",
        "procedure f(n: int) requires n >= 0; { assert n >= 0; assert n > 0; }
         procedure m() { call f(1); call f(-1); } procedure o() { call f(0); }",
        &[false, true, false, true, false],
    ),
    (
        "free preconditions are assumed where runs start",
        "var g: int; procedure f(n: int) free requires n >= 0; free requires g == n;
         { assert n >= 0; assert g == n; assert n > 0; }",
        &[false, false, true],
    ),
    (
        "free preconditions are neither shown nor assumed at calls",
        "procedure f(n: int) free requires n >= 0; { assert n != -7; }
         procedure m() { call f(-1); assert false; } procedure o() { call f(-7); }",
        &[true, true],
    ),
    (
        "free postconditions are assumed where there is no body",
        "procedure f() returns (r: int) free ensures r == 1; { r := 2; }
         procedure h() returns (r: int); free ensures r == 1;
         procedure m() { var x: int; call x := f(); assert x == 2; assert false; }
         procedure o() { var x: int; call x := h(); assert x == 1; assert x == 2; }",
        &[false, true, false, true],
    ),
    (
        "postconditions are the implementation's to show",
        "procedure f(n: int) returns (r: int) ensures r > n; ensures r == n + 1;
         free ensures r > 0; { if (*) { r := n + 1; } else { r := n + 2; } }
         procedure m() { var x: int; call x := f(1); assert x == 2; }
         procedure o() { var x: int; call x := f(-4); assert x == -3; assert false; }",
        &[false, true, false, false, true],
    ),
    (
        "procedures without implementation do what they may",
        "var g, h: int; procedure f(n: int) returns (r: int); requires n > 0; modifies g;
         ensures g == old(g) + n; ensures r >= g;
         procedure m() modifies g; { var a, b, c: int; a := g; b := h; call c := f(2);
         assert g == a + 2; assert h == b; assert c >= g; assert c == g; call g := f(0); }",
        &[false, false, false, false, true, true],
    ),
    (
        "a result that goes to a global is assigned last",
        "var g: int; procedure f() returns (r: int); modifies g; ensures g == 1; ensures r == 2;
         procedure m() modifies g; { call g := f(); assert g == 2; }",
        &[false],
    ),
    (
        "old values are those on entry",
        "var g: int; procedure f() modifies g; ensures g == old(g) + 1; { g := g + 1;
         assert old(g) == g - 1; assert old(g + 1) == g; if (*) { assert old(g) == g; } }
         procedure m() modifies g; { g := 5; call f(); assert g == 6; assert old(g) == 5; }",
        &[false, false, true, false, false, true],
    ),
    (
        "names of implementations differ, and results hide globals",
        "var g: int; procedure f(a: int) returns (b: int); requires a > 0; ensures b == a + g;
         implementation f(x: int) returns (g: int) { g := x; assert x > 0; }
         implementation f(y: int) returns (r: int) { r := y + g; }",
        &[false, true, false],
    ),
    (
        "maps",
        "procedure p(i, j: int) { var a, b: [int]int; a[i] := 1; b := a[j := 2]; a[j] := 2;
         assert a == b; assert a[i] == 1; assert i != j ==> a[i] == 1; assert b[j := 3][j] == 3; }
         procedure q(m: [int]bool, n: [bool]int) { assert m[0] == m[1]; assert n[true] == n[false]; }",
        &[false, true, false, false, true, true],
    ),
    (
        "bit-vectors",
        "function {:bvbuiltin \"bvadd\"} add(bv8, bv8) returns (bv8);
         function {:bvbuiltin \"bvult\"} ult(a: bv8, b: bv8) returns (bool);
         function {:bvbuiltin \"(_ zero_extend 8)\"} zext(bv8) returns (bv16);
         function {:builtin \"sign_extend\"} {:indices 8} sext(bv8) returns (bv16);
         procedure p() { assert add(255bv8, 2bv8) == 1bv8; assert ult(1bv8, 255bv8);
         assert zext(255bv8) == 255bv16; assert sext(255bv8) == 65535bv16;
         assert 171bv8 ++ 205bv8 == 43981bv16; assert 43981bv16[12:4] == 188bv8;
         assert 260bv8 == 4bv8; assert 1bv1 == 0bv1; }",
        &[false, false, false, false, false, false, false, true],
    ),
    (
        "division is Euclidean",
        "procedure p() { assert -7 div 2 == -4 && -7 mod 2 == 1; assert 7 div -2 == -3;
         assert 7 mod -2 == 1; assert -7 div -2 == 4 && -7 mod -2 == 1; assert -8 / 4 == -2;
         assert -8 % 3 == 1; }",
        &[false, false, false, false, false, false],
    ),
    (
        "division by zero is a function, but an unknown one",
        "procedure p(x, y, z: int) { assert x div 0 == x div 0; assert x div 0 == 0;
         assert x mod 0 == x; assert x == y && z == 0 ==> x mod z == y mod 0;
         assert x div 0 == y div 0; assert z != 0 ==> x == z * (x div z) + x mod z; }",
        &[false, true, true, false, true, false],
    ),
    (
        "uninterpreted functions are functions",
        "function f(int) returns (int); function c(): int;
         procedure p(x, y: int) { assert x == y ==> f(x) == f(y); assert f(x) == f(y);
         assert c() == c(); assert c() == 0; }",
        &[false, true, false, true],
    ),
    (
        "bodies of functions are put in",
        "function twice(x: int) returns (int) { 2 * x } function four(x: int): int { twice(twice(x)) }
         procedure p(x: int) { assert four(x) == x + x + x + x; assert four(x) == twice(x); }",
        &[false, true],
    ),
    (
        "constants and axioms",
        "type ref; const unique a, b: ref; const unique c: ref; const n: int; axiom n > 3;
         procedure p(r: ref) { assert a != b && b != c && a != c; assert n > 2; assert n > 4;
         assert r == a; }",
        &[false, false, true, true],
    ),
    (
        "runs begin with ULTIMATE.start if there is one",
        "procedure ULTIMATE.start() { call q(1); } procedure q(x: int) { assert x == 1; assert false; }
         procedure r() { assert false; }",
        &[false, true, false],
    ),
    (
        "operators",
        "procedure p(a, b: bool) { assert (a ==> b) == (b <== a); assert (a <==> b) == (a == b);
         assert !(a && b) == (!a || !b); assert a ==> b ==> a; assert (a ==> b) ==> a; }",
        &[false, false, false, false, true],
    ),
    (
        "choices in expressions",
        "procedure p(x: int) { var y: int; y := if x < 0 then -x else x; assert y >= 0;
         assert (if y == 0 then 1 else y) > 0; assert y != 3; }",
        &[false, false, true],
    ),
];

#[test]
fn random_runs_violate_what_can_be_violated() {
    for (name, text, expected) in PROGRAMS {
        let program = program(text);
        assert_eq!(program.check(), Ok(()), "{name}");
        let found = violated(&program, 3000, 300);
        let texts: Vec<_> = program.properties.iter().map(|p| &p.text).collect();
        assert_eq!(&found, expected, "{name}: {texts:?}");
    }
}

#[test]
fn properties_and_loops_are_named_by_the_source() {
    let text = "procedure f(n: int)\n  requires n\n    // of course\n    >= 0;\n{\n  var i: int;\n  \
        while (i < n)\n    invariant i >= 0;\n  { i := i + 1; }\n  l: goto l, m;\n  m:\n  \
        call f(i /* sure */ - 1);\n  assert i == n;\n}\n";
    let program = program(text);
    let named = |property: &pedra_program::Property| {
        format!("{} {}", program.location(property.span, true), property.text)
    };
    let found: Vec<String> = program.properties.iter().map(named).collect();
    assert_eq!(
        found,
        [
            "test.bpl:8:5 invariant i >= 0",
            "test.bpl:12:3 call f(i - 1): requires n >= 0",
            "test.bpl:13:3 assert i == n",
        ]
    );
    let loops = program.procedures.iter().flat_map(|p| &p.places);
    let loops: Vec<&str> =
        loops.filter_map(|place| place.head_of.as_ref()).map(|head| &*head.text).collect();
    assert_eq!(loops, ["while (i < n)", "l:"]);
}
