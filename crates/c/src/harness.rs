//! A violation as a C file: linked with the program, it makes the run happen.
//!
//! The harness defines the functions that the program asks for values, each with the values of the
//! run in their order, and the functions that end it. Weak definitions give way to the program's
//! own. Exit status 99 means that the error was reached, 77 that the run took another way.

use pedra_model::bv::Bv;
use pedra_model::value::Value;
use pedra_program::{Action, Input, InputKind, Program, ProgramTrace};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What the values of a run say beside those that functions return.
const HEAD: &str = "
Build it with the program and run it:

    cc PROGRAM.c THIS.c && ./a.out; echo $?

99  the error was reached
77  more values were asked for than the run has: another way was taken

For the data model ILP32 add -m32; to see undefined operations add -fsanitize=undefined. C does not
say in which order operands are evaluated; if one expression asks for several values, a compiler may
ask in another order than the run.
";

/// The functions through which a program ends or says what it expects, if it has none of its own.
const ENDS: &str = "\
extern void _Exit(int);
#define WEAK __attribute__((weak))

WEAK void reach_error(void) { _Exit(99); }
WEAK void __VERIFIER_error(void) { _Exit(99); }
WEAK void __VERIFIER_assert(int holds) { if (!holds) _Exit(99); }
WEAK void __VERIFIER_assume(int holds) { if (!holds) _Exit(77); }
WEAK void assume_abort_if_not(int holds) { if (!holds) _Exit(77); }
void __assert_fail(const char *text, const char *file, unsigned int line, const char *function) {
    (void)text; (void)file; (void)line; (void)function;
    _Exit(99);
}
";

/// The harness of a run that was replayed.
pub fn harness(program: &Program, trace: &ProgramTrace) -> String {
    let property = &program.properties[trace.property];
    let place = program.location(property.span, false);
    // `*/` in a text of the source would end the comment.
    let what = format!("{place} {}", property.text).replace("*/", "* /");
    let mut out = format!("/* A test for {what}\n{HEAD}");
    let free = free_values(program, trace);
    if !free.is_empty() {
        out.push_str("\nThe run has these values of variables that are not initialised. A test cannot force them:\n");
        for (name, value) in free {
            let _ = writeln!(out, "    {name} = {value}");
        }
    }
    let _ = write!(out, "*/\n\n{ENDS}");
    for (name, (width, values)) in asked(program, trace) {
        out.push_str(&function(&name, width, &values));
    }
    out
}

/// The inputs of a program's steps.
fn inputs(program: &Program) -> impl Iterator<Item = &Input> {
    let edges = program.procedures.iter().flat_map(|procedure| &procedure.edges);
    edges.flat_map(|edge| match &edge.action {
        Action::Step(step) => step.inputs.as_slice(),
        Action::Call(_) => &[],
    })
}

/// For each function that the program asks, the width of its result and the values of the run.
fn asked(program: &Program, trace: &ProgramTrace) -> BTreeMap<String, (u32, Vec<Bv>)> {
    let mut asked: BTreeMap<String, (u32, Vec<Bv>)> = BTreeMap::new();
    for input in inputs(program) {
        if let InputKind::Asked(name) = &input.kind {
            let width = program.terms.width(input.term);
            asked.entry(name.to_string()).or_insert((width, Vec::new()));
        }
    }
    each_value(program, trace, |input, value| {
        if let (InputKind::Asked(name), Value::Bv(value)) = (&input.kind, value)
            && let Some((_, values)) = asked.get_mut(&**name)
        {
            values.push(value.clone());
        }
    });
    asked
}

/// Visits the inputs of all steps of a run, with their values.
fn each_value(program: &Program, trace: &ProgramTrace, mut visit: impl FnMut(&Input, &Value)) {
    for step in &trace.steps {
        if let Action::Step(action) = &program.edge(step.edge).action {
            action.inputs.iter().zip(&step.values).for_each(|(input, value)| visit(input, value));
        }
    }
}

/// The values of variables that the run made arbitrary.
fn free_values(program: &Program, trace: &ProgramTrace) -> Vec<(String, String)> {
    let mut free = Vec::new();
    each_value(program, trace, |input, value| {
        if let (InputKind::Arbitrary(id), Value::Bv(value)) = (&input.kind, value) {
            let variable = program.variable(*id);
            if let Some(name) = &variable.name {
                free.push((name.to_string(), decimal(value, variable.is_signed)));
            }
        }
    });
    free
}

/// A value as a number.
pub(crate) fn decimal(value: &Bv, is_signed: bool) -> String {
    match is_signed && value.is_negative() {
        true => format!("-{}", value.neg().to_decimal()),
        false => value.to_decimal(),
    }
}

/// The C type of a function's result: by its name, or else by its width.
fn result_type(name: &str, width: u32) -> (&'static str, bool) {
    let kind = name.strip_prefix("__VERIFIER_nondet_").unwrap_or_default();
    match (kind, width) {
        ("bool" | "_Bool", _) => ("_Bool", false),
        ("char", 8) => ("char", true),
        ("long", _) => ("long", true),
        ("ulong" | "unsigned_long" | "size_t", _) => ("unsigned long", false),
        ("pointer", _) => ("void *", false),
        (kind, 8) if kind.starts_with('u') => ("unsigned char", false),
        (kind, 16) if kind.starts_with('u') => ("unsigned short", false),
        (kind, 32) if kind.starts_with('u') => ("unsigned int", false),
        (kind, 64) if kind.starts_with('u') => ("unsigned long long", false),
        (_, 8) => ("signed char", true),
        (_, 16) => ("short", true),
        (_, 32) => ("int", true),
        _ => ("long long", true),
    }
}

/// A function that returns values in turn.
fn function(name: &str, width: u32, values: &[Bv]) -> String {
    let (ty, is_signed) = result_type(name, width);
    if values.is_empty() {
        return format!("\n{ty} {name}(void) {{ _Exit(77); }}\n");
    }
    let literal = |value: &Bv| match value.is_negative() && is_signed {
        // The smallest number has no literal of its own.
        true => format!("-{}LL - 1", value.not().to_decimal()),
        false => format!("{}ULL", value.to_decimal()),
    };
    let element = match (ty, is_signed) {
        ("void *", _) | (_, false) => "unsigned long long",
        _ => "long long",
    };
    let list = values.iter().map(literal).collect::<Vec<_>>().join(",\n        ");
    let count = values.len();
    let result = if ty == "void *" { "(void *)(unsigned long)" } else { "" };
    format!(
        "\n{ty} {name}(void) {{\n    static const {element} values[] = {{\n        {list}\n    }};\n    \
         static unsigned int next = 0;\n    if (next == {count}) _Exit(77);\n    \
         return {result}values[next++];\n}}\n"
    )
}
