//! A violation as a C file: linked with the program, it makes the run happen.
//!
//! The harness defines the functions that the program asks for values, each with the values of the
//! run in their order, and the functions that end it. Weak definitions give way to the program's
//! own. Numbers that the program declares and does not define are defined with their values. Exit
//! status 99 means that the error was reached, 77 that the run took another way.

use pedra_model::bv::Bv;
use pedra_model::term::Sort;
use pedra_model::value::Value;
use pedra_program::interpreter::{arbitrary_at_call, initial_variables, replay};
use pedra_program::{Action, Input, InputKind, Program, ProgramTrace, Variable, VariableId};
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

/// Storage for pointers from outside.
const STORAGE: &str = "
static union { long long align; char bytes[1 << 16]; } storage[64];
static unsigned int used = 0;
static void *some(void) { if (used == 64) _Exit(77); return &storage[used++]; }
";

/// What the functions of competitions are called that ask for values.
const KINDS: [&str; 18] = [
    "bool",
    "_Bool",
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "unsigned",
    "long",
    "ulong",
    "longlong",
    "ulonglong",
    "size_t",
    "pointer",
    "float",
    "double",
    "loff_t",
];

/// Said if the run needs zero in variables without a value.
pub const ZERO: &str = "
Variables that are not initialised have the value zero in the run: add -ftrivial-auto-var-init=zero
(gcc 12, clang 16).
";

/// Said if the program declares variables that no test can define: others than numbers.
pub const DEFINE: &str = "
The program declares these variables and does not define them. A test cannot do it; with other
values than these the run may take another way:
";

/// Said if the run needs certain other values.
pub const CANNOT_FORCE: &str = "
The run has these values of variables that are not initialised. A test cannot force them:
";

/// The harness of a run that was replayed.
pub fn harness(program: &Program, trace: &ProgramTrace) -> String {
    let property = &program.properties[trace.property];
    let place = program.location(property.span, false);
    // `*/` in a text of the source would end the comment.
    let what = format!("{place} {}", property.text).replace("*/", "* /");
    let mut out = format!("/* A test for {what}\n{HEAD}");
    let (defined, others) = external(program, trace);
    if !others.is_empty() {
        out.push_str(DEFINE);
        for (id, value) in &others {
            let Variable { name, source_type, .. } = program.variable(*id);
            let name = name.as_deref().unwrap_or_default();
            let _ = writeln!(out, "    {source_type} {name} = {}", shown(program, *id, value));
        }
    }
    match free_values(program, trace) {
        Free::DoNotMatter => {}
        Free::Zero => out.push_str(ZERO),
        Free::Needed(values) => {
            out.push_str(CANNOT_FORCE);
            for (name, value) in values {
                let _ = writeln!(out, "    {name} = {value}");
            }
        }
    }
    let _ = write!(out, "*/\n\n{ENDS}");
    let asked = asked(program, trace);
    if asked.values().any(|asked| asked.is_pointer) {
        out.push_str(STORAGE);
    }
    for (name, asked) in &asked {
        out.push_str(&match asked.is_pointer {
            true => pointer_function(name, &asked.values),
            false => function(name, asked.width, &asked.values),
        });
    }
    if !defined.is_empty() {
        out.push('\n');
    }
    for (id, value) in &defined {
        let Variable { name, source_type, is_signed, .. } = program.variable(*id);
        let (name, value) = (name.as_deref().unwrap_or_default(), literal(value, *is_signed));
        let _ = writeln!(out, "{source_type} {name} = {value};");
    }
    // Functions that no run calls may ask for values all the same.
    for kind in KINDS {
        let name = format!("__VERIFIER_nondet_{kind}");
        if !asked.contains_key(&name) {
            let _ = writeln!(out, "WEAK int {name}(void) {{ _Exit(77); }}");
        }
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

/// A function that the program asks, and its values in the run.
struct Asked {
    width: u32,
    /// It returns a pointer; the values say whether it is not null.
    is_pointer: bool,
    values: Vec<Bv>,
}

/// All functions that the program asks.
fn asked(program: &Program, trace: &ProgramTrace) -> BTreeMap<String, Asked> {
    let mut asked: BTreeMap<String, Asked> = BTreeMap::new();
    for input in inputs(program) {
        let (InputKind::Asked(name) | InputKind::AskedPointer(name)) = &input.kind else {
            continue;
        };
        let is_pointer = matches!(input.kind, InputKind::AskedPointer(_));
        let width = program.terms.width(input.term);
        asked.entry(name.to_string()).or_insert(Asked { width, is_pointer, values: Vec::new() });
    }
    each_value(program, trace, |input, value| {
        if let (InputKind::Asked(name) | InputKind::AskedPointer(name), Value::Bv(value)) =
            (&input.kind, value)
            && let Some(asked) = asked.get_mut(&**name)
        {
            asked.values.push(value.clone());
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

/// Variables and their values.
type Values<V> = Vec<(VariableId, V)>;

/// The first values of variables that the program declares and does not define: of numbers, which a
/// test can define, and of others.
fn external(program: &Program, trace: &ProgramTrace) -> (Values<Bv>, Values<Value>) {
    let (mut defined, mut others) = (Vec::new(), Vec::new());
    for (id, value) in initial_variables(program).zip(&trace.initial) {
        if !program.external.contains(&id) {
            continue;
        }
        let Variable { name, source_type, .. } = program.variable(id);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ' ';
        let is_whole = name.as_deref().is_some_and(|name| name.chars().all(is_word));
        match value {
            Value::Bv(value) if is_whole && source_type.chars().all(is_word) => {
                defined.push((id, value.clone()));
            }
            _ => others.push((id, value.clone())),
        }
    }
    (defined, others)
}

/// A value in words.
fn shown(program: &Program, id: VariableId, value: &Value) -> String {
    match value {
        Value::Bv(value) => decimal(value, program.variable(id).is_signed),
        _ => "(an array)".to_owned(),
    }
}

/// What the values of variables are to a run that nothing gives them.
enum Free {
    DoNotMatter,
    /// Zero will do.
    Zero,
    /// These are needed.
    Needed(Vec<(String, String)>),
}

/// Runs with more values than this, over all steps and variables, are not tried for each variable.
const MOST_TRIED: usize = 2_000_000;

/// Whether values that nothing gives to variables matter: the run is tried with others. Those of
/// variables that are defined elsewhere are kept.
fn free_values(program: &Program, trace: &ProgramTrace) -> Free {
    let known = &program.external;
    let with = |fill: fn(Sort) -> Value, is_meant: &dyn Fn(VariableId) -> bool| {
        let mut other = trace.clone();
        each_free(program, &mut other, |variable, value| {
            if is_meant(variable) && !known.contains(&variable) {
                *value = fill(value.sort());
            }
        });
        replay(program, &other).is_ok_and(|replayed| replayed.undefined.is_none())
    };
    if with(Value::zero, &|_| true) {
        return if with(ones, &|_| true) { Free::DoNotMatter } else { Free::Zero };
    }
    let mut values: BTreeMap<VariableId, Value> = BTreeMap::new();
    each_free(program, &mut trace.clone(), |variable, value| {
        if !known.contains(&variable) {
            values.entry(variable).or_insert_with(|| value.clone());
        }
    });
    let is_short = trace.steps.len().saturating_mul(values.len()) <= MOST_TRIED;
    let is_needed = |id: VariableId| !is_short || !with(Value::zero, &|other| other == id);
    let needed = values.into_iter().filter(|(id, _)| is_needed(*id));
    let named = needed.filter_map(|(id, value)| {
        Some((program.variable(id).name.as_ref()?.to_string(), shown(program, id, &value)))
    });
    Free::Needed(named.collect())
}

/// All bits are set.
fn ones(sort: Sort) -> Value {
    match sort {
        Sort::Array { index, element } => Value::everywhere(index, &ones(element.into())),
        Sort::Bv(width) => Value::Bv(Bv::ones(width)),
        other => Value::zero(other),
    }
}

/// Visits the values of a run that nothing gives to variables.
fn each_free(
    program: &Program,
    trace: &mut ProgramTrace,
    mut visit: impl FnMut(VariableId, &mut Value),
) {
    initial_variables(program).zip(&mut trace.initial).for_each(|(v, value)| visit(v, value));
    for step in &mut trace.steps {
        match &program.edge(step.edge).action {
            Action::Call(call) => arbitrary_at_call(program.procedure(call.callee))
                .zip(&mut step.values)
                .for_each(|(variable, value)| visit(variable, value)),
            Action::Step(action) => {
                for (input, value) in action.inputs.iter().zip(&mut step.values) {
                    if let InputKind::Arbitrary(variable) = input.kind {
                        visit(variable, value);
                    }
                }
            }
        }
    }
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

/// A function that returns null or storage of its own, in turn.
fn pointer_function(name: &str, values: &[Bv]) -> String {
    let list: Vec<_> = values.iter().map(|value| if value.is_true() { "1" } else { "0" }).collect();
    let (list, count) = (list.join(", "), values.len());
    if count == 0 {
        return format!("\nvoid *{name}(void) {{ _Exit(77); }}\n");
    }
    format!(
        "\nvoid *{name}(void) {{\n    static const char is_some[] = {{ {list} }};\n    \
         static unsigned int next = 0;\n    if (next == {count}) _Exit(77);\n    \
         return is_some[next++] ? some() : 0;\n}}\n"
    )
}

/// A number in C.
fn literal(value: &Bv, is_signed: bool) -> String {
    match value.is_negative() && is_signed {
        // The smallest number has no literal of its own.
        true => format!("-{}LL - 1", value.not().to_decimal()),
        false => format!("{}ULL", value.to_decimal()),
    }
}

/// A function that returns values in turn.
fn function(name: &str, width: u32, values: &[Bv]) -> String {
    let (ty, is_signed) = result_type(name, width);
    if values.is_empty() {
        return format!("\n{ty} {name}(void) {{ _Exit(77); }}\n");
    }
    let element = match (ty, is_signed) {
        ("void *", _) | (_, false) => "unsigned long long",
        _ => "long long",
    };
    let list = values
        .iter()
        .map(|value| literal(value, is_signed))
        .collect::<Vec<_>>()
        .join(",\n        ");
    let count = values.len();
    let result = if ty == "void *" { "(void *)(unsigned long)" } else { "" };
    format!(
        "\n{ty} {name}(void) {{\n    static const {element} values[] = {{\n        {list}\n    }};\n    \
         static unsigned int next = 0;\n    if (next == {count}) _Exit(77);\n    \
         return {result}values[next++];\n}}\n"
    )
}
