//! Constructs that must be read, each as it stands in programs and system headers.

use pedra_c::check_syntax;

#[test]
fn declarations() {
    for text in [
        "int x, *y, z[3], *w[2][3], (*v)[4], (*f)(int, char *), *g(void), (*h(int))(void);",
        "unsigned long long int a; long signed int b; short unsigned c; char signed d;",
        "typedef int T; T t; T *f(T T1, T (*g)(T)); void h(T T, int x[T]);",
        "typedef struct node node; struct node { node *next; union { int a; char b; }; };",
        "typedef enum { A, B = 2, C = A + B, } E; enum { D = sizeof(E) };",
        "struct { int a : 3, : 0, b : 2; } __attribute__((packed, aligned(4))) s;",
        "extern void f(const char *, ...) __attribute__((noreturn, format(printf, 1, 2)));",
        "extern int f(void) __asm__(\"\" \"_f\") __attribute__((__nothrow__));",
        "static __inline __attribute__((always_inline)) int f(void) { return 1; }",
        "extern __inline int f(int x) { return x; } _Noreturn void g(void);",
        "__extension__ typedef long long q; __extension__ struct s { __extension__ int x; };",
        "typedef __builtin_va_list va; typedef int w __attribute__((__mode__(__word__)));",
        "int a[] = {1, 2, [5] = 3, [7 ... 9] = 4}, b[2][2] = {{1}, 2, 3};",
        "struct p { int x, y; } p = {.y = 1, .x = 2}, q = {y: 1}, r[2] = {[1].x = 3, {4}};",
        "typeof(int) x; __typeof__(x + 1) y; int volatile const *restrict __restrict z;",
        "_Static_assert(sizeof(int) == 4, \"int\"); _Alignas(8) int x; _Thread_local int y;",
        "#pragma pack(push, 1)\n# 1 \"x.h\"\n#line 4\n;;; int x; asm(\"nop\");",
        "float f = 1.5e-3f, g = .5, h = 0x1.8p+1, i = 1., j = 1e5L; double _Complex c;",
        "int a = 0x1F, b = 0b101, c = 017, d = 10uLL, e = 'a', f = '\\'', g = '\\x41', h = '\\0';",
        "char *s = \"a\" \"b\\n\\\"\\101\" ;",
        "int f(int x, int y[static 3], int (*g)[], int h(int)) { return x; }",
    ] {
        if let Err(error) = check_syntax(text.as_bytes()) {
            panic!("{error}\n{text}");
        }
    }
}

#[test]
fn statements() {
    for body in [
        "int T; T * 2; (T) + 1; T = sizeof(T); { typedef int U; U *p; U U = 1; }",
        "if (1) if (2) ; else ; if (3) ; else if (4) ; else ; if (5) ;",
        "for (;;) ; for (int i = 0, j; i < 3; i++, j--) break; do continue; while (0);",
        "switch (x) { case 1: case 2 ... 4: { break; } default: ; int y; case 'a': y = 1; }",
        "goto l; l: k: ; int y; m: { } n: __attribute__((unused)); x = 1; o: int z;",
        "x = y ? 1 : z ? 2, 3 : 4; x = y = z += 1; x <<= 2; x >>= 3; x ^= ~-!+x;",
        "x = *p++ + --*q; x = a[1][2]->b.c(1, 2)[3]; x = &*&y - &z; x = (int *)p - (char)1;",
        "x = sizeof x + sizeof(int) + sizeof(x)[0] + sizeof(int[3]) + _Alignof(int);",
        "x = (struct p){1, 2}.x; f((int[]){1, 2}); x = ({ int t = 1; t; }) + y ?: 3;",
        "__asm__ volatile (\"nop\" : \"=r\" (x) : \"r\" (y) : \"memory\"); asm goto (\"\" : : : : l);",
        "x = __builtin_offsetof(struct s, a.b[1].c); x = __builtin_types_compatible_p(int, long);",
        "x = __builtin_va_arg(v, int); x = _Generic(x, int: 1, default: 2); goto *&&l;",
        "{ __label__ a, b; a: ; } return; __extension__ int e = __extension__ 1;",
        "x = a < b == c > d & e && f || g | h ^ i << j + k * l % m;",
    ] {
        let text = format!("void f(void) {{ {body} }}");
        if let Err(error) = check_syntax(text.as_bytes()) {
            panic!("{error}\n{body}");
        }
    }
}
