//! Functions of the C library as C. Those that a program uses without defining them are appended
//! to its text, so that they mean what the standard says: nothing is assumed about them. A value
//! that the standard leaves open is that of a variable that is not initialised, and one from
//! outside is asked for.
//!
//! The bytes of strings are characters. `memcpy` and its like on other objects are assignments of
//! whole elements, see `analyse::memory`.

use crate::ast::{Ast, Derived, ExprKind, External};
use crate::types::DataModel;
use rustc_hash::{FxHashMap, FxHashSet};

/// The name of the file in which these functions are.
pub const LIBRARY: &str = "<the C library>";

/// How the functions are called that give definitions a value from outside; the rest is the name of
/// the function that is defined. A test of a violation can force such a value.
pub const ASKED: &str = "__pedra_asked_";

/// Names and definitions; `SIZE` stands for the type of `sizeof`.
const FUNCTIONS: &[(&str, &str)] = &[
    ("strlen", "SIZE strlen(const char *s) { SIZE n = 0; while (s[n]) n++; return n; }"),
    (
        "strcmp",
        "int strcmp(const char *a, const char *b) { int r; \
         while (*a && *a == *b) { a++; b++; } \
         if (*a == *b) return 0; \
         __VERIFIER_assume(r != 0 && (r < 0) == ((unsigned char)*a < (unsigned char)*b)); \
         return r; }",
    ),
    (
        "strncmp",
        "int strncmp(const char *a, const char *b, SIZE n) { int r; \
         while (n && *a && *a == *b) { a++; b++; n--; } \
         if (n == 0 || *a == *b) return 0; \
         __VERIFIER_assume(r != 0 && (r < 0) == ((unsigned char)*a < (unsigned char)*b)); \
         return r; }",
    ),
    (
        "strcpy",
        "char *strcpy(char *d, const char *s) { SIZE i = 0; \
         while (s[i]) { d[i] = s[i]; i++; } d[i] = 0; return d; }",
    ),
    (
        "strncpy",
        "char *strncpy(char *d, const char *s, SIZE n) { SIZE i = 0; \
         while (i < n && s[i]) { d[i] = s[i]; i++; } \
         while (i < n) { d[i] = 0; i++; } return d; }",
    ),
    (
        "strcat",
        "char *strcat(char *d, const char *s) { SIZE n = 0; SIZE i = 0; while (d[n]) n++; \
         while (s[i]) { d[n + i] = s[i]; i++; } d[n + i] = 0; return d; }",
    ),
    (
        "strncat",
        "char *strncat(char *d, const char *s, SIZE m) { SIZE n = 0; SIZE i = 0; \
         while (d[n]) n++; \
         while (i < m && s[i]) { d[n + i] = s[i]; i++; } d[n + i] = 0; return d; }",
    ),
    (
        "strchr",
        "char *strchr(const char *s, int c) { while (*s != (char)c) { if (!*s) return 0; s++; } \
         return (char *)s; }",
    ),
    (
        "strrchr",
        "char *strrchr(const char *s, int c) { const char *r = 0; \
         while (*s) { if (*s == (char)c) r = s; s++; } \
         if (*s == (char)c) r = s; return (char *)r; }",
    ),
    (
        "memcmp",
        "int memcmp(const void *a, const void *b, SIZE n) { int r; \
         const unsigned char *x = a; const unsigned char *y = b; \
         while (n && *x == *y) { x++; y++; n--; } \
         if (n == 0) return 0; \
         __VERIFIER_assume(r != 0 && (r < 0) == (*x < *y)); return r; }",
    ),
    (
        "memset",
        "void *memset(void *d, int c, SIZE n) { char *x = d; SIZE i = 0; \
         while (i < n) { x[i] = (char)c; i++; } return d; }",
    ),
    (
        "memcpy",
        "void *memcpy(void *d, const void *s, SIZE n) { char *x = d; const char *y = s; \
         SIZE i = 0; while (i < n) { x[i] = y[i]; i++; } return d; }",
    ),
    (
        "memmove",
        "void *memmove(void *d, const void *s, SIZE n) { char *x = d; const char *y = s; \
         SIZE i = 0; int up = 0; \
         while (i < n) { if (x == y + i) up = 1; i++; } \
         if (up) { while (i > 0) { i--; x[i] = y[i]; } } \
         else { i = 0; while (i < n) { x[i] = y[i]; i++; } } return d; }",
    ),
    ("abs", "int abs(int n) { return n < 0 ? -n : n; }"),
    ("labs", "long labs(long n) { return n < 0 ? -n : n; }"),
    ("llabs", "long long llabs(long long n) { return n < 0 ? -n : n; }"),
    ("__builtin_abs", "int __builtin_abs(int n) { return n < 0 ? -n : n; }"),
    ("__builtin_prefetch", "void __builtin_prefetch(const void *p, ...) { }"),
    (
        "__builtin_bswap16",
        "unsigned short __builtin_bswap16(unsigned short x) { return x >> 8 | x << 8; }",
    ),
    (
        "__builtin_bswap32",
        "unsigned int __builtin_bswap32(unsigned int x) { \
         return x >> 24 | x >> 8 & 0xff00u | x << 8 & 0xff0000u | x << 24; }",
    ),
    (
        "__builtin_bswap64",
        "unsigned long long __builtin_bswap64(unsigned long long x) { \
         x = x >> 32 | x << 32; \
         x = x >> 16 & 0x0000ffff0000ffffull | (x & 0x0000ffff0000ffffull) << 16; \
         return x >> 8 & 0x00ff00ff00ff00ffull | (x & 0x00ff00ff00ff00ffull) << 8; }",
    ),
    (
        "rand",
        "int rand(void) { int r = __pedra_asked_rand(); __VERIFIER_assume(r >= 0); return r; }",
    ),
    (
        "getchar",
        "int getchar(void) { int r = __pedra_asked_getchar(); __VERIFIER_assume(r >= -1 && r <= 255); return r; }",
    ),
    (
        "fgetc",
        "int fgetc(void *f) { int r = __pedra_asked_fgetc(); __VERIFIER_assume(r >= -1 && r <= 255); return r; }",
    ),
    (
        "getc",
        "int getc(void *f) { int r = __pedra_asked_getc(); __VERIFIER_assume(r >= -1 && r <= 255); return r; }",
    ),
    (
        "isdigit",
        "int isdigit(int c) { int r; if (c < '0' || c > '9') return 0; \
         __VERIFIER_assume(r != 0); return r; }",
    ),
];

/// gcc's functions on the bits of an integer, which exist for `int`, and with `l` and `ll` for the
/// longer types: the name, what is done to the bits `x` before those that are set are counted, and
/// the result with their number `n`. Some are undefined for zero: their result is arbitrary then.
const BITS: &[(&str, &str, &str)] = &[
    ("popcount", "", "n"),
    ("parity", "", "n & 1"),
    ("ctz", "if (x == 0) return n; x = (x & -x) - 1;", "n"),
    ("ffs", "if (x == 0) return 0; x = x ^ (x - 1);", "n"),
    (
        "clz",
        "if (x == 0) return n; x |= x >> 1; x |= x >> 2; x |= x >> 4; x |= x >> 8; x |= x >> 16; \
         x |= x >> 32;",
        "(int)(8 * sizeof y) - n",
    ),
];

/// The definition of one of [`BITS`]. Neighbours are added up, which takes no loop.
fn bits(name: &str) -> Option<String> {
    let rest = name.strip_prefix("__builtin_")?;
    let short = rest.strip_suffix("ll").or_else(|| rest.strip_suffix('l'));
    let found = |base: &str| BITS.iter().find(|(known, ..)| *known == base);
    let (row, suffix) = match found(rest) {
        Some(row) => (row, ""),
        None => (found(short?)?, &rest[short?.len()..]),
    };
    let ty = ["int", "long", "long long"][suffix.len()];
    let (_, first, result) = row;
    Some(format!(
        "int {name}(unsigned {ty} y) {{ unsigned long long x = y; int n; {first} \
         x = x - ((x >> 1) & 0x5555555555555555ull); \
         x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull); \
         x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full; \
         n = (int)((x * 0x0101010101010101ull) >> 56); return {result}; }}\n"
    ))
}

/// The definitions that a program needs, if it needs any. They stand behind a line marker.
pub fn needed(ast: &Ast, model: DataModel) -> Option<String> {
    let mut known = FxHashMap::default();
    for external in &ast.externals {
        match external {
            External::Function(function) => {
                known.extend(function.declarator.name.map(|name| (name, false)));
            }
            External::Declaration(declaration) => {
                for (declarator, _) in &declaration.declarators {
                    let first = declarator.derived.first();
                    let is_function = matches!(first, Some(Derived::Function { .. }));
                    if let Some(name) = declarator.name {
                        known.entry(name).or_insert(is_function);
                    }
                }
            }
        }
    }
    let name_of = |kind: &ExprKind| match *kind {
        ExprKind::Name(name) => Some(name),
        _ => None,
    };
    let callee = |kind: &ExprKind| match *kind {
        ExprKind::Call(callee, _) => name_of(&ast.expr(callee).kind),
        _ => None,
    };
    let used: FxHashSet<_> = ast.exprs.iter().filter_map(|expr| name_of(&expr.kind)).collect();
    let called: FxHashSet<_> = ast.exprs.iter().filter_map(|expr| callee(&expr.kind)).collect();
    // What is only used, by its address, can be of any kind: it must be declared as a function.
    let is_needed = |name: &str| {
        ast.names.find(name).is_some_and(|name| match known.get(&name) {
            Some(&is_open) => is_open && used.contains(&name),
            None => called.contains(&name),
        })
    };
    let size = match model {
        DataModel::Ilp32 => "unsigned int",
        DataModel::Lp64 => "unsigned long",
    };
    let found = FUNCTIONS.iter().filter(|(name, _)| is_needed(name));
    let mut text: String = found.map(|(_, text)| text.replace("SIZE", size) + "\n").collect();
    let on_bits = called.iter().filter(|name| !known.contains_key(name));
    let mut on_bits: Vec<String> = on_bits.filter_map(|name| bits(ast.names.text(*name))).collect();
    on_bits.sort();
    text.extend(on_bits);
    (!text.is_empty()).then(|| format!("\n# 1 \"{LIBRARY}\"\n{text}"))
}
