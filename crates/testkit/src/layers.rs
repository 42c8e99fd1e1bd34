//! Exact sets of states by number of steps: what is reachable in exactly this many, and what
//! violates a property after exactly this many. For engines that keep frames.
//!
//! Cubes are over variables with the numbers `latch + 1`. One more variable may tell the first
//! step from all others; where it does, states of step 0 and later ones are told apart.

use crate::oracle::{Explicit, ExplicitBits};
use pedra_model::bits::BitSystem;
use pedra_model::lit::Lit;

/// Sets of states, as booleans by number.
type Set = Vec<bool>;

/// Layers are told up to this step; the systems are so small that they repeat before.
const STEPS: usize = 40;

/// Exact sets by steps.
pub struct Layers {
    latches: usize,
    /// By step: the states at it on paths that obey the constraints before it.
    reached: Vec<Set>,
    /// By property and step: the states (not of the first step) that violate it then.
    violating: Vec<Vec<Set>>,
}

impl Layers {
    /// Explores a system.
    pub fn new(system: &BitSystem) -> Layers {
        let explicit = ExplicitBits::new(system);
        let (states, inputs) = (explicit.num_states(), explicit.num_inputs());
        let successor = |state: usize, input: usize| {
            let mut found = 0;
            explicit.successors(state, input, &mut |next| found = next);
            found
        };
        let allowed = |state: usize, input: usize| explicit.is_allowed(state, input);
        let mut reached = vec![vec![false; states]; STEPS];
        for state in 0..states {
            for input in (0..inputs).filter(|&i| allowed(state, i)) {
                if explicit.is_initial(state, input) {
                    reached[0][state] = true;
                    reached[1][successor(state, input)] = true;
                }
            }
        }
        for step in 2..STEPS {
            for state in (0..states).filter(|&s| reached[step - 1][s]).collect::<Vec<_>>() {
                for input in (0..inputs).filter(|&i| allowed(state, i)) {
                    reached[step][successor(state, input)] = true;
                }
            }
        }
        let violating = (0..explicit.num_properties()).map(|property| {
            let bad = |state: usize| {
                (0..inputs).any(|i| allowed(state, i) && explicit.is_bad(state, i, property))
            };
            let mut layers = vec![(0..states).map(bad).collect::<Set>()];
            for step in 1..STEPS {
                let before = &layers[step - 1];
                let leads = |state: usize| {
                    (0..inputs).any(|i| allowed(state, i) && before[successor(state, i)])
                };
                layers.push((0..states).map(leads).collect());
            }
            layers
        });
        Layers { latches: system.latches.len(), violating: violating.collect(), reached }
    }

    /// Whether a state is in a cube; the variable beyond the latches is `first`.
    fn holds(&self, cube: &[Lit], state: usize, first: bool) -> bool {
        cube.iter().all(|lit| {
            let latch = lit.var().index() - 1;
            let value = if latch < self.latches { state >> latch & 1 == 1 } else { first };
            value != lit.is_negated()
        })
    }

    /// A state that is reachable in at most this many steps, and in one of the cubes.
    pub fn reached_in(&self, steps: usize, excluded: &[Vec<Lit>]) -> Option<usize> {
        let layers = self.reached.iter().enumerate().take(steps + 1);
        let mut states = layers
            .flat_map(|(step, set)| (0..set.len()).filter(|&s| set[s]).map(move |s| (step, s)));
        let is_excluded = |&(step, state): &(usize, usize)| {
            excluded.iter().any(|cube| self.holds(cube, state, step == 0))
        };
        states.find(is_excluded).map(|(_, state)| state)
    }

    /// A state that violates one of the properties within this many steps, and is in one of the
    /// cubes.
    pub fn violates_in(
        &self,
        steps: usize,
        excluded: &[Vec<Lit>],
        properties: &[usize],
    ) -> Option<usize> {
        let layers = properties.iter().flat_map(|&p| self.violating[p].iter().take(steps + 1));
        let mut states = layers.flat_map(|set| (0..set.len()).filter(|&s| set[s]));
        states.find(|&s| excluded.iter().any(|cube| self.holds(cube, s, false)))
    }

    /// Whether all states of a cube (of later steps than the first) violate the property after
    /// this many steps.
    pub fn all_violate_at(&self, steps: usize, cube: &[Lit], property: usize) -> bool {
        let Some(set) = self.violating[property].get(steps) else { return true };
        (0..set.len()).all(|s| set[s] || !self.holds(cube, s, false))
    }

    /// Whether all states of a cube are reachable in exactly this many steps, at least one, as far
    /// as these latches are concerned: the others do not matter to anything.
    pub fn all_reached_at(&self, steps: usize, cube: &[Lit], latches: &[usize]) -> bool {
        let Some(set) = self.reached.get(steps) else { return true };
        let mask: usize = latches.iter().map(|&latch| 1 << latch).sum();
        let mut reached = vec![false; set.len()];
        (0..set.len()).filter(|&s| set[s]).for_each(|s| reached[s & mask] = true);
        (0..set.len()).all(|s| reached[s & mask] || !self.holds(cube, s, false))
    }
}
