//! Every conclusion of our solver is verified by a checker that knows unit propagation only.
//!
//! The checker keeps the clauses in force. A derived clause must follow by reverse unit
//! propagation, a deleted one must be there, a given one must have been added by the test. The
//! last derivation before an `Unsat` answer must be the clause that the answer claims.

use pedra_model::lit::{Lit, Var};
use pedra_solve::cdcl::{ACTIVATION, ProofSink, ProofStep};
use pedra_solve::{Cdcl, SatSolver, gate};
use pedra_testkit::random::{Random, runs};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Checker {
    clauses: Vec<Vec<Lit>>,
    /// What the test has added and the solver may give, for good and for the query.
    announced: Vec<Vec<Lit>>,
    announced_temporary: Vec<Vec<Lit>>,
    /// Set when a query with temporary clauses starts: those of the last one must be gone.
    expects_clean: bool,
    /// Whether given clauses need no announcement: encoders add them.
    accepts_all: bool,
    last_derived: Option<Vec<Lit>>,
    derived: u64,
}

fn sorted(lits: &[Lit]) -> Vec<Lit> {
    let mut lits: Vec<Lit> = lits.iter().copied().filter(|&lit| lit != Lit::FALSE).collect();
    lits.sort_unstable();
    lits.dedup();
    lits
}

impl Checker {
    fn given(&mut self, lits: &[Lit]) {
        let guard = !ACTIVATION.lit();
        if lits.contains(&guard) {
            if std::mem::take(&mut self.expects_clean) {
                let left = self.clauses.iter().find(|clause| clause.contains(&guard));
                assert_eq!(left, None, "left over from the last query");
            }
            let rest: Vec<Lit> = lits.iter().copied().filter(|&lit| lit != guard).collect();
            assert!(self.announced_temporary.contains(&sorted(&rest)), "who gave {lits:?}?");
        } else {
            let is_known = self.accepts_all || self.announced.contains(&sorted(lits));
            assert!(is_known, "who gave {lits:?}?");
        }
        self.clauses.push(lits.to_vec());
    }

    fn derive(&mut self, lits: &[Lit]) {
        assert!(self.propagates_to_conflict(lits), "{lits:?} does not follow");
        self.derived += 1;
        self.clauses.push(lits.to_vec());
        self.last_derived = Some(sorted_with_guard(lits));
    }

    fn delete(&mut self, lits: &[Lit]) {
        let gone = sorted_with_guard(lits);
        let at = self.clauses.iter().position(|clause| sorted_with_guard(clause) == gone);
        self.clauses.swap_remove(at.unwrap_or_else(|| panic!("{lits:?} is not there")));
    }

    /// Whether unit propagation refutes the clauses together with the negation of `lits`.
    fn propagates_to_conflict(&self, lits: &[Lit]) -> bool {
        let mut trues: Vec<bool> = Vec::new();
        let assign = |lit: Lit, trues: &mut Vec<bool>| {
            let size = (lit.var().index() + 1) * 2;
            if trues.len() < size {
                trues.resize(size, false);
            }
            trues[lit.index()] = true;
        };
        let holds = |lit: Lit, trues: &[bool]| trues.get(lit.index()) == Some(&true);
        for &lit in lits {
            if holds(lit, &trues) {
                return true;
            }
            assign(!lit, &mut trues);
        }
        loop {
            let mut changed = false;
            for clause in &self.clauses {
                if clause.iter().any(|&lit| holds(lit, &trues)) {
                    continue;
                }
                let mut open = clause.iter().filter(|&&lit| !holds(!lit, &trues));
                match (open.next(), open.next()) {
                    (None, _) => return true,
                    (Some(&unit), None) => {
                        assign(unit, &mut trues);
                        changed = true;
                    }
                    _ => {}
                }
            }
            if !changed {
                return false;
            }
        }
    }
}

/// The activation variable has the number of the constant, so constants are not filtered here.
fn sorted_with_guard(lits: &[Lit]) -> Vec<Lit> {
    let mut lits = lits.to_vec();
    lits.sort_unstable();
    lits
}

/// Ours and the checker behind it.
#[derive(Clone)]
struct Shared(Arc<Mutex<Checker>>);

impl ProofSink for Shared {
    fn step(&mut self, step: ProofStep<'_>) {
        let mut checker = self.0.lock().expect("nobody panicked");
        match step {
            ProofStep::Given(lits) => checker.given(lits),
            ProofStep::Lemma(lits) => panic!("{lits:?} without a theory"),
            ProofStep::Derived(lits) => checker.derive(lits),
            ProofStep::Deleted(lits) => checker.delete(lits),
        }
    }
}

struct Checked {
    solver: Cdcl,
    checker: Shared,
    unsat: u64,
}

impl Checked {
    fn new() -> Checked {
        let checker = Shared(Arc::new(Mutex::new(Checker::default())));
        let mut solver = Cdcl::new();
        solver.set_proof(Some(Box::new(checker.clone())));
        Checked { solver, checker, unsat: 0 }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Checker> {
        self.checker.0.lock().expect("nobody panicked")
    }

    fn add_clause(&mut self, lits: &[Lit]) {
        self.lock().announced.push(sorted(lits));
        self.solver.add_clause(lits);
    }

    fn solve(&mut self, assumptions: &[Lit], temporary: &[Vec<Lit>]) {
        {
            let mut checker = self.lock();
            checker.announced_temporary = temporary.iter().map(|lits| sorted(lits)).collect();
            checker.expects_clean = !temporary.is_empty();
            checker.last_derived = None;
        }
        let slices: Vec<&[Lit]> = temporary.iter().map(Vec::as_slice).collect();
        if !self.solver.solve_with(assumptions, &slices).is_unsat() {
            return;
        }
        self.unsat += 1;
        let core = self.solver.core(assumptions);
        if core == [Lit::FALSE] {
            return;
        }
        let checker = self.lock();
        let is_refuted = checker.clauses.iter().any(Vec::is_empty);
        let mut claim: Vec<Lit> = core.iter().map(|&lit| !lit).collect();
        if !temporary.is_empty() {
            claim.push(!ACTIVATION.lit());
        }
        claim.sort_unstable();
        claim.dedup();
        let proved = checker.last_derived.as_ref().map(|lits| {
            let mut lits = lits.clone();
            lits.dedup();
            lits
        });
        assert!(is_refuted || proved == Some(claim), "{core:?} was not proved: {proved:?}");
    }
}

fn random_lits(random: &mut Random, vars: usize, count: usize) -> Vec<Lit> {
    (0..count).map(|_| Lit::new(Var::new(1 + random.below(vars)), random.coin())).collect()
}

#[test]
fn random_sequences_are_proved() {
    let mut unsat = 0;
    for seed in 0..runs(60) {
        let mut random = Random::new(seed);
        let mut checked = Checked::new();
        let vars = 6 + random.below(20);
        checked.solver.reserve_vars(Var::new(vars));
        for _ in 0..30 {
            for _ in 0..random.below(1 + vars / 3) {
                let size = 2 + random.below(3);
                let clause = random_lits(&mut random, vars, size);
                checked.add_clause(&clause);
            }
            let size = random.below(5);
            let assumptions = random_lits(&mut random, vars, size);
            let count = random.below(3);
            let temporary: Vec<Vec<Lit>> = (0..count)
                .map(|_| {
                    let size = 1 + random.below(3);
                    random_lits(&mut random, vars, size)
                })
                .collect();
            checked.solve(&assumptions, &temporary);
        }
        unsat += checked.unsat;
    }
    assert!(unsat > 100, "{unsat}");
}

/// Enough conflicts for restarts, reductions and collections.
#[test]
fn a_hard_query_is_proved() {
    let mut checked = Checked::new();
    let off = checked.solver.new_var().lit();
    let (pigeons, holes) = (8, 7);
    let sits: Vec<Vec<Lit>> = (0..pigeons)
        .map(|_| (0..holes).map(|_| checked.solver.new_var().lit()).collect())
        .collect();
    for pigeon in &sits {
        checked.add_clause(&[pigeon.as_slice(), &[off]].concat());
    }
    for (index, first) in sits.iter().enumerate() {
        for second in &sits[..index] {
            for (&one, &other) in first.iter().zip(second) {
                checked.add_clause(&[!one, !other]);
            }
        }
    }
    checked.solve(&[!off], &[]);
    checked.solve(&[], &[vec![!off]]);
    checked.solve(&[off], &[]);
    checked.add_clause(&[!off]);
    checked.solve(&[], &[]);
    assert_eq!(checked.unsat, 3);
    assert!(checked.lock().clauses.iter().any(Vec::is_empty), "refuted for good");
    let more = checked.solver.more_stats();
    assert!(more.restarts > 0 && more.reductions > 0 && more.collections > 0, "{more:?}");
}

/// Definitions: a random circuit in two versions that must be equal.
#[test]
fn equivalences_of_definitions_are_proved() {
    for seed in 0..runs(10) {
        let mut random = Random::new(seed);
        let mut checked = Checked::new();
        checked.lock().accepts_all = true;
        let solver = &mut checked.solver;
        let leaves: Vec<Lit> = (0..6).map(|_| solver.new_var().lit()).collect();
        let mut pools = [leaves.clone(), leaves];
        for _ in 0..20 {
            let picks = [0; 3].map(|_| (random.below(pools[0].len()), random.coin()));
            let kind = random.below(3);
            for (version, pool) in pools.iter_mut().enumerate() {
                let [a, b, c] = picks.map(|(at, flip)| pool[at] ^ flip);
                let to = &mut solver.definer();
                pool.push(match (kind, version) {
                    (0, 0) => gate::xor(to, a, b),
                    (0, _) => {
                        let (one, other) = (gate::and(to, a, !b), gate::and(to, !a, b));
                        gate::or(to, one, other)
                    }
                    (1, 0) => gate::ite(to, c, a, b),
                    (1, _) => {
                        let (then, other) = (gate::and(to, c, a), gate::and(to, !c, b));
                        gate::or(to, then, other)
                    }
                    _ => gate::and(to, a, b),
                });
            }
        }
        let ends = pools.map(|pool| *pool.last().expect("it has gates"));
        checked.solve(&[ends[0], !ends[1]], &[]);
        checked.solve(&[], &[vec![!ends[0]], vec![ends[1]]]);
        assert_eq!(checked.unsat, 2, "seed {seed}");
    }
}

/// A checker that accepts everything would be no test.
#[test]
fn the_checker_can_say_no() {
    let [a, b] = [1, 2].map(|index| Var::new(index).lit());
    let checker = Checker { clauses: vec![vec![a, b], vec![!a, b]], ..Checker::default() };
    assert!(checker.propagates_to_conflict(&[b]));
    assert!(!checker.propagates_to_conflict(&[a]));
    assert!(!checker.propagates_to_conflict(&[]));
}
