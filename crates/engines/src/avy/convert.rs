//! From interpolants to clauses: `F_i` is strengthened until `F_i ⟹ F_{i−1} ∨ I_i`.
//!
//! This is the paper's use of `PDRMkSafe` with the property `F_{i−1} ∨ I_i`. While a state of
//! `F_i` satisfies neither, a cube of such states is excluded, by a clause that is inductive
//! relative to `F_{i−1}`. Such a cube has no predecessor in `F_{i−1}`: each state there is in
//! `F_{i−2}`, with successors in `F_{i−1}`, or satisfies `I_{i−1}`, with successors in `I_i` by
//! the law of the sequence. (Blocking counterexamples to generalisation may disturb this by
//! strengthening lower frames; then the predecessor is excluded first, which is possible because
//! no state outside of `F_{i−1} ∨ I_i` is reachable within `i` steps.)
//!
//! For `i = 1`, `F_0` are the initial states.
//!
//! The queries know lemmas and the interpolant only, no transition: they are small.

use crate::context::Context;
use crate::layers::StateCircuit;
use crate::pdr::{LemmaId, Level, Pdr, Stopped};
use pedra_model::lit::{Lit, Var};
use pedra_solve::{Cdcl, FrameEncoder, SatResult, SatSolver};
use rustc_hash::FxHashMap;

/// The states of `F_i` that are neither in `F_{i−1}` nor in `I_i`.
struct Gap {
    level: Level,
    /// Over state variables, and gates of the interpolant.
    solver: Cdcl,
    interpolant: Lit,
    /// The initial states, if the frame below is `F_0`.
    init: Lit,
    /// By number of a lemma, whether the solver has it.
    has: Vec<bool>,
    /// For lemmas of the frame below: a literal that implies that the lemma is violated.
    violates: FxHashMap<LemmaId, Lit>,
    num_states: usize,
}

/// Strengthens `F_i`, with at most `limit` cubes; says whether that was enough.
pub(super) fn convert(
    trace: &mut Pdr,
    context: &Context,
    circuit: &StateCircuit,
    interpolant: Lit,
    level: Level,
    limit: Option<u32>,
) -> Result<bool, Stopped> {
    let mut gap = Gap::new(trace, context, circuit, interpolant, level);
    let mut cubes = 0;
    // while SAT(F_i ∧ ¬F_{i−1} ∧ ¬I_i)
    while let Some(cube) = gap.find(trace)? {
        if limit.is_some_and(|limit| cubes >= limit) {
            return Ok(false);
        }
        trace.exclude(context, cube, level)?;
        cubes += 1;
    }
    Ok(true)
}

impl Gap {
    fn new(
        trace: &Pdr,
        context: &Context,
        circuit: &StateCircuit,
        interpolant: Lit,
        level: Level,
    ) -> Gap {
        let mut solver = Cdcl::new();
        solver.set_interrupt(context.interrupt.clone());
        let num_states = trace.transition().state_vars().end;
        solver.reserve_vars(Var::new(num_states - 1));
        let mut encoder = FrameEncoder::new();
        for (leaf, state) in circuit.state_vars() {
            encoder.set_leaf(leaf, state.lit());
        }
        let mut encode =
            |root: Lit| encoder.encode(circuit.builder.aig(), &mut solver.definer(), root);
        let interpolant = encode(interpolant);
        let is_lowest = level == Level::ZERO.above();
        let init = if is_lowest { encode(circuit.init) } else { Lit::TRUE };
        Gap {
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
    fn find(&mut self, trace: &Pdr) -> Result<Option<Vec<Lit>>, Stopped> {
        self.learn(trace);
        let is_lowest = self.level == Level::ZERO.above();
        let outside = if is_lowest { vec![!self.init] } else { self.violations(trace) };
        // F_i ∧ ¬I_i ∧ ¬F_{i−1}
        match self.solver.solve_with(&[!self.interpolant], &[&outside]) {
            SatResult::Unsat => return Ok(None),
            SatResult::Unknown => return Err(Stopped),
            SatResult::Sat => {}
        }
        let value = |var| self.solver.value(Var::new(var).lit());
        let state: Vec<Lit> = (1..self.num_states)
            .filter_map(|var| value(var).map(|value| Lit::new(Var::new(var), !value)))
            .collect();
        let mut cube = if is_lowest {
            // Init ∧ s
            self.core(self.init, &state)?
        } else {
            violated(trace, self.level, &state)
        };
        // F_i ∧ I_i ∧ s
        cube.extend(self.core(self.interpolant, &state)?);
        cube.sort_unstable();
        cube.dedup();
        Ok(Some(cube))
    }

    /// The part of a state that contradicts a formula, in `F_i`.
    fn core(&mut self, formula: Lit, state: &[Lit]) -> Result<Vec<Lit>, Stopped> {
        if formula == Lit::FALSE {
            return Ok(Vec::new());
        }
        let assumptions: Vec<Lit> = [formula].into_iter().chain(state.iter().copied()).collect();
        match self.solver.solve(&assumptions) {
            SatResult::Unsat => {}
            SatResult::Unknown => return Err(Stopped),
            SatResult::Sat => unreachable!("the state does not satisfy the formula"),
        }
        Ok(state.iter().copied().filter(|&lit| self.solver.is_failed(lit)).collect())
    }

    /// Tells the solver of lemmas that came, or rose, since the last query.
    fn learn(&mut self, trace: &Pdr) {
        let frames = trace.frames();
        self.has.resize(frames.total(), false);
        for id in frames.lemmas(self.level) {
            if !std::mem::replace(&mut self.has[id.index()], true) {
                let clause: Vec<Lit> = frames.lemma(id).cube().iter().map(|&lit| !lit).collect();
                self.solver.add_clause(&clause);
            }
        }
    }

    /// `¬F_{i−1}`, given `F_i`: some lemma that only holds below is violated.
    fn violations(&mut self, trace: &Pdr) -> Vec<Lit> {
        let frames = trace.frames();
        let mut any = Vec::new();
        for &id in frames.delta(self.level.below()) {
            let violates = *self.violates.entry(id).or_insert_with(|| {
                let violates = self.solver.new_var().lit();
                for &lit in frames.lemma(id).cube() {
                    self.solver.add_clause(&[!violates, lit]);
                }
                violates
            });
            any.push(violates);
        }
        any
    }
}

/// The shortest cube that `F_{i−1}` excludes and the state is in.
fn violated(trace: &Pdr, level: Level, state: &[Lit]) -> Vec<Lit> {
    let frames = trace.frames();
    let below = frames.delta(level.below()).iter().map(|&id| frames.lemma(id).cube());
    let holds = |cube: &&[Lit]| cube.iter().all(|lit| state.binary_search(lit).is_ok());
    let shortest = below.filter(holds).min_by_key(|cube| cube.len());
    shortest.expect("the state violates a lemma of the frame below").to_vec()
}
