//! Programs from text to the end of a run on the reference interpreter.

use crate::common;

use common::{outcome, program, try_load};
use pedra_c::DataModel;

/// The programs in `programs/` check themselves and return 0, for both data models. What gcc makes
/// of them does the same.
#[test]
fn programs_that_check_themselves() {
    let files = [
        include_str!("programs/bits.c"),
        include_str!("programs/control.c"),
        include_str!("programs/heap.c"),
        include_str!("programs/memory.c"),
        include_str!("programs/integers.c"),
        include_str!("programs/unnamed.c"),
    ];
    for text in files {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let program = try_load(text, model).expect("a program");
            for seed in 0..20 {
                let end = outcome(&program, seed);
                assert!(end == "returns 0" || end == "ends", "{model:?} {seed}: {end}\n{text}");
            }
        }
    }
}

/// Statements of `main` and how the run ends.
fn check(cases: &[(&str, &str)]) {
    for (body, end) in cases {
        let text = format!(
            "void reach_error(void); void abort(void); int nondet(void); int g; int a[3];\n\
             int inc(int x) {{ return x + 1; }}\n\
             int main(void) {{ int x = 0, y = 1; int *p = &g; {body} }}"
        );
        assert_eq!(outcome(&program(&text), 7), *end, "{body}");
    }
}

#[test]
fn how_runs_end() {
    check(&[
        ("return 42;", "returns 42"),
        ("x = y;", "returns 0"),
        ("abort(); return 1;", "ends"),
        ("if (y) reach_error(); return 1;", "violates reach_error()"),
        ("while (x < 10) x++; return x;", "returns 10"),
        ("__VERIFIER_assume(x); reach_error();", "ends"),
        ("assert(x == 0); assert(y == 0);", "violates assert(y == 0)"),
        ("__assert_fail(\"y > x\", \"f\", 1, \"m\");", "violates assert(y > x)"),
    ]);
}

/// Undefined operations are named, and only where they are reached.
#[test]
fn undefined_behaviour() {
    check(&[
        ("x = 2147483647; x = x + y; return 0;", "undefined: overflow x + y"),
        ("x = -2147483647 - 1; x = -x; return 0;", "undefined: overflow -x"),
        ("x = -2147483647 - 1; x = x / (y - 2); return 0;", "undefined: overflow x / (y - 2)"),
        ("x = 100000; return x * x;", "undefined: overflow x * x"),
        ("x = 2147483647; x++; return 0;", "undefined: overflow x++"),
        ("return y / x;", "undefined: division y / x"),
        ("y %= x; return y;", "undefined: division y %= x"),
        ("return y << 32;", "undefined: shift y << 32"),
        ("return y >> (x - 1);", "undefined: shift y >> (x - 1)"),
        ("return (x - 1) << 1;", "undefined: shift (x - 1) << 1"),
        ("return y << 31;", "undefined: overflow y << 31"),
        ("__VERIFIER_assume(y / x > 2); return 1;", "undefined: division y / x"),
        ("x = y / x, __VERIFIER_assume(y < 0); return 1;", "undefined: division y / x"),
        ("printf(\"%d\", y / x); return 1;", "undefined: division y / x"),
        ("exit(y / x);", "undefined: division y / x"),
        ("exit(a[y + 2]);", "undefined: bounds a[y + 2]"),
        ("return 1u << 31 > 0;", "returns 1"),
        ("return a[x + 3];", "undefined: bounds a[x + 3]"),
        ("a[x - 1] = 1; return 0;", "undefined: bounds a[x - 1]"),
        ("p = a; p += 3; return *p;", "undefined: pointer *p"),
        ("int *q = a; q += 3; return *q;", "undefined: bounds *q"),
        ("p = 0; return *p;", "undefined: pointer *p"),
        ("p = &a[3]; return p - a;", "returns 3"),
        ("return x != 0 && y / x > 0;", "returns 0"),
        ("return x ? y / x : 5;", "returns 5"),
        ("return x == 0 || a[x - 1];", "returns 1"),
        ("unsigned u = 0; u = u - 1; return u > 0;", "returns 1"),
        ("char c = 127; c++; return c;", "returns -128"),
    ]);
}

#[test]
fn order_of_side_effects() {
    check(&[
        ("x = y++ * 5; return x * 10 + y;", "returns 52"),
        ("x = (g = 3, g + 1); return x * 10 + g;", "returns 43"),
        ("x = inc(inc(x)) + inc(y); return x;", "returns 4"),
        ("a[inc(x)] = inc(5); return a[1];", "returns 6"),
        ("g = 4; x = (g = 7) && g++ == 7; return x * 10 + g;", "returns 18"),
        ("a[1] = 5; x += inc(a[1]) * 2; return x;", "returns 12"),
        ("g = 1; *p += inc(g); return g;", "returns 3"),
        ("x = y = g = 8; return x + y + g;", "returns 24"),
        ("for (x = 0, y = 9; x < y; x++, y--) ; return x * 10 + y;", "returns 54"),
        ("return (y ? inc(3) : inc(9)) + (x ? inc(3) : inc(9));", "returns 14"),
    ]);
}

/// Storage that was given back is not used, nor given back again.
#[test]
fn storage_that_was_freed() {
    let malloc = "int *q = malloc(sizeof(int)); *q = 5;";
    let two = "int *q = malloc(12), *r = malloc(4); q[2] = 5; *r = 6; int *s = y ? r : q;";
    for (first, body, end) in [
        (malloc, "x = *q; free(q); return x;", "returns 5"),
        (malloc, "free(q); return *q;", "undefined: pointer *q"),
        (malloc, "free(q); *q = 1; return 0;", "undefined: pointer *q"),
        (malloc, "free(q); free(q); return 0;", "undefined: pointer free(q)"),
        (malloc, "free(&g); return 0;", "undefined: pointer free(&g)"),
        (malloc, "q = 0; free(q); return 3;", "returns 3"),
        (two, "free(s); return q[2];", "returns 5"),
        (two, "free(s); return *r;", "undefined: pointer *r"),
        (two, "free(q); q = s; return *q;", "returns 6"),
        (two, "free(q + 1); return 0;", "undefined: pointer free(q + 1)"),
    ] {
        check(&[(&format!("{first} {body}"), end)]);
    }
}

/// Allocations that run again have storage of their own each time, up to a limit of the graph.
#[test]
fn allocations_that_run_again() {
    let list = "struct n { int v; struct n *next; } *l = 0, *m;";
    let push = "m = malloc(sizeof *m); m->v = x; m->next = l; l = m;";
    for (body, end) in [
        ("for (x = 0; x < 3; x++) { PUSH } return l->v + l->next->v * 10;", "returns 12"),
        ("for (x = 0; x < 16; x++) { PUSH } return m->v;", "returns 15"),
        ("for (x = 0; x < 17; x++) { PUSH } return 0;", "undefined: limit malloc(sizeof *m)"),
        (
            "for (x = 0; x < 2; x++) { PUSH } free(m); return l->next->v;",
            "undefined: pointer l->next",
        ),
        ("for (x = 0; x < 2; x++) { PUSH } m = l->next; free(l); return m->v;", "returns 0"),
        (
            "for (x = 0; x < 2; x++) { PUSH } m = l; free(l); free(m); return 0;",
            "undefined: pointer free(m)",
        ),
        ("for (x = 0; x < 2; x++) { PUSH } m++; return m->v;", "undefined: bounds m->v"),
        ("for (x = 0; x < 2; x++) { PUSH } m -= 2; return m->v;", "undefined: pointer m -= 2"),
    ] {
        check(&[(&format!("{list} {}", body.replace("PUSH", push)), end)]);
    }
}

/// Calls through pointers that point to no function, or to one of another type.
#[test]
fn calls_by_address() {
    check(&[
        ("int (*f)(int) = inc; return f(4);", "returns 5"),
        ("int (*f)(int) = x ? inc : 0; return f(4);", "undefined: pointer f(4)"),
        ("int (*f)(void) = (int (*)(void))inc; return f();", "undefined: pointer f()"),
        ("int (*f)(int); f = inc; f = 0; if (f) return f(1); return 2;", "returns 2"),
    ]);
}

/// What the source does not say is noted, once each.
#[test]
fn assumptions() {
    let text = "int f(int); int *h(void); volatile int v; int unused(void);\n\
        int main(void) { int x = f(1) + f(v) + v; int *p = h(); if (p) *p = 3; return x; }";
    let program = program(text);
    let found: Vec<&str> = program.assumptions.iter().map(|a| &*a.text).collect();
    let any =
        |name: &str| format!("`{name}`, which has no body, returns any value and changes nothing");
    assert_eq!(
        found,
        [
            any("f").as_str(),
            &any("h"),
            "a pointer from `h` is null or points to separate storage",
            "nothing but the program changes `v`, which is volatile",
        ]
    );
    assert_eq!((program.assumptions[0].span.line, program.assumptions[0].span.column), (2, 26));
    let text = "int main(void) { int *p = malloc(4), *q = malloc(4); return p == q; }";
    let found: Vec<String> =
        common::program(text).assumptions.iter().map(|a| a.text.to_string()).collect();
    assert_eq!(found, ["`malloc` does not fail"]);
    let text = "int atoi(const char *); int main(int n, char **v) { return atoi(v[1]); }";
    let found = self::program(text).assumptions;
    assert_eq!(&*found[0].text, "the argument `v[1]` is defined");
    assert_eq!(&*found[1].text, any("atoi"));
}

/// What C leaves open is noted where it may matter.
#[test]
fn what_is_left_open() {
    for (text, expected) in [
        (
            "int g; int s(int v) { g = v; return v; } int main(void) { return s(1) + s(2); }",
            "the parts of `s(1) + s(2)` are evaluated in their order",
        ),
        (
            "int g; int s(void) { return ++g; } int a[3]; int main(void) { a[g] = s(); }",
            "the parts of `a[g] = s()` are evaluated in their order",
        ),
        (
            "int main(void) { char *p = \"a\", *q = \"a\"; return p == q; }",
            "in `p == q` different objects lie apart",
        ),
        (
            "int a[2], b[2]; int main(void) { return a + 2 == b; }",
            "in `a + 2 == b` different objects lie apart",
        ),
        (
            "int *f(void) { int l = 1; return &l; } int main(void) { return *f(); }",
            "`l` is not used after its function has returned",
        ),
    ] {
        let found = program(text).assumptions;
        assert!(found.iter().any(|a| &*a.text == expected), "{text}: {found:?}");
    }
    for text in [
        "int s(int v) { return v ? s(v - 1) + s(v - 1) : 1; } int main(void) { return s(3); }",
        "int a[2]; int main(void) { int *p = a, *q = a; p++; return p == q; }",
        "int f(int *p) { return *p; } int main(void) { int l = 1; return f(&l); }",
    ] {
        assert!(program(text).assumptions.is_empty(), "{text}");
    }
}

/// Arrays and allocations whose size is known only when the program runs.
#[test]
fn variable_sizes() {
    check(&[
        ("int n = 4; n++; int v[n]; v[n - 1] = 7; return v[4];", "returns 7"),
        ("int n = 4; n++; int v[n]; return v[n] == 0;", "undefined: bounds v[n]"),
        ("int n = 1; n -= 2; int v[n]; return 0;", "undefined: bounds v"),
        ("int n = 4; n++; int v[n][2]; v[4][1] = 7; return v[y + 3][1];", "returns 7"),
        ("y += 3; int *q = malloc(y * sizeof(int)); q[3] = 5; return q[y - 1];", "returns 5"),
        ("y += 3; int *q = malloc(y * sizeof(int)); q += y; return *q;", "undefined: bounds *q"),
        ("y += 3; int *q = calloc(y, 4); q++; return *q + q[2];", "returns 0"),
        (
            "y += 3; int *q = malloc(y * 4), *r = malloc(y * 4); *q = 1; *r = 2; return *q;",
            "returns 1",
        ),
        ("x = y - 1; int *q = malloc(x); return *q == 0;", "undefined: pointer *q"),
        ("int k = 3; int v[k]; return sizeof v;", "returns 12"),
    ]);
}

/// One property for each assertion, named by its call.
#[test]
fn properties() {
    let text = "void reach_error(void) { } void abort(void);\n\
        void __VERIFIER_assert(int cond) { if (!cond) { ERROR: { reach_error(); abort(); } } }\n\
        void assume_abort_if_not(int cond) { if (!cond) { abort(); } }\n\
        int main(void) {\n  int x;\n  assume_abort_if_not(x > 3);\n\
        __VERIFIER_assert(x > 2);\n  if (x == 3)\n    reach_error();\n return 0; }\n";
    let program = program(text);
    let found: Vec<(u32, &str)> =
        program.properties.iter().map(|p| (p.span.line, &*p.text)).collect();
    assert_eq!(found, [(7, "__VERIFIER_assert(x > 2)"), (9, "reach_error()")]);
    assert_eq!(program.procedures.len(), 1, "shorthands are no procedures");
    assert_eq!(program.files, ["test.c"]);
}

/// Line markers move positions.
#[test]
fn markers() {
    let text = "# 1 \"a.c\"\n# 1 \"a.h\" 1\nvoid reach_error(void);\n# 7 \"a.c\" 2\n\
        int main(void) { reach_error(); }\n";
    let program = program(text);
    let property = &program.properties[0];
    assert_eq!(program.location(property.span, true), "a.c:7:18");
}

/// A loop has its head, with its text; variables have their names.
#[test]
fn shape_of_the_graph() {
    let text = "int id(int); int main(void) { unsigned n = 4; int k = id(2); struct { int u; char v; } s; int m[2][2];\n\
        while (n > 0) { n--; s.u = n; s.v = m[1][0]; }\n\
        if (n) ; else if (s.u == 1) s.u = id(s.u); return 0; } int id(int x) { return x; }";
    let program = program(text);
    let main = program.procedure(program.entry);
    let heads: Vec<&str> =
        main.places.iter().filter_map(|p| p.head_of.as_ref()).map(|head| &*head.text).collect();
    assert_eq!(heads, ["while (n > 0)"]);
    let names: Vec<&str> = program.variables.iter().filter_map(|v| v.name.as_deref()).collect();
    assert_eq!(names, ["n", "k", "s.u", "s.v", "m", "x"]);
    let texts: Vec<&str> = main.edges.iter().map(|e| &*e.text).filter(|t| !t.is_empty()).collect();
    let expected = [
        "unsigned n = 4;",
        "k = id(2)",
        "while (n > 0)",
        "while (n > 0)",
        "n--;",
        "s.u = n;",
        "s.v = m[1][0];",
        "if (n)",
        "if (n)",
        "if (s.u == 1)",
        "if (s.u == 1)",
        "id(s.u)",
        "s.u = id(s.u);",
        "return 0;",
    ];
    assert_eq!(texts, expected);
}
