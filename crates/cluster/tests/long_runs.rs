//! Runs of programs whose replay would take too much.

use pedra_check::{Graphs, ProgramAnswer};
use pedra_cluster::program_evidence::{decode, encode};
use pedra_model::program::{EdgeId, EdgeRef, ProcedureId};
use pedra_model::value::Value;
use pedra_program::interpreter::{Run, initial_variables, run};
use pedra_program::{ProgramTrace, TraceStep};
use pedra_testkit::random::Random;

/// A run that takes a large step very often is refused before it is replayed.
#[test]
fn a_run_that_takes_too_long_is_refused() {
    let conditions: Vec<String> = (0..10_000).map(|n| format!("x != {n}bv64")).collect();
    let conditions = conditions.join(" && ");
    let text = format!("procedure main() {{ var x: bv64; assert {conditions}; }}");
    let program = pedra_boogie::read(text.as_bytes(), "large.bpl").expect("a program");
    let graphs = Graphs::new(&program);
    let edges = program.procedures[0].edges.len();
    let decoded = |edge: usize, length: usize| {
        let edge = EdgeRef { procedure: ProcedureId::new(0), edge: EdgeId::new(edge) };
        let steps = vec![TraceStep { edge, values: Vec::new() }; length];
        let first = initial_variables(&program).map(|variable| program.term_of(variable));
        let initial = first.map(|term| Value::zero(program.terms.sort(term))).collect();
        let trace = ProgramTrace { property: 0, initial, steps };
        decode(&graphs, &encode(&ProgramAnswer::Violated(trace)).expect("it can be sent"))
    };
    let is_long = |edge: usize| match decoded(edge, 1_000_000) {
        Ok(_) => false,
        Err(error) => error.to_string().contains("too long"),
    };
    assert!((0..edges).any(is_long));
    assert!((0..edges).any(|edge| decoded(edge, 1_000).is_ok()));
}

/// A run that squares a number again and again is refused before it has taken all memory.
#[test]
fn a_run_with_huge_numbers_is_refused() {
    let text = "procedure main() { var x: int; x := 2; while (true) { x := x * x; }
                assert false; }";
    let program = pedra_boogie::read(text.as_bytes(), "square.bpl").expect("a program");
    let graphs = Graphs::new(&program);
    let Run { initial, steps, .. } = run(&program, &mut Random::new(0), 16, |_| {});
    let count = steps.len();
    // One turn of the loop.
    let is_turn = |n: &usize| steps[count - n..] == steps[count - 2 * n..count - n];
    let turn = &steps[count - (1..=count / 2).find(is_turn).expect("it goes round")..];
    let decoded = |turns: usize| {
        let more = turn.iter().cycle().take(turns * turn.len());
        let steps = steps.iter().chain(more).cloned().collect();
        let trace = ProgramTrace { property: 0, initial: initial.clone(), steps };
        decode(&graphs, &encode(&ProgramAnswer::Violated(trace)).expect("it can be sent"))
    };
    assert!(decoded(0).is_ok());
    let error = decoded(100).expect_err("it is refused").to_string();
    assert!(error.contains("too large"), "{error}");
}
