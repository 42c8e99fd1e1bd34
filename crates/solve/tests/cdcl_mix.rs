//! Long incremental sequences on our solver: definitions, lemmas, temporary clauses, pinned
//! domains, shrinking, budgets and clones in random mixes. CaDiCaL has the whole formula at
//! every moment and answers each question a second time; temporary clauses are guarded by
//! fresh literals there.

use pedra_model::lit::{Lit, Var};
use pedra_solve::{Budget, Cadical, Cdcl, SatResult, SatSolver};
use pedra_testkit::random::{Random, runs};

/// Our solver and the reference, in step.
struct Pair {
    ours: Cdcl,
    reference: Cadical,
    /// All clauses but temporary ones, to set up the reference of a clone.
    clauses: Vec<Vec<Lit>>,
    /// Everything that was answered, to compare runs.
    transcript: Vec<String>,
    answers: [u32; 2],
}

/// Our variables are the even ones of the reference; the odd ones guard temporary clauses.
fn mapped(lit: Lit) -> Lit {
    Lit::new(Var::new(2 * lit.var().index()), lit.is_negated())
}

impl Pair {
    fn new() -> Pair {
        let (ours, reference) = (Cdcl::new(), Cadical::default());
        Pair { ours, reference, clauses: Vec::new(), transcript: Vec::new(), answers: [0; 2] }
    }

    fn vars(&self) -> usize {
        self.ours.num_vars() - 1
    }

    fn random_lit(&self, random: &mut Random) -> Lit {
        if random.below(40) == 0 {
            return Lit::constant(random.coin());
        }
        Lit::new(Var::new(1 + random.below(self.vars())), random.coin())
    }

    fn random_lits(&self, random: &mut Random, count: usize) -> Vec<Lit> {
        (0..count).map(|_| self.random_lit(random)).collect()
    }

    fn add_reference(&mut self, lits: &[Lit]) {
        self.reference.reserve_vars(Var::new(2 * self.vars()));
        self.reference.add_clause(&lits.iter().copied().map(mapped).collect::<Vec<_>>());
        self.clauses.push(lits.to_vec());
    }

    fn add_lemma(&mut self, lits: &[Lit]) {
        self.add_reference(lits);
        self.ours.add_clause(lits);
    }

    /// A total definition of a new variable, not always a function of its fanin.
    fn define(&mut self, random: &mut Random) {
        let [a, b, c] = [0; 3].map(|_| self.random_lit(random));
        let n = self.ours.new_var().lit();
        let clauses = match random.below(8) {
            0 => vec![vec![!n, a, b], vec![!n, !a, !b], vec![n, !a, b], vec![n, a, !b]],
            1 => vec![vec![!c, !a, n], vec![!c, a, !n], vec![c, !b, n], vec![c, b, !n]],
            2 => vec![vec![!n, a], vec![!n, b]],
            3 => vec![vec![n ^ random.coin()]],
            4 => vec![vec![!n, a, b, c], vec![n, !a], vec![n, !b], vec![n, !c]],
            _ => vec![vec![!n, a], vec![!n, b], vec![n, !a, !b]],
        };
        clauses.iter().for_each(|clause| self.add_reference(clause));
        if random.coin() {
            let clauses: Vec<&[Lit]> = clauses.iter().map(Vec::as_slice).collect();
            self.ours.add_definition(n.var(), &clauses);
        } else {
            clauses.iter().for_each(|clause| self.ours.add_definition_clause(clause));
        }
    }

    /// Asks the reference: the formula with `temporary`, which it forgets afterwards.
    fn ask_reference(&mut self, assumptions: &[Lit], temporary: &[Vec<Lit>]) -> SatResult {
        self.reference.reserve_vars(Var::new(2 * self.vars()));
        // Unused, and odd, thus no variable of ours, now or later, is meant.
        let guard = Var::new(self.reference.num_vars() | 1).lit();
        self.reference.reserve_vars(guard.var());
        for clause in temporary {
            let mut lits: Vec<Lit> = clause.iter().copied().map(mapped).collect();
            lits.push(!guard);
            self.reference.add_clause(&lits);
        }
        let mut lits: Vec<Lit> = assumptions.iter().copied().map(mapped).collect();
        lits.push(guard);
        let answer = self.reference.solve(&lits);
        self.reference.add_clause(&[!guard]);
        answer
    }

    fn ask(&mut self, random: &mut Random, assumptions: &[Lit], temporary: &[Vec<Lit>]) {
        let slices: Vec<&[Lit]> = temporary.iter().map(Vec::as_slice).collect();
        if random.below(8) == 0 {
            self.ours.set_budget(Some(Budget::conflicts(1)));
            let _any = self.ours.solve_with(assumptions, &slices);
            self.ours.set_budget(None);
        }
        let answer = self.ours.solve_with(assumptions, &slices);
        let expected = self.ask_reference(assumptions, temporary);
        assert_eq!(answer, expected, "{assumptions:?} with {temporary:?} on {:?}", self.clauses);
        self.answers[answer.is_sat() as usize] += 1;
        if answer.is_sat() {
            self.check_model(random, assumptions, temporary);
        } else {
            let core = self.ours.core(assumptions);
            self.transcript.push(format!("core {core:?}"));
            assert_eq!(self.ask_reference(&core, temporary), SatResult::Unsat, "core {core:?}");
        }
    }

    /// The values of our model as literals.
    fn model(&self) -> Vec<Lit> {
        let lits = (1..=self.vars()).map(|index| Var::new(index).lit());
        lits.filter_map(|lit| self.ours.value(lit).map(|value| lit ^ !value)).collect()
    }

    fn check_model(&mut self, random: &mut Random, assumptions: &[Lit], temporary: &[Vec<Lit>]) {
        for var in (1..=self.vars()).map(Var::new) {
            let value = self.ours.value(var.lit());
            match value {
                None => assert!(!self.ours.is_in_domain(var), "{var:?} lacks a value"),
                Some(_) if self.ours.is_in_domain(var) => {}
                Some(value) => {
                    let answer = self.ask_reference(&[var.lit() ^ value], &[]);
                    assert!(answer.is_unsat(), "{var:?} is neither inside nor fixed");
                }
            }
        }
        let model = self.model();
        self.transcript.push(format!("model {model:?}"));
        assert!(assumptions.iter().all(|&lit| self.ours.value(lit) == Some(true)));
        assert!(self.ask_reference(&model, temporary).is_sat(), "{model:?} cannot be completed");
        if random.coin() {
            self.check_shrinking(random, assumptions, temporary);
        }
    }

    /// Drops variables in random order; then every completion within the domain must do.
    fn check_shrinking(&mut self, random: &mut Random, assumptions: &[Lit], temps: &[Vec<Lit>]) {
        let before = self.model();
        let mut dropped = Vec::new();
        for _ in 0..2 * self.vars() {
            let lit = before.get(random.below(before.len().max(1))).copied();
            let Some(lit) = lit.filter(|lit| !dropped.contains(lit)) else { continue };
            if self.ours.flip_to_none(lit.var()) {
                assert_eq!(self.ours.value(lit), None);
                dropped.push(lit);
            }
        }
        assert!(assumptions.iter().all(|&lit| self.ours.value(lit) == Some(true)));
        let rest = self.model();
        assert_eq!(rest.len() + dropped.len(), before.len());
        self.transcript.push(format!("shrunk {rest:?}"));
        for _ in 0..3 {
            let any = dropped.iter().map(|&lit| lit ^ random.coin());
            let completion: Vec<Lit> = rest.iter().copied().chain(any).collect();
            let answer = self.ask_reference(&completion, temps);
            assert!(answer.is_sat(), "{rest:?} has the completion {completion:?}");
        }
    }

    fn step(&mut self, random: &mut Random) {
        match random.below(20) {
            0 => {
                let _leaf = self.ours.new_var();
            }
            1..=3 if self.vars() < 60 => self.define(random),
            4 | 5 => {
                let size = 2 + random.below(4);
                let lemma = self.random_lits(random, size);
                // Mostly such that something remains to be asked.
                if random.below(60) == 0
                    || self.ask_reference(&[], std::slice::from_ref(&lemma)).is_sat()
                {
                    self.add_lemma(&lemma);
                }
            }
            6 => {
                let size = 1 + random.below(4);
                let lits = self.random_lits(random, size);
                self.ours.pin_domain(&lits);
            }
            7 => self.ours.unpin_domain(),
            _ => {
                let size = random.below(6);
                let assumptions = self.random_lits(random, size);
                let count = random.below(4);
                let temporary: Vec<Vec<Lit>> = (0..count)
                    .map(|_| {
                        let size = 1 + random.below(4);
                        self.random_lits(random, size)
                    })
                    .collect();
                self.ask(random, &assumptions, &temporary);
            }
        }
    }

    /// A clone of our solver with a reference of its own.
    fn fork(&self) -> Pair {
        let mut fork = Pair::new();
        fork.ours = self.ours.clone();
        for clause in &self.clauses {
            fork.add_reference(clause);
        }
        fork
    }
}

fn start(random: &mut Random) -> Pair {
    let mut pair = Pair::new();
    (0..3 + random.below(10)).for_each(|_| {
        let _leaf = pair.ours.new_var();
    });
    pair
}

#[test]
fn mixes_agree_with_cadical() {
    let mut answers = [0; 2];
    for seed in 0..runs(120) {
        let mut random = Random::new(seed);
        let mut pair = start(&mut random);
        (0..60).for_each(|_| pair.step(&mut random));
        answers = [answers[0] + pair.answers[0], answers[1] + pair.answers[1]];
    }
    assert!(answers.iter().all(|&count| count > 100), "both answers must occur: {answers:?}");
}

#[test]
fn clones_go_their_own_ways() {
    for seed in 0..runs(25) {
        let mut random = Random::new(1000 + seed);
        let mut pair = start(&mut random);
        (0..25).for_each(|_| pair.step(&mut random));
        let mut fork = pair.fork();
        // In turns, and not the same steps.
        for _ in 0..40 {
            if random.coin() { pair.step(&mut random) } else { fork.step(&mut random) }
        }
    }
}

#[test]
fn equal_calls_take_equal_paths() {
    for seed in 0..runs(8) {
        let run = || {
            let mut random = Random::new(2000 + seed);
            let mut pair = start(&mut random);
            (0..60).for_each(|_| pair.step(&mut random));
            (pair.transcript, pair.ours.stats(), pair.ours.more_stats())
        };
        assert_eq!(run(), run(), "seed {seed}");
    }
}
