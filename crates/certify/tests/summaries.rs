//! Proofs with summaries: what is right is accepted, and each way to be wrong is refused.

use pedra_certify::{
    CheckOptions, ProgramClaim, ProgramProofError, check_program_proof, program_obligations,
};
use pedra_model::blast::BlastOptions;
use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, Sort, TermId, Terms};
use pedra_program::inline::{Inlined, inline_with_summaries};
use pedra_program::{
    Action, Call, Edge, PlaceId, PlaceRef, Procedure, ProcedureId, Program, ProgramProof, Property,
    PropertyKind, Span, Step, VariableId,
};
use std::collections::BTreeMap;

/// `f(n) { if (*) r := n; else { r := f(n); } return r; }  main: x := f(y); assert(x == y)`, with a
/// global that `f` leaves alone.
fn identity() -> Program {
    let (mut program, span) = (Program::new(), Span::default());
    let mut word = |name: &str| program.add_variable(Sort::Bv(4), Some(name), "", false, span);
    let [global, x, y, n, r] = ["g", "x", "y", "n", "r"].map(&mut word);
    program.globals.push(global);
    let [x_value, y_value, n_value] = [x, y, n].map(|v| program.term_of(v));
    let differ = program.terms.binary(BinaryOp::Neq, x_value, y_value);
    let edge = |from, to, action| Edge { from, to, action, span, text: "".into() };
    let call = |argument, result| {
        let callee = ProcedureId::new(1);
        Action::Call(Call { callee, arguments: vec![argument], results: vec![result] })
    };
    let mut main = Procedure::new("main", span);
    main.variables.extend([x, y]);
    let (after, error) = (main.add_place(span), main.add_place(span));
    main.add_edge(edge(main.entry, after, call(y_value, x)));
    let wrong = Step { guard: Some(differ), ..Step::default() };
    main.add_edge(edge(after, error, Action::Step(wrong)));
    let mut f = Procedure::new("f", span);
    f.variables.extend([n, r]);
    (f.parameters, f.results) = (vec![n], vec![r]);
    let copy = Step { updates: vec![(r, n_value)], ..Step::default() };
    f.add_edge(edge(f.entry, f.exit, Action::Step(copy)));
    f.add_edge(edge(f.entry, f.exit, call(n_value, r)));
    program.procedures.extend([main, f]);
    let error = PlaceRef { procedure: ProcedureId::new(0), place: error };
    let kind = PropertyKind::Assertion;
    program.properties.push(Property { error, kind, text: "x == y".into(), span, calls: None });
    assert_eq!(program.check(), Ok(()));
    program
}

/// The program with parts, its exit, and the variables of the summary.
struct Parts {
    inlined: Inlined,
    exit: PlaceId,
    before: Vec<VariableId>,
    result: VariableId,
}

fn parts() -> Parts {
    let inlined = inline_with_summaries(&identity(), 100).expect("it is small");
    let [summary] = &inlined.program.summaries[..] else { panic!("one procedure is recursive") };
    let (exit, before) = (summary.exit, summary.before.iter().map(|(_, kept)| *kept).collect());
    let [result] = summary.after[..] else { panic!("the global is never changed") };
    Parts { inlined, exit, before, result }
}

fn check(
    parts: &Parts,
    invariants: BTreeMap<PlaceId, Vec<TermId>>,
    terms: Terms,
    k: usize,
) -> Result<(), ProgramProofError> {
    let proof = ProgramProof { properties: vec![0], terms, invariants, k, positions: vec![] };
    let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
    check_program_proof(&parts.inlined.program, &proof, &blasting, &options).map(|_| ())
}

/// A summary, as a relation of the values before and the result.
type Relation = fn(&mut Terms, n: TermId, g: TermId, r: TermId) -> TermId;

fn check_summary(relation: Relation, k: usize) -> Result<(), ProgramProofError> {
    let parts = parts();
    let program = &parts.inlined.program;
    let mut terms = program.terms.clone();
    let [n, g] = [0, 1].map(|index| program.term_of(parts.before[index]));
    let summary = relation(&mut terms, n, g, program.term_of(parts.result));
    check(&parts, BTreeMap::from_iter([(parts.exit, vec![summary])]), terms, k)
}

#[test]
fn a_summary_that_is_inductive_and_strong_enough_is_accepted() {
    let same: Relation = |terms, n, _, r| terms.binary(BinaryOp::Eq, n, r);
    assert_eq!(check_summary(same, 1), Ok(()));
}

#[test]
fn the_queries_of_a_summary_have_its_premise() {
    let parts = parts();
    let program = &parts.inlined.program;
    let mut terms = program.terms.clone();
    let (n, r) = (program.term_of(parts.before[0]), program.term_of(parts.result));
    let summary = terms.binary(BinaryOp::Eq, n, r);
    let invariants = BTreeMap::from_iter([(parts.exit, vec![summary])]);
    let proof = ProgramProof { properties: vec![0], terms, invariants, k: 1, positions: vec![] };
    let script = program_obligations(program, &proof).expect("it is well formed");
    // From the entry, in `main` and in the part, and from the exit.
    assert_eq!(script.matches("(check-sat)").count(), 2, "{script}");
}

#[test]
fn what_is_no_summary_is_refused() {
    let refuted = |found: Result<(), ProgramProofError>| {
        matches!(found, Err(ProgramProofError::Refuted { claim: ProgramClaim::Consecution(_), .. }))
    };
    // Not strong enough: any result.
    assert!(refuted(check_summary(|terms, _, _, _| terms.bool(true), 1)));
    // Strong enough, but no procedure returns so.
    assert!(refuted(check_summary(|terms, _, _, _| terms.bool(false), 1)));
    // Implied by calls from `main` alone, but not inductive: the part begins with any values.
    assert!(refuted(check_summary(
        |terms, n, g, r| {
            let same = terms.binary(BinaryOp::Eq, n, r);
            let zero = terms.constant(Bv::zero(4));
            let global = terms.binary(BinaryOp::Eq, g, zero);
            terms.and(same, global)
        },
        1
    )));
}

#[test]
fn what_has_the_wrong_form_is_refused() {
    let malformed = |found: Result<(), ProgramProofError>| {
        matches!(found, Err(ProgramProofError::Malformed(_)))
    };
    let same: Relation = |terms, n, _, r| terms.binary(BinaryOp::Eq, n, r);
    assert!(malformed(check_summary(same, 2)));
    // `n == r` of the part's own parameter: a call would know nothing of it.
    let parts = parts();
    let program = &parts.inlined.program;
    let parameter = program.summaries[0].before[0].0;
    let mut terms = program.terms.clone();
    let (n, r) = (program.term_of(parameter), program.term_of(parts.result));
    let summary = terms.binary(BinaryOp::Eq, n, r);
    let invariants = BTreeMap::from_iter([(parts.exit, vec![summary])]);
    assert!(malformed(check(&parts, invariants, terms, 1)));
}
