//! What tasks and witnesses claim of a program, which is one of two things:
//!
//! ```text
//! CHECK( init(main()), LTL(G ! call(reach_error())) )
//! CHECK( init(main()), LTL(G ! overflow) )
//! ```
//!
//! A program has properties for all calls of error functions, and a claim is about the calls of
//! one. Each property says which one it calls.

use crate::Errors;
use crate::lower::is_error;
use pedra_program::Program;
use std::fmt;

/// What is claimed of all runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// This function is never called.
    NoCall(String),
    /// No signed operation leaves its type.
    NoOverflow,
}

/// A claim about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specification {
    /// The function where runs start.
    pub entry: String,
    /// What is claimed.
    pub claim: Claim,
}

impl fmt::Display for Specification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CHECK( init({}()), LTL(G ! ", self.entry)?;
        match &self.claim {
            Claim::NoCall(function) => write!(f, "call({function}())) )"),
            Claim::NoOverflow => write!(f, "overflow) )"),
        }
    }
}

impl Specification {
    /// That a function is never called by runs from `main`.
    pub fn no_call(function: &str) -> Specification {
        Specification { entry: "main".to_owned(), claim: Claim::NoCall(function.to_owned()) }
    }

    /// That runs from `main` have no overflow.
    pub fn no_overflow() -> Specification {
        Specification { entry: "main".to_owned(), claim: Claim::NoOverflow }
    }

    /// What *unreach-call* means where it is only named: `reach_error` is never called, or
    /// `__VERIFIER_error` in programs of the time before there was `reach_error`: they call it, and
    /// the other name is nowhere in their text.
    pub fn unreach_call(program: &Program, text: &[u8]) -> Specification {
        let old = "__VERIFIER_error";
        let calls_old = program.properties.iter().any(|p| p.calls.as_deref() == Some(old));
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let mut words = text.split(|byte| !is_part(byte));
        let is_old = calls_old && !words.any(|word| word == b"reach_error");
        Specification::no_call(if is_old { old } else { "reach_error" })
    }

    /// How runs go on after a call of an error function, for what is claimed.
    pub fn errors(&self) -> Errors {
        match self.claim {
            Claim::NoCall(_) => Errors::End,
            Claim::NoOverflow => Errors::Return,
        }
    }

    /// Reads a specification, all of it.
    ///
    /// # Errors
    /// If it is another one than those that are understood.
    pub fn read(text: &str) -> Result<Specification, String> {
        let words = words(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // Some witnesses have the formula alone.
        let (entry, formula) = checked(&words).unwrap_or(("main", &words));
        let claim = match formula {
            ["G", "!", "overflow"] => Claim::NoOverflow,
            ["G", "!", "call", "(", function, "(", ")", ")"] => {
                if !is_error(function, false) {
                    let known = "only those of reach_error and other error functions are";
                    return Err(format!("calls of `{function}` are not supported, {known}"));
                }
                Claim::NoCall((*function).to_owned())
            }
            _ => return Err(unknown(text)),
        };
        match is_word(entry) {
            true => Ok(Specification { entry: entry.to_owned(), claim }),
            false => Err(unknown(text)),
        }
    }
}

/// The entry and the formula of `CHECK( init(entry()), LTL(formula) )`.
fn checked<'w>(words: &'w [&'w str]) -> Option<(&'w str, &'w [&'w str])> {
    let (entry, rest) = words.strip_prefix(&["CHECK", "(", "init", "("])?.split_first()?;
    let formula = rest.strip_prefix(&["(", ")", ")", ",", "LTL", "("])?;
    Some((entry, formula.strip_suffix(&[")", ")"])?))
}

fn unknown(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("the property `{text}` is not supported, only unreach-call and no-overflow are")
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Names and other characters, without what is blank.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_open = false;
    for c in text.chars() {
        let is_part = c.is_ascii_alphanumeric() || c == '_';
        match words.last_mut() {
            Some(word) if is_part && is_open => word.push(c),
            _ if c.is_whitespace() => {}
            _ => words.push(c.to_string()),
        }
        is_open = is_part;
    }
    words
}

/// Whether the calls of a function are errors of a program, which it has a property for each of. A
/// function of the C library is none if the program has its own.
pub fn is_error_of(program: &Program, function: &str) -> bool {
    let has_body = program.procedures.iter().any(|procedure| &*procedure.name == function);
    is_error(function, has_body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, load};

    #[test]
    fn what_is_read() {
        for (text, claim) in [
            ("CHECK( init(main()), LTL(G ! call(reach_error())) )", Some("reach_error")),
            ("CHECK(init(main()),LTL(G!call(__VERIFIER_error())))\n", Some("__VERIFIER_error")),
            (" CHECK ( init ( main ( ) ) , LTL ( G ! overflow ) ) ", None),
            ("G ! call(reach_error())", Some("reach_error")),
        ] {
            let found = Specification::read(text).expect(text);
            assert_eq!(found.entry, "main");
            let name = match &found.claim {
                Claim::NoCall(name) => Some(name.as_str()),
                Claim::NoOverflow => None,
            };
            assert_eq!(name, claim, "{text}");
            assert_eq!(Specification::read(&found.to_string()), Ok(found));
        }
        let other = Specification::read("CHECK( init(start()), LTL(G ! overflow) )").expect("read");
        assert_eq!(other.entry, "start");
    }

    #[test]
    fn what_is_not_understood() {
        for text in [
            "",
            "G ! call(reach_error()) )",
            "CHECK( init(main()), LTL(G ! call(my_error())) )",
            "CHECK( init(main()), LTL(G call(reach_error())) )",
            "CHECK( init(main()), LTL(F G ! call(reach_error())) )",
            "CHECK( init(main()), LTL(G ! call(reach _error())) )",
            "CHECK( init(main()), LTL(G ! call(reach_error()) && G ! overflow) )",
            "CHECK( init(main()), LTL(G ! call(reach_error() || overflow)) )",
            "CHECK( init(main()), LTL(G ! call(reach_error())) ) CHECK( init(main()), LTL(F end) )",
            "CHECK( init(main()), LTL(G ! overflow) )\nCHECK( init(main()), LTL(G ! overflow) )",
            "CHECK( init(main()), LTL(G valid-free) )",
            "CHECK( init(main()), LTL(F end) )",
            "CHECK( init(), LTL(G ! overflow) )",
            "CHECK( init(1()), LTL(G ! overflow) )",
            "COVER( init(main()), FQL(COVER EDGES(@CALL(G!call(x)))) )",
        ] {
            let why = Specification::read(text).expect_err(text);
            assert!(why.contains("not supported"), "{text}: {why}");
        }
    }

    /// Each property says which error function is called.
    #[test]
    fn which_function_is_called() {
        let head = "extern void reach_error(void); extern void __VERIFIER_error(void);\n\
                    extern void __assert_fail(const char *, const char *, unsigned, const char *);\n\
                    void check(int c) { if (!c) { ERROR: { reach_error(); } } }\n\
                    void old(int c) { if (!c) __VERIFIER_error(); }\n\
                    void (*way)(void) = reach_error; int x;\n";
        for (body, functions) in [
            ("reach_error();", &["reach_error"][..]),
            ("__VERIFIER_error();", &["__VERIFIER_error"]),
            ("__assert_fail(\"x\", \"f\", 1, \"g\");", &["__assert_fail"]),
            ("assert(x);", &["__assert_fail"]),
            ("__VERIFIER_assert(x);", &[""]),
            ("check(x);", &["reach_error"]),
            ("old(x);", &["__VERIFIER_error"]),
            ("way();", &["reach_error"]),
            ("if (x) way = __VERIFIER_error; way();", &["__VERIFIER_error", "reach_error"]),
            ("void (*old)(void) = reach_error; old();", &["reach_error"]),
        ] {
            let text = format!("{head}int main(void) {{ {body} return 0; }}\n");
            let program = load(text.as_bytes(), "f.c", &Options::default()).expect(&text);
            let properties = program.properties.iter();
            let found: Vec<&str> = properties.map(|p| p.calls.as_deref().unwrap_or("")).collect();
            assert_eq!(found, functions, "{text}");
        }
    }

    /// By its name alone the claim is about the error function of older tasks only where there is
    /// no other one.
    #[test]
    fn what_unreach_call_means() {
        for (text, function) in [
            ("int main(void) { reach_error(); }", "reach_error"),
            ("int main(void) { __VERIFIER_error(); }", "__VERIFIER_error"),
            ("void reach_error(void); int main(void) { __VERIFIER_error(); }", "reach_error"),
            ("int unreach_error2; int main(void) { __VERIFIER_error(); }", "__VERIFIER_error"),
            ("int main(void) { }", "reach_error"),
        ] {
            let program = load(text.as_bytes(), "f.c", &Options::default()).expect(text);
            let claim = Specification::unreach_call(&program, text.as_bytes());
            assert_eq!(claim, Specification::no_call(function), "{text}");
        }
    }

    /// The library's functions are error functions unless the program has its own, even if those
    /// only assert something.
    #[test]
    fn error_functions_of_a_program() {
        let own = "void __assert(int c) { if (!c) reach_error(); } int main(void) { __assert(1); }";
        let library = "int main(void) { __assert(1); }";
        for (text, is_error) in [(own, false), (library, true)] {
            let program = load(text.as_bytes(), "f.c", &Options::default()).expect(text);
            assert_eq!(is_error_of(&program, "__assert"), is_error, "{text}");
            assert!(is_error_of(&program, "reach_error"), "{text}");
        }
    }
}
