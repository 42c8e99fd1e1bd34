//! One random session with the arithmetic solver, checked by enumeration.

use super::common::Random;
use super::lia::Problem;
use pedra_model::lit::Lit;
use pedra_solve::SatResult;
use pedra_solve::lia::{Encoder, LiaSolver, Term};

/// What was answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
}

/// Formulas come in one by one; some are asserted, some assumed, some temporary.
pub fn run_incremental(random: &mut Random, tally: &mut Tally) {
    let mut problem = Problem::new(random);
    let mut solver = LiaSolver::new();
    let mut encoder = Encoder::new();
    let bounds = encode(&problem, &mut solver, &mut encoder, problem.bounds);
    solver.add_clause(&[bounds]);
    let mut asserted: Vec<Term> = Vec::new();
    let mut known: Vec<(Lit, Term)> = Vec::new();
    for _ in 0..2 + random.below(6) {
        let depth = random.below(4);
        let formula = problem.bool_term(random, depth);
        let lit = encode(&problem, &mut solver, &mut encoder, formula);
        if random.below(4) == 0 {
            solver.add_clause(&[lit]);
            asserted.push(formula);
        } else {
            known.push((lit, formula));
        }
        let mut assumed: Vec<(Lit, Term)> = Vec::new();
        let mut temporary: Vec<(Lit, Term)> = Vec::new();
        for &(lit, formula) in &known {
            match random.below(5) {
                0..=2 => assumed.push((lit, formula)),
                3 if random.below(3) == 0 => temporary.push((lit, formula)),
                _ => {}
            }
        }
        ask(&mut problem, &mut solver, &encoder, &asserted, &assumed, &temporary, tally);
    }
}

fn encode(problem: &Problem, solver: &mut LiaSolver, encoder: &mut Encoder, term: Term) -> Lit {
    encoder.lit(&problem.formulas, solver, term).expect("the formula is linear")
}

fn ask(
    problem: &mut Problem,
    solver: &mut LiaSolver,
    encoder: &Encoder,
    asserted: &[Term],
    assumed: &[(Lit, Term)],
    temporary: &[(Lit, Term)],
    tally: &mut Tally,
) {
    let terms = |pairs: &[(Lit, Term)]| pairs.iter().map(|&(_, term)| term).collect::<Vec<_>>();
    let fixed = [asserted.to_vec(), terms(temporary)].concat();
    let all = [fixed.clone(), terms(assumed)].concat();
    let expected = problem.is_satisfiable(&all);
    let lits: Vec<Lit> = assumed.iter().map(|&(lit, _)| lit).collect();
    let clauses: Vec<[Lit; 1]> = temporary.iter().map(|&(lit, _)| [lit]).collect();
    let clauses: Vec<&[Lit]> = clauses.iter().map(|clause| clause.as_slice()).collect();
    match solver.solve_with(&lits, &clauses) {
        SatResult::Unknown => tally.unknown += 1,
        SatResult::Sat => {
            tally.sat += 1;
            assert!(expected, "there is no solution");
            let int =
                |term: Term| encoder.value(solver, term).unwrap_or(pedra_solve::lia::Int::ZERO);
            let bool =
                |term: Term| encoder.known(term).and_then(|lit| solver.value(lit)).unwrap_or(false);
            assert!(problem.holds(&all, int, bool), "the model is wrong");
        }
        SatResult::Unsat => {
            tally.unsat += 1;
            assert!(!expected, "there is a solution");
            let core: Vec<Term> = assumed
                .iter()
                .filter(|(lit, _)| solver.is_failed(*lit))
                .map(|&(_, term)| term)
                .collect();
            assert!(!problem.is_satisfiable(&[fixed, core].concat()), "the core is none");
        }
    }
}
