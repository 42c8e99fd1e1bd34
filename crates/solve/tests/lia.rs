//! The arithmetic solver: random sessions against enumeration, and problems of known answer.

#[path = "common/lia_problem.rs"]
mod lia_problem;
#[path = "common/lia_run.rs"]
mod lia_run;

use lia_run::{Tally, run_incremental};
use pedra_certify::check_linear_proof;
use pedra_model::term::{BinaryOp, IntOp, Sort, TermId, Terms, UnaryOp};
use pedra_solve::lia::{Int, IntVar, LiaLimits, LiaSolver, Linear};
use pedra_solve::terms::IntEncoder;
use pedra_solve::{Budget, Interrupt, SatResult, TermError};
use pedra_testkit::random::{Random, runs};

#[test]
fn random_formulas_against_enumeration() {
    let mut tally = Tally::default();
    for seed in 0..runs(400) {
        run_incremental(&mut Random::new(seed), &mut tally);
    }
    assert!(tally.sat > 100 && tally.unsat > 100 && tally.steps > 100, "{tally:?}");
    assert_eq!(tally.unknown, 0, "{tally:?}");
}

fn vars(solver: &mut LiaSolver) -> [IntVar; 3] {
    [0; 3].map(|_| solver.new_int())
}

fn linear(vars: [IntVar; 3], factors: [i64; 3], constant: i64) -> Linear {
    let terms = vars.into_iter().zip(factors.map(Int::from));
    Linear::new(terms, Int::from(constant))
}

/// `Σ factors·vars + constant = 0` (or `≤ 0`), all at once.
fn conjunction(
    equations: &[([i64; 3], i64)],
    bounds: &[([i64; 3], i64)],
) -> (LiaSolver, SatResult) {
    let mut solver = LiaSolver::with_proofs();
    let vars = vars(&mut solver);
    for &(factors, constant) in equations {
        let lit = solver.eq_zero(&linear(vars, factors, constant));
        solver.add_clause(&[lit]);
    }
    for &(factors, constant) in bounds {
        let lit = solver.le_zero(&linear(vars, factors, constant));
        solver.add_clause(&[lit]);
    }
    let answer = solver.solve(&[]);
    if answer == SatResult::Unsat {
        let proof = solver.proof().expect("there is a record");
        check_linear_proof(&proof, |_| true).expect("the proof is right");
    }
    if answer == SatResult::Sat {
        let value = |var| solver.int_value(var).expect("there is a model");
        let sum =
            |&(factors, constant): &([i64; 3], i64)| linear(vars, factors, constant).eval(value);
        assert!(equations.iter().all(|equation| sum(equation).is_zero()));
        assert!(bounds.iter().all(|bound| !sum(bound).is_positive()));
    }
    (solver, answer)
}

/// A system of equations and of inequalities `≤ 0`, each as factors and constant.
type Case<'a> = (&'a [([i64; 3], i64)], &'a [([i64; 3], i64)], SatResult);

/// Problems over unbounded integers whose rational relaxation has solutions.
#[test]
fn unbounded_problems_end() {
    use SatResult::{Sat, Unsat};
    let cases: &[Case] = &[
        // 3x − 3y = 1
        (&[([3, -3, 0], -1)], &[], Unsat),
        // 1 ≤ 3x − 3y ≤ 2
        (&[], &[([3, -3, 0], -2), ([-3, 3, 0], 1)], Unsat),
        // x = 2y and x = 2z + 1
        (&[([1, -2, 0], 0), ([1, 0, -2], -1)], &[], Unsat),
        // 6x + 10y + 15z = 1 has solutions, of all signs
        (&[([6, 10, 15], -1)], &[([1, 0, 0], 5), ([0, 1, 0], 7)], Sat),
        // 4x + 6y = z and z = 2x + 1: even and odd
        (&[([4, 6, -1], 0), ([2, 0, -1], 1)], &[], Unsat),
        // x + y + z = 7, x + 2y + 4z = 10, x + 3y + 9z = 14: the last two leave z = 1/2
        (&[([1, 1, 1], -7), ([1, 2, 4], -10), ([1, 3, 9], -14)], &[], Unsat),
        // 1 ≤ 5x − 7y ≤ 1 with x, y ≥ 1000
        (&[([5, -7, 0], -1)], &[([-1, 0, 0], 1000), ([0, -1, 0], 1000)], Sat),
        // 2x + 2y ≤ 2z + 1 and 2x + 2y ≥ 2z + 1
        (&[], &[([2, 2, -2], -1), ([-2, -2, 2], 1)], Unsat),
    ];
    for (equations, bounds, expected) in cases {
        let (solver, answer) = conjunction(equations, bounds);
        assert_eq!(answer, *expected, "{equations:?} {bounds:?} {:?}", solver.lia_stats());
    }
}

/// A thin triangle without integer points: needs cuts or splits.
#[test]
fn thin_triangles() {
    for height in [3, 10, 50] {
        // 2hx + y ≤ 2h − 1, y ≤ 2hx − 1, y ≥ 0: between x = 0 and x = 1
        let bounds =
            [([2 * height, 1, 0], -2 * height + 1), ([-2 * height, 1, 0], 1), ([0, -1, 0], 0)];
        let (_, answer) = conjunction(&[], &bounds);
        assert_eq!(answer, SatResult::Unsat, "height {height}");
    }
}

/// Numbers far beyond 64 bits.
#[test]
fn large_numbers() {
    let mut solver = LiaSolver::new();
    let [x, y, _] = vars(&mut solver);
    let mut huge = Int::from(1);
    for _ in 0..10 {
        huge = &huge * &Int::from(i64::MAX);
    }
    // huge·x − y = 1 and y = huge·huge: x·huge = huge² + 1 has no solution; with y = −1 it has.
    let first = Linear::new([(x, huge.clone()), (y, Int::from(-1))], Int::from(-1));
    let lit = solver.eq_zero(&first);
    solver.add_clause(&[lit]);
    let square = Linear::new([(y, Int::from(1))], -&(&huge * &huge));
    let square = solver.eq_zero(&square);
    assert_eq!(solver.solve(&[square]), SatResult::Unsat);
    assert_eq!(solver.core(), [square]);
    let above = solver.le_zero(&Linear::new([(y, Int::from(-1))], huge.clone()));
    assert_eq!(solver.solve(&[above]), SatResult::Sat);
    let value = solver.int_value(y).expect("there is a model");
    assert!(value >= huge && (&value + &Int::ONE).is_multiple_of(&huge));
}

#[test]
fn limits_and_interrupts_end_a_question() {
    let mut solver = market_split();
    let raised = Interrupt::new();
    raised.raise();
    solver.set_interrupt(&raised);
    assert_eq!(solver.solve(&[]), SatResult::Unknown);
    solver.set_interrupt(&Interrupt::new());
    solver.set_limits(LiaLimits { splits: 3, work: u64::MAX });
    assert_eq!(solver.solve(&[]), SatResult::Unknown);
    solver.set_limits(LiaLimits { splits: u64::MAX, work: 100 });
    assert_eq!(solver.solve(&[]), SatResult::Unknown);
    solver.set_limits(LiaLimits::default());
    solver.set_budget(Some(Budget::conflicts(2)));
    assert_eq!(solver.solve(&[]), SatResult::Unknown);
}

/// Three equations over 0 and 1 (Cornuéjols and Dawande's market split): no solution, and no
/// short refutation.
fn market_split() -> LiaSolver {
    let mut solver = LiaSolver::new();
    let vars: Vec<IntVar> = (0..16).map(|_| solver.new_int()).collect();
    for &var in &vars {
        for (factor, constant) in [(-1, 0), (1, -1)] {
            let lit = solver.le_zero(&Linear::new([(var, Int::from(factor))], constant.into()));
            solver.add_clause(&[lit]);
        }
    }
    let mut random = Random::new(5);
    for _ in 0..3 {
        let terms: Vec<(IntVar, Int)> =
            vars.iter().map(|&var| (var, Int::from(random.below(100) as i64))).collect();
        let half = terms.iter().fold(Int::ZERO, |sum, (_, factor)| &sum + factor);
        let half = half.div_floor(&Int::from(2));
        let lit = solver.eq_zero(&Linear::new(terms, -&half));
        solver.add_clause(&[lit]);
    }
    solver
}

fn symbols() -> (Terms, TermId, TermId) {
    let mut terms = Terms::new();
    let (x, y) = (terms.new_symbol(Sort::Int), terms.new_symbol(Sort::Int));
    (terms, x, y)
}

#[test]
fn what_is_not_linear_is_refused() {
    let (mut terms, x, y) = symbols();
    let product = terms.int_binary(IntOp::Mul, x, y);
    let quotient = terms.int_binary(IntOp::Div, x, y);
    let remainder = terms.int_binary(IntOp::Mod, x, y);
    let mut square = terms.integer(3);
    for _ in 0..64 {
        square = terms.int_binary(IntOp::Mul, square, square);
    }
    for (term, error) in [
        (product, TermError::NonLinear),
        (quotient, TermError::Division),
        (remainder, TermError::Division),
        (square, TermError::TooLarge),
    ] {
        let (mut solver, mut encoder) = (LiaSolver::new(), IntEncoder::new());
        let formula = terms.int_binary(IntOp::Le, term, x);
        assert_eq!(encoder.lit(&terms, &mut solver, formula), Err(error));
        // The solver remains usable.
        let fine = terms.int_binary(IntOp::Le, x, y);
        let lit = encoder.lit(&terms, &mut solver, fine).expect("linear");
        assert_eq!(solver.solve(&[lit]), SatResult::Sat);
    }
}

/// Nothing recurses: a chain of a hundred thousand terms, and one of as many choices.
#[test]
fn deep_terms() {
    let (mut terms, x, y) = symbols();
    let (mut sum, mut formula) = (x, terms.int_binary(IntOp::Le, x, y));
    for step in 0..100_000 {
        let one = terms.integer(step % 3);
        sum = terms.int_binary(IntOp::Add, sum, one);
        let negated = terms.unary(UnaryOp::Not, formula);
        formula = terms.binary(BinaryOp::Or, negated, formula);
    }
    let high = terms.int_binary(IntOp::Lt, sum, x);
    let all = terms.binary(BinaryOp::And, high, formula);
    let (mut solver, mut encoder) = (LiaSolver::new(), IntEncoder::new());
    let lit = encoder.lit(&terms, &mut solver, all).expect("linear");
    assert_eq!(solver.solve(&[lit]), SatResult::Unsat);
}

/// Many questions, each with atoms of its own, on one solver: what is not asked for does not
/// take part.
#[test]
fn forgotten_atoms_cost_nothing() {
    let mut solver = LiaSolver::new();
    let [x, y, z] = vars(&mut solver);
    for round in 0..3000i64 {
        let above = solver.le_zero(&linear([x, y, z], [-1, -(round % 7), 0], round));
        let below = solver.le_zero(&linear([x, y, z], [1, round % 7, 0], -round - round % 2));
        let other = solver.le_zero(&linear([x, y, z], [0, 1 + round % 5, -1], round));
        assert_eq!(solver.solve(&[above, below, other]), SatResult::Sat);
        assert_eq!(solver.solve(&[above, !below, other]), SatResult::Sat);
        let tight = solver.le_zero(&linear([x, y, z], [1, round % 7, 0], -round + 1));
        assert_eq!(solver.solve(&[other, tight, above]), SatResult::Unsat);
        assert!(!solver.is_failed(other) && solver.is_failed(tight) && solver.is_failed(above));
    }
    let stats = solver.stats();
    assert!(stats.decisions < 20 * stats.queries, "{stats:?}");
}
