//! What calling a function means: by its name, its body, or for lack of one.

use super::shape::{ENDS, Shape, is_error};
use super::shape_of;
use crate::library::ASKED;
use crate::tree::*;

/// Functions without effect on the program; what they return is arbitrary.
const IGNORED: &[&str] = &[
    "printf", "fprintf", "puts", "putchar", "fputs", "fputc", "fflush", "perror", "srand", "fopen",
    "fclose", "feof", "ferror",
];

/// Functions of the library that do more than return a value, or whose value is fixed by what they
/// are given: nothing can be assumed about them.
const KNOWN: &[&str] = &[
    "aligned_alloc",
    "asprintf",
    "atexit",
    "atof",
    "bcmp",
    "bcopy",
    "bsearch",
    "bzero",
    "explicit_bzero",
    "fgets",
    "fread",
    "fscanf",
    "getdelim",
    "getline",
    "gets",
    "isalnum",
    "isalpha",
    "isascii",
    "isblank",
    "iscntrl",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "isxdigit",
    "memccpy",
    "memchr",
    "mempcpy",
    "memrchr",
    "on_exit",
    "posix_memalign",
    "qsort",
    "read",
    "realloc",
    "reallocarray",
    "recv",
    "scanf",
    "snprintf",
    "sprintf",
    "sscanf",
    "stpcpy",
    "strcasecmp",
    "strchrnul",
    "strcoll",
    "strcspn",
    "strdup",
    "strlcat",
    "strlcpy",
    "strncasecmp",
    "strndup",
    "strnlen",
    "strpbrk",
    "strsep",
    "strspn",
    "strstr",
    "strtok",
    "strtok_r",
    "strtod",
    "strtof",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "strxfrm",
    "swab",
    "time",
    "gettimeofday",
    "tolower",
    "toupper",
    "vasprintf",
    "vfscanf",
    "vscanf",
    "vsscanf",
    "vsnprintf",
    "vsprintf",
];

/// Functions whose value is fixed by the text that they are given: it is any value if the text is
/// from outside, such as `argv[1]`.
pub(super) const NUMBERS: &[&str] = &["atoi", "atol", "atoll"];

/// Functions that do what nothing in a program can stand for, and what that is. A star stands for
/// the rest of a name.
const BEYOND: &[(&str, &[&str])] = &[
    ("jumps between functions", &["setjmp", "_setjmp", "__sigsetjmp", "longjmp", "siglongjmp"]),
    ("threads", &["pthread_*", "thrd_*", "mtx_*", "cnd_*", "sem_*"]),
    ("atomic operations", &["atomic_*", "__atomic_*", "__sync_*", "__VERIFIER_atomic*"]),
    ("processes and signals", &["fork", "wait", "signal", "sigaction"]),
];

/// What a function without a body does that nothing in a program can stand for, in words.
pub(super) fn beyond(name: &str) -> Option<&'static str> {
    let is_it = |key: &&str| match key.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *key,
    };
    BEYOND.iter().find(|(_, names)| names.iter().any(is_it)).map(|(what, _)| *what)
}

/// Whether nothing can be assumed about a function of the library.
fn is_refused(name: &str) -> bool {
    let is_reading = name.starts_with("__isoc99_") || name.starts_with("__isoc23_");
    KNOWN.contains(&name) || is_reading || beyond(name).is_some()
}

/// Functions whose argument is assumed to hold.
const ASSUMES: &[&str] = &["__VERIFIER_assume", "assume_abort_if_not"];

/// Functions whose argument must hold.
const ASSERTS: &[&str] = &["__VERIFIER_assert", "assert"];

/// Functions that allocate.
const ALLOCATES: &[&str] = &["malloc", "calloc", "alloca", "__builtin_alloca"];

/// What calling a function means.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Callee {
    /// The call is the error.
    Error,
    /// The run ends.
    End,
    Assert,
    Assume,
    /// A value from outside.
    Nondet,
    Allocate,
    /// Storage is given back.
    Free,
    Ignored,
    /// A procedure.
    Body,
    /// It has no body, and may return anything.
    Unknown,
    /// It has no body, and is known to do more than that.
    Refused,
}

pub(super) fn classify(tree: &Tree, id: FunctionId) -> Callee {
    let function = tree.function(id);
    let name = function.name.as_str();
    if is_error(name, function.body.is_some()) {
        return Callee::Error;
    }
    if function.body.is_some() {
        return match shape_of(tree, id) {
            Some(Shape::Assert(_)) => Callee::Assert,
            Some(Shape::Assume) => Callee::Assume,
            None => Callee::Body,
        };
    }
    let table = [
        (ENDS, Callee::End),
        (ASSERTS, Callee::Assert),
        (ASSUMES, Callee::Assume),
        (ALLOCATES, Callee::Allocate),
        (&["free"], Callee::Free),
        (IGNORED, Callee::Ignored),
    ];
    match table.iter().find(|(names, _)| names.contains(&name)) {
        Some((_, callee)) => *callee,
        None if name.starts_with("__VERIFIER_nondet_") => Callee::Nondet,
        None if name.starts_with(ASKED) => Callee::Nondet,
        None if is_refused(name) => Callee::Refused,
        None if function.never_returns => Callee::End,
        None => Callee::Unknown,
    }
}

/// Whether a call makes edges.
pub fn splits(tree: &Tree, id: FunctionId) -> bool {
    !matches!(
        classify(tree, id),
        Callee::Nondet | Callee::Allocate | Callee::Free | Callee::Ignored
    )
}
