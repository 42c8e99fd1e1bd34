//! Checks of undefined behaviour: as assumptions, where a violation must be defined, or as
//! properties of their own.

use crate::graph::{
    Action, CheckKind, Edge, EdgeId, PlaceRef, ProcedureId, Program, Property, PropertyKind, Step,
};

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

/// Makes a property of each check of these kinds: an edge to a new error place, taken where the
/// step can be taken and the check does not hold. Places and edges keep their numbers, new ones
/// follow. An edge of its own needs inputs of its own, so the check's are copied.
pub fn checks_as_properties(program: &Program, kinds: &[CheckKind]) -> Program {
    let mut program = program.clone();
    for index in 0..program.procedures.len() {
        for edge in 0..program.procedures[index].edges.len() {
            let id = ProcedureId::new(index);
            let edge = program.procedures[index].edge(EdgeId::new(edge)).clone();
            let Action::Step(step) = &edge.action else { continue };
            for at in (0..step.checks.len()).filter(|&at| kinds.contains(&step.checks[at].kind)) {
                add_property(&mut program, id, &edge, step, at);
            }
        }
    }
    debug_assert_eq!(program.check(), Ok(()));
    program
}

fn add_property(program: &mut Program, id: ProcedureId, edge: &Edge, step: &Step, at: usize) {
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
    let procedure = &mut program.procedures[id.index()];
    let place = procedure.add_place(check.span);
    let action = Action::Step(step);
    procedure.add_edge(Edge { to: place, action, span: check.span, ..edge.clone() });
    program.properties.push(Property {
        error: PlaceRef { procedure: id, place },
        kind: PropertyKind::Undefined(check.kind),
        text: check.text.clone(),
        span: check.span,
    });
}
