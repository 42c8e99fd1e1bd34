//! From interpolants to clauses: `F_{i+1}` is strengthened until `F_{i+1} ⟹ F_j ∨ I_{j+1}`, where
//! `j = i`, or `j ≤ i` with the strong induction of kAvy.
//!
//! This is the paper's use of `PDRMkSafe` with the property `F_j ∨ I_{j+1}`. While a state of
//! `F_{i+1}` satisfies neither, a cube of such states is excluded, by a clause that is inductive
//! relative to `F_i`. Such a cube has no predecessor in `F_i`: each state there is in `F_{j−1}`,
//! with successors in `F_j`, or satisfies `I_j`, with successors in `I_{j+1}` by the law of the
//! sequence. For `j = i` the previous interpolant ensures this; also for `j < i`, because it was
//! made to hold in `F_{i+1}` and `F_i` is smaller; and for the first `j` the query began with
//! `F_i`, with successors in `I_{j+1}`. (Blocking counterexamples to generalisation may disturb
//! this by strengthening lower frames; then the predecessor is excluded first, which is possible
//! because no state outside `F_j ∨ I_{j+1}` is reachable within `i + 1` steps: such a path would be
//! longer than `j`, and its last steps would be among those that the query refuted.)
//!
//! For `j = 0`, `F_0` are the initial states.
//!
//! The queries contain only lemmas and the interpolant, no transition, so they are small.

use super::frames::SharedTrace;
use crate::context::{Context, Reason};
use crate::layers::StateCircuit;
use crate::pdr::Frames;
use crate::trace::{LemmaId, Level, Stopped, exclude, try_exclude};
use pedra_model::lit::{Lit, Var};
use pedra_solve::{Cdcl, FrameEncoder, SatResult, SatSolver};
use rustc_hash::FxHashMap;

/// What is to hold in the frame `level`: `F_below ∨ I`.
pub(super) struct Goal<'a> {
    pub(super) circuit: &'a StateCircuit,
    pub(super) interpolant: Lit,
    pub(super) below: Level,
    pub(super) level: Level,
}

/// The states of a frame that do not satisfy its goal.
struct Gap {
    below: Level,
    level: Level,
    /// Over state variables, and gates of the interpolant.
    solver: Cdcl,
    interpolant: Lit,
    /// The initial states, if the frame below is `F_0`.
    init: Lit,
    /// By number of a lemma, whether the solver has it.
    has: Vec<bool>,
    /// For lemmas of the frames below: a literal that implies that the lemma is violated.
    violates: FxHashMap<LemmaId, Lit>,
    num_states: usize,
}

/// A cube of states in a gap, by what excludes it.
struct Hole {
    /// No state of `F_j` has all of these literals.
    below: Vec<Lit>,
    /// No state of `F_{i+1} ∧ I_{j+1}` has all of these literals.
    interpolant: Vec<Lit>,
}

impl Hole {
    /// All literals, sorted.
    fn cube(&self) -> Vec<Lit> {
        let mut cube = [&self.below[..], &self.interpolant].concat();
        cube.sort_unstable();
        cube.dedup();
        cube
    }
}

/// Strengthens a frame until it implies its goal.
pub(super) fn convert(
    trace: &mut SharedTrace,
    context: &Context,
    goal: &Goal,
) -> Result<(), Stopped> {
    let mut gap = Gap::new(trace, context, goal);
    // while SAT(F_{i+1} ∧ ¬F_j ∧ ¬I_{j+1})
    while let Some(hole) = gap.find(trace)? {
        // Heuristic: with the law of the sequence alone, all states that the interpolant excludes
        // may have no predecessor. Such a cube is shorter, by the literals that keep it out of
        // `F_j`.
        let wider = hole.interpolant.clone().into();
        let Some((bits, _)) = trace.search.parts_mut() else { return Ok(()) };
        if !try_exclude(bits, context, (), wider, goal.level)? {
            exclude(bits, context, (), hole.cube().into(), goal.level)?;
        }
    }
    Ok(())
}

impl Gap {
    fn new(trace: &SharedTrace, context: &Context, goal: &Goal) -> Gap {
        let &Goal { circuit, interpolant, below, level } = goal;
        let mut solver = Cdcl::new();
        solver.set_interrupt(context.interrupt.clone());
        let num_states = trace.num_vars();
        solver.reserve_vars(Var::new(num_states - 1));
        let mut encoder = FrameEncoder::new();
        for (leaf, state) in circuit.state_vars() {
            encoder.set_leaf(leaf, state.lit());
        }
        let mut encode =
            |root: Lit| encoder.encode(circuit.builder.aig(), &mut solver.definer(), root);
        let interpolant = encode(interpolant);
        let init = if below == Level::ZERO { encode(circuit.init) } else { Lit::TRUE };
        Gap {
            below,
            level,
            solver,
            interpolant,
            init,
            has: Vec::new(),
            violates: FxHashMap::default(),
            num_states,
        }
    }

    /// A cube of states in the gap.
    fn find(&mut self, trace: &SharedTrace) -> Result<Option<Hole>, Stopped> {
        self.learn(trace);
        let is_lowest = self.below == Level::ZERO;
        let outside = if is_lowest { vec![!self.init] } else { self.violations(trace) };
        // F_{i+1} ∧ ¬I_{j+1} ∧ ¬F_j
        match self.solver.solve_with(&[!self.interpolant], &[&outside]) {
            SatResult::Unsat => return Ok(None),
            SatResult::Unknown => return Err(Stopped(Reason::Interrupted)),
            SatResult::Sat => {}
        }
        let value = |var| self.solver.value(Var::new(var).lit());
        let state: Vec<Lit> = (1..self.num_states)
            .filter_map(|var| value(var).map(|value| Lit::new(Var::new(var), !value)))
            .collect();
        let below = if is_lowest {
            // Init ∧ s
            self.core(self.init, &state)?
        } else {
            violated(trace, self.below, self.level, &state)
        };
        // F_{i+1} ∧ I_{j+1} ∧ s
        let interpolant = self.core(self.interpolant, &state)?;
        Ok(Some(Hole { below, interpolant }))
    }

    /// The part of a state that contradicts a formula, in the frame.
    fn core(&mut self, formula: Lit, state: &[Lit]) -> Result<Vec<Lit>, Stopped> {
        if formula == Lit::FALSE {
            return Ok(Vec::new());
        }
        let assumptions: Vec<Lit> = [formula].into_iter().chain(state.iter().copied()).collect();
        match self.solver.solve(&assumptions) {
            SatResult::Unsat => {}
            SatResult::Unknown => return Err(Stopped(Reason::Interrupted)),
            SatResult::Sat => unreachable!("the state does not satisfy the formula"),
        }
        Ok(state.iter().copied().filter(|&lit| self.solver.is_failed(lit)).collect())
    }

    /// Tells the solver of lemmas that came, or rose, since the last query.
    fn learn(&mut self, trace: &SharedTrace) {
        let frames = trace.frames();
        self.has.resize(frames.total(), false);
        for id in frames.lemmas((), self.level) {
            if !std::mem::replace(&mut self.has[id.index()], true) {
                let clause: Vec<Lit> = frames.lemma(id).set().iter().map(|&lit| !lit).collect();
                self.solver.add_clause(&clause);
            }
        }
    }

    /// `¬F_j`, given `F_{i+1}`: some lemma that only holds below is violated.
    fn violations(&mut self, trace: &SharedTrace) -> Vec<Lit> {
        let frames = trace.frames();
        let mut any = Vec::new();
        for id in only_below(frames, self.below, self.level) {
            let violates = *self.violates.entry(id).or_insert_with(|| {
                let violates = self.solver.new_var().lit();
                for &lit in frames.lemma(id).set() {
                    self.solver.add_clause(&[!violates, lit]);
                }
                violates
            });
            any.push(violates);
        }
        any
    }
}

/// The lemmas of a frame that a higher one lacks.
fn only_below(frames: &Frames, below: Level, level: Level) -> impl Iterator<Item = LemmaId> + '_ {
    let levels = (below.index()..level.index()).map(Level::new);
    levels.flat_map(|level| frames.delta((), level)).copied()
}

/// The shortest cube that `F_j` excludes and the state is in.
fn violated(trace: &SharedTrace, below: Level, level: Level, state: &[Lit]) -> Vec<Lit> {
    let frames = trace.frames();
    let cubes = only_below(frames, below, level).map(|id| frames.lemma(id).set());
    let holds = |cube: &&[Lit]| cube.iter().all(|lit| state.binary_search(lit).is_ok());
    let shortest = cubes.filter(holds).min_by_key(|cube| cube.len());
    shortest.expect("the state violates a lemma of the frame below").to_vec()
}
