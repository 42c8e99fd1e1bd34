//! Lifting: from one state that goes into a target to a cube of such states.
//!
//! A model of a query gives a state `s` and inputs `i` with `s ∧ i ⟹ C ∧ target`, where the target
//! is a cube one step later, or a bad literal now. Inputs stay as they are. Of the state, only the
//! literals are kept that cause the contradiction between `s ∧ i` and `¬(C ∧ target)`.
//!
//! *Required for soundness*: the lifting solver holds the definitions and nothing else, and the
//! constraints belong to the *target*. If they were asserted, the cube could contain states that
//! violate them with the recorded inputs, and counterexamples could be spurious. (With local
//! abstraction, parts of the target are left out, and counterexamples are found by other means; see
//! `abstraction`.)

use super::abstraction::Abstraction;
use super::solver::{FrameSolver, Stopped};
use super::successor::Simulator;
use super::transition::Transition;
use pedra_model::lit::{Lit, Var};

/// A cube of states that go into the target with these inputs.
#[derive(Clone, Debug)]
pub(super) struct Lifted {
    /// The states, sorted.
    pub(super) cube: Vec<Lit>,
    /// The inputs.
    pub(super) inputs: Vec<Lit>,
}

/// What a state is lifted for.
#[derive(Copy, Clone)]
pub(super) enum Goal<'c> {
    /// Violating this property.
    Bad(usize),
    /// Going into this cube.
    Cube(&'c [Lit]),
}

/// From models to obligations.
pub(super) struct Lifter {
    /// With definitions only.
    pub(super) solver: FrameSolver,
    /// In the reverse direction obligations are successors, which simulation finds.
    pub(super) simulator: Option<Simulator>,
}

impl Lifter {
    /// Widens the state of `model`, the last model of a frame's solver, which has this target.
    /// `order` sorts the state literals so that those to keep come first; at most `rounds` queries
    /// are asked.
    pub(super) fn lift(
        &mut self,
        (transition, abstraction): (&Transition, &Abstraction),
        model: &FrameSolver,
        target: Goal,
        rounds: u32,
        order: impl FnOnce(&mut Vec<Lit>),
    ) -> Result<Lifted, Stopped> {
        let mut goal = abstraction.constraints().to_vec();
        match target {
            Goal::Bad(property) => goal.push(transition.bads[property]),
            Goal::Cube(cube) => {
                let kept = cube.iter().filter(|&&lit| abstraction.keeps(lit));
                goal.extend(kept.map(|&lit| transition.primed(lit)));
            }
        }
        let Lifter { solver, .. } = self;
        solver.pin(&goal);
        let known = |var: usize| {
            let value = model.value(Var::new(var).lit())?;
            Some(Lit::new(Var::new(var), !value))
        };
        let matters = |lit: &Lit| solver.is_in_domain(lit.var());
        let inputs: Vec<Lit> = transition.input_vars().filter_map(known).filter(matters).collect();
        let vars = transition.cube_vars();
        let mut cube: Vec<Lit> = vars.filter_map(known).filter(matters).collect();
        if transition.has_signals() {
            // Heuristic: those that read others say more.
            cube.reverse();
        }
        order(&mut cube);
        let not_goal: Vec<Lit> = goal.iter().map(|&lit| !lit).collect();
        let mut stopped = Ok(());
        for _ in 0..rounds {
            let before = cube.len();
            // D ∧ i ∧ s ∧ ¬(C ∧ target)
            let assumptions: Vec<Lit> = inputs.iter().chain(&cube).copied().collect();
            match solver.solve(&assumptions, Some(&not_goal)) {
                Ok(false) => cube.retain(|&lit| solver.is_failed(lit)),
                Ok(true) => {
                    debug_assert!(false, "the model does not determine the target");
                    break;
                }
                Err(Stopped) => {
                    stopped = Err(Stopped);
                    break;
                }
            }
            if cube.len() == before {
                break;
            }
            // Heuristic: another order may leave out other literals.
            cube.reverse();
        }
        solver.unpin();
        cube.sort_unstable();
        stopped.map(|()| Lifted { cube, inputs })
    }
}
