//! Random formulas in parts, and the laws of interpolation, checked by a solver of another make.

use pedra_model::aig::AigBuilder;
use pedra_model::bits::Reset;
use pedra_model::lit::{Lit, Var};
use pedra_solve::interpolate::{Refutation, System};
use pedra_solve::{Batsat, CadicalConfig, FrameEncoder, Interpolating, SatResult, SatSolver, gate};
use pedra_testkit::bits::{BitShape, random_bits};
use pedra_testkit::random::Random;

/// A formula in parts that grows, on the solver under test, with a copy of all clauses.
struct Parted {
    solver: Interpolating,
    part: usize,
    /// Each with its part.
    clauses: Vec<(usize, Vec<Lit>)>,
    /// By part: assumed to switch the part on.
    guards: Vec<Lit>,
}

/// A refutation, and the clauses of that time.
struct Refuted {
    refutation: Refutation,
    assumptions: Vec<Lit>,
    clauses: usize,
}

impl SatSolver for Parted {
    fn name(&self) -> &'static str {
        "parted"
    }
    fn new_var(&mut self) -> Var {
        self.solver.new_var()
    }
    fn num_vars(&self) -> usize {
        self.solver.num_vars()
    }
    fn reserve_vars(&mut self, up_to: Var) {
        self.solver.reserve_vars(up_to);
    }
    fn add_clause(&mut self, lits: &[Lit]) {
        self.clauses.push((self.part, lits.to_vec()));
        self.solver.add_clause(lits);
    }
    fn solve(&mut self, assumptions: &[Lit]) -> SatResult {
        self.solver.solve(assumptions)
    }
    fn value(&self, lit: Lit) -> Option<bool> {
        self.solver.value(lit)
    }
    fn is_failed(&self, lit: Lit) -> bool {
        self.solver.is_failed(lit)
    }
    fn set_budget(&mut self, budget: Option<pedra_solve::Budget>) {
        self.solver.set_budget(budget);
    }
    fn set_interrupt(&mut self, interrupt: pedra_solve::Interrupt) {
        self.solver.set_interrupt(interrupt);
    }
    fn stats(&self) -> pedra_solve::SatStats {
        self.solver.stats()
    }
}

impl Parted {
    fn new(checked: bool) -> Parted {
        let config = if checked { CadicalConfig::checked() } else { CadicalConfig::default() };
        let solver = Interpolating::new(config);
        Parted { solver, part: 0, clauses: Vec::new(), guards: Vec::new() }
    }

    fn set_part(&mut self, part: usize) {
        self.part = part;
        self.solver.set_part(part);
        while self.guards.len() <= part {
            let guard = self.new_var().lit();
            self.guards.push(guard);
        }
    }

    fn add_guarded(&mut self, mut lits: Vec<Lit>) {
        lits.push(!self.guards[self.part]);
        self.add_clause(&lits);
    }

    /// Asks whether the parts from `first` to `last` contradict each other.
    fn refute(&mut self, first: usize, last: usize, more: &[Lit]) -> Option<Refuted> {
        let mut assumptions = more.to_vec();
        assumptions.extend(&self.guards[first..=last]);
        assumptions.extend(self.guards[..first].iter().map(|&guard| !guard));
        if self.solver.solve(&assumptions).is_sat() {
            return None;
        }
        let refutation = self.solver.refutation().expect("it was refuted").clone();
        Some(Refuted { refutation, assumptions, clauses: self.clauses.len() })
    }

    /// The laws of an interpolation sequence, for the clauses of the time of the refutation.
    fn check(&self, refuted: &Refuted, last: usize, system: System, note: &str) {
        let clauses = &self.clauses[..refuted.clauses];
        let mut ranges = vec![(usize::MAX, 0); self.num_vars()];
        for (part, clause) in &self.clauses {
            for lit in clause {
                let (low, high) = &mut ranges[lit.var().index()];
                (*low, *high) = ((*low).min(*part), (*high).max(*part));
            }
        }
        let mut builder = AigBuilder::new();
        let leaves: Vec<Lit> = (0..self.num_vars()).map(|_| builder.leaf().lit()).collect();
        let mut leaf = |cut: usize, lit: Lit| {
            let (low, high) = ranges[lit.var().index()];
            assert!(low < cut && high >= cut, "{note}: {lit:?} is not shared at {cut}");
            assert!(!refuted.assumptions.contains(&lit), "{note}: {lit:?} was assumed");
            leaves[lit.var().index()] ^ lit.is_negated()
        };
        let (sequence, _) = self.solver.interpolants(
            &refuted.refutation,
            1..=last,
            system,
            &mut builder,
            &mut leaf,
        );
        assert_eq!(sequence.len(), last);
        // I_0 is true and I_{n+1} false: then I_j ∧ part_j ⟹ I_{j+1} is the whole law.
        let mut checker = Batsat::new();
        checker.reserve_vars(Var::new(self.num_vars() - 1));
        let mut encoder = FrameEncoder::new();
        for (var, &leaf) in leaves.iter().enumerate().skip(1) {
            encoder.set_leaf(leaf.var(), Var::new(var).lit());
        }
        let mut sequence: Vec<Lit> =
            sequence.into_iter().map(|i| encoder.encode(builder.aig(), &mut checker, i)).collect();
        sequence.insert(0, Lit::TRUE);
        sequence.push(Lit::FALSE);
        let switches: Vec<Lit> = (0..=last).map(|_| checker.new_var().lit()).collect();
        for (part, clause) in clauses {
            checker.add_clause(&[&clause[..], &[!switches[*part]]].concat());
        }
        for part in 0..=last {
            let query =
                [&refuted.assumptions[..], &[switches[part], sequence[part], !sequence[part + 1]]]
                    .concat();
            assert_eq!(
                checker.solve(&query),
                SatResult::Unsat,
                "{note}: I_{part} and part {part} do not imply I_{}",
                part + 1
            );
        }
    }

    fn check_both(&self, refuted: &Refuted, last: usize, note: &str) {
        for system in [System::McMillan, System::Pudlak] {
            self.check(refuted, last, system, &format!("{note}, {system:?}"));
        }
    }
}

/// Random clauses in layers, more of them after each query; old refutations are read again after
/// later queries. Gives the number of refutations that were checked.
pub fn layered(seed: u64) -> usize {
    let mut random = Random::new(seed);
    let mut parted = Parted::new(random.one_in(50));
    let last = random.between(1, 5);
    // Large ones make the solver learn, simplify, and restore what it simplified.
    let size = if random.one_in(10) { 8 } else { 1 };
    // `shared[j]` are known to the parts j − 1 and j.
    let mut layers: Vec<Vec<Lit>> = Vec::new();
    let mut shared: Vec<Vec<Lit>> = Vec::new();
    for part in 0..=last {
        parted.set_part(part);
        let count = size * random.between(1, 4);
        shared.push((0..count).map(|_| parted.new_var().lit()).collect());
        let count = size * random.between(0, 4);
        layers.push((0..count).map(|_| parted.new_var().lit()).collect());
    }
    shared.push(Vec::new());
    let mut refuted: Vec<Refuted> = Vec::new();
    for round in 0..random.between(1, 6) {
        for part in 0..=last {
            parted.set_part(part);
            let mut vars = layers[part].clone();
            vars.extend(&shared[part + 1]);
            if part > 0 {
                vars.extend(&shared[part]);
            }
            if vars.is_empty() {
                continue;
            }
            for _ in 0..random.between(0, vars.len() * if round == 0 { 3 } else { 1 }) {
                let count = match size {
                    1 => random.pick(&[1, 2, 2, 3, 3, 3, 4]),
                    _ => random.pick(&[2, 3, 3, 3, 3, 4]),
                };
                let clause = (0..count).map(|_| random.pick(&vars) ^ random.one_in(2)).collect();
                parted.add_guarded(clause);
            }
        }
        for first in (0..=last).rev() {
            if let Some(one) = parted.refute(first, last, &[]) {
                refuted.push(one);
                break;
            }
        }
    }
    for (number, one) in refuted.iter().enumerate() {
        parted.check_both(one, last, &format!("layered {seed}, refutation {number}"));
    }
    refuted.len()
}

/// Bounded model checking of a random system, one part a step, bound after bound on one solver.
pub fn unrolled(seed: u64) -> usize {
    let mut random = Random::new(seed);
    let shape = BitShape { latches: 6, inputs: 3, gates: 40 };
    let system = random_bits(&mut random, shape);
    let mut parted = Parted::new(random.one_in(50));
    let mut refuted: Vec<(Refuted, usize)> = Vec::new();
    let mut states: Vec<Lit> = Vec::new();
    for step in 0..=random.between(1, 6) {
        parted.set_part(step);
        let mut encoder = FrameEncoder::new();
        if step == 0 {
            states = system.latches.iter().map(|_| parted.new_var().lit()).collect();
        }
        for (latch, &state) in system.latches.iter().zip(&states) {
            encoder.set_leaf(latch.var, state);
        }
        if step == 0 {
            for (latch, &state) in system.latches.iter().zip(&states) {
                let reset = match latch.reset {
                    Reset::Free => continue,
                    Reset::Zero => Lit::FALSE,
                    Reset::One => Lit::TRUE,
                    Reset::Function(f) => encoder.encode(&system.aig, &mut parted, f),
                };
                parted.add_guarded(vec![state, !reset]);
                parted.add_guarded(vec![!state, reset]);
            }
        }
        for &constraint in &system.constraints {
            let lit = encoder.encode(&system.aig, &mut parted, constraint);
            parted.add_guarded(vec![lit]);
        }
        let bads = system.properties().iter();
        let bads: Vec<Lit> =
            bads.map(|&bad| encoder.encode(&system.aig, &mut parted, bad)).collect();
        let bad = gate::or_all(&mut parted, &bads);
        let target = parted.new_var().lit();
        parted.add_clause(&[!target, bad]);
        for first in (0..=step).rev() {
            if let Some(one) = parted.refute(first, step, &[target]) {
                refuted.push((one, step));
                break;
            }
        }
        parted.add_clause(&[!target]);
        let nexts: Vec<Lit> = system
            .latches
            .iter()
            .map(|latch| encoder.encode(&system.aig, &mut parted, latch.next))
            .collect();
        states = nexts
            .into_iter()
            .map(|next| {
                let state = parted.new_var().lit();
                parted.add_guarded(vec![state, !next]);
                parted.add_guarded(vec![!state, next]);
                state
            })
            .collect();
    }
    // At step 0 there is no cut.
    refuted.retain(|(_, step)| *step > 0);
    for (one, step) in &refuted {
        parted.check_both(one, *step, &format!("unrolled {seed}, step {step}"));
    }
    refuted.len()
}
