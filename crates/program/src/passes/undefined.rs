//! Checks of undefined behaviour: as assumptions, where a violation must be defined, or as
//! properties of their own.

use crate::graph::{
    Action, Check, CheckKind, Edge, EdgeId, EdgeRef, PlaceId, PlaceRef, ProcedureId, Program,
    Property, PropertyKind, Span, Step,
};
use pedra_model::simplify::Rewriter;
use pedra_model::term::{TermId, Terms};
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
    some_checks_as_properties(program, |_, check| kinds.contains(&check.kind))
}

/// The same for the checks of some edges only.
pub fn some_checks_as_properties(
    program: &Program,
    is_meant: impl Fn(EdgeRef, &Check) -> bool,
) -> Program {
    let mut program = program.clone();
    let mut places = FxHashMap::default();
    for index in 0..program.procedures.len() {
        for edge in 0..program.procedures[index].edges.len() {
            let id = ProcedureId::new(index);
            let at = EdgeRef { procedure: id, edge: EdgeId::new(edge) };
            let edge = program.edge(at).clone();
            let Action::Step(step) = &edge.action else { continue };
            let is_meant = |&check: &usize| is_meant(at, &step.checks[check]);
            for at in (0..step.checks.len()).filter(is_meant) {
                add_edge(&mut program, &mut places, (id, &edge, step), at);
            }
        }
    }
    debug_assert_eq!(program.check(), Ok(()));
    program
}

/// Gives each step with a check of the kind [`CheckKind::Limit`] an edge beside it, which is taken
/// where the check fails and leads to a limit of the program.
pub fn add_limits(program: &mut Program) {
    for index in 0..program.procedures.len() {
        let id = ProcedureId::new(index);
        let mut place = None;
        for edge in 0..program.procedures[index].edges.len() {
            let edge = program.procedures[index].edge(EdgeId::new(edge)).clone();
            let Action::Step(step) = &edge.action else { continue };
            for check in step.checks.iter().filter(|check| check.kind == CheckKind::Limit) {
                let to = *place.get_or_insert_with(|| {
                    let place = program.procedures[index].add_place(check.span);
                    program.limits.push(PlaceRef { procedure: id, place });
                    place
                });
                let mut step = failing(&mut program.terms, step, check.holds);
                let fails = program.terms.bool(false);
                step.checks.push(Check { holds: fails, ..check.clone() });
                let action = Action::Step(step);
                let edge = Edge { to, action, span: check.span, ..edge.clone() };
                program.procedures[index].add_edge(edge);
            }
        }
    }
    debug_assert_eq!(program.check(), Ok(()));
}

/// A step without effect, taken where another one can be taken and a condition of it does not
/// hold. It has inputs of its own.
fn failing(terms: &mut Terms, step: &Step, holds: TermId) -> Step {
    let fails = terms.not(holds);
    let mut guard = match step.guard {
        Some(guard) => terms.and(guard, fails),
        None => fails,
    };
    let mut inputs = step.inputs.clone();
    let mut rewriter = Rewriter::plain();
    for input in &mut inputs {
        let copy = terms.new_symbol(terms.sort(input.term));
        rewriter.replace(input.term, copy);
        input.term = copy;
    }
    guard = rewriter.rewrite(terms, guard);
    Step { inputs, guard: Some(guard), ..Step::default() }
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
    let step = failing(&mut program.terms, step, check.holds);
    let key = (id, check.kind, check.span, check.text.clone());
    let place = *places.entry(key).or_insert_with(|| {
        let place = program.procedures[id.index()].add_place(check.span);
        program.properties.push(Property {
            error: PlaceRef { procedure: id, place },
            kind: PropertyKind::Undefined(check.kind),
            text: check.text.clone(),
            span: check.span,
            calls: None,
        });
        place
    });
    let action = Action::Step(step);
    let edge = Edge { to: place, action, span: check.span, ..edge.clone() };
    program.procedures[id.index()].add_edge(edge);
}
