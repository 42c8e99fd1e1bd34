//! What is wrong or not supported is an error that says where and what.

use crate::common;

use common::try_load;
use pedra_c::{DataModel, LONGEST_TEXT, Options, check_syntax, load, needs_preprocessing};

/// The error of a text, with its position.
fn error(text: &[u8]) -> String {
    match load(text, "test.c", &Options::default()) {
        Ok(_) => panic!("no error in {}", String::from_utf8_lossy(text)),
        Err(error) => error.to_string(),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let found = error(text.as_bytes());
        assert!(found.starts_with(expected), "{text}\n  found    {found}\n  expected {expected}");
    }
}

#[test]
fn what_is_no_c() {
    check(&[
        ("", "1:1: there is no function `main`"),
        ("int main(void) { return 0 }", "1:27: expected `;`, found `}`"),
        ("int main(void) {", "1:16: this block is never closed"),
        ("int x; /* no end", "1:8: this comment has no end"),
        ("char *s = \"no end\n\";", "1:11: this string has no end"),
        ("int c = 'ab';", "1:9: a character constant must hold one character"),
        ("int c = ''; ", "1:9: this character constant is empty"),
        ("char *s = \"\\q\";", "1:12: this escape sequence is unknown"),
        ("int x = 08z;", "1:9: `08z` is not a number"),
        ("int x = 99999999999999999999;", "1:9: the number does not fit in 64 bits"),
        ("int @;", "1:5: the character `@` cannot stand here"),
        ("\n\n  foo x;", "3:3: expected a type, found `foo`"),
        ("long char x;", "1:1: these words together are not a type"),
        ("int main(void) { int x; int x; }", "1:29: `x` is declared twice here"),
        ("int main(void) { return y; }", "1:25: `y` is not declared"),
        (
            "int main(void) { return __VERIFIER_nondet_long(); }",
            "1:25: `__VERIFIER_nondet_long` is not declared",
        ),
        (
            "int f(void) { return 1; } int x = f(); int main(void) { return x; }",
            "1:35: the initial value of a static variable must be a constant",
        ),
        (
            "int main(void) { static int x = ({ 1; }); return x; }",
            "1:33: the initial value of a static variable must be a constant",
        ),
        ("int main(void) { 1 = 2; }", "1:18: this has no address"),
        ("int main(void) { int x; *x; }", "1:25: a `int` cannot be dereferenced"),
        ("struct s; int main(void) { struct s x; }", "1:37: the type `struct s` is incomplete"),
        (
            "int main(void) { struct { int a; } s; s.b = 1; }",
            "1:39: `struct {…}` has no member `b`",
        ),
        ("int f(int x) { return x; } int main(void) { f(); }", "1:45: `f` takes 1 arguments"),
        ("int a[-1]; int main(void) { }", "1:6: an array cannot have -1 elements"),
        ("int main(void) { goto nowhere; }", "1:18: there is no label `nowhere`"),
        ("int main(void) { break; }", "1:18: this stands in no loop"),
        ("int main(void) { case 1: ; }", "1:23: a case label outside a switch"),
        ("int a[2] = {1, 2, 3}; int main(void) { return a[0]; }", "1:12: this list has too many"),
        ("#include <stdio.h>\nint main(void) { }", "1:1: the directive `#include` needs"),
        ("# 40 \"x.h\"\nint\nmain(", "x.h:41:6: expected a type"),
    ]);
}

#[test]
fn what_is_not_supported() {
    check(&[
        ("int main(void) { float f; f = 1.5; }", "1:27: a floating-point type is not supported"),
        ("int main(void) { double d = 2; }", "1:25: a floating-point type is not supported"),
        ("int main(void) { return 1.5; }", "1:25: a floating-point number is not supported"),
        (
            "int f(void); int main(void) { int a[2] = {[0 ... 1] = f()}; return a[1]; }",
            "1:55: a side effect in the value of several elements is not supported",
        ),
        ("int main(void) { asm(\"nop\"); }", "1:18: inline assembly is not supported"),
        ("int n; int main(void) { n = 2; int a[2][n]; }", "1:36: a variable-length array is not"),
        (
            "struct { long long b : 40; } s; int main(void) { s.b = 1; }",
            "1:50: a bit-field of this width is not supported",
        ),
        (
            "int x; int main(void) { int (*p)(int); p = (int (*)(int))x; return p(1); }",
            "1:68: a pointer from outside the program",
        ),
        ("int main(void) { __int128 x = 1; }", "1:27: __int128 is not supported"),
        ("int main(void) { x: goto *&&x; }", "1:21: a computed goto is not supported"),
        (
            "int atoi(const char *); int main(void) { return atoi(\"5\"); }",
            "1:49: a call of `atoi`, which has no body",
        ),
        ("char s[4]; int main(void) { gets(s); }", "1:29: a call of `gets`, which has no body"),
        (
            "int main(void) { pthread_create(0, 0, 0, 0); }",
            "1:18: a call of `pthread_create`, which has no body",
        ),
        (
            "int a[2]; int main(void) { int n = a[0]; memset(a, n, 8); }",
            "1:42: a `memset` that is not an assignment of whole elements",
        ),
        (
            "int main(int c, char **v) { return v[0][0]; }",
            "1:36: a pointer from outside the program",
        ),
        ("int main(void) { int x; return *(char *)&x; }", "1:32: an access of another size"),
        (
            "int f(int n) { int x = n, *p = &x; return n ? f(n - 1) + *p : 0; } int main(void) { f(1); }",
            "1:20: the address of a local variable of a recursive function",
        ),
        (
            "int n; int main(void) { for (;;) { int *p = malloc(n); } }",
            "1:45: an allocation of variable size that may run more",
        ),
        (
            "struct s { struct s *n; }; struct s *g(void);\n\
             int main(void) { return g()->n->n == 0; }",
            "2:25: a pointer from outside the program",
        ),
        ("int main(void) { void *p = malloc(4); }", "1:28: an allocation whose type is not known"),
        (
            "int n; int main(void) { n = 2; int a[n]; return sizeof a; }",
            "1:49: the size of a variable-length array",
        ),
        ("_Thread_local int x; int main(void) { return x; }", "1:19: thread-local storage"),
        ("int main(void) { return L'x'; }", "1:25: a wide or Unicode literal is not supported"),
        (
            "int x; int main(void) { long a = (long)&x; return a % 8; }",
            "1:51: arithmetic on an address as an integer is not supported",
        ),
        (
            "int f(void) { return 1; } int main(void) { return (int)f + 1; }",
            "1:51: arithmetic on an address as an integer is not supported",
        ),
        (
            "struct m { int a; short b[2]; };\nint main(void) { struct m *p = malloc(8); \
             short *s = (short *)p; for (int i = 0; i < 4; i++) s[i] = i; return s[1]; }",
            "2:94: an access of another size to a part of an object of type `struct m`",
        ),
        ("int f(int a, b); int main(void) { }", "1:14: expected a type"),
    ]);
}

/// What would be understood in another way than C has it.
#[test]
fn what_would_be_wrong() {
    check(&[
        (
            "struct s { int v; }; extern struct s *r; int main(void) { return r ? r->v : 0; }",
            "1:70: a pointer from outside the program",
        ),
        (
            "int main(int n, char **v) { char ***w = &v; return n > 1 && (*w)[1][0]; }",
            "1:61: a pointer from outside the program",
        ),
        (
            "int q; extern int w __asm__(\"q\"); int main(void) { w = 6; return q; }",
            "1:52: a variable with an `asm` label is not supported",
        ),
        (
            "enum e { A = -1, B = 0x80000000u }; int main(void) { return 0; }",
            "1:18: an enumeration of negative and of large values is not supported",
        ),
        ("int f(void) __attribute__((weak)); int main(void) { }", "1:28: the attribute `weak`"),
        ("int main(void) { int x; printf(\"a%n\", &x); return x; }", "1:32: `%n` in a format"),
        (
            "int __isoc99_scanf(char *, ...); int main(void) { int x; __isoc99_scanf(\"\", &x); }",
            "1:58: a call of `__isoc99_scanf`",
        ),
    ]);
}

/// What the entry does not reach does not matter.
#[test]
fn unused_constructs() {
    for text in [
        "double half(double x) { return x / 2; } int main(void) { return 0; }",
        "typedef float real; extern real f(real *); struct s { real x; int b : 3; };\n\
         int main(void) { return 0; }",
        "int run(int (*f)(int)) { return f(1); } int main(void) { return 0; }",
        "typedef int word __attribute__((__mode__(__word__))); int main(void) { return 0; }",
        "static __inline int bits(int x) { __asm__ (\"nop\" : \"=r\" (x)); return x; }\n\
         extern int printf (const char *__restrict f, ...) __asm__(\"p\"); int main(void) {\n\
         printf(\"%d\", 1); return 0; }",
    ] {
        if let Err(error) = try_load(text, DataModel::Lp64) {
            panic!("{error}\n{text}");
        }
    }
}

/// Nesting of every kind, a hundred thousand deep: an error with a position, and soon.
#[test]
fn deep_nesting() {
    let many = 100_000;
    let main = |body: String| format!("int main(void) {{ int a; {body} }}");
    let texts = [
        main("a = ".to_owned() + &"(".repeat(many) + "1" + &")".repeat(many) + ";"),
        main("if (a) ".repeat(many) + ";"),
        main("{".repeat(many) + &"}".repeat(many)),
        main("while (1) ".repeat(many) + ";"),
        main("a = 1".to_owned() + &" + 1".repeat(many) + ";"),
        main("a = ".repeat(many) + "1;"),
        main("a = ".to_owned() + &"- ".repeat(many) + "1;"),
        main("a = ".to_owned() + &"(int)".repeat(many) + "1;"),
        main("a = 1".to_owned() + &" ? 1 : 1".repeat(many) + ";"),
        main("a".to_owned() + &"[0]".repeat(many) + ";"),
        main("a = ".to_owned() + &"({".repeat(many)),
        main("x: ".repeat(many) + ";"),
        main("switch (a) case 1: ".repeat(many) + ";"),
        main("int b = ".to_owned() + &"{".repeat(many)),
        main("f(".repeat(many)),
        main("a = sizeof ".to_owned() + &"sizeof ".repeat(many) + "a;"),
        "int ".to_owned() + &"*".repeat(many) + "p;",
        "int ".to_owned() + &"(".repeat(many) + "p" + &")".repeat(many) + ";",
        "struct { ".repeat(many),
        "int f".to_owned() + &"(int g".repeat(many),
        "typeof(".repeat(many),
    ];
    for text in texts {
        let found = error(text.as_bytes());
        assert!(found.contains("nesting deeper than 1000 levels"), "{}: {found}", &text[..60]);
    }
    // A chain of `else if` is no nesting.
    let chain = main("if (a) ;".to_owned() + &" else if (a) ;".repeat(many));
    assert!(check_syntax(chain.as_bytes()).is_ok());
}

/// Just below the limit everything works.
#[test]
fn allowed_nesting() {
    let main = |body: String| format!("int main(void) {{ int a = 1; {body} return a; }}");
    for text in [
        main("a = ".to_owned() + &"(".repeat(300) + "1" + &")".repeat(300) + ";"),
        main("a = 0".to_owned() + &" + 1".repeat(900) + ";"),
        main("{".repeat(900) + "a = 2;" + &"}".repeat(900)),
        main("if (a) ".repeat(900) + "a = 2;"),
        main("a = a".to_owned() + &" && a".repeat(900) + ";"),
        main("a = ".to_owned() + &"!".repeat(900) + "a;"),
    ] {
        if let Err(error) = try_load(&text, DataModel::Ilp32) {
            panic!("{error}\n{}", &text[..60]);
        }
    }
}

/// Each beginning of a program is an error with a place in the text, or a program.
#[test]
fn truncated() {
    let text = include_str!("programs/memory.c");
    for end in (0..text.len()).step_by(7) {
        let Some(start) = text.get(..end) else { continue };
        if let Err(error) = load(start.as_bytes(), "test.c", &Options::default()) {
            assert!((1..=start.lines().count() + 1).contains(&error.location.line), "{error}");
        }
    }
}

#[test]
fn bytes_that_are_no_text() {
    assert_eq!(error(b"int \xff;"), "1:5: the byte 0xff cannot stand here");
    assert_eq!(error(b"int \0;"), "1:5: the byte 0x00 cannot stand here");
    let comment = b"// \xff\xfe\n/* \xe9 */ int main(void) { return 0; }";
    assert!(load(comment, "test.c", &Options::default()).is_ok(), "comments may hold any bytes");
    let huge = vec![b' '; LONGEST_TEXT + 1];
    assert_eq!(error(&huge), "1:1: the file is longer than 64 MiB");
}

/// Types and initialisers that multiply are refused before they fill the memory.
#[test]
fn explosions() {
    let mut nested = "struct s0 { int a, b; };".to_owned();
    for at in 1..40 {
        nested += &format!("struct s{at} {{ struct s{} a, b; }};", at - 1);
    }
    nested += "struct s39 x; int main(void) { x.a.a.a = x.b.a.a; }";
    check(&[
        (&nested, "1:"),
        ("int a[2000000000][2000000000]; int main(void) { return a[0][0]; }", "1:"),
        ("int a[2000000000] = {[0 ... 1999999999] = 1}; int main(void) { return a[0]; }", "1:"),
        ("struct {} a[2000000000] = {[0 ... 1999999999] = {}}; int main(void) { &a; }", "1:"),
    ]);
}

#[test]
fn directives() {
    for (text, needs) in [
        ("int x;\n", false),
        ("# 1 \"a.c\"\n#pragma pack(1)\n#line 3\n#\n", false),
        ("  #  include <a.h>\n", true),
        ("int x;\n#define y x\n", true),
    ] {
        assert_eq!(needs_preprocessing(text.as_bytes()), needs, "{text}");
    }
}

/// Static assertions are evaluated, wherever they stand.
#[test]
fn static_assertions() {
    check(&[
        (
            "_Static_assert(sizeof(int) == 2, \"a small int\"); int main(void) { }",
            "1:16: this static assertion does not hold: a small int",
        ),
        (
            "int main(void) { _Static_assert(1, \"\"); _Static_assert(sizeof(long) == 8); }",
            "1:56: this static assertion does not hold",
        ),
        (
            "struct s { char a; _Static_assert(0, \"inside\"); }; int main(void) { }",
            "1:35: this static assertion does not hold: inside",
        ),
        ("int n; _Static_assert(n, \"\"); int main(void) { }", "1:23: this is not a constant"),
    ]);
    let text = "enum { A = 3 }; struct s { int x[A]; }; _Static_assert(sizeof(struct s) == 12, \"\"); \
                _Static_assert(1.5 > 1, \"\"); int main(void) { _Static_assert(A == 3); }";
    assert!(try_load(text, DataModel::Ilp32).is_ok());
}

/// Hints say what can be done about a function that is not supported.
#[test]
fn hints_about_functions() {
    for (text, expected) in [
        ("int b[9]; int main(void) { return setjmp(b); }", "jumps between functions are not"),
        ("int main(void) { pthread_create(0, 0, 0, 0); }", "threads are not supported"),
        ("int main(void) { return __sync_fetch_and_add(0, 1); }", "atomic operations are not"),
        ("char s[4]; int main(void) { gets(s); }", "give it a body that does the same"),
        (
            "void *realloc(void *, unsigned); void *malloc(unsigned); int main(void) { \
             int *p = malloc(8); p[0] = 1; p = realloc(p, 16); return p[0]; }",
            "allocate with `malloc`, copy the elements",
        ),
    ] {
        let error = try_load(text, DataModel::Ilp32).expect_err(text);
        assert!(error.message.starts_with("a call of `"), "{text}: {error}");
        assert!(error.hint.as_ref().is_some_and(|hint| hint.starts_with(expected)), "{error:?}");
    }
}

/// A variable that is changed and used a second time in no order; what orders the two makes it
/// defined.
#[test]
fn side_effects_in_no_order() {
    let load = |body: &str| {
        let text = format!(
            "int a[9]; int f(int x) {{ return x; }} int h(int x, int y) {{ return x + y; }}\n\
             int main(void) {{ int i = 0, j = 0, *p = a; {body} return i; }}"
        );
        try_load(&text, DataModel::Ilp32)
    };
    for body in [
        "i = i++;",
        "i = ++i + 1;",
        "i += i++;",
        "j = i++ + i;",
        "j = i + i++;",
        "j = i++ * i--;",
        "a[i] = i++;",
        "a[i++] = i;",
        "*p++ = *p;",
        "h(i++, i);",
        "h(i = 1, i = 2);",
        "j = (i++, 1) + i;",
        "if (i++ == i) j = 1;",
        "j = f(1) ? (i = i++) : 2;",
        "int k = i++ + i;",
        "for (; i < 3; i = i++) j++;",
        "j = ({ i = i++; 2; });",
    ] {
        let error = load(body).expect_err(body);
        assert!(error.message.contains("and uses it a second time in no order"), "{error}");
    }
    for body in [
        "i = i + 1; i = (i + 1) * i; i += i; i -= i * i;",
        "i = f(i++); i = h(i++, j); j = f(i++) + f(j);",
        "i = (i++, i); i = i++ && i++; i = i++ || i; i = i++ ? i : i++;",
        "i++ && (j = i); j = i++, i++;",
        "a[i] = a[i + 1]; a[i]++; a[a[i]] = i; p = p + i; *p = *p + 1; p[i++] = j++;",
        "i = j = i; j = (i = 3) + j; p = &a[i = 2];",
        "{ int k = i++; k = i; } j = sizeof(i++) + i;",
    ] {
        assert!(load(body).is_ok(), "{body}: {:?}", load(body).err());
    }
}

/// What is `const` cannot be assigned to, as in gcc; what only a part of is, can.
#[test]
fn assignments_to_constants() {
    let load = |body: &str| {
        let text = format!(
            "typedef const int CI; typedef int *IP; typedef int A[2];\n\
             struct s {{ const int a; int b; const char *t; struct {{ int c; }} m; }};\n\
             struct p {{ int x; }}; const int g = 1; extern const int arr[3]; int v;\n\
             void f(const int n, const int *p, const int q[], const A a) {{ {body} }}\n\
             int main(void) {{ f(1, &v, &v, &v); return 0; }}"
        );
        try_load(&text, DataModel::Ilp32)
    };
    for body in [
        "g = 2;",
        "g++;",
        "n += 1;",
        "*p = 1;",
        "p[1]--;",
        "q[0] = 1;",
        "a[0] = 1;",
        "arr[1] = 2;",
        "CI x = 1; x = 2;",
        "int *const r = &v; r = 0;",
        "const IP r = &v; r++;",
        "CI *r = &v; *r = 1;",
        "struct s x = {1, 2}; x.a = 1;",
        "struct s x = {1, 2}, y = {1, 2}; x = y;",
        "struct s x = {1, 2}; x.t[0] = 'a';",
        "const struct s x = {1, 2}; x.b = 3;",
        "const struct s x = {1, 2}; x.m.c = 3;",
        "const struct p x = {1}, *y = &x; y->x = 1;",
        "const char *t[2] = {\"a\", \"b\"}; *t[0] = 'c';",
        "*&g = 2;",
        "*(p + 1) = 2;",
        "*p++ = 2;",
        "char const *const *t; *t = 0;",
    ] {
        let error = load(body).expect_err(body);
        assert_eq!(error.message, "this is `const` and cannot be assigned to", "{body}");
    }
    for body in [
        "p = &v; p++; q = p; *(int *)&v = 1;",
        "int *const r = &v; *r = 2; r[0]++;",
        "*(int *)p = 1; ((int *)p)[0]++; *(int *)&g = 2; *(int *)p++ = 3;",
        "const struct p x = {1}, *y = &x; ((struct p *)y)->x = 1;",
        "const IP r = &v; *r = 2;",
        "struct s x = {1, 2}; x.b = 3; x.t = \"a\"; x.t++; x.m.c = 1;",
        "const char *t[2] = {\"a\", \"b\"}; t[0] = t[1]; t[1]++;",
        "{ typedef int CI; CI x = 1; x = 2; }",
        "struct p x = {1}; const struct p y = x; x = y; int g = 1; g = 2;",
        "const int *const *r = &p; r = 0; const int k = n; int w = k; w++;",
    ] {
        assert!(load(body).is_ok(), "{body}: {:?}", load(body).err());
    }
}
