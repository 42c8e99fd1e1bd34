//! What C leaves open about the order of evaluation is an assumption, wherever it stands.

use crate::common;

use common::{outcome, program};

/// Programs that depend on the order, with the text that the assumption is about, and programs that
/// do not.
#[test]
fn orders_that_c_leaves_open() {
    let start = "int g = 1, a[2], m[2][2], *q = a; struct s { int v; } s, t, *p = &s;\n\
        int set(void) { return g = g * 2; } int add(void) { return g = g + 5; }\n\
        int one(int x) { return x; } int two(int x, int y) { return x + y; } int (*fp)(int) = one;\n\
        int turn(void) { fp = 0; return 3; } int pure(void) { return 1; }\n\
        int fill(void) { a[0] = 3; return 2; }\
        struct s make(void) { p = &t; struct s r = {5}; return r; }\n\
        int *left(void) { g = 3; return a; } int *right(void) { return g ? a : &g; }\n\
        int printf(const char *, ...); void *memcpy(void *, const void *, unsigned long);";
    let open = [
        ("g += add();", "g += add()"),
        ("a[g & 1] -= add();", "a[g & 1] -= add()"),
        ("*q *= fill();", "*q *= fill()"),
        ("int (*f)(int, int) = two; f(set(), add());", "f(set(), add())"),
        ("fp(turn());", "fp(turn())"),
        ("*p = make();", "*p = make()"),
        ("int b[2] = {set(), add()};", "set(), add()"),
        ("struct { int x, y; } b = {g, set()};", "g, set()"),
        ("m[set() & 1][add() & 1] = 0;", "m[set() & 1][add() & 1]"),
        ("memcpy(left(), right(), 4);", "memcpy(left(), right(), 4)"),
        ("printf(\"\", set(), add());", "printf(\"\", set(), add())"),
        ("int *z = calloc(set(), add());", "calloc(set(), add())"),
        ("return g + set();", "g + set()"),
    ];
    let assumed = |body: &str| -> Vec<String> {
        let program = program(&format!("{start}\nint main(void) {{ {body} return 0; }}"));
        let texts = program.assumptions.iter().map(|assumption| assumption.text.to_string());
        texts.filter(|text| text.contains("evaluated in their order")).collect()
    };
    for (body, text) in open {
        let expected = format!("the parts of `{text}` are evaluated in their order");
        assert_eq!(assumed(body), [expected], "{body}");
    }
    for body in [
        "g += pure();",
        "g += one(g);",
        "a[0] += add();",
        "int x = 1; x += add();",
        "int (*f)(int, int) = two; f(pure(), add());",
        "fp(add());",
        "s = make();",
        "int b[2] = {pure(), add()};",
        "m[0][add() & 1] = 0;",
        "memcpy(left(), a, 4);",
        "g = (set(), add());",
    ] {
        assert_eq!(assumed(body), [""; 0], "{body}");
    }
}

/// A call through a pointer orders its arguments as little as any other call.
#[test]
fn calls_through_pointers() {
    let text = "int two(int x, int y) { return x; } \
        int main(void) { int i = 0; int (*f)(int, int) = two; return f(i++, i); }";
    let error = common::try_load(text, pedra_c::DataModel::Ilp32).expect_err("it is undefined");
    assert!(error.to_string().contains("changes `i` and uses it a second time"), "{error}");
    let text = text.replace("f(i++, i)", "f(i++, 2) * 10 + 4");
    assert_eq!(outcome(&program(&text), 7), "returns 4");
}
