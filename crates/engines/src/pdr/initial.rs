//! Does a cube contain an initial state? (In the reverse direction: a bad one.)
//!
//! A lemma may exclude no initial state. The test is syntactic where resets are constant: a
//! literal that contradicts a reset settles it. Where that does not decide, and constraints or
//! reset functions have a say in what is initial, the solver of `F_0` is asked. In the reverse
//! direction it is always asked, with a solver for `C ∧ bad`: inputs are quantified there.

use super::solver::{FrameSolver, Stopped};
use super::transition::Transition;
use crate::events::Direction;
use pedra_model::lit::Lit;

/// The initial states.
pub(super) struct Initial {
    constant: Vec<Option<bool>>,
    /// Whether a cube that contradicts no constant reset does contain an initial state.
    is_exact: bool,
}

impl Initial {
    pub(super) fn new(transition: &Transition, direction: Direction) -> Initial {
        if direction == Direction::Backward {
            // What is bad may depend on inputs.
            let constant = vec![None; transition.state_vars().end];
            return Initial { constant, is_exact: false };
        }
        let constants = transition.constant_reset.iter().flatten().count();
        let is_exact = transition.constraints.is_empty() && transition.init.len() == constants;
        Initial { constant: transition.constant_reset.clone(), is_exact }
    }

    /// Whether no initial state satisfies the literal, as far as constant resets tell.
    #[inline]
    pub(super) fn excludes(&self, lit: Lit) -> bool {
        self.constant[lit.var().index()] == Some(lit.is_negated())
    }

    /// `Init ∧ C ∧ cube`: is it satisfiable?
    pub(super) fn check_meets(&self, f0: &mut FrameSolver, cube: &[Lit]) -> Result<bool, Stopped> {
        if cube.iter().any(|&lit| self.excludes(lit)) {
            return Ok(false);
        }
        if self.is_exact {
            return Ok(true);
        }
        f0.solve(cube, None)
    }

    /// Adds literals of `cube`, which contains no initial state, to a part of it until that
    /// contains none either. Both are sorted.
    ///
    /// *Required for soundness*: a core of a relative-induction query says nothing about
    /// initial states.
    pub(super) fn exclude(
        &self,
        f0: &mut FrameSolver,
        part: &mut Vec<Lit>,
        cube: &[Lit],
    ) -> Result<(), Stopped> {
        if !self.check_meets(f0, part)? {
            return Ok(());
        }
        match cube.iter().find(|&&lit| self.excludes(lit)) {
            Some(&lit) => part.push(lit),
            None => {
                // Init ∧ C ⟹ ¬cube, and the core says which literals are to blame.
                let meets = f0.solve(cube, None)?;
                assert!(!meets, "the whole cube was seen to contain no initial state");
                part.extend(cube.iter().filter(|&&lit| f0.is_failed(lit)));
            }
        }
        part.sort_unstable();
        part.dedup();
        Ok(())
    }
}
