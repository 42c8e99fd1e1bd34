//! Checks of undefined behaviour: as assumptions, where a violation must be defined, or as
//! properties of their own.

use crate::graph::{
    Action, CheckKind, Edge, EdgeId, PlaceId, PlaceRef, ProcedureId, Program, Property,
    PropertyKind, Span, Step,
};
use rustc_hash::FxHashMap;

/// Lets only defined steps be taken: each guard also asks for the step's checks. The result has the
/// runs without undefined steps and no others, so its violations are violations of the source
/// program, but its proofs are none: they say nothing of runs behind an undefined step.
pub fn assume_checks(program: &Program) -> Program {
    let mut program = program.clone();
    for edge in program.procedures.iter_mut().flat_map(|procedure| &mut procedure.edges) {
        let Action::Step(step) = &mut edge.action else { continue };
        for check in &step.checks {
            step.guard = Some(match step.guard {
                Some(guard) => program.terms.and(guard, check.holds),
                None => check.holds,
            });
        }
    }
    debug_assert_eq!(program.check(), Ok(()));
    program
}

/// Makes a property of each operation of these kinds: an edge to a new error place, taken where a
/// step can be taken and its check does not hold. The checks of one operation on several edges (the
/// two ways of a branch) are one property. Places and edges keep their numbers, new ones follow. An
/// edge of its own needs inputs of its own, so the check's are copied.
pub fn checks_as_properties(program: &Program, kinds: &[CheckKind]) -> Program {
    let mut program = program.clone();
    let mut places = FxHashMap::default();
    for index in 0..program.procedures.len() {
        for edge in 0..program.procedures[index].edges.len() {
            let id = ProcedureId::new(index);
            let edge = program.procedures[index].edge(EdgeId::new(edge)).clone();
            let Action::Step(step) = &edge.action else { continue };
            for at in (0..step.checks.len()).filter(|&at| kinds.contains(&step.checks[at].kind)) {
                add_edge(&mut program, &mut places, (id, &edge, step), at);
            }
        }
    }
    debug_assert_eq!(program.check(), Ok(()));
    program
}

/// The error places of operations: by procedure, kind, position and text.
type Places = FxHashMap<(ProcedureId, CheckKind, Span, Box<str>), PlaceId>;

fn add_edge(
    program: &mut Program,
    places: &mut Places,
    (id, edge, step): (ProcedureId, &Edge, &Step),
    at: usize,
) {
    let check = &step.checks[at];
    let terms = &mut program.terms;
    let fails = terms.not(check.holds);
    let mut guard = match step.guard {
        Some(guard) => terms.and(guard, fails),
        None => fails,
    };
    let mut inputs = step.inputs.clone();
    let mut rewriter = pedra_model::simplify::Rewriter::plain();
    for input in &mut inputs {
        let copy = terms.new_symbol(terms.sort(input.term));
        rewriter.replace(input.term, copy);
        input.term = copy;
    }
    guard = rewriter.rewrite(terms, guard);
    let step = Step { inputs, guard: Some(guard), ..Step::default() };
    let key = (id, check.kind, check.span, check.text.clone());
    let place = *places.entry(key).or_insert_with(|| {
        let place = program.procedures[id.index()].add_place(check.span);
        program.properties.push(Property {
            error: PlaceRef { procedure: id, place },
            kind: PropertyKind::Undefined(check.kind),
            text: check.text.clone(),
            span: check.span,
        });
        place
    });
    let action = Action::Step(step);
    let edge = Edge { to: place, action, span: check.span, ..edge.clone() };
    program.procedures[id.index()].add_edge(edge);
}
