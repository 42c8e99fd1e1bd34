//! Bounded model checking and k-induction on blocks: random programs against the explicit-state
//! oracle, with every answer checked, and programs over integers.

use pedra_certify::{CheckOptions, check_program_proof, replay_program};
use pedra_engines::{Context, Engine, Outcome, Paths, Reason};
use pedra_model::blast::BlastOptions;
use pedra_model::proof::Proof;
use pedra_model::term::{BinaryOp, IntOp, Sort, TermId};
use pedra_model::trace::Trace;
use pedra_program::{
    Action, Edge, Input, InputKind, LowerOptions, Lowered, PlaceRef, Procedure, ProcedureId,
    Program, Property, PropertyKind, Span, Step, lower,
};
use pedra_testkit::programs::{ProgramShape, explore_program, random_program};
use pedra_testkit::random::{Random, runs};
use std::sync::Arc;

/// The outcomes for all properties, each checked on the program.
fn run(program: &Program, proves: bool, depth: usize) -> (Vec<Outcome>, Reason) {
    let lowered: Arc<Lowered> =
        Arc::new(lower(program, &LowerOptions::default()).expect("no recursion"));
    let all: Vec<usize> = (0..program.properties.len()).collect();
    let (blasting, options) = (BlastOptions::default(), CheckOptions::default());
    let mut engine = match proves {
        true => Paths::kind(lowered.clone(), &all, &blasting),
        false => Paths::bmc(lowered.clone(), &all, &blasting),
    };
    let context = Context { max_depth: Some(depth), ..Context::default() };
    let end = engine.run(&context);
    let outcomes = context.ledger.outcomes(all.len());
    for (property, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Outcome::Proved(proof) => {
                let Proof::Program(proof) = &**proof else { panic!("a proof of the program") };
                assert!(proof.properties.contains(&property));
                let inlined = &lowered.inlined.program;
                check_program_proof(inlined, proof, &blasting, &options).expect("a proof");
            }
            Outcome::Violated(Trace::Program(trace)) => {
                assert_eq!(trace.property, property);
                replay_program(program, trace).expect("a run");
            }
            Outcome::Violated(_) => panic!("a run of the program"),
            Outcome::Unknown => {}
        }
    }
    (outcomes, end.reason)
}

#[test]
fn random_programs_against_the_oracle() {
    let mut random = Random::new(5);
    let (mut proved, mut violated, mut open) = (0, 0, 0);
    for round in 0..runs(150) {
        let arrays = random.one_in(3);
        let shape =
            ProgramShape { procedures: 2, places: 4, bits: 3, arrays, ..ProgramShape::default() };
        let program = random_program(&mut random, shape);
        let Some(found) = explore_program(&program, 2_000) else { continue };
        for proves in [false, true] {
            let (outcomes, _) = run(&program, proves, 20);
            for (property, outcome) in outcomes.iter().enumerate() {
                let is_violated = found.violated[property].is_some();
                match outcome {
                    Outcome::Proved(_) => assert!(proves && !is_violated, "round {round}"),
                    Outcome::Violated(_) => assert!(is_violated, "round {round}"),
                    Outcome::Unknown => assert!(!is_violated, "round {round}"),
                }
                match outcome {
                    Outcome::Proved(_) => proved += 1,
                    Outcome::Violated(_) => violated += 1,
                    Outcome::Unknown => open += 1,
                }
            }
        }
    }
    assert!(proved > 20 && violated > 50 && open > 20, "{proved} {violated} {open}");
}

/// `x := 0; y := 0; while (*) { x := x + d; y := y + d }`, with the input `d`, and the assertions
/// that `x == y`, that `x` is not `limit`, and that a product of variables is not 1.
fn together(limit: i64) -> Program {
    let (mut program, span) = (Program::new(), Span::default());
    let [x, y] = [0; 2].map(|_| program.add_variable(Sort::Int, None, "int", true, span));
    let mut body = Procedure::new("main", span);
    body.variables.extend([x, y]);
    let head = body.add_place(span);
    let (x_value, y_value) = (program.term_of(x), program.term_of(y));
    let terms = &mut program.terms;
    let d = terms.new_symbol(Sort::Int);
    let [zero, one, limit] = [0, 1, limit].map(|number| terms.integer(number));
    let [more_x, more_y] = [x_value, y_value].map(|v| terms.int_binary(IntOp::Add, v, d));
    let product = terms.int_binary(IntOp::Mul, x_value, y_value);
    let equal = terms.binary(BinaryOp::Eq, x_value, y_value);
    let bads: [TermId; 3] = [
        terms.binary(BinaryOp::Neq, x_value, y_value),
        terms.binary(BinaryOp::Eq, x_value, limit),
        terms.binary(BinaryOp::Eq, product, one),
    ];
    let mut edge = |from, to, step: Step| {
        let action = Action::Step(step);
        body.add_edge(Edge { from, to, action, span, text: "".into() });
    };
    let entry = pedra_program::PlaceId::new(0);
    edge(entry, head, Step { updates: vec![(x, zero), (y, zero)], ..Step::default() });
    let input = Input { term: d, kind: InputKind::Choice };
    let updates = vec![(x, more_x), (y, more_y)];
    // The first assertion holds where the loop goes on, so that it is inductive with k = 2.
    let guard = Some(equal);
    edge(head, head, Step { guard, updates, inputs: vec![input], ..Step::default() });
    for bad in bads {
        let place = body.add_place(span);
        let action = Action::Step(Step { guard: Some(bad), ..Step::default() });
        body.add_edge(Edge { from: head, to: place, action, span, text: "".into() });
        let error = PlaceRef { procedure: ProcedureId::new(0), place };
        let kind = PropertyKind::Assertion;
        program.properties.push(Property { error, kind, text: "".into(), span, calls: None });
    }
    program.procedures.push(body);
    program.check().expect("well formed");
    program
}

#[test]
fn integers_are_unbounded_and_what_is_not_linear_is_said() {
    let mut program = together(1 << 62);
    let (_, reason) = run(&program, true, 5);
    assert!(matches!(reason, Reason::Unsupported(text) if text.contains("products")), "{reason:?}");
    program.properties.pop();
    let (outcomes, reason) = run(&program, true, 5);
    assert_eq!(reason, Reason::SettledElsewhere);
    assert!(matches!(&outcomes[0], Outcome::Proved(_)));
    // The input is not bounded: one turn of the loop is enough.
    match &outcomes[1] {
        Outcome::Violated(Trace::Program(trace)) => assert_eq!(trace.steps.len(), 3),
        other => panic!("{other:?}"),
    }
}
