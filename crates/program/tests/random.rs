//! Random programs through interpreter, inlining and all that follows, against the explicit-state
//! oracle. `PEDRA_FUZZ_RUNS` sets how many.

use pedra_model::random::Random as Choices;
use pedra_program::inline::{Bound, Deeper, InlineError, inline, inline_bounded};
use pedra_program::interpreter::{TraceError, replay, run};
use pedra_program::passes::constants::propagate_constants;
use pedra_program::passes::undefined::{assume_checks, checks_as_properties};
use pedra_program::recursion::Components;
use pedra_program::{CheckKind, LowerOptions, Program, ProgramTrace, lower};
use pedra_testkit::programs::{ExploredProgram, ProgramShape, explore_program, random_program};
use pedra_testkit::random::{Random, runs};
use pedra_testkit::sparse::explore_sparse;

/// Random programs that the oracle can search, with what it found.
fn explored(
    seed: u64,
    count: u64,
    shape: ProgramShape,
) -> impl Iterator<Item = (Program, ExploredProgram)> {
    let mut random = Random::new(seed);
    let programs = (0..count).map(move |_| random_program(&mut random, shape));
    programs.filter_map(|program| {
        let found = explore_program(&program, 1_000)?;
        Some((program, found))
    })
}

fn verdicts(traces: &[Option<ProgramTrace>]) -> Vec<bool> {
    traces.iter().map(Option::is_some).collect()
}

#[test]
fn violations_replay_and_damaged_ones_do_not() {
    let shape = ProgramShape { recursion: true, arrays: true, ..ProgramShape::default() };
    let (mut defined, mut undefined, mut safe) = (0, 0, 0);
    for (program, found) in explored(1, runs(200), shape) {
        for trace in found.violated.iter().flatten() {
            replay(&program, trace).expect("the oracle's traces are right");
            let last = trace.steps.len() - 1;
            let mut short = trace.clone();
            short.steps.truncate(last);
            let error = replay(&program, &short).expect_err("it ends too early");
            assert!(matches!(error, TraceError::NotReached(_)), "{error}");
            let mut other = trace.clone();
            other.steps.insert(last, trace.steps[last].clone());
            let error = replay(&program, &other).expect_err("no edge leads from an error place");
            assert!(matches!(error, TraceError::Step { .. }), "{error}");
            undefined += 1;
        }
        for trace in found.violated_defined.iter().flatten() {
            let replayed = replay(&program, trace).expect("the oracle's traces are right");
            assert_eq!(replayed.undefined, None);
            defined += 1;
        }
        safe += found.violated.iter().filter(|v| v.is_none()).count();
    }
    assert!(defined > 20 && undefined > defined && safe > 20, "{defined} {undefined} {safe}");
}

#[test]
fn free_runs_are_runs() {
    let mut reached = 0;
    for (program, found) in explored(2, runs(100), ProgramShape::default()) {
        for seed in 0..10 {
            let made = run(&program, &mut Choices::new(seed), 50, |machine| {
                let values = &found.reached[&machine.place()];
                assert!(values.iter().any(|v| v == machine.values()));
            });
            let error = program.properties.iter().position(|p| p.error == made.end);
            if let Some(property) = error {
                let trace = ProgramTrace { property, initial: made.initial, steps: made.steps };
                let replayed = replay(&program, &trace).expect("it is a run");
                assert_eq!(replayed.undefined, made.undefined);
                reached += 1;
            }
        }
    }
    assert!(reached > 10, "{reached}");
}

#[test]
fn inlining_keeps_verdicts_and_traces() {
    let (mut calls, mut violated) = (0, 0);
    for (program, found) in explored(3, runs(300), ProgramShape::default()) {
        let inlined = inline(&program, 10_000).expect("no recursion");
        assert_eq!(inlined.program.check(), Ok(()));
        assert_eq!(inlined.program.procedures.len(), 1);
        calls += inlined.instances.len() - 1;
        let Some(inner) = explore_program(&inlined.program, 20_000) else { continue };
        assert_eq!(verdicts(&found.violated), verdicts(&inner.violated));
        assert_eq!(verdicts(&found.violated_defined), verdicts(&inner.violated_defined));
        for trace in inner.violated.iter().chain(&inner.violated_defined).flatten() {
            let inside = replay(&inlined.program, trace).expect("the oracle's traces are right");
            let outside = replay(&program, &inlined.trace(trace)).expect("a run of the original");
            assert_eq!(inside.undefined.is_some(), outside.undefined.is_some());
            violated += 1;
        }
    }
    assert!(calls > 50 && violated > 50, "{calls} {violated}");
}

#[test]
fn recursion_and_size_are_named() {
    let shape = ProgramShape { recursion: true, ..ProgramShape::default() };
    let mut random = Random::new(4);
    let (mut recursive, mut large) = (0, 0);
    for _ in 0..100 {
        let program = random_program(&mut random, shape);
        match inline(&program, 15) {
            Err(InlineError::Recursion { procedures, names }) => {
                assert_eq!(procedures.len(), names.len());
                recursive += 1;
            }
            Err(InlineError::TooLarge { limit: 15 }) => large += 1,
            Err(error) => panic!("{error}"),
            Ok(inlined) => assert!(inlined.edges.len() <= 15),
        }
    }
    assert!(recursive > 5 && large > 2, "{recursive} {large}");
}

/// Runs that end at the bound give violations of the original; where errors follow the bound, what
/// is not violated is not violated in the original, and other violations come to the bound.
#[test]
fn bounded_recursion_has_fewer_runs_or_more() {
    let shape = ProgramShape { recursion: true, ..ProgramShape::default() };
    let (mut violated, mut proved) = (0, 0);
    for (program, found) in explored(7, runs(500), shape) {
        if Components::new(&program).recursive().is_empty() {
            continue;
        }
        for depth in [1, 2] {
            let bounded = |deeper| {
                let inlined = inline_bounded(&program, 40, Bound { depth, deeper }).ok()?;
                let inner = explore_program(&inlined.program, 1_000)?;
                Some((inlined, inner.violated))
            };
            if let Some((inlined, inner)) = bounded(Deeper::Ends) {
                for trace in inner.iter().flatten() {
                    replay(&program, &inlined.trace(trace)).expect("a run of the original");
                    violated += 1;
                }
            }
            if let Some((inlined, inner)) = bounded(Deeper::Fails) {
                for (property, trace) in inner.iter().enumerate() {
                    match trace.as_ref().map(|trace| replay(&program, &inlined.trace(trace))) {
                        None => {
                            assert!(found.violated[property].is_none());
                            proved += 1;
                        }
                        Some(Ok(_)) => assert!(found.violated[property].is_some()),
                        // It came to the bound.
                        Some(Err(_)) => {}
                    }
                }
            }
        }
    }
    assert!(violated > 3 && proved > 10, "{violated} {proved}");
}

#[test]
fn passes_keep_verdicts_and_traces() {
    let (mut changed, mut undefined) = (0, 0);
    let shape = ProgramShape { procedures: 1, arrays: true, ..ProgramShape::default() };
    for (program, found) in explored(5, runs(300), shape) {
        let constants = propagate_constants(&program);
        changed += usize::from(constants.program.procedures != program.procedures);
        let after = explore_program(&constants.program, 20_000).expect("not more states");
        assert_eq!(verdicts(&found.violated), verdicts(&after.violated));
        for trace in after.violated.iter().flatten() {
            replay(&program, trace).expect("the same edges");
        }
        let defined = assume_checks(&program);
        let after = explore_program(&defined, 20_000).expect("not more states");
        assert_eq!(verdicts(&found.violated_defined), verdicts(&after.violated));
        let checked = checks_as_properties(&program, &[CheckKind::Overflow]);
        let after = explore_program(&checked, 20_000).expect("not more states");
        let old = found.violated.len();
        assert_eq!(verdicts(&found.violated), verdicts(&after.violated[..old]));
        undefined += after.violated[old..].iter().flatten().count();
    }
    assert!(changed > 50 && undefined > 10, "{changed} {undefined}");
}

/// Through inlining, constants, blocks and flattening: the same verdicts, and traces that replay.
#[test]
fn flattened_programs_have_the_same_verdicts() {
    let (mut violated, mut safe, mut calls) = (0, 0, 0);
    let mut options = LowerOptions::default();
    let shape = ProgramShape { arrays: true, ..ProgramShape::default() };
    for (program, found) in explored(6, runs(500), shape) {
        let ways =
            [(true, true, false), (false, true, false), (true, false, false), (true, true, true)];
        for (constants, elements, only_defined) in ways {
            (options.constants, options.elements) = (constants, elements);
            options.only_defined = only_defined;
            options.blocks.max_sources = 1 - options.blocks.max_sources.min(1);
            let lowered = lower(&program, &options).expect("small and not recursive");
            let Some(flat) = explore_sparse(&lowered.flat.system, 2_000) else { continue };
            let flat = flat.violated;
            let expected = if only_defined { &found.violated_defined } else { &found.violated };
            let answers: Vec<bool> = flat.iter().map(Option::is_some).collect();
            assert_eq!(verdicts(expected), answers);
            for trace in flat.iter().flatten() {
                let trace = lowered.trace(trace).expect("a path of the program");
                let replayed = replay(&program, &trace).expect("a run of the program");
                assert!(!only_defined || replayed.undefined.is_none());
                violated += 1;
            }
            safe += answers.iter().filter(|violated| !**violated).count();
            calls += lowered.inlined.instances.len() - 1;
        }
    }
    assert!(violated > 100 && safe > 100 && calls > 50, "{violated} {safe} {calls}");
}
