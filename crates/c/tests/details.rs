//! More corners of C, from text to the end of a run on the reference interpreter: each of these once
//! had a wrong answer.

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
