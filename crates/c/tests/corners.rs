//! Corners of C, from text to the end of a run on the reference interpreter: each of these once had
//! a wrong answer.

use crate::common;

use common::{outcome, program, try_load};
use pedra_c::DataModel;

/// Whole programs and how their runs end.
fn check(cases: &[(&str, &str)]) {
    for (text, end) in cases {
        assert_eq!(outcome(&program(text), 7), *end, "{text}");
    }
}

/// A jump into a loop that is not entered at its head goes on with the loop.
#[test]
fn jumps_into_loops() {
    check(&[
        (
            "int main(void) { int i = 0; goto in; while (i < 3) { in: i++; } return i; }",
            "returns 3",
        ),
        (
            "int main(void) { int i = 0, x = 0; goto in; do { x++; in: i++; } while (i < 3); \
             return x; }",
            "returns 2",
        ),
        (
            "int main(void) { int i = 0, x = 0; goto in; for (i = 5; i < 8; x++) { in: i++; } \
             return x * 10 + i; }",
            "returns 88",
        ),
        (
            "int main(void) { int i = 0, x = 0; \
             switch (i) { for (; i < 3; i++) { x++; case 0: x += 10; } } return x; }",
            "returns 32",
        ),
    ]);
}

/// What stands in a call that ends the run, or that only looks as if it did, happens all the same.
#[test]
fn calls_that_end_the_run() {
    let start = "void reach_error(void); void exit(int); int f(void) { reach_error(); return 1; }";
    for (body, end) in [
        ("int main(void) { exit(f()); }", "violates reach_error()"),
        ("void a(int c) { if (!c) exit(f()); } int main(void) { a(0); }", "violates reach_error()"),
        (
            "int g; void _exit(int c) { g = c; } void a(int c) { if (!c) _exit(4); } \
             int main(void) { a(0); return g; }",
            "returns 4",
        ),
        (
            "void __assert(int c) { if (!c) reach_error(); } \
             int main(void) { __assert(2); return 3; }",
            "returns 3",
        ),
        (
            "void __assert(int c) { if (!c) reach_error(); } int main(void) { __assert(0); }",
            "violates reach_error()",
        ),
        ("int main(void) { __assert_fail(\"c\", exit(0), 1, \"\"); }", "ends"),
    ] {
        check(&[(&format!("{start}\n{body}"), end)]);
    }
}

/// A jump out of a statement expression makes a loop as any other.
#[test]
fn loops_through_statement_expressions() {
    check(&[(
        "int main(void) { int k = 0; int *first = 0; \
         L: ; int *p = malloc(sizeof(int)); *p = k; if (k == 0) first = p; \
         k++; (void)({ if (k < 2) goto L; 0; }); return *first; }",
        "returns 0",
    )]);
}

/// Functions of the library by their address, and what the standard leaves open about them.
#[test]
fn library() {
    check(&[
        (
            "void *memset(void *, int, unsigned); char a[2] = {1, 1}; \
             int main(void) { void *(*f)(void *, int, unsigned) = memset; f(a, 0, 2); \
             return a[0]; }",
            "returns 0",
        ),
        ("int isdigit(int); int main(void) { return !isdigit('/') + !isdigit(':'); }", "returns 2"),
        ("int isdigit(int); int main(void) { return !isdigit('9'); }", "returns 0"),
        ("int main(void) { int abs = 4; return abs; }", "returns 4"),
    ]);
    let one = "int isdigit(int); int main(void) { return isdigit('9') == 1; }";
    let ends: Vec<String> = (0..4).map(|seed| outcome(&program(one), seed)).collect();
    assert!(ends.iter().any(|end| end == "returns 0"), "any value but 0 is allowed: {ends:?}");
}

/// `main` has at least no arguments, and starts the program once.
#[test]
fn the_entry() {
    let text = "int main(int argc, char **argv) { return argc < 0; }";
    for seed in 0..20 {
        let end = outcome(&program(text), seed);
        assert!(end == "returns 0" || end == "ends", "{end}");
    }
    check(&[("int main(int n) { return n < 0 ? 9 : main(-1); }", "returns 9")]);
    let again = "int n = 0; int main(void) { n++; if (n < 3) main(); return n; }";
    let error = try_load(again, DataModel::Ilp32).expect_err("it would start again");
    assert!(error.to_string().contains("1:45: a call of the function where"), "{error}");
}

/// `a[i] += f()` finds its place once, also if the call changes `i`.
#[test]
fn updates_around_calls() {
    let start =
        "int a[2] = {1, 2}, i, x = 3, y = 4, *p = &x; int f(void) { i = 1; p = &y; return 10; }";
    for (body, end) in [
        ("a[i] += f(); return a[0] * 100 + a[1];", "returns 1102"),
        ("*p += f(); return x * 100 + y;", "returns 1304"),
        ("a[i++] += f(); return a[0] * 100 + a[1];", "returns 1102"),
        ("i = 7; a[i = 0, i] += f(); return a[0] * 100 + a[1] + i;", "returns 1103"),
    ] {
        check(&[(&format!("{start}\nint main(void) {{ {body} }}"), end)]);
    }
}

/// The program's own functions come before those of the library.
#[test]
fn own_functions_with_names_of_the_library() {
    check(&[(
        "void memset(int *p, int v, int n) { for (int i = 0; i < n; i++) p[i] = v; } \
         int a[4] = {1, 2, 3, 4}; int main(void) { memset(a, 0, 4); return a[3]; }",
        "returns 0",
    )]);
}

/// All of an array of characters behind its string is zero.
#[test]
fn long_arrays_of_characters() {
    check(&[(
        "int main(void) { char s[70000] = \"ab\"; return s[69999] * 1000 + s[2] + s[1]; }",
        "returns 98",
    )]);
}

/// A variable whose initial value needs itself has none.
#[test]
fn circular_lengths() {
    for text in [
        "int n = n; int main(void) { int a[n]; return 0; }",
        "static int m; static int n = m; static int m = n; int main(void) { int a[n]; return 0; }",
    ] {
        assert!(try_load(text, DataModel::Ilp32).is_ok(), "{text}");
    }
    let chain = "static int n = 3; static int m = n; int main(void) { int a[m]; return sizeof a; }";
    check(&[(chain, "returns 12")]);
}

/// An object that is too large for its room is a limit, and not undefined; one that is larger than
/// objects can be is undefined.
#[test]
fn sizes_beyond_the_room() {
    let two = "unsigned n = 1u << 30; n *= 2; n--;";
    check(&[
        (
            "int main(void) { unsigned n = 1u << 27; n++; char *p = malloc(n); *p = 1; return *p; }",
            "returns 1",
        ),
        (
            &format!("int main(void) {{ {two} char *p = malloc(n), *q = malloc(n); return *p; }}"),
            "undefined: limit malloc(n)",
        ),
        (
            &format!("int main(void) {{ {two} n += 2; char *p = malloc(n); return *p; }}"),
            "undefined: bounds malloc(n)",
        ),
        (
            &format!("int main(void) {{ {two} char a[n], b[n], *p = a, *q = b; return *p; }}"),
            "undefined: limit a",
        ),
        (
            "int main(void) { int n = 0; n--; char a[n]; char *p = a; return *p; }",
            "undefined: bounds a",
        ),
    ]);
    let large = "int main(void) { unsigned long n = 1ul << 30; n++; \
        char *p = malloc(n), *q = malloc(n), *r = malloc(n), *s = malloc(n); *s = 2; return *s; }";
    let program = try_load(large, DataModel::Lp64).expect("a program");
    assert_eq!(outcome(&program, 7), "returns 2");
}

/// What follows a designator goes on behind the part that it names; a list or string in place of
/// what was there before leaves nothing of it.
#[test]
fn designators() {
    let pair = "struct in { int x, y; };";
    for (text, value) in [
        ("struct { struct in a; } s = { .a.y = 5, .a = {1} };", "s.a.x * 10 + s.a.y"),
        ("struct in s[2] = { [1] = {1, 2}, [0] = {3}, {4} };", "s[1].x + s[1].y + 6"),
        ("struct { int a; struct { int b, c; }; int d; } s = { .b = 1, 0, 9 };", "s.b + s.d"),
        ("int s[3][2] = { [1][0] = 1, 2, 7 };", "s[1][0] + s[1][1] + s[2][0]"),
        ("struct { struct in a; int z; } s = { .a.x = 1, 2, 7 };", "s.a.x + s.a.y + s.z"),
        (
            "struct { struct in a[2]; int z; } s = { .a[0].y = 1, 2, 3, 4 };",
            "s.a[0].y + s.a[1].x + s.a[1].y + s.z",
        ),
        ("union { int i; unsigned char c; } s = { .i = 0x123, .c = 10 };", "s.i"),
        ("char s[2][4] = { \"abc\", [0] = \"d\" };", "s[0][0] - 90 + s[0][1] + s[0][2]"),
        ("struct { int n; char t[3]; } s = { .t[1] = 7, 1, .n = 2 };", "s.n + s.t[1] + s.t[2]"),
        ("struct { union { int i; char c; }; int z; } s = { .c = 3, 7 };", "s.c + s.z"),
    ] {
        let global = format!("{pair} {text} int main(void) {{ return {value}; }}");
        let local = format!("{pair} int main(void) {{ {text} return {value}; }}");
        check(&[(&global, "returns 10"), (&local, "returns 10")]);
    }
}

/// Where objects lie is nothing that a program can be told.
#[test]
fn addresses_as_numbers() {
    let start = "int x, a[9000]; union { int *p; unsigned u; unsigned char c[4]; } u;";
    let number = "arithmetic on an address as an integer is not supported";
    for (body, message) in [
        ("return (unsigned)&x == 4096;", number),
        ("return &x == (int *)4096;", "a pointer that is made from a number is not supported"),
        ("unsigned n = (unsigned)&x; unsigned m = 7; return n == m;", number),
        ("u.p = &x; return u.c[0] == 0;", number),
        ("u.p = &x; return !u.c[0];", number),
        ("u.p = &x; if (u.c[1]) return 1; return 0;", number),
        ("u.p = &x; unsigned char b = u.c[1]; return b != 0;", number),
        ("switch ((unsigned)&x) { case 4096: return 1; } return 0;", number),
        ("return a[(unsigned)&x];", number),
        ("int *p = a; p += (unsigned)&x; return *p;", number),
        ("int v[(unsigned)&x]; return 0;", number),
        ("char *p = malloc((unsigned)&x); return *p;", number),
    ] {
        let text = format!("{start} int main(void) {{ {body} }}");
        let error = try_load(&text, DataModel::Ilp32).map(drop).expect_err(&text);
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
    for (body, end) in [
        ("unsigned n = (unsigned)&x; return n == 0 || !n || n == -1;", "returns 0"),
        ("unsigned n = (unsigned)&x; return n == (unsigned)&x && n != (unsigned)a;", "returns 1"),
        ("long long n = (unsigned)&x; return n == 0;", "returns 0"),
        ("int *p = (int *)-1; return p == &x || p == 0;", "returns 0"),
        ("u.p = &x; return u.u == (unsigned)&x && u.p;", "returns 1"),
    ] {
        check(&[(&format!("{start} int main(void) {{ {body} }}"), end)]);
    }
}

/// Attributes that say where members lie, and that a function does not return.
#[test]
fn attributes() {
    let aligned = "__attribute__((aligned(8)))";
    for (text, size) in [
        ("struct s { char c; int x __attribute__((packed)); };", 5),
        ("struct s { char c; int x __attribute__((aligned(8))); };", 16),
        ("struct s { char c; __attribute__((__aligned__(8))) int x; };", 16),
        ("struct s { char c; _Alignas(8) int x; };", 16),
        ("struct s { char c; int x __attribute__((aligned)); };", 32),
        ("struct s { char c; int x; } __attribute__((aligned(16)));", 16),
        ("struct __attribute__((packed, aligned(4))) s { char c; int x; };", 8),
        ("struct __attribute__((packed)) s { char c; int x __attribute__((aligned(2))); };", 6),
        ("struct s { char c; int x : 5 __attribute__((packed)); char d; };", 3),
        ("#pragma pack(1)\nstruct s { char c; int x; };", 5),
        (
            "#pragma pack(push, 2)\n#pragma pack(push,8)\n#pragma pack(pop)\nstruct s { char c; int x; };",
            6,
        ),
        ("#pragma pack(push,1)\n#pragma pack(pop)\nstruct s { char c; int x; };", 8),
        ("#pragma pack(push,1)\n#pragma pack()\nstruct s { char c; int x; };", 8),
        (
            "#pragma pack(1)\n#pragma pack(push,4)\n#pragma pack(pop)\nstruct s { char c; int x; };",
            5,
        ),
    ] {
        let text = format!("{text} int main(void) {{ return sizeof(struct s); }}");
        check(&[(&text, &format!("returns {size}"))]);
    }
    let ends = "void a(int) __attribute__((noreturn)), b(int); _Noreturn void c(void); \
        __attribute__((__noreturn__)) void d(void); void reach_error(void);";
    let hook = "void h(void (*f)(void) __attribute__((noreturn)));";
    check(&[
        (&format!("{ends} int main(void) {{ a(1); reach_error(); }}"), "ends"),
        (&format!("{ends} int main(void) {{ b(1); reach_error(); }}"), "violates reach_error()"),
        (&format!("{ends} int main(void) {{ c(); reach_error(); }}"), "ends"),
        (&format!("{ends} int main(void) {{ d(); reach_error(); }}"), "ends"),
        (
            &format!("{ends} {hook} int main(void) {{ h(0); reach_error(); }}"),
            "violates reach_error()",
        ),
        (&format!("int v {aligned} = 3; int main(void) {{ return v; }}"), "returns 3"),
    ]);
    for (text, message) in [
        (
            "int x; __attribute__((constructor)) void i(void) { x = 5; }",
            "the attribute `constructor`",
        ),
        ("int f(void); int g(void) __attribute__((alias(\"f\")));", "the attribute `alias`"),
        ("void f(int *p); void g(void) { int k __attribute__((cleanup(f))) = 4; }", "`cleanup`"),
        ("enum __attribute__((packed)) e { A }; void g(void) { enum e x = A; }", "is packed"),
        (
            "#pragma pack(push, here, 1)\nstruct s { char c; int x; };",
            "this `#pragma` is not supported",
        ),
        (
            "#pragma pack(1)\nstruct { int b : 3; } s; void g(void) { s.b = 1; }",
            "under `#pragma pack`",
        ),
        ("typedef int t __attribute__((aligned(8))); void g(void) { t x; x = 1; }", "`aligned`"),
        (
            "struct { int x __attribute__((aligned(sizeof(long)))); } s; void g(void) { s.x = 1; }",
            "an alignment of this kind",
        ),
    ] {
        let text = format!("{text} void g(void); int main(void) {{ g(); return 0; }}");
        let error = try_load(&text, DataModel::Ilp32).map(drop).expect_err(&text);
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
}

/// Members of structs that calls return, as arrays too, in recursive functions and conditions.
#[test]
fn members_of_results() {
    let start = "struct s { int a[3]; struct { int b[2]; } m[2]; }; \
                 struct s f(int k) { struct s x = {{k, k + 1, k + 2}, {{{7, 8}}, {{9, k}}}}; return x; }";
    for (body, end) in [
        ("int main(void) { int i = 2; return f(4).a[i]; }", "returns 6"),
        ("int main(void) { return *f(4).a + 1[f(5).a] + *(f(6).a + 2); }", "returns 18"),
        ("int main(void) { return f(3).m[1].b[1] * 10 + f(0).m[0].b[1]; }", "returns 38"),
        ("int main(void) { int i = 0; return i && f(1 / i).a[0]; }", "returns 0"),
        (
            "int g(int n) { return n ? f(n).a[1] + g(n - 1) : 0; } int main(void) { return g(3); }",
            "returns 9",
        ),
        (
            "int main(void) { struct s x, y = f(1); return (x = y).a[2] + (1 ? x : y).a[0]; }",
            "returns 4",
        ),
        ("int main(void) { int i = 3; return f(4).a[i]; }", "undefined: bounds f(4).a[i]"),
    ] {
        check(&[(&format!("{start}\n{body}"), end)]);
    }
}

/// `*` on a function, any number of times, is the function.
#[test]
fn functions_that_are_dereferenced() {
    let start = "int g(void) { return 3; } int h(void) { return 4; }";
    for (body, end) in [
        ("int (*f)(void) = g; return (**f)() * 10 + (*****h)();", "returns 34"),
        ("int (*f)(void) = &g, (**q)(void) = &f; return (**q)() * 10 + (***q)();", "returns 33"),
        ("int x = 0; int (*f)(void) = *g; return (x ? *f : *h)();", "returns 4"),
        ("int (*f)(void) = &*h; return f == *f && *f == h;", "returns 1"),
    ] {
        check(&[(&format!("{start} int main(void) {{ {body} }}"), end)]);
    }
}

/// An array without a length gets it later, or has one element, or any number of them.
#[test]
fn arrays_without_a_length() {
    check(&[
        (
            "extern int a[]; int get(int i) { return a[i]; } int a[3] = {1, 2, 3}; \
             int main(void) { return get(2) + sizeof a; }",
            "returns 15",
        ),
        ("int a[]; int main(void) { a[0] = 5; return a[0] + sizeof a; }", "returns 9"),
        ("int a[]; int main(void) { int i = 1; return a[i]; }", "undefined: bounds a[i]"),
        ("extern int a[]; int main(void) { int i = -1; return a[i]; }", "undefined: bounds a[i]"),
    ]);
    let text = "extern int a[], b[]; \
                int main(void) { int *p = a; p[1] = 2; b[7] = 3; return a[1] * 10 + b[7]; }";
    let program = program(text);
    let ends: Vec<String> = (0..32).map(|seed| outcome(&program, seed)).collect();
    assert!(ends.iter().any(|end| end == "returns 23"), "{ends:?}");
    assert!(program.assumptions.iter().any(|a| a.text.contains("`a`, which is defined elsewhere")));
}

/// An allocation that is one of two alternatives has the type of what gets it.
#[test]
fn allocations_in_alternatives() {
    let start = "void *malloc(unsigned); int nondet(void);";
    for body in [
        "int *p; p = nondet() ? malloc(12) : 0; if (!p) return 1; p[2] = 1; return p[2];",
        "void *v = nondet() ? malloc(12) : 0; int *p = v; if (!p) return 1; *p = 1; return *p;",
        "int *p = nondet() ? malloc(12) : malloc(8); p[1] = 1; return p[1];",
        "int x = 0; int *p = (x++, malloc(4)); *p = x; return *p;",
    ] {
        check(&[(&format!("{start} int main(void) {{ {body} }}"), "returns 1")]);
    }
}

/// String literals must not be changed; arrays that are initialised with one may.
#[test]
fn writes_to_string_literals() {
    for (body, end) in [
        ("char *s = \"ab\"; s[0] = 'c'; return s[0];", "undefined: pointer s[0]"),
        ("char *s = \"ab\"; s[0]++; return 0;", "undefined: pointer s[0]++"),
        ("\"ab\"[1] = 'c'; return 0;", "undefined: pointer \"ab\"[1]"),
        ("char *s = x ? b : \"ab\"; s[1] = 'c'; return 0;", "undefined: pointer s[1]"),
        ("char *s = x ? \"ab\" : b; s[1] = 'c'; return b[1];", "returns 99"),
        ("char s[] = \"ab\"; char *t = s; t[0] = 'c'; return s[0];", "returns 99"),
        ("char *s = \"ab\"; return s[1];", "returns 98"),
        ("int *p = (int []){1, 2}; p[1] = 5; return p[1];", "returns 5"),
    ] {
        check(&[(&format!("char b[3]; int main(void) {{ int x = 0; {body} }}"), end)]);
    }
    check(&[("int *p = (int []){1, 2}; int main(void) { p[1] = 5; return p[1]; }", "returns 5")]);
    // What the library writes, too.
    let text = "char *strcpy(char *, const char *); int main(void) { char *s = \"abc\"; strcpy(s, \"x\"); }";
    check(&[(text, "undefined: pointer d[i]")]);
}

/// Parameters with rows whose length is another parameter, as it was when the function began.
#[test]
fn parameters_with_rows() {
    let start = "int sum(int n, int m, int a[n][m]) { int s = 0; n = 7; \
                 for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) s += a[i][j]; return s; }\n\
                 int row(int *r, int k) { return r[k]; }\n\
                 int at(int n, int (*a)[n], int i) { n = 0; return row(a[i], 1) + *(*(a + i) + 2); }\n\
                 void set(int n, int a[][n], int i, int v) { a[i][n - 1] = v; (*a)[0]++; }\n\
                 int deep(int n, int a[2][n][n + 1]); \
                 int deep(int n, int a[2][n][n + 1]) { return a[1][1][2] * 100 + a[0][1][0]; }\n\
                 int b[2][3] = {{1, 2, 3}, {4, 5, 6}};";
    for (body, end) in [
        ("return sum(2, 3, b);", "returns 21"),
        ("return at(3, b, 1);", "returns 11"),
        ("set(3, b, 1, 9); return b[1][2] * 10 + b[0][0];", "returns 92"),
        (
            "int d[2][2][3] = {{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {10, 11, 12}}}; return deep(2, d);",
            "returns 1204",
        ),
        ("int k = 2; set(3, b, k, 9); return 0;", "undefined: bounds a[i][n - 1]"),
    ] {
        check(&[(&format!("{start}\nint main(void) {{ {body} }}"), end)]);
    }
}

/// A variable must not be used when its block has ended; each run of the block has its own.
#[test]
fn variables_of_blocks() {
    for (body, end) in [
        ("int *p; { int x = 1; p = &x; } return *p;", "undefined: pointer *p"),
        ("int *p; { int x = 1; p = &x; } *p = 2; return 0;", "undefined: pointer *p"),
        ("{ int x = 1; g = &x; } { int y = 2; } return *g;", "undefined: pointer *g"),
        ("{ int x = 1; keep(&x); } return *g;", "undefined: pointer *g"),
        ("int *p; { int x = 1; p = &x; *p = 5; keep(p); } return 3;", "returns 3"),
        (
            "int *p, s = 0; for (int i = 0; i < 3; i++) { int x = i; p = &x; s += *p; } return s;",
            "returns 3",
        ),
        (
            "int *p, s = 0; for (int i = 0; i < 3; i++) { int x = i; p = &x; if (i == 1) continue; \
          s += *p; } return s;",
            "returns 2",
        ),
        (
            "int *p, s = 0, i = 0; again: { int x = i; p = &x; s += *p; } if (++i < 3) goto again; \
          return s;",
            "returns 3",
        ),
        (
            "int *p, s = 0; for (int i = 0; i < 3; i++) switch (i) { int x; default: x = i; p = &x; \
          s += *p; } return s;",
            "returns 3",
        ),
        (
            "int *p; { int x = 1; p = &x; } { int y = 2; p = &y; y = *p; } p = 0; return 1;",
            "returns 1",
        ),
        ("int x = 4, *p; { p = &x; int y = 1; g = &y; } return *p;", "returns 4"),
    ] {
        let text = format!("int *g; void keep(int *p) {{ g = p; }} int main(void) {{ {body} }}");
        check(&[(&text, end)]);
    }
}
