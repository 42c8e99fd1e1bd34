//! How often each state literal occurred in recent lemmas. All orders of literals use this.

use pedra_model::lit::Lit;
use pedra_model::random::Random;

/// Old lemmas count for less by this factor with each new one (rIC3: 0.9; IC3ref: 0.99).
const DECAY: f64 = 0.9;

/// Activities of state variables.
#[derive(Clone, Debug)]
pub(super) struct Activity {
    of: Vec<f64>,
    bump: f64,
}

impl Activity {
    /// All equal; with a seed other than 0 not quite, so that ties fall as it says.
    pub(super) fn new(num_vars: usize, seed: u64) -> Activity {
        let mut of = vec![0.0; num_vars];
        if seed != 0 {
            let mut random = Random::new(seed);
            // Far below what one lemma adds.
            of.iter_mut().for_each(|activity| *activity = random.below(1000) as f64 * 1e-6);
        }
        Activity { of, bump: 1.0 }
    }

    /// Takes note of a lemma.
    pub(super) fn learn(&mut self, cube: &[Lit]) {
        self.bump /= DECAY;
        for lit in cube {
            self.of[lit.var().index()] += self.bump;
        }
        if self.bump > 1e100 {
            self.of.iter_mut().for_each(|activity| *activity /= self.bump);
            self.bump = 1.0;
        }
    }

    /// Sorts by descending activity; ties stay as they are.
    pub(super) fn sort(&self, cube: &mut [Lit]) {
        let key = |lit: &Lit| self.of[lit.var().index()];
        cube.sort_by(|a, b| key(b).total_cmp(&key(a)));
    }
}
