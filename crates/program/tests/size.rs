//! Blocks grow with the program, not with the number of its paths.

use pedra_model::bv::Bv;
use pedra_model::term::{BinaryOp, Sort};
use pedra_program::{
    Action, Edge, Input, InputKind, LowerOptions, PlaceId, PlaceRef, Procedure, ProcedureId,
    Program, Property, PropertyKind, Span, Step, VariableId, lower,
};

#[derive(Copy, Clone)]
enum Loops {
    None,
    /// After each branch a loop that every run passes.
    Passed,
    /// After each branch a loop beside the way.
    Beside,
}

/// `count` times: `if (input) x := x + y else y := y + 1`, with loops or not; then
/// `assert(x ≠ 7)`.
fn diamonds(count: usize, loops: Loops) -> Program {
    let mut program = Program::new();
    let span = Span::default();
    let variables: Vec<VariableId> =
        (0..2).map(|_| program.add_variable(Sort::Bv(32), None, "int", true, span)).collect();
    let mut main = Procedure::new("main", span);
    main.variables.clone_from(&variables);
    let symbols: Vec<_> = variables.iter().map(|&v| program.term_of(v)).collect();
    let one = program.terms.constant(Bv::one(32));
    let zero = program.terms.constant(Bv::zero(32));
    let sum = program.terms.binary(BinaryOp::Add, symbols[0], symbols[1]);
    let more = program.terms.binary(BinaryOp::Add, symbols[1], one);
    let edge = |main: &mut Procedure, from: PlaceId, to: PlaceId, step: Step| {
        main.add_edge(Edge { from, to, action: Action::Step(step), span, text: "".into() });
    };
    let mut at = main.add_place(span);
    let updates = vec![(variables[0], zero), (variables[1], zero)];
    let entry = main.entry;
    edge(&mut main, entry, at, Step { updates, ..Step::default() });
    for _ in 0..count {
        let [middle, next] = [0; 2].map(|_| main.add_place(span));
        let term = program.terms.new_symbol(Sort::BOOL);
        let inputs = vec![Input { term, kind: InputKind::Choice }];
        let bit = program.add_variable(Sort::BOOL, None, "_Bool", false, span);
        main.variables.push(bit);
        edge(&mut main, at, middle, Step { inputs, updates: vec![(bit, term)], ..Step::default() });
        // A conjunction: its negation is no conjunction.
        let is_zero = program.terms.binary(BinaryOp::Eq, symbols[1], zero);
        let bit = program.term_of(bit);
        let guard = program.terms.binary(BinaryOp::And, bit, is_zero);
        let other = program.terms.not(guard);
        let updates = vec![(variables[0], sum)];
        let then = Step { guard: Some(guard), updates, ..Step::default() };
        edge(&mut main, middle, next, then);
        let updates = vec![(variables[1], more)];
        edge(&mut main, middle, next, Step { guard: Some(other), updates, ..Step::default() });
        let again = Step { updates: vec![(variables[0], more)], ..Step::default() };
        at = next;
        match loops {
            Loops::None => {}
            Loops::Passed => edge(&mut main, next, next, again),
            Loops::Beside => {
                let [head, after] = [0; 2].map(|_| main.add_place(span));
                edge(&mut main, next, head, Step::default());
                edge(&mut main, head, head, again);
                edge(&mut main, head, after, Step::default());
                edge(&mut main, next, after, Step::default());
                at = after;
            }
        }
    }
    let error = main.add_place(span);
    let seven = program.terms.constant(Bv::from_u64(32, 7));
    let is_seven = program.terms.binary(BinaryOp::Eq, symbols[0], seven);
    edge(&mut main, at, error, Step { guard: Some(is_seven), ..Step::default() });
    program.procedures.push(main);
    let error = PlaceRef { procedure: ProcedureId::new(0), place: error };
    let kind = PropertyKind::Assertion;
    program.properties.push(Property { error, kind, text: "x != 7".into(), span, calls: None });
    program.check().expect("well formed");
    program
}

#[test]
fn blocks_are_linear() {
    for loops in [Loops::None, Loops::Passed, Loops::Beside] {
        let size = |count: usize| {
            let lowered = lower(&diamonds(count, loops), &LowerOptions::default());
            let system = lowered.expect("small").flat.system;
            // Branches need no choice bits; edges into a loop and beside it do.
            let choices = match loops {
                Loops::None => 0,
                Loops::Passed | Loops::Beside => usize::MAX,
            };
            assert!(
                system.inputs.len() <= count.saturating_add(choices),
                "{}",
                system.inputs.len()
            );
            system.terms.len()
        };
        let (small, large) = (size(100), size(400));
        assert!(large < 5 * small, "{small} {large}");
    }
}
