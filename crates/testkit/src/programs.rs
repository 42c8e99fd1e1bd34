//! Random programs. The explicit-state oracle for them is [`explore_program`].
//!
//! Integers have too many values for that. In a program with integers every guard keeps inputs and
//! new values in a box, and the first edge of a procedure does so with the values that its
//! variables have by then; so nothing outside of the box gets anywhere, and the search is exact.

pub use crate::explored::{ExploredProgram, explore_program};
pub use crate::tabulated::tabulate_program;

use crate::random::Random;
use crate::sparse::{BOX, bits_of};
use crate::words::NO_INTEGERS;
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, IntOp, Scalar, Sort, Term, TermId, UnaryOp};
use pedra_program::{
    Action, Call, Check, CheckKind, Edge, Input, InputKind, PlaceId, PlaceRef, Procedure,
    ProcedureId, Program, Property, PropertyKind, Span, Step, VariableId,
};

/// How large random programs are.
#[derive(Copy, Clone, Debug)]
pub struct ProgramShape {
    /// Procedures at most.
    pub procedures: usize,
    /// Places of a procedure besides entry, exit and error places, at most.
    pub places: usize,
    /// Bits of all variables in a procedure, at most.
    pub bits: u32,
    /// Whether procedures may call themselves.
    pub recursion: bool,
    /// Whether some variables are arrays.
    pub arrays: bool,
    /// Whether variables are integers and single bits, without arrays; an integer counts as two
    /// bits.
    pub integers: bool,
}

impl Default for ProgramShape {
    fn default() -> ProgramShape {
        ProgramShape {
            procedures: 3,
            places: 5,
            bits: 4,
            recursion: false,
            arrays: false,
            integers: false,
        }
    }
}

/// A random well-formed program with loops, calls, inputs, checks and one to three properties.
pub fn random_program(random: &mut Random, shape: ProgramShape) -> Program {
    let mut program = Program::new();
    program.files.push("random.c".into());
    let span = Span { file: 0, line: 1, column: 1 };
    for _ in 0..random.pick(&[0, 0, 1]) {
        let sort = small_sort(random, shape);
        let global = program.add_variable(sort, Some("g"), "", false, span);
        program.globals.push(global);
    }
    let count = random.between(1, shape.procedures);
    for index in 0..count {
        let mut procedure = Procedure::new(&format!("p{index}"), span);
        let mut left = shape.bits;
        while left > 0 && (procedure.variables.is_empty() || !random.one_in(4)) {
            let sort = match shape.arrays && left >= 2 && random.one_in(3) {
                _ if shape.integers => small_sort(random, shape),
                true => Sort::bv_array(1, left.min(2) / 2),
                false => Sort::Bv(random.between(1, left.min(3) as usize) as u32),
            };
            left = left.saturating_sub(if sort == Sort::Int { 2 } else { bits_of(sort) });
            let variable = program.add_variable(sort, Some("v"), "", random.one_in(2), span);
            procedure.variables.push(variable);
        }
        if index > 0 {
            let own = procedure.variables.clone();
            procedure.parameters = own.iter().copied().filter(|_| random.one_in(2)).collect();
            procedure.results = own.iter().copied().filter(|_| random.one_in(2)).collect();
        }
        for _ in 0..random.between(1, shape.places) {
            procedure.add_place(span);
        }
        program.procedures.push(procedure);
    }
    for property in 0..random.between(1, 3) {
        let procedure = ProcedureId::new(random.below(count));
        let place = program.procedures[procedure.index()].add_place(span);
        let error = PlaceRef { procedure, place };
        let text = format!("property {property}").into();
        program.properties.push(Property {
            error,
            kind: PropertyKind::Assertion,
            text,
            span,
            calls: None,
        });
    }
    for index in 0..count {
        add_edges(random, &mut program, ProcedureId::new(index), shape);
    }
    program.check().expect("random programs are well formed");
    program
}

/// The sort of a global variable or an input.
fn small_sort(random: &mut Random, shape: ProgramShape) -> Sort {
    match shape.integers {
        true => random.pick(&[Sort::Int, Sort::Int, Sort::BOOL]),
        false => Sort::Bv(random.between(1, 2) as u32),
    }
}

fn add_edges(random: &mut Random, program: &mut Program, id: ProcedureId, shape: ProgramShape) {
    let procedure = &program.procedures[id.index()];
    let errors: Vec<PlaceId> = program
        .properties
        .iter()
        .map(|p| p.error)
        .filter(|e| e.procedure == id)
        .map(|e| e.place)
        .collect();
    let all: Vec<PlaceId> = (0..procedure.places.len()).map(PlaceId::new).collect();
    let (entry, exit) = (procedure.entry, procedure.exit);
    let inner: Vec<PlaceId> =
        all.iter().copied().filter(|p| *p != entry && *p != exit && !errors.contains(p)).collect();
    let mut targets = inner.clone();
    targets.push(exit);
    // The entry initialises most variables.
    let (first, last) = (inner[0], targets.len() - 1);
    let mut step = Step::default();
    let scope: Vec<VariableId> = scope_of(program, id);
    for &variable in &scope {
        if !random.one_in(4) && !program.procedures[id.index()].parameters.contains(&variable) {
            let value = constant(random, program, variable);
            step.updates.push((variable, value));
        } else {
            let term = program.term_of(variable);
            keep_in_box(program, &mut step, term);
        }
    }
    push(program, id, entry, first, step);
    for &from in &inner {
        let to = random.pick(&targets);
        let other = targets[random.between(0, last)];
        match random.below(5) {
            // A branch: two edges whose guards exclude each other.
            0 | 1 => {
                let mut then = random_step(random, program, id, shape);
                let guard = random_condition(random, program, &scope, &[]);
                let inverse = program.terms.not(guard);
                then.guard = Some(guard);
                let mut otherwise = random_step(random, program, id, shape);
                otherwise.guard = Some(inverse);
                push(program, id, from, to, then);
                push(program, id, from, other, otherwise);
            }
            2 if add_call(random, program, id, from, to, shape) => {}
            _ => {
                let step = random_step(random, program, id, shape);
                push(program, id, from, to, step);
                if random.one_in(2) {
                    let step = random_step(random, program, id, shape);
                    push(program, id, from, other, step);
                }
            }
        }
    }
    for error in errors {
        let mut step = random_step(random, program, id, shape);
        let guards = [0; 2].map(|_| random_condition(random, program, &scope, &[]));
        step.guard = Some(program.terms.binary(BinaryOp::And, guards[0], guards[1]));
        push(program, id, random.pick(&inner), error, step);
    }
}

fn scope_of(program: &Program, id: ProcedureId) -> Vec<VariableId> {
    program.procedure(id).variables.iter().chain(&program.globals).copied().collect()
}

/// Adds an edge, which keeps its inputs and the new values of variables in the box.
fn push(program: &mut Program, id: ProcedureId, from: PlaceId, to: PlaceId, mut step: Step) {
    let inputs = step.inputs.iter().map(|input| input.term);
    let values: Vec<TermId> = inputs.chain(step.updates.iter().map(|(_, value)| *value)).collect();
    for value in values {
        keep_in_box(program, &mut step, value);
    }
    let edges = &mut program.procedures[id.index()];
    let (span, text) = (Span { file: 0, line: edges.edges.len() as u32 + 1, column: 1 }, "".into());
    edges.add_edge(Edge { from, to, action: Action::Step(step), span, text });
}

/// Lets the step be taken only with a value in the box, if it is an integer.
fn keep_in_box(program: &mut Program, step: &mut Step, value: TermId) {
    let terms = &mut program.terms;
    if terms.sort(value) != Sort::Int {
        return;
    }
    for (op, bound) in [(IntOp::Ge, -BOX), (IntOp::Le, BOX)] {
        let bound = terms.integer(bound);
        let inside = terms.add(Term::Int(op, value, bound)).expect("well-sorted");
        step.guard = Some(match step.guard {
            Some(guard) => terms.and(guard, inside),
            None => inside,
        });
    }
}

fn add_call(
    random: &mut Random,
    program: &mut Program,
    id: ProcedureId,
    from: PlaceId,
    to: PlaceId,
    shape: ProgramShape,
) -> bool {
    let first = if shape.recursion { 1 } else { id.index() + 1 };
    if first >= program.procedures.len() {
        return false;
    }
    let callee = ProcedureId::new(random.between(first, program.procedures.len() - 1));
    let scope = scope_of(program, id);
    let (parameters, wanted) = {
        let callee = program.procedure(callee);
        (callee.parameters.clone(), callee.results.clone())
    };
    let mut results = Vec::new();
    for result in wanted {
        let sort = program.terms.sort(program.term_of(result));
        let fits = |v: &&VariableId| {
            program.terms.sort(program.term_of(**v)) == sort && !results.contains(*v)
        };
        let Some(&variable) = scope.iter().find(fits) else { return false };
        results.push(variable);
    }
    let mut arguments = Vec::new();
    for parameter in parameters {
        let sort = program.terms.sort(program.term_of(parameter));
        arguments.push(random_term(random, program, &scope, &[], sort, 2));
    }
    let action = Action::Call(Call { callee, arguments, results });
    let (span, text) = (Span { file: 0, line: 99, column: 1 }, "call".into());
    program.procedures[id.index()].add_edge(Edge { from, to, action, span, text });
    true
}

fn constant(random: &mut Random, program: &mut Program, variable: VariableId) -> TermId {
    match program.terms.sort(program.term_of(variable)) {
        Sort::Bv(width) => program.terms.constant(Bv::from_u64(width, random.word())),
        Sort::Int => integer(random, program),
        Sort::Array { index, element: Scalar::Bv(element) } => {
            let value = program.terms.constant(Bv::from_u64(element, random.word()));
            program.terms.add(Term::ConstArray { index, value }).expect("well-sorted")
        }
        _ => unreachable!("{NO_INTEGERS}"),
    }
}

/// A constant in the box.
fn integer(random: &mut Random, program: &mut Program) -> TermId {
    let value = random.between(0, 2 * BOX as usize) as i64 - BOX;
    program.terms.integer(value)
}

fn random_step(
    random: &mut Random,
    program: &mut Program,
    id: ProcedureId,
    shape: ProgramShape,
) -> Step {
    let scope = scope_of(program, id);
    let mut step = Step::default();
    if random.one_in(3) {
        let sort = small_sort(random, shape);
        let term = program.terms.new_symbol(sort);
        step.inputs.push(Input { term, kind: InputKind::Choice });
    }
    let inputs: Vec<TermId> = step.inputs.iter().map(|input| input.term).collect();
    for &variable in &scope {
        if random.one_in(2) {
            let sort = program.terms.sort(program.term_of(variable));
            let value = random_term(random, program, &scope, &inputs, sort, 2);
            step.updates.push((variable, value));
        }
    }
    if random.one_in(3) {
        step.guard = Some(random_condition(random, program, &scope, &inputs));
    }
    if random.one_in(4) {
        let holds = random_condition(random, program, &scope, &inputs);
        let (kind, text, span) = (CheckKind::Overflow, "check".into(), Span::default());
        step.checks.push(Check { holds, kind, text, span });
    }
    step
}

fn random_condition(
    random: &mut Random,
    program: &mut Program,
    scope: &[VariableId],
    inputs: &[TermId],
) -> TermId {
    let variable = random.pick(scope);
    let sort = program.terms.sort(program.term_of(variable));
    let [a, b] = [0; 2].map(|_| random_term(random, program, scope, inputs, sort, 1));
    let op = match sort {
        Sort::Int if !random.one_in(3) => {
            let op = random.pick(&[IntOp::Le, IntOp::Lt, IntOp::Ge, IntOp::Gt]);
            return program.terms.add(Term::Int(op, a, b)).expect("well-sorted");
        }
        Sort::Int => random.pick(&[BinaryOp::Eq, BinaryOp::Neq]),
        Sort::Bv(_) => random.pick(&[BinaryOp::Eq, BinaryOp::Neq, BinaryOp::Ult, BinaryOp::Slte]),
        _ => BinaryOp::Eq,
    };
    program.terms.binary(op, a, b)
}

/// A term of a sort over the variables in scope and the inputs.
fn random_term(
    random: &mut Random,
    program: &mut Program,
    scope: &[VariableId],
    inputs: &[TermId],
    sort: Sort,
    depth: usize,
) -> TermId {
    let leaves = scope.iter().map(|&v| program.term_of(v)).chain(inputs.iter().copied());
    let leaves: Vec<TermId> = leaves.filter(|&t| program.terms.sort(t) == sort).collect();
    if sort == Sort::Int {
        return random_integer(random, program, scope, inputs, &leaves, depth);
    }
    let Sort::Bv(width) = sort else {
        let Sort::Array { index, element: Scalar::Bv(width) } = sort else {
            unreachable!("{NO_INTEGERS}")
        };
        let leaf = match leaves.is_empty() {
            true => {
                let value = program.terms.constant(Bv::from_u64(width, random.word()));
                program.terms.add(Term::ConstArray { index, value }).expect("well-sorted")
            }
            false => random.pick(&leaves),
        };
        if random.one_in(3) {
            return leaf;
        }
        let at = random_term(random, program, scope, inputs, index.into(), 0);
        let value = random_term(random, program, scope, inputs, Sort::Bv(width), 0);
        return program.terms.write(leaf, at, value);
    };
    if depth == 0 || random.one_in(4) {
        if leaves.is_empty() || random.one_in(3) {
            return program.terms.constant(Bv::from_u64(width, random.word()));
        }
        return random.pick(&leaves);
    }
    let inner = |random: &mut Random, program: &mut Program, sort| {
        random_term(random, program, scope, inputs, sort, depth - 1)
    };
    match random.below(8) {
        0 => {
            let a = inner(random, program, sort);
            let op = random.pick(&[UnaryOp::Inc, UnaryOp::Dec, UnaryOp::Not]);
            program.terms.unary(op, a)
        }
        1 => {
            let condition = inner(random, program, Sort::BOOL);
            let (t, e) = (inner(random, program, sort), inner(random, program, sort));
            program.terms.ite(condition, t, e)
        }
        2 if width == 1 => random_condition(random, program, scope, inputs),
        3 => {
            let element = Sort::Bv(width);
            let mut arrays = scope.iter().map(|&v| program.term_of(v));
            let array = arrays.find_map(|t| match program.terms.sort(t) {
                Sort::Array { index, element: e } if element == e.into() => Some((t, index)),
                _ => None,
            });
            let Some((array, index)) = array else { return inner(random, program, sort) };
            let at = inner(random, program, index.into());
            program.terms.read(array, at)
        }
        _ => {
            let (a, b) = (inner(random, program, sort), inner(random, program, sort));
            use BinaryOp::*;
            let op = random.pick(&[Add, Sub, And, Or, Xor, Mul, Udiv, Srl]);
            program.terms.binary(op, a, b)
        }
    }
}

/// A linear term over the variables in scope and the inputs.
fn random_integer(
    random: &mut Random,
    program: &mut Program,
    scope: &[VariableId],
    inputs: &[TermId],
    leaves: &[TermId],
    depth: usize,
) -> TermId {
    if depth == 0 || random.one_in(4) {
        return match leaves.is_empty() || random.one_in(3) {
            true => integer(random, program),
            false => random.pick(leaves),
        };
    }
    let inner = |random: &mut Random, program: &mut Program, sort| {
        random_term(random, program, scope, inputs, sort, depth - 1)
    };
    let a = inner(random, program, Sort::Int);
    let term = match random.below(8) {
        0 => {
            let (condition, b) =
                (inner(random, program, Sort::BOOL), inner(random, program, Sort::Int));
            Term::Ite(condition, a, b)
        }
        1 => Term::IntNeg(a),
        // By a constant, which may be zero.
        2 | 3 => {
            let op = random.pick(&[IntOp::Mul, IntOp::Div, IntOp::Mod]);
            Term::Int(op, a, integer(random, program))
        }
        _ => {
            let op = random.pick(&[IntOp::Add, IntOp::Sub]);
            Term::Int(op, a, inner(random, program, Sort::Int))
        }
    };
    program.terms.add(term).expect("well-sorted")
}
