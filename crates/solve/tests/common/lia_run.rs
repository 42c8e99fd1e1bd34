//! One random session with the arithmetic solver, checked by enumeration.

use super::lia_problem::Problem;
use pedra_certify::LinearChecker;
use pedra_model::lit::Lit;
use pedra_model::term::TermId;
use pedra_solve::terms::IntEncoder;
use pedra_solve::{LiaSolver, SatResult};
use pedra_testkit::random::Random;

/// What was answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Steps of proofs that were checked.
    pub steps: u64,
}

/// A solver, and the check of its proofs that goes along.
struct Session {
    problem: Problem,
    solver: LiaSolver,
    encoder: IntEncoder,
    /// `None` if the solver keeps no record.
    checker: Option<LinearChecker>,
    steps: usize,
}

/// Formulas come in one by one; some are asserted, some assumed, some temporary.
pub fn run_incremental(random: &mut Random, tally: &mut Tally) {
    let problem = Problem::new(random);
    let is_checked = random.below(3) > 0;
    let mut session = Session {
        problem,
        solver: if is_checked { LiaSolver::with_proofs() } else { LiaSolver::new() },
        encoder: IntEncoder::new(),
        checker: is_checked.then(LinearChecker::new),
        steps: 0,
    };
    let bounds = session.encode(session.problem.bounds);
    session.solver.add_clause(&[bounds]);
    let mut asserted: Vec<TermId> = Vec::new();
    let mut known: Vec<(Lit, TermId)> = Vec::new();
    for _ in 0..2 + random.below(6) {
        let depth = random.below(4);
        let formula = session.problem.bool_term(random, depth);
        let lit = session.encode(formula);
        if random.below(4) == 0 {
            session.solver.add_clause(&[lit]);
            asserted.push(formula);
        } else {
            known.push((lit, formula));
        }
        let mut assumed: Vec<(Lit, TermId)> = Vec::new();
        let mut temporary: Vec<(Lit, TermId)> = Vec::new();
        for &(lit, formula) in &known {
            match random.below(5) {
                0..=2 => assumed.push((lit, formula)),
                3 if random.below(3) == 0 => temporary.push((lit, formula)),
                _ => {}
            }
        }
        session.ask(&asserted, &assumed, &temporary, tally);
    }
}

fn terms(pairs: &[(Lit, TermId)]) -> Vec<TermId> {
    pairs.iter().map(|&(_, term)| term).collect()
}

impl Session {
    fn encode(&mut self, term: TermId) -> Lit {
        let Session { problem, solver, encoder, .. } = self;
        encoder.lit(&problem.terms, solver, term).expect("the formula is linear")
    }

    fn ask(
        &mut self,
        asserted: &[TermId],
        assumed: &[(Lit, TermId)],
        temporary: &[(Lit, TermId)],
        tally: &mut Tally,
    ) {
        let fixed = [asserted.to_vec(), terms(temporary)].concat();
        let all = [fixed.clone(), terms(assumed)].concat();
        let expected = self.problem.is_satisfiable(&all);
        let lits: Vec<Lit> = assumed.iter().map(|&(lit, _)| lit).collect();
        let clauses: Vec<[Lit; 1]> = temporary.iter().map(|&(lit, _)| [lit]).collect();
        let clauses: Vec<&[Lit]> = clauses.iter().map(|clause| clause.as_slice()).collect();
        match self.solver.solve_with(&lits, &clauses) {
            SatResult::Unknown => tally.unknown += 1,
            SatResult::Sat => {
                tally.sat += 1;
                assert!(expected, "there is no solution");
                self.check_model(&all);
            }
            SatResult::Unsat => {
                tally.unsat += 1;
                assert!(!expected, "there is a solution");
                let is_core = |(lit, _): &&(Lit, TermId)| self.solver.is_failed(*lit);
                let core: Vec<TermId> = assumed.iter().filter(is_core).map(|pair| pair.1).collect();
                let core = [fixed, core].concat();
                assert!(!self.problem.is_satisfiable(&core), "the core is none");
                self.check_proof(tally);
            }
        }
    }

    fn check_model(&self, all: &[TermId]) {
        let Session { problem, solver, encoder, .. } = self;
        let symbol = |term: TermId| encoder.value(&problem.terms, solver, term);
        assert!(problem.holds(all, symbol), "the model is wrong");
    }

    /// Checks the steps since the last proof, and the claim.
    fn check_proof(&mut self, tally: &mut Tally) {
        let Some(checker) = &mut self.checker else { return };
        for step in self.solver.proof_steps(self.steps) {
            self.steps += 1;
            tally.steps += 1;
            if let Err(error) = checker.check_step(&step, &mut |_| true) {
                panic!("{error}");
            }
        }
        if self.solver.core() != [Lit::FALSE] {
            checker.check_claim(&self.solver.claim()).expect("the claim follows");
        }
    }
}
