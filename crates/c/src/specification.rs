//! What tasks and witnesses claim of a program, which is one of two things:
//!
//! ```text
//! CHECK( init(main()), LTL(G ! call(reach_error())) )
//! CHECK( init(main()), LTL(G ! overflow) )
//! ```
//!
//! A program has properties for all calls of error functions, and a claim is about the calls of
//! one. [`ErrorCalls`] says which function the call of a property calls.

use crate::ast::*;
use crate::error::CError;
use crate::lower::is_error;
use crate::parse::parse;
use crate::source::Source;
use crate::with_stack;
use pedra_program::Property;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
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

/// The functions that the properties of a program call.
#[derive(Debug)]
pub struct ErrorCalls {
    /// The functions with a body, and the error function that they call if they assert something.
    bodies: FxHashMap<String, Option<String>>,
    /// The error functions that the program mentions, outside of error functions.
    mentioned: BTreeSet<String>,
    /// What is declared and no function.
    objects: FxHashSet<String>,
    /// The name `reach_error` is somewhere in the program.
    has_reach_error: bool,
}

impl ErrorCalls {
    /// Of a preprocessed program.
    ///
    /// # Errors
    /// If the text is no program.
    pub fn new(text: &[u8]) -> Result<ErrorCalls, CError> {
        with_stack(|| {
            let mut source = Source::new(text);
            let ast = parse(&mut source).map_err(|fault| CError::new(fault, &source))?;
            Ok(ErrorCalls::of(&ast))
        })
    }

    fn of(ast: &Ast) -> ErrorCalls {
        let mut calls = ErrorCalls {
            bodies: FxHashMap::default(),
            mentioned: BTreeSet::new(),
            objects: FxHashSet::default(),
            has_reach_error: ast.names.find("reach_error").is_some(),
        };
        let name_of = |d: &Declarator| d.name.map(|name| ast.names.text(name).to_owned());
        let mut ignored = Vec::new();
        for external in &ast.externals {
            match external {
                External::Declaration(declaration) => calls.declare(ast, declaration),
                External::Function(function) => {
                    let Some(name) = name_of(&function.declarator) else { continue };
                    // A call of an error function is the error, whatever its body does.
                    if is_error(&name, true) {
                        ignored.push(function.span);
                    }
                    if let Some(Derived::Function { params, .. }) =
                        function.declarator.derived.first()
                    {
                        calls.objects.extend(params.iter().filter_map(|p| name_of(&p.declarator)));
                    }
                    calls.bodies.insert(name, asserted(ast, function.body));
                }
            }
        }
        for stmt in &ast.stmts {
            if let StmtKind::Declaration(declaration) = &stmt.kind {
                calls.declare(ast, declaration);
            }
        }
        for expr in &ast.exprs {
            let ExprKind::Name(name) = expr.kind else { continue };
            let is_inside =
                ignored.iter().any(|span| (span.start..span.end).contains(&expr.span.start));
            if !is_inside {
                let name = calls.failure(ast.names.text(name));
                calls.mentioned.extend(name);
            }
        }
        calls
    }

    fn declare(&mut self, ast: &Ast, declaration: &Declaration) {
        for (declarator, _) in &declaration.declarators {
            let is_function = matches!(declarator.derived.first(), Some(Derived::Function { .. }));
            if let (Some(name), false) = (declarator.name, is_function) {
                self.objects.insert(ast.names.text(name).to_owned());
            }
        }
    }

    /// The error function that a call of this name is one of, without a look into bodies.
    fn failure(&self, name: &str) -> Option<String> {
        let has_body = self.bodies.contains_key(name);
        match name {
            _ if is_error(name, has_body) => Some(name.to_owned()),
            // What headers make of it is not there if there is no header.
            "assert" if !has_body => Some("__assert_fail".to_owned()),
            "__VERIFIER_assert" if !has_body => Some(name.to_owned()),
            _ => None,
        }
    }

    /// What *unreach-call* means where it is only named: `reach_error` is never called, or
    /// `__VERIFIER_error` in programs of the time before there was `reach_error`.
    pub fn unreach_call(&self) -> Specification {
        let is_old = !self.has_reach_error && self.mentioned.contains("__VERIFIER_error");
        Specification::no_call(if is_old { "__VERIFIER_error" } else { "reach_error" })
    }

    /// Whether the program has a body of a function.
    pub fn has_body(&self, function: &str) -> bool {
        self.bodies.contains_key(function)
    }

    /// Whether calls of a function are errors of this program.
    pub fn knows(&self, function: &str) -> bool {
        is_error(function, self.bodies.contains_key(function))
    }

    /// The function that the call of a property calls; `None` if the text does not say.
    pub fn function_of(&self, property: &Property) -> Option<String> {
        let text = &property.text;
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let (name, rest) = text.split_at(end);
        let is_assert = name == "assert" && self.bodies.contains_key(name);
        let found = match self.mentioned.iter().collect::<Vec<_>>().as_slice() {
            [only] => Some((*only).clone()),
            // The text may be that of the header's macro.
            _ if is_assert && self.mentioned.contains("__assert_fail") => None,
            _ if !rest.trim_start().starts_with('(') || self.objects.contains(name) => None,
            _ => self.failure(name).or_else(|| self.bodies.get(name).cloned().flatten()),
        };
        found.filter(|name| self.knows(name))
    }
}

/// The function that is called first where the condition of a function's first `if` holds.
fn asserted(ast: &Ast, body: StmtId) -> Option<String> {
    let StmtKind::Block(list) = &ast.stmt(body).kind else { return None };
    let is_code =
        |id: &&StmtId| !matches!(ast.stmt(**id).kind, StmtKind::Empty | StmtKind::Declaration(_));
    let StmtKind::If { arms, .. } = &ast.stmt(*list.iter().find(is_code)?).kind else {
        return None;
    };
    let mut stmt = arms.first()?.1;
    loop {
        match &ast.stmt(stmt).kind {
            StmtKind::Block(list) => stmt = *list.iter().find(is_code)?,
            StmtKind::Label(_, inner) => stmt = *inner,
            StmtKind::Expr(call) => {
                let ExprKind::Call(callee, _) = ast.expr(*call).kind else { return None };
                let ExprKind::Name(name) = ast.expr(callee).kind else { return None };
                return Some(ast.names.text(name).to_owned());
            }
            _ => return None,
        }
    }
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

    #[test]
    fn which_function_is_called() {
        let head = "extern void reach_error(void); extern void __VERIFIER_error(void);\n\
                    extern void __assert_fail(const char *, const char *, unsigned, const char *);\n\
                    void check(int c) { if (!c) { ERROR: { reach_error(); } } }\n\
                    void old(int c) { if (!c) __VERIFIER_error(); }\n\
                    void (*way)(void) = reach_error; int x;\n";
        for (body, function) in [
            ("reach_error();", Some("reach_error")),
            ("__VERIFIER_error();", Some("__VERIFIER_error")),
            ("__assert_fail(\"x\", \"f\", 1, \"g\");", Some("__assert_fail")),
            ("check(x);", Some("reach_error")),
            ("old(x);", Some("__VERIFIER_error")),
            ("way();", None),
            ("void (*old)(void) = reach_error; old();", None),
        ] {
            let text = format!("{head}int main(void) {{ {body} return 0; }}\n");
            let program = load(text.as_bytes(), "f.c", &Options::default()).expect(&text);
            let calls = ErrorCalls::new(text.as_bytes()).expect(&text);
            assert_eq!(program.properties.len(), 1, "{text}");
            let found = calls.function_of(&program.properties[0]);
            assert_eq!(found.as_deref(), function, "{text}");
        }
        // All that a program mentions is one, and the body of an error function does not matter.
        let text =
            b"extern void __assert_fail(const char *, const char *, unsigned, const char *);\n\
                     void reach_error(void) { __assert_fail(\"0\", \"f\", 1, \"g\"); }\n\
                     int main(void) { void (*way)(void) = reach_error; way(); return 0; }\n";
        let program = load(text, "f.c", &Options::default()).expect("a program");
        let calls = ErrorCalls::new(text).expect("a program");
        let found = program.properties.iter().map(|property| calls.function_of(property));
        assert_eq!(found.collect::<Vec<_>>(), [Some("reach_error".to_owned())]);
    }
}
