//! What comes after the call of an error function, for each of the three ways to read it.

use crate::common::outcome;
use pedra_c::{Errors, Options, load};
use std::collections::BTreeSet;

/// How runs end, and the texts of the properties.
fn ends(text: &str, errors: Errors) -> (String, Vec<String>) {
    let options = Options { errors, ..Options::default() };
    let program =
        load(text.as_bytes(), "test.c", &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    program.check().expect("the program graph is well formed");
    let ends: BTreeSet<String> = (0..64).map(|seed| outcome(&program, seed)).collect();
    let properties = program.properties.iter().map(|property| property.text.to_string()).collect();
    (Vec::from_iter(ends).join(" | "), properties)
}

/// Programs, how their runs end where errors end them, and how where they go on. Where both are
/// wanted runs may do either, no property is missing, and a second error is none.
fn check(cases: &[(&str, &str, &str)]) {
    for (text, end, goes_on) in cases {
        let (found, properties) = ends(text, Errors::End);
        assert_eq!(found, *end, "{text}");
        assert_eq!(ends(text, Errors::Return).0, *goes_on, "{text}");
        let (found, same) = ends(text, Errors::First);
        let is_second = end != goes_on && goes_on.starts_with("violates");
        let second = if is_second { "ends" } else { goes_on };
        let both = BTreeSet::from([*end, second]);
        assert_eq!(found, Vec::from_iter(both).join(" | "), "{text}");
        let is_there = |property| same.contains(property);
        assert!(properties.iter().all(is_there), "{same:?} {text}");
    }
}

#[test]
fn error_functions_that_return() {
    check(&[
        (
            "void reach_error(void) { } int main(void) { int x = 0; reach_error(); return 1 / x; }",
            "violates reach_error()",
            "undefined: division 1 / x",
        ),
        // As the body says.
        (
            "int g; void reach_error(void) { g = 7; } \
             int main(void) { reach_error(); return g; }",
            "violates reach_error()",
            "returns 7",
        ),
        (
            "int reach_error(int x) { return x + 1; } \
             int main(void) { int y = reach_error(4); return y + reach_error(2) * 10; }",
            "violates reach_error(4)",
            "returns 35",
        ),
        // Only the first call counts, of any error function.
        (
            "void reach_error(void) { } extern void __VERIFIER_error(void); \
             int main(void) { reach_error(); reach_error(); assert(0); return 2; }",
            "violates reach_error()",
            "violates assert(0)",
        ),
        // In a function that is called in another way, too.
        (
            "int g; int half(int x) { assert(x > 0); return 8 / x; } \
             int reach_error(void) { g = half(2); return 0; } \
             int main(void) { int x = half(4); reach_error(); return g * 10 + x; }",
            "violates reach_error()",
            "returns 42",
        ),
    ]);
}

#[test]
fn assertions_that_return() {
    let head = "int g; void reach_error(void) { g++; } \
                void check(int c) { if (!c) { reach_error(); g += 10; } }";
    for (body, end, goes_on) in [
        ("check(1); return g;", "returns 0", "returns 0"),
        ("check(0); return g;", "violates check(0)", "returns 11"),
        ("check(0); check(g == 0); return g;", "violates check(0)", "returns 22"),
        ("check(0); return 1 / (g - 11);", "violates check(0)", "undefined: division 1 / (g - 11)"),
    ] {
        check(&[(&format!("{head} int main(void) {{ {body} }}"), end, goes_on)]);
    }
    check(&[(
        "void abort(void); void reach_error(void) { } \
         void check(int c) { if (!c) { reach_error(); abort(); } } \
         int main(void) { check(0); return 1; }",
        "violates check(0)",
        "ends",
    )]);
}

/// A function that does not return is the end, and the property is the call of it.
#[test]
fn error_functions_that_end() {
    for (body, end) in [
        ("__assert_fail(\"0\", \"f\", 1, \"g\");", "violates reach_error()"),
        ("abort();", "violates reach_error()"),
    ] {
        let text = format!(
            "void abort(void); void reach_error(void) {{ {body} }} \
             int main(void) {{ reach_error(); return 1; }}"
        );
        check(&[(&text, end, end)]);
    }
    // What is wrong on the way to the end is found.
    check(&[(
        "int x; void exit(int); void reach_error(void) { exit(1 / x); } \
         int main(void) { reach_error(); return 1; }",
        "violates reach_error()",
        "undefined: division 1 / x",
    )]);
}
