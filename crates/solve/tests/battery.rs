//! One battery for all back ends: whatever implements `SatSolver` must pass it.

use pedra_model::lit::{Lit, Var};
use pedra_solve::cadical::Preset;
use pedra_solve::{
    Budget, Cadical, CadicalConfig, Interrupt, SatResult, SatSolver, SolverKind, new_solver,
};
use pedra_testkit::random::Random;
use std::time::Duration;

/// Every kind, and CaDiCaL with each preset.
fn all_solvers() -> Vec<(String, Box<dyn SatSolver>)> {
    let kinds = SolverKind::ALL.map(|kind| (kind.name().to_owned(), new_solver(kind)));
    let presets = [Preset::Sat, Preset::Unsat, Preset::Plain].map(|preset| {
        let config = CadicalConfig { preset, seed: 7, checked: false };
        (format!("cadical {preset:?}"), Box::new(Cadical::new(config)) as Box<dyn SatSolver>)
    });
    kinds.into_iter().chain(presets).collect()
}

fn on_every_solver(test: impl Fn(&str, &mut dyn SatSolver)) {
    for (name, mut solver) in all_solvers() {
        test(&name, solver.as_mut());
    }
}

fn lit(number: i32) -> Lit {
    Lit::new(Var::new(number.unsigned_abs() as usize), number < 0)
}

/// A literal of one of the variables `1..=vars`.
fn random_lit(random: &mut Random, vars: usize) -> Lit {
    Lit::new(Var::new(1 + random.below(vars)), random.coin())
}

/// The value of `lit` where bit `v` of `assignment` is the value of variable `v`.
/// Bit 0 must be 0: the constant is false.
fn value_in(lit: Lit, assignment: u32) -> bool {
    (assignment >> lit.var().index() & 1 == 1) != lit.is_negated()
}

fn satisfies(clauses: &[Vec<Lit>], assignment: u32) -> bool {
    clauses.iter().all(|clause| clause.iter().any(|&lit| value_in(lit, assignment)))
}

/// Whether some assignment of `1..=vars` satisfies the clauses and all of `assumptions`.
fn is_satisfiable(vars: usize, clauses: &[Vec<Lit>], assumptions: &[Lit]) -> bool {
    (0..1u32 << vars).any(|bits| {
        let assignment = bits << 1;
        assumptions.iter().all(|&lit| value_in(lit, assignment)) && satisfies(clauses, assignment)
    })
}

/// Asks, and compares answer, model and core with brute force over the clauses so far.
fn check(
    name: &str,
    solver: &mut dyn SatSolver,
    vars: usize,
    clauses: &[Vec<Lit>],
    assumptions: &[Lit],
) {
    let expected = is_satisfiable(vars, clauses, assumptions);
    let answer = solver.solve(assumptions);
    assert_eq!(answer.decided(), Some(expected), "{name}: {clauses:?} under {assumptions:?}");
    if expected {
        check_model(name, solver, vars, clauses, assumptions);
    } else {
        let core = solver.core(assumptions);
        assert!(
            !is_satisfiable(vars, clauses, &core),
            "{name}: {core:?} is no core of {assumptions:?} for {clauses:?}"
        );
        assert!((1..=vars).all(|v| solver.value(lit(v as i32)).is_none()), "{name}: no model");
        assert_eq!(solver.solve(&core), SatResult::Unsat, "{name}: core solved again");
    }
}

fn check_model(
    name: &str,
    solver: &dyn SatSolver,
    vars: usize,
    clauses: &[Vec<Lit>],
    assumptions: &[Lit],
) {
    // Two completions of the variables that the model does not care about.
    for default in [false, true] {
        let value = |v: usize| solver.value(lit(v as i32)).unwrap_or(default);
        let model = (1..=vars).fold(0, |bits, v| bits | (value(v) as u32) << v);
        assert!(satisfies(clauses, model), "{name}: {model:b} is no model of {clauses:?}");
        assert!(assumptions.iter().all(|&a| value_in(a, model)), "{name}: {assumptions:?}");
    }
    for v in 1..=vars {
        let positive = lit(v as i32);
        assert_eq!(solver.value(positive), solver.value(!positive).map(|value| !value));
    }
    assert!(assumptions.iter().all(|&a| !solver.is_failed(a)), "{name}: a model has no core");
    assert_eq!((solver.value(Lit::TRUE), solver.value(Lit::FALSE)), (Some(true), Some(false)));
}

#[test]
fn random_formulas_agree_with_brute_force() {
    let mut random = Random::new(1);
    let mut seen = [0; 2];
    for round in 0..60 {
        let vars = 3 + round % 12;
        // Around the threshold (4.26 clauses a variable) both answers are frequent.
        let count = vars * (3 + random.below(4));
        let clause =
            |random: &mut Random| (0..3).map(|_| random_lit(random, vars)).collect::<Vec<_>>();
        let clauses: Vec<Vec<Lit>> = (0..count).map(|_| clause(&mut random)).collect();
        seen[is_satisfiable(vars, &clauses, &[]) as usize] += 1;
        on_every_solver(|name, solver| {
            solver.reserve_vars(Var::new(vars));
            clauses.iter().for_each(|clause| solver.add_clause(clause));
            check(name, solver, vars, &clauses, &[]);
        });
    }
    assert!(seen[0] > 5 && seen[1] > 5, "both answers must occur: {seen:?}");
}

#[test]
fn incremental_sequences_agree_with_brute_force() {
    for seed in 0..12 {
        on_every_solver(|name, solver| {
            let mut random = Random::new(100 + seed);
            let mut clauses: Vec<Vec<Lit>> = Vec::new();
            let mut vars = 0;
            for _ in 0..40 {
                if vars < 8 {
                    assert_eq!(solver.num_vars(), vars + 1, "{name}");
                    assert_eq!(solver.new_var(), Var::new(vars + 1), "{name}");
                    vars += 1;
                }
                for _ in 0..random.below(3) {
                    let length = 2 + random.below(3);
                    clauses.push((0..length).map(|_| random_lit(&mut random, vars)).collect());
                    solver.add_clause(clauses.last().expect("just pushed"));
                }
                let count = random.below(4);
                let assumptions: Vec<Lit> =
                    (0..count).map(|_| random_lit(&mut random, vars)).collect();
                check(name, solver, vars, &clauses, &assumptions);
            }
            assert!(solver.stats().queries >= 40, "{name}");
        });
    }
}

/// Clauses and questions with their answers, each on a fresh solver of every kind.
#[test]
fn corner_cases() {
    const T: i32 = i32::MAX;
    const F: i32 = i32::MIN;
    let to_lit = |&number: &i32| match number {
        T => Lit::TRUE,
        F => Lit::FALSE,
        _ => lit(number),
    };
    let cases: &[(&[&[i32]], &[i32])] = &[
        (&[], &[]),
        (&[], &[1, -2]),
        // The empty clause.
        (&[&[]], &[]),
        (&[&[]], &[1]),
        (&[&[1], &[]], &[2]),
        (&[&[1], &[-1]], &[2, 3]),
        // Repeated and opposite literals.
        (&[&[1, 1], &[-1, 2, -1]], &[-2]),
        (&[&[1, -1]], &[1]),
        (&[&[1, -1]], &[-1]),
        (&[&[1, 2, -1, 2], &[-2, -2]], &[]),
        // Constants in clauses.
        (&[&[T]], &[]),
        (&[&[F]], &[]),
        (&[&[F, 1]], &[-1]),
        (&[&[T, 1]], &[-1]),
        (&[&[F, T]], &[]),
        (&[&[F, F]], &[1]),
        // Constants, repetition and contradiction in assumptions.
        (&[&[1, 2]], &[T]),
        (&[&[1, 2]], &[F]),
        (&[&[1, 2]], &[-1, F, -2]),
        (&[&[1, 2]], &[T, -1, T]),
        (&[&[1, 2]], &[-1, -1, -2]),
        (&[&[1, 2]], &[3, -3]),
        (&[&[1, 2], &[-1]], &[-2, 1]),
        // An assumption that a unit clause contradicts or implies.
        (&[&[1]], &[-1]),
        (&[&[1]], &[1, 2]),
    ];
    for (clauses, assumptions) in cases {
        let clauses: Vec<Vec<Lit>> =
            clauses.iter().map(|clause| clause.iter().map(to_lit).collect()).collect();
        let assumptions: Vec<Lit> = assumptions.iter().map(to_lit).collect();
        on_every_solver(|name, solver| {
            solver.reserve_vars(Var::new(3));
            assert_eq!(solver.num_vars(), 4, "{name}");
            clauses.iter().for_each(|clause| solver.add_clause(clause));
            check(name, solver, 3, &clauses, &assumptions);
            // Assumptions are gone after their question.
            check(name, solver, 3, &clauses, &[]);
        });
    }
}

#[test]
fn answers_expire_and_young_variables_have_no_value() {
    on_every_solver(|name, solver| {
        let (a, b) = (solver.new_var().lit(), solver.new_var().lit());
        assert_eq!(solver.value(a), None, "{name}: no answer yet");
        assert!(!solver.is_failed(a), "{name}: no answer yet");
        solver.add_clause(&[a, b]);
        assert_eq!(solver.solve(&[!a]), SatResult::Sat);
        let young = solver.new_var().lit();
        assert_eq!(solver.value(young), None, "{name}");
        assert_eq!(solver.value(b), Some(true), "{name}: a new variable keeps the model");
        assert_eq!(solver.solve(&[!a, !b, young]), SatResult::Unsat);
        let _younger = solver.new_var();
        assert!(solver.is_failed(!a) && solver.is_failed(!b), "{name}");
        assert!(!solver.is_failed(young) && !solver.is_failed(a), "{name}");
        solver.add_clause(&[young, a]);
        assert!(!solver.is_failed(!a), "{name}: the answer has expired");
        assert_eq!(solver.solve(&[!a]), SatResult::Sat);
        assert_eq!((solver.value(young), solver.value(b)), (Some(true), Some(true)), "{name}");
    });
}

/// `pigeons` pigeons in one hole fewer, each pigeon in some hole, never two in one: hard for
/// resolution. Every clause gets `extra` besides.
fn add_pigeons(solver: &mut dyn SatSolver, pigeons: usize, extra: &[Lit]) {
    let holes = pigeons - 1;
    let sits: Vec<Vec<Lit>> =
        (0..pigeons).map(|_| (0..holes).map(|_| solver.new_var().lit()).collect()).collect();
    for pigeon in &sits {
        solver.add_clause(&[pigeon, extra].concat());
    }
    for (index, first) in sits.iter().enumerate() {
        for second in &sits[..index] {
            for (&one, &other) in first.iter().zip(second) {
                solver.add_clause(&[&[!one, !other], extra].concat());
            }
        }
    }
}

#[test]
fn a_budget_ends_one_question_only() {
    on_every_solver(|name, solver| {
        let off = solver.new_var().lit();
        add_pigeons(solver, 7, &[off]);
        solver.set_budget(Some(Budget::conflicts(5)));
        assert_eq!(solver.solve(&[!off]), SatResult::Unknown, "{name}");
        assert_eq!(solver.value(off), None, "{name}: no model");
        assert!(!solver.is_failed(!off), "{name}: no core");
        // The budget is for each question anew.
        assert_eq!(solver.solve(&[off]), SatResult::Sat, "{name}");
        assert_eq!(solver.solve(&[!off]), SatResult::Unknown, "{name}");
        solver.set_budget(None);
        assert_eq!(solver.solve(&[!off]), SatResult::Unsat, "{name}");
        assert_eq!(solver.core(&[!off]), [!off], "{name}");
        assert!(solver.stats().conflicts > 5, "{name}: {:?}", solver.stats());
    });
}

#[test]
fn an_interrupt_from_another_thread_ends_a_hard_question() {
    for (name, mut solver) in all_solvers() {
        let off = solver.new_var().lit();
        add_pigeons(solver.as_mut(), 14, &[off]);
        let root = Interrupt::new();
        solver.set_interrupt(root.child());
        // The solver runs on the other thread, so this also sends it there and back.
        let runner = std::thread::spawn(move || {
            let answer = solver.solve(&[!off]);
            (solver, answer)
        });
        std::thread::sleep(Duration::from_millis(30));
        root.raise();
        let (mut solver, answer) = runner.join().expect("the solver does not panic");
        assert_eq!(answer, SatResult::Unknown, "{name}");
        assert_eq!(solver.solve(&[off]), SatResult::Unknown, "{name}: it stays raised");
        // With a fresh token the solver goes on.
        solver.set_interrupt(Interrupt::new());
        assert_eq!(solver.solve(&[off]), SatResult::Sat, "{name}");
    }
}

#[test]
fn a_deadline_ends_a_hard_question() {
    on_every_solver(|name, solver| {
        add_pigeons(solver, 14, &[]);
        solver.set_interrupt(Interrupt::with_timeout(Duration::from_millis(20)));
        assert_eq!(solver.solve(&[]), SatResult::Unknown, "{name}");
    });
}

#[test]
fn equal_seeds_take_equal_paths() {
    for kind in SolverKind::ALL {
        let run = || {
            let mut solver = new_solver(kind);
            add_pigeons(solver.as_mut(), 7, &[]);
            assert_eq!(solver.solve(&[]), SatResult::Unsat);
            solver.stats()
        };
        assert_eq!(run(), run(), "{kind:?}");
    }
}
