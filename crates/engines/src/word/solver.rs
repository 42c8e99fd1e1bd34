//! The solver of all frames, with its activation literals.
//!
//! One incremental solver contains everything. Activation literals select a frame: `act_i`
//! activates the lemmas of level `i`, and `act_i → act_{i+1} → … → act_∞ → act_C`, where `act_C`
//! activates the constraints of the current step. `act_0` activates the initial condition and
//! implies only `act_C`.
//!
//! Atoms are tried and forgotten. When most gates belong to such atoms, the solver is rebuilt from
//! the problem and the lemmas. Work is counted over all these solvers.

use super::encoder::Encoder;
use super::meter;
use super::problem::Problem;
use crate::context::Reason;
use crate::trace::{LemmaId, Level, Stopped};
use crate::units::atom::Step;
use crate::units::unit::{Frames, Unit};
use pedra_model::blast::BlastOptions;
use pedra_model::lit::Lit;
use pedra_solve::{BvSolver, Interrupt, SatResult, SatStats};

/// After this many gates more than at the beginning, the solver is rebuilt: most belong to
/// atoms that were tried once.
const MAX_GATES: usize = 600_000;

/// Which frame is meant.
struct Activations {
    /// `act_0`, `act_1`, …
    levels: Vec<Lit>,
    infinity: Lit,
    constraints: Lit,
}

impl Activations {
    /// For `F_0`, `F_∞` and the constraints.
    fn new(solver: &mut BvSolver, constraints: &[Lit], init: Vec<Lit>) -> Activations {
        let act_constraints = solver.new_lit();
        for &constraint in constraints {
            solver.assert_if(act_constraints, &[constraint]);
        }
        let infinity = solver.new_lit();
        solver.assert_if(infinity, &[act_constraints]);
        let zero = solver.new_lit();
        for lit in init.into_iter().chain([act_constraints]) {
            solver.assert_if(zero, &[lit]);
        }
        Activations { levels: vec![zero], infinity, constraints: act_constraints }
    }

    /// `act_k` for a new top level `k`.
    fn open(&mut self, solver: &mut BvSolver) {
        let act = solver.new_lit();
        solver.assert_if(act, &[self.infinity]);
        if let [_, .., below] = self.levels[..] {
            solver.assert_if(below, &[act]);
        }
        self.levels.push(act);
    }
}

/// The work of solvers that were rebuilt.
#[derive(Default)]
struct Past {
    work: SatStats,
    gates: usize,
}

/// The solver of all frames.
pub(super) struct FrameSolver {
    pub(super) encoder: Encoder,
    activations: Activations,
    blasting: BlastOptions,
    interrupt: Interrupt,
    /// The conflicts that a query may have, if that is limited.
    effort: Option<u64>,
    /// The gates that it began with.
    base_gates: usize,
    past: Past,
}

impl FrameSolver {
    /// Only `F_0` is open.
    pub(super) fn new(
        problem: &Problem,
        blasting: &BlastOptions,
        interrupt: &Interrupt,
    ) -> Result<FrameSolver, Stopped> {
        let (mut encoder, init) = Encoder::new(problem, blasting, interrupt)?;
        let activations = Activations::new(&mut encoder.solver, &encoder.constraints, init);
        Ok(FrameSolver {
            base_gates: encoder.solver.num_gates(),
            encoder,
            activations,
            blasting: blasting.clone(),
            interrupt: interrupt.clone(),
            effort: None,
            past: Past::default(),
        })
    }

    /// A frame was opened.
    pub(super) fn open(&mut self) {
        self.activations.open(&mut self.encoder.solver);
    }

    /// Adds `¬c` for a lemma, at its level.
    pub(super) fn tell(
        &mut self,
        problem: &Problem,
        frames: &Frames,
        id: LemmaId,
    ) -> Result<(), Stopped> {
        let lemma = frames.lemma(id);
        self.assert_not(problem, self.act(lemma.level()), lemma.set())
    }

    /// Adds `¬c` where a literal is assumed.
    pub(super) fn assert_not(
        &mut self,
        problem: &Problem,
        guard: Lit,
        unit: &Unit,
    ) -> Result<(), Stopped> {
        let lits = self.encoder.lits(problem, unit.atoms(), Step::Now)?;
        let clause: Vec<Lit> = lits.into_iter().map(|lit| !lit).collect();
        self.encoder.solver.assert_if(guard, &clause);
        Ok(())
    }

    /// A new literal for [`assert_not`](FrameSolver::assert_not).
    pub(super) fn new_guard(&mut self) -> Lit {
        self.encoder.solver.new_lit()
    }

    /// Ends all that was asserted under a guard, which must not be assumed any more.
    pub(super) fn retract(&mut self, guard: Lit) {
        self.encoder.solver.retract(guard);
    }

    /// Heuristic: starts afresh when most gates belong to atoms that are no more.
    pub(super) fn renew_if_worn(
        &mut self,
        problem: &Problem,
        frames: &Frames,
    ) -> Result<(), Stopped> {
        if self.encoder.solver.num_gates() < self.base_gates + MAX_GATES {
            return Ok(());
        }
        self.renew(problem, frames)
    }

    /// Starts afresh, with the frames and lemmas that there are.
    fn renew(&mut self, problem: &Problem, frames: &Frames) -> Result<(), Stopped> {
        let gates = self.past.gates + self.encoder.solver.num_gates();
        let past = Past { work: self.stats(), gates };
        let new = FrameSolver::new(problem, &self.blasting, &self.interrupt)?;
        *self = FrameSolver { past, effort: self.effort, ..new };
        let top = frames.top();
        (0..top.index()).for_each(|_| self.open());
        for level in (1..=top.index()).map(Level::new).chain([Level::INFINITY]) {
            for &id in frames.delta((), level) {
                self.tell(problem, frames, id)?;
            }
        }
        self.encoder.solver.set_effort(self.effort);
        Ok(())
    }

    /// From now on this token stops queries.
    pub(super) fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
        self.encoder.solver.set_interrupt(interrupt);
    }

    /// Whether to stop now: for work besides queries.
    pub(super) fn poll(&self) -> bool {
        self.interrupt.poll()
    }

    /// Limits the effort of each query, in conflicts. Returns what limited it before.
    pub(super) fn set_effort(&mut self, effort: Option<u64>) -> Option<u64> {
        self.encoder.solver.set_effort(effort);
        std::mem::replace(&mut self.effort, effort)
    }

    /// Asks; the answer may take this many propagations. `None` if these, or the effort, were not
    /// enough.
    pub(super) fn solve(
        &mut self,
        assumptions: &[Lit],
        temporary: &[&[Lit]],
        propagations: u64,
    ) -> Result<Option<bool>, Stopped> {
        let solver = &mut self.encoder.solver;
        let done = solver.stats().propagations;
        solver.set_last_propagation(done.saturating_add(propagations));
        match solver.solve(assumptions, temporary) {
            SatResult::Unknown if self.interrupt.is_raised() => Err(Stopped(Reason::Interrupted)),
            SatResult::Unknown => Ok(None),
            answer => Ok(Some(answer.is_sat())),
        }
    }

    /// Whether the last answer was no, and rests on this assumption.
    pub(super) fn is_failed(&self, lit: Lit) -> bool {
        self.encoder.solver.is_failed(lit)
    }

    /// The literal that brings a frame.
    pub(super) fn act(&self, level: Level) -> Lit {
        let Activations { levels, infinity, .. } = &self.activations;
        level.finite().map_or(*infinity, |index| levels[index])
    }

    /// The literal that brings the constraints of the current step, and no lemma.
    pub(super) fn act_constraints(&self) -> Lit {
        self.activations.constraints
    }

    /// The queries so far, and what they took.
    pub(super) fn stats(&self) -> SatStats {
        let (past, work) = (&self.past.work, self.encoder.solver.stats());
        SatStats {
            queries: past.queries + work.queries,
            conflicts: past.conflicts + work.conflicts,
            propagations: past.propagations + work.propagations,
            ..work
        }
    }

    /// All that was done so far, in propagations; see [`meter`].
    pub(super) fn work(&self) -> u64 {
        let SatStats { queries, propagations, .. } = self.stats();
        let gates = (self.past.gates + self.encoder.solver.num_gates()) as u64;
        queries * meter::QUERY + propagations + gates * meter::GATE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Scan;
    use crate::units::atom::Atom;
    use crate::units::unit::Ranges;
    use crate::units::value::VarId;
    use pedra_formats::btor2;

    const FREE: &str = "
        1 sort bitvec 4
        2 sort bitvec 1
        3 state 1 x
        4 next 1 3 3
        5 constd 1 9
        6 eq 2 3 5
        7 bad 6
    ";

    /// `x ≥ 9` is excluded from `F_1`, `x ≥ 12` from all frames.
    #[test]
    fn a_new_solver_knows_the_frames_and_counts_on() {
        let system = btor2::read(FREE.as_bytes()).expect("a model");
        let problem = Problem::new(&system, &[0]).expect("words");
        let (blasting, interrupt) = (BlastOptions::default(), Interrupt::new());
        let mut solver = FrameSolver::new(&problem, &blasting, &interrupt).expect("small");
        let mut frames = Frames::new([Scan(Ranges::new(&problem))]);
        let at_least = |value| Unit::new(vec![Atom::Lower(VarId::new(0), value)]);
        for _ in 0..2 {
            frames.open();
            solver.open();
        }
        for (value, level) in [(9, Level::new(1)), (12, Level::INFINITY)] {
            let lemma = frames.insert((), Box::new(at_least(value)), level).expect("new");
            solver.tell(&problem, &frames, lemma.id).expect("small");
        }
        let meets = |solver: &mut FrameSolver, value, level| {
            let unit = at_least(value);
            let lits = solver.encoder.lits(&problem, unit.atoms(), Step::Now).expect("small");
            let assumptions: Vec<Lit> = [solver.act(level)].into_iter().chain(lits).collect();
            solver.solve(&assumptions, &[], u64::MAX).expect("no interrupt").expect("no limit")
        };
        for round in 0..2 {
            assert!(meets(&mut solver, 8, Level::new(1)), "round {round}");
            assert!(!meets(&mut solver, 9, Level::new(1)), "round {round}");
            assert!(meets(&mut solver, 9, Level::new(2)), "round {round}");
            assert!(!meets(&mut solver, 12, Level::new(2)), "round {round}");
            assert!(!meets(&mut solver, 12, Level::INFINITY), "round {round}");
            assert!(meets(&mut solver, 12, Level::ZERO), "round {round}");
            let before = (solver.stats(), solver.work());
            solver.renew(&problem, &frames).expect("small");
            assert_eq!(solver.stats().queries, before.0.queries);
            assert_eq!(solver.stats().propagations, before.0.propagations);
            assert!(solver.work() > before.1, "gates are made again");
        }
    }
}
