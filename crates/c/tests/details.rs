//! More corners of C, from text to the end of a run on the reference interpreter: each of these
//! once had a wrong answer.

use crate::common;

use common::{outcome, program, try_load};
use pedra_c::DataModel;

/// Whole programs and how their runs end.
fn check(cases: &[(&str, &str)]) {
    for (text, end) in cases {
        assert_eq!(outcome(&program(text), 7), *end, "{text}");
    }
}

/// Programs that are refused, with a part of the message.
fn refused(cases: &[(&str, &str)]) {
    for (text, message) in cases {
        let error = try_load(text, DataModel::Ilp32).map(drop).expect_err(text);
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
}

/// `c ?: e` evaluates `c` once, also if `e` has no value.
#[test]
fn conditions_without_a_middle() {
    let start = "void reach_error(void); int n; int f(void) { return n++; }";
    for (body, end) in [
        ("int x = 0; (x = 1) ?: (void)0; return x;", "returns 1"),
        ("int r = 5; r ?: reach_error(); return r;", "returns 5"),
        ("int r = 0; r ?: reach_error(); return r;", "violates reach_error()"),
        ("f() ?: (void)(n += 10); return n;", "returns 11"),
        ("f(); return (f() ?: 7) * 10 + n;", "returns 12"),
    ] {
        check(&[(&format!("{start} int main(void) {{ {body} }}"), end)]);
    }
}

/// Beside `void *` any pointer becomes one, unless the `void *` is a null pointer constant
/// (C11 6.5.15p6).
#[test]
fn types_of_choices() {
    for (value, end) in [
        ("sizeof(*(c ? v : p))", "returns 1"),
        ("sizeof(*(c ? p : v))", "returns 1"),
        ("sizeof(*(c ? (void *)0 : p))", "returns 4"),
        ("sizeof(*(c ? p : (void *)0))", "returns 4"),
        ("sizeof(*(c ? 0 : p))", "returns 4"),
        ("sizeof(*(c ? v : (void *)0))", "returns 1"),
        ("(char *)((c ? v : p) + 4) == (char *)(a + 1)", "returns 1"),
    ] {
        let text =
            format!("int main(void) {{ int a[3], *p = a, c = 1; void *v = a; return {value}; }}");
        check(&[(&text, end)]);
    }
}

/// An array without elements has no part in what lies behind it.
#[test]
fn arrays_without_elements() {
    for (members, end) in [
        ("int k; char z[0]; int *p;", "returns 6"),
        ("char z[0]; int *p;", "returns 6"),
        ("int *z[0]; int *p;", "returns 6"),
        ("struct { char c; } z[0]; int *p; char e[];", "returns 6"),
    ] {
        let text = format!(
            "struct s {{ {members} }}; int main(void) {{ int x = 5, y = 6; struct s s, *q = &s; \
             s.p = &x; q->p = &y; struct s t = s; q = &t; return *q->p == *s.p ? *s.p : 0; }}"
        );
        check(&[(&text, end)]);
    }
    let text = "struct { int *z[0], *p; } s; \
        int main(void) { int x = 5; s.p = &x; return s.z[0] == 0; }";
    check(&[(text, "undefined: bounds s.z[0]")]);
}

/// A struct with an array inside is copied only where the pointer leads to one that is alive.
#[test]
fn copies_of_arrays_through_pointers() {
    let start = "void *malloc(unsigned long); void free(void *); struct s { int a[2]; }; \
                 struct s t = {{3, 4}}, u, *p, *null;";
    for (body, end) in [
        ("p = &u; *p = t; return u.a[1];", "returns 4"),
        ("p = &u; p = null; *p = t; return u.a[1];", "undefined: pointer *p"),
        ("p = &u; p = null; u = *p; return u.a[1];", "undefined: pointer *p"),
        ("p = malloc(8); *p = t; u = *p; free(p); return u.a[0];", "returns 3"),
        ("p = malloc(8); *p = t; free(p); *p = t; return 0;", "undefined: pointer *p"),
        ("{ struct s v = t; p = &v; u = *p; } u = *p; return 0;", "undefined: pointer *p"),
    ] {
        check(&[(&format!("{start} int main(void) {{ {body} }}"), end)]);
    }
}

/// Labels of blocks are not told apart, so one name may be a label once.
#[test]
fn labels_of_blocks() {
    let local = "__label__ l; x++; goto l; x = 9; l: x += 10;";
    check(&[(&format!("int main(void) {{ int x = 0; {{ {local} }} return x; }}"), "returns 11")]);
    let message = "a second label `l` in one function is not supported";
    refused(&[
        (&format!("int main(void) {{ int x = 0; {{ {local} }} {{ {local} }} }}"), message),
        (
            "int main(void) { int x = 0; l: x++; ({ __label__ l; l: x++; }); if (x < 9) goto l; }",
            message,
        ),
        ("int main(void) { l: ; l: return 0; }", message),
    ]);
}

/// A value has one label in a switch.
#[test]
fn labels_of_switches() {
    let twice = "this case is in the switch twice";
    let switch = |labels: &str| {
        format!("int main(int n) {{ switch (n) {{ {labels} return 1; }} return 0; }}")
    };
    for labels in ["case 1: case 1:", "case -1: case 4: case 0xffffffff:", "default: default:"] {
        refused(&[(&switch(labels), twice)]);
    }
    refused(&[(&switch("case 1 ... 5: case 7: case 5 ... 6:"), twice)]);
    for labels in ["case 1 ... 5: case -6 ... 0: case 6:", "case 1: switch (n) { case 1: ; }"] {
        assert!(try_load(&switch(labels), DataModel::Ilp32).is_ok(), "{labels}");
    }
}

/// Lengths of arrays are evaluated once, or have no side effects.
#[test]
fn side_effects_in_lengths() {
    let message = "a side effect in the length of an array here is not supported";
    for text in [
        "int g; void f(int m, int a[m++]) { g = m; } int main(void) { int z[9]; f(3, z); }",
        "int main(void) { int n = 3; typedef int t[n++]; return n; }",
        "int main(void) { int n = 3; int (*p)[n++] = 0; return n; }",
        "int main(void) { int n = 3, x[9]; void *q = (int (*)[n++])x; return n; }",
        "int main(void) { int n = 3; typeof(int[n++]) *q = 0; return n; }",
        "int main(void) { int n = 3; int a[2][n++]; return n; }",
    ] {
        refused(&[(text, message)]);
    }
    check(&[
        ("int main(void) { int n = 3; int a[n++]; a[2] = 1; return n; }", "returns 4"),
        (
            "int g; int t(void) { g++; return 3; } void f(int (*a)[t()]) { } \
             int main(void) { int z[2][3]; f(z); return g; }",
            "returns 1",
        ),
        (
            "int g; void f(int a[g++]); void f(int *a) { } int main(void) { f(0); return g; }",
            "returns 0",
        ),
        ("int main(void) { int n = 3; int (*p)[n + 1] = 0; return n; }", "returns 3"),
    ]);
}

/// Types that are the same but for what is not known of them are not compared.
#[test]
fn comparisons_of_types() {
    let start = "enum a { P }; enum b { Q }; struct s { int x; }; typedef struct s t; \
                 typedef const struct s k; typedef unsigned u; int x; char *p; enum a e;";
    let value = |value: &str| format!("{start} int main(void) {{ return {value}; }}");
    for types in [
        "const char *, char *",
        "char *, volatile char *",
        "char * const *, char **",
        "enum a, enum b",
        "enum a, unsigned",
        "int[], int[5]",
        "u, unsigned",
        "k *, t *",
        "int (*)(const int), int (*)(int)",
    ] {
        let text = value(&format!("__builtin_types_compatible_p({types})"));
        refused(&[(&text, "a comparison of types with qualifiers")]);
    }
    for (types, end) in [
        ("const int, int", "returns 1"),
        ("t, struct s", "returns 1"),
        ("t *, struct s *", "returns 1"),
        ("k, struct s", "returns 1"),
        ("int *, char *", "returns 0"),
        ("int[5], int *", "returns 0"),
        ("int[4], int[5]", "returns 0"),
        ("const char *, int *", "returns 0"),
        ("enum a, int", "returns 0"),
    ] {
        check(&[(&value(&format!("__builtin_types_compatible_p({types})")), end)]);
    }
    for choice in
        ["p, const char *: 1", "p, char *: 1", "x, const int: 1", "e, enum b: 1", "1u, u: 1"]
    {
        let text = value(&format!("_Generic({choice}, default: 2)"));
        refused(&[(&text, "_Generic with types that may differ")]);
    }
    for (choice, end) in [
        ("x, unsigned: 1, int: 3", "returns 3"),
        ("x, char *: 1", "returns 2"),
        ("*(k *)0, struct s: 1", "returns 1"),
    ] {
        check(&[(&value(&format!("_Generic({choice}, default: 2)")), end)]);
    }
}

/// Enumerators are not cut.
#[test]
fn large_enumerators() {
    for value in
        ["0xffffffffffffffffULL", "0xfffffffffffffffeULL", "0x100000000LL", "-0x80000001LL"]
    {
        let text = format!("enum {{ X = {value} }}; int main(void) {{ return X > 0; }}");
        refused(&[(&text, "an enumerator beyond 32 bits is not supported")]);
    }
    check(&[("enum { X = 0xffffffffu }; int main(void) { return X > 0; }", "returns 1")]);
}

/// Bit-fields as gcc places them and computes with them.
#[test]
fn places_of_bit_fields() {
    let packed = "__attribute__((packed))";
    for (text, ilp32, lp64) in [
        (format!("struct {packed} s {{ char a; int : 0; char b; }};"), 5, 5),
        (format!("struct {packed} s {{ char a; long long : 0; char b; }};"), 5, 9),
        ("struct s { char a; long long : 0; char b; };".into(), 5, 9),
        ("struct s { int x; unsigned long long a : 20, b : 30, c : 14; };".into(), 12, 16),
        ("struct s { char x; unsigned long long a : 30, b : 30; };".into(), 12, 16),
        ("struct s { unsigned a : 20, b : 20; };".into(), 8, 8),
    ] {
        let text = format!("{text} int main(void) {{ return sizeof(struct s); }}");
        for (model, size) in [(DataModel::Ilp32, ilp32), (DataModel::Lp64, lp64)] {
            let program = try_load(&text, model).expect(&text);
            assert_eq!(outcome(&program, 7), format!("returns {size}"), "{model:?} {text}");
        }
    }
    for ty in ["unsigned long long", "unsigned long", "unsigned"] {
        let text = format!(
            "struct {{ {ty} f : 32; }} s; \
             int main(void) {{ s.f = 0xffffffffu; return s.f + 1 == 0 && -s.f == 1; }}"
        );
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let program = try_load(&text, model).expect(&text);
            assert_eq!(outcome(&program, 7), "returns 1", "{model:?} {text}");
        }
    }
}

/// Whether a pointer from outside may be given to `free` is not known.
#[test]
fn free_of_storage_from_outside() {
    let start = "int *ext(void); void *any(void); void free(void *); int main(void) { int *p";
    for (body, end) in [
        ("p = ext(); if (p) free(p); return 0;", "undefined: limit free(p)"),
        ("void *q = any(); if (q) free(q); return 0;", "undefined: limit free(q)"),
        ("p = ext(); if (p) free(&p); return 0;", "undefined: pointer free(&p)"),
    ] {
        let program = program(&format!("{start}; {body} }}"));
        let ends: Vec<String> = (0..16).map(|seed| outcome(&program, seed)).collect();
        assert!(ends.iter().any(|found| found == end), "{body}: {ends:?}");
        let is_expected = |found: &String| found == end || found == "returns 0";
        assert!(ends.iter().all(is_expected), "{body}: {ends:?}");
    }
}

/// What GNU C says of functions and strings as operands.
#[test]
fn operands_that_are_not_evaluated() {
    let start = "int f(void) { return 1; }";
    for (body, end) in [
        ("return sizeof(f) * 10 + sizeof f;", "returns 11"),
        ("int (*p)(void) = f; return sizeof(*p) * 10 + sizeof(p);", "returns 14"),
        ("typeof(f) *p = f; return p();", "returns 1"),
        ("return __builtin_constant_p(\"abc\") * 10 + __builtin_constant_p(f());", "returns 10"),
    ] {
        check(&[(&format!("{start} int main(void) {{ {body} }}"), end)]);
    }
    refused(&[(
        "int a asm(\"b\") = 3; extern int b; int main(void) { return b; }",
        "a variable with an `asm` label is not supported",
    )]);
}

/// A name has one type and one definition; what is left open in one declaration may be in another.
#[test]
fn names_that_are_declared_twice() {
    refused(&[
        ("int x; char x; int main(void) { return x; }", "1:13: `x` was declared with another type"),
        ("int f(int); int f(char c) { return c; } int main(void) { return f(1); }", "another type"),
        ("int f(int); int f(int, int); int main(void) { return f(1); }", "another type"),
        ("int f(int); void f(int); int main(void) { return f(1); }", "another type"),
        ("int a[2]; int a[3]; int main(void) { return a[0]; }", "another type"),
        ("int x = 1; int x = 2; int main(void) { return x; }", "1:16: `x` is defined twice"),
    ]);
    for text in [
        "extern int a[]; int a[3]; extern int a[]; int x; int x = 2; extern int x;",
        "int f(); int f(int c) { return c; } int f();",
        "int f(const int, char *); int f(int x, char y[4]) { return x; }",
        "struct s; int f(struct s *); struct s { int x; }; int f(struct s *p) { return p->x; }",
        "int f(int n, int a[n][n]); int f(int n, int a[n][n]) { return a[0][0]; }",
        "enum e { A }; int f(enum e); int f(unsigned x) { return x; }",
        "void *memset(void *, int, unsigned char); int g(int x) { memset(&x, 0, 1); return x; }",
        "int g(void) { return h(); } int h(void) { return 1; }",
    ] {
        let text = format!("{text} int main(void) {{ return 0; }}");
        assert!(try_load(&text, DataModel::Ilp32).is_ok(), "{text}");
    }
}
